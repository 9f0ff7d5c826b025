//! Splits of instances into training and test sets: stratified by class, seeded.
//!
//! k-fold: the instances of each class are shuffled and dealt to the folds in turn; the deal
//! continues from class to class where it stopped, so that fold sizes differ by one at most.
//! Shuffle: of each class round(test · n_class) instances, but at least one and not all, are
//! drawn for the test set. Groups of instances that stay together are dealt as wholes, so that classes are kept as
//! far as the groups allow. Only the labels, the protocol and the seed decide: neither features nor threads.
//!
//! Splits know of which labels they were made. They are saved, read ([`Splits::save`], [`Splits::load`]) and shown without these,
//! and compared with labels where they are used ([`Splits::check`]).

use crate::data::Labels;
use crate::machine::learn_unlabelled;
use crate::model::Mkl;
use crate::{Error, Result, Run, brief};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

mod draw;
mod file;
mod groups;

use draw::{draw, fold, per_class, reserved};
use file::Origin;

/// How instances are split.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Protocol {
    /// Stratified k-fold: every instance is tested once in each repetition.
    KFold {
        /// k ≥ 2.
        folds: usize,
        /// Repetitions with new folds.
        repeats: usize,
    },
    /// Stratified random test sets, drawn anew each time.
    Shuffle {
        /// How many splits.
        repeats: usize,
        /// Fraction of each class to test on, 0 < test < 1.
        test: f64,
    },
    /// Five repetitions of stratified 2-fold, for the 5 × 2 cv test.
    FiveByTwo,
    /// A stratified test set, drawn once, and five repetitions of stratified 2-fold of the rest: one half to learn from,
    /// the other to choose parameters on (LMKA §5.1).
    Reserved {
        /// Fraction of each class to test on, 0 < test < 1.
        test: f64,
    },
    /// The same number of instances of each class to learn from, all others to test on.
    PerClass {
        /// Instances of each class to learn from, at least 1.
        train: usize,
        /// How many splits.
        repeats: usize,
    },
    /// Splits that somebody else made.
    Given {
        /// How many splits.
        splits: usize,
    },
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protocol::KFold { folds, repeats: 1 } => write!(f, "{folds}-fold cross-validation"),
            Protocol::KFold { folds, repeats } => {
                write!(f, "{repeats} × {folds}-fold cross-validation")
            }
            Protocol::Shuffle { repeats, test } => {
                let s = if *repeats == 1 { "split" } else { "splits" };
                write!(f, "{repeats} random {s}, {:.0} % for testing", 100.0 * test)
            }
            Protocol::FiveByTwo => f.write_str("5 × 2-fold cross-validation"),
            Protocol::Reserved { test } => {
                write!(f, "5 × 2-fold cross-validation beside {:.0} % for testing", 100.0 * test)
            }
            Protocol::PerClass { train, repeats } => {
                let s = if *repeats == 1 { "split" } else { "splits" };
                write!(f, "{repeats} random {s}, {train} of each class to learn from")
            }
            Protocol::Given { splits } => {
                write!(f, "{splits} given {}", if *splits == 1 { "split" } else { "splits" })
            }
        }
    }
}

/// Row indices of one split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Instances to learn from, increasing.
    pub train: Vec<usize>,
    /// Instances to test on, increasing.
    pub test: Vec<usize>,
    /// Instances to choose parameters on, increasing; none in most protocols.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation: Vec<usize>,
}

impl Split {
    /// With the validation set in place of the test set, if there is one.
    pub fn validating(&self) -> Option<Split> {
        let (train, test) = (self.train.clone(), self.validation.clone());
        (!test.is_empty()).then_some(Split { train, test, validation: Vec::new() })
    }

    /// With the instances without a label among those that are learned from, if the machine uses them.
    ///
    /// # Errors
    /// Wrong parameters of the machine.
    pub fn learned_from(&self, mkl: &Mkl, labels: &Labels) -> Result<Cow<'_, Split>> {
        if !mkl.uses_unlabelled()? {
            return Ok(Cow::Borrowed(self));
        }
        let mut is_known = vec![false; labels.len()];
        labels.known_rows().into_iter().for_each(|i| is_known[i] = true);
        let mut train = self.train.clone();
        train.extend((0..labels.len()).filter(|i| !is_known[*i]));
        train.sort_unstable();
        Ok(Cow::Owned(Split { train, ..self.clone() }))
    }
}

