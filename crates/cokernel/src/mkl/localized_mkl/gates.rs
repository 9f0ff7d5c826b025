//! Kernels with gates as something that is searched in: the kernel, its derivatives, and where to begin.

use crate::bank::{Bank, Gram};
use crate::data::Matrix;
use crate::machine::Solution;
use crate::mkl::gate_views::Seen;
use crate::mkl::parametric::{Inside, Use};
use crate::mkl::{Problem, fits};
use crate::rule::Gated;
use crate::rule::gate::{Gate, Shape};
use crate::run::Pass;
use crate::{Result, Run, Watch};
use rand::{Rng, RngExt};
use std::cell::RefCell;
use std::rc::Rc;

/// Kernels with gates whose parameters are learned.
pub(super) struct Gates<'a> {
    pub problem: &'a Problem<'a>,
    pub shape: Shape,
    pub seen: &'a Seen,
    pub copies: usize,
    /// Of each kernel the first that is the same, mostly itself.
    pub firsts: &'a [usize],
    /// The gates at the last two parameters, the latest last: a line search asks for those where it begins and where it
    /// goes, several times each.
    known: RefCell<Vec<Rc<Known>>>,
    /// Memory of the kernel of the last parameters.
    room: RefCell<Option<Gram>>,
}

/// The gates with some parameters.
#[derive(Debug)]
pub(super) struct Known {
    gate: Gate,
    /// Of the instances, n × gates.
    pub values: Matrix,
}

/// To what share the mean of a gate falls in one step at most.
const CLOSING: f64 = 0.1;

/// Products with a random vector that differ by less, relative to the largest number, are those of the same kernel.
const EQUAL: f64 = 1e-10;

/// Of each kernel of the bank the first that is the same, mostly itself; all themselves after a stop.
pub(super) fn firsts(bank: &Bank, run: &Run, watch: &Watch) -> Vec<usize> {
    let all = 0..bank.len();
    let same = |a: &[f64], b: &[f64]| {
        let limit = EQUAL * b.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= limit)
    };
    // One row tells most apart. Of the others all rows are looked at.
    let row = |m: usize| {
        let mut row = vec![0.0; bank.n()];
        bank.row(m, bank.n() / 2, &mut row);
        row
    };
    let rows: Vec<Vec<f64>> = all.clone().map(row).collect();
    let alike = |h: usize, m: usize| h != m && same(&rows[h.min(m)], &rows[h.max(m)]);
    let mut rng = run.rng("localized_mkl equal kernels");
    let probe = Matrix::from_fn(bank.n(), 1, |_, _| rng.random_range(-1.0..1.0));
    let pass = Pass::under(watch);
    let image = |m: usize| {
        let needed = all.clone().any(|h| alike(h, m));
        needed.then(|| bank.apply_in(m, &probe, &pass))
    };
    let images: Vec<Option<Matrix>> = all.clone().map(image).collect();
    if pass.is_given_up() {
        return all.collect();
    }
    let equal = |h: usize, m: usize| match (&images[h], &images[m]) {
        (Some(a), Some(b)) => alike(h, m) && same(a.values(), b.values()),
        _ => false,
    };
    all.clone().map(|m| (0..m).find(|h| equal(*h, m)).unwrap_or(m)).collect()
}

impl<'a> Gates<'a> {
    pub fn new(
        problem: &'a Problem<'a>,
        shape: Shape,
        copies: usize,
        (seen, firsts): (&'a Seen, &'a [usize]),
    ) -> Self {
        let (known, room) = (RefCell::default(), RefCell::default());
        Gates { problem, shape, seen, copies, firsts, known, room }
    }

    /// The gates with these parameters.
    pub fn at(&self, parameters: &[f64]) -> Result<Rc<Known>> {
        let mut known = self.known.borrow_mut();
        let same = |k: &Rc<Known>| k.gate.parameters().values() == parameters;
        let found = match known.iter().position(same) {
            Some(place) => known.remove(place),
            None => {
                let wide = self.seen.features.cols() + 1;
                let table = Matrix::new(parameters.len() / wide, wide, parameters.to_vec())?;
                let gate = Gate::new(self.shape, table)?;
                let values = gate.values(&self.seen.features);
                if known.len() == 2 {
                    known.remove(0);
                }
                Rc::new(Known { gate, values })
            }
        };
        known.push(Rc::clone(&found));
        Ok(found)
    }

