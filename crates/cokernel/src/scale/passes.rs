//! Passes over the instances: what goes out is one vector, what comes back is one vector of sums.
//!
//! | pass | out | back |
//! |---|---|---|
//! | [`Problem::evaluate`] | v, b | losses, Σ c, Σ ℓ(c), Cᵀc₊ and Cᵀc₋ |
//! | [`Problem::curve`] | a direction | Cᵀ D C d with the curvatures D of the losses at hand, for instances that have some |
//! | [`Problem::along`] | steps | losses along a line between two points that were evaluated; no features |
//!
//! Decision values f (instances × heads) stay where the instances are.

use super::loss::{At, Loss};
use super::space::{Room, Space};
use super::tiles::{TILE, Tiling};
use crate::data::Views;
use crate::run::Pass;
use crate::{Error, Result, Watch};
use cokernel_dense::{Slice, add_product_tn, product_nn, simd};
use std::sync::{Mutex, PoisonError};

/// What is to be learned about each instance.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Labels<'a> {
    /// Codes of classes, and for each head the label of each class: 1, −1 or 0 for none.
    Classes { codes: &'a [u32], signs: &'a [Vec<f64>] },
    /// A number, for the one head.
    Values(&'a [f64]),
}

impl Labels<'_> {
    #[inline]
    fn of(&self, instance: usize, head: usize) -> f64 {
        match self {
            Labels::Classes { codes, signs } => signs[head][codes[instance] as usize],
            Labels::Values(values) => values[instance],
        }
    }

    fn heads(&self) -> usize {
        match self {
            Labels::Classes { signs, .. } => signs.len(),
            Labels::Values(_) => 1,
        }
    }
}

/// Instances with losses.
pub(crate) struct Problem<'a> {
    pub space: &'a Space,
    pub views: &'a Views,
    pub labels: Labels<'a>,
    pub loss: Loss,
    /// Of all instances of the views.
    pub costs: &'a [f64],
    /// Those that are looked at, increasing.
    pub rows: Vec<usize>,
    /// Factor on the costs.
    pub factor: f64,
    pub watch: &'a Watch,
}

/// Sums over the instances for one head.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sums {
    pub rounded: f64,
    pub exact: f64,
    /// Σ L''.
    pub curvature: f64,
    /// Σ |c| over positive and over negative c.
    pub sizes: [f64; 2],
    pub rounded_duals: [f64; 2],
    pub exact_duals: [f64; 2],
}

const NUMBERS: usize = 9;

impl Sums {
    fn from_slice(s: &[f64]) -> Self {
        Sums {
            rounded: s[0],
            exact: s[1],
            curvature: s[2],
            sizes: [s[3], s[4]],
            rounded_duals: [s[5], s[6]],
            exact_duals: [s[7], s[8]],
        }
    }

    /// Factors on the positive and on the negative coefficients with which they sum to 0, as the bias wants it; at most 1,
    /// so that the coefficients stay feasible.
    pub fn balance(&self) -> [f64; 2] {
        let least = self.sizes[0].min(self.sizes[1]);
        self.sizes.map(|s| if s > 0.0 { least / s } else { 0.0 })
    }
}

/// A point that was evaluated.
#[derive(Debug, Clone)]
pub(crate) struct Evaluated {
    /// Decision values, instances × heads.
    pub f: Vec<f64>,
    pub sums: Vec<Sums>,
    /// Rᵀ Cᵀ c, one head after the other.
    pub slope: Vec<f64>,
    /// The same of the balanced coefficients, of which q_m is the squared length of the part of kernel m.
    pub dual: Vec<f64>,
}

fn add(sum: &mut [f64], other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(s, o)| *s += o);
}

