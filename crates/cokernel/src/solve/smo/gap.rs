//! The duality gap at a point and the threshold that makes it smallest; the same for a multiple
//! of the point.

/// Events that are sorted rather than halved.
const FEW: usize = 16;

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
/// linear function, over θ. O(n).
///
/// Where all variables are at a bound but for rounding, any θ of an interval is as good: its middle is taken, and not
/// the f of one whose x is a few ulps from its bound, which would depend on where the steps began.
pub fn measure(x: &[f64], f: &[f64], lower: &[f64], upper: &[f64]) -> Measure {
    let found = least(x, f, lower, upper);
    let Some(threshold) = middle(x, f, lower, upper) else { return found };
    let (mut gap, mut size) = (0.0, 0.0);
    for i in 0..x.len() {
        let off = threshold - f[i];
        gap += if off > 0.0 { (upper[i] - x[i]) * off } else { (lower[i] - x[i]) * off };
        size += x[i].abs() * off.abs();
    }
    let allowed = found.gap.max(SETTLED * size);
    if gap <= allowed { Measure { threshold, gap, ..found } } else { found }
}

/// Variables this far from a bound, as a part of the largest, are at it.
const SETTLED: f64 = 1e-12;

/// The middle of the θ that no variable objects to, where none is inside its box but for rounding.
fn middle(x: &[f64], f: &[f64], lower: &[f64], upper: &[f64]) -> Option<f64> {
    let near = SETTLED * x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..x.len() {
        let (above, below) = (upper[i] - x[i] > near, x[i] - lower[i] > near);
        if above && below {
            return None;
        }
        if above {
            least = least.min(f[i]);
        }
        if below {
            most = most.max(f[i]);
        }
    }
    (least >= most && (least - most).is_finite()).then_some(0.5 * (least + most))
}

/// [`measure`] without a look at rounding.
fn least(x: &[f64], f: &[f64], lower: &[f64], upper: &[f64]) -> Measure {
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
    let threshold = crossing(&mut events).unwrap_or(max_low);
    let cost = |e: &(f64, f64, f64)| {
        if e.0 < threshold { e.1 * (threshold - e.0) } else { e.2 * (e.0 - threshold) }
    };
    let gap = events.iter().map(cost).sum();
    Measure { threshold, gap, min_up, max_low }
}

/// Where the slope of G, −Σ c + Σ_{f < θ} (a + c) for events (f, a, c), reaches 0: halves of the events are
/// left aside until few remain.
fn crossing(events: &mut [(f64, f64, f64)]) -> Option<f64> {
    let by_f = |a: &(f64, f64, f64), b: &(f64, f64, f64)| a.0.total_cmp(&b.0);
    let mut slope = -events.iter().map(|e| e.2).sum::<f64>();
    let flat = 1e-14 * slope.abs();
    let (mut from, mut to) = (0, events.len());
    while to - from > FEW {
        let half = (to - from) / 2;
        events[from..to].select_nth_unstable_by(half, by_f);
        let rise: f64 = events[from..from + half].iter().map(|e| e.1 + e.2).sum();
        if slope + rise >= -flat {
            to = from + half;
        } else {
            slope += rise;
            from += half;
        }
    }
    events[from..to].sort_unstable_by(by_f);
    for k in from..to {
        slope += events[k].1 + events[k].2;
        if slope.abs() <= flat {
            let after = events[k + 1..].iter().map(|e| e.0).fold(f64::INFINITY, f64::min);
            return Some(if after.is_finite() { 0.5 * (events[k].0 + after) } else { events[k].0 });
        }
        if slope > 0.0 {
            return Some(events[k].0);
        }
    }
    None
}

/// A multiple of x whose gap has no room of a box in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Multiple {
    /// s.
    pub factor: f64,
    /// Its threshold.
    pub threshold: f64,
    /// Its gap at that threshold.
    pub gap: f64,
}

