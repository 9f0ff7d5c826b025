//! A result for people (text, Markdown), for programs (CSV) and as a picture of curves.

use super::outcome::{ClaimOutcome, Outcome, RowOutcome};
use super::plan::{Kind, Pick};
use super::score::{Against, Published, Score};
use crate::files::csv_line;
use crate::table::{Table, count, seconds, thousands, wrap};
use crate::visible::{markdown as safe, markdown_line as line};
use anyhow::Result;
use cokernel::eval::Stat;
use cokernel::multiview::Seeding;
use cokernel_plot::{Mark, Panel};

/// Columns of wrapped sentences.
const COLUMNS: usize = 96;

/// A table before it is written as text or Markdown.
pub struct Grid {
    /// What stands above it.
    pub title: String,
    /// A name that begins with `<` has its column aligned left.
    pub header: Vec<String>,
    /// Cells of the table, row by row.
    pub rows: Vec<Vec<String>>,
}

/// The whole result as text, its tables in lines of `width` characters.
pub fn text(result: &Outcome, width: Option<usize>) -> String {
    with_closing(result, vec![summary(result)], width)
}

/// The whole result as text, the same whenever and wherever it was computed.
pub fn untimed(result: &Outcome, width: Option<usize>) -> String {
    let closing = match has_published(result) {
        true => verdicts(result),
        false => format!("cokernel {}", result.library_version),
    };
    with_closing(result, vec![closing], width)
}

fn with_closing(result: &Outcome, closing: Vec<String>, width: Option<usize>) -> String {
    let mut text = head(result).join("\n") + "\n";
    for grid in grids(result) {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let mut table = Table::new(&header);
        grid.rows.into_iter().for_each(|row| table.row(row));
        text.push_str(&format!("\n{}\n{}", grid.title, table.fitting(width, &[]).0));
    }
    let columns = width.unwrap_or(COLUMNS).min(COLUMNS);
    for (title, sentences) in remarks(result, closing) {
        text.push_str(&format!("\n{title}\n"));
        sentences.iter().for_each(|s| text.push_str(&wrap(s, 2, columns)));
    }
    text
}

/// Whether there are figures to compare with.
pub fn has_published(result: &Outcome) -> bool {
    result.rows.iter().flat_map(|r| r.scores.values()).any(|m| m.against.is_some())
}

/// The whole result as Markdown, with a closing sentence.
pub fn markdown(result: &Outcome, closing: String) -> String {
    let mut lines: Vec<String> = head(result).iter().map(|l| line(l)).collect();
    lines[0] = format!("# {}", lines[0]);
    lines.insert(1, String::new());
    for grid in grids(result) {
        lines.extend([String::new(), format!("## {}", line(&grid.title)), String::new()]);
        lines.extend(grid_as_markdown(&grid));
    }
    for (title, sentences) in remarks(result, vec![closing]) {
        lines.extend([String::new(), format!("## {title}"), String::new()]);
        lines.extend(sentences.iter().map(|s| format!("- {}", line(s))));
    }
    lines.join("\n") + "\n"
}

/// The lines of a table.
pub fn grid_as_markdown(grid: &Grid) -> Vec<String> {
    let cells = |row: &[String]| {
        let safe: Vec<String> = row.iter().map(|c| safe(c)).collect();
        format!("| {} |", safe.join(" | "))
    };
    let aligned = |h: &String| if h.starts_with('<') { "---" } else { "---:" };
    let rule: Vec<&str> = grid.header.iter().map(aligned).collect();
    let header: Vec<String> =
        grid.header.iter().map(|h| h.trim_start_matches('<').to_string()).collect();
    let mut lines = vec![cells(&header), format!("|{}|", rule.join("|"))];
    lines.extend(grid.rows.iter().map(|row| cells(row)));
    lines
}

