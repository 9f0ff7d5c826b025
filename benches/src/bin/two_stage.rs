//! TS-MKL on single-column Gaussian kernels: folder, parameters as `name=value` with commas between, times.
//!
//! Reads `x.npy` (n × d), `labels.npy`, `gammas.npy`; one kernel for each γ and column. Writes
//! `weights.npy` and prints one line of JSON; the seconds are those of the kernel learning alone.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Target, Views};
use cokernel::kernel::{Function, Kernel, Metric};
use cokernel::machine::Svc;
use cokernel::mkl::Problem;
use cokernel::params::Value;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let times: usize = args[3].parse().expect("times");
    let x = read_npy(&folder.join("x.npy"));
    let gammas = read_npy(&folder.join("gammas.npy"));
    let labels = read_npy(&folder.join("labels.npy"));
    let kernel = |gamma: f64, column: usize| Kernel {
        name: format!("gaussian {gamma} of column {column}"),
        view: "x".to_string(),
        column: Some(column),
        function: Function::Exponential { metric: Metric::SquaredEuclidean, gamma },
        normalize: Vec::new(),
    };
    let columns = x.cols();
    let kernels =
        gammas.values().iter().flat_map(|g| (0..columns).map(move |c| kernel(*g, c))).collect();
    let views = Views::new().dense("x", x).expect("a view");
    let run = Run::default();
    let bank = Bank::from_kernels(&views, kernels, Storage::Resident, &run).expect("a bank");
    let texts: Vec<String> = labels.values().iter().map(f64::to_string).collect();
    let target = Target::from(Classes::from_texts(&texts).expect("classes"));
    let machine = Svc::default();
    let problem = Problem::new(&bank, &target, &machine);
    let method = find(args.get(4).map_or("two_stage", |m| m)).expect("registered");
    let given: Vec<(&str, Value)> = args[2]
        .split(',')
        .filter_map(|p| p.split_once('='))
        .map(|(name, value)| (name, Value::parse(value)))
        .collect();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let (seconds, learned) = best_of(times, || learner.learn(&problem, &run).expect("learned"));
    let uses = learned.rule.uses();
    let weights = &uses;
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    let report = &learned.report;
    println!(
        "{}",
        serde_json::json!({
            "seconds": seconds,
            "notes": report.notes,
            "details": report.details,
            "objective": report.objective,
            "gap": report.gap,
        })
    );
}
