//! Scores of a clustering against known classes.
//!
//! With n instances, let n_ij be the number of instances of cluster i and class j, a_i = Σ_j n_ij,
//! b_j = Σ_i n_ij. Labels are any numbers; only equality counts, and neither their order nor gaps
//! between them matter. All scores are 1 for the best clustering, except the entropy, which is 0.
//!
//! Cost: O(n log n) to count, O(number of cluster-class pairs) per score; the matching takes
//! O(s³) for s the larger of the numbers of clusters and classes.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What mutual information is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NmiNorm {
    /// (H(clusters) + H(classes)) / 2, the default.
    #[default]
    Arithmetic,
    /// √(H(clusters) · H(classes)).
    Geometric,
    /// max(H(clusters), H(classes)).
    Max,
    /// min(H(clusters), H(classes)).
    Min,
}

/// Precision, recall and F of the pairs of instances that a clustering puts together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairScores {
    /// Of the pairs in one cluster, the share that is of one class: S / P with
    /// S = Σ_ij C(n_ij, 2), P = Σ_i C(a_i, 2). 0 if there are no such pairs.
    pub precision: f64,
    /// Of the pairs of one class, the share that is in one cluster: S / Q, Q = Σ_j C(b_j, 2).
    /// 0 if there are no such pairs.
    pub recall: f64,
    /// 2 · precision · recall / (precision + recall), or 0 if both are 0.
    pub f: f64,
}

/// All scores together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClusterScores {
    /// [`nmi`] with the arithmetic mean.
    pub nmi: f64,
    /// [`nmi`] with the geometric mean.
    pub nmi_geometric: f64,
    /// [`nmi`] with the larger entropy.
    pub nmi_max: f64,
    /// [`adjusted_rand`].
    pub adjusted_rand: f64,
    /// [`accuracy`] by best matching.
    pub accuracy: f64,
    /// [`purity`].
    pub purity: f64,
    /// [`entropy`], in bits; smaller is better.
    pub entropy: f64,
    /// [`pairs`].
    pub pairs: PairScores,
}

impl ClusterScores {
    /// Compares `clusters` with `classes`, instance by instance.
    ///
    /// # Errors
    /// Different lengths, or no instances.
    pub fn new(clusters: &[u32], classes: &[u32]) -> Result<Self> {
        let table = Table::new(clusters, classes)?;
        Ok(ClusterScores {
            nmi: table.nmi(NmiNorm::Arithmetic),
            nmi_geometric: table.nmi(NmiNorm::Geometric),
            nmi_max: table.nmi(NmiNorm::Max),
            adjusted_rand: table.adjusted_rand(),
            accuracy: table.accuracy(),
            purity: table.purity(),
            entropy: table.entropy(),
            pairs: table.pairs(),
        })
    }
}

/// Normalised mutual information I / m(H(clusters), H(classes)), where
/// I = Σ_ij (n_ij/n) log(n n_ij / (a_i b_j)), H(clusters) = −Σ_i (a_i/n) log(a_i/n), and m is
/// chosen by `norm`. If clusters and classes are both a single group the score is 1; if the
/// divisor is 0 otherwise (one of them a single group, with the geometric mean or the minimum),
/// it is 0.
///
/// # Errors
/// Different lengths, or no instances.
pub fn nmi(clusters: &[u32], classes: &[u32], norm: NmiNorm) -> Result<f64> {
    Ok(Table::new(clusters, classes)?.nmi(norm))
}

/// Adjusted Rand index (S − PQ/N) / ((P + Q)/2 − PQ/N) with N = C(n, 2) and S, P, Q as in
/// [`PairScores`]: 0 on average for random labels. If both groupings are one group, or both are
/// all single instances, it is 1.
///
/// # Errors
/// Different lengths, or no instances.
pub fn adjusted_rand(clusters: &[u32], classes: &[u32]) -> Result<f64> {
    Ok(Table::new(clusters, classes)?.adjusted_rand())
}

