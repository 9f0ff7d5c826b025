//! Kernel machines: one kernel and a target to coefficients.
//!
//! Every machine here maximises, over a set of coefficients that does not depend on the kernel K,
//!
//! ```text
//! J(K) = Σ_blocks max_c  ℓ(c) − ½ Σ_u c_uᵀ K c_u
//! ```
//!
//! with ℓ concave and free of K, and gives f_u(x) = Σ_i c_ui k(x_i, x) + b_u. That is all a method that
//! combines kernels has to know: it drives a [`Machine`], reads [`Block::linear`] = ℓ(c), the
//! coefficients of the heads u, both objectives and what is [free](Free) to move, and gets its certificate
//! from P − (Σ ℓ(c) − ½ max_m Σ_u c_uᵀ K_m c_u) whichever machine it is. A machine into whose problem the
//! kernel enters in another way, too, says so ([`Machine::has_free_dual`]) and goes with methods that find
//! the combination without it.

mod binary;
mod common;
mod joint_svc;
mod kernel_fisher;
mod kernel_logistic;
mod kernel_ridge;
mod laplacian_svm;
mod multiclass;
mod nu_svr;
mod one_class_svm;
mod posterior_svm;
mod solution;
mod spec;
mod squared_hinge_svc;
mod svc;
mod svdd;
mod svr;

pub use multiclass::Decomposition;
pub use solution::{Block, Free, Head, Role, Says, Solution};
pub use spec::{CheckedMachine, MachineSpec};
pub use svc::Svc;

use crate::data::Target;
use crate::method::Entry;
use crate::scale::Loss;
use crate::solve::Rows;
use crate::{Error, Result, Run};
use std::fmt;

/// All machines. To add one, write `machine/<id>.rs` with a `pub static ENTRY: Entry<dyn Machine>` and add
/// its line.
pub static REGISTRY: &[&Entry<dyn Machine>] = &[
    &svc::ENTRY,
    &squared_hinge_svc::ENTRY,
    &joint_svc::ENTRY,
    &posterior_svm::ENTRY,
    &kernel_fisher::ENTRY,
    &kernel_logistic::ENTRY,
    &laplacian_svm::ENTRY,
    &svr::ENTRY,
    &nu_svr::ENTRY,
    &kernel_ridge::ENTRY,
    &one_class_svm::ENTRY,
    &svdd::ENTRY,
];

/// The machines that learn from instances without a class, too.
pub fn learn_unlabelled() -> Vec<&'static str> {
    let all = REGISTRY.iter().filter(|e| (e.build)(&e.defaults()).uses_unlabelled());
    all.map(|e| e.id).collect()
}

/// The machines whose models tell probabilities of classes without a calibration.
pub fn tell_probabilities() -> Vec<&'static str> {
    let all = REGISTRY.iter().filter(|e| (e.build)(&e.defaults()).as_logistic().is_some());
    all.map(|e| e.id).collect()
}

/// Says that a machine does not learn towards landmarks, and which do.
pub(crate) fn no_loss() -> Error {
    let able = REGISTRY.iter().filter(|e| (e.build)(&e.defaults()).loss().is_some());
    let able: Vec<&str> = able.map(|e| e.id).collect();
    let problem = format!(
        "it does not learn towards landmarks or in random features (storage nystroem, fourier); machines that do: {}",
        able.join(", ")
    );
    Error::parameter("machine", problem)
}

/// What a machine is given beside a kernel and a target.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// Non-negative weights of the instances, which multiply C; `None` is 1 for each. An instance with
    /// weight 0 takes no part.
    pub weights: Option<&'a [f64]>,
    /// The solution of a nearby problem with the same instances and heads, to start from.
    pub warm: Option<&'a Solution>,
    /// Relative duality gap to stop at; `None` is the machine's own.
    pub tol: Option<f64>,
    /// The only problem to be solved, by its number among the [`problems`](Machine::problems); `None` is all. The
    /// solution and the start then have the heads of this one alone. Machines with one problem do not look at it.
    pub only: Option<usize>,
    /// Limits and progress.
    pub run: &'a Run,
}

impl<'a> How<'a> {
    /// Without weights and start, to the machine's own tolerance.
    pub fn new(run: &'a Run) -> Self {
        How { weights: None, warm: None, tol: None, only: None, run }
    }
}

/// The one trait that a new machine implements.
pub trait Machine: fmt::Debug + Send + Sync {
    /// Learns on one kernel.
    ///
    /// # Errors
    /// A target of another kind, parameters out of range, lengths that differ, numbers beyond f64.
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution>;

    /// Refuses parameters that no machine of this kind can have.
    ///
    /// # Errors
    /// The parameter, and what was expected.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Relative duality gap to which it solves where nothing else is asked.
    fn tol(&self) -> f64;

    /// What its decision values say.
    fn reading(&self) -> Reading;

    /// How many problems it solves that do not depend on each other, with this many classes.
    fn problems(&self, classes: usize) -> usize {
        let _ = classes;
        1
    }

    /// Whether ℓ of its dual is free of the kernel, which a certificate over all combinations rests on.
    fn has_free_dual(&self) -> bool {
        true
    }

    /// Its loss, where its objective is ½‖w‖² and losses of the decision values of each head by itself, with a bias: it
    /// then learns in explicit features, too ([`scale`](crate::scale)).
    fn loss(&self) -> Option<Loss> {
        None
    }

    /// The cost of each instance in that loss.
    ///
    /// # Errors
    /// A target of another kind, parameters out of range.
    fn loss_costs(&self, target: &Target, weights: Option<&[f64]>) -> Result<Vec<f64>> {
        common::costs(1.0, target.len(), weights)
    }

