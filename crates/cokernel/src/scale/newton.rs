//! Newton's method for given weights, its equations solved by preconditioned conjugate gradients.
//!
//! ```text
//! F(v, b) = ½ Σ_m ‖v_m‖²/η_m + Σ_i L_i(f(x_i)),     f = Σ_m C_m R_m v_m + b
//! ```
//!
//! for each head by itself, all heads in the same passes. A step solves (I + E^½ΦᵀDΦE^½, with the bias) δ = −∇F in the
//! coordinates v/√η until the residual, in the norm of the preconditioner, is a tenth of what it was; each iteration is a
//! [pass](super::passes) over the instances with a curvature. Step 1 is taken where it leads down enough, else the best of
//! its halves, which cost no features.

use super::curvature::{Curvature, Factor};
use super::passes::{Evaluated, Problem};
use crate::Result;
use cokernel_dense::simd::dot;

/// Conjugate-gradient iterations of a step, and the part of the residual that is left.
const ITERATIONS: usize = 30;
const LEFT: f64 = 0.1;

/// How often a step is halved at most.
const HALVES: i32 = 24;

/// Weights and functions.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// η.
    pub weights: Vec<f64>,
    /// v, one head after the other.
    pub v: Vec<f64>,
    pub bias: Vec<f64>,
    /// The width over which kinks are rounded.
    pub h: f64,
    pub at: Evaluated,
}

impl Point {
    /// Kernels with a weight.
    pub fn active(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|m| self.weights[*m] > 0.0).collect()
    }

    /// ½ Σ_m ‖v_m‖²/η_m of one head.
    pub fn half_norm(&self, problem: &Problem<'_>, head: usize) -> f64 {
        half_norm(problem, &self.weights, &self.v, head)
    }

    /// F of all heads, losses rounded.
    pub fn value(&self, problem: &Problem<'_>) -> f64 {
        let losses: f64 = self.at.sums.iter().map(|s| s.rounded).sum();
        losses + (0..problem.heads()).map(|u| self.half_norm(problem, u)).sum::<f64>()
    }

    /// ½ Σ_m η_m q_m of one head, q of its balanced coefficients, and Σ ℓ of these, rounded: what they bound from below.
    pub fn inner_bound(&self, problem: &Problem<'_>) -> f64 {
        let mut total = 0.0;
        for (u, sums) in self.at.sums.iter().enumerate() {
            let balance = sums.balance();
            total += balance[0] * sums.rounded_duals[0] + balance[1] * sums.rounded_duals[1];
            total -= 0.5
                * self
                    .active()
                    .iter()
                    .map(|m| self.weights[*m] * self.form(problem, u, *m))
                    .sum::<f64>();
        }
        total
    }

    /// q_m of one head.
    pub fn form(&self, problem: &Problem<'_>, head: usize, kernel: usize) -> f64 {
        let (size, part) = (problem.space.size(), problem.space.part(kernel));
        let own = &self.at.dual[head * size..(head + 1) * size][part];
        dot(own, own)
    }

    /// Evaluated anew at its numbers, for these kernels.
    pub fn again(self, problem: &Problem<'_>, kernels: &[usize]) -> Result<Option<Point>> {
        let found = problem.evaluate(&self.v, &self.bias, kernels, self.h)?;
        Ok(found.map(|at| Point { at, ..self }))
    }
}

/// ½ Σ_m ‖v_m‖²/η_m of one head.
pub(crate) fn half_norm(problem: &Problem<'_>, weights: &[f64], v: &[f64], head: usize) -> f64 {
    let size = problem.space.size();
    let own = &v[head * size..(head + 1) * size];
    let part = |(m, w): (usize, &f64)| {
        let v = &own[problem.space.part(m)];
        if *w > 0.0 { 0.5 * dot(v, v) / w } else { 0.0 }
    };
    weights.iter().enumerate().map(part).sum()
}

