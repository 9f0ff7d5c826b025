//! A step of Newton's method, with its system.

use super::{Function, Interior, Side};
use cokernel_dense::simd::dot;
use cokernel_dense::{Cholesky, LeveledCholesky, Slice, add_gram_below, gram_above, mirror_below};
use rayon::prelude::*;

/// Part of the way to a bound that a step goes.
const PART: f64 = 0.99;
/// What τ becomes at least, of the mean product: where it falls faster than what is left of the conditions, steps end early.
const LEAST: f64 = 1e-2;

/// The system of one decision function at a point.
struct Factored {
    /// D.
    d: Vec<f64>,
    factor: Inner,
    /// The inverse times ones, z_mᵀ of that, and its sum.
    ones: Vec<f64>,
    of_ones: Vec<f64>,
    sum: f64,
    /// What was added to all entries of Z E Zᵀ.
    level: f64,
}

/// What is factored: B, or, where there are fewer instances than kernels, I + D^½ (Z E Zᵀ + γ 1 1ᵀ) D^½. The γ changes nothing for
/// coefficients of a given sum but what b is, and without it centred features leave the direction of ones to D⁻¹ alone.
enum Inner {
    Kernels(Cholesky),
    Instances(LeveledCholesky),
}

/// A change of everything.
struct Step {
    eta: Vec<f64>,
    sigma: Vec<f64>,
    rho: f64,
    bias: Vec<f64>,
    /// Of α, ξ and ζ.
    sides: Vec<Vec<[f64; 3]>>,
}

