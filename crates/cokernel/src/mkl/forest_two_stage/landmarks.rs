//! Landmarks: which instances they are, pairs of them, and the machine on similarities to them.

use crate::bank::Gram;
use crate::data::{Classes, Link, Matrix, Pairs};
use crate::error::room_for;
use crate::machine::{Block, Head, How, Solution};
use crate::mkl::{Problem, fits};
use crate::solve::Rows;
use crate::{Counts, Error, Result, Run, Watch};
use cokernel_dense::{Slice, add_gram_below, mirror_below};
use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// Instances of each of `draws` draws, as many of each class as there are, ascending.
pub(super) fn choose(share: f64, draws: usize, classes: &Classes, run: &Run) -> Vec<Vec<usize>> {
    let (n, k) = (classes.codes.len(), classes.names.len());
    let total = ((share * n as f64).round() as usize).clamp(k.min(n), n);
    let mut rng = run.rng("forest_two_stage landmarks");
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); k];
    classes.codes.iter().enumerate().for_each(|(i, c)| members[*c as usize].push(i));
    // What small classes do not have is left to the larger ones.
    members.sort_by_key(Vec::len);
    let one = |_| {
        let (mut chosen, mut left) = (Vec::new(), total);
        for (c, own) in members.iter_mut().enumerate() {
            own.shuffle(&mut rng);
            let take = left.div_ceil(k - c).min(own.len());
            chosen.extend_from_slice(&own[..take]);
            left -= take;
        }
        chosen.sort_unstable();
        chosen
    };
    (0..draws).map(one).collect()
}

/// Pairs of two landmarks of one draw: all of them if they are not more than `most`, else as many of either link, at
/// random. A stop keeps those that were seen.
///
/// # Errors
/// No two landmarks of a draw share a class.
pub(super) fn pairs(
    draws: &[Vec<usize>],
    classes: &Classes,
    most: usize,
    run: &Run,
    watch: &Watch,
) -> Result<Pairs> {
    let mut rng = run.rng("forest_two_stage pairs of landmarks");
    let all: usize = draws.iter().map(|d| d.len() * d.len().saturating_sub(1) / 2).sum();
    let room = if all <= most { all } else { most.div_ceil(2) };
    let (mut kept, mut seen) = ([Vec::new(), Vec::new()], [0, 0]);
    for (i, earlier) in draws.iter().flat_map(|d| (0..d.len()).map(move |a| (d[a], &d[..a]))) {
        if watch.stop().is_some() && kept.iter().all(|k| !k.is_empty()) {
            break;
        }
        for j in earlier {
            let equal = classes.codes[i] == classes.codes[*j];
            let link = if equal { Link::Must } else { Link::Cannot };
            let (kept, seen) = (&mut kept[usize::from(equal)], &mut seen[usize::from(equal)]);
            *seen += 1;
            if kept.len() < room {
                kept.push((i, *j, link));
                continue;
            }
            // Each of those that were seen is kept with the same probability.
            let place = rng.random_range(0..*seen);
            if place < room {
                kept[place] = (i, *j, link);
            }
        }
    }
    if kept[1].is_empty() {
        return Err(Error::parameter(
            "learn_from",
            "of every class there is a single landmark, so that no two share one; use more landmarks, or learn_from=all",
        ));
    }
    Pairs::new(classes.codes.len(), kept.into_iter().flatten())
}

/// Landmarks that similarities are computed to after a stop, about.
const AT_LEAST: usize = 8;

/// Similarities of n instances to the landmarks of one draw, centred and scaled.
pub(super) struct Features {
    landmarks: Vec<usize>,
    /// n × l, a row for each instance.
    values: Matrix,
    /// Of each landmark, over the instances.
    means: Vec<f64>,
    /// What differences from the means were multiplied by.
    scale: f64,
}

impl Features {
    /// After a stop those of the landmarks that are known by then, and some that are spread over all.
    pub(super) fn new(similarity: &dyn Rows, landmarks: &[usize], watch: &Watch) -> Result<Self> {
        let (n, l) = (similarity.n(), landmarks.len());
        room_for::<f64>(n.checked_mul(2 * l), || {
            format!("the similarities of {n} instances to {l} landmarks; use fewer (landmarks)")
        })?;
        let step = l.div_ceil(AT_LEAST);
        let known: Vec<Option<(f64, Vec<f64>)>> = (0..l)
            .into_par_iter()
            .map(|k| {
                if k % step != 0 && watch.stop().is_some() {
                    return None;
                }
                let mut room = vec![0.0; n];
                let row = similarity.row(landmarks[k], &mut room);
                let mean = row.iter().sum::<f64>() / n as f64;
                Some((mean, row.iter().map(|v| v - mean).collect()))
            })
            .collect();
        let landmarks = landmarks.iter().zip(&known).filter(|(_, c)| c.is_some());
        let landmarks: Vec<usize> = landmarks.map(|(t, _)| *t).collect();
        let columns: Vec<(f64, Vec<f64>)> = known.into_iter().flatten().collect();
        let l = landmarks.len();
        let squares = columns.iter().map(|c| c.1.iter().map(|v| v * v).sum::<f64>());
        let variance = squares.sum::<f64>() / n as f64;
        let scale = to_unit(variance);
        let mut values = Matrix::zeros(n, l);
        values.values_mut().par_chunks_mut(l).enumerate().for_each(|(i, row)| {
            row.iter_mut().zip(&columns).for_each(|(v, c)| *v = scale * c.1[i]);
        });
        let means = columns.iter().map(|c| c.0).collect();
        Ok(Features { landmarks, values, means, scale })
    }

