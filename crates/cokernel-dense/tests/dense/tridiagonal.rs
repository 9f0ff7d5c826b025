use cokernel_dense::simd::dot;
use cokernel_dense::tridiagonal::Reduced;

/// Q T Qᵀ = A and QᵀQ = I, for sizes around those of blocks and strips.
#[test]
fn is_a_similarity() {
    for n in [1, 2, 3, 31, 32, 33, 34, 65, 97, 130, 200] {
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.min(j) as f64, i.max(j) as f64);
            (0.7 * i * i + 1.3 * j).sin() / (1.0 + 0.1 * (j - i))
        };
        let spread: [&dyn Fn(usize, usize) -> f64; 3] =
            [&entry, &|i, j| if i == j { 1.0 } else { 0.0 }, &|i, j| {
                if i.abs_diff(j) == 1 { 1.0 } else { 1e-200 * entry(i, j) }
            }];
        for entry in spread {
            let a: Vec<f64> = (0..n * n)
                .map(|p| if p % n < p / n { f64::NAN } else { entry(p / n, p % n) })
                .collect();
            let reduced = Reduced::new(n, a, &|| true).unwrap();
            // Rows: Q times the unit vectors, so columns of Q.
            let mut q: Vec<f64> = (0..n * n).map(|p| f64::from(u8::from(p / n == p % n))).collect();
            reduced.apply(&mut q, &|| true).unwrap();
            for i in 0..n {
                for j in 0..n {
                    let inner = dot(&q[i * n..(i + 1) * n], &q[j * n..(j + 1) * n]);
                    assert!((inner - f64::from(u8::from(i == j))).abs() < 1e-13);
                    let mut sum = 0.0;
                    for t in 0..n {
                        sum += q[t * n + i] * reduced.d[t] * q[t * n + j];
                        if t + 1 < n {
                            let (a, b) = (&q[t * n..], &q[(t + 1) * n..]);
                            sum += reduced.e[t] * (a[i] * b[j] + b[i] * a[j]);
                        }
                    }
                    assert!((sum - entry(i, j)).abs() < 1e-13 * n as f64, "{n}, {i}, {j}");
                }
            }
        }
    }
}
