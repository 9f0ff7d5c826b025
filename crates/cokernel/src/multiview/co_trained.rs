//! Co-trained spectral clustering: every view's similarities are projected on the leading
//! eigenvectors of the other views, embedded anew, and so on. From U_v ∈ R^{n×r}, the leading
//! eigenvectors of L_v = D_v^{-1/2} K_v D_v^{-1/2}, each round replaces all U_v by the leading
//! eigenvectors of the normalised
//!
//! S_v = sym(P_v K_v), P_v = Σ_{w≠v} U_w U_wᵀ, sym(A) = (A + Aᵀ)/2,
//!
//! with U_w from the round before. Then k-means on rows of unit length.
//!
//! Source: Kumar's thesis (LMS) §3.1-3.2, Algorithm 1, and the union of subspaces for more than two
//! views; Kumar & Daumé, ICML 2011.
//!
//! | symbol | name |
//! |---|---|
//! | U_v | `u[v]` |
//! | r | `eigenvectors`, by default k |
//! | columns of U_w in P_v | `projection`, by default r |
//! | iter | `max_iterations` |
//! | S_v, its least entry, its eigenvectors | `graph` |
//!
//! Choices and deviations, and why:
//! - S_v can have negative entries. As in the thesis' experiments (end of §3.2.1) the least entry
//!   is then subtracted from all (`shift`). That makes entries and degrees non-negative, not the
//!   Laplacian positive semi-definite as the thesis says; the eigenvectors are those of the
//!   algebraically largest eigenvalues. Without shift an instance whose entries do not sum to
//!   more than 0 is an error.
//! - S_v has rank 2Σ_{w≠v} r at most, one more with the shift, and may have less. Eigenvectors of the
//!   eigenvalue 0 are an arbitrary choice from a large space, those of negative eigenvalues come
//!   after them: both are left out, with a note, and the embedding has fewer columns. So are
//!   eigenvectors of the eigenvalue 0 of a view's own L_v (a view of constant similarity keeps one
//!   column). The eigenvalue 1 is always among those that remain, unless nothing remains of S_v,
//!   which is an error.
//! - Instances whose row of S_v is 0 have a row of 0 in U_v, with a note.
//! - The thesis runs a given number of rounds, as does `stop=fixed`; there is no objective, and the
//!   views can oscillate. `stop=agreement` ends when the mean agreement of the views changes by at
//!   most `tol` between rounds, and with the status of an iteration limit if it never does.
//!   A fixed number of rounds is a formula that was evaluated: closed form.
//! - With one view there is nothing to train with: its spectral embedding is the result.
//!
//! New rows: the same recurrence, with the similarities to the training instances in the place of
//! a row of K_v, and degrees of the new row (`rows`).
//!
//! Cost of a round, for each view with c columns in C (c = Σ_{w≠v} r): one product K_v·(n × c), at
//! most 2c n² operations for the least entry (with shift), O(n c²), and eigenvectors of a
//! (2c + 1) × (2c + 1) matrix; where 2c is a sizeable part of n, S_v is stored instead and its last
//! eigenvectors are filtered (`stored`). Memory of a few n × 2c blocks, and n × r for each round and view for
//! the embedding of new rows (towards landmarks as many rows as there are of these).

mod graph;
mod least;
mod pencil;
mod rows;
mod stored;

use super::affinity::{self, Affinities, DIAGONAL};
use super::concat_embeddings::only;
use super::embedding::{
    EIGENVECTORS, EMBEDDING, chosen, cut_short, mean_agreement, side_by_side, unit_concat,
};
use super::extension::{Source, Stage, divided};
use super::kmeans::check_clusters;
use super::landmarks::STOPPED;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::scale::Basis;
use crate::solve::eigen::Eigenpairs;
use crate::solve::filter::Filtered;
use crate::{Error, Event, Report, Result, Run, Status, Watch};
use graph::Graph;
use rows::Part;
use std::borrow::Cow;
use stored::Stored;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(CoTrained::new(p)) };

