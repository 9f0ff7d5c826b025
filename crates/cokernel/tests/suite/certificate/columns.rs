//! Many kernels of single features: the same answers as the ordinary loop gives on the same kernels as matrices, and
//! certificates recomputed from the features.

use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Labels, Matrix, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{Machine, MachineSpec};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::{Run, Status};

/// Numbers between −1 and 1 without a pattern.
fn noise(i: usize, j: usize) -> f64 {
    (((i * 8_191 + j * 131 + 7) as f64 * 12.989_8).sin() * 43_758.545_3).fract()
}

/// A target on a few of d features, some of which are copies, constant, 0, tiny or huge.
fn data(n: usize, d: usize) -> (Views, Vec<f64>) {
    let x = Matrix::from_fn(n, d, |i, j| match j % 97 {
        3 => 1.0,
        4 => 0.0,
        5 => noise(i, j - 5),
        6 => 1e-12 * noise(i, j),
        7 => 1e12 * noise(i, j),
        _ => noise(i, j),
    });
    let y = (0..n)
        .map(|i| noise(i, 0) + 0.7 * noise(i, 12) - 0.6 * noise(i, 20) + 0.5 * noise(i, 300 + d))
        .collect();
    (Views::new().dense("x", x).unwrap(), y)
}

fn bank(views: &Views, steps: &str) -> Bank {
    let specs = KernelSpec::parse_list(&format!("linear:per_feature:normalize={steps}")).unwrap();
    Bank::build(views, &specs, Storage::Auto, &Run::default()).unwrap()
}

/// The same kernels as matrices.
fn plain(bank: &Bank) -> Bank {
    let n = bank.n();
    let named = (0..bank.len()).map(|m| {
        let mut row = vec![0.0; n];
        let mut values = Vec::with_capacity(n * n);
        for i in 0..n {
            bank.row(m, i, &mut row);
            values.extend_from_slice(&row);
        }
        (format!("k{m}"), Matrix::new(n, n, values).unwrap())
    });
    Bank::from_matrices(named.collect(), Storage::Resident).unwrap()
}

fn machine(text: &str) -> Box<dyn Machine> {
    text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap()
}

/// Above the median or not.
fn classes(y: &[f64]) -> Target {
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted[y.len() / 2];
    let texts: Vec<&str> = y.iter().map(|v| if *v > middle { "a" } else { "b" }).collect();
    Target::Classes(Classes::from_texts(&texts).unwrap())
}

fn learn(bank: &Bank, target: &Target, machine: &dyn Machine, text: &str) -> Learned {
    let (id, rest) = text.split_once(':').unwrap_or((text, ""));
    let method = find(id).unwrap();
    let pairs: Vec<(&str, cokernel::params::Value)> = rest
        .split(':')
        .filter_map(|p| p.split_once('='))
        .map(|(n, v)| (n, cokernel::params::Value::parse(v)))
        .collect();
    let params = method.check(pairs.iter().map(|(n, v)| (*n, v))).unwrap();
    let learner = learner(method, &params).unwrap();
    train(&Problem::new(bank, target, machine), learner.as_ref(), &Run::default()).unwrap()
}

