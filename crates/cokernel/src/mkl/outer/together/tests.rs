use super::*;
use crate::bank::{Bank, Storage};
use crate::data::{Classes, Matrix, Views};
use crate::kernel::KernelSpec;
use crate::machine::{Machine, MachineSpec};
use crate::mkl::outer::Outer;
use crate::mkl::outer::simplex::Simplex;
use crate::mkl::sets::scaled::Scaled;

const N: usize = 30;

/// Numbers between −1 and 1 without a pattern.
fn noise(i: usize, j: usize) -> f64 {
    (((i * 8_191 + j * 131 + 7) as f64 * 12.989_8).sin() * 43_758.545_3).fract()
}

/// Twice as many features as instances, one of them 0, one twice, one ten thousand times as large; and numbers on three.
fn data() -> (Bank, Vec<f64>) {
    let x = Matrix::from_fn(N, 2 * N, |i, j| match j {
        5 => 0.0,
        6 => noise(i, 7),
        8 => 1e4 * noise(i, 8),
        _ => noise(i, j),
    });
    let y = (0..N).map(|i| x.get(i, 0) + x.get(i, 1) - x.get(i, 7) + 0.4 * noise(i, 999)).collect();
    let views = Views::new().dense("x", x).unwrap();
    let specs =
        KernelSpec::parse_list("linear:per_feature:normalize=center_unit_variance").unwrap();
    (Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap(), y)
}

fn classes(y: &[f64], count: usize) -> Target {
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    let of = |v: &f64| sorted.iter().position(|s| s == v).unwrap() * count / N;
    let texts: Vec<String> = y.iter().map(|v| of(v).to_string()).collect();
    Target::Classes(Classes::from_texts(&texts).unwrap())
}

fn machine(text: &str) -> Box<dyn Machine> {
    text.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap()
}

/// The same objective as the loop around machines, both proved, for every loss, several decision functions and sets.
#[test]
fn what_is_found_is_what_the_loop_finds() {
    let (bank, y) = data();
    let real = Target::Real(y.clone());
    let (two, three) = (classes(&y, 2), classes(&y, 3));
    let simplex: Box<dyn Set> = Box::new(Simplex);
    let factors = (0..bank.len()).map(|m| 0.5 + (m % 4) as f64).collect();
    let scaled: Box<dyn Set> = Box::new(Scaled { set: Simplex, factors });
    for (text, target) in [
        ("svc:c=1e-3", &two),
        ("svc:c=1", &two),
        ("svc:c=1e6", &two),
        ("svc:c=1", &three),
        ("svc:c=1:decomposition=one_vs_one", &three),
        ("svr:c=1:epsilon=0.1", &real),
        ("svr:c=10:epsilon=0", &real),
        ("svr:c=1e3:epsilon=0.01", &real),
    ] {
        for set in [&simplex, &scaled] {
            let exact = machine(&format!("{text}:tol=1e-9"));
            let problem = Problem::new(&bank, target, exact.as_ref());
            let run = Run::default();
            assert!(serves(&**set, &problem, &run), "{text}");
            assert!(!serves(&**set, &problem, &Run { memory: 1000, ..Run::default() }), "{text}");
            let found = solve(&**set, &problem, 1e-6, &run.watch()).expect(text);
            assert!(found.iterations < 40, "{text}: {}", found.iterations);
            let outer = Outer {
                title: "test",
                set: &**set,
                tol: 1e-6,
                max_iterations: 2_000,
                second: true,
            };
            let learned = outer.learn_together(&problem, &run, &run.watch(), false).unwrap();
            let value = *learned.report.objective.last().unwrap();
            let off = (found.machines.primal() - value) / value;
            assert!(off.abs() <= 2e-6, "{text}: {off:.1e} ({:?})", learned.report.status);
            // Its own numbers, from the kernels alone.
            let forms = bank.quad_forms(&found.machines.coefs());
            let half: Vec<f64> =
                (0..bank.len()).map(|m| 0.5 * forms.iter().map(|q| q[m]).sum::<f64>()).collect();
            let lower = found.machines.linear() - set.conjugate(&half);
            let gap = (found.machines.primal() - lower) / found.machines.primal();
            assert!((-1e-12..=1.01e-6).contains(&gap), "{text}: {gap:.1e}");
            let sums = found.machines.heads().map(|h| {
                let size: f64 = h.coef.iter().map(|c| c.abs()).sum();
                h.coef.iter().sum::<f64>().abs() / size
            });
            assert!(sums.fold(0.0, f64::max) < 1e-12, "{text}");
            assert_eq!(found.weights[5], 0.0, "{text}");
        }
    }
}

/// A unit of the kernels, with C over it, changes nothing.
#[test]
fn the_unit_of_the_kernels_does_not_count() {
    let (bank, y) = data();
    let target = classes(&y, 2);
    let of = |bank: &Bank, c: f64| {
        let machine = machine(&format!("svc:c={c:e}"));
        let problem = Problem::new(bank, &target, machine.as_ref());
        solve(&Simplex, &problem, 1e-5, &Run::default().watch()).unwrap()
    };
    let first = of(&bank, 1.0);
    for unit in [1e-12, 1e12_f64] {
        let x = Matrix::from_fn(N, 2 * N, |i, m| {
            let diagonal = bank.diagonal(m);
            let largest = (0..N).max_by(|a, b| diagonal[*a].total_cmp(&diagonal[*b])).unwrap();
            if diagonal[largest] == 0.0 {
                return 0.0;
            }
            bank.entry(m, i, largest) / diagonal[largest].sqrt() * unit.sqrt()
        });
        let views = Views::new().dense("x", x).unwrap();
        let specs = KernelSpec::parse_list("linear:per_feature").unwrap();
        let other = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
        let found = of(&other, 1.0 / unit);
        let off = found.machines.primal() * unit / first.machines.primal() - 1.0;
        assert!(off.abs() < 2e-5, "{unit:e}: {off:.1e}");
    }
}

/// Beyond the C of a hard margin nothing changes.
#[test]
fn costs_of_any_size() {
    let (bank, y) = data();
    let (classes, real) = (classes(&y, 2), Target::Real(y.clone()));
    for (first, second, target) in [
        ("svc:c=1e5", "svc:c=1e12", &classes),
        ("svc:c=1e5", "svc:c=1e17", &classes),
        ("svr:c=1e4:epsilon=0", "svr:c=1e8:epsilon=0", &real),
        ("svr:c=1e4:epsilon=1e-3", "svr:c=1e6:epsilon=1e-3", &real),
    ] {
        let of = |text: &str| {
            let machine = machine(text);
            let problem = Problem::new(&bank, target, machine.as_ref());
            solve(&Simplex, &problem, 1e-4, &Run::default().watch()).expect(text)
        };
        let (first, found) = (of(first), of(second));
        let off = found.machines.primal() / first.machines.primal() - 1.0;
        assert!(off.abs() < 2e-4, "{second}: {off:.1e}");
        // What is not needed has no weight.
        let count = |t: &Together| t.weights.iter().filter(|w| **w > 0.0).count();
        assert!(count(&found) <= N + 2, "{second}: {}", count(&found));
    }
}
