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
//! are nearly solved by then, and every row was read once. After it steps use rows rounded to f32.
//! Before an answer is returned the gradient is brought up to date in f64 by [`Rows::multiply`] over
//! all variables, and the gap is taken from that; if it is too large, the steps go on. Below a
//! relative gap of about 1e-6, and where rows rounded to f32 led astray, the rows are kept in f64, so
//! rounding of rows does not limit the answer. Where the rounding of that product times the size of
//! the boxes is not small beside the gap that is asked for, it is taken in twice the precision (`exact`),
//! and the steps go on from there.
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
mod cache;
mod exact;
mod gap;
mod halves;
mod passes;
mod point;
mod polish;
mod progress;

use super::Rows;
use crate::{Status, Watch};
use active::{Active, End};
pub use gap::{Measure, measure};
pub use halves::Problem;
use point::{Full, Value, exact_sum, relative, unit};
use progress::Fruit;

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
    /// max f over I_low − min f over I_up, at least 0.
    pub violation: f64,
    /// Pair steps.
    pub steps: u64,
    /// How it ended.
    pub status: Status,
}

/// Relative gap below which rows are kept in f64.
const SINGLE_LIMIT: f64 = 1e-6;

/// Rows kept in the first round, to fit into a processor's own cache.
const FIRST_ROWS: usize = 8;

/// Rounds without progress after which the answer is as good as f64 allows, and rounds at most.
const PATIENCE: u64 = 10;
const ROUNDS: u64 = 500;

/// Relative gap of an answer that says next to nothing.
const LOST: f64 = 0.1;

/// Boxes that are tried where rounding hides the conditions, each so much smaller than the last.
const BOXES: usize = 5;
const SMALLER: f64 = 0.03;

/// Relative rounding of f from which on steps are blind.
const NOISE: f64 = 0.1;