    pub fn rule(&self, parameters: &[f64]) -> Result<(Gated, Matrix)> {
        let known = self.at(parameters)?;
        let (input, kernels) = (self.seen.input.clone(), self.problem.bank.len());
        let rule = Gated::new(known.gate.clone(), input, kernels, &known.values)?;
        Ok((rule, known.values.clone()))
    }

    /// Start k.
    pub fn start(&self, k: usize, run: &Run) -> Vec<f64> {
        let mut rng = run.rng(&format!("localized_mkl start {k}"));
        first_gates(self.shape, self.seen, self.firsts, self.copies, k > 0, &mut rng)
    }
}

/// Parameters to start with, those of a kernel's copies one after the other: equal for all kernels but random for the
/// copies of one and for kernels that are the same (`firsts` has of each kernel the first of them), or all random. They
/// are as large as features of one standard deviation together.
pub(in crate::mkl) fn first_gates(
    shape: Shape,
    seen: &Seen,
    firsts: &[usize],
    copies: usize,
    all_random: bool,
    rng: &mut dyn Rng,
) -> Vec<f64> {
    let features = &seen.features;
    let (d, kernels) = (features.cols(), firsts.len());
    // Features that do not vary are 0; they draw nothing, so that without them everything is the same.
    let varies = |j: usize| j == d || (0..features.rows()).any(|i| features.get(i, j) != 0.0);
    let varying: Vec<usize> = (0..=d).filter(|j| varies(*j)).collect();
    let wide = d + 1;
    let (squares, spread) = seen.squares();
    let size = 1.0 / (1.0 + squares).sqrt();
    let mut one = |random: bool| -> Vec<f64> {
        let mut row = vec![0.0; wide];
        match shape {
            Shape::Gaussian => {
                if random && features.rows() > 0 {
                    let i = rng.random_range(0..features.rows());
                    row[..d].copy_from_slice(features.row(i));
                }
                row[d] = if spread > 0.0 && spread.is_finite() { spread.ln() } else { 0.0 };
            }
            Shape::Softmax | Shape::Sigmoid if random => {
                varying.iter().for_each(|j| row[*j] = size * rng.random_range(-1.0..1.0));
            }
            Shape::Softmax | Shape::Sigmoid => {}
        }
        row
    };
    if all_random {
        return (0..kernels * copies).flat_map(|_| one(true)).collect();
    }
    let random: Vec<Vec<f64>> = (0..kernels * copies).map(|_| one(true)).collect();
    let plain = one(false);
    let of = |m: usize| {
        let same =
            |others: std::ops::Range<usize>| others.filter(|h| firsts[*h] == firsts[m]).count();
        match copies == 1 && same(0..kernels) == 1 {
            true => plain.clone(),
            false => random[same(0..m) * copies..][..copies].concat(),
        }
    };
    (0..kernels).flat_map(of).collect()
}

impl Inside for Gates<'_> {
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution> {
        let (rule, gates) = self.rule(parameters)?;
        let (gates, bank) = (rule.read_of(gates), self.problem.bank);
        if fits(bank, 1, run) {
            let pass = Pass::under(watch);
            let mut gram = self.room.take().map_or_else(|| bank.new_gram(), Ok)?;
            bank.mixed_into(&rule, Some(&gates), &mut gram, &pass);
            if !pass.is_given_up() {
                let found = then(&gram);
                self.room.replace(Some(gram));
                return found;
            }
        }
        then(bank.mixed_rows(&rule, Some(&gates)).as_ref())
    }

    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let known = self.at(parameters).ok()?;
        let Known { gate, values } = known.as_ref();
        let pass = Pass::under(watch);
        let energies = self.problem.bank.gated_energies(&machines.coefs(), values, &pass);
        (!pass.is_given_up()).then(|| gate.slopes(&self.seen.features, values, &energies))
    }

    fn is_too_far(&self, from: &[f64], to: &[f64]) -> bool {
        let sums = |parameters: &[f64]| -> Option<Vec<f64>> {
            let known = self.at(parameters).ok()?;
            let gates = &known.values;
            let mut sums = vec![0.0; gates.cols()];
            (0..gates.rows())
                .for_each(|i| sums.iter_mut().zip(gates.row(i)).for_each(|(s, g)| *s += g));
            Some(sums)
        };
        match (sums(from), sums(to)) {
            (Some(from), Some(to)) => from.iter().zip(&to).any(|(f, t)| *t < CLOSING * f),
            _ => false,
        }
    }
}
