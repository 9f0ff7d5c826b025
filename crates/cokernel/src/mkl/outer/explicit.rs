//! The loop where kernels are features towards landmarks ([`scale`](crate::scale)).
//!
//! ```text
//! min over η ∈ S, v, b   ½ Σ_u Σ_m ‖v_m^u‖²/η_m + Ω(η) + Σ_u Σ_i L_i(f_u(x_i))
//! ```
//!
//! is convex in all variables together, and every step here is one down of it. At a point (η, v, b) the coefficients
//! c = −L'(f), scaled on the side where they are larger until they sum to 0 as the bias wants it, are feasible for the dual,
//! and q_m = ‖R_mᵀ C_mᵀ c‖² comes from the same pass over the instances. The two numbers
//!
//! ```text
//! P = ½ Σ ‖v_m‖²/η_m + Ω(η) + Σ L      D = Σ ℓ(c) − (Ω + ι_S)*(½ Σ_u q^u)
//! ```
//!
//! bound the optimum from both sides, and the loop stops when P − D ≤ `tol`·|P|.
//!
//! **Steps.** Where the machines' own gap (at these weights) is a third of P − D or more [Newton's method](crate::scale) moves v
//! and b. Else the weights move, to η' from the set by its model of second order, whose Hessian a [sample](crate::scale) gives;
//! v and b go where the sample says that they are best for η', and Newton's method from there, until the objective has fallen
//! by a tenth of what was promised, or the machines' lower bound there says that it will not. Then a quarter and a
//! sixteenth of the way are tried, at last the weights that are best for the functions at hand, which is never up.
//!
//! **Kinks.** The hinge and the ε-insensitive loss are minimised rounded over a width h, which becomes a third where the
//! rounding is half of the gap; P and D are those of the losses themselves. At the end the biases go where these are least
//! ([`bias`](crate::scale::bias)).
//!
//! **End.** At P − D ≤ `tol`·|P|; or where neither v and b nor the weights gain anything, or the gap has not fallen by a tenth
//! in [`IDLE`] rounds: rounding of numbers then hides the rest, as it does for C of 10¹⁷, and the best point is told with its gap.
//!
//! **Start.** From the solution on an eighth of the instances (with eight times the costs), and that likewise, down to some
//! thousands, but not to fewer than there are coordinates: what explains fewer tells little of the others. Costs beyond
//! [`HUGE`] start from the solution for costs of that size.
//!
//! **Elsewhere.** With [`Workers`](crate::scale::Workers) passes over many instances are theirs, and the loop keeps its state
//! before every round, from which a run that was killed goes on.

mod moves;

use super::{Outer, Proposal, Set};
use crate::data::Target;
use crate::machine::{Block, Head, Solution};
use crate::mkl::{Learned, Problem};
use crate::rule::Each;
use crate::scale::away::Away;
use crate::scale::bias;
use crate::scale::curvature::Curvature;
use crate::scale::instances::Labels;
use crate::scale::loss::Loss;
use crate::scale::newton::{Newton, Point, Step};
use crate::scale::passes;
use crate::scale::scratch::Content;
use crate::scale::state::{Place, Spot, State};
use crate::scale::{Basis, Space};
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use moves::Moved;

/// Instances below which there is no start from fewer, and by how much fewer those are.
const FEW: usize = 16_000;
const FEWER: usize = 8;

/// Costs beyond which rounding hides where the weights should go: the start is then the solution for costs of this size.
const HUGE: f64 = 1e10;

/// Relative gap of a start: where all kernels keep a weight, and where which ones do is decided there. (With the second
/// lp-norm weights took 1.05 to 1.22 times the CPU seconds, two losses, 40,000 to 200,000 instances: the start is no nearer
/// then to where all instances lead. With the first, and samples drawn more often, simplex weights took 1.25 times as long on
/// 200,000 instances, 0.8 times on 40,000.)
const ROUGH: [f64; 2] = [0.1, 1e-2];

/// Newton steps between two looks at all kernels.
const STEPS: usize = 4;

/// Widths over which kinks are rounded, in units of the values: the first and the last.
const WIDEST: f64 = 0.5;
const NARROWEST: f64 = 1e-9;

/// The machines' part of the gap from which on they are solved before the weights move.
const OWN: f64 = 0.3;

/// Relative gaps below 0 that the rounding of the two sums explains.
const ROUNDING: f64 = 1e-12;

/// Rounds in which the gap has to fall by a tenth.
const IDLE: usize = 40;

