//! What a method learns from, and what it learns.

use super::shared_classifiers::Sharing;
use crate::bank::{Bank, Storage};
use crate::data::{LearnedView, Matrix, Pairs, Target, Views, mapped};
use crate::kernel::Kernel;
use crate::machine::{Machine, Solution};
use crate::rule::Combination;
use crate::scale::{Basis, Space};
use crate::{Error, Report, Result, Run};

/// What a method learns from.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The kernels over the n training instances.
    pub bank: &'a Bank,
    /// The prepared views that they were computed on, where they are at hand.
    pub views: Option<&'a Views>,
    /// What is known about them.
    pub target: &'a Target,
    /// The machine that will be trained on the combination.
    pub machine: &'a dyn Machine,
    /// Non-negative weights of the instances, which multiply C; `None` is 1 for each.
    pub weights: Option<&'a [f64]>,
    /// What was learned for the same instances, kernels and binary problems with other parameters:
    /// a start, which changes how long learning takes but not what it finds.
    pub warm: Option<&'a Learned>,
    /// Pairs of instances, for methods that [read them](super::Learner::reads_pairs).
    pub pairs: Option<GivenPairs<'a>>,
    /// The features towards landmarks that stand for the kernels, for methods that [learn in them](super::Learner::scales); the
    /// bank is then that of the landmarks.
    pub space: Option<&'a Space>,
    /// Where classifiers of the views are that other fits trained: see [`sharing`](Self::sharing).
    pub shared: Option<Sharing<'a>>,
}

/// Pairs of instances that must or cannot link.
#[derive(Clone, Copy)]
pub struct GivenPairs<'a> {
    /// The same kernels as those of the problem, over the instances among which the pairs are: the
    /// problem's own, or more (without a label, say).
    pub bank: &'a Bank,
    /// The pairs.
    pub pairs: &'a Pairs,
}

impl<'a> Problem<'a> {
    /// Without weights and without a start.
    pub fn new(bank: &'a Bank, target: &'a Target, machine: &'a dyn Machine) -> Self {
        Problem {
            bank,
            views: None,
            target,
            machine,
            weights: None,
            warm: None,
            pairs: None,
            space: None,
            shared: None,
        }
    }

    /// The views, which learning towards landmarks needs.
    ///
    /// # Errors
    /// They are not at hand.
    pub(crate) fn features(&self) -> Result<&'a Views> {
        self.views.ok_or_else(|| {
            let problem = "landmarks need the features; give the views, not kernels alone";
            Error::Data(problem.to_string())
        })
    }

    /// The views and their kernels after maps were learned, `None` without maps: what the machines of a
    /// method that learns maps are trained on.
    ///
    /// # Errors
    /// The views are not at hand or do not fit the maps; as [`Bank::from_kernels`].
    pub fn mapped(&self, learned: &[LearnedView], run: &Run) -> Result<Option<(Views, Bank)>> {
        if learned.is_empty() {
            return Ok(None);
        }
        let views = self.views.ok_or_else(|| {
            Error::Data("the method maps features; give the views, not kernels alone".to_string())
        })?;
        Ok(Some(with_maps(self.bank, views, learned, Storage::Auto, run)?))
    }

    /// The machines of the start.
    pub(super) fn warm_machines(&self) -> Option<&'a Solution> {
        self.warm.and_then(|w| w.machines.as_ref())
    }
}

/// What a method learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The combination.
    pub rule: Combination,
    /// The machines on the combination, where the method solved them to the machine's tolerance
    /// itself; otherwise the caller trains the machine on the rule. Under a rule with coefficients
    /// for every kernel those of heads are one active kernel after the other, n for each.
    pub machines: Option<Solution>,
    /// Maps of views that were learned: the kernels are then those of the mapped views.
    pub views: Vec<LearnedView>,
    /// The parts of decision functions that are sums of those of kernels, where they are to be told apart.
    pub parts: Option<Parts>,
    /// What the coefficients of the machines belong to, where that is not all instances: landmarks, or directions of random features.
    pub basis: Option<Basis>,
    /// How it went.
    pub report: Report,
}

/// Decision functions f_t(x) = Σ_m (Σ_i A_tmi k_m(x_i, x) + b_tm): what new instances that lack some of the kernels
/// are told by. Heads × kernels that the rule [reads](crate::rule::Rule::active).
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The share of each kernel in f_t, 0 or more.
    pub shares: Matrix,
    /// b_tm.
    pub biases: Matrix,
}

impl Learned {
    /// A combination of the kernels as they are, whose machine is still to be trained.
    pub fn of(rule: Combination, report: Report) -> Self {
        Learned { rule, machines: None, views: Vec::new(), parts: None, basis: None, report }
    }
}

/// The mapped views, and the same kernel functions with normalisations of their own on them: of a view that has maps
/// [beside](LearnedView::beside) it a kernel for each of these, one after the other, in its place.
pub(crate) fn with_maps(
    bank: &Bank,
    views: &Views,
    learned: &[LearnedView],
    storage: Storage,
    run: &Run,
) -> Result<(Views, Bank)> {
    let views = mapped(views, learned)?;
    let mut kernels = Vec::new();
    for kernel in bank.kernels() {
        let before = kernels.len();
        let own = learned.iter().filter(|l| l.is_beside() && l.view() == kernel.view);
        for (p, map) in own.enumerate() {
            let name = format!("{}#{}", kernel.name, p + 1);
            kernels.push(Kernel { name, view: map.name().to_string(), ..kernel.clone() });
        }
        if kernels.len() == before {
            kernels.push(kernel.clone());
        }
    }
    let bank = Bank::from_kernels(&views, kernels, storage, run)?;
    Ok((views, bank))
}
