//! Gates, end to end: models by their definition, what has to be equal to what, files, and what is refused.

use cokernel::data::{Csr, Labels, Matrix, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::mkl::{Learned, Learner, Problem};
use cokernel::model::{Mkl, Model};
use cokernel::params::Params;
use cokernel::rule::gate::{FLOOR, Gate, Shape};
use cokernel::rule::{Combination, Gated, Input};
use cokernel::{Report, Result, Run};

const N: usize = 80;

/// Two classes whose boundary is a roof: a line on each side of the first axis.
fn views() -> Views {
    let x = Matrix::from_fn(N, 2, |i, j| {
        let (t, u) = ((i as f64 * 0.618).fract(), (i as f64 * 0.314).fract());
        if j == 0 { 4.0 * t - 2.0 } else { 4.0 * u - 2.0 }
    });
    let side = Matrix::from_fn(N, 1, |i, _| if x.get(i, 0) > 0.0 { 1.0 } else { -1.0 });
    Views::new().dense("x", x).unwrap().dense("side", side).unwrap()
}

fn features(views: &Views, name: &str) -> Matrix {
    match &views.get(name).unwrap().table {
        Table::Dense(x) => x.clone(),
        _ => panic!("dense features"),
    }
}

fn labels() -> Labels {
    let x = features(&views(), "x");
    let above = |i: usize| x.get(i, 1) > 2.0 * x.get(i, 0).abs() - 1.5;
    Labels::from_texts(&(0..N).map(|i| if above(i) { "in" } else { "out" }).collect::<Vec<_>>())
}

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

fn mkl(kernels: &[&str], params: &[(&str, &str)]) -> Mkl {
    let start = Mkl::new("localized_mkl").unwrap().kernels(specs(kernels)).c(10.0);
    params
        .iter()
        .fold(start, |mkl, (name, value)| mkl.param(*name, cokernel::params::Value::parse(value)))
}

/// Σ_i c_i Σ_g η_g(x_i) k_g(x_i, x) η_g(x) + b for linear kernels of x, from the gates and the raw features.
fn by_definition(model: &Model, views: &Views, new: &Views) -> Vec<f64> {
    let (old, x) = (features(views, "x"), features(new, "x"));
    let gates = model.gates(views).unwrap().unwrap().values;
    let own = model.gates(new).unwrap().unwrap().values;
    let (support, coef, bias) = model.duals();
    let linear = |i: usize, j: usize| (0..2).map(|k| x.get(i, k) * old.get(j, k)).sum::<f64>();
    (0..new.n())
        .map(|i| {
            let value = |j: usize| {
                (0..gates.cols())
                    .map(|g| own.get(i, g) * linear(i, j) * gates.get(j, g))
                    .sum::<f64>()
            };
            let terms = support.iter().enumerate().map(|(c, j)| coef.get(0, c) * value(*j));
            terms.sum::<f64>() + bias[0]
        })
        .collect()
}

fn correct(model: &Model, views: &Views) -> usize {
    let Labels::Classes { names, codes } = labels() else { panic!("classes") };
    let found = model.predict(views).unwrap().labels;
    found.iter().zip(codes).filter(|(f, c)| **f == names[c.unwrap() as usize]).count()
}

/// Copies of a linear kernel make a piecewise linear function, which one linear kernel is not; values are those of
/// the definition, and a file gives back the same bits.
#[test]
fn copies_of_a_linear_kernel_bend_the_boundary() {
    let views = views();
    let plain = Mkl::new("mean").unwrap().kernels(specs(&["linear@x"])).c(10.0);
    let plain = plain.fit(&views, &labels(), &Run::default()).unwrap();
    for gating in Shape::IDS {
        let params = [("gating", *gating), ("copies", "3"), ("starts", "3"), ("gate_views", "x")];
        let model = mkl(&["linear@x"], &params).fit(&views, &labels(), &Run::default()).unwrap();
        assert!(correct(&model, &views) >= 74, "{gating}: {}", correct(&model, &views));
        assert!(correct(&plain, &views) < 70, "{}", correct(&plain, &views));
        let found = model.predict(&views).unwrap().decisions;
        for (i, wanted) in by_definition(&model, &views, &views).iter().enumerate() {
            assert!((found.get(i, 0) - wanted).abs() < 1e-9, "{gating} {i}");
        }
        // It looks at no view that it does not need.
        let asked: Vec<String> = model.views().iter().map(|v| v.name.clone()).collect();
        assert_eq!(asked, ["x"]);
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        let new = views.select(&[3, 70, 11]);
        assert_eq!(back.predict(&new).unwrap(), model.predict(&new).unwrap());
        assert_eq!(back.gates(&new).unwrap(), model.gates(&new).unwrap());
        let gates = model.gates(&new).unwrap().unwrap();
        assert_eq!(gates.names, ["linear@x#1", "linear@x#2", "linear@x#3"]);
        for (a, b) in gates.means().iter().zip(0..3) {
            let sum = (0..3).map(|i| gates.values.get(i, b)).sum::<f64>();
            assert!((a - sum / 3.0).abs() < 1e-15);
        }
        assert!((1.0..=3.0).contains(&gates.active()));
        let again = mkl(&["linear@x"], &params).fit(&views, &labels(), &Run::default()).unwrap();
        assert_eq!(again.predict(&views).unwrap(), model.predict(&views).unwrap());
        assert!(plain.gates(&views).unwrap().is_none() && plain.gate_names().is_empty());
    }
}

/// Gates may look at a view that no kernel looks at, which prediction then asks for.
#[test]
fn gates_look_at_another_view() {
    let views = views();
    let params = [("gate_views", "side"), ("copies", "2")];
    let model = mkl(&["linear@x"], &params).fit(&views, &labels(), &Run::default()).unwrap();
    assert!(correct(&model, &views) >= 76, "{}", correct(&model, &views));
    let asked: Vec<String> = model.views().iter().map(|v| v.name.clone()).collect();
    assert_eq!(asked, ["x", "side"]);
    let found = model.predict(&views).unwrap().decisions;
    for (i, wanted) in by_definition(&model, &views, &views).iter().enumerate() {
        assert!((found.get(i, 0) - wanted).abs() < 1e-9);
    }
    let without = Views::new().dense("x", features(&views, "x")).unwrap();
    let said = model.predict(&without).unwrap_err().to_string();
    assert!(said.contains("view 'side' is missing"), "{said}");
    // The same numbers as a sparse view.
    let side = features(&views, "side");
    let rows = (0..N).map(|i| vec![(0_u32, side.get(i, 0))]).collect();
    let sparse = Table::Sparse(Csr::from_rows(1, rows).unwrap());
    let sparse = without.with("side", sparse).unwrap();
    let other = mkl(&["linear@x"], &params).fit(&sparse, &labels(), &Run::default()).unwrap();
    assert_eq!(other.predict(&sparse).unwrap().decisions, found);
    let both = mkl(&["linear@x"], &[("gate_views", " side , x"), ("copies", "2")]);
    let both = both.fit(&views, &labels(), &Run::default()).unwrap();
    assert_eq!(both.rule().gated().unwrap().input().width(), 3);
}

/// Where there are similarities only, the gates look at these: an empirical kernel map.
#[test]
fn gates_look_at_similarities() {
    let x = features(&views(), "x");
    let kernel = |gamma: f64, rows: &[usize]| {
        Matrix::from_fn(rows.len(), N, |r, j| {
            let far: f64 = (0..2).map(|k| (x.get(rows[r], k) - x.get(j, k)).powi(2)).sum();
            (-gamma * far).exp()
        })
    };
    let similar = |rows: &[usize]| {
        let with = |v: Views, name: &str, gamma| {
            v.with(name, Table::Similarity(kernel(gamma, rows))).unwrap()
        };
        with(with(Views::new(), "wide", 0.1), "narrow", 2.0)
    };
    let all: Vec<usize> = (0..N).collect();
    let views = similar(&all);
    let model =
        Mkl::new("localized_mkl").unwrap().c(3.0).fit(&views, &labels(), &Run::default()).unwrap();
    assert_eq!(model.rule().gated().unwrap().input().width(), 2 * N);
    let whole = model.predict(&views).unwrap().decisions;
    let some = [2, 5, 44];
    let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let found = back.predict(&similar(&some)).unwrap().decisions;
    for (r, i) in some.iter().enumerate() {
        assert!((found.get(r, 0) - whole.get(*i, 0)).abs() < 1e-12);
    }
}

/// Gates that are given, not learned.
#[derive(Debug)]
struct Given(Shape, Matrix);

impl Learner for Given {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let views = problem.views.unwrap();
        let input = Input::of(views, &["x".to_string()])?;
        let gate = Gate::new(self.0, self.1.clone())?;
        let gates = gate.values(&input.rows(views)?);
        let rule = Gated::new(gate, input, problem.bank.len(), &gates)?;
        Ok(Learned::of(Combination::new(rule), Report::closed_form(run)))
    }
}

