//! Weights and machine of one-stage methods as one cone program in the primal, written down independently of the library:
//!
//! ```text
//! min  ½ Σ_m t_m + loss(Σ_m L_m v_m + b) + Ω(η)    subject to   ‖v_m‖² ≤ η_m t_m,  η ∈ S
//! ```
//!
//! with K_m = L_m L_mᵀ. At the optimum t_m = ‖v_m‖²/η_m.

use super::interior_point;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{
    self, NonnegativeConeT, PowerConeT, SecondOrderConeT, ZeroConeT,
};
use cokernel::data::Matrix;

/// What a prediction costs.
pub enum Loss {
    /// C max(0, 1 − y f), y = ±1.
    Hinge { c: f64 },
    /// C max(0, |y − f| − ε).
    Tube { c: f64, epsilon: f64 },
    /// (y − f)²/(2λ).
    Squared { lambda: f64 },
}

/// Where the weights come from.
pub enum Weights {
    /// Σ a_m η_m ≤ 1.
    Linear(Vec<f64>),
    /// v Σ η + (1 − v) Σ η² ≤ 1.
    ElasticNet(f64),
    /// The norm across of the norms within groups is at most 1.
    Mixed { groups: Vec<Vec<usize>>, within: f64, across: f64 },
    /// The simplex, with the penalty λ Σ (η_m − 1/M)².
    Quadratic(f64),
    /// η ≤ 1, Σ η ≤ k.
    Capped(f64),
    /// The simplex, with the penalty λ/2 ‖Lᵀη‖².
    Form { lambda: f64, root: Matrix },
}

/// A program that grows by entries.
#[derive(Default)]
pub struct Program {
    rows: Vec<usize>,
    cols: Vec<usize>,
    values: Vec<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    linear: Vec<f64>,
    /// Diagonal of P.
    quadratic: Vec<f64>,
}

impl Program {
    fn variables(&mut self, count: usize, linear: f64, quadratic: f64) -> Vec<usize> {
        let from = self.linear.len();
        self.linear.extend(std::iter::repeat_n(linear, count));
        self.quadratic.extend(std::iter::repeat_n(quadratic, count));
        (from..from + count).collect()
    }

    /// One row: `constant` + Σ value·variable is in the cone that is pushed after.
    fn row(&mut self, constant: f64, terms: &[(usize, f64)]) {
        for (col, value) in terms {
            self.rows.push(self.b.len());
            self.cols.push(*col);
            self.values.push(-value);
        }
        self.b.push(constant);
    }

    fn at_least_zero(&mut self, constant: f64, terms: &[(usize, f64)]) {
        self.row(constant, terms);
        self.cones.push(NonnegativeConeT(1));
    }

    /// Σ_k v_k² ≤ a b for affine a and b, given as constant and terms.
    fn rotated(&mut self, v: &[usize], a: (f64, Option<usize>), b: (f64, Option<usize>)) {
        let side = |sign: f64| -> Vec<(usize, f64)> {
            a.1.iter().map(|k| (*k, 1.0)).chain(b.1.iter().map(|k| (*k, sign))).collect()
        };
        self.row(a.0 + b.0, &side(1.0));
        self.row(a.0 - b.0, &side(-1.0));
        v.iter().for_each(|k| self.row(0.0, &[(*k, 2.0)]));
        self.cones.push(SecondOrderConeT(2 + v.len()));
    }

    /// x^{1/p} y^{1 − 1/p} ≥ |z|, p > 1; y is a variable or 1.
    fn power(&mut self, p: f64, x: usize, y: Option<usize>, z: usize) {
        self.row(0.0, &[(x, 1.0)]);
        match y {
            Some(y) => self.row(0.0, &[(y, 1.0)]),
            None => self.row(1.0, &[]),
        }
        self.row(0.0, &[(z, 1.0)]);
        self.cones.push(PowerConeT(1.0 / p));
    }

    /// The norm of variables that are not negative is at most `most`, a variable or 1.
    fn norm(&mut self, p: f64, of: &[usize], most: Option<usize>) {
        let mut sum: Vec<usize> = of.to_vec();
        if p > 1.0 {
            sum = self.variables(of.len(), 0.0, 0.0);
            for (x, z) in sum.iter().zip(of) {
                self.power(p, *x, most, *z);
            }
        }
        let mut terms: Vec<(usize, f64)> = sum.iter().map(|k| (*k, -1.0)).collect();
        terms.extend(most.map(|k| (k, 1.0)));
        self.at_least_zero(if most.is_none() { 1.0 } else { 0.0 }, &terms);
    }