impl Problem<'_> {
    pub fn heads(&self) -> usize {
        self.labels.heads()
    }

    /// Number of instances that are looked at.
    pub fn n(&self) -> usize {
        self.rows.len()
    }

    fn tiling(&self) -> Tiling {
        Tiling::new(self.rows.len(), self.space.partitions())
    }

    fn at(&self, row: usize, head: usize, f: f64, h: f64) -> At {
        let (i, cost) = (self.rows[row], self.factor * self.costs[self.rows[row]]);
        self.loss.at(f, self.labels.of(i, head), cost, h)
    }

    /// All sums of the tiles of one pass; `None` if it was given up.
    fn pass(
        &self,
        numbers: usize,
        tile: impl Fn(usize, &mut Room, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Option<Vec<f64>>> {
        let pass = Pass::under(self.watch);
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let one = |t: usize| {
            let mut sums = vec![0.0; numbers];
            if !pass.is_over()
                && let Err(e) = tile(t, &mut Room::default(), &mut sums)
            {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            }
            sums
        };
        let sums = self
            .tiling()
            .sum(one, |sum: &mut Vec<f64>, other| add(sum, &other))
            .unwrap_or_else(|| vec![0.0; numbers]);
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(e) => Err(e),
            None => Ok((!pass.is_given_up()).then_some(sums)),
        }
    }

    /// Everything at (v, b), v one head after the other, of which only these kernels have a part; `None` if the pass was
    /// given up.
    pub fn evaluate(
        &self,
        v: &[f64],
        bias: &[f64],
        kernels: &[usize],
        h: f64,
    ) -> Result<Option<Evaluated>> {
        let (heads, wide) = (self.heads(), kernels.len() * self.space.landmarks().len());
        let coefs = self.space.coefficients(kernels, v, heads);
        let mut f = vec![0.0; self.n() * heads];
        let chunks: Vec<Mutex<&mut [f64]>> = f.chunks_mut(TILE * heads).map(Mutex::new).collect();
        let columns = 2 * heads;
        let tile = |t: usize, room: &mut Room, sums: &mut [f64]| {
            let rows = self.tiling().rows(t);
            let mut chunk = chunks[t].lock().unwrap_or_else(PoisonError::into_inner);
            let (numbers, slope) = sums.split_at_mut(heads * NUMBERS);
            let mut weights = Vec::new();
            self.space.visit(
                self.views,
                &self.rows[rows.clone()],
                kernels,
                room,
                |first, count, values| {
                    let f = &mut chunk[first * heads..(first + count) * heads];
                    match heads {
                        1 => f
                            .iter_mut()
                            .zip(values.chunks(wide))
                            .for_each(|(f, c)| *f = simd::dot(c, &coefs)),
                        _ => product_nn(
                            Slice::new(values, count, wide),
                            Slice::new(&coefs, wide, heads),
                            f,
                        ),
                    }
                    weights.clear();
                    weights.resize(count * columns, 0.0);
                    for (i, (f, weights)) in
                        f.chunks_mut(heads).zip(weights.chunks_mut(columns)).enumerate()
                    {
                        for (u, f) in f.iter_mut().enumerate() {
                            *f += bias[u];
                            let at = self.at(rows.start + first + i, u, *f, h);
                            let side = usize::from(at.coef < 0.0);
                            let numbers = &mut numbers[u * NUMBERS..(u + 1) * NUMBERS];
                            numbers[0] += at.rounded;
                            numbers[1] += at.exact;
                            numbers[2] += at.curvature;
                            numbers[3 + side] += at.coef.abs();
                            numbers[5 + side] += at.rounded_dual;
                            numbers[7 + side] += at.exact_dual;
                            weights[2 * u + side] = at.coef.abs();
                        }
                    }
                    add_rows(values, &weights, (count, wide, columns), slope);
                },
            )
        };
        let Some(found) = self.pass(heads * NUMBERS + columns * wide, tile)? else {
            return Ok(None);
        };
        drop(chunks);
        let (numbers, slope) = found.split_at(heads * NUMBERS);
        let sums: Vec<Sums> = numbers.chunks(NUMBERS).map(Sums::from_slice).collect();
        let sides = self.space.gathered(kernels, slope);
        let size = self.space.size();
        let difference = |factors: &dyn Fn(&Sums) -> [f64; 2]| -> Vec<f64> {
            let mut out = Vec::with_capacity(heads * size);
            for (sums, sides) in sums.iter().zip(sides.chunks((2 * size).max(1))) {
                let ([plus, minus], (p, m)) = (factors(sums), sides.split_at(size));
                out.extend(p.iter().zip(m).map(|(p, m)| plus * p - minus * m));
            }
            out
        };
        let (slope, dual) = (difference(&|_| [1.0; 2]), difference(&Sums::balance));
        Ok(Some(Evaluated { f, sums, slope, dual }))
    }

    /// Rᵀ Cᵀ D (C R d + d_b) and Σ D (C R d + d_b) for a direction d of all heads in these kernels, D the curvatures at
    /// `f`; `None` if the pass was given up.
    pub fn curve(
        &self,
        f: &[f64],
        h: f64,
        kernels: &[usize],
        (direction, bias): (&[f64], &[f64]),
    ) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let (heads, wide) = (self.heads(), kernels.len() * self.space.landmarks().len());
        let coefs = self.space.coefficients(kernels, direction, heads);
        let tile = |t: usize, room: &mut Room, sums: &mut [f64]| {
            let (mut bent, mut rows) = (Vec::new(), Vec::new());
            for row in self.tiling().rows(t) {
                let own = (0..heads).map(|u| self.at(row, u, f[row * heads + u], h).curvature);
                let before = bent.len();
                bent.extend(own);
                match bent[before..].iter().any(|d| *d != 0.0) {
                    true => rows.push(self.rows[row]),
                    false => bent.truncate(before),
                }
            }
            let (shift, slope) = sums.split_at_mut(heads);
            let mut change = Vec::new();
            self.space.visit(self.views, &rows, kernels, room, |first, count, values| {
                change.clear();
                change.resize(count * heads, 0.0);
                match heads {
                    1 => change
                        .iter_mut()
                        .zip(values.chunks(wide))
                        .for_each(|(f, c)| *f = simd::dot(c, &coefs)),
                    _ => product_nn(
                        Slice::new(values, count, wide),
                        Slice::new(&coefs, wide, heads),
                        &mut change,
                    ),
                }
                let bent = &bent[first * heads..(first + count) * heads];
                for (change, bent) in change.chunks_mut(heads).zip(bent.chunks(heads)) {
                    for (u, (change, bent)) in change.iter_mut().zip(bent).enumerate() {
                        *change = bent * (*change + bias[u]);
                        shift[u] += *change;
                    }
                }
                add_rows(values, &change, (count, wide, heads), slope);
            })
        };
        let found = self.pass(heads * (1 + wide), tile)?;
        Ok(found.map(|sums| {
            let (shift, slope) = sums.split_at(heads);
            (self.space.gathered(kernels, slope), shift.to_vec())
        }))
    }

    /// L'' of the rounded loss of each instance and head.
    pub fn curvatures(&self, f: &[f64], h: f64) -> Vec<f64> {
        let heads = self.heads();
        let at = |(k, f): (usize, &f64)| self.at(k / heads, k % heads, *f, h).curvature;
        f.iter().enumerate().map(at).collect()
    }

    /// How many coefficients of each head are at their bound but for a hundredth, and how many could be there together: all
    /// instances of a regression, of two classes those on the side with the smaller costs. (0, 0) where there is no bound.
    pub fn at_bound(&self, f: &[f64], h: f64) -> Vec<(usize, usize)> {
        let heads = self.heads();
        let one = |u: usize| {
            if !self.loss.has_kink() {
                return (0, 0);
            }
            // Costs, those at the bound and all, of positive and of negative labels.
            let mut sides = [(0.0, 0, 0); 2];
            for (row, i) in self.rows.iter().enumerate() {
                let (label, cost) = (self.labels.of(*i, u), self.factor * self.costs[*i]);
                let classes = matches!(self.labels, Labels::Classes { .. });
                if cost == 0.0 || classes && label == 0.0 {
                    continue;
                }
                let coef = self.loss.at(f[row * heads + u], label, cost, h).coef;
                let side = &mut sides[usize::from(classes && label < 0.0)];
                *side =
                    (side.0 + cost, side.1 + usize::from(coef.abs() >= 0.99 * cost), side.2 + 1);
            }
            let [plus, minus] = sides;
            let smaller = if minus.2 > 0 && minus.0 < plus.0 { minus } else { plus };
            (smaller.1, smaller.2)
        };
        (0..heads).map(one).collect()
    }

    /// Σ L of the rounded loss at f + t (to − f) for each step t; `None` if the pass was given up.
    pub fn along(&self, f: &[f64], to: &[f64], steps: &[f64], h: f64) -> Result<Option<Vec<f64>>> {
        let heads = self.heads();
        self.pass(steps.len(), |t, _, sums| {
            for row in self.tiling().rows(t) {
                for u in 0..heads {
                    let (from, to) = (f[row * heads + u], to[row * heads + u]);
                    for (sum, step) in sums.iter_mut().zip(steps) {
                        *sum += self.at(row, u, from + step * (to - from), h).rounded;
                    }
                }
            }
            Ok(())
        })
    }
}

/// out += Wᵀ C for C count × wide and W count × columns, into columns × wide; rows without a weight cost nothing where there
/// are few columns.
fn add_rows(
    values: &[f64],
    weights: &[f64],
    (count, wide, columns): (usize, usize, usize),
    out: &mut [f64],
) {
    if columns > 2 {
        return add_product_tn(
            Slice::new(weights, count, columns),
            Slice::new(values, count, wide),
            out,
        );
    }
    for (u, out) in out.chunks_mut(wide).enumerate() {
        let weight = |i: usize| weights[i * columns + u];
        let terms: Vec<(f64, &[f64])> = (0..count)
            .filter(|i| weight(*i) != 0.0)
            .map(|i| (weight(i), &values[i * wide..(i + 1) * wide]))
            .collect();
        simd::weighted_sum_near(&terms, out);
    }
}
