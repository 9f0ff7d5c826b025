//! An interior method in α, for what Newton's method in (σ, μ) leaves: next to σ = 0 S has kinks, while the dual is smooth.
//!
//! ```text
//! min_x  −yᵀx + Ω*(½q(x)) − Σ_m log(1 − v_m(x)/γ)        lower ≤ x ≤ upper                      (16)
//!        − τ Σ_i [log(x_i − lower_i) + log(upper_i − x_i)],      Ω* with τ log σ for each kernel, where σ may be 0
//! ∇  = −y + Σ σ_m K_m x + Σ μ_m f_m − τ/(x − lower) + τ/(upper − x)
//! ∇² = Σ σ_m K_m + Σ σ'_m (K_m x)(K_m x)ᵀ + Σ μ_m² f_m f_mᵀ + a diagonal
//! ```
//!
//! σ_m is what ½q_m asks for with its logarithm ([`Penalty::inside`]), σ'_m its derivative, μ_m = 1/(γ − v_m); K_m has the
//! constant and the unit in it. Newton's method with halved steps for τ falling by tens; q, v and the logarithms are known
//! along a whole step. The weights of each point and its coefficients give the bounds of the family. At the end, the machine
//! with these weights, without those that are next to 0, is taken where it proves the tolerance.
//!
//! **Cost** of a step: 2M n² and n³/3; some forty steps.

use super::newton::gain;
use super::part::{Fitted, Part, Point};
use super::sqp::judged;
use crate::bank::Gram;
use crate::run::Pass;
use crate::{Counts, Result, Status, Watch};
use cokernel_dense::{LeveledCholesky, Slice, product_nt};

/// What τ falls by.
const FALL: f64 = 0.1;
/// How often.
const FALLS: usize = 40;
/// Steps for one τ.
const STEPS: usize = 100;
/// Halvings of a step.
const TRIALS: usize = 40;
/// Part of the way to a bound that a step goes at most.
const PART: f64 = 0.99;
/// Weights below this share of the largest are tried as 0.
const SMALL: f64 = 1e-4;

/// A point in the interior.
struct Inner {
    x: Vec<f64>,
    /// K_m x, with constant and unit.
    images: Vec<Vec<f64>>,
}

/// A vector and what it does to the forms.
struct Line {
    step: Vec<f64>,
    images: Vec<Vec<f64>>,
}

struct Barrier<'a, 'b> {
    part: &'a Part<'b>,
    watch: &'a Watch,
    /// Instances whose coefficient may move.
    rows: Vec<usize>,
}

pub(super) fn solve(part: &Part<'_>, watch: &Watch) -> Result<Fitted> {
    let rows: Vec<usize> = (0..part.n()).filter(|i| part.upper[*i] > part.lower[*i]).collect();
    let barrier = Barrier { part, watch, rows };
    let mut counts = Counts::default();
    let mut gram = part.bank.new_gram()?;
    let (mut objective, mut bounds) = (Vec::new(), Vec::new());
    let (mut best, mut lower): (Option<Point>, f64) = (None, 0.0);
    let (mut at, mut tau) = barrier.start();
    let mut falls = 0;
    let status = 'all: loop {
        for _ in 0..STEPS {
            let Some(step) = barrier.step(&at, tau, &mut gram) else {
                break 'all watch.stop().unwrap_or(Status::Stalled);
            };
            counts.combines += 1;
            let (line, decrease) = step;
            let near = decrease <= 0.05 * tau;
            let Some(next) = barrier.search(&at, line, tau, decrease) else {
                break;
            };
            at = next;
            if near {
                break;
            }
        }
        // What the point proves, and what its weights cost.
        let (sigma, mu) = barrier.weights(&at, tau);
        part.bank.combine_into_in(&part.scaled(&sigma), &mut gram, &Pass::under(watch));
        let machine = judged(part, &gram, &sigma, &mu, at.x.clone());
        let point = Point { sigma, mu, machine };
        let value = part.upper(&point);
        lower = lower.max(barrier.proved(&at.x));
        if value.is_finite() && best.as_ref().is_none_or(|b| value < part.upper(b)) {
            best = Some(point);
        }
        let upper = best.as_ref().map_or(f64::INFINITY, |b| part.upper(b));
        if upper.is_finite() {
            objective.push(upper);
            bounds.push(lower.min(upper));
        }
        if upper - lower <= 0.3 * part.tol * upper {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if objective.len() > part.max_iterations {
            break Status::IterationLimit;
        }
        // Nothing is gained any more: rounding.
        falls += 1;
        if falls > FALLS {
            break Status::Stalled;
        }
        tau *= FALL;
    };
    let point = best.unwrap_or_else(|| barrier.first(&at, &mut gram));
    let (found, proved) = barrier.settled(point, &mut gram, &mut counts);
    let upper = part.upper(&found);
    objective.push(upper);
    bounds.push(proved.min(upper));
    let status = match status {
        _ if upper - proved <= part.tol * upper => Status::Converged,
        Status::Converged => Status::Stalled,
        status => status,
    };
    let at_bound = part.at_bound(&found.machine.coef);
    let Point { sigma, mu, mut machine } = found;
    if status == Status::Converged {
        machine.status = Status::Converged;
    }
    Ok(Fitted { sigma, mu, machine, status, objective, lower: bounds, counts, at_bound })
}

