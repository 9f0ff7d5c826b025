//! [`Scaler`]: columns brought to one scale.

use super::{Matrix, Table};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the columns of a feature view are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// As given.
    #[default]
    None,
    /// Mean 0 and standard deviation 1 (with divisor n); sparse columns are divided only.
    Standard,
    /// From 0 to 1; sparse columns are divided by their range (zero counted in) only.
    MinMax,
}

impl Scale {
    /// The names by which settings refer to the kinds of scaling.
    pub const IDS: [&str; 3] = ["none", "standard", "min_max"];

    /// The kind of scaling with this name.
    ///
    /// # Errors
    /// The name is none of [`Scale::IDS`].
    pub fn from_id(id: &str) -> Result<Self> {
        match id {
            "none" => Ok(Scale::None),
            "standard" => Ok(Scale::Standard),
            "min_max" => Ok(Scale::MinMax),
            _ => Err(Error::unknown("scaling", id, Scale::IDS)),
        }
    }

    /// Its name.
    pub fn id(self) -> &'static str {
        Scale::IDS[self as usize]
    }
}

/// The most columns for which moments are kept: a sparse file can name any column at no cost.
pub(super) const MAX_COLS: usize = 100_000_000;

/// The scaling of one view: column j becomes (x − shift_j) / divisor_j.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    scale: Scale,
    cols: usize,
    /// Empty without scaling, like `divisor`.
    shift: Vec<f64>,
    divisor: Vec<f64>,
    constant: Vec<usize>,
}

/// Per column: smallest, largest, mean and standard deviation over the present rows.
pub(super) struct Moments {
    low: Vec<f64>,
    high: Vec<f64>,
    mean: Vec<f64>,
    pub(super) deviation: Vec<f64>,
}

impl Scaler {
    /// Learns the scaling of a feature table from its rows; with a mask, from the present ones.
    ///
    /// A constant column keeps its unit (divisor 1) and is listed in
    /// [`constant`](Self::constant).
    ///
    /// # Errors
    /// The table is a similarity and `scale` is not `None`; no row is present; or the values of a
    /// column are so large that their mean or spread is not a finite number.
    pub fn fit(table: &Table, present: Option<&[bool]>, scale: Scale) -> Result<Self> {
        let cols = table.cols();
        let (shift, divisor, constant) = (Vec::new(), Vec::new(), Vec::new());
        let mut scaler = Scaler { scale, cols, shift, divisor, constant };
        if scale == Scale::None {
            return Ok(scaler);
        }
        if cols > MAX_COLS {
            return Err(Error::Data(format!(
                "{cols} columns cannot be scaled, the limit is {MAX_COLS}; do not scale this view"
            )));
        }
        (scaler.shift, scaler.divisor) = (vec![0.0; cols], vec![1.0; cols]);
        let moments = Moments::of(table, present)?;
        let sparse = matches!(table, Table::Sparse(_));
        for j in 0..cols {
            let (shift, divisor) = match scale {
                Scale::Standard => (moments.mean[j], moments.deviation[j]),
                _ => (moments.low[j], moments.high[j] - moments.low[j]),
            };
            if !(shift.is_finite() && divisor.is_finite()) {
                return Err(Error::Data(format!(
                    "column {} holds values up to {:e}: too large to be scaled",
                    j + 1,
                    moments.high[j].abs().max(moments.low[j].abs())
                )));
            }
            let constant = moments.low[j] == moments.high[j];
            if constant {
                scaler.constant.push(j);
            }
            if !sparse {
                scaler.shift[j] = if constant { moments.low[j] } else { shift };
            }
            // A subnormal spread would turn finite values into infinite ones.
            if !constant && divisor >= f64::MIN_POSITIVE {
                scaler.divisor[j] = divisor;
            }
        }
        Ok(scaler)
    }

    /// The scaled table. A sparse table stays sparse if the scaling does not shift.
    ///
    /// # Errors
    /// The number of columns is not the one that was learned, or the table is a similarity.
    pub fn apply(&self, table: &Table) -> Result<Table> {
        if table.cols() != self.cols() {
            return Err(Error::shape("columns", self.cols(), table.cols()));
        }
        if self.scale == Scale::None {
            return Ok(table.clone());
        }
        if self.shift.len() != self.cols || self.divisor.len() != self.cols {
            return Err(Error::Data("the stored scaling is damaged".to_string()));
        }
        match table {
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => Err(refused(table)),
            Table::Dense(m) => Ok(Table::Dense(self.dense(m))),
            Table::Sparse(m) if self.shift.iter().all(|s| *s == 0.0) => {
                let mut m = m.clone();
                let columns = m.entries().0.to_vec();
                for (x, j) in m.values_mut().iter_mut().zip(columns) {
                    *x /= self.divisor[j as usize];
                }
                Ok(Table::Sparse(m))
            }
            Table::Sparse(m) => Ok(Table::Dense(self.dense(&m.try_to_dense()?))),
        }
    }

    fn dense(&self, m: &Matrix) -> Matrix {
        let mut scaled = m.clone();
        for i in 0..m.rows() {
            for (j, x) in scaled.row_mut(i).iter_mut().enumerate() {
                *x = (*x - self.shift[j]) / self.divisor[j];
            }
        }
        scaled
    }

