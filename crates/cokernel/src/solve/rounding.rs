//! What rounding can hide in a primal objective whose losses cost much.
//!
//! ```text
//! P = … + Σ C_i max(0, r_i)      r_i known up to e_i = ½ε (√(½(1 + t) Σ_j (K_ij c_j)²) + |q_i|)
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | r_i, e_i, C_i | `excess`, the result of [`Rounding::of_one`], `costs` |
//! | q_i | `other`: what else the value of instance i is made of |
//! | t | [`Rows::terms`]: each entry of K is the sum of so many, and is rounded with each |
//!
//! Entries of K are rounded, so that whoever computes them again gets other values of f by about e_i, however exactly
//! the sums are taken. At C = 10¹² and values near 1 that is 10⁻⁴ for each instance at the edge of its loss: more than
//! the gap. What is told of it, with N_i normal of mean 0 and deviation e_i, is
//!
//! ```text
//! Σ C_i (E max(0, r_i + N_i/2) − max(0, r_i)) + 1.5 √Σ C_i² var max(0, r_i + N_i)
//! ```
//!
//! of one instance at the edge 1.1 C_i e_i, of 25 of them 9, and of one that is 1.3 e_i below 0.3 C_i e_i: one cost may be 10¹⁰ times
//! another, and f may move by several e_i where entries of K are rounded alike.
//!
//! **Cost.** O(n), and one row of K for each instance near the edge where that can change the objective by more than
//! a twentieth of the tolerance.

use super::Rows;
use super::normal::log_cdf;
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// √(½(1 + t)).
fn roundings(rows: &dyn Rows) -> f64 {
    (0.5 * (1.0 + rows.terms() as f64)).sqrt()
}

/// Share of the tolerance below which it is not looked at.
const SHARE: f64 = 0.05;

/// Tolerance from which it is looked at what rounding hides, where less is asked for: what is told is told to no less.
pub(crate) const TOLD: f64 = 1e-6;

/// The tolerance to which it is told.
pub(crate) fn told(tol: f64) -> f64 {
    tol.min(TOLD)
}

/// Deviations of the sum of all losses that are told.
const SAFE: f64 = 1.5;

/// How many e_i below the edge of its loss an instance has none.
const FAR: f64 = 8.0;

/// Mean and variance of max(0, r + N), N normal of mean 0 and this deviation.
fn loss(r: f64, deviation: f64) -> (f64, f64) {
    if deviation <= 0.0 || r >= FAR * deviation {
        return (r.max(0.0), deviation * deviation);
    }
    if r <= -FAR * deviation {
        return (0.0, 0.0);
    }
    let z = r / deviation;
    let density = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (-0.5 * z * z).exp();
    let below = log_cdf(z).exp();
    let mean = density + z * below;
    let square = (z * z + 1.0) * below + z * density;
    (deviation * mean, deviation * deviation * (square - mean * mean).max(0.0))
}

/// A dual objective above the primal one by this part of it is the rounding of two sums.
const SUMS: f64 = 1e-13;

/// What the values of a machine are made of.
pub(crate) struct Rounding<'a> {
    pub rows: &'a dyn Rows,
    pub coef: &'a [f64],
    pub other: &'a [f64],
}

impl Rounding<'_> {
    /// e_i from above, for all instances, without a row of K.
    fn bounds(&self) -> Vec<f64> {
        let own = self.rows.diagonal();
        let square = |(d, c): (&f64, &f64)| d.abs() * c * c;
        let norm = own.iter().zip(self.coef).map(square).sum::<f64>().sqrt() * roundings(self.rows);
        let one = |(d, q): (&f64, &f64)| 0.5 * f64::EPSILON * (d.abs().sqrt() * norm + q.abs());
        own.iter().zip(self.other).map(one).collect()
    }

    /// e_i of one instance.
    fn of_one(&self, i: usize, room: &mut [f64]) -> f64 {
        let row = self.rows.row(i, room);
        let squares = row.iter().zip(self.coef).map(|(k, c)| (k * c) * (k * c));
        let size = squares.sum::<f64>().sqrt() * roundings(self.rows);
        0.5 * f64::EPSILON * (size + self.other[i].abs())
    }

    /// How much larger Σ C_i max(0, r_i) may be; 0 where that is less than a twentieth of `enough`.
    pub fn of_losses(&self, costs: &[f64], excess: &[f64], enough: f64, watch: &Watch) -> f64 {
        let largest = costs.iter().fold(f64::MIN_POSITIVE, |a, c| a.max(*c));
        let total = |errors: &[f64]| {
            let (mut mean, mut variance) = (0.0, 0.0);
            for ((c, r), e) in costs.iter().zip(excess).zip(errors) {
                mean += c * (loss(*r, 0.5 * e).0 - r.max(0.0));
                variance += (c / largest).powi(2) * loss(*r, *e).1;
            }
            mean + SAFE * largest * variance.sqrt()
        };
        self.of(|i, e| costs[i] > 0.0 && excess[i] > -FAR * e, total, enough, watch)
    }

    /// The same for ½ Σ C_i max(0, r_i)², all of whose r_i are larger by e_i.
    pub fn of_squares(&self, costs: &[f64], excess: &[f64], enough: f64, watch: &Watch) -> f64 {
        let square = |r: f64| r.max(0.0).powi(2);
        let more = |i: usize, e: f64| 0.5 * costs[i] * (square(excess[i] + e) - square(excess[i]));
        let total = |errors: &[f64]| (0..errors.len()).map(|i| more(i, errors[i])).sum::<f64>();
        self.of(|i, e| more(i, e) > 0.0, total, enough, watch)
    }

    fn of(
        &self,
        counts: impl Fn(usize, f64) -> bool,
        total: impl Fn(&[f64]) -> f64,
        enough: f64,
        watch: &Watch,
    ) -> f64 {
        // An objective of 0: the function is a constant that has no loss.
        if enough <= 0.0 {
            return 0.0;
        }
        let mut errors = self.bounds();
        let small = SHARE * enough;
        if total(&errors) <= small {
            return 0.0;
        }
        let mut room = vec![0.0; errors.len()];
        for (i, e) in errors.iter_mut().enumerate() {
            if counts(i, *e) && watch.stop().is_none() {
                *e = e.min(self.of_one(i, &mut room));
            }
        }
        let total = total(&errors);
        if total <= small { 0.0 } else { total }
    }

    /// The typical e_i of the instances, each counted with its share |c_i| of all coefficients.
    pub fn typical(&self) -> f64 {
        let all: f64 = self.coef.iter().map(|c| c.abs()).sum();
        let sum: f64 = self.bounds().iter().zip(self.coef).map(|(e, c)| e * c.abs()).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    }
}

