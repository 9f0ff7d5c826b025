//! Gaps at a C beyond 10¹⁰, recomputed in sums of two f64: plain loops cannot tell whether they are
//! true there.

use super::mkl::{bank, classes, simple_mkl};
use cokernel::bank::{Gram, Storage};
use cokernel::data::Matrix;
use cokernel::machine::{Block, Svc};
use cokernel::{Run, Status};

/// A sum of two f64.
#[derive(Clone, Copy, Default)]
struct Twice(f64, f64);

impl Twice {
    fn plus(self, v: f64) -> Self {
        let s = self.0 + v;
        let t = s - self.0;
        Twice(s, self.1 + ((self.0 - (s - t)) + (v - t)))
    }

    fn plus_product(self, a: f64, b: f64) -> Self {
        let p = a * b;
        let mut sum = self.plus(p);
        sum.1 += a.mul_add(b, -p);
        sum
    }

    fn value(self) -> f64 {
        self.0 + self.1
    }
}

/// Primal and dual objective with the bias of the machine.
fn objectives(kernel: &Matrix, codes: &[u32], c: f64, dual: &Block) -> (f64, f64) {
    let n = codes.len();
    let (mut norm, mut sum, mut loss, mut total) = (Twice::default(), 0.0, 0.0, Twice::default());
    for i in 0..n {
        let y = if codes[i] == 1 { 1.0 } else { -1.0 };
        let alpha = y * dual.heads[0].coef[i];
        assert!((0.0..=c).contains(&alpha), "{alpha} outside 0 … {c}");
        let products = (0..n)
            .fold(Twice::default(), |s, j| s.plus_product(kernel.get(i, j), dual.heads[0].coef[j]));
        norm = norm
            .plus_product(dual.heads[0].coef[i], products.0)
            .plus_product(dual.heads[0].coef[i], products.1);
        total = total.plus(dual.heads[0].coef[i]);
        sum += alpha;
        let margin = Twice(y * products.0, y * products.1).plus(y * dual.heads[0].bias);
        loss += c * (1.0 - margin.value()).max(0.0);
    }
    assert!(total.value().abs() <= 1e-15 * sum, "Σ α y = {:e} of {sum:e}", total.value());
    (0.5 * norm.value() + loss, sum - 0.5 * norm.value())
}

/// Two classes that overlap, with the Gaussian exp(−‖x−z‖²/width).
fn overlapping(n: usize, cols: usize, width: f64) -> (Matrix, Vec<u32>) {
    let codes: Vec<u32> = (0..n).map(|i| u32::from(i % 3 == 0)).collect();
    let x = Matrix::from_fn(n, cols, |i, j| {
        ((i * (31 + 17 * j)) as f64 * 0.618).sin() + 0.4 * f64::from(codes[i])
    });
    let square = |i: usize, j: usize| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    (Matrix::from_fn(n, n, |i, j| (-square(i, j) / width).exp()), codes)
}

/// Old code: converged at 9.6e-4 where the gap was 2.8e-3.
#[test]
fn gaps_are_true_where_c_is_huge() {
    let mut reached = 0;
    for (cols, width) in [(2, 0.5), (2, 4.0), (4, 4.0), (7, 60.0)] {
        let (kernel, codes) = overlapping(150, cols, width);
        let gram = Gram::new(kernel.clone()).unwrap();
        let classes = classes(&codes);
        let bank = bank(&[kernel.clone(), kernel.clone()], Storage::Resident);
        for c in [1e8, 1e11, 1e12, 1e13, 1e15] {
            let what = format!("{cols} columns, width {width}, C = {c:e}");
            let svc = Svc { c, ..Svc::default() };
            let machines = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
            let dual = &machines.blocks[0];
            let (primal, objective) = objectives(&kernel, &codes, c, dual);
            let gap = (primal - objective) / primal;
            let near = 0.4 * gap + 1e-8;
            assert!((gap - dual.gap).abs() <= near, "{what}: {gap:e}, said {:e}", dual.gap);
            assert_eq!(dual.status == Status::Converged, dual.gap <= 1e-3, "{what}");
            assert!(gap <= 1.02e-3 || dual.status != Status::Converged, "{what}: {gap:e}");
            reached += usize::from(gap <= 1e-3);
            // Its gap has in it what the rounding of the quadratic forms may be, which is much there.
            let learned = simple_mkl(&bank, &classes, &svc, 1e-3, "newton");
            let dual = &learned.machines.as_ref().unwrap().blocks[0];
            let (primal, objective) = objectives(&kernel, &codes, c, dual);
            let (gap, said) = ((primal - objective) / primal, learned.report.gap.unwrap());
            assert!(said >= 0.9 * gap - 1e-8, "{what}: {gap:e}, said {said:e}");
            assert_eq!(learned.report.status == Status::Converged, said <= 1e-3, "{what}");
        }
    }
    assert!(reached >= 16, "{reached} of 20");
}

