//! The Laplacian SVM with the squared hinge, trained in the primal (Melacci and Belkin, *Journal of Machine
//! Learning Research* 12, 2011).
//!
//! ```text
//! primal  min ½‖w‖² + ½ Σ_labelled C_i max(0, 1 − y_i f_i)² + ½ μ fᵀLf      f_i = ⟨w, Φ(x_i)⟩ + b
//! dual    max Σ α_i − ½ Σ α_i²/C_i − ½ μ uᵀLu − ½ cᵀKc      c = α∘y − μLu,  Σ c = 0,  α ≥ 0
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | K, L | `rows`, [`Laplacian`] |
//! | y_i (0: no label), C_i, μ | `signs`, `costs`, `smoothness` |
//! | c, b | `coef`, `bias` |
//! | E: labelled with y_i f_i < 1; D_E = diag C_i on E | `active` |
//!
//! The paper has the loss, γ_A‖w‖² and γ_I fᵀLf: this is its objective over 2γ_A, with C = 1/γ_A and μ = γ_I/γ_A.
//! f holds b in the last term, too, so that Σ c = 0 for every L; with L1 = 0 it makes no difference, and the
//! paper's code refuses b beside a normalised Laplacian.
//!
//! **Certificate.** From any c of sum 0 with the b of the least primal, u = f and α_i = C_i max(0, 1 − y_i f_i) give
//! c′ = α∘y − μLf, which is feasible, and primal − dual = ½ (c − c′)ᵀK(c − c′).
//!
//! **Steps.** Newton's method on E solves (I + (D_E + μL)K) c + (D_E + μL)1 b = D_E y, Σ c = 0, which times 1/C is the
//! (I_E K + γ_A I + γ_I LK) α + … = I_E y of the paper, for the change of c from what c lacks of it, so that the
//! rounding of one step is taken back by the next. A minimisation of the primal along the step, which is piecewise
//! quadratic there, is exact.
//!
//! - [`Direction::Newton`]: LU factors of A = I + μLK, once for all problems that have the same labelled instances;
//!   with K̃ = K A⁻¹ between these, a step costs |E|³/3 and 4n². In all 2n³/3 and 2n² for each labelled instance;
//!   16n² bytes.
//! - [`Direction::Gradients`]: conjugate gradients in the inner product cᵀKc', that is preconditioned with K. Each
//!   costs one product with K and one with L; nothing of size n² is kept.
//!
//! K is centred first: Σ c = 0, so that only b sees it, and large constants in K do not drown the rest.

use super::Rows;
mod factored;
mod gradients;
mod line;

pub use factored::Factored;

use super::neighbour_graph::Laplacian;
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};
use line::least;

/// Steps without a better gap after which no better one is to be expected.
const PATIENCE: usize = 4;

/// A machine of two classes with unlabelled instances.
#[derive(Clone, Copy)]
pub struct Smooth<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// 1 or −1; 0 without a label.
    pub signs: &'a [f64],
    /// C_i, above 0 where there is a label.
    pub costs: &'a [f64],
    /// L.
    pub laplacian: &'a Laplacian,
    /// μ ≥ 0.
    pub smoothness: f64,
}

/// How steps are found.
#[derive(Clone, Copy)]
pub enum Direction<'a> {
    /// Newton's, exactly.
    Newton(&'a Factored),
    /// By conjugate gradients.
    Gradients,
}

/// A change of c and b.
struct Step {
    coef: Vec<f64>,
    bias: f64,
    /// K times that of c, where it is known.
    values: Option<Vec<f64>>,
    products: u64,
}

/// A point with all that belongs to it.
struct Point {
    coef: Vec<f64>,
    /// The centred K times c, without b, and the mean of what K itself gives.
    values: Vec<f64>,
    level: f64,
    bias: f64,
    /// f, and μLf.
    f: Vec<f64>,
    rough: Vec<f64>,
    /// c′ − c, and K times it.
    residual: Vec<f64>,
    pull: Vec<f64>,
    primal: f64,
    dual: f64,
}

