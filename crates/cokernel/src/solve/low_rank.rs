//! Factors of matrices of small rank: Cholesky with pivots, which reads r rows.

use super::Rows;
use crate::Watch;

/// What may be left of the diagonal, relative to the largest K_ii.
const RESIDUAL: f64 = 1e-13;

/// K / unit = L Lᵀ, L n × r by rows, as far as its rank is at most `most`; none where it is larger, K is not
/// positive semi-definite, or after a stop.
pub(crate) fn factor(
    rows: &dyn Rows,
    diagonal: &[f64],
    unit: f64,
    most: usize,
    watch: &Watch,
) -> Option<(Vec<f64>, usize)> {
    let n = diagonal.len();
    let mut left: Vec<f64> = diagonal.iter().map(|d| d / unit).collect();
    let largest = left.iter().fold(0.0_f64, |a, d| a.max(*d));
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut room = vec![0.0; n];
    loop {
        let (pivot, rest) = left
            .iter()
            .enumerate()
            .fold((0, 0.0_f64), |a, (i, d)| if *d > a.1 { (i, *d) } else { a });
        if rest <= RESIDUAL * largest {
            break;
        }
        if columns.len() == most || watch.stop().is_some() {
            return None;
        }
        let mut column: Vec<f64> = rows.row(pivot, &mut room).iter().map(|v| v / unit).collect();
        for known in &columns {
            let by = known[pivot];
            column.iter_mut().zip(known).for_each(|(c, k)| *c -= by * k);
        }
        let root = rest.sqrt();
        column.iter_mut().for_each(|c| *c /= root);
        left.iter_mut().zip(&column).for_each(|(d, c)| *d -= c * c);
        left[pivot] = 0.0;
        if left.iter().any(|d| *d < -1e-9 * largest || d.is_nan()) {
            return None;
        }
        columns.push(column);
    }
    let r = columns.len();
    let mut l = vec![0.0; n * r];
    for (k, column) in columns.iter().enumerate() {
        column.iter().enumerate().for_each(|(i, v)| l[i * r + k] = *v);
    }
    Some((l, r))
}
