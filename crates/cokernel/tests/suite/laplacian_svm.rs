//! The Laplacian SVM from raw kernels: its graph, primal, dual and gap in plain loops, Clarabel's optimum, the two
//! solvers, and instances without a label from end to end.

use crate::common::{bank, gaussian, least};
use cokernel::Run;
use cokernel::bank::{Gram, Storage};
use cokernel::calibrate::{Calibrating, Shape};
use cokernel::catalogue::{find, methods, together};
use cokernel::data::{Labels, Matrix, PartialClasses, Target, Views};
use cokernel::eval::{Protocol, compare, cross_validate};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{How, MachineSpec, REGISTRY, Solution};
use cokernel::mkl::{Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::solve::dense::symmetric_eigen;
use rand::RngExt;

const N: usize = 30;

fn machine(text: &str) -> MachineSpec {
    format!("laplacian_svm:{text}").parse().unwrap()
}

fn solve(
    kernel: &Matrix,
    classes: &PartialClasses,
    text: &str,
    weights: Option<&[f64]>,
) -> Solution {
    let gram = Gram::new(kernel.clone()).unwrap();
    let run = Run::default();
    let built = machine(text).checked().unwrap().build().unwrap();
    let target = Target::Partial(classes.clone());
    built.solve(&gram, &target, &How { weights, ..How::new(&run) }).unwrap()
}

/// L in plain loops.
fn laplacian(kernel: &Matrix, k: usize, heat: bool, normalized: bool) -> Matrix {
    let n = kernel.rows();
    let d2 = |i: usize, j: usize| kernel.get(i, i) + kernel.get(j, j) - 2.0 * kernel.get(i, j);
    let pairs = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
    let sigma = pairs.map(|(i, j)| d2(i, j).sqrt()).sum::<f64>() / (n * (n - 1)) as f64;
    let mut w = Matrix::zeros(n, n);
    for i in 0..n {
        let mut others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        others.sort_by(|a, b| d2(i, *a).total_cmp(&d2(i, *b)).then(a.cmp(b)));
        for j in others.into_iter().take(k) {
            let weight = if heat { (-d2(i, j) / (2.0 * sigma * sigma)).exp() } else { 1.0 };
            w.set(i, j, weight);
            w.set(j, i, weight);
        }
    }
    let degrees: Vec<f64> = (0..n).map(|i| w.row(i).iter().sum()).collect();
    Matrix::from_fn(n, n, |i, j| {
        let entry = if i == j { degrees[i] } else { -w.get(i, j) };
        if normalized { entry / (degrees[i] * degrees[j]).sqrt() } else { entry }
    })
}

fn times(m: &Matrix, x: &[f64]) -> Vec<f64> {
    (0..m.rows()).map(|i| m.row(i).iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

struct Objectives {
    primal: f64,
    dual: f64,
    /// What rounding leaves of the sum of c′, relative to its entries.
    sum: f64,
}

/// Both objectives at c and b, the dual at what they make of it.
fn objectives(
    kernel: &Matrix,
    l: &Matrix,
    signs: &[f64],
    costs: &[f64],
    mu: f64,
    coef: &[f64],
    bias: f64,
) -> Objectives {
    let values = times(kernel, coef);
    let f: Vec<f64> = values.iter().map(|v| v + bias).collect();
    let lf = times(l, &f);
    let alpha: Vec<f64> = (0..f.len())
        .map(|i| if signs[i] == 0.0 { 0.0 } else { costs[i] * (1.0 - signs[i] * f[i]).max(0.0) })
        .collect();
    let c: Vec<f64> = (0..f.len()).map(|i| alpha[i] * signs[i] - mu * lf[i]).collect();
    let squares = (0..f.len()).filter(|i| alpha[*i] > 0.0).map(|i| alpha[i].powi(2) / costs[i]);
    let loss: f64 = squares.sum();
    let rough = mu * dot(&f, &lf);
    Objectives {
        primal: 0.5 * (dot(coef, &values) + loss + rough),
        dual: alpha.iter().sum::<f64>() - 0.5 * (loss + rough + dot(&c, &times(kernel, &c))),
        sum: c.iter().sum::<f64>().abs() / c.iter().map(|c| c.abs()).sum::<f64>().max(1e-300),
    }
}

/// The primal in w for features of which the kernel is made: variables w, b, the losses ξ and what the margins
/// exceed 1 by.
fn optimum(kernel: &Matrix, l: &Matrix, signs: &[f64], costs: &[f64], mu: f64) -> f64 {
    let n = signs.len();
    let (values, vectors) = symmetric_eigen(kernel).unwrap();
    let used: Vec<usize> = (0..n).filter(|j| values[*j] > 1e-13 * values[n - 1]).collect();
    let r = used.len();
    // The last feature is that of b.
    let feature = |i: usize, d: usize| match used.get(d) {
        Some(j) => vectors.get(i, *j) * values[*j].sqrt(),
        None => 1.0,
    };
    let labelled: Vec<usize> = (0..n).filter(|i| signs[*i] != 0.0).collect();
    let m = labelled.len();
    let columns: Vec<Vec<f64>> = (0..=r).map(|d| (0..n).map(|i| feature(i, d)).collect()).collect();
    let images: Vec<Vec<f64>> = columns.iter().map(|c| times(l, c)).collect();
    let all = r + 1 + 2 * m;
    let p = Matrix::from_fn(all, all, |a, b| {
        let smooth = if a <= r && b <= r { mu * dot(&columns[a], &images[b]) } else { 0.0 };
        let own = match a == b {
            true if a < r => 1.0,
            true if a > r && a <= r + m => costs[labelled[a - r - 1]],
            _ => 0.0,
        };
        own + smooth
    });
    let margin = |(k, i): (usize, &usize)| {
        let mut row: Vec<f64> = (0..=r).map(|d| signs[*i] * feature(*i, d)).collect();
        row.extend((0..2 * m).map(|v| match v {
            v if v == k => 1.0,
            v if v == m + k => -1.0,
            _ => 0.0,
        }));
        (row, 1.0)
    };
    let margins: Vec<(Vec<f64>, f64)> = labelled.iter().enumerate().map(margin).collect();
    let lower: Vec<f64> = (0..all).map(|v| if v <= r { -1e3 } else { 0.0 }).collect();
    least(&p, &vec![0.0; all], &margins, &lower, &vec![1e3; all])
}

/// A random problem: points, a kernel, and classes of which most are not known.
fn problem(seed: u64, classes: u32) -> (Matrix, Matrix, PartialClasses) {
    let mut rng = Run::with_seed(seed).rng("laplacian svm");
    let x = Matrix::from_fn(N, 2, |i, j| {
        let centre = if j == 0 { (i % classes as usize) as f64 } else { 0.0 };
        1.2 * centre + 2.0 * rng.random::<f64>()
    });
    let codes = (0..N).map(|i| {
        let known = i < 2 * classes as usize || rng.random::<f64>() < 0.2;
        known.then_some((i % classes as usize) as u32)
    });
    let codes = codes.collect();
    let kernel = match seed % 3 {
        0 => Matrix::from_fn(N, N, |i, j| 1.0 + dot(x.row(i), x.row(j))),
        _ => gaussian(&x, 0.3 * seed as f64),
    };
    let names = (0..classes).map(|c| format!("c{c}")).collect();
    (x, kernel, PartialClasses { names, codes })
}

fn signs(classes: &PartialClasses, positive: u32) -> Vec<f64> {
    let sign = |c: &Option<u32>| c.map_or(0.0, |c| if c == positive { 1.0 } else { -1.0 });
    classes.codes.iter().map(sign).collect()
}

#[test]
fn objectives_and_optimum_from_the_raw_kernel() {
    for seed in 0..12 {
        for (k, edges, kind) in
            [(5, "heat", "normalized"), (1, "binary", "plain"), (50, "heat", "plain")]
        {
            for classes in [2, 3] {
                let (_, kernel, known) = problem(seed, classes);
                let c = [0.05, 1.0, 40.0][seed as usize % 3];
                let gamma = [0.0, 0.01, 1.0, 30.0][seed as usize % 4];
                let l = laplacian(&kernel, k.min(N - 1), edges == "heat", kind == "normalized");
                for solver in ["newton", "conjugate_gradients"] {
                    let text = format!(
                        "c={c}:gamma_i={gamma}:neighbours={k}:edges={edges}:laplacian={kind}:\
                         solver={solver}:tol=1e-8"
                    );
                    let what = format!("seed {seed}, {classes} classes, {text}");
                    let found = solve(&kernel, &known, &text, None);
                    for block in &found.blocks {
                        let head = &block.heads[0];
                        let cokernel::machine::Role::Classes { positive, .. } = head.role else {
                            panic!("{what}");
                        };
                        let signs = signs(&known, positive);
                        let costs = vec![c; N];
                        let mu = c * gamma;
                        let (coef, bias) = (&head.coef, head.bias);
                        let raw = objectives(&kernel, &l, &signs, &costs, mu, coef, bias);
                        let size = raw.primal;
                        assert!(
                            block.status.is_success() && block.gap <= 1e-8,
                            "{what}: {block:?}"
                        );
                        assert!((raw.primal - block.primal).abs() <= 1e-10 * size, "{what}");
                        assert!((raw.dual - block.objective).abs() <= 1e-9 * size, "{what}");
                        assert!(
                            raw.sum < 1e-10 && coef.iter().sum::<f64>().abs() < 1e-9 * c,
                            "{what}"
                        );
                        let best = optimum(&kernel, &l, &signs, &costs, mu);
                        assert!((best - raw.primal).abs() <= 1e-6 * size, "{what}: {best} {size}");
                    }
                }
            }
        }
    }
}

/// Without the graph and with all labels it is the squared-hinge SVC, weights of classes and instances included.
#[test]
fn without_a_graph_it_is_the_squared_hinge() {
    let run = Run::default();
    for (seed, classes) in [(1, 2), (2, 3), (3, 2)] {
        let (_, kernel, mut known) = problem(seed, classes);
        known.codes = (0..N).map(|i| Some(i as u32 % classes)).collect();
        let weights: Vec<f64> = (0..N).map(|i| [1.0, 2.0, 0.5, 0.0][i % 4]).collect();
        let rest = "c=3:class_weight=c1=2.5:tol=1e-9";
        let found = solve(&kernel, &known, &format!("gamma_i=0:{rest}"), Some(&weights));
        let svc: MachineSpec = format!("squared_hinge_svc:{rest}").parse().unwrap();
        let gram = Gram::new(kernel).unwrap();
        let target = Target::Classes(known.labelled().1);
        let how = How { weights: Some(&weights), ..How::new(&run) };
        let expected = svc.checked().unwrap().build().unwrap().solve(&gram, &target, &how).unwrap();
        assert!((found.primal() - expected.primal()).abs() <= 1e-8 * expected.primal());
        for (a, b) in found.heads().zip(expected.heads()) {
            assert_eq!(a.role, b.role);
            let size: f64 = b.coef.iter().map(|c| c.abs()).sum();
            assert!(a.coef.iter().zip(&b.coef).all(|(a, b)| (a - b).abs() <= 1e-3 * size));
            assert!((a.bias - b.bias).abs() <= 1e-3 * (1.0 + b.bias.abs()));
        }
    }
}

/// What is said is true at every scale, and both solvers say the same where they reach the tolerance.
#[test]
fn kernels_and_costs_of_every_scale() {
    let (_, base, known) = problem(2, 2);
    for scale in [1e-12, 1.0, 1e12] {
        let kernel = Matrix::from_fn(N, N, |i, j| scale * base.get(i, j));
        let l = laplacian(&kernel, 5, true, true);
        for c in [1e-12, 1e-3, 1.0, 1e3, 1e12] {
            for gamma in [0.0, 1e-6, 1.0, 100.0] {
                let mut primals = Vec::new();
                for solver in ["newton", "conjugate_gradients"] {
                    let text = format!("c={c:e}:gamma_i={gamma:e}:solver={solver}");
                    let what = format!("kernel × {scale:e}, {text}");
                    let found = solve(&kernel, &known, &text, None);
                    let (block, head) = (&found.blocks[0], &found.blocks[0].heads[0]);
                    let (signs, costs) = (signs(&known, 1), vec![c; N]);
                    let (mu, bias) = (c * gamma, head.bias);
                    let raw = objectives(&kernel, &l, &signs, &costs, mu, &head.coef, bias);
                    // Rounding of f, times the slope of the objective.
                    let entries: f64 = head.coef.iter().map(|c| c.abs()).sum();
                    let noise = 1e-15 * scale * entries * (entries + c * (1.0 + gamma) * N as f64);
                    let noise = 1e-9 * raw.primal + noise * N as f64;
                    let off = (raw.primal - block.primal).abs();
                    assert!(off <= noise, "{what}: {off:e} of {noise:e} {:e}", raw.primal);
                    let reached = block.status.is_success();
                    assert!(reached || c * scale > 1e7, "{what}: {} {:e}", block.status, block.gap);
                    assert!(block.objective <= block.primal * (1.0 + 1e-9), "{what}");
                    if reached {
                        assert!(block.gap <= 1e-3, "{what}");
                        primals.push(block.primal);
                    }
                }
                if let [a, b] = primals[..] {
                    assert!((a - b).abs() <= 2e-3 * a, "× {scale:e}, {c:e}, {gamma:e}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn few_instances_and_odd_graphs() {
    let classes =
        |codes: Vec<Option<u32>>| PartialClasses { names: vec!["a".into(), "b".into()], codes };
    let two = Matrix::new(2, 2, vec![1.0, 0.2, 0.2, 1.0]).unwrap();
    let equal = Matrix::from_fn(6, 6, |_, _| 3.0);
    let apart = Matrix::from_fn(6, 6, |i, j| f64::from(u8::from(i == j)));
    let zero = Matrix::zeros(6, 6);
    let half = vec![Some(0), Some(1), None, None, None, None];
    for (kernel, codes) in
        [(two, vec![Some(0), Some(1)]), (equal, half.clone()), (apart, half.clone()), (zero, half)]
    {
        for kind in ["normalized", "plain"] {
            for k in [1, 3, 100] {
                for solver in ["newton", "conjugate_gradients"] {
                    let text = format!("neighbours={k}:laplacian={kind}:solver={solver}:tol=1e-9");
                    let found = solve(&kernel, &classes(codes.clone()), &text, None);
                    assert!(found.status().is_success(), "{text}: {found:?}");
                    assert!(found.gap() <= 1e-9, "{text}");
                }
            }
        }
    }
}

/// Two half circles with one label each.
fn moons(n: usize) -> (Views, Labels, Vec<&'static str>) {
    let mut rng = Run::with_seed(3).rng("moons");
    let place = |i: usize| std::f64::consts::PI * (i / 2) as f64 / (n / 2) as f64;
    let x = Matrix::from_fn(n, 2, |i, j| {
        let (sin, cos) = place(i).sin_cos();
        let upper = if j == 0 { cos } else { sin };
        let lower = if j == 0 { 1.0 - cos } else { 0.5 - sin };
        0.1 * (rng.random::<f64>() - 0.5) + if i % 2 == 0 { upper } else { lower }
    });
    let truth: Vec<&str> = (0..n).map(|i| ["up", "down"][i % 2]).collect();
    let known = |i: usize| if i / 2 == n / 4 { truth[i] } else { "" };
    let labels = Labels::from_texts(&(0..n).map(known).collect::<Vec<_>>());
    (Views::new().dense("a", x).unwrap(), labels, truth)
}

fn mkl(method: &str, text: &str) -> Mkl {
    let kernels =
        ["gaussian:gamma=5", "gaussian:gamma=10"].map(|k| k.parse::<KernelSpec>().unwrap());
    Mkl::new(method).unwrap().machine(text.parse::<MachineSpec>().unwrap()).kernels(kernels)
}

#[test]
fn two_labels_are_enough_where_the_graph_says_the_rest() {
    let (views, labels, truth) = moons(100);
    let right = |model: &Model| {
        let found = model.predict(&views).unwrap();
        found.labels.iter().zip(&truth).filter(|(a, b)| a == *b).count()
    };
    let run = Run::default();
    for solver in ["newton", "conjugate_gradients"] {
        let text = format!("laplacian_svm:gamma_i=10:c=10:solver={solver}");
        let model = mkl("mean", &text).fit(&views, &labels, &run).unwrap();
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!((right(&model), right(&back)), (100, 100));
        let note = "98 of 100 instances have no label and are learned from, too";
        assert_eq!(model.report().notes[0], note);
    }
    // Others learn from the two alone, and say what they leave out.
    let model = mkl("mean", "squared_hinge_svc:c=10").fit(&views, &labels, &run).unwrap();
    assert!(right(&model) < 95, "{}", right(&model));
    let note = &model.report().notes[0];
    assert!(
        note.contains("98 of 100 instances have no label and are left out (machines that learn from them, too: \
                       laplacian_svm)"),
        "{note}"
    );
}

#[test]
fn unlabelled_instances_are_learned_from_and_never_tested() {
    let (views, labels, truth) = moons(60);
    // A few more labels, so that there are folds.
    let some = |i: usize| if i < 16 { truth[i] } else { "" };
    let more = Labels::from_texts(&(0..60).map(some).collect::<Vec<_>>());
    let run = Run::default();
    let splits = Protocol::KFold { folds: 4, repeats: 1 }.split(&more, 1).unwrap();
    let mean = mkl("mean", "laplacian_svm:c=10");
    let found = cross_validate(&mean, &views, &more, &splits, &run).unwrap();
    let tested: u64 = found.confusion.iter().flatten().sum();
    assert_eq!(tested, 16);
    // Every training instance is in the graph: 48 − 4 + 44 unlabelled of 60 are 56.
    assert!(found.results.iter().all(|r| r.support_percent == 100.0));
    let svc = mkl("mean", "svc:c=10");
    let best = mkl("best_single", "laplacian_svm:c=10");
    let rows =
        compare(&[mean.clone(), svc, best], false, &views, &more, &splits, &run).unwrap().rows;
    let stat = |r: usize| format!("{:?}", rows[r].measures);
    assert_eq!(stat(0), format!("{:?}", found.measures));
    assert!(rows.iter().all(|r| r.status.is_success()));
    // By hand: the labelled of training and all unlabelled.
    let split = &splits.splits[0];
    let rows: Vec<usize> = (0..60).filter(|i| !split.test.contains(i)).collect();
    let model = mean.fit(&views.select(&rows), &more.select(&rows), &run).unwrap();
    let test = model.predict(&views.select(&split.test)).unwrap();
    let right = test.labels.iter().zip(&split.test).filter(|(l, i)| *l == truth[**i]).count();
    let accuracy = right as f64 / split.test.len() as f64;
    let said = found.results[0].scores.get("accuracy").unwrap();
    assert!((accuracy - said).abs() < 1e-12, "{accuracy} {said}");
    assert_eq!(labels.known_rows().len(), 2);
}

/// Curves are fitted on values of held-out instances whose machines knew the unlabelled ones, too.
#[test]
fn probabilities_from_few_labels() {
    let (views, _, truth) = moons(60);
    let some = |i: usize| if i.is_multiple_of(3) { truth[i] } else { "" };
    let labels = Labels::from_texts(&(0..60).map(some).collect::<Vec<_>>());
    let (run, mean) = (Run::default(), mkl("mean", "laplacian_svm:c=10"));
    let how = Calibrating::new(Shape::Sigmoid);
    let found = mean.calibration(&views, &labels, None, how, &run).unwrap();
    let model = mean.fit(&views, &labels, &run).unwrap().calibrated(found.clone()).unwrap();
    let said = model.predict(&views).unwrap();
    let sure = said.probabilities.unwrap();
    assert!((0..60).all(|i| (sure.get(i, 0) + sure.get(i, 1) - 1.0).abs() < 1e-12));
    let alone: Vec<usize> = (0..60).step_by(3).collect();
    let (few, known) = (views.select(&alone), labels.select(&alone));
    let other = mean.calibration(&few, &known, None, how, &run).unwrap();
    assert_ne!(found.curves, other.curves);
}

#[test]
fn who_learns_from_unlabelled_instances() {
    let (views, labels, _) = moons(24);
    let run = Run::default();
    let fixed = [
        "best_single",
        "concat",
        "mean",
        "sum",
        "product",
        "power_product",
        "late_mean",
        "ekp",
        "medfc",
        "gml",
    ];
    let entry = REGISTRY.iter().find(|e| e.id == "laplacian_svm").unwrap();
    for method in methods().filter(|m| cokernel::mkl::REGISTRY.iter().any(|e| e.id == m.id)) {
        let goes = fixed.contains(&method.id);
        if goes || ["simple_mkl", "lp_norm", "two_stage"].contains(&method.id) {
            assert_eq!(together(method, entry.method), goes, "{}", method.id);
        }
        let fitted = mkl(method.id, "laplacian_svm").fit(&views, &labels, &run);
        match fitted {
            Ok(model) => assert_eq!(model.predict(&views).unwrap().labels.len(), 24),
            Err(e) => {
                assert!(!together(method, entry.method), "{}: {e}", method.id);
                let said = e.to_string();
                assert!(said.contains("the machine goes with best_single, concat, mean"), "{said}");
            }
        }
    }
    // Other machines refuse such a target, whatever drives them.
    let kernel = gaussian(&Matrix::from_fn(4, 1, |i, _| i as f64), 1.0);
    let bank = bank(&[kernel], Storage::Resident);
    let codes = vec![Some(0), Some(1), None, Some(1)];
    let target = Target::Partial(PartialClasses { names: vec!["a".into(), "b".into()], codes });
    for entry in REGISTRY.iter().filter(|e| e.id != "laplacian_svm") {
        let machine = (entry.build)(&entry.defaults());
        let mean = learner(find("mean").unwrap(), &find("mean").unwrap().defaults()).unwrap();
        let problem = Problem::new(&bank, &target, machine.as_ref());
        let e = train(&problem, mean.as_ref(), &run).unwrap_err().to_string();
        assert!(e.contains("some have none") && e.contains("laplacian_svm"), "{}: {e}", entry.id);
    }
}

#[test]
fn labels_that_do_not_do() {
    let (views, _, _) = moons(20);
    let run = Run::default();
    let fit = |texts: Vec<&str>| {
        let labels = Labels::from_texts(&texts);
        mkl("mean", "laplacian_svm").fit(&views, &labels, &run).unwrap_err().to_string()
    };
    let e = fit(vec![""; 20]);
    assert!(e.contains("every label is missing"), "{e}");
    let one = |i: usize| if i < 5 { "a" } else { "" };
    let e = fit((0..20).map(one).collect());
    assert!(e.contains("every labelled instance is in class 'a'; at least two"), "{e}");
    let text = "laplacian_svm:gamma_i=1e300:c=1e300";
    let labels = Labels::from_texts(&(0..20).map(|i| ["a", "b"][i % 2]).collect::<Vec<_>>());
    let e = mkl("mean", text).fit(&views, &labels, &run).unwrap_err().to_string();
    assert!(e.contains("parameter 'gamma_i'") && e.contains("times C"), "{e}");
}
