//! Gates: how much of a kernel each instance takes, as a function of features of the instance alone.
//!
//! | id | gate m of an instance with features z | (LMKA) | parameters of a gate |
//! |---|---|---|---|
//! | `softmax` | exp(s_m) / Σ_h exp(s_h), s_m = ⟨v_m, z⟩ + v_m0 | (3.2) | v_m, v_m0 |
//! | `sigmoid` | 1 / (1 + exp(−s_m)), s_m as above | (3.3) | v_m, v_m0 |
//! | `gaussian` | exp(s_m) / Σ_h exp(s_h), s_m = −‖z − μ_m‖² / σ_m² | (3.4) | μ_m, ln σ_m² |
//!
//! LMKA's own parameter of the spread is σ_m; its logarithm has no sign and no edge at 0. Gates below [`FLOOR`] are 0,
//! in training as in prediction, so that kernels need not be computed there. From there to twice as much they rise
//! from 0 instead of jumping: 2(η − floor) for η. On kernels with large entries a jump is an edge of the objective at
//! which a search ends.

use super::wrong;
use crate::data::Matrix;
use crate::{Error, Result};
use cokernel_dense::simd;
use rayon::prelude::*;

/// Gates below this are 0, from twice this they are as the formulas say.
pub const FLOOR: f64 = 1e-6;

/// What is used for a gate of this value.
fn opened(gate: f64) -> f64 {
    if gate >= 2.0 * FLOOR { gate } else { (2.0 * (gate - FLOOR)).max(0.0) }
}

/// The value of a gate that this is used for, 0 of a closed one, and how many times the relative change of the first
/// the second changes.
fn before(opened: f64) -> (f64, f64) {
    if opened >= 2.0 * FLOOR || opened <= 0.0 {
        return (opened, 1.0);
    }
    let gate = 0.5 * opened + FLOOR;
    (gate, 2.0 * gate / opened)
}

/// The function of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Competing: gates sum to 1, with linear boundaries between them.
    Softmax,
    /// Each on its own, between 0 and 1.
    Sigmoid,
    /// Competing, by the distance from a centre.
    Gaussian,
}

impl Shape {
    /// The names of all shapes.
    pub const IDS: &'static [&'static str] = &["softmax", "sigmoid", "gaussian"];

    /// Its name.
    pub fn id(self) -> &'static str {
        match self {
            Shape::Softmax => "softmax",
            Shape::Sigmoid => "sigmoid",
            Shape::Gaussian => "gaussian",
        }
    }

    /// The shape with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn from_id(id: &str) -> Result<Self> {
        let all = [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian];
        let found = all.into_iter().find(|s| s.id() == id);
        found.ok_or_else(|| Error::unknown("gate", id, Shape::IDS.iter().copied()))
    }

    /// Whether the gates of an instance sum to 1.
    fn competes(self) -> bool {
        self != Shape::Sigmoid
    }
}

/// Gates with their parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    shape: Shape,
    /// One row for each gate, as the table of this module says: as many numbers as features, then one.
    parameters: Matrix,
}

impl Gate {
    /// One row of parameters for each gate.
    ///
    /// # Errors
    /// No gate, no last column, a number that is not finite.
    pub fn new(shape: Shape, parameters: Matrix) -> Result<Self> {
        if parameters.rows() == 0 || parameters.cols() == 0 {
            return Err(wrong("a gate without parameters"));
        }
        match parameters.values().iter().all(|v| v.is_finite()) {
            true => Ok(Gate { shape, parameters }),
            false => Err(wrong("a parameter of a gate is not a finite number")),
        }
    }

    /// The function.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its parameters, one row for each gate.
    pub fn parameters(&self) -> &Matrix {
        &self.parameters
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.parameters.rows()
    }

    /// How many features they look at.
    pub fn features(&self) -> usize {
        self.parameters.cols() - 1
    }

    /// The gates of instances with these features (n × d), n × gates.
    pub fn values(&self, features: &Matrix) -> Matrix {
        let (n, gates) = (features.rows(), self.count());
        let mut out = Matrix::zeros(n, gates);
        let rows = out.values_mut().par_chunks_mut(gates).enumerate();
        rows.for_each(|(i, out)| self.of(features.row(i), out));
        out
    }

    /// The gates of one instance.
    fn of(&self, z: &[f64], out: &mut [f64]) {
        match self.shape {
            Shape::Gaussian => out.iter_mut().enumerate().for_each(|(g, score)| {
                let (along, last) = self.split(g);
                *score = -simd::squared_distance(along, z) * (-last).exp();
            }),
            Shape::Softmax | Shape::Sigmoid => {
                out.iter_mut().enumerate().for_each(|(g, score)| *score = self.split(g).1);
                simd::dots(self.parameters.values(), self.parameters.cols(), z, 1.0, out);
            }
        }
        if self.shape.competes() {
            let mut most = out.iter().fold(f64::NEG_INFINITY, |a, s| a.max(*s));
            if !most.is_finite() || out.iter().any(|s| s.is_nan()) {
                most = self.far(z, out);
            }
            out.iter_mut().for_each(|s| *s = (*s - most).exp());
            let sum: f64 = out.iter().sum();
            out.iter_mut().for_each(|g| *g /= sum);
        } else {
            out.iter_mut().for_each(|s| *s = 1.0 / (1.0 + (-*s).exp()));
        }
        out.iter_mut().for_each(|g| *g = opened(*g));
    }

