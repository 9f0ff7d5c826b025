//! Inner loop of bisection for the eigenvalues of a tridiagonal matrix.

/// Numbers that are tried together: two wide registers, because each division waits for the last.
pub const TOGETHER: usize = 16;

#[inline(always)]
fn positive_pivots_body<const FMA: bool>(
    d: &[f64],
    squares: &[f64],
    x: &[f64; TOGETHER],
) -> [f64; TOGETHER] {
    let (mut pivots, mut counts) = ([f64::INFINITY; TOGETHER], [0.0; TOGETHER]);
    for (i, d) in d.iter().enumerate() {
        let square = if i == 0 { 0.0 } else { squares[i - 1] };
        for l in 0..TOGETHER {
            pivots[l] = (d - x[l]) - square / pivots[l];
            counts[l] += if pivots[l] > 0.0 { 1.0 } else { 0.0 };
        }
    }
    counts
}
dispatch! {
    /// How many pivots of T − x are positive, for each x: as many eigenvalues of T are above it. T is
    /// symmetric and tridiagonal with diagonal `d`, and `squares`, one fewer, are those of the
    /// numbers beside it, none of them 0: a pivot of 0 is then followed by one of −∞, not by NaN.
    fn positive_pivots(d: &[f64], squares: &[f64], x: &[f64; TOGETHER]) -> [f64; TOGETHER]
        = positive_pivots_body
}
