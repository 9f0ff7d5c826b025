//! What every machine of the registry promises to the methods that drive it.

use crate::common::{bank, gaussian, interior_point, rules};
use crate::reference::mkl::cholesky;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::Run;
use cokernel::bank::{Gram, Storage};
use cokernel::catalogue::{find, machines, methods, together};
use cokernel::data::{Labels, Matrix, Posteriors, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{How, Machine, MachineSpec, Solution};
use cokernel::method::{Method, Task};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::{Mkl, Model, Prepared};
use cokernel::params::Value;
use rand::RngExt;

/// Points in the plane with a real target and classes that follow from it.
fn points(n: usize, seed: u64) -> (Matrix, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("points of machines");
    let x = Matrix::from_fn(n, 3, |_, _| 2.0 * rng.random::<f64>() - 1.0);
    let y = (0..n)
        .map(|i| (3.0 * x.get(i, 0)).sin() + x.get(i, 1) + 0.2 * rng.random::<f64>())
        .collect();
    (x, y)
}

fn kernels(x: &Matrix) -> Vec<Matrix> {
    [0.3, 1.0, 5.0].map(|gamma| gaussian(x, gamma)).into()
}

fn labels(task: Task, y: &[f64]) -> Labels {
    match task {
        Task::Regress => Labels::Real(y.iter().map(|v| Some(*v)).collect()),
        Task::Detect => Labels::Absent(y.len()),
        _ => {
            let class =
                |v: &f64| ["low", "middle", "high"][usize::from(*v > -0.4) + usize::from(*v > 0.6)];
            Labels::from_texts(&y.iter().map(class).collect::<Vec<_>>())
        }
    }
}

fn target(task: Task, y: &[f64]) -> Target {
    Target::of(&labels(task, y), task).unwrap()
}

/// A machine with what makes its problem neither trivial nor hard.
fn built(method: &Method, given: &[(&str, Value)]) -> Box<dyn Machine> {
    let mut spec = MachineSpec::new(method.id).unwrap();
    if method.param("tol").is_some() {
        spec.set("tol", 1e-9);
    }
    given.iter().for_each(|(name, value)| spec.set(*name, value.clone()));
    spec.checked().unwrap().build().unwrap()
}

fn form(k: &Matrix, c: &[f64]) -> f64 {
    (0..c.len()).map(|i| c[i] * k.row(i).iter().zip(c).map(|(k, c)| k * c).sum::<f64>()).sum()
}

fn forms(k: &Matrix, found: &Solution) -> f64 {
    found.heads().map(|h| form(k, &h.coef)).sum()
}

#[test]
fn parts_fit_together() {
    let (x, y) = points(45, 1);
    let k = gaussian(&x, 1.0);
    let gram = Gram::new(k.clone()).unwrap();
    let run = Run::default();
    for m in machines() {
        let machine = built(m, &[]);
        let target = target(m.tasks[0], &y);
        let found = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        assert!(found.status().is_success() && found.counts.machine_solves > 0, "{}", m.id);
        for block in &found.blocks {
            let q: f64 = block.heads.iter().map(|h| form(&k, &h.coef)).sum();
            let size = block.primal.abs();
            let said = block.linear - 0.5 * q;
            assert!((block.objective - said).abs() <= 1e-12 * (size + q), "{}: ℓ(c)", m.id);
            assert!(block.objective <= block.primal + 1e-12 * size, "{}", m.id);
            assert!(
                block.gap <= 1e-9 && block.primal - block.objective <= 1.1e-9 * size,
                "{}",
                m.id
            );
            let Some(free) = &block.free else { continue };
            assert!(!free.rows.is_empty(), "{}: nothing is free", m.id);
            assert!(free.rows.iter().all(|i| block.heads[0].coef[*i as usize] != 0.0), "{}", m.id);
        }
        // From its own solution nothing is left to do.
        let how = How { warm: Some(&found), ..How::new(&run) };
        let again = machine.solve(&gram, &target, &how).unwrap();
        assert!(again.counts.smo_steps <= 2 + found.counts.smo_steps / 4, "{}", m.id);
        assert!((again.primal() - found.primal()).abs() <= 1e-8 * found.primal().abs(), "{}", m.id);
    }
}

#[test]
fn instances_without_weight_take_no_part() {
    let (x, y) = points(45, 2);
    let kept: Vec<usize> = (0..45).filter(|i| i % 4 != 1).collect();
    let run = Run::default();
    for m in machines() {
        let machine = built(m, &[]);
        let task = m.tasks[0];
        let weights: Vec<f64> = (0..45).map(|i| if i % 4 == 1 { 0.0 } else { 1.0 }).collect();
        let whole = Gram::new(gaussian(&x, 1.0)).unwrap();
        let how = How { weights: Some(&weights), ..How::new(&run) };
        let found = machine.solve(&whole, &target(task, &y), &how).unwrap();
        let few: Vec<f64> = kept.iter().map(|i| y[*i]).collect();
        let part = Gram::new(gaussian(&x.select_rows(&kept), 1.0)).unwrap();
        let alone = machine.solve(&part, &target(task, &few), &How::new(&run)).unwrap();
        for (a, b) in found.heads().zip(alone.heads()) {
            assert!(a.coef.iter().enumerate().all(|(i, c)| i % 4 != 1 || *c == 0.0), "{}", m.id);
            let size: f64 = b.coef.iter().map(|c| c.abs()).sum();
            for (j, i) in kept.iter().enumerate() {
                assert!((a.coef[*i] - b.coef[j]).abs() <= 1e-3 * size, "{}", m.id);
            }
            assert!((a.bias - b.bias).abs() <= 1e-4 * (1.0 + b.bias.abs()), "{}", m.id);
        }
        assert!((found.primal() - alone.primal()).abs() <= 1e-8 * alone.primal().abs(), "{}", m.id);
    }
}

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
    let a = CscMatrix::new_from_triplets(b.len(), p + 1, rows, cols, values);
    let objective: Vec<f64> = program.linear.iter().copied().chain([0.5]).collect();
    let all: Vec<usize> = (0..p).collect();
    let squares =
        CscMatrix::new_from_triplets(p + 1, p + 1, all.clone(), all, vec![program.ridge; p]);
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
    };
    match m.id {
        "svc" => (built(m, &[cost]), one),
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

/// Predictions for the instances of training are their decision values, after a file, too: centred
/// kernels once lost the means of rows where coefficients do not sum to 0.
#[test]
fn models_of_every_machine() {
    let (x, y) = points(40, 3);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let views = views.dense("b", Matrix::from_fn(40, 1, |i, _| x.get(i, 2))).unwrap();
    let run = Run::default();
    // Kernels, and what a method learned without the machine, serve all machines of a task.
    let mut shared: Vec<Prepared> = Vec::new();
    for m in machines() {
        let labels = labels(m.tasks[0], &y);
        for method in methods().filter(|method| together(method, m)) {
            let specs = ["gaussian:normalize=center", "gaussian:normalize=center,unit_diagonal"];
            let specs = specs.map(|s| s.parse::<KernelSpec>().unwrap());
            let mut machine = MachineSpec::new(m.id).unwrap();
            if m.id == "one_class_svm" {
                // Nothing separates instances from their own mean; all steps would be taken.
                machine.set("max_steps", 10_000);
            }
            let mut mkl = Mkl::new(method.id).unwrap().machine(machine).kernels(specs);
            let what = format!("{} with {}", method.id, m.id);
            let mut fitted = |mkl: &Mkl| {
                let place = shared.iter().position(|p| mkl.shares(p).unwrap());
                let place = place.unwrap_or_else(|| {
                    shared.push(mkl.prepare(&views, &labels, &run).unwrap());
                    shared.len() - 1
                });
                mkl.fit_prepared_from(&shared[place], None, &run).map(|found| (place, found))
            };
            let (place, (model, learned)) = fitted(&mkl).unwrap_or_else(|e| {
                // Centred values are negative.
                assert!(e.to_string().contains("a negative number has no power"), "{what}: {e}");
                let specs = ["gaussian@a", "gaussian@b"].map(|s| s.parse::<KernelSpec>().unwrap());
                mkl = mkl.clone().kernels(specs);
                fitted(&mkl).unwrap()
            });
            let prepared = &shared[place];
            assert_eq!(model.task(), m.tasks[0], "{what}");
            let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            let found = back.predict(&views).unwrap();
            assert_eq!(found, model.predict(&views).unwrap(), "{what}");
            let bank = prepared.bank();
            let entry = |m| Matrix::from_fn(40, 40, |i, j| bank.entry(m, i, j));
            let kernels: Vec<Matrix> = (0..bank.len()).map(entry).collect();
            let own = match m.id {
                "svdd" => rules::combined(&*learned.rule, &kernels),
                _ => Matrix::zeros(40, 40),
            };
            for (t, values) in rules::decisions(&learned, &kernels).into_iter().enumerate() {
                for (i, value) in values.into_iter().enumerate() {
                    let value = value - 0.5 * own.get(i, i);
                    let predicted = found.decisions.get(i, t);
                    let size = 1.0 + value.abs();
                    assert!(
                        (predicted - value).abs() <= 1e-8 * size,
                        "{what}: {predicted} {value}"
                    );
                }
            }
            match m.tasks[0] {
                Task::Regress => assert_eq!(found.labels[3], found.decisions.get(3, 0).to_string()),
                Task::Detect => {
                    let inside = |i: usize| found.decisions.get(i, 0) >= 0.0;
                    assert!((0..40).all(|i| (found.labels[i] == "inlier") == inside(i)), "{what}");
                }
                _ => assert!(found.labels.iter().all(|l| model.classes().contains(l)), "{what}"),
            }
        }
    }
}

/// A first round that left instances out once wrote past what it knew: a panic on ordinary data.
#[test]
fn wide_tubes() {
    let mut rng = Run::with_seed(6).rng("wide tubes");
    let mut solved = 0;
    for n in 3..40 {
        let x = Matrix::from_fn(n, 1, |_, _| 4.0 * rng.random::<f64>());
        let y: Vec<f64> = (0..n).map(|i| (2.0 * x.get(i, 0)).sin()).collect();
        let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
        for epsilon in [0.3, 0.5, 1.0] {
            for c in [0.1, 10.0] {
                let mut spec = MachineSpec::new("svr").unwrap();
                spec.set("epsilon", epsilon);
                spec.set("c", c);
                spec.set("tol", 1e-8);
                let machine = spec.checked().unwrap().build().unwrap();
                let target = Target::Real(y.clone());
                let found = machine.solve(&gram, &target, &How::new(&Run::default())).unwrap();
                let head = found.heads().next().unwrap();
                let (mut primal, mut dual) = (0.0, 0.0);
                for i in 0..n {
                    let row = gram.row(i).iter().zip(&head.coef);
                    let f: f64 = row.map(|(k, c)| k * c).sum();
                    let b = head.coef[i];
                    primal += 0.5 * b * f + c * ((y[i] - f - head.bias).abs() - epsilon).max(0.0);
                    dual += y[i] * b - epsilon * b.abs() - 0.5 * b * f;
                }
                assert!(
                    primal - dual <= 2e-8 * primal + 1e-14,
                    "{n} {epsilon} {c}: {primal} {dual}"
                );
                solved += usize::from(head.coef.iter().filter(|c| **c != 0.0).count() < n);
            }
        }
    }
    assert!(solved > 100);
}

/// At most a fraction ν is outside, and at least that fraction are support vectors.
#[test]
fn nu_is_a_fraction() {
    let (x, _) = points(100, 4);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    for nu in [0.003, 0.01, 0.1, 0.35, 0.8, 1.0] {
        let mut spec = MachineSpec::new("one_class_svm").unwrap();
        spec.set("nu", nu);
        spec.set("tol", 1e-9);
        let machine = spec.checked().unwrap().build().unwrap();
        let run = Run::default();
        let found = machine.solve(&gram, &Target::Nothing(100), &How::new(&run)).unwrap();
        let head = found.heads().next().unwrap();
        let sum: f64 = head.coef.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        let value = |i: usize| {
            gram.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum::<f64>() + head.bias
        };
        let outside = (0..100).filter(|&i| value(i) < -1e-6).count();
        assert!(outside as f64 <= nu * 100.0 + 1e-9, "{outside} outside, nu = {nu}");
        assert!(
            head.coef.iter().filter(|c| **c != 0.0).count() as f64 >= nu * 100.0 - 1e-9,
            "nu = {nu}"
        );
    }
}

#[test]
fn wrong_pairs_and_targets_are_refused() {
    let (x, y) = points(20, 5);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let run = Run::default();
    let real = labels(Task::Regress, &y);
    let svr = MachineSpec::new("svr").unwrap();
    let e = Mkl::new("two_stage").unwrap().machine(svr.clone()).fit(&views, &real, &run);
    let e = e.unwrap_err().to_string();
    assert!(e.contains("method 'two_stage' does not go with machine 'svr' (regress)"), "{e}");
    assert!(e.contains("the method goes with svc, squared_hinge_svc"), "{e}");
    let e = Mkl::new("mean").unwrap().fit(&views, &real, &run).unwrap_err().to_string();
    assert!(e.contains("expected classes, found real targets"), "{e}");
    let classes = labels(Task::Classify, &y);
    let mkl = Mkl::new("mean").unwrap().machine(svr);
    let e = mkl.fit(&views, &classes, &run).unwrap_err().to_string();
    assert!(e.contains("expected real numbers, found classes"), "{e}");
    let infinite = Labels::Real(y.iter().map(|_| Some(f64::INFINITY)).collect());
    let e = mkl.fit(&views, &infinite, &run).unwrap_err().to_string();
    assert!(e.contains("the target of row 0 is inf"), "{e}");
    let e = "svr:epsilon=-1".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("parameter 'epsilon': expected a finite number at least 0"), "{e}");
    let e = "swr".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("unknown machine 'swr'") && e.contains("svr"), "{e}");
    let e = "svr:epsilon".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("expected name=value after ':'"), "{e}");
    let small = "one_class_svm:c=0.01".parse::<MachineSpec>().unwrap();
    let mkl = Mkl::new("mean").unwrap().machine(small);
    let e = mkl.fit(&views, &Labels::Absent(20), &run).unwrap_err().to_string();
    assert!(e.contains("parameter 'c': expected at least 1/20"), "{e}");
    // A class is not a number; the class weights of the text are read.
    let spec: MachineSpec = "svc:class_weight=low=2,high=0.5".parse().unwrap();
    let weights = spec.checked().unwrap();
    assert_eq!(weights.params().factors("class_weight").unwrap()["high"], 0.5);
    let e = "svc:class_weight=low=0".parse::<MachineSpec>().unwrap_err().to_string();
    assert!(e.contains("class_weight") && e.contains("'low'"), "{e}");
}

