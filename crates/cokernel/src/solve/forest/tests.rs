use super::*;
use crate::{Cancel, Run};

fn data(n: usize, p: usize, seed: u64) -> (Matrix, Vec<bool>) {
    let mut rng = Run::with_seed(seed).rng("forest tests");
    // Some columns of few values, so that there are ties.
    let x = Matrix::from_fn(n, p, |_, j| {
        let v: f64 = rng.random();
        if j % 2 == 1 { (4.0 * v).floor() } else { v }
    });
    let y =
        (0..n).map(|i| x.get(i, 0) + 0.3 * x.get(i, 1) + 0.4 * rng.random::<f64>() > 1.1).collect();
    (x, y)
}

/// One tree on all examples and features.
fn one() -> Settings {
    let (thresholds, draw) = (Thresholds::Best, Draw::All);
    Settings { trees: 1, features: usize::MAX, thresholds, draw, ..Settings::default() }
}

fn grown(x: &Matrix, y: &[bool], settings: &Settings) -> Forest {
    grow(x, y, None, settings, &Run::default().watch()).unwrap()
}

/// Minus the impurity of some examples times their number, by definition.
fn purity(y: &[bool], part: &[usize], criterion: Criterion) -> f64 {
    let n = part.len() as f64;
    let share = part.iter().filter(|i| y[**i]).count() as f64 / n;
    let one = |q: f64| match criterion {
        Criterion::Gini => -q * (1.0 - q),
        Criterion::Information => {
            if q > 0.0 {
                q * q.ln()
            } else {
                0.0
            }
        }
    };
    n * (one(share) + one(1.0 - share))
}

/// The tree by trying every feature and every threshold on the raw values: the leaf of each row of
/// `all`. A split that is as good as another must give the same parts, which data without such ties do.
fn by_trials(
    (x, y): (&Matrix, &[bool]),
    part: &[usize],
    all: &[usize],
    (leaf, criterion): (usize, Criterion),
    out: &mut [f64],
) -> usize {
    let positive = part.iter().filter(|i| y[**i]).count();
    let mut best: Option<(f64, usize, f64)> = None;
    if positive > 0 && positive < part.len() {
        for j in 0..x.cols() {
            for &i in part {
                let cut = x.get(i, j);
                let (left, right): (Vec<usize>, Vec<usize>) =
                    part.iter().partition(|i| x.get(**i, j) <= cut);
                if left.len() < leaf || right.len() < leaf {
                    continue;
                }
                let score = purity(y, &left, criterion) + purity(y, &right, criterion);
                if best.is_none_or(|b| score > b.0 + 1e-9) {
                    // Halfway to the next value of all the examples, as bins are those of all.
                    let above = (0..x.rows()).map(|r| x.get(r, j)).filter(|v| *v > cut);
                    best = Some((score, j, 0.5 * (cut + above.fold(f64::INFINITY, f64::min))));
                }
            }
        }
    }
    let Some((_, j, cut)) = best else {
        all.iter().for_each(|i| out[*i] = positive as f64 / part.len() as f64);
        return 1;
    };
    let mut nodes = 1;
    for below in [true, false] {
        let side = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|i| (x.get(*i, j) <= cut) == below).collect()
        };
        nodes += by_trials((x, y), &side(part), &side(all), (leaf, criterion), out);
    }
    nodes
}

#[test]
fn trees_are_those_of_all_trials() {
    let mut seen = 0;
    for seed in 0..40 {
        for criterion in [Criterion::Gini, Criterion::Information] {
            let leaf = 1 + seed as usize % 3;
            let (x, y) = data(30, 3, seed);
            let all: Vec<usize> = (0..30).collect();
            let mut expected = vec![f64::NAN; 30];
            let nodes = by_trials((&x, &y), &all, &all, (leaf, criterion), &mut expected);
            let forest = grown(&x, &y, &Settings { leaf, criterion, ..one() });
            let found = forest.values(&x).unwrap();
            let same = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6);
            // Equally good splits may give other trees, which are as pure at their root; most have none.
            seen += usize::from(same && forest.nodes() == nodes);
        }
    }
    assert!(seen >= 60, "{seen} of 80 trees are the same");
}

