//! What a sample tells about curvature: a preconditioner for Newton's steps.
//!
//! With φ(x) the whitened features C_m(x) R_m of all kernels, the covariance S of φ over a sample, drawn with chances
//! proportional to the curvatures D at some point, stands for all instances: Φᵀ D Φ ≈ κ S in coordinates in which the bias
//! takes the mean, κ = Σ_i D_i. Where there are no more instances than a sample has, all are taken and S is exact.
//! With E the weights η of the coordinates Newton's matrix is I + κ E^½ S E^½ in the coordinates v/√η, which is factored once
//! for some values of η and κ; where the kernels that have a weight have more than [`WHOLE`] coordinates, view by view, and
//! then covariances between views are not computed. Where they have fewer those of the other kernels are not: what it takes
//! grows as the square of their number, and it is drawn anew for kernels that come back.

use super::covariance::{self, Covariance};
use super::passes::Problem;
use super::space::Space;
use super::state::Drawn;
use crate::error::room_for;
use crate::run::{Pass, Status};
use crate::{Error, Result};
use cokernel_dense::{Cholesky, mirror_below, simd};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::ops::Range;

/// Most coordinates that are factored together.
const WHOLE: usize = 6_000;

/// Fewest instances of a sample, unless there are fewer; else as many as coordinates that are factored together, or
/// twice as many as those of a view.
const LEAST: usize = 2_000;

/// The covariance of the whitened features.
pub(crate) struct Curvature {
    /// What it was made of.
    pub sample: Drawn,
    /// The mean of each coordinate; 0 of others.
    pub mean: Vec<f64>,
    /// Coordinates whose covariances are known, all or those of each view, and these: row after row.
    blocks: Vec<(Vec<usize>, Vec<f64>)>,
    /// For each coordinate its block and its place in it. Those of a kernel follow each other there.
    places: Vec<(usize, usize)>,
}

/// I + κ E^½ S E^½, factored.
pub(crate) struct Factor {
    /// The coordinates of kernels with a weight.
    pub coordinates: Vec<usize>,
    /// √η of each.
    pub roots: Vec<f64>,
    /// √η · mean of each.
    mean: Vec<f64>,
    /// Ranges of `coordinates` with their factors.
    pub blocks: Vec<(Range<usize>, Cholesky)>,
    pub kappa: f64,
    pub weights: Vec<f64>,
}

/// Instances of a sample with the weight of each.
struct Sample {
    places: Vec<usize>,
    weights: Vec<f64>,
}

impl Sample {
    /// All that have a curvature, weighed by it; where these are more than wanted some, at equal distances along the sum of
    /// curvatures from a random start on.
    fn draw(curvatures: &[f64], wanted: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let bent: Vec<usize> = (0..curvatures.len()).filter(|i| curvatures[*i] > 0.0).collect();
        // Where nothing has a curvature all are alike.
        let (bent, of): (Vec<usize>, &dyn Fn(usize) -> f64) = match bent.is_empty() {
            true => ((0..curvatures.len()).collect(), &|_| 1.0),
            false => (bent, &|i| curvatures[i]),
        };
        if bent.len() <= wanted {
            let weights = bent.iter().map(|i| of(*i)).collect();
            return Sample { places: bent, weights };
        }
        let step = bent.iter().map(|i| of(*i)).sum::<f64>() / wanted as f64;
        let (mut sum, mut next) = (0.0, step * rng.random::<f64>());
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        for i in bent {
            sum += of(i);
            // How many of the points lie in this instance's part of the sum.
            let times = if sum > next { ((sum - next) / step).floor() + 1.0 } else { 0.0 };
            if times > 0.0 {
                next += times * step;
                places.push(i);
                weights.push(times);
            }
        }
        Sample { places, weights }
    }
}

impl Curvature {
    /// Instances of a sample for these kernels, together or view by view.
    pub fn wanted(space: &Space, kernels: &[usize], whole: bool) -> usize {
        let size = coordinates(space, kernels);
        let largest = || by_view(space, kernels).into_iter().max().unwrap_or(0);
        LEAST.max(if whole { 2 * size } else { size.min(2 * largest()) })
    }

    /// The kernels whose covariances are computed: those with a weight where they are factored together, else all.
    pub fn kernels(weights: &[f64], whole: bool) -> Vec<usize> {
        (0..weights.len()).filter(|m| !whole || weights[*m] > 0.0).collect()
    }

    /// Whether the covariances of all kernels that have a weight are known.
    pub fn covers(&self, weights: &[f64]) -> bool {
        let known = |m: usize| self.sample.kernels.binary_search(&m).is_ok();
        (0..weights.len()).all(|m| weights[m] <= 0.0 || known(m))
    }