fn posterior_svm(given: &[(&str, Value)]) -> Box<dyn Machine> {
    built(machines().find(|m| m.id == "posterior_svm").unwrap(), given)
}

/// With one neighbour, and with posteriors 0 and 1, it is C-SVC; with several classes the single machine.
#[test]
fn hard_posteriors_are_classes() {
    let (x, y) = points(40, 21);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    let run = Run::default();
    let cost = [("c", Value::Real(2.0))];
    let nearest = posterior_svm(&[("c", Value::Real(2.0)), ("neighbours", Value::Int(1))]);
    let two: Vec<_> = y.iter().map(|v| if *v > 0.0 { "yes" } else { "no" }).collect();
    for (id, labels) in
        [("svc", Labels::from_texts(&two)), ("joint_svc", labels(Task::Classify, &y))]
    {
        let classes = labels.classes().unwrap();
        let (codes, k) = (classes.codes.clone(), classes.n_classes());
        let hard = (0..40 * k).map(|p| f64::from(u8::from(codes[p / k] as usize == p % k)));
        let given = Posteriors::new(classes.clone(), hard.collect()).unwrap();
        let target = Target::Classes(classes);
        let machine = built(machines().find(|m| m.id == id).unwrap(), &cost);
        let expected = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        for target in [target, Target::Posteriors(given)] {
            let found = nearest.solve(&gram, &target, &How::new(&run)).unwrap();
            assert!((found.primal() - expected.primal()).abs() <= 1e-8 * expected.primal(), "{id}");
            assert_eq!(found.heads().count(), expected.heads().count());
        }
    }
}

