//! The product of powers of the kernels: k(x, z) = Π_m k_m(x, z)^γ_m.
//!
//! A fixed rule: the product with exponents. By default all are 1/M, which is the geometric mean and keeps
//! the size of the values. For Gaussian kernels k_m = exp(−g_m d_m) it is the Gaussian kernel of the weighted
//! distance Σ γ_m g_m d_m, the form whose exponents generalised MKL learns (Varma and Babu 2009; LMKA
//! §2.2.2). Whole exponents of positive semi-definite kernels give a positive semi-definite one (Schur).
//! Others do so for kernels all powers of which are (Gaussian, Laplacian, exponentials of a conditionally
//! negative distance), and are refused where an entry is negative, of which there is no power.
//!
//! Multiplying kernel m by s multiplies the combination by s^γ_m, the same as C. Cost: M n² powers; all
//! kernels whose exponent is not 0 are needed to predict.

use super::named::by_name;
use super::{Copies, Learned, Learner, Problem, fixed};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::PowerProduct;
use crate::run::Pass;
use crate::{Error, Result, Run};
use std::collections::BTreeMap;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Powers::new(p)) };

static METHOD: Method = Method {
    id: "power_product",
    title: "product of powers",
    source: "Gönen 2010, §2.1, §2.2.2; Varma and Babu 2009",
    summary: "Two instances are similar only if they are similar in every kernel, and exponents say how much \
              each counts; the geometric mean by default. Nothing is learned. Costs one machine.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::FixedRules,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[Param {
        name: "exponents",
        doc: "Exponents by kernel, view or function, a=2,gaussian=0.5; of those not named 0. mean: 1/M for each.",
        range: Range::Factors { default: MEAN, of: &[MEAN], min: 0.0, max: 64.0 },
    }],
};

/// All exponents 1/M.
const MEAN: &str = "mean";

#[derive(Debug)]
struct Powers {
    /// By kernel or by view; `None` is the geometric mean.
    given: Option<BTreeMap<String, f64>>,
}

impl Powers {
    fn new(p: &Params) -> Self {
        let all = p.factors("exponents").ok().cloned();
        Powers { given: all }
    }

    /// The exponent of each kernel.
    fn exponents(&self, problem: &Problem<'_>) -> Result<Vec<f64>> {
        let kernels = problem.bank.len();
        let Some(given) = &self.given else {
            return Ok(vec![1.0 / kernels as f64; kernels]);
        };
        let named = by_name(problem, "kernel, view or function in exponents", given)?;
        let exponents: Vec<f64> = named.iter().map(|g| g.unwrap_or(0.0)).collect();
        match exponents.iter().any(|g| *g > 0.0) {
            true => Ok(exponents),
            false => Err(Error::parameter("exponents", "expected one above 0, found none")),
        }
    }
}

impl Learner for Powers {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let exponents = self.exponents(problem)?;
        let watch = run.watch();
        for (m, exponent) in exponents.iter().enumerate() {
            if *exponent == exponent.round() {
                continue;
            }
            let (_, (least, i, j)) = problem.bank.row_sums_in(m, &Pass::under(&watch));
            if least < 0.0 {
                return Err(Error::Data(format!(
                    "kernel '{}' is {least} for rows {i} and {j}: a negative number has no power \
                     {exponent}; use whole exponents or kernels that are not negative (gaussian)",
                    problem.bank.kernels()[m].name
                )));
            }
        }
        fixed(problem, PowerProduct::rule(exponents), run)
    }

    fn depends_on_machine(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::CountTwice
    }

    fn reads_partial_labels(&self) -> bool {
        true
    }
}
