//! The surface of second order: its fit by least squares, and its least point in a region.

use cokernel_dense::Cholesky;

/// f̂ = c + gᵀu + ½ uᵀHu.
pub(super) struct Quadratic {
    constant: f64,
    gradient: Vec<f64>,
    /// P × P.
    hessian: Vec<f64>,
}

/// What a coefficient costs for each point, responses divided by their range.
const RIDGE: f64 = 1e-9;
/// What is no change of f̂, of its largest coefficient.
const LITTLE: f64 = 1e-5;
/// Passes over all numbers of the descent along them.
const PASSES: usize = 1_000;

impl Quadratic {
    /// Least squares with a ridge on all coefficients but the constant.
    pub fn fit(points: &[Vec<f64>], responses: &[f64], range: f64) -> Option<Self> {
        let p = points[0].len();
        let terms: Vec<Vec<f64>> = points.iter().map(|u| monomials(u)).collect();
        let (n, q) = (points.len(), terms[0].len());
        let mean = responses.iter().sum::<f64>() / n as f64;
        let (mut normal, mut right) = (vec![0.0; q * q], vec![0.0; q]);
        for (row, response) in terms.iter().zip(responses) {
            let response = (response - mean) / range;
            for (i, a) in row.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                right[i] += a * response;
                normal[i * q..(i + 1) * q].iter_mut().zip(row).for_each(|(s, b)| *s += a * b);
            }
        }
        (1..q).for_each(|i| normal[i * q + i] += RIDGE * n as f64);
        Cholesky::new(q, normal)?.solve(&mut right, 1);
        let beta: Vec<f64> = right.iter().map(|b| b * range).collect();
        let mut hessian = vec![0.0; p * p];
        let mut rest = beta[1 + p..].iter();
        for i in 0..p {
            for j in i..p {
                let b = rest.next().copied().unwrap_or(0.0);
                hessian[i * p + j] += b;
                hessian[j * p + i] += b;
            }
        }
        Some(Quadratic { constant: beta[0] + mean, gradient: beta[1..=p].to_vec(), hessian })
    }

    /// The largest coefficient but the constant.
    fn scale(&self) -> f64 {
        self.gradient.iter().chain(&self.hessian).fold(0.0_f64, |a, v| a.max(v.abs()))
    }

    pub fn at(&self, u: &[f64]) -> f64 {
        let terms = self.slopes(u).into_iter().zip(&self.gradient).zip(u);
        self.constant + terms.map(|((slope, g), u)| 0.5 * (slope + g) * u).sum::<f64>()
    }

    /// g + Hu.
    fn slopes(&self, u: &[f64]) -> Vec<f64> {
        let p = u.len();
        let dot = |i: usize| -> f64 {
            self.hessian[i * p..(i + 1) * p].iter().zip(u).map(|(h, u)| h * u).sum()
        };
        (0..p).map(|i| self.gradient[i] + dot(i)).collect()
    }

    /// The least point in a region: the stationary point where f̂ is convex and has it there; else the best end of
    /// descents along one number after the other, each step of which is exact. The first start stays where no
    /// other point is lower.
    pub fn least_in(
        &self,
        region: &[(f64, f64)],
        starts: impl Iterator<Item = Vec<f64>>,
    ) -> Vec<f64> {
        let p = region.len();
        // Convex by more than rounding, which would lead anywhere along a number without influence.
        let mut less = self.hessian.clone();
        (0..p).for_each(|i| less[i * p + i] -= LITTLE * self.scale());
        let convex = Cholesky::new(p, less).is_some();
        if let Some(factor) = Cholesky::new(p, self.hessian.clone()).filter(|_| convex) {
            let mut u: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
            factor.solve(&mut u, 1);
            if u.iter().zip(region).all(|(u, (low, high))| (*low..=*high).contains(u)) {
                return u;
            }
        }
        let mut best: Option<(f64, Vec<f64>)> = None;
        for start in starts {
            let inside = start.iter().zip(region).map(|(u, (low, high))| u.clamp(*low, *high));
            let found = self.descended(inside.collect(), region);
            let value = self.at(&found);
            let slack = LITTLE * self.scale();
            if best.as_ref().is_none_or(|(least, _)| value < least - slack) {
                best = Some((value, found));
            }
        }
        best.map(|b| b.1).unwrap_or_default()
    }

    fn descended(&self, mut u: Vec<f64>, region: &[(f64, f64)]) -> Vec<f64> {
        let (p, scale) = (u.len(), self.scale());
        for _ in 0..PASSES {
            let mut moved = 0.0_f64;
            for i in 0..p {
                let h = self.hessian[i * p + i];
                let slope = self.gradient[i]
                    + self.hessian[i * p..(i + 1) * p]
                        .iter()
                        .zip(&u)
                        .map(|(h, u)| h * u)
                        .sum::<f64>();
                let change = |t: f64| slope * (t - u[i]) + 0.5 * h * (t - u[i]).powi(2);
                let (low, high) = region[i];
                let inner = (h > 0.0).then(|| (u[i] - slope / h).clamp(low, high));
                let ends = [low, high].into_iter().chain(inner);
                let Some(to) = ends.min_by(|a, b| change(*a).total_cmp(&change(*b))) else {
                    continue;
                };
                if change(to) < -LITTLE * scale {
                    moved = moved.max((to - u[i]).abs());
                    u[i] = to;
                }
            }
            if moved <= 1e-10 {
                break;
            }
        }
        u
    }
}

/// 1, u_i, u_i u_j for i ≤ j.
fn monomials(u: &[f64]) -> Vec<f64> {
    let pairs = (0..u.len()).flat_map(|i| (i..u.len()).map(move |j| u[i] * u[j]));
    std::iter::once(1.0).chain(u.iter().copied()).chain(pairs).collect()
}
