//! What pairwise and centroid co-regularisation share: blocks U_a of orthonormal columns, one for
//! each view and perhaps one more, the centroid; ties between blocks; and the alternating
//! maximisation of
//!
//! Σ_v tr(U_vᵀ L_v U_v) + Σ_{(a,b)} λ_ab ‖U_aᵀ U_b‖_F²  subject to U_aᵀ U_a = I.
//!
//! Pairwise: a tie for each pair of views. Centroid: a tie between each view and the centroid,
//! which has no L. With all others fixed, the best U_v are the leading eigenvectors of the *drawn*
//! operator M_v = L_v + Σ_a λ_va U_a U_aᵀ, and the best centroid is that of Σ_v λ_v U_v U_vᵀ alone.
//! Views are updated in turn, then the centroid; each update uses the newest blocks, so that the
//! objective never falls. (Where a round begins matters for pairs only: given the centroid, views
//! do not see each other.)
//!
//! | symbol | name |
//! |---|---|
//! | U_a | `u[a]`, the centroid last |
//! | L_v | applied by `laplacian::apply`, or stored where r is a sizeable part of n |
//! | λ_ab | [`Tie::lambda`] |
//! | M_v = L_v + F Fᵀ, F = [√λ_va U_a] | solved by [`Recycled`] or [`Filtered`] |
//! | tr(U_vᵀ L_v U_v) | `own[v]` |
//! | r | `eigenvectors`, by default k |
//! | B_a | `sources` |
//!
//! The operators of one view differ from round to round in F only, so that its products with L_v
//! are kept and used again ([`Recycled`]), or its last answer is filtered ([`Filtered`]). All spans that draw others are precise, to 1e-10: what
//! a round computes does not depend on how its eigenvectors were found, and the number of rounds
//! is that of a computation with full decompositions. The centroid comes from the Gram matrix of
//! F, of size r V, not from an n × n matrix.
//!
//! λ adds to eigenvalues. It therefore says little without the eigengap of L_v, the difference of
//! its r-th and next eigenvalue: a note tells both, and `lambda_scale = gap` takes λ in units of
//! the gap (of a pair: of the mean of both gaps).
//!
//! New rows: an update gives U_v Θ = L_v U_v + Σ_a λ_va U_a (U_aᵀU_v), with the U_a of that moment.
//! Read as a formula for one row, it gives the new U_v at any x from the similarities of x and from
//! the rows of the U_a at x, and these were given by their own updates before. By induction every
//! block is u_a(x) = Σ_v g_v(x) B_{a,v}, where g_v(x) = d_v(x)^{-1/2} k_v(x,·) D_v^{-1/2}, and the
//! coefficients B_a (nV × r) follow from all updates by products with r × r matrices only (`sources`). So
//! the extension is exact: training rows get back their own embedding, whenever the iteration
//! ends. Single-view solutions are its start, u_v(x) = g_v(x) U_v Θ^{-1}. (Taking the final
//! equations of all views as one linear system would agree with this only in the limit.) At a
//! local maximum with positive semi-definite kernels the recursion is a Gauss-Seidel iteration
//! with a positive semi-definite matrix: directions q orthogonal to all blocks have
//! second variation −aᵀ(Θ − λC)a + Σ_v qᵀL_vq |a_v|² ≤ 0. Memory: n r V values for each block, and the
//! updates of a few rounds; if all take more than a quarter of [`Run::memory`](crate::Run), there is no extension.
//! Towards landmarks R_v F_vᵀ D_v^{-1/2} U_v stands in the place of U_v from each update on, and their number in that of n.

mod sources;

use super::affinity::{self, Affinities};
use super::concat_embeddings::only;
use super::embedding::{cut_short, mean_agreement, unit_concat};
use super::extension::{Extension, Stage};
use super::kmeans::check_clusters;
use super::{Embedding, Problem, landmarks, laplacian};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::params::{Param, Params, Range};
use crate::scale::Basis;
use crate::solve::dense::{self, Slice};
use crate::solve::eigen::{Eigenpairs, Options, orient};
use crate::solve::filter::{self, Filtered};
use crate::solve::recycle::Recycled;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use sources::Sources;
use std::borrow::Cow;

