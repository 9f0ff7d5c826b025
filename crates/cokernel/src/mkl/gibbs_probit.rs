//! The multinomial probit with a Dirichlet prior of the kernel weights, by draws from its posterior.
//!
//! ```text
//! f_u(x) = w_u0 + Σ_i w_ui Σ_m η_m k_m(x_i, x)     w_ui ~ N(0, 1/ζ_ui)     ζ_ui ~ gamma(1, 1)     η ~ Dirichlet(ρ, …, ρ)
//! t_iu ~ N(f_u(x_i), 1)     two classes: y_i = sign t_i     several: the class with the largest t_iu
//! ```
//!
//! (Damoulas and Girolami, Bioinformatics 24, 2008, §2 and the sampler of its supplement; Albert and Chib, JASA 88, 1993. The
//! source has a gamma prior of ρ as well; here it is given, and there is a constant w_u0.)
//!
//! | symbol | name |
//! |---|---|
//! | mean and standard deviation of the draws of η | weights of the rule (`uses`), `details["weight_errors"]` |
//! | Monte Carlo standard errors of the means | `details["weight_monte_carlo_errors"]` |
//! | R̂ of η, then of the w_u0 | `details["rhat"]` |
//! | share of accepted steps of η, of each chain | `details["accepted"]` |
//! | seeds of the chains: their generators are named `gibbs chain c` | [`Run::rng`] |
//!
//! **A sweep.** w_u from its normal distribution given t, ζ, η (a factor of diag ζ_u + XᵀX, X = [1, K_η]); ζ from gamma
//! distributions; t one class after the other from truncated normal distributions; η by steps of a random walk in the
//! logarithms of its parts (Metropolis), whose length is set in the burn-in so that a third are accepted. R̂ is that of split
//! chains (Gelman and others, Bayesian Data Analysis, 3rd ed., 11.4); the status is `converged` where none is above `rhat`,
//! else the iteration limit, with a warning.
//!
//! Every chain has a generator of its own: the draws do not depend on the number of threads. All kernels are divided by the
//! mean of their diagonals. At most `kept` draws, evenly taken, tell new instances ([`sampled`](crate::rule::Sampled)).
//! Weights of instances can be 0 or 1 here.
//!
//! **Cost** of a sweep of a chain: n³/3 for each decision function, n³ where η has moved, and M n² each. For some
//! hundreds of instances.

use super::bayes::{self, Instances, Latents};
use super::girolami_rogers::CONCENTRATION;
use super::{Copies, Learned, Learner, Problem};
use crate::data::Matrix;
use crate::machine::Machine;
use crate::method::{Certificate, Entry, Group, Integration, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::{Draws, Sampled};
use crate::{Counts, Error, Report, Result, Run, Status, Watch};
use rayon::prelude::*;

mod chain;

use chain::{Chain, Draw, Fixed};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(GibbsProbit::new(p)) };

static METHOD: Method = Method {
    id: "gibbs_probit",
    title: "multinomial probit by Gibbs sampling",
    source: "Damoulas, Girolami 2008; Gönen 2010, §2.5",
    summary: "Draws of weights and decision functions from their posterior: weights with their spread, probabilities that \
              are means over the draws, and R-hat of several chains. No C to choose. Costs a factorisation for each \
              class, sweep and chain: for some hundreds of instances.",
    tasks: &[Task::Classify],
    group: Group::OneStage,
    certificate: Certificate::None,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        CONCENTRATION,
        Param {
            name: "chains",
            doc: "Number of chains.",
            range: Range::Int { default: 4, min: 1, max: 64 },
        },
        Param {
            name: "burn_in",
            doc: "Sweeps of each chain before its draws count.",
            range: Range::Int { default: 500, min: 0, max: 10_000_000 },
        },
        Param {
            name: "draws",
            doc: "Sweeps of each chain whose draws count.",
            range: Range::Int { default: 500, min: 4, max: 10_000_000 },
        },
        Param {
            name: "kept",
            doc: "Most draws that tell new instances, evenly taken from all. The error of a probability falls with the root \
                  of their number, a model and a prediction grow with it.",
            range: Range::Int { default: 200, min: 4, max: 1_000_000 },
        },
        Param {
            name: "rhat",
            doc: "Largest R-hat of chains that agree.",
            range: Range::Real { default: 1.1, min: 1.0, max: 100.0, closed: false },
        },
    ],
};