/// Posteriors by plain counting, the machine of several classes with them from the raw matrix.
#[test]
fn posteriors_are_shares_of_the_nearest() {
    let (x, y) = points(40, 22);
    let kernel = gaussian(&x, 1.0);
    let gram = Gram::new(kernel.clone()).unwrap();
    let run = Run::default();
    let machine = posterior_svm(&[
        ("c", Value::Real(2.0)),
        ("neighbours", Value::Int(7)),
        ("tol", Value::Real(1e-6)),
    ]);
    let target = target(Task::Classify, &y);
    let classes = target.classes().unwrap().clone();
    let settled = machine.settle(&gram, &target, &How::new(&run)).unwrap().unwrap();
    let Target::Posteriors(estimated) = &settled else { panic!() };
    for i in 0..40 {
        let mut order: Vec<usize> = (0..40).collect();
        order.sort_by(|a, b| kernel.get(i, *b).total_cmp(&kernel.get(i, *a)));
        for class in 0..3 {
            let count = order[..7].iter().filter(|j| classes.codes[**j] == class).count();
            let found = estimated.values()[3 * i + class as usize];
            assert!((found - count as f64 / 7.0).abs() < 1e-12);
        }
    }
    let found = machine.solve(&gram, &target, &How::new(&run)).unwrap();
    assert_eq!(found, machine.solve(&gram, &settled, &How::new(&run)).unwrap());
    let values: Vec<Vec<f64>> = found
        .heads()
        .map(|h| {
            let value =
                |i: usize| kernel.row(i).iter().zip(&h.coef).map(|(k, c)| k * c).sum::<f64>();
            (0..40).map(|i| value(i) + h.bias).collect()
        })
        .collect();
    let (mut loss, mut gain, mut negative) = (0.0, 0.0, 0);
    for i in 0..40 {
        let own = classes.codes[i] as usize;
        for l in (0..3).filter(|l| *l != own) {
            let p = &estimated.values()[3 * i..3 * i + 3];
            let margin = 2.0 * (p[own] - p[l]);
            negative += usize::from(margin < 0.0);
            loss += 2.0 * (margin - values[own][i] + values[l][i]).max(0.0);
            gain -= margin * found.heads().nth(l).unwrap().coef[i];
        }
    }
    assert!(negative > 0);
    let norm = forms(&kernel, &found);
    let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
    assert!((primal - found.primal()).abs() <= 1e-9 * primal, "{primal} {}", found.primal());
    assert!(found.status().is_success() && primal - dual <= 1.1e-6 * primal, "{primal} {dual}");
    // Whole weights are copies, and the order of equal instances does not matter.
    let mut weights = vec![1.0; 40];
    weights[3] = 2.0;
    weights[5] = 0.0;
    let how = How { weights: Some(&weights), ..How::new(&run) };
    let weighted = machine.solve(&gram, &target, &how).unwrap();
    let rows: Vec<usize> = (0..40).filter(|i| *i != 5).chain([3]).rev().collect();
    let copies = Gram::new(gaussian(&x.select_rows(&rows), 1.0)).unwrap();
    let texts: Vec<_> =
        rows.iter().map(|i| classes.names[classes.codes[*i] as usize].clone()).collect();
    let target = Target::Classes(Labels::from_texts(&texts).classes().unwrap());
    let copied = machine.solve(&copies, &target, &How::new(&run)).unwrap();
    assert!((weighted.primal() - copied.primal()).abs() <= 2e-6 * copied.primal());
}

