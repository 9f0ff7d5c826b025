//! Boosting on columns of kernels beside the whole programs by Clarabel, from the matrices alone; kernel boosting beside
//! plain sums.

use crate::common::{bank, classes, interior_point, problem, rules};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Matrix, Target};
use cokernel::machine::{MachineSpec, Role, Svc};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use cokernel::{Cancel, Run, Status};
use std::time::Duration;

fn learn(
    id: &str,
    given: &[(&str, Value)],
    kernels: &[Matrix],
    target: &Target,
    weights: Option<&[f64]>,
    c: f64,
    run: &Run,
) -> cokernel::Result<Learned> {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v)))?;
    let machine = match target {
        Target::Real(_) => {
            MachineSpec::new("kernel_ridge").unwrap().checked().unwrap().build().unwrap()
        }
        _ => Box::new(Svc { c, ..Svc::default() }),
    };
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem { weights, ..Problem::new(&bank, target, machine.as_ref()) };
    train(&problem, learner(method, &params)?.as_ref(), run)
}

/// A program min ½Σ p_v v² + qᵀv, equalities and inequalities Av ≤ b, sparse rows.
#[derive(Default)]
struct Program {
    p: Vec<f64>,
    q: Vec<f64>,
    equal: Vec<(Vec<(usize, f64)>, f64)>,
    below: Vec<(Vec<(usize, f64)>, f64)>,
}

impl Program {
    fn variables(&mut self, count: usize, p: f64, q: f64) -> Vec<usize> {
        let first = self.p.len();
        self.p.resize(first + count, p);
        self.q.resize(first + count, q);
        (first..first + count).collect()
    }

    fn least(&self) -> f64 {
        let n = self.p.len();
        let (mut at, mut cols, mut values, mut b) = (vec![], vec![], vec![], vec![]);
        for (row, bound) in self.equal.iter().chain(&self.below) {
            for (c, v) in row {
                at.push(b.len());
                cols.push(*c);
                values.push(*v);
            }
            b.push(*bound);
        }
        let a = CscMatrix::new_from_triplets(b.len(), n, at, cols, values);
        let own: Vec<usize> = (0..n).collect();
        let p = CscMatrix::new_from_triplets(n, n, own.clone(), own, self.p.clone());
        let cones = [
            SupportedConeT::ZeroConeT(self.equal.len()),
            SupportedConeT::NonnegativeConeT(self.below.len()),
        ];
        interior_point(&p, &self.q, &a, &b, &cones).obj_val
    }
}

/// The instances and signs of each decision function.
fn binary(found: &Learned, classes: &Classes) -> Vec<(Vec<usize>, Vec<f64>)> {
    let one = |role: Role| {
        let all = classes.codes.iter().enumerate().map(|(i, code)| (i, role.sign(*code)));
        all.filter(|(_, sign)| *sign != 0.0).unzip()
    };
    found.machines.as_ref().unwrap().roles().into_iter().map(one).collect()
}

fn unit(kernels: &[Matrix]) -> f64 {
    let of = |k: &Matrix| (0..k.rows()).map(|i| k.get(i, i)).sum::<f64>() / k.rows() as f64;
    kernels.iter().map(of).sum::<f64>() / kernels.len() as f64
}