static METHOD: Method = Method {
    id: "co_trained",
    title: "co-trained spectral clustering",
    source: "Kumar, Daumé 2011; Kumar 2013, §3.1-3.2, Algorithm 1",
    summary: "One spectral embedding per view, each computed again and again from similarities \
              that were projected on the embeddings of the other views. Good when every view \
              tells the clusters on its own; an uninformative or contradictory view spoils the \
              others. Needs similarities of at least 0. A round costs one product of every \
              kernel with a thin block, and about as much again for the shift.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::None,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "max_iterations",
            doc: "Most rounds; 0 gives the concatenation of the single-view embeddings.",
            range: Range::Int { default: 10, min: 0, max: 1_000_000 },
        },
        Param {
            name: "stop",
            doc: "When the rounds end: fixed (after `max_iterations`), or agreement (when the mean \
                  agreement of the views changes by at most `tol`).",
            range: Range::Choice { default: "fixed", of: &["fixed", "agreement"] },
        },
        Param {
            name: "tol",
            doc: "Change of the mean agreement at which stop=agreement ends.",
            range: Range::Real { default: 1e-4, min: 0.0, max: 1.0, closed: true },
        },
        Param {
            name: "projection",
            doc: "Eigenvectors of each other view that similarities are projected on; 0 takes as \
                  many as columns of the embedding.",
            range: Range::Int { default: 0, min: 0, max: i64::MAX },
        },
        Param {
            name: "shift",
            doc: "Whether the least entry of the projected similarities, if negative, is \
                  subtracted from all.",
            range: Range::Choice { default: "yes", of: &["yes", "no"] },
        },
        EMBEDDING,
        EIGENVECTORS,
        DIAGONAL,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct CoTrained {
    /// Rounds at most.
    pub iterations: usize,
    /// The change of the mean agreement that ends the rounds; `None` runs them all.
    pub tol: Option<f64>,
    /// Eigenvectors that are projected on, or 0 for as many as columns.
    pub projection: usize,
    /// Whether a negative least entry is subtracted.
    pub shift: bool,
    /// `concat`, or the view or kernel whose embedding is the result.
    pub embedding: String,
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// Whether the diagonals of the kernels are left out.
    pub zero_diagonal: bool,
}

