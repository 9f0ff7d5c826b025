//! [`Gram`]: a stored symmetric matrix.

use super::panels::Panels;
use super::tiles::huge_pages;
use crate::data::{Csr, Matrix, scan};
use crate::solve::Rows;
use crate::{Error, Result, brief};
use rayon::prelude::*;

/// A stored symmetric matrix, n × n, row-major f64.
#[derive(Debug, Clone)]
pub struct Gram {
    n: usize,
    values: Vec<f64>,
    /// Of how many terms an entry is the sum, for what its rounding may be.
    terms: usize,
}

impl PartialEq for Gram {
    fn eq(&self, other: &Gram) -> bool {
        self.n == other.n && self.values == other.values
    }
}

impl Gram {
    /// A stored symmetric matrix.
    ///
    /// # Errors
    /// Not square, not finite, or not symmetric to 1e-9 of its largest entry.
    pub fn new(matrix: Matrix) -> Result<Self> {
        let n = matrix.rows();
        if n != matrix.cols() {
            return Err(Error::shape(
                "similarity matrix",
                "as many columns as rows",
                format!("{n} × {}", matrix.cols()),
            ));
        }
        check_symmetric("similarity matrix", &matrix, 1e-9)?;
        let mut values = Vec::with_capacity(n * n);
        huge_pages(values.spare_capacity_mut());
        values.extend_from_slice(matrix.values());
        Ok(Gram { n, values, terms: 1 })
    }

    /// A matrix that is symmetric by construction.
    pub(super) fn trusted(n: usize, values: Vec<f64>) -> Self {
        Gram { n, values, terms: 1 }
    }

    /// Tells that its entries are sums of so many terms.
    pub(crate) fn set_terms(&mut self, terms: usize) {
        self.terms = terms.max(1);
    }

    /// n.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// Row i, to be written; the caller keeps the matrix symmetric.
    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.n..(i + 1) * self.n]
    }

    /// K V for a thin block V, n × k. Only the upper triangle is read.
    pub fn apply(&self, block: &Matrix) -> Matrix {
        const SIDE: usize = 128;
        let (n, k) = (self.n, block.cols());
        let spans: Vec<(usize, usize)> =
            (0..n).step_by(SIDE).map(|i| (i, SIDE.min(n - i))).collect();
        let places: Vec<_> = (0..spans.len())
            .flat_map(|i| (i..spans.len()).map(move |j| (i, j)))
            .map(|(i, j)| (spans[i], spans[j]))
            .collect();
        let panels = Panels::of(block);
        let sums: Vec<Panels> = places
            .par_chunks(places.len().div_ceil(32).max(16))
            .map(|part| {
                let mut sums = Panels::zeros_from(part[0].0.0, n, k);
                for &(rows, cols) in part {
                    let tile = &self.values[rows.0 * n + cols.0..];
                    sums.add_tile(&panels, tile, n, rows, cols, rows == cols);
                }
                sums
            })
            .collect();
        let mut parts = sums.into_iter();
        let mut total = parts.next().unwrap_or_else(|| Panels::zeros(n, k));
        parts.for_each(|s| total.add(&s));
        total.into_block(k, 1.0)
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same values as a table, without a copy.
    ///
    /// # Errors
    /// None: there are n² values.
    pub fn into_matrix(self) -> Result<Matrix> {
        Matrix::new(self.n, self.n, self.values)
    }

    /// All values, to be changed by a solver that keeps them symmetric (line searches).
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

impl Rows for Gram {
    fn n(&self) -> usize {
        self.n
    }

    fn terms(&self) -> usize {
        self.terms
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.n).map(|i| self.values[i * self.n + i]).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let row = Gram::row(self, i);
        match columns {
            None => out.iter_mut().zip(row).for_each(|(o, v)| *o = *v as f32),
            Some(c) => out.iter_mut().zip(c).for_each(|(o, j)| *o = row[*j as usize] as f32),
        }
    }

    fn stored_row(&self, i: usize) -> Option<&[f64]> {
        Some(Gram::row(self, i))
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let used: Vec<usize> = (0..coef.len()).filter(|&i| coef[i] != 0.0).collect();
        // Four rows at a time: one pass over `out`, and more reads on their way from memory.
        let mut quads = used.chunks_exact(4);
        for q in &mut quads {
            let c = [coef[q[0]], coef[q[1]], coef[q[2]], coef[q[3]]];
            let (r0, r1) = (Gram::row(self, q[0]), Gram::row(self, q[1]));
            let (r2, r3) = (Gram::row(self, q[2]), Gram::row(self, q[3]));
            for ((((o, a), b), d), e) in out.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3) {
                *o += (c[0] * a + c[1] * b) + (c[2] * d + c[3] * e);
            }
        }
        for &i in quads.remainder() {
            out.iter_mut().zip(Gram::row(self, i)).for_each(|(o, v)| *o += coef[i] * v);
        }
    }
}

