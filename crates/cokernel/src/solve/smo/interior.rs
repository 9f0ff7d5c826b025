//! Interior points, for problems on which pair steps crawl and too many variables are free for Newton
//! steps on them: overlapping classes and a large C (Mehrotra, *SIAM J. Optim.* 2, 1992; kernels of small
//! rank: Fine and Scheinberg, *JMLR* 2, 2001).
//!
//! With s = x − lower, t = upper − x and their multipliers z, w the conditions are followed along
//! s z = t w = μ → 0:
//!
//! ```text
//! Kx + q − θ − z + w = 0,   Σ x = const     step: (K + D) dx = b + dθ,  D = z/s + w/t
//! ```
//!
//! With E = D⁻¹ the system is E^½ (I + E^½ K E^½)⁻¹ E^½. K is first taken apart by pivots, K = L Lᵀ; where its
//! rank r is small an iteration takes n·r² operations (I + BᵀB with B = E^½ L), else n³/3. Ten to forty
//! iterations, whatever C is. Of a problem with a kink each variable has two halves with D and b of their own,
//! whose E are added.

use super::Problem;
use crate::Watch;
use cokernel_dense::{Cholesky, Slice, gram_tn};

/// Iterations at most.
const ITERATIONS: usize = 100;
/// Share of the way to the nearest bound.
const SHARE: f64 = 0.995;
/// Growth of what is missing that ends the path.
const WORSE: f64 = 100.0;

/// One box that a variable has.
#[derive(Clone)]
struct Half {
    /// Its variable.
    of: usize,
    lower: f64,
    upper: f64,
    q: f64,
    width: f64,
    s: f64,
    t: f64,
    z: f64,
    w: f64,
}

/// S = E^½ (I + E^½ L Lᵀ E^½)⁻¹ E^½ for one E.
struct System<'a> {
    l: &'a [f64],
    r: usize,
    root: Vec<f64>,
    inner: Cholesky,
}

impl<'a> System<'a> {
    fn new(l: &'a [f64], r: usize, e: &[f64]) -> Option<Self> {
        let root: Vec<f64> = e.iter().map(|e| e.sqrt()).collect();
        let mut b = l.to_vec();
        for (row, root) in b.chunks_mut(r).zip(&root) {
            row.iter_mut().for_each(|v| *v *= root);
        }
        let mut inner = vec![0.0; r * r];
        let b = Slice::new(&b, root.len(), r);
        gram_tn(b, b, &mut inner);
        (0..r).for_each(|k| inner[k * r + k] += 1.0);
        Some(System { l, r, root, inner: Cholesky::new(r, inner)? })
    }

    /// S v for v = u / E^½ given as `u`.
    fn solve(&self, u: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.r];
        for ((row, root), u) in self.l.chunks(self.r).zip(&self.root).zip(u) {
            y.iter_mut().zip(row).for_each(|(y, l)| *y += root * u * l);
        }
        self.inner.solve(&mut y, 1);
        let rows = self.l.chunks(self.r).zip(&self.root).zip(u);
        rows.map(|((row, root), u)| {
            let inner: f64 = row.iter().zip(&y).map(|(l, y)| l * y).sum();
            root * (u - root * inner)
        })
        .collect()
    }
}

/// The diagonal of L Lᵀ without what all its entries have in common, which a fixed Σ x does not see.
fn centred_diagonal(l: &[f64], r: usize) -> Vec<f64> {
    let mut means = vec![0.0; r];
    l.chunks(r).for_each(|row| means.iter_mut().zip(row).for_each(|(m, v)| *m += v));
    let n = (l.len() / r).max(1) as f64;
    let square = |row: &[f64]| row.iter().zip(&means).map(|(v, m)| (v - m / n).powi(2)).sum();
    l.chunks(r).map(square).collect()
}

