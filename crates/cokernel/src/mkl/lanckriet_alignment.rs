//! Alignment over all positive semi-definite linear combinations, with weights of any sign.
//!
//! ```text
//! max    ηᵀa    subject to   ηᵀGη ≤ 1,  Σ η_m K_m ⪰ 0,      G_mh = ⟨K_m, K_h⟩,  a_m = ⟨K_m, T⟩
//! ```
//!
//! (Lanckriet et al. 2004; LMKA §2.3.1.1, the semidefinite program over K_L. LMKA also asks for trace 1 beside ⟨K, K⟩ = 1,
//! which cannot both be had of one direction; the program that follows there is this one.) A kernel may be
//! subtracted as long as the combination on the training instances stays positive semi-definite; with new
//! instances it need not. T is the [ideal kernel](super::measures::Ideal) of classes or numbers.
//!
//! **Cutting planes.** K ⪰ 0 is vᵀKv ≥ 0 for all v. With the cuts found so far, the rows of C, the least ηᵀGη − 2ηᵀa
//! with Cη ≥ 0 has the direction of the relaxed optimum, η = G⁻¹(a + Cᵀλ), and λ ≥ 0 is a non-negative
//! program ([`nonnegative`](crate::solve::nonnegative)); eigenvectors of negative eigenvalues of K_η are the
//! next cuts. The answer is the point nearest to η on the way to that of [`alignf`](super::alignf) whose
//! matrix is positive semi-definite to rounding.
//!
//! **Certificate.** The objective is the alignment of the answer, which is maximised. Every η' of the problem has
//! a'η' ≤ (a + Cᵀλ)ᵀη' ≤ √((a + Cᵀλ)ᵀG⁻¹(a + Cᵀλ)) for every λ ≥ 0: the bound of the gap.
//!
//! **Result.** The weights are divided so that the combination has the trace of the mean of the kernels: of unit
//! diagonal they have sum 1, and C of the machine means what it does for the mean.
//!
//! **Scale.** s·K_m gets η_m/s. Cost: 4/3 n³ for the least eigenvalues about 20 times: for up to some
//! hundred instances; refused above 2,000.

use super::alignf::inner;
use super::measures::{CENTERED_NOT, Ideal, Products, is_centered, passed};
use super::{Learned, Learner, Problem, check};
use crate::bank::Bank;
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::rule::Weighted;
use crate::run::Pass;
use crate::solve::lmi::Inverse;
use crate::solve::nonnegative::minimize_nonnegative;
use crate::{Error, Event, Report, Result, Run, Status, Watch};
use cokernel_dense::{Cholesky, Slice, leading_eigen_while};

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(Semidefinite::new(p)) };

static METHOD: Method = Method {
    id: "lanckriet_alignment",
    title: "alignment with weights of any sign",
    source: "Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.3.1.1",
    summary: "The positive semi-definite combination with the largest alignment, in which kernels may be \
              subtracted. Some eigenvalue problems of the size of the data: for a few hundred instances.",
    tasks: &[Task::Classify, Task::Regress],
    group: Group::Alignment,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "any_sign",
        says: "of any sign; the combination is positive semi-definite",
        holds: |w, _| w.iter().all(|w| w.is_finite()) && w.iter().any(|w| *w > 0.0),
    },
    params: &[
        Param {
            name: "tol",
            doc: "Relative duality gap of the alignment to stop at.",
            range: Range::Real { default: 1e-6, min: 0.0, max: 0.5, closed: false },
        },
        Param {
            name: "max_iterations",
            doc: "Rounds of cuts at most.",
            range: Range::Int { default: 200, min: 1, max: i64::MAX },
        },
        CENTERED_NOT,
    ],
};

/// Instances up to which it is tried, and cuts of a round.
const MOST: usize = 2_000;
const CUTS: usize = 8;

/// Eigenvalues of the cosines between kernels, as a part of the largest and for each kernel, that are rounding of 0.
const DEPENDENT: f64 = 1e-13;

/// Eigenvalue, relative to the largest, that counts as 0.
const ZERO: f64 = 1e-12;

#[derive(Debug)]
struct Semidefinite {
    tol: f64,
    max_iterations: usize,
    centered: bool,
}

impl Semidefinite {
    fn new(p: &Params) -> Self {
        Semidefinite {
            tol: p.real("tol"),
            max_iterations: p.count("max_iterations"),
            centered: is_centered(p),
        }
    }
}

/// The least eigenvalues of a combination, ascending, their eigenvectors as columns, and its largest eigenvalue.
struct Spectrum {
    values: Vec<f64>,
    vectors: Vec<f64>,
    largest: f64,
}

