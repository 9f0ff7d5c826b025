//! A quadratic program over a box alone: the dual of a machine whose bias is a feature like the others.
//!
//! ```text
//! dual    max  tᵀx − ½ xᵀ(K + s 11ᵀ)x      lower ≤ x ≤ upper,  lower ≤ 0 ≤ upper
//! primal  min  ½‖w‖² + b²/2s + Σ max(upper_i r_i, lower_i r_i)      r_i = t_i − ⟨w, Φ(x_i)⟩ − b
//! ```
//!
//! [`smo`] has one sum constraint. A variable x_0 = −Σx with K_00 = s and zeros beside it turns s(Σx)² into s x_0² and
//! the constraint into Σx + x_0 = 0, which holds for every x: the same problem, with all that SMO knows. Its threshold is
//! −b, with b = s Σx.

use super::Rows;
use super::rounding::{Rounding, shaken, told};
use super::smo::{self, Quadratic, Settings};
use super::solved::{Solved, relative_gap};
use crate::{Status, Watch};

/// The problem.
#[derive(Clone, Copy)]
pub struct Boxed<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// s ≥ 0.
    pub constant: f64,
    /// t, length n.
    pub linear: &'a [f64],
    /// Finite, at most 0.
    pub lower: &'a [f64],
    /// Finite, at least 0.
    pub upper: &'a [f64],
}

/// Solves it from `start` (brought into the box) or from 0. `values` of the answer are (K + s 11ᵀ)x, with the bias.
pub fn boxed(p: &Boxed<'_>, start: Option<&[f64]>, settings: &Settings, watch: &Watch) -> Solved {
    let n = p.linear.len();
    let rows = Bordered { rows: p.rows, corner: p.constant };
    let mut linear: Vec<f64> = p.linear.iter().map(|t| -t).collect();
    linear.push(0.0);
    let bounded = |own: &[f64], other: &[f64]| {
        let mut all = own.to_vec();
        all.push(-other.iter().sum::<f64>());
        all
    };
    let (lower, upper) = (bounded(p.lower, p.upper), bounded(p.upper, p.lower));
    let start = start.map(|start| {
        let near = |i: usize| start[i].clamp(p.lower[i], p.upper[i]);
        let mut x: Vec<f64> = (0..n).map(near).collect();
        x.push(-x.iter().sum::<f64>());
        x
    });
    let plain = Quadratic { rows: &rows, linear: &linear, lower: &lower, upper: &upper };
    let mut found = smo::solve(&plain, start, settings, watch);
    let bias = -p.constant * found.x[n];
    found.x.truncate(n);
    let values: Vec<f64> = (0..n).map(|i| found.gradient[i] + p.linear[i] + bias).collect();
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..n {
        norm += found.x[i] * values[i];
        gain += found.x[i] * p.linear[i];
        let rest = p.linear[i] - values[i];
        loss += (p.upper[i] * rest).max(p.lower[i] * rest);
    }
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    // The bias is that of x, not the best one.
    let status = match found.status {
        Status::Converged if gap > 2.0 * settings.tol => Status::Stalled,
        status => status,
    };
    let solved =
        Solved { coef: found.x, bias, values, primal, dual, gap, steps: found.steps, status };
    let more = hidden(p, &solved, told(settings.tol) * primal.abs(), watch);
    shaken(solved, more, 2.0 * settings.tol)
}

/// How much larger the losses may be than they are told, as entries of K and of s 11ᵀ are rounded.
fn hidden(p: &Boxed<'_>, solved: &Solved, enough: f64, watch: &Watch) -> f64 {
    let of_constant = p.constant * solved.coef.iter().map(|x| x * x).sum::<f64>().sqrt();
    let other: Vec<f64> = p.linear.iter().map(|t| t.abs() + of_constant).collect();
    let above: Vec<f64> = p.linear.iter().zip(&solved.values).map(|(t, v)| t - v).collect();
    let negative = |v: &[f64]| v.iter().map(|v| -v).collect::<Vec<f64>>();
    let rounding = Rounding { rows: p.rows, coef: &solved.coef, other: &other };
    let of = |costs: &[f64], excess: &[f64]| rounding.of_losses(costs, excess, enough, watch);
    of(p.upper, &above) + of(&negative(p.lower), &negative(&above))
}

/// K with a row and a column of zeros, and one number where they meet.
struct Bordered<'a> {
    rows: &'a dyn Rows,
    corner: f64,
}

