//! Embedding of new rows: the recurrence of the rounds, one [`Stage`] for each round and view.
//!
//! From (S − m 11ᵀ) D^{-1/2} U = D^{1/2} U Θ, with G = D^{-1/2} U Θ^{-1}, a new row x with
//! similarities κ_v(x) to the training instances and rows z_w(x) in the embeddings of the other
//! views a round before has
//!
//! z(x) = d(x)^{-1/2} ( κ_v(x)ᵀ ½ C CᵀG + Σ_w z_w(x) ½ H_wᵀG − m 1ᵀG ),
//! d(x) = κ_v(x)ᵀ ½ C Cᵀ1 + Σ_w z_w(x) ½ H_wᵀ1 − m n,
//!
//! H_w being the columns of H = K_v C that belong to view w. Towards landmarks κ_v(x)ᵀ C = k_v(x, Z)ᵀ (R F_vᵀ C), and R F_vᵀ C comes
//! with H.

use super::graph::{Graph, Leading};
use crate::data::Matrix;
use crate::multiview::{Degree, Extension, Source, Stage};
use crate::solve::dense::{self, Slice};

/// Another view in C: its stage of the round before, how many columns that has, and how many of
/// them are in C.
pub(super) struct Part {
    pub stage: usize,
    pub columns: usize,
    pub used: usize,
}

/// The stage of one view after a round, for the `source` of its kernel and C, or R F_vᵀ C towards landmarks.
pub(super) fn stage(
    source: Source,
    c: &Matrix,
    graph: &Graph,
    leading: &Leading,
    parts: &[Part],
) -> Stage {
    let (n, r) = (graph.c.rows(), leading.values.len());
    let ([of_c, of_h, one], [sums_c, sums_h]) = (&leading.shares, &graph.sums);
    let half = Matrix::from_fn(of_c.rows(), r, |i, j| 0.5 * of_c.get(i, j));
    let of_row = |row: &[f64]| row.iter().zip(sums_c).map(|(c, s)| 0.5 * c * s).sum();
    let (mut links, mut degree_links, mut first) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        let link = |i, j| if i < part.used { 0.5 * of_h.get(first + i, j) } else { 0.0 };
        links.push((part.stage, Matrix::from_fn(part.columns, r, link)));
        let sum = |i: usize| if i < part.used { 0.5 * sums_h[first + i] } else { 0.0 };
        degree_links.push((part.stage, (0..part.columns).map(sum).collect()));
        first += part.used;
    }
    Stage {
        source,
        basis: dense::product(Slice::of(c), Slice::of(&half)),
        links,
        constant: one.row(0).iter().map(|s| -graph.low * s).collect(),
        degree: Some(Degree {
            basis: (0..c.rows()).map(|i| of_row(c.row(i))).collect(),
            links: degree_links,
            constant: -graph.low * n as f64,
        }),
    }
}

/// The first `r` columns of the given stages side by side, rows of unit length.
pub(super) fn extension(mut stages: Vec<Stage>, chosen: &[usize], r: usize) -> Extension {
    let outputs = chosen
        .iter()
        .map(|&s| {
            let columns = stages[s].basis.cols();
            if columns <= r {
                return s;
            }
            let first = Matrix::from_fn(columns, r, |i, j| f64::from(u8::from(i == j)));
            stages.push(Stage::linked(vec![(s, first)]));
            stages.len() - 1
        })
        .collect();
    Extension { stages, outputs, unit_rows: true }
}
