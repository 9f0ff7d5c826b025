//! `co_training FOLDER fit TIMES`: co-training of the views FOLDER/a.npy and FOLDER/b.npy, ten
//! clusters, ten rounds, Gaussian kernels of median width, ten starts of k-means. The embedding
//! goes to FOLDER/rows.npy, the clusters to FOLDER/clusters.npy; CPU time and the agreement after
//! each round to the standard output as one line of JSON.
//!
//! `co_training FOLDER grow N`: kernels and embedding of N generated instances with two views, and
//! the peak memory of this process.

use cokernel::Run;
use cokernel::data::{Views, toy};
use cokernel::model::MultiView;
use cokernel::multiview::{Seeding, Starts};
use cokernel_benches::{best_of, peak_memory, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(&arguments[0]);
    let number: usize = arguments[2].parse().expect("a number");
    let method = MultiView::new("co_trained").expect("registered").param("max_iterations", 10);
    let run = Run::default();
    let line = if arguments[1] == "grow" {
        let (views, _) = toy::views(number, 10, &[4.0, 4.0], 1).expect("views");
        let before = peak_memory();
        let (cpu, found) = best_of(1, || {
            let prepared = method.prepare(&views, &run).expect("kernels");
            method.embed_prepared(&prepared, 10, &run).expect("an embedding")
        });
        serde_json::json!({
            "cpu": cpu,
            "bytes": peak_memory() - before,
            "agreement": found.agreement,
        })
    } else {
        let views = Views::new()
            .dense("a", read_npy(&folder.join("a.npy")))
            .and_then(|v| v.dense("b", read_npy(&folder.join("b.npy"))))
            .expect("two views");
        let starts = Starts { seeding: Seeding::PlusPlus, starts: 10 };
        let (cpu, found) =
            best_of(number, || method.cluster(&views, 10, &starts, &run).expect("clusters"));
        let rows = &found.embedding.rows;
        write_npy(&folder.join("rows.npy"), rows.rows(), rows.cols(), rows.values());
        let clusters: Vec<f64> = found.assignments.iter().map(|a| f64::from(*a)).collect();
        write_npy(&folder.join("clusters.npy"), clusters.len(), 1, &clusters);
        serde_json::json!({
            "cpu": cpu,
            "status": found.report.status.to_string(),
            "agreement": found.embedding.agreement,
        })
    };
    std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes())
        .expect("standard output");
}
