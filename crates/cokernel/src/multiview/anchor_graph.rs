//! Clustering by graphs between instances and anchors, in time and memory proportional to the number of instances.
//!
//! A few points of view v, its anchors a_1 … a_r, stand for all: instance i is joined to them by z_i ≥ 0, Σ_j z_ij = 1. With
//! Z (n × Σr) the graphs of all views side by side, the rows of an instance divided by the number of views that it has, and
//! Λ = diag(Zᵀ1),
//!
//! S = Z Λ⁻¹ Zᵀ
//!
//! is a similarity of the instances, symmetric, positive semi-definite and with row sums of 1: for complete instances the mean of
//! the S_v of the views. Its leading eigenvectors U are the left singular vectors of B = ZΛ^{−1/2}, from the Σr × Σr matrix BᵀB = W Θ Wᵀ:
//! U = B W Θ^{−1/2}. Then k-means on the rows of U.
//!
//! | `weights` | z_i |
//! |---|---|
//! | `neighbours` | min Σ_j d_ij z_ij + γ_i z_ij² with the γ_i for which s are positive: with d² the squared distances, ascending, z_ij = (d²_{s+1} − d²_j)/(s d²_{s+1} − Σ_{l≤s} d²_l) |
//! | `reconstruction` | min ‖x_i − Σ_j z_ij a_j‖² + α‖z_i‖² |
//!
//! Sources: Kang, Zhou, Zhao, Shao, Han, Xu, *Large-scale multi-view subspace clustering in linear time*, AAAI 2020, (4)-(11)
//! (`reconstruction`, S and its singular vectors); Li, Nie, Huang, Huang, *Large-scale multi-view spectral clustering via bipartite
//! graph*, AAAI 2015 (the graph); Nie, Wang, Huang, *Clustering and projected clustering with adaptive neighbors*, KDD 2014, (30)
//! (`neighbours`).
//!
//! Deviations: anchors are the centres of one start of k-means on at most 20,000 instances; the sources take all. An instance
//! that lacks views is joined to the anchors of those that it has, which are of the instances that have the view.
//! The eigenvector of the eigenvalue 1, a constant where the graph is connected, is one of the columns, as in the source.
//!
//! New rows, which need all views: z(x) Λ^{−1/2} W Θ^{−1/2}.
//!
//! Cost: n r d for distances in d columns, n (V s)² for BᵀB, (Σr)³ for its eigenvectors; `reconstruction` another r² or
//! more for each instance and view. Memory: V s numbers for each instance (`reconstruction`: those that are not 0).

use super::concat_kmeans::dense_features;
use super::extension::{Extension, Source, Stage, divisors};
use super::incomplete::present;
use super::kmeans::{self, Starts, check_clusters};
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::bank::Storage;
use crate::data::{Csr, Matrix};
use crate::error::room_for;
use crate::kernel::KernelSpec;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::scale::some_of;
use crate::solve::dense;
use crate::solve::simplex::minimize_on_simplex;
use crate::{Error, Event, Report, Result, Run, Watch};
use cokernel_dense::simd;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(AnchorGraph::new(p)) };

static METHOD: Method = Method {
    id: "anchor_graph",
    title: "spectral clustering of graphs between instances and anchors",
    source: "Kang and others 2020, (4)-(11); Nie and others 2014",
    summary: "A few anchors in each view stand for all instances, and the graphs that join instances to them are \
              clustered together: for hundreds of thousands of instances, in time and memory proportional to their \
              number. Needs features. Instances may lack views.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "anchors",
            doc: "Anchors of each view, at most half as many as instances.",
            range: Range::Int { default: 100, min: 1, max: 100_000 },
        },
        Param {
            name: "weights",
            doc: "How instances are joined to anchors: neighbours, the nearest by their distances; reconstruction, those \
                  that make up the instance.",
            range: Range::Choice { default: "neighbours", of: &["neighbours", "reconstruction"] },
        },
        Param {
            name: "neighbors",
            doc: "Anchors that an instance is joined to (neighbours).",
            range: Range::Int { default: 5, min: 1, max: 100_000 },
        },
        Param {
            name: "alpha",
            doc: "Weight α of ‖z‖² (reconstruction), in units of the mean squared length of the anchors of a view.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: true },
        },
    ],
};

