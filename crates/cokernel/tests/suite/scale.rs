//! Learning towards landmarks: bounds recomputed from raw features, and what the exact methods find where all instances
//! are landmarks.

mod ends;

use cokernel::bank::Storage;
use cokernel::data::{Labels, Matrix, Missing, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model, Saved};
use cokernel::{Run, Status};
use rand::RngExt;

/// Two views: one tells the classes by its radius, the other half as well by its mean. Labels, and a number that goes with
/// the first view.
fn data(n: usize, classes: u32, seed: u64) -> (Views, Vec<u32>, Vec<f64>) {
    let mut rng = Run::with_seed(seed).rng("data");
    let mut normal = || (0..6).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 1.4;
    let codes: Vec<u32> = (0..n).map(|i| (i as u32 * 7 + i as u32 / 3) % classes).collect();
    let radius = |i: usize| 0.6 + 0.5 * f64::from(codes[i]);
    let a = Matrix::from_fn(n, 2, |i, _| radius(i) * normal());
    let b = Matrix::from_fn(n, 3, |i, j| {
        normal() + if j == 0 { 0.7 * f64::from(codes[i]) } else { 0.0 }
    });
    let numbers =
        (0..n).map(|i| (2.0 * a.get(i, 0)).sin() + a.get(i, 1) + 0.1 * normal()).collect();
    (Views::new().dense("a", a).unwrap().dense("b", b).unwrap(), codes, numbers)
}

fn labels(codes: &[u32]) -> Labels {
    let names = (0..=*codes.iter().max().unwrap()).map(|c| format!("c{c}")).collect();
    Labels::Classes { names, codes: codes.iter().map(|c| Some(*c)).collect() }
}

const KERNELS: [(&str, f64); 4] = [("a", 0.5), ("a", 2.0), ("b", 0.3), ("b", 1.2)];

fn mkl(method: &str, machine: &str, storage: &str) -> Mkl {
    let spec = |(view, gamma): (&str, f64)| KernelSpec::gaussian().view(view).gamma([gamma]);
    Mkl::new(method)
        .unwrap()
        .kernels(KERNELS.map(spec))
        .machine(machine.parse::<MachineSpec>().unwrap())
        .storage(storage.parse::<Storage>().unwrap())
}

fn kernel(x: &[f64], z: &[f64], gamma: f64) -> f64 {
    (-gamma * x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
}

fn table<'a>(views: &'a Views, name: &str) -> &'a Matrix {
    match &views.get(name).unwrap().table {
        cokernel::data::Table::Dense(m) => m,
        _ => unreachable!(),
    }
}

