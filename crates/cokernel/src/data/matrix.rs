//! The two plain matrices at the border: dense row-major and sparse by rows.

use super::shared::{Shared, Values};
use crate::error::room_for;
use crate::{Error, Result};
use cokernel_dense::simd;
use serde::{Deserialize, Serialize};

/// A dense matrix, row-major (C order). Its values are its own, or lent by another owner
/// ([`Matrix::lent`]) and copied at the first change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "MatrixParts")]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Values,
}

/// What a stored matrix says it is, before it is checked.
#[derive(Deserialize)]
struct MatrixParts {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl TryFrom<MatrixParts> for Matrix {
    type Error = Error;

    fn try_from(parts: MatrixParts) -> Result<Self> {
        Matrix::new(parts.rows, parts.cols, parts.values)
    }
}

impl Matrix {
    /// A matrix from its values in row-major order.
    ///
    /// # Errors
    /// The number of values is not `rows * cols`.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self> {
        if Some(values.len()) != rows.checked_mul(cols) {
            return Err(Error::shape(
                "matrix",
                format!("{rows} × {cols} values"),
                format!("{} values", values.len()),
            ));
        }
        Ok(Matrix { rows, cols, values: values.into() })
    }

    /// A matrix whose values, in row-major order, stay where `owner` keeps them: an array of
    /// another language, a memory-mapped file. Clones share them too.
    ///
    /// # Errors
    /// The number of values is not `rows * cols`.
    pub fn lent(rows: usize, cols: usize, owner: Shared) -> Result<Self> {
        let found = owner.as_ref().as_ref().len();
        if Some(found) != rows.checked_mul(cols) {
            let expected = format!("{rows} × {cols} values");
            return Err(Error::shape("matrix", expected, format!("{found} values")));
        }
        Ok(Matrix { rows, cols, values: owner.into() })
    }

    /// The same matrix, whose clones share its values until they are changed.
    pub(crate) fn shared(&self) -> Self {
        Matrix { rows: self.rows, cols: self.cols, values: self.values.shared() }
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, values: vec![0.0; rows * cols].into() }
    }

    /// A matrix whose entry (i, j) is `f(i, j)`.
    #[inline]
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            values.extend((0..cols).map(|j| f(i, j)));
        }
        Matrix { rows, cols, values: values.into() }
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All values, row-major.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row-major, to be changed.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.values.to_mut()
    }

    /// All values, row-major; copied only if they are lent.
    pub fn into_values(self) -> Vec<f64> {
        self.values.into()
    }

    /// Row i.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Row i, to be changed.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let cols = self.cols;
        &mut self.values.to_mut()[i * cols..(i + 1) * cols]
    }

    /// Entry (i, j).
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.cols + j]
    }

    /// Sets entry (i, j).
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        let place = i * self.cols + j;
        self.values.to_mut()[place] = value;
    }

    /// Column j, copied.
    pub fn col(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.get(i, j)).collect()
    }

    /// The rows with these indices, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Matrix {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &i in rows {
            values.extend_from_slice(self.row(i));
        }
        Matrix { rows: rows.len(), cols: self.cols, values: values.into() }
    }

    /// The columns with these indices, in this order.
    pub fn select_cols(&self, cols: &[usize]) -> Matrix {
        let mut values = Vec::with_capacity(self.rows * cols.len());
        for i in 0..self.rows {
            let row = self.row(i);
            values.extend(cols.iter().map(|j| row[*j]));
        }
        Matrix { rows: self.rows, cols: cols.len(), values: values.into() }
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Matrix {
        let mut values = vec![0.0; self.values.len()];
        // A few rows at a time, so that each is read once and each cache line is written at once.
        for first in (0..self.rows).step_by(8) {
            let last = self.rows.min(first + 8);
            for j in 0..self.cols {
                let out = &mut values[j * self.rows + first..j * self.rows + last];
                let column = self.values[first * self.cols + j..].iter().step_by(self.cols);
                out.iter_mut().zip(column).for_each(|(o, v)| *o = *v);
            }
        }
        Matrix { rows: self.cols, cols: self.rows, values: values.into() }
    }
}

/// The largest absolute value, and whether all values are finite numbers. The first means nothing if the second is false.
pub(crate) fn scan(values: &[f64]) -> (f64, bool) {
    let (largest, nothing) = simd::scan(values);
    (largest, nothing == 0.0)
}

