//! Curves against the conditions of their optimum, and pairwise coupling against a dense solve of its
//! linear system.

use super::*;
use crate::Run;
use crate::machine::Decomposition;
use rand::RngExt;

/// n instances whose chance to be positive grows with their value, with some equal values and weights.
fn points(n: usize, seed: u64) -> (Vec<f64>, Vec<u32>, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("calibration tests");
    let values: Vec<f64> =
        (0..n).map(|_| (rng.random::<f64>() * 40.0).round() / 7.0 - 2.0).collect();
    let chance = |f: f64| 1.0 / (1.0 + (0.4 - 1.3 * f).exp());
    let mut codes: Vec<u32> =
        values.iter().map(|f| u32::from(rng.random::<f64>() < chance(*f))).collect();
    (codes[0], codes[1]) = (0, 1);
    let weights = (0..n).map(|i| [1.0, 0.5, 2.0, 0.0, 1.25][i % 5]).collect();
    (values, codes, weights)
}

fn binary() -> Vec<Role> {
    Decomposition::OneVsRest.roles(2)
}

fn fit(shape: Shape, codes: &[u32], values: &[f64], weights: Option<&[f64]>) -> Calibration {
    let how = Calibrating::new(shape);
    Calibration::fit(how, &binary(), codes, &[values.to_vec()], weights).unwrap()
}

fn sigmoid_of(c: &Calibration) -> (f64, f64) {
    match &c.curves[0] {
        Curve::Sigmoid { slope, offset } => (*slope, *offset),
        Curve::Isotonic { .. } => panic!("a sigmoid was expected"),
    }
}

/// The loss and its gradient by (A, B), straight from the definition.
fn platt((a, b): (f64, f64), codes: &[u32], values: &[f64], weights: &[f64]) -> (f64, f64, f64) {
    let count = |side: u32| -> f64 {
        (0..codes.len()).filter(|&i| codes[i] == side).map(|i| weights[i]).sum()
    };
    let (yes, no) = (count(1), count(0));
    let (mut loss, mut by_a, mut by_b) = (0.0, 0.0, 0.0);
    for ((&code, &f), &w) in codes.iter().zip(values).zip(weights) {
        let t = if code == 1 { (yes + 1.0) / (yes + 2.0) } else { 1.0 / (no + 2.0) };
        let p = 1.0 / (1.0 + (a * f + b).exp());
        loss -= w * (t * p.ln() + (1.0 - t) * (1.0 - p).ln());
        by_a += w * f * (t - p);
        by_b += w * (t - p);
    }
    (loss, by_a, by_b)
}

#[test]
fn the_sigmoid_is_at_the_optimum() {
    for (n, seed, unit) in [(4, 1, 1.0), (30, 2, 1.0), (500, 3, 1.0), (60, 4, 1e9), (60, 5, 1e-9)] {
        let (values, codes, weights) = points(n, seed);
        let values: Vec<f64> = values.iter().map(|v| v * unit).collect();
        for weights in [vec![1.0; n], weights] {
            let (a, b) = sigmoid_of(&fit(Shape::Sigmoid, &codes, &values, Some(&weights)));
            let (loss, by_a, by_b) = platt((a, b), &codes, &values, &weights);
            let all: f64 = weights.iter().sum();
            assert!(by_a.abs() < 1e-10 * all * unit && by_b.abs() < 1e-10 * all, "{by_a} {by_b}");
            // The loss is convex: no point of a grid around it is lower.
            for i in -10..=10 {
                for j in -10..=10 {
                    let near = (a + f64::from(i) * 0.05 / unit, b + f64::from(j) * 0.05);
                    assert!(platt(near, &codes, &values, &weights).0 >= loss * (1.0 - 1e-14));
                }
            }
        }
    }
}

#[test]
fn no_probability_is_minus_zero() {
    let c = fit(Shape::Isotonic, &[0, 0, 1], &[-1.0, 0.0, 1.0], None);
    let Curve::Isotonic { probabilities, .. } = &c.curves[0] else { panic!("{c:?}") };
    assert!(probabilities.iter().all(|p| p.is_sign_positive()), "{probabilities:?}");
}

