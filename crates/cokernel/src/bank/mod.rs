//! [`Bank`]: M kernels over n instances, and the primitives on which every method is written.

mod gram;

pub use gram::Gram;
pub(crate) use gram::check_symmetric;

use crate::data::{Matrix, Table, Views};
use crate::kernel::{Function, Kernel, KernelSpec, Metric, Norm, Normalization, refuse_negative};
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
    n: usize,
    kernels: Vec<Kernel>,
    norms: Vec<Vec<Norm>>,
    notes: Vec<String>,
    values: Vec<Vec<f64>>,
    diagonals: Vec<Vec<f64>>,
}

fn cells(table: &Table, column: Option<usize>, i: usize) -> Vec<f64> {
    let all = match table {
        Table::Dense(m) | Table::Similarity(m) => m.row(i).to_vec(),
        Table::Sparse(m) => {
            let mut all = vec![0.0; m.cols()];
            let (c, v) = m.row(i);
            c.iter().zip(v).for_each(|(c, v)| all[*c as usize] = *v);
            all
        }
    };
    match column {
        Some(c) => vec![all[c]],
        None => all,
    }
}

fn distance(metric: Metric, x: &[f64], z: &[f64]) -> f64 {
    let pairs = x.iter().zip(z);
    match metric {
        Metric::SquaredEuclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum(),
        Metric::Euclidean => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        Metric::Manhattan => pairs.map(|(a, b)| (a - b).abs()).sum(),
        Metric::ChiSquared => {
            pairs.map(|(a, b)| if a + b > 0.0 { (a - b) * (a - b) / (a + b) } else { 0.0 }).sum()
        }
    }
}

/// Visits the distance of every pair i < j of rows.
pub(crate) fn distances(
    table: &Table,
    column: Option<usize>,
    metric: Metric,
    mut visit: impl FnMut(usize, usize, f64),
) {
    let rows: Vec<Vec<f64>> = (0..table.rows()).map(|i| cells(table, column, i)).collect();
    for i in 0..rows.len() {
        for j in i + 1..rows.len() {
            visit(i, j, distance(metric, &rows[i], &rows[j]));
        }
    }
}

fn evaluate(function: Function, x: &[f64], z: &[f64]) -> f64 {
    let dot = || x.iter().zip(z).map(|(a, b)| a * b).sum::<f64>();
    match function {
        Function::Linear | Function::Precomputed => dot(),
        Function::Polynomial { degree, gamma, coef0 } => {
            (gamma * dot() + coef0).powi(degree as i32)
        }
        Function::Sigmoid { gamma, coef0 } => (gamma * dot() + coef0).tanh(),
        Function::Exponential { metric, gamma } => (-gamma * distance(metric, x, z)).exp(),
    }
}

fn normalized(steps: &[Normalization], k: &mut [f64], n: usize) -> Vec<Norm> {
    let mut norms = Vec::new();
    let mut plain = Vec::new();
    for step in steps {
        match step {
            Normalization::CenterUnitVariance => {
                plain.extend([Normalization::Center, Normalization::CenterUnitVariance])
            }
            other => plain.push(*other),
        }
    }
    for step in plain {
        let trace: f64 = (0..n).map(|i| k[i * n + i]).sum();
        let norm = match step {
            Normalization::UnitDiagonal => {
                let s: Vec<f64> = (0..n)
                    .map(|i| k[i * n + i])
                    .map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 })
                    .collect();
                for i in 0..n {
                    for j in 0..n {
                        k[i * n + j] *= s[i] * s[j];
                    }
                }
                norms.push(Norm::UnitDiagonal);
                continue;
            }
            Normalization::Center => {
                let row_means: Vec<f64> =
                    k.chunks(n).map(|r| r.iter().sum::<f64>() / n as f64).collect();
                let grand_mean = row_means.iter().sum::<f64>() / n as f64;
                for i in 0..n {
                    for j in 0..n {
                        k[i * n + j] += grand_mean - row_means[i] - row_means[j];
                    }
                }
                norms.push(Norm::Center { row_means, grand_mean });
                continue;
            }
            Normalization::UnitTrace => 1.0 / trace,
            Normalization::CenterUnitVariance => n as f64 / trace,
            Normalization::Frobenius => 1.0 / k.iter().map(|v| v * v).sum::<f64>().sqrt(),
        };
        let factor = if norm.is_finite() { norm } else { 0.0 };
        k.iter_mut().for_each(|v| *v *= factor);
        norms.push(Norm::Scale { factor });
    }
    norms
}

