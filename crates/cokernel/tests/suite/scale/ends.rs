//! Where learning towards landmarks ends: large and small costs, stops, losses of 0, and what is far outside of the
//! comfortable range.

use super::{data, labels, mkl, table};
use crate::common::Stops;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model};
use cokernel::{Cancel, Run, Status};
use std::sync::Arc;

/// Costs at which rounding hides where the weights should go: the answer is as good as that of smaller costs, and its gap is told.
#[test]
fn large_costs_start_from_smaller_ones() {
    let (views, codes, _) = data(200, 2, 9);
    for storage in ["nystroem:rank=200", "nystroem:rank=50", "fourier:rank=50"] {
        let of = |c: &str| {
            let mkl = mkl("lp_norm", &format!("squared_hinge_svc:c={c}"), storage);
            mkl.fit(&views, &labels(&codes), &Run::default()).unwrap()
        };
        let plain = of("1e10");
        assert_eq!(plain.report().status, Status::Converged, "{storage}");
        let signs = |m: &Model| m.predict(&views).unwrap().codes;
        for c in ["1e12", "1e14", "1e17"] {
            let model = of(c);
            for (a, b) in plain.weights().iter().zip(model.weights()) {
                assert!((a.weight - b.weight).abs() < 0.05, "{storage}, {c}: {a:?} {b:?}");
            }
            let same = signs(&plain).iter().zip(signs(&model)).filter(|(a, b)| **a == *b).count();
            assert!(same >= 198, "{storage}, {c}: {same} of 200");
            let ended = model.report();
            assert!(
                ended.status == Status::Converged || ended.gap.unwrap() > 1e-3,
                "{storage}, {c}: {} {:?}",
                ended.status,
                ended.gap
            );
        }
    }
}

/// Stopped on the way from smaller costs the best point that is known is told, with bounds of the costs that were asked for.
#[test]
fn stopped_at_large_costs() {
    let (views, codes, _) = data(150, 2, 12);
    for machine in ["svc", "squared_hinge_svc", "kernel_logistic"] {
        let mkl = mkl("simple_mkl", &format!("{machine}:c=1e13"), "nystroem:rank=40");
        let optimum = mkl.fit(&views, &labels(&codes), &Run::default()).unwrap();
        let lower = |m: &Model| {
            let report = m.report();
            report.objective.last().unwrap() * (1.0 - report.gap.unwrap())
        };
        let best = *optimum.report().objective.last().unwrap();
        for steps in [1, 2, 4, 7] {
            let cancel = Cancel::default();
            let observer = Arc::new(Stops::at(steps, cancel.clone()));
            let run = Run { cancel, observer: Some(observer), ..Run::default() };
            let model = mkl.fit(&views, &labels(&codes), &run).unwrap();
            let place = format!("{machine}, {steps}");
            assert!(model.report().status.is_stop(), "{place}: {}", model.report().status);
            let (upper, gap) =
                (*model.report().objective.last().unwrap(), model.report().gap.unwrap());
            assert!(gap > 0.0 && upper >= lower(&optimum) * (1.0 - 1e-9), "{place}: {upper} {gap}");
            assert!(lower(&model) <= best * (1.0 + 1e-9), "{place}: {} {best}", lower(&model));
        }
    }
}

/// Where costs are so small that all coefficients are at their bound, classes are told apart by little more than biases.
#[test]
fn small_costs_tell_several_classes_apart() {
    let (views, codes, _) = data(180, 4, 13);
    let right = |storage: &str, c: &str| {
        let mkl = mkl("simple_mkl", &format!("svc:c={c}"), storage);
        let model = mkl.fit(&views, &labels(&codes), &Run::default()).unwrap();
        let told = model.predict(&views).unwrap().codes;
        told.iter().zip(&codes).filter(|(a, b)| a == b).count()
    };
    for c in ["1e-8", "1e-5", "1e-3"] {
        let (exact, low) = (right("resident", c), right("nystroem:rank=180", c));
        assert!(low + 18 >= exact && exact > 60, "{c}: {low} and {exact} of 180");
    }
}

/// Where ε is half of the range of the numbers or more a constant has no loss.
#[test]
fn a_constant_without_a_loss() {
    let (views, _, numbers) = data(120, 2, 14);
    let most = |sign: f64| numbers.iter().map(|v| sign * v).fold(f64::NEG_INFINITY, f64::max);
    let half = 0.5 * (most(1.0) + most(-1.0));
    for shift in [0.0, 5.0, -1e6] {
        let given = Labels::Real(numbers.iter().map(|v| Some(v + shift)).collect());
        for storage in ["nystroem:rank=20", "fourier:rank=20"] {
            for (part, c) in [(1.01, "1"), (1.5, "1e-6"), (2.0, "1e12"), (10.0, "1")] {
                let epsilon = part * half;
                let machine = format!("svr:c={c}:epsilon={epsilon}");
                for method in ["mean", "simple_mkl", "lp_norm"] {
                    let model = mkl(method, &machine, storage)
                        .fit(&views, &given, &Run::default())
                        .unwrap();
                    let place = format!("{method}, {machine}, {storage}, {shift}");
                    let report = model.report();
                    assert_eq!(report.status, Status::Converged, "{place}");
                    assert_eq!(
                        (report.gap, report.objective.last()),
                        (Some(0.0), Some(&0.0)),
                        "{place}"
                    );
                    let told = model.predict(&views).unwrap().decisions;
                    let off =
                        told.values().iter().zip(&numbers).map(|(f, v)| (f - v - shift).abs());
                    assert!(off.fold(0.0, f64::max) <= epsilon * (1.0 + 1e-9), "{place}");
                }
            }
        }
        // A little less: near 0, and as near as the exact kernels.
        let machine = format!("svr:c=1:epsilon={}", 0.98 * half);
        let of = |storage: &str| {
            mkl("mean", &machine, storage).fit(&views, &given, &Run::default()).unwrap()
        };
        let (exact, low) = (of("resident"), of("nystroem:rank=120"));
        let value = |m: &Model| *m.report().objective.last().unwrap();
        assert!(
            value(&low) <= value(&exact) * 1.01 + 1e-12,
            "{shift}: {} {} {}",
            value(&low),
            value(&exact),
            low.report().status
        );
    }
}