/// The answer, in the units of the problem, with what is at a bound exactly there, for Newton steps on the others:
/// bounds change Σ x, f and the gap; `sum` is Σ x on the path. None after a stop and where numbers fail.
pub(super) fn interior(
    p: &Problem<'_>,
    (l, r): (&[f64], usize),
    unit: f64,
    sum: f64,
    tol: f64,
    watch: &Watch,
) -> Option<Vec<f64>> {
    let n = p.linear.len();
    let mut halves = Vec::new();
    let mut base = vec![0.0; n];
    for i in 0..n {
        let boxes = match p.kink {
            None => [Some((p.lower[i], p.upper[i], p.linear[i])), None],
            Some(e) => {
                [Some((0.0, p.upper[i], p.linear[i] + e)), Some((p.lower[i], 0.0, p.linear[i] - e))]
            }
        };
        for (lower, upper, q) in boxes.into_iter().flatten() {
            base[i] += lower * unit;
            let width = (upper - lower) * unit;
            if width > 0.0 {
                let s = 0.5 * width;
                halves.push(Half { of: i, lower, upper, q, width, s, t: s, z: 1.0, w: 1.0 });
            }
        }
    }
    if halves.is_empty() || r == 0 {
        return None;
    }
    let value = |halves: &[Half]| {
        let mut x = base.clone();
        halves.iter().for_each(|h| x[h.of] += h.s);
        x
    };
    let product = |x: &[f64]| {
        let mut y = vec![0.0; r];
        for (row, x) in l.chunks(r).zip(x) {
            y.iter_mut().zip(row).for_each(|(y, l)| *y += x * l);
        }
        let dot = |row: &[f64]| row.iter().zip(&y).map(|(l, y)| l * y).sum::<f64>();
        l.chunks(r).map(dot).collect::<Vec<f64>>()
    };
    let count = 2.0 * halves.len() as f64;
    let mut theta = 0.0;
    let mut best = (f64::INFINITY, halves.clone());
    for round in 0..ITERATIONS {
        if watch.stop().is_some() {
            return None;
        }
        let x = value(&halves);
        let g = product(&x);
        if round == 0 {
            let all: Vec<f64> = halves.iter().map(|h| g[h.of] + h.q).collect();
            theta = all.iter().sum::<f64>() / all.len() as f64;
            let size = all.iter().map(|f| (f - theta).abs()).sum::<f64>() / all.len() as f64;
            let size = size.max(p.magnitude()).max(f64::MIN_POSITIVE);
            halves.iter_mut().for_each(|h| (h.z, h.w) = (size, size));
        }
        let residual: Vec<f64> = halves.iter().map(|h| g[h.of] + h.q - theta - h.z + h.w).collect();
        let lacking = sum * unit - x.iter().sum::<f64>();
        let gap: f64 = halves.iter().map(|h| h.s * h.z + h.t * h.w).sum();
        let linear: f64 = x.iter().zip(p.linear).map(|(x, q)| x * q).sum::<f64>() + p.kinks(&x);
        let norm: f64 = x.iter().zip(&g).map(|(x, g)| x * g).sum();
        let scale = (0.5 * norm + linear).abs() + gap;
        let missed = halves.iter().zip(&residual).map(|(h, r)| r.abs() * h.width).sum::<f64>();
        // Rounding ends the path: the residual grows again.
        let now = (gap + missed) / scale;
        if now < best.0 {
            best = (now, halves.clone());
        }
        if now <= 1e-3 * tol.min(1e-6) || now.is_nan() || now > WORSE * best.0 {
            break;
        }
        let d: Vec<f64> = halves.iter().map(|h| h.z / h.s + h.w / h.t).collect();
        let mut e = vec![0.0; n];
        halves.iter().zip(&d).for_each(|(h, d)| e[h.of] += 1.0 / d);
        let system = System::new(l, r, &e)?;
        let ones = system.solve(&system.root);
        let total: f64 = ones.iter().sum();
        // The step for given complementarities; its parts for s, z and w.
        let step = |first: &[f64], second: &[f64]| {
            let b: Vec<f64> = (0..halves.len())
                .map(|k| first[k] / halves[k].s - second[k] / halves[k].t - residual[k])
                .collect();
            let mut u = vec![0.0; n];
            for (k, h) in halves.iter().enumerate() {
                u[h.of] += b[k] / d[k];
            }
            u.iter_mut().zip(&system.root).for_each(|(u, root)| {
                if *root > 0.0 {
                    *u /= root
                }
            });
            let a = system.solve(&u);
            let turn = (lacking - a.iter().sum::<f64>()) / total;
            let dx: Vec<f64> = a.iter().zip(&ones).map(|(a, o)| a + turn * o).collect();
            let moved = if p.kink.is_some() { product(&dx) } else { Vec::new() };
            let parts: Vec<[f64; 3]> = halves
                .iter()
                .enumerate()
                .map(|(k, h)| {
                    let ds = match p.kink {
                        None => dx[h.of],
                        Some(_) => (b[k] + turn - moved[h.of]) / d[k],
                    };
                    [ds, (first[k] - h.z * ds) / h.s, (second[k] + h.w * ds) / h.t]
                })
                .collect();
            (parts, turn)
        };
        let reach = |parts: &[[f64; 3]]| {
            let mut most = 1.0_f64;
            for (h, [ds, dz, dw]) in halves.iter().zip(parts) {
                for (now, change) in [(h.s, *ds), (h.t, -ds), (h.z, *dz), (h.w, *dw)] {
                    if change < 0.0 {
                        most = most.min(-SHARE * now / change);
                    }
                }
            }
            most
        };
        let mu = gap / count;
        let (first, second): (Vec<f64>, Vec<f64>) =
            halves.iter().map(|h| (-h.s * h.z, -h.t * h.w)).unzip();
        let (ahead, _) = step(&first, &second);
        let t = reach(&ahead);
        let after: f64 = halves
            .iter()
            .zip(&ahead)
            .map(|(h, [ds, dz, dw])| {
                (h.s + t * ds) * (h.z + t * dz) + (h.t - t * ds) * (h.w + t * dw)
            })
            .sum();
        let centre = mu * (after / gap).clamp(0.0, 1.0).powi(3);
        let (first, second): (Vec<f64>, Vec<f64>) = halves
            .iter()
            .zip(&ahead)
            .map(|(h, [ds, dz, dw])| (centre - h.s * h.z - ds * dz, centre - h.t * h.w + ds * dw))
            .unzip();
        let (parts, turn) = step(&first, &second);
        let t = reach(&parts);
        if !(t > 1e-10 && turn.is_finite()) {
            break;
        }
        theta += t * turn;
        for (h, [ds, dz, dw]) in halves.iter_mut().zip(&parts) {
            (h.s, h.t) = (h.s + t * ds, h.t - t * ds);
            (h.z, h.w) = (h.z + t * dz, h.w + t * dw);
        }
        if halves.iter().any(|h| !(h.s > 0.0 && h.t > 0.0 && h.z > 0.0 && h.w > 0.0)) {
            break;
        }
    }
    let halves = best.1;
    let own = centred_diagonal(l, r);
    let mut x = vec![0.0; n];
    if p.kink.is_none() {
        x.copy_from_slice(p.lower);
    }
    for h in &halves {
        // A variable is at its bound where going there changes f by less than its multiplier.
        let (down, up) = (h.s * own[h.of] < h.z, h.t * own[h.of] < h.w);
        let part = if down && (!up || h.s * h.w <= h.t * h.z) {
            h.lower
        } else if up {
            h.upper
        } else {
            (h.lower + h.s / unit).clamp(h.lower, h.upper)
        };
        x[h.of] = if p.kink.is_none() { part } else { x[h.of] + part };
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}
