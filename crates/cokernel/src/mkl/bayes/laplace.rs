//! Gaussian processes for classes by Laplace's approximation: weights of the covariances of largest marginal likelihood.
//!
//! ```text
//! f_u ~ N(0, K),   K = Σ_m θ_m K_m,     P(y_i | f) = 1/(1 + exp(−y_i f_i))
//! ln Z_u = −½ aᵀf̂ + Σ_i w_i ln P(y_i | f̂_i) − ½ ln det(I + W^½KW^½),     f̂ = Ka the mode
//! ∂ ln Z_u/∂θ_m = ⟨K_m, ½ aaᵀ + q aᵀ − ½ R⟩,   q = (I − RK)s,   s_i = ½ (K − KRK)_ii ∂³ ln P/∂f³
//! ```
//!
//! (Rasmussen and Williams 2006, (3.32), (5.20) to (5.24) and algorithm 5.1; Williams and Barber, IEEE PAMI 20, 1998.) With
//! R = W^½(I + W^½KW^½)⁻¹W^½. Several classes have a function each, against the rest, and share θ: the sum of the ln Z_u
//! is maximised.
//!
//! The search is in the logarithms of the θ, in units of the mean diagonals of their kernels, by limited-memory BFGS with a line
//! search, between 10⁻⁸ and 10⁶; θ that end below 10⁻⁷ of their sum are 0. It is not convex: what is found is a
//! stationary point, from equal parts that sum to 1.
//!
//! **Cost** of a point: some 8 n³/3 for the mode of each function, which starts at the last one, and 2 n³ for its slopes.

use super::{Instances, gathered};
use crate::data::Matrix;
use crate::mkl::mixed;
use crate::mkl::parametric::lbfgs::{Curvature, dot};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::solve::logistic::{Logistic, factor};
use crate::{Error, Result, Run, Status, Watch};
use cokernel_dense::{Cholesky, simd};
use rayon::prelude::*;

/// Limits of θ beside the mean diagonal of its kernel.
const LIMITS: (f64, f64) = (1e-8, 1e6);
/// Parts of the sum below which θ is 0 at the end.
const NOTHING: f64 = 1e-7;
/// Gap of the modes.
const MODE: f64 = 1e-13;
/// Armijo's constant and trials of a line search.
const ARMIJO: f64 = 1e-4;
const TRIALS: usize = 25;
/// Longest step in a logarithm.
const FARTHEST: f64 = 3.0;

/// What is asked.
pub(in crate::mkl) struct Classes<'a> {
    pub instances: &'a Instances<'a>,
    /// 1 or −1, of each decision function.
    pub signs: &'a [Vec<f64>],
    /// Expected gain in ln Z at which to stop.
    pub tol: f64,
    pub max_iterations: usize,
}

/// What was found.
pub(in crate::mkl) struct Found {
    /// θ, of the kernels as they are.
    pub weights: Vec<f64>,
    /// a of each decision function.
    pub coefs: Vec<Vec<f64>>,
    /// W^½ L⁻ᵀ of each, one beside the other, for the instances that take part.
    pub roots: Vec<Matrix>,
    /// −Σ ln Z, at the start and after each step.
    pub objective: Vec<f64>,
    /// ln Z of each decision function.
    pub evidence: Vec<f64>,
    pub status: Status,
    /// Kernels combined.
    pub combines: u64,
}

/// A decision function at its mode.
struct Mode {
    a: Vec<f64>,
    /// Square roots of W.
    roots: Vec<f64>,
    /// ∂³ ln P/∂f³.
    thirds: Vec<f64>,
    factor: Cholesky,
    log_evidence: f64,
}

struct At {
    logs: Vec<f64>,
    kernel: Vec<f64>,
    modes: Vec<Mode>,
    value: f64,
}

/// Instances of which a mode takes less than a second.
const MOMENT: usize = 1_000;

struct Search<'a> {
    asked: &'a Classes<'a>,
    /// Mean diagonals; infinite of kernels without any.
    units: Vec<f64>,
    run: &'a Run,
    watch: &'a Watch,
    combines: u64,
}

