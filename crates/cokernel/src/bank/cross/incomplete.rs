//! New rows, or support rows, that lack a view: values of kernels that are estimated from the other views, or 0.

use super::{Cross, NewRows};

impl Cross {
    /// Whether values of instances that lack a view are estimated.
    pub(super) fn estimates(&self) -> bool {
        self.fill.as_ref().is_some_and(|f| f.estimated)
    }

    /// Normalised values of rows i0.. into `out`: row, then active kernel, then support row.
    pub(crate) fn values(
        &self,
        new: &NewRows,
        active: &[usize],
        i0: usize,
        rows: usize,
        measures: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let Some(fill) = &self.fill else {
            return self.plain_values(new, active, i0, rows, measures, out);
        };
        let (s, wide) = (self.n_support(), active.len() * self.n_support());
        if !fill.estimated {
            self.plain_values(new, active, i0, rows, measures, out);
            for out in out.chunks_mut(wide.max(1)) {
                for (values, m) in out.chunks_mut(s).zip(active) {
                    (0..s).filter(|j| !fill.has(*m, *j)).for_each(|j| values[j] = 0.0);
                }
            }
            return;
        }
        let all: Vec<usize> = (0..self.kernels.len()).collect();
        let mut every = vec![0.0; rows * all.len() * s];
        self.plain_values(new, &all, i0, rows, measures, &mut every);
        let strips = every.chunks_mut((all.len() * s).max(1)).zip(out.chunks_mut(wide.max(1)));
        for (r, (every, out)) in strips.enumerate() {
            let complete = all.iter().all(|m| new.has(*m, i0 + r));
            fill.fill_row(complete, |m| new.has(m, i0 + r), 0..s, s, every);
            for (out, m) in out.chunks_mut(s).zip(active) {
                out.copy_from_slice(&every[m * s..(m + 1) * s]);
            }
        }
    }

    /// The mean of the values of kernel m with the training instances that have its view.
    pub(super) fn mean(&self, m: usize, values: &[f64]) -> f64 {
        let Some(fill) = &self.fill else {
            return values.iter().sum::<f64>() / values.len() as f64;
        };
        let known = (0..values.len()).filter(|j| fill.has(m, *j));
        let (sum, count) = known.fold((0.0, 0.0), |(s, c), j| (s + values[j], c + 1.0));
        sum / count
    }
}

impl NewRows {
    /// Whether row i has the view of kernel m.
    pub(super) fn has(&self, m: usize, i: usize) -> bool {
        self.present.get(m).and_then(Option::as_ref).is_none_or(|p| p[i])
    }
}
