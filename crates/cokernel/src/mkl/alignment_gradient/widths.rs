//! Widths of a Gaussian kernel by gradient ascent of its alignment.
//!
//! ```text
//! max over θ > 0    A(K(θ), T) = ⟨K, T⟩ / √(⟨K, K⟩ ⟨T, T⟩),      k(x, z) = exp(−Σ_d w_d (x_d − z_d)²)
//! ∂A/∂θ_d = (⟨∂K/∂θ_d, T⟩⟨K, K⟩ − ⟨K, T⟩⟨∂K/∂θ_d, K⟩) / (‖T‖ ⟨K, K⟩^{3/2})
//! ```
//!
//! (Igel et al. 2007; LMKA §2.3.1.1, whose formula is for any parameter of the kernel.)
//!
//! | symbol | name |
//! |---|---|
//! | θ_d | relevance of a feature, or of all of a view (`over=view_widths`), `details["relevance"]`; 1 before |
//! | w_d = θ_d / (2 D v_d) | its width, with variance v_d, of D that are not constant, `details["widths"]` |
//! | T | [ideal kernel](Ideal) of classes, two or more, or of real numbers |
//!
//! With ∂K_ij/∂w_d = −K_ij (x_id − x_jd)² both products of the derivative are sums Σ_ij F_ij (x_id − x_jd)², F = T∘K and
//! K∘K, which the [bank](crate::bank) has for all features at once; T is α Σ_u v_u v_uᵀ − β 11ᵀ. Kernels of several views
//! are multiplied, which makes one Gaussian kernel of all features.
//!
//! **Steps** as [over weights](super), in log θ, so that the alignment never falls and no
//! width becomes 0; from θ = 1, 1/8 or 8, whichever is aligned best. Not convex: the end is a stationary point.
//!
//! **Not centred**, as in the source. With classes of very unequal size the constant kernel is aligned well, and widths may
//! fall towards it.
//!
//! **Scale.** θ has no unit: features in other units give the same decision values. Beside [`gmkl`](crate::mkl), which asks
//! a machine, no machine is needed before the end, and nothing leads the width of a noisy feature to 0 but the slope.
//!
//! **Cost** of a step: kernels of n² d multiplications for each trial, mostly one, and 2 n² d for the derivatives; one
//! machine at the end.

use super::{Climb, Hill, METHOD};
use crate::bank::{Bank, Feature};
use crate::mkl::gmkl::Kernel;
use crate::mkl::gmkl::widths::{Form, Widths};
use crate::mkl::measures::Ideal;
use crate::mkl::{Learned, Problem};
use crate::run::Pass;
use crate::{Event, Report, Result, Run, Watch};

/// Sizes of all relevances where the ascent may begin.
const SIZES: [f64; 3] = [1.0, 0.125, 8.0];

/// The alignment as a function of θ.
struct Aligned<'a> {
    widths: &'a Widths<'a>,
    ideal: &'a Ideal,
    run: &'a Run,
    watch: &'a Watch,
}

/// F = K^power for the values of the kernels that K is the product of.
fn power(values: &[&[f64]], power: i32, out: &mut [f64]) {
    out.fill(1.0);
    values.iter().for_each(|v| out.iter_mut().zip(*v).for_each(|(o, v)| *o *= v));
    if power > 1 {
        out.iter_mut().for_each(|o| *o = o.powi(power));
    }
}

/// K^power over the values of the first kernel, which what it is for multiplies by these.
fn but_first(values: &[&[f64]], exponent: i32, out: &mut [f64]) {
    power(&values[1..], exponent, out);
    if let (Some(first), true) = (values.first(), exponent > 1) {
        out.iter_mut().zip(*first).for_each(|(o, v)| *o *= v);
    }
}

impl Aligned<'_> {
    /// ⟨K, K⟩ and ⟨K, T⟩; `None` after a stop.
    fn products(&self, bank: &Bank) -> Option<(f64, f64)> {
        let pass = Pass::under(self.watch);
        let ones = vec![1.0; bank.n()];
        let (vectors, inside, all) = self.ideal.parts();
        let form = |coefs: &[&[f64]], exponent: i32| {
            bank.mixed_forms(coefs, |v, out| but_first(v, exponent, out), &pass)[0]
        };
        let norm = form(&[&ones], 2);
        let constant = if all == 0.0 { 0.0 } else { all * form(&[&ones], 1) };
        let product = inside * form(&vectors, 1) - constant;
        (!pass.is_given_up()).then_some((norm, product))
    }
}

