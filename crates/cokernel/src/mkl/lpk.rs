//! Local projection kernels: regions of the features, each with a projection of its own.
//!
//! ```text
//! min_{V,W}  J(V, W) = max_c  ℓ(c) − ½ Σ_u c_uᵀ K_η c_u,
//! k_η(x, z) = Σ_p η_p(x|V) k(W_pᵀx, W_pᵀz) η_p(z|V),     W_p of D × R
//! ```
//!
//! (Gönen & Alpaydın, Neurocomputing 2010; LMKA §4.2: (4.3)-(4.5), Figure 4.2; F5.) [Gates](crate::rule::gate) η look at
//! the same features as the kernels, and divide them into P regions. What W is as parameters, its derivatives, and why
//! projections keep their lengths: [`projections`](super::projections). Of several kernels each has P gates, as of
//! [`localized_mkl`](super::localized_mkl) with P copies, and those of a view share its P projections.
//!
//! **Cost** of an iteration: P kernels on R columns and the machine for each trial, usually one, and the derivative:
//! P(n_s²R + n_s D R) with n_s support vectors.
//!
//! **Not convex**: the first start has principal components in all regions and random gates, those after it are random.
//! The best is kept, and `details["objectives"]` has all of them.
//!
//! **Several classes** share projections and gates, whose derivatives are sums over the machines.
//!
//! **Deviations.** Projections and gates take their steps together, where Figure 4.2 has a step and a machine for each
//! in turn. Others as of [`gpk`](super::gpk) and [`localized_mkl`](super::localized_mkl).

use super::Learner;
use super::gate_views::{GATE_DIMENSIONS, GATE_SCALE, Shown};
use super::gpk::EMBED_C;
use super::projections::{
    DIMENSIONS, LENGTHS, MAX_ITERATIONS, Regions, SEARCH, START, STARTS, Settings, TOL,
};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::gate::Shape;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(settings(p)) };

/// Also that of the [embedding](crate::multiview::lpk).
pub(crate) static METHOD: Method = Method {
    id: "lpk",
    title: "local projection kernels",
    source: "Gönen, Alpaydın 2010; Gönen 2010, §4.2",
    summary: "Regions of the features, each with a linear projection to few dimensions of its own, learned together \
              with gates and machine: for classes that lie in several clusters, and few dimensions that are \
              others elsewhere, and for pictures by classes. Needs features. Not convex: ends at a stationary point, the best of several starts. \
              Costs 10 to 100 machines for each start.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect, Task::Embed],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        REGIONS,
        DIMENSIONS,
        GATING,
        GATE_DIMENSIONS,
        GATE_SCALE,
        START,
        STARTS,
        LENGTHS,
        SEARCH,
        TOL,
        MAX_ITERATIONS,
        EMBED_C,
    ],
};

const REGIONS: Param = Param {
    name: "regions",
    doc: "P, the regions, each with its own projection of every view.",
    range: Range::Int { default: 2, min: 1, max: 100 },
};

const GATING: Param = Param {
    name: "gating",
    doc: "The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3) gates do not.",
    range: Range::Choice { default: "softmax", of: Shape::IDS },
};

/// The method with these parameters.
pub(crate) fn settings(params: &Params) -> Settings {
    let shape = Shape::from_id(params.text("gating")).unwrap_or(Shape::Softmax);
    let gates = Some(Regions { count: params.count("regions"), shape, shown: Shown::new(params) });
    Settings { gates, ..Settings::new(METHOD.id, METHOD.title, params) }
}
