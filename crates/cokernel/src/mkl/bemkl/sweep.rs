//! Sweeps of [`bemkl`](super), and its bound.
//!
//! | symbol | field |
//! |---|---|
//! | λ and a of each decision function | `coefficients` |
//! | E g, kernels × instances; Cov of the g of an instance | `g`, `g_covariance` |
//! | E (b, e), Cov (b, e) | `be`, `be_covariance` |
//! | E f, or y | `f` |
//! | τ = 1/σ_g² or E υ; E ε, 1 of classes | `tau`, `epsilon` |

use super::coefficients::Coefficients;
use super::kernels::Kernels;
use crate::Watch;
use crate::data::Matrix;
use crate::mkl::bayes::{Instances, Precisions};
use crate::rule::Parts;
use crate::solve::normal::{hazard, log_cdf};
use cokernel_dense::{Cholesky, Slice, product_nn, product_nt, simd};
use rayon::prelude::*;

/// ln 2π.
const LOG_TAU: f64 = 1.837_877_066_409_345_5;

/// What is known of the instances.
pub(super) enum Given {
    /// Of each decision function 1 or −1.
    Signs(Vec<Vec<f64>>),
    /// Numbers.
    Numbers(Vec<f64>),
}

/// What is asked for.
pub(super) struct Asked {
    pub margin: f64,
    pub sigma_g: f64,
    /// Shape and scale of the prior of the ω.
    pub prior: (f64, f64),
}

/// q, and what its sweeps look at.
#[derive(Clone)]
pub(super) struct State<'a> {
    instances: &'a Instances<'a>,
    kernels: &'a Kernels<'a>,
    given: &'a Given,
    margin: f64,
    watch: &'a Watch,
    /// Whether each decision function may keep an n × n matrix.
    keep: bool,
    coefficients: Vec<Coefficients>,
    /// K_m a, kernels × instances.
    of_a: Vec<Matrix>,
    g: Vec<Matrix>,
    g_covariance: Matrix,
    /// ln det of it.
    g_log: f64,
    gamma: Precisions,
    omega: Precisions,
    be: Vec<f64>,
    be_covariance: Matrix,
    be_log: f64,
    f: Vec<Vec<f64>>,
    /// ln of the probability that f is on its side.
    log_sides: f64,
    upsilon: Option<Precisions>,
    noise: Option<Precisions>,
    tau: f64,
    epsilon: f64,
    /// The bound after the last sweep, and by how much that raised it.
    reached: f64,
    gain: f64,
}

impl<'a> State<'a> {
    /// The start.
    pub fn new(
        kernels: &'a Kernels<'a>,
        given: &'a Given,
        asked: &Asked,
        keep: bool,
        watch: &'a Watch,
    ) -> Self {
        let instances = kernels.instances;
        let (n, count) = (instances.n(), instances.bank.len());
        // The mean of |z| of the published draws.
        let start = asked.margin + (2.0 / std::f64::consts::PI).sqrt();
        let f: Vec<Vec<f64>> = match given {
            Given::Signs(all) => {
                all.iter().map(|y| y.iter().map(|s| s * start).collect()).collect()
            }
            Given::Numbers(y) => vec![y.clone()],
        };
        let functions = f.len();
        let size = functions + count;
        let numbers = matches!(given, Given::Numbers(_));
        let total = instances.total();
        let be = (0..size).map(|j| if j < functions { 0.0 } else { 1.0 }).collect();
        State {
            instances,
            kernels,
            given,
            margin: asked.margin,
            watch,
            keep,
            coefficients: vec![Coefficients::new(n); functions],
            of_a: vec![Matrix::zeros(count, n); functions],
            g: f.iter().map(|f| Matrix::from_fn(count, n, |_, i| f[i])).collect(),
            g_covariance: identity(count),
            g_log: 0.0,
            gamma: Precisions::new(1.0, 1.0, functions, 1.0),
            omega: Precisions::new(asked.prior.0, asked.prior.1, count, 1.0),
            be,
            be_covariance: identity(size),
            be_log: 0.0,
            f,
            log_sides: 0.0,
            upsilon: numbers.then(|| Precisions::new(1.0, 1.0, 1, total * count as f64)),
            noise: numbers.then(|| Precisions::new(1.0, 1.0, 1, total)),
            tau: asked.sigma_g.powi(-2),
            epsilon: 1.0,
            reached: f64::NAN,
            gain: 0.0,
        }
    }