/// x with W x = b, by a Cholesky factor of W + 10⁻¹³ I.
fn solve(w: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let r = b.len();
    let mut l = vec![vec![0.0; r]; r];
    for i in 0..r {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let left = w[i][j] + if i == j { 1e-13 } else { 0.0 } - known;
            l[i][j] = if i == j { left.sqrt() } else { left / l[j][j] };
        }
    }
    let mut x = b.to_vec();
    for i in 0..r {
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..r).rev() {
        x[i] = (x[i] - (i + 1..r).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
    x
}

/// P and D of a model of two classes or of numbers, from features alone.
fn bounds(
    views: &Views,
    y: &[f64],
    model: &Model,
    loss: impl Fn(f64, f64, f64) -> (f64, f64, f64),
    conjugate: impl Fn(&[f64]) -> f64,
) -> (f64, f64) {
    let (rows, coef, bias) = model.duals();
    let h = model.report().details.get("rounding").map_or(0.0, |h| h[0]);
    let weights: Vec<f64> = model.weights().iter().map(|w| w.weight).collect();
    let r = rows.len();
    let (mut f, mut norm, mut at) = (vec![bias[0]; y.len()], 0.0, 0);
    let towards = |m: usize, i: usize| -> Vec<f64> {
        let (view, gamma) = KERNELS[m];
        let x = table(views, view);
        rows.iter().map(|z| kernel(x.row(i), x.row(*z), gamma)).collect()
    };
    let among = |m: usize| -> Vec<Vec<f64>> { rows.iter().map(|z| towards(m, *z)).collect() };
    for m in (0..4).filter(|m| weights[*m] > 0.0) {
        let beta = &coef.row(0)[at * r..(at + 1) * r];
        at += 1;
        let dot = |c: &[f64]| c.iter().zip(beta).map(|(c, b)| c * b).sum::<f64>();
        f.iter_mut().enumerate().for_each(|(i, f)| *f += dot(&towards(m, i)));
        let image: f64 = among(m).iter().zip(beta).map(|(w, b)| b * dot(w)).sum();
        norm += 0.5 * image / weights[m];
    }
    let told: f64 = f.iter().zip(y).map(|(f, y)| loss(*f, *y, h).0).sum();
    // Coefficients are those of the bias before its last move.
    let moved = model.report().details.get("bias_shift").map_or(0.0, |b| b[0]);
    let parts: Vec<(f64, f64, f64)> =
        f.iter().zip(y).map(|(f, y)| loss(*f - moved, *y, h)).collect();
    let side = |sign: f64| parts.iter().map(|p| (p.1 * sign).max(0.0)).sum::<f64>();
    let least = side(1.0).min(side(-1.0));
    let factor = |c: f64| least / side(c.signum());
    // ℓ(s c) ≥ s ℓ(c).
    let linear: f64 = parts.iter().filter(|p| p.1 != 0.0).map(|p| factor(p.1) * p.2).sum();
    let forms: Vec<f64> = (0..4)
        .map(|m| {
            let mut side = vec![0.0; r];
            for (i, p) in parts.iter().enumerate().filter(|(_, p)| p.1 != 0.0) {
                side.iter_mut().zip(towards(m, i)).for_each(|(s, c)| *s += factor(p.1) * p.1 * c);
            }
            solve(&among(m), &side).iter().zip(&side).map(|(a, b)| a * b).sum()
        })
        .collect();
    (norm + told, linear - conjugate(&forms))
}

/// Loss, coefficient and ℓ of each machine, C = 2; for a number ε = 0.1.
fn hinge(f: f64, y: f64, h: f64) -> (f64, f64, f64) {
    let u = 1.0 - y * f;
    let alpha = 2.0 * slope(u, h);
    (2.0 * u.max(0.0), y * alpha, alpha)
}

/// The slope of (u + √(u² + 4h²))/2.
fn slope(u: f64, h: f64) -> f64 {
    0.5 * (1.0 + u / (u * u + 4.0 * h * h).sqrt())
}

fn squared_hinge(f: f64, y: f64, _: f64) -> (f64, f64, f64) {
    let u = (1.0 - y * f).max(0.0);
    (u * u, 2.0 * y * u, 2.0 * u - u * u)
}

fn insensitive(f: f64, t: f64, h: f64) -> (f64, f64, f64) {
    let c = 2.0 * (slope(t - f - 0.1, h) - slope(f - t - 0.1, h));
    (2.0 * ((t - f).abs() - 0.1).max(0.0), c, t * c - 0.1 * c.abs())
}

fn squared(f: f64, t: f64, _: f64) -> (f64, f64, f64) {
    let c = 2.0 * (t - f);
    ((t - f).powi(2), c, t * c - 0.25 * c * c)
}

fn logistic(f: f64, y: f64, _: f64) -> (f64, f64, f64) {
    let s = 1.0 / (1.0 + (y * f).exp());
    (2.0 * (-y * f).exp().ln_1p(), 2.0 * y * s, -2.0 * (s * s.ln() + (1.0 - s) * (1.0 - s).ln()))
}

type Conjugate = Box<dyn Fn(&[f64]) -> f64>;

fn largest(q: &[f64]) -> f64 {
    0.5 * q.iter().fold(0.0_f64, |a, q| a.max(*q))
}

fn ball(p: f64) -> impl Fn(&[f64]) -> f64 {
    let dual = p / (p - 1.0);
    move |q| 0.5 * q.iter().map(|q| q.powf(dual)).sum::<f64>().powf(1.0 / dual)
}

/// The bounds that reports state, recomputed; both bracket the optimum of each other method's start.
#[test]
fn gaps_are_what_they_say() {
    let (views, codes, numbers) = data(1500, 2, 1);
    let y: Vec<f64> = codes.iter().map(|c| if *c == 1 { 1.0 } else { -1.0 }).collect();
    let run = Run::default();
    let storage = "nystroem:rank=12:landmarks=kmeans";
    for machine in [
        "svc:c=2",
        "squared_hinge_svc:c=2",
        "kernel_logistic:c=2",
        "svr:c=2:epsilon=0.1",
        "kernel_ridge:lambda=0.5",
    ] {
        for (method, tol) in [("simple_mkl", 1e-3), ("lp_norm", 4e-4), ("mean", 1e-3)] {
            let mut mkl = mkl(method, machine, storage);
            if method != "mean" {
                mkl = mkl.param("tol", tol);
            }
            let classes = mkl.task() == cokernel::method::Task::Classify;
            let given = if classes {
                labels(&codes)
            } else {
                Labels::Real(numbers.iter().map(|v| Some(*v)).collect())
            };
            let model = mkl.fit(&views, &given, &run).unwrap();
            let target = if classes { &y } else { &numbers };
            let conjugate: Conjugate = match method {
                "simple_mkl" => Box::new(largest),
                "lp_norm" => Box::new(ball(2.0)),
                _ => Box::new(|q: &[f64]| q.iter().sum::<f64>() / 8.0),
            };
            let (upper, lower) = match machine.split(':').next().unwrap() {
                "svc" => bounds(&views, target, &model, hinge, conjugate),
                "squared_hinge_svc" => bounds(&views, target, &model, squared_hinge, conjugate),
                "kernel_logistic" => bounds(&views, target, &model, logistic, conjugate),
                "svr" => bounds(&views, target, &model, insensitive, conjugate),
                _ => bounds(&views, target, &model, squared, conjugate),
            };
            let report = model.report();
            let gap = (upper - lower) / upper;
            let place = format!("{method}, {machine}: {upper} {lower}, told {:?}", report.gap);
            assert_eq!(report.status, Status::Converged, "{place}");
            assert!(gap >= -1e-9 && gap <= 1.01 * tol, "{place}");
            assert!((gap - report.gap.unwrap()).abs() < 1e-5, "{place}");
            assert!((upper / report.objective.last().unwrap() - 1.0).abs() < 1e-6, "{place}");
            let mean = report.machine.unwrap();
            assert!(
                (mean.primal / upper - 1.0).abs() < 1e-6 && mean.dual <= mean.primal,
                "{place}"
            );
        }
    }
}

/// Where all instances are landmarks nothing is approximated: the optimum is that of the exact methods.
#[test]
fn at_full_rank_the_answer_is_exact() {
    let (views, codes, numbers) = data(90, 3, 2);
    let run = Run::default();
    let machines = [
        "svc:c=3",
        "squared_hinge_svc:c=3",
        "kernel_logistic:c=3",
        "svr:c=3",
        "kernel_ridge:lambda=0.2",
    ];
    for machine in machines {
        for method in ["simple_mkl", "lp_norm", "elastic_net", "mean"] {
            let of = |storage: &str, tol: f64| {
                let mut machine: MachineSpec = machine.parse().unwrap();
                if machine.method().param("tol").is_some() {
                    machine.set("tol", tol);
                }
                let mut mkl = mkl(method, "svc", storage).machine(machine);
                if method != "mean" {
                    mkl = mkl.param("tol", tol);
                }
                let given = match mkl.task() {
                    cokernel::method::Task::Classify => labels(&codes),
                    _ => Labels::Real(numbers.iter().map(|v| Some(*v)).collect()),
                };
                mkl.fit(&views, &given, &run).unwrap()
            };
            // Kinks are rounded: the last digits cost most.
            let (tol, near) = if machine.starts_with("sv") { (1e-4, 0.3) } else { (1e-6, 0.05) };
            let (exact, low) = (of("resident", tol), of("nystroem:rank=90", tol));
            let value = |m: &Model| *m.report().objective.last().unwrap();
            let place = format!("{method}, {machine}: {} {}", value(&exact), value(&low));
            assert_eq!(low.report().status, Status::Converged, "{place}");
            assert!((value(&low) / value(&exact) - 1.0).abs() < 3.0 * tol, "{place}");
            assert!(low.report().details["approximation"].iter().all(|e| *e < 1e-9), "{place}");
            let share = |m: &Model| m.report().machine.unwrap().at_bound;
            assert!((share(&low) - share(&exact)).abs() < 0.06, "{place}");
            let (a, b) = (exact.predict(&views).unwrap(), low.predict(&views).unwrap());
            let far = a.decisions.values().iter().zip(b.decisions.values());
            let far = far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max);
            assert!(far < near, "{place}: {far}");
            if method == "lp_norm" && !machine.starts_with("sv") {
                let (exact, low) = (of("resident", 1e-9), of("nystroem:rank=90", 1e-9));
                let off = value(&low) / value(&exact) - 1.0;
                assert!(off.abs() < 1e-8, "{place}: {off:e}");
                let (a, b) = (exact.predict(&views).unwrap(), low.predict(&views).unwrap());
                let far = a.decisions.values().iter().zip(b.decisions.values());
                let far = far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max);
                assert!(far < 1e-3, "{place}: {far}");
            }
        }
    }
}

