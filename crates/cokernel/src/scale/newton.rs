//! Newton's method for given weights, its equations solved by preconditioned conjugate gradients.
//!
//! ```text
//! F(v, b) = ½ Σ_m ‖v_m‖²/η_m + Σ_i L_i(f(x_i)),     f = Σ_m C_m R_m v_m + b
//! ```
//!
//! for each head by itself, all heads in the same passes. A step solves (I + E^½ΦᵀDΦE^½, with the bias) δ = −∇F in the
//! coordinates v/√η until the residual, in the norm of the preconditioner, is some tenths of what it was ([`LEFT`]); each iteration is a
//! [pass](super::passes) over the instances with a curvature. Step 1 is taken where it leads down enough, else the best of
//! its halves and of some steps near that, which cost no features.
//!
//! The [sample](super::curvature) of the preconditioner is drawn anew at the point of a step where that costs next to
//! nothing, or no more than 0.6 of the iterations of the last step did, or where these were not enough; for each head by
//! itself where that is cheap.

use super::bend::{self, Bend};
use super::curvature::{Curvature, Factor};
use super::passes::{Evaluated, Problem};
use crate::Result;
use crate::scale::Loss;
use crate::scale::state::{Drawn, Solver, Spot};
use cokernel_dense::simd::dot;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Conjugate-gradient iterations of a step.
const ITERATIONS: usize = 60;

/// The part of the residual that a step leaves: where most kernels have a weight, so that an iteration costs as much as looking at
/// where a step leads, and where few have (simplex weights), so that it costs less. With lp-norm weights the first took
/// 0.74 to 0.92 of the time of the second (200,000 and 40,000 instances, three losses), with simplex weights 1.0 to 1.5.
const LEFT: [f64; 2] = [0.3, 0.1];

/// How often a step is halved at most.
const HALVES: i32 = 30;

/// Operations of a sample's covariance that are next to nothing, and those of one feature of one instance in a pass.
const LITTLE: f64 = 2e8;
const FEATURE: f64 = 20.0;

/// A sample is drawn anew where it costs no more than so many passes, or than this part of the last step's iterations. (With
/// about half of both a fit of 200,000 instances took 105 instead of 93 CPU seconds, others the same.)
const CHEAP: f64 = 2.0;
const PART: f64 = 0.6;

/// The same where weights are to move that few kernels have: where the sample is of another point they move too far, and
/// what tells so costs more passes (simplex weights, 200,000 instances: 218 to 165 CPU seconds).
const WORTH: f64 = 8.0;

/// Numbers of the covariances of all heads up to which each has its own.
const APART: usize = 1 << 24;

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
    /// Without what was evaluated.
    pub fn spot(&self) -> Spot {
        let (weights, v, bias) = (self.weights.clone(), self.v.clone(), self.bias.clone());
        Spot { weights, v, bias, h: self.h }
    }

    /// Not evaluated yet.
    pub fn at(spot: Spot) -> Self {
        let Spot { weights, v, bias, h } = spot;
        Point { weights, v, bias, h, at: Evaluated::default() }
    }

    /// Whether its functions are constant.
    pub fn is_nothing(&self) -> bool {
        self.v.iter().all(|v| *v == 0.0)
    }

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
    /// Of each head, or one for all.
    pub curvatures: Vec<Curvature>,
    factors: Vec<Factor>,
    /// Of each head, where the Hessian was computed last.
    bends: Vec<Bend>,
    /// Whether the curvatures are those of the point that was prepared last.
    fresh: bool,
    /// Whether the last Hessian was made of those of another point.
    elsewhere: bool,
    rng: Xoshiro256PlusPlus,
    /// Random numbers that were drawn.
    draws: u64,
    /// Iterations of the last step.
    iterations: u64,
    /// Passes with a direction.
    pub products: u64,
    /// Passes at a point.
    pub evaluations: u64,
}

