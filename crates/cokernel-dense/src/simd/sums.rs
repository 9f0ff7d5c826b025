//! Sums of rows of kernel values and their products with vectors, a few rows at a time.

use super::{dot, row_sum};

/// Rows of [`row_moments`].
pub const ROWS_OF_MOMENTS: usize = 4;
const ROWS: usize = ROWS_OF_MOMENTS;

/// A row, and the vector that it is multiplied by.
pub type RowAndVector<'a> = (&'a [f64], &'a [f64]);

/// The sum of each row and its product with its vector, all of the same length; adds the rows to `others`, which may be
/// empty.
pub fn row_moments(rows: &[RowAndVector<'_>; ROWS], others: &mut [f64]) -> [(f64, f64); ROWS] {
    let n = rows[0].0.len();
    let fit = rows.iter().all(|(row, vector)| row.len() == n && vector.len() == n);
    assert!(fit && (others.is_empty() || others.len() == n));
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the instruction set was just found on this machine, and the lengths agree.
        return unsafe { row_moments_512(rows, others) };
    }
    rows.map(|row| row_moment(row, others))
}

/// [`row_moments`] of one row.
pub fn row_moment((row, vector): RowAndVector<'_>, others: &mut [f64]) -> (f64, f64) {
    (row_sum(row, 0, others).0, dot(row, vector))
}

/// # Safety
/// Rows, vectors and, unless it is empty, `others` are of the same length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn row_moments_512(
    rows: &[RowAndVector<'_>; ROWS],
    others: &mut [f64],
) -> [(f64, f64); ROWS] {
    use std::arch::x86_64::*;
    let n = rows[0].0.len();
    let mut sums = [_mm512_setzero_pd(); ROWS];
    let mut dots = [_mm512_setzero_pd(); ROWS];
    for at in (0..n).step_by(8) {
        let here = if n - at < 8 { (1 << (n - at)) - 1 } else { 0xff };
        // SAFETY: all that is read and written lies below n, as the mask of the last piece says.
        unsafe {
            let mut all = _mm512_setzero_pd();
            for r in 0..ROWS {
                let row = _mm512_maskz_loadu_pd(here, rows[r].0.as_ptr().add(at));
                let vector = _mm512_maskz_loadu_pd(here, rows[r].1.as_ptr().add(at));
                sums[r] = _mm512_add_pd(sums[r], row);
                dots[r] = _mm512_fmadd_pd(row, vector, dots[r]);
                all = _mm512_add_pd(all, row);
            }
            if !others.is_empty() {
                let place = others.as_mut_ptr().add(at);
                let sum = _mm512_add_pd(_mm512_maskz_loadu_pd(here, place), all);
                _mm512_mask_storeu_pd(place, here, sum);
            }
        }
    }
    let mut found = [(0.0, 0.0); ROWS];
    for r in 0..ROWS {
        found[r] = (_mm512_reduce_add_pd(sums[r]), _mm512_reduce_add_pd(dots[r]));
    }
    found
}