    /// Whether all coordinates of kernels with a weight are factored together, for which there must be covariances between views.
    pub fn is_whole(space: &Space, weights: &[f64]) -> bool {
        let with = (0..weights.len()).filter(|m| weights[*m] > 0.0);
        with.map(|m| space.part(m).len()).sum::<usize>() <= WHOLE
    }

    /// Operations that the covariances of these kernels on so many instances take, and their factors.
    pub fn operations(space: &Space, kernels: &[usize], whole: bool, instances: usize) -> f64 {
        let of = |p: f64| p * p * (instances as f64 + p / 3.0);
        match whole {
            true => of(coordinates(space, kernels) as f64),
            false => by_view(space, kernels).into_iter().map(|size| of(size as f64)).sum(),
        }
    }

    /// From a sample of the instances of a problem with these curvatures, for kernels with these weights.
    pub fn new(
        problem: &Problem<'_>,
        (curvatures, weights, whole): (&[f64], &[f64], bool),
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Self> {
        let kernels = Self::kernels(weights, whole);
        let wanted = Self::wanted(problem.space, &kernels, whole);
        let Sample { places, weights } = Sample::draw(curvatures, wanted, rng);
        let rows = places.iter().map(|p| problem.rows[*p]).collect();
        Self::of(problem, Drawn { rows, weights, kernels, whole })
    }

    /// From these instances.
    pub fn of(problem: &Problem<'_>, sample: Drawn) -> Result<Self> {
        let (space, size) = (problem.space, problem.space.size());
        let Drawn { rows, weights, kernels, whole } = &sample;
        let groups = covariance::groups(space.kernels(), kernels, *whole);
        let own = Covariance {
            features: &space.features,
            roots: &space.roots,
            source: problem.views,
            rows,
            weights,
        };
        let stopped = |status| {
            let what = "the covariance of the features".to_string();
            Error::Stopped { status, what }
        };
        let sizes: Vec<usize> = groups.iter().map(|g| covariance::size(&space.roots, g)).collect();
        let found = match &problem.away {
            None => {
                let stop = || problem.watch.stop().map_or(Ok(()), |status| Err(stopped(status)));
                let each = groups.iter().zip(&sizes).map(|(g, size)| own.of(g, 0..*size, &stop));
                each.collect::<Result<Vec<_>>>()?
            }
            Some(away) => {
                let pass = Pass::under(problem.watch);
                let found = away.covariance(&sample, &sizes, &|| pass.is_over())?;
                let status = || problem.watch.stop().unwrap_or(Status::Interrupted);
                found.ok_or_else(|| stopped(status()))?
            }
        };
        let mut mean = vec![0.0; size];
        let groups: Vec<Vec<usize>> =
            groups.iter().map(|g| g.iter().flat_map(|m| space.part(*m)).collect()).collect();
        let mut parts = Vec::with_capacity(groups.len());
        for (group, (means, part)) in groups.iter().zip(found) {
            group.iter().zip(&means).for_each(|(j, m)| mean[*j] = *m);
            parts.push(part);
        }
        let whole_rows = |(group, part): (&Vec<usize>, &mut Vec<f64>)| {
            mirror_below(group.len(), part);
            for (row, i) in part.chunks_mut(group.len().max(1)).zip(group) {
                row.iter_mut().zip(group).for_each(|(v, j)| *v -= mean[*i] * mean[*j]);
            }
        };
        groups.par_iter().zip(&mut parts).for_each(whole_rows);
        let mut places = vec![(0, 0); size];
        for (b, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(at, j)| places[*j] = (b, at));
        }
        let blocks = groups.into_iter().zip(parts).collect();
        Ok(Curvature { sample, mean, blocks, places })
    }

    /// The covariances of a coordinate with those of its block.
    pub fn line(&self, j: usize) -> &[f64] {
        let (block, at) = self.places[j];
        let (group, covariance) = &self.blocks[block];
        &covariance[at * group.len()..(at + 1) * group.len()]
    }

    /// Where the coordinates of a kernel are in the lines of its block.
    pub fn columns(&self, part: &Range<usize>) -> Range<usize> {
        let first = if part.is_empty() { 0 } else { self.places[part.start].1 };
        first..first + part.len()
    }

