//! Regularised linear canonical correlation analysis of two or more views, then spectral
//! clustering of the canonical variates: [`kernel_cca`](super::kernel_cca) with linear kernels,
//! solved in the space of the features.
//!
//! With the centred features X̄_v = U_v S_v W_vᵀ (n × d_v) and D_v = S_v² (S_v² + κ_v I)^{-1}, R_v of
//! `kernel_cca` is U_v D_v U_vᵀ, and its eigenvectors are x_v = U_v z_v for the leading eigenvectors
//! (z_1; …; z_M), Σ_v ‖z_v‖² = 1, of the matrix with blocks I for v = w and D_v U_vᵀ U_w D_w =
//! T_vᵀ X̄_vᵀ X̄_w T_w for v ≠ w, T_v = W_v S_v (S_v² + κ_v I)^{-1}. The canonical variates are
//! f_v = R_v x_v = X̄_v T_v z_v. Without regularisation this is the analysis of Hotelling. The first list
//! of [`Embedding::eigenvalues`] holds the eigenvalues of this matrix less 1, as in `kernel_cca`: for two
//! views the canonical correlations.
//!
//! Source: Hotelling, Biometrika 28, 1936; regularised and for several views as Bach, Jordan, JMLR
//! 3, 2002; as a step before spectral clustering Blaschko, Lampert, CVPR 2008; LMS §3.4.
//!
//! | symbol | name |
//! |---|---|
//! | κ_v | `regularization` · ‖X̄_v‖_F² |
//! | T_v | `whitening` |
//! | T_v z_v | `weights` |
//! | c | `components`, by default k |
//!
//! Directions with less than 1e-12 of the largest variance of a view are left out; without
//! regularisation columns are first divided by their deviations, which changes nothing else.
//!
//! New rows: f_v(x) = (x − mean)ᵀ T_v z_v.
//!
//! Cost: n d² for the covariances of d columns in all, d³ for their decompositions, n d numbers of
//! memory. A view with as many columns as instances, or without features (a bank of matrices,
//! which are then taken for linear kernels), sends all to the solution of `kernel_cca`.

use super::canonical::{COMPONENTS, Settings, THEN, VARIATES, Variates};
use super::concat_kmeans::dense_features;
use super::extension::{Source, Stage};
use super::kernel_cca::{constant, dual, enough};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants};
use crate::bank::Storage;
use crate::data::{Matrix, Table, View, Views};
use crate::kernel::{Function, Kernel, KernelSpec};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::solve::dense::{self, Slice, symmetric_eigen};
use crate::{Error, Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Cca { settings: Settings::new(p) }) };

static METHOD: Method = Method {
    id: "cca",
    title: "canonical correlation, then spectral clustering",
    source: "Hotelling 1936; Bach, Jordan 2002; Kumar 2013, §3.4",
    summary: "Linear combinations of the features of each view that are most correlated with \
              those of the others, then spectral clustering on their values. Needs features in \
              two views or more. Cheap: costs covariances and their decompositions.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "regularization",
            doc: "κ_v of each view as a share of the sum of the variances of its columns; 0 is \
                  the classical analysis.",
            range: Range::Real { default: 0.01, min: 0.0, max: 1e6, closed: true },
        },
        COMPONENTS,
        VARIATES,
        THEN,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Cca {
    /// Its parameters.
    pub settings: Settings,
}

impl Embedder for Cca {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let asked = self.settings.asked(bank, k)?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: "canonical correlation", total: None });
        let variates = match narrow(bank.kernels(), problem.views, run) {
            Some(views) => primal(&views, bank.kernels(), &self.settings, asked, &mut work)?,
            None if self.settings.regularization < 1e-8 => {
                return Err(Error::parameter(
                    "regularization",
                    format!(
                        "found {}; with as many columns as instances in a view, or without \
                         features, every view is perfectly correlated with every other: expected \
                         at least 1e-8",
                        self.settings.regularization
                    ),
                ));
            }
            None => dual(bank, &self.settings, asked, &mut work)?,
        };
        run.tell(Event::End);
        self.settings.finish(bank, variates, k, work)
    }

    fn wants(&self) -> Wants {
        Wants {
            kernels: Some(vec![KernelSpec::linear()]),
            storage: Some(Storage::OnDemand),
            features: true,
            ..Wants::default()
        }
    }
}

/// The views of the kernels, if each is the plain linear kernel of a view with fewer columns than
/// instances that can be held as a dense table.
fn narrow<'a>(kernels: &[Kernel], views: Option<&'a Views>, run: &Run) -> Option<Vec<&'a View>> {
    let views = views?;
    let suits = |kernel: &Kernel| {
        let view = views.get(&kernel.view).ok()?;
        let plain = kernel.function == Function::Linear
            && kernel.column.is_none()
            && kernel.normalize.is_empty();
        let cells = view.table.rows().saturating_mul(view.table.cols());
        let fits = match view.table {
            Table::Dense(_) => true,
            Table::Sparse(_) => cells.saturating_mul(8) <= run.memory,
            Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => false,
        };
        (plain && fits && view.table.cols() < view.table.rows()).then_some(view)
    };
    kernels.iter().map(suits).collect()
}

