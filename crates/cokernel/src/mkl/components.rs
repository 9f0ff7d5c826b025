//! Variances of the parts of a Gaussian process: θ and σ² of largest likelihood.
//!
//! ```text
//! y ~ N(b 1, V),      V = Σ_m θ_m K_m + σ² R,      θ ≥ 0, σ² > 0
//! L(θ, σ²) = ½ [ yᵀPy + log|V| + log(1ᵀV⁻¹1) ],      P = V⁻¹ − V⁻¹11ᵀV⁻¹/(1ᵀV⁻¹1)
//! ∂L/∂θ_m = ½ [ tr(P K_m) − uᵀK_m u ],      u = Py
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | R, 1 over the weights of the instances on its diagonal | `noise` |
//! | θ with σ² behind it, in units of [`Problem::units`] | `point` |
//! | L, the restricted likelihood; the plain one is without the last term, with V⁻¹ for P in the trace | [`Problem::restricted`] |
//!
//! **Steps.** The first three are θ_m ← θ_m √(uᵀK_m u / tr(P K_m)), which never raise L (Zhou, Hu, Qiao, Cho and Zhou,
//! Journal of Computational and Graphical Statistics 28, 2019). Then Newton's with the average of the observed and the
//! expected information, ½ (K_m u)ᵀP(K_h u) (Gilmour, Thompson and Cullis, Biometrics 51, 1995), under the limits
//! ([`limits`]), halved until L falls; where it does not, one of the first again. The end is where
//! the model of L promises less than `tol`.
//!
//! **Cost** of a step: n³ for V⁻¹ (a third of it for each trial), one product of every kernel with u and one with P.

use super::fits;
use crate::bank::Bank;
use crate::error::amount;
use crate::run::Pass;
use crate::solve::limits;
use crate::{Error, Result, Run, Status, Watch};
use cokernel_dense::Cholesky;

/// Steps before Newton's.
const FIRST: usize = 3;

/// Halvings of one of Newton's.
const TRIALS: usize = 4;

/// Least σ² beside the variance of y.
const LEAST: f64 = 1e-10;

/// What is asked.
pub(super) struct Problem<'a> {
    pub bank: &'a Bank,
    /// Instances that take part, ascending.
    pub rows: &'a [usize],
    /// y of them, with variance 1.
    pub y: &'a [f64],
    /// Diagonal of R.
    pub noise: &'a [f64],
    /// What the kernels are divided by.
    pub units: &'a [f64],
    pub restricted: bool,
    /// Expected fall of L at which to stop.
    pub tol: f64,
    pub max_iterations: usize,
}

/// What was found.
pub(super) struct Found {
    /// θ, then σ².
    pub point: Vec<f64>,
    /// Their standard errors, from the information among those that are not at their limit; 0 for the others.
    pub errors: Vec<f64>,
    /// L with its constant, at the start and after each step.
    pub objective: Vec<f64>,
    pub status: Status,
    /// Kernels combined and factored.
    pub combines: u64,
}

/// V factored, and L.
struct At {
    factor: Cholesky,
    /// Py.
    u: Vec<f64>,
    /// V⁻¹1 and the sum of it.
    ones: (Vec<f64>, f64),
    value: f64,
}

