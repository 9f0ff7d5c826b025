//! How the values of several kernels become decision values: one file per rule, one registry.
//!
//! There are three kinds, and a fourth needs no rule:
//!
//! - A **pointwise** rule ([`Mix`]) makes one value of the M kernel values of a pair of instances:
//!   k(x, z) = mix(k_1(x, z), …, k_M(x, z)), possibly with numbers that x and z have by themselves (gates).
//!   The bank and new rows are combined by the same code, and one machine learns on the result.
//! - A rule **per kernel** ([`Each`]) has coefficients for every kernel:
//!   f(x) = Σ_m Σ_i A_mi k_m(x_i, x) + b. Its method brings the coefficients.
//! - A rule **per head** ([`OwnGates`]) has a pointwise rule for each decision function:
//!   f_u(x) = Σ_i c_ui mix_u(k_1(x_i, x), …, k_M(x_i, x)) + b_u.
//! - Views that are learned (a linear map of the features, [`LearnedView`](crate::data::LearnedView)) are the
//!   last step of the [preparation](crate::data::Preparation), after which kernels are ordinary: a method
//!   returns them beside its rule ([`Learned::views`](crate::mkl::Learned::views)).
//!
//! A rule that knows how uncertain its values are ([`Uncertain`]) makes standard deviations of them, or probabilities.
//!
//! A rule says which kernels it reads, which views it looks at, what it tells of each kernel, and which
//! numbers a file keeps; prediction, files, `inspect` and evaluation know nothing else of it. To add one,
//! write `rule/<id>.rs` with a `pub static ENTRY: Entry` and add its line to [`REGISTRY`].

mod each;
mod forest;
pub mod gate;
mod gated;
mod hyperkernel;
mod input;
mod latent;
mod margins;
mod monomials;
mod neighbours;
mod own_gates;
mod polynomial;
mod power_product;
mod powers;
mod process;
mod product;
mod sampled;
mod uncertain;
mod weighted;

pub use each::Each;
pub use forest::Forest;
pub(crate) use forest::{CUTS, Node, Tree, place};
pub use gated::Gated;
pub use hyperkernel::Hyperkernel;
pub(crate) use hyperkernel::harmonic;
pub use input::Input;
pub use latent::{Latent, Link, Values};
pub use margins::{Margins, Parts};
pub use monomials::Monomials;
pub use neighbours::Neighbours;
pub use own_gates::OwnGates;
pub(crate) use own_gates::all_gates;
pub use polynomial::Polynomial;

/// Largest degree of a [`Polynomial`].
pub(crate) const LARGEST_DEGREE: i64 = polynomial::LARGEST as i64;
pub use power_product::PowerProduct;
pub use powers::{Power, Powers};
pub use process::{Process, Spread};
pub use product::Product;
pub use sampled::{Draws, Sampled};
pub use uncertain::{Told, Uncertain};
pub use weighted::Weighted;

use crate::data::{Matrix, Views};
use crate::{Error, Result};
use serde_json::{Map, Value};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// All rules that files may hold.
pub static REGISTRY: &[&Entry] = &[
    &weighted::ENTRY,
    &product::ENTRY,
    &power_product::ENTRY,
    &powers::ENTRY,
    &polynomial::ENTRY,
    &monomials::ENTRY,
    &forest::ENTRY,
    &gated::ENTRY,
    &own_gates::ENTRY,
    &neighbours::ENTRY,
    &each::ENTRY,
    &process::ENTRY,
    &latent::ENTRY,
    &margins::ENTRY,
    &sampled::ENTRY,
    &hyperkernel::ENTRY,
];

/// How a rule is read from a file.
#[derive(Debug)]
pub struct Entry {
    /// `rule` in the file.
    pub id: &'static str,
    /// Makes the rule of the fields and tensors that [`Rule::stored`] gave.
    pub read: fn(&Map<String, Value>, &Tensors<'_>) -> Result<Combination>,
}

/// Reads a tensor of this shape, whose numbers are finite.
pub type Tensors<'a> = dyn Fn(&str, &[usize]) -> Result<Vec<f64>> + 'a;

/// A rule that models, methods and results share.
#[derive(Debug, Clone)]
pub struct Combination(Arc<dyn Rule>);

impl Combination {
    /// To be shared.
    pub fn new(rule: impl Rule + 'static) -> Self {
        Combination(Arc::new(rule))
    }
}

impl Deref for Combination {
    type Target = dyn Rule;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl PartialEq for Combination {
    fn eq(&self, other: &Self) -> bool {
        let same = self.id() == other.id() && self.kernels() == other.kernels();
        same && self.stored() == other.stored()
    }
}

/// What a file keeps of a rule. All numbers are finite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// Names and small numbers, without the id.
    pub fields: Map<String, Value>,
    /// Larger tables, by name.
    pub tensors: Vec<(String, Matrix)>,
}

/// How M kernels are combined.
pub trait Rule: fmt::Debug + Send + Sync {
    /// Its id in [`REGISTRY`].
    fn id(&self) -> &'static str;

    /// M, the number of kernels that it was made for.
    fn kernels(&self) -> usize;

    /// Indices of the kernels whose values it reads, ascending.
    fn active(&self) -> Vec<usize>;

