//! Eigenpairs of symmetric matrices.

use super::products::below_diagonal;
use super::tridiagonal::Reduced;
use super::{Slice, leading};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};

/// Size from which a few eigenpairs are found without the others.
const FEW: usize = 32;

/// All eigenvalues in ascending order, of a symmetric matrix of finite numbers of which the lower
/// triangle is read; their eigenvectors as columns into `vectors` (n × n, row-major). `None` if the
/// iteration did not converge. O(n³), one thread: meant for small n.
pub fn symmetric_eigen(a: Slice<'_>, vectors: &mut [f64]) -> Option<Vec<f64>> {
    let (values, found) = eigen(a)?;
    write(vectors, a.rows, |i, j| found[(i, j)]);
    Some(values)
}

/// The k largest eigenvalues, 1 ≤ k ≤ n, descending, and if it is wanted the `least` of all, of a
/// symmetric matrix of finite numbers of which the lower triangle is read; the eigenvectors of the
/// k as columns into `vectors` (n × k, row-major). `None` if the iteration did not converge. O(n³),
/// but with few k a fraction of the time of [`symmetric_eigen`].
pub fn leading_eigen(
    a: Slice<'_>,
    k: usize,
    least: bool,
    vectors: &mut [f64],
) -> Option<(Vec<f64>, f64)> {
    let n = a.rows;
    if n >= FEW
        && 3 * k <= n
        && let Some((mut values, found)) = leading::leading(a, k, least)
    {
        let least = values.get(k).copied().unwrap_or(f64::NAN);
        values.truncate(k);
        write(vectors, k, |i, j| found[j * n + i]);
        return Some((values, least));
    }
    let (mut values, found) = eigen(a)?;
    let least = values.first().copied().unwrap_or(f64::NAN);
    values.reverse();
    values.truncate(k);
    write(vectors, k, |i, j| found[(i, n - 1 - j)]);
    Some((values, least))
}

/// The k + 1 largest eigenvalues, descending, and the eigenvectors of k as columns (n × k, row-major), of a symmetric matrix of
/// finite numbers, row-major, of which the entries from the diagonal on are read; 1 ≤ k < n. `None` if the iteration did not
/// converge, or few pairs were not found as precisely as by a full decomposition.
pub fn leading_of_upper(n: usize, mut a: Vec<f64>, k: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut vectors = vec![0.0; n * k];
    if n >= FEW && 3 * k <= n {
        let (values, found) = leading::leading_of_upper(n, a, k)?;
        write(&mut vectors, k, |i, j| found[j * n + i]);
        return Some((values, vectors));
    }
    below_diagonal(n, |i, j| a[i * n + j] = a[j * n + i]);
    let (mut values, found) = eigen(Slice::new(&a, n, n))?;
    values.reverse();
    values.truncate(k + 1);
    write(&mut vectors, k, |i, j| found[(i, n - 1 - j)]);
    Some((values, vectors))
}

/// How many eigenvalues of a symmetric n × n matrix of finite numbers of the order of 1, row-major, are greater than
/// a bound: the positive pivots of its tridiagonal form less the bound (Sylvester's law of inertia). 4/3 n³.
pub fn count_above(n: usize, a: Vec<f64>, bound: f64) -> usize {
    if n == 0 {
        return 0;
    }
    let Reduced { d, e, .. } = Reduced::new(n, a);
    let mut pivot = 1.0_f64;
    let mut above = 0;
    for i in 0..n {
        let beside = if i == 0 { 0.0 } else { e[i - 1] * e[i - 1] / pivot };
        pivot = d[i] - bound - beside;
        if pivot.abs() < f64::MIN_POSITIVE {
            pivot = -f64::EPSILON;
        }
        above += usize::from(pivot > 0.0);
    }
    above
}

/// Entry (i, j) of a row-major matrix with `cols` columns, for all i and j.
fn write(out: &mut [f64], cols: usize, entry: impl Fn(usize, usize) -> f64) {
    for (i, row) in out.chunks_exact_mut(cols.max(1)).enumerate() {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = entry(i, j));
    }
}

fn eigen(a: Slice<'_>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.rows;
    if n == 0 {
        return Some((Vec::new(), Mat::zeros(0, 0)));
    }
    let mut vectors = Mat::<f64>::zeros(n, n);
    let mut values = vec![0.0; n];
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(
        n,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    ));
    self_adjoint_evd(
        a.faer(),
        DiagMut::from_slice_mut(&mut values),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .ok()?;
    Some((values, vectors))
}
