//! UFO-MKL: stochastic steps for all classes at once, with a nearly l1 norm over the kernels.
//!
//! ```text
//! min  (λ/2) ‖w‖²_{2,p} + α ‖w‖_{2,1} + (1/n) Σ_i max(0, 1 − f_{y_i}(x_i) + max_{k≠y_i} f_k(x_i)),   f_k(x) = Σ_m ⟨w_m^k, Φ_m(x)⟩
//! max  Σ_ik γ_ik − (1/2λ) ‖[‖θ_m‖ − α]₊‖²_q       θ_m = Σ_ik γ_ik (Φ_m(x_i, y_i) − Φ_m(x_i, k)),  γ ≥ 0,  Σ_k γ_ik ≤ 1/n
//! q = max(2, 2 ln M),  p = q/(q − 1),  λ = 1/(C n)
//! ```
//!
//! (Orabona and Jie, ICML 2011; LMS §5.3; D8.) ‖w‖_{2,r} is the r-norm of the numbers ‖w_m‖. Step t takes an instance, adds
//! Φ_m(x, y) − Φ_m(x, k) of the class k with the largest value to all θ_m if its margin is below 1, and sets
//!
//! ```text
//! v_m = [‖θ_m‖ − α t]₊,      w_m = (1/λt) (v_m/‖v‖_q)^{q−2} v_m θ_m/‖θ_m‖
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | the coefficients of θ, the same for all kernels | `theta`, n × classes |
//! | w_m = η_m θ_m | `factors` |
//! | ‖θ_m‖² | `squares`, by the recurrence ‖θ‖² + 2(⟨θ, Φ_y⟩ − ⟨θ, Φ_k⟩) + 2 k(x, x) |
//! | C, α | parameters `c`, `alpha` |
//!
//! The instances of an epoch are taken in a random order, each once, so θ/t is feasible for the dual after every epoch, with
//! γ_ik the share of the steps in which i met k.
//!
//! **Certificate.** P(w) of the last iterate, which is the one that belongs to θ/t, minus D(θ/t): the gap in the report. It falls
//! like 1/t, so that it is mostly the number of epochs that ends the search, and the status says so unless the gap
//! reaches `tol`. The best P after each epoch is the trace.
//!
//! **Deviations.** The rule is Σ η_m K_m with η divided by its sum, and the problem's machine is trained on it, as by all other
//! methods: the classifier of the paper is that of θ itself, without a bias. q is at least 2, where the paper has 2 ln M for any M.
//! The paper's bound is for the mean of the iterates; here the last one is measured.
//!
//! **Cost** of an epoch: n rows of each kernel times the classes, and one product with the combined kernel; memory n × classes
//! and rows of the kernels, of as many instances as fit into half of the memory limit (a row out of a triangle takes several times
//! as long as its product with θ). **Scale.** Kernels are divided by the mean of all their diagonal entries, so a common factor
//! does not matter; a kernel that is larger than others attracts weight. Two copies of a kernel get the same weight.

use super::{Copies, Learned, Learner, Problem, check};
use crate::bank::Bank;
use crate::data::{Classes, Matrix};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::mkl::definite::refuse_indefinite;
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::{Event, Report, Result, Run, Status};
use cokernel_dense::simd;
use rand::RngExt;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(UfoMkl::new(p)) };

static METHOD: Method = Method {
    id: "ufo_mkl",
    title: "UFO-MKL",
    source: "Orabona, Jie 2011; Kumar 2013, §5.3",
    summary: "Weights by stochastic steps in which all classes take part at once, for many kernels and classes: reads \
              rows of the kernels, and keeps those for which there is memory. Tells the duality gap that its epochs reached. The machine is then \
              trained on the combination.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::SIMPLEX,
    params: &[
        Param {
            name: "c",
            doc: "Cost of the loss in the search for weights, for kernels whose mean diagonal entry is 1; the machine \
                  has its own.",
            range: Range::Real { default: 1.0, min: 0.0, max: 1e12, closed: false },
        },
        Param {
            name: "alpha",
            doc: "What the l1 norm over the kernels costs: from some value on kernels get no weight.",
            range: Range::Real { default: 0.0, min: 0.0, max: 1e6, closed: true },
        },
        Param {
            name: "epochs",
            doc: "How often every instance is looked at, at most.",
            range: Range::Int { default: 20, min: 1, max: 1_000_000 },
        },
        Param {
            name: "tol",
            doc: "Relative duality gap to stop at. It falls like one over the epochs.",
            range: Range::Real { default: 1e-2, min: 0.0, max: 0.5, closed: true },
        },
    ],
};

#[derive(Debug)]
struct UfoMkl {
    c: f64,
    alpha: f64,
    epochs: usize,
    tol: f64,
}

