//! Passes over the instances: what goes out is one vector, what comes back is one vector of sums.
//!
//! | pass | out | back |
//! |---|---|---|
//! | [`Problem::evaluate`] | v, b | losses, Σ c, Σ ℓ(c), Cᵀc₊ and Cᵀc₋ |
//! | [`Problem::curve`] | a direction | Cᵀ D C d with the curvatures D of the losses at hand, for instances that have some |
//! | [`Problem::along`] | steps | losses along a line between two points that were evaluated; no features |
//!
//! Decision values f (instances × heads) stay where the instances are, and are known here.

use super::away::{Away, Kept};
use super::instances::{Instances, Labels, Linear, NUMBERS};
use super::loss::{At, Loss};
use super::space::Space;
use super::tiles::{TILE, Tiling};
use crate::data::Views;
use crate::run::Pass;
use crate::{Error, Result, Watch};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Who computes passes with features, if these threads do not.
    pub away: Option<Away<'a>>,
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

    /// What is known of larger costs of which these are a part: losses are as much larger, and dual objectives, that of
    /// coefficients within smaller bounds, at least as large.
    fn of_larger(&self, part: f64) -> Self {
        let Sums { rounded, exact, curvature, .. } = *self;
        Sums { rounded: rounded / part, exact: exact / part, curvature: curvature / part, ..*self }
    }
}

/// A point that was evaluated.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evaluated {
    /// Decision values, instances × heads.
    pub f: Vec<f64>,
    /// The same in a file, where they were computed elsewhere.
    pub kept: Option<Arc<Kept>>,
    pub sums: Vec<Sums>,
    /// Rᵀ Cᵀ c, one head after the other.
    pub slope: Vec<f64>,
    /// The same of the balanced coefficients, of which q_m is the squared length of the part of kernel m.
    pub dual: Vec<f64>,
}

impl Evaluated {
    /// What is known at the same point of costs of which those that it was evaluated with are a part.
    pub fn of_larger(self, part: f64) -> Self {
        let sums = self.sums.iter().map(|s| s.of_larger(part)).collect();
        Evaluated { sums, ..self }
    }
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

    fn instances(&self) -> Instances<'_> {
        Instances {
            features: &self.space.features,
            source: self.views,
            labels: self.labels,
            loss: self.loss,
            costs: self.costs,
            rows: &self.rows,
            factor: self.factor,
        }
    }

    fn at(&self, row: usize, head: usize, f: f64, h: f64) -> At {
        self.instances().at(row, head, f, h)
    }

    /// All sums of the tiles of one pass; `None` if it was given up.
    fn pass(
        &self,
        numbers: usize,
        tile: impl Fn(usize, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Option<Vec<f64>>> {
        let pass = Pass::under(self.watch);
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let one = |t: usize| {
            let mut sums = vec![0.0; numbers];
            if !pass.is_over()
                && let Err(e) = tile(t, &mut sums)
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
        let heads = self.heads();
        let instances = self.instances();
        let coefs = self.space.coefficients(kernels, v, heads);
        let to = Linear { kernels, coefs, bias, h };
        let numbers = instances.evaluate_sums(kernels.len());
        let (f, kept, found) = match &self.away {
            None => {
                let mut f = vec![0.0; self.n() * heads];
                let chunks: Vec<Mutex<&mut [f64]>> =
                    f.chunks_mut(TILE * heads).map(Mutex::new).collect();
                let found = self.pass(numbers, |t, sums| {
                    let mut chunk = chunks[t].lock().unwrap_or_else(PoisonError::into_inner);
                    instances.evaluate(t, &to, &mut chunk, sums)
                })?;
                drop(chunks);
                (f, None, found)
            }
            Some(away) => {
                let pass = Pass::under(self.watch);
                match away.evaluate(&instances, &to, &|| pass.is_over())? {
                    None => return Ok(None),
                    Some((f, kept, found)) => (f, Some(kept), Some(found)),
                }
            }
        };
        let Some(found) = found else { return Ok(None) };
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
        Ok(Some(Evaluated { f, kept, sums, slope, dual }))
    }

    /// Rᵀ Cᵀ D (C R d + d_b) and Σ D (C R d + d_b) for a direction d of all heads in these kernels, D the curvatures at a
    /// point; `None` if the pass was given up.
    pub fn curve(
        &self,
        at: &Evaluated,
        h: f64,
        kernels: &[usize],
        (direction, bias): (&[f64], &[f64]),
    ) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let heads = self.heads();
        let instances = self.instances();
        let coefs = self.space.coefficients(kernels, direction, heads);
        let along = Linear { kernels, coefs, bias, h };
        let found = match (&self.away, &at.kept) {
            (Some(away), Some(kept)) => {
                let pass = Pass::under(self.watch);
                away.curve(&instances, &along, kept, &|| pass.is_over())?
            }
            _ => self.pass(instances.curve_sums(kernels.len()), |t, sums| {
                let rows = self.tiling().rows(t);
                let f = &at.f[rows.start * heads..rows.end * heads];
                instances.curve(t, &along, f, sums)
            })?,
        };
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
        self.pass(steps.len(), |t, sums| {
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