impl CoTrained {
    fn new(p: &Params) -> Self {
        CoTrained {
            iterations: p.count("max_iterations"),
            tol: (p.text("stop") == "agreement").then(|| p.real("tol")),
            projection: p.count("projection"),
            shift: p.text("shift") == "yes",
            embedding: p.text("embedding").to_string(),
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

/// What a round gives for one view.
struct View {
    /// Those that are kept, descending.
    values: Vec<f64>,
    vectors: Matrix,
    /// The eigenvalue after them.
    next: Option<f64>,
}

impl View {
    /// The first r values, and the gap after them.
    fn spectrum(mut self, r: usize) -> (Vec<f64>, Option<f64>) {
        let next = self.values.get(r).copied().or(self.next);
        self.values.truncate(r);
        let gap = next.and_then(|next| Some((self.values.last()? - next).max(0.0)));
        (self.values, gap)
    }
}

/// What stays the same over all rounds.
struct Training<'a> {
    bank: &'a Bank,
    graphs: Affinities<'a>,
    shift: bool,
    /// Columns of an embedding.
    r: usize,
    /// Columns that are projected on.
    p: usize,
    run: &'a Run,
    watch: &'a Watch,
}

impl Training<'_> {
    /// Eigenvectors that are computed in each round.
    fn count(&self) -> usize {
        self.r.max(self.p)
    }

    /// The spectral embedding of view v alone, its D^{-1/2}, and the status if it was cut short.
    fn single(
        &self,
        v: usize,
        report: &mut Report,
        stages: &mut Option<Vec<Stage>>,
    ) -> Result<(View, Vec<f64>, Option<Status>)> {
        let scaling = laplacian::scaling(&self.graphs.degrees(v)?);
        let (n, count, precise) = (self.bank.n(), self.count(), laplacian::precise());
        let counts = &mut report.counts;
        let found = if stored::suits_alone(n, count, self.run) && !self.bank.is_sparse(v) {
            let mut filtered = Filtered::new(self.graphs.normalized(v, &scaling)?, self.run)?;
            filtered.top(count, &Matrix::zeros(n, 0), &precise, self.watch, counts)?
        } else {
            self.graphs.top(v, &scaling, count, self.run, counts)?
        };
        let status = cut_short(found.status, &found.residuals, &mut report.notes);
        let Eigenpairs { values, vectors, next, .. } = laplacian::determined(self.bank, found);
        let source = only(v, self.bank.len());
        let mut stage = Stage::normalized(source, &scaling, &divided(&vectors, &values));
        match (stage.go_towards(self.bank, self.watch), stages.take()) {
            (true, Some(mut kept)) => {
                kept.push(stage);
                *stages = Some(kept);
            }
            (false, Some(_)) => report.notes.push(STOPPED.to_string()),
            (_, None) => {}
        }
        Ok((View { values, vectors, next }, scaling, status))
    }

    /// View v after a round that began with `last`, whose stages are those from `first` on; `None` if
    /// a stop came before its product was complete.
    fn trained(
        &self,
        v: usize,
        last: &[View],
        first: usize,
        stored: &mut Stored,
        stages: &mut Option<Vec<Stage>>,
        notes: &mut Vec<String>,
    ) -> Result<Option<View>> {
        let (mut heads, mut parts) = (Vec::new(), Vec::new());
        for w in (0..last.len()).filter(|w| *w != v) {
            let u = head(&last[w].vectors, self.p);
            parts.push(Part { stage: first + w, columns: last[w].vectors.cols(), used: u.cols() });
            heads.push(u);
        }
        let c = side_by_side(&heads.iter().map(Cow::as_ref).collect::<Vec<_>>());
        let (h, towards) = self.graphs.apply_towards(v, &c);
        if self.watch.gave_up() {
            return Ok(None);
        }
        let count = self.count();
        let (graph, leading) = if stored::suits(c.rows(), c.cols(), count, self.run) {
            stored.leading(c, h, self.shift, count, self.watch)?
        } else {
            let graph = Graph::new(c, h, self.shift)?;
            let leading = graph.leading(count)?;
            (graph, leading)
        };
        if let Some(i) = graph.isolated.first() {
            notes.push(format!(
                "{}: projected on the other views, {} of the instances (the first is {i}) have no \
                 similarity left; their rows of the embedding are 0, and new rows cannot be \
                 embedded",
                self.name(v),
                graph.isolated.len()
            ));
            *stages = None;
        }
        if let Some(stages) = stages {
            let (source, c) = match &towards {
                Some(towards) => (Source::Each { kernels: vec![v] }, towards),
                None => (only(v, self.bank.len()), &graph.c),
            };
            stages.push(rows::stage(source, c, &graph, &leading, &parts));
        }
        Ok(Some(View { values: leading.values, vectors: leading.vectors, next: leading.next }))
    }

    fn name(&self, v: usize) -> String {
        format!("kernel '{}'", self.bank.kernels()[v].name)
    }

    /// The sentence about eigenvectors that were left out, if there are any.
    fn missing(&self, views: &[View]) -> Option<String> {
        let kept = views.iter().enumerate().map(|(v, view)| (self.name(v), view.values.len()));
        laplacian::left_out(&kept.collect::<Vec<_>>(), self.count())
    }

    /// Whether the stages of another round are still small beside the kernels.
    fn room(&self, stages: usize) -> bool {
        let rows = self.bank.basis().map_or(self.bank.n(), Basis::len);
        let numbers = rows.saturating_mul(self.count()).saturating_mul(stages);
        numbers.saturating_mul(8) <= self.run.memory / 2
    }
}

/// The first `count` columns, or all if there are fewer.
fn head(u: &Matrix, count: usize) -> Cow<'_, Matrix> {
    match count >= u.cols() {
        true => Cow::Borrowed(u),
        false => Cow::Owned(u.select_cols(&(0..count).collect::<Vec<_>>())),
    }
}

