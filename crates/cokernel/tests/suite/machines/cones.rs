//! SimpleMKL with every machine beside a cone program that is written down independently.

use super::{built, forms, kernels, points, target};
use crate::common::{bank, interior_point};
use crate::reference::mkl::cholesky;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::{find, machines, together};
use cokernel::data::{Labels, Matrix, Target};
use cokernel::machine::Machine;
use cokernel::method::{Method, Task};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;

/// ℓ(c) = −Σ linear x − ½ ridge Σ x² over 0 ≤ x ≤ `upper`, c_ui the sum of the x of `columns` with their
/// signs, the sums of every c_u all `sum`.
struct Program {
    heads: usize,
    linear: Vec<f64>,
    /// Of each x: head, instance and sign of what it adds to.
    columns: Vec<Vec<(usize, usize, f64)>>,
    upper: f64,
    /// Upper bound of each x instead of one for all.
    bounds: Vec<f64>,
    sum: f64,
    ridge: f64,
    /// Most that all x may sum to.
    total: f64,
    /// Whether ℓ(c) has − Σ [x ln(x/u) + (u − x) ln(1 − x/u)] with u = `upper` in place of its linear part.
    entropy: bool,
}

/// The optimum of SimpleMKL, the largest ℓ(c) − ½t with Σ_u c_uᵀ K_m c_u ≤ t for every m, by an
/// interior-point method.
fn cone(kernels: &[Matrix], program: &Program) -> f64 {
    let (n, p) = (kernels[0].rows(), program.linear.len());
    let (mut rows, mut cols, mut values, mut b) = (vec![], vec![], vec![], vec![]);
    let mut cones = vec![SupportedConeT::ZeroConeT(program.heads)];
    let mut entry = |row: usize, col: usize, value: f64| {
        rows.push(row);
        cols.push(col);
        values.push(value);
    };
    for (j, column) in program.columns.iter().enumerate() {
        column.iter().for_each(|(u, _, sign)| entry(*u, j, *sign));
    }
    b.extend(vec![program.sum; program.heads]);
    for j in 0..p {
        entry(b.len(), j, -1.0);
        entry(b.len() + 1, j, 1.0);
        b.extend([0.0, *program.bounds.get(j).unwrap_or(&program.upper)]);
    }
    let mut positive = 2 * p;
    if program.total.is_finite() {
        (0..p).for_each(|j| entry(b.len(), j, 1.0));
        b.push(program.total);
        positive += 1;
    }
    cones.push(SupportedConeT::NonnegativeConeT(positive));
    for k in kernels {
        let l = cholesky(k);
        entry(b.len(), p, -1.0);
        entry(b.len() + 1, p, -1.0);
        b.extend([1.0, -1.0]);
        for (j, column) in program.columns.iter().enumerate() {
            for (u, i, sign) in column {
                let first = b.len() + u * n;
                (0..=*i).for_each(|row| entry(first + row, j, -2.0 * sign * l.get(*i, row)));
            }
        }
        b.extend(vec![0.0; program.heads * n]);
        cones.push(SupportedConeT::SecondOrderConeT(2 + program.heads * n));
    }
    // z ≤ −x ln(x/u) where (z, x, u) is of the exponential cone; the same of u − x.
    let (u, mut wide) = (program.upper, p + 1);
    for j in (0..p).filter(|_| program.entropy) {
        for (sign, constant) in [(1.0, 0.0), (-1.0, u)] {
            entry(b.len(), wide, -1.0);
            entry(b.len() + 1, j, -sign);
            b.extend([0.0, constant, u]);
            cones.push(SupportedConeT::ExponentialConeT());
            wide += 1;
        }
    }
    let a = CscMatrix::new_from_triplets(b.len(), wide, rows, cols, values);
    let linear = if program.entropy { vec![0.0; p] } else { program.linear.clone() };
    let mut objective: Vec<f64> = linear.into_iter().chain([0.5]).collect();
    objective.resize(wide, -1.0);
    let all: Vec<usize> = (0..p).collect();
    let squares =
        CscMatrix::new_from_triplets(wide, wide, all.clone(), all, vec![program.ridge; p]);
    -interior_point(&squares, &objective, &a, &b, &cones).obj_val
}

