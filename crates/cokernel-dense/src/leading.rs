//! The k largest eigenpairs of a small symmetric n × n matrix where k is well below n.
//!
//! Method: reduction to a tridiagonal matrix T by reflections (faer); eigenvalues of T by
//! bisection with Sturm counts, sixteen at a time; its eigenvectors by inverse iteration, each
//! cleared of all before it; the reflections applied to these alone (Golub & Van Loan, *Matrix
//! Computations*, 4th ed., §8.2-8.4; LAPACK's DSTEBZ and DSTEIN do the same). A full
//! decomposition spends most of its time on vectors that nobody asks for.
//!
//! | symbol | name |
//! |---|---|
//! | diagonal of T, the numbers beside it | `d`, `e` |
//! | λ, x | an eigenvalue and its vector of T |
//!
//! Every residual ‖Tx − λx‖ is measured; if one is above rounding, there is no result.
//!
//! Cost: 4/3 n³ for the reduction, O(n k (k + 50)) for the rest.

use crate::simd::{TOGETHER, positive_pivots};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatRef, Par};

/// Halvings of an interval as long as the spectrum, after which it is as short as rounding.
const HALVINGS: usize = 54;

/// Steps of inverse iteration; two do, but for eigenvalues that agree to many digits.
const STEPS: usize = 6;

/// Residuals of T, in units of ε ‖T‖, from which there is no further step.
const ROUNDING: f64 = 20.0;

/// Residuals, in units of n ε ‖T‖, that are still as good as those of a full decomposition.
const FAIR: f64 = 2.0;

/// The k largest eigenvalues, descending, and after them, if it is wanted, the `least` of all; the
/// vectors of the k as columns. Of a matrix of finite numbers, of which the lower triangle is read;
/// n ≥ 2. `None` if they were not found as precisely as a full decomposition gives them.
pub(super) fn leading(a: MatRef<'_, f64>, k: usize, least: bool) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    // Entries of the order of 1, so that no square overflows or vanishes.
    let entries = (0..n).flat_map(|j| (j..n).map(move |i| (i, j)));
    let largest = entries.fold(0.0_f64, |m, (i, j)| m.max(a[(i, j)].abs()));
    let scale = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    let mut reduced = Mat::from_fn(n, n, |i, j| if i >= j { a[(i, j)] / scale } else { 0.0 });
    let block = recommended_block_size::<f64>(n, n);
    let mut factors = Mat::<f64>::zeros(block, n - 1);
    let scratch = StackReq::any_of(&[
        tridiag_in_place_scratch::<f64>(n, Par::Seq, Default::default()),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(n - 1, block, k),
    ]);
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    tridiag_in_place(reduced.as_mut(), factors.as_mut(), Par::Seq, stack, Default::default());
    let d: Vec<f64> = (0..n).map(|i| reduced[(i, i)]).collect();
    let e: Vec<f64> = (1..n).map(|i| reduced[(i, i - 1)]).collect();
    let t = Tridiagonal::new(d, e);
    let values = t.values(&(0..k).chain(least.then_some(n - 1)).collect::<Vec<_>>());
    let vectors = t.vectors(&values[..k])?;
    let mut vectors = Mat::from_fn(n, k, |i, j| vectors[j][i]);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        reduced.as_ref().submatrix(1, 0, n - 1, n - 1),
        factors.as_ref(),
        Conj::No,
        vectors.as_mut().subrows_mut(1, n - 1),
        Par::Seq,
        stack,
    );
    Some((values.into_iter().map(|v| scale * v).collect(), vectors))
}

/// A symmetric tridiagonal matrix.
struct Tridiagonal {
    d: Vec<f64>,
    e: Vec<f64>,
    /// All eigenvalues lie between these (Gershgorin).
    from: f64,
    to: f64,
}

impl Tridiagonal {
    fn new(d: Vec<f64>, e: Vec<f64>) -> Self {
        let beside = |i: usize| {
            let before = if i == 0 { 0.0 } else { e[i - 1].abs() };
            before + e.get(i).map_or(0.0, |e| e.abs())
        };
        let from = d.iter().enumerate().fold(f64::INFINITY, |a, (i, d)| a.min(d - beside(i)));
        let to = d.iter().enumerate().fold(f64::NEG_INFINITY, |a, (i, d)| a.max(d + beside(i)));
        Tridiagonal { d, e, from, to }
    }

    fn norm(&self) -> f64 {
        self.from.abs().max(self.to.abs()).max(f64::MIN_POSITIVE)
    }

