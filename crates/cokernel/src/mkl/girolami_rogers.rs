//! The hierarchic Bayesian model of Girolami and Rogers by variational inference: classes by a probit.
//!
//! ```text
//! f_u(x) = α_u0 + Σ_i α_ui Σ_m η_m k_m(x_i, x)     α_ui ~ N(0, 1/ζ_ui)     ζ_ui ~ gamma(1, 1)     η ~ Dirichlet(ρ, …, ρ)
//! t_iu ~ N(f_u(x_i), 1)     two classes: y_i = sign t_i     several: the class with the largest t_iu
//! ```
//!
//! (Girolami and Rogers, ICML 2005; LMKA §2.5, the sum from i = 0 with k(x_0, ·) = 1; several classes as in Damoulas and
//! Girolami, Bioinformatics 24, 2008.)
//!
//! | symbol | name |
//! |---|---|
//! | E η, standard deviations | weights of the rule, `details["weight_errors"]` |
//! | φ of q(η) = Dirichlet(φ) | `details["concentration"]` |
//! | ρ | `concentration` |
//!
//! q = q(α) q(ζ) q(η) q(t). The trace is the lower bound of the logarithm of the evidence, which never falls. The source has
//! draws for q(η), by importance sampling; here it is the best Dirichlet distribution, which needs no draws however
//! many kernels there are: all moments of η that the bound asks for are those of it, E ηηᵀ = (φ₀ ppᵀ + diag p)/(φ₀ + 1)
//! with p = φ/φ₀, and φ is searched for by limited-memory BFGS with a line search. All kernels are divided by the mean
//! of their diagonals, so that units do not matter. New instances are told by p in place of η, as in the source, and by the
//! covariance of the α: [`latent`](crate::rule::Latent).
//!
//! **Cost.** Once M n³ for the K_m²; of a sweep a factor and an inverse, n³, for each decision function, 2 M n³ for
//! tr(K_m K_l Σ Cov α) of all together, and M² n². Memory: 2 M + 4 matrices and 2 for each decision function.

use super::bayes::{self, Instances, Latents, Precisions, ascend};
use super::parametric::lbfgs::{Curvature, dot};
use super::{Copies, Learned, Learner, Problem};
use crate::data::Matrix;
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Latent, Link, Values};
use crate::solve::dense::product_while;
use crate::{Counts, Report, Result, Run, Watch};
use cokernel_dense::{Cholesky, Slice, simd};
use statrs::function::gamma::{digamma, ln_gamma};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(GirolamiRogers::new(p)) };

static METHOD: Method = Method {
    id: "girolami_rogers",
    title: "hierarchic Bayesian kernel combination",
    source: "Girolami, Rogers 2005; Damoulas, Girolami 2008; Gönen 2010, §2.5",
    summary: "Weights of the simplex with their standard deviations, and probabilities of classes, by variational \
              inference. No C to choose. Costs a product of n × n matrices for each kernel and an inverse for each \
              class in every sweep.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        CONCENTRATION,
        Param {
            name: "tol",
            doc: "The sweeps end where one raises the bound by less than this part of it.",
            range: Range::Real { default: 1e-6, min: 0.0, max: 1.0, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on sweeps.",
            range: Range::Int { default: 500, min: 1, max: i64::MAX },
        },
    ],
};

/// ρ.
pub(super) const CONCENTRATION: Param = Param {
    name: "concentration",
    doc: "Parameter of the Dirichlet prior of the weights: 1 is uniform, less prefers few kernels, more equal weights.",
    range: Range::Real { default: 1.0, min: 1e-3, max: 1e6, closed: true },
};

/// ln 2π.
const LOG_TAU: f64 = 1.837_877_066_409_345_5;

#[derive(Debug)]
struct GirolamiRogers {
    concentration: f64,
    tol: f64,
    max_iterations: usize,
}

impl GirolamiRogers {
    fn new(p: &Params) -> Self {
        GirolamiRogers {
            concentration: p.real("concentration"),
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        }
    }
}

