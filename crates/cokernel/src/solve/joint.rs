//! The multi-class SVM in a single machine (Weston and Watkins 1998; LMKA §1.4.2, (1.9) and (1.11)).
//!
//! ```text
//! primal  min ½Σ_l ‖w_l‖² + Σ_i C_i Σ_{l≠y_i} max(0, m_il − f_{y_i}(x_i) + f_l(x_i)),  f_l = ⟨w_l, Φ⟩ + b_l
//! dual    max Σ m_il α_il − ½Σ_l c_lᵀK c_l        Σ_i c_il = 0 for each l,  0 ≤ α_il ≤ C_i
//!         c_il = −α_il for l ≠ y_i,  c_{i y_i} = A_i = Σ_l α_il
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | α_il, C_i, m_il (2 in (1.9)) | `alpha`, `costs`, `margins` |
//! | K c_l | `products` |
//! | β_l, the bias at which steps are taken | `offsets` |
//! | r_l = Σ_i c_il | `sums` |
//!
//! The sums make α a circulation on the classes, in which two variables alone cannot always move. They
//! are therefore taken into the objective (method of multipliers: −Σ_l b_l r_l − ½ρ r_l², b ← b + ρr, ρ
//! grows where r does not fall), which leaves boxes: the block of an instance is solved exactly
//! (`block`), and blocks are taken in turn where they violate their conditions by more than a threshold
//! that falls. K is centred by a few rows (with Σ c_l = 0 that changes only b), so that what all entries
//! have in common slows nothing. Where blocks crawl (a large C), a K of small rank, or of few instances, is
//! left to interior points (`interior`), others to Newton steps on the α inside their bounds (`newton`).
//!
//! **Certificate.** α is brought to the sums 0 by factors u_a/u_b on the variables of class a against b
//! (Osborne's balancing), scaled into the box; the gap is primal minus dual there, with K c_l from
//! [`Rows::multiply`] and each b_l in turn at the least of the losses, which are piecewise linear in it;
//! steps go on from that b.
//!
//! **Cost.** A block takes a row of K and O(n) for each class whose coefficient changes; looking at an
//! instance O(classes). Memory 2·n·classes numbers, and rows that do not lie in memory.

mod block;
mod certificate;
mod circulation;
mod interior;
mod newton;
mod state;

use super::Rows;
use super::smo::Settings;
use crate::{Status, Watch};
use state::State;

/// The problem.
#[derive(Clone, Copy)]
pub struct Joint<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// y_i, below `classes`.
    pub codes: &'a [u32],
    /// Number of classes, at least 2.
    pub classes: usize,
    /// m_il, instance by instance (entries of the own class are not read); `None`: 2.
    pub margins: Option<&'a [f64]>,
    /// C_i ≥ 0, finite.
    pub costs: &'a [f64],
}

/// A machine of several functions f_l(x) = Σ_i coef_il k(x_i, x) + bias_l; the largest decides.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSolved {
    /// c_l of each class, length n.
    pub coef: Vec<Vec<f64>>,
    /// b_l of each class, of sum 0.
    pub bias: Vec<f64>,
    /// K c_l, in f64.
    pub values: Vec<Vec<f64>>,
    /// Instance, own class and l of each α_il that is at neither bound.
    pub free: Vec<(u32, u32, u32)>,
    /// The primal objective.
    pub primal: f64,
    /// The dual objective.
    pub dual: f64,
    /// (primal − dual) / max(|primal|, tiny).
    pub gap: f64,
    /// Blocks that were solved.
    pub steps: u64,
    /// How it ended.
    pub status: Status,
}

impl JointSolved {
    /// Σ_l c_lᵀ K c_l.
    pub fn norm(&self) -> f64 {
        let pairs = self.coef.iter().flatten().zip(self.values.iter().flatten());
        pairs.map(|(c, v)| c * v).sum()
    }
}

/// Rows by which K is centred.
const SAMPLE: usize = 256;
/// Rounds at most; each halves the threshold at least, down to `FLOOR` of the margins.
const ROUNDS: u32 = 100;
/// Rounds after interior points, at least.
const ROUNDS_AFTER: u32 = 40;
const FLOOR: f64 = 1e-14;
/// Sweeps of one round.
const SWEEPS: u32 = 2000;
/// Part of the largest violation of a sweep that a block has to have in the next.
const SHARE: f64 = 0.15;
/// ρ at first, relative to the mean of K̃_ii: a large one makes blocks stiff.
const RHO: f64 = 0.03;
const LEAST_MOVE: f64 = 1e-3;
/// Operations after which the rank of K is looked at, and the largest product of rank and classes for
/// interior points.
const FIRST_LOOK: f64 = 4e7;
const LARGEST: usize = 1200;
/// Operations after which Newton steps are tried where interior points are not, and how often they are.
const NEWTON_AFTER: f64 = 2e8;
const NEWTONS: usize = 6;
/// Operations of dense products in the time of one on blocks, roughly.
const FASTER: f64 = 20.0;
/// Growth of ρ where the sums do not fall by `FALL` (on eight problems 0.25 took 1.0 to 2.3 times the blocks, 0.9 on five of them 0.8 to 13 times), and the most it
/// grows to.
const GROWTH: f64 = 4.0;
const FALL: f64 = 0.4;
const GROWN: f64 = 1e8;
/// Tolerances that are tried after a stall, and the most operations on blocks after which they are.
const AGAIN: [f64; 6] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];
const WORK_AGAIN: u64 = 1_000_000_000;

