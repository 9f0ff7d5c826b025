//! Derivatives by finite differences, bounds by sampling.

use super::part::{Part, Point};
use super::{Penalty, interior, newton, penalty, sqp};
use crate::bank::{Bank, Storage};
use crate::data::Matrix;
use crate::solve::smo::Settings;
use crate::{Run, Watch};
use rand::RngExt;

const N: usize = 30;
const M: usize = 3;

fn bank() -> (Bank, Vec<f64>, Vec<Vec<f64>>) {
    let mut rng = Run::with_seed(11).rng("prior tests");
    let y: Vec<f64> = (0..N).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let kernel = |m: usize, rng: &mut rand_xoshiro::Xoshiro256PlusPlus| {
        let x: Vec<f64> =
            y.iter().map(|y| 0.4 * y * (2 - m) as f64 + 2.0 * rng.random::<f64>()).collect();
        Matrix::from_fn(N, N, |i, j| {
            (-(x[i] - x[j]).powi(2)).exp() + 0.05 * f64::from(u8::from(i == j))
        })
    };
    let kernels = (0..M).map(|m| (format!("k{m}"), kernel(m, &mut rng))).collect();
    let values =
        (0..M).map(|_| y.iter().map(|y| 0.5 * y + rng.random::<f64>() - 0.5).collect()).collect();
    (Bank::from_matrices(kernels, Storage::Resident).unwrap(), y, values)
}

fn point(part: &Part<'_>, sigma: &[f64], mu: &[f64], watch: &Watch) -> Point {
    let weights = part.scaled(sigma);
    let rows = part.combine(&weights, None, watch);
    let machine = part.solve(rows.as_ref(), sigma, mu, None, 1e-13, watch);
    Point { sigma: sigma.to_vec(), mu: mu.to_vec(), machine }
}

#[test]
fn derivatives_are_those_of_finite_differences() {
    let (bank, y, values) = bank();
    let watch = Run::default().watch();
    let cost = 2.0;
    let part = Part {
        bank: &bank,
        unit: 1.3,
        lower: y.iter().map(|y| (cost * y).min(0.0)).collect(),
        upper: y.iter().map(|y| (cost * y).max(0.0)).collect(),
        y,
        values: values.iter().map(|v| &v[..]).collect(),
        gamma: 4.0,
        penalty: Penalty::Averaged(5.0),
        tol: 1e-8,
        max_iterations: 50,
        settings: Settings { tol: 1e-8, shrinking: true, cache: 1 << 20, max_steps: 1 << 40 },
    };
    let theta = [0.3, 0.5, 0.21, 0.3, 0.26, 0.4];
    let at = |theta: &[f64]| point(&part, &theta[..M], &theta[M..], &watch);
    let middle = at(&theta);
    let gradient_of = |p: &Point| {
        let forms = part.forms(&p.machine.coef, &watch).unwrap();
        part.gradient(&p.sigma, &p.mu, &forms)
    };
    let forms = part.forms(&middle.machine.coef, &watch).unwrap();
    assert!(forms.free.len() > 3, "{}", forms.free.len());
    let gradient = part.gradient(&middle.sigma, &middle.mu, &forms);
    let weights = part.scaled(&middle.sigma);
    let rows = part.combine(&weights, None, &watch);
    let curvature = part.curvature(rows.as_ref(), &middle, &forms).unwrap();
    let hessian = part.hessian(curvature, &middle);
    let h = 1e-4;
    for k in 0..2 * M {
        let moved = |by: f64| {
            let mut theta = theta;
            theta[k] += by;
            at(&theta)
        };
        let (up, down) = (moved(h), moved(-h));
        let slope = (part.upper(&up) - part.upper(&down)) / (2.0 * h);
        assert!(
            (slope - gradient[k]).abs() < 1e-5 * (1.0 + slope.abs()),
            "{k}: {slope} {}",
            gradient[k]
        );
        for (l, (a, b)) in gradient_of(&up).iter().zip(gradient_of(&down)).enumerate() {
            let (found, said) = ((a - b) / (2.0 * h), hessian[k * 2 * M + l]);
            assert!((found - said).abs() < 1e-3 * (1.0 + said.abs()), "{k} {l}: {found} {said}");
        }
    }
    // The bounds are on their sides, for this point and for coefficients far from it.
    let upper = part.upper(&middle);
    for factor in [0.1, 1.0, 30.0] {
        let x: Vec<f64> = middle.machine.coef.iter().map(|x| factor * x).collect();
        let gain = part.y.iter().zip(&x).map(|(y, x)| y * x).sum();
        let lower = part.lower_bound(gain, &part.forms(&x, &watch).unwrap());
        assert!(lower.is_finite() && lower >= 0.0 && lower <= upper, "{factor}: {lower} {upper}");
    }
}

