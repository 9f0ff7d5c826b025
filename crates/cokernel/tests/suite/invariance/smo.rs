//! What must not change the answer of the SMO solver.

use crate::certificate::svc::certify;
use crate::common::blobs;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::{Classes, Matrix};
use cokernel::machine::{Decomposition, Solution, Svc};
use cokernel::solve::Rows;

fn fit(svc: &Svc, kernel: &dyn Rows, classes: &Classes) -> Solution {
    svc.fit(kernel, classes, None, None, &Run::default()).unwrap()
}

/// Training decision values of the first machine.
fn decisions(gram: &Gram, found: &Solution) -> Vec<f64> {
    let mut values = vec![0.0; gram.n()];
    gram.multiply(&found.blocks[0].heads[0].coef, &mut values);
    values.iter().map(|v| v + found.blocks[0].heads[0].bias).collect()
}

/// Same optimum of a problem with a unique solution.
fn assert_same(gram: &Gram, a: &Solution, b: &Solution) {
    let scale = a.objective().abs();
    assert!((a.objective() - b.objective()).abs() <= 1e-8 * scale);
    for (x, y) in decisions(gram, a).iter().zip(decisions(gram, b)) {
        assert!((x - y).abs() < 2e-3, "{x} and {y}");
    }
}

/// Solution that are equal in every bit, work included.
fn assert_equal_bits(a: &Solution, b: &Solution) {
    assert_eq!(a, b);
    for (x, y) in a.blocks.iter().zip(&b.blocks) {
        assert_eq!(x.heads[0].bias.to_bits(), y.heads[0].bias.to_bits());
        assert!(
            x.heads[0].coef.iter().zip(&y.heads[0].coef).all(|(p, q)| p.to_bits() == q.to_bits())
        );
    }
}

fn exact(c: f64) -> Svc {
    Svc { c, tol: 1e-9, ..Svc::default() }
}

#[test]
fn shrinking_on_is_off() {
    for (c, seed) in [(0.5, 1), (10.0, 2), (1000.0, 3)] {
        let (gram, classes) = blobs(400, 2, 2.0, 3.0, seed);
        let on = fit(&exact(c), &gram, &classes);
        let off = fit(&Svc { shrinking: false, ..exact(c) }, &gram, &classes);
        assert_same(&gram, &on, &off);
    }
}

#[test]
fn two_cached_rows_are_all_rows() {
    let (gram, classes) = blobs(300, 2, 2.0, 3.0, 11);
    for shrinking in [true, false] {
        let svc = Svc { c: 20.0, tol: 1e-8, shrinking, ..Svc::default() };
        let all = fit(&svc, &gram, &classes);
        for cache in [0, 20_000] {
            assert_equal_bits(&all, &fit(&Svc { cache, ..svc.clone() }, &gram, &classes));
        }
    }
}

#[test]
fn warm_is_cold() {
    let (gram, classes) = blobs(300, 2, 2.0, 2.0, 21);
    let svc = exact(10.0);
    let cold = fit(&svc, &gram, &classes);
    let warm = svc.fit(&gram, &classes, None, Some(&cold), &Run::default()).unwrap();
    assert_eq!(warm.counts.smo_steps, 0);
    assert_same(&gram, &cold, &warm);
    // From the solution of another kernel, of a larger and of a smaller C.
    let (other, _) = blobs(300, 2, 2.0, 2.2, 21);
    for (kernel, c) in [(&other, 10.0), (&gram, 100.0), (&gram, 0.1)] {
        let start = fit(&Svc { c, ..svc.clone() }, kernel, &classes);
        let warm = svc.fit(&gram, &classes, None, Some(&start), &Run::default()).unwrap();
        assert_same(&gram, &cold, &warm);
        certify(&svc, &gram, &classes, None, &warm.blocks[0]);
    }
    let (near, _) = blobs(300, 2, 2.0, 2.02, 21);
    let start = fit(&Svc { tol: 1e-3, ..svc.clone() }, &near, &classes);
    let loose = Svc { tol: 1e-3, ..svc };
    let warm = loose.fit(&gram, &classes, None, Some(&start), &Run::default()).unwrap();
    let cold = fit(&loose, &gram, &classes);
    let (warm, cold) = (warm.counts.smo_steps, cold.counts.smo_steps);
    assert!(4 * warm < 3 * cold, "{warm} steps from a near solution, {cold} from zero");
}

