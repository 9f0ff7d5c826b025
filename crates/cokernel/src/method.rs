//! The form of a registry entry: what a method is called, where it comes from, which parameters it has
//! ([`Method`]), and how it is built ([`Entry`]). Knows no room; [`mkl`](crate::mkl) and
//! [`multiview`](crate::multiview) have registries of this form, and the [`catalogue`](crate::catalogue)
//! lists both. The command line, the README table, the documentation and the contract tests are made
//! from them.

use crate::params::{Param, Params, Value};
use crate::{Error, Result};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// What a method can be asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Binary and multi-class classification.
    Classify,
    /// Regression on real numbers.
    Regress,
    /// Which instances are unlike the others.
    Detect,
    /// Clustering and embedding without labels.
    Cluster,
    /// Rows of numbers for pictures and as features, by labels or without; no clusters.
    Embed,
}

impl Task {
    /// All tasks, in the order in which they are listed to users.
    pub const ALL: [Task; 5] =
        [Task::Classify, Task::Regress, Task::Detect, Task::Cluster, Task::Embed];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Task::Classify => "classify",
            Task::Regress => "regress",
            Task::Detect => "detect",
            Task::Cluster => "cluster",
            Task::Embed => "embed",
        }
    }

    /// The task with this name.
    ///
    /// # Errors
    /// No such task.
    pub fn from_id(id: &str) -> Result<Self> {
        let found = Task::ALL.into_iter().find(|t| t.id() == id);
        found.ok_or_else(|| Error::unknown("task", id, Task::ALL.map(Task::id)))
    }
}

/// What a method learns, and so with which others it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Something simple that other methods should beat; every comparison shows it.
    Controls,
    /// A combination in which nothing is learned.
    FixedRules,
    /// Weights from how each kernel does by itself.
    Heuristics,
    /// Weights that make the combination similar to what the labels say.
    Alignment,
    /// Weights and machine in one problem.
    OneStage,
    /// Weights by a criterion of their own, then the machine.
    WeightsFirst,
    /// One embedding or clustering from all views.
    MultiView,
    /// What learns on one combined kernel.
    Machines,
}

impl Group {
    /// All groups, in the order in which they are listed to users.
    pub const ALL: [Group; 8] = [
        Group::Controls,
        Group::FixedRules,
        Group::Heuristics,
        Group::Alignment,
        Group::OneStage,
        Group::WeightsFirst,
        Group::MultiView,
        Group::Machines,
    ];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Group::Controls => "controls",
            Group::FixedRules => "fixed_rules",
            Group::Heuristics => "heuristics",
            Group::Alignment => "alignment",
            Group::OneStage => "one_stage",
            Group::WeightsFirst => "weights_first",
            Group::MultiView => "multi_view",
            Group::Machines => "machines",
        }
    }

    /// What its methods have in common, in a few words.
    pub fn says(self) -> &'static str {
        match self {
            Group::Controls => "something simple that other methods should beat",
            Group::FixedRules => "combinations in which nothing is learned",
            Group::Heuristics => "weights from how each kernel does by itself",
            Group::Alignment => "weights that make the combination similar to the labels",
            Group::OneStage => "weights and machine in one problem",
            Group::WeightsFirst => "weights by a criterion of their own, then the machine",
            Group::MultiView => "one embedding or clustering from all views",
            Group::Machines => "what learns on the combination",
        }
    }

    /// The group with this name, if it is one.
    pub fn from_id(id: &str) -> Option<Self> {
        Group::ALL.into_iter().find(|g| g.id() == id)
    }
}

/// Where a method puts the views together (LMKA §2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Integration {
    /// The features, before any similarity.
    Early,
    /// The kernels.
    Intermediate,
    /// The decisions of machines on single kernels, or a choice among these.
    Late,
}

impl Integration {
    /// All, from the data to the decision.
    pub const ALL: [Integration; 3] =
        [Integration::Early, Integration::Intermediate, Integration::Late];

    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Integration::Early => "early",
            Integration::Intermediate => "intermediate",
            Integration::Late => "late",
        }
    }

    /// The integration with this name, if it is one.
    pub fn from_id(id: &str) -> Option<Self> {
        Integration::ALL.into_iter().find(|i| i.id() == id)
    }
}

/// What the result of a method says of itself, so that it need not be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certificate {
    /// A duality gap: how far from the optimum it is at most.
    Gap,
    /// An objective that never gets worse; the optimum may be another.
    Trace,
    /// A formula or a decomposition: nothing is searched for.
    Formula,
    /// None: it iterates without an objective, or by chance.
    None,
}

