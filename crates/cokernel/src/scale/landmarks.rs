//! Which instances are landmarks.
//!
//! One choice serves all kernels: it is made by the mean k̄ of the kernels, each divided by the mean of its diagonal, on a
//! sample of at most [`SAMPLE`] instances. With d²(i, S) the squared distance of instance i, in the space of k̄, to what
//! stands for the instances S:
//!
//! | choice | next landmark |
//! |---|---|
//! | `uniform` | any instance, at random |
//! | `kmeans` | i with probability ∝ the squared distance to the nearest landmark (k-means++; Arthur and Vassilvitskii, SODA 2007) |
//! | `leverage` | i with probability ∝ its ridge leverage score τ_i = (k̄_ii − k̄_iS (K̄_SS + λI)⁻¹ k̄_Si)/λ from a uniform sketch S of 2 r instances, without replacement (Musco and Musco, NIPS 2017; one level of their recursion) |
//! | `cholesky` | the i with the largest residual of the factorisation so far (pivoted incomplete Cholesky; Fine and Scheinberg, JMLR 2, 2001) |
//!
//! After r pivots the residual K̄ − L Lᵀ is positive semi-definite and its trace bounds the error in every norm; it is told
//! as a share of the trace. λ of the scores is such that they sum to r or nearly, but no less than 10⁻⁴ of the mean diagonal.
//!
//! Cost: r rows of k̄ over the sample; `cholesky` and `leverage` another r² for each of its instances.

use crate::bank::{Bank, Landmarks, LowRank};
use crate::solve::Rows;
use crate::{Error, Result, Run, Watch};
use cokernel_dense::{Cholesky, Slice, symmetric_eigen};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Instances among which landmarks are looked for, unless more are asked for.
pub(super) const SAMPLE: usize = 20_000;

/// Landmarks among the instances of a sample.
pub(super) struct Chosen {
    /// Increasing.
    pub places: Vec<usize>,
    /// The trace of what is left after pivots, as a share of the trace.
    pub residual: Option<f64>,
}

/// k of n, increasing, all alike.
pub(crate) fn some_of(n: usize, k: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    if k >= n {
        return (0..n).collect();
    }
    let mut all: Vec<usize> = (0..n).collect();
    for i in 0..k {
        all.swap(i, rng.random_range(i..n));
    }
    all.truncate(k);
    all.sort_unstable();
    all
}

/// Chooses landmarks among the instances of a bank.
pub(super) fn choose(bank: &Bank, how: LowRank, run: &Run) -> Result<Chosen> {
    let n = bank.n();
    let mut rng = run.rng("landmarks");
    if how.rank >= n {
        return Ok(Chosen { places: (0..n).collect(), residual: None });
    }
    if how.landmarks == Landmarks::Uniform {
        return Ok(Chosen { places: some_of(n, how.rank, &mut rng), residual: None });
    }
    let means = bank.mean_diagonals();
    let count = means.len() as f64;
    let weight = |mean: &f64| if *mean > 0.0 { 1.0 / (mean * count) } else { 0.0 };
    let weights: Vec<f64> = means.iter().map(weight).collect();
    let rows = bank.combined_rows(&weights);
    let (watch, rank) = (run.watch(), how.rank);
    match how.landmarks {
        Landmarks::Cholesky => cholesky(&*rows, rank, &watch),
        Landmarks::Leverage => leverage(&*rows, rank, &mut rng, &watch),
        _ => kmeans(&*rows, rank, &mut rng, &watch),
    }
}

/// An error where a stop was asked for.
pub(super) fn stopped(watch: &Watch) -> Result<()> {
    match watch.stop() {
        None => Ok(()),
        Some(status) => {
            Err(Error::Stopped { status, what: "the approximation of the kernels".to_string() })
        }
    }
}

/// An index with probability proportional to its weight; the largest where all are 0.
fn drawn(weights: &[f64], rng: &mut Xoshiro256PlusPlus) -> usize {
    let total: f64 = weights.iter().sum();
    let mut left = rng.random::<f64>() * total;
    for (i, w) in weights.iter().enumerate() {
        left -= w;
        if left < 0.0 && *w > 0.0 {
            return i;
        }
    }
    largest(weights)
}

