//! Fits towards landmarks whose passes others compute, and fits that were stopped: the same bits.

use crate::common::Stops;
use cokernel::bank::Storage;
use cokernel::data::{Csr, Labels, Matrix, Sequences, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model, MultiView};
use cokernel::scale::{Executor, Workers, answer};
use cokernel::{Error, Result, Run, Status};
use rand::RngExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Three views of all kinds: dense, sparse, sequences; half of the instances are near one point.
fn data(n: usize, classes: u32) -> (Views, Vec<u32>) {
    let mut rng = Run::with_seed(5).rng("data");
    let mut normal = || (0..6).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 1.4;
    let codes: Vec<u32> = (0..n).map(|i| (i as u32 * 7 + i as u32 / 3) % classes).collect();
    let a = Matrix::from_fn(n, 3, |i, j| {
        normal() + if j == 0 { 0.7 * f64::from(codes[i]) } else { 0.0 }
    });
    let cells = |i: usize| {
        let column = codes[i] + u32::from(i.is_multiple_of(3));
        vec![(column, 1.0 + 0.1 * normal()), (column + 3 + (i % 2) as u32, 0.5)]
    };
    let b = Csr::from_rows(9, (0..n).map(cells).collect()).unwrap();
    let text = |i: usize| "ACGGT".chars().cycle().skip(codes[i] as usize).take(4 + i % 5);
    let c = Sequences::new((0..n).map(|i| text(i).collect::<String>())).unwrap();
    let views = Views::new().dense("a", a).unwrap();
    let views = views.with("b", Table::Sparse(b)).unwrap();
    (views.with("c", Table::Sequences(c)).unwrap(), codes)
}

fn labels(codes: &[u32]) -> Labels {
    let names = (0..=*codes.iter().max().unwrap()).map(|c| format!("c{c}")).collect();
    Labels::Classes { names, codes: codes.iter().map(|c| Some(*c)).collect() }
}

fn mkl(method: &str, machine: &str) -> Mkl {
    let kernels = [
        "gaussian@a:gamma=0.3,1.2",
        "linear@b",
        "polynomial@b:degree=2:normalize=unit_diagonal",
        "spectrum@c:k=2:normalize=unit_diagonal",
        "gaussian@a:gamma=0.7:per_feature",
    ];
    let kernels = kernels.into_iter().flat_map(|text| KernelSpec::parse_list(text).unwrap());
    let mkl = Mkl::new(method)
        .unwrap()
        .kernels(kernels)
        .machine(machine.parse::<MachineSpec>().unwrap())
        .storage("nystroem:rank=10".parse::<Storage>().unwrap());
    match method {
        "mean" => mkl,
        "forest_two_stage" => mkl.param("trees", 10),
        _ => mkl.param("tol", 1e-4),
    }
}

/// Threads that answer, each as another process would; the call that is named fails.
struct Here {
    parts: usize,
    calls: AtomicUsize,
    fails: usize,
}

impl Here {
    fn new(parts: usize, fails: usize) -> Arc<Self> {
        Arc::new(Here { parts, calls: AtomicUsize::new(0), fails })
    }
}

impl Executor for Here {
    fn workers(&self) -> usize {
        self.parts
    }

    fn map(&self, tasks: &[String], stop: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.fails {
            return Err(Error::Data("killed".to_string()));
        }
        if stop() {
            return Ok(None);
        }
        let answers: Vec<Result<Vec<u8>>> = std::thread::scope(|scope| {
            let each: Vec<_> = tasks.iter().map(|t| scope.spawn(move || answer(t))).collect();
            each.into_iter().map(|t| t.join().unwrap()).collect()
        });
        answers.into_iter().collect::<Result<_>>().map(Some)
    }
}

fn with(executor: Option<Arc<dyn Executor>>, scratch: &Path, least: usize) -> Run {
    let workers = Workers { least, ..Workers::new(executor, scratch) };
    Run { workers: Some(Arc::new(workers)), ..Run::default() }
}

