//! Points of the set with their machines, and the line search between them.

use super::stored::Stored;
use super::{Proposal, Set, curvature, dual};
use crate::bank::Known;
use crate::data::Target;
use crate::machine::{How, Solution};
use crate::mkl::{Problem, fits};
use crate::run::Pass;
use crate::solve::Rows;
use crate::{Counts, Result, Run, Status, Watch};
use std::sync::{Arc, OnceLock};

/// Weights below this are set to 0 whenever a kernel is formed, where their share of the trace of the combination is
/// below it, too: a kernel whose entries are 10⁸ times those of the others may need a weight of 10⁻⁹.
pub(super) const DROP: f64 = 1e-8;
/// Loosest tolerance of a machine.
const LOOSEST: f64 = 1e-3;
/// Kernels with a smaller share of the largest form are left aside while they have no weight.
const POOR: f64 = 0.9;
/// Relative gap from which on kernels are left aside: before, many of them come back.
const NEAR: f64 = 0.3;
/// Least form of a kernel as a part of what its rounding is at most, which is mostly far less.
const HIDDEN: f64 = 0.01;
/// Armijo's constant: the part of the linear decrease, or of the objective where that is less, that must be achieved.
const ARMIJO: f64 = 1e-4;

/// Weights, the machines on their kernel, and the quadratic forms of the machines.
#[derive(Clone)]
pub(super) struct Point {
    pub weights: Vec<f64>,
    pub machines: Solution,
    /// q_m^u, empty until asked for.
    pub forms: Vec<Vec<f64>>,
    /// Kernels whose forms are not known and are taken as 0.
    pub aside: Vec<usize>,
    /// 2ε √n Σ_u Σ_i (K_m)_ii c_ui² for each kernel, about what the rounding of Σ_u q_m^u is at most,
    /// of the entries of the combined kernel, too; as long as `forms`.
    pub rounding: Vec<f64>,
}

impl Point {
    fn new(weights: Vec<f64>, machines: Solution) -> Self {
        Point { weights, machines, forms: Vec::new(), aside: Vec::new(), rounding: Vec::new() }
    }

    /// The primal objective P of the machines.
    pub fn primal(&self) -> f64 {
        self.machines.primal()
    }

    /// Σ_u q_m^u.
    pub fn total_forms(&self) -> Vec<f64> {
        let m = self.weights.len();
        (0..m).map(|k| self.forms.iter().map(|q| q[k]).sum()).collect()
    }

    /// ½ Σ_u q_m^u with the rounding of the forms: what they may be too small counts as gap.
    pub fn safe_half_forms(&self) -> Vec<f64> {
        let forms = self.total_forms().into_iter().zip(&self.rounding);
        forms.map(|(q, lost)| 0.5 * (q + lost)).collect()
    }

    /// ∂J/∂η. A form that rounding hides is taken as a small part of what rounding may be: as 0 it would say that its kernel
    /// is of no use.
    pub fn gradient(&self) -> Vec<f64> {
        let forms = self.total_forms().into_iter().zip(&self.rounding);
        forms.map(|(q, lost)| -0.5 * q.max(HIDDEN * lost)).collect()
    }

    /// Absolute duality gap of the machines at these weights.
    pub fn inner_gap(&self) -> f64 {
        self.primal() - self.machines.objective()
    }

    /// Number of kernels with a weight.
    pub fn active(&self) -> usize {
        self.weights.iter().filter(|w| **w > 0.0).count()
    }
}

/// The difference of two points.
pub(super) fn towards(from: &[f64], to: &[f64]) -> Vec<f64> {
    to.iter().zip(from).map(|(t, f)| t - f).collect()
}

