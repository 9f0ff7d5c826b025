//! Width rules (A3): how γ is found from the data.
//!
//! A rule turns the pairwise distances of the training instances into one number, which a
//! [`Convention`] turns into γ of exp(−γ d). Above 2,000 instances a sample of 2,000 drawn with
//! the seed of the run stands for all. LMKA §2.1, eq. (2.10).

use super::{Family, Metric};
use crate::bank::{distances, middle_squared};
use crate::data::{Table, View};
use crate::{Error, Result, Run};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Instances above which a width rule looks at a sample.
pub const WIDTH_SAMPLE: usize = 2_000;

/// Values that stand for many when those of a rank are looked for, and how many of them on each side
/// of their own are sure to enclose it: four standard deviations.
const SAMPLE: usize = 8_192;
const MARGIN: usize = 200;

/// Instances whose distances to each other tell about where the middle of all distances lies, and
/// the share of their distances on each side of their middle that nearly always encloses it: four
/// standard deviations for data of no special kind.
const SUBSET: usize = 256;
const SHARE: f64 = 0.1;

/// Which convention a width number follows; everything is converted to γ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// exp(−γ d), the number is γ.
    Gamma,
    /// exp(−d²/2σ²), the number is σ (Gaussian only).
    Sigma,
    /// exp(−d²/s²) for the Gaussian, exp(−d/s) for other distances; the number is s.
    Scale,
    /// exp(−d²/s): as [`Scale`](Self::Scale) for other distances, with the squared distance as the
    /// distance (`exponential:metric=squared_euclidean`).
    SquaredScale,
}

/// A number taken from the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WidthRule {
    /// Median of the pairwise distances.
    Median,
    /// Mean of the pairwise distances.
    Mean,
    /// Mean distance to the nearest other instance, LMKA (2.10).
    MeanNearest,
}

/// Where the widths of a kernel family come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Width {
    /// The convention of the numbers below.
    pub convention: Convention,
    /// A rule that gives the base number, or 1.
    pub rule: Option<WidthRule>,
    /// Factors on the base: one kernel for each. `2^-3..6` becomes ten powers of two.
    pub factors: Vec<f64>,
}

impl Width {
    /// What a family uses when nothing is said: σ = median distance for the Gaussian, s = mean
    /// distance for other distances, nothing for families without a width.
    pub fn default_of(family: Family) -> Self {
        let (convention, rule) = match family {
            Family::Exponential(Metric::SquaredEuclidean) => {
                (Convention::Sigma, Some(WidthRule::Median))
            }
            Family::Exponential(_) => (Convention::Scale, Some(WidthRule::Mean)),
            _ => (Convention::Gamma, None),
        };
        Width { convention, rule, factors: vec![1.0] }
    }

    /// What `exponential` uses when nothing is said: s = mean distance.
    pub(super) fn of_exponential(metric: Metric) -> Self {
        let convention = match metric {
            Metric::SquaredEuclidean => Convention::SquaredScale,
            _ => Convention::Scale,
        };
        Width { convention, rule: Some(WidthRule::Mean), factors: vec![1.0] }
    }
}

/// γ of the width `v`.
pub(super) fn gamma_of(convention: Convention, metric: Metric, v: f64) -> f64 {
    match (convention, metric) {
        (Convention::Gamma, _) => v,
        (Convention::Sigma, _) => 0.5 / (v * v),
        (Convention::Scale, Metric::SquaredEuclidean) => 1.0 / (v * v),
        (Convention::Scale | Convention::SquaredScale, _) => 1.0 / v,
    }
}

