use super::*;
use crate::Run;
use rand::RngExt;

const LIMITS: Limits = Limits { tol: 0.01, most: 400 };

/// All values, checked to be in the box.
fn searched(factors: &[Factor], limits: Limits, f: &mut dyn FnMut(&[f64]) -> f64) -> Found {
    let found = minimise(factors, limits, &mut |values| Ok(Some(f(values)))).unwrap();
    for evaluation in &found.trace {
        for (v, factor) in evaluation.values.iter().zip(factors) {
            assert!((factor.low..=factor.high).contains(v), "{v} outside {factor:?}");
        }
    }
    assert!(found.trace.len() <= limits.most);
    found
}

fn best(found: &Found) -> &[f64] {
    &found.trace[found.best.unwrap()].values
}

/// Σ_i (log₁₀ v_i − x*_i)² + ½ Σ_i of neighbours' products.
fn bowl(at: &[f64]) -> impl Fn(&[f64]) -> f64 + use<> {
    let at = at.to_vec();
    move |values: &[f64]| {
        let u: Vec<f64> = values.iter().zip(&at).map(|(v, x)| v.log10() - x).collect();
        let squares: f64 = u.iter().map(|u| u * u).sum();
        3.0 + squares + 0.5 * u.windows(2).map(|w| w[0] * w[1]).sum::<f64>()
    }
}

#[test]
fn the_design_is_that_of_koshal() {
    let factors = [Factor::log10(1.0, 0.3); 2];
    let expected = [[0.0, 0.0], [0.3, 0.0], [-0.3, 0.0], [0.0, 0.3], [0.0, -0.3], [0.3, 0.3]];
    let found = design(&factors);
    assert_eq!((found.len(), design_size(2)), (6, 6));
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < 1e-15);
    }
    assert_eq!((design(&[]).len(), design_size(0), design_size(10)), (1, 1, 66));
    // Next to an end of the box both levels are on the other side; without room there are none.
    let low = Factor { low: 1.0, ..factors[0] };
    assert_eq!(low.levels(), [0.3, 0.6]);
    let none = Factor { low: 1.0, high: 1.0, ..factors[0] };
    assert_eq!(design(&[factors[0], none]).len(), 3);
}

#[test]
fn planted_optima_are_found() {
    for (at, most) in [
        (vec![0.17], 5),
        (vec![0.2, -0.35], 8),
        // Several steps away: the region of trust grows.
        (vec![0.9, -0.8], 14),
        ((0..10).map(|i| 0.08 * i as f64 - 0.3).collect(), 72),
    ] {
        let factors = vec![Factor::log10(1.0, 0.3); at.len()];
        let f = bowl(&at);
        let found = searched(&factors, LIMITS, &mut |v| f(v));
        assert_eq!(found.ended, Ended::Settled, "{at:?}");
        assert!(found.trace.len() <= most, "{at:?}: {}", found.trace.len());
        for (v, x) in best(&found).iter().zip(&at) {
            assert!((v.log10() - x).abs() < 1e-4, "{at:?}: {:?}", best(&found));
        }
        // Of a quadratic the surface knows everything.
        let steps = found.trace.iter().filter(|e| e.predicted.is_some());
        for step in steps {
            assert!(
                (step.predicted.unwrap() - step.response).abs() < 1e-4
                    && step.trusted == Some(true)
            );
        }
    }
}

#[test]
fn linear_coordinates_too() {
    let factor = Factor { low: -5.0, high: 5.0, start: 0.0, step: 1.0, scale: Scale::Linear };
    let found =
        searched(&[factor, factor], LIMITS, &mut |v| (v[0] - 2.5).powi(2) + (v[1] + 1.0).powi(2));
    assert!((best(&found)[0] - 2.5).abs() < 1e-4 && (best(&found)[1] + 1.0).abs() < 1e-4);
}

#[test]
fn surfaces_that_are_no_bowls_are_searched_too() {
    // Rosenbrock's valley in log₁₀: no quadratic, the least point is (0.5, 0.25).
    let factors = [Factor::log10(1.0, 0.3); 2];
    let mut valley = |v: &[f64]| {
        let (a, b) = (v[0].log10(), v[1].log10());
        (0.5 - a).powi(2) + 10.0 * (b - a * a).powi(2)
    };
    let found = searched(&factors, LIMITS, &mut valley);
    let least = found.trace[found.best.unwrap()].response;
    assert!(least < 0.05, "{least} after {} evaluations", found.trace.len());
    // A saddle and a hill: the best points are ends of the box.
    let found = searched(&factors, LIMITS, &mut |v| v[0].log10() * v[1].log10());
    assert!(found.trace[found.best.unwrap()].response < -0.99);
    let found = searched(&factors, LIMITS, &mut |v| -v[0].log10().powi(2) - v[1].log10().powi(2));
    assert!(found.trace[found.best.unwrap()].response < -1.99);
}

