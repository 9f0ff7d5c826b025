//! k-means: min Σ_i ‖x_i − c_{a(i)}‖² over centres c_1 … c_k and assignments a.
//!
//! Lloyd's iteration, by default from k-means++ seeds (Arthur & Vassilvitskii, SODA 2007) in the greedy form:
//! each new seed is the best of 2 + ⌊ln k⌋ candidates drawn with probability proportional to the
//! squared distance to the seeds so far; on request from random rows. Starts run in parallel, each with a generator of its
//! own, and the one with the least inertia wins (the first of them if several agree), so that the
//! result does not depend on threads.
//!
//! A centre that loses all its instances moves to the instance that is farthest from its own
//! centre, as long as its cluster has another row than it; with fewer distinct instances than k, clusters
//! therefore stay empty and fewer than k labels occur.
//!
//! Distances are taken as ‖c‖² − 2⟨x, c⟩ from one matrix product per block of rows, after the
//! mean is subtracted; the inertia is summed from differences. Cost per iteration O(n k d), memory
//! 2 n d values, and 5 n per restart that is running.
//!
//! Deviation from common practice: the iteration ends when no assignment changes (or at
//! [`MAX_ITERATIONS`]), not at a movement of the centres that counts as small.

use super::dense::{self, Slice};
use crate::data::Matrix;
use crate::{Error, Result, Run, Status, Watch};
use cokernel_dense::simd;
use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Lloyd iterations after which a restart ends in any case.
pub const MAX_ITERATIONS: usize = 300;

/// How the first centres are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seeding {
    /// Greedy k-means++.
    PlusPlus,
    /// k different rows, drawn uniformly.
    Random,
}

/// How often k-means starts, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starts {
    /// How the first centres are chosen.
    pub seeding: Seeding,
    /// Number of starts.
    pub starts: usize,
}

impl Default for Starts {
    /// Twenty starts from k-means++ seeds.
    fn default() -> Self {
        Starts { seeding: Seeding::PlusPlus, starts: 20 }
    }
}

impl Starts {
    /// The protocols by name: `best_of` (k-means++ seeds; the start with the least inertia is the
    /// result) and `published` ([`Starts::published`]).
    pub const PROTOCOLS: [&str; 2] = ["best_of", "published"];

    /// The protocol with this name.
    ///
    /// # Errors
    /// No such protocol.
    pub fn named(protocol: &str, starts: usize) -> Result<Self> {
        match protocol {
            "best_of" => Ok(Starts { seeding: Seeding::PlusPlus, starts }),
            "published" => Ok(Starts::published(starts)),
            other => Err(Error::unknown("protocol", other, Starts::PROTOCOLS)),
        }
    }

    /// The name of this protocol.
    pub fn protocol(&self) -> &'static str {
        match self.seeding {
            Seeding::PlusPlus => "best_of",
            Seeding::Random => "published",
        }
    }

    /// The protocol of the tables of LMS and CRSC: starts from random rows, each of which is a
    /// result of its own; tables show mean and standard deviation over them.
    pub fn published(starts: usize) -> Self {
        Starts { seeding: Seeding::Random, starts }
    }
}

/// Starts between two looks at how many there may be, and how many may be kept in any case.
const BATCH: usize = 64;
const ALWAYS: usize = 1000;

/// Rows of one matrix product.
const CHUNK: usize = 256;

/// The best of several restarts.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Cluster of each row, numbered in order of first appearance.
    pub assignments: Vec<u32>,
    /// Centres in the same order, one row for each cluster that is not empty.
    pub centers: Matrix,
    /// Σ_i ‖x_i − c_{a(i)}‖² of the best restart.
    pub inertia: f64,
    /// The inertia of every start that was run, in order.
    pub inertias: Vec<f64>,
    /// The assignments of every start that was run, in order, numbered like `assignments`.
    pub all: Vec<Vec<u32>>,
    /// Lloyd iterations of the best start.
    pub iterations: usize,
    /// Converged, or why the best restart ended before. After a stop the restarts that had not begun
    /// are missing; so are those, with the status of an iteration limit, whose assignments would take
    /// more than [`Run::memory`].
    pub status: Status,
}

