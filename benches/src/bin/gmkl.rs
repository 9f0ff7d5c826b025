//! Generalised MKL, a width for each feature, from features to a model. `gmkl FOLDER C STRENGTH TOL TIMES` reads `x.npy` and
//! `y.npy` (0 and 1), writes `relevance.npy` and `widths.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::data::{Labels, Views};
use cokernel::model::Mkl;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let number = |at: usize| args[at].parse::<f64>().expect("a number");
    let (c, strength, tol) = (number(2), number(3), number(4));
    let times: usize = args[5].parse().expect("TIMES");
    let y = read_npy(&folder.join("y.npy"));
    let names: Vec<String> = y.values().iter().map(|v| format!("{v}")).collect();
    let labels = Labels::from_texts(&names);
    let views = Views::new().dense("x", read_npy(&folder.join("x.npy"))).expect("features");
    let method = Mkl::new("gmkl").expect("a method");
    let method = method.param("strength", strength).param("tol", tol).c(c);
    let (seconds, model) =
        best_of(times, || method.fit(&views, &labels, &Run::default()).expect("a model"));
    let report = model.report();
    for name in ["relevance", "widths"] {
        let values = &report.details[name];
        write_npy(&folder.join(format!("{name}.npy")), values.len(), 1, values);
    }
    let line = serde_json::json!({
        "seconds": seconds, "objective": report.objective.last(), "iterations": report.iterations,
        "machines": report.counts.machine_solves, "status": report.status.to_string(),
    });
    println!("{line}");
}