/// 2 P(+|x) − 1 with the share of the positive among the nearest, itself included, in the mean of the kernels.
fn soft_labels(kernels: &[Matrix], y: &[f64], count: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| kernels.iter().map(|k| k.get(i, j)).sum::<f64>();
    let one = |i: usize| {
        let distance = |j: usize| entry(i, i) + entry(j, j) - 2.0 * entry(i, j);
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let positive = order[..count].iter().filter(|j| y[**j] > 0.0).count();
        2.0 * positive as f64 / count as f64 - 1.0
    };
    (0..y.len()).map(one).collect()
}

/// A machine of two classes, or of another task, with the program of its dual.
fn program(m: &Method, kernels: &[Matrix], y: &[f64]) -> (Box<dyn Machine>, Program) {
    let n = y.len();
    let sign = |i: usize| if y[i] > 0.0 { 1.0 } else { -1.0 };
    let signed: Vec<_> = (0..n).map(|i| vec![(0, i, sign(i))]).collect();
    let c = 3.0;
    let cost = ("c", Value::Real(c));
    let one = Program {
        heads: 1,
        linear: vec![-1.0; n],
        columns: signed,
        upper: c,
        bounds: Vec::new(),
        sum: 0.0,
        ridge: 0.0,
        total: f64::INFINITY,
        entropy: false,
    };
    match m.id {
        "svc" => (built(m, &[cost]), one),
        "kernel_logistic" => (built(m, &[cost]), Program { entropy: true, ..one }),
        "squared_hinge_svc" => (built(m, &[cost]), Program { upper: 1e4, ridge: 1.0 / c, ..one }),
        "svr" => {
            let epsilon = 0.05;
            let side = |j: usize| if j < n { -y[j] } else { y[j - n] };
            let program = Program {
                linear: (0..2 * n).map(|j| epsilon + side(j)).collect(),
                columns: (0..2 * n)
                    .map(|j| vec![(0, j % n, if j < n { 1.0 } else { -1.0 })])
                    .collect(),
                ..one
            };
            (built(m, &[cost, ("epsilon", Value::Real(epsilon))]), program)
        }
        "nu_svr" => {
            let nu = 0.3;
            let side = |j: usize| if j < n { -y[j] } else { y[j - n] };
            let program = Program {
                linear: (0..2 * n).map(side).collect(),
                columns: (0..2 * n)
                    .map(|j| vec![(0, j % n, if j < n { 1.0 } else { -1.0 })])
                    .collect(),
                total: nu * c * n as f64,
                ..one
            };
            (built(m, &[cost, ("nu", Value::Real(nu))]), program)
        }
        "one_class_svm" => {
            let program = Program {
                linear: vec![0.0; n],
                columns: (0..n).map(|j| vec![(0, j, 1.0)]).collect(),
                upper: 1.0 / (0.4 * n as f64),
                sum: 1.0,
                ..one
            };
            (built(m, &[("nu", Value::Real(0.4))]), program)
        }
        "joint_svc" => {
            let classes = |i: usize| if sign(i) > 0.0 { (1, 0) } else { (0, 1) };
            let program = Program {
                heads: 2,
                linear: vec![-2.0; n],
                columns: (0..n)
                    .map(|i| vec![(classes(i).0, i, 1.0), (classes(i).1, i, -1.0)])
                    .collect(),
                ..one
            };
            (built(m, &[cost]), program)
        }
        "kernel_fisher" => {
            let lambda = 0.7;
            let above = (0..n).filter(|i| y[*i] > 0.0).count() as f64 / n as f64;
            let goal = |i: usize| if y[i] > 0.0 { 2.0 * (1.0 - above) } else { -2.0 * above };
            let side = |j: usize| if j < n { -goal(j) } else { goal(j - n) };
            let program = Program {
                linear: (0..2 * n).map(side).collect(),
                columns: (0..2 * n)
                    .map(|j| vec![(0, j % n, if j < n { 1.0 } else { -1.0 })])
                    .collect(),
                upper: 1e4,
                ridge: lambda,
                ..one
            };
            (built(m, &[("lambda", Value::Real(lambda))]), program)
        }
        "posterior_svm" => {
            // Soft labels by plain counting, in the mean of the kernels.
            let soft = soft_labels(kernels, y, 5);
            let program = Program {
                linear: soft.iter().map(|s| -s.abs()).collect(),
                columns: (0..n).map(|i| vec![(0, i, soft[i].signum())]).collect(),
                bounds: soft.iter().map(|s| if *s == 0.0 { 0.0 } else { c / s.abs() }).collect(),
                ..one
            };
            (built(m, &[cost, ("neighbours", Value::Int(5))]), program)
        }
        "kernel_ridge" => {
            let lambda = 0.7;
            let side = |j: usize| if j < n { -y[j] } else { y[j - n] };
            let program = Program {
                linear: (0..2 * n).map(side).collect(),
                columns: (0..2 * n)
                    .map(|j| vec![(0, j % n, if j < n { 1.0 } else { -1.0 })])
                    .collect(),
                upper: 1e4,
                ridge: lambda,
                ..one
            };
            (built(m, &[("lambda", Value::Real(lambda))]), program)
        }
        other => panic!("machine {other}: its program is missing here"),
    }
}