    fn functions(&self) -> usize {
        self.f.len()
    }

    fn count(&self) -> usize {
        self.instances.bank.len()
    }

    /// One sweep, and the bound after it; `None` after a stop, or where a matrix has no factor: the state is then not to be
    /// used.
    pub fn sweep(&mut self) -> Option<f64> {
        self.update_coefficients()?;
        self.parts_of_kernels()?;
        self.weights()?;
        match self.given {
            Given::Signs(_) => self.latents(),
            Given::Numbers(_) => self.precisions(),
        }
        let bound = self.bound();
        self.gain = (bound - self.reached).max(0.0);
        self.reached = bound;
        (self.watch.stop().is_none() && !self.watch.gave_up() && bound.is_finite()).then_some(bound)
    }

    /// q(λ), q(a).
    fn update_coefficients(&mut self) -> Option<()> {
        let sums = self.kernels.sums(&self.g);
        let (tau, squares, watch) = (self.tau, &self.kernels.squares, self.watch);
        let gain = self.keep.then_some(self.gain / self.functions() as f64);
        let all = self.coefficients.par_iter_mut().zip(&sums);
        all.map(|(c, s)| c.update(squares, s, tau, gain, watch)).collect::<Option<Vec<()>>>()?;
        let means: Vec<&[f64]> = self.coefficients.iter().map(|c| &c.mean[..]).collect();
        self.kernels.products(&means, &mut self.of_a);
        Some(())
    }

    /// E (e_m e_h) and, behind it, E (e_m b_u).
    fn moments(&self) -> (Matrix, Vec<Vec<f64>>) {
        let (functions, kernels) = (self.functions(), self.count());
        let moment = |i: usize, j: usize| self.be[i] * self.be[j] + self.be_covariance.get(i, j);
        let e = Matrix::from_fn(kernels, kernels, |m, h| moment(functions + m, functions + h));
        let eb = (0..functions)
            .map(|u| (0..kernels).map(|m| moment(functions + m, u)).collect())
            .collect();
        (e, eb)
    }

    /// q(G).
    fn parts_of_kernels(&mut self) -> Option<()> {
        let (kernels, n, functions) = (self.count(), self.instances.n(), self.functions());
        let (ee, eb) = self.moments();
        let mut precision: Vec<f64> = ee.values().iter().map(|v| self.epsilon * v).collect();
        (0..kernels).for_each(|m| precision[m * kernels + m] += self.tau);
        let factor = Cholesky::new(kernels, precision)?;
        self.g_log = -factor.log_determinant();
        self.g_covariance = Matrix::new(kernels, kernels, factor.inverse()).ok()?;
        for u in 0..functions {
            let mut right = vec![0.0; kernels * n];
            for (m, out) in right.chunks_mut(n).enumerate() {
                let e = self.epsilon * self.be[functions + m];
                let shift = self.epsilon * eb[u][m];
                let parts = self.of_a[u].row(m).iter().zip(&self.f[u]);
                out.iter_mut().zip(parts).for_each(|(o, (a, f))| *o = self.tau * a + e * f - shift);
            }
            let into = self.g[u].values_mut();
            product_nn(Slice::from(&self.g_covariance), Slice::new(&right, kernels, n), into);
        }
        Some(())
    }

