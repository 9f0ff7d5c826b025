//! Data and settings made from bytes: the same bytes give the same, and no bytes give zeros.

use cokernel::data::{Csr, Matrix, Scale, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::method::{Entry, Method};
use cokernel::params::{Range, Value};
use std::time::Duration;

/// Numbers at the edges of arithmetic.
const EXTREMES: [f64; 16] = [
    1e8, -1e8, 1e16, 1e77, -1e77, 1e150, -1e150, 1e154, 1e308, -1e308, 1e-8, 1e-16, 1e-150, 1e-200,
    1e-308, 5e-324,
];

/// Factors of whole views.
const SCALES: [f64; 8] = [1.0, 1.0, 1.0, 1e-6, 1e6, 1e-150, 1e150, 0.0];

/// Specifications of kernels, for features and for similarities.
const KERNELS: [&str; 14] = [
    "gaussian",
    "linear",
    "polynomial:degree=3",
    "polynomial:degree=40:gamma=10",
    "gaussian:sigma=2^-4..4",
    "gaussian:gamma=1e-300,1e300",
    "laplacian:gamma=1",
    "exponential:metric=squared_euclidean:scale=mean",
    "sigmoid:gamma=2:coef0=-1",
    "chi2:gamma=1",
    "linear:normalize=center,unit_diagonal",
    "linear:normalize=unit_trace",
    "gaussian:gamma=1:normalize=center_unit_variance",
    "linear:per_feature:normalize=frobenius",
];
const OF_SIMILARITIES: [&str; 4] = [
    "precomputed",
    "precomputed:normalize=center",
    "precomputed:normalize=unit_trace",
    "precomputed:normalize=frobenius,center",
];

/// Bytes that are used up; zeros when there are no more.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A feature: mostly of common size.
    fn value(&mut self) -> f64 {
        match self.byte() {
            b @ 0..=199 => (f64::from(b) - 96.0) / 16.0,
            b @ 200..=231 => f64::from(b - 200) * f64::from(self.byte()) * 1e-3,
            b => EXTREMES[usize::from(b) % EXTREMES.len()] * f64::from(b & 1),
        }
    }

    /// One to three views of `n` instances.
    pub fn views(&mut self, n: usize) -> cokernel::Result<Views> {
        let mut views = Views::new();
        for v in 0..1 + self.below(3) {
            let (kind, cols) = (self.below(6), 1 + self.below(4));
            let scale = *self.of(&SCALES);
            let mut matrix =
                |rows: usize, cols| Matrix::from_fn(rows, cols, |_, _| self.value() * scale);
            let table = match kind {
                0..=2 => Table::Dense(matrix(n, cols)),
                3 => {
                    let m = matrix(n, cols);
                    let row = |i: usize| {
                        let cells = m.row(i).iter().enumerate().filter(|c| *c.1 != 0.0);
                        cells.map(|(j, v)| (j as u32 * 3, *v)).collect()
                    };
                    Table::Sparse(Csr::from_rows(3 * cols, (0..n).map(row).collect())?)
                }
                // A similarity of features, or numbers without any meaning.
                4 => {
                    let m = matrix(n, cols);
                    let dot = |i: usize, j: usize| {
                        m.row(i).iter().zip(m.row(j)).map(|(a, b)| a * b).sum::<f64>()
                    };
                    Table::Similarity(Matrix::from_fn(n, n, dot))
                }
                _ => {
                    let m = matrix(n, n);
                    let at = |i: usize, j: usize| m.get(i.min(j), i.max(j));
                    Table::Similarity(Matrix::from_fn(n, n, at))
                }
            };
            views = views.with(format!("v{v}"), table)?;
        }
        Ok(views)
    }

    /// A list of kernels that the views can serve, or none for the default.
    pub fn kernels(&mut self, views: &Views) -> cokernel::Result<Option<Vec<KernelSpec>>> {
        let count = self.below(4);
        let mut all = Vec::new();
        for _ in 0..count {
            let similarity =
                self.byte().is_multiple_of(4) || views.iter().all(|v| v.table.is_similarity());
            let text = if similarity { *self.of(&OF_SIMILARITIES) } else { *self.of(&KERNELS) };
            all.push(text.parse()?);
        }
        Ok((count > 0).then_some(all))
    }

    /// How columns are scaled.
    pub fn scale(&mut self) -> Scale {
        *self.of(&[Scale::None, Scale::None, Scale::Standard, Scale::MinMax])
    }

    /// 10^e, e from `low` to `high`.
    pub fn power(&mut self, low: i32, high: i32) -> f64 {
        10_f64.powi(low + self.below((high - low + 1) as usize) as i32)
    }

    /// A method and values for some of its parameters.
    pub fn method<T: ?Sized>(
        &mut self,
        registry: &[&'static Entry<T>],
        views: &Views,
    ) -> (&'static Method, Vec<(&'static str, Value)>) {
        let method = self.of(registry).method;
        let mut given = Vec::new();
        for param in method.params {
            if !self.byte().is_multiple_of(3) {
                continue;
            }
            let value = match param.range {
                Range::Int { min, max, .. } => {
                    Value::Int(min.saturating_add(self.below(12) as i64).min(max))
                }
                Range::Real { min, max, .. } | Range::Reals { min, max, .. } => {
                    let (low, value) = (min.max(-1e6), self.power(-12, 6));
                    Value::Real((low + value).min(max))
                }
                Range::Choice { of, .. } | Range::Factors { of, .. } => {
                    Value::Text(self.of(of).to_string())
                }
                Range::Text { default, .. } => match views.iter().nth(self.below(4)) {
                    Some(view) => Value::Text(view.name.clone()),
                    None => Value::Text(default.to_string()),
                },
            };
            given.push((param.name, value));
        }
        (method, given)
    }

    /// A run that ends soon, whatever it computes.
    pub fn run(&mut self) -> cokernel::Run {
        let mut run = cokernel::Run::with_seed(u64::from(self.byte()));
        run.time_limit = Some(Duration::from_millis(300));
        run
    }
}

/// The same bits, or no numbers in both.
pub fn same_bits(a: &Matrix, b: &Matrix) -> bool {
    let bits = |m: &Matrix| m.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    a.cols() == b.cols() && bits(a) == bits(b)
}

/// Bytes without meaning, as inputs to begin with.
pub fn noise(inputs: usize, length: usize) -> Vec<Vec<u8>> {
    let mut rng = crate::mutate::Rng::new(7);
    (0..inputs).map(|_| (0..length).map(|_| rng.bits() as u8).collect()).collect()
}