/// The first split alone: no other split of the raw values is better, whatever the ties.
#[test]
fn no_split_is_better_than_the_first_one() {
    for seed in 0..60 {
        for criterion in [Criterion::Gini, Criterion::Information] {
            let (x, y) = data(24, 4, seed);
            let leaf = 9;
            let forest = grown(&x, &y, &Settings { leaf, criterion, ..one() });
            let all: Vec<usize> = (0..24).collect();
            let mut best = f64::NEG_INFINITY;
            for j in 0..4 {
                for i in 0..24 {
                    let (left, right): (Vec<usize>, Vec<usize>) =
                        all.iter().partition(|r| x.get(**r, j) <= x.get(i, j));
                    if left.len() >= leaf && right.len() >= leaf {
                        let score = purity(&y, &left, criterion) + purity(&y, &right, criterion);
                        best = best.max(score);
                    }
                }
            }
            // Two leaves of 9 or more of 24 cannot be split again.
            assert!(forest.nodes() == if best.is_finite() { 3 } else { 1 });
            let values = forest.values(&x).unwrap();
            let (left, right): (Vec<usize>, Vec<usize>) =
                all.iter().partition(|i| values[**i] == values[0]);
            if best.is_finite() && !right.is_empty() {
                let found = purity(&y, &left, criterion) + purity(&y, &right, criterion);
                assert!((found - best).abs() < 1e-9, "seed {seed}: {found} {best}");
            }
        }
    }
}

#[test]
fn leaves_are_means_of_enough_examples() {
    let (x, y) = data(400, 5, 1);
    for thresholds in [Thresholds::Best, Thresholds::Random] {
        for leaf in [1, 7, 150, 250] {
            let forest = grown(&x, &y, &Settings { leaf, thresholds, features: 2, ..one() });
            let values = forest.values(&x).unwrap();
            let mut distinct = values.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            for v in distinct {
                let own: Vec<usize> = (0..400).filter(|i| values[*i] == v).collect();
                let mean = own.iter().filter(|i| y[**i]).count() as f64 / own.len() as f64;
                assert!(own.len() >= leaf && (mean - v).abs() < 1e-6, "{leaf} {v} {mean}");
            }
            assert_eq!(forest.nodes() == 1, leaf == 250);
        }
    }
    // Leaves of one example tell all examples apart where the values of a column differ.
    let (x, y) = data(200, 2, 2);
    let values = grown(&x, &y, &Settings { leaf: 1, ..one() }).values(&x).unwrap();
    assert!(values.iter().zip(&y).all(|(v, y)| *v == f64::from(u8::from(*y))));
}

#[test]
fn threads_and_columns_do_not_matter() {
    let (x, y) = data(300, 6, 3);
    for thresholds in [Thresholds::Best, Thresholds::Random] {
        let settings = Settings { trees: 20, features: 3, thresholds, ..Settings::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| grown(&x, &y, &settings))
        };
        let forest = on(1);
        assert_eq!(forest, on(3));
        let other = grown(&x, &y, &Settings { seed: 1, ..settings.clone() });
        assert_ne!(forest, other);
        let order = [3, 0, 5, 1, 4, 2];
        let moved = x.select_cols(&order);
        let permuted = grown(&moved, &y, &settings);
        assert_eq!(permuted.values(&moved).unwrap(), forest.values(&x).unwrap());
        use crate::rule::Rule;
        let uses: Vec<f64> = order.iter().map(|j| forest.uses()[*j]).collect();
        let close = permuted.uses().iter().zip(&uses).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close && (uses.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The useful columns are the first two.
        assert!(forest.uses()[0] > 0.3 && forest.uses()[2..].iter().all(|u| *u < 0.2));
        // Scaled by a power of two: the same places.
        let scaled = Matrix::from_fn(300, 6, |i, j| 8.0 * x.get(i, j));
        let far = grown(&scaled, &y, &settings);
        assert_eq!(far.values(&scaled).unwrap(), forest.values(&x).unwrap());
    }
}

/// Accuracy on new examples: all options tell the classes apart, and both kinds of leaves.
#[test]
fn options() {
    let ((x, y), (new, truth)) = (data(2000, 6, 4), data(2000, 6, 5));
    let accuracy = |settings: &Settings| {
        let values = grown(&x, &y, settings).values(&new).unwrap();
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        values.iter().zip(&truth).filter(|(v, y)| (**v > 0.5) == **y).count() as f64 / 2000.0
    };
    let plain = Settings { trees: 60, features: 3, ..Settings::default() };
    for thresholds in [Thresholds::Best, Thresholds::Random] {
        for criterion in [Criterion::Gini, Criterion::Information] {
            for leaves in [Leaves::Means, Leaves::Votes] {
                for draw in [Draw::All, Draw::Bootstrap, Draw::Balanced] {
                    let settings =
                        Settings { thresholds, criterion, leaves, draw, ..plain.clone() };
                    let found = accuracy(&settings);
                    assert!(found > 0.84, "{settings:?}: {found}");
                }
            }
        }
    }
    let votes = Settings { trees: 4, leaves: Leaves::Votes, ..plain };
    let values = grown(&x, &y, &votes).values(&new).unwrap();
    assert!(values.iter().all(|v| (8.0 * v).fract() == 0.0));
}

