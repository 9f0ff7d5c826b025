//! The views on their own: leading eigenvalues of each normalised similarity, for pictures and for
//! the choice of k, and how far their leading eigenvectors span the same space.
//!
//! Cost: for each kernel a few dozen products with a thin block, as for
//! [`spectral`](super::spectral); eigenvectors to 1e-8, which two digits of an agreement need by
//! far.

use super::{laplacian, subspace_agreement};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use crate::solve::eigen::{Options, top_eigenpairs};
use crate::{Counts, Error, Event, Result, Run, Status, Watch};
use serde::{Deserialize, Serialize};

/// Residual of an eigenpair; eigenvalues below it may be 0.
const TOL: f64 = 1e-8;

/// The leading eigenvalues of the normalised similarity of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The kernel.
    pub kernel: String,
    /// The view it looks at.
    pub view: String,
    /// Eigenvalues, descending; the first is 1 up to rounding.
    pub values: Vec<f64>,
    /// Eigenvectors as orthonormal columns.
    #[serde(skip)]
    pub vectors: Matrix,
}

/// The `count` leading eigenpairs (as many as there are instances, at most) of each kernel of the
/// bank; `None` if the run was stopped before all were there.
///
/// # Errors
/// A negative similarity, or an instance without any.
pub fn spectra(bank: &Bank, count: usize, run: &Run) -> Result<Option<Vec<Spectrum>>> {
    let watch = run.watch();
    let mut all = Vec::new();
    run.tell(Event::Begin { stage: "spectra of the views", total: Some(bank.len() as u64) });
    for m in 0..bank.len() {
        match spectrum(bank, m, count.clamp(1, bank.n()), run, &watch) {
            Err(Error::Stopped { .. }) => {
                run.tell(Event::End);
                return Ok(None);
            }
            found => all.push(found?),
        }
        run.tell(Event::Step { done: all.len() as u64, message: &bank.kernels()[m].name });
    }
    run.tell(Event::End);
    Ok(Some(all))
}

/// The `count` leading eigenpairs of kernel m.
fn spectrum(bank: &Bank, m: usize, count: usize, run: &Run, watch: &Watch) -> Result<Spectrum> {
    let scaling = laplacian::scaling(&laplacian::degrees(bank, m, watch)?);
    let multiply = |x: &Matrix| bank.apply_in(m, x, &Pass::under(watch));
    let apply = |block: &Matrix| laplacian::apply(block, &scaling, multiply);
    let options = Options { tol: TOL, ..Options::default() };
    let (n, mut counts) = (bank.n(), Counts::default());
    let pairs = top_eigenpairs(n, count, &apply, None, &options, run, watch, &mut counts)?;
    if let status @ (Status::TimeLimit | Status::Interrupted) = pairs.status {
        return Err(Error::Stopped { status, what: "the spectra of the views".to_string() });
    }
    let kernel = &bank.kernels()[m];
    Ok(Spectrum {
        kernel: kernel.name.clone(),
        view: kernel.view.clone(),
        values: pairs.values,
        vectors: pairs.vectors,
    })
}

/// Agreement of the spans of the `k` leading eigenvectors (of fewer, where eigenvalues are 0: the
/// eigenvectors of these are arbitrary), kernel by kernel: 1 on the diagonal, [`subspace_agreement`]
/// elsewhere.
pub fn agreement_matrix(spectra: &[Spectrum], k: usize) -> Vec<Vec<f64>> {
    let head = |s: &Spectrum| {
        let floor = TOL * s.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let columns = (0..k.min(s.values.len())).filter(|j| s.values[*j].abs() > floor);
        s.vectors.select_cols(&columns.collect::<Vec<_>>())
    };
    let heads: Vec<Matrix> = spectra.iter().map(head).collect();
    let mut matrix = vec![vec![1.0; heads.len()]; heads.len()];
    for v in 0..heads.len() {
        for w in 0..v {
            let agreement = subspace_agreement(&heads[v], &heads[w]);
            (matrix[v][w], matrix[w][v]) = (agreement, agreement);
        }
    }
    matrix
}
