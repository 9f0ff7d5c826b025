//! Linear programs by Clarabel beside it.

use super::*;
use crate::Run;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT::NonnegativeConeT,
    SupportedConeT::ZeroConeT,
};
use rand::RngExt;

/// The optimum of the program, written down as it stands.
fn reference(p: &Hinge<'_>) -> f64 {
    let (m, groups) = (p.columns, p.weights.len());
    let free = p.margin == Margin::Largest;
    let variables = m + groups + 1;
    let (mut rows, mut cols, mut values) = (vec![], vec![], vec![]);
    let mut b = vec![1.0];
    let mut entry = |row: usize, col: usize, value: f64| {
        rows.push(row);
        cols.push(col);
        values.push(value);
    };
    (0..m).for_each(|k| entry(0, k, 1.0));
    // ρ is its variable, or 1.
    let mut equalities = 1;
    if !free {
        entry(1, m + groups, 1.0);
        b.push(1.0);
        equalities = 2;
    }
    for (g, range) in p.groups.windows(2).enumerate() {
        for i in range[0]..range[1] {
            let row = b.len();
            p.rows[i * p.columns..(i + 1) * p.columns]
                .iter()
                .enumerate()
                .for_each(|(k, a)| entry(row, k, -a));
            entry(row, m + g, -1.0);
            entry(row, m + groups, 1.0);
            b.push(0.0);
        }
    }
    for v in 0..m + groups {
        entry(b.len(), v, -1.0);
        b.push(0.0);
    }
    let a = CscMatrix::new_from_triplets(b.len(), variables, rows, cols, values);
    let mut q = vec![0.0; m];
    q.extend(p.weights);
    q.push(if free { -1.0 } else { 0.0 });
    let none = CscMatrix::zeros((variables, variables));
    let cones = [ZeroConeT(equalities), NonnegativeConeT(b.len() - equalities)];
    let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
    let mut solver = DefaultSolver::new(&none, &q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    solver.solution.obj_val
}

/// Votes of M classifiers for N rows in groups of up to `most`, of this size.
fn votes(n: usize, m: usize, most: usize, size: f64, seed: u64) -> (Vec<f64>, Vec<usize>) {
    let mut rng = Run::with_seed(seed).rng("hinge tests");
    let mut groups = vec![0];
    while groups[groups.len() - 1] < n {
        let next = groups[groups.len() - 1] + rng.random_range(1..=most);
        groups.push(next.min(n));
    }
    let value = |k: usize, r: f64| size * (0.4 + 1.5 * (r - 0.5) * (1.0 + k as f64 / m as f64));
    ((0..n * m).map(|at| value(at % m, rng.random::<f64>())).collect(), groups)
}

#[test]
fn optima_are_those_of_clarabel() {
    let watch = Run::default().watch();
    for seed in 0..12_u64 {
        let (n, m) = (30 + 17 * seed as usize, 2 + 3 * (seed as usize % 5));
        let most = if seed % 3 == 0 { 1 } else { 4 };
        for size in [1.0, 1e-3, 1e4] {
            let (rows, groups) = votes(n, m, most, size, seed);
            let count = groups.len() - 1;
            for margin in [Margin::One, Margin::Largest] {
                let weight = |g: usize| (1.0 + (g % 3) as f64) / (0.4 * 2.0 * count as f64);
                let weights: Vec<f64> = (0..count).map(weight).collect();
                let p =
                    Hinge { rows: &rows, columns: m, groups: &groups, weights: &weights, margin };
                let found = minimize(&p, 1e-8, &watch);
                let what = format!("{seed} {margin:?} {size:e} {:?}", found.objective);
                assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{what}");
                assert!(found.weights.iter().all(|v| *v >= 0.0), "{what}");
                assert!(found.objective.len() < 60, "{what}");
                // Both bounds by their definitions.
                assert_eq!(p.value(&found.weights).0, found.primal);
                let u = &found.multipliers;
                assert!(u.iter().all(|v| *v >= 0.0));
                for (g, w) in p.groups.windows(2).zip(p.weights) {
                    assert!(u[g[0]..g[1]].iter().sum::<f64>() <= w * (1.0 + 1e-9));
                }
                if margin == Margin::Largest {
                    assert!((u.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                }
                if size == 1.0 {
                    let least = reference(&p);
                    assert!(
                        (found.primal - least).abs() <= 1e-6 * (least.abs() + size),
                        "{what} {least}"
                    );
                }
            }
        }
    }
}

#[test]
fn cases_by_hand() {
    let watch = Run::default().watch();
    // The first column has all margins 2, the second −1: nothing is lost.
    let rows = [2.0, -1.0, 2.0, -1.0, 2.0, -1.0];
    let groups = [0, 1, 2, 3];
    let p =
        Hinge { rows: &rows, columns: 2, groups: &groups, weights: &[1.0; 3], margin: Margin::One };
    let found = minimize(&p, 1e-8, &watch);
    assert!(found.primal < 1e-8 && found.weights[0] > 0.66, "{found:?}");
    // The largest margin is that of the first alone.
    let p = Hinge { margin: Margin::Largest, ..p };
    let found = minimize(&p, 1e-8, &watch);
    assert!((found.rho - 2.0).abs() < 1e-7 && (found.weights[0] - 1.0).abs() < 1e-7, "{found:?}");
    // Columns of nothing: a loss of 1 for each row.
    let p = Hinge { rows: &[0.0; 6], margin: Margin::One, ..p };
    let found = minimize(&p, 1e-8, &watch);
    assert!((found.primal - 3.0).abs() < 1e-9 && found.gap < 1e-8, "{found:?}");
    // ρ is a quantile of the margins.
    assert_eq!(quantile(&[3.0, 1.0, 2.0], &[0.6; 3]), 2.0);
}

/// Where the best weights are sparse, an answer to a coarse tolerance has no more of them than a fine one, and is as good as
/// its gap says.
#[test]
fn residues_are_no_weights() {
    let watch = Run::default().watch();
    let mut dropped = 0;
    for seed in 0..20_u64 {
        let (n, m) = (60, 6);
        let (rows, groups) = votes(n, m, 1, 1.0, seed);
        let weights = vec![0.05; groups.len() - 1];
        for margin in [Margin::One, Margin::Largest] {
            let problem =
                Hinge { rows: &rows, columns: m, groups: &groups, weights: &weights, margin };
            let fine = minimize(&problem, 1e-9, &watch);
            let coarse = minimize(&problem, 1e-3, &watch);
            let few = fewest(&problem, coarse.clone());
            let count = |f: &Found| f.weights.iter().filter(|w| **w > 0.0).count();
            assert!(
                count(&few) <= count(&coarse)
                    && (few.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12
            );
            dropped += count(&coarse) - count(&few);
            let residue = |(a, b): (&f64, &f64)| *a > 0.0 && *a < 1e-5 && *b == 0.0;
            assert!(!few.weights.iter().zip(&fine.weights).any(residue), "{few:?} {fine:?}");
            assert_eq!(few.primal, problem.value(&few.weights).0);
            let last = few.objective[few.objective.len() - 1];
            assert!((last - few.primal).abs() <= 1e-12 * few.primal.abs().max(1.0), "{few:?}");
            assert!(few.objective.windows(2).all(|w| w[1] <= w[0]), "{few:?}");
            let size = few.gap.max(1e-300).recip() * (few.primal - few.lower).max(0.0);
            assert!(few.gap <= 1e-3 && few.lower <= fine.primal + 1e-9 * size, "{few:?}");
        }
    }
    assert!(dropped > 10, "{dropped}");
}
