//! Solvers of single machines beside Clarabel, on 20 random problems each.

use crate::common::{gaussian, least};
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Matrix;
use cokernel::solve::hulls::hulls;
use cokernel::solve::joint::{Joint, joint_classes};
use cokernel::solve::nu_svr::nu_svr;
use cokernel::solve::one_class::{data_description, one_class};
use cokernel::solve::ridge::{Ridge, fisher_targets, midpoint};
use cokernel::solve::smo::{self, Quadratic, Settings};
use cokernel::solve::solved::Solved;
use cokernel::solve::squared_hinge::squared_hinge;
use cokernel::solve::svr::epsilon_svr;
use rand::{Rng, RngExt};

const SETTINGS: Settings =
    Settings { tol: 1e-9, shrinking: true, cache: 1 << 24, max_steps: 10_000_000 };

struct Random {
    rng: Box<dyn Rng>,
    kernel: Matrix,
    gram: Gram,
    /// C of all instances, and each C_i within a factor of two of it.
    c: f64,
    costs: Vec<f64>,
}

impl Random {
    /// A Gaussian kernel or inner products, C from 0.03 to 300.
    fn new(seed: u64, least_c: f64, largest_c: f64) -> Self {
        let mut rng = Run::with_seed(seed).rng("machines");
        let n = 20 + rng.random_range(0..20);
        let x = Matrix::from_fn(n, 3, |_, _| 2.0 * rng.random::<f64>() - 1.0);
        let kernel = if seed.is_multiple_of(3) {
            let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
            Matrix::from_fn(n, n, dot)
        } else {
            gaussian(&x, 0.5 + seed as f64 / 4.0)
        };
        let gram = Gram::new(kernel.clone()).unwrap();
        let c = least_c * (largest_c / least_c).powf(rng.random::<f64>());
        let costs = (0..n).map(|_| c * (0.5 + 1.5 * rng.random::<f64>())).collect();
        Random { rng: Box::new(rng), kernel, gram, c, costs }
    }

    fn n(&self) -> usize {
        self.costs.len()
    }

    fn number(&mut self) -> f64 {
        self.rng.random::<f64>()
    }
}

fn agree(found: &Solved, expected: f64, what: &str) {
    assert!(found.status.is_success(), "{what}: {}", found.status);
    let scale = expected.abs().max(1e-9);
    for objective in [found.dual, found.primal] {
        assert!((objective - expected).abs() <= 1e-6 * scale, "{what}: {found:?}, {expected}");
    }
}

#[test]
fn regression_with_a_tube() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 300.0);
        let n = r.n();
        let y: Vec<f64> = (0..n).map(|i| 5.0 + r.kernel.get(i, 0) + r.number()).collect();
        let epsilon = if seed % 5 == 0 { 0.0 } else { 0.3 * r.number() };
        let watch = Run::default().watch();
        let found = epsilon_svr(&r.gram, &y, epsilon, &r.costs, None, &SETTINGS, &watch);
        let sign = |i: usize| if i < n { 1.0 } else { -1.0 };
        let p =
            Matrix::from_fn(2 * n, 2 * n, |i, j| sign(i) * sign(j) * r.kernel.get(i % n, j % n));
        let q: Vec<f64> = (0..2 * n).map(|i| epsilon - sign(i) * y[i % n]).collect();
        let sum = ((0..2 * n).map(sign).collect(), 0.0);
        let expected = -least(&p, &q, &[sum], &vec![0.0; 2 * n], &r.costs.repeat(2));
        agree(&found, expected, &format!("problem {seed}, epsilon {epsilon}"));
        // From a near-by solution, and from nonsense.
        for start in [&found.coef, &vec![r.c; n]] {
            let again = epsilon_svr(&r.gram, &y, epsilon, &r.costs, Some(start), &SETTINGS, &watch);
            agree(&again, expected, &format!("problem {seed} from a start"));
        }
    }
}

