//! Kernels with gates as something that is searched in: the kernel, its derivatives, and where to begin.

use crate::bank::Bank;
use crate::data::Matrix;
use crate::machine::Solution;
use crate::mkl::gate_views::Seen;
use crate::mkl::parametric::{Inside, Use};
use crate::mkl::{Problem, mixed};
use crate::rule::Gated;
use crate::rule::gate::{Gate, Shape};
use crate::run::Pass;
use crate::{Result, Run, Watch};
use rand::{Rng, RngExt};

/// Kernels with gates whose parameters are learned.
pub(super) struct Gates<'a> {
    pub problem: &'a Problem<'a>,
    pub shape: Shape,
    pub seen: &'a Seen,
    pub copies: usize,
    /// Of each kernel the first that is the same, mostly itself.
    pub firsts: &'a [usize],
}

/// To what share the mean of a gate falls in one step at most.
const CLOSING: f64 = 0.1;

/// Products with a random vector that differ by less, relative to the largest number, are those of the same kernel.
const EQUAL: f64 = 1e-10;

/// Of each kernel of the bank the first that is the same, mostly itself; all themselves after a stop.
pub(super) fn firsts(bank: &Bank, run: &Run, watch: &Watch) -> Vec<usize> {
    let mut rng = run.rng("localized_mkl equal kernels");
    let probe = Matrix::from_fn(bank.n(), 1, |_, _| rng.random_range(-1.0..1.0));
    let pass = Pass::under(watch);
    let image = |m: usize| {
        let image = bank.apply_in(m, &probe, &pass);
        let largest = image.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        (image, EQUAL * largest)
    };
    let images: Vec<(Matrix, f64)> = (0..bank.len()).map(image).collect();
    if pass.is_given_up() {
        return (0..bank.len()).collect();
    }
    let same = |h: usize, m: usize| {
        let ((a, _), (b, limit)) = (&images[h], &images[m]);
        a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() <= *limit)
    };
    (0..bank.len()).map(|m| (0..m).find(|h| same(*h, m)).unwrap_or(m)).collect()
}

impl Gates<'_> {
    pub fn gate(&self, parameters: &[f64]) -> Result<Gate> {
        let wide = self.seen.features.cols() + 1;
        Gate::new(self.shape, Matrix::new(parameters.len() / wide, wide, parameters.to_vec())?)
    }

    pub fn rule(&self, parameters: &[f64]) -> Result<(Gated, Matrix)> {
        let gate = self.gate(parameters)?;
        let gates = gate.values(&self.seen.features);
        let kernels = self.problem.bank.len();
        Ok((Gated::new(gate, self.seen.input.clone(), kernels, &gates)?, gates))
    }

    /// Start k.
    pub fn start(&self, k: usize, run: &Run) -> Vec<f64> {
        let mut rng = run.rng(&format!("localized_mkl start {k}"));
        first_gates(self.shape, &self.seen.features, self.firsts, self.copies, k > 0, &mut rng)
    }
}

/// Parameters to start with, those of a kernel's copies one after the other: equal for all kernels but random for the
/// copies of one and for kernels that are the same (`firsts` has of each kernel the first of them), or all random. They
/// are as large as features of one standard deviation together.
pub(in crate::mkl) fn first_gates(
    shape: Shape,
    features: &Matrix,
    firsts: &[usize],
    copies: usize,
    all_random: bool,
    rng: &mut dyn Rng,
) -> Vec<f64> {
    let (d, kernels) = (features.cols(), firsts.len());
    // Features that do not vary are 0; they draw nothing, so that without them everything is the same.
    let varies = |j: usize| j == d || (0..features.rows()).any(|i| features.get(i, j) != 0.0);
    let varying: Vec<usize> = (0..=d).filter(|j| varies(*j)).collect();
    let wide = d + 1;
    let size = 1.0 / (varying.len() as f64).sqrt();
    let mut one = |random: bool| -> Vec<f64> {
        let mut row = vec![0.0; wide];
        match shape {
            Shape::Gaussian => {
                if random && features.rows() > 0 {
                    let i = rng.random_range(0..features.rows());
                    row[..d].copy_from_slice(features.row(i));
                }
                row[d] = ((varying.len() - 1).max(1) as f64).ln();
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
        let gates = rule.read_of(gates);
        then(mixed(self.problem.bank, &rule, Some(&gates), run, watch)?.as_ref())
    }

    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let gate = self.gate(parameters).ok()?;
        let gates = gate.values(&self.seen.features);
        let pass = Pass::under(watch);
        let energies = self.problem.bank.gated_energies(&machines.coefs(), &gates, &pass);
        (!pass.is_given_up()).then(|| gate.slopes(&self.seen.features, &gates, &energies))
    }

    fn is_too_far(&self, from: &[f64], to: &[f64]) -> bool {
        let sums = |parameters: &[f64]| -> Option<Vec<f64>> {
            let gates = self.gate(parameters).ok()?.values(&self.seen.features);
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
