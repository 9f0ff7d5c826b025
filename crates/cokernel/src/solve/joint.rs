//! The multi-class SVM in a single machine (Weston and Watkins 1998; LMKA §1.4.2, (1.9) and (1.11)).
//!
//! ```text
//! primal  min ½Σ_l ‖w_l‖² + Σ_i C_i Σ_{l≠y_i} max(0, m_il − f_{y_i}(x_i) + f_l(x_i)),  f_l = ⟨w_l, Φ⟩ + b_l
//! dual    max Σ m_il α_il − ½Σ_l c_lᵀK c_l        Σ_i c_il = 0 for each l,  0 ≤ α_il ≤ C_i
//!         c_il = −α_il for l ≠ y_i,  c_{i y_i} = A_i = Σ_l α_il
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | α_il, C_i, m_il (2 in (1.9)) | `alpha`, `costs`, `margins` |
//! | K c_l | `products` |
//! | β_l, the bias at which steps are taken | `offsets` |
//! | r_l = Σ_i c_il | `sums` |
//!
//! The sums make α a circulation on the classes, in which two variables alone cannot always move. They
//! are therefore taken into the objective (method of multipliers: −Σ_l b_l r_l − ½ρ r_l², b ← b + ρr, ρ
//! grows where r does not fall), which leaves boxes: the block of an instance is solved exactly
//! (`block`), and blocks are taken in turn where they violate their conditions by more than a threshold
//! that falls. K is centred by a few rows (with Σ c_l = 0 that changes only b), so that what all entries
//! have in common slows nothing.
//!
//! **Certificate.** α is brought to the sums 0 by factors u_a/u_b on the variables of class a against b
//! (Osborne's balancing), scaled into the box; the gap is primal minus dual there, with K c_l from
//! [`Rows::multiply`] and each b_l in turn at the least of the losses, which are piecewise linear in it;
//! steps go on from that b.
//!
//! **Cost.** A block takes a row of K and O(n) for each class whose coefficient changes; looking at an
//! instance O(classes). Memory 2·n·classes numbers, and rows that do not lie in memory.

mod block;
mod circulation;

use super::Rows;
use super::smo::Settings;
use super::solved::relative_gap;
use crate::{Status, Watch};

/// The problem.
#[derive(Clone, Copy)]
pub struct Joint<'a> {
    /// K.
    pub rows: &'a dyn Rows,
    /// y_i, below `classes`.
    pub codes: &'a [u32],
    /// Number of classes, at least 2.
    pub classes: usize,
    /// m_il, instance by instance (entries of the own class are not read); `None`: 2.
    pub margins: Option<&'a [f64]>,
    /// C_i ≥ 0, finite.
    pub costs: &'a [f64],
}

/// A machine of several functions f_l(x) = Σ_i coef_il k(x_i, x) + bias_l; the largest decides.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSolved {
    /// c_l of each class, length n.
    pub coef: Vec<Vec<f64>>,
    /// b_l of each class, of sum 0.
    pub bias: Vec<f64>,
    /// K c_l, in f64.
    pub values: Vec<Vec<f64>>,
    /// The primal objective.
    pub primal: f64,
    /// The dual objective.
    pub dual: f64,
    /// (primal − dual) / max(|primal|, tiny).
    pub gap: f64,
    /// Blocks that were solved.
    pub steps: u64,
    /// How it ended.
    pub status: Status,
}

impl JointSolved {
    /// Σ_l c_lᵀ K c_l.
    pub fn norm(&self) -> f64 {
        let pairs = self.coef.iter().flatten().zip(self.values.iter().flatten());
        pairs.map(|(c, v)| c * v).sum()
    }
}

/// Rows by which K is centred.
const SAMPLE: usize = 256;
/// Rounds at most; each halves the threshold at least, down to `FLOOR` of the margins.
const ROUNDS: u32 = 100;
const FLOOR: f64 = 1e-14;
/// Sweeps of one round.
const SWEEPS: u32 = 2000;
/// ρ at first, relative to the mean of K̃_ii: a large one makes blocks stiff.
const RHO: f64 = 0.03;
const LEAST_MOVE: f64 = 1e-3;
/// Growth of ρ where the sums do not fall by `FALL`, and the most it grows to.
const GROWTH: f64 = 4.0;
const FALL: f64 = 0.25;
const GROWN: f64 = 1e8;

