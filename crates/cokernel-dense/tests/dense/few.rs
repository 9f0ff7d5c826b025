//! Products and sums of a few rows at a time.

use cokernel_dense::simd::{FewRows, ROWS_OF_MOMENTS as ROWS, row_moment, row_moments};

/// Most rows of [`FewRows`].
const MOST: usize = 48;

#[test]
fn sums_are_those_of_the_definition() {
    for (rows, cols) in [(1, 1), (2, 9), (4, 8), (5, 16), (20, 128), (23, 77), (MOST, 5)] {
        let Some(mut found) = FewRows::new(rows) else { continue };
        let stride = cols + 3;
        let value = |k: usize| ((k * k % 1013) as f64 * 0.37).sin();
        let mut want = vec![1.0; rows * rows];
        let mut out = want.clone();
        for (weight, pieces) in [(2.0, 3), (1.0, 1)] {
            for piece in 0..pieces {
                let values: Vec<f64> =
                    (0..(rows - 1) * stride + cols).map(|k| value(k + piece)).collect();
                found.add(&values, stride, cols);
                for i in 0..rows {
                    for j in 0..rows {
                        let (a, b) = (&values[i * stride..], &values[j * stride..]);
                        let dot: f64 = (0..cols).map(|k| a[k] * b[k]).sum();
                        want[i * rows + j] += weight * dot;
                    }
                }
            }
            found.add_to(weight, &mut out);
        }
        for (a, b) in out.iter().zip(&want) {
            assert!((a - b).abs() < 1e-11, "{rows} x {cols}: {a} {b}");
        }
    }
    assert!(FewRows::new(MOST + 1).is_none());
}

#[test]
fn moments_are_those_of_the_definition() {
    for n in [1, 7, 8, 101] {
        let row = |r: usize| (0..n).map(|k| ((k * k + 3 * r) as f64 * 0.37).sin()).collect();
        let rows: Vec<Vec<f64>> = (0..ROWS).map(row).collect();
        let vectors: Vec<Vec<f64>> = (0..ROWS).map(|r| row(r + 5)).collect();
        let pairs = std::array::from_fn(|r| (&rows[r][..], &vectors[r][..]));
        let (mut together, mut alone) = (vec![1.0; n], vec![1.0; n]);
        let found = row_moments(&pairs, &mut together);
        let bare = row_moments(&pairs, &mut []);
        for (r, pair) in pairs.iter().enumerate() {
            let sum: f64 = rows[r].iter().sum();
            let dot: f64 = rows[r].iter().zip(&vectors[r]).map(|(a, b)| a * b).sum();
            for (a, b) in [row_moment(*pair, &mut alone), bare[r], found[r]] {
                assert!((a - sum).abs() < 1e-13 && (b - dot).abs() < 1e-13);
            }
        }
        for k in 0..n {
            let sum: f64 = rows.iter().map(|row| row[k]).sum();
            assert!((together[k] - 1.0 - sum).abs() < 1e-14);
            assert!((alone[k] - 1.0 - sum).abs() < 1e-14);
        }
    }
}
