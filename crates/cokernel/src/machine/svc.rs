//! Support vector classification (C-SVC; LMKA §1.1, B1).
//!
//! ```text
//! primal  min ½‖w‖² + Σ C_i ξ_i      y_i(⟨w, Φ(x_i)⟩ + b) ≥ 1 − ξ_i, ξ ≥ 0
//! dual    max Σ α_i − ½ Σ α_i α_j y_i y_j k(x_i, x_j)      Σ α_i y_i = 0, 0 ≤ α_i ≤ C_i
//! ```
//!
//! C_i = `c` × class weight × instance weight. [`Dual::coef`] is α_i y_i, [`Dual::bias`] is b.
//! An instance with C_i = 0 takes no part; one-versus-one sets it for the classes outside the
//! pair, so a pair costs what its own instances cost.
//!
//! The solver works on x = coef with q = −y (see [`smo`](crate::solve::smo)); b is the minimiser of the primal
//! for the w found, exactly (the middle of the interval where several are), and the reported gap
//! is computed with that b. Where C is so large that no instance has a loss at the optimum, w is
//! enlarged until none has one, which makes the gap independent of C: a C of 10¹⁷ costs what a hard
//! margin costs. Binary problems run in parallel, each in one thread, so results do
//! not depend on the number of threads.

use super::{Decomposition, Machines};
use crate::data::Classes;
use crate::solve::Rows;
use crate::solve::smo::{self, Quadratic, Settings};
use crate::{Counts, Error, Event, Result, Run, Status, Watch, brief};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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

impl Default for Svc {
    /// C = 1, no weights, one-versus-rest, gap 1e-3, shrinking, 256 MiB of rows, 10⁹ steps.
    fn default() -> Self {
        Svc {
            c: 1.0,
            class_weights: Vec::new(),
            balanced: false,
            decomposition: Decomposition::OneVsRest,
            tol: 1e-3,
            shrinking: true,
            cache: 256 << 20,
            max_steps: 1_000_000_000,
        }
    }
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

impl Dual {
    /// Number of support vectors.
    pub fn support_count(&self) -> usize {
        self.coef.iter().filter(|c| **c != 0.0).count()
    }

    fn is_finite(&self) -> bool {
        let numbers = [self.bias, self.objective, self.primal, self.gap];
        numbers.iter().chain(&self.coef).all(|v| v.is_finite())
    }
}

impl Svc {
    /// Trains on one kernel.
    ///
    /// `weights`: non-negative instance weights that multiply C (length n), if given.
    /// `warm`: the solution of a nearby problem with the same instances, to start from.
    ///
    /// # Errors
    /// Parameters out of range, lengths that differ, unknown class names, numbers beyond f64.
    pub fn fit(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        weights: Option<&[f64]>,
        warm: Option<&Machines>,
        run: &Run,
    ) -> Result<Machines> {
        self.check(kernel, classes, weights, warm)?;
        let costs = self.costs(classes, weights)?;
        let size = |a: f64, d: &f64| if d.is_finite() { a.max(d.abs()) } else { f64::INFINITY };
        let largest = kernel.diagonal().iter().fold(0.0, size);
        if !largest.is_finite() {
            return Err(self.overflow("a diagonal entry of the kernel", largest));
        }
        let pairs = self.decomposition.pairs(classes.n_classes());
        let side_by_side = pairs.len().min(rayon::current_num_threads()).max(1);
        let settings = Settings {
            tol: self.tol,
            shrinking: self.shrinking,
            cache: self.cache / side_by_side,
            max_steps: self.max_steps,
        };
        let watch = run.watch();
        run.tell(Event::Begin { stage: "support vectors", total: Some(pairs.len() as u64) });
        let one = |t: usize| {
            let start = warm.map(|w| w.duals[t].coef.as_slice());
            binary(kernel, classes, &costs, pairs[t], start, &settings, &watch)
        };
        let solved: Vec<(Dual, u64)> = if pairs.len() == 1 {
            vec![one(0)]
        } else {
            (0..pairs.len()).into_par_iter().map(one).collect()
        };
        run.tell(Event::End);
        let counts = Counts {
            machine_solves: solved.len() as u64,
            smo_steps: solved.iter().map(|s| s.1).sum(),
            ..Counts::default()
        };
        let duals: Vec<Dual> = solved.into_iter().map(|s| s.0).collect();
        if duals.iter().any(|d| !d.is_finite()) {
            return Err(self.overflow("a number of the machine", largest));
        }
        Ok(Machines { decomposition: self.decomposition, duals, counts })
    }

    fn overflow(&self, what: &str, largest: f64) -> Error {
        Error::Data(format!(
            "{what} is beyond what f64 can hold (the largest diagonal entry of the kernel is \
             {largest:.1e}, C is {:.1e}); normalise the kernel, scale the features or use another C",
            self.c
        ))
    }

    /// C_i of each instance.
    ///
    /// # Errors
    /// Unknown class names; a product that is not a finite number.
    pub fn costs(&self, classes: &Classes, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        let k = classes.n_classes();
        let mut by_class = vec![1.0; k];
        for (name, weight) in &self.class_weights {
            let Some(c) = classes.names.iter().position(|n| n == name) else {
                return Err(Error::unknown("class", name, &classes.names));
            };
            by_class[c] = *weight;
        }
        if self.balanced {
            let n = classes.codes.len() as f64;
            by_class = classes.counts().iter().map(|m| n / (k as f64 * *m as f64)).collect();
        }
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let cost = |(i, code): (usize, &u32)| self.c * by_class[*code as usize] * weight(i);
        let costs: Vec<f64> = classes.codes.iter().enumerate().map(cost).collect();
        match costs.iter().position(|c| !c.is_finite()) {
            None => Ok(costs),
            Some(i) => {
                let problem = format!(
                    "{:e} times the weights of instance {i} is {}; use a smaller C or smaller weights",
                    self.c, costs[i]
                );
                Err(Error::parameter("c", problem))
            }
        }
    }