#[test]
fn one_class_machines() {
    for seed in 0..20 {
        let r = Random::new(seed, 0.08, 2.0);
        let n = r.n();
        let watch = Run::default().watch();
        let ones = || (vec![1.0; n], 1.0);
        let zero = vec![0.0; n];
        let found = one_class(&r.gram, &r.costs, None, &SETTINGS, &watch);
        let expected = -least(&r.kernel, &zero, &[ones()], &zero, &r.costs);
        // Inner products of points around 0 can have the optimum 0.
        if expected.abs() > 1e-6 {
            agree(&found, expected, &format!("problem {seed}, one class"));
            let again = one_class(&r.gram, &r.costs, Some(&found.coef), &SETTINGS, &watch);
            agree(&again, expected, &format!("problem {seed}, one class from a start"));
        }
        let ball = data_description(&r.gram, &r.costs, None, &SETTINGS, &watch);
        let p = Matrix::from_fn(n, n, |i, j| 2.0 * r.kernel.get(i, j));
        let q: Vec<f64> = (0..n).map(|i| -r.kernel.get(i, i)).collect();
        let expected = -least(&p, &q, &[ones()], &zero, &r.costs);
        agree(&ball.machine, expected, &format!("problem {seed}, ball"));
        assert!(ball.radius_squared >= 0.0);
    }
}

/// The dual (1.11) written out: variables α_il, l ≠ y_i.
fn joint_by_program(k: &Matrix, codes: &[u32], classes: usize, margins: &[f64], c: &[f64]) -> f64 {
    let n = codes.len();
    let all: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (0..classes).map(move |l| (i, l)))
        .filter(|(i, l)| *l != codes[*i] as usize)
        .collect();
    // The coefficient of instance i in class l is what (i, a) adds to it.
    let adds = |(i, a): (usize, usize), l: usize| {
        f64::from(u8::from(l == codes[i] as usize)) - f64::from(u8::from(l == a))
    };
    let p = Matrix::from_fn(all.len(), all.len(), |s, t| {
        let classes = (0..classes).map(|l| adds(all[s], l) * adds(all[t], l)).sum::<f64>();
        classes * k.get(all[s].0, all[t].0)
    });
    let q: Vec<f64> = all.iter().map(|(i, l)| -margins[i * classes + l]).collect();
    // One of the sums follows from the others.
    let sums: Vec<(Vec<f64>, f64)> =
        (1..classes).map(|l| (all.iter().map(|v| adds(*v, l)).collect(), 0.0)).collect();
    let upper: Vec<f64> = all.iter().map(|(i, _)| c[*i]).collect();
    -least(&p, &q, &sums, &vec![0.0; all.len()], &upper)
}

#[test]
fn several_classes_in_one_machine() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 100.0);
        let (n, classes) = (r.n(), 2 + (seed as usize) % 4);
        let codes: Vec<u32> = (0..n)
            .map(|i| {
                if r.number() < 0.3 {
                    (r.number() * classes as f64) as u32
                } else {
                    (2.99 * r.kernel.get(i, 0).abs()) as u32 % classes as u32
                }
            })
            .collect();
        let margins: Vec<f64> =
            (0..n * classes).map(|_| if seed % 2 == 0 { 2.0 } else { 2.0 * r.number() }).collect();
        let watch = Run::default().watch();
        let problem = Joint {
            rows: &r.gram,
            codes: &codes,
            classes,
            margins: (seed % 2 == 1).then_some(&margins),
            costs: &r.costs,
        };
        let settings = Settings { tol: 5e-7, ..SETTINGS };
        let found = joint_classes(&problem, None, &settings, &watch);
        let expected = joint_by_program(&r.kernel, &codes, classes, &margins, &r.costs);
        let what = format!("problem {seed}: {} at {:e}", found.status, found.gap);
        assert!(found.status.is_success(), "{what}");
        for objective in [found.primal, found.dual] {
            assert!(
                (objective - expected).abs() <= 1e-6 * expected,
                "{what} {objective} {expected}"
            );
        }
        let again = joint_classes(&problem, Some(&found.coef), &settings, &watch);
        assert!((again.dual - expected).abs() <= 1e-6 * expected && again.status.is_success());
        if classes == 2 && seed % 2 == 0 {
            // Twice the objective of C-SVC.
            let sign = |i: usize| 2.0 * f64::from(codes[i]) - 1.0;
            let q = Matrix::from_fn(n, n, |i, j| sign(i) * sign(j) * r.kernel.get(i, j));
            let sum = ((0..n).map(sign).collect(), 0.0);
            let single = -least(&q, &vec![-1.0; n], &[sum], &vec![0.0; n], &r.costs);
            assert!((found.dual - 2.0 * single).abs() <= 2e-6 * found.dual, "{what}");
        }
    }
}

