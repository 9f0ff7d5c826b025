//! Inner loops of products with thin matrices.

use super::{LINE, ROWS_AHEAD, fma, prefetch_far};

/// A row of a panel of W columns.
pub type Lanes<const W: usize> = [f64; W];

/// [`both_sides_8`] or one of the others.
pub type BothSides<const W: usize> =
    fn(&[f64], usize, &[Lanes<W>], &[Lanes<W>], &mut [Lanes<W>], &mut [Lanes<W>]);

#[inline(always)]
fn lanes_fma<const FMA: bool, const W: usize>(x: f64, v: &Lanes<W>, sum: &mut Lanes<W>) {
    for (s, v) in sum.iter_mut().zip(v) {
        *s = fma::<FMA>(x, *v, *s);
    }
}

/// Four rows of a tile; those that begin at `next` are asked for, a cache line with each that is
/// used. `OUT` and `TURN` say which of both sums is wanted.
#[inline(always)]
fn sides_of_four<const FMA: bool, const OUT: bool, const TURN: bool, const W: usize>(
    rows: [&[f64]; 4],
    next: [*const f64; 4],
    left: &[Lanes<W>; 4],
    right: &[Lanes<W>],
    turned: &mut [Lanes<W>],
    out: &mut [Lanes<W>; 4],
) {
    let [mut a, mut b, mut c, mut d] = *out;
    let [la, lb, lc, ld] = *left;
    let n = if OUT { right.len() } else { turned.len() };
    let [ra, rb, rc, rd] = rows.map(|r| &r[..n]);
    let right = if OUT { &right[..n] } else { right };
    let turned = if TURN { &mut turned[..n] } else { turned };
    for first in (0..n).step_by(LINE) {
        next.iter().for_each(|at| prefetch_far(*at, first));
        for j in first..n.min(first + LINE) {
            let (xa, xb, xc, xd) = (ra[j], rb[j], rc[j], rd[j]);
            if OUT {
                let v = right[j];
                lanes_fma::<FMA, W>(xa, &v, &mut a);
                lanes_fma::<FMA, W>(xb, &v, &mut b);
                lanes_fma::<FMA, W>(xc, &v, &mut c);
                lanes_fma::<FMA, W>(xd, &v, &mut d);
            }
            if TURN {
                let mut t = turned[j];
                lanes_fma::<FMA, W>(xa, &la, &mut t);
                lanes_fma::<FMA, W>(xb, &lb, &mut t);
                lanes_fma::<FMA, W>(xc, &lc, &mut t);
                lanes_fma::<FMA, W>(xd, &ld, &mut t);
                turned[j] = t;
            }
        }
    }
    *out = [a, b, c, d];
}

#[inline(always)]
fn sides<const FMA: bool, const OUT: bool, const TURN: bool, const W: usize>(
    tile: &[f64],
    stride: usize,
    left: &[Lanes<W>],
    right: &[Lanes<W>],
    out: &mut [Lanes<W>],
    turned: &mut [Lanes<W>],
) {
    let rows = if OUT { out.len() } else { left.len() };
    let nothing = [[0.0; W]; 4];
    for first in (0..rows / 4 * 4).step_by(4) {
        let at = first * stride;
        let four = [0, 1, 2, 3].map(|r| &tile[at + r * stride..]);
        let next = [0, 1, 2, 3].map(|r| tile.as_ptr().wrapping_add(at + (r + ROWS_AHEAD) * stride));
        let left = if TURN { &left[first..].as_chunks::<4>().0[0] } else { &nothing };
        let mut unused = nothing;
        let out = if OUT { &mut out[first..].as_chunks_mut::<4>().0[0] } else { &mut unused };
        sides_of_four::<FMA, OUT, TURN, W>(four, next, left, right, turned, out);
    }
    for r in rows / 4 * 4..rows {
        let row = &tile[r * stride..];
        if OUT {
            row.iter().zip(right).for_each(|(x, v)| lanes_fma::<FMA, W>(*x, v, &mut out[r]));
        }
        if TURN {
            let pairs = row.iter().zip(turned.iter_mut());
            pairs.for_each(|(x, t)| lanes_fma::<FMA, W>(*x, &left[r], t));
        }
    }
}

