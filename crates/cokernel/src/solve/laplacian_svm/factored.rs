//! Newton steps by the factors of an n × n matrix, which all problems with the same labelled instances share.

use super::super::Rows;
use super::super::neighbour_graph::Laplacian;
use super::{Smooth, Step, dot, mean};
use crate::{Status, Watch};
use cokernel_dense::{Cholesky, Lu, Slice, product_nt};
use rayon::prelude::*;

/// Columns that are solved for at once.
const COLUMNS: usize = 128;

/// What Newton steps of all problems with the same labelled instances share.
pub struct Factored {
    /// The centred K.
    pub(super) kernel: Vec<f64>,
    /// The means of the rows of K.
    pub(super) means: Vec<f64>,
    /// The factors of A; none where μ = 0.
    lu: Option<Lu>,
    labelled: Vec<usize>,
    /// K̃ between the labelled instances.
    warped: Vec<f64>,
    /// A⁻¹μL1.
    shift: Vec<f64>,
    /// 1 − K A⁻¹μL1 at the labelled instances.
    level: Vec<f64>,
    /// The sums of the columns of A⁻¹ that belong to labelled instances.
    sums: Vec<f64>,
}

impl Factored {
    /// `labelled`: increasing. `None` where A is singular in floating-point arithmetic.
    ///
    /// # Errors
    /// A stop.
    pub fn new(
        rows: &dyn Rows,
        labelled: Vec<usize>,
        laplacian: &Laplacian,
        smoothness: f64,
        watch: &Watch,
    ) -> Result<Option<Self>, Status> {
        let (n, l) = (rows.n(), labelled.len());
        let Some((kernel, means)) = centred(rows, watch)? else { return Ok(None) };
        let row = |i: usize| &kernel[i * n..(i + 1) * n];
        let (mut warped, mut sums) = (vec![0.0; l * l], vec![1.0; l]);
        let (mut shift, mut level) = (vec![0.0; n], vec![1.0; l]);
        if smoothness == 0.0 {
            for (a, out) in warped.chunks_mut(l.max(1)).enumerate() {
                out.iter_mut().zip(&labelled).for_each(|(o, j)| *o = row(labelled[a])[*j]);
            }
            let lu = None;
            return Ok(Some(Factored { kernel, means, lu, labelled, warped, shift, level, sums }));
        }
        let mut matrix = vec![0.0; n * n];
        matrix.par_chunks_mut(n).enumerate().for_each(|(i, out)| {
            laplacian.add_row(i, smoothness, &kernel, n, out);
            out[i] += 1.0;
        });
        if let Some(status) = watch.stop() {
            return Err(status);
        }
        let Some(lu) = Lu::new(n, matrix) else { return Ok(None) };
        let own: Vec<f64> = labelled.iter().flat_map(|i| row(*i)).copied().collect();
        let mut part = vec![0.0; l * COLUMNS];
        for (first, places) in (0..).step_by(COLUMNS).zip(labelled.chunks(COLUMNS)) {
            if let Some(status) = watch.stop() {
                return Err(status);
            }
            let k = places.len();
            let mut columns = vec![0.0; n * k];
            places.iter().enumerate().for_each(|(c, i)| columns[c * n + i] = 1.0);
            lu.solve(&mut columns, k);
            let part = &mut part[..l * k];
            product_nt(Slice::new(&own, l, n), Slice::new(&columns, k, n), part);
            for (out, part) in warped.chunks_mut(l).zip(part.chunks(k)) {
                out[first..first + k].copy_from_slice(part);
            }
            for (s, column) in sums[first..].iter_mut().zip(columns.chunks(n)) {
                *s = column.iter().sum();
            }
        }
        shift.iter_mut().zip(laplacian.ones()).for_each(|(s, o)| *s = smoothness * o);
        lu.solve(&mut shift, 1);
        for (level, own) in level.iter_mut().zip(own.chunks(n)) {
            *level -= dot(own, &shift);
        }
        // Symmetric but for rounding.
        for a in 0..l {
            for b in 0..a {
                let mean = 0.5 * (warped[a * l + b] + warped[b * l + a]);
                (warped[a * l + b], warped[b * l + a]) = (mean, mean);
            }
        }
        Ok(Some(Factored { kernel, means, lu: Some(lu), labelled, warped, shift, level, sums }))
    }

    fn invert(&self, v: &mut [f64]) {
        if let Some(lu) = &self.lu {
            lu.solve(v, 1);
        }
    }

    /// The change of (c, b) that removes `residual` with E at `active` (true for all instances in it).
    pub(super) fn step(
        &self,
        problem: &Smooth<'_>,
        active: &[bool],
        residual: &[f64],
    ) -> Option<Step> {
        let (n, l) = (active.len(), self.labelled.len());
        let mut z = residual.to_vec();
        self.invert(&mut z);
        let here: Vec<usize> = (0..l).filter(|a| active[self.labelled[*a]]).collect();
        let e = here.len();
        let value = |a: usize| {
            let i = self.labelled[a];
            dot(&self.kernel[i * n..(i + 1) * n], &z)
        };
        let mut system = vec![0.0; e * e];
        for (p, a) in here.iter().enumerate() {
            for (q, b) in here.iter().enumerate() {
                system[p * e + q] = self.warped[a * l + b];
            }
            system[p * e + p] += 1.0 / problem.costs[self.labelled[*a]];
        }
        let mut sides: Vec<f64> = here.iter().map(|a| value(*a)).collect();
        sides.extend(here.iter().map(|a| self.level[*a]));
        let factor = match Cholesky::new(e, system.clone()) {
            Some(factor) => factor,
            None => Cholesky::with_ridge(e, &system)?,
        };
        factor.solve(&mut sides, 2);
        let (p, q) = sides.split_at(e);
        let sums: Vec<f64> = here.iter().map(|a| self.sums[*a]).collect();
        let below = dot(&sums, q) + self.shift.iter().sum::<f64>();
        let above = z.iter().sum::<f64>() - dot(&sums, p);
        let bias = if below.abs() > f64::MIN_POSITIVE { above / below } else { 0.0 };
        let mut coef = residual.to_vec();
        for ((a, p), q) in here.iter().zip(p).zip(q) {
            coef[self.labelled[*a]] -= p + q * bias;
        }
        let ones = problem.laplacian.ones();
        coef.iter_mut().zip(ones).for_each(|(c, o)| *c -= problem.smoothness * o * bias);
        self.invert(&mut coef);
        coef.iter().all(|c| c.is_finite()).then_some(Step { coef, bias, values: None, products: 0 })
    }
}

/// The centred K and the means of the rows of K.
type Centred = (Vec<f64>, Vec<f64>);

/// K less the means of its rows and columns, and these; `None` where that is not finite.
fn centred(rows: &dyn Rows, watch: &Watch) -> Result<Option<Centred>, Status> {
    let n = rows.n();
    let (mut kernel, mut room) = (vec![0.0; n * n], vec![0.0; n]);
    let mut means = vec![0.0; n];
    for (i, out) in kernel.chunks_mut(n.max(1)).enumerate() {
        if let Some(status) = watch.stop() {
            return Err(status);
        }
        out.copy_from_slice(rows.row(i, &mut room));
        means[i] = mean(out);
    }
    let all = mean(&means);
    for (i, out) in kernel.chunks_mut(n.max(1)).enumerate() {
        let own = means[i] - all;
        out.iter_mut().zip(&means).for_each(|(k, m)| *k -= own + m);
    }
    Ok(kernel.iter().all(|k| k.is_finite()).then_some((kernel, means)))
}
