//! A chain of [`gibbs_probit`](super), and what several of them say together.

use crate::Watch;
use crate::mkl::bayes::Latents;
use crate::solve::draws::{gamma, normal, normal_above};
use cokernel_dense::{Cholesky, GRAM_STRIP, Slice, add_gram_rows, mirror_below, simd};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Steps of η in a sweep.
const STEPS: usize = 10;
/// Share of them that should be accepted, and how often the length is looked at.
const ACCEPTED: f64 = 0.33;
const LOOK: usize = 50;

/// What chains share.
pub(super) struct Fixed {
    pub n: usize,
    /// K_m, in units.
    pub kernels: Vec<Vec<f64>>,
    pub latents: Latents,
    /// ρ.
    pub rho: f64,
    pub watch: Watch,
}

/// A draw.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    pub eta: Vec<f64>,
    /// w of each decision function, the constant first.
    pub coefs: Vec<Vec<f64>>,
}

/// The state of a chain.
pub(super) struct Chain {
    rng: Xoshiro256PlusPlus,
    at: Draw,
    zeta: Vec<Vec<f64>>,
    t: Vec<Vec<f64>>,
    /// K_η, and XᵀX, n + 1 × n + 1.
    kernel: Vec<f64>,
    moment: Vec<f64>,
    /// Length of the steps of ln η.
    length: f64,
    /// Steps made and accepted, in the burn-in since the length was looked at.
    steps: (usize, usize),
}

impl Chain {
    /// From equal weights and latent values on their sides.
    pub fn new(fixed: &Fixed, heads: usize, mut rng: Xoshiro256PlusPlus) -> Self {
        let (n, kernels) = (fixed.n, fixed.kernels.len());
        // Chains start apart: weights by the prior, or nearly.
        let parts: Vec<f64> = (0..kernels).map(|_| gamma(1.0 + fixed.rho, &mut rng)).collect();
        let total: f64 = parts.iter().sum();
        let mut t = vec![vec![0.0; n]; heads];
        for i in 0..n {
            match &fixed.latents {
                Latents::Signs(signs) => t[0][i] = signs[i],
                Latents::Largest(codes) => {
                    (0..heads).for_each(|u| t[u][i] = if codes[i] == u { 1.0 } else { -1.0 });
                }
            }
        }
        let mut chain = Chain {
            rng,
            at: Draw {
                eta: parts.iter().map(|v| v / total).collect(),
                coefs: vec![vec![0.0; n + 1]; heads],
            },
            zeta: vec![vec![1.0; n + 1]; heads],
            t,
            kernel: Vec::new(),
            moment: Vec::new(),
            length: 0.5,
            steps: (0, 0),
        };
        chain.combine(fixed);
        chain
    }

    pub fn draw(&self) -> Draw {
        self.at.clone()
    }

    /// Share of accepted steps after the burn-in.
    pub fn accepted(&self) -> f64 {
        self.steps.1 as f64 / self.steps.0.max(1) as f64
    }

    fn combine(&mut self, fixed: &Fixed) {
        let (n, width) = (fixed.n, fixed.n + 1);
        self.kernel = vec![0.0; n * n];
        for (k, eta) in fixed.kernels.iter().zip(&self.at.eta) {
            simd::weighted_sum(&[(*eta, k)], &mut self.kernel);
        }
        let mut design = vec![1.0; width * n];
        design[n..].copy_from_slice(&self.kernel);
        self.moment = vec![0.0; width * width];
        let design = Slice::new(&design, width, n);
        let strips = self.moment.par_chunks_mut(GRAM_STRIP * width).enumerate();
        strips
            .filter(|_| fixed.watch.stop().is_none())
            .for_each(|(s, strip)| add_gram_rows(1.0, design, s * GRAM_STRIP, strip));
        mirror_below(width, &mut self.moment);
    }

    /// One sweep; `false` where a matrix has no factor, and after a stop.
    pub fn sweep(&mut self, fixed: &Fixed, burning: bool) -> bool {
        let (n, width, heads) = (fixed.n, fixed.n + 1, self.t.len());
        for u in 0..heads {
            let mut precision = self.moment.clone();
            (0..width).for_each(|i| precision[i * width + i] += self.zeta[u][i]);
            let going = || fixed.watch.stop().is_none();
            let factor = Cholesky::while_going(width, precision, &going);
            let Some(factor) = factor.filter(|_| going()) else { return false };
            let mut w = vec![self.t[u].iter().sum()];
            w.extend(self.kernel.chunks(n).map(|row| simd::dot(row, &self.t[u])));
            // A⁻¹b + L⁻ᵀz = L⁻ᵀ(L⁻¹b + z).
            factor.forward(&mut w, 1);
            w.iter_mut().for_each(|v| *v += normal(&mut self.rng));
            factor.back(&mut w, 1);
            for (zeta, w) in self.zeta[u].iter_mut().zip(&w) {
                *zeta = gamma(1.5, &mut self.rng) / (1.0 + 0.5 * w * w);
            }
            self.at.coefs[u] = w;
        }
        self.latents(fixed);
        self.weights(fixed, burning);
        true
    }