/// Sweeps of a chain before the others have theirs: all are as far where time ends.
const TURN: usize = 20;

#[derive(Debug)]
struct GibbsProbit {
    concentration: f64,
    chains: usize,
    burn_in: usize,
    draws: usize,
    kept: usize,
    rhat: f64,
}

impl GibbsProbit {
    fn new(p: &Params) -> Self {
        GibbsProbit {
            concentration: p.real("concentration"),
            chains: p.count("chains"),
            burn_in: p.count("burn_in"),
            draws: p.count("draws"),
            kept: p.count("kept"),
            rhat: p.real("rhat"),
        }
    }

    /// The next sweeps of a chain, up to its end or the end of its turn.
    fn walk(&self, fixed: &Fixed, (chain, walk): (&mut Chain, &mut Walk), watch: &Watch) {
        let all = self.burn_in.saturating_add(self.draws);
        let every = self.draws.saturating_mul(self.chains).div_ceil(self.kept).max(1);
        for _ in 0..TURN.min(all - walk.sweeps) {
            if watch.stop().is_some() || !chain.sweep(fixed, walk.sweeps < self.burn_in) {
                walk.stopped = true;
                return;
            }
            walk.sweeps += 1;
            let Some(counted) = walk.sweeps.checked_sub(self.burn_in + 1) else { continue };
            let draw = chain.draw();
            let biases = draw.coefs.iter().map(|w| w[0]);
            walk.trace.push(draw.eta.iter().copied().chain(biases).collect());
            if counted % every == every - 1 {
                walk.kept.push(draw);
            }
        }
    }

    /// All chains, in turns.
    fn walks(&self, fixed: &Fixed, heads: usize, run: &Run, watch: &Watch) -> Vec<Walk> {
        let start = |c: usize| {
            (Chain::new(fixed, heads, run.rng(&format!("gibbs chain {c}"))), Walk::default())
        };
        let mut all: Vec<(Chain, Walk)> = (0..self.chains).into_par_iter().map(start).collect();
        let goes_on = |w: &Walk| !w.stopped && w.sweeps < self.burn_in.saturating_add(self.draws);
        while all.iter().any(|(_, walk)| goes_on(walk)) {
            all.par_iter_mut()
                .filter(|(_, walk)| goes_on(walk))
                .for_each(|(chain, walk)| self.walk(fixed, (chain, walk), watch));
        }
        let end = |(chain, mut walk): (Chain, Walk)| {
            if walk.kept.is_empty() {
                walk.kept.push(chain.draw());
            }
            walk.accepted = chain.accepted();
            walk
        };
        all.into_iter().map(end).collect()
    }
}

/// What a chain gave: the traces of η and w_u0 after the burn-in, the draws that are kept, and whether it was stopped.
#[derive(Default)]
struct Walk {
    sweeps: usize,
    trace: Vec<Vec<f64>>,
    kept: Vec<Draw>,
    stopped: bool,
    accepted: f64,
}

