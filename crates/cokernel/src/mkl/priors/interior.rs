//! A primal-dual interior method in α, for what Newton's method in (σ, μ) leaves: where few coefficients are inside the box
//! S has kinks, while the dual is smooth.
//!
//! ```text
//! min_x  −yᵀx + Ω*(½q(x)) − Σ_m log(1 − v_m(x)/γ)        lower ≤ x ≤ upper                      (16)
//!        − τ Σ_i [log(x_i − lower_i) + log(upper_i − x_i)],      Ω* with τ log σ for each kernel, where σ may be 0
//! ∇  = −y + Σ σ_m K_m x + Σ μ_m f_m − τ/(x − lower) + τ/(upper − x)
//! H  = Σ σ_m K_m + Σ w_m (K_m x)(K_m x)ᵀ + Σ μ_m² f_m f_mᵀ + diag(a/(x − lower) + b/(upper − x))
//! ```
//!
//! μ_m = 1/(γ − v_m). Where σ cannot be 0 it is what ½q_m asks for, and w_m its derivative; elsewhere σ, the price s of its
//! limit and those of the box, a and b, are variables of their own, with a(x − lower) = b(upper − x) = σs = τ at the end and
//! w = 1/(Ω″ + s/σ). Each step is −H⁻¹∇; τ is the mean of these products times the cube of what a step to τ = 0 leaves
//! of it (Mehrotra 1992), but stays after a short step, and rises to Newton's decrease for each product where that is
//! larger: then the logarithms of v and q are far from their best. Steps of x are halved until the function falls; q, v and the logarithms are
//! known along a whole step. The weights of each point and its coefficients give the bounds of the family. At the end, the
//! machine with these weights, without those that are next to 0, is taken where it proves the tolerance.
//!
//! Where that ends early, it starts again on the steady way of a primal barrier: τ falls by tens once a step promises little.
//!
//! **Cost** of a step: 2M n² to sum and to multiply, 4M n² for H and n³/3; some fifteen steps, 150 at most, and 1,000 on the steady way.

mod steps;

use super::newton::gain;
use super::part::{Fitted, Forms, Part, Point};
use super::shares::nearer;
use super::sqp::{judged, judged_by};
use crate::bank::Gram;
use crate::run::Pass;
use crate::{Counts, Result, Status, Watch};
use cokernel_dense::simd::dot;

/// Steps at most.
const STEPS: usize = 150;
/// Steady steps at most.
const MOST: usize = 1_000;
/// Steps in which the bounds come nearer to each other by a tenth, or it ends.
const PATIENCE: usize = 25;
/// Part of an upper bound that is rounding.
const ROUNDING: f64 = 1e-12;
/// Weights below this share of the largest are tried as 0.
const SMALL: f64 = 1e-4;
/// Coefficients that have fallen to this share of what they were have their products computed anew: these hold the rounding of
/// all that was added up.
const FALLEN: f64 = 1e-2;

/// A point in the interior.
#[derive(Clone)]
struct Inner {
    x: Vec<f64>,
    /// K_m x, with constant and unit, and the largest coefficient that is in their rounding.
    images: Vec<Vec<f64>>,
    largest: f64,
    /// Prices of the lower and the upper bound, row by row.
    prices: Vec<[f64; 2]>,
    /// σ with the price of its limit; where σ is never 0 no more than what ½q asks for.
    sigma: Vec<[f64; 2]>,
    /// How much of a step led here, for which τ, and how often that has fallen.
    length: f64,
    tau: f64,
    falls: usize,
}

struct Barrier<'a, 'b> {
    part: &'a Part<'b>,
    watch: &'a Watch,
    /// Instances whose coefficient may move.
    rows: Vec<usize>,
}

/// In long steps; where these prove nothing, steadily.
pub(super) fn solve(part: &Part<'_>, watch: &Watch) -> Result<Fitted> {
    let found = on_the_way(part, false, watch)?;
    match found.status {
        Status::Stalled => Ok(nearer(found, on_the_way(part, true, watch)?)),
        _ => Ok(found),
    }
}

