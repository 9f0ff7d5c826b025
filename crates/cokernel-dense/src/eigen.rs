//! Eigenpairs of symmetric matrices.

use super::products::{below_diagonal, transpose};
use super::tridiagonal::Reduced;
use super::{Slice, leading};
use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use faer::{MatMut, MatRef, Par};

/// Size from which a few eigenpairs are found without the others.
const FEW: usize = 32;

/// Size from which a matrix is reduced by what is ours, which can be given up: the time of faer's up to here (200 to 2,000
/// rows: 0.9 to 1.1 of it), less above (3,000: 0.6).
const REDUCED: usize = 800;

/// All eigenvalues in ascending order, of a symmetric matrix of finite numbers of which the lower
/// triangle is read; their eigenvectors as columns into `vectors` (n × n, row-major). `None` if the
/// iteration did not converge. O(n³), one thread but for the vectors of large matrices.
pub fn symmetric_eigen(a: Slice<'_>, vectors: &mut [f64]) -> Option<Vec<f64>> {
    symmetric_eigen_while(a, vectors, &|| true)
}

/// [`symmetric_eigen`] that is given up, `None`, where `going` says no: it is asked before each block of a large matrix.
pub fn symmetric_eigen_while(
    a: Slice<'_>,
    vectors: &mut [f64],
    going: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<f64>> {
    let (values, found) = eigen(a, going)?;
    // Rows become columns.
    transpose(&found, a.rows.max(1), vectors);
    Some(values)
}

/// The least and the largest eigenvalue of a symmetric matrix of finite numbers, n ≥ 1, of which the lower triangle is read;
/// `None` where `going` said no. 4/3 n³, one thread.
pub fn extreme_eigenvalues_while(
    a: Slice<'_>,
    going: &(dyn Fn() -> bool + Sync),
) -> Option<(f64, f64)> {
    if a.rows == 1 {
        return Some((a.values[0], a.values[0]));
    }
    leading::ends(a, going)
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
    leading_eigen_while(a, k, least, vectors, &|| true)
}

/// [`leading_eigen`] that is given up, `None`, where `going` says no.
pub fn leading_eigen_while(
    a: Slice<'_>,
    k: usize,
    least: bool,
    vectors: &mut [f64],
    going: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<f64>, f64)> {
    let n = a.rows;
    if n >= FEW
        && 3 * k <= n
        && let Some((mut values, found)) = leading::leading(a, k, least, going)
    {
        let least = values.get(k).copied().unwrap_or(f64::NAN);
        values.truncate(k);
        write(vectors, k, |i, j| found[j * n + i]);
        return Some((values, least));
    }
    let (mut values, found) = eigen(a, going)?;
    let least = values.first().copied().unwrap_or(f64::NAN);
    values.reverse();
    values.truncate(k);
    write(vectors, k, |i, j| found[(n - 1 - j) * n + i]);
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
    let (mut values, found) = eigen(Slice::new(&a, n, n), &|| true)?;
    values.reverse();
    values.truncate(k + 1);
    write(&mut vectors, k, |i, j| found[(n - 1 - j) * n + i]);
    Some((values, vectors))
}

/// How many eigenvalues of a symmetric n × n matrix of finite numbers of the order of 1, row-major, are greater than
/// a bound: the positive pivots of its tridiagonal form less the bound (Sylvester's law of inertia); `None` where `going` said no.
/// 4/3 n³.
pub fn count_above(
    n: usize,
    a: Vec<f64>,
    bound: f64,
    going: &(dyn Fn() -> bool + Sync),
) -> Option<usize> {
    if n == 0 {
        return Some(0);
    }
    let Reduced { d, e, .. } = Reduced::new(n, a, going)?;
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
    Some(above)
}

/// Entry (i, j) of a row-major matrix with `cols` columns, for all i and j.
fn write(out: &mut [f64], cols: usize, entry: impl Fn(usize, usize) -> f64) {
    for (i, row) in out.chunks_exact_mut(cols.max(1)).enumerate() {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = entry(i, j));
    }
}

/// All eigenvalues, ascending, and their vectors one after the other.
fn eigen(a: Slice<'_>, going: &(dyn Fn() -> bool + Sync)) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = a.rows;
    if n == 0 {
        return Some((Vec::new(), Vec::new()));
    }
    let (mut values, mut vectors) = (vec![0.0; n], vec![0.0; n * n]);
    let into = MatMut::from_column_major_slice_mut(&mut vectors, n, n);
    let par = Par::Seq;
    let scratch =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, par, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let (memory, options) = (MemStack::new(&mut memory), Default::default());
    let s = DiagMut::from_slice_mut(&mut values);
    let (upper, scale) = leading::scaled(a);
    if n < REDUCED {
        let lower = MatRef::from_column_major_slice(&upper, n, n);
        self_adjoint_evd(lower, s, Some(into), par, memory, options).ok()?;
        values.iter_mut().for_each(|v| *v *= scale);
        return Some((values, vectors));
    }
    let reduced = Reduced::new(n, upper, going)?;
    let mut beside = reduced.e.clone();
    beside.push(0.0);
    let (d, e) = (DiagRef::from_slice(&reduced.d), DiagRef::from_slice(&beside));
    tridiagonal_self_adjoint_evd(d, e, s, Some(into), par, memory, options).ok()?;
    reduced.apply(&mut vectors, going)?;
    values.iter_mut().for_each(|v| *v *= scale);
    Some((values, vectors))
}
