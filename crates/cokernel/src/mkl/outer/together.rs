//! Weights and coefficients together, by interior points, for few kernels of single features.
//!
//! ```text
//! min_η max_c  Σ_u ℓ(c_u) − ½ Σ_u Σ_m η_m (z_mᵀc_u)²      η ≥ 0,  g(η) = Σ_m v_m η_m + s_m η_m² ≤ 1,  Σ c_u = 0
//! ```
//!
//! with K_m = z_m z_mᵀ, for losses that are piecewise linear: c_ui = Σ ±α over the sides of instance i (one of the hinge, two of the
//! ε-insensitive loss, and without a tube, ε = 0, one with −C ≤ α ≤ C), 0 ≤ α ≤ C, ℓ = Σ l α. With f_u = Σ_m η_m z_m z_mᵀc_u + b_u,
//! the multipliers ξ and ζ of the bounds of α, σ of η ≥ 0 and ρ of g, and q_m = Σ_u (z_mᵀc_u)², the conditions
//!
//! ```text
//! l − (±f) + ξ − ζ = 0,   Σ c_u = 0,   ρ g'_m − ½ q_m − σ_m = 0,   g(η) = 1,   α ξ = (C − α) ζ = η σ = τ
//! ```
//!
//! are solved by Newton's method for τ falling to 0, a predictor and a corrector with the same factors (Mehrotra, *SIAM
//! Journal on Optimization* 2, 1992). With D_ui⁻¹ = 1/Σ(1/θ), θ = ξ/α + ζ/(C − α), the coefficients are eliminated by
//!
//! ```text
//! (Z E Zᵀ + D⁻¹)⁻¹ = D − D Z E^½ B⁻¹ E^½ Zᵀ D,     B = I + E^½ Zᵀ D Z E^½,     Zᵀ (Z E Zᵀ + D⁻¹)⁻¹ Z = E^−½ (I − B⁻¹) E^−½,
//! ```
//!
//! E = diag(η), which leaves a system in the weights. With fewer instances than kernels the same comes from factors of
//! I + D^½ (Z E Zᵀ + γ 1 1ᵀ) D^½.
//!
//! The loop of this module looks for weights around machines that are solved. Where there are about as many kernels of single
//! features as free coefficients, every change of the weights changes which coefficients are free, and it takes hundreds of machines;
//! a point in the interior sees no such corner. Measured: 9 to 24 iterations a round, for C from 0.01 to 10¹² and gaps of 10⁻⁴ of a round
//! (80 to 1,000 instances, 8 to 900 kernels with a weight).
//!
//! **Limits.** Without a tube at C = 10¹², and for 30 instances with 60 features at 10⁸, there is no result, and the loop goes on; why was not
//! looked into.
//! The limits below are chosen, not measured.
//!
//! **Cost** of an iteration, for each decision function: n M² and M³ (where n < M, n² M, n M² and n³, and M³ once). Memory: n M numbers
//! twice, 4 M².

mod step;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use super::Set;
use crate::data::Target;
use crate::machine::{Block, Head, Role, Solution};
use crate::mkl::Problem;
use crate::scale::Loss;
use crate::solve::solved::of_sum_zero;
use crate::{Counts, Run, Status, Watch};
use cokernel_dense::simd::dot;
use rayon::prelude::*;
use std::sync::Arc;

/// Most iterations.
const ITERATIONS: usize = 60;
/// From how many times the wanted gap on points are settled.
const NEAR: f64 = 4.0;
/// Costs, for a mean diagonal of 1, beyond which they are left aside at first: most coefficients are far below, and the products of what is
/// between take many steps to become small.
const CAPS: [f64; 3] = [1e4, 1e8, f64::INFINITY];
/// Steps after a point that has the gap if nothing is cut from it.
const MORE: usize = 8;
/// Weights that count for less than this become 0 in any case.
const NOTHING: f64 = 1e-12;
/// Part of its cost from which on a coefficient counts as at its bound.
const AT_BOUND: f64 = 0.99;

/// What was found.
pub(super) struct Together {
    /// η, some of which are 0.
    pub weights: Vec<f64>,
    /// Coefficients in the interior, with their bounds.
    pub machines: Solution,
    /// Steps.
    pub iterations: usize,
}

