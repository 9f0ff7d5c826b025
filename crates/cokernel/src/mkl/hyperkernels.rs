//! Hyperkernels: a kernel that is learned as a function of the given kernels, from a space of such functions.
//!
//! ```text
//! min_β  J(K_β) + λ_Q/2 βᵀQβ,      β ≥ 0,  Σ_p β_p = 1
//! K_β(x, z) = Σ_p β_p q_p(x, z),   q_p(x, z) = Π_m (1 − λ)/(1 − λ v_pm k_m(x, z)),   Q_pr = q_p(r)
//! ```
//!
//! (Ong, Smola and Williamson, JMLR 6, 2005; as a cone program Tsang and Kwok, IEEE TNN 17, 2006; LMKA §2.2.1.3; D11.) p runs over the pairs
//! of training instances (i ≤ j), v_pm = k_m(x_i, x_j): by their representer theorem no other functions are needed. q is the
//! harmonic hyperkernel, with one factor for each kernel. J is that of the [machine](crate::machine), βᵀQβ the square of the
//! norm of K_β in the space of kernels. Where all v_pm are near 1, q_p is a steep function of the kernels, where they are near 0 a
//! flat one; a kernel with v_pm = 0 in all terms is left out.
//!
//! | symbol | name |
//! |---|---|
//! | λ, λ_Q | `decay`, `penalty` |
//! | β, v | of the rule [`Hyperkernel`](crate::rule::Hyperkernel); Σ_p β_p v_pm is what it says of kernel m |
//! | Ω(β) = λ_Q/2 βᵀQβ | [`Quadratic`] |
//!
//! **Method.** A list of pairs, which starts with those of the largest, the middle and the smallest values; on it the
//! [loop](super::outer) of all one-stage methods. (Qβ)_p is K_β at the pair p, so the gain z_p − λ_Q K_β(p), with
//! z_p = ½ Σ_u c_uᵀ(q_p)c_u, is had for all pairs at the price of the z_p. Those with the largest gains that are not nearly the same
//! join, those without a weight leave.
//!
//! **Certificate.** The gap is that over all pairs: Ω is above its tangent at β, so
//! min (J + Ω) ≥ ℓ(c) − Ω(β) − max_p (z_p − λ_Q K_β(p)), for any β: that of the list which is best for these z is taken.
//!
//! **Deviations.** The sources solve one cone or semidefinite program with n² unknowns; the problem is the same. A term is positive
//! semi-definite only if no v_pm is negative, so pairs with negative values take no part. Kernel values have to be at most 1:
//! normalise to unit diagonal. New values above 1 count as 1. Diagonals below 1 are allowed, and told.
//!
//! **Scale.** Not invariant, since kernels have to be normalised. Cost of a round: z of n²/2 pairs, each a sum over the pairs of
//! support vectors with a division for each kernel; so at most 300 instances.

use super::outer::{Outer, Set, settled};
use super::sets::quadratic::Quadratic;
use super::{Copies, Learned, Learner, Problem, check, fits};
use crate::bank::{Bank, Storage};
use crate::data::Matrix;
use crate::machine::Solution;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Hyperkernel, Weighted, harmonic};
use crate::run::Pass;
use crate::{Counts, Error, Event, Report, Result, Run, Status, Watch};
use cokernel_dense::simd;
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Hyperkernels::new(p)) };

static METHOD: Method = Method {
    id: "hyperkernels",
    title: "hyperkernels",
    source: "Ong, Smola, Williamson 2005; Tsang, Kwok 2006; Gönen 2010, §2.2.1.3",
    summary: "Learns a function of the given kernels, which have to have unit diagonal: sums of products of their powers that \
              the machine finds best, with a penalty on functions that bend. For at most 300 instances.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "decay",
            doc: "λ: how much high powers of the kernels count.",
            range: Range::Real { default: 0.6, min: 1e-6, max: 0.999, closed: true },
        },
        Param {
            name: "penalty",
            doc: "λ_Q: the price of half the square of the norm of the learned kernel; 0 for none.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: true },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap over all pairs to stop at.",
            range: Range::Real { default: 1e-3, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_rounds",
            doc: "Limit on rounds, each of which adds some pairs.",
            range: Range::Int { default: 100, min: 1, max: 100_000 },
        },
    ],
};

/// Most instances.
const LARGEST: usize = 300;

/// Pairs that join in a round, and the cosine of two functions above which they count as the same.
const JOIN: usize = 10;
const SAME: f64 = 0.9999;

/// Terms of z that are computed together.
const PART: usize = 1024;

#[derive(Debug)]
struct Hyperkernels {
    decay: f64,
    penalty: f64,
    tol: f64,
    rounds: usize,
}

