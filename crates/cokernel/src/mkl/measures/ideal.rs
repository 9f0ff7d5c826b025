//! The ideal kernel T of a target: what a kernel would be that tells the target and nothing else.
//!
//! | target | T |
//! |---|---|
//! | two classes | yyᵀ with y = ±1 (LMKA §2.3.1) |
//! | k classes | 1 for two instances of one class, −1/(k − 1) for others |
//! | real numbers | yyᵀ, the mean of y taken off |
//!
//! With k classes this is yyᵀ of two, positive semi-definite for any k (the divergence from T needs that),
//! and has mean 0 where the classes are equally large. LMS (2.7) takes ±1 for k classes as well; the two
//! differ by a factor and a constant, so centred alignments are the same.

use crate::Result;
use crate::data::Target;

/// T, by what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Ideal {
    /// Indicators of the classes, or the numbers without their mean.
    pub(super) vectors: Vec<Vec<f64>>,
    /// The vector of each instance.
    pub(super) of: Vec<u32>,
    /// Instances of each class; empty for real numbers.
    pub(super) counts: Vec<usize>,
}

impl Ideal {
    /// The ideal kernel of classes or real numbers.
    ///
    /// # Errors
    /// A target of another kind.
    pub fn of(target: &Target) -> Result<Self> {
        if let Target::Real(values) = target {
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let vector: Vec<f64> = values.iter().map(|v| v - mean).collect();
            let of = vec![0; values.len()];
            return Ok(Ideal { vectors: vec![vector], of, counts: Vec::new() });
        }
        let classes = target.classes()?;
        let indicator = |c: usize| {
            let member = |code: &u32| f64::from(u8::from(*code as usize == c));
            classes.codes.iter().map(member).collect()
        };
        let vectors = (0..classes.n_classes()).map(indicator).collect();
        Ok(Ideal { vectors, of: classes.codes.clone(), counts: classes.counts() })
    }

    /// n.
    pub fn n(&self) -> usize {
        self.of.len()
    }

    /// k, 0 for real numbers.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// T_ij.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (of, vectors) = (&self.of, &self.vectors);
        match self.classes() {
            0 => vectors[0][i] * vectors[0][j],
            _ if of[i] == of[j] => 1.0,
            k => -1.0 / (k - 1) as f64,
        }
    }

    /// T as α Σ_u v_u v_uᵀ − β 11ᵀ: the vectors, α and β.
    pub(in crate::mkl) fn parts(&self) -> (Vec<&[f64]>, f64, f64) {
        let vectors = self.vectors.iter().map(Vec::as_slice).collect();
        match self.classes() {
            0 => (vectors, 1.0, 0.0),
            k => (vectors, k as f64 / (k - 1) as f64, 1.0 / (k - 1) as f64),
        }
    }

    /// ⟨T, T⟩_F, of T centred in feature space if `centered`.
    pub fn norm(&self, centered: bool) -> f64 {
        let n = self.n() as f64;
        let counts: Vec<f64> = self.counts.iter().map(|c| *c as f64).collect();
        let squares: f64 = counts.iter().map(|c| c * c).sum();
        match self.classes() {
            0 => self.vectors[0].iter().map(|y| y * y).sum::<f64>().powi(2),
            k if centered => {
                // ‖Yᵀ H Y‖² of the indicators Y, times (k/(k − 1))².
                let own: f64 = counts.iter().map(|c| (c - c * c / n).powi(2)).sum();
                let others =
                    (squares * squares - counts.iter().map(|c| c.powi(4)).sum::<f64>()) / (n * n);
                (k as f64 / (k - 1) as f64).powi(2) * (own + others)
            }
            k => squares + (n * n - squares) / ((k - 1) as f64).powi(2),
        }
    }

    /// T_ii, or that of T centred in feature space.
    pub(super) fn diagonal(&self, centered: bool) -> Vec<f64> {
        let (n, k) = (self.n() as f64, self.classes());
        let shares: Vec<f64> = self.counts.iter().map(|c| *c as f64 / n).collect();
        let squares: f64 = shares.iter().map(|p| p * p).sum();
        let centred =
            |c: u32| k as f64 / (k - 1) as f64 * (1.0 - 2.0 * shares[c as usize] + squares);
        match k {
            0 => self.vectors[0].iter().map(|y| y * y).collect(),
            _ if centered => self.of.iter().map(|c| centred(*c)).collect(),
            _ => vec![1.0; self.n()],
        }
    }

    /// ⟨K_m, T⟩_F for each kernel, or of the centred ones, from K_m 1 and the sums v_cᵀK_m v_c of the vectors.
    pub(super) fn products(&self, row_sums: &[f64], within: &[f64], centered: bool) -> Vec<f64> {
        let (n, k) = (self.n(), self.classes());
        let kernels = row_sums.len() / n.max(1);
        if k == 0 {
            // The numbers have mean 0, so that centring changes nothing.
            return within.to_vec();
        }
        let product = |m: usize| {
            let sums = &row_sums[m * n..(m + 1) * n];
            let total: f64 = sums.iter().sum();
            let inside: f64 = (0..k).map(|c| within[c * kernels + m]).sum();
            if !centered {
                return (k as f64 * inside - total) / (k - 1) as f64;
            }
            let mut towards = vec![0.0; k];
            sums.iter().zip(&self.of).for_each(|(s, c)| towards[*c as usize] += s);
            let shares = self.counts.iter().map(|c| *c as f64 / n as f64);
            let taken: f64 = shares.zip(&towards).map(|(p, t)| 2.0 * p * t - p * p * total).sum();
            k as f64 / (k - 1) as f64 * (inside - taken)
        };
        (0..kernels).map(product).collect()
    }
}
