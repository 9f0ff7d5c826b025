//! Sequential minimal optimisation for one linear constraint and a box.
//!
//! Solves  min ½αᵀQα + pᵀα  subject to  aᵀα = const, 0 ≤ α ≤ C, a_i = ±1, Q_ij = a_i a_j K_ij,
//! written in the signed variables x = a∘α, which remove every sign from the inner loops:
//!
//! ```text
//! min ½ xᵀK x + qᵀx    subject to   Σ x = const,  lower ≤ x ≤ upper
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | x, q, bounds | `x`, [`Quadratic::linear`], [`Quadratic::lower`], [`Quadratic::upper`] |
//! | f = Kx + q | `gradient` |
//! | I_up = {x < upper}, I_low = {x > lower} | bits of `up`, `low` |
//! | θ, multiplier of the sum constraint (−bias) | `threshold` |
//!
//! Problems may add ε‖x‖₁, a kink at 0 (see [`Problem`]).
//!
//! x is optimal when min f over I_up ≥ max f over I_low. Each step moves one pair along the sum
//! constraint; the pair is chosen by second-order information (Fan, Chen and Lin, JMLR 6, 2005,
//! WSS 2). Variables that sit at a bound and satisfy their condition are set aside (shrinking,
//! as in Chang and Lin's LIBSVM), and gradient, bounds and cached rows are compacted to the rest,
//! so the inner loops run over contiguous memory.
//!
//! **Stopping.** For a threshold θ the duality gap of this problem is
//!
//! ```text
//! G(θ) = Σ_i (upper_i − x_i)·max(0, θ − f_i) + (x_i − lower_i)·max(0, f_i − θ)
//! ```
//!
//! which for C-SVC is exactly primal minus dual at bias −θ. The solver minimises G over θ and
//! stops when min G ≤ tol·|primal|.
//!
//! Where the boxes are far larger than x (a large C), G at x is their size times the error of f: it
//! stays large until f is exact to the last bit, and beyond. There the gap is taken at a multiple
//! s·x, which no condition violates on the far side of its box; no box enters it, and the answer is
//! that multiple (see `gap::multiple`).
//!
//! **Precision.** K is divided by a power of two near its largest diagonal entry, so results do not
//! depend on units. A cold start on stored rows begins with a round that reads them in f64 where
//! they lie, until they come back often or variables can be set aside: many problems of small C
//! are nearly solved by then, and every row was read once. After it steps use rows rounded to f32, and
//! f in f32, too, as long as its rounding is small beside the gap that is asked for.
//! Before an answer is returned the gradient is brought up to date in f64 by [`Rows::multiply`] over
//! all variables, and the gap is taken from that; if it is too large, the steps go on. Below a
//! relative gap of about 1e-6, and where rows rounded to f32 led astray, the rows are kept in f64, so
//! rounding of rows does not limit the answer. Where the rounding of that product times the size of
//! the boxes is not small beside the gap that is asked for, it is taken in twice the precision (`exact`),
//! and the steps go on from there.
//!
//! **Large C.** After more steps than variables the line of a step is conjugate to the last (`conjugate`),
//! which saves a third of them at C = 100. After 30 steps for each variable, or rounds that bring little, a
//! kernel of small rank is left to interior points (`interior`), whose iterations do not grow with C, and after
//! 600 any kernel of up to 2,000 instances; the steps go on from their answer. Newton steps on the free variables between pair steps were tried, too,
//! and cost more than they saved (SimpleMKL on 1,000 instances took 1.2 to 1.3 times as long with them).
//!
//! **Ending.** A round of steps ends at its aim, after a number of looks at the gap that brought
//! little, or where the violation is below the rounding of f; Newton steps on the free variables
//! (`polish`) then do what pair steps do slowly. The answer is [`Status::Stalled`] after
//! rounds without progress (at most `ROUNDS` in all), or as soon as x is so large that rounding hides
//! the conditions. The clock is looked at with the gap and with each row that is fetched.
//!
//! **Cost.** A step takes O(active variables); memory is the row cache plus a few vectors.
//! Matrices that are not positive semi-definite are accepted: pairs of non-positive curvature go
//! as far as the box allows, so the steps still end, at a stationary point.

mod active;
mod attempt;
mod cache;
mod conjugate;
mod exact;
mod gap;
mod halves;
mod interior;
mod passes;
mod point;
mod polish;
mod progress;

use super::Rows;
use crate::{Status, Watch};
use attempt::attempt;
pub use gap::{Measure, measure};
pub use halves::Problem;
use point::{exact_sum, relative};

/// min ½xᵀKx + linearᵀx, Σx constant, lower ≤ x ≤ upper (finite).
#[derive(Clone, Copy)]
pub struct Quadratic<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// q, length n.
    pub linear: &'a [f64],
    /// Lower bounds, finite, length n.
    pub lower: &'a [f64],
    /// Upper bounds, finite, at least `lower`.
    pub upper: &'a [f64],
}