/// Clusters the rows of `x` into at most `k` clusters.
///
/// # Errors
/// k is 0 or above the number of rows; no restarts; values that are not finite.
pub fn kmeans(x: &Matrix, k: usize, starts: &Starts, run: &Run, watch: &Watch) -> Result<KMeans> {
    check_clusters(k, x.rows())?;
    if starts.starts == 0 {
        return Err(Error::parameter("starts", "expected at least 1, found 0"));
    }
    if let Some(p) = x.values().iter().position(|v| !v.is_finite()) {
        return Err(Error::Value {
            what: "input of k-means".into(),
            row: p / x.cols(),
            column: p % x.cols(),
            problem: format!("found {}, expected a finite number", x.values()[p]),
        });
    }
    let (centered, mean) = subtract_mean(x);
    let columns = centered.transposed();
    let start = |r: usize| {
        let first = match starts.seeding {
            Seeding::PlusPlus => seed(&centered, &columns, k, run, r),
            Seeding::Random => random_rows(&centered, k, run, r),
        };
        lloyd(&centered, first, watch)
    };
    // Start 0 runs in any case, the others in batches until there is no time or room for more.
    let most = (run.memory / (4 * x.rows() + 32)).max(ALWAYS).min(starts.starts);
    let mut best = start(0);
    let mut inertias = vec![best.inertia];
    let mut all = vec![number_by_appearance(&best.assignments, k).0];
    while inertias.len() < most && watch.stop().is_none() {
        let next = inertias.len()..most.min(inertias.len() + BATCH);
        let go_on = |_: &usize| watch.stop().is_none();
        let states: Vec<State> = next.into_par_iter().filter(go_on).map(start).collect();
        for state in states {
            inertias.push(state.inertia);
            all.push(number_by_appearance(&state.assignments, k).0);
            if state.inertia < best.inertia {
                best = state;
            }
        }
    }
    if inertias.len() < starts.starts && best.status == Status::Converged {
        best.status = Status::IterationLimit;
    }
    let (assignments, order) = number_by_appearance(&best.assignments, k);
    let centers = Matrix::from_fn(order.len(), x.cols(), |c, j| {
        best.centers.get(order[c] as usize, j) + mean[j]
    });
    let status = watch.stop().unwrap_or(best.status);
    let (inertia, iterations) = (best.inertia, best.iterations);
    Ok(KMeans { assignments, centers, inertia, inertias, all, iterations, status })
}

/// Refuses k = 0 and k > n.
pub(crate) fn check_clusters(k: usize, n: usize) -> Result<()> {
    if k == 0 || k > n {
        return Err(Error::parameter(
            "k",
            format!(
                "expected from 1 to {n} clusters or columns (the number of instances), found {k}"
            ),
        ));
    }
    Ok(())
}

/// Refuses an embedding of no columns, or of more than there are instances.
pub(crate) fn check_columns(k: usize, n: usize) -> Result<()> {
    match k == 0 || k > n {
        true => Err(Error::parameter(
            "k",
            format!("expected from 1 to {n} columns (the number of instances), found {k}"),
        )),
        false => Ok(()),
    }
}

/// The same clusters numbered in order of first appearance, and the old number of each new one.
pub(crate) fn number_by_appearance(labels: &[u32], k: usize) -> (Vec<u32>, Vec<u32>) {
    let mut new = vec![None; k];
    let mut order = Vec::new();
    let numbered = labels
        .iter()
        .map(|l| {
            *new[*l as usize].get_or_insert_with(|| {
                order.push(*l);
                order.len() as u32 - 1
            })
        })
        .collect();
    (numbered, order)
}

struct State {
    assignments: Vec<u32>,
    centers: Matrix,
    inertia: f64,
    iterations: usize,
    status: Status,
}

fn subtract_mean(x: &Matrix) -> (Matrix, Vec<f64>) {
    let (n, d) = (x.rows(), x.cols());
    let mut mean = vec![0.0; d];
    for i in 0..n {
        mean.iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v / n as f64);
    }
    (Matrix::from_fn(n, d, |i, j| x.get(i, j) - mean[j]), mean)
}