impl Problem<'_> {
    fn n(&self) -> usize {
        self.rows.len()
    }

    /// L at a point; `None` where V has no factor, or after a stop.
    fn at(&self, point: &[f64], run: &Run, watch: &Watch) -> Result<Option<At>> {
        let (n, kernels) = (self.n(), self.bank.len());
        let weights: Vec<f64> = point.iter().zip(self.units).map(|(t, u)| t / u).collect();
        let mut v = vec![0.0; n * n];
        if weights.iter().any(|w| *w != 0.0) {
            let rule = crate::rule::Weighted::new(weights);
            let kernel = super::mixed(self.bank, &rule, None, run, watch)?;
            v = super::bayes::gathered(kernel.as_ref(), self.rows);
        }
        if watch.stop().is_some() {
            return Ok(None);
        }
        (0..n).for_each(|i| v[i * n + i] += point[kernels] * self.noise[i]);
        let going = || watch.stop().is_none();
        let Some(factor) = Cholesky::while_going(n, v, &going) else { return Ok(None) };
        let (mut ones, mut u) = (vec![1.0; n], self.y.to_vec());
        factor.solve(&mut ones, 1);
        factor.solve(&mut u, 1);
        let total: f64 = ones.iter().sum();
        let b = u.iter().sum::<f64>() / total;
        u.iter_mut().zip(&ones).for_each(|(u, e)| *u -= b * e);
        let fit: f64 = u.iter().zip(self.y).map(|(u, y)| u * y).sum();
        let free = if self.restricted { n - 1 } else { n } as f64;
        let shift = if self.restricted { total.ln() } else { 0.0 };
        let all = fit + factor.log_determinant() + shift + free * std::f64::consts::TAU.ln();
        let value = 0.5 * all;
        Ok(value.is_finite().then_some(At { factor, u, ones: (ones, total), value }))
    }

    /// Slopes of L, the two parts of them, and the information; `None` after a stop.
    fn slopes(&self, at: &At, watch: &Watch) -> Option<Slopes> {
        let (n, all, kernels) = (self.n(), self.bank.n(), self.bank.len());
        let mut trace = at.factor.inverse_while_going(&|| watch.stop().is_none())?;
        let shift = if self.restricted { 1.0 / at.ones.1 } else { 0.0 };
        for (row, e) in trace.chunks_mut(n).zip(&at.ones.0) {
            row.iter_mut().zip(&at.ones.0).for_each(|(p, o)| *p -= shift * e * o);
        }
        let of_noise: f64 = (0..n).map(|i| trace[i * n + i] * self.noise[i]).sum();
        let pass = Pass::under(watch);
        let mut expected = match n == all {
            true => self.bank.matrix_products(&trace, &pass),
            false => {
                let mut spread = vec![0.0; all * all];
                for (row, i) in trace.chunks(n).zip(self.rows) {
                    row.iter().zip(self.rows).for_each(|(v, j)| spread[i * all + j] = *v);
                }
                self.bank.matrix_products(&spread, &pass)
            }
        };
        let mut u = vec![0.0; all];
        at.u.iter().zip(self.rows).for_each(|(v, i)| u[*i] = *v);
        let size = kernels + 1;
        let mut sides = vec![0.0; size * n];
        self.bank.products_in(&[&u], &pass, |m, _, product| {
            let out = sides[m * n..(m + 1) * n].iter_mut();
            out.zip(self.rows).for_each(|(s, i)| *s = product[*i] / self.units[m]);
        });
        if pass.is_given_up() {
            return None;
        }
        expected.iter_mut().zip(self.units).for_each(|(e, unit)| *e /= unit);
        expected.push(of_noise);
        let last = sides[kernels * n..].iter_mut();
        last.zip(self.noise).zip(&at.u).for_each(|((s, r), u)| *s = r * u);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let found = sides.chunks(n).map(|s| dot(s, &at.u).max(0.0)).collect();
        let sums: Vec<f64> = sides.chunks(n).map(|s| dot(s, &at.ones.0)).collect();
        at.factor.forward(&mut sides, size);
        let mut information = vec![0.0; size * size];
        let rows = cokernel_dense::Slice::new(&sides, size, n);
        cokernel_dense::product_nt(rows, rows, &mut information);
        for (k, v) in information.iter_mut().enumerate() {
            *v = 0.5 * (*v - sums[k / size] * sums[k % size] / at.ones.1);
        }
        Some(Slopes { expected, found, information })
    }
}

/// ∂L/∂θ = ½ (expected − found).
struct Slopes {
    /// tr(P K_m).
    expected: Vec<f64>,
    /// uᵀK_m u.
    found: Vec<f64>,
    information: Vec<f64>,
}

impl Slopes {
    fn gradient(&self) -> Vec<f64> {
        self.expected.iter().zip(&self.found).map(|(e, f)| 0.5 * (e - f)).collect()
    }

    /// The step of the first kind.
    fn multiplied(&self, point: &[f64]) -> Vec<f64> {
        let all = point.iter().zip(self.expected.iter().zip(&self.found));
        let one = |(t, (e, f)): (&f64, (&f64, &f64))| {
            if *e > 0.0 { t * (f / e).sqrt() } else { *t }
        };
        floored(all.map(one).collect())
    }