#[test]
fn one_thread_is_two() {
    let (gram, classes) = blobs(200, 5, 2.0, 2.0, 31);
    for decomposition in [Decomposition::OneVsRest, Decomposition::OneVsOne] {
        let svc = Svc { c: 5.0, tol: 1e-7, decomposition, ..Svc::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&svc, &gram, &classes))
        };
        assert_equal_bits(&with(1), &with(2));
    }
}

#[test]
fn order_of_samples_does_not_matter() {
    let (gram, classes) = blobs(150, 2, 2.0, 2.0, 41);
    let order: Vec<usize> = (0..150).map(|i| i * 67 % 150).collect();
    let kernel = Matrix::from_fn(150, 150, |i, j| gram.row(order[i])[order[j]]);
    let permuted = Gram::new(kernel).unwrap();
    let codes = order.iter().map(|&i| classes.codes[i]).collect();
    let shuffled = Classes { names: classes.names.clone(), codes };
    let a = fit(&exact(10.0), &gram, &classes);
    let b = fit(&exact(10.0), &permuted, &shuffled);
    let values = decisions(&gram, &a);
    for (k, v) in decisions(&permuted, &b).iter().enumerate() {
        assert!((v - values[order[k]]).abs() < 2e-3);
    }
    assert!((a.objective() - b.objective()).abs() <= 1e-8 * a.objective());
}

#[test]
fn weight_two_is_the_sample_twice_and_weight_zero_is_its_absence() {
    let (gram, classes) = blobs(90, 2, 2.0, 2.0, 51);
    let weights: Vec<f64> = (0..90).map(|i| (i % 3) as f64).collect();
    let weighted = exact(3.0).fit(&gram, &classes, Some(&weights), None, &Run::default()).unwrap();
    let rows: Vec<usize> = (0..90).flat_map(|i| vec![i; i % 3]).collect();
    let n = rows.len();
    let kernel = Gram::new(Matrix::from_fn(n, n, |i, j| gram.row(rows[i])[rows[j]])).unwrap();
    let codes = rows.iter().map(|&i| classes.codes[i]).collect();
    let repeated = fit(&exact(3.0), &kernel, &Classes { names: classes.names.clone(), codes });
    assert!((weighted.objective() - repeated.objective()).abs() <= 1e-8 * repeated.objective());
    let values = decisions(&gram, &weighted);
    for (v, i) in decisions(&kernel, &repeated).iter().zip(&rows) {
        assert!((v - values[*i]).abs() < 2e-3);
    }
}

/// Rows computed when asked for.
struct OnDemand<F: Fn(usize, usize) -> f64 + Sync>(usize, F);

impl<F: Fn(usize, usize) -> f64 + Sync> Rows for OnDemand<F> {
    fn n(&self) -> usize {
        self.0
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.0).map(|i| (self.1)(i, i)).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        for (k, o) in out.iter_mut().enumerate() {
            *o = (self.1)(i, columns.map_or(k, |c| c[k] as usize)) as f32;
        }
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate() {
            *o = coef.iter().enumerate().map(|(j, c)| c * (self.1)(i, j)).sum();
        }
    }
}

#[test]
fn rows_on_demand_are_stored_rows() {
    let (gram, classes) = blobs(200, 2, 2.0, 2.0, 61);
    let lazy = OnDemand(200, |i, j| gram.row(i)[j]);
    for tol in [1e-3, 1e-9] {
        let svc = Svc { c: 10.0, tol, ..Svc::default() };
        let (a, b) = (fit(&svc, &gram, &classes), fit(&svc, &lazy, &classes));
        assert!((a.objective() - b.objective()).abs() <= tol * a.objective());
        certify(&svc, &gram, &classes, None, &b.blocks[0]);
    }
}
