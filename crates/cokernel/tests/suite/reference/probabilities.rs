//! Calibration curves and scores of probabilities against scikit-learn
//! (`tests/reference/make_probabilities.py`).

use cokernel::calibrate::{Calibrating, Calibration, Shape};
use cokernel::data::{Labels, Matrix};
use cokernel::eval::Measured;
use cokernel::machine::Decomposition;
use cokernel::method::Task;
use cokernel::model::Prediction;
use serde_json::Value;

fn read() -> Value {
    serde_json::from_str(include_str!("../../reference/probabilities.json")).unwrap()
}

fn reals(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn codes(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect()
}

#[test]
fn curves_agree_with_scikit_learn() {
    let all = read();
    let cases = all["curves"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    let roles = Decomposition::OneVsRest.roles(2);
    for (number, case) in cases.iter().enumerate() {
        let (values, weights) = ([reals(&case["values"])], reals(&case["weights"]));
        for (shape, tolerance) in [(Shape::Sigmoid, 1e-9), (Shape::Isotonic, 1e-12)] {
            let (how, codes) = (Calibrating::new(shape), codes(&case["codes"]));
            let c = Calibration::fit(how, &roles, &codes, &values, Some(&weights)).unwrap();
            let new = reals(&case["new"]);
            let new = Matrix::new(new.len(), 1, new).unwrap();
            let found = c.probabilities(&roles, 2, &new).col(1);
            for (found, expected) in found.iter().zip(reals(&case[shape.id()])) {
                assert!((found - expected).abs() < tolerance, "{number}: {found} {expected}");
            }
        }
    }
}

#[test]
fn scores_agree_with_scikit_learn() {
    let all = read();
    let cases = all["scores"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let k = case["classes"].as_u64().unwrap() as usize;
        let codes = codes(&case["codes"]);
        let n = codes.len();
        let p = Matrix::new(n, k, reals(&case["p"])).unwrap();
        let classes: Vec<String> = (0..k).map(|c| c.to_string()).collect();
        let truth: Vec<String> = codes.iter().map(u32::to_string).collect();
        let predicted = Prediction {
            notes: Vec::new(),
            labels: truth.clone(),
            codes: codes.clone(),
            decisions: if k == 2 { p.select_cols(&[1]) } else { p.clone() },
            machine_names: Vec::new(),
            classes,
            probabilities: Some(p),
            deviations: None,
        };
        let labels = Labels::from_texts(&truth);
        let found = Measured::of(Task::Classify, &labels, &predicted).unwrap().unwrap();
        for id in ["auc", "log_loss", "brier"] {
            let (found, expected) = (found.get(id).unwrap(), case[id].as_f64().unwrap());
            assert!((found - expected).abs() < 1e-12, "{k} {id}: {found} {expected}");
        }
    }
}