fn largest(weights: &[f64]) -> usize {
    (0..weights.len()).fold(0, |best, i| if weights[i] > weights[best] { i } else { best })
}

fn kmeans(
    rows: &dyn Rows,
    rank: usize,
    rng: &mut Xoshiro256PlusPlus,
    watch: &Watch,
) -> Result<Chosen> {
    let (n, diagonal) = (rows.n(), rows.diagonal());
    let mut nearest = vec![f64::INFINITY; n];
    let mut row = vec![0.0_f32; n];
    let mut places = Vec::with_capacity(rank);
    let mut taken = vec![false; n];
    let mut next = rng.random_range(0..n);
    while places.len() < rank {
        stopped(watch)?;
        places.push(next);
        taken[next] = true;
        rows.fill(next, None, &mut row);
        for (i, near) in nearest.iter_mut().enumerate() {
            let d = diagonal[i] + diagonal[next] - 2.0 * f64::from(row[i]);
            // What single precision leaves of a distance of 0 is none.
            let d = if d > 1e-6 * (diagonal[i] + diagonal[next]) { d } else { 0.0 };
            *near = near.min(d);
        }
        next = drawn(&nearest, rng);
        if taken[next] {
            // All others are copies of landmarks.
            next = (0..n).find(|i| !taken[*i]).unwrap_or(0);
        }
    }
    places.sort_unstable();
    Ok(Chosen { places, residual: None })
}

/// Pivots; column j of L is kept as a row of n numbers.
fn cholesky(rows: &dyn Rows, rank: usize, watch: &Watch) -> Result<Chosen> {
    let (n, diagonal) = (rows.n(), rows.diagonal());
    let trace: f64 = diagonal.iter().sum();
    let mut residual = diagonal;
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(rank);
    let (mut places, mut row) = (Vec::with_capacity(rank), vec![0.0; n]);
    while places.len() < rank {
        stopped(watch)?;
        let pivot = largest(&residual);
        // Nothing is left but rounding: these pivots explain all.
        if residual[pivot] <= 1e-14 * trace {
            break;
        }
        places.push(pivot);
        let mut column = rows.row(pivot, &mut row).to_vec();
        for known in &factor {
            cokernel_dense::simd::subtract(&mut column, known[pivot], known);
        }
        let root = residual[pivot].sqrt();
        column.iter_mut().for_each(|v| *v /= root);
        for (left, v) in residual.iter_mut().zip(&column) {
            *left = (*left - v * v).max(0.0);
        }
        residual[pivot] = 0.0;
        factor.push(column);
    }
    places.sort_unstable();
    let left: f64 = residual.iter().sum();
    Ok(Chosen { places, residual: Some(left / trace) })
}

