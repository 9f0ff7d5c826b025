//! Where the weights start for very many kernels of single features, in the ball of an lp norm.
//!
//! With K_m = z_m z_mᵀ and the weights that are best for given coefficients the problem is one in coefficients alone,
//!
//! ```text
//! max_c  ℓ(c) − ½ ‖Zᵀc‖²_r,      r = 2p/(p − 1),      η_m = (|z_mᵀc| / ‖Zᵀc‖_r)^{2/(p − 1)}.
//! ```
//!
//! Its second term is homogeneous of degree two, so its model of second order at c has no linear part,
//!
//! ```text
//! ½ xᵀB x,      B = (r − 1) K_η − (r − 2) u uᵀ/(cᵀu) = (r − 1) (K_η − u uᵀ/(cᵀu)) + u uᵀ/(cᵀu),      u = K_η c,
//! ```
//!
//! and a step of Newton's method is the machine on the kernel B, whatever the machine is, with its bounds. K_η, n² M/2
//! multiplications, is not formed: for it stands A, the kernels with the largest weights and of the others the diagonal
//! alone, whose entries off the diagonal nearly cancel. u is exact, and so is the gradient with
//!
//! ```text
//! B ≈ (r − 1) (A − A c cᵀA/(cᵀA c)) + u uᵀ/(cᵀu).
//! ```
//!
//! Between c and where a step leads scores are linear, so that the line is searched without a pass, with ℓ at least
//! its value between the ends. The weights of the last c are the start, and prove nothing.
//!
//! On 1,000 instances with 10⁵ columns of noise and signal, C = 0.01, tolerance 10⁻³, two steps (p = 2) and three (p = 4/3) lead
//! to weights with a gap below 10⁻⁴; from equal weights, with one of 0.8 and 0.5, the loop needs four and eleven.

use crate::bank::{Bank, Gram};
use crate::machine::{How, Solution};
use crate::mkl::sets::power;
use crate::mkl::{Problem, fits};
use crate::run::Pass;
use crate::solve::Rows;
use crate::{Counts, Run, Watch};
use rayon::prelude::*;

/// Most steps.
const STEPS: usize = 10;
/// One in so many kernels is summed in a step.
const SUMMED: usize = 24;
/// Halvings of the line between two points.
const HALVINGS: usize = 6;
/// The machine of a step is solved to this part of the tolerance.
const EXACT: f64 = 1e-2;
/// A step is the last whose weights have about so many times the tolerance as gap: a step takes off nine tenths at least.
const LAST: f64 = 3.0;

/// Weights, machines that are nearly those of them, and the work.
pub(super) struct Start {
    pub weights: Vec<f64>,
    pub machines: Solution,
    pub steps: usize,
    pub counts: Counts,
}

/// Feasible coefficients with ℓ(c) or less, and Zᵀc.
struct Point {
    coef: Vec<f64>,
    linear: f64,
    scores: Vec<f64>,
}

