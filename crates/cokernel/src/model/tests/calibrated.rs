//! Cross-fitting against separate fits, files, and what is refused.

use super::{TRAIN, forged, specs, train_and_test};
use crate::calibrate::{Calibrating, Calibration, Curve, Shape, folds};
use crate::data::{Labels, Matrix, Views};
use crate::machine::{Decomposition, MachineSpec};
use crate::model::{Given, Mkl, Model};
use crate::{Cancel, Error, Run};
use serde_json::{Value, json};

fn mean(machine: &str) -> Mkl {
    let kernels = specs(&["gaussian@view0:normalize=center", "precomputed@given", "linear@sparse"]);
    Mkl::new("mean").unwrap().kernels(kernels).machine(machine.parse::<MachineSpec>().unwrap())
}

/// Training data of k classes.
fn training(k: usize) -> (Views, Labels) {
    let (views, labels, _) = train_and_test();
    let Labels::Classes { codes, .. } = &labels else { panic!("classes") };
    let rows: Vec<usize> =
        (0..TRAIN).filter(|&i| codes[i].is_some_and(|c| (c as usize) < k)).collect();
    (views.select(&rows), labels.select(&rows))
}

const SETTINGS: [(usize, &str); 10] = [
    (2, "svc"),
    (2, "joint_svc"),
    (2, "posterior_svm"),
    (2, "kernel_fisher"),
    (3, "svc"),
    (3, "svc:decomposition=one_vs_one"),
    (3, "svc:decomposition=dag"),
    (3, "joint_svc"),
    (3, "posterior_svm"),
    (3, "kernel_fisher"),
];

#[test]
fn values_are_those_of_models_without_the_fold() {
    for (k, machine) in SETTINGS {
        let (views, labels) = training(k);
        let (mkl, run) = (mean(machine), Run::with_seed(3));
        let classes = labels.classes().unwrap();
        let n = classes.codes.len();
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + 0.25 * (i % 4) as f64).collect();
        for (shape, weights) in [(Shape::Sigmoid, None), (Shape::Isotonic, Some(&weights[..]))] {
            let how = Calibrating::new(shape).folds(4);
            let found = mkl.calibration(&views, &labels, weights, how, &run).unwrap();
            let fold = folds(&classes.codes, k, 4, &run);
            let mut values: Vec<Vec<f64>> = Vec::new();
            let mut roles = Vec::new();
            for f in 0..4 {
                let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| fold[i] == f);
                for c in 0..k as u32 {
                    assert!(test.iter().any(|&i| classes.codes[i] == c), "stratified");
                }
                let (known, given) = (views.select(&train), labels.select(&train));
                let model = match weights {
                    None => mkl.fit(&known, &given, &run),
                    Some(w) => {
                        let w: Vec<f64> = train.iter().map(|&i| w[i]).collect();
                        mkl.fit_weighted(&known, &given, &w, &run)
                    }
                };
                let model = model.unwrap();
                let new = views.select_new(&test, &train);
                let decisions = model.predict(&new).unwrap().decisions;
                roles = model.roles();
                values.resize(roles.len(), vec![f64::NAN; n]);
                for (t, values) in values.iter_mut().enumerate() {
                    test.iter().enumerate().for_each(|(i, &r)| values[r] = decisions.get(i, t));
                }
            }
            let expected = Calibration::fit(how, &roles, &classes.codes, &values, weights).unwrap();
            assert_eq!(found.curves, expected.curves, "{k} {machine}");
            let again = mkl.calibration(&views, &labels, weights, how, &run).unwrap();
            assert_eq!(found, again);
            let other = mkl.calibration(&views, &labels, weights, how, &Run::with_seed(4));
            assert_ne!(found.curves, other.unwrap().curves);
        }
    }
}

#[test]
fn the_path_through_a_graph_changes_no_probability() {
    let (views, _) = training(3);
    for shape in Shape::ALL {
        let said = ["one_vs_one", "dag"].map(|decomposition| {
            let model = calibrated(3, &format!("svc:decomposition={decomposition}"), shape);
            model.predict(&views).unwrap().probabilities.unwrap()
        });
        assert_eq!(said[0], said[1]);
    }
}

