//! Overlapping classes in the plane.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use rand::RngExt;

/// Gaussian kernel on two-dimensional points of `k` overlapping classes.
pub fn blobs(n: usize, k: usize, spread: f64, gamma: f64, seed: u64) -> (Gram, Classes) {
    let mut rng = Run::with_seed(seed).rng("blobs");
    let texts: Vec<String> = (0..n).map(|i| format!("c{}", i % k)).collect();
    let points: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let angle = (i % k) as f64 * std::f64::consts::TAU / k as f64;
            let mut noise = || spread * (0..4).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
            [angle.cos() + noise(), angle.sin() + noise()]
        })
        .collect();
    let square = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let kernel = Matrix::from_fn(n, n, |i, j| (-gamma * square(points[i], points[j])).exp());
    (Gram::new(kernel).unwrap(), Classes::from_texts(&texts).unwrap())
}

pub fn dense(gram: &Gram) -> Matrix {
    Matrix::new(gram.n(), gram.n(), gram.values().to_vec()).unwrap()
}
