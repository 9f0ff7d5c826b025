//! Sweeps of [`bemkl`](super), and its bound.
//!
//! | symbol | field |
//! |---|---|
//! | E a, diagonal of Cov a, of each decision function | `a`, `a_variances` |
//! | E g, kernels × instances; Cov of the g of an instance | `g`, `g_covariance` |
//! | E (b, e), Cov (b, e) | `be`, `be_covariance` |
//! | E f, or y | `f` |
//! | τ = 1/σ_g² or E υ; E ε, 1 of classes | `tau`, `epsilon` |

use crate::data::Matrix;
use crate::mkl::bayes::{Instances, Precisions};
use crate::rule::Parts;
use crate::run::Pass;
use crate::solve::normal::{hazard, log_cdf};
use crate::{Error, Result, Run, Watch};
use cokernel_dense::{Cholesky, Slice, add_gram_below, mirror_below, product_nn, product_nt, simd};
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
    given: &'a Given,
    margin: f64,
    watch: &'a Watch,
    /// Σ_m K_m diag(w) K_m, lower triangle and upper.
    squares: std::sync::Arc<Vec<f64>>,
    lambda: Vec<Precisions>,
    a: Vec<Vec<f64>>,
    a_variances: Vec<Vec<f64>>,
    /// ln det Cov a.
    a_logs: Vec<f64>,
    /// tr(S Cov a).
    a_traces: Vec<f64>,
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
}

impl<'a> State<'a> {
    /// The start.
    pub fn new(
        instances: &'a Instances<'a>,
        given: &'a Given,
        asked: &Asked,
        run: &Run,
        watch: &'a Watch,
    ) -> Result<Self> {
        let (n, kernels) = (instances.n(), instances.bank.len());
        let roots: Vec<f64> = instances.weights.iter().map(|w| w.sqrt()).collect();
        let mut squares = vec![0.0; n * n];
        for m in 0..kernels {
            if watch.stop().is_some() {
                break;
            }
            let mut k = instances.kernel(m, run, watch)?;
            for row in k.chunks_mut(n) {
                row.iter_mut().zip(&roots).for_each(|(v, r)| *v *= r);
            }
            add_gram_below(1.0, Slice::new(&k, n, n), &mut squares);
        }
        mirror_below(n, &mut squares);
        if squares.iter().any(|v| !v.is_finite()) {
            return Err(Error::Data(
                "squares of the kernels overflow; normalise them (normalize=unit_diagonal)"
                    .to_string(),
            ));
        }
        // The mean of |z| of the published draws.
        let start = asked.margin + (2.0 / std::f64::consts::PI).sqrt();
        let f: Vec<Vec<f64>> = match given {
            Given::Signs(all) => {
                all.iter().map(|y| y.iter().map(|s| s * start).collect()).collect()
            }
            Given::Numbers(y) => vec![y.clone()],
        };
        let functions = f.len();
        let size = functions + kernels;
        let numbers = matches!(given, Given::Numbers(_));
        let total = instances.total();
        let be = (0..size).map(|j| if j < functions { 0.0 } else { 1.0 }).collect();
        Ok(State {
            instances,
            given,
            margin: asked.margin,
            watch,
            squares: squares.into(),
            lambda: vec![Precisions::new(1.0, 1.0, n, 1.0); functions],
            a: vec![vec![0.0; n]; functions],
            a_variances: vec![vec![1.0; n]; functions],
            a_logs: vec![0.0; functions],
            a_traces: vec![0.0; functions],
            of_a: vec![Matrix::zeros(kernels, n); functions],
            g: f.iter().map(|f| Matrix::from_fn(kernels, n, |_, i| f[i])).collect(),
            g_covariance: identity(kernels),
            g_log: 0.0,
            gamma: Precisions::new(1.0, 1.0, functions, 1.0),
            omega: Precisions::new(asked.prior.0, asked.prior.1, kernels, 1.0),
            be,
            be_covariance: identity(size),
            be_log: 0.0,
            f,
            log_sides: 0.0,
            upsilon: numbers.then(|| Precisions::new(1.0, 1.0, 1, total * kernels as f64)),
            noise: numbers.then(|| Precisions::new(1.0, 1.0, 1, total)),
            tau: asked.sigma_g.powi(-2),
            epsilon: 1.0,
        })
    }

    fn functions(&self) -> usize {
        self.f.len()
    }

    fn kernels(&self) -> usize {
        self.instances.bank.len()
    }

    /// One sweep, and the bound after it; `None` after a stop, or where a matrix has no factor: the state is then not to be
    /// used.
    pub fn sweep(&mut self) -> Option<f64> {
        self.coefficients()?;
        self.parts_of_kernels()?;
        self.weights()?;
        match self.given {
            Given::Signs(_) => self.latents(),
            Given::Numbers(_) => self.precisions(),
        }
        let bound = self.bound();
        (self.watch.stop().is_none() && !self.watch.gave_up() && bound.is_finite()).then_some(bound)
    }