#[test]
fn given_posteriors_are_those_of_the_folds() {
    for k in [2, 3] {
        let (views, labels) = training(k);
        let (mkl, run) = (mean("posterior_svm"), Run::with_seed(3));
        let codes = labels.classes().unwrap().codes;
        let n = codes.len();
        let sure = |i: usize| 0.55 + 0.05 * (i % 9) as f64;
        let posteriors = Matrix::from_fn(n, k, |i, c| match codes[i] as usize == c {
            true => sure(i),
            false => (1.0 - sure(i)) / (k - 1) as f64,
        });
        let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64).collect();
        for weights in [None, Some(&weights[..])] {
            let how = Calibrating::new(Shape::Sigmoid).folds(3);
            let of = |p: &Matrix| {
                let given = Given { weights, posteriors: Some(p), pairs: None };
                mkl.calibration_given(&views, &labels, &given, how, &run)
            };
            let found = of(&posteriors).unwrap();
            let rows: Vec<usize> = (0..n).filter(|&i| weights.is_none_or(|w| w[i] > 0.0)).collect();
            let codes: Vec<u32> = rows.iter().map(|&i| codes[i]).collect();
            let weights: Option<Vec<f64>> = weights.map(|w| rows.iter().map(|&i| w[i]).collect());
            let fold = folds(&codes, k, 3, &run);
            let mut values: Vec<Vec<f64>> = Vec::new();
            let mut roles = Vec::new();
            for f in 0..3 {
                let (test, train): (Vec<usize>, Vec<usize>) =
                    (0..rows.len()).partition(|&i| fold[i] == f);
                let given: Vec<usize> = train.iter().map(|&i| rows[i]).collect();
                let weights: Option<Vec<f64>> =
                    weights.as_ref().map(|w| train.iter().map(|&i| w[i]).collect());
                let (known, classes) = (views.select(&given), labels.select(&given));
                let posteriors = posteriors.select_rows(&given);
                let model = mkl
                    .fit_posteriors(&known, &classes, &posteriors, weights.as_deref(), &run)
                    .unwrap();
                let tested: Vec<usize> = test.iter().map(|&i| rows[i]).collect();
                let new = views.select_new(&tested, &given);
                let decisions = model.predict(&new).unwrap().decisions;
                roles = model.roles();
                values.resize(roles.len(), vec![f64::NAN; rows.len()]);
                for (t, values) in values.iter_mut().enumerate() {
                    test.iter().enumerate().for_each(|(i, &r)| values[r] = decisions.get(i, t));
                }
            }
            let expected = Calibration::fit(how, &roles, &codes, &values, weights.as_deref());
            assert_eq!(found.curves, expected.unwrap().curves);
            let estimated = mkl.calibration(&views, &labels, None, how, &run).unwrap();
            assert_ne!(found.curves, estimated.curves);
            let short = of(&posteriors.select_rows(&[0, 1])).unwrap_err().to_string();
            assert!(short.contains("as many as the views have"), "{short}");
        }
    }
}

fn calibrated(k: usize, machine: &str, shape: Shape) -> Model {
    let (views, labels) = training(k);
    let (mkl, run) = (mean(machine), Run::default());
    let how = Calibrating::new(shape).folds(3);
    let calibration = mkl.calibration(&views, &labels, None, how, &run).unwrap();
    mkl.fit(&views, &labels, &run).unwrap().calibrated(calibration).unwrap()
}

#[test]
fn probabilities_go_beside_decisions_and_through_files() {
    for (k, machine) in SETTINGS {
        let (views, labels) = training(k);
        for shape in Shape::ALL {
            let model = calibrated(k, machine, shape);
            let plain = mean(machine).fit(&views, &labels, &Run::default()).unwrap();
            let (a, b) = (plain.predict(&views).unwrap(), model.predict(&views).unwrap());
            assert_eq!((&a.labels, &a.codes), (&b.labels, &b.codes));
            assert_eq!((&a.decisions, a.probabilities), (&b.decisions, None));
            let p = b.probabilities.as_ref().unwrap();
            assert_eq!((p.rows(), p.cols()), (views.n(), k));
            for i in 0..p.rows() {
                assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(p.row(i).iter().all(|v| (0.0..=1.0).contains(v)));
                let strictly = p.row(i).iter().all(|v| *v > 0.0 && *v < 1.0);
                assert!(shape == Shape::Isotonic || strictly, "{:?}", p.row(i));
            }
            let bytes = model.to_bytes().unwrap();
            let back = Model::from_bytes(&bytes).unwrap();
            assert_eq!((&back, back.inspect()), (&model, model.inspect()));
            assert_eq!(back.predict(&views).unwrap(), b);
            assert_eq!(back.to_bytes().unwrap(), bytes);
            let told = serde_json::to_value(model.inspect()).unwrap();
            assert_eq!(told["calibration"]["shape"], shape.id());
            assert_eq!(
                told["calibration"]["curves"].as_array().unwrap().len(),
                model.roles().len()
            );
        }
    }
}

