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
//! Where a coefficient moves two heads of one problem, that of head y up and that of head l down
//! ([`Free::between`]), its v is (K_m c_y)_i − (K_m c_l)_i, the entry of two of them in K_FF is
//! K_ij ([y = y'] − [y = l'] − [l = y'] + [l = l']), and the sum of each head is fixed. Problems add up. Cost: one pass over the rows of support vectors in all kernels, |F|³/3 + |F|² M + |F| M²
//! for each binary problem.

use crate::bank::{Bank, Known};
use crate::machine::{Block, Free, Solution};
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
    let told =
        |b: &Block, f: &&Free| b.heads.len() == 1 || !f.between.is_empty() || f.rows.is_empty();
    let free = machines.blocks.iter().map(|b| b.free.as_ref().filter(|f| told(b, f)));
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
    known: Option<&Known>,
    pass: &Pass<'_>,
) -> Sides {
    let coefs = machines.coefs();
    let mut forms = vec![vec![0.0; bank.len()]; coefs.len()];
    let mut places = vec![0; bank.len()];
    seen.iter().enumerate().for_each(|(place, m)| places[*m] = place);
    // The problem of each head, and which of its heads it is.
    let heads = machines.blocks.iter().enumerate();
    let heads: Vec<(usize, u32)> =
        heads.flat_map(|(b, block)| (0..block.heads.len() as u32).map(move |h| (b, h))).collect();
    let mut columns: Vec<Vec<f64>> = (free.iter())
        .map(|f| {
            let mut columns = Vec::with_capacity(f.rows.len() * (seen.len() + fixed(f)));
            columns.resize(f.rows.len() * seen.len(), 0.0);
            columns
        })
        .collect();
    let visit = |k: usize, u: usize, product: &[f64]| {
        let terms = coefs[u].iter().zip(product).filter(|(c, _)| **c != 0.0);
        forms[u][k] = terms.map(|(c, p)| c * p).sum();
        let (block, head) = heads[u];
        let (f, size) = (free[block], free[block].rows.len());
        let column = columns[block][places[k] * size..][..size].iter_mut().zip(&f.rows);
        match f.between.is_empty() {
            true => column.for_each(|(v, i)| *v = product[*i as usize]),
            false => column.zip(&f.between).for_each(|((v, i), (up, down))| {
                let sign = f64::from(u8::from(*up == head)) - f64::from(u8::from(*down == head));
                *v += sign * product[*i as usize];
            }),
        }
    };
    match (known, &coefs[..]) {
        (Some(known), [coef]) => {
            let mut visit = visit;
            known.each(bank, seen, coef, pass, |k, product| visit(k, 0, product));
        }
        _ => bank.products_of(seen, &coefs, pass, visit),
    }
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

/// How many sums are fixed, at most.
fn fixed(free: &Free) -> usize {
    match free.between.is_empty() {
        true => 2,
        false => free.between.iter().fold(0, |a, (y, l)| a.max(*y).max(*l)) as usize + 1,
    }
}

/// K_FF of one problem, factored; `None` if that failed or the pass was given up.
fn factored(free: &Free, row: &Row<'_>, pass: &Pass<'_>) -> Option<Cholesky> {
    // An instance may move several pairs of heads.
    let mut rows = free.rows.clone();
    rows.dedup();
    let wide = rows.len();
    let mut block = vec![0.0; wide * wide];
    for (out, &i) in block.chunks_mut(wide.max(1)).zip(&rows) {
        if pass.is_over() {
            return None;
        }
        row(i as usize, &rows, out);
    }
    let f = free.rows.len();
    if !free.between.is_empty() {
        let mut place = 0;
        let mut places = Vec::with_capacity(f);
        for i in &free.rows {
            place += usize::from(rows[place] != *i);
            places.push(place);
        }
        let one = |same: bool| f64::from(u8::from(same));
        let mut spread = vec![0.0; f * f];
        let lines = spread.par_chunks_mut(f.max(1)).zip(&free.between).zip(&places);
        lines.for_each(|((line, (y, l)), at)| {
            let values = &block[at * wide..(at + 1) * wide];
            for ((out, (z, k)), to) in line.iter_mut().zip(&free.between).zip(&places) {
                let sign = one(y == z) - one(y == k) - one(l == z) + one(l == k);
                *out = sign * values[*to];
            }
        });
        block = spread;
    }
    for (k, ridge) in free.ridge.iter().enumerate() {
        block[k * f + k] += ridge;
    }
    Cholesky::with_ridge(f, &block)
}

/// The Hessian of one problem; `None` if the factorisation failed or the pass was given up.
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
    if !free.between.is_empty() {
        let one = |same: bool| f64::from(u8::from(same));
        for head in 0..fixed(free) as u32 {
            sides.extend(free.between.iter().map(|(y, l)| one(*y == head) - one(*l == head)));
        }
    } else if free.sum {
        sides.resize(f * (m + 1), 1.0);
    }
    sides.extend(&free.also);
    let columns = sides.len() / f;
    factor.forward(&mut sides, columns);
    let (w, fixed) = sides.split_at_mut(f * m);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    // What is left of each fixed sum without those before it: its length, and how much of each column lies along it.
    let mut along: Vec<(f64, Vec<f64>)> = Vec::new();
    for k in 0..fixed.len() / f {
        let (before, rest) = fixed.split_at_mut(k * f);
        let own = &mut rest[..f];
        let size = dot(own, own);
        for (a, (length, _)) in before.chunks(f).zip(&along) {
            let share = dot(a, own) / length;
            own.iter_mut().zip(a).for_each(|(b, a)| *b -= share * a);
        }
        let left = dot(own, own);
        // A sum that is one of the others: all signs are the same, or the last head.
        let length = if left > 1e-12 * size { left } else { f64::INFINITY };
        along.push((length, w.chunks(f).map(|w| dot(w, own)).collect()));
    }
    hessian.par_chunks_mut(m).enumerate().for_each(|(k, out)| {
        for (l, h) in out.iter_mut().enumerate() {
            let whole = dot(&w[k * f..(k + 1) * f], &w[l * f..(l + 1) * f]);
            *h = along.iter().fold(whole, |h, (length, part)| h - part[k] * part[l] / length);
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
    /// `None` if it cannot be had: the kernels are others, a second sum is fixed, coefficients move two heads, a
    /// factorisation failed, the pass was given up.
    pub(super) fn new(
        bank: &'a Bank,
        machines: &'a Solution,
        row: &Row<'_>,
        pass: &'a Pass<'a>,
    ) -> Option<Self> {
        let coefs = machines.coefs();
        let mut blocks = Vec::new();
        // One head each: others are told below.
        for (free, coef) in free(machines)?.into_iter().zip(coefs) {
            if !free.also.is_empty() || !free.between.is_empty() {
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Classes, Matrix, Posteriors, Target, Views};
    use crate::kernel::KernelSpec;
    use crate::machine::{How, MachineSpec};
    use crate::run::{Run, late_watch};
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
        let free = Free { rows: (0..8).collect(), sum: true, ..Free::default() };
        let watch = late_watch();
        assert!(part(vec![1.0; 8], &free, 1, &row, &Pass::under(&watch)).is_none());
        assert_eq!(read.load(Ordering::Relaxed), 0);
        assert!(part(vec![1.0; 8], &free, 1, &row, &Pass::default()).is_some());
        assert_eq!(read.load(Ordering::Relaxed), 8);
    }

    /// Every machine that says what moves: the Hessian is the change of the gradient −½ Σ_u q_m^u between two machines.
    #[test]
    fn the_hessian_is_the_change_of_the_gradient() {
        let n = 48;
        let noise = |i: usize, j: usize| ((i * 13 + j * 29 + 5) as f64).sin();
        let shift = |i: usize, j: usize| if i % 3 == j { 1.3 } else { 0.0 };
        let x = Matrix::from_fn(n, 3, |i, j| noise(i, j) + shift(i, j));
        let z = Matrix::from_fn(n, 4, |i, j| noise(i, j + 7) + shift(i, j));
        let views = Views::new().dense("x", x).unwrap().dense("z", z).unwrap();
        let specs: Vec<KernelSpec> =
            ["gaussian@x:gamma=0.4", "gaussian@z:gamma=0.2", "laplacian@x:gamma=0.3"]
                .iter()
                .map(|s| s.parse().unwrap())
                .collect();
        let bank = Bank::build(&views, &specs, Storage::Resident, &Run::default()).unwrap();
        let labels: Vec<String> = (0..n).map(|i| format!("c{}", i % 3)).collect();
        let classes = Target::Classes(Classes::from_texts(&labels).unwrap());
        let numbers = Target::Real((0..n).map(|i| noise(i, 40) + shift(i, 0)).collect());
        let share = |i: usize, l: usize| match l == i % 3 {
            true => 0.5 + 0.4 * noise(i, 3).abs(),
            false => 0.25 - 0.2 * noise(i, 3).abs(),
        };
        let shares = (0..n).flat_map(|i| (0..3).map(move |l| share(i, l))).collect();
        let posteriors = Posteriors::new(Classes::from_texts(&labels).unwrap(), shares).unwrap();
        let posteriors = Target::Posteriors(posteriors);
        let (run, all, pass) = (Run::default(), [0, 1, 2], Pass::default());
        for (text, target) in [
            ("svc:c=2", &classes),
            ("squared_hinge_svc:c=2", &classes),
            ("kernel_logistic:c=2", &classes),
            ("joint_svc:c=0.5", &classes),
            ("joint_svc:c=20", &classes),
            ("posterior_svm:c=2", &posteriors),
            ("svr:c=2:epsilon=0.1", &numbers),
            // With a tube of some width, and of none.
            ("nu_svr:c=2:nu=0.1", &numbers),
            ("nu_svr:c=2:nu=0.4", &numbers),
            ("kernel_ridge:lambda=0.3", &numbers),
        ] {
            let machine = text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
            let solve = |weights: &[f64]| {
                let gram = bank.combine(weights).unwrap();
                let how = How { tol: Some(1e-13), ..How::new(&run) };
                (machine.solve(&gram, target, &how).unwrap(), gram)
            };
            let gradient = |weights: &[f64]| -> Vec<f64> {
                let forms = bank.quad_forms(&solve(weights).0.coefs());
                (0..3).map(|m| -0.5 * forms.iter().map(|q| q[m]).sum::<f64>()).collect()
            };
            let weights = [0.5, 0.3, 0.4];
            let (machines, gram) = solve(&weights);
            let row = |i: usize, columns: &[u32], out: &mut [f64]| {
                out.iter_mut().zip(columns).for_each(|(o, j)| *o = gram.row(i)[*j as usize]);
            };
            let free = free(&machines).unwrap();
            let sides = sides(&bank, &all, &machines, &free, None, &pass);
            let found = hessian(3, &all, sides, &free, &row, &pass).unwrap();
            let largest = found.iter().fold(0.0_f64, |a, h| a.max(h.abs()));
            let h = 1e-4;
            for l in 0..3 {
                let at = |h: f64| {
                    gradient(&std::array::from_fn::<f64, 3, _>(|m| {
                        weights[m] + if m == l { h } else { 0.0 }
                    }))
                };
                let (more, less) = (at(h), at(-h));
                for m in 0..3 {
                    let change = (more[m] - less[m]) / (2.0 * h);
                    let off = (found[m * 3 + l] - change).abs() / largest;
                    assert!(off < 2e-3, "{text} {m} {l}: {} {change}", found[m * 3 + l]);
                }
            }
        }
    }
}
