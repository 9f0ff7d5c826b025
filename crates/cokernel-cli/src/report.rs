//! Results as text: weights, reports and comparisons, shared by several commands.

mod clusterings;

pub use clusterings::{clusterings, clusterings_csv, instances_csv};

use crate::probabilities::told;
use crate::table::{self, Table, bar, count, gap, percent, percent_spread, seconds, weight, wrap};
use crate::visible::on_one_line;
use cokernel::bank::Storage;
use cokernel::eval::{Comparison, MeanWeight, Measure, Stat};
use cokernel::method::Task;
use cokernel::model::{EmbeddingSummary, FeatureWidths, KernelWeight, Lacking, Model};
use cokernel::{MachineReport, Report};

/// Kernels listed one by one; of more, only the heaviest.
const LISTED: usize = 40;
const BAR: usize = 30;

/// Characters that the longest bar has at least.
const SHORTEST: usize = 5;

/// One line per kernel: its name, its weight and a bar, shorter ones where lines of `width` characters have no room, none where
/// they would have hardly any.
pub fn weight_bars(weights: &[(String, f64, Option<f64>)], width: Option<usize>) -> String {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    if weights.len() > LISTED {
        order.sort_by(|&a, &b| weights[b].1.total_cmp(&weights[a].1));
        order.truncate(LISTED);
        order.sort_unstable();
    }
    let full = weights.iter().map(|w| w.1).fold(0.0, f64::max);
    let text = |longest: usize| {
        let titles = ["kernel", "weight", "<"];
        let mut table = Table::new(&titles[..if longest > 0 { 3 } else { 2 }]);
        for &i in &order {
            let (name, w, spread) = &weights[i];
            let number = match spread {
                Some(s) if *s > 0.0 => format!("{w:.4} ± {s:.4}"),
                _ => weight(*w),
            };
            let cells = [name.clone(), number].into_iter();
            table.row(cells.chain((longest > 0).then(|| bar(*w, full, longest))).collect());
        }
        table.text()
    };
    let whole = text(BAR);
    let mut text = match width.map_or(0, |w| table::width(&whole).saturating_sub(w)) {
        0 => whole,
        over => text(BAR.checked_sub(over).filter(|b| *b >= SHORTEST).unwrap_or(0)),
    };
    if order.len() < weights.len() {
        let rest = count(weights.len() - order.len(), "kernel", "kernels");
        text.push_str(&format!("  … and {rest} with smaller weights\n"));
    }
    text
}

/// A table of the same names in rows and columns, in lines of `width` characters if numbers in place of the names over columns
/// make it fit there.
pub fn square(
    corner: &str,
    names: &[String],
    cells: impl Fn(usize, usize) -> String,
    width: Option<usize>,
) -> String {
    let table = |numbers: bool| {
        let of = |i: usize| if numbers { (i + 1).to_string() } else { names[i].clone() };
        let titles: Vec<String> =
            [corner.to_string()].into_iter().chain((0..names.len()).map(of)).collect();
        let mut table = Table::of_names(&titles.iter().map(String::as_str).collect::<Vec<_>>());
        for (i, name) in names.iter().enumerate() {
            let name = if numbers { format!("{} {name}", i + 1) } else { name.clone() };
            let row = (0..names.len()).map(|j| cells(i, j));
            table.row(std::iter::once(name).chain(row).collect());
        }
        table
    };
    let whole = table(false).text();
    match width.is_none_or(|w| table::width(&whole) <= w) {
        true => whole,
        false => table(true).fitting(width, &[]).0,
    }
}

/// The weights of a model.
pub fn model_weights(weights: &[KernelWeight], width: Option<usize>) -> String {
    let rows: Vec<_> = weights.iter().map(|w| (w.kernel.clone(), w.weight, w.error)).collect();
    weight_bars(&rows, width)
}

