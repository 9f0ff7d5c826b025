//! [`PairKernels`]: kernels for embedding and clustering that are learned from must-link and cannot-link pairs.
//!
//! Semi-supervised clustering knows pairs and no classes (LMS, end of chapter 5). Any method that learns weights from
//! pairs then makes one similarity Σ_m c_m K_m of all kernels, or one of the kernels of each view, on which every
//! method that embeds and clusters works as on kernels that are given.
//!
//! The classifier of pairs wants centred kernels of unit variance (LMS §5.3), graphs want similarities that are not
//! negative. So weights μ are learned on H K_m H / s_m, s_m the mean diagonal of H K_m H, and c_m = μ_m / s_m:
//! centred, Σ_m c_m K_m is the kernel that was learned. Kernels that are centred already are taken as they are, and
//! so are all kernels where the method learns something else than weights. In the end all are divided by the mean
//! diagonal of their sum.
//!
//! New rows: their similarities by Σ_m c_m k_m.
//!
//! Cost: that of the method, and of one more set of kernels meanwhile; one n × n matrix for each similarity.

use super::{Mkl, PreparedViews};
use crate::bank::{Bank, Storage};
use crate::data::{Link, Pairs, Target};
use crate::kernel::{Kernel, Norm, Normalization};
use crate::machine::Svc;
use crate::mkl::{GivenPairs, Problem, check_pairs};
use crate::multiview::{Embedding, Extension, Source};
use crate::run::Pass;
use crate::{Error, Event, Report, Result, Run};

/// Kernels that a sentence lists.
const LISTED: usize = 6;

/// What becomes of several weighted kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combine {
    /// One similarity of all kernels, as in LMS. On six views of digits with five widths each its clusters were
    /// those of the classes more often than with one for each view, whose own weights the methods do not see.
    #[default]
    Sum,
    /// One similarity for each view, of its kernels, for methods that compare views.
    Views,
}

impl Combine {
    /// Both.
    pub const ALL: [Combine; 2] = [Combine::Sum, Combine::Views];

    /// `sum` or `views`.
    pub fn id(self) -> &'static str {
        match self {
            Combine::Views => "views",
            Combine::Sum => "sum",
        }
    }

    /// The reverse.
    ///
    /// # Errors
    /// Another word.
    pub fn from_id(id: &str) -> Result<Self> {
        Combine::ALL.into_iter().find(|c| c.id() == id).ok_or_else(|| {
            Error::parameter("combine", format!("expected sum or views, found '{id}'"))
        })
    }
}

/// How kernels are learned from pairs.
#[derive(Debug, Clone)]
pub struct PairKernels {
    learner: Mkl,
    pairs: Pairs,
    combine: Combine,
}

impl PartialEq for PairKernels {
    fn eq(&self, other: &Self) -> bool {
        let same = self.learner.name() == other.learner.name() && self.combine == other.combine;
        same && self.pairs == other.pairs
    }
}

/// Similarities that were learned.
#[derive(Debug)]
pub(super) struct LearnedBank {
    pub(super) given: PairKernels,
    pub(super) bank: Bank,
    /// c_m of each similarity; `None` if they are no weighted sums.
    parts: Option<Vec<Vec<f64>>>,
    /// What learning said.
    report: Report,
    note: String,
}

impl PairKernels {
    /// With the method and parameters of `learner` (`two_stage`, say; its kernels, machine and scaling are not
    /// looked at), which learns from `pairs`.
    ///
    /// # Errors
    /// The method does not learn from pairs; wrong parameters; pairs of one kind are missing; similarities for
    /// each view are to be made by a method that learns no weights.
    pub fn new(learner: Mkl, pairs: Pairs, combine: Combine) -> Result<Self> {
        learner.require_pairs()?;
        pairs.require_both()?;
        let given = PairKernels { learner, pairs, combine };
        if combine == Combine::Views && !given.weighs() {
            return Err(Error::parameter(
                "combine",
                format!(
                    "method '{}' learns no weights of kernels that could be shared out to the views; expected \
                     sum, found views",
                    given.learner.method().id
                ),
            ));
        }
        Ok(given)
    }

    fn weighs(&self) -> bool {
        self.learner.method().weights.id != crate::method::WeightSet::NONE.id
    }