impl Bank {
    /// Resolves specifications on these instances and builds the bank.
    ///
    /// # Errors
    /// As [`KernelSpec::resolve`] and [`from_kernels`](Self::from_kernels).
    pub fn build(views: &Views, specs: &[KernelSpec], storage: Storage, run: &Run) -> Result<Self> {
        let (mut kernels, mut notes) = (Vec::new(), Vec::new());
        for spec in specs {
            kernels.extend(spec.resolve_with_notes(views, run, &mut notes)?);
        }
        let mut bank = Bank::from_kernels(views, kernels, storage, run)?;
        notes.append(&mut bank.notes);
        bank.notes = notes;
        Ok(bank)
    }

    /// A bank from resolved kernels (normalisation statistics are taken from these instances).
    ///
    /// # Errors
    /// No kernel, unknown views, incomplete views, functions that a view cannot serve.
    pub fn from_kernels(
        views: &Views,
        mut kernels: Vec<Kernel>,
        storage: Storage,
        run: &Run,
    ) -> Result<Self> {
        let _ = (storage, run);
        if kernels.is_empty() {
            return Err(Error::Data("there is no kernel; give at least one".to_string()));
        }
        views.require_complete()?;
        let n = views.n();
        let mut names = std::collections::HashSet::new();
        for k in &mut kernels {
            let plain = k.name.clone();
            let mut copy = 2;
            while !names.insert(k.name.clone()) {
                k.name = format!("{plain} #{copy}");
                copy += 1;
            }
        }
        let (mut values, mut norms) = (Vec::new(), Vec::new());
        for kernel in &kernels {
            let view = views.get(&kernel.view)?;
            if matches!(kernel.function, Function::Exponential { metric: Metric::ChiSquared, .. }) {
                refuse_negative(view)?;
            }
            let mut k = vec![0.0; n * n];
            if let Table::Similarity(m) = &view.table {
                check_symmetric(&format!("view '{}'", view.name), m, 1e-8)?;
                k.copy_from_slice(m.values());
            } else {
                let rows: Vec<Vec<f64>> =
                    (0..n).map(|i| cells(&view.table, kernel.column, i)).collect();
                for i in 0..n {
                    for j in 0..=i {
                        let v = evaluate(kernel.function, &rows[i], &rows[j]);
                        k[i * n + j] = v;
                        k[j * n + i] = v;
                    }
                }
            }
            norms.push(normalized(&kernel.normalize, &mut k, n));
            values.push(k);
        }
        let diagonals = values.iter().map(|k| (0..n).map(|i| k[i * n + i]).collect()).collect();
        Ok(Bank { n, kernels, norms, notes: Vec::new(), values, diagonals })
    }

    /// A bank from named n × n symmetric matrices.
    ///
    /// # Errors
    /// No matrix, different sizes, entries that are not finite, matrices that are not symmetric.
    pub fn from_matrices(matrices: Vec<(String, Matrix)>, storage: Storage) -> Result<Self> {
        let mut views = Views::new();
        let mut kernels = Vec::new();
        for (name, matrix) in matrices {
            kernels.push(Kernel {
                name: name.clone(),
                view: name.clone(),
                column: None,
                function: Function::Precomputed,
                normalize: Vec::new(),
            });
            views = views.with(name, Table::Similarity(matrix))?;
        }
        Bank::from_kernels(&views, kernels, storage, &Run::default())
    }

    /// n.
    pub fn n(&self) -> usize {
        self.n
    }

    /// M.
    pub fn len(&self) -> usize {
        self.kernels.len()
    }

    /// Whether there is no kernel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The normalisation statistics of kernel m, in order of application.
    pub fn norms(&self, m: usize) -> &[Norm] {
        &self.norms[m]
    }

    /// Sentences about the kernels that a user should read (nearly constant, nearly identity …).
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The storage in force (never `Auto`).
    pub fn storage(&self) -> Storage {
        Storage::Resident
    }

