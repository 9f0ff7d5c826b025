//! One solution: rounds of steps with exact gradients between them, and what is done where steps crawl.

use super::active::{Active, End};
use super::halves::Problem;
use super::point::{Full, Value, exact_sum, unit};
use super::progress::Fruit;
use super::{Settings, Solution, Ways, interior, polish};
use crate::solve::low_rank::factor;
use crate::{Status, Watch};

/// Relative gap below which rows are kept in f64.
const SINGLE_LIMIT: f64 = 1e-6;

/// Gap beyond what a round promised that does not speak of rounding.
const CLOSE: f64 = 1.5;

/// Rows kept in the first round, to fit into a processor's own cache.
const FIRST_ROWS: usize = 8;

/// Rounds without progress after which the answer is as good as f64 allows, and rounds at most.
const PATIENCE: u64 = 10;
const ROUNDS: u64 = 500;

/// Steps for each variable after which interior points are tried, and the largest rank for them.
const LONG: u64 = 30;
const LARGEST_RANK: usize = 400;

/// Steps for each variable after which they are tried whatever the rank is, and the most variables for that: an iteration
/// then takes 4/3 n³ multiplications, a step 2 n.
const LONGER: u64 = 600;
const LARGEST: usize = 2_000;

/// Largest entries of K (and their inverses) for which rows are rounded to f32, whose range ends
/// at 3e38.
const SINGLE_RANGE: f64 = 1e30;

/// Largest f (and its inverse) that is kept in f32 at first: its squares are compared.
const COARSE_RANGE: f64 = 1e6;

/// In which numbers rows and f are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Precision {
    /// Both in f32.
    Coarse,
    /// Rows in f32, f in f64.
    Single,
    Double,
}

/// The point that is reached, and what has been used up.
struct Attempt<'a> {
    p: &'a Problem<'a>,
    diagonal: Vec<f64>,
    settings: &'a Settings,
    ways: Ways,
    watch: &'a Watch,
    /// Σ x.
    sum: f64,
    full: Full,
    value: Value,
    precision: Precision,
    /// Whether gradients are rounded once only.
    exactly: bool,
    steps: u64,
    /// Operations left for Newton steps.
    work: f64,
    /// Steps after which interior points are tried.
    until: u64,
}

/// One solution; also whether rounding hid the conditions.
pub(super) fn attempt(
    p: &Problem<'_>,
    start: Option<Vec<f64>>,
    settings: &Settings,
    ways: Ways,
    watch: &Watch,
) -> (Solution, bool) {
    let n = p.rows.n();
    let diagonal = p.rows.diagonal();
    let start = start.unwrap_or_else(|| vec![0.0; n]);
    // Multiples are allowed where the sum is 0, up to the rounding of whoever made the start.
    let sum = exact_sum(&start);
    let size: f64 = start.iter().map(|x| x.abs()).sum();
    let sum = if sum.abs() <= 1e-12 * size { 0.0 } else { sum };
    let full = Full::new(p, start, sum, unit(p, &diagonal), watch);
    let value = Value::of(p, &full, &diagonal, sum, settings.tol);
    let largest = diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
    let fits = |size: f64, range: f64| (1.0 / range..=range).contains(&size);
    let precision = match fits(largest, SINGLE_RANGE) {
        true if ways.coarse && fits(full.magnitude, COARSE_RANGE) => Precision::Coarse,
        true => Precision::Single,
        false => Precision::Double,
    };
    let until = if ways.interior { LONG * n as u64 } else { u64::MAX };
    let attempt = Attempt {
        p,
        diagonal,
        settings,
        ways,
        watch,
        sum,
        full,
        value,
        precision,
        exactly: false,
        steps: 0,
        work: polish::WORK,
        until,
    };
    attempt.run()
}