/// The values of the kernels at all pairs (i ≤ j, row by row), and which pairs can have a weight.
struct Values {
    n: usize,
    kernels: usize,
    /// One line of `kernels` numbers for each pair.
    lines: Vec<f64>,
    able: Vec<usize>,
    /// What is said of diagonals below 1.
    note: Option<String>,
}

impl Values {
    fn line(&self, pair: usize) -> &[f64] {
        &self.lines[pair * self.kernels..(pair + 1) * self.kernels]
    }

    /// q_p at another pair.
    fn at(&self, decay: f64, p: usize, r: usize) -> f64 {
        let both = self.line(p).iter().zip(self.line(r));
        both.map(|(v, k)| harmonic(decay, *v, *k)).product()
    }

    /// The n × n matrix of numbers of pairs.
    fn matrix(&self, of: impl Fn(usize) -> f64 + Sync) -> Matrix {
        let n = self.n;
        let mut out = Matrix::zeros(n, n);
        let mut pair = 0;
        for i in 0..n {
            for j in i..n {
                let value = of(pair);
                out.set(i, j, value);
                out.set(j, i, value);
                pair += 1;
            }
        }
        out
    }
}

/// The list of pairs with their weights, and what was learned on it.
struct Fitted {
    pairs: Vec<usize>,
    weights: Vec<f64>,
    machines: Solution,
    counts: Counts,
    status: Status,
    trace: Vec<f64>,
    notes: Vec<String>,
}

