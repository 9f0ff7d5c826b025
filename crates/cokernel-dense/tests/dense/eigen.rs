use cokernel_dense::{
    Slice, count_above, extreme_eigenvalues_while, leading_eigen_while, symmetric_eigen,
    symmetric_eigen_while,
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn eigenvalues_are_counted() {
    for n in [1, 2, 7, 60] {
        let entry =
            |i: usize, j: usize| ((i * j + i + j) as f64).sin() + f64::from(u8::from(i == j));
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let mut vectors = vec![0.0; n * n];
        let values = symmetric_eigen(Slice::new(&a, n, n), &mut vectors);
        for bound in [-3.0, 0.0, 0.5, 1.3, 40.0] {
            let expected = values.iter().flatten().filter(|v| **v > bound).count();
            assert_eq!(count_above(n, a.clone(), bound, &|| true), Some(expected), "{n} {bound}");
        }
    }
    assert_eq!(count_above(0, Vec::new(), 0.0, &|| true), Some(0));
    // A zero pivot on the way.
    assert_eq!(count_above(2, vec![0.0, 1.0, 1.0, 0.0], 0.0, &|| true), Some(1));
}

/// A v = V diag(values) Vᵀ v and VᵀV = I on both sides of the size from which the reduction is ours, of entries of the
/// order of 1, of 1e300 and of 1e-300, with repeated and with zero eigenvalues.
#[test]
fn decompositions_give_the_matrix() {
    for n in [1, 2, 47, 130, 799, 803] {
        let wave = |i: usize, j: usize| ((i * j + 3 * i + 3 * j) as f64).sin();
        let low = |i: usize, j: usize| f64::from(u8::from(i % 5 == j % 5));
        let entries: [&dyn Fn(usize, usize) -> f64; 4] =
            [&wave, &low, &|i, j| 1e300 * wave(i, j), &|i, j| 1e-300 * wave(i, j)];
        for entry in entries {
            // What is above the diagonal is not read.
            let a: Vec<f64> = (0..n * n)
                .map(|p| if p % n > p / n { f64::NAN } else { entry(p / n, p % n) })
                .collect();
            let a = Slice::new(&a, n, n);
            let mut v = vec![0.0; n * n];
            let values = symmetric_eigen(a, &mut v).unwrap();
            assert!(values.is_sorted());
            let size = values.iter().fold(f64::MIN_POSITIVE, |s, v| s.max(v.abs()));
            let ends = extreme_eigenvalues_while(a, &|| true).unwrap();
            assert!((ends.0 - values[0]).abs() <= 1e-12 * size, "{n} {ends:?}");
            assert!((ends.1 - values[n - 1]).abs() <= 1e-12 * size, "{n} {ends:?}");
            let x: Vec<f64> = (0..n).map(|i| (0.7 * i as f64).cos()).collect();
            let mut shares = vec![0.0; n];
            for (row, x) in v.chunks(n).zip(&x) {
                shares.iter_mut().zip(row).for_each(|(s, v)| *s += v * x);
            }
            for (i, row) in v.chunks(n).enumerate() {
                let back: f64 = row.iter().zip(&shares).map(|(v, s)| v * s).sum();
                assert!((back - x[i]).abs() < 1e-12, "{n} {i}");
                let all = row.iter().zip(&shares).zip(&values);
                let whole: f64 = all.map(|((v, s), value)| v * s * (value / size)).sum();
                let product: f64 = (0..n).map(|j| entry(i, j) / size * x[j]).sum();
                assert!((whole - product).abs() < 1e-12, "{n} {i}: {whole} {product}");
            }
        }
    }
}

/// Whether one into this room, which asks whether to go on, came to its end.
type Decomposition<'a> = dyn Fn(&mut [f64], &(dyn Fn() -> bool + Sync)) -> bool + 'a;

/// Everything asks again and again, and gives up when it is told so: at each of the questions.
#[test]
fn decompositions_are_given_up() {
    let n = 810;
    let a: Vec<f64> = (0..n * n).map(|p| ((p / n * (p % n)) as f64).sin()).collect();
    let matrix = Slice::new(&a, n, n);
    let (asked, mut v) = (AtomicUsize::new(0), vec![0.0; n * n]);
    let runs: [&Decomposition<'_>; 4] = [
        &|v, going| symmetric_eigen_while(matrix, v, going).is_some(),
        &|v, going| leading_eigen_while(matrix, 7, true, &mut v[..7 * n], going).is_some(),
        &|_, going| extreme_eigenvalues_while(matrix, going).is_some(),
        &|_, going| count_above(n, a.clone(), 0.5, going).is_some(),
    ];
    for run in runs {
        let mut goes_on = |limit: usize| {
            asked.store(0, Relaxed);
            run(&mut v, &|| asked.fetch_add(1, Relaxed) < limit)
        };
        assert!(goes_on(usize::MAX));
        let all = asked.load(Relaxed);
        assert!(all > 10, "{all}");
        assert!((0..all).step_by(all / 7).all(|limit| !goes_on(limit)));
    }
}
