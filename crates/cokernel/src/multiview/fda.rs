//! Fisher discriminant analysis on the concatenated features, regularised: canonical variates.
//!
//! Problem, symbols and lengths of columns are those of [`discriminant`] with its
//! scatters around the means of the classes, on the coordinates of
//! `coordinates::of_features`: max tr((WᵀS_bW)(Wᵀ(S_w + ρ diag S_t)W)^{-1}), S_t the
//! scatter of all instances with a label, ρ `regularization`. With ρ = 0 these are the classical canonical variates,
//! those of `LinearDiscriminantAnalysis(solver="svd").transform` of scikit-learn; the ridge is relative
//! to each column, so that the units of columns do not matter.
//!
//! Source: Fisher, Annals of Eugenics 7, 1936 (two classes); Rao, J. Royal Statistical Society B 10,
//! 1948 (several). The ridge: Friedman, JASA 84, 1989, here per column.
//!
//! New rows: the same linear map.
//!
//! Cost: n d min(n, d) + min(n, d)³ for d columns in all; memory of three copies of the features.

use super::discriminant::{self, OF_COLUMNS, PLAIN, Settings};
use super::kmeans::check_columns;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, coordinates};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> = Entry { method: &METHOD, build: |p| Box::new(Fda::new(p)) };

static METHOD: Method = Method {
    id: "fda",
    title: "Fisher discriminant analysis of concatenated features",
    source: "Fisher 1936; Rao 1948",
    summary: "Directions in which the means of the classes are farthest apart relative to the scatter within \
              them, on the features of all views side by side: for pictures, and as features. Learns from \
              labels; has one column less than there are classes at most. Needs features. Costs the \
              decomposition of as many columns or instances as there are, whichever is fewer.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[OF_COLUMNS, PLAIN],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Fda {
    /// Scatters, ridge and lengths.
    pub settings: Settings,
}

impl Fda {
    fn new(p: &Params) -> Self {
        Fda { settings: Settings::new(p, false) }
    }
}

impl Embedder for Fda {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_columns(k, bank.n())?;
        let (labelled, classes) = discriminant::labelled(problem, METHOD.id)?;
        let view = coordinates::concatenated(problem, METHOD.id)?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let at = coordinates::of_features(view, &labelled, &mut work)?;
        let found = self.settings.embedding(at, &classes, k, work);
        run.tell(Event::End);
        found
    }

    fn reads_labels(&self) -> bool {
        true
    }

    fn wants(&self) -> Wants {
        Wants::concatenated()
    }
}