#[test]
fn a_difference_without_cancellation() {
    for t in [1e-9, 0.3, 0.99, 1.0 + 1e-5, 1.5, 40.0_f64] {
        let plain = t - t.ln() - 1.0;
        assert!((penalty::excess(t) - plain).abs() < 1e-14 * (1.0 + plain.abs()), "{t}");
    }
    let t: f64 = 1e-7;
    assert!((penalty::excess(1.0 + t) / (0.5 * t * t) - 1.0).abs() < 1e-6);
    // Ω* is what the best σ makes of it.
    let (p, z) = (Penalty::Averaged(3.0), 1.2);
    let best = p.best(z);
    assert!((best * z - p.value(&[best]) - p.conjugate([z].into_iter())).abs() < 1e-14);
}

/// From weights of a quarter of the instances as without: the same objective from a lower start, and the coefficients at the
/// end prove the gap by themselves.
#[test]
fn a_start_from_a_sample_ends_at_the_same_optimum() {
    let n = 800;
    let y: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let place = |i: usize, m: usize| {
        let noise = ((i * (m + 3) * 7919 + m * 104_729) as f64 * 0.013).sin();
        noise + 0.4 * y[i] * m as f64
    };
    let kernel =
        |m: usize| Matrix::from_fn(n, n, |i, j| (-(place(i, m) - place(j, m)).powi(2)).exp());
    let kernels = (0..M).map(|m| (format!("k{m}"), kernel(m))).collect();
    let bank = Bank::from_matrices(kernels, Storage::Resident).unwrap();
    let values: Vec<Vec<f64>> =
        (0..M).map(|m| (0..n).map(|i| 0.5 * place(i, m)).collect()).collect();
    let run = Run::default();
    let watch = run.watch();
    let part = Part {
        bank: &bank,
        unit: 1.0,
        lower: y.iter().map(|y| y.min(0.0)).collect(),
        upper: y.iter().map(|y| y.max(0.0)).collect(),
        y,
        values: values.iter().map(|v| &v[..]).collect(),
        gamma: 100.0,
        penalty: Penalty::Averaged(10.0),
        tol: 1e-6,
        max_iterations: 100,
        settings: Settings { tol: 1e-6, shrinking: true, cache: 1 << 28, max_steps: 1 << 40 },
    };
    let with = newton::solve(&part, u64::MAX, &run, &watch).unwrap();
    let without = newton::solve_from(&part, None, u64::MAX, &run, &watch).unwrap();
    for found in [&with, &without] {
        assert!(found.status.is_success(), "{}", found.status);
        let forms = part.forms(&found.machine.coef, &watch).unwrap();
        let own = part.lower_bound(newton::gain(&part, &found.machine.coef), &forms);
        let upper = found.objective.last().unwrap();
        assert!((upper - own) / upper <= 1e-6 * (1.0 + 1e-9), "{upper} {own}");
    }
    let last = |f: &super::part::Fitted| *f.objective.last().unwrap();
    assert!((last(&with) / last(&without) - 1.0).abs() < 2e-6);
    assert!(with.objective[0] < without.objective[0]);
}

#[test]
fn weights_inside_are_derivatives() {
    let penalties = [
        Penalty::Averaged(3.0),
        Penalty::Exponential(3.0),
        Penalty::HalfNormal(3.0),
        Penalty::SuperGaussian(0.7, 0.4),
        Penalty::Power(3.0, 1.7),
    ];
    for penalty in penalties {
        for (z, tau) in [(0.3, 1e-2), (0.7, 0.1), (2.0, 1e-3), (2.9, 1e-6)] {
            let (sigma, slope, _) = penalty.inside(z, tau);
            let h = 1e-5 * (3.0 - z);
            let (up, down) = (penalty.inside(z + h, tau), penalty.inside(z - h, tau));
            let near = |a: f64, b: f64| (a - b).abs() < 1e-5 * a.abs().max(1e-3);
            let place = format!("{penalty:?} {z} {tau}");
            assert!(near((up.2 - down.2) / (2.0 * h), sigma), "{place}");
            assert!(near((up.0 - down.0) / (2.0 * h), slope), "{place}");
        }
        let value = |tau: f64| penalty.inside(0.5, tau).2;
        let limit = penalty.conjugate(std::iter::once(0.5));
        assert!((value(1e-12) - limit).abs() < 1e-9, "{penalty:?}");
    }
}

