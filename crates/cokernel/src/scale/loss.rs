//! Losses of one decision value, with what the dual problem knows of them.
//!
//! Of a value f with the label y (±1, or a number t) and the cost C the machine pays L(f); the dual coefficient that goes
//! with f is c = −L'(f), and the dual objective has ℓ(c) = −L*(−c). With h the width over which a kink is rounded:
//!
//! | loss | L | u | c | ℓ(c) |
//! |---|---|---|---|---|
//! | squared hinge | C/2 u₊² | 1 − y f | y C u₊ | \|c\| − c²/(2C) |
//! | hinge | C u₊ | 1 − y f | y C p(u) | \|c\| |
//! | ε-insensitive | C u₊ of both sides | ±(t − f) − ε | C (p(u₁) − p(u₂)) | t c − ε \|c\| |
//! | squared | C/2 (t − f)² | | C (t − f) | t c − c²/(2C) |
//! | logistic | C ln(1 + e^(−y f)) | −y f | y C s, s = 1/(1 + e^(−u)) | −C (s ln s + (1 − s) ln(1 − s)) |
//!
//! The two losses with a kink are minimised with u₊ rounded to s(u) = (u + w)/2, w = √(u² + 4h²), whose slope is
//! p(u) = (1 + u/w)/2 and whose curvature 2h²/w³ (Chen and Harker 1993, Kanzow 1996, Smale 1987): unlike a piece of a
//! parabola (Huber) it leaves no instance without curvature, so that Newton's method goes on from one h to the next. s exceeds
//! u₊ by at most h. The coefficients are feasible for the loss itself, so that both have their bounds; ℓ of the rounded loss
//! is larger by 2h² C/w of each part. ℓ(0) ≥ 0 and ℓ is concave for all, hence ℓ(s c) ≥ s ℓ(c) for 0 ≤ s ≤ 1.

use serde::{Deserialize, Serialize};

/// A loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Loss {
    /// C max(0, 1 − y f).
    Hinge,
    /// C/2 max(0, 1 − y f)².
    SquaredHinge,
    /// C max(0, |t − f| − ε).
    Insensitive {
        /// ε.
        epsilon: f64,
    },
    /// C/2 (t − f)².
    Squared,
    /// C ln(1 + exp(−y f)).
    Logistic,
}

/// What there is to know of a loss at one value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct At {
    /// L of the rounded loss.
    pub rounded: f64,
    /// L itself.
    pub exact: f64,
    /// c = −L' of the rounded loss.
    pub coef: f64,
    /// L'' of it.
    pub curvature: f64,
    /// ℓ(c) of the rounded loss.
    pub rounded_dual: f64,
    /// ℓ(c) of the loss itself.
    pub exact_dual: f64,
}

impl Loss {
    /// Whether it has a kink.
    pub(crate) fn has_kink(self) -> bool {
        matches!(self, Loss::Hinge | Loss::Insensitive { .. })
    }

