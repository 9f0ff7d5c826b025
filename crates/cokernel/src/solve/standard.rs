//! Standard quadratic programs: the least value of a quadratic form over the simplex.
//!
//! ```text
//! min  αᵀQα   subject to   Σ α = 1, α ≥ 0        (StQP; NP-hard where Q is not positive semi-definite)
//! min  ⟨Q, Z⟩ subject to   Σ Z = 1, Z ≽ 0, Z ≥ 0  (its relaxation)
//! ```
//!
//! (Mukherjee, Singh, Peng and Hinrichs 2010, (13) and (14).) The relaxation is solved by alternating
//! directions (Boyd et al. 2011) with over-relaxation 1.6, on Q over its largest entry:
//!
//! ```text
//! X = Π_≽(Z − U − Q/ρ),   Z = Π_Δ(1.6 X − .6 Z + U),   U += 1.6 X − .6 Z_before − Z
//! ```
//!
//! with Π_≽ the projection on the positive semi-definite matrices and Π_Δ that on the simplex of all entries. ρ is
//! doubled or halved where the residuals differ tenfold.
//!
//! **Bounds.** From any U with θ its largest entry and S = Q + ρU,
//!
//! ```text
//! ⟨Q, Z⟩ = ⟨S, Z⟩ − ρ⟨U, Z⟩ ≥ min(0, λ_min(S)) tr Z − ρθ ΣZ ≥ min(0, λ_min(S)) − ρθ
//! ```
//!
//! for every Z of the relaxation, as tr Z ≤ ΣZ = 1: a lower bound of both programs, valid at each iterate. The upper
//! bound is αᵀQα of a point of the simplex: α ∝ √Z_mm (15), entries below 10⁻⁴ cut, as an error ε of Z becomes √ε
//! there, then improved by pair exchanges with an exact line search and by the stationary point of its support.
//! Where both meet, α is proven to be a best point, whatever the rank of Z. The relaxation is exact for M ≤ 4
//! (a doubly non-negative matrix is completely positive then), and can fail from M = 5 on.
//!
//! **Cost.** An iteration is one eigen-decomposition, O(M³). Bounds 10⁻⁶ apart took 40 of them on five programs of (13) with 39
//! kernels, and 100, 120, 140, 200 and 400 with 150 (`benches/peers/cuts.py`).

use crate::Watch;
use cokernel_dense::{Lu, Slice, product_nt, symmetric_eigen};

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    /// α, a point of the simplex.
    pub alpha: Vec<f64>,
    /// αᵀQα of the best single variable, and of the best point after each look; it never increases.
    pub objective: Vec<f64>,
    /// No point of the simplex has less.
    pub lower: f64,
    /// αᵀQα as rounded from Z, before it was improved.
    pub rounded: f64,
    /// Σ √Z_mm, which is 1 where Z is αᵀα for a point of the simplex.
    pub rank_one: f64,
    /// ⟨Q, Z⟩ at the end of the relaxation.
    pub relaxed: f64,
    /// Iterations of the relaxation.
    pub iterations: usize,
    /// Whether the relaxation was solved to the tolerance.
    pub solved: bool,
}

/// Over-relaxation, iterations between two looks at the bounds, iterations at most.
const OVER: f64 = 1.6;
const LOOK: usize = 20;
const MOST: usize = 5_000;
/// Entries of α that are cut before it is improved.
const CUT: f64 = 1e-4;
/// Pair exchanges for each variable at most.
const EXCHANGES: usize = 200;

/// Solves it for Q (M × M, symmetric, finite), until the bounds are `tol` times the largest |Q| apart, or the
/// relaxation is solved to that.
pub fn minimize_standard(q: &[f64], tol: f64, watch: &Watch) -> Standard {
    let m = q.len().isqrt();
    let unit = q.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if unit == 0.0 || m == 0 {
        let alpha = vec![1.0 / m.max(1) as f64; m];
        let rank_one = f64::from(u8::from(m > 0));
        return Standard {
            alpha,
            objective: vec![0.0],
            lower: 0.0,
            rounded: 0.0,
            rank_one,
            relaxed: 0.0,
            iterations: 0,
            solved: true,
        };
    }
    let q: Vec<f64> = q.iter().map(|v| v / unit).collect();
    let mut state = State::new(&q, m);
    let mut best = Best::new(&q, m);
    let (mut lower, mut iterations, mut solved) = (f64::NEG_INFINITY, 0, false);
    while iterations < MOST {
        if !state.step() {
            break;
        }
        iterations += 1;
        let stopped = watch.stop().is_some();
        if !iterations.is_multiple_of(LOOK) && !stopped {
            continue;
        }
        lower = lower.max(state.bound());
        best.take(&state.z);
        solved = state.relaxed() - lower <= tol && state.residual() <= tol;
        if best.value() - lower <= tol || solved || stopped {
            break;
        }
        state.adapt();
    }
    let scale = |v: f64| v * unit;
    Standard {
        objective: best.trace.iter().map(|v| scale(*v)).collect(),
        lower: scale(lower.min(best.value())),
        rounded: scale(best.rounded),
        rank_one: (0..m).map(|k| state.z[k * m + k].max(0.0).sqrt()).sum(),
        relaxed: scale(state.relaxed()),
        iterations,
        solved: solved || best.value() - lower <= tol,
        alpha: best.alpha,
    }
}