/// (1.13): boxes C/ŷ², margins ŷ².
#[test]
fn posterior_probabilities() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 300.0);
        let n = r.n();
        let soft: Vec<f64> = (0..n).map(|_| (2.0 * r.number() - 1.0).clamp(-0.9, 0.9)).collect();
        let signed: Vec<f64> = soft.iter().zip(&r.costs).map(|(s, c)| c / s).collect();
        let lower: Vec<f64> = signed.iter().map(|c| c.min(0.0)).collect();
        let upper: Vec<f64> = signed.iter().map(|c| c.max(0.0)).collect();
        let linear: Vec<f64> = soft.iter().map(|s| -s).collect();
        let problem = Quadratic { rows: &r.gram, linear: &linear, lower: &lower, upper: &upper };
        let found = smo::solve(&problem, None, &SETTINGS, &Run::default().watch());
        // α of the paper: c = α ŷ.
        let q = Matrix::from_fn(n, n, |i, j| soft[i] * soft[j] * r.kernel.get(i, j));
        let gains: Vec<f64> = soft.iter().map(|s| -s * s).collect();
        let room: Vec<f64> = soft.iter().zip(&r.costs).map(|(s, c)| c / (s * s)).collect();
        let expected = least(&q, &gains, &[(soft.clone(), 0.0)], &vec![0.0; n], &room);
        assert!(found.status.is_success(), "problem {seed}: {}", found.status);
        let distance = (found.objective - expected).abs();
        assert!(distance <= 1e-6 * expected.abs(), "problem {seed}: {distance:e}");
        // The primal of (1.13) at this machine is above by the gap.
        let (mut primal, mut norm) = (0.0, 0.0);
        for i in 0..n {
            let value: f64 = (0..n).map(|j| r.kernel.get(i, j) * found.x[j]).sum();
            norm += found.x[i] * value;
            let loss = 1.0 - (value - found.threshold) / soft[i];
            primal += r.costs[i] * loss.max(0.0);
        }
        let gap = primal + 0.5 * norm + found.objective;
        assert!((gap - found.gap).abs() <= 1e-9 * primal.max(norm), "{gap:e} {:e}", found.gap);
    }
}

#[test]
fn squared_hinges() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 300.0);
        let n = r.n();
        let y: Vec<f64> = (0..n)
            .map(|i| if r.kernel.get(i, 0) + 0.4 * r.number() > 0.5 { 1.0 } else { -1.0 })
            .collect();
        let watch = Run::default().watch();
        let found = squared_hinge(&r.gram, &y, &r.costs, None, &SETTINGS, &watch);
        let q = Matrix::from_fn(n, n, |i, j| {
            y[i] * y[j] * r.kernel.get(i, j) + if i == j { 1.0 / r.costs[i] } else { 0.0 }
        });
        // No α is above the sum, which is twice the objective.
        let room = vec![1e3 * (1.0 + found.primal); n];
        let expected = -least(&q, &vec![-1.0; n], &[(y.clone(), 0.0)], &vec![0.0; n], &room);
        agree(&found, expected, &format!("problem {seed}"));
        let again = squared_hinge(&r.gram, &y, &r.costs, Some(&found.coef), &SETTINGS, &watch);
        agree(&again, expected, &format!("problem {seed} from a start"));
    }
}