/// What random numbers of the samples are for.
const SAMPLES: &str = "sample for curvatures";

/// Changes of the weights in a row without one that is better, after which the loop ends.
const STUCK: u32 = 3;

/// Weights that stay.
#[derive(Debug)]
pub(in crate::mkl) struct Fixed(pub Vec<f64>);

impl Set for Fixed {
    fn first(&self, _: usize) -> Vec<f64> {
        self.0.clone()
    }

    fn onto(&self, _: &[f64]) -> Vec<f64> {
        self.0.clone()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        self.0.iter().zip(half_forms).map(|(w, z)| w * z).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], _: &[f64]) -> Proposal {
        self.majorised(weights, gradient)
    }

    fn majorised(&self, weights: &[f64], _: &[f64]) -> Proposal {
        Proposal { weights: weights.to_vec(), decrease: 0.0, far: false }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.majorised(weights, gradient)
    }

    fn drops(&self) -> bool {
        false
    }
}

/// Both bounds at a point.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// P and D.
    exact: [f64; 2],
    /// The same of the rounded losses.
    rounded: [f64; 2],
    /// What of P − D, rounded, the machines have at these weights.
    inner: f64,
    /// The relative gap of the coefficients themselves, by which progress is measured where D is that of coefficients 0.
    own: f64,
}

impl Bounds {
    fn gap(pair: [f64; 2]) -> f64 {
        let gap = (pair[0] - pair[1]) / pair[0].abs().max(f64::MIN_POSITIVE);
        // Below 0 by the rounding of two sums.
        if gap.abs() <= ROUNDING { gap.max(0.0) } else { gap }
    }
}

/// Where the loop on some instances is.
struct Course {
    here: Point,
    /// The point with the least gap, its round, and the round in which the gap had fallen by a tenth last.
    best: Point,
    at: usize,
    fallen: (f64, usize),
    stuck: u32,
    /// The last width over which kinks are rounded.
    narrowest: f64,
    objective: Vec<f64>,
    gaps: Vec<f64>,
}

/// How the loop on some instances ended.
struct Ended {
    point: Point,
    status: Status,
    objective: Vec<f64>,
    gaps: Vec<f64>,
    passes: [u64; 2],
    curvatures: Vec<Curvature>,
}

/// The loop on some instances.
struct Loop<'a> {
    set: &'a dyn Set,
    tol: f64,
    max_iterations: usize,
    run: &'a Run,
    watch: &'a Watch,
    /// Where its state is kept, and of which stage it is after how many passes of others.
    place: Option<&'a Place>,
    stage: usize,
    rounds: [u64; 2],
}