/// Unit of λ.
pub(super) const LAMBDA_SCALE: Param = Param {
    name: "lambda_scale",
    doc: "Unit of lambda: raw, or gap: the eigengap of the view alone (the difference of its last \
          taken eigenvalue and the next one; of a pair of views, the mean of both).",
    range: Range::Choice { default: "raw", of: &["raw", "gap"] },
};

/// When the rounds end.
pub(super) const TOL: Param = Param {
    name: "tol",
    doc: "Relative change of the objective at which the iteration ends.",
    range: Range::Real { default: 1e-4, min: 0.0, max: 1.0, closed: true },
};

/// How many rounds there may be.
pub(super) const MAX_ITER: Param = Param {
    name: "max_iterations",
    doc: "Most rounds of updates over all views.",
    range: Range::Int { default: 100, min: 1, max: 1_000_000 },
};

/// The parameters that both methods have.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    lambda: Vec<f64>,
    by_gap: bool,
    tol: f64,
    max_iterations: usize,
    eigenvectors: usize,
    zero_diagonal: bool,
}

impl Settings {
    pub(super) fn new(p: &Params) -> Self {
        Settings {
            lambda: p.reals("lambda").to_vec(),
            by_gap: p.text("lambda_scale") == "gap",
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

/// Angle of eigenvectors whose eigenvalues are precise: these are off by its square.
const VALUES_ONLY: f64 = 1e-7;

/// Up to this many different λ are told one by one.
const LISTED: usize = 10;

/// Which blocks are tied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// All pairs of views; each round updates them from `first` on and around.
    Pairs {
        /// The first view of a round.
        first: usize,
    },
    /// Each view and the centroid, which is the block after the last view.
    Centroid,
}

/// Two blocks and the strength with which they draw each other.
#[derive(Debug, Clone, Copy)]
struct Tie {
    a: usize,
    b: usize,
    lambda: f64,
}

impl Scheme {
    /// All ties of `views` views with the given λ: one number, or one for each tie.
    fn ties(self, views: usize, lambda: &[f64]) -> Result<Vec<Tie>> {
        let ends: Vec<(usize, usize)> = match self {
            Scheme::Pairs { .. } => {
                (0..views).flat_map(|a| (a + 1..views).map(move |b| (a, b))).collect()
            }
            Scheme::Centroid => (0..views).map(|v| (v, views)).collect(),
        };
        if lambda.len() != 1 && lambda.len() != ends.len() {
            let several = match (self, ends.len()) {
                (Scheme::Pairs { .. }, 0) => " (there is no pair of kernels)".to_string(),
                (Scheme::Pairs { .. }, 1) => " (there is one pair of kernels)".to_string(),
                (Scheme::Pairs { .. }, pairs) => format!(
                    ", or {pairs}: one for each pair of the {views} kernels, in the order (0,1), \
                     (0,2), …, ({},{})",
                    views - 2,
                    views - 1
                ),
                (Scheme::Centroid, 1) => " (there is one kernel)".to_string(),
                (Scheme::Centroid, _) => format!(", or {views}: one for each kernel"),
            };
            let problem = format!("expected one number{several}; found {}", lambda.len());
            return Err(Error::parameter("lambda", problem));
        }
        let strength = |e: usize| lambda[if lambda.len() == 1 { 0 } else { e }];
        Ok(ends.iter().enumerate().map(|(e, &(a, b))| Tie { a, b, lambda: strength(e) }).collect())
    }
}

/// What finds the leading eigenpairs of the drawn operators of one view.
#[derive(Debug)]
enum Solver {
    /// For few of many: L_v is applied by the bank.
    Recycled(Recycled),
    /// For a sizeable part of n: L_v is stored.
    Filtered(Filtered),
}

/// The state of the alternating maximisation.
struct Blocks<'a> {
    bank: &'a Bank,
    graphs: Affinities<'a>,
    watch: &'a Watch,
    r: usize,
    scalings: Vec<Vec<f64>>,
    solvers: Vec<Solver>,
    ties: Vec<Tie>,
    u: Vec<Matrix>,
    values: Vec<Vec<f64>>,
    own: Vec<f64>,
    gaps: Vec<Option<f64>>,
    /// Of each view its name and how many eigenvectors it has alone.
    determined: Vec<(String, usize)>,
    /// None without an extension.
    sources: Option<Sources>,
    counts: Counts,
    notes: Vec<String>,
    /// Why the iteration ends, once it does.
    status: Option<Status>,
}

/// Embeds by alternating maximisation; the result is made of the blocks `shown`.
pub(super) fn embed(
    problem: &Problem<'_>,
    settings: &Settings,
    scheme: Scheme,
    shown: &[usize],
    k: usize,
    run: &Run,
) -> Result<Embedding> {
    let watch = run.watch();
    let bank = problem.bank;
    check_clusters(k, bank.n())?;
    let views = bank.len();
    let ties = scheme.ties(views, &settings.lambda)?;
    let r = if settings.eigenvectors == 0 { k } else { settings.eigenvectors };
    let graphs = Affinities { bank, zero: settings.zero_diagonal, watch: &watch };
    run.tell(Event::Begin { stage: "co-regularised spectral embedding", total: None });
    let mut state = Blocks::new(graphs, ties, r, run, &watch)?;
    for v in 0..views {
        let replaced = scheme == Scheme::Pairs { first: v } && !state.pulls(v).is_empty();
        state.alone(v, settings.by_gap, replaced)?;
    }
    // Eigenvalues and gaps of a view that was stopped say nothing of it.
    if state.status.is_none() {
        if settings.by_gap {
            state.take_gaps_as_units()?;
        }
        state.notes.push(state.gaps_and_lambda());
        state.notes.extend(laplacian::left_out(&state.determined, r));
        let last =
            |v: usize| state.values[v].last().copied().filter(|_| state.values[v].len() == r);
        let alone: Vec<_> =
            (0..views).map(|v| (v, state.scalings[v].as_slice(), last(v))).collect();
        let remark = graphs.remark(&alone);
        state.notes.extend(remark);
    }
    let (first, centroid) = match scheme {
        Scheme::Pairs { first } => (first, false),
        Scheme::Centroid => (0, true),
    };
    if centroid {
        state.renew_centroid()?;
    }
    let (mut objective, mut agreement) = (Vec::new(), Vec::new());
    let mut last = state.objective();
    while state.status.is_none() {
        for v in (first..views).chain(0..first) {
            state.update(v)?;
        }
        if centroid {
            state.renew_centroid()?;
        }
        let now = state.objective();
        objective.push(now);
        agreement.push(mean_agreement(&state.u[..views]));
        let message = format!("objective {now:.6}");
        run.tell(Event::Step { done: objective.len() as u64, message: &message });
        if state.status.is_none() && (now - last).abs() <= settings.tol * now.abs() {
            state.status = Some(Status::Converged);
        } else if state.status.is_none() && objective.len() >= settings.max_iterations {
            state.status = Some(Status::IterationLimit);
        }
        last = now;
    }
    run.tell(Event::End);
    let rows = unit_concat(bank, &state.u, shown, &mut state.notes);
    let extension = state.sources.as_ref().and_then(|s| state.extension(s, shown));
    if extension.is_none() && state.sources.is_some() {
        state.notes.push(landmarks::STOPPED.to_string());
    }
    let report = Report {
        status: state.status.unwrap_or(Status::Converged),
        iterations: objective.len(),
        objective,
        counts: state.counts,
        seconds: watch.seconds(),
        ..Report::closed_form(run)
    };
    Ok(Embedding {
        rows,
        eigenvectors: state.u,
        eigenvalues: state.values,
        gaps: state.gaps,
        agreement,
        extension,
        report: Report { notes: state.notes, ..report },
    })
}

impl<'a> Blocks<'a> {
    fn new(
        graphs: Affinities<'a>,
        ties: Vec<Tie>,
        r: usize,
        run: &Run,
        watch: &'a Watch,
    ) -> Result<Self> {
        let bank = graphs.bank;
        let (n, views) = (bank.n(), bank.len());
        let mut notes = bank.notes().to_vec();
        let scalings = (0..views)
            .map(|m| Ok(laplacian::scaling(&graphs.degrees(m)?)))
            .collect::<Result<Vec<Vec<f64>>>>()?;
        // Stored operators and one drawn one may take a quarter of the memory.
        let stored = [16, n, n, views].into_iter().fold(1, usize::saturating_mul) <= run.memory / 4;
        let filters = stored && filter::suits(n, r);
        let solver = |v: usize| match filters && !bank.is_sparse(v) {
            true => Filtered::new(graphs.normalized(v, &scalings[v])?, run).map(Solver::Filtered),
            false => Recycled::new(n, r, run).map(Solver::Recycled),
        };
        let solvers = (0..views).map(solver).collect::<Result<_>>()?;
        let rows = bank.basis().map_or(n, Basis::len);
        let bytes = [8, rows, r, views, views + 1 + sources::KEPT];
        let bytes = bytes.into_iter().fold(1, usize::saturating_mul);
        let sources = if bytes > run.memory / 4 {
            notes.push(format!(
                "new rows cannot be embedded: that would keep {} MiB, more than a quarter of the \
                 memory limit",
                bytes >> 20
            ));
            None
        } else {
            Some(Sources::new(rows, views))
        };
        Ok(Blocks {
            bank,
            graphs,
            watch,
            r,
            scalings,
            solvers,
            ties,
            u: vec![Matrix::zeros(0, 0); views],
            values: vec![Vec::new(); views],
            own: vec![0.0; views],
            gaps: vec![None; views],
            determined: Vec::new(),
            sources,
            counts: Counts::default(),
            notes,
            status: None,
        })
    }

