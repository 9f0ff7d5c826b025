//! The combination of least FSM: narrow classes, seen from each other, that are far apart.
//!
//! ```text
//! min over η ≥ 0    FSM(Σ η_m K_m)
//! ```
//!
//! (Tanabe et al. 2008; LMKA §2.3.2; the measure is in [`measures`](super::measures::Spread), with what it is for
//! several classes.) It does not depend on the length of η, which gets sum 1.
//!
//! **Along the line between the centres** (`deviation=line`): FSM = p(η)/wᵀη with p a sum of norms, so on wᵀη = 1 the
//! problem is convex. Second-order steps on the simplex of w_m η_m, or, where they do not help, the least of
//! ½ Σ_t ηᵀC_tη/√(η₀ᵀC_tη₀), which is above p and touches it at η₀. **Certificate**: p(η') ≥ ∇p(η)ᵀη' for all η',
//! so FSM ≥ min_m (∂p/∂η_m)/w_m; the gap is relative to FSM. Kernels in which the centres of all classes are
//! the same have no weight.
//!
//! **Total deviations** (`deviation=total`): FSM is a concave function over a linear one, whose least value on a
//! simplex is at a corner: the answer is the best single kernel, exactly, and learning weights is of no use.
//!
//! **Scale.** One kernel or all times s: no change of the combination. Two copies share the weight that
//! one would have. Cost: one pass over the kernels of n²kM multiplications for k classes, n(k − 1)M² for the
//! covariances, some M × M programs, one machine.

use super::alignf::ended;
use super::measures::{Found, Ideal, Spread, passed, weighted};
use super::{Learned, Learner, Problem, check};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Range};
use crate::run::Pass;
use crate::solve::simplex::minimize_on_simplex;
use crate::{Report, Result, Run, Status, Watch};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Fsm { line: p.text("deviation") == "line" }) };

static METHOD: Method = Method {
    id: "fsm",
    title: "feature-space measure (FSM)",
    source: "Nguyen and Ho 2008; Tanabe, Ho, Nguyen, Kawasaki 2008; Gönen 2010, §2.3.2",
    summary: "The combination in whose feature space classes are narrow along the lines between their centres, \
              and the centres far apart. One pass over the kernels and one machine.",
    tasks: &[Task::Classify],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[Param {
        name: "deviation",
        doc: "Deviation of a class: along the line between the centres, or total, whose best combination is a \
              single kernel.",
        range: Range::Choice { default: "line", of: &["line", "total"] },
    }],
};

/// Relative gap at which the search stops.
const ENOUGH: f64 = 1e-10;

/// Changes of the weights at most.
const MOST: usize = 200;

/// Relative rounding of FSM.
const LEVEL: f64 = 1e-14;

/// Squared distance of the centres, relative to the largest of a kernel, that counts as none.
const SAME_PLACE: f64 = 1e-13;

#[derive(Debug)]
struct Fsm {
    line: bool,
}

impl Learner for Fsm {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        problem.target.classes()?;
        let (bank, watch) = (problem.bank, run.watch());
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let spread = Spread::in_pass(bank, &ideal, run, &Pass::under(&watch))?;
        let m = bank.len();
        if let Some(stopped) = passed(m, &report, &watch) {
            return Ok(stopped);
        }
        let (along, total) = (spread.along(), spread.total());
        let mut weights = vec![0.0; m];
        if self.line {
            let distances = spread.distances();
            let largest = distances.iter().fold(0.0_f64, |a, w| a.max(*w));
            let used: Vec<usize> =
                (0..m).filter(|k| distances[*k] > SAME_PLACE * largest).collect();
            let scaled = |c: &Vec<f64>| -> Vec<f64> {
                let pair = |k: &usize, h: &usize| c[k * m + h] / (distances[*k] * distances[*h]);
                used.iter().flat_map(|k| used.iter().map(move |h| pair(k, h))).collect()
            };
            let search = Search {
                size: used.len(),
                forms: spread.covariances().iter().map(scaled).collect(),
            };
            let found = search.run(&watch, &mut report);
            used.iter().zip(&found).for_each(|(k, x)| weights[*k] = x / distances[*k]);
        } else if let Some(best) =
            (0..m).filter(|k| total[*k].is_finite()).min_by(|a, b| total[*a].total_cmp(&total[*b]))
        {
            weights[best] = 1.0;
            report.objective = vec![total[0], total[best]];
            (report.iterations, report.gap, report.status) = (1, Some(0.0), Status::Converged);
        }
        let finite =
            |v: Vec<f64>| v.iter().map(|v| if v.is_finite() { *v } else { -1.0 }).collect();
        report.details.insert("fsm".to_string(), finite(along));
        report.details.insert("fsm_total".to_string(), finite(total));
        let zero = "the classes have the same centre in every kernel";
        Ok(weighted(&Found { weights: &weights, zero }, report, &watch))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn samples(&self) -> Option<usize> {
        Some(super::row_sample::MOST)
    }
}

