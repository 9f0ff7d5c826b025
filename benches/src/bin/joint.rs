//! Single-machine multi-class SVM on a stored Gram, beside one-versus-rest. `joint FOLDER C TOL TIMES`
//! reads `gram.npy` and `y.npy` (codes), writes `coef.npy` (a row for each class) and prints one line of
//! JSON.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Classes;
use cokernel::machine::Svc;
use cokernel::solve::joint::{Joint, joint_classes};
use cokernel::solve::smo::Settings;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let (c, tol): (f64, f64) = (args[2].parse().expect("C"), args[3].parse().expect("TOL"));
    let times: usize = args[4].parse().expect("TIMES");
    let gram = Gram::new(read_npy(&folder.join("gram.npy"))).expect("a symmetric matrix");
    let y = read_npy(&folder.join("y.npy"));
    let codes: Vec<u32> = y.values().iter().map(|v| *v as u32).collect();
    let count = codes.iter().max().map_or(0, |m| *m as usize + 1);
    let names = (0..count).map(|k| k.to_string()).collect();
    let classes = Classes { names, codes: codes.clone() };
    let svc = Svc { c, tol, ..Svc::default() };
    let run = Run::default();
    let (apart, _) =
        best_of(times, || svc.fit(&gram, &classes, None, None, &run).expect("machines"));
    let Svc { shrinking, cache, max_steps, .. } = svc;
    let settings = Settings { tol, shrinking, cache, max_steps };
    let watch = run.watch();
    let costs = vec![c; codes.len()];
    let problem =
        Joint { rows: &gram, codes: &codes, classes: count, margins: None, costs: &costs };
    let (seconds, found) = best_of(times, || joint_classes(&problem, None, &settings, &watch));
    write_npy(&folder.join("coef.npy"), count, codes.len(), &found.coef.concat());
    let line = serde_json::json!({
        "seconds": seconds, "one_versus_rest": apart, "bias": found.bias, "primal": found.primal, "dual": found.dual,
        "gap": found.gap, "steps": found.steps, "status": found.status.to_string(),
    });
    println!("{line}");
}
