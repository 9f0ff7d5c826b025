//! Inner loop of bisection for the eigenvalues of a tridiagonal matrix.

/// Numbers that are tried together: two wide registers, because each minor waits for the last.
pub const TOGETHER: usize = 16;

/// Rows after which minors that are larger than the second number, or smaller than its inverse, are scaled by it. In so many rows they
/// become no smaller than 10⁻¹²⁸ times what they were.
const ROWS: usize = 8;
const FAR: f64 = 1e130;

/// Least square of a number beside the diagonal, whose size is then that of rounding.
pub const LEAST_SQUARE: f64 = 1e-32;

#[inline(always)]
fn positive_pivots_body<const FMA: bool>(
    d: &[f64],
    squares: &[f64],
    x: &[f64; TOGETHER],
) -> [u64; TOGETHER] {
    // The leading minors p_i = (d_i − x) p_{i−1} − e_{i−1}² p_{i−2}, whose ratios are the pivots: no division. Where one is 0
    // the next one has the sign against that before, so that whatever its sign is one of the two pivots is positive.
    let (mut before, mut last, mut negative) =
        ([0.0_f64; TOGETHER], [1.0_f64; TOGETHER], [0_u64; TOGETHER]);
    let mut square = 0.0;
    for (rows, next) in d.chunks(ROWS).zip(squares.chunks(ROWS)) {
        for (d, next) in rows.iter().zip(next) {
            for l in 0..TOGETHER {
                let minor = super::fma::<FMA>(d - x[l], last[l], -(square * before[l]));
                negative[l] += (minor.to_bits() ^ last[l].to_bits()) >> 63;
                (before[l], last[l]) = (last[l], minor);
            }
            square = *next;
        }
        for l in 0..TOGETHER {
            let size =
                if before[l].abs() > last[l].abs() { before[l].abs() } else { last[l].abs() };
            let factor = if size > FAR { 1.0 / FAR } else { 1.0 };
            let factor = if size < 1.0 / FAR { FAR } else { factor };
            (before[l], last[l]) = (factor * before[l], factor * last[l]);
        }
    }
    negative.map(|count| d.len() as u64 - count)
}
dispatch! {
    /// How many pivots of T − x are positive, for each x: as many eigenvalues of T are above it. T is
    /// symmetric and tridiagonal with diagonal `d`, and `squares`, as many (the last one is not used), are those of the
    /// numbers beside it. No number of T and no x is above 4, no square below [`LEAST_SQUARE`].
    fn positive_pivots(d: &[f64], squares: &[f64], x: &[f64; TOGETHER]) -> [u64; TOGETHER]
        = positive_pivots_body
}