/// The start for the ball of this p; `None` where the kernels are others, the machine has several decision functions,
/// there is no memory for two matrices, or something failed.
pub(super) fn start(
    p: f64,
    tol: f64,
    problem: &Problem<'_>,
    run: &Run,
    watch: &Watch,
) -> Option<Start> {
    let bank = problem.bank;
    let kernels = bank.len();
    if !bank.is_all_columns() || !fits(bank, 2, run) || problem.warm.is_some() {
        return None;
    }
    let (r, pass) = (2.0 * p / (p - 1.0), Pass::under(watch));
    let quiet = run.remaining(watch).quiet();
    let exact = (EXACT * tol).max(1e-12);
    let mut counts = Counts::default();
    let mut solve = |kernel: &Gram, warm: Option<&Solution>| {
        let how = How { weights: problem.weights, warm, tol: Some(exact), ..How::new(&quiet) };
        let found = problem.machine.solve(kernel, problem.target, &how).ok()?;
        counts.add(&found.counts);
        let single = found.blocks.len() == 1 && found.blocks[0].heads.len() == 1;
        (single && watch.stop().is_none()).then_some(found)
    };
    let point = |machines: &Solution| {
        let coef = machines.coefs()[0].to_vec();
        let scores = bank.feature_scores(&coef, &pass)?;
        (!pass.is_given_up()).then(|| Point { coef, linear: machines.linear(), scores })
    };

    let mut kernel = bank.new_gram().ok()?;
    let equal = vec![(kernels as f64).powf(-1.0 / p); kernels];
    approximate(bank, &vec![0.0; kernels], &equal, &mut kernel, &pass)?;
    let mut machines = solve(&kernel, None)?;
    let mut at = point(&machines)?;
    let mut steps = 0;
    while steps < STEPS {
        let (weights, square) = best(p, &at.scores);
        let value = at.linear - 0.5 * square;
        let slopes: Vec<f64> = weights.iter().zip(&at.scores).map(|(w, s)| w * s).collect();
        let product = approximate(bank, &slopes, &weights, &mut kernel, &pass)?;
        if !bend(r, &at.coef, &product, &mut kernel) {
            break;
        }
        machines = solve(&kernel, Some(&machines))?;
        let promised = machines.objective() - value;
        if !(promised > 0.0 && promised.is_finite()) {
            break;
        }
        let next = point(&machines)?;
        let step = line(p, &at, &next);
        let between = |a: &mut Vec<f64>, b: &[f64]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += step * (b - *a));
        };
        between(&mut at.coef, &next.coef);
        between(&mut at.scores, &next.scores);
        at.linear += step * (next.linear - at.linear);
        steps += 1;
        // An error of c is one of r − 2 times its size in η.
        let left = promised * (r - 2.0).powi(2).max(1.0);
        if left <= LAST * tol * value.abs() {
            break;
        }
    }
    let weights = best(p, &at.scores).0;
    Some(Start { weights, machines, steps, counts })
}

/// The weights that are best for these scores, and ‖s‖²_r.
fn best(p: f64, scores: &[f64]) -> (Vec<f64>, f64) {
    let largest = scores.iter().fold(0.0_f64, |a, s| a.max(s.abs()));
    if largest <= 0.0 {
        return (vec![(scores.len() as f64).powf(-1.0 / p); scores.len()], 0.0);
    }
    let square = |s: &f64| (s / largest) * (s / largest);
    let mut weights: Vec<f64> = scores.iter().map(|s| power(square(s), 1.0 / (p - 1.0))).collect();
    // Σ (|s_m|/largest)^r = Σ weights^p.
    let total: f64 = weights.iter().zip(scores).map(|(w, s)| w * square(s)).sum();
    let size = total.powf(1.0 / p);
    weights.iter_mut().for_each(|w| *w /= size);
    (weights, largest * largest * total.powf((p - 1.0) / p))
}

/// A with these weights into `kernel`, and Z x.
fn approximate(
    bank: &Bank,
    x: &[f64],
    weights: &[f64],
    kernel: &mut Gram,
    pass: &Pass<'_>,
) -> Option<Vec<f64>> {
    let (kernels, n) = (weights.len(), bank.n());
    let few = kernels / SUMMED;
    let mut order: Vec<usize> = (0..kernels).collect();
    order.select_nth_unstable_by(few, |a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let (mut summed, mut rest) = (vec![0.0; kernels], weights.to_vec());
    order[..few].iter().for_each(|m| summed[*m] = std::mem::take(&mut rest[*m]));
    let (product, diagonal) = bank.feature_moments(x, &rest, pass)?;
    bank.combine_into_in(&summed, kernel, pass);
    let cells = kernel.values_mut().iter_mut().step_by(n + 1);
    cells.zip(diagonal).for_each(|(v, d)| *v += d);
    (!pass.is_given_up()).then_some(product)
}

/// Makes B of A; false where c and u leave none.
fn bend(r: f64, coef: &[f64], product: &[f64], kernel: &mut Gram) -> bool {
    let n = coef.len();
    let mut turned = vec![0.0; n];
    kernel.multiply(coef, &mut turned);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (own, exact) = (dot(coef, &turned), dot(coef, product));
    if !(own > 0.0 && exact > 0.0 && own.is_finite() && exact.is_finite()) {
        return false;
    }
    kernel.values_mut().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for (j, v) in row.iter_mut().enumerate() {
            *v = (r - 1.0) * (*v - turned[i] * turned[j] / own) + product[i] * product[j] / exact;
        }
    });
    true
}

