//! Newton's method in (σ, μ) around a warm machine. The gap is that of the coefficients at hand, so that those of the result
//! prove it; where no step is left, that of the best of all.
//!
//! Where Ω keeps σ above 0, it starts from what is found on an eighth and a quarter of the instances with C times eight and four:
//! log σ goes further the way from the one to the other, as if it differed from that of all by 1/n times something. (On
//! the 20 kernels of [`logarithmic`] the first gap was 0.07 to 0.15, 0.21 to 0.25 from the quarter alone, which saves one
//! of four machines.) A step far from the optimum is tried in [logarithms](super::logarithmic) first there, and one of Newton's
//! method goes at most 0.95 of the way to a weight of 0; elsewhere weights end at 0 and stay there while the gradient says so.
//! A step is halved until the upper bound falls. Machines are solved to a tenth of the square of the gap (which is what a
//! Newton step leaves of it), no finer than a tenth of the tolerance; where no step leads down their rounding is in the way, and
//! they are solved 30 times as exactly.

use super::part::{Fitted, Forms, Part, Point};
use super::{Penalty, logarithmic};
use crate::mkl::fits;
use crate::mkl::outer::sample;
use crate::run::Pass;
use crate::solve::Rows;
use crate::solve::hinge::Factor;
use crate::solve::limits::above;
use crate::solve::smo::Settings;
use crate::{Counts, Result, Run, Status, Watch};

/// Part of the way to 0 that a step goes at most.
pub(super) const PART: f64 = 0.95;

/// Relative gap to which (σ, μ) are learned on a sample of the instances.
const COARSE: f64 = 1e-2;

/// Machines for it at most, steps of a machine there for each instance, and how much two samples differ that are followed. What takes
/// more is no start: boxes are larger there, and with a large C steps many.
const FEW: u64 = 20;
const STEPS: u64 = 100;
const APART: f64 = 3.0;

/// How much above its least value a σ starts that two samples have there.
const ABOVE: f64 = 1e-6;

/// Relative gap of the first machine.
const LOOSEST: f64 = 1e-3;

/// Halvings of a step.
const TRIALS: usize = 12;

/// Relative gap above which a step is tried in logarithms first, and how often it is halved.
const FAR: f64 = 1e-2;
const TRIALS_IN_LOGARITHMS: usize = 2;

/// A step of Newton's method, and one in [logarithms](logarithmic).
struct Step {
    plain: Vec<f64>,
    logarithms: Option<Vec<f64>>,
}

/// It ends early, as stalled, after `most` machines.
pub(super) fn solve(part: &Part<'_>, most: u64, run: &Run, watch: &Watch) -> Result<Fitted> {
    let start = match part.penalty {
        Penalty::Averaged(_) => sampled(part, run, watch),
        _ => None,
    };
    solve_from(part, start, most, run, watch)
}

/// Weights of kernels and of classifiers.
type Weights = (Vec<f64>, Vec<f64>);

/// (σ, μ) as two [samples](sample) of the instances have them for all of these; `None` where there are too few or it failed.
fn sampled(part: &Part<'_>, run: &Run, watch: &Watch) -> Option<Weights> {
    let taking = (0..part.n()).filter(|i| part.upper[*i] > part.lower[*i]).collect();
    let (order, size) = sample::order(part.bank, taking, run)?;
    let half = on_a_sample(part, &order, size / 2, None, (run, watch))?;
    let (sigma, mu) = on_a_sample(part, &order, size, Some(half.clone()), (run, watch))?;
    let (of_half, _) = half;
    // What one over the number of instances adds to log σ.
    let rest = 1.0 - size as f64 / order.len() as f64;
    let least = part.penalty.first();
    let further = |(s, h): (&f64, &f64)| {
        (s * (s / h).clamp(1.0 / APART, APART).powf(rest)).max(least * (1.0 + ABOVE))
    };
    Some((sigma.iter().zip(&of_half).map(further).collect(), mu))
}

