//! Max-margin clustering with several kernels: the clusters that regression on the best average of the kernels tells most
//! clearly.
//!
//! ```text
//! min_{η, y, f}  Σ_c [ ½‖f_c‖²_η + C Σ_i |y_ic − f_c(x_i)| ]     η ≥ 0, Σ η = 1,  y_ic = 1 for the cluster of i, else −1,
//!                                                               no cluster with less than a part `balance` of n/k
//! ```
//!
//! (Xu, Neufeld, Larson and Schuurmans 2005; with several kernels Zhao, Kwok and Zhang 2009; LMKA §2.2; the loss of a
//! support vector regression and steps in turn as in Zhang, Tsang and Kwok, *Maximum margin clustering made practical*, IEEE
//! TNN 20, 2009, since the hinge loss does not let go of the labels that it was given.) ‖f‖_η is the norm of the kernel
//! Σ η_m K_m; two clusters have one function.
//!
//! | symbol | name |
//! |---|---|
//! | y | `labels` |
//! | η | in the report `weights` |
//! | C over the mean diagonal entry of the kernels | parameter `c` |
//!
//! **Method.** Given y, η and f are those of [SimpleMKL](crate::mkl) with one support vector regression (ε = 0) for each c.
//! Given f, each instance goes to the cluster with the least loss; clusters that are too small get those that cost least.
//! Labels that would not lower the loss end the search, so the objective, with labels and weights, never rises. It is not
//! convex: it starts from the clusters of `starts` runs of k-means on the leading eigenvectors of the mean kernel (centred), and
//! the best end is kept. Without the bound on sizes one cluster of all instances would have no loss at all.
//!
//! **Deviations.** The sources have a semidefinite program, or cutting planes, and two clusters, with |Σ y| bounded.
//!
//! The embedding says which cluster an instance is in (a column for each), so that k-means gives these clusters. No new rows.
//!
//! Cost: SimpleMKL with k regressions for each change of the labels, some five for each start.

use super::centred::Centred;
use super::kmeans::{Starts, check_clusters, kmeans};
use super::work::Work;
use super::{Embedder, Embedding, Problem, laplacian};
use crate::bank::Bank;
use crate::catalogue::find;
use crate::data::{Matrix, Target};
use crate::machine::{How, Machine, MachineSpec, Reading, Solution};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::mkl::{self, Learned, Learner};
use crate::params::{Param, Params, Range, Value};
use crate::run::Pass;
use crate::solve::Rows;
use crate::{Counts, Event, Report, Result, Run, Status};

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(MaxMargin::new(p)) };

static METHOD: Method = Method {
    id: "max_margin",
    title: "max-margin clustering with several kernels",
    source: "Xu and others 2005; Zhao, Kwok, Zhang 2009; Gönen 2010, §2.2",
    summary: "Clusters that support vector regressions (C for each unit of error) on the best average of the kernels tell most \
              clearly, by machine and labels in turn from several starts. The objective never rises; it may end in a local minimum. Any positive \
              semi-definite kernels. Some twenty runs of SimpleMKL, which take longer the larger C is.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::Trace,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "c",
            doc: "Cost C of an error, for kernels over their mean diagonal entry.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: false },
        },
        Param {
            name: "balance",
            doc: "The least size of a cluster, as a part of n/k.",
            range: Range::Real { default: 0.5, min: 0.0, max: 1.0, closed: false },
        },
        Param {
            name: "starts",
            doc: "Clusterings by k-means from which it starts.",
            range: Range::Int { default: 5, min: 1, max: 10_000 },
        },
        Param {
            name: "max_iterations",
            doc: "Most changes of the labels from each start.",
            range: Range::Int { default: 50, min: 1, max: 1_000_000 },
        },
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct MaxMargin {
    c: f64,
    balance: f64,
    starts: usize,
    max_iterations: usize,
}

impl MaxMargin {
    fn new(p: &Params) -> Self {
        MaxMargin {
            c: p.real("c"),
            balance: p.real("balance"),
            starts: p.count("starts"),
            max_iterations: p.count("max_iterations"),
        }
    }
}

/// A regression for each column of the labels, on one kernel.
#[derive(Debug)]
struct Columns {
    machine: Box<dyn Machine>,
    targets: Vec<Target>,
}

impl Machine for Columns {
    fn solve(&self, kernel: &dyn Rows, _: &Target, how: &How<'_>) -> Result<Solution> {
        let mut all = Solution { blocks: Vec::new(), counts: Counts::default() };
        let watch = how.run.watch();
        for (t, target) in self.targets.iter().enumerate() {
            let one = |w: &Solution| Solution {
                blocks: vec![w.blocks[t].clone()],
                counts: Counts::default(),
            };
            let (warm, run) = (how.warm.map(one), how.run.remaining(&watch));
            let how = How { warm: warm.as_ref(), run: &run, ..*how };
            let found = self.machine.solve(kernel, target, &how)?;
            all.counts.add(&found.counts);
            all.blocks.extend(found.blocks);
        }
        Ok(all)
    }

    fn tol(&self) -> f64 {
        self.machine.tol()
    }

