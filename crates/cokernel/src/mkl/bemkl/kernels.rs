//! What the sweeps of [`bemkl`](super) ask of the kernels: Σ_m K_m g_m, all K_m a, and once Σ_m K_m diag(w) K_m.
//!
//! A kernel of small rank r, as one of a single feature is (rank 30 of 1,000 instances), is kept as K = TᵀT with T r × n, which
//! costs 2 r n a product for the n²/2 of the others; T is taken where TᵀT is K up to rounding.

use crate::bank::Gram;
use crate::data::Matrix;
use crate::mkl::bayes::Instances;
use crate::run::Pass;
use crate::solve::Rows;
use crate::solve::low_rank::factor;
use crate::{Error, Result, Watch};
use cokernel_dense::{
    Slice, add_gram_below, add_product_tn, mirror_below, product_nn, product_nt, simd,
};

/// Ranks up to this part of the instances are small: a trial that finds a larger one has cost 1/256 of a product of matrices.
const PART: usize = 16;

/// Difference of TᵀT and K, of the largest entry on the diagonal.
const ROUNDING: f64 = 1e-12;

/// The kernels.
pub(super) struct Kernels<'a> {
    pub instances: &'a Instances<'a>,
    watch: &'a Watch,
    /// Those that the bank multiplies.
    wide: Vec<usize>,
    /// The others with T, in units, a column for each instance that takes part.
    thin: Vec<(usize, Matrix)>,
    /// Σ_m K_m diag(w) K_m in units, lower triangle and upper.
    pub squares: Vec<f64>,
}

impl<'a> Kernels<'a> {
    /// Looks at each kernel once; after a stop they are not to be used.
    pub fn new(instances: &'a Instances<'a>, watch: &'a Watch) -> Result<Self> {
        let (n, count) = (instances.n(), instances.bank.len());
        let roots: Vec<f64> = instances.weights.iter().map(|w| w.sqrt()).collect();
        let scales: Vec<f64> = roots.iter().map(|r| r / instances.unit).collect();
        let mut squares = vec![0.0; n * n];
        let (mut wide, mut thin) = (Vec::new(), Vec::new());
        let pass = Pass::under(watch);
        let (mut kernel, mut own) = (instances.bank.new_gram()?, Vec::with_capacity(n * n));
        for m in 0..count {
            let mut only = vec![0.0; count];
            only[m] = 1.0;
            instances.bank.combine_into_in(&only, &mut kernel, &pass);
            if pass.is_given_up() || watch.stop().is_some() {
                break;
            }
            if let Some(t) = small(instances, &kernel, watch) {
                add_square_of(&t, &roots, &mut squares);
                thin.push((m, t));
                continue;
            }
            own.clear();
            for i in &instances.rows {
                let columns = instances.rows.iter().zip(&scales);
                own.extend(columns.map(|(j, r)| r * kernel.row(*i)[*j]));
            }
            add_gram_below(1.0, Slice::new(&own, n, n), &mut squares);
            wide.push(m);
        }
        mirror_below(n, &mut squares);
        if squares.iter().any(|v| !v.is_finite()) {
            return Err(Error::Data(
                "squares of the kernels overflow; normalise them (normalize=unit_diagonal)"
                    .to_string(),
            ));
        }
        Ok(Kernels { instances, watch, wide, thin, squares })
    }

    /// Σ_m K_m (w g_m) of each decision function, whose g are kernels × instances.
    pub fn sums(&self, g: &[Matrix]) -> Vec<Vec<f64>> {
        let (instances, all) = (self.instances, self.instances.bank.n());
        let weighted = |g: &Matrix, m: usize| -> Vec<f64> {
            g.row(m).iter().zip(&instances.weights).map(|(v, w)| v * w).collect()
        };
        let spread = |g: &Matrix| {
            let mut rows = Vec::with_capacity(self.wide.len() * all);
            self.wide.iter().for_each(|m| rows.extend(instances.spread(&weighted(g, *m))));
            Matrix::from_fn(self.wide.len(), all, |a, i| rows[a * all + i])
        };
        let vectors: Vec<Matrix> = g.iter().map(spread).collect();
        let pass = Pass::under(self.watch);
        let found = instances.bank.sums_of_products(&self.wide, &vectors, &pass);
        let own = |(g, found): (&Matrix, &[f64])| {
            let mut sum: Vec<f64> =
                instances.rows.iter().map(|i| found[*i] / instances.unit).collect();
            self.thin.iter().for_each(|(m, t)| add_product(t, &weighted(g, *m), &mut sum));
            sum
        };
        g.iter().zip(found.chunks(all)).map(own).collect()
    }

    /// K_m a of each decision function into row m of its matrix.
    pub fn products(&self, a: &[&[f64]], into: &mut [Matrix]) {
        let instances = self.instances;
        let unit = |a: &&[f64]| -> Vec<f64> {
            instances.spread(&a.iter().map(|v| v / instances.unit).collect::<Vec<_>>())
        };
        let spread: Vec<Vec<f64>> = a.iter().map(unit).collect();
        let coefs: Vec<&[f64]> = spread.iter().map(Vec::as_slice).collect();
        let pass = Pass::under(self.watch);
        instances.bank.products_of(&self.wide, &coefs, &pass, |m, u, found| {
            let row = into[u].row_mut(m);
            row.iter_mut().zip(&instances.rows).for_each(|(v, i)| *v = found[*i]);
        });
        for (a, into) in a.iter().zip(into) {
            for (m, t) in &self.thin {
                let row = into.row_mut(*m);
                row.fill(0.0);
                add_product(t, a, row);
            }
        }
    }
}

