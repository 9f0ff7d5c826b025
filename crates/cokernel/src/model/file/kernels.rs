//! The content of a file of fitted kernels: no tensors of its own.

use super::read::{Checked, Compared, Opened, misfit, with_bytes};
use super::{Kind, PLAIN, Tensors, bytes, put_norms, put_views};
use crate::Result;
use crate::model::FittedKernels;
use crate::model::kernels::KernelsInfo;

/// See [`FittedKernels::to_bytes`].
pub fn to_bytes(kernels: &FittedKernels) -> Result<Vec<u8>> {
    let mut info = kernels.info.clone();
    let mut tensors = Tensors::new();
    put_norms(&mut info.norms, &mut tensors);
    let support = put_views(&kernels.rows, &mut tensors);
    bytes((Kind::Kernels, PLAIN), &info, &support, &tensors)
}

/// See [`FittedKernels::from_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<FittedKernels> {
    with_bytes(bytes, |file| {
        file.expect(Kind::Kernels)?;
        assemble(file)
    })
}

fn assemble(file: &Opened) -> Checked<FittedKernels> {
    let (mut info, views) = file.envelope::<KernelsInfo>()?;
    let tables = file.tables()?;
    let (n, kernels) = (info.n_train, info.kernels.len());
    tables.norms(&mut info.norms, kernels, n)?;
    let rows = tables.views(&views, n)?;
    if kernels == 0 || n == 0 {
        return misfit(format!("{kernels} kernels of {n} instances"));
    }
    let all: Vec<usize> = (0..kernels).collect();
    let KernelsInfo { preparation, kernels, norms, n_train } = &info;
    let (active, n_train, support) = (all.as_slice(), *n_train, &rows);
    Compared { preparation, kernels, norms, active, support, n_train }.check()?;
    Ok(FittedKernels { info, rows })
}
