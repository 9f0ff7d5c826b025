//! α of the multi-class machine with all that follows from it, and the steps of its blocks.

use super::super::low_rank::factor;
use super::super::smo::Settings;
use super::{Joint, LARGEST, LEAST_MOVE, RHO, SAMPLE, SHARE, SWEEPS, block};
use crate::Watch;
use cokernel_dense::simd;

/// α with all that follows from it.
pub(super) struct State<'a> {
    pub(super) p: Joint<'a>,
    pub(super) n: usize,
    pub(super) k: usize,
    /// α_il, instance by instance; 0 for the own class.
    pub(super) alpha: Vec<f64>,
    /// K c_l, one class after the other.
    pub(super) products: Vec<f64>,
    /// v = K u with u the weights of the sample, and uᵀK u: K̃ = K − v1ᵀ − 1vᵀ + uᵀKu.
    pub(super) means: Vec<f64>,
    pub(super) mean: f64,
    /// K̃_ii.
    pub(super) own: Vec<f64>,
    /// r_l and vᵀc_l.
    pub(super) sums: Vec<f64>,
    pub(super) moments: Vec<f64>,
    /// b_l.
    pub(super) multipliers: Vec<f64>,
    pub(super) rho: f64,
    /// By how much ρ has grown.
    pub(super) grown: f64,
    pub(super) steps: u64,
    /// Operations so far, and those after which interior points are tried.
    pub(super) work: f64,
    pub(super) patience: f64,
    /// Rows that do not lie in memory, as far as there is room for them.
    pub(super) kept: Vec<Option<Vec<f64>>>,
    pub(super) room: usize,
}

impl<'a> State<'a> {
    pub(super) fn new(p: &Joint<'a>, start: Option<&[Vec<f64>]>, settings: &Settings) -> Self {
        let (n, k) = (p.codes.len(), p.classes);
        let mut alpha = vec![0.0; n * k];
        if let Some(coef) = start {
            for (i, row) in alpha.chunks_mut(k).enumerate() {
                for (l, a) in row.iter_mut().enumerate().filter(|(l, _)| *l != p.codes[i] as usize)
                {
                    *a = (-coef[l][i]).clamp(0.0, p.costs[i]);
                }
            }
        }
        let stride = n.div_ceil(SAMPLE).max(1);
        let weight = 1.0 / n.div_ceil(stride).max(1) as f64;
        let u: Vec<f64> = (0..n).map(|i| if i % stride == 0 { weight } else { 0.0 }).collect();
        let mut means = vec![0.0; n];
        p.rows.multiply(&u, &mut means);
        let mean: f64 = u.iter().zip(&means).map(|(u, v)| u * v).sum();
        let diagonal = p.rows.diagonal();
        let own: Vec<f64> =
            diagonal.iter().zip(&means).map(|(d, v)| (d - 2.0 * v + mean).max(0.0)).collect();
        let stored = n > 0 && p.rows.stored_row(0).is_some();
        let mut state = State {
            p: *p,
            n,
            k,
            alpha,
            products: vec![0.0; n * k],
            means,
            mean,
            rho: own.iter().sum::<f64>() / n.max(1) as f64,
            own,
            sums: vec![0.0; k],
            moments: vec![0.0; k],
            multipliers: vec![0.0; k],
            grown: 1.0,
            steps: 0,
            work: 0.0,
            patience: f64::INFINITY,
            kept: vec![None; if stored { 0 } else { n }],
            room: settings.cache / (8 * n.max(1)),
        };
        // All of α together has to be able to move b by a part of a margin.
        let all: f64 = p.costs.iter().sum::<f64>() / k as f64;
        let least = LEAST_MOVE * state.largest_margin() / all.max(f64::MIN_POSITIVE);
        state.rho = (RHO * state.rho).max(least).clamp(f64::MIN_POSITIVE, f64::MAX / 1e20);
        state
    }

    /// Of interior points.
    pub(super) fn largest_rank(&self) -> usize {
        (LARGEST / self.k).min(self.n)
    }

    /// L, its rank and the unit of K, if the rank is small enough for interior points.
    pub(super) fn factor(&self, watch: &Watch) -> Option<(Vec<f64>, usize, f64)> {
        let diagonal = self.p.rows.diagonal();
        let largest = diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let unit = largest.log2().round().clamp(-900.0, 900.0).exp2();
        let most = self.largest_rank();
        factor(self.p.rows, &diagonal, unit, most, watch).map(|(l, r)| (l, r, unit))
    }

    pub(super) fn margin(&self, i: usize, l: usize) -> f64 {
        self.p.margins.map_or(2.0, |m| m[i * self.k + l])
    }

    pub(super) fn largest_margin(&self) -> f64 {
        let all = (0..self.n).flat_map(|i| (0..self.k).map(move |l| (i, l)));
        let others = all.filter(|(i, l)| *l != self.p.codes[*i] as usize);
        others.fold(0.0, |a, (i, l)| a.max(self.margin(i, l).abs()))
    }

    pub(super) fn largest_sum(&self) -> f64 {
        self.sums.iter().fold(0.0, |a, r| a.max(r.abs()))
    }