/// The state of the search beside its current point.
pub(super) struct Search<'a> {
    pub problem: &'a Problem<'a>,
    set: &'a dyn Set,
    pub run: &'a Run,
    pub watch: Watch,
    pub counts: Counts,
    /// The kernels of the current point and of the last trial, where two fit into memory.
    stored: Option<Stored>,
    /// Where none is stored: the combination that was formed last with its weights, and products that are known.
    rows: Option<(Vec<f64>, Box<dyn Rows + 'a>)>,
    known: Option<Arc<Known>>,
    tol: f64,
    /// Relative gap to which machines are solved now, and its smallest value.
    inner: f64,
    floor: f64,
    /// The largest relative gap at which machines stopped early, and how.
    pub refused: Option<(f64, Status)>,
    /// Whether the last pass over all kernels was given up because of a stop.
    pub given_up: bool,
    /// The largest lower bound of points all of whose forms are known.
    lower: f64,
    /// Kernels without a weight that were far from one when all forms were known last.
    poor: Vec<bool>,
    /// tr(K_m)/n, once it is asked for.
    sizes: OnceLock<Vec<f64>>,
    /// What the last step gained, if it is a part of what was proposed. Not told of single features: of hundreds of them
    /// the bound moves each a little.
    pub shortened: Option<f64>,
}

impl<'a> Search<'a> {
    pub fn new(problem: &'a Problem<'a>, set: &'a dyn Set, run: &'a Run, tol: f64) -> Result<Self> {
        let floor = (1e-6 * tol).max(1e-13);
        Ok(Search {
            problem,
            set,
            run,
            watch: run.watch(),
            counts: Counts::default(),
            stored: None,
            rows: None,
            known: None,
            tol,
            inner: LOOSEST.min(tol),
            floor,
            refused: None,
            given_up: false,
            lower: f64::NEG_INFINITY,
            poor: vec![false; problem.bank.len()],
            sizes: OnceLock::new(),
            shortened: None,
        })
    }

    /// The kernels whose weights are above 0 and [small](DROP) beside `drop`.
    pub fn small(&self, weights: &[f64], drop: f64) -> Vec<usize> {
        let least = drop * self.set.size(weights);
        let few = |m: &usize| weights[*m] > 0.0 && weights[*m] < least * self.set.unit(*m);
        let mut small: Vec<usize> = (0..weights.len()).filter(few).collect();
        if small.is_empty() {
            return small;
        }
        let sizes = self.sizes.get_or_init(|| self.problem.bank.mean_diagonals());
        let share = |m: usize| weights[m] * sizes[m].abs();
        let all: f64 = (0..weights.len()).map(share).sum();
        small.retain(|m| share(*m) <= drop * all);
        small
    }

    /// The weights with [small](Self::small) ones and those below 0 set to 0, on the set again.
    pub fn cleaned(&self, weights: &[f64], drop: f64) -> Vec<f64> {
        let mut kept: Vec<f64> = weights.iter().map(|w| w.max(0.0)).collect();
        self.small(weights, drop).into_iter().for_each(|m| kept[m] = 0.0);
        if kept.iter().any(|w| *w > 0.0) { self.set.onto(&kept) } else { weights.to_vec() }
    }

    /// The upper bound P + Ω.
    pub fn objective(&self, point: &Point) -> f64 {
        point.primal() + self.set.penalty(&point.weights)
    }

    /// The lower bound of a point. A bound only where the forms of all kernels are known.
    fn lower(&self, point: &Point) -> f64 {
        point.machines.linear() - self.set.conjugate(&point.safe_half_forms())
    }

    fn relative(&self, point: &Point, lower: f64) -> f64 {
        let upper = self.objective(point);
        (upper - lower) / upper.abs().max(f64::MIN_POSITIVE)
    }

    /// Relative duality gap of the whole problem; where some forms of the point are not known, with the
    /// best lower bound of the points before, and no less than that of the forms that are known: at the end
    /// the coefficients of the point itself show its gap.
    pub fn gap(&self, point: &Point) -> f64 {
        if point.aside.is_empty() {
            return self.relative(point, self.lower(point));
        }
        self.relative(point, self.lower).max(self.gap_of_seen(point))
    }

    /// The same if there were no kernels but those whose forms are known.
    pub fn gap_of_seen(&self, point: &Point) -> f64 {
        self.relative(point, self.lower(point))
    }