impl Spectrum {
    /// `None` where the pass was given up.
    fn of(bank: &Bank, weights: &[f64], pass: &Pass<'_>) -> Result<Option<Self>> {
        let (n, k) = (bank.n(), bank.n().min(CUTS));
        let mut matrix = bank.combine_in(weights, pass)?.into_matrix()?.into_values();
        matrix.iter_mut().for_each(|v| *v = -*v);
        let (mut vectors, going) = (vec![0.0; n * k], || !pass.is_over());
        let found = leading_eigen_while(Slice::new(&matrix, n, n), k, true, &mut vectors, &going);
        if pass.is_given_up() {
            return Ok(None);
        }
        let (mut values, least) = found
            .ok_or_else(|| Error::Data("a combination of the kernels has no eigenvalues".into()))?;
        values.iter_mut().for_each(|v| *v = -*v);
        Ok(Some(Spectrum { values, vectors, largest: -least }))
    }

    /// The least and the largest magnitude.
    fn ends(&self) -> (f64, f64) {
        let least = self.values[0];
        (least, self.largest.abs().max(least.abs()))
    }

    /// Eigenvalues below it are no rounding.
    fn zero(&self) -> f64 {
        -ZERO * self.ends().1 * (self.vectors.len() / self.values.len()) as f64
    }

    fn is_semidefinite(&self) -> bool {
        self.values[0] >= self.zero()
    }

    /// Eigenvectors of the most negative eigenvalues: not of those that are 0 up to rounding, as all kernels that were
    /// centred share one, where vᵀK_m v is rounding of any sign and a cut would take away what is allowed.
    fn cuts(&self) -> Vec<Vec<f64>> {
        let (count, zero) = (self.values.len(), self.zero());
        let column = |k: usize| self.vectors.iter().skip(k).step_by(count).copied().collect();
        (0..count).filter(|k| self.values[*k] < zero).map(column).collect()
    }
}

/// G⁺, with kernels in units of their own norms. What a sum of kernels that is 0 (copies, for example) adds to an η changes
/// nothing, and a and all cuts are 0 along it: of all such η the shortest is taken.
struct Inner {
    inverse: Inverse,
    /// 1/√G_mm; 0 of a kernel that is 0.
    units: Vec<f64>,
}

impl Inner {
    fn new(m: usize, gram: &[f64]) -> Self {
        let unit = |v: f64| if v > 0.0 { 1.0 / v.sqrt() } else { 0.0 };
        let units: Vec<f64> = (0..m).map(|i| unit(gram[i * m + i])).collect();
        let cosines = Matrix::from_fn(m, m, |i, j| units[i] * gram[i * m + j] * units[j]);
        Inner { inverse: Inverse::new(&cosines), units }
    }

    fn solve(&self, side: &[f64]) -> Vec<f64> {
        let times =
            |v: &[f64]| -> Vec<f64> { v.iter().zip(&self.units).map(|(v, u)| v * u).collect() };
        times(&self.inverse.above(DEPENDENT * side.len() as f64, &times(side)))
    }
}

/// The best η with Cη ≥ 0, and (a + Cᵀλ)ᵀG⁻¹(a + Cᵀλ).
fn relaxed(inner: &Inner, a: &[f64], cuts: &[Vec<f64>], watch: &Watch) -> (Vec<f64>, f64) {
    let t = cuts.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let own = &inner.solve(a);
    let others: Vec<Vec<f64>> = cuts.iter().map(|c| inner.solve(c)).collect();
    let mut eta = own.clone();
    let mut side = a.to_vec();
    if t > 0 {
        let quadratic: Vec<f64> =
            cuts.iter().flat_map(|c| others.iter().map(move |o| dot(c, o))).collect();
        let linear: Vec<f64> = cuts.iter().map(|c| -dot(c, own)).collect();
        let found = minimize_nonnegative(&quadratic, &linear, watch);
        for ((l, o), c) in found.x.iter().zip(&others).zip(cuts) {
            eta.iter_mut().zip(o).for_each(|(e, o)| *e += l * o);
            side.iter_mut().zip(c).for_each(|(s, c)| *s += l * c);
        }
    }
    let bound = dot(&side, &eta);
    (eta, bound)
}