/// Solves the machine. `start`: coefficients of a nearby problem. Each of the `most` steps is a product with K or a
/// Newton step.
pub fn laplacian_svm(
    problem: &Smooth<'_>,
    direction: Direction<'_>,
    start: Option<&[f64]>,
    tol: f64,
    most: u64,
    watch: &Watch,
) -> Solved {
    let n = problem.signs.len();
    let times = |x: &[f64]| times(problem, direction, x, watch);
    let mut coef = start.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
    without_mean(&mut coef);
    let mut best: Option<Point> = None;
    let (mut steps, mut idle, mut lowest) = (0, 0, f64::INFINITY);
    let status = loop {
        let Some(now) = problem.point(coef, &times) else {
            break watch.stop().unwrap_or(Status::Stalled);
        };
        steps += 1;
        let (gap, before) =
            (now.gap().abs(), best.as_ref().map_or(f64::INFINITY, |b| b.gap().abs()));
        let gained = gap < 0.9 * before || now.primal < (1.0 - 1e-9) * lowest;
        idle = if gained { 0 } else { idle + 1 };
        lowest = lowest.min(now.primal);
        let end = match (gap <= tol, watch.stop()) {
            (true, _) => Some(Status::Converged),
            (_, Some(stop)) => Some(stop),
            _ if steps >= most => Some(Status::IterationLimit),
            _ if idle >= PATIENCE => Some(Status::Stalled),
            _ => None,
        };
        let next = match end {
            None => problem.next(&now, direction, tol, most - steps, &times),
            Some(_) => None,
        };
        if gap < before {
            best = Some(now);
        }
        match next {
            Some((next, products)) => (coef, steps) = (next, steps + products),
            None => break end.or(watch.stop()).unwrap_or(Status::Stalled),
        }
    };
    best.map_or_else(|| problem.nothing(steps, status), |b| b.solved(steps, status))
}

impl Smooth<'_> {
    /// μLf.
    fn rough(&self, f: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; f.len()];
        if self.smoothness > 0.0 {
            self.laplacian.multiply(f, &mut out);
            out.iter_mut().for_each(|v| *v *= self.smoothness);
        }
        out
    }

    /// The b of the least primal.
    fn least_bias(&self, values: &[f64]) -> f64 {
        let ones = self.laplacian.ones();
        let slope = self.smoothness * dot(ones, values);
        let curve = self.smoothness * ones.iter().sum::<f64>();
        let term = |i: usize| (self.costs[i], 1.0 - self.signs[i] * values[i], self.signs[i]);
        let labelled = (0..values.len()).filter(|i| self.signs[*i] != 0.0);
        least(slope, curve.max(0.0), &labelled.map(term).collect::<Vec<_>>())
    }

    /// What belongs to c; `None` after a stop, or where numbers overflow.
    fn point(&self, coef: Vec<f64>, times: &Times<'_>) -> Option<Point> {
        let (values, level) = times(&coef)?;
        let bias = self.least_bias(&values);
        let f: Vec<f64> = values.iter().map(|v| v + bias).collect();
        let rough = self.rough(&f);
        let (mut primal, mut dual) = (0.0, 0.0);
        let mut target = vec![0.0; f.len()];
        for i in 0..f.len() {
            primal += 0.5 * (coef[i] * values[i] + f[i] * rough[i]);
            dual -= 0.5 * f[i] * rough[i];
            target[i] = -rough[i];
            let miss = 1.0 - self.signs[i] * f[i];
            if self.signs[i] != 0.0 && miss > 0.0 {
                let alpha = self.costs[i] * miss;
                primal += 0.5 * alpha * miss;
                dual += alpha - 0.5 * alpha * miss;
                target[i] += alpha * self.signs[i];
            }
        }
        without_mean(&mut target);
        let mut residual: Vec<f64> = target.iter().zip(&coef).map(|(t, c)| t - c).collect();
        without_mean(&mut residual);
        let pull = times(&residual)?.0;
        for i in 0..f.len() {
            dual -= 0.5 * target[i] * (values[i] + pull[i]);
        }
        (primal.is_finite() && dual.is_finite()).then_some(Point {
            coef,
            values,
            level,
            bias,
            f,
            rough,
            residual,
            pull,
            primal,
            dual,
        })
    }

    /// c after one step, and how many products with K that took; `None` where there is none.
    fn next(
        &self,
        now: &Point,
        direction: Direction<'_>,
        tol: f64,
        most: u64,
        times: &Times<'_>,
    ) -> Option<(Vec<f64>, u64)> {
        let active: Vec<bool> = (0..now.f.len())
            .map(|i| self.signs[i] != 0.0 && self.signs[i] * now.f[i] < 1.0)
            .collect();
        let step = match direction {
            Direction::Newton(shared) => shared.step(self, &active, &now.residual),
            Direction::Gradients => {
                self.gradients(now, &active, 0.1 * tol * now.primal, most, times)
            }
        }?;
        let products = step.products;
        Some((self.along(now, step, times)?, products))
    }

    /// c after the best step in this direction; `None` if that is none.
    fn along(&self, now: &Point, step: Step, times: &Times<'_>) -> Option<Vec<f64>> {
        let mut change = step.coef;
        without_mean(&mut change);
        let values = match step.values {
            Some(values) => values,
            None => times(&change)?.0,
        };
        let f: Vec<f64> = values.iter().map(|v| v + step.bias).collect();
        let rough = self.rough(&f);
        let slope = dot(&change, &now.values) + dot(&f, &now.rough);
        let curve = dot(&change, &values) + dot(&f, &rough);
        let term = |i: usize| {
            let y = self.signs[i];
            (self.costs[i], 1.0 - y * now.f[i], y * f[i])
        };
        let labelled = (0..f.len()).filter(|i| self.signs[*i] != 0.0);
        let t = least(slope, curve.max(0.0), &labelled.map(term).collect::<Vec<_>>());
        if !(t.is_finite() && t > 0.0) {
            return None;
        }
        let mut coef: Vec<f64> = now.coef.iter().zip(&change).map(|(c, d)| c + t * d).collect();
        without_mean(&mut coef);
        Some(coef)
    }

    /// What is known where nothing was learned.
    fn nothing(&self, steps: u64, status: Status) -> Solved {
        let n = self.signs.len();
        let primal = 0.5 * self.costs.iter().sum::<f64>();
        let zero = vec![0.0; n];
        Solved {
            coef: zero.clone(),
            bias: 0.0,
            values: zero,
            primal,
            dual: 0.0,
            gap: 1.0,
            steps,
            status,
        }
    }
}

