//! A matrix with more on its diagonal.

use super::Rows;
use crate::Watch;

/// K + diag(`extra`).
pub(super) struct Softened<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// What is added to K_ii.
    pub extra: &'a [f64],
}

impl Softened<'_> {
    fn add(&self, coef: &[f64], out: &mut [f64]) {
        for ((o, c), e) in out.iter_mut().zip(coef).zip(self.extra) {
            *o += c * e;
        }
    }
}

impl Rows for Softened<'_> {
    fn n(&self) -> usize {
        self.rows.n()
    }

    fn terms(&self) -> usize {
        self.rows.terms()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.rows.diagonal().iter().zip(self.extra).map(|(d, e)| d + e).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        self.rows.fill(i, columns, out);
        let at = match columns {
            None => Some(i),
            Some(columns) => columns.iter().position(|c| *c as usize == i),
        };
        if let Some(at) = at {
            out[at] += self.extra[i] as f32;
        }
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        self.rows.multiply(coef, out);
        self.add(coef, out);
    }

    fn multiply_until(&self, coef: &[f64], out: &mut [f64], watch: &Watch) -> bool {
        let done = self.rows.multiply_until(coef, out, watch);
        self.add(coef, out);
        done
    }
}
