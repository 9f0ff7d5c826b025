//! A proof by the coefficients of several machines, where those of one prove little.
//!
//! Where many coefficients are optimal on K_η (equal rows, fewer columns than instances, a small C) the machine ends
//! at any of them. The form q_m of a kernel without a weight can then be far above those of the others, and the lower bound
//! far below J, although the weights are the best there are: no other weights are better, and the loop stalls. Some optimal
//! coefficients do prove it; they are looked for among convex combinations of those of machines at several weights,
//!
//! ```text
//! max  Σ_t λ_t ℓ(c_t) − max_m Σ_t λ_t ½ q_m(c_t)/p_m     λ ≥ 0, Σ λ = 1
//! ```
//!
//! over a set {η ≥ 0, pᵀη = 1}. What is found is no more than the lower bound of c = Σ_t λ_t c_t itself: c is feasible,
//! for the set of coefficients is convex, ℓ is concave and q_m is convex. The machine at the best η is then solved from c, to
//! the tolerance of the method, which ends at once where c is that good; and what it returns is the machine of the model, so
//! that gap and objectives can be computed again from its coefficients alone.
//!
//! **Where the machines are.** The program's other side is the least of the model max_t ℓ(c_t) − Σ_m η_m ½ q_m(c_t) ≤ J(η) of
//! SILP (Sonnenburg and others, JMLR 7, 2006). The next machine is at the point nearest to the best weights where the model
//! is at most half way between the bounds (the level method of Lemaréchal, Nemirovskii and Nesterov, 1995): near these,
//! machines are nearly optimal for them, too.
//!
//! **Cost** of a round: two sums and two forms of each kernel, two warm machines, and a program over the planes
//! ([`planes`](crate::solve::planes)). Memory: the coefficients of each round.

use super::search::{self, Point, Search};
use super::{Outer, Set};
use crate::machine::Solution;
use crate::solve::planes::Planes;
use crate::{Event, Result, Run};

/// Rounds at most.
const ROUNDS: usize = 50;
/// Rounds in a row that take a hundredth off neither the gap of the bounds nor that of the point, after which it is given up.
const FRUITLESS: u32 = 8;
/// Part of the tolerance to which the machines must be solved.
const EXACT: f64 = 0.1;
/// Part of the gap to which the machines are solved.
const INNER: f64 = 0.02;

/// The coefficients so far, and what they say of every kernel.
struct Hull<'a> {
    set: &'a dyn Set,
    prices: &'a [f64],
    planes: Planes,
    machines: Vec<Solution>,
    lower: f64,
}

impl Hull<'_> {
    fn add(&mut self, point: &Point) {
        let half = point.safe_half_forms();
        let linear = point.machines.linear();
        self.planes.push(half.iter().zip(self.prices).map(|(q, p)| linear - q / p));
        self.machines.push(point.machines.clone());
        self.lower = self.lower.max(linear - self.set.conjugate(&half));
    }

    /// Σ_t λ_t c_t, as a start: its objectives are those of the first.
    fn mixed(&self, shares: &[f64]) -> Solution {
        let mut mixed = self.machines[0].clone();
        for (b, block) in mixed.blocks.iter_mut().enumerate() {
            for (h, head) in block.heads.iter_mut().enumerate() {
                head.coef.fill(0.0);
                for (machines, share) in self.machines.iter().zip(shares) {
                    let other = &machines.blocks[b].heads[h].coef;
                    head.coef.iter_mut().zip(other).for_each(|(c, o)| *c += share * o);
                }
            }
        }
        mixed
    }
}

/// The rounds that were made.
pub(super) struct Rounds {
    pub objective: Vec<f64>,
    pub gaps: Vec<f64>,
}

impl Outer<'_> {
    /// Looks for coefficients that prove a gap of at most `tol` at the weights of the point, or at better ones; `None`
    /// where the set is none for that, or rounding is what hides the rest. The point is left as it is, or better.
    pub(super) fn prove(
        &self,
        search: &mut Search<'_>,
        point: &mut Point,
        most: usize,
        run: &Run,
    ) -> Result<Option<Rounds>> {
        let Some(prices) = self.set.prices(point.weights.len()) else { return Ok(None) };
        search.see_all(point);
        // What rounding hides is not proven by more machines.
        let inexact = search.refused.is_some_and(|(gap, _)| gap > EXACT * self.tol);
        if search.given_up || inexact || search.gap_but_for_rounding(point) <= self.tol {
            return Ok(None);
        }
        let mut rounds = Rounds { objective: Vec::new(), gaps: Vec::new() };
        let planes = Planes::new(prices.len());
        let mut hull = Hull {
            set: self.set,
            prices: &prices,
            planes,
            machines: Vec::new(),
            lower: f64::NEG_INFINITY,
        };
        hull.add(point);
        // The point with the least upper bound, whose own coefficients may prove less than those of `point`.
        let mut best = point.clone();
        let mut fruitless = 0;
        for round in 0..ROUNDS.min(most) {
            if search.watch.stop().is_some() || fruitless >= FRUITLESS {
                break;
            }
            let upper = search.objective(&best);
            let left = upper - hull.lower;
            let shares: Vec<f64> = best.weights.iter().zip(&prices).map(|(w, p)| w * p).collect();
            let next = hull.planes.nearest(&shares, hull.lower + 0.5 * left);
            let weights = next.iter().zip(&prices).map(|(x, p)| x / p).collect::<Vec<f64>>();
            let weights = search.cleaned(&weights, search::DROP);
            let exact = INNER * left / upper.abs().max(f64::MIN_POSITIVE);
            // Numbers beyond f64 elsewhere are no reason to lose what is known here.
            let Ok(mut other) = search.elsewhere_to(weights, &best, exact) else { break };
            search.differentiate(&mut other, false)?;
            if search.given_up {
                break;
            }
            hull.add(&other);
            if search.objective(&other) < upper {
                best = other;
            }
            let least = hull.planes.least();
            hull.lower = hull.lower.max(least.bound);
            let mixed = hull.mixed(&least.shares);
            let Ok(mut proof) = search.at(best.weights.clone(), &mixed, self.tol) else { break };
            search.differentiate(&mut proof, false)?;
            if search.given_up {
                break;
            }
            hull.add(&proof);
            let before = search.gap(point);
            if search.gap(&proof) < before {
                *point = proof;
            }
            let gap = search.gap(point);
            rounds.objective.push(search.objective(point));
            rounds.gaps.push(gap);
            let message = format!("gap {gap:.1e} by {} machines", hull.machines.len());
            run.tell(Event::Step { done: round as u64, message: &message });
            if gap <= self.tol {
                break;
            }
            let less = left - (search.objective(&best) - hull.lower);
            let idle = less < 0.01 * left && gap > 0.99 * before;
            fruitless = if idle { fruitless + 1 } else { 0 };
        }
        // The stored kernel is that of the last machine.
        search.form(&point.weights);
        Ok(Some(rounds))
    }
}
