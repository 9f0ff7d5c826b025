//! A step of the interior method: its system, where it leads to and how far it goes.

use super::{Barrier, FALLEN, Inner, largest};
use crate::bank::Gram;
use crate::run::Pass;
use cokernel_dense::simd::dot;
use cokernel_dense::{LeveledCholesky, Slice, product_nt};

/// Halvings of a step.
const TRIALS: usize = 40;
/// Part of the way to a bound that a step goes at most.
const PART: f64 = 0.99;
/// Least part of the mean product that is aimed at.
const LEAST: f64 = 1e-4;
/// What τ falls by on the steady way, how often, and the decrease in its units after which it does.
const FALL: f64 = 0.1;
const FALLS: usize = 40;
const NEAR: f64 = 0.05;
/// Up to how many times τ a decrease for each product is no matter, where no limit is as curved as q.
const ENOUGH: f64 = 10.0;
/// How much τ rises at most.
const RISE: f64 = 10.0;
/// After a shorter step τ does not fall.
const SHORT: f64 = 0.1;
/// How far a price may be from what τ asks for.
const APART: f64 = 1e10;

/// Where a step leads.
struct Line {
    step: Vec<f64>,
    prices: Vec<[f64; 2]>,
    sigma: Vec<[f64; 2]>,
}

/// What the steps of one point have in common.
pub(super) struct System {
    factor: LeveledCholesky,
    half: Vec<f64>,
    v: Vec<f64>,
    /// −y + Σ μ_m f_m, of the rows.
    rest: Vec<f64>,
    /// w.
    bend: Vec<f64>,
}