/// Methods that look at no machine: their weights are those of the exact kernels where the sample has all instances, and
/// alignments are near them where it has a few.
#[test]
fn weights_that_need_no_machine_come_from_a_sample() {
    let names =
        cokernel::mkl::REGISTRY.iter().filter(|e| (e.build)(&e.defaults()).samples().is_some());
    let names: Vec<&str> = names.map(|e| e.id).collect();
    assert_eq!(names.len(), 9);
    let given = |codes: &[u32]| labels(codes);
    let (few, codes, _) = data(120, 2, 8);
    let (many, all, _) = data(1_200, 2, 8);
    for name in names {
        let fit = |storage: &str, views: &Views, codes: &[u32], run: &Run| {
            let mut machine: MachineSpec = "squared_hinge_svc:c=1".parse().unwrap();
            machine.set("tol", 1e-8);
            mkl(name, "svc", storage).machine(machine).fit(views, &given(codes), run).unwrap()
        };
        let weights = |m: &Model| m.weights().iter().map(|w| w.weight).collect::<Vec<f64>>();
        let run = Run::default();
        let exact = fit("resident", &few, &codes, &run);
        let found = fit("nystroem:rank=120", &few, &codes, &run);
        for (a, b) in weights(&exact).iter().zip(weights(&found)) {
            assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "{name}: {a} {b}");
        }
        let (a, b) = (exact.predict(&few).unwrap(), found.predict(&few).unwrap());
        let far = a.decisions.values().iter().zip(b.decisions.values());
        let far = far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max);
        assert!(far < 1e-2, "{name}: {far}");
        assert!(found.report().status.is_success(), "{name}: {}", found.report().status);
        // Four kernels of 500 instances in half of 8 MB.
        let small = Run { memory: 8_000_000, ..Run::default() };
        let found = fit("nystroem:rank=60", &many, &all, &small);
        let note = "of 1200 instances";
        let drawn = found.report().details["sample"][0];
        assert!((500.0..=502.0).contains(&drawn), "{name}: {drawn}");
        assert!(
            found.report().notes.iter().any(|n| n.contains(note)),
            "{name}: {:?}",
            found.report().notes
        );
        let exact = weights(&fit("resident", &many, &all, &run));
        let largest = exact.iter().fold(0.0_f64, |a, w| a.max(*w));
        // Means over pairs of instances; programs that leave kernels out may leave out others on a sample.
        let mean = ["align", "alignf"].contains(&name);
        let near = |a: f64, b: f64| !mean || (a - b).abs() < 0.25 * largest;
        for (a, b) in exact.iter().zip(weights(&found)) {
            assert!(near(*a, b), "{name}: {a} {b}");
        }
        assert_eq!(fit("nystroem:rank=60", &many, &all, &small).duals(), found.duals(), "{name}");
    }
    let links = [(0, 1, cokernel::data::Link::Must), (0, 2, cokernel::data::Link::Cannot)];
    let pairs = cokernel::data::Pairs::new(120, links).unwrap();
    let with_pairs = cokernel::model::Given { pairs: Some(&pairs), ..Default::default() };
    let two_stage = mkl("two_stage", "squared_hinge_svc", "nystroem:rank=20");
    let said = two_stage.fit_given(&few, &given(&codes), &with_pairs, &Run::default());
    let said = said.unwrap_err().to_string();
    assert!(said.contains("give no pairs"), "{said}");
}

