//! Embedding of new rows where landmarks stand for the instances, kernels being k̃_m(x, z) = C_m(x) R_m R_mᵀ C_m(z)ᵀ with
//! C_m(x) = k_m(x, Z): what a [`Stage`] takes from a new row, κ(x)ᵀ A with κ(x) = Σ_m w_m k̃_m(x, ·) and A of a row for each
//! training instance, is
//!
//! Σ_m C_m(x) A'_m,    A'_m = w_m R_m F_mᵀ A,    F_m = C_m(X) R_m,
//!
//! the same as Σ_m w_m F_m(x) F_mᵀ A. So a stage over sums of kernels becomes one with coefficients of its own for every kernel
//! ([`Source::Each`]), a row for each landmark in the place of one for each instance, and its degree alike, with a in the place
//! of A. Nothing of a model then grows with the number of instances.
//!
//! Cost: for each stage half of a product of its kernels with n × (r + 1) numbers. Co-training has its stages from
//! the products of its rounds (`co_trained/rows.rs`), co-regularisation pays for each update (`drawn.rs`).

use super::extension::{Degree, Extension, Source, Stage};
use super::laplacian;
use crate::Watch;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::run::Pass;

/// Why there is no extension after a stop.
pub(super) const STOPPED: &str = "new rows cannot be embedded: stopped before that was computed";

impl Extension {
    /// The same by way of the landmarks of `bank`, if it has some; `None` after a stop.
    pub(super) fn towards(mut self, bank: &Bank, watch: &Watch) -> Option<Self> {
        for stage in &mut self.stages {
            if !stage.go_towards(bank, watch) {
                return None;
            }
        }
        Some(self)
    }
}

impl Stage {
    /// Rows of the basis become those of the landmarks of `bank`, if it has some and they are not yet. Whether that was
    /// finished: if not, the stage is as it was.
    pub(super) fn go_towards(&mut self, bank: &Bank, watch: &Watch) -> bool {
        let Source::Sum { weights } = &self.source else { return true };
        let Some(landmarks) = bank.basis() else { return true };
        let kernels: Vec<usize> = (0..weights.len()).filter(|m| weights[*m] != 0.0).collect();
        let (wide, r) = (self.wide(), self.basis.cols());
        let mut values = Vec::with_capacity(kernels.len() * landmarks.len() * wide.cols());
        for &m in &kernels {
            let Some(part) = bank.towards_landmarks(m, &wide, &Pass::under(watch)) else {
                return false;
            };
            values.extend(part.values().iter().map(|v| weights[m] * v));
        }
        let rows = kernels.len() * landmarks.len();
        let at = |i: usize, j: usize| values[i * wide.cols() + j];
        self.basis = Matrix::from_fn(rows, r, at);
        if let Some(degree) = &mut self.degree {
            degree.basis = (0..rows).map(|i| at(i, r)).collect();
        }
        self.source = Source::Each { kernels };
        true
    }
}

/// R_m F_mᵀ D^{-1/2} `right` for n × r numbers, landmarks × r; `scaling` is D^{-1/2}. `None` after a stop.
pub(super) fn scaled(
    bank: &Bank,
    m: usize,
    scaling: &[f64],
    right: &Matrix,
    watch: &Watch,
) -> Option<Matrix> {
    let mut block = right.clone();
    laplacian::scale_rows(&mut block, scaling);
    bank.towards_landmarks(m, &block, &Pass::under(watch))
}

/// [`Stage::normalized`] of kernel m with a basis that is [towards landmarks](scaled) already. `None` after a stop.
pub(super) fn normalized(bank: &Bank, m: usize, basis: Matrix, watch: &Watch) -> Option<Stage> {
    let ones = Matrix::from_fn(bank.n(), 1, |_, _| 1.0);
    let sums = bank.towards_landmarks(m, &ones, &Pass::under(watch))?.into_values();
    let degree = Some(Degree { basis: sums, ..Degree::default() });
    let source = Source::Each { kernels: vec![m] };
    Some(Stage { source, basis, links: Vec::new(), constant: Vec::new(), degree })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::LowRank;
    use crate::data::toy;
    use crate::kernel::KernelSpec;
    use crate::multiview::{self, Problem};
    use crate::run::late_watch;
    use crate::scale::Space;

    fn bank(rank: usize) -> Bank {
        let (views, _) = toy::views(60, 3, &[4.0, 3.0], 1).unwrap();
        let run = Run::default();
        let kernels = KernelSpec::gaussian().gamma([0.05, 0.2]).resolve(&views, &run).unwrap();
        let how = LowRank { rank, ..LowRank::default() };
        Space::new(&views, kernels, how, &run).unwrap().0.bank(&views, how, &run).unwrap()
    }

    fn stage(bank: &Bank) -> Stage {
        let source = Source::Sum { weights: vec![0.5, 0.0, 2.0, 0.0] };
        let right = Matrix::from_fn(bank.n(), 3, |i, j| ((i * 3 + j * 7) as f64).sin());
        Stage::normalized(source, &vec![0.1; bank.n()], &right)
    }

    /// W A' = Σ_m w_m K̃_m A for the landmarks' own rows: k̃_m(z, ·) = k_m(z, Z) R_m F_mᵀ.
    #[test]
    fn landmarks_get_what_the_kernels_give_them() {
        let (bank, watch) = (bank(60), Run::default().watch());
        let (old, mut new) = (stage(&bank), stage(&bank));
        assert!(new.go_towards(&bank, &watch));
        assert_eq!(new.source, Source::Each { kernels: vec![0, 2] });
        assert_eq!((new.basis.rows(), new.basis.cols()), (120, 3));
        // With all instances as landmarks K̃ = W.
        let part = |first: usize| Matrix::from_fn(60, 4, |i, j| new.wide().get(first + i, j));
        let mut got = bank.apply(0, &part(0));
        let other = bank.apply(2, &part(60));
        got.values_mut().iter_mut().zip(other.values()).for_each(|(g, o)| *g += o);
        let want = bank.apply_combined(&[0.5, 0.0, 2.0, 0.0], &old.wide());
        for (g, w) in got.values().iter().zip(want.values()) {
            assert!((g - w).abs() < 1e-8, "{g} {w}");
        }
        let done = new.clone();
        assert!(new.go_towards(&bank, &watch));
        assert_eq!(new, done);
    }

    #[test]
    fn a_stop_leaves_a_stage_as_it_was() {
        let bank = bank(20);
        let (old, mut new) = (stage(&bank), stage(&bank));
        assert!(!new.go_towards(&bank, &late_watch()));
        assert_eq!(new, old);
        assert_eq!(Extension::single(new).towards(&bank, &late_watch()), None);
        assert!(normalized(&bank, 0, Matrix::zeros(20, 1), &late_watch()).is_none());
    }

    /// Every method that landmarks will do for has a place for new rows, if it has one with kernels between all instances.
    #[test]
    fn all_methods_extend() {
        let (bank, run) = (bank(20), Run::default());
        for id in multiview::low_rank_methods() {
            let entry = multiview::REGISTRY.iter().find(|e| e.method.id == id).unwrap();
            let embedder = (entry.build)(&entry.method.defaults());
            let found = multiview::embed(embedder.as_ref(), &Problem::new(&bank), 3, &run).unwrap();
            assert_eq!(found.extension.is_some(), embedder.places_new_rows(), "{id}");
            for stage in found.extension.iter().flat_map(|e| &e.stages) {
                assert!(!matches!(stage.source, Source::Sum { .. }) && stage.basis.rows() <= 80);
            }
        }
    }
}
