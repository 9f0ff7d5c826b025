//! Splits in which groups of instances (a patient, a plate, a speaker) stay together.

use super::{Protocol, Split, Splits, draw::sorted};
use crate::data::Labels;
use crate::{Error, Result, Run};
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A group: its instances, and how many of each class.
struct Group {
    rows: Vec<usize>,
    counts: Vec<usize>,
}

impl Protocol {
    /// As [`split`](Self::split), where instances with the same name in `groups` (one for each instance) are always on
    /// the same side. Large groups are dealt first, each to the fold that it leaves closest to an equal share of every
    /// class.
    ///
    /// # Errors
    /// As [`split`](Self::split); fewer groups than folds; a training or test set without some class, or empty; a fixed
    /// number for each class, which groups cannot keep.
    pub fn split_groups(self, labels: &Labels, groups: &[String], seed: u64) -> Result<Splits> {
        if groups.len() != labels.len() {
            let expected = format!("{}, one for each instance", labels.len());
            return Err(Error::shape("groups", expected, groups.len()));
        }
        if let Some(i) = groups.iter().position(|g| g.trim().is_empty()) {
            return Err(Error::Data(format!(
                "groups: instance {i} has no group; give it one of its own if it belongs to none"
            )));
        }
        let (known, by_class) = match self {
            Protocol::PerClass { .. } => {
                let problem = "expected none for a fixed number of instances of each class, which groups cannot keep";
                return Err(Error::parameter("groups", problem));
            }
            Protocol::Given { .. } => {
                let problem = "expected none for splits that are given";
                return Err(Error::parameter("groups", problem));
            }
            _ => self.strata(labels)?,
        };
        let (_, repeats) = self.check()?;
        let mut class_of = vec![0; labels.len()];
        for (c, rows) in by_class.iter().enumerate() {
            rows.iter().for_each(|&i| class_of[i] = c);
        }
        let mut all: Vec<Group> = Vec::new();
        let mut place = std::collections::HashMap::new();
        for &i in &known {
            let g = *place.entry(groups[i].as_str()).or_insert_with(|| {
                all.push(Group { rows: Vec::new(), counts: vec![0; by_class.len()] });
                all.len() - 1
            });
            all[g].rows.push(i);
            all[g].counts[class_of[i]] += 1;
        }
        let mut rng = Run::with_seed(seed).rng("splits");
        let of_all: Vec<usize> = (0..all.len()).collect();
        let mut splits = Vec::new();
        match self {
            Protocol::KFold { folds, .. } => {
                self.room(known.len(), folds, repeats)?;
                for _ in 0..repeats {
                    splits.extend(whole(&deal(&all, &of_all, &vec![1.0; folds], &mut rng)?, &all));
                }
            }
            Protocol::FiveByTwo => {
                for _ in 0..repeats {
                    splits.extend(whole(&deal(&all, &of_all, &[1.0; 2], &mut rng)?, &all));
                }
            }
            Protocol::Shuffle { test, .. } => {
                self.room(known.len(), 1, repeats)?;
                for _ in 0..repeats {
                    let parts = deal(&all, &of_all, &[1.0 - test, test], &mut rng)?;
                    splits.extend(whole(&parts, &all).into_iter().skip(1));
                }
            }
            Protocol::Reserved { test } => {
                let parts = deal(&all, &of_all, &[1.0 - test, test], &mut rng)?;
                let tested = rows(&parts[1], &all);
                for _ in 0..repeats {
                    for s in whole(&deal(&all, &parts[0], &[1.0; 2], &mut rng)?, &all) {
                        splits.push(Split {
                            train: s.train,
                            validation: s.test,
                            test: tested.clone(),
                        });
                    }
                }
            }
            Protocol::PerClass { .. } | Protocol::Given { .. } => {}
        }
        // A class that is in some groups only may be missing somewhere.
        for (s, split) in splits.iter().enumerate() {
            let lacks = |side: &[usize]| {
                by_class.iter().position(|c| !side.iter().any(|i| c.binary_search(i).is_ok()))
            };
            let sides = [("training", &split.train), ("test", &split.test)];
            if let Some((side, _)) = sides.iter().find(|(_, rows)| lacks(rows).is_some()) {
                return Err(Error::Labels(format!(
                    "the {side} set of split {s} has no instance of some class, because groups stay together; use \
                     fewer folds, or join groups"
                )));
            }
        }
        let made = Splits::made(self, seed, splits, labels);
        Ok(Splits { groups: Some(groups.to_vec()), ..made })
    }
}

/// Groups in parts of these relative sizes: those with most instances of a class first, each to the part in which classes are
/// then furthest below their share; of equal ones the
/// emptiest.
fn deal(
    all: &[Group],
    of: &[usize],
    sizes: &[f64],
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Vec<usize>>> {
    if of.len() < sizes.len() {
        return Err(Error::Labels(format!(
            "there are {} groups, but {} parts to be made of them",
            of.len(),
            sizes.len()
        )));
    }
    let classes = all.first().map_or(0, |g| g.counts.len());
    let mut totals = vec![0.0_f64; classes];
    for &g in of {
        totals.iter_mut().zip(&all[g].counts).for_each(|(t, c)| *t += *c as f64);
    }
    let sum: f64 = sizes.iter().sum();
    let mut order = of.to_vec();
    order.shuffle(rng);
    order.sort_by_key(|&g| std::cmp::Reverse(all[g].counts.iter().max().copied().unwrap_or(0)));
    let (mut parts, mut held) =
        (vec![Vec::new(); sizes.len()], vec![vec![0.0; classes]; sizes.len()]);
    for g in order {
        // Σ_c ((held + group − share) / share)² after, minus before: how much closer to an equal share it gets.
        let gain = |p: usize| -> f64 {
            let of_class = |c: usize| {
                let share = (totals[c] * sizes[p] / sum).max(1e-9);
                let (before, more): (f64, f64) = (held[p][c], all[g].counts[c] as f64);
                ((before + more - share).powi(2) - (before - share).powi(2)) / share
            };
            (0..classes).map(of_class).sum()
        };
        let filled = |p: usize| held[p].iter().sum::<f64>() / sizes[p];
        let better = |a: usize, b: usize| {
            let (x, y) = (gain(a), gain(b));
            x < y || (x == y && filled(a) < filled(b))
        };
        let at = (1..sizes.len()).fold(0, |best, p| if better(p, best) { p } else { best });
        held[at].iter_mut().zip(&all[g].counts).for_each(|(h, c)| *h += *c as f64);
        parts[at].push(g);
    }
    if parts.iter().any(Vec::is_empty) {
        return Err(Error::Labels(
            "groups are too large: some part of the instances would be empty; use fewer folds"
                .to_string(),
        ));
    }
    Ok(parts)
}

fn rows(part: &[usize], all: &[Group]) -> Vec<usize> {
    let mut rows: Vec<usize> = part.iter().flat_map(|g| all[*g].rows.iter().copied()).collect();
    rows.sort_unstable();
    rows
}

/// Each part to test on, the others to learn from.
fn whole(parts: &[Vec<usize>], all: &[Group]) -> Vec<Split> {
    let split = |p: usize| {
        let rest: Vec<usize> =
            (0..parts.len()).filter(|q| *q != p).flat_map(|q| rows(&parts[q], all)).collect();
        sorted(rest, rows(&parts[p], all))
    };
    (0..parts.len()).map(split).collect()
}
