//! The variables of one instance, all others fixed.

/// Newton steps before the places where a variable meets a bound are sorted.
const STEPS: usize = 12;

/// Solves  max Σ_l t_l α_l − ½(A² + Σ_l α_l²),  A = Σ_l α_l, 0 ≤ α_l ≤ `room`, over l ≠ `own`:
/// α_l = clip(t_l − A) with the A that makes both sides agree, in `out` (0 at `own`), from a guess of A. The excess
/// Σ_l clip(t_l − A) − A falls and is linear between the places where a variable meets a bound: Newton steps
/// end at the root when they stay between two places; where they do not get there, the two are found by
/// bisection. O(K) for each step, O(K log K) at most.
pub(super) fn solve(
    t: &[f64],
    own: usize,
    room: f64,
    guess: f64,
    out: &mut [f64],
    places: &mut Vec<f64>,
) {
    let clip = |v: f64| v.clamp(0.0, room);
    let a = newton(t, own, room, guess).unwrap_or_else(|| bisected(t, own, room, places));
    for l in 0..t.len() {
        out[l] = if l == own { 0.0 } else { clip(t[l] - a) };
    }
}

/// The root by Newton steps; `None` if they do not settle.
fn newton(t: &[f64], own: usize, room: f64, guess: f64) -> Option<f64> {
    let mut a = guess;
    for _ in 0..STEPS {
        // What is at its bound for this A, and the free ones.
        let (mut fixed, mut free, mut sum) = (0.0, 0.0, 0.0);
        for (l, v) in t.iter().enumerate() {
            let v = v - a;
            let inside = l != own && v > 0.0 && v < room;
            (free, sum) = if inside { (free + 1.0, sum + t[l]) } else { (free, sum) };
            fixed += if l != own && v >= room { room } else { 0.0 };
        }
        let root = (fixed + sum) / (1.0 + free);
        if root == a {
            return Some(a);
        }
        a = root;
    }
    None
}

/// The root between the two places that bisection finds.
fn bisected(t: &[f64], own: usize, room: f64, places: &mut Vec<f64>) -> f64 {
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
    left + (right - left) * share
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
        let mut settled = 0;
        for case in 0..200 {
            let k = 2 + case % 6;
            let room = [1e-9, 0.2, 3.0, 1e17][case % 4];
            let t: Vec<f64> = (0..k).map(|_| 2.0 * number()).collect();
            let mut out = vec![0.0; k];
            let guess = [0.0, room, -1.0, 0.3][case / 4 % 4];
            solve(&t, case % k, room, guess, &mut out, &mut Vec::new());
            let a: f64 = out.iter().sum();
            if let Some(found) = newton(&t, case % k, room, guess) {
                settled += 1;
                let sorted = bisected(&t, case % k, room, &mut Vec::new());
                assert!((found - sorted).abs() < 1e-12, "{case}: {found} {sorted}");
            }
            for l in (0..k).filter(|l| *l != case % k) {
                let slope = t[l] - out[l] - a;
                assert!(out[l] >= room || slope < 1e-12, "{case}: {t:?} {out:?}");
                assert!(out[l] <= 0.0 || slope > -1e-12, "{case}: {t:?} {out:?}");
            }
        }
        assert!(settled > 150, "{settled} of 200 by Newton steps");
    }
}
