//! Pairwise co-regularised clustering of two views: folder, clusters, λ, rounds, times.
//!
//! Reads `x0.npy` and `x1.npy`; the kernels are exp(−‖x − z‖²). The seconds are those of kernels,
//! embedding and k-means from one start. Each round updates the second view first. Writes
//! `rows.npy` (both embeddings side by side, rows of each of unit length) and prints one line of
//! JSON.

use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::data::Views;
use cokernel::kernel::KernelSpec;
use cokernel::model::MultiView;
use cokernel::multiview::{Seeding, Starts};
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let k: usize = args[2].parse().expect("clusters");
    let lambda: f64 = args[3].parse().expect("lambda");
    let rounds: i64 = args[4].parse().expect("rounds");
    let times: usize = args[5].parse().expect("times");
    let views = Views::new()
        .dense("x0", read_npy(&folder.join("x0.npy")))
        .and_then(|v| v.dense("x1", read_npy(&folder.join("x1.npy"))))
        .expect("two views of the same instances");
    let kernels = ["gaussian@x0:gamma=1", "gaussian@x1:gamma=1"];
    let kernels: Vec<KernelSpec> = kernels.iter().map(|s| s.parse().expect("a kernel")).collect();
    let method = MultiView::new("co_regularized")
        .expect("registered")
        .kernels(kernels)
        .storage(Storage::Resident)
        .param("lambda", lambda)
        .param("tol", 0.0)
        .param("max_iterations", rounds)
        .param("first", "x1");
    let starts = Starts { seeding: Seeding::PlusPlus, starts: 1 };
    let run = Run::default();
    let (seconds, found) =
        best_of(times, || method.cluster(&views, k, &starts, &run).expect("clusters"));
    let rows = &found.embedding.rows;
    write_npy(&folder.join("rows.npy"), rows.rows(), rows.cols(), rows.values());
    let sums: Vec<f64> = found.embedding.eigenvalues.iter().map(|v| v.iter().sum()).collect();
    let line = serde_json::json!({
        "seconds": seconds,
        "rounds": found.report.iterations,
        "sums": sums,
        "labels": found.assignments,
    });
    println!("{line}");
}
