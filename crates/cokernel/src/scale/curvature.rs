//! What a sample tells about curvature: a preconditioner for Newton's steps, and a model of how the objective bends with
//! the weights.
//!
//! With φ(x) the whitened features C_m(x) R_m of all kernels, the covariance S of φ over a sample, drawn with chances
//! proportional to the curvatures D at some point, stands for all instances: Φᵀ D Φ ≈ κ S in coordinates in which the bias
//! takes the mean, κ = Σ_i D_i. Where there are no more instances than a sample has, all are taken and S is exact.
//! With E the weights η of the coordinates Newton's matrix is I + κ E^½ S E^½ in the coordinates v/√η, which is factored once
//! for some values of η and κ; where the kernels that have a weight have more than [`WHOLE`] coordinates, view by view, and
//! then covariances between views are not computed.
//!
//! At the best v for given weights, with u_m = v_m/η_m and U the matrix with u_m in the part of kernel m as its column m,
//! the Hessian of J in η is Uᵀ(A⁻¹ + E)⁻¹U, A = κ S: in numbers Uᵀ A U − (E^½ A U)ᵀ (I + E^½ A E^½)⁻¹ (E^½ A U).
//! Where η changes by δ the best v changes by w − E^½ (I + E^½ A E^½)⁻¹ E^½ A w, w_m = δ_m u_m.

use super::features::Room;
use super::passes::Problem;
use super::space::Space;
use super::state::Drawn;
use crate::error::room_for;
use crate::{Error, Result};
use cokernel_dense::{Cholesky, Slice, add_gram_below, mirror_below, simd};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Most coordinates that are factored together.
const WHOLE: usize = 6_000;

/// Fewest instances of a sample, unless there are fewer; else as many as coordinates that are factored together, or
/// twice as many as those of a view.
const LEAST: usize = 2_000;

/// Rows of the sample at once, and rows of which one thread makes the features.
const STRIP: usize = 512;
const PART: usize = 64;

/// Coordinates that are turned at once: their columns stay in a cache.
const BLOCK: usize = 32;

/// The covariance of the whitened features.
pub(crate) struct Curvature {
    /// What it was made of.
    pub sample: Drawn,
    size: usize,
    mean: Vec<f64>,
    /// size × size.
    covariance: Vec<f64>,
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
    blocks: Vec<(std::ops::Range<usize>, Cholesky)>,
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
    /// Instances of a sample.
    pub fn wanted(space: &Space, whole: bool) -> usize {
        let largest = || by_view(space).iter().map(Vec::len).max().unwrap_or(0);
        LEAST.max(if whole { space.size() } else { space.size().min(2 * largest()) })
    }

    /// Whether all coordinates of kernels with a weight are factored together, for which there must be covariances between views.
    pub fn is_whole(space: &Space, weights: &[f64]) -> bool {
        let with = (0..weights.len()).filter(|m| weights[*m] > 0.0);
        with.map(|m| space.part(m).len()).sum::<usize>() <= WHOLE
    }

    /// Operations that the covariances of so many instances take, and their factors.
    pub fn operations(space: &Space, whole: bool, instances: usize) -> f64 {
        let of = |p: f64| p * p * (instances as f64 + p / 3.0);
        match whole {
            true => of(space.size() as f64),
            false => by_view(space).iter().map(|group| of(group.len() as f64)).sum(),
        }
    }