    /// b ← b + ρr.
    pub(super) fn multiply(&mut self) {
        self.multipliers.iter_mut().zip(&self.sums).for_each(|(b, r)| *b += self.rho * r);
    }

    /// What is added to (K c_l)_i − v_i r_l for f_l(x_i), in centred terms.
    pub(super) fn offset(&self, l: usize) -> f64 {
        self.multipliers[l] + (self.rho + self.mean) * self.sums[l] - self.moments[l]
    }

    /// Takes the blocks that violate their conditions by more than a threshold, which falls to the
    /// given one.
    pub(super) fn solve_boxes(&mut self, threshold: f64, max_steps: u64, watch: &Watch) {
        let k = self.k;
        let mut offsets: Vec<f64> = (0..k).map(|l| self.offset(l)).collect();
        let mut level = 0.0;
        let (mut slopes, mut target, mut next) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        let (mut places, mut computed, mut changes) = (Vec::new(), vec![0.0; self.n], vec![0.0; k]);
        // Most instances have no part in α and violate nothing: they are looked at when the others are done.
        let (mut all, mut living, mut kept) = (true, (0..self.n).collect::<Vec<_>>(), Vec::new());
        for _ in 0..SWEEPS {
            let mut worst = 0.0_f64;
            self.work += (living.len() * k) as f64;
            if self.work > self.patience {
                return;
            }
            for &i in &living {
                let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
                let alpha = &self.alpha[i * k..(i + 1) * k];
                self.slopes(i, &offsets, &mut slopes);
                // Without branches: nobody can tell beforehand which of them are violated.
                let (mut violation, mut total) = (0.0_f64, 0.0);
                for (slope, a) in slopes.iter().zip(alpha) {
                    let up = if *a < cost { *slope } else { 0.0 };
                    let down = if *a > 0.0 { -*slope } else { 0.0 };
                    let here = if up > down { up } else { down };
                    violation = if here > violation { here } else { violation };
                    total += a;
                }
                worst = worst.max(violation);
                if all && (violation > 0.0 || total > 0.0) {
                    kept.push(i);
                }
                if violation <= threshold.max(SHARE * level) {
                    continue;
                }
                let bend = self.own[i] + self.rho;
                for l in 0..k {
                    target[l] = alpha[l] + slopes[l] / bend + total;
                }
                block::solve(&target, y, cost, total, &mut next, &mut places);
                self.move_block(i, &next, &mut changes, &mut computed);
                (0..k).for_each(|l| offsets[l] = self.offset(l));
                self.steps += 1;
                if self.steps >= max_steps
                    || ((self.steps.is_multiple_of(64) || self.p.rows.stored_row(i).is_none())
                        && watch.stop().is_some())
                {
                    return;
                }
            }
            if all && worst <= threshold {
                return;
            }
            level = worst;
            if all {
                (all, living) = (false, std::mem::take(&mut kept));
            } else if worst <= threshold {
                (all, living) = (true, (0..self.n).collect());
            }
        }
    }

    /// The derivative of the objective in each variable of instance i, 0 in its own class.
    fn slopes(&self, i: usize, offsets: &[f64], slopes: &mut [f64]) {
        let (k, y, mean) = (self.k, self.p.codes[i] as usize, self.means[i]);
        let columns = self.products.chunks_exact(self.n);
        for (((slope, column), sum), offset) in
            slopes.iter_mut().zip(columns).zip(&self.sums).zip(offsets)
        {
            *slope = column[i] - mean * sum + offset;
        }
        let own = slopes[y];
        match self.p.margins {
            None => slopes.iter_mut().for_each(|s| *s += 2.0 - own),
            Some(margins) => {
                let margins = &margins[i * k..(i + 1) * k];
                slopes.iter_mut().zip(margins).for_each(|(s, margin)| *s += margin - own);
            }
        }
        slopes[y] = 0.0;
    }

    /// Gives instance i other variables.
    fn move_block(&mut self, i: usize, next: &[f64], changes: &mut [f64], computed: &mut [f64]) {
        let (k, y) = (self.k, self.p.codes[i] as usize);
        changes[y] = 0.0;
        for l in (0..k).filter(|l| *l != y) {
            let change = next[l] - self.alpha[i * k + l];
            changes[l] = -change;
            changes[y] += change;
            self.alpha[i * k + l] = next[l];
        }
        let stored = self.p.rows.stored_row(i);
        if stored.is_none() && self.kept[i].is_none() && self.room > 0 {
            let mut row = vec![0.0; self.n];
            let mut one = vec![0.0; self.n];
            one[i] = 1.0;
            self.p.rows.multiply(&one, &mut row);
            self.kept[i] = Some(row);
            self.room -= 1;
        }
        let row = match (stored, self.kept.get(i)) {
            (Some(row), _) => row,
            (None, Some(Some(row))) => row.as_slice(),
            _ => self.p.rows.row(i, computed),
        };
        for (l, change) in changes.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            simd::subtract(&mut self.products[l * self.n..][..self.n], -change, row);
            self.work += self.n as f64;
            self.sums[l] += change;
            self.moments[l] += change * self.means[i];
        }
    }
}
