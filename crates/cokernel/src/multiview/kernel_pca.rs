//! Kernel principal components of the mean kernel, or of one kernel of the bank: the leading
//! eigenvectors u of K̄ = H K H, H = I − 11ᵀ/n, each times √θ of its eigenvalue.
//!
//! Source: Schölkopf, Smola, Müller, Neural Computation 10, 1998.
//!
//! | symbol | name |
//! |---|---|
//! | K | `weights`, Σ_m weights_m K_m |
//! | θ | [`Embedding::eigenvalues`] |
//!
//! Eigenvalues that are 0 up to rounding, or negative (of a kernel that is not positive semi-definite),
//! have no component; what is left out is noted. `explained` in the report is each eigenvalue as a share
//! of tr K̄.
//!
//! New rows: (κ(x) − means)ᵀ u/√θ, the components of Φ(x) less the mean of the training instances.
//!
//! Cost: a few dozen products K·(n × k); memory of a few n × 120 blocks beside the bank.

use super::coordinates::{centred, columns_times, largest, means_times, oriented, same, weighted};
use super::discriminant::KERNEL;
use super::extension::{Source, Stage};
use super::kmeans::check_columns;
use super::work::Work;
use super::{Embedder, Embedding, Extension, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::run::Pass;
use crate::{Error, Event, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> = Entry {
    method: &METHOD,
    build: |p: &Params| Box::new(KernelPca { view: p.text("view").to_string() }),
};

static METHOD: Method = Method {
    id: "kernel_pca",
    title: "kernel principal components",
    source: "Schölkopf, Smola, Müller 1998",
    summary: "Functions of a kernel with the largest variance, of the mean kernel or that of one view: \
              for pictures, and as features. Learns without labels. Any kernels. Costs a few dozen \
              products of the kernels with a thin block.",
    tasks: &[Task::Embed],
    group: Group::MultiView,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[KERNEL],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct KernelPca {
    /// `mean`, or a view or kernel.
    pub view: String,
}

impl Embedder for KernelPca {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        let n = bank.n();
        check_columns(k, n)?;
        let (weights, whose) = weighted(bank, &self.view)?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let watch = work.watch.clone();
        let even = Matrix::from_fn(n, 1, |_, _| 1.0 / n as f64);
        let pass = Pass::under(&watch);
        let means = bank.apply_combined_in(&weights, &even, &pass).col(0);
        pass.complete(laplacian::EMBEDDING)?;
        let grand = means.iter().sum::<f64>() / n as f64;
        let mut diagonal = vec![0.0; n];
        for (m, weight) in weights.iter().enumerate().filter(|w| *w.1 > 0.0) {
            diagonal.iter_mut().zip(bank.diagonal(m).iter()).for_each(|(d, v)| *d += weight * v);
        }
        let trace: f64 = diagonal.iter().zip(&means).map(|(d, r)| d - 2.0 * r + grand).sum();
        let floor = 1e-12 * largest(&diagonal) * n as f64;
        let apply = |x: &Matrix| {
            let (x, _) = centred(x.clone());
            centred(bank.apply_combined_in(&weights, &x, &Pass::under(&watch))).0
        };
        let pairs = work.top(n, k, &apply)?;
        run.tell(Event::End);
        let pairs = work.determined(pairs, &whose);
        let kept = pairs.values.iter().take_while(|v| **v > floor).count();
        if kept == 0 && work.status.is_none() {
            return Err(same(&format!("{whose} is")));
        }
        if kept < pairs.values.len() && work.status.is_none() {
            work.notes.push(format!(
                "{whose} has {kept} principal components with a variance above rounding; {k} were asked for"
            ));
        }
        // More variance than the trace has, or less than none: what is negative is left out.
        let sum: f64 = pairs.values[..kept].iter().sum();
        let negative = pairs.values.iter().any(|v| *v < -floor) || sum > trace + floor;
        if negative && work.status.is_none() {
            work.notes.push(format!(
                "{whose} is not positive semi-definite: directions in which it has a negative variance have no \
                 component"
            ));
        }
        let columns: Vec<usize> = (0..kept).collect();
        let values = pairs.values[..kept].to_vec();
        let mut rows = pairs.vectors.select_cols(&columns);
        oriented(&mut rows);
        let mut basis = rows.clone();
        columns_times(&mut rows, |j| values[j].sqrt());
        columns_times(&mut basis, |j| 1.0 / values[j].sqrt());
        let constant = means_times(&means, &mut basis);
        if !(trace.is_finite()) {
            return Err(Error::Data(format!("{whose} has numbers that are not finite")));
        }
        let gap = if kept < pairs.values.len() { None } else { pairs.gap() };
        let mut report = work.report();
        if trace > 0.0 {
            let shares = values.iter().map(|v| v / trace).collect();
            report.details.insert("explained".to_string(), shares);
        }
        let source = Source::Sum { weights };
        let stage = Stage { source, basis, links: Vec::new(), constant, degree: None };
        Ok(Embedding {
            rows,
            eigenvectors: vec![pairs.vectors.select_cols(&columns)],
            eigenvalues: vec![values],
            gaps: vec![gap],
            agreement: Vec::new(),
            extension: Some(Extension { stages: vec![stage], outputs: vec![0], unit_rows: false }),
            report,
        })
    }
}
