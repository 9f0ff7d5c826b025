//! Square tiles of single-precision numbers: sums of rows that a sparse matrix names, transposes, means.
//!
//! A panel of [`SIDE`] columns has 256 bytes in a row, so that one of a few thousand rows stays in the second-level cache, where a
//! line takes half a nanosecond.

use super::{fma_f32, prefetch_far};

/// Rows and columns of a tile.
pub const SIDE: usize = 64;

/// A row of a tile or of a panel; it begins at a line of the caches, or each of its reads would take two of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; SIDE]);

impl Row {
    /// Zeros.
    pub const ZERO: Row = Row([0.0; SIDE]);
}

impl std::ops::Deref for Row {
    type Target = [f32; SIDE];

    #[inline(always)]
    fn deref(&self) -> &[f32; SIDE] {
        &self.0
    }
}

impl std::ops::DerefMut for Row {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32; SIDE] {
        &mut self.0
    }
}

#[inline(always)]
fn gathered_body<const FMA: bool>(columns: &[u32], values: &[f32], panel: &[Row], out: &mut [Row]) {
    let each = columns.len() / out.len();
    for (out, (columns, values)) in
        out.iter_mut().zip(columns.chunks(each).zip(values.chunks(each)))
    {
        // Half a row is as many sums as AVX2 has registers for.
        for half in 0..2 {
            let mut sums = [0.0; SIDE / 2];
            for (l, s) in columns.iter().zip(values) {
                let x = &panel[*l as usize].as_chunks::<{ SIDE / 2 }>().0[half];
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum = fma_f32::<FMA>(*s, *x, *sum);
                }
            }
            out.as_chunks_mut::<{ SIDE / 2 }>().0[half] = sums;
        }
    }
}
dispatch! {
    /// [`gathered`] on registers of the width that the compiler prefers.
    fn gathered_narrow(columns: &[u32], values: &[f32], panel: &[Row], out: &mut [Row]) = gathered_body
}

/// out_r = Σ s·panel_l over the entries (l, s) of row r of a sparse matrix that has equally many, one after the other, in each. The rows
/// `ahead` are asked for on the way.
///
/// # Panics
/// An entry names a row that the panel has not, or `out` is empty.
pub fn gathered(columns: &[u32], values: &[f32], panel: &[Row], ahead: &[&[Row]], out: &mut [Row]) {
    assert_eq!(columns.len(), values.len());
    assert!(columns.len().is_multiple_of(out.len()) && columns.len() >= out.len());
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the instruction set was just found on this machine.
        return unsafe { gathered_512(columns, values, panel, ahead, out) };
    }
    gathered_narrow(columns, values, panel, out);
}

/// The compiler keeps to half as wide registers, and reads `sums` from memory: 2.5 times the time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn gathered_512(columns: &[u32], values: &[f32], panel: &[Row], ahead: &[&[Row]], out: &mut [Row]) {
    use std::arch::x86_64::{
        _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
    };
    let (rows, each) = (out.len(), columns.len() / out.len());
    for (r, out) in out.iter_mut().enumerate() {
        for ahead in ahead {
            for row in &ahead[r * ahead.len() / rows..(r + 1) * ahead.len() / rows] {
                (0..SIDE).step_by(16).for_each(|k| prefetch_far(row.as_ptr(), k));
            }
        }
        let mut sums = [_mm512_setzero_ps(); SIDE / 16];
        let row = r * each..(r + 1) * each;
        for (l, s) in columns[row.clone()].iter().zip(&values[row]) {
            let (x, s) = (&panel[*l as usize], _mm512_set1_ps(*s));
            for (k, sum) in sums.iter_mut().enumerate() {
                // SAFETY: 16 numbers from 16 k on lie within the row.
                let x = unsafe { _mm512_loadu_ps(x.as_ptr().add(16 * k)) };
                *sum = _mm512_fmadd_ps(s, x, *sum);
            }
        }
        for (k, sum) in sums.iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr().add(16 * k), *sum) };
        }
    }
}

