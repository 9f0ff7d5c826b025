//! Regularised kernel canonical correlation analysis of two or more views, then spectral
//! clustering of the canonical variates.
//!
//! With K̄_v = H K_v H, H = I − 11ᵀ/n, and R_v = K̄_v (K̄_v + κ_v I)^{-1}: the c leading eigenvectors
//! (x_1; …; x_M), Σ_v ‖x_v‖² = 1, of the M n × M n matrix with blocks I for v = w and R_v R_w for
//! v ≠ w. The canonical variates of view v are the columns of f_v = R_v x_v. For two views the
//! eigenvalues are 1 ± ρ with the regularised canonical correlations ρ. Told are the eigenvalues less 1:
//! the first list of [`Embedding::eigenvalues`] holds θ_j − 1 of the matrix above, descending, which is
//! ρ_j for two views and at most M − 1 for M views. A second list, where spectral clustering follows, has
//! the eigenvalues of the normalised Gaussian similarity of the variates.
//!
//! Source: Bach, Jordan, JMLR 3, 2002, §3.2 (two views, regularised), §3.3 (several views); as a
//! step before spectral clustering Blaschko, Lampert, CVPR 2008; LMS §3.4.
//!
//! | symbol | name |
//! |---|---|
//! | κ_v | `ridge`: `regularization` · tr K̄_v |
//! | (K̄_v + κ_v I)^{-1} | `cholesky` |
//! | c | `components`, by default k |
//! | α_v = (K̄_v + κ_v I)^{-1} x_v | `alpha`; f_v = K̄_v α_v |
//!
//! With a kernel of unit diagonal tr K̄_v is a little below n, and κ_v = 0.01 tr K̄_v is about what
//! Bach and Jordan use (N κ/2 with κ = 0.02). Without regularisation every kernel of full rank is
//! perfectly correlated with every other. Variates keep their lengths, so that those of weak
//! correlation count for little. What follows is in `canonical`.
//!
//! Kernels that are not positive semi-definite get the size of their smallest eigenvalue added on
//! the complement of the constant vector, with a note; new rows can then not be embedded. A view
//! that is the same for all instances has variates 0 and takes no part.
//!
//! New rows: f_v(x) = κ_v(x)ᵀα_v less its mean over the training instances (α_v sums to 0).
//!
//! Cost: for each view two Cholesky factorisations, n³/3 each (one that tells whether K̄_v is
//! positive semi-definite), and 8 n² bytes for the factor, 24 n² while it is made; then a few
//! dozen times two triangular solves with an n × 8 block per view.

use super::canonical::{COMPONENTS, Settings, THEN, VARIATES, Variates};
use super::concat_embeddings::only;
use super::extension::Stage;
use super::kmeans::check_clusters;
use super::min_disagreement::{part, stacked, sums_of_others};
use super::work::Work;
use super::{Embedder, Embedding, Problem, laplacian};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::run::Pass;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Options, top_eigenpairs};
use crate::{Error, Event, Result, Run};
use cokernel_dense::Cholesky;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(KernelCca { settings: Settings::new(p) }) };

static METHOD: Method = Method {
    id: "kernel_cca",
    title: "kernel canonical correlation, then spectral clustering",
    source: "Bach, Jordan 2002, §3.2-3.3; Kumar 2013, §3.4",
    summary: "Functions of each view that are most correlated with functions of the others, then \
              spectral clustering on their values. Takes what the views have in common and \
              nothing else, so it fails where that is little. Any kernels, two or more. Costs \
              two Cholesky factorisations (n³/3) and n² numbers of memory per view.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "regularization",
            doc: "κ_v of each view as a share of the trace of its centred kernel.",
            range: Range::Real { default: 0.01, min: 1e-8, max: 1e6, closed: true },
        },
        COMPONENTS,
        VARIATES,
        THEN,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct KernelCca {
    /// Its parameters.
    pub settings: Settings,
}

impl Embedder for KernelCca {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let asked = self.settings.asked(bank, k)?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: "kernel canonical correlation", total: None });
        let variates = dual(bank, &self.settings, asked, &mut work)?;
        run.tell(Event::End);
        self.settings.finish(bank, variates, k, work)
    }
}