#[test]
fn ridges() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 30.0);
        let n = r.n();
        let y: Vec<f64> = (0..n).map(|_| 3.0 + r.number()).collect();
        let watch = Run::default().watch();
        for bias in [true, false] {
            let what = format!("problem {seed}, bias {bias}");
            let ridge = Ridge::new(&r.gram, &r.costs, bias, &watch).unwrap();
            let found = ridge.solve(&y);
            let p = Matrix::from_fn(n, n, |i, j| {
                r.kernel.get(i, j) + if i == j { r.costs[i] } else { 0.0 }
            });
            let q: Vec<f64> = y.iter().map(|y| -y).collect();
            let sum = if bias { vec![(vec![1.0; n], 0.0)] } else { Vec::new() };
            let expected = -least(&p, &q, &sum, &vec![-1e3; n], &vec![1e3; n]);
            agree(&found, expected, &what);
            // Each instance left out in turn.
            let quick = ridge.left_out(&y, &found);
            for i in 0..n {
                let rest: Vec<usize> = (0..n).filter(|j| *j != i).collect();
                let of = |v: &[f64]| rest.iter().map(|j| v[*j]).collect::<Vec<f64>>();
                let entry = |a: usize, b: usize| r.kernel.get(rest[a], rest[b]);
                let part = Gram::new(Matrix::from_fn(n - 1, n - 1, entry)).unwrap();
                let costs = of(&r.costs);
                let one = Ridge::new(&part, &costs, bias, &watch).unwrap().solve(&of(&y));
                let terms = rest.iter().zip(&one.coef).map(|(j, c)| r.kernel.get(i, *j) * c);
                let value = terms.sum::<f64>() + one.bias;
                assert!((value - quick[i]).abs() < 1e-9, "{what}: {value} {}", quick[i]);
            }
        }
    }
}

/// In the features themselves: (S_w + λI) w is a multiple of the difference of the means.
#[test]
fn fisher_discriminants() {
    let mut r = Random::new(4, 0.1, 1.0);
    let n = 40;
    let x =
        Matrix::from_fn(n, 3, |i, j| r.number() + if i % 3 == 0 { 0.3 * j as f64 } else { 0.0 });
    let signs: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
    let gram = Gram::new(Matrix::from_fn(n, n, dot)).unwrap();
    let lambda = 0.3;
    let ridges = vec![lambda; n];
    let ridge = Ridge::new(&gram, &ridges, true, &Run::default().watch()).unwrap();
    let found = ridge.solve(&fisher_targets(&signs, &[1.0; 40]));
    let w: Vec<f64> = (0..3).map(|d| (0..n).map(|i| found.coef[i] * x.get(i, d)).sum()).collect();
    let mean = |sign: f64, d: usize| {
        let of: Vec<usize> = (0..n).filter(|i| signs[*i] == sign).collect();
        of.iter().map(|i| x.get(*i, d)).sum::<f64>() / of.len() as f64
    };
    let from = |i: usize, d: usize| x.get(i, d) - mean(signs[i], d);
    let scattered: Vec<f64> = (0..3)
        .map(|d| {
            let inner = |i: usize| (0..3).map(|e| from(i, e) * w[e]).sum::<f64>();
            lambda * w[d] + (0..n).map(|i| from(i, d) * inner(i)).sum::<f64>()
        })
        .collect();
    let ratios: Vec<f64> = (0..3).map(|d| scattered[d] / (mean(1.0, d) - mean(-1.0, d))).collect();
    assert!(ratios.iter().all(|q| (q / ratios[0] - 1.0).abs() < 1e-8), "{ratios:?}");
    let bias = midpoint(&found.values, &signs, &[1.0; 40]);
    let side = |sign: f64| {
        let of = (0..n).filter(|i| signs[*i] == sign).map(|i| found.values[i] + bias);
        of.clone().sum::<f64>() / of.count() as f64
    };
    assert!((side(1.0) + side(-1.0)).abs() < 1e-9 && side(1.0) > 0.0);
}

