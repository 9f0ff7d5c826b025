//! Solvers of single machines beside Clarabel, on 20 random problems each.

use crate::common::{gaussian, least};
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Matrix;
use cokernel::solve::one_class::{data_description, one_class};
use cokernel::solve::smo::Settings;
use cokernel::solve::solved::Solved;
use cokernel::solve::svr::epsilon_svr;
use rand::{Rng, RngExt};

const SETTINGS: Settings =
    Settings { tol: 1e-9, shrinking: true, cache: 1 << 24, max_steps: 10_000_000 };

struct Random {
    rng: Box<dyn Rng>,
    kernel: Matrix,
    gram: Gram,
    /// C of all instances, and each C_i within a factor of two of it.
    c: f64,
    costs: Vec<f64>,
}

impl Random {
    /// A Gaussian kernel or inner products, C from 0.03 to 300.
    fn new(seed: u64, least_c: f64, largest_c: f64) -> Self {
        let mut rng = Run::with_seed(seed).rng("machines");
        let n = 20 + rng.random_range(0..20);
        let x = Matrix::from_fn(n, 3, |_, _| 2.0 * rng.random::<f64>() - 1.0);
        let kernel = if seed.is_multiple_of(3) {
            let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
            Matrix::from_fn(n, n, dot)
        } else {
            gaussian(&x, 0.5 + seed as f64 / 4.0)
        };
        let gram = Gram::new(kernel.clone()).unwrap();
        let c = least_c * (largest_c / least_c).powf(rng.random::<f64>());
        let costs = (0..n).map(|_| c * (0.5 + 1.5 * rng.random::<f64>())).collect();
        Random { rng: Box::new(rng), kernel, gram, c, costs }
    }

    fn n(&self) -> usize {
        self.costs.len()
    }

    fn number(&mut self) -> f64 {
        self.rng.random::<f64>()
    }
}

fn agree(found: &Solved, expected: f64, what: &str) {
    assert!(found.status.is_success(), "{what}: {}", found.status);
    let scale = expected.abs().max(1e-9);
    for objective in [found.dual, found.primal] {
        assert!((objective - expected).abs() <= 1e-6 * scale, "{what}: {found:?}, {expected}");
    }
}

#[test]
fn regression_with_a_tube() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 300.0);
        let n = r.n();
        let y: Vec<f64> = (0..n).map(|i| 5.0 + r.kernel.get(i, 0) + r.number()).collect();
        let epsilon = if seed % 5 == 0 { 0.0 } else { 0.3 * r.number() };
        let watch = Run::default().watch();
        let found = epsilon_svr(&r.gram, &y, epsilon, &r.costs, None, &SETTINGS, &watch);
        let sign = |i: usize| if i < n { 1.0 } else { -1.0 };
        let p =
            Matrix::from_fn(2 * n, 2 * n, |i, j| sign(i) * sign(j) * r.kernel.get(i % n, j % n));
        let q: Vec<f64> = (0..2 * n).map(|i| epsilon - sign(i) * y[i % n]).collect();
        let sum = ((0..2 * n).map(sign).collect(), 0.0);
        let expected = -least(&p, &q, &[sum], &vec![0.0; 2 * n], &r.costs.repeat(2));
        agree(&found, expected, &format!("problem {seed}, epsilon {epsilon}"));
        // From a near-by solution, and from nonsense.
        for start in [&found.coef, &vec![r.c; n]] {
            let again = epsilon_svr(&r.gram, &y, epsilon, &r.costs, Some(start), &SETTINGS, &watch);
            agree(&again, expected, &format!("problem {seed} from a start"));
        }
    }
}

#[test]
fn one_class_machines() {
    for seed in 0..20 {
        let r = Random::new(seed, 0.08, 2.0);
        let n = r.n();
        let watch = Run::default().watch();
        let ones = || (vec![1.0; n], 1.0);
        let zero = vec![0.0; n];
        let found = one_class(&r.gram, &r.costs, None, &SETTINGS, &watch);
        let expected = -least(&r.kernel, &zero, &[ones()], &zero, &r.costs);
        // Inner products of points around 0 can have the optimum 0.
        if expected.abs() > 1e-6 {
            agree(&found, expected, &format!("problem {seed}, one class"));
            let again = one_class(&r.gram, &r.costs, Some(&found.coef), &SETTINGS, &watch);
            agree(&again, expected, &format!("problem {seed}, one class from a start"));
        }
        let ball = data_description(&r.gram, &r.costs, None, &SETTINGS, &watch);
        let p = Matrix::from_fn(n, n, |i, j| 2.0 * r.kernel.get(i, j));
        let q: Vec<f64> = (0..n).map(|i| -r.kernel.get(i, i)).collect();
        let expected = -least(&p, &q, &[ones()], &zero, &r.costs);
        agree(&ball.machine, expected, &format!("problem {seed}, ball"));
        assert!(ball.radius_squared >= 0.0);
    }
}
