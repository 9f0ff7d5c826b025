//! Groups that several views see, and clusterings of them.

use super::gaussian;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::Matrix;
use cokernel::multiview::{self, Clustering, Problem, Starts};
use cokernel::params::Value;
use cokernel::{Result, Run};
use rand::RngExt;

/// Overlapping groups seen by several noisy Gaussian kernels.
pub struct Toy {
    pub kernels: Vec<Matrix>,
    pub classes: Vec<u32>,
}

impl Toy {
    pub fn new(n: usize, views: usize, groups: usize, seed: u64) -> Self {
        let kernels =
            (0..views).map(|v| gaussian(&points(n, groups, seed * 100 + v as u64), 0.15)).collect();
        Toy { kernels, classes: (0..n).map(|i| (i % groups) as u32).collect() }
    }

    pub fn bank(&self) -> Bank {
        self.bank_in_order(&(0..self.kernels.len()).collect::<Vec<_>>())
    }

    pub fn bank_in_order(&self, order: &[usize]) -> Bank {
        let named = order.iter().map(|v| (format!("view {v}"), self.kernels[*v].clone()));
        Bank::from_matrices(named.collect(), Storage::Resident).unwrap()
    }
}

pub fn points(n: usize, groups: usize, seed: u64) -> Matrix {
    let mut rng = Run::with_seed(seed).rng("points");
    let centers = Matrix::from_fn(groups, 3, |g, j| {
        2.2 * f64::from(u8::from(g % 3 == j)) + rng.random::<f64>()
    });
    Matrix::from_fn(n, 3, |i, j| {
        let noise: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum();
        centers.get(i % groups, j) + noise
    })
}

pub struct Real(pub Value);

impl From<Vec<f64>> for Real {
    fn from(v: Vec<f64>) -> Self {
        Real(Value::Reals(v))
    }
}

impl From<f64> for Real {
    fn from(v: f64) -> Self {
        Real(Value::Real(v))
    }
}

impl From<i64> for Real {
    fn from(v: i64) -> Self {
        Real(Value::Int(v))
    }
}

impl From<String> for Real {
    fn from(v: String) -> Self {
        Real(Value::Text(v))
    }
}

pub fn run_method(
    id: &str,
    bank: &Bank,
    k: usize,
    params: &[(&str, Real)],
    run: &Run,
) -> Result<Clustering> {
    let method = find(id)?;
    let params = method.check(params.iter().map(|(name, v)| (*name, &v.0)))?;
    let problem = Problem::new(bank);
    multiview::cluster(
        multiview::embedder(method, &params)?.as_ref(),
        &problem,
        k,
        &Starts::default(),
        run,
    )
}

pub fn cluster(id: &str, bank: &Bank, k: usize, params: &[(&str, Real)]) -> Clustering {
    run_method(id, bank, k, params, &Run::default()).unwrap()
}
