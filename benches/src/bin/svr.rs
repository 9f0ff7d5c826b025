//! ε-SVR on a stored Gram. `svr FOLDER C EPSILON TOL TIMES` reads `gram.npy` and `y.npy`, writes
//! `coef.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::machine::Svc;
use cokernel::solve::smo::Settings;
use cokernel::solve::svr::epsilon_svr;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let number = |at: usize| args[at].parse::<f64>().expect("a number");
    let (c, epsilon, tol) = (number(2), number(3), number(4));
    let times: usize = args[5].parse().expect("TIMES");
    let gram = Gram::new(read_npy(&folder.join("gram.npy"))).expect("a symmetric matrix");
    let y = read_npy(&folder.join("y.npy"));
    let Svc { shrinking, cache, max_steps, .. } = Svc::default();
    let settings = Settings { tol, shrinking, cache, max_steps };
    let watch = Run::default().watch();
    let costs = vec![c; y.values().len()];
    let (seconds, found) =
        best_of(times, || epsilon_svr(&gram, y.values(), epsilon, &costs, None, &settings, &watch));
    write_npy(&folder.join("coef.npy"), costs.len(), 1, &found.coef);
    let line = serde_json::json!({
        "seconds": seconds, "bias": found.bias, "objective": found.dual, "gap": found.gap,
        "steps": found.steps, "support": found.coef.iter().filter(|c| **c != 0.0).count(),
    });
    println!("{line}");
}