/// The same bits whatever computes what, on several tiles and from a start on some of the instances.
#[test]
fn partitions_and_threads_change_no_bit() {
    let (views, codes, _) = data(17_000, 2, 3);
    let mkl = mkl("simple_mkl", "squared_hinge_svc:c=0.1", "nystroem:rank=10:landmarks=uniform");
    let fit = |partitions: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let prepared = mkl.prepare(&views, &labels(&codes), &Run::default()).unwrap();
            mkl.fit_prepared(&prepared.in_partitions(partitions), &Run::default()).unwrap()
        })
    };
    let alone = fit(1, 1);
    assert!(alone.report().details["passes_of_start"][0] > 0.0);
    for (partitions, threads) in [(1, 3), (2, 2), (7, 3)] {
        let other = fit(partitions, threads);
        assert_eq!(other.duals(), alone.duals(), "{partitions} partitions, {threads} threads");
        assert_eq!(other.weights(), alone.weights());
        assert_eq!(other.report().gaps, alone.report().gaps);
    }
}

/// A model of landmarks is a model: saved, read, told and asked for new instances.
#[test]
fn models_keep_landmarks_alone() {
    let (views, codes, _) = data(2_000, 4, 4);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..2_000).partition(|i| i % 4 > 0);
    let given = labels(&codes);
    let mut right = Vec::new();
    for landmarks in ["uniform", "kmeans", "leverage", "cholesky"] {
        let storage = format!("nystroem:rank=40:landmarks={landmarks}");
        let mkl = mkl("lp_norm", "svc:c=10", &storage);
        let model = mkl.fit(&views.select(&train), &given.select(&train), &Run::default()).unwrap();
        let (rows, coef, bias) = model.duals();
        assert_eq!((rows.len(), coef.cols(), bias.len()), (40, 160, 4), "{landmarks}");
        assert_eq!(model.n_train(), 1_500);
        let note = &model.report().notes;
        assert!(
            note.iter().any(|n| n.contains(&format!("40 landmarks ({landmarks})"))),
            "{note:?}"
        );
        assert_eq!(note.iter().any(|n| n.contains("trace")), landmarks == "cholesky");
        let bytes = model.to_bytes().unwrap();
        assert!(bytes.len() < 60_000, "{} bytes", bytes.len());
        let read = Model::from_bytes(&bytes).unwrap();
        let found = read.predict(&views.select(&test)).unwrap();
        assert_eq!(found, model.predict(&views.select(&test)).unwrap());
        let hits = found.codes.iter().zip(&test).filter(|(c, i)| **c == codes[**i]).count();
        right.push(hits as f64 / test.len() as f64);
        drop(Saved::Classifier(Box::new(model)));
    }
    let exact = mkl("lp_norm", "svc:c=10", "auto");
    let exact = exact.fit(&views.select(&train), &given.select(&train), &Run::default()).unwrap();
    let found = exact.predict(&views.select(&test)).unwrap();
    let hits = found.codes.iter().zip(&test).filter(|(c, i)| **c == codes[**i]).count();
    let exact = hits as f64 / test.len() as f64;
    assert!(exact > 0.4 && right.iter().all(|a| *a > exact - 0.04), "{exact} {right:?}");
}