/// Polynomials on raw features, whose entries are far beyond 1/ε: where f64 does not reach the dual,
/// the primal of the answer is no worse than that of zero weights. On these data only one version, on
/// the way to smaller boxes, failed (1.10 times that of zero weights); up to eight times was seen on raw
/// Zernike moments of digits, which the project does not generate.
#[test]
fn a_machine_is_no_worse_than_none() {
    for (n, cols, share, lift) in [(120, 12, 10, 0.1), (200, 6, 5, 0.02), (200, 7, 6, 0.05)] {
        let codes: Vec<u32> = (0..n).map(|i| u32::from(i % share == 0)).collect();
        let x = Matrix::from_fn(n, cols, |i, j| {
            let size = [700.0, 300.0, 90.0, 20.0, 4.0, 1.0, 150.0][j % 7];
            let wave = ((i * (13 + 7 * j)) as f64 * 0.618).sin();
            size * (0.5 + 0.5 * wave + lift * f64::from(codes[i]))
        });
        let product =
            |i: usize, j: usize| -> f64 { x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum() };
        let kernel = Matrix::from_fn(n, n, |i, j| (1.0 + product(i, j)).powi(3));
        let gram = Gram::new(kernel.clone()).unwrap();
        let classes = classes(&codes);
        for c in [1e-9, 1e-4, 10.0, 1e6, 1e17] {
            let svc = Svc { c, ..Svc::default() };
            let machines = svc.fit(&gram, &classes, None, None, &Run::default()).unwrap();
            let (primal, _) = objectives(&kernel, &codes, c, &machines.blocks[0]);
            let part = primal / (2.0 * c * codes.iter().filter(|v| **v == 1).count() as f64);
            assert!(part <= 1.0 + 1e-9, "{cols} columns, C = {c:e}: {part} of zero weights");
        }
    }
}

/// From coefficients at least 10⁴ times as large as its own: their rounding stayed in f, times C a loss.
#[test]
fn a_start_far_too_large_leaves_no_rounding() {
    let mut checked = 0;
    for (cols, width) in [(2, 0.01), (4, 0.5), (7, 4.0)] {
        let (kernel, codes) = overlapping(100, cols, width);
        let classes = classes(&codes);
        let small = Matrix::from_fn(100, 100, |i, j| 1e-7 * kernel.get(i, j));
        let (gram, small) = (Gram::new(kernel.clone()).unwrap(), Gram::new(small).unwrap());
        for c in [1e8, 1e9, 1e10] {
            let svc = Svc { c, ..Svc::default() };
            let first = svc.fit(&small, &classes, None, None, &Run::default()).unwrap();
            let found = svc.fit(&gram, &classes, None, Some(&first), &Run::default()).unwrap();
            let dual = &found.blocks[0];
            let (primal, objective) = objectives(&kernel, &codes, c, dual);
            let gap = (primal - objective) / primal;
            let what = format!("{cols} columns, C = {c:e}: {gap:e}, said {:e}", dual.gap);
            assert!(gap <= 1.4 * dual.gap + 1e-6, "{what}");
            let size = |machines: &cokernel::machine::Solution| -> f64 {
                machines.blocks[0].heads[0].coef.iter().map(|c| c.abs()).sum()
            };
            checked += usize::from(size(&first) > 1e4 * size(&found));
        }
    }
    assert!(checked >= 3, "{checked}");
}
