//! Data-dependent weights: each kernel weighs as much near x as it tells classes apart there.
//!
//! ```text
//! k_η(x, z) = Σ_m η_m(x, z) k_m(x, z),      η_m(x, z) = √(η_m(x) η_m(z))
//! η_m(x) ∝ Σ_{l ∈ N(x)} s_lm,               s_lm = max(0, (P_m(y_l | l) − p(y_l)) / (1 − p(y_l)))
//! ```
//!
//! (Moguerza, Muñoz and de Diego 2004; LMKA §2.2.2; C3.) The source combines kernels by matrices of weights made of class
//! conditional probabilities and nearest neighbours, and leaves the heuristic open; LMKA gives the form alone. Here
//!
//! | symbol | what it is |
//! |---|---|
//! | P_m(y_l \| l) | the share of the class of instance l among its ν nearest others in the feature space of kernel m, k_ll + k_jj − 2 k_lj |
//! | p(y) | the share of class y in training: what neighbours drawn blindly would say; 0 with `threshold=zero` |
//! | N(x) | the ν training instances that are nearest in the features that the weights look at (`gate_views`) |
//!
//! An instance is not its own neighbour in P, but may be in N: the same function gives the weights of training and new
//! instances. Where no kernel says more than chance all weigh alike. With the same weights everywhere the kernel is Σ_m
//! η_m k_m, and positive semi-definite kernels give one that is so.
//!
//! [`localized_mkl`](super::localized_mkl) learns such weights together with the machine, at the cost of many machines.
//!
//! **Instances** with weight 0 take no part: they are no neighbours.
//!
//! **Scale.** All kernels times s: as C. One kernel: its neighbours stay, its values count more, so normalise. Two copies
//! have the same weights, and more together than the one had. Cost: n²M reads, n² D multiplications, one machine; the
//! model keeps the features of all training instances that the weights look at.

use super::gate_views::{self, GATE_DIMENSIONS, GATE_SCALE, GATE_VIEWS, GateViews};
use super::measures::passed;
use super::{Copies, Learned, Learner, Problem};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Combination, Neighbours, Rule};
use crate::run::Pass;
use crate::{Error, Report, Result, Run};
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(NeighbourWeights::new(p)) };

static METHOD: Method = Method {
    id: "neighbour_weights",
    title: "data-dependent weights",
    source: "Moguerza, Muñoz, de Diego 2004; Gönen 2010, §2.2.2",
    summary: "Weights of kernels that depend on the instance: near it, a kernel weighs as much as its nearest neighbours \
              there have the same class. A heuristic of one machine; localized_mkl learns such weights.",
    tasks: &[Task::Classify],
    group: Group::Heuristics,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "neighbours",
            doc: "How many nearest instances are looked at, of a kernel and of the features.",
            range: Range::Int { default: 10, min: 1, max: 1_000_000 },
        },
        Param {
            name: "threshold",
            doc: "What is taken off the share of neighbours with the same class: chance, the share of that class in \
                  training, so that a kernel that tells nothing has no weight; or zero.",
            range: Range::Choice { default: "chance", of: &["chance", "zero"] },
        },
        GATE_VIEWS,
        GATE_DIMENSIONS,
        GATE_SCALE,
    ],
};

#[derive(Debug)]
struct NeighbourWeights {
    neighbours: usize,
    chance: bool,
    gate_views: GateViews,
}

impl NeighbourWeights {
    fn new(p: &Params) -> Self {
        NeighbourWeights {
            neighbours: p.count("neighbours"),
            chance: p.text("threshold") == "chance",
            gate_views: GateViews::new(p),
        }
    }

