use cokernel_dense::{Cholesky, LeveledCholesky};

#[test]
fn levels_are_no_matter() {
    // Rows and columns of [[4, 2], [2, 5]] times 1 and 10⁻⁹.
    let (a, t) = ([4.0, 2.0, 2.0, 5.0], [1.0, 1e-9]);
    let matrix = (0..4).map(|k| a[k] * t[k / 2] * t[k % 2]).collect();
    let c = LeveledCholesky::new(2, matrix).unwrap();
    let found = c.solved(&[8.0 * t[0], 12.0 * t[1]]);
    assert!((found[0] - 1.0).abs() < 1e-14 && (found[1] * t[1] - 2.0).abs() < 1e-14, "{found:?}");
    let mut root = [8.0 * t[0], 12.0 * t[1]];
    c.forward(&mut root);
    // bᵀA⁻¹b = 8 · 1 + 12 · 2.
    assert!((root.iter().map(|v| v * v).sum::<f64>() - 32.0).abs() < 1e-13);
    assert!(LeveledCholesky::new(1, vec![f64::NAN]).is_none());
}

#[test]
fn solves_a_hand_computed_system() {
    // A = [[4, 2], [2, 5]], L = [[2, 0], [1, 2]].
    let c = Cholesky::new(2, vec![4.0, 2.0, 2.0, 5.0]).unwrap();
    for (found, entry) in c.inverse().iter().zip([0.3125, -0.125, -0.125, 0.25]) {
        assert!((found - entry).abs() < 1e-15);
    }
    for (found, entry) in c.inverse_diagonal().iter().zip([0.3125, 0.25]) {
        assert!((found - entry).abs() < 1e-15);
    }
    assert!((c.log_determinant() - 16.0_f64.ln()).abs() < 1e-15);
    assert_eq!(c.upper(), [2.0, 1.0, 0.0, 2.0]);
    let mut b = vec![2.0, 5.0, 8.0, 8.0];
    c.forward(&mut b, 2);
    assert_eq!(b, [1.0, 2.0, 4.0, 2.0]);
    let mut b = vec![8.0, 12.0];
    c.solve(&mut b, 1);
    assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15, "{b:?}");
}

#[test]
fn singular_matrices_need_a_ridge() {
    let ones = vec![1.0; 9];
    assert!(Cholesky::new(3, ones.clone()).is_none());
    let c = Cholesky::with_ridge(3, &ones).unwrap();
    let mut b = vec![3.0, 3.0, 3.0];
    c.solve(&mut b, 1);
    assert!(b.iter().all(|v| (v - 1.0).abs() < 1e-3), "{b:?}");
    assert!(Cholesky::with_ridge(1, &[f64::NAN]).is_none());
}