/// A sparse matrix by rows. Column indices are strictly increasing within a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CsrParts")]
pub struct Csr {
    cols: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

/// What a stored sparse matrix says it is, before it is checked.
#[derive(Deserialize)]
struct CsrParts {
    cols: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl TryFrom<CsrParts> for Csr {
    type Error = Error;

    fn try_from(parts: CsrParts) -> Result<Self> {
        Csr::from_parts(parts.cols, parts.starts, parts.indices, parts.values)
    }
}

impl Default for Csr {
    /// No rows and no columns.
    fn default() -> Self {
        Csr { cols: 0, starts: vec![0], indices: Vec::new(), values: Vec::new() }
    }
}

impl Csr {
    /// A sparse matrix from its parts: row i has the columns `indices[starts[i]..starts[i + 1]]`,
    /// strictly increasing, with the values at the same places.
    ///
    /// # Errors
    /// The parts do not describe a matrix: `starts` does not begin with 0, decreases, or does not
    /// end with the number of entries; or the columns of a row are out of range or not strictly
    /// increasing.
    pub fn from_parts(
        cols: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self> {
        let what = "sparse matrix";
        if indices.len() != values.len() {
            return Err(Error::shape(what, format!("{} values", indices.len()), values.len()));
        }
        let ends = (starts.first(), starts.last());
        if ends != (Some(&0), Some(&indices.len())) || starts.windows(2).any(|w| w[0] > w[1]) {
            let expected = format!("row starts that rise from 0 to {}", indices.len());
            return Err(Error::shape(what, expected, "others"));
        }
        for (row, span) in starts.windows(2).enumerate() {
            let columns = &indices[span[0]..span[1]];
            // Several at a time.
            let rise = columns.windows(2).fold(true, |rise, c| rise & (c[0] < c[1]));
            if rise && columns.last().is_none_or(|j| (*j as usize) < cols) {
                continue;
            }
            for (k, &j) in columns.iter().enumerate() {
                let column = j as usize;
                let problem = if column >= cols {
                    format!("column index out of range, expected below {cols}")
                } else if k > 0 && columns[k - 1] >= j {
                    "column indices must rise within a row".to_string()
                } else {
                    continue;
                };
                return Err(Error::Value { what: what.to_string(), row, column, problem });
            }
        }
        Ok(Csr { cols, starts, indices, values })
    }

    /// A sparse matrix from `(column, value)` lists, one per row; entries are sorted, zeros kept.
    ///
    /// # Errors
    /// A column index is out of range or appears twice in a row.
    pub fn from_rows(cols: usize, rows: Vec<Vec<(u32, f64)>>) -> Result<Self> {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for (i, mut row) in rows.into_iter().enumerate() {
            row.sort_unstable_by_key(|e| e.0);
            for (k, &(j, v)) in row.iter().enumerate() {
                let problem = if j as usize >= cols {
                    format!("column index out of range, expected below {cols}")
                } else if k > 0 && row[k - 1].0 == j {
                    "this column appears twice".to_string()
                } else {
                    indices.push(j);
                    values.push(v);
                    continue;
                };
                let (what, column) = ("sparse matrix".to_string(), j as usize);
                return Err(Error::Value { what, row: i, column, problem });
            }
            starts.push(indices.len());
        }
        Ok(Csr { cols, starts, indices, values })
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Column indices and values of row i.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let span = self.starts[i]..self.starts[i + 1];
        (&self.indices[span.clone()], &self.values[span])
    }

    /// The stored entries of all rows, row by row: column indices and values.
    pub fn entries(&self) -> (&[u32], &[f64]) {
        (&self.indices, &self.values)
    }

    /// The stored values of all rows, to be changed.
    #[inline]
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The same entries in a matrix with more columns (never fewer than now).
    pub fn widened(&self, cols: usize) -> Csr {
        Csr { cols: cols.max(self.cols), ..self.clone() }
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The rows with these indices, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Csr {
        let mut starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for &i in rows {
            let (c, v) = self.row(i);
            indices.extend_from_slice(c);
            values.extend_from_slice(v);
            starts.push(indices.len());
        }
        Csr { cols: self.cols, starts, indices, values }
    }

    /// The columns with these indices, in this order; a column may come more than once.
    pub fn select_cols(&self, cols: &[usize]) -> Csr {
        // Where the columns go: a list by old column.
        let mut starts = vec![0_usize; self.cols + 1];
        cols.iter().for_each(|&j| starts[j + 1] += 1);
        (0..self.cols).for_each(|j| starts[j + 1] += starts[j]);
        let (mut next, mut places) = (starts.clone(), vec![0_u32; cols.len()]);
        for (new, &j) in cols.iter().enumerate() {
            places[next[j]] = new as u32;
            next[j] += 1;
        }
        let mut row_starts = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for i in 0..self.rows() {
            entries.clear();
            let (c, v) = self.row(i);
            for (&j, &x) in c.iter().zip(v) {
                let j = j as usize;
                entries.extend(places[starts[j]..starts[j + 1]].iter().map(|&new| (new, x)));
            }
            entries.sort_unstable_by_key(|e| e.0);
            indices.extend(entries.iter().map(|e| e.0));
            values.extend(entries.iter().map(|e| e.1));
            row_starts.push(indices.len());
        }
        Csr { cols: cols.len(), starts: row_starts, indices, values }
    }

    /// Entry (i, j), 0 where nothing is stored.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (c, v) = self.row(i);
        match u32::try_from(j).map(|j| c.binary_search(&j)) {
            Ok(Ok(p)) => v[p],
            _ => 0.0,
        }
    }

    /// The transposed matrix.
    ///
    /// # Panics
    /// There are more than 2³² rows.
    pub fn transposed(&self) -> Csr {
        let mut starts = vec![0; self.cols + 1];
        self.indices.iter().for_each(|j| starts[*j as usize + 1] += 1);
        (0..self.cols).for_each(|j| starts[j + 1] += starts[j]);
        let mut free = starts.clone();
        let mut indices = vec![0; self.stored()];
        let mut values = vec![0.0; self.stored()];
        for i in 0..self.rows() {
            let (columns, entries) = self.row(i);
            for (&j, &v) in columns.iter().zip(entries) {
                let place = free[j as usize];
                free[j as usize] += 1;
                indices[place] = u32::try_from(i).expect("at most 2^32 rows");
                values[place] = v;
            }
        }
        Csr { cols: self.rows(), starts, indices, values }
    }

    /// The same matrix, dense, if there is room for it.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn try_to_dense(&self) -> Result<Matrix> {
        let (rows, cols) = (self.rows(), self.cols);
        room_for::<f64>(rows.checked_mul(cols), || {
            format!("a sparse table of {rows} × {cols} written out in full")
        })?;
        Ok(self.to_dense())
    }