/// P + Ω is the same, and so are the weights, whichever way the kernels are kept.
#[test]
fn few_at_a_time_or_all_together_is_the_same() {
    let (n, d) = (40, 280);
    let (views, y) = data(n, d);
    let some = bank(&views, "center_unit_variance");
    assert!(some.is_all_columns());
    let all = plain(&some);
    let (two, real) = (classes(&y), Target::Real(y.clone()));
    let every = [
        "simple_mkl:tol=1e-8",
        "bach:tol=1e-8",
        "elastic_net:tol=1e-8",
        "lp_norm:tol=1e-8:p=1.333",
    ];
    let cases: [(&str, &Target, &[&str]); 4] = [
        ("svc:c=10", &two, &every),
        ("svr:c=1", &real, &every[..1]),
        ("kernel_ridge", &real, &["elastic_net:tol=1e-8", "lp_norm:tol=1e-8:p=2"]),
        ("svc:c=0.1", &two, &every[..1]),
    ];
    for (text, target, methods) in cases {
        let machine =
            machine(&format!("{text}:tol=1e-10").replace("kernel_ridge:tol=1e-10", "kernel_ridge"));
        for method in methods.iter().copied() {
            let a = learn(&some, target, machine.as_ref(), method);
            let b = learn(&all, target, machine.as_ref(), method);
            let value = |l: &Learned| *l.report.objective.last().unwrap();
            let what = format!("{method} with {text}: {} {}", value(&a), value(&b));
            assert!(a.report.status.is_success(), "{what}: {:?}", a.report.notes);
            assert!((value(&a) / value(&b) - 1.0).abs() < 3e-8, "{what}");
            let (v, w) = (a.rule.weights().unwrap(), b.rule.weights().unwrap());
            let largest = w.iter().fold(0.0_f64, |a, w| a.max(*w));
            // Copies share a weight in any proportion over the simplex.
            let unique = !method.starts_with("simple") && !method.starts_with("bach");
            for m in (0..d).filter(|m| unique || m % 97 != 5 && m % 97 != 0) {
                assert!(
                    (v[m] - w[m]).abs() < 2e-3 * largest,
                    "{what}: weight {m} {} {}",
                    v[m],
                    w[m]
                );
            }
            let generated = a.report.details.contains_key("rounds");
            assert_eq!(generated, !method.starts_with("lp"), "{what}");
        }
    }
}

