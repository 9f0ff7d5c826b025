//! SimpleMKL, or another method that learns weights, on given matrices: folder, cost, tolerance, times, and
//! where it is another its id and parameters (name=value), with `classifiers=shared` among them the time of fits that find the
//! classifiers of the views trained.
//!
//! Reads `kernels.npy` (M·n × n, one kernel under the other) and `labels.npy` (±1), writes
//! `weights.npy` (empty where the method has none), `coef.npy` (bias last) and prints one line of JSON.

use cokernel::Run;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Target};
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Problem, SharedClassifiers, train};
use cokernel::params::Value;
use cokernel_benches::{best_of, read_bank, read_npy, write_npy};
use std::path::PathBuf;

/// Reads, learns, writes.
pub fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let (c, tol): (f64, f64) = (args[2].parse().expect("cost"), args[3].parse().expect("tol"));
    let times: usize = args[4].parse().expect("times");
    let labels = read_npy(&folder.join("labels.npy"));
    let bank = read_bank(&folder);
    let texts: Vec<String> = labels.values().iter().map(f64::to_string).collect();
    let target = Target::from(Classes::from_texts(&texts).expect("two classes"));
    let text = format!("svc:c={c:e}:tol={tol:e}");
    let checked = text.parse::<MachineSpec>().and_then(|m| m.checked()).expect("a machine");
    let machine = checked.build().expect("a machine");
    let (store, apart) = (SharedClassifiers::default(), "classifiers=shared");
    let problem = Problem::new(&bank, &target, machine.as_ref());
    let problem = match args.iter().any(|a| a == apart) {
        true => problem.sharing(&store, &checked),
        false => problem,
    };
    let method = find(args.get(5).map_or("simple_mkl", String::as_str)).expect("registered");
    let mut given = match method.params.iter().any(|p| p.name == "tol") {
        true => vec![("tol", Value::Real(tol))],
        false => Vec::new(),
    };
    for text in args.iter().skip(6).filter(|a| a.as_str() != apart) {
        let (name, value) = text.split_once('=').expect("name=value");
        given.push((name, Value::parse(value)));
    }
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let run = Run::default();
    let (seconds, learned) =
        best_of(times, || train(&problem, learner.as_ref(), &run).expect("learned"));
    let dual = &learned.machines.as_ref().expect("machines").blocks[0];
    let mut coef = dual.heads[0].coef.clone();
    coef.push(dual.heads[0].bias);
    let weights = learned.rule.weights().unwrap_or(&[]);
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    write_npy(&folder.join("coef.npy"), 1, coef.len(), &coef);
    let report = &learned.report;
    let line = serde_json::json!({
        "seconds": seconds,
        "gap": report.gap,
        "status": report.status,
        "iterations": report.iterations,
        "machine_solves": report.counts.machine_solves,
        "smo_steps": report.counts.smo_steps,
        "combines": report.counts.combines,
        "objective": report.objective,
        "gaps": report.gaps,
        "details": report.details,
    });
    println!("{line}");
}
