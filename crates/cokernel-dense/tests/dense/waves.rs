use cokernel_dense::simd::{doubled, portable, waves};
use proptest::prelude::*;

fn off(x: &[f64], factor: f64, found: &[f64]) -> f64 {
    let want = |(j, v): (usize, &f64)| match j % 2 {
        0 => (factor * v).cos(),
        _ => (factor * v).sin(),
    };
    let pairs = x.iter().enumerate().map(want).zip(found);
    pairs.map(|(w, f)| (w - f).abs()).fold(0.0, f64::max)
}

proptest! {
    #[test]
    fn waves_are_those_of_the_standard_library(
        x in proptest::collection::vec(-1e3_f64..1e3, 0..70),
        factor in prop_oneof![Just(1.0), Just(1e-9), Just(900.0), Just(1e7), Just(1e290)],
    ) {
        let mut found = vec![f64::NAN; x.len()];
        waves(&x, factor, &mut found);
        prop_assert!(off(&x, factor, &found) <= 4e-16);
        portable::waves(&x, factor, &mut found);
        // Without fused multiplications k times the third part is rounded.
        prop_assert!(off(&x, factor, &found) <= 6e-16);
    }
}

#[test]
fn doubled_angles() {
    let x: Vec<f64> = (0..40).map(|j| 0.37 * f64::from(j / 2) - 2.0).collect();
    let (mut once, mut found) = (vec![0.0; 40], vec![0.0; 40]);
    waves(&x, 1.0, &mut once);
    for times in 1..13 {
        doubled(&once, times, &mut found);
        let factor = 2.0_f64.powi(times as i32);
        assert!(off(&x, factor, &found) <= 1e-15 * factor, "{times}");
    }
}

#[test]
fn quarters_and_ends() {
    let x: Vec<f64> =
        (-9..9).flat_map(|k| [f64::from(k) * std::f64::consts::FRAC_PI_4; 2]).collect();
    let mut found = vec![0.0; x.len()];
    waves(&x, 1.0, &mut found);
    assert!(off(&x, 1.0, &found) <= 3e-16);
    waves(&[1e300, -1e300, 0.0], 1e300, &mut found[..3]);
    assert_eq!(found[..3], [0.0, 0.0, 1.0]);
}