impl Certificate {
    /// A few words for people.
    pub fn says(self) -> &'static str {
        match self {
            Certificate::Gap => "duality gap",
            Certificate::Trace => "monotone objective",
            Certificate::Formula => "closed form",
            Certificate::None => "none",
        }
    }
}

/// The set from which a method's kernel weights come; contract tests check it.
#[derive(Clone, Copy)]
pub struct WeightSet {
    /// A word for programs.
    pub id: &'static str,
    /// A few words for people.
    pub says: &'static str,
    /// Whether these weights are of the set, for a method with these parameters.
    pub holds: fn(&[f64], &Params) -> bool,
}

impl WeightSet {
    /// η ≥ 0, Σ η = 1.
    pub const SIMPLEX: WeightSet = WeightSet {
        id: "simplex",
        says: "not negative, with sum 1",
        holds: |w, _| not_negative(w) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-12,
    };
    /// η ≥ 0.
    pub const NON_NEGATIVE: WeightSet = WeightSet {
        id: "non_negative",
        says: "not negative",
        holds: |w, _| not_negative(w) && w.iter().sum::<f64>() > 0.0,
    };
    /// One kernel has weight 1, the others 0.
    pub const ONE: WeightSet = WeightSet {
        id: "one",
        says: "one kernel has weight 1, the others 0",
        holds: |w, _| w.iter().filter(|w| **w == 1.0).count() == 1 && w.iter().sum::<f64>() == 1.0,
    };
    /// The rule is not a weighted sum of the given kernels.
    pub const NONE: WeightSet = WeightSet {
        id: "none",
        says: "no weights: the rule is not a weighted sum",
        holds: |_, _| false,
    };
}

/// Whether no weight is negative.
fn not_negative(weights: &[f64]) -> bool {
    weights.iter().all(|w| *w >= 0.0)
}

impl fmt::Debug for WeightSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for WeightSet {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Serialize for WeightSet {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.id)
    }
}

/// What a registry tells about a method.
#[derive(Clone, Copy)]
pub struct Method {
    /// snake_case: file name, command-line value, Python name.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Papers by author and year, with section and equation.
    pub source: &'static str,
    /// One paragraph: when to use it and what it costs.
    pub summary: &'static str,
    /// What it can be asked to do.
    pub tasks: &'static [Task],
    /// With which methods it is listed.
    pub group: Group,
    /// What its result says of itself.
    pub certificate: Certificate,
    /// Whether comparisons that name no method show it: the methods to try first for its task.
    pub recommended: bool,
    /// From which set its weights come.
    pub weights: WeightSet,
    /// Its parameters.
    pub params: &'static [Param],
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({})", self.id)
    }
}

impl Method {
    /// Whether it is a control: a simple method that every comparison should show.
    pub fn is_control(&self) -> bool {
        self.group == Group::Controls
    }

    /// The parameter with this name, or with this name of an earlier version.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        Param::find(self.params, name)
    }

    /// Checks given values against the table and fills in the defaults.
    ///
    /// # Errors
    /// An unknown name (with a suggestion) or a value outside its range.
    pub fn check<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> Result<Params> {
        Params::checked(self.params, given)
    }

    /// All parameters at their defaults.
    pub fn defaults(&self) -> Params {
        Params::defaults(self.params)
    }
}

/// One line of a registry whose methods are built as a `T`. It derefs to its [`Method`].
pub struct Entry<T: ?Sized> {
    /// What is told about it.
    pub method: &'static Method,
    /// How to build it from checked parameters.
    pub build: fn(&Params) -> Box<T>,
}

impl<T: ?Sized> Deref for Entry<T> {
    type Target = Method;

    fn deref(&self) -> &Method {
        self.method
    }
}

impl<T: ?Sized> Entry<T> {
    /// The entry of a registry with this method, built.
    ///
    /// # Errors
    /// It is none of this registry; `instead` says what the others do.
    pub(crate) fn built(
        registry: &[&Entry<T>],
        method: &Method,
        params: &Params,
        instead: &str,
    ) -> Result<Box<T>> {
        let entry = registry.iter().find(|e| e.id == method.id);
        let built = entry.map(|e| (e.build)(params));
        built.ok_or_else(|| Error::Data(format!("method '{}' {instead}", method.id)))
    }
}
