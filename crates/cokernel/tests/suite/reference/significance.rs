//! Tests of differences against scipy (`tests/reference/make_significance.py`).

use cokernel::eval::significance::{corrected_t_test, friedman, nemenyi, wilcoxon};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn close(what: &str, found: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap();
    let apart = (found - expected).abs();
    assert!(apart <= tolerance * expected.abs().max(1e-3), "{what}: {found}, scipy {expected}");
}

#[test]
fn tests_of_differences_agree_with_scipy() {
    let cases: Value =
        serde_json::from_str(include_str!("../../reference/significance.json")).unwrap();
    let list = |key: &str| cases[key].as_array().unwrap();
    assert_eq!([list("t").len(), list("wilcoxon").len(), list("friedman").len()], [4, 6, 4]);
    for case in list("t") {
        let differences = numbers(&case["differences"]);
        let found = corrected_t_test(&differences, 0.0).unwrap();
        close("t", found.statistic, &case["t"], 1e-10);
        close("p of t", found.p, &case["p"], 1e-9);
        let ratio = case["ratio"].as_f64().unwrap();
        let corrected = corrected_t_test(&differences, ratio).unwrap();
        close("p of corrected t", corrected.p, &case["corrected_p"], 1e-9);
    }
    for case in list("wilcoxon") {
        let found = wilcoxon(&numbers(&case["differences"])).unwrap();
        close("smaller sum of ranks", found.statistic, &case["statistic"], 1e-12);
        close("p of Wilcoxon", found.p, &case["p"], 1e-9);
    }
    for case in list("friedman") {
        let scores: Vec<Vec<f64>> =
            case["scores"].as_array().unwrap().iter().map(numbers).collect();
        let found = friedman(&scores).unwrap();
        for (rank, expected) in found.mean_ranks.iter().zip(case["ranks"].as_array().unwrap()) {
            close("mean rank", *rank, expected, 1e-12);
        }
        if case.get("p").is_some() {
            close("chi squared", found.chi_squared, &case["chi_squared"], 1e-10);
            close("p of Friedman", found.p, &case["p"], 1e-9);
            close("F", found.f, &case["f"], 1e-9);
            close("p of F", found.f_p, &case["f_p"], 1e-8);
        }
    }
    for case in list("range") {
        let (k, n) = (case["k"].as_u64().unwrap() as usize, case["blocks"].as_u64().unwrap());
        let found = nemenyi(k, n as usize, case["alpha"].as_f64().unwrap()).unwrap();
        close("critical difference", found, &case["difference"], 1e-6);
    }
}
