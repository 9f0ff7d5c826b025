//! What principal components and discriminants refuse, and what they make of degenerate instances.

use cokernel::Run;
use cokernel::data::{Labels, Matrix, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::model::MultiView;
use cokernel::multiview::{Embedding, Starts};

const LABELLED: [&str; 4] = ["fda", "lfda", "kernel_fda", "kernel_lfda"];
const ALL: [&str; 6] = ["pca", "kernel_pca", "fda", "lfda", "kernel_fda", "kernel_lfda"];

fn wave(n: usize, d: usize) -> Matrix {
    Matrix::from_fn(n, d, |i, j| {
        ((i * 7 + j * 5 + i * i * j * 3) as f64).sin() + (i % 2 * (j + 1)) as f64
    })
}

fn views(x: Matrix) -> Views {
    Views::new().dense("x", x).unwrap()
}

fn labels(n: usize) -> Labels {
    Labels::from_texts(&(0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect::<Vec<_>>())
}

fn fit(method: MultiView, x: Matrix, labels: &Labels, k: usize) -> cokernel::Result<Embedding> {
    Ok(method.fit_labelled_embedding(&views(x), labels, k, &Run::default())?.1)
}

fn new(id: &str) -> MultiView {
    MultiView::new(id).unwrap()
}

fn said<T>(found: cokernel::Result<T>) -> String {
    found.err().unwrap().to_string()
}

#[test]
fn labels_that_are_none() {
    for id in LABELLED {
        let e = said(new(id).embed(&views(wave(8, 3)), 1, &Run::default()));
        let problem =
            "learns from labels, and there are none; give the class of each instance, or of some";
        assert_eq!(e, format!("labels: method '{id}' {problem}"));
        let one = Labels::from_texts(&["a"; 8]);
        let e = said(fit(new(id), wave(8, 3), &one, 1));
        assert!(e.contains("every instance is in class 'a'; at least two classes"), "{e}");
        let e = said(fit(new(id), wave(8, 3), &Labels::Real(vec![Some(0.5); 8]), 1));
        assert!(e.contains("expected classes, found real targets"), "{e}");
        let e = said(fit(new(id), wave(8, 3), &labels(7), 1));
        assert!(e.contains("8, one per instance of the views"), "{e}");
    }
}

#[test]
fn instances_that_do_not_differ() {
    for id in ALL {
        let e = said(fit(
            new(id).kernels([KernelSpec::linear()]),
            Matrix::from_fn(8, 3, |_, j| 0.1 + j as f64),
            &labels(8),
            1,
        ));
        assert!(
            e.ends_with("the same for all instances: there is nothing to embed them by"),
            "{e}"
        );
    }
    // Two classes with one mean.
    let x = Matrix::from_fn(8, 1, |i, _| (i / 2) as f64);
    for id in ["fda", "kernel_fda"] {
        let e = said(fit(new(id).kernels([KernelSpec::linear()]), x.clone(), &labels(8), 1));
        assert_eq!(e, "the classes do not differ: their means are the same up to rounding");
    }
}

#[test]
fn columns_that_say_nothing_new_change_nothing() {
    let x = wave(12, 3);
    let wide = |f: &dyn Fn(usize) -> f64| {
        Matrix::from_fn(12, 5, |i, j| if j < 3 { x.get(i, j) } else { f(i) })
    };
    for id in ["fda", "lfda"] {
        let classical = || new(id).param("regularization", 0.0);
        let want = fit(classical(), x.clone(), &labels(12), 1).unwrap().rows;
        let constant = fit(classical(), wide(&|_| 0.1), &labels(12), 1).unwrap().rows;
        assert_close(&constant, &want);
        if id == "fda" {
            // A copy of a column changes distances, and with them the affinities of `lfda`.
            let copied = fit(classical(), wide(&|i| x.get(i, 1)), &labels(12), 1).unwrap().rows;
            assert_close(&copied, &want);
        }
    }
}

fn assert_close(a: &Matrix, b: &Matrix) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < 1e-7, "{a} and {b}");
    }
}