    fn loss(&mut self, l: &[Matrix], v: &[Vec<usize>], y: &[f64], loss: &Loss) {
        let n = y.len();
        let bias = self.variables(1, 0.0, 0.0)[0];
        let scored = |i: usize, times: f64| -> Vec<(usize, f64)> {
            let mut terms = vec![(bias, times)];
            for (l, v) in l.iter().zip(v) {
                terms.extend((0..=i).map(|j| (v[j], times * l.get(i, j))));
            }
            terms
        };
        match loss {
            Loss::Hinge { c } => {
                let slack = self.variables(n, *c, 0.0);
                for i in 0..n {
                    self.at_least_zero(0.0, &[(slack[i], 1.0)]);
                    let mut terms = scored(i, y[i]);
                    terms.push((slack[i], 1.0));
                    self.at_least_zero(-1.0, &terms);
                }
            }
            Loss::Tube { c, epsilon } => {
                let slack = self.variables(n, *c, 0.0);
                for i in 0..n {
                    self.at_least_zero(0.0, &[(slack[i], 1.0)]);
                    for sign in [1.0, -1.0] {
                        let mut terms = scored(i, -sign);
                        terms.push((slack[i], 1.0));
                        self.at_least_zero(sign * y[i] + epsilon, &terms);
                    }
                }
            }
            Loss::Squared { lambda } => {
                let error = self.variables(n, 0.0, 1.0 / lambda);
                for i in 0..n {
                    let mut terms = scored(i, -1.0);
                    terms.push((error[i], -1.0));
                    self.row(y[i], &terms);
                    self.cones.push(ZeroConeT(1));
                }
            }
        }
    }

    fn weights(&mut self, eta: &[usize], set: &Weights) -> f64 {
        let m = eta.len() as f64;
        let sum = |a: f64| -> Vec<(usize, f64)> { eta.iter().map(|k| (*k, a)).collect() };
        match set {
            Weights::Linear(a) => {
                let terms: Vec<(usize, f64)> = eta.iter().zip(a).map(|(k, a)| (*k, -a)).collect();
                self.at_least_zero(1.0, &terms);
            }
            Weights::ElasticNet(v) => {
                let square = self.variables(1, 0.0, 0.0)[0];
                self.rotated(eta, (0.0, Some(square)), (1.0, None));
                let mut terms = sum(-v);
                terms.push((square, v - 1.0));
                self.at_least_zero(1.0, &terms);
            }
            Weights::Mixed { groups, within, across } => {
                let sizes = self.variables(groups.len(), 0.0, 0.0);
                for (group, size) in groups.iter().zip(&sizes) {
                    let of: Vec<usize> = group.iter().map(|k| eta[*k]).collect();
                    self.norm(*within, &of, Some(*size));
                }
                self.norm(*across, &sizes, None);
            }
            Weights::Quadratic(lambda) => {
                self.row(-1.0, &sum(1.0));
                self.cones.push(ZeroConeT(1));
                for k in eta {
                    self.quadratic[*k] = 2.0 * lambda;
                    self.linear[*k] = -2.0 * lambda / m;
                }
                return lambda / m;
            }
            Weights::Capped(most) => {
                eta.iter().for_each(|k| self.at_least_zero(1.0, &[(*k, -1.0)]));
                self.at_least_zero(*most, &sum(-1.0));
            }
            Weights::Form { lambda, root } => {
                self.row(-1.0, &sum(1.0));
                self.cones.push(ZeroConeT(1));
                let parts = self.variables(root.cols(), 0.0, *lambda);
                for (j, part) in parts.iter().enumerate() {
                    let own = eta.iter().enumerate().map(|(m, k)| (*k, root.get(m, j)));
                    let terms: Vec<(usize, f64)> = own.chain([(*part, -1.0)]).collect();
                    self.row(0.0, &terms);
                    self.cones.push(ZeroConeT(1));
                }
            }
        }
        0.0
    }
}

/// The least objective, and the weights.
pub fn one_stage(kernels: &[Matrix], y: &[f64], loss: &Loss, set: &Weights) -> (f64, Vec<f64>) {
    let n = y.len();
    let l: Vec<Matrix> = kernels.iter().map(crate::reference::mkl::cholesky).collect();
    let mut program = Program::default();
    let eta = program.variables(kernels.len(), 0.0, 0.0);
    let t = program.variables(kernels.len(), 0.5, 0.0);
    let v: Vec<Vec<usize>> = kernels.iter().map(|_| program.variables(n, 0.0, 0.0)).collect();
    for m in 0..kernels.len() {
        program.rotated(&v[m], (0.0, Some(eta[m])), (0.0, Some(t[m])));
    }
    program.loss(&l, &v, y, loss);
    let constant = program.weights(&eta, set);
    let size = program.linear.len();
    let places: Vec<usize> = (0..size).collect();
    let p = CscMatrix::new_from_triplets(size, size, places.clone(), places, program.quadratic);
    let rows = program.b.len();
    let a = CscMatrix::new_from_triplets(rows, size, program.rows, program.cols, program.values);
    let solution = interior_point(&p, &program.linear, &a, &program.b, &program.cones);
    let weights = eta.iter().map(|k| solution.x[*k]).collect();
    (solution.obj_val + constant, weights)
}
