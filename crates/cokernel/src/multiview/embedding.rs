//! What a multi-view method gives, and what several methods share in making it: the choice of the
//! final embedding, and the agreement of two subspaces.

use super::{Extension, KMeans, laplacian};
use crate::bank::Bank;
use crate::data::Matrix;
pub(super) use crate::data::side_by_side;
use crate::params::{Param, Range};
use crate::solve::dense::{self, Slice};
use crate::{Error, Report, Result, Status};
use std::borrow::Borrow;

/// Number of eigenvectors, shared by the spectral methods.
pub(super) const EIGENVECTORS: Param = Param {
    name: "eigenvectors",
    doc: "Columns of each embedding U; 0 takes as many as clusters.",
    range: Range::Int { default: 0, min: 0, max: i64::MAX },
};

/// Which embedding is the result, shared by the methods that have one per view.
pub(super) const EMBEDDING: Param = Param {
    name: "embedding",
    doc: "The embedding that is the result: concat (those of all views side by side, rows of each \
          of unit length), or the name of a view or kernel.",
    range: Range::Text { default: "concat", expected: "concat, or the name of a view or kernel" },
};

/// An embedding of the n instances that it was computed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// n × columns: what k-means works on. For spectral methods rows of unit length; where
    /// several embeddings stand side by side, those of each.
    pub rows: Matrix,
    /// The eigenvectors that the rows are made of, before these are brought to unit length: n × r,
    /// one matrix per kernel (then that of the centroid, if there is one) or one for a combined
    /// kernel; fewer columns than were asked for where eigenvalues are 0 up to rounding. Empty where rows
    /// are no eigenvectors.
    pub eigenvectors: Vec<Matrix>,
    /// Leading eigenvalues (or singular values) of the operators whose eigenvectors the embedding
    /// is made of, one list per view (one list for a combined kernel). Empty if there are none. Of
    /// canonical correlation the first list holds eigenvalues less 1 (see
    /// [`kernel_cca`](super::kernel_cca)).
    pub eigenvalues: Vec<Vec<f64>>,
    /// For each list of `eigenvalues`, the difference of its last value and the next one of the
    /// same operator, to the accuracy of a few digits, where it is known. For the co-regularised
    /// methods that of each view alone, before it is drawn: what λ is to be compared with.
    pub gaps: Vec<Option<f64>>,
    /// Agreement of the views after each outer iteration, for methods that have several
    /// embeddings: mean over pairs of [`subspace_agreement`].
    pub agreement: Vec<f64>,
    /// How new rows are embedded, where the method tells.
    pub extension: Option<Extension>,
    /// How it went.
    pub report: Report,
}

/// A clustering of the instances that it was computed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// Cluster of each instance, 0..k, numbered in order of first appearance: that of the start
    /// with the least inertia.
    pub assignments: Vec<u32>,
    /// What k-means worked on.
    pub embedding: Embedding,
    /// The result of k-means, with all its starts.
    pub kmeans: KMeans,
    /// How both went.
    pub report: Report,
}

impl Clustering {
    pub(super) fn new(embedding: Embedding, kmeans: KMeans, seconds: f64) -> Self {
        let mut report = embedding.report.clone();
        report.seconds = seconds;
        if report.status.is_success() && !kmeans.status.is_success() {
            report.status = kmeans.status;
        }
        Clustering { assignments: kmeans.assignments.clone(), embedding, kmeans, report }
    }
}

/// ‖UᵀW‖²_F / min(columns): 1 if one of the spans of orthonormal columns holds the other, 0 if
/// they are orthogonal.
pub fn subspace_agreement(u: &Matrix, w: &Matrix) -> f64 {
    let cross = dense::gram_tn(Slice::of(u), Slice::of(w));
    let sum: f64 = cross.values().iter().map(|x| x * x).sum();
    sum / u.cols().min(w.cols()).max(1) as f64
}

/// Mean of [`subspace_agreement`] over all pairs; 1 if there is no pair.
pub(super) fn mean_agreement<M: Borrow<Matrix>>(u: &[M]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0_f64);
    for v in 0..u.len() {
        for w in 0..v {
            sum += subspace_agreement(u[v].borrow(), u[w].borrow());
            pairs += 1.0;
        }
    }
    if pairs == 0.0 { 1.0 } else { sum / pairs }
}

/// The kernels that `text`, the value of parameter `embedding`, chooses: all for `concat`, else
/// the one kernel with this name or of the view with this name.
///
/// # Errors
/// As [`kernel_named`].
pub(super) fn chosen(bank: &Bank, text: &str) -> Result<Vec<usize>> {
    match text {
        "concat" => Ok((0..bank.len()).collect()),
        name => Ok(vec![kernel_named(bank, "embedding", name, &["concat"])?]),
    }
}

/// The one kernel with the name `text` or of the view with this name; `text` is the value of
/// parameter `what`, which may also be one of `words`.
///
/// # Errors
/// No such kernel or view (the closest is suggested), or a view with several kernels.
pub(super) fn kernel_named(
    bank: &Bank,
    what: &'static str,
    text: &str,
    words: &[&str],
) -> Result<usize> {
    let kernels = bank.kernels();
    if let Some(m) = kernels.iter().position(|k| k.name == text) {
        return Ok(m);
    }
    let of_view: Vec<usize> = (0..kernels.len()).filter(|m| kernels[*m].view == text).collect();
    match of_view.as_slice() {
        [one] => Ok(*one),
        [] => {
            let names = kernels.iter().flat_map(|k| [k.view.as_str(), k.name.as_str()]);
            let mut known: Vec<&str> = words.iter().copied().chain(names).collect();
            known.dedup();
            Err(Error::unknown(what, text, known))
        }
        several => Err(Error::parameter(
            what,
            format!(
                "view '{text}' has {} kernels; name one of them, such as '{}'",
                several.len(),
                kernels[several[0]].name
            ),
        )),
    }
}

/// The chosen of the embeddings `u` (orthonormal columns; one per kernel, then perhaps a
/// centroid), rows of unit length, side by side.
/// Instances that no eigenvector reaches are noted.
pub(super) fn unit_concat(
    bank: &Bank,
    u: &[Matrix],
    chosen: &[usize],
    notes: &mut Vec<String>,
) -> Matrix {
    let mut parts = Vec::new();
    for &v in chosen {
        let (rows, zero) = laplacian::unit_rows(&u[v]);
        let kernel = bank.kernels().get(v);
        let name = kernel.map_or("the centroid".to_string(), |k| format!("kernel '{}'", k.name));
        notes.extend(laplacian::unreached(&zero, u[v].cols(), &name));
        parts.push(rows);
    }
    side_by_side(&parts.iter().collect::<Vec<_>>())
}

/// The status to end with after an eigenvector computation with this one, if it is not what was
/// asked for. Pairs that stalled are as good as rounding allows and do not end anything, but are
/// noted.
pub(super) fn cut_short(
    status: Status,
    residuals: &[f64],
    notes: &mut Vec<String>,
) -> Option<Status> {
    match status {
        Status::TimeLimit | Status::Interrupted => Some(status),
        Status::Converged => None,
        other => {
            let worst = residuals.iter().fold(0.0_f64, |a, r| a.max(*r));
            let note =
                format!("an eigenvector computation ended early ({other}) at residual {worst:.1e}");
            if !notes.contains(&note) {
                notes.push(note);
            }
            None
        }
    }
}