    /// As C-SVC, for methods that solve its dual themselves.
    fn as_svc(&self) -> Option<&Svc> {
        None
    }

    /// A C-SVC with its C, class weights and limits, for methods that solve a hinge loss beside it themselves.
    fn hinge(&self) -> Option<&Svc> {
        self.as_svc()
    }

    /// As ridge regression with another ridge, for methods that learn it.
    fn with_ridge(&self, lambda: f64) -> Option<Box<dyn Machine>> {
        let _ = lambda;
        None
    }

    /// Whether it was asked for [`left_out`](Self::left_out).
    fn tells_left_out(&self) -> bool {
        false
    }

    /// What it says of each instance after learning from the others alone, where `solution` is what it learned from all;
    /// of one that takes no part, what it says anyway. `None` where it has that not in closed form, or learned something else.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); a stop.
    fn left_out(
        &self,
        kernel: &dyn Rows,
        target: &Target,
        how: &How<'_>,
        solution: &Solution,
    ) -> Result<Option<Vec<f64>>> {
        let _ = (kernel, target, how, solution);
        Ok(None)
    }

    /// What k(x, x) of the combination is multiplied by where it is a part of the decision value of x.
    fn own_similarity(&self) -> f64 {
        0.0
    }

    /// As kernel logistic regression, whose decision values are logarithms of odds, which tell probabilities of classes.
    fn as_logistic(&self) -> Option<&Svc> {
        None
    }

    /// Whether it learns from the posteriors of a target that has some.
    fn reads_posteriors(&self) -> bool {
        false
    }

    /// Whether it learns from instances without a class, too ([`Target::Partial`]).
    fn uses_unlabelled(&self) -> bool {
        false
    }

    /// The target with the posteriors that such a machine estimates from a kernel, where it has none. Methods
    /// that change the kernel while they learn ask once and go on with that target: ℓ has to stay the same.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); a stop.
    fn settle(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Option<Target>> {
        let _ = (kernel, target, how);
        Ok(None)
    }

    /// What to try where `share` of the coefficients that could be at their bound are there, on kernels
    /// with this mean diagonal.
    fn advice(&self, share: f64, diagonal: f64) -> Option<String> {
        let _ = (share, diagonal);
        None
    }
}

/// One problem of a machine that solves several.
#[derive(Debug)]
pub(crate) struct Alone<'a> {
    /// The machine.
    pub machine: &'a dyn Machine,
    /// Which of its [`problems`](Machine::problems).
    pub problem: usize,
}

impl Machine for Alone<'_> {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        self.machine.solve(kernel, target, &How { only: Some(self.problem), ..*how })
    }

    fn tol(&self) -> f64 {
        self.machine.tol()
    }

    fn reading(&self) -> Reading {
        self.machine.reading()
    }

    fn has_free_dual(&self) -> bool {
        self.machine.has_free_dual()
    }
}

/// What decision values say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Classes, by binary problems.
    Classes(Decomposition),
    /// Classes, the largest of one value for each.
    Scores,
    /// The number that is predicted.
    Number,
    /// At least 0 for instances like those of training, below for others.
    Inside,
}

impl Reading {
    /// What the heads say, with this many classes.
    pub fn roles(self, classes: usize) -> Vec<Role> {
        let score = |positive| Role::Classes { positive, negative: None };
        match self {
            Reading::Classes(decomposition) => decomposition.roles(classes),
            Reading::Scores => (0..classes as u32).map(score).collect(),
            Reading::Number => vec![Role::Only { says: Says::Number }],
            Reading::Inside => vec![Role::Only { says: Says::Inside }],
        }
    }

    /// Codes from the values `decisions[t][i]` of head t for instance i: classes, 1 for inside and 0 for
    /// outside, nothing for numbers.
    pub fn decide(self, classes: usize, decisions: &[Vec<f64>]) -> Vec<u32> {
        let roles = self.roles(classes);
        match self {
            Reading::Classes(decomposition) => decomposition.decide(&roles, classes, decisions),
            Reading::Scores => Decomposition::OneVsRest.decide(&roles, classes, decisions),
            Reading::Inside => decisions[0].iter().map(|v| u32::from(*v >= 0.0)).collect(),
            Reading::Number => Vec::new(),
        }
    }

    /// Whether the coefficients of every head sum to 0, so that a constant added to all values of a
    /// kernel with a new instance changes nothing.
    pub fn sums_to_zero(self) -> bool {
        !matches!(self, Reading::Inside)
    }

    /// How right the values `decisions[t][i]` of head t for instance i are, the more the better: 1 where
    /// the class is the true one, else 0; minus the squared error of a number; 0 where nothing is known.
    pub fn right(self, target: &Target, decisions: &[Vec<f64>]) -> Vec<f64> {
        match (self, target) {
            (Reading::Classes(_) | Reading::Scores, target) => {
                let Ok(classes) = target.partial_classes() else {
                    return vec![0.0; target.len()];
                };
                let codes = self.decide(classes.n_classes(), decisions);
                let pairs = codes.iter().zip(&classes.codes);
                pairs.map(|(found, is)| f64::from(u8::from(Some(*found) == *is))).collect()
            }
            (Reading::Number, Target::Real(values)) => {
                let pairs = decisions[0].iter().zip(values);
                pairs.map(|(found, is)| -(found - is).powi(2)).collect()
            }
            _ => vec![0.0; target.len()],
        }
    }
}
