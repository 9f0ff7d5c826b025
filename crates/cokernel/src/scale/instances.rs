//! [`Instances`]: what a tile of them needs to answer a pass by itself, wherever it is.

use super::features::{Features, Source};
use super::loss::{At, Loss};
use super::tiles::Tiling;
use crate::Result;
use cokernel_dense::{Slice, add_product_tn, product_nn, simd};

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
    pub fn of(&self, instance: usize, head: usize) -> f64 {
        match self {
            Labels::Classes { codes, signs } => signs[head][codes[instance] as usize],
            Labels::Values(values) => values[instance],
        }
    }

    /// Of all instances, as they lie in memory.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Labels::Classes { codes, .. } => bytemuck::cast_slice(codes),
            Labels::Values(values) => bytemuck::cast_slice(values),
        }
    }

    pub fn heads(&self) -> usize {
        match self {
            Labels::Classes { signs, .. } => signs.len(),
            Labels::Values(_) => 1,
        }
    }
}

/// Instances with losses and their features.
pub(crate) struct Instances<'a> {
    pub features: &'a Features,
    pub source: &'a dyn Source,
    pub labels: Labels<'a>,
    pub loss: Loss,
    /// Of all instances of the views.
    pub costs: &'a [f64],
    /// Those that are looked at, increasing.
    pub rows: &'a [usize],
    /// Factor on the costs.
    pub factor: f64,
}

/// A vector in the features: C r for r of these kernels, with a constant for each head.
#[derive(Debug, Clone)]
pub(crate) struct Linear<'a> {
    pub kernels: &'a [usize],
    /// Features × heads.
    pub coefs: Vec<f64>,
    pub bias: &'a [f64],
    /// The width over which kinks are rounded.
    pub h: f64,
}

/// Numbers that are summed for each head beside features.
pub(super) const NUMBERS: usize = 9;

impl Instances<'_> {
    pub fn heads(&self) -> usize {
        self.labels.heads()
    }

    pub fn at(&self, row: usize, head: usize, f: f64, h: f64) -> At {
        let (i, cost) = (self.rows[row], self.factor * self.costs[self.rows[row]]);
        self.loss.at(f, self.labels.of(i, head), cost, h)
    }

    /// How many sums a pass at a point has.
    pub fn evaluate_sums(&self, kernels: usize) -> usize {
        self.heads() * (NUMBERS + 2 * kernels * self.features.landmarks())
    }

    /// How many sums a pass along a direction has.
    pub fn curve_sums(&self, kernels: usize) -> usize {
        self.heads() * (1 + kernels * self.features.landmarks())
    }

    /// Decision values of a tile, and its part of the sums: those of each head, then Cᵀc₊ and Cᵀc₋ of each.
    pub fn evaluate(
        &self,
        tile: usize,
        to: &Linear<'_>,
        values: &mut [f64],
        sums: &mut [f64],
    ) -> Result<()> {
        let (heads, wide) = (self.heads(), to.kernels.len() * self.features.landmarks());
        let (columns, rows) = (2 * heads, Tiling::new(self.rows.len(), 1).rows(tile));
        let (numbers, slope) = sums.split_at_mut(heads * NUMBERS);
        let mut weights = Vec::new();
        let own = &self.rows[rows.clone()];
        self.features.visit(self.source, own, to.kernels, |first, count, features| {
            let f = &mut values[first * heads..(first + count) * heads];
            times(features, (count, wide, heads), &to.coefs, f);
            weights.clear();
            weights.resize(count * columns, 0.0);
            for (i, (f, weights)) in
                f.chunks_mut(heads).zip(weights.chunks_mut(columns)).enumerate()
            {
                for (u, f) in f.iter_mut().enumerate() {
                    *f += to.bias[u];
                    let at = self.at(rows.start + first + i, u, *f, to.h);
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
            add_rows(features, &weights, (count, wide, columns), slope);
        })
    }

    /// The part of a tile, whose decision values are known, in D (C d + d_b) and Cᵀ D (C d + d_b): the sums of each head,
    /// then Cᵀ… of each.
    pub fn curve(
        &self,
        tile: usize,
        along: &Linear<'_>,
        values: &[f64],
        sums: &mut [f64],
    ) -> Result<()> {
        let (heads, wide) = (self.heads(), along.kernels.len() * self.features.landmarks());
        let (mut bent, mut rows) = (Vec::new(), Vec::new());
        let places = Tiling::new(self.rows.len(), 1).rows(tile);
        for (row, f) in places.zip(values.chunks(heads)) {
            let before = bent.len();
            bent.extend((0..heads).map(|u| self.at(row, u, f[u], along.h).curvature));
            match bent[before..].iter().any(|d| *d != 0.0) {
                true => rows.push(self.rows[row]),
                false => bent.truncate(before),
            }
        }
        let (shift, slope) = sums.split_at_mut(heads);
        let mut change = Vec::new();
        let kernels = along.kernels;
        self.features.visit(self.source, &rows, kernels, |first, count, features| {
            change.clear();
            change.resize(count * heads, 0.0);
            times(features, (count, wide, heads), &along.coefs, &mut change);
            let bent = &bent[first * heads..(first + count) * heads];
            for (change, bent) in change.chunks_mut(heads).zip(bent.chunks(heads)) {
                for (u, (change, bent)) in change.iter_mut().zip(bent).enumerate() {
                    *change = bent * (*change + along.bias[u]);
                    shift[u] += *change;
                }
            }
            add_rows(features, &change, (count, wide, heads), slope);
        })
    }
}

/// out = C r, features × heads; `out` is zeros.
fn times(
    features: &[f64],
    (count, wide, heads): (usize, usize, usize),
    coefs: &[f64],
    out: &mut [f64],
) {
    match heads {
        1 => out.iter_mut().zip(features.chunks(wide)).for_each(|(f, c)| *f = simd::dot(c, coefs)),
        _ => product_nn(Slice::new(features, count, wide), Slice::new(coefs, wide, heads), out),
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
