//! Covariances of whitened features over a [sample](super::curvature), in parts whose bits do not depend on who computes them.
//!
//! Kernels whose covariances are wanted with each other (all, or those of a view) are a group, whose matrix is cut into [`strips`] of
//! rows of its lower triangle. Who computes some strips makes the features of the whole group.
//!
//! Cost, for a sample of s instances and a group of p coordinates: s (p r + p²/2) products, r landmarks.

use super::features::{Features, Source};
use super::root::{Root, whitened};
use crate::Result;
use crate::kernel::Kernel;
use cokernel_dense::{GRAM_STRIP, Slice, add_gram_rows};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of the sample at once, and rows of which one thread makes the features. Constants: sums are cut at them.
const STRIP: usize = 512;
const PART: usize = 64;

/// Coordinates that are turned at once: their columns stay in a cache.
const BLOCK: usize = 32;

/// Kernels towards landmarks on the instances of a sample.
pub(super) struct Covariance<'a> {
    pub features: &'a Features,
    /// Of all kernels; those of others than are asked for may be empty.
    pub roots: &'a [Root],
    pub source: &'a dyn Source,
    /// The sample, with the weight of each instance.
    pub rows: &'a [usize],
    pub weights: &'a [f64],
}

/// These kernels in groups: all together, or those of each view.
pub(super) fn groups(of: &[Kernel], kernels: &[usize], whole: bool) -> Vec<Vec<usize>> {
    if whole {
        return vec![kernels.to_vec()];
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for m in kernels {
        match groups.iter_mut().find(|g| of[g[0]].view == of[*m].view) {
            Some(group) => group.push(*m),
            None => groups.push(vec![*m]),
        }
    }
    groups
}

/// How many coordinates a group has.
pub(super) fn size(roots: &[Root], group: &[usize]) -> usize {
    group.iter().map(|m| roots[*m].rank).sum()
}

/// Of a group the mean of each coordinate, and rows of the second moments, of which the lower triangle is right.
pub(super) type Moments = (Vec<f64>, Vec<f64>);

/// Rows of the matrix of a group of this number, up to the end of which its columns are computed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Strip {
    pub group: usize,
    pub rows: Range<usize>,
}

impl Strip {
    /// How many numbers it has.
    pub fn numbers(&self) -> usize {
        self.rows.len() * self.rows.end
    }
}

/// The strips of groups of these sizes, one group after the other.
pub(super) fn strips(sizes: &[usize]) -> Vec<Strip> {
    let of = |(group, size): (usize, &usize)| {
        let size = *size;
        let rows = move |first: usize| first..size.min(first + GRAM_STRIP);
        (0..size).step_by(GRAM_STRIP).map(move |first| Strip { group, rows: rows(first) })
    };
    sizes.iter().enumerate().flat_map(of).collect()
}

/// The strips in so many ranges of about as many numbers each.
pub(super) fn shares(strips: &[Strip], count: usize) -> Vec<Range<usize>> {
    let total: usize = strips.iter().map(Strip::numbers).sum();
    let mut ends = vec![0];
    let (mut sum, mut at) = (0, 0);
    for part in 1..=count {
        // Up to the strip whose middle is beyond this part of all numbers.
        while let Some(strip) = strips.get(at)
            && part < count
            && (2 * sum + strip.numbers()) * count <= 2 * part * total
        {
            sum += strip.numbers();
            at += 1;
        }
        ends.push(if part == count { strips.len() } else { at });
    }
    ends.windows(2).map(|e| e[0]..e[1]).filter(|r| !r.is_empty()).collect()
}

impl Covariance<'_> {
    /// The mean of each coordinate of a group, and these rows of the second moments, which begin and end with strips: all columns of
    /// each row, of which those up to the diagonal are right.
    pub fn of(
        &self,
        group: &[usize],
        wanted: Range<usize>,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<Moments> {
        let (size, total) = (size(self.roots, group), self.weights.iter().sum::<f64>());
        let (mut means, mut found) = (vec![0.0; size], vec![0.0; wanted.len() * size]);
        for (rows, weights) in self.rows.chunks(STRIP).zip(self.weights.chunks(STRIP)) {
            stop()?;
            let white = self.white(group, rows)?;
            for (first, white) in &white {
                for (row, weight) in white.chunks(size.max(1)).zip(&weights[*first..]) {
                    let part = weight / total;
                    means.iter_mut().zip(row).for_each(|(m, v)| *m += part * v);
                }
            }
            let roots: Vec<f64> = weights.iter().map(|w| (w / total).sqrt()).collect();
            let turned = turned(&white, (size, wanted.end), &roots);
            let turned = Slice::new(&turned, size, rows.len());
            add_gram_rows(1.0, turned, wanted.start, &mut found);
        }
        Ok((means, found))
    }

    /// Whitened features of some instances: the first of some, and these, row after row.
    fn white(&self, group: &[usize], rows: &[usize]) -> Result<Vec<(usize, Vec<f64>)>> {
        let part = |(c, rows): (usize, &[usize])| -> Result<Vec<(usize, Vec<f64>)>> {
            let mut found = Vec::new();
            let landmarks = self.features.landmarks();
            self.features.visit(self.source, rows, group, |first, count, values| {
                let mut white = Vec::new();
                whitened((self.roots, landmarks), group, count, values, &mut white);
                found.push((c * PART + first, white));
            })?;
            Ok(found)
        };
        let parts: Vec<Result<_>> = rows.par_chunks(PART).enumerate().map(part).collect();
        parts.into_iter().collect::<Result<Vec<_>>>().map(|parts| parts.concat())
    }
}

