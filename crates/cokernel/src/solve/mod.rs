//! Solvers that know matrices only: no labels, no kernels.

pub mod boxed;
pub mod conjugate;
pub mod dense;
pub mod draws;
pub mod eigen;
pub mod filter;
pub mod forest;
pub mod hinge;
pub mod hulls;
pub mod joint;
pub mod kmeans;
pub mod laplacian_svm;
pub mod limits;
pub mod lmi;
pub mod logistic;
pub(crate) mod low_rank;
pub mod nearest;
pub mod neighbour_graph;
pub mod nonnegative;
pub mod normal;
pub mod nu_svr;
pub mod one_class;
pub mod orthonormal;
pub mod planes;
pub mod recycle;
pub mod ridge;
pub(crate) mod rounding;
pub mod simplex;
pub mod smo;
mod softened;
pub mod solved;
pub mod squared_hinge;
pub mod standard;
pub mod surface;
pub mod svr;
pub mod verify;

use crate::Watch;

/// A symmetric n × n matrix read by rows. Immutable, shared between threads; caches belong to
/// the solvers.
pub trait Rows: Sync {
    /// n.
    fn n(&self) -> usize;

    /// The diagonal.
    fn diagonal(&self) -> Vec<f64>;

    /// Of how many terms an entry is the sum: the more, the more of it is rounding.
    fn terms(&self) -> usize {
        1
    }

    /// Row i, all columns or the given ones, rounded to f32 (working precision of SMO steps).
    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]);

    /// Row i where it lies in memory in f64, if it does: solvers then read it there.
    fn stored_row(&self, i: usize) -> Option<&[f64]> {
        let _ = i;
        None
    }

    /// Row i in f64: where it lies in memory, else computed into `room`, of length n.
    fn row<'a>(&'a self, i: usize, room: &'a mut [f64]) -> &'a [f64] {
        if let Some(row) = self.stored_row(i) {
            return row;
        }
        let mut one = vec![0.0; room.len()];
        one[i] = 1.0;
        self.multiply(&one, room);
        room
    }

    /// out = K·coef in f64; zeros of `coef` are skipped. Solvers use it to remove the rounding
    /// of [`fill`](Self::fill) from their final answer.
    fn multiply(&self, coef: &[f64], out: &mut [f64]);

    /// [`multiply`](Self::multiply), given up a moment after `watch` asks to stop: false, and `out`
    /// is not to be used. Matrices in memory are quick enough to do without.
    fn multiply_until(&self, coef: &[f64], out: &mut [f64], watch: &Watch) -> bool {
        let _ = watch;
        self.multiply(coef, out);
        true
    }
}