/// All splits of a protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Splits {
    /// How they were made.
    #[serde(flatten)]
    pub protocol: Protocol,
    /// With which seed.
    pub seed: u64,
    /// What they are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Test instances are among those that are learned from, without their labels: for machines that learn from such.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub transductive: bool,
    /// The group of each instance, where groups stay together.
    #[serde(skip)]
    pub groups: Option<Vec<String>>,
    /// The splits; instances without a label are in none.
    #[serde(skip)]
    pub splits: Vec<Split>,
    /// Of what they were made.
    #[serde(skip)]
    of: Origin,
}

impl Splits {
    fn made(protocol: Protocol, seed: u64, splits: Vec<Split>, labels: &Labels) -> Self {
        let of = Origin::of(labels);
        Splits { protocol, seed, name: None, transductive: false, groups: None, splits, of }
    }

    /// How they were made, in words: `5-fold cross-validation, groups stay together`.
    pub fn how(&self) -> String {
        let mut text = self.protocol.to_string();
        if self.groups.is_some() {
            text.push_str(", groups stay together");
        }
        if self.transductive {
            text.push_str(", transductive");
        }
        text
    }

    /// The number of instances that they were made of.
    pub fn instances(&self) -> usize {
        self.of.instances
    }

    /// The same with the validation sets in place of the test sets, if there are some and no instance that is tested on is
    /// learned from or validated on in any split: one choice of parameters then serves all splits.
    pub fn validating(&self) -> Option<Splits> {
        let inner: Option<Vec<Split>> = self.splits.iter().map(Split::validating).collect();
        let tested: HashSet<usize> =
            self.splits.iter().flat_map(|s| s.test.iter().copied()).collect();
        let apart = |s: &Split| s.train.iter().chain(&s.validation).all(|i| !tested.contains(i));
        let splits = inner.filter(|i| !i.is_empty() && self.splits.iter().all(apart))?;
        Some(Splits { splits, ..self.clone() })
    }

    /// The labels as the training on a split sees them: those of its test instances are not there, if the splits are
    /// transductive.
    ///
    /// # Errors
    /// Test instances are to be learned from, which the machine does not; those that do are listed.
    pub fn seen<'l>(
        &self,
        mkl: &Mkl,
        labels: &'l Labels,
        split: &Split,
    ) -> Result<Cow<'l, Labels>> {
        if !self.transductive {
            return Ok(Cow::Borrowed(labels));
        }
        if !mkl.uses_unlabelled()? {
            let problem = format!(
                "machine '{}' does not learn from instances without a label; transductive splits are for {}",
                mkl.machine_spec().method().id,
                learn_unlabelled().join(", ")
            );
            return Err(Error::parameter("transductive", problem));
        }
        Ok(Cow::Owned(labels.without(&split.test)))
    }

    /// The groups of these instances, where groups stay together.
    pub(crate) fn groups_of(&self, rows: &[usize]) -> Option<Vec<String>> {
        let groups = self.groups.as_ref()?;
        Some(rows.iter().map(|i| groups[*i].clone()).collect())
    }

    /// One of these splits alone.
    pub(crate) fn alone(&self, split: Split) -> Splits {
        Splits { splits: vec![split], ..self.clone() }
    }
}

/// Row numbers of all splits together, at most: half a gigabyte.
const MOST_ROWS: usize = 1 << 26;

impl Protocol {
    /// Number of splits that it makes.
    pub fn splits(self) -> usize {
        match self {
            Protocol::KFold { folds, repeats } => folds.saturating_mul(repeats),
            Protocol::Shuffle { repeats, .. } | Protocol::PerClass { repeats, .. } => repeats,
            Protocol::FiveByTwo | Protocol::Reserved { .. } => 10,
            Protocol::Given { splits } => splits,
        }
    }

    /// Splits the instances whose label is known, stratified by class where labels are classes; all
    /// where there are no labels.
    ///
    /// # Errors
    /// A number is out of range, there is one class only, or it has too few instances.
    pub fn split(self, labels: &Labels, seed: u64) -> Result<Splits> {
        if let Protocol::Given { .. } = self {
            let problem =
                "expected a protocol that draws; given splits come from Splits::given or a file";
            return Err(Error::parameter("protocol", problem));
        }
        let (known, by_class) = self.strata(labels)?;
        let (_, repeats) = self.check()?;
        let per_repeat = match self {
            Protocol::KFold { folds, .. } => folds,
            Protocol::FiveByTwo => 2,
            Protocol::Shuffle { .. } | Protocol::PerClass { .. } => 1,
            Protocol::Reserved { .. } => 2,
            Protocol::Given { .. } => 0,
        };
        self.room(known.len(), per_repeat, repeats)?;
        let mut rng = Run::with_seed(seed).rng("splits");
        let splits = (0..repeats)
            .flat_map(|r| match self {
                Protocol::KFold { folds, .. } => fold(&by_class, folds, &mut rng),
                Protocol::FiveByTwo => fold(&by_class, 2, &mut rng),
                Protocol::Shuffle { test, .. } => vec![draw(&by_class, test, &mut rng)],
                Protocol::PerClass { train, .. } => vec![per_class(&by_class, train, &mut rng)],
                Protocol::Reserved { test } if r == 0 => reserved(&by_class, test, &mut rng),
                Protocol::Reserved { .. } | Protocol::Given { .. } => Vec::new(),
            })
            .collect();
        Ok(Splits::made(self, seed, splits, labels))
    }

