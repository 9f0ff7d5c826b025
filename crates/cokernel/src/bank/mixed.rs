//! The kernels of a bank combined by a [pointwise rule](Mix): stored, or read by rows.

use super::{Bank, Gram};
use crate::data::Matrix;
use crate::rule::{Mix, Pairs};
use crate::run::Pass;
use crate::solve::Rows;
use crate::{Result, Watch};
use rayon::prelude::*;

/// Columns computed by one task.
const CHUNK: usize = 1_024;

impl Bank {
    /// k(x_i, x_j) of a pointwise rule over the kernels of this bank, as a stored n × n matrix. `numbers`
    /// are those of [`Mix::numbers`] for the n instances (n × g). Cost: one read (or computation) of the
    /// entries of the kernels that the rule reads, and as many of its steps.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn mixed(&self, mix: &dyn Mix, numbers: Option<&Matrix>) -> Result<Gram> {
        self.mixed_in(mix, numbers, &Pass::default())
    }

    /// [`mixed`](Self::mixed) in a pass that may be given up.
    pub(crate) fn mixed_in(
        &self,
        mix: &dyn Mix,
        numbers: Option<&Matrix>,
        pass: &Pass<'_>,
    ) -> Result<Gram> {
        if let Some(weights) = mix.weights() {
            return self.combine_in(weights, pass);
        }
        let mut gram = self.new_gram()?;
        self.mixed_into(mix, numbers, &mut gram, pass);
        Ok(gram)
    }

    /// [`mixed_in`](Self::mixed_in) into a matrix that exists already (n × n), whose memory is used again.
    pub(crate) fn mixed_into(
        &self,
        mix: &dyn Mix,
        numbers: Option<&Matrix>,
        gram: &mut Gram,
        pass: &Pass<'_>,
    ) {
        if let Some(weights) = mix.weights() {
            return self.combine_into_in(weights, gram, pass);
        }
        let active = mix.active();
        let turned = numbers.map_or_else(|| Matrix::zeros(0, self.n), Matrix::transposed);
        let others = |first: usize, count: usize| -> Vec<&[f64]> {
            (0..turned.rows()).map(|g| &turned.row(g)[first..first + count]).collect()
        };
        if active.is_empty() {
            let others = others(0, self.n);
            for i in 0..self.n {
                let pairs = Pairs { values: &[], own: row(numbers, i), others: &others };
                mix.mix(pairs, gram.row_mut(i));
            }
            return;
        }
        self.write_gram(&active, gram, pass, |tile, r, out| {
            let values: Vec<&[f64]> = (0..active.len()).map(|a| tile.segment(r, a)).collect();
            let (own, others) = (row(numbers, tile.row0 + r), others(tile.col0, tile.cols));
            mix.mix(Pairs { values: &values, own, others: &others }, out);
        });
    }

    /// [`mixed`](Self::mixed) read by rows, computed on demand: nothing of size n² is kept.
    pub fn mixed_rows<'a>(
        &'a self,
        mix: &'a dyn Mix,
        numbers: Option<&'a Matrix>,
    ) -> Box<dyn Rows + 'a> {
        match mix.weights() {
            Some(weights) => self.combined_rows(weights),
            None => Box::new(Mixed { bank: self, mix, numbers, active: mix.active() }),
        }
    }
}

impl Bank {
    /// Σ_u c_uᵀ (K_m ∘ F) c_u for every m, where `factor` makes the values of F of those of all kernels, pair by pair:
    /// derivatives of quadratic forms of a pointwise rule. In one pass over the kernels.
    pub(crate) fn mixed_forms(
        &self,
        coefs: &[&[f64]],
        factor: impl Fn(&[&[f64]], &mut [f64]) + Sync,
        pass: &Pass<'_>,
    ) -> Vec<f64> {
        let all: Vec<usize> = (0..self.len()).collect();
        let touched = |coef: &[f64], span: (usize, usize)| {
            coef[span.0..span.0 + span.1].iter().any(|c| *c != 0.0)
        };
        let visit = |sums: &mut Vec<f64>, tile: &super::Tile<'_>| {
            let (mut by, mut pairs) = (vec![0.0; tile.cols], vec![0.0; tile.cols]);
            for r in 0..tile.rows {
                let i = tile.row0 + r;
                if coefs.iter().all(|c| c[i] == 0.0) {
                    continue;
                }
                let values: Vec<&[f64]> = (0..all.len()).map(|a| tile.segment(r, a)).collect();
                factor(&values, &mut by);
                pairs.fill(0.0);
                for coef in coefs.iter().filter(|c| c[i] != 0.0) {
                    let others = &coef[tile.col0..tile.col0 + tile.cols];
                    pairs.iter_mut().zip(others).for_each(|(p, c)| *p += coef[i] * c);
                }
                by.iter_mut().zip(&pairs).for_each(|(b, p)| *b *= tile.weight() * p);
                for (sum, values) in sums.iter_mut().zip(&values) {
                    *sum += by.iter().zip(*values).map(|(b, v)| b * v).sum::<f64>();
                }
            }
        };
        self.tiles.fold(
            pass,
            &all,
            |rows, cols| coefs.iter().any(|c| touched(c, rows) && touched(c, cols)),
            || vec![0.0; all.len()],
            visit,
            |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
        )
    }
}

