//! The page: one file that needs no network.

use super::Material;
use super::figures::Figure;
use super::markup::{self, HtmlFigure, HtmlTable, Shown, text};
use super::ranking::Ranking;
use super::rows::{Compared, DataRows, Mark};
use super::tables::{legend, mean_and_sd, sign};
use crate::table::{count, seconds};
use anyhow::Result;
use cokernel_plot::{Panel, svg_with_tips};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Parts that are not always there: their id and title.
const NOTES: (&str, &str) = ("notes", "Notes");
const TROUBLES: (&str, &str) = ("troubles", "Cells without a result");

/// The page as HTML.
pub fn page(
    material: &Material<'_>,
    compared: &[DataRows],
    ranking: Option<&Ranking>,
    figures: &[Figure],
) -> Result<String> {
    let plan = material.plan;
    let tables: Vec<HtmlTable> = compared.iter().map(|rows| table(material, rows)).collect();
    let one = |panel: &Panel| svg_with_tips(std::slice::from_ref(panel), 1);
    let drawn = |f: &Figure| -> Result<HtmlFigure> {
        Ok(HtmlFigure {
            name: f.name.clone(),
            title: f.title.clone(),
            caption: f.caption.clone(),
            panels: f.panels.iter().map(one).collect::<Result<_, _>>()?,
        })
    };
    let figures = figures.iter().map(drawn).collect::<Result<Vec<_>>>()?;
    let troubles: Vec<(String, String)> =
        material.troubles.iter().map(|t| (t.label.clone(), t.error.clone())).collect();
    let notes = notes(material);
    let counts = &material.counts;
    let mut links: String = figures.iter().map(|f| markup::link(&f.name, &f.title)).collect();
    let lists = [(NOTES, notes.is_empty()), (TROUBLES, troubles.is_empty())];
    links.extend(lists.iter().filter(|(_, empty)| !empty).map(|((id, t), _)| markup::link(id, t)));
    let seed = match material.seed == plan.protocol.seed {
        true => String::new(),
        false => format!(" --seed {}", material.seed),
    };
    let incomplete = match counts.all() - counts.done {
        0 => String::new(),
        rest => markup::warning(&format!(
            "{} of {} have no result; what follows is made of the others.",
            count(rest, "cell", "cells"),
            counts.all(),
        )),
    };
    let kicker = [plan.id.clone(), plan.place()].into_iter().filter(|s| !s.is_empty());
    let command = format!("cokernel run {}{seed} --store {}", material.spec.place, material.store);
    Ok(format!(
        include_str!("page.html"),
        version = text(cokernel::VERSION),
        title = text(&plan.title),
        style = STYLE,
        script = SCRIPT,
        kicker = text(kicker.collect::<Vec<_>>().join(" · ")),
        summary = text(summary(material, compared, ranking)),
        incomplete = incomplete,
        links = links,
        tables = markup::tables(&tables),
        figures = markup::figures(&figures),
        notes = markup::notes(NOTES.0, NOTES.1, &notes),
        troubles = markup::troubles(TROUBLES.0, TROUBLES.1, &troubles),
        cells = counts.all(),
        seed = material.seed,
        command = text(command),
        again = text(format!("cokernel report {} -o .", material.store)),
        specification = text(&material.spec.text),
    ))
}

