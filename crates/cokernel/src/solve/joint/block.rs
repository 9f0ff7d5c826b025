//! The variables of one instance, all others fixed.

/// Solves  max Σ_l t_l α_l − ½(A² + Σ_l α_l²),  A = Σ_l α_l, 0 ≤ α_l ≤ `room`, over l ≠ `own`:
/// α_l = clip(t_l − A) with the A that makes both sides agree, in `out` (0 at `own`). The excess
/// Σ_l clip(t_l − A) − A falls and is linear between the places where a variable meets a bound; which of
/// them the root lies between is found by bisection. O(K log K).
pub(super) fn solve(t: &[f64], own: usize, room: f64, out: &mut [f64], places: &mut Vec<f64>) {
    let others = |l: &usize| *l != own;
    let clip = |v: f64| v.clamp(0.0, room);
    let excess = |a: f64| (0..t.len()).filter(others).map(|l| clip(t[l] - a)).sum::<f64>() - a;
    places.clear();
    let largest = room * (t.len() - 1) as f64;
    places.extend([0.0, largest]);
    for l in (0..t.len()).filter(others) {
        places.extend([t[l], t[l] - room].into_iter().filter(|p| *p > 0.0 && *p < largest));
    }
    places.sort_unstable_by(f64::total_cmp);
    let (mut low, mut high) = (0, places.len() - 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if excess(places[middle]) > 0.0 { low = middle } else { high = middle }
    }
    let (left, right) = (places[low], places[high]);
    let (above, below) = (excess(left), excess(right));
    let share = if above > below { (above / (above - below)).clamp(0.0, 1.0) } else { 0.0 };
    let a = left + (right - left) * share;
    for l in 0..t.len() {
        out[l] = if l == own { 0.0 } else { clip(t[l] - a) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions: t_l − α_l − A is 0 inside the box, at most 0 at 0 and at least 0 at the bound.
    #[test]
    fn conditions_hold() {
        let mut state = 7_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.4
        };
        for case in 0..200 {
            let k = 2 + case % 6;
            let room = [1e-9, 0.2, 3.0, 1e17][case % 4];
            let t: Vec<f64> = (0..k).map(|_| 2.0 * number()).collect();
            let mut out = vec![0.0; k];
            solve(&t, case % k, room, &mut out, &mut Vec::new());
            let a: f64 = out.iter().sum();
            for l in (0..k).filter(|l| *l != case % k) {
                let slope = t[l] - out[l] - a;
                assert!(out[l] >= room || slope < 1e-12, "{case}: {t:?} {out:?}");
                assert!(out[l] <= 0.0 || slope > -1e-12, "{case}: {t:?} {out:?}");
            }
        }
    }
}