    fn latents(&mut self, fixed: &Fixed) {
        let n = fixed.n;
        for i in 0..n {
            let row = &self.kernel[i * n..(i + 1) * n];
            let value = |w: &Vec<f64>| w[0] + simd::dot(row, &w[1..]);
            let means: Vec<f64> = self.at.coefs.iter().map(value).collect();
            match &fixed.latents {
                Latents::Signs(signs) => {
                    let s = signs[i];
                    let along = s * means[0];
                    self.t[0][i] = s * (along + normal_above(-along, &mut self.rng));
                }
                Latents::Largest(codes) => {
                    let c = codes[i];
                    let others = (0..means.len()).filter(|j| *j != c);
                    let most = others.clone().fold(f64::NEG_INFINITY, |a, j| a.max(self.t[j][i]));
                    let top = means[c] + normal_above(most - means[c], &mut self.rng);
                    self.t[c][i] = top;
                    for j in others {
                        self.t[j][i] = means[j] - normal_above(means[j] - top, &mut self.rng);
                    }
                }
            }
        }
    }

    /// Steps of η given w and t: ln of its density in the logarithms of the parts is
    /// −½ Σ_u ‖t_u − w_u0 − Σ_m η_m K_m w_u‖² + ρ Σ_m ln η_m.
    fn weights(&mut self, fixed: &Fixed, burning: bool) {
        let (n, kernels) = (fixed.n, fixed.kernels.len());
        if kernels == 1 {
            return;
        }
        let (mut h, mut bend) = (vec![0.0; kernels], vec![0.0; kernels * kernels]);
        for (w, t) in self.at.coefs.iter().zip(&self.t) {
            let of = |k: &Vec<f64>| -> Vec<f64> {
                k.chunks(n).map(|row| simd::dot(row, &w[1..])).collect()
            };
            let values: Vec<Vec<f64>> = fixed.kernels.iter().map(of).collect();
            let rest: Vec<f64> = t.iter().map(|t| t - w[0]).collect();
            for m in 0..kernels {
                h[m] += simd::dot(&values[m], &rest);
                for l in 0..kernels {
                    bend[m * kernels + l] += simd::dot(&values[m], &values[l]);
                }
            }
        }
        let density = |eta: &[f64]| {
            let form: f64 =
                bend.chunks(kernels).zip(eta).map(|(row, e)| e * simd::dot(row, eta)).sum();
            let prior: f64 = eta.iter().map(|e| e.ln()).sum();
            simd::dot(&h, eta) - 0.5 * form + fixed.rho * prior
        };
        let mut here = density(&self.at.eta);
        let mut moved = false;
        for _ in 0..STEPS {
            let logs = self.at.eta.iter().map(|e| e.ln());
            let logs: Vec<f64> = logs.map(|l| l + self.length * normal(&mut self.rng)).collect();
            let highest = logs.iter().fold(f64::NEG_INFINITY, |a, l| a.max(*l));
            let parts: Vec<f64> = logs.iter().map(|l| (l - highest).exp()).collect();
            let total: f64 = parts.iter().sum();
            let eta: Vec<f64> = parts.iter().map(|p| (p / total).max(1e-300)).collect();
            let there = density(&eta);
            self.steps.0 += 1;
            if (1.0 - self.rng.random::<f64>()).ln() < there - here {
                (self.at.eta, here, moved) = (eta, there, true);
                self.steps.1 += 1;
            }
            if burning && self.steps.0 == LOOK {
                let more = self.accepted() > ACCEPTED;
                self.length = (self.length * if more { 1.2 } else { 1.0 / 1.2 }).clamp(1e-4, 10.0);
                self.steps = (0, 0);
            }
        }
        if moved {
            self.combine(fixed);
        }
    }
}

/// What the chains say of one number.
pub(super) struct Summary {
    pub mean: f64,
    pub deviation: f64,
    /// R̂ of the halves of the chains.
    pub rhat: f64,
    /// Monte Carlo standard error of the mean.
    pub error: f64,
}

/// Of number k of each draw; every chain has 4 draws or more.
pub(super) fn summary(traces: &[&[Vec<f64>]], k: usize) -> Summary {
    let column = |t: &&[Vec<f64>]| -> Vec<f64> { t.iter().map(|d| d[k]).collect() };
    let chains: Vec<Vec<f64>> = traces.iter().map(column).collect();
    let halves: Vec<&[f64]> = chains
        .iter()
        .flat_map(|c| {
            let half = c.len() / 2;
            [&c[..half], &c[c.len() - half..]]
        })
        .collect();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let variance = |v: &[f64]| {
        let m = mean(v);
        v.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (v.len() as f64 - 1.0)
    };
    let within = halves.iter().map(|h| variance(h)).sum::<f64>() / halves.len() as f64;
    let middles: Vec<f64> = halves.iter().map(|h| mean(h)).collect();
    let between = variance(&middles);
    let length = halves.iter().map(|h| h.len()).min().unwrap_or(1) as f64;
    let rhat = if within > 0.0 {
        (((length - 1.0) / length * within + between) / within).sqrt()
    } else {
        1.0
    };
    let all: Vec<f64> = chains.concat();
    // Means of pieces of a chain, of which each is about as long as what came before is remembered.
    let piece = (length.sqrt() as usize).max(1);
    let pieces: Vec<f64> =
        chains.iter().flat_map(|c| c.chunks_exact(piece).map(mean).collect::<Vec<_>>()).collect();
    let error =
        if pieces.len() > 1 { (variance(&pieces) / pieces.len() as f64).sqrt() } else { 0.0 };
    Summary { mean: mean(&all), deviation: variance(&all).sqrt(), rhat, error }
}
