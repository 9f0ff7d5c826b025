//! Probabilities of classes from decision values.
//!
//! A decision value orders instances, it is no probability. A [`Calibration`] has for each head of a
//! machine a curve from its value f to P(positive class | f), fitted on values of instances from which the
//! machine did not learn: those that it learned from lie at the margin and would promise too much.
//!
//! | | what it is | when |
//! |---|---|---|
//! | [`Shape::Sigmoid`] | 1 / (1 + exp(A f + B)), two numbers for each head (Platt) | the default; few instances are enough |
//! | [`Shape::Isotonic`] | any curve that does not fall | a thousand instances or more: it fits the data's noise where there are few |
//!
//! Several classes (k > 2). Heads of one class against the rest, and joint machines with a score for each
//! class: P(c) is the value of the curve of c, divided by the sum over the classes; 1/k where that sum is 0
//! (Zadrozny and Elkan, KDD 2002, section 4). Heads of pairs of classes: the curve of a pair is fitted on
//! instances of both, and coupling makes class probabilities of the pairwise ones.
//!
//! Cost of a curve: O(n log n) for n instances; of the probabilities of an instance O(k), of pairs O(k³).

mod coupling;
mod isotonic;
mod sigmoid;
#[cfg(test)]
mod tests;

use crate::data::{Matrix, dealt};
use crate::machine::Role;
use crate::{Error, Result, Run, Status};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the curves of a calibration are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Platt's sigmoid.
    Sigmoid,
    /// A curve of steps, linear between them, that does not fall.
    Isotonic,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 2] = [Shape::Sigmoid, Shape::Isotonic];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Shape::Sigmoid => "sigmoid",
            Shape::Isotonic => "isotonic",
        }
    }

    /// The shape with this name.
    ///
    /// # Errors
    /// There is none; the closest is suggested.
    pub fn from_id(id: &str) -> Result<Self> {
        let found = Shape::ALL.into_iter().find(|s| s.id() == id);
        found.ok_or_else(|| Error::unknown("calibration", id, Shape::ALL.map(Shape::id)))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// How decision values are to be calibrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibrating {
    /// What the curves are.
    pub shape: Shape,
    /// Folds of the cross-fitting: as many models are fitted beside the one that is kept.
    pub folds: usize,
}

/// The most folds.
pub const MOST_FOLDS: usize = 1000;

impl Calibrating {
    /// With five folds.
    pub fn new(shape: Shape) -> Self {
        Calibrating { shape, folds: 5 }
    }

    /// With this many folds, at least 2.
    #[must_use]
    pub fn folds(mut self, folds: usize) -> Self {
        self.folds = folds;
        self
    }

    /// Refuses a number of folds with which nothing can be held out.
    ///
    /// # Errors
    /// Fewer than 2 or more than 1000 folds.
    pub fn check(&self) -> Result<()> {
        match self.folds {
            2..=MOST_FOLDS => Ok(()),
            found => {
                let problem = format!("expected 2 to {MOST_FOLDS} folds, found {found}");
                Err(Error::parameter("calibration_folds", problem))
            }
        }
    }
}

/// The fold of each instance: stratified by class, drawn by the seed of the run. Classes have codes
/// below `classes`.
pub fn folds(codes: &[u32], classes: usize, folds: usize, run: &Run) -> Vec<usize> {
    let mut by_class = vec![Vec::new(); classes];
    codes.iter().enumerate().for_each(|(i, &code)| by_class[code as usize].push(i));
    let mut rng = run.rng("calibration folds");
    by_class.iter_mut().for_each(|rows| rows.shuffle(&mut rng));
    let mut fold = vec![0; codes.len()];
    for (f, rows) in dealt(by_class.into_iter().flatten(), folds).into_iter().enumerate() {
        rows.into_iter().for_each(|i| fold[i] = f);
    }
    fold
}

/// From a decision value to the probability of the positive class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Curve {
    /// 1 / (1 + exp(slope · f + offset)).
    Sigmoid {
        /// A; negative where the probability grows with the value.
        slope: f64,
        /// B.
        offset: f64,
    },
    /// Linear between points, constant before the first and after the last.
    Isotonic {
        /// Decision values, increasing.
        values: Vec<f64>,
        /// The probability at each of them; does not fall.
        probabilities: Vec<f64>,
    },
}