impl UfoMkl {
    fn new(params: &Params) -> Self {
        UfoMkl {
            c: params.real("c"),
            alpha: params.real("alpha"),
            epochs: params.count("epochs"),
            tol: params.real("tol"),
        }
    }
}

/// θ and what belongs to it after `steps` steps.
struct Iterate<'a> {
    bank: &'a Bank,
    classes: &'a Classes,
    /// The mean diagonal entry, by which kernels are divided.
    unit: f64,
    lambda: f64,
    alpha: f64,
    q: f64,
    theta: Matrix,
    squares: Vec<f64>,
    steps: usize,
    /// Steps whose margin was below 1.
    losses: usize,
    rows: Rows,
}

/// Rows of all kernels, n after n, by instance; those that were read first are kept.
struct Rows {
    kept: Vec<Vec<f64>>,
    /// So many more are kept.
    room: usize,
    last: Vec<f64>,
}

impl Rows {
    fn new(bank: &Bank, memory: usize) -> Self {
        let size = bank.n() * bank.len();
        let room = memory / 2 / (8 * size).max(1);
        Rows { kept: vec![Vec::new(); bank.n()], room, last: vec![0.0; size] }
    }

    fn read(&mut self, bank: &Bank, i: usize) -> &[f64] {
        if self.kept[i].is_empty() {
            for (m, out) in self.last.chunks_exact_mut(bank.n()).enumerate() {
                bank.row(m, i, out);
            }
            if self.room == 0 {
                return &self.last;
            }
            self.room -= 1;
            self.kept[i] = self.last.clone();
        }
        &self.kept[i]
    }
}

impl Iterate<'_> {
    /// v and ‖v‖_q, of θ divided by the number of steps.
    fn lengths(&self) -> (Vec<f64>, f64) {
        let t = self.steps.max(1) as f64;
        let v: Vec<f64> =
            self.squares.iter().map(|s| (s.max(0.0).sqrt() / t - self.alpha).max(0.0)).collect();
        let largest = v.iter().fold(0.0_f64, |a, v| a.max(*v));
        if largest <= 0.0 {
            return (v, 0.0);
        }
        let sum: f64 = v.iter().map(|v| (v / largest).powf(self.q)).sum();
        (v, largest * sum.powf(1.0 / self.q))
    }

    /// w_m = factors_m θ_m.
    fn factors(&self) -> Vec<f64> {
        let (v, length) = self.lengths();
        let factor = |(v, s): (&f64, &f64)| {
            if *v <= 0.0 {
                return 0.0;
            }
            (v / length).powf(self.q - 2.0) * v / (self.lambda * s.sqrt())
        };
        v.iter().zip(&self.squares).map(factor).collect()
    }

    fn step(&mut self, i: usize) {
        let (n, kernels) = (self.bank.n(), self.bank.len());
        let (k, own) = (self.classes.n_classes(), self.classes.codes[i] as usize);
        let factors = self.factors();
        let mut inner = vec![0.0; kernels * k];
        let rows = self.rows.read(self.bank, i);
        for (m, row) in rows.chunks_exact(n).enumerate() {
            for (class, out) in inner[m * k..(m + 1) * k].iter_mut().enumerate() {
                *out = simd::dot(self.theta.row(class), row) / self.unit;
            }
        }
        let value = |class: usize| -> f64 {
            factors.iter().enumerate().map(|(m, f)| f * inner[m * k + class]).sum()
        };
        let values: Vec<f64> = (0..k).map(value).collect();
        let other = rival(&values, own);
        self.steps += 1;
        if 1.0 - values[own] + values[other] <= 0.0 {
            return;
        }
        self.losses += 1;
        for (m, square) in self.squares.iter_mut().enumerate() {
            let change = inner[m * k + own] - inner[m * k + other];
            *square += 2.0 * change + 2.0 * self.bank.own(m, i) / self.unit;
        }
        self.theta.set(own, i, self.theta.get(own, i) + 1.0);
        self.theta.set(other, i, self.theta.get(other, i) - 1.0);
    }

    /// P of the iterate and D of θ divided by the steps; `None` if the pass was given up.
    fn bounds(&self, pass: &Pass<'_>) -> Option<(f64, f64)> {
        let (n, k) = (self.bank.n(), self.classes.n_classes());
        let factors = self.factors();
        let block = Matrix::from_fn(n, k, |i, class| self.theta.get(class, i));
        let values = self.bank.apply_combined_in(&factors, &block, pass);
        if pass.is_given_up() {
            return None;
        }
        let loss = |i: usize| {
            let row: Vec<f64> = values.row(i).iter().map(|v| v / self.unit).collect();
            let own = self.classes.codes[i] as usize;
            (1.0 - row[own] + row[rival(&row, own)]).max(0.0)
        };
        let loss = (0..n).map(loss).sum::<f64>() / n as f64;
        let lengths: Vec<f64> =
            factors.iter().zip(&self.squares).map(|(f, s)| f * s.max(0.0).sqrt()).collect();
        let p = self.q / (self.q - 1.0);
        let norm = lengths.iter().map(|w| w.powf(p)).sum::<f64>().powf(1.0 / p);
        let primal = 0.5 * self.lambda * norm * norm + self.alpha * lengths.iter().sum::<f64>();
        let t = self.steps.max(1) as f64;
        let (_, length) = self.lengths();
        let dual = self.losses as f64 / t - 0.5 * length * length / self.lambda;
        Some((primal + loss, dual))
    }
}

