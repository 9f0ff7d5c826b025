//! T(p) = Σ_u c_uᵀ K^p c_u of one kernel with values in (0, 1], and its largest value over an interval with a bound.
//!
//! With s_ij = −log k_ij ≥ 0 and a_ij = Σ_u c_ui c_uj it is Σ a_ij exp(−p s_ij): F − G with the positive and the
//! negative a, both convex and decreasing in p. Over [a, b] F is at most its chord and G at least each of its tangents, so T
//! is at most the concave function that is their difference, whose largest value is at a, b or where the tangents of G at
//! both ends meet. The interval with the largest bound is halved (in log p) until that is near enough to the largest value
//! that was met. Of values below 0, or of 0, s is infinite: their powers are 0.

use crate::Watch;
use crate::bank::Bank;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Intervals that are looked at, at most.
const MOST: usize = 20_000;

/// Pairs with their s and a; the diagonal and pairs with a = 0 apart.
pub(super) struct Profile {
    positive: Vec<(f64, f64)>,
    negative: Vec<(f64, f64)>,
    /// Σ a over the pairs with s = 0.
    constant: f64,
    plain: f64,
}

/// The largest T.
#[derive(Debug, Clone, Copy)]
pub(super) struct Largest {
    /// Where the largest value that was met is.
    pub at: f64,
    /// What T is nowhere above.
    pub above: f64,
}

/// F, F', G and G' at p, without the constant.
#[derive(Debug, Clone, Copy)]
struct At {
    p: f64,
    f: f64,
    g: f64,
    slope: f64,
}

impl At {
    fn value(&self) -> f64 {
        self.f - self.g
    }
}

struct Interval {
    left: At,
    right: At,
    above: f64,
}

impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    fn cmp(&self, other: &Self) -> Ordering {
        self.above.total_cmp(&other.above).then(other.left.p.total_cmp(&self.left.p))
    }
}

impl Interval {
    fn new(left: At, right: At) -> Self {
        let width = right.p - left.p;
        let chord = (right.f - left.f) / width;
        let mut above = left.value().max(right.value());
        // Where the tangents of G meet: g_l + s_l t = g_r + s_r (t − width).
        let bend = left.slope - right.slope;
        if bend < 0.0 {
            let t = ((right.g - left.g - right.slope * width) / bend).clamp(0.0, width);
            let tangent = (left.g + left.slope * t).max(right.g + right.slope * (t - width));
            above = above.max(left.f + chord * t - tangent.max(0.0));
        }
        Interval { left, right, above }
    }
}

impl Profile {
    /// Of kernel m, at the coefficients of some decision functions.
    pub fn new(bank: &Bank, m: usize, coefs: &[&[f64]]) -> Self {
        let used = |i: &usize| coefs.iter().any(|c| c[*i] != 0.0);
        let rows: Vec<usize> = (0..bank.n()).filter(used).collect();
        let columns: Vec<u32> = rows.iter().map(|i| *i as u32).collect();
        let mut profile =
            Profile { positive: Vec::new(), negative: Vec::new(), constant: 0.0, plain: 0.0 };
        let mut values = vec![0.0; rows.len()];
        for (r, i) in rows.iter().enumerate() {
            bank.entries(m, *i, &columns[..=r], &mut values[..=r]);
            for (j, v) in rows[..=r].iter().zip(&values) {
                let twice = if i == j { 1.0 } else { 2.0 };
                let a = twice * coefs.iter().map(|c| c[*i] * c[*j]).sum::<f64>();
                profile.plain += a * v;
                if a == 0.0 || *v <= 0.0 {
                    continue;
                }
                let s = -v.ln();
                match s <= 0.0 {
                    true => profile.constant += a,
                    false if a > 0.0 => profile.positive.push((s, a)),
                    false => profile.negative.push((s, -a)),
                }
            }
        }
        profile
    }

    /// T(1), of any kernel.
    pub fn plain(&self) -> f64 {
        self.plain
    }

    fn at(&self, p: f64) -> At {
        let sum = |pairs: &[(f64, f64)]| {
            pairs.iter().fold((0.0, 0.0), |(value, slope), (s, a)| {
                let part = a * (-p * s).exp();
                (value + part, slope - s * part)
            })
        };
        let (f, _) = sum(&self.positive);
        let (g, slope) = sum(&self.negative);
        At { p, f, g, slope }
    }

    /// The largest T over [low, high] to `allowed`; `None` after a stop.
    pub fn largest(&self, low: f64, high: f64, allowed: f64, watch: &Watch) -> Option<Largest> {
        let (left, right) = (self.at(low), self.at(high));
        let mut best = if left.value() >= right.value() { left } else { right };
        let mut heap = BinaryHeap::from([Interval::new(left, right)]);
        for looked in 0.. {
            let Some(interval) = heap.pop() else { break };
            let rounding = 1e-14 * (best.f + best.g);
            let done = interval.above - best.value() <= allowed.max(rounding);
            let narrow = interval.right.p <= interval.left.p * (1.0 + 1e-12);
            if done || narrow || looked == MOST {
                let above = self.constant + interval.above.max(best.value());
                return Some(Largest { at: best.p, above });
            }
            if watch.stop().is_some() {
                return None;
            }
            let middle = self.at((interval.left.p * interval.right.p).sqrt());
            if middle.value() > best.value() {
                best = middle;
            }
            heap.push(Interval::new(interval.left, middle));
            heap.push(Interval::new(middle, interval.right));
        }
        Some(Largest { at: best.p, above: self.constant + best.value() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::Storage;
    use crate::data::Matrix;
    use rand::RngExt;

    /// Beside a fine grid by plain sums: never above the bound, and never much above what was met.
    #[test]
    fn bounds_hold_on_a_grid() {
        let watch = Run::default().watch();
        for seed in 0..8 {
            let mut rng = Run::with_seed(seed).rng("profile tests");
            let n = 25;
            let x: Vec<f64> = (0..n).map(|_| 2.0 * rng.random::<f64>()).collect();
            let kernel = Matrix::from_fn(n, n, |i, j| (-(x[i] - x[j]).powi(2)).exp());
            let c: Vec<f64> =
                (0..n).map(|i| if i % 5 == 0 { 0.0 } else { rng.random::<f64>() - 0.5 }).collect();
            let named = vec![("k".to_string(), kernel.clone())];
            let bank = Bank::from_matrices(named, Storage::Resident).unwrap();
            let profile = Profile::new(&bank, 0, &[&c]);
            let value = |p: f64| -> f64 {
                let term = |i: usize, j: usize| c[i] * c[j] * kernel.get(i, j).powf(p);
                (0..n).map(|i| (0..n).map(|j| term(i, j)).sum::<f64>()).sum()
            };
            assert!((profile.plain() - value(1.0)).abs() < 1e-12);
            for allowed in [1e-2, 1e-6] {
                let found = profile.largest(1e-3, 1e3, allowed, &watch).unwrap();
                let met = value(found.at);
                assert!(found.above - met <= allowed * 1.01 + 1e-12, "{seed} {allowed}");
                for k in 0..=6000 {
                    let p = 1e-3 * 1e6_f64.powf(f64::from(k) / 6000.0);
                    assert!(value(p) <= found.above + 1e-10, "{seed} {allowed} {p}");
                }
            }
        }
    }
}