/// When and how to stop.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Relative duality gap to stop at.
    pub tol: f64,
    /// Whether variables that stay at their bounds are set aside.
    pub shrinking: bool,
    /// Bytes for cached rows; two rows are always kept.
    pub cache: usize,
    /// Limit on steps.
    pub max_steps: u64,
}

/// What was reached.
#[derive(Debug, Clone)]
pub struct Solution {
    /// x.
    pub x: Vec<f64>,
    /// f = Kx + q, in f64 from [`Rows::multiply`].
    pub gradient: Vec<f64>,
    /// θ that minimises the duality gap at x.
    pub threshold: f64,
    /// ½xᵀKx + qᵀx.
    pub objective: f64,
    /// Absolute duality gap at (x, θ).
    pub gap: f64,
    /// What the typical rounding of f may hide of it; 0 where the gap has room for that.
    pub hidden: f64,
    /// max f over I_low − min f over I_up, at least 0.
    pub violation: f64,
    /// Pair steps.
    pub steps: u64,
    /// How it ended.
    pub status: Status,
}

/// Relative gap of an answer that says next to nothing.
const LOST: f64 = 0.1;

/// Boxes that are tried where rounding hides the conditions, each so much smaller than the last.
const BOXES: usize = 5;
const SMALLER: f64 = 0.03;

/// Relative rounding of f from which on steps are blind.
const NOISE: f64 = 0.1;

/// Solves from `start` (inside the box; its sum is the constant of the constraint) or from x = 0.
pub fn solve(
    p: &Quadratic<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    solve_problem(&Problem { plain: *p, kink: None }, start, settings, watch)
}

/// [`solve`] for a problem that may have a kink.
///
/// Where x grows until rounding hides the conditions, the problem is solved in smaller boxes, too:
/// in the largest in which it should not, and some below. Of answers whose gaps in the box that was asked for, with what
/// rounding hides, are within a factor of two, the one with the least primal objective −objective + gap there is taken,
/// else that of the smallest gap: a linear kernel at C = 10¹⁴ had a gap of 0.1, and one of 1 with a primal objective 3 %
/// below.
pub fn solve_problem(
    p: &Problem<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    solve_by(p, start, settings, Ways::default(), watch)
}

/// What makes steps fewer or faster and changes no answer by more than the gap.
#[derive(Clone, Copy)]
struct Ways {
    /// Conjugate steps.
    lines: bool,
    /// f in f32 at first.
    coarse: bool,
    /// Interior points after many steps.
    interior: bool,
}

impl Default for Ways {
    fn default() -> Self {
        Ways { lines: true, coarse: true, interior: true }
    }
}

/// [`solve_problem`] in chosen ways.
fn solve_by(
    p: &Problem<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    ways: Ways,
    watch: &Watch,
) -> Solution {
    let (found, noise) = attempt(p, start, settings, ways, watch);
    let lost = found.status == Status::Stalled && relative(found.objective, found.gap) > LOST;
    let zero_sum =
        exact_sum(&found.x).abs() <= 1e-12 * found.x.iter().fold(0.0, |a, x| a + x.abs());
    if !(noise || lost) || !zero_sum {
        return found;
    }
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
    let norm = size(&p.rows.diagonal()) * (p.rows.n() as f64).sqrt();
    let mut reach = 0.1 * NOISE * p.magnitude() / (0.5 * f64::EPSILON * norm);
    let primal = |s: &Solution| s.gap - s.objective;
    // Of the dual objective: of the primal one it is 1, and little less, for whatever says nothing.
    let told = |s: &Solution| (s.gap + s.hidden) / s.objective.abs().max(f64::MIN_POSITIVE);
    let (mut steps, mut best) = (found.steps, found);
    for _ in 0..BOXES {
        let cut = |v: &[f64]| v.iter().map(|b| b.clamp(-reach, reach)).collect::<Vec<f64>>();
        let (lower, upper) = (cut(p.lower), cut(p.upper));
        let plain = Quadratic { lower: &lower, upper: &upper, ..p.plain };
        let small = Problem { plain, ..*p };
        let (inner, _) = attempt(&small, None, settings, ways, watch);
        steps += inner.steps;
        let value = p.measure(&inner.x, &inner.gradient);
        let status = match inner.status {
            Status::Converged if relative(inner.objective, value.gap) > settings.tol => {
                Status::Stalled
            }
            status => status,
        };
        let violation = (value.max_low - value.min_up).max(0.0);
        let (threshold, gap) = (value.threshold, value.gap);
        let inner = Solution { threshold, gap, violation, status, ..inner };
        let enough = inner.status == Status::Converged;
        let (told, of_best) = (told(&inner), told(&best));
        let better =
            told < 0.5 * of_best || (told <= 2.0 * of_best && primal(&inner) < primal(&best));
        // Not a number where the first answer overflowed.
        let better = better || primal(&best).is_nan();
        if better {
            best = inner;
        }
        if enough || watch.stop().is_some() || reach == 0.0 {
            break;
        }
        reach *= SMALLER;
    }
    Solution { steps, ..best }
}

#[cfg(test)]
mod tests;
