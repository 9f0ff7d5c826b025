//! The programs of [`boosting`](super) with some of the columns.

use super::columns::Priced;
use super::{Columns, Loss, Part};
use crate::bank::Gram;
use crate::data::Matrix;
use crate::error::room_for;
use crate::solve::boxed::{Boxed, boxed};
use crate::solve::hinge::{self, Hinge, Margin};
use crate::solve::ridge::Ridge;
use crate::solve::smo::Settings;
use crate::{Result, Watch};
use cokernel_dense::{Slice, product_plus, simd};

/// Rows that SMO keeps, in bytes.
const CACHE: usize = 200 << 20;

/// What a gap with a margin is relative to, at the least: margins of this part of the mean diagonal entry are within reach.
const LEAST: f64 = 1e-6;

/// A program that grows with its columns.
pub(super) enum Master {
    Margin { y: Vec<f64>, weights: Vec<f64> },
    Hinge { y: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>, gram: Gram, last: Option<Vec<f64>> },
    Squares { y: Vec<f64>, ridges: Vec<f64>, gram: Gram },
}

/// A master's optimum, or nearly.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub gamma: Vec<f64>,
    pub bias: f64,
    /// ρ; 1 where there is none.
    pub rho: f64,
    pub primal: f64,
    /// What a gap is relative to.
    pub size: f64,
    /// x.
    pub pull: Vec<f64>,
    /// The dual objective with these columns alone.
    pub dual: f64,
    /// The largest edge of these columns.
    pub most: f64,
    pub at_bound: (usize, usize),
    pub steps: u64,
}

impl Master {
    pub fn new(loss: Loss, part: &Part, columns: &Columns, unit: f64) -> Result<Self> {
        let of = |v: &[f64]| columns.rows.iter().map(|i| v[*i as usize]).collect::<Vec<f64>>();
        let (y, mut weights) = (of(&part.y), of(&part.weights));
        let n = y.len();
        if let Loss::Margin { nu } = loss {
            let total = nu * weights.iter().sum::<f64>();
            weights.iter_mut().for_each(|w| *w /= total);
            return Ok(Master::Margin { y, weights });
        }
        room_for::<f64>(n.checked_mul(2 * n), || format!("a matrix of {n} × {n} similarities"))?;
        let gram = Gram::new(Matrix::zeros(n, n))?;
        Ok(match loss {
            Loss::Squares { lambda } => {
                let ridges = weights.iter().map(|w| lambda / w).collect();
                Master::Squares { y, ridges, gram }
            }
            _ => {
                let signed: Vec<f64> =
                    y.iter().zip(&weights).map(|(y, w)| y * (w * unit * unit).min(1e290)).collect();
                let lower = signed.iter().map(|c| c.min(0.0)).collect();
                let upper = signed.iter().map(|c| c.max(0.0)).collect();
                Master::Hinge { y, lower, upper, gram, last: None }
            }
        })
    }

    /// Takes in the columns from `first` on.
    pub fn grow(&mut self, columns: &Columns, first: usize) {
        let (Master::Hinge { gram, .. } | Master::Squares { gram, .. }) = self else { return };
        let n = columns.rows.len();
        let new = &columns.values[first * n..];
        let turned = Matrix::from_fn(n, columns.len() - first, |i, j| new[j * n + i]);
        let (left, right) = (Slice::of(&turned), Slice::new(new, columns.len() - first, n));
        product_plus(gram.values_mut(), 1.0, left, right);
        // To the last bit.
        let values = gram.values_mut();
        for i in 0..n {
            for j in 0..i {
                values[j * n + i] = values[i * n + j];
            }
        }
    }

    /// Solves it to a relative gap of `tol`.
    pub fn solve(&mut self, columns: &Columns, tol: f64, watch: &Watch) -> Answer {
        match self {
            Master::Margin { y, weights } => margin(y, weights, columns, tol, watch),
            Master::Hinge { y, lower, upper, gram, last } => {
                let program = Boxed { rows: gram, constant: 1.0, linear: y, lower, upper };
                let settings =
                    Settings { tol, shrinking: true, cache: CACHE, max_steps: 10_000_000 };
                let found = boxed(&program, last.as_deref(), &settings, watch);
                *last = Some(found.coef.clone());
                let at = |i: &usize| {
                    let (x, bound) = (found.coef[*i], lower[*i].abs().max(upper[*i]));
                    x.abs() >= bound * (1.0 - 1e-9)
                };
                let at_bound = ((0..y.len()).filter(at).count(), y.len());
                Answer { at_bound, ..Answer::of(columns, found) }
            }
            Master::Squares { y, ridges, gram } => match Ridge::new(gram, ridges, true, watch) {
                Ok(ridge) => Answer::of(columns, ridge.solve(y)),
                // A stop, or numbers beyond f64: the mean alone.
                Err(_) => constant(y, ridges, columns),
            },
        }
    }

