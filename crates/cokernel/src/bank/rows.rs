//! A combination Σ_m w_m K_m read by rows, without n × n storage.

use super::columns::Chosen;
use super::{Bank, Known};
use crate::Watch;
use crate::data::Matrix;
use crate::run::Pass;
use crate::solve::Rows;
use rayon::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Columns computed by one task.
const CHUNK: usize = 1_024;
/// Products with vectors that are not known after which a machine counts as one that multiplies all the time.
const OFTEN: usize = 4;

struct Combined<'a> {
    bank: &'a Bank,
    weights: Vec<f64>,
    active: Vec<usize>,
    /// Of single features.
    features: Option<Chosen<'a>>,
    /// The sum where the kernels are in a file.
    sums: Option<Vec<f32>>,
    /// Products that are known.
    known: Option<Arc<Known>>,
    /// The sum of the vectors that were multiplied by since one was known, and how many there were.
    point: Mutex<(Option<Vec<f64>>, usize)>,
}

impl Bank {
    /// Σ_m w_m K_m read by rows, computed on demand: nothing of size n² is kept.
    ///
    /// A row costs n dot products per view and n evaluations per active kernel on demand, n
    /// scattered reads per active kernel on resident storages (where
    /// [`combine`](Self::combine) is the better choice if n² numbers fit). Kernels in a file are summed first, in one
    /// pass, if n²/2 numbers of 4 bytes fit into the memory of the run; else a row reads n tiles' worth of the file.
    pub fn combined_rows(&self, weights: &[f64]) -> Box<dyn Rows + '_> {
        self.combined_rows_in(weights, None, &Pass::default())
    }

    /// [`combined_rows`](Self::combined_rows) whose first pass may be given up, and whose products may be known.
    pub(crate) fn combined_rows_in(
        &self,
        weights: &[f64],
        known: Option<&Arc<Known>>,
        pass: &Pass<'_>,
    ) -> Box<dyn Rows + '_> {
        let (active, features) = self.apart(weights);
        let columns = self.tiles.engine.columns.as_ref().filter(|_| !features.is_empty());
        let features = columns.map(|c| c.chosen(&features));
        let sums = match features {
            None => self.tiles.file_sums(&active, weights, pass),
            Some(_) => None,
        };
        let (weights, known, point) = (weights.to_vec(), known.map(Arc::clone), Mutex::default());
        Box::new(Combined { bank: self, weights, active, features, sums, known, point })
    }
}

impl Combined<'_> {
    fn part(
        &self,
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f32],
    ) {
        if let Some(sums) = &self.sums {
            return self.bank.tiles.sum_entries(sums, i, columns, out);
        }
        let len = columns.len();
        let mut values = vec![0.0; len * self.active.len()];
        if !self.active.is_empty() {
            self.bank.tiles.entries(&self.active, i, columns.clone(), &mut values);
        }
        let own = self.features.as_ref().map(|f| (f, f.weighted(i)));
        let mut sums = vec![0.0; len];
        for (m, values) in self.active.iter().zip(values.chunks_exact(len.max(1))) {
            let weight = self.weights[*m];
            sums.iter_mut().zip(values).for_each(|(s, v)| *s += weight * v);
        }
        for ((o, sum), j) in out.iter_mut().zip(sums).zip(columns) {
            *o = (sum + own.as_ref().map_or(0.0, |(f, own)| f.entry(own, j))) as f32;
        }
    }
}

impl Rows for Combined<'_> {
    fn n(&self) -> usize {
        self.bank.n
    }

    fn terms(&self) -> usize {
        self.weights.iter().filter(|w| **w != 0.0).count().max(1)
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.bank.n];
        for m in &self.active {
            let diagonal = self.bank.diagonal(*m);
            sum.iter_mut().zip(&*diagonal).for_each(|(s, d)| *s += self.weights[*m] * d);
        }
        if let Some(features) = &self.features {
            let own = |(i, s): (usize, &mut f64)| *s += features.entry(&features.weighted(i), i);
            sum.par_iter_mut().enumerate().for_each(own);
        }
        sum
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let len = columns.map_or(self.bank.n, <[u32]>::len);
        let out = &mut out[..len];
        let part = |start: usize, out: &mut [f32]| match columns {
            None => self.part(i, start..start + out.len(), out),
            Some(c) => {
                self.part(i, c[start..start + out.len()].iter().map(|j| *j as usize), out);
            }
        };
        if len <= CHUNK {
            return part(0, out);
        }
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(k, out)| part(k * CHUNK, out));
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

impl Combined<'_> {
    fn multiply_in(&self, coef: &[f64], out: &mut [f64], pass: &Pass<'_>) {
        if let Some(known) = &self.known
            && self.multiply_known(known, coef, out, pass)
        {
            return;
        }
        let support = coef.iter().filter(|c| **c != 0.0).count();
        if 4 * support > self.bank.n || self.features.is_some() {
            let block = Matrix::from_fn(self.bank.n, 1, |i, _| coef[i]);
            let product = self.bank.apply_combined_in(&self.weights, &block, pass);
            out.copy_from_slice(product.values());
            return;
        }
        let rows: Vec<usize> = (0..coef.len()).filter(|i| coef[*i] != 0.0).collect();
        let k = self.active.len();
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
            let start = chunk * CHUNK;
            let len = out.len();
            let mut values = vec![0.0; len * k];
            out.fill(0.0);
            for &i in &rows {
                if pass.is_over() {
                    return;
                }
                self.bank.tiles.entries(&self.active, i, start..start + len, &mut values);
                for (a, m) in self.active.iter().enumerate() {
                    let w = self.weights[*m] * coef[i];
                    let values = &values[a * len..(a + 1) * len];
                    out.iter_mut().zip(values).for_each(|(o, v)| *o += w * v);
                }
            }
        });
    }

    /// The same by way of the products of the single kernels: of all of them where they only have to be read or a third has
    /// a weight, since their quadratic forms are wanted next. Not for machines that multiply in every step: false.
    fn multiply_known(
        &self,
        known: &Known,
        coef: &[f64],
        out: &mut [f64],
        pass: &Pass<'_>,
    ) -> bool {
        // Single rows.
        if coef.iter().filter(|c| **c != 0.0).count() < Known::FEW {
            return false;
        }
        let lock = || self.point.lock().unwrap_or_else(PoisonError::into_inner);
        // A machine that begins again begins from a point that is known.
        let (before, count) = match known.has(coef) {
            true => (None, 0),
            false => std::mem::take(&mut *lock()),
        };
        if count >= OFTEN {
            lock().1 = count;
            return false;
        }
        let all: Vec<usize> = (0..self.bank.len()).collect();
        let few = self.bank.tiles.is_computed() && 3 * self.active.len() < all.len();
        let wanted = if few { &self.active } else { &all };
        out.fill(0.0);
        known.with(self.bank, wanted, (coef, before.as_deref()), pass, |products| {
            for m in &self.active {
                let product = products[*m].as_deref().unwrap_or_default();
                out.iter_mut().zip(product).for_each(|(o, p)| *o += self.weights[*m] * p);
            }
        });
        let moved = |b: Vec<f64>| b.iter().zip(coef).map(|(b, c)| b + c).collect();
        *lock() = (Some(before.map_or_else(|| coef.to_vec(), moved)), count + 1);
        true
    }
}
