//! Rules by their definition: stored, read by rows, for new rows, in models and their files.

use crate::common::rules;
use cokernel::bank::{Bank, Cross, Numbers, RowMeans, Storage};
use cokernel::data::{Labels, Matrix, Views};
use cokernel::kernel::KernelSpec;
use cokernel::mkl::{Learned, Learner, Problem};
use cokernel::model::{Mkl, Model};
use cokernel::params::{Params, Value};
use cokernel::rule::{Combination, Mix, Pairs, PowerProduct, Product, Rule, Stored, Weighted};
use cokernel::{Report, Result, Run};

const N: usize = 60;

fn views() -> Views {
    let wave = |f: f64| {
        Matrix::from_fn(N, 2, move |i, j| ((i + 7 * j) as f64 * f).sin() + i as f64 / 40.0)
    };
    Views::new().dense("a", wave(0.7)).unwrap().dense("b", wave(1.9)).unwrap()
}

fn labels(classes: usize) -> Labels {
    Labels::from_texts(&(0..N).map(|i| format!("c{}", (i * classes) / N)).collect::<Vec<_>>())
}

fn numbers() -> Labels {
    Labels::Real((0..N).map(|i| Some((i as f64 * 0.3).sin())).collect())
}

fn specs() -> Vec<KernelSpec> {
    vec![
        KernelSpec::gaussian().view("a"),
        KernelSpec::gaussian().view("b"),
        KernelSpec::gaussian().view("b").gamma([0.05]),
    ]
}

/// k(x, z) = Σ_m g_m(x) k_m(x, z) g_m(z) with gates g_m = 1 / (1 + exp(−s_m x_1)): a rule that is not of
/// this library.
#[derive(Debug, Clone)]
struct Gated {
    slopes: Vec<f64>,
}

impl Rule for Gated {
    fn id(&self) -> &'static str {
        "gated_by_a_test"
    }

    fn kernels(&self) -> usize {
        self.slopes.len()
    }

    fn active(&self) -> Vec<usize> {
        (0..self.slopes.len()).collect()
    }

    fn uses(&self) -> Vec<f64> {
        self.slopes.clone()
    }

    fn views(&self) -> Vec<String> {
        vec!["a".to_string()]
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        Some(self)
    }

    fn stored(&self) -> Stored {
        Stored::default()
    }
}

impl Mix for Gated {
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]) {
        let g = self.slopes.len();
        for (j, out) in out.iter_mut().enumerate() {
            let term = |m: usize| pairs.own[m] * pairs.values[m][j] * pairs.others[j * g + m];
            *out = (0..g).map(term).sum();
        }
    }

    fn numbers(&self, views: &Views) -> Result<Option<Matrix>> {
        let x = features(views);
        let gate = |i, m: usize| 1.0 / (1.0 + f64::exp(-self.slopes[m] * x.get(i, 0)));
        Ok(Some(Matrix::from_fn(x.rows(), self.slopes.len(), gate)))
    }
}

fn features(views: &Views) -> Matrix {
    match &views.get("a").unwrap().table {
        cokernel::data::Table::Dense(x) => x.clone(),
        _ => panic!("dense features"),
    }
}

/// The value of a pair by definition.
fn expected(
    rule: &dyn Rule,
    gates: Option<&Matrix>,
    kernels: &[Matrix],
    i: usize,
    j: usize,
) -> f64 {
    let values: Vec<f64> = kernels.iter().map(|k| k.get(i, j)).collect();
    match gates {
        Some(g) => (0..values.len()).map(|m| g.get(i, m) * values[m] * g.get(j, m)).sum(),
        None => rules::value(rule, &values),
    }
}

fn all_rules() -> Vec<Combination> {
    vec![
        Weighted::rule(vec![0.5, 0.0, 2.0]),
        Product::rule(3),
        PowerProduct::rule(vec![2.0, 0.0, 0.3]),
        Combination::new(Gated { slopes: vec![1.0, -2.0, 0.5] }),
    ]
}