impl Hill for Aligned<'_> {
    fn value(&self, relevance: &[f64]) -> Result<Option<f64>> {
        if self.watch.stop().is_some() {
            return Ok(None);
        }
        let bank = self.widths.bank(relevance, self.run)?;
        let size = |norm: f64| (norm * self.ideal.norm(false)).sqrt();
        Ok(self.products(&bank).map(|(norm, product)| product / size(norm)))
    }

    fn slope(&self, relevance: &[f64]) -> Result<Option<Vec<f64>>> {
        let bank = self.widths.bank(relevance, self.run)?;
        let Some((norm, product)) = self.products(&bank) else { return Ok(None) };
        let (pass, tables, ones) =
            (Pass::under(self.watch), self.widths.tables(), vec![1.0; bank.n()]);
        let (vectors, inside, all) = self.ideal.parts();
        let forms = |coefs: &[&[f64]], exponent: i32| {
            let factor = |values: &[&[f64]], out: &mut [f64]| power(values, exponent, out);
            bank.feature_forms(coefs, factor, &tables, Feature::Differences, &pass)
        };
        let (within, squared) = (forms(&vectors, 1), forms(&[&ones], 2));
        let constant = if all == 0.0 { vec![0.0; within.len()] } else { forms(&[&ones], 1) };
        if pass.is_given_up() {
            return Ok(None);
        }
        let size = norm * (norm * self.ideal.norm(false)).sqrt();
        let sums = within.iter().zip(&constant).zip(&squared);
        let one = |((w, c), s): ((&f64, &f64), &f64)| {
            ((inside * w - all * c) * norm - product * s) / size
        };
        let slopes = self.widths.of_parameters(-1.0, &sums.map(one).collect::<Vec<f64>>());
        Ok(Some(slopes.iter().zip(relevance).map(|(s, r)| s * r).collect()))
    }
}

