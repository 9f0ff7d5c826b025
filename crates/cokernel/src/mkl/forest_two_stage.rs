//! TS-MKL with a random forest: pairs of instances are told apart by a forest, and instances are compared with
//! landmarks by it.
//!
//! ```text
//! z_ij = (k_1(x_i, x_j), …, k_M(x_i, x_j)),       h(z) ∈ [0, 1]  the forest's share of pairs of equal class
//! φ(x) = (h(z(x, t_1)), …, h(z(x, t_l))),          f(x) = w·φ(x) + b  a linear machine on φ        (6.3)
//! ```
//!
//! (Kumar 2013, §6.2.2, TS-MKL RF; Balcan and Blum, ICML 2006, learning with similarity functions.) h is not
//! linear in the kernels, and its matrix has negative eigenvalues in general: as features of x, similarities to
//! landmarks need none to be positive. The kernels themselves may be indefinite, too.
//!
//! | symbol | name |
//! |---|---|
//! | h | the rule, [`Forest`](crate::rule::Forest), grown by [`forest`](crate::solve::forest) |
//! | z_ij and whether i and j share a class | [`Sampler::examples`] |
//! | t_1 … t_l | `landmarks`, one list for each of `draws` |
//!
//! **Pairs** are those of [`two_stage`](super::two_stage): all of them or `examples` that are drawn, or must-link
//! and cannot-link pairs that are given; each tree learns from a bootstrap with as many of either sign, in which a
//! pair is as likely as its weight among those of its sign. 500
//! trees, leaves of 3, ten kernels per node and the information gain are those of the source. There h is the
//! share of trees that say yes (`leaves = votes`); the mean of the means of leaves, the default, says more.
//!
//! The pairs are of all training instances, as the source has it ("constructed same as in linear TS-MKL"). With
//! `learn_from = landmarks` they are of two landmarks: the similarities of other instances, from which the machine
//! learns, are then those of instances that the forest has not seen, like new ones, at the price of a ninth of the pairs.
//! (Of one draw; with several of them the forest has seen what is a landmark in any.)
//!
//! **Landmarks** are training instances, a third of them, as many of each class as there are. The source
//! averages its results over five draws; here the decision values are averaged over `draws`, so that the model is
//! one, and f(x) = Σ_i A_i h(z(x, x_i)) + b with A_i the mean of the weights w of i over the draws. So the rule is
//! pointwise, like any combined kernel, its coefficients are weights of landmarks, and a new instance is
//! compared with these alone. Similarities are centred, which a machine with a bias does not notice, and
//! divided by the root of their mean squared distance from their mean, so that C means what it does for kernels of
//! unit variance (LMS §5.3, `normalize=center_unit_variance`). The source does not say how it scales them.
//!
//! **Certificate.** There is none for a forest. Primal and dual objective are the sums over the machines of
//! the draws, each on its own landmarks, so that their gap bounds the distance of all from their optima together.
//!
//! **Scale.** All kernels times one positive number change nothing; one kernel alone only what is drawn at random. A second copy of a kernel is drawn as often as the
//! first one. What a kernel is told to be worth is its share in the gain of all splits.
//!
//! **Optimism.** The forest has seen most pairs of training instances, and tells them better apart than new
//! ones; training accuracy says nothing. The source found this method behind the linear one on Caltech, with its
//! 102 classes, and ahead of it on three of four small data sets (Tables 6.3, 6.4).
//!
//! **Cost**: the forest, `examples`·log times `trees` steps; h for all pairs of training instances, or those with a
//! landmark if these are few, a walk from root to leaf for each pair and tree; `draws` machines of l features. Memory: n² numbers where they fit, else
//! n·l and rows on demand; a model file keeps 8 bytes a node.
//!
//! **Large n.** With the storage `nystroem:rank=…` its landmarks are those of the method, and all costs are proportional to n
//! ([`towards`]).

mod landmarks;
mod towards;

use super::two_stage::pairs::{Part, Sampler};
use super::{Copies, GivenPairs, Learned, Learner, Problem, check, fits};
use crate::bank::{Bank, Gram};
use crate::data::{Matrix, Target};
use crate::error::room_for;
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Combination, Forest};
use crate::solve::Rows;
use crate::solve::forest::{Criterion, Draw, FEATURES, Leaves, Settings, Thresholds, grow};
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use landmarks::{Features, choose, together};
use rand::RngExt;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(ForestTwoStage::new(p)) };

