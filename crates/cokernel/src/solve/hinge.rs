//! Hinge losses of a point of the simplex, by a primal-dual interior-point method (Mehrotra, SIAM Journal on
//! Optimization 2, 1992).
//!
//! ```text
//! primal  min  Σ_g w_g ξ_g − ρ      aᵀ_iβ + ξ_g(i) ≥ 1 + ρ,   ξ ≥ 0,  β ≥ 0,  Σ β = 1
//! dual    max  Σ_i u_i − max_k (Aᵀu)_k      u ≥ 0,   Σ_{i ∈ g} u_i ≤ w_g,   Σ u = 1
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | a_i, rows of A (N × M) | [`Hinge::rows`] |
//! | g(i): rows that share a slack stand one after the other | [`Hinge::groups`] |
//! | w_g | [`Hinge::weights`] |
//! | β, ρ | [`Found::weights`], [`Found::rho`] |
//!
//! Two forms: with the margin 1 and without ρ and Σ u = 1 ([`Margin::One`]), and with a margin ρ that is itself
//! maximised and without the 1 ([`Margin::Largest`]).
//!
//! The steps are those of `hinge/interior.rs`.
//!
//! **Certificate.** β with the slacks (and the ρ) that are best for it is feasible, and so is u after a division by its
//! sum: both objectives bound the optimum, and their difference is the gap, relative to the objective (with a margin ρ to at
//! least 10⁻⁴ of Σ w ξ + |ρ|, whose difference that is).
//!
//! **Cost** of an iteration: N M² + M³/3.

mod interior;

use crate::{Status, Watch};
use cokernel_dense::simd;
pub(crate) use interior::Factor;
use interior::{PART, Scaled};

/// Part of Σ w ξ + |ρ| below which their difference does not count.
const CANCELLED: f64 = 1e-4;

/// What the margin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Margin {
    /// 1.
    One,
    /// ρ, as large as it pays; Σ w has to be above 1.
    Largest,
}

/// The problem. All numbers finite, at least one row and one column.
#[derive(Debug, Clone, Copy)]
pub struct Hinge<'a> {
    /// A, row by row.
    pub rows: &'a [f64],
    /// M.
    pub columns: usize,
    /// Where each group begins, and N at the end.
    pub groups: &'a [usize],
    /// w, above 0, one for each group.
    pub weights: &'a [f64],
    /// What the margin is.
    pub margin: Margin,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// β.
    pub weights: Vec<f64>,
    /// ρ; 1 where that is the margin.
    pub rho: f64,
    /// The objective of β.
    pub primal: f64,
    /// No point of the simplex has less.
    pub lower: f64,
    /// u of `lower`, one for each row.
    pub multipliers: Vec<f64>,
    /// The least objective so far, at the start and after each iteration.
    pub objective: Vec<f64>,
    /// (primal − lower) over Σ w ξ + |ρ| at β, or 10⁻⁶ of what both are at β = 0 and a margin as large as the largest
    /// |a_ik| if that is more.
    pub gap: f64,
    /// How it ended.
    pub status: Status,
}

/// Limit on iterations.
const ITERATIONS: usize = 100;

/// Weights below these shares of the largest are 0 in a candidate.
const NOTHING: [f64; 2] = [1e-10, 1e-6];

/// The same in an answer that is to be sparse ([`fewest`]), the largest first.
const RESIDUE: [f64; 3] = [1e-3, 1e-4, 1e-5];

/// Iterations without a smaller gap after which none is to be expected.
const PATIENCE: usize = 15;

impl Hinge<'_> {
    /// N.
    fn len(&self) -> usize {
        self.rows.len() / self.columns
    }

    /// Objective, ρ and Σ w ξ of a point of the simplex.
    pub fn value(&self, beta: &[f64]) -> (f64, f64, f64) {
        let mut margins = vec![0.0; self.len()];
        simd::dots(self.rows, self.columns, beta, 1.0, &mut margins);
        let least = |g: &[usize]| margins[g[0]..g[1]].iter().fold(f64::INFINITY, |a, m| a.min(*m));
        let worst: Vec<f64> = self.groups.windows(2).map(least).collect();
        let rho = match self.margin {
            Margin::One => 1.0,
            Margin::Largest => quantile(&worst, self.weights),
        };
        let loss = worst.iter().zip(self.weights).map(|(m, w)| w * (rho - m).max(0.0)).sum::<f64>();
        match self.margin {
            Margin::One => (loss, rho, loss),
            Margin::Largest => (loss - rho, rho, loss),
        }
    }

    /// The largest |a_ik|; 1 where all are 0.
    fn unit(&self) -> f64 {
        let largest = self.rows.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// What a gap is relative to, at the least.
    fn least(&self) -> f64 {
        let total: f64 = self.weights.iter().sum();
        1e-6 * match self.margin {
            Margin::One => total,
            Margin::Largest => self.unit(),
        }
    }
}