/// Learns weights and machines towards landmarks.
pub(super) fn learn(
    outer: &Outer<'_>,
    problem: &Problem<'_>,
    space: &Space,
    run: &Run,
) -> Result<Learned> {
    let watch = run.watch();
    crate::scale::room_for_learning(space.size())?;
    let views = problem.features()?;
    let loss = problem.machine.loss().ok_or_else(crate::machine::no_loss)?;
    let costs = problem.machine.loss_costs(problem.target, problem.weights)?;
    let classes = match problem.target {
        Target::Classes(classes) => classes.n_classes(),
        _ => 0,
    };
    let roles = problem.machine.reading().roles(classes);
    let signs: Vec<Vec<f64>> =
        roles.iter().map(|role| (0..classes as u32).map(|c| role.sign(c)).collect()).collect();
    let labels = match problem.target {
        Target::Real(values) => Labels::Values(values),
        target => Labels::Classes { codes: &target.classes()?.codes, signs: &signs },
    };
    run.tell(Event::Begin { stage: outer.title, total: None });
    let n = views.n();
    let mut rng = run.rng("instances of a start");
    let content = Content { space, views, labels, costs: &costs, loss };
    let (set, tol, most) = (outer.set, outer.tol, outer.max_iterations);
    let key = format!("{} {set:?} {tol:e} {most} {}", outer.title, run.seed);
    let workers = run.workers.as_deref();
    let place = workers.map(|w| Place::new(w, &content, &key)).transpose()?;
    let on = |(rows, part): (Vec<usize>, f64)| -> Result<passes::Problem<'_>> {
        let factor = part * n as f64 / rows.len().max(1) as f64;
        let (costs, watch) = (&costs, &watch);
        let away = match (workers, &place) {
            (Some(w), Some(p)) => Away::new(w, (&p.folder, &p.digest), (&rows, n))?,
            _ => None,
        };
        Ok(passes::Problem { space, views, labels, loss, costs, rows, factor, watch, away })
    };
    let mut curvatures = Vec::new();
    let heads = roles.len();
    // Where one number tells all without a loss that is the answer, and the start.
    let (spread, bias) = match labels {
        Labels::Values(values) => match without_loss(values, &costs, loss) {
            Some(number) => (1.0, number),
            None => (deviation(values), mean(values, &costs)),
        },
        Labels::Classes { .. } => (1.0, 0.0),
    };
    let mut point = Point::at(Spot {
        weights: outer.set.first(space.kernels().len()),
        v: vec![0.0; heads * space.size()],
        bias: vec![bias; heads],
        h: if loss.has_kink() { WIDEST * spread } else { 1.0 },
    });
    let mut sizes = Vec::new();
    let mut size = n;
    while size > FEW && size / FEWER >= space.size() {
        size /= FEWER;
        sizes.push(size);
    }
    // Some instances, and the part of their costs.
    let mut stages: Vec<(Vec<usize>, f64)> = sizes
        .into_iter()
        .rev()
        .map(|size| (crate::scale::some_of(n, size, &mut rng), 1.0))
        .collect();
    let largest = costs.iter().fold(0.0_f64, |a, c| a.max(*c));
    if largest > HUGE {
        stages.push(((0..n).collect(), HUGE / largest));
    }
    stages.push(((0..n).collect(), 1.0));
    let last = stages.len() - 1;
    // What comes after smaller costs may move the weights no more.
    let rough = ROUGH[usize::from(outer.set.drops() || largest > HUGE)];
    let fits = |state: &State| {
        let (kernels, numbers) = (space.kernels().len(), heads * space.size());
        state.stage <= last && state.fits(kernels, numbers, heads, n)
    };
    let mut left = place.as_ref().and_then(Place::left).filter(fits);
    let went_on = left.as_ref().map(|state| state.gaps.len());
    let first = left.as_ref().map_or(0, |state| state.stage);
    let mut rounds = left.as_ref().map_or([0; 2], |state| state.rounds);
    let (mut all, mut whole, mut on_the_way) = (None, None, false);
    for (stage, some) in stages.into_iter().enumerate().skip(first) {
        let part = some.1;
        let problem = on(some)?;
        let looped = Loop {
            set: outer.set,
            tol: if stage < last { outer.tol.max(rough) } else { outer.tol },
            max_iterations: outer.max_iterations,
            run,
            watch: &watch,
            place: place.as_ref(),
            stage,
            rounds,
        };
        let ended = match left.take() {
            Some(state) => looped.go_on(&problem, state)?,
            None => looped.go(&problem, std::mem::take(&mut curvatures), point.clone())?,
        };
        if stage < last && ended.status.is_stop() && part < 1.0 {
            // The solution for smaller costs of all instances is feasible for these, and its bounds are bounds.
            let at = ended.point.at.of_larger(part);
            let (objective, gaps) = (Vec::new(), Vec::new());
            let ended = Ended { point: Point { at, ..ended.point }, objective, gaps, ..ended };
            let looped = Loop { tol: outer.tol, ..looped };
            (all, whole) = (Some((on(((0..n).collect(), 1.0))?, looped)), Some(ended));
            on_the_way = true;
            break;
        }
        if stage < last {
            (0..2).for_each(|k| rounds[k] += ended.passes[k]);
            (point, curvatures) = (ended.point, ended.curvatures);
        } else {
            (all, whole) = (Some((problem, looped)), Some(ended));
        }
    }
    let (Some((all, looped)), Some(ended)) = (all, whole) else {
        return Err(Error::Data("learning towards landmarks: there are no instances".to_string()));
    };
    run.tell(Event::End);
    let Ended { mut point, mut objective, mut gaps, .. } = ended;
    let moved = bias::settle(&all, &mut point);
    let bounds = looped.bounds(&all, &point);
    objective.pop();
    gaps.pop();
    objective.push(bounds.exact[0]);
    gaps.push(Bounds::gap(bounds.exact));
    let (machines, rule) =
        (looped.machines(&all, &point, (&roles, ended.status)), Each::rule(point.weights.clone()));
    let gap = Bounds::gap(bounds.exact);
    let mut report = Report {
        status: ended.status,
        iterations: gaps.len().saturating_sub(1),
        objective,
        gap: Some(gap),
        gaps,
        counts: Counts { machine_solves: ended.passes[0], ..Counts::default() },
        seconds: watch.seconds(),
        notes: space.notes().to_vec(),
        ..Report::closed_form(run)
    };
    if !ended.status.is_success() {
        report.notes.push(format!(
            "{} stopped early ({}) at a relative gap of {gap:.1e}",
            outer.title, ended.status
        ));
    }
    if on_the_way {
        report.notes.push(format!(
            "stopped on the way to these costs: the function and the bounds are those for costs of {HUGE:.0e}"
        ));
    }
    if let Some(round) = went_on {
        report.notes.push(format!(
            "{} went on from round {round} of a fit that had been stopped",
            outer.title
        ));
    }
    if point.is_nothing() && ended.status.is_success() && gap > 0.0 {
        report.notes.push(
            "no landmark has a coefficient, every instance is told the same: raise the cost C, or scale the kernels up".to_string(),
        );
    }
    let details = &mut report.details;
    match space.basis() {
        Basis::Instances(rows) => details.insert("landmarks".to_string(), vec![rows.len() as f64]),
        // A cosine and a sine of each.
        Basis::Directions { rows, .. } => {
            details.insert("directions".to_string(), vec![(rows.n() / 2) as f64])
        }
    };
    details.insert("features".to_string(), vec![space.size() as f64]);
    details.insert("passes".to_string(), ended.passes.map(|p| p as f64).to_vec());
    details.insert("passes_of_start".to_string(), rounds.map(|p| p as f64).to_vec());
    details.insert("approximation".to_string(), space.errors().to_vec());
    if loss.has_kink() {
        details.insert("rounding".to_string(), vec![point.h]);
        details.insert("bias_shift".to_string(), moved);
    }
    drop((point, all));
    if let Some(place) = place
        && !ended.status.is_stop()
    {
        place.done();
    }
    Ok(Learned {
        machines: Some(machines),
        basis: Some(space.basis().clone()),
        ..Learned::of(rule, report)
    })
}

