//! Kernels for normalised cuts: the combination whose graph is cut best between the classes.
//!
//! ```text
//! u_j = Σ_{p ∈ V, q ∉ V} K_m(p, q),   v_j = Σ_{p,q ∈ V} K_m(p, q) + Σ_{p,q ∉ V} K_m(p, q)     for each kernel m (4)
//! min  Σ_j u_jᵀα / v_jᵀα               over Σ α = 1, α ≥ 0                                   (7)
//! min  αᵀQα,   Q the symmetric part of Σ_{g ≠ h} u_g v_hᵀ + u_h v_gᵀ − v_g v_hᵀ              (13)
//! ```
//!
//! (Mukherjee, Singh, Peng and Hinrichs 2010.) The training instances are drawn into groups, each class as evenly as
//! it goes; a group with one of its classes V against its other classes is an example j: with k > 2 classes k
//! examples of each group, so that one combination serves all classes (the source learns one for each class and its
//! machine). (13) stands for (7): it is solved by its doubly non-negative relaxation, improved on the support
//! ([`standard`](crate::solve::standard)).
//!
//! **Certificate.** The relaxation bounds (13) from below; where the bound is met, α is proven to be a best point of
//! (13), detail `optimal`. The gap is that between the two, relative to the largest |Q|. The ratio (7) of α is the
//! detail `ratio`, beside `single_ratio` of the kernel that is best alone: (13) only stands for (7), and a remark
//! says where it led to less than that kernel.
//!
//! **Units.** (13) depends on the units of kernels: they are divided by their mean sums within the classes (`unit`), where
//! (13) is nearest to (7), and the weights are those of the kernels as given, with sum 1; `alpha` are those of the
//! divided ones. Beside thirty kernels of noise that unit lost 0 to 8 points of accuracy where the mean of the diagonal lost 0
//! to 24, which is small where a kernel is random numbers. `balance` divides
//! sums over pairs by the number of pairs, without which the larger class decides. `cut` counts each edge between V
//! and the rest once, as (7) has it, or in both directions, as v counts those within.
//!
//! **Cost.** One read of the entries within groups, n²/(2·groups) of each kernel; then O(M³) for each iteration, 40 with
//! 39 kernels and up to 400 with 150 where that was measured, whatever n is. Memory: the kernels of one group.

mod examples;

use super::measures::passed;
use super::{Copies, Learned, Learner, Problem, check};
use crate::bank::Bank;
use crate::data::Target;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::solve::standard::minimize_standard;
use crate::{Error, Report, Result, Run, Status};
use examples::{Example, drawn, form, ratio};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(NormalizedCut::new(p)) };

static METHOD: Method = Method {
    id: "normalized_cut",
    title: "kernels for normalised cuts",
    source: "Mukherjee, Singh, Peng, Hinrichs 2010, (4), (13) to (15)",
    summary: "The combination whose graph has the least between the classes for what it has within them, with a \
              bound that proves it best or says that it may not be. Its cost depends on the number of kernels only, \
              after one read of a part of them.",
    tasks: &[Task::Classify],
    group: Group::WeightsFirst,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "groups",
            doc: "Groups that the training instances are drawn into; fewer where a class has fewer instances.",
            range: Range::Int { default: 5, min: 1, max: 10_000 },
        },
        Param {
            name: "unit",
            doc: "What each kernel is divided by: its mean sum within the classes, the mean of its diagonal, or \
                  nothing.",
            range: Range::Choice { default: "within", of: &["within", "diagonal", "none"] },
        },
        Param {
            name: "balance",
            doc: "Whether sums over pairs are divided by the number of pairs.",
            range: Range::Choice { default: "yes", of: &["yes", "no"] },
        },
        Param {
            name: "cut",
            doc: "Whether an edge between a class and the rest counts once or in both directions.",
            range: Range::Choice { default: "once", of: &["once", "twice"] },
        },
        Param {
            name: "self_pairs",
            doc: "Whether an instance paired with itself counts within its class.",
            range: Range::Choice { default: "include", of: &["include", "exclude"] },
        },
        Param {
            name: "tol",
            doc: "Distance of the bounds of (13), relative to the largest |Q|, at which it counts as solved.",
            range: Range::Real { default: 1e-6, min: 1e-12, max: 1.0, closed: true },
        },
    ],
};

