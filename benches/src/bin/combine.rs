//! Our side of `peers/combine.py`: the weighted sum of M kernels and their quadratic forms, and
//! K-examples of random pairs at two sizes.

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

/// CPU seconds of ten million K-examples of `kernels` kernels, in batches of 100.
fn pairs(n: usize, kernels: usize) -> f64 {
    let bank = bank(n, kernels);
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((state >> 32) * n as u64) >> 32) as u32
    };
    let list: Vec<(u32, u32)> = (0..10_000_000).map(|_| (next(), next())).collect();
    let mut out = vec![0.0; 100 * kernels];
    let (seconds, sum) = best_of(3, || {
        let mut sum = 0.0;
        for batch in list.chunks(100) {
            bank.pairs(batch, &mut out);
            sum += out[0];
        }
        sum
    });
    assert!(sum > 0.0);
    seconds
}

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let folder = Path::new(&folder);
    let weights = read_npy(&folder.join("weights.npy")).values().to_vec();
    let coef = read_npy(&folder.join("coef.npy")).values().to_vec();
    let bank = bank(coef.len(), weights.len());
    let mut gram = bank.combine(&weights);
    let (combine, ()) = best_of(7, || bank.combine_into(&weights, &mut gram));
    let (forms, quad) = best_of(7, || bank.quad_forms(&[&coef]).swap_remove(0));
    write_npy(&folder.join("sum.npy"), gram.n(), gram.n(), gram.values());
    write_npy(&folder.join("quad.npy"), 1, quad.len(), &quad);
    drop((bank, gram));
    let (small, large) = (pairs(1_000, 39), pairs(4_000, 39));
    let out = serde_json::json!({
        "combine": combine, "forms": forms, "pairs_small": small, "pairs_large": large,
    });
    println!("{out}");
}
