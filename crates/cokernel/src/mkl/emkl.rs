//! MKL with prices from eigenvalues: d_m = e_m^γ, γ by the validation error.
//!
//! ```text
//! e_m = number of eigenvalues of K_m greater than ½ tr(K_m)/n,      d_m = e_m^γ
//! ```
//!
//! (Bach, Thibaux and Jordan, 2005; LMKA §2.7.2, where it is EMKL; E2.) A kernel with many large eigenvalues, a
//! narrow Gaussian one say, is dearer the larger γ is; γ = 0 is [`bach`](super::bach) with all d_m equal. The bound is
//! ½ for kernels of unit diagonal, as in LMKA, and 1/(2n) for kernels of unit trace, as in the source.
//!
//! | symbol | name |
//! |---|---|
//! | γ | one of parameter `gamma`, chosen: `details["gamma"]` |
//! | e_m, d_m | `details["eigenvalues"]`, `details["d"]` |
//! | errors on folds for each γ | `details["validation_error"]` |
//!
//! γ comes from a list, 0, 0.1, …, 1 if none is given, by the error on inner folds of the training instances (of equal
//! ones the least γ). Prices above 1 make the weights smaller, Σ d_m² η_m = 1, as a smaller C does. With one kernel there
//! is nothing to choose and d = 1.
//!
//! **Certificate.** That of the last fit, for the γ that was found.
//!
//! **Cost**: 4/3 n³ for each kernel; `folds` fits of [`bach`](super::bach) for each γ.

use super::definite::refuse_indefinite;
use super::held_out::{FOLDS, HeldOut};
use super::outer::{MAX_ITERATIONS, TOL};
use super::prices::{Prices, Solving, nothing_searched};
use super::{Copies, Learned, Learner, Problem, bach, check};
use crate::method::{Certificate, Entry, Group, Method, Task};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::{Error, Event, Result, Run, Watch};
use cokernel_dense::count_above;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> = Entry { method: &METHOD, build: |p| Box::new(Emkl::new(p)) };

static METHOD: Method = Method {
    id: "emkl",
    title: "MKL with prices from eigenvalues",
    source: "Bach, Thibaux, Jordan 2005; Gönen 2010, §2.7.2",
    summary: "MKL in which a kernel is dearer the more large eigenvalues it has, d_m = e_m^γ, with γ chosen by errors \
              on inner folds. Costs the eigenvalues of each kernel and folds × 11 fits of MKL.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: bach::FOUND_PRICES,
    params: &[
        Param {
            name: "gamma",
            doc: "Values of γ to choose from, separated by spaces; grid: 0, 0.1, …, 1.",
            range: Range::Text { default: GRID, expected: "numbers separated by spaces, or grid" },
        },
        FOLDS,
        TOL,
        MAX_ITERATIONS,
    ],
};

const GRID: &str = "grid";

#[derive(Debug)]
struct Emkl {
    gamma: String,
    folds: usize,
    solving: Solving,
}

impl Emkl {
    fn new(params: &Params) -> Self {
        let (tol, max_iterations) = (params.real("tol"), params.count("max_iterations"));
        Emkl {
            gamma: params.text("gamma").to_string(),
            folds: params.count("folds"),
            solving: Solving { title: "MKL with prices from eigenvalues", tol, max_iterations },
        }
    }

    /// The values of γ, ascending.
    fn gammas(&self) -> Result<Vec<f64>> {
        if self.gamma == GRID {
            return Ok((0..=10).map(|g| f64::from(g) / 10.0).collect());
        }
        let words = self.gamma.split([' ', ';']).filter(|w| !w.is_empty());
        let number = |word: &str| {
            let number = word.parse::<f64>().ok().filter(|g| g.abs() <= 10.0);
            number.ok_or_else(|| {
                let problem =
                    format!("expected numbers from -10 to 10 separated by spaces, found '{word}'");
                Error::parameter("gamma", problem)
            })
        };
        let mut gammas = words.map(number).collect::<Result<Vec<f64>>>()?;
        gammas.sort_by(f64::total_cmp);
        if gammas.is_empty() {
            return Err(Error::parameter("gamma", "expected at least one number, found none"));
        }
        Ok(gammas)
    }
}