impl Barrier<'_, '_> {
    /// H and its factors; `None` where it has none, or after a stop.
    pub(super) fn system(&self, at: &Inner, gram: &mut Gram) -> Option<System> {
        let (part, size) = (self.part, self.rows.len());
        let (half, v) = self.forms(at);
        let sigma: Vec<f64> = at.sigma.iter().map(|s| s[0]).collect();
        let mu: Vec<f64> = v.iter().map(|v| 1.0 / (part.gamma - v)).collect();
        part.bank.combine_into_in(&part.scaled(&sigma), gram, &Pass::under(self.watch));
        if self.watch.stop().is_some() {
            return None;
        }
        let bend: Vec<f64> = match part.penalty.has_limit() {
            true => {
                let of = |s: &[f64; 2]| 1.0 / (part.penalty.derivatives(s[0]).1 + s[1] / s[0]);
                at.sigma.iter().map(of).collect()
            }
            false => half.iter().map(|z| part.penalty.inside(*z, 0.0).1).collect(),
        };
        let columns = part.bank.len() + mu.len();
        let mut sides = vec![0.0; size * columns];
        let mut rest = vec![0.0; size];
        for (k, i) in self.rows.iter().enumerate() {
            let line = &mut sides[k * columns..(k + 1) * columns];
            for (m, image) in at.images.iter().enumerate() {
                line[m] = bend[m].sqrt() * image[*i];
            }
            rest[k] = -part.y[*i];
            for (m, f) in part.values.iter().enumerate() {
                rest[k] += mu[m] * f[*i];
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
            let [below, above] = self.rooms(&at.x, *i);
            line[k] += at.prices[k][0] / below + at.prices[k][1] / above;
        }
        // Coefficients next to a bound do not drown the others.
        let factor = LeveledCholesky::new(size, hessian)?;
        Some(System { factor, half, v, rest, bend })
    }

    /// The step to this τ, and the decrease that it promises; `None` where it is no number.
    fn line(&self, at: &Inner, system: &System, tau: f64) -> Option<(Line, f64)> {
        let part = self.part;
        let asked: Vec<f64> = system.half.iter().map(|z| part.penalty.inside(*z, tau).0).collect();
        let gradient = |(k, i): (usize, &usize)| {
            let kernels = asked.iter().zip(&at.images).map(|(s, image)| s * image[*i]);
            let [below, above] = self.rooms(&at.x, *i);
            system.rest[k] + kernels.sum::<f64>() - tau / below + tau / above
        };
        let gradient: Vec<f64> = self.rows.iter().enumerate().map(gradient).collect();
        let found = system.factor.solved(&gradient);
        let mut step = vec![0.0; part.n()];
        let mut decrease = 0.0;
        let mut prices = Vec::with_capacity(found.len());
        for (k, i) in self.rows.iter().enumerate() {
            step[*i] = -found[k];
            decrease += gradient[k] * found[k];
            let ([below, above], [a, b]) = (self.rooms(&at.x, *i), at.prices[k]);
            prices.push([(tau + a * found[k]) / below - a, (tau - b * found[k]) / above - b]);
        }
        let sigma = match part.penalty.has_limit() {
            true => (0..asked.len()).map(|m| self.weight_step(at, system, &step, tau, m)).collect(),
            false => Vec::new(),
        };
        let finite = decrease.is_finite() && step.iter().all(|d| d.is_finite());
        finite.then_some((Line { step, prices, sigma }, decrease))
    }

    /// Where σ_m and the price of its limit go.
    fn weight_step(
        &self,
        at: &Inner,
        system: &System,
        step: &[f64],
        tau: f64,
        m: usize,
    ) -> [f64; 2] {
        let [sigma, price] = at.sigma[m];
        let left = self.part.penalty.derivatives(sigma).0 - price - system.half[m];
        let rise = dot(&at.images[m], step) + tau / sigma - price - left;
        let moved = system.bend[m] * rise;
        [moved, tau / sigma - price - price / sigma * moved]
    }

    /// How long steps of x and of the prices can be, up to 1, for this part of the way to a bound.
    fn reach(&self, at: &Inner, line: &Line, part: f64) -> (f64, f64) {
        let (mut own, mut other) = (1.0_f64, 1.0_f64);
        for (k, i) in self.rows.iter().enumerate() {
            let ([below, above], d) = (self.rooms(&at.x, *i), line.step[*i]);
            let room = if d > 0.0 { above } else { below };
            if d != 0.0 {
                own = own.min(part * room / d.abs());
            }
            other = other.min(shrinks(at.prices[k], line.prices[k], part));
        }
        for (values, steps) in at.sigma.iter().zip(&line.sigma) {
            other = other.min(shrinks(*values, *steps, part));
        }
        (own, other)
    }

    /// The mean of the products that are to be τ, after a step of these lengths; prices that a step does not change stay.
    fn mean(&self, at: &Inner, line: Option<&Line>, (own, other): (f64, f64)) -> f64 {
        let mut sum = 0.0;
        for (k, i) in self.rows.iter().enumerate() {
            let ([below, above], [a, b]) = (self.rooms(&at.x, *i), at.prices[k]);
            let (d, [da, db]) = line.map_or((0.0, [0.0; 2]), |l| (l.step[*i], l.prices[k]));
            sum += (below + own * d) * (a + other * da) + (above - own * d) * (b + other * db);
        }
        if self.part.penalty.has_limit() {
            for (m, [sigma, price]) in at.sigma.iter().enumerate() {
                let [ds, dp] = line.map_or([0.0; 2], |l| l.sigma[m]);
                sum += (sigma + other * ds) * (price + other * dp);
            }
        }
        sum / self.products(at).max(1) as f64
    }

    /// How many products are to be τ.
    fn products(&self, at: &Inner) -> usize {
        let limits = if self.part.penalty.has_limit() { at.sigma.len() } else { 0 };
        2 * self.rows.len() + limits
    }

    /// The next point; `None` where no step leads down.
    pub(super) fn next(&self, at: &Inner, system: &System) -> Option<Inner> {
        let limited = self.part.penalty.has_limit();
        let mean = self.mean(at, None, (0.0, 0.0));
        let (far, _) = self.line(at, system, 0.0)?;
        let (mut own, mut other) = self.reach(at, &far, 1.0);
        // No further than the logarithms reach: by the slopes of q and v, which are known, unless limits are as curved as q.
        let first: Vec<f64> = at.images.iter().map(|image| dot(image, &far.step)).collect();
        let second: Vec<f64> = match limited {
            true => self.images(&far.step).iter().map(|image| dot(image, &far.step)).collect(),
            false => vec![0.0; first.len()],
        };
        let votes: Vec<f64> = self.part.values.iter().map(|f| dot(f, &far.step)).collect();
        for _ in 0..TRIALS {
            let half = along(&system.half, &first, &second, own);
            let v = added(&system.v, &votes, own);
            if self.logs(&half, &v, 1.0).is_finite() {
                break;
            }
            own *= 0.7;
        }
        if limited {
            (own, other) = (own.min(other), own.min(other));
        }
        let left = self.mean(at, Some(&far), (own, other)).max(0.0) / mean;
        // What there is to gain at this τ is what a larger one asks for: the logarithms of q and v are far from their best.
        let asked = self.line(at, system, mean)?.1 / self.products(at) as f64;
        let factor = match asked > if limited { mean } else { ENOUGH * mean } {
            true if limited => (asked / mean).min(RISE),
            true => (asked / (ENOUGH * mean)).min(RISE),
            // After a short step back to the middle first.
            false if at.length < SHORT => 1.0,
            false => left.powi(3).clamp(LEAST, 1.0),
        };
        let tau = (mean * factor).max(f64::MIN_POSITIVE);
        let (line, decrease) = self.line(at, system, tau)?;
        self.search(at, system, line, tau, decrease)
    }

    /// The next point of the steady way: with the prices that τ asks for, and a tenth of it once a step promises little or
    /// none leads down. `None` after the last.
    pub(super) fn next_steadily(&self, at: &Inner, system: &System) -> Option<Inner> {
        let tau = at.tau;
        let (line, decrease) = self.line(at, system, tau)?;
        let found = self.search(at, system, line, tau, decrease);
        let done = decrease <= NEAR * tau || found.is_none();
        if done && at.falls == FALLS {
            return None;
        }
        let (tau, falls) = if done { (FALL * tau, at.falls + 1) } else { (tau, at.falls) };
        let mut next = found.unwrap_or_else(|| at.clone());
        (next.tau, next.falls) = (tau, falls);
        self.price(&mut next, tau);
        Some(next)
    }

    /// The point at the end of a step that is halved until the function falls enough.
    fn search(
        &self,
        at: &Inner,
        system: &System,
        line: Line,
        tau: f64,
        decrease: f64,
    ) -> Option<Inner> {
        let part = self.part;
        let images = self.images(&line.step);
        let (mut length, other) = self.reach(at, &line, PART);
        let System { half, v, .. } = system;
        let before = self.value_of(&at.x, half, v, tau);
        let first: Vec<f64> = images.iter().map(|image| dot(image, &at.x)).collect();
        let second: Vec<f64> = images.iter().map(|image| dot(image, &line.step)).collect();
        let votes: Vec<f64> = part.values.iter().map(|f| dot(f, &line.step)).collect();
        for _ in 0..TRIALS {
            let x = added(&at.x, &line.step, length);
            let here = along(half, &first, &second, length);
            let value = self.value_of(&x, &here, &added(v, &votes, length), tau);
            if value <= before - 1e-4 * length * decrease {
                let (now, before) = (largest(&x), at.largest);
                let (images, largest) = match now < FALLEN * before {
                    true => (self.images(&x), now),
                    false => {
                        let images = at.images.iter().zip(&images);
                        (images.map(|(a, d)| added(a, d, length)).collect(), before.max(now))
                    }
                };
                let (prices, sigma, falls) = (Vec::new(), Vec::new(), at.falls);
                let mut next = Inner { x, images, largest, prices, sigma, length, tau, falls };
                let other = if part.penalty.has_limit() { other.min(length) } else { other };
                self.priced(&mut next, at, &line, other, tau);
                return Some(next);
            }
            length *= 0.5;
        }

        None
    }

    /// The prices after a step of this length.
    fn priced(&self, next: &mut Inner, at: &Inner, line: &Line, length: f64, tau: f64) {
        let near = |value: f64, asked: f64| value.clamp(asked / APART, asked * APART);
        for (k, i) in self.rows.iter().enumerate() {
            let ([below, above], [a, b]) = (self.rooms(&next.x, *i), at.prices[k]);
            let [da, db] = line.prices[k];
            next.prices
                .push([near(a + length * da, tau / below), near(b + length * db, tau / above)]);
        }
        let (half, _) = self.forms(next);
        for (m, z) in half.iter().enumerate() {
            let asked = self.part.penalty.inside(*z, tau).0;
            next.sigma.push(match line.sigma.get(m) {
                None => [asked, 0.0],
                Some([ds, dp]) => {
                    let sigma = near(at.sigma[m][0] + length * ds, asked);
                    // Where Ω is linear the price is what ½q leaves of its slope.
                    let (slope, second) = self.part.penalty.derivatives(sigma);
                    match second == 0.0 {
                        true => [sigma, slope - z],
                        false => [sigma, near(at.sigma[m][1] + length * dp, tau / asked)],
                    }
                }
            });
        }
    }
}

/// a + length · d.
fn added(a: &[f64], d: &[f64], length: f64) -> Vec<f64> {
    a.iter().zip(d).map(|(a, d)| a + length * d).collect()
}

/// ½q along a step with these first and second derivatives.
fn along(half: &[f64], first: &[f64], second: &[f64], length: f64) -> Vec<f64> {
    let at = |m: usize| half[m] + length * (first[m] + 0.5 * length * second[m]);
    (0..half.len()).map(|m| at(m).max(0.0)).collect()
}

/// The longest step, up to 1, that leaves both above 0.
fn shrinks(values: [f64; 2], steps: [f64; 2], part: f64) -> f64 {
    let one = |v: f64, d: f64| if d < 0.0 { -part * v / d } else { 1.0 };
    one(values[0], steps[0]).min(one(values[1], steps[1])).min(1.0)
}