#[test]
fn posteriors_that_say_nothing() {
    let (x, y) = points(20, 23);
    let gram = Gram::new(gaussian(&x, 1.0)).unwrap();
    let run = Run::default();
    let two: Vec<_> = y.iter().map(|v| if *v > 0.0 { "yes" } else { "no" }).collect();
    let classes = Labels::from_texts(&two).classes().unwrap();
    let solve = |p: Vec<f64>| {
        let target = Target::Posteriors(Posteriors::new(classes.clone(), p)?);
        posterior_svm(&[]).solve(&gram, &target, &How::new(&run))
    };
    let e = solve(vec![0.5; 40]).unwrap_err().to_string();
    assert!(e.contains("every instance is as probable in one class as in the other"), "{e}");
    // What says nothing takes no part; more neighbours than instances make one answer for all.
    let some = (0..20).flat_map(|i| {
        if i % 2 == 0 { [0.5, 0.5] } else { [y[i].clamp(0.0, 1.0), 1.0 - y[i].clamp(0.0, 1.0)] }
    });
    let found = solve(some.collect()).unwrap();
    assert!((0..20).step_by(2).all(|i| found.heads().next().unwrap().coef[i] == 0.0));
    let all = posterior_svm(&[("neighbours", Value::Int(i64::MAX))]);
    let found = all.solve(&gram, &Target::Classes(classes.clone()), &How::new(&run)).unwrap();
    assert!(found.status().is_success() && found.heads().all(|h| h.coef.iter().all(|c| *c == 0.0)));
    for (p, said) in [
        (vec![0.5; 39], "posteriors: expected 20 × 2, a probability for each instance and class"),
        (vec![0.6; 40], "the numbers of row 0 sum to 1.2; expected 1"),
        (vec![f64::NAN; 40], "row 0 has NaN; expected numbers between 0 and 1"),
        ([2.0, -1.0].repeat(20), "row 0 has 2; expected numbers between 0 and 1"),
    ] {
        let e = solve(p).unwrap_err().to_string();
        assert!(e.contains(said), "{e}");
    }
}

