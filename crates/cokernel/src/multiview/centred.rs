//! What methods of multiple kernel k-means share: kernels that are centred and of the same size, the leading eigenvectors of
//! their weighted sums, and how new rows are placed.
//!
//! K̄_m = s_m H K_m H with H = I − 11ᵀ/n and s_m such that tr K̄_m = n; with `center=no` H is left out. Kernels without
//! any variance (K̄_m = 0 up to rounding) take no part.
//!
//! Nothing of size n² is kept but one weighted sum, if its values fit into half of [`Run::memory`](crate::Run); blocks are
//! centred instead of matrices.

use super::Embedding;
use super::coordinates::{centred, largest, means_times, same};
use super::extension::{Extension, Source, Stage, divided};
use super::laplacian;
use super::work::Work;
use crate::bank::{Bank, Gram};
use crate::data::Matrix;
use crate::params::{Param, Range};
use crate::run::Pass;
use crate::solve::eigen::{Eigenpairs, Operator, Options};
use crate::{Error, Report, Result, Status, Watch};

/// Whether kernels are centred.
pub(super) const CENTER: Param = Param {
    name: "center",
    doc: "Whether kernels are centred in their feature spaces before they are brought to the same trace: yes, as the \
          sources do, or no.",
    range: Range::Choice { default: "yes", of: &["yes", "no"] },
};

/// How many rounds there may be.
pub(super) const MAX_ITERATIONS: Param = Param {
    name: "max_iterations",
    doc: "Most rounds of weights and eigenvectors.",
    range: Range::Int { default: 1_000, min: 1, max: 1_000_000 },
};

/// The name of the weights in a report.
pub(super) const WEIGHTS: &str = "weights";

/// Weights that a note lists.
const LISTED: usize = 8;

/// A variance below this share of the mean diagonal is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// See the [module](self).
pub(super) struct Centred<'a> {
    bank: &'a Bank,
    watch: Watch,
    center: bool,
    /// s_m; 0 for kernels that take no part.
    pub(super) scales: Vec<f64>,
    /// Row means of each K_m.
    means: Vec<Vec<f64>>,
    /// Σ w_m s_m K_m, if there is room.
    sum: Option<Gram>,
    /// The weights it was made with, times s_m.
    weights: Vec<f64>,
}

impl<'a> Centred<'a> {
    /// # Errors
    /// No kernel has any variance; a stop.
    pub(super) fn new(bank: &'a Bank, center: bool, work: &mut Work<'_>) -> Result<Self> {
        let n = bank.n();
        let even = Matrix::from_fn(n, 1, |_, _| 1.0 / n as f64);
        let (mut scales, mut means, mut flat) = (Vec::new(), Vec::new(), Vec::new());
        for m in 0..bank.len() {
            let own = match center {
                true => {
                    let pass = Pass::under(&work.watch);
                    let own = bank.apply_in(m, &even, &pass).col(0);
                    pass.complete(laplacian::EMBEDDING)?;
                    own
                }
                false => vec![0.0; n],
            };
            let diagonal = bank.diagonal(m);
            let grand = own.iter().sum::<f64>() / n as f64;
            let trace: f64 = diagonal.iter().zip(&own).map(|(d, r)| d - 2.0 * r + grand).sum();
            if !trace.is_finite() {
                let name = &bank.kernels()[m].name;
                return Err(Error::Data(format!(
                    "kernel '{name}' has numbers that are not finite"
                )));
            }
            let some = trace > ROUNDING * n as f64 * largest(&diagonal);
            if !some {
                flat.push(format!("'{}'", bank.kernels()[m].name));
            }
            scales.push(if some { n as f64 / trace } else { 0.0 });
            means.push(own);
        }
        if flat.len() == bank.len() {
            return Err(same("all kernels are"));
        }
        if !flat.is_empty() {
            let names = flat.join(", ");
            work.notes
                .push(format!("{names}: tells no two instances apart, up to rounding, or has more negative than positive variance; takes no part"));
        }
        let (watch, weights) = (work.watch.clone(), vec![0.0; bank.len()]);
        Ok(Centred { bank, watch, center, scales, means, sum: None, weights })
    }

    /// Even weights with sum 1 of the kernels that take part.
    pub(super) fn even(&self) -> Vec<f64> {
        let part = self.scales.iter().filter(|s| **s > 0.0).count() as f64;
        self.scales.iter().map(|s| if *s > 0.0 { 1.0 / part } else { 0.0 }).collect()
    }

    /// Makes A = Σ_m w_m K̄_m the matrix that [`top`](Self::top) decomposes.
    ///
    /// # Errors
    /// A stop; too little memory.
    pub(super) fn combine(&mut self, weights: &[f64], work: &mut Work<'_>) -> Result<()> {
        self.weights = weights.iter().zip(&self.scales).map(|(w, s)| w * s).collect();
        let n = self.bank.n();
        let fits = n.saturating_mul(n).saturating_mul(16) <= work.run.memory;
        let dense = !self.bank.is_low_rank()
            && (0..self.bank.len()).any(|m| self.weights[m] > 0.0 && !self.bank.is_sparse(m));
        if !fits || !dense {
            return Ok(());
        }
        work.counts.combines += 1;
        let pass = Pass::under(&self.watch);
        match &mut self.sum {
            Some(sum) => self.bank.combine_into_in(&self.weights, sum, &pass),
            none => *none = Some(self.bank.combine_in(&self.weights, &pass)?),
        }
        pass.complete(laplacian::EMBEDDING)
    }