/// e_m, at least 1 each; `None` after a stop.
fn counts(problem: &Problem<'_>, run: &Run, watch: &Watch) -> Result<Option<Vec<f64>>> {
    let bank = problem.bank;
    let (means, pass) = (bank.mean_diagonals(), Pass::under(watch));
    run.tell(Event::Begin { stage: "eigenvalues", total: Some(bank.len() as u64) });
    let mut counts = Vec::with_capacity(bank.len());
    for (m, mean) in means.iter().enumerate() {
        if watch.stop().is_some() {
            return Ok(None);
        }
        if !(*mean > 0.0 && mean.is_finite()) {
            return Err(Error::Data(format!(
                "kernel '{}' has trace {:e}, expected above 0; leave the kernel out",
                bank.kernels()[m].name,
                mean * bank.n() as f64
            )));
        }
        let mut one = vec![0.0; bank.len()];
        one[m] = 1.0 / mean;
        let values = bank.combine_in(&one, &pass)?.into_matrix()?.into_values();
        let Some(count) = count_above(bank.n(), values, 0.5, &|| !pass.is_over()) else {
            return Ok(None);
        };
        counts.push(count.max(1) as f64);
        run.tell(Event::Step { done: m as u64 + 1, message: &bank.kernels()[m].name });
    }
    run.tell(Event::End);
    Ok(Some(counts))
}

impl Learner for Emkl {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let watch = run.watch();
        let gammas = self.gammas()?;
        refuse_indefinite(problem, "MKL with prices from eigenvalues", &watch)?;
        let kernels = problem.bank.len();
        let held_out = HeldOut::new(problem, self.folds, run)?;
        let found = if kernels > 1 { counts(problem, run, &watch)? } else { None };
        let (Some(held_out), Some(counts)) = (held_out, found) else {
            let mut learned = bach::learn_with(&self.solving, &vec![1.0; kernels], problem, run)?;
            learned.report.notes.extend(nothing_searched(kernels, &watch));
            learned.report.details.insert("d".to_string(), vec![1.0; kernels]);
            return Ok(learned);
        };
        let d = |gamma: f64| -> Vec<f64> { counts.iter().map(|e| e.powf(gamma)).collect() };
        let mut prices = Prices::new(problem, held_out, self.solving, (run, &watch));
        let mut best = (f64::INFINITY, gammas[0]);
        let mut errors = Vec::new();
        run.tell(Event::Begin { stage: "values of γ", total: Some(gammas.len() as u64) });
        for gamma in &gammas {
            let Some(error) = prices.error(&d(*gamma))? else { break };
            errors.push(error);
            if error < best.0 {
                best = (error, *gamma);
            }
            let message = format!("γ {gamma}, error {error:.4}");
            run.tell(Event::Step { done: errors.len() as u64, message: &message });
        }
        run.tell(Event::End);
        let mut learned = prices.finish(d(best.1))?;
        let details = &mut learned.report.details;
        details.insert("gamma".to_string(), vec![best.1]);
        details.insert("gammas".to_string(), gammas[..errors.len()].to_vec());
        errors.retain(|e| e.is_finite());
        details.insert("validation_error".to_string(), errors);
        details.insert("eigenvalues".to_string(), counts);
        Ok(learned)
    }

    fn weights_repeat(&self) -> bool {
        false
    }

    fn copies(&self) -> Copies {
        Copies::Either
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn gammas_are_read() {
        let of = |text: &str| {
            let value = crate::params::Value::Text(text.to_string());
            Emkl::new(&METHOD.check([("gamma", &value)]).unwrap()).gammas()
        };
        assert_eq!(of("grid").unwrap().len(), 11);
        assert_eq!(of("1 0  -0.5").unwrap(), [-0.5, 0.0, 1.0]);
        let e = of("0 x").unwrap_err().to_string();
        assert!(e.contains("gamma") && e.contains("separated by spaces, found 'x'"), "{e}");
        assert!(of("nan").is_err() && of("11").is_err());
    }
}
