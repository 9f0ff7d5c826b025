//! Weights equal repetitions, a start changes nothing but the time, and fitted kernels are those of
//! training.

use crate::common::classifiers;
use cokernel::data::{Labels, Matrix, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{Decomposition, Svc};
use cokernel::model::{FittedKernels, Mkl, Model, MultiView, Prepared};
use cokernel::{Error, Run};

fn data(classes: usize) -> (Views, Labels) {
    toy::views(60, classes, &[2.0, 1.0], 5).unwrap()
}

fn method(id: &str, c: f64) -> Mkl {
    // Hyperkernels are for kernels of one scale.
    let linear = if id == "hyperkernels" { "linear:normalize=unit_diagonal" } else { "linear" };
    let specs: Vec<KernelSpec> =
        ["gaussian:gamma=0.05,0.5", linear].iter().map(|t| t.parse().unwrap()).collect();
    let svc = Svc { c, tol: 1e-10, decomposition: Decomposition::OneVsOne, ..Svc::default() };
    let mkl = Mkl::new(id).unwrap().kernels(specs).svc(svc);
    match id {
        "simple_mkl" | "lp_norm" => mkl.param("tol", 1e-9),
        "smo_mkl" | "hyperkernels" => mkl.param("tol", 1e-8),
        // Products are those of Gaussian kernels.
        "gmkl" => mkl.param("form", "sum"),
        // The geometric mean knows no negative entries.
        "power_product" => mkl.param("exponents", "view0=2,view1=1"),
        _ => mkl,
    }
}

fn assert_close(a: &Matrix, b: &Matrix, tol: f64, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()), "{what}");
    let scale = b.values().iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tol * scale, "{what}: {x} {y}");
    }
}

fn decisions(model: &Model, views: &Views) -> Matrix {
    model.predict(views).unwrap().decisions
}

/// A weight of 2 is the same instance twice, where kernels are not chosen from pairs or folds of
/// instances.
#[test]
fn weights_are_repetitions() {
    let (views, labels) = data(3);
    let weights: Vec<f64> = (0..60).map(|i| [1.0, 2.0, 0.0, 1.0][i % 4]).collect();
    let repeated: Vec<usize> =
        (0..60).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let run = Run::default();
    for method in classifiers().filter(|m| (m.build)(&m.defaults()).weights_repeat()) {
        let mkl = self::method(method.id, 1.0);
        let weighted = mkl.fit_weighted(&views, &labels, &weights, &run).unwrap();
        let plain = mkl.fit(&views.select(&repeated), &labels.select(&repeated), &run).unwrap();
        let (a, b) = (decisions(&weighted, &views), decisions(&plain, &views));
        assert_close(&a, &b, 1e-4, method.id);
    }
    // All weights w are a cost C·w, for every method.
    for method in classifiers() {
        let same = self::method(method.id, 3.0).fit(&views, &labels, &run).unwrap();
        let mkl = self::method(method.id, 1.0);
        let weighted = mkl.fit_weighted(&views, &labels, &[3.0; 60], &run).unwrap();
        assert_close(&decisions(&weighted, &views), &decisions(&same, &views), 1e-6, method.id);
    }
}

#[test]
fn wrong_weights_are_refused() {
    let (views, labels) = data(2);
    let run = Run::default();
    let fit = |w: &[f64]| method("mean", 1.0).fit_weighted(&views, &labels, w, &run);
    let e = fit(&[1.0; 59]).unwrap_err().to_string();
    assert_eq!(e, "instance weights: expected 60, one per instance, found 59");
    let mut weights = vec![1.0; 60];
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        weights[7] = wrong;
        let e = fit(&weights).unwrap_err();
        assert!(matches!(&e, Error::Parameter { name, .. } if name == "weights"), "{e}");
        assert!(e.to_string().contains("instance 7"), "{e}");
    }
}

/// A chain of costs, each fit starting from the last, ends where a fit from nothing does.
#[test]
fn warm_starts() {
    let (views, labels) = data(3);
    let run = Run::default();
    let prepared = method("mean", 1.0).prepare(&views, &labels, &run).unwrap();
    for id in ["mean", "sum", "product", "simple_mkl", "best_single", "two_stage"] {
        let mut warm = None;
        for c in [0.1, 1.0, 10.0, 100.0, 0.5] {
            let mkl = method(id, c);
            let (started, learned) = mkl.fit_prepared_from(&prepared, warm.as_ref(), &run).unwrap();
            let cold = mkl.fit_prepared(&prepared, &run).unwrap();
            let (a, b) = (decisions(&started, &views), decisions(&cold, &views));
            assert_close(&a, &b, 2e-4, &format!("{id}, C = {c}"));
            let machines = learned.machines.as_ref().unwrap();
            assert!(machines.gap() <= 1e-10, "{id}: {}", machines.gap());
            warm = Some(learned);
        }
    }
    // A start with other machines is refused, not misread.
    let (_, learned) = method("mean", 1.0).fit_prepared_from(&prepared, None, &run).unwrap();
    let rest = method("mean", 1.0).decomposition(Decomposition::OneVsRest);
    let other = data(4);
    let four = method("mean", 1.0).prepare(&other.0, &other.1, &run).unwrap();
    for (mkl, prepared) in [(rest, &prepared), (method("mean", 1.0), &four)] {
        let e = mkl.fit_prepared_from(prepared, Some(&learned), &run).unwrap_err();
        assert!(e.to_string().contains("warm start"), "{e}");
    }
}

