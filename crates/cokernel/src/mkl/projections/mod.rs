//! Projections inside kernels, which [`gpk`](super::gpk) and [`lpk`](super::lpk) share: what θ is, the kernel that
//! it gives, and the derivatives.
//!
//! ```text
//! k(x, z) = Σ_m Σ_p η_mp(x) k_m(W_pᵀx, W_pᵀz) η_mp(z)
//! ```
//!
//! over kernels m and regions p; without gates one region and η² = 1/M. A view that a kernel looks at has projections
//! of its own.
//!
//! | symbol | here |
//! |---|---|
//! | W_p (D × R) | diag(f) θ_p: `factors` f and a part of the parameters |
//! | f_j | τ/σ_j, σ_j the standard deviation of column j, τ² = Σσ²/R; 0 where a column has one value |
//! | z_i = W_pᵀx_i | rows of Z |
//! | G_ij = Σ_u c_ui η_i c_uj η_j | never formed |
//!
//! **Units.** In θ all columns count alike, and √R is the length ‖θ‖ for which the projection is as long as the features:
//! W = I has it. Steps and random starts so do not depend on the units of columns, and the width of a Gaussian kernel,
//! which was fixed on the features, is one for the projections they start with. Columns are not centred: with W = I
//! the kernel is the plain one.
//!
//! **Lengths.** Linear and polynomial kernels grow with W, and J falls as they do: (4.1) and (4.3) have no minimum, the
//! infimum is what the machine would reach without ½‖w‖². A Gaussian kernel becomes as narrow as it takes to know every
//! training instance, and of a detector it is best where all projections are one point. So each W_p keeps its length: its
//! parameters are √R θ/‖θ‖, and C and the width mean what they mean on the features (`lengths=free`: as in the source). As J
//! is convex and falling in WWᵀ for a linear kernel, the optimum over ‖θ‖² ≤ R is that of the linear machine with cost
//! R·C on columns τx/σ, of rank one.
//!
//! **Derivatives** (LMKA §4.1, 4.2, as products of a matrix with few columns; rows without a coefficient are left out):
//! ∂J/∂θ = diag(f) Xᵀ P, P = ∂J/∂Z with rows
//!
//! | kernel | P_i |
//! |---|---|
//! | ⟨z, z'⟩ | −Σ_u u_i Σ_j u_j z_j, u = c_u ∘ η |
//! | (γ⟨z, z'⟩ + c₀)^q | −qγ Σ_j G_ij (γ⟨z_i, z_j⟩ + c₀)^{q−1} z_j |
//! | exp(−γ‖z − z'‖²) | 2γ Σ_j G_ij k_ij (z_i − z_j) |
//!
//! and the energies of the gates Σ_j G_ij k_ij. Cost: n_s²(R + heads) for each kernel and region with n_s support
//! vectors, n_s R for linear ones, and n_s D R.

mod derivative;
mod learn;
mod settings;
mod source;
mod starts;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub(super) use settings::{
    DIMENSIONS, First, LENGTHS, MAX_ITERATIONS, Regions, SEARCH, START, STARTS, Settings, TOL,
};

use super::gate_views::Seen;
use super::parametric::{Inside, Use};
use super::{Problem, mixed, with_maps};
use crate::bank::Storage;
use crate::data::{LearnedView, Matrix, Views};
use crate::kernel::{Function, Kernel, Metric};
use crate::machine::Solution;
use crate::rule::gate::{Gate, Shape};
use crate::rule::{Combination, Gated, Weighted};
use crate::{Error, Result, Run, Watch};
use source::Source;

/// What gates look at.
struct Looking {
    shape: Shape,
    seen: Seen,
}

/// Kernels on projections that are learned.
pub(super) struct Projections<'a> {
    problem: &'a Problem<'a>,
    views: &'a Views,
    settings: &'a Settings,
    sources: Vec<Source>,
    /// Of each kernel, the index of its view among the sources.
    of: Vec<usize>,
    regions: usize,
    gates: Option<Looking>,
}

impl<'a> Projections<'a> {
    /// # Errors
    /// No features, kernels that do not look at all features of a view in a way that can be differentiated, a view
    /// whose columns have one value.
    pub fn new(problem: &'a Problem<'a>, settings: &'a Settings) -> Result<Self> {
        let views = problem.views.ok_or_else(|| {
            let text =
                format!("{}: it projects features; give the views, not kernels alone", settings.id);
            Error::Data(text)
        })?;
        if views.n() != problem.bank.n() {
            return Err(Error::shape("views that are projected", problem.bank.n(), views.n()));
        }
        let (mut sources, mut of): (Vec<Source>, Vec<usize>) = (Vec::new(), Vec::new());
        for kernel in problem.bank.kernels() {
            projects(kernel, settings.id)?;
            let at = sources.iter().position(|s| s.name == kernel.view);
            let at = match at {
                Some(at) => at,
                None => {
                    sources.push(Source::of(views, &kernel.view, settings)?);
                    sources.len() - 1
                }
            };
            of.push(at);
        }
        let mut gates = None;
        if let Some(Regions { shape, shown, .. }) = settings.gates {
            let names: Vec<String> = sources.iter().map(|s| s.name.clone()).collect();
            gates = Some(Looking { shape, seen: Seen::of(views, &names, shown)? });
        }
        let regions = settings.gates.map_or(1, |g| g.count);
        Ok(Projections { problem, views, settings, sources, of, regions, gates })
    }