/// Where between two points, 0 to 1, the dual objective is largest, nearly; it is concave there.
fn line(p: f64, from: &Point, to: &Point) -> f64 {
    let slope = |step: f64| {
        let pairs = from.scores.iter().zip(&to.scores);
        let scores: Vec<f64> = pairs.map(|(a, b)| a + step * (b - a)).collect();
        let weights = best(p, &scores).0;
        let moves = from.scores.iter().zip(&to.scores).map(|(a, b)| b - a);
        let terms = weights.iter().zip(&scores).zip(moves);
        to.linear - from.linear - terms.map(|((w, s), d)| w * s * d).sum::<f64>()
    };
    if slope(1.0) >= 0.0 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) >= 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Classes, Matrix, Target, Views};
    use crate::kernel::KernelSpec;
    use crate::machine::Svc;
    use crate::mkl::outer::Outer;
    use crate::mkl::sets::ball::Ball;

    #[test]
    fn the_best_weights_have_norm_one_and_tell_the_norm_of_the_forms() {
        let scores = [0.5, -2.0, 0.0, 1e-3];
        for p in [1.2, 2.0, 5.0] {
            let (weights, square) = best(p, &scores);
            assert!((weights.iter().map(|w| w.powf(p)).sum::<f64>() - 1.0).abs() < 1e-12);
            let forms = weights.iter().zip(&scores).map(|(w, s)| w * s * s).sum::<f64>();
            assert!((forms / square - 1.0).abs() < 1e-12);
        }
        assert_eq!(best(2.0, &[0.0; 4]), (vec![0.5; 4], 0.0));
    }

    #[test]
    fn the_start_is_near_the_optimum() {
        let (n, d) = (40, 5_000);
        let value = |i: usize, j: usize| {
            let mixed = (i * 7919 + j * 104_729).wrapping_mul(2_654_435_761) % 1_000_003;
            mixed as f64 / 500_001.5 - 1.0
        };
        let x = Matrix::from_fn(n, d, value);
        let texts: Vec<&str> =
            (0..n).map(|i| if x.get(i, 0) + x.get(i, 1) > 0.1 { "a" } else { "b" }).collect();
        let target = Target::Classes(Classes::from_texts(&texts).unwrap());
        let views = Views::new().dense("v", x).unwrap();
        let specs = KernelSpec::parse_list("linear:per_feature").unwrap();
        let run = Run::default();
        let bank = Bank::build(&views, &specs, Storage::Auto, &run).unwrap();
        for (p, c) in [(1.2, 0.1), (4.0 / 3.0, 0.1), (2.0, 0.02), (4.0, 0.01)] {
            let machine = Svc { c, tol: 1e-6, ..Svc::default() };
            let problem = Problem::new(&bank, &target, &machine);
            let ball = Ball { p, blocks: 1 };
            let outer =
                Outer { title: "test", set: &ball, tol: 1e-3, max_iterations: 100, second: true };
            let found = start(p, 1e-3, &problem, &run, &run.watch()).unwrap();
            assert!(found.steps <= STEPS && found.weights.len() == d);
            let learned = outer.learn(&problem, &run).unwrap();
            assert!(learned.report.gap.unwrap() <= 1e-3, "p = {p}");
            // The weights of the start are good enough at once.
            assert!(learned.report.gaps[0] <= 1e-3, "p = {p}: {:?}", learned.report.gaps);
            let steps = &learned.report.details["dual_steps"];
            assert_eq!(steps[..], [found.steps as f64]);
            let plain = Outer { second: false, ..outer }.learn(&problem, &run).unwrap();
            let value = |l: &crate::mkl::Learned| *l.report.objective.last().unwrap();
            assert!((value(&learned) / value(&plain) - 1.0).abs() < 2e-3, "p = {p}");
            // Kernels that are no features of their own, and a start that is given, need none.
            let warm = Problem { warm: Some(&learned), ..problem };
            assert!(start(p, 1e-3, &warm, &run, &run.watch()).is_none());
        }
    }
}
