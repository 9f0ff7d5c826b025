//! 0 ≤ η ≤ 1, Σ η = k, without penalty: what is left of choosing k kernels when weights need not be whole.
//!
//! (ι_S)*(z) is the sum of the k largest z. Second order: the least of the model over the set. Bound from above:
//! ½ Σ ‖w_m‖²/η_m is least at η_m = min(1, t‖w_m‖) with the t at which they sum to k. First order: that, or towards the k
//! kernels with the largest forms.

use super::{cost, norms, towards_corner};
use crate::mkl::outer::{Proposal, Set};
use crate::solve::simplex::minimize_on_capped;

/// k of the kernels, or parts of more.
#[derive(Debug)]
pub(in crate::mkl) struct Capped {
    /// k, at most the number of kernels.
    pub count: usize,
}

/// The places of the `count` largest, the first of equal ones.
pub(in crate::mkl) fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    places.truncate(count);
    places
}

impl Set for Capped {
    fn first(&self, kernels: usize) -> Vec<f64> {
        vec![self.count as f64 / kernels as f64; kernels]
    }

    /// min(1, t η) with sum k: at points of the set η itself.
    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let order = largest(weights, weights.len());
        let mut rest: f64 = weights.iter().sum();
        // The first `full` reach 1.
        let mut full = 0;
        for m in &order {
            let left = (self.count - full) as f64;
            if full == self.count || weights[*m] * left < rest {
                break;
            }
            rest -= weights[*m];
            full += 1;
        }
        let times = match self.count - full {
            0 => 0.0,
            left => left as f64 / order[full..].iter().map(|m| weights[*m]).sum::<f64>(),
        };
        let mut found: Vec<f64> = weights.iter().map(|w| (w * times).min(1.0)).collect();
        order[..full].iter().for_each(|m| found[*m] = 1.0);
        found
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        largest(half_forms, self.count).iter().map(|m| half_forms[*m].max(0.0)).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (weights, decrease) = minimize_on_capped(weights, gradient, hessian);
        Proposal { weights, decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let norms = norms(weights, gradient);
        let roots: Vec<f64> = norms.iter().map(|v| v.sqrt()).collect();
        if roots.iter().filter(|v| **v > 0.0).count() < self.count {
            return Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        }
        let found = self.onto(&roots);
        Proposal {
            decrease: cost(&norms, weights) - cost(&norms, &found),
            weights: found,
            far: false,
        }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let half: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut corner = vec![0.0; weights.len()];
        largest(&half, self.count).iter().for_each(|m| corner[*m] = 1.0);
        towards_corner(self.majorised(weights, gradient), corner, weights, gradient)
    }

    fn drops(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_set() {
        let set = Capped { count: 2 };
        assert_eq!(set.onto(&[1.0, 1.0, 1.0, 1.0]), [0.5; 4]);
        assert_eq!(set.onto(&[8.0, 1.0, 1.0, 0.0]), [1.0, 0.5, 0.5, 0.0]);
        assert_eq!(set.onto(&[8.0, 7.0, 1.0, 0.0]), [1.0, 0.875, 0.125, 0.0]);
        assert_eq!(set.onto(&[1.0, 0.75, 0.25, 0.0]), [1.0, 0.75, 0.25, 0.0]);
        assert_eq!(set.conjugate(&[0.5, 3.0, -1.0, 2.0]), 5.0);
    }
}