/// The largest value of another class.
fn rival(values: &[f64], own: usize) -> usize {
    let others = (0..values.len()).filter(|k| *k != own);
    others.max_by(|a, b| values[*a].total_cmp(&values[*b]).then(b.cmp(a))).unwrap_or(own)
}

impl Learner for UfoMkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        refuse_indefinite(problem, "UFO-MKL", &watch)?;
        let (bank, n, kernels) = (problem.bank, problem.bank.n(), problem.bank.len());
        let classes = problem.target.classes()?;
        let all = bank.mean_diagonals().iter().sum::<f64>() * bank.n() as f64;
        let mean = all / (n * kernels) as f64;
        let mut iterate = Iterate {
            bank,
            classes,
            unit: if mean > 0.0 { mean } else { 1.0 },
            lambda: 1.0 / (self.c * n as f64),
            alpha: self.alpha,
            q: f64::max(2.0, 2.0 * (kernels as f64).ln()),
            theta: Matrix::zeros(classes.n_classes(), n),
            squares: vec![0.0; kernels],
            steps: 0,
            losses: 0,
            rows: Rows::new(bank, run.memory),
        };
        let mut rng = run.rng("ufo_mkl");
        let mut order: Vec<usize> = (0..n).collect();
        // Without a step w = 0: every instance has loss 1.
        let (mut objective, mut gaps, mut best) = (vec![1.0], vec![1.0], (1.0, 0.0));
        let mut last = (1.0, 0.0);
        run.tell(Event::Begin { stage: "UFO-MKL", total: Some(self.epochs as u64) });
        let mut status = Status::IterationLimit;
        'epochs: for epoch in 0..self.epochs {
            for k in (1..n).rev() {
                order.swap(k, rng.random_range(0..=k));
            }
            for i in &order {
                if let Some(stop) = watch.stop() {
                    status = stop;
                    break 'epochs;
                }
                iterate.step(*i);
            }
            let Some(found) = iterate.bounds(&Pass::under(&watch)) else {
                status = watch.stop().unwrap_or(Status::Stalled);
                break;
            };
            last = found;
            best = (f64::min(best.0, last.0), f64::max(best.1, last.1));
            objective.push(best.0);
            gaps.push((last.0 - best.1) / last.0);
            let message = format!("gap {:.1e}", gaps[epoch + 1]);
            run.tell(Event::Step { done: epoch as u64 + 1, message: &message });
            if gaps[epoch + 1] <= self.tol {
                status = Status::Converged;
                break;
            }
        }
        run.tell(Event::End);
        let mut weights = iterate.factors();
        let sum: f64 = weights.iter().sum();
        let gap = gaps.last().copied();
        let mut report = Report {
            status,
            iterations: objective.len() - 1,
            objective,
            gap,
            gaps,
            seconds: watch.seconds(),
            ..Report::closed_form(run)
        };
        if sum > 0.0 && sum.is_finite() {
            weights.iter_mut().for_each(|w| *w /= sum);
        } else {
            weights = vec![1.0 / kernels as f64; kernels];
            report.notes.push(
                "UFO-MKL gave no kernel a weight, so all have the same; use a smaller alpha"
                    .to_string(),
            );
        }
        if let Some(gap) = gap.filter(|_| !status.is_success()) {
            let advice = match status {
                Status::IterationLimit => "; more epochs or a smaller c bring it down",
                _ => "",
            };
            report.notes.push(format!(
                "UFO-MKL ended before its tolerance ({status}) after {} epochs at relative gap {gap:.1e}{advice}",
                report.iterations
            ));
        }
        report.details.insert("primal".to_string(), vec![last.0]);
        report.details.insert("dual".to_string(), vec![best.1]);
        Ok(Learned::of(Weighted::rule(weights), report))
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn weights_repeat(&self) -> bool {
        // Weights of instances are those of the machine.
        false
    }
}