impl Learner for GirolamiRogers {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let watch = run.watch();
        let instances = Instances::new(problem, 2)?;
        let roles = bayes::roles(problem)?;
        let kernels = instances.bank.len();
        instances.room(2 * kernels + 4 + 2 * roles.len(), run)?;
        let latents = Latents::new(problem, &roles, &instances.rows)?;
        let fixed = Fixed::new(&instances, latents, self.concentration, run, &watch)?;
        let mut state = State::new(&fixed, roles.len());
        let (status, objective) =
            ascend(&mut state, self.tol, self.max_iterations, &watch, |s| s.sweep(&fixed));
        let mut report = Report::closed_form(run);
        report.status = status;
        report.iterations = objective.len();
        report.objective = objective;
        report.counts = Counts { combines: kernels as u64, ..Counts::default() };
        if report.objective.is_empty() {
            let said = "stopped before the first sweep: the weights are those of the prior";
            report.notes.push(said.to_string());
        }
        let (weights, total) = state.weights();
        let error = |p: &f64| (p * (1.0 - p) / (total + 1.0)).max(0.0).sqrt();
        report.details.insert("weight_errors".to_string(), weights.iter().map(error).collect());
        report.details.insert("concentration".to_string(), state.phi.clone());
        let (n, heads) = (instances.n(), roles.len());
        // Without a sweep there is no covariance to keep.
        let width = if report.objective.is_empty() { 1 } else { n + 1 };
        let mut offsets = vec![0.0; heads * width];
        let mut roots = Matrix::zeros(instances.bank.n(), heads * width);
        for (u, factor) in state.factors.iter().enumerate() {
            let Some(factor) = factor else { continue };
            let inverse = factor.inverse_root();
            offsets[u * width..(u + 1) * width].copy_from_slice(&inverse[..width]);
            for (own, i) in inverse[width..].chunks(width).zip(&instances.rows) {
                let into = &mut roots.row_mut(*i)[u * width..(u + 1) * width];
                into.iter_mut().zip(own).for_each(|(r, v)| *r = v / instances.unit);
            }
        }
        let coef = |a: &Vec<f64>| {
            instances.spread(&a[1..].iter().map(|v| v / instances.unit).collect::<Vec<_>>())
        };
        let coefs = state.alpha.iter().map(coef).collect();
        let biases: Vec<f64> = state.alpha.iter().map(|a| a[0]).collect();
        let machines = bayes::heads(&roles, coefs, &biases);
        let values = Values { link: Link::Probit, heads, remains: false, offsets, roots };
        report.seconds = watch.seconds();
        let rule = Latent::rule(weights, values);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.as_logistic().is_some()
    }
}

/// What sweeps do not change.
struct Fixed {
    /// w.
    weights: Vec<f64>,
    /// K_m, in units.
    kernels: Vec<Vec<f64>>,
    /// K_m diag(w) K_m.
    squares: Vec<Vec<f64>>,
    /// K_m w.
    sums: Vec<Vec<f64>>,
    latents: Latents,
    rho: f64,
    watch: Watch,
}

impl Fixed {
    fn new(
        instances: &Instances<'_>,
        latents: Latents,
        rho: f64,
        run: &Run,
        watch: &Watch,
    ) -> Result<Self> {
        let (n, weights) = (instances.n(), instances.weights.clone());
        let (mut kernels, mut squares, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for m in 0..instances.bank.len() {
            let k = instances.kernel(m, run, watch)?;
            if watch.stop().is_none() {
                squares.extend(weighted_product(&k, &k, &weights, watch));
                sums.push(k.chunks(n).map(|row| simd::dot(row, &weights)).collect());
            }
            kernels.push(k);
        }
        Ok(Fixed { weights, kernels, squares, sums, latents, rho, watch: watch.clone() })
    }

    fn n(&self) -> usize {
        self.weights.len()
    }

    /// Σ_m p_m of matrices or vectors.
    fn mix(&self, of: &[Vec<f64>], p: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; of.first().map_or(0, Vec::len)];
        for (own, p) in of.iter().zip(p) {
            simd::weighted_sum(&[(*p, own)], &mut sum);
        }
        sum
    }

    /// The Kullback-Leibler divergence of Dirichlet(φ) from the prior, and its slopes.
    fn divergence(&self, phi: &[f64]) -> (f64, Vec<f64>) {
        let (total, m) = (phi.iter().sum::<f64>(), phi.len() as f64);
        let psi = digamma(total);
        let mut value = ln_gamma(total) - ln_gamma(m * self.rho) + m * ln_gamma(self.rho);
        let bend = trigamma(total) * (total - m * self.rho);
        let mut slopes = Vec::with_capacity(phi.len());
        for v in phi {
            value += (v - self.rho) * (digamma(*v) - psi) - ln_gamma(*v);
            slopes.push((v - self.rho) * trigamma(*v) - bend);
        }
        (value, slopes)
    }
}

