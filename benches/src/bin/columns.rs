//! One linear kernel for each feature: `columns FOLDER TIMES METHOD C TOL TRUE|FALSE [NAME=VALUE…]` on x.npy and y.npy;
//! the fifth says whether the features are scaled to mean 0 and variance 1. Prints CPU seconds of the kernels and of
//! learning, what was learned, and the numbers from which the gap can be computed again.

use cokernel::bank::{Bank, Storage};
use cokernel::data::{Classes, Target, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::Svc;
use cokernel::mkl::{self, Problem};
use cokernel::params::Value;
use cokernel::{Run, catalogue};
use cokernel_benches::{best_of, peak_memory, read_npy, write_npy};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = Path::new(&args[1]);
    let times: usize = args[2].parse().expect("times");
    let (c, tol): (f64, f64) = (args[4].parse().expect("C"), args[5].parse().expect("tol"));
    let text = match args[6] == "true" {
        true => "linear:per_feature:normalize=center_unit_variance",
        false => "linear:per_feature",
    };
    let x = read_npy(&folder.join("x.npy"));
    let signs = read_npy(&folder.join("y.npy"));
    let labels: Vec<String> = signs.values().iter().map(|v| v.to_string()).collect();
    let target = Target::Classes(Classes::from_texts(&labels).expect("two classes"));
    let views = Views::new().dense("x", x).expect("a view");
    let specs = KernelSpec::parse_list(text).expect("a kernel");
    let run = Run::default();
    let (kernels, bank) =
        best_of(times, || Bank::build(&views, &specs, Storage::Auto, &run).expect("kernels"));
    let method = catalogue::find(&args[3]).expect("a method");
    let mut given = Vec::new();
    if method.param("tol").is_some() {
        given.push(("tol", Value::Real(tol)));
    }
    for text in &args[7..] {
        let (name, value) = text.split_once('=').expect("NAME=VALUE");
        given.push((name, Value::parse(value)));
    }
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = mkl::learner(method, &params).expect("a learner");
    let machine = Svc { c, ..Svc::default() };
    let problem = Problem::new(&bank, &target, &machine);
    let (seconds, learned) =
        best_of(times, || mkl::train(&problem, learner.as_ref(), &run).expect("weights"));
    let weights = learned.rule.weights().expect("a weighted sum");
    let machines = learned.machines.as_ref().expect("machines");
    let head = machines.heads().next().expect("a machine");
    let n = bank.n();
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    write_npy(&folder.join("coef.npy"), 1, n, &head.coef);
    let report = &learned.report;
    println!(
        "{}",
        serde_json::json!({
            "kernels": kernels, "seconds": seconds, "memory": peak_memory(), "status": report.status.to_string(),
            "gap": report.gap, "gaps": report.gaps, "objective": report.objective, "iterations": report.iterations,
            "machines": report.counts.machine_solves, "combines": report.counts.combines, "details": report.details.keys().collect::<Vec<_>>(),
            "sample": report.details.get("sample"), "rounds": report.details.get("rounds"),
            "active": weights.iter().filter(|w| **w > 0.0).count(), "bias": head.bias, "notes": report.notes,
        })
    );
}
