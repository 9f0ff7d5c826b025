//! [`Known`]: the products K_m c that a search has had of late, which it wants again.
//!
//! Where the combination is read by rows ([`Bank::combined_rows`]), a machine starts with its product with the coefficients
//! of the machine before, and ends with that with what they changed by; the quadratic forms and the Hessian then want K_m c of
//! the new ones. All of them are sums over m of products K_m c that are linear in c, whatever the weights: mostly one pass over the
//! kernels for each machine instead of three, beside the one that forms the combination. That counts where a pass reads a file that is larger than memory.
//!
//! A sum of products has the rounding of both, so after [`STEPS`] of them a product is computed from its c again. Whose
//! vectors come in an order that depends on threads (machines of several problems at once) must do without.

use super::Bank;
use crate::run::Pass;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Vectors whose products are kept.
const KEPT: usize = 4;
/// Products that are added before one is computed anew.
const STEPS: usize = 8;
/// Numbers that the products of one vector may take.
const LARGEST: usize = 1 << 21;
/// Columns computed by one task.
const CHUNK: usize = 1_024;

/// The products of one vector.
#[derive(Debug, Default)]
struct Entry {
    coef: Vec<f64>,
    /// K_m c of each kernel that was asked for.
    products: Vec<Option<Vec<f64>>>,
    /// Sums that they were made by.
    steps: usize,
}

/// Products of the kernels of one bank with vectors.
#[derive(Debug, Default)]
pub(crate) struct Known {
    entries: Mutex<Vec<Entry>>,
}

impl Entry {
    /// Whether these are the same coefficients but for rounding.
    fn is_of(&self, coef: &[f64]) -> bool {
        let near = 4.0 * f64::EPSILON * largest(coef);
        self.coef.iter().zip(coef).all(|(a, b)| (a - b).abs() <= near)
    }

    /// The products with c + d from those with c and d; nothing where most of them would be lost to rounding, or
    /// after too many sums.
    fn sum(&self, other: &Entry) -> Option<Entry> {
        let steps = self.steps + other.steps + 1;
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
        let coef = add(&self.coef, &other.coef);
        if steps > STEPS || 4.0 * largest(&coef) < largest(&self.coef) {
            return None;
        }
        let pairs = self.products.iter().zip(&other.products);
        let products = pairs.map(|(a, b)| Some(add(a.as_ref()?, b.as_ref()?))).collect();
        Some(Entry { coef, products, steps })
    }
}

impl Known {
    /// Vectors with fewer entries are of single rows, and not kept.
    pub(super) const FEW: usize = 32;

    /// Room for the products of this bank; none where they would take too much of it, or where kernels are read
    /// otherwise.
    pub(crate) fn new(bank: &Bank) -> Option<Self> {
        let fits = bank.n().saturating_mul(bank.len()) <= LARGEST;
        (fits && bank.tiles.engine.columns.is_none() && bank.factors().is_none())
            .then(Self::default)
    }

    /// `use_it` on K_m c of each kernel, those in `wanted` among them, from what is known or in one pass. `since` is a vector
    /// whose sum with c will be asked for next. `None` if the pass was given up.
    pub(super) fn with<T>(
        &self,
        bank: &Bank,
        wanted: &[usize],
        (coef, since): (&[f64], Option<&[f64]>),
        pass: &Pass<'_>,
        use_it: impl FnOnce(&[Option<Vec<f64>>]) -> T,
    ) -> Option<T> {
        // Not locked while it computes: a thread that waits for others may take up work that asks again.
        let mut entry = self.take(coef).unwrap_or_else(|| Entry {
            coef: coef.to_vec(),
            products: vec![None; bank.len()],
            steps: 0,
        });
        let missing: Vec<usize> =
            wanted.iter().copied().filter(|m| entry.products[*m].is_none()).collect();
        for (m, product) in missing.iter().zip(bank.products_for(&missing, coef, pass)) {
            entry.products[*m] = Some(product);
        }
        if pass.is_given_up() {
            return None;
        }
        let found = use_it(&entry.products);
        if coef.iter().filter(|c| **c != 0.0).count() >= Self::FEW {
            let sum = since.and_then(|since| {
                let before = self.take(since)?;
                let sum = before.sum(&entry);
                self.keep(before);
                sum
            });
            self.keep(sum.unwrap_or(entry));
        }
        Some(found)
    }

    /// cᵀ K_m c of the kernels in `wanted`.
    pub(crate) fn forms(
        &self,
        bank: &Bank,
        wanted: &[usize],
        coef: &[f64],
        pass: &Pass<'_>,
    ) -> Option<Vec<f64>> {
        self.with(bank, wanted, (coef, None), pass, |products| {
            let form = |m: &usize| {
                let product = products[*m].as_deref().unwrap_or_default();
                let terms = coef.iter().zip(product).filter(|(c, _)| **c != 0.0);
                terms.map(|(c, p)| c * p).sum()
            };
            wanted.iter().map(form).collect()
        })
    }

    /// `visit(m, K_m c)` for the kernels in `wanted`, in their order; not at all if the pass is given up.
    pub(crate) fn each(
        &self,
        bank: &Bank,
        wanted: &[usize],
        coef: &[f64],
        pass: &Pass<'_>,
        mut visit: impl FnMut(usize, &[f64]),
    ) {
        self.with(bank, wanted, (coef, None), pass, |products| {
            for m in wanted {
                visit(*m, products[*m].as_deref().unwrap_or_default());
            }
        });
    }

