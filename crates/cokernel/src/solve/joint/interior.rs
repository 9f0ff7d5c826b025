//! Interior points, where blocks crawl and the rank of K is small beside the number of instances or both are
//! small: a large C (Mehrotra, *SIAM J. Optim.* 2, 1992; as in `smo/interior`).
//!
//! With K = L Lᵀ, w_l = Lᵀc_l, f_l(x_i) = L_i w_l + b_l and multipliers z, v of 0 ≤ α ≤ C, the conditions
//! −m_il + f_y − f_l − z + v = 0 and Σ_i c_il = 0 are followed along α z = (C − α) v = μ → 0. A step takes
//! the α out, D = z/α + v/(C − α), B_il = e_y − e_l, Ω_i = Σ_l B_il B_ilᵀ / D_il, φ_i = (L_i, 1):
//!
//! ```text
//! (diag(1, …, 1, 0) ⊗ I + Σ_i φ_i φ_iᵀ ⊗ Ω_i) (dw, db) = Σ_i φ_i ⊗ h_i + (0, Σ_i c_i),  h_i = Σ_l B_il (…)_il / D_il
//! ```
//!
//! of size (r + 1)·K: (r + 1)³K³/3 + n·K·(r + 1)² operations in each of some twenty iterations.

use super::Joint;
use crate::Watch;
use cokernel_dense::{Cholesky, Slice, gram_tn};

/// Iterations at most.
const ITERATIONS: usize = 100;
/// Ridges of the matrix, relative to each diagonal entry, of which the first that makes it definite is taken.
const RIDGES: [f64; 4] = [0.0, 1e-14, 1e-12, 1e-10];
/// Share of the way to the nearest bound.
const SHARE: f64 = 0.995;
/// Relative gap to which the path is followed: what is set to a bound there moves f little.
const END: f64 = 1e-12;
/// Growth of what is missing that ends the path, and iterations near the end that do not halve it.
const WORSE: f64 = 100.0;
const NEAR: f64 = 1e-3;
const PATIENCE: usize = 5;

/// α_il and what belongs to it.
#[derive(Clone)]
struct Variable {
    i: usize,
    /// Places of y_i and l among the classes in use.
    y: usize,
    l: usize,
    margin: f64,
    /// α, C − α and their multipliers.
    s: f64,
    t: f64,
    z: f64,
    v: f64,
}

/// A problem with its factor.
struct Path<'a> {
    l: &'a [f64],
    r: usize,
    n: usize,
    /// Classes in use.
    k: usize,
    watch: &'a Watch,
}

/// Operations on blocks in the time of an answer, roughly: those of dense products are far quicker.
pub(super) fn work(n: usize, k: usize, r: usize) -> f64 {
    let (size, r) = (((r + 1) * k) as f64, (r + 1) as f64);
    25.0 * (size.powi(3) / 3.0 + (n * k) as f64 * r * r) / 20.0
}

/// What is found, instance by instance.
pub(super) struct Inner {
    /// α, what is at a bound exactly there.
    pub alpha: Vec<f64>,
    /// α inside the box.
    pub raw: Vec<f64>,
    /// b of each class.
    pub bias: Vec<f64>,
}

/// The answer with K / unit = L Lᵀ; none after a stop and where numbers fail.
pub(super) fn interior(
    p: &Joint<'_>,
    (l, r): (&[f64], usize),
    unit: f64,
    watch: &Watch,
) -> Option<Inner> {
    let (n, classes) = (p.codes.len(), p.classes);
    // A class without instances takes nothing, as it gives nothing.
    let used: Vec<usize> = (0..classes)
        .filter(|a| (0..n).any(|i| p.codes[i] as usize == *a && p.costs[i] > 0.0))
        .collect();
    let k = used.len();
    if k < 2 || r == 0 {
        return None;
    }
    let place = |a: usize| used.iter().position(|u| *u == a);
    let mut variables = Vec::new();
    for i in (0..n).filter(|i| p.costs[*i] > 0.0) {
        let own = p.codes[i] as usize;
        let half = 0.5 * p.costs[i] * unit;
        for (at, &other) in used.iter().enumerate().filter(|(_, a)| **a != own) {
            let margin = p.margins.map_or(2.0, |m| m[i * classes + other]);
            let (s, t) = (half, half);
            variables.push(Variable { i, y: place(own)?, l: at, margin, s, t, z: 1.0, v: 1.0 });
        }
    }
    let path = Path { l, r, n, k, watch };
    let (variables, biases) = path.follow(variables)?;
    let largest = variables.iter().fold(f64::MIN_POSITIVE, |a, x| a.max(x.margin.abs()));
    let usual = variables.iter().map(|x| x.s).sum::<f64>() / variables.len() as f64;
    let mut raw = vec![0.0; n * classes];
    let mut alpha = raw.clone();
    for x in &variables {
        let (cost, at) = (p.costs[x.i], x.i * classes + used[x.l]);
        raw[at] = (x.s / unit).clamp(0.0, cost);
        alpha[at] = match x {
            x if x.s / usual < x.z / largest => 0.0,
            x if x.t / usual < x.v / largest => cost,
            _ => raw[at],
        };
    }
    let mut bias = vec![0.0; classes];
    used.iter().zip(&biases).for_each(|(a, b)| bias[*a] = *b);
    let finite = raw.iter().chain(&bias).all(|v| v.is_finite());
    finite.then_some(Inner { alpha, raw, bias })
}

