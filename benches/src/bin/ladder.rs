//! Our side of `peers/ladder.py`: one Gaussian width and a ladder of ten, resident.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::data::Views;
use cokernel::kernel::KernelSpec;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let folder = Path::new(&folder);
    let views = Views::new().dense("x", read_npy(&folder.join("x.npy"))).expect("features");
    let gammas = read_npy(&folder.join("gammas.npy")).values().to_vec();
    let build = |gammas: &[f64]| {
        let specs = [KernelSpec::gaussian().gamma(gammas)];
        Bank::build(&views, &specs, Storage::Resident, &Run::default()).expect("a bank")
    };
    let (one, _) = best_of(5, || build(&gammas[4..5]));
    let (ten, bank) = best_of(5, || build(&gammas));
    let sums = bank.quad_forms(&[&vec![1.0; bank.n()]]).swap_remove(0);
    write_npy(&folder.join("sums.npy"), 1, sums.len(), &sums);
    println!("{}", serde_json::json!({ "one": one, "ten": ten }));
}
