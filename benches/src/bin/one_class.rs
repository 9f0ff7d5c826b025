//! One-class SVM on a stored Gram. `one_class FOLDER NU TOL TIMES` reads `gram.npy`, writes `coef.npy`
//! (of sum 1) and prints one line of JSON.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::machine::Svc;
use cokernel::solve::one_class::one_class;
use cokernel::solve::smo::Settings;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let number = |at: usize| args[at].parse::<f64>().expect("a number");
    let (nu, tol) = (number(2), number(3));
    let times: usize = args[4].parse().expect("TIMES");
    let gram = Gram::new(read_npy(&folder.join("gram.npy"))).expect("a symmetric matrix");
    let Svc { shrinking, cache, max_steps, .. } = Svc::default();
    let settings = Settings { tol, shrinking, cache, max_steps };
    let watch = Run::default().watch();
    let n = gram.n();
    let costs = vec![1.0 / (nu * n as f64); n];
    let (seconds, found) = best_of(times, || one_class(&gram, &costs, None, &settings, &watch));
    write_npy(&folder.join("coef.npy"), n, 1, &found.coef);
    let line = serde_json::json!({
        "seconds": seconds, "bias": found.bias, "objective": found.dual, "gap": found.gap,
        "steps": found.steps, "support": found.coef.iter().filter(|c| **c != 0.0).count(),
    });
    println!("{line}");
}