/// Posteriors that are given belong to the instances that were given, those without a label included.
#[test]
fn given_posteriors_are_learned_from() {
    let (x, y) = points(30, 24);
    let views = Views::new().dense("a", x.clone()).unwrap();
    let text = |i: usize| match i {
        4 => "?",
        _ if y[i] > 0.0 => "yes",
        _ => "no",
    };
    let labels = Labels::from_texts(&(0..30).map(text).collect::<Vec<_>>());
    let given = Matrix::from_fn(30, 2, |i, j| {
        let p = 0.5 + 0.45 * (3.0 * y[i]).sin();
        if j == 1 { p } else { 1.0 - p }
    });
    let run = Run::default();
    for method in ["mean", "simple_mkl", "best_single"] {
        let spec: MachineSpec = "posterior_svm:tol=1e-8:c=3".parse().unwrap();
        let mkl = Mkl::new(method).unwrap().machine(spec);
        let mkl = mkl.kernels(["gaussian:gamma=1".parse::<KernelSpec>().unwrap()]);
        let prepared = mkl.prepare(&views, &labels, &run).unwrap();
        let prepared = prepared.with_posteriors(&given).unwrap();
        let (model, learned) = mkl.fit_prepared_from(&prepared, None, &run).unwrap();
        let machine = posterior_svm(&[("c", Value::Real(3.0)), ("tol", Value::Real(1e-8))]);
        let rows: Vec<usize> = (0..30).filter(|i| *i != 4).collect();
        let gram = Gram::new(gaussian(&x.select_rows(&rows), 1.0)).unwrap();
        let kept = given.select_rows(&rows);
        let classes = labels.select(&rows).classes().unwrap();
        let target = Posteriors::new(classes, kept.values().to_vec()).unwrap();
        let target = Target::Posteriors(target);
        let alone = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        let found = learned.machines.unwrap().primal();
        assert!((found - alone.primal()).abs() <= 1e-7 * found, "{method}: {found}");
        assert_eq!(model.predict(&views).unwrap().labels.len(), 30);
    }
    let mkl = Mkl::new("mean").unwrap();
    let prepared = mkl.prepare(&views, &labels, &run).unwrap();
    let e = prepared.with_posteriors(&Matrix::zeros(30, 3)).unwrap_err().to_string();
    assert!(e.contains("posteriors: expected 30 × 2") && e.contains("found 30 × 3"), "{e}");
    let prepared = mkl.prepare(&views, &labels, &run).unwrap().with_posteriors(&given).unwrap();
    let e = mkl.fit_prepared(&prepared, &run).unwrap_err().to_string();
    assert!(e.contains("learns from classes, not from their posteriors"), "{e}");
}