/// Solves from `start`, coefficients of a nearby problem for each class, or from 0.
pub fn joint_classes(
    p: &Joint<'_>,
    start: Option<&[Vec<f64>]>,
    settings: &Settings,
    watch: &Watch,
) -> JointSolved {
    let mut best = joint_by(p, start, settings, true, watch);
    // Rounding ends one path earlier than another: what a larger tolerance would have given is not lost.
    for tol in AGAIN.into_iter().filter(|tol| *tol > settings.tol) {
        let small = best.steps.saturating_mul((p.codes.len() * p.classes) as u64) <= WORK_AGAIN;
        if best.status != Status::Stalled || best.gap <= 0.1 * tol || !small {
            break;
        }
        let found = joint_by(p, start, &Settings { tol, ..*settings }, true, watch);
        let steps = best.steps + found.steps;
        if found.gap < best.gap {
            best = JointSolved { status: Status::Stalled, ..found };
        }
        best.steps = steps;
    }
    best
}

/// [`joint_classes`], with or without interior points and Newton steps.
fn joint_by(
    p: &Joint<'_>,
    start: Option<&[Vec<f64>]>,
    settings: &Settings,
    mut inside: bool,
    watch: &Watch,
) -> JointSolved {
    let mut state = State::new(p, start, settings);
    if inside {
        let most = state.largest_rank() as f64;
        state.patience = FIRST_LOOK.min(10.0 * state.n as f64 * most * most);
    }
    let (mut known, mut trials) = (None, if inside { NEWTONS } else { 0 });
    let mut best = state.certify();
    let mut threshold = 0.3 * state.largest_margin();
    let floor = FLOOR * state.largest_margin();
    let mut before = f64::INFINITY;
    let mut rounds = 0;
    let status = loop {
        if best.gap <= settings.tol {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if state.steps >= settings.max_steps {
            break Status::IterationLimit;
        }
        let crawls = threshold <= floor || rounds >= ROUNDS;
        if !inside && (crawls || state.work > state.patience) {
            if trials == 0 {
                if crawls {
                    break Status::Stalled;
                }
                state.patience = f64::INFINITY;
                continue;
            }
            // Where blocks change nothing the next ones would be the same.
            trials = if crawls { 0 } else { trials - 1 };
            state.patience = NEWTON_AFTER.max(2.0 * state.work);
            // From a point of sums 0.
            let here = state.certify();
            if here.gap < best.gap {
                best = here;
            }
            let most = if crawls { newton::WORK } else { newton::WORK.min(FASTER * state.work) };
            if let Some((alpha, bias)) = state.newton(most, watch) {
                let found = state.go_to(alpha, &bias);
                if found.gap < best.gap {
                    best = found;
                }
            }
            continue;
        }
        rounds += 1;
        if !crawls {
            state.solve_boxes(threshold, settings.max_steps, watch);
        }
        if inside && (crawls || state.work > state.patience) && watch.stop().is_none() {
            if known.is_none() {
                known = state.factor(watch);
                inside = known.is_some();
                if !inside {
                    state.patience = NEWTON_AFTER.max(2.0 * state.work);
                    continue;
                }
                let work = known.as_ref().map(|(_, r, _)| interior::work(state.n, state.k, *r));
                state.patience = work.unwrap_or(f64::INFINITY);
            }
            if let Some((l, r, unit)) = known.as_ref()
                && (crawls || state.work > state.patience)
            {
                (inside, state.patience) = (false, NEWTON_AFTER.max(2.0 * state.work));
                rounds = rounds.max(ROUNDS - ROUNDS_AFTER);
                // What blocks have reached, which rounding may keep interior points from.
                let here = state.certify();
                let (alpha, bias, gap) = (state.alpha.clone(), here.bias.clone(), here.gap);
                if gap < best.gap {
                    best = here;
                }
                if best.gap <= settings.tol {
                    continue;
                }
                if let Some(inner) = interior::interior(p, (l, *r), *unit, watch) {
                    let mut nearer = false;
                    for alpha in [inner.alpha, inner.raw] {
                        let found = state.go_to(alpha, &inner.bias);
                        nearer = found.gap < gap;
                        if found.gap < best.gap {
                            best = found;
                        }
                        if best.gap <= settings.tol {
                            break;
                        }
                    }
                    if !nearer {
                        state.go_to(alpha, &bias);
                    }
                }
            }
            continue;
        }
        let sum = state.largest_sum();
        let shift = state.rho * sum;
        let estimate = state.estimate();
        let less = if inside { 0.1 } else { 0.5 };
        if estimate <= 0.9 * settings.tol || estimate <= less * best.gap || threshold <= 4.0 * floor
        {
            let found = state.certify();
            if found.gap < best.gap {
                best = found;
            }
        }
        state.multiply();
        let matters = sum > 0.01 * settings.tol * state.alpha.iter().sum::<f64>();
        if sum > FALL * before && matters && state.grown < GROWN {
            state.rho *= GROWTH;
            state.grown *= GROWTH;
        }
        before = sum;
        threshold = (0.3 * shift).clamp(0.25 * threshold, 0.5 * threshold);
    };
    let mut status = status;
    if status == Status::Stalled && state.estimate() < best.gap {
        let found = state.certify();
        if found.gap < best.gap {
            best = found;
        }
        if best.gap <= settings.tol {
            status = Status::Converged;
        }
    }
    JointSolved { status, steps: state.steps, ..best }
}

#[cfg(test)]
mod tests;
