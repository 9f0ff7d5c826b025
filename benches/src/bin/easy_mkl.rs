//! EasyMKL or joint alignment on given matrices: folder, method, times, and parameters (name=value).
//!
//! Reads `kernels.npy` (M·n × n, one kernel under the other) and `labels.npy` (±1), writes `weights.npy`,
//! `inner.npy` (M × M) and `target.npy`, the products of the centred kernels with each other and with the
//! ideal kernel, and prints one line of JSON; the seconds are those of the kernel learning alone.

use cokernel::Run;
use cokernel::catalogue::find;
use cokernel::data::{Classes, Target};
use cokernel::machine::Svc;
use cokernel::mkl::Problem;
use cokernel::mkl::measures::{Ideal, Products};
use cokernel::params::Value;
use cokernel_benches::{best_of, read_bank, read_npy, write_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let times: usize = args[3].parse().expect("times");
    let labels = read_npy(&folder.join("labels.npy"));
    let bank = read_bank(&folder);
    let texts: Vec<String> = labels.values().iter().map(f64::to_string).collect();
    let target = Target::from(Classes::from_texts(&texts).expect("two classes"));
    let machine = Svc::default();
    let problem = Problem::new(&bank, &target, &machine);
    let method = find(&args[2]).expect("registered");
    let mut given = Vec::new();
    for text in args.iter().skip(4) {
        let (name, value) = text.split_once('=').expect("name=value");
        given.push((name, Value::parse(value)));
    }
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
    let learner = cokernel::mkl::learner(method, &params).expect("a learner");
    let run = Run::default();
    let (seconds, learned) = best_of(times, || learner.learn(&problem, &run).expect("learned"));
    let weights = learned.rule.weights().expect("weights");
    write_npy(&folder.join("weights.npy"), 1, weights.len(), weights);
    let ideal = Ideal::of(&target).expect("an ideal kernel");
    let found = Products::of(&bank, &ideal, true, true, &run).expect("products");
    let inner = found.inner.expect("pairs");
    write_npy(&folder.join("inner.npy"), inner.rows(), inner.cols(), inner.values());
    write_npy(&folder.join("target.npy"), 1, found.with_ideal.len(), &found.with_ideal);
    let report = &learned.report;
    println!("{}", serde_json::json!({ "seconds": seconds, "gap": report.gap }));
}
