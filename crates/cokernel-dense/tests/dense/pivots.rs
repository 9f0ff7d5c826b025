use cokernel_dense::simd::{LEAST_SQUARE, TOGETHER, positive_pivots};
use cokernel_dense::{Slice, symmetric_eigen};

/// Diagonal and the numbers beside it, with no entry above 1.
fn cases() -> Vec<(Vec<f64>, Vec<f64>)> {
    let wave = |n: usize, speed: f64| (0..n).map(|i| (i as f64 * speed).sin()).collect::<Vec<_>>();
    vec![
        (wave(1, 0.7), Vec::new()),
        (wave(7, 0.7), wave(6, 1.3)),
        (wave(250, 0.7), wave(249, 1.3)),
        // A path, whose leading minors at 0 are 0 in turn.
        (vec![0.0; 60], vec![0.5; 59]),
        // Blocks, and equal eigenvalues.
        (vec![0.25; 40], vec![0.0; 39]),
        (vec![0.0; 31], (0..30).map(|i| f64::from(u8::from(i % 3 == 0))).collect()),
        // From 1 down to far below what is told from 0.
        (
            (0..400).map(|i| 0.8_f64.powi(i)).collect(),
            (1..400).map(|i| 0.5 * 0.8_f64.powi(i)).collect(),
        ),
        (vec![1e-300; 90], vec![1e-200; 89]),
    ]
}

/// As many as there are eigenvalues above, also where a minor is 0, and where hundreds of factors are far from 1.
#[test]
fn pivots_count_eigenvalues() {
    for (case, (d, e)) in cases().iter().enumerate() {
        let n = d.len();
        let mut a = vec![0.0; n * n];
        (0..n).for_each(|i| a[i * n + i] = d[i]);
        (0..n - 1).for_each(|i| (a[i * n + i + 1], a[(i + 1) * n + i]) = (e[i], e[i]));
        let values =
            symmetric_eigen(Slice::new(&a, n, n), &mut vec![0.0; n * n]).expect("they converge");
        let squares: Vec<f64> =
            e.iter().map(|e| (e * e).max(LEAST_SQUARE)).chain([LEAST_SQUARE]).collect();
        let at: Vec<f64> =
            (0..64).map(|k| -2.0 + k as f64 / 16.0).chain([1e-3, 0.01, 0.25 + 1e-9]).collect();
        for some in at.chunks(TOGETHER) {
            let x = std::array::from_fn(|l| some[l.min(some.len() - 1)]);
            for (x, found) in x.iter().zip(positive_pivots(d, &squares, &x)) {
                // An eigenvalue within rounding of x may be on either side.
                let above = |x: f64| values.iter().filter(|v| **v > x).count() as u64;
                let near = 1e-14;
                assert!((above(x + near)..=above(x - near)).contains(&found), "{case} {x} {found}");
            }
        }
    }
}