impl Point {
    fn gap(&self) -> f64 {
        relative_gap(self.primal, self.dual)
    }

    /// The answer, for K as it is.
    fn solved(self, steps: u64, status: Status) -> Solved {
        // A dual above the primal is rounding: as large as it is.
        let gap = self.gap().abs();
        let Point { coef, mut values, level, bias, primal, dual, .. } = self;
        values.iter_mut().for_each(|v| *v += level);
        Solved { coef, bias: bias - level, values, primal, dual, gap, steps, status }
    }
}

/// The centred K times x of sum 0, and the mean of what K itself gives; `None` after a stop.
type Times<'a> = dyn Fn(&[f64]) -> Option<(Vec<f64>, f64)> + 'a;

/// As [`Times`] says.
fn times(
    problem: &Smooth<'_>,
    direction: Direction<'_>,
    x: &[f64],
    watch: &Watch,
) -> Option<(Vec<f64>, f64)> {
    let n = x.len();
    let mut out = vec![0.0; n];
    if x.iter().all(|x| *x == 0.0) {
        return Some((out, 0.0));
    }
    match direction {
        Direction::Newton(shared) => {
            out.iter_mut().zip(shared.kernel.chunks(n)).for_each(|(o, row)| *o = dot(row, x));
            Some((out, dot(&shared.means, x)))
        }
        Direction::Gradients => {
            if !problem.rows.multiply_until(x, &mut out, watch) {
                return None;
            }
            let level = mean(&out);
            out.iter_mut().for_each(|v| *v -= level);
            Some((out, level))
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(out: &mut [f64], by: f64, x: &[f64]) {
    out.iter_mut().zip(x).for_each(|(o, x)| *o += by * x);
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn without_mean(values: &mut [f64]) {
    let mean = mean(values);
    values.iter_mut().for_each(|v| *v -= mean);
}