/// Features whose relevance was learned, the most relevant first, and how many have none; nothing where none was.
pub fn relevances(widths: &[FeatureWidths]) -> String {
    if widths.is_empty() {
        return String::new();
    }
    let mut all: Vec<(String, f64, f64)> = Vec::new();
    for view in widths {
        let each = view.features.iter().zip(&view.relevance).zip(&view.widths);
        all.extend(each.map(|((name, r), w)| (format!("{}.{name}", view.view), *r, *w)));
    }
    let total = all.len();
    all.retain(|f| f.1 > 0.0);
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let full = all.first().map_or(0.0, |f| f.1);
    let mut table = Table::new(&["feature", "relevance", "width", "<"]);
    for (name, relevance, width) in all.iter().take(LISTED) {
        table.row(vec![
            name.clone(),
            format!("{relevance:.4}"),
            format!("{width:.3e}"),
            bar(*relevance, full, BAR),
        ]);
    }
    let mut text = format!("\n{}", table.text());
    if all.len() > LISTED {
        let rest = count(all.len() - LISTED, "feature", "features");
        text.push_str(&format!("  … and {rest} with smaller widths\n"));
    }
    if all.len() < total {
        let none = count(total - all.len(), "feature", "features");
        text.push_str(&format!("  {none} of {total} without a width\n"));
    }
    text
}

/// Weights over splits.
pub fn mean_weights(weights: &[MeanWeight], width: Option<usize>) -> String {
    let rows: Vec<_> = weights.iter().map(|w| (w.kernel.clone(), w.mean, Some(w.sd))).collect();
    weight_bars(&rows, width)
}

/// `converged after 12 iterations, 1.42 s, duality gap 8.1e-4`.
pub fn how_it_went(report: &Report) -> String {
    let mut text = report.status.to_string();
    if report.iterations > 0 {
        text.push_str(&format!(" after {}", count(report.iterations, "iteration", "iterations")));
    }
    text.push_str(&format!(", {} s", seconds(report.seconds)));
    if report.gap.is_some() {
        text.push_str(&format!(", duality gap {}", gap(report.gap)));
    }
    text
}

/// What new instances are compared with.
pub const SUPPORT: &str = "support vectors";
const LANDMARKS: &str = "landmarks";
const FEATURES: &str = "features";

/// What a model compares new instances with, by how kernels are kept.
pub fn basis(storage: &Storage) -> &'static str {
    match storage {
        Storage::LowRank(how) if how.landmarks.are_directions() => FEATURES,
        Storage::LowRank(_) => LANDMARKS,
        _ => SUPPORT,
    }
}

/// What a model compares new instances with, by its report.
pub fn basis_of(report: &Report) -> &'static str {
    let has = |key: &str| report.details.contains_key(key);
    match (has("landmarks"), has("directions")) {
        (true, _) => LANDMARKS,
        (_, true) => FEATURES,
        _ => SUPPORT,
    }
}

/// What a model is, in a few lines of `width` characters.
pub fn model_lines(model: &Model, width: Option<usize>) -> String {
    let s = model.inspect();
    let mut text = format!("  method    {}{}\n", s.method, parameters(&s.params));
    text.push_str(&format!("  status    {}\n", how_it_went(&s.report)));
    let task = model.task();
    let target = match task {
        Task::Regress => "numbers".to_string(),
        Task::Detect => "without labels".to_string(),
        _ => {
            let classes = count(s.classes.len(), "class", "classes");
            format!("{classes}: {}", shortened(&s.classes, 12))
        }
    };
    let instances = count(s.n_train, "instance", "instances");
    text.push_str(&format!("  learned   {instances}, {target}\n"));
    let machines = count(s.machines.len(), "machine", "machines");
    let (of, share) = (table::thousands(s.support), percent(s.support_percent / 100.0));
    text.push_str(&match basis_of(&s.report) {
        LANDMARKS => format!("  landmarks {of} of them in {machines} ({share} %)\n"),
        FEATURES => format!("  features  {of} random ones in {machines}\n"),
        _ => format!("  support   {of} of them in {machines} ({share} %)\n"),
    });
    if let Some(lacking) = &s.lacking {
        text.push_str(&format!("  missing   {}\n", missing(lacking)));
    }
    let kernels = count(s.weights.len(), "kernel", "kernels");
    text.push_str(&format!("  active    {} of {kernels}\n", s.active_kernels));
    if let Some(cost) = s.total_cost {
        let of = percent(s.support_percent / 100.0);
        text.push_str(&format!("  cost      {cost:.1} %, of {of} % with all kernels\n"));
    }
    if let Some(calibration) = model.calibration() {
        text.push_str(&format!("  P(class)  {}\n", told(&calibration.how)));
    }
    if let Some(machine) = &s.report.machine {
        // A machine may be solved at weights that are not.
        let weights = machine.status.is_success() && !s.report.status.is_success();
        let at = if weights { "at these weights: " } else { "" };
        text.push_str(&format!("  optimum   {at}{}\n", optimum(machine, s.machines.len(), task)));
    }
    for (name, values) in &s.report.details {
        let list: Vec<String> = values.iter().map(|v| format!("{v:.4e}")).collect();
        text.push_str(&format!("  {name:<8}  {}\n", shortened(&list, 8)));
    }
    folded_lines(&text, width)
}

