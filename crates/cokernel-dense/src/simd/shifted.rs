//! Linear systems with T − λ for a symmetric tridiagonal T and several λ at once: what depends on the
//! row before is done for all of them side by side.

use super::{TOGETHER, fma};

/// A number for each λ.
pub type Lanes = [f64; TOGETHER];

/// T − λ as a product of row exchanges, a lower and an upper triangle, for each λ.
pub struct Shifted {
    /// The upper triangle: rows (1 / diagonal, next, next but one).
    upper: Vec<[Lanes; 3]>,
    /// Row i + 1 lost this much of row i, after both were exchanged (1) or not (0).
    lower: Vec<[Lanes; 2]>,
}

impl Shifted {
    /// T has the diagonal `d` and the numbers `e` beside it; pivots below `least` become that.
    pub fn new(d: &[f64], e: &[f64], shifts: &Lanes, least: f64) -> Self {
        let zero = [0.0; TOGETHER];
        let mut upper = vec![[zero; 3]; d.len()];
        let mut lower = vec![[zero; 2]; e.len()];
        factor(d, e, shifts, least, &mut upper, &mut lower);
        Shifted { upper, lower }
    }

    /// Each x becomes (T − λ)⁻¹ x.
    pub fn solve(&self, x: &mut [Lanes]) {
        solve(&self.upper, &self.lower, x);
    }
}

#[inline(always)]
fn factor_body<const FMA: bool>(
    d: &[f64],
    e: &[f64],
    shifts: &Lanes,
    least: f64,
    upper: &mut [[Lanes; 3]],
    lower: &mut [[Lanes; 2]],
) {
    let pivot = |p: f64| if p.abs() < least { least.copysign(p) } else { p };
    let (mut own, mut beside) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for l in 0..TOGETHER {
        own[l] = d[0] - shifts[l];
        beside[l] = e.first().copied().unwrap_or(0.0);
    }
    for (i, (upper, lower)) in upper.iter_mut().zip(lower).enumerate() {
        let (e, d, far) = (e[i], d[i + 1], e.get(i + 1).copied().unwrap_or(0.0));
        for l in 0..TOGETHER {
            let next = d - shifts[l];
            let exchanged = own[l].abs() < e.abs();
            let inverse = 1.0 / pivot(if exchanged { e } else { own[l] });
            let factor = inverse * if exchanged { own[l] } else { e };
            let (kept, lost) = if exchanged { (next, beside[l]) } else { (beside[l], next) };
            upper[0][l] = inverse;
            upper[1][l] = kept;
            upper[2][l] = if exchanged { far } else { 0.0 };
            lower[0][l] = factor;
            lower[1][l] = if exchanged { 1.0 } else { 0.0 };
            own[l] = fma::<FMA>(-factor, kept, lost);
            beside[l] = if exchanged { -factor * far } else { far };
        }
    }
    if let Some(last) = upper.last_mut() {
        (0..TOGETHER).for_each(|l| last[0][l] = 1.0 / pivot(own[l]));
    }
}
dispatch! {
    fn factor(
        d: &[f64],
        e: &[f64],
        shifts: &Lanes,
        least: f64,
        upper: &mut [[Lanes; 3]],
        lower: &mut [[Lanes; 2]]
    ) = factor_body
}

#[inline(always)]
fn solve_body<const FMA: bool>(upper: &[[Lanes; 3]], lower: &[[Lanes; 2]], x: &mut [Lanes]) {
    for (i, [factor, exchanged]) in lower.iter().enumerate() {
        let (mut first, mut second) = (x[i], x[i + 1]);
        for l in 0..TOGETHER {
            let (a, b) = (first[l], second[l]);
            let (a, b) = if exchanged[l] > 0.0 { (b, a) } else { (a, b) };
            first[l] = a;
            second[l] = fma::<FMA>(-factor[l], a, b);
        }
        (x[i], x[i + 1]) = (first, second);
    }
    let (mut next, mut after) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for (x, [inverse, beside, far]) in x.iter_mut().zip(upper).rev() {
        for l in 0..TOGETHER {
            let rest = fma::<FMA>(-beside[l], next[l], fma::<FMA>(-far[l], after[l], x[l]));
            after[l] = next[l];
            next[l] = rest * inverse[l];
        }
        *x = next;
    }
}
dispatch! {
    fn solve(upper: &[[Lanes; 3]], lower: &[[Lanes; 2]], x: &mut [Lanes]) = solve_body
}
