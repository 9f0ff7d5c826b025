//! First and second derivatives of J(η).
//!
//! Where the set F of free support vectors (0 < α_i < C_i) does not change, the optimal
//! coefficients c move with η by dc_F = −Π v_m dη_m with v_m = (K_m c)_F, and therefore
//!
//! ```text
//! ∂²J/∂η_m∂η_l = v_mᵀ Π v_l,      Π = K_FF⁻¹ − K_FF⁻¹ 1 1ᵀ K_FF⁻¹ / (1ᵀ K_FF⁻¹ 1)
//! ```
//!
//! with K_FF from the combined kernel, to whose diagonal ℓ may add something (see
//! [`Free`](crate::machine::Free)); the second term keeps Σ c, where that is fixed. With K_FF = L Lᵀ,
//! W = L⁻¹ [v_1 … v_M] and a = L⁻¹ 1 this is WᵀW − (Wᵀa)(Wᵀa)ᵀ/aᵀa: positive semi-definite. Where a second sum
//! Σ s_i c_i is fixed (ν-SVR: Σ |c|), what is left of L⁻¹ s without its part along a takes off the same again.
//! Binary problems add up. Cost: one pass over the rows of support vectors in all kernels, |F|³/3 + |F|² M + |F| M²
//! for each binary problem.

use crate::bank::Bank;
use crate::machine::{Free, Solution};
use crate::run::Pass;
use cokernel_dense::Cholesky;
use rayon::prelude::*;

/// Most free support vectors of one binary problem for which the Hessian is formed (8·|F|² bytes).
const LARGEST: usize = 4096;
/// Binary problems worked on at a time.
const TOGETHER: usize = 8;

/// Reads entries (i, columns) of the combined kernel.
pub(super) type Row<'a> = dyn Fn(usize, &[u32], &mut [f64]) + Sync + 'a;

/// What is free to move in each block, where the Hessian can be formed from it.
pub(super) fn free(machines: &Solution) -> Option<Vec<&Free>> {
    let single = |b: &'_ crate::machine::Block| b.heads.len() == 1;
    let free = machines.blocks.iter().map(|b| b.free.as_ref().filter(|_| single(b)));
    free.map(|f| f.filter(|f| f.rows.len() <= LARGEST)).collect()
}

/// What the derivatives are made of.
pub(super) struct Sides {
    /// q_m^u of the kernels in `seen`, 0 of the others.
    pub forms: Vec<Vec<f64>>,
    /// For each binary problem v_m of the kernels in `seen`, one after the other.
    columns: Vec<Vec<f64>>,
}

/// The quadratic forms of the kernels in `seen`, and what the Hessian needs. Nothing of it is to be used if the
/// pass is given up.
pub(super) fn sides(
    bank: &Bank,
    seen: &[usize],
    machines: &Solution,
    free: &[&Free],
    pass: &Pass<'_>,
) -> Sides {
    let coefs = machines.coefs();
    let mut forms = vec![vec![0.0; bank.len()]; coefs.len()];
    // Room for 1 and s at the end, too.
    let room = |f: &&Free| Vec::with_capacity(f.rows.len() * (seen.len() + 2));
    let mut columns: Vec<Vec<f64>> = free.iter().map(room).collect();
    bank.products_of(seen, &coefs, pass, |k, u, product| {
        let terms = coefs[u].iter().zip(product).filter(|(c, _)| **c != 0.0);
        forms[u][k] = terms.map(|(c, p)| c * p).sum();
        columns[u].extend(free[u].rows.iter().map(|&i| product[i as usize]));
    });
    Sides { forms, columns }
}

/// The Hessian (M × M, 0 for kernels that are not in `seen`); `None` if a factorisation failed or the pass was given
/// up. `row(i, columns, out)` reads entries of the combined kernel.
pub(super) fn hessian(
    m: usize,
    seen: &[usize],
    mut sides: Sides,
    free: &[&Free],
    row: &Row<'_>,
    pass: &Pass<'_>,
) -> Option<Vec<f64>> {
    let s = seen.len();
    let mut hessian = vec![0.0; m * m];
    for (columns, free) in sides.columns.chunks_mut(TOGETHER).zip(free.chunks(TOGETHER)) {
        let parts: Vec<Option<Vec<f64>>> = columns
            .par_iter_mut()
            .zip(free)
            .map(|(columns, free)| part(std::mem::take(columns), free, s, row, pass))
            .collect();
        for part in parts {
            for (line, k) in part?.chunks(s).zip(seen) {
                line.iter().zip(seen).for_each(|(p, l)| hessian[k * m + l] += p);
            }
        }
    }
    Some(hessian)
}

/// K_FF of one binary problem, factored; `None` if that failed or the pass was given up.
fn factored(free: &Free, row: &Row<'_>, pass: &Pass<'_>) -> Option<Cholesky> {
    let f = free.rows.len();
    let mut block = vec![0.0; f * f];
    for (out, &i) in block.chunks_mut(f.max(1)).zip(&free.rows) {
        if pass.is_over() {
            return None;
        }
        row(i as usize, &free.rows, out);
    }
    for (k, ridge) in free.ridge.iter().enumerate() {
        block[k * f + k] += ridge;
    }
    Cholesky::with_ridge(f, &block)
}