impl Barrier<'_, '_> {
    /// The middle of the box, as far as the logarithms reach, and the first τ.
    fn start(&self) -> (Inner, f64) {
        let part = self.part;
        let mut share = 0.5;
        loop {
            let x: Vec<f64> =
                (0..part.n()).map(|i| share * (part.lower[i] + part.upper[i])).collect();
            let images = self.images(&x);
            let at = Inner { x, images };
            let tau = self.balancing(&at);
            if share < 1e-12 || self.value(&at, tau).is_finite() {
                return (at, tau);
            }
            share *= 0.5;
        }
    }

    /// A τ whose walls weigh at least as much as all else where the point is.
    fn balancing(&self, at: &Inner) -> f64 {
        let part = self.part;
        let mean = |sum: f64| sum / self.rows.len().max(1) as f64;
        let first = mean(self.rows.iter().map(|i| at.x[*i].abs()).sum());
        let (sigma, mu) = self.weights(at, first);
        let force = |i: &usize| {
            let kernels = sigma.iter().zip(&at.images).map(|(s, image)| s * image[*i]);
            let views = mu.iter().zip(&part.values).map(|(m, f)| m * f[*i]);
            let room = (at.x[*i] - part.lower[*i]).min(part.upper[*i] - at.x[*i]);
            room * (kernels.sum::<f64>() + views.sum::<f64>() - part.y[*i]).abs()
        };
        let forces = mean(self.rows.iter().map(force).sum());
        // Each step gains about τ, and all that there is to gain is below the sum of the bounds.
        let box_size = mean(self.rows.iter().map(|i| part.upper[*i] - part.lower[*i]).sum());
        if forces.is_finite() { box_size.max(forces) } else { box_size }
    }

    /// K_m v, with constant and unit.
    fn images(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let part = self.part;
        let total: f64 = v.iter().sum();
        let mut images = vec![Vec::new(); part.bank.len()];
        // Products are of the entries that are not 0.
        let v: Vec<f64> =
            v.iter().map(|v| if *v == 0.0 { f64::MIN_POSITIVE } else { *v }).collect();
        part.bank.products_in(&[&v], &Pass::under(self.watch), |m, _, product| {
            images[m] = product.iter().map(|p| p / part.unit + total).collect();
        });
        images
    }

    /// ½q_m and v_m.
    fn forms(&self, at: &Inner) -> (Vec<f64>, Vec<f64>) {
        let dot = |a: &[f64]| a.iter().zip(&at.x).map(|(a, x)| a * x).sum::<f64>();
        let half = at.images.iter().map(|image| 0.5 * dot(image).max(0.0)).collect();
        (half, self.part.values.iter().map(|f| dot(f)).collect())
    }