/// Instances among which anchors are looked for.
const SAMPLE: usize = 20_000;

/// Instances between two looks at the clock, and those that are made up by anchors.
const AT_ONCE: usize = 1 << 14;
const MADE_UP_AT_ONCE: usize = 1 << 7;

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct AnchorGraph {
    anchors: usize,
    /// α, if instances are made up by the anchors.
    alpha: Option<f64>,
    neighbors: usize,
}

/// Anchors of a view and how instances are joined to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchors {
    /// r × d.
    pub points: Matrix,
    /// s; 0 where they make up the instances.
    pub neighbors: usize,
    /// α, in the units of the features.
    pub alpha: f64,
}

impl Anchors {
    /// z of the rows `which` of X (n × d), in their order.
    pub(super) fn join(&self, x: &Matrix, which: &[usize]) -> Vec<Vec<(u32, f64)>> {
        let (r, d) = (self.points.rows(), self.points.cols());
        if self.neighbors > 0 {
            return which.par_iter().map(|i| self.nearest(x.row(*i))).collect();
        }
        let mut h = vec![0.0; r * r];
        for j in 0..r {
            for l in 0..r {
                h[j * r + l] = 2.0 * simd::dot(self.points.row(j), self.points.row(l));
            }
            h[j * r + j] += 2.0 * self.alpha;
        }
        let made_up = |i: &usize| {
            // From all at the nearest one.
            let x = x.row(*i);
            let far = |j: usize| simd::squared_distance(x, self.points.row(j));
            let near = (0..r).fold(0, |best, j| if far(j) < far(best) { j } else { best });
            let mut start = vec![0.0; r];
            start[near] = 1.0;
            let off: Vec<f64> = (0..d).map(|c| self.points.get(near, c) - x[c]).collect();
            let mut slope: Vec<f64> =
                (0..r).map(|j| 2.0 * simd::dot(self.points.row(j), &off)).collect();
            slope[near] += 2.0 * self.alpha;
            let (z, _) = minimize_on_simplex(&start, &slope, &h);
            let total: f64 = z.iter().sum();
            let kept = z.iter().enumerate().filter(|(_, z)| **z > 0.0);
            kept.map(|(j, z)| (j as u32, z / total)).collect()
        };
        which.par_iter().map(made_up).collect()
    }

    /// z of an instance by its nearest anchors; of equally near ones the first.
    fn nearest(&self, x: &[f64]) -> Vec<(u32, f64)> {
        let r = self.points.rows();
        let far = |j: usize| (simd::squared_distance(x, self.points.row(j)), j as u32);
        let mut all: Vec<(f64, u32)> = (0..r).map(far).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let s = self.neighbors.min(r - 1);
        if s == 0 {
            return vec![(0, 1.0)];
        }
        all.select_nth_unstable_by(s, order);
        let (limit, near) = (all[s].0, &mut all[..s]);
        near.sort_unstable_by_key(|(_, j)| *j);
        let total: f64 = near.iter().map(|(d, _)| limit - d).sum();
        let even = 1.0 / s as f64;
        let z = |d: f64| if total > 0.0 { (limit - d) / total } else { even };
        near.iter().map(|(d, j)| (*j, z(*d))).filter(|(_, z)| *z > 0.0).collect()
    }
}

impl AnchorGraph {
    fn new(p: &Params) -> Self {
        AnchorGraph {
            anchors: p.count("anchors"),
            alpha: (p.text("weights") == "reconstruction").then(|| p.real("alpha")),
            neighbors: p.count("neighbors"),
        }
    }