/// What [`multiple`] looks at, all of one length.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub x: &'a [f64],
    /// f = Kx + q.
    pub f: &'a [f64],
    /// q.
    pub linear: &'a [f64],
    pub lower: &'a [f64],
    pub upper: &'a [f64],
    /// K_ii.
    pub diagonal: &'a [f64],
    /// The size of f.
    pub magnitude: f64,
}

impl View<'_> {
    /// √K_ii Σ_j √K_jj |x_j| ≥ Σ_j |K_ij x_j| without the first factor; times ε it bounds the
    /// rounding of (Kx)_i.
    pub fn size(&self) -> f64 {
        self.diagonal.iter().zip(self.x).map(|(d, x)| d.abs().sqrt() * x.abs()).sum()
    }

    /// The typical rounding of a difference of two entries of f, relative to its size: near
    /// 1, f means nothing.
    pub fn rounding(&self) -> f64 {
        let largest = self.diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs())).sqrt();
        let square = |(d, x): (&f64, &f64)| (d.abs().sqrt() * x).powi(2);
        let norm = self.diagonal.iter().zip(self.x).map(square).sum::<f64>().sqrt();
        0.5 * f64::EPSILON * (1.0 + largest * norm / self.magnitude.max(f64::MIN_POSITIVE))
    }
}