/// The gap that is told, from the features alone.
#[test]
fn the_gap_is_that_of_all_features() {
    let (n, d) = (100, 5_000);
    let (views, y) = data(n, d);
    let (target, c) = (classes(&y), 1.0);
    let machine = machine("svc:c=1");
    let x = |i: usize, j: usize| match &views.get("x").unwrap().table {
        cokernel::data::Table::Dense(m) => m.get(i, j),
        _ => unreachable!(),
    };
    // Mean 0 and variance 1, in the plainest way.
    let z: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            let mean = (0..n).map(|i| x(i, j)).sum::<f64>() / n as f64;
            let by = ((0..n).map(|i| (x(i, j) - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
            let flat = j % 97 == 3 || j % 97 == 4;
            (0..n).map(|i| if flat { 0.0 } else { (x(i, j) - mean) / by }).collect()
        })
        .collect();
    let bank = bank(&views, "center_unit_variance");
    for (method, p) in [
        ("simple_mkl", 1.0),
        ("lp_norm:p=1.3333333333333333", 4.0 / 3.0),
        ("lp_norm:p=2", 2.0),
        ("elastic_net", 0.0),
    ] {
        let learned = learn(&bank, &target, machine.as_ref(), method);
        let weights = learned.rule.weights().unwrap();
        let head = learned.machines.as_ref().unwrap().heads().next().unwrap();
        let coef = &head.coef;
        let sign = |i: usize| head.role.sign(target.classes().unwrap().codes[i]);
        let scores: Vec<f64> =
            z.iter().map(|z| z.iter().zip(coef).map(|(z, c)| z * c).sum()).collect();
        let mut values = vec![head.bias; n];
        for ((z, s), w) in z.iter().zip(&scores).zip(weights).filter(|t| *t.1 > 0.0) {
            values.iter_mut().zip(z).for_each(|(f, z)| *f += w * s * z);
        }
        let norm: f64 = weights.iter().zip(&scores).map(|(w, s)| w * s * s).sum();
        let slack: f64 = (0..n).map(|i| (1.0 - sign(i) * values[i]).max(0.0)).sum();
        let primal = 0.5 * norm + c * slack;
        let half: Vec<f64> = scores.iter().map(|s| 0.5 * s * s).collect();
        let conjugate = match p {
            1.0 => half.iter().fold(0.0_f64, |a, h| a.max(*h)),
            0.0 => elastic(&half, 0.5),
            p => half.iter().map(|h| h.powf(p / (p - 1.0))).sum::<f64>().powf((p - 1.0) / p),
        };
        assert!((0..n).all(|i| (-1e-12..=c + 1e-9).contains(&(sign(i) * coef[i]))), "{method}");
        assert!(coef.iter().sum::<f64>().abs() < 1e-8, "{method}");
        let dual = coef.iter().map(|c| c.abs()).sum::<f64>() - conjugate;
        let gap = (primal - dual) / primal;
        let told = learned.report.gap.unwrap();
        assert!((-1e-9..=1e-3).contains(&gap), "{method}: {gap}");
        assert!((gap - told).abs() < 1e-6, "{method}: {gap}, told {told}");
        assert!(weights[3] == 0.0 || p > 1.0, "{method}");
        // As many kernels as free coefficients: 333 changes of the weights without interior points.
        let inside = learned.report.details.get("interior");
        assert_eq!(inside.is_some(), p <= 1.0, "{method}");
        assert!(inside.is_none() || learned.report.iterations < 60, "{method}");
    }
}

/// Tolerances above a third ended in a panic.
#[test]
fn wide_tolerances() {
    let (views, y) = data(40, 600);
    let bank = bank(&views, "center_unit_variance");
    let (target, machine) = (classes(&y), machine("svc:c=1"));
    for method in ["simple_mkl:tol=0.34", "simple_mkl:tol=0.49", "elastic_net:tol=0.4"] {
        let learned = learn(&bank, &target, machine.as_ref(), method);
        assert_eq!(learned.report.status, Status::Converged, "{method}");
        assert!(learned.report.gap.unwrap() <= 0.49, "{method}");
    }
}

/// max ηᵀz over v Σ η + (1 − v) Σ η² ≤ 1, by bisection on τ.
fn elastic(half: &[f64], v: f64) -> f64 {
    let at = |tau: f64| -> Vec<f64> {
        half.iter().map(|z| (z - tau * v).max(0.0) / (2.0 * tau * (1.0 - v))).collect()
    };
    let spent = |w: &[f64]| w.iter().map(|w| v * w + (1.0 - v) * w * w).sum::<f64>();
    let (mut low, mut high) = (1e-12, 1e6 * half.iter().fold(1e-12_f64, |a, z| a.max(*z)));
    for _ in 0..300 {
        let tau = (low * high).sqrt();
        if spent(&at(tau)) > 1.0 { low = tau } else { high = tau }
    }
    at(high).iter().zip(half).map(|(w, z)| w * z).sum()
}

#[test]
fn several_classes_and_the_smallest_problems() {
    let (views, y) = data(60, 300);
    let texts: Vec<&str> = y
        .iter()
        .map(|v| match v {
            v if *v > 0.3 => "a",
            v if *v < -0.3 => "b",
            _ => "c",
        })
        .collect();
    let three = Target::Classes(Classes::from_texts(&texts).unwrap());
    let some = bank(&views, "center,unit_trace");
    let all = plain(&some);
    for method in
        ["simple_mkl:tol=1e-6", "lp_norm:p=1.5:tol=1e-6", "mean", "align", "elastic_net:tol=1e-6"]
    {
        for text in ["svc:c=100:decomposition=one_vs_rest", "svc:c=100"] {
            let machine = machine(text);
            let (a, b) = (
                learn(&some, &three, machine.as_ref(), method),
                learn(&all, &three, machine.as_ref(), method),
            );
            let value = |l: &Learned| l.machines.as_ref().unwrap().primal();
            assert!(
                (value(&a) / value(&b) - 1.0).abs() < 3e-3,
                "{method} {text}: {} {}",
                value(&a),
                value(&b)
            );
        }
    }
    // Two instances, and one feature among 300 that is not constant.
    let x = Matrix::from_fn(2, 300, |i, j| if j == 7 { i as f64 } else { 1.0 });
    let views = Views::new().dense("x", x).unwrap();
    let two = Target::Classes(Classes::from_texts(&["a", "b"]).unwrap());
    let found = learn(&bank(&views, "center"), &two, machine("svc").as_ref(), "simple_mkl");
    let weights = found.rule.weights().unwrap();
    assert!((weights[7] - 1.0).abs() < 1e-6, "{:?}", &weights[..10]);
}

/// A model keeps the columns that have a weight, and predicts what the features say.
#[test]
fn models_of_single_features_are_saved_read_and_predict() {
    let (n, d) = (80, 600);
    let (views, y) = data(n, d);
    let Target::Classes(two) = classes(&y) else { unreachable!() };
    let texts: Vec<&String> = two.codes.iter().map(|c| &two.names[*c as usize]).collect();
    let rows: (Vec<usize>, Vec<usize>) = (0..n).partition(|i| i % 4 != 0);
    let chosen: Vec<&String> = rows.0.iter().map(|i| texts[*i]).collect();
    let labels = Labels::from_texts(&chosen);
    let (train_views, new) = (views.select(&rows.0), views.select(&rows.1));
    for steps in ["center_unit_variance", "unit_trace", "center,unit_diagonal"] {
        let mut sizes = Vec::new();
        for (method, all) in [("simple_mkl", false), ("lp_norm", true), ("mean", true)] {
            for machine in if method == "mean" { ["one_class_svm"] } else { ["svc"] } {
                let text = format!("linear:per_feature:normalize={steps}");
                let mkl = Mkl::new(method)
                    .unwrap()
                    .kernels(KernelSpec::parse_list(&text).unwrap())
                    .machine(machine.parse::<MachineSpec>().unwrap());
                let labels = match machine {
                    "svc" => labels.clone(),
                    _ => Labels::Absent(rows.0.len()),
                };
                let model = mkl.fit(&train_views, &labels, &Run::default()).unwrap();
                assert_eq!(model.weights().len(), d);
                let bytes = model.to_bytes().unwrap();
                let read = Model::from_bytes(&bytes).unwrap();
                assert_eq!(read, model, "{method} {steps}");
                let found = read.predict(&new).unwrap();
                // From the kernels of all instances with the weights and coefficients of the model.
                let (kept, coef, bias) = read.duals();
                let bank = bank(&train_views, steps);
                let weights: Vec<f64> = read.weights().iter().map(|w| w.weight).collect();
                let gram = bank.combine(&weights).unwrap();
                let own = read.predict(&train_views).unwrap();
                for i in 0..rows.0.len() {
                    let terms =
                        kept.iter().enumerate().map(|(s, j)| coef.get(0, s) * gram.row(i)[*j]);
                    let want = terms.sum::<f64>() + bias[0];
                    let got = own.decisions.get(i, 0);
                    assert!(
                        (got - want).abs() < 1e-8 * (1.0 + want.abs()),
                        "{method} {steps}: {got} {want}"
                    );
                }
                assert_eq!(found.decisions.rows(), rows.1.len());
                let active = weights.iter().filter(|w| **w > 0.0).count();
                assert!(all || active < d / 8, "{method} {steps}: {active}");
                sizes.push((machine, bytes.len() as f64, (8 * kept.len() * d) as f64));
            }
        }
        // A table of the columns with a weight, and one of all.
        assert!(sizes[0].1 < sizes[1].1 - 0.3 * sizes[1].2, "{steps}: {sizes:?}");
    }
}

/// 3,000 columns were multiplied with each other whatever memory the run had, and with no look at the clock.
#[test]
fn methods_that_compare_kernels_keep_to_memory_and_time() {
    let (views, y) = data(40, 3_000);
    let (bank, target) = (bank(&views, "unit_trace"), classes(&y));
    let svc = machine("svc");
    let methods = ["alignf", "kandola", "fsm", "lanckriet_alignment", "ideal_distance"];
    for id in methods {
        let method = find(id).unwrap();
        let learner = learner(method, &method.check([]).unwrap()).unwrap();
        let problem = Problem::new(&bank, &target, svc.as_ref());
        let small = Run { memory: 100_000_000, ..Run::default() };
        let said = learner.learn(&problem, &small).unwrap_err().to_string();
        assert!(said.contains("0.14 GB, more than the 0.10 GB"), "{id}: {said}");
        let short = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
        let status = learner.learn(&problem, &short).unwrap().report.status;
        assert!(status == Status::TimeLimit || status.is_success(), "{id}: {status}");
    }
}
