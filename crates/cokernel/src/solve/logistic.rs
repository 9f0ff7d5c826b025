//! Kernel logistic regression by Newton's method.
//!
//! ```text
//! primal  min ½‖w‖² + Σ_i C_i ln(1 + exp(−y_i f_i))     f_i = ⟨w, Φ(x_i)⟩ + b
//! dual    max −Σ_i C_i [s_i ln s_i + (1 − s_i) ln(1 − s_i)] − ½ cᵀKc     c_i = C_i y_i s_i, 0 ≤ s ≤ 1, Σ c = 0
//! ```
//!
//! (no sum without a bias). With the slopes g_i = C_i y_i/(1 + exp(y_i f_i)) and W_i = |g_i|(1 − |g_i|/C_i) a step is
//!
//! ```text
//! c ← g + R(f − Kg − b1),     R = (K + W⁻¹)⁻¹ = W^½ (I + W^½KW^½)⁻¹ W^½
//! ```
//!
//! (Rasmussen and Williams 2006, algorithm 3.1, in a form without W⁻¹), halved until the primal falls; the best b of
//! given w is a search of its own. Of instances that are not far on the other side, s_i ≤ 0.99, the sum is taken as R W⁻¹g instead, with
//! W_i⁻¹ g_i = y_i/(1 − s_i): at a large C their g is far larger than the c it leads to.
//!
//! At the optimum c = g, and two points near it satisfy the conditions of the dual: g of any w with its best b, and c of a step
//! put back into its box. What the better one is worth is the lower bound, and that point is the answer. Far from the optimum
//! that is mostly g. Where C times the kernel is large, g turns what rounding leaves of the primal into a multiple, and
//! it is c.
//!
//! Cost of a step: n³/3 and some n²; seldom more than 10 steps.

use super::rounding::shaken;
use super::solved::{Solved, of_sum_zero, relative_gap};
use crate::{Status, Watch};
use cokernel_dense::{Cholesky, simd};

/// Halvings of a step.
const TRIALS: usize = 40;

/// The problem.
#[derive(Debug, Clone, Copy)]
pub struct Logistic<'a> {
    /// K, n × n.
    pub kernel: &'a [f64],
    /// 1 or −1.
    pub y: &'a [f64],
    /// C, all above 0.
    pub costs: &'a [f64],
    /// Whether there is a b.
    pub bias: bool,
    /// Relative gap to stop at.
    pub tol: f64,
    /// Most steps.
    pub max_steps: u64,
}

/// ln(1 + exp(x)).
fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}

/// s ln s, 0 at 0.
fn entropy(s: f64) -> f64 {
    if s > 0.0 { s * s.ln() } else { 0.0 }
}

/// A point: c, K c and b.
#[derive(Debug, Clone)]
struct Point {
    coef: Vec<f64>,
    values: Vec<f64>,
    bias: f64,
}