/// Solves from `start`, coefficients of a nearby problem for each class, or from 0.
pub fn joint_classes(
    p: &Joint<'_>,
    start: Option<&[Vec<f64>]>,
    settings: &Settings,
    watch: &Watch,
) -> JointSolved {
    let mut state = State::new(p, start, settings);
    let mut best = state.certify();
    let mut threshold = 0.3 * state.largest_margin();
    let floor = FLOOR * state.largest_margin();
    let mut before = f64::INFINITY;
    let mut rounds = 0;
    let status = loop {
        if best.gap <= settings.tol {
            break Status::Converged;
        }
        if let Some(status) = watch.stop() {
            break status;
        }
        if state.steps >= settings.max_steps {
            break Status::IterationLimit;
        }
        if threshold <= floor || rounds >= ROUNDS {
            break Status::Stalled;
        }
        rounds += 1;
        state.solve_boxes(threshold, settings.max_steps, watch);
        let sum = state.largest_sum();
        let shift = state.rho * sum;
        let estimate = state.estimate();
        if estimate <= 0.9 * settings.tol || estimate <= 0.1 * best.gap || threshold <= 4.0 * floor
        {
            let found = state.certify();
            if found.gap < best.gap {
                best = found;
            }
        }
        state.multiply();
        let matters = sum > 0.01 * settings.tol * state.alpha.iter().sum::<f64>();
        if sum > FALL * before && matters && state.grown < GROWN {
            state.rho *= GROWTH;
            state.grown *= GROWTH;
        }
        before = sum;
        threshold = (0.3 * shift).clamp(0.25 * threshold, 0.5 * threshold);
    };
    JointSolved { status, steps: state.steps, ..best }
}

/// α with all that follows from it.
struct State<'a> {
    p: Joint<'a>,
    n: usize,
    k: usize,
    /// α_il, instance by instance; 0 for the own class.
    alpha: Vec<f64>,
    /// K c_l, class by class.
    products: Vec<Vec<f64>>,
    /// v = K u with u the weights of the sample, and uᵀK u: K̃ = K − v1ᵀ − 1vᵀ + uᵀKu.
    means: Vec<f64>,
    mean: f64,
    /// K̃_ii.
    own: Vec<f64>,
    /// r_l and vᵀc_l.
    sums: Vec<f64>,
    moments: Vec<f64>,
    /// b_l.
    multipliers: Vec<f64>,
    rho: f64,
    /// By how much ρ has grown.
    grown: f64,
    steps: u64,
    /// Rows that do not lie in memory, as far as there is room for them.
    kept: Vec<Option<Vec<f64>>>,
    room: usize,
}

