//! Kernels for normalised cuts beside Clarabel.

use cokernel::Run;
use cokernel::solve::standard::minimize_standard;

/// One case of `make_standard.py`.
#[derive(serde::Deserialize)]
struct Case {
    m: usize,
    q: Vec<f64>,
    optimum: f64,
}

/// The relaxation: its value is Clarabel's, and the bound below it.
#[test]
fn the_doubly_non_negative_relaxation() {
    let text = include_str!("../../reference/standard.json");
    let cases: Vec<Case> = serde_json::from_str(text).unwrap();
    assert_eq!(cases.len(), 12);
    for (number, Case { m, q: triangle, optimum }) in cases.iter().enumerate() {
        let at = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        let q: Vec<f64> = (0..m * m).map(|k| at(k / m, k % m)).collect();
        let unit = q.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let found = minimize_standard(&q, 1e-8, &Run::default().watch());
        let value = found.objective.last().unwrap();
        let what = format!("case {number}: {found:?}, {optimum}");
        assert!(found.solved, "{what}");
        assert!((found.lower - optimum).abs() <= 1e-6 * unit, "{what}");
        assert!(found.lower <= optimum + 1e-9 * unit && *value >= optimum - 1e-9 * unit, "{what}");
        // Those that are made as (13) is are proven.
        assert!(number % 2 == 0 || value - optimum <= 1e-6 * unit, "{what}");
    }
}
