//! Late fusion in one pass: clusters themselves, not a relaxed partition, are what the partitions of all kernels agree with,
//!
//! max Σ_m β_m tr (YC)ᵀ H_m W_m   subject to   Y ∈ {0, 1}^{n×k} with one 1 in each row,  C and W_m of orthonormal columns or
//! rows,  β ≥ 0,  Σ β_m² = 1,
//!
//! with H_m ∈ R^{n×k} the leading eigenvectors of kernel m alone, as in [`late_fusion`](super::late_fusion). Each of Y, C, β and W_m is
//! the best for the others in turn: with polar(A) = A(AᵀA)^{−1/2} and R = Σ β_mH_mW_m, instance i goes into the cluster of the
//! largest (RCᵀ)_ij, C = polar(YᵀR), β_m ∝ tr (YC)ᵀH_mW_m, W_m = polar(H_mᵀYC).
//!
//! Source: Liu, Liu, Liao, Wang, Zhang, Tu, Tang, Liu, Zhu, *One pass late fusion multi-view clustering*, ICML 2021, (5)-(11).
//!
//! The objective never falls. It starts from the clusters of k-means on the partition of the mean kernel, rows of unit length, and
//! the polar factor of their centres, as the source does (which takes any basis of what the centres span).
//!
//! | symbol | name |
//! |---|---|
//! | H_m | `parts` |
//! | β | in the report `weights`, divided by their sum |
//!
//! Rows of the embedding are YC: k-means has nothing left to find in them. So new rows cannot be placed. **Instances that lack views**
//! as in [`late_fusion`](super::late_fusion).
//!
//! Cost: an eigenvalue problem for each kernel and for their mean; then O(n k² M) for each round.

use super::centred::{CENTER, MAX_ITERATIONS, WEIGHTS, told};
use super::incomplete::{INCOMPLETE, present};
use super::kmeans::{self, Starts, check_clusters};
use super::late_fusion::{Alone, polar};
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::dense::{self, Slice};
use crate::{Event, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(OnePassFusion::new(p)) };

static METHOD: Method = Method {
    id: "one_pass_fusion",
    title: "late fusion in one pass",
    source: "Liu and others 2021, (5)-(11)",
    summary: "The clusters of every kernel alone, turned and weighed so that they agree with common clusters, which are \
              found with them and not by k-means afterwards. The objective never falls. Any kernels. After one eigenvalue \
              problem for each kernel its rounds cost next to nothing.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "tol",
            doc: "Relative growth of the objective at which the rounds end.",
            range: Range::Real { default: 1e-6, min: 0.0, max: 1.0, closed: true },
        },
        MAX_ITERATIONS,
        CENTER,
        INCOMPLETE,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct OnePassFusion {
    tol: f64,
    max_iterations: usize,
    center: bool,
    own: bool,
}

impl OnePassFusion {
    fn new(p: &Params) -> Self {
        OnePassFusion {
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            center: p.text("center") == "yes",
            own: p.text("incomplete") == "own",
        }
    }
}

/// Y, C, β and R after some round.
struct Fused {
    cluster: Vec<u32>,
    turn: Matrix,
    beta: Vec<f64>,
    sum: Matrix,
    value: f64,
}

impl Fused {
    /// The best W and β for these clusters.
    fn of(parts: &[Matrix], cluster: Vec<u32>, turn: Matrix) -> Result<Self> {
        let aim = aimed(&cluster, &turn);
        let mut turned = Vec::with_capacity(parts.len());
        for h in parts {
            let across = dense::gram_tn(Slice::of(h), Slice::of(&aim));
            let (w, _) = polar(&across)?;
            let agreement: f64 = across.values().iter().zip(w.values()).map(|(a, w)| a * w).sum();
            turned.push((w, agreement.max(0.0)));
        }
        let value = turned.iter().map(|(_, a)| a * a).sum::<f64>().sqrt();
        let even = 1.0 / (parts.len() as f64).sqrt();
        let share = |a: f64| if value > 0.0 { a / value } else { even };
        let beta: Vec<f64> = turned.iter().map(|(_, a)| share(*a)).collect();
        let mut sum = Matrix::zeros(aim.rows(), turn.cols());
        for ((h, (w, _)), beta) in parts.iter().zip(&turned).zip(&beta) {
            dense::accumulate(&mut sum, *beta, Slice::of(h), Slice::of(w));
        }
        Ok(Fused { cluster, turn, beta, sum, value })
    }