/// The kernel at the end of the ascent.
pub(super) fn learn(
    by_view: bool,
    climb: Climb,
    problem: &Problem<'_>,
    run: &Run,
) -> Result<Learned> {
    let watch = run.watch();
    let ideal = Ideal::of(problem.target)?;
    let widths = Widths::new(METHOD.id, problem, Form::Product, by_view)?;
    let quiet = run.clone().quiet();
    let hill = Aligned { widths: &widths, ideal: &ideal, run: &quiet, watch: &watch };
    let mut report = Report::closed_form(run);
    run.tell(Event::Begin { stage: METHOD.title, total: None });
    let mut start = (vec![1.0; widths.count()], f64::NEG_INFINITY);
    for size in SIZES {
        let relevance = vec![size; widths.count()];
        if let Some(value) = hill.value(&relevance)?
            && value > start.1
        {
            start = (relevance, value);
        }
    }
    let relevance = climb.from(start.0, &hill, &mut report, &watch)?;
    run.tell(Event::End);
    if report.objective.is_empty() {
        report.objective.push(start.1);
    }
    report.seconds = watch.seconds();
    widths.learned(&relevance, report)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Classes, Matrix, Target, Views};
    use crate::kernel::KernelSpec;
    use crate::machine::Svc;

    /// The alignment of the kernel entry by entry, and its derivatives by differences of that.
    #[test]
    fn alignments_and_slopes_are_those_of_the_matrix() {
        let n = 30;
        let x = Matrix::from_fn(n, 3, |i, j| {
            ((i * (j + 2)) as f64 * 0.7).sin() * 10.0_f64.powi(j as i32) + (i % 3) as f64
        });
        let other = Matrix::from_fn(n, 2, |i, j| ((i * i + j) as f64 * 0.3).cos());
        let views = Views::new().dense("a", x.clone()).unwrap();
        let views = views.dense("b", other.clone()).unwrap();
        let specs = KernelSpec::parse_list("gaussian").unwrap();
        let run = Run::default();
        let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
        let texts = |k: usize| (0..n).map(|i| (i % 7 % k).to_string()).collect::<Vec<_>>();
        let classes = |k: usize| Target::Classes(Classes::from_texts(&texts(k)).unwrap());
        let real = Target::Real((0..n).map(|i| (i as f64 * 0.4).sin() + 3.0).collect());
        let machine = Svc::default();
        let watch = run.watch();
        for target in [classes(2), classes(3), real] {
            let ideal = Ideal::of(&target).unwrap();
            let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &machine) };
            for by_view in [false, true] {
                let widths = Widths::new("test", &problem, Form::Product, by_view).unwrap();
                let count = if by_view { 2 } else { 5 };
                assert_eq!(widths.count(), count);
                let hill = Aligned { widths: &widths, ideal: &ideal, run: &run, watch: &watch };
                let theta: Vec<f64> = (0..count).map(|d| 0.4 + 0.3 * d as f64).collect();
                let report = widths.learned(&theta, Report::closed_form(&run)).unwrap().report;
                let w = &report.details["widths"];
                let entry = |i: usize, j: usize| {
                    let of = |m: &Matrix, w: &[f64]| {
                        w.iter()
                            .enumerate()
                            .map(|(d, w)| w * (m.get(i, d) - m.get(j, d)).powi(2))
                            .sum::<f64>()
                    };
                    (-of(&x, &w[..3]) - of(&other, &w[3..])).exp()
                };
                let (mut norm, mut product, mut size) = (0.0, 0.0, 0.0);
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let (k, t) = (entry(i, j), ideal.entry(i, j));
                    (norm, product, size) = (norm + k * k, product + k * t, size + t * t);
                }
                let value = |theta: &[f64]| hill.value(theta).unwrap().unwrap();
                assert!((value(&theta) - product / (norm * size).sqrt()).abs() < 1e-12);
                for (d, slope) in hill.slope(&theta).unwrap().unwrap().iter().enumerate() {
                    let moved = |by: f64| {
                        let mut theta = theta.clone();
                        theta[d] *= f64::exp(by);
                        value(&theta)
                    };
                    let want = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    assert!((slope - want).abs() < 1e-8, "{d}: {slope} {want}");
                }
            }
        }
    }

    /// Of ten features one tells the classes: its width becomes the largest, the alignment never falls and ends above
    /// that of equal widths of any size; columns in other units change nothing.
    #[test]
    fn finds_the_feature_that_tells() {
        let n = 80;
        let of = |units: bool| {
            Matrix::from_fn(n, 10, |i, j| {
                let noise = ((i * 7919 + j * 104_729) as f64 * 0.013).sin();
                let told = if j == 4 { 2.0 * (i % 2) as f64 } else { 0.0 };
                (noise + told) * if units { 10.0_f64.powi(3 * j as i32 - 12) } else { 1.0 }
            })
        };
        let texts: Vec<&str> = (0..n).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect();
        let target = Target::Classes(Classes::from_texts(&texts).unwrap());
        let (machine, run) = (Svc::default(), Run::default());
        let specs = KernelSpec::parse_list("gaussian").unwrap();
        let climb = Climb { max_iterations: 1_000, tol: 1e-3 };
        let mut last: Option<Vec<f64>> = None;
        for units in [false, true] {
            let views = Views::new().dense("v", of(units)).unwrap();
            let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
            let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &machine) };
            let learned = learn(false, climb, &problem, &run).unwrap();
            let (report, relevance) = (&learned.report, &learned.report.details["relevance"]);
            assert!(report.status.is_success(), "{}", report.status);
            assert!(report.objective.is_sorted() && report.iterations > 2);
            let others = (0..10).filter(|d| *d != 4).map(|d| relevance[d]).fold(0.0, f64::max);
            assert!(relevance[4] > 4.0 * others, "{relevance:?}");
            if let Some(last) = last.replace(relevance.clone()) {
                assert!(last.iter().zip(relevance).all(|(a, b)| (a - b).abs() < 1e-6 * a.abs()));
            }
        }
    }
}