/// The iterates of the relaxation.
struct State<'a> {
    q: &'a [f64],
    m: usize,
    z: Vec<f64>,
    u: Vec<f64>,
    rho: f64,
    /// Norms of X − Z and of ρ times the last change of Z.
    primal: f64,
    dual: f64,
}

impl<'a> State<'a> {
    fn new(q: &'a [f64], m: usize) -> Self {
        let z = vec![1.0 / (m * m) as f64; m * m];
        State { q, m, z, u: vec![0.0; m * m], rho: 1.0, primal: f64::INFINITY, dual: f64::INFINITY }
    }

    /// One iteration; false where the decomposition failed.
    fn step(&mut self) -> bool {
        let (m, rho) = (self.m, self.rho);
        let terms = self.z.iter().zip(&self.u).zip(self.q);
        let values = terms.map(|((z, u), q)| z - u - q / rho).collect();
        let Some(x) = positive_part(m, values) else { return false };
        let mut next: Vec<f64> =
            x.iter().zip(&self.z).map(|(x, z)| OVER * x + (1.0 - OVER) * z).collect();
        let relaxed = next.clone();
        next.iter_mut().zip(&self.u).for_each(|(n, u)| *n += u);
        onto_simplex(&mut next);
        for ((u, r), n) in self.u.iter_mut().zip(&relaxed).zip(&next) {
            *u += r - n;
        }
        let apart = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        self.primal = apart(&x, &next);
        self.dual = rho * apart(&next, &self.z);
        self.z = next;
        true
    }

    /// The lower bound of the relaxation at this U.
    fn bound(&self) -> f64 {
        let largest = self.u.iter().fold(f64::NEG_INFINITY, |a, v| a.max(*v));
        let values: Vec<f64> = self.q.iter().zip(&self.u).map(|(q, u)| q + self.rho * u).collect();
        // The rounding of the eigenvalues, so that the bound holds.
        let size = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        let slack = 8.0 * f64::EPSILON * size;
        let mut vectors = vec![0.0; self.m * self.m];
        match symmetric_eigen(Slice::new(&values, self.m, self.m), &mut vectors) {
            Some(found) => found[0].min(0.0) - slack - self.rho * largest,
            None => f64::NEG_INFINITY,
        }
    }

    fn relaxed(&self) -> f64 {
        self.q.iter().zip(&self.z).map(|(q, z)| q * z).sum()
    }

    fn residual(&self) -> f64 {
        self.primal.max(self.dual)
    }

    /// Balances the residuals; U is over ρ.
    fn adapt(&mut self) {
        let by = if self.primal > 10.0 * self.dual {
            2.0
        } else if self.dual > 10.0 * self.primal {
            0.5
        } else {
            return;
        };
        self.rho *= by;
        self.u.iter_mut().for_each(|u| *u /= by);
    }
}

/// The nearest positive semi-definite matrix.
fn positive_part(m: usize, values: Vec<f64>) -> Option<Vec<f64>> {
    let mut vectors = vec![0.0; m * m];
    let found = symmetric_eigen(Slice::new(&values, m, m), &mut vectors)?;
    // From the side that has fewer eigenvalues.
    let above = found.iter().filter(|v| **v > 0.0).count();
    let from_above = 2 * above <= m;
    let taken: Vec<usize> = (0..m).filter(|k| (found[*k] > 0.0) == from_above).collect();
    let width = taken.len();
    let mut half = vec![0.0; m * width];
    for i in 0..m {
        for (at, k) in taken.iter().enumerate() {
            half[i * width + at] = vectors[i * m + k] * found[*k].abs().sqrt();
        }
    }
    let mut part = vec![0.0; m * m];
    if width > 0 {
        let side = Slice::new(&half, m, width);
        product_nt(side, side, &mut part);
    }
    if !from_above {
        part.iter_mut().zip(&values).for_each(|(p, v)| *p += v);
    }
    Some(part)
}

/// The nearest point with sum 1 and no entry below 0 (Michelot 1986: entries are left out until none is below).
fn onto_simplex(v: &mut [f64]) {
    let (mut shift, mut count) = (f64::NEG_INFINITY, v.len() + 1);
    loop {
        let (sum, kept) =
            v.iter().filter(|x| **x > shift).fold((0.0, 0), |(s, k), x| (s + x, k + 1));
        if kept == 0 || kept >= count {
            break;
        }
        (shift, count) = ((sum - 1.0) / kept as f64, kept);
    }
    v.iter_mut().for_each(|x| *x = (*x - shift).max(0.0));
}

/// The best point of the simplex so far.
struct Best<'a> {
    q: &'a [f64],
    m: usize,
    alpha: Vec<f64>,
    trace: Vec<f64>,
    rounded: f64,
}

