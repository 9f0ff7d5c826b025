//! Shares of the classes among the instances that are nearest in the distance of a matrix.
//!
//! d²(i, j) = K_ii + K_jj − 2 K_ij. An instance is the nearest to itself. Neighbours are taken in the order of
//! the distance until their weights sum to k (without weights: until there are k); the last of them counts in
//! part, those at equal distance in equal parts. So instances with whole weights are as many copies, and the
//! order of the instances does not matter. Cost: every row of K once, O(n) work for each (O(n log n) with
//! weights), on all threads; memory n · classes numbers.

use super::Rows;
use crate::{Status, Watch};
use rayon::prelude::*;

/// Distances that differ by less, relative to the largest K_jj, are equal: what K rounds away.
const EQUAL: f64 = 1e-12;

/// The shares of each instance, instance by instance. Instances with weight 0 are no neighbours. `codes` are
/// below `classes`, `k` is above 0, and there is a weight above 0.
///
/// # Errors
/// A stop.
pub fn class_shares(
    rows: &dyn Rows,
    codes: &[u32],
    classes: usize,
    weights: Option<&[f64]>,
    k: f64,
    watch: &Watch,
) -> Result<Vec<f64>, Status> {
    let n = codes.len();
    let own = rows.diagonal();
    let present: Vec<usize> = (0..n).filter(|j| weights.is_none_or(|w| w[*j] > 0.0)).collect();
    let largest = present.iter().fold(0.0_f64, |a, j| a.max(own[*j].abs()));
    let mut shares = vec![0.0; n * classes];
    let one = |(row, distances): &mut (Vec<f64>, Vec<(f64, usize)>),
               (i, out): (usize, &mut [f64])| {
        if let Some(status) = watch.stop() {
            return Err(status);
        }
        let values = rows.row(i, row);
        distances.clear();
        distances.extend(present.iter().map(|&j| {
            let d = own[i] + own[j] - 2.0 * values[j];
            (if i == j { f64::NEG_INFINITY } else { d }, j)
        }));
        let last = reach(distances, weights, k);
        let (near, far) = (last - EQUAL * largest, last + EQUAL * largest);
        let weight = |j: usize| weights.map_or(1.0, |w| w[j]);
        let mut left = k;
        let mut tied = 0.0;
        for (d, j) in distances.iter() {
            if *d < near {
                out[codes[*j] as usize] += weight(*j);
                left -= weight(*j);
            } else if *d <= far {
                tied += weight(*j);
            }
        }
        // An instance alone may weigh more than k.
        let part = if tied > 0.0 { (left / tied).clamp(0.0, 1.0) } else { 0.0 };
        for (_, j) in distances.iter().filter(|(d, _)| *d >= near && *d <= far) {
            out[codes[*j] as usize] += part * weight(*j);
        }
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|s| *s /= total);
        Ok(())
    };
    shares
        .par_chunks_mut(classes)
        .enumerate()
        .try_for_each_init(|| (vec![0.0; n], Vec::new()), one)?;
    Ok(shares)
}

/// The distance at which the weights of those up to it sum to k, or that of the last.
fn reach(distances: &mut [(f64, usize)], weights: Option<&[f64]>, k: f64) -> f64 {
    let by_distance = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0);
    let last = distances.len() - 1;
    let Some(weights) = weights else {
        let at = (k.ceil() as usize).clamp(1, last + 1) - 1;
        return distances.select_nth_unstable_by(at, by_distance).1.0;
    };
    distances.sort_unstable_by(by_distance);
    let mut sum = 0.0;
    let at = distances.iter().position(|(_, j)| {
        sum += weights[*j];
        // What rounding leaves of whole weights.
        sum >= k * (1.0 - 1e-12)
    });
    distances[at.unwrap_or(last)].0
}