    /// Whether the products with this vector are kept.
    pub(super) fn has(&self, coef: &[f64]) -> bool {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().any(|e| e.is_of(coef))
    }

    fn take(&self, coef: &[f64]) -> Option<Entry> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|e| e.is_of(coef))?;
        Some(entries.remove(at))
    }

    fn keep(&self, entry: Entry) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(0, entry);
        entries.truncate(KEPT);
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| a.max(v.abs()))
}

impl Bank {
    /// K_m c of these kernels, all entries, in one pass. Of no use if it is given up.
    ///
    /// Computed kernels of which few rows are wanted are computed by rows; those that lie somewhere are read in order,
    /// unless hardly any row is wanted.
    fn products_for(&self, kernels: &[usize], coef: &[f64], pass: &Pass<'_>) -> Vec<Vec<f64>> {
        let n = self.n;
        if kernels.is_empty() {
            return Vec::new();
        }
        let rows: Vec<usize> = (0..n).filter(|i| coef[*i] != 0.0).collect();
        let part = if self.tiles.is_computed() { 4 } else { 16 };
        if part * rows.len() > n {
            let sums = self.some_products(kernels, &[coef], true, pass);
            return sums.chunks(n).map(<[f64]>::to_vec).collect();
        }
        let chunks: Vec<usize> = (0..n).step_by(CHUNK).collect();
        let parts: Vec<Vec<f64>> = chunks
            .into_par_iter()
            .map(|start| {
                let len = CHUNK.min(n - start);
                let (mut values, mut sums) =
                    (vec![0.0; len * kernels.len()], vec![0.0; len * kernels.len()]);
                for &i in &rows {
                    if pass.is_over() {
                        break;
                    }
                    self.tiles.entries(kernels, i, start..start + len, &mut values);
                    sums.iter_mut().zip(&values).for_each(|(s, v)| *s += coef[i] * v);
                }
                sums
            })
            .collect();
        let of = |a: usize| {
            parts.iter().flat_map(move |p| {
                let len = p.len() / kernels.len();
                p[a * len..(a + 1) * len].iter().copied()
            })
        };
        (0..kernels.len()).map(|a| of(a).collect()).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Storage;
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    #[test]
    fn what_is_known_is_what_is_computed() {
        let n = 300;
        let x = Matrix::from_fn(n, 3, |i, j| ((i * 7 + j * 3) as f64 * 0.37).sin());
        let views = Views::new().dense("v", x).unwrap();
        let specs = KernelSpec::parse_list("gaussian:sigma=0.3,1,5").unwrap();
        let vector = |part: usize| -> Vec<f64> {
            let value = |i: usize| ((i * (part + 2)) as f64 * 0.3).cos();
            (0..n).map(|i| if i % part == 0 { value(i) } else { 0.0 }).collect()
        };
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
        for storage in [Storage::Resident, Storage::ResidentF32, Storage::OnDemand] {
            let bank = Bank::build(&views, &specs, storage, &Run::default()).unwrap();
            let (known, pass) = (Known::new(&bank).unwrap(), Pass::default());
            let product = |m: usize, c: &[f64]| {
                bank.apply(m, &Matrix::from_fn(n, 1, |i, _| c[i])).into_values()
            };
            let check = |m: usize, c: &[f64], found: &[f64]| {
                let near = |(a, b): (&f64, f64)| (a - b).abs() < 1e-11;
                assert!(found.iter().zip(product(m, c)).all(near), "{m}");
            };
            let (first, second, some) = (vector(1), vector(2), vector(8));
            known.with(&bank, &[0, 1, 2], (&first, None), &pass, |_| ()).unwrap();
            known.with(&bank, &[1, 2], (&second, Some(&first)), &pass, |_| ()).unwrap();
            let both = add(&first, &second);
            assert!(known.has(&first) && known.has(&both) && !known.has(&second));
            // Few rows, and a sum of a sum; a kernel that was left out; from what is known alone.
            known.with(&bank, &[2], (&some, Some(&both)), &pass, |_| ()).unwrap();
            let sum = add(&both, &some);
            for wanted in [vec![2], vec![0, 2], vec![0, 1, 2]] {
                let mut seen = Vec::new();
                known.each(&bank, &wanted, &sum, &pass, |m, product| {
                    check(m, &sum, product);
                    seen.push(m);
                });
                assert_eq!(seen, wanted);
                let forms = known.forms(&bank, &wanted, &sum, &pass).unwrap();
                let all = bank.quad_forms(&[&sum]).swap_remove(0);
                for (m, form) in wanted.iter().zip(forms) {
                    assert!((form - all[*m]).abs() < 1e-9 * all[*m].abs());
                }
            }
            // A difference that is lost to rounding is not made from a sum.
            let back: Vec<f64> = both.iter().map(|b| 1e-9 - b).collect();
            known.with(&bank, &[0], (&back, Some(&both)), &pass, |_| ()).unwrap();
            assert!(known.has(&back) && !known.has(&add(&both, &back)));
        }
    }
}