    /// The same matrix, dense.
    pub fn to_dense(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.rows(), self.cols);
        for i in 0..self.rows() {
            let (c, v) = self.row(i);
            for (&j, &x) in c.iter().zip(v) {
                dense.set(i, j as usize, x);
            }
        }
        dense
    }
}

/// Columns of all parts next to each other; all have as many rows as the first.
pub(crate) fn side_by_side(parts: &[&Matrix]) -> Matrix {
    let rows = parts.first().map_or(0, |p| p.rows());
    let cols = parts.iter().map(|p| p.cols()).sum();
    let mut values = Vec::with_capacity(rows * cols);
    for i in 0..rows {
        parts.iter().for_each(|p| values.extend_from_slice(p.row(i)));
    }
    Matrix::new(rows, cols, values).expect("rows × cols values")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// An allocation that fails would end the program.
    #[test]
    fn what_no_memory_can_hold_is_refused() {
        let rows = vec![Vec::new(); 1 << 10];
        for cols in [1 << 50, usize::MAX] {
            let wide = Csr::from_rows(cols, rows.clone()).unwrap();
            let e = wide.try_to_dense().unwrap_err();
            assert!(matches!(e, Error::Memory { bytes, .. } if bytes >= 1 << 62), "{e}");
            let start = format!("a sparse table of 1024 × {cols} written out in full takes ");
            assert!(e.to_string().starts_with(&start), "{e}");
        }
    }

    #[test]
    fn parts_that_are_no_matrix_are_refused() {
        let csr = |starts: &[usize], indices: &[u32]| {
            Csr::from_parts(3, starts.to_vec(), indices.to_vec(), vec![1.0; indices.len()])
        };
        assert!(csr(&[0, 2, 2, 3], &[0, 2, 1]).is_ok());
        for (starts, indices) in [
            (&[][..], &[][..]),
            (&[1, 3], &[0, 1, 2]),
            (&[0, 2, 1, 3], &[0, 1, 2]),
            (&[0, 2], &[0, 1, 2]),
            (&[0, 2], &[1, 1]),
            (&[0, 2], &[1, 0]),
            (&[0, 1], &[3]),
        ] {
            assert!(csr(starts, indices).is_err(), "{starts:?} {indices:?}");
        }
        assert!(Matrix::new(usize::MAX, 2, vec![]).is_err());
        let stored = r#"{"rows":2,"cols":2,"values":[1,2,3]}"#;
        assert!(serde_json::from_str::<Matrix>(stored).is_err());
        let stored = r#"{"cols":2,"starts":[0,9],"indices":[1],"values":[2]}"#;
        assert!(serde_json::from_str::<Csr>(stored).is_err());
    }

    #[test]
    fn sparse_and_dense_agree() {
        let s = Csr::from_rows(3, vec![vec![(2, 5.0), (0, 1.0)], vec![], vec![(1, 2.0)]]).unwrap();
        let d = Matrix::new(3, 3, vec![1.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0]).unwrap();
        assert_eq!(s.to_dense(), d);
        assert_eq!(s.select_rows(&[2, 0]).to_dense(), d.select_rows(&[2, 0]));
        let wide = s.select_rows(&[0, 2]);
        assert_eq!(wide.transposed().to_dense(), wide.to_dense().transposed());
        assert_eq!(wide.transposed().transposed(), wide);
        assert_eq!(Csr::default().transposed(), Csr::default());
        let text = serde_json::to_string(&s).unwrap();
        assert_eq!(serde_json::from_str::<Csr>(&text).unwrap(), s);
        assert_eq!(Csr::default().rows(), 0);
        assert_eq!(s.select_cols(&[2, 0, 2]).to_dense(), d.select_cols(&[2, 0, 2]));
        assert_eq!((s.get(0, 2), s.get(1, 1), s.get(2, 1)), (5.0, 0.0, 2.0));
    }
}