#[derive(Debug)]
struct NormalizedCut {
    groups: usize,
    unit: Unit,
    balance: bool,
    twice: bool,
    own: bool,
    tol: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Diagonal,
    Within,
    None,
}

impl NormalizedCut {
    fn new(p: &Params) -> Self {
        let unit = match p.text("unit") {
            "diagonal" => Unit::Diagonal,
            "within" => Unit::Within,
            _ => Unit::None,
        };
        NormalizedCut {
            groups: p.count("groups"),
            unit,
            balance: p.text("balance") == "yes",
            twice: p.text("cut") == "twice",
            own: p.text("self_pairs") == "include",
            tol: p.real("tol"),
        }
    }
}

impl Learner for NormalizedCut {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let kernels = bank.len();
        let mut report = Report::closed_form(run);
        let Target::Classes(classes) = problem.target else {
            return Err(Error::Data("normalized_cut needs classes".to_string()));
        };
        let groups = drawn(classes, self.groups, run);
        if groups.len() < self.groups {
            report.notes.push(format!(
                "normalized_cut: groups: {}, not the {} asked for; the smallest class has no more instances",
                groups.len(),
                self.groups
            ));
        }
        let pass = Pass::under(&watch);
        let mut examples = Vec::new();
        for rows in &groups {
            self.examples(bank, classes, rows, &pass, &mut examples);
            if let Some(stopped) = passed(kernels, &report, &watch) {
                return Ok(stopped);
            }
        }
        let units = self.divide(bank, &mut examples);
        // v enters (13) as vvᵀ, which does not see its sign.
        let within = |m: &usize| examples.iter().map(|e| e.v[*m]).sum::<f64>() > 0.0;
        let (taken, left): (Vec<usize>, Vec<usize>) = (0..kernels).partition(within);
        if !left.is_empty() && !taken.is_empty() {
            report.notes.push(left_out(bank, &left));
        }
        let form = form(&examples, &taken);
        let largest = form.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        if !largest.is_finite() {
            let problem = "the sums of kernel values over pairs overflow; normalize the kernels";
            return Err(Error::Data(problem.to_string()));
        }
        let ratios: Vec<f64> = (0..kernels).map(|m| ratio(&examples, |x| x[m])).collect();
        let single = (0..kernels)
            .filter(|m| ratios[*m].is_finite())
            .min_by(|a, b| ratios[*a].total_cmp(&ratios[*b]));
        let alpha = if largest > 0.0 {
            let found = minimize_standard(&form, self.tol, &watch);
            report.iterations = found.objective.len() - 1;
            let value = found.objective.last().copied().unwrap_or(f64::NAN);
            let gap = (value - found.lower).max(0.0) / largest;
            report.gap = Some(gap);
            report.status = match watch.stop() {
                _ if gap <= self.tol => Status::Converged,
                Some(stopped) => stopped,
                None => Status::Stalled,
            };
            if report.status == Status::Stalled {
                report.notes.push(not_proven(value, found.lower, found.solved));
            }
            for (name, v) in [
                ("relaxation", found.lower),
                ("rounded", found.rounded),
                ("rank_one", found.rank_one),
                ("relaxation_iterations", found.iterations as f64),
                ("optimal", f64::from(u8::from(gap <= self.tol))),
            ] {
                report.details.insert(name.to_string(), vec![v]);
            }
            report.objective = found.objective;
            let mut alpha = vec![0.0; kernels];
            taken.iter().zip(&found.alpha).for_each(|(m, a)| alpha[*m] = *a);
            alpha
        } else {
            // One example makes no pairs: (7) is then least at one kernel. Nothing at all says nothing: (13) is 0 at all
            // weights, and none are better.
            report.details.insert("optimal".to_string(), vec![1.0]);
            let mut alpha = vec![1.0 / kernels as f64; kernels];
            match single {
                Some(best) if examples.len() == 1 => {
                    alpha.fill(0.0);
                    alpha[best] = 1.0;
                }
                _ => {
                    let why = match taken.is_empty() {
                        true => "no kernel has a sum above 0 within classes",
                        false => "no kernel tells the classes apart: (13) is 0 at all weights",
                    };
                    let note = format!("normalized_cut: {why}: the mean of the kernels is used");
                    report.notes.push(note);
                }
            }
            alpha
        };
        self.tell_ratios(bank, &examples, &alpha, single.map(|m| (m, ratios[m])), &mut report);
        let weights: Vec<f64> = alpha.iter().zip(&units).map(|(a, s)| a / s).collect();
        let sum: f64 = weights.iter().sum();
        report.details.insert("alpha".to_string(), alpha);
        report.seconds = watch.seconds();
        Ok(Learned::of(Weighted::rule(weights.iter().map(|w| w / sum).collect()), report))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }
}

