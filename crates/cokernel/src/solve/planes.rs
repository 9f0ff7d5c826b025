//! Piecewise linear models over the probability simplex, as bundle and cutting-plane methods keep them.
//!
//! ```text
//! g(x) = max_t  a_tᵀx      x ≥ 0,  Σ x = 1
//!
//! least:    min g(x)                              with λ ≥ 0, Σ λ = 1:  min g ≥ min_m Σ_t λ_t a_tm
//! nearest:  min ½ ‖x − x₀‖²   subject to   g(x) ≤ level
//! ```
//!
//! Both by one primal-dual interior-point method (Mehrotra, SIAM Journal on Optimization 2, 1992) from an
//! infeasible start. With slacks u of the T planes and multipliers s of x ≥ 0, Newton's equations are reduced to the
//! T × T matrix A B⁻¹ Aᵀ + diag(u/λ), B = diag(s/x) (plus I for `nearest`), which the sum and the free value
//! of g border. The planes are shifted and scaled to numbers of about 1 first.
//!
//! **Cost** of an iteration (10 to 25 of them): T² M + T³/3.

use super::dense::{Slice, product_nt};
use cokernel_dense::{Cholesky, simd};

/// Limit on iterations.
const ITERATIONS: usize = 80;
/// Mean complementarity and residuals to stop at.
const ENOUGH: f64 = 1e-13;

/// T planes over M numbers.
#[derive(Debug, Clone)]
pub struct Planes {
    width: usize,
    /// a_t, T × M.
    rows: Vec<f64>,
}

/// Where the model is least.
#[derive(Debug, Clone)]
pub struct Least {
    /// x.
    pub at: Vec<f64>,
    /// λ, one for each plane.
    pub shares: Vec<f64>,
    /// min_m Σ_t λ_t a_tm for these λ: a lower bound of g, however exact they are.
    pub bound: f64,
}

impl Planes {
    /// No plane yet, over `width` numbers.
    pub fn new(width: usize) -> Self {
        Planes { width, rows: Vec::new() }
    }

    /// Adds the plane a_tᵀx.
    pub fn push(&mut self, plane: impl IntoIterator<Item = f64>) {
        self.rows.extend(plane);
        debug_assert_eq!(self.rows.len() % self.width, 0);
    }

    /// T.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Whether there is no plane.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// g(x).
    pub fn value(&self, x: &[f64]) -> f64 {
        let planes = self.rows.chunks_exact(self.width);
        planes.map(|a| simd::dot(a, x)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least of g; there has to be a plane.
    pub fn least(&self) -> Least {
        let middle = vec![1.0 / self.width as f64; self.width];
        let (x, lambda) = Program::new(self, self.value(&middle), None).solve();
        let at = on_simplex(x);
        let shares = on_simplex(lambda);
        let mut mixed = vec![0.0; self.width];
        for (a, share) in self.rows.chunks_exact(self.width).zip(&shares) {
            mixed.iter_mut().zip(a).for_each(|(m, a)| *m += share * a);
        }
        let bound = mixed.into_iter().fold(f64::INFINITY, f64::min);
        Least { at, shares, bound }
    }

    /// The point with g ≤ `level` that is nearest to `from`; the level is above the least of g.
    pub fn nearest(&self, from: &[f64], level: f64) -> Vec<f64> {
        on_simplex(Program::new(self, level, Some(from)).solve().0)
    }
}

/// Without what is negative by rounding, with sum 1.
fn on_simplex(mut x: Vec<f64>) -> Vec<f64> {
    x.iter_mut().for_each(|v| *v = v.max(0.0));
    let sum: f64 = x.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        x.iter_mut().for_each(|v| *v /= sum);
    } else {
        let even = 1.0 / x.len() as f64;
        x.fill(even);
    }
    x
}

/// The scaled program and the current point.
struct Program<'a> {
    width: usize,
    /// (a_t − shift)/unit: the level is 0.
    a: Vec<f64>,
    /// x₀ of `nearest`; `None`: g itself is least.
    from: Option<&'a [f64]>,
    x: Vec<f64>,
    s: Vec<f64>,
    lambda: Vec<f64>,
    u: Vec<f64>,
    nu: f64,
    theta: f64,
}