/// The number that `rule` takes from a view. Distances are those of the metric, except that
/// for the squared Euclidean metric the distance itself is meant, unless the convention says so.
pub(super) fn base_width(
    view: &View,
    column: Option<usize>,
    (metric, convention): (Metric, Convention),
    rule: WidthRule,
    run: &Run,
    notes: &mut Vec<String>,
) -> Result<f64> {
    let metric = match (metric, convention) {
        (Metric::SquaredEuclidean, Convention::SquaredScale) => Metric::SquaredEuclidean,
        (Metric::SquaredEuclidean, _) => Metric::Euclidean,
        (other, _) => other,
    };
    let n = view.table.rows();
    let place = match column {
        None => format!("view '{}'", view.name),
        Some(c) => format!("view '{}', column {c}", view.name),
    };
    if n < 2 {
        return Err(Error::Data(format!(
            "{place}: a width rule needs at least two instances, found {n}; give the width as a \
             number"
        )));
    }
    let sampled = (n > WIDTH_SAMPLE).then(|| {
        let mut rng = run.rng("kernel width");
        let mut rows: Vec<usize> = (0..n).collect();
        for k in 0..WIDTH_SAMPLE {
            rows.swap(k, rng.random_range(k..n));
        }
        rows.truncate(WIDTH_SAMPLE);
        rows.sort_unstable();
        let note = format!(
            "the widths on view '{}' come from a sample of {WIDTH_SAMPLE} of {n} instances, \
             seed {}",
            view.name, run.seed
        );
        if !notes.contains(&note) {
            notes.push(note);
        }
        let table = view.table.select_rows(&rows);
        if metric == Metric::Given { table.select_cols(&rows) } else { table }
    });
    let table = sampled.as_ref().unwrap_or(&view.table);
    let n = table.rows();
    let (what, value) = match rule {
        WidthRule::Mean => {
            let all = all_distances(table, column, metric);
            ("mean distance", all.iter().sum::<f64>() / all.len() as f64)
        }
        WidthRule::MeanNearest => {
            let mut nearest = vec![f64::INFINITY; n];
            distances(table, column, metric, |i, later| {
                for (j, d) in (i + 1..).zip(later) {
                    nearest[i] = nearest[i].min(*d);
                    nearest[j] = nearest[j].min(*d);
                }
            });
            ("mean distance to the nearest instance", nearest.iter().sum::<f64>() / n as f64)
        }
        WidthRule::Median => {
            // The root changes no order: it is taken at the end.
            let squared = metric == Metric::Euclidean;
            let visited = if squared { Metric::SquaredEuclidean } else { metric };
            let (lower, upper) = middle_of_rows(table, column, visited)
                .or_else(|| middle_in_passing(table, column, visited))
                .unwrap_or_else(|| middle(&mut all_distances(table, column, visited)));
            let root = |d: f64| if squared { d.sqrt() } else { d };
            ("median distance", 0.5 * (root(lower) + root(upper)))
        }
    };
    if !value.is_finite() {
        return Err(Error::Data(format!(
            "{place}: the {what} is not finite; scale the features first"
        )));
    }
    if value <= 0.0
        && let Some(largest) = underflows(table, column)
    {
        return Err(Error::Data(format!(
            "{place}: the {what} between instances is 0, because no feature is larger than \
             {largest:e}, whose square underflows; scale the features first"
        )));
    }
    if value <= 0.0 {
        // The mean is above 0 as soon as two rows differ; then, and only then, it is a way out.
        let differ = rule != WidthRule::Mean
            && all_distances(table, column, metric).iter().any(|d| *d > 0.0);
        let (why, way) = match differ {
            true => (
                "because too many rows are equal, or look so beside extreme values",
                "use the rule 'mean' (sigma=mean)",
            ),
            false => ("because all rows are equal", "use features that differ"),
        };
        return Err(Error::Data(format!(
            "{place}: the {what} between instances is 0, {why}; {way}, give the width as a number \
             (gamma=1), or leave this view out"
        )));
    }
    Ok(value)
}

/// The largest magnitude of a feature, if squares of such features underflow.
fn underflows(table: &Table, column: Option<usize>) -> Option<f64> {
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let found = match (table, column) {
        (Table::Dense(m), Some(c)) => largest(&m.col(c)),
        (Table::Dense(m) | Table::Similarity(m), _) => largest(m.values()),
        (Table::Sparse(m) | Table::Graph(m), _) => largest(m.entries().1),
        (Table::Sequences(_), _) => 0.0,
    };
    (found > 0.0 && found < 1e-150).then_some(found)
}

fn all_distances(table: &Table, column: Option<usize>, metric: Metric) -> Vec<f64> {
    let n = table.rows();
    let mut all = Vec::with_capacity(n * (n - 1) / 2);
    distances(table, column, metric, |_, later| all.extend_from_slice(later));
    all
}

