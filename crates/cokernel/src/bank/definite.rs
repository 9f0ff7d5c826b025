//! A proof that a symmetric matrix has a negative eigenvalue, from a few Lanczos steps.
//!
//! Every Ritz value is at least the least eigenvalue, so that a negative one proves that the
//! matrix is not positive semi-definite; silence proves nothing. The steps find negative
//! eigenvalues unless many positive ones of their size or larger lie close together.
//!
//! Cost: [`STEPS`] products with the matrix, 30 n² multiplications where all entries are stored.
//! Vectors are made orthogonal to all before them: 30² n more. Source: C. Lanczos 1950; Golub and
//! Van Loan, *Matrix Computations*, §10.1.

use cokernel_dense::simd;
use rand::RngExt;

/// Products with the matrix.
const STEPS: usize = 30;

/// Rounding of the entries that is forgiven, as part of the largest: entries that were written
/// with six digits, or in single precision. Errors ε of n × n entries change eigenvalues by about
/// 2 ε √n.
const ROUNDING: f64 = 1e-6;

/// A Ritz value below what rounding explains, of the symmetric n × n matrix whose product with x
/// is `multiply(x, out)` and whose largest entry has this magnitude.
pub(super) fn negative_eigenvalue(
    n: usize,
    largest: f64,
    multiply: impl Fn(&[f64], &mut [f64]),
) -> Option<f64> {
    let mut rng = crate::Run::default().rng("definiteness");
    let mut x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut norm = simd::dot(&x, &x).sqrt();
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..STEPS.min(n) {
        x.iter_mut().for_each(|v| *v /= norm);
        let mut image = vec![0.0; n];
        multiply(&x, &mut image);
        diagonal.push(simd::dot(&x, &image));
        basis.push(std::mem::take(&mut x));
        // Twice is enough.
        for _ in 0..2 {
            for b in &basis {
                let part: f64 = simd::dot(b, &image);
                image.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
            }
        }
        norm = simd::dot(&image, &image).sqrt();
        let scale = diagonal.iter().fold(0.0_f64, |a, d: &f64| a.max(d.abs()));
        if step + 1 == STEPS.min(n) || norm.is_nan() || norm <= 1e-13 * scale {
            break;
        }
        beside.push(norm);
        x = image;
    }
    let least = least_eigenvalue(&diagonal, &beside);
    (least < -ROUNDING * (n as f64).sqrt() * largest).then_some(least)
}

/// The least eigenvalue of a symmetric tridiagonal matrix, by bisection on the number of negative
/// pivots.
fn least_eigenvalue(diagonal: &[f64], beside: &[f64]) -> f64 {
    let all_above = |shift: f64| {
        let mut pivot = 1.0;
        diagonal.iter().enumerate().all(|(k, d)| {
            let off = if k == 0 { 0.0 } else { beside[k - 1] };
            pivot = d - shift - off * off / pivot;
            pivot > 0.0
        })
    };
    let radius = |k: usize| {
        let side = |j: Option<usize>| j.and_then(|j| beside.get(j)).map_or(0.0, |b| b.abs());
        side(k.checked_sub(1)) + side(Some(k))
    };
    let ends = diagonal.iter().enumerate().map(|(k, d)| (d - radius(k), d + radius(k)));
    let (mut low, mut high) =
        ends.fold((f64::INFINITY, f64::INFINITY), |(l, h), e| (l.min(e.0), h.min(e.1)));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if all_above(middle) { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    /// Q diag(values) Qᵀ with Q the sines of the discrete transform, which is orthogonal.
    fn with_eigenvalues(values: &[f64]) -> Matrix {
        let n = values.len();
        let unit = (2.0 / (n + 1) as f64).sqrt();
        let angle = std::f64::consts::PI / (n + 1) as f64;
        let q = Matrix::from_fn(n, n, |i, k| unit * (((i + 1) * (k + 1)) as f64 * angle).sin());
        Matrix::from_fn(n, n, |i, j| {
            (0..n).map(|k| q.get(i, k) * values[k] * q.get(j, k)).sum::<f64>()
        })
    }

    fn found(m: &Matrix) -> Option<f64> {
        let largest = m.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        negative_eigenvalue(m.rows(), largest, |x, out| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = simd::dot(m.row(i), x));
        })
    }

    #[test]
    fn ten_small_negative_eigenvalues_are_seen() {
        let n = 200;
        for largest in [1.0, 30.0] {
            let values: Vec<f64> = (0..n)
                .map(|k| match k {
                    0..20 => largest * (k + 1) as f64 / 20.0,
                    60..70 => -1e-3,
                    _ => 0.0,
                })
                .collect();
            let least = found(&with_eigenvalues(&values));
            assert!(least.is_some_and(|v| (-1.0001e-3..-1e-4).contains(&v)), "{least:?}");
        }
        // A decaying spectrum, as Gaussian kernels have it.
        let values: Vec<f64> = (0..n)
            .map(|k| if (60..70).contains(&k) { -1e-3 } else { 100.0 * 0.5_f64.powi(k) })
            .collect();
        assert!(found(&with_eigenvalues(&values)).is_some());
    }

    #[test]
    fn rounding_is_forgiven() {
        let n = 200;
        for rank in [1, 7, 200] {
            let values: Vec<f64> = (0..n).map(|k| if k < rank { 1.0 } else { 0.0 }).collect();
            let exact = with_eigenvalues(&values);
            for scale in [1e-12, 1.0, 1e12] {
                let digits = |v: f64| format!("{:.6e}", v * scale).parse::<f64>().unwrap();
                let m = Matrix::from_fn(n, n, |i, j| digits(exact.get(i, j)));
                assert_eq!(found(&m), None);
                let m = Matrix::from_fn(n, n, |i, j| f64::from((exact.get(i, j) * scale) as f32));
                assert_eq!(found(&m), None);
            }
        }
        assert_eq!(found(&Matrix::zeros(5, 5)), None);
        assert_eq!(found(&Matrix::from_fn(1, 1, |_, _| -1.0)), Some(-1.0));
    }

    #[test]
    fn the_least_eigenvalue_by_hand() {
        // 2 − 2 cos(π/4) of the second difference of order 3.
        let least = least_eigenvalue(&[2.0, 2.0, 2.0], &[-1.0, -1.0]);
        assert!((least - (2.0 - 2.0_f64.sqrt())).abs() < 1e-14);
        assert_eq!(least_eigenvalue(&[-3.0], &[]), -3.0);
    }
}
