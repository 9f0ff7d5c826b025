//! Kernels of which some instances have no values, for methods that treat such instances themselves, and their completion by
//! the clusters (Liu, Li, Wang, Dou, Yin, Zhu, *Multiple kernel k-means with incomplete kernels*, AAAI 2017 and IEEE TPAMI 42,
//! 2020, (6)-(12)).
//!
//! With c the instances that have the view of kernel m and q the others, K_m(c, c) is given, centred and brought to the
//! trace |c| as complete kernels are (`multiview/centred.rs`), and the rest is free:
//!
//! ```text
//! min  Σ_m γ_m² [ tr K_m (I − HHᵀ) + ε tr K_m(q, q) ]      HᵀH = I,  γ ≥ 0,  Σγ = 1,  K_m ⪰ 0
//! ```
//!
//! Given H the best K_m is Z K_m(c, c) Zᵀ, where Z has the rows of I for c and −(U_qq + εI)⁻¹U_qc for q, U = I − HHᵀ. As U is I
//! less k columns, that is G H_cᵀ with G = H_q((1 + ε)I − H_qᵀH_q)⁻¹: products with K_m cost one with its known block.
//!
//! | symbol | name |
//! |---|---|
//! | c | [`Partial::rows`] |
//! | H_c, G | `common`, `lift` |
//!
//! Given K, H are the leading eigenvectors of Σγ_m²K_m; given both, γ_m ∝ 1/b_m with b_m the bracket. None raises the objective.
//! It starts from zeros and even γ. Deviation: ε = 10⁻⁶, without which K_m(q, q) has no bound where a column of H lies in
//! q alone.

use super::centred::ROUNDING;
use super::coordinates::same;
use super::laplacian;
use super::mkkm::weights;
use super::work::Work;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::params::{Param, Range};
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::Eigenpairs;
use crate::{Error, Event, Result, Status};
use cokernel_dense::Cholesky;

/// What becomes of instances that lack views.
pub(super) const INCOMPLETE: Param = Param {
    name: "incomplete",
    doc: "Instances that lack views: own, as the method itself treats them; estimated, their similarities are estimated from \
          the other views, as for other clusterings.",
    range: Range::Choice { default: "own", of: &["own", "estimated"] },
};

/// Kernels that are known of less than one in so many instances are named.
const FEW: usize = 4;

/// ε.
const RIDGE: f64 = 1e-6;

/// The instances that have the view of each kernel; `None` where all have all.
pub(super) fn present(bank: &Bank) -> Option<Vec<Vec<u32>>> {
    let fill = bank.fill()?;
    let of = |m: usize| (0..bank.n()).filter(|i| fill.has(m, *i)).map(|i| i as u32).collect();
    let all: Vec<Vec<u32>> = (0..bank.len()).map(of).collect();
    all.iter().any(|rows| rows.len() < bank.n()).then_some(all)
}

/// Names kernels of which little is known, where the clusters complete them.
pub(super) fn scarce(bank: &Bank, all: &[Partial]) -> Option<String> {
    let few = |(m, part): (usize, &Partial)| {
        let known = !part.rows.is_empty() && FEW * part.rows.len() < bank.n();
        known.then(|| format!("'{}' ({})", bank.kernels()[m].name, part.rows.len()))
    };
    let few: Vec<String> = all.iter().enumerate().filter_map(few).collect();
    (!few.is_empty()).then(|| {
        format!(
            "known of few of the {} instances and for the others made up by the clusters, so that their weights say little: {}; \
             leave such views out, or set incomplete=estimated",
            bank.n(),
            few.join(", ")
        )
    })
}

/// A kernel on the instances that have its view, and how it goes on to the others.
pub(super) struct Partial {
    /// c.
    pub rows: Vec<usize>,
    /// q.
    absent: Vec<usize>,
    /// K(c, c).
    block: Matrix,
    common: Matrix,
    lift: Matrix,
}

