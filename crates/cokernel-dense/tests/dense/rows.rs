use cokernel_dense::simd::{weighted_rows, weighted_sum};

#[test]
fn is_the_other_sum() {
    for len in [0, 1, 104, 128, 131, 300] {
        let row = |s: usize| -> Vec<f64> {
            (0..len + s % 3).map(|i| ((i * 7 + s) as f64 * 0.37).sin()).collect()
        };
        for count in [0, 1, 4, 7, 20] {
            let rows: Vec<Vec<f64>> = (0..count).map(row).collect();
            let terms: Vec<_> =
                rows.iter().enumerate().map(|(s, x)| (0.3 * s as f64 - 1.0, &x[..len])).collect();
            let (mut got, mut want) = (vec![0.5; len], vec![0.5; len]);
            weighted_rows(&terms, &mut got);
            weighted_sum(&terms, &mut want);
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() <= 1e-14), "{len} {count}");
        }
    }
}
