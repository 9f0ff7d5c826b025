//! Newton's equations of [`hinge`](super), and points strictly inside.
//!
//! With s the slack of the rows, r = w − Σ u, z the multipliers of β ≥ 0 and τ that of Σ β = 1, Newton's equations are
//! left with β (and ρ) when all else is eliminated: AᵀB⁻¹A + diag(z/β), bordered by the sum, with B = diag(s/u) + ξ/r
//! in the block of a group, whose inverse is a formula. The blocks enter as squares, by the differences of their rows
//! to the mean row, so that nothing cancels.

use super::{Hinge, Margin};
use crate::solve::dense::{Slice, gram_tn};
use cokernel_dense::{Cholesky, simd};

/// Part of the way to the boundary.
pub(super) const PART: f64 = 0.995;

/// The problem with |a_ik| ≤ 1 and weights whose mean is 1 where the margin is 1; the column of ρ is the last of A.
pub(super) struct Scaled {
    a: Vec<f64>,
    /// M, and one more with ρ.
    m: usize,
    /// M.
    kernels: usize,
    groups: Vec<usize>,
    w: Vec<f64>,
    /// What a scaled weight is to be multiplied by.
    pub(super) weight: f64,
    /// The margin without ρ.
    one: f64,
}

/// A point with its multipliers; β and ρ are one list.
pub(super) struct Point {
    pub(super) beta: Vec<f64>,
    z: Vec<f64>,
    xi: Vec<f64>,
    r: Vec<f64>,
    s: Vec<f64>,
    pub(super) u: Vec<f64>,
    tau: f64,
}

impl Point {
    /// The longest primal and dual steps, up to 1 over [`PART`], after which nothing is negative.
    pub(super) fn reach(&self, step: &Point) -> (f64, f64) {
        let longest = |x: &[f64], d: &[f64]| {
            let limits = x.iter().zip(d).filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d);
            limits.fold(1.0 / PART, f64::min)
        };
        let free = self.z.len();
        let primal = longest(&self.beta[..free], &step.beta[..free])
            .min(longest(&self.xi, &step.xi))
            .min(longest(&self.s, &step.s));
        let dual =
            longest(&self.z, &step.z).min(longest(&self.r, &step.r)).min(longest(&self.u, &step.u));
        (primal, dual)
    }

    pub(super) fn advance(&mut self, step: &Point, primal: f64, dual: f64) {
        let by = |v: &mut Vec<f64>, d: &[f64], length: f64| {
            v.iter_mut().zip(d).for_each(|(v, d)| *v += length * d);
        };
        by(&mut self.beta, &step.beta, primal);
        by(&mut self.xi, &step.xi, primal);
        by(&mut self.s, &step.s, primal);
        by(&mut self.z, &step.z, dual);
        by(&mut self.r, &step.r, dual);
        by(&mut self.u, &step.u, dual);
        self.tau += dual * step.tau;
    }

    /// Mean of the complementary products after steps of these lengths.
    fn complementarity(&self, step: &Point, primal: f64, dual: f64) -> f64 {
        let sum = |x: &[f64], dx: &[f64], y: &[f64], dy: &[f64]| -> f64 {
            (0..y.len()).map(|k| (x[k] + primal * dx[k]) * (y[k] + dual * dy[k])).sum()
        };
        let all = sum(&self.beta, &step.beta, &self.z, &step.z)
            + sum(&self.xi, &step.xi, &self.r, &step.r)
            + sum(&self.s, &step.s, &self.u, &step.u);
        all / (self.z.len() + self.r.len() + self.u.len()) as f64
    }
}

impl Scaled {
    pub(super) fn new(problem: &Hinge<'_>) -> Self {
        let kernels = problem.columns;
        let free = problem.margin == Margin::Largest;
        let unit = if free { problem.unit() } else { problem.unit().max(1.0) };
        let m = kernels + usize::from(free);
        let mut a = Vec::with_capacity(problem.len() * m);
        for row in problem.rows.chunks_exact(kernels) {
            a.extend(row.iter().map(|v| v / unit));
            a.extend(free.then_some(-1.0));
        }
        let mean = problem.weights.iter().sum::<f64>() / problem.weights.len() as f64;
        let weight = if free { 1.0 } else { mean };
        let w = problem.weights.iter().map(|w| w / weight).collect();
        let one = if free { 0.0 } else { 1.0 / unit };
        Scaled { a, m, kernels, groups: problem.groups.to_vec(), w, weight, one }
    }