    /// q(λ), q(a).
    fn coefficients(&mut self) -> Option<()> {
        let (n, functions) = (self.instances.n(), self.functions());
        let sums = self.sums_of_parts();
        for u in 0..functions {
            let squares = self.a[u].iter().zip(&self.a_variances[u]).map(|(a, v)| a * a + v);
            self.lambda[u].update(squares);
        }
        let (tau, squares, lambda) = (self.tau, &self.squares, &self.lambda);
        let one = |u: usize| {
            let means = lambda[u].means();
            let mut v: Vec<f64> = squares.iter().map(|s| tau * s).collect();
            means.iter().enumerate().for_each(|(i, l)| v[i * n + i] += l);
            let factor = Cholesky::new(n, v)?;
            let mut a: Vec<f64> = sums[u].iter().map(|s| tau * s).collect();
            factor.solve(&mut a, 1);
            let variances = factor.inverse_diagonal();
            let kept: f64 = means.iter().zip(&variances).map(|(l, v)| l * v).sum();
            let trace = (n as f64 - kept).max(0.0) / tau;
            Some((a, variances, -factor.log_determinant(), trace))
        };
        let found: Option<Vec<_>> = (0..functions).into_par_iter().map(one).collect();
        for (u, (a, variances, log, trace)) in found?.into_iter().enumerate() {
            (self.a[u], self.a_variances[u]) = (a, variances);
            (self.a_logs[u], self.a_traces[u]) = (log, trace);
        }
        self.products_of_a();
        Some(())
    }

    /// Σ_m K_m (w g_m) of each decision function.
    fn sums_of_parts(&self) -> Vec<Vec<f64>> {
        let (instances, functions) = (self.instances, self.functions());
        let pass = Pass::under(self.watch);
        let mut sums = vec![vec![0.0; instances.bank.n()]; functions];
        for m in 0..self.kernels() {
            let mut block = Matrix::zeros(instances.bank.n(), functions);
            for (k, i) in instances.rows.iter().enumerate() {
                for u in 0..functions {
                    block.set(*i, u, instances.weights[k] * self.g[u].get(m, k));
                }
            }
            let found = instances.bank.apply_in(m, &block, &pass);
            for (u, sum) in sums.iter_mut().enumerate() {
                for (i, s) in sum.iter_mut().enumerate() {
                    *s += found.get(i, u);
                }
            }
        }
        let own = |sum: &Vec<f64>| -> Vec<f64> {
            instances.rows.iter().map(|i| sum[*i] / instances.unit).collect()
        };
        sums.iter().map(own).collect()
    }

    /// K_m a of each decision function.
    fn products_of_a(&mut self) {
        let instances = self.instances;
        let unit = |a: &Vec<f64>| -> Vec<f64> {
            instances.spread(&a.iter().map(|v| v / instances.unit).collect::<Vec<_>>())
        };
        let spread: Vec<Vec<f64>> = self.a.iter().map(unit).collect();
        let coefs: Vec<&[f64]> = spread.iter().map(Vec::as_slice).collect();
        let of_a = &mut self.of_a;
        instances.bank.products_in(&coefs, &Pass::under(self.watch), |m, u, found| {
            let row = of_a[u].row_mut(m);
            row.iter_mut().zip(&instances.rows).for_each(|(v, i)| *v = found[*i]);
        });
    }

    /// E (e_m e_h) and, behind it, E (e_m b_u).
    fn moments(&self) -> (Matrix, Vec<Vec<f64>>) {
        let (functions, kernels) = (self.functions(), self.kernels());
        let moment = |i: usize, j: usize| self.be[i] * self.be[j] + self.be_covariance.get(i, j);
        let e = Matrix::from_fn(kernels, kernels, |m, h| moment(functions + m, functions + h));
        let eb = (0..functions)
            .map(|u| (0..kernels).map(|m| moment(functions + m, u)).collect())
            .collect();
        (e, eb)
    }

    /// q(G).
    fn parts_of_kernels(&mut self) -> Option<()> {
        let (kernels, n, functions) = (self.kernels(), self.instances.n(), self.functions());
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
        let (kernels, n, functions) = (self.kernels(), self.instances.n(), self.functions());
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
        let (functions, kernels) = (self.functions(), self.kernels());
        let (ee, _) = self.moments();
        let inner: f64 =
            ee.values().iter().zip(self.g_covariance.values()).map(|(a, b)| a * b).sum();
        let mut sum = 0.0;
        for u in 0..functions {
            for (i, w) in self.instances.weights.iter().enumerate() {
                let g = |m: usize| self.g[u].get(m, i);
                let mut own = self.be_covariance.get(u, u);
                for m in 0..kernels {
                    let row = self.be_covariance.row(functions + m);
                    let others: f64 = (0..kernels).map(|h| row[functions + h] * g(h)).sum();
                    own += g(m) * (2.0 * row[u] + others);
                }
                sum += w * (own.max(0.0) + inner);
            }
        }
        sum
    }

    /// Σ_i w_i E ‖g_i − (K a)_i‖², of all decision functions.
    fn distance(&self) -> f64 {
        let trace: f64 = (0..self.kernels()).map(|m| self.g_covariance.get(m, m)).sum();
        let mut sum = 0.0;
        for u in 0..self.functions() {
            sum += self.instances.total() * trace + self.a_traces[u];
            for m in 0..self.kernels() {
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
        let (n, kernels) = (self.instances.n() as f64, self.kernels() as f64);
        let (functions, total) = (self.functions() as f64, self.instances.total());
        let mut bound = 0.5 * functions * total * (kernels * (LOG_TAU + 1.0) + self.g_log)
            + 0.5 * ((functions + kernels) * (LOG_TAU + 1.0) + self.be_log);
        for u in 0..self.functions() {
            let squares = self.a[u].iter().zip(&self.a_variances[u]).map(|(a, v)| a * a + v);
            bound += self.lambda[u].bound(squares);
            bound += 0.5 * (n * (LOG_TAU + 1.0) + self.a_logs[u]);
        }
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
        self.a.iter()
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
