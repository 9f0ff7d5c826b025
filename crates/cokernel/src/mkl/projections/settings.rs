//! What a method says of its projections, and its parameters.

use crate::mkl::gate_views::Shown;
use crate::mkl::parametric::Search;
use crate::params::{Param, Params, Range};
use crate::rule::gate::Shape;

/// What a method says of its projections.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Of messages.
    pub id: &'static str,
    /// Of messages to people.
    pub title: &'static str,
    /// R, or as many as there are columns.
    pub dimensions: usize,
    /// The first start.
    pub first: First,
    /// How many starts.
    pub starts: usize,
    /// Whether projections keep their lengths.
    pub keeps_lengths: bool,
    /// Where there are gates.
    pub gates: Option<Regions>,
    /// Steps.
    pub search: Search,
}

/// Regions that gates make.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Regions {
    /// P.
    pub count: usize,
    /// What the gates are.
    pub shape: Shape,
    /// How they see the features.
    pub shown: Shown,
}

/// The first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    /// The leading principal components of the standardised columns.
    Components,
    /// The features as they are.
    Identity,
    /// Directions along which the classes differ.
    Discriminant,
    /// As all that follow.
    Random,
}

/// Parameters that both methods have.
pub(in crate::mkl) const DIMENSIONS: Param = Param {
    name: "dimensions",
    doc: "R, the columns of each projection; where a view has fewer columns, as many as it has.",
    range: Range::Int { default: 2, min: 1, max: 1_000_000 },
};
/// See [`First`].
pub(in crate::mkl) const START: Param = Param {
    name: "start",
    doc: "The first start: pca (leading principal components of the standardised columns), identity (the features \
          as they are, from which search begins), fda (along which the means of the classes differ most beside what \
          is within the classes), or random, as all starts after it are. Where the machine has no slope along pca, fda \
          is tried, too.",
    range: Range::Choice { default: "pca", of: &["pca", "identity", "fda", "random"] },
};
/// How often.
pub(in crate::mkl) const STARTS: Param = Param {
    name: "starts",
    doc: "From how many starts the projections are learned; the best is kept.",
    range: Range::Int { default: 1, min: 1, max: 1_000 },
};
/// Lengths of projections.
pub(in crate::mkl) const LENGTHS: Param = Param {
    name: "lengths",
    doc: "Whether each projection keeps the length that it starts with, that of the features (fixed), or is free, as in \
          the source: linear and polynomial kernels then grow without end, and Gaussian ones become narrow.",
    range: Range::Choice { default: "fixed", of: &["fixed", "free"] },
};
/// Directions.
pub(in crate::mkl) const SEARCH: Param = Param {
    name: "search",
    doc: "Directions of the steps: lbfgs, or gradient as in the source.",
    range: Range::Choice { default: "lbfgs", of: &["lbfgs", "gradient"] },
};
/// τ of LMKA §5.1.
pub(in crate::mkl) const TOL: Param = Param {
    name: "tol",
    doc: "Relative decrease of the objective to stop at.",
    range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
};
/// Steps of a start.
pub(in crate::mkl) const MAX_ITERATIONS: Param = Param {
    name: "max_iterations",
    doc: "Limit on steps for each start; 0 takes the start as it is.",
    range: Range::Int { default: 500, min: 0, max: i64::MAX },
};

impl Settings {
    /// With R columns for each projection, whatever the parameters say.
    pub(crate) fn to(mut self, dimensions: usize) -> Self {
        self.dimensions = dimensions;
        self
    }

    pub fn new(id: &'static str, title: &'static str, params: &Params) -> Self {
        Settings {
            id,
            title,
            dimensions: params.count("dimensions"),
            first: match params.text("start") {
                "identity" => First::Identity,
                "fda" => First::Discriminant,
                "random" => First::Random,
                _ => First::Components,
            },
            starts: params.count("starts"),
            keeps_lengths: params.text("lengths") == "fixed",
            gates: None,
            search: Search {
                tol: params.real("tol"),
                max_iterations: params.count("max_iterations"),
                second_order: params.text("search") == "lbfgs",
            },
        }
    }
}
