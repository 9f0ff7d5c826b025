//! Our side of `peers/gram.py`: a Gaussian Gram matrix from features.

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
    let gamma = read_npy(&folder.join("gamma.npy")).get(0, 0);
    let specs = [KernelSpec::gaussian().gamma([gamma])];
    let (seconds, gram) = best_of(5, || {
        let bank = Bank::build(&views, &specs, Storage::OnDemand, &Run::default()).expect("a bank");
        bank.combine(&[1.0]).expect("memory")
    });
    write_npy(&folder.join("ours.npy"), gram.n(), gram.n(), gram.values());
    println!("{}", serde_json::json!({ "seconds": seconds }));
}