    /// [`gap_of_seen`](Self::gap_of_seen) without what rounding may take off the forms.
    pub fn gap_but_for_rounding(&self, point: &Point) -> f64 {
        let half: Vec<f64> = point.total_forms().iter().map(|q| 0.5 * q).collect();
        self.relative(point, point.machines.linear() - self.set.conjugate(&half))
    }

    /// The relative duality gap, if the quadratic forms are known.
    pub fn known_gap(&self, point: &Point) -> Option<f64> {
        (!point.forms.is_empty()).then(|| self.gap(point))
    }

    /// Whether the machines alone miss the tolerance and make up most of the gap: other weights can then
    /// not be told from better ones.
    pub fn limited(&self, point: &Point) -> bool {
        let inner = point.machines.gap();
        inner > self.tol && inner > 0.5 * self.gap(point)
    }

    /// The first point.
    pub fn start(&mut self, weights: Vec<f64>) -> Result<Point> {
        self.start_from(weights, self.problem.warm_machines(), self.inner)
    }

    /// The first point, whose machines start from `warm` and are solved to this relative gap.
    pub fn start_from(
        &mut self,
        weights: Vec<f64>,
        warm: Option<&Solution>,
        tol: f64,
    ) -> Result<Point> {
        if fits(self.problem.bank, 2, self.run) {
            let pass = Pass::under(&self.watch);
            let base = self.problem.bank.combine_in(&weights, &pass)?;
            if !pass.is_given_up() {
                self.stored = Some(Stored::new(base));
            }
        } else if self.known.is_none() && !is_several(self.problem.target) {
            self.known = Known::new(self.problem.bank).map(Arc::new);
        }
        self.counts.combines += 1;
        let machines = self.machines(&weights, true, warm, tol.max(self.floor))?;
        Ok(Point::new(weights, machines))
    }

    /// Weights that are nearly those of a start on the dual, with its machines, if these prove the tolerance: the kernels are
    /// not summed.
    pub fn proven_start(&mut self, start: &dual::Start, weights: &[f64]) -> Result<Option<Point>> {
        let watch = self.watch.clone();
        let stopped = watch.stop();
        let machines = dual::proven(start, weights, self.problem, stopped, &Pass::under(&watch));
        let Some(machines) = machines else { return Ok(None) };
        let mut point = Point::new(weights.to_vec(), machines);
        self.differentiate(&mut point, false)?;
        let enough = stopped.is_some() || self.gap(&point) <= self.tol;
        let enough = enough && !self.given_up;
        self.given_up = false;
        Ok(enough.then_some(point))
    }

