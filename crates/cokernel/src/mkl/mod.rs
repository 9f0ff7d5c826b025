//! Many kernels to a combination rule: one file per method, one registry.
//!
//! To add a method, write `mkl/<id>.rs` with a `pub static ENTRY: Entry<dyn Learner>` and add its line to
//! [`REGISTRY`].
//!
//! Weights on the simplex (mean, `simple_mkl`, `two_stage`, `best_single`) keep the cost C of the
//! machine comparable between methods: the combined kernel is an average of the given ones. The
//! sum of M kernels with cost C is the mean with cost M·C.

mod accuracy_weights;
mod align;
mod alignf;
mod alignment_gradient;
mod bach;
mod bayes;
mod bemkl;
mod best_single;
mod binary_selection;
mod boosting;
mod bound;
mod cg_boost;
mod components;
mod concat;
mod convex_localized;
mod de_diego;
mod definite;
mod easy_mkl;
mod ekp;
mod elastic_net;
mod emkl;
mod forest_two_stage;
mod fsm;
mod gate_views;
mod gaussian_process;
mod gibbs_probit;
mod girolami_rogers;
mod gmkl;
mod gml;
pub(crate) mod gpk;
mod held_out;
mod hyperkernels;
mod ideal_distance;
mod infinite_mkl;
mod kandola;
mod kernel_boosting;
pub(crate) mod kernel_costs;
mod kl_divergence;
mod lanckriet_alignment;
mod lanckriet_qcqp;
mod lanckriet_sdp;
mod late_mean;
mod left_out;
mod level_mkl;
mod localized_mkl;
mod log_penalty;
mod lp_beta;
mod lp_norm;
pub(crate) mod lpk;
mod mark;
mod mean;
pub mod measures;
mod medfc;
mod mixed_norm;
mod named;
mod neighbour_weights;
mod normalized_cut;
mod outer;
mod parametric;
mod polynomial_combination;
mod polynomial_two_stage;
mod power_product;
mod prices;
mod priors;
mod problem;
mod product;
mod projections;
mod regularized_simple_mkl;
mod rmkl;
mod row_sample;
mod rwkl;
mod sets;
mod shared_classifiers;
mod silp;
mod simple_mkl;
mod smo_mkl;
mod sum;
mod surface_search;
mod towards;
mod train;
mod two_stage;
mod ufo_mkl;
mod view_classifiers;

pub(crate) use problem::with_maps;
pub use problem::{GivenPairs, Learned, Parts, Problem};
pub use shared_classifiers::{SharedClassifiers, Sharing};
pub(crate) use towards::combination;
pub(crate) use train::{NO_ANSWER, check_pairs};
use train::{check, fits, fixed, mixed, on_combination};
pub use train::{no_pairs, train};

use crate::machine::Machine;
use crate::method::{Entry, Integration, Method};
use crate::params::Params;
use crate::{Result, Run};
use outer::Outer;
use std::fmt;

/// All methods that learn a combination for a kernel machine.
pub static REGISTRY: &[&Entry<dyn Learner>] = &[
    &best_single::ENTRY,
    &concat::ENTRY,
    &mean::ENTRY,
    &sum::ENTRY,
    &product::ENTRY,
    &power_product::ENTRY,
    &late_mean::ENTRY,
    &ekp::ENTRY,
    &lp_beta::ENTRY,
    &simple_mkl::ENTRY,
    &infinite_mkl::ENTRY,
    &hyperkernels::ENTRY,
    &lp_norm::ENTRY,
    &bach::ENTRY,
    &rmkl::ENTRY,
    &emkl::ENTRY,
    &elastic_net::ENTRY,
    &mixed_norm::ENTRY,
    &regularized_simple_mkl::ENTRY,
    &log_penalty::ENTRY,
    &binary_selection::ENTRY,
    &convex_localized::ENTRY,
    &gmkl::ENTRY,
    &localized_mkl::ENTRY,
    &gpk::ENTRY,
    &lpk::ENTRY,
    &polynomial_combination::ENTRY,
    &polynomial_two_stage::ENTRY,
    &silp::ENTRY,
    &level_mkl::ENTRY,
    &lanckriet_qcqp::ENTRY,
    &lanckriet_sdp::ENTRY,
    &smo_mkl::ENTRY,
    &medfc::ENTRY,
    &gml::ENTRY,
    &cg_boost::ENTRY,
    &mark::ENTRY,
    &kernel_boosting::ENTRY,
    &gaussian_process::ENTRY,
    &bemkl::ENTRY,
    &girolami_rogers::ENTRY,
    &gibbs_probit::ENTRY,
    &ufo_mkl::ENTRY,
    &two_stage::ENTRY,
    &forest_two_stage::ENTRY,
    &normalized_cut::ENTRY,
    &accuracy_weights::ENTRY,
    &de_diego::ENTRY,
    &neighbour_weights::ENTRY,
    &rwkl::ENTRY,
    &align::ENTRY,
    &alignf::ENTRY,
    &lanckriet_alignment::ENTRY,
    &kandola::ENTRY,
    &ideal_distance::ENTRY,
    &fsm::ENTRY,
    &kl_divergence::ENTRY,
    &alignment_gradient::ENTRY,
    &easy_mkl::ENTRY,
];