/// The Hessian of one binary problem; `None` if the factorisation failed or the pass was given up.
fn part(
    mut sides: Vec<f64>,
    free: &Free,
    m: usize,
    row: &Row<'_>,
    pass: &Pass<'_>,
) -> Option<Vec<f64>> {
    let f = free.rows.len();
    let mut hessian = vec![0.0; m * m];
    if f == 0 {
        return Some(hessian);
    }
    let factor = factored(free, row, pass)?;
    sides.resize(f * (m + 1), 1.0);
    sides.extend(&free.also);
    let columns = sides.len() / f;
    factor.forward(&mut sides, columns);
    let (w, fixed) = sides.split_at_mut(f * m);
    let (a, b) = fixed.split_at_mut(f);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // Nothing is taken off where the sum is free.
    let length = if free.sum { dot(a, a) } else { f64::INFINITY };
    let (before, part) = (dot(b, b), dot(a, b) / length);
    b.iter_mut().zip(a.iter()).for_each(|(b, a)| *b -= part * a);
    // All signs are the same: the second sum is the first.
    let other = if dot(b, b) > 1e-12 * before { dot(b, b) } else { f64::INFINITY };
    let along = |fixed: &[f64]| -> Vec<f64> { w.chunks(f).map(|w| dot(w, fixed)).collect() };
    let (first, second) = (along(a), if b.is_empty() { vec![0.0; m] } else { along(b) });
    hessian.par_chunks_mut(m).enumerate().for_each(|(k, out)| {
        for (l, h) in out.iter_mut().enumerate() {
            *h = dot(&w[k * f..(k + 1) * f], &w[l * f..(l + 1) * f])
                - first[k] * first[l] / length
                - second[k] * second[l] / other;
        }
    });
    hessian.iter().all(|h| h.is_finite()).then_some(hessian)
}

/// The Hessian as an operator, for kernels of single features: with K_m = z_m z_mᵀ and s = Zᵀc the columns are
/// v_m = s_m (z_m)_F, so that H x = s ∘ (Z_Fᵀ Π Z_F (s ∘ x)) is two products with Z. M × M numbers are never formed.
pub(super) struct Operator<'a> {
    bank: &'a Bank,
    blocks: Vec<Part<'a>>,
    pass: &'a Pass<'a>,
}

/// One binary problem.
struct Part<'a> {
    free: &'a Free,
    /// s.
    scores: Vec<f64>,
    factor: Cholesky,
    /// K⁻¹1 and 1ᵀK⁻¹1, where the sum is fixed.
    constant: Option<(Vec<f64>, f64)>,
}

impl<'a> Operator<'a> {
    /// `None` if it cannot be had: the kernels are others, a second sum is fixed, a factorisation failed, the pass was
    /// given up.
    pub(super) fn new(
        bank: &'a Bank,
        machines: &'a Solution,
        row: &Row<'_>,
        pass: &'a Pass<'a>,
    ) -> Option<Self> {
        let coefs = machines.coefs();
        let mut blocks = Vec::new();
        for (free, coef) in free(machines)?.into_iter().zip(coefs) {
            if !free.also.is_empty() {
                return None;
            }
            let factor = factored(free, row, pass)?;
            let constant = free.sum.then(|| {
                let mut solved = vec![1.0; free.rows.len()];
                factor.solve(&mut solved, 1);
                let sum = solved.iter().sum();
                (solved, sum)
            });
            let scores = bank.feature_scores(coef, pass)?;
            blocks.push(Part { free, scores, factor, constant });
        }
        (!pass.is_given_up()).then_some(Operator { bank, blocks, pass })
    }

    /// H x.
    pub(super) fn times(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; x.len()];
        for Part { free, scores, factor, constant } in &self.blocks {
            if free.rows.is_empty() {
                continue;
            }
            let scaled: Vec<f64> = scores.iter().zip(x).map(|(s, x)| s * x).collect();
            let mut v = self.bank.feature_sums(&scaled, &free.rows, self.pass)?;
            factor.solve(&mut v, 1);
            if let Some((solved, sum)) = constant {
                // What keeps the sum: K⁻¹1 (1ᵀK⁻¹v)/(1ᵀK⁻¹1).
                let share = v.iter().sum::<f64>() / sum;
                v.iter_mut().zip(solved).for_each(|(v, o)| *v -= share * o);
            }
            let mut spread = vec![0.0; self.bank.n()];
            free.rows.iter().zip(&v).for_each(|(i, v)| spread[*i as usize] = *v);
            let back = self.bank.feature_scores(&spread, self.pass)?;
            sum.iter_mut().zip(scores).zip(back).for_each(|((h, s), b)| *h += s * b);
        }
        (!self.pass.is_given_up() && sum.iter().all(|h| h.is_finite())).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::late_watch;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// All rows of free support vectors were once read after a stop, each of thousands of entries
    /// in all kernels.
    #[test]
    fn a_stop_ends_the_reading_of_rows() {
        let read = AtomicUsize::new(0);
        let row = |i: usize, columns: &[u32], out: &mut [f64]| {
            read.fetch_add(1, Ordering::Relaxed);
            out.iter_mut()
                .zip(columns)
                .for_each(|(o, j)| *o = f64::from(u8::from(i == *j as usize)));
        };
        let free = Free { rows: (0..8).collect(), ridge: Vec::new(), sum: true, also: Vec::new() };
        let watch = late_watch();
        assert!(part(vec![1.0; 8], &free, 1, &row, &Pass::under(&watch)).is_none());
        assert_eq!(read.load(Ordering::Relaxed), 0);
        assert!(part(vec![1.0; 8], &free, 1, &row, &Pass::default()).is_some());
        assert_eq!(read.load(Ordering::Relaxed), 8);
    }
}