#[test]
fn separated_values_have_probabilities_between_0_and_1() {
    for scale in [1e-300, 1e-8, 1.0, 1e8, 1e300] {
        for n in [2, 4, 200] {
            let values: Vec<f64> =
                (0..n).map(|i| scale * if i % 2 == 1 { 1.0 } else { -1.0 }).collect();
            let codes: Vec<u32> = (0..n).map(|i| i % 2).collect();
            let c = fit(Shape::Sigmoid, &codes, &values, None);
            let (a, b) = sigmoid_of(&c);
            assert!(a.is_finite() && b.is_finite(), "{scale} {n}");
            let at = |f: f64| c.probabilities(&binary(), 2, &Matrix::new(1, 1, vec![f]).unwrap());
            for f in [scale, -scale, 0.0, 1e308, -1e308, f64::MAX, f64::MIN] {
                let p = at(f);
                assert!(p.values().iter().all(|p| *p > 0.0 && *p < 1.0), "{f}: {:?}", p.values());
                assert!((p.values().iter().sum::<f64>() - 1.0).abs() < 1e-15);
            }
            // Values at two points: the sigmoid goes through the targets.
            let half = f64::from(n / 2);
            if scale > 1e-290 {
                let expected = (half + 1.0) / (half + 2.0);
                assert!((at(scale).get(0, 1) - expected).abs() < 1e-10, "{scale} {n}");
            }
        }
    }
}

#[test]
fn equal_values_give_the_mean_of_the_targets() {
    let codes = [0, 1, 0, 0, 1];
    let values = [3.5; 5];
    let c = fit(Shape::Sigmoid, &codes, &values, None);
    assert_eq!(sigmoid_of(&c).0, 0.0);
    let mean = (2.0 * 3.0 / 4.0 + 3.0 * 1.0 / 5.0) / 5.0;
    assert!(
        (c.curves[0].at(3.5) - mean).abs() < 1e-12 && (c.curves[0].at(-9.0) - mean).abs() < 1e-12
    );
    let c = fit(Shape::Isotonic, &codes, &values, None);
    assert_eq!([c.curves[0].at(3.5), c.curves[0].at(9.0), c.curves[0].at(-9.0)], [0.4; 3]);
}

/// The isotonic fit at each distinct value: max over starts of min over ends of the mean between.
fn isotonic_by_definition(values: &[f64], codes: &[u32], weights: &[f64]) -> Vec<(f64, f64)> {
    let mut at: Vec<f64> =
        (0..values.len()).filter(|&i| weights[i] > 0.0).map(|i| values[i]).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let mean = |low: f64, high: f64| {
        let (mut yes, mut all) = (0.0, 0.0);
        for i in (0..values.len()).filter(|&i| low <= values[i] && values[i] <= high) {
            yes += weights[i] * f64::from(codes[i]);
            all += weights[i];
        }
        yes / all
    };
    let one = |&f: &f64| {
        let starts = at.iter().filter(|s| **s <= f);
        let least = |s: &f64| {
            at.iter().filter(|e| **e >= f).map(|e| mean(*s, *e)).fold(f64::INFINITY, f64::min)
        };
        (f, starts.map(least).fold(f64::NEG_INFINITY, f64::max))
    };
    at.iter().map(one).collect()
}

#[test]
fn the_isotonic_curve_is_that_of_its_definition() {
    for (n, seed) in [(2, 1), (5, 2), (40, 3), (300, 4)] {
        let (values, codes, weights) = points(n, seed);
        for weights in [vec![1.0; n], weights] {
            let c = fit(Shape::Isotonic, &codes, &values, Some(&weights));
            let curve = &c.curves[0];
            assert!(c.check(&binary()).is_ok());
            let expected = isotonic_by_definition(&values, &codes, &weights);
            for &(f, p) in &expected {
                assert!((curve.at(f) - p).abs() < 1e-12, "{n} {f}: {} {p}", curve.at(f));
            }
            for pair in expected.windows(2) {
                let ((f0, p0), (f1, p1)) = (pair[0], pair[1]);
                let f = f0 + 0.3 * (f1 - f0);
                assert!((curve.at(f) - (p0 + 0.3 * (p1 - p0))).abs() < 1e-12);
            }
            let (first, last) = (expected[0], expected[expected.len() - 1]);
            assert_eq!(curve.at(f64::MIN), curve.at(first.0));
            assert_eq!(curve.at(f64::MAX), curve.at(last.0));
        }
    }
    // Differences of values beyond f64.
    let c = fit(Shape::Isotonic, &[0, 1], &[-1.7e308, 1.7e308], None);
    assert_eq!(c.curves[0].at(0.0), 0.5);
    assert!((c.curves[0].at(0.85e308) - 0.75).abs() < 1e-15);
}