/// Lines of names and what they stand for, as those of [`model_lines`], in lines of `width` characters.
pub fn folded_lines(text: &str, width: Option<usize>) -> String {
    text.lines().map(|line| folded(line, width)).collect()
}

/// A line of a name and what it stands for, which goes on below where there is no room for it.
fn folded(line: &str, width: Option<usize>) -> String {
    const INDENT: usize = 12;
    let room = width.filter(|w| line.chars().count() > *w && *w > 2 * INDENT);
    match (room, line.trim_start().split_once("  ")) {
        (Some(width), Some((name, rest))) => {
            let rest = wrap(rest, INDENT, width);
            format!("  {name:<8}  {}", rest.trim_start())
        }
        _ => format!("{line}\n"),
    }
}

/// `drop: 40 of 60 instances have all views (a: 52, b: 48)`.
fn missing(lacking: &Lacking) -> String {
    let each: Vec<String> =
        lacking.views.iter().map(|(name, have)| format!("{name}: {have}")).collect();
    format!(
        "{}: {} of {} instances have all views ({})",
        lacking.handling,
        lacking.complete,
        lacking.instances,
        shortened(&each, 12)
    )
}

/// `converged, primal 12.34, dual 12.33, gap 8.0e-4; 12.3 % of the smaller sides at C`; sums of several machines and
/// the largest gap of one.
fn optimum(m: &MachineReport, machines: usize, task: Task) -> String {
    let (gap, at_bound) = (gap(Some(m.gap)), percent(m.at_bound));
    let of = if machines > 1 { "largest gap of a machine" } else { "gap" };
    let text = format!("{}, primal {:.6e}, dual {:.6e}, {of} {gap}", m.status, m.primal, m.dual);
    match task {
        Task::Detect => text,
        Task::Regress => format!("{text}; {at_bound} % at C"),
        _ => format!("{text}; {at_bound} % of the smaller sides at C"),
    }
}

/// Each remark of a report after the word that it is shown with, warnings first.
pub fn remarks(report: &Report) -> impl Iterator<Item = (&'static str, &String)> {
    let warnings = report.warnings.iter().map(|w| ("warning", w));
    warnings.chain(report.notes.iter().map(|n| ("note", n)))
}

/// Leading eigenvalues of an embedding, one line per operator, with the gap behind them.
pub fn spectra(summary: &EmbeddingSummary, width: Option<usize>) -> String {
    const SHOWN: usize = 8;
    if summary.eigenvalues.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["operator", "<leading eigenvalues", "gap after them"]);
    for (i, values) in summary.eigenvalues.iter().enumerate() {
        let name = match summary.eigenvalues.len() {
            1 => "combined".to_string(),
            n if n == summary.kernels.len() => summary.kernels[i].kernel.clone(),
            _ => format!("{}", i + 1),
        };
        let mut list: Vec<String> = values.iter().take(SHOWN).map(|v| format!("{v:.3}")).collect();
        if values.len() > SHOWN {
            list.push("…".to_string());
        }
        let gap = summary.gaps.get(i).copied().flatten();
        let gap = gap.map_or("–".to_string(), |g| format!("{g:.4}"));
        table.row(vec![name, list.join(" "), gap]);
    }
    table.fitting(width, &[]).0
}

