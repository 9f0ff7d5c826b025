//! What clustering refuses.

use crate::invariance::multiview::{Real, Toy, run_method};
use cokernel::Run;
use cokernel::data::Matrix;

fn refusal(id: &str, kernels: Vec<Matrix>, k: usize, params: &[(&str, Real)]) -> String {
    let toy = Toy { kernels, classes: Vec::new() };
    run_method(id, &toy.bank(), k, params, &Run::default()).unwrap_err().to_string()
}

fn plain(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.5 })
}

const ALL: [&str; 3] = ["spectral", "co_regularized", "co_trained"];

#[test]
fn numbers_of_clusters() {
    for id in ALL {
        assert_eq!(
            refusal(id, vec![plain(6)], 0, &[]),
            "parameter 'k': expected from 1 to 6 clusters (the number of instances), found 0"
        );
        assert_eq!(
            refusal(id, vec![plain(6)], 7, &[]),
            "parameter 'k': expected from 1 to 6 clusters (the number of instances), found 7"
        );
        assert_eq!(
            refusal(id, vec![plain(6)], 2, &[("eigenvectors", 9.into())]),
            "parameter 'eigenvectors': expected from 1 to 6 (the size of the matrix), found 9"
        );
    }
}

#[test]
fn negative_similarities() {
    for id in ALL {
        let mut bad = plain(6);
        bad.set(2, 4, -0.25);
        bad.set(4, 2, -0.25);
        assert_eq!(
            refusal(id, vec![plain(6), bad], 2, &[]),
            "kernel 'view 1': the similarity of instances 2 and 4 is -0.25; spectral clustering \
             needs similarities of at least 0: use a kernel that has no negative values, such as \
             a Gaussian, and do not centre it"
        );
        // Rounding below zero is not refused.
        let mut rounded = plain(6);
        rounded.set(2, 4, -1e-14);
        rounded.set(4, 2, -1e-14);
        let toy = Toy { kernels: vec![rounded], classes: Vec::new() };
        assert!(run_method(id, &toy.bank(), 2, &[], &Run::default()).is_ok());
    }
}

#[test]
fn isolated_instances() {
    for id in ALL {
        let bad = Matrix::from_fn(6, 6, |i, j| if i == 3 || j == 3 { 0.0 } else { 1.0 });
        assert_eq!(
            refusal(id, vec![plain(6), bad], 2, &[]),
            "kernel 'view 1': instance 3 has no similarity to any instance, itself included, so \
             that it belongs to no cluster; leave it out, or use a kernel that is positive on the \
             diagonal"
        );
    }
}

#[test]
fn parameters() {
    let of = |params: &[(&str, Real)]| refusal("co_regularized", vec![plain(6)], 2, params);
    assert_eq!(
        of(&[("embedding", "view 1".to_string().into())]),
        "unknown embedding 'view 1' (did you mean 'view 0'?); known: concat, view 0"
    );
    assert_eq!(
        of(&[("lambda", Real::from(-0.1))]),
        "parameter 'lambda': expected a real number at least 0 and at most 1000000, found '-0.1'"
    );
    assert!(of(&[("lamda", Real::from(0.1))]).contains("did you mean 'lambda'?"));
}

#[test]
fn co_training() {
    let of = |params: &[(&str, Real)]| refusal("co_trained", vec![plain(6), plain(6)], 2, params);
    assert_eq!(
        of(&[("projection", 7.into())]),
        "parameter 'projection': expected at most 6 (the number of instances), found 7"
    );
    assert!(of(&[("shift", "maybe".to_string().into())]).contains("known: yes, no"));
    assert!(of(&[("stop", "never".to_string().into())]).contains("known: fixed, agreement"));
}

/// Without the shift a row of the projected similarities can sum to less than nothing.
#[test]
fn co_training_without_shift() {
    let square = |values: [[f64; 4]; 4]| Matrix::new(4, 4, values.concat()).unwrap();
    let a = square([
        [0.2, 10.0, 100.0, 100.0],
        [10.0, 0.2, 10.0, 0.1],
        [100.0, 10.0, 2000.0, 100.0],
        [100.0, 0.1, 100.0, 2.0],
    ]);
    let b = square([
        [0.2, 100.0, 1.0, 1000.0],
        [100.0, 2.0, 0.0, 0.1],
        [1.0, 0.0, 0.0, 1.0],
        [1000.0, 0.1, 1.0, 0.0],
    ]);
    let no = [("shift", Real::from("no".to_string()))];
    assert_eq!(
        refusal("co_trained", vec![a.clone(), b.clone()], 2, &no),
        "kernel 'view 0', round 1: projected on the eigenvectors of the other views, the \
         similarities of instance 1 sum to -2.853e2, and only a positive sum can be normalised: \
         set shift=yes"
    );
    let toy = Toy { kernels: vec![a, b], classes: Vec::new() };
    assert!(run_method("co_trained", &toy.bank(), 2, &[], &Run::default()).is_ok());
}
