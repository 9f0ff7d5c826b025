//! BEMKL on given matrices: folder, sweeps, times.
//!
//! Reads `kernels.npy` (M·n × n, one kernel under the other) and `labels.npy` (1 and −1), writes `weights.npy` and prints one
//! line of JSON.

use cokernel::Run;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Target};
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Problem, train};
use cokernel::params::Value;
use cokernel_benches::{best_of, read_bank, read_npy, write_npy};
use std::path::PathBuf;

/// Reads, learns, writes.
pub fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let sweeps: i64 = args[2].parse().expect("sweeps");
    let times: usize = args[3].parse().expect("times");
    let labels = read_npy(&folder.join("labels.npy"));
    let bank = read_bank(&folder);
    let texts: Vec<&str> =
        labels.values().iter().map(|v| if *v > 0.0 { "plus" } else { "minus" }).collect();
    let target = Target::Classes(Classes::from_texts(&texts).expect("two classes"));
    let method = find("bemkl").expect("registered");
    let given = [("max_iterations", Value::Int(sweeps)), ("tol", Value::Real(1e-300))];
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let spec: MachineSpec = "kernel_logistic".parse().expect("a machine");
    let machine = spec.checked().expect("checked").build().expect("a machine");
    let problem = Problem::new(&bank, &target, machine.as_ref());
    let run = Run::default();
    let (seconds, learned) =
        best_of(times, || train(&problem, learner.as_ref(), &run).expect("learned"));
    let weights = learned.rule.weights().expect("weights");
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    let line = serde_json::json!({
        "seconds": seconds,
        "bound": learned.report.objective.last(),
        "iterations": learned.report.iterations,
    });
    println!("{line}");
}
