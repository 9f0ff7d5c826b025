//! A random forest: folder, trees, thresholds (best or random), times.
//!
//! Reads `x.npy` (N × p), `y.npy` (0 or 1) and `new.npy`; leaves of 3, ten features per node, Gini. Writes
//! `values.npy`, the mean of the means of leaves for the rows of `new`, and prints one line of JSON; the seconds are
//! those of growing alone, `predict` those of the values.

use cokernel::Run;
use cokernel::solve::forest::{Criterion, Settings, Thresholds, grow};
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let trees: usize = args[2].parse().expect("trees");
    let thresholds = match args[3].as_str() {
        "random" => Thresholds::Random,
        _ => Thresholds::Best,
    };
    let times: usize = args[4].parse().expect("times");
    let x = read_npy(&folder.join("x.npy"));
    let new = read_npy(&folder.join("new.npy"));
    let positive: Vec<bool> =
        read_npy(&folder.join("y.npy")).values().iter().map(|v| *v > 0.5).collect();
    let criterion = Criterion::Gini;
    let settings = Settings { trees, thresholds, criterion, ..Settings::default() };
    let watch = Run::default().watch();
    let (seconds, forest) =
        best_of(times, || grow(&x, &positive, None, &settings, &watch).expect("a forest"));
    let (predict, values) = best_of(times, || forest.values(&new).expect("values"));
    write_npy(&folder.join("values.npy"), values.len(), 1, &values);
    let nodes = forest.nodes();
    println!("{}", serde_json::json!({ "seconds": seconds, "predict": predict, "nodes": nodes }));
}
