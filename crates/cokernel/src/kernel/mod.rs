//! Kernel functions, width rules and normalisations: plain serialisable values.
//!
//! A [`KernelSpec`] is what a user writes (`gaussian@fou:sigma=median`); a [`Kernel`] is what it
//! becomes once widths are fixed on training data; a bank adds the [`Norm`] statistics. A
//! [`GraphSpec`] (`knn@fou:k=10`) asks for a graph in place of the features of a view.

mod graph;
mod of_graph;
mod pairwise;
mod registry;
mod spec;
mod text;
mod width;
mod words;

pub use graph::{EdgeWeights, GraphKind, GraphSpec};
pub(crate) use of_graph::{diffused, walked};
pub use of_graph::{diffusion, random_walk};
pub use pairwise::pairwise;
pub use registry::{FAMILIES, FamilyEntry, Holds, Key, ViewKind};
pub use spec::{Family, KernelSpec};
pub(crate) use spec::{no_distances, refuse_negative, refuse_negative_distances};
pub use width::{Convention, WIDTH_SAMPLE, Width, WidthRule};
pub(crate) use words::counted;
pub use words::{Letters, Words, words};

use serde::{Deserialize, Serialize};

/// A distance between two feature rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// ‖x − z‖₂.
    Euclidean,
    /// ‖x − z‖₂².
    SquaredEuclidean,
    /// Σ |x_k − z_k|.
    Manhattan,
    /// Σ (x_k − z_k)² / (x_k + z_k), for non-negative features; 0/0 counts as 0.
    ChiSquared,
    /// The distance that the view itself gives, in place of a similarity.
    Given,
}

/// A kernel function with all its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "function", rename_all = "snake_case")]
pub enum Function {
    /// ⟨x, z⟩.
    Linear,
    /// (γ⟨x, z⟩ + c₀)^q.
    Polynomial {
        /// q ≥ 1.
        degree: u32,
        /// γ > 0.
        gamma: f64,
        /// c₀ ≥ 0.
        coef0: f64,
    },
    /// exp(−γ d(x, z)); with the squared Euclidean distance this is the Gaussian kernel, with
    /// Manhattan the Laplacian, with χ² the exponential χ² kernel. Values below 10⁻¹⁵⁰ are 0: their products would underflow.
    Exponential {
        /// d.
        metric: Metric,
        /// γ > 0, always as it multiplies the distance.
        gamma: f64,
    },
    /// tanh(γ⟨x, z⟩ + c₀); indefinite in general.
    Sigmoid {
        /// γ > 0.
        gamma: f64,
        /// c₀.
        coef0: f64,
    },
    /// The similarity given by the view itself.
    Precomputed,
    /// ⟨x, z⟩ / (‖x‖² + ‖z‖² − ⟨x, z⟩): of bit vectors the share of bits in common among those of either; 1 of
    /// two rows of zeros.
    Tanimoto,
    /// Σ min(x_k, z_k) / Σ max(x_k, z_k), of features that are not negative; 1 of two rows of zeros.
    MinMax,
    /// The correlation of the features of two instances; 0 with a row of equal features.
    Correlation {
        /// Of their ranks (Spearman), not of their values (Pearson); equal features share their mean rank.
        ranks: bool,
    },
    /// Words that two sequences have in common, each as often as in the one times in the other.
    Words(Words),
    /// exp(−βL) of the Laplacian L of a graph.
    Diffusion {
        /// β > 0.
        beta: f64,
        /// Whether L is the normalised Laplacian I − D^(−1/2) A D^(−1/2), not D − A.
        normalized: bool,
    },
    /// (aI − L)^p of the normalised Laplacian L of a graph.
    RandomWalk {
        /// p ≥ 1.
        steps: u32,
        /// a ≥ 2.
        a: f64,
    },
    /// cos f⟨x, ω⟩ towards a direction ω of even number, sin f⟨x, ω⟩ towards one of odd number: one of the
    /// [random features](crate::bank::Landmarks::Orthogonal) that stand for a kernel where it was learned with them. Not to be
    /// asked for.
    Wave {
        /// f > 0.
        factor: f64,
    },
}