    fn margins(&self, beta: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.a.len() / self.m];
        simd::dots(&self.a, self.m, beta, 1.0, &mut margins);
        margins
    }

    /// Aᵀu.
    fn pull(&self, u: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.m];
        let terms: Vec<(f64, &[f64])> =
            u.iter().copied().zip(self.a.chunks_exact(self.m)).collect();
        simd::weighted_sum_near(&terms, &mut sums);
        sums
    }

    fn groups(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.groups.windows(2).map(|g| g[0]..g[1])
    }

    /// Equal weights, and slacks and multipliers for which all equations hold.
    pub(super) fn start(&self) -> Point {
        let (m, n) = (self.kernels, self.a.len() / self.m);
        let mut beta = vec![1.0 / m as f64; m];
        beta.resize(self.m, 0.0);
        let margins = self.margins(&beta);
        let size = (self.a.iter().map(|v| v * v).sum::<f64>() / self.a.len() as f64).sqrt();
        let size = size.max(self.one).max(1e-3);
        let (mut xi, mut s, mut u, mut r) = (Vec::new(), vec![0.0; n], vec![0.0; n], Vec::new());
        let total: f64 = self.w.iter().sum();
        let part = if self.m > m { 1.0 / total } else { 0.5 };
        for (g, w) in self.groups().zip(&self.w) {
            let missing = g.clone().fold(0.0_f64, |a, i| a.max(self.one - margins[i]));
            xi.push(missing + size);
            for i in g.clone() {
                s[i] = margins[i] + missing + size - self.one;
                u[i] = part * w / g.len() as f64;
            }
            r.push(w - part * w);
        }
        let pulled = self.pull(&u);
        let range = |f: fn(f64, f64) -> f64| pulled[..m].iter().copied().reduce(f).unwrap_or(0.0);
        let (least, most) = (range(f64::min), range(f64::max));
        let mean = u.iter().sum::<f64>() / n as f64;
        let tau = most + m as f64 * mean * size + 0.1 * (most - least);
        let z = pulled[..m].iter().map(|v| tau - v).collect();
        Point { beta, z, xi, r, s, u, tau }
    }

    /// Newton's step towards a smaller complementarity, with Mehrotra's correction; `None` where its matrix is not
    /// positive definite in floating-point arithmetic or the step is not finite.
    pub(super) fn step(&self, at: &Point) -> Option<Point> {
        let blocks = Blocks::new(self, at);
        let mut normal = blocks.normal(self);
        for k in 0..self.kernels {
            normal[k * self.m + k] += at.z[k] / at.beta[k];
        }
        let factor = Factor::new(self.m, normal)?;
        let mut border = vec![1.0; self.kernels];
        border.resize(self.m, 0.0);
        factor.solve(&mut border);
        let pulled = self.pull(&at.u);
        let margins = self.margins(&at.beta);
        let mut missing = vec![0.0; at.s.len()];
        for (g, xi) in self.groups().zip(&at.xi) {
            g.for_each(|i| missing[i] = self.one - margins[i] - xi + at.s[i]);
        }
        let simplex = 1.0 - at.beta[..self.kernels].iter().sum::<f64>();
        let solve = |tb: &[f64], tx: &[f64], ts: &[f64]| {
            let mut h = vec![0.0; missing.len()];
            for (g, range) in self.groups().enumerate() {
                range.for_each(|i| h[i] = missing[i] - tx[g] / at.r[g] + ts[i] / at.u[i]);
            }
            let mut beta = self.pull(&blocks.inverse(self, &h).0);
            for (k, v) in beta.iter_mut().enumerate() {
                *v += pulled[k];
                if k < self.kernels {
                    *v += at.z[k] - at.tau + tb[k] / at.beta[k];
                } else {
                    // The objective has −ρ and the rows have −ρ: Σ u = 1.
                    *v += 1.0;
                }
            }
            factor.solve(&mut beta);
            let sum = |v: &[f64]| v[..self.kernels].iter().sum::<f64>();
            let tau = (sum(&beta) - simplex) / sum(&border);
            beta.iter_mut().zip(&border).for_each(|(v, b)| *v -= tau * b);
            let moved = self.margins(&beta);
            h.iter_mut().zip(&moved).for_each(|(h, m)| *h -= m);
            let (u, totals) = blocks.inverse(self, &h);
            let r: Vec<f64> = totals.iter().map(|v| -v).collect();
            Point {
                z: (0..self.kernels).map(|k| (tb[k] - at.z[k] * beta[k]) / at.beta[k]).collect(),
                xi: (0..r.len()).map(|g| (tx[g] - at.xi[g] * r[g]) / at.r[g]).collect(),
                s: (0..u.len()).map(|i| (ts[i] - at.s[i] * u[i]) / at.u[i]).collect(),
                beta,
                r,
                u,
                tau,
            }
        };
        let minus =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| -x * y).collect() };
        let (tb, tx, ts) = (minus(&at.beta, &at.z), minus(&at.xi, &at.r), minus(&at.s, &at.u));
        let first = solve(&tb, &tx, &ts);
        let now = at.complementarity(&first, 0.0, 0.0);
        let (primal, dual) = at.reach(&first);
        let after = at.complementarity(&first, primal.min(1.0), dual.min(1.0));
        let target = (after / now).powi(3).min(1.0) * now;
        let corrected = |t: &[f64], x: &[f64], y: &[f64]| -> Vec<f64> {
            (0..t.len()).map(|k| t[k] + target - x[k] * y[k]).collect()
        };
        let step = solve(
            &corrected(&tb, &first.beta, &first.z),
            &corrected(&tx, &first.xi, &first.r),
            &corrected(&ts, &first.s, &first.u),
        );
        let lists = [&step.beta, &step.z, &step.xi, &step.r, &step.s, &step.u];
        lists.iter().all(|l| l.iter().all(|v| v.is_finite())).then_some(step)
    }
}