    /// From a sample of the instances of a problem with these curvatures.
    pub fn new(
        problem: &Problem<'_>,
        (curvatures, whole): (&[f64], bool),
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Self> {
        let wanted = Self::wanted(problem.space, whole);
        let Sample { places, weights } = Sample::draw(curvatures, wanted, rng);
        let rows = places.iter().map(|p| problem.rows[*p]).collect();
        Self::of(problem, Drawn { rows, weights, whole })
    }

    /// From these instances.
    pub fn of(problem: &Problem<'_>, sample: Drawn) -> Result<Self> {
        let (space, size) = (problem.space, problem.space.size());
        let Drawn { rows, weights, .. } = &sample;
        let total: f64 = weights.iter().sum();
        let kernels: Vec<usize> = (0..space.kernels().len()).collect();
        let groups = match sample.whole {
            true => vec![(0..size).collect()],
            false => by_view(space),
        };
        let mut mean = vec![0.0; size];
        let mut parts: Vec<Vec<f64>> =
            groups.iter().map(|g: &Vec<usize>| vec![0.0; g.len() * g.len()]).collect();
        for (rows, weights) in rows.chunks(STRIP).zip(weights.chunks(STRIP)) {
            if let Some(status) = problem.watch.stop() {
                let what = "the covariance of the features".to_string();
                return Err(Error::Stopped { status, what });
            }
            let strips = Strips::of(space, problem, rows, &kernels)?;
            for (first, white) in &strips.0 {
                for (row, weight) in white.chunks(size.max(1)).zip(&weights[*first..]) {
                    let part = weight / total;
                    mean.iter_mut().zip(row).for_each(|(m, v)| *m += part * v);
                }
            }
            let roots: Vec<f64> = weights.iter().map(|w| (w / total).sqrt()).collect();
            for (group, part) in groups.iter().zip(&mut parts) {
                let turned = strips.turned(size, group, &roots);
                add_gram_below(1.0, Slice::new(&turned, group.len(), rows.len()), part);
            }
        }
        for (group, part) in groups.iter().zip(&mut parts) {
            mirror_below(group.len(), part);
            part.par_chunks_mut(group.len().max(1)).zip(group).for_each(|(row, i)| {
                row.iter_mut().zip(group).for_each(|(v, j)| *v -= mean[*i] * mean[*j]);
            });
        }
        if sample.whole {
            let covariance = parts.pop().unwrap_or_default();
            return Ok(Curvature { sample, size, mean, covariance });
        }
        // Pages of zeros that nobody writes to take no memory.
        let mut covariance = vec![0.0; size * size];
        for (group, part) in groups.iter().zip(parts) {
            for (i, row) in group.iter().zip(part.chunks(group.len().max(1))) {
                group.iter().zip(row).for_each(|(j, v)| covariance[i * size + j] = *v);
            }
        }
        Ok(Curvature { sample, size, mean, covariance })
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
        if coordinates.len() <= WHOLE {
            ends = vec![(coordinates.len(), "")];
        }
        let starts = std::iter::once(0).chain(ends.iter().map(|e| e.0));
        let ranges: Vec<_> = starts.zip(&ends).map(|(from, (to, _))| from..*to).collect();
        let block = |range: &std::ops::Range<usize>| {
            let own = &coordinates[range.clone()];
            let size = own.len();
            let mut matrix = vec![0.0; size * size];
            let roots = &roots[range.clone()];
            // On and above the diagonal, which is all that is read.
            for (a, row) in matrix.chunks_mut(size.max(1)).enumerate() {
                let line = &self.covariance[own[a] * self.size..];
                let entries = own[a..].iter().zip(&roots[a..]);
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

    /// The part of one head in the Hessian of J in η, kernels × kernels, added to `hessian`; from u_m (v_m/η_m; of kernels
    /// without a weight R_mᵀC_mᵀc).
    pub fn add_hessian(&self, space: &Space, factor: &Factor, u: &[f64], hessian: &mut [f64]) {
        let (m, kernels) = (factor.weights.len(), space.kernels());
        // Row k is κ S U e_k.
        let bent: Vec<Vec<f64>> = (0..m)
            .into_par_iter()
            .map(|k| {
                let part = space.part(k);
                let row =
                    |line: &[f64]| factor.kappa * simd::dot(&line[part.clone()], &u[part.clone()]);
                let mut bent: Vec<f64> =
                    self.covariance.chunks(self.size.max(1)).map(row).collect();
                if factor.blocks.len() > 1 {
                    // What is factored view by view knows of nothing between views.
                    let other = |l: &usize| kernels[*l].view != kernels[k].view;
                    (0..m).filter(other).for_each(|l| bent[space.part(l)].fill(0.0));
                }
                bent
            })
            .collect();
        let solved: Vec<Vec<f64>> = bent
            .par_iter()
            .map(|bent| {
                let own = factor.coordinates.iter().zip(&factor.roots);
                let mut side: Vec<f64> = own.map(|(j, root)| root * bent[*j]).collect();
                factor.forward(&mut side);
                side
            })
            .collect();
        for k in 0..m {
            for l in 0..=k {
                let part = space.part(l);
                let value =
                    simd::dot(&bent[k][part.clone()], &u[part]) - simd::dot(&solved[k], &solved[l]);
                hessian[k * m + l] += value;
                if l < k {
                    hessian[l * m + k] += value;
                }
            }
        }
    }

    /// How the best v and bias of one head change with the weights, `moved` being δ_m u_m of each kernel.
    pub fn response(&self, space: &Space, factor: &Factor, moved: &[f64]) -> (Vec<f64>, f64) {
        let kernels = space.kernels();
        let mut found = moved.to_vec();
        let mut bent = vec![0.0; self.size];
        let whole = factor.blocks.len() <= 1;
        let times = |j: usize| -> f64 {
            let line = &self.covariance[j * self.size..(j + 1) * self.size];
            if whole {
                return simd::dot(line, moved);
            }
            let own = (0..kernels.len()).find(|m| space.part(*m).contains(&j));
            let same = |m: &usize| own.is_some_and(|o| kernels[o].view == kernels[*m].view);
            let parts = (0..kernels.len()).filter(same).map(|m| space.part(m));
            parts.map(|p| simd::dot(&line[p.clone()], &moved[p])).sum()
        };
        bent.par_iter_mut().enumerate().for_each(|(j, b)| *b = factor.kappa * times(j));
        let own = factor.coordinates.iter().zip(&factor.roots);
        let mut side: Vec<f64> = own.map(|(j, root)| root * bent[*j]).collect();
        factor.solve(&mut side);
        let own = factor.coordinates.iter().zip(&factor.roots).zip(&side);
        own.for_each(|((j, root), s)| found[*j] -= root * s);
        let bias = -simd::dot(&self.mean, &found);
        (found, bias)
    }
}

/// Refuses more features than there is memory for the covariance of.
pub(crate) fn room_for_learning(size: usize) -> Result<()> {
    room_for::<f64>(size.checked_mul(size).and_then(|s| s.checked_mul(2)), || {
        format!("the covariance of {size} features (a smaller rank of the storage needs less)")
    })
}

/// The coordinates of the kernels of each view.
fn by_view(space: &Space) -> Vec<Vec<usize>> {
    let kernels = space.kernels();
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (m, kernel) in kernels.iter().enumerate() {
        match groups.iter_mut().find(|g| g.0 == kernel.view) {
            Some(group) => group.1.extend(space.part(m)),
            None => groups.push((&kernel.view, space.part(m).collect())),
        }
    }
    groups.into_iter().map(|g| g.1).collect()
}

/// Whitened features of some rows, in strips.
struct Strips(Vec<(usize, Vec<f64>)>);

impl Strips {
    /// Some coordinates, one row for each with a column for each row of the sample, times the roots of the weights.
    fn turned(&self, size: usize, coordinates: &[usize], roots: &[f64]) -> Vec<f64> {
        let wide = roots.len();
        let mut turned = vec![0.0; coordinates.len() * wide];
        let blocks =
            turned.par_chunks_mut((BLOCK * wide).max(1)).zip(coordinates.par_chunks(BLOCK));
        blocks.for_each(|(out, own)| {
            for (first, white) in &self.0 {
                for (i, row) in white.chunks(size.max(1)).enumerate() {
                    let (column, root) = (first + i, roots[first + i]);
                    let cells = own.iter().zip(out[column..].iter_mut().step_by(wide));
                    cells.for_each(|(j, v)| *v = root * row[*j]);
                }
            }
        });
        turned
    }

    fn of(space: &Space, problem: &Problem<'_>, rows: &[usize], kernels: &[usize]) -> Result<Self> {
        let parts: Vec<Result<Strips>> = rows
            .par_chunks(PART)
            .enumerate()
            .map(|(c, rows)| {
                let mut found = Vec::new();
                space.visit(
                    problem.views,
                    rows,
                    kernels,
                    &mut Room::default(),
                    |first, count, values| {
                        let mut white = Vec::new();
                        space.whitened(kernels, count, values, &mut white);
                        found.push((c * PART + first, white));
                    },
                )?;
                Ok(Strips(found))
            })
            .collect();
        let mut all = Vec::new();
        for part in parts {
            all.extend(part?.0);
        }
        Ok(Strips(all))
    }
}

impl Factor {
    fn forward(&self, side: &mut [f64]) {
        self.in_blocks(side, |factor, side| factor.forward(side, 1));
    }

    fn solve(&self, side: &mut [f64]) {
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
