//! Kernels with gates of their own for each decision function:
//!
//! ```text
//! f_u(x) = Σ_i c_ui k_u(x_i, x) + b_u,      k_u(x, z) = Σ_m Σ_p η^u_mp(x) k_m(x, z) η^u_mp(z)
//! ```
//!
//! (LMKA §3.4.3: gates for each of the binary problems that several classes are made into.) Of each head u the rule is
//! [`Gated`]; what the gates look at is the same for all. A kernel that no head reads is not read, and `uses` are means over
//! the heads.

use super::gate::{Gate, Shape};
use super::{
    Combination, Entry, Gated, Input, Mix, Rule, Stored, Tensors, count, nonzero, reals, wrong,
};
use crate::Result;
use crate::data::{Matrix, Views, side_by_side};
use serde_json::{Map, Value};

/// The registry entry.
pub static ENTRY: Entry = Entry { id: ID, read };

const ID: &str = "own_gates";

/// A rule with gates for each head.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnGates {
    heads: Vec<Gated>,
    /// The mean of those of the heads.
    uses: Vec<f64>,
}

impl OwnGates {
    /// Of these heads.
    ///
    /// # Errors
    /// There is none, or they have other kernels, other numbers of gates, or look at something else.
    pub fn new(heads: Vec<Gated>) -> Result<Self> {
        let Some(first) = heads.first() else { return Err(wrong("gates of no head")) };
        let same = |head: &Gated| {
            head.gate().count() == first.gate().count()
                && head.gate().shape() == first.gate().shape()
                && head.copies() == first.copies()
                && head.input() == first.input()
        };
        if !heads.iter().all(same) {
            return Err(wrong("the gates of its heads differ in more than their parameters"));
        }
        let mut uses = vec![0.0; first.kernels()];
        for head in &heads {
            let share = heads.len() as f64;
            uses.iter_mut().zip(head.uses()).for_each(|(u, own)| *u += own / share);
        }
        Ok(OwnGates { heads, uses })
    }
}

/// All gates of these instances times their factors, those of one head after the other.
///
/// # Errors
/// The views are not those of training.
pub(crate) fn all_gates(heads: &[Gated], views: &Views) -> Result<Matrix> {
    of_each(heads, views, |_, gates| gates)
}

/// The same of the kernels that each head reads.
pub(super) fn numbers(heads: &[Gated], views: &Views) -> Result<Matrix> {
    of_each(heads, views, Gated::read_of)
}

fn of_each(
    heads: &[Gated],
    views: &Views,
    then: impl Fn(&Gated, Matrix) -> Matrix,
) -> Result<Matrix> {
    let Some(first) = heads.first() else { return Ok(Matrix::zeros(views.n(), 0)) };
    let features = first.input().rows(views)?;
    let tables: Vec<Matrix> = heads.iter().map(|h| then(h, h.values(&features))).collect();
    Ok(side_by_side(&tables.iter().collect::<Vec<_>>()))
}

impl Rule for OwnGates {
    fn id(&self) -> &'static str {
        ID
    }

    fn kernels(&self) -> usize {
        self.uses.len()
    }

    fn active(&self) -> Vec<usize> {
        nonzero(&self.uses)
    }

    fn uses(&self) -> Vec<f64> {
        self.uses.clone()
    }

    fn says(&self) -> &'static str {
        "mean gate"
    }

    fn views(&self) -> Vec<String> {
        self.heads[0].views()
    }

    fn own_gates(&self) -> &[Gated] {
        &self.heads
    }

    fn pointwise(&self) -> Option<&dyn Mix> {
        None
    }

    fn stored(&self) -> Stored {
        let first = &self.heads[0];
        let Stored { mut fields, mut tensors } = first.input().stored();
        let means: Vec<f64> = self.heads.iter().flat_map(|h| h.means().to_vec()).collect();
        fields.extend([
            ("gate".to_string(), first.gate().shape().id().into()),
            ("kernels".to_string(), self.kernels().into()),
            ("heads".to_string(), self.heads.len().into()),
            ("means".to_string(), means.into()),
        ]);
        let gates = first.gate().count();
        let parameters =
            Matrix::from_fn(gates * self.heads.len(), first.input().width() + 1, |g, j| {
                self.heads[g / gates].gate().parameters().get(g % gates, j)
            });
        tensors.push(("parameters".to_string(), parameters));
        Stored { fields, tensors }
    }
}

/// The rule of a file; nothing in it is trusted.
fn read(fields: &Map<String, Value>, tensors: &Tensors<'_>) -> Result<Combination> {
    let shape = Shape::from_id(fields.get("gate").and_then(Value::as_str).unwrap_or_default())?;
    let number =
        |name: &str| count(fields, name)?.ok_or_else(|| wrong(&format!("'{name}' is missing")));
    let (kernels, heads) = (number("kernels")?, number("heads")?);
    let means = reals(fields, "means")?;
    if heads == 0 || means.is_empty() || !means.len().is_multiple_of(heads) {
        return Err(wrong(&format!("{} gates of {heads} heads", means.len())));
    }
    if means.iter().any(|m| *m < 0.0) {
        return Err(wrong("a mean of its gates is negative"));
    }
    let input = Input::read(fields, tensors)?;
    let (gates, wide) = (means.len() / heads, input.width() + 1);
    let parameters = tensors("parameters", &[means.len(), wide])?;
    let mut rules = Vec::with_capacity(heads);
    for (means, parameters) in means.chunks(gates).zip(parameters.chunks(gates * wide)) {
        let gate = Gate::new(shape, Matrix::new(gates, wide, parameters.to_vec())?)?;
        let factors = vec![1.0; gates];
        rules.push(Gated::with_means(gate, input.clone(), kernels, (factors, means.to_vec()))?);
    }
    Ok(Combination::new(OwnGates::new(rules)?))
}