/// The largest ρ at which the weights of smaller margins are at most 1 in sum: there ρ − Σ w (ρ − m)₊ is largest.
fn quantile(margins: &[f64], weights: &[f64]) -> f64 {
    let mut all: Vec<(f64, f64)> = margins.iter().copied().zip(weights.iter().copied()).collect();
    // The place where the sum passes 1 by halves, as only the margin there is wanted.
    let (mut rest, mut sum) = (&mut all[..], 0.0);
    while rest.len() > 1 {
        let (below, _, _) = rest.select_nth_unstable_by(rest.len() / 2, |a, b| a.0.total_cmp(&b.0));
        let (count, half) = (below.len(), below.iter().map(|(_, w)| w).sum::<f64>());
        if sum + half > 1.0 {
            rest = &mut rest[..count];
        } else {
            sum += half;
            rest = &mut rest[count..];
        }
    }
    rest.first().map_or(0.0, |(margin, _)| *margin)
}

/// Minimises to a relative gap of `tol`.
pub fn minimize(problem: &Hinge<'_>, tol: f64, watch: &Watch) -> Found {
    let m = problem.columns;
    let mut best = Best::new(problem, vec![1.0 / m as f64; m]);
    if m == 1 {
        // There is one point.
        best.lower = best.primal;
        return best.end(Status::Converged, tol);
    }
    let scaled = Scaled::new(problem);
    let mut at = scaled.start();
    let (mut least, mut idle) = (f64::INFINITY, 0);
    let status = loop {
        if best.gap() <= tol {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if best.objective.len() > ITERATIONS {
            break Status::IterationLimit;
        }
        let Some(step) = scaled.step(&at) else { break Status::Stalled };
        let (length, back) = at.reach(&step);
        if length.max(back) <= 1e-12 {
            break Status::Stalled;
        }
        at.advance(&step, (PART * length).min(1.0), (PART * back).min(1.0));
        best.offer_dual(&at.u, &scaled);
        let [most, few] = NOTHING.map(|share| kept(&at.beta[..m], share));
        if few != most {
            best.offer(few);
        }
        best.offer(most);
        best.objective.push(best.primal);
        let gap = best.gap();
        (least, idle) = if gap < 0.9 * least { (gap, 0) } else { (least, idle + 1) };
        if idle == PATIENCE && gap > tol {
            break Status::Stalled;
        }
    };
    best.end(status, tol)
}

/// What a gap is relative to with a margin ρ: the objective, or this part of its terms where they nearly cancel.
pub fn size(loss: f64, rho: f64) -> f64 {
    (loss - rho).abs().max(CANCELLED * (loss + rho.abs()))
}

/// What was found without the weights that an interior point leaves where the best are 0: small ones without which the
/// objective is not above it by more than a tenth of the gap.
pub fn fewest(problem: &Hinge<'_>, mut found: Found) -> Found {
    let room = found.primal + 0.1 * (found.primal - found.lower).max(0.0);
    for share in RESIDUE {
        let few = kept(&found.weights, share);
        let (primal, rho, loss) = problem.value(&few);
        if few == found.weights || primal > room {
            continue;
        }
        (found.weights, found.primal, found.rho) = (few, primal, rho);
        found.lower = found.lower.min(primal);
        found.gap = (primal - found.lower).max(0.0) / Best::size(problem, rho, loss);
        // The trace ends at the answer.
        found.objective.iter_mut().for_each(|v| *v = v.max(primal));
        if let Some(last) = found.objective.last_mut() {
            *last = primal;
        }
        break;
    }
    found
}

/// The point without the weights below a share of the largest.
fn kept(beta: &[f64], share: f64) -> Vec<f64> {
    let least = share * beta.iter().fold(0.0_f64, |a, v| a.max(*v));
    let kept: Vec<f64> = beta.iter().map(|v| if *v < least { 0.0 } else { *v }).collect();
    let sum: f64 = kept.iter().sum();
    kept.iter().map(|v| v / sum).collect()
}

/// The best bounds so far.
struct Best<'a> {
    problem: &'a Hinge<'a>,
    beta: Vec<f64>,
    primal: f64,
    rho: f64,
    size: f64,
    lower: f64,
    u: Vec<f64>,
    objective: Vec<f64>,
}

