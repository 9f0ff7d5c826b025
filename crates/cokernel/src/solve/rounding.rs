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
//! the gap. What is told of it is
//!
//! ```text
//! Σ C_i (max(0, r_i + 6 e_i) − max(0, r_i)) / 6
//! ```
//!
//! C_i e_i at the edge and above it, and less the farther below it, since some f move by several e_i, and one cost may be
//! 10¹⁰ times another. Of 13,504 fits of `svc` and `posterior_svm`, C from 10⁻²⁴ to 10¹⁷ and weights from 10⁻¹⁴ to 10¹², two
//! had a gap above 5·10⁻⁸ that was more than 1.5 times what was told (1.6 and 2.1 times) when other code took f in more digits.
//!
//! **Cost.** O(n), and one row of K for each instance near the edge where that can change the objective by more than
//! a twentieth of the tolerance.

use super::Rows;
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};

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

/// How many e_i an instance may be below the edge of its loss and count.
const FAR: f64 = 6.0;

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
        let loss = |i: usize, e: f64| (excess[i] + FAR * e).max(0.0) - excess[i].max(0.0);
        self.of(|i, e| costs[i] * loss(i, e) / FAR, enough, watch)
    }

    /// The same for ½ Σ C_i max(0, r_i)².
    pub fn of_squares(&self, costs: &[f64], excess: &[f64], enough: f64, watch: &Watch) -> f64 {
        let square = |r: f64| r.max(0.0).powi(2);
        let loss = |i: usize, e: f64| square(excess[i] + FAR * e) - square(excess[i]);
        self.of(|i, e| 0.5 * costs[i] * loss(i, e) / FAR, enough, watch)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;

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
        // √Σ (K_ij c_j)² = 1.
        let e = 0.5 * f64::EPSILON;
        for (excess, share) in [(0.0, 1.0), (-3.0, 0.5), (-5.0, 1.0 / 6.0), (-6.5, 0.0)] {
            assert!((told(excess * e, 1) / e - share).abs() < 1e-6, "{excess}");
        }
        assert!((told(1e-3, 1) / e - 1.0).abs() < 1e-3);
        assert!((told(0.0, 7) / e - 2.0).abs() < 1e-6);
    }
}
