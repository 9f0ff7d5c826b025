//! From cells to tables: which variant a row picks, and what all its data sets and splits give.

use super::cells::Cell;
use super::measured::Measured;
use super::outcome::{self, DataFound, GivenSplits, Outcome, Picked};
use super::plan::{Experiment, Pick};
use cokernel::eval::Protocol as SplitProtocol;
use cokernel::{Status, VERSION};
use std::collections::BTreeMap;

/// Cells and what is known of them.
pub struct Done<'a> {
    /// All cells of the experiment.
    pub cells: &'a [Cell],
    /// By index of the cell.
    pub results: &'a BTreeMap<usize, Measured>,
    /// Seed of the first data set.
    pub seed: u64,
}

/// Everything measured of one data set: by row, and index of the value of the sweep; the picked
/// variant of each unit, which is a data set among those drawn, or a split of one.
pub type Measurements = BTreeMap<(usize, Option<usize>), BTreeMap<usize, Picked>>;

/// One data set of an experiment.
pub struct Collected {
    /// What was measured, by row.
    pub measurements: Measurements,
    /// Every variant, picked or not.
    pub variants: Variants,
    /// Means, claims and notes.
    pub outcome: Outcome,
}

/// By row and value, unit and variant.
pub type Variants = BTreeMap<(usize, Option<usize>), BTreeMap<usize, BTreeMap<usize, Measured>>>;

/// One result for each data set that has any.
pub fn collect(
    plan: &Experiment,
    done: &Done<'_>,
    stopped: Option<Status>,
    seconds: f64,
) -> Vec<Collected> {
    let mut all = Vec::new();
    for d in 0..plan.data.len() {
        let mut variants = Variants::new();
        for (i, cell) in done.cells.iter().enumerate().filter(|(_, c)| c.data == d) {
            if let Some(measured) = done.results.get(&i) {
                let unit = cell.set * plan.protocol.splits() + cell.split;
                let of_row = variants.entry((cell.row, cell.at)).or_default();
                of_row.entry(unit).or_default().insert(cell.variant, measured.clone());
            }
        }
        let mut measurements = Measurements::new();
        for (&(row, at), units) in &variants {
            let picked = pick(plan, row, units);
            if !picked.is_empty() {
                measurements.insert((row, at), picked);
            }
        }
        let outcome = outcome_of(plan, d, &measurements, done, stopped, seconds);
        all.push(Collected { measurements, variants, outcome });
    }
    all
}

/// The result of a row on each unit that has all its variants.
fn pick(
    plan: &Experiment,
    row: usize,
    units: &BTreeMap<usize, BTreeMap<usize, Measured>>,
) -> BTreeMap<usize, Picked> {
    let (of_row, by) = (&plan.rows[row], plan.protocol.pick_by);
    let complete = units.iter().filter(|(_, v)| v.len() == of_row.variants.len());
    let best = |values: Vec<(usize, f64)>| {
        let better = |a: (usize, f64), b: (usize, f64)| if by.better(b.1, a.1) { b } else { a };
        values.into_iter().reduce(better).map_or(0, |v| v.0)
    };
    let mean = |m: &Measured| outcome::mean(m, by);
    // Learning: one variant for all splits; also by validation sets, which belong to one test set. Clustering: one for each
    // data set.
    let learning = plan.protocol.learning();
    let reserved = matches!(learning.map(|l| l.splits), Some(SplitProtocol::Reserved { .. }));
    let overall = match of_row.pick {
        Pick::Best => learning.is_some(),
        Pick::Inner => reserved,
        Pick::Only => false,
    };
    let overall = overall.then(|| {
        let value = |m: &Measured| match of_row.pick {
            Pick::Inner => m.inner.unwrap_or(f64::NEG_INFINITY),
            _ => mean(m),
        };
        let mut sums = vec![0.0; of_row.variants.len()];
        complete.clone().flat_map(|u| u.1).for_each(|(v, m)| sums[*v] += value(m));
        best(sums.into_iter().enumerate().collect())
    });
    let one = |(&unit, tried): (&usize, &BTreeMap<usize, Measured>)| {
        let of = |value: &dyn Fn(&Measured) -> f64| {
            best(tried.iter().map(|(v, m)| (*v, value(m))).collect())
        };
        let variant = match (of_row.pick, overall) {
            (Pick::Only, _) => 0,
            (Pick::Best | Pick::Inner, Some(variant)) => variant,
            (Pick::Best, None) => of(&mean),
            (Pick::Inner, None) => of(&|m| m.inner.unwrap_or(f64::NEG_INFINITY)),
        };
        let seconds = tried.values().map(|m| m.seconds).sum();
        let measured = tried.get(&variant)?.clone();
        Some((unit, Picked { variant, seconds, measured }))
    };
    complete.filter_map(one).collect()
}

fn outcome_of(
    plan: &Experiment,
    d: usize,
    all: &Measurements,
    done: &Done<'_>,
    stopped: Option<Status>,
    seconds: f64,
) -> Outcome {
    let values = plan.sweep.as_ref().map_or(&[][..], |s| &s.values);
    let data = &plan.data[d];
    // Values of splits, or of data sets, are each one result; so are starts on the only data set.
    let units = data.sets > 1 || plan.protocol.learning().is_some();
    let row = |(&(r, at), picked): (&(usize, Option<usize>), &BTreeMap<usize, Picked>)| {
        let at = at.map(|i| values[i]);
        let picked: Vec<&Picked> = picked.values().collect();
        outcome::row(&plan.rows[r], at, &picked, (data, &plan.protocol), units)
    };
    let label = (plan.data.len() > 1).then(|| data.label.clone());
    let mut title = match &label {
        None => plan.title.clone(),
        Some(label) => format!("{}: {label}", plan.title),
    };
    if plan.quick {
        title.push_str(" (shortened)");
    }
    let first = all.values().flat_map(|units| units.values()).next();
    let (n, views) = first.map_or((0, Vec::new()), |p| {
        (p.measured.details.instances, p.measured.details.views.clone())
    });
    Outcome {
        id: plan.id.clone(),
        title,
        paper: plan.paper.clone(),
        table: plan.table.clone(),
        data: DataFound {
            label,
            source: data.source.describe(),
            n,
            views,
            sets: data.sets,
            splits: data.given.as_ref().map(GivenSplits::of),
        },
        protocol: plan.protocol.clone(),
        first_seed: done.seed,
        seeds: data.sets,
        library_version: VERSION.to_string(),
        quick: plan.quick,
        status: stopped.unwrap_or(Status::Converged),
        seconds,
        sweep: plan.sweep.as_ref().map(|s| s.label.clone()),
        rows: all.iter().map(row).collect(),
        claims: plan.claims.iter().flat_map(|c| outcome::claim(c, plan, all)).collect(),
        differences: outcome::differences(plan, all),
        notes: plan.notes.clone(),
        reason: plan.reason.clone(),
    }
}