impl Attempt<'_> {
    fn run(mut self) -> (Solution, bool) {
        let (p, tol) = (self.p, self.settings.tol);
        let mut target = tol * 0.9;
        let mut fruit = Fruit::new(PATIENCE);
        let mut halted = self.watch.stop();
        let mut first = self.full.x.iter().all(|x| *x == 0.0)
            && p.lower.iter().zip(p.upper).all(|(l, u)| l < u)
            && p.rows.stored_row(0).is_some();
        let mut best = (self.full.clone(), self.value);
        let mut blind = false;
        let mut status = loop {
            let value = self.value;
            let reached = value.gap <= tol;
            if !reached && let Some(status) = halted {
                break status;
            }
            let violation = value.found.max_low - value.found.min_up;
            let rounding = self.full.view(p, &self.diagonal).rounding();
            let idle = fruit.none_after([value.gap, value.found.gap, violation], value.objective)
                || fruit.looks > ROUNDS
                || violation <= self.full.magnitude * rounding;
            let double = self.precision == Precision::Double;
            if double && value.gap < best.1.gap {
                best = (self.full.clone(), value);
            }
            if reached || (idle && double) {
                let doubted = !self.exactly && self.is_doubtful();
                if !doubted || !self.full.renew_exactly(p, self.watch) {
                    break match self.watch.stop() {
                        Some(stopped) if doubted => stopped,
                        _ if reached => Status::Converged,
                        _ => Status::Stalled,
                    };
                }
                (self.exactly, self.precision) = (true, Precision::Double);
                fruit = Fruit::new(PATIENCE);
                self.value = self.value_of(&self.full);
                best = (self.full.clone(), self.value);
                continue;
            }
            if !double && (idle || value.gap <= 2.0 * SINGLE_LIMIT) {
                (self.precision, fruit) = (Precision::Double, Fruit::new(PATIENCE));
            }
            let single = self.precision != Precision::Double;
            let aim = if single { target.max(SINGLE_LIMIT) } else { target };
            let before = self.full.clone();
            let end = self.round(first, aim);
            let aimed = aim <= target && matches!(end, End::Reached);
            if !self.settle() {
                self.full = before;
                halted = halted.or(self.watch.stop());
                continue;
            }
            let next = self.value_of(&self.full);
            // What is left over, by variables set aside or rounding, was a hundredth of it where this was
            // measured (once: n = 4,000, C = 10⁴).
            if aimed {
                target *= (0.9 * tol / next.gap).clamp(0.5, 0.9);
            }
            // Rows rounded to f32, and sums of numbers of very different size, can lead astray.
            let noise = matches!(end, End::Noise);
            let astray = !is_better(&next, &self.value) || (noise && single);
            if astray {
                self.full = before;
            } else {
                self.value = next;
            }
            let coarse = self.precision == Precision::Coarse && !first;
            let slow = (astray || matches!(end, End::Slow | End::NoProgress)) && !coarse;
            let mut moved = slow && !noise && self.by_newton();
            if slow || matches!(end, End::Long) {
                moved |= self.by_interior_points();
            }
            match end {
                End::Halted(status) => halted = Some(status),
                End::Noise if !single => (halted, blind) = (Some(Status::Stalled), true),
                _ if moved => self.precision = Precision::Double,
                // What f in f32 does not do may be done by f in f64.
                End::Reached if coarse && next.gap <= CLOSE * aim => {}
                _ if coarse && !matches!(end, End::Settled | End::Long) => {
                    self.precision = Precision::Single;
                }
                _ if astray || matches!(end, End::NoProgress) => self.precision = Precision::Double,
                _ => {}
            }
            first = false;
        };
        if status != Status::Converged && best.1.gap < self.value.gap {
            (self.full, self.value) = best;
        }
        if matches!(status, Status::Stalled | Status::IterationLimit) {
            // Once more from nothing, without the rounding of all changes.
            if !(self.is_doubtful() && self.full.renew_exactly(p, self.watch)) {
                self.full.renew(p);
            }
            self.value = self.value_of(&self.full);
            if self.value.gap <= tol {
                status = Status::Converged;
            }
        }
        (self.answer(status), blind && status == Status::Stalled)
    }

    /// Steps of one round, in the precision of the moment.
    fn round(&mut self, first: bool, aim: f64) -> End {
        let (p, objective, found) = (self.p, self.value.objective, self.value.found);
        if first {
            let cache = FIRST_ROWS * p.rows.n() * size_of::<f64>();
            let few = Settings { cache, ..*self.settings };
            return Active::<f64, f64>::new(p, &self.full, &self.diagonal, &found, &few)
                .first_round()
                .run(p, objective, aim, &mut self.steps, &mut self.full, self.watch);
        }
        macro_rules! run {
            ($rows:ty, $f:ty) => {
                Active::<$rows, $f>::new(p, &self.full, &self.diagonal, &found, self.settings)
                    .with_lines(self.ways.lines)
                    .until(self.until)
                    .run(p, objective, aim, &mut self.steps, &mut self.full, self.watch)
            };
        }
        match self.precision {
            Precision::Coarse => run!(f32, f32),
            Precision::Single => run!(f32, f64),
            Precision::Double => run!(f64, f64),
        }
    }

    /// Newton steps on the free variables in f64; whether they brought anything.
    fn by_newton(&mut self) -> bool {
        if self.value.gap <= self.settings.tol || self.watch.stop().is_some() {
            return false;
        }
        let mut other = self.full.clone();
        polish::polish(self.p, &mut other, &mut self.work) && self.take(other)
    }

    /// Interior points, once where the rank of K is small, and once more after many steps; whether they brought anything.
    fn by_interior_points(&mut self) -> bool {
        let (n, tol) = (self.p.rows.n(), self.settings.tol);
        let again = self.until > LONG * n as u64;
        if again && self.steps < self.until {
            return false;
        }
        let usable = self.until < u64::MAX && self.value.gap > tol && self.watch.stop().is_none();
        let later = usable && !again && n <= LARGEST;
        self.until = if later { LONGER * n as u64 } else { u64::MAX };
        if !usable {
            return false;
        }
        let (p, unit, watch) = (self.p, self.full.unit, self.watch);
        let most = if again { n } else { (n / 4).min(LARGEST_RANK) };
        let Some((l, r)) = factor(p.rows, &self.diagonal, unit, most, watch) else {
            return false;
        };
        let Some(x) = interior::interior(p, (&l, r), unit, self.sum, tol, watch) else {
            return false;
        };
        let mut other = self.full.clone();
        other.x = x;
        other.balance_widely(self.p, self.sum);
        // What has no free variable cannot be balanced.
        let size: f64 = other.x.iter().map(|x| x.abs()).sum();
        if (exact_sum(&other.x) - self.sum).abs() > 1e-12 * size
            || !other.refresh(self.p, self.exactly, self.watch)
        {
            return false;
        }
        // Linear kernel of 50 columns, C = 10⁶: a gap of 0.9 with 357 variables between their bounds, most of them
        // because the path ends in rounding; 3·10⁻⁹ when 306 of them have left.
        let raw = other.clone();
        polish::polish(self.p, &mut other, &mut self.work);
        self.take(other) || self.take(raw)
    }

    /// Goes to another point if it is better.
    fn take(&mut self, other: Full) -> bool {
        let before = std::mem::replace(&mut self.full, other);
        if self.settle() {
            let next = self.value_of(&self.full);
            if is_better(&next, &self.value) {
                self.value = next;
                return true;
            }
        }
        self.full = before;
        false
    }

    /// The sum and the gradient of a point that has moved; false after a stop.
    fn settle(&mut self) -> bool {
        self.full.balance(self.p, self.sum);
        self.full.refresh(self.p, self.exactly, self.watch)
    }

    fn value_of(&self, full: &Full) -> Value {
        Value::of(self.p, full, &self.diagonal, self.sum, self.settings.tol)
    }

    fn is_doubtful(&self) -> bool {
        self.full.doubtful(self.p, &self.diagonal, &self.value, self.settings.tol)
    }

    fn answer(mut self, mut status: Status) -> Solution {
        let (p, tol) = (self.p, self.settings.tol);
        let shaken = self.full.shaken(p, &self.diagonal, &self.value, tol);
        if self.sum == 0.0 && shaken {
            // What a multiple spares is for the rounding of f taken once, not for that of all steps.
            let enlarged = self.value.multiple.is_some();
            if enlarged && !self.exactly && self.full.renew_exactly(p, self.watch) {
                self.value = self.value_of(&self.full);
            }
            if self.value.multiple.is_none() {
                let safer = self.value.safer(p, &self.full, &self.diagonal, tol);
                self.value = safer.unwrap_or(self.value);
            }
            if status == Status::Converged && self.value.gap > tol {
                status = Status::Stalled;
            }
        }
        let mut found = self.value.found;
        let mut hidden = self.full.hidden(p, &self.diagonal, found.threshold);
        if let Some(m) = self.value.multiple {
            self.full.scale(self.p, m.factor);
            (found.threshold, found.gap, hidden) = (m.threshold, m.gap, 0.0);
        }
        Solution {
            threshold: found.threshold,
            objective: self.full.objective(self.p),
            gap: found.gap,
            hidden,
            violation: (found.max_low - found.min_up).max(0.0),
            steps: self.steps,
            status,
            x: self.full.x,
            gradient: self.full.gradient,
        }
    }
}

fn is_better(value: &Value, than: &Value) -> bool {
    value.objective <= than.objective || value.gap <= than.gap
}