impl<'a> State<'a> {
    fn new(p: &Joint<'a>, start: Option<&[Vec<f64>]>, settings: &Settings) -> Self {
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
            products: vec![vec![0.0; n]; k],
            means,
            mean,
            rho: own.iter().sum::<f64>() / n.max(1) as f64,
            own,
            sums: vec![0.0; k],
            moments: vec![0.0; k],
            multipliers: vec![0.0; k],
            grown: 1.0,
            steps: 0,
            kept: vec![None; if stored { 0 } else { n }],
            room: settings.cache / (8 * n.max(1)),
        };
        // All of α together has to be able to move b by a part of a margin.
        let all: f64 = p.costs.iter().sum::<f64>() / k as f64;
        let least = LEAST_MOVE * state.largest_margin() / all.max(f64::MIN_POSITIVE);
        state.rho = (RHO * state.rho).max(least).clamp(f64::MIN_POSITIVE, f64::MAX / 1e20);
        state
    }

    fn margin(&self, i: usize, l: usize) -> f64 {
        self.p.margins.map_or(2.0, |m| m[i * self.k + l])
    }

    fn largest_margin(&self) -> f64 {
        let all = (0..self.n).flat_map(|i| (0..self.k).map(move |l| (i, l)));
        let others = all.filter(|(i, l)| *l != self.p.codes[*i] as usize);
        others.fold(0.0, |a, (i, l)| a.max(self.margin(i, l).abs()))
    }

    fn largest_sum(&self) -> f64 {
        self.sums.iter().fold(0.0, |a, r| a.max(r.abs()))
    }

    /// b ← b + ρr.
    fn multiply(&mut self) {
        self.multipliers.iter_mut().zip(&self.sums).for_each(|(b, r)| *b += self.rho * r);
    }

    /// What is added to (K c_l)_i − v_i r_l for f_l(x_i), in centred terms.
    fn offset(&self, l: usize) -> f64 {
        self.multipliers[l] + (self.rho + self.mean) * self.sums[l] - self.moments[l]
    }

    /// Takes the blocks that violate their conditions by more than a threshold, which falls to the
    /// given one.
    fn solve_boxes(&mut self, threshold: f64, max_steps: u64, watch: &Watch) {
        let k = self.k;
        let mut offsets: Vec<f64> = (0..k).map(|l| self.offset(l)).collect();
        let mut level = 0.0;
        let (mut slopes, mut target, mut next) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        let (mut places, mut computed) = (Vec::new(), vec![0.0; self.n]);
        for _ in 0..SWEEPS {
            let mut worst = 0.0_f64;
            for i in 0..self.n {
                let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
                let value =
                    |l: usize| self.products[l][i] - self.means[i] * self.sums[l] + offsets[l];
                let own = value(y);
                let alpha = &self.alpha[i * k..(i + 1) * k];
                let mut violation = 0.0_f64;
                for l in (0..k).filter(|l| *l != y) {
                    slopes[l] = self.margin(i, l) - own + value(l);
                    if (slopes[l] > 0.0 && alpha[l] < cost) || (slopes[l] < 0.0 && alpha[l] > 0.0) {
                        violation = violation.max(slopes[l].abs());
                    }
                }
                worst = worst.max(violation);
                if violation <= threshold.max(0.7 * level) {
                    continue;
                }
                let bend = self.own[i] + self.rho;
                let all: f64 = alpha.iter().sum();
                for l in 0..k {
                    target[l] = alpha[l] + slopes[l] / bend + all;
                }
                block::solve(&target, y, cost, &mut next, &mut places);
                self.move_block(i, &next, &mut computed);
                (0..k).for_each(|l| offsets[l] = self.offset(l));
                self.steps += 1;
                if self.steps >= max_steps
                    || ((self.steps.is_multiple_of(64) || self.p.rows.stored_row(i).is_none())
                        && watch.stop().is_some())
                {
                    return;
                }
            }
            if worst <= threshold {
                return;
            }
            level = worst;
        }
    }

    /// Gives instance i other variables.
    fn move_block(&mut self, i: usize, next: &[f64], computed: &mut [f64]) {
        let (k, y) = (self.k, self.p.codes[i] as usize);
        let mut changes = vec![0.0; k];
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
            self.products[l].iter_mut().zip(row).for_each(|(s, r)| *s += change * r);
            self.sums[l] += change;
            self.moments[l] += change * self.means[i];
        }
    }

    /// The coefficient of instance i in class l.
    fn coefficient(&self, alpha: &[f64], i: usize, l: usize) -> f64 {
        let row = &alpha[i * self.k..(i + 1) * self.k];
        if l == self.p.codes[i] as usize { row.iter().sum() } else { -row[l] }
    }

    fn balanced(&self) -> Vec<f64> {
        let mut alpha = self.alpha.clone();
        circulation::balance(&mut alpha, self.p.codes, self.k, self.p.costs);
        alpha
    }

    /// The gap that [`certify`](Self::certify) will find, but for terms of second order in what balancing
    /// changes.
    fn estimate(&self) -> f64 {
        let balanced = self.balanced();
        let shift: Vec<f64> =
            (0..self.k).map(|l| self.mean * self.sums[l] - self.moments[l]).collect();
        let (mut norm, mut change, mut gain, mut loss) = (0.0, 0.0, 0.0, 0.0);
        let mut f = vec![0.0; self.k];
        for i in 0..self.n {
            let y = self.p.codes[i] as usize;
            for l in 0..self.k {
                let product = self.products[l][i] - self.means[i] * self.sums[l] + shift[l];
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
    fn certify(&mut self) -> JointSolved {
        self.multiply();
        self.alpha = self.balanced();
        let coef: Vec<Vec<f64>> = (0..self.k)
            .map(|l| (0..self.n).map(|i| self.coefficient(&self.alpha, i, l)).collect())
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut norm = 0.0;
        for (l, c) in coef.iter().enumerate() {
            self.p.rows.multiply(c, &mut self.products[l]);
            self.sums[l] = c.iter().sum();
            self.moments[l] = dot(c, &self.means);
            norm += dot(c, &self.products[l]);
        }
        let values = self.products.clone();
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
        JointSolved { coef, bias, values, primal, dual, gap, steps, status }
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
                let f = |l: usize| self.products[l][i] + bias[l];
                if y != l {
                    places.push((f(y) - self.margin(i, l) - self.products[l][i], cost));
                    continue;
                }
                for other in (0..self.k).filter(|o| *o != l) {
                    places.push((self.margin(i, other) + f(other) - self.products[l][i], cost));
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