    /// Centres of k-means on the rows that have the view.
    fn anchors(&self, x: &Matrix, rows: &[usize], name: &str, run: &Run) -> Result<Anchors> {
        let mut rng = run.rng(&format!("sample for anchors of {name}"));
        let places = some_of(rows.len(), SAMPLE, &mut rng);
        let sample = x.select_rows(&places.iter().map(|p| rows[*p]).collect::<Vec<_>>());
        let count = self.anchors.min(rows.len().div_ceil(2));
        let one = Starts { starts: 1, ..Starts::default() };
        let found = kmeans::kmeans(&sample, count, &one, run, &run.watch())?;
        let points = found.centers;
        let length = |j: usize| simd::dot(points.row(j), points.row(j));
        let mean = (0..points.rows()).map(length).sum::<f64>() / points.rows() as f64;
        let alpha = self.alpha.map_or(0.0, |a| a * mean);
        let neighbors = if self.alpha.is_some() { 0 } else { self.neighbors };
        Ok(Anchors { points, neighbors, alpha })
    }
}

fn stopped(watch: &Watch) -> Result<()> {
    match watch.stop() {
        None => Ok(()),
        Some(status) => Err(Error::Stopped { status, what: laplacian::EMBEDDING.to_string() }),
    }
}

/// ZᵀZ with columns divided by the roots of `sums`: column after column from those of Zᵀ, so that its bits do not depend
/// on threads.
fn crossed(z: &Csr, sums: &[f64], watch: &Watch) -> Result<Matrix> {
    let (n, wide) = (z.rows(), sums.len());
    let mut of_column: Vec<Vec<(u32, f64)>> = vec![Vec::new(); wide];
    for i in 0..n {
        let (columns, values) = z.row(i);
        columns.iter().zip(values).for_each(|(j, v)| of_column[*j as usize].push((i as u32, *v)));
    }
    let mut gram = Matrix::zeros(wide, wide);
    let rows = gram.values_mut().par_chunks_mut(wide).zip(&of_column);
    rows.for_each(|(row, members)| {
        for (i, v) in members {
            if watch.stop().is_some() {
                return;
            }
            let (columns, values) = z.row(*i as usize);
            columns.iter().zip(values).for_each(|(l, w)| row[*l as usize] += v * w);
        }
    });
    stopped(watch)?;
    let root: Vec<f64> = sums.iter().map(|s| s.sqrt()).collect();
    for j in 0..wide {
        let row = gram.row_mut(j).iter_mut().zip(&root);
        row.for_each(|(g, r)| *g = if *r * root[j] > 0.0 { *g / (r * root[j]) } else { 0.0 });
    }
    Ok(dense::symmetric_part(gram))
}