#[test]
fn weights_count_instances_and_the_order_decides_about_nothing() {
    let (values, codes, _) = points(40, 7);
    let weights: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
    let repeated: Vec<usize> = (0..40).flat_map(|i| vec![i; i % 3]).collect();
    let pick = |rows: &[usize]| {
        let values: Vec<f64> = rows.iter().map(|&i| values[i]).collect();
        let codes: Vec<u32> = rows.iter().map(|&i| codes[i]).collect();
        (values, codes)
    };
    let backwards: Vec<usize> = (0..40).rev().collect();
    for shape in Shape::ALL {
        let c = fit(shape, &codes, &values, Some(&weights));
        let (more, more_codes) = pick(&repeated);
        let repeated = fit(shape, &more_codes, &more, None);
        let (turned, turned_codes) = pick(&backwards);
        let turned_weights: Vec<f64> = backwards.iter().map(|&i| weights[i]).collect();
        let turned = fit(shape, &turned_codes, &turned, Some(&turned_weights));
        for i in -30..60 {
            let f = f64::from(i) * 0.1;
            let p = c.curves[0].at(f);
            assert!((p - repeated.curves[0].at(f)).abs() < 1e-11, "{shape} {f}");
            assert!((p - turned.curves[0].at(f)).abs() < 1e-11, "{shape} {f}");
        }
    }
    // The names of both sides exchanged: the other probability.
    let opposite: Vec<f64> = values.iter().map(|v| -v).collect();
    let other: Vec<u32> = codes.iter().map(|c| 1 - c).collect();
    for shape in Shape::ALL {
        let (c, d) = (fit(shape, &codes, &values, None), fit(shape, &other, &opposite, None));
        for f in [-2.0, -0.31, 0.0, 0.77, 3.0] {
            assert!((c.curves[0].at(f) + d.curves[0].at(-f) - 1.0).abs() < 1e-11, "{shape}");
        }
    }
}

/// [Q 1; 1ᵀ 0] [p; b] = [0; 1] by elimination with pivots.
fn coupled(k: usize, r: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut a = vec![vec![0.0; k + 2]; k + 1];
    for i in 0..k {
        for j in (0..k).filter(|&j| j != i) {
            a[i][i] += r(j, i) * r(j, i);
            a[i][j] = -r(j, i) * r(i, j);
        }
        (a[i][k], a[k][i]) = (1.0, 1.0);
    }
    a[k][k + 1] = 1.0;
    for c in 0..=k {
        let pivot = (c..=k).max_by(|&x, &y| a[x][c].abs().total_cmp(&a[y][c].abs())).unwrap();
        a.swap(c, pivot);
        let row = a[c].clone();
        for other in a.iter_mut().skip(c + 1) {
            let factor = other[c] / row[c];
            other.iter_mut().zip(&row).for_each(|(v, w)| *v -= factor * w);
        }
    }
    let mut x = vec![0.0; k + 1];
    for c in (0..=k).rev() {
        let rest: f64 = (c + 1..=k).map(|j| a[c][j] * x[j]).sum();
        x[c] = (a[c][k + 1] - rest) / a[c][c];
    }
    x.truncate(k);
    x
}

