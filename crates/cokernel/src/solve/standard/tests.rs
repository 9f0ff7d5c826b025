use super::*;
use crate::Run;
use rand::RngExt;

fn watch() -> Watch {
    Run::default().watch()
}

/// A symmetric matrix of numbers between −1 and 1, from a seed.
fn drawn(m: usize, seed: u64) -> Vec<f64> {
    let mut rng = Run { seed, ..Run::default() }.rng("standard");
    let mut q = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let v = rng.random_range(-1.0..1.0);
            (q[i * m + j], q[j * m + i]) = (v, v);
        }
    }
    q
}

/// The least value over the simplex, by the stationary point of every support.
fn enumerated(q: &[f64], m: usize) -> f64 {
    let mut least = f64::INFINITY;
    for set in 1_usize..1 << m {
        let support: Vec<usize> = (0..m).filter(|k| set >> k & 1 == 1).collect();
        let s = support.len();
        let mut system = vec![0.0; (s + 1) * (s + 1)];
        for a in 0..s {
            for b in 0..s {
                system[a * (s + 1) + b] = q[support[a] * m + support[b]];
            }
            (system[a * (s + 1) + s], system[s * (s + 1) + a]) = (1.0, 1.0);
        }
        let mut right = vec![0.0; s + 1];
        right[s] = 1.0;
        let Some(lu) = Lu::new(s + 1, system) else { continue };
        lu.solve(&mut right, 1);
        if right[..s].iter().all(|v| *v >= -1e-12) {
            let value =
                |a: usize| (0..s).map(|b| q[support[a] * m + support[b]] * right[b]).sum::<f64>();
            least = least.min((0..s).map(|a| right[a] * value(a)).sum());
        }
    }
    least
}

fn check(q: &[f64], m: usize) -> Standard {
    let found = minimize_standard(q, 1e-7, &watch());
    assert!((found.alpha.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(found.alpha.iter().all(|a| *a >= 0.0));
    let value = form(q, m, &found.alpha);
    let told = found.objective.last().copied().unwrap_or(f64::NAN);
    let unit = q.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    assert!((value - told).abs() <= 1e-12 * unit, "{value} {told}");
    assert!(found.objective.windows(2).all(|w| w[1] <= w[0]));
    assert!(found.lower <= value);
    found
}

/// Bounds hold for all, and meet wherever the relaxation is exact (M ≤ 4).
#[test]
fn the_least_of_all_supports() {
    let mut proven = 0;
    for m in 1..=8 {
        for seed in 0..12 {
            let q = drawn(m, 100 * m as u64 + seed);
            let (found, least) = (check(&q, m), enumerated(&q, m));
            let value = found.objective.last().copied().unwrap_or(f64::NAN);
            assert!(found.lower <= least + 1e-12, "M = {m}, {seed}: {} {least}", found.lower);
            assert!(value >= least - 1e-12);
            let met = value - found.lower <= 1e-6;
            proven += usize::from(met);
            assert!(met || m > 4, "M = {m}, {seed}: {value} {} {least}", found.lower);
            if met {
                assert!((value - least).abs() <= 1e-6, "M = {m}, {seed}: {value} {least}");
            }
        }
    }
    assert!(proven >= 80, "{proven} of 96");
}

/// Horn's matrix is copositive, its least value 0, and not the sum of a positive semi-definite and a non-negative
/// matrix: no relaxation by doubly non-negative matrices proves it.
#[test]
fn horns_matrix_is_not_proven() {
    let m = 5;
    let sign =
        |i: usize, j: usize| if (i + 5 - j) % 5 == 1 || (j + 5 - i) % 5 == 1 { -1.0 } else { 1.0 };
    let q: Vec<f64> = (0..m * m).map(|k| sign(k / m, k % m)).collect();
    let found = check(&q, m);
    let value = found.objective.last().copied().unwrap_or(f64::NAN);
    assert!(value.abs() < 1e-9, "{value}");
    assert!(found.solved && found.lower < -0.05, "{found:?}");
    assert!((found.relaxed - found.lower).abs() < 1e-6);
}

/// The value does not depend on the unit, and a permutation of the variables permutes the weights.
#[test]
fn units_and_order() {
    let m = 7;
    let q = drawn(m, 3);
    let plain = check(&q, m);
    for unit in [1e-12, 1e12, 1e150] {
        let found = check(&q.iter().map(|v| v * unit).collect::<Vec<_>>(), m);
        let off = |(a, b): (&f64, &f64)| (a - b).abs();
        assert!(found.alpha.iter().zip(&plain.alpha).map(off).fold(0.0, f64::max) < 1e-9);
        assert!((found.lower / unit - plain.lower).abs() < 1e-9);
    }
    let turned: Vec<f64> = (0..m * m).map(|k| q[(m - 1 - k / m) * m + m - 1 - k % m]).collect();
    let found = check(&turned, m);
    for k in 0..m {
        assert!((found.alpha[k] - plain.alpha[m - 1 - k]).abs() < 1e-6);
    }
    let nothing = minimize_standard(&[0.0; 9], 1e-6, &watch());
    assert_eq!((nothing.alpha, nothing.lower), (vec![1.0 / 3.0; 3], 0.0));
}

/// A program of the size that is met in practice ends, proven, with the same value from a convex Q by hand.
#[test]
fn a_convex_form_of_forty() {
    let m = 40;
    // Q = diag(1, 2, …): α ∝ 1/Q_mm.
    let q: Vec<f64> =
        (0..m * m).map(|k| if k / m == k % m { 1.0 + (k / m) as f64 } else { 0.0 }).collect();
    let found = check(&q, m);
    let harmonic: f64 = (1..=m).map(|k| 1.0 / k as f64).sum();
    assert!((found.objective.last().copied().unwrap_or(f64::NAN) - 1.0 / harmonic).abs() < 1e-9);
    assert!(found.lower > 1.0 / harmonic - 1e-5);
}