impl Rows for Bordered<'_> {
    fn n(&self) -> usize {
        self.rows.n() + 1
    }

    fn terms(&self) -> usize {
        self.rows.terms()
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut all = self.rows.diagonal();
        all.push(self.corner);
        all
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let n = self.rows.n();
        let at = |j: usize| if i == n && j == n { self.corner as f32 } else { 0.0 };
        match columns {
            _ if i == n => match columns {
                None => out.iter_mut().enumerate().for_each(|(j, o)| *o = at(j)),
                Some(c) => out.iter_mut().zip(c).for_each(|(o, j)| *o = at(*j as usize)),
            },
            None => {
                self.rows.fill(i, None, &mut out[..n]);
                out[n] = 0.0;
            }
            Some(columns) => match columns.iter().position(|j| *j as usize == n) {
                None => self.rows.fill(i, Some(columns), out),
                Some(place) => {
                    let mut others = columns.to_vec();
                    others[place] = 0;
                    self.rows.fill(i, Some(&others), out);
                    out[place] = 0.0;
                }
            },
        }
    }

    fn row<'a>(&'a self, i: usize, room: &'a mut [f64]) -> &'a [f64] {
        let n = self.rows.n();
        if i == n {
            room.fill(0.0);
            room[n] = self.corner;
            return room;
        }
        match self.rows.stored_row(i) {
            Some(row) => room[..n].copy_from_slice(row),
            None => {
                let mut one = vec![0.0; n];
                one[i] = 1.0;
                self.rows.multiply(&one, &mut room[..n]);
            }
        }
        room[n] = 0.0;
        room
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        let n = self.rows.n();
        self.rows.multiply(&coef[..n], &mut out[..n]);
        out[n] = self.corner * coef[n];
    }

    fn multiply_until(&self, coef: &[f64], out: &mut [f64], watch: &Watch) -> bool {
        let n = self.rows.n();
        out[n] = self.corner * coef[n];
        self.rows.multiply_until(&coef[..n], &mut out[..n], watch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Gram;
    use crate::data::Matrix;
    use rand::RngExt;

    /// Optimality of each variable by itself, from plain sums.
    #[test]
    fn no_variable_can_be_improved() {
        for (seed, constant, cost) in
            [(1, 1.0, 10.0), (2, 20.0, 0.1), (3, 0.0, 1.0), (4, 1e-3, 100.0)]
        {
            let n = 40;
            let mut rng = Run::with_seed(seed).rng("boxed tests");
            let x: Vec<f64> = (0..n).map(|_| 3.0 * rng.random::<f64>()).collect();
            let kernel = Matrix::from_fn(n, n, |i, j| (-(x[i] - x[j]).powi(2)).exp());
            let side = |i: usize| if (x[i] + 0.2 * (i % 5) as f64) > 1.7 { 1.0 } else { -1.0 };
            let linear: Vec<f64> = (0..n).map(|i| side(i) - 0.3 * x[i]).collect();
            let lower: Vec<f64> = (0..n).map(|i| (cost * side(i)).min(0.0)).collect();
            let upper: Vec<f64> = (0..n).map(|i| (cost * side(i)).max(0.0)).collect();
            let rows = Gram::new(kernel.clone()).unwrap();
            let p = Boxed { rows: &rows, constant, linear: &linear, lower: &lower, upper: &upper };
            let settings =
                Settings { tol: 1e-9, shrinking: true, cache: 1 << 20, max_steps: 1 << 30 };
            let found = boxed(&p, None, &settings, &Run::default().watch());
            assert_eq!(found.status, Status::Converged);
            assert!(found.gap <= 2e-9 && found.gap >= 0.0, "{}", found.gap);
            let sum: f64 = found.coef.iter().sum();
            for i in 0..n {
                let value: f64 =
                    (0..n).map(|j| kernel.get(i, j) * found.coef[j]).sum::<f64>() + constant * sum;
                assert!((value - found.values[i]).abs() < 1e-9 * (1.0 + value.abs()));
                let (rest, c) = (linear[i] - value, found.coef[i]);
                assert!(c >= lower[i] && c <= upper[i]);
                assert!(rest < 1e-3 || c > upper[i] - 1e-3 * cost, "{seed} {i}: {rest} {c}");
                assert!(rest > -1e-3 || c < lower[i] + 1e-3 * cost, "{seed} {i}: {rest} {c}");
            }
            // From the answer there is nothing left to do.
            let again = boxed(&p, Some(&found.coef), &settings, &Run::default().watch());
            assert!(
                again.steps <= found.steps && (again.dual - found.dual).abs() <= 1e-8 * found.dual
            );
        }
    }
}