static METHOD: Method = Method {
    id: "forest_two_stage",
    title: "two-stage MKL with a random forest (TS-MKL RF)",
    source: "Kumar 2013, §6.2.2, (6.3); Balcan, Blum 2006",
    summary: "A random forest learns from the values of all kernels which pairs of instances are of the same class; \
              the machine learns on the similarities to landmarks that it gives, which need be no kernel. Costs a \
              forest and its value for half of all pairs of instances.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "trees",
            doc: "Number of trees.",
            range: Range::Int { default: 500, min: 1, max: 100_000 },
        },
        Param {
            name: "leaf",
            doc: "Fewest pairs in a leaf.",
            range: Range::Int { default: 3, min: 1, max: 1_000_000 },
        },
        Param {
            name: "per_node",
            doc: "Kernels that are drawn at each node, all if there are fewer.",
            range: Range::Int { default: 10, min: 1, max: 1_000_000 },
        },
        Param {
            name: "thresholds",
            doc: "best: the best threshold of each kernel that is drawn; random: one at random, as in extremely \
                  randomised trees.",
            range: Range::Choice { default: "best", of: &["best", "random"] },
        },
        Param {
            name: "criterion",
            doc: "What a split is to gain: information, as in the source, or gini.",
            range: Range::Choice { default: "information", of: &["information", "gini"] },
        },
        Param {
            name: "leaves",
            doc: "means: a similarity is the mean over trees of the share of equal pairs in a leaf; votes: the share \
                  of trees in whose leaf most are equal, as in the source.",
            range: Range::Choice { default: "means", of: &["means", "votes"] },
        },
        Param {
            name: "examples",
            doc: "Pairs that are drawn where there are more of them.",
            range: Range::Int { default: 20_000, min: 100, max: 1_048_576 },
        },
        Param {
            name: "diagonal",
            doc: "Whether an instance paired with itself is an example.",
            range: Range::Choice { default: "include", of: &["include", "exclude"] },
        },
        Param {
            name: "learn_from",
            doc: "all: the forest learns from pairs of all training instances, as in the source; landmarks: from pairs \
                  of two different landmarks of one draw, so that with draws=1 it has seen no pair of the others.",
            range: Range::Choice { default: "all", of: &["all", "landmarks"] },
        },
        Param {
            name: "landmarks",
            doc: "Share of the training instances that are landmarks, at least one of each class.",
            range: Range::Real { default: 1.0 / 3.0, min: 0.0, max: 1.0, closed: false },
        },
        Param {
            name: "draws",
            doc: "Draws of landmarks whose decision values are averaged.",
            range: Range::Int { default: 5, min: 1, max: 1000 },
        },
    ],
};

/// K-examples that a run learns from that is stopped before it has them.
const FEW: usize = 1000;

/// Pairs whose similarity is computed together.
const TOGETHER: usize = 1 << 16;

#[derive(Debug)]
struct ForestTwoStage {
    settings: Settings,
    examples: usize,
    diagonal: bool,
    all: bool,
    landmarks: f64,
    draws: usize,
}

impl ForestTwoStage {
    fn new(params: &Params) -> Self {
        let random = params.text("thresholds") == "random";
        let gini = params.text("criterion") == "gini";
        let votes = params.text("leaves") == "votes";
        ForestTwoStage {
            settings: Settings {
                trees: params.count("trees"),
                leaf: params.count("leaf"),
                features: params.count("per_node"),
                thresholds: if random { Thresholds::Random } else { Thresholds::Best },
                criterion: if gini { Criterion::Gini } else { Criterion::Information },
                leaves: if votes { Leaves::Votes } else { Leaves::Means },
                draw: Draw::Balanced,
                seed: 0,
            },
            examples: params.count("examples"),
            diagonal: params.text("diagonal") == "include",
            all: params.text("learn_from") == "all",
            landmarks: params.real("landmarks"),
            draws: params.count("draws"),
        }
    }

