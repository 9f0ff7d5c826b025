//! Where the weights start: learned on a few of the instances.
//!
//! The weights that are best for a quarter of the instances are near those for all, and cost a sixteenth of a pass
//! over the kernels each time. With C times n over the size of the sample the losses weigh as much against the
//! norm as with all instances. On 20 Gaussian kernels, n = 1,000, C = 1 to 100, the start from 250 instances is as
//! good as the point after two changes of the weights, which are the dearest: all kernels have a weight then and
//! none is left aside. Where all weights are [alike](super::Set::evens) half of them do as well. A poor start costs time and nothing else: the loop ends at the same gap.

use super::Outer;
use crate::bank::Bank;
use crate::data::{Classes, Target};
use crate::mkl::Problem;
use crate::run::Pass;
use crate::{Run, Watch};
use rand::seq::SliceRandom;

/// Fewest instances of a sample; three times as many must be there.
const FEWEST: usize = 250;
/// Fewest instances of a class in it.
const OF_A_CLASS: usize = 5;
/// Gap to which the weights are learned there.
const TOL: f64 = 1e-2;
/// Bytes that the kernels of the sample may take.
const LARGEST: usize = 256 << 20;

/// Some of the instances of a problem.
struct Sample {
    rows: Vec<usize>,
    target: Target,
    weights: Vec<f64>,
}

/// What was learned on a sample.
pub(super) struct Start {
    pub weights: Vec<f64>,
    pub instances: usize,
    pub machines: u64,
}

/// The weights that the loop learns on a sample; `None` where there are too few instances for one, or where it
/// failed.
pub(super) fn start(
    outer: &Outer<'_>,
    problem: &Problem<'_>,
    run: &Run,
    watch: &Watch,
) -> Option<Start> {
    if problem.bank.len() < 2 || problem.warm.is_some() {
        return None;
    }
    let sample = sample(problem, outer.set.evens(), run)?;
    let pass = Pass::under(watch);
    let bank = problem.bank.sample(&sample.rows, &pass);
    if pass.is_given_up() {
        return None;
    }
    let weights = Some(&sample.weights[..]);
    let part = Problem {
        bank: &bank,
        views: None,
        target: &sample.target,
        weights,
        pairs: None,
        ..*problem
    };
    let coarse = Outer { tol: TOL.max(outer.tol), ..*outer };
    let learned = coarse.learn(&part, &run.remaining(watch).quiet()).ok()?;
    if watch.stop().is_some() {
        return None;
    }
    let weights = learned.rule.weights()?.to_vec();
    let machines = learned.report.counts.machine_solves;
    Some(Start { weights, instances: bank.n(), machines })
}

/// A quarter of the instances that take part, or as many as the memory allows; half of these where weights are `even`.
fn sample(problem: &Problem<'_>, even: bool, run: &Run) -> Option<Sample> {
    let given = |i: &usize| problem.weights.map_or(1.0, |w| w[*i]);
    let part = (0..problem.bank.n()).filter(|i| given(i) > 0.0).collect();
    let (part, size) = order(problem.bank, part, run)?;
    let size = if even { size / 2 } else { size };
    let factor = part.len() as f64 / size as f64;
    let mut rows = match problem.target {
        Target::Classes(classes) => of_each_class(classes, &part, size)?,
        Target::Real(_) | Target::Nothing(_) => part[..size].to_vec(),
        _ => return None,
    };
    rows.sort_unstable();
    let target = problem.target.of_rows(&rows)?;
    let weights = rows.iter().map(|i| factor * given(i)).collect();
    Some(Sample { rows, target, weights })
}

/// These instances in a drawn order, and how many of the first make a sample.
pub(in crate::mkl) fn order(
    bank: &Bank,
    mut part: Vec<usize>,
    run: &Run,
) -> Option<(Vec<usize>, usize)> {
    let mut size = (part.len() / 4).max(FEWEST);
    if part.len() < 3 * FEWEST {
        return None;
    }
    let most = LARGEST.min(run.memory / 2);
    while size > FEWEST && bank.sample_bytes(size) > most {
        size = (size * 3 / 4).max(FEWEST);
    }
    if bank.sample_bytes(size) > most {
        return None;
    }
    part.shuffle(&mut run.rng("sample of instances"));
    Some((part, size))
}

