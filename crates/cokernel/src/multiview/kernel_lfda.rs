//! Local Fisher discriminant analysis in the space of a kernel: the mean kernel, or one of the bank.
//!
//! Problem, symbols and lengths of columns are those of [`discriminant`] with its
//! local scatters, on the coordinates of `coordinates::of_kernel`; distances are those
//! of the kernel, K_ii + K_jj − 2K_ij.
//!
//! Source: Sugiyama, JMLR 8, 2007, §3.4; deviations as of [`lfda`](super::lfda), and the ridge, ρ =
//! `regularization` · tr K̄ times ‖w‖².
//!
//! New rows: (κ(x) − means)ᵀα, α the coefficients of the columns.
//!
//! Cost: a full decomposition of an n × n matrix and products of n³; memory 24 n² bytes.

use super::discriminant::{self, KERNEL, NEIGHBOURS, OF_TRACE, Settings, WEIGHTED};
use super::kmeans::check_columns;
use super::work::Work;
use super::{Embedder, Embedding, Problem, coordinates};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(KernelLfda::new(p)) };

static METHOD: Method = Method {
    id: "kernel_lfda",
    title: "kernel local Fisher discriminant analysis",
    source: "Sugiyama 2007, §3.4",
    summary: "Kernel Fisher discriminant analysis that keeps only neighbours within a class together: for \
              pictures, and as features. Learns from labels; has as many columns as are asked for. On the \
              mean kernel or that of one view. For up to a few thousand instances: costs some n³.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[OF_TRACE, NEIGHBOURS, WEIGHTED, KERNEL],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct KernelLfda {
    /// Scatters, ridge and lengths.
    pub settings: Settings,
    /// `mean`, or a view or kernel.
    pub view: String,
}

impl KernelLfda {
    fn new(p: &Params) -> Self {
        let view = p.text("view").to_string();
        KernelLfda { settings: Settings::new(p, true), view }
    }
}

impl Embedder for KernelLfda {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_columns(k, bank.n())?;
        let (labelled, classes) = discriminant::labelled(problem, METHOD.id)?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let at = coordinates::of_kernel(bank, &self.view, &labelled, &mut work)?;
        let found = self.settings.embedding(at, &classes, k, work);
        run.tell(Event::End);
        found
    }

    fn reads_labels(&self) -> bool {
        true
    }
}
