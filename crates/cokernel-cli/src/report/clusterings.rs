//! Clusterings as text: the table, the agreement of the views, the verdict, and CSV.

use super::square;
use crate::files::csv_line;
use crate::table::{Table, count, gap, seconds, wrap};
use cokernel::data::Views;
use cokernel::eval::{ClusteringRow, Clusterings, StartScores, Stat, ViewAgreement};
use cokernel::multiview::Seeding;

/// Characters of a line of notes.
const NOTES: usize = 96;

/// `0.754 ± 0.026`; the spread only where there is one.
fn spread(stat: &Stat) -> String {
    match stat.values.len() {
        0 | 1 => format!("{:.3}", stat.mean),
        _ => format!("{:.3} ± {:.3}", stat.mean, stat.sd),
    }
}

/// Everything that people want to know of a comparison, in lines of `width` characters where that is
/// given and can be.
pub fn clusterings(result: &Clusterings, width: Option<usize>) -> String {
    let clusters = count(result.k, "cluster", "clusters");
    let kernels = count(result.kernels.len(), "kernel", "kernels");
    let starts = count(result.starts.starts, "start", "starts");
    let starts = match result.starts.seeding {
        Seeding::PlusPlus => format!("the best of {starts} of k-means"),
        Seeding::Random => format!("{starts} of k-means, each from random instances"),
    };
    let mut text = format!("{clusters} from {kernels}, {starts}\n\n");
    text.push_str(&match result.scored {
        0 => plain(result, width),
        _ => scored(result, width),
    });
    for r in &result.rows {
        if let (Some(value), Some(_)) = (r.report.objective.last(), r.report.gap) {
            let gap = gap(r.report.gap);
            text.push_str(&format!("  {}: objective {value:.6e}, duality gap {gap}\n", r.name));
        }
    }
    for (view, n) in &result.filled {
        let (lacking, verb) =
            (count(*n, "instance", "instances"), if *n == 1 { "lacks" } else { "lack" });
        text.push_str(&format!("  view {view}: {lacking} {verb} it\n"));
    }
    if let Some(agreement) = &result.agreement {
        text.push_str(&format!("\n{}", agreement_table(agreement, width)));
    }
    if let Some(verdict) = result.verdict.as_ref().filter(|_| result.rows.len() > 1) {
        text.push_str(&format!("\nVerdict: {}\n", verdict.sentence));
    }
    text
}

/// Names, with controls marked.
fn name(row: &ClusteringRow) -> String {
    if row.control { format!("{} *", row.name) } else { row.name.clone() }
}

fn control_note(result: &Clusterings) -> &'static str {
    if result.rows.iter().any(|r| r.control) { "* control; " } else { "" }
}

/// The table with scores.
fn scored(result: &Clusterings, width: Option<usize>) -> String {
    let best = result.starts.seeding == Seeding::PlusPlus;
    let mut titles = vec!["clustering", "NMI"];
    if best {
        titles.push("over starts");
    }
    titles.extend(["ARI", "F", "entropy", "accuracy", "seconds", "<status"]);
    let mut table = Table::new(&titles);
    for r in &result.rows {
        let Some(s) = &r.scores else { continue };
        let of = |mean: &Stat, best_start: f64| {
            format!("{:.3}", if best { best_start } else { mean.mean })
        };
        let mut cells = vec![name(r)];
        if best {
            cells.push(format!("{:.3}", s.best.nmi));
        }
        cells.extend([
            spread(&s.nmi),
            of(&s.adjusted_rand, s.best.adjusted_rand),
            of(&s.f, s.best.pairs.f),
            of(&s.entropy, s.best.entropy),
            of(&s.accuracy, s.best.accuracy),
            seconds(r.report.seconds),
            r.report.status.to_string(),
        ]);
        table.row(cells);
    }
    let starts = match (best, result.starts.starts) {
        (_, 1) => "",
        (true, _) => "over starts: mean ± standard deviation; ",
        (false, _) => "means over the starts, ± standard deviation; ",
    };
    let notes = format!(
        "{}{starts}NMI over the arithmetic mean of the entropies; ARI: adjusted Rand; F of pairs; \
         entropy in bits, less is better; seconds without the kernels",
        control_note(result)
    );
    let spare = ["F", "entropy", "ARI", "seconds", "accuracy", "status"];
    with_notes(table.fitting(width, &spare), &notes, width)
}

