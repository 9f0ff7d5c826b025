//! Learning towards landmarks: cost over the number of instances, and accuracy beside the exact kernels.
//!
//! ```text
//! scale made INSTANCES VIEWS WIDTHS COLUMNS METHOD MACHINE STORAGE
//! scale real TABLE LABELS METHOD MACHINE STORAGE
//! scale clusters INSTANCES VIEWS COLUMNS CLUSTERS METHOD [storage=STORAGE] [memory=BYTES] [NAME=VALUE …]
//! ```
//!
//! `made` makes two classes, of which half of the views tell something, and fits. `real` reads a table and codes of classes, one
//! line per instance, standardises, fits on two of every three instances (at random, always the same) with ten widths of the
//! Gaussian kernel, and counts hits on the others. `clusters` makes groups that
//! overlap in each view, clusters and compares with the groups. Each prints one line of JSON: CPU seconds, peak memory, gap, passes.

use cokernel::data::{Labels, Matrix, Scale, Views};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model, MultiView};
use cokernel::multiview::Starts;
use cokernel::{Result, Run};
use cokernel_benches::{cpu_seconds, peak_memory};

/// Numbers between 0 and 1, the same on every machine.
struct Generator(u64);

impl Generator {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let known: Vec<&str> = args.iter().map(String::as_str).collect();
    match known[1..] {
        ["made", n, views, widths, columns, method, machine, storage] => {
            let number = |text: &str| text.parse::<usize>().expect("a number");
            let widths = number(widths);
            let (all, labels) = made(number(n), number(views), number(columns));
            let spec =
                format!("gaussian:sigma=median*2^-{}..{}", widths / 2, widths - 1 - widths / 2);
            let mkl = learner(method, machine, storage, &spec).expect("a learner");
            fit(&mkl, &all, &labels, None);
        }
        ["real", table, labels, method, machine, storage] => {
            let (all, labels) = read(table, labels);
            let mut rng = Generator(1);
            let mut order: Vec<(f64, usize)> = (0..all.n()).map(|i| (rng.uniform(), i)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let order: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
            let (train, test) = order.split_at(2 * order.len() / 3);
            let mkl = learner(method, machine, storage, "gaussian:sigma=median*2^-5..4")
                .expect("a learner")
                .scale(Scale::Standard);
            let held = (&all.select(test), &labels.select(test));
            fit(&mkl, &all.select(train), &labels.select(train), Some(held));
        }
        ["clusters", n, views, columns, k, method, ref params @ ..] => {
            let number = |text: &str| text.parse::<usize>().expect("a number");
            clusters(groups(number(n), number(views), number(columns), number(k)), method, params);
        }
        _ => panic!("scale made … or scale real …, see the first lines of this file"),
    }
}

fn learner(method: &str, machine: &str, storage: &str, kernels: &str) -> Result<Mkl> {
    Ok(Mkl::new(method)?
        .kernels(KernelSpec::parse_list(kernels)?)
        .machine(machine.parse::<MachineSpec>()?)
        .storage(storage.parse()?))
}

/// Fits and prints.
fn fit(mkl: &Mkl, views: &Views, labels: &Labels, held: Option<(&Views, &Labels)>) {
    let before = cpu_seconds();
    let model = mkl.fit(views, labels, &Run::default()).expect("a model");
    let cpu = cpu_seconds() - before;
    let report = model.report();
    let off = report.details.get("approximation");
    let line = serde_json::json!({
        "n": views.n(), "cpu": cpu, "bytes": peak_memory(), "gap": report.gap,
        "rounds": report.iterations, "status": report.status, "passes": report.details.get("passes"),
        "passes_of_start": report.details.get("passes_of_start"), "features": report.details.get("features"),
        "off": off.map(|o| o.iter().copied().fold(0.0_f64, f64::max)),
        "objective": report.objective.last(), "hits": held.map(|(x, y)| hits(&model, x, y)),
    });
    println!("{line}");
}

/// Clusters and prints.
fn clusters((views, codes): (Views, Vec<u32>), method: &str, params: &[&str]) {
    let k = codes.iter().max().map_or(1, |c| *c as usize + 1);
    let mut learner = MultiView::new(method).expect("a method");
    let mut run = Run::default();
    for param in params {
        let (name, value) = param.split_once('=').expect("NAME=VALUE");
        match name {
            "storage" => learner = learner.storage(value.parse().expect("a storage")),
            "memory" => run.memory = value.parse().expect("bytes"),
            _ => learner = learner.param(name, value),
        }
    }
    let before = cpu_seconds();
    let starts = Starts { starts: 5, ..Starts::default() };
    let found = learner.cluster(&views, k, &starts, &run).expect("clusters");
    let cpu = cpu_seconds() - before;
    let scores = ClusterScores::new(&found.assignments, &codes).expect("scores");
    let line = serde_json::json!({
        "n": views.n(), "cpu": cpu, "seconds": found.report.seconds, "bytes": peak_memory(),
        "status": found.report.status, "nmi": scores.nmi, "notes": found.report.notes,
    });
    println!("{line}");
}

/// Groups around points that are 1.2 deviations from each other in each column.
fn groups(n: usize, views: usize, columns: usize, k: usize) -> (Views, Vec<u32>) {
    let mut rng = Generator(9);
    let codes: Vec<u32> = (0..n).map(|_| (rng.uniform() * k as f64) as u32 % k as u32).collect();
    let mut all = Views::new();
    for v in 0..views {
        let points: Vec<f64> = (0..k * columns).map(|_| 0.85 * rng.normal()).collect();
        let mut values = Vec::with_capacity(n * columns);
        for code in &codes {
            let own = &points[*code as usize * columns..(*code as usize + 1) * columns];
            values.extend(own.iter().map(|p| p + rng.normal()));
        }
        let table = Matrix::new(n, columns, values).expect("values");
        all = all.dense(format!("v{v}"), table).expect("a view");
    }
    (all, codes)
}

/// The share of instances whose class is found.
fn hits(model: &Model, views: &Views, labels: &Labels) -> f64 {
    let Labels::Classes { codes, .. } = labels else { return f64::NAN };
    let found = model.predict(views).expect("predictions").codes;
    let right = found.iter().zip(codes).filter(|(f, c)| Some(**f) == **c).count();
    right as f64 / codes.len() as f64
}

/// Rings against blobs, at another scale in each view; the later views are noise.
fn made(n: usize, views: usize, columns: usize) -> (Views, Labels) {
    let mut rng = Generator(7);
    let codes: Vec<u32> = (0..n).map(|_| u32::from(rng.uniform() < 0.5)).collect();
    let mut all = Views::new();
    for v in 0..views {
        let useful = 2 * v < views + 1;
        let mut values = Vec::with_capacity(n * columns);
        for code in &codes {
            let radius = if useful && *code == 1 { 1.0 + 0.25 * (v + 1) as f64 } else { 1.0 };
            values.extend((0..columns).map(|_| radius * rng.normal()));
        }
        let table = Matrix::new(n, columns, values).expect("values");
        all = all.dense(format!("v{v}"), table).expect("a view");
    }
    (all, classes(codes))
}

fn classes(codes: Vec<u32>) -> Labels {
    let names = (0..=codes.iter().copied().max().unwrap_or(0)).map(|c| c.to_string()).collect();
    Labels::Classes { names, codes: codes.into_iter().map(Some).collect() }
}

fn read(table: &str, labels: &str) -> (Views, Labels) {
    let lines = |path: &str| std::fs::read_to_string(path).expect("a file");
    let numbers = |line: &str| -> Vec<f64> {
        line.split(',').map(|v| v.trim().parse().expect("a number")).collect()
    };
    let rows: Vec<Vec<f64>> = lines(table).lines().map(numbers).collect();
    let columns = rows[0].len();
    let matrix = Matrix::new(rows.len(), columns, rows.concat()).expect("a table");
    let codes = lines(labels).lines().map(|l| l.trim().parse().expect("a code")).collect();
    (Views::new().dense("x", matrix).expect("a view"), classes(codes))
}
