//! ⟨K_m, K_h⟩, ⟨K_m, T⟩ and ⟨T, T⟩ from one pass over the kernels.
//!
//! Centring in feature space, K → HKH with H = I − 11ᵀ/n, is done on the numbers:
//!
//! ```text
//! ⟨HK_mH, HK_hH⟩ = ⟨K_m, K_h⟩ − (2/n) r_mᵀr_h + (1ᵀr_m)(1ᵀr_h)/n²,    r_m = K_m 1
//! ```
//!
//! Of a kernel that is nearly constant this leaves few digits; below 10⁻⁹ of ‖K_m‖² a second pass takes the
//! means off the entries first. A kernel of which nothing is left is constant: its alignment is 0.
//!
//! Of a random sample the products are those that all instances would have ([`sampled`]).
//!
//! The alignment (Cristianini et al. 2002; LMKA §2.3.1) is A(K, T) = ⟨K, T⟩/√(⟨K, K⟩⟨T, T⟩), the centred
//! one (Cortes, Mohri and Rostamizadeh 2010; LMS (2.7)) that of HKH.

use super::{Ideal, sampled};
use crate::bank::{Bank, room_for_pairs};
use crate::data::Matrix;
use crate::run::Pass;
use crate::{Error, Result, Run};

/// Shares of ‖K‖² that centring leaves: below the first a second pass is needed, below the other nothing
/// but rounding is left.
const FEW_DIGITS: f64 = 1e-9;
const NOTHING: f64 = 1e-26;

/// Kernels of single features that are looked at together.
const AT_ONCE: usize = 1_024;

/// Inner products of kernels with each other and with the ideal kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Products {
    /// ⟨K_m, K_h⟩, M × M; 0 for a kernel of which centring leaves nothing. `None` if not asked for.
    pub inner: Option<Matrix>,
    /// ⟨K_m, K_m⟩.
    pub norms: Vec<f64>,
    /// ⟨K_m, T⟩.
    pub with_ideal: Vec<f64>,
    /// ⟨T, T⟩.
    pub ideal: f64,
}

impl Products {
    /// The products of the kernels, or of the kernels and T centred in feature space; `pairs`: of different
    /// kernels, too.
    ///
    /// # Errors
    /// A target of another length or kind; a stop.
    pub fn of(bank: &Bank, ideal: &Ideal, centered: bool, pairs: bool, run: &Run) -> Result<Self> {
        let watch = run.watch();
        let pass = Pass::under(&watch);
        let found = Products::in_pass(bank, ideal, centered, pairs, run, &pass)?;
        pass.complete("the comparison of kernels")?;
        Ok(found)
    }