    /// The forest alone, for those who want a similarity and no classes.
    fn similarity(&self, problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Learned> {
        let sampler = Sampler::new(problem, self.diagonal, true, run)?;
        let (forest, examples) = self.forest(&sampler, run, watch)?;
        let cut = forest.trees() < self.settings.trees;
        let mut report = Report {
            status: watch.stop().filter(|_| cut).unwrap_or(Status::Converged),
            counts: Counts { combines: 1, ..Counts::default() },
            seconds: watch.seconds(),
            notes: self.remarks(&forest),
            ..Report::closed_form(run)
        };
        let details = [("nodes", forest.nodes() as f64), ("pairs", examples as f64)];
        report.details = details.into_iter().map(|(name, v)| (name.to_string(), vec![v])).collect();
        Ok(Learned::of(Combination::new(forest), report))
    }

    /// What is to be said of a forest.
    fn remarks(&self, forest: &Forest) -> Vec<String> {
        let (grown, mut notes) = (forest.trees(), Vec::new());
        if grown < self.settings.trees {
            notes.push(format!("stopped after {grown} of {} trees", self.settings.trees));
        }
        if forest.nodes() == grown {
            let why = "no tree has a split, so that all instances are alike";
            notes.push(format!("forest_two_stage: {why}: give more pairs, or a smaller leaf"));
        }
        notes
    }

    fn forest(&self, sampler: &Sampler<'_>, run: &Run, watch: &Watch) -> Result<(Forest, usize)> {
        let kernels = sampler.kernels();
        if kernels > FEATURES {
            let problem = format!("{kernels} kernels, at most {FEATURES} are possible");
            return Err(Error::Data(format!("forest_two_stage: {problem}")));
        }
        let count = self.examples.min(sampler.pairs().ceil() as usize);
        room_for::<f64>(count.checked_mul(3 * kernels), || {
            format!("the K-examples of {count} pairs and {kernels} kernels; use fewer (examples)")
        })?;
        // Signs alternate in a stream, equal classes first.
        let few = || {
            let drawn = sampler.draw(sampler.stream(Part::Draw), FEW, watch);
            let signs = (0..drawn.len()).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
            (drawn, signs, Vec::new())
        };
        let drawn = sampler.examples(self.examples, watch);
        let drawn = drawn.map(|d| (d.examples, d.signs, d.counts));
        let (examples, signs, counts): (_, Vec<f64>, Vec<f64>) = drawn.unwrap_or_else(few);
        let unit = sampler.unit();
        let mut values = Matrix::zeros(signs.len(), kernels);
        for (p, sign) in signs.iter().enumerate() {
            let row = values.row_mut(p).iter_mut().zip(examples.row(p));
            row.for_each(|(v, z)| *v = sign * z * unit);
        }
        drop(examples);
        let equal: Vec<bool> = signs.iter().map(|s| *s > 0.0).collect();
        let seed = run.rng("forest_two_stage trees").random();
        let settings = Settings { seed, ..self.settings.clone() };
        let weights = counts.iter().any(|w| *w != 1.0).then_some(&counts[..]);
        Ok((grow(&values, &equal, weights, &settings, watch)?, signs.len()))
    }
}

/// h of all pairs, [`TOGETHER`] pairs at a time, so that each tree is fetched once for many of them; `None` after a stop.
fn similarities(bank: &Bank, forest: &Forest, watch: &Watch) -> Result<Option<Gram>> {
    let n = bank.n();
    let height = (TOGETHER / n).max(1);
    let blocks: Vec<usize> = (0..n).step_by(height).collect();
    let block = |first: usize| -> Result<Option<Vec<f64>>> {
        if watch.stop().is_some() {
            return Ok(None);
        }
        let rows = first..n.min(first + height);
        let pairs: Vec<(u32, u32)> =
            rows.flat_map(|i| (0..=i).map(move |j| (i as u32, j as u32))).collect();
        let mut examples = Matrix::zeros(pairs.len(), bank.len());
        bank.pairs(&pairs, examples.values_mut());
        forest.values(&examples).map(Some)
    };
    let parts: Result<Option<Vec<Vec<f64>>>> = blocks
        .into_par_iter()
        .map(|first| block(first).transpose())
        .collect::<Option<Result<_>>>()
        .transpose();
    let Some(parts) = parts? else { return Ok(None) };
    let (mut values, mut all) = (Matrix::zeros(n, n), parts.into_iter().flatten());
    for i in 0..n {
        for j in 0..=i {
            let v = all.next().unwrap_or(0.0);
            values.set(i, j, v);
            values.set(j, i, v);
        }
    }
    Gram::new(values).map(Some)
}

impl Learner for ForestTwoStage {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        if let Some(space) = problem.space {
            return towards::learn(self, problem, space, run);
        }
        let (watch, n) = (run.watch(), problem.bank.n());
        if problem.pairs.is_some() && matches!(problem.target, Target::Nothing(_)) {
            return self.similarity(problem, run, &watch);
        }
        let classes = problem.target.classes()?;
        let draws = choose(self.landmarks, self.draws, classes, run);
        let pairs = match (self.all, problem.pairs) {
            (true, _) => None,
            (false, None) => Some(landmarks::pairs(&draws, classes, self.examples, run, &watch)?),
            (false, Some(_)) => {
                let text = "landmarks: the pairs are given; give none, or learn_from=all";
                return Err(Error::parameter("learn_from", text));
            }
        };
        let given = pairs.as_ref().map(|pairs| GivenPairs { bank: problem.bank, pairs });
        let source = Problem { pairs: given.or(problem.pairs), ..*problem };
        let sampler = Sampler::new(&source, self.diagonal, true, run)?;
        run.tell(Event::Begin { stage: "forest of pairs", total: None });
        let (forest, examples) = self.forest(&sampler, run, &watch)?;
        run.tell(Event::End);
        run.tell(Event::Begin { stage: "landmarks", total: Some(draws.len() as u64) });
        let mut counts = Counts { combines: 1, ..Counts::default() };
        let (mut solutions, mut partly) = (Vec::new(), None);
        {
            let all = draws.iter().flatten();
            let mut known = vec![false; n];
            all.for_each(|t| known[*t] = true);
            let many = 2 * known.iter().filter(|k| **k).count() > n;
            let stored = match many && fits(problem.bank, 2, run) {
                true => similarities(problem.bank, &forest, &watch)?,
                false => None,
            };
            let similarity: Box<dyn Rows> = match stored {
                Some(gram) => Box::new(gram),
                None => problem.bank.mixed_rows(&forest, None),
            };
            for (d, landmarks) in draws.iter().enumerate() {
                // Something is learned in any case.
                if d > 0 && watch.stop().is_some() {
                    break;
                }
                let features = Features::new(similarity.as_ref(), landmarks, &watch)?;
                if features.len() < landmarks.len() {
                    if d > 0 {
                        break;
                    }
                    partly = Some(features.len());
                }
                // The machine on a few landmarks is quick, and without it there is nothing.
                let limit = run.time_limit.filter(|_| partly.is_none());
                let own = Run { time_limit: limit, ..run.clone() };
                let solved = features.solve(problem, &own, &watch)?;
                counts.add(&solved.counts);
                solutions.push(solved);
                run.tell(Event::Step { done: d as u64 + 1, message: "" });
            }
        }
        run.tell(Event::End);
        let learned = solutions.len();
        let machines = together(solutions, counts);
        let mut notes: Vec<String> = machines.remark().into_iter().collect();
        notes.extend(self.remarks(&forest));
        if let Some(some) = partly {
            notes.push(format!("stopped after {some} of {} landmarks", draws[0].len()));
        }
        if learned < draws.len() {
            notes.push(format!("stopped after {learned} of {} draws of landmarks", draws.len()));
        }
        let cut = forest.trees() < self.settings.trees || learned < draws.len();
        let mut report = Report {
            status: watch.stop().filter(|_| cut).unwrap_or(machines.status()),
            objective: vec![machines.primal()],
            gap: Some(machines.gap()),
            counts,
            seconds: watch.seconds(),
            notes,
            ..Report::closed_form(run)
        };
        let details = [
            ("landmarks", draws.iter().map(|d| partly.unwrap_or(d.len()) as f64).collect()),
            ("nodes", vec![forest.nodes() as f64]),
            ("pairs", vec![examples as f64]),
        ];
        report.details = details.into_iter().map(|(name, v)| (name.to_string(), v)).collect();
        let rule = Combination::new(forest);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    /// A forest asks which value is larger.
    fn degree(&self, _: usize) -> f64 {
        0.0
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    /// They are trained on products of similarities to landmarks.
    fn trains_on_rule(&self) -> bool {
        false
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn scales(&self) -> bool {
        true
    }

    /// Decision values that compare an instance with itself have no coefficients.
    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.own_similarity() == 0.0 && !machine.uses_unlabelled()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
