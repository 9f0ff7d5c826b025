//! The duality gap at a point and the threshold that makes it smallest.

/// What [`measure`] finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// θ that minimises the gap; the middle of the interval where several do.
    pub threshold: f64,
    /// The gap at `threshold`, at least 0.
    pub gap: f64,
    /// min f over variables below their upper bound (infinity if there is none).
    pub min_up: f64,
    /// max f over variables above their lower bound (−infinity if there is none).
    pub max_low: f64,
}

/// Minimises G(θ) = Σ (upper − x)·max(0, θ − f) + (x − lower)·max(0, f − θ), a convex piecewise
/// linear function, over θ. O(n + k log k), k the number of variables with `min_up ≤ f ≤ max_low`.
pub fn measure(x: &[f64], f: &[f64], lower: &[f64], upper: &[f64]) -> Measure {
    let (mut min_up, mut max_low) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..x.len() {
        if x[i] < upper[i] {
            min_up = min_up.min(f[i]);
        }
        if x[i] > lower[i] {
            max_low = max_low.max(f[i]);
        }
    }
    if min_up >= max_low {
        let threshold = match (min_up.is_finite(), max_low.is_finite()) {
            (true, true) => 0.5 * (min_up + max_low),
            (true, false) => min_up,
            (false, true) => max_low,
            (false, false) => 0.0,
        };
        return Measure { threshold, gap: 0.0, min_up, max_low };
    }
    // Outside [min_up, max_low] a variable costs nothing for any threshold in the interval.
    let mut events: Vec<(f64, f64, f64)> = (0..x.len())
        .filter(|&i| f[i] >= min_up && f[i] <= max_low && upper[i] > lower[i])
        .map(|i| (f[i], upper[i] - x[i], x[i] - lower[i]))
        .collect();
    events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut slope = -events.iter().map(|e| e.2).sum::<f64>();
    let flat = 1e-14 * slope.abs();
    let mut threshold = max_low;
    for (k, e) in events.iter().enumerate() {
        slope += e.1 + e.2;
        if slope.abs() <= flat {
            let next = events.get(k + 1).map_or(e.0, |n| n.0);
            threshold = 0.5 * (e.0 + next);
            break;
        }
        if slope > 0.0 {
            threshold = e.0;
            break;
        }
    }
    let cost = |e: &(f64, f64, f64)| {
        if e.0 < threshold { e.1 * (threshold - e.0) } else { e.2 * (e.0 - threshold) }
    };
    let gap = events.iter().map(cost).sum();
    Measure { threshold, gap, min_up, max_low }
}