/// ` (tol=0.001, max_iter=200)`, or nothing.
pub fn parameters(params: &cokernel::params::Params) -> String {
    let all: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The first names of a list, and how many more there are.
pub fn shortened(names: &[String], shown: usize) -> String {
    let line = |names: &[String]| {
        let names: Vec<_> = names.iter().map(|n| on_one_line(n)).collect();
        names.join(", ")
    };
    match names.len() {
        n if n > shown => format!("{}, … ({} more)", line(&names[..shown]), n - shown),
        _ => line(names),
    }
}

fn spread(stat: &Stat) -> Option<f64> {
    (stat.values.len() > 1).then_some(stat.sd)
}

/// `97.3 ± 0.4`, in percent.
pub fn stat_percent(stat: &Stat) -> String {
    percent_spread(stat.mean, spread(stat))
}

/// The values of a measure over the splits, without the unit.
pub fn measure_spread(measure: &Measure, stat: &Stat) -> String {
    match (measure.percent, spread(stat)) {
        (true, _) => stat_percent(stat),
        (false, Some(_)) => measure.spread(stat),
        (false, None) => measure.cell(stat.mean),
    }
}

/// A table in lines of `width` characters, without the columns of the titles `spare`, from the first on, that have no room
/// there, which is said below it.
pub fn in_lines(table: Table, width: Option<usize>, spare: &[&str]) -> String {
    let (text, left_out) = table.fitting(width, spare);
    match left_out.is_empty() {
        true => text,
        false => {
            let gone =
                format!("left out for want of room: {} (--wide shows all)", left_out.join(", "));
            text + &wrap(&gone, 2, width.unwrap_or(96))
        }
    }
}

/// One row per method of a comparison, in lines of `width` characters; with the kind of integration at the first of each kind,
/// if they are `grouped`. `kept` says what models compare new instances with.
pub fn comparison(result: &Comparison, grouped: bool, kept: &str, width: Option<usize>) -> String {
    let main = result.rows.first().and_then(|r| r.measures.main());
    let heading = main.map_or(String::new(), |(measure, _)| measure.heading());
    let kept = format!("{kept} %");
    let titles = ["method", &heading, "active kernels", &kept, "seconds", "gap"];
    let stopped = result.rows.iter().any(|r| !r.status.is_success());
    let mut header = titles.to_vec();
    // What probabilities are asked for.
    let sure: Vec<&Measure> = match (&result.calibrating, result.rows.first()) {
        (Some(_), Some(row)) => {
            let named = |m: &&Measure| ["auc", "log_loss", "brier"].contains(&m.id);
            row.measures.0.iter().map(|(m, _)| *m).filter(named).collect()
        }
        _ => Vec::new(),
    };
    let priced = result.rows.iter().any(|r| r.total_cost.is_some());
    if priced {
        header.insert(4, "cost %");
    }
    for (k, measure) in sure.iter().enumerate() {
        header.insert(2 + k, if measure.id == "auc" { "ROC AUC" } else { measure.title });
    }
    if stopped {
        header.push("<status");
    }
    if grouped {
        header.insert(0, "<integration");
        header[1] = "<method";
    }
    let mut last = None;
    let mut table = Table::new(&header);
    for row in &result.rows {
        let active = match row.active_kernels.mean {
            m if m.fract() == 0.0 => format!("{m} of {}", row.kernels),
            m => format!("{m:.1} of {}", row.kernels),
        };
        let mut cells = vec![
            row.name.clone(),
            row.measures.main().map_or(String::new(), |(m, s)| measure_spread(m, s)),
            active,
            percent(row.support_percent.mean / 100.0),
            seconds(row.seconds.mean),
            gap(row.gap),
        ];
        if priced {
            cells.insert(
                4,
                row.total_cost.as_ref().map_or("-".into(), |c| format!("{:.1}", c.mean)),
            );
        }
        for (k, measure) in sure.iter().enumerate() {
            let stat = row.measures.get(measure.id);
            cells.insert(2 + k, stat.map_or(String::new(), |s| measure_spread(measure, s)));
        }
        if stopped {
            cells.push(row.status.to_string());
        }
        if grouped {
            let kind = row.integration.filter(|i| last != Some(*i)).map_or("", |i| i.id());
            last = row.integration;
            cells.insert(0, kind.to_string());
        }
        table.row(cells);
    }
    in_lines(table, width, &["seconds", &kept, "active kernels", "gap", "integration"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_keep_the_heaviest_kernels_in_their_order() {
        let weights: Vec<_> = (0..100).map(|m| (format!("k{m}"), m as f64, None)).collect();
        let text = weight_bars(&weights, None);
        assert_eq!(text.lines().count(), 2 + LISTED + 1);
        assert!(text.lines().nth(2).unwrap().starts_with("  k60 "), "{text}");
        assert!(text.ends_with("… and 60 kernels with smaller weights\n"));
    }
}