impl<'a> Best<'a> {
    /// The best single variable, improved.
    fn new(q: &'a [f64], m: usize) -> Self {
        let least = |a: &usize, b: &usize| q[a * m + a].total_cmp(&q[b * m + b]);
        let k = (0..m).min_by(least).unwrap_or(0);
        let mut alpha = vec![0.0; m];
        alpha[k] = 1.0;
        let value = q[k * m + k];
        let mut best = Best { q, m, alpha: alpha.clone(), trace: vec![value], rounded: value };
        best.improve(alpha);
        best
    }

    fn value(&self) -> f64 {
        self.trace.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The point that Z rounds to (15), improved.
    fn take(&mut self, z: &[f64]) {
        let m = self.m;
        let mut alpha: Vec<f64> = (0..m).map(|k| z[k * m + k].max(0.0).sqrt()).collect();
        let sum: f64 = alpha.iter().sum();
        if sum <= 0.0 {
            return;
        }
        alpha.iter_mut().for_each(|a| *a /= sum);
        self.rounded = form(self.q, m, &alpha);
        alpha.iter_mut().for_each(|a| *a = if *a < CUT { 0.0 } else { *a });
        let sum: f64 = alpha.iter().sum();
        alpha.iter_mut().for_each(|a| *a /= sum);
        self.improve(alpha);
    }

    /// Pair exchanges, and between them the stationary point of the support.
    fn improve(&mut self, mut alpha: Vec<f64>) {
        let (q, m) = (self.q, self.m);
        let mut slope = slopes(q, m, &alpha);
        for turn in 0..EXCHANGES * m {
            if turn % (4 * m) == 0
                && let Some(better) = self.stationary(&alpha)
            {
                alpha = better;
                slope = slopes(q, m, &alpha);
            }
            if !exchange(q, m, &mut alpha, &mut slope) {
                break;
            }
        }
        if let Some(better) = self.stationary(&alpha) {
            alpha = better;
        }
        let value = form(q, m, &alpha);
        if value < self.value() {
            self.alpha = alpha;
        }
        self.trace.push(value.min(self.value()));
    }

    /// The point where all slopes of the support are equal, if it is in the simplex and better.
    fn stationary(&self, alpha: &[f64]) -> Option<Vec<f64>> {
        let (q, m) = (self.q, self.m);
        let support: Vec<usize> = (0..m).filter(|k| alpha[*k] > 0.0).collect();
        let s = support.len();
        if s < 2 {
            return None;
        }
        let mut system = vec![0.0; (s + 1) * (s + 1)];
        for (a, i) in support.iter().enumerate() {
            for (b, j) in support.iter().enumerate() {
                system[a * (s + 1) + b] = q[i * m + j];
            }
            system[a * (s + 1) + s] = 1.0;
            system[s * (s + 1) + a] = 1.0;
        }
        let mut right = vec![0.0; s + 1];
        right[s] = 1.0;
        Lu::new(s + 1, system)?.solve(&mut right, 1);
        if !right[..s].iter().all(|v| *v >= 0.0 && v.is_finite()) {
            return None;
        }
        let sum: f64 = right[..s].iter().sum();
        let mut next = vec![0.0; m];
        support.iter().zip(&right).for_each(|(k, v)| next[*k] = v / sum);
        (form(q, m, &next) < form(q, m, alpha)).then_some(next)
    }
}

/// αᵀQα.
fn form(q: &[f64], m: usize, alpha: &[f64]) -> f64 {
    slopes(q, m, alpha).iter().zip(alpha).map(|(s, a)| s * a).sum()
}

/// Qα.
fn slopes(q: &[f64], m: usize, alpha: &[f64]) -> Vec<f64> {
    let row = |i: usize| q[i * m..(i + 1) * m].iter().zip(alpha).map(|(q, a)| q * a).sum();
    (0..m).map(row).collect()
}

/// Moves from the variable with the largest slope to that with the least, as far as it pays; false where it does
/// not.
fn exchange(q: &[f64], m: usize, alpha: &mut [f64], slope: &mut [f64]) -> bool {
    let by = |a: &usize, b: &usize| slope[*a].total_cmp(&slope[*b]);
    let to = (0..m).min_by(by).unwrap_or(0);
    let from = (0..m).filter(|k| alpha[*k] > 0.0).max_by(by).unwrap_or(to);
    // αᵀQα changes by 2t(slope_to − slope_from) + t² curvature; |Q| ≤ 1.
    let rise = slope[to] - slope[from];
    if rise >= -1e-15 {
        return false;
    }
    let curvature = q[to * m + to] + q[from * m + from] - 2.0 * q[to * m + from];
    let whole = alpha[from];
    let t = if curvature > 0.0 { (-rise / curvature).min(whole) } else { whole };
    alpha[to] += t;
    alpha[from] = if t >= whole { 0.0 } else { whole - t };
    for (k, s) in slope.iter_mut().enumerate() {
        *s += t * (q[k * m + to] - q[k * m + from]);
    }
    true
}

#[cfg(test)]
mod tests;