    /// What contradicts what in a scaling that was read from a file, if anything does.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let stored = if self.scale == Scale::None { 0 } else { self.cols };
        if self.shift.len() != stored || self.divisor.len() != stored {
            return Some("not one shift and one divisor for each column");
        }
        if self.divisor.contains(&0.0) {
            return Some("a divisor of 0");
        }
        if self.constant.iter().any(|j| *j >= stored) {
            return Some("a constant column that is not there");
        }
        None
    }

    /// Number of columns that it was learned from.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The kind of scaling.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// What column j is divided by; nothing without scaling.
    pub(super) fn divisor(&self, j: usize) -> Option<f64> {
        self.divisor.get(j).copied()
    }

    /// Columns that had one value only; empty without scaling.
    pub fn constant(&self) -> &[usize] {
        &self.constant
    }
}

fn refused(table: &Table) -> Error {
    Error::Data(format!("{} has no columns of features to be scaled", table.words()))
}

impl Moments {
    /// One pass for the range and the mean, one for the spread around it.
    pub(super) fn of(table: &Table, present: Option<&[bool]>) -> Result<Self> {
        let rows: Vec<usize> =
            (0..table.rows()).filter(|&i| present.is_none_or(|p| p[i])).collect();
        if rows.is_empty() {
            return Err(Error::Data("there is no row to learn the scaling from".to_string()));
        }
        let (n, cols) = (rows.len() as f64, table.cols());
        let mut low = vec![f64::INFINITY; cols];
        let mut high = vec![f64::NEG_INFINITY; cols];
        let mut mean = vec![0.0; cols];
        let mut stored = vec![0_usize; cols];
        for_each(table, &rows, |j, x: f64| {
            low[j] = low[j].min(x);
            high[j] = high[j].max(x);
            mean[j] += x;
            stored[j] += 1;
        })?;
        for j in 0..cols {
            mean[j] /= n;
            if stored[j] < rows.len() {
                low[j] = low[j].min(0.0);
                high[j] = high[j].max(0.0);
            }
        }
        let mut deviation: Vec<f64> = (0..cols)
            .map(|j| mean[j] * mean[j] * (rows.len() - stored[j].min(rows.len())) as f64)
            .collect();
        for_each(table, &rows, |j, x| deviation[j] += (x - mean[j]) * (x - mean[j]))?;
        for d in &mut deviation {
            *d = (*d / n).sqrt();
        }
        Ok(Moments { low, high, mean, deviation })
    }
}

/// Calls `f(column, value)` for every stored value of these rows.
fn for_each(table: &Table, rows: &[usize], mut f: impl FnMut(usize, f64)) -> Result<()> {
    for &i in rows {
        match table {
            Table::Dense(m) => m.row(i).iter().enumerate().for_each(|(j, &x)| f(j, x)),
            Table::Sparse(m) => {
                let (columns, values) = m.row(i);
                columns.iter().zip(values).for_each(|(&j, &x)| f(j as usize, x));
            }
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => {
                return Err(refused(table));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Csr;

    fn column(values: &[f64]) -> Matrix {
        Matrix::new(values.len(), 1, values.to_vec()).unwrap()
    }

    #[test]
    fn columns_get_mean_zero_and_deviation_one() {
        let m = Matrix::new(4, 2, vec![1.0, 0.1, 3.0, 0.1, 5.0, 0.1, 7.0, 0.1]).unwrap();
        let scaler = Scaler::fit(&Table::Dense(m.clone()), None, Scale::Standard).unwrap();
        assert_eq!(scaler.constant(), [1]);
        let Table::Dense(s) = scaler.apply(&Table::Dense(m)).unwrap() else { panic!("dense") };
        let sd = 5.0_f64.sqrt();
        assert_eq!(s.col(0), [-3.0 / sd, -1.0 / sd, 1.0 / sd, 3.0 / sd]);
        assert_eq!(s.col(1), [0.0; 4]);
    }

    #[test]
    fn absent_rows_do_not_count() {
        let table = Table::Dense(column(&[0.0, f64::NAN, 10.0]));
        let scaler = Scaler::fit(&table, Some(&[true, false, true]), Scale::MinMax).unwrap();
        let Table::Dense(s) = scaler.apply(&Table::Dense(column(&[5.0, 20.0]))).unwrap() else {
            panic!("dense")
        };
        assert_eq!(s.values(), [0.5, 2.0]);
    }

    #[test]
    fn sparse_stays_sparse_and_agrees_with_dense_up_to_the_shift() {
        let rows = vec![vec![(0, 2.0)], vec![(1, -4.0)], vec![(0, 4.0), (1, 1.0)], vec![]];
        let sparse = Table::Sparse(Csr::from_rows(3, rows).unwrap());
        let Table::Sparse(csr) = &sparse else { unreachable!() };
        let dense = Table::Dense(csr.to_dense());
        for scale in [Scale::Standard, Scale::MinMax] {
            let s = Scaler::fit(&sparse, None, scale).unwrap();
            let d = Scaler::fit(&dense, None, scale).unwrap();
            let Table::Sparse(a) = s.apply(&sparse).unwrap() else { panic!("sparse") };
            let (Table::Dense(b), Table::Dense(c)) =
                (d.apply(&dense).unwrap(), d.apply(&sparse).unwrap())
            else {
                panic!("dense")
            };
            assert_eq!(b, c);
            let a = a.to_dense();
            for j in 0..3 {
                for i in 0..4 {
                    let difference = (a.get(i, j) - a.get(3, j)) - (b.get(i, j) - b.get(3, j));
                    assert!(difference.abs() < 1e-15, "{scale:?} {i} {j}: {difference}");
                }
            }
            assert_eq!(s.constant(), [2]);
        }
    }
}