/// Whether these weights and machines can be looked for in this way.
pub(super) fn serves(set: &dyn Set, problem: &Problem<'_>, run: &Run) -> bool {
    let (n, kernels) = (problem.bank.n(), problem.bank.len());
    // Features and as many numbers again, and matrices of kernels × kernels.
    let numbers = 2.0 * n as f64 * kernels as f64 + 5.0 * (kernels as f64).powi(2);
    if 8.0 * numbers > run.memory as f64 {
        return false;
    }
    let loss = problem.machine.loss();
    let kinks = matches!(loss, Some(Loss::Hinge | Loss::Insensitive { .. }));
    kinks && problem.bank.is_all_columns() && set.bowl(problem.bank.len()).is_some()
}

/// α of one instance on one side of its loss; on both, without a tube: their difference, which keeps its digits.
struct Side {
    row: usize,
    sign: f64,
    /// 0, or −C on both sides.
    floor: f64,
    /// C, capped and as it is.
    cost: f64,
    full: f64,
    gain: f64,
    alpha: f64,
    /// ξ and ζ.
    low: f64,
    high: f64,
}

impl Side {
    fn room(&self) -> f64 {
        self.cost - self.alpha
    }

    fn above(&self) -> f64 {
        self.alpha - self.floor
    }

    fn is_both(&self) -> bool {
        self.floor < 0.0
    }

    fn theta(&self) -> f64 {
        self.low / self.above() + self.high / self.room()
    }
}

/// One decision function.
struct Function {
    role: Role,
    sides: Vec<Side>,
    bias: f64,
    /// c, z_mᵀc and f without b, of the point.
    coef: Vec<f64>,
    scores: Vec<f64>,
    values: Vec<f64>,
}

struct Interior<'a> {
    set: &'a dyn Set,
    /// z_m, one after the other.
    z: Arc<Vec<f64>>,
    n: usize,
    /// What kernels were divided and costs multiplied by.
    unit: f64,
    linear: Vec<f64>,
    square: Vec<f64>,
    functions: Vec<Function>,
    eta: Vec<f64>,
    sigma: Vec<f64>,
    rho: f64,
    q: Vec<f64>,
}

/// Solves it, and each machine at these weights, to a relative gap; `None` if this problem is none for it, or it did not come
/// that near.
pub(super) fn solve(
    set: &dyn Set,
    problem: &Problem<'_>,
    tol: f64,
    watch: &Watch,
) -> Option<Together> {
    let mut before = 0;
    let (z, unit) = features(problem)?;
    let z = Arc::new(z);
    for cap in CAPS {
        let mut inside = Interior::new(set, problem, (&z, unit), cap)?;
        let (found, steps) = inside.solve(tol, watch);
        before += steps;
        if let Some((weights, machines)) = found {
            return Some(Together { weights, machines, iterations: before });
        }
        let capped = inside.functions.iter().flat_map(|f| &f.sides).any(|s| s.full > s.cost);
        if !capped || watch.stop().is_some() {
            return None;
        }
    }
    None
}

impl<'a> Interior<'a> {
    /// Steps until a point on the bounds has the gap; and how many there were. Where a C is large what is cut off can cost more than
    /// all: after some more steps, or where there is none, a point is taken from which nothing is cut.
    fn solve(&mut self, tol: f64, watch: &Watch) -> (Option<(Vec<f64>, Solution)>, usize) {
        let (mut whole, mut more) = (None, 0);
        for iteration in 0..=ITERATIONS {
            self.look();
            let gap = self.gap();
            if !gap.is_finite() || watch.stop().is_some() {
                return (None, iteration);
            }
            if gap <= NEAR * tol {
                for cut in [true, false] {
                    let (settled, machines) = self.settled(cut);
                    let alone = machines.blocks.iter().all(|b| b.gap <= tol);
                    if alone && settled.gap() <= tol {
                        let found = (settled.eta, machines);
                        if cut {
                            return (Some(found), iteration);
                        }
                        whole = Some(found);
                    }
                }
            }
            more += usize::from(whole.is_some());
            if more > MORE || self.step().is_none() {
                return (whole, iteration);
            }
        }
        (whole, ITERATIONS)
    }