/// The machine with a primal objective that is `more`, which rounding may hide; it has not converged if its gap is not
/// within the tolerance then. A dual objective above the primal one is rounding that is seen: it counts, too.
pub(super) fn shaken(machine: Solved, more: f64, tol: f64) -> Solved {
    let crossed = (machine.dual - machine.primal).max(0.0);
    let crossed = if crossed > SUMS * machine.primal.abs() { crossed } else { 0.0 };
    let told = (machine.primal, machine.dual, machine.gap, machine.status);
    let (primal, gap, status) = with_hidden(told, 2.0 * crossed + more, tol);
    Solved { primal, gap, status, ..machine }
}

/// A primal objective, its gap to the dual one and a status, with the `more` that rounding may hide of the first.
pub(crate) fn with_hidden(
    (primal, dual, gap, status): (f64, f64, f64, Status),
    more: f64,
    tol: f64,
) -> (f64, f64, Status) {
    if more <= 0.0 {
        return (primal, gap, status);
    }
    let primal = primal + more;
    let gap = relative_gap(primal, dual);
    let stalled = status == Status::Converged && gap > tol;
    (primal, gap, if stalled { Status::Stalled } else { status })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;
    use rand::RngExt;

    /// An instance that was 1.3 e_i below the edge, at a cost of 10²², had more than half of the objective as its loss when
    /// f was computed again, of which nothing was told.
    #[test]
    fn instances_below_the_edge_count_and_so_do_sums_of_many_kernels() {
        let told = |excess: f64, terms: usize| {
            let mut rows = Gram::new(Matrix::from_fn(4, 4, |_, _| 1.0)).unwrap();
            rows.set_terms(terms);
            let rounding = Rounding { rows: &rows, coef: &[0.5; 4], other: &[0.0; 4] };
            let (costs, excess) = ([1e22, 0.0, 0.0, 0.0], [excess, -1.0, -1.0, -1.0]);
            rounding.of_losses(&costs, &excess, 1.0, &Run::default().watch()) / 1e22
        };
        // √Σ (K_ij c_j)² = 1; 0.4 and 0.58 are the mean and the deviation of max(0, N).
        let e = 0.5 * f64::EPSILON;
        let pi = std::f64::consts::PI;
        let edge = 0.5 * (0.5 / pi).sqrt() + 1.5 * (0.5 - 0.5 / pi).sqrt();
        assert!((told(0.0, 1) / e - edge).abs() < 1e-6);
        assert!((told(0.0, 7) / e - 2.0 * edge).abs() < 1e-6);
        assert!((told(1e-3, 1) / e - 1.5).abs() < 1e-6);
        assert!((0.2..0.4).contains(&(told(-1.3 * e, 1) / e)));
        assert_eq!(told(-9.0 * e, 1), 0.0);
    }

    /// By 10⁵ draws.
    #[test]
    fn the_mean_and_the_variance_of_a_loss() {
        let mut rng = Run::with_seed(3).rng("losses");
        let draws: Vec<f64> =
            (0..100_000).map(|_| (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0).collect();
        for (r, deviation) in [(0.0, 1.0), (0.3, 0.2), (-1.0, 0.7), (20.0, 2.0), (-50.0, 1.0)] {
            let (mean, variance) = loss(r, deviation);
            let drawn: Vec<f64> = draws.iter().map(|n| (r + deviation * n).max(0.0)).collect();
            let count = drawn.len() as f64;
            let want = drawn.iter().sum::<f64>() / count;
            let around = drawn.iter().map(|v| (v - want).powi(2)).sum::<f64>() / count;
            assert!((mean - want).abs() < 0.01 * deviation, "{r} {deviation}: {mean} {want}");
            assert!((variance - around).abs() < 0.02 * deviation * deviation, "{r} {deviation}");
        }
    }
}
