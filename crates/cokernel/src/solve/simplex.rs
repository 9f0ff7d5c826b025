//! Convex quadratic programs over the probability simplex, for the weights of M kernels.
//!
//! ```text
//! min  gᵀ(x − x₀) + ½ (x − x₀)ᵀ H (x − x₀)    subject to   x ≥ 0,  Σ x = 1
//! ```
//!
//! or with 0 ≤ x ≤ 1 and Σ x = Σ x₀. First, exact steps along the pair (i, j) that promises the largest decrease (O(M) each) find
//! the face of the solution; then a primal active-set method makes it exact there (a small
//! linear system for each change of the face). Deterministic; the objective never increases.

use cokernel_dense::Cholesky;

/// Largest face on which linear systems are solved.
const LARGEST_FACE: usize = 256;

/// The minimiser and how much less than 0 (the value at `start`) the objective is there. Both are
/// found for g and H divided by the largest entry of g, so that their size does not matter.
///
/// `start` is a point of the simplex, `gradient` is g (length M), `hessian` is H (M × M,
/// symmetric, positive semi-definite; its diagonal is enlarged by 10⁻¹² of itself).
pub fn minimize_on_simplex(start: &[f64], gradient: &[f64], hessian: &[f64]) -> (Vec<f64>, f64) {
    minimize(start, gradient, hessian, (1.0, f64::INFINITY))
}

/// The same over 0 ≤ x ≤ 1 with the sum of `start`, which is such a point.
pub fn minimize_on_capped(start: &[f64], gradient: &[f64], hessian: &[f64]) -> (Vec<f64>, f64) {
    minimize(start, gradient, hessian, (start.iter().sum(), 1.0))
}

/// Over 0 ≤ x ≤ `most` with Σ x = `sum`.
fn minimize(
    start: &[f64],
    gradient: &[f64],
    hessian: &[f64],
    (sum, most): (f64, f64),
) -> (Vec<f64>, f64) {
    let largest = gradient.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
    let unit = if largest > 0.0 && largest.is_finite() { largest } else { 1.0 };
    let divided = |v: &[f64]| v.iter().map(|v| v / unit).collect::<Vec<f64>>();
    let gradient = divided(gradient);
    let mut p = Program::new(start, &gradient, &divided(hessian), (sum, most));
    p.pairs(200 + 20 * start.len());
    let (x, value) = (p.x.clone(), p.value());
    p.faces(50 + 2 * start.len());
    let polished = p.value();
    let kept = (p.x.iter().sum::<f64>() - sum).abs() <= 1e-9 * sum;
    if polished <= value && kept { (p.x, -polished * unit) } else { (x, -value * unit) }
}

struct Program<'a> {
    start: &'a [f64],
    g: &'a [f64],
    h: Vec<f64>,
    x: Vec<f64>,
    /// g + H(x − x₀).
    slope: Vec<f64>,
    /// Σ x.
    sum: f64,
    /// Upper bound of each x.
    most: f64,
}

impl<'a> Program<'a> {
    fn new(start: &'a [f64], g: &'a [f64], hessian: &[f64], (sum, most): (f64, f64)) -> Self {
        let m = start.len();
        let mut h = hessian.to_vec();
        let largest = (0..m).fold(0.0_f64, |a, i| a.max(h[i * m + i].abs()));
        for i in 0..m {
            h[i * m + i] += 1e-12 * h[i * m + i].abs() + 1e-16 * largest;
        }
        Program { start, g, h, x: start.to_vec(), slope: g.to_vec(), sum, most }
    }

    fn update_slope(&mut self) {
        let m = self.x.len();
        for i in 0..m {
            let row = &self.h[i * m..(i + 1) * m];
            let change = row.iter().zip(self.x.iter().zip(self.start));
            self.slope[i] = self.g[i] + change.map(|(h, (x, s))| h * (x - s)).sum::<f64>();
        }
    }

    fn value(&self) -> f64 {
        let change = self.x.iter().zip(self.start).map(|(x, s)| x - s);
        change.zip(self.g.iter().zip(&self.slope)).map(|(d, (g, s))| 0.5 * d * (g + s)).sum()
    }

