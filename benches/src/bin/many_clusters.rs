//! Embeddings for many clusters: folder, method, clusters, rounds, times.
//!
//! Reads the similarities `k0.npy`, `k1.npy`, … as far as there are files. The seconds are those of
//! the embedding alone. Writes `rows.npy` and prints one line of JSON.

use cokernel::Run;
use cokernel::data::{Table, Views};
use cokernel::model::MultiView;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let k: usize = args[3].parse().expect("clusters");
    let rounds: i64 = args[4].parse().expect("rounds");
    let times: usize = args[5].parse().expect("times");
    let mut views = Views::new();
    for v in 0.. {
        let file = folder.join(format!("k{v}.npy"));
        if !file.exists() {
            break;
        }
        let table = Table::Similarity(read_npy(&file));
        views = views.with(format!("view{v}"), table).expect("a view");
    }
    let mut method = MultiView::new(&args[2]).expect("registered");
    method = match args[2].as_str() {
        "co_trained" => method.param("iterations", rounds),
        "min_disagreement" | "concat_embeddings" => method,
        _ => method.param("tol", 0.0).param("max_iter", rounds),
    };
    let run = Run::default();
    let prepared = method.prepare(&views, &run).expect("kernels");
    let (seconds, found) =
        best_of(times, || method.embed_prepared(&prepared, k, &run).expect("an embedding"));
    write_npy(&folder.join("rows.npy"), found.rows.rows(), found.rows.cols(), found.rows.values());
    let sums: Vec<f64> = found.eigenvalues.iter().map(|v| v.iter().sum()).collect();
    let line = serde_json::json!({
        "seconds": seconds,
        "rounds": found.report.iterations,
        "sums": sums,
        "solves": found.report.counts.eigen_solves,
    });
    println!("{line}");
}
