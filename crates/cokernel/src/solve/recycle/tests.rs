#![allow(clippy::unwrap_used)]

use super::*;
use std::time::Duration;

pub(in crate::solve) fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut rng = Run::with_seed(seed).rng("recycle tests");
    Matrix::from_fn(rows, cols, |_, _| rng.random::<f64>() - 0.5)
}

/// A Gaussian similarity of groups that overlap, normalised: a decaying spectrum.
pub(in crate::solve) fn similarity(n: usize) -> Matrix {
    let x = random(n, 3, 1);
    let at = |i: usize, j: usize| 4.0 * x.get(i, j) + f64::from(u8::from(i % 3 == j));
    let k = Matrix::from_fn(n, n, |i, j| {
        let d: f64 = (0..3).map(|c| (at(i, c) - at(j, c)).powi(2)).sum();
        (-0.5 * d).exp()
    });
    let s: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>().sqrt()).collect();
    Matrix::from_fn(n, n, |i, j| k.get(i, j) / (s[i] * s[j]))
}

pub(in crate::solve) fn plus(l: &Matrix, f: &Matrix) -> Matrix {
    let mut sum = l.clone();
    dense::accumulate(&mut sum, 1.0, Slice::of(f), Slice::of(&f.transposed()));
    sum
}

/// Values, residuals and orthonormality against the full decomposition.
pub(in crate::solve) fn check(l: &Matrix, f: &Matrix, r: usize, e: &Eigenpairs) {
    let a = plus(l, f);
    let n = a.rows();
    let (ascending, _) = dense::symmetric_eigen(&a).unwrap();
    for j in 0..r {
        assert!((e.values[j] - ascending[n - 1 - j]).abs() < 1e-11, "{:?}", e.values);
    }
    let mut rest = dense::product(Slice::of(&a), Slice::of(&e.vectors));
    for i in 0..n {
        for j in 0..r {
            rest.set(i, j, rest.get(i, j) - e.values[j] * e.vectors.get(i, j));
        }
    }
    let scale = ascending[n - 1].max(1.0);
    let first = rest.select_cols(&(0..r).collect::<Vec<_>>());
    assert!(first.values().iter().all(|v| v.abs() < 2e-12 * scale));
    let gram = dense::gram_tn(Slice::of(&e.vectors), Slice::of(&e.vectors));
    for i in 0..r {
        for j in 0..r {
            assert!((gram.get(i, j) - f64::from(u8::from(i == j))).abs() < 1e-12);
        }
    }
    let gap = ascending[n - r] - ascending[n - 1 - r];
    assert!((e.next.unwrap() - ascending[n - 1 - r]).abs() <= 0.02 * gap + 1e-12);
}

pub(in crate::solve) fn options() -> Options {
    Options { tol: 1e-12, ..Options::default() }
}

#[test]
fn a_sequence_of_factors() {
    for (n, r) in [(40, 3), (300, 3), (400, 10)] {
        let l = similarity(n);
        let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
        let run = Run::default();
        let watch = run.watch();
        let mut counts = Counts::default();
        let mut space = Recycled::new(n, r, &run).unwrap();
        let mut top = |f: &Matrix| {
            let e = space.top(r, f, &multiply, &options(), &watch, &mut counts).unwrap();
            assert_eq!(e.status, Status::Converged);
            check(&l, f, r, &e);
            e.products
        };
        let first = top(&Matrix::zeros(n, 0));
        // The same again costs nothing.
        assert_eq!(top(&Matrix::zeros(n, 0)), 0);
        let (f, step) = (random(n, 2 * r, 2), random(n, 2 * r, 3));
        let mut last = usize::MAX;
        for t in 0..6 {
            let shrink = 0.1_f64.powi(t);
            let f =
                Matrix::from_fn(n, 2 * r, |i, j| 0.05 * (f.get(i, j) + shrink * step.get(i, j)));
            last = top(&f);
        }
        if n > 40 {
            assert!(2 * last < first, "{last} products after {first}");
        } else {
            assert_eq!((first, last), (n, 0));
        }
        assert_eq!(counts.eigen_solves, 8);
    }
}

/// Answers that are kept over cuts save products and change nothing else.
#[test]
fn answers_are_kept() {
    let (n, r) = (500, 10);
    let l = similarity(n);
    let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
    let (f, step) = (random(n, r, 2), random(n, r, 3));
    let products = |keep: bool| -> usize {
        let run = Run::default();
        let watch = run.watch();
        let mut counts = Counts::default();
        let mut space = Recycled::new(n, r, &run).unwrap();
        let search = |t: i32| {
            let at = |i: usize, j: usize| 0.05 * (f.get(i, j) + 0.6_f64.powi(t) * step.get(i, j));
            let f = Matrix::from_fn(n, r, at);
            let e = space.top(r, &f, &multiply, &options(), &watch, &mut counts).unwrap();
            assert_eq!(e.status, Status::Converged);
            check(&l, &f, r, &e);
            assert!(space.answers.len() <= ANSWERS);
            if !keep {
                space.answers.clear();
            }
            e.products
        };
        (0..16).map(search).sum()
    };
    let (kept, forgotten) = (products(true), products(false));
    assert!(10 * kept < 9 * forgotten, "{kept} and {forgotten}");
}