    fn new(
        set: &'a dyn Set,
        problem: &Problem<'_>,
        (z, unit): (&Arc<Vec<f64>>, f64),
        cap: f64,
    ) -> Option<Self> {
        let (bank, n) = (problem.bank, problem.bank.n());
        let (linear, square) = set.bowl(bank.len())?;
        let costs = problem.machine.loss_costs(problem.target, problem.weights).ok()?;
        let loss = problem.machine.loss()?;
        let classes = match problem.target {
            Target::Classes(classes) => classes.n_classes(),
            _ => 0,
        };
        let side = |row: usize, sign: f64, gain: f64| Side {
            row,
            sign,
            floor: 0.0,
            cost: (costs[row] * unit).min(cap),
            full: costs[row] * unit,
            gain,
            alpha: 0.0,
            low: 0.0,
            high: 0.0,
        };
        let sides = |role: Role| -> Option<Vec<Side>> {
            let all = 0..n;
            Some(match (loss, problem.target) {
                (Loss::Hinge, target) => {
                    let codes = &target.classes().ok()?.codes;
                    all.map(|i| side(i, role.sign(codes[i]), 1.0)).collect()
                }
                (Loss::Insensitive { epsilon: 0.0 }, Target::Real(t)) => {
                    all.map(|i| side(i, 1.0, t[i])).map(|s| Side { floor: -s.cost, ..s }).collect()
                }
                (Loss::Insensitive { epsilon }, Target::Real(t)) => all
                    .flat_map(|i| [side(i, 1.0, t[i] - epsilon), side(i, -1.0, -t[i] - epsilon)])
                    .collect(),
                _ => return None,
            })
        };
        let mut functions = Vec::new();
        for role in problem.machine.reading().roles(classes) {
            let mut sides = sides(role)?;
            sides.retain(|s| s.cost > 0.0 && s.sign != 0.0);
            let (coef, scores, values) = (vec![0.0; n], vec![0.0; bank.len()], vec![0.0; n]);
            functions.push(Function { role, sides, bias: 0.0, coef, scores, values });
        }
        if functions.iter().any(|f| f.sides.is_empty()) {
            return None;
        }
        let mut inside = Interior {
            set,
            z: Arc::clone(z),
            n,
            unit,
            linear,
            square,
            functions,
            eta: set.first(bank.len()),
            sigma: Vec::new(),
            rho: 0.0,
            q: Vec::new(),
        };
        inside.start();
        Some(inside)
    }

    /// Coefficients that sum to 0 inside of their bounds, and multipliers that leave room on both sides.
    fn start(&mut self) {
        for function in &mut self.functions {
            let gains = function.sides.iter().map(|s| s.gain.abs()).sum::<f64>();
            let size = (gains / function.sides.len() as f64).max(f64::MIN_POSITIVE);
            let least = function.sides.iter().map(|s| s.cost).fold(f64::INFINITY, f64::min);
            let all = (0.5 * least).min(size);
            let count = |sign: f64| function.sides.iter().filter(|s| s.sign == sign).count() as f64;
            let (above, below) = (count(1.0), count(-1.0));
            let few = above.min(below).max(1.0);
            for side in function.sides.iter_mut().filter(|s| !s.is_both()) {
                side.alpha = all * few / if side.sign > 0.0 { above } else { below };
            }
        }
        self.look();
        for function in &mut self.functions {
            let values = &function.values;
            let residual = |s: &Side| s.gain - s.sign * values[s.row];
            let count = function.sides.len() as f64;
            let mean = function.sides.iter().map(|s| residual(s).abs()).sum::<f64>() / count;
            let least = mean + 1e-3;
            for side in &mut function.sides {
                let r = residual(side);
                (side.low, side.high) = ((-r).max(least), r.max(least));
            }
        }
        let prices = self.prices();
        let half = self.q.iter().zip(&prices).map(|(q, p)| 0.5 * q / p);
        self.rho = half.fold(1e-9, f64::max);
        let room = |(q, p): (&f64, &f64)| (self.rho * p - 0.5 * q).max(0.1 * self.rho * p);
        self.sigma = self.q.iter().zip(&prices).map(room).collect();
    }

