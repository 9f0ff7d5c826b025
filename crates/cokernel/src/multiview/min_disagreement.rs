//! Minimising disagreement: each instance is one node per view, an edge joins node i of view 1 and
//! node j of view 2 with weight W_ij, W = K_1 K_2 (how many instances are near i in view 1 and
//! near j in view 2), and the graph of all 2n nodes is embedded by its leading eigenvectors. These
//! are the singular vectors of D_r^{-1/2} W D_c^{-1/2}, D_r and D_c the row and column sums of W:
//! the left ones belong to view 1, the right ones to view 2.
//!
//! Any number of views M: the graph of M n nodes with blocks A_vw = K_v K_w for v ≠ w and 0 for
//! v = w; max tr(UᵀD^{-1/2} A D^{-1/2}U) subject to UᵀU = I, U ∈ R^{Mn×r}, D the row sums of A.
//! For two views the eigenvalues are plus and minus the singular values, and the leading
//! eigenvectors are the left over the right singular vectors, both divided by √2: exactly the
//! two-view method.
//!
//! Source: de Sa, ICML workshop on learning with multiple views 2005, as in Kumar's thesis (LMS)
//! §3.4, §3.5; Dhillon, KDD 2001 for the bipartite graph.
//!
//! | symbol | name |
//! |---|---|
//! | D^{-1/2} | `s[v]`, one part per view |
//! | U | `pairs.vectors`, the part of view v in rows v n to (v + 1) n |
//! | r | `eigenvectors`, by default k |
//!
//! The embedding (`embedding`): each row of U is divided by its length, then nodes are clustered.
//! LMS does not say how an instance gets one cluster from its M nodes. By default it is the mean
//! of its nodes: k-means on the means is k-means on all nodes under the condition that those of an
//! instance share a cluster. On the handwritten digits of LMS Table 3.3 (two views, published NMI
//! 0.745) this gives 0.755 on average over 200 random starts, the nodes side by side (`concat`)
//! 0.773, those of one view 0.664 and 0.698.
//!
//! Deviations: more than two views, as above (the sources have two). The diagonals of the kernels are
//! kept unless `diagonal` is `zero`; W's own diagonal, which joins the nodes of one instance, is kept in
//! any case (reasons in `multiview/affinity.rs`).
//!
//! New rows: node v of a new row x is κ_v(x)ᵀ Σ_{w≠v} K_w D_w^{-1/2} U_w Θ^{-1} over the root of its
//! degree κ_v(x)ᵀ Σ_{w≠v} K_w 1.
//!
//! Cost: W is never formed. A few dozen applications of A to an (M n) × 8 block, each one product
//! of every kernel with a thin block, twice. Memory of a few M n × 120 blocks beside the bank.

use super::affinity::{self, Affinities, DIAGONAL};
use super::concat_embeddings::only;
use super::embedding::{EIGENVECTORS, chosen, side_by_side};
use super::extension::{Degree, Extension, Source, Stage, divided};
use super::kmeans::check_clusters;
use super::landmarks::STOPPED;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(MinDisagreement::new(p)) };

static METHOD: Method = Method {
    id: "min_disagreement",
    title: "spectral clustering that minimises disagreement",
    source: "de Sa 2005; Kumar 2013, §3.4, §3.5",
    summary: "Spectral clustering of a graph with one node per instance and view, whose edges \
              join different views by the product of their similarities. Strong where views are \
              independent given the cluster. Needs two views or more and similarities of at \
              least 0. A few dozen times two products of every kernel with a thin block.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "embedding",
            doc: "The embedding that is the result: mean (of the nodes of an instance), concat \
                  (its nodes side by side), or the name of a view or kernel (its nodes); the row \
                  of each node has unit length.",
            range: Range::Text {
                default: "mean",
                expected: "mean, concat, or the name of a view or kernel",
            },
        },
        EIGENVECTORS,
        DIAGONAL,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct MinDisagreement {
    /// `mean`, `concat`, or the view or kernel whose nodes are the result.
    pub embedding: String,
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// Whether the diagonals are left out of the kernels before they are multiplied.
    pub zero_diagonal: bool,
}

