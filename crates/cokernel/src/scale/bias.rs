//! The bias that is best for the decision values at hand, where the loss has a kink.
//!
//! Newton's method ends within a tolerance of the objective. Where costs are small most coefficients are at their bound and the
//! objective is nearly flat in b, although the loss is piecewise linear in it and has its least value at a kink:
//!
//! δ = argmin Σ_i L_i(f_i + δ)
//!
//! The slope grows by C_i |y_i| at 1/y_i − f_i (hinge), by C_i at t_i − ε − f_i and t_i + ε − f_i (ε-insensitive); δ is where it
//! goes through 0, in the middle where it is 0 between two kinks, as in LIBSVM.
//!
//! Cost: a sort of n numbers, no pass over features.

use super::loss::Loss;
use super::newton::Point;
use super::passes::Problem;

/// Slopes below this part of the sum of all jumps are 0 up to rounding.
const FLAT: f64 = 1e-12;

/// Moves the biases of a point to where the losses are least and tells their sums of it: the primal objective is then no larger. The
/// coefficients, and with them the dual objective, stay those of the biases before. By how much each has moved.
pub(crate) fn settle(problem: &Problem<'_>, point: &mut Point) -> Vec<f64> {
    let heads = problem.heads();
    let mut moved = vec![0.0; heads];
    if !problem.loss.has_kink() {
        return moved;
    }
    for u in 0..heads {
        let f = || point.at.f.iter().skip(u).step_by(heads).copied();
        let instances: Vec<(f64, f64, f64)> = problem
            .rows
            .iter()
            .zip(f())
            .map(|(i, f)| (f, problem.labels.of(*i, u), problem.factor * problem.costs[*i]))
            .collect();
        let delta = shift(problem.loss, &instances);
        let sum = |delta: f64| -> f64 {
            let loss = |(f, label, cost): &(f64, f64, f64)| {
                problem.loss.at(f + delta, *label, *cost, point.h).exact
            };
            instances.iter().map(loss).sum()
        };
        let (before, after) = (sum(0.0), sum(delta));
        if after < before {
            point.bias[u] += delta;
            moved[u] = delta;
            // The rest of the sum has the bits of a pass.
            let exact = &mut point.at.sums[u].exact;
            *exact = (*exact + (after - before)).max(0.0);
        }
    }
    moved
}

/// δ for values, labels and costs; 0 where no value is best.
fn shift(loss: Loss, instances: &[(f64, f64, f64)]) -> f64 {
    let mut kinks: Vec<(f64, f64)> = Vec::with_capacity(instances.len());
    let mut slope = 0.0;
    for (f, label, cost) in instances {
        match loss {
            Loss::Insensitive { epsilon } => {
                slope -= cost;
                kinks.extend([(label - epsilon - f, *cost), (label + epsilon - f, *cost)]);
            }
            _ if *label != 0.0 => {
                slope -= (cost * label).max(0.0);
                kinks.push((1.0 / label - f, cost * label.abs()));
            }
            _ => {}
        }
    }
    kinks.retain(|(at, jump)| *jump > 0.0 && at.is_finite());
    kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let flat = FLAT * kinks.iter().map(|k| k.1).sum::<f64>();
    for (k, (at, jump)) in kinks.iter().enumerate() {
        slope += jump;
        if slope > flat {
            return *at;
        }
        if slope >= -flat {
            return kinks.get(k + 1).map_or(*at, |next| 0.5 * (at + next.0));
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a search over all kinks and what is between them.
    #[test]
    fn no_other_value_is_better() {
        let number = |i: usize, a: f64| (i as f64 * a).sin();
        for (loss, classes) in [
            (Loss::Hinge, true),
            (Loss::Insensitive { epsilon: 0.1 }, false),
            (Loss::Insensitive { epsilon: 0.0 }, false),
        ] {
            for (n, positive, equal) in
                [(2, 1, true), (30, 15, true), (31, 7, true), (40, 11, false)]
            {
                let instance = |i: usize| {
                    let label = match classes {
                        true if i < positive => 1.0,
                        true => -1.0,
                        false => 3.0 * number(i, 1.3),
                    };
                    let cost = if equal { 0.1 } else { 0.2 + number(i, 2.1).abs() };
                    (0.3 * number(i, 0.7), label, cost)
                };
                let instances: Vec<_> = (0..n).map(instance).collect();
                let sum = |delta: f64| -> f64 {
                    instances.iter().map(|(f, y, c)| loss.at(f + delta, *y, *c, 1.0).exact).sum()
                };
                let best =
                    (-60_000..60_000).map(|k| sum(k as f64 * 1e-4)).fold(f64::INFINITY, f64::min);
                let found = sum(shift(loss, &instances));
                assert!(found <= best + 1e-12 * best.abs(), "{loss:?} {n}: {found} {best}");
            }
        }
        // All at their bound: half way.
        let half = shift(Loss::Hinge, &[(0.1, 1.0, 2.0), (-0.3, -1.0, 2.0)]);
        assert!((half - 0.5 * (0.9 + -0.7)).abs() < 1e-15, "{half}");
        assert_eq!(shift(Loss::Hinge, &[]), 0.0);
    }
}