    /// At most `limit` exact steps along pairs of coordinates.
    fn pairs(&mut self, limit: usize) {
        let m = self.x.len();
        let scale = self.g.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for _ in 0..limit {
            let room = (0..m).filter(|i| self.x[*i] < self.most);
            let Some(up) = room.min_by(|a, b| self.slope[*a].total_cmp(&self.slope[*b])) else {
                return;
            };
            let room = self.most - self.x[up];
            let mut best = (0.0, up, 0.0);
            for down in (0..m).filter(|&j| self.x[j] > 0.0) {
                let gain = self.slope[down] - self.slope[up];
                if gain <= 1e-12 * scale {
                    continue;
                }
                let bend =
                    self.h[up * m + up] + self.h[down * m + down] - 2.0 * self.h[up * m + down];
                let most = self.x[down].min(room);
                let step = if bend > 0.0 { (gain / bend).min(most) } else { most };
                let decrease = step * (gain - 0.5 * bend.max(0.0) * step);
                if decrease > best.0 {
                    best = (decrease, down, step);
                }
            }
            let (_, down, step) = best;
            if down == up {
                return;
            }
            self.x[up] = if step == room { self.most } else { self.x[up] + step };
            self.x[down] = if step == self.x[down] { 0.0 } else { self.x[down] - step };
            for i in 0..m {
                self.slope[i] += step * (self.h[up * m + i] - self.h[down * m + i]);
            }
        }
    }

    /// The active-set method, at most `limit` changes of the face.
    fn faces(&mut self, limit: usize) {
        let m = self.x.len();
        let inside = |x: f64| x > 0.0 && x < self.most;
        let mut face: Vec<usize> = (0..m).filter(|&i| inside(self.x[i])).collect();
        for _ in 0..limit {
            if face.is_empty() || face.len() > LARGEST_FACE {
                break;
            }
            let Some(target) = self.on_face(&face) else { break };
            // The longest step to the minimiser on the face that keeps x within its bounds.
            let mut step = 1.0;
            let mut leaving = None;
            for (k, &i) in face.iter().enumerate() {
                let bound = if target[k] < 0.0 { 0.0 } else { self.most };
                if target[k] < 0.0 || target[k] > self.most {
                    let reach = (self.x[i] - bound) / (self.x[i] - target[k]);
                    if reach < step {
                        (step, leaving) = (reach, Some((k, bound)));
                    }
                }
            }
            for (k, &i) in face.iter().enumerate() {
                let moved = self.x[i] + step * (target[k] - self.x[i]);
                self.x[i] = moved.max(0.0).min(self.most);
            }
            if let Some((k, bound)) = leaving {
                self.x[face.remove(k)] = bound;
                continue;
            }
            self.update_slope();
            let level = face.iter().fold(f64::INFINITY, |a, &i| a.min(self.slope[i]));
            let above = face.iter().fold(f64::NEG_INFINITY, |a, &i| a.max(self.slope[i]));
            let scale = self.slope.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            // How much is to be gained by moving one that is at a bound.
            let gain = |i: usize| match self.x[i] > 0.0 {
                true => self.slope[i] - above,
                false => level - self.slope[i],
            };
            let entering = (0..m)
                .filter(|i| !face.contains(i) && gain(*i) > 1e-12 * scale)
                .max_by(|a, b| gain(*a).total_cmp(&gain(*b)).then(b.cmp(a)));
            match entering {
                Some(i) => face.push(i),
                None => break,
            }
        }
        let sum: f64 = self.x.iter().sum();
        let (whole, most) = (self.sum, self.most);
        self.x.iter_mut().for_each(|v| *v = (*v * whole / sum).min(most));
        self.update_slope();
    }

