//! `kernel_kmeans FOLDER TIMES`: weights of the kernels FOLDER/kernels.npy (M × n × n, centred and of trace n), ten clusters, by
//! simple multiple kernel k-means without the k-means. CPU time, weights, objective and gap to the standard output as one line of
//! JSON.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::Matrix;
use cokernel::multiview::{Problem, embed, embedder};
use cokernel_benches::{best_of, read_npy};
use std::path::PathBuf;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, times) = (PathBuf::from(&arguments[0]), arguments[1].parse().expect("a number"));
    let all = read_npy(&folder.join("kernels.npy"));
    let n = all.cols();
    let one = |m: usize| {
        let values = all.values()[m * n * n..(m + 1) * n * n].to_vec();
        (format!("k{m}"), Matrix::new(n, n, values).expect("n × n"))
    };
    let kernels = (0..all.rows() / n).map(one).collect();
    let bank = Bank::from_matrices(kernels, Storage::Resident).expect("kernels");
    let method = find("simple_mkkm").expect("registered");
    let embedder = embedder(method, &method.defaults()).expect("an embedder");
    let (run, problem) = (Run::default(), Problem::new(&bank));
    let (cpu, found) =
        best_of(times, || embed(embedder.as_ref(), &problem, 10, &run).expect("an embedding"));
    let report = &found.report;
    let line = serde_json::json!({
        "cpu": cpu,
        "weights": report.details["weights"],
        "objective": report.objective,
        "gap": report.gap,
        "solves": report.counts.eigen_solves,
    });
    std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes())
        .expect("standard output");
}
