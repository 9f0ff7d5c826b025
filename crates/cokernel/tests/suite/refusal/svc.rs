//! Wrong arguments of the support vector machine.

use crate::common::blobs;
use cokernel::Run;
use cokernel::machine::{Decomposition, Solution, Svc};

fn sentence(svc: &Svc, n: usize, weights: Option<&[f64]>) -> String {
    let (gram, _) = blobs(12, 3, 1.0, 1.0, 1);
    let (_, classes) = blobs(n, 3, 1.0, 1.0, 1);
    svc.fit(&gram, &classes, weights, None, &Run::default()).unwrap_err().to_string()
}

#[test]
fn cost() {
    for (c, shown) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        assert_eq!(
            sentence(&Svc { c, ..Svc::default() }, 12, None),
            format!("parameter 'c': expected a finite number above 0, found {shown}")
        );
    }
}

#[test]
fn tolerance() {
    for (tol, shown) in [(0.0, "0"), (1.0, "1"), (f64::NAN, "NaN")] {
        assert_eq!(
            sentence(&Svc { tol, ..Svc::default() }, 12, None),
            format!("parameter 'tol': expected a number between 0 and 1, found {shown}")
        );
    }
}

#[test]
fn sizes() {
    assert_eq!(
        sentence(&Svc::default(), 9, None),
        "kernel: expected 9 rows, one per label, found 12"
    );
    assert_eq!(
        sentence(&Svc::default(), 12, Some(&[1.0; 3])),
        "instance weights: expected 12, one per label, found 3"
    );
}

#[test]
fn weights() {
    let mut weights = [1.0; 12];
    weights[4] = -0.5;
    assert_eq!(
        sentence(&Svc::default(), 12, Some(&weights)),
        "parameter 'weights': the weight of instance 4 is -0.5; expected a finite number, 0 or more"
    );
    let weighted =
        |name: &str, w: f64| Svc { class_weights: vec![(name.to_string(), w)], ..Svc::default() };
    assert_eq!(
        sentence(&weighted("c1", f64::NAN), 12, None),
        "parameter 'class_weights': the weight of class 'c1' is NaN; expected a finite number above 0 \
         (to leave a class out, leave out its instances)"
    );
    // Zero was taken, and gave a machine for a class without instances.
    assert!(
        sentence(&weighted("c1", 0.0), 12, None).contains("is 0; expected a finite number above")
    );
    assert_eq!(
        sentence(&Svc { c: 1e308, ..weighted("c0", 100.0) }, 12, None),
        "parameter 'c': 1e308 times the weights of instance 0 is inf; use a smaller C or smaller weights"
    );
    assert_eq!(
        sentence(&weighted("d1", 1.0), 12, None),
        "unknown class 'd1' (did you mean 'c1'?); known: c0, c1, c2"
    );
}

#[test]
fn warm_start_of_another_problem() {
    let (gram, classes) = blobs(12, 3, 1.0, 1.0, 1);
    let svc = Svc::default();
    let mut warm = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
    let pairwise = Svc { decomposition: Decomposition::OneVsOne, ..Svc::default() };
    let refused = |svc: &Svc, warm: &Solution| {
        svc.fit(&gram, &classes, None, Some(warm), &Run::default()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&pairwise, &warm),
        "warm start: expected the 3 machines of this decomposition and these classes, \
         found 3 other machines"
    );
    warm.blocks[1].heads[0].coef.pop();
    assert_eq!(
        refused(&svc, &warm),
        "warm start: expected 12 coefficients per machine, one per label, found 11"
    );
    warm.blocks[1].heads[0].coef.push(f64::NAN);
    assert_eq!(
        refused(&svc, &warm),
        "warm start: expected finite coefficients, found one that is not"
    );
}