    /// The eigenvalues of these numbers, counted from 0 and from the largest down.
    fn values(&self, numbers: &[usize]) -> Vec<f64> {
        // Never 0, so that a pivot of 0 is followed by one of −∞ and not by NaN.
        let squares: Vec<f64> = self.e.iter().map(|e| (e * e).max(f64::MIN_POSITIVE)).collect();
        let slack = 4.0 * f64::EPSILON * self.norm();
        let mut values = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(TOGETHER) {
            let (mut low, mut high) = ([self.from - slack; TOGETHER], [self.to + slack; TOGETHER]);
            for _ in 0..HALVINGS {
                let middle: [f64; TOGETHER] = std::array::from_fn(|l| 0.5 * (low[l] + high[l]));
                let above = positive_pivots(&self.d, &squares, &middle);
                for (l, number) in numbers.iter().enumerate() {
                    let (low, high) = (&mut low[l], &mut high[l]);
                    *(if above[l] > *number as f64 { low } else { high }) = middle[l];
                }
            }
            values.extend((0..numbers.len()).map(|l| 0.5 * (low[l] + high[l])));
        }
        values
    }

    /// Orthonormal eigenvectors of the eigenvalues.
    fn vectors(&self, values: &[f64]) -> Option<Vec<Vec<f64>>> {
        let n = self.d.len();
        let unit = f64::EPSILON * self.norm();
        let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(values.len());
        for (j, value) in values.iter().enumerate() {
            let factors = Factors::new(self, *value);
            // Any vector that is not orthogonal to the wanted one.
            let golden = 0.618_033_988_749_894_9 * (j + 1) as f64;
            let mut x: Vec<f64> = (1..=n).map(|i| (golden * i as f64).fract() - 0.45).collect();
            let mut residual = f64::INFINITY;
            for _ in 0..STEPS {
                factors.solve(&mut x);
                normalize(&mut x);
                for _ in 0..2 {
                    for earlier in &vectors {
                        let share: f64 = earlier.iter().zip(&x).map(|(a, b)| a * b).sum();
                        x.iter_mut().zip(earlier).for_each(|(x, a)| *x -= share * a);
                    }
                    normalize(&mut x);
                }
                residual = self.residual(&x, *value);
                if residual <= ROUNDING * unit {
                    break;
                }
            }
            if residual.is_nan() || residual > FAIR * n as f64 * unit {
                return None;
            }
            vectors.push(x);
        }
        Some(vectors)
    }

    /// ‖Tx − λx‖; NaN if x is.
    fn residual(&self, x: &[f64], value: f64) -> f64 {
        let n = x.len();
        let row = |i: usize| {
            let before = if i == 0 { 0.0 } else { self.e[i - 1] * x[i - 1] };
            let after = if i + 1 == n { 0.0 } else { self.e[i] * x[i + 1] };
            before + (self.d[i] - value) * x[i] + after
        };
        (0..n).map(|i| row(i).powi(2)).sum::<f64>().sqrt()
    }
}

/// T − λ as a product of row exchanges, a lower and an upper triangle.
struct Factors {
    /// The upper triangle: rows (1 / diagonal, next, next but one).
    upper: Vec<[f64; 3]>,
    /// Row i + 1 lost this much of row i, after both were exchanged or not.
    lower: Vec<(f64, bool)>,
}

impl Factors {
    fn new(t: &Tridiagonal, value: f64) -> Self {
        let n = t.d.len();
        let least = f64::EPSILON * t.norm();
        let pivot = |p: f64| if p.abs() < least { least.copysign(p) } else { p };
        let (mut upper, mut lower) = (Vec::with_capacity(n), Vec::with_capacity(n - 1));
        let mut row = (t.d[0] - value, t.e[0]);
        for i in 0..n - 1 {
            let beside = t.e.get(i + 1).copied().unwrap_or(0.0);
            let next = (t.e[i], t.d[i + 1] - value, beside);
            let exchanged = row.0.abs() < next.0.abs();
            let diagonal = pivot(if exchanged { next.0 } else { row.0 });
            let inverse = 1.0 / diagonal;
            let factor = if exchanged { row.0 } else { next.0 } * inverse;
            if exchanged {
                upper.push([inverse, next.1, next.2]);
                row = (row.1 - factor * next.1, -factor * next.2);
            } else {
                upper.push([inverse, row.1, 0.0]);
                row = (next.1 - factor * row.1, next.2);
            }
            lower.push((factor, exchanged));
        }
        upper.push([1.0 / pivot(row.0), 0.0, 0.0]);
        Factors { upper, lower }
    }

    /// x becomes (T − λ)⁻¹ x.
    fn solve(&self, x: &mut [f64]) {
        for (i, (factor, exchanged)) in self.lower.iter().enumerate() {
            if *exchanged {
                x.swap(i, i + 1);
            }
            x[i + 1] -= factor * x[i];
        }
        let (mut next, mut after) = (0.0, 0.0);
        for (x, [inverse, beside, far]) in x.iter_mut().zip(&self.upper).rev() {
            *x = (*x - beside * next - far * after) * inverse;
            (next, after) = (*x, next);
        }
    }
}

fn normalize(x: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let length = largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt();
    x.iter_mut().for_each(|v| *v /= length);
}