/// out = tileᵀ.
///
/// # Panics
/// Either has fewer than [`SIDE`] rows.
pub fn turned(tile: &[Row], out: &mut [Row]) {
    let (tile, out) = (&tile[..SIDE], &mut out[..SIDE]);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: the instruction set was just found on this machine.
        return unsafe { turned_256(tile, out) };
    }
    for (i, row) in tile.iter().enumerate() {
        for (j, v) in row.iter().enumerate() {
            out[j][i] = *v;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn turned_256(tile: &[Row], out: &mut [Row]) {
    use std::arch::x86_64::{
        _mm_loadu_ps, _mm256_set_m128, _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_unpackhi_ps,
        _mm256_unpacklo_ps,
    };
    for i in (0..SIDE).step_by(8) {
        for j in (0..SIDE).step_by(4) {
            // Four columns of eight rows: in each register row r and row r + 4.
            // SAFETY: 4 numbers from j on lie within each row.
            let four = |r: usize| unsafe { _mm_loadu_ps(tile[i + r].as_ptr().add(j)) };
            let x: [_; 4] = std::array::from_fn(|r| _mm256_set_m128(four(r + 4), four(r)));
            let (a, b) = (_mm256_unpacklo_ps(x[0], x[1]), _mm256_unpacklo_ps(x[2], x[3]));
            let (c, d) = (_mm256_unpackhi_ps(x[0], x[1]), _mm256_unpackhi_ps(x[2], x[3]));
            let columns = [
                _mm256_shuffle_ps::<0x44>(a, b),
                _mm256_shuffle_ps::<0xEE>(a, b),
                _mm256_shuffle_ps::<0x44>(c, d),
                _mm256_shuffle_ps::<0xEE>(c, d),
            ];
            for (k, column) in columns.into_iter().enumerate() {
                // SAFETY: 8 numbers from i on lie within each row.
                unsafe { _mm256_storeu_ps(out[j + k].as_mut_ptr().add(i), column) };
            }
        }
    }
}

#[inline(always)]
fn mean_body<const FMA: bool>(all: &[&[Row]], at: usize, out: &mut [Row]) {
    let share = 1.0 / all.len() as f32;
    let (first, rest) = all.split_first().expect("a graph");
    for (r, out) in out[..SIDE].iter_mut().enumerate() {
        let mut sums = first[at + r];
        for other in rest {
            for (sum, x) in sums.iter_mut().zip(other[at + r].iter()) {
                *sum += x;
            }
        }
        for (o, sum) in out.iter_mut().zip(sums.iter()) {
            *o = share * sum;
        }
    }
}
dispatch! {
    /// The mean of the tiles that begin at row `at` of all.
    fn mean(all: &[&[Row]], at: usize, out: &mut [Row]) = mean_body
}

#[inline(always)]
fn column_sums_body<const FMA: bool>(tile: &[Row]) -> Row {
    let mut sums = Row::ZERO;
    for row in tile {
        for (sum, x) in sums.iter_mut().zip(row.iter()) {
            *sum += x;
        }
    }
    sums
}
dispatch! {
    /// The sum of the rows.
    fn column_sums(tile: &[Row]) -> Row = column_sums_body
}

#[inline(always)]
fn scaled_body<const FMA: bool>(
    tile: &mut [Row],
    left: &Row,
    right: &Row,
    least: f32,
    before: &[Row],
) -> f32 {
    let mut most = Row::ZERO;
    for ((row, f), before) in tile.iter_mut().zip(left.iter()).zip(before) {
        let others = right.iter().zip(before.iter());
        for ((x, m), (g, b)) in row.iter_mut().zip(most.iter_mut()).zip(others) {
            let value = *x * (f + g);
            *x = if value < least { 0.0 } else { value };
            let d = (*x - b).abs();
            *m = if d > *m { d } else { *m };
        }
    }
    most.iter().fold(0.0, |a: f32, d| a.max(*d))
}
dispatch! {
    /// x_rc ← x_rc·(left_r + right_c), and 0 where that is below `least`; the largest distance to what was `before`.
    fn scaled(tile: &mut [Row], left: &Row, right: &Row, least: f32, before: &[Row]) -> f32 = scaled_body
}