/// Two distances between which the middle of all lies, judged by a few instances; `None` if all are
/// few.
fn around(table: &Table, column: Option<usize>, metric: Metric) -> Option<(f64, f64)> {
    let n = table.rows();
    if n < 4 * SUBSET {
        return None;
    }
    let some: Vec<usize> = (0..SUBSET).map(|k| k * n / SUBSET).collect();
    let mut sample = all_distances(&table.select_rows(&some), column, metric);
    let mut at = |share: f64| {
        let place = (share * sample.len() as f64) as usize;
        *sample.select_nth_unstable_by(place, f64::total_cmp).1
    };
    Some((at(0.5 - SHARE), at(0.5 + SHARE)))
}

/// The two middle squared distances of whole dense rows, most of the work in single precision.
/// `None` if these are not asked for, the instances are few, or the middle lies elsewhere.
fn middle_of_rows(table: &Table, column: Option<usize>, metric: Metric) -> Option<(f64, f64)> {
    if metric != Metric::SquaredEuclidean || column.is_some() {
        return None;
    }
    let (low, high) = around(table, column, metric)?;
    middle_squared(table, low, high)
}

/// The two middle distances, of which only those are kept that the distances of a few instances
/// show to be candidates. `None` if the instances are few, or the middle lies elsewhere.
fn middle_in_passing(table: &Table, column: Option<usize>, metric: Metric) -> Option<(f64, f64)> {
    let (n, (low, high)) = (table.rows(), around(table, column, metric)?);
    let (mut below, mut near) = (0, Vec::new());
    distances(table, column, metric, |_, later| below += between(later, low, high, &mut near));
    let count = n * (n - 1) / 2;
    let (first, last) = ((count - 1) / 2, count / 2);
    (below <= first && last < below + near.len())
        .then(|| of_ranks(&mut near, first - below, last - below))
}

/// The two middle values, or twice the middle one.
fn middle(all: &mut [f64]) -> (f64, f64) {
    of_ranks(all, (all.len() - 1) / 2, all.len() / 2)
}

/// The values of two neighbouring ranks, or twice that of one.
fn of_ranks(all: &mut [f64], first: usize, last: usize) -> (f64, f64) {
    // Most values are far away: a sample tells between which two these lie (nearly always), and
    // only what is there is looked at closely.
    if all.len() >= 8 * SAMPLE {
        let mut sample: Vec<f64> = all.iter().copied().step_by(all.len() / SAMPLE).collect();
        sample.sort_unstable_by(f64::total_cmp);
        let place = last / (all.len() / SAMPLE);
        let low = sample[place.saturating_sub(MARGIN)];
        let high = sample[(place + MARGIN).min(sample.len() - 1)];
        let mut near = Vec::new();
        let below = between(all, low, high, &mut near);
        if below <= first && last < below + near.len() {
            return select(&mut near, first - below, last - below);
        }
    }
    select(all, first, last)
}

/// How many values are below `low`; those from `low` to `high` are added to `near`. Every value is
/// written and only some are kept, because branches could not be foreseen.
fn between(all: &[f64], low: f64, high: f64, near: &mut Vec<f64>) -> usize {
    let (mut below, mut buffer) = (0, [0.0; 1024]);
    for chunk in all.chunks(buffer.len()) {
        let mut kept = 0;
        for v in chunk {
            below += usize::from(*v < low);
            buffer[kept] = *v;
            kept += usize::from(*v >= low && *v <= high);
        }
        near.extend_from_slice(&buffer[..kept]);
    }
    below
}