#[test]
fn coupling_solves_its_linear_system() {
    let mut rng = Run::with_seed(1).rng("coupling");
    for k in [3, 4, 10, 40] {
        for turn in 0..20 {
            let mut r = vec![0.5; k * k];
            for i in 0..k {
                for j in 0..i {
                    let v: f64 = rng.random();
                    let v = if turn % 4 == 3 { v.round().clamp(1e-7, 1.0 - 1e-7) } else { v };
                    (r[i * k + j], r[j * k + i]) = (v, 1.0 - v);
                }
            }
            let both = (0..k).flat_map(|i| (0..i).map(move |j| (i, j)));
            let pairs: Vec<_> = both.map(|(i, j)| (i, j, r[i * k + j])).collect();
            let mut p = vec![0.0; k];
            coupling::probabilities(&pairs, &mut p);
            let expected = coupled(k, |i, j| r[i * k + j]);
            for (found, expected) in p.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{k} {turn}: {p:?} {expected:?}");
            }
            assert!(p.iter().all(|v| *v >= 0.0) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
    // Pairs that agree with some p give it back.
    let p = [0.1, 0.2, 0.3, 0.4];
    let pairs: Vec<_> =
        (0..4_usize).flat_map(|i| (0..i).map(move |j| (i, j, p[i] / (p[i] + p[j])))).collect();
    let mut found = [0.0; 4];
    coupling::probabilities(&pairs, &mut found);
    assert!(found.iter().zip(&p).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
}

#[test]
fn several_classes_are_divided_by_their_sum() {
    let roles = Decomposition::OneVsRest.roles(3);
    let steps = |at: f64| Curve::Isotonic { values: vec![at], probabilities: vec![at] };
    let how = Calibrating::new(Shape::Isotonic);
    let c =
        |p: [f64; 3]| Calibration { how, status: Status::Converged, curves: p.map(steps).to_vec() };
    let values = Matrix::zeros(1, 3);
    assert_eq!(c([0.25, 0.75, 0.0]).probabilities(&roles, 3, &values).values(), [0.25, 0.75, 0.0]);
    assert_eq!(c([0.5, 0.5, 1.0]).probabilities(&roles, 3, &values).values(), [0.25, 0.25, 0.5]);
    assert_eq!(c([0.0; 3]).probabilities(&roles, 3, &values).values(), [1.0 / 3.0; 3]);
}

#[test]
fn what_is_no_calibration_is_refused() {
    let (values, codes, _) = points(20, 9);
    let how = Calibrating::new(Shape::Sigmoid);
    let said = |e: Result<Calibration>| e.unwrap_err().to_string();
    let fit = |how: Calibrating, codes: &[u32], values: &[f64], w: Option<&[f64]>| {
        said(Calibration::fit(how, &binary(), codes, &[values.to_vec()], w))
    };
    assert!(fit(how.folds(1), &codes, &values, None).contains("expected 2 to 1000 folds, found 1"));
    assert!(fit(how, &codes[1..], &values, None).contains("expected 19, found 20"));
    assert!(fit(how, &codes, &[f64::NAN; 20], None).contains("is not finite"));
    assert!(fit(how, &[1; 20], &values, None).contains("has no instance"));
    let of_one: Vec<f64> = codes.iter().map(|c| f64::from(*c)).collect();
    assert!(fit(how, &codes, &values, Some(&of_one)).contains("weight above 0"));
    let e = Shape::from_id("sigmoidal").unwrap_err().to_string();
    assert!(e.contains("did you mean 'sigmoid'"), "{e}");
    let good = super::Calibration::fit(how, &binary(), &codes, &[values], None).unwrap();
    assert!(good.check(&binary()).is_ok());
    let other = |curve: Curve, shape: Shape| {
        let c = Calibration {
            how: Calibrating::new(shape),
            status: Status::Converged,
            curves: vec![curve],
        };
        said(c.check(&binary()).map(|()| c.clone()))
    };
    let bad = Curve::Sigmoid { slope: f64::INFINITY, offset: 0.0 };
    assert!(other(bad.clone(), Shape::Sigmoid).contains("not finite"));
    assert!(other(bad, Shape::Isotonic).contains("expected an isotonic one"));
    let isotonic = |values: &[f64], probabilities: &[f64]| Curve::Isotonic {
        values: values.to_vec(),
        probabilities: probabilities.to_vec(),
    };
    for (curve, sentence) in [
        (isotonic(&[], &[]), "one probability for each"),
        (isotonic(&[1.0], &[0.0, 1.0]), "one probability for each"),
        (isotonic(&[1.0, 1.0], &[0.0, 1.0]), "not increasing"),
        (isotonic(&[1.0, f64::INFINITY], &[0.0, 1.0]), "not increasing"),
        (isotonic(&[1.0, 2.0], &[0.5, 0.4]), "fall"),
        (isotonic(&[1.0, 2.0], &[0.5, 1.1]), "fall"),
        (isotonic(&[1.0], &[f64::NAN]), "fall"),
    ] {
        let said = other(curve.clone(), Shape::Isotonic);
        assert!(said.contains(sentence), "{said}");
        assert!(other(curve, Shape::Sigmoid).contains("expected a sigmoid"));
    }
    let roles = Decomposition::OneVsRest.roles(3);
    assert!(good.check(&roles).unwrap_err().to_string().contains("expected 3, found 1"));
}