#[test]
fn stored_by_rows_and_new_rows_agree_with_the_definition() {
    let views = views();
    for storage in [Storage::Resident, Storage::ResidentF32, Storage::OnDemand] {
        let bank = Bank::build(&views, &specs(), storage, &Run::default()).unwrap();
        let tol = if storage == Storage::ResidentF32 { 1e-6 } else { 1e-12 };
        let entry = |m| Matrix::from_fn(N, N, |i, j| bank.entry(m, i, j));
        let kernels: Vec<Matrix> = (0..3).map(entry).collect();
        let rows: Vec<usize> = (0..N).collect();
        let norms: Vec<_> = (0..3).map(|m| bank.norms(m).to_vec()).collect();
        let cross = Cross::new(&views, &rows, N, bank.kernels(), &norms, RowMeans::Exact).unwrap();
        let new = cross.new_rows(&views, &[0, 1, 2]).unwrap();
        for rule in all_rules() {
            let mix = rule.pointwise().unwrap();
            let what = format!("{} {storage:?}", rule.id());
            let gates = mix.numbers(&views).unwrap();
            let gram = bank.mixed(mix, gates.as_ref()).unwrap();
            let by_rows = bank.mixed_rows(mix, gates.as_ref());
            let diagonal = by_rows.diagonal();
            let coef: Vec<f64> =
                (0..N).map(|i| if i % 3 == 0 { (i as f64).cos() } else { 0.0 }).collect();
            let mut product = vec![0.0; N];
            by_rows.multiply(&coef, &mut product);
            let block = Matrix::from_fn(N, 1, |i, _| coef[i]);
            let numbers = gates.as_ref().map(|g| Numbers { new: g, support: g });
            let towards = cross.multiply(&new, &rule.active(), mix, numbers, &block).unwrap();
            for i in 0..N {
                let want = |j| expected(&*rule, gates.as_ref(), &kernels, i, j);
                let (mut room, mut single) = (vec![0.0; N], vec![0.0_f32; 3]);
                let row = by_rows.row(i, &mut room).to_vec();
                by_rows.fill(i, Some(&[0, 5, 59]), &mut single);
                for j in 0..N {
                    assert!((gram.row(i)[j] - want(j)).abs() <= tol, "{what}");
                    assert!((row[j] - want(j)).abs() <= tol, "{what}");
                }
                assert!((diagonal[i] - want(i)).abs() <= tol, "{what}");
                for (s, j) in single.iter().zip([0, 5, 59]) {
                    assert!((f64::from(*s) - want(j)).abs() <= 1e-6, "{what}");
                }
                let sum: f64 = (0..N).map(|j| coef[j] * want(j)).sum();
                assert!((product[i] - sum).abs() <= 1e3 * tol, "{what}");
                assert!((towards.get(i, 0) - sum).abs() <= 1e-5_f64.max(1e3 * tol), "{what}");
            }
        }
    }
}

/// A method of a user's own.
#[derive(Debug)]
struct Given(Combination);

impl Learner for Given {
    fn learn(&self, _: &Problem<'_>, run: &Run) -> Result<Learned> {
        Ok(Learned { rule: self.0.clone(), machines: None, report: Report::closed_form(run) })
    }
}

/// Gates, which nothing in the library knows, go through fit and prediction.
#[test]
fn a_rule_of_ones_own() {
    let (views, run) = (views(), Run::default());
    let mkl = Mkl::new("mean").unwrap().kernels(specs()).c(5.0);
    let prepared = mkl.prepare(&views, &labels(2), &run).unwrap();
    let rule = Gated { slopes: vec![1.0, -2.0, 0.5] };
    let gates = rule.numbers(&views).unwrap();
    let learner = Given(Combination::new(rule.clone()));
    let model = mkl.fit_learner(&prepared, "gated", &learner, Params::default(), &run).unwrap();
    let (support, coef, bias) = model.duals();
    assert!(support.len() < N);
    let entry = |m| Matrix::from_fn(N, N, |i, j| prepared.bank().entry(m, i, j));
    let kernels: Vec<Matrix> = (0..3).map(entry).collect();
    let found = model.predict(&views).unwrap().decisions;
    for i in 0..N {
        let term = |(c, j): (usize, &usize)| {
            coef.get(0, c) * expected(&rule, gates.as_ref(), &kernels, i, *j)
        };
        let want = support.iter().enumerate().map(term).sum::<f64>() + bias[0];
        assert!((found.get(i, 0) - want).abs() < 1e-9, "{} {want}", found.get(i, 0));
    }
    let bytes = model.to_bytes().unwrap();
    let said = Model::from_bytes(&bytes).unwrap_err().to_string();
    assert!(said.contains("'gated_by_a_test' is not one of linear, product"), "{said}");
}

fn fitted(
    method: &str,
    given: &[(&str, Value)],
    machine: &str,
    classes: usize,
    run: &Run,
) -> Model {
    let mut mkl = Mkl::new(method).unwrap().kernels(specs());
    for (name, value) in given {
        mkl = mkl.param(*name, value.clone());
    }
    let spec: cokernel::machine::MachineSpec = machine.parse().unwrap();
    let labels = match machine.split(':').next().unwrap() {
        "svr" => numbers(),
        "one_class_svm" => Labels::Absent(N),
        _ => labels(classes),
    };
    mkl.machine(spec).fit(&views(), &labels, run).unwrap()
}