/// Widths are measured on instances that have the view, as those of kernels between all instances are.
#[test]
fn widths_are_those_of_instances_with_the_view() {
    let (views, codes, _) = data(80, 2, 10);
    let mut lacking = Views::new();
    for view in views.iter() {
        let mut view = view.clone();
        view.present = Some((0..80).map(|i| view.name == "a" || i % 4 == 0).collect());
        lacking.push(view).unwrap();
    }
    for missing in [Missing::Mean, Missing::Zero] {
        let of = |storage: &str| {
            let mkl = mkl("lp_norm", "squared_hinge_svc:c=1:tol=1e-8", storage)
                .kernels(["gaussian".parse::<KernelSpec>().unwrap()])
                .missing(missing)
                .param("tol", 1e-7);
            mkl.fit(&lacking, &labels(&codes), &Run::default()).unwrap()
        };
        let (exact, near) = (of("resident"), of("nystroem:rank=80"));
        let names = |m: &Model| m.weights().iter().map(|w| w.kernel.clone()).collect::<Vec<_>>();
        assert_eq!(names(&exact), names(&near), "{missing:?}");
        let value = |m: &Model| *m.report().objective.last().unwrap();
        assert!((value(&exact) / value(&near) - 1.0).abs() < 1e-6, "{missing:?}");
    }
}