    /// The minimiser with this sum and x as it is outside the face, signs free.
    fn on_face(&self, face: &[usize]) -> Option<Vec<f64>> {
        let (m, k) = (self.x.len(), face.len());
        let mut h = Vec::with_capacity(k * k);
        for &i in face {
            h.extend(face.iter().map(|&j| self.h[i * m + j]));
        }
        // H x = Hx₀ − g + ν1 on the face; ν from the sum.
        let fixed: Vec<usize> =
            (0..m).filter(|i| self.x[*i] >= self.most && !face.contains(i)).collect();
        let mut sides = vec![1.0; 2 * k];
        for (s, &i) in sides.iter_mut().zip(face) {
            let row = &self.h[i * m..(i + 1) * m];
            *s = row.iter().zip(self.start).map(|(h, x)| h * x).sum::<f64>() - self.g[i];
            *s -= fixed.iter().map(|j| row[*j] * self.most).sum::<f64>();
        }
        let left = self.sum - fixed.len() as f64 * if fixed.is_empty() { 0.0 } else { self.most };
        let factor = Cholesky::new(k, h.clone()).or_else(|| Cholesky::with_ridge(k, &h))?;
        factor.solve(&mut sides, 2);
        let (plain, ones) = sides.split_at(k);
        let nu = (left - plain.iter().sum::<f64>()) / ones.iter().sum::<f64>();
        nu.is_finite().then(|| plain.iter().zip(ones).map(|(p, o)| p + nu * o).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Smallest g on the support must be the smallest of all: the optimality condition.
    fn check(start: &[f64], g: &[f64], h: &[f64], tol: f64) {
        let m = start.len();
        let (x, decrease) = minimize_on_simplex(start, g, h);
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-12 && x.iter().all(|v| *v >= 0.0));
        assert!(decrease >= 0.0);
        let slope = |i: usize| g[i] + (0..m).map(|j| h[i * m + j] * (x[j] - start[j])).sum::<f64>();
        let level = (0..m).map(slope).fold(f64::INFINITY, f64::min);
        for i in (0..m).filter(|&i| x[i] > 1e-9) {
            assert!(slope(i) - level < tol, "{x:?}: {} above {level}", slope(i));
        }
    }

    #[test]
    fn hand_computed() {
        // From (1, 0) with H = I, g = (0, −1): f(x) = −x₂ + ½((x₁ − 1)² + x₂²), which on x₁ = 1 − x₂ is
        // −x₂ + x₂²: least at x₂ = ½, value −¼.
        let (x, decrease) = minimize_on_simplex(&[1.0, 0.0], &[0.0, -1.0], &[1.0, 0.0, 0.0, 1.0]);
        assert!((x[0] - 0.5).abs() < 1e-9 && (decrease - 0.25).abs() < 1e-9, "{x:?} {decrease}");
    }

    #[test]
    fn random_programs_are_optimal() {
        let mut rng = crate::Run::with_seed(3).rng("simplex tests");
        for (m, rank) in [(1, 1), (2, 1), (5, 3), (20, 20), (40, 7), (60, 100)] {
            let b: Vec<f64> = (0..rank * m).map(|_| rng.random::<f64>() - 0.5).collect();
            let h: Vec<f64> = (0..m * m)
                .map(|k| (0..rank).map(|r| b[r * m + k / m] * b[r * m + k % m]).sum())
                .collect();
            let g: Vec<f64> = (0..m).map(|_| 0.1 * (rng.random::<f64>() - 0.5)).collect();
            check(&vec![1.0 / m as f64; m], &g, &h, 1e-7);
        }
    }

    /// Below the bound 1: the smallest slopes of those that may grow are no less than the largest of those that may
    /// shrink.
    #[test]
    fn capped_programs_are_optimal() {
        let mut rng = crate::Run::with_seed(4).rng("capped tests");
        for (m, rank, sum) in [(2, 1, 1.0), (5, 3, 2.0), (20, 20, 7.0), (40, 7, 30.0), (6, 4, 6.0)]
        {
            let b: Vec<f64> = (0..rank * m).map(|_| rng.random::<f64>() - 0.5).collect();
            let h: Vec<f64> = (0..m * m)
                .map(|k| (0..rank).map(|r| b[r * m + k / m] * b[r * m + k % m]).sum())
                .collect();
            let g: Vec<f64> = (0..m).map(|_| 0.3 * (rng.random::<f64>() - 0.5)).collect();
            let start = vec![sum / m as f64; m];
            let (x, decrease) = minimize_on_capped(&start, &g, &h);
            assert!((x.iter().sum::<f64>() - sum).abs() < 1e-9 && decrease >= 0.0, "{x:?}");
            assert!(x.iter().all(|v| (0.0..=1.0).contains(v)), "{x:?}");
            let slope =
                |i: usize| g[i] + (0..m).map(|j| h[i * m + j] * (x[j] - start[j])).sum::<f64>();
            let up = (0..m).filter(|i| x[*i] < 1.0 - 1e-9).map(slope).fold(f64::INFINITY, f64::min);
            let down = (0..m).filter(|i| x[*i] > 1e-9).map(slope).fold(f64::NEG_INFINITY, f64::max);
            assert!(down - up < 1e-7, "{x:?}: {down} {up}");
        }
    }

    #[test]
    fn without_curvature_a_vertex() {
        let (x, decrease) = minimize_on_simplex(&[0.5, 0.25, 0.25], &[0.0, -2.0, 1.0], &[0.0; 9]);
        assert_eq!(x, [0.0, 1.0, 0.0]);
        assert!((decrease - (1.75)).abs() < 1e-9, "{decrease}");
    }
}
