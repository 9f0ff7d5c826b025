//! A forest of pairs towards landmarks: the exact method where all instances are landmarks, bounds from similarities, and the
//! same bits however it is computed.

use cokernel::bank::Storage;
use cokernel::data::{Labels, Matrix, Table, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model};
use cokernel::rule::Pairs;
use cokernel::{Run, Status};

const GAMMA: f64 = 0.2;

fn data(n: usize, classes: usize) -> (Views, Labels) {
    toy::views(n, classes, &[1.5, 1.0, 0.0], 4).unwrap()
}

fn forest(machine: &str, storage: &str) -> Mkl {
    let mut machine: MachineSpec = machine.parse().unwrap();
    machine.set("tol", 1e-9);
    Mkl::new("forest_two_stage")
        .unwrap()
        .kernels([KernelSpec::gaussian().gamma([GAMMA]), KernelSpec::linear()])
        .machine(machine)
        .param("trees", 40)
        .storage(storage.parse::<Storage>().unwrap())
}

fn table<'a>(views: &'a Views, name: &str) -> &'a Matrix {
    match &views.get(name).unwrap().table {
        Table::Dense(m) => m,
        _ => unreachable!(),
    }
}

/// h of each instance of `new` and each landmark, a row of `known`, from features and the rule alone.
fn similarities(model: &Model, new: &Views, known: &Views, landmarks: &[usize]) -> Matrix {
    let mut out = Matrix::zeros(new.n(), landmarks.len());
    let mix = model.rule().pointwise().unwrap();
    let value = |m: usize, i: usize, t: usize| {
        let kernel = &model.kernels()[m];
        let (x, z) = (table(new, &kernel.view).row(i), table(known, &kernel.view).row(t));
        match kernel.name.starts_with("linear") {
            true => x.iter().zip(z).map(|(a, b)| a * b).sum::<f64>(),
            false => (-GAMMA * x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp(),
        }
    };
    for i in 0..new.n() {
        let column = |m: &usize| landmarks.iter().map(|t| value(*m, i, *t)).collect::<Vec<f64>>();
        let values: Vec<Vec<f64>> = model.rule().active().iter().map(column).collect();
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        mix.mix(Pairs { values: &values, own: &[], others: &[] }, out.row_mut(i));
    }
    out
}

fn largest(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// With all instances as landmarks, of the storage and of the method.
#[test]
fn at_full_rank_the_answer_is_exact() {
    for (machine, classes) in [("squared_hinge_svc:c=0.3", 3), ("kernel_logistic:c=0.5", 2)] {
        for (from, diagonal) in [("all", "include"), ("landmarks", "exclude")] {
            let (views, labels) = data(90, classes);
            let fit = |storage: &str| {
                let mkl = forest(machine, storage).param("learn_from", from);
                let mkl = mkl.param("diagonal", diagonal).param("draws", 1).param("landmarks", 1.0);
                mkl.fit(&views, &labels, &Run::default()).unwrap()
            };
            let (exact, near) = (fit("resident"), fit("nystroem:rank=90"));
            let place = format!("{machine}, {from}: {:?}", near.report());
            assert_eq!(near.report().status, Status::Converged, "{place}");
            let value = |m: &Model| *m.report().objective.last().unwrap();
            assert!((value(&near) / value(&exact) - 1.0).abs() < 1e-7, "{place}");
            let told = |m: &Model| m.weights().iter().map(|w| w.weight).collect::<Vec<f64>>();
            assert_eq!(told(&exact), told(&near), "{place}");
            let found = [exact, near].map(|m| m.predict(&views).unwrap().decisions);
            let off = largest(&found[0], &found[1]);
            assert!(off < 1e-4, "{place}: {off}");
        }
    }
}

/// Decision values, both objectives and the gap from features and the rule.
#[test]
fn gaps_are_what_they_say() {
    let (views, labels) = data(700, 2);
    let (new, _) = toy::views(40, 2, &[1.5, 1.0, 0.0], 5).unwrap();
    let model = forest("squared_hinge_svc:c=0.5", "nystroem:rank=24")
        .fit(&views, &labels, &Run::default())
        .unwrap();
    let report = model.report();
    assert_eq!(report.status, Status::Converged);
    assert_eq!(report.details["landmarks"], [24.0]);
    assert!(report.notes.iter().any(|n| n.contains("the landmarks of the storage (24)")));
    let (rows, coef, bias) = model.duals();
    assert_eq!((rows.len(), coef.cols()), (24, 24));
    let decide = |similar: &Matrix| -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(coef.row(0)).map(|(a, b)| a * b).sum::<f64>();
        (0..similar.rows()).map(|i| dot(similar.row(i)) + bias[0]).collect()
    };
    let told = model.predict(&new).unwrap().decisions;
    let found = decide(&similarities(&model, &new, &views, &rows));
    assert!(told.values().iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-9));
    let mut similar = similarities(&model, &views, &views, &rows);
    let f = decide(&similar);
    let classes = labels.classes().unwrap();
    let first = model.machines()[0].name.starts_with(&classes.names[1]);
    let y = |i: usize| if (classes.codes[i] == 1) == first { 1.0 } else { -1.0 };
    let n = f.len();
    for t in 0..24 {
        let mean = similar.col(t).iter().sum::<f64>() / n as f64;
        (0..n).for_each(|i| similar.set(i, t, similar.get(i, t) - mean));
    }
    let variance = similar.values().iter().map(|v| v * v).sum::<f64>() / n as f64;
    let cost = 0.5;
    let slack = |i: usize| (1.0 - y(i) * f[i]).max(0.0);
    let norm: f64 = coef.row(0).iter().map(|a| a * a * variance).sum();
    let primal = 0.5 * norm + (0..n).map(|i| 0.5 * cost * slack(i).powi(2)).sum::<f64>();
    let side = |s: f64| (0..n).filter(|i| y(*i) == s).map(|i| cost * slack(i)).sum::<f64>();
    let least = side(1.0).min(side(-1.0));
    let alpha = |i: usize| cost * slack(i) * least / side(y(i));
    let linear: f64 = (0..n).map(|i| alpha(i) - alpha(i).powi(2) / (2.0 * cost)).sum();
    let image = |t: usize| (0..n).map(|i| y(i) * alpha(i) * similar.get(i, t)).sum::<f64>();
    let form: f64 = (0..24).map(|t| image(t).powi(2) / variance).sum();
    let (dual, gap) = (linear - 0.5 * form, report.gap.unwrap());
    assert!((primal / report.objective.last().unwrap() - 1.0).abs() < 1e-9);
    assert!((0.0..=1e-9).contains(&gap) && (primal - dual) / primal < 1e-8, "{primal} {dual}");
}