/// R of one view, ready to be applied.
struct Smoother {
    cholesky: Cholesky,
    ridge: f64,
    /// Row means of the kernel before centring.
    means: Vec<f64>,
    shifted: bool,
}

impl Smoother {
    /// (K̄ + κI)^{-1} x.
    fn solve(&self, x: &Matrix) -> Matrix {
        let mut columns = x.transposed();
        self.cholesky.solve(columns.values_mut(), x.cols());
        columns.transposed()
    }

    /// R x = x − κ (K̄ + κI)^{-1} x.
    fn apply(&self, x: &Matrix) -> Matrix {
        let mut out = self.solve(x);
        out.values_mut().iter_mut().zip(x.values()).for_each(|(o, x)| *o = x - self.ridge * *o);
        out
    }
}

/// The canonical variates from the kernels of the bank.
pub(super) fn dual(
    bank: &Bank,
    settings: &Settings,
    asked: usize,
    work: &mut Work<'_>,
) -> Result<Variates> {
    let (n, views) = (bank.n(), bank.len());
    let bytes = n.saturating_mul(n).saturating_mul(8);
    if bytes.saturating_mul(views) > work.run.memory {
        return Err(Error::Data(format!(
            "kernel canonical correlation keeps a factor of {:.2} GB for each of {views} kernels, \
             more than the {:.2} GB that the run may use; allow more memory, or use fewer \
             instances or kernels",
            bytes as f64 / 1e9,
            work.run.memory as f64 / 1e9
        )));
    }
    let mut smoothers: Vec<Option<Smoother>> = Vec::new();
    for v in 0..views {
        if let Some(status) = work.watch.stop() {
            let what = laplacian::EMBEDDING.to_string();
            return Err(Error::Stopped { status, what });
        }
        let smoother = smoother(bank, v, settings.regularization, work)?;
        if smoother.is_none() {
            work.notes.push(constant(&bank.kernels()[v].name));
        }
        let message = format!("kernel '{}'", bank.kernels()[v].name);
        work.run.tell(Event::Step { done: v as u64 + 1, message: &message });
        smoothers.push(smoother);
    }
    enough(smoothers.iter().flatten().count())?;
    let smooth = |x: Vec<Matrix>| -> Vec<Matrix> {
        let pairs: Vec<_> = x.into_iter().zip(&smoothers).collect();
        pairs
            .into_par_iter()
            .map(|(x, s)| match s {
                Some(s) => s.apply(&x),
                None => Matrix::zeros(x.rows(), x.cols()),
            })
            .collect()
    };
    let apply = |x: &Matrix| {
        let seen = smooth((0..views).map(|v| part(x, v, n)).collect());
        let mut out = stacked(&smooth(sums_of_others(&seen)));
        out.values_mut().iter_mut().zip(x.values()).for_each(|(o, x)| *o += x);
        out
    };
    let pairs = work.top(views * n, asked, &apply)?;
    let kept = settings.kept(&pairs.values, work)?;
    let columns: Vec<usize> = (0..kept).collect();
    let vectors = pairs.vectors.select_cols(&columns);
    let (mut parts, mut stages) = (Vec::new(), Vec::new());
    for (v, smoother) in smoothers.iter().enumerate() {
        let x = part(&vectors, v, n);
        let Some(smoother) = smoother else {
            parts.push(Matrix::zeros(n, kept));
            stages.push(Some(Stage {
                source: only(v, views),
                basis: Matrix::zeros(n, kept),
                links: Vec::new(),
                constant: Vec::new(),
                degree: None,
            }));
            continue;
        };
        let mut alpha = smoother.solve(&x);
        let mut f = x;
        f.values_mut().iter_mut().zip(alpha.values()).for_each(|(f, a)| *f -= smoother.ridge * a);
        parts.push(f);
        for j in 0..kept {
            let mean = alpha.col(j).iter().sum::<f64>() / n as f64;
            (0..n).for_each(|i| alpha.set(i, j, alpha.get(i, j) - mean));
        }
        let constant = (0..kept)
            .map(|j| -(0..n).map(|i| smoother.means[i] * alpha.get(i, j)).sum::<f64>())
            .collect();
        stages.push((!smoother.shifted).then(|| Stage {
            source: only(v, views),
            basis: alpha,
            links: Vec::new(),
            constant,
            degree: None,
        }));
    }
    let gap = if kept < pairs.values.len() { None } else { pairs.gap() };
    let correlations = pairs.values[..kept].iter().map(|v| v - 1.0).collect();
    Ok(Variates { correlations, gap, parts, stages })
}