/// The multiple s·x for which no variable violates its condition on the far side of its box.
///
/// Every box has to begin or end at 0, and Σ x to be 0, so that multiples inside the boxes are
/// allowed. Variables with lower = 0 then get f ≥ θ, those with upper = 0 get f ≤ θ, and the gap
/// is Σ |s x_i| |f_i − θ|: where the boxes are far larger than x, G(θ) at x itself is their size
/// times the error of f. For C-SVC this enlarges w until no instance has a loss. The conditions
/// hold with 4ε Σ|K_ij x_j| to spare, for whoever computes f again. O(n) for a few times.
pub(super) fn multiple(v: &View<'_>) -> Option<Multiple> {
    let (size, mut largest) = (4.0 * f64::EPSILON * v.size(), 0.0_f64);
    let used = || (0..v.x.len()).filter(|&i| v.lower[i] < v.upper[i]);
    for i in used() {
        if v.lower[i] != 0.0 && v.upper[i] != 0.0 {
            return None;
        }
        largest = largest.max(v.linear[i].abs());
    }
    let spare = 8.0 * f64::EPSILON * largest;
    let mut factor = 1.0;
    // Newton's method on the least excess, concave and piecewise linear in s.
    for _ in 0..8 {
        let (mut rise, mut fall) = ((f64::INFINITY, 0.0, 0.0), (f64::NEG_INFINITY, 0.0, 0.0));
        for i in used() {
            let (product, slack) = (v.f[i] - v.linear[i], size * v.diagonal[i].abs().sqrt());
            if v.lower[i] == 0.0 {
                let k = product - slack;
                let at = factor * k + v.linear[i];
                rise = if at < rise.0 { (at, k, v.linear[i]) } else { rise };
            } else {
                let k = product + slack;
                let at = factor * k + v.linear[i];
                fall = if at > fall.0 { (at, k, v.linear[i]) } else { fall };
            }
        }
        let next = (spare + fall.2 - rise.2) / (rise.1 - fall.1);
        if !(rise.1 > fall.1 && next > 0.0 && next.is_finite() && (rise.0 - fall.0).is_finite()) {
            return None;
        }
        if (next - factor).abs() <= 2.0 * f64::EPSILON * factor {
            let threshold = 0.5 * (rise.0 + fall.0);
            let mut gap = 0.0;
            for i in used() {
                let x = factor * v.x[i];
                if x < v.lower[i] || x > v.upper[i] {
                    return None;
                }
                let f = factor * (v.f[i] - v.linear[i]) + v.linear[i];
                gap += x.abs() * (f - threshold).abs();
            }
            return Some(Multiple { factor, threshold, gap });
        }
        factor = next;
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The gap has its minimum at the place of an event: all are tried. More events than are sorted at once,
    /// most of them ties, some without room above or below.
    #[test]
    fn no_threshold_has_a_smaller_gap() {
        let mut rng = crate::Run::with_seed(6).rng("gap tests");
        for (round, (n, places)) in
            [(17, 3), (40, 4), (100, 9), (333, 1_000_000), (1000, 20)].repeat(8).iter().enumerate()
        {
            let mut any = |of: i64| f64::from(rng.random_range(0..of as i32));
            let f: Vec<f64> = (0..*n).map(|_| any(*places) - 0.5 * *places as f64).collect();
            // Rooms are whole numbers, or not.
            let by = if round % 2 == 0 { 1.0 } else { 0.37 };
            let above: Vec<f64> = (0..*n).map(|_| by * any(4)).collect();
            let below: Vec<f64> = (0..*n).map(|_| by * any(4)).collect();
            let (x, lower) = (vec![0.0; *n], below.iter().map(|b| -b).collect::<Vec<f64>>());
            let cost = |theta: f64| -> f64 {
                let one = |i: usize| {
                    above[i] * (theta - f[i]).max(0.0) + below[i] * (f[i] - theta).max(0.0)
                };
                (0..*n).map(one).sum()
            };
            let least = f.iter().map(|theta| cost(*theta)).fold(f64::INFINITY, f64::min);
            let found = measure(&x, &f, &lower, &above);
            let size = 1e-12 * (1.0 + least);
            assert!((found.gap - least).abs() <= size, "{n} {places}: {found:?} {least}");
            assert!((cost(found.threshold) - least).abs() <= size, "{found:?} {least}");
            // The threshold is the middle of those that are best.
            let mut events: Vec<(f64, f64, f64)> =
                (0..*n).map(|i| (f[i], above[i], below[i])).collect();
            let crossed = crossing(&mut events).unwrap();
            let best = f.iter().filter(|theta| cost(**theta) <= least + size);
            let ends =
                best.fold((f64::INFINITY, f64::NEG_INFINITY), |e, t| (e.0.min(*t), e.1.max(*t)));
            assert!(ends.0 <= crossed && crossed <= ends.1, "{crossed} {ends:?}");
        }
    }

    /// Two at each bound; one of them by a few ulps, or by so much that it counts as inside its box.
    #[test]
    fn the_middle_of_equal_thresholds() {
        let (f, lower, upper) = ([1.0, 2.0, 5.0, 7.0], [0.0; 4], [0.3; 4]);
        let at = |off: f64| measure(&[0.3, 0.3 - off, 0.0, off], &f, &lower, &upper);
        for off in [0.0, 1e-16, 1e-14] {
            let found = at(off);
            assert_eq!(found.threshold, 3.5, "{off}");
            assert!(found.gap <= 10.0 * off, "{found:?}");
        }
        let inside = measure(&[0.3, 0.3 - 1e-6, 0.0, 0.0], &f, &lower, &upper);
        assert_eq!((inside.threshold, inside.gap), (2.0, 0.0));
        // The box is far larger than what is used of it: nothing is at a bound.
        let found = measure(&[0.0, 1e-9, 1.0], &[4.0, 1.0, 1.0], &[0.0; 3], &[1e20; 3]);
        assert_eq!(found.threshold, 1.0);
    }

    /// K = I, q = (−1, 1), x = (0.4, −0.4): f = (−0.6, 0.6); at 2.5·x both conditions hold exactly.
    #[test]
    fn a_multiple_without_loss() {
        let (f, diagonal, linear) = ([-0.6, 0.6], [1.0; 2], [-1.0, 1.0]);
        let at = |room: f64| {
            let (lower, upper) = ([0.0, -room], [room, 0.0]);
            let x = &[0.4, -0.4];
            multiple(&View {
                x,
                f: &f,
                linear: &linear,
                lower: &lower,
                upper: &upper,
                diagonal: &diagonal,
                magnitude: 1.0,
            })
        };
        let found = at(1e17).unwrap();
        assert!((found.factor - 2.5).abs() < 1e-12 && found.threshold.abs() < 1e-12);
        assert!(found.gap < 1e-13, "{found:?}");
        // The box ends before.
        assert_eq!(at(0.9), None);
    }
}
