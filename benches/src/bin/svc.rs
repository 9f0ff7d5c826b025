//! C-SVC on a stored Gram. `svc FOLDER C TOL TIMES` reads `gram.npy` and `y.npy` (±1), writes
//! `coef.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Classes;
use cokernel::machine::Svc;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let (c, tol): (f64, f64) = (args[2].parse().expect("C"), args[3].parse().expect("TOL"));
    let times: usize = args[4].parse().expect("TIMES");
    let gram = Gram::new(read_npy(&folder.join("gram.npy"))).expect("a symmetric matrix");
    let y = read_npy(&folder.join("y.npy"));
    let codes: Vec<u32> = y.values().iter().map(|v| u32::from(*v > 0.0)).collect();
    let classes = Classes { names: vec!["-1".to_string(), "1".to_string()], codes };
    let svc = Svc { c, tol, ..Svc::default() };
    let run = Run::default();
    let (seconds, found) =
        best_of(times, || svc.fit(&gram, &classes, None, None, &run).expect("a machine"));
    let dual = &found.blocks[0];
    write_npy(&folder.join("coef.npy"), dual.heads[0].coef.len(), 1, &dual.heads[0].coef);
    let line = serde_json::json!({
        "seconds": seconds, "bias": dual.heads[0].bias, "objective": dual.objective, "gap": dual.gap,
        "steps": found.counts.smo_steps, "support": dual.heads[0].coef.iter().filter(|c| **c != 0.0).count(),
    });
    println!("{line}");
}
