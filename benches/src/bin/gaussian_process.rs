//! A Gaussian process on given matrices: folder, times.
//!
//! Reads `kernels.npy` (M·n × n, one kernel under the other) and `labels.npy` (numbers), writes `weights.npy` and prints
//! one line of JSON.

use cokernel::Run;
use cokernel::catalogue::find;
use cokernel::data::Target;
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Problem, train};
use cokernel::params::Value;
use cokernel_benches::{best_of, read_bank, read_npy, write_npy};
use std::path::PathBuf;

/// Reads, learns, writes.
pub fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let times: usize = args[2].parse().expect("times");
    let labels = read_npy(&folder.join("labels.npy"));
    let bank = read_bank(&folder);
    let target = Target::Real(labels.values().to_vec());
    let method = find("gaussian_process").expect("registered");
    let given = [("likelihood", Value::Text("plain".to_string()))];
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let spec: MachineSpec = "kernel_ridge".parse().expect("a machine");
    let machine = spec.checked().expect("checked").build().expect("a machine");
    let problem = Problem::new(&bank, &target, machine.as_ref());
    let run = Run::default();
    let (seconds, learned) =
        best_of(times, || train(&problem, learner.as_ref(), &run).expect("learned"));
    let weights = learned.rule.weights().expect("weights");
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    let line = serde_json::json!({
        "seconds": seconds,
        "noise": learned.report.details["noise"],
        "iterations": learned.report.iterations,
        "status": learned.report.status,
    });
    println!("{line}");
}