impl Partial {
    /// The known parts of all kernels; kernels without any variance there are empty.
    ///
    /// # Errors
    /// No kernel has any variance; a stop.
    pub fn all(
        bank: &Bank,
        present: &[Vec<u32>],
        center: bool,
        work: &mut Work<'_>,
    ) -> Result<Vec<Partial>> {
        let mut all = Vec::with_capacity(present.len());
        let mut flat = Vec::new();
        for (m, columns) in present.iter().enumerate() {
            work.go_on()?;
            let count = columns.len();
            let mut block = Matrix::zeros(count, count);
            for (r, i) in columns.iter().enumerate() {
                bank.entries(m, *i as usize, columns, block.row_mut(r));
            }
            let mut largest = (0..count).fold(0.0_f64, |a, i| a.max(block.get(i, i).abs()));
            if center {
                block = centred(block);
            }
            let trace: f64 = (0..count).map(|i| block.get(i, i)).sum();
            if !trace.is_finite() {
                largest = f64::INFINITY;
            }
            if trace.is_nan() || trace <= ROUNDING * count as f64 * largest {
                flat.push(format!("'{}'", bank.kernels()[m].name));
                block = Matrix::zeros(0, 0);
            } else {
                let factor = count as f64 / trace;
                block.values_mut().iter_mut().for_each(|v| *v *= factor);
            }
            let rows: Vec<usize> = match block.rows() {
                0 => Vec::new(),
                _ => columns.iter().map(|i| *i as usize).collect(),
            };
            let mut has = vec![false; bank.n()];
            rows.iter().for_each(|i| has[*i] = true);
            let absent = (0..bank.n()).filter(|i| !has[*i]).collect();
            let (common, lift) = (Matrix::zeros(rows.len(), 0), Matrix::zeros(0, 0));
            all.push(Partial { rows, absent, block, common, lift });
        }
        if flat.len() == all.len() {
            return Err(same("all kernels are"));
        }
        if !flat.is_empty() {
            let names = flat.join(", ");
            work.notes
                .push(format!("{names}: tells no two instances apart, up to rounding, or has more negative than positive variance; takes no part"));
        }
        Ok(all)
    }

    /// Whether it takes part.
    pub fn is_some(&self) -> bool {
        !self.rows.is_empty()
    }

    /// K(c, c).
    pub fn known(&self) -> &Matrix {
        &self.block
    }

    /// K V.
    pub fn apply(&self, v: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(v.rows(), v.cols());
        if !self.is_some() {
            return out;
        }
        let mut inner = v.select_rows(&self.rows);
        let lifted = self.lift.rows() > 0;
        if lifted {
            let below = v.select_rows(&self.absent);
            let share = dense::gram_tn(Slice::of(&self.lift), Slice::of(&below));
            dense::accumulate(&mut inner, 1.0, Slice::of(&self.common), Slice::of(&share));
        }
        let image = dense::product(Slice::of(&self.block), Slice::of(&inner));
        for (r, i) in self.rows.iter().enumerate() {
            out.row_mut(*i).copy_from_slice(image.row(r));
        }
        if lifted {
            let share = dense::gram_tn(Slice::of(&self.common), Slice::of(&image));
            let below = dense::product(Slice::of(&self.lift), Slice::of(&share));
            for (r, i) in self.absent.iter().enumerate() {
                out.row_mut(*i).copy_from_slice(below.row(r));
            }
        }
        out
    }

    /// tr K(q, q).
    fn added(&self) -> f64 {
        if self.lift.rows() == 0 {
            return 0.0;
        }
        let image = dense::product(Slice::of(&self.block), Slice::of(&self.common));
        let inner = dense::gram_tn(Slice::of(&self.common), Slice::of(&image));
        let lifted = dense::product(Slice::of(&self.lift), Slice::of(&inner));
        lifted.values().iter().zip(self.lift.values()).map(|(a, b)| a * b).sum::<f64>().max(0.0)
    }

    /// The best K for these clusters.
    fn complete(&mut self, h: &Matrix) -> Result<()> {
        if !self.is_some() || self.absent.is_empty() {
            return Ok(());
        }
        let below = h.select_rows(&self.absent);
        let mut matrix = dense::gram_tn(Slice::of(&below), Slice::of(&below));
        let k = h.cols();
        for (j, v) in matrix.values_mut().iter_mut().enumerate() {
            *v = -*v + if j / k == j % k { 1.0 + RIDGE } else { 0.0 };
        }
        let factor = Cholesky::new(k, matrix.into_values()).ok_or_else(|| {
            Error::Data("the clusters of the present instances have no completion".to_string())
        })?;
        // Right-hand sides are the rows of H_q.
        let mut lift = below.into_values();
        factor.solve(&mut lift, self.absent.len());
        self.lift = Matrix::new(self.absent.len(), k, lift)?;
        self.common = h.select_rows(&self.rows);
        Ok(())
    }

