//! The k largest eigenpairs of a small symmetric n × n matrix where k is well below n.
//!
//! Method: reduction to a tridiagonal matrix T by reflections; eigenvalues of T by
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

use crate::Slice;
use crate::products::{below_diagonal, transpose};
use crate::simd::{self, LEAST_SQUARE, Lanes, Shifted, TOGETHER, positive_pivots};
use crate::tridiagonal::Reduced;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Halvings of an interval as long as the spectrum, after which it is as short as rounding.
const HALVINGS: usize = 54;

/// Steps of inverse iteration; two do, but for eigenvalues that agree to many digits.
const STEPS: usize = 6;

/// Residuals of T, in units of ε ‖T‖, from which there is no further step.
const ROUNDING: f64 = 20.0;

/// The square of what is left of a vector of length 1 without those before it, from which on it is not cleared once more.
const LITTLE: f64 = 0.5;

/// Residuals, in units of n ε ‖T‖, that are still as good as those of a full decomposition.
const FAIR: f64 = 2.0;

/// The k largest eigenvalues, descending, and after them, if it is wanted, the `least` of all; the
/// vectors of the k one after the other. Of a matrix of finite numbers, of which the lower triangle is
/// read; n ≥ 2. `None` if they were not found as precisely as a full decomposition gives them, or `going` said no.
pub(super) fn leading(
    a: Slice<'_>,
    k: usize,
    least: bool,
    going: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (turned, scale) = scaled(a);
    reduce(a.rows, turned, scale, k, least.then_some(a.rows - 1), going)
}

/// The least and the largest eigenvalue of a matrix of finite numbers, of which the lower triangle is read; n ≥ 2. `None` where
/// `going` said no.
pub(super) fn ends(a: Slice<'_>, going: &(dyn Fn() -> bool + Sync)) -> Option<(f64, f64)> {
    let (turned, scale) = scaled(a);
    let reduced = Reduced::new(a.rows, turned, going)?;
    let values = Tridiagonal::new(&reduced.d, &reduced.e).values(&[0, a.rows - 1]);
    Some((scale * values[1], scale * values[0]))
}

/// A matrix of which the lower triangle is read, by its upper one, and what it was divided by so that its entries are of the order
/// of 1.
pub(super) fn scaled(a: Slice<'_>) -> (Vec<f64>, f64) {
    let n = a.rows;
    let row = |i: usize| &a.values[i * a.stride..=i * a.stride + i];
    let scale = unit((0..n).map(|i| simd::largest(row(i))));
    let mut turned = vec![0.0; n * n];
    if a.stride == n {
        // What this puts below the diagonal is not read.
        transpose(&a.values[..n * n], n, &mut turned);
        scale_by(&mut turned, scale);
    } else {
        (0..n).for_each(|i| turned[i * n + i] = row(i)[i] / scale);
        below_diagonal(n, |i, j| turned[j * n + i] = row(i)[j] / scale);
    }
    (turned, scale)
}

/// [`leading`] of a matrix that need not be kept, of which the entries from the diagonal on are read, and the eigenvalue after the k;
/// k < n.
pub(super) fn leading_of_upper(
    n: usize,
    mut a: Vec<f64>,
    k: usize,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let scale = unit((0..n).map(|i| simd::largest(&a[i * n + i..(i + 1) * n])));
    scale_by(&mut a, scale);
    reduce(n, a, scale, k, Some(k), &|| true)
}

/// A power of two that makes entries of the order of 1, so that no square overflows or vanishes.
fn unit(largest: impl Iterator<Item = f64>) -> f64 {
    let largest = largest.fold(0.0, f64::max);
    if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 }
}

/// Divides by a power of two: both ways give the same numbers.
fn scale_by(a: &mut [f64], scale: f64) {
    let inverse = 1.0 / scale;
    match inverse.is_normal() {
        true => simd::multiply(a, inverse),
        false => a.iter_mut().for_each(|v| *v /= scale),
    }
}

/// The k largest eigenvalues and their vectors of `scale` times a matrix of which the entries from the diagonal on are read; one more
/// value, by its number from the largest down, after those.
fn reduce(
    n: usize,
    a: Vec<f64>,
    scale: f64,
    k: usize,
    more: Option<usize>,
    going: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<f64>, Vec<f64>)> {
    let reduced = Reduced::new(n, a, going)?;
    let t = Tridiagonal::new(&reduced.d, &reduced.e);
    let values = t.values(&(0..k).chain(more).collect::<Vec<_>>());
    let mut vectors = t.vectors(&values[..k])?;
    reduced.apply(&mut vectors, going)?;
    Some((values.into_iter().map(|v| scale * v).collect(), vectors))
}

/// A symmetric tridiagonal matrix.
struct Tridiagonal<'a> {
    d: &'a [f64],
    e: &'a [f64],
    /// All eigenvalues lie between these (Gershgorin).
    from: f64,
    to: f64,
}