    /// Scores where those of the table are beyond f64: 0 of the largest, which takes all, and −∞ of the others; the
    /// largest is 0.
    fn far(&self, z: &[f64], out: &mut [f64]) -> f64 {
        let unit = z.iter().fold(1.0_f64, |a, v| a.max(v.abs()));
        for (g, score) in out.iter_mut().enumerate() {
            let (along, last) = self.split(g);
            let pairs = along.iter().zip(z);
            *score = match self.shape {
                Shape::Gaussian => {
                    let square = |(a, z): (&f64, &f64)| (z / unit - a / unit).powi(2);
                    -pairs.map(square).sum::<f64>() * (-last).exp()
                }
                Shape::Softmax | Shape::Sigmoid => {
                    pairs.map(|(a, z)| a * (z / unit)).sum::<f64>() + last / unit
                }
            };
        }
        let most = out.iter().fold(f64::NEG_INFINITY, |a, s| a.max(*s));
        out.iter_mut().for_each(|s| *s = if *s >= most { 0.0 } else { f64::NEG_INFINITY });
        0.0
    }

    fn split(&self, g: usize) -> (&[f64], f64) {
        let row = self.parameters.row(g);
        (&row[..row.len() - 1], row[row.len() - 1])
    }

    /// The derivatives of an objective by the parameters, row by row, from `energies`: minus the value of a gate
    /// times the derivative by it, n × gates (LMKA §3.3, whose sums over pairs these are).
    pub fn slopes(&self, features: &Matrix, gates: &Matrix, energies: &Matrix) -> Vec<f64> {
        let (count, d) = (self.count(), self.features());
        let mut slopes = vec![0.0; count * (d + 1)];
        for i in 0..features.rows() {
            let (z, own, energy) = (features.row(i), gates.row(i), energies.row(i));
            let weighed = |g: usize| before(own[g]).1 * energy[g];
            let all: f64 = if self.shape.competes() { (0..count).map(weighed).sum() } else { 0.0 };
            for g in 0..count {
                let (own, energy) = (before(own[g]).0, weighed(g));
                // The derivative by the score.
                let by = match self.shape {
                    Shape::Sigmoid => -energy * (1.0 - own),
                    Shape::Softmax | Shape::Gaussian => own * all - energy,
                };
                if by == 0.0 {
                    continue;
                }
                let out = &mut slopes[g * (d + 1)..][..d + 1];
                let (along, last) = self.split(g);
                let (out, out_last) = out.split_at_mut(d);
                match self.shape {
                    Shape::Gaussian => {
                        let spread = (-last).exp();
                        let mut distance = 0.0;
                        for ((o, z), centre) in out.iter_mut().zip(z).zip(along) {
                            *o += 2.0 * by * spread * (z - centre);
                            distance += (z - centre) * (z - centre);
                        }
                        out_last[0] += by * spread * distance;
                    }
                    Shape::Softmax | Shape::Sigmoid => {
                        simd::subtract(out, -by, z);
                        out_last[0] += by;
                    }
                }
            }
        }
        slopes
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn gate(shape: Shape) -> (Gate, Matrix) {
        let parameters = Matrix::from_fn(3, 3, |g, j| ((5 * g + 3 * j) as f64).sin() * 0.8);
        let z = Matrix::from_fn(7, 2, |i, j| ((i + 4 * j) as f64 * 1.3).cos());
        (Gate::new(shape, parameters).unwrap(), z)
    }

    /// By the formulas, with nothing of the code above.
    fn by_hand(shape: Shape, p: &Matrix, z: &Matrix, i: usize) -> Vec<f64> {
        let scores: Vec<f64> = (0..3)
            .map(|g| match shape {
                Shape::Gaussian => {
                    let far = (0..2).map(|j| (z.get(i, j) - p.get(g, j)).powi(2)).sum::<f64>();
                    -far / p.get(g, 2).exp()
                }
                _ => (0..2).map(|j| z.get(i, j) * p.get(g, j)).sum::<f64>() + p.get(g, 2),
            })
            .collect();
        let sum: f64 = scores.iter().map(|s| s.exp()).sum();
        let one = |s: &f64| match shape {
            Shape::Sigmoid => 1.0 / (1.0 + (-s).exp()),
            _ => s.exp() / sum,
        };
        scores.iter().map(one).collect()
    }

    #[test]
    fn gates_are_those_of_the_formulas() {
        for shape in [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian] {
            let (gate, z) = gate(shape);
            let found = gate.values(&z);
            for i in 0..7 {
                let wanted = by_hand(shape, gate.parameters(), &z, i);
                for (a, b) in found.row(i).iter().zip(&wanted) {
                    assert!((a - b).abs() < 1e-14, "{} {a} {b}", shape.id());
                }
            }
        }
    }

    /// Of Σ_ig w_ig η_g(i), whose derivative by a gate is w.
    #[test]
    fn slopes_are_those_of_finite_differences() {
        for shape in [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian] {
            let (gate, z) = gate(shape);
            let w = |i: usize, g: usize| ((3 * i + g) as f64).sin();
            let value = |p: &Matrix| -> f64 {
                let gates = Gate::new(shape, p.clone()).unwrap().values(&z);
                (0..7).map(|i| (0..3).map(|g| w(i, g) * gates.get(i, g)).sum::<f64>()).sum()
            };
            let gates = gate.values(&z);
            let energies = Matrix::from_fn(7, 3, |i, g| -w(i, g) * gates.get(i, g));
            let slopes = gate.slopes(&z, &gates, &energies);
            for (k, slope) in slopes.iter().enumerate() {
                let moved = |h: f64| {
                    let mut p = gate.parameters().clone();
                    p.values_mut()[k] += h;
                    value(&p)
                };
                let wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - wanted).abs() < 1e-9, "{} {k}: {slope} {wanted}", shape.id());
            }
        }
    }

    #[test]
    fn what_is_far_from_everything_has_a_gate_all_the_same() {
        for shape in [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian] {
            let (gate, _) = gate(shape);
            let far = Matrix::from_fn(2, 2, |i, _| if i == 0 { 1e200 } else { -1e200 });
            let found = gate.values(&far);
            assert!(found.values().iter().all(|g| (0.0..=1.0).contains(g)), "{found:?}");
            let parameters = gate.parameters();
            for size in [1e160, 1e200, 1e307] {
                let far = Matrix::from_fn(2, 2, |i, j| if i == j { size } else { -size });
                let found = gate.values(&far);
                for i in (0..2).filter(|_| shape != Shape::Sigmoid) {
                    // The widest, or the one whose line rises most.
                    let score = |g: usize| match shape {
                        Shape::Gaussian => parameters.get(g, 2),
                        _ => (0..2).map(|j| parameters.get(g, j) * far.get(i, j).signum()).sum(),
                    };
                    let most = (0..3).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap();
                    for g in 0..3 {
                        assert_eq!(found.get(i, g), f64::from(u8::from(g == most)), "{size}");
                    }
                }
            }
        }
    }

    /// No jump where a gate closes, and the derivative is right on both sides.
    #[test]
    fn gates_close_without_a_jump() {
        for shape in [Shape::Softmax, Shape::Sigmoid, Shape::Gaussian] {
            // The second gate is e^score beside the first one, which is about 1.
            let gate = |score: f64| match shape {
                Shape::Gaussian => vec![0.0, 0.0, (-score).sqrt(), 0.0],
                Shape::Softmax => vec![0.0, 0.0, score, 0.0],
                Shape::Sigmoid => vec![9.0, 0.0, score, 0.0],
            };
            let of = |score: f64| {
                let parameters = Matrix::new(2, 2, gate(score)).unwrap();
                let z = match shape {
                    Shape::Gaussian => 0.0,
                    _ => 1.0,
                };
                let z = Matrix::new(1, 1, vec![z]).unwrap();
                let gate = Gate::new(shape, parameters).unwrap();
                let values = gate.values(&z);
                // Of the objective η_2.
                let energies = Matrix::from_fn(1, 2, |_, g| -(g as f64) * values.get(0, 1));
                (values.get(0, 1), gate.slopes(&z, &values, &energies)[2])
            };
            for factor in [0.5, 0.999, 1.001, 1.5, 1.999, 2.001, 4.0] {
                let score = f64::ln(factor * FLOOR);
                let (here, slope) = of(score);
                let at = gate(score)[2];
                let h = 1e-9;
                let (up, down) = match shape {
                    Shape::Gaussian => (of(-(at + h).powi(2)).0, of(-(at - h).powi(2)).0),
                    _ => (of(at + h).0, of(at - h).0),
                };
                let wanted = (up - down) / (2.0 * h);
                let near = 1e-4 * wanted.abs().max(FLOOR);
                assert!(
                    (slope - wanted).abs() <= near,
                    "{} {factor}: {slope} {wanted}",
                    shape.id()
                );
                let used = if factor < 2.0 { (2.0 * (factor - 1.0)).max(0.0) } else { factor };
                assert!((here / FLOOR - used).abs() < 1e-4, "{} {factor}: {here}", shape.id());
            }
        }
    }
}