fn lloyd(x: &Matrix, mut centers: Matrix, watch: &Watch) -> State {
    let k = centers.rows();
    let mut assignments = vec![u32::MAX; x.rows()];
    let mut status = Status::IterationLimit;
    let mut iterations = 0;
    while iterations < MAX_ITERATIONS {
        iterations += 1;
        let changed = assign(x, &centers, &mut assignments);
        if !changed {
            status = Status::Converged;
            break;
        }
        update(x, k, &mut assignments, &mut centers);
        if let Some(stop) = watch.stop() {
            status = stop;
            break;
        }
    }
    let inertia =
        (0..x.rows()).map(|i| distance(x.row(i), centers.row(assignments[i] as usize))).sum();
    State { assignments, centers, inertia, iterations, status }
}

/// k different rows.
fn random_rows(x: &Matrix, k: usize, run: &Run, start: usize) -> Matrix {
    let mut rng = run.rng(&format!("k-means random start {start}"));
    let mut rows: Vec<usize> = (0..x.rows()).collect();
    for c in 0..k {
        let other = rng.random_range(c..rows.len());
        rows.swap(c, other);
    }
    x.select_rows(&rows[..k])
}

/// Greedy k-means++; `columns` is the transpose of `x`.
fn seed(x: &Matrix, columns: &Matrix, k: usize, run: &Run, restart: usize) -> Matrix {
    let mut rng = run.rng(&format!("k-means restart {restart}"));
    let n = x.rows();
    let trials = 2 + (k as f64).ln() as usize;
    let mut chosen = vec![rng.random_range(0..n)];
    let mut nearest = vec![f64::INFINITY; n];
    nearer(columns, x.row(chosen[0]), &mut vec![0.0; n], &mut nearest);
    let (mut sums, mut distances) = (vec![0.0; n], vec![0.0; n]);
    let (mut trial, mut best) = (vec![0.0; n], vec![0.0; n]);
    while chosen.len() < k {
        let mut total = 0.0;
        for (s, d) in sums.iter_mut().zip(&nearest) {
            total += d;
            *s = total;
        }
        let mut found: Option<(f64, usize)> = None;
        for _ in 0..trials {
            let at = rng.random::<f64>() * total;
            // With fewer distinct rows than seeds the total is 0 and any row will do.
            let candidate = sums.partition_point(|s| *s <= at).min(n - 1);
            trial.copy_from_slice(&nearest);
            nearer(columns, x.row(candidate), &mut distances, &mut trial);
            let potential: f64 = trial.iter().sum();
            if found.is_none_or(|(p, _)| potential < p) {
                found = Some((potential, candidate));
                std::mem::swap(&mut trial, &mut best);
            }
        }
        chosen.push(found.expect("there is at least one trial").1);
        std::mem::swap(&mut nearest, &mut best);
    }
    x.select_rows(&chosen)
}

/// Squared distances that are shorter to `point` than known so far; `distances` is room for them.
fn nearer(columns: &Matrix, point: &[f64], distances: &mut [f64], nearest: &mut [f64]) {
    distances.fill(0.0);
    for (j, value) in point.iter().enumerate() {
        simd::add_squares(columns.row(j), *value, distances);
    }
    nearest.iter_mut().zip(distances).for_each(|(n, d)| *n = n.min(*d));
}

