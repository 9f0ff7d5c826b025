//! Learning towards landmarks: instances, views, widths of each, columns of each, rank, method (simple_mkl, lp_norm …),
//! machine, landmarks.
//!
//! Makes its own data (two classes; half of the views tell something), fits, and prints one line of JSON: CPU seconds, wall
//! seconds, peak memory, gap, passes.

use cokernel::Run;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::Mkl;
use cokernel_benches::{cpu_seconds, peak_memory};
use std::time::Instant;

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
    let number = |k: usize| args[k].parse::<usize>().expect("a number");
    let (n, views, widths, columns, rank) = (number(1), number(2), number(3), number(4), number(5));
    let (method, machine, landmarks) = (args[6].as_str(), args[7].as_str(), args[8].as_str());
    let mut rng = Generator(7);
    let codes: Vec<u32> = (0..n).map(|_| u32::from(rng.uniform() < 0.5)).collect();
    let mut all = Views::new();
    for v in 0..views {
        // A ring against a blob, at another scale in each view; the later views are noise.
        let useful = 2 * v < views + 1;
        let mut values = Vec::with_capacity(n * columns);
        for code in &codes {
            let radius = if useful && *code == 1 { 1.0 + 0.25 * (v + 1) as f64 } else { 1.0 };
            values.extend((0..columns).map(|_| radius * rng.normal()));
        }
        all = all
            .dense(format!("v{v}"), Matrix::new(n, columns, values).expect("values"))
            .expect("a view");
    }
    let labels = Labels::Classes {
        names: vec!["a".into(), "b".into()],
        codes: codes.into_iter().map(Some).collect(),
    };
    let spec = format!("gaussian:sigma=median*2^-{}..{}", widths / 2, widths - 1 - widths / 2);
    let mkl = Mkl::new(method)
        .expect("a method")
        .kernels(KernelSpec::parse_list(&spec).expect("kernels"))
        .machine(machine.parse::<MachineSpec>().expect("a machine"))
        .storage(format!("nystroem:rank={rank}:landmarks={landmarks}").parse().expect("a storage"));
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    let model = mkl.fit(&all, &labels, &Run::default()).expect("a model");
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
    let report = model.report();
    let line = serde_json::json!({
        "n": n, "cpu": cpu, "wall": wall, "bytes": peak_memory(), "gap": report.gap, "gaps": report.gaps,
        "status": report.status, "details": report.details, "notes": report.notes, "warnings": report.warnings,
        "weights": model.weights().iter().filter(|w| w.weight > 1e-4).map(|w| (w.kernel.clone(), w.weight)).collect::<Vec<_>>(),
    });
    println!("{line}");
}