/// A positive definite matrix whose entries are of all sizes, factored with a diagonal of ones.
pub(crate) struct Factor {
    roots: Vec<f64>,
    factor: Cholesky,
}

impl Factor {
    /// `None` where it is not positive definite, even with 10⁻¹⁰ on that diagonal.
    pub fn new(m: usize, mut matrix: Vec<f64>) -> Option<Self> {
        let roots: Vec<f64> = (0..m).map(|k| matrix[k * m + k].sqrt()).collect();
        for (k, row) in matrix.chunks_mut(m).enumerate() {
            row.iter_mut().zip(&roots).for_each(|(v, root)| *v /= roots[k] * root);
        }
        let ridged = |ridge: f64| {
            let mut matrix = matrix.clone();
            (0..m).for_each(|k| matrix[k * m + k] += ridge);
            Cholesky::new(m, matrix)
        };
        let factor = [0.0, 1e-14, 1e-12, 1e-10].into_iter().find_map(ridged)?;
        Some(Factor { roots, factor })
    }

    /// b ← A⁻¹b.
    pub fn solve(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.roots).for_each(|(b, root)| *b /= root);
        self.factor.solve(b, 1);
        b.iter_mut().zip(&self.roots).for_each(|(b, root)| *b /= root);
    }
}

/// B⁻¹ of each group: diag(d) − d dᵀ e/(1 + e Σd), d = u/s, e = ξ/r. With the mean by d of the group,
/// (B⁻¹h)_i = d_i ((h_i − mean) + mean/(1 + e Σd)), and h_i − mean is a mean of differences, as d has all sizes.
struct Blocks {
    d: Vec<f64>,
    /// Σd and 1/(1 + e Σd).
    sums: Vec<(f64, f64)>,
}

impl Blocks {
    fn new(scaled: &Scaled, at: &Point) -> Self {
        let d: Vec<f64> = at.u.iter().zip(&at.s).map(|(u, s)| u / s).collect();
        let sums = scaled.groups().zip(at.xi.iter().zip(&at.r)).map(|(g, (xi, r))| {
            let sum = d[g].iter().sum::<f64>();
            (sum, 1.0 / (1.0 + xi / r * sum))
        });
        let sums = sums.collect();
        Blocks { d, sums }
    }

    /// B⁻¹h, and its sum in each group.
    fn inverse(&self, scaled: &Scaled, h: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut out = vec![0.0; h.len()];
        let mut totals = Vec::with_capacity(self.sums.len());
        for (range, (sum, rest)) in scaled.groups().zip(&self.sums) {
            let part = |j: usize| self.d[j] / sum;
            let mean: f64 = range.clone().map(|j| part(j) * h[j]).sum();
            for i in range.clone() {
                let apart: f64 = range.clone().map(|j| part(j) * (h[i] - h[j])).sum();
                out[i] = self.d[i] * (apart + rest * mean);
            }
            totals.push(sum * rest * mean);
        }
        (out, totals)
    }

    /// AᵀB⁻¹A, as the squares of rows: √d (a_i − ā) and √(Σd/(1 + eΣd)) ā with ā the mean of the group.
    fn normal(&self, scaled: &Scaled) -> Vec<f64> {
        let m = scaled.m;
        let mut rows = Vec::with_capacity(scaled.a.len());
        for (range, (sum, rest)) in scaled.groups().zip(&self.sums) {
            let row = |i: usize| &scaled.a[i * m..(i + 1) * m];
            let part = |j: usize| self.d[j] / sum;
            if range.len() == 1 {
                let root = (sum * rest).sqrt();
                rows.extend(row(range.start).iter().map(|v| root * v));
                continue;
            }
            let mut mean = vec![0.0; m];
            for j in range.clone() {
                mean.iter_mut().zip(row(j)).for_each(|(v, a)| *v += part(j) * a);
            }
            let root = (sum * rest).sqrt();
            rows.extend(mean.iter().map(|v| root * v));
            for i in range.clone() {
                let mut apart = vec![0.0; m];
                for j in range.clone().filter(|j| *j != i) {
                    let both = row(i).iter().zip(row(j));
                    apart.iter_mut().zip(both).for_each(|(v, (a, b))| *v += part(j) * (a - b));
                }
                let root = self.d[i].sqrt();
                rows.extend(apart.iter().map(|v| root * v));
            }
        }
        let all = Slice::new(&rows, rows.len() / m, m);
        gram_tn(all, all).values().to_vec()
    }
}