impl<'a> Newton<'a> {
    pub fn new(
        problem: &'a Problem<'a>,
        curvatures: Vec<Curvature>,
        rng: Xoshiro256PlusPlus,
    ) -> Self {
        let (factors, fresh, draws) = (Vec::new(), false, 0);
        let (iterations, products, evaluations) = (0, 0, 0);
        Newton {
            problem,
            curvatures,
            factors,
            bends: Vec::new(),
            fresh,
            elsewhere: false,
            rng,
            draws,
            iterations,
            products,
            evaluations,
        }
    }

    /// What is kept from step to step.
    pub fn state(&self) -> Solver {
        Solver {
            samples: self.curvatures.iter().map(|c| c.sample.clone()).collect(),
            factors: self.factors.iter().map(|f| (f.kappa, f.weights.clone())).collect(),
            draws: self.draws,
            iterations: self.iterations,
            products: self.products,
            evaluations: self.evaluations,
        }
    }

    /// As it was when it gave this state.
    pub fn restored(
        problem: &'a Problem<'a>,
        state: &Solver,
        mut rng: Xoshiro256PlusPlus,
    ) -> Result<Self> {
        (0..state.draws).for_each(|_| {
            let _: f64 = rng.random();
        });
        let again = |sample: &Drawn| Curvature::of(problem, sample.clone());
        let curvatures: Vec<Curvature> = state.samples.iter().map(again).collect::<Result<_>>()?;
        let each = curvatures.iter().zip(&state.factors);
        let factors = each.map(|(c, (kappa, w))| c.factor(problem.space, w, *kappa)).collect();
        let newton = Newton::new(problem, curvatures, rng);
        Ok(Newton {
            factors,
            draws: state.draws,
            iterations: state.iterations,
            products: state.products,
            evaluations: state.evaluations,
            ..newton
        })
    }

    fn apart(&self) -> bool {
        let size = self.problem.space.size();
        size.saturating_mul(size).saturating_mul(self.problem.heads()) <= APART
    }

    /// Whether a new sample is worth its cost, or what is wanted of it is more than before.
    fn is_due(&self, point: &Point, (whole, exactly): (bool, bool)) -> bool {
        let serves = |c: &Curvature| c.covers(&point.weights) && (c.sample.whole || !whole);
        if self.curvatures.is_empty() || !self.curvatures.iter().all(serves) {
            return true;
        }
        let n = self.problem.n();
        let sets = if self.apart() { self.problem.heads() } else { 1 };
        // That of the squared loss is the same everywhere.
        if self.problem.loss == Loss::Squared && self.curvatures.len() == sets {
            return false;
        }
        let (space, kernels) = (self.problem.space, Curvature::kernels(&point.weights, whole));
        let instances = Curvature::wanted(space, &kernels, whole).min(n);
        let operations = sets as f64 * Curvature::operations(space, &kernels, whole, instances);
        // A pass leaves out kernels without a weight.
        let parts = point.active().into_iter().map(|m| self.problem.space.part(m).len());
        let visited = parts.sum::<usize>().max(1) as f64;
        let passes = operations / (FEATURE * visited * n as f64).max(1.0);
        let last = self.iterations as usize;
        let cheap = if whole && exactly { WORTH } else { CHEAP };
        operations <= LITTLE || last >= ITERATIONS || passes <= cheap.max(PART * last as f64)
    }

    fn draw(&mut self, point: &Point, whole: bool) -> Result<()> {
        let bent = self.problem.curvatures(&point.at.f, point.h);
        let heads = self.problem.heads();
        self.factors.clear();
        let all: Vec<Vec<f64>> = match self.apart() {
            true => {
                let own = |u: usize| bent.iter().skip(u).step_by(heads).copied().collect();
                (0..heads).map(own).collect()
            }
            false => vec![bent.chunks(heads).map(|d| d.iter().sum()).collect()],
        };
        self.curvatures.clear();
        for bent in all {
            let before = self.rng.clone();
            self.curvatures.push(Curvature::new(
                self.problem,
                (&bent, &point.weights, whole),
                &mut self.rng,
            )?);
            self.draws += u64::from(self.rng != before);
        }
        Ok(())
    }

