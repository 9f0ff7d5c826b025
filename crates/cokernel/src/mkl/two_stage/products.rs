//! Products of kernels as the features of a pair: (6.1) of LMS.
//!
//! A K-example (k_1, …, k_M) gets the features k_a, k_a k_b (a ≤ b) and, for degree 3, k_a k_b k_c (a ≤ b ≤ c):
//! `distinct` products, C(M + d, d) − 1 of them. (6.1) lists each order of a product for itself; under λ/2 ‖μ‖² the r
//! copies of a product have the weight ν/r each and cost ν²/r, the same as one feature √r times as large, which is how
//! `ordered` products are kept. Under λ Σ μ copies cost what one costs.

/// Products of up to `degree` kernels.
#[derive(Debug, Clone)]
pub(in crate::mkl) struct Products {
    kernels: usize,
    degree: usize,
    /// What each is multiplied by; empty: 1.
    factors: Vec<f64>,
}

/// The number of products of up to `degree` of M kernels; `None` if that is more than there can be.
pub(in crate::mkl) fn count(kernels: usize, degree: usize) -> Option<usize> {
    let of = |d: usize| (0..d).try_fold(1usize, |c, k| Some(c.checked_mul(kernels + k)? / (k + 1)));
    (1..=degree).try_fold(0usize, |sum, d| sum.checked_add(of(d)?))
}

impl Products {
    /// Of 1 to 3 kernels; `ordered` as under λ/2 ‖μ‖².
    pub fn new(kernels: usize, degree: usize, ordered: bool) -> Self {
        let mut products = Products { kernels, degree, factors: Vec::new() };
        if ordered {
            let orders = |term: &Vec<u32>| -> f64 {
                let different = term.windows(2).filter(|w| w[0] != w[1]).count();
                match (term.len(), different) {
                    (_, 0) => 1.0,
                    (2, _) => 2.0,
                    (_, 1) => 3.0,
                    _ => 6.0,
                }
            };
            products.factors = products.terms().iter().map(|t| orders(t).sqrt()).collect();
        }
        products
    }

    /// The kernels of each product, ascending.
    pub fn terms(&self) -> Vec<Vec<u32>> {
        let m = self.kernels as u32;
        let mut terms: Vec<Vec<u32>> = (0..m).map(|a| vec![a]).collect();
        let mut last = 0;
        for _ in 1..self.degree {
            let (from, to) = (last, terms.len());
            for t in from..to {
                for next in terms[t][terms[t].len() - 1]..m {
                    let longer = terms[t].iter().copied().chain([next]).collect();
                    terms.push(longer);
                }
            }
            last = to;
        }
        terms
    }

    /// Their number.
    pub fn len(&self) -> usize {
        count(self.kernels, self.degree).unwrap_or(usize::MAX)
    }

    /// What product t counts, beside its value.
    pub fn factor(&self, t: usize) -> f64 {
        self.factors.get(t).copied().unwrap_or(1.0)
    }

    /// The features of one K-example, in the order of [`terms`](Self::terms).
    pub fn write(&self, z: &[f64], out: &mut Vec<f64>) {
        let (m, from) = (self.kernels, out.len());
        out.extend_from_slice(z);
        if self.degree > 1 {
            (0..m).for_each(|a| out.extend(z[a..].iter().map(|v| z[a] * v)));
        }
        if self.degree > 2 {
            for a in 0..m {
                (a..m).for_each(|b| out.extend(z[b..].iter().map(|v| z[a] * z[b] * v)));
            }
        }
        out[from..].iter_mut().zip(&self.factors).for_each(|(v, f)| *v *= f);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_their_terms() {
        for (kernels, degree) in [(1, 3), (2, 2), (3, 1), (3, 3), (5, 3), (7, 2)] {
            let z: Vec<f64> = (0..kernels).map(|k| 0.7 - 0.4 * k as f64).collect();
            let (some, every) =
                (Products::new(kernels, degree, false), Products::new(kernels, degree, true));
            let (mut out, mut ordered) = (Vec::new(), Vec::new());
            some.write(&z, &mut out);
            every.write(&z, &mut ordered);
            let terms = some.terms();
            assert_eq!(Some(terms.len()), count(kernels, degree));
            for (t, term) in terms.iter().enumerate() {
                let product: f64 = term.iter().map(|m| z[*m as usize]).product();
                assert!((out[t] - product).abs() < 1e-15 && term.is_sorted());
                assert_eq!(ordered[t], out[t] * every.factor(t));
            }
            // The squares of the ordered features sum to those of all orders: Σ_d ‖z‖^2d.
            let square: f64 = z.iter().map(|v| v * v).sum();
            let all: f64 = (1..=degree).map(|d| square.powi(d as i32)).sum();
            assert!((ordered.iter().map(|v| v * v).sum::<f64>() / all - 1.0).abs() < 1e-12);
        }
        assert_eq!(count(usize::MAX / 2, 3), None);
    }
}