/// A step that was stopped in the middle of something: the points before it are known.
fn at_most_stopped(moved: Result<Moved>) -> Result<Moved> {
    match moved {
        Err(Error::Stopped { .. }) => Ok(Moved::Stopped),
        other => other,
    }
}

/// The number, if there is one, with which no instance that costs something has a loss.
fn without_loss(values: &[f64], costs: &[f64], loss: Loss) -> Option<f64> {
    let counted = || values.iter().zip(costs).filter(|(_, c)| **c > 0.0).map(|(v, _)| *v);
    let (least, largest) =
        counted().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let middle = if least == largest { least } else { 0.5 * least + 0.5 * largest };
    let free = |v: f64| match loss {
        Loss::Insensitive { epsilon } => (v - middle).abs() <= epsilon,
        _ => v == middle,
    };
    (middle.is_finite() && counted().all(free)).then_some(middle)
}

/// The mean of numbers by their costs, 0 where it is none.
fn mean(values: &[f64], costs: &[f64]) -> f64 {
    let largest = costs.iter().fold(0.0_f64, |a, c| a.max(*c));
    let (mut sum, mut total) = (0.0, 0.0);
    for (v, c) in values.iter().zip(costs) {
        total += c / largest;
        sum += c / largest * v;
    }
    let mean = sum / total;
    if mean.is_finite() { mean } else { 0.0 }
}

/// The standard deviation of numbers, 1 where they are all the same.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 }
}