    /// The instances whose label is known, and those of each class (all of them where labels are no classes).
    fn strata(self, labels: &Labels) -> Result<(Vec<usize>, Vec<Vec<usize>>)> {
        let known = match labels {
            Labels::Absent(n) => (0..*n).collect(),
            _ => labels.known_rows(),
        };
        let (mut names, mut by_class) = (Vec::new(), vec![known.clone()]);
        if let Labels::Classes { .. } = labels {
            let classes = labels.select(&known).classes()?;
            by_class = vec![Vec::new(); classes.n_classes()];
            for (&row, &code) in known.iter().zip(&classes.codes) {
                by_class[code as usize].push(row);
            }
            names = classes.names;
        }
        let (needed, _) = self.check()?;
        if names.is_empty() && known.len() < needed {
            return Err(Error::Labels(format!(
                "there are {} instances to learn from, but {self} needs at least {needed}",
                known.len()
            )));
        }
        if let Some(c) = (0..by_class.len()).find(|&c| by_class[c].len() < needed) {
            let fewer = match self {
                Protocol::KFold { .. } if needed > 2 => Some("use fewer folds"),
                Protocol::PerClass { .. } => Some("use fewer of each class"),
                _ => None,
            };
            // Without the small classes there have to be two.
            let leave = by_class.iter().filter(|rows| rows.len() >= needed).count() >= 2;
            let leave = (leave || fewer.is_none()).then_some("leave this class out");
            let way = fewer.into_iter().chain(leave).collect::<Vec<_>>().join(", or ");
            return Err(Error::Labels(format!(
                "class '{}' has {} labelled instance{}, but {self} needs at least {needed} of \
                 each class; {way}",
                names[c],
                by_class[c].len(),
                if by_class[c].len() == 1 { "" } else { "s" },
            )));
        }
        Ok((known, by_class))
    }

    /// Refuses splits whose rows would fill the memory.
    fn room(self, known: usize, per_repeat: usize, repeats: usize) -> Result<()> {
        let rows = known.max(1).saturating_mul(per_repeat.max(1));
        if repeats.saturating_mul(rows) > MOST_ROWS {
            let problem = format!(
                "expected at most {} for {known} instances, found {repeats}: the rows of every split are \
                 kept",
                MOST_ROWS / rows
            );
            return Err(Error::parameter("repeats", problem));
        }
        Ok(())
    }

    /// Instances needed of each class, and the number of repetitions.
    fn check(self) -> Result<(usize, usize)> {
        let at_least = |name: &str, least: usize, found: usize| {
            if found < least {
                let problem = format!("expected at least {least}, found {found}");
                return Err(Error::parameter(name, problem));
            }
            Ok(())
        };
        match self {
            Protocol::KFold { folds, repeats } => {
                at_least("folds", 2, folds)?;
                at_least("repeats", 1, repeats)?;
                Ok((folds, repeats))
            }
            Protocol::Shuffle { repeats, test } => {
                at_least("repeats", 1, repeats)?;
                if !(test > 0.0 && test < 1.0) {
                    let problem =
                        format!("expected a fraction between 0 and 1, found {}", brief(test));
                    return Err(Error::parameter("test", problem));
                }
                Ok((2, repeats))
            }
            Protocol::FiveByTwo => Ok((2, 5)),
            Protocol::Reserved { test } => {
                if !(test > 0.0 && test < 1.0) {
                    let problem =
                        format!("expected a fraction between 0 and 1, found {}", brief(test));
                    return Err(Error::parameter("test", problem));
                }
                // One to test on, one in each half of the rest.
                Ok((3, 5))
            }
            Protocol::PerClass { train, repeats } => {
                at_least("per_class", 1, train)?;
                at_least("repeats", 1, repeats)?;
                Ok((train.saturating_add(1), repeats))
            }
            Protocol::Given { .. } => Ok((1, 1)),
        }
    }
}

#[cfg(test)]
mod tests;
