//! Bayesian efficient multiple kernel learning (BEMKL) by variational inference, with dense or sparse weights.
//!
//! ```text
//! λ_i ~ gamma(1, 1)     a_i ~ N(0, 1/λ_i)     g_mj ~ N(Σ_i a_i k_m(x_i, x_j), σ_g²)
//! γ ~ gamma(1, 1)       b ~ N(0, 1/γ)         ω_m ~ gamma(α, β)       e_m ~ N(0, 1/ω_m)
//! f_j ~ N(Σ_m e_m g_mj + b, 1)                y_j f_j > ν
//! ```
//!
//! (Gönen, ICML 2012, §3 and (1)–(8) of its supplement, with the programs that go with it; GMKD §VII.) Several classes have a, b
//! and f of their own and share e. Numbers: y_j ~ N(Σ_m e_m g_mj + b, 1/ε), with gamma(1, 1) priors of ε and of υ = 1/σ_g².
//!
//! | symbol | name |
//! |---|---|
//! | means of e, standard deviations | weights of the rule, `details["weight_errors"]` |
//! | α, β of the weights: 1, 1 or 10⁻¹⁰, 10¹⁰ | `weights_prior`: dense, sparse |
//! | ν, σ_g | `margin`, `sigma_g` |
//! | means of 1/√ε, 1/√υ | `details["noise"]`, `details["spread_of_parts"]` |
//!
//! q = q(λ) q(a) q(G) q(γ) q(ω) q(b, e) q(f). The trace is the lower bound of the logarithm of the evidence, which never falls;
//! the search ends where a sweep raises it by a part less than `tol`, which is large: the scales of weights and functions go on
//! growing and shrinking slowly for thousands of sweeps (10⁻⁴ is reached after some 150, where the source takes 200).
//! For new instances see [`margins`](crate::rule::Margins).
//!
//! **Deviations.** All kernels are divided by the mean of their diagonals, and numbers have mean 0 and variance 1, so that
//! units do not matter; the published start is random, this one is fixed (the means of those draws). The published bound leaves
//! out σ_g² in E ln p(G|a), and takes the variance of a truncated value for its mean square about its center: this one does
//! not. Its probabilities divide by v where v is a variance; by √v here. Under the sparse prior weights whose part of the
//! decision values is less than 10⁻⁶ are 0 at the end. An instance with a weight w counts as w instances to which no a
//! belong.
//!
//! **Cost.** Once Σ_m K_m K_mᵀ, M n³ (of kernels of small rank r, as those of single features are, 2 r n² for n³); of a sweep
//! 2/3 n³ for each decision function (Σ_a is wanted for its diagonal alone, as tr(S Σ_a)/σ_g² = n − Σ λ_i Σ_ii), n³ where λ has
//! begun to change little, which then serves several sweeps at some n² each
//! (`bemkl/coefficients.rs`); two products of every kernel with a vector, and n M².

use super::bayes::{Instances, ascend, heads, roles};
use super::{Copies, Learned, Learner, Problem, fits};
use crate::data::Matrix;
use crate::machine::{Machine, Role, Says};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Margins;
use crate::{Counts, Report, Result, Run};

mod coefficients;
mod kernels;
mod sweep;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Bemkl::new(p)) };