/// Weights of instances and of classes multiply C; an instance of weight 2 is one that is given twice.
#[test]
fn weights_of_instances_repeat_them() {
    let (views, codes, _) = data(60, 2, 5);
    let twice: Vec<usize> = (0..60).chain(0..20).collect();
    let weights: Vec<f64> = (0..60).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect();
    let mkl = mkl("mean", "squared_hinge_svc:c=1:tol=1e-9", "nystroem:rank=80");
    let run = Run::default();
    let a = mkl.fit_weighted(&views, &labels(&codes), &weights, &run).unwrap();
    let b = mkl.fit(&views.select(&twice), &labels(&codes).select(&twice), &run).unwrap();
    let value = |m: &Model| *m.report().objective.last().unwrap();
    assert!((value(&a) / value(&b) - 1.0).abs() < 1e-8);
    let (a, b) = (a.predict(&views).unwrap(), b.predict(&views).unwrap());
    let far = a.decisions.values().iter().zip(b.decisions.values());
    assert!(far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max) < 1e-3);
}

#[test]
fn refusals() {
    let (views, codes, _) = data(40, 2, 7);
    let say = |mkl: Mkl, views: &Views| {
        mkl.fit(views, &labels(&codes), &Run::default()).unwrap_err().to_string()
    };
    let e = say(mkl("silp", "svc", "nystroem:rank=9"), &views);
    assert!(e.contains("method 'silp'") && e.contains("simple_mkl"), "{e}");
    assert!(e.contains("6.6 kB for each kernel between 40 instances"), "{e}");
    let near = mkl("simple_mkl", "svc", "nystroem:rank=9");
    let prepared = near.prepare(&views, &labels(&codes), &Run::default()).unwrap();
    assert!(prepared.between("a sum").unwrap_err().to_string().contains("which a sum needs"));
    assert!(cokernel::model::FittedKernels::of_prepared(&prepared).is_err());
    let e = say(mkl("simple_mkl", "kernel_fisher", "nystroem"), &views);
    assert!(e.contains("machines that do: svc") && e.contains("kernel_logistic"), "{e}");
    let plain = Mkl::new("simple_mkl").unwrap().storage("nystroem".parse().unwrap());
    let similar = Views::new()
        .with(
            "s",
            cokernel::data::Table::Similarity(Matrix::from_fn(40, 40, |i, j| {
                f64::from(u8::from(i == j))
            })),
        )
        .unwrap();
    let e = say(plain.clone(), &similar);
    assert!(e.contains("is a similarity between all instances"), "{e}");
    let e = say(plain.kernels(["gaussian:normalize=center".parse().unwrap()]), &views);
    assert!(e.contains("normalisation by all instances"), "{e}");
    let listed: Vec<&str> = cokernel::mkl::REGISTRY
        .iter()
        .filter(|e| {
            let learner = (e.build)(&e.defaults());
            learner.scales() || learner.samples().is_some()
        })
        .map(|e| e.id)
        .collect();
    assert_eq!(listed.len(), cokernel::bank::LowRank::METHODS.len());
    assert!(cokernel::bank::LowRank::METHODS.iter().all(|m| listed.contains(m)));
}