/// In the features: (S_w + λI) w is a multiple of the difference of the means, 0 lies midway between them; for
/// each class and each pair, with weights.
#[test]
fn fisher_discriminants_of_several_classes() {
    let (x, y) = points(45, 31);
    let entry = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
    let gram = Gram::new(Matrix::from_fn(45, 45, entry)).unwrap();
    let target = target(Task::Classify, &y);
    let classes = target.classes().unwrap();
    let weights: Vec<f64> = (0..45).map(|i| [1.0, 0.3, 2.5, 0.0][i % 4]).collect();
    let run = Run::default();
    let lambda = 0.4;
    for (word, heads) in [("one_vs_rest", 3), ("one_vs_one", 3)] {
        let spec = format!("kernel_fisher:lambda={lambda}:decomposition={word}");
        let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
        let how = How { weights: Some(&weights), ..How::new(&run) };
        let found = machine.solve(&gram, &target, &how).unwrap();
        assert_eq!(found.heads().count(), heads);
        for head in found.heads() {
            let sign = |i: usize| head.role.sign(classes.codes[i]);
            let w: Vec<f64> =
                (0..3).map(|d| (0..45).map(|i| head.coef[i] * x.get(i, d)).sum()).collect();
            let mean = |side: f64, d: usize| {
                let of = (0..45).filter(|i| sign(*i) == side);
                let (sum, mass) =
                    of.fold((0.0, 0.0), |(s, m), i| (s + weights[i] * x.get(i, d), m + weights[i]));
                sum / mass
            };
            let means = [-1.0, 1.0].map(|side| [0, 1, 2].map(|d| mean(side, d)));
            let from = |i: usize, d: usize| x.get(i, d) - means[usize::from(sign(i) > 0.0)][d];
            let ratio = |d: usize| {
                let scatter = (0..45).filter(|i| sign(*i) != 0.0).map(|i| {
                    let inner: f64 = (0..3).map(|e| from(i, e) * w[e]).sum();
                    weights[i] * from(i, d) * inner
                });
                (lambda * w[d] + scatter.sum::<f64>()) / (means[1][d] - means[0][d])
            };
            let first = ratio(0);
            assert!((1..3).all(|d| (ratio(d) / first - 1.0).abs() < 1e-8) && first > 0.0, "{word}");
            let value =
                |side: usize| (0..3).map(|d| means[side][d] * w[d]).sum::<f64>() + head.bias;
            assert!((value(0) + value(1)).abs() < 1e-9 && value(1) > 0.0, "{word}");
        }
    }
    let none: Vec<f64> = (0..45).map(|i| f64::from(u8::from(classes.codes[i] != 1))).collect();
    let how = How { weights: Some(&none), ..How::new(&run) };
    let machine = "kernel_fisher".parse::<MachineSpec>().unwrap().checked().unwrap();
    let e = machine.build().unwrap().solve(&gram, &target, &how).unwrap_err().to_string();
    assert!(e.contains("class 'low' has no instance with a weight"), "{e}");
}

/// What the two say is true from the raw matrix at every scale, with costs and ridges of every size, and for
/// two instances.
#[test]
fn soft_labels_and_discriminants_of_every_scale() {
    let run = Run::default();
    for n in [2, 30] {
        let (x, y) = points(n, 32);
        let middle = y.iter().sum::<f64>() / n as f64;
        let texts: Vec<_> = y.iter().map(|v| if *v > middle { "b" } else { "a" }).collect();
        let target = Target::Classes(Labels::from_texts(&texts).classes().unwrap());
        let codes = target.classes().unwrap().codes.clone();
        let above = codes.iter().sum::<u32>() as f64 / n as f64;
        for scale in [1e-8, 1.0, 1e8] {
            let base = gaussian(&x, 1.0);
            let kernel = Matrix::from_fn(n, n, |i, j| scale * base.get(i, j));
            let gram = Gram::new(kernel.clone()).unwrap();
            for size in [1e-12, 1e-8, 1.0, 1e8] {
                let what = format!("n = {n}, kernel × {scale:e}, {size:e}");
                let neighbours = if n == 2 { 1 } else { 3 };
                let spec = format!("posterior_svm:c={size:e}:tol=1e-6:neighbours={neighbours}");
                let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap();
                let machine = machine.build().unwrap();
                let how = How::new(&run);
                let Target::Posteriors(p) = machine.settle(&gram, &target, &how).unwrap().unwrap()
                else {
                    panic!()
                };
                let found = machine.solve(&gram, &target, &how).unwrap();
                let head = found.heads().next().unwrap();
                let value =
                    |i: usize| kernel.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum();
                let (mut primal, mut dual, mut sum, mut noise) = (0.0, 0.0, 0.0, 0.0);
                for i in 0..n {
                    let (soft, f): (f64, f64) = (2.0 * p.values()[2 * i + 1] - 1.0, value(i));
                    let c = head.coef[i];
                    assert!(c * soft >= 0.0 && (c * soft).abs() <= size * (1.0 + 1e-12), "{what}");
                    if soft != 0.0 {
                        let loss = 1.0 - (f + head.bias) / soft;
                        primal += size * loss.max(0.0);
                        let rows = kernel.row(i).iter().zip(&head.coef);
                        let rounding =
                            rows.map(|(k, c)| (k * c).abs()).sum::<f64>() + head.bias.abs();
                        noise += size * 1e-15 * (1.0 + rounding / soft.abs());
                    }
                    primal += 0.5 * c * f;
                    dual += soft * c - 0.5 * c * f;
                    sum += c;
                }
                let block = &found.blocks[0];
                let near = 1e-9 * primal + noise;
                assert!(
                    (primal - block.primal).abs() <= near,
                    "{what}: {primal:e} {:e}",
                    block.primal
                );
                assert!((dual - block.objective).abs() <= near, "{what}: {dual:e}");
                assert!(
                    sum.abs() <= 1e-9 * head.coef.iter().map(|c| c.abs()).sum::<f64>(),
                    "{what}"
                );
                let hard = size * scale > 1e7;
                assert!(found.status().is_success() || hard, "{what}: {:e}", block.gap);

                let spec = format!("kernel_fisher:lambda={size:e}");
                let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap();
                let found = machine.build().unwrap().solve(&gram, &target, &how).unwrap();
                let head = found.heads().next().unwrap();
                let value =
                    |i: usize| kernel.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum();
                let f: Vec<f64> = (0..n).map(value).collect();
                let goal = |i: usize| {
                    if codes[i] == 1 { 2.0 * (1.0 - above) } else { -2.0 * above }
                };
                // The bias of the regression: Σ (y − f − b) is 0.
                let bias = -f.iter().sum::<f64>() / n as f64;
                let (mut primal, mut dual) = (0.0, 0.0);
                for i in 0..n {
                    let (c, rest) = (head.coef[i], goal(i) - f[i] - bias);
                    primal += 0.5 * c * f[i] + 0.5 * rest * rest / size;
                    dual += goal(i) * c - 0.5 * c * f[i] - 0.5 * size * c * c;
                }
                let block = &found.blocks[0];
                let ill = scale / size > 1e12;
                if !ill {
                    assert!((primal - block.primal).abs() <= 1e-6 * primal, "{what}: {primal:e}");
                    assert!((dual - block.objective).abs() <= 1e-6 * primal, "{what}: {dual:e}");
                    assert!(found.status().is_success(), "{what}: {:e}", block.gap);
                }
                let mean = |code: u32| {
                    let of = (0..n).filter(|i| codes[*i] == code).map(|i| f[i] + head.bias);
                    of.clone().sum::<f64>() / of.count() as f64
                };
                let size = f.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
                assert!((mean(0) + mean(1)).abs() <= 1e-6 * size, "{what}");
            }
        }
    }
}