/// −ρ + Σ w ξ/(νΣw) over all columns of both signs.
fn least_margin(kernels: &[Matrix], rows: &[usize], y: &[f64], w: &[f64], nu: f64) -> f64 {
    let (d, n) = (unit(kernels), rows.len());
    let mut all = Program::default();
    let plus = all.variables(kernels.len() * n + 1, 0.0, 0.0);
    let minus = all.variables(kernels.len() * n + 1, 0.0, 0.0);
    let rho = all.variables(1, 0.0, -1.0)[0];
    let total: f64 = w.iter().sum();
    let xi: Vec<usize> = w.iter().map(|w| all.variables(1, 0.0, w / (nu * total))[0]).collect();
    all.equal.push((plus.iter().chain(&minus).map(|v| (*v, 1.0)).collect(), 1.0));
    for (r, i) in rows.iter().enumerate() {
        let value = |j: usize| match j < kernels.len() * n {
            true => kernels[j / n].get(*i, rows[j % n]) / d,
            false => 1.0,
        };
        let mut row = vec![(rho, 1.0), (xi[r], -1.0)];
        for j in 0..plus.len() {
            row.push((plus[j], -y[r] * value(j)));
            row.push((minus[j], y[r] * value(j)));
        }
        all.below.push((row, 0.0));
    }
    let free: Vec<usize> = plus.iter().chain(&minus).chain(&xi).copied().collect();
    all.below.extend(free.iter().map(|v| (vec![(*v, -1.0)], 0.0)));
    all.least()
}

/// Coefficients of one head by kernel and instance, of all kernels.
fn coefficients(found: &Learned, head: usize, kernels: usize, n: usize) -> Vec<Vec<f64>> {
    let heads: Vec<_> = found.machines.as_ref().unwrap().heads().collect();
    let mut all = vec![vec![0.0; n]; kernels];
    for (part, m) in heads[head].coef.chunks(n).zip(found.rule.active()) {
        all[m] = part.to_vec();
    }
    all
}

#[test]
fn the_margin_is_that_of_all_columns() {
    for (n, k, count, seed) in [(36, 2, 3, 1), (30, 2, 1, 2), (45, 3, 4, 3)] {
        for nu in [0.1, 0.5, 0.9] {
            let (kernels, codes) = problem(n, k, count, seed);
            let classes = classes(&codes);
            let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
            let given = [("tol", Value::Real(1e-9)), ("nu", Value::Real(nu))];
            let target = Target::from(classes.clone());
            let run = Run::default();
            let found = learn("cg_boost", &given, &kernels, &target, Some(&weights), 1.0, &run);
            let found = found.unwrap();
            let what = format!("{n} {k} {count} {nu}");
            assert_eq!(found.report.status, Status::Converged, "{what}");
            assert!(found.report.gap.unwrap() <= 1e-9, "{what}");
            let (d, decisions) = (unit(&kernels), rules::decisions(&found, &kernels));
            let machines = found.machines.as_ref().unwrap();
            for (t, (rows, y)) in binary(&found, &classes).iter().enumerate() {
                let w: Vec<f64> = rows.iter().map(|i| weights[*i]).collect();
                let best = least_margin(&kernels, rows, y, &w, nu);
                // By the coefficients and ρ that it tells.
                let rho = found.report.details["rho"][t];
                let coef = coefficients(&found, t, count, n);
                let size: f64 = coef.iter().flatten().map(|c| c.abs() * d).sum();
                let bias = machines.blocks[t].heads[0].bias;
                assert!((rho * (size + bias.abs()) - 1.0).abs() < 1e-6, "{what}: {rho} {size}");
                let loss =
                    |(r, i): (usize, &usize)| w[r] * (rho - y[r] * rho * decisions[t][*i]).max(0.0);
                let total: f64 = nu * w.iter().sum::<f64>();
                let value = rows.iter().enumerate().map(loss).sum::<f64>() / total - rho;
                assert!((value - best).abs() <= 1e-6 * best.abs(), "{what}: {value} {best}");
                assert!((machines.blocks[t].primal - best).abs() <= 1e-6 * best.abs());
                assert!(machines.blocks[t].objective <= best + 1e-9, "{what}");
                // Few columns, of instances of the two classes alone.
                let used = coef.iter().flatten().filter(|c| **c != 0.0).count();
                assert!(
                    used as f64 <= found.report.details["columns"][t] && used <= rows.len() + 1
                );
            }
        }
    }
}

