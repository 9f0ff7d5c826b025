//! Global projection kernels: kernels on a linear projection of the features that is learned with the machine.
//!
//! ```text
//! min_W  J(W) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K_W c_u,     k_W(x, z) = k(Wᵀx, Wᵀz),  W of D × R
//! ```
//!
//! (LMKA §4.1, Figure 4.1, after Chapelle et al. 2002; F4.) For linear, polynomial and Gaussian kernels. Several kernels of a
//! view share its projection, several views have one each, and the kernel is the mean of all. What W is as
//! parameters, its derivatives, and why projections keep their lengths: [`projections`](super::projections).
//!
//! **Cost** of an iteration: a kernel on R columns and its machine for each trial, usually one, and the derivative:
//! n_s²R + n_s D R with n_s support vectors. Principal components to start with cost min(n, D)³ once; memory of two copies of
//! the features.
//!
//! **Not convex**: the result depends on the start. The first is principal components, where the source starts at random
//! (`start=random`); where the machine has no slope along these, and the search no direction, Fisher's directions are tried,
//! too (`start=fda`). The `starts` after it are random. The best is kept, and `details["objectives"]` has all of them.
//!
//! **Several classes**: all machines of a decomposition share the projection, whose derivative is the sum over them.
//!
//! **Deviations.** Steps are in units of standardised columns; W is for the columns as they are. Projections keep their
//! lengths (`lengths=free`: as in the source). Directions are those of L-BFGS (`search=gradient`: as in the source).

use super::Learner;
use super::projections::{
    DIMENSIONS, LENGTHS, MAX_ITERATIONS, SEARCH, START, STARTS, Settings, TOL,
};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(settings(p)) };

/// Also that of the [embedding](crate::multiview::gpk).
pub(crate) static METHOD: Method = Method {
    id: "gpk",
    title: "global projection kernels",
    source: "Gönen, Alpaydın 2010; Gönen 2010, §4.1; Chapelle et al. 2002",
    summary: "Kernels on a linear projection of the features to few dimensions, which is learned together with the \
              machine: for features of which few directions tell something, and for pictures by classes. Needs \
              features. Not convex: ends at a stationary point, the best of several starts. Costs 10 to 100 machines \
              for each start.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect, Task::Embed],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[DIMENSIONS, START, STARTS, LENGTHS, SEARCH, TOL, MAX_ITERATIONS, EMBED_C],
};

pub(super) const EMBED_C: Param = Param {
    name: "embed_c",
    doc: "C of the support vector machines where the projection is an embedding; elsewhere the machine has its own.",
    range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: false },
};

/// The method with these parameters.
pub(crate) fn settings(params: &Params) -> Settings {
    Settings::new(METHOD.id, METHOD.title, params)
}