#[test]
fn instances_of_weight_0_and_without_label_take_no_part() {
    let (views, labels) = training(2);
    let n = views.n();
    let weights: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 5 != 0))).collect();
    let rows: Vec<usize> = (0..n).filter(|i| i % 5 != 0).collect();
    let Labels::Classes { names, codes } = labels.clone() else { panic!("classes") };
    let some = codes.iter().enumerate().map(|(i, c)| c.filter(|_| i % 5 != 0)).collect();
    let some = Labels::Classes { names, codes: some };
    for shape in Shape::ALL {
        let how = Calibrating::new(shape).folds(3);
        let of = |views: &Views, labels: &Labels, w: Option<&[f64]>| {
            mean("svc").calibration(views, labels, w, how, &Run::default()).unwrap()
        };
        let left_out = of(&views.select(&rows), &labels.select(&rows), None);
        assert_eq!(of(&views, &some, None), left_out);
        assert_eq!(of(&views, &labels, Some(&weights)), left_out);
    }
}

#[test]
fn two_instances_of_each_class_are_enough() {
    let line = |values: &[f64]| {
        let m = Matrix::new(values.len(), 1, values.to_vec()).unwrap();
        Views::new().dense("x", m).unwrap()
    };
    let labels = Labels::from_texts(&["a", "b", "a", "b"]);
    let mkl = Mkl::new("mean").unwrap().kernels(specs(&["linear"]));
    for values in [[-1.0, 1.0, -2.0, 2.0], [1.0; 4], [1.0, 1.0, -1.0, -1.0], [-1e9, 1e9, -2e9, 2e9]]
    {
        for shape in Shape::ALL {
            let how = Calibrating::new(shape).folds(2);
            let views = line(&values);
            let run = Run::default();
            let c = mkl.calibration(&views, &labels, None, how, &run).unwrap();
            let model = mkl.fit(&views, &labels, &run).unwrap().calibrated(c).unwrap();
            let p = model.predict(&line(&[0.0, 1e30, -1e30])).unwrap().probabilities.unwrap();
            let open = |v: &f64| *v > 0.0 && *v < 1.0;
            let within = p.values().iter().all(|v| (0.0..=1.0).contains(v));
            assert!(within && (shape == Shape::Isotonic || p.values().iter().all(open)), "{p:?}");
        }
    }
}

#[test]
fn what_has_no_probabilities_is_refused() {
    let (views, labels) = training(3);
    let run = Run::default();
    let how = Calibrating::new(Shape::Sigmoid);
    let said = |mkl: &Mkl, labels: &Labels, how: Calibrating| {
        mkl.calibration(&views, labels, None, how, &run).unwrap_err().to_string()
    };
    let numbers = Labels::Real(vec![Some(1.0); views.n()]);
    for machine in ["svr", "kernel_ridge", "one_class_svm"] {
        let e = said(&mean(machine), &numbers, how);
        assert!(e.contains(&format!("machine '{machine}' does not learn classes")), "{e}");
    }
    let Labels::Classes { names, mut codes } = labels.clone() else { panic!("classes") };
    let mut left = 3;
    for code in codes.iter_mut().filter(|c| **c == Some(2)) {
        left -= 1;
        if left < 0 {
            *code = Some(0);
        }
    }
    let few = Labels::Classes { names: names.clone(), codes: codes.clone() };
    let e = said(&mean("svc"), &few, how);
    assert!(e.contains("class '2' has 3 instances") && e.contains("use 3 folds"), "{e}");
    let third = codes.iter().position(|c| *c == Some(2)).unwrap();
    for code in codes.iter_mut().skip(third + 1).filter(|c| **c == Some(2)) {
        *code = Some(0);
    }
    let e = said(&mean("svc"), &Labels::Classes { names, codes }, how.folds(2));
    assert!(e.contains("class '2' has 1 instance") && e.contains("at least 2 of each"), "{e}");
    let e = said(&mean("svc"), &labels, how.folds(0));
    assert!(e.contains("parameter 'calibration_folds': expected 2 to 1000 folds"), "{e}");
    let short = mean("svc").calibration(&views, &labels, Some(&[1.0]), how, &run).unwrap_err();
    assert!(short.to_string().contains("weights: expected 45"), "{short}");
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = Run { cancel, ..Run::default() };
    let e = mean("svc").calibration(&views, &labels, None, how, &stopped).unwrap_err();
    assert!(matches!(e, Error::Stopped { .. }), "{e}");
    // Of another number of machines.
    let two = mean("svc").decomposition(Decomposition::OneVsRest);
    let c = two.calibration(&training(2).0, &training(2).1, None, how, &run).unwrap();
    let e = mean("svc").fit(&views, &labels, &run).unwrap().calibrated(c).unwrap_err();
    assert!(e.to_string().contains("curves: expected 3, found 1"), "{e}");
    let x = mean("svr").fit(&views, &numbers, &run).unwrap();
    let c = calibrated(2, "svc", Shape::Sigmoid).calibration().unwrap().clone();
    assert!(x.calibrated(c).unwrap_err().to_string().contains("does not learn classes"));
}