fn detector(text: &str) -> Mkl {
    Mkl::new("mean").unwrap().machine(text.parse::<MachineSpec>().unwrap())
}

/// The ball from the raw features: centre, radius and distances of new instances, under every normalisation.
#[test]
fn balls_around_instances() {
    let (x, _) = points(60, 41);
    let train: Vec<usize> = (0..45).collect();
    let new: Vec<usize> = (30..60).collect();
    let views = Views::new().dense("a", x.select_rows(&train)).unwrap();
    let run = Run::default();
    // Features after centring on those of training; equal to the kernels below.
    let mean = |j: usize| (0..45).map(|i| x.get(i, j)).sum::<f64>() / 45.0;
    let means: Vec<f64> = (0..3).map(mean).collect();
    let phi = |i: usize, centred: bool| -> Vec<f64> {
        (0..3).map(|j| x.get(i, j) - if centred { means[j] } else { 0.0 }).collect()
    };
    let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let unit = |v: Vec<f64>| {
        let size = length(&v);
        v.into_iter().map(|v| v / size).collect::<Vec<f64>>()
    };
    for kernel in ["linear", "linear:normalize=center", "linear:normalize=center,unit_diagonal"] {
        for (nu, weighted) in [(0.1, false), (0.4, false), (0.4, true), (1.0, false)] {
            let what = format!("{kernel}, nu = {nu}, weighted {weighted}");
            let features = |i: usize| {
                let v = phi(i, kernel.contains("center"));
                if kernel.contains("unit") { unit(v) } else { v }
            };
            let mkl = detector(&format!("svdd:nu={nu}:tol=1e-10"));
            let mkl = mkl.kernels([kernel.parse::<KernelSpec>().unwrap()]);
            let weights: Vec<f64> =
                (0..45).map(|i| if weighted { [1.0, 2.0, 0.5][i % 3] } else { 1.0 }).collect();
            let labels = Labels::Absent(45);
            let prepared = mkl.prepare(&views, &labels, &run).unwrap();
            let prepared = prepared.with_weights(&weights).unwrap();
            let (model, learned) = mkl.fit_prepared_from(&prepared, None, &run).unwrap();
            let machines = learned.machines.unwrap();
            let head = machines.heads().next().unwrap();
            let centre: Vec<f64> =
                (0..3).map(|j| (0..45).map(|i| head.coef[i] * features(i)[j]).sum()).collect();
            let square = |i: usize| -> f64 {
                let v = features(i);
                v.iter().zip(&centre).map(|(a, b)| (a - b).powi(2)).sum()
            };
            // The bias tells R²: primal and dual from the features.
            let radius = 2.0 * head.bias + length(&centre).powi(2);
            let mass: f64 = weights.iter().sum();
            let cost = |i: usize| weights[i] / (nu * mass);
            let primal =
                radius + (0..45).map(|i| cost(i) * (square(i) - radius).max(0.0)).sum::<f64>();
            let dual: f64 = (0..45).map(|i| head.coef[i] * square(i)).sum();
            let block = &machines.blocks[0];
            assert!((primal - block.primal).abs() <= 1e-9 * primal, "{what}: {primal} {block:?}");
            assert!((dual - block.objective).abs() <= 1e-9 * primal, "{what}: {dual}");
            assert!(primal - dual <= 1e-9 * primal, "{what}: {primal} {dual}");
            let outside = (0..45).filter(|i| square(*i) > radius + 1e-6).count();
            assert!(weighted || outside as f64 <= nu * 45.0 + 1e-9, "{what}: {outside}");
            // New instances, also after a file.
            let others = Views::new().dense("a", x.select_rows(&new)).unwrap();
            let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            let found = back.predict(&others).unwrap();
            for (r, i) in new.iter().enumerate() {
                let expected = 0.5 * (radius - square(*i));
                let value = found.decisions.get(r, 0);
                assert!((value - expected).abs() <= 1e-9, "{what}: {value} {expected}");
                assert_eq!(found.labels[r] == "inlier", value >= 0.0);
            }
        }
    }
}