/// One line per row and score.
pub fn csv(result: &Outcome) -> String {
    let mut text = csv_line([
        "row",
        "at",
        "score",
        "mean",
        "sd",
        "sd_over_starts",
        "published_mean",
        "published_sd",
        "difference",
        "difference_in_sd",
        "verdict",
        "picked",
    ]);
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for row in &result.rows {
        let picked: Vec<String> = row.picked.iter().map(|(v, n)| format!("{v}: {n}")).collect();
        for (score, m) in &row.scores {
            let against = m.against.as_ref();
            text.push_str(&csv_line([
                row.label.clone(),
                number(row.at),
                score.id().to_string(),
                m.ours.mean.to_string(),
                number((m.ours.values.len() > 1).then_some(m.ours.sd)),
                m.starts_sd.to_string(),
                number(against.map(|a| a.theirs.mean)),
                number(against.and_then(|a| a.theirs.sd)),
                number(against.map(|a| a.difference)),
                number(against.and_then(|a| a.in_sd)),
                against.map_or(String::new(), Against::verdict),
                picked.join("; "),
            ]));
        }
    }
    text
}

fn head(result: &Outcome) -> Vec<String> {
    let place = format!("{} {}", result.paper, result.table);
    let title = match place.trim() {
        "" => format!("{}: {}", result.id, result.title),
        place => format!("{}: {place}, {}", result.id, result.title),
    };
    let data = &result.data;
    let done = match result.status.is_success() {
        true => String::new(),
        false => format!("; it was stopped ({}), and rows are over what was done", result.status),
    };
    let over = format!("mean ± standard deviation over {}{done}", measured_over(result));
    let n = thousands(data.n);
    let views = data.views.join(", ");
    vec![
        title,
        format!("{n} instances from {}; views {views}; {}", data.source, clusters(result)),
        over,
    ]
}

/// `200 starts of k-means from random rows, seed 0`.
pub fn measured_over(result: &Outcome) -> String {
    let (data, first) = (&result.data, result.first_seed);
    let last = first.wrapping_add(data.sets as u64 - 1);
    match &result.protocol.kind {
        Kind::Cluster { starts, .. } => {
            let from = match starts.seeding {
                Seeding::Random => "random rows",
                Seeding::PlusPlus => "k-means++ seeds",
            };
            let starts = count(starts.starts, "start", "starts");
            let starts = format!("{starts} of k-means from {from}");
            match data.sets {
                1 => format!("{starts}, seed {first}"),
                sets => format!(
                    "{sets} data sets (seeds {first} to {last}), of each the mean over {starts}"
                ),
            }
        }
        Kind::Classify(_) | Kind::Regress(_) | Kind::Detect(_) => {
            let splits = match result.protocol.first_splits {
                Some(some) => format!("the first {some} splits of {}", result.protocol.how()),
                None => result.protocol.how(),
            };
            match data.sets {
                1 => match &data.splits {
                    None => format!("{splits}, seed {first}"),
                    Some(given) => {
                        format!("{splits} ({}), methods with seed {first}", given.text())
                    }
                },
                sets => format!("{splits} of {sets} data sets (seeds {first} to {last})"),
            }
        }
    }
}

fn clusters(result: &Outcome) -> String {
    match result.protocol.kind {
        Kind::Cluster { clusters, .. } => count(clusters, "cluster", "clusters"),
        Kind::Classify(_) => "classes learned".to_string(),
        Kind::Regress(_) => "numbers learned".to_string(),
        Kind::Detect(_) => "outliers detected".to_string(),
    }
}

/// `0.744 ± 0.030`.
pub fn stat(stat: &Stat) -> String {
    match stat.values.len() {
        1 => format!("{:.3}", stat.mean),
        _ => format!("{:.3} ± {:.3}", stat.mean, stat.sd),
    }
}

/// A published figure with its spread, in the words of tables.
pub fn published(figure: &Published) -> String {
    match figure.sd {
        Some(sd) => format!("{:.3} ± {sd:.3}", figure.mean),
        None => format!("{:.3}", figure.mean),
    }
}

/// The title of the table of what was to be better than what.
pub const ORDER: &str = "Published order";

/// The tables of a result.
pub fn grids(result: &Outcome) -> Vec<Grid> {
    let scores = || result.protocol.scores.iter().copied();
    let mut grids: Vec<Grid> = match &result.sweep {
        None => scores().map(|s| beside(result, s, result.rows.iter().collect(), None)).collect(),
        Some(label) => {
            let with_figures = |s: Score| {
                result.rows.iter().filter(move |r| r.scores[&s].against.is_some()).collect()
            };
            let points = scores().map(|s| beside(result, s, with_figures(s), Some(label)));
            let curves = scores().map(|s| curves(result, s, label));
            curves.chain(points.filter(|g| !g.rows.is_empty())).collect()
        }
    };
    grids.extend(order(result));
    grids
}