    /// At the value f of an instance with this label (0: none) and cost.
    #[inline]
    pub(crate) fn at(self, f: f64, label: f64, cost: f64, h: f64) -> At {
        if cost == 0.0 {
            return At::default();
        }
        match self {
            Loss::Hinge if label == 0.0 => At::default(),
            Loss::SquaredHinge | Loss::Logistic if label == 0.0 => At::default(),
            Loss::Hinge => {
                let u = 1.0 - label * f;
                let kink = Kink::at(u, h);
                let size = cost * kink.slope;
                At {
                    rounded: cost * kink.value,
                    exact: cost * u.max(0.0),
                    coef: label * size,
                    curvature: cost * kink.curvature,
                    rounded_dual: size + cost * kink.left,
                    exact_dual: size,
                }
            }
            Loss::Insensitive { epsilon } => {
                let off = label - f;
                let (above, below) = (Kink::at(off - epsilon, h), Kink::at(-off - epsilon, h));
                let coef = cost * (above.slope - below.slope);
                let sizes = cost * (above.slope + below.slope);
                At {
                    rounded: cost * (above.value + below.value),
                    exact: cost * (off.abs() - epsilon).max(0.0),
                    coef,
                    curvature: cost * (above.curvature + below.curvature),
                    rounded_dual: label * coef - epsilon * sizes + cost * (above.left + below.left),
                    exact_dual: label * coef - epsilon * coef.abs(),
                }
            }
            Loss::SquaredHinge => {
                let u = (1.0 - label * f).max(0.0);
                let loss = 0.5 * cost * u * u;
                let dual = cost * u - loss;
                At {
                    rounded: loss,
                    exact: loss,
                    coef: label * cost * u,
                    curvature: if u > 0.0 { cost * label * label } else { 0.0 },
                    rounded_dual: dual,
                    exact_dual: dual,
                }
            }
            Loss::Logistic => {
                let u = -label * f;
                // ln(1 + e^u) and ln(1 + e^−u), which are −ln(1 − s) and −ln s.
                let tail = (-u.abs()).exp().ln_1p();
                let (up, down) = (u.max(0.0) + tail, (-u).max(0.0) + tail);
                let (share, rest) = ((-down).exp(), (-up).exp());
                let (loss, dual) = (cost * up, cost * (share * down + rest * up));
                At {
                    rounded: loss,
                    exact: loss,
                    coef: label * cost * share,
                    curvature: cost * label * label * share * rest,
                    rounded_dual: dual,
                    exact_dual: dual,
                }
            }
            Loss::Squared => {
                let off = label - f;
                let (loss, coef) = (0.5 * cost * off * off, cost * off);
                let dual = label * coef - loss;
                At {
                    rounded: loss,
                    exact: loss,
                    coef,
                    curvature: cost,
                    rounded_dual: dual,
                    exact_dual: dual,
                }
            }
        }
    }
}

/// u₊, rounded, at one u.
struct Kink {
    value: f64,
    slope: f64,
    curvature: f64,
    /// What ℓ has more: 2h²/w.
    left: f64,
}

impl Kink {
    #[inline]
    fn at(u: f64, h: f64) -> Self {
        let square = 2.0 * h * h;
        let w = (u * u + 2.0 * square).sqrt();
        let left = square / w;
        // Without cancellation on both sides.
        let (value, slope) = match u >= 0.0 {
            true => (0.5 * (u + w), 0.5 * (1.0 + u / w)),
            false => (square / (w - u), left / (w - u)),
        };
        Kink { value, slope, curvature: left / (w * w), left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Loss; 5] = [
        Loss::Hinge,
        Loss::SquaredHinge,
        Loss::Insensitive { epsilon: 0.3 },
        Loss::Squared,
        Loss::Logistic,
    ];

    /// c and L'' against differences of L, and Fenchel's equality L(f) − ℓ(c) + c f = 0.
    #[test]
    fn coefficients_are_derivatives_and_the_dual_is_tight() {
        let mut seen = 0;
        for loss in ALL {
            for f in (-40..40).map(|k| f64::from(k) * 0.11 + 0.013) {
                for (label, cost, h) in [(1.0, 2.0, 0.5), (-1.0, 0.3, 2.0), (1.0, 5.0, 1e-2)] {
                    let at = |f: f64| loss.at(f, label, cost, h);
                    let (e, here) = (1e-6, at(f));
                    let slope = (at(f + e).rounded - at(f - e).rounded) / (2.0 * e);
                    assert!((slope + here.coef).abs() < 1e-3 * cost, "{loss:?} at {f}");
                    let bend = (at(f - e).coef - at(f + e).coef) / (2.0 * e);
                    let step = at(f + 2.0 * e).curvature - at(f - 2.0 * e).curvature;
                    let kinked = loss == Loss::SquaredHinge && step != 0.0;
                    assert!(kinked || (bend - here.curvature).abs() < 1e-3 * cost / h.min(1.0));
                    let fenchel = here.rounded - here.rounded_dual + here.coef * f;
                    assert!(fenchel.abs() < 1e-9 * (1.0 + cost), "{loss:?} at {f}: {fenchel}");
                    // The exact pair has a gap of at most C h for each kink.
                    let exact = here.exact - here.exact_dual + here.coef * f;
                    assert!((-1e-12..=2.0 * cost * h + 1e-9).contains(&exact), "{loss:?} {exact}");
                    seen += 1;
                }
            }
            assert_eq!(loss.at(0.2, 1.0, 0.0, 1.0), At::default());
        }
        assert_eq!(seen, 5 * 80 * 3);
        for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic] {
            assert_eq!(loss.at(0.2, 0.0, 1.0, 1.0), At::default());
        }
    }
}
