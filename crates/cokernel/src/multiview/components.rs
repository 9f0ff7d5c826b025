//! Leading singular vectors of a table of features: principal components of an embedding, for
//! pictures ([`project`]), and latent semantic analysis of documents ([`lsa`]).
//!
//! With X = U Σ Vᵀ, singular values descending, both give the first columns of U Σ = X V:
//!
//! | | X | columns |
//! |---|---|---|
//! | [`project`] | rows minus their mean | always as many as asked for, zeros beyond the rank |
//! | [`lsa`] | as it is, dense or sparse | as many as asked for, at most the rank |
//!
//! The rank is the number of singular values above 10⁻⁶ of the largest. Each column is oriented so
//! that its entry of the largest magnitude (the first of them, should several agree to eight
//! digits) is positive.
//!
//! Source: Deerwester, Dumais, Furnas, Landauer, Harshman, *JASIS* 41, 1990 (LSA), which LMS §3.4
//! applies to the Reuters documents before similarities are computed. LMS does not say whether
//! terms are weighted first; nothing is weighted or centred here.
//!
//! Method: eigenvectors of X Xᵀ or XᵀX, whichever is smaller, applied as X(XᵀB) or Xᵀ(XB) and
//! never formed. Squaring loses singular values below 10⁻⁸ of the largest, hence the rule for the
//! rank. Cost: some dozens of products of X and Xᵀ with 8 columns each; memory of one transposed
//! copy of a sparse table and about max(120, 4 dims) columns.

use crate::data::{Csr, Matrix, Table, side_by_side};
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{orient, top_eigenpairs};
use crate::{Counts, Error, Event, Result, Run, Status, Watch};
use rayon::prelude::*;

use super::laplacian::precise;

/// Singular values below this share of the largest count as zero.
const ZERO: f64 = 1e-6;

/// The first `dims` principal components of the rows: n × `dims`, columns of mean 0 in order of
/// descending variance. Columns beyond the rank are 0.
///
/// # Errors
/// `dims` is 0; there is no row; a value is not finite; time ran out or the user stopped.
pub fn project(rows: &Matrix, dims: usize, run: &Run) -> Result<Matrix> {
    let (n, d) = (rows.rows(), rows.cols());
    check(n, d, dims)?;
    let mut mean = vec![0.0; d];
    for i in 0..n {
        mean.iter_mut().zip(rows.row(i)).for_each(|(m, v)| *m += v / n as f64);
    }
    let centred = Matrix::from_fn(n, d, |i, j| rows.get(i, j) - mean[j]);
    // Rounding of the mean must not be taken for variance.
    let largest = rows.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let spread = centred.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if spread <= 1e-13 * largest {
        return Ok(Matrix::zeros(n, dims));
    }
    let found = scores(&Factor::Dense(&centred), dims, "principal components", run)?;
    let c = found.cols();
    Ok(Matrix::from_fn(n, dims, |i, j| if j < c { found.get(i, j) } else { 0.0 }))
}

/// Latent semantic analysis: the rows of U Σ of the n × d table of features, not centred, for its
/// `dims` largest singular values; fewer columns if the rank is less.
///
/// # Errors
/// `dims` is 0; the table holds similarities, nothing but zeros, or a value that is not finite;
/// time ran out or the user stopped.
pub fn lsa(table: &Table, dims: usize, run: &Run) -> Result<Matrix> {
    check(table.rows(), table.cols(), dims)?;
    let what = "latent semantic analysis";
    let scores = match table {
        Table::Dense(m) => scores(&Factor::Dense(m), dims, what, run),
        Table::Sparse(m) => scores(&Factor::Sparse(m, m.transposed()), dims, what, run),
        Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => {
            let problem = "latent semantic analysis: expected a table of features, found";
            return Err(Error::Data(format!("{problem} {}", table.words())));
        }
    }?;
    if scores.cols() == 0 {
        return Err(Error::Data("latent semantic analysis: the table holds only zeros".into()));
    }
    Ok(scores)
}

fn check(n: usize, d: usize, dims: usize) -> Result<()> {
    if dims == 0 {
        return Err(Error::parameter("dims", "expected at least 1, found 0"));
    }
    if n == 0 || d == 0 {
        let found = format!("{n} × {d}");
        return Err(Error::shape("table", "at least one row and one column", found));
    }
    Ok(())
}