    /// The single-view solution of view v and its eigengap, to all digits on request. If it is
    /// `replaced` before anything is drawn to it, only its eigenvalues must be precise, which is
    /// sooner the case.
    fn alone(&mut self, v: usize, precise_gap: bool, replaced: bool) -> Result<()> {
        let r = self.r;
        let more = usize::from(precise_gap && r < self.bank.n());
        let angle = if replaced { VALUES_ONLY } else { laplacian::precise().angle };
        let mut pairs = self.solve(v, r + more, &[], angle)?;
        if more == 1 {
            pairs.next = pairs.values.pop();
            pairs.vectors = pairs.vectors.select_cols(&(0..r).collect::<Vec<_>>());
        }
        let pairs = laplacian::determined(self.bank, pairs);
        let name = format!("kernel '{}'", self.bank.kernels()[v].name);
        self.determined.push((name, pairs.values.len()));
        let gap = pairs.gap();
        self.take(v, pairs, &[]);
        self.gaps[v] = gap.filter(|_| self.status.is_none());
        Ok(())
    }

    /// U_v given all others. A view that nothing draws keeps its own solution.
    fn update(&mut self, v: usize) -> Result<()> {
        let pulls = self.pulls(v);
        if !pulls.is_empty() {
            let pairs = self.solve(v, self.r, &pulls, laplacian::precise().angle)?;
            self.take(v, pairs, &pulls);
        }
        Ok(())
    }

