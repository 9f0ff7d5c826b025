//! Newton steps on the free variables, for problems on which pair steps crawl: kernels on columns
//! of very different size, of a small rank, or nearly constant.
//!
//! With F the variables that are not at a bound and r one of them, x_r is eliminated by the sum
//! constraint, which leaves
//!
//! ```text
//! min ½ dᵀA d + gᵀd,    A_ij = K_ij − K_ir − K_rj + K_rr,    g_i = f_i − f_r,    i, j ∈ F∖{r}
//! ```
//!
//! A holds the inner products of differences to instance r, so what the entries of K have in common
//! is gone. It is scaled to a unit diagonal and gets ridges: the rounding of the entries of K, and
//! 10⁻¹² or what more it takes. The step goes
//! to the minimum of the line or to the first bound; a variable that meets its bound leaves F, and
//! so on until a whole step fits. The objective never increases. |F|³/3 for each variable that
//! leaves, 8·|F|² bytes.

use super::halves::Problem;
use super::point::Full;
use cokernel_dense::Cholesky;

/// Largest |F|.
const LARGEST: usize = 1000;
/// Most operations in all calls of one solution, a second or two.
pub(super) const WORK: f64 = 5e9;
/// Most variables that leave in one call.
const CHANGES: usize = 500;

/// Moves the free variables of `full` to the minimum over them, or to the nearest bounds on the way;
/// the gradient is not brought up to date. What it costs is taken off `work`. Whether anything
/// moved.
pub(super) fn polish(p: &Problem<'_>, full: &mut Full, work: &mut f64) -> bool {
    let inside = |i: &usize| p.is_free(*i, full.x[*i]);
    let all: Vec<usize> = (0..full.x.len()).filter(inside).collect();
    let bounds: Vec<(f64, f64)> = all.iter().map(|&i| p.bounds(i, full.x[i])).collect();
    let size = all.len();
    if !(2..=LARGEST).contains(&size) {
        return false;
    }
    let mut block = vec![0.0; size * size];
    let mut room = vec![0.0; full.x.len()];
    for (out, &i) in block.chunks_mut(size).zip(&all) {
        let row = p.rows.row(i, &mut room);
        out.iter_mut().zip(&all).for_each(|(o, c)| *o = row[*c] / full.unit);
    }
    let mut f: Vec<f64> = all.iter().map(|&i| full.gradient[i] + p.kink_slope(full.x[i])).collect();
    // Positions in `all` that are free still.
    let mut face: Vec<usize> = (0..size).collect();
    let mut moved = false;
    for _ in 0..CHANGES {
        *work -= (face.len() as f64).powi(3) / 3.0;
        if *work < 0.0 {
            break;
        }
        let Some(d) = direction(&block, size, &f, &face) else { break };
        // f moves by K d; the slope and the curvature of the line.
        let mut change = vec![0.0; size];
        for (k, v) in face.iter().zip(&d) {
            let row = &block[k * size..(k + 1) * size];
            change.iter_mut().zip(row).for_each(|(c, b)| *c += v * b);
        }
        let slope: f64 = face.iter().zip(&d).map(|(k, v)| f[*k] * v).sum();
        let bend: f64 = face.iter().zip(&d).map(|(k, v)| change[*k] * v).sum();
        if slope.is_nan() || slope >= 0.0 {
            break;
        }
        let mut t = if bend > 0.0 { -slope / bend } else { f64::INFINITY };
        let mut leaving = None;
        for (at, (k, v)) in face.iter().zip(&d).enumerate() {
            let (i, v) = (all[*k], v / full.unit);
            let bound = if v > 0.0 { bounds[*k].1 } else { bounds[*k].0 };
            let reach = (bound - full.x[i]) / v;
            if v != 0.0 && reach < t {
                (t, leaving) = (reach, Some((at, bound)));
            }
        }
        if !t.is_finite() {
            break;
        }
        for (k, v) in face.iter().zip(&d) {
            let i = all[*k];
            full.x[i] = (full.x[i] + t * (v / full.unit)).clamp(bounds[*k].0, bounds[*k].1);
        }
        f.iter_mut().zip(&change).for_each(|(f, c)| *f += t * c);
        moved = true;
        let Some((at, bound)) = leaving else { break };
        full.x[all[face[at]]] = bound;
        let free = |k: &usize| bounds[*k].0 < full.x[all[*k]] && full.x[all[*k]] < bounds[*k].1;
        face.retain(free);
        if face.len() < 2 {
            break;
        }
    }
    moved
}

/// The Newton direction over `face`, with sum 0.
fn direction(block: &[f64], size: usize, f: &[f64], face: &[usize]) -> Option<Vec<f64>> {
    let k = |i: usize, j: usize| block[i * size + j];
    let (&r, rest) = face.split_last()?;
    let m = rest.len();
    let own: Vec<f64> = rest.iter().map(|&i| k(i, i) - 2.0 * k(i, r) + k(r, r)).collect();
    let largest = face.iter().fold(0.0_f64, |a, &i| a.max(k(i, i).abs()));
    let rounding = 4.0 * f64::EPSILON * largest * (m as f64).sqrt();
    let scale: Vec<f64> = own.iter().map(|d| 1.0 / (d.max(0.0) + rounding).sqrt()).collect();
    let mut a = vec![0.0; m * m];
    for (i, &u) in rest.iter().enumerate() {
        for (j, &v) in rest.iter().enumerate() {
            a[i * m + j] = scale[i] * scale[j] * (k(u, v) - k(u, r) - k(r, v) + k(r, r));
        }
        a[i * m + i] = 1.0;
    }
    let factor = Cholesky::with_ridge(m, &a)?;
    let mut d: Vec<f64> = rest.iter().zip(&scale).map(|(&i, s)| -(f[i] - f[r]) * s).collect();
    factor.solve(&mut d, 1);
    d.iter_mut().zip(&scale).for_each(|(d, s)| *d *= s);
    let sum: f64 = d.iter().sum();
    d.push(-sum);
    d.iter().all(|v| v.is_finite()).then_some(d)
}