fn same(a: &Model, b: &Model, place: &str) {
    assert_eq!(a.duals(), b.duals(), "{place}");
    assert_eq!(a.weights(), b.weights(), "{place}");
    let (a, b) = (a.report(), b.report());
    assert_eq!((&a.objective, &a.gaps, a.gap), (&b.objective, &b.gaps, b.gap), "{place}");
    assert_eq!(a.details, b.details, "{place}");
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

/// The machine that is learned with random features.
const RANDOM: &str = "squared_hinge_svc:c=0.05";

#[test]
fn whoever_computes_changes_no_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (views, codes) = data(2_500, 3);
    let numbers: Vec<f64> =
        codes.iter().enumerate().map(|(i, c)| f64::from(*c) + (i as f64).sin()).collect();
    for (method, machine) in [
        ("simple_mkl", "squared_hinge_svc:c=0.1"),
        ("lp_norm", "svc:c=1"),
        ("elastic_net", "kernel_logistic:c=1"),
        ("simple_mkl", "svr:c=0.3"),
        ("mean", "kernel_ridge:lambda=0.1"),
        ("lp_norm", RANDOM),
        ("forest_two_stage", "squared_hinge_svc:c=0.1"),
    ] {
        let mut mkl = mkl(method, machine);
        if machine == RANDOM {
            let kernels = ["gaussian@a:gamma=0.3,1.2", "laplacian@b", "exponential@b"];
            mkl = mkl.kernels(kernels.into_iter().flat_map(|k| KernelSpec::parse_list(k).unwrap()));
            mkl = mkl.storage("fourier:rank=10".parse::<Storage>().unwrap());
        }
        let given = match mkl.task() {
            cokernel::method::Task::Classify => labels(&codes),
            _ => Labels::Real(numbers.iter().map(|v| Some(*v)).collect()),
        };
        let alone = mkl.fit(&views, &given, &Run::default()).unwrap();
        assert_eq!(alone.report().status, Status::Converged, "{method}, {machine}");
        for parts in [1, 7] {
            let here = Here::new(parts, usize::MAX);
            let run = with(Some(here.clone()), folder.path(), 1);
            let found = mkl.fit(&views, &given, &run).unwrap();
            same(&alone, &found, &format!("{method}, {machine}, {parts} parts"));
            assert!(here.calls.load(Ordering::Relaxed) > 3);
            assert!(is_empty(folder.path()), "{method}, {machine}: something is left");
        }
    }
}

/// Instances of a start go to workers by their numbers, or stay here; whichever call is the last, the next run goes on.
#[test]
fn a_killed_fit_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let (views, codes) = data(17_000, 2);
    let given = labels(&codes);
    let mkl = mkl("simple_mkl", "squared_hinge_svc:c=0.01");
    let alone = mkl.fit(&views, &given, &Run::default()).unwrap();
    assert!(alone.report().details["passes_of_start"][0] > 0.0);
    for (least, early) in [(2_000, true), (10_000, false)] {
        let counting = Here::new(2, usize::MAX);
        let run = with(Some(counting.clone()), folder.path(), least);
        same(&alone, &mkl.fit(&views, &given, &run).unwrap(), "not killed");
        let calls = counting.calls.load(Ordering::Relaxed);
        // Where the start goes to workers, its first calls, too.
        let early: &[usize] = if early { &[0, 1] } else { &[] };
        for fails in early.iter().copied().chain([calls / 3, calls - 1]) {
            // It is killed once more on the way, by the same count of calls.
            let run = |fails| with(Some(Here::new(3, fails)), folder.path(), least);
            let said = mkl.fit(&views, &given, &run(fails)).unwrap_err().to_string();
            assert!(said.contains("killed"), "{said}");
            assert!(!is_empty(folder.path()));
            let again = mkl.fit(&views, &given, &run(fails / 2 + 1));
            let last = match again {
                Ok(model) => model,
                Err(_) => mkl.fit(&views, &given, &run(usize::MAX)).unwrap(),
            };
            same(&alone, &last, &format!("killed at call {fails} of {calls}"));
            let told = last.report().notes.iter().any(|n| n.contains("went on from round"));
            assert!(told || fails == 0, "{:?}", last.report().notes);
            assert!(is_empty(folder.path()), "killed at call {fails}: something is left");
        }
    }
}

#[test]
fn threads_alone_go_on_from_where_they_were_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (views, codes) = data(900, 3);
    let given = labels(&codes);
    for (method, machine) in [("lp_norm", "svc:c=1"), ("simple_mkl", "kernel_logistic:c=1")] {
        let mkl = mkl(method, machine);
        let alone = mkl.fit(&views, &given, &Run::default()).unwrap();
        let mut at = 1;
        loop {
            let run = with(None, folder.path(), 1);
            let observer = Stops::at(at, run.cancel.clone());
            let run = Run { observer: Some(Arc::new(observer)), ..run };
            let stopped = mkl.fit(&views, &given, &run).unwrap();
            if stopped.report().status.is_success() {
                break;
            }
            assert_eq!(stopped.report().status, Status::Interrupted);
            let found = mkl.fit(&views, &given, &with(None, folder.path(), 1)).unwrap();
            same(&alone, &found, &format!("{method}, {machine}, stopped at {at}"));
            assert!(is_empty(folder.path()));
            at += 3;
        }
        assert!(at > 4, "{method}: never stopped");
    }
}