/// The values of two neighbouring ranks.
fn select(all: &mut [f64], first: usize, last: usize) -> (f64, f64) {
    let (below, upper, _) = all.select_nth_unstable_by(last, f64::total_cmp);
    let upper = *upper;
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (if first == last { upper } else { lower }, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn line() -> View {
        // Distances 1, 3, 2 | 7, 6, 4 between 0, 1, 3, 7.
        let table = Table::Dense(Matrix::new(4, 1, vec![0.0, 1.0, 3.0, 7.0]).unwrap());
        View { name: "a".into(), table, columns: None, present: None }
    }

    #[test]
    fn rules_by_hand() {
        let width = |rule| {
            let gaussian = (Metric::SquaredEuclidean, Convention::Sigma);
            base_width(&line(), None, gaussian, rule, &Run::default(), &mut Vec::new()).unwrap()
        };
        assert_eq!(width(WidthRule::Median), 3.5);
        assert!((width(WidthRule::Mean) - 23.0 / 6.0).abs() < 1e-14);
        assert_eq!(width(WidthRule::MeanNearest), (1.0 + 1.0 + 2.0 + 4.0) / 4.0);
        assert_eq!(middle(&mut [3.0, 1.0, 2.0]), (2.0, 2.0));
        assert_eq!(middle(&mut [4.0, 1.0]), (1.0, 4.0));
        assert_eq!(middle(&mut [4.0]), (4.0, 4.0));
        // Long lists: mixed, in order, of few different values, and such that the sample misleads.
        for n in [8 * SAMPLE, 8 * SAMPLE + 1, 200_003] {
            let step = n / SAMPLE;
            let lists: [fn(usize, usize) -> f64; 4] = [
                |i, _| (i as f64 * 0.7).sin(),
                |i, _| i as f64,
                |i, _| (i % 3) as f64,
                |i, step| if i % step == 0 { -1.0 } else { i as f64 },
            ];
            for list in lists {
                let mut all: Vec<f64> = (0..n).map(|i| list(i, step)).collect();
                let found = middle(&mut all);
                all.sort_unstable_by(f64::total_cmp);
                assert_eq!(found, (all[(n - 1) / 2], all[n / 2]));
            }
        }
        assert_eq!(gamma_of(Convention::Sigma, Metric::SquaredEuclidean, 2.0), 0.125);
        assert_eq!(gamma_of(Convention::Scale, Metric::SquaredEuclidean, 2.0), 0.25);
        assert_eq!(gamma_of(Convention::Scale, Metric::Manhattan, 2.0), 0.5);
    }

    /// In passing or not, the median is the same number; where instances in regular distance are
    /// special, the middle lies elsewhere.
    #[test]
    fn medians_in_passing() {
        let n = 4 * SUBSET + 37;
        let table = |f: &dyn Fn(usize, usize) -> f64| Table::Dense(Matrix::from_fn(n, 3, f));
        let metric = Metric::SquaredEuclidean;
        for (column, metric) in [(None, metric), (Some(1), metric), (None, Metric::Manhattan)] {
            let smooth = table(&|i, j| ((i * (j + 2)) as f64 * 0.7).sin() + (i / 300) as f64);
            let found = middle_in_passing(&smooth, column, metric);
            let mut all = all_distances(&smooth, column, metric);
            all.sort_unstable_by(f64::total_cmp);
            assert_eq!(found, Some((all[(all.len() - 1) / 2], all[all.len() / 2])));
            let rough = middle_of_rows(&smooth, column, metric);
            assert_eq!(rough.is_some(), column.is_none() && metric == Metric::SquaredEuclidean);
            for ((a, b), (c, d)) in rough.into_iter().zip(found) {
                assert!((a / c - 1.0).abs() < 1e-12 && (b / d - 1.0).abs() < 1e-12);
            }
        }
        let special = |i: usize| (0..SUBSET).any(|k| k * n / SUBSET == i);
        let uneven = table(&|i, _| if special(i) { 0.0 } else { i as f64 });
        assert_eq!(middle_in_passing(&uneven, None, metric), None);
        assert_eq!(middle_of_rows(&uneven, None, metric), None);
        let few = Table::Dense(Matrix::from_fn(SUBSET, 3, |i, _| i as f64));
        assert_eq!(middle_in_passing(&few, None, metric), None);
    }

    #[test]
    fn large_views_are_sampled_with_the_seed_and_say_so() {
        let table = Table::Dense(Matrix::from_fn(2_500, 2, |i, j| ((i * 7 + j) % 101) as f64));
        let view = View { name: "big".into(), table, columns: None, present: None };
        let of = |seed| {
            let mut notes = Vec::new();
            let run = Run::with_seed(seed);
            let (m, r) = ((Metric::Manhattan, Convention::Scale), WidthRule::Mean);
            let v = base_width(&view, None, m, r, &run, &mut notes).unwrap();
            base_width(&view, None, m, r, &run, &mut notes).unwrap();
            (v, notes)
        };
        let (a, notes) = of(3);
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("2000 of 2500 instances, seed 3"), "{}", notes[0]);
        assert_eq!(a, of(3).0);
        assert_ne!(a, of(4).0);
    }
}