/// With a twentieth of positives, balanced trees put the rare class at half.
#[test]
fn balanced_draws() {
    let y: Vec<bool> = (0..600).map(|i| i % 20 == 0).collect();
    let x = Matrix::from_fn(600, 1, |_, _| 1.0);
    let mean = |draw| {
        let forest = grown(&x, &y, &Settings { draw, ..Settings::default() });
        assert_eq!(forest.nodes(), 500);
        forest.values(&Matrix::from_fn(1, 1, |_, _| 7.0)).unwrap()[0]
    };
    assert!((mean(Draw::Bootstrap) - 0.05).abs() < 0.005);
    assert_eq!(mean(Draw::Balanced), 0.5);
}

/// Positives of weight 3 count three times as much as those of weight 1 beside each other, and nothing beside
/// negatives.
#[test]
fn weighted_draws() {
    let y: Vec<bool> = (0..600).map(|i| i % 2 == 0).collect();
    // All negatives and half of the positives are at 0, the other positives, of weight 3, at 1.
    let x = Matrix::from_fn(600, 1, |i, _| f64::from(u8::from(i % 4 == 0)));
    let weights: Vec<f64> = (0..600).map(|i| if i % 4 == 0 { 3e-9 } else { 1e-9 }).collect();
    let settings = Settings { draw: Draw::Balanced, ..Settings::default() };
    let at_zero = |weights| {
        let forest = grow(&x, &y, weights, &settings, &Run::default().watch()).unwrap();
        forest.values(&Matrix::from_fn(1, 1, |_, _| 0.0)).unwrap()[0]
    };
    // ½ of the mass is negative and at 0, beside ¼ or ⅛ that is positive.
    assert!((at_zero(None) - 1.0 / 3.0).abs() < 0.01, "{}", at_zero(None));
    assert!((at_zero(Some(&weights)) - 0.2).abs() < 0.01, "{}", at_zero(Some(&weights)));
}

#[test]
fn bins_lie_between_values() {
    let (cuts, places) = bins(&[3.0, 1.0, 1.0, 2.0]);
    assert_eq!((cuts, places), (vec![1.5, 2.5], vec![2, 0, 0, 1]));
    assert_eq!(bins(&[5.0; 4]), (vec![], vec![0; 4]));
    let tiny = [1.0_f64, 1.0_f64.next_up()];
    assert_eq!(bins(&tiny), (vec![1.0], vec![0, 1]));
    assert_eq!(bins(&[-f64::MAX, f64::MAX]).0, [0.0]);
    // Equally many in each where all differ; a value that is most of all has a bin of its own.
    let (cuts, places) = bins(&(0..10_240).map(f64::from).collect::<Vec<_>>());
    assert_eq!(cuts.len(), 255);
    assert!((0..=255_u8).all(|b| places.iter().filter(|p| **p == b).count() == 40));
    let heavy: Vec<f64> = (0..5000).map(|i| f64::from(i.max(4000))).collect();
    let (cuts, places) = bins(&heavy);
    assert!(cuts.len() > 40 && cuts[0] == 4000.5);
    assert!(places.iter().zip(&heavy).all(|(p, v)| (*p == 0) == (*v == 4000.0)));
}

#[test]
fn what_cannot_be_grown_is_refused_and_stops_keep_a_tree() {
    let say = |x: &Matrix, y: &[bool], draw| {
        let settings = Settings { draw, ..Settings::default() };
        grow(x, y, None, &settings, &Run::default().watch()).unwrap_err().to_string()
    };
    let (x, y) = data(10, 2, 6);
    let boot = Draw::Bootstrap;
    assert_eq!(say(&x, &y[1..], boot), "classes: expected 10, one per example, found 9");
    assert!(say(&Matrix::zeros(0, 2), &[], boot).contains("expected 1 to 1048576, found 0"));
    assert!(say(&Matrix::zeros(3, 0), &[true; 3], boot).contains("features of a forest"));
    assert!(say(&x, &[true; 10], Draw::Balanced).contains("one class"));
    let mut wrong = x.clone();
    wrong.set(3, 1, f64::NAN);
    let e = say(&wrong, &y, boot);
    assert_eq!(e, "example 3, feature 1: a forest needs finite numbers");
    // One class, one example: leaves.
    for (x, y) in [(&x, vec![true; 10]), (&Matrix::zeros(1, 1), vec![false])] {
        let forest = grown(x, &y, &Settings::default());
        assert_eq!((forest.trees(), forest.nodes()), (500, 500));
        assert!(forest.values(x).unwrap().iter().all(|v| *v == f64::from(u8::from(y[0]))));
    }
    let cancel = Cancel::default();
    cancel.cancel();
    let run = Run { cancel, ..Run::default() };
    assert_eq!(grow(&x, &y, None, &Settings::default(), &run.watch()).unwrap().trees(), 1);
}
