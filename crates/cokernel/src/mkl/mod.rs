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
mod two_stage;
mod ufo_mkl;
mod view_classifiers;

pub use shared_classifiers::{SharedClassifiers, Sharing};
pub(crate) use towards::combination;

use crate::bank::{Bank, Storage};
use crate::data::{LearnedView, Matrix, Pairs, Target, Views, mapped};
use crate::kernel::Kernel;
use crate::machine::{How, Machine, Solution, learn_unlabelled};
use crate::method::{Entry, Integration, Method};
use crate::params::Params;
use crate::rule::{Combination, Mix, Rule};
use crate::run::Pass;
use crate::scale::{Basis, Space};
use crate::solve::Rows;
use crate::{Error, Report, Result, Run, Status, Watch};
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
    /// Pairs of instances, for methods that [read them](Learner::reads_pairs).
    pub pairs: Option<GivenPairs<'a>>,
    /// The features towards landmarks that stand for the kernels, for methods that [learn in them](Learner::scales); the
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
    fn warm_machines(&self) -> Option<&'a Solution> {
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
/// are told by. Heads × kernels that the rule [reads](Rule::active).
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

    /// Whether instances without a label ([`Target::Partial`]) are no hindrance: it does not look at labels, or at
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
    /// [`Bank::present`].
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

/// Refuses pairs that the method would not look at, or that are not those of their kernels.
pub(crate) fn check_pairs(problem: &Problem<'_>, learner: &dyn Learner) -> Result<()> {
    let Some(given) = problem.pairs else { return Ok(()) };
    if !learner.reads_pairs() {
        return Err(no_pairs("the method"));
    }
    if problem.space.is_some() {
        let problem = "towards landmarks weights are learned from a sample of the instances, and pairs are of all; give no pairs, \
                       or another storage";
        return Err(Error::parameter("pairs", problem));
    }
    if given.pairs.n() != given.bank.n() || given.bank.len() != problem.bank.len() {
        let expected = format!("{} instances and {} kernels", given.bank.n(), problem.bank.len());
        let found = format!("{} and {}", given.pairs.n(), given.bank.len());
        return Err(Error::shape("pairs", expected, found));
    }
    Ok(())
}

/// Says that a method does not learn from pairs, and which do.
pub fn no_pairs(method: &str) -> Error {
    let reads = |e: &&&Entry<dyn Learner>| (e.build)(&e.method.defaults()).reads_pairs();
    let able: Vec<&str> = REGISTRY.iter().filter(reads).map(|e| e.method.id).collect();
    let able = able.join(", ");
    Error::parameter(
        "pairs",
        format!("{method} does not learn from pairs; methods that do: {able}"),
    )
}

/// Learns a combination and makes sure that its machines are trained: those of the method where
/// it has some, else the problem's machine on the combined kernel. The report covers both; a rule
/// that is a formula ends as its machine does, with the machine's objective and gap.
///
/// # Errors
/// Data or machine parameters that cannot be used.
pub fn train(problem: &Problem<'_>, learner: &dyn Learner, run: &Run) -> Result<Learned> {
    let watch = run.watch();
    problem.machine.check()?;
    if matches!(problem.target, Target::Posteriors(_)) && !problem.machine.reads_posteriors() {
        let problem = "the machine learns from classes, not from their posteriors; choose one that does \
                       (posterior_svm)";
        return Err(Error::parameter("machine", problem));
    }
    if matches!(problem.target, Target::Partial(_)) && !problem.machine.uses_unlabelled() {
        let problem = format!(
            "it learns from instances with a class, and some have none; leave them out, or choose a machine \
             that learns from both: {}",
            learn_unlabelled().join(", ")
        );
        return Err(Error::parameter("machine", problem));
    }
    check_pairs(problem, learner)?;
    if problem.space.is_some() {
        return towards::train(problem, learner, run);
    }
    let mut learned = learner.learn(problem, run)?;
    let mapped = problem.mapped(&learned.views, run)?;
    let problem = &match &mapped {
        Some((views, bank)) => Problem { bank, views: Some(views), ..*problem },
        None => *problem,
    };
    let formula = learned.report.status == Status::ClosedForm;
    let (machines, trained) = match learned.machines.take() {
        Some(machines) => (machines, false),
        None => (machines(problem, &*learned.rule, run, &watch)?, true),
    };
    let ended = bound::report(&machines);
    let report = &mut learned.report;
    if trained {
        report.counts.combines += 1;
        report.counts.add(&machines.counts);
    }
    if let Some(remark) = machines.remark().filter(|_| trained) {
        report.notes.push(remark);
        if report.status.is_success() {
            report.status = machines.status();
        }
    }
    if formula {
        report.status = ended.status;
        report.objective = vec![ended.primal];
        report.gap = Some(ended.gap);
    }
    let nothing = machines.heads().all(|h| h.coef.iter().all(|c| *c == 0.0));
    match report.status {
        status @ (Status::TimeLimit | Status::Interrupted) if nothing => report
            .warnings
            .push(format!("stopped ({status}) before anything was learned: {NO_ANSWER}")),
        // Not for what no coefficient is left of: that has other reasons.
        _ if nothing => {}
        _ => bound::remark(problem, &*learned.rule, ended.at_bound, report),
    }
    left_out::tell(problem, &*learned.rule, &machines, (run, &watch), report)?;
    // Decision functions that no machine has solved have no optimum to tell.
    let solves = machines.counts.machine_solves + report.counts.machine_solves;
    report.machine = (solves > 0).then_some(ended);
    report.seconds = watch.seconds();
    learned.machines = Some(machines);
    Ok(learned)
}

