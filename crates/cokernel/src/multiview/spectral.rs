//! Spectral embedding of the mean of the bank's kernels, or of one of them: max tr(UᵀLU) subject
//! to UᵀU = I for U ∈ R^{n×r}, L = D^{-1/2} K D^{-1/2}, D_ii = Σ_j K_ij, K = (1/M) Σ_m K_m; the
//! embedding is the rows of U, each divided by its length.
//!
//! Source: Ng, Jordan, Weiss, NIPS 2001, as in Kumar's thesis (LMS) §2.1; with several kernels it
//! is the kernel-addition baseline of LMS §3.4, with one the single view.
//!
//! | symbol | name |
//! |---|---|
//! | D^{-1/2} | `scaling` |
//! | r | `eigenvectors`, by default k |
//!
//! Deviations: the diagonal of K is kept unless `diagonal` is `zero` (the original sets it to 0; the
//! thesis does not say; reasons in `multiview/affinity.rs`). The mean is taken in place of the sum,
//! which gives the same L.
//!
//! New rows: the Nyström extension with the degrees of the training instances.
//!
//! Cost: a few dozen products K·(n × r), never a decomposition of an n × n matrix unless n is
//! small; memory of a few n × 120 blocks beside the bank. For several kernels the mean is formed
//! once if its n² values fit into half of [`Run::memory`].

use super::affinity::{self, Affinities, DIAGONAL};
use super::embedding::{EIGENVECTORS, chosen, cut_short};
use super::extension::{Extension, Source, Stage, divided};
use super::kmeans::check_clusters;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::solve::eigen::Operator;
use crate::{Counts, Event, Report, Result, Run};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(Spectral::new(p)) };

static METHOD: Method = Method {
    id: "spectral",
    title: "spectral clustering of the mean kernel",
    source: "Ng, Jordan, Weiss 2001; Kumar 2013, §2.1, §3.4",
    summary: "Leading eigenvectors of the normalised similarity, rows of unit length. The \
              baseline of every multi-view clustering: with one kernel it is single-view \
              spectral clustering, with several it is kernel addition. Needs similarities of at \
              least 0. A few dozen products of the kernels with a thin block.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[EIGENVECTORS, KERNEL, DIAGONAL],
};

const KERNEL: Param = Param {
    name: "view",
    doc: "The similarity: mean (that of all kernels), or the name of one view or kernel.",
    range: Range::Text { default: "mean", expected: "mean, or the name of a view or kernel" },
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Spectral {
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// `mean`, or a view or kernel.
    pub view: String,
    /// Whether the diagonal is left out.
    pub zero_diagonal: bool,
}

impl Spectral {
    fn new(p: &Params) -> Self {
        Spectral {
            eigenvectors: p.count("eigenvectors"),
            view: p.text("view").to_string(),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

impl Embedder for Spectral {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        let bank = problem.bank;
        let graphs = Affinities { bank, zero: self.zero_diagonal, watch: &watch };
        let n = bank.n();
        check_clusters(k, n)?;
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        let used =
            if self.view == "mean" { (0..bank.len()).collect() } else { chosen(bank, &self.view)? };
        run.tell(Event::Begin { stage: "spectral embedding", total: None });
        let mut weights = vec![0.0; bank.len()];
        let mut degrees = vec![0.0; n];
        for &m in &used {
            weights[m] = 1.0 / used.len() as f64;
            let own = graphs.degrees(m)?;
            degrees.iter_mut().zip(&own).for_each(|(d, v)| *d += weights[m] * v);
        }
        let s = laplacian::scaling(&degrees);
        let mut counts = Counts::default();
        let fits = n.saturating_mul(n).saturating_mul(16) <= run.memory;
        let dense = !bank.is_low_rank() && used.iter().any(|m| !bank.is_sparse(*m));
        let gram = match used.len() > 1 && fits && dense {
            true => {
                counts.combines += 1;
                let pass = Pass::under(&watch);
                let gram = bank.combine_in(&weights, &pass)?;
                pass.complete(laplacian::EMBEDDING)?;
                Some(gram)
            }
            false => None,
        };
        let left_out = graphs.left_out(&weights);
        let multiply = |v: &Matrix| {
            let mut image = match &gram {
                Some(g) => g.apply(v),
                None => bank.apply_combined_in(&weights, v, &Pass::under(&watch)),
            };
            if let Some(diagonal) = &left_out {
                affinity::subtract(diagonal, v, &mut image);
            }
            image
        };
        let apply = |block: &Matrix| laplacian::apply(block, &s, multiply);
        let whole = gram.as_ref().map(|gram| || graphs.scaled(gram, &s));
        let matrix = whole.as_ref().map(|whole| whole as &dyn Fn() -> _);
        let found = match used.as_slice() {
            [one] => graphs.top(*one, &s, r, run, &mut counts)?,
            _ => Operator { n, apply: &apply, matrix }.top(
                r,
                None,
                &laplacian::precise(),
                run,
                &watch,
                &mut counts,
            )?,
        };
        run.tell(Event::End);
        let pairs = laplacian::determined(bank, found);
        let count = pairs.values.len();
        let (rows, zero) = laplacian::unit_rows(&pairs.vectors);
        let mut notes = bank.notes().to_vec();
        let whose = match used.as_slice() {
            [one] => format!("kernel '{}'", bank.kernels()[*one].name),
            _ => "the mean kernel".to_string(),
        };
        let ended = cut_short(pairs.status, &pairs.residuals, &mut notes);
        // Eigenvalues of a search that was stopped say nothing of the graph.
        if ended.is_none() {
            notes.extend(laplacian::unreached(&zero, count, &whose));
            if let [one] = used.as_slice() {
                let last = pairs.values.last().copied().filter(|_| count == r);
                notes.extend(graphs.remark(&[(*one, &s, last)]));
            }
            notes.extend(laplacian::left_out(&[(whose, count)], r));
        }
        let mut report = Report { counts, notes, ..Report::closed_form(run) };
        report.status = ended.unwrap_or(report.status);
        report.seconds = watch.seconds();
        let right = divided(&pairs.vectors, &pairs.values);
        let stage = Stage::normalized(Source::Sum { weights }, &s, &right);
        Ok(Embedding {
            rows,
            gaps: vec![pairs.gap()],
            eigenvalues: vec![pairs.values],
            eigenvectors: vec![pairs.vectors],
            agreement: Vec::new(),
            extension: Some(Extension::single(stage)),
            report,
        })
    }
}