    /// Learns.
    pub(super) fn learn(&self, prepared: &PreparedViews, run: &Run) -> Result<LearnedBank> {
        let (watch, bank) = (run.watch(), &prepared.bank);
        let n = bank.n();
        if self.pairs.n() != n {
            let expected = format!("{n} instances, as many as the views have");
            return Err(Error::shape("pairs", expected, self.pairs.n()));
        }
        run.tell(Event::Begin { stage: "kernels from pairs", total: None });
        let centred = |k: &Kernel| k.normalize.last().is_some_and(|step| step.centers());
        let own = match self.weighs() && !bank.kernels().iter().all(centred) {
            true => {
                let mut kernels = bank.kernels().to_vec();
                for kernel in kernels.iter_mut().filter(|k| !centred(k)) {
                    kernel.normalize.push(Normalization::CenterUnitVariance);
                }
                let storage = prepared.recipe.storage.clone();
                Some(Bank::filled_from_kernels(prepared.known(), kernels, storage, &run.quiet())?.0)
            }
            false => None,
        };
        let seen = own.as_ref().unwrap_or(bank);
        let (target, machine) = (Target::Nothing(n), Svc::default());
        let pairs = Some(GivenPairs { bank: seen, pairs: &self.pairs });
        let problem = Problem { pairs, ..Problem::new(seen, &target, &machine) };
        let learner = self.learner.learner()?;
        check_pairs(&problem, learner.as_ref())?;
        let learned = learner.learn(&problem, &run.remaining(&watch).quiet())?;
        let mut report = learned.report;
        let pass = Pass::under(&watch);
        let told = format!(
            "{} must-link and {} cannot-link pairs by {}",
            self.pairs.of(Link::Must).len(),
            self.pairs.of(Link::Cannot).len(),
            self.learner.name()
        );
        let (parts, matrices, note) = match learned.rule.weights() {
            Some(weights) => {
                let factor = |m: usize| match &own {
                    Some(own) if !centred(&bank.kernels()[m]) => scale(own.norms(m)),
                    _ => 1.0,
                };
                let factors: Vec<f64> = (0..bank.len()).map(factor).collect();
                let coefficients = unit(bank, weights, &factors);
                let parts = self.parts(bank.kernels(), &coefficients);
                let mut matrices = Vec::new();
                for (name, part) in &parts {
                    let gram = bank.combine_in(part, &pass)?;
                    pass.complete("the kernels from pairs")?;
                    matrices.push((name.clone(), gram.into_matrix()?));
                }
                report.details.insert("pair_weights".to_string(), weights.to_vec());
                let note = format!(
                    "the kernels have weights from {told}: {}",
                    largest(bank.kernels(), weights)
                );
                (Some(parts.into_iter().map(|p| p.1).collect()), matrices, note)
            }
            None => {
                let Some(mix) = learned.rule.pointwise() else {
                    return Err(Error::Data(format!(
                        "method '{}' makes no similarity of its kernels",
                        self.learner.method().id
                    )));
                };
                let gram = bank.mixed_in(mix, None, &pass)?;
                pass.complete("the kernels from pairs")?;
                let matrices = vec![("learned".to_string(), gram.into_matrix()?)];
                (None, matrices, format!("the similarity was learned from {told}"))
            }
        };
        run.tell(Event::End);
        let bank = Bank::from_matrices(matrices, Storage::Resident)?;
        Ok(LearnedBank { given: self.clone(), bank, parts, report, note })
    }

    /// The similarities by name, each with its coefficients, those of views without weight left out.
    fn parts(&self, kernels: &[Kernel], coefficients: &[f64]) -> Vec<(String, Vec<f64>)> {
        if self.combine == Combine::Sum {
            return vec![("learned".to_string(), coefficients.to_vec())];
        }
        let mut parts: Vec<(String, Vec<f64>)> = Vec::new();
        for (m, c) in coefficients.iter().enumerate().filter(|c| *c.1 != 0.0) {
            let view = &kernels[m].view;
            let place = parts.iter().position(|p| p.0 == *view).unwrap_or_else(|| {
                parts.push((view.clone(), vec![0.0; kernels.len()]));
                parts.len() - 1
            });
            parts[place].1[m] = *c;
        }
        parts
    }
}