/// (σ, μ) of the first `size` instances of this order, whose losses weigh as much as all, as many of each class as its share.
fn on_a_sample(
    part: &Part<'_>,
    order: &[usize],
    size: usize,
    start: Option<Weights>,
    (run, watch): (&Run, &Watch),
) -> Option<Weights> {
    let above = order.iter().filter(|i| part.y[**i] > 0.0).count();
    let share = (above * size).div_ceil(order.len());
    let of_sign = |sign: f64, count: usize| {
        order.iter().copied().filter(move |i| part.y[*i] == sign).take(count)
    };
    let mut rows: Vec<usize> = of_sign(1.0, share).chain(of_sign(-1.0, size - share)).collect();
    rows.sort_unstable();
    let pass = Pass::under(watch);
    let bank = part.bank.sample(&rows, &pass);
    if pass.is_given_up() {
        return None;
    }
    let factor = order.len() as f64 / rows.len() as f64;
    let of = |v: &[f64], factor: f64| -> Vec<f64> { rows.iter().map(|i| factor * v[*i]).collect() };
    let values: Vec<Vec<f64>> = part.values.iter().map(|v| of(v, 1.0)).collect();
    let tol = part.tol.max(COARSE);
    let max_steps = part.settings.max_steps.min(STEPS * rows.len() as u64);
    let few = Part {
        bank: &bank,
        unit: part.unit,
        y: of(&part.y, 1.0),
        lower: of(&part.lower, factor),
        upper: of(&part.upper, factor),
        values: values.iter().map(|v| &v[..]).collect(),
        gamma: part.gamma,
        penalty: part.penalty,
        tol,
        max_iterations: part.max_iterations,
        settings: Settings { tol, max_steps, ..part.settings },
    };
    let found = solve_from(&few, start, FEW, &run.clone().quiet(), watch).ok()?;
    let finite = found.sigma.iter().chain(&found.mu).all(|v| v.is_finite() && *v > 0.0);
    let serves = finite && found.status == Status::Converged && watch.stop().is_none();
    serves.then_some((found.sigma, found.mu))
}