/// Largest entries of K (and their inverses) for which rows are rounded to f32, whose range ends
/// at 3e38.
const SINGLE_RANGE: f64 = 1e30;

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
/// in the largest in which it should not, and some below. The answer is the one with the least primal
/// objective −objective + gap in the box that was asked for, with its gap there.
pub fn solve_problem(
    p: &Problem<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    let (found, noise) = attempt(p, start, settings, watch);
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
    let (mut steps, mut best) = (found.steps, found);
    for _ in 0..BOXES {
        let cut = |v: &[f64]| v.iter().map(|b| b.clamp(-reach, reach)).collect::<Vec<f64>>();
        let (lower, upper) = (cut(p.lower), cut(p.upper));
        let plain = Quadratic { lower: &lower, upper: &upper, ..p.plain };
        let small = Problem { plain, ..*p };
        let (inner, _) = attempt(&small, None, settings, watch);
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
        // Not a number where the first answer overflowed.
        let better = primal(&inner) < primal(&best) || primal(&best).is_nan();
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

/// One solution; also whether rounding hid the conditions.
fn attempt(
    p: &Problem<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    watch: &Watch,
) -> (Solution, bool) {
    let n = p.rows.n();
    let diagonal = p.rows.diagonal();
    let start = start.unwrap_or_else(|| vec![0.0; n]);
    // Multiples are allowed where the sum is 0, up to the rounding of whoever made the start.
    let sum = exact_sum(&start);
    let size: f64 = start.iter().map(|x| x.abs()).sum();
    let sum = if sum.abs() <= 1e-12 * size { 0.0 } else { sum };
    let mut full = Full::new(p, start, sum, unit(p, &diagonal), watch);
    let largest = diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
    let (mut steps, mut work) = (0, polish::WORK);
    let mut target = settings.tol * 0.95;
    let mut single = (1.0 / SINGLE_RANGE..=SINGLE_RANGE).contains(&largest);
    let mut fruit = Fruit::new(PATIENCE);
    let mut halted = watch.stop();
    let mut first = full.x.iter().all(|x| *x == 0.0)
        && p.lower.iter().zip(p.upper).all(|(l, u)| l < u)
        && p.rows.stored_row(0).is_some();
    let mut value = Value::of(p, &full, &diagonal, sum, settings.tol);
    let mut best = (full.clone(), value);
    let mut blind = false;
    let doubts = |full: &Full, value: &Value| full.doubtful(p, &diagonal, value, settings.tol);
    let mut exactly = false;
    let status = loop {
        let reached = value.gap <= settings.tol;
        if !reached && let Some(status) = halted {
            break status;
        }
        let (found, objective) = (value.found, value.objective);
        let violation = found.max_low - found.min_up;
        let idle = fruit.none_after([value.gap, found.gap, violation], objective)
            || fruit.looks > ROUNDS
            || violation <= full.magnitude * full.view(p, &diagonal).rounding();
        if !single && value.gap < best.1.gap {
            best = (full.clone(), value);
        }
        if reached || (idle && !single) {
            let doubted = !exactly && doubts(&full, &value);
            if !doubted || !full.renew_exactly(p, watch) {
                break match watch.stop() {
                    Some(stopped) if doubted => stopped,
                    _ if reached => Status::Converged,
                    _ => Status::Stalled,
                };
            }
            (exactly, single, fruit) = (true, false, Fruit::new(PATIENCE));
            value = Value::of(p, &full, &diagonal, sum, settings.tol);
            best = (full.clone(), value);
            continue;
        }
        if single && (idle || value.gap <= 2.0 * SINGLE_LIMIT) {
            (single, fruit) = (false, Fruit::new(PATIENCE));
        }
        let aim = if single { target.max(SINGLE_LIMIT) } else { target };
        let before = full.clone();
        let end = if first {
            let few = Settings { cache: FIRST_ROWS * n * size_of::<f64>(), ..*settings };
            Active::<f64>::new(p, &full, &diagonal, &found, &few)
                .first_round()
                .run(p, objective, aim, &mut steps, &mut full, watch)
        } else if single {
            Active::<f32>::new(p, &full, &diagonal, &found, settings)
                .run(p, objective, aim, &mut steps, &mut full, watch)
        } else {
            Active::<f64>::new(p, &full, &diagonal, &found, settings)
                .run(p, objective, aim, &mut steps, &mut full, watch)
        };
        first = false;
        if aim <= target && matches!(end, End::Reached) {
            target *= 0.5;
        }
        full.balance(p, sum);
        if !full.refresh(p, exactly, watch) {
            full = before;
            halted = halted.or(watch.stop());
            continue;
        }
        let better = |v: &Value, than: &Value| v.objective <= than.objective || v.gap <= than.gap;
        let next = Value::of(p, &full, &diagonal, sum, settings.tol);
        // Rows rounded to f32, and sums of numbers of very different size, can lead astray.
        let noise = matches!(end, End::Noise);
        let astray = !better(&next, &value) || (noise && single);
        if astray {
            full = before;
        } else {
            value = next;
        }
        let slow = astray || matches!(end, End::Slow | End::NoProgress);
        let mut moved = false;
        if slow && !noise && value.gap > settings.tol && watch.stop().is_none() {
            let mut polished = full.clone();
            let refreshed = |polished: &mut Full| {
                polished.balance(p, sum);
                polished.refresh(p, exactly, watch)
            };
            if polish::polish(p, &mut polished, &mut work) && refreshed(&mut polished) {
                let next = Value::of(p, &polished, &diagonal, sum, settings.tol);
                moved = better(&next, &value);
                if moved {
                    (full, value) = (polished, next);
                }
            }
        }
        match end {
            End::Halted(status) => halted = Some(status),
            End::Noise if !single => (halted, blind) = (Some(Status::Stalled), true),
            _ if astray || moved || matches!(end, End::NoProgress) => single = false,
            _ => {}
        }
    };
    let mut status = status;
    if status != Status::Converged && best.1.gap < value.gap {
        (full, value) = best;
    }
    if matches!(status, Status::Stalled | Status::IterationLimit) {
        // Once more from nothing, without the rounding of all changes.
        if !(doubts(&full, &value) && full.renew_exactly(p, watch)) {
            full.renew(p);
        }
        value = Value::of(p, &full, &diagonal, sum, settings.tol);
        if value.gap <= settings.tol {
            status = Status::Converged;
        }
    }
    if let Some(m) = value.multiple {
        full.scale(p, m.factor);
        value.found.threshold = m.threshold;
        value.found.gap = m.gap;
    }
    let found = &value.found;
    let solution = Solution {
        threshold: found.threshold,
        objective: full.objective(p),
        gap: found.gap,
        violation: (found.max_low - found.min_up).max(0.0),
        steps,
        status,
        x: full.x,
        gradient: full.gradient,
    };
    (solution, blind && status == Status::Stalled)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;

    /// Rows whose products take so long that they are given up after a stop; the first row that is
    /// read is when the user stops.
    struct Slow<'a>(Gram, &'a Run);

    impl Rows for Slow<'_> {
        fn n(&self) -> usize {
            Rows::n(&self.0)
        }
        fn diagonal(&self) -> Vec<f64> {
            self.0.diagonal()
        }
        fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
            self.1.cancel.cancel();
            self.0.fill(i, columns, out);
        }
        fn multiply(&self, coef: &[f64], out: &mut [f64]) {
            self.0.multiply(coef, out);
        }
        fn multiply_until(&self, _: &[f64], out: &mut [f64], watch: &Watch) -> bool {
            out.fill(f64::NAN);
            watch.stop().is_none()
        }
    }

    /// A last product of 9 to 30 seconds once came after every stop.
    #[test]
    fn a_stop_gives_the_last_complete_point() {
        let n = 20;
        let k = Matrix::from_fn(n, n, |i, j| (-0.01 * (i as f64 - j as f64).powi(2)).exp());
        let linear: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let lower: Vec<f64> = linear.iter().map(|q| if *q < 0.0 { 0.0 } else { -1.0 }).collect();
        let upper: Vec<f64> = lower.iter().map(|l| l + 1.0).collect();
        let settings = Settings { tol: 1e-6, shrinking: true, cache: 1 << 20, max_steps: 1 << 40 };
        let mut start = vec![0.0; n];
        (start[0], start[1]) = (0.5, -0.5);
        for (start, stopped) in [(None, false), (Some(start), true)] {
            let run = Run::default();
            if stopped {
                run.cancel.cancel();
            }
            let rows = Slow(Gram::new(k.clone()).unwrap(), &run);
            let p = Quadratic { rows: &rows, linear: &linear, lower: &lower, upper: &upper };
            let found = solve(&p, start, &settings, &run.watch());
            assert_eq!(found.status, Status::Interrupted);
            assert_eq!((found.x, found.gradient), (vec![0.0; n], linear.clone()));
            assert_eq!(found.objective, 0.0);
            assert!(found.gap > 0.0 && found.gap.is_finite());
        }
    }
}
