use super::*;
use rand::RngExt;

fn levels() -> Vec<Level> {
    let mut all = vec![Level::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push(Level::Avx2);
        }
        if Level::detect() == Level::Avx512 {
            all.push(Level::Avx512);
        }
    }
    all
}

/// Both passes by the plainest loop.
fn plain<T: Real, G: Gradient>(
    f: &[G],
    row: &[T],
    d: &[G],
    low: &[u8],
    at: (f64, f64),
) -> Option<usize> {
    let mut best = (0.0, None);
    let able = |k: &usize| low[k / 8] >> (k % 8) & 1 != 0 && f[*k].into() > at.0;
    for k in (0..f.len()).filter(able) {
        let r: f64 = row[k].into();
        let (f, d): (f64, f64) = (f[k].into(), d[k].into());
        let gain = (f - at.0).powi(2) / (at.1 + d - 2.0 * r).max(1e-12);
        if gain > best.0 {
            best = (gain, Some(k));
        }
    }
    best.1
}

fn compare<T: Real, G: Gradient>(make: impl Fn(f64) -> T) {
    let mut rng = crate::Run::with_seed(3).rng("passes");
    let near = |a: f64, b: f64| (a - b).abs() < 4.0 * G::EPSILON;
    for m in [32, 64, 256, 1056] {
        for empty in [false, true] {
            let mut reals = || (0..m).map(|_| rng.random::<f64>() - 0.5).collect::<Vec<f64>>();
            let f: Vec<G> = reals().into_iter().map(G::of).collect();
            let q: Vec<G> = reals().into_iter().map(G::of).collect();
            let a: Vec<T> = reals().into_iter().map(&make).collect();
            let b: Vec<T> = reals().into_iter().map(&make).collect();
            let d: Vec<G> = reals().iter().map(|v| G::of(1.5 + v)).collect();
            let mut bits = || {
                (0..m / 8).map(|_| if empty { 0 } else { rng.random::<u8>() }).collect::<Vec<u8>>()
            };
            let (up, low) = (bits(), bits());
            let wide = |v: &[G]| v.iter().map(|v| (*v).into()).collect::<Vec<f64>>();
            let (mut moved, mut glided, mut line) = (wide(&f), wide(&f), wide(&q));
            for k in 0..m {
                let change = a[k].into() - b[k].into();
                moved[k] += 0.3 * change;
                line[k] = 0.2 * line[k] + change;
                glided[k] += 0.3 * line[k];
            }
            #[cfg(target_arch = "x86_64")]
            let mut fused = None;
            let partner = plain(&f, &a, &d, &low, (-0.2, 1.1));
            for level in levels() {
                let (mut g, mut h, mut s) = (f.clone(), f.clone(), q.clone());
                let one = update(level, &mut g, [&a, &b], 0.3, [&up, &low]);
                let two = glide(level, &mut h, &mut s, [&a, &b], (0.2, 0.3), [&up, &low]);
                for (found, got, want) in [(one, &g, &moved), (two, &h, &glided)] {
                    let got = wide(got);
                    assert!(got.iter().zip(want).all(|(x, y)| near(*x, *y)));
                    let expected = first(want, &up, &low);
                    if empty {
                        let ends = (found.min_up, found.max_low);
                        assert_eq!(ends, (f64::INFINITY, f64::NEG_INFINITY));
                    } else {
                        assert_eq!(found.i, expected.i);
                        assert!(near(found.min_up, expected.min_up));
                        assert!(near(found.max_low, expected.max_low));
                    }
                }
                assert!(wide(&s).iter().zip(&line).all(|(x, y)| near(*x, *y)));
                let j = second(level, &f, &a, &d, &low, (-0.2, 1.1), 1e-12);
                assert_eq!(j, partner, "{level:?}, {m} variables");
                // Those with fused multiply-add agree to the bit.
                #[cfg(target_arch = "x86_64")]
                if level != Level::Portable {
                    let fused =
                        fused.get_or_insert_with(|| (one, two, wide(&g), wide(&h), wide(&s)));
                    assert_eq!(*fused, (one, two, wide(&g), wide(&h), wide(&s)), "{level:?}");
                }
            }
        }
    }
}

#[test]
fn every_instruction_set_chooses_the_same_pair() {
    compare::<f32, f64>(|v| v as f32);
    compare::<f64, f64>(|v| v);
    compare::<f32, f32>(|v| v as f32);
    compare::<f64, f32>(|v| v);
}

/// Equal candidates: the lowest position.
#[test]
fn ties() {
    let (f, low) = (vec![0.5; 96], vec![0b1010_0000; 12]);
    for level in levels() {
        let row = vec![0.0_f32; 96];
        assert_eq!(second(level, &f, &row, &[1.0; 96], &low, (0.0, 1.0), 1e-12), Some(5));
        let found = update(level, &mut f.clone(), [&row, &row], 1.0, [&low, &low]);
        assert_eq!((found.i, found.min_up, found.max_low), (5, 0.5, 0.5));
        let single = [0.5_f32; 96];
        assert_eq!(second(level, &single, &row, &[1.0; 96], &low, (0.0, 1.0), 1e-12), Some(5));
        let found = update(level, &mut single.clone(), [&row, &row], 1.0, [&low, &low]);
        assert_eq!((found.i, found.min_up, found.max_low), (5, 0.5, 0.5));
    }
}
