use cokernel_dense::{Slice, count_above, symmetric_eigen};

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
            assert_eq!(count_above(n, a.clone(), bound), expected, "{n} {bound}");
        }
    }
    assert_eq!(count_above(0, Vec::new(), 0.0), 0);
    // A zero pivot on the way.
    assert_eq!(count_above(2, vec![0.0, 1.0, 1.0, 0.0], 0.0), 1);
}
