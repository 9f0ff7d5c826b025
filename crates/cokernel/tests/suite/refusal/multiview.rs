//! What clustering refuses.

use crate::common::{Real, Toy, run_method};
use cokernel::Run;
use cokernel::data::Matrix;

fn refusal(id: &str, kernels: Vec<Matrix>, k: usize, params: &[(&str, Real)]) -> String {
    let toy = Toy { kernels, classes: Vec::new() };
    run_method(id, &toy.bank(), k, params, &Run::default()).unwrap_err().to_string()
}

fn plain(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.5 })
}

const ALL: [&str; 4] = ["spectral", "co_regularized", "co_regularized_centroid", "co_trained"];

#[test]
fn numbers_of_clusters() {
    for id in ALL {
        assert_eq!(
            refusal(id, vec![plain(6)], 0, &[]),
            "parameter 'k': expected from 1 to 6 clusters or columns (the number of instances), found 0"
        );
        assert_eq!(
            refusal(id, vec![plain(6)], 7, &[]),
            "parameter 'k': expected from 1 to 6 clusters or columns (the number of instances), found 7"
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
    let of = |id: &str, views: usize, params: &[(&str, Real)]| {
        refusal(id, vec![plain(6); views], 2, params)
    };
    let (pairwise, centroid) = (ALL[1], ALL[2]);
    let text = |name: &str| Real::from(name.to_string());
    assert_eq!(
        of(pairwise, 1, &[("embedding", text("view 1"))]),
        "unknown embedding 'view 1' (did you mean 'view 0'?); known: concat, view 0"
    );
    assert_eq!(
        of(centroid, 1, &[("embedding", text("mean"))]),
        "unknown embedding 'mean'; known: centroid, concat, view 0"
    );
    assert_eq!(
        of(pairwise, 2, &[("first", text("view 2"))]),
        "unknown first 'view 2' (did you mean 'view 0'?); known: in_order, view 0, view 1"
    );
    for id in [pairwise, centroid] {
        assert_eq!(
            of(id, 1, &[("lambda", Real::from(-0.1))]),
            "parameter 'lambda': expected one or several real numbers from 0 to 1000000, \
             separated by commas, found '-0.1'"
        );
        assert!(of(id, 2, &[("lambda", vec![0.1, -0.1].into())]).contains("found '0.1,-0.1'"));
        assert!(of(id, 1, &[("lamda", Real::from(0.1))]).contains("did you mean 'lambda'?"));
        assert!(of(id, 1, &[("lambda_scale", text("gaps"))]).contains("lambda_scale=gaps"));
        let all = [("lambda_scale", text("gap")), ("eigenvectors", 6.into())];
        assert_eq!(
            of(id, 2, &all),
            "parameter 'lambda_scale': expected raw where all 6 eigenvectors are taken: kernel \
             'view 0' has no eigengap"
        );
    }
}

#[test]
fn numbers_of_lambda() {
    let of = |id: &str, views: usize, lambda: Vec<f64>| {
        refusal(id, vec![plain(6); views], 2, &[("lambda", lambda.into())])
    };
    let (pairwise, centroid) = (ALL[1], ALL[2]);
    assert_eq!(
        of(pairwise, 4, vec![0.1; 4]),
        "parameter 'lambda': expected one number, or 6: one for each pair of the 4 kernels, in \
         the order (0,1), (0,2), …, (2,3); found 4"
    );
    assert_eq!(
        of(pairwise, 2, vec![0.1; 2]),
        "parameter 'lambda': expected one number (there is one pair of kernels); found 2"
    );
    assert_eq!(
        of(pairwise, 1, vec![0.1; 2]),
        "parameter 'lambda': expected one number (there is no pair of kernels); found 2"
    );
    assert_eq!(
        of(centroid, 3, vec![0.1; 2]),
        "parameter 'lambda': expected one number, or 3: one for each kernel; found 2"
    );
    assert_eq!(
        of(centroid, 1, vec![0.1; 2]),
        "parameter 'lambda': expected one number (there is one kernel); found 2"
    );
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