/// The table, what is to be said of it, and which columns it has no room for.
fn with_notes(
    (text, left_out): (String, Vec<String>),
    notes: &str,
    width: Option<usize>,
) -> String {
    let columns = width.unwrap_or(NOTES).min(NOTES);
    let gone = match left_out.len() {
        0 => String::new(),
        _ => format!("; left out for want of room: {} (--wide shows all)", left_out.join(", ")),
    };
    text + &wrap(&format!("{notes}{gone}"), 2, columns)
}

/// The table without scores.
fn plain(result: &Clusterings, width: Option<usize>) -> String {
    let titles =
        ["clustering", "inertia", "over starts", "smallest", "largest", "seconds", "<status"];
    let mut table = Table::new(&titles);
    for r in &result.rows {
        table.row(vec![
            name(r),
            format!("{:.3}", r.inertia),
            spread(&r.inertias),
            r.sizes.iter().min().map_or(String::new(), usize::to_string),
            r.sizes.iter().max().map_or(String::new(), usize::to_string),
            seconds(r.report.seconds),
            r.report.status.to_string(),
        ]);
    }
    let note = "inertia of k-means, whose size depends on the embedding";
    let notes = format!("{}{note}; seconds without the kernels", control_note(result));
    with_notes(table.fitting(width, &["seconds", "smallest", "largest", "status"]), &notes, width)
}

/// How far the views agree.
fn agreement_table(agreement: &ViewAgreement, width: Option<usize>) -> String {
    let cell = |i: usize, j: usize| format!("{:.2}", agreement.matrix[i][j]);
    let vectors = count(agreement.eigenvectors, "leading eigenvector", "leading eigenvectors");
    let title = format!(
        "Agreement of the views: what the spans of their {vectors} share, mean {:.2}",
        agreement.mean
    );
    let title = wrap(&title, 0, width.unwrap_or(usize::MAX));
    format!("{title}\n{}", square("view", &agreement.names, cell, width))
}

/// One line per clustering: each score of the start with the least inertia, and its mean and
/// standard deviation over the starts.
pub fn clusterings_csv(result: &Clusterings) -> String {
    const SCORES: [&str; 8] =
        ["nmi", "adjusted_rand", "f", "precision", "recall", "entropy", "purity", "accuracy"];
    let three = |name: &&str| [name.to_string(), format!("{name}_mean"), format!("{name}_sd")];
    let begin = ["name", "method", "control"].map(String::from);
    let end = ["smallest", "largest", "starts", "seconds", "status"].map(String::from);
    let titles = begin.into_iter().chain(SCORES.iter().flat_map(three));
    let mut text = csv_line(titles.chain(three(&"inertia")).chain(end));
    for r in &result.rows {
        let mut cells = vec![r.name.clone(), r.method.clone(), r.control.to_string()];
        let by_name = r.scores.as_ref().map(StartScores::by_name);
        for name in SCORES {
            let score = by_name.as_ref().and_then(|all| all.iter().find(|s| s.0 == name));
            cells.extend(match score {
                Some((_, best, stat)) => [*best, stat.mean, stat.sd].map(|v| v.to_string()),
                None => [const { String::new() }; 3],
            });
        }
        cells.extend([r.inertia, r.inertias.mean, r.inertias.sd].map(|v| v.to_string()));
        cells.push(r.sizes.iter().min().map_or(String::new(), usize::to_string));
        cells.push(r.sizes.iter().max().map_or(String::new(), usize::to_string));
        cells.push(r.inertias.values.len().to_string());
        cells.extend([r.report.seconds.to_string(), r.report.status.to_string()]);
        text.push_str(&csv_line(cells));
    }
    text
}

/// One line per instance: its id or row number, its cluster where there are clusters, and the
/// columns of an embedding where it is given.
pub fn instances_csv(views: &Views, clusters: Option<&[u32]>, columns: &[Vec<f64>]) -> String {
    let first = if views.ids().is_some() { "id" } else { "row" };
    let mut titles = vec![first.to_string()];
    titles.extend(clusters.map(|_| "cluster".to_string()));
    titles.extend((0..columns.len()).map(|j| format!("e{j}")));
    let mut text = csv_line(titles);
    for i in 0..views.n() {
        let mut cells = vec![views.ids().map_or_else(|| i.to_string(), |ids| ids[i].clone())];
        cells.extend(clusters.map(|c| c[i].to_string()));
        cells.extend(columns.iter().map(|c| c[i].to_string()));
        text.push_str(&csv_line(cells));
    }
    text
}