#[test]
fn flat_surfaces_end_at_the_centre() {
    for p in [0, 1, 3] {
        let found = searched(&vec![Factor::log10(1.0, 0.3); p], LIMITS, &mut |_| 0.25);
        assert_eq!((found.ended, found.best), (Ended::Flat, Some(0)));
        assert_eq!(found.trace.len(), design_size(p));
        assert!(best(&found).iter().all(|v| *v == 1.0));
    }
    // Flat along one number: it stays.
    let found =
        searched(&[Factor::log10(1.0, 0.3); 2], LIMITS, &mut |v| (v[0].log10() - 0.2).powi(2));
    assert!((best(&found)[0].log10() - 0.2).abs() < 1e-3 && best(&found)[1].log10().abs() < 0.35);
}

#[test]
fn rising_surfaces_end_at_the_edge_of_the_box() {
    let factors = [Factor::log10(1.0, 0.3); 3];
    let found = searched(&factors, LIMITS, &mut |v| v.iter().map(|v| v.log10()).sum());
    assert_eq!(found.ended, Ended::Settled);
    assert!(best(&found).iter().all(|v| (v.log10() + 1.0).abs() < 1e-9), "{:?}", best(&found));
}

#[test]
fn noise_ends_and_repeats() {
    for (seed, p) in [(1, 1), (2, 2), (3, 5), (4, 10)] {
        let factors = vec![Factor::log10(1.0, 0.3); p];
        let search = || {
            let mut rng = Run::with_seed(seed).rng("noise");
            searched(&factors, LIMITS, &mut |_| rng.random::<f64>())
        };
        let found = search();
        assert_eq!(found, search());
        assert!(matches!(found.ended, Ended::Settled | Ended::Limit));
        let least = found.least_so_far();
        assert!(least.windows(2).all(|w| w[1] <= w[0]));
        assert_eq!(least.last().copied(), Some(found.trace[found.best.unwrap()].response));
        // A bowl under noise of a tenth of what it rises by within the box.
        let mut rng = Run::with_seed(seed).rng("noise");
        let f = bowl(&vec![0.3; p]);
        let found = searched(&factors, LIMITS, &mut |v| f(v) + 0.1 * rng.random::<f64>());
        assert!(f(best(&found)) < f(&vec![1.0; p]), "{p}: {:?}", best(&found));
    }
}

#[test]
fn steps_as_shares_of_wrong_answers_have() {
    // 40 instances: responses are multiples of 1/40, with many ties.
    let at = [0.4, -0.2];
    let f = bowl(&at);
    let found = searched(&[Factor::log10(1.0, 0.3); 2], LIMITS, &mut |v| {
        (40.0 * (f(v) - 3.0)).round() / 40.0
    });
    let distance = distance(&best(&found).iter().map(|v| v.log10()).collect::<Vec<_>>(), &at);
    assert!(distance < 0.15, "{distance}");
}

#[test]
fn failures_are_survived() {
    let factors = [Factor::log10(1.0, 0.3); 2];
    let f = bowl(&[0.2, 0.1]);
    // Nothing can be evaluated where the second number is below 0.6, a point of the design among them.
    let found = searched(&factors, LIMITS, &mut |v| if v[1] < 0.6 { f64::NAN } else { f(v) });
    assert!(f(best(&found)) < f(&[1.0, 1.0]));
    assert!(found.trace.iter().any(|e| e.response.is_nan()));
    let found = searched(&factors, LIMITS, &mut |_| f64::INFINITY);
    assert_eq!((found.best, found.last), (None, None));
    assert!(found.least_so_far().is_empty());
    // A stop keeps what is known.
    let mut left = 4;
    let found = minimise(&factors, LIMITS, &mut |v| {
        left -= 1;
        Ok((left >= 0).then(|| f(v)))
    });
    let found = found.unwrap();
    assert_eq!((found.ended, found.trace.len()), (Ended::Stopped, 4));
    assert!(found.best.is_some());
    let e = minimise(&factors, LIMITS, &mut |_| Err(Error::Data("no".to_string()))).unwrap_err();
    assert_eq!(e.to_string(), "no");
}

#[test]
fn limits_are_kept() {
    let f = bowl(&[0.2, 0.1]);
    for most in 1..=6 {
        let limits = Limits { tol: 1e-9, most };
        let found = searched(&[Factor::log10(1.0, 0.3); 2], limits, &mut |v| f(v));
        assert_eq!((found.ended, found.trace.len()), (Ended::Limit, most));
    }
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let good = Factor::log10(1.0, 0.3);
    let refused = |factor: Factor| {
        minimise(&[factor], LIMITS, &mut |_| Ok(Some(0.0))).unwrap_err().to_string()
    };
    assert!(refused(Factor { low: 0.0, ..good }).contains("numbers above 0, found 0, 1 and 10"));
    assert!(refused(Factor { start: 11.0, ..good }).contains("low ≤ start ≤ high"));
    assert!(refused(Factor { step: 0.0, ..good }).contains("step"));
    assert!(refused(Factor { high: f64::NAN, ..good }).contains("factor"));
    let none = Limits { most: 0, ..LIMITS };
    assert!(minimise(&[good], none, &mut |_| Ok(None)).is_err());
}