/// Far outside of the comfortable range there is an answer, or a sentence, in bounded time.
#[test]
fn extremes_end() {
    let (views, codes, _) = data(200, 2, 6);
    for c in [1e-12, 1e-3, 1e6, 1e17] {
        for machine in ["svc", "squared_hinge_svc"] {
            let mkl =
                mkl("simple_mkl", machine, "nystroem:rank=20").c(c).param("max_iterations", 60_i64);
            let model = mkl.fit(&views, &labels(&codes), &Run::default()).unwrap();
            let report = model.report();
            let gap = report.gap.unwrap();
            assert!(gap >= -1e-9, "{machine} {c}: {gap}");
            // At 10¹⁷ rounding may hide the end, which is then told.
            let ended = report.status == Status::Converged && gap <= 1e-3;
            assert!(ended || c > 1e6, "{machine} {c}: {} {gap}", report.status);
            assert!(ended || report.notes.iter().any(|n| n.contains("stopped early")));
            assert!(model.predict(&views).is_ok());
        }
    }
    for scale in [1e-6, 1e6] {
        let m = Matrix::from_fn(200, 3, |i, j| scale * table(&views, "b").get(i, j));
        let scaled = Views::new().dense("b", m).unwrap();
        let mkl = Mkl::new("lp_norm")
            .unwrap()
            .kernels([
                "linear".parse().unwrap(),
                "polynomial:degree=2".parse::<KernelSpec>().unwrap(),
            ])
            .machine("squared_hinge_svc".parse::<MachineSpec>().unwrap())
            .param("max_iterations", 40_i64)
            .storage("nystroem:rank=20".parse().unwrap());
        let model = mkl.fit(&scaled, &labels(&codes), &Run::default()).unwrap();
        assert!(model.report().gap.is_some());
    }
    // Copies of instances, a constant kernel, one landmark, more landmarks than instances that differ, hundreds of kernels.
    let copies: Vec<usize> = (0..400).map(|i| i % 50).collect();
    let (many, given) = (views.select(&copies), labels(&codes).select(&copies));
    let constant = KernelSpec::gaussian().view("a").gamma([1e-300]);
    let unit: KernelSpec = "polynomial:degree=2:normalize=unit_diagonal".parse().unwrap();
    let widths = (0..100).map(|k| 1.1_f64.powi(k - 50)).collect::<Vec<f64>>();
    let widths = KernelSpec::gaussian().gamma(widths);
    for (kernels, rank) in [
        (vec![constant.clone(), KernelSpec::gaussian()], 60),
        (vec![constant], 5),
        (vec![unit], 100),
        (vec![KernelSpec::gaussian()], 1),
        (vec![widths], 3),
    ] {
        let count = kernels.len();
        let model = mkl("simple_mkl", "svc:c=2", &format!("nystroem:rank={rank}"))
            .kernels(kernels)
            .fit(&many, &given, &Run::default())
            .unwrap();
        let report = model.report();
        let place = format!("{count} rank {rank}: {} {:?}", report.status, report.gap);
        assert_eq!(report.status, Status::Converged, "{place}");
        assert!(report.gap.unwrap() <= 1e-3, "{place}");
        let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(read.predict(&many).unwrap(), model.predict(&many).unwrap());
    }
    let (tiny, codes) = (views.select(&[0, 1]), [0, 1]);
    let model =
        mkl("simple_mkl", "svc", "nystroem").fit(&tiny, &labels(&codes), &Run::default()).unwrap();
    assert_eq!(model.predict(&tiny).unwrap().codes, [0, 1]);
    for (machine, value) in [("svr", 0.1), ("kernel_ridge", -7e5), ("svr", 0.0)] {
        let same = Labels::Real(vec![Some(value); 200]);
        let mkl = mkl("simple_mkl", machine, "nystroem:rank=20");
        let model = mkl.fit(&views, &same, &Run::default()).unwrap();
        let report = model.report();
        assert_eq!((report.status, report.gap), (Status::Converged, Some(0.0)), "{machine}");
        let told = model.predict(&views).unwrap().decisions;
        assert!(told.values().iter().all(|v| *v == value), "{machine}");
    }
    let (_, run) = (0, Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() });
    let stopped =
        mkl("simple_mkl", "svc", "nystroem").fit(&views, &labels(&[0, 1].repeat(100)), &run);
    match stopped {
        Ok(model) => assert_eq!(model.report().status, Status::TimeLimit),
        Err(e) => assert!(e.to_string().contains("time limit"), "{e}"),
    }
}