fn fitted(kernels: &[&str], shape: Shape, parameters: Matrix) -> Model {
    let mkl = Mkl::new("mean").unwrap().kernels(specs(kernels)).c(10.0);
    let prepared = mkl.prepare(&views(), &labels(), &Run::default()).unwrap();
    let learner = Given(shape, parameters);
    mkl.fit_learner(&prepared, "given", &learner, Params::default(), &Run::default()).unwrap()
}

#[test]
fn gates_that_do_not_depend_on_the_instance_are_plain_combinations() {
    let views = views();
    let plain = |method: &str, kernels: &[&str]| {
        let mkl = Mkl::new(method).unwrap().kernels(specs(kernels)).c(10.0);
        mkl.fit(&views, &labels(), &Run::default()).unwrap().predict(&views).unwrap().decisions
    };
    // One kernel, for which a competing gate is 1 everywhere.
    let wanted = plain("mean", &["gaussian@x"]);
    for gating in ["softmax", "gaussian"] {
        let model = mkl(&["gaussian@x"], &[("gating", gating)]);
        let model = model.fit(&views, &labels(), &Run::default()).unwrap();
        assert_eq!(model.report().iterations, 0);
        assert_eq!(model.report().objective, [model.report().machine.unwrap().primal]);
        let found = model.predict(&views).unwrap().decisions;
        for (a, b) in found.values().iter().zip(wanted.values()) {
            assert!((a - b).abs() < 1e-2, "{gating}: {a} {b}");
        }
    }
    // Sigmoid gates at a large bias: the sum of the kernels.
    let kernels = ["gaussian@x", "linear@x", "gaussian@side:gamma=0.1"];
    let open = Matrix::from_fn(3, 3, |_, j| if j == 2 { 40.0 } else { 0.0 });
    let found = fitted(&kernels, Shape::Sigmoid, open).predict(&views).unwrap().decisions;
    for (a, b) in found.values().iter().zip(plain("sum", &kernels).values()) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

/// Kernels without an open gate are not kept, nor asked for.
#[test]
fn closed_gates_cost_nothing() {
    let kernels = ["gaussian@x", "gaussian@side"];
    let bias =
        |closed: f64| Matrix::from_fn(2, 3, |g, j| if (g, j) == (1, 2) { closed } else { 0.0 });
    let closed = fitted(&kernels, Shape::Softmax, bias(-20.0));
    assert_eq!(closed.rule().active(), [0]);
    assert_eq!(closed.weights()[1].weight, 0.0);
    let asked: Vec<String> = closed.views().iter().map(|v| v.name.clone()).collect();
    assert_eq!(asked, ["x"]);
    let back = Model::from_bytes(&closed.to_bytes().unwrap()).unwrap();
    assert_eq!(back.predict(&views()).unwrap(), closed.predict(&views()).unwrap());
    // A little open, it is read; the floor is where it closes.
    assert!((-20.0_f64).exp() < FLOOR);
    assert_eq!(fitted(&kernels, Shape::Softmax, bias(-12.0)).rule().active(), [0, 1]);
}

/// The kernels in another order have the same gates, in that order. Later steps amplify rounding.
#[test]
fn permuted_kernels_have_permuted_gates() {
    let views = views();
    let kernels = ["gaussian@x", "linear@x", "gaussian@side"];
    for gating in Shape::IDS {
        // Every step makes differences in the last bits larger.
        let params = [("gating", *gating), ("tol", "1e-8"), ("max_iterations", "2")];
        let a = mkl(&kernels, &params).fit(&views, &labels(), &Run::default()).unwrap();
        let order = [2, 0, 1];
        let other: Vec<&str> = order.iter().map(|m| kernels[*m]).collect();
        let b = mkl(&other, &params).fit(&views, &labels(), &Run::default()).unwrap();
        let (a, b) = (a.gates(&views).unwrap().unwrap(), b.gates(&views).unwrap().unwrap());
        for (g, m) in order.iter().enumerate() {
            assert_eq!(b.names[g], a.names[*m]);
            for i in 0..N {
                let (x, y) = (a.values.get(i, *m), b.values.get(i, g));
                assert!((x - y).abs() < 1e-4, "{gating} {i}: {x} {y}");
            }
        }
    }
}

#[test]
fn what_gates_cannot_be_learned_from_is_refused() {
    let views = views();
    let said = |mkl: Mkl| mkl.fit(&views, &labels(), &Run::default()).unwrap_err().to_string();
    let e = said(mkl(&["linear@x"], &[("gate_views", "sid")]));
    assert!(e.contains("unknown view 'sid'") && e.contains("side"), "{e}");
    let e = said(mkl(&["linear@x"], &[("gating", "soft")]));
    assert!(e.contains("softmax"), "{e}");
    for (name, value) in [("copies", "0"), ("starts", "0"), ("tol", "0"), ("gate_views", "")] {
        let e = said(mkl(&["linear@x"], &[(name, value)]));
        assert!(e.contains(name), "{e}");
    }
    let e = said(
        mkl(&["linear@x"], &[]).machine("svdd".parse::<cokernel::machine::MachineSpec>().unwrap()),
    );
    assert!(!e.is_empty(), "{e}");
    // Kernels alone.
    let target = cokernel::data::Target::Real(vec![0.0; N]);
    let bank = cokernel::bank::Bank::build(
        &views,
        &specs(&["linear@x"]),
        cokernel::bank::Storage::Auto,
        &Run::default(),
    )
    .unwrap();
    let machine: cokernel::machine::MachineSpec = "svr".parse().unwrap();
    let machine = machine.checked().unwrap().build().unwrap();
    let method = cokernel::catalogue::find("localized_mkl").unwrap();
    let learner = cokernel::mkl::learner(method, &method.defaults()).unwrap();
    let e = learner.learn(&Problem::new(&bank, &target, machine.as_ref()), &Run::default());
    let e = e.unwrap_err().to_string();
    assert!(e.contains("gates look at features; give the views, not kernels alone"), "{e}");
}