/// An eigenvalue of any multiplicity is found, and a factor that lifts others is noticed.
#[test]
fn copies_and_overtaking() {
    let n = 240;
    let parts = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 12 == j % 12)) / 20.0);
    let multiply = |x: &Matrix| dense::product(Slice::of(&parts), Slice::of(x));
    let run = Run::default();
    let watch = run.watch();
    let mut counts = Counts::default();
    let mut space = Recycled::new(n, 12, &run).unwrap();
    let none = Matrix::zeros(n, 0);
    let e = space.top(12, &none, &multiply, &options(), &watch, &mut counts).unwrap();
    check(&parts, &none, 12, &e);
    // Two directions orthogonal to all parts come first.
    let lift = Matrix::from_fn(n, 2, |i, j| {
        let sign = if (i / 12) % 2 == 0 { 1.0 } else { -1.0 };
        if i % 2 == j { 0.2 * sign } else { 0.0 }
    });
    let e = space.top(12, &lift, &multiply, &options(), &watch, &mut counts).unwrap();
    check(&parts, &lift, 10, &Eigenpairs { next: Some(1.0), ..e.clone() });
    assert!((e.values[0] - 4.8).abs() < 1e-12 && (e.values[1] - 4.8).abs() < 1e-12);
    assert!(e.values[2..].iter().all(|v| (v - 1.0).abs() < 1e-12));
}

#[test]
fn limits_and_misuse() {
    let l = similarity(300);
    let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
    let late = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
    let none = Matrix::zeros(300, 0);
    let mut counts = Counts::default();
    let mut space = Recycled::new(300, 3, &late).unwrap();
    let e = space.top(3, &none, &multiply, &options(), &late.watch(), &mut counts).unwrap();
    assert_eq!((e.status, e.vectors.cols(), e.products), (Status::TimeLimit, 3, 8));
    // The trace goes on from there, and never falls.
    let few = Options { max_products: 16, ..options() };
    let run = Run::default();
    let mut trace = e.values.iter().sum::<f64>();
    for _ in 0..4 {
        let e = space.top(3, &none, &multiply, &few, &run.watch(), &mut counts).unwrap();
        let now = e.values.iter().sum::<f64>();
        assert!(now >= trace - 1e-14);
        trace = now;
    }
    for r in [0, 301] {
        let e = Recycled::new(300, r, &run).unwrap_err().to_string();
        assert!(e.contains("expected from 1 to 300") && e.ends_with(&format!("found {r}")));
    }
    let bad = |x: &Matrix| Matrix::from_fn(x.rows(), x.cols(), |_, _| f64::NAN);
    let mut space = Recycled::new(300, 3, &run).unwrap();
    let e = space.top(3, &none, &bad, &options(), &run.watch(), &mut counts).unwrap_err();
    assert!(e.to_string().contains("not finite"));
}

/// Vectors lie in the span of the exact ones up to the angle asked for, and more costs more.
#[test]
fn angles() {
    let (n, r) = (300, 4);
    let (l, f) = (similarity(n), random(n, 2 * r, 4));
    let f = Matrix::from_fn(n, 2 * r, |i, j| 0.05 * f.get(i, j));
    let (_, exact) = dense::symmetric_eigen(&plus(&l, &f)).unwrap();
    let multiply = |x: &Matrix| dense::product(Slice::of(&l), Slice::of(x));
    let run = Run::default();
    let mut last = 0;
    for angle in [1e-3, 1e-6, 1e-9] {
        let options = Options { tol: 0.0, angle, ..Options::default() };
        let mut space = Recycled::new(n, r, &run).unwrap();
        let mut counts = Counts::default();
        let e = space.top(r, &f, &multiply, &options, &run.watch(), &mut counts).unwrap();
        assert_eq!(e.status, Status::Converged);
        let coordinates = dense::gram_tn(Slice::of(&exact), Slice::of(&e.vectors));
        for j in 0..r {
            let outside = coordinates.col(j)[..n - r].iter().map(|v| v * v).sum::<f64>().sqrt();
            assert!(outside <= 1.2 * angle, "{outside} for {angle}");
        }
        assert!(e.products > last, "{} and {last} products", e.products);
        last = e.products;
    }
}