    /// What it says of each of the M kernels, 0 for those it does not read: see [`says`](Self::says).
    fn uses(&self) -> Vec<f64>;

    /// What the numbers of [`uses`](Self::uses) are: `weight`, `exponent`.
    fn says(&self) -> &'static str {
        "weight"
    }

    /// η, of a weighted sum Σ_m η_m k_m; `None` of all others.
    fn weights(&self) -> Option<&[f64]> {
        None
    }

    /// How uncertain its values are, where it says that.
    fn uncertain(&self) -> Option<&dyn Uncertain> {
        None
    }

    /// Names of the views that it looks at beside the kernels.
    fn views(&self) -> Vec<String> {
        Vec::new()
    }

    /// As kernels with gates, where it is that.
    fn gated(&self) -> Option<&Gated> {
        None
    }

    /// The kernels with gates of each head, where it is that; none of other rules.
    fn own_gates(&self) -> &[Gated] {
        &[]
    }

    /// As a pointwise rule; `None` if it has coefficients for every kernel, or a rule for every head.
    fn pointwise(&self) -> Option<&dyn Mix>;

    /// What a file keeps.
    fn stored(&self) -> Stored;
}

/// The values of some pairs: one instance with several others.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    /// The values of each kernel that is [read](Rule::active), in that order, for all pairs.
    pub values: &'a [&'a [f64]],
    /// What [`Mix::numbers`] gave for the one instance; empty where there are none.
    pub own: &'a [f64],
    /// The same of the others: of each number those of all others, as in `values`.
    pub others: &'a [&'a [f64]],
}

/// One value of those of several kernels.
pub trait Mix: Rule {
    /// Writes the value of each pair, symmetric in its two instances.
    fn mix(&self, pairs: Pairs<'_>, out: &mut [f64]);

    /// How many [`numbers`](Self::numbers) of each instance there are.
    fn per_instance(&self) -> usize {
        0
    }

    /// Numbers of each instance that the values depend on (n × g), from the views that
    /// [`Rule::views`] names; nothing by default.
    ///
    /// # Errors
    /// The views are not those of training.
    fn numbers(&self, views: &Views) -> Result<Option<Matrix>> {
        let _ = views;
        Ok(None)
    }
}

/// The [numbers](Mix::numbers) of instances that a rule wants to know, those of one head after the other where each has
/// its own.
///
/// # Errors
/// As [`Mix::numbers`].
pub(crate) fn numbers(rule: &dyn Rule, views: &Views) -> Result<Option<Matrix>> {
    match (rule.pointwise(), rule.own_gates()) {
        (Some(mix), _) => mix.numbers(views),
        (None, []) => Ok(None),
        (None, own) => own_gates::numbers(own, views).map(Some),
    }
}

/// How many [`numbers`] of each instance there are.
pub(crate) fn per_instance(rule: &dyn Rule) -> usize {
    match rule.pointwise() {
        Some(mix) => mix.per_instance(),
        None => rule.own_gates().iter().map(Mix::per_instance).sum(),
    }
}

/// The rule as one value for a file, its id among the fields, and its tensors.
pub(crate) fn written(rule: &dyn Rule) -> (Value, Vec<(String, Matrix)>) {
    let Stored { mut fields, tensors } = rule.stored();
    fields.insert("rule".to_string(), rule.id().into());
    (Value::Object(fields), tensors)
}

/// The rule that a file describes.
///
/// # Errors
/// A rule that this version does not know; fields or tensors that are missing or of another kind.
pub(crate) fn read(value: &Value, tensors: &Tensors<'_>) -> Result<Combination> {
    let fields = value.as_object().ok_or_else(|| wrong("it is not an object"))?;
    let id = fields.get("rule").and_then(Value::as_str).unwrap_or_default();
    match REGISTRY.iter().find(|e| e.id == id) {
        Some(entry) => (entry.read)(fields, tensors),
        None => {
            let known: Vec<&str> = REGISTRY.iter().map(|e| e.id).collect();
            Err(wrong(&format!("'{id}' is not one of {}", known.join(", "))))
        }
    }
}

fn wrong(what: &str) -> Error {
    Error::Data(format!("the rule of a model: {what}"))
}

/// The finite numbers of a field.
fn reals(fields: &Map<String, Value>, name: &str) -> Result<Vec<f64>> {
    let list = fields.get(name).and_then(Value::as_array);
    let list = list.ok_or_else(|| wrong(&format!("expected a list of numbers '{name}'")))?;
    let read: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
    read.filter(|v| v.iter().all(|x| x.is_finite()))
        .ok_or_else(|| wrong(&format!("'{name}' holds something that is not a finite number")))
}

/// The whole number of a field; `None` where the field is missing.
fn count(fields: &Map<String, Value>, name: &str) -> Result<Option<usize>> {
    let Some(value) = fields.get(name) else { return Ok(None) };
    let read = value.as_u64().and_then(|v| usize::try_from(v).ok());
    read.map(Some).ok_or_else(|| wrong(&format!("'{name}' is not a whole number")))
}

/// Indices of the numbers that are not 0.
pub(crate) fn nonzero(numbers: &[f64]) -> Vec<usize> {
    (0..numbers.len()).filter(|m| numbers[*m] != 0.0).collect()
}
