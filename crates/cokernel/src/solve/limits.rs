//! A step of Newton's method that keeps to limits.
//!
//! ```text
//! min  gᵀd + ½ dᵀHd      d ≥ least
//! ```
//!
//! with H positive definite, by a primal-dual active set (Hintermüller, Ito and Kunisch, SIAM Journal on Optimization 13,
//! 2003): a guess of which limits hold gives d and the multipliers, and these the next guess. Two to five guesses as a rule,
//! k³/3 each for k variables.

use super::hinge::Factor;

/// Guesses that are tried.
const SETS: usize = 30;

/// The least of gᵀd + ½dᵀHd with d ≥ `least`, all at most 0, by a primal-dual active set; where its sets go round in a
/// circle, the last of them with the limits kept.
pub fn above(gradient: &[f64], hessian: &[f64], least: &[f64]) -> Option<Vec<f64>> {
    let size = gradient.len();
    let slope = |step: &[f64], k: usize| -> f64 {
        let row = &hessian[k * size..(k + 1) * size];
        gradient[k] + row.iter().zip(step).map(|(h, d)| h * d).sum::<f64>()
    };
    let mut step = vec![0.0; size];
    let mut held: Vec<bool> = (0..size).map(|k| least[k] == 0.0 && gradient[k] > 0.0).collect();
    for _ in 0..SETS {
        (0..size).for_each(|k| step[k] = if held[k] { least[k] } else { 0.0 });
        let free: Vec<usize> = (0..size).filter(|k| !held[*k]).collect();
        let places = free.iter().flat_map(|k| free.iter().map(move |l| k * size + l));
        let block: Vec<f64> = places.map(|place| hessian[place]).collect();
        let mut found: Vec<f64> = free.iter().map(|k| -slope(&step, *k)).collect();
        if !free.is_empty() {
            Factor::new(free.len(), block)?.solve(&mut found);
        }
        free.iter().zip(found).for_each(|(k, d)| step[*k] = d);
        let next: Vec<bool> = (0..size)
            .map(|k| if held[k] { slope(&step, k) > 0.0 } else { step[k] < least[k] })
            .collect();
        if next == held {
            break;
        }
        held = next;
    }
    step.iter_mut().zip(least).for_each(|(d, l)| *d = d.max(*l));
    Some(step)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn steps_are_optimal() {
        let mut rng = crate::Run::with_seed(5).rng("limit tests");
        for m in [1, 2, 5, 20, 60] {
            let f: Vec<f64> = (0..m * m).map(|_| rng.random::<f64>() - 0.5).collect();
            let entry = |k: usize, l: usize| -> f64 {
                let plain: f64 = (0..m).map(|r| f[r * m + k] * f[r * m + l]).sum();
                plain + if k == l { 0.1 } else { 0.0 }
            };
            let hessian: Vec<f64> = (0..m * m).map(|k| entry(k / m, k % m)).collect();
            let gradient: Vec<f64> = (0..m).map(|_| rng.random::<f64>() - 0.5).collect();
            let least: Vec<f64> =
                (0..m).map(|k| if k % 3 == 0 { 0.0 } else { -rng.random::<f64>() }).collect();
            let step = above(&gradient, &hessian, &least).unwrap();
            for k in 0..m {
                let row = &hessian[k * m..(k + 1) * m];
                let slope = gradient[k] + row.iter().zip(&step).map(|(h, d)| h * d).sum::<f64>();
                let room = step[k] - least[k];
                assert!(room >= 0.0 && slope > -1e-8 && (room * slope).abs() < 1e-8, "{m} {k}");
            }
        }
    }
}