/// The first of each class in this order, as many of `size` as the class has of all.
fn of_each_class(classes: &Classes, order: &[usize], size: usize) -> Option<Vec<usize>> {
    let mut rows = Vec::with_capacity(size);
    for class in 0..classes.n_classes() as u32 {
        let all: Vec<usize> =
            order.iter().copied().filter(|i| classes.codes[*i] == class).collect();
        let share = (all.len() * size).div_ceil(order.len());
        if share < OF_A_CLASS {
            return None;
        }
        rows.extend_from_slice(&all[..share]);
    }
    Some(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;
    use crate::machine::{Machine, MachineSpec, Svc};
    use crate::mkl::outer::simplex::Simplex;

    /// Two classes on two of four features.
    fn data(n: usize) -> (Bank, Vec<f64>) {
        let value = |i: usize, j: usize| ((i * (j + 3) * 7919 + j * 104_729) as f64 * 0.013).sin();
        let x = Matrix::from_fn(n, 4, value);
        let y = (0..n).map(|i| x.get(i, 0) + 0.5 * x.get(i, 1) * x.get(i, 1) - 0.2).collect();
        let views = Views::new().dense("v", x).unwrap();
        let specs: Vec<KernelSpec> = ["gaussian:sigma=0.2,1,5", "linear:per_feature"]
            .iter()
            .flat_map(|text| KernelSpec::parse_list(text).unwrap())
            .collect();
        (Bank::build(&views, &specs, Storage::Resident, &Run::default()).unwrap(), y)
    }

    #[test]
    fn a_start_from_a_sample_ends_at_the_same_optimum() {
        let (bank, y) = data(3 * FEWEST + 40);
        let texts: Vec<&str> = y.iter().map(|v| if *v > 0.0 { "a" } else { "b" }).collect();
        let classes = Target::Classes(Classes::from_texts(&texts).unwrap());
        let built = |text: &str| -> Box<dyn Machine> {
            text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap()
        };
        let cases = [(classes, built("svc:c=2")), (Target::Real(y), built("svr:c=2"))];
        let outer =
            Outer { title: "test", set: &Simplex, tol: 1e-6, max_iterations: 100, second: true };
        for (target, machine) in &cases {
            let problem = Problem::new(&bank, target, machine.as_ref());
            let run = Run::default();
            let started = start(&outer, &problem, &run, &run.watch()).unwrap().weights;
            assert!(
                (started.iter().sum::<f64>() - 1.0).abs() < 1e-12 && started.len() == bank.len()
            );
            let with = outer.learn_from(&problem, &run, true).unwrap();
            let without = outer.learn_from(&problem, &run, false).unwrap();
            let value = |l: &crate::mkl::Learned| *l.report.objective.last().unwrap();
            assert!((FEWEST..FEWEST + 2).contains(&(with.report.details["sample"][0] as usize)));
            assert!(!without.report.details.contains_key("sample"));
            assert!(with.report.gap.unwrap() <= 1e-6 && without.report.gap.unwrap() <= 1e-6);
            assert!((value(&with) / value(&without) - 1.0).abs() < 2e-6);
            assert!(with.report.objective[0] < without.report.objective[0]);
            assert!(with.report.iterations <= without.report.iterations);
        }
    }

    #[test]
    fn a_sample_has_every_class_and_leaves_out_what_takes_no_part() {
        let (bank, y) = data(3 * FEWEST + 40);
        let n = y.len();
        let text = |i: usize| {
            if i.is_multiple_of(30) {
                "rare"
            } else if y[i] > 0.0 {
                "a"
            } else {
                "b"
            }
        };
        let texts: Vec<&str> = (0..n).map(text).collect();
        let target = Target::Classes(Classes::from_texts(&texts).unwrap());
        let machine = Svc::default();
        let counts: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i >= 20)) * 2.0).collect();
        let problem = Problem { weights: Some(&counts), ..Problem::new(&bank, &target, &machine) };
        let found = sample(&problem, false, &Run::default()).unwrap();
        assert!(found.rows.iter().all(|i| *i >= 20) && found.rows.is_sorted());
        let total: f64 = found.weights.iter().sum();
        let fewer = sample(&problem, true, &Run::default()).unwrap();
        assert!(found.rows.len() >= FEWEST && fewer.rows.len() < FEWEST / 2 + 5);
        let of_fewer: f64 = fewer.weights.iter().sum();
        assert!((of_fewer / counts.iter().sum::<f64>() - 1.0).abs() < 0.04, "{of_fewer}");
        assert!((total / counts.iter().sum::<f64>() - 1.0).abs() < 0.02, "{total}");
        assert!(found.target.classes().unwrap().counts().iter().all(|c| *c >= OF_A_CLASS));
        // Too few of a class, too few instances, no memory, posteriors: the usual start.
        let rare: Vec<&str> = (0..n)
            .map(|i| {
                if i < 8 {
                    "rare"
                } else if y[i] > 0.0 {
                    "a"
                } else {
                    "b"
                }
            })
            .collect();
        let rare = Target::Classes(Classes::from_texts(&rare).unwrap());
        let none = |p: &Problem<'_>, run: &Run| sample(p, false, run).is_none();
        assert!(none(&Problem::new(&bank, &rare, &machine), &Run::default()));
        assert!(none(&problem, &Run { memory: 1 << 20, ..Run::default() }));
        let few: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i >= 60))).collect();
        assert!(none(&Problem { weights: Some(&few), ..problem }, &Run::default()));
    }
}
