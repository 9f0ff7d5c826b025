//! Methods that combine decision values: machines on single kernels, trained one by one here, and the program of the
//! second stage by Clarabel.

use crate::common::{bank, classes, interior_point, problem, rules};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Matrix, Target};
use cokernel::machine::{Solution, Svc};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use rand::RngExt;

fn svc(c: f64) -> Svc {
    Svc { c, tol: 1e-9, ..Svc::default() }
}

fn learn(id: &str, given: &[(&str, Value)], bank: &Bank, classes: &Classes, c: f64) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let (target, machine) = (Target::from(classes.clone()), svc(c));
    let learner = learner(method, &params).unwrap();
    train(&Problem::new(bank, &target, &machine), learner.as_ref(), &Run::default()).unwrap()
}

/// The machine on kernel m alone, without the instances for which `weight` is 0, and its values by plain loops.
fn alone(
    kernel: &Matrix,
    classes: &Classes,
    c: f64,
    weights: Option<&[f64]>,
) -> (Solution, Vec<Vec<f64>>) {
    let one = bank(std::slice::from_ref(kernel), Storage::Resident);
    let gram = one.combine(&[1.0]).unwrap();
    let found = svc(c).fit(&gram, classes, weights, None, &Run::default()).unwrap();
    let n = kernel.rows();
    let value = |coef: &[f64], i: usize| (0..n).map(|j| coef[j] * kernel.get(i, j)).sum::<f64>();
    let values =
        found.heads().map(|h| (0..n).map(|i| value(&h.coef, i) + h.bias).collect()).collect();
    (found, values)
}

/// The least hinge loss of the rows over the simplex.
fn least_hinge(rows: &[Vec<f64>]) -> f64 {
    let (n, m) = (rows.len(), rows[0].len());
    let (mut at, mut cols, mut values, mut b) = (vec![0; m], vec![], vec![1.0; m], vec![1.0]);
    cols.extend(0..m);
    for (i, row) in rows.iter().enumerate() {
        for (k, v) in row.iter().enumerate() {
            at.push(b.len());
            cols.push(k);
            values.push(-v);
        }
        at.push(b.len());
        cols.push(m + i);
        values.push(-1.0);
        b.push(-1.0);
    }
    for v in 0..m + n {
        at.push(b.len());
        cols.push(v);
        values.push(-1.0);
        b.push(0.0);
    }
    let a = CscMatrix::new_from_triplets(b.len(), m + n, at, cols, values);
    let q: Vec<f64> = (0..m + n).map(|v| if v < m { 0.0 } else { 1.0 }).collect();
    let cones = [SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(b.len() - 1)];
    interior_point(&CscMatrix::zeros((m + n, m + n)), &q, &a, &b, &cones).obj_val
}

/// (21) with in-sample values, as printed: values by plain loops, the program by Clarabel, and the decision function.
#[test]
fn ekp_beside_clarabel() {
    for (n, k, seed) in [(60, 2, 1), (75, 3, 2)] {
        let (kernels, codes) = problem(n, k, 5, seed);
        let (classes, c) = (classes(&codes), 0.05);
        let given = [("values", Value::from("in_sample")), ("tol", Value::Real(1e-9))];
        let found = learn("ekp", &given, &bank(&kernels, Storage::Resident), &classes, c);
        let parts: Vec<_> = kernels.iter().map(|kernel| alone(kernel, &classes, c, None)).collect();
        let machines = found.machines.as_ref().unwrap();
        let mut total = 0.0;
        let decisions = rules::decisions(&found, &kernels);
        for (t, role) in machines.roles().into_iter().enumerate() {
            let sign = |i: usize| role.sign(codes[i]);
            let row = |i: usize| parts.iter().map(|p| sign(i) * p.1[t][i]).collect::<Vec<f64>>();
            let rows: Vec<Vec<f64>> = (0..n).map(row).collect();
            let mu = &found.report.details[&format!("mu_{}", role.name(&classes.names))];
            let value = |row: &[f64]| row.iter().zip(mu).map(|(a, b)| a * b).sum::<f64>();
            let loss: f64 = rows.iter().map(|r| (1.0 - value(r)).max(0.0)).sum();
            let best = least_hinge(&rows);
            assert!(loss >= best * (1.0 - 1e-6) && loss <= best * (1.0 + 1e-6), "{loss} {best}");
            total += loss;
            for i in 0..n {
                assert!((sign(i) * decisions[t][i] - value(&rows[i])).abs() < 1e-6);
            }
        }
        let said = found.report.objective.last().unwrap();
        assert!((said - total).abs() <= 1e-6 * total && found.report.gap.unwrap() <= 1e-9);
    }
}

