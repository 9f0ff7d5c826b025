use cokernel_dense::Lu;

#[test]
fn solves_systems_that_need_pivots() {
    let lu = Lu::new(2, vec![0.0, 2.0, 4.0, 1.0]).unwrap();
    let mut b = vec![2.0, 9.0, -4.0, 0.0];
    lu.solve(&mut b, 2);
    assert_eq!(b, [2.0, 1.0, 0.5, -2.0]);
    for n in [1, 3, 40, 150] {
        let entry = |i: usize, j: usize| ((1 + i + 7 * i * j + 3 * j * j) as f64).sin();
        let a: Vec<f64> = (0..n * n).map(|p| entry(p / n, p % n)).collect();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut b: Vec<f64> =
            a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        Lu::new(n, a).unwrap().solve(&mut b, 1);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-8), "{n}");
    }
}

#[test]
fn singular_matrices_have_none() {
    assert!(Lu::new(2, vec![0.0; 4]).is_none());
    assert!(Lu::new(1, vec![f64::NAN]).is_none());
    assert!(Lu::new(0, Vec::new()).is_some());
}