fn table(material: &Material<'_>, data: &DataRows) -> HtmlTable {
    let protocol = &material.plan.protocol;
    let swept = data.rows.iter().any(|r| r.at.is_some());
    let mut header = vec!["row".to_string()];
    let sweep = material.plan.sweep.as_ref().filter(|_| swept);
    header.extend(sweep.map(|s| s.label.clone()));
    header.extend(protocol.scores.iter().map(|s| s.title(protocol.task()).to_string()));
    let learned = data.rows.iter().any(|r| r.support_percent.is_some());
    if learned {
        header.extend(["active kernels", "support vectors %", "cost"].map(String::from));
    }
    header.push("seconds".to_string());
    let row = |r: &Compared| {
        let mut cells = Vec::new();
        if swept {
            let text = r.at.map_or("–".to_string(), |x| x.to_string());
            cells.push(Shown::new(text, r.at.unwrap_or(f64::NEG_INFINITY)));
        }
        for v in &r.values {
            let tip = match (v.mark, v.p, v.p_holm) {
                (Mark::Baseline, _, _) => "all others are compared with this row".to_string(),
                (_, Some(p), Some(holm)) => format!("p = {p:.3}, after Holm {holm:.3}"),
                _ => String::new(),
            };
            let (best, sign) = (v.best, sign(v.mark));
            cells.push(Shown { best, sign, tip, ..Shown::new(mean_and_sd(&v.stat), v.stat.mean) });
        }
        if learned {
            for (stat, digits) in [(&r.active_kernels, 1), (&r.support_percent, 1), (&r.cost, 0)] {
                cells.push(match stat {
                    Some(s) => Shown::new(format!("{:.digits$}", s.mean), s.mean),
                    None => Shown::new("–", f64::NEG_INFINITY),
                });
            }
        }
        cells.push(Shown::new(seconds(r.seconds.mean), r.seconds.mean));
        (r.label.clone(), cells)
    };
    HtmlTable {
        title: data.data.clone(),
        header,
        rows: data.rows.iter().map(row).collect(),
        legend: legend(material, data),
    }
}

fn notes(material: &Material<'_>) -> Vec<String> {
    let mut notes = material.plan.notes.clone();
    for collected in material.collected {
        notes.extend(crate::print::picked(&collected.outcome));
        for row in &collected.outcome.rows {
            for note in &row.notes {
                let note = format!("{}: {note}", row.label);
                if !notes.contains(&note) && notes.len() < 40 {
                    notes.push(note);
                }
            }
        }
    }
    notes
}

/// The result in a sentence or two.
fn summary(material: &Material<'_>, all: &[DataRows], ranking: Option<&Ranking>) -> String {
    let plan = material.plan;
    let score = plan.protocol.pick_by;
    let name = score.title(plan.protocol.task());
    if let Some(ranking) = ranking {
        let first = ranking.order()[0];
        let (label, rank) = (&ranking.labels[first], ranking.friedman.mean_ranks[first]);
        let differ = match ranking.friedman.f_p <= ranking.alpha {
            true => "the rows differ",
            false => "the rows cannot be told apart",
        };
        let (blocks, alpha) = (ranking.friedman.blocks, ranking.alpha);
        return format!(
            "{label} has the best mean rank, {rank:.2}, by {name} over {blocks} data sets; {differ} \
             at the level {alpha} (Friedman)."
        );
    }
    let s = plan.protocol.scores.iter().position(|x| *x == score).unwrap_or(0);
    let sentence = |data: &DataRows| -> Option<String> {
        let better = |a: &&Compared, b: &&Compared| {
            score.better(b.values[s].stat.mean, a.values[s].stat.mean)
        };
        let best = data.rows.iter().reduce(|a, b| if better(&a, &b) { b } else { a })?;
        let at = match (best.at, &plan.sweep) {
            (Some(x), Some(sweep)) => format!(" at {} = {x}", sweep.label),
            _ => String::new(),
        };
        let of = if all.len() > 1 { format!("On {}, ", data.data) } else { String::new() };
        let value = mean_and_sd(&best.values[s].stat);
        let rows = count(data.rows.len(), "row", "rows");
        let alike: Vec<&str> = data
            .rows
            .iter()
            .filter(|r| r.values[s].mark == Mark::Alike)
            .map(|r| r.label.as_str())
            .collect();
        let tested = best.values[s].mark == Mark::Baseline;
        let alike = match (tested, alike.as_slice()) {
            (false, _) => String::new(),
            (true, []) => "; every other row is worse".to_string(),
            (true, some) if some.len() <= 3 => {
                format!("; not told apart from it: {}", some.join("; "))
            }
            (true, some) => format!("; {} others are not told apart from it", some.len()),
        };
        Some(format!("{of}{}{at} has the best {name} of {rows}, {value}{alike}.", best.label))
    };
    let all: Vec<String> = all.iter().filter_map(sentence).collect();
    if all.is_empty() { "There is no result yet.".to_string() } else { all.join(" ") }
}