/// The least of −ρ + Σ ξ/(νn), rows of one instance after the other.
fn least_margin_loss(rows: &[Vec<Vec<f64>>], nu: f64) -> f64 {
    let (n, m) = (rows.len(), rows[0][0].len());
    let (mut at, mut cols, mut values, mut b) = (vec![0; m], vec![], vec![1.0; m], vec![1.0]);
    cols.extend(0..m);
    let mut entry = |row: usize, col: usize, value: f64| {
        at.push(row);
        cols.push(col);
        values.push(value);
    };
    for (i, of_one) in rows.iter().enumerate() {
        for row in of_one {
            row.iter().enumerate().for_each(|(k, v)| entry(b.len(), k, -v));
            entry(b.len(), m, 1.0);
            entry(b.len(), m + 1 + i, -1.0);
            b.push(0.0);
        }
    }
    for v in (0..m).chain(m + 1..m + 1 + n) {
        entry(b.len(), v, -1.0);
        b.push(0.0);
    }
    let count = m + 1 + n;
    let a = CscMatrix::new_from_triplets(b.len(), count, at, cols, values);
    let mut q = vec![1.0 / (nu * n as f64); count];
    q[..m].fill(0.0);
    q[m] = -1.0;
    let cones = [SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(b.len() - 1)];
    interior_point(&CscMatrix::zeros((count, count)), &q, &a, &b, &cones).obj_val
}