impl Learner for Semidefinite {
    fn weights_repeat(&self) -> bool {
        false
    }

    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        check(problem)?;
        let (bank, watch) = (problem.bank, run.watch());
        let (n, m) = (bank.n(), bank.len());
        if n > MOST {
            return Err(Error::Data(format!(
                "lanckriet_alignment solves eigenvalue problems of the size of the data and takes up to {MOST} \
                 instances, found {n}; use alignf, whose weights are not negative"
            )));
        }
        let pass = Pass::under(&watch);
        let mut report = Report::closed_form(run);
        let ideal = Ideal::of(problem.target)?;
        let products = Products::in_pass(bank, &ideal, self.centered, true, run, &pass)?;
        if let Some(stopped) = passed(m, &report, &watch) {
            return Ok(stopped);
        }
        let gram = inner(problem, &products)?;
        let a = &products.with_ideal;
        // Where all can be fed in, and what is answered if nothing is better.
        let safe = minimize_nonnegative(gram, a, &watch).x;
        let safe = match safe.iter().any(|w| *w > 0.0) {
            true => safe,
            false => vec![1.0; m],
        };
        let Some(first) = Spectrum::of(bank, &safe, &pass)? else {
            let stopped = passed(m, &report, &watch);
            return stopped.ok_or_else(|| Error::Data("the search was given up".to_string()));
        };
        if !first.is_semidefinite() {
            let (least, largest) = first.ends();
            return Err(Error::Data(format!(
                "a sum of the kernels is not positive semi-definite (smallest eigenvalue {least:.3e}, largest \
                 {largest:.3e}): leave out those that are not"
            )));
        }
        let inverse = Inner::new(m, gram);
        if inverse.units.iter().all(|u| *u == 0.0) {
            return Err(Error::Data("every kernel is constant".to_string()));
        }
        let mut best = (products.alignment(&safe), safe.clone());
        report.objective.push(best.0);
        report.status = Status::IterationLimit;
        let (mut cuts, mut gap) = (Vec::<Vec<f64>>::new(), f64::INFINITY);
        // No alignment is above 1.
        if best.0 > 0.0 {
            gap = ((1.0 - best.0) / best.0).max(0.0);
        }
        run.tell(Event::Begin { stage: "cuts", total: None });
        while report.iterations < self.max_iterations {
            if let Some(status) = watch.stop() {
                report.status = status;
                break;
            }
            let (eta, bound) = relaxed(&inverse, a, &cuts, &watch);
            let upper = (bound.max(0.0) / products.ideal).sqrt();
            let Some(found) = Spectrum::of(bank, &eta, &pass)? else { continue };
            let inside = match found.is_semidefinite() {
                true => eta.clone(),
                false => self.inside(bank, &eta, &safe, &pass)?,
            };
            if pass.is_given_up() {
                continue;
            }
            let value = products.alignment(&inside);
            if value > best.0 {
                best = (value, inside);
            }
            gap = ((upper - best.0) / best.0.abs().max(f64::MIN_POSITIVE)).max(0.0);
            report.iterations += 1;
            report.objective.push(best.0);
            report.gaps.push(gap);
            let message = format!("gap {gap:.1e}, {} cuts", cuts.len());
            run.tell(Event::Step { done: report.iterations as u64, message: &message });
            if gap <= self.tol {
                report.status = Status::Converged;
                break;
            }
            if found.is_semidefinite() {
                report.status = Status::Stalled;
                break;
            }
            let vectors = found.cuts();
            let slices: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
            cuts.extend(bank.quad_forms_in(&slices, &pass));
        }
        run.tell(Event::End);
        if report.status == Status::Stalled && gap <= 1e-9 {
            report.status = Status::Converged;
        }
        report.gap = Some(gap);
        report.counts.eigen_solves = 1 + report.iterations as u64;
        let trace = |k: usize| bank.diagonal(k).iter().sum::<f64>();
        let (all, own): (f64, f64) =
            (0..m).fold((0.0, 0.0), |s, k| (s.0 + trace(k) / m as f64, s.1 + best.1[k] * trace(k)));
        let by = if own > 0.0 && all > 0.0 { all / own } else { 1.0 / m as f64 };
        report.details.insert("alignment".to_string(), vec![best.0]);
        report.details.insert("cuts".to_string(), vec![cuts.len() as f64]);
        report.seconds = watch.seconds();
        Ok(Learned::of(Weighted::rule(best.1.iter().map(|w| by * w).collect()), report))
    }

    fn depends_on_machine(&self) -> bool {
        false
    }
}

impl Semidefinite {
    /// The point nearest to η on the way to `safe` that is positive semi-definite, to 40 halvings.
    fn inside(&self, bank: &Bank, eta: &[f64], safe: &[f64], pass: &Pass<'_>) -> Result<Vec<f64>> {
        let mixed = |t: f64| -> Vec<f64> {
            eta.iter().zip(safe).map(|(e, s)| (1.0 - t) * e + t * s).collect()
        };
        // Cholesky factors tell it for a ninth of the eigenvalues.
        let n = bank.n();
        let holds = |t: f64| -> Result<bool> {
            let mut values = bank.combine_in(&mixed(t), pass)?.into_matrix()?.into_values();
            let largest = (0..n).fold(0.0_f64, |a, i| a.max(values[i * n + i].abs()));
            (0..n).for_each(|i| values[i * n + i] += ZERO * largest * n as f64);
            Ok(Cholesky::while_going(n, values, &|| !pass.is_over()).is_some())
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            if pass.is_given_up() {
                break;
            }
            // The first tries are near η, where the last cuts leave it.
            let middle: f64 = if low == 0.0 { 0.1 * high } else { 0.5 * (low + high) };
            match holds(middle)? {
                true => high = middle,
                false => low = middle,
            }
            if high < 1e-12 || high - low < 1e-3 * high {
                break;
            }
        }
        Ok(mixed(high))
    }
}