/// A direction.
struct Step {
    x: Vec<f64>,
    s: Vec<f64>,
    lambda: Vec<f64>,
    u: Vec<f64>,
    nu: f64,
    theta: f64,
}

/// What is missing from the equations at the current point.
struct Missing {
    x: Vec<f64>,
    u: Vec<f64>,
    sum: f64,
    shares: f64,
}

impl<'a> Program<'a> {
    fn new(planes: &Planes, shift: f64, from: Option<&'a [f64]>) -> Self {
        let width = planes.width;
        let size = planes.rows.iter().fold(0.0_f64, |m, a| m.max((a - shift).abs()));
        let unit = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        let a: Vec<f64> = planes.rows.iter().map(|a| (a - shift) / unit).collect();
        let x = vec![1.0 / width as f64; width];
        let rows = planes.len();
        let mut program = Program {
            width,
            from,
            s: vec![1.0; width],
            lambda: vec![1.0 / rows as f64; rows],
            u: Vec::new(),
            nu: 0.0,
            theta: if from.is_some() { 0.0 } else { 1.0 },
            a,
            x,
        };
        let values = program.values();
        program.u = values.iter().map(|v| (program.theta - v).max(0.1)).collect();
        program
    }

    /// A x.
    fn values(&self) -> Vec<f64> {
        self.a.chunks_exact(self.width).map(|a| simd::dot(a, &self.x)).collect()
    }

    fn missing(&self) -> Missing {
        let mut pull = vec![0.0; self.width];
        for (a, l) in self.a.chunks_exact(self.width).zip(&self.lambda) {
            pull.iter_mut().zip(a).for_each(|(p, a)| *p += l * a);
        }
        let x = (0..self.width)
            .map(|m| {
                let bend = self.from.map_or(0.0, |from| self.x[m] - from[m]);
                self.s[m] - bend - pull[m] - self.nu
            })
            .collect();
        let lines = self.values().into_iter().zip(&self.u);
        let u = lines.map(|(v, u)| self.theta - v - u).collect();
        let shares = match self.from {
            Some(_) => 0.0,
            None => 1.0 - self.lambda.iter().sum::<f64>(),
        };
        Missing { x, u, sum: 1.0 - self.x.iter().sum::<f64>(), shares }
    }

    /// Mean of the complementary products after `length` times the step.
    fn complementarity(&self, step: Option<(&Step, f64)>) -> f64 {
        let moved = |x: &[f64], y: &[f64], d: Option<(&[f64], &[f64], f64)>| -> f64 {
            let at = |k: usize| match d {
                Some((dx, dy, t)) => (x[k] + t * dx[k]) * (y[k] + t * dy[k]),
                None => x[k] * y[k],
            };
            (0..x.len()).map(at).sum()
        };
        let (first, second) = match step {
            Some((d, t)) => (Some((&d.x[..], &d.s[..], t)), Some((&d.u[..], &d.lambda[..], t))),
            None => (None, None),
        };
        let sum = moved(&self.x, &self.s, first) + moved(&self.u, &self.lambda, second);
        sum / (self.x.len() + self.u.len()) as f64
    }

    /// x and λ.
    fn solve(mut self) -> (Vec<f64>, Vec<f64>) {
        for _ in 0..ITERATIONS {
            let missing = self.missing();
            let mean = self.complementarity(None);
            let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            let residual = largest(&missing.x)
                .max(largest(&missing.u))
                .max(missing.sum.abs().max(missing.shares.abs()));
            if mean <= ENOUGH && residual <= ENOUGH.sqrt() * 1e-3 {
                break;
            }
            let Some(system) = System::new(&self) else { break };
            let none = |k: usize| vec![0.0; k];
            let (none_x, none_u) = (none(self.x.len()), none(self.u.len()));
            let products = |target: f64, dx: &[f64], ds: &[f64], du: &[f64], dl: &[f64]| {
                let x = self.x.iter().zip(&self.s).zip(dx.iter().zip(ds));
                let u = self.u.iter().zip(&self.lambda).zip(du.iter().zip(dl));
                let left =
                    |((a, b), (da, db)): ((&f64, &f64), (&f64, &f64))| target - a * b - da * db;
                (x.map(left).collect::<Vec<f64>>(), u.map(left).collect::<Vec<f64>>())
            };
            let (cx, cu) = products(0.0, &none_x, &none_x, &none_u, &none_u);
            let Some(plain) = system.step(&self, &missing, &cx, &cu) else { break };
            let reach = self.reach(&plain);
            let after = self.complementarity(Some((&plain, reach)));
            let centre = (after / mean).powi(3).clamp(0.0, 1.0);
            let (cx, cu) = products(centre * mean, &plain.x, &plain.s, &plain.u, &plain.lambda);
            let Some(step) = system.step(&self, &missing, &cx, &cu) else { break };
            let length = (0.995 * self.reach(&step)).min(1.0);
            if length < 1e-10 {
                break;
            }
            self.go(&step, length);
        }
        (self.x, self.lambda)
    }