/// On several tiles, from a sample of the instances, saved and read.
#[test]
fn nothing_changes_a_bit() {
    let (views, labels) = data(2_500, 2);
    // Six kernels of 500 instances in half of 12 MB.
    let run = Run { memory: 12_000_000, ..Run::default() };
    let mkl = forest("squared_hinge_svc:c=0.1", "nystroem:rank=12");
    let fit = |partitions: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let prepared = mkl.prepare(&views, &labels, &run).unwrap();
            mkl.fit_prepared(&prepared.in_partitions(partitions), &run).unwrap()
        })
    };
    let alone = fit(1, 1);
    let drawn = alone.report().details["sample"][0];
    assert!((500.0..=1100.0).contains(&drawn), "{drawn}");
    let told = format!("is learned from {drawn} of 2500 instances");
    assert!(alone.report().notes.iter().any(|n| n.contains(&told)), "{:?}", alone.report().notes);
    for (partitions, threads) in [(1, 3), (3, 2)] {
        let other = fit(partitions, threads);
        assert_eq!(other.duals(), alone.duals(), "{partitions} partitions, {threads} threads");
        assert_eq!(other.report().gaps, alone.report().gaps);
    }
    let bytes = alone.to_bytes().unwrap();
    let read = Model::from_bytes(&bytes).unwrap();
    let (new, _) = toy::views(60, 2, &[1.5, 1.0, 0.0], 6).unwrap();
    assert_eq!(read.predict(&new).unwrap(), alone.predict(&new).unwrap());
}

#[test]
fn refusals() {
    let (views, labels) = data(60, 2);
    let say = |mkl: Mkl| mkl.fit(&views, &labels, &Run::default()).unwrap_err().to_string();
    let directions = forest("squared_hinge_svc", "fourier:rank=20")
        .kernels([KernelSpec::gaussian().gamma([GAMMA])]);
    assert!(say(directions).contains("use nystroem:rank="));
    for seed in 0..8 {
        let two = forest("squared_hinge_svc", "nystroem:rank=2").param("learn_from", "landmarks");
        let said = two.fit(&views, &labels, &Run::with_seed(seed)).unwrap_err().to_string();
        let expected =
            ["are of one class; use a larger rank", "use more landmarks, or learn_from=all"];
        assert!(expected.iter().any(|e| said.contains(e)), "{said}");
    }
}
