//! What the benchmark programs share: CPU time, peak memory, arrays passed to and from the peers.
//!
//! Each benchmark is a pair: `src/bin/NAME.rs` does Cokernel's side on arrays found in a folder
//! and prints one line of JSON; `peers/NAME.py` makes the arrays, runs the peer, runs our side,
//! asserts equal results and prints the ratio. `cargo xtask bench` runs all pairs.

use cokernel::bank::{Bank, Storage};
use cokernel::data::Matrix;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// CPU seconds that this process has used, all threads together.
pub fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid timespec for the call to fill.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

/// The least CPU time of `times` runs, and the last result. The work runs on a thread of the pool, as
/// the models run theirs: else each small product would be handed over to one.
pub fn best_of<T: Send>(times: usize, mut work: impl FnMut() -> T + Send) -> (f64, T) {
    rayon::scope(|_| {
        let mut best = f64::INFINITY;
        let mut last = None;
        for _ in 0..times.max(1) {
            drop(last.take());
            let start = cpu_seconds();
            last = Some(work());
            best = best.min(cpu_seconds() - start);
        }
        (best, last.expect("at least one run"))
    })
}

/// Peak resident memory of this process in bytes.
pub fn peak_memory() -> u64 {
    // SAFETY: an all-zero rusage is valid and is filled by the call.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writing.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage.ru_maxrss as u64 * 1024
}

/// Reads a C-ordered float64 array of one or two dimensions.
pub fn read_npy(path: &Path) -> Matrix {
    let file =
        BufReader::new(File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    let npy = npyz::NpyFile::new(file).expect("an npy file");
    let shape: Vec<usize> = npy.shape().iter().map(|s| *s as usize).collect();
    let (rows, cols) = (shape[0], shape.get(1).copied().unwrap_or(1));
    Matrix::new(rows, cols, npy.into_vec().expect("float64 values")).expect("rows × cols values")
}

/// A resident bank of `kernels.npy` (M·n × n, one kernel under the other).
pub fn read_bank(folder: &Path) -> Bank {
    let stacked = read_npy(&folder.join("kernels.npy"));
    let n = stacked.cols();
    let matrices = (0..stacked.rows() / n)
        .map(|m| {
            let values = stacked.values()[m * n * n..(m + 1) * n * n].to_vec();
            (format!("k{m}"), Matrix::new(n, n, values).expect("n × n"))
        })
        .collect();
    Bank::from_matrices(matrices, Storage::Resident).expect("a bank")
}

/// Writes a C-ordered float64 array of two dimensions.
pub fn write_npy(path: &Path, rows: usize, cols: usize, values: &[f64]) {
    use npyz::WriterBuilder;
    let file =
        BufWriter::new(File::create(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&[rows as u64, cols as u64])
        .writer(file)
        .begin_nd()
        .expect("a header");
    writer.extend(values.iter().copied()).expect("values");
    writer.finish().expect("the end");
}