    /// [`of`](Self::of) in a pass that may be given up.
    pub(crate) fn in_pass(
        bank: &Bank,
        ideal: &Ideal,
        centered: bool,
        pairs: bool,
        run: &Run,
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let (n, kernels) = (bank.n(), bank.len());
        if ideal.n() != n {
            return Err(Error::shape("labels", format!("{n}, one per instance"), ideal.n()));
        }
        if pairs {
            room_for_pairs(kernels, run.memory)?;
        } else if kernels > AT_ONCE && bank.is_all_columns() {
            return Products::by_parts(bank, ideal, centered, run, pass);
        }
        let moments = bank.moments(&ideal.vectors, &ideal.of, pairs, pass);
        let mut with_ideal = ideal.products(&moments.sums, &moments.within, centered);
        let stride = if pairs { kernels } else { 1 };
        let mut inner = moments.inner;
        let own = |inner: &[f64], m: usize| if pairs { inner[m * stride + m] } else { inner[m] };
        let plain: Vec<f64> = (0..kernels).map(|m| own(&inner, m)).collect();
        if centered && !pass.is_given_up() {
            let sums: Vec<&[f64]> = moments.sums.chunks(n).collect();
            let totals: Vec<f64> = sums.iter().map(|r| r.iter().sum()).collect();
            let size = n as f64;
            let change = |m: usize, h: usize| {
                let along: f64 = sums[m].iter().zip(sums[h]).map(|(a, b)| a * b).sum();
                totals[m] * totals[h] / (size * size) - 2.0 * along / size
            };
            for m in 0..kernels {
                if pass.is_over() {
                    break;
                }
                match pairs {
                    true => (0..kernels).for_each(|h| inner[m * kernels + h] += change(m, h)),
                    false => inner[m] += change(m, m),
                }
            }
            let few = |m: usize| own(&inner, m) < FEW_DIGITS * plain[m];
            if !pass.is_given_up() && (0..kernels).any(few) {
                let exact = bank.inner_products(true)?;
                match pairs {
                    true => inner = exact.into_values(),
                    false => (0..kernels).for_each(|m| inner[m] = exact.get(m, m)),
                }
            }
        }
        if let Some(diagonals) = sampled::Diagonals::of(bank, ideal, &moments.sums, centered) {
            diagonals.weigh(&mut inner, &mut with_ideal, pairs);
        }
        let mut norms: Vec<f64> = (0..kernels).map(|m| own(&inner, m)).collect();
        for m in 0..kernels {
            if norms[m] <= NOTHING * plain[m] {
                (norms[m], with_ideal[m]) = (0.0, 0.0);
                if pairs {
                    for h in 0..kernels {
                        (inner[m * kernels + h], inner[h * kernels + m]) = (0.0, 0.0);
                    }
                }
            }
        }
        let inner = if pairs { Some(Matrix::new(kernels, kernels, inner)?) } else { None };
        Ok(Products { inner, norms, with_ideal, ideal: sampled::norm(bank, ideal, centered) })
    }

    /// The products of each kernel by itself, some kernels at a time.
    fn by_parts(
        bank: &Bank,
        ideal: &Ideal,
        centered: bool,
        run: &Run,
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let all: Vec<usize> = (0..bank.len()).collect();
        let (mut norms, mut with_ideal) = (Vec::new(), Vec::new());
        for some in all.chunks(AT_ONCE) {
            let Some(part) = bank.part(some) else { break };
            let found = Products::in_pass(&part, ideal, centered, false, run, pass)?;
            norms.extend(found.norms);
            with_ideal.extend(found.with_ideal);
        }
        let ideal = sampled::norm(bank, ideal, centered);
        Ok(Products { inner: None, norms, with_ideal, ideal })
    }

    /// A(K_m, T) of each kernel, between −1 and 1; 0 of one that is 0.
    pub fn alignments(&self) -> Vec<f64> {
        let one = |(product, norm): (&f64, &f64)| {
            let size = (norm * self.ideal).sqrt();
            if size > 0.0 { (product / size).clamp(-1.0, 1.0) } else { 0.0 }
        };
        self.with_ideal.iter().zip(&self.norms).map(one).collect()
    }

