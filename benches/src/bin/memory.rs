//! SimpleMKL on Gaussian kernels: folder, cost, tolerance, storage, bytes of memory for kernels.
//!
//! Reads `x.npy` (n × d), `labels.npy` (±1), `gammas.npy`, writes `weights.npy` and `coef.npy`
//! (bias last), and prints one line of JSON with the peak memory of this process.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Target, Views};
use cokernel::kernel::{Function, Kernel, Metric};
use cokernel::machine::Svc;
use cokernel::mkl::{Problem, train};
use cokernel::params::Value;
use cokernel_benches::{cpu_seconds, peak_memory, read_npy, write_npy};
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let (c, tol): (f64, f64) = (args[2].parse().expect("cost"), args[3].parse().expect("tol"));
    let gammas = read_npy(&folder.join("gammas.npy"));
    let labels = read_npy(&folder.join("labels.npy"));
    let kernel = |gamma: f64| Kernel {
        name: format!("gaussian {gamma}"),
        view: "x".to_string(),
        column: None,
        function: Function::Exponential { metric: Metric::SquaredEuclidean, gamma },
        normalize: Vec::new(),
    };
    let kernels = gammas.values().iter().map(|g| kernel(*g)).collect();
    let views = Views::new().dense("x", read_npy(&folder.join("x.npy"))).expect("a view");
    let storage: Storage = args[4].parse().expect("storage");
    let run = Run { memory: args[5].parse().expect("bytes"), ..Run::default() };
    let clock = Instant::now();
    let bank = Bank::from_kernels(&views, kernels, storage, &run).expect("a bank");
    let built = clock.elapsed().as_secs_f64();
    let texts: Vec<String> = labels.values().iter().map(f64::to_string).collect();
    let target = Target::from(Classes::from_texts(&texts).expect("two classes"));
    let machine = Svc { c, tol, ..Svc::default() };
    let problem = Problem::new(&bank, &target, &machine);
    let method = find("simple_mkl").expect("registered");
    let params = method.check([("tol", &Value::Real(tol))]).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let learned = train(&problem, learner.as_ref(), &run).expect("learned");
    let weights = learned.rule.weights().expect("weights");
    let dual = &learned.machines.as_ref().expect("machines").blocks[0];
    let mut coef = dual.heads[0].coef.clone();
    coef.push(dual.heads[0].bias);
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    write_npy(&folder.join("coef.npy"), 1, coef.len(), &coef);
    let line = serde_json::json!({
        "bytes": peak_memory(),
        "seconds": cpu_seconds(),
        "built": built,
        "wall": clock.elapsed().as_secs_f64(),
        "gap": learned.report.gap,
        "status": learned.report.status,
        "iterations": learned.report.iterations,
    });
    println!("{line}");
}
