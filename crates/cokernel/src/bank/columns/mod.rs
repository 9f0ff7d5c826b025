//! [`Columns`]: linear kernels of one feature each, of which there may be a million.
//!
//! Such a kernel has rank one, K_m = z_m z_mᵀ, and so it has after every normalisation there is: centring takes the
//! mean off the feature, the scalings divide it, a unit diagonal leaves its signs. What is kept is therefore the
//! n × M matrix Z of the normalised features, instance by instance as features come, and nothing of size n² M:
//!
//! | what | how | cost |
//! |---|---|---|
//! | c_uᵀ K_m c_u of all kernels | (Zᵀc)² | n M for each c |
//! | Σ_m w_m K_m | Z diag(w) Zᵀ, one triangle | n² M / 2 multiplications |
//! | (Σ_m w_m K_m) V | Z (w ∘ (Zᵀ V)) | 2 n M k |
//! | ⟨K_m, K_h⟩ | (Zᵀ Z)² entry by entry | n M² / 2 |
//!
//! Features that need no normalisation are not copied where their owner lends them. Centred features are kept centred:
//! with a mean taken off the products instead, a feature with a mean of 10⁶ deviations would keep four digits.

mod algebra;
mod fit;

use super::norm::inverse_root;
use crate::data::{Matrix, Table};
use crate::kernel::{Function, Kernel, Norm, Normalization};

#[cfg(test)]
mod tests;

pub(super) use algebra::Chosen;
pub(super) use fit::{fit, transformed};

/// Fewer than this are kept as other kernels are: one pass then reads them together with the others.
pub(super) const FEWEST: usize = 32;

/// The linear kernels of single features among those of a bank.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// Their numbers in the bank, ascending.
    members: Vec<usize>,
    /// The place of each kernel of the bank among them.
    places: Vec<Option<u32>>,
    /// n × members.
    z: Matrix,
}

/// Whether it is the linear kernel of one feature.
fn is_column(kernel: &Kernel) -> bool {
    kernel.function == Function::Linear && kernel.column.is_some()
}

/// The kernels that are kept as columns: all of one feature, if they are enough.
pub(super) fn chosen(kernels: &[Kernel]) -> Vec<usize> {
    let found: Vec<usize> = (0..kernels.len()).filter(|m| is_column(&kernels[*m])).collect();
    if found.len() < FEWEST { Vec::new() } else { found }
}

/// Whether a kernel with these statistics was kept as a column: it has no means of rows, and new rows need nothing of
/// the training instances for its normalisations.
pub(super) fn fits(kernel: &Kernel, norms: &[Norm]) -> bool {
    is_column(kernel) && !norms.iter().any(|n| matches!(n, Norm::Center { .. }))
}

/// Whether a kernel is centred by the mean of its feature.
pub(crate) fn centered_by_feature(kernel: &Kernel, norms: &[Norm]) -> bool {
    is_column(kernel) && norms.iter().any(|n| matches!(n, Norm::CenterFeature { .. }))
}

/// A normalisation of a feature x of which k(x, z) = x z.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Shift(f64),
    Times(f64),
    Sign,
}

impl Step {
    /// What the statistics of a kernel are to its feature; `None` for means of rows.
    fn of(norm: &Norm) -> Option<Self> {
        match norm {
            Norm::UnitDiagonal => Some(Step::Sign),
            Norm::Scale { factor } => Some(Step::Times(factor.sqrt())),
            Norm::CenterFeature { mean } => Some(Step::Shift(*mean)),
            Norm::Center { .. } => None,
        }
    }

    #[inline]
    fn apply(self, x: f64) -> f64 {
        match self {
            Step::Shift(mean) => x - mean,
            Step::Times(root) => x * root,
            Step::Sign => x * inverse_root(x * x),
        }
    }
}

/// Consecutive places whose kernels are on the same view with the same normalisations.
struct Part {
    /// Kernel of the first, in the list that they come from.
    kernels: Vec<usize>,
    view: String,
    /// Columns of the view.
    columns: Vec<usize>,
    steps: Vec<Normalization>,
}

/// The parts of these kernels.
fn parts(kernels: &[Kernel], members: &[usize]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for &m in members {
        let kernel = &kernels[m];
        let Some(column) = kernel.column else { continue };
        let same = |p: &&mut Part| p.view == kernel.view && p.steps == kernel.normalize;
        match parts.last_mut().filter(same) {
            Some(part) => {
                part.kernels.push(m);
                part.columns.push(column);
            }
            None => parts.push(Part {
                kernels: vec![m],
                view: kernel.view.clone(),
                columns: vec![column],
                steps: kernel.normalize.clone(),
            }),
        }
    }
    parts
}

