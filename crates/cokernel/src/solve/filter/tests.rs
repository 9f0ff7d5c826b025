#![allow(clippy::unwrap_used)]

use super::subspace::WORTH;
use super::*;
use crate::Status;
use crate::solve::recycle::tests::{check, options, plus, random, similarity};
use std::time::Duration;

/// Answers agree with full decompositions whatever F does, and where F moves little they take fewer
/// products than n columns.
#[test]
fn a_sequence_of_factors() {
    for (n, r) in [(200, 20), (300, 40), (400, 12)] {
        let l = similarity(n);
        let run = Run::default();
        let watch = run.watch();
        let mut counts = Counts::default();
        let mut solver = Filtered::new(l.clone(), &run).unwrap();
        let mut top = |f: &Matrix| {
            let e = solver.top(r, f, &options(), &watch, &mut counts).unwrap();
            assert_eq!(e.status, Status::Converged);
            check(&l, f, r, &e);
            e.products
        };
        top(&Matrix::zeros(n, 0));
        let (f, step) = (random(n, 2 * r, 2), random(n, 2 * r, 3));
        let mut last = 0;
        for t in 0..5 {
            let shrink = 0.1_f64.powi(t);
            let f = Matrix::from_fn(n, 2 * r, |i, j| 0.1 * (f.get(i, j) + shrink * step.get(i, j)));
            last = top(&f);
        }
        assert!((last as f64) < WORTH * n as f64, "{last} products");
        // Something else altogether, and nothing.
        top(&random(n, r, 9));
        top(&Matrix::zeros(n, 0));
        assert_eq!(counts.eigen_solves, 8);
    }
}

/// A direction that no earlier answer holds is found when F lifts it above all others.
#[test]
fn overtaking() {
    let (n, r) = (240, 12);
    let parts = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 12 == j % 12)) / 20.0);
    let run = Run::default();
    let watch = run.watch();
    let mut counts = Counts::default();
    let mut solver = Filtered::new(parts.clone(), &run).unwrap();
    let none = Matrix::zeros(n, 0);
    let e = solver.top(r, &none, &options(), &watch, &mut counts).unwrap();
    check(&parts, &none, r, &e);
    let lift = Matrix::from_fn(n, 2, |i, j| {
        let sign = if (i / 12) % 2 == 0 { 1.0 } else { -1.0 };
        if i % 2 == j { 0.2 * sign } else { 0.0 }
    });
    let e = solver.top(r, &lift, &options(), &watch, &mut counts).unwrap();
    assert!((e.values[0] - 4.8).abs() < 1e-12 && (e.values[1] - 4.8).abs() < 1e-12);
    assert!(e.values[2..].iter().all(|v| (v - 1.0).abs() < 1e-12));
}

/// Spectra that a filter cannot part: no gap, nothing but zeros, negative values, other scales.
#[test]
fn spectra_without_a_gap() {
    let (n, r) = (120, 10);
    let run = Run::default();
    let watch = run.watch();
    let entries: [fn(usize, usize) -> f64; 5] = [
        |_, _| 0.0,
        |i, j| f64::from(u8::from(i == j)),
        |i, j| if i == j { -1.0 - (i % 7) as f64 } else { 0.0 },
        |i, j| if i == j { 1e-120 * (i as f64 - 60.0) } else { 0.0 },
        |i, j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 },
    ];
    for entry in entries {
        let l = Matrix::from_fn(n, n, entry);
        let mut counts = Counts::default();
        let mut solver = Filtered::new(l.clone(), &run).unwrap();
        for f in [Matrix::zeros(n, 0), Matrix::zeros(n, 3), random(n, 2, 5)] {
            let e = solver.top(r, &f, &options(), &watch, &mut counts).unwrap();
            let (ascending, _) = dense::symmetric_eigen(&plus(&l, &f)).unwrap();
            let scale = ascending[0].abs().max(ascending[n - 1].abs());
            for j in 0..r {
                let (got, want) = (e.values[j], ascending[n - 1 - j]);
                assert!((got - want).abs() <= 1e-12 * scale, "{got} and {want}");
            }
        }
    }
}

#[test]
fn limits_and_misuse() {
    let l = similarity(300);
    let late = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
    let none = Matrix::zeros(300, 0);
    let mut counts = Counts::default();
    let mut solver = Filtered::new(l.clone(), &late).unwrap();
    let e = solver.top(30, &none, &options(), &late.watch(), &mut counts).unwrap();
    // Nothing that cannot be stopped was begun.
    assert_eq!((e.status, e.vectors.cols()), (Status::TimeLimit, 30));
    assert!(e.products < 60, "{} products", e.products);
    let run = Run::default();
    for r in [0, 301] {
        let e = solver.top(r, &none, &options(), &run.watch(), &mut counts).unwrap_err();
        let e = e.to_string();
        assert!(e.contains("expected from 1 to 300") && e.ends_with(&format!("found {r}")));
    }
    let bad = Matrix::from_fn(300, 300, |_, _| f64::NAN);
    let e = Filtered::new(bad, &run).unwrap().top(3, &none, &options(), &run.watch(), &mut counts);
    assert!(e.unwrap_err().to_string().contains("not finite"));
}