    /// The blocks that draw block a, with their λ.
    fn pulls(&self, a: usize) -> Vec<(usize, f64)> {
        let active = self.ties.iter().filter(|t| t.lambda > 0.0);
        active
            .filter_map(|t| match a {
                a if a == t.a => Some((t.b, t.lambda)),
                a if a == t.b => Some((t.a, t.lambda)),
                _ => None,
            })
            .collect()
    }

    /// F = [√λ_a U_a].
    fn factor(&self, pulls: &[(usize, f64)]) -> Matrix {
        let widths = pulls.iter().map(|(a, _)| self.u[*a].cols());
        let mut factor = Matrix::zeros(self.bank.n(), widths.sum());
        for i in 0..factor.rows() {
            let mut row = factor.row_mut(i);
            for (a, lambda) in pulls {
                let (root, from) = (lambda.sqrt(), self.u[*a].row(i));
                let (to, rest) = row.split_at_mut(from.len());
                to.iter_mut().zip(from).for_each(|(t, u)| *t = root * u);
                row = rest;
            }
        }
        factor
    }

    fn solve(
        &mut self,
        v: usize,
        r: usize,
        pulls: &[(usize, f64)],
        angle: f64,
    ) -> Result<Eigenpairs> {
        let factor = self.factor(pulls);
        let (graphs, scaling) = (self.graphs, &self.scalings[v]);
        let multiply = |x: &Matrix| laplacian::apply(x, scaling, |x| graphs.apply(v, x));
        let options = Options { angle, ..laplacian::precise() };
        let (watch, counts) = (self.watch, &mut self.counts);
        match &mut self.solvers[v] {
            Solver::Recycled(space) => space.top(r, &factor, &multiply, &options, watch, counts),
            Solver::Filtered(stored) => stored.top(r, &factor, &options, watch, counts),
        }
    }