/// ½‖γ‖² + ½b² + d² Σ C_i ξ_i, or ½‖γ‖² + Σ w (y − f)²/2λ with a free b, over all columns.
fn least_square(
    kernels: &[Matrix],
    rows: &[usize],
    y: &[f64],
    w: &[f64],
    lambda: Option<f64>,
) -> f64 {
    let (d, n) = (unit(kernels), rows.len());
    let count = kernels.len() * n;
    let mut all = Program::default();
    let gamma = all.variables(count, 1.0, 0.0);
    let bias = all.variables(1, if lambda.is_some() { 0.0 } else { 1.0 }, 0.0)[0];
    for (r, i) in rows.iter().enumerate() {
        let value = |j: usize| kernels[j / n].get(*i, rows[j % n]) / d / (count as f64).sqrt();
        let of = |s: f64| {
            let mut row: Vec<(usize, f64)> = gamma.iter().map(|j| (*j, s * value(*j))).collect();
            row.push((bias, s));
            row
        };
        match lambda {
            Some(lambda) => {
                let rest = all.variables(1, w[r] / lambda, 0.0)[0];
                let mut row = of(1.0);
                row.push((rest, 1.0));
                all.equal.push((row, y[r]));
            }
            None => {
                let xi = all.variables(1, 0.0, d * d * w[r])[0];
                let mut row = of(-y[r]);
                row.push((xi, -1.0));
                all.below.push((row, -1.0));
                all.below.push((vec![(xi, -1.0)], 0.0));
            }
        }
    }
    all.least()
}

#[test]
fn two_norms_are_those_of_all_columns() {
    for (n, k, count, seed, c) in [(24, 2, 3, 1, 1.0), (30, 3, 2, 2, 20.0), (20, 2, 2, 3, 1e-2)] {
        let (kernels, codes) = problem(n, k, count, seed);
        let classes = classes(&codes);
        let weights: Vec<f64> = (0..n).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
        let target = Target::from(classes.clone());
        let (tol, run) = (("tol", Value::Real(1e-9)), Run::default());
        let hinge = [tol.clone(), ("norm", Value::from("2"))];
        let found = learn("cg_boost", &hinge, &kernels, &target, Some(&weights), c, &run).unwrap();
        let lambda = 0.3 * c;
        let squares = [tol.clone(), ("lambda", Value::Real(lambda))];
        let ridge = learn("mark", &squares, &kernels, &target, Some(&weights), c, &run).unwrap();
        let d = unit(&kernels);
        for (found, is_ridge) in [(&found, false), (&ridge, true)] {
            assert_eq!(found.report.status, Status::Converged);
            let decisions = rules::decisions(found, &kernels);
            for (t, (rows, y)) in binary(found, &classes).iter().enumerate() {
                let mut w: Vec<f64> = rows.iter().map(|i| weights[*i]).collect();
                let mean = w.iter().sum::<f64>() / w.len() as f64;
                w.iter_mut().for_each(|w| *w *= if is_ridge { 1.0 / mean } else { c });
                let best = least_square(&kernels, rows, y, &w, is_ridge.then_some(lambda));
                let block = &found.machines.as_ref().unwrap().blocks[t];
                let scale = d * d * (count * rows.len()) as f64;
                let coef = coefficients(found, t, count, n);
                let norm: f64 = coef.iter().flatten().map(|a| a * a * scale).sum();
                let bias = block.heads[0].bias;
                let loss = |(r, i): (usize, &usize)| match is_ridge {
                    true => w[r] * (y[r] - decisions[t][*i]).powi(2) / (2.0 * lambda),
                    false => d * d * w[r] * (1.0 - y[r] * decisions[t][*i]).max(0.0),
                };
                let own = if is_ridge { 0.0 } else { 0.5 * bias * bias };
                let value = 0.5 * norm + own + rows.iter().enumerate().map(loss).sum::<f64>();
                let what = format!("{n} {k} {c} ridge {is_ridge}: {value} {best}");
                assert!((value - best).abs() <= 1e-6 * best, "{what}");
                assert!((block.primal - best).abs() <= 1e-6 * best, "{what} {}", block.primal);
                assert!(block.objective <= best * (1.0 + 1e-8), "{what}");
            }
        }
    }
}