/// Writes some columns of all rows of a table, side by side.
fn gather(table: &Table, columns: &[usize], out: &mut [f64]) {
    let width = columns.len();
    let Some(&first) = columns.first() else { return };
    let together = columns.iter().enumerate().all(|(k, c)| *c == first + k);
    for (i, out) in out.chunks_exact_mut(width).enumerate() {
        match table {
            Table::Sequences(_) => out.fill(0.0),
            Table::Dense(m) | Table::Similarity(m) if together => {
                out.copy_from_slice(&m.row(i)[first..first + width]);
            }
            Table::Dense(m) | Table::Similarity(m) => {
                let row = m.row(i);
                out.iter_mut().zip(columns).for_each(|(o, c)| *o = row[*c]);
            }
            Table::Sparse(m) | Table::Graph(m) if together => {
                let (c, v) = m.row(i);
                let from = c.partition_point(|c| (*c as usize) < first);
                let to = c.partition_point(|c| (*c as usize) < first + width);
                out.fill(0.0);
                for (c, v) in c[from..to].iter().zip(&v[from..to]) {
                    out[*c as usize - first] = *v;
                }
            }
            Table::Sparse(m) | Table::Graph(m) => {
                out.iter_mut().zip(columns).for_each(|(o, c)| *o = m.get(i, *c));
            }
        }
    }
}

impl Columns {
    /// Of `kernels` kernels these, whose features after all normalisations are the columns of `z`.
    pub(super) fn new(kernels: usize, members: Vec<usize>, z: Matrix) -> Self {
        let mut places = vec![None; kernels];
        members.iter().zip(0..).for_each(|(m, place)| places[*m] = Some(place));
        Columns { members, places, z }
    }

    /// n.
    pub(super) fn n(&self) -> usize {
        self.z.rows()
    }

    /// n × members.
    pub(super) fn z(&self) -> &Matrix {
        &self.z
    }

    /// Their numbers in the bank, ascending.
    pub(super) fn members(&self) -> &[usize] {
        &self.members
    }

    /// The column of kernel m, if it is one of these.
    #[inline]
    pub(super) fn place(&self, m: usize) -> Option<usize> {
        self.places[m].map(|p| p as usize)
    }

    /// Whether the bank has no other kernels.
    pub(super) fn is_all(&self) -> bool {
        self.members.len() == self.places.len()
    }

    /// z of kernel m, for all instances.
    pub(super) fn feature(&self, place: usize) -> impl Iterator<Item = f64> + '_ {
        self.z.values()[place..].iter().step_by(self.z.cols()).copied()
    }

    /// (K_m)_ii.
    pub(super) fn diagonal(&self, place: usize) -> Vec<f64> {
        self.feature(place).map(|z| z * z).collect()
    }

    /// The same kernels between some of the instances.
    pub(super) fn select_rows(&self, rows: &[usize]) -> Self {
        Columns::new(self.places.len(), self.members.clone(), self.z.select_rows(rows))
    }

    /// The columns of these kernels as those of a bank that has no others; `None` if one is not among them.
    pub(super) fn only(&self, kernels: &[usize]) -> Option<Self> {
        let places: Option<Vec<usize>> = kernels.iter().map(|m| self.place(*m)).collect();
        let z = self.z.select_cols(&places?);
        Some(Columns::new(kernels.len(), (0..kernels.len()).collect(), z))
    }

    /// Entries (i, j), j in `columns`, of the kernels in `active` that are among these: `out[a·len..]`.
    pub(super) fn entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let (len, own) = (columns.len(), self.z.row(i));
        for (c, j) in columns.enumerate() {
            let other = self.z.row(j);
            for (a, m) in active.iter().enumerate() {
                if let Some(p) = self.place(*m) {
                    out[a * len + c] = own[p] * other[p];
                }
            }
        }
    }

    /// Rows i0.. × columns j0.. of the kernels with a slot; row r of slot a begins at `at(r, a)`.
    pub(super) fn strip(
        &self,
        slots: &[Option<usize>],
        (i0, rows): (usize, usize),
        (j0, cols): (usize, usize),
        at: impl Fn(usize, usize) -> usize,
        out: &mut [f64],
    ) {
        let mut others = vec![0.0; cols];
        for (place, slot) in
            self.members.iter().enumerate().filter_map(|(p, m)| Some((p, slots[*m]?)))
        {
            others.iter_mut().enumerate().for_each(|(c, o)| *o = self.z.row(j0 + c)[place]);
            for r in 0..rows {
                let own = self.z.row(i0 + r)[place];
                let out = &mut out[at(r, slot)..][..cols];
                out.iter_mut().zip(&others).for_each(|(o, z)| *o = own * z);
            }
        }
    }
}