impl Loop<'_> {
    /// From a point on.
    fn go(
        &self,
        problem: &passes::Problem<'_>,
        curvatures: Vec<Curvature>,
        start: Point,
    ) -> Result<Ended> {
        let mut newton = Newton::new(problem, curvatures, self.run.rng(SAMPLES));
        let kernels: Vec<usize> = (0..start.weights.len()).collect();
        let narrowest = NARROWEST * start.h;
        let here = newton.evaluate(start, &kernels)?.ok_or_else(|| self.nothing())?;
        let course = Course {
            best: here.clone(),
            here,
            at: 0,
            fallen: (f64::INFINITY, 0),
            stuck: 0,
            narrowest,
            objective: Vec::new(),
            gaps: Vec::new(),
        };
        self.rounds(newton, course)
    }

    /// From where a run was killed.
    fn go_on(&self, problem: &passes::Problem<'_>, state: State) -> Result<Ended> {
        let kernels: Vec<usize> = (0..state.here.weights.len()).collect();
        let evaluated = |spot: Spot| -> Result<Point> {
            Point::at(spot).again(problem, &kernels)?.ok_or_else(|| self.nothing())
        };
        let newton = Newton::restored(problem, &state.newton, self.run.rng(SAMPLES))?;
        let course = Course {
            best: evaluated(state.best)?,
            here: evaluated(state.here)?,
            at: state.at,
            fallen: state.fallen,
            stuck: state.stuck,
            narrowest: state.narrowest,
            objective: state.objective,
            gaps: state.gaps,
        };
        self.rounds(newton, course)
    }

    fn nothing(&self) -> Error {
        let status = self.watch.stop().unwrap_or(Status::Interrupted);
        Error::Stopped { status, what: "learning towards landmarks".to_string() }
    }

    /// What a run goes on from that is killed after this.
    fn keep(&self, newton: &Newton<'_>, course: &Course) -> Result<()> {
        let Some(place) = self.place else { return Ok(()) };
        place.keep(&State {
            stage: self.stage,
            rounds: self.rounds,
            here: course.here.spot(),
            best: course.best.spot(),
            at: course.at,
            fallen: course.fallen,
            stuck: course.stuck,
            narrowest: course.narrowest,
            objective: course.objective.clone(),
            gaps: course.gaps.clone(),
            newton: newton.state(),
        })
    }

    fn rounds(&self, mut newton: Newton<'_>, mut course: Course) -> Result<Ended> {
        let problem = newton.problem;
        let kernels: Vec<usize> = (0..course.here.weights.len()).collect();
        let stop = || self.watch.stop().unwrap_or(Status::Interrupted);
        let status = loop {
            self.keep(&newton, &course)?;
            let here = &course.here;
            let bounds = self.bounds(problem, here);
            let gap = Bounds::gap(bounds.exact);
            course.objective.push(bounds.exact[0]);
            course.gaps.push(gap);
            let round = course.gaps.len() - 1;
            // Beside an optimum of 0 no relative gap says which point is nearer.
            let [apart, least] =
                [round, course.at].map(|r| course.gaps[r] * course.objective[r].abs());
            let nothing = here.is_nothing();
            // The zero function is the answer only where no other is known within the tolerance.
            let better = apart < least || course.best.is_nothing() && !nothing && gap <= self.tol;
            if round == 0 || least.is_nan() || better {
                (course.best, course.at) = (here.clone(), round);
            }
            if bounds.own < 0.9 * course.fallen.0 {
                course.fallen = (bounds.own, round);
            }
            let message = format!("gap {gap:.1e}, {} kernels", here.active().len());
            self.run.tell(Event::Step { done: course.gaps.len() as u64, message: &message });
            // Small costs leave the zero function within any tolerance, and it tells nobody anything.
            let one_step = nothing && gap > 0.0 && gap <= self.tol;
            if gap <= self.tol && !one_step {
                break Status::Converged;
            }
            if let Some(status) = self.watch.stop() {
                break status;
            }
            if round >= self.max_iterations {
                break Status::IterationLimit;
            }
            if !gap.is_finite() || round > course.fallen.1 + IDLE {
                break Status::Stalled;
            }
            let rounded = bounds.rounded[0] - bounds.rounded[1];
            // Most of the gap is that kinks are rounded.
            if problem.loss.has_kink()
                && !one_step
                && rounded <= 0.5 * (bounds.exact[0] - bounds.exact[1])
                && here.h > course.narrowest
            {
                let narrower = Point { h: here.h / 3.0, ..here.clone() };
                match newton.evaluate(narrower, &kernels)? {
                    Some(next) => course.here = next,
                    None => break stop(),
                }
                continue;
            }
            // A tenth of what the weights leave; or what is left of the tolerance beside that.
            let (weights, within) = (rounded - bounds.inner, self.tol * bounds.exact[0].abs());
            let aim = (0.1 * weights.max(0.1 * within)).max(0.8 * (within - weights));
            let moved = match bounds.inner < OWN * rounded && !one_step {
                true => at_most_stopped(self.move_weights(&mut newton, here))?,
                false => at_most_stopped(self.settle(&mut newton, here, aim))?,
            };
            let moved = match moved {
                Moved::Nowhere
                    if !one_step && bounds.inner < OWN * rounded && course.stuck < STUCK =>
                {
                    // The coefficients are not exact enough for the weights to move.
                    course.stuck += 1;
                    at_most_stopped(self.settle(&mut newton, here, 0.0))?
                }
                other => {
                    course.stuck = 0;
                    other
                }
            };
            let next = match moved {
                Moved::To(point) if point.active().len() == kernels.len() => Some(*point),
                Moved::To(point) => newton.evaluate(*point, &kernels)?,
                Moved::Nowhere if one_step => break Status::Converged,
                Moved::Nowhere => break Status::Stalled,
                Moved::Stopped => None,
            };
            match next {
                Some(point) => course.here = point,
                None => break stop(),
            }
        };
        let Course { best, at, mut objective, mut gaps, .. } = course;
        if at + 1 < gaps.len() {
            objective.push(objective[at]);
            gaps.push(gaps[at]);
        }
        let passes = [newton.evaluations, newton.products];
        let curvatures = newton.curvatures;
        Ok(Ended { point: best, status, objective, gaps, passes, curvatures })
    }

    /// Newton's steps at the weights of a point until the machines' gap is as small as `aim`.
    fn settle(&self, newton: &mut Newton<'_>, here: &Point, aim: f64) -> Result<Moved> {
        let mut found: Option<Box<Point>> = None;
        for _ in 0..STEPS {
            let point = found.as_deref().unwrap_or(here);
            let inner = point.value(newton.problem) - point.inner_bound(newton.problem);
            if found.is_some() && inner <= aim {
                break;
            }
            match newton.step(point)? {
                Step::To(better) => found = Some(better),
                Step::Nowhere => break,
                Step::Stopped => return Ok(Moved::Stopped),
            }
        }
        Ok(found.map_or(Moved::Nowhere, Moved::To))
    }

    fn bounds(&self, problem: &passes::Problem<'_>, point: &Point) -> Bounds {
        let penalty = self.set.penalty(&point.weights);
        let (mut exact, mut rounded) = ([penalty, 0.0], [penalty, 0.0]);
        for (u, sums) in point.at.sums.iter().enumerate() {
            let (norm, [plus, minus]) = (point.half_norm(problem, u), sums.balance());
            exact[0] += norm + sums.exact;
            rounded[0] += norm + sums.rounded;
            exact[1] += plus * sums.exact_duals[0] + minus * sums.exact_duals[1];
            rounded[1] += plus * sums.rounded_duals[0] + minus * sums.rounded_duals[1];
        }
        let conjugate = self.set.conjugate(&half_forms(problem, point));
        // That of coefficients 0, which are feasible, is a bound, too.
        exact[1] -= conjugate;
        let own = Bounds::gap(exact);
        exact[1] = exact[1].max(-self.set.conjugate(&vec![0.0; point.weights.len()]));
        rounded[1] -= conjugate;
        let inner = point.value(problem) - point.inner_bound(problem);
        Bounds { exact, rounded, inner, own }
    }

    /// The machines at a point; coefficients are those of the landmarks, one kernel with a weight after the other.
    fn machines(
        &self,
        problem: &passes::Problem<'_>,
        point: &Point,
        (roles, ended): (&[crate::machine::Role], Status),
    ) -> Solution {
        let (active, heads) = (point.active(), problem.heads());
        let coefs = problem.space.coefficients(&active, &point.v, heads);
        let at_bound = problem.at_bound(&point.at.f, point.h);
        let block = |(u, role): (usize, &crate::machine::Role)| {
            let (sums, [plus, minus]) = (&point.at.sums[u], point.at.sums[u].balance());
            let linear = plus * sums.exact_duals[0] + minus * sums.exact_duals[1];
            let forms: f64 =
                active.iter().map(|m| 0.5 * point.weights[*m] * point.form(problem, u, *m)).sum();
            let primal = point.half_norm(problem, u) + sums.exact;
            let objective = (linear - forms).max(0.0);
            let gap = Bounds::gap([primal, objective]);
            Block {
                heads: vec![Head {
                    role: *role,
                    coef: coefs.iter().skip(u).step_by(heads).copied().collect(),
                    bias: point.bias[u],
                }],
                linear,
                primal,
                objective,
                gap,
                hidden: 0.0,
                status: if gap <= self.tol { Status::Converged } else { ended },
                free: None,
                at_bound: at_bound[u],
            }
        };
        Solution {
            blocks: roles.iter().enumerate().map(block).collect(),
            counts: Counts::default(),
        }
    }
}

/// ½ Σ_u q_m^u.
fn half_forms(problem: &passes::Problem<'_>, point: &Point) -> Vec<f64> {
    let form = |m: usize| (0..problem.heads()).map(|u| 0.5 * point.form(problem, u, m)).sum();
    (0..point.weights.len()).map(form).collect()
}