    /// What no coefficients of any columns are below.
    pub fn lower(&self, at: &Answer, priced: &Priced) -> f64 {
        match self {
            Master::Margin { .. } => -priced.largest.max(at.pull.iter().sum::<f64>().abs()),
            // a − q/2 of all columns, q with the edges of those outside, at the multiple of x where it is largest; a
            // machine's x stays in its box where that is at most 1.
            Master::Hinge { y, .. } => scaled(at, y, priced.squares, 1.0),
            Master::Squares { y, .. } => scaled(at, y, priced.squares, f64::INFINITY),
        }
    }

    /// The edge that a column has to exceed to be worth something, and how many are to join.
    pub fn joins(&self, at: &Answer, columns: usize) -> (f64, usize) {
        match self {
            Master::Margin { .. } => (at.most * (1.0 + 1e-12), 10 + columns / 4),
            _ => (0.0, 16 + columns / 2),
        }
    }

    /// Whether coefficients are not negative, so that columns have signs.
    pub fn is_signed(&self) -> bool {
        matches!(self, Master::Margin { .. })
    }

    /// Whether it is solved in closed form.
    pub fn is_exact(&self) -> bool {
        matches!(self, Master::Squares { .. })
    }
}

/// The most that multiples of x up to `most` times it prove, and 0, which no loss is below: D(sx) = s a − ½ s² q with a = Σ xy, q
/// what the dual takes off and the squares of the edges outside.
fn scaled(at: &Answer, y: &[f64], outside: f64, most: f64) -> f64 {
    // The dual of squares has Σx = 0, but for rounding, which a large mean of y would show.
    let mean = if most.is_finite() { 0.0 } else { y.iter().sum::<f64>() / y.len() as f64 };
    let a: f64 = at.pull.iter().zip(y).map(|(x, y)| x * (y - mean)).sum();
    let q = (2.0 * (a - at.dual)).max(0.0) + outside;
    let s = if q > 0.0 { (a / q).min(most) } else { 1.0 };
    (s * a - 0.5 * s * s * q).max(0.0)
}

impl Answer {
    /// Of a machine on the Gram matrix of the columns.
    fn of(columns: &Columns, found: crate::solve::solved::Solved) -> Self {
        let gamma: Vec<f64> =
            (0..columns.len()).map(|j| simd::dot(columns.column(j), &found.coef)).collect();
        Answer {
            gamma,
            bias: found.bias,
            rho: 1.0,
            primal: found.primal,
            size: found.primal.abs().max(f64::MIN_POSITIVE),
            pull: found.coef,
            dual: found.dual,
            most: 0.0,
            at_bound: (0, 0),
            steps: found.steps,
        }
    }
}

/// The linear program: ones, minus ones and the columns with their signs.
fn margin(y: &[f64], weights: &[f64], columns: &Columns, tol: f64, watch: &Watch) -> Answer {
    let (n, count) = (y.len(), columns.len());
    let width = count + 2;
    let mut rows = Vec::with_capacity(n * width);
    for (i, y) in y.iter().enumerate() {
        rows.extend([*y, -*y]);
        rows.extend((0..count).map(|j| y * columns.values[j * n + i]));
    }
    let groups: Vec<usize> = (0..=n).collect();
    let program =
        Hinge { rows: &rows, columns: width, groups: &groups, weights, margin: Margin::Largest };
    let found = hinge::minimize(&program, tol, watch);
    let mut pull: Vec<f64> = found.multipliers.iter().zip(y).map(|(u, y)| u * y).collect();
    if pull.iter().all(|x| *x == 0.0) {
        // Stopped before there were any.
        pull = weights.iter().zip(y).map(|(w, y)| w * y / weights.iter().sum::<f64>()).collect();
    }
    let ones = pull.iter().sum::<f64>().abs();
    let edge = |j: usize| simd::dot(columns.column(j), &pull);
    // Entries of columns are about 1. Where nothing is better than no function, less is proved of what could be.
    let least = if found.primal < 0.0 { LEAST } else { 10.0 * LEAST };
    Answer {
        bias: found.weights[0] - found.weights[1],
        rho: found.rho,
        primal: found.primal,
        size: hinge::size(found.primal + found.rho, found.rho).max(least),
        dual: found.lower,
        most: (0..count).map(edge).fold(ones, f64::max),
        gamma: found.weights[2..].to_vec(),
        pull,
        at_bound: (0, 0),
        steps: 0,
    }
}

/// The constant alone, for squares.
fn constant(y: &[f64], ridges: &[f64], columns: &Columns) -> Answer {
    let total: f64 = ridges.iter().map(|r| 1.0 / r).sum();
    let bias = y.iter().zip(ridges).map(|(y, r)| y / r).sum::<f64>() / total;
    let primal = y.iter().zip(ridges).map(|(y, r)| (y - bias).powi(2) / (2.0 * r)).sum::<f64>();
    Answer {
        gamma: vec![0.0; columns.len()],
        bias,
        rho: 1.0,
        primal,
        size: primal.max(f64::MIN_POSITIVE),
        pull: vec![0.0; y.len()],
        dual: 0.0,
        most: 0.0,
        at_bound: (0, 0),
        steps: 0,
    }
}
