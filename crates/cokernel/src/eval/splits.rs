//! Splits of instances into training and test sets: stratified by class, seeded.
//!
//! k-fold: the instances of each class are shuffled and dealt to the folds in turn; the deal
//! continues from class to class where it stopped, so that fold sizes differ by one at most.
//! Shuffle: of each class round(test · n_class) instances, but at least one and not all, are
//! drawn for the test set. Only the labels, the protocol and the seed decide: neither features
//! nor threads.

use crate::data::{Labels, dealt};
use crate::model::Mkl;
use crate::{Error, Result, Run, brief};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

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
    /// The splits; instances without a label are in none.
    #[serde(skip)]
    pub splits: Vec<Split>,
}

impl Splits {
    /// The same with the validation sets in place of the test sets, if there are some.
    pub fn validating(&self) -> Option<Splits> {
        let there = !self.splits.is_empty() && self.splits.iter().all(|s| !s.validation.is_empty());
        there.then(|| {
            let inner = |s: &Split| Split {
                train: s.train.clone(),
                test: s.validation.clone(),
                validation: Vec::new(),
            };
            Splits { splits: self.splits.iter().map(inner).collect(), ..self.clone() }
        })
    }
}

/// Row numbers of all splits together, at most: half a gigabyte.
const MOST_ROWS: usize = 1 << 26;

impl Protocol {
    /// Splits the instances whose label is known, stratified by class where labels are classes; all
    /// where there are no labels.
    ///
    /// # Errors
    /// A number is out of range, there is one class only, or it has too few instances.
    pub fn split(self, labels: &Labels, seed: u64) -> Result<Splits> {
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
        let (needed, repeats) = self.check()?;
        if names.is_empty() && known.len() < needed {
            return Err(Error::Labels(format!(
                "there are {} instances to learn from, but {self} needs at least {needed}",
                known.len()
            )));
        }
        if let Some(c) = (0..by_class.len()).find(|&c| by_class[c].len() < needed) {
            return Err(Error::Labels(format!(
                "class '{}' has {} labelled instance{}, but {self} needs at least {needed} of \
                 each class; {}",
                names[c],
                by_class[c].len(),
                if by_class[c].len() == 1 { "" } else { "s" },
                match self {
                    Protocol::KFold { .. } if needed > 2 => "use fewer folds or leave it out",
                    _ => "leave it out",
                },
            )));
        }
        let per_repeat = match self {
            Protocol::KFold { folds, .. } => folds,
            Protocol::FiveByTwo => 2,
            Protocol::Shuffle { .. } => 1,
        };
        let rows = known.len().max(1).saturating_mul(per_repeat);
        if repeats.saturating_mul(rows) > MOST_ROWS {
            let problem = format!(
                "expected at most {} for {} instances, found {repeats}: the rows of every split are \
                 kept",
                MOST_ROWS / rows,
                known.len()
            );
            return Err(Error::parameter("repeats", problem));
        }
        let mut rng = Run::with_seed(seed).rng("splits");
        let splits = (0..repeats)
            .flat_map(|_| match self {
                Protocol::KFold { folds, .. } => fold(&by_class, folds, &mut rng),
                Protocol::FiveByTwo => fold(&by_class, 2, &mut rng),
                Protocol::Shuffle { test, .. } => vec![draw(&by_class, test, &mut rng)],
            })
            .collect();
        Ok(Splits { protocol: self, seed, splits })
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
        }
    }
}

