//! Support vector data description and the one-class SVM from raw features.

use super::points;
use crate::common::{bank, gaussian};
use cokernel::bank::{Gram, Storage};
use cokernel::catalogue::{find, methods};
use cokernel::data::{Labels, Matrix, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{How, MachineSpec};
use cokernel::method::Task;
use cokernel::mkl::{Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::{Run, Status};

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

/// A linear kernel of centred columns: the origin is a mean of the instances. Old code: 80,000 steps for 60 instances, half a
/// minute for 1,000, and advice about C.
#[test]
fn nothing_to_separate() {
    let n = 60;
    let (x, _) = points(n, 43);
    let mean = |j: usize| (0..n).map(|i| x.get(i, j)).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..3).map(mean).collect();
    let product = |i: usize, k: usize| {
        (0..3).map(|j| (x.get(i, j) - means[j]) * (x.get(k, j) - means[j])).sum::<f64>()
    };
    let gram = Gram::new(Matrix::from_fn(n, n, product)).unwrap();
    let run = Run::default();
    let solve = |text: &str| {
        let machine = text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
        machine.solve(&gram, &Target::Nothing(n), &How::new(&run)).unwrap()
    };
    for nu in [0.05, 0.5, 1.0] {
        let found = solve(&format!("one_class_svm:nu={nu}"));
        assert!(found.objective().abs() < 1e-10, "nu = {nu}: {}", found.objective());
        assert!(found.counts.smo_steps < 100 * n as u64, "nu = {nu}: {:?}", found.counts);
        if let Some(said) = found.remark() {
            assert!(said.contains("nothing separates them from it; svdd"), "{said}");
        }
    }
    assert!(solve("one_class_svm:nu=0.5").remark().is_some());
    assert!(solve("svdd:nu=0.5").remark().is_none());
}

/// Instances that are all one leave a ball of radius 0, whose relative gap would say nothing.
#[test]
fn a_ball_of_no_size_is_an_answer() {
    for kernel in ["linear@x", "gaussian@x:gamma=0.5"] {
        for scale in [1e-12, 1.0, 1e12] {
            let views = Views::new()
                .dense("x", Matrix::from_fn(20, 3, |_, j| scale * (1.0 + j as f64)))
                .unwrap();
            let mkl = detector("svdd").kernels([kernel.parse::<KernelSpec>().unwrap()]);
            let model = mkl.fit(&views, &Labels::Absent(20), &Run::default()).unwrap();
            let report = model.report();
            assert_eq!(
                (report.status, report.gap),
                (Status::Converged, Some(0.0)),
                "{kernel} {scale}"
            );
        }
    }
}
