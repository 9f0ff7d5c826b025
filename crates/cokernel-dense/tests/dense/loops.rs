use cokernel_dense::simd::*;
use proptest::prelude::*;

fn exps(x: &[f64], factor: f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; x.len()];
    exp_of(x, factor, &mut out);
    let mut again = x.to_vec();
    exp_in_place(&mut again, factor);
    assert_eq!(out, again);
    out
}

#[test]
fn exponential_at_the_ends() {
    let out = exps(&[0.0, 1.0, 345.0, 346.0, 1e6, f64::MAX], -1.0);
    assert_eq!(out[0], 1.0);
    assert!((out[1] - (-1.0_f64).exp()).abs() < 1e-16);
    assert!((out[2] / (-345.0_f64).exp() - 1.0).abs() < 1e-15);
    assert_eq!(out[3..], [0.0, 0.0, 0.0]);
}

#[test]
fn squares_are_powers_of_powers_of_two() {
    let mut out = [0.0; 2];
    squares(&[3.0, 0.5], 2, &mut out);
    assert_eq!(out, [81.0, 0.0625]);
    squares(&[1e-74, 1e-76], 1, &mut out);
    assert!(out[0] > 0.99e-148 && out[1] == 0.0);
}

proptest! {
    #[test]
    fn exponential_is_within_two_units_of_the_last_place(x in -345.0_f64..700.0) {
        let got = exps(&[x], 1.0)[0];
        let want = x.exp();
        prop_assert!((got / want - 1.0).abs() <= 4.5e-16, "{x}: {got} {want}");
        let mut portable = [0.0];
        portable::exp_of(&[x], 1.0, &mut portable);
        prop_assert!((portable[0] / want - 1.0).abs() <= 1e-15, "{x}: {portable:?} {want}");
    }

    #[test]
    fn sums_agree_with_plain_loops(
        pairs in proptest::collection::vec((0.0_f64..9.0, 0.0_f64..9.0), 0..90),
    ) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-12 * (1.0 + y.abs());
        let sum = |f: fn(f64, f64) -> f64| pairs.iter().map(|p| f(p.0, p.1)).sum::<f64>();
        prop_assert!(near(dot(&a, &b), sum(|x, z| x * z)));
        prop_assert!(near(squared_distance(&a, &b), sum(|x, z| (x - z) * (x - z))));
        prop_assert!(near(manhattan(&a, &b), sum(|x, z| (x - z).abs())));
        let chi = sum(|x, z| if x + z > 0.0 { (x - z) * (x - z) / (x + z) } else { 0.0 });
        prop_assert!(near(chi_squared(&a, &b), chi));
        let smallest = a.iter().copied().fold(f64::INFINITY, f64::min);
        let mut added = b.clone();
        let (total, low) = row_sum(&a, 0, &mut added);
        prop_assert!(near(total, sum(|x, _| x)) && low == smallest && least(&a) == smallest);
        let greatest = a.iter().copied().fold(0.0, f64::max);
        let negative: Vec<f64> = a.iter().map(|v| -v).collect();
        prop_assert!(largest(&a) == greatest && largest(&negative) == greatest);
        prop_assert!(pairs.iter().zip(&added).all(|((x, z), s)| *s == x + z));
        let mut out = vec![1.0; a.len()];
        let terms: Vec<(f64, &[f64])> = (0..5).map(|w| (f64::from(w), &a[..])).collect();
        weighted_sum(&terms, &mut out);
        prop_assert!(out.iter().zip(&a).all(|(o, x)| near(*o, 1.0 + 10.0 * x)));
        let terms: Vec<Gated<'_>> = (0..5).map(|w| (f64::from(w), &b[..], &a[..])).collect();
        let mut out = vec![1.0; a.len()];
        gated_sum(&terms, &mut out);
        prop_assert!(out.iter().zip(&pairs).all(|(o, (x, z))| near(*o, 1.0 + 10.0 * x * z)));
        let (scaled, mut out): (Vec<f64>, _) = (a.iter().map(|v| v / 6.0).collect(), b.clone());
        harmonic(&mut out, 0.3, 0.7, &scaled);
        let one = |v: f64, term: f64| term * 0.3 / (1.0 - 0.7 * v.min(1.0));
        prop_assert!(out.iter().zip(scaled.iter().zip(&b)).all(|(o, (v, t))| near(*o, one(*v, *t))));
    }
}