    /// The longest step, at most 1/0.995, that keeps all slacks and multipliers at 0 or above.
    fn reach(&self, step: &Step) -> f64 {
        let pairs = [
            (&self.x, &step.x),
            (&self.s, &step.s),
            (&self.u, &step.u),
            (&self.lambda, &step.lambda),
        ];
        let mut reach = 1.0 / 0.995;
        for (v, d) in pairs {
            for (v, d) in v.iter().zip(d) {
                if *d < 0.0 {
                    reach = f64::min(reach, -v / d);
                }
            }
        }
        reach
    }

    fn go(&mut self, step: &Step, t: f64) {
        let pairs = [
            (&mut self.x, &step.x),
            (&mut self.s, &step.s),
            (&mut self.u, &step.u),
            (&mut self.lambda, &step.lambda),
        ];
        for (v, d) in pairs {
            v.iter_mut().zip(d).for_each(|(v, d)| *v = (*v + t * d).max(f64::MIN_POSITIVE));
        }
        self.nu += t * step.nu;
        self.theta += t * step.theta;
    }
}

/// The factored matrix of Newton's equations.
struct System {
    factor: Cholesky,
    /// 1/B.
    inverse: Vec<f64>,
    /// S⁻¹ p with p = A B⁻¹ 1, then S⁻¹ 1.
    beside: Vec<f64>,
    p: Vec<f64>,
    /// 1ᵀ B⁻¹ 1.
    corner: f64,
}

impl System {
    fn new(program: &Program<'_>) -> Option<Self> {
        let (rows, width) = (program.u.len(), program.width);
        let bend = if program.from.is_some() { 1.0 } else { 0.0 };
        let inverse: Vec<f64> =
            program.x.iter().zip(&program.s).map(|(x, s)| x / (s + bend * x)).collect();
        let root: Vec<f64> = inverse.iter().map(|b| b.sqrt()).collect();
        let scaled: Vec<f64> = (program.a.chunks_exact(width))
            .flat_map(|a| a.iter().zip(&root).map(|(a, r)| a * r))
            .collect();
        let mut s = vec![0.0; rows * rows];
        let scaled = Slice::new(&scaled, rows, width);
        product_nt(scaled, scaled, &mut s);
        for t in 0..rows {
            s[t * rows + t] += program.u[t] / program.lambda[t];
        }
        let factor = Cholesky::new(rows, s.clone()).or_else(|| Cholesky::with_ridge(rows, &s))?;
        let p: Vec<f64> = program.a.chunks_exact(width).map(|a| simd::dot(a, &inverse)).collect();
        let mut beside = p.clone();
        beside.resize(2 * rows, 1.0);
        factor.solve(&mut beside, 2);
        let corner = inverse.iter().sum();
        Some(System { factor, inverse, beside, p, corner })
    }

