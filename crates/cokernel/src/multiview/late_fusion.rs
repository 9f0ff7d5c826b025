//! Late fusion by aligned partitions: the relaxed clusters of every kernel are turned towards a common one,
//!
//! max Σ_m β_m tr Fᵀ H_m W_m + λ tr FᵀM   subject to   FᵀF = I,  W_m of orthonormal columns or rows,  β ≥ 0,  Σ β_m² = 1,
//!
//! with H_m ∈ R^{n×k} the leading eigenvectors of kernel m alone (fewer where its rank is below k) and M those of the mean kernel; kernels are centred
//! and have the same trace (`multiview/centred.rs`). Each of F, W_m and β is the best for the others in turn: with
//! polar(A) = A(AᵀA)^{−1/2}, the orthonormal factor of A, W_m = polar(H_mᵀF), β_m ∝ tr FᵀH_mW_m, F = polar(Σ β_mH_mW_m + λM).
//! Then k-means on the rows of F, each of unit length.
//!
//! Source: Wang, Liu, Zhu and others, *Multi-view Clustering via Late Fusion Alignment Maximization*, IJCAI 2019, (4)-(10).
//!
//! The objective never falls; it starts from F = M and even β. λ = 1 by default (the source chooses it by the scores).
//!
//! | symbol | name |
//! |---|---|
//! | H_m, M | `parts`, `mean` |
//! | β | in the report `weights`, divided by their sum |
//!
//! **Instances that lack views** (`incomplete=own`; Liu and others, *Late fusion incomplete multi-view clustering*, IEEE TPAMI 41,
//! 2019, whose imputed rows are left out here): H_m is of the instances that have the view, and its other rows are 0, so
//! that these have no part in its agreement; M is of the mean of the kernels with zeros for what they lack. No new rows then.
//!
//! New rows: F is a linear map of H_m and M, each of which has its Nyström extension.
//!
//! Cost: an eigenvalue problem for each kernel and for their mean; then O(n k² M) for each round.

use super::centred::{CENTER, Centred, Found, MAX_ITERATIONS};
use super::extension::{Extension, Stage};
use super::incomplete::{INCOMPLETE, Partial, present};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::Eigenpairs;
use crate::{Event, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(LateFusion::new(p)) };

static METHOD: Method = Method {
    id: "late_fusion",
    title: "late fusion by aligned partitions",
    source: "Wang and others 2019, (4)-(10)",
    summary: "The clusters of every kernel alone, turned and weighed so that they agree with a common partition. The \
              objective never falls. Any kernels. After one eigenvalue problem for each kernel its rounds cost next to \
              nothing.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "lambda",
            doc: "Weight λ of the agreement with the partition of the mean kernel.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e6, closed: true },
        },
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
pub struct LateFusion {
    lambda: f64,
    tol: f64,
    max_iterations: usize,
    center: bool,
    own: bool,
}

impl LateFusion {
    fn new(p: &Params) -> Self {
        LateFusion {
            lambda: p.real("lambda"),
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            center: p.text("center") == "yes",
            own: p.text("incomplete") == "own",
        }
    }
}

/// F, W and β after some round.
struct Fused {
    common: Matrix,
    /// F = Σ_m H_m `maps`_m + M `last`.
    maps: Vec<Matrix>,
    last: Matrix,
    beta: Vec<f64>,
    value: f64,
}

impl LateFusion {
    /// The best W, then β, then F, for F given.
    fn round(&self, parts: &[Matrix], mean: &Matrix, common: &Matrix) -> Result<Fused> {
        let k = common.cols();
        let turned = parts.iter().map(|h| {
            let across = dense::gram_tn(Slice::of(h), Slice::of(common));
            let turn = polar(&across)?.0;
            let agreement: f64 =
                across.values().iter().zip(turn.values()).map(|(a, w)| a * w).sum();
            Ok((turn, agreement.max(0.0)))
        });
        let turned: Vec<(Matrix, f64)> = turned.collect::<Result<_>>()?;
        let length = turned.iter().map(|(_, a)| a * a).sum::<f64>().sqrt();
        let even = 1.0 / (parts.len() as f64).sqrt();
        let beta: Vec<f64> =
            turned.iter().map(|(_, a)| if length > 0.0 { a / length } else { even }).collect();
        let mut sum = mean.clone();
        sum.values_mut().iter_mut().for_each(|v| *v *= self.lambda);
        for ((h, (turn, _)), beta) in parts.iter().zip(&turned).zip(&beta) {
            dense::accumulate(&mut sum, *beta, Slice::of(h), Slice::of(turn));
        }
        let (common, map, value) = polar_of(&sum)?;
        let mapped = |factor: f64, turn: &Matrix| {
            let mut out = Matrix::zeros(turn.rows(), k);
            dense::accumulate(&mut out, factor, Slice::of(turn), Slice::of(&map));
            out
        };
        let maps = turned.iter().zip(&beta).map(|((turn, _), b)| mapped(*b, turn)).collect();
        let one = Matrix::from_fn(mean.cols(), k, |i, j| f64::from(u8::from(i == j)));
        Ok(Fused { common, maps, last: mapped(self.lambda, &one), beta, value })
    }
}

/// The partitions of the kernels that take part, and that of their mean.
pub(super) struct Alone {
    pub taking: Vec<usize>,
    pub parts: Vec<Matrix>,
    pub mean: Eigenpairs,
    /// How new rows are placed in each of them, where they can be.
    stages: Option<Vec<Stage>>,
}

