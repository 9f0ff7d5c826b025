//! [`FittedKernels`]: kernels as training left them, for new rows and without a machine.

use super::predict::cross_with;
use super::{Prepared, PreparedViews, file, finite, refuse_unit_diagonal};
use crate::bank::{Bank, Cross, NewRows, RowMeans};
use crate::data::{Matrix, Preparation, Views};
use crate::error::room_for;
use crate::kernel::{Kernel, Norm};
use crate::multiview;
use crate::{Error, Result, Run};
use serde::{Deserialize, Serialize};

/// Kernels with their resolved widths and normalisations, the scaling of the views and the
/// training rows: everything that comparing new rows with the training instances takes.
///
/// ```
/// use cokernel::{Run, data, model::{FittedKernels, MultiView}};
///
/// let (views, _) = data::toy::views(60, 3, &[6.0, 6.0], 1)?;
/// let prepared = MultiView::new("spectral")?.prepare(&views, &Run::default())?;
/// let kernels = FittedKernels::of_views(&prepared)?;
/// let new = views.select(&[4, 5]);
/// let both = kernels.cross(&new)?;
/// assert_eq!((both.len(), both[0].rows(), both[0].cols()), (2, 2, 60));
/// assert!((both[1].get(0, 4) - 1.0).abs() < 1e-12);
/// # Ok::<(), cokernel::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FittedKernels {
    pub(super) info: KernelsInfo,
    /// Prepared rows of the feature views.
    pub(super) rows: Views,
}

/// Everything that is not a table of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KernelsInfo {
    pub(super) preparation: Preparation,
    pub(super) kernels: Vec<Kernel>,
    pub(super) norms: Vec<Vec<Norm>>,
    pub(super) n_train: usize,
}

impl FittedKernels {
    /// The kernels of labelled training instances.
    ///
    /// # Errors
    /// A similarity is to have a unit diagonal, which new rows do not tell; the statistics of a
    /// normalisation overflow; landmarks stand for the instances.
    pub fn of_prepared(prepared: &Prepared) -> Result<Self> {
        let bank = prepared.between("a comparison with all of them")?;
        Self::new(&prepared.preparation, &prepared.views, bank)
    }

    /// The kernels of instances without labels.
    ///
    /// # Errors
    /// As [`of_prepared`](Self::of_prepared); graphs of neighbours, or similarities that were
    /// estimated from other views, are not known for new rows; landmarks stand for the instances.
    pub fn of_views(prepared: &PreparedViews) -> Result<Self> {
        if let Some(why) = prepared.no_new_rows {
            return Err(Error::Data(why.to_string()));
        }
        if prepared.bank.is_low_rank() {
            let (what, n) = ("a comparison with all of them", Some(prepared.bank.n()));
            let methods = multiview::low_rank_methods();
            return Err(prepared.bank.storage().refused_for(what, n, &methods));
        }
        Self::new(&prepared.preparation, &prepared.views, &prepared.bank)
    }

    fn new(preparation: &Preparation, views: &Views, bank: &Bank) -> Result<Self> {
        let kernels = bank.kernels().to_vec();
        let all: Vec<usize> = (0..kernels.len()).collect();
        refuse_unit_diagonal(&all, &kernels)?;
        let mut rows = Views::new();
        for view in views.iter().filter(|v| !v.table.is_similarity()) {
            rows = rows.with(view.name.clone(), view.table.clone())?;
        }
        let norms: Vec<Vec<Norm>> = all.iter().map(|&m| bank.norms(m).to_vec()).collect();
        finite::norms(&kernels, &norms)?;
        let (preparation, n_train) = (preparation.clone(), bank.n());
        Ok(FittedKernels { info: KernelsInfo { preparation, kernels, norms, n_train }, rows })
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.info.kernels
    }

    /// Number of training instances.
    pub fn n_train(&self) -> usize {
        self.info.n_train
    }

    /// All of it as bytes, in the form of a model file.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::kernels_to_bytes(self)
    }

    /// From what [`to_bytes`](Self::to_bytes) gave. Nothing is executed, and every size is checked
    /// before it is used.
    ///
    /// # Errors
    /// Something else, truncated or damaged, or of a newer version of the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        file::kernels_from_bytes(bytes)
    }

    /// Every kernel towards the training instances, each n_new × n. Similarity views hold, for
    /// each new row, its similarity to all training instances in their order.
    ///
    /// # Errors
    /// A view is missing or incomplete, or differs from training in kind, number of columns or
    /// column names.
    pub fn cross(&self, views: &Views) -> Result<Vec<Matrix>> {
        self.cross_in(views, &Run::default())
    }

    /// [`cross`](Self::cross) with the limits of a run.
    ///
    /// # Errors
    /// As [`cross`](Self::cross); [`Error::Stopped`].
    pub fn cross_in(&self, views: &Views, run: &Run) -> Result<Vec<Matrix>> {
        let kernels = self.kernels().len();
        let (cross, new) = self.compared(views, kernels, run)?;
        (0..self.kernels().len()).map(|m| cross.kernel(&new, m)).collect()
    }

    /// Σ_m w_m k_m towards the training instances, n_new × n.
    ///
    /// # Errors
    /// As [`cross`](Self::cross); not one weight per kernel.
    pub fn combined(&self, views: &Views, weights: &[f64]) -> Result<Matrix> {
        self.combined_in(views, weights, &Run::default())
    }

    /// [`combined`](Self::combined) with the limits of a run.
    ///
    /// # Errors
    /// As [`combined`](Self::combined); [`Error::Stopped`].
    pub fn combined_in(&self, views: &Views, weights: &[f64], run: &Run) -> Result<Matrix> {
        let kernels = self.kernels().len();
        if weights.len() != kernels {
            let expected = format!("{kernels}, one per kernel");
            return Err(Error::shape("weights", expected, weights.len()));
        }
        // The sum, and one of its terms.
        let (cross, new) = self.compared(views, 2, run)?;
        let mut sum = Matrix::zeros(new.n(), self.n_train());
        for (m, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            let kernel = cross.kernel(&new, m)?;
            sum.values_mut().iter_mut().zip(kernel.values()).for_each(|(s, k)| *s += w * k);
        }
        Ok(sum)
    }

    /// What compares new rows, if there is room for so many matrices.
    fn compared(&self, views: &Views, matrices: usize, run: &Run) -> Result<(Cross, NewRows)> {
        let (n, cols) = (views.n(), self.n_train());
        room_for::<f64>(n.checked_mul(cols).and_then(|c| c.checked_mul(matrices)), || {
            let what = if matrices == 1 { "matrix" } else { "matrices" };
            format!("{matrices} {what} of {n} × {cols} numbers")
        })?;
        let info = &self.info;
        let views = info.preparation.apply(views)?;
        views.require_complete()?;
        let rows: Vec<usize> = (0..info.n_train).collect();
        let all: Vec<usize> = (0..info.kernels.len()).collect();
        let kernels = (info.kernels.as_slice(), info.norms.as_slice());
        let cross = cross_with(&self.rows, &rows, info.n_train, kernels, &all, RowMeans::Exact)?;
        let new = cross.new_rows(&views, &all)?;
        Ok((cross.under(run.watch()), new))
    }
}