/// Fits on the same instances share the classifiers of their views: the same bits as alone, whatever was learned before, with
/// other costs, folds, methods and weights of instances between them.
#[test]
fn shared_classifiers_of_the_views() {
    let (views, labels) = data(3);
    let run = Run::default();
    let alone = |mkl: &Mkl, weights: Option<&[f64]>| {
        let prepared = mkl.prepare(&views, &labels, &run).unwrap();
        let prepared = match weights {
            Some(w) => prepared.with_weights(w).unwrap(),
            None => prepared,
        };
        mkl.fit_prepared(&prepared, &run).unwrap()
    };
    let with = |id: &str, c: f64, given: &[(&str, f64)]| {
        given.iter().fold(method(id, c), |mkl, (name, value)| mkl.param(*name, *value))
    };
    let fits = [
        with("medfc", 1.0, &[("lambda", 1.0), ("gamma", 10.0)]),
        with("medfc", 1.0, &[("lambda", 30.0), ("gamma", 10.0)]),
        with("medfc", 5.0, &[("lambda", 30.0), ("gamma", 10.0)]),
        with("late_mean", 1.0, &[]),
        with("lp_beta", 1.0, &[("nu", 0.2)]),
        with("lp_beta", 1.0, &[("nu", 0.4)]),
        with("ekp", 1.0, &[]).param("folds", 3_i64),
        with("ekp", 1.0, &[]).param("values", "in_sample"),
        with("medfc", 1.0, &[("lambda", 1.0), ("gamma", 0.5)]),
    ];
    let same = |mkl: &Mkl, prepared: &Prepared, weights: Option<&[f64]>| {
        let (shared, own) = (mkl.fit_prepared(prepared, &run).unwrap(), alone(mkl, weights));
        let bytes = |m: &Model| (decisions(m, &views), m.report().counts, m.report().gaps.clone());
        assert_eq!(bytes(&shared), bytes(&own), "{}", mkl.method().id);
    };
    let mut prepared = fits[0].prepare(&views, &labels, &run).unwrap();
    fits.iter().for_each(|mkl| same(mkl, &prepared, None));
    let weights: Vec<f64> = (0..views.n()).map(|i| 0.5 + (i % 4) as f64).collect();
    prepared = prepared.with_weights(&weights).unwrap();
    fits.iter().for_each(|mkl| same(mkl, &prepared, Some(&weights)));
    // A fit that was cut short leaves nothing to others.
    let fresh = fits[0].prepare(&views, &labels, &run).unwrap();
    let short = Run { time_limit: Some(std::time::Duration::ZERO), ..run.clone() };
    assert!(!fits[0].fit_prepared(&fresh, &short).unwrap().report().status.is_success());
    same(&fits[0], &fresh, None);
}

#[test]
fn fitted_kernels_are_those_of_training() {
    let (views, labels) = data(2);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..60).partition(|i| i % 3 != 0);
    let (old, run) = (views.select(&train), Run::default());
    let specs: Vec<KernelSpec> = [
        "gaussian:normalize=center_unit_variance",
        "linear:normalize=center,unit_diagonal",
        "polynomial:degree=2:normalize=frobenius",
        "laplacian:normalize=unit_trace",
    ]
    .iter()
    .map(|t| t.parse().unwrap())
    .collect();
    let unlabelled = MultiView::new("spectral").unwrap().kernels(specs.clone());
    let prepared = unlabelled.prepare(&old, &run).unwrap();
    let mkl = Mkl::new("mean").unwrap().kernels(specs);
    let labelled = mkl.prepare(&old, &labels.select(&train), &run).unwrap();
    let fitted = FittedKernels::of_views(&prepared).unwrap();
    let again = FittedKernels::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(again, fitted);
    assert_eq!(FittedKernels::of_prepared(&labelled).unwrap(), fitted);
    let all = fitted.cross(&old).unwrap();
    assert_eq!(all.len(), prepared.bank().len());
    let mut row = vec![0.0; old.n()];
    for (m, kernel) in all.iter().enumerate() {
        for i in 0..old.n() {
            prepared.bank().row(m, i, &mut row);
            for (j, v) in row.iter().enumerate() {
                assert!((kernel.get(i, j) - v).abs() < 1e-10, "{m} {i} {j}");
            }
        }
    }
    // Towards new rows: what a machine on these kernels predicts is what the model predicts.
    let new = views.select(&test);
    let model = mkl.fit_prepared(&labelled, &run).unwrap();
    let weights: Vec<f64> = model.weights().iter().map(|w| w.weight).collect();
    let combined = fitted.combined(&new, &weights).unwrap();
    let (support, coef, bias) = model.duals();
    let values = Matrix::from_fn(new.n(), 1, |i, _| {
        let terms = support.iter().enumerate().map(|(s, &j)| coef.get(0, s) * combined.get(i, j));
        terms.sum::<f64>() + bias[0]
    });
    assert_close(&values, &decisions(&model, &new), 1e-9, "new rows");
    let e = fitted.combined(&new, &[1.0]).unwrap_err().to_string();
    assert_eq!(e, "weights: expected 8, one per kernel, found 1");
    let model = model.to_bytes().unwrap();
    let e = FittedKernels::from_bytes(&model).unwrap_err().to_string();
    assert!(e.ends_with("it holds a classification model, not fitted kernels"), "{e}");
    assert_eq!(Model::from_bytes(&model).unwrap().to_bytes().unwrap(), model);
    assert!(
        Model::from_bytes(&model[..model.len() - 9]).unwrap_err().to_string().contains("trunc")
    );
}