#[inline(always)]
fn both_sides_body<const FMA: bool, const W: usize>(
    tile: &[f64],
    stride: usize,
    left: &[Lanes<W>],
    right: &[Lanes<W>],
    out: &mut [Lanes<W>],
    turned: &mut [Lanes<W>],
) {
    if turned.is_empty() {
        sides::<FMA, true, false, W>(tile, stride, left, right, out, turned);
    } else if out.is_empty() {
        sides::<FMA, false, true, W>(tile, stride, left, right, out, turned);
    } else {
        sides::<FMA, true, true, W>(tile, stride, left, right, out, turned);
    }
}

/// Columns of a tile at once where there are two of the panel: with both, a wide register.
const SPAN: usize = 4;

/// Each number twice.
#[inline(always)]
fn doubled(x: &[f64; SPAN]) -> [f64; 2 * SPAN] {
    let [a, b, c, d] = *x;
    [a, a, b, b, c, c, d, d]
}

/// [`sides_of_four`] for a panel of two columns, of which a register holds those of several rows.
#[inline(always)]
fn pair_sides_of_four<const FMA: bool, const TURN: bool>(
    rows: [&[f64]; 4],
    left: &[Lanes<2>; 4],
    right: &[Lanes<2>],
    turned: &mut [Lanes<2>],
    out: &mut [Lanes<2>; 4],
) {
    let n = right.len();
    let spans = rows.map(|r| r[..n].as_chunks::<SPAN>());
    let (wide, rest) = right.as_chunks::<SPAN>();
    let (turned_wide, turned_rest) = turned.as_chunks_mut::<SPAN>();
    let left_wide = left.map(|[a, b]| [a, b, a, b, a, b, a, b]);
    let mut sums = [[0.0; 2 * SPAN]; 4];
    for k in 0..wide.len() {
        let v: &[f64; 2 * SPAN] = wide[k].as_flattened().try_into().expect("a span of pairs");
        let x = spans.map(|(spans, _)| doubled(&spans[k]));
        for (x, sum) in x.iter().zip(&mut sums) {
            (0..2 * SPAN).for_each(|l| sum[l] = fma::<FMA>(x[l], v[l], sum[l]));
        }
        if TURN {
            let t: &mut [f64; 2 * SPAN] =
                turned_wide[k].as_flattened_mut().try_into().expect("a span of pairs");
            for (x, left) in x.iter().zip(&left_wide) {
                (0..2 * SPAN).for_each(|l| t[l] = fma::<FMA>(x[l], left[l], t[l]));
            }
        }
    }
    add_pairs(&sums, out);
    for r in 0..4 {
        for (k, v) in rest.iter().enumerate() {
            let x = spans[r].1[k];
            lanes_fma::<FMA, 2>(x, v, &mut out[r]);
            if TURN {
                lanes_fma::<FMA, 2>(x, &left[r], &mut turned_rest[k]);
            }
        }
    }
}

/// The pairs of each register to one pair. Apart, because registers are otherwise cut in pairs
/// from the beginning.
#[inline(never)]
fn add_pairs(sums: &[[f64; 2 * SPAN]; 4], out: &mut [Lanes<2>; 4]) {
    for (out, sums) in out.iter_mut().zip(sums) {
        for [a, b] in sums.as_chunks::<2>().0 {
            *out = [out[0] + a, out[1] + b];
        }
    }
}

#[inline(always)]
fn body_2<const FMA: bool>(
    tile: &[f64],
    stride: usize,
    left: &[Lanes<2>],
    right: &[Lanes<2>],
    out: &mut [Lanes<2>],
    turned: &mut [Lanes<2>],
) {
    let fours = out.len() / 4 * 4;
    for first in (0..fours).step_by(4) {
        let four = [0, 1, 2, 3].map(|r| &tile[(first + r) * stride..]);
        let out = &mut out[first..].as_chunks_mut::<4>().0[0];
        if turned.is_empty() {
            pair_sides_of_four::<FMA, false>(four, &[[0.0; 2]; 4], right, turned, out);
        } else {
            let left = &left[first..].as_chunks::<4>().0[0];
            pair_sides_of_four::<FMA, true>(four, left, right, turned, out);
        }
    }
    let (tile, left) =
        (&tile[(fours * stride).min(tile.len())..], left.get(fours..).unwrap_or(&[]));
    both_sides_body::<FMA, 2>(tile, stride, left, right, &mut out[fours..], turned);
}