    /// The combination with these weights by rows: the last one where it has them. That is let go of before another is
    /// formed.
    fn rows(&mut self, weights: &[f64]) -> Box<dyn Rows + 'a> {
        match self.rows.take() {
            Some((of, rows)) if of == weights => rows,
            last => {
                drop(last);
                let pass = Pass::under(&self.watch);
                self.problem.bank.combined_rows_in(weights, self.known.as_ref(), &pass)
            }
        }
    }

    /// The machines on the stored kernel of the point (`base`) or of the trial, or on the kernel
    /// with these weights where none is stored.
    fn machines(
        &mut self,
        weights: &[f64],
        base: bool,
        warm: Option<&Solution>,
        tol: f64,
    ) -> Result<Solution> {
        let (machine, target) = (self.problem.machine, self.problem.target);
        let run = self.run.remaining(&self.watch).quiet();
        let how = How { weights: self.problem.weights, warm, tol: Some(tol), ..How::new(&run) };
        let machines = match &self.stored {
            Some(stored) if base => machine.solve(stored.point(), target, &how),
            Some(stored) => machine.solve(stored.trial(), target, &how),
            None => {
                let rows = self.rows(weights);
                let machines = machine.solve(rows.as_ref(), target, &how);
                self.rows = Some((weights.to_vec(), rows));
                machines
            }
        }?;
        self.counts.add(&machines.counts);
        let (gap, status) = (machines.gap(), machines.status());
        if gap > tol && self.watch.stop().is_none() && !status.is_success() {
            // Asked for the same again they would work for nothing.
            self.floor = self.floor.max(gap.min(LOOSEST));
            self.inner = self.inner.max(self.floor);
            if self.refused.is_none_or(|(worst, _)| gap > worst) {
                self.refused = Some((gap, status));
            }
        }
        Ok(machines)
    }

    /// Whether machines can be solved more exactly.
    pub fn can_tighten(&self) -> bool {
        self.inner > self.floor
    }

    /// Asks for more exact machines from now on; false if they are as exact as they get.
    pub fn tighten(&mut self) -> bool {
        let can = self.can_tighten() && self.watch.stop().is_none();
        if can {
            self.inner = (self.inner / 30.0).max(self.floor);
        }
        can
    }

    /// Solves the machines of a point again, at the current tolerance.
    pub fn solve_again(&mut self, point: &mut Point) -> Result<()> {
        self.solve_to(point, self.inner)
    }

    /// Solves the machines of a point again, to this relative gap.
    pub fn solve_to(&mut self, point: &mut Point, tol: f64) -> Result<()> {
        point.machines = self.machines(&point.weights, true, Some(&point.machines), tol)?;
        Ok(())
    }

    /// A point with other weights than those on a line; its kernel becomes the stored one.
    pub fn elsewhere(&mut self, weights: Vec<f64>, from: &Point) -> Result<Point> {
        self.elsewhere_to(weights, from, from.machines.gap())
    }

    /// [`elsewhere`](Self::elsewhere) with machines to this relative gap.
    pub fn elsewhere_to(&mut self, weights: Vec<f64>, from: &Point, tol: f64) -> Result<Point> {
        self.at(weights, &from.machines, tol.clamp(self.floor, LOOSEST))
    }

    /// The point with these weights, whose kernel becomes the stored one; its machines start from these and end at any
    /// that have this relative gap.
    pub fn at(&mut self, weights: Vec<f64>, from: &Solution, tol: f64) -> Result<Point> {
        self.form(&weights);
        let machines = self.machines(&weights, true, Some(from), tol)?;
        Ok(Point::new(weights, machines))
    }

    /// Makes the kernel with these weights the stored one.
    pub fn form(&mut self, weights: &[f64]) {
        if let Some(stored) = &mut self.stored {
            let pass = Pass::under(&self.watch);
            self.problem.bank.combine_into_in(weights, stored.point_mut(), &pass);
        }
        self.counts.combines += 1;
    }

    /// Fills in the quadratic forms; the Hessian of J if it is asked for and can be had. If that is
    /// [given up](Self::given_up) because of a stop, the point is as it was before.
    pub fn differentiate(&mut self, point: &mut Point, second: bool) -> Result<Option<Vec<f64>>> {
        self.differentiate_by(point, second, &[])
    }

    /// [`differentiate`](Self::differentiate) without the kernels that have no weight and were far from one.
    pub fn differentiate_some(&mut self, point: &mut Point) -> Result<Option<Vec<f64>>> {
        let weights = point.weights.iter().zip(&self.poor).enumerate();
        let aside: Vec<usize> =
            weights.filter(|(_, (w, poor))| **w == 0.0 && **poor).map(|(m, _)| m).collect();
        self.differentiate_by(point, true, &aside)
    }

    fn differentiate_by(
        &mut self,
        point: &mut Point,
        second: bool,
        aside: &[usize],
    ) -> Result<Option<Vec<f64>>> {
        let watch = self.watch.clone();
        let pass = Pass::under(&watch);
        let bank = self.problem.bank;
        let mut wanted = vec![true; bank.len()];
        aside.iter().for_each(|m| wanted[*m] = false);
        let seen: Vec<usize> = (0..bank.len()).filter(|m| wanted[*m]).collect();
        if second && let Some(free) = curvature::free(&point.machines) {
            let known = self.known.as_deref();
            let mut sides = curvature::sides(bank, &seen, &point.machines, &free, known, &pass);
            let forms = std::mem::take(&mut sides.forms);
            // At the end no step follows.
            if self.complete(point, forms, aside, &pass).is_none()
                || self.gap_of_seen(point) <= self.tol
            {
                return Ok(None);
            }
            let rows = match &self.stored {
                Some(_) => None,
                None => Some(self.rows(&point.weights)),
            };
            let block = |i: usize, columns: &[u32], out: &mut [f64]| match (&self.stored, &rows) {
                (Some(stored), _) => {
                    let row = stored.point().row(i);
                    out.iter_mut().zip(columns).for_each(|(o, j)| *o = row[*j as usize]);
                }
                (None, Some(rows)) => {
                    let mut single = vec![0.0_f32; columns.len()];
                    rows.fill(i, Some(columns), &mut single);
                    out.iter_mut().zip(&single).for_each(|(o, v)| *o = f64::from(*v));
                }
                (None, None) => {}
            };
            let Some(free) = curvature::free(&point.machines) else { return Ok(None) };
            let hessian = curvature::hessian(bank.len(), &seen, sides, &free, &block, &pass);
            self.rows = rows.map(|rows| (point.weights.clone(), rows));
            self.given_up = pass.is_given_up();
            return Ok(hessian);
        }
        let all: Vec<usize> = (0..bank.len()).collect();
        let forms = self.forms(&all, &point.machines.coefs(), &pass);
        self.complete(point, forms, &[], &pass);
        Ok(None)
    }

    /// The Hessian as an operator, of a point whose kernel is the stored one, for `use_it`; `None` if it cannot be had.
    pub fn with_operator<T>(
        &self,
        point: &Point,
        use_it: impl FnOnce(&curvature::Operator<'_>) -> Option<T>,
    ) -> Option<T> {
        let base = self.stored.as_ref()?.point();
        let pass = Pass::under(&self.watch);
        let row = |i: usize, columns: &[u32], out: &mut [f64]| {
            let row = base.row(i);
            out.iter_mut().zip(columns).for_each(|(o, j)| *o = row[*j as usize]);
        };
        let operator = curvature::Operator::new(self.problem.bank, &point.machines, &row, &pass)?;
        use_it(&operator)
    }

    /// Fills in the forms that are not known.
    pub fn see_all(&mut self, point: &mut Point) {
        let aside = std::mem::take(&mut point.aside);
        if aside.is_empty() {
            return;
        }
        let watch = self.watch.clone();
        let pass = Pass::under(&watch);
        let coefs = point.machines.coefs();
        let mut forms = point.forms.clone();
        let found = self.forms(&aside, &coefs, &pass);
        for (forms, found) in forms.iter_mut().zip(&found) {
            aside.iter().zip(found).for_each(|(m, q)| forms[*m] = *q);
        }
        if self.complete(point, forms, &[], &pass).is_none() {
            point.aside = aside;
        }
    }

    /// The quadratic forms of the kernels in `seen`.
    fn forms(&self, seen: &[usize], coefs: &[&[f64]], pass: &Pass<'_>) -> Vec<Vec<f64>> {
        let bank = self.problem.bank;
        match (&self.known, coefs) {
            (Some(known), [coef]) => {
                vec![known.forms(bank, seen, coef, pass).unwrap_or_else(|| vec![0.0; seen.len()])]
            }
            _ => bank.quad_forms_of(seen, coefs, pass),
        }
    }

    /// Gives the forms of a complete pass to their point.
    fn complete(
        &mut self,
        point: &mut Point,
        forms: Vec<Vec<f64>>,
        aside: &[usize],
        pass: &Pass<'_>,
    ) -> Option<()> {
        self.given_up = pass.is_given_up();
        if self.given_up {
            return None;
        }
        let bank = self.problem.bank;
        let sums = bank.diagonal_forms(&point.machines.coefs(), pass);
        let unit = 2.0 * f64::EPSILON * (bank.n() as f64).sqrt();
        point.rounding = sums.into_iter().map(|sum| unit * sum).collect();
        point.forms = forms;
        point.aside = aside.to_vec();
        if aside.is_empty() {
            let forms = point.total_forms();
            let enough = POOR * forms.iter().fold(0.0_f64, |a, q| a.max(*q));
            let near = self.set.drops() && self.gap(point) <= NEAR;
            // What has a weight here may be wanted again after the next step has taken it.
            let poor = |(q, w): (&f64, &f64)| near && *w == 0.0 && *q < enough;
            self.poor = forms.iter().zip(&point.weights).map(poor).collect();
            let lower = self.lower(point);
            self.lower = self.lower.max(lower);
        }
        Some(())
    }

    /// Moves towards the proposed weights; `None` if no step was good enough. Any step is taken that
    /// satisfies Armijo's condition, or one near the minimum of the line where that is looked for.
    pub fn line(
        &mut self,
        from: &Point,
        proposal: &Proposal,
        trials: usize,
    ) -> Result<Option<Point>> {
        let direction = towards(&from.weights, &proposal.weights);
        let slope = self.set.slope(&from.weights, &from.gradient(), &direction);
        let before = self.objective(from);
        if slope >= 0.0 || !slope.is_finite() {
            return Ok(None);
        }
        let promised = 0.1 * proposal.decrease / before.abs().max(f64::MIN_POSITIVE);
        let loosest = self.inner.min(0.1 * self.gap(from)).max(self.floor);
        let exact = (1e-4 * self.tol).clamp(self.floor, loosest);
        let tol = promised.clamp(exact, loosest);
        let (mut low, mut high) = ((0.0, slope), None);
        let (mut step, mut last) = (1.0, None);
        for trial in 0..trials {
            let weights = self.move_to(from, &direction, step, last.take());
            let machines = self.machines(&weights, false, Some(&from.machines), tol)?;
            if self.watch.stop().is_some() {
                return Ok(None);
            }
            let mut next = Point::new(weights, machines);
            let value = self.objective(&next);
            // Where the least of the line is looked for its slope decides, and J can be far more bent than
            // the slope of the start says.
            let enough = match proposal.far {
                true => value < before,
                // Nothing can gain more than all there is: where a kernel is missed the slope says 10²⁰ times that.
                false => value <= before - ARMIJO * (-step * slope).min(before.abs()),
            };
            if !proposal.far {
                if enough {
                    self.shorten(step, before - value);
                    return Ok(Some(self.accept(next)));
                }
                self.refuse(from)?;
                let excess = value - before - slope * step;
                let least = -0.5 * slope * step / excess.max(f64::MIN_POSITIVE);
                last = Some((step, next.weights));
                step *= least.clamp(0.1, 0.5);
                continue;
            }
            self.differentiate(&mut next, false)?;
            if self.given_up {
                return Ok(None);
            }
            let here = self.set.slope(&next.weights, &next.gradient(), &direction);
            let flat = here.abs() <= 0.1 * slope.abs() || (step == 1.0 && here <= 0.0);
            if enough && (flat || trial > 6) {
                self.shorten(step, before - value);
                return Ok(Some(self.accept(next)));
            }
            self.refuse(from)?;
            if here > 0.0 || !enough {
                high = Some((step, here.max(0.0)));
            } else {
                low = (step, here);
            }
            last = Some((step, next.weights));
            let (far, there) = high.unwrap_or((1.0, 0.0));
            let secant = low.1 / (low.1 - there);
            let part = if secant.is_finite() { secant.clamp(0.1, 0.9) } else { 0.5 };
            step = low.0 + part * (far - low.0);
        }
        Ok(None)
    }

    /// Forms the kernel at `step`, from the stored ones where there was a trial before (`last`:
    /// its step and weights); gives the weights.
    fn move_to(
        &mut self,
        from: &Point,
        direction: &[f64],
        step: f64,
        last: Option<(f64, Vec<f64>)>,
    ) -> Vec<f64> {
        self.counts.combines += 1;
        if let (Some(stored), Some((before, weights))) = (&mut self.stored, last) {
            let part = step / before;
            let blend = |a: f64, b: f64| a + part * (b - a);
            let between: Vec<f64> =
                from.weights.iter().zip(&weights).map(|(a, b)| blend(*a, *b)).collect();
            let weights = self.set.onto(&between);
            match ratio(&weights, &between) {
                Some(factor) => stored.blend(part, factor),
                // Each block of weights has a factor of its own.
                None => {
                    let pass = Pass::under(&self.watch);
                    self.problem.bank.combine_into_in(&weights, stored.trial_mut(), &pass);
                }
            }
            return weights;
        }
        let moved: Vec<f64> =
            from.weights.iter().zip(direction).map(|(w, d)| w + step * d).collect();
        let weights = self.cleaned(&moved, DROP);
        if let Some(stored) = &mut self.stored {
            let pass = Pass::under(&self.watch);
            self.problem.bank.combine_into_in(&weights, stored.trial_mut(), &pass);
        }
        weights
    }

    /// Notes what a step gained.
    fn shorten(&mut self, step: f64, gain: f64) {
        let told = step < 1.0 && !self.problem.bank.is_column(0);
        self.shortened = told.then_some(gain);
    }

    /// Makes the kernel of the last trial the current one.
    fn accept(&mut self, point: Point) -> Point {
        if let Some(stored) = &mut self.stored {
            stored.accept();
        }
        point
    }

    /// Gives the last trial up for the point that it came from.
    fn refuse(&mut self, from: &Point) -> Result<()> {
        let Some(stored) = &mut self.stored else { return Ok(()) };
        stored.refuse(self.problem.bank, &from.weights, &Pass::under(&self.watch))
    }
}