#[test]
fn a_probability_that_falls_is_said() {
    let model = calibrated(2, "svc", Shape::Sigmoid);
    let mut c = model.calibration().unwrap().clone();
    let before = model.report().warnings.len();
    for turn in 0..2 {
        let Curve::Sigmoid { slope, .. } = &mut c.curves[0] else { panic!("a sigmoid") };
        *slope = 0.5 + f64::from(turn);
        let model = model.clone().calibrated(c.clone()).unwrap();
        let warnings = &model.report().warnings;
        assert_eq!(warnings.len(), before + 1);
        assert!(warnings[before].contains("falls where its decision value grows"), "{warnings:?}");
        let again = model.calibrated(c.clone()).unwrap();
        assert_eq!(again.report().warnings.len(), before + 1);
    }
}

type Change = fn(&mut Value, &mut Value);

#[test]
fn forged_calibrations_are_refused() {
    let sigmoid = calibrated(3, "svc", Shape::Sigmoid).to_bytes().unwrap();
    let isotonic = calibrated(3, "svc", Shape::Isotonic).to_bytes().unwrap();
    let of_sigmoid: [(&str, Change); 7] = [
        ("curves: expected 3, found 0", |m, _| m["model"]["calibration"]["curves"] = json!([])),
        ("expected an isotonic one", |m, _| m["model"]["calibration"]["shape"] = "isotonic".into()),
        ("expected 2 to 1000 folds", |m, _| m["model"]["calibration"]["folds"] = 1.into()),
        ("header is damaged", |m, _| m["model"]["calibration"]["shape"] = "other".into()),
        ("header is damaged", |m, _| {
            m["model"]["calibration"]["curves"][1]["slope"] = Value::Null;
        }),
        ("header is damaged", |m, _| m["model"]["calibration"]["status"] = 1.into()),
        ("'calibration.1.values' is missing", |m, _| {
            m["model"]["calibration"]["curves"][1] = json!({ "values": [], "probabilities": [] });
        }),
    ];
    let of_isotonic: [(&str, Change); 4] = [
        ("expected a sigmoid", |m, _| m["model"]["calibration"]["shape"] = "sigmoid".into()),
        ("'calibration.0.values' is missing", |_, h| {
            let table = h.as_object_mut().unwrap().remove("calibration.0.values").unwrap();
            h["other"] = table;
        }),
        ("not increasing", |_, h| {
            let values = h["calibration.0.values"].take();
            h["calibration.0.values"] = h["calibration.0.probabilities"].take();
            h["calibration.0.probabilities"] = values;
        }),
        ("'calibration.2.probabilities' is", |_, h| {
            let other = h["objective"].take();
            h["objective"] = h["calibration.2.probabilities"].take();
            h["calibration.2.probabilities"] = other;
        }),
    ];
    for (bytes, cases) in [(&sigmoid, &of_sigmoid[..]), (&isotonic, &of_isotonic[..])] {
        assert!(Model::from_bytes(&forged(bytes, |_, _| ())).is_ok());
        for (sentence, change) in cases {
            let e = Model::from_bytes(&forged(bytes, change)).unwrap_err().to_string();
            assert!(e.contains(sentence), "{sentence}: {e}");
        }
    }
}
