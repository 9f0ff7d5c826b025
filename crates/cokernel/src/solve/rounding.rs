//! What rounding can hide in a primal objective whose losses cost much.
//!
//! ```text
//! P = … + Σ C_i max(0, r_i)      r_i known up to e_i = ½ε (√Σ_j (K_ij c_j)² + |q_i|)
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | r_i, e_i, C_i | `excess`, the result of [`Rounding::of_one`], `costs` |
//! | q_i | `other`: what else the value of instance i is made of |
//!
//! Entries of K are rounded, so that whoever computes them again gets other values of f by about e_i, however exactly
//! the sums are taken. At C = 10¹² and values near 1 that is 10⁻⁴ for each instance at the edge of its loss: more than
//! the gap. Losses at r_i + e_i instead of r_i are an objective that holds for those, too. Against 60 instances with
//! Gaussian kernels, C from 10⁹ to 10¹³, what another computation found in addition was 0.04 to 2 times that (up to 4 times in some 12,000 fits of `svc`).
//!
//! **Cost.** O(n), and one row of K for each instance near the edge where that can change the objective by more than
//! a twentieth of the tolerance.

use super::Rows;
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};

/// Share of the tolerance below which it is not looked at.
const SHARE: f64 = 0.05;

/// Tolerance from which it is looked at what rounding hides, in searches that ask for less: what they tell at their end
/// is told to no less.
pub(crate) const TOLD: f64 = 1e-6;

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
        let norm = own.iter().zip(self.coef).map(square).sum::<f64>().sqrt();
        let one = |(d, q): (&f64, &f64)| 0.5 * f64::EPSILON * (d.abs().sqrt() * norm + q.abs());
        own.iter().zip(self.other).map(one).collect()
    }

    /// e_i of one instance.
    fn of_one(&self, i: usize, room: &mut [f64]) -> f64 {
        let row = self.rows.row(i, room);
        let squares = row.iter().zip(self.coef).map(|(k, c)| (k * c) * (k * c));
        0.5 * f64::EPSILON * (squares.sum::<f64>().sqrt() + self.other[i].abs())
    }

    /// How much larger Σ C_i max(0, r_i) is with r_i + e_i; 0 where that is less than a twentieth of `enough`.
    pub fn of_losses(&self, costs: &[f64], excess: &[f64], enough: f64, watch: &Watch) -> f64 {
        let more = |i: usize, e: f64| costs[i] * ((excess[i] + e).max(0.0) - excess[i].max(0.0));
        self.of(more, enough, watch)
    }

    /// The same for ½ Σ C_i max(0, r_i)².
    pub fn of_squares(&self, costs: &[f64], excess: &[f64], enough: f64, watch: &Watch) -> f64 {
        let square = |r: f64| r.max(0.0).powi(2);
        let more = |i: usize, e: f64| 0.5 * costs[i] * (square(excess[i] + e) - square(excess[i]));
        self.of(more, enough, watch)
    }

    fn of(&self, more: impl Fn(usize, f64) -> f64, enough: f64, watch: &Watch) -> f64 {
        // An objective of 0: the function is a constant that has no loss.
        if enough <= 0.0 {
            return 0.0;
        }
        let mut errors = self.bounds();
        let total = |errors: &[f64]| (0..errors.len()).map(|i| more(i, errors[i])).sum::<f64>();
        let small = SHARE * enough;
        if total(&errors) <= small {
            return 0.0;
        }
        let mut room = vec![0.0; errors.len()];
        for (i, e) in errors.iter_mut().enumerate() {
            if more(i, *e) > 0.0 && watch.stop().is_none() {
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