/// 1 / s_m: the factor of the last step.
fn scale(norms: &[Norm]) -> f64 {
    match norms.last() {
        Some(Norm::Scale { factor }) if *factor > 0.0 && factor.is_finite() => *factor,
        _ => 1.0,
    }
}

/// μ_m / s_m, divided by the mean diagonal of the sum.
fn unit(bank: &Bank, weights: &[f64], factors: &[f64]) -> Vec<f64> {
    let n = bank.n() as f64;
    let mean = |m: usize| bank.diagonal(m).iter().map(|d| d / n * factors[m]).sum::<f64>();
    let total: f64 =
        (0..bank.len()).filter(|m| weights[*m] > 0.0).map(|m| weights[m] * mean(m)).sum();
    let total = if total > 0.0 && total.is_finite() { total } else { 1.0 };
    weights.iter().zip(factors).map(|(w, f)| w / total * f).collect()
}

/// The largest weights in words.
fn largest(kernels: &[Kernel], weights: &[f64]) -> String {
    let mut order: Vec<usize> = (0..weights.len()).filter(|m| weights[*m] > 0.0).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let shown: Vec<String> = order
        .iter()
        .take(LISTED)
        .map(|m| format!("{} {:.3}", kernels[*m].name, weights[*m]))
        .collect();
    let rest = match order.len() > LISTED {
        true => format!(" and {} more", order.len() - LISTED),
        false => String::new(),
    };
    let none = match weights.len() - order.len() {
        0 => String::new(),
        none => format!("; {none} of {} have none", weights.len()),
    };
    format!("{}{rest}{none}", shown.join(", "))
}

impl LearnedBank {
    /// Puts what learning said before what a report has.
    pub(super) fn tell(&self, report: &mut Report) {
        let notes = std::iter::once(&self.note).chain(&self.report.notes);
        put_before(&mut report.notes, notes);
        put_before(&mut report.warnings, &self.report.warnings);
        for (name, values) in &self.report.details {
            report.details.entry(name.clone()).or_insert_with(|| values.clone());
        }
    }

    /// Makes the extension of an embedding on these similarities one over the kernels that they were made of.
    pub(super) fn extend(&self, embedding: &mut Embedding) {
        let Some(extension) = embedding.extension.take() else { return };
        embedding.extension = self.over_kernels(extension);
        if embedding.extension.is_none() {
            let why = format!(
                "new rows cannot be embedded: the similarity that was learned from pairs by '{}' is no weighted sum \
                 of the kernels, for new rows as for the others; take one that learns weights (two_stage)",
                self.given.learner.method().id
            );
            embedding.report.notes.push(why);
        }
    }

    /// The same extension over the kernels; `None` if it needs something else than sums of them.
    fn over_kernels(&self, mut extension: Extension) -> Option<Extension> {
        for stage in &mut extension.stages {
            match &mut stage.source {
                Source::Sum { weights } => {
                    let parts = self.parts.as_ref()?;
                    let mut own = vec![0.0; parts.first()?.len()];
                    for (part, weight) in parts.iter().zip(weights.iter()) {
                        own.iter_mut().zip(part).for_each(|(o, c)| *o += weight * c);
                    }
                    *weights = own;
                }
                Source::Product => match self.parts.as_deref() {
                    // A product of one similarity is a sum.
                    Some([one]) => stage.source = Source::Sum { weights: one.clone() },
                    _ => return None,
                },
                // Of landmarks, towards which no similarities are learned from pairs.
                Source::Each { .. } => return None,
                Source::Columns { .. }
                | Source::Anchors { .. }
                | Source::Gaussian { .. }
                | Source::Unit { .. }
                | Source::Gated { .. }
                | Source::Links => {}
            }
        }
        Some(extension)
    }
}

/// Puts sentences before those of a list, which keeps each once.
fn put_before<'a>(list: &mut Vec<String>, sentences: impl IntoIterator<Item = &'a String>) {
    let sentences: Vec<String> = sentences.into_iter().cloned().collect();
    list.retain(|said| !sentences.contains(said));
    list.splice(0..0, sentences);
}
