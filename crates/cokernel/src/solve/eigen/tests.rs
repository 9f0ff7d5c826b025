#![allow(clippy::unwrap_used)]

use super::space::normalize;
use super::*;
use rand::RngExt;

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
fn check(name: &str, problem: &Known, e: &Eigenpairs, tol: f64) {
    let k = e.values.len();
    let want = problem.sorted();
    let scale = problem.values.iter().fold(0.0_f64, |m, v| m.max(v.abs())).max(1e-300);
    assert_eq!(e.status, Status::Converged, "{name}");
    for (found, want) in e.values.iter().zip(&want) {
        assert!((found - want).abs() <= 1e-9 * scale, "{name}: found {found}, expected {want}");
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
            for block in [0, 1, 4] {
                let options = Options { block, ..Options::default() };
                let e = problem.solve(k, &options);
                check(name, &problem, &e, options.tol);
            }
        }
    }
}

#[test]
fn slow_spectra_are_restarted() {
    // The gaps at the top are a ten-thousandth of the spread: many restarts.
    let problem = Known::new((0..600).map(|i| (i as f64 * 0.004).cos()).collect());
    let options = Options { basis: 40, block: 4, ..Options::default() };
    let e = problem.solve(5, &options);
    assert!(e.products > 100, "{}", e.products);
    check("restarted", &problem, &e, options.tol);
}

/// Residuals that hardly fall end the search soon, and those that fall do not; the matrix is taken from who has it.
#[test]
fn flat_spectra_are_decomposed() {
    let n = 1000;
    let value = |fall: f64| move |i: usize| 1.0 + 0.1 * (-fall * i as f64).exp();
    for (fall, decomposed) in [(1e-3, true), (0.1, false)] {
        let problem = Known::new((0..n).map(value(fall)).collect());
        let asked = std::cell::Cell::new(0);
        let apply = |b: &Matrix| {
            asked.set(asked.get() + b.cols());
            problem.apply(b)
        };
        let identity = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        let whole = || Ok(dense::symmetric_part(problem.apply(&identity)));
        let run = Run::default();
        let mut found = Vec::new();
        for matrix in [None, Some(&whole as &dyn Fn() -> Result<Matrix>)] {
            asked.set(0);
            let operator = Operator { n, apply: &apply, matrix };
            let (options, counts) = (Options::default(), &mut Counts::default());
            let e = operator.top(3, None, &options, &run, &run.watch(), counts).unwrap();
            check("flat", &problem, &e, 1e-10);
            let formed = if decomposed && matrix.is_none() { n } else { 0 };
            assert!(asked.get() - formed < n * 3 / 10, "{fall}: {} columns", asked.get());
            assert_eq!(e.products == n, decomposed);
            found.push(e.values);
        }
        found[0].iter().zip(&found[1]).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }
}

#[test]
fn multiple_eigenvalues_are_all_found() {
    // Ten copies of the largest, as ten components of a graph give; near copies; copies below.
    for (name, spread) in [("equal", 0.0), ("close", 1e-9), ("near", 1e-6)] {
        let values: Vec<f64> = (0..500)
            .map(|i| match i {
                0..10 => 1.0 - spread * i as f64,
                10..16 => 0.8,
                _ => 0.79 / (1.0 + 0.1 * (i - 16) as f64),
            })
            .collect();
        let problem = Known::new(values);
        for k in [3, 10, 14] {
            for block in [0, 1, 2, 4] {
                let options = Options { block, ..Options::default() };
                let e = problem.solve(k, &options);
                check(&format!("{name} k {k} block {block}"), &problem, &e, options.tol);
            }
        }
    }
}

#[test]
fn a_warm_start_saves_work_and_never_loses_trace() {
    let problem = Known::new((0..500).map(|i| 1.0 / (1.0 + i as f64 * 0.05)).collect());
    let run = Run::default();
    let calls = std::cell::Cell::new(0);
    let cold = problem.solve(6, &Options::default());
    let cold_calls = cold.products / 8;
    let mut near = cold.vectors.clone();
    let mut rng = run.rng("noise");
    near.values_mut().iter_mut().for_each(|v| *v += 1e-9 * (rng.random::<f64>() - 0.5));
    let apply = |b: &Matrix| {
        calls.set(calls.get() + 1);
        problem.apply(b)
    };
    let solve = |warm: &Matrix, options: &Options| {
        let (watch, mut counts) = (run.watch(), Counts::default());
        top_eigenpairs(500, 6, &apply, Some(warm), options, &run, &watch, &mut counts).unwrap()
    };
    let warm = solve(&near, &Options::default());
    assert!(3 * calls.get() < 2 * cold_calls, "{} and {cold_calls}", calls.get());
    check("warm", &problem, &warm, 1e-10);
    // One product only: the Ritz values in the span of the start are returned.
    let stopped = solve(&near, &Options { max_products: 1, ..Options::default() });
    assert_eq!(stopped.status, Status::IterationLimit);
    assert!(stopped.values.iter().sum::<f64>() > cold.values.iter().sum::<f64>() - 1e-9);
    // Start vectors that do not span k dimensions, or nothing at all.
    let doubled = Matrix::from_fn(500, 6, |i, _| near.get(i, 0));
    check("doubled", &problem, &solve(&doubled, &Options::default()), 1e-10);
    check("zero", &problem, &solve(&Matrix::zeros(500, 3), &Options::default()), 1e-10);
}