/// A method of this registry, built from checked parameters.
///
/// # Errors
/// The method is one of another registry.
pub fn learner(method: &Method, params: &Params) -> Result<Box<dyn Learner>> {
    Entry::built(REGISTRY, method, params, "clusters; it does not learn from labels")
}

/// Which views the kernels of a method are computed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// The views as they are.
    Views,
    /// One view made of all columns side by side (kernel specifications lose their view).
    Concatenated,
}

/// What a second copy of a kernel does under a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// The copies share what the kernel had: the decision function stays.
    Share,
    /// Each copy is as good as the other, and the kernel counts twice.
    CountTwice,
    /// The problem is not convex: which copies count depends on the way there.
    Either,
}

/// The one trait that a new method implements.
pub trait Learner: fmt::Debug + Send + Sync {
    /// Learns a combination.
    ///
    /// # Errors
    /// Data that the method cannot use.
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned>;

    /// Which views the kernels are computed on.
    fn arrangement(&self) -> Arrangement {
        Arrangement::Views
    }

    /// Where it puts the views together.
    fn integration(&self) -> Integration {
        match self.arrangement() {
            Arrangement::Concatenated => Integration::Early,
            Arrangement::Views => Integration::Intermediate,
        }
    }

    /// Names of the views that it looks at beside those of the kernels.
    fn looks_at(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a second copy of a kernel does.
    fn copies(&self) -> Copies {
        Copies::Share
    }

    /// d, where all `kernels` kernels times s make the combined kernel s^d times what it is, so that C
    /// divided by s^d leaves the decision values as they are.
    fn degree(&self, kernels: usize) -> f64 {
        let _ = kernels;
        1.0
    }

    /// Whether the combination depends on the machine (its C, say) or on the weights of instances.
    /// Where it does not, it is learned once for several machines on the same kernels.
    fn depends_on_machine(&self) -> bool {
        true
    }

    /// Whether it changes the kernel by what the duals of the machines say, as methods with a certificate do:
    /// the part ℓ of the dual then has to be [free](Machine::has_free_dual) of the kernel.
    fn drives_duals(&self) -> bool {
        false
    }

    /// Whether instances without a label ([`Target::Partial`](crate::data::Target::Partial)) are no hindrance: it does not look at labels, or at
    /// those that are there.
    fn reads_partial_labels(&self) -> bool {
        false
    }

    /// Whether it learns from pairs of instances, where there are some.
    fn reads_pairs(&self) -> bool {
        false
    }

    /// Whether it learns in the features towards landmarks ([`Problem::space`]), too, in time proportional to the number of
    /// instances.
    fn scales(&self) -> bool {
        false
    }

    /// The most instances of the sample from which its weights are learned where landmarks stand for the kernels; `None` if
    /// it is not learned so: it looks at no machine, and what it finds is a weighted sum.
    fn samples(&self) -> Option<usize> {
        None
    }

    /// Whether an instance with weight 2 is to it the same instance twice: not where it looks at folds or pairs
    /// of instances, or chooses its weights without a look at those of the instances.
    fn weights_repeat(&self) -> bool {
        true
    }

    /// Whether the machines are trained on the values that new instances are compared by: not where it looks at the
    /// labels of both instances of a pair.
    fn trains_on_rule(&self) -> bool {
        true
    }

    /// Whether it learns maps of features: kernels that are given as matrices are none.
    fn maps_features(&self) -> bool {
        false
    }

    /// Whether every kernel has to be one of features.
    fn needs_features(&self) -> bool {
        self.maps_features() || self.arrangement() == Arrangement::Concatenated
    }

    /// Whether it looks at features beside the values of kernels, or at those alone.
    fn looks_at_features(&self) -> bool {
        self.needs_features() || !self.looks_at().is_empty()
    }

    /// Whether it learns from instances that lack some views, from the others that they have: it looks at
    /// [`Bank::present`](crate::bank::Bank::present).
    fn learns_per_view(&self) -> bool {
        false
    }

    /// Whether every instance has to be as similar to itself as 1 in every kernel.
    fn needs_unit_diagonals(&self) -> bool {
        false
    }

    /// Whether it goes with a machine of its tasks.
    fn takes(&self, machine: &dyn Machine) -> bool {
        (machine.has_free_dual() || !self.drives_duals())
            && (self.reads_partial_labels() || !machine.uses_unlabelled())
    }
}

/// A combination that is known already: what a method has learned, before any machine was trained.
#[derive(Debug)]
pub(crate) struct Known(pub Learned);

impl Learner for Known {
    fn learn(&self, _: &Problem<'_>, _: &Run) -> Result<Learned> {
        Ok(self.0.clone())
    }

    fn reads_pairs(&self) -> bool {
        true
    }
}