impl Curve {
    /// The probability of the positive class.
    pub fn at(&self, f: f64) -> f64 {
        match self {
            Curve::Sigmoid { slope, offset } => sigmoid::at(*slope, *offset, f),
            Curve::Isotonic { values, probabilities } => isotonic::at(values, probabilities, f),
        }
    }

    /// Whether the probability falls where the value grows.
    pub fn falls(&self) -> bool {
        matches!(self, Curve::Sigmoid { slope, .. } if *slope > 0.0)
    }

    /// What makes it no curve of this shape, if anything does.
    fn problem(&self, shape: Shape) -> Option<&'static str> {
        match self {
            Curve::Sigmoid { slope, offset } => match shape {
                Shape::Sigmoid if slope.is_finite() && offset.is_finite() => None,
                Shape::Sigmoid => Some("has a number that is not finite"),
                Shape::Isotonic => Some("is a sigmoid, expected an isotonic one"),
            },
            Curve::Isotonic { .. } if shape != Shape::Isotonic => {
                Some("is isotonic, expected a sigmoid")
            }
            Curve::Isotonic { values, probabilities } => {
                let increasing = values.windows(2).all(|w| w[0] < w[1]);
                let rising = probabilities.windows(2).all(|w| w[0] <= w[1]);
                let within = probabilities.iter().all(|p| (0.0..=1.0).contains(p));
                if values.is_empty() || values.len() != probabilities.len() {
                    Some("has not one probability for each of its values")
                } else if !increasing || values.iter().any(|v| !v.is_finite()) {
                    Some("has values that are not increasing")
                } else if !rising || !within {
                    Some("has probabilities that fall or are not between 0 and 1")
                } else {
                    None
                }
            }
        }
    }
}

/// A curve for each head of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// What they are, and with how many folds they were fitted.
    #[serde(flatten)]
    pub how: Calibrating,
    /// How the models of the folds ended: the worst.
    pub status: Status,
    /// In the order of the heads.
    pub curves: Vec<Curve>,
}

impl Calibration {
    /// Fits a curve for each head on decision values `values[t][i]` of head t for instance i, which the
    /// machine did not learn from. Heads of pairs of classes take the instances of both. A weight counts
    /// as a number of instances; those with weight 0 take no part.
    ///
    /// # Errors
    /// Lengths that differ; a value that is not finite; a head without an instance of one of its sides.
    pub fn fit(
        how: Calibrating,
        roles: &[Role],
        codes: &[u32],
        values: &[Vec<f64>],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        how.check()?;
        let n = codes.len();
        let of_all = values.iter().map(Vec::len).chain(weights.map(<[f64]>::len));
        if let Some(found) = of_all.into_iter().find(|len| *len != n) {
            return Err(Error::shape("decision values and weights", n, found));
        }
        if values.len() != roles.len() {
            return Err(Error::shape("decision values", roles.len(), values.len()));
        }
        let curve = |(role, values): (&Role, &Vec<f64>)| {
            let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
            let takes_part = |i: &usize| role.sign(codes[*i]) != 0.0 && weight(*i) > 0.0;
            let point = |i: usize| Point {
                value: values[i],
                positive: role.sign(codes[i]) > 0.0,
                weight: weight(i),
            };
            let points: Vec<Point> = (0..n).filter(takes_part).map(point).collect();
            if points.iter().any(|p| !(p.value.is_finite() && p.weight.is_finite())) {
                let problem = "a decision value or a weight is not finite: no probability can be \
                               fitted";
                return Err(Error::Data(problem.to_string()));
            }
            let both = [true, false].map(|side| points.iter().any(|p| p.positive == side));
            if both != [true, true] {
                let problem = "a side of a machine has no instance with a weight above 0: no \
                               probability can be fitted";
                return Err(Error::Labels(problem.to_string()));
            }
            Ok(match how.shape {
                Shape::Sigmoid => sigmoid::fit(&points),
                Shape::Isotonic => isotonic::fit(points),
            })
        };
        let curves = roles.iter().zip(values).map(curve).collect::<Result<_>>()?;
        Ok(Calibration { how, status: Status::ClosedForm, curves })
    }