/// min Σ_t √(xᵀC_tx) on the simplex.
struct Search {
    size: usize,
    forms: Vec<Vec<f64>>,
}

/// Norms, their sum and its slope at a point.
struct Place {
    x: Vec<f64>,
    norms: Vec<f64>,
    /// C_t x.
    products: Vec<Vec<f64>>,
    value: f64,
    slope: Vec<f64>,
}

impl Search {
    fn run(&self, watch: &Watch, report: &mut Report) -> Vec<f64> {
        if self.size == 0 {
            return Vec::new();
        }
        let mut at = self.at(vec![1.0 / self.size as f64; self.size]);
        report.objective.push(at.value);
        let first = at.value;
        let mut gap = gap(&at);
        while gap > ENOUGH && report.iterations < MOST && at.value > 1e-12 * first {
            if watch.stop().is_some() {
                break;
            }
            let Some(next) = self.step(&at, true).or_else(|| self.step(&at, false)) else { break };
            at = next;
            report.iterations += 1;
            report.objective.push(at.value);
            gap = self::gap(&at);
        }
        if report.iterations == 0 {
            report.objective.push(at.value);
            report.iterations = 1;
        }
        report.gap = Some(gap);
        report.status = ended(gap, watch);
        at.x
    }

    fn at(&self, x: Vec<f64>) -> Place {
        let m = self.size;
        let row = |c: &[f64], k: usize| -> f64 {
            c[k * m..(k + 1) * m].iter().zip(&x).map(|(c, x)| c * x).sum()
        };
        let products: Vec<Vec<f64>> =
            self.forms.iter().map(|c| (0..m).map(|k| row(c, k)).collect()).collect();
        let norm = |p: &Vec<f64>| -> f64 {
            x.iter().zip(p).map(|(x, p)| x * p).sum::<f64>().max(0.0).sqrt()
        };
        let norms: Vec<f64> = products.iter().map(norm).collect();
        let mut slope = vec![0.0; m];
        for (p, s) in products.iter().zip(&norms).filter(|(_, s)| **s > 0.0) {
            slope.iter_mut().zip(p).for_each(|(g, p)| *g += p / s);
        }
        Place { value: norms.iter().sum(), x, norms, products, slope }
    }

    /// A better point by the second-order model, or by the one from above.
    fn step(&self, at: &Place, second: bool) -> Option<Place> {
        let m = self.size;
        let mut model = vec![0.0; m * m];
        for ((c, p), s) in self.forms.iter().zip(&at.products).zip(&at.norms) {
            if *s <= 0.0 {
                continue;
            }
            for k in 0..m {
                for h in 0..m {
                    let bend = if second { p[k] * p[h] / (s * s) } else { 0.0 };
                    model[k * m + h] += (c[k * m + h] - bend) / s;
                }
            }
        }
        let (target, promised) = minimize_on_simplex(&at.x, &at.slope, &model);
        let mut part = 1.0;
        while part > 1e-4 {
            let x = at.x.iter().zip(&target).map(|(x, t)| x + part * (t - x)).collect();
            let next = self.at(x);
            if next.value <= at.value - 1e-3 * part * promised && next.value < at.value {
                return Some(next);
            }
            // At the end rounding hides what a step brings.
            let level = next.value <= (1.0 + LEVEL) * at.value && gap(&next) < 0.5 * gap(at);
            if second && part == 1.0 && level {
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }
}

/// How far above the least value the point is at most, relative to it.
fn gap(at: &Place) -> f64 {
    let least = at.slope.iter().copied().fold(f64::INFINITY, f64::min);
    ((at.value - least) / at.value.max(f64::MIN_POSITIVE)).max(0.0)
}