impl Learner for Hyperkernels {
    fn needs_unit_diagonals(&self) -> bool {
        true
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let target = settled(problem, run, &watch)?;
        let problem = &Problem { target: target.as_ref().unwrap_or(problem.target), ..*problem };
        let values = values(problem.bank, problem.weights)?;
        let mut list = self.first(&values);
        let mut given: Vec<f64> = vec![1.0 / list.len() as f64; list.len()];
        let mut warm: Option<Solution> = None;
        let mut counts = Counts::default();
        let (mut objective, mut gaps): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut best: Option<(f64, Fitted)> = None;
        let (mut bound, mut inner) = (f64::NEG_INFINITY, 0.3 * self.tol);
        run.tell(Event::Begin { stage: METHOD.title, total: None });
        let status = loop {
            let fitted =
                self.fit(problem, &values, (&list, given), warm.take(), inner, run, &watch)?;
            counts.add(&fitted.counts);
            if objective.is_empty() {
                objective.extend(fitted.trace.iter().rev().skip(1).rev());
            }
            let set = Quadratic { form: self.form(&values, &fitted.pairs) };
            let value = fitted.machines.primal() + set.penalty(&fitted.weights);
            let bounded = self.gains(&values, &fitted, &set, &watch);
            let better = best.as_ref().is_none_or(|b| value < b.0);
            if better {
                best = Some((value, fitted));
            }
            let Some((least, now)) = &best else { break Status::Stalled };
            objective.push(*least);
            let Some((below, gains)) = bounded else {
                gaps.push(gaps.last().copied().unwrap_or(1.0));
                break watch.stop().unwrap_or(Status::Stalled);
            };
            bound = bound.max(below);
            let gap = ((least - bound) / least.abs().max(f64::MIN_POSITIVE)).max(0.0);
            gaps.push(gap);
            let message = format!("gap {gap:.1e}, {} pairs", now.pairs.len());
            run.tell(Event::Step { done: gaps.len() as u64, message: &message });
            if gap <= self.tol {
                break Status::Converged;
            }
            if let Some(stop) = watch.stop() {
                break stop;
            }
            if gaps.len() > self.rounds {
                break Status::IterationLimit;
            }
            let stalled = now.status == Status::Stalled;
            (list, given) = (now.pairs.clone(), now.weights.clone());
            warm = Some(now.machines.clone());
            let new = self.joining(&values, &gains, &list);
            if new.is_empty() || !better {
                // What is left is the gap of the list itself.
                if inner < 1e-3 * self.tol || stalled {
                    break Status::Stalled;
                }
                inner *= 0.1;
            }
            given.extend(new.iter().map(|_| 0.0));
            list.extend(new);
        };
        run.tell(Event::End);
        let Some((_, best)) = best else {
            return Err(Error::Data("hyperkernels: nothing was found".to_string()));
        };
        let mut report = Report { status, counts, ..Report::closed_form(run) };
        report.notes.extend(values.note.clone());
        report.iterations = objective.len() - 1;
        (report.objective, report.gap) = (objective, gaps.last().copied());
        report.details.insert("gaps_of_rounds".to_string(), gaps);
        report.details.insert("weights".to_string(), best.weights.clone());
        if !status.is_success() {
            report.notes.extend(best.notes);
            report.notes.push(format!(
                "hyperkernels ended before their tolerance ({status}) at relative gap {:.1e}",
                report.gap.unwrap_or(f64::NAN)
            ));
        }
        report.seconds = watch.seconds();
        let lines: Vec<f64> = best.pairs.iter().flat_map(|p| values.line(*p)).copied().collect();
        let rule = Hyperkernel::rule(values.kernels, self.decay, &best.weights, &lines);
        Ok(Learned { machines: Some(best.machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// The values of the kernels of a bank that hyperkernels can be made of. Instances without a weight make no pairs.
fn values(bank: &Bank, weights: Option<&[f64]>) -> Result<Values> {
    let (n, kernels) = (bank.n(), bank.len());
    if n > LARGEST {
        return Err(Error::Data(format!(
            "hyperkernels are for at most {LARGEST} training instances, found {n}: their terms are the pairs of instances; \
             infinite_mkl and simple_mkl have no such limit"
        )));
    }
    let mut lines = vec![0.0; n * (n + 1) / 2 * kernels];
    let mut low = Vec::new();
    for m in 0..kernels {
        let mut alone = vec![0.0; kernels];
        alone[m] = 1.0;
        // Without it there is nothing: it is not given up.
        let matrix = bank.combine_in(&alone, &Pass::default())?.into_matrix()?;
        let largest = (0..n).map(|i| matrix.get(i, i)).fold(0.0, f64::max);
        if largest > 1.0 + 1e-9 {
            return Err(Error::Data(format!(
                "hyperkernels need kernels with unit diagonal (normalize=unit_diagonal): kernel '{}' has the value {largest} there",
                bank.kernels()[m].name
            )));
        }
        if (0..n).any(|i| matrix.get(i, i) < 1.0 - 1e-9) {
            low.push(format!("'{}'", bank.kernels()[m].name));
        }
        let upper = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
        for ((i, j), line) in upper.zip(lines.chunks_mut(kernels)) {
            line[m] = matrix.get(i, j).clamp(-1.0, 1.0);
        }
    }
    let counts = |i: usize| weights.is_none_or(|w| w[i] > 0.0);
    let mut able: Vec<usize> = (0..n)
        .flat_map(|i| (i..n).map(move |j| (i, j)))
        .enumerate()
        .filter(|(p, (i, j))| {
            let line = &lines[p * kernels..(p + 1) * kernels];
            counts(*i) && counts(*j) && line.iter().all(|v| *v >= 0.0)
        })
        .map(|(p, _)| p)
        .collect();
    // Pairs with equal values are one term.
    let line = |p: &usize| &lines[p * kernels..(p + 1) * kernels];
    let order = |a: &usize, b: &usize| {
        let both = line(a).iter().zip(line(b));
        both.map(|(a, b)| b.total_cmp(a)).find(|o| o.is_ne()).unwrap_or_else(|| a.cmp(b))
    };
    if able.is_empty() {
        return Err(Error::Data(
            "hyperkernels need pairs of instances where no kernel is negative: there is none, not even an instance with itself"
                .to_string(),
        ));
    }
    able.sort_by(order);
    able.dedup_by(|a, b| line(a) == line(b));
    let note = (!low.is_empty()).then(|| {
        let names = low.join(", ");
        format!(
            "{names}: diagonal values below 1, where hyperkernels take unit diagonals (normalize=unit_diagonal): such instances \
             count less"
        )
    });
    Ok(Values { n, kernels, lines, able, note })
}

impl Hyperkernels {
    fn new(p: &Params) -> Self {
        Hyperkernels {
            decay: p.real("decay"),
            penalty: p.real("penalty"),
            tol: p.real("tol"),
            rounds: p.count("max_rounds"),
        }
    }

    /// Pairs of the largest, the middle and the smallest values.
    fn first(&self, values: &Values) -> Vec<usize> {
        let last = values.able.len() - 1;
        let mut places = vec![0, last / 4, last / 2, 3 * last / 4, last];
        places.dedup();
        places.into_iter().map(|p| values.able[p]).collect()
    }

    /// The loop on a list of pairs.
    #[allow(clippy::too_many_arguments)]
    fn fit(
        &self,
        problem: &Problem<'_>,
        values: &Values,
        (list, given): (&[usize], Vec<f64>),
        machines: Option<Solution>,
        tol: f64,
        run: &Run,
        watch: &Watch,
    ) -> Result<Fitted> {
        if !fits(problem.bank, list.len() + 2, run) {
            return Err(Error::Data(format!(
                "hyperkernels keep {} matrices of {} × {} values, for which the memory limit is too small",
                list.len() + 2,
                values.n,
                values.n
            )));
        }
        let matrix = |p: &usize| (p.to_string(), values.matrix(|r| values.at(self.decay, *p, r)));
        let bank = Bank::from_matrices(list.iter().map(matrix).collect(), Storage::Resident)?;
        let set = Quadratic { form: self.form(values, list) };
        let report = Report::closed_form(run);
        let warm = machines
            .map(|m| Learned { machines: Some(m), ..Learned::of(Weighted::rule(given), report) });
        let part =
            Problem { bank: &bank, views: None, pairs: None, warm: warm.as_ref(), ..*problem };
        let outer =
            Outer { title: METHOD.title, set: &set, tol, max_iterations: 500, second: true };
        let learned = outer.learn(&part, &run.remaining(watch).quiet())?;
        let none = || Error::Data("hyperkernels brought no machines".to_string());
        let found = learned.rule.weights().ok_or_else(none)?;
        let (pairs, weights) =
            list.iter().zip(found).filter(|(_, w)| **w > 0.0).map(|(p, w)| (*p, *w)).unzip();
        let machines = learned.machines.ok_or_else(none)?;
        let Report { status, notes, counts, objective: trace, .. } = learned.report;
        Ok(Fitted { pairs, weights, machines, counts, status, trace, notes })
    }

    /// λ_Q Q of these pairs.
    fn form(&self, values: &Values, pairs: &[usize]) -> Vec<f64> {
        let line = |p: &usize| -> Vec<f64> {
            pairs.iter().map(|r| self.penalty * values.at(self.decay, *p, *r)).collect()
        };
        pairs.iter().flat_map(line).collect()
    }

    /// A lower bound on the optimum over all pairs, and z_p − λ_Q K_β(p) of those that can have a weight, at the β of the list that is
    /// best for these z; `None` after a stop.
    fn gains(
        &self,
        values: &Values,
        fitted: &Fitted,
        set: &Quadratic,
        watch: &Watch,
    ) -> Option<(f64, Vec<f64>)> {
        let n = values.n;
        let coefs = fitted.machines.coefs();
        // ½ Σ_u c_ua c_ub, twice of pairs of two, and the values of each kernel there.
        let mut terms: Vec<f64> = Vec::new();
        let mut there: Vec<Vec<f64>> = vec![Vec::new(); values.kernels];
        let mut pair = 0;
        for i in 0..n {
            for j in i..n {
                let both: f64 = coefs.iter().map(|c| c[i] * c[j]).sum();
                if both != 0.0 {
                    terms.push(if i == j { 0.5 * both } else { both });
                    there.iter_mut().zip(values.line(pair)).for_each(|(t, v)| t.push(*v));
                }
                pair += 1;
            }
        }
        let z = |p: &usize| -> f64 {
            let (mut sum, mut part) = (0.0, [0.0; PART]);
            for (place, weights) in terms.chunks(PART).enumerate() {
                let part = &mut part[..weights.len()];
                part.fill(1.0);
                for (there, v) in there.iter().zip(values.line(*p)) {
                    let there = &there[place * PART..];
                    simd::harmonic(part, 1.0 - self.decay, self.decay * v, there);
                }
                sum += simd::dot(part, weights);
            }
            sum
        };
        let worth: Vec<f64> = fitted.pairs.iter().map(z).collect();
        let weights = set.best(&worth);
        let one = |p: &usize| {
            if watch.stop().is_some() {
                return None;
            }
            let own = fitted.pairs.iter().zip(&weights);
            let combined: f64 = own.map(|(r, w)| w * values.at(self.decay, *r, *p)).sum();
            Some((*p, z(p) - self.penalty * combined))
        };
        let found: Option<Vec<(usize, f64)>> = values.able.par_iter().map(one).collect();
        let mut gains = vec![f64::NEG_INFINITY; n * (n + 1) / 2];
        let mut largest = f64::NEG_INFINITY;
        for (p, gain) in found? {
            gains[p] = gain;
            largest = largest.max(gain);
        }
        Some((fitted.machines.linear() - set.penalty(&weights) - largest, gains))
    }

    /// Pairs with the largest gains that are not nearly the same as others.
    fn joining(&self, values: &Values, gains: &[f64], list: &[usize]) -> Vec<usize> {
        let mut order = values.able.clone();
        order.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]).then(a.cmp(b)));
        let own = |p: usize| values.at(self.decay, p, p);
        let same =
            |p: usize, r: usize| values.at(self.decay, p, r) >= SAME * (own(p) * own(r)).sqrt();
        let mut new: Vec<usize> = Vec::new();
        // The best joins if it is not there, however near it is to others.
        new.extend(order.first().filter(|p| !list.contains(p)));
        for p in order.into_iter().take(1_000) {
            if new.len() >= JOIN {
                break;
            }
            if !new.iter().chain(list).any(|r| same(p, *r)) {
                new.push(p);
            }
        }
        new
    }
}