    /// All values, n × n.
    pub fn whole(&self, n: usize) -> Matrix {
        let mut out = Matrix::zeros(n, n);
        let (mut start, width) = (0, 128);
        while start < n {
            let columns = width.min(n - start);
            let unit = Matrix::from_fn(n, columns, |i, j| f64::from(u8::from(i == start + j)));
            let part = self.apply(&unit);
            for i in 0..n {
                out.row_mut(i)[start..start + columns].copy_from_slice(part.row(i));
            }
            start += columns;
        }
        dense::symmetric_part(out)
    }
}

/// H K H.
fn centred(mut block: Matrix) -> Matrix {
    let n = block.rows();
    let means: Vec<f64> = (0..n).map(|i| block.row(i).iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    for (i, own) in means.iter().enumerate() {
        let row = block.row_mut(i);
        row.iter_mut().zip(&means).for_each(|(v, other)| *v -= own + other - grand);
    }
    block
}

/// What the rounds ended with.
pub(super) struct Completed {
    pub weights: Vec<f64>,
    pub pairs: Eigenpairs,
    pub objective: Vec<f64>,
    pub status: Status,
}

/// Clusters, weights and completions in turn.
///
/// # Errors
/// As the search for eigenvectors; a stop before the first round.
pub(super) fn alternate(
    kernels: &mut [Partial],
    k: usize,
    (tol, most): (f64, usize),
    work: &mut Work<'_>,
) -> Result<Completed> {
    let n = work.n();
    let taking: Vec<f64> = kernels.iter().map(|p| f64::from(u8::from(p.is_some()))).collect();
    let part: f64 = taking.iter().sum();
    let mut gamma: Vec<f64> = taking.iter().map(|t| t / part).collect();
    let mut best: Option<Completed> = None;
    for round in 0..most {
        let sum = |x: &Matrix| {
            let mut out = Matrix::zeros(n, x.cols());
            for (p, g) in kernels.iter().zip(&gamma).filter(|(_, g)| **g > 0.0) {
                let image = p.apply(x);
                let each = out.values_mut().iter_mut().zip(image.values());
                each.for_each(|(o, v)| *o += g * g * v);
            }
            out
        };
        let found = work.top(n, k, &sum);
        let pairs = match (found, &mut best) {
            (Ok(pairs), _) => pairs,
            (Err(Error::Stopped { status, .. }), Some(best)) => {
                best.status = status;
                break;
            }
            (Err(e), _) => return Err(e),
        };
        let left: Vec<f64> = kernels.iter().map(|p| unexplained(p, &pairs.vectors)).collect();
        let value: f64 = left.iter().zip(&gamma).map(|(b, g)| g * g * b).sum();
        let last = best.as_ref().and_then(|b| b.objective.last().copied());
        let mut objective = best.take().map_or(Vec::new(), |b| b.objective);
        objective.push(last.map_or(value, |l| l.min(value)));
        let message = format!("objective {value:.6e}");
        work.run.tell(Event::Step { done: round as u64 + 1, message: &message });
        let done = last.is_some_and(|l| l - value <= tol * value.abs());
        let status = match work.status.or(work.watch.stop()) {
            Some(stop) => stop,
            None if done || value <= 0.0 => Status::Converged,
            None => Status::IterationLimit,
        };
        for p in kernels.iter_mut().filter(|_| status == Status::IterationLimit) {
            p.complete(&pairs.vectors)?;
        }
        let weighed = gamma.clone();
        if status == Status::IterationLimit {
            let left: Vec<f64> = kernels.iter().map(|p| unexplained(p, &pairs.vectors)).collect();
            gamma = weights(&left, &taking, n as f64);
        }
        best = Some(Completed { weights: weighed, pairs, objective, status });
        if status != Status::IterationLimit {
            break;
        }
    }
    let stopped = || Error::Stopped {
        status: Status::IterationLimit,
        what: laplacian::EMBEDDING.to_string(),
    };
    best.ok_or_else(stopped)
}

/// b, 0 of a kernel that takes no part.
fn unexplained(p: &Partial, h: &Matrix) -> f64 {
    if !p.is_some() {
        return 0.0;
    }
    let image = p.apply(h);
    let explained: f64 = image.values().iter().zip(h.values()).map(|(a, b)| a * b).sum();
    (p.rows.len() as f64 + (1.0 + RIDGE) * p.added() - explained).max(0.0)
}