    /// q(γ), q(ω), q(b, e).
    fn weights(&mut self) -> Option<()> {
        let (kernels, n, functions) = (self.count(), self.instances.n(), self.functions());
        let weights = &self.instances.weights;
        let total = self.instances.total();
        let second = self.second_moments();
        self.gamma.update(second[..functions].iter().copied());
        self.omega.update(second[functions..].iter().copied());
        let size = functions + kernels;
        let (mut precision, mut right) = (vec![0.0; size * size], vec![0.0; size]);
        for u in 0..functions {
            precision[u * size + u] = self.gamma.mean(u) + self.epsilon * total;
            right[u] = self.epsilon * simd::dot(weights, &self.f[u]);
            let weighted = Matrix::from_fn(kernels, n, |m, i| weights[i] * self.g[u].get(m, i));
            let mut gg = vec![0.0; kernels * kernels];
            product_nt(Slice::from(&weighted), Slice::from(&self.g[u]), &mut gg);
            for m in 0..kernels {
                let p = functions + m;
                let sum: f64 = weighted.row(m).iter().sum();
                precision[u * size + p] = self.epsilon * sum;
                precision[p * size + u] = self.epsilon * sum;
                right[p] += self.epsilon * simd::dot(weighted.row(m), &self.f[u]);
                for h in 0..kernels {
                    let moment = 0.5 * (gg[m * kernels + h] + gg[h * kernels + m])
                        + total * self.g_covariance.get(m, h);
                    precision[p * size + functions + h] += self.epsilon * moment;
                }
            }
        }
        for m in 0..kernels {
            let p = functions + m;
            precision[p * size + p] += self.omega.mean(m);
        }
        let factor = Cholesky::new(size, precision)?;
        factor.solve(&mut right, 1);
        self.be = right;
        self.be_log = -factor.log_determinant();
        self.be_covariance = Matrix::new(size, size, factor.inverse()).ok()?;
        Some(())
    }

    /// E b², then E e².
    fn second_moments(&self) -> Vec<f64> {
        let one = |j: usize| self.be[j].powi(2) + self.be_covariance.get(j, j);
        (0..self.be.len()).map(one).collect()
    }

    /// E f before the labels are looked at.
    fn means(&self, u: usize) -> Vec<f64> {
        let mut means = vec![self.be[u]; self.instances.n()];
        for (m, e) in self.be[self.functions()..].iter().enumerate() {
            means.iter_mut().zip(self.g[u].row(m)).for_each(|(f, g)| *f += e * g);
        }
        means
    }

    /// q(f).
    fn latents(&mut self) {
        let Given::Signs(signs) = self.given else { return };
        self.log_sides = 0.0;
        for (u, signs) in signs.iter().enumerate() {
            let means = self.means(u);
            for (i, (m, s)) in means.iter().zip(signs).enumerate() {
                let along = s * m - self.margin;
                self.f[u][i] = m + s * hazard(along);
                self.log_sides += self.instances.weights[i] * log_cdf(along);
            }
        }
    }

    /// Σ_i w_i Var(Σ_m e_m g_mi + b), of all decision functions.
    fn variance(&self) -> f64 {
        let (functions, kernels) = (self.functions(), self.count());
        let (ee, _) = self.moments();
        let inner: f64 =
            ee.values().iter().zip(self.g_covariance.values()).map(|(a, b)| a * b).sum();
        let of_e = Matrix::from_fn(kernels, kernels, |m, h| {
            self.be_covariance.get(functions + m, functions + h)
        });
        let n = self.instances.n();
        let (mut sum, mut products) = (0.0, vec![0.0; kernels * n]);
        for (u, g) in self.g.iter().enumerate() {
            product_nn(Slice::from(&of_e), Slice::from(g), &mut products);
            let mut own = vec![self.be_covariance.get(u, u); n];
            for (m, product) in products.chunks(n).enumerate() {
                let with_b = 2.0 * self.be_covariance.get(functions + m, u);
                let terms = own.iter_mut().zip(g.row(m)).zip(product);
                terms.for_each(|((o, g), p)| *o += g * (with_b + p));
            }
            let terms = self.instances.weights.iter().zip(&own);
            sum += terms.map(|(w, own)| w * (own.max(0.0) + inner)).sum::<f64>();
        }
        sum
    }

    /// Σ_i w_i E ‖g_i − (K a)_i‖², of all decision functions.
    fn distance(&self) -> f64 {
        let trace: f64 = (0..self.count()).map(|m| self.g_covariance.get(m, m)).sum();
        let mut sum = 0.0;
        for u in 0..self.functions() {
            sum += self.instances.total() * trace + self.coefficients[u].trace;
            for m in 0..self.count() {
                let pairs = self.g[u].row(m).iter().zip(self.of_a[u].row(m));
                let squares =
                    pairs.zip(&self.instances.weights).map(|((g, k), w)| w * (g - k).powi(2));
                sum += squares.sum::<f64>();
            }
        }
        sum
    }