/// The interior method proves the tolerance by itself, at the optimum that Newton's method finds where it finds one: all
/// penalties, weights that the classifiers of the views decide (small γ) and that they hardly enter, boxes that bind and not.
#[test]
fn the_interior_method_ends_where_newtons_does() {
    let (bank, y, values) = bank();
    let watch = Run::default().watch();
    let (mut both, mut rows) = (0, 0);
    for penalty in [
        Penalty::Averaged(5.0),
        Penalty::Averaged(0.01),
        Penalty::Exponential(1.0),
        Penalty::HalfNormal(2.0),
        Penalty::SuperGaussian(0.5, 0.3),
        Penalty::Power(2.0, 1.5),
    ] {
        for (cost, gamma, prior) in [
            (2.0, 4.0, true),
            (50.0, 0.1, true),
            (1e4, 1.0, true),
            (0.1, 100.0, true),
            (1.0, 1.0, false),
            (1e-6, 10.0, true),
        ] {
            let part = Part {
                bank: &bank,
                unit: 1.3,
                // An instance that takes no part.
                lower: (0..N).map(|i| if i == 7 { 0.0 } else { (cost * y[i]).min(0.0) }).collect(),
                upper: (0..N).map(|i| if i == 7 { 0.0 } else { (cost * y[i]).max(0.0) }).collect(),
                y: (0..N).map(|i| if i == 7 { 0.0 } else { y[i] }).collect(),
                values: values.iter().filter(|_| prior).map(|v| &v[..]).collect(),
                gamma,
                penalty,
                tol: 1e-7,
                max_iterations: 300,
                settings: Settings {
                    tol: 1e-7,
                    shrinking: true,
                    cache: 1 << 20,
                    max_steps: 1 << 40,
                },
            };
            let place = format!("{penalty:?}, C = {cost}, γ = {gamma}, {prior}");
            let other = newton::solve_from(&part, None, 200, &Run::default(), &watch).unwrap();
            // Where the classifiers of the views have no loss there is nothing to gain, and no relative gap.
            if super::views_alone(&part).is_some() || other.objective.last() == Some(&0.0) {
                continue;
            }
            let found = interior::solve(&part, &watch).unwrap();
            assert!(
                found.status.is_success(),
                "{place}: {} {:?}",
                found.status,
                found.objective.last()
            );
            // From the coefficients and weights alone.
            let forms = part.forms(&found.machine.coef, &watch).unwrap();
            let own = part.lower_bound(newton::gain(&part, &found.machine.coef), &forms);
            let weights = part.scaled(&found.sigma);
            let sum = part.combine(&weights, None, &watch);
            let machine = part.solve(sum.as_ref(), &found.sigma, &found.mu, None, 1e-13, &watch);
            let point = Point { sigma: found.sigma, mu: found.mu, machine };
            let upper = part.upper(&point);
            assert!(upper - own <= 1.01e-7 * upper, "{place}: {upper} {own}");
            let falls = found.objective.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-8));
            assert!(falls, "{place}: {:?}", found.objective);
            rows += 1;
            if other.status.is_success() {
                both += 1;
                let least = other.objective.last().unwrap();
                assert!((upper - least).abs() <= 2e-7 * least, "{place}: {upper} {least}");
            }
        }
    }
    assert!(rows == 30 && both >= 24, "{both} of {rows}");
}

/// Whenever it is stopped: what is told is a bound, and nothing is read that was not computed.
#[test]
fn the_interior_method_can_be_stopped_anywhere() {
    let (bank, y, values) = bank();
    let part = Part {
        bank: &bank,
        unit: 1.0,
        lower: y.iter().map(|y| (50.0 * y).min(0.0)).collect(),
        upper: y.iter().map(|y| (50.0 * y).max(0.0)).collect(),
        y,
        values: values.iter().map(|v| &v[..]).collect(),
        gamma: 1.0,
        penalty: Penalty::SuperGaussian(0.5, 0.3),
        tol: 1e-9,
        max_iterations: 300,
        settings: Settings { tol: 1e-9, shrinking: true, cache: 1 << 20, max_steps: 1 << 40 },
    };
    let calm = Run::default().watch();
    let least = *interior::solve(&part, &calm).unwrap().objective.last().unwrap();
    for micros in (0..60).map(|k| 25 * k) {
        let time_limit = Some(std::time::Duration::from_micros(micros));
        let found = interior::solve(&part, &Run { time_limit, ..Run::default() }.watch()).unwrap();
        let (upper, lower) = (found.objective.last().unwrap(), found.lower.last().unwrap());
        assert!(*upper >= least * (1.0 - 1e-8), "{micros}: {upper} {least}");
        assert!(*lower <= least * (1.0 + 1e-8), "{micros}: {lower} {least}");
        assert!(found.sigma.iter().chain(&found.mu).all(|v| v.is_finite()), "{micros}");
    }
}