/// The linear program with in-sample values, its margin and the decision function: two classes, and four with a value each.
#[test]
fn lp_beta_beside_clarabel() {
    for (n, k, nu, seed) in [(60, 2, 0.3, 1), (80, 4, 0.6, 2), (80, 4, 0.05, 3)] {
        let (kernels, codes) = problem(n, k, 5, seed);
        let (classes, c) = (classes(&codes), 0.05);
        let given = [
            ("values", Value::from("in_sample")),
            ("nu", Value::Real(nu)),
            ("tol", Value::Real(1e-9)),
        ];
        let found = learn("lp_beta", &given, &bank(&kernels, Storage::Resident), &classes, c);
        let parts: Vec<_> = kernels.iter().map(|kernel| alone(kernel, &classes, c, None)).collect();
        let beta = &found.report.details["beta"];
        let machines = found.machines.as_ref().unwrap();
        let decisions = rules::decisions(&found, &kernels);
        let value = |i: usize, t: usize| parts.iter().map(|p| p.1[t][i]).collect::<Vec<f64>>();
        let rows: Vec<Vec<Vec<f64>>> = (0..n)
            .map(|i| {
                let own = codes[i] as usize;
                if k == 2 {
                    let sign = machines.roles()[0].sign(codes[i]);
                    return vec![value(i, 0).iter().map(|v| sign * v).collect()];
                }
                let against =
                    |c: usize| value(i, own).iter().zip(value(i, c)).map(|(a, b)| a - b).collect();
                (0..k).filter(|c| *c != own).map(against).collect()
            })
            .collect();
        let margin = |of_one: &Vec<Vec<f64>>| {
            let of = |row: &Vec<f64>| row.iter().zip(beta).map(|(a, b)| a * b).sum::<f64>();
            of_one.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        let rho = found.report.details["rho"][0];
        let loss: f64 = rows.iter().map(|r| (rho - margin(r)).max(0.0)).sum();
        let (objective, best) = (loss / (nu * n as f64) - rho, least_margin_loss(&rows, nu));
        assert!((objective - best).abs() <= 1e-7 * (1.0 + best.abs()), "{objective} {best}");
        assert!((found.report.objective.last().unwrap() - best).abs() <= 1e-7 * (1.0 + best.abs()));
        // A gap is relative to the objective, whatever its terms are.
        let rough = [given[0].clone(), given[1].clone(), ("tol", Value::Real(0.1))];
        let rough =
            learn("lp_beta", &rough, &bank(&kernels, Storage::Resident), &classes, c).report;
        let (reached, gap) = (rough.objective.last().unwrap(), rough.gap.unwrap());
        assert!(
            gap <= 0.1 && reached - best <= gap * reached.abs() + 1e-6,
            "{reached} {best} {gap}"
        );
        assert!((beta.iter().sum::<f64>() - 1.0).abs() < 1e-12 && beta.iter().all(|b| *b >= 0.0));
        assert!(rows.iter().filter(|r| margin(r) < rho - 1e-9).count() as f64 <= nu * n as f64);
        for (t, decisions) in decisions.iter().enumerate() {
            for (i, found) in decisions.iter().enumerate() {
                let want: f64 = value(i, t).iter().zip(beta).map(|(a, b)| a * b).sum();
                assert!((found - want).abs() < 1e-6);
            }
        }
    }
}

/// The kernel of which every instance is like itself alone is fitted without a loss and says nothing: in-sample values
/// give it all the weight, those of held-out folds none.
#[test]
fn held_out_values_do_not_trust_noise() {
    let n = 80;
    let mut rng = Run::with_seed(3).rng("view classifier tests");
    let codes: Vec<u32> = (0..n).map(|i| (i % 2) as u32).collect();
    let x: Vec<f64> = codes
        .iter()
        .map(|c| 1.2 * f64::from(*c) + rng.random::<f64>() + rng.random::<f64>())
        .collect();
    let useful = Matrix::from_fn(n, n, |i, j| (-(x[i] - x[j]).powi(2)).exp());
    let noise = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let bank = bank(&[useful, noise], Storage::Resident);
    let classes = classes(&codes);
    let mu = |values: &str| {
        let found = learn("ekp", &[("values", Value::from(values))], &bank, &classes, 10.0);
        found.rule.uses()
    };
    assert!(mu("in_sample")[1] > 0.9, "{:?}", mu("in_sample"));
    assert!(mu("out_of_fold")[0] > 0.9, "{:?}", mu("out_of_fold"));
}

/// Each kernel has its own C, the one with the most right answers on the folds; and says which.
#[test]
fn every_kernel_chooses_its_c() {
    let (kernels, codes) = problem(60, 2, 3, 4);
    let classes = classes(&codes);
    // The same kernel a thousand times smaller: with C alone all its coefficients are at their bound.
    let small = Matrix::from_fn(60, 60, |i, j| 1e-4 * kernels[0].get(i, j));
    let bank = bank(&[kernels[0].clone(), small], Storage::Resident);
    let factors = Value::Reals(vec![1.0, 1e4]);
    let found = learn("ekp", &[("c_factors", factors)], &bank, &classes, 1.0);
    let chosen = &found.report.details["c_factors"];
    assert_eq!(chosen.len(), 2);
    let (_, values) = alone(&kernels[0], &classes, chosen[0], None);
    let (_, other) = alone(&kernels[0], &classes, chosen[1] * 1e-4, None);
    let said = rules::decisions(
        &found,
        &[kernels[0].clone(), Matrix::from_fn(60, 60, |i, j| 1e-4 * kernels[0].get(i, j))],
    );
    let mu = found.rule.uses();
    for i in 0..60 {
        let want = mu[0] * values[0][i] + mu[1] * other[0][i];
        assert!((said[0][i] - want).abs() < 1e-4 * (1.0 + want.abs()), "{} {want}", said[0][i]);
    }
    // A class with one instance cannot be held out.
    let mut lonely = codes.clone();
    lonely[0] = 2;
    let lonely = crate::common::classes(&lonely);
    let kernels = crate::common::bank(&kernels, Storage::Resident);
    let found = learn("ekp", &[], &kernels, &lonely, 1.0);
    assert!(found.report.notes.iter().any(|n| n.starts_with("nothing could be held out")));
}