fn leverage(
    rows: &dyn Rows,
    rank: usize,
    rng: &mut Xoshiro256PlusPlus,
    watch: &Watch,
) -> Result<Chosen> {
    let (n, diagonal) = (rows.n(), rows.diagonal());
    let sketch = some_of(n, 2 * rank, rng);
    let s = sketch.len();
    // The sketch's rows, and what is among themselves.
    let (mut towards, mut row) = (vec![0.0; n * s], vec![0.0_f32; n]);
    for (a, i) in sketch.iter().enumerate() {
        stopped(watch)?;
        rows.fill(*i, None, &mut row);
        (0..n).for_each(|j| towards[j * s + a] = f64::from(row[j]));
    }
    let among: Vec<f64> =
        sketch.iter().flat_map(|i| towards[i * s..(i + 1) * s].iter().copied()).collect();
    let mut vectors = vec![0.0; s * s];
    let failed =
        || Error::Data("the eigenvalues of the kernels among landmarks were not found".into());
    let values = symmetric_eigen(Slice::new(&among, s, s), &mut vectors).ok_or_else(failed)?;
    // Σ_j σ_j/(σ_j + λ) = r for the eigenvalues σ of all, as the sketch has them.
    let scale = n as f64 / s as f64;
    let degrees = |lambda: f64| -> f64 {
        values.iter().map(|v| scale * v.max(0.0)).map(|v| v / (v + lambda)).sum()
    };
    let trace: f64 = diagonal.iter().sum();
    // Where fewer than r directions matter, λ would be so small that the scores are what single precision leaves of 0.
    let (mut low, mut high) = (1e-4 * trace / n as f64, trace);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if degrees(middle) > rank as f64 { low = middle } else { high = middle }
    }
    let lambda = high;
    let mut ridged = among;
    (0..s).for_each(|a| ridged[a * s + a] += lambda / scale);
    let factor = Cholesky::with_ridge(s, &ridged).ok_or_else(failed)?;
    let mut scores = diagonal;
    for (score, towards) in scores.iter_mut().zip(towards.chunks_mut(s)) {
        factor.forward(towards, 1);
        let explained: f64 = towards.iter().map(|v| v * v).sum();
        *score = (*score - explained).max(1e-12 * *score);
    }
    let mut places = Vec::with_capacity(rank);
    while places.len() < rank {
        let next = drawn(&scores, rng);
        scores[next] = 0.0;
        places.push(next);
    }
    places.sort_unstable();
    places.dedup();
    Ok(Chosen { places, residual: None })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    fn bank(n: usize, groups: usize) -> Bank {
        let x = Matrix::from_fn(n, 2, |i, j| {
            (i % groups) as f64 * if j == 0 { 10.0 } else { -7.0 }
                + 0.01 * ((i * 7 + j) as f64).sin()
        });
        let views = Views::new().dense("x", x).unwrap();
        let specs = [KernelSpec::gaussian().sigma([1.0, 2.0])];
        Bank::build(&views, &specs, Storage::OnDemand, &Run::default()).unwrap()
    }

    /// Six far groups: all choices but the random one have one landmark of each among the first six or twelve.
    #[test]
    fn far_groups_get_landmarks() {
        let bank = bank(120, 6);
        for (landmarks, rank) in
            [(Landmarks::Kmeans, 6), (Landmarks::Cholesky, 6), (Landmarks::Leverage, 18)]
        {
            let chosen = choose(&bank, LowRank { rank, landmarks }, &Run::default()).unwrap();
            assert_eq!(chosen.places.len(), rank);
            assert!(chosen.places.windows(2).all(|w| w[0] < w[1]));
            let mut groups: Vec<usize> = chosen.places.iter().map(|i| i % 6).collect();
            groups.sort_unstable();
            groups.dedup();
            assert_eq!(groups.len(), 6, "{landmarks:?}");
            assert_eq!(chosen.residual.is_some(), landmarks == Landmarks::Cholesky);
        }
        let all = choose(&bank, LowRank { rank: 500, ..LowRank::default() }, &Run::default());
        assert_eq!(all.unwrap().places.len(), 120);
    }

    /// The trace of the residual, against K − K_S K_SS⁻¹ K_Sᵀ written out.
    #[test]
    fn the_residual_of_the_factorisation_is_what_it_says() {
        let (n, rank) = (30, 5);
        let x = Matrix::from_fn(n, 2, |i, j| ((i * (j + 2)) as f64 * 0.7).sin());
        let views = Views::new().dense("x", x).unwrap();
        let bank = Bank::build(
            &views,
            &[KernelSpec::gaussian().sigma([0.5])],
            Storage::Auto,
            &Run::default(),
        )
        .unwrap();
        let how = LowRank { rank, landmarks: Landmarks::Cholesky };
        let chosen = choose(&bank, how, &Run::default()).unwrap();
        let s = &chosen.places;
        let inner: Vec<f64> = s
            .iter()
            .flat_map(|i| s.iter().map(|j| bank.entry(0, *i, *j)).collect::<Vec<_>>())
            .collect();
        let factor = Cholesky::new(rank, inner).unwrap();
        let left: f64 = (0..n)
            .map(|i| {
                let mut side: Vec<f64> = s.iter().map(|j| bank.entry(0, i, *j)).collect();
                factor.forward(&mut side, 1);
                1.0 - side.iter().map(|v| v * v).sum::<f64>()
            })
            .sum();
        assert!((chosen.residual.unwrap() - left / n as f64).abs() < 1e-12);
    }
}