    /// g'.
    fn prices(&self) -> Vec<f64> {
        let terms = self.linear.iter().zip(&self.square).zip(&self.eta);
        terms.map(|((v, s), e)| v + 2.0 * s * e).collect()
    }

    fn line(&self, m: usize) -> &[f64] {
        &self.z[m * self.n..(m + 1) * self.n]
    }

    /// z_mᵀx of all kernels.
    fn scores(&self, x: &[f64]) -> Vec<f64> {
        (0..self.eta.len()).into_par_iter().map(|m| dot(self.line(m), x)).collect()
    }

    /// Σ_m w_m z_m.
    fn sum(&self, w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        for (m, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            out.iter_mut().zip(self.line(m)).for_each(|(o, z)| *o += w * z);
        }
        out
    }

    /// What follows from the coefficients and weights.
    fn look(&mut self) {
        let mut q = vec![0.0; self.eta.len()];
        for u in 0..self.functions.len() {
            let mut coef = vec![0.0; self.n];
            self.functions[u].sides.iter().for_each(|s| coef[s.row] += s.sign * s.alpha);
            let scores = self.scores(&coef);
            q.iter_mut().zip(&scores).for_each(|(q, s)| *q += s * s);
            let slopes: Vec<f64> = scores.iter().zip(&self.eta).map(|(s, e)| s * e).collect();
            let values = self.sum(&slopes);
            let function = &mut self.functions[u];
            (function.coef, function.scores, function.values) = (coef, scores, values);
        }
        self.q = q;
    }

    /// ½ Σ η s², the primal objective and ℓ of a decision function. Where the hinge loss leaves a margin and C is
    /// beyond the first of the caps, f is enlarged until it has no loss if that costs less: C does not matter then.
    fn parts(&self, function: &Function) -> [f64; 3] {
        let norm = function.scores.iter().zip(&self.eta).map(|(s, e)| e * s * s).sum::<f64>();
        let of = |s: &Side| s.sign * (function.values[s.row] + function.bias);
        let loss = |s: &Side| match s.gain - of(s) {
            left if s.is_both() => s.full * left.abs(),
            left => s.full * left.max(0.0),
        };
        let losses: f64 = function.sides.iter().map(loss).sum();
        let margin = function.sides.iter().map(of).fold(f64::INFINITY, f64::min);
        let hinge =
            function.sides.iter().all(|s| s.gain == 1.0 && s.full > CAPS[0] && !s.is_both());
        let mut primal = 0.5 * norm + losses;
        if hinge && margin > 0.0 {
            primal = primal.min(0.5 * norm * margin.recip().max(1.0).powi(2));
        }
        [0.5 * norm, primal, function.sides.iter().map(|s| s.gain * s.alpha).sum()]
    }

    /// The relative gap.
    fn gap(&self) -> f64 {
        let (mut primal, mut linear) = (0.0, 0.0);
        for function in &self.functions {
            let [_, upper, gains] = self.parts(function);
            primal += upper;
            linear += gains;
        }
        let half: Vec<f64> = self.q.iter().map(|q| 0.5 * q).collect();
        (primal - linear + self.set.conjugate(&half)) / primal.max(f64::MIN_POSITIVE)
    }

    /// This point on the bounds that it goes to, or only without what is nothing; with coefficients that sum to 0 and the best
    /// biases, and its machines.
    fn settled(&self, cut: bool) -> (Interior<'a>, Solution) {
        let prices = self.prices();
        let kept = |m: usize| {
            let part = self.eta[m] * prices[m];
            part > if cut { self.sigma[m] / (self.rho * prices[m]) } else { NOTHING }
        };
        let some: Vec<f64> =
            (0..self.eta.len()).map(|m| if kept(m) { self.eta[m] } else { 0.0 }).collect();
        let any = some.iter().any(|w| *w > 0.0);
        let eta = self.set.onto(if any { &some } else { &self.eta });
        let functions = self.functions.iter().map(|f| f.settled(self.n, cut)).collect();
        let mut settled = Interior {
            functions,
            eta,
            z: Arc::clone(&self.z),
            linear: self.linear.clone(),
            square: self.square.clone(),
            sigma: self.sigma.clone(),
            q: Vec::new(),
            ..*self
        };
        settled.look();
        settled.functions.iter_mut().for_each(Function::balance);
        let block = |function: &Function| {
            let [norm, primal, gains] = settled.parts(function).map(|v| v / self.unit);
            let objective = gains - norm;
            let coef = function.coef.iter().map(|c| c / self.unit).collect();
            Block {
                heads: vec![Head { role: function.role, coef, bias: function.bias }],
                linear: gains,
                primal,
                objective,
                gap: (primal - objective) / primal.max(f64::MIN_POSITIVE),
                hidden: 0.0,
                status: Status::Converged,
                free: None,
                at_bound: function.at_bound(),
            }
        };
        let blocks = settled.functions.iter().map(block).collect();
        (settled, Solution { blocks, counts: Counts::default() })
    }
}