static METHOD: Method = Method {
    id: "bemkl",
    title: "Bayesian efficient MKL (BEMKL)",
    source: "Gönen 2012, §3; Mao, Tsang, Gao, Wang 2015, §VII",
    summary: "Weights with their standard deviations, and probabilities of classes or standard deviations of numbers, \
              by variational inference. No C to choose; weights may be negative. Costs a factorisation of an n × n \
              matrix for each sweep.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::OneStage,
    certificate: Certificate::Trace,
    recommended: false,
    weights: REAL,
    params: &[
        Param {
            name: "weights_prior",
            doc: "dense: all kernels take part; sparse: few do.",
            range: Range::Choice { default: "dense", of: &["dense", "sparse"] },
        },
        Param {
            name: "margin",
            doc: "Latent values of the classes are at least so far from 0.",
            range: Range::Real { default: 1.0, min: 0.0, max: 100.0, closed: true },
        },
        Param {
            name: "sigma_g",
            doc: "Standard deviation of the values of a kernel about its function; of numbers it is learned from there.",
            range: Range::Real { default: 0.1, min: 1e-6, max: 1e6, closed: true },
        },
        Param {
            name: "tol",
            doc: "The sweeps end where one raises the bound by less than this part of it.",
            range: Range::Real { default: 1e-4, min: 0.0, max: 1.0, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Limit on sweeps.",
            range: Range::Int { default: 1000, min: 1, max: i64::MAX },
        },
    ],
};

/// Any real numbers.
const REAL: WeightSet =
    WeightSet { id: "real", says: "real numbers", holds: |w, _| w.iter().all(|v| v.is_finite()) };

/// Weights with a smaller part of the decision values are 0 under the sparse prior.
const PRUNED: f64 = 1e-6;

#[derive(Debug)]
struct Bemkl {
    sparse: bool,
    margin: f64,
    sigma_g: f64,
    tol: f64,
    max_iterations: usize,
}

impl Bemkl {
    fn new(p: &Params) -> Self {
        Bemkl {
            sparse: p.text("weights_prior") == "sparse",
            margin: p.real("margin"),
            sigma_g: p.real("sigma_g"),
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
        }
    }
}

/// Numbers as they are looked at: (y − mean)/deviation.
struct Numbers {
    mean: f64,
    deviation: f64,
}

impl Numbers {
    fn of(y: &[f64], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mean = y.iter().zip(weights).map(|(y, w)| w / total * y).sum::<f64>();
        let largest = y.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
        let square = |(y, w): (&f64, &f64)| w / total * ((y - mean) / largest).powi(2);
        let deviation = largest * y.iter().zip(weights).map(square).sum::<f64>().sqrt();
        Numbers { mean, deviation: if deviation > 0.0 { deviation } else { 1.0 } }
    }
}

impl Learner for Bemkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let watch = run.watch();
        let instances = Instances::new(problem, 2)?;
        instances.room(3, run)?;
        let mut unit = Numbers { mean: 0.0, deviation: 1.0 };
        let (roles, given) = if problem.target.classes().is_ok() {
            let roles = roles(problem)?;
            let codes = &problem.target.classes()?.codes;
            let signs = |role: &Role| instances.rows.iter().map(|i| role.sign(codes[*i])).collect();
            let given = sweep::Given::Signs(roles.iter().map(signs).collect());
            (roles, given)
        } else {
            let y = instances.gather(problem.target.real()?);
            unit = Numbers::of(&y, &instances.weights);
            let y = y.iter().map(|v| (v - unit.mean) / unit.deviation).collect();
            (vec![Role::Only { says: Says::Number }], sweep::Given::Numbers(y))
        };
        let numbers = matches!(given, sweep::Given::Numbers(_));
        let prior = if self.sparse { (1e-10, 1e10) } else { (1.0, 1.0) };
        let asked = sweep::Asked { margin: self.margin, sigma_g: self.sigma_g, prior };
        let mut report = Report::closed_form(run);
        let shift = if numbers { instances.total() * unit.deviation.ln() } else { 0.0 };
        let kernels = kernels::Kernels::new(&instances, &watch)?;
        // Beside an inverse for each decision function squares, and a matrix and its factor.
        let keep = fits(problem.bank, roles.len() + 3, run);
        let mut state = sweep::State::new(&kernels, &given, &asked, keep, &watch);
        let (status, bounds) =
            ascend(&mut state, self.tol, self.max_iterations, &watch, |s| s.sweep());
        report.status = status;
        report.objective = bounds.iter().map(|b| b - shift).collect();
        report.iterations = report.objective.len();
        if report.objective.is_empty() {
            let said = "stopped before the first sweep: nothing is known of the weights";
            report.notes.push(said.to_string());
        }
        report.counts = Counts { combines: instances.bank.len() as u64, ..Counts::default() };
        let shares = state.shares();
        let largest = shares.iter().fold(0.0_f64, |a, s| a.max(*s));
        let pruned = |m: usize| self.sparse && shares[m] < PRUNED * largest;
        let weights: Vec<f64> =
            state.e().iter().enumerate().map(|(m, e)| if pruned(m) { 0.0 } else { *e }).collect();
        let errors = state.errors();
        report.details.insert("weight_errors".to_string(), errors);
        if numbers {
            let (noise, parts) = state.noises();
            report.details.insert("noise".to_string(), vec![unit.deviation * noise]);
            report.details.insert("spread_of_parts".to_string(), vec![unit.deviation * parts]);
        }
        let coefs: Vec<Vec<f64>> = state
            .coefs()
            .map(|a| instances.spread(&a.iter().map(|v| v / instances.unit).collect::<Vec<_>>()))
            .collect();
        let of_parts = Matrix::from_fn(instances.bank.n(), coefs.len(), |i, u| coefs[u][i]);
        let parts = state.parts(of_parts, &weights, unit.deviation, numbers);
        let scaled = |coef: Vec<f64>| coef.iter().map(|c| unit.deviation * c).collect();
        let biases: Vec<f64> =
            state.biases().iter().map(|b| unit.mean + unit.deviation * b).collect();
        let machines = heads(&roles, coefs.into_iter().map(scaled).collect(), &biases);
        report.seconds = watch.seconds();
        let rule = Margins::rule(weights, parts);
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
        machine.as_logistic().is_some() || machine.with_ridge(1.0).is_some()
    }
}