/// Kernels alone, under the averaged prior with this λ.
fn without_views(bank: &Bank, y: Vec<f64>, cost: f64, (rate, tol): (f64, f64)) -> Part<'_> {
    Part {
        bank,
        unit: 1.0,
        lower: y.iter().map(|y| (cost * y).min(0.0)).collect(),
        upper: y.iter().map(|y| (cost * y).max(0.0)).collect(),
        y,
        values: Vec::new(),
        gamma: 1.0,
        penalty: Penalty::Averaged(rate),
        tol,
        max_iterations: 500,
        settings: Settings { tol, shrinking: true, cache: 1 << 20, max_steps: 1 << 40 },
    }
}

#[test]
fn an_upper_bound_is_none_below_what_coefficients_prove() {
    // Kernels of rank 1 to 3, classes that overlap, large C: values of σK α lose all their digits.
    let n = 80;
    for seed in [1, 5, 7, 26, 43, 52, 54, 57] {
        let features = 1 + seed as usize % 3;
        let mut rng = Run::with_seed(seed).rng("overlap");
        let mut noise = || (0..6).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
        let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let values = (0..n * features).map(|k| 2.0 * noise() + 0.7 * y[k / features]).collect();
        let x = Matrix::new(n, features, values).unwrap();
        let kernel =
            Matrix::from_fn(n, n, |i, j| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum());
        let bank = Bank::from_matrices(vec![("k".into(), kernel)], Storage::Resident).unwrap();
        let run = Run::default();
        let (cost, tol) = (3e7, 1e-6);
        let part = without_views(&bank, y, cost, (1e-4, tol));
        let watch = run.watch();
        let found = newton::solve(&part, 20, &run, &watch).unwrap();
        let x = &found.machine.coef;
        let own = part.lower_bound(newton::gain(&part, x), &part.forms(x, &watch).unwrap());
        let upper = *found.objective.last().unwrap();
        assert!(upper >= own * (1.0 - 1e-7), "{seed}: {upper} below {own}");
    }
}

/// Machines whose costs are large beside what a step can gain: the published solver ends where Newton's does.
#[test]
fn the_published_solver_goes_on_where_costs_are_large() {
    let (run, watch) = (Run::default(), Run::default().watch());
    let mut ended = Vec::new();
    for seed in 0..24 {
        let mut rng = Run::with_seed(seed).rng("large costs");
        let y: Vec<f64> = (0..N).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let x: Vec<[f64; 2]> =
            y.iter().map(|y| [0.5 * y, 0.0].map(|v| v + 3.0 * rng.random::<f64>())).collect();
        let kernel = |width: f64| {
            let far = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
            Matrix::from_fn(N, N, |i, j| (-far(&x[i], &x[j]) / width).exp())
        };
        let count = 1 + seed as usize % 3;
        let kernels = [1.0, 3.0, 0.3].map(kernel).into_iter().take(count).enumerate();
        let kernels = kernels.map(|(m, k)| (format!("k{m}"), k)).collect();
        let bank = Bank::from_matrices(kernels, Storage::Resident).unwrap();
        let cost = [1e2, 1e3, 1e4][seed as usize / 3 % 3];
        let part = without_views(&bank, y, cost, (10.0, 1e-3));
        let published = sqp::solve(&part, &run, &watch).unwrap();
        let newton = newton::solve(&part, u64::MAX, &run, &watch).unwrap();
        let last = |v: &[f64]| v.last().copied().unwrap();
        let (upper, lower) = (last(&published.objective), last(&newton.lower));
        ended.push((seed, count, cost, published.status, upper / lower - 1.0));
    }
    let right = |e: &&(u64, usize, f64, crate::Status, f64)| e.3.is_success() && e.4 <= 2.1e-3;
    assert_eq!(ended.iter().filter(right).count(), ended.len(), "{ended:#?}");
}