impl Embedder for AnchorGraph {
    fn wants(&self) -> Wants {
        Wants {
            kernels: Some(vec![KernelSpec::linear()]),
            storage: Some(Storage::OnDemand),
            features: true,
            incomplete: true,
            ..Wants::default()
        }
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let (watch, n) = (run.watch(), problem.bank.n());
        check_clusters(k, n)?;
        let Some(views) = problem.views else {
            let what = "graphs of anchors need the features of the views; there is nothing but similarities";
            return Err(Error::Data(what.to_string()));
        };
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let all: Vec<usize> = (0..n).collect();
        let known = present(problem.bank);
        let kernel_of = |name: &str| problem.bank.kernels().iter().position(|k| k.view == name);
        let mut count = vec![0.0_f64; n];
        let (mut joined, mut stages, mut wide) = (vec![Vec::new(); n], Vec::new(), 0);
        for view in views.iter() {
            stopped(&watch)?;
            let x = dense_features(view, run)?;
            let own = known.as_ref().and_then(|of| Some(&of[kernel_of(&view.name)?]));
            let rows = own.map_or(all.clone(), |of| of.iter().map(|i| *i as usize).collect());
            let anchors = self.anchors(&x, &rows, &view.name, &run.remaining(&watch))?;
            let at_once = if anchors.neighbors > 0 { AT_ONCE } else { MADE_UP_AT_ONCE };
            for part in rows.chunks(at_once) {
                stopped(&watch)?;
                for (i, z) in part.iter().zip(anchors.join(&x, part)) {
                    count[*i] += 1.0;
                    joined[*i].extend(z.into_iter().map(|(j, z)| (j + wide as u32, z)));
                }
            }
            let message = format!("view '{}': {} anchors", view.name, anchors.points.rows());
            run.tell(Event::Step { done: stages.len() as u64 + 1, message: &message });
            let r = anchors.points.rows();
            stages.push((view.name.clone(), anchors, wide..wide + r));
            wide += r;
        }
        if wide < k {
            let problem =
                format!("{k} clusters need as many anchors or more; there are {wide} in all views");
            return Err(Error::parameter("anchors", problem));
        }
        for (row, count) in joined.iter_mut().zip(&count) {
            row.iter_mut().for_each(|(_, z)| *z /= count);
        }
        let z = Csr::from_rows(wide, joined)?;
        let mut sums = vec![0.0; wide];
        for i in 0..n {
            let (columns, values) = z.row(i);
            columns.iter().zip(values).for_each(|(j, v)| sums[*j as usize] += v);
        }
        room_for::<f64>(wide.checked_mul(3 * wide), || {
            format!("three matrices of {wide} anchors")
        })?;
        let gram = crossed(&z, &sums, &watch)?;
        let asked = (k + 1).min(wide);
        let (mut values, vectors) = dense::leading_eigen(&gram, asked)?;
        let next = (asked > k).then(|| values[k].max(0.0));
        values.truncate(k);
        let kept = values.iter().filter(|v| **v > 1e-12 * values[0]).count();
        values.truncate(kept);
        let (divisor, root) = (divisors(&values), |v: f64| v.max(0.0).sqrt());
        // Λ^{−1/2} W Θ^{−1/2}.
        let right = Matrix::from_fn(wide, kept, |j, c| match sums[j] > 0.0 {
            true => vectors.get(j, c) / (sums[j].sqrt() * root(divisor[c])),
            false => 0.0,
        });
        let mut rows = Matrix::zeros(n, kept);
        rows.values_mut().par_chunks_mut(kept).enumerate().for_each(|(i, out)| {
            let (columns, values) = z.row(i);
            for (j, v) in columns.iter().zip(values) {
                out.iter_mut().zip(right.row(*j as usize)).for_each(|(o, r)| *o += v * r);
            }
        });
        run.tell(Event::End);
        let mut report = Report::closed_form(run);
        report.counts.eigen_solves = 1;
        let found = ("the graph of all views".to_string(), kept);
        report.notes.extend(laplacian::left_out(&[found], k));
        let share = 1.0 / stages.len() as f64;
        let count = stages.len();
        let mut placed: Vec<Stage> = stages.into_iter().map(|s| stage(s, &right, share)).collect();
        let same = Matrix::from_fn(kept, kept, |i, j| f64::from(u8::from(i == j)));
        placed.push(Stage::linked((0..count).map(|v| (v, same.clone())).collect()));
        report.seconds = watch.seconds();
        Ok(Embedding {
            eigenvectors: vec![rows.clone()],
            rows,
            gaps: vec![next.map(|n| values.last().copied().unwrap_or(0.0) - n)],
            eigenvalues: vec![values],
            agreement: Vec::new(),
            extension: Some(Extension { stages: placed, outputs: vec![count], unit_rows: false }),
            report,
        })
    }
}

/// What a view gives for new rows.
fn stage(
    (view, anchors, range): (String, Anchors, std::ops::Range<usize>),
    right: &Matrix,
    share: f64,
) -> Stage {
    let first = range.start;
    let basis = Matrix::from_fn(range.len(), right.cols(), |j, c| share * right.get(first + j, c));
    let source = Source::Anchors { view, anchors };
    Stage { source, basis, links: Vec::new(), constant: Vec::new(), degree: None }
}