/// From these (σ, μ), or from those of no data.
pub(super) fn solve_from(
    part: &Part<'_>,
    start: Option<Weights>,
    most: u64,
    run: &Run,
    watch: &Watch,
) -> Result<Fitted> {
    let mut gram = match fits(part.bank, 1, run) {
        true => Some(part.bank.new_gram()?),
        false => None,
    };
    let mut counts = Counts::default();
    // The point, and where its upper bound is less than this one the step from there, while its kernel is stored.
    let mut solve_at = |sigma: Vec<f64>,
                        mu: Vec<f64>,
                        warm: Option<&[f64]>,
                        (tol, below): (f64, f64),
                        counts: &mut Counts| {
        let weights = part.scaled(&sigma);
        let rows = part.combine(&weights, gram.as_mut(), watch);
        let machine = part.solve(rows.as_ref(), &sigma, &mu, warm, tol, watch);
        counts.combines += 1;
        counts.machine_solves += 1;
        counts.smo_steps += machine.steps;
        let point = Point { sigma, mu, machine };
        let upper = part.upper(&point);
        if upper >= below && watch.stop().is_none() {
            return (point, None, None);
        }
        let forms = part.forms(&point.machine.coef, watch);
        let gap = |forms: &Forms| {
            (upper - part.lower_bound(gain(part, &point.machine.coef), forms)) / upper
        };
        let step = forms.as_ref().map(|forms| (forms, gap(forms))).filter(|(_, g)| *g > part.tol);
        let step = step
            .and_then(|(forms, gap)| direction(part, rows.as_ref(), (&point, forms), gap > FAR));
        (point, forms, step)
    };
    let (sigma, mu) = start.unwrap_or_else(|| {
        let mu = vec![1.0 / part.gamma; part.values.len()];
        (vec![part.penalty.first(); part.bank.len()], mu)
    });
    let mut inner = LOOSEST.min(part.tol.sqrt());
    let floor = (1e-3 * part.tol).max(1e-13);
    let (mut point, mut forms, mut step) =
        solve_at(sigma, mu, None, (inner, f64::INFINITY), &mut counts);
    let mut lower = f64::NEG_INFINITY;
    let (mut objective, mut bounds) = (Vec::new(), Vec::new());
    let status = loop {
        let upper = part.upper(&point);
        // What the machine of this point proves, so that its coefficients are a certificate.
        let own = match &forms {
            Some(forms) => part.lower_bound(gain(part, &point.machine.coef), forms),
            None => lower,
        };
        lower = lower.max(own);
        let gap = (upper - own) / upper.max(f64::MIN_POSITIVE);
        objective.push(upper);
        bounds.push(own.min(upper).max(0.0));
        if gap <= part.tol {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if objective.len() > part.max_iterations {
            break Status::IterationLimit;
        }
        let aim = (0.1 * gap * gap).max(0.1 * part.tol).min(LOOSEST);
        inner = inner.min(aim);
        let mut next = None;
        if let Some(step) = &step {
            for (along, length) in lengths(part, &point, step) {
                if counts.machine_solves >= most {
                    break;
                }
                let (sigma, mu) = match along {
                    Along::Logarithms(d) => shifted(&point, d, length),
                    Along::Plain(d) => moved(part, &point, d, length),
                };
                let warm = Some(&point.machine.coef[..]);
                let found = solve_at(sigma, mu, warm, (inner, upper), &mut counts);
                if part.upper(&found.0) < upper {
                    next = Some(found);
                    break;
                }
                if watch.stop().is_some() {
                    break;
                }
            }
        }
        // A machine that was stopped is no better than the one at hand.
        if next.is_none()
            && let Some(status) = watch.stop()
        {
            break status;
        }
        match next {
            Some(found) => (point, forms, step) = found,
            None if inner > floor && counts.machine_solves < most => {
                inner = (inner / 30.0).max(floor);
                let (sigma, mu) = (point.sigma.clone(), point.mu.clone());
                let (warm, exact) = (Some(&point.machine.coef[..]), (inner, f64::INFINITY));
                let found = solve_at(sigma, mu, warm, exact, &mut counts);
                match watch.stop() {
                    Some(status) if part.upper(&found.0) >= upper => break status,
                    _ => (point, forms, step) = found,
                }
            }
            // What an earlier machine has proved counts where no step is left.
            None => {
                let proved = (upper - lower) <= part.tol * upper;
                if let Some(last) = bounds.last_mut() {
                    *last = lower.min(upper).max(0.0);
                }
                break if proved { Status::Converged } else { Status::Stalled };
            }
        }
    };
    let at_bound = part.at_bound(&point.machine.coef);
    let Point { sigma, mu, machine } = point;
    Ok(Fitted { sigma, mu, machine, status, objective, lower: bounds, counts, at_bound })
}

/// Σα.
pub(super) fn gain(part: &Part<'_>, x: &[f64]) -> f64 {
    part.y.iter().zip(x).map(|(y, x)| y * x).sum()
}

/// What is tried of a step, in turn: along what, and how far.
fn lengths<'a>(
    part: &Part<'_>,
    point: &Point,
    step: &'a Step,
) -> impl Iterator<Item = (Along<'a>, f64)> {
    let longest = match part.penalty {
        Penalty::Averaged(_) => reach(point, &step.plain),
        _ => 1.0,
    };
    let halves = |first: f64, count: usize| (0..count).map(move |k| first * 0.5_f64.powi(k as i32));
    let first = step.logarithms.iter().flat_map(move |d| {
        halves(1.0, TRIALS_IN_LOGARITHMS).map(move |length| (Along::Logarithms(d), length))
    });
    first.chain(halves(longest, TRIALS).map(|length| (Along::Plain(&step.plain), length)))
}