/// Numbers, as a ridge regression over all columns in closed form would have it; fewer columns are told by their gap.
#[test]
fn numbers_and_fewer_columns() {
    let (kernels, _) = problem(40, 2, 3, 4);
    let y: Vec<f64> =
        (0..40).map(|i| 7.0 + (i as f64 * 0.37).sin() + kernels[0].get(i, 3)).collect();
    let rows: Vec<usize> = (0..40).collect();
    let best = least_square(&kernels, &rows, &y, &[1.0; 40], Some(1.0));
    let (target, run) = (Target::Real(y.clone()), Run::default());
    let one = ("lambda", Value::Real(1.0));
    let tight = [one.clone(), ("tol", Value::Real(1e-10))];
    let all = learn("mark", &tight, &kernels, &target, None, 1.0, &run).unwrap();
    let last = *all.report.objective.last().unwrap();
    assert!((last - best).abs() <= 1e-7 * best, "{last} {best}");
    let mut before = f64::INFINITY;
    for most in [1, 5, 20, 60] {
        let limit = ("max_columns", Value::Int(most));
        let few = [one.clone(), limit, ("tol", Value::Real(1e-10))];
        let found = learn("mark", &few, &kernels, &target, None, 1.0, &run).unwrap();
        assert_eq!(found.report.status, Status::IterationLimit);
        let count = found.report.details["columns"][0];
        assert!(count <= most as f64 && count > 0.0, "{count} {most}");
        let value = *found.report.objective.last().unwrap();
        let gap = found.report.gap.unwrap();
        assert!(value <= before && value >= best * (1.0 - 1e-9), "{value} {best}");
        assert!(value - best <= gap * value * (1.0 + 1e-9), "{value} {best} {gap}");
        assert!(found.report.objective.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)));
        before = value;
    }
    assert!(before > best * (1.0 + 1e-6));
    // The multipliers of one column prove something at the right multiple, not as they are.
    let [little, one] = [("lambda", Value::Real(1e-6)), ("max_columns", Value::Int(1))];
    let found = learn("mark", &[little, one], &kernels, &target, None, 1.0, &run).unwrap();
    let (value, gap) = (*found.report.objective.last().unwrap(), found.report.gap.unwrap());
    let best = least_square(&kernels, &rows, &y, &[1.0; 40], Some(1e-6));
    assert!(gap < 1.0 && value - best <= gap * value, "{value} {best} {gap}");
}

/// What one column gives is nothing to say of all: no advice on nu before the end.
#[test]
fn few_columns_are_no_reason_for_a_larger_nu() {
    let (kernels, codes) = problem(45, 3, 3, 2);
    let (target, run) = (Target::from(classes(&codes)), Run::default());
    let said = |given: &[(&str, Value)]| {
        let found = learn("cg_boost", given, &kernels, &target, None, 1.0, &run).unwrap();
        (found.report.status, found.report.details["rho"].clone(), found.report.warnings)
    };
    let (status, rho, warnings) = said(&[("max_columns", Value::Int(1)), ("nu", Value::Real(0.1))]);
    assert_eq!(status, Status::IterationLimit);
    assert!(rho.iter().any(|r| *r <= 0.0) && warnings.is_empty(), "{rho:?} {warnings:?}");
}