    /// Replaces U_v by eigenvectors of its operator, drawn by `pulls`.
    fn take(&mut self, v: usize, pairs: Eigenpairs, pulls: &[(usize, f64)]) {
        let ended = cut_short(pairs.status, &pairs.residuals, &mut self.notes);
        self.status = self.status.or(ended);
        let pairs = laplacian::determined(self.bank, pairs);
        let crosses = self.crosses(pulls, &pairs.vectors);
        let drawn: f64 = pulls.iter().zip(&crosses).map(|((_, l), c)| l * square(c)).sum();
        self.own[v] = pairs.values.iter().sum::<f64>() - drawn;
        self.renew_source(v, &pairs.vectors, &pairs.values, pulls, &crosses);
        self.u[v] = pairs.vectors;
        self.values[v] = pairs.values;
    }

    /// The centroid given all views; equal weights if nothing is tied to it.
    fn renew_centroid(&mut self) -> Result<()> {
        let centroid = self.bank.len();
        let mut pulls = self.pulls(centroid);
        if pulls.is_empty() {
            pulls = (0..centroid).map(|v| (v, 1.0)).collect();
        }
        let factor = self.factor(&pulls);
        let gram = dense::gram_tn(Slice::of(&factor), Slice::of(&factor));
        let (mut values, turn) = dense::leading_eigen(&gram, self.r.min(gram.rows()))?;
        let floor = laplacian::NOTHING * values[0];
        values.truncate(values.iter().take_while(|v| **v > floor).count());
        let root =
            Matrix::from_fn(gram.rows(), values.len(), |i, j| turn.get(i, j) / values[j].sqrt());
        let mut vectors = dense::product(Slice::of(&factor), Slice::of(&root));
        orient(&mut vectors);
        if self.u.len() == centroid {
            self.u.push(Matrix::zeros(0, 0));
        }
        if self.sources.is_some() {
            let crosses = self.crosses(&pulls, &vectors);
            self.renew_source(centroid, &vectors, &values, &pulls, &crosses);
        }
        self.u[centroid] = vectors;
        Ok(())
    }

    /// U_aᵀ `vectors` for the blocks a of `pulls`.
    fn crosses(&self, pulls: &[(usize, f64)], vectors: &Matrix) -> Vec<Matrix> {
        let cross = |a: usize| dense::gram_tn(Slice::of(&self.u[a]), Slice::of(vectors));
        pulls.iter().map(|(a, _)| cross(*a)).collect()
    }

    fn renew_source(
        &mut self,
        a: usize,
        vectors: &Matrix,
        values: &[f64],
        pulls: &[(usize, f64)],
        crosses: &[Matrix],
    ) {
        let Some(sources) = &mut self.sources else { return };
        let towards = match a < self.bank.len() && self.bank.is_low_rank() {
            true => landmarks::scaled(self.bank, a, &self.scalings[a], vectors, self.watch)
                .map(Cow::Owned),
            false => Some(Cow::Borrowed(vectors)),
        };
        if let Some(vectors) = towards {
            return sources.renew(a, &vectors, values, pulls, crosses);
        }
        self.sources = None;
        self.notes.push(landmarks::STOPPED.to_string());
    }

    /// How new rows get the blocks `shown`: for each view one stage with its part of all their
    /// coefficients, for each block the sum of its columns over these stages. `None` after a stop.
    fn extension(&self, sources: &Sources, shown: &[usize]) -> Option<Extension> {
        let views = self.bank.len();
        let widths: Vec<usize> = shown.iter().map(|a| self.u[*a].cols()).collect();
        let mut stages = Vec::new();
        for (v, right) in sources.of(shown).into_iter().enumerate() {
            if right.values().iter().any(|x| *x != 0.0) {
                stages.push(match self.bank.is_low_rank() {
                    true => landmarks::normalized(self.bank, v, right, self.watch)?,
                    false => Stage::normalized(only(v, views), &self.scalings[v], &right),
                });
            }
        }
        let kernels = stages.len();
        let (all, mut before) = (widths.iter().sum(), 0);
        for width in widths {
            let pick = Matrix::from_fn(all, width, |i, j| f64::from(u8::from(i == before + j)));
            before += width;
            stages.push(Stage::linked((0..kernels).map(|t| (t, pick.clone())).collect()));
        }
        let outputs = (kernels..stages.len()).collect();
        Some(Extension { stages, outputs, unit_rows: true })
    }