/// Pairwise precision, recall and F.
///
/// # Errors
/// Different lengths, or no instances.
pub fn pairs(clusters: &[u32], classes: &[u32]) -> Result<PairScores> {
    Ok(Table::new(clusters, classes)?.pairs())
}

/// Average entropy of the classes within a cluster, in bits, clusters weighted by their size:
/// −Σ_i (a_i/n) Σ_j (n_ij/a_i) log₂(n_ij/a_i).
///
/// # Errors
/// Different lengths, or no instances.
pub fn entropy(clusters: &[u32], classes: &[u32]) -> Result<f64> {
    Ok(Table::new(clusters, classes)?.entropy())
}

/// Purity (1/n) Σ_i max_j n_ij: the accuracy if each cluster is named after its largest class.
///
/// # Errors
/// Different lengths, or no instances.
pub fn purity(clusters: &[u32], classes: &[u32]) -> Result<f64> {
    Ok(Table::new(clusters, classes)?.purity())
}

/// Accuracy by best matching: (1/n) max_π Σ_i n_{i π(i)} over all assignments π of clusters to
/// different classes; instances of clusters or classes that are left over count as wrong.
///
/// # Errors
/// Different lengths, or no instances.
pub fn accuracy(clusters: &[u32], classes: &[u32]) -> Result<f64> {
    Ok(Table::new(clusters, classes)?.accuracy())
}

/// The counts n_ij that are not 0, with their margins.
struct Table {
    n: f64,
    cells: Vec<(usize, usize, f64)>,
    clusters: Vec<f64>,
    classes: Vec<f64>,
}

impl Table {
    fn new(clusters: &[u32], classes: &[u32]) -> Result<Self> {
        if clusters.len() != classes.len() {
            let expected = format!("{} labels, as many as clusters were given", clusters.len());
            return Err(Error::shape("classes of the instances", expected, classes.len()));
        }
        if clusters.is_empty() {
            return Err(Error::Data("there are no instances to score a clustering on".into()));
        }
        let (a, clusters) = numbered(clusters);
        let (b, classes) = numbered(classes);
        let mut both: Vec<(usize, usize)> = a.into_iter().zip(b).collect();
        both.sort_unstable();
        let mut cells: Vec<(usize, usize, f64)> = Vec::new();
        for (i, j) in both {
            match cells.last_mut() {
                Some(cell) if (cell.0, cell.1) == (i, j) => cell.2 += 1.0,
                _ => cells.push((i, j, 1.0)),
            }
        }
        Ok(Table { n: clusters.iter().sum(), cells, clusters, classes })
    }

    fn nmi(&self, norm: NmiNorm) -> f64 {
        if self.clusters.len() == 1 && self.classes.len() == 1 {
            return 1.0;
        }
        let entropy =
            |sizes: &[f64]| -> f64 { sizes.iter().map(|s| s / self.n * (self.n / s).ln()).sum() };
        let (a, b) = (entropy(&self.clusters), entropy(&self.classes));
        let information: f64 = self
            .cells
            .iter()
            .map(|(i, j, c)| {
                c / self.n * (self.n * c / (self.clusters[*i] * self.classes[*j])).ln()
            })
            .sum();
        let divisor = match norm {
            NmiNorm::Arithmetic => 0.5 * (a + b),
            NmiNorm::Geometric => (a * b).sqrt(),
            NmiNorm::Max => a.max(b),
            NmiNorm::Min => a.min(b),
        };
        if divisor == 0.0 { 0.0 } else { (information / divisor).clamp(0.0, 1.0) }
    }

    /// Pairs together in both, in a cluster, in a class, in all.
    fn pair_counts(&self) -> (f64, f64, f64, f64) {
        let two = |c: f64| c * (c - 1.0) / 2.0;
        let sum = |sizes: &[f64]| sizes.iter().map(|s| two(*s)).sum::<f64>();
        let both = self.cells.iter().map(|c| two(c.2)).sum();
        (both, sum(&self.clusters), sum(&self.classes), two(self.n))
    }