    /// Where the parameters of a region's projection of a source begin; of the gates at (regions, 0).
    fn offset(&self, region: usize, source: usize) -> usize {
        let size = |s: &Source| s.factors.len() * s.dimensions;
        let one: usize = self.sources.iter().map(size).sum();
        region * one + self.sources[..source].iter().map(size).sum::<usize>()
    }

    /// θ of a region, as long as it has to be, and ‖θ‖ before that, where it keeps its length.
    fn direction(&self, parameters: &[f64], region: usize, source: usize) -> (Matrix, Option<f64>) {
        let s = &self.sources[source];
        let (d, r) = (s.factors.len(), s.dimensions);
        let own = &parameters[self.offset(region, source)..][..d * r];
        let mut out = Matrix::zeros(d, r);
        out.values_mut().copy_from_slice(own);
        let size =
            self.settings.keeps_lengths.then(|| own.iter().map(|v| v * v).sum::<f64>().sqrt());
        if let Some(size) = size {
            let scale = (r as f64).sqrt() / size;
            out.values_mut().iter_mut().for_each(|v| *v *= scale);
        }
        (out, size)
    }

    /// The maps W of all views.
    fn maps(&self, parameters: &[f64]) -> Result<Vec<LearnedView>> {
        let mut maps = Vec::new();
        for (at, s) in self.sources.iter().enumerate() {
            for region in 0..self.regions {
                let (mut w, _) = self.direction(parameters, region, at);
                for (j, f) in s.factors.iter().enumerate() {
                    w.row_mut(j).iter_mut().for_each(|v| *v *= f);
                }
                maps.push(match self.gates {
                    None => LearnedView::new(s.name.clone(), w)?,
                    Some(_) => {
                        LearnedView::beside(s.name.clone(), region_name(&s.name, region), w)?
                    }
                });
            }
        }
        Ok(maps)
    }

    /// The gates, if there are some, and their values at the instances (n × kernels · regions).
    fn gates(&self, parameters: &[f64]) -> Result<Option<(Gate, Matrix)>> {
        let Some(looking) = &self.gates else { return Ok(None) };
        let own = &parameters[self.offset(self.regions, 0)..];
        let features = &looking.seen.features;
        let wide = features.cols() + 1;
        let gate = Gate::new(looking.shape, Matrix::new(own.len() / wide, wide, own.to_vec())?)?;
        let values = gate.values(features);
        Ok(Some((gate, values)))
    }

    /// The rule, which is over kernels × regions.
    fn rule(&self, parameters: &[f64]) -> Result<Combined> {
        let kernels = self.of.len();
        Ok(match (self.gates(parameters)?, &self.gates) {
            (Some((gate, values)), Some(looking)) => {
                let all = kernels * self.regions;
                let rule = Gated::new(gate, looking.seen.input.clone(), all, &values)?;
                Combined::Gated(Box::new(rule), values)
            }
            _ => Combined::Mean(Weighted::new(vec![1.0 / kernels as f64; kernels])),
        })
    }
}

/// A rule, with the gates of the instances.
enum Combined {
    Mean(Weighted),
    Gated(Box<Gated>, Matrix),
}

impl Combined {
    fn shared(self) -> Combination {
        match self {
            Combined::Mean(rule) => Combination::new(rule),
            Combined::Gated(rule, _) => Combination::new(*rule),
        }
    }
}

impl Inside for Projections<'_> {
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution> {
        let maps = self.maps(parameters)?;
        let bank = self.problem.bank;
        let (_, bank) = with_maps(bank, self.views, &maps, Storage::Auto, &run.quiet())?;
        match self.rule(parameters)? {
            Combined::Mean(rule) => then(mixed(&bank, &rule, None, run, watch)?.as_ref()),
            Combined::Gated(rule, values) => {
                let values = rule.read_of(values);
                then(mixed(&bank, rule.as_ref(), Some(&values), run, watch)?.as_ref())
            }
        }
    }

    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        derivative::of(self, parameters, machines, watch)
    }
}

/// The view that a region's projection makes of a view.
pub(super) fn region_name(view: &str, region: usize) -> String {
    format!("{view}#{}", region + 1)
}

/// Refuses a kernel that projections are not learned for.
fn projects(kernel: &Kernel, id: &str) -> Result<()> {
    let why = match kernel.function {
        _ if !kernel.normalize.is_empty() => "is normalised",
        _ if kernel.column.is_some() => "looks at one column",
        Function::Linear
        | Function::Polynomial { .. }
        | Function::Exponential { metric: Metric::SquaredEuclidean, .. } => return Ok(()),
        Function::Precomputed => "is a similarity, which has no features",
        _ => "is another function",
    };
    Err(Error::Data(format!(
        "{id} learns projections of features for linear, polynomial and Gaussian kernels without normalisation, on \
         all columns of a view; kernel '{}' {why}",
        kernel.name
    )))
}