    /// Σ_i w_i E (y_i − Σ_m e_m g_mi − b)².
    fn errors_of_numbers(&self) -> f64 {
        let squares = self.means(0).into_iter().zip(&self.f[0]).zip(&self.instances.weights);
        squares.map(|((m, y), w)| w * (y - m).powi(2)).sum::<f64>() + self.variance()
    }

    /// q(υ), q(ε).
    fn precisions(&mut self) {
        let (distance, errors) = (self.distance(), self.errors_of_numbers());
        if let (Some(upsilon), Some(noise)) = (&mut self.upsilon, &mut self.noise) {
            upsilon.update(std::iter::once(distance));
            noise.update(std::iter::once(errors));
            (self.tau, self.epsilon) = (upsilon.mean(0), noise.mean(0));
        }
    }

    /// The lower bound of the logarithm of the evidence.
    fn bound(&self) -> f64 {
        let kernels = self.count() as f64;
        let (functions, total) = (self.functions() as f64, self.instances.total());
        let mut bound = 0.5 * functions * total * (kernels * (LOG_TAU + 1.0) + self.g_log)
            + 0.5 * ((functions + kernels) * (LOG_TAU + 1.0) + self.be_log);
        bound += self.coefficients.iter().map(|c| c.bound(LOG_TAU)).sum::<f64>();
        let second = self.second_moments();
        bound += self.gamma.bound(second[..self.functions()].iter().copied());
        bound += self.omega.bound(second[self.functions()..].iter().copied());
        if let (Some(upsilon), Some(noise)) = (&self.upsilon, &self.noise) {
            bound += upsilon.bound(std::iter::once(self.distance()));
            return bound + noise.bound(std::iter::once(self.errors_of_numbers()));
        }
        let parts = functions * total * kernels;
        bound -= 0.5 * (self.tau * self.distance() + parts * (LOG_TAU - self.tau.ln()));
        bound + self.log_sides - 0.5 * self.variance()
    }

    /// E a of each decision function.
    pub fn coefs(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.coefficients.iter().map(|c| &c.mean)
    }

    /// E b.
    pub fn biases(&self) -> &[f64] {
        &self.be[..self.functions()]
    }

    /// E e.
    pub fn e(&self) -> &[f64] {
        &self.be[self.functions()..]
    }

    /// Standard deviations of the e.
    pub fn errors(&self) -> Vec<f64> {
        (self.functions()..self.be.len()).map(|j| self.be_covariance.get(j, j).sqrt()).collect()
    }

    /// Standard deviations of the noise of numbers, and of the values of kernels about their functions.
    pub fn noises(&self) -> (f64, f64) {
        (self.epsilon.powf(-0.5), self.tau.powf(-0.5))
    }

    /// The root mean square of the part that each kernel has in the decision values.
    pub fn shares(&self) -> Vec<f64> {
        let part = |(m, e): (usize, &f64)| {
            let squares = self.of_a.iter().map(|k| simd::dot(k.row(m), k.row(m)));
            e.abs() * squares.sum::<f64>().sqrt()
        };
        self.e().iter().enumerate().map(part).collect()
    }

    /// What new instances are told by, with the kernels that have a weight.
    pub fn parts(&self, coef: Matrix, weights: &[f64], deviation: f64, numbers: bool) -> Parts {
        let functions = self.functions();
        let active = (0..weights.len()).filter(|m| weights[*m] != 0.0).map(|m| functions + m);
        let kept: Vec<usize> = (0..functions).chain(active).collect();
        let square = deviation * deviation;
        let covariance = Matrix::from_fn(kept.len(), kept.len(), |i, j| {
            square * self.be_covariance.get(kept[i], kept[j])
        });
        Parts {
            coef,
            covariance,
            noise: square / self.epsilon,
            margin: (!numbers).then_some(self.margin),
        }
    }
}

fn identity(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
}