    /// σ and μ.
    fn weights(&self, at: &Inner, tau: f64) -> (Vec<f64>, Vec<f64>) {
        let (half, v) = self.forms(at);
        let sigma = half.iter().map(|z| self.part.penalty.inside(*z, tau).0).collect();
        (sigma, v.iter().map(|v| 1.0 / (self.part.gamma - v)).collect())
    }

    /// The largest lower bound of these coefficients.
    fn proved(&self, x: &[f64]) -> f64 {
        match self.part.forms(x, self.watch) {
            Some(forms) => self.part.lower_bound(gain(self.part, x), &forms),
            None => 0.0,
        }
    }

    /// The function that is minimised, infinite outside of where it is defined.
    fn value(&self, at: &Inner, tau: f64) -> f64 {
        let (half, v) = self.forms(at);
        self.value_of(&at.x, &half, &v, tau)
    }

    fn value_of(&self, x: &[f64], half: &[f64], v: &[f64], tau: f64) -> f64 {
        let part = self.part;
        let conjugate: f64 = half.iter().map(|z| part.penalty.inside(*z, tau).2).sum();
        let log = |v: &f64| match *v < part.gamma {
            true => -(-v / part.gamma).ln_1p(),
            false => f64::INFINITY,
        };
        let walls = |i: &usize| {
            let (below, above) = (x[*i] - part.lower[*i], part.upper[*i] - x[*i]);
            match below > 0.0 && above > 0.0 {
                true => -tau * (below.ln() + above.ln()),
                false => f64::INFINITY,
            }
        };
        conjugate - gain(part, x)
            + v.iter().map(log).sum::<f64>()
            + self.rows.iter().map(walls).sum::<f64>()
    }

    /// Newton's step and the decrease that it promises; `None` where the system cannot be solved.
    fn step(&self, at: &Inner, tau: f64, gram: &mut Gram) -> Option<(Line, f64)> {
        let (part, size) = (self.part, self.rows.len());
        let (half, v) = self.forms(at);
        let inside: Vec<(f64, f64, f64)> =
            half.iter().map(|z| part.penalty.inside(*z, tau)).collect();
        let sigma: Vec<f64> = inside.iter().map(|i| i.0).collect();
        let mu: Vec<f64> = v.iter().map(|v| 1.0 / (part.gamma - v)).collect();
        part.bank.combine_into_in(&part.scaled(&sigma), gram, &Pass::under(self.watch));
        if self.watch.stop().is_some() {
            return None;
        }
        let mut gradient = vec![0.0; size];
        let mut diagonal = vec![0.0; size];
        for (k, i) in self.rows.iter().enumerate() {
            let (below, above) = (at.x[*i] - part.lower[*i], part.upper[*i] - at.x[*i]);
            gradient[k] = -part.y[*i] - tau / below + tau / above;
            diagonal[k] = tau / below / below + tau / above / above;
        }
        let columns = part.bank.len() + mu.len();
        let mut sides = vec![0.0; size * columns];
        for (k, i) in self.rows.iter().enumerate() {
            let line = &mut sides[k * columns..(k + 1) * columns];
            for (m, image) in at.images.iter().enumerate() {
                gradient[k] += sigma[m] * image[*i];
                line[m] = inside[m].1.sqrt() * image[*i];
            }
            for (m, f) in part.values.iter().enumerate() {
                gradient[k] += mu[m] * f[*i];
                line[sigma.len() + m] = mu[m] * f[*i];
            }
        }
        let mut hessian = vec![0.0; size * size];
        let all = Slice::new(&sides, size, columns);
        product_nt(all, all, &mut hessian);
        let constant: f64 = sigma.iter().sum();
        for (k, i) in self.rows.iter().enumerate() {
            let line = &mut hessian[k * size..(k + 1) * size];
            let row = gram.row(*i);
            line.iter_mut().zip(&self.rows).for_each(|(h, j)| *h += row[*j] + constant);
            line[k] += diagonal[k];
        }
        // Coefficients next to a bound do not drown the others.
        let factor = LeveledCholesky::new(size, hessian)?;
        let found = factor.solved(&gradient);
        let mut step = vec![0.0; part.n()];
        let mut decrease = 0.0;
        for (k, i) in self.rows.iter().enumerate() {
            step[*i] = -found[k];
            decrease -= gradient[k] * step[*i];
        }
        if !(decrease.is_finite() && step.iter().all(|d| d.is_finite())) {
            return None;
        }
        let images = self.images(&step);
        Some((Line { step, images }, decrease))
    }

