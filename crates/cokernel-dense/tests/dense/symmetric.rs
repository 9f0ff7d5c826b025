use cokernel_dense::simd::symmetric_times;

#[test]
fn is_the_product() {
    for n in [0, 1, 3, 4, 5, 11, 12, 13, 40, 97] {
        let stride = n + 3;
        let entry = |i: usize, j: usize| ((i.min(j) * 7 + i.max(j) * 3) as f64 * 0.7).sin();
        // What lies before the diagonal is not read.
        let a: Vec<f64> = (0..n * stride)
            .map(|p| (p / stride, p % stride))
            .map(|(i, j)| if j < i { f64::NAN } else { entry(i, j) })
            .collect();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut y = vec![f64::NAN; n];
        symmetric_times(&a, stride, &x, &mut y);
        for i in 0..n {
            let want: f64 = (0..n).map(|j| entry(i, j) * x[j]).sum();
            assert!((y[i] - want).abs() < 1e-12, "{n}, {i}: {} and {want}", y[i]);
        }
    }
}