impl Interior<'_> {
    /// All pairs whose product is to become τ.
    fn pairs(&self) -> (f64, usize) {
        let of_side = |s: &Side| s.above() * s.low + s.room() * s.high;
        let sides = self.functions.iter().flat_map(|f| &f.sides);
        let total = sides.clone().map(of_side).sum::<f64>();
        (total + dot(&self.eta, &self.sigma), 2 * sides.count() + self.eta.len())
    }

    /// One step; `None` if its system has no solution.
    pub(super) fn step(&mut self) -> Option<()> {
        let kernels = self.eta.len();
        let prices = self.prices();
        let roots: Vec<f64> = self.eta.iter().map(|e| e.sqrt()).collect();
        let mut hessian = vec![0.0; kernels * kernels];
        for m in 0..kernels {
            let own = 2.0 * self.rho * self.square[m] + self.sigma[m] / self.eta[m];
            hessian[m * kernels + m] = own;
        }
        let mut factored = Vec::new();
        for function in &self.functions {
            factored.push(self.factored(function, &roots, &mut hessian)?);
        }
        // σ/η of kernels with a weight is small, of others large.
        let factor = LeveledCholesky::new(kernels, hessian)?;
        let priced = factor.solved(&prices);
        let system = (&factored[..], &factor, &prices[..], &priced[..], &roots[..]);
        let (total, count) = self.pairs();
        let guess = self.direction(system, 0.0, None)?;
        let length = self.reach(&guess).min(1.0);
        let after = self.moved_pairs(&guess, length);
        let center = (after / total).powi(3).clamp(LEAST, 1.0) * total / count as f64;
        let step = self.direction(system, center, Some(&guess))?;
        let length = (PART * self.reach(&step)).min(1.0);
        self.go(&step, length);
        Some(())
    }

    /// The factors of a decision function; its part of the system in the weights is added.
    fn factored(
        &self,
        function: &Function,
        roots: &[f64],
        hessian: &mut [f64],
    ) -> Option<Factored> {
        let (n, kernels) = (self.n, self.eta.len());
        let mut d = vec![0.0; n];
        function.sides.iter().for_each(|s| d[s.row] += 1.0 / s.theta());
        let wide: Vec<f64> = d.iter().map(|d| d.sqrt()).collect();
        let mut lines = vec![0.0; kernels * n];
        lines.par_chunks_mut(n).enumerate().for_each(|(m, line)| {
            let terms = line.iter_mut().zip(self.line(m)).zip(&wide);
            terms.for_each(|((o, z), w)| *o = roots[m] * z * w);
        });
        // E^½ Zᵀ (Z E Zᵀ + D⁻¹)⁻¹ Z E^½ = I − B⁻¹.
        let mut reduced = vec![0.0; kernels * kernels];
        let mut level = 0.0;
        let factor = if n < kernels {
            let of = |m: usize| self.eta[m] * dot(self.line(m), self.line(m));
            level = (0..kernels).map(of).sum::<f64>() / n as f64;
            lines.extend(wide.iter().map(|w| level.sqrt() * w));
            let mut inner = vec![0.0; n * n];
            gram_above(Slice::new(&lines, kernels + 1, n), &mut inner);
            lines.truncate(kernels * n);
            (0..n).for_each(|i| inner[i * n + i] += 1.0);
            let factor = LeveledCholesky::new(n, inner)?;
            lines.par_chunks_mut(n).for_each(|line| factor.forward(line));
            add_gram_below(1.0, Slice::new(&lines, kernels, n), &mut reduced);
            mirror_below(kernels, &mut reduced);
            Inner::Instances(factor)
        } else {
            let mut b = vec![0.0; kernels * kernels];
            add_gram_below(1.0, Slice::new(&lines, kernels, n), &mut b);
            mirror_below(kernels, &mut b);
            (0..kernels).for_each(|m| b[m * kernels + m] += 1.0);
            let factor = Cholesky::new(kernels, b)?;
            reduced.iter_mut().zip(factor.inverse()).for_each(|(r, i)| *r = -i);
            (0..kernels).for_each(|m| reduced[m * kernels + m] += 1.0);
            Inner::Kernels(factor)
        };
        let (ones, of_ones, sum) = (Vec::new(), Vec::new(), 0.0);
        let mut found = Factored { d, factor, ones, of_ones, sum, level };
        found.ones = self.solved(&found, roots, &vec![1.0; n]);
        found.of_ones = self.scores(&found.ones);
        found.sum = found.ones.iter().sum();
        let tilted: Vec<f64> = function.scores.iter().zip(roots).map(|(s, r)| s / r).collect();
        let own: Vec<f64> =
            function.scores.iter().zip(&found.of_ones).map(|(s, o)| s * o).collect();
        hessian.par_chunks_mut(kernels).enumerate().for_each(|(m, line)| {
            for (k, h) in line.iter_mut().enumerate() {
                *h +=
                    reduced[m * kernels + k] * tilted[m] * tilted[k] - own[m] * own[k] / found.sum;
            }
        });
        (found.sum > 0.0 && found.sum.is_finite()).then_some(found)
    }

    /// (Z E Zᵀ + D⁻¹)⁻¹ r.
    fn solved(&self, at: &Factored, roots: &[f64], r: &[f64]) -> Vec<f64> {
        match &at.factor {
            Inner::Kernels(factor) => {
                let weighed: Vec<f64> = r.iter().zip(&at.d).map(|(r, d)| r * d).collect();
                let mut side: Vec<f64> =
                    self.scores(&weighed).iter().zip(roots).map(|(s, e)| s * e).collect();
                factor.solve(&mut side, 1);
                side.iter_mut().zip(roots).for_each(|(s, e)| *s *= e);
                let back = self.sum(&side);
                r.iter().zip(&back).zip(&at.d).map(|((r, b), d)| d * (r - b)).collect()
            }
            Inner::Instances(factor) => {
                let wide: Vec<f64> = r.iter().zip(&at.d).map(|(r, d)| r * d.sqrt()).collect();
                let found = factor.solved(&wide);
                found.iter().zip(&at.d).map(|(v, d)| v * d.sqrt()).collect()
            }
        }
    }

    /// Newton's step towards products τ, with the products of the changes of a first step taken into account.
    #[allow(clippy::type_complexity)]
    fn direction(
        &self,
        (factored, factor, prices, priced, roots): (
            &[Factored],
            &LeveledCholesky,
            &[f64],
            &[f64],
            &[f64],
        ),
        tau: f64,
        guess: Option<&Step>,
    ) -> Option<Step> {
        let kernels = self.eta.len();
        let second = |m: usize| guess.map_or(0.0, |g| g.eta[m] * g.sigma[m]);
        let mut right: Vec<f64> = (0..kernels)
            .map(|m| 0.5 * self.q[m] - self.rho * prices[m] + (tau - second(m)) / self.eta[m])
            .collect();
        // What each side wants, of α ξ and (C − α) ζ.
        let wants = |u: usize, k: usize| -> [f64; 2] {
            let products = guess.map_or([0.0; 2], |g| {
                let [alpha, low, high] = g.sides[u][k];
                [alpha * low, -alpha * high]
            });
            [tau - products[0], tau - products[1]]
        };
        let mut bases = Vec::new();
        for (u, (function, at)) in self.functions.iter().zip(factored).enumerate() {
            let residual: Vec<f64> = (function.sides.iter().enumerate())
                .map(|(k, s)| {
                    let [low, high] = wants(u, k);
                    let f = function.values[s.row] + function.bias;
                    s.gain - s.sign * f + low / s.above() - high / s.room()
                })
                .collect();
            let mut pull = vec![0.0; self.n];
            for (s, r) in function.sides.iter().zip(&residual) {
                pull[s.row] += s.sign * r / s.theta();
            }
            let sided: Vec<f64> =
                pull.iter().zip(&at.d).map(|(p, d)| if *d > 0.0 { p / d } else { 0.0 }).collect();
            let mut base = self.solved(at, roots, &sided);
            let lack = -function.coef.iter().sum::<f64>();
            let shift = (base.iter().sum::<f64>() - lack) / at.sum;
            base.iter_mut().zip(&at.ones).for_each(|(b, o)| *b -= o * shift);
            let moved = self.scores(&base);
            let terms = right.iter_mut().zip(&function.scores).zip(&moved);
            terms.for_each(|((r, s), v)| *r += s * v);
            bases.push((residual, pull, base, shift + at.level * lack));
        }
        let mut eta = factor.solved(&right);
        let spent: f64 = (0..kernels)
            .map(|m| (self.linear[m] + self.square[m] * self.eta[m]) * self.eta[m])
            .sum();
        let rho = (dot(prices, &eta) - (1.0 - spent)) / dot(prices, priced);
        eta.iter_mut().zip(priced).for_each(|(e, p)| *e -= rho * p);
        let sigma = (0..kernels)
            .map(|m| (tau - second(m) - self.sigma[m] * eta[m]) / self.eta[m] - self.sigma[m])
            .collect();
        let (mut bias, mut sides) = (Vec::new(), Vec::new());
        for (u, (residual, pull, base, first)) in bases.iter().enumerate() {
            let (function, at) = (&self.functions[u], &factored[u]);
            let slopes: Vec<f64> = function.scores.iter().zip(&eta).map(|(s, e)| s * e).collect();
            let moved = self.solved(at, roots, &self.sum(&slopes));
            let back = moved.iter().sum::<f64>() / at.sum;
            bias.push(first - back);
            // d of c; what f changes by is (pull − d)/D.
            let change: Vec<f64> =
                (0..self.n).map(|i| base[i] - moved[i] + at.ones[i] * back).collect();
            let alone = function.sides.len() <= self.n;
            let of_side = |(k, s): (usize, &Side)| {
                // One side of an instance changes by what c does; through f it would lose the digits that D is large by.
                let alpha = if alone {
                    s.sign * change[s.row]
                } else {
                    let rise = (pull[s.row] - change[s.row]) / at.d[s.row];
                    (residual[k] - s.sign * rise) / s.theta()
                };
                let [low, high] = wants(u, k);
                let low = (low - s.low * alpha) / s.above() - s.low;
                [alpha, low, (high + s.high * alpha) / s.room() - s.high]
            };
            sides.push(function.sides.iter().enumerate().map(of_side).collect());
        }
        let step = Step { eta, sigma, rho, bias, sides };
        step.is_finite().then_some(step)
    }

    /// The longest step that stays inside.
    fn reach(&self, step: &Step) -> f64 {
        let toward = |v: f64, d: f64| if d < 0.0 { -v / d } else { f64::INFINITY };
        let pairs = self.eta.iter().zip(&step.eta).chain(self.sigma.iter().zip(&step.sigma));
        let mut least = pairs.map(|(v, d)| toward(*v, *d)).fold(f64::INFINITY, f64::min);
        for (function, changes) in self.functions.iter().zip(&step.sides) {
            for (s, [alpha, low, high]) in function.sides.iter().zip(changes) {
                least = least.min(toward(s.above(), *alpha)).min(toward(s.room(), -alpha));
                least = least.min(toward(s.low, *low)).min(toward(s.high, *high));
            }
        }
        least
    }

    /// The sum of all products after a part of a step.
    fn moved_pairs(&self, step: &Step, t: f64) -> f64 {
        let mut total = 0.0;
        for m in 0..self.eta.len() {
            total += (self.eta[m] + t * step.eta[m]) * (self.sigma[m] + t * step.sigma[m]);
        }
        for (function, changes) in self.functions.iter().zip(&step.sides) {
            for (s, [alpha, low, high]) in function.sides.iter().zip(changes) {
                total += (s.above() + t * alpha) * (s.low + t * low);
                total += (s.room() - t * alpha) * (s.high + t * high);
            }
        }
        total
    }

    fn go(&mut self, step: &Step, t: f64) {
        let add = |v: &mut [f64], d: &[f64]| v.iter_mut().zip(d).for_each(|(v, d)| *v += t * d);
        add(&mut self.eta, &step.eta);
        add(&mut self.sigma, &step.sigma);
        self.rho += t * step.rho;
        for (u, (function, changes)) in self.functions.iter_mut().zip(&step.sides).enumerate() {
            function.bias += t * step.bias[u];
            for (s, [alpha, low, high]) in function.sides.iter_mut().zip(changes) {
                s.alpha += t * alpha;
                s.low += t * low;
                s.high += t * high;
            }
        }
    }
}

impl Step {
    fn is_finite(&self) -> bool {
        let numbers = self.eta.iter().chain(&self.sigma).chain(&self.bias);
        let sides = self.sides.iter().flatten().flatten();
        numbers.chain(sides).all(|v| v.is_finite()) && self.rho.is_finite()
    }
}
