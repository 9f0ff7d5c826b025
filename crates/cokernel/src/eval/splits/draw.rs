//! Stratified draws.

use super::Split;
use crate::data::dealt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// k folds of the rows of each class.
pub(super) fn fold(
    by_class: &[Vec<usize>],
    folds: usize,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Split> {
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

/// A test set of this fraction of each class.
pub(super) fn draw(by_class: &[Vec<usize>], test: f64, rng: &mut Xoshiro256PlusPlus) -> Split {
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

pub(super) fn sorted(mut train: Vec<usize>, mut test: Vec<usize>) -> Split {
    train.sort_unstable();
    test.sort_unstable();
    Split { train, test, validation: Vec::new() }
}

/// `train` of each class to learn from, all others to test on.
pub(super) fn per_class(
    by_class: &[Vec<usize>],
    train: usize,
    rng: &mut Xoshiro256PlusPlus,
) -> Split {
    let (mut learned, mut tested) = (Vec::new(), Vec::new());
    for rows in by_class {
        let mut rows = rows.clone();
        rows.shuffle(rng);
        learned.extend_from_slice(&rows[..train]);
        tested.extend_from_slice(&rows[train..]);
    }
    sorted(learned, tested)
}

/// One stratified test set, and five times two folds of the rest: one to learn from, the other to choose parameters on.
pub(super) fn reserved(
    by_class: &[Vec<usize>],
    test: f64,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Split> {
    let outer = draw(by_class, test, rng);
    let mut kept = vec![false; outer.train.iter().chain(&outer.test).max().map_or(0, |m| m + 1)];
    outer.train.iter().for_each(|&i| kept[i] = true);
    let rest = |rows: &Vec<usize>| rows.iter().copied().filter(|i| kept[*i]).collect();
    let rest: Vec<Vec<usize>> = by_class.iter().map(rest).collect();
    let inner = (0..5).flat_map(|_| fold(&rest, 2, rng)).collect::<Vec<Split>>();
    let with_test =
        |s: Split| Split { train: s.train, validation: s.test, test: outer.test.clone() };
    inner.into_iter().map(with_test).collect()
}