/// The problem's machine on the combination.
fn machines(problem: &Problem<'_>, rule: &dyn Rule, run: &Run, watch: &Watch) -> Result<Solution> {
    let Some(mix) = rule.pointwise() else {
        let problem = "has coefficients for every kernel, which its method did not bring";
        return Err(Error::Data(format!("the rule '{}' {problem}", rule.id())));
    };
    on_combination(problem, mix, rule, (run, watch), |kernel, how| {
        problem.machine.solve(kernel, problem.target, how)
    })
}

/// What is found on the kernel that a rule makes of the kernels.
fn on_combination<T>(
    problem: &Problem<'_>,
    mix: &dyn Mix,
    rule: &dyn Rule,
    (run, watch): (&Run, &Watch),
    of: impl FnOnce(&dyn Rows, &How<'_>) -> Result<T>,
) -> Result<T> {
    let numbers = numbers(problem, mix)?;
    let kernel = mixed(problem.bank, mix, numbers.as_ref(), run, watch)?;
    if mix.weights().is_none() {
        usable(problem.bank, rule, &kernel.diagonal())?;
    }
    let run = run.remaining(watch).quiet();
    let (weights, warm) = (problem.weights, problem.warm_machines());
    of(kernel.as_ref(), &How { weights, warm, ..How::new(&run) })
}

/// What the rule wants to know of the instances by themselves.
fn numbers(problem: &Problem<'_>, mix: &dyn Mix) -> Result<Option<Matrix>> {
    match problem.views {
        Some(views) => mix.numbers(views),
        None if mix.views().is_empty() => Ok(None),
        None => {
            let names = mix.views().join("', '");
            Err(Error::Data(format!(
                "the rule '{}' looks at the features of '{names}'; give the views, not kernels alone",
                mix.id()
            )))
        }
    }
}

/// Refuses a combination that is nothing but 0, or nearly, though none of its kernels is, and one whose
/// values are not numbers.
fn usable(bank: &Bank, rule: &dyn Rule, diagonal: &[f64]) -> Result<()> {
    let largest = |d: &[f64]| d.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if let Some(i) = diagonal.iter().position(|d| !d.is_finite()) {
        let why = match diagonal[i].is_nan() {
            true => "no number: powers that are not whole were taken of negative values",
            false => "beyond what f64 can hold",
        };
        return Err(Error::Data(format!(
            "the combination of the kernels by '{}' is {why} (row {i}); normalise the kernels \
             (normalize=unit_diagonal)",
            rule.id()
        )));
    }
    let found = largest(diagonal);
    let active = rule.active();
    if found >= f64::MIN_POSITIVE || active.iter().any(|m| largest(&bank.diagonal(*m)) == 0.0) {
        return Ok(());
    }
    Err(Error::Data(format!(
        "the product of {} kernels is below what f64 can hold (its largest diagonal entry is \
         {found:.1e}); normalise the kernels (normalize=unit_diagonal) or multiply fewer",
        active.len()
    )))
}

/// The combination: stored where n × n values fit into the memory of the run, else row by row, also if
/// storing it takes too long.
fn mixed<'a>(
    bank: &'a Bank,
    mix: &'a dyn Mix,
    numbers: Option<&'a Matrix>,
    run: &Run,
    watch: &Watch,
) -> Result<Box<dyn Rows + 'a>> {
    if fits(bank, 1, run) {
        let pass = Pass::under(watch);
        let gram = bank.mixed_in(mix, numbers, &pass)?;
        if !pass.is_given_up() {
            return Ok(Box::new(gram));
        }
    }
    Ok(match mix.weights() {
        Some(weights) => bank.combined_rows_in(weights, None, &Pass::under(watch)),
        None => bank.mixed_rows(mix, numbers),
    })
}

/// How a remark ends on a model that nothing has been learned for.
pub(crate) const NO_ANSWER: &str = "all decision values are the same, which is no answer";

/// Whether this many n × n matrices fit into the memory of the run.
fn fits(bank: &Bank, matrices: usize, run: &Run) -> bool {
    let bytes = bank.n().checked_mul(bank.n()).and_then(|e| e.checked_mul(8 * matrices));
    bytes.is_some_and(|b| b <= run.memory)
}

/// Refuses labels for another number of instances than the bank has.
fn check(problem: &Problem<'_>) -> Result<()> {
    if problem.space.is_some() {
        return Ok(());
    }
    let (n, labels) = (problem.bank.n(), problem.target.len());
    if n != labels {
        return Err(Error::shape("labels", format!("{n}, one per instance"), labels));
    }
    Ok(())
}

/// A rule without training: nothing but the rule and a report.
fn fixed(problem: &Problem<'_>, rule: Combination, run: &Run) -> Result<Learned> {
    check(problem)?;
    Ok(Learned::of(rule, Report::closed_form(run)))
}