/// The note about a view that takes no part.
pub(super) fn constant(name: &str) -> String {
    format!("kernel '{name}' is the same for all instances and takes no part")
}

/// Refuses correlations of fewer than two views that vary.
pub(super) fn enough(varying: usize) -> Result<()> {
    if varying >= 2 {
        return Ok(());
    }
    Err(Error::Data(format!(
        "canonical correlations need two views or more that differ between instances, found \
         {varying}; the others are the same for all instances"
    )))
}

/// R of view v; `None` if the centred kernel is 0.
fn smoother(
    bank: &Bank,
    v: usize,
    regularization: f64,
    work: &mut Work<'_>,
) -> Result<Option<Smoother>> {
    let n = bank.n();
    let mut weights = vec![0.0; bank.len()];
    weights[v] = 1.0;
    let pass = Pass::under(&work.watch);
    let mut gram = bank.combine_in(&weights, &pass)?;
    pass.complete(laplacian::EMBEDDING)?;
    work.counts.combines += 1;
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let before = largest(gram.values());
    let means: Vec<f64> = (0..n).map(|i| gram.row(i).iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    gram.values_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(&means).for_each(|(k, r)| *k += grand - means[i] - r);
    });
    if largest(gram.values()) <= 1e-12 * before {
        return Ok(None);
    }
    let trace = |values: &[f64]| (0..n).map(|i| values[i * n + i]).sum::<f64>();
    let factor = |values: &[f64], ridge: f64| {
        let mut matrix = values.to_vec();
        (0..n).for_each(|i| matrix[i * n + i] += ridge);
        Cholesky::while_going(n, matrix, &|| !pass.is_over())
    };
    // A tiny ridge is enough for a kernel that is positive semi-definite up to rounding.
    let definite = |values: &[f64]| {
        let sum = trace(values);
        sum > 0.0 && factor(values, 1e-10 * sum).is_some()
    };
    let shifted = !definite(gram.values());
    pass.complete(laplacian::EMBEDDING)?;
    if shifted {
        let mut shift = {
            let apply = |x: &Matrix| {
                let mut image = dense::product(Slice::new(gram.values(), n, n), Slice::of(x));
                image.values_mut().iter_mut().for_each(|v| *v = -*v);
                image
            };
            let rough = Options { tol: 1e-4, ..Options::default() };
            let (run, watch) = (work.run, &work.watch);
            let least = top_eigenpairs(n, 1, &apply, None, &rough, run, watch, &mut work.counts)?;
            (1.01 * least.values[0] + least.residuals[0]).max(1e-8 * largest(gram.values()))
        };
        for _ in 0..60 {
            let move_by = |values: &mut [f64], shift: f64| {
                values.iter_mut().for_each(|v| *v -= shift / n as f64);
                (0..n).for_each(|i| values[i * n + i] += shift);
            };
            move_by(gram.values_mut(), shift);
            if definite(gram.values()) {
                break;
            }
            pass.complete(laplacian::EMBEDDING)?;
            move_by(gram.values_mut(), -shift);
            shift *= 2.0;
        }
        work.notes.push(format!(
            "kernel '{}' is not positive semi-definite: {shift:.2e} was added to the eigenvalues \
             of the centred kernel; new rows cannot be embedded",
            bank.kernels()[v].name
        ));
    }
    let ridge = regularization * trace(gram.values());
    let cholesky = factor(gram.values(), ridge);
    pass.complete(laplacian::EMBEDDING)?;
    match cholesky {
        Some(cholesky) => Ok(Some(Smoother { cholesky, ridge, means, shifted })),
        None => Err(Error::Data(format!(
            "kernel '{}' could not be made positive definite; give one that is positive \
             semi-definite, or a larger regularization",
            bank.kernels()[v].name
        ))),
    }
}