    /// Of machines whose values are logarithms of odds already.
    pub(crate) fn of_odds(heads: usize) -> Self {
        Calibration {
            how: Calibrating::new(Shape::Sigmoid),
            status: Status::ClosedForm,
            curves: vec![Curve::Sigmoid { slope: -1.0, offset: 0.0 }; heads],
        }
    }

    /// Refuses numbers with which nothing could be calibrated.
    ///
    /// # Errors
    /// Not one curve for each of `roles`; roles that are not of classes; a curve of another shape, or
    /// with numbers that are none of such a curve.
    pub fn check(&self, roles: &[Role]) -> Result<()> {
        self.how.check()?;
        if !roles.iter().all(|r| matches!(r, Role::Classes { .. })) {
            let problem = "probabilities are of classes; this machine does not learn classes";
            return Err(Error::Data(problem.to_string()));
        }
        if roles.len() != self.curves.len() {
            return Err(Error::shape("curves", roles.len(), self.curves.len()));
        }
        for (t, curve) in self.curves.iter().enumerate() {
            if let Some(problem) = curve.problem(self.how.shape) {
                return Err(Error::Data(format!("the curve of machine {t} {problem}")));
            }
        }
        Ok(())
    }

    /// Probabilities, instances × classes, from decision values, instances × heads. Every row sums to 1.
    pub fn probabilities(&self, roles: &[Role], classes: usize, decisions: &Matrix) -> Matrix {
        let n = decisions.rows();
        let mut out = Matrix::zeros(n, classes);
        if classes == 0 {
            return out;
        }
        let rows = out.values_mut().par_chunks_mut(classes).enumerate();
        rows.for_each(|(i, out)| self.one(roles, decisions.row(i), out));
        out
    }

    /// The probabilities of an instance.
    fn one(&self, roles: &[Role], decisions: &[f64], out: &mut [f64]) {
        let heads = roles.iter().zip(&self.curves).zip(decisions);
        let sides = heads.filter_map(|((role, curve), f)| match role {
            Role::Classes { positive, negative } => {
                Some((*positive as usize, negative.map(|c| c as usize), curve.at(*f)))
            }
            Role::Only { .. } => None,
        });
        if let ([Role::Classes { positive, .. }], [first, second]) = (roles, &mut *out) {
            let p = self.curves[0].at(decisions[0]);
            (*first, *second) = if *positive == 0 { (p, 1.0 - p) } else { (1.0 - p, p) };
            return;
        }
        if roles.iter().all(|r| matches!(r, Role::Classes { negative: Some(_), .. })) {
            let pairs: Vec<_> = sides.filter_map(|(a, b, p)| Some((a, b?, p))).collect();
            coupling::probabilities(&pairs, out);
            return;
        }
        sides.for_each(|(c, _, p)| out[c] = p);
        let sum: f64 = out.iter().sum();
        let equal = 1.0 / out.len() as f64;
        out.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { equal });
    }

    /// What people should know of it, with the names of the heads.
    pub fn remarks(&self, names: &[&str]) -> Vec<String> {
        let mut all = Vec::new();
        let heads = self.curves.iter().zip(names);
        let falling: Vec<&str> = heads.filter(|(c, _)| c.falls()).map(|(_, n)| *n).collect();
        if let Some(first) = falling.first() {
            let rest = match falling.len() {
                1 => String::new(),
                n => format!(" (and of {} more)", n - 1),
            };
            all.push(format!(
                "the probability of machine '{first}'{rest} falls where its decision value grows: \
                 instances that were held out are on the wrong sides; the kernels tell little, or \
                 there are too few instances"
            ));
        }
        if !self.status.is_success() {
            all.push(format!(
                "a model by whose decision values the probabilities were calibrated stopped early \
                 ({})",
                self.status
            ));
        }
        all
    }
}

/// An instance on a side of a head.
#[derive(Debug, Clone, Copy)]
struct Point {
    value: f64,
    positive: bool,
    /// Above 0.
    weight: f64,
}