/// A diag(w) B for symmetric matrices; `None` after a stop.
fn weighted_product(a: &[f64], b: &[f64], weights: &[f64], watch: &Watch) -> Option<Vec<f64>> {
    let n = weights.len();
    let mut left = a.to_vec();
    for row in left.chunks_mut(n) {
        row.iter_mut().zip(weights).for_each(|(v, w)| *v *= w);
    }
    product_until(&left, b, n, watch)
}

/// A B for n × n matrices; `None` after a stop.
fn product_until(a: &[f64], b: &[f64], n: usize, watch: &Watch) -> Option<Vec<f64>> {
    let going = || watch.stop().is_none();
    let product = product_while(Slice::new(a, n, n), Slice::new(b, n, n), &going);
    product.map(Matrix::into_values)
}

/// ψ'(x), x > 0: recurrence to 15 and the asymptotic series.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 15.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let series =
        z * (1.0 / 6.0 - z * (1.0 / 30.0 - z * (1.0 / 42.0 - z * (1.0 / 30.0 - z * 5.0 / 66.0))));
    sum + (1.0 + 0.5 / x + series) / x
}

/// q.
#[derive(Clone)]
struct State {
    phi: Vec<f64>,
    zeta: Vec<Precisions>,
    /// E α, the constant first.
    alpha: Vec<Vec<f64>>,
    variances: Vec<Vec<f64>>,
    /// Of the inverse of Cov α.
    factors: Vec<Option<Cholesky>>,
    /// E t.
    t: Vec<Vec<f64>>,
}

/// What the bound sees of η: hᵀη − ½ ηᵀ(A + B)η, A of the E α and B of Cov α.
struct Quadratic {
    h: Vec<f64>,
    means: Matrix,
    spreads: Matrix,
}

/// E ηᵀAη.
fn expected(a: &Matrix, phi: &[f64]) -> f64 {
    let total: f64 = phi.iter().sum();
    let of = |m: usize| dot(a.row(m), phi) + a.get(m, m);
    (0..phi.len()).map(|m| phi[m] * of(m)).sum::<f64>() / (total * (total + 1.0))
}

impl State {
    fn new(fixed: &Fixed, heads: usize) -> Self {
        let n = fixed.n();
        let start = (2.0 / std::f64::consts::PI).sqrt();
        let t = |u: usize| match &fixed.latents {
            Latents::Signs(signs) => signs.iter().map(|s| s * start).collect(),
            Latents::Largest(codes) => {
                let rest = -start / (heads as f64 - 1.0);
                codes.iter().map(|c| if *c == u { start } else { rest }).collect()
            }
        };
        State {
            phi: vec![fixed.rho; fixed.kernels.len()],
            zeta: vec![Precisions::new(1.0, 1.0, n + 1, 1.0); heads],
            alpha: vec![vec![0.0; n + 1]; heads],
            variances: vec![vec![1.0; n + 1]; heads],
            factors: vec![None; heads],
            t: (0..heads).map(t).collect(),
        }
    }