fn fold(by_class: &[Vec<usize>], folds: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<Split> {
    let shuffled = by_class.iter().map(|rows| {
        let mut rows = rows.clone();
        rows.shuffle(rng);
        rows
    });
    let tests = dealt(shuffled.flatten(), folds);
    let split = |f: usize| {
        let rest = (0..folds).filter(|&g| g != f).flat_map(|g| tests[g].iter().copied());
        sorted(rest.collect(), tests[f].clone())
    };
    (0..folds).map(split).collect()
}

fn draw(by_class: &[Vec<usize>], test: f64, rng: &mut Xoshiro256PlusPlus) -> Split {
    let (mut train, mut tested) = (Vec::new(), Vec::new());
    for rows in by_class {
        let mut rows = rows.clone();
        rows.shuffle(rng);
        let count = ((test * rows.len() as f64).round() as usize).clamp(1, rows.len() - 1);
        tested.extend_from_slice(&rows[..count]);
        train.extend_from_slice(&rows[count..]);
    }
    sorted(train, tested)
}

fn sorted(mut train: Vec<usize>, mut test: Vec<usize>) -> Split {
    train.sort_unstable();
    test.sort_unstable();
    Split { train, test, validation: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Classes of 13, 8 and 5 instances, every seventh label missing.
    fn labels() -> Labels {
        let texts: Vec<String> = (0..30)
            .map(|i| match i {
                i if i % 7 == 6 => String::new(),
                i if i % 6 < 3 => "a".into(),
                i if i % 6 < 5 => "b".into(),
                _ => "c".into(),
            })
            .collect();
        Labels::from_texts(&texts)
    }

    #[test]
    fn folds_partition_the_labelled_rows_and_keep_the_classes() {
        let labels = labels();
        let splits = Protocol::KFold { folds: 3, repeats: 2 }.split(&labels, 5).unwrap().splits;
        assert_eq!(splits.len(), 6);
        let known: BTreeSet<usize> = labels.known_rows().into_iter().collect();
        for round in splits.chunks(3) {
            let tested: Vec<usize> = round.iter().flat_map(|s| s.test.clone()).collect();
            assert_eq!(tested.len(), known.len());
            assert_eq!(tested.into_iter().collect::<BTreeSet<_>>(), known);
            for s in round {
                let both: BTreeSet<usize> = s.train.iter().chain(&s.test).copied().collect();
                assert_eq!(both, known);
                assert_eq!(s.train.len() + s.test.len(), known.len());
                assert!(s.test.len().abs_diff(known.len() / 3) <= 1);
                for c in 0..3 {
                    let of = |rows: &[usize]| {
                        let picked = labels.select(rows).classes().unwrap();
                        picked.codes.iter().filter(|x| **x == c).count()
                    };
                    assert!(of(&s.test).abs_diff(of(&labels.known_rows()) / 3) <= 1);
                }
            }
        }
        assert_ne!(splits[..3], splits[3..]);
    }

    #[test]
    fn random_splits_are_stratified_and_seeded() {
        let labels = labels();
        let protocol = Protocol::Shuffle { repeats: 4, test: 0.3 };
        let splits = protocol.split(&labels, 1).unwrap();
        assert_eq!(splits, protocol.split(&labels, 1).unwrap());
        assert_ne!(splits.splits, protocol.split(&labels, 2).unwrap().splits);
        for s in &splits.splits {
            let counts = labels.select(&labels.known_rows()).classes().unwrap().counts();
            let tested = labels.select(&s.test).classes().unwrap().counts();
            for (all, part) in counts.iter().zip(&tested) {
                assert_eq!(*part, (0.3 * *all as f64).round() as usize);
            }
            assert!(s.test.iter().all(|i| !s.train.contains(i)));
        }
        assert_eq!(Protocol::FiveByTwo.split(&labels, 0).unwrap().splits.len(), 10);
    }

    #[test]
    fn refusals() {
        let labels = Labels::from_texts(&["a", "a", "a", "b", "b", "b", "b"]);
        let say = |p: Protocol| p.split(&labels, 0).unwrap_err().to_string();
        assert_eq!(
            say(Protocol::KFold { folds: 4, repeats: 1 }),
            "labels: class 'a' has 3 labelled instances, but 4-fold cross-validation needs at \
             least 4 of each class; use fewer folds or leave it out"
        );
        assert_eq!(
            say(Protocol::KFold { folds: 1, repeats: 1 }),
            "parameter 'folds': expected at least 2, found 1"
        );
        assert_eq!(
            say(Protocol::Shuffle { repeats: 1, test: 1.0 }),
            "parameter 'test': expected a fraction between 0 and 1, found 1"
        );
        assert_eq!(
            say(Protocol::Shuffle { repeats: 0, test: 0.5 }),
            "parameter 'repeats': expected at least 1, found 0"
        );
        assert!(Protocol::FiveByTwo.split(&Labels::Absent(1), 0).is_err());
        // Without classes every instance is of one kind.
        let numbers = Labels::Real((0..7).map(|i| (i != 2).then_some(0.5)).collect());
        let folds = Protocol::KFold { folds: 3, repeats: 1 }.split(&numbers, 0).unwrap();
        let mut tested: Vec<usize> = folds.splits.iter().flat_map(|s| s.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, [0, 1, 3, 4, 5, 6]);
        // They were listed until the memory was full.
        let many = 1_000_000_000_000;
        for protocol in [
            Protocol::KFold { folds: 2, repeats: many },
            Protocol::Shuffle { repeats: many, test: 0.5 },
        ] {
            let e = say(protocol);
            assert!(
                e.starts_with("parameter 'repeats': expected at most ") && e.contains("7 inst"),
                "{e}"
            );
        }
    }
}
