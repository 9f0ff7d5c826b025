//! Kernel Fisher discriminant analysis for any number of classes, on the mean kernel or one kernel of the
//! bank.
//!
//! Problem, symbols and lengths of columns are those of [`discriminant`] with its
//! scatters around the means of the classes, on the coordinates of
//! `coordinates::of_kernel`: w is a vector of the space of the kernel, penalised by
//! ρ‖w‖², ρ = `regularization` · tr K̄. For two classes w is that of the machine
//! the machine `kernel_fisher` with λ = ρ.
//!
//! Source: Mika, Rätsch, Weston, Schölkopf, Müller, NNSP 1999 (two classes); Baudat, Anouar, Neural
//! Computation 12, 2000 (several); the ridge as in the first (its N + μI penalises coefficients, here
//! ‖w‖²).
//!
//! New rows: (κ(x) − means)ᵀα, α the coefficients of the columns.
//!
//! Cost: a full decomposition of an n × n matrix and products of n³; memory 24 n² bytes.

use super::discriminant::{self, KERNEL, OF_TRACE, PLAIN, Settings};
use super::kmeans::check_columns;
use super::work::Work;
use super::{Embedder, Embedding, Problem, coordinates};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::{Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(KernelFda::new(p)) };

static METHOD: Method = Method {
    id: "kernel_fda",
    title: "kernel Fisher discriminant analysis",
    source: "Mika, Rätsch, Weston, Schölkopf, Müller 1999; Baudat, Anouar 2000",
    summary: "Functions of a kernel in which the means of the classes are farthest apart relative to the \
              scatter within them: for pictures, and as features. Learns from labels; has one column less \
              than there are classes at most. On the mean kernel or that of one view. For up to a few \
              thousand instances: costs a decomposition, some n³.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[OF_TRACE, PLAIN, KERNEL],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct KernelFda {
    /// Scatters, ridge and lengths.
    pub settings: Settings,
    /// `mean`, or a view or kernel.
    pub view: String,
}

impl KernelFda {
    fn new(p: &Params) -> Self {
        let view = p.text("view").to_string();
        KernelFda { settings: Settings::new(p, false), view }
    }
}

impl Embedder for KernelFda {
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