fn simple_mkl(kernels: &[Matrix], target: &Target, machine: &dyn Machine, tol: f64) -> Learned {
    let method = cokernel::catalogue::find("simple_mkl").unwrap();
    let params = method.check([("tol", &Value::Real(tol))]).unwrap();
    let bank = bank(kernels, Storage::Resident);
    let problem = Problem::new(&bank, target, machine);
    train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
}

/// SimpleMKL knows no machine: its certificate is P − (ℓ(c) − ½ max_m Σ_u c_uᵀ K_m c_u) for each.
#[test]
fn simple_mkl_reaches_the_optimum_with_every_machine() {
    for seed in 0..4 {
        let n = 24;
        let (x, y) = points(n, 10 + seed);
        let mut kernels = kernels(&x);
        kernels.push(Matrix::from_fn(n, n, |i, j| {
            let dot: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
            dot + if i == j { 1e-6 } else { 0.0 }
        }));
        for m in machines().filter(|m| together(find("simple_mkl").unwrap(), m)) {
            let (machine, program) = program(m, &kernels, &y);
            let optimum = cone(&kernels, &program);
            let target = match m.tasks[0] {
                Task::Classify => {
                    let sign = |v: &f64| if *v > 0.0 { "yes" } else { "no" };
                    let texts: Vec<_> = y.iter().map(sign).collect();
                    Target::Classes(Labels::from_texts(&texts).classes().unwrap())
                }
                task => target(task, &y),
            };
            let learned = simple_mkl(&kernels, &target, machine.as_ref(), 1e-7);
            assert!(learned.report.status.is_success(), "{}: {:?}", m.id, learned.report);
            let found = learned.machines.as_ref().unwrap();
            let size = optimum.abs();
            let primal = found.primal();
            assert!((primal - optimum).abs() <= 2e-7 * size, "{}: {primal} {optimum}", m.id);
            let worst = kernels.iter().map(|k| forms(k, found)).fold(0.0, f64::max);
            let gap = (primal - (found.linear() - 0.5 * worst)) / primal.abs();
            let said = learned.report.gap.unwrap();
            assert!((gap - said).abs() <= 1e-9 && said <= 1e-7, "{}: {gap:e} {said:e}", m.id);
        }
    }
}