    /// A(Σ η_m K_m, T); 0 where the sum is 0, or pairs were not asked for.
    pub fn alignment(&self, weights: &[f64]) -> f64 {
        let Some(inner) = &self.inner else { return 0.0 };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let norm: f64 = (0..weights.len()).map(|m| weights[m] * dot(inner.row(m), weights)).sum();
        let size = (norm * self.ideal).sqrt();
        if size > 0.0 { (dot(&self.with_ideal, weights) / size).clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// ∂A(Σ η_m K_m, T)/∂η_m (Igel et al. 2007; LMKA §2.3.1.1); 0 where A is.
    pub fn slope(&self, weights: &[f64]) -> Vec<f64> {
        let nothing = vec![0.0; weights.len()];
        let Some(inner) = &self.inner else { return nothing };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // ⟨K_m, K_η⟩, ⟨K_η, K_η⟩ and ⟨K_η, T⟩.
        let along: Vec<f64> = (0..weights.len()).map(|m| dot(inner.row(m), weights)).collect();
        let (norm, product) = (dot(&along, weights), dot(&self.with_ideal, weights));
        let size = norm * (norm * self.ideal).sqrt();
        if size <= 0.0 {
            return nothing;
        }
        let one = |(a, g): (&f64, &f64)| (a * norm - product * g) / size;
        self.with_ideal.iter().zip(&along).map(one).collect()
    }

    /// ‖K_m/unit − T‖_F/√⟨T, T⟩ of each kernel: the distance to the ideal kernel (He et al. 2008; LMKA (2.8),
    /// the square root of its objective).
    pub fn distances(&self, unit: f64) -> Vec<f64> {
        let one = |(product, norm): (&f64, &f64)| {
            let square = norm / (unit * unit) - 2.0 * product / unit + self.ideal;
            (square.max(0.0) / self.ideal).sqrt()
        };
        self.with_ideal.iter().zip(&self.norms).map(one).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Classes, Target};

    /// HKH entry by entry.
    fn centred(k: &Matrix) -> Matrix {
        let n = k.rows();
        let means: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum::<f64>() / n as f64).collect();
        let grand = means.iter().sum::<f64>() / n as f64;
        Matrix::from_fn(n, n, |i, j| k.get(i, j) - means[i] - means[j] + grand)
    }

    fn dot(a: &Matrix, b: &Matrix) -> f64 {
        a.values().iter().zip(b.values()).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn products_are_those_of_the_matrices() {
        let n = 60;
        let x = |i: usize, s: usize| ((i * (s + 3)) as f64 * 0.7).sin() + (i % 3) as f64;
        let kernel = |s: usize| {
            // The last kernel is constant to nine digits.
            let (gamma, lift) = [(0.5, 0.0), (0.05, 0.3), (1e-9, 0.0)][s];
            Matrix::from_fn(n, n, move |i, j| lift + (-gamma * (x(i, s) - x(j, s)).powi(2)).exp())
        };
        let kernels: Vec<Matrix> = (0..3).map(kernel).collect();
        let named = kernels.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone()));
        let bank = Bank::from_matrices(named.collect(), Storage::Resident).unwrap();
        let texts = |k: usize| (0..n).map(|i| (i * i % 7 % k).to_string()).collect::<Vec<_>>();
        let real = Target::Real((0..n).map(|i| (i as f64 * 0.3).cos()).collect());
        let classes = |k: usize| Target::Classes(Classes::from_texts(&texts(k)).unwrap());
        for target in [classes(2), classes(3), classes(5), real] {
            let ideal = Ideal::of(&target).unwrap();
            let t = Matrix::from_fn(n, n, |i, j| ideal.entry(i, j));
            for centered in [false, true] {
                let of = |k: &Matrix| if centered { centred(k) } else { k.clone() };
                let found = Products::of(&bank, &ideal, centered, true, &Run::default()).unwrap();
                let alone = Products::of(&bank, &ideal, centered, false, &Run::default()).unwrap();
                let inner = found.inner.as_ref().unwrap();
                for m in 0..3 {
                    for h in 0..3 {
                        let want = dot(&of(&kernels[m]), &of(&kernels[h]));
                        let size = (inner.get(m, m) * inner.get(h, h)).sqrt();
                        let got = inner.get(m, h);
                        assert!((got - want).abs() < 1e-6 * size, "{m} {h}: {got} {want}");
                    }
                    let want = dot(&of(&kernels[m]), &of(&t));
                    // Sums of n² numbers near 1 are exact to 16 digits of n².
                    let tolerance = 1e-10 * want.abs() + 1e-11;
                    assert!((found.with_ideal[m] - want).abs() < tolerance);
                    assert!((alone.norms[m] / found.norms[m] - 1.0).abs() < 1e-12);
                }
                assert!((found.ideal / dot(&of(&t), &of(&t)) - 1.0).abs() < 1e-12);
                let best: Vec<f64> = (0..3).map(|m| f64::from(u8::from(m == 1))).collect();
                assert!((found.alignment(&best) - found.alignments()[1]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_constant_kernel_is_aligned_with_nothing() {
        let bank = Bank::from_matrices(
            vec![("ones".into(), Matrix::from_fn(9, 9, |_, _| 0.7))],
            Storage::Resident,
        )
        .unwrap();
        let ideal = Ideal::of(&Target::Real((0..9).map(f64::from).collect())).unwrap();
        let found = Products::of(&bank, &ideal, true, true, &Run::default()).unwrap();
        assert_eq!((found.norms[0], found.alignments()[0]), (0.0, 0.0));
    }
}
