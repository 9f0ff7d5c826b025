//! Support vector classification (C-SVC).

use crate::data::Classes;
use crate::solve::Rows;
use crate::{Counts, Result, Run, Status};
use serde::{Deserialize, Serialize};

/// How several classes become binary problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decomposition {
    /// One machine per class against the rest (one-versus-all); highest decision value wins.
    OneVsRest,
    /// One machine per pair of classes (all-versus-all); votes, then summed decision values.
    OneVsOne,
}

/// C-SVC: parameters of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Svc {
    /// Cost C > 0 of a unit of slack.
    pub c: f64,
    /// Multiplies C for each class by name; missing classes have 1. `balanced` below overrides.
    pub class_weights: Vec<(String, f64)>,
    /// Class weights n / (k · n_class).
    pub balanced: bool,
    /// How several classes become binary problems.
    pub decomposition: Decomposition,
    /// Relative duality gap to stop at.
    pub tol: f64,
    /// Whether variables at their bounds are set aside while they stay there.
    pub shrinking: bool,
    /// Bytes for the row cache of the solver.
    pub cache: usize,
    /// Limit on SMO steps per binary problem.
    pub max_steps: u64,
}

/// One solved binary problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Dual {
    /// Code of the positive class.
    pub positive: u32,
    /// Code of the negative class; `None` is "the rest".
    pub negative: Option<u32>,
    /// α_i y_i for all n training instances (0: not a support vector).
    pub coef: Vec<f64>,
    /// b, added: f(x) = Σ coef_i k(x_i, x) + b.
    pub bias: f64,
    /// Dual objective Σα − ½ αᵀQα.
    pub objective: f64,
    /// Primal objective ½‖w‖² + Σ C_i ξ_i at (coef, b).
    pub primal: f64,
    /// (primal − objective) / max(|primal|, tiny).
    pub gap: f64,
    /// How the solver ended.
    pub status: Status,
}

/// All binary problems of one classification, on one kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// How they decide together.
    pub decomposition: Decomposition,
    /// The binary problems: one for two classes.
    pub duals: Vec<Dual>,
    /// Work done.
    pub counts: Counts,
}

impl Svc {
    /// Trains on one kernel.
    ///
    /// `weights`: positive instance weights that multiply C (length n), if given.
    /// `warm`: the solution of a nearby problem with the same instances, to start from.
    ///
    /// # Errors
    /// Parameters out of range, lengths that differ, unknown class names.
    pub fn fit(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        weights: Option<&[f64]>,
        warm: Option<&Machines>,
        run: &Run,
    ) -> Result<Machines> {
        let _ = (kernel, classes, weights, warm, run);
        todo!()
    }
}

impl Machines {
    /// Class codes from the decision values `decisions[t][i]` of machine t for instance i
    /// (without loss of generality the order of `duals`).
    pub fn decide(
        decomposition: Decomposition,
        pairs: &[(u32, Option<u32>)],
        n_classes: usize,
        decisions: &[Vec<f64>],
    ) -> Vec<u32> {
        let _ = (decomposition, pairs, n_classes, decisions);
        todo!()
    }
}
