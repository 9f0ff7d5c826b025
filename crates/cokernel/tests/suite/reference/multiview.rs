//! Spectral embeddings against a textbook implementation: full eigendecompositions of stored
//! matrices, no shortcuts. The co-regularised ones are in `co_regularized.rs`.

use crate::common::{Toy, cluster};
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

pub fn trace_of_product(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(x, y)| x * y).sum()
}

pub fn embedding_of(c: &Clustering, view: usize, k: usize) -> Matrix {
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
fn disconnected_graphs() {
    // Twelve components, of which all are found, in a graph too large for a full decomposition.
    let n = 240;
    let parts = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 12 == j % 12)));
    let want: Vec<u32> = (0..n as u32).map(|i| i % 12).collect();
    let toy = Toy { kernels: vec![parts], classes: want.clone() };
    let found = cluster("spectral", &toy.bank(), 12, &[]);
    assert_eq!(found.assignments, want);
    assert!(found.embedding.eigenvalues[0].iter().all(|v| (v - 1.0).abs() < 1e-10));
}