impl Embedder for CoTrained {
    fn wants(&self) -> Wants {
        Wants::products()
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let watch = run.watch();
        let bank = problem.bank;
        let (n, count) = (bank.n(), bank.len());
        check_clusters(k, n)?;
        let shown = chosen(bank, &self.embedding)?;
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        let p = if self.projection == 0 { r } else { self.projection };
        if p > n && p > r {
            let problem = format!("expected at most {n} (the number of instances), found {p}");
            return Err(Error::parameter("projection", problem));
        }
        let graphs = Affinities { bank, zero: self.zero_diagonal, watch: &watch };
        let training = Training { bank, graphs, shift: self.shift, r, p, run, watch: &watch };
        let rounds = if count == 1 { 0 } else { self.iterations };
        run.tell(Event::Begin {
            stage: "co-trained spectral embedding",
            total: self.tol.is_none().then_some(rounds as u64),
        });
        let mut report = Report { notes: bank.notes().to_vec(), ..Report::closed_form(run) };
        let (mut views, mut stages, mut status) = (Vec::new(), Some(Vec::new()), None);
        let mut scalings = Vec::new();
        for v in 0..count {
            let (view, scaling, early) = training.single(v, &mut report, &mut stages)?;
            scalings.push(scaling);
            status = status.or(early);
            views.push(view);
        }
        // Eigenvalues of a view that was stopped say nothing of it.
        if status.is_none() {
            report.notes.extend(training.missing(&views));
            let all = |view: &View| view.values.len() == training.count();
            let last = |v: usize| views[v].values.last().copied().filter(|_| all(&views[v]));
            let alone: Vec<_> = (0..count).map(|v| (v, scalings[v].as_slice(), last(v))).collect();
            report.notes.extend(graphs.remark(&alone));
        }
        let mut stored: Vec<Stored> = (0..count).map(|_| Stored::new(n, run)).collect();
        let mut agreement = Vec::new();
        let mut last = mean_agreement(&heads(&views, r));
        while status.is_none() && agreement.len() < rounds {
            let first = count * agreement.len();
            if stages.is_some() && !training.room(first + 2 * count) {
                stages = None;
                report.notes.push("new rows cannot be embedded: too many rounds to keep".into());
            }
            let mut next = Vec::new();
            for v in 0..count {
                status = watch.stop();
                if status.is_some() {
                    break;
                }
                let place = |e| match e {
                    Error::Data(problem) => Error::Data(format!(
                        "{}, round {}: {problem}",
                        training.name(v),
                        agreement.len() + 1
                    )),
                    other => other,
                };
                let view = training
                    .trained(v, &views, first, &mut stored[v], &mut stages, &mut report.notes)
                    .map_err(place)?;
                let Some(view) = view else {
                    status = watch.stop();
                    break;
                };
                report.counts.eigen_solves += 1;
                next.push(view);
            }
            if status.is_some() {
                // The result is that of the last complete round.
                stages.iter_mut().for_each(|s| s.truncate(first + count));
                break;
            }
            views = next;
            let now = mean_agreement(&heads(&views, r));
            agreement.push(now);
            let message = format!("agreement {now:.6}");
            run.tell(Event::Step { done: agreement.len() as u64, message: &message });
            if self.tol.is_some_and(|tol| (now - last).abs() <= tol) {
                status = Some(Status::Converged);
            }
            last = now;
        }
        run.tell(Event::End);
        let unsettled = self.tol.is_some() && rounds > 0;
        report.status = status.unwrap_or(match unsettled {
            true => Status::IterationLimit,
            false => Status::ClosedForm,
        });
        report.iterations = agreement.len();
        let note = training.missing(&views).filter(|note| !report.notes.contains(note));
        let stopped = report.status.is_stop();
        report.notes.extend(note.filter(|_| !stopped));
        let embeddings: Vec<Matrix> = heads(&views, r).into_iter().map(Cow::into_owned).collect();
        let rows = unit_concat(bank, &embeddings, &shown, &mut report.notes);
        let last = count * agreement.len();
        let outputs: Vec<usize> = shown.iter().map(|v| last + v).collect();
        let extension = stages.map(|stages| rows::extension(stages, &outputs, r));
        let (eigenvalues, gaps) = views.into_iter().map(|view| view.spectrum(r)).unzip();
        report.seconds = watch.seconds();
        let eigenvectors = embeddings;
        Ok(Embedding { rows, eigenvectors, eigenvalues, gaps, agreement, extension, report })
    }
}

fn heads(views: &[View], r: usize) -> Vec<Cow<'_, Matrix>> {
    views.iter().map(|view| head(&view.vectors, r)).collect()
}
