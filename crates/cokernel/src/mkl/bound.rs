//! Coefficients at their bound: what the machines on a combination tell about C.
//!
//! A share near 1 of those that could be there means that the machine takes hardly any notice of
//! distances: C is too small for the kernel, or the classes overlap.

use super::Problem;
use crate::machine::Solution;
use crate::rule::{Pairs, Rule};
use crate::{MachineReport, Report};

/// Share from which it is said.
const MOST: f64 = 0.5;

/// Share from which it is a warning.
const NEARLY_ALL: f64 = 0.9;

/// How the machines ended.
pub(super) fn report(machines: &Solution) -> MachineReport {
    MachineReport {
        status: machines.status(),
        primal: machines.primal(),
        dual: machines.objective(),
        gap: machines.gap(),
        at_bound: machines.at_bound(),
    }
}

/// Says where most instances are at their bound, and what to try.
pub(super) fn remark(problem: &Problem<'_>, rule: &dyn Rule, share: f64, report: &mut Report) {
    // A machine that was stopped has not moved every instance yet.
    if share <= MOST || !report.status.is_success() {
        return;
    }
    let diagonal = mean_diagonal(problem, rule);
    if diagonal <= 0.0 {
        report.warnings.push(format!(
            "the mean diagonal of the combined kernel is {diagonal:.3e}: a kernel without a positive diagonal \
             tells no instances apart, and no C helps; look at the kernels and their features"
        ));
        return;
    }
    let Some(said) = problem.machine.advice(share, diagonal) else { return };
    if share > NEARLY_ALL { report.warnings.push(said) } else { report.notes.push(said) }
}

/// The mean of the diagonal of the combined kernel; the mean of those of the kernels where there is none.
fn mean_diagonal(problem: &Problem<'_>, rule: &dyn Rule) -> f64 {
    let (bank, n) = (problem.bank, problem.bank.n());
    let means = bank.mean_diagonals();
    if let Some(weights) = rule.weights() {
        return weights.iter().zip(&means).map(|(w, mean)| w * mean).sum();
    }
    let active = rule.active();
    match rule.pointwise().filter(|mix| mix.views().is_empty()) {
        Some(mix) => {
            let diagonals: Vec<_> = active.iter().map(|m| bank.diagonal(*m)).collect();
            let values: Vec<&[f64]> = diagonals.iter().map(|d| &**d).collect();
            let mut diagonal = vec![0.0; n];
            mix.mix(Pairs { values: &values, own: &[], others: &[] }, &mut diagonal);
            diagonal.iter().sum::<f64>() / n as f64
        }
        None => active.iter().map(|m| means[*m]).sum::<f64>() / active.len().max(1) as f64,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::catalogue::find;
    use crate::data::{Classes, Matrix, Target};
    use crate::machine::{Decomposition, Svc};
    use crate::mkl::{Problem, train};

    /// Share, warnings and notes of the mean of one kernel with unit trace, n = 60, three classes
    /// of 30, 18 and 12 instances on a line.
    fn told(c: f64, decomposition: Decomposition) -> (f64, Vec<String>, Vec<String>) {
        let class = |i: usize| {
            if i < 30 {
                0
            } else if i < 48 {
                1
            } else {
                2
            }
        };
        let x = |i: usize| class(i) as f64 + 0.3 * (i as f64 * 0.7).sin();
        let kernel = Matrix::from_fn(60, 60, |i, j| (-2.0 * (x(i) - x(j)).powi(2)).exp() / 60.0);
        let bank = Bank::from_matrices(vec![("k".into(), kernel)], Storage::Resident).unwrap();
        let texts: Vec<String> = (0..60).map(|i| class(i).to_string()).collect();
        let target = Target::Classes(Classes::from_texts(&texts).unwrap());
        let machine = Svc { c, decomposition, ..Svc::default() };
        let mean = find("mean").unwrap();
        let learner = crate::mkl::learner(mean, &mean.defaults()).unwrap();
        let problem = Problem::new(&bank, &target, &machine);
        let report = train(&problem, learner.as_ref(), &Run::default()).unwrap().report;
        (report.machine.unwrap().at_bound, report.warnings, report.notes)
    }

    #[test]
    fn a_cost_that_is_too_small_for_the_kernel_is_told() {
        for decomposition in [Decomposition::OneVsRest, Decomposition::OneVsOne] {
            let (share, warnings, notes) = told(1.0, decomposition);
            assert_eq!(share, 1.0);
            let start = "100 % of the instances of the smaller classes are at their bound (α = C = 1.000e0)";
            assert!(warnings[0].starts_with(start), "{warnings:?}");
            assert!(warnings[0].contains("(1.667e-2)") && warnings[0].contains("C near 6e2"));
            assert!(notes.is_empty(), "{notes:?}");
            let (share, warnings, notes) = told(6e3, decomposition);
            assert!(share < 0.5, "{share}");
            assert!(warnings.is_empty() && notes.is_empty(), "{warnings:?} {notes:?}");
        }
    }

    #[test]
    fn a_kernel_of_zeros_is_not_told_to_want_another_cost() {
        let bank = Bank::from_matrices(vec![("k".into(), Matrix::zeros(6, 6))], Storage::Resident)
            .unwrap();
        let texts: Vec<String> = (0..6).map(|i| (i % 2).to_string()).collect();
        let target = Target::Classes(Classes::from_texts(&texts).unwrap());
        let mean = find("mean").unwrap();
        let learner = crate::mkl::learner(mean, &mean.defaults()).unwrap();
        let machine = Svc::default();
        let problem = Problem::new(&bank, &target, &machine);
        let report = train(&problem, learner.as_ref(), &Run::default()).unwrap().report;
        let said = report.warnings.concat();
        assert!(said.contains("is 0.000e0") && !said.contains("C is small"), "{said}");
    }

    #[test]
    fn a_cost_that_is_not_small_is_not_told_to_be_raised_to_itself() {
        let advice = |c: f64, diagonal: f64| {
            let machine = Svc { c, ..Svc::default() };
            crate::machine::Machine::advice(&machine, 0.9, diagonal).unwrap()
        };
        let said = advice(10.0, 1.0);
        assert!(
            said.ends_with(
                "is 1.000e1, which is not small: the classes may overlap; compare C = 1e2 and 1e3"
            ),
            "{said}"
        );
        let said = advice(10.0, 1e-3);
        assert!(said.ends_with("C is small for these kernels; scale them (normalize=unit_diagonal or center_unit_variance) or try C near 1e4"), "{said}");
        // Unit diagonals are 1 but for rounding.
        assert!(advice(1.0, 1.0 - 1e-12).contains("not small"));
    }
}