    /// The preconditioner for a point: for these weights and curvatures exactly, or for similar ones.
    fn prepare(&mut self, point: &Point, exactly: bool) -> Result<()> {
        let whole = Curvature::is_whole(self.problem.space, &point.weights);
        self.fresh = self.is_due(point, (whole, exactly));
        if self.fresh {
            self.draw(point, whole)?;
        }
        let sums = &point.at.sums;
        let heads = sums.len();
        let kappas: Vec<f64> = match self.curvatures.len() == heads {
            true => sums.iter().map(|s| s.curvature).collect(),
            false => vec![sums.iter().map(|s| s.curvature).sum::<f64>() / heads.max(1) as f64],
        };
        let serves = self.factors.len() == kappas.len()
            && self.factors.iter().zip(&kappas).all(|(f, k)| match exactly {
                true => f.weights == point.weights && f.kappa == *k,
                false => f.serves(&point.weights, *k),
            });
        if !serves {
            let space = self.problem.space;
            let each = self.curvatures.iter().zip(&kappas);
            self.factors = each.map(|(c, k)| c.factor(space, &point.weights, *k)).collect();
        }
        Ok(())
    }

    /// The Hessian of J in η at a point and what it was made of, from u_m of each head.
    pub fn hessian(&mut self, point: &Point, u: &[f64]) -> Result<Vec<f64>> {
        self.prepare(point, true)?;
        self.elsewhere = !self.fresh;
        let (m, size) = (point.weights.len(), self.problem.space.size());
        let mut hessian = vec![0.0; m * m];
        // Of one head each, or of all.
        let own = (u.len() / self.curvatures.len().max(1)).max(1);
        let mut bends = Vec::with_capacity(u.len() / size.max(1));
        for (head, u) in u.chunks(own).enumerate() {
            bends.extend(bend::bends(self.of(head), self.problem, u, &mut hessian)?);
        }
        self.bends = bends;
        Ok(hessian)
    }

    /// Whether the last Hessian is that of a sample that was drawn for another point.
    pub fn models_elsewhere(&self) -> bool {
        self.elsewhere
    }

    /// A sample is drawn anew the next time that one is needed.
    pub fn forget(&mut self) {
        self.curvatures.clear();
    }

