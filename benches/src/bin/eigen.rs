//! `eigen FOLDER K TOL [BLOCK]`: the K leading eigenpairs of FOLDER/matrix.npy; the vectors go to
//! FOLDER/vectors.npy, times and residuals to the standard output as one line of JSON.

use cokernel::bank::Gram;
use cokernel::solve::eigen::{Options, top_eigenpairs};
use cokernel::{Counts, Run};
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(&arguments[0]);
    let k: usize = arguments[1].parse().expect("K is a number");
    let tol: f64 = arguments[2].parse().expect("TOL is a number");
    let block = arguments.get(3).map_or(0, |b| b.parse().expect("BLOCK is a number"));
    let matrix = Gram::new(read_npy(&folder.join("matrix.npy"))).expect("a symmetric matrix");
    let run = Run::default();
    let options = Options { tol, block, ..Options::default() };
    let mut wall = f64::INFINITY;
    let (cpu, found) = best_of(5, || {
        let start = Instant::now();
        let apply = |b: &cokernel::data::Matrix| matrix.apply(b);
        let mut counts = Counts::default();
        let watch = run.watch();
        let found =
            top_eigenpairs(matrix.n(), k, &apply, None, &options, &run, &watch, &mut counts);
        wall = wall.min(start.elapsed().as_secs_f64());
        found.expect("eigenpairs")
    });
    write_npy(&folder.join("vectors.npy"), matrix.n(), k, found.vectors.values());
    let line = serde_json::json!({
        "cpu": cpu,
        "wall": wall,
        "products": found.products,
        "status": found.status.to_string(),
        "values": found.values,
        "residuals": found.residuals,
    });
    std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes())
        .expect("standard output");
}