impl Alone {
    /// With k columns each, of instances that all have all views, or where similarities are estimated.
    pub fn of_all(center: bool, k: usize, work: &mut Work<'_>) -> Result<Self> {
        let bank = work.bank();
        let mut kernels = Centred::new(bank, center, work)?;
        let even = kernels.even();
        let taking: Vec<usize> = (0..even.len()).filter(|m| even[*m] > 0.0).collect();
        let mut stages = Vec::new();
        let mut part = |weights: &[f64],
                        kernels: &mut Centred<'_>,
                        work: &mut Work<'_>|
         -> Result<Eigenpairs> {
            kernels.combine(weights, work)?;
            let pairs = kernels.top(k, None, &laplacian::precise(), work)?;
            work.watch.complete(laplacian::EMBEDDING)?;
            // Eigenvectors of eigenvalue 0 are any.
            let pairs = laplacian::determined(bank, pairs);
            stages.push(kernels.stage(&pairs, weights));
            Ok(pairs)
        };
        let mut parts = Vec::new();
        for m in &taking {
            let alone: Vec<f64> = (0..even.len()).map(|h| f64::from(u8::from(h == *m))).collect();
            parts.push(part(&alone, &mut kernels, work)?.vectors);
        }
        let mean = part(&even, &mut kernels, work)?;
        Ok(Alone { taking, parts, mean, stages: Some(stages) })
    }

    /// Of the instances that have the view of each kernel; rows of the others are 0.
    pub fn of_present(
        present: &[Vec<u32>],
        center: bool,
        k: usize,
        work: &mut Work<'_>,
    ) -> Result<Self> {
        let (bank, n) = (work.bank(), work.n());
        let kernels = Partial::all(bank, present, center, work)?;
        let taking: Vec<usize> = (0..kernels.len()).filter(|m| kernels[*m].is_some()).collect();
        let mut parts = Vec::new();
        for m in &taking {
            let own = &kernels[*m];
            let product = |x: &Matrix| dense::product(Slice::of(own.known()), Slice::of(x));
            let pairs = work.top(own.rows.len(), k.min(own.rows.len()), &product)?;
            let vectors = laplacian::determined(bank, pairs).vectors;
            let mut spread = Matrix::zeros(n, vectors.cols());
            for (r, i) in own.rows.iter().enumerate() {
                spread.row_mut(*i).copy_from_slice(vectors.row(r));
            }
            parts.push(spread);
        }
        let share = 1.0 / taking.len() as f64;
        let sum = |x: &Matrix| {
            let mut out = Matrix::zeros(n, x.cols());
            for m in &taking {
                let image = kernels[*m].apply(x);
                let each = out.values_mut().iter_mut().zip(image.values());
                each.for_each(|(o, v)| *o += share * v);
            }
            out
        };
        let mean = work.top(n, k, &sum)?;
        Ok(Alone { taking, parts, mean: laplacian::determined(bank, mean), stages: None })
    }
}

impl Embedder for LateFusion {
    fn wants(&self) -> Wants {
        Wants { incomplete: self.own, ..Wants::products() }
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let alone = match present(bank).filter(|_| self.own) {
            Some(present) => Alone::of_present(&present, self.center, k, &mut work)?,
            None => Alone::of_all(self.center, k, &mut work)?,
        };
        let Alone { taking, parts, mean, stages } = alone;
        let found = ("the mean kernel".to_string(), mean.values.len());
        if work.status.is_none() {
            work.notes.extend(laplacian::left_out(&[found], k));
        }
        let (mut objective, mut status) = (Vec::new(), Status::IterationLimit);
        let mut fused = self.round(&parts, &mean.vectors, &mean.vectors)?;
        objective.push(fused.value);
        while objective.len() < self.max_iterations {
            if let Some(stop) = work.status.or(work.watch.stop()) {
                status = stop;
                break;
            }
            let next = self.round(&parts, &mean.vectors, &fused.common)?;
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
        let sum: f64 = fused.beta.iter().sum();
        taking.iter().zip(&fused.beta).for_each(|(m, b)| weights[*m] = b / sum);
        let maps = fused.maps.into_iter().chain([fused.last]);
        let extension = stages.map(|mut stages| {
            let last = stages.len();
            stages.push(Stage::linked(maps.enumerate().collect()));
            Extension { stages, outputs: vec![last], unit_rows: true }
        });
        let (iterations, pairs) = (objective.len(), Eigenpairs { vectors: fused.common, ..mean });
        let report = Report { iterations, objective, ..Report::closed_form(run) };
        let whose = "the partition of the mean kernel";
        Found { pairs, whose, weights, extension, status, report }.embedding(work)
    }
}

/// The orthonormal factor of a k × k matrix A, and its nuclear norm tr(AᵀA)^{1/2}.
pub(super) fn polar(a: &Matrix) -> Result<(Matrix, f64)> {
    let (factor, _, norm) = polar_of(a)?;
    Ok((factor, norm))
}

/// A(AᵀA)^{−1/2} of an n × k matrix, (AᵀA)^{−1/2} and tr(AᵀA)^{1/2}; directions without length stay 0.
fn polar_of(a: &Matrix) -> Result<(Matrix, Matrix, f64)> {
    let (values, vectors) = dense::symmetric_eigen(&dense::gram_tn(Slice::of(a), Slice::of(a)))?;
    let floor = 1e-14 * values.last().copied().unwrap_or(0.0).max(0.0);
    let lengths: Vec<f64> = values.iter().map(|v| v.max(0.0).sqrt()).collect();
    let k = a.cols();
    let scaled = Matrix::from_fn(k, k, |i, j| match values[j] > floor {
        true => vectors.get(i, j) / lengths[j],
        false => 0.0,
    });
    let mut root = Matrix::zeros(k, k);
    dense::product_nt(Slice::of(&scaled), Slice::of(&vectors), root.values_mut());
    Ok((dense::product(Slice::of(a), Slice::of(&root)), root, lengths.iter().sum()))
}
