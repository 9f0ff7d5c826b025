//! Refit after a small change of the kernel. `warm FOLDER C TOL TIMES` reads `gram.npy`,
//! `near.npy` and `y.npy` (±1), trains on the first, then on the second from zero and from the
//! first solution; writes `cold.npy` and `warm.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::Classes;
use cokernel::machine::{Solution, Svc};
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let (c, tol): (f64, f64) = (args[2].parse().expect("C"), args[3].parse().expect("TOL"));
    let times: usize = args[4].parse().expect("TIMES");
    let gram = |name: &str| Gram::new(read_npy(&folder.join(name))).expect("a symmetric matrix");
    let (before, after) = (gram("gram.npy"), gram("near.npy"));
    let y = read_npy(&folder.join("y.npy"));
    let codes: Vec<u32> = y.values().iter().map(|v| u32::from(*v > 0.0)).collect();
    let classes = Classes { names: vec!["-1".to_string(), "1".to_string()], codes };
    let svc = Svc { c, tol, ..Svc::default() };
    let run = Run::default();
    let fit = |kernel: &Gram, start: Option<&Solution>| {
        svc.fit(kernel, &classes, None, start, &run).expect("a machine")
    };
    let start = fit(&before, None);
    let (cold_seconds, cold) = best_of(times, || fit(&after, None));
    let (warm_seconds, warm) = best_of(times, || fit(&after, Some(&start)));
    for (name, found) in [("cold.npy", &cold), ("warm.npy", &warm)] {
        write_npy(
            &folder.join(name),
            found.blocks[0].heads[0].coef.len(),
            1,
            &found.blocks[0].heads[0].coef,
        );
    }
    let line = serde_json::json!({
        "cold_seconds": cold_seconds, "warm_seconds": warm_seconds,
        "cold_bias": cold.blocks[0].heads[0].bias, "warm_bias": warm.blocks[0].heads[0].bias,
        "cold_steps": cold.counts.smo_steps, "warm_steps": warm.counts.smo_steps,
    });
    println!("{line}");
}