/// How a step ended.
pub(crate) enum Step {
    /// At a better point.
    To(Box<Point>),
    /// No step led down.
    Nowhere,
    /// It was given up.
    Stopped,
}

/// Newton's method at given weights.
pub(crate) struct Newton<'a> {
    pub problem: &'a Problem<'a>,
    pub curvature: Curvature,
    pub factor: Option<Factor>,
    /// Passes with a direction.
    pub products: u64,
    /// Passes at a point.
    pub evaluations: u64,
}

impl<'a> Newton<'a> {
    pub fn new(problem: &'a Problem<'a>, curvature: Curvature) -> Self {
        Newton { problem, curvature, factor: None, products: 0, evaluations: 0 }
    }

    /// The preconditioner for a point.
    pub fn prepare(&mut self, point: &Point) -> &Factor {
        let sums = &point.at.sums;
        let kappa = sums.iter().map(|s| s.curvature).sum::<f64>() / sums.len().max(1) as f64;
        let kept = self.factor.take().filter(|f| f.serves(&point.weights, kappa));
        let made = || self.curvature.factor(self.problem.space, &point.weights, kappa);
        let factor = kept.unwrap_or_else(made);
        self.factor.insert(factor)
    }

    /// Evaluates, and counts it.
    pub fn evaluate(&mut self, point: Point, kernels: &[usize]) -> Result<Option<Point>> {
        self.evaluations += 1;
        point.again(self.problem, kernels)
    }

    /// One step. What it is evaluated for are the kernels with a weight.
    pub fn step(&mut self, point: &Point) -> Result<Step> {
        let (problem, heads, size) =
            (self.problem, self.problem.heads(), self.problem.space.size());
        self.prepare(point);
        let Some(factor) = self.factor.take() else { return Ok(Step::Nowhere) };
        let direction = self.direction(point, &factor);
        let direction = match direction? {
            None => {
                self.factor = Some(factor);
                return Ok(Step::Stopped);
            }
            Some(found) => found,
        };
        let count = factor.coordinates.len() + 1;
        let mut moved = point.clone();
        let mut slope = 0.0;
        for (u, d) in direction.chunks(count).enumerate() {
            slope += dot(&gradient(point, &factor, u, size), d);
            for ((j, root), d) in factor.coordinates.iter().zip(&factor.roots).zip(d) {
                moved.v[u * size + j] += root * d;
            }
            moved.bias[u] += d[count - 1];
        }
        self.factor = Some(factor);
        if !(slope < 0.0 && slope.is_finite()) {
            return Ok(Step::Nowhere);
        }
        let (before, active) = (point.value(problem), point.active());
        let Some(found) = self.evaluate(moved, &active)? else { return Ok(Step::Stopped) };
        if found.value(problem) <= before + 1e-4 * slope {
            return Ok(Step::To(Box::new(found)));
        }
        let steps: Vec<f64> = (1..=HALVES).map(|k| 0.5_f64.powi(k)).collect();
        let Some(losses) = problem.along(&point.at.f, &found.at.f, &steps, point.h)? else {
            return Ok(Step::Stopped);
        };
        let between = |t: f64| blend(&point.v, &found.v, t);
        let value = |(t, loss): (&f64, &f64)| -> f64 {
            let v = between(*t);
            loss + (0..heads).map(|u| half_norm(problem, &point.weights, &v, u)).sum::<f64>()
        };
        let values: Vec<f64> = steps.iter().zip(&losses).map(value).collect();
        let best = (0..values.len()).fold(0, |b, k| if values[k] < values[b] { k } else { b });
        if values[best] >= before {
            return Ok(Step::Nowhere);
        }
        let t = steps[best];
        let moved =
            Point { v: between(t), bias: blend(&point.bias, &found.bias, t), ..point.clone() };
        Ok(self.evaluate(moved, &active)?.map_or(Step::Stopped, |p| Step::To(Box::new(p))))
    }

