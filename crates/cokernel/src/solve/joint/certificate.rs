//! What a point of the multi-class machine is worth, from products with all of K.

use super::super::solved::relative_gap;
use super::{JointSolved, State, circulation};
use crate::Status;

/// Part of C by which α at that bound may have been moved by balancing.
const NEAR: f64 = 1e-6;
/// Part of the mean of α that interior points may leave of an α that is 0.
const NOTHING: f64 = 1e-7;

impl State<'_> {
    /// Goes to another point, and says what it is worth.
    pub(super) fn go_to(&mut self, alpha: Vec<f64>, bias: &[f64]) -> JointSolved {
        self.alpha = alpha;
        for (l, b) in bias.iter().enumerate() {
            let coef = (0..self.n).map(|i| self.coefficient(&self.alpha, i, l));
            let moment: f64 = coef.zip(&self.means).map(|(c, v)| c * v).sum();
            (self.sums[l], self.multipliers[l]) = (0.0, b + moment);
        }
        self.certify()
    }

    /// The coefficient of instance i in class l.
    pub(super) fn coefficient(&self, alpha: &[f64], i: usize, l: usize) -> f64 {
        let row = &alpha[i * self.k..(i + 1) * self.k];
        if l == self.p.codes[i] as usize { row.iter().sum() } else { -row[l] }
    }

    /// (K c_l)_i.
    fn product(&self, i: usize, l: usize) -> f64 {
        self.products[l * self.n + i]
    }

    /// The α_il at neither bound.
    fn free(&self) -> Vec<(u32, u32, u32)> {
        let mut free = Vec::new();
        let least = NOTHING * self.alpha.iter().sum::<f64>() / self.alpha.len().max(1) as f64;
        for (i, row) in self.alpha.chunks(self.k).enumerate() {
            let most = (1.0 - NEAR) * self.p.costs[i];
            let inside = row.iter().enumerate().filter(|(_, a)| **a > least && **a < most);
            free.extend(inside.map(|(l, _)| (i as u32, self.p.codes[i], l as u32)));
        }
        free
    }

    fn balanced(&self) -> Vec<f64> {
        let mut alpha = self.alpha.clone();
        circulation::balance(&mut alpha, self.p.codes, self.k, self.p.costs);
        alpha
    }

    /// The gap that [`certify`](Self::certify) will find, but for terms of second order in what balancing
    /// changes.
    pub(super) fn estimate(&self) -> f64 {
        let balanced = self.balanced();
        let shift: Vec<f64> =
            (0..self.k).map(|l| self.mean * self.sums[l] - self.moments[l]).collect();
        let (mut norm, mut change, mut gain, mut loss) = (0.0, 0.0, 0.0, 0.0);
        let mut f = vec![0.0; self.k];
        for i in 0..self.n {
            let y = self.p.codes[i] as usize;
            for l in 0..self.k {
                let product = self.product(i, l) - self.means[i] * self.sums[l] + shift[l];
                let now = self.coefficient(&self.alpha, i, l);
                norm += now * product;
                change += (self.coefficient(&balanced, i, l) - now) * product;
                f[l] = product + self.multipliers[l] + self.rho * self.sums[l];
            }
            for l in (0..self.k).filter(|l| *l != y) {
                gain += self.margin(i, l) * balanced[i * self.k + l];
                loss += self.p.costs[i] * (self.margin(i, l) - f[y] + f[l]).max(0.0);
            }
        }
        relative_gap(0.5 * norm + loss, gain - 0.5 * norm - change)
    }

    /// Moves to the balanced α, with sums from nothing, and says what it is worth.
    pub(super) fn certify(&mut self) -> JointSolved {
        self.multiply();
        // Before balancing, which takes those at their bound away from it.
        let free = self.free();
        self.alpha = self.balanced();
        let coef: Vec<Vec<f64>> = (0..self.k)
            .map(|l| (0..self.n).map(|i| self.coefficient(&self.alpha, i, l)).collect())
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut norm = 0.0;
        for (l, c) in coef.iter().enumerate() {
            let product = &mut self.products[l * self.n..(l + 1) * self.n];
            self.p.rows.multiply(c, product);
            self.sums[l] = c.iter().sum();
            self.moments[l] = dot(c, &self.means);
            norm += dot(c, product);
        }
        let values: Vec<Vec<f64>> =
            (0..self.k).map(|l| self.products[l * self.n..(l + 1) * self.n].to_vec()).collect();
        let mut bias: Vec<f64> =
            self.multipliers.iter().zip(&self.moments).map(|(b, q)| b - q).collect();
        self.settle(&mut bias);
        self.multipliers = bias.iter().zip(&self.moments).map(|(b, q)| b + q).collect();
        let mean = bias.iter().sum::<f64>() / self.k.max(1) as f64;
        bias.iter_mut().for_each(|b| *b -= mean);
        let (mut gain, mut loss) = (0.0, 0.0);
        for i in 0..self.n {
            let y = self.p.codes[i] as usize;
            for l in (0..self.k).filter(|l| *l != y) {
                let excess = self.margin(i, l) - (values[y][i] + bias[y]) + values[l][i] + bias[l];
                gain += self.margin(i, l) * self.alpha[i * self.k + l];
                loss += self.p.costs[i] * excess.max(0.0);
            }
        }
        let (primal, dual) = (0.5 * norm + loss, gain - 0.5 * norm);
        let gap = relative_gap(primal, dual);
        let (steps, status) = (self.steps, Status::Stalled);
        let found = JointSolved { coef, bias, values, free, primal, dual, gap, steps, status };
        match self.multiple(&found) {
            Some(s) if relative_gap(0.5 * s * s * norm, s * gain - 0.5 * s * s * norm) < gap => {
                let scaled = |v: &[Vec<f64>]| -> Vec<Vec<f64>> {
                    v.iter().map(|v| v.iter().map(|v| s * v).collect()).collect()
                };
                let (primal, dual) = (0.5 * s * s * norm, s * gain - 0.5 * s * s * norm);
                JointSolved {
                    coef: scaled(&found.coef),
                    bias: found.bias.iter().map(|b| s * b).collect(),
                    values: scaled(&found.values),
                    gap: relative_gap(primal, dual),
                    primal,
                    dual,
                    ..found
                }
            }
            _ => found,
        }
    }

    /// The factor at which no instance has a loss, whoever computes f again, if α stays in the box: where C
    /// is far larger than α, the loss at α itself is C times the error of f.
    fn multiple(&self, found: &JointSolved) -> Option<f64> {
        let roots: Vec<f64> = self.p.rows.diagonal().iter().map(|d| d.abs().sqrt()).collect();
        let size = |c: &Vec<f64>| c.iter().zip(&roots).map(|(c, r)| c.abs() * r).sum::<f64>();
        let largest = found.coef.iter().map(size).fold(0.0, f64::max);
        let bias = found.bias.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let (mut factor, mut most) = (0.0_f64, f64::INFINITY);
        for i in 0..self.n {
            let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
            let spare = 8.0 * f64::EPSILON * (roots[i] * largest + bias);
            for l in (0..self.k).filter(|l| *l != y && cost > 0.0) {
                let f = |l: usize| found.values[l][i] + found.bias[l];
                let (margin, reached) = (self.margin(i, l), f(y) - f(l) - spare);
                // A margin of 0 is kept by any factor or by none.
                if reached < 0.0 || margin > 0.0 && reached == 0.0 {
                    return None;
                }
                factor = if margin > 0.0 { factor.max(margin / reached) } else { factor };
                let alpha = self.alpha[i * self.k + l];
                most = if alpha > 0.0 { most.min(cost / alpha) } else { most };
            }
        }
        // Margins that are not positive could be lost by any factor.
        let positive = self.p.margins.is_none_or(|m| m.iter().all(|m| *m >= 0.0));
        (positive && factor > 0.0 && factor <= most).then_some(factor)
    }

    /// Each b_l in turn at the least of the losses, which are piecewise linear in it.
    fn settle(&self, bias: &mut [f64]) {
        let mut places: Vec<(f64, f64)> = Vec::new();
        for l in (0..self.k).chain(0..self.k) {
            // The slope is −Σ C_i over pairs of the own class left of the first place; each adds C_i.
            places.clear();
            let mut slope = 0.0;
            for i in 0..self.n {
                let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
                let f = |l: usize| self.product(i, l) + bias[l];
                if y != l {
                    places.push((f(y) - self.margin(i, l) - self.product(i, l), cost));
                    continue;
                }
                for other in (0..self.k).filter(|o| *o != l) {
                    places.push((self.margin(i, other) + f(other) - self.product(i, l), cost));
                    slope -= cost;
                }
            }
            places.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let mut end = None;
            for (at, (place, cost)) in places.iter().enumerate() {
                slope += cost;
                if slope >= 0.0 {
                    let flat = slope == 0.0;
                    let next = places.get(at + 1).map_or(*place, |p| p.0);
                    end = Some(if flat { (*place, next) } else { (*place, *place) });
                    break;
                }
            }
            if let Some((low, high)) = end {
                bias[l] = bias[l].clamp(low, high);
            }
        }
    }
}
