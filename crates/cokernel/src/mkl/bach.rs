//! Multiple kernel learning with a weighted l1 norm over feature spaces, the support kernel machine of Bach,
//! Lanckriet and Jordan.
//!
//! ```text
//! min  ½ (Σ_m d_m ‖w_m‖)² + loss(Σ_m ⟨w_m, Φ_m(x_i)⟩ + b)                                        (2.4)
//!   =  min  J(η)   subject to   η ≥ 0,  Σ_m d_m² η_m = 1
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Bach, Lanckriet and Jordan, ICML 2004; LMKA §2.2.1.3, (2.4) and (2.5); D2.) The dual (2.5) bounds the form of
//! each kernel, γ² d_m² ≥ Σ_u q_m^u, and the multipliers of these cones are the weights. d_m is what kernel m costs:
//! a kernel with a large d_m has to fit the data so much better (cost-conscious MKL, LMKA §2.8; E4). With `d = unit` it
//! is SimpleMKL; with `d = trace`, d_m² = tr(K_m)/n over the n instances that take part, it is the quadratically constrained program of Lanckriet et al. (2004) over kernels of trace n,
//! and does not change if a kernel is multiplied by a number.
//!
//! `d = features` and `d = measured` take d_m² in proportion to the number of features that kernel m reads, or to the
//! seconds that one of its values takes, and 1 for the cheapest: the numbers of LMKA §5.2.3.2, 1, 1, 2, 4 for views of
//! 16, 16, 64 and 256 features. Measured seconds are others each time, so the weights do not repeat; the report keeps
//! them (`details["seconds"]`). What a model costs is [`Model::total_cost`](crate::model::Model::total_cost).
//!
//! | symbol | name |
//! |---|---|
//! | η | `weights` |
//! | d_m | parameter `d` |
//! | d_m² | `factors` |
//!
//! **Certificate.** P(η) ≥ min J ≥ ℓ(c) − ½ max_m Σ_u q_m^u/d_m² for any feasible c.
//!
//! **Steps.** s_m = d_m² η_m are the weights of the kernels K_m/d_m² on the simplex, so all is as for
//! [`simple_mkl`](super::simple_mkl), and so is the cost: about seven machines and as many passes over all kernels.
//! The paper smooths its problem to use an algorithm like SMO; that is not needed here.

use super::definite::refuse_indefinite;
use super::named::by_name;
use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, TOL};
use super::prices::Solving;
use super::sets::scaled::Scaled;
use super::{Learned, Learner, Problem, check, kernel_costs};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::{Error, Result, Run};
use std::collections::BTreeMap;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Bach::new(p)) };

static METHOD: Method = Method {
    id: "bach",
    title: "MKL with a weighted l1 norm (support kernel machine)",
    source: "Bach, Lanckriet, Jordan 2004; Gönen 2010, §2.2.1.3, (2.4)-(2.5), §2.8",
    summary: "SimpleMKL with a price for each kernel: the weights η have Σ d_m² η_m = 1, so that a kernel with a \
              large d_m has to be so much better. Most weights become 0. Stops on the relative duality gap. Costs \
              about seven machines and as many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "weighted_simplex",
        says: "not negative, with Σ d_m² η_m = 1",
        holds: |w, p| {
            let unit = p.factors("d") == Err(UNIT);
            let some = w.iter().all(|w| *w >= 0.0) && w.iter().any(|w| *w > 0.0);
            some && (!unit || (w.iter().sum::<f64>() - 1.0).abs() < 1e-12)
        },
    },
    params: &[
        Param {
            name: "d",
            doc: "d_m of (2.4), what the norm of a kernel's weight vector costs: unit, 1 for all (SimpleMKL); trace, \
                  the root of the mean diagonal entry (which undoes the scale of kernels); features or measured, the \
                  root of the number of features or of the seconds that a value takes, 1 for the cheapest kernel; or \
                  numbers by kernel, view or function, a=2,gaussian=0.5, 1 for those not named.",
            range: Range::Factors {
                default: UNIT,
                of: &[UNIT, TRACE, FEATURES, MEASURED],
                min: 0.0,
                max: 1e100,
            },
        },
        TOL,
        MAX_ITERATIONS,
    ],
};

