//! The kernels towards landmarks as kernels between all instances, K̃_m = F_m F_mᵀ with F_m = C_m R_m, of which the factors are kept:
//! n × Σ r_m numbers, for methods whose every step is a product with a thin block (spectral ones).
//!
//! The landmarks and R_m stay with them: what any instance x has of a sum over all instances, Σ_i k̃_m(x, x_i) v_i, is
//! C_m(x) (R_m F_mᵀ v), so that models of such methods keep r numbers in the place of n.
//!
//! Cost: r kernel values and 2 r r_m operations for each instance and kernel, once; 8 bytes for each of the n Σ r_m numbers, or 4
//! where they would take more than half of the memory of the run.

use super::landmarks::stopped;
use super::space::Space;
use crate::bank::{Bank, Entries, Factors, LowRank, huge_pages};
use crate::data::Views;
use crate::error::room_for;
use crate::{Error, Result, Run, Watch};
use rayon::prelude::*;

/// Instances that one task works on.
const ROWS: usize = 2_048;

impl Space {
    /// The bank of the approximate kernels between all instances of these views.
    ///
    /// # Errors
    /// There is no memory for the features, or less is allowed; a stop.
    pub(crate) fn bank(self, views: &Views, how: LowRank, run: &Run) -> Result<Bank> {
        super::Workers::refuse_others(run)?;
        let (n, watch) = (views.n(), run.watch());
        let count = n.checked_mul(self.size());
        let what = || {
            format!(
                "{} features towards landmarks of {n} instances (a smaller rank of the storage needs less)",
                self.size()
            )
        };
        let bytes = count.map_or(usize::MAX, |c| c.saturating_mul(8));
        if bytes / 2 > run.memory {
            return Err(Error::Data(format!(
                "{} take {:.1} MB in single precision, and {:.1} MB are allowed; allow more memory",
                what(),
                bytes as f64 / 2e6,
                run.memory as f64 / 1e6
            )));
        }
        let entries = if bytes > run.memory / 2 {
            room_for::<f32>(count, what)?;
            Entries::Single(self.features(views, &watch, |v| v as f32)?)
        } else {
            room_for::<f64>(count, what)?;
            Entries::Double(self.features(views, &watch, |v| v)?)
        };
        let parts = (0..self.kernels().len()).map(|m| self.part(m)).collect();
        let mut notes = self.notes().to_vec();
        if matches!(entries, Entries::Single(_)) {
            notes.push(format!(
                "the features towards landmarks are kept in single precision: {:.1} MB, where double precision takes more than half of \
                 the {:.1} MB that are allowed",
                bytes as f64 / 2e6,
                run.memory as f64 / 1e6
            ));
        }
        let (kernels, norms, towards) = self.into_parts();
        let factors = Factors::new(n, parts, entries, towards, how);
        Ok(Bank::of_factors(kernels, norms, factors, notes))
    }

    /// F of all instances, row by row.
    fn features<T: Copy + Default + Send>(
        &self,
        views: &Views,
        watch: &Watch,
        number: impl Fn(f64) -> T + Sync,
    ) -> Result<Vec<T>> {
        let (n, wide) = (views.n(), self.size());
        let all: Vec<usize> = (0..self.kernels().len()).collect();
        let mut out = vec![T::default(); n * wide];
        huge_pages(&out);
        if wide == 0 {
            return Ok(out);
        }
        let each = |white: &mut Vec<f64>, (c, out): (usize, &mut [T])| {
            stopped(watch)?;
            let rows: Vec<usize> = (c * ROWS..c * ROWS + out.len() / wide).collect();
            self.visit(views, &rows, &all, |first, count, values| {
                self.whitened(&all, count, values, white);
                let to = &mut out[first * wide..(first + count) * wide];
                to.iter_mut().zip(&*white).for_each(|(o, v)| *o = number(*v));
            })
        };
        let chunks = out.par_chunks_mut(ROWS * wide).enumerate();
        chunks.try_for_each_init(Vec::new, each)?;
        Ok(out)
    }
}