/// The first coordinates of rows of this length, one row for each with a column for each row of the sample, times the roots of the
/// weights; zeros for the others.
fn turned(white: &[(usize, Vec<f64>)], (size, used): (usize, usize), roots: &[f64]) -> Vec<f64> {
    let wide = roots.len();
    let mut turned = vec![0.0; size * wide];
    let blocks = turned[..used * wide].par_chunks_mut((BLOCK * wide).max(1)).enumerate();
    blocks.for_each(|(b, out)| {
        let columns = b * BLOCK..used.min((b + 1) * BLOCK);
        for (first, white) in white {
            for (i, row) in white.chunks(size.max(1)).enumerate() {
                let (column, root) = (first + i, roots[first + i]);
                let cells = row[columns.clone()].iter().zip(out[column..].iter_mut().step_by(wide));
                cells.for_each(|(v, to)| *to = root * v);
            }
        }
    });
    turned
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::LowRank;
    use crate::data::toy;
    use crate::kernel::KernelSpec;
    use crate::scale::away::Away;
    use crate::scale::curvature::Curvature;
    use crate::scale::instances::Labels;
    use crate::scale::passes::Problem;
    use crate::scale::scratch::Content;
    use crate::scale::state::Drawn;
    use crate::scale::{Executor, Loss, Space, Workers, answer};
    use crate::{Run, Watch};
    use std::sync::Arc;

    /// Each strip once, whatever the number of shares, and none much larger than another where there are many.
    #[test]
    fn shares_have_all_strips() {
        for sizes in [vec![2_000; 5], vec![1], vec![0, 900, 0, 3], vec![], vec![6_000]] {
            let strips = strips(&sizes);
            let rows: usize = strips.iter().map(|s| s.rows.len()).sum();
            assert_eq!(rows, sizes.iter().sum::<usize>());
            for count in [1, 2, 3, 7, 100] {
                let shares = shares(&strips, count);
                assert!(shares.len() <= count);
                let places: Vec<usize> = shares.iter().cloned().flatten().collect();
                assert_eq!(places, (0..strips.len()).collect::<Vec<_>>());
                let numbers = |r: &Range<usize>| strips[r.clone()].iter().map(Strip::numbers).sum();
                let all: Vec<usize> = shares.iter().map(numbers).collect();
                let largest = strips.iter().map(Strip::numbers).max().unwrap_or(0);
                let mean = all.iter().sum::<usize>() / count;
                assert!(all.iter().all(|n| *n <= mean + largest), "{count}: {all:?}");
            }
        }
    }

    /// Tasks one after the other, and what is done to the strips that they wrote.
    struct Here(usize, fn(&mut [u8]));

    impl Executor for Here {
        fn workers(&self) -> usize {
            self.0
        }

        fn map(&self, tasks: &[String], _: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>> {
            let answers = tasks.iter().map(|task| answer(task)).collect::<Result<_>>()?;
            let task: serde_json::Value = serde_json::from_str(&tasks[0]).unwrap();
            for file in std::fs::read_dir(task["folder"].as_str().unwrap()).unwrap().flatten() {
                if file.file_name().to_string_lossy().starts_with("strips-") {
                    let mut bytes = std::fs::read(file.path()).unwrap();
                    self.1(&mut bytes);
                    std::fs::write(file.path(), bytes).unwrap();
                }
            }
            Ok(Some(answers))
        }
    }

    fn of<'a>(content: &Content<'a>, watch: &'a Watch, away: Option<Away<'a>>) -> Problem<'a> {
        let Content { space, views, labels, costs, loss } = *content;
        let rows = (0..views.n()).collect();
        Problem { space, views, labels, loss, costs, rows, factor: 1.0, watch, away }
    }

    /// More coordinates than a strip has, together and view by view: those of the formula, and the same bits from workers.
    #[test]
    fn covariances_are_the_same_whoever_computes_them() {
        let (views, _) = toy::views(700, 3, &[4.0, 3.0], 1).unwrap();
        let run = Run::default();
        let widths = KernelSpec::gaussian().gamma([0.02, 0.1, 0.4, 1.0, 3.0]);
        let kernels = widths.resolve(&views, &run).unwrap();
        let how = LowRank { rank: 90, ..LowRank::default() };
        let (space, _) = Space::new(&views, kernels, how, &run).unwrap();
        let (n, values, costs) = (700, vec![0.0; 700], vec![1.0; 700]);
        let (labels, loss) = (Labels::Values(&values), Loss::Squared);
        let content = Content { space: &space, views: &views, labels, costs: &costs, loss };
        let folder = tempfile::tempdir().unwrap();
        let digest = content.digest().unwrap();
        content.put(folder.path(), &digest).unwrap();
        let watch = run.watch();
        let alone = of(&content, &watch, None);
        for (whole, known) in [(true, vec![0, 1, 2, 3, 4, 5, 6]), (false, (0..10).collect())] {
            let rows: Vec<usize> = (0..n).filter(|i| i % 7 != 0).collect();
            let weights: Vec<f64> = rows.iter().map(|i| 1.0 + (i % 3) as f64).collect();
            let total: f64 = weights.iter().sum();
            let sample =
                Drawn { rows: rows.clone(), weights: weights.clone(), kernels: known, whole };
            let here = Curvature::of(&alone, sample.clone()).unwrap();
            let sizes = groups(space.kernels(), &sample.kernels, whole);
            let sizes = sizes.iter().map(|g| size(&space.roots, g));
            assert!(sizes.max() > Some(GRAM_STRIP));
            // By the formula.
            let all: Vec<usize> = (0..10).collect();
            let mut white = vec![0.0; n * space.size()];
            space
                .visit(&views, &(0..n).collect::<Vec<_>>(), &all, |first, count, values| {
                    let mut some = Vec::new();
                    space.whitened(&all, count, values, &mut some);
                    white[first * space.size()..][..some.len()].copy_from_slice(&some);
                })
                .unwrap();
            let at = |i: usize, j: usize| white[i * space.size() + j];
            let mean = |j: usize| {
                rows.iter().zip(&weights).map(|(i, w)| w * at(*i, j)).sum::<f64>() / total
            };
            let view = space.kernels()[0].view.clone();
            let mut own =
                sample.kernels.iter().filter(|m| whole || space.kernels()[**m].view == view);
            let last = space.part(*own.next_back().unwrap()).end - 1;
            for (a, b) in [(0, 0), (3, 100), (last, 5), (last, last)] {
                let cross = rows.iter().zip(&weights).map(|(i, w)| w * at(*i, a) * at(*i, b));
                let wanted = cross.sum::<f64>() / total - mean(a) * mean(b);
                // In its line a coordinate is where it is among those of its group.
                let found = here.line(a)[b];
                assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted.abs()), "{found} {wanted}");
            }
            let all: Vec<usize> = (0..n).collect();
            let with = |count: usize, damage: fn(&mut [u8])| {
                let executor: Arc<dyn Executor> = Arc::new(Here(count, damage));
                let workers = Workers { least: 1, ..Workers::new(Some(executor), folder.path()) };
                let away = Away::new(&workers, (folder.path(), &digest), (&all, n)).unwrap();
                Curvature::of(&of(&content, &watch, away), sample.clone())
            };
            let said = with(2, |bytes| bytes[4_000] ^= 1).map(|_| ()).unwrap_err().to_string();
            assert!(said.contains("is not what workers wrote"), "{said}");
            let (roots, flip) = (folder.path().join("roots"), |path: &std::path::Path| {
                let mut bytes = std::fs::read(path).unwrap();
                bytes[4_000] ^= 1;
                std::fs::write(path, bytes).unwrap();
            });
            flip(&roots);
            let said = with(2, |_| {}).map(|_| ()).unwrap_err().to_string();
            assert!(said.contains("roots: is not what was written"), "{said}");
            flip(&roots);
            for count in [1, 2, 5] {
                let there = with(count, |_| {}).unwrap();
                let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&here.mean), bits(&there.mean), "{count} workers");
                for j in sample.kernels.iter().flat_map(|m| space.part(*m)) {
                    assert_eq!(bits(here.line(j)), bits(there.line(j)), "{count} workers");
                }
            }
            let left = std::fs::read_dir(folder.path()).unwrap().flatten();
            let named = |e: std::fs::DirEntry| e.file_name().to_string_lossy().into_owned();
            let moments: Vec<String> =
                left.map(named).filter(|n| n.contains('-') && !n.starts_with("view")).collect();
            assert!(moments.is_empty(), "{moments:?}");
        }
    }
}
