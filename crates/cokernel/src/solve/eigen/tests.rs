#![allow(clippy::unwrap_used)]

use super::*;

/// H diag(values) H with H = I − 2vvᵀ: a full matrix with a known spectrum, applied implicitly.
struct Known {
    values: Vec<f64>,
    v: Vec<f64>,
}

impl Known {
    fn new(values: Vec<f64>) -> Self {
        let mut rng = Run::default().rng("reflection");
        let mut v: Vec<f64> = values.iter().map(|_| rng.random::<f64>() - 0.5).collect();
        normalize(&mut v);
        Known { values, v }
    }

    fn reflect(&self, x: &mut Matrix) {
        for j in 0..x.cols() {
            let share: f64 = (0..x.rows()).map(|i| self.v[i] * x.get(i, j)).sum();
            for i in 0..x.rows() {
                x.set(i, j, x.get(i, j) - 2.0 * share * self.v[i]);
            }
        }
    }

    fn apply(&self, x: &Matrix) -> Matrix {
        let mut y = x.clone();
        self.reflect(&mut y);
        for i in 0..y.rows() {
            y.row_mut(i).iter_mut().for_each(|v| *v *= self.values[i]);
        }
        self.reflect(&mut y);
        y
    }

    fn sorted(&self) -> Vec<f64> {
        let mut s = self.values.clone();
        s.sort_by(|a, b| b.total_cmp(a));
        s
    }

    fn solve(&self, k: usize, options: &Options) -> Eigenpairs {
        let run = Run::default();
        let mut counts = Counts::default();
        let n = self.values.len();
        let apply = |b: &Matrix| self.apply(b);
        let e = top_eigenpairs(n, k, &apply, None, options, &run, &run.watch(), &mut counts);
        assert_eq!(counts.eigen_solves, 1);
        e.unwrap()
    }
}

/// Values to 1e-9 of the scale (residual squared over gap would be far better), residuals as
/// promised, orthonormal vectors.
fn check(problem: &Known, e: &Eigenpairs, tol: f64) {
    let k = e.values.len();
    let want = problem.sorted();
    let scale = problem.values.iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(1e-300);
    assert_eq!(e.status, Status::Converged);
    for (found, want) in e.values.iter().zip(&want) {
        assert!((found - want).abs() <= 1e-9 * scale, "found {found}, expected {want}");
    }
    assert!(e.residuals.iter().all(|r| *r <= 10.0 * tol * scale), "{:?}", e.residuals);
    let gram = dense::gram_tn(Slice::of(&e.vectors), Slice::of(&e.vectors));
    for i in 0..k {
        for j in 0..k {
            let want = f64::from(u8::from(i == j));
            assert!((gram.get(i, j) - want).abs() < 1e-12, "{}", gram.get(i, j));
        }
    }
}

#[test]
fn known_spectra() {
    let spectra: Vec<(&str, Vec<f64>)> = vec![
        ("slow decay", (0..400).map(|i| 1.0 / (1.0 + i as f64 * 0.01)).collect()),
        ("linear", (0..400).map(|i| i as f64).collect()),
        (
            "negative dominates",
            (0..400).map(|i| if i < 20 { -100.0 } else { 0.01 * i as f64 }).collect(),
        ),
        ("all negative", (0..300).map(|i| -1.0 - i as f64).collect()),
        ("gap", (0..300).map(|i| if i < 7 { 1.0 } else { 0.3 / (1.0 + i as f64) }).collect()),
        ("huge", (0..300).map(|i| 1e120 / (1.0 + i as f64)).collect()),
        ("tiny", (0..300).map(|i| 1e-120 / (1.0 + i as f64)).collect()),
        ("zero", vec![0.0; 300]),
        ("identity", vec![1.0; 300]),
        ("rank 3", (0..300).map(|i| if i < 3 { 2.0 + i as f64 } else { 0.0 }).collect()),
        ("small", (0..40).map(|i| (i as f64).sin()).collect()),
    ];
    for (name, values) in spectra {
        let problem = Known::new(values);
        for k in [1, 7, 12] {
            for block in [0, 4] {
                let options = Options { block, ..Options::default() };
                let e = problem.solve(k, &options);
                println!("{name} k {k} block {block}: {} products", e.products);
                check(&problem, &e, options.tol);
            }
        }
    }
}