    /// Newton's step, and the fall of L that its model promises.
    fn newton(&self, point: &[f64]) -> Option<(Vec<f64>, f64)> {
        let (size, gradient) = (point.len(), self.gradient());
        let mut model = self.information.clone();
        for k in 0..size {
            // Where the model has no curvature.
            model[k * size + k] += 1e-3 * gradient[k].abs() / point[k].max(1e-3);
            // A kernel of zeros has neither slope nor curvature.
            if model[k * size + k] == 0.0 {
                model[k * size + k] = 1.0;
            }
        }
        let mut least: Vec<f64> = point.iter().map(|t| -t).collect();
        least[size - 1] = LEAST - point[size - 1];
        let step = limits::above(
            &gradient,
            &model,
            &least.iter().map(|l| l.min(0.0)).collect::<Vec<_>>(),
        )?;
        if step.iter().any(|d| !d.is_finite()) {
            return None;
        }
        let curve: f64 = (0..size)
            .map(|k| (0..size).map(|l| step[k] * model[k * size + l] * step[l]).sum::<f64>())
            .sum();
        let slope: f64 = gradient.iter().zip(&step).map(|(g, d)| g * d).sum();
        Some((step, -(slope + 0.5 * curve)))
    }

    /// Roots of the inverse information among the parts above their limit.
    fn errors(&self, point: &[f64]) -> Vec<f64> {
        let size = point.len();
        let free: Vec<usize> = (0..size).filter(|k| point[*k] > LEAST).collect();
        let places = free.iter().flat_map(|k| free.iter().map(move |l| k * size + l));
        let block: Vec<f64> = places.map(|p| self.information[p]).collect();
        let mut errors = vec![0.0; size];
        if let Some(factor) = Cholesky::new(free.len(), block) {
            let inverse = factor.inverse();
            for (j, k) in free.iter().enumerate() {
                errors[*k] = inverse[j * free.len() + j].sqrt();
            }
        }
        errors
    }
}

/// σ² at least at its limit.
fn floored(mut point: Vec<f64>) -> Vec<f64> {
    if let Some(last) = point.last_mut() {
        *last = last.max(LEAST);
    }
    point
}

/// Searches from equal parts of the variance, half of it noise.
pub(super) fn fit(problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Found> {
    let (n, kernels) = (problem.n(), problem.bank.len());
    if !fits(problem.bank, 4, run) {
        return Err(Error::Data(format!(
            "a Gaussian process on {n} instances keeps four matrices of n × n numbers, {}; give it that (memory) or \
             fewer instances",
            amount(32.0 * (n as f64).powi(2))
        )));
    }
    let used = problem.units.iter().filter(|u| u.is_finite()).count();
    let share = |u: &f64| if u.is_finite() { 0.5 / used as f64 } else { 0.0 };
    let mut point: Vec<f64> = problem.units.iter().map(share).collect();
    point.push(if used > 0 { 0.5 } else { 1.0 });
    let mut combines = 1;
    let Some(mut at) = problem.at(&point, run, watch)? else {
        let Some(status) = watch.stop() else {
            return Err(Error::Data(
                "the sum of the kernels is far from positive semi-definite, and a Gaussian process has no likelihood \
                 there; use kernels that are"
                    .to_string(),
            ));
        };
        let errors = vec![0.0; kernels + 1];
        return Ok(Found { point, errors, objective: Vec::new(), status, combines });
    };
    let mut objective = vec![at.value];
    let mut errors = vec![0.0; kernels + 1];
    let status = loop {
        let Some(slopes) = problem.slopes(&at, watch) else {
            break watch.stop().unwrap_or(Status::Stalled);
        };
        errors = slopes.errors(&point);
        let newton = slopes.newton(&point);
        if objective.len() > FIRST && newton.as_ref().is_some_and(|(_, fall)| *fall <= problem.tol)
        {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if objective.len() > problem.max_iterations {
            break Status::IterationLimit;
        }
        let mut next = None;
        if let Some((step, _)) = newton.filter(|_| objective.len() > FIRST) {
            let mut length = 1.0;
            for _ in 0..TRIALS {
                let moved = point.iter().zip(&step).map(|(t, d)| (t + length * d).max(0.0));
                let trial = floored(moved.collect());
                combines += 1;
                let found = problem.at(&trial, run, watch)?;
                if let Some(found) = found.filter(|f| f.value < at.value) {
                    next = Some((trial, found));
                    break;
                }
                length *= 0.3;
            }
        }
        if next.is_none() && watch.stop().is_none() {
            let trial = slopes.multiplied(&point);
            combines += 1;
            let found = problem.at(&trial, run, watch)?;
            next = found.filter(|f| f.value < at.value).map(|found| (trial, found));
        }
        match next {
            Some((trial, found)) => {
                (point, at) = (trial, found);
                objective.push(at.value);
            }
            None => break watch.stop().unwrap_or(Status::Stalled),
        }
    };
    Ok(Found { point, errors, objective, status, combines })
}
