//! The tables of a report, the same bytes whenever, wherever and however the cells were computed;
//! but for the one of times.

use super::Material;
use super::ranking::Ranking;
use super::rows::{Compared, DataRows, Mark, Value};
use crate::files::csv_line;
use crate::visible::{markdown as safe, markdown_line as line_of, on_one_line};
use crate::{label_of, print};
use anyhow::Result;
use cokernel::eval::Stat;
use cokernel::json::Told;
use serde_json::json;

/// What a mark looks like in text.
pub fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::Baseline => "◆",
        Mark::Alike => "=",
        Mark::Better => "▲",
        Mark::Worse => "▼",
        Mark::Untested => "",
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| v.to_string())
}

/// One line for each row and score.
pub fn csv(material: &Material<'_>, all: &[DataRows]) -> String {
    let mut text = csv_line([
        "data",
        "at",
        "row",
        "score",
        "mean",
        "sd",
        "n",
        "mark",
        "p",
        "p_holm",
        "active_kernels",
        "support_percent",
        "cost",
        "picked",
        "published_mean",
        "published_sd",
        "verdict",
    ]);
    let mean = |s: &Option<Stat>| optional(s.as_ref().map(|s| s.mean));
    for (rows, collected) in all.iter().zip(material.collected) {
        for row in &rows.rows {
            let found = collected.outcome.rows.iter();
            let outcome = found.clone().find(|r| r.label == row.label && r.at == row.at);
            for v in &row.values {
                let measure = outcome.and_then(|o| o.scores.get(&v.score));
                let against = measure.and_then(|m| m.against.as_ref());
                let picked = outcome.map_or(String::new(), |o| {
                    let each = o.picked.iter().map(|(v, n)| format!("{v}: {n}"));
                    each.collect::<Vec<_>>().join("; ")
                });
                text.push_str(&csv_line([
                    rows.data.clone(),
                    optional(row.at),
                    row.label.clone(),
                    v.score.id().to_string(),
                    v.stat.mean.to_string(),
                    optional((v.stat.values.len() > 1).then_some(v.stat.sd)),
                    v.stat.values.len().to_string(),
                    serde_json::to_value(v.mark)
                        .map_or(String::new(), |m| m.as_str().unwrap_or_default().to_string()),
                    optional(v.p),
                    optional(v.p_holm),
                    mean(&row.active_kernels),
                    mean(&row.support_percent),
                    mean(&row.cost),
                    picked,
                    optional(against.map(|a| a.theirs.mean)),
                    optional(against.and_then(|a| a.theirs.sd)),
                    against.map_or(String::new(), |a| a.verdict()),
                ]));
            }
        }
    }
    text
}

/// One line for each cell.
pub fn cells(material: &Material<'_>) -> String {
    let scores = &material.plan.protocol.scores;
    let head = ["cell", "what", "set", "split", "seed", "status", "inner"];
    let ids = scores.iter().map(|s| s.id());
    let mut text = csv_line(head.into_iter().chain(ids));
    for (i, cell) in material.cells.iter().enumerate() {
        let kept = material.kept.get(&i);
        let mut line = vec![
            cell.id.clone(),
            label_of(material.plan, cell),
            cell.set.to_string(),
            cell.split.to_string(),
            material.seed.wrapping_add(cell.set as u64).to_string(),
            kept.map_or("no result".to_string(), |k| k.measured.status.to_string()),
            optional(kept.and_then(|k| k.measured.inner)),
        ];
        for score in scores {
            let mean = kept.map(|k| crate::mean_of(&k.measured, *score));
            line.push(optional(mean));
        }
        text.push_str(&csv_line(line));
    }
    text
}

/// Seconds and memory of each cell: the only table that does not repeat.
pub fn timings(material: &Material<'_>) -> String {
    let mut text = csv_line(["cell", "what", "seconds", "seconds_to_learn", "peak_memory_bytes"]);
    for (i, cell) in material.cells.iter().enumerate() {
        let Some(kept) = material.kept.get(&i) else { continue };
        text.push_str(&csv_line([
            cell.id.clone(),
            label_of(material.plan, cell),
            kept.spent.seconds.to_string(),
            kept.measured.seconds.to_string(),
            kept.spent.peak_memory.map_or(String::new(), |b| b.to_string()),
        ]));
    }
    text
}

/// The results without times.
pub fn json(
    material: &Material<'_>,
    all: &[DataRows],
    ranking: Option<&Ranking>,
) -> Result<serde_json::Value> {
    let outcomes: Result<Vec<_>, _> =
        material.collected.iter().map(|c| serde_json::to_value(Told(&c.outcome))).collect();
    let mut outcomes = outcomes?;
    outcomes.iter_mut().for_each(without_times);
    let troubles: Vec<_> = material
        .troubles
        .iter()
        .map(|t| json!({ "cell": t.label, "error": t.error, "refused": t.refused }))
        .collect();
    Ok(json!({
        "version": cokernel::VERSION,
        "seed": material.seed,
        "results": outcomes,
        "comparison": Told(all),
        "ranking": Told(ranking),
        "without_result": troubles,
    }))
}