/// With most instances of one class, and many that may be on the wrong side, the constant is best.
#[test]
fn a_constant_says_that_it_is_one() {
    let (kernels, _) = problem(40, 2, 2, 7);
    let codes: Vec<u32> = (0..40).map(|i| u32::from(i % 10 == 0)).collect();
    let (target, run) = (Target::from(classes(&codes)), Run::default());
    let said = |nu: f64| {
        let given = [("nu", Value::Real(nu))];
        let found = learn("cg_boost", &given, &kernels, &target, None, 1.0, &run).unwrap();
        let constant = found.report.warnings.iter().any(|w| w.contains("the constant alone has"));
        (found.report.details["columns"][0] == 0.0, constant)
    };
    assert_eq!(said(0.9), (true, true));
    assert_eq!(said(0.1), (false, false));
}

/// A gap is relative to the objective, a difference that may be much smaller than its terms.
#[test]
fn rough_tolerances_are_kept() {
    let run = Run::default();
    for seed in 1..=6 {
        let (mut kernels, codes) = problem(27, 2, 2, seed);
        if seed == 6 {
            kernels = vec![Matrix::from_fn(27, 27, |i, j| f64::from(u8::from(i == j)))];
        }
        let classes = classes(&codes);
        let target = Target::from(classes.clone());
        for (nu, tol) in [(0.5, 0.1), (0.9, 0.1), (0.9, 1e-2), (0.2, 1e-3)] {
            let given = [("tol", Value::Real(tol)), ("nu", Value::Real(nu))];
            let found = learn("cg_boost", &given, &kernels, &target, None, 1.0, &run).unwrap();
            let (rows, y) = &binary(&found, &classes)[0];
            let best = least_margin(&kernels, rows, y, &[1.0; 27], nu);
            let (reached, gap) =
                (found.report.objective.last().unwrap(), found.report.gap.unwrap());
            assert_eq!(found.report.status, Status::Converged, "{seed} {nu} {tol}");
            let off = reached - best;
            assert!(gap <= tol && off <= gap * reached.abs() + 1e-8, "{seed} {nu}: {off} {gap}");
        }
    }
}

/// Nothing to learn is the answer, and told: kernels of zeros, and columns that are nearly constant.
#[test]
fn nothing_is_learned_of_what_tells_nothing() {
    let (_, codes) = problem(32, 2, 1, 5);
    let (target, run) = (Target::from(classes(&codes)), Run::default());
    let zeros = [Matrix::zeros(32, 32)];
    let same = [Matrix::from_fn(32, 32, |i, j| (-((i as f64 - j as f64) * 1e-4).powi(2)).exp())];
    for (id, kernels) in [("mark", &zeros), ("cg_boost", &zeros), ("cg_boost", &same)] {
        let found = learn(id, &[], kernels, &target, None, 1.0, &run).unwrap().report;
        assert_eq!(found.status, Status::Converged, "{id}: {:?}", found.notes);
        assert!(found.warnings.iter().any(|w| w.contains("told the same")), "{id}");
    }
}

/// Of several decision functions those without a column are told by their number: here the second class lies between the others in
/// all that the kernel tells.
#[test]
fn functions_without_a_column_are_counted() {
    let codes: Vec<u32> = (0..36).map(|i| i % 3).collect();
    let (target, run) = (Target::from(classes(&codes)), Run::default());
    let side = |i: usize| 1.0 - f64::from(codes[i]);
    let kernels = [Matrix::from_fn(36, 36, |i, j| side(i) * side(j))];
    let found = learn("mark", &[], &kernels, &target, None, 1.0, &run).unwrap().report;
    let columns = &found.details["columns"];
    assert!(columns[0] > 0.0 && columns[1] == 0.0 && columns[2] > 0.0, "{columns:?}");
    assert!(found.warnings.iter().any(|w| w.contains("in 1 of 3 decision functions")));
    let zeros = learn("mark", &[], &[Matrix::zeros(36, 36)], &target, None, 1.0, &run).unwrap();
    let said = &zeros.report.warnings;
    assert!(said.iter().any(|w| w.contains("and every instance")), "{said:?}");
}