const UNIT: &str = "unit";
const TRACE: &str = "trace";
const FEATURES: &str = "features";
const MEASURED: &str = "measured";

#[derive(Debug)]
enum Prices {
    Unit,
    Trace,
    Features,
    Measured,
    Named(BTreeMap<String, f64>),
}

#[derive(Debug)]
struct Bach {
    prices: Prices,
    solving: Solving,
}

impl Bach {
    fn new(params: &Params) -> Self {
        let prices = match params.factors("d") {
            Ok(given) => Prices::Named(given.clone()),
            Err(TRACE) => Prices::Trace,
            Err(FEATURES) => Prices::Features,
            Err(MEASURED) => Prices::Measured,
            Err(_) => Prices::Unit,
        };
        let (tol, max_iterations) = (params.real("tol"), params.count("max_iterations"));
        let solving = Solving { title: "MKL with a weighted l1 norm", tol, max_iterations };
        Bach { prices, solving }
    }

    /// d_m; what was measured is told.
    fn prices(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        details: &mut BTreeMap<String, Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let bank = problem.bank;
        match &self.prices {
            Prices::Features => {
                let counts = kernel_costs::features(bank, problem.views, "d = features")?;
                Ok(kernel_costs::prices(&counts))
            }
            Prices::Measured => {
                let seconds = kernel_costs::seconds(bank, problem.views, "d = measured", run)?;
                let d = kernel_costs::prices(&seconds);
                details.insert("seconds".to_string(), seconds);
                Ok(d)
            }
            Prices::Unit => Ok(vec![1.0; bank.len()]),
            Prices::Named(given) => {
                let named = by_name(problem, "kernel, view or function in d", given)?;
                Ok(named.iter().map(|d| d.unwrap_or(1.0)).collect())
            }
            Prices::Trace => {
                let means = bank.mean_diagonals();
                (0..bank.len()).map(|m| usable_mean(problem, m, means[m]).map(f64::sqrt)).collect()
            }
        }
    }
}

/// tr(K_m)/n, if it is a price.
fn usable_mean(problem: &Problem<'_>, m: usize, mean: f64) -> Result<f64> {
    if mean > 0.0 && mean.is_finite() {
        return Ok(mean);
    }
    Err(Error::Data(format!(
        "kernel '{}' has trace {:e}, expected above 0 for d = trace; leave the kernel out, or give d by name",
        problem.bank.kernels()[m].name,
        mean * problem.bank.n() as f64
    )))
}

/// The weights of methods that find d themselves.
pub(super) const FOUND_PRICES: WeightSet = WeightSet {
    id: "found_prices",
    says: "not negative, with Σ d_m² η_m = 1 for the d that it finds",
    holds: |w, _| w.iter().all(|w| *w >= 0.0) && w.iter().any(|w| *w > 0.0),
};

/// Learns with these d.
pub(super) fn learn_with(
    solving: &Solving,
    d: &[f64],
    problem: &Problem<'_>,
    run: &Run,
) -> Result<Learned> {
    let scaled = Scaled { set: Simplex, factors: d.iter().map(|d| d * d).collect() };
    let Solving { title, tol, max_iterations } = *solving;
    Outer { title, set: &scaled, tol, max_iterations, second: true }.learn(problem, run)
}

impl Learner for Bach {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        refuse_indefinite(problem, "MKL with a weighted l1 norm", &run.watch())?;
        let mut details = BTreeMap::new();
        let d = self.prices(problem, run, &mut details)?;
        let mut learned = learn_with(&self.solving, &d, problem, run)?;
        details.insert("d".to_string(), d);
        learned.report.details.extend(details);
        Ok(learned)
    }

    fn drives_duals(&self) -> bool {
        true
    }
}
