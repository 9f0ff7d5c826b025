//! Kernel ridge regression with a bias and leave-one-out in closed form; the kernel Fisher
//! discriminant is this regression on two numbers.
//!
//! ```text
//! primal  min ½‖w‖² + Σ_i (y_i − ⟨w, Φ(x_i)⟩ − b)² / (2λ_i)
//! dual    max yᵀc − ½cᵀ(K + Λ)c      Σ c = 0       (no sum without a bias)
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | λ_i, diagonal of Λ | `ridges` |
//! | A = K + Λ, e = A⁻¹1 | `factor`, `ones` |
//!
//! c = A⁻¹(y − b1) with b = eᵀy / eᵀ1, improved once by the residual. What the machine learned without
//! instance i says of it is y_i − c_i / P_ii with P = A⁻¹ − e eᵀ / eᵀ1 (Cawley and Talbot, *Neural
//! Networks* 17, 2004). Cost: n³/3 once, n² for each target, n³/3 more for leave-one-out; 8n² bytes.
//!
//! **Fisher.** On [`fisher_targets`] w is proportional to (S_w + λI)⁻¹(m₊ − m₋), S_w the scatter within
//! the classes, each instance with its mass λ/λ_i (all scatter is S_w plus a multiple of (m₊ − m₋)(m₊ − m₋)ᵀ); the bias of the
//! discriminant is [`midpoint`].

use super::Rows;
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};
use cokernel_dense::Cholesky;

/// Relative gap up to which an answer counts as that of the closed form.
const CLOSED: f64 = 1e-6;

/// K + Λ factored, for any number of targets.
pub struct Ridge<'a> {
    rows: &'a dyn Rows,
    ridges: &'a [f64],
    factor: Cholesky,
    /// A⁻¹1; empty without a bias.
    ones: Vec<f64>,
}

impl<'a> Ridge<'a> {
    /// Factors K + Λ; `ridges` positive, length n. The stop, if one came first.
    ///
    /// # Errors
    /// A stop; [`Status::Stalled`] where the matrix is not a number.
    pub fn new(
        rows: &'a dyn Rows,
        ridges: &'a [f64],
        bias: bool,
        watch: &Watch,
    ) -> Result<Self, Status> {
        let n = ridges.len();
        let (mut matrix, mut computed) = (vec![0.0; n * n], vec![0.0; n]);
        for (i, out) in matrix.chunks_mut(n.max(1)).enumerate() {
            if let Some(status) = watch.stop() {
                return Err(status);
            }
            out.copy_from_slice(rows.row(i, &mut computed));
            out[i] += ridges[i];
        }
        let going = || watch.stop().is_none();
        let factor = match Cholesky::while_going(n, matrix.clone(), &going) {
            Some(factor) => factor,
            None if !going() => return Err(watch.stop().unwrap_or(Status::Stalled)),
            None => Cholesky::with_ridge(n, &matrix).ok_or(Status::Stalled)?,
        };
        let mut ridge = Ridge { rows, ridges, factor, ones: Vec::new() };
        if bias {
            let mut ones = vec![1.0; n];
            ridge.factor.solve(&mut ones, 1);
            ridge.ones = ones;
        }
        Ok(ridge)
    }

    /// c and b for K + Λ and the right-hand side y, no better than the factor.
    fn raw(&self, y: &[f64]) -> (Vec<f64>, f64) {
        let mut c = y.to_vec();
        self.factor.solve(&mut c, 1);
        if self.ones.is_empty() {
            return (c, 0.0);
        }
        let b = c.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
        c.iter_mut().zip(&self.ones).for_each(|(c, e)| *c -= b * e);
        (c, b)
    }

