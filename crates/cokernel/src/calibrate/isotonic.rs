//! Isotonic regression: the curve p, not falling, with the least Σ_i w_i (y_i − p(f_i))² for y_i of 0 and 1.
//!
//! Pool adjacent violators: instances in the order of their values, equal values as one; neighbouring
//! blocks whose means do not grow are pooled. The curve has the mean of a block from its first to its last
//! value, is linear between blocks, and constant beyond the first and the last, as `IsotonicRegression(
//! out_of_bounds="clip")` of scikit-learn.
//!
//! Cost: O(n log n) time for the order, O(n) for the rest, O(n) memory; a value takes O(log m) of the m
//! points that are kept, at most two for each block.
//!
//! Source: M. Ayer et al., An empirical distribution function for sampling with incomplete information,
//! Annals of Mathematical Statistics 26, 1955; as calibration B. Zadrozny and C. Elkan, Transforming
//! classifier scores into accurate multiclass probability estimates, KDD 2002, section 3.

use super::{Curve, Point};

/// Instances with the same probability.
struct Block {
    first: f64,
    last: f64,
    /// Σ w y.
    yes: f64,
    /// Σ w.
    all: f64,
}

impl Block {
    fn mean(&self) -> f64 {
        self.yes / self.all
    }
}

/// The curve of these instances, of which there is at least one.
pub fn fit(mut points: Vec<Point>) -> Curve {
    let heaviest = points.iter().map(|p| p.weight).fold(0.0, f64::max);
    // The order of instances with one value decides about rounding only; it is that of the sides and weights,
    // so that the order in which they were given decides about nothing.
    points.sort_by(|a, b| {
        (a.value.total_cmp(&b.value))
            .then(a.positive.cmp(&b.positive))
            .then(a.weight.total_cmp(&b.weight))
    });
    let mut blocks: Vec<Block> = Vec::new();
    for same in points.chunk_by(|a, b| a.value == b.value) {
        // From 0: the sum of no numbers is −0.
        let sum = |side: bool| -> f64 {
            let side = same.iter().filter(|p| p.positive || !side);
            side.fold(0.0, |sum, p| sum + p.weight / heaviest)
        };
        let value = same[0].value;
        let mut block = Block { first: value, last: value, yes: sum(true), all: sum(false) };
        while let Some(before) = blocks.pop_if(|before| before.mean() >= block.mean()) {
            block = Block {
                first: before.first,
                last: block.last,
                yes: before.yes + block.yes,
                all: before.all + block.all,
            };
        }
        blocks.push(block);
    }
    let (mut values, mut probabilities) = (Vec::new(), Vec::new());
    for block in &blocks {
        values.push(block.first);
        if block.last > block.first {
            values.push(block.last);
        }
        probabilities.resize(values.len(), block.mean().min(1.0));
    }
    Curve::Isotonic { values, probabilities }
}

/// The probability at f.
pub fn at(values: &[f64], probabilities: &[f64], f: f64) -> f64 {
    let above = values.partition_point(|v| *v < f);
    if above == values.len() {
        return probabilities.last().copied().unwrap_or(0.5);
    }
    if above == 0 || values[above] == f {
        return probabilities[above];
    }
    let (low, high) = (probabilities[above - 1], probabilities[above]);
    // Halves: the difference of two numbers may be beyond f64.
    let start = 0.5 * values[above - 1];
    let part = (0.5 * f - start) / (0.5 * values[above] - start);
    let part = if part.is_nan() { 0.5 } else { part };
    (low + (high - low) * part).clamp(low, high)
}
