//! f = Kx + q, rounded once.
//!
//! Where a box is far larger than 1/ε, the sum of K_ij x_j cancels to the size of q, and what rounding
//! leaves there times the size of the box is in the duality gap. Products and sums are therefore taken
//! in pairs of f64 (Dekker, *Numer. Math.* 18, 1971; Ogita, Rump, Oishi, *SIAM J. Sci. Comput.* 26, 2005):
//! the error is that of one rounding plus n²ε² of Σ|K_ij x_j|. 25 operations an entry of the rows whose
//! x_j is not 0; rows that are not in memory are computed one by one, the clock is looked at with each.

use super::Problem;
use crate::Watch;

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
fn two_sum(a: f64, b: f64) -> (f64, f64) {
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

/// Writes f into `out`. False, and `out` is not to be used, after a stop and where numbers are too large
/// to be taken apart.
pub(super) fn gradient(p: &Problem<'_>, x: &[f64], out: &mut [f64], watch: &Watch) -> bool {
    let n = x.len();
    out.copy_from_slice(p.linear);
    let (mut errors, mut computed) = (vec![0.0; n], vec![0.0; n]);
    for j in (0..n).filter(|&j| x[j] != 0.0) {
        if watch.stop().is_some() {
            return false;
        }
        let halves = split(x[j]);
        let row = p.rows.row(j, &mut computed);
        for ((sum, error), k) in out.iter_mut().zip(&mut errors).zip(row) {
            let (term, of_product) = product(*k, x[j], halves);
            let (next, of_sum) = two_sum(*sum, term);
            *sum = next;
            *error += of_product + of_sum;
        }
    }
    out.iter_mut().zip(&errors).for_each(|(f, e)| *f += e);
    out.iter().all(|f| f.is_finite())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Quadratic;
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;
    use crate::solve::Rows;

    /// A matrix of which no row lies in memory.
    struct Computed(Gram);

    impl Rows for Computed {
        fn n(&self) -> usize {
            Rows::n(&self.0)
        }
        fn diagonal(&self) -> Vec<f64> {
            self.0.diagonal()
        }
        fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
            self.0.fill(i, columns, out);
        }
        fn multiply(&self, coef: &[f64], out: &mut [f64]) {
            self.0.multiply(coef, out);
        }
    }

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
        let plain = Quadratic { rows: &rows, linear: &linear, lower: &lower, upper: &upper };
        let p = Problem { plain, kink: None };
        let mut f = vec![0.0; n];
        let watch = Run::default().watch();
        assert!(gradient(&p, &x, &mut f, &watch));
        // Rows that are computed give the same.
        let computed = Computed(rows.clone());
        let p = Problem { plain: Quadratic { rows: &computed, ..plain }, ..p };
        let mut again = vec![0.0; n];
        assert!(gradient(&p, &x, &mut again, &watch) && again == f);
        let mut plain = vec![0.0; n];
        Rows::multiply(&rows, &x, &mut plain);
        let mut differ = 0;
        for i in 0..n {
            let sum: i128 = (0..n).map(|j| entry(i, j) * whole[j]).sum();
            assert_eq!(f[i], (sum - 1024) as f64 / 1024.0, "row {i}");
            differ += usize::from(plain[i] - 1.0 != f[i]);
        }
        assert!(differ > 0);
    }
}