    /// The k leading eigenpairs of the sum that was combined last.
    pub(super) fn top(
        &self,
        k: usize,
        warm: Option<&Matrix>,
        options: &Options,
        work: &mut Work<'_>,
    ) -> Result<Eigenpairs> {
        let apply = |x: &Matrix| {
            let product = |x: &Matrix| match &self.sum {
                Some(sum) => sum.apply(x),
                None => self.bank.apply_combined_in(&self.weights, x, &Pass::under(&self.watch)),
            };
            if self.center { centred(product(&centred(x.clone()).0)).0 } else { product(x) }
        };
        let n = self.bank.n();
        let whole = self.sum.as_ref().map(|sum| {
            || {
                let sum = Matrix::new(n, n, sum.values().to_vec())?;
                Ok(if self.center { centred(centred(sum).0.transposed()).0 } else { sum })
            }
        });
        let matrix = whole.as_ref().map(|whole| whole as &dyn Fn() -> _);
        let operator = Operator { n, apply: &apply, matrix };
        let found = operator.top(k, warm, options, work.run, &work.watch, &mut work.counts)?;
        work.ended(&found);
        Ok(found)
    }

    /// K̄_m V.
    pub(super) fn apply(&self, m: usize, block: &Matrix) -> Matrix {
        let pass = Pass::under(&self.watch);
        let mut image = match self.center {
            true => centred(self.bank.apply_in(m, &centred(block.clone()).0, &pass)).0,
            false => self.bank.apply_in(m, block, &pass),
        };
        image.values_mut().iter_mut().for_each(|v| *v *= self.scales[m]);
        image
    }

    /// tr Hᵀ K̄_m H for orthonormal columns H, of all kernels.
    ///
    /// # Errors
    /// A stop.
    pub(super) fn energies(&self, columns: &Matrix) -> Result<Vec<f64>> {
        let energy = |m: usize| match self.scales[m] > 0.0 {
            true => {
                let image = self.apply(m, columns);
                image.values().iter().zip(columns.values()).map(|(a, b)| a * b).sum()
            }
            false => 0.0,
        };
        let all = (0..self.bank.len()).map(energy).collect();
        self.watch.complete(laplacian::EMBEDDING)?;
        Ok(all)
    }

    /// How new rows get their values of the eigenvectors of Σ_m w_m K̄_m.
    pub(super) fn stage(&self, pairs: &Eigenpairs, weights: &[f64]) -> Stage {
        let weights: Vec<f64> = weights.iter().zip(&self.scales).map(|(w, s)| w * s).collect();
        let mut basis = divided(&pairs.vectors, &pairs.values);
        let mut constant = Vec::new();
        if self.center {
            let n = self.bank.n();
            let of = |i: usize| weights.iter().zip(&self.means).map(|(w, r)| w * r[i]).sum();
            let means: Vec<f64> = (0..n).map(of).collect();
            constant = means_times(&means, &mut basis);
        }
        let source = Source::Sum { weights };
        Stage { source, basis, links: Vec::new(), constant, degree: None }
    }
}

/// γ_m².
pub(super) fn squares(gamma: &[f64]) -> Vec<f64> {
    gamma.iter().map(|g| g * g).collect()
}

/// Weights and eigenvectors of multiple kernel k-means, to be made an embedding.
pub(super) struct Found {
    /// Without those that are [no matter but of rounding](Work::determined).
    pub(super) pairs: Eigenpairs,
    /// What the eigenvectors are of.
    pub(super) whose: &'static str,
    /// γ.
    pub(super) weights: Vec<f64>,
    /// How new rows are placed, where they can be.
    pub(super) extension: Option<Extension>,
    pub(super) status: Status,
    pub(super) report: Report,
}

impl Found {
    /// Rows of unit length.
    pub(super) fn embedding(self, mut work: Work<'_>) -> Result<Embedding> {
        let pairs = self.pairs;
        let rows = work.unit_rows(&pairs.vectors, self.whose);
        work.notes.push(told(work.bank(), &self.weights));
        let own = work.report();
        let status = match own.status {
            status @ (Status::TimeLimit | Status::Interrupted) => status,
            _ => self.status,
        };
        let mut report = Report {
            status,
            counts: own.counts,
            notes: own.notes,
            seconds: own.seconds,
            ..self.report
        };
        report.details.insert(WEIGHTS.to_string(), self.weights);
        Ok(Embedding {
            rows,
            gaps: vec![pairs.gap()],
            eigenvalues: vec![pairs.values],
            eigenvectors: vec![pairs.vectors],
            agreement: Vec::new(),
            extension: self.extension,
            report,
        })
    }
}

/// The largest weights with the names of their kernels.
pub(super) fn told(bank: &Bank, weights: &[f64]) -> String {
    let mut order: Vec<usize> = (0..weights.len()).filter(|m| weights[*m] > 0.0).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let one = |m: &usize| format!("{} {:.3}", bank.kernels()[*m].name, weights[*m]);
    let listed: Vec<String> = order.iter().take(LISTED).map(one).collect();
    let others = if order.len() > LISTED { ", …" } else { "" };
    format!("weights of the kernels: {}{others}", listed.join(", "))
}