#[test]
fn units_costs_and_odd_kernels() {
    let (kernels, codes) = problem(30, 2, 3, 7);
    let classes = classes(&codes);
    let target = Target::from(classes);
    let run = Run { time_limit: Some(Duration::from_secs(20)), ..Run::default() };
    let near = |a: &[Vec<f64>], b: &[Vec<f64>], what: &str| {
        for (a, b) in a.concat().iter().zip(b.concat()) {
            assert!((a - b).abs() <= 1e-3 * (1.0 + b.abs()), "{what}: {a} {b}");
        }
    };
    let two = ("norm", Value::from("2"));
    let tol = ("tol", Value::Real(1e-8));
    for (id, given, degree) in [
        ("cg_boost", vec![tol.clone()], 0),
        ("cg_boost", vec![tol.clone(), two.clone()], 2),
        ("mark", vec![tol.clone()], 0),
        ("kernel_boosting", vec![("rounds", Value::Int(5))], 0),
    ] {
        let plain = learn(id, &given, &kernels, &target, None, 1.0, &run).unwrap();
        let values = rules::decisions(&plain, &kernels);
        for s in [1e-12, 1e12] {
            let scaled: Vec<Matrix> =
                kernels.iter().map(|k| Matrix::from_fn(30, 30, |i, j| s * k.get(i, j))).collect();
            let c = 1.0 / f64::powi(s, degree);
            let found = learn(id, &given, &scaled, &target, None, c, &run).unwrap();
            near(&rules::decisions(&found, &scaled), &values, &format!("{id} {s:e}"));
        }
        // Any C ends, and says how.
        for c in [1e-12, 1e12, 1e17] {
            let found = learn(id, &given, &kernels, &target, None, c, &run).unwrap();
            let said = &found.report;
            assert!(said.status.is_success() || !said.notes.is_empty(), "{id} {c:e}");
            assert!(rules::decisions(&found, &kernels).concat().iter().all(|v| v.is_finite()));
        }
        // Kernels of which nothing can be told.
        for value in [0.0, 1.0] {
            let flat = vec![Matrix::from_fn(30, 30, |_, _| value); 2];
            let found = learn(id, &given, &flat, &target, None, 1.0, &run).unwrap();
            let values = rules::decisions(&found, &flat).concat();
            assert!(values.iter().all(|v| v.is_finite()), "{id} {value}");
            let spread = values.iter().map(|v| (v - values[0]).abs()).fold(0.0, f64::max);
            assert!(spread < 1e-6, "{id} {value} {spread}");
        }
        // Two instances.
        let pair: Vec<Matrix> =
            kernels.iter().map(|k| Matrix::from_fn(2, 2, |i, j| k.get(i, j))).collect();
        let two = Target::from(crate::common::classes(&codes[..2]));
        let found = learn(id, &given, &pair, &two, None, 1.0, &run).unwrap();
        let values = rules::decisions(&found, &pair).concat();
        assert!(values[0] < 0.0 && values[1] > 0.0, "{id} {values:?}");
        // A stop leaves something.
        let cancel = Cancel::default();
        cancel.cancel();
        let stopped = Run { cancel, ..Run::default() };
        let found = learn(id, &given, &kernels, &target, None, 1.0, &stopped).unwrap();
        assert_eq!(found.report.status, Status::Interrupted, "{id}");
    }
    // A similarity with negative eigenvalues is as good as any other.
    let odd = vec![Matrix::from_fn(30, 30, |i, j| {
        if codes[i] == codes[j] { if i == j { 0.5 } else { 1.0 } } else { 0.1 }
    })];
    for id in ["cg_boost", "mark"] {
        let found = learn(id, std::slice::from_ref(&tol), &odd, &target, None, 1.0, &run).unwrap();
        assert!(found.report.status.is_success(), "{id}");
        let values = rules::decisions(&found, &odd).concat();
        let right = values.iter().zip(&codes).filter(|(v, c)| (**v > 0.0) == (**c == 1)).count();
        assert_eq!(right, 30, "{id}");
    }
}

