//! Classifiers of the views that several fits on the same kernels have in common: what a tuning tries of a method's other
//! parameters (λ, γ, ν), or the methods of a comparison that join such classifiers.
//!
//! They are known by machine, seed, memory and the parameters of the [stage](super::view_classifiers), and used where
//! kernels, target, weights and machine of the problem are the very ones that they were trained on. Training them anew
//! gives the same bits; a report counts their machines either way.

use super::Problem;
use super::view_classifiers::{ViewClassifiers, Views};
use crate::bank::Bank;
use crate::data::Target;
use crate::machine::{CheckedMachine, Machine};
use crate::{Result, Run};
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers that are kept at most: 128 MB.
const MOST: usize = 1 << 24;

/// The classifiers that were trained last.
#[derive(Default)]
pub struct SharedClassifiers(Mutex<Vec<Known>>);

struct Known {
    machine: CheckedMachine,
    stage: ViewClassifiers,
    seed: u64,
    memory: usize,
    views: Arc<Views>,
}

/// Where a problem finds classifiers of its views.
#[derive(Clone, Copy)]
pub struct Sharing<'a> {
    store: &'a SharedClassifiers,
    checked: &'a CheckedMachine,
    bank: &'a Bank,
    target: &'a Target,
    weights: Option<&'a [f64]>,
    machine: &'a dyn Machine,
}

impl fmt::Debug for SharedClassifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedClassifiers")
    }
}

impl<'a> Problem<'a> {
    /// With classifiers of the views that other fits of this machine share: one store for each bank, target and weights.
    #[must_use]
    pub fn sharing(self, store: &'a SharedClassifiers, checked: &'a CheckedMachine) -> Self {
        let Problem { bank, target, weights, machine, .. } = self;
        Problem { shared: Some(Sharing { store, checked, bank, target, weights, machine }), ..self }
    }
}

impl Sharing<'_> {
    /// Whether this is the problem that they were trained on, and not a part or another form of it.
    fn is_of(&self, problem: &Problem<'_>) -> bool {
        let weights = match (self.weights, problem.weights) {
            (Some(a), Some(b)) => ptr::eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let (own, other): (*const dyn Machine, *const dyn Machine) =
            (self.machine, problem.machine);
        weights
            && ptr::eq(self.bank, problem.bank)
            && ptr::eq(self.target, problem.target)
            && ptr::addr_eq(own, other)
    }
}

/// The classifiers of this problem: those that another fit trained, or those that `train` does, kept unless they were cut
/// short.
pub(super) fn find(
    problem: &Problem<'_>,
    stage: &ViewClassifiers,
    run: &Run,
    train: impl FnOnce() -> Result<Views>,
) -> Result<Arc<Views>> {
    let Some(shared) = problem.shared.filter(|s| s.is_of(problem)) else {
        return train().map(Arc::new);
    };
    let same = |k: &&Known| {
        (&k.machine, &k.stage, k.seed, k.memory) == (shared.checked, stage, run.seed, run.memory)
    };
    let kept = || shared.store.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept().iter().find(same) {
        return Ok(Arc::clone(&known.views));
    }
    let views = Arc::new(train()?);
    if views.stopped.is_none() && views.size() <= MOST {
        let mut all = kept();
        all.push(Known {
            machine: shared.checked.clone(),
            stage: stage.clone(),
            seed: run.seed,
            memory: run.memory,
            views: Arc::clone(&views),
        });
        let mut left = MOST;
        let fits = |k: &Known| {
            let fits = k.views.size() <= left;
            left = if fits { left - k.views.size() } else { 0 };
            fits
        };
        let newest = all.iter().rev().map(fits).take_while(|fits| *fits).count();
        let old = all.len() - newest;
        all.drain(..old);
    }
    Ok(views)
}
