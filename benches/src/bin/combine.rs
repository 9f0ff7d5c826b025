//! Our side of `peers/combine.py`: the weighted sum of M kernels and their quadratic forms.

use cokernel::bank::{Bank, Storage};
use cokernel::data::Matrix;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::Path;

/// Matrix m of the benchmark, the same as in the peer script.
fn entry(i: usize, j: usize, m: usize) -> f64 {
    ((i * j + (m + 1) * (i + j)) % 1009) as f64 / 1009.0
}

fn bank(n: usize, kernels: usize) -> Bank {
    let matrices = (0..kernels)
        .map(|m| (format!("k{m}"), Matrix::from_fn(n, n, |i, j| entry(i, j, m))))
        .collect();
    Bank::from_matrices(matrices, Storage::Resident).expect("a bank")
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let folder = Path::new(&folder);
    let weights = read_npy(&folder.join("weights.npy")).values().to_vec();
    let coef = read_npy(&folder.join("coef.npy")).values().to_vec();
    let bank = bank(coef.len(), weights.len());
    let mut gram = bank.combine(&weights).expect("memory");
    let (combine, ()) = best_of(7, || bank.combine_into(&weights, &mut gram));
    let (forms, quad) = best_of(7, || bank.quad_forms(&[&coef]).swap_remove(0));
    write_npy(&folder.join("sum.npy"), gram.n(), gram.n(), gram.values());
    write_npy(&folder.join("quad.npy"), 1, quad.len(), &quad);
    let out = serde_json::json!({ "combine": combine, "forms": forms });
    println!("{out}");
}