    /// How many landmarks there are.
    pub(super) fn len(&self) -> usize {
        self.landmarks.len()
    }

    /// The machine on Φ Φᵀ, with its coefficients as weights of landmarks.
    pub(super) fn solve(
        &self,
        problem: &Problem<'_>,
        run: &Run,
        watch: &Watch,
    ) -> Result<Solution> {
        let stored = match fits(problem.bank, 1, run) {
            true => Some(self.gram()?),
            false => None,
        };
        let kernel: &dyn Rows = match &stored {
            Some(gram) => gram,
            None => self,
        };
        let left = run.remaining(watch).quiet();
        let how = How { weights: problem.weights, ..How::new(&left) };
        let mut solved = problem.machine.solve(kernel, problem.target, &how)?;
        for block in &mut solved.blocks {
            block.heads.iter_mut().for_each(|head| self.to_landmarks(head));
            block.free = None;
        }
        Ok(solved)
    }

    /// Φ Φᵀ.
    fn gram(&self) -> Result<Gram> {
        let n = self.values.rows();
        room_for::<f64>(n.checked_mul(2 * n), || format!("a matrix of {n} × {n} numbers"))?;
        let mut gram = Matrix::zeros(n, n);
        add_gram_below(1.0, Slice::of(&self.values), gram.values_mut());
        mirror_below(n, gram.values_mut());
        Gram::new(gram)
    }

    /// f(x) = Σ_i c_i φ(x_i)·φ(x) + b as Σ_t A_t h(x, t) + b'.
    fn to_landmarks(&self, head: &mut Head) {
        let mut weights = vec![0.0; self.landmarks.len()];
        for (i, c) in head.coef.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            weights.iter_mut().zip(self.values.row(i)).for_each(|(w, v)| *w += c * v);
        }
        head.coef.fill(0.0);
        for ((t, w), mean) in self.landmarks.iter().zip(&weights).zip(&self.means) {
            head.coef[*t] = self.scale * w;
            head.bias -= self.scale * w * mean;
        }
    }

    fn dot(&self, i: usize, j: usize) -> f64 {
        self.values.row(i).iter().zip(self.values.row(j)).map(|(a, b)| a * b).sum()
    }
}

impl Rows for Features {
    fn n(&self) -> usize {
        self.values.rows()
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.n()).map(|i| self.dot(i, i)).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let at = |j: usize| columns.map_or(j, |c| c[j] as usize);
        let one = |(j, o): (usize, &mut f32)| *o = self.dot(i, at(j)) as f32;
        out.par_iter_mut().with_min_len(64).enumerate().for_each(one);
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        let mut sums = vec![0.0; self.values.cols()];
        for (i, c) in coef.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            sums.iter_mut().zip(self.values.row(i)).for_each(|(s, v)| *s += c * v);
        }
        for (i, o) in out.iter_mut().enumerate() {
            *o = sums.iter().zip(self.values.row(i)).map(|(s, v)| s * v).sum();
        }
    }
}

/// What numbers of this variance are multiplied by for a variance of 1.
pub(super) fn to_unit(variance: f64) -> f64 {
    if variance > f64::MIN_POSITIVE { variance.sqrt().recip() } else { 0.0 }
}

/// The mean of the decision functions; blocks of the same place make one.
pub(super) fn together(solutions: Vec<Solution>, counts: Counts) -> Solution {
    let share = 1.0 / solutions.len() as f64;
    let mut solutions = solutions.into_iter();
    let mut first = solutions.next().map_or(Vec::new(), |s| s.blocks);
    for solution in solutions {
        for (sum, block) in first.iter_mut().zip(solution.blocks) {
            add(sum, block);
        }
    }
    for block in &mut first {
        for head in &mut block.heads {
            head.coef.iter_mut().for_each(|c| *c *= share);
            head.bias *= share;
        }
        block.gap = (block.primal - block.objective) / block.primal.abs().max(f64::MIN_POSITIVE);
    }
    Solution { blocks: first, counts }
}

fn add(sum: &mut Block, block: Block) {
    for (head, other) in sum.heads.iter_mut().zip(block.heads) {
        head.coef.iter_mut().zip(&other.coef).for_each(|(c, o)| *c += o);
        head.bias += other.bias;
    }
    sum.linear += block.linear;
    sum.primal += block.primal;
    sum.objective += block.objective;
    sum.at_bound = (sum.at_bound.0 + block.at_bound.0, sum.at_bound.1 + block.at_bound.1);
    if sum.status.is_success() {
        sum.status = block.status;
    }
}
