//! Products of a tall matrix A (n × m, m small) with blocks of a few columns: A·B and Aᵀ·C.
//!
//! A general product repacks A or goes through it once for every few of its columns, which for
//! so thin a block costs more than the arithmetic. Here A is read once, in the order in which it
//! lies in memory, and all else stays in the first-level cache. Same loops as the bank's products
//! ([`both_sides_8`]).

use super::Slice;
use crate::simd::{
    Aligned, BothSides, both_sides_4, both_sides_8, both_sides_12, both_sides_16, columns_at_once,
};

/// Columns of A up to which all else stays in the first-level cache.
const NARROW: usize = 192;

/// Rows of A from which it pays.
const TALL: usize = 64;

/// The width in which a block of k columns is multiplied, if this way pays.
pub(super) fn width(rows: usize, m: usize, k: usize) -> Option<usize> {
    let width = k.next_multiple_of(4);
    (rows >= TALL && m <= NARROW && m > 0 && k > 0 && width <= columns_at_once()).then_some(width)
}

/// `both_sides` for a number of columns that is known only now.
macro_rules! for_width {
    ($width:expr, $run:ident($($arg:expr),*)) => {
        match $width {
            4 => $run::<4>(both_sides_4, $($arg),*),
            8 => $run::<8>(both_sides_8, $($arg),*),
            12 => $run::<12>(both_sides_12, $($arg),*),
            _ => $run::<16>(both_sides_16, $($arg),*),
        }
    };
}

/// B, m × k, times `factor`, in rows of `width` numbers.
fn padded(b: Slice<'_>, factor: f64, width: usize) -> Aligned {
    let mut lanes = Aligned::zeros(b.rows * width);
    for (i, row) in lanes.values_mut().chunks_exact_mut(width).take(b.rows).enumerate() {
        let from = &b.values[i * b.stride..][..b.cols];
        row.iter_mut().zip(from).for_each(|(r, v)| *r = factor * v);
    }
    lanes
}

/// out += α A B for B m × k; `out` has no gaps.
pub(super) fn times(a: Slice<'_>, b: Slice<'_>, alpha: f64, width: usize, out: &mut [f64]) {
    let factor = padded(b, alpha, width);
    if width == b.cols {
        return for_width!(width, times_lanes(a, factor.values(), out));
    }
    let mut wide = Aligned::zeros(a.rows * width);
    for_width!(width, times_lanes(a, factor.values(), wide.values_mut()));
    for (out, row) in out.chunks_exact_mut(b.cols).zip(wide.values().chunks_exact(width)) {
        out.iter_mut().zip(row).for_each(|(o, v)| *o += v);
    }
}

fn times_lanes<const W: usize>(
    both_sides: BothSides<W>,
    a: Slice<'_>,
    factor: &[f64],
    out: &mut [f64],
) {
    let right = &factor.as_chunks::<W>().0[..a.cols];
    let out = &mut out.as_chunks_mut::<W>().0[..a.rows];
    both_sides(a.values, a.stride, &[], right, out, &mut []);
}

/// Aᵀ C for C n × k, m × k into `out`, which has no gaps.
pub(super) fn turned(a: Slice<'_>, c: Slice<'_>, width: usize, out: &mut [f64]) {
    let mut sums = Aligned::zeros(a.cols * width);
    if width == c.stride {
        for_width!(width, turned_lanes(a, c.values, sums.values_mut()));
    } else {
        let left = padded(c, 1.0, width);
        for_width!(width, turned_lanes(a, left.values(), sums.values_mut()));
    }
    for (out, sum) in out.chunks_exact_mut(c.cols).zip(sums.values().chunks_exact(width)) {
        out.copy_from_slice(&sum[..c.cols]);
    }
}

fn turned_lanes<const W: usize>(
    both_sides: BothSides<W>,
    a: Slice<'_>,
    left: &[f64],
    sums: &mut [f64],
) {
    let left = &left.as_chunks::<W>().0[..a.rows];
    let sums = &mut sums.as_chunks_mut::<W>().0[..a.cols];
    both_sides(a.values, a.stride, left, &[], &mut [], sums);
}
