//! Embedding of new rows: the recurrence of the rounds, one [`Stage`] for each round and view.
//!
//! From (S − m 11ᵀ) D^{-1/2} U = D^{1/2} U Θ, with G = D^{-1/2} U Θ^{-1}, a new row x with
//! similarities κ_v(x) to the training instances and rows z_w(x) in the embeddings of the other
//! views a round before has
//!
//! z(x) = d(x)^{-1/2} ( κ_v(x)ᵀ ½ C CᵀG + Σ_w z_w(x) ½ H_wᵀG − m 1ᵀG ),
//! d(x) = κ_v(x)ᵀ ½ C Cᵀ1 + Σ_w z_w(x) ½ H_wᵀ1 − m n,
//!
//! H_w being the columns of H = K_v C that belong to view w.

use super::graph::{Graph, Leading, column_sums};
use crate::data::Matrix;
use crate::multiview::extension::divided;
use crate::multiview::laplacian::scale_rows;
use crate::multiview::{Degree, Extension, Source, Stage};
use crate::solve::dense::{self, Slice};

/// Another view in C: its stage of the round before, how many columns that has, and how many of
/// them are in C.
pub(super) struct Part {
    pub stage: usize,
    pub columns: usize,
    pub used: usize,
}

/// The stage of one view after a round; `weights` chooses its kernel.
pub(super) fn stage(weights: Vec<f64>, graph: &Graph, leading: &Leading, parts: &[Part]) -> Stage {
    let (n, r) = (graph.c.rows(), leading.values.len());
    let mut g = divided(&leading.vectors, &leading.values);
    scale_rows(&mut g, &graph.scaling);
    // The sums of the degree stand in the column after those of G.
    let wide = Matrix::from_fn(n, r + 1, |i, j| if j < r { g.get(i, j) } else { 1.0 });
    let half = |a: &Matrix| {
        let mut gram = dense::gram_tn(Slice::of(a), Slice::of(&wide));
        gram.values_mut().iter_mut().for_each(|v| *v *= 0.5);
        gram
    };
    let (of_c, of_h) = (half(&graph.c), half(&graph.h));
    let basis = dense::product(Slice::of(&graph.c), Slice::of(&of_c));
    let (mut links, mut degree_links, mut first) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        let at = |i: usize, j: usize| if i < part.used { of_h.get(first + i, j) } else { 0.0 };
        links.push((part.stage, Matrix::from_fn(part.columns, r, at)));
        degree_links.push((part.stage, (0..part.columns).map(|i| at(i, r)).collect()));
        first += part.used;
    }
    let degree =
        Degree { basis: basis.col(r), links: degree_links, constant: -graph.low * n as f64 };
    Stage {
        source: Source::Sum { weights },
        basis: basis.select_cols(&(0..r).collect::<Vec<_>>()),
        links,
        constant: column_sums(&g).iter().map(|s| -graph.low * s).collect(),
        degree: Some(degree),
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