impl<'a> Best<'a> {
    fn new(problem: &'a Hinge<'a>, beta: Vec<f64>) -> Self {
        let (primal, rho, loss) = problem.value(&beta);
        let size = Self::size(problem, rho, loss);
        let u = vec![0.0; problem.len()];
        let lower = match problem.margin {
            Margin::One => 0.0,
            Margin::Largest => f64::NEG_INFINITY,
        };
        Best { problem, beta, primal, rho, size, lower, u, objective: vec![primal] }
    }

    /// What a gap is relative to.
    fn size(problem: &Hinge<'_>, rho: f64, loss: f64) -> f64 {
        let objective = match problem.margin {
            Margin::One => loss,
            Margin::Largest => size(loss, rho),
        };
        objective.max(problem.least())
    }

    fn gap(&self) -> f64 {
        (self.primal - self.lower).max(0.0) / self.size
    }

    fn offer(&mut self, beta: Vec<f64>) {
        let (primal, rho, loss) = self.problem.value(&beta);
        if primal < self.primal {
            let size = Self::size(self.problem, rho, loss);
            (self.beta, self.primal, self.rho, self.size) = (beta, primal, rho, size);
        }
    }

    /// Multipliers of the scaled problem, made feasible.
    fn offer_dual(&mut self, u: &[f64], scaled: &Scaled) {
        let p = self.problem;
        let factor = scaled.weight;
        let mut u: Vec<f64> = u.iter().map(|u| factor * u).collect();
        for (g, w) in p.groups.windows(2).zip(p.weights) {
            let sum: f64 = u[g[0]..g[1]].iter().sum();
            if sum > *w {
                u[g[0]..g[1]].iter_mut().for_each(|v| *v *= w / sum);
            }
        }
        if p.margin == Margin::Largest {
            self.fill(&mut u);
        }
        let mut pulled = vec![0.0; p.columns];
        let terms: Vec<(f64, &[f64])> =
            u.iter().copied().zip(p.rows.chunks_exact(p.columns)).collect();
        simd::weighted_sum_near(&terms, &mut pulled);
        let most = pulled.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
        let lower = match p.margin {
            Margin::One => u.iter().sum::<f64>() - most,
            Margin::Largest => -most,
        };
        if lower > self.lower {
            (self.lower, self.u) = (lower, u);
        }
    }

    /// Brings the sum of multipliers to 1: all of them less, or what is missing where groups have room.
    fn fill(&self, u: &mut [f64]) {
        let p = self.problem;
        let sum: f64 = u.iter().sum();
        if sum >= 1.0 {
            u.iter_mut().for_each(|v| *v /= sum);
            return;
        }
        let share = (1.0 - sum) / (p.weights.iter().sum::<f64>() - sum);
        for (g, w) in p.groups.windows(2).zip(p.weights) {
            let room = (w - u[g[0]..g[1]].iter().sum::<f64>()).max(0.0);
            let more = share * room / (g[1] - g[0]) as f64;
            u[g[0]..g[1]].iter_mut().for_each(|v| *v += more);
        }
    }

    /// The answer, with as few weights as the tolerance allows.
    fn end(mut self, status: Status, tol: f64) -> Found {
        let few = kept(&self.beta, NOTHING[1]);
        let (primal, rho, loss) = self.problem.value(&few);
        let size = Self::size(self.problem, rho, loss);
        if (primal - self.lower).max(0.0) / size <= tol.max(self.gap()) {
            (self.beta, self.primal, self.rho, self.size) = (few, primal, rho, size);
        }
        let gap = self.gap();
        let lower = self.lower.min(self.primal);
        if let Some(last) = self.objective.last_mut() {
            *last = last.min(self.primal);
        }
        Found {
            weights: self.beta,
            rho: self.rho,
            primal: self.primal,
            lower,
            multipliers: self.u,
            objective: self.objective,
            gap,
            status,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