    fn reading(&self) -> Reading {
        Reading::Number
    }
}

/// Labels with what was learned from them.
struct Point {
    labels: Vec<usize>,
    weights: Vec<f64>,
    /// f, n × columns.
    values: Matrix,
    objective: f64,
    trace: Vec<f64>,
    status: Status,
}

/// The target of column t: two clusters have one.
fn target(labels: &[usize], t: usize) -> Vec<f64> {
    labels.iter().map(|c| if *c == t { 1.0 } else { -1.0 }).collect()
}

/// What it costs more to say that instance i is in cluster c than that it is in none.
fn cost(values: &Matrix, i: usize, c: usize) -> f64 {
    // One function tells both clusters.
    let value = if values.cols() == 1 && c == 1 { -values.get(i, 0) } else { values.get(i, c) };
    (1.0 - value).abs() - (1.0 + value).abs()
}

/// The labels of least loss, or nearly, with clusters of at least this size.
fn relabelled(values: &Matrix, k: usize, least: usize) -> Vec<usize> {
    let n = values.rows();
    let best = |i: usize| (0..k).min_by(|a, b| cost(values, i, *a).total_cmp(&cost(values, i, *b)));
    let mut labels: Vec<usize> = (0..n).map(|i| best(i).unwrap_or(0)).collect();
    let mut sizes = vec![0; k];
    labels.iter().for_each(|c| sizes[*c] += 1);
    for c in 0..k {
        if sizes[c] >= least {
            continue;
        }
        let more = |i: usize| cost(values, i, c) - cost(values, i, labels[i]);
        let mut order: Vec<(f64, usize)> =
            (0..n).filter(|i| labels[*i] != c).map(|i| (more(i), i)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, i) in order {
            if sizes[c] >= least {
                break;
            }
            if sizes[labels[i]] > least {
                sizes[labels[i]] -= 1;
                sizes[c] += 1;
                labels[i] = c;
            }
        }
    }
    labels
}

/// Σ_i of what the labels cost.
fn loss(values: &Matrix, labels: &[usize]) -> f64 {
    labels.iter().enumerate().map(|(i, c)| cost(values, i, *c)).sum()
}

impl MaxMargin {
    /// η and f for these labels; `None` after a stop.
    fn fit(
        &self,
        bank: &Bank,
        learner: &dyn Learner,
        labels: &[usize],
        (k, c): (usize, f64),
        work: &mut Work<'_>,
    ) -> Result<Option<Point>> {
        let mut spec = MachineSpec::new("svr")?;
        spec.set("c", c);
        spec.set("epsilon", 0.0);
        let columns = if k == 2 { 1 } else { k };
        let targets: Vec<Target> = (0..columns).map(|t| Target::Real(target(labels, t))).collect();
        let first = targets[0].clone();
        let machine = Columns { machine: spec.checked()?.build()?, targets };
        let problem = mkl::Problem::new(bank, &first, &machine);
        let run = work.run.remaining(&work.watch).quiet();
        let Learned { rule, machines, report, .. } = learner.learn(&problem, &run)?;
        work.counts.add(&report.counts);
        let (Some(weights), Some(machines)) = (rule.weights(), machines) else { return Ok(None) };
        let coefs = machines.coefs();
        let block = Matrix::from_fn(bank.n(), columns, |i, t| coefs[t][i]);
        let pass = Pass::under(&work.watch);
        let mut values = bank.apply_combined_in(weights, &block, &pass);
        if pass.is_given_up() {
            return Ok(None);
        }
        for (t, head) in machines.heads().enumerate() {
            (0..bank.n()).for_each(|i| values.set(i, t, values.get(i, t) + head.bias));
        }
        let objective = machines.primal();
        Ok(Some(Point {
            labels: labels.to_vec(),
            weights: weights.to_vec(),
            values,
            objective,
            trace: vec![objective],
            status: Status::IterationLimit,
        }))
    }

    /// Labels and machines in turn from these labels.
    fn descend(
        &self,
        bank: &Bank,
        learner: &dyn Learner,
        labels: &[usize],
        (k, c): (usize, f64),
        work: &mut Work<'_>,
    ) -> Result<Option<Point>> {
        let least = ((self.balance * bank.n() as f64 / k as f64).floor() as usize).max(1);
        let Some(mut point) = self.fit(bank, learner, labels, (k, c), work)? else {
            return Ok(None);
        };
        for _ in 0..self.max_iterations {
            let labels = relabelled(&point.values, k, least);
            let lower = loss(&point.values, &labels) < loss(&point.values, &point.labels);
            if !lower {
                point.status = Status::Converged;
                break;
            }
            if let Some(stop) = work.watch.stop() {
                point.status = stop;
                break;
            }
            let Some(next) = self.fit(bank, learner, &labels, (k, c), work)? else {
                point.status = work.watch.stop().unwrap_or(Status::Stalled);
                break;
            };
            if next.objective >= point.objective {
                // What is left is the tolerance of the weights.
                point.status = Status::Converged;
                break;
            }
            let mut trace = std::mem::take(&mut point.trace);
            trace.push(next.objective);
            point = Point { trace, ..next };
        }
        Ok(Some(point))
    }

