//! [`Bank`]: M kernels over n instances, and the primitives on which every method is written.

use crate::data::{Matrix, Views};
use crate::kernel::{Kernel, KernelSpec, Norm};
use crate::solve::Rows;
use crate::{Error, Result, Run};

/// How a bank keeps its kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Resident in f64 if it fits into [`Run::memory`], else on demand.
    Auto,
    /// All kernels in memory, 8 bytes an entry (one triangle).
    Resident,
    /// All kernels in memory, 4 bytes an entry.
    ResidentF32,
    /// Nothing of size n² is kept; entries are computed from the features each time.
    OnDemand,
}

/// M kernels over n instances.
pub struct Bank {
    _n: usize,
}

impl Bank {
    /// Resolves specifications on these instances and builds the bank.
    pub fn build(views: &Views, specs: &[KernelSpec], storage: Storage, run: &Run) -> Result<Self> {
        let _ = (views, specs, storage, run);
        todo!()
    }

    /// A bank from resolved kernels (normalisation statistics are taken from these instances).
    pub fn from_kernels(
        views: &Views,
        kernels: Vec<Kernel>,
        storage: Storage,
        run: &Run,
    ) -> Result<Self> {
        let _ = (views, kernels, storage, run);
        todo!()
    }

    /// A bank from named n × n symmetric matrices.
    pub fn from_matrices(matrices: Vec<(String, Matrix)>, storage: Storage) -> Result<Self> {
        let _ = (matrices, storage);
        todo!()
    }

    /// n.
    pub fn n(&self) -> usize {
        todo!()
    }

    /// M.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there is no kernel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> &[Kernel] {
        todo!()
    }

    /// The normalisation statistics of kernel m, in order of application.
    pub fn norms(&self, m: usize) -> &[Norm] {
        let _ = m;
        todo!()
    }

    /// Sentences about the kernels that a user should read (nearly constant, nearly identity …).
    pub fn notes(&self) -> &[String] {
        todo!()
    }

    /// The storage in force (never `Auto`).
    pub fn storage(&self) -> Storage {
        todo!()
    }

    /// Row i of kernel m into `out` (length n).
    pub fn row(&self, m: usize, i: usize, out: &mut [f64]) {
        let _ = (m, i, out);
        todo!()
    }

    /// Diagonal of kernel m.
    pub fn diagonal(&self, m: usize) -> &[f64] {
        let _ = m;
        todo!()
    }

    /// Σ_m w_m K_m as a stored n × n matrix.
    pub fn combine(&self, weights: &[f64]) -> Gram {
        let _ = weights;
        todo!()
    }

    /// Elementwise product of the kernels with these indices.
    pub fn product(&self, kernels: &[usize]) -> Gram {
        let _ = kernels;
        todo!()
    }

    /// Σ_m w_m K_m read by rows, computed on demand: nothing of size n² is kept.
    pub fn combined_rows<'a>(&'a self, weights: &'a [f64]) -> Box<dyn Rows + 'a> {
        let _ = weights;
        todo!()
    }

    /// cᵀ K_m c for every m and each of several coefficient vectors (length n, zeros skipped):
    /// result[t][m], in one pass over the kernels.
    pub fn quad_forms(&self, coefs: &[&[f64]]) -> Vec<Vec<f64>> {
        let _ = coefs;
        todo!()
    }

    /// K_m V for a thin block V, n × k.
    pub fn apply(&self, m: usize, block: &Matrix) -> Matrix {
        let _ = (m, block);
        todo!()
    }

    /// M × M matrix of ⟨K_m, K_h⟩_F, of the kernels centred in feature space if `centered`.
    pub fn inner_products(&self, centered: bool) -> Matrix {
        let _ = centered;
        todo!()
    }

    /// ⟨K_m, T⟩ for the target T_ij = t_i t_j given by `t`, centred if asked.
    pub fn target_products(&self, t: &[f64], centered: bool) -> Vec<f64> {
        let _ = (t, centered);
        todo!()
    }

    /// K-examples: for each pair (i, j) the M kernel values, into `out` (pairs × M, row-major).
    pub fn pairs(&self, pairs: &[(u32, u32)], out: &mut [f64]) {
        let _ = (pairs, out);
        todo!()
    }
}

/// A stored symmetric matrix, n × n, row-major f64.
#[derive(Debug, Clone, PartialEq)]
pub struct Gram {
    n: usize,
    values: Vec<f64>,
}

impl Gram {
    /// A stored symmetric matrix.
    ///
    /// # Errors
    /// Not square, not finite, or not symmetric to 1e-9 of its largest entry.
    pub fn new(matrix: Matrix) -> Result<Self> {
        let n = matrix.rows();
        if n != matrix.cols() {
            return Err(Error::shape(
                "similarity matrix",
                "as many columns as rows",
                format!("{n} × {}", matrix.cols()),
            ));
        }
        Ok(Gram { n, values: matrix.values().to_vec() })
    }

    /// n.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, to be changed by a solver that keeps them symmetric (line searches).
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

impl Rows for Gram {
    fn n(&self) -> usize {
        self.n
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|i| self.values[i * self.n + i]).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let row = Gram::row(self, i);
        match columns {
            None => out.iter_mut().zip(row).for_each(|(o, v)| *o = *v as f32),
            Some(c) => out.iter_mut().zip(c).for_each(|(o, j)| *o = row[*j as usize] as f32),
        }
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, &c) in coef.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            out.iter_mut().zip(Gram::row(self, i)).for_each(|(o, v)| *o += c * v);
        }
    }
}