    /// −H⁻¹∇F, nearly: for each head its coordinates, then the bias.
    fn direction(&mut self, point: &Point, factor: &Factor) -> Result<Option<Vec<f64>>> {
        let (problem, size) = (self.problem, self.problem.space.size());
        let (heads, active) = (problem.heads(), point.active());
        let count = factor.coordinates.len() + 1;
        let mut found = vec![0.0; heads * count];
        let mut residual: Vec<f64> =
            (0..heads).flat_map(|u| gradient(point, factor, u, size)).map(|g| -g).collect();
        let solve = |u: usize, r: &[f64]| {
            let (mut z, bias) =
                factor.precondition((&r[..count - 1], r[count - 1]), point.at.sums[u].curvature);
            z.push(bias);
            z
        };
        let mut solved: Vec<f64> =
            residual.chunks(count).enumerate().flat_map(|(u, r)| solve(u, r)).collect();
        let mut direction = solved.clone();
        let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.chunks(count).zip(b.chunks(count)).map(|(a, b)| dot(a, b)).collect()
        };
        let mut size_of = product(&residual, &solved);
        let first = size_of.clone();
        for _ in 0..ITERATIONS {
            let open = |u: usize| size_of[u] > LEFT * LEFT * first[u] && size_of[u].is_finite();
            let open: Vec<bool> = (0..heads).map(open).collect();
            if !open.contains(&true) {
                break;
            }
            let (mut d, mut d_bias) = (vec![0.0; heads * size], vec![0.0; heads]);
            for (u, own) in direction.chunks(count).enumerate().filter(|(u, _)| open[*u]) {
                for ((j, root), v) in factor.coordinates.iter().zip(&factor.roots).zip(own) {
                    d[u * size + j] = root * v;
                }
                d_bias[u] = own[count - 1];
            }
            self.products += 1;
            let bent = problem.curve(&point.at.f, point.h, &active, (&d, &d_bias))?;
            let Some((bent, shift)) = bent else { return Ok(None) };
            for u in (0..heads).filter(|u| open[*u]) {
                let range = u * count..(u + 1) * count;
                let own = &direction[range.clone()];
                let mut image: Vec<f64> = own.to_vec();
                for (k, (j, root)) in factor.coordinates.iter().zip(&factor.roots).enumerate() {
                    image[k] += root * bent[u * size + j];
                }
                image[count - 1] = shift[u];
                let bend = dot(own, &image);
                if !(bend > 0.0 && bend.is_finite()) {
                    size_of[u] = 0.0;
                    continue;
                }
                let t = size_of[u] / bend;
                found[range.clone()].iter_mut().zip(own).for_each(|(f, d)| *f += t * d);
                residual[range.clone()].iter_mut().zip(&image).for_each(|(r, i)| *r -= t * i);
                let own = solve(u, &residual[range.clone()]);
                solved[range.clone()].copy_from_slice(&own);
                let now = dot(&residual[range.clone()], &solved[range.clone()]);
                let part = now / size_of[u];
                let old = direction[range.clone()].iter_mut().zip(&solved[range]);
                old.for_each(|(d, z)| *d = z + part * *d);
                size_of[u] = now;
            }
        }
        // Where nothing bends (no curvature at all) the gradient, preconditioned, is the direction.
        for (u, own) in found.chunks_mut(count).enumerate() {
            if own.iter().all(|v| *v == 0.0) {
                own.copy_from_slice(&direction[u * count..(u + 1) * count]);
            }
        }
        Ok(Some(found))
    }
}

/// ∇F of one head in the coordinates v/√η, then in the bias.
fn gradient(point: &Point, factor: &Factor, head: usize, size: usize) -> Vec<f64> {
    let own = factor.coordinates.iter().zip(&factor.roots);
    let part = |(j, root): (&usize, &f64)| {
        point.v[head * size + j] / root - root * point.at.slope[head * size + j]
    };
    let [plus, minus] = point.at.sums[head].sizes;
    own.map(part).chain([minus - plus]).collect()
}

/// a + t (b − a).
pub(crate) fn blend(a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect()
}
