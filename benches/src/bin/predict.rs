//! Prediction by a Gaussian SVC. `predict FOLDER GAMMA TIMES` reads `x.npy`, `y.npy` (±1) and `new.npy`,
//! writes `values.npy`, the decision values of the new rows, and prints one line of JSON.

use cokernel::Run;
use cokernel::data::{Labels, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::Svc;
use cokernel::model::Mkl;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let gamma: f64 = args[2].parse().expect("GAMMA");
    let times: usize = args[3].parse().expect("TIMES");
    let views = |name: &str| Views::new().dense("x", read_npy(&folder.join(name))).expect("a view");
    let (known, new) = (views("x.npy"), views("new.npy"));
    let y = read_npy(&folder.join("y.npy"));
    let texts: Vec<&str> =
        y.values().iter().map(|v| if *v > 0.0 { "plus" } else { "minus" }).collect();
    let model = Mkl::new("sum")
        .expect("registered")
        .kernels([KernelSpec::gaussian().gamma(vec![gamma])])
        .svc(Svc { c: 0.1, tol: 1e-8, ..Svc::default() })
        .fit(&known, &Labels::from_texts(&texts), &Run::default())
        .expect("a model");
    let (seconds, found) = best_of(times, || model.predict(&new).expect("decision values"));
    let sign = if found.machine_names[0].starts_with("plus") { 1.0 } else { -1.0 };
    let values: Vec<f64> = found.decisions.values().iter().map(|v| sign * v).collect();
    write_npy(&folder.join("values.npy"), values.len(), 1, &values);
    let line = serde_json::json!({ "seconds": seconds, "support": model.n_support() });
    println!("{line}");
}
