//! The page of all published figures that were re-run: ours, theirs, and how far apart they are.

use super::outcome::{Outcome, RowOutcome};
use super::print::{
    Grid, ORDER, grid_as_markdown, grids, measured_over, order, picked, published, reasons, stat,
    verdicts,
};
use super::score::Score;
use crate::table::count;
use crate::visible::markdown as safe;

/// An experiment of which there is no result, and why.
pub struct Skipped {
    /// The experiment.
    pub id: String,
    /// Why it was not run.
    pub reason: String,
}

/// What scripts found where an experiment file cannot say the experiment; it ends the page of all.
pub const BY_SCRIPT: &str = include_str!("../../../experiments/by_script.md");

/// The whole page, as Markdown: the same bytes for the same version, seeds and data.
pub fn page(results: &[Outcome], skipped: &[Skipped]) -> String {
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
        String::new(),
        "| id | published as | what it is | figures | within reach | published order holds |"
            .to_string(),
        "|---|---|---|---:|---:|---:|".to_string(),
    ];
    for r in results {
        let all: Vec<bool> = against(r).map(|a| a.2.within_reach).collect();
        let within = all.iter().filter(|w| **w).count();
        let holds: usize = r.claims.iter().map(|c| c.holds).sum();
        let of: usize = r.claims.iter().map(|c| c.of).sum();
        let anchor = heading(r).replace(['.', ':'], "").replace(' ', "-").to_lowercase();
        let order = if of > 0 { format!("{holds} of {of}") } else { "–".to_string() };
        let dash = |n: usize| if all.is_empty() { "–".to_string() } else { n.to_string() };
        lines.push(format!(
            "| [{}](#{anchor}) | {} {} | {} | {} | {} | {order} |",
            safe(&heading(r)),
            safe(&r.paper),
            safe(&r.table),
            safe(&r.title),
            dash(all.len()),
            dash(within),
        ));
    }
    for s in skipped {
        lines.push(format!("| {} | | not run: {} | – | – | – |", s.id, safe(&s.reason)));
    }
    for r in results {
        lines.extend(section(r));
    }
    lines.join("\n") + "\n"
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
    if against(result).next().is_none() && result.protocol.learning().is_some() {
        // Without figures to compare with, those of the methods stand beside each other.
        for grid in grids(result).into_iter().filter(|g| g.title != ORDER) {
            lines.extend([String::new(), format!("{}:", grid.title), String::new()]);
            lines.extend(grid_as_markdown(&grid));
        }
    }
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
    lines
}
