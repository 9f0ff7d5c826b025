//! Quadratic programs by an interior-point method.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolution, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use cokernel::data::Matrix;

/// The least ½xᵀPx + qᵀx with aᵀx = b for each (a, b) of `equalities` and lower ≤ x ≤ upper.
pub fn least(
    p: &Matrix,
    q: &[f64],
    equalities: &[(Vec<f64>, f64)],
    lower: &[f64],
    upper: &[f64],
) -> f64 {
    let n = q.len();
    let triangle = |i: usize| (0..n).map(|j| if j >= i { p.get(i, j) } else { 0.0 }).collect();
    let rows: Vec<Vec<f64>> = (0..n).map(triangle).collect();
    let unit = |i: usize, v: f64| (0..n).map(|j| if j == i { v } else { 0.0 }).collect();
    let mut constraints: Vec<Vec<f64>> = equalities.iter().map(|e| e.0.clone()).collect();
    constraints.extend((0..n).map(|i| unit(i, -1.0)));
    constraints.extend((0..n).map(|i| unit(i, 1.0)));
    let mut b: Vec<f64> = equalities.iter().map(|e| e.1).collect();
    b.extend(lower.iter().map(|l| -l));
    b.extend(upper);
    let cones =
        [SupportedConeT::ZeroConeT(equalities.len()), SupportedConeT::NonnegativeConeT(2 * n)];
    let (p, a) = (CscMatrix::from(&rows), CscMatrix::from(&constraints));
    interior_point(&p, q, &a, &b, &cones).obj_val
}

/// The least ½xᵀPx + qᵀx with b − Ax in the cones, P by its upper triangle.
pub fn interior_point(
    p: &CscMatrix<f64>,
    q: &[f64],
    a: &CscMatrix<f64>,
    b: &[f64],
    cones: &[SupportedConeT<f64>],
) -> DefaultSolution<f64> {
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(p, q, a, b, cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status}");
    solver.solution
}