    /// The direction for these complementary products.
    fn step(&self, at: &Program<'_>, missing: &Missing, cx: &[f64], cu: &[f64]) -> Option<Step> {
        let rows = at.u.len();
        let gx: Vec<f64> = (0..at.width).map(|m| missing.x[m] + cx[m] / at.x[m]).collect();
        let bg: Vec<f64> = gx.iter().zip(&self.inverse).map(|(g, b)| g * b).collect();
        let mut first: Vec<f64> = (at.a.chunks_exact(at.width))
            .enumerate()
            .map(|(t, a)| simd::dot(a, &bg) - missing.u[t] + cu[t] / at.lambda[t])
            .collect();
        let second = bg.iter().sum::<f64>() - missing.sum;
        self.factor.solve(&mut first, 1);
        let (to_p, to_one) = self.beside.split_at(rows);
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let sum = |x: &[f64]| x.iter().sum::<f64>();
        let (pp, p1) = (self.corner - dot(&self.p, to_p), -dot(&self.p, to_one));
        let r2 = second - dot(&self.p, &first);
        let (nu, theta) = match at.from {
            Some(_) => (r2 / pp, 0.0),
            None => {
                let (o1, r3) = (-sum(to_one), missing.shares - sum(&first));
                let determinant = pp * o1 - p1 * p1;
                ((r2 * o1 - p1 * r3) / determinant, (pp * r3 - p1 * r2) / determinant)
            }
        };
        let lambda: Vec<f64> =
            (0..rows).map(|t| first[t] - nu * to_p[t] - theta * to_one[t]).collect();
        let mut pull = vec![0.0; at.width];
        for (a, l) in at.a.chunks_exact(at.width).zip(&lambda) {
            pull.iter_mut().zip(a).for_each(|(p, a)| *p += l * a);
        }
        let x: Vec<f64> = (0..at.width).map(|m| self.inverse[m] * (gx[m] - pull[m] - nu)).collect();
        let s = (0..at.width).map(|m| (cx[m] - at.s[m] * x[m]) / at.x[m]).collect();
        let u = (0..rows).map(|t| (cu[t] - at.u[t] * lambda[t]) / at.lambda[t]).collect();
        let finite = nu.is_finite() && theta.is_finite() && x.iter().all(|v| v.is_finite());
        finite.then_some(Step { x, s, lambda, u, nu, theta })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn hand_computed() {
        // max(x₁, 1 − x₁ … ) over the simplex of two: planes (3, 0) and (0, 1): 3x₁ = x₂ at x = (¼, ¾), value ¾.
        let mut planes = Planes::new(2);
        planes.push([3.0, 0.0]);
        planes.push([0.0, 1.0]);
        let least = planes.least();
        assert!((least.at[0] - 0.25).abs() < 1e-9, "{least:?}");
        assert!((least.shares[0] - 0.25).abs() < 1e-9, "{least:?}");
        assert!((least.bound - 0.75).abs() < 1e-10, "{least:?}");
        // From (1, 0), the nearest with 3x₁ ≤ 1.5 is (½, ½).
        let near = planes.nearest(&[1.0, 0.0], 1.5);
        assert!((near[0] - 0.5).abs() < 1e-7, "{near:?}");
        // A point within stays.
        let near = planes.nearest(&[0.3, 0.7], 1.0);
        assert!((near[0] - 0.3).abs() < 1e-7, "{near:?}");
    }

    #[test]
    fn random_games_have_a_value() {
        let mut rng = crate::Run::with_seed(4).rng("planes tests");
        for (rows, width) in [(1, 1), (1, 5), (5, 1), (3, 8), (40, 6), (60, 60), (20, 300)] {
            for size in [1e-6, 1.0, 1e9] {
                let mut planes = Planes::new(width);
                for _ in 0..rows {
                    planes.push((0..width).map(|_| size * (1.0 + rng.random::<f64>())));
                }
                let least = planes.least();
                let value = planes.value(&least.at);
                assert!((least.at.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(least.bound <= value * (1.0 + 1e-12));
                let gap = (value - least.bound) / value;
                assert!(gap < 1e-10, "{rows} × {width}: {gap}");
                // Optimality of the projection: no feasible point is nearer along the way to the least.
                let from = vec![1.0 / width as f64; width];
                let above = planes.value(&from) - least.bound;
                let level = least.bound + 0.3 * above.max(1e-3 * value);
                let near = planes.nearest(&from, level);
                assert!(planes.value(&near) <= level + 1e-7 * value, "{rows} × {width}");
                let distance = |x: &[f64]| -> f64 {
                    x.iter().zip(&from).map(|(a, b)| (a - b) * (a - b)).sum()
                };
                let toward: Vec<f64> =
                    near.iter().zip(&from).map(|(a, b)| a + 1e-3 * (b - a)).collect();
                let moved = planes.value(&toward) <= level - 1e-6 * value;
                assert!(!moved || distance(&near) < 1e-12, "{rows} × {width}: could be nearer");
            }
        }
    }
}