    /// How the best v and biases change where the weights do by `moved`, after [`hessian`](Self::hessian) from the same u.
    pub fn response(&self, u: &[f64], moved: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut change, mut shift) = (Vec::with_capacity(u.len()), Vec::new());
        let heads = u.chunks(self.problem.space.size().max(1)).zip(&self.bends);
        for (head, (u, bend)) in heads.enumerate() {
            let (v, bias) = bend.response(self.of(head), self.problem, (u, moved));
            change.extend(v);
            shift.push(bias);
        }
        (change, shift)
    }

    fn of(&self, head: usize) -> (&Curvature, &Factor) {
        (&self.curvatures[head % self.curvatures.len()], &self.factors[head % self.factors.len()])
    }

    /// Evaluates, and counts it.
    pub fn evaluate(&mut self, point: Point, kernels: &[usize]) -> Result<Option<Point>> {
        self.evaluations += 1;
        point.again(self.problem, kernels)
    }

    /// One step. What it is evaluated for are the kernels with a weight.
    pub fn step(&mut self, point: &Point) -> Result<Step> {
        self.prepare(point, false)?;
        let step = self.step_by_these(point)?;
        if !matches!(step, Step::Nowhere) || self.fresh {
            return Ok(step);
        }
        // By curvatures of another point nothing is better; those of this one may tell more.
        self.curvatures.clear();
        self.prepare(point, false)?;
        self.step_by_these(point)
    }

    fn step_by_these(&mut self, point: &Point) -> Result<Step> {
        let (problem, size) = (self.problem, self.problem.space.size());
        let factors = std::mem::take(&mut self.factors);
        let direction = self.direction(point, &factors);
        let direction = match direction? {
            None => return Ok(Step::Stopped),
            Some(found) => found,
        };
        let count = factors[0].coordinates.len() + 1;
        let mut moved = point.clone();
        let mut slope = 0.0;
        for (u, d) in direction.chunks(count).enumerate() {
            let factor = &factors[u % factors.len()];
            slope += dot(&gradient(point, factor, u, size), d);
            for ((j, root), d) in factor.coordinates.iter().zip(&factor.roots).zip(d) {
                moved.v[u * size + j] += root * d;
            }
            moved.bias[u] += d[count - 1];
        }
        self.factors = factors;
        if !(slope < 0.0 && slope.is_finite()) {
            return Ok(Step::Nowhere);
        }
        let (before, active) = (point.value(problem), point.active());
        let Some(found) = self.evaluate(moved, &active)? else { return Ok(Step::Stopped) };
        if found.value(problem) <= before + 1e-4 * slope {
            return Ok(Step::To(Box::new(found)));
        }
        let halves: Vec<f64> = (1..=HALVES).map(|k| 0.5_f64.powi(k)).collect();
        let Some(coarse) = self.along(point, &found, &halves)? else { return Ok(Step::Stopped) };
        let steps: Vec<f64> =
            (3..12).filter(|k| *k != 6).map(|k| coarse.0 * f64::from(k) / 6.0).collect();
        let Some(fine) = self.along(point, &found, &steps)? else { return Ok(Step::Stopped) };
        let (t, value) = if fine.1 < coarse.1 { fine } else { coarse };
        if value.is_nan() || value >= before {
            return Ok(Step::Nowhere);
        }
        let v = blend(&point.v, &found.v, t);
        let moved = Point { v, bias: blend(&point.bias, &found.bias, t), ..point.clone() };
        Ok(self.evaluate(moved, &active)?.map_or(Step::Stopped, |p| Step::To(Box::new(p))))
    }

    /// The best of these steps from one point to another, and F there; `None` if the pass was given up.
    fn along(&self, from: &Point, to: &Point, steps: &[f64]) -> Result<Option<(f64, f64)>> {
        let problem = self.problem;
        let Some(losses) = problem.along(&from.at.f, &to.at.f, steps, from.h)? else {
            return Ok(None);
        };
        let value = |(t, loss): (&f64, &f64)| -> (f64, f64) {
            let v = blend(&from.v, &to.v, *t);
            let norm = |u| half_norm(problem, &from.weights, &v, u);
            (*t, loss + (0..problem.heads()).map(norm).sum::<f64>())
        };
        let best = |a: (f64, f64), b: (f64, f64)| if b.1 < a.1 { b } else { a };
        Ok(Some(steps.iter().zip(&losses).map(value).fold((0.0, f64::INFINITY), best)))
    }

    /// −H⁻¹∇F, nearly: for each head its coordinates, then the bias.
    fn direction(&mut self, point: &Point, factors: &[Factor]) -> Result<Option<Vec<f64>>> {
        let (problem, size) = (self.problem, self.problem.space.size());
        let (heads, active) = (problem.heads(), point.active());
        let left = LEFT[usize::from(2 * active.len() <= problem.space.kernels().len())];
        let factor = &factors[0];
        let count = factor.coordinates.len() + 1;
        let mut found = vec![0.0; heads * count];
        let mut residual: Vec<f64> =
            (0..heads).flat_map(|u| gradient(point, factor, u, size)).map(|g| -g).collect();
        let solve = |u: usize, r: &[f64]| {
            let (mut z, bias) = factors[u % factors.len()]
                .precondition((&r[..count - 1], r[count - 1]), point.at.sums[u].curvature);
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
        self.iterations = 0;
        for _ in 0..ITERATIONS {
            let open = |u: usize| size_of[u] > left * left * first[u] && size_of[u].is_finite();
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
            self.iterations += 1;
            let bent = problem.curve(&point.at, point.h, &active, (&d, &d_bias))?;
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