    /// The objective, each tie once.
    fn objective(&self) -> f64 {
        let mut sum: f64 = self.own.iter().sum();
        for tie in self.ties.iter().filter(|t| t.lambda > 0.0) {
            let cross = dense::gram_tn(Slice::of(&self.u[tie.a]), Slice::of(&self.u[tie.b]));
            sum += tie.lambda * square(&cross);
        }
        sum
    }

    /// Multiplies each λ by the eigengap that belongs to it.
    fn take_gaps_as_units(&mut self) -> Result<()> {
        let mut gaps = Vec::new();
        for (v, gap) in self.gaps.iter().enumerate() {
            gaps.push(gap.ok_or_else(|| {
                let problem = format!(
                    "expected raw where all {} eigenvectors are taken: kernel '{}' has no eigengap",
                    self.r,
                    self.bank.kernels()[v].name
                );
                Error::parameter("lambda_scale", problem)
            })?);
        }
        for tie in &mut self.ties {
            let other = gaps.get(tie.b).unwrap_or(&gaps[tie.a]);
            tie.lambda *= 0.5 * (gaps[tie.a] + other);
        }
        Ok(())
    }

    /// The sentence about eigengaps and λ.
    fn gaps_and_lambda(&self) -> String {
        let name = |v: usize| self.bank.kernels()[v].name.as_str();
        let gaps = self.gaps.iter().enumerate().map(|(v, gap)| {
            let gap = gap.map_or("none".to_string(), short);
            format!("{} {gap}", name(v))
        });
        let lambdas: Vec<f64> = self.ties.iter().map(|t| t.lambda).collect();
        let (least, most) =
            lambdas.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), l| (a.min(*l), b.max(*l)));
        let lambda = match lambdas.len() {
            0 => "none".to_string(),
            _ if least == most => short(least),
            1..=LISTED => {
                let of = |t: &Tie| match t.b {
                    b if b < self.bank.len() => format!("{}-{}", name(t.a), name(b)),
                    _ => name(t.a).to_string(),
                };
                let each = self.ties.iter().map(|t| format!("{} {}", of(t), short(t.lambda)));
                each.collect::<Vec<_>>().join(", ")
            }
            _ => format!("from {} to {}", short(least), short(most)),
        };
        let gaps = gaps.collect::<Vec<_>>().join(", ");
        format!("eigengaps: {gaps}; lambda in force: {lambda}")
    }
}

/// ‖C‖_F².
fn square(c: &Matrix) -> f64 {
    c.values().iter().map(|x| x * x).sum()
}

/// Three significant digits.
fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let decimals = (2 - x.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::kernel::KernelSpec;

    #[test]
    fn a_view_that_was_stopped_has_no_eigengap() {
        let (views, _) = crate::data::toy::views(150, 3, &[2.0, 2.0], 1).unwrap();
        let specs = [KernelSpec::gaussian()];
        for storage in [Storage::Resident, Storage::OnDemand] {
            let bank = Bank::build(&views, &specs, storage, &Run::default()).unwrap();
            let run = Run::default();
            let watch = run.watch();
            let graphs = Affinities { bank: &bank, zero: false, watch: &watch };
            let ties = Scheme::Pairs { first: 0 }.ties(2, &[0.01]).unwrap();
            let mut state = Blocks::new(graphs, ties, 3, &run, &watch).unwrap();
            state.alone(0, true, false).unwrap();
            run.cancel.cancel();
            state.alone(1, true, false).unwrap();
            assert!(state.gaps[0].is_some(), "{:?}", state.gaps);
            assert_eq!((state.gaps[1], state.status), (None, Some(Status::Interrupted)));
        }
    }
}