fn title(result: &Outcome, score: Score) -> String {
    score.title(result.protocol.task()).to_string()
}

/// Ours beside theirs.
fn beside(result: &Outcome, score: Score, rows: Vec<&RowOutcome>, at: Option<&String>) -> Grid {
    let mut header = vec!["<row".to_string()];
    header.extend(at.cloned());
    header.extend(["ours", "theirs", "difference", "in sd", "<verdict"].map(String::from));
    let has_figures = rows.iter().any(|r| r.scores[&score].against.is_some());
    if !has_figures {
        header.truncate(header.len() - 4);
    }
    let dash = || "–".to_string();
    let line = |row: &&RowOutcome| {
        let m = &row.scores[&score];
        let mut cells = vec![row.label.clone()];
        if at.is_some() {
            cells.push(row.at.map_or_else(dash, |x| x.to_string()));
        }
        cells.push(stat(&m.ours));
        match &m.against {
            _ if !has_figures => {}
            Some(a) => cells.extend([
                published(&a.theirs),
                format!("{:+.3}", a.difference),
                a.in_sd.map_or_else(dash, |z| format!("{z:+.1}")),
                a.verdict(),
            ]),
            None => cells.extend([dash(), dash(), dash(), dash()]),
        }
        cells
    };
    let title = match at {
        Some(_) => format!("{}, published at single values", title(result, score)),
        None => title(result, score),
    };
    Grid { title, header, rows: rows.iter().map(line).collect() }
}

/// Labels of the rows in their order, each once.
fn labels(result: &Outcome) -> Vec<&str> {
    let mut labels: Vec<&str> = Vec::new();
    for row in &result.rows {
        if !labels.contains(&row.label.as_str()) {
            labels.push(&row.label);
        }
    }
    labels
}