fn on_the_way(part: &Part<'_>, steadily: bool, watch: &Watch) -> Result<Fitted> {
    let rows: Vec<usize> = (0..part.n()).filter(|i| part.upper[*i] > part.lower[*i]).collect();
    let barrier = Barrier { part, watch, rows };
    let mut counts = Counts::default();
    let mut gram = part.bank.new_gram()?;
    let (mut objective, mut bounds) = (Vec::new(), Vec::new());
    // The point with the least upper bound, and the coefficients that prove most.
    let (mut best, mut proof): (Option<Point>, (Vec<f64>, f64)) = (None, (Vec::new(), 0.0));
    let mut at = barrier.start(steadily);
    let (mut last, mut waited) = (f64::INFINITY, 0);
    let status = loop {
        // Products are not complete after a stop.
        if let Some(status) = watch.stop() {
            break status;
        }
        let (point, own) = barrier.judged(&at);
        if proof.0.is_empty() || own > proof.1 {
            proof = (at.x.clone(), own);
        }
        let value = part.upper(&point);
        if value.is_finite() && best.as_ref().is_none_or(|b| value < part.upper(b)) {
            best = Some(point);
        }
        if let Some(point) = &best {
            let upper = part.upper(point);
            objective.push(upper);
            bounds.push(proof.1.min(upper));
            let apart = upper - proof.1;
            if apart <= 0.3 * part.tol * upper {
                break Status::Converged;
            }
            (last, waited) = if apart < 0.9 * last { (apart, 0) } else { (last, waited + 1) };
        }
        if !steadily && objective.len() > part.max_iterations {
            break Status::IterationLimit;
        }
        let (patience, steps) = if steadily { (MOST, MOST) } else { (PATIENCE, STEPS) };
        if waited > patience || counts.combines as usize >= steps {
            break Status::Stalled;
        }
        counts.combines += 1;
        let next = barrier.system(&at, &mut gram).and_then(|system| match steadily {
            true => barrier.next_steadily(&at, &system),
            false => barrier.next(&at, &system),
        });
        match next {
            Some(next) => at = next,
            None => break watch.stop().unwrap_or(Status::Stalled),
        }
    };
    let point = best.unwrap_or_else(|| barrier.first(&at));
    let (found, proved) = barrier.settled(point, &proof.0, &mut gram, &mut counts);
    let upper = part.upper(&found);
    objective.push(upper);
    bounds.push(proved.min(upper));
    // What was less than that before was rounding.
    objective.iter_mut().for_each(|value| *value = value.max(upper));
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
    /// The middle of the box, as far as the logarithms reach, with the prices that one τ asks for: the forces there.
    /// On the steady way τ is as large as the box, too: each step gains about τ.
    fn start(&self, steadily: bool) -> Inner {
        let part = self.part;
        let middle: Vec<f64> =
            (0..part.n()).map(|i| 0.5 * (part.lower[i] + part.upper[i])).collect();
        let images = self.images(&middle);
        let mut at = Inner {
            x: middle,
            images,
            largest: 0.0,
            prices: Vec::new(),
            sigma: Vec::new(),
            length: 1.0,
            tau: 0.0,
            falls: 0,
        };
        let (half, v) = self.forms(&at);
        let times = |v: &[f64], s: f64| -> Vec<f64> { v.iter().map(|v| s * v).collect() };
        // Far from the walls of the logarithms, too.
        let mut share = 1.0_f64;
        while share > 1e-300
            && !self
                .logs(&times(&half, 2.0 * share * share), &times(&v, 2.0 * share), 1.0)
                .is_finite()
        {
            share *= 0.5;
        }
        at.x = times(&at.x, share);
        at.images.iter_mut().for_each(|image| *image = times(image, share));
        at.largest = largest(&at.x);
        let mean = |sum: f64| sum / self.rows.len().max(1) as f64;
        let first = mean(self.rows.iter().map(|i| at.x[*i].abs()).sum());
        self.price(&mut at, first.max(f64::MIN_POSITIVE));
        let (_, v) = self.forms(&at);
        let mu: Vec<f64> = v.iter().map(|v| 1.0 / (part.gamma - v)).collect();
        let force = |i: &usize| {
            let kernels = at.sigma.iter().zip(&at.images).map(|(s, image)| s[0] * image[*i]);
            let views = mu.iter().zip(&part.values).map(|(m, f)| m * f[*i]);
            let room = (at.x[*i] - part.lower[*i]).min(part.upper[*i] - at.x[*i]);
            room * (kernels.sum::<f64>() + views.sum::<f64>() - part.y[*i]).abs()
        };
        let forces = mean(self.rows.iter().map(force).sum());
        let tau = if forces.is_finite() && forces > 0.0 { forces } else { first };
        let wide = mean(self.rows.iter().map(|i| part.upper[*i] - part.lower[*i]).sum());
        at.tau = if steadily { tau.max(wide) } else { tau }.max(f64::MIN_POSITIVE);
        let tau = at.tau;
        self.price(&mut at, tau);
        at
    }

    /// The prices that τ asks for.
    fn price(&self, at: &mut Inner, tau: f64) {
        let (half, _) = self.forms(at);
        let part = self.part;
        let of = |i: &usize| [tau / (at.x[*i] - part.lower[*i]), tau / (part.upper[*i] - at.x[*i])];
        at.prices = self.rows.iter().map(of).collect();
        let sigma = |z: &f64| {
            let sigma = part.penalty.inside(*z, tau).0;
            [sigma, tau / sigma]
        };
        at.sigma = half.iter().map(sigma).collect();
    }

    /// K_m v, with constant and unit.
    fn images(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let part = self.part;
        let total: f64 = v.iter().sum();
        // After a stop those that are missing are 0, and nobody uses them.
        let mut images = vec![vec![0.0; part.n()]; part.bank.len()];
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
        let half = at.images.iter().map(|image| 0.5 * dot(image, &at.x).max(0.0)).collect();
        (half, self.part.values.iter().map(|f| dot(f, &at.x)).collect())
    }

    /// The weights of a point with its coefficients, and what these prove.
    fn judged(&self, at: &Inner) -> (Point, f64) {
        let part = self.part;
        let (half, v) = self.forms(at);
        let mu: Vec<f64> = v.iter().map(|v| 1.0 / (part.gamma - v)).collect();
        let sigma: Vec<f64> = at.sigma.iter().map(|s| s[0]).collect();
        let mut values = vec![0.0; part.n()];
        for (s, image) in sigma.iter().zip(&at.images) {
            values.iter_mut().zip(image).for_each(|(v, k)| *v += s * k);
        }
        let machine = judged_by(part, &sigma, &mu, at.x.clone(), values);
        let forms = Forms {
            q: half.iter().map(|z| 2.0 * z).collect(),
            v,
            free: Vec::new(),
            sides: Vec::new(),
        };
        let own = part.lower_bound(gain(part, &at.x), &forms);
        (Point { sigma, mu, machine }, own)
    }

    /// The largest lower bound of these coefficients.
    fn proved(&self, x: &[f64]) -> f64 {
        match self.part.forms(x, self.watch) {
            Some(forms) => self.part.lower_bound(gain(self.part, x), &forms),
            None => 0.0,
        }
    }

    /// The function that is minimised, infinite outside of where it is defined.
    fn value_of(&self, x: &[f64], half: &[f64], v: &[f64], tau: f64) -> f64 {
        let walls = |i: &usize| {
            let [below, above] = self.rooms(x, *i);
            match below > 0.0 && above > 0.0 {
                true => -tau * (below.ln() + above.ln()),
                false => f64::INFINITY,
            }
        };
        self.logs(half, v, tau) - gain(self.part, x) + self.rows.iter().map(walls).sum::<f64>()
    }

    /// Its terms in q and v.
    fn logs(&self, half: &[f64], v: &[f64], tau: f64) -> f64 {
        let part = self.part;
        let log = |v: &f64| match *v < part.gamma {
            true => -(-v / part.gamma).ln_1p(),
            false => f64::INFINITY,
        };
        let conjugate: f64 = half.iter().map(|z| part.penalty.inside(*z, tau).2).sum();
        conjugate + v.iter().map(log).sum::<f64>()
    }

    /// How far a coefficient is from its bounds.
    fn rooms(&self, x: &[f64], i: usize) -> [f64; 2] {
        [x[i] - self.part.lower[i], self.part.upper[i] - x[i]]
    }

    /// The prior alone, after a stop.
    fn first(&self, at: &Inner) -> Point {
        let part = self.part;
        let sigma = vec![part.penalty.first(); part.bank.len()];
        let mu = vec![1.0 / part.gamma; part.values.len()];
        let zero = vec![0.0; at.x.len()];
        let machine = judged_by(part, &sigma, &mu, zero.clone(), zero);
        Point { sigma, mu, machine }
    }

    /// The point, judged by products of its own, or where that is no worse and proves the tolerance the one with the coefficients of a machine, whose bounds are met exactly, and without the smallest weights,
    /// from those that prove most; and what its coefficients prove.
    fn settled(
        &self,
        point: Point,
        proof: &[f64],
        gram: &mut Gram,
        counts: &mut Counts,
    ) -> (Point, f64) {
        let part = self.part;
        let Point { sigma, mu, mut machine } = point;
        // After a stop as it was.
        if self.watch.stop().is_none() {
            part.bank.combine_into_in(&part.scaled(&sigma), gram, &Pass::under(self.watch));
            machine = judged(part, gram, &sigma, &mu, machine.coef);
        }
        let point = Point { sigma, mu, machine };
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
            let machine = part.solve(&*gram, &sigma, &point.mu, Some(proof), tol, self.watch);
            counts.machine_solves += 1;
            counts.smo_steps += machine.steps;
            let found = Point { sigma, mu: point.mu.clone(), machine };
            let (upper, own) = (part.upper(&found), self.proved(&found.machine.coef));
            // The sums of both bounds are rounded.
            let most = (1.0 + ROUNDING) * part.upper(&point);
            if upper - own <= part.tol * upper && upper <= most {
                return (found, own);
            }
        }
        let own = self.proved(&point.machine.coef);
        (point, own)
    }
}

/// The largest |entry|.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a, v| a.max(v.abs()))
}
