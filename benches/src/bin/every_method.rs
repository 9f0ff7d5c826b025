//! Every method that learns classes on kernels of one data set: folder, cost, seconds at most.
//!
//! Reads `x.npy` (n × d, features as they are), `labels.npy`, `train.npy` and `test.npy` (row numbers),
//! and, as further arguments, ids of methods if not all are wanted. Kernels are made once; CPU time is that of learning on them,
//! one method after the other. Prints one line of JSON.

use cokernel::Run;
use cokernel::catalogue::methods;
use cokernel::data::{Labels, Scale, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::method::Task;
use cokernel::model::Mkl;
use cokernel_benches::{cpu_seconds, read_npy};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// The 13 kernels of LMS §5.3.4.
const SMALL: [&str; 3] = [
    "gaussian:gamma=2^-10..-2:normalize=center_unit_variance",
    "polynomial:degree=2,3,4:normalize=center_unit_variance",
    "linear:normalize=center_unit_variance",
];

fn specs() -> Vec<KernelSpec> {
    let each = SMALL.iter().map(|text| text.replacen(":norm", ":per_feature:norm", 1));
    let all = SMALL.iter().map(|text| text.to_string()).chain(each);
    all.flat_map(|text| KernelSpec::parse_list(&text).expect("a kernel")).collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let c: f64 = args[2].parse().expect("cost");
    let seconds: f64 = args[3].parse().expect("seconds");
    let only: Vec<&String> = args.iter().skip(4).collect();
    let numbers = |name: &str| read_npy(&folder.join(name)).values().to_vec();
    let rows = |name: &str| numbers(name).iter().map(|v| *v as usize).collect::<Vec<usize>>();
    let views = Views::new().dense("x", read_npy(&folder.join("x.npy"))).expect("a view");
    let texts: Vec<String> = numbers("labels.npy").iter().map(f64::to_string).collect();
    let labels = Labels::from_texts(&texts);
    let (train, test) = (rows("train.npy"), rows("test.npy"));
    let (known, answers) = ((views.select(&train), labels.select(&train)), labels.select(&test));
    let answers = answers.classes().expect("classes");
    let run = Run { time_limit: Some(Duration::from_secs_f64(seconds)), ..Run::default() };
    let learner = |id: &str| {
        let machine = MachineSpec::default();
        Mkl::new(id)
            .expect("registered")
            .scale(Scale::Standard)
            .kernels(specs())
            .machine(machine)
            .c(c)
    };
    let before = cpu_seconds();
    let kernels = learner("mean").prepare(&known.0, &known.1, &Run::default()).expect("kernels");
    let prepared = cpu_seconds() - before;
    let mut found: Vec<Value> = Vec::new();
    for method in methods().filter(|m| m.tasks.contains(&Task::Classify)) {
        if !only.is_empty() && !only.iter().any(|id| *id == method.id) {
            continue;
        }
        let mkl = learner(method.id);
        if !mkl.shares(&kernels).unwrap_or(false) {
            continue;
        }
        let before = cpu_seconds();
        let fitted = mkl.fit_prepared(&kernels, &run);
        let seconds = cpu_seconds() - before;
        let row = fitted.map(|model| {
            let predicted = model.predict(&views.select(&test)).expect("labels");
            let answer = |i: &usize| &answers.names[answers.codes[*i] as usize];
            let right = (0..test.len()).filter(|i| predicted.labels[*i] == *answer(i)).count();
            let report = model.report();
            json!({
                "id": method.id,
                "group": format!("{:?}", method.group),
                "seconds": seconds,
                "accuracy": right as f64 / test.len() as f64,
                "active": model.weights().iter().filter(|w| w.active).count(),
                "gap": report.gap,
                "status": report.status.to_string(),
            })
        });
        let row = row.unwrap_or_else(
            |e| json!({ "id": method.id, "seconds": seconds, "error": e.to_string() }),
        );
        eprintln!("{row}");
        found.push(row);
    }
    println!(
        "{}",
        json!({ "kernels": kernels.bank().len(), "prepared": prepared, "found": found })
    );
}
