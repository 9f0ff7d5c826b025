//! The tables at the top of the page: of each paper what was re-run, what is within reach, and what is not to be had.

use super::{BY_SCRIPT, Skipped, against, heading};
use crate::outcome::Outcome;
use crate::visible::markdown as safe;
use anyhow::Result;
use serde::Deserialize;

/// Published results that nothing here re-runs, with the reasons.
const NOT_AT_HAND: &str = include_str!("not_at_hand.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NotAtHand {
    absent: Vec<Absent>,
}

/// A published result that cannot be re-run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Absent {
    paper: String,
    table: String,
    /// Printed figures; those of curves are not printed.
    figures: usize,
    reason: String,
}

/// What a script found, as the page of scripts has it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Script {
    id: String,
    /// `LMKA Table 5.21, OLIVETTI`.
    title: String,
    figures: Count,
    /// Published statements, of the order of methods mostly.
    said: Count,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Count {
    within: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, holds: bool) {
        self.all += 1;
        self.within += usize::from(holds);
    }
}

/// A line of the table of a paper.
struct Line {
    paper: String,
    cells: String,
    figures: Count,
    absent: usize,
}

/// The tables, one for each paper.
pub fn tables(results: &[Outcome], skipped: &[Skipped], scripts: bool) -> Result<Vec<String>> {
    let mut all: Vec<Line> = results.iter().map(of_result).collect();
    if scripts {
        all.extend(read(BY_SCRIPT).iter().map(of_script));
        let absent: NotAtHand = toml::from_str(NOT_AT_HAND)?;
        all.extend(absent.absent.into_iter().map(of_absent));
    }
    all.extend(skipped.iter().map(of_skipped));
    let mut papers: Vec<&str> = Vec::new();
    for line in &all {
        if !papers.contains(&line.paper.as_str()) {
            papers.push(&line.paper);
        }
    }
    let mut lines = Vec::new();
    for paper in papers {
        let own: Vec<&Line> = all.iter().filter(|l| l.paper == paper).collect();
        let sum = |of: fn(&Line) -> usize| own.iter().map(|l| of(l)).sum::<usize>();
        let (run, within, absent) =
            (sum(|l| l.figures.all), sum(|l| l.figures.within), sum(|l| l.absent));
        let name = if paper.is_empty() { "Own" } else { paper };
        lines.extend([
            String::new(),
            format!(
                "**{}**: {run} figures re-run, {within} within reach, {absent} not to be had.",
                safe(name)
            ),
            String::new(),
            "| id | published as | what it is | figures | within reach | published order holds |"
                .to_string(),
            "|---|---|---|---:|---:|---:|".to_string(),
        ]);
        lines.extend(own.iter().map(|l| l.cells.clone()));
    }
    Ok(lines)
}

fn anchor(heading: &str) -> String {
    heading.replace(['.', ':', '(', ')'], "").replace(' ', "-").to_lowercase()
}

fn number(n: usize, of: usize) -> String {
    if of == 0 { "–".to_string() } else { n.to_string() }
}

fn of_result(r: &Outcome) -> Line {
    let all: Vec<bool> = against(r).map(|a| a.2.within_reach).collect();
    let within = all.iter().filter(|w| **w).count();
    let holds: usize = r.claims.iter().map(|c| c.holds).sum();
    let of: usize = r.claims.iter().map(|c| c.of).sum();
    let order = if of > 0 { format!("{holds} of {of}") } else { "–".to_string() };
    let cells = format!(
        "| [{}](#{}) | {} | {} | {} | {} | {order} |",
        safe(&heading(r)),
        anchor(&heading(r)),
        safe(&r.table),
        safe(&r.title),
        number(all.len(), all.len()),
        number(within, all.len()),
    );
    let figures = Count { within, all: all.len() };
    Line { paper: r.paper.clone(), cells, figures, absent: 0 }
}

fn of_script(s: &Script) -> Line {
    let (paper, title) = s.title.split_once(' ').unwrap_or((&s.title, ""));
    let said = match s.said {
        Count { all: 0, .. } => "–".to_string(),
        Count { within, all } => format!("{within} of {all}"),
    };
    let cells = format!(
        "| [{}](#{}) † | {} | by a script | {} | {} | {said} |",
        safe(&s.id),
        anchor(&s.id),
        safe(title),
        number(s.figures.all, s.figures.all),
        number(s.figures.within, s.figures.all),
    );
    Line { paper: paper.to_string(), cells, figures: s.figures, absent: 0 }
}

fn of_absent(a: Absent) -> Line {
    let figures = number(a.figures, a.figures);
    let cells = format!(
        "| | {} | not to be had: {} | {figures} | – | – |",
        safe(&a.table),
        safe(&a.reason)
    );
    Line { paper: a.paper, cells, figures: Count::default(), absent: a.figures }
}

fn of_skipped(s: &Skipped) -> Line {
    let cells = format!(
        "| {} | {} | not run: {} | – | – | – |",
        safe(&s.id),
        safe(&s.table),
        safe(&s.reason)
    );
    Line { paper: s.paper.clone(), cells, figures: Count::default(), absent: 0 }
}

/// The sections of the page of scripts: their verdicts are counted in the columns of that name, as figures in tables of
/// methods and as statements in all others.
fn read(text: &str) -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    let mut header: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(id) = line.strip_prefix("## ") {
            scripts.push(Script { id: id.to_string(), ..Script::default() });
            continue;
        }
        let Some(script) = scripts.last_mut() else { continue };
        if script.title.is_empty() && !line.is_empty() {
            let ends = [". ", ": ", " ("].into_iter().filter_map(|end| line.find(end));
            script.title = line[..ends.min().unwrap_or(line.len())].to_string();
        }
        if !line.starts_with('|') {
            header.clear();
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if header.is_empty() {
            header = cells;
            continue;
        }
        for (_, verdict) in header.iter().zip(&cells).filter(|(h, _)| **h == "verdict") {
            let of_figures = header[0] == "method";
            let count = if of_figures { &mut script.figures } else { &mut script.said };
            match *verdict {
                "–" | "not comparable" => {}
                v if v.starts_with("---") => {}
                v => count.add(["within", "holds", "the same"].iter().any(|w| v.starts_with(w))),
            }
        }
    }
    scripts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_scripts_are_counted() {
        let text = "\n## a-1\n\nPAPER Table 1, DATA (12). `python x`\n\n| method | score | verdict | size | verdict |\n\
                    |---|---:|---|---:|---|\n| one | 1 | within 2 sd | 2 | more |\n| two | 1 | – | 2 | less |\n\n\
                    | one | other | verdict |\n|---|---|---|\n| a | b | holds |\n| a | c | differs: more |\n";
        let found = read(text);
        let (figures, said) = (Count { within: 1, all: 3 }, Count { within: 1, all: 2 });
        let title = "PAPER Table 1, DATA".to_string();
        assert_eq!(found, [Script { id: "a-1".to_string(), title, figures, said }]);
    }

    #[test]
    fn the_tables_of_all_that_ships_can_be_made() {
        let lines = tables(&[], &[], true).unwrap();
        for paper in ["LMS", "LMKA", "NCUT", "GMKD", "CRSC"] {
            assert!(lines.iter().any(|l| l.starts_with(&format!("**{paper}**"))), "{paper}");
        }
        assert!(lines.iter().any(|l| l.contains("[lmka-5.21](#lmka-521) †")));
    }
}