/// Declares the product with a panel of `$width` columns.
macro_rules! both_sides {
    ($(#[$doc:meta])* $name:ident, $body:ident, $width:literal) => {
        #[inline(always)]
        fn $body<const FMA: bool>(
            tile: &[f64],
            stride: usize,
            left: &[Lanes<$width>],
            right: &[Lanes<$width>],
            out: &mut [Lanes<$width>],
            turned: &mut [Lanes<$width>],
        ) {
            both_sides_body::<FMA, $width>(tile, stride, left, right, out, turned);
        }
        dispatch! {
            $(#[$doc])*
            fn $name(
                tile: &[f64],
                stride: usize,
                left: &[Lanes<$width>],
                right: &[Lanes<$width>],
                out: &mut [Lanes<$width>],
                turned: &mut [Lanes<$width>]
            ) = $body
        }
    };
}

both_sides! {
    /// out += T·right and turned += Tᵀ·left, for a tile T with rows `stride` apart and panels of
    /// eight columns: `out` and `left` have a row for each row of T, `right` and `turned` one for
    /// each column. Of both sums, one whose place is empty is not taken, and its factor may be
    /// empty too.
    both_sides_8, body_8, 8
}
dispatch! {
    /// [`both_sides_8`] for panels of two columns, whose sums are taken in another order; `out` is
    /// not empty.
    fn both_sides_2(
        tile: &[f64],
        stride: usize,
        left: &[Lanes<2>],
        right: &[Lanes<2>],
        out: &mut [Lanes<2>],
        turned: &mut [Lanes<2>]
    ) = body_2
}
both_sides! {
    /// [`both_sides_8`] for panels of four columns.
    both_sides_4, body_4, 4
}
both_sides! {
    /// [`both_sides_8`] for panels of twelve columns.
    both_sides_12, body_12, 12
}
both_sides! {
    /// [`both_sides_8`] for panels of sixteen columns.
    both_sides_16, body_16, 16
}

/// Columns of the widest panel for which this machine has enough registers.
#[inline]
pub fn columns_at_once() -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return 16;
    }
    8
}

/// Numbers of single precision in a panel: two wide registers.
pub const LEAST_PANEL: usize = 32;

/// Eight rows of the left factor at once where there are registers for their sums, else four.
#[inline(always)]
fn least_of_rows<const FMA: bool, const ROWS: usize>(
    left: &[f32],
    width: usize,
    right: &[[f32; LEAST_PANEL]],
) -> f32 {
    let mut least = [f32::INFINITY; LEAST_PANEL];
    for rows in left.chunks_exact(ROWS * width) {
        let rows: [&[f32]; ROWS] = std::array::from_fn(|r| &rows[r * width..(r + 1) * width]);
        for panel in right.chunks_exact(width) {
            let mut sums = [[0.0_f32; LEAST_PANEL]; ROWS];
            for (k, v) in panel.iter().enumerate() {
                for (row, sums) in rows.iter().zip(&mut sums) {
                    let x = row[k];
                    for (s, v) in sums.iter_mut().zip(v) {
                        *s = if FMA { x.mul_add(*v, *s) } else { x * v + *s };
                    }
                }
            }
            for sums in &sums {
                for (l, s) in least.iter_mut().zip(sums) {
                    *l = if *s < *l { *s } else { *l };
                }
            }
        }
    }
    least.iter().fold(f32::INFINITY, |a, v| a.min(*v))
}

#[inline(always)]
fn least_of_4<const FMA: bool>(left: &[f32], width: usize, right: &[[f32; LEAST_PANEL]]) -> f32 {
    least_of_rows::<FMA, 4>(left, width, right)
}

#[inline(always)]
fn least_of_8<const FMA: bool>(left: &[f32], width: usize, right: &[[f32; LEAST_PANEL]]) -> f32 {
    least_of_rows::<FMA, 8>(left, width, right)
}

dispatch! {
    fn least_product_4(left: &[f32], width: usize, right: &[[f32; LEAST_PANEL]]) -> f32
        = least_of_4
}
dispatch! {
    fn least_product_8(left: &[f32], width: usize, right: &[[f32; LEAST_PANEL]]) -> f32
        = least_of_8
}

/// The least entry of A Bᵀ in single precision, none of which is NaN. A has a multiple of eight
/// rows of `width` numbers; row k of each panel of B (`width` rows) holds entry k of 32 rows.
pub fn least_product(left: &[f32], width: usize, right: &[[f32; LEAST_PANEL]]) -> f32 {
    match columns_at_once() {
        16 => least_product_8(left, width, right),
        _ => least_product_4(left, width, right),
    }
}