impl Search<'_> {
    fn weights(&self, logs: &[f64]) -> Vec<f64> {
        logs.iter().zip(&self.units).map(|(x, u)| x.exp() / u).collect()
    }

    /// The modes at a point; `None` where one is not found, or after a stop.
    fn at(&mut self, logs: Vec<f64>, starts: Option<&[Mode]>) -> Result<Option<At>> {
        let instances = self.asked.instances;
        let sum = Weighted::new(self.weights(&logs));
        self.combines += 1;
        let mixed = mixed(instances.bank, &sum, None, self.run, self.watch)?;
        let kernel = gathered(mixed.as_ref(), &instances.rows);
        if self.watch.stop().is_some() || kernel.iter().any(|v| !v.is_finite()) {
            return Ok(None);
        }
        let one = |u: usize| {
            mode(
                &kernel,
                &self.asked.signs[u],
                &instances.weights,
                starts.map(|s| &s[u].a[..]),
                self.watch,
            )
        };
        let modes: Option<Vec<Mode>> =
            (0..self.asked.signs.len()).into_par_iter().map(one).collect();
        Ok(modes.map(|modes| {
            let value = -modes.iter().map(|m| m.log_evidence).sum::<f64>();
            At { logs, kernel, modes, value }
        }))
    }

    /// Slopes of −Σ ln Z by the logarithms of θ; `None` after a stop.
    fn slopes(&self, at: &At) -> Option<Vec<f64>> {
        let instances = self.asked.instances;
        let (n, all) = (instances.n(), instances.bank.n());
        let each: Vec<Vec<f64>> = at.modes.par_iter().map(|m| m.slopes(&at.kernel)).collect();
        let mut t = vec![0.0; all * all];
        for (k, i) in instances.rows.iter().enumerate() {
            for own in &each {
                for (j, v) in instances.rows.iter().zip(&own[k * n..(k + 1) * n]) {
                    t[i * all + j] += v;
                }
            }
        }
        let products = instances.bank.matrix_products(&t, &Pass::under(self.watch));
        let weights = self.weights(&at.logs);
        let slopes = products.iter().zip(&weights).map(|(p, w)| -p * w).collect();
        (!self.watch.gave_up() && self.watch.stop().is_none()).then_some(slopes)
    }
}

/// The mode of one decision function.
fn mode(
    kernel: &[f64],
    y: &[f64],
    weights: &[f64],
    start: Option<&[f64]>,
    watch: &Watch,
) -> Option<Mode> {
    let problem = Logistic { kernel, y, costs: weights, bias: false, tol: MODE, max_steps: 100 };
    let found = problem.solve(start, watch);
    if found.gap > 1e-6 || watch.stop().is_some() {
        return None;
    }
    let (a, f) = (found.coef, found.values);
    let n = y.len();
    let share = |i: usize| 1.0 / (1.0 + (-f[i]).exp());
    let bend = |i: usize| weights[i] * share(i) * share_of_other(f[i]);
    let roots: Vec<f64> = (0..n).map(|i| bend(i).sqrt()).collect();
    let thirds = (0..n).map(|i| -bend(i) * (1.0 - 2.0 * share(i))).collect();
    let factor = factor(kernel, &roots, watch)?;
    let loss: f64 = found.primal - 0.5 * simd::dot(&a, &f);
    let log_evidence = -0.5 * simd::dot(&a, &f) - loss - 0.5 * factor.log_determinant();
    log_evidence.is_finite().then_some(Mode { a, roots, thirds, factor, log_evidence })
}

/// 1/(1 + exp(f)).
fn share_of_other(f: f64) -> f64 {
    1.0 / (1.0 + f.exp())
}

impl Mode {
    /// ½ aaᵀ + ½ (q aᵀ + a qᵀ) − ½ R.
    fn slopes(&self, kernel: &[f64]) -> Vec<f64> {
        let n = self.a.len();
        let mut r = self.factor.inverse();
        for (i, row) in r.chunks_mut(n).enumerate() {
            row.iter_mut().zip(&self.roots).for_each(|(v, w)| *v *= self.roots[i] * w);
        }
        // L⁻¹W^½K, column by column.
        let mut columns = kernel.to_vec();
        for column in columns.chunks_mut(n) {
            column.iter_mut().zip(&self.roots).for_each(|(v, w)| *v *= w);
        }
        self.factor.forward(&mut columns, n);
        let left = |i: usize| {
            let own = &columns[i * n..(i + 1) * n];
            (kernel[i * n + i] - simd::dot(own, own)).max(0.0)
        };
        let s: Vec<f64> = (0..n).map(|i| 0.5 * left(i) * self.thirds[i]).collect();
        let times = |m: &[f64], v: &[f64]| -> Vec<f64> {
            m.chunks(n).map(|row| simd::dot(row, v)).collect()
        };
        let back = times(&r, &times(kernel, &s));
        let q: Vec<f64> = s.iter().zip(&back).map(|(s, b)| s - b).collect();
        for (i, row) in r.chunks_mut(n).enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                let (own, other) = (self.a[i], self.a[j]);
                *v = 0.5 * (own * other + q[i] * other + own * q[j] - *v);
            }
        }
        r
    }

    /// W^½ L⁻ᵀ.
    fn roots(&self) -> Matrix {
        let n = self.a.len();
        let inverse = self.factor.inverse_root();
        Matrix::from_fn(n, n, |i, k| self.roots[i] * inverse[i * n + k])
    }
}