/// X, and Xᵀ where products need it.
enum Factor<'a> {
    Dense(&'a Matrix),
    Sparse(&'a Csr, Csr),
}

impl Factor<'_> {
    fn size(&self) -> (usize, usize) {
        match self {
            Factor::Dense(x) => (x.rows(), x.cols()),
            Factor::Sparse(x, _) => (x.rows(), x.cols()),
        }
    }

    /// X B.
    fn times(&self, b: &Matrix) -> Matrix {
        match self {
            Factor::Dense(x) => dense::product(Slice::of(*x), Slice::of(b)),
            Factor::Sparse(x, _) => sparse_product(x, b),
        }
    }

    /// XᵀB.
    fn transposed_times(&self, b: &Matrix) -> Matrix {
        match self {
            Factor::Dense(x) => dense::gram_tn(Slice::of(*x), Slice::of(b)),
            Factor::Sparse(_, xt) => sparse_product(xt, b),
        }
    }
}

/// A B for a sparse A, in parallel over its rows.
fn sparse_product(a: &Csr, b: &Matrix) -> Matrix {
    let k = b.cols();
    let mut out = Matrix::zeros(a.rows(), k);
    if k > 0 {
        out.values_mut().par_chunks_mut(k).enumerate().for_each(|(i, target)| {
            let (columns, values) = a.row(i);
            for (&j, v) in columns.iter().zip(values) {
                target.iter_mut().zip(b.row(j as usize)).for_each(|(t, x)| *t += v * x);
            }
        });
    }
    out
}

/// The right singular vectors of a table whose singular values are not zero.
pub(super) struct Principal {
    /// V, d × rank.
    pub(super) directions: Matrix,
    /// σ² of each, descending.
    pub(super) squares: Vec<f64>,
    pub(super) counts: Counts,
}

/// V of a centred table, `dims` columns at most, for singular values above `floor`. Those below 10⁻⁶ of the largest,
/// which squares do not tell, are those of what the directions before leave of the table.
///
/// # Errors
/// A value is not finite; time ran out or the user stopped.
pub(super) fn principal(
    centred: &Matrix,
    dims: usize,
    floor: f64,
    run: &Run,
    watch: &Watch,
) -> Result<Principal> {
    let mut found = leading(centred, dims, run)?;
    let most = dims.min(centred.rows()).min(centred.cols());
    while found.squares.len() < most {
        let v = &found.directions;
        let along = dense::product(Slice::of(centred), Slice::of(v));
        let explained = dense::product(Slice::of(&along), Slice::of(&v.transposed()));
        let rest = Matrix::from_fn(centred.rows(), centred.cols(), |i, j| {
            centred.get(i, j) - explained.get(i, j)
        });
        if rest.values().iter().map(|v| v * v).sum::<f64>() <= floor * floor {
            break;
        }
        let next = leading(&rest, most - found.squares.len(), &run.remaining(watch))?;
        found.counts.add(&next.counts);
        let kept: Vec<usize> =
            (0..next.squares.len()).filter(|j| next.squares[*j] > floor * floor).collect();
        if kept.is_empty() {
            break;
        }
        // The rounding of what was left is large beside small components.
        let mut new = next.directions.select_cols(&kept);
        for _ in 0..2 {
            let along = dense::gram_tn(Slice::of(v), Slice::of(&new));
            dense::accumulate(&mut new, -1.0, Slice::of(v), Slice::of(&along));
        }
        for j in 0..new.cols() {
            let size = new.col(j).iter().map(|v| v * v).sum::<f64>().sqrt();
            (0..new.rows()).for_each(|i| new.set(i, j, new.get(i, j) / size));
        }
        found.directions = side_by_side(&[v, &new]);
        found.squares.extend(kept.iter().map(|j| next.squares[*j]));
    }
    Ok(found)
}

/// V for singular values above 10⁻⁶ of the largest.
fn leading(centred: &Matrix, dims: usize, run: &Run) -> Result<Principal> {
    let x = Factor::Dense(centred);
    let tall = centred.cols() <= centred.rows();
    let (vectors, squares, counts) = singular(&x, dims, "principal components", run)?;
    let directions = match tall {
        true => vectors,
        false => {
            let mut v = x.transposed_times(&vectors);
            for i in 0..v.rows() {
                v.row_mut(i).iter_mut().zip(&squares).for_each(|(v, s)| *v /= s.sqrt());
            }
            v
        }
    };
    Ok(Principal { directions, squares, counts })
}

