//! Losses of one decision value, with what the dual problem knows of them.
//!
//! Of a value f with the label y (±1, or a number t) and the cost C the machine pays L(f); the dual coefficient that goes
//! with f is c = −L'(f), and the dual objective has ℓ(c) = −L*(−c). With h the width over which a kink is rounded:
//!
//! | loss | L | u | c | ℓ(c) |
//! |---|---|---|---|---|
//! | squared hinge | C/2 u₊² | 1 − y f | y C u₊ | \|c\| − c²/(2C) |
//! | hinge | C u₊ | 1 − y f | y C min(u₊/h, 1) | \|c\| |
//! | ε-insensitive | C u₊ | \|t − f\| − ε | sign(t − f) C min(u₊/h, 1) | t c − ε \|c\| |
//! | squared | C/2 (t − f)² | | C (t − f) | t c − c²/(2C) |
//!
//! The two losses with a kink are minimised rounded (Huber): C u²/(2h) for 0 < u < h, C (u − h/2) beyond; ℓ of the rounded
//! loss is less by h c²/(2C). The coefficients of the rounded loss are feasible for the loss itself, so that both have
//! their bounds. ℓ(0) = 0 and ℓ is concave for all, hence ℓ(s c) ≥ s ℓ(c) for 0 ≤ s ≤ 1.

/// A loss.
#[derive(Debug, Clone, Copy, PartialEq)]
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
            Loss::SquaredHinge if label == 0.0 => At::default(),
            Loss::Hinge => kink(1.0 - label * f, label, cost, h, |size, _| size),
            Loss::Insensitive { epsilon } => {
                let off = label - f;
                let ell = |size: f64, c: f64| label * c - epsilon * size;
                kink(off.abs() - epsilon, off.signum(), cost, h, ell)
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

/// The rounded form of cost · max(0, u), where c = `side`·|c| and ℓ is `ell`(|c|, c).
#[inline]
fn kink(u: f64, side: f64, cost: f64, h: f64, ell: impl Fn(f64, f64) -> f64) -> At {
    if u <= 0.0 {
        return At::default();
    }
    let part = (u / h).min(1.0);
    let size = cost * part;
    let exact_dual = ell(size, side * size);
    At {
        rounded: if part < 1.0 { 0.5 * size * u } else { cost * (u - 0.5 * h) },
        exact: cost * u,
        coef: side * size,
        curvature: if part < 1.0 { cost / h } else { 0.0 },
        rounded_dual: exact_dual - 0.5 * h * part * size,
        exact_dual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Loss; 4] =
        [Loss::Hinge, Loss::SquaredHinge, Loss::Insensitive { epsilon: 0.3 }, Loss::Squared];

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
                    let kinked =
                        (at(f + 2.0 * e).curvature - at(f - 2.0 * e).curvature).abs() > 0.0;
                    assert!(kinked || (bend - here.curvature).abs() < 1e-3 * cost / h.min(1.0));
                    let fenchel = here.rounded - here.rounded_dual + here.coef * f;
                    assert!(fenchel.abs() < 1e-9 * (1.0 + cost), "{loss:?} at {f}: {fenchel}");
                    // The exact pair has a gap of at most C h/4.
                    let exact = here.exact - here.exact_dual + here.coef * f;
                    assert!((-1e-12..=0.25 * cost * h + 1e-9).contains(&exact), "{loss:?} {exact}");
                    seen += 1;
                }
            }
            assert_eq!(loss.at(0.2, 1.0, 0.0, 1.0), At::default());
        }
        assert_eq!(seen, 4 * 80 * 3);
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            assert_eq!(loss.at(0.2, 0.0, 1.0, 1.0), At::default());
        }
    }
}
