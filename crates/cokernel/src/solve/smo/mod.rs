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
//! **Precision.** A cold start on stored rows begins with a round that reads them in f64 where
//! they lie, until they come back often or variables can be set aside: many problems of small C
//! are nearly solved by then, and every row was read once. After it steps use rows rounded to f32. Before an answer is returned the gradient is
//! brought up to date in f64 by [`Rows::multiply`] over all variables, and the gap is taken from
//! that; if it is too large, the steps go on. Below a relative gap of about 1e-6 the rows are
//! kept in f64, so rounding of rows does not limit the answer.
//!
//! **Cost.** A step takes O(active variables); memory is the row cache plus a few vectors.
//! Matrices that are not positive semi-definite are accepted: pairs of non-positive curvature go
//! as far as the box allows, so the steps still end, at a stationary point.

mod active;
mod cache;
mod gap;
mod passes;

use super::Rows;
use crate::{Status, Watch};
use active::{Active, End};
pub use gap::{Measure, measure};

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

/// Rounds without progress after which the answer is as good as f64 allows.
const PATIENCE: u32 = 3;

/// x with its exact gradient.
struct Full {
    x: Vec<f64>,
    gradient: Vec<f64>,
    /// The x at which `gradient` was taken.
    anchor: Vec<f64>,
    scratch: Vec<f64>,
}

impl Full {
    fn new(p: &Quadratic<'_>, x: Vec<f64>) -> Self {
        let n = x.len();
        let (anchor, scratch) = (vec![0.0; n], vec![0.0; n]);
        let mut full = Full { x, gradient: p.linear.to_vec(), anchor, scratch };
        full.sync(p);
        full
    }

    /// Brings the gradient up to date in f64 for the variables that moved.
    fn sync(&mut self, p: &Quadratic<'_>) {
        let mut moved = false;
        for (a, x) in self.anchor.iter_mut().zip(&self.x) {
            let change = x - *a;
            moved |= change != 0.0;
            *a = change;
        }
        if moved {
            p.rows.multiply(&self.anchor, &mut self.scratch);
            self.gradient.iter_mut().zip(&self.scratch).for_each(|(g, s)| *g += s);
        }
        self.anchor.copy_from_slice(&self.x);
    }

    fn objective(&self, p: &Quadratic<'_>) -> f64 {
        let terms = self.x.iter().zip(&self.gradient).zip(p.linear);
        0.5 * terms.map(|((x, g), q)| x * (g + q)).sum::<f64>()
    }
}

/// The gap relative to the primal objective −objective + gap.
fn relative(objective: f64, gap: f64) -> f64 {
    if gap <= 0.0 { 0.0 } else { gap / (gap - objective).abs().max(f64::MIN_POSITIVE) }
}

/// Solves from `start` (inside the box; its sum is the constant of the constraint) or from x = 0.
pub fn solve(
    p: &Quadratic<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    watch: &Watch,
) -> Solution {
    let n = p.rows.n();
    let mut full = Full::new(p, start.unwrap_or_else(|| vec![0.0; n]));
    let diagonal = p.rows.diagonal();
    let mut steps = 0;
    let mut target = settings.tol * 0.95;
    let mut single = true;
    let mut best = f64::INFINITY;
    let mut idle = 0;
    let mut halted = watch.stop();
    let mut first = full.x.iter().all(|x| *x == 0.0)
        && p.lower.iter().zip(p.upper).all(|(l, u)| l < u)
        && p.rows.stored_row(0).is_some();
    loop {
        let found = measure(&full.x, &full.gradient, p.lower, p.upper);
        let objective = full.objective(p);
        let gap = relative(objective, found.gap);
        let status = if gap <= settings.tol {
            Some(Status::Converged)
        } else if halted.is_some() {
            halted
        } else if !single && idle >= PATIENCE {
            Some(Status::Stalled)
        } else {
            None
        };
        if let Some(status) = status {
            return Solution {
                x: full.x,
                gradient: full.gradient,
                threshold: found.threshold,
                objective,
                gap: found.gap,
                violation: (found.max_low - found.min_up).max(0.0),
                steps,
                status,
            };
        }
        if gap < 0.5 * best {
            (best, idle) = (gap, 0);
        } else {
            idle += 1;
        }
        if single && (gap <= 2.0 * SINGLE_LIMIT || idle >= PATIENCE) {
            (single, idle) = (false, 0);
        }
        let aim = if single { target.max(SINGLE_LIMIT) } else { target };
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
        match end {
            End::Reached | End::Settled => {}
            End::NoProgress => single = false,
            End::Halted(status) => halted = Some(status),
        }
        if aim <= target && !matches!(end, End::Settled) {
            target *= 0.5;
        }
        full.sync(p);
    }
}