/// One view in the space of its features.
struct Side {
    centred: Matrix,
    mean: Vec<f64>,
    /// T, d × rank; no column for a view that is the same for all instances.
    whitening: Matrix,
}

/// The canonical variates from the features.
fn primal(
    views: &[&View],
    kernels: &[Kernel],
    settings: &Settings,
    asked: usize,
    work: &mut Work<'_>,
) -> Result<Variates> {
    let sides = views
        .iter()
        .map(|view| side(view, settings.regularization, work.run))
        .collect::<Result<Vec<_>>>()?;
    let ranks: Vec<usize> = sides.iter().map(|s| s.whitening.cols()).collect();
    for (v, _) in ranks.iter().enumerate().filter(|r| *r.1 == 0) {
        work.notes.push(constant(&kernels[v].name));
    }
    enough(ranks.iter().filter(|r| **r > 0).count())?;
    let starts: Vec<usize> = ranks
        .iter()
        .scan(0, |sum, r| {
            *sum += r;
            Some(*sum - r)
        })
        .collect();
    let size: usize = ranks.iter().sum();
    let mut blocks = Matrix::from_fn(size, size, |i, j| f64::from(u8::from(i == j)));
    for v in 0..sides.len() {
        for w in 0..v {
            let cross = dense::gram_tn(Slice::of(&sides[v].centred), Slice::of(&sides[w].centred));
            let right = dense::product(Slice::of(&cross), Slice::of(&sides[w].whitening));
            let both = dense::gram_tn(Slice::of(&sides[v].whitening), Slice::of(&right));
            for i in 0..ranks[v] {
                for j in 0..ranks[w] {
                    blocks.set(starts[v] + i, starts[w] + j, both.get(i, j));
                    blocks.set(starts[w] + j, starts[v] + i, both.get(i, j));
                }
            }
        }
    }
    let apply = |x: &Matrix| dense::product(Slice::of(&blocks), Slice::of(x));
    let pairs = work.top(size, asked.min(size), &apply)?;
    let kept = settings.kept(&pairs.values, work)?;
    if asked > size && kept == size {
        work.notes
            .push(format!("the views have {size} canonical variates; {asked} were asked for"));
    }
    let (mut parts, mut stages) = (Vec::new(), Vec::new());
    for (v, side) in sides.iter().enumerate() {
        let z = Matrix::from_fn(ranks[v], kept, |i, j| pairs.vectors.get(starts[v] + i, j));
        let weights = dense::product(Slice::of(&side.whitening), Slice::of(&z));
        parts.push(dense::product(Slice::of(&side.centred), Slice::of(&weights)));
        let constant = (0..kept)
            .map(|j| -side.mean.iter().enumerate().map(|(i, m)| m * weights.get(i, j)).sum::<f64>())
            .collect();
        stages.push(Some(Stage {
            source: Source::Columns { view: views[v].name.clone() },
            basis: weights,
            links: Vec::new(),
            constant,
            degree: None,
        }));
    }
    let gap = if kept < pairs.values.len() { None } else { pairs.gap() };
    let correlations = pairs.values[..kept].iter().map(|v| v - 1.0).collect();
    Ok(Variates { correlations, gap, parts, stages })
}

/// Centres the features and finds T.
fn side(view: &View, regularization: f64, run: &Run) -> Result<Side> {
    let mut centred = dense_features(view, run)?.into_owned();
    let (n, d) = (centred.rows(), centred.cols());
    let mut mean = vec![0.0; d];
    let mut largest = 0.0_f64;
    for i in 0..n {
        mean.iter_mut().zip(centred.row(i)).for_each(|(m, x)| *m += x / n as f64);
        largest = centred.row(i).iter().fold(largest, |a, x| a.max(x.abs()));
    }
    for i in 0..n {
        centred.row_mut(i).iter_mut().zip(&mean).for_each(|(x, m)| *x -= m);
    }
    let mut covariance = dense::gram_tn(Slice::of(&centred), Slice::of(&centred));
    let total: f64 = (0..d).map(|j| covariance.get(j, j)).sum();
    // What centring leaves of a constant column is rounding.
    let rounding = n as f64 * (1e-14 * largest).powi(2);
    let units: Vec<f64> = (0..d)
        .map(|j| match covariance.get(j, j) {
            c if c <= rounding => 0.0,
            c if regularization == 0.0 => 1.0 / c.sqrt(),
            _ => 1.0,
        })
        .collect();
    covariance = Matrix::from_fn(d, d, |i, j| units[i] * covariance.get(i, j) * units[j]);
    let (values, vectors) = symmetric_eigen(&covariance)?;
    let floor = 1e-12 * values.last().copied().unwrap_or(0.0);
    let used: Vec<usize> = (0..d).rev().filter(|j| values[*j] > floor.max(0.0)).collect();
    let ridge = regularization * total;
    let whitening = Matrix::from_fn(d, used.len(), |i, j| {
        let s2 = values[used[j]];
        units[i] * vectors.get(i, used[j]) * s2.sqrt() / (s2 + ridge)
    });
    Ok(Side { centred, mean, whitening })
}
