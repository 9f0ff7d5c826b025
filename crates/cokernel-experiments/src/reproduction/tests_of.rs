//! Parts of a section beside the scores: weights, 5×2 cv F tests, and what these say over several data sets.

use crate::outcome::{Difference, Outcome};
use crate::print::{Grid, grid_as_markdown};
use crate::score::Score;
use anyhow::Result;
use cokernel::eval::significance::wilcoxon;

/// Weights that were printed add up to 1 but for so much, or were not divided by their sum.
const ROUNDING: f64 = 0.02;

fn titled(title: &str, grid: &Grid) -> Vec<String> {
    let mut lines = vec![String::new(), title.to_string(), String::new()];
    lines.extend(grid_as_markdown(grid));
    lines
}

/// Weights of the kernels beside those that are published.
pub fn weights(result: &Outcome) -> Vec<String> {
    let mut rows = Vec::new();
    let mut names = Vec::new();
    for row in &result.rows {
        let Some(theirs) = &row.published_weights else { continue };
        let sum: f64 = row.weights.iter().map(|w| w.1).sum();
        let unit = (theirs.iter().sum::<f64>() - 1.0).abs() < ROUNDING && sum > 0.0;
        let line = |who: &str, values: &mut dyn Iterator<Item = f64>| {
            let cells = [row.label.clone(), who.to_string()].into_iter();
            cells.chain(values.map(|w| format!("{w:.2}"))).collect::<Vec<_>>()
        };
        let ours = row.weights.iter().map(|w| if unit { w.1 / sum } else { w.1 });
        rows.push(line("ours", &mut ours.into_iter()));
        rows.push(line("theirs", &mut theirs.iter().copied()));
        names = row.weights.iter().map(|w| w.0.clone()).collect();
    }
    if rows.is_empty() || names.is_empty() {
        return Vec::new();
    }
    let mut header = vec!["<row".to_string(), "<".to_string()];
    header.extend(names);
    titled("Mean weights:", &Grid { title: String::new(), header, rows })
}

/// `better`, `worse`, or `no difference`.
fn said(d: &Difference) -> &'static str {
    match d.better {
        Some(true) => "better",
        Some(false) => "worse",
        None => "no difference",
    }
}

/// The 5×2 cv F tests of a data set.
pub fn differences(result: &Outcome) -> Vec<String> {
    let line = |d: &Difference| {
        vec![
            d.row.clone(),
            d.baseline.clone(),
            d.score.id().to_string(),
            format!("{:+.3}", d.mean),
            format!("{:.3}", d.p),
            said(d).to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = result.differences.iter().map(line).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let header = ["<row", "<against", "<score", "difference", "p", "<5×2 cv F test"];
    let header = header.map(String::from).to_vec();
    titled("Tests:", &Grid { title: String::new(), header, rows })
}

/// Wins, ties and losses over the data sets of an experiment, as papers count them.
///
/// # Errors
/// None with finite differences.
pub fn over_data(results: &[Outcome]) -> Result<Vec<String>> {
    let [first, _, ..] = results else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for one in &first.differences {
        let same = |d: &&Difference| d.row == one.row && d.score == one.score;
        let all: Vec<&Difference> =
            results.iter().filter_map(|r| r.differences.iter().find(same)).collect();
        let apart: Vec<f64> = all.iter().map(|d| d.mean).collect();
        let by_test = counted(all.iter().map(|d| d.better));
        let by_mean = counted(apart.iter().map(|d| direct(one.score, *d)));
        let p = match apart.iter().any(|d| *d != 0.0) {
            true => wilcoxon(&apart)?.p,
            false => 1.0,
        };
        let score = one.score.id().to_string();
        rows.push(vec![
            one.row.clone(),
            one.baseline.clone(),
            score,
            by_test,
            by_mean,
            format!("{p:.3}"),
        ]);
    }
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let header = ["<row", "<against", "<score", "by the F test", "by means", "p of signed ranks"];
    let header = header.map(String::from).to_vec();
    let title =
        format!("Wins, ties and losses over the {} data sets of {}:", results.len(), first.id);
    Ok(titled(&title, &Grid { title: String::new(), header, rows }))
}

/// Which of two means is better; equal in four digits, none is.
fn direct(score: Score, apart: f64) -> Option<bool> {
    (apart.abs() >= 5e-5).then(|| score.better(apart, 0.0))
}

fn counted(better: impl Iterator<Item = Option<bool>>) -> String {
    let (mut wins, mut ties, mut losses) = (0, 0, 0);
    for b in better {
        match b {
            Some(true) => wins += 1,
            Some(false) => losses += 1,
            None => ties += 1,
        }
    }
    format!("{wins}-{ties}-{losses}")
}