/// Whether machines of several problems may be solved at once.
fn is_several(target: &Target) -> bool {
    matches!(target, Target::Classes(classes) if classes.n_classes() > 2)
}

/// a / b, if one is a multiple of the other but for rounding.
fn ratio(a: &[f64], b: &[f64]) -> Option<f64> {
    let largest = (0..b.len()).max_by(|i, j| b[*i].total_cmp(&b[*j]));
    let factor = largest.filter(|i| b[*i] > 0.0).map_or(1.0, |i| a[i] / b[i]);
    let near = |(a, b): (&f64, &f64)| (a - factor * b).abs() <= 8.0 * f64::EPSILON * a.abs();
    a.iter().zip(b).all(near).then_some(factor)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::{Bank, Storage};
    use crate::data::{Classes, Matrix, Target, Views};
    use crate::machine::MachineSpec;
    use crate::mkl::sets::ball::Ball;

    /// After a step that was too long the kernel of the next trial was made with one factor for the weights of all blocks,
    /// each of which has its own, so that the gap was that of another kernel: 0.13 where 1e-3 was told.
    #[test]
    fn the_kernel_of_a_second_trial_is_that_of_its_weights() {
        let n = 30;
        let x = Matrix::from_fn(n, 4, |i, j| ((i * 13 + j * 29 + 5) as f64).sin());
        let views = Views::new().dense("x", x).unwrap();
        let specs = ["gaussian:gamma=0.1", "gaussian:gamma=1", "gaussian:gamma=3", "linear"];
        let specs: Vec<_> = specs.iter().map(|s| s.parse().unwrap()).collect();
        let bank = Bank::build(&views, &specs, Storage::Resident, &Run::default()).unwrap();
        let labels: Vec<String> = (0..n).map(|i| format!("{}", i % 2)).collect();
        let target = Target::Classes(Classes::from_texts(&labels).unwrap());
        let machine = "svc".parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
        let problem = Problem::new(&bank, &target, machine.as_ref());
        for blocks in [1, 2] {
            let (set, run) = (Ball { p: 2.0, blocks }, Run::default());
            let mut search = Search::new(&problem, &set, &run, 1e-3).unwrap();
            let from = search.start(set.first(4)).unwrap();
            let direction = [0.2, -0.4, 0.9, -0.3];
            let first = search.move_to(&from, &direction, 1.0, None);
            search.refuse(&from).unwrap();
            let second = search.move_to(&from, &direction, 0.4, Some((1.0, first)));
            let wanted = bank.combine(&second).unwrap();
            let trial = search.stored.as_ref().unwrap().trial();
            let off = trial.values().iter().zip(wanted.values()).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12, "{blocks} blocks");
        }
    }
}