impl MinDisagreement {
    fn new(p: &Params) -> Self {
        MinDisagreement {
            embedding: p.text("embedding").to_string(),
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

/// Rows v n to (v + 1) n of `stacked`.
pub(super) fn part(stacked: &Matrix, v: usize, n: usize) -> Matrix {
    let c = stacked.cols();
    Matrix::from_fn(n, c, |i, j| stacked.get(v * n + i, j))
}

/// The parts on top of each other.
pub(super) fn stacked(parts: &[Matrix]) -> Matrix {
    let (rows, cols) =
        (parts.iter().map(Matrix::rows).sum(), parts.first().map_or(0, Matrix::cols));
    let values = parts.iter().flat_map(|p| p.values().iter().copied()).collect();
    Matrix::new(rows, cols, values).expect("rows × cols values")
}

/// For each part the sum of all others.
pub(super) fn sums_of_others(parts: &[Matrix]) -> Vec<Matrix> {
    let (n, c) = parts.first().map_or((0, 0), |p| (p.rows(), p.cols()));
    (0..parts.len())
        .map(|v| {
            let mut sum = Matrix::zeros(n, c);
            for part in parts.iter().enumerate().filter(|p| p.0 != v).map(|p| p.1) {
                sum.values_mut().iter_mut().zip(part.values()).for_each(|(s, p)| *s += p);
            }
            sum
        })
        .collect()
}

/// Σ_{w≠v} K_w x_w for every v.
fn reached(graphs: Affinities<'_>, x: &[Matrix]) -> Vec<Matrix> {
    let images: Vec<Matrix> = x.iter().enumerate().map(|(w, x)| graphs.apply(w, x)).collect();
    sums_of_others(&images)
}

impl Embedder for MinDisagreement {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        let (n, views) = (bank.n(), bank.len());
        check_clusters(k, n)?;
        if views < 2 {
            return Err(Error::Data(
                "minimising disagreement compares views: it needs two kernels or more, found 1; \
                 for one use 'spectral'"
                    .to_string(),
            ));
        }
        let mean = self.embedding == "mean";
        let shown = if mean { Vec::new() } else { chosen(bank, &self.embedding)? };
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        if r > n {
            let problem = format!("expected from 1 to {n} (the number of instances), found {r}");
            return Err(Error::parameter("eigenvectors", problem));
        }
        let mut work = Work::new(bank, run);
        let watch = work.watch.clone();
        let graphs = Affinities { bank, zero: self.zero_diagonal, watch: &watch };
        run.tell(Event::Begin { stage: "minimising disagreement", total: None });
        for v in 0..views {
            graphs.degrees(v)?;
        }
        let ones = vec![Matrix::from_fn(n, 1, |_, _| 1.0); views];
        let two_steps = reached(graphs, &ones);
        let degrees: Vec<Matrix> = (0..views).map(|v| graphs.apply(v, &two_steps[v])).collect();
        watch.complete(laplacian::EMBEDDING)?;
        for (v, degrees) in degrees.iter().enumerate() {
            // Approximate similarities may be below 0, and products of very small ones become 0.
            if let Some(i) = degrees.values().iter().position(|d| *d <= 0.0) {
                return Err(Error::Data(format!(
                    "kernel '{}': what instance {i} reaches in two steps sums to {}, and only a positive sum can be normalised; {}",
                    bank.kernels()[v].name,
                    crate::brief(degrees.values()[i]),
                    if bank.is_low_rank() {
                        laplacian::MORE_LANDMARKS
                    } else {
                        "scale the kernels up"
                    }
                )));
            }
        }
        let s: Vec<Vec<f64>> = degrees.iter().map(|d| laplacian::scaling(d.values())).collect();
        let scaled = |x: &Matrix| -> Vec<Matrix> {
            (0..views)
                .map(|v| {
                    let mut x = part(x, v, n);
                    laplacian::scale_rows(&mut x, &s[v]);
                    x
                })
                .collect()
        };
        let apply = |x: &Matrix| {
            let images: Vec<Matrix> = reached(graphs, &scaled(x))
                .iter()
                .enumerate()
                .map(|(v, x)| {
                    let mut image = graphs.apply(v, x);
                    laplacian::scale_rows(&mut image, &s[v]);
                    image
                })
                .collect();
            stacked(&images)
        };
        let pairs = work.top(views * n, r, &apply)?;
        let pairs = work.determined(pairs, "the graph of all views");
        let r = pairs.values.len();
        run.tell(Event::End);
        let used: Vec<usize> = if mean { (0..views).collect() } else { shown };
        let name = |v: usize| format!("the graph of all views, in '{}'", bank.kernels()[v].name);
        let parts: Vec<Matrix> =
            used.iter().map(|&v| work.unit_rows(&part(&pairs.vectors, v, n), &name(v))).collect();
        let share = 1.0 / views as f64;
        let rows = if mean {
            let mut sum = Matrix::zeros(n, r);
            for part in &parts {
                let cells = sum.values_mut().iter_mut().zip(part.values());
                cells.for_each(|(s, p)| *s += share * p);
            }
            sum
        } else {
            side_by_side(&parts.iter().collect::<Vec<_>>())
        };
        // Nodes of new rows: κ_v(x)ᵀ times what the other views have reached.
        let bases = reached(graphs, &scaled(&divided(&pairs.vectors, &pairs.values)));
        let mut stages = Vec::new();
        for &v in &used {
            let degree = Degree { basis: two_steps[v].values().to_vec(), ..Degree::default() };
            stages.push(Stage {
                source: only(v, views),
                basis: bases[v].clone(),
                links: Vec::new(),
                constant: Vec::new(),
                degree: Some(degree),
            });
        }
        let mut outputs: Vec<usize> = (0..used.len()).collect();
        if mean {
            let identity = |f: f64| Matrix::from_fn(r, r, |i, j| if i == j { f } else { 0.0 });
            for of in 0..views {
                let before = (of > 0).then(|| (views + of - 1, identity(1.0)));
                stages.push(Stage {
                    source: Source::Unit { of },
                    basis: identity(share),
                    links: before.into_iter().collect(),
                    constant: Vec::new(),
                    degree: None,
                });
            }
            outputs = vec![2 * views - 1];
        }
        let mut extension = Some(Extension { stages, outputs, unit_rows: !mean });
        if watch.gave_up() && extension.take().is_some() {
            work.notes.push(STOPPED.to_string());
        }
        Ok(Embedding {
            rows,
            gaps: vec![pairs.gap()],
            eigenvectors: used.iter().map(|&v| part(&pairs.vectors, v, n)).collect(),
            eigenvalues: vec![pairs.values],
            agreement: Vec::new(),
            extension,
            report: work.report(),
        })
    }
}
