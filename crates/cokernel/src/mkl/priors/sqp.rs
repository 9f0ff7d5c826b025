//! The published solver: sequential quadratic programming in α (GMKD, Algorithm 1, (16), (18), (19)).
//!
//! ```text
//! ∇g = Σ_m [ Q_mα/ζ_m + u_m/ϑ_m ] − 1,      ∇²g = Σ_m [ Q_m/ζ_m + Q_mααᵀQ_m/ζ_m² + u_mu_mᵀ/ϑ_m² ]
//! ζ_m = λ − ½αᵀQ_mα,   ϑ_m = γ − v_m
//! ```
//!
//! From α = 0; each quadratic program over the box is solved by SMO on the n × n Hessian, and its step is halved until g
//! falls enough (Armijo, 10⁻⁴) with all ζ and ϑ above 0. In the signed variables x = α∘y all signs leave the matrices. The
//! bounds are those of the family at (σ, μ) from (17); the paper stops at |∇gᵀδ| < 2·10⁻⁶ instead.
//!
//! **Cost** of an iteration: 4M n² and the quadratic program on a stored n × n matrix.

use super::newton::gain;
use super::part::{Fitted, Forms, Part, Point};
use crate::bank::Gram;
use crate::data::Matrix;
use crate::run::Pass;
use crate::solve::Rows;
use crate::solve::boxed::{Boxed, boxed};
use crate::solve::smo::Settings;
use crate::solve::solved::{Solved, relative_gap};
use crate::{Counts, Result, Run, Status, Watch};

const ARMIJO: f64 = 1e-4;
const TRIALS: usize = 40;

/// Where no step leads down the program is solved to this part of its tolerance, down to the last.
const FINER: f64 = 1e-2;
const FINEST: f64 = 1e-13;