#[test]
fn more_columns_than_instances() {
    for id in ["fda", "lfda"] {
        let e = said(fit(new(id).param("regularization", 0.0), wave(8, 30), &labels(8), 1));
        assert!(
            e.contains("nothing bounds how far apart classes are; give a regularization"),
            "{e}"
        );
        let found = fit(new(id), wave(8, 30), &labels(8), 1).unwrap();
        let (a, b): (Vec<f64>, Vec<f64>) =
            (0..4).map(|i| (found.rows.get(2 * i, 0), found.rows.get(2 * i + 1, 0))).unzip();
        let most = |v: &[f64]| v.iter().fold(f64::MIN, |a, b| a.max(*b));
        let least = |v: &[f64]| v.iter().fold(f64::MAX, |a, b| a.min(*b));
        assert!(most(&a) < least(&b) || most(&b) < least(&a), "{id}: {a:?} {b:?}");
    }
}

#[test]
fn two_instances_and_more_columns_than_there_are() {
    for id in ALL {
        let found = fit(new(id), wave(2, 3), &labels(2), 2).unwrap();
        assert_eq!((found.rows.rows(), found.rows.cols()), (2, 1), "{id}");
        assert!((found.rows.get(0, 0) + found.rows.get(1, 0)).abs() < 1e-9, "{id}");
        let notes = &found.report.notes;
        let fewer = |n: &String| {
            n.contains("were asked for") || n.contains("eigenvalues are above rounding")
        };
        assert!(notes.iter().any(fewer), "{id}: {notes:?}");
        for (k, most) in [(0, 2), (3, 2)] {
            let e = said(fit(new(id), wave(2, 3), &labels(2), k));
            assert!(e.contains(&format!("expected from 1 to {most} columns")), "{e}");
        }
    }
}

#[test]
fn what_does_not_fit_the_method() {
    let given = Views::new()
        .with("k", Table::Similarity(Matrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j)))));
    let given = given.unwrap();
    for id in ["pca", "fda", "lfda"] {
        let e = said(new(id).fit_labelled_embedding(&given, &labels(4), 1, &Run::default()));
        assert!(e.contains("works on features, but view 'k' is a similarity"), "{e}");
    }
    for id in ALL {
        let starts = Starts::default();
        let e = said(new(id).cluster(&views(wave(8, 3)), 2, &starts, &Run::default()));
        assert_eq!(
            e,
            format!(
                "method '{id}' embeds, it does not cluster; embed with it, or choose a method that clusters"
            )
        );
    }
    let e = said(fit(new("kernel_fda").param("view", "y"), wave(8, 3), &labels(8), 1));
    assert!(e.contains("unknown view 'y'"), "{e}");
    let run = Run { memory: 1000, ..Run::default() };
    let prepared = new("kernel_fda").prepare(&views(wave(20, 3)), &Run::default()).unwrap();
    let prepared = prepared.with_labels(&labels(20)).unwrap();
    let e = said(new("kernel_fda").embed_prepared(&prepared, 1, &run));
    assert!(e.contains("the decomposition of a 20 × 20 kernel takes"), "{e}");
}

/// An indefinite similarity: what its positive eigenvalues stand for is embedded.
#[test]
fn similarities_that_are_no_kernels() {
    let k = Matrix::from_fn(10, 10, |i, j| match i == j {
        true => 0.2,
        false if i % 2 == j % 2 => 0.9,
        false => -0.3,
    });
    let given = Views::new().with("k", Table::Similarity(k)).unwrap();
    for id in ["kernel_pca", "kernel_fda"] {
        let found =
            new(id).fit_labelled_embedding(&given, &labels(10), 1, &Run::default()).unwrap().1;
        for i in 0..10 {
            let (own, other) = (found.rows.get(i, 0), found.rows.get((i + 1) % 10, 0));
            assert!(own * other < 0.0, "{id}: {:?}", found.rows);
        }
        let noted = found.report.notes.iter().any(|n| n.contains("not positive semi-definite"));
        assert!(noted, "{id}: {:?}", found.report.notes);
    }
}

/// A stop before the decomposition, which takes longer than anyone waits, ends it.
#[test]
fn a_stop_ends_discriminants() {
    for id in ["fda", "lfda", "kernel_fda", "kernel_lfda"] {
        let prepared = new(id).prepare(&views(wave(60, 50)), &Run::default()).unwrap();
        let prepared = prepared.with_labels(&labels(60)).unwrap();
        let run = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
        let e = said(new(id).embed_prepared(&prepared, 1, &run));
        assert!(e.contains("time limit"), "{id}: {e}");
    }
}