impl NormalizedCut {
    /// Divides the kernels by their units, which it gives.
    fn divide(&self, bank: &Bank, examples: &mut [Example]) -> Vec<f64> {
        let usable = |s: f64| s > 0.0 && s.is_finite();
        let diagonal = |m: usize| bank.diagonal(m).iter().sum::<f64>() / bank.n() as f64;
        let within =
            |m: usize| examples.iter().map(|e| e.v[m]).sum::<f64>() / examples.len() as f64;
        // The diagonal where a kernel is not positive within classes.
        let unit = |m: usize| match self.unit {
            Unit::Within => Some(within(m)).filter(|s| usable(*s)).unwrap_or_else(|| diagonal(m)),
            Unit::Diagonal => diagonal(m),
            Unit::None => 1.0,
        };
        let usable = |s: f64| if usable(s) { s } else { 1.0 };
        let units: Vec<f64> = (0..bank.len()).map(|m| usable(unit(m))).collect();
        for e in examples {
            for (x, s) in e.u.iter_mut().chain(&mut e.v).zip(units.iter().chain(&units)) {
                *x /= s;
            }
        }
        units
    }

    /// (7) of what was found beside that of the best kernel alone.
    fn tell_ratios(
        &self,
        bank: &Bank,
        examples: &[Example],
        alpha: &[f64],
        single: Option<(usize, f64)>,
        report: &mut Report,
    ) {
        let dot = |x: &[f64]| x.iter().zip(alpha).map(|(x, a)| x * a).sum::<f64>();
        let mine = ratio(examples, dot);
        let told = single.filter(|_| mine.is_finite());
        let Some((best, least)) = told else {
            report.notes.push(
                "normalized_cut: the ratio (7) is not told: what is within classes is not above 0 at these weights, or \
                 what is between them below 0; it is made for similarities that are not negative"
                    .to_string(),
            );
            return;
        };
        for (name, v) in [("ratio", mine), ("single_ratio", least), ("single", best as f64)] {
            report.details.insert(name.to_string(), vec![v]);
        }
        if mine > least * (1.0 + 1e-9) && mine - least > 1e-12 {
            let other = if self.unit == Unit::Within { "" } else { "; try unit=within" };
            report.notes.push(format!(
                "normalized_cut: the ratio (7) of the combination is {mine:.4}, that of the kernel '{}' alone \
                 {least:.4}: the program (13) only stands for (7){other}",
                bank.kernels()[best].name
            ));
        }
    }
}

fn not_proven(value: f64, lower: f64, solved: bool) -> String {
    let why = match solved {
        true => "the relaxation (14) ends below it",
        false => "the relaxation (14) was not solved in its iterations",
    };
    format!(
        "normalized_cut: the weights are not proven to be the best ones: (13) is {value:.6e} at them, its bound \
         {lower:.6e}; {why}"
    )
}

fn left_out(bank: &Bank, left: &[usize]) -> String {
    let name = &bank.kernels()[left[0]].name;
    let others = match left.len() {
        1 => String::new(),
        count => format!(" and {} others", count - 1),
    };
    format!("normalized_cut: no weight for kernel '{name}'{others}: no sum above 0 within classes")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