/// A direction.
#[derive(Clone, Copy)]
enum Along<'a> {
    Plain(&'a [f64]),
    Logarithms(&'a [f64]),
}

/// Newton's step, of σ (of (σ/σ now)ᵖ where [`Penalty::power`] is a p above 1) and μ: the least of the quadratic model; but
/// for the first of the penalties not below its limits. For that one where the optimum is far a step in logarithms, too.
fn direction(
    part: &Part<'_>,
    rows: &dyn Rows,
    (point, forms): (&Point, &Forms),
    far: bool,
) -> Option<Step> {
    let (kernels, penalty) = (point.sigma.len(), part.penalty);
    let mut gradient = part.gradient(&point.sigma, &point.mu, forms);
    let curvature = part.curvature(rows, point, forms)?;
    let size = gradient.len();
    let logarithms = match penalty {
        Penalty::Averaged(lambda) if far && logarithmic::is_cheap(size, part.n()) => {
            let theta = [&point.sigma[..], &point.mu[..]].concat();
            let mut rates = vec![lambda; kernels];
            rates.resize(size, part.gamma);
            let slope: Vec<f64> =
                forms.q.iter().map(|q| -0.5 * q).chain(forms.v.iter().map(|v| -v)).collect();
            logarithmic::step((&theta, kernels), &rates, &slope, &curvature)
        }
        _ => None,
    };
    let mut hessian = part.hessian(curvature, point);
    let left = 1.0 - PART;
    let mut least: Vec<f64> = vec![left.powf(penalty.power()) - 1.0; kernels];
    least.extend(point.mu.iter().map(|m| (left - 1.0) * m));
    let plain = match penalty {
        Penalty::Averaged(_) => {
            let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
            Factor::new(size, hessian)?.solve(&mut step);
            step
        }
        Penalty::Power(..) => {
            // u = (σ/σ₀)ᵖ at 1, in which Ω is linear and S still convex: σ' = σ₀/p, σ'' = σ₀/p (1/p − 1).
            let r = 1.0 / penalty.power();
            for k in 0..kernels {
                let slope = r * point.sigma[k];
                (0..size).for_each(|l| hessian[k * size + l] *= slope);
                (0..size).for_each(|l| hessian[l * size + k] *= slope);
                hessian[k * size + k] += gradient[k] * slope * (r - 1.0);
                gradient[k] *= slope;
            }
            above(&gradient, &hessian, &least)?
        }
        _ => {
            for k in 0..kernels {
                let (sigma, slope) = (point.sigma[k], gradient[k]);
                least[k] = -sigma;
                // Where the machine has no free coefficient there is no curvature: growth ends at about a doubling, and a
                // fall below 0.
                let reach = if slope < 0.0 { -1.0 } else { 1e-3 };
                hessian[k * size + k] += reach * slope / sigma.max(penalty.first());
            }
            above(&gradient, &hessian, &least)?
        }
    };
    plain.iter().all(|d| d.is_finite()).then_some(Step { plain, logarithms })
}

/// The weights after a part of a step in logarithms.
fn shifted(point: &Point, step: &[f64], length: f64) -> (Vec<f64>, Vec<f64>) {
    let (of_sigma, of_mu) = step.split_at(point.sigma.len());
    let sigma = point.sigma.iter().zip(of_sigma).map(|(s, d)| s * (length * d).exp()).collect();
    (sigma, point.mu.iter().zip(of_mu).map(|(m, d)| m * (1.0 + length * d)).collect())
}

/// The weights after a part of a step.
fn moved(part: &Part<'_>, point: &Point, step: &[f64], length: f64) -> (Vec<f64>, Vec<f64>) {
    let (of_sigma, of_mu) = step.split_at(point.sigma.len());
    let p = part.penalty.power();
    let sigma = point.sigma.iter().zip(of_sigma);
    let sigma = match part.penalty {
        Penalty::Power(..) => sigma.map(|(s, d)| s * (1.0 + length * d).powf(1.0 / p)).collect(),
        _ => sigma.map(|(s, d)| (s + length * d).max(0.0)).collect(),
    };
    (sigma, point.mu.iter().zip(of_mu).map(|(m, d)| m + length * d).collect())
}

/// The longest step, up to 1.
fn reach(point: &Point, step: &[f64]) -> f64 {
    let all = point.sigma.iter().chain(&point.mu).zip(step);
    all.filter(|(_, d)| **d < 0.0).fold(1.0_f64, |a, (v, d)| a.min(-PART * v / d))
}