impl Learner for GibbsProbit {
    fn integration(&self) -> Integration {
        Integration::Intermediate
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let watch = run.watch();
        let instances = Instances::new(problem, 2)?;
        if instances.weights.iter().any(|w| *w != 1.0) {
            let said = "a Gibbs sampler draws for whole instances: weights and class weights can be 0 or 1 only";
            return Err(Error::parameter("weights", said));
        }
        let roles = bayes::roles(problem)?;
        let (kernels, heads) = (instances.bank.len(), roles.len());
        instances.room(kernels + self.chains * (2 + heads), run)?;
        let latents = Latents::new(problem, &roles, &instances.rows)?;
        let mut own = Vec::new();
        for m in 0..kernels {
            own.push(instances.kernel(m, run, &watch)?);
        }
        let (n, rho) = (instances.n(), self.concentration);
        let fixed = Fixed { n, kernels: own, latents, rho, watch: watch.clone() };
        let walks = self.walks(&fixed, heads, run, &watch);
        let mut report = Report::closed_form(run);
        report.counts = Counts { combines: kernels as u64, ..Counts::default() };
        report.iterations = walks.iter().map(|w| w.trace.len()).sum();
        let all: Vec<&Draw> = walks.iter().flat_map(|w| &w.kept).collect();
        let traces: Vec<&[Vec<f64>]> = walks.iter().map(|w| w.trace.as_slice()).collect();
        let known = traces.iter().map(|t| t.len()).min().unwrap_or(0) >= 4;
        let stopped = walks.iter().any(|w| w.stopped);
        let (weights, errors) = if known {
            let of = |k: usize| chain::summary(&traces, k);
            let found: Vec<chain::Summary> = (0..kernels + heads).map(of).collect();
            let part = |f: fn(&chain::Summary) -> f64| found[..kernels].iter().map(f).collect();
            let rhats: Vec<f64> = found.iter().map(|s| s.rhat).collect();
            let worst = rhats.iter().fold(1.0_f64, |a, r| a.max(*r));
            report.status =
                if worst <= self.rhat { Status::Converged } else { Status::IterationLimit };
            if worst > self.rhat {
                report.warnings.push(format!(
                    "the chains do not agree: R-hat is {worst:.2}, above {}; ask for more draws or a longer burn_in",
                    self.rhat
                ));
            }
            report.details.insert("rhat".to_string(), rhats);
            let monte_carlo: Vec<f64> = part(|s| s.error);
            report.details.insert("weight_monte_carlo_errors".to_string(), monte_carlo);
            (part(|s| s.mean), part(|s| s.deviation))
        } else {
            let mean = |m: usize| all.iter().map(|d| d.eta[m]).sum::<f64>() / all.len() as f64;
            let said = "stopped in the burn-in: the weights are the last draws, and nothing is known of their spread";
            report.notes.push(said.to_string());
            ((0..kernels).map(mean).collect(), Vec::new())
        };
        if stopped {
            report.status = watch.stop().unwrap_or(Status::Stalled);
        }
        if !errors.is_empty() {
            report.details.insert("weight_errors".to_string(), errors);
        }
        let accepted = walks.iter().map(|w| w.accepted).collect();
        report.details.insert("accepted".to_string(), accepted);
        let (coefs, biases) = means(&all, &instances, heads);
        let machines = bayes::heads(&roles, coefs, &biases);
        let draws = drawn(&all, &instances, heads);
        report.seconds = watch.seconds();
        let rule = Sampled::rule(weights, draws);
        Ok(Learned { machines: Some(machines), ..Learned::of(rule, report) })
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn takes(&self, machine: &dyn Machine) -> bool {
        machine.as_logistic().is_some()
    }
}

/// The means of η_m w_u over the draws, one kernel after the other, and of the w_u0.
fn means(all: &[&Draw], instances: &Instances<'_>, heads: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (kernels, share) = (instances.bank.len(), 1.0 / all.len() as f64);
    let of_head = |u: usize| -> Vec<f64> {
        let of_kernel = |m: usize| {
            let mut own = vec![0.0; instances.n()];
            for draw in all {
                let factor = share * draw.eta[m] / instances.unit;
                own.iter_mut().zip(&draw.coefs[u][1..]).for_each(|(o, w)| *o += factor * w);
            }
            instances.spread(&own)
        };
        (0..kernels).flat_map(of_kernel).collect()
    };
    let bias = |u: usize| share * all.iter().map(|d| d.coefs[u][0]).sum::<f64>();
    ((0..heads).map(of_head).collect(), (0..heads).map(bias).collect())
}

/// The draws as the rule keeps them.
fn drawn(all: &[&Draw], instances: &Instances<'_>, heads: usize) -> Draws {
    let kernels = instances.bank.len();
    let mut coef = Matrix::zeros(instances.bank.n(), all.len() * heads);
    for (s, draw) in all.iter().enumerate() {
        for (u, w) in draw.coefs.iter().enumerate() {
            for (i, v) in instances.rows.iter().zip(&w[1..]) {
                coef.set(*i, s * heads + u, v / instances.unit);
            }
        }
    }
    Draws {
        heads,
        coef,
        biases: Matrix::from_fn(all.len(), heads, |s, u| all[s].coefs[u][0]),
        weights: Matrix::from_fn(all.len(), kernels, |s, m| all[s].eta[m]),
    }
}
