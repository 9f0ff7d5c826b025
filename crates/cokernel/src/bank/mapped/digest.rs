//! What the kernels of a file are made of, as one number.

use super::Shape;
use crate::bank::Estimates;
use crate::data::{Csr, Matrix, Table, View, Views};
use crate::kernel::Kernel;
use crate::{Error, Result};
use sha2::{Digest, Sha256};

/// What the kernels of a bank are made of.
#[derive(Debug, Clone, Copy)]
pub(in crate::bank) struct Source<'a> {
    /// The views; those without a kernel do not matter.
    pub(in crate::bank) views: &'a Views,
    /// The kernels, all parameters fixed.
    pub(in crate::bank) kernels: &'a [Kernel],
    /// What stands for values of instances that lack a view.
    pub(in crate::bank) estimates: Estimates,
}

impl Source<'_> {
    /// SHA-256 of all that the numbers of a file of this shape depend on, in hexadecimal digits.
    pub(super) fn digest(&self, shape: &Shape) -> Result<String> {
        let kernels = serde_json::to_string(self.kernels)
            .map_err(|e| Error::Data(format!("the kernels cannot be written as text: {e}")))?;
        let mut sum = Sha256::new();
        add_text(&mut sum, super::build::VERSION);
        let (n, tiled, width) = (shape.layout.n, shape.kernels, shape.width());
        let estimates = match self.estimates {
            Estimates::None => "false",
            Estimates::Plain => "true",
            Estimates::Definite => "definite",
            Estimates::UnitDiagonal => "unit diagonal",
        };
        add_text(&mut sum, &format!("{n} {tiled} {width} {estimates}"));
        add_text(&mut sum, &kernels);
        for view in self.views.iter().filter(|v| self.kernels.iter().any(|k| k.view == v.name)) {
            add_view(&mut sum, view);
        }
        Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Name, presence and content of a view.
pub(crate) fn add_view(sum: &mut Sha256, view: &View) {
    add_text(sum, &view.name);
    let mask: Option<Vec<u8>> =
        view.present.as_ref().map(|p| p.iter().map(|h| u8::from(*h)).collect());
    add_bytes(sum, mask.as_deref().unwrap_or_default());
    match &view.table {
        Table::Dense(m) => add_dense(sum, "features", m),
        Table::Similarity(m) => add_dense(sum, "similarity", m),
        Table::Sparse(m) => add_sparse(sum, "sparse features", m),
        Table::Graph(m) => add_sparse(sum, "graph", m),
        Table::Sequences(s) => {
            add_text(sum, &format!("sequences {}", s.rows()));
            (0..s.rows()).for_each(|i| add_bytes(sum, s.row(i)));
        }
    }
}

pub(crate) fn add_bytes(sum: &mut Sha256, bytes: &[u8]) {
    sum.update((bytes.len() as u64).to_le_bytes());
    sum.update(bytes);
}

pub(crate) fn add_text(sum: &mut Sha256, text: &str) {
    add_bytes(sum, text.as_bytes());
}

fn add_dense(sum: &mut Sha256, kind: &str, m: &Matrix) {
    add_text(sum, &format!("{kind} {} {}", m.rows(), m.cols()));
    add_bytes(sum, bytemuck::cast_slice(m.values()));
}

fn add_sparse(sum: &mut Sha256, kind: &str, m: &Csr) {
    add_text(sum, &format!("{kind} {} {}", m.rows(), m.cols()));
    for i in 0..m.rows() {
        let (columns, values) = m.row(i);
        add_bytes(sum, bytemuck::cast_slice(columns));
        add_bytes(sum, bytemuck::cast_slice(values));
    }
}