#[test]
fn a_warm_start_among_the_wrong_eigenvectors_is_left() {
    // Unit vectors are eigenvectors; the start spans places 20 to 24 of the spectrum.
    let values: Vec<f64> = (0..400).map(|i| 1.0 / (1.0 + i as f64 * 0.1)).collect();
    let apply = |b: &Matrix| Matrix::from_fn(400, b.cols(), |i, j| values[i] * b.get(i, j));
    let warm = Matrix::from_fn(400, 5, |i, j| f64::from(u8::from(i == 20 + j)));
    let run = Run::default();
    let (watch, mut counts) = (run.watch(), Counts::default());
    let o = Options::default();
    let e = top_eigenpairs(400, 5, &apply, Some(&warm), &o, &run, &watch, &mut counts).unwrap();
    for j in 0..5 {
        assert!((e.values[j] - values[j]).abs() < 1e-9, "{:?}", e.values);
    }
}

#[test]
fn signs_do_not_depend_on_the_start() {
    let problem = Known::new((0..300).map(|i| 0.95_f64.powi(i)).collect());
    let apply = |b: &Matrix| problem.apply(b);
    let solve = |seed: u64| {
        let run = Run::with_seed(seed);
        let (watch, mut counts) = (run.watch(), Counts::default());
        let o = Options::default();
        top_eigenpairs(300, 5, &apply, None, &o, &run, &watch, &mut counts).unwrap().vectors
    };
    let (a, b) = (solve(1), solve(2));
    assert_ne!(a, b);
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() < 1e-7, "{x} and {y}");
    }
    for j in 0..5 {
        let column = a.col(j);
        let largest = column.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(column.contains(&largest));
    }
    assert_eq!(solve(1), a);
}

#[test]
fn stops_when_asked() {
    let problem = Known::new((0..400).map(|i| -(i as f64)).collect());
    let run = Run::default();
    run.cancel.cancel();
    let (watch, mut counts) = (run.watch(), Counts::default());
    let apply = |b: &Matrix| problem.apply(b);
    let o = Options::default();
    let e = top_eigenpairs(400, 9, &apply, None, &o, &run, &watch, &mut counts).unwrap();
    assert_eq!(e.status, Status::Interrupted);
    assert_eq!((e.values.len(), e.vectors.cols()), (9, 9));
}

#[test]
fn misuse_is_refused() {
    let run = Run::default();
    let (watch, mut counts) = (run.watch(), Counts::default());
    let same = |b: &Matrix| b.clone();
    let o = Options::default();
    let e = top_eigenpairs(5, 6, &same, None, &o, &run, &watch, &mut counts).unwrap_err();
    assert_eq!(
        e.to_string(),
        "parameter 'eigenvectors': expected from 1 to 5 (the size of the matrix), found 6"
    );
    let nan = |b: &Matrix| Matrix::from_fn(b.rows(), b.cols(), |_, _| f64::NAN);
    for n in [10, 300] {
        let e = top_eigenpairs(n, 2, &nan, None, &o, &run, &watch, &mut counts).unwrap_err();
        assert!(e.to_string().contains("not finite"), "{e}");
    }
    let warm = Matrix::zeros(4, 2);
    let e = top_eigenpairs(5, 2, &same, Some(&warm), &o, &run, &watch, &mut counts).unwrap_err();
    assert!(e.to_string().contains("expected 5 rows, found 4"), "{e}");
}

/// Vectors lie in the span of the exact ones up to the angle asked for, and more costs more.
#[test]
fn angles() {
    let problem = Known::new((1..=400).map(|i| 1.0 / f64::from(i)).collect());
    let mut last = 0;
    for angle in [1e-3, 1e-6, 1e-9] {
        let e = problem.solve(5, &Options { tol: 0.0, angle, ..Options::default() });
        assert_eq!(e.status, Status::Converged);
        let mut coordinates = e.vectors.clone();
        problem.reflect(&mut coordinates);
        for j in 0..5 {
            let outside = coordinates.col(j)[5..].iter().map(|v| v * v).sum::<f64>().sqrt();
            assert!(outside <= 1.2 * angle, "{outside} for {angle}");
        }
        assert!(e.products > last, "{} and {last} products", e.products);
        last = e.products;
    }
}

/// A product that a stop cut short once stood in the result, or was waited for.
#[test]
fn a_stop_leaves_the_pairs_of_complete_products() {
    use std::cell::Cell;
    let n = 400;
    let values: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64)).collect();
    let search = |complete: usize| {
        let (calls, columns) = (Cell::new(0), Cell::new(0));
        let late = crate::run::late_watch();
        let run = Run::default();
        let watch = if complete == 0 { late } else { run.watch() };
        let apply = |x: &Matrix| {
            calls.set(calls.get() + 1);
            if calls.get() > complete {
                run.cancel.cancel();
                let pass = crate::run::Pass::under(&watch);
                while !pass.is_over() {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                return Matrix::zeros(n, x.cols());
            }
            columns.set(columns.get() + x.cols());
            Matrix::from_fn(n, x.cols(), |i, j| values[i] * x.get(i, j))
        };
        let (o, mut counts) = (Options::default(), Counts::default());
        (
            top_eigenpairs(n, 3, &apply, None, &o, &run, &watch, &mut counts),
            calls.get(),
            columns.get(),
        )
    };
    let (found, calls, _) = search(0);
    assert!(matches!(found, Err(crate::Error::Stopped { .. })));
    assert_eq!(calls, 1);
    let (found, calls, columns) = search(2);
    let found = found.unwrap();
    assert_eq!((calls, found.status, found.products), (3, Status::Interrupted, columns));
    // Those of an incomplete product are 0: the Ritz values would be far off.
    assert!(found.values[0] > 0.5 && found.values[2] > 0.1, "{:?}", found.values);
    assert!(found.residuals.iter().all(|r| *r < 0.3), "{:?}", found.residuals);
}