    fn adjusted_rand(&self) -> f64 {
        let (both, cluster, class, all) = self.pair_counts();
        let chance = if all == 0.0 { 0.0 } else { cluster * class / all };
        let best = 0.5 * (cluster + class);
        if best == chance { 1.0 } else { (both - chance) / (best - chance) }
    }

    fn pairs(&self) -> PairScores {
        let (both, cluster, class, _) = self.pair_counts();
        let share = |whole: f64| if whole == 0.0 { 0.0 } else { both / whole };
        let (precision, recall) = (share(cluster), share(class));
        let sum = precision + recall;
        let f = if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum };
        PairScores { precision, recall, f }
    }

    fn entropy(&self) -> f64 {
        self.cells.iter().map(|(i, _, c)| c / self.n * (self.clusters[*i] / c).log2()).sum()
    }

    fn purity(&self) -> f64 {
        let mut largest = vec![0.0_f64; self.clusters.len()];
        self.cells.iter().for_each(|(i, _, c)| largest[*i] = largest[*i].max(*c));
        largest.iter().sum::<f64>() / self.n
    }

    fn accuracy(&self) -> f64 {
        let size = self.clusters.len().max(self.classes.len());
        let mut gain = vec![vec![0.0; size]; size];
        self.cells.iter().for_each(|(i, j, c)| gain[*i][*j] = *c);
        let matching = best_matching(&gain);
        matching.iter().enumerate().map(|(i, j)| gain[i][*j]).sum::<f64>() / self.n
    }
}

/// Labels as 0, 1, 2 … and the size of each group.
fn numbered(labels: &[u32]) -> (Vec<usize>, Vec<f64>) {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    let mut sizes = vec![0.0; known.len()];
    let numbers = labels
        .iter()
        .map(|l| {
            let i = known.partition_point(|k| k < l);
            sizes[i] += 1.0;
            i
        })
        .collect();
    (numbers, sizes)
}