/// Searches from equal parts.
pub(in crate::mkl) fn fit(asked: &Classes<'_>, run: &Run, watch: &Watch) -> Result<Found> {
    let instances = asked.instances;
    let own = |m: usize| {
        let diagonal = instances.gather(&instances.bank.diagonal(m));
        let mean = diagonal.iter().sum::<f64>() / instances.n() as f64;
        if mean > 0.0 { mean } else { f64::INFINITY }
    };
    let units: Vec<f64> = (0..instances.bank.len()).map(own).collect();
    let used = units.iter().filter(|u| u.is_finite()).count().max(1);
    // The first point is not cut short where it takes a moment: without it there is nothing.
    let calm = Run { time_limit: None, cancel: crate::Cancel::default(), ..run.clone() }.quiet();
    let calm = calm.watch();
    let first_watch = if instances.n() <= MOMENT { &calm } else { watch };
    let mut search = Search { asked, units, run, watch: first_watch, combines: 0 };
    let start = vec![-(used as f64).ln(); instances.bank.len()];
    let Some(mut at) = search.at(start, None)? else {
        if let Some(status) = first_watch.stop() {
            let what = "the first point of a Gaussian process".to_string();
            return Err(Error::Stopped { status, what });
        }
        return Err(Error::Data(
            "the sum of the kernels is far from positive semi-definite, or its values are too large: a Gaussian process has \
             no mode there; use kernels that are"
                .to_string(),
        ));
    };
    search.watch = watch;
    let mut objective = vec![at.value];
    let (low, high) = (LIMITS.0.ln(), LIMITS.1.ln());
    let mut known = Curvature::default();
    let mut slopes = None;
    let status = loop {
        if let Some(status) = watch.stop() {
            break status;
        }
        let Some(gradient) = slopes.take().or_else(|| search.slopes(&at)) else {
            break watch.stop().unwrap_or(Status::Stalled);
        };
        let free: Vec<bool> = at
            .logs
            .iter()
            .zip(&gradient)
            .map(|(x, g)| !((*x <= low && *g > 0.0) || (*x >= high && *g < 0.0)))
            .collect();
        let steepest =
            || gradient.iter().zip(&free).map(|(g, f)| if *f { -g } else { 0.0 }).collect();
        let quasi = known.direction_in(&gradient, &free);
        let plain = quasi.is_none();
        let mut direction: Vec<f64> = quasi.unwrap_or_else(steepest);
        let longest = direction.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        if longest > FARTHEST {
            direction.iter_mut().for_each(|d| *d *= FARTHEST / longest);
        }
        let promised = -dot(&gradient, &direction);
        if promised <= asked.tol || longest == 0.0 {
            break Status::Converged;
        }
        if objective.len() > asked.max_iterations {
            break Status::IterationLimit;
        }
        let mut length = 1.0;
        let mut next = None;
        for _ in 0..TRIALS {
            let moved = at.logs.iter().zip(&direction);
            let logs: Vec<f64> = moved.map(|(x, d)| (x + length * d).clamp(low, high)).collect();
            let step: Vec<f64> = logs.iter().zip(&at.logs).map(|(a, b)| a - b).collect();
            let expected = -dot(&gradient, &step);
            if let Some(found) = search.at(logs, Some(&at.modes))?
                && found.value <= at.value - ARMIJO * expected.max(0.0)
                && found.value < at.value
            {
                next = Some((found, step));
                break;
            }
            if watch.stop().is_some() {
                break;
            }
            length *= 0.4;
        }
        match next {
            Some((found, step)) => {
                objective.push(found.value);
                at = found;
                slopes = search.slopes(&at);
                let Some(there) = &slopes else {
                    break watch.stop().unwrap_or(Status::Stalled);
                };
                let change = there.iter().zip(&gradient).map(|(a, b)| a - b).collect();
                if !known.learn(step, change) {
                    known.clear();
                }
            }
            None if watch.stop().is_some() => break watch.stop().unwrap_or(Status::Stalled),
            // Once more from the slope alone.
            None if !plain => {
                known.clear();
                slopes = Some(gradient);
            }
            // What is promised is less than modes of this precision show.
            None if promised <= 1e-7 * (1.0 + at.value.abs()) => break Status::Converged,
            None => break Status::Stalled,
        }
    };
    let mut weights = search.weights(&at.logs);
    let parts: Vec<f64> = at.logs.iter().map(|x| x.exp()).collect();
    let total: f64 = parts.iter().sum();
    let unused = |m: usize| !search.units[m].is_finite() || parts[m] < NOTHING * total;
    (0..weights.len()).filter(|m| unused(*m)).for_each(|m| weights[m] = 0.0);
    Ok(Found {
        weights,
        coefs: at.modes.iter().map(|m| m.a.clone()).collect(),
        roots: at.modes.iter().map(Mode::roots).collect(),
        objective,
        evidence: at.modes.iter().map(|m| m.log_evidence).collect(),
        status,
        combines: search.combines,
    })
}