    /// Clusters of k-means on the eigenvectors of the mean kernel, each once, at least one.
    fn first(&self, bank: &Bank, k: usize, work: &mut Work<'_>) -> Result<Vec<Vec<usize>>> {
        let mut kernels = Centred::new(bank, true, work)?;
        let even = kernels.even();
        kernels.combine(&even, work)?;
        let pairs = kernels.top(k, None, &laplacian::precise(), work)?;
        work.watch.complete(laplacian::EMBEDDING)?;
        let rows = laplacian::unit_rows(&laplacian::determined(bank, pairs).vectors).0;
        let found = kmeans(&rows, k, &Starts::published(self.starts), work.run, &work.watch)?;
        let mut all: Vec<Vec<usize>> = Vec::new();
        let least = ((self.balance * bank.n() as f64 / k as f64).floor() as usize).max(1);
        for labels in std::iter::once(&found.assignments).chain(&found.all) {
            let start: Vec<usize> = labels.iter().map(|c| *c as usize).collect();
            // Sizes that the clusters may have.
            let near = Matrix::from_fn(bank.n(), k, |i, c| if start[i] == c { 1.0 } else { -1.0 });
            let start = relabelled(&near, k, least);
            if !all.contains(&start) {
                all.push(start);
            }
        }
        all.truncate(self.starts);
        Ok(all)
    }
}

impl Embedder for MaxMargin {
    fn places_new_rows(&self) -> bool {
        false
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        check_clusters(k, bank.n())?;
        let mut work = Work::new(bank, run);
        run.tell(Event::Begin { stage: METHOD.title, total: Some(self.starts as u64) });
        let method = find("simple_mkl")?;
        let learner = mkl::learner(method, &method.check([("tol", &Value::Real(1e-4))])?)?;
        let means: Vec<f64> = bank.mean_diagonals().into_iter().filter(|d| *d > 0.0).collect();
        let unit = means.iter().sum::<f64>() / means.len().max(1) as f64;
        let c = if unit > 0.0 { self.c / unit } else { self.c };
        let starts = self.first(bank, k, &mut work)?;
        let (mut best, mut ends): (Option<Point>, Vec<f64>) = (None, Vec::new());
        for (s, labels) in starts.iter().enumerate() {
            if best.is_some() && work.watch.stop().is_some() {
                break;
            }
            let found = self.descend(bank, learner.as_ref(), labels, (k, c), &mut work)?;
            let Some(point) = found else { break };
            ends.push(point.objective);
            let message = format!("objective {:.6e}", point.objective);
            run.tell(Event::Step { done: s as u64 + 1, message: &message });
            if best.as_ref().is_none_or(|b| point.objective < b.objective) {
                best = Some(point);
            }
        }
        run.tell(Event::End);
        let stopped = work.watch.stop();
        let (labels, weights, trace, status) = match best {
            Some(best) => (best.labels, best.weights, best.trace, best.status),
            None => {
                let said = "ended before it had learned anything: the clusters are those of k-means on the mean of the kernels, \
                            from which it starts";
                work.notes.push(said.to_string());
                let even = vec![1.0 / bank.len() as f64; bank.len()];
                (starts[0].clone(), even, Vec::new(), Status::Stalled)
            }
        };
        let rows = Matrix::from_fn(bank.n(), k, |i, c| f64::from(u8::from(labels[i] == c)));
        let own = work.report();
        let mut report = Report {
            status: stopped.unwrap_or(status),
            iterations: trace.len(),
            objective: trace,
            ..own
        };
        report.details.insert("weights".to_string(), weights);
        report.details.insert("objectives_of_starts".to_string(), ends);
        Ok(Embedding {
            rows,
            gaps: Vec::new(),
            eigenvalues: Vec::new(),
            eigenvectors: Vec::new(),
            agreement: Vec::new(),
            extension: None,
            report,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Beside all labellings of a few instances: the best of those with clusters that are large enough, for two clusters.
    #[test]
    fn labels_are_the_best_that_sizes_allow() {
        let mut rng = Run::with_seed(3).rng("max-margin tests");
        for case in 0..200 {
            let (n, least) = (9, 1 + case % 4);
            let values = Matrix::from_fn(n, 1, |_, _| 3.0 * rng.random::<f64>() - 1.0);
            let found = relabelled(&values, 2, least);
            let mut best = f64::INFINITY;
            for code in 0..1_usize << n {
                let labels: Vec<usize> = (0..n).map(|i| code >> i & 1).collect();
                let ones = labels.iter().sum::<usize>();
                if ones >= least && n - ones >= least {
                    best = best.min(loss(&values, &labels));
                }
            }
            let ones = found.iter().sum::<usize>();
            assert!(ones >= least && n - ones >= least);
            assert!((loss(&values, &found) - best).abs() < 1e-12, "{case}");
        }
        // More clusters: sizes hold.
        let values = Matrix::from_fn(30, 4, |i, c| if c == 0 { 1.0 } else { -1.0 - i as f64 });
        let found = relabelled(&values, 4, 5);
        assert!((0..4).all(|c| found.iter().filter(|l| **l == c).count() >= 5));
    }
}