#[test]
fn what_is_damaged_or_misused_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (views, codes) = data(1_500, 2);
    let given = labels(&codes);
    let mkl = mkl("lp_norm", "squared_hinge_svc:c=1");
    let run = |fails| with(Some(Here::new(2, fails)), folder.path(), 1);
    let alone = mkl.fit(&views, &given, &Run::default()).unwrap();
    let inside = || std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    // What a killed fit left is read through, and made anew where it is damaged: tables, and the state.
    for name in
        ["view-0.dense", "view-1.starts", "view-2.letters", "costs", "state", "problem.json"]
    {
        mkl.fit(&views, &given, &run(5)).unwrap_err();
        let file = inside().join(name);
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes.truncate(if name == "costs" { middle } else { bytes.len() });
        std::fs::write(&file, bytes).unwrap();
        same(&alone, &mkl.fit(&views, &given, &run(usize::MAX)).unwrap(), name);
    }
    // Of another question (also how long it may take) and of other data nothing is gone on from.
    let most = |n: i64| mkl.clone().param("max_iterations", n);
    mkl.fit(&views, &given, &run(9)).unwrap_err();
    let short = most(1).fit(&views, &given, &Run::default()).unwrap();
    same(&short, &most(1).fit(&views, &given, &run(usize::MAX)).unwrap(), "one iteration");
    same(&alone, &mkl.fit(&views, &given, &run(usize::MAX)).unwrap(), "after it");
    mkl.fit(&views, &given, &run(5)).unwrap_err();
    let (few, _) = data(1_499, 2);
    let other = mkl.clone().param("p", 3.0);
    assert_eq!(
        other.fit(&views, &given, &run(usize::MAX)).unwrap().report().status,
        Status::Converged
    );
    let fewer = mkl.fit(&few, &labels(&codes[..1_499]), &run(usize::MAX)).unwrap();
    assert!(!fewer.report().notes.iter().any(|n| n.contains("went on")));
    same(&alone, &mkl.fit(&views, &given, &run(usize::MAX)).unwrap(), "the first again");
    assert!(is_empty(folder.path()));
    // An answer to what was asked before is none.
    struct Repeats(std::sync::Mutex<Vec<Vec<Vec<u8>>>>);
    impl Executor for Repeats {
        fn workers(&self) -> usize {
            2
        }
        fn map(&self, tasks: &[String], _: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
            let answers = tasks.iter().map(|t| answer(t)).collect::<Result<Vec<_>>>()?;
            let mut all = self.0.lock().unwrap();
            all.push(answers);
            Ok(Some(all[if all.len() == 6 { 3 } else { all.len() - 1 }].clone()))
        }
    }
    let repeats: Arc<dyn Executor> = Arc::new(Repeats(std::sync::Mutex::default()));
    let said = mkl.fit(&views, &given, &with(Some(repeats), folder.path(), 1)).unwrap_err();
    assert!(said.to_string().contains("that of another task"), "{said}");
    same(&alone, &mkl.fit(&views, &given, &run(usize::MAX)).unwrap(), "after a wrong answer");
    // A tile that is cut while a fit goes on.
    struct Cuts<'a>(Arc<Here>, &'a Path, &'static str);
    impl Executor for Cuts<'_> {
        fn workers(&self) -> usize {
            2
        }
        fn map(&self, tasks: &[String], stop: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
            if self.0.calls.load(Ordering::Relaxed) == 3 {
                let inside = std::fs::read_dir(self.1).unwrap().next().unwrap().unwrap().path();
                let file = inside.join(self.2);
                let mut bytes = std::fs::read(&file).unwrap();
                match self.2 {
                    "view-0.dense" => bytes.truncate(100),
                    _ => bytes.iter_mut().skip(80).step_by(3).for_each(|b| *b ^= 0x41),
                }
                std::fs::write(&file, bytes).unwrap();
            }
            self.0.map(tasks, stop)
        }
    }
    let path: &'static Path = Box::leak(folder.path().to_path_buf().into_boxed_path());
    for name in ["view-1.starts", "view-2.starts", "view-0.dense"] {
        let cuts: Arc<dyn Executor> = Arc::new(Cuts(Here::new(2, usize::MAX), path, name));
        let said = mkl.fit(&views, &given, &with(Some(cuts), path, 1)).unwrap_err().to_string();
        assert!(said.contains(name), "{said}");
    }
    // One fit in a folder at a time.
    let fits = inside();
    let lock = std::fs::File::create(fits.join("lock")).unwrap();
    lock.lock().unwrap();
    let said = mkl.fit(&views, &given, &run(usize::MAX)).unwrap_err().to_string();
    assert!(said.contains("another program"), "{said}");
    lock.unlock().unwrap();
    same(&alone, &mkl.fit(&views, &given, &run(usize::MAX)).unwrap(), "after the cut");
    // Not for kernels between all instances, nor for clusters.
    let resident = mkl.clone().storage(Storage::Resident);
    let said = resident.fit(&views, &given, &run(usize::MAX)).unwrap_err().to_string();
    assert!(said.contains("workers") && said.contains("nystroem"), "{said}");
    let spectral = MultiView::new("spectral").unwrap();
    let spectral = spectral.storage("nystroem:rank=10".parse().unwrap());
    let views = views.select(&(0..200).collect::<Vec<_>>());
    let said = spectral.cluster(&views, 2, &cokernel::multiview::Starts::default(), &run(9));
    assert!(said.unwrap_err().to_string().contains("workers"));
    // What is no task is refused, and so is a folder that is not there.
    for task in [
        "",
        "{}",
        "{\"folder\":\"/none\",\"digest\":\"\",\"ask\":\"\",\"tiles\":[0,1],\"threads\":1}",
    ] {
        assert!(answer(task).is_err(), "{task}");
    }
}