impl Logistic<'_> {
    fn n(&self) -> usize {
        self.y.len()
    }

    fn times(&self, coef: &[f64]) -> Vec<f64> {
        self.kernel.chunks(self.n()).map(|row| simd::dot(row, coef)).collect()
    }

    fn loss(&self, values: &[f64], bias: f64) -> f64 {
        (0..self.n()).map(|i| self.costs[i] * softplus(-self.y[i] * (values[i] + bias))).sum()
    }

    fn primal(&self, at: &Point) -> f64 {
        0.5 * simd::dot(&at.coef, &at.values) + self.loss(&at.values, at.bias)
    }

    /// s at these values.
    fn shares(&self, values: &[f64], bias: f64) -> Vec<f64> {
        let one = |i: usize| 1.0 / (1.0 + (self.y[i] * (values[i] + bias)).exp());
        (0..self.n()).map(one).collect()
    }

    /// The b with Σ c = 0, between where all are of one class and where all are of the other.
    fn best_bias(&self, values: &[f64], start: f64) -> f64 {
        if !self.bias {
            return 0.0;
        }
        let side = |sign: f64| (0..self.n()).filter(move |i| self.y[*i] == sign);
        // Only their ratio counts, and the sum itself may be too large.
        let most = self.costs.iter().fold(0.0_f64, |a, c| a.max(*c));
        let cost = |sign: f64| side(sign).map(|i| self.costs[i] / most).sum::<f64>();
        let (above, below) = (cost(1.0), cost(-1.0));
        if above == 0.0 || below == 0.0 {
            return 0.0;
        }
        let odds = (above / below).ln();
        let range = |f: fn(f64, f64) -> f64, first: f64| values.iter().fold(first, |a, v| f(a, *v));
        let (mut low, mut high) =
            (odds - range(f64::max, f64::NEG_INFINITY), odds - range(f64::min, f64::INFINITY));
        if low.is_nan() || high.is_nan() || low > high {
            // Values that are no numbers.
            return 0.0;
        }
        let mut b = start.clamp(low, high);
        for _ in 0..200 {
            let (mut slope, mut bend) = (0.0, 0.0);
            for (i, s) in self.shares(values, b).into_iter().enumerate() {
                slope += self.costs[i] * self.y[i] * s;
                bend += self.costs[i] * s * (1.0 - s);
            }
            if slope > 0.0 {
                low = b
            } else {
                high = b
            }
            let newton = b + slope / bend;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - b).abs() <= f64::EPSILON * (1.0 + b.abs()) {
                break;
            }
            b = next;
        }
        b
    }

    /// c of these values, in the box and with its sum.
    fn slopes(&self, values: &[f64], bias: f64) -> Vec<f64> {
        let shares = self.shares(values, bias);
        let coef: Vec<f64> = (0..self.n()).map(|i| self.costs[i] * self.y[i] * shares[i]).collect();
        self.within(coef)
    }

    /// The nearest coefficients that satisfy the conditions of the dual.
    fn within(&self, coef: Vec<f64>) -> Vec<f64> {
        let end = |i: usize, sign: f64| if self.y[i] == sign { sign * self.costs[i] } else { 0.0 };
        let ends = |sign: f64| (0..self.n()).map(|i| end(i, sign)).collect::<Vec<f64>>();
        let (lower, upper) = (ends(-1.0), ends(1.0));
        if self.bias {
            return of_sum_zero(&coef, &lower, &upper);
        }
        coef.iter().zip(lower.iter().zip(&upper)).map(|(c, (l, u))| c.clamp(*l, *u)).collect()
    }

    /// The machine with these coefficients, which satisfy the conditions of the dual.
    fn machine(&self, coef: Vec<f64>, bias: f64, steps: u64) -> Solved {
        let values = self.times(&coef);
        let bias = self.best_bias(&values, bias);
        let dual = self.linear(&coef) - 0.5 * simd::dot(&coef, &values);
        let at = Point { coef, values, bias };
        let primal = self.primal(&at);
        let gap = relative_gap(primal, dual);
        let Point { coef, values, bias } = at;
        let status = Status::Stalled;
        let found = Solved { coef, bias, values, primal, dual, gap, steps, status };
        // A dual objective above the primal one is rounding, and no smaller gap.
        shaken(found, 0.0, self.tol)
    }

    /// The part of the dual without the kernel.
    fn linear(&self, coef: &[f64]) -> f64 {
        let one = |i: usize| {
            let s = (coef[i].abs() / self.costs[i]).min(1.0);
            // (1 − s) ln(1 − s) is −s where s is far below 1.
            let rest = if s < 1.0 { (1.0 - s) * (-s).ln_1p() } else { 0.0 };
            self.costs[i] * (entropy(s) + rest)
        };
        -(0..self.n()).map(one).sum::<f64>()
    }

    /// A full step; `None` where there is none in floating-point arithmetic, and after a stop.
    fn newton(&self, at: &Point, watch: &Watch) -> Option<Point> {
        let n = self.n();
        let shares = self.shares(&at.values, at.bias);
        // g of the instances that are far on the other side; of the rest y(1 − s)⁻¹ is W⁻¹g.
        let other = |i: usize| shares[i] > 0.99;
        let slope = |i: usize| if other(i) { self.costs[i] * self.y[i] * shares[i] } else { 0.0 };
        let slopes: Vec<f64> = (0..n).map(slope).collect();
        let roots: Vec<f64> =
            (0..n).map(|i| (self.costs[i] * shares[i] * (1.0 - shares[i])).sqrt()).collect();
        let factor = factor(self.kernel, &roots, watch)?;
        let mut rest = self.times(&slopes);
        for i in 0..n {
            let near = if other(i) { 0.0 } else { self.y[i] / (1.0 - shares[i]) };
            rest[i] = roots[i] * (at.values[i] + at.bias - rest[i] + near);
        }
        factor.solve(&mut rest, 1);
        let mut coef: Vec<f64> = (0..n).map(|i| slopes[i] + roots[i] * rest[i]).collect();
        let mut bias = 0.0;
        if self.bias {
            let mut ones = roots.clone();
            factor.solve(&mut ones, 1);
            ones.iter_mut().zip(&roots).for_each(|(o, r)| *o *= r);
            bias = coef.iter().sum::<f64>() / ones.iter().sum::<f64>();
            coef.iter_mut().zip(&ones).for_each(|(c, o)| *c -= bias * o);
        }
        let values = self.times(&coef);
        let finite = bias.is_finite() && coef.iter().chain(&values).all(|v| v.is_finite());
        finite.then_some(Point { coef, values, bias })
    }

    /// The start as it is, where it is a point of the dual that proves enough.
    fn good_enough(&self, at: &Point, primal: f64) -> Option<Solved> {
        let sizes: f64 = at.coef.iter().map(|c| c.abs()).sum();
        let sum: f64 = at.coef.iter().sum();
        let feasible =
            (0..self.n()).all(|i| (0.0..=self.costs[i]).contains(&(self.y[i] * at.coef[i])));
        if !feasible || sizes == 0.0 || (self.bias && sum.abs() > 1e-14 * sizes) {
            return None;
        }
        let dual = self.linear(&at.coef) - 0.5 * simd::dot(&at.coef, &at.values);
        let gap = relative_gap(primal, dual);
        let Point { coef, values, bias } = at.clone();
        let status = Status::Converged;
        (gap <= self.tol).then_some(Solved {
            coef,
            bias,
            values,
            primal,
            dual,
            gap,
            steps: 0,
            status,
        })
    }

    /// Solves the problem from a start, if there is one.
    pub fn solve(&self, start: Option<&[f64]>, watch: &Watch) -> Solved {
        let n = self.n();
        let coef = start.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let values = self.times(&coef);
        let bias = self.best_bias(&values, 0.0);
        let mut at = Point { coef, values, bias };
        let mut primal = self.primal(&at);
        if let Some(found) = self.good_enough(&at, primal) {
            return found;
        }
        let mut best: Option<Solved> = None;
        let mut steps = 0;
        loop {
            let slopes = self.machine(self.slopes(&at.values, at.bias), at.bias, steps);
            let mut found = vec![slopes];
            if found[0].gap > self.tol {
                found.push(self.machine(self.within(at.coef.clone()), at.bias, steps));
            }
            for found in found {
                if best.as_ref().is_none_or(|b| found.gap < b.gap) {
                    best = Some(found);
                }
            }
            let done = best.as_ref().is_some_and(|b| b.gap <= self.tol);
            let stop = match (done, watch.stop()) {
                (true, _) => Some(Status::Converged),
                (_, Some(status)) => Some(status),
                _ if steps >= self.max_steps => Some(Status::IterationLimit),
                _ => None,
            };
            let next = match stop {
                None => self.newton(&at, watch).and_then(|to| self.towards(&at, &to, primal)),
                Some(_) => None,
            };
            match (next, best) {
                (Some((found, value)), kept) => {
                    (at, primal, best) = (found, value, kept);
                    steps += 1;
                }
                (None, Some(found)) => {
                    let status = stop.or_else(|| watch.stop()).unwrap_or(Status::Stalled);
                    return Solved { steps, status, ..found };
                }
                (None, None) => unreachable!("the first point is kept"),
            }
        }
    }

    /// The first of shorter and shorter steps that lowers the primal.
    fn towards(&self, at: &Point, to: &Point, primal: f64) -> Option<(Point, f64)> {
        let mut length = 1.0;
        for _ in 0..TRIALS {
            let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| a + length * (b - a)).collect()
            };
            let (coef, values) = (mix(&at.coef, &to.coef), mix(&at.values, &to.values));
            let start = at.bias + length * (to.bias - at.bias);
            let bias = self.best_bias(&values, start);
            let trial = Point { coef, values, bias };
            let value = self.primal(&trial);
            if value < primal {
                return Some((trial, value));
            }
            length *= 0.5;
        }
        None
    }
}

