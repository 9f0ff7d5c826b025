//! Linear kernels of single features between new rows and support rows: Σ_m w_m z_m(x) z_m(x_i), where nothing is
//! computed for pairs of rows.

use super::{Cross, NewRows};
use crate::bank::columns::{self, Columns};
use crate::data::{Matrix, Views};
use crate::kernel::{Kernel, Norm};
use crate::{Error, Result};
use cokernel_dense::{Slice, gram_tn, product_plus};

/// The kernels that are compared feature by feature: those that were kept so in training, or all like them where
/// they are many.
pub(super) fn chosen(
    support: &Views,
    kernels: &[Kernel],
    norms: &[Vec<Norm>],
) -> Result<Option<Columns>> {
    let fits = |m: &usize| columns::fits(&kernels[*m], &norms[*m]);
    let members: Vec<usize> = (0..kernels.len()).filter(fits).collect();
    let centered = |m: &usize| columns::centered_by_feature(&kernels[*m], &norms[*m]);
    if members.len() < columns::FEWEST && !members.iter().any(centered) {
        return Ok(None);
    }
    let z = columns::transformed(support, kernels, &members, norms)?;
    Ok(Some(Columns::new(kernels.len(), members, z)))
}

/// Views of kernels of single features with their number of columns in training.
pub(super) fn widths(
    support: &Views,
    kernels: &[Kernel],
    columns: Option<&Columns>,
) -> Result<Vec<(String, usize)>> {
    let mut widths: Vec<(String, usize)> = Vec::new();
    for m in columns.map_or(&[][..], Columns::members) {
        let view = &kernels[*m].view;
        if widths.last().is_none_or(|w| w.0 != *view) && widths.iter().all(|w| w.0 != *view) {
            widths.push((view.clone(), support.get(view)?.table.cols()));
        }
    }
    Ok(widths)
}

impl Cross {
    /// The features of new rows, if a kernel of `active` reads one.
    pub(super) fn new_features(&self, views: &Views, active: &[bool]) -> Result<Option<Matrix>> {
        let Some(columns) = &self.engine.columns else { return Ok(None) };
        if !columns.members().iter().any(|m| active[*m]) {
            return Ok(None);
        }
        for (name, width) in &self.widths {
            let view = views.get(name)?;
            super::require_complete(view)?;
            if !view.table.is_features() {
                return Err(Error::Data(format!(
                    "view '{name}' is {}; the model wants features",
                    view.table.words()
                )));
            }
            let found = view.table.cols();
            if found != *width {
                let expected = format!("{width} columns as in training");
                return Err(Error::shape(
                    format!("view '{name}'"),
                    expected,
                    format!("{found} columns"),
                ));
            }
        }
        columns::transformed(views, &self.kernels, columns.members(), &self.norms).map(Some)
    }

    /// `out` += Σ_m w_m K_m C over kernels of single features, for the same coefficients C (support rows × k) of all.
    pub(super) fn add_features(
        &self,
        new: &NewRows,
        terms: &[(usize, f64)],
        coef: &Matrix,
        out: &mut Matrix,
    ) {
        let (Some(columns), Some(z)) = (&self.engine.columns, &new.features) else { return };
        let (support, k) = (columns.z(), coef.cols());
        let mut scores = vec![0.0; support.cols() * k];
        gram_tn(Slice::of(support), Slice::of(coef), &mut scores);
        let mut weights = vec![0.0; support.cols()];
        for (m, w) in terms {
            weights[columns.place(*m).unwrap_or(0)] += w;
        }
        for (scores, w) in scores.chunks_mut(k).zip(&weights) {
            scores.iter_mut().for_each(|s| *s *= w);
        }
        product_plus(out.values_mut(), 1.0, Slice::of(z), Slice::new(&scores, support.cols(), k));
    }

    /// `out` += Σ_m K_m C_m over kernels of single features, with coefficients of their own.
    pub(super) fn add_each_feature(
        &self,
        new: &NewRows,
        terms: &[(usize, Slice<'_>)],
        out: &mut Matrix,
    ) {
        let (Some(columns), Some(z)) = (&self.engine.columns, &new.features) else { return };
        let (support, k) = (columns.z(), out.cols());
        let mut scores = vec![0.0; support.cols() * k];
        for (m, coef) in terms {
            let Some(place) = columns.place(*m) else { continue };
            let own = &mut scores[place * k..(place + 1) * k];
            for (i, row) in coef.values.chunks(k).enumerate() {
                let x = support.row(i)[place];
                own.iter_mut().zip(row).for_each(|(o, c)| *o += x * c);
            }
        }
        product_plus(out.values_mut(), 1.0, Slice::of(z), Slice::new(&scores, support.cols(), k));
    }

    /// Values of new rows i0.. with all support rows: row, then kernel with a slot, then support row.
    pub(super) fn feature_values(
        &self,
        new: &NewRows,
        slots: &[Option<usize>],
        i0: usize,
        wide: usize,
        out: &mut [f64],
    ) {
        let (Some(columns), Some(z)) = (&self.engine.columns, &new.features) else { return };
        let s = self.n_support();
        for (place, slot) in
            columns.members().iter().enumerate().filter_map(|(p, m)| Some((p, slots[*m]?)))
        {
            for (r, out) in out.chunks_mut(wide).enumerate() {
                let x = z.row(i0 + r)[place];
                let values = out[slot * s..(slot + 1) * s].iter_mut();
                values.zip(columns.feature(place)).for_each(|(o, v)| *o = x * v);
            }
        }
    }
}