    /// The point at the end of a step that is halved until the function falls enough.
    fn search(&self, at: &Inner, line: Line, tau: f64, decrease: f64) -> Option<Inner> {
        let part = self.part;
        let mut length = 1.0_f64;
        for &i in &self.rows {
            let d = line.step[i];
            let room = if d > 0.0 { part.upper[i] - at.x[i] } else { part.lower[i] - at.x[i] };
            if d != 0.0 {
                length = length.min(PART * room / d);
            }
        }
        let before = self.value(at, tau);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (half, v) = self.forms(at);
        let first: Vec<f64> = line.images.iter().map(|image| dot(image, &at.x)).collect();
        let second: Vec<f64> = line.images.iter().map(|image| dot(image, &line.step)).collect();
        let votes: Vec<f64> = part.values.iter().map(|f| dot(f, &line.step)).collect();
        for _ in 0..TRIALS {
            let add = |a: &[f64], d: &[f64]| -> Vec<f64> {
                a.iter().zip(d).map(|(a, d)| a + length * d).collect()
            };
            let x = add(&at.x, &line.step);
            let here: Vec<f64> = (0..half.len())
                .map(|m| (half[m] + length * (first[m] + 0.5 * length * second[m])).max(0.0))
                .collect();
            let value = self.value_of(&x, &here, &add(&v, &votes), tau);
            if value <= before - 1e-4 * length * decrease {
                let pairs = at.images.iter().zip(&line.images);
                return Some(Inner { x, images: pairs.map(|(a, d)| add(a, d)).collect() });
            }
            length *= 0.5;
        }
        None
    }

    /// The prior alone, after a stop.
    fn first(&self, at: &Inner, gram: &mut Gram) -> Point {
        let part = self.part;
        let sigma = vec![part.penalty.first(); part.bank.len()];
        let mu = vec![1.0 / part.gamma; part.values.len()];
        let zero = vec![0.0; at.x.len()];
        gram.values_mut().fill(0.0);
        let machine = judged(part, gram, &sigma, &mu, zero);
        Point { sigma, mu, machine }
    }

    /// The point with the coefficients of a machine, whose bounds are met exactly, and without the smallest weights,
    /// where that is no worse and proves the tolerance; and what its coefficients prove.
    fn settled(&self, point: Point, gram: &mut Gram, counts: &mut Counts) -> (Point, f64) {
        let part = self.part;
        let most = point.sigma.iter().fold(0.0_f64, |a, s| a.max(*s));
        let cut: Vec<f64> =
            point.sigma.iter().map(|s| if *s < SMALL * most { 0.0 } else { *s }).collect();
        let mut tried = vec![point.sigma.clone()];
        if part.penalty.leaves_out() && cut != point.sigma {
            tried.insert(0, cut);
        }
        for sigma in tried {
            if self.watch.stop().is_some() {
                break;
            }
            part.bank.combine_into_in(&part.scaled(&sigma), gram, &Pass::under(self.watch));
            let tol = (0.01 * part.tol).max(1e-13);
            let warm = Some(&point.machine.coef[..]);
            let machine = part.solve(&*gram, &sigma, &point.mu, warm, tol, self.watch);
            counts.machine_solves += 1;
            counts.smo_steps += machine.steps;
            let found = Point { sigma, mu: point.mu.clone(), machine };
            let (upper, own) = (part.upper(&found), self.proved(&found.machine.coef));
            if upper - own <= part.tol * upper && upper <= part.upper(&point) {
                return (found, own);
            }
        }
        let own = self.proved(&point.machine.coef);
        (point, own)
    }
}