/// T of the instances that take part, if the rank is small.
fn small(instances: &Instances<'_>, kernel: &Gram, watch: &Watch) -> Option<Matrix> {
    let (n, unit) = (instances.n(), instances.unit);
    let (l, rank) = factor(kernel, &kernel.diagonal(), unit, n / PART, watch)?;
    let t = Matrix::from_fn(rank, n, |k, i| l[instances.rows[i] * rank + k]);
    let mut product = vec![0.0; n * n];
    add_product_tn(Slice::from(&t), Slice::from(&t), &mut product);
    let largest = instances.rows.iter().fold(0.0_f64, |a, i| a.max(kernel.row(*i)[*i]));
    let same = |(i, product): (&usize, &[f64])| {
        let row = kernel.row(*i);
        let mut pairs = instances.rows.iter().zip(product);
        pairs.all(|(j, p)| (unit * p - row[*j]).abs() <= ROUNDING * largest)
    };
    instances.rows.iter().zip(product.chunks(n)).all(same).then_some(t)
}

/// out += Tᵀ T diag(w) Tᵀ T, w given by its roots.
fn add_square_of(t: &Matrix, roots: &[f64], out: &mut [f64]) {
    let (rank, n) = (t.rows(), t.cols());
    let weighted = Matrix::from_fn(rank, n, |k, i| roots[i] * t.get(k, i));
    let mut inner = vec![0.0; rank * rank];
    product_nt(Slice::from(&weighted), Slice::from(&weighted), &mut inner);
    let mut side = vec![0.0; rank * n];
    product_nn(Slice::new(&inner, rank, rank), Slice::from(t), &mut side);
    add_product_tn(Slice::from(t), Slice::new(&side, rank, n), out);
}

/// sum += Tᵀ T v.
fn add_product(t: &Matrix, v: &[f64], sum: &mut [f64]) {
    let rows = (0..t.rows()).map(|k| t.row(k));
    let terms: Vec<(f64, &[f64])> = rows.map(|row| (simd::dot(row, v), row)).collect();
    simd::weighted_sum_near(&terms, sum);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::{Bank, Storage};

    /// Kernels of small and of full rank beside plain loops, with weights and an instance that takes no part.
    #[test]
    fn small_ranks_are_taken_for_what_they_are() {
        let n = 200;
        let x = |i: usize| (i as f64 * 0.7).sin();
        let matrix = |m: usize| {
            Matrix::from_fn(n, n, |i, j| match m {
                0 => 3.0 * (-0.2 * (x(i) - x(j)).powi(2)).exp(),
                1 => (-0.2 * (x(i) - x(j)).powi(2)).exp() + f64::from(u8::from(i == j)),
                // Its diagonal says rank 1, and is wrong.
                _ => f64::from(u8::from(i == j && i == 0 || i + j == n && i * j > 0)),
            })
        };
        let matrices: Vec<Matrix> = (0..3).map(matrix).collect();
        let named = matrices.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone()));
        let bank = Bank::from_matrices(named.collect(), Storage::Resident).unwrap();
        let rows: Vec<usize> = (0..n).filter(|i| *i != 7).collect();
        let weights: Vec<f64> = rows.iter().map(|i| 1.0 + 0.5 * (i % 2) as f64).collect();
        let (count, unit) = (rows.len(), 1.7);
        let instances = Instances { bank: &bank, rows: rows.clone(), weights, unit };
        let watch = Run::default().watch();
        let kernels = Kernels::new(&instances, &watch).unwrap();
        assert_eq!(kernels.wide, [1, 2]);
        assert!(kernels.thin[0].1.rows() <= count / PART);
        let entry = |m: usize, i: usize, j: usize| matrices[m].get(rows[i], rows[j]) / unit;
        let w = &instances.weights;
        for (i, j) in [(0, 0), (3, 150), (198, 40), (60, 61)] {
            let one = |m: usize, l: usize| entry(m, i, l) * w[l] * entry(m, l, j);
            let want: f64 = (0..3).flat_map(|m| (0..count).map(move |l| one(m, l))).sum();
            let found = kernels.squares[i * count + j];
            assert!((found - want).abs() < 1e-9 * want.abs().max(1.0), "{i} {j}: {found} {want}");
        }
        let g = Matrix::from_fn(3, count, |m, i| ((i * (m + 1)) as f64 * 0.3).cos());
        let sums = kernels.sums(&[g.clone(), g.clone()]);
        let a: Vec<f64> = (0..count).map(|i| (0.3 + i as f64 * 0.11).sin()).collect();
        let mut into = vec![Matrix::zeros(3, count)];
        kernels.products(&[&a], &mut into);
        for i in [0, 6, 7, 100, 198] {
            let one = |m: usize, l: usize| entry(m, i, l) * w[l] * g.get(m, l);
            let want: f64 = (0..3).flat_map(|m| (0..count).map(move |l| one(m, l))).sum();
            assert!((sums[0][i] - want).abs() < 1e-10 && sums[0] == sums[1], "{i} {want}");
            for m in 0..3 {
                let want: f64 = (0..count).map(|l| entry(m, i, l) * a[l]).sum();
                assert!((into[0].get(m, i) - want).abs() < 1e-10, "{m} {i} {want}");
            }
        }
    }
}