#[test]
fn regression_with_a_learned_tube() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 0.03, 300.0);
        let n = r.n();
        let y: Vec<f64> = (0..n).map(|i| 5.0 + r.kernel.get(i, 0) + r.number()).collect();
        let nu = if seed % 7 == 0 { 1.0 } else { 0.05 + 0.9 * r.number() };
        let watch = Run::default().watch();
        let settings = Settings { tol: 1e-7, ..SETTINGS };
        let found = nu_svr(&r.gram, &y, nu, &r.costs, None, &settings, &watch);
        let sign = |i: usize| if i < n { 1.0 } else { -1.0 };
        // One more variable: the room that is left below T.
        let m = 2 * n + 1;
        let p = Matrix::from_fn(m, m, |i, j| {
            let inside = i < 2 * n && j < 2 * n;
            if inside { sign(i) * sign(j) * r.kernel.get(i % n, j % n) } else { 0.0 }
        });
        let q: Vec<f64> =
            (0..m).map(|i| if i < 2 * n { -sign(i) * y[i % n] } else { 0.0 }).collect();
        let most = nu * r.costs.iter().sum::<f64>();
        let sum = (0..m).map(|i| if i < 2 * n { sign(i) } else { 0.0 }).collect();
        let upper = [r.costs.repeat(2), vec![most]].concat();
        let rows = [(sum, 0.0), (vec![1.0; m], most)];
        let expected = -least(&p, &q, &rows, &vec![0.0; m], &upper);
        agree(&found.machine, expected, &format!("problem {seed}, nu {nu}"));
        let norm: f64 = found.machine.coef.iter().map(|b| b.abs()).sum();
        assert!(norm <= most * (1.0 + 1e-12) && found.epsilon >= 0.0);
        // The primal in plain loops.
        let (mut primal, mut sum) = (most * found.epsilon, 0.0);
        for i in 0..n {
            let b = found.machine.coef[i];
            let value: f64 = (0..n).map(|j| r.kernel.get(i, j) * found.machine.coef[j]).sum();
            let loss = ((y[i] - value - found.machine.bias).abs() - found.epsilon).max(0.0);
            primal += 0.5 * b * value + r.costs[i] * loss;
            sum += b;
        }
        assert!((primal - found.machine.primal).abs() <= 1e-9 * primal && sum.abs() <= 1e-9 * norm);
        let start = Some(found.machine.coef.as_slice());
        let again = nu_svr(&r.gram, &y, nu, &r.costs, start, &settings, &watch);
        agree(&again.machine, expected, &format!("problem {seed} from a start"));
    }
}

/// Two sums: one for each class.
#[test]
fn nearest_points_of_hulls() {
    for seed in 0..20 {
        let mut r = Random::new(seed, 1e-3, 1.0);
        let n = r.n();
        let y: Vec<f64> = (0..n)
            .map(|i| if i > 1 && r.kernel.get(i, 0) + 0.4 * r.number() > 0.5 { 1.0 } else { -1.0 })
            .collect();
        let y: Vec<f64> =
            y.iter().enumerate().map(|(i, y)| if i == 1 { 1.0 } else { *y }).collect();
        let watch = Run::default().watch();
        let found = hulls(&r.gram, &y, &r.costs, None, &SETTINGS, &watch);
        let entry = |i: usize, j: usize| r.kernel.get(i, j) + if i == j { r.costs[i] } else { 0.0 };
        let p = Matrix::from_fn(n, n, |i, j| y[i] * y[j] * entry(i, j));
        let of = |sign: f64| y.iter().map(|y| f64::from(u8::from(*y == sign))).collect();
        let rows = [(of(1.0), 1.0), (of(-1.0), 1.0)];
        let zero = vec![0.0; n];
        let expected = least(&p, &zero, &rows, &zero, &vec![1.0; n]);
        agree(&found, expected, &format!("problem {seed}"));
        for sign in [1.0, -1.0] {
            let sum: f64 = (0..n).filter(|i| y[*i] == sign).map(|i| sign * found.coef[i]).sum();
            assert!((sum - 1.0).abs() < 1e-9, "problem {seed}: {sum}");
        }
        // The bound in plain loops.
        let f = |i: usize| (0..n).map(|j| entry(i, j) * found.coef[j]).sum::<f64>();
        let norm: f64 = (0..n).map(|i| found.coef[i] * f(i)).sum();
        let above = (0..n).filter(|i| y[*i] > 0.0).map(f).fold(f64::INFINITY, f64::min);
        let below = (0..n).filter(|i| y[*i] < 0.0).map(f).fold(f64::NEG_INFINITY, f64::max);
        let gap = (norm - (above - below)) / (0.5 * norm);
        assert!((gap - found.gap).abs() <= 1e-9, "problem {seed}: {gap:e}, said {:e}", found.gap);
        let start: Vec<f64> = found.coef.iter().map(|c| 3.0 * c).collect();
        let again = hulls(&r.gram, &y, &r.costs, Some(&start), &SETTINGS, &watch);
        agree(&again, expected, &format!("problem {seed} from a start"));
    }
}