    /// Row i of kernel m into `out` (length n).
    pub fn row(&self, m: usize, i: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.values[m][i * self.n..(i + 1) * self.n]);
    }

    /// Diagonal of kernel m.
    pub fn diagonal(&self, m: usize) -> &[f64] {
        &self.diagonals[m]
    }

    /// Entry (i, j) of kernel m.
    pub fn entry(&self, m: usize, i: usize, j: usize) -> f64 {
        self.values[m][i * self.n + j]
    }

    /// Σ_m w_m K_m as a stored n × n matrix.
    pub fn combine(&self, weights: &[f64]) -> Gram {
        let mut gram = Gram::trusted(self.n, vec![0.0; self.n * self.n]);
        self.combine_into(weights, &mut gram);
        gram
    }

    /// [`combine`](Self::combine) into a matrix that exists already, n × n.
    pub fn combine_into(&self, weights: &[f64], gram: &mut Gram) {
        let out = gram.values_mut();
        out.fill(0.0);
        for (w, k) in weights.iter().zip(&self.values).filter(|(w, _)| **w != 0.0) {
            out.iter_mut().zip(k).for_each(|(o, v)| *o += w * v);
        }
    }

    /// Elementwise product of the kernels with these indices.
    pub fn product(&self, kernels: &[usize]) -> Gram {
        let mut out = vec![1.0; self.n * self.n];
        for &m in kernels {
            out.iter_mut().zip(&self.values[m]).for_each(|(o, v)| *o *= v);
        }
        Gram::trusted(self.n, out)
    }

    /// Σ_m w_m K_m read by rows, computed on demand: nothing of size n² is kept.
    pub fn combined_rows<'a>(&'a self, weights: &'a [f64]) -> Box<dyn Rows + 'a> {
        Box::new(self.combine(weights))
    }

    /// cᵀ K_m c for every m and each of several coefficient vectors (length n, zeros skipped):
    /// result[t][m], in one pass over the kernels.
    pub fn quad_forms(&self, coefs: &[&[f64]]) -> Vec<Vec<f64>> {
        let n = self.n;
        let form = |c: &[f64], k: &[f64]| -> f64 {
            (0..n).map(|i| c[i] * (0..n).map(|j| k[i * n + j] * c[j]).sum::<f64>()).sum()
        };
        coefs.iter().map(|c| self.values.iter().map(|k| form(c, k)).collect()).collect()
    }

    /// K_m V for a thin block V, n × k.
    pub fn apply(&self, m: usize, block: &Matrix) -> Matrix {
        let mut weights = vec![0.0; self.len()];
        weights[m] = 1.0;
        self.apply_combined(&weights, block)
    }

    /// (Σ_m w_m K_m) V for a thin block V, n × k.
    pub fn apply_combined(&self, weights: &[f64], block: &Matrix) -> Matrix {
        let gram = self.combine(weights);
        Matrix::from_fn(self.n, block.cols(), |i, t| {
            (0..self.n).map(|j| gram.row(i)[j] * block.get(j, t)).sum()
        })
    }

    /// M × M matrix of ⟨K_m, K_h⟩_F, of the kernels centred in feature space if `centered`.
    pub fn inner_products(&self, centered: bool) -> Matrix {
        let all: Vec<Vec<f64>> =
            self.values.iter().map(|k| self.plain_or_centered(k, centered)).collect();
        Matrix::from_fn(self.len(), self.len(), |a, b| {
            all[a].iter().zip(&all[b]).map(|(x, y)| x * y).sum()
        })
    }

    fn plain_or_centered(&self, k: &[f64], centered: bool) -> Vec<f64> {
        let mut k = k.to_vec();
        if centered {
            normalized(&[Normalization::Center], &mut k, self.n);
        }
        k
    }

    /// ⟨K_m, T⟩ for the target T_ij = t_i t_j given by `t`, centred if asked.
    pub fn target_products(&self, t: &[f64], centered: bool) -> Vec<f64> {
        let mean = if centered { t.iter().sum::<f64>() / self.n as f64 } else { 0.0 };
        let t: Vec<f64> = t.iter().map(|v| v - mean).collect();
        self.quad_forms(&[&t]).remove(0)
    }

    /// K-examples: for each pair (i, j) the M kernel values, into `out` (pairs × M, row-major).
    pub fn pairs(&self, pairs: &[(u32, u32)], out: &mut [f64]) {
        for (&(i, j), out) in pairs.iter().zip(out.chunks_mut(self.len())) {
            for (m, o) in out.iter_mut().enumerate() {
                *o = self.entry(m, i as usize, j as usize);
            }
        }
    }
}
