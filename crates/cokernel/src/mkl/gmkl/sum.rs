//! Σ_m w_m k_m with w_m = θ_m / (M v_m).

use super::super::parametric::{Inside, Use};
use super::super::{Learned, Problem, mixed};
use super::{Kernel, Penalty};
use crate::machine::Solution;
use crate::rule::Weighted;
use crate::run::Pass;
use crate::{Report, Result, Run, Watch};

/// Weights of the given kernels.
pub(super) struct Sum<'a> {
    problem: &'a Problem<'a>,
    /// w of θ = 1 for each kernel; 0 for one whose diagonal is.
    units: Vec<f64>,
    penalty: Penalty,
}

impl<'a> Sum<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, penalty: Penalty) -> Self {
        let sizes = problem.bank.mean_diagonals();
        let kernels = sizes.len() as f64;
        let unit = |size: &f64| {
            let unit = 1.0 / (kernels * size.abs());
            if unit.is_finite() { unit } else { 0.0 }
        };
        Sum { problem, units: sizes.iter().map(unit).collect(), penalty }
    }

    fn weights(&self, parameters: &[f64]) -> Vec<f64> {
        parameters.iter().zip(&self.units).map(|(p, u)| p * u).collect()
    }
}

impl Inside for Sum<'_> {
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution> {
        let rule = Weighted::new(self.weights(parameters));
        then(mixed(self.problem.bank, &rule, None, run, watch)?.as_ref())
    }

    fn slopes(&self, _: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let pass = Pass::under(watch);
        let forms = self.problem.bank.quad_forms_in(&machines.coefs(), &pass);
        let sum = |m: usize| forms.iter().map(|f| f[m]).sum::<f64>();
        let one = |(m, unit): (usize, &f64)| -0.5 * unit * sum(m);
        (!pass.is_given_up()).then(|| self.units.iter().enumerate().map(one).collect())
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    fn penalty(&self, parameters: &[f64]) -> Option<(f64, Vec<f64>)> {
        Some(self.penalty.of(parameters))
    }
}

impl Kernel for Sum<'_> {
    fn count(&self) -> usize {
        self.units.len()
    }

    fn regularise(&mut self, penalty: Penalty) {
        self.penalty = penalty;
    }

    fn learned(&self, parameters: &[f64], mut report: Report) -> Result<Learned> {
        report.details.insert("relevance".to_string(), parameters.to_vec());
        Ok(Learned::of(Weighted::rule(self.weights(parameters)), report))
    }
}