fn without_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.remove("seconds");
            map.values_mut().for_each(without_times);
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Scores as columns.
struct Columns {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn columns(material: &Material<'_>, data: &DataRows, cell: &dyn Fn(&Value) -> String) -> Columns {
    let protocol = &material.plan.protocol;
    let swept = data.rows.iter().any(|r| r.at.is_some());
    let sweep = material.plan.sweep.as_ref().filter(|_| swept);
    let mut header = vec!["row".to_string()];
    header.extend(sweep.map(|s| s.label.clone()));
    header.extend(protocol.scores.iter().map(|s| s.title(protocol.task()).to_string()));
    let row = |r: &Compared| {
        let mut cells = vec![r.label.clone()];
        if swept {
            cells.push(r.at.map_or("–".to_string(), |x| x.to_string()));
        }
        cells.extend(r.values.iter().map(cell));
        cells
    };
    Columns { header, rows: data.rows.iter().map(row).collect() }
}

/// `0.744 ± 0.030`.
pub fn mean_and_sd(stat: &Stat) -> String {
    match stat.values.len() {
        0 => "–".to_string(),
        1 => format!("{:.3}", stat.mean),
        _ => format!("{:.3} ± {:.3}", stat.mean, stat.sd),
    }
}

/// What the marks mean.
pub fn legend(material: &Material<'_>, data: &DataRows) -> String {
    let tested = data.rows.iter().flat_map(|r| &r.values).any(|v| v.mark != Mark::Untested);
    match tested {
        true => format!(
            "Compared with ◆ ({}, Holm-corrected, level {}): = not told apart, ▲ better, ▼ worse. \
             Bold: the best mean.",
            data.test, material.plan.tests.alpha
        ),
        false => format!("{}. Bold: the best mean.", data.test),
    }
}

/// The comparison, and for published figures the tables beside them.
pub fn markdown(material: &Material<'_>, all: &[DataRows]) -> String {
    let plan = material.plan;
    let mut text = format!("# {}\n", line_of(&plan.title));
    for (data, collected) in all.iter().zip(material.collected) {
        if all.len() > 1 {
            text.push_str(&format!("\n## {}\n", line_of(&data.data)));
        }
        let cell = |v: &Value| {
            let bold = if v.best { "**" } else { "" };
            let number = safe(&mean_and_sd(&v.stat));
            format!("{bold}{number}{bold} {}", safe(sign(v.mark))).trim_end().to_string()
        };
        let table = columns(material, data, &cell);
        let rule = vec!["---"; table.header.len()];
        let named = table.header.len() - data.rows.first().map_or(0, |r| r.values.len());
        // Cells with values are written for Markdown already.
        let line = |cells: &[String], named: usize| {
            let cell = |(i, c): (usize, &String)| if i < named { safe(c) } else { c.clone() };
            let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let header = line(&table.header, usize::MAX);
        text.push_str(&format!("\n{header}|{}|\n", rule.join("|")));
        table.rows.iter().for_each(|row| text.push_str(&line(row, named)));
        text.push_str(&format!("\n{}\n", safe(&legend(material, data))));
        let outcome = &collected.outcome;
        if print::has_published(outcome) {
            text.push_str(&format!("\n{}", print::markdown(outcome, print::verdicts(outcome))));
        }
    }
    text
}

/// Letters that LaTeX does not take as they are; on one line.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in on_one_line(text).chars() {
        match c {
            // Two of them are a dash, and the next one with ! or ? a letter of Spanish.
            '-' if out.ends_with('-') => out.push_str("{}-"),
            '`' => out.push_str("\\textasciigrave{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            // After the end of a row these would be an option of it.
            '[' | '*' if out.trim().is_empty() => out.extend(['{', c, '}']),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '|' => out.push_str("\\textbar{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            'λ' => out.push_str("$\\lambda$"),
            'ρ' => out.push_str("$\\rho$"),
            'σ' => out.push_str("$\\sigma$"),
            'α' => out.push_str("$\\alpha$"),
            '±' => out.push_str("$\\pm$"),
            '\u{2400}'..='\u{2421}' | '\u{fffd}' => out.push('?'),
            '–' => out.push_str("--"),
            '=' => out.push_str("$=$"),
            '◆' => out.push_str("$\\diamond$"),
            '▲' => out.push_str("$\\uparrow$"),
            '▼' => out.push_str("$\\downarrow$"),
            c => out.push(c),
        }
    }
    out
}

/// One `table` for each data set; needs the package booktabs.
pub fn latex(material: &Material<'_>, all: &[DataRows]) -> String {
    let mut text = String::from("% Needs \\usepackage{booktabs}.\n");
    for data in all {
        let cell = |v: &Value| {
            let number = escaped(&mean_and_sd(&v.stat));
            let number = if v.best { format!("\\textbf{{{number}}}") } else { number };
            format!("{number} {}", escaped(sign(v.mark))).trim_end().to_string()
        };
        let table = columns(material, data, &cell);
        let align = format!("l{}", "r".repeat(table.header.len() - 1));
        let title = match all.len() {
            1 => material.plan.title.clone(),
            _ => format!("{}: {}", material.plan.title, data.data),
        };
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        text.push_str(&format!(
            "\\begin{{table}}\n\\centering\n\\caption{{{}. {}}}\n",
            escaped(&title),
            escaped(&legend(material, data))
        ));
        text.push_str(&format!("\\begin{{tabular}}{{{align}}}\n\\toprule\n"));
        text.push_str(&line(table.header.iter().map(|h| escaped(h)).collect()));
        text.push_str("\\midrule\n");
        for row in table.rows {
            let swept = table.header.len() - data.rows.first().map_or(0, |r| r.values.len());
            let cells = row.into_iter().enumerate();
            // Cells with values are written for LaTeX already.
            text.push_str(&line(
                cells.map(|(i, c)| if i < swept { escaped(&c) } else { c }).collect(),
            ));
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn latex_takes_any_label() {
        assert_eq!(super::escaped("a_b & 50% ± λ"), "a\\_b \\& 50\\% $\\pm$ $\\lambda$");
        assert_eq!(super::escaped("a\u{1b}[0m"), "a?[0m");
        assert_eq!(super::escaped("a--b ?`"), "a-{}-b ?\\textasciigrave{}");
        assert_eq!(super::escaped("[1]\n|<b>"), "{[}1] \\textbar{}\\textless{}b\\textgreater{}");
    }
}