/// ‖a − b‖², in four running sums.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let (a, rest_a) = a.as_chunks::<4>();
    let (b, rest_b) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for l in 0..4 {
            sums[l] += (a[l] - b[l]) * (a[l] - b[l]);
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(x, y)| (x - y) * (x - y)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// The nearest centre of each row, the first of them if several are; whether any changed.
fn assign(x: &Matrix, centers: &Matrix, assignments: &mut [u32]) -> bool {
    let (k, d) = (centers.rows(), x.cols());
    if d == 0 {
        let changed = assignments.iter().any(|a| *a != 0);
        assignments.fill(0);
        return changed;
    }
    let lengths: Vec<f64> = (0..k).map(|c| centers.row(c).iter().map(|v| v * v).sum()).collect();
    let mut products = vec![0.0; CHUNK * k];
    let (mut nearest, mut least) = ([0_u64; CHUNK], [0.0; CHUNK]);
    let mut changed = false;
    for (rows, labels) in x.values().chunks(CHUNK * d).zip(assignments.chunks_mut(CHUNK)) {
        let m = labels.len();
        let products = &mut products[..m * k];
        dense::product_nt(Slice::of(centers), Slice::new(rows, m, d), products);
        nearest.fill(0);
        least.fill(f64::INFINITY);
        for (c, (products, length)) in (0..).zip(products.chunks_exact(m).zip(&lengths)) {
            simd::nearest_so_far(products, *length, c, &mut nearest, &mut least);
        }
        for (label, nearest) in labels.iter_mut().zip(nearest) {
            changed |= *label != nearest as u32;
            *label = nearest as u32;
        }
    }
    changed
}

/// Centres become means; empty clusters take the farthest rows.
fn update(x: &Matrix, k: usize, assignments: &mut [u32], centers: &mut Matrix) {
    let mut sizes = vec![0_usize; k];
    assignments.iter().for_each(|a| sizes[*a as usize] += 1);
    for empty in (0..k).filter(|c| sizes[*c] == 0).collect::<Vec<_>>() {
        let farthest = (0..x.rows())
            .map(|i| (i, distance(x.row(i), centers.row(assignments[i] as usize))))
            .filter(|(i, d)| *d > 0.0 && sizes[assignments[*i] as usize] > 1)
            .reduce(|best, e| if e.1 > best.1 { e } else { best });
        // The mean of equal rows is off by rounding: a centre that moved to one of them would take all, and so on for ever.
        let alone = |i: usize| {
            let other = |l: usize| assignments[l] == assignments[i] && x.row(l) != x.row(i);
            !(0..x.rows()).any(other)
        };
        if let Some((i, _)) = farthest.filter(|(i, _)| !alone(*i)) {
            sizes[assignments[i] as usize] -= 1;
            sizes[empty] = 1;
            assignments[i] = empty as u32;
            centers.row_mut(empty).copy_from_slice(x.row(i));
        }
    }
    let (d, old) = (x.cols(), std::mem::replace(centers, Matrix::zeros(k, x.cols())));
    let sums = centers.values_mut();
    for (row, a) in x.values().chunks_exact(d.max(1)).zip(assignments.iter()) {
        let center = &mut sums[*a as usize * d..][..d];
        center.iter_mut().zip(row).for_each(|(c, v)| *c += v);
    }
    for c in 0..k {
        if sizes[c] == 0 {
            centers.row_mut(c).copy_from_slice(old.row(c));
        } else {
            centers.row_mut(c).iter_mut().for_each(|v| *v /= sizes[c] as f64);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn blobs(n: usize, k: usize, spread: f64, seed: u64) -> Matrix {
        let mut rng = Run::with_seed(seed).rng("blobs");
        Matrix::from_fn(n, 3, |i, j| {
            let center = if j == i % k % 3 { 10.0 * (1 + i % k / 3) as f64 } else { 0.0 };
            1000.0 + center + spread * (rng.random::<f64>() - 0.5)
        })
    }

    fn solve(x: &Matrix, k: usize) -> KMeans {
        let run = Run::default();
        kmeans(x, k, &Starts::default(), &run, &run.watch()).unwrap()
    }

    /// The mean of three equal rows is not always one of them.
    #[test]
    fn fewer_different_rows_than_clusters_come_to_an_end() {
        let rows = [[0.1, 0.7], [0.3, 1.1], [0.9, -0.3]];
        let x = Matrix::from_fn(300, 2, |i, j| rows[i % 3][j] / 3.0);
        let found = solve(&x, 5);
        assert_eq!((found.status, found.centers.rows()), (Status::Converged, 3));
        assert!(found.inertia < 1e-28, "{}", found.inertia);
    }

    #[test]
    fn separated_blobs_are_found() {
        let x = blobs(700, 6, 2.0, 1);
        let found = solve(&x, 6);
        for i in 0..700 {
            assert_eq!(found.assignments[i], (i % 6) as u32);
        }
        assert_eq!(found.status, Status::Converged);
        assert_eq!(found.inertias.len(), 20);
        let by_hand: f64 = (0..700)
            .map(|i| distance(x.row(i), found.centers.row(found.assignments[i] as usize)))
            .sum();
        assert!((by_hand - found.inertia).abs() < 1e-6 * by_hand);
        assert!(found.inertias.iter().all(|i| *i >= found.inertia));
    }

    /// At the end every centre is the mean of its rows and every row is with its nearest centre.
    #[test]
    fn the_result_is_a_fixed_point() {
        let x = blobs(500, 5, 25.0, 2);
        let found = solve(&x, 7);
        assert_eq!(found.centers.rows(), 7);
        for c in 0..7 {
            let members: Vec<usize> =
                (0..500).filter(|i| found.assignments[*i] as usize == c).collect();
            for j in 0..3 {
                let mean = members.iter().map(|i| x.get(*i, j)).sum::<f64>() / members.len() as f64;
                assert!((mean - found.centers.get(c, j)).abs() < 1e-9);
            }
        }
        for i in 0..500 {
            let own = distance(x.row(i), found.centers.row(found.assignments[i] as usize));
            assert!((0..7).all(|c| own <= distance(x.row(i), found.centers.row(c)) + 1e-9));
        }
    }

    #[test]
    fn threads_do_not_change_bits() {
        let x = blobs(400, 5, 20.0, 3);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let four = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        assert_eq!(one.install(|| solve(&x, 5)), four.install(|| solve(&x, 5)));
    }

    #[test]
    fn fewer_distinct_rows_than_clusters() {
        let x = Matrix::from_fn(10, 2, |i, _| (i % 3) as f64);
        let found = solve(&x, 5);
        assert!(found.inertia.abs() < 1e-20);
        assert_eq!(found.assignments, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(found.centers.rows(), 3);
        assert_eq!(solve(&x, 1).assignments, [0; 10]);
        assert_eq!(solve(&Matrix::zeros(4, 0), 2).assignments, [0; 4]);
    }

    #[test]
    fn an_empty_cluster_takes_the_farthest_row() {
        let x = Matrix::new(4, 1, vec![0.0, 1.0, 5.0, 6.0]).unwrap();
        let mut labels = vec![0; 4];
        let mut centers = Matrix::new(2, 1, vec![1.0, 99.0]).unwrap();
        update(&x, 2, &mut labels, &mut centers);
        assert_eq!(labels, [0, 0, 0, 1]);
        assert_eq!(centers.values(), [2.0, 6.0]);
    }

    /// Starts without end are ended by the clock or by the memory that their assignments take: they
    /// were all asked whether to begin, and those without a time limit filled the memory.
    #[test]
    fn starts_without_end() {
        let x = blobs(30, 3, 0.5, 1);
        let limit = std::time::Duration::from_millis(50);
        let short = Run { time_limit: Some(limit), ..Run::default() };
        for seeding in [Seeding::PlusPlus, Seeding::Random] {
            let starts = Starts { seeding, starts: 1_000_000_000_000 };
            let found = kmeans(&x, 3, &starts, &short, &short.watch()).unwrap();
            assert_eq!(found.status, Status::TimeLimit);
            assert!(!found.inertias.is_empty() && found.inertias.len() == found.all.len());
            let small = Run { memory: 152 * 1100, ..Run::default() };
            let found = kmeans(&x, 3, &starts, &small, &small.watch()).unwrap();
            assert_eq!((found.status, found.inertias.len()), (Status::IterationLimit, 1100));
        }
    }

    #[test]
    fn misuse_is_refused() {
        let run = Run::default();
        let x = Matrix::zeros(3, 1);
        let sentence = |k, starts, x: &Matrix| {
            let starts = Starts { starts, ..Starts::default() };
            kmeans(x, k, &starts, &run, &run.watch()).unwrap_err().to_string()
        };
        assert_eq!(
            sentence(4, 1, &x),
            "parameter 'k': expected from 1 to 3 clusters or columns (the number of instances), found 4"
        );
        assert!(sentence(0, 1, &x).contains("found 0"));
        assert!(sentence(1, 0, &x).contains("'starts'"));
        let nan = Matrix::new(2, 1, vec![0.0, f64::NAN]).unwrap();
        assert!(sentence(1, 1, &nan).contains("row 1, column 0: found NaN"));
    }
}