impl Path<'_> {
    /// The best point on the path, and b there.
    fn follow(&self, mut variables: Vec<Variable>) -> Option<(Vec<Variable>, Vec<f64>)> {
        let count = 2.0 * variables.len() as f64;
        let mut bias = vec![0.0; self.k];
        let mut best = (f64::INFINITY, variables.clone(), bias.clone());
        let mut since = 0;
        for round in 0..ITERATIONS {
            if self.watch.stop().is_some() {
                return None;
            }
            let coef = self.sums(&variables, |x| x.s);
            let mut w = self.features(&coef);
            let sums: Vec<f64> = (0..self.k).map(|a| w[a * (self.r + 1) + self.r]).collect();
            let norm: f64 = w.chunks(self.r + 1).flat_map(|w| &w[..self.r]).map(|v| v * v).sum();
            (0..self.k).for_each(|a| w[a * (self.r + 1) + self.r] = bias[a]);
            let f = self.values(&w);
            let slope = |x: &Variable| f[x.i * self.k + x.y] - f[x.i * self.k + x.l] - x.margin;
            if round == 0 {
                let all = variables.iter().map(|x| slope(x).abs()).sum::<f64>();
                let margin = variables.iter().fold(0.0_f64, |a, x| a.max(x.margin.abs()));
                let size = (2.0 * all / count).max(margin).max(f64::MIN_POSITIVE);
                variables.iter_mut().for_each(|x| (x.z, x.v) = (size, size));
            }
            let residual: Vec<f64> = variables.iter().map(|x| slope(x) - x.z + x.v).collect();
            let gap: f64 = variables.iter().map(|x| x.s * x.z + x.t * x.v).sum();
            let gain: f64 = variables.iter().map(|x| x.margin * x.s).sum();
            let scale = (gain - 0.5 * norm).abs() + gap;
            let missed = variables.iter().zip(&residual).map(|(x, r)| r.abs() * (x.s + x.t));
            let now = (gap + missed.sum::<f64>()) / scale;
            // Rounding ends the path: the residual grows again.
            since = if now <= 0.5 * best.0 || now > NEAR { 0 } else { since + 1 };
            if now < best.0 {
                best = (now, variables.clone(), bias.clone());
            }
            let done = now <= END || since > PATIENCE;
            if done || now.is_nan() || now > WORSE * best.0 {
                break;
            }
            let d: Vec<f64> = variables.iter().map(|x| x.z / x.s + x.v / x.t).collect();
            let Some(system) = self.system(&variables, &d) else { break };
            let step = |first: &[f64], second: &[f64]| {
                let right: Vec<f64> = (0..d.len())
                    .map(|at| {
                        let x = &variables[at];
                        first[at] / x.s - second[at] / x.t - residual[at]
                    })
                    .collect();
                let mut at = 0..d.len();
                let h = self.sums(&variables, |_| at.next().map_or(0.0, |at| right[at] / d[at]));
                let mut change = self.features(&h);
                (0..self.k).for_each(|a| change[a * (self.r + 1) + self.r] += sums[a]);
                system.solve(&mut change, 1);
                let moved = self.values(&change);
                let parts: Vec<[f64; 3]> = variables
                    .iter()
                    .enumerate()
                    .map(|(at, x)| {
                        let turn = moved[x.i * self.k + x.y] - moved[x.i * self.k + x.l];
                        let ds = (right[at] - turn) / d[at];
                        [ds, (first[at] - x.z * ds) / x.s, (second[at] + x.v * ds) / x.t]
                    })
                    .collect();
                (parts, change)
            };
            let mu = gap / count;
            let (first, second): (Vec<f64>, Vec<f64>) =
                variables.iter().map(|x| (-x.s * x.z, -x.t * x.v)).unzip();
            let (ahead, _) = step(&first, &second);
            let t = reach(&variables, &ahead);
            let after: f64 = variables
                .iter()
                .zip(&ahead)
                .map(|(x, [ds, dz, dv])| {
                    (x.s + t * ds) * (x.z + t * dz) + (x.t - t * ds) * (x.v + t * dv)
                })
                .sum();
            let centre = mu * (after / gap).clamp(0.0, 1.0).powi(3);
            let (first, second): (Vec<f64>, Vec<f64>) = variables
                .iter()
                .zip(&ahead)
                .map(|(x, [ds, dz, dv])| {
                    (centre - x.s * x.z - ds * dz, centre - x.t * x.v + ds * dv)
                })
                .unzip();
            let (parts, change) = step(&first, &second);
            let t = reach(&variables, &parts);
            if !(t > 1e-10 && change.iter().all(|c| c.is_finite())) {
                break;
            }
            for (a, b) in bias.iter_mut().enumerate() {
                *b += t * change[a * (self.r + 1) + self.r];
            }
            for (x, [ds, dz, dv]) in variables.iter_mut().zip(&parts) {
                (x.s, x.t) = (x.s + t * ds, x.t - t * ds);
                (x.z, x.v) = (x.z + t * dz, x.v + t * dv);
            }
            if variables.iter().any(|x| !(x.s > 0.0 && x.t > 0.0 && x.z > 0.0 && x.v > 0.0)) {
                break;
            }
        }
        Some((best.1, best.2))
    }

    /// Σ_l B_il x_il of each instance, n × K, for a number of each variable (asked for in order).
    fn sums(&self, variables: &[Variable], mut number: impl FnMut(&Variable) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.n * self.k];
        for x in variables {
            let value = number(x);
            out[x.i * self.k + x.y] += value;
            out[x.i * self.k + x.l] -= value;
        }
        out
    }

    /// Σ_i φ_i h_i, class by class.
    fn features(&self, h: &[f64]) -> Vec<f64> {
        let wide = self.r + 1;
        let mut out = vec![0.0; self.k * wide];
        for (row, h) in self.l.chunks(self.r).zip(h.chunks(self.k)) {
            for (out, h) in out.chunks_mut(wide).zip(h).filter(|(_, h)| **h != 0.0) {
                out.iter_mut().zip(row).for_each(|(o, l)| *o += h * l);
                out[self.r] += h;
            }
        }
        out
    }

    /// φ_i (w_l, b_l), n × K.
    fn values(&self, w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n * self.k];
        for (row, out) in self.l.chunks(self.r).zip(out.chunks_mut(self.k)) {
            for (o, w) in out.iter_mut().zip(w.chunks(self.r + 1)) {
                *o = row.iter().zip(w).map(|(l, w)| l * w).sum::<f64>() + w[self.r];
            }
        }
        out
    }

    /// The matrix of the step, class by class; Σ b = 0 makes it definite.
    fn system(&self, variables: &[Variable], d: &[f64]) -> Option<Cholesky> {
        let (k, wide) = (self.k, self.r + 1);
        let size = k * wide;
        let mut matrix = vec![0.0; size * size];
        let mut part = vec![0.0; wide * wide];
        let mut rows = Vec::new();
        let mut level = 0.0_f64;
        for a in 0..k {
            for b in (0..k).filter(|b| *b != a) {
                rows.clear();
                let pairs = variables.iter().zip(d).filter(|(x, _)| x.y == a && x.l == b);
                for (x, d) in pairs {
                    let root = (1.0 / d).sqrt();
                    rows.extend(self.l[x.i * self.r..][..self.r].iter().map(|l| root * l));
                    rows.push(root);
                }
                part.fill(0.0);
                let rows = Slice::new(&rows, rows.len() / wide, wide);
                gram_tn(rows, rows, &mut part);
                level = level.max(part[wide * wide - 1]);
                for (u, v, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    for (row, part) in part.chunks(wide).enumerate() {
                        let out = &mut matrix[(u * wide + row) * size + v * wide..][..wide];
                        out.iter_mut().zip(part).for_each(|(o, p)| *o += sign * p);
                    }
                }
            }
        }
        for a in 0..k {
            (0..self.r).for_each(|c| matrix[(a * wide + c) * (size + 1)] += 1.0);
            for b in 0..k {
                matrix[(a * wide + self.r) * size + b * wide + self.r] += level / k as f64;
            }
        }
        // What is added to the diagonal makes a step inexact, no more: residuals are taken anew.
        RIDGES.iter().find_map(|ridge| {
            let mut shifted = matrix.clone();
            (0..size).for_each(|a| shifted[a * (size + 1)] *= 1.0 + ridge);
            Cholesky::new(size, shifted)
        })
    }
}

/// How far a step goes.
fn reach(variables: &[Variable], parts: &[[f64; 3]]) -> f64 {
    let mut most = 1.0_f64;
    for (x, [ds, dz, dv]) in variables.iter().zip(parts) {
        for (now, change) in [(x.s, *ds), (x.t, -ds), (x.z, *dz), (x.v, *dv)] {
            if change < 0.0 {
                most = most.min(-SHARE * now / change);
            }
        }
    }
    most
}
