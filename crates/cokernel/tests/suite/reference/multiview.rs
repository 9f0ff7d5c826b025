//! Spectral and co-regularised embeddings against a textbook implementation: full
//! eigendecompositions of stored matrices, no shortcuts.

use crate::invariance::multiview::{Toy, cluster};
use cokernel::Status;
use cokernel::data::Matrix;
use cokernel::multiview::Clustering;
use cokernel::solve::dense::symmetric_eigen;

pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), b.cols(), |i, j| {
        (0..a.cols()).map(|l| a.get(i, l) * b.get(l, j)).sum()
    })
}

pub fn laplacian(k: &Matrix) -> Matrix {
    let d: Vec<f64> = (0..k.rows()).map(|i| k.row(i).iter().sum::<f64>()).collect();
    Matrix::from_fn(k.rows(), k.rows(), |i, j| k.get(i, j) / (d[i] * d[j]).sqrt())
}

/// Top k eigenvalues and UUᵀ.
pub fn projector(a: &Matrix, k: usize) -> (Vec<f64>, Matrix) {
    let n = a.rows();
    let (values, vectors) = symmetric_eigen(a).unwrap();
    let u = Matrix::from_fn(n, k, |i, j| vectors.get(i, n - 1 - j));
    (values.iter().rev().take(k).copied().collect(), multiply(&u, &u.transposed()))
}

/// The Gram matrix of unit rows: what an embedding is, up to rotation.
pub fn unit_gram(p: &Matrix) -> Matrix {
    Matrix::from_fn(p.rows(), p.rows(), |i, j| p.get(i, j) / (p.get(i, i) * p.get(j, j)).sqrt())
}

pub fn apart(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

fn trace_of_product(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(x, y)| x * y).sum()
}

/// (4.3)-(4.6) on projectors P_v = U_v U_vᵀ: the final projectors, the eigenvalues of the last
/// update of each view, the objective after each round.
fn textbook(
    kernels: &[Matrix],
    k: usize,
    lambda: f64,
    tol: f64,
) -> (Vec<Matrix>, Vec<Vec<f64>>, Vec<f64>) {
    let n = kernels[0].rows();
    let l: Vec<Matrix> = kernels.iter().map(laplacian).collect();
    let (mut values, mut p): (Vec<_>, Vec<_>) = l.iter().map(|l| projector(l, k)).unzip();
    let objective = |p: &[Matrix]| {
        let mut sum = 0.0;
        for v in 0..p.len() {
            sum += trace_of_product(&l[v], &p[v]);
            sum += (0..v).map(|w| lambda * trace_of_product(&p[v], &p[w])).sum::<f64>();
        }
        sum
    };
    let mut last = objective(&p);
    let mut trace = Vec::new();
    loop {
        for v in 0..p.len() {
            let drawn = Matrix::from_fn(n, n, |i, j| {
                let others: f64 = (0..p.len()).filter(|w| *w != v).map(|w| p[w].get(i, j)).sum();
                l[v].get(i, j) + lambda * others
            });
            (values[v], p[v]) = projector(&drawn, k);
        }
        let now = objective(&p);
        trace.push(now);
        if (now - last).abs() <= tol * now.abs() {
            return (p, values, trace);
        }
        last = now;
    }
}

fn embedding_of(c: &Clustering, view: usize, k: usize) -> Matrix {
    let columns: Vec<usize> = (view * k..(view + 1) * k).collect();
    let rows = c.embedding.rows.select_cols(&columns);
    multiply(&rows, &rows.transposed())
}

#[test]
fn spectral_is_the_textbook_method() {
    for (n, views, k) in [(50, 1, 3), (160, 1, 3), (200, 3, 4), (150, 2, 1)] {
        let toy = Toy::new(n, views, 3, 11);
        let mean = Matrix::from_fn(n, n, |i, j| {
            toy.kernels.iter().map(|m| m.get(i, j)).sum::<f64>() / views as f64
        });
        let (values, p) = projector(&laplacian(&mean), k);
        let found = cluster("spectral", &toy.bank(), k, &[]);
        assert!(found.report.status.is_success());
        let distance = apart(&unit_gram(&p), &embedding_of(&found, 0, k));
        assert!(distance <= 1e-8, "n {n}, {views} views: {distance}");
        for (a, b) in found.embedding.eigenvalues[0].iter().zip(&values) {
            assert!((a - b).abs() < 1e-11, "{a} and {b}");
        }
    }
}

#[test]
fn co_regularized_is_the_textbook_method() {
    for (n, views) in [(60, 2), (140, 2), (200, 3), (150, 4), (140, 5)] {
        let toy = Toy::new(n, views, 3, 5 + views as u64);
        for lambda in [0.0, 0.05, 0.7] {
            let (p, values, trace) = textbook(&toy.kernels, 3, lambda, 1e-4);
            let found = cluster("co_regularized", &toy.bank(), 3, &[("lambda", lambda.into())]);
            assert_eq!(found.report.status, Status::Converged);
            assert_eq!(found.report.objective.len(), trace.len());
            for (a, b) in found.report.objective.iter().zip(&trace) {
                assert!((a - b).abs() < 1e-10 * b, "{a} and {b}");
            }
            for v in 0..views {
                let distance = apart(&unit_gram(&p[v]), &embedding_of(&found, v, 3));
                assert!(distance <= 1e-8, "n {n}, view {v} of {views}, λ {lambda}: {distance}");
                for (a, b) in found.embedding.eigenvalues[v].iter().zip(&values[v]) {
                    assert!((a - b).abs() < 1e-10, "{a} and {b}");
                }
            }
        }
    }
}

#[test]
fn disconnected_graphs_and_an_uninformative_view() {
    // The example of LMS §4.2.3: blocks of ones in one view, all ones in the other.
    let n = 150;
    let blocks = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 2 == j % 2)));
    let ones = Matrix::from_fn(n, n, |_, _| 1.0);
    let want: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
    let toy = Toy { kernels: vec![blocks, ones], classes: want.clone() };
    let found = cluster("co_regularized", &toy.bank(), 2, &[]);
    assert_eq!(found.assignments, want);
    // Twelve components, of which all are found, in a graph too large for a full decomposition.
    let n = 240;
    let parts = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 12 == j % 12)));
    let want: Vec<u32> = (0..n as u32).map(|i| i % 12).collect();
    let toy = Toy { kernels: vec![parts], classes: want.clone() };
    let found = cluster("spectral", &toy.bank(), 12, &[]);
    assert_eq!(found.assignments, want);
    assert!(found.embedding.eigenvalues[0].iter().all(|v| (v - 1.0).abs() < 1e-10));
}
