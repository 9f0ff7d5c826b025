//! Rules by their definition: stored, read by rows, for new rows, in models and their files.

use crate::common::rules;
use cokernel::bank::{Bank, Cross, Numbers, RowMeans, Storage};
use cokernel::data::{Csr, Labels, LearnedView, Matrix, Table, Views};
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
            let term = |m: usize| pairs.own[m] * pairs.values[m][j] * pairs.others[m][j];
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
        let bank = Bank::build(&views, &specs(), storage.clone(), &Run::default()).unwrap();
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
        Ok(Learned::of(self.0.clone(), Report::closed_form(run)))
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

/// Maps of a user's own, and the mean of the kernels on them.
#[derive(Debug)]
struct Projected(Vec<LearnedView>);

impl Learner for Projected {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let m = problem.bank.len();
        let rule = Weighted::rule(vec![1.0 / m as f64; m]);
        Ok(Learned { views: self.0.clone(), ..Learned::of(rule, Report::closed_form(run)) })
    }
}

/// A method that learns a map of the features of a view gives the model of the mapped views.
#[test]
fn a_map_of_ones_own() {
    let run = Run::default();
    let dense = views();
    let x = features(&dense);
    let mapped_by_hand = |map: &Matrix| {
        let sum = |i, k| (0..2).map(|j| x.get(i, j) * map.get(j, k)).sum();
        Matrix::from_fn(N, map.cols(), sum)
    };
    let entries = (0..N).map(|i| vec![(0_u32, x.get(i, 0)), (1, x.get(i, 1))]).collect();
    let sparse = Table::Sparse(Csr::from_rows(2, entries).unwrap());
    let b = dense.get("b").unwrap().table.clone();
    let beside = |a: Table| Views::new().with("a", a).unwrap().with("b", b.clone()).unwrap();
    let sparse = beside(sparse);
    let kernels = || -> Vec<KernelSpec> {
        let texts = ["gaussian@a:gamma=0.4:normalize=center", "gaussian@b:gamma=0.2"];
        texts.iter().map(|t| t.parse().unwrap()).collect()
    };
    for (views, cols) in [(&dense, 1), (&dense, 3), (&sparse, 3)] {
        let map = Matrix::from_fn(2, cols, |j, k| 1.3 * j as f64 - 0.7 * k as f64 + 0.2);
        let mkl = Mkl::new("mean").unwrap().kernels(kernels()).c(3.0);
        let prepared = mkl.prepare(views, &labels(3), &run).unwrap();
        let learner = Projected(vec![LearnedView::new("a", map.clone()).unwrap()]);
        let model = mkl.fit_learner(&prepared, "mapped", &learner, Params::default(), &run);
        let model = Model::from_bytes(&model.unwrap().to_bytes().unwrap()).unwrap();
        let by_hand = beside(Table::Dense(mapped_by_hand(&map)));
        let plain = mkl.fit(&by_hand, &labels(3), &run).unwrap();
        let found = model.predict(views).unwrap().decisions;
        let wanted = plain.predict(&by_hand).unwrap().decisions;
        for (a, b) in found.values().iter().zip(wanted.values()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
    // A factor for each feature; one is left out.
    for views in [&dense, &sparse] {
        let mkl = Mkl::new("mean").unwrap().kernels(kernels()).c(3.0);
        let prepared = mkl.prepare(views, &labels(3), &run).unwrap();
        let learner = Projected(vec![LearnedView::scaled("a", vec![1.7, 0.0]).unwrap()]);
        let model = mkl.fit_learner(&prepared, "mapped", &learner, Params::default(), &run);
        let model = model.unwrap();
        let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(read, model);
        let map = Matrix::new(2, 2, vec![1.7, 0.0, 0.0, 0.0]).unwrap();
        let by_hand = beside(Table::Dense(mapped_by_hand(&map)));
        let plain = mkl.fit(&by_hand, &labels(3), &run).unwrap();
        let found = read.predict(views).unwrap().decisions;
        let wanted = plain.predict(&by_hand).unwrap().decisions;
        for (a, b) in found.values().iter().zip(wanted.values()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
    // Maps that do not fit.
    let mkl = Mkl::new("mean").unwrap().kernels(kernels());
    let prepared = mkl.prepare(&dense, &labels(2), &run).unwrap();
    let map = |view: &str, rows| LearnedView::new(view, Matrix::from_fn(rows, 1, |_, _| 1.0));
    for (maps, said) in [
        (vec![map("a", 3)], "view 'a': expected 3 columns, those of its map, found 2"),
        (vec![map("a", 2), map("a", 2)], "view 'a' has two maps"),
        (vec![map("c", 2)], "unknown view of a map 'c'"),
    ] {
        let learner = Projected(maps.into_iter().map(|m| m.unwrap()).collect());
        let fit = mkl.fit_learner(&prepared, "mapped", &learner, Params::default(), &run);
        let found = fit.unwrap_err().to_string();
        assert!(found.contains(said), "{found}");
    }
    let said = map("a", 0).unwrap_err().to_string();
    assert!(said.contains("the map of view 'a' is empty"), "{said}");
    let nan = LearnedView::new("a", Matrix::from_fn(2, 1, |_, _| f64::NAN)).unwrap_err();
    assert!(nan.to_string().contains("has an entry that is not finite"), "{nan}");
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
    assert!(try_with("c=1", specs()).contains("unknown kernel, view or function in exponents 'c'"));
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