    /// For these weights of the kernels.
    pub fn factor(&self, space: &Space, weights: &[f64], kappa: f64) -> Factor {
        let (mut coordinates, mut roots) = (Vec::new(), Vec::new());
        let kernels = space.kernels();
        let mut ends: Vec<(usize, &str)> = Vec::new();
        let mut order: Vec<usize> = (0..weights.len()).filter(|m| weights[*m] > 0.0).collect();
        // Kernels of a view one after the other.
        let place = |m: &usize| kernels.iter().position(|k| k.view == kernels[*m].view);
        order.sort_by_key(|m| (place(m), *m));
        for m in order {
            coordinates.extend(space.part(m));
            roots.resize(coordinates.len(), weights[m].sqrt());
            match ends.last_mut() {
                Some((end, view)) if *view == kernels[m].view => *end = coordinates.len(),
                _ => ends.push((coordinates.len(), &kernels[m].view)),
            }
        }
        if coordinates.len() <= WHOLE && self.blocks.len() <= 1 {
            ends = vec![(coordinates.len(), "")];
        }
        let starts = std::iter::once(0).chain(ends.iter().map(|e| e.0));
        let ranges: Vec<_> = starts.zip(&ends).map(|(from, (to, _))| from..*to).collect();
        let block = |range: &Range<usize>| {
            let own = &coordinates[range.clone()];
            let columns: Vec<usize> = own.iter().map(|j| self.places[*j].1).collect();
            let size = own.len();
            let mut matrix = vec![0.0; size * size];
            let roots = &roots[range.clone()];
            // On and above the diagonal, which is all that is read.
            for (a, row) in matrix.chunks_mut(size.max(1)).enumerate() {
                let line = self.line(own[a]);
                let entries = columns[a..].iter().zip(&roots[a..]);
                for (v, (j, other)) in row[a..].iter_mut().zip(entries) {
                    *v = kappa * roots[a] * other * line[*j];
                }
            }
            (0..size).for_each(|i| matrix[i * size + i] += 1.0);
            Cholesky::new(size, matrix)
        };
        let factors: Vec<Option<Cholesky>> = ranges.par_iter().map(block).collect();
        let blocks = ranges.into_iter().zip(factors).filter_map(|(r, f)| Some((r, f?))).collect();
        let mean = coordinates.iter().zip(&roots).map(|(j, r)| r * self.mean[*j]).collect();
        Factor { coordinates, roots, mean, blocks, kappa, weights: weights.to_vec() }
    }
}

/// Refuses more features than there is memory for the covariance of.
pub(crate) fn room_for_learning(size: usize) -> Result<()> {
    room_for::<f64>(size.checked_mul(size).and_then(|s| s.checked_mul(2)), || {
        format!("the covariance of {size} features (a smaller rank of the storage needs less)")
    })
}

/// How many coordinates kernels have.
fn coordinates(space: &Space, kernels: &[usize]) -> usize {
    kernels.iter().map(|m| space.part(*m).len()).sum()
}

/// How many coordinates each view has in these kernels.
fn by_view(space: &Space, kernels: &[usize]) -> Vec<usize> {
    let groups = covariance::groups(space.kernels(), kernels, false);
    groups.iter().map(|group| coordinates(space, group)).collect()
}

impl Factor {
    pub fn solve(&self, side: &mut [f64]) {
        self.in_blocks(side, |factor, side| factor.solve(side, 1));
    }

    /// Does something to the part of each block, side by side: most of it is reading the factors.
    fn in_blocks(&self, side: &mut [f64], each: impl Fn(&Cholesky, &mut [f64]) + Sync) {
        let mut parts = Vec::with_capacity(self.blocks.len());
        let (mut rest, mut at) = (side, 0);
        for (range, factor) in &self.blocks {
            let (part, after) = rest.split_at_mut(range.end - at);
            (rest, at) = (after, range.end);
            let skipped = part.len() - range.len();
            parts.push((factor, &mut part[skipped..]));
        }
        parts.into_par_iter().for_each(|(factor, part)| each(factor, part));
    }

    /// The inverse, nearly, of Newton's matrix of one head in the coordinates v/√η and the bias, whose curvature is κ.
    pub fn precondition(&self, (side, bias): (&[f64], f64), kappa: f64) -> (Vec<f64>, f64) {
        let mut found: Vec<f64> = side.iter().zip(&self.mean).map(|(s, m)| s - m * bias).collect();
        self.solve(&mut found);
        let own = if kappa > 0.0 { bias / kappa } else { bias };
        let shift = own - simd::dot(&self.mean, &found);
        (found, shift)
    }

    /// Whether it still serves for other weights and curvature.
    pub fn serves(&self, weights: &[f64], kappa: f64) -> bool {
        let near =
            |a: f64, b: f64| (a == 0.0 && b == 0.0) || (a > 0.0 && (0.5..=2.0).contains(&(b / a)));
        near(self.kappa.max(1.0), kappa.max(1.0))
            && self.weights.iter().zip(weights).all(|(a, b)| near(*a, *b))
    }
}
