//! What machines have in common that learn classes by binary problems: costs, checks, and one solver run
//! for each problem, in parallel, each in one thread, so that results do not depend on the number of
//! threads.

use super::{Block, How, Machine, Role, Solution, Svc, common};
use crate::data::Classes;
use crate::solve::Rows;
use crate::solve::smo::Settings;
use crate::{Error, Event, Result, Watch, brief};
use rayon::prelude::*;

/// One binary problem.
pub(super) struct Binary<'a> {
    pub kernel: &'a dyn Rows,
    /// What its head says.
    pub role: Role,
    /// 1 for the positive class, −1 for the negative, 0 for instances of neither; soft labels ŷ between.
    pub y: Vec<f64>,
    /// y_i C_i; C_i/ŷ_i of soft labels.
    pub signed: Vec<f64>,
    /// Coefficients to start from.
    pub start: Option<&'a [f64]>,
    pub settings: Settings,
    pub watch: &'a Watch,
}

/// Checks everything, and solves each binary problem by `one`, which also gives its number of steps.
pub(super) fn solve(
    machine: &Svc,
    tol: f64,
    kernel: &dyn Rows,
    classes: &Classes,
    how: &How<'_>,
    one: &(dyn Fn(&Binary<'_>) -> (Block, u64) + Sync),
) -> Result<Solution> {
    check(machine, classes)?;
    let roles = machine.decomposition.asked(classes.n_classes(), how.only);
    common::check(kernel, classes.codes.len(), &roles, how)?;
    let costs = machine.costs(classes, how.weights)?;
    let largest = common::largest_entry(kernel, machine.c)?;
    let (run, warm) = (how.run, how.warm);
    let side_by_side = roles.len().min(rayon::current_num_threads()).max(1);
    let settings = Settings {
        tol,
        shrinking: machine.shrinking,
        cache: machine.cache / side_by_side,
        max_steps: machine.max_steps,
    };
    let watch = run.watch();
    run.tell(Event::Begin { stage: "support vectors", total: Some(roles.len() as u64) });
    let problem = |t: usize| {
        let start = warm.map(|w| w.blocks[t].heads[0].coef.as_slice());
        let y: Vec<f64> = classes.codes.iter().map(|code| roles[t].sign(*code)).collect();
        let signed = y.iter().zip(&costs).map(|(y, c)| y * c).collect();
        one(&Binary { kernel, role: roles[t], y, signed, start, settings, watch: &watch })
    };
    let solved: Vec<(Block, u64)> = if roles.len() == 1 {
        vec![problem(0)]
    } else {
        (0..roles.len()).into_par_iter().map(problem).collect()
    };
    run.tell(Event::End);
    common::solution(solved, largest, machine.c)
}

pub(super) fn check(machine: &Svc, classes: &Classes) -> Result<()> {
    Machine::check(machine)?;
    if let Some(code) = classes.codes.iter().find(|c| **c as usize >= classes.n_classes()) {
        let expected = format!("codes below {}", classes.n_classes());
        return Err(Error::shape("classes", expected, code));
    }
    for (name, weight) in &machine.class_weights {
        // With C_i = 0 for a whole class there would be a machine for a class without instances.
        if !(*weight > 0.0 && weight.is_finite()) {
            let problem = format!(
                "the weight of class '{name}' is {}; expected a finite number above 0 \
                 (to leave a class out, leave out its instances)",
                brief(*weight)
            );
            return Err(Error::parameter("class_weights", problem));
        }
    }
    Ok(())
}
