//! Localised MKL. `localised FOLDER learn TIMES LIMIT`: 900 of the digits, 6 views, one linear kernel each, small against large digits;
//! writes `features0.npy` …, `kernels.npy` and `y.npy` for the peer. `localised FOLDER predict TIMES`: 1,000 new rows of `new.npy`
//! by models of `x.npy` and `y.npy` in which every row is a support row. Both print one line of JSON.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Classes, Labels, Matrix, Table, Target, Views, digits};
use cokernel::kernel::KernelSpec;
use cokernel::machine::Svc;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::Mkl;
use cokernel::params::Value;
use cokernel_benches::{best_of, read_npy, write_npy};
use std::path::Path;

const N: usize = 900;

/// Steps in which a search ends by itself. With fewer only it is measured, not what it is compared with.
const WHOLE: i64 = 500;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (folder, times) = (Path::new(&args[1]), args[3].parse().expect("TIMES"));
    match args[2].as_str() {
        "learn" => learn(folder, times, args[4].parse().expect("LIMIT")),
        _ => predict(folder, times),
    }
}

/// Features with mean 0 and variance 1; those with one value are 0.
fn standard(table: &Matrix) -> Matrix {
    let (n, d) = (table.rows(), table.cols());
    let mut out = Matrix::zeros(n, d);
    for j in 0..d {
        let column = table.col(j);
        let mean = column.iter().sum::<f64>() / n as f64;
        let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        let factor = if variance > 1e-20 { variance.sqrt().recip() } else { 0.0 };
        column.iter().enumerate().for_each(|(i, v)| out.set(i, j, (v - mean) * factor));
    }
    out
}

fn learn(folder: &Path, times: usize, limit: i64) {
    let (all, labels) = digits().expect("digits");
    let Labels::Classes { codes, .. } = &labels else { panic!("classes") };
    let rows: Vec<usize> = (0..N).map(|i| i * codes.len() / N).collect();
    let mut views = Views::new();
    for view in all.select(&rows).iter() {
        let Table::Dense(table) = &view.table else { panic!("features") };
        views = views.dense(view.name.clone(), standard(table)).expect("a view");
    }
    let small = |i: &usize| u32::from(codes[*i].expect("a digit") < 5);
    let y: Vec<u32> = rows.iter().map(small).collect();
    let spec: KernelSpec = "linear:normalize=center_unit_variance".parse().expect("a kernel");
    let run = Run::default();
    let bank = Bank::build(&views, &[spec], Storage::Resident, &run).expect("a bank");
    let classes = Classes { names: vec!["large".into(), "small".into()], codes: y.clone() };
    let (target, svc) = (Target::from(classes), Svc { c: 10.0, ..Svc::default() });
    let problem = Problem { views: Some(&views), ..Problem::new(&bank, &target, &svc) };
    let solve = |id: &str, given: &[(&str, Value)]| -> (f64, Learned) {
        let method = find(id).expect("registered");
        let params = method.check(given.iter().map(|(n, v)| (*n, v))).expect("parameters");
        let learner = learner(method, &params).expect("a learner");
        best_of(times, || train(&problem, learner.as_ref(), &run).expect("learned"))
    };
    let (machine, _) = solve("mean", &[]);
    let (second, found) = solve("localized_mkl", &[("max_iterations", Value::Int(limit))]);
    if limit < WHOLE {
        return println!("{}", serde_json::json!({ "machine": machine, "seconds": second }));
    }
    let (first, slow) = solve("localized_mkl", &[("search", Value::Text("gradient".into()))]);
    let kernels: Vec<f64> = (0..bank.len())
        .flat_map(|m| {
            let mut one = vec![0.0; bank.len()];
            one[m] = 1.0;
            bank.combine(&one).expect("a kernel").into_matrix().expect("a matrix").values().to_vec()
        })
        .collect();
    write_npy(&folder.join("kernels.npy"), bank.len() * N, N, &kernels);
    for (v, view) in views.iter().enumerate() {
        let Table::Dense(table) = &view.table else { panic!("features") };
        let file = folder.join(format!("features{v}.npy"));
        write_npy(&file, N, table.cols(), table.values());
    }
    let signs: Vec<f64> = y.iter().map(|c| 2.0 * f64::from(*c) - 1.0).collect();
    write_npy(&folder.join("y.npy"), N, 1, &signs);
    let line = serde_json::json!({
        "machine": machine,
        "seconds": second, "gradient_seconds": first,
        "iterations": found.report.iterations, "solves": found.report.counts.machine_solves,
        "gradient_iterations": slow.report.iterations,
        "objective": found.report.objective, "gradient_objective": slow.report.objective,
    });
    println!("{line}");
}

fn predict(folder: &Path, times: usize) {
    let views = |name: &str| Views::new().dense("x", read_npy(&folder.join(name))).expect("a view");
    let (known, new) = (views("x.npy"), views("new.npy"));
    let y = read_npy(&folder.join("y.npy"));
    let texts: Vec<&str> =
        y.values().iter().map(|v| if *v > 0.0 { "plus" } else { "minus" }).collect();
    let run = Run::default();
    let timed = |id: &str, given: &[(&str, Value)]| {
        let specs = KernelSpec::parse_list("gaussian:gamma=0.005,0.01,0.02").expect("kernels");
        let mut method = Mkl::new(id).expect("registered").kernels(specs);
        for (name, value) in given {
            method = method.param(*name, value.clone());
        }
        let method = method.svc(Svc { c: 0.01, tol: 1e-6, ..Svc::default() });
        let model = method.fit(&known, &Labels::from_texts(&texts), &run).expect("a model");
        let (seconds, found) = best_of(times, || model.predict(&new).expect("decision values"));
        let gates = model.gates(&new).expect("gates").map_or(0.0, |gates| gates.active());
        (seconds, model.n_support(), gates, found.decisions.values().to_vec())
    };
    let (sum, support, _, _) = timed("sum", &[]);
    let few = [("max_iterations", Value::Int(2)), ("gating", Value::Text("sigmoid".into()))];
    let (gated, own, open, values) = timed("localized_mkl", &few);
    write_npy(&folder.join("values.npy"), values.len(), 1, &values);
    let line = serde_json::json!({
        "sum": sum, "seconds": gated, "support": [support, own], "open": open,
    });
    println!("{line}");
}
