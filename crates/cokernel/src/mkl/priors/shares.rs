//! What is known without a machine, which of two results is nearer, and what kernels have a share in.

use super::part::{Fitted, Part};
use super::penalty::Penalty;
use crate::data::Matrix;
use crate::mkl::Parts;
use crate::mkl::view_classifiers::Views;
use crate::solve::solved::Solved;
use crate::{Counts, Status};

/// The most likely σ (0, or 1/λ where it is averaged over) and μ, where the classifiers of the views have no loss there: the
/// objective is 0 then, which no relative gap leads to.
pub(super) fn views_alone(part: &Part<'_>) -> Option<Fitted> {
    if part.values.is_empty() {
        return None;
    }
    let sigma = match part.penalty {
        Penalty::Averaged(_) => part.penalty.first(),
        _ => 0.0,
    };
    let mu = vec![1.0 / part.gamma; part.values.len()];
    let rest = part.linear(&mu);
    let has_loss = |i: usize| part.upper[i] * rest[i] > 0.0 || part.lower[i] * rest[i] > 0.0;
    if (0..part.n()).any(has_loss) {
        return None;
    }
    let (coef, values) = (vec![0.0; part.n()], vec![0.0; part.n()]);
    let (primal, dual, gap, steps) = (0.0, 0.0, 0.0, 0);
    let at_bound = part.at_bound(&coef);
    let status = Status::Converged;
    let machine = Solved { coef, bias: 0.0, values, primal, dual, gap, steps, status };
    Some(Fitted {
        sigma: vec![sigma; part.bank.len()],
        mu,
        machine,
        status,
        objective: vec![0.0],
        lower: vec![0.0],
        counts: Counts::default(),
        at_bound,
    })
}

/// Its gap.
pub(super) fn relative(f: &Fitted) -> f64 {
    match (f.objective.last(), f.lower.last()) {
        (Some(upper), Some(lower)) => (upper - lower) / upper.max(f64::MIN_POSITIVE),
        _ => f64::INFINITY,
    }
}

/// The one with the smaller gap, with the counts of both.
pub(super) fn nearer(a: Fitted, b: Fitted) -> Fitted {
    let mut counts = a.counts;
    counts.add(&b.counts);
    Fitted { counts, ..if relative(&b) < relative(&a) { b } else { a } }
}

/// What the kernels are of the decision functions: σ over its sum, and where a kernel can count by its classifier alone half
/// of that and half of μ over its sum. All alike where nothing counts.
pub(super) fn shares(fitted: &[Fitted], kernels: usize) -> Vec<f64> {
    let part = |of: fn(&Fitted) -> &[f64]| -> Option<Vec<f64>> {
        let mut sums = vec![0.0; kernels];
        fitted.iter().for_each(|f| sums.iter_mut().zip(of(f)).for_each(|(s, v)| *s += v));
        let total: f64 = sums.iter().sum();
        (total > 0.0).then(|| sums.iter().map(|s| s / total).collect())
    };
    let (sigma, mu) = (part(|f| &f.sigma), part(|f| &f.mu));
    match (sigma, mu) {
        (Some(sigma), Some(mu)) if sigma.contains(&0.0) => {
            sigma.iter().zip(mu).map(|(s, m)| 0.5 * (s + m)).collect()
        }
        (Some(sigma), _) => sigma,
        (None, Some(mu)) => mu,
        (None, None) => vec![1.0 / kernels as f64; kernels],
    }
}

/// What each kernel adds to the biases, and its share in each decision function.
pub(super) fn parts(active: &[usize], fitted: &[Fitted], views: Option<&Views>) -> Parts {
    let of = |value: &dyn Fn(usize, usize) -> f64| {
        Matrix::from_fn(fitted.len(), active.len(), |t, k| value(t, active[k]))
    };
    let own: Vec<Vec<f64>> =
        fitted.iter().map(|f| shares(std::slice::from_ref(f), f.sigma.len())).collect();
    let bias = |t: usize, m: usize| {
        let (found, total) = (&fitted[t], fitted[t].machine.coef.iter().sum::<f64>());
        let view = views.and_then(|v| v.solutions.get(m)?.heads().nth(t));
        found.sigma[m] * total + view.map_or(0.0, |head| found.mu[m] * head.bias)
    };
    Parts { shares: of(&|t, m| own[t][m]), biases: of(&bias) }
}