pub(super) fn solve(part: &Part<'_>, run: &Run, watch: &Watch) -> Result<Fitted> {
    let _ = run;
    let n = part.n();
    let mut counts = Counts::default();
    let mut x = vec![0.0; n];
    let (mut objective, mut bounds) = (Vec::new(), Vec::new());
    let mut lower = 0.0_f64;
    let mut best: Option<(Point, f64)> = None;
    let mut gram = part.bank.new_gram()?;
    let status = loop {
        let Some(forms) = part.forms(&x, watch) else {
            break watch.stop().unwrap_or(Status::Stalled);
        };
        let (sigma, mu) = weights(part, &forms);
        part.bank.combine_into_in(&part.scaled(&sigma), &mut gram, &Pass::under(watch));
        counts.combines += 1;
        let machine = judged(part, &gram, &sigma, &mu, x.clone());
        let gradient: Vec<f64> =
            machine.values.iter().zip(part.linear(&mu)).map(|(v, t)| v - t).collect();
        let g = value(part, gain(part, &x), &forms);
        lower = lower.max(-g);
        let point = Point { sigma, mu, machine };
        let upper = part.upper(&point);
        if best.as_ref().is_none_or(|b| upper < b.1) {
            best = Some((point, upper));
        }
        let upper = best.as_ref().map_or(upper, |b| b.1);
        objective.push(upper);
        bounds.push(lower.min(upper));
        let gap = (upper - lower) / upper.max(f64::MIN_POSITIVE);
        if gap <= part.tol {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if objective.len() > part.max_iterations {
            break Status::IterationLimit;
        }
        let (curvature, constant) = hessian(part, &gram, &forms, &x, watch)?;
        // ½δᵀHδ + ∇gᵀδ at x + δ: linear term t = Hx − ∇g.
        let mut linear = vec![0.0; n];
        curvature.multiply(&x, &mut linear);
        let total: f64 = x.iter().sum();
        linear.iter_mut().zip(&gradient).for_each(|(h, g)| *h += constant * total - g);
        let problem = Boxed {
            rows: &curvature,
            constant,
            linear: &linear,
            lower: &part.lower,
            upper: &part.upper,
        };
        let mut tol = (0.01 * gap).max(0.01 * part.tol).min(1e-3);
        let mut start = x.clone();
        let moved = loop {
            let found = boxed(&problem, Some(&start), &Settings { tol, ..part.settings }, watch);
            counts.machine_solves += 1;
            counts.smo_steps += found.steps;
            let step: Vec<f64> = found.coef.iter().zip(&x).map(|(a, b)| a - b).collect();
            let moved = shorter(part, (&x, g), (&step, &gradient), watch);
            // Where the losses of the program are large beside what a step can gain, a rough solution leads nowhere.
            if moved.is_some() || tol <= FINEST || watch.stop().is_some() {
                break moved;
            }
            (tol, start) = (FINER * tol, found.coef);
        };
        match moved {
            Some(next) => x = next,
            None => break watch.stop().unwrap_or(Status::Stalled),
        }
    };
    let (point, _) = match best {
        Some(best) => best,
        None => {
            // Stopped before the first product: the prior alone.
            let sigma = vec![part.penalty.first(); part.bank.len()];
            let mu = vec![1.0 / part.gamma; part.values.len()];
            let machine = judged(part, &gram, &sigma, &mu, x);
            let upper = machine.primal;
            objective.push(upper);
            bounds.push(0.0);
            (Point { sigma, mu, machine }, upper)
        }
    };
    let at_bound = part.at_bound(&point.machine.coef);
    let Point { sigma, mu, mut machine } = point;
    if status == Status::Converged {
        machine.status = Status::Converged;
    }
    Ok(Fitted { sigma, mu, machine, status, objective, lower: bounds, counts, at_bound })
}

/// The longest of the halves of a step from x after which g is low enough, if it leads down.
fn shorter(
    part: &Part<'_>,
    (x, g): (&[f64], f64),
    (step, gradient): (&[f64], &[f64]),
    watch: &Watch,
) -> Option<Vec<f64>> {
    let slope: f64 = step.iter().zip(gradient).map(|(d, g)| d * g).sum();
    let mut length = 1.0;
    for _ in 0..if slope < 0.0 { TRIALS } else { 0 } {
        let trial: Vec<f64> = x.iter().zip(step).map(|(x, d)| x + length * d).collect();
        let forms = part.forms(&trial, watch)?;
        if value(part, gain(part, &trial), &forms) <= g + ARMIJO * length * slope {
            return Some(trial);
        }
        length *= 0.5;
    }
    None
}

/// (17).
fn weights(part: &Part<'_>, forms: &Forms) -> (Vec<f64>, Vec<f64>) {
    let sigma = forms.q.iter().map(|q| part.penalty.best(0.5 * q)).collect();
    (sigma, forms.v.iter().map(|v| 1.0 / (part.gamma - v)).collect())
}

/// g, infinite outside its domain.
fn value(part: &Part<'_>, gain: f64, forms: &Forms) -> f64 {
    let log = |v: &f64| if *v < part.gamma { (-v / part.gamma).ln_1p() } else { f64::NEG_INFINITY };
    part.penalty.conjugate(forms.q.iter().map(|q| 0.5 * q))
        - gain
        - forms.v.iter().map(log).sum::<f64>()
}

/// The machine with these coefficients, and its bounds.
pub(super) fn judged(
    part: &Part<'_>,
    gram: &Gram,
    sigma: &[f64],
    mu: &[f64],
    x: Vec<f64>,
) -> Solved {
    let bias = sigma.iter().sum::<f64>() * x.iter().sum::<f64>();
    let mut values = vec![0.0; x.len()];
    gram.multiply(&x, &mut values);
    values.iter_mut().for_each(|v| *v += bias);
    judged_by(part, sigma, mu, x, values)
}

/// The same where its values, Σ σ_m K_m x, are known.
pub(super) fn judged_by(
    part: &Part<'_>,
    sigma: &[f64],
    mu: &[f64],
    x: Vec<f64>,
    values: Vec<f64>,
) -> Solved {
    let bias = sigma.iter().sum::<f64>() * x.iter().sum::<f64>();
    let linear = part.linear(mu);
    let (mut norm, mut gain, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        norm += x[i] * values[i];
        gain += x[i] * linear[i];
        let rest = linear[i] - values[i];
        loss += (part.upper[i] * rest).max(part.lower[i] * rest);
    }
    norm = norm.max(0.0);
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    let gap = relative_gap(primal, dual);
    Solved { coef: x, bias, values, primal, dual, gap, steps: 0, status: Status::Stalled }
}

/// ∇²g in the signed variables, and the constant that is added to all of its entries.
fn hessian(
    part: &Part<'_>,
    gram: &Gram,
    forms: &Forms,
    x: &[f64],
    watch: &Watch,
) -> Result<(Gram, f64)> {
    let n = part.n();
    let (sigma, mu) = weights(part, forms);
    let total: f64 = x.iter().sum();
    let mut sides = Vec::with_capacity(n * (sigma.len() + mu.len()));
    part.bank.products_in(&[x], &Pass::under(watch), |m, _, product| {
        sides.extend(product.iter().map(|p| sigma[m] * (p / part.unit + total)));
    });
    for (mu, values) in mu.iter().zip(&part.values) {
        sides.extend(values.iter().map(|f| mu * f));
    }
    let count = sides.len() / n;
    let mut all = gram.values().to_vec();
    let by_row = Matrix::from_fn(n, count, |i, k| sides[k * n + i]);
    for i in 0..n {
        for j in 0..n {
            all[i * n + j] +=
                by_row.row(i).iter().zip(by_row.row(j)).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    Ok((Gram::new(Matrix::new(n, n, all)?)?, sigma.iter().sum()))
}
