//! Figures that R prints for the data of its own help pages, and those of Demšar's worked example.

use super::super::*;

/// AUC of C4.5 with m = 0 and cf = 0, with m, cf and both chosen, on 14 data sets: Demšar, *Statistical Comparisons of
/// Classifiers over Multiple Data Sets*, JMLR 7 (2006), Table 6. One digit more tells apart two that are printed alike there
/// with the ranks 2 and 3.
const DEMSAR: [[f64; 4]; 14] = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
];

/// Times to round first base by three ways, 22 players: `example(friedman.test)` in R, from Hollander and Wolfe (1973),
/// p. 140.
const ROUNDING: [[f64; 3]; 22] = [
    [5.40, 5.50, 5.55],
    [5.85, 5.70, 5.75],
    [5.20, 5.60, 5.50],
    [5.55, 5.50, 5.40],
    [5.90, 5.85, 5.70],
    [5.45, 5.55, 5.60],
    [5.40, 5.40, 5.35],
    [5.45, 5.50, 5.35],
    [5.25, 5.15, 5.00],
    [5.85, 5.80, 5.70],
    [5.25, 5.20, 5.10],
    [5.65, 5.55, 5.45],
    [5.60, 5.35, 5.45],
    [5.05, 5.00, 4.95],
    [5.50, 5.50, 5.40],
    [5.45, 5.55, 5.50],
    [5.55, 5.55, 5.35],
    [5.45, 5.50, 5.55],
    [5.50, 5.45, 5.25],
    [5.65, 5.60, 5.40],
    [5.70, 5.65, 5.55],
    [6.30, 6.30, 6.25],
];

fn near(found: f64, printed: f64, digits: i32) {
    let half = 0.5001 * 10_f64.powi(-digits);
    assert!((found - printed).abs() <= half, "{found}, printed {printed}");
}

fn blocks<const K: usize>(rows: &[[f64; K]]) -> Vec<Vec<f64>> {
    rows.iter().map(|r| r.to_vec()).collect()
}

#[test]
fn friedman_as_demsar_and_r_print_it() {
    let found = friedman(&blocks(&DEMSAR)).unwrap();
    for (rank, printed) in found.mean_ranks.iter().zip([3.143, 2.000, 2.893, 1.964]) {
        near(*rank, printed, 3);
    }
    // His χ² = 9.28 and F = 3.69 (p. 12) are without the correction for ties, which is 1 − Σ(t³ − t)/(N k (k² − 1)): three
    // pairs and a row of four equal values.
    let uncorrected = found.chi_squared * (1.0 - 78.0 / 840.0);
    near(uncorrected, 9.28, 2);
    near(13.0 * uncorrected / (14.0 * 3.0 - uncorrected), 3.69, 2);
    near(found.f, 13.0 * found.chi_squared / (14.0 * 3.0 - found.chi_squared), 12);
    // R: Friedman chi-squared = 11.143, df = 2, p-value = 0.003805. The least time has rank 1 there, and χ² is the same.
    let found = friedman(&blocks(&ROUNDING)).unwrap();
    near(found.chi_squared, 11.143, 3);
    near(found.p, 0.003805, 6);
}

#[test]
fn nemenyi_by_quantiles_of_the_studentized_range() {
    // qtukey(0.95, k, Inf) in R, and the printed tables: 3.3145, 3.6332, 3.8577, 4.4741.
    for (k, q) in [(3, 3.3145), (4, 3.6332), (5, 3.8577), (10, 4.4741)] {
        let unit = (k as f64 * (k + 1) as f64 / (6.0 * 14.0)).sqrt();
        near(nemenyi(k, 14, 0.05).unwrap() / unit * 2.0_f64.sqrt(), q, 3);
    }
}

#[test]
#[allow(clippy::approx_constant)] // 3.14 is a measurement.
fn wilcoxon_as_demsar_and_r_print_it() {
    // example(wilcox.test): depression, V = 40 of 45, one-sided p-value = 0.01953.
    let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    let found = wilcoxon(&differences).unwrap();
    assert_eq!((found.statistic, found.n), (45.0 - 40.0, 9));
    near(0.5 * found.p, 0.01953, 5);
    // Demšar, Table 2: C4.5 against C4.5 with m; the sums of ranks are 93 and 12, with zeros split between both.
    let differences: Vec<f64> = DEMSAR.iter().map(|r| r[1] - r[0]).collect();
    let found = wilcoxon_with_zeros(&differences).unwrap();
    assert_eq!((found.statistic, found.n), (12.0, 14));
    // z = (12 − 52.5)/√(14 · 15 · 29/24) = −2.54, p = 0.011.
    near(found.p, 0.011, 3);
}

#[test]
fn paired_t_as_r_prints_it() {
    // t.test(extra ~ group, data = sleep, paired): t = -4.0621, df = 9, p-value = 0.002833; Student (1908).
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let found = corrected_t_test(&differences, 0.0).unwrap();
    near(found.statistic, -4.0621, 4);
    near(found.p, 0.002833, 6);
}

#[test]
fn holm_as_r_adjusts() {
    // p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm").
    let found = holm(&[0.01, 0.02, 0.03, 0.04, 0.05]);
    found.iter().zip([0.05, 0.08, 0.09, 0.09, 0.09]).for_each(|(f, r)| near(*f, r, 12));
}