/// Values of the sweep, ascending.
fn values(result: &Outcome) -> Vec<f64> {
    let mut values: Vec<f64> = result.rows.iter().filter_map(|r| r.at).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// One line per value, one column per row of the experiment.
fn curves(result: &Outcome, score: Score, label: &str) -> Grid {
    let labels = labels(result);
    let mut header = vec![label.to_string()];
    header.extend(labels.iter().map(|l| l.to_string()));
    let cell = |label: &str, x: f64| {
        let of = |r: &&RowOutcome| r.label == label && r.at.is_none_or(|at| at == x);
        let row = result.rows.iter().find(of);
        row.map_or("–".to_string(), |r| stat(&r.scores[&score].ours))
    };
    let line = |x: &f64| {
        let cells = labels.iter().map(|l| cell(l, *x));
        std::iter::once(x.to_string()).chain(cells).collect()
    };
    let rows = values(result).iter().map(line).collect();
    Grid { title: title(result, score), header, rows }
}

/// Sentences below the tables, under titles.
fn remarks(result: &Outcome, closing: Vec<String>) -> Vec<(&'static str, Vec<String>)> {
    let mut parts = vec![
        ("Chosen by its result", picked(result)),
        ("Why figures differ", reasons(result)),
        ("Notes", result.notes.clone()),
    ];
    parts.retain(|p| !p.1.is_empty());
    parts.push(("Result", closing));
    parts
}

/// Which variants are the results, and by what.
pub fn picked(result: &Outcome) -> Vec<String> {
    let by = title(result, result.protocol.pick_by);
    let sentence = |label: &&str| {
        let rows: Vec<&RowOutcome> = result.rows.iter().filter(|r| r.label == **label).collect();
        let mut counts = std::collections::BTreeMap::new();
        for (variant, n) in rows.iter().flat_map(|r| &r.picked) {
            *counts.entry(variant).or_insert(0) += n;
        }
        let of: usize = counts.values().sum();
        let each: Vec<String> = match of {
            1 => counts.keys().map(|v| v.to_string()).collect(),
            _ => counts.iter().map(|(v, n)| format!("{v} in {n} of {of}")).collect(),
        };
        let told = each.join("; ");
        let how = match rows.first().map(|r| r.pick) {
            Some(Pick::Inner) => "in an inner cross-validation",
            _ => "against the classes",
        };
        (of > 0).then(|| format!("{label}: the best {by} {how}: {told}"))
    };
    labels(result).iter().filter_map(sentence).collect()
}

/// In how many data sets (and values of a sweep) the published order holds.
pub fn order(result: &Outcome) -> Option<Grid> {
    let unit = match (&result.sweep, result.data.sets) {
        (Some(_), _) => "holds in points",
        (None, 1) => "holds",
        _ => "holds in data sets",
    };
    let header = ["<better", "<than", "<by", unit, "ties", "published"].map(String::from).to_vec();
    let row = |c: &ClaimOutcome| {
        let holds = match c.of {
            1 if c.holds == 1 => "yes".to_string(),
            1 => "no".to_string(),
            of => format!("{} of {of}", c.holds),
        };
        let figures = c.published.map(|(a, b)| format!("{a:.3}, {b:.3}"));
        vec![
            c.above.clone(),
            c.below.clone(),
            c.score.id().to_string(),
            holds,
            c.ties.to_string(),
            figures.unwrap_or("–".to_string()),
        ]
    };
    let rows: Vec<_> = result.claims.iter().map(row).collect();
    (!rows.is_empty()).then(|| Grid { title: ORDER.to_string(), header, rows })
}

/// One sentence for each reason, with the rows it is for.
pub fn reasons(result: &Outcome) -> Vec<String> {
    let differs =
        |r: &RowOutcome| r.scores.values().flat_map(|m| &m.against).any(|a| !a.within_reach);
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in result.rows.iter().filter(|r| differs(r)) {
        let reason = row.reason.as_deref().or(result.reason.as_deref());
        let reason = reason.unwrap_or("No reason is known.");
        match reasons.iter_mut().find(|r| r.0 == reason) {
            Some((_, rows)) if rows.contains(&row.label.as_str()) => {}
            Some((_, rows)) => rows.push(&row.label),
            None => reasons.push((reason, vec![&row.label])),
        }
    }
    reasons.iter().map(|(reason, rows)| format!("{}: {reason}", rows.join("; "))).collect()
}

/// `12 of 14 published figures within reach`.
pub fn verdicts(result: &Outcome) -> String {
    let all: Vec<&Against> =
        result.rows.iter().flat_map(|r| r.scores.values()).flat_map(|m| &m.against).collect();
    let within = all.iter().filter(|a| a.within_reach).count();
    let figures = match all.len() {
        0 => "no published figures to compare with".to_string(),
        n => format!(
            "{within} of {} within reach",
            count(n, "published figure", "published figures")
        ),
    };
    format!("{figures}; cokernel {}", result.library_version)
}

/// As [`verdicts`], with the seconds and, if it was stopped, how.
pub fn summary(result: &Outcome) -> String {
    let stopped = match result.status.is_success() {
        true => String::new(),
        false => format!("; stopped before the end: {}", result.status),
    };
    format!("{}, {} s{stopped}", verdicts(result), seconds(result.seconds))
}

/// The curves of a figure, one panel per score; `None` for a table.
pub fn panels(result: &Outcome, log: bool) -> Option<Vec<Panel>> {
    let x_label = result.sweep.clone()?;
    let drawn = result.data.sets > 1;
    let panel = |score: &Score| {
        let mark = |label: &&str| {
            let rows: Vec<&RowOutcome> =
                result.rows.iter().filter(|r| r.label == **label).collect();
            let label = label.to_string();
            match rows.as_slice() {
                [one] if one.at.is_none() => Mark::Level { label, y: one.scores[score].ours.mean },
                rows => {
                    let point = |r: &&RowOutcome| (r.at.unwrap_or(0.0), r.scores[score].ours.mean);
                    let spread = rows.iter().map(|r| r.scores[score].ours.sd).collect();
                    let points = rows.iter().map(point).collect();
                    Mark::Line { label, points, spread: drawn.then_some(spread) }
                }
            }
        };
        Panel {
            title: result.title.clone(),
            x_label: x_label.clone(),
            y_label: title(result, *score),
            log_x: log,
            marks: labels(result).iter().map(mark).collect(),
            ..Panel::default()
        }
    };
    Some(result.protocol.scores.iter().map(panel).collect())
}

/// SVG and PNG of the curves.
pub fn pictures(panels: &[Panel]) -> Result<(String, Vec<u8>)> {
    Ok((cokernel_plot::svg(panels, 1)?, cokernel_plot::png(panels, 1)?))
}
