//! f = Kx + q, rounded once, for rows that lie in memory.
//!
//! Where a box is far larger than 1/ε, the sum of K_ij x_j cancels to the size of q, and what rounding
//! leaves there times the size of the box is in the duality gap. Products and sums are therefore taken
//! in pairs of f64 (Dekker, *Numer. Math.* 18, 1971; Ogita, Rump, Oishi, *SIAM J. Sci. Comput.* 26, 2005):
//! the error is that of one rounding plus n²ε² of Σ|K_ij x_j|. 25 operations an entry.

use super::Quadratic;

/// Accumulators of one sum.
const LANES: usize = 8;

/// 2²⁷ + 1 (Veltkamp's constant).
const HALVES: f64 = 134_217_729.0;

/// a as a sum of two numbers of 26 bits.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let c = HALVES * a;
    let high = c - (c - a);
    (high, a - high)
}

/// a + b and its error.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// a·b and its error, b in halves.
#[inline(always)]
fn product(a: f64, b: f64, (high, low): (f64, f64)) -> (f64, f64) {
    let p = a * b;
    let (h, l) = split(a);
    (p, ((h * high - p) + h * low + l * high) + l * low)
}

/// Writes f into `out`. False, and `out` is not to be used, if rows do not lie in memory or numbers are
/// too large to be taken apart.
pub(super) fn gradient(p: &Quadratic<'_>, x: &[f64], out: &mut [f64]) -> bool {
    let halves: Vec<(f64, f64)> = x.iter().map(|v| split(*v)).collect();
    for (i, out) in out.iter_mut().enumerate() {
        let Some(row) = p.rows.stored_row(i) else { return false };
        let (mut sums, mut errors) = ([0.0; LANES], [0.0; LANES]);
        for (first, block) in row.chunks(LANES).enumerate() {
            for (lane, a) in block.iter().enumerate() {
                let j = first * LANES + lane;
                let (term, error) = product(*a, x[j], halves[j]);
                let (next, lost) = sum(sums[lane], term);
                sums[lane] = next;
                errors[lane] += lost + error;
            }
        }
        let (mut all, mut error) = (p.linear[i], errors.iter().sum::<f64>());
        for s in sums {
            let (next, lost) = sum(all, s);
            all = next;
            error += lost;
        }
        *out = all + error;
        if !out.is_finite() {
            return false;
        }
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Gram;
    use crate::data::Matrix;

    /// x = 2⁶⁰ at column 3 and −2⁶⁰ at column 30, which is equal, plus small numbers: K x loses all
    /// digits in f64, but K is of integers over 2¹⁰ and x of integers, so that the sum is known.
    #[test]
    fn a_sum_that_cancels_is_exact() {
        let n = 37;
        let equal = |i: usize| if i == 30 { 3 } else { i };
        let entry = |i: usize, j: usize| ((equal(i) * equal(j) * 7 + 1) % 1000 + 1) as i128;
        let k = Matrix::from_fn(n, n, |i, j| entry(i, j) as f64 / 1024.0);
        let whole: Vec<i128> = (0..n)
            .map(|j| match j {
                3 => (1 << 60) + 256,
                30 => -(1 << 60) + 512,
                _ => j as i128 - 11,
            })
            .collect();
        let x: Vec<f64> = whole.iter().map(|v| *v as f64).collect();
        let linear = vec![-1.0; n];
        let (lower, upper) = (vec![-1e30; n], vec![1e30; n]);
        let rows = Gram::new(k).unwrap();
        let p = Quadratic { rows: &rows, linear: &linear, lower: &lower, upper: &upper };
        let mut f = vec![0.0; n];
        assert!(gradient(&p, &x, &mut f));
        let mut plain = vec![0.0; n];
        crate::solve::Rows::multiply(&rows, &x, &mut plain);
        let mut differ = 0;
        for i in 0..n {
            let sum: i128 = (0..n).map(|j| entry(i, j) * whole[j]).sum();
            assert_eq!(f[i], (sum - 1024) as f64 / 1024.0, "row {i}");
            differ += usize::from(plain[i] - 1.0 != f[i]);
        }
        assert!(differ > 0);
    }
}