    /// s of the instances in `rows`, and ν: instances × kernels. Not complete if the pass is given up.
    fn goodness(&self, problem: &Problem<'_>, rows: &[usize], pass: &Pass<'_>) -> Result<Matrix> {
        let (bank, codes) = (problem.bank, &problem.target.classes()?.codes);
        let kernels = bank.len();
        let nearest = self.neighbours.min(rows.len() - 1);
        let diagonals: Vec<_> = (0..kernels).map(|m| bank.diagonal(m)).collect();
        let mut shares = vec![0.0; codes.iter().max().map_or(0, |c| *c as usize + 1)];
        rows.iter().for_each(|j| shares[codes[*j] as usize] += 1.0);
        shares.iter_mut().for_each(|s| *s /= rows.len() as f64);
        let columns: Vec<u32> = rows.iter().map(|i| *i as u32).collect();
        let mut out = Matrix::zeros(rows.len(), kernels);
        let lines = out.values_mut().par_chunks_mut(kernels).enumerate();
        lines.for_each_init(
            || vec![0.0; rows.len()],
            |values, (own, out)| {
                let i = rows[own];
                let floor = if self.chance { shares[codes[i] as usize] } else { 0.0 };
                for (m, out) in out.iter_mut().enumerate() {
                    if pass.is_over() {
                        return;
                    }
                    bank.entries(m, i, &columns, values);
                    // Of k_ii + k_jj − 2 k_ij the first is the same for all.
                    let mut order = Vec::with_capacity(rows.len());
                    for (a, j) in rows.iter().enumerate() {
                        if a != own {
                            order.push((diagonals[m][*j] - 2.0 * values[a], a));
                        }
                    }
                    order.select_nth_unstable_by(nearest - 1, |a, b| {
                        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
                    });
                    let same = order[..nearest].iter().filter(|o| codes[rows[o.1]] == codes[i]);
                    let found = same.count() as f64 / nearest as f64;
                    *out = ((found - floor) / (1.0 - floor)).max(0.0);
                }
            },
        );
        Ok(out)
    }
}

impl Learner for NeighbourWeights {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let views = gate_views::views_of(problem, METHOD.id)?;
        problem.target.classes()?;
        let (bank, watch) = (problem.bank, run.watch());
        let takes_part = |i: &usize| problem.weights.is_none_or(|w| w[*i] > 0.0);
        let rows: Vec<usize> = (0..bank.n()).filter(takes_part).collect();
        if rows.len() < 2 {
            let text =
                format!("{} instances, one of which has no neighbour; give more", rows.len());
            return Err(Error::Data(text));
        }
        let mut report = Report::closed_form(run);
        let seen = self.gate_views.seen(views)?;
        seen.tell(&mut report);
        let pass = Pass::under(&watch);
        let goodness = self.goodness(problem, &rows, &pass)?;
        if let Some(stopped) = passed(bank.len(), &report, &watch) {
            return Ok(stopped);
        }
        let nearest = self.neighbours.min(rows.len() - 1);
        if nearest < self.neighbours {
            report.notes.push(format!(
                "neighbours is {}, and each of the {} instances has {nearest} others: all are looked at",
                self.neighbours,
                rows.len()
            ));
        }
        let mean =
            |m: usize| (0..rows.len()).map(|a| goodness.get(a, m)).sum::<f64>() / rows.len() as f64;
        let means: Vec<f64> = (0..bank.len()).map(mean).collect();
        if means.iter().all(|m| *m == 0.0) {
            report.notes.push(
                "no kernel has neighbours of the same class more often than chance: all weigh alike everywhere"
                    .to_string(),
            );
        }
        report.details.insert("goodness".to_string(), means);
        let features = seen.features.select_rows(&rows);
        let rule = Neighbours::new(seen.input, features, goodness, nearest)?;
        report.details.insert("mean_weights".to_string(), rule.uses());
        report.seconds = watch.seconds();
        Ok(Learned::of(Combination::new(rule), report))
    }

    fn looks_at_features(&self) -> bool {
        true
    }

    fn looks_at(&self) -> Vec<String> {
        self.gate_views.named()
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    /// Neighbours are counted, whatever their weight.
    fn weights_repeat(&self) -> bool {
        false
    }
}