/// Where n × n numbers do not fit into the memory of the run rows are computed: the same model.
#[test]
fn products_are_also_read_by_rows() {
    for method in ["product", "power_product"] {
        let stored = fitted(method, &[], "svc:c=10:tol=1e-9", 2, &Run::default());
        let small = Run { memory: 1_000, ..Run::default() };
        let by_rows = fitted(method, &[], "svc:c=10:tol=1e-9", 2, &small);
        let (a, b) = (stored.predict(&views()).unwrap(), by_rows.predict(&views()).unwrap());
        for (a, b) in a.decisions.values().iter().zip(b.decisions.values()) {
            assert!((a - b).abs() < 1e-5, "{method}: {a} {b}");
        }
    }
}

/// f is the mean of the machines on the kernels alone, and so are the parts of its certificate.
#[test]
fn late_integration_is_the_mean_of_machines() {
    let run = Run::default();
    for (machine, classes) in [
        ("svc:c=3:tol=1e-8", 2),
        ("svc:c=3:tol=1e-8", 3),
        ("svc:c=3:decomposition=one_vs_one:tol=1e-8", 3),
        ("joint_svc:c=3", 3),
        ("svr:c=3:tol=1e-8", 0),
        ("one_class_svm:nu=0.2:tol=1e-8", 0),
    ] {
        let late = fitted("late_mean", &[], machine, classes, &run);
        let alone: Vec<Model> = specs()
            .into_iter()
            .map(|spec| {
                let spec_machine: cokernel::machine::MachineSpec = machine.parse().unwrap();
                let labels = match machine.split(':').next().unwrap() {
                    "svr" => numbers(),
                    "one_class_svm" => Labels::Absent(N),
                    _ => labels(classes),
                };
                let mkl = Mkl::new("mean").unwrap().kernels([spec]).machine(spec_machine);
                mkl.fit(&views(), &labels, &run).unwrap()
            })
            .collect();
        let back = Model::from_bytes(&late.to_bytes().unwrap()).unwrap();
        let found = back.predict(&views()).unwrap().decisions;
        assert_eq!(found, late.predict(&views()).unwrap().decisions);
        let parts: Vec<Matrix> =
            alone.iter().map(|m| m.predict(&views()).unwrap().decisions).collect();
        for i in 0..N {
            for t in 0..found.cols() {
                let want = parts.iter().map(|p| p.get(i, t)).sum::<f64>() / 3.0;
                assert!((found.get(i, t) - want).abs() < 1e-8, "{machine}: {want}");
            }
        }
        let all = late.report().machine.unwrap();
        let primal: f64 = alone.iter().map(|m| m.report().machine.unwrap().primal).sum();
        assert!((all.primal - primal).abs() <= 1e-9 * primal.abs(), "{machine}");
        assert!(late.weights().iter().all(|w| w.active && (w.weight - 1.0 / 3.0).abs() < 1e-15));
        let (support, coef, _) = late.duals();
        assert_eq!(coef.cols(), 3 * support.len(), "{machine}");
    }
}

/// Exponents by kernel and by view; a Gaussian kernel to the power of g has g times its γ.
#[test]
fn exponents_are_by_kernel_or_view() {
    let run = Run::default();
    let exponents = |text: &str| [("exponents", Value::Text(text.to_string()))];
    let mean = fitted("power_product", &[], "svc", 2, &run);
    assert!(mean.weights().iter().all(|w| (w.weight - 1.0 / 3.0).abs() < 1e-15));
    let by_view = fitted("power_product", &exponents("a=2,b=0.5"), "svc", 2, &run);
    let found: Vec<f64> = by_view.weights().iter().map(|w| w.weight).collect();
    assert_eq!(found, [2.0, 0.5, 0.5]);
    assert_eq!(by_view.inspect().rule, "power_product");
    let one = fitted("power_product", &exponents("a=1"), "svc", 2, &run);
    assert_eq!(one.views().len(), 1);
    let try_with = |text: &str, specs: Vec<KernelSpec>| {
        let mkl = Mkl::new("power_product").unwrap().kernels(specs).param("exponents", text);
        mkl.fit(&views(), &labels(2), &run).unwrap_err().to_string()
    };
    assert!(try_with("c=1", specs()).contains("unknown kernel or view in exponents 'c'"));
    assert!(try_with("a=0", specs()).contains("found 0 for 'a'"));
    let said = try_with("a=0.5", vec![KernelSpec::linear().view("a")]);
    assert!(said.contains("a negative number has no power 0.5"), "{said}");
    let narrow = KernelSpec::gaussian().view("a").gamma([0.6]);
    let wide = KernelSpec::gaussian().view("a").gamma([0.3]);
    let values = |specs: [KernelSpec; 1], text: &str| {
        let mkl = Mkl::new("power_product").unwrap().kernels(specs).param("exponents", text);
        let model = mkl.c(2.0).fit(&views(), &labels(2), &run).unwrap();
        model.predict(&views()).unwrap().decisions
    };
    let (a, b) = (values([narrow], "a=1"), values([wide], "a=2"));
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}
