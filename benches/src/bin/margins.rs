//! The linear program of LP-β and of boosting, alone: folder, tolerance, times.
//!
//! Reads `rows.npy` (N × M: the decision values of M classifiers, times the label), `nu.npy` (one number), writes
//! `weights.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::solve::hinge::{Hinge, Margin, minimize};
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

/// Reads, solves, writes.
pub fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let tol: f64 = args[2].parse().expect("tol");
    let times: usize = args[3].parse().expect("times");
    let rows = read_npy(&folder.join("rows.npy"));
    let nu = read_npy(&folder.join("nu.npy")).values()[0];
    let n = rows.rows();
    let groups: Vec<usize> = (0..=n).collect();
    let weights = vec![1.0 / (nu * n as f64); n];
    let problem = Hinge {
        rows: rows.values(),
        columns: rows.cols(),
        groups: &groups,
        weights: &weights,
        margin: Margin::Largest,
    };
    let run = Run::default();
    let (seconds, found) = best_of(times, || minimize(&problem, tol, &run.watch()));
    write_npy(&folder.join("weights.npy"), 1, found.weights.len(), &found.weights);
    let line = serde_json::json!({
        "seconds": seconds,
        "primal": found.primal,
        "lower": found.lower,
        "rho": found.rho,
        "gap": found.gap,
        "status": found.status,
        "iterations": found.objective.len() - 1,
    });
    println!("{line}");
}
