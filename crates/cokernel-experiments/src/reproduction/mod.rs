//! The page of all published figures that were re-run: ours, theirs, and how far apart they are.

mod papers;
mod tests_of;

use super::outcome::{Outcome, RowOutcome};
use super::print::{
    Grid, ORDER, grid_as_markdown, grids, measured_over, order, picked, published, reasons, stat,
    verdicts,
};
use super::score::Score;
use crate::table::count;
use crate::visible::markdown as safe;
use anyhow::Result;

/// An experiment of which there is no result, and why.
pub struct Skipped {
    /// The experiment.
    pub id: String,
    /// The source of its figures.
    pub paper: String,
    /// Where they stand there.
    pub table: String,
    /// Why it was not run.
    pub reason: String,
}

/// What scripts found where an experiment file cannot say the experiment; it ends the page of all.
pub const BY_SCRIPT: &str = include_str!("../../../../experiments/by_script.md");

/// The whole page, as Markdown: the same bytes for the same version, seeds and data. `all`: with what scripts found, and
/// what is not to be had.
///
/// # Errors
/// The list of what is not to be had cannot be read.
pub fn page(results: &[Outcome], skipped: &[Skipped], all: bool) -> Result<String> {
    let mut lines = vec![
        "# Published results, re-run".to_string(),
        String::new(),
        "<!-- made by `cokernel reproduce all --page docs/reproduction.md`; do not edit -->"
            .to_string(),
        String::new(),
        "Every figure that the papers print for these experiments, and ours beside it. A \
         difference is counted in the larger of both standard deviations. The verdict is by the \
         reach that the experiment names before it is run, or by two standard deviations; where \
         it is that they differ, the reason follows, as far as one is known. `cokernel reproduce \
         ID` runs one again."
            .to_string(),
    ];
    if all {
        let told = "† by a script in `python/tools`; its section names the command. Statements of a paper in words stand \
                    under \"published order holds\".";
        lines.extend([String::new(), told.to_string()]);
    }
    if results.iter().any(|r| r.quick) {
        let told = "**A quick run**: at most two drawn data sets, one split, 150 instances and three values of each \
                    curve or grid. Its figures say that everything runs; they are not compared with the published ones.";
        lines.extend([String::new(), told.to_string()]);
    }
    lines.extend(papers::tables(results, skipped, all)?);
    for group in results.chunk_by(|a, b| a.id == b.id) {
        group.iter().for_each(|r| lines.extend(section(r)));
        lines.extend(tests_of::over_data(group)?);
    }
    let end = if all { BY_SCRIPT } else { "" };
    Ok(lines.join("\n") + "\n" + end)
}

type Compared<'a> = (&'a RowOutcome, Score, &'a super::score::Against);

/// Every published figure of a result.
fn against(result: &Outcome) -> impl Iterator<Item = Compared<'_>> {
    fn of_row(row: &RowOutcome) -> impl Iterator<Item = Compared<'_>> {
        row.scores.iter().filter_map(move |(s, m)| Some((row, *s, m.against.as_ref()?)))
    }
    result.rows.iter().flat_map(of_row)
}

/// The id, and the data where it has several.
fn heading(result: &Outcome) -> String {
    match &result.data.label {
        None => result.id.clone(),
        Some(label) => format!("{}: {label}", result.id),
    }
}

fn section(result: &Outcome) -> Vec<String> {
    let (data, seed) = (&result.data, result.first_seed);
    let sets = count(data.sets, "data set", "data sets");
    let place = format!("{} {}", result.paper, result.table);
    let over = match result.protocol.learning() {
        None => format!("{sets}, first seed {seed}"),
        Some(_) => measured_over(result),
    };
    let mut lines = vec![
        String::new(),
        format!("## {}", safe(&heading(result))),
        String::new(),
        safe(&format!(
            "{}: {}. {}, views {}; {over}.",
            place.trim(),
            result.title,
            data.source,
            data.views.join(", ")
        )),
    ];
    let rows: Vec<Vec<String>> = against(result)
        .map(|(row, score, a)| {
            let ours = &row.scores[&score].ours;
            let mut cells = vec![row.label.clone()];
            cells.extend(result.sweep.iter().map(|_| row.at.map_or("–".into(), |x| x.to_string())));
            cells.extend([
                score.id().to_string(),
                stat(ours),
                published(&a.theirs),
                format!("{:+.3}", a.difference),
                a.in_sd.map_or("–".to_string(), |z| format!("{z:+.1}")),
                a.verdict(),
            ]);
            cells
        })
        .collect();
    if !rows.is_empty() {
        let mut header = vec!["<row".to_string()];
        header.extend(result.sweep.clone());
        let rest = ["<score", "ours", "theirs", "difference", "in sd", "<verdict"];
        header.extend(rest.map(String::from));
        lines.push(String::new());
        lines.extend(grid_as_markdown(&Grid { title: String::new(), header, rows }));
    }
    if against(result).next().is_none() && (result.protocol.learning().is_some() || result.quick) {
        // Without figures to compare with, those of the methods stand beside each other.
        for grid in grids(result).into_iter().filter(|g| g.title != ORDER) {
            lines.extend([String::new(), format!("{}:", grid.title), String::new()]);
            lines.extend(grid_as_markdown(&grid));
        }
    }
    lines.extend(tests_of::weights(result));
    lines.extend(tests_of::differences(result));
    if let Some(order) = order(result) {
        lines.extend([String::new(), format!("{}:", order.title), String::new()]);
        lines.extend(grid_as_markdown(&order));
    }
    let parts = [
        ("Why figures differ", reasons(result)),
        ("Chosen by its result", picked(result)),
        ("Notes", result.notes.clone()),
    ];
    for (title, sentences) in parts.into_iter().filter(|p| !p.1.is_empty()) {
        lines.extend([String::new(), format!("{title}:"), String::new()]);
        lines.extend(sentences.iter().map(|s| format!("- {}", safe(s))));
    }
    lines.extend([String::new(), format!("{}.", verdicts(result))]);
    if !result.status.is_success() {
        let told =
            format!("**Stopped before the end: {}.** The same command continues.", result.status);
        lines.extend([String::new(), told]);
    }
    lines
}
