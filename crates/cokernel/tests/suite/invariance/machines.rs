//! What must not change the answers of the solvers of single machines: where rows lie, how many are
//! kept, and whether variables are set aside.

use crate::common::gaussian;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Matrix;
use cokernel::solve::Rows;
use cokernel::solve::hulls::hulls;
use cokernel::solve::joint::{Joint, joint_classes};
use cokernel::solve::nu_svr::nu_svr;
use cokernel::solve::one_class::{data_description, one_class};
use cokernel::solve::ridge::Ridge;
use cokernel::solve::smo::Settings;
use cokernel::solve::squared_hinge::squared_hinge;
use cokernel::solve::svr::epsilon_svr;
use rand::RngExt;

/// A matrix of which no row lies in memory.
struct Computed(Gram);

impl Rows for Computed {
    fn n(&self) -> usize {
        Rows::n(&self.0)
    }
    fn diagonal(&self) -> Vec<f64> {
        self.0.diagonal()
    }
    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        self.0.fill(i, columns, out);
    }
    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        self.0.multiply(coef, out);
    }
}

/// The dual objectives of every machine; all have reached their gap.
fn objectives(rows: &dyn Rows, settings: &Settings) -> Vec<f64> {
    let n = rows.n();
    let watch = Run::default().watch();
    let mut rng = Run::with_seed(3).rng("targets");
    let y: Vec<f64> = (0..n).map(|i| (i as f64 / 20.0).sin() + 0.3 * rng.random::<f64>()).collect();
    let signs: Vec<f64> = y.iter().map(|y| if *y > 0.1 { 1.0 } else { -1.0 }).collect();
    let codes: Vec<u32> = y.iter().map(|y| u32::from(*y > -0.3) + u32::from(*y > 0.4)).collect();
    let costs = vec![5.0; n];
    let few = vec![10.0 / n as f64; n];
    let ridges = vec![0.3; n];
    let mut all = Vec::new();
    for found in [
        epsilon_svr(rows, &y, 0.1, &costs, None, settings, &watch),
        nu_svr(rows, &y, 0.3, &costs, None, settings, &watch).machine,
        one_class(rows, &few, None, settings, &watch),
        data_description(rows, &few, None, settings, &watch).machine,
        squared_hinge(rows, &signs, &costs, None, settings, &watch),
        hulls(rows, &signs, &ridges, None, settings, &watch),
        Ridge::new(rows, &ridges, true, &watch).unwrap().solve(&y),
    ] {
        assert!(found.status.is_success(), "machine {}: {}", all.len(), found.status);
        all.push(found.dual);
    }
    let p = Joint { rows, codes: &codes, classes: 3, margins: None, costs: &costs };
    let found = joint_classes(&p, None, settings, &watch);
    assert!(found.status.is_success(), "joint: {}", found.status);
    all.push(found.dual);
    all
}

#[test]
fn rows_caches_and_shrinking() {
    let n = 240;
    let mut rng = Run::with_seed(8).rng("points");
    let x =
        Matrix::from_fn(n, 2, |i, j| if j == 0 { i as f64 / 40.0 } else { rng.random::<f64>() });
    let gram = Gram::new(gaussian(&x, 0.7)).unwrap();
    let computed = Computed(gram.clone());
    let settings = Settings { tol: 1e-5, shrinking: true, cache: 1 << 24, max_steps: 10_000_000 };
    let expected = objectives(&gram, &settings);
    let near = |found: Vec<f64>, what: &str| {
        for (k, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() <= 3e-5 * b.abs(), "{what}, machine {k}: {a} and {b}");
        }
    };
    near(objectives(&computed, &settings), "computed rows");
    near(objectives(&gram, &Settings { shrinking: false, ..settings }), "no shrinking");
    near(objectives(&computed, &Settings { cache: 0, ..settings }), "no cache");
}