/// One round: g from the coefficients, its loss by plain sums, and no function near or far that is better for the
/// quotient.
#[test]
fn a_round_of_kernel_boosting() {
    for (loss, k) in [("exponential", 2), ("logistic", 3)] {
        let (kernels, codes) = problem(36, k, 3, 5);
        let target = Target::from(classes(&codes));
        let ridge = 0.05;
        let given = [
            ("rounds", Value::Int(1)),
            ("pair_loss", Value::from(loss)),
            ("ridge", Value::Real(ridge)),
        ];
        let run = Run::default();
        let found = learn("kernel_boosting", &given, &kernels, &target, None, 1.0, &run).unwrap();
        let m = found.rule.active()[0];
        assert_eq!(found.rule.active().len(), 1);
        let (n, kernel) = (36, &kernels[m]);
        let heads: Vec<_> = found.machines.as_ref().unwrap().heads().collect();
        let of = |beta: &[f64], i: usize| (0..n).map(|j| beta[j] * kernel.get(i, j)).sum::<f64>();
        let mut beta = heads[0].coef.clone();
        let mut g: Vec<f64> = (0..n).map(|i| of(&beta, i)).collect();
        let largest = g.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        g.iter_mut().for_each(|v| *v /= largest);
        beta.iter_mut().for_each(|v| *v /= largest);
        let sign = |i: usize, j: usize| if codes[i] == codes[j] { 1.0 } else { -1.0 };
        let (mut right, mut wrong) = (0.0, 0.0);
        let even = 1.0 / (n * n) as f64;
        for i in 0..n {
            for j in 0..n {
                let v = even * sign(i, j) * g[i] * g[j];
                if v > 0.0 { right += v } else { wrong -= v }
            }
        }
        let alpha = 0.5 * ((right + even) / (wrong + even)).ln();
        let mut mean = 0.0;
        for i in 0..n {
            for j in 0..n {
                let z = sign(i, j) * alpha * g[i] * g[j];
                mean += even * if loss == "logistic" { (-z).exp().ln_1p() } else { (-z).exp() };
            }
        }
        let said = &found.report.objective;
        assert!((said[1] - mean).abs() < 1e-9 && said[1] < said[0], "{said:?} {mean}");
        let d = (0..n).map(|i| kernel.get(i, i)).sum::<f64>() / n as f64;
        let quotient = |beta: &[f64]| {
            let g: Vec<f64> = (0..n).map(|i| of(beta, i)).collect();
            let above: f64 = (0..n * n).map(|p| sign(p / n, p % n) * g[p / n] * g[p % n]).sum();
            let values = g.iter().map(|g| g * g).sum::<f64>() / n as f64;
            let norm: f64 = g.iter().zip(beta).map(|(g, b)| g * b).sum();
            above / (values + ridge * d * norm)
        };
        let best = quotient(&beta);
        let size = beta.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for s in 0..200_u64 {
            let direction = |i: usize| ((s * 37 + i as u64 * 11) as f64 * 0.7).sin();
            for step in [1e-3, 0.1, 1e3] {
                let other: Vec<f64> =
                    beta.iter().enumerate().map(|(i, b)| b + step * size * direction(i)).collect();
                assert!(quotient(&other) <= best * (1.0 + 1e-9), "{loss} {s} {step}");
            }
        }
        // All rounds: the loss never rises.
        let given = [("rounds", Value::Int(30)), ("pair_loss", Value::from(loss))];
        let found = learn("kernel_boosting", &given, &kernels, &target, None, 1.0, &run).unwrap();
        let trace = &found.report.objective;
        assert!(trace.len() > 10 && trace.windows(2).all(|w| w[1] <= w[0]), "{trace:?}");
        // f by coefficients of the kernels is the machine on K: the margins of its certificate.
        let machine = found.report.machine.unwrap();
        assert!(machine.gap <= 1e-3 && machine.dual <= machine.primal);
    }
}