    /// The machine for these targets.
    pub fn solve(&self, y: &[f64]) -> Solved {
        let n = y.len();
        let with_bias = !self.ones.is_empty();
        let middle = if with_bias { y.iter().map(|v| v / n as f64).sum() } else { 0.0 };
        // What is left of equal numbers is rounding.
        let lost = 8.0 * f64::EPSILON * y.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let equal = with_bias && y.iter().all(|v| (v - middle).abs() <= lost);
        let y: Vec<f64> = y.iter().map(|v| if equal { 0.0 } else { v - middle }).collect();
        let (mut coef, mut bias) = self.raw(&y);
        let mut values = vec![0.0; n];
        self.rows.multiply(&coef, &mut values);
        let rest: Vec<f64> =
            (0..n).map(|i| y[i] - bias - values[i] - self.ridges[i] * coef[i]).collect();
        let (more, shift) = self.raw(&rest);
        if more.iter().all(|v| v.is_finite()) {
            coef.iter_mut().zip(&more).for_each(|(c, m)| *c += m);
            bias += shift;
        }
        if with_bias {
            // What rounding has left of the sum.
            let rest = coef.iter().sum::<f64>() / n.max(1) as f64;
            coef.iter_mut().for_each(|c| *c -= rest);
        }
        self.rows.multiply(&coef, &mut values);
        let (mut norm, mut gain, mut own, mut loss) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            norm += coef[i] * values[i];
            gain += y[i] * coef[i];
            own += self.ridges[i] * coef[i] * coef[i];
            loss += (y[i] - values[i] - bias).powi(2) / self.ridges[i];
        }
        let (primal, dual) = (0.5 * (norm + loss), gain - 0.5 * (norm + own));
        let gap = relative_gap(primal, dual);
        let status = if gap <= CLOSED { Status::ClosedForm } else { Status::Stalled };
        Solved { coef, bias: bias + middle, values, primal, dual, gap, steps: 0, status }
    }

    /// What the machines learned without one instance say of it, for a solution on `y`.
    pub fn left_out(&self, y: &[f64], solved: &Solved) -> Vec<f64> {
        let n = y.len();
        let total: f64 = self.ones.iter().sum();
        let mut out = Vec::with_capacity(n);
        // A few columns of L⁻¹ at a time: (A⁻¹)_ii is the square of column i.
        for first in (0..n).step_by(64) {
            let count = (n - first).min(64);
            let mut columns = vec![0.0; n * count];
            (0..count).for_each(|k| columns[k * n + first + k] = 1.0);
            self.factor.forward(&mut columns, count);
            for (k, column) in columns.chunks(n).enumerate() {
                let i = first + k;
                let inverse: f64 = column.iter().map(|v| v * v).sum();
                let shared = self.ones.get(i).map_or(0.0, |e| e * e / total);
                out.push(y[i] - solved.coef[i] / (inverse - shared));
            }
        }
        out
    }
}

/// 2 v₋/v for positive signs, −2 v₊/v for negative, v₊, v₋ and v the sums of `masses` above 0: their
/// regression is Fisher's discriminant, and their difference is 2 however large the classes are.
pub fn fisher_targets(signs: &[f64], masses: &[f64]) -> Vec<f64> {
    let of = |positive: bool| {
        let side = signs.iter().zip(masses).filter(|(s, _)| (**s > 0.0) == positive);
        side.map(|(_, v)| v).sum::<f64>()
    };
    let (above, below) = (of(true), of(false));
    let all = above + below;
    signs.iter().map(|s| if *s > 0.0 { 2.0 * below / all } else { -2.0 * above / all }).collect()
}

/// The bias at which the means of the two classes are equally far on both sides.
pub fn midpoint(values: &[f64], signs: &[f64], masses: &[f64]) -> f64 {
    let mean = |positive: bool| {
        let of = (0..signs.len()).filter(|i| (signs[*i] > 0.0) == positive);
        let (sum, mass) =
            of.fold((0.0, 0.0), |(sum, mass), i| (sum + masses[i] * values[i], mass + masses[i]));
        sum / f64::max(mass, f64::MIN_POSITIVE)
    };
    -0.5 * (mean(true) + mean(false))
}