impl Function {
    /// With coefficients on the bounds that they go to, where they are to be cut, made to sum to 0.
    fn settled(&self, n: usize, cut: bool) -> Function {
        let (mut coef, mut lower, mut upper) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for s in &self.sides {
            let alpha = match (cut && s.above() <= s.low, cut && s.room() <= s.high) {
                (true, false) => s.floor,
                (false, true) => s.cost,
                _ => s.alpha,
            };
            coef[s.row] += s.sign * alpha;
            let bound = if s.sign > 0.0 { &mut upper[s.row] } else { &mut lower[s.row] };
            *bound += s.sign * s.cost;
            lower[s.row] += s.floor;
        }
        let coef = of_sum_zero(&coef, &lower, &upper);
        let side = |s: &Side| Side { alpha: (s.sign * coef[s.row]).max(s.floor), ..*s };
        let sides = self.sides.iter().map(side).collect();
        let (scores, values) = (Vec::new(), Vec::new());
        Function { role: self.role, sides, bias: self.bias, coef, scores, values }
    }

    /// Makes the losses least in b: their slope −Σ ±C over the sides with a loss rises by C at b = ±l − f.
    fn balance(&mut self) {
        let place = |s: &Side| {
            let rise = if s.is_both() { 2.0 * s.full } else { s.full };
            (s.sign * s.gain - self.values[s.row], rise)
        };
        let mut places: Vec<(f64, f64)> = self.sides.iter().map(place).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let above = self.sides.iter().filter(|s| s.sign > 0.0);
        let mut slope = -above.map(|s| s.full).sum::<f64>();
        for (at, cost) in places {
            (self.bias, slope) = (at, slope + cost);
            if slope >= 0.0 {
                break;
            }
        }
    }

    /// Of the smaller side (or all, for numbers) the instances at their bound, and all.
    fn at_bound(&self) -> (usize, usize) {
        let of = |sign: f64| {
            let own = self.sides.iter().filter(|s| s.sign == sign);
            let at = own.clone().filter(|s| s.alpha.abs() >= AT_BOUND * s.full).count();
            (own.clone().map(|s| s.full).sum::<f64>(), at, own.count())
        };
        let (plus, minus) = (of(1.0), of(-1.0));
        if matches!(self.role, Role::Only { .. }) {
            return (plus.1 + minus.1, plus.2);
        }
        let smaller = if minus.0 < plus.0 { minus } else { plus };
        (smaller.1, smaller.2)
    }
}

/// z_m of all kernels over the root of their mean diagonal entry, and that entry; from the row of the largest diagonal entry.
fn features(problem: &Problem<'_>) -> Option<(Vec<f64>, f64)> {
    let (bank, n) = (problem.bank, problem.bank.n());
    let means = bank.mean_diagonals();
    let unit = means.iter().sum::<f64>() / means.len().max(1) as f64;
    if !(unit > 0.0 && unit.is_finite()) {
        return None;
    }
    let mut z = vec![0.0; n * bank.len()];
    z.par_chunks_mut(n).enumerate().for_each(|(m, line)| {
        let diagonal = bank.diagonal(m);
        let i = (0..n).max_by(|a, b| diagonal[*a].total_cmp(&diagonal[*b])).unwrap_or(0);
        if diagonal[i] > 0.0 {
            bank.row(m, i, line);
            let by = (diagonal[i] * unit).sqrt();
            line.iter_mut().for_each(|v| *v /= by);
        }
    });
    Some((z, unit))
}