/// The numbers of instance i.
fn row(numbers: Option<&Matrix>, i: usize) -> &[f64] {
    numbers.map_or(&[], |m| m.row(i))
}

struct Mixed<'a> {
    bank: &'a Bank,
    mix: &'a dyn Mix,
    numbers: Option<&'a Matrix>,
    active: Vec<usize>,
}

impl Mixed<'_> {
    /// Entries (i, columns) in f64.
    fn entries(
        &self,
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let len = columns.len();
        let mut values = vec![0.0; len * self.active.len()];
        if !self.active.is_empty() {
            self.bank.tiles.entries(&self.active, i, columns.clone(), &mut values);
        }
        let values: Vec<&[f64]> = values.chunks(len.max(1)).collect();
        let wide = self.numbers.map_or(0, Matrix::cols);
        let number = |g: usize| columns.clone().map(move |j| row(self.numbers, j)[g]);
        let others: Vec<f64> = (0..wide).flat_map(number).collect();
        let others: Vec<&[f64]> = others.chunks(len.max(1)).collect();
        let pairs = Pairs { values: &values, own: row(self.numbers, i), others: &others };
        self.mix.mix(pairs, out);
    }

    fn whole_row(&self, i: usize, out: &mut [f64]) {
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, out)| {
            let first = k * CHUNK;
            self.entries(i, first..first + out.len(), out);
        });
    }
}

impl Rows for Mixed<'_> {
    fn n(&self) -> usize {
        self.bank.n
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.bank.n];
        let one = |(i, d): (usize, &mut f64)| {
            self.entries(i, std::iter::once(i), std::slice::from_mut(d));
        };
        diagonal.par_iter_mut().enumerate().for_each(one);
        diagonal
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let mut values = vec![0.0; columns.map_or(self.bank.n, <[u32]>::len)];
        match columns {
            None => self.whole_row(i, &mut values),
            Some(columns) => values.par_chunks_mut(CHUNK).enumerate().for_each(|(k, out)| {
                let columns = &columns[k * CHUNK..k * CHUNK + out.len()];
                self.entries(i, columns.iter().map(|j| *j as usize), out);
            }),
        }
        out.iter_mut().zip(&values).for_each(|(o, v)| *o = *v as f32);
    }

    fn row<'a>(&'a self, i: usize, room: &'a mut [f64]) -> &'a [f64] {
        self.whole_row(i, room);
        room
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        self.multiply_in(coef, out, &Pass::default());
    }

    fn multiply_until(&self, coef: &[f64], out: &mut [f64], watch: &Watch) -> bool {
        let pass = Pass::under(watch);
        self.multiply_in(coef, out, &pass);
        !pass.is_given_up()
    }
}

impl Mixed<'_> {
    fn multiply_in(&self, coef: &[f64], out: &mut [f64], pass: &Pass<'_>) {
        let rows: Vec<usize> = (0..coef.len()).filter(|i| coef[*i] != 0.0).collect();
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, out)| {
            let first = k * CHUNK;
            let mut values = vec![0.0; out.len()];
            out.fill(0.0);
            for &i in &rows {
                if pass.is_over() {
                    return;
                }
                self.entries(i, first..first + out.len(), &mut values);
                out.iter_mut().zip(&values).for_each(|(o, v)| *o += coef[i] * v);
            }
        });
    }
}