impl Function {
    /// What a view has to hold.
    pub fn takes(self) -> ViewKind {
        match self {
            Function::Precomputed
            | Function::Exponential { metric: Metric::Given, .. }
            | Function::Diffusion { .. }
            | Function::RandomWalk { .. } => ViewKind::Similarities,
            Function::Words(_) => ViewKind::Sequences,
            _ => ViewKind::Features,
        }
    }

    /// Whether its values depend on all instances together, so that new ones have none.
    pub fn is_transductive(self) -> bool {
        matches!(self, Function::Diffusion { .. } | Function::RandomWalk { .. })
    }

    /// Whether it is positive semi-definite whatever the views hold.
    pub(crate) fn is_definite(self) -> bool {
        !matches!(
            self,
            Function::Precomputed
                | Function::Sigmoid { .. }
                | Function::Exponential { metric: Metric::Given, .. }
        )
    }

    /// Whether it is a feature of random directions.
    pub(crate) fn is_wave(self) -> bool {
        matches!(self, Function::Wave { .. })
    }

    /// Whether features must not be negative.
    pub(crate) fn refuses_negative(self) -> bool {
        matches!(self, Function::MinMax | Function::Exponential { metric: Metric::ChiSquared, .. })
    }
}

/// A normalisation as it is asked for; several are applied in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalization {
    /// k(x, z) / √(k(x, x) k(z, z)), LMKA (2.9).
    UnitDiagonal,
    /// k / tr K. The diagonal is then 1/n on average, so a useful C grows with n: C·n plays the part
    /// that C plays after [`UnitDiagonal`](Self::UnitDiagonal).
    UnitTrace,
    /// Subtract the mean in feature space.
    Center,
    /// [`Center`](Self::Center), then divide by the mean of the diagonal (unit variance in
    /// feature space), LMS §5.3.
    CenterUnitVariance,
    /// k / ‖K‖_F. The diagonal is then between 1/n and 1/√n: a useful C grows with n here, too.
    Frobenius,
}

impl Normalization {
    /// Whether it subtracts the mean in feature space.
    pub fn centers(self) -> bool {
        matches!(self, Normalization::Center | Normalization::CenterUnitVariance)
    }
}

/// A normalisation with its statistics from the training instances, ready for new rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Norm {
    /// k(x, z) · s(x) · s(z), s = 1/√k(x, x): computed from the row itself.
    UnitDiagonal,
    /// k · factor.
    Scale {
        /// 1 / tr K, 1 / ‖K‖_F, or 1 / mean variance.
        factor: f64,
    },
    /// k(x, z) − r(x) − r(z) + g.
    Center {
        /// r of each training instance (or of each support instance in a model).
        row_means: Vec<f64>,
        /// g.
        grand_mean: f64,
    },
    /// (x − mean)(z − mean), of the linear kernel of one feature where there are many of them: the same as
    /// [`Center`](Self::Center), which new rows can do by themselves.
    CenterFeature {
        /// The mean of the feature as the normalisations before left it.
        mean: f64,
    },
}

/// A kernel with fixed numbers on one view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Unique, readable: `gaussian@fou(gamma=0.25)`.
    pub name: String,
    /// The view it looks at.
    pub view: String,
    /// The one column it looks at, or all.
    pub column: Option<usize>,
    /// The function.
    pub function: Function,
    /// Normalisations asked for, in order.
    pub normalize: Vec<Normalization>,
}

impl Kernel {
    /// What a kernel is called: by its own name, that without what stands in parentheses (`gaussian@fou`), its view's and
    /// its function's (`gaussian`). Parentheses hold widths that are chosen from the data, so that they are not known before.
    pub fn names(&self) -> [&str; 4] {
        names(&self.name, &self.view)
    }
}

/// [`Kernel::names`] of a kernel of this name on this view.
pub fn names<'a>(name: &'a str, view: &'a str) -> [&'a str; 4] {
    let until = |end: char| name.split(end).next().unwrap_or_default();
    [name, until('('), view, until('@')]
}

/// The number that kernels of these [`names`] have by the first of them that is there.
pub fn number(given: &std::collections::BTreeMap<String, f64>, names: [&str; 4]) -> Option<f64> {
    names.into_iter().find_map(|name| given.get(name)).copied()
}