/// The column of each row in the assignment of the largest total gain, for a square table.
///
/// Shortest augmenting paths with potentials (the Hungarian method as in Jonker & Volgenant,
/// *Computing* 38, 1987): rows enter one by one; the search for a free column follows reduced
/// costs cost(i, j) − u_i − v_j ≥ 0, which are 0 on the assignment. O(s³).
fn best_matching(gain: &[Vec<f64>]) -> Vec<usize> {
    let s = gain.len();
    let (mut u, mut v) = (vec![0.0; s], vec![0.0; s]);
    let mut row_of: Vec<Option<usize>> = vec![None; s];
    for start in 0..s {
        let mut slack = vec![f64::INFINITY; s];
        let mut from: Vec<Option<usize>> = vec![None; s]; // previous column on the path
        let mut done = vec![false; s];
        let (mut i, mut last) = (start, None);
        let end = loop {
            let (mut step, mut next) = (f64::INFINITY, 0);
            for j in (0..s).filter(|j| !done[*j]) {
                let reduced = -gain[i][j] - u[i] - v[j];
                if reduced < slack[j] {
                    (slack[j], from[j]) = (reduced, last);
                }
                if slack[j] < step {
                    (step, next) = (slack[j], j);
                }
            }
            u[start] += step;
            for j in 0..s {
                if done[j] {
                    v[j] -= step;
                    if let Some(r) = row_of[j] {
                        u[r] += step;
                    }
                } else {
                    slack[j] -= step;
                }
            }
            done[next] = true;
            last = Some(next);
            match row_of[next] {
                Some(r) => i = r,
                None => break next,
            }
        };
        let mut column = end;
        while let Some(previous) = from[column] {
            row_of[column] = row_of[previous];
            column = previous;
        }
        row_of[column] = Some(start);
    }
    let mut column_of = vec![0; s];
    for (j, i) in row_of.iter().enumerate() {
        if let Some(i) = i {
            column_of[*i] = j;
        }
    }
    column_of
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn a_table_by_hand() {
        // Cluster 7 holds classes 1, 1, 2; cluster 3 holds 2, 2, 2.
        let (clusters, classes) = ([7, 7, 7, 3, 3, 3], [1, 1, 2, 2, 2, 2]);
        let s = ClusterScores::new(&clusters, &classes).unwrap();
        assert_eq!(s.purity, 5.0 / 6.0);
        assert_eq!(s.accuracy, 5.0 / 6.0);
        let bits = 0.5 * (2.0 / 3.0 * 1.5_f64.log2() + 1.0 / 3.0 * 3.0_f64.log2());
        assert!((s.entropy - bits).abs() < 1e-15);
        // Pairs: 1 + 3 of one class in 3 + 3 of one cluster; 1 + 6 of one class in all.
        assert_eq!(s.pairs.precision, 4.0 / 6.0);
        assert_eq!(s.pairs.recall, 4.0 / 7.0);
        assert!((s.adjusted_rand - (4.0 - 42.0 / 15.0) / (6.5 - 42.0 / 15.0)).abs() < 1e-15);
    }

    #[test]
    fn renaming_changes_nothing_and_equality_is_best() {
        let classes: Vec<u32> = (0..60).map(|i| i % 7).collect();
        let renamed: Vec<u32> = classes.iter().map(|c| (c * 3 + 2) % 7 * 1000).collect();
        let s = ClusterScores::new(&renamed, &classes).unwrap();
        let one = PairScores { precision: 1.0, recall: 1.0, f: 1.0 };
        assert!((s.nmi - 1.0).abs() < 1e-14 && s.entropy.abs() < 1e-14);
        assert_eq!((s.adjusted_rand, s.accuracy, s.purity, s.pairs), (1.0, 1.0, 1.0, one));
    }

    #[test]
    fn single_groups_and_single_instances() {
        let (one, each): (Vec<u32>, Vec<u32>) = (vec![4; 5], (0..5).collect());
        let same = ClusterScores::new(&one, &one).unwrap();
        assert_eq!((same.nmi, same.adjusted_rand), (1.0, 1.0));
        let split = ClusterScores::new(&each, &each).unwrap();
        assert_eq!(split.adjusted_rand, 1.0);
        assert_eq!(split.pairs, PairScores { precision: 0.0, recall: 0.0, f: 0.0 });
        for norm in [NmiNorm::Arithmetic, NmiNorm::Geometric, NmiNorm::Max, NmiNorm::Min] {
            assert_eq!(nmi(&one, &each, norm).unwrap(), 0.0);
        }
        assert_eq!(adjusted_rand(&[1], &[2]).unwrap(), 1.0);
        assert_eq!(accuracy(&each, &one).unwrap(), 0.2);
    }

    #[test]
    fn misuse_is_refused() {
        let e = ClusterScores::new(&[1, 2], &[1]).unwrap_err().to_string();
        assert_eq!(
            e,
            "classes of the instances: expected 2 labels, as many as clusters were given, found 1"
        );
        assert!(purity(&[], &[]).unwrap_err().to_string().contains("no instances"));
    }

    /// Against all permutations.
    #[test]
    fn matching_is_best() {
        fn best(gain: &[Vec<f64>], row: usize, used: &mut Vec<bool>) -> f64 {
            if row == gain.len() {
                return 0.0;
            }
            let mut most = f64::NEG_INFINITY;
            for j in 0..gain.len() {
                if !used[j] {
                    used[j] = true;
                    most = most.max(gain[row][j] + best(gain, row + 1, used));
                    used[j] = false;
                }
            }
            most
        }
        let mut rng = crate::Run::default().rng("matching");
        for trial in 0..300 {
            let s = 1 + trial % 6;
            let range = if trial % 2 == 0 { 4 } else { 1000 };
            let gain: Vec<Vec<f64>> = (0..s)
                .map(|_| (0..s).map(|_| f64::from(rng.random_range(0..range))).collect())
                .collect();
            let found = best_matching(&gain);
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..s).collect::<Vec<_>>());
            let total: f64 = found.iter().enumerate().map(|(i, j)| gain[i][*j]).sum();
            assert_eq!(total, best(&gain, 0, &mut vec![false; s]));
        }
    }
}
