//! Local Fisher discriminant analysis on the concatenated features.
//!
//! Problem, symbols and lengths of columns are those of [`discriminant`] with its
//! local scatters, on the coordinates of `coordinates::of_features`.
//!
//! Source: Sugiyama, Local Fisher Discriminant Analysis, JMLR 8, 2007, §3: scatters (8)-(10), affinity by
//! local scaling with the 7th neighbour, columns times √θ (`metric` weighted). Deviations: neighbours are
//! those within the class, as in the author's program, for affinities to other classes are not used;
//! columns are longer by √n, as of [`fda`](super::fda); a ridge relative to each column, 0 in the
//! source.
//!
//! New rows: the same linear map.
//!
//! Cost: that of [`fda`](super::fda), and Σ_c n_c² (d + r) for affinities and scatters; memory of the n_c ×
//! n_c numbers of the largest class.

use super::discriminant::{self, NEIGHBOURS, OF_COLUMNS, Settings, WEIGHTED};
use super::kmeans::check_columns;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, coordinates};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Lfda::new(p)) };

static METHOD: Method = Method {
    id: "lfda",
    title: "local Fisher discriminant analysis of concatenated features",
    source: "Sugiyama 2007",
    summary: "Fisher discriminant analysis that keeps only neighbours within a class together, so that classes \
              of several clusters are not forced into one: for pictures, and as features. Learns from labels; \
              has as many columns as are asked for. Needs features. Costs that of fda and products of the \
              squares of the sizes of the classes.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[OF_COLUMNS, NEIGHBOURS, WEIGHTED],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Lfda {
    /// Scatters, ridge and lengths.
    pub settings: Settings,
}

impl Lfda {
    fn new(p: &Params) -> Self {
        Lfda { settings: Settings::new(p, true) }
    }
}

impl Embedder for Lfda {
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
