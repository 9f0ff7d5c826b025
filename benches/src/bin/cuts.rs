//! The program of normalised cuts, min αᵀQα over the simplex with its bound: folder, times, tolerance.
//!
//! Reads `q.npy` (M × M), writes `alpha.npy`, and prints one line of JSON.

use cokernel::Run;
use cokernel::solve::standard::minimize_standard;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let times: usize = args[2].parse().expect("times");
    let tol: f64 = args[3].parse().expect("a tolerance");
    let q = read_npy(&folder.join("q.npy"));
    let run = Run::default();
    let (seconds, found) = best_of(times, || minimize_standard(q.values(), tol, &run.watch()));
    write_npy(&folder.join("alpha.npy"), 1, found.alpha.len(), &found.alpha);
    println!(
        "{}",
        serde_json::json!({
            "seconds": seconds,
            "value": found.objective.last(),
            "lower": found.lower,
            "rounded": found.rounded,
            "rank_one": found.rank_one,
            "relaxed": found.relaxed,
            "iterations": found.iterations,
            "solved": found.solved,
        })
    );
}
