//! The nearest points of two classes' convex hulls (KOMD, Aiolli et al. 2008; the first stage of
//! EasyMKL): one sum constraint for each class.
//!
//! ```text
//! min ½xᵀ(K + Λ)x      Σ_{y_i=1} x_i = 1,  Σ_{y_i=−1} x_i = −1,  y_i x_i ≥ 0
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | x = y∘γ, λ_i > 0 on the diagonal of Λ | `coef`, `ridges` |
//!
//! A hard margin has the same answer up to a factor: with z = s·x and one constraint Σ z = 0,
//! min ½zᵀ(K + Λ)z − Σ y_i z_i over s and x is least at s = 2/xᵀ(K + Λ)x. So [`smo`] solves it,
//! in boxes that hold every such z: xᵀ(K + Λ)x is at least 1/Σ_{y_i=1} λ_i⁻¹ + 1/Σ_{y_i=−1} λ_i⁻¹ for all
//! x, which bounds s. For every x the least value is above δ − ½xᵀ(K + Λ)x with δ the least f of the
//! positive class minus the largest of the negative, f = (K + Λ)x: the gap.

use super::Rows;
use super::smo::{self, Quadratic, Settings};
use super::softened::Softened;
use super::solved::{Solved, of_sum_zero, relative_gap};
use crate::{Status, Watch};

/// Solves it. `signs`: ±1, both present; 0 leaves an instance out. `ridges` positive. `start`:
/// coefficients of a nearby problem, of any scale. In the answer `primal` is ½xᵀ(K + Λ)x, `dual` its
/// lower bound, `bias` puts 0 in the middle between the hulls, and `values` are K x.
pub fn hulls(
    rows: &dyn Rows,
    signs: &[f64],
    ridges: &[f64],
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> Solved {
    let n = signs.len();
    let inverse = |sign: f64| -> f64 {
        signs.iter().zip(ridges).filter(|(y, _)| **y == sign).map(|(_, r)| 1.0 / r).sum()
    };
    let most = 2.0 / (1.0 / inverse(1.0) + 1.0 / inverse(-1.0));
    let room = most.clamp(0.0, f64::MAX / 1e20) * (1.0 + 1e-6);
    let lower: Vec<f64> = signs.iter().map(|y| if *y < 0.0 { -room } else { 0.0 }).collect();
    let upper: Vec<f64> = signs.iter().map(|y| if *y > 0.0 { room } else { 0.0 }).collect();
    let linear: Vec<f64> = signs.iter().map(|y| -y).collect();
    let softened = Softened { rows, extra: ridges };
    let problem = Quadratic { rows: &softened, linear: &linear, lower: &lower, upper: &upper };
    // The best multiple of the start is that of its own problem.
    let start = start.map(|coef| {
        let x = of_sum_zero(coef, &lower, &upper);
        let mut f = vec![0.0; n];
        softened.multiply(&x, &mut f);
        let gain: f64 = x.iter().map(|x| x.abs()).sum();
        let bend: f64 = x.iter().zip(&f).map(|(x, f)| x * f).sum();
        let s = if bend > 0.0 { gain / bend } else { 0.0 };
        let scaled: Vec<f64> = x.iter().map(|x| s * x).collect();
        of_sum_zero(&scaled, &lower, &upper)
    });
    // The gap of ½xᵀ(K + Λ)x relative to itself is at most twice that of the hard margin.
    let inner = Settings { tol: 0.25 * settings.tol, ..*settings };
    let found = smo::solve(&problem, start, &inner, watch);
    let half = 0.5 * found.x.iter().map(|x| x.abs()).sum::<f64>();
    let by = if half > 0.0 { 1.0 / half } else { 0.0 };
    let coef: Vec<f64> = found.x.iter().map(|x| by * x).collect();
    let (mut norm, mut values) = (0.0, vec![0.0; n]);
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..n {
        let f = by * (found.gradient[i] - linear[i]);
        values[i] = f - ridges[i] * coef[i];
        norm += coef[i] * f;
        if signs[i] > 0.0 {
            least = least.min(f);
        } else if signs[i] < 0.0 {
            largest = largest.max(f);
        }
    }
    let (primal, dual) = (0.5 * norm, least - largest - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    let status = match found.status {
        Status::Converged | Status::Stalled if gap <= settings.tol => Status::Converged,
        Status::Converged => Status::Stalled,
        status => status,
    };
    let bias = -0.5 * (least + largest);
    Solved { coef, bias, values, primal, dual, gap, steps: found.steps, status }
}
