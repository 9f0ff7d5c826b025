//! Two variables for each row of a matrix.

use super::Rows;
use crate::Watch;

/// The 2n × 2n matrix of four copies of K: variables i and n + i have the same row. The solver of
/// pair steps takes a loss with two edges for two losses with one.
pub(super) struct Twins<'a>(pub &'a dyn Rows);

impl Twins<'_> {
    fn folded(&self, coef: &[f64]) -> Vec<f64> {
        let (a, b) = coef.split_at(self.0.n());
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }
}

impl Rows for Twins<'_> {
    fn n(&self) -> usize {
        2 * self.0.n()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.0.diagonal().repeat(2)
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let n = self.0.n();
        let Some(columns) = columns else {
            self.0.fill(i % n, None, &mut out[..n]);
            out.copy_within(..n, n);
            return;
        };
        let single: Vec<u32> = columns.iter().map(|c| *c % n as u32).collect();
        self.0.fill(i % n, Some(&single), out);
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        let n = self.0.n();
        self.0.multiply(&self.folded(coef), &mut out[..n]);
        out.copy_within(..n, n);
    }

    fn multiply_until(&self, coef: &[f64], out: &mut [f64], watch: &Watch) -> bool {
        let n = self.0.n();
        let done = self.0.multiply_until(&self.folded(coef), &mut out[..n], watch);
        out.copy_within(..n, n);
        done
    }
}
