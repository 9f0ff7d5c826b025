//! A grid of C by cross-validation. `tune FOLDER FOLDS KERNELS TIMES` reads `x.npy` and `y.npy` (±1), chooses C for
//! SimpleMKL with Gaussian kernels, fits the same combinations one by one from zero, and prints one line of JSON.

use cokernel::data::{Labels, Views};
use cokernel::eval::{Axis, Protocol, Tuning, score_split};
use cokernel::kernel::KernelSpec;
use cokernel::model::{Given, Mkl};
use cokernel::{Run, params::Value};
use cokernel_benches::{best_of, read_npy};
use std::path::PathBuf;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = PathBuf::from(&args[1]);
    let folds: usize = args[2].parse().expect("FOLDS");
    let kernels: usize = args[3].parse().expect("KERNELS");
    let times: usize = args[4].parse().expect("TIMES");
    let views = Views::new().dense("x", read_npy(&folder.join("x.npy"))).expect("a view");
    let y = read_npy(&folder.join("y.npy"));
    let labels = Labels::from_texts(&y.values().iter().map(f64::to_string).collect::<Vec<_>>());
    let factors = (0..kernels).map(|k| 2_f64.powf(k as f64 / 2.0 - 4.0));
    let specs = factors.map(|f| KernelSpec::gaussian().sigma_median().wider(f));
    let mkl = Mkl::new("simple_mkl").expect("a method").kernels(specs);
    let values = (0..10).map(|k| Value::Real(10_f64.powf(k as f64 / 3.0 - 1.0))).collect();
    let axes = vec![Axis { name: "c".to_string(), values }];
    let tuning = Tuning { folds, ..Tuning::new(axes) };
    let (given, run) = (Given::default(), Run::default());
    let (seconds, tuned) =
        best_of(times, || tuning.choose(&mkl, (&views, &labels), &given, &run).expect("a choice"));
    let splits = Protocol::KFold { folds, repeats: 1 }.split(&labels, run.seed).expect("splits");
    let candidates = tuning.candidates(&mkl, false).expect("candidates");
    let candidates = candidates.grid();
    let (cold, scores) = best_of(times, || {
        let mut scores = vec![0.0; candidates.len()];
        for split in &splits.splits {
            let train = (views.select(&split.train), labels.select(&split.train));
            for (candidate, score) in candidates.iter().zip(&mut scores) {
                let model = candidate.mkl.fit(&train.0, &train.1, &run).expect("a model");
                let found = score_split(&model, &views, &labels, split, &run).expect("scores");
                *score += found.scores.get("accuracy").expect("accuracy") / folds as f64;
            }
        }
        scores
    });
    let ours: Vec<f64> = tuned.tried.iter().map(|t| t.score.mean).collect();
    let line = serde_json::json!({
        "seconds": seconds, "cold": cold, "scores": ours, "cold_scores": scores, "best": tuned.best,
    });
    println!("{line}");
}