/// A Gaussian kernel has the same coefficients in both machines; other kernels not.
#[test]
fn balls_and_half_spaces() {
    let (x, _) = points(40, 42);
    let target = Target::Nothing(40);
    let run = Run::default();
    let solve = |id: &str, kernel: &Matrix| {
        let spec: MachineSpec = format!("{id}:nu=0.3:tol=1e-10").parse().unwrap();
        let gram = Gram::new(kernel.clone()).unwrap();
        spec.checked().unwrap().build().unwrap().solve(&gram, &target, &How::new(&run)).unwrap()
    };
    let kernel = gaussian(&x, 1.0);
    let (ball, plane) = (solve("svdd", &kernel), solve("one_class_svm", &kernel));
    assert!((ball.objective() - (1.0 + 2.0 * plane.objective())).abs() < 1e-8);
    // A constant added to the kernel moves every Φ(x) alike.
    let shifted = solve("svdd", &Matrix::from_fn(40, 40, |i, j| kernel.get(i, j) + 7.0));
    assert!((ball.objective() - shifted.objective()).abs() < 1e-7);
    for (scale, size) in [(1e-8, 1e-8), (1e8, 1e8)] {
        let scaled = solve("svdd", &Matrix::from_fn(40, 40, |i, j| scale * kernel.get(i, j)));
        assert!((scaled.primal() - size * ball.primal()).abs() <= 1e-8 * size, "{scale:e}");
    }
    // Two instances: the ball around both, or the smallest with room for one outside.
    let two = Matrix::new(2, 2, vec![2.0, 0.5, 0.5, 1.0]).unwrap();
    let gram = Gram::new(two).unwrap();
    let machine = "svdd:nu=0.5:tol=1e-10".parse::<MachineSpec>().unwrap().checked().unwrap();
    let found =
        machine.build().unwrap().solve(&gram, &Target::Nothing(2), &How::new(&run)).unwrap();
    // R² is a quarter of the squared distance 2 + 1 − 1.
    assert!((found.primal() - 0.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn balls_want_features_and_their_methods() {
    let (x, _) = points(20, 43);
    let run = Run::default();
    let similarity = gaussian(&x, 1.0);
    let views = Views::new().with("s", cokernel::data::Table::Similarity(similarity)).unwrap();
    let e = detector("svdd").fit(&views, &Labels::Absent(20), &run).unwrap_err().to_string();
    assert!(e.contains("machine 'svdd' compares new instances with themselves"), "{e}");
    assert!(e.contains("give features"), "{e}");
    let views = Views::new().dense("a", x).unwrap();
    let svdd = "svdd".parse::<MachineSpec>().unwrap();
    for method in methods().filter(|m| m.tasks.contains(&Task::Detect)) {
        let mkl = Mkl::new(method.id).unwrap().machine(svdd.clone());
        let fitted = mkl.fit(&views, &Labels::Absent(20), &run);
        let built = learner(method, &method.defaults()).unwrap();
        match built.drives_duals() || method.id == "late_mean" {
            true => {
                let e = fitted.unwrap_err().to_string();
                let said = format!("method '{}' does not go with machine 'svdd'", method.id);
                assert!(e.contains(&said) && e.contains("the method goes with svc,"), "{e}");
                assert!(e.contains("the machine goes with") && e.contains(" mean, "), "{e}");
            }
            // A method that relies on duals and does not say so is refused by its loop.
            false => assert!(fitted.is_ok(), "{}: {fitted:?}", method.id),
        }
    }
    // The loop of methods with a certificate refuses it by itself.
    let params = find("simple_mkl").unwrap().defaults();
    let learner = learner(find("simple_mkl").unwrap(), &params).unwrap();
    let bank = bank(&[gaussian(&Matrix::from_fn(5, 1, |i, _| i as f64), 1.0)], Storage::Resident);
    let machine = svdd.checked().unwrap().build().unwrap();
    let target = Target::Nothing(5);
    let e = train(&Problem::new(&bank, &target, machine.as_ref()), learner.as_ref(), &run);
    let e = e.unwrap_err().to_string();
    assert!(
        e.contains("the kernel enters its dual in another way than SimpleMKL relies on"),
        "{e}"
    );
}
