//! What the solvers of single machines give back, and points that fit into a box.

use crate::Status;

/// A machine f(x) = Σ coef_i k(x_i, x) + bias with what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// c, one for each instance.
    pub coef: Vec<f64>,
    /// b, the exact minimiser of the primal at `coef` (the middle where several are).
    pub bias: f64,
    /// K c, in f64.
    pub values: Vec<f64>,
    /// The primal objective at (coef, bias), with what rounding may hide of it where that counts.
    pub primal: f64,
    /// The dual objective at `coef`.
    pub dual: f64,
    /// (primal − dual) / max(|primal|, tiny).
    pub gap: f64,
    /// Steps of the solver.
    pub steps: u64,
    /// How it ended.
    pub status: Status,
}

impl Solved {
    /// cᵀKc.
    pub fn norm(&self) -> f64 {
        self.coef.iter().zip(&self.values).map(|(c, v)| c * v).sum()
    }
}

/// (primal − dual) / max(|primal|, tiny); 0 where it is negative by rounding alone.
pub(crate) fn relative_gap(primal: f64, dual: f64) -> f64 {
    let gap = (primal - dual) / primal.abs().max(f64::MIN_POSITIVE);
    if gap.abs() < 1e-14 { gap.max(0.0) } else { gap }
}

/// The point of the box nearest to `coef`, with its larger side scaled down so that the sum is 0.
/// The box holds 0.
pub fn of_sum_zero(coef: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> =
        coef.iter().zip(lower).zip(upper).map(|((c, l), u)| c.clamp(*l, *u)).collect();
    let positive: f64 = x.iter().filter(|v| **v > 0.0).sum();
    let negative: f64 = -x.iter().filter(|v| **v < 0.0).sum::<f64>();
    let (up, down) = if positive > negative {
        (negative / positive, 1.0)
    } else {
        (1.0, if negative > 0.0 { positive / negative } else { 1.0 })
    };
    x.iter_mut().for_each(|v| *v *= if *v > 0.0 { up } else { down });
    x
}

/// The point of the box 0 ≤ x ≤ `upper` nearest to `coef`, scaled down or filled up so that its sum
/// is `sum`: rooms are filled in the given order, those of variables above 0 first. Where all rooms
/// together are smaller, x is `upper`.
pub(super) fn of_sum(coef: Vec<f64>, upper: &[f64], sum: f64, order: &[usize]) -> Vec<f64> {
    let mut x: Vec<f64> = coef.iter().zip(upper).map(|(c, u)| c.clamp(0.0, *u)).collect();
    let total: f64 = x.iter().sum();
    if total > sum {
        x.iter_mut().for_each(|v| *v *= sum / total);
        return x;
    }
    let mut missing = sum - total;
    let used: Vec<bool> = x.iter().map(|v| *v > 0.0).collect();
    for first in [true, false] {
        for &i in order.iter().filter(|&&i| used[i] == first) {
            let more = (upper[i] - x[i]).min(missing);
            x[i] = if more < missing { upper[i] } else { x[i] + more };
            missing -= more;
            if missing <= 0.0 {
                return x;
            }
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_sum() {
        let order = [2, 1, 0];
        assert_eq!(of_sum(vec![0.0; 3], &[0.5; 3], 0.75, &order), [0.0, 0.25, 0.5]);
        assert_eq!(of_sum(vec![0.25, 0.0, 0.0], &[0.5; 3], 0.75, &order), [0.5, 0.0, 0.25]);
        assert_eq!(of_sum(vec![2.0, 2.0, -1.0], &[1.0; 3], 1.0, &order), [0.5, 0.5, 0.0]);
        assert_eq!(of_sum(vec![0.0; 3], &[0.25; 3], 1.0, &order), [0.25; 3]);
        let x = of_sum_zero(&[3.0, -1.0, -5.0], &[-2.0; 3], &[2.0; 3]);
        assert_eq!(x, [2.0, -2.0 / 3.0, -4.0 / 3.0]);
    }
}