/// The columns of U Σ whose singular values are not zero, `dims` at most.
fn scores(x: &Factor<'_>, dims: usize, what: &str, run: &Run) -> Result<Matrix> {
    let (n, d) = x.size();
    let (vectors, squares, _) = singular(x, dims, what, run)?;
    let mut scores = if d <= n {
        x.times(&vectors)
    } else {
        Matrix::from_fn(n, squares.len(), |i, j| vectors.get(i, j) * squares[j].sqrt())
    };
    orient(&mut scores);
    Ok(scores)
}

/// The right singular vectors if the table is tall, else the left ones, whose singular values are not
/// zero, `dims` at most, and the squares of these.
fn singular(
    x: &Factor<'_>,
    dims: usize,
    what: &str,
    run: &Run,
) -> Result<(Matrix, Vec<f64>, Counts)> {
    let (n, d) = x.size();
    let tall = d <= n;
    let k = dims.min(n).min(d);
    let watch = run.watch();
    let mut counts = Counts::default();
    run.tell(Event::Begin { stage: what, total: None });
    let pairs = if tall {
        let apply = |b: &Matrix| x.transposed_times(&x.times(b));
        top_eigenpairs(d, k, &apply, None, &precise(), run, &watch, &mut counts)
    } else {
        let apply = |b: &Matrix| x.times(&x.transposed_times(b));
        top_eigenpairs(n, k, &apply, None, &precise(), run, &watch, &mut counts)
    }?;
    run.tell(Event::End);
    // `Stalled`: the residuals no longer shrink, which at the tolerance of `precise` means that they are
    // at rounding.
    match pairs.status {
        Status::Converged | Status::Stalled => {}
        Status::TimeLimit | Status::Interrupted => {
            return Err(Error::Stopped { status: pairs.status, what: what.to_string() });
        }
        status => return Err(Error::Data(format!("{what}: ended early ({status})"))),
    }
    let limit = ZERO * ZERO * pairs.values[0];
    let rank = pairs.values.iter().take_while(|v| **v > 0.0 && **v > limit).count();
    let kept: Vec<usize> = (0..rank).collect();
    Ok((pairs.vectors.select_cols(&kept), pairs.values[..rank].to_vec(), counts))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::solve::dense::symmetric_eigen;
    use rand::RngExt;

    fn random(n: usize, d: usize, seed: u64) -> Matrix {
        let mut rng = Run::with_seed(seed).rng("components tests");
        // Columns of different lengths, so that singular values are apart.
        Matrix::from_fn(n, d, |_, j| (rng.random::<f64>() - 0.3) / (1.0 + j as f64).sqrt())
    }

    /// U Σ from all eigenvectors of the n × n matrix of inner products.
    fn reference(x: &Matrix, dims: usize) -> Matrix {
        let n = x.rows();
        let inner = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
        let (values, vectors) = symmetric_eigen(&Matrix::from_fn(n, n, inner)).unwrap();
        let length = |j: usize| values[n - 1 - j].max(0.0).sqrt();
        let mut all = Matrix::from_fn(n, dims, |i, j| vectors.get(i, n - 1 - j) * length(j));
        orient(&mut all);
        all
    }

    fn centred(x: &Matrix) -> Matrix {
        let mean = |j| x.col(j).iter().sum::<f64>() / x.rows() as f64;
        let means: Vec<f64> = (0..x.cols()).map(mean).collect();
        Matrix::from_fn(x.rows(), x.cols(), |i, j| x.get(i, j) - means[j])
    }

    fn assert_close(a: &Matrix, b: &Matrix, tol: f64) {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() <= tol, "{x} and {y}");
        }
    }

    /// Every second entry as stored, the others as zeros.
    fn halved(x: &Matrix) -> (Matrix, Csr) {
        let keep = |i: usize, j: usize| (i + 3 * j).is_multiple_of(2);
        let dense =
            Matrix::from_fn(x.rows(), x.cols(), |i, j| if keep(i, j) { x.get(i, j) } else { 0.0 });
        let row = |i: usize| {
            let kept = (0..x.cols()).filter(|j| keep(i, *j));
            kept.map(|j| (j as u32, x.get(i, j))).collect()
        };
        let sparse = Csr::from_rows(x.cols(), (0..x.rows()).map(row).collect()).unwrap();
        (dense, sparse)
    }

    #[test]
    fn both_agree_with_a_full_decomposition() {
        // Tall, wide, and large enough for the iterative search on either side.
        for (n, d) in [(40, 6), (30, 90), (200, 170), (160, 400)] {
            let x = random(n, d, n as u64);
            let run = Run::with_seed(3);
            assert_close(&project(&x, 3, &run).unwrap(), &reference(&centred(&x), 3), 1e-8);
            let (dense, sparse) = halved(&x);
            let want = reference(&dense, 5);
            assert_close(&lsa(&Table::Dense(dense), 5, &run).unwrap(), &want, 1e-8);
            assert_close(&lsa(&Table::Sparse(sparse), 5, &run).unwrap(), &want, 1e-8);
        }
    }

    #[test]
    fn inner_products_are_kept_at_full_rank() {
        let x = random(25, 4, 1);
        let found = lsa(&Table::Dense(x.clone()), 100, &Run::default()).unwrap();
        assert_eq!(found.cols(), 4);
        for i in 0..25 {
            for j in 0..25 {
                let inner =
                    |m: &Matrix| m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum::<f64>();
                assert!((inner(&x) - inner(&found)).abs() < 1e-12);
            }
        }
        // Rank 2 in 150 columns and 150 rows: two columns, by either way of asking.
        let (a, b) = (random(150, 2, 2), random(2, 150, 3));
        let low = Table::Dense(dense::product(Slice::of(&a), Slice::of(&b)));
        assert_eq!(lsa(&low, 30, &Run::default()).unwrap().cols(), 2);
        assert_eq!(lsa(&low, 150, &Run::default()).unwrap().cols(), 2);
    }

    #[test]
    fn pictures_have_all_their_columns() {
        let run = Run::default();
        let line = Matrix::from_fn(7, 2, |i, j| 1e3 + i as f64 * [3.0, 4.0][j]);
        let found = project(&line, 2, &run).unwrap();
        for i in 0..7 {
            // 3-4-5: steps of 5 around the middle row; the first of two largest is positive.
            assert!((found.get(i, 0) - 5.0 * (3.0 - i as f64)).abs() < 1e-9, "{found:?}");
            assert!(found.get(i, 1).abs() < 1e-9);
        }
        assert_eq!(
            project(&Matrix::from_fn(4, 3, |_, j| 0.1 + j as f64), 2, &run).unwrap(),
            Matrix::zeros(4, 2)
        );
        assert_eq!(
            project(&Matrix::from_fn(1, 3, |_, _| 2.0), 2, &run).unwrap(),
            Matrix::zeros(1, 2)
        );
        let moved = project(&random(90, 5, 8), 2, &run).unwrap();
        let negated = Matrix::from_fn(90, 5, |i, j| 7.0 - random(90, 5, 8).get(i, j));
        assert_close(&moved, &project(&negated, 2, &run).unwrap(), 1e-9);
    }

    #[test]
    fn misuse_is_refused() {
        let run = Run::default();
        let x = random(5, 3, 1);
        let sentence = |r: Result<Matrix>| r.unwrap_err().to_string();
        assert!(sentence(project(&x, 0, &run)).contains("'dims'"));
        assert!(sentence(project(&Matrix::zeros(0, 3), 1, &run)).contains("at least one row"));
        assert!(
            sentence(lsa(&Table::Similarity(random(3, 3, 1)), 1, &run))
                .contains("expected a table of features")
        );
        assert!(sentence(lsa(&Table::Dense(Matrix::zeros(4, 4)), 1, &run)).contains("only zeros"));
        let mut bad = x.clone();
        bad.set(2, 1, f64::NAN);
        assert!(sentence(project(&bad, 1, &run)).contains("not finite"));
        assert!(sentence(lsa(&Table::Dense(bad), 1, &run)).contains("not finite"));
        run.cancel.cancel();
        assert!(sentence(project(&random(300, 200, 1), 2, &run)).contains("interrupted"));
    }
}
