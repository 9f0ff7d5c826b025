//! `kernel_clusters FOLDER TIMES METHOD CLUSTERS`: a method that clusters by kernels, its parameters at their defaults, on the kernels
//! FOLDER/kernels.npy (M × n × n). CPU seconds of the embedding, without the k-means after it, then its weights, objective and gap,
//! and the cluster of each instance, to the standard output as one line of JSON.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::Matrix;
use cokernel::multiview::{Problem, Starts, cluster, embed, embedder};
use cokernel_benches::{best_of, read_npy};
use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments[i].parse::<usize>().expect("a number");
    let all = read_npy(&PathBuf::from(&arguments[0]).join("kernels.npy"));
    let n = all.cols();
    let one = |m: usize| {
        let values = all.values()[m * n * n..(m + 1) * n * n].to_vec();
        (format!("k{m}"), Matrix::new(n, n, values).expect("n × n"))
    };
    let kernels = (0..all.rows() / n).map(one).collect();
    let bank = Bank::from_matrices(kernels, Storage::Resident).expect("kernels");
    let method = find(&arguments[2]).expect("registered");
    let embedder = embedder(method, &method.defaults()).expect("an embedder");
    let (run, problem, k) = (Run::default(), Problem::new(&bank), number(3));
    let (cpu, found) =
        best_of(number(1), || embed(embedder.as_ref(), &problem, k, &run).expect("an embedding"));
    let clusters =
        cluster(embedder.as_ref(), &problem, k, &Starts::default(), &run).expect("clusters");
    let report = &found.report;
    let line = serde_json::json!({
        "cpu": cpu,
        "weights": report.details.get("weights"),
        "objective": report.objective,
        "gap": report.gap,
        "solves": report.counts.eigen_solves,
        "clusters": clusters.assignments,
    });
    std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes())
        .expect("standard output");
}