impl<'a> Tridiagonal<'a> {
    fn new(d: &'a [f64], e: &'a [f64]) -> Self {
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
        // In units in which no entry is above 1.
        let unit = self.norm().log2().ceil().exp2();
        let d: Vec<f64> = self.d.iter().map(|d| d / unit).collect();
        let square = |e: &f64| (e / unit).powi(2).max(LEAST_SQUARE);
        let squares: Vec<f64> = self.e.iter().map(square).chain([LEAST_SQUARE]).collect();
        let slack = 4.0 * f64::EPSILON * self.norm();
        let ends = ((self.from - slack) / unit, (self.to + slack) / unit);
        let mut values = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(TOGETHER) {
            let (mut low, mut high) = ([ends.0; TOGETHER], [ends.1; TOGETHER]);
            for _ in 0..HALVINGS {
                let middle: [f64; TOGETHER] = std::array::from_fn(|l| 0.5 * (low[l] + high[l]));
                let above = positive_pivots(&d, &squares, &middle);
                for (l, number) in numbers.iter().enumerate() {
                    let (low, high) = (&mut low[l], &mut high[l]);
                    *(if above[l] > *number as u64 { low } else { high }) = middle[l];
                }
            }
            values.extend((0..numbers.len()).map(|l| 0.5 * unit * (low[l] + high[l])));
        }
        values
    }

    /// Orthonormal eigenvectors of the eigenvalues, one after the other.
    fn vectors(&self, values: &[f64]) -> Option<Vec<f64>> {
        let n = self.d.len();
        let unit = f64::EPSILON * self.norm();
        let mut vectors = vec![0.0; values.len() * n];
        for (c, values) in values.chunks(TOGETHER).enumerate() {
            let first = c * TOGETHER;
            let shifts: Lanes = std::array::from_fn(|l| values[l.min(values.len() - 1)]);
            let factors = Shifted::new(self.d, self.e, &shifts, unit);
            // Any vectors that are not orthogonal to the wanted ones.
            let start = |i: usize, l: usize| {
                let golden = 0.618_033_988_749_894_9 * ((first + l + 1) * (i + 1)) as f64;
                golden - (golden as u64) as f64 - 0.45
            };
            let mut x: Vec<Lanes> = (0..n).map(|i| std::array::from_fn(|l| start(i, l))).collect();
            let mut rows = vec![0.0; TOGETHER * n];
            let (earlier, rest) = vectors.split_at_mut(first * n);
            let own = &mut rest[..values.len() * n];
            let mut worst = f64::INFINITY;
            for step in 0..STEPS {
                factors.solve(&mut x);
                transpose(x.as_flattened(), TOGETHER, &mut rows);
                own.copy_from_slice(&rows[..own.len()]);
                // One step is never the last, and twice is enough.
                let times = if step == 0 { 1 } else { 2 };
                own.chunks_exact_mut(n).for_each(|own| _ = normalize(own));
                (0..times).for_each(|_| clear(earlier, own, n));
                worst = 0.0;
                for (l, value) in values.iter().enumerate() {
                    let (before, own) = own.split_at_mut(l * n);
                    let own = &mut own[..n];
                    normalize(own);
                    for _ in 0..times {
                        for before in before.chunks_exact(n) {
                            let share = simd::dot(before, own);
                            simd::subtract(own, share, before);
                        }
                        // What has lost little is as orthogonal as it gets.
                        if normalize(own) > LITTLE {
                            break;
                        }
                    }
                    if step > 0 {
                        let residual = self.residual(own, *value);
                        worst =
                            if residual > worst || residual.is_nan() { residual } else { worst };
                    }
                }
                rows[..own.len()].copy_from_slice(own);
                transpose(&rows, n, x.as_flattened_mut());
                if step > 0 && worst <= ROUNDING * unit {
                    break;
                }
            }
            if worst.is_nan() || worst > FAIR * n as f64 * unit {
                return None;
            }
        }
        Some(vectors)
    }

    /// ‖Tx − λx‖; NaN if x is.
    fn residual(&self, x: &[f64], value: f64) -> f64 {
        let n = x.len();
        let ends = (self.d[0] - value) * x[0] + self.e[0] * x[1];
        let last = self.e[n - 2] * x[n - 2] + (self.d[n - 1] - value) * x[n - 1];
        let inner = x.windows(3).zip(self.e.windows(2)).zip(&self.d[1..]);
        let square = |((x, e), d): ((&[f64], &[f64]), &f64)| {
            (e[0] * x[0] + (d - value) * x[1] + e[1] * x[2]).powi(2)
        };
        (ends.powi(2) + inner.map(square).sum::<f64>() + last.powi(2)).sqrt()
    }
}

/// Clears rows of length n of these earlier ones, which are orthonormal.
fn clear(earlier: &[f64], rows: &mut [f64], n: usize) {
    let (before, count) = (earlier.len() / n, rows.len() / n);
    if before == 0 {
        return;
    }
    let mut shares = vec![0.0; count * before];
    let mut shares = MatMut::from_row_major_slice_mut(&mut shares, count, before);
    let earlier = MatRef::from_row_major_slice(earlier, before, n);
    let mut rows = MatMut::from_row_major_slice_mut(rows, count, n);
    matmul(shares.as_mut(), Accum::Replace, rows.as_ref(), earlier.transpose(), 1.0, Par::Seq);
    matmul(rows.as_mut(), Accum::Add, shares.as_ref(), earlier, -1.0, Par::Seq);
}

/// Makes x as long as 1; the square of its length before.
fn normalize(x: &mut [f64]) -> f64 {
    let square = simd::dot(x, x);
    if square.is_normal() {
        simd::multiply(x, 1.0 / square.sqrt());
        return square;
    }
    let largest = x.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let length = largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt();
    x.iter_mut().for_each(|v| *v /= length);
    square
}