/// I + W^½KW^½ factored, of the square roots of W; `None` after a stop.
pub fn factor(kernel: &[f64], roots: &[f64], watch: &Watch) -> Option<Cholesky> {
    let n = roots.len();
    let mut b = vec![0.0; n * n];
    for (i, (out, row)) in b.chunks_mut(n).zip(kernel.chunks(n)).enumerate() {
        out.iter_mut().zip(row).zip(roots).for_each(|((o, k), r)| *o = roots[i] * k * r);
        out[i] += 1.0;
    }
    Cholesky::while_going(n, b, &|| watch.stop().is_none())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use rand::RngExt;

    #[test]
    fn gaps_close_at_any_scale() {
        let mut rng = Run::with_seed(3).rng("logistic");
        let n = 30;
        let x: Vec<f64> = (0..n).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
        let y: Vec<f64> =
            x.iter().map(|v| if v + rng.random::<f64>() > 0.5 { 1.0 } else { -1.0 }).collect();
        let watch = Run::default().watch();
        for scale in [1e-12, 1e-3, 1.0, 1e3, 1e12] {
            let kernel: Vec<f64> =
                (0..n * n).map(|p| scale * (-(x[p / n] - x[p % n]).powi(2)).exp()).collect();
            for cost in [1e-6, 1.0, 100.0] {
                for bias in [true, false] {
                    let costs = vec![cost / scale.max(1.0); n];
                    let problem = Logistic {
                        kernel: &kernel,
                        y: &y,
                        costs: &costs,
                        bias,
                        tol: 1e-9,
                        max_steps: 200,
                    };
                    let found = problem.solve(None, &watch);
                    assert_eq!(found.status, Status::Converged, "{scale} {cost} {bias} {found:?}");
                    let sum: f64 = found.coef.iter().sum();
                    assert!(!bias || sum.abs() <= 1e-12 * costs[0] * n as f64);
                    let again = problem.solve(Some(&found.coef), &watch);
                    assert!(again.steps <= 2, "{} {}", found.steps, again.steps);
                }
            }
        }
    }

    /// Gaussian kernel values of classes that can be separated, and those of lines that cannot.
    fn two_kernels(n: usize) -> [(Vec<f64>, Vec<f64>); 2] {
        let mut rng = Run::with_seed(5).rng("logistic");
        let x: Vec<f64> = (0..2 * n).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
        let mut y: Vec<f64> =
            (0..n).map(|i| if x[i] + rng.random::<f64>() > 0.5 { 1.0 } else { -1.0 }).collect();
        y[..2].copy_from_slice(&[1.0, -1.0]);
        let all = |k: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|p| k(p / n, p % n)).collect();
        let square = |i: usize, j: usize| (x[i] - x[j]).powi(2) + (x[n + i] - x[n + j]).powi(2);
        let gaussian = all(&|i, j| (-5.0 * square(i, j)).exp());
        let linear = all(&|i, j| x[i] * x[j] + x[n + i] * x[n + j]);
        [(gaussian, y.clone()), (linear, y)]
    }

    #[test]
    fn gaps_close_at_large_costs() {
        let n = 20;
        let watch = Run::default().watch();
        for (which, (kernel, y)) in two_kernels(n).into_iter().enumerate() {
            for cost in [1e4, 1e7, 1e10] {
                for bias in [true, false] {
                    let costs = vec![cost; n];
                    let (kernel, y, costs) = (&kernel[..], &y[..], &costs[..]);
                    let problem = Logistic { kernel, y, costs, bias, tol: 1e-5, max_steps: 1000 };
                    let found = problem.solve(None, &watch);
                    assert_eq!(found.status, Status::Converged, "{which} {cost} {bias} {found:?}");
                }
            }
        }
    }

    #[test]
    fn costs_whose_sum_overflows_end() {
        let (kernel, y) = &two_kernels(6)[0];
        let costs = &[1.7e308; 6];
        let problem = Logistic { kernel, y, costs, bias: true, tol: 1e-6, max_steps: 100 };
        let found = problem.solve(None, &Run::default().watch());
        assert!(!found.primal.is_finite() || found.gap >= 0.0);
    }
}
