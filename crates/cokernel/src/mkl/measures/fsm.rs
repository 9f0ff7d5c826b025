//! The feature-space measure FSM: how wide classes are, seen from each other, over how far apart they are.
//!
//! ```text
//! FSM = (s_a + s_b) / ‖m_a − m_b‖
//! ```
//!
//! (Nguyen and Ho 2008; LMKA §2.3.2.) m_a is the centre of class a in feature space and s_a its standard deviation
//! (with n_a − 1): that along the line between the two centres, as in the source, or the total one. LMKA does
//! not say which is meant; the first tells more, because most directions of a feature space say nothing
//! about the classes. Small is good; a kernel that does not part the centres has an infinite one.
//!
//! With weights, in the feature space of Σ η_m K_m: for classes a and b, w_m = ‖m_a − m_b‖² in kernel m, and C_a
//! the M × M covariance over i in a of g_m(i) = ⟨φ_m(x_i) − m_a, m_b − m_a⟩, the FSM along the line is
//!
//! ```text
//! (√(ηᵀC_a η) + √(ηᵀC_b η)) / wᵀη
//! ```
//!
//! a convex function over a linear one. For several classes numerators and denominators are summed over all
//! pairs, the mean of the FSM of the pairs weighted by the squared distances of their centres.

use super::Ideal;
use crate::bank::{Bank, room_for_pairs};
use crate::data::Matrix;
use crate::run::Pass;
use crate::{Error, Result, Run};

/// What the FSM of all weighted sums of M kernels is made of.
#[derive(Debug, Clone)]
pub struct Spread {
    kernels: usize,
    /// C of each class towards each other, M × M.
    along: Vec<Vec<f64>>,
    /// ‖m_a − m_b‖² of each pair, by kernel.
    apart: Vec<Vec<f64>>,
    /// Total variances of a and b of each pair, by kernel.
    total: Vec<[Vec<f64>; 2]>,
}

impl Spread {
    /// Of the classes of an ideal kernel.
    ///
    /// # Errors
    /// Real numbers.
    pub(crate) fn in_pass(bank: &Bank, ideal: &Ideal, run: &Run, pass: &Pass<'_>) -> Result<Self> {
        let (n, kernels, k) = (bank.n(), bank.len(), ideal.classes());
        if k == 0 {
            let problem = "FSM compares classes; there are real numbers";
            return Err(Error::Labels(problem.to_string()));
        }
        room_for_pairs(kernels, run.memory)?;
        let of: Vec<usize> = ideal.of.iter().map(|c| *c as usize).collect();
        let counts: Vec<f64> = ideal.counts.iter().map(|c| *c as f64).collect();
        let indicators =
            Matrix::from_fn(n, k, |i, c| if of[i] == c { 1.0 / counts[c] } else { 0.0 });
        // ⟨φ(x_i), m_c⟩ for all kernels.
        let towards: Vec<Matrix> =
            (0..kernels).map(|m| bank.apply_in(m, &indicators, pass)).collect();
        let members: Vec<Vec<usize>> =
            (0..k).map(|c| (0..n).filter(|i| of[*i] == c).collect()).collect();
        // ⟨m_a, m_b⟩ and the total variance of a.
        let between = |m: usize, a: usize, b: usize| {
            members[a].iter().map(|i| towards[m].get(*i, b)).sum::<f64>() / counts[a]
        };
        let variance = |m: usize, a: usize| {
            let own: f64 = members[a].iter().map(|i| bank.own(m, *i)).sum();
            ((own - counts[a] * between(m, a, a)) / (counts[a] - 1.0).max(1.0)).max(0.0)
        };
        let each = |value: &dyn Fn(usize) -> f64| (0..kernels).map(value).collect::<Vec<f64>>();
        let (mut along, mut apart, mut total) = (Vec::new(), Vec::new(), Vec::new());
        for a in 0..k {
            for b in 0..a {
                for (own, other) in [(a, b), (b, a)] {
                    let part = covariance(&towards, &members[own], own, other);
                    along.push(part);
                }
                let square =
                    |m: usize| between(m, a, a) + between(m, b, b) - 2.0 * between(m, a, b);
                apart.push(each(&|m| square(m).max(0.0)));
                total.push([a, b].map(|c| each(&|m| variance(m, c))));
            }
        }
        Ok(Spread { kernels, along, apart, total })
    }

    /// Σ of the squared distances between centres over the pairs, by kernel: the denominator.
    pub(crate) fn distances(&self) -> Vec<f64> {
        let sum = |m: usize| self.apart.iter().map(|w| w[m]).sum();
        (0..self.kernels).map(sum).collect()
    }

    /// The covariances, two for each pair.
    pub(crate) fn covariances(&self) -> &[Vec<f64>] {
        &self.along
    }

    /// FSM along the line between the centres, of each kernel.
    pub fn along(&self) -> Vec<f64> {
        let distances = self.distances();
        let width = |m: usize| {
            self.along.iter().map(|c| c[m * self.kernels + m].max(0.0).sqrt()).sum::<f64>()
        };
        (0..self.kernels).map(|m| ratio(width(m), distances[m])).collect()
    }

    /// FSM with total deviations, of each kernel.
    pub fn total(&self) -> Vec<f64> {
        let distances = self.distances();
        let pair = |m: usize, (w, [u, v]): (&Vec<f64>, &[Vec<f64>; 2])| {
            (u[m].sqrt() + v[m].sqrt()) * w[m].sqrt()
        };
        let width = |m: usize| self.apart.iter().zip(&self.total).map(|p| pair(m, p)).sum::<f64>();
        (0..self.kernels).map(|m| ratio(width(m), distances[m])).collect()
    }
}

fn ratio(width: f64, distance: f64) -> f64 {
    if distance > 0.0 { width / distance } else { f64::INFINITY }
}

/// Covariance over the members of `own` of their places along the line to the centre of `other`.
fn covariance(towards: &[Matrix], members: &[usize], own: usize, other: usize) -> Vec<f64> {
    let (kernels, count) = (towards.len(), members.len() as f64);
    let places: Vec<Vec<f64>> = towards
        .iter()
        .map(|t| {
            let place = |i: &usize| t.get(*i, other) - t.get(*i, own);
            let mean = members.iter().map(place).sum::<f64>() / count;
            members.iter().map(|i| place(i) - mean).collect()
        })
        .collect();
    let mut out = vec![0.0; kernels * kernels];
    for m in 0..kernels {
        for h in 0..=m {
            let dot: f64 = places[m].iter().zip(&places[h]).map(|(a, b)| a * b).sum();
            let value = dot / (count - 1.0).max(1.0);
            (out[m * kernels + h], out[h * kernels + m]) = (value, value);
        }
    }
    out
}
