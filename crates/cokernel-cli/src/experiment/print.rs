//! A result for people (text, Markdown), for programs (CSV) and as a picture of curves.

use super::outcome::{ClaimOutcome, Outcome, RowOutcome};
use super::score::{Against, Published, Score};
use crate::files::csv_line;
use crate::table::{Table, count, seconds, thousands, wrap};
use anyhow::Result;
use cokernel::eval::Stat;
use cokernel::multiview::Seeding;
use cokernel_plot::{Mark, Panel};

/// Columns of wrapped sentences.
const COLUMNS: usize = 96;

/// A table before it is written as text or Markdown.
struct Grid {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The whole result as text.
pub fn text(result: &Outcome) -> String {
    let mut text = head(result).join("\n") + "\n";
    for grid in grids(result) {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let mut table = Table::new(&header);
        grid.rows.into_iter().for_each(|row| table.row(row));
        text.push_str(&format!("\n{}\n{}", grid.title, table.text()));
    }
    for (title, sentences) in remarks(result) {
        text.push_str(&format!("\n{title}\n"));
        sentences.iter().for_each(|s| text.push_str(&wrap(s, 2, COLUMNS)));
    }
    text
}

/// The whole result as Markdown.
pub fn markdown(result: &Outcome) -> String {
    let mut lines = head(result);
    lines[0] = format!("# {}", lines[0]);
    lines.insert(1, String::new());
    let cells = |row: &[String]| format!("| {} |", row.join(" | "));
    for grid in grids(result) {
        let aligned = |h: &String| if h.starts_with('<') { "---" } else { "---:" };
        let rule: Vec<&str> = grid.header.iter().map(aligned).collect();
        lines.extend([String::new(), format!("## {}", grid.title), String::new()]);
        let header: Vec<String> =
            grid.header.iter().map(|h| h.trim_start_matches('<').to_string()).collect();
        lines.extend([cells(&header), format!("|{}|", rule.join("|"))]);
        lines.extend(grid.rows.iter().map(|row| cells(row)));
    }
    for (title, sentences) in remarks(result) {
        lines.extend([String::new(), format!("## {title}"), String::new()]);
        lines.extend(sentences.iter().map(|s| format!("- {s}")));
    }
    lines.join("\n") + "\n"
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
                m.ours.sd.to_string(),
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
    let protocol = &result.protocol;
    let starts = count(protocol.starts.starts, "start", "starts");
    let starts = match protocol.starts.seeding {
        Seeding::Random => format!("{starts} of k-means from random rows"),
        Seeding::PlusPlus => format!("{starts} of k-means from k-means++ seeds"),
    };
    let over = match data.sets {
        1 => format!("mean ± standard deviation over {starts}, seed {}", result.first_seed),
        sets => format!(
            "mean ± standard deviation over {sets} data sets (seeds {} to {}), of each the mean over {starts}",
            result.first_seed,
            result.first_seed.wrapping_add(sets as u64 - 1)
        ),
    };
    let n = thousands(data.n);
    let views = data.views.join(", ");
    vec![
        title,
        format!("{n} instances from {}; views {views}; {}", data.source, clusters(result)),
        over,
    ]
}

fn clusters(result: &Outcome) -> String {
    count(result.protocol.clusters, "cluster", "clusters")
}

/// `0.744 ± 0.030`.
fn stat(stat: &Stat) -> String {
    match stat.values.len() {
        1 => format!("{:.3}", stat.mean),
        _ => format!("{:.3} ± {:.3}", stat.mean, stat.sd),
    }
}

fn published(figure: &Published) -> String {
    match figure.sd {
        Some(sd) => format!("{:.3} ± {sd:.3}", figure.mean),
        None => format!("{:.3}", figure.mean),
    }
}

fn grids(result: &Outcome) -> Vec<Grid> {
    let scores = || result.protocol.scores.iter().copied();
    let mut grids: Vec<Grid> = match &result.sweep {
        None => scores().map(|s| beside(s, result.rows.iter().collect(), None)).collect(),
        Some(label) => {
            let with_figures = |s: Score| {
                result.rows.iter().filter(move |r| r.scores[&s].against.is_some()).collect()
            };
            let points = scores().map(|s| beside(s, with_figures(s), Some(label)));
            let curves = scores().map(|s| curves(result, s, label));
            curves.chain(points.filter(|g| !g.rows.is_empty())).collect()
        }
    };
    grids.extend(order(result));
    grids
}

/// Ours beside theirs.
fn beside(score: Score, rows: Vec<&RowOutcome>, at: Option<&String>) -> Grid {
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
        Some(_) => format!("{}, published at single values", score.title()),
        None => score.title().to_string(),
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
    Grid { title: score.title().to_string(), header, rows }
}

/// Sentences below the tables, under titles.
fn remarks(result: &Outcome) -> Vec<(&'static str, Vec<String>)> {
    let mut parts = vec![
        ("Chosen by its result", picks(result)),
        ("Why figures differ", reasons(result)),
        ("Notes", result.notes.clone()),
    ];
    parts.retain(|p| !p.1.is_empty());
    parts.push(("Result", vec![summary(result)]));
    parts
}

fn picks(result: &Outcome) -> Vec<String> {
    let by = result.protocol.pick_by.title();
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
        (of > 0).then(|| format!("{label}: the best {by} against the classes: {told}"))
    };
    labels(result).iter().filter_map(sentence).collect()
}

/// In how many data sets (and values of a sweep) the published order holds.
fn order(result: &Outcome) -> Option<Grid> {
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
    (!rows.is_empty()).then(|| Grid { title: "Published order".to_string(), header, rows })
}

fn reasons(result: &Outcome) -> Vec<String> {
    let differs =
        |r: &RowOutcome| r.scores.values().flat_map(|m| &m.against).any(|a| !a.within_reach);
    let mut sentences: Vec<String> = Vec::new();
    for row in result.rows.iter().filter(|r| differs(r)) {
        let reason = row.reason.as_deref().unwrap_or("no reason is known");
        let sentence = format!("{}: {reason}", row.label);
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

/// `12 of 14 published figures are within reach; cokernel 0.1.0, 12 s`.
pub fn summary(result: &Outcome) -> String {
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
    let stopped = match result.status.is_success() {
        true => String::new(),
        false => format!("; stopped before the end: {}", result.status),
    };
    let version = &result.library_version;
    format!("{figures}; cokernel {version}, {} s{stopped}", seconds(result.seconds))
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
            y_label: score.title().to_string(),
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