    /// The best Y for R and C, then the best C for R and Y, then W and β.
    fn next(&self, parts: &[Matrix]) -> Result<Self> {
        let k = self.turn.rows();
        let mut scores = Matrix::zeros(self.sum.rows(), k);
        dense::product_nt(Slice::of(&self.sum), Slice::of(&self.turn), scores.values_mut());
        let best = |i: usize| {
            let row = scores.row(i);
            let own = self.cluster[i] as usize;
            // Stays where it is if nothing is better.
            (0..k).fold(own, |best, j| if row[j] > row[best] { j } else { best }) as u32
        };
        let cluster: Vec<u32> = (0..self.sum.rows()).map(best).collect();
        let mut within = Matrix::zeros(k, self.sum.cols());
        for (i, c) in cluster.iter().enumerate() {
            let row = within.row_mut(*c as usize).iter_mut().zip(self.sum.row(i));
            row.for_each(|(w, s)| *w += s);
        }
        let turn = completed(&polar(&within)?.0, &self.turn)?;
        Fused::of(parts, cluster, turn)
    }
}

/// Y C.
fn aimed(cluster: &[u32], turn: &Matrix) -> Matrix {
    Matrix::from_fn(cluster.len(), turn.cols(), |i, j| turn.get(cluster[i] as usize, j))
}

/// An orthonormal factor whose rows of clusters without instances are 0: these become what is left of those before, so that
/// an empty cluster can be filled again.
fn completed(turn: &Matrix, before: &Matrix) -> Result<Matrix> {
    let mut out = turn.clone();
    for j in 0..out.rows() {
        if out.row(j).iter().any(|v| *v != 0.0) {
            continue;
        }
        let mut row = before.row(j).to_vec();
        for _ in 0..2 {
            for l in (0..out.rows()).filter(|l| *l != j) {
                let share: f64 = row.iter().zip(out.row(l)).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(out.row(l)).for_each(|(a, b)| *a -= share * b);
            }
        }
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 1e-6 {
            let divided = row.iter().map(|v| v / length);
            out.row_mut(j).iter_mut().zip(divided).for_each(|(o, v)| *o = v);
        }
    }
    Ok(out)
}

impl Embedder for OnePassFusion {
    fn wants(&self) -> Wants {
        Wants { incomplete: self.own, ..Wants::products() }
    }

    fn places_new_rows(&self) -> bool {
        false
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let Alone { taking, parts, mean, .. } = match present(bank).filter(|_| self.own) {
            Some(present) => Alone::of_present(&present, self.center, k, &mut work)?,
            None => Alone::of_all(self.center, k, &mut work)?,
        };
        let found = ("the mean kernel".to_string(), mean.values.len());
        if work.status.is_none() {
            work.notes.extend(laplacian::left_out(&[found], k));
        }
        let (unit, _) = laplacian::unit_rows(&mean.vectors);
        let start = kmeans::kmeans(&unit, k, &Starts::default(), run, &work.watch)?;
        // Fewer columns than clusters, or fewer clusters than were asked for: rows that are 0.
        let centres = Matrix::from_fn(k, unit.cols(), |i, j| match i < start.centers.rows() {
            true => start.centers.get(i, j),
            false => 0.0,
        });
        let mut fused = Fused::of(&parts, start.assignments, polar(&centres)?.0)?;
        let (mut objective, mut status) = (vec![fused.value], Status::IterationLimit);
        while objective.len() < self.max_iterations {
            if let Some(stop) = work.status.or(work.watch.stop()) {
                status = stop;
                break;
            }
            let next = fused.next(&parts)?;
            let growth = next.value - fused.value;
            if growth > 0.0 {
                objective.push(next.value);
                fused = next;
            }
            let message = format!("objective {:.6e}", fused.value);
            run.tell(Event::Step { done: objective.len() as u64, message: &message });
            if growth.is_nan() || growth <= self.tol * fused.value {
                status = Status::Converged;
                break;
            }
        }
        run.tell(Event::End);
        let mut weights = vec![0.0; bank.len()];
        let total: f64 = fused.beta.iter().sum();
        taking.iter().zip(&fused.beta).for_each(|(m, b)| weights[*m] = b / total);
        let rows = aimed(&fused.cluster, &fused.turn);
        work.notes.push(told(bank, &weights));
        let filled = (0..k as u32).filter(|c| fused.cluster.contains(c)).count();
        if filled < k {
            work.notes.push(format!("{filled} of {k} clusters have an instance: the agreement is largest without the others"));
        }
        let own = work.report();
        let stopped = own.status.is_stop();
        let status = if stopped { own.status } else { status };
        let mut report = Report { status, iterations: objective.len(), objective, ..own };
        report.details.insert(WEIGHTS.to_string(), weights);
        Ok(Embedding {
            rows,
            eigenvectors: vec![mean.vectors],
            eigenvalues: vec![mean.values],
            gaps: vec![None],
            agreement: Vec::new(),
            extension: None,
            report,
        })
    }
}