/// Refuses values that are not finite and pairs that differ by more than `tolerance` times the
/// largest entry.
pub(crate) fn check_symmetric(what: &str, m: &Matrix, tolerance: f64) -> Result<()> {
    check_symmetric_among(what, m, &(0..m.rows()).collect::<Vec<_>>(), tolerance)
}

/// [`check_symmetric`] of the rows and columns of some instances; others are not read.
pub(super) fn check_symmetric_among(
    what: &str,
    m: &Matrix,
    among: &[usize],
    tolerance: f64,
) -> Result<()> {
    check_square(what, m.rows(), m.cols())?;
    let (n, values) = (m.rows(), m.values());
    let (mut largest, finite) = scan(values);
    if finite && among.len() == n && same_mirrored(n, values, tolerance * largest) {
        return Ok(());
    }
    largest = 0.0;
    for &row in among {
        let values = m.row(row);
        if let Some(&column) = among.iter().find(|j| !values[**j].is_finite()) {
            let problem = format!("found {}, expected a finite number", values[column]);
            return Err(Error::Value { what: what.to_string(), row, column, problem });
        }
        largest = among.iter().fold(largest, |a, j| a.max(values[*j].abs()));
    }
    for (place, &i) in among.iter().enumerate() {
        for &j in &among[..place] {
            let (a, b) = (m.get(i, j), m.get(j, i));
            if (a - b).abs() > tolerance * largest {
                return Err(not_symmetric(what, (i, j), a, b));
            }
        }
    }
    Ok(())
}

/// Whether no value differs from its mirror by more than `limit`; block by block, so that columns are
/// read from the cache.
fn same_mirrored(n: usize, values: &[f64], limit: f64) -> bool {
    const BLOCK: usize = 32;
    (0..n).step_by(BLOCK).all(|top| {
        (0..=top).step_by(BLOCK).all(|left| {
            (top..(top + BLOCK).min(n)).all(|i| {
                let row = &values[i * n + left..i * n + (left + BLOCK).min(i)];
                let mirror = values[left * n + i..].iter().step_by(n);
                row.iter().zip(mirror).fold(true, |same, (a, b)| same & ((a - b).abs() <= limit))
            })
        })
    })
}

/// [`check_symmetric`] of a graph; instances for which `among` is false are not looked at.
pub(super) fn check_symmetric_graph(
    what: &str,
    graph: &Csr,
    among: impl Fn(usize) -> bool,
    tolerance: f64,
) -> Result<()> {
    check_square(what, graph.rows(), graph.cols())?;
    let entries = |i: usize| {
        let (c, v) = graph.row(i);
        let all = c.iter().map(|c| *c as usize).zip(v.iter().copied());
        all.filter(|(j, _)| among(*j))
    };
    let rows = || (0..graph.rows()).filter(|i| among(*i));
    let mut largest = 0.0_f64;
    for row in rows() {
        for (column, v) in entries(row) {
            if !v.is_finite() {
                let problem = format!("found {v}, expected a finite number");
                return Err(Error::Value { what: what.to_string(), row, column, problem });
            }
            largest = largest.max(v.abs());
        }
    }
    // An entry whose mirror is not stored differs from 0 there.
    for i in rows() {
        for (j, a) in entries(i) {
            let b = graph.get(j, i);
            if (a - b).abs() > tolerance * largest {
                return Err(not_symmetric(what, (i, j), a, b));
            }
        }
    }
    Ok(())
}

fn check_square(what: &str, rows: usize, cols: usize) -> Result<()> {
    if rows == cols {
        return Ok(());
    }
    Err(Error::shape(what, "as many columns as rows", format!("{rows} × {cols}")))
}

fn not_symmetric(what: &str, (row, column): (usize, usize), a: f64, b: f64) -> Error {
    let problem = format!(
        "found {}, but {} at row {column}, column {row}; a similarity must be symmetric (take \
         (K + Kᵀ)/2 if that is meant)",
        brief(a),
        brief(b)
    );
    Error::Value { what: what.to_string(), row, column, problem }
}