    /// Refuses a C or a tolerance that no machine can have.
    pub(crate) fn check_ranges(&self) -> Result<()> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            let problem = format!("expected a finite number above 0, found {}", brief(self.c));
            return Err(Error::parameter("c", problem));
        }
        if !(self.tol > 0.0 && self.tol < 1.0) {
            let problem = format!("expected a number between 0 and 1, found {}", brief(self.tol));
            return Err(Error::parameter("tol", problem));
        }
        Ok(())
    }

    fn check(
        &self,
        kernel: &dyn Rows,
        classes: &Classes,
        weights: Option<&[f64]>,
        warm: Option<&Machines>,
    ) -> Result<()> {
        self.check_ranges()?;
        let n = classes.codes.len();
        if kernel.n() != n {
            return Err(Error::shape("kernel", format!("{n} rows, one per label"), kernel.n()));
        }
        if let Some(code) = classes.codes.iter().find(|c| **c as usize >= classes.n_classes()) {
            let expected = format!("codes below {}", classes.n_classes());
            return Err(Error::shape("classes", expected, code));
        }
        for (name, weight) in &self.class_weights {
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
        if let Some(weights) = weights {
            if weights.len() != n {
                return Err(Error::shape(
                    "instance weights",
                    format!("{n}, one per label"),
                    weights.len(),
                ));
            }
            if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
                let problem = format!(
                    "the weight of instance {i} is {}; expected a finite number, 0 or more",
                    weights[i]
                );
                return Err(Error::parameter("weights", problem));
            }
        }
        warm.map_or(Ok(()), |w| self.check_warm(w, classes))
    }

    fn check_warm(&self, warm: &Machines, classes: &Classes) -> Result<()> {
        let pairs = self.decomposition.pairs(classes.n_classes());
        if warm.pairs() != pairs {
            return Err(Error::shape(
                "warm start",
                format!("the {} machines of this decomposition and these classes", pairs.len()),
                format!("{} other machines", warm.duals.len()),
            ));
        }
        let n = classes.codes.len();
        if let Some(dual) = warm.duals.iter().find(|d| d.coef.len() != n) {
            let expected = format!("{n} coefficients per machine, one per label");
            return Err(Error::shape("warm start", expected, dual.coef.len()));
        }
        if warm.duals.iter().flat_map(|d| &d.coef).any(|c| !c.is_finite()) {
            return Err(Error::shape("warm start", "finite coefficients", "one that is not"));
        }
        Ok(())
    }
}

/// Solves one binary problem; also gives the number of steps.
fn binary(
    kernel: &dyn Rows,
    classes: &Classes,
    costs: &[f64],
    (positive, negative): (u32, Option<u32>),
    start: Option<&[f64]>,
    settings: &Settings,
    watch: &Watch,
) -> (Dual, u64) {
    let sign = |code: &u32| {
        if *code == positive {
            1.0
        } else if negative.is_none_or(|c| c == *code) {
            -1.0
        } else {
            0.0
        }
    };
    let y: Vec<f64> = classes.codes.iter().map(sign).collect();
    let signed: Vec<f64> = y.iter().zip(costs).map(|(y, c)| y * c).collect();
    let lower: Vec<f64> = signed.iter().map(|c| c.min(0.0)).collect();
    let upper: Vec<f64> = signed.iter().map(|c| c.max(0.0)).collect();
    let linear: Vec<f64> = y.iter().map(|y| -y).collect();
    let problem = Quadratic { rows: kernel, linear: &linear, lower: &lower, upper: &upper };
    let start = start.map(|coef| feasible(coef, &lower, &upper));
    let found = smo::solve(&problem, start, settings, watch);
    let bias = -found.threshold;
    let (mut norm, mut sum, mut loss) = (0.0, 0.0, 0.0);
    for i in 0..y.len() {
        let value = found.gradient[i] - linear[i];
        norm += found.x[i] * value;
        sum += found.x[i] * y[i];
        loss += signed[i].abs() * (1.0 - y[i] * (value + bias)).max(0.0);
    }
    let (primal, objective) = (0.5 * norm + loss, sum - 0.5 * norm);
    let gap = (primal - objective) / primal.abs().max(f64::MIN_POSITIVE);
    let status = found.status;
    (Dual { positive, negative, coef: found.x, bias, objective, primal, gap, status }, found.steps)
}

/// The point of the box nearest to `coef`, with its larger side scaled down so that the sum is 0.
fn feasible(coef: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> =
        coef.iter().zip(lower).zip(upper).map(|((c, l), u)| c.clamp(*l, *u)).collect();
    let positive: f64 = x.iter().filter(|v| **v > 0.0).sum();
    let negative: f64 = -x.iter().filter(|v| **v < 0.0).sum::<f64>();
    let (up, down) = if positive > negative {
        (negative / positive, 1.0)
    } else {
        (1.0, if negative > 0.0 { positive / negative } else { 1.0 })
    };
    x.iter_mut().for_each(|v| *v *= if *v > 0.0 { up } else { down });
    x
}