    /// E η, and φ₀.
    fn weights(&self) -> (Vec<f64>, f64) {
        let total: f64 = self.phi.iter().sum();
        let mut p: Vec<f64> = self.phi.iter().map(|v| v / total).collect();
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|v| *v /= sum);
        (p, total)
    }

    fn squares(&self, u: usize) -> impl Iterator<Item = f64> + '_ {
        self.alpha[u].iter().zip(&self.variances[u]).map(|(a, v)| a * a + v)
    }

    /// One sweep, and the bound after it.
    fn sweep(&mut self, fixed: &Fixed) -> Option<f64> {
        let n = fixed.n();
        let covariances = self.coefficients(fixed)?;
        let quadratic = self.quadratic(fixed, &covariances)?;
        self.search(fixed, &quadratic);
        let (p, _) = self.weights();
        let kernel = fixed.mix(&fixed.kernels, &p);
        let sides = self.latents(fixed, &kernel);
        // The variances of f.
        let sums = fixed.mix(&fixed.sums, &p);
        let total: f64 = fixed.weights.iter().sum();
        let mut variance = expected(&quadratic.spreads, &self.phi);
        variance += expected(&quadratic.means, &self.phi)
            - (0..p.len()).map(|m| p[m] * dot(quadratic.means.row(m), &p)).sum::<f64>();
        for covariance in &covariances {
            variance += covariance[0] * total + 2.0 * simd::dot(&covariance[1..=n], &sums);
        }
        let mut bound = sides - 0.5 * variance - fixed.divergence(&self.phi).0;
        for u in 0..self.alpha.len() {
            bound += self.zeta[u].bound(self.squares(u));
            let log = self.factors[u].as_ref()?.log_determinant();
            bound += 0.5 * ((n as f64 + 1.0) * (LOG_TAU + 1.0) - log);
        }
        (fixed.watch.stop().is_none() && bound.is_finite()).then_some(bound)
    }

    /// q(ζ), q(α); gives Cov α of each decision function.
    fn coefficients(&mut self, fixed: &Fixed) -> Option<Vec<Vec<f64>>> {
        let (n, width) = (fixed.n(), fixed.n() + 1);
        let (p, total) = self.weights();
        let kernel = fixed.mix(&fixed.kernels, &p);
        let mut moment = weighted_product(&kernel, &kernel, &fixed.weights, &fixed.watch)?;
        let own = fixed.mix(&fixed.squares, &p);
        moment.iter_mut().zip(&own).for_each(|(v, o)| *v = (total * *v + o) / (total + 1.0));
        let sums = fixed.mix(&fixed.sums, &p);
        let mut whole = vec![0.0; width * width];
        whole[0] = fixed.weights.iter().sum();
        for i in 0..n {
            whole[i + 1] = sums[i];
            whole[(i + 1) * width] = sums[i];
            let row = (i + 1) * width + 1;
            for j in 0..n {
                whole[row + j] = 0.5 * (moment[i * n + j] + moment[j * n + i]);
            }
        }
        let mut covariances = Vec::new();
        for u in 0..self.alpha.len() {
            if fixed.watch.stop().is_some() {
                return None;
            }
            let squares: Vec<f64> = self.squares(u).collect();
            self.zeta[u].update(squares.into_iter());
            let mut precision = whole.clone();
            for (i, zeta) in self.zeta[u].means().iter().enumerate() {
                precision[i * width + i] += zeta;
            }
            let going = || fixed.watch.stop().is_none();
            let factor = Cholesky::while_going(width, precision, &going)?;
            let weighted: Vec<f64> =
                self.t[u].iter().zip(&fixed.weights).map(|(t, w)| t * w).collect();
            let mut alpha = vec![weighted.iter().sum()];
            alpha.extend(kernel.chunks(n).map(|row| simd::dot(row, &weighted)));
            factor.solve(&mut alpha, 1);
            let covariance = factor.inverse_while_going(&going)?;
            self.variances[u] = (0..width).map(|i| covariance[i * width + i]).collect();
            self.alpha[u] = alpha;
            self.factors[u] = Some(factor);
            covariances.push(covariance);
        }
        Some(covariances)
    }

    fn quadratic(&self, fixed: &Fixed, covariances: &[Vec<f64>]) -> Option<Quadratic> {
        let (n, width, kernels) = (fixed.n(), fixed.n() + 1, fixed.kernels.len());
        let mut spread = vec![0.0; n * n];
        for covariance in covariances {
            for i in 0..n {
                let row = &covariance[(i + 1) * width + 1..(i + 2) * width];
                spread[i * n..(i + 1) * n].iter_mut().zip(row).for_each(|(s, c)| *s += c);
            }
        }
        let mut found = Quadratic {
            h: vec![0.0; kernels],
            means: Matrix::zeros(kernels, kernels),
            spreads: Matrix::zeros(kernels, kernels),
        };
        for m in 0..kernels {
            // (Σ Cov α) K_m diag(w): its product with K_l is tr(K_m diag(w) K_l Σ Cov α).
            let mut products = product_until(&spread, &fixed.kernels[m], n, &fixed.watch)?;
            for row in products.chunks_mut(n) {
                row.iter_mut().zip(&fixed.weights).for_each(|(v, w)| *v *= w);
            }
            for l in 0..=m {
                let value = simd::dot(&products, &fixed.kernels[l]);
                found.spreads.set(m, l, value);
                found.spreads.set(l, m, value);
            }
        }
        for (u, alpha) in self.alpha.iter().enumerate() {
            let of = |m: usize| -> Vec<f64> {
                fixed.kernels[m].chunks(n).map(|row| simd::dot(row, &alpha[1..])).collect()
            };
            let values: Vec<Vec<f64>> = (0..kernels).map(of).collect();
            let cross: Vec<f64> =
                (0..n).map(|i| alpha[0] * alpha[i + 1] + covariances[u][i + 1]).collect();
            for m in 0..kernels {
                let weighted: Vec<f64> =
                    values[m].iter().zip(&fixed.weights).map(|(v, w)| v * w).collect();
                found.h[m] += simd::dot(&weighted, &self.t[u]) - simd::dot(&cross, &fixed.sums[m]);
                for l in 0..kernels {
                    let sum = found.means.get(m, l) + simd::dot(&weighted, &values[l]);
                    found.means.set(m, l, sum);
                }
            }
        }
        Some(found)
    }

    /// q(η): raises hᵀp − ½ E ηᵀ(A + B)η − KL over ln φ.
    fn search(&mut self, fixed: &Fixed, quadratic: &Quadratic) {
        let kernels = self.phi.len();
        let all = Matrix::from_fn(kernels, kernels, |m, l| {
            quadratic.means.get(m, l) + quadratic.spreads.get(m, l)
        });
        let value = |phi: &[f64]| {
            let total: f64 = phi.iter().sum();
            fixed.divergence(phi).0 + 0.5 * expected(&all, phi) - dot(&quadratic.h, phi) / total
        };
        let slopes = |phi: &[f64]| -> Vec<f64> {
            let total: f64 = phi.iter().sum();
            let scale = total * (total + 1.0);
            let along = dot(&quadratic.h, phi) / total;
            let form: f64 =
                (0..kernels).map(|m| phi[m] * (dot(all.row(m), phi) + all.get(m, m))).sum();
            let (_, own) = fixed.divergence(phi);
            let one = |m: usize| {
                let bend = (2.0 * dot(all.row(m), phi) + all.get(m, m)) / scale
                    - form * (2.0 * total + 1.0) / (scale * scale);
                // By ln φ.
                phi[m] * (own[m] + 0.5 * bend - (quadratic.h[m] - along) / total)
            };
            (0..kernels).map(one).collect()
        };
        let mut known = Curvature::default();
        let (mut at, mut gradient) = (value(&self.phi), slopes(&self.phi));
        for _ in 0..100 {
            let steepest = || gradient.iter().map(|g| -g).collect();
            let mut direction: Vec<f64> = known.direction(&gradient).unwrap_or_else(steepest);
            let longest = direction.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
            if longest > 2.0 {
                direction.iter_mut().for_each(|d| *d *= 2.0 / longest);
            }
            let promised = -dot(&gradient, &direction);
            if promised <= 1e-12 * (1.0 + at.abs()) {
                return;
            }
            let mut length = 1.0;
            let found = (0..30).find_map(|_| {
                let moved = self.phi.iter().zip(&direction);
                let phi: Vec<f64> =
                    moved.map(|(v, d)| (v * (length * d).exp()).clamp(1e-6, 1e12)).collect();
                let there = value(&phi);
                length *= 0.4;
                (there < at - 1e-4 * (length / 0.4) * promised).then_some((phi, there))
            });
            let Some((phi, there)) = found else { return };
            let step = phi.iter().zip(&self.phi).map(|(a, b)| (a / b).ln()).collect();
            let next = slopes(&phi);
            let change = next.iter().zip(&gradient).map(|(a, b)| a - b).collect();
            if !known.learn(step, change) {
                known.clear();
            }
            (self.phi, at, gradient) = (phi, there, next);
        }
    }

    /// q(t); gives the sum of the ln of the probabilities of the classes.
    fn latents(&mut self, fixed: &Fixed, kernel: &[f64]) -> f64 {
        let (n, heads) = (fixed.n(), self.alpha.len());
        let mut sides = 0.0;
        let mut means = vec![0.0; heads];
        for i in 0..n {
            let row = &kernel[i * n..(i + 1) * n];
            for (m, alpha) in means.iter_mut().zip(&self.alpha) {
                *m = alpha[0] + simd::dot(row, &alpha[1..]);
            }
            sides += fixed.weights[i] * fixed.latents.truncate(i, &mut means);
            self.t.iter_mut().zip(&means).for_each(|(t, m)| t[i] = *m);
        }
        sides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_of_known_points() {
        let sixth = std::f64::consts::PI.powi(2) / 6.0;
        for (x, want) in [
            (1.0, sixth),
            (0.5, 3.0 * sixth),
            (2.0, sixth - 1.0),
            (1e4, 1.000_050_001_666_666_6e-4),
        ] {
            assert!((trigamma(x) / want - 1.0).abs() < 1e-14, "{x} {}", trigamma(x));
        }
    }
}
