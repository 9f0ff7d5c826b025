//! The least of a piecewise quadratic function of one number.

/// The t of the least slope · t + ½ curve · t² + ½ Σ cost max(0, a − d t)², terms (cost, a, d): its derivative rises
/// and is linear between the places a/d, among which the root is found by bisection. The middle where it is 0
/// between two of them. O(l log l).
pub(super) fn least(slope: f64, curve: f64, terms: &[(f64, f64, f64)]) -> f64 {
    let rise = |t: f64| -> f64 {
        let loss = |(c, a, d): &(f64, f64, f64)| c * d * (a - d * t).max(0.0);
        slope + curve * t - terms.iter().map(loss).sum::<f64>()
    };
    let mut places: Vec<f64> =
        terms.iter().map(|(_, a, d)| a / d).filter(|t| t.is_finite()).collect();
    places.sort_unstable_by(f64::total_cmp);
    let below = places.partition_point(|t| rise(*t) < 0.0);
    let above = places.partition_point(|t| rise(*t) <= 0.0);
    if below < above {
        return 0.5 * (places[below] + places[above - 1]);
    }
    // Beyond the first and the last place the derivative is linear: terms of one sign of d.
    let beyond = |t: f64, sign: f64| {
        let active =
            terms.iter().filter(|(_, a, d)| if *d == 0.0 { *a > 0.0 } else { d * sign > 0.0 });
        let steep = curve + active.map(|(c, _, d)| c * d * d).sum::<f64>();
        if steep > 0.0 { t - rise(t) / steep } else { t }
    };
    match (below.checked_sub(1).map(|k| places[k]), places.get(below)) {
        (None, None) => beyond(0.0, 1.0),
        (None, Some(first)) => beyond(*first, 1.0),
        (Some(last), None) => beyond(last, -1.0),
        (Some(low), Some(high)) => {
            let (under, over) = (rise(low), rise(*high));
            low + (high - low) * (under / (under - over)).clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::least;

    #[test]
    fn the_least_of_piecewise_quadratics() {
        let near = |t: f64, expected: f64| assert!((t - expected).abs() < 1e-12, "{t} {expected}");
        near(least(-3.0, 2.0, &[]), 1.5);
        near(least(0.0, 0.0, &[]), 0.0);
        // ½(2 − t)² + ½(1 + t)².
        near(least(0.0, 0.0, &[(1.0, 2.0, 1.0), (1.0, 1.0, -1.0)]), 0.5);
        // Nothing is lost between 1 and 3.
        near(least(0.0, 0.0, &[(1.0, 1.0, 1.0), (5.0, -3.0, -1.0)]), 2.0);
        // One side only: before and after its place.
        near(least(1.0, 0.0, &[(2.0, 1.0, 1.0)]), 0.5);
        near(least(-1.0, 0.5, &[(2.0, 1.0, 1.0)]), 2.0);
        near(least(-1.0, 0.5, &[(2.0, -4.0, -1.0)]), 2.0);
        near(least(-1.0, 0.0, &[(2.0, -4.0, -2.0)]), 2.125);
    }
}
