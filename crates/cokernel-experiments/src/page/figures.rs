//! The pictures of a report.

use super::Material;
use super::ranking::Ranking;
use super::rows::{Compared, DataRows};
use crate::{Collected, Measured, Picked, mean_of, print};
use anyhow::Result;
use cokernel::eval::Stat;
use cokernel_plot::{Mark, Panel};
use std::collections::{BTreeMap, BTreeSet};

/// Panels with weights, embeddings or counts, and kernels in one of them: of more, the first or
/// the heaviest.
const PANELS: usize = 6;
const KERNELS: usize = 24;
/// Classes up to which counts are drawn.
const CLASSES: usize = 30;
/// Data sets whose embeddings are drawn: they take more room than all else.
const EMBEDDED: usize = 3;
/// Rows in a picture with a line for each.
const LINES: usize = 16;

/// A picture of one or several panels.
pub struct Figure {
    /// File name without its ending.
    pub name: String,
    pub title: String,
    /// What is seen.
    pub caption: String,
    pub panels: Vec<Panel>,
    pub columns: usize,
}

/// All pictures for which there is something to draw.
pub fn all(
    material: &Material<'_>,
    compared: &[DataRows],
    ranking: Option<&Ranking>,
) -> Result<Vec<Figure>> {
    let mut figures: Vec<Figure> = ranking.map(critical_difference).into_iter().collect();
    for (d, (collected, rows)) in material.collected.iter().zip(compared).enumerate() {
        let data = &material.plan.data[d].label;
        let several = material.plan.data.len() > 1;
        let ending = if several { format!("-{}", d + 1) } else { String::new() };
        let of = if several { format!(" ({data})") } else { String::new() };
        let parts = [
            ("curves", sweep(material, collected)),
            ("weights", weights(material, collected)),
            ("parameters", parameters(material, collected)),
            ("cost", trade_offs(material, rows)),
            ("convergence", convergence(material, collected)),
            ("embeddings", embeddings(material, collected).filter(|_| d < EMBEDDED)),
            ("confusion", confusion(material, collected, rows)),
        ];
        for (name, part) in parts {
            let Some(part) = part.filter(|p| !p.panels.is_empty()) else { continue };
            let name = format!("{name}{ending}");
            figures.push(Figure { name, title: part.title + &of, ..part });
        }
    }
    Ok(figures)
}

fn figure(title: &str, caption: &str, panels: Vec<Panel>) -> Option<Figure> {
    let columns = if panels.len() == 1 { 1 } else { 2 };
    let (title, caption) = (title.to_string(), caption.to_string());
    Some(Figure { name: String::new(), title, caption, panels, columns })
}

/// Mean ranks with lines over rows that cannot be told apart.
fn critical_difference(ranking: &Ranking) -> Figure {
    let order = ranking.order();
    let ranks = &ranking.friedman.mean_ranks;
    let mut names: Vec<String> = order.iter().map(|&r| ranking.labels[r].clone()).collect();
    let points = order.iter().enumerate().map(|(y, &r)| (ranks[r], y as f64)).collect();
    let mut marks = vec![Mark::Points { label: None, points, groups: None }];
    for (first, last) in ranking.groups() {
        let y = names.len() as f64;
        names.push("not told apart".to_string());
        let ends = vec![(ranks[order[first]], y), (ranks[order[last]], y)];
        marks.push(Mark::Line { label: String::new(), points: ends, spread: None });
    }
    let k = order.len() as f64;
    let panel = Panel {
        title: format!("Critical difference {:.2}", ranking.critical_difference),
        x_label: "mean rank (1 is the best)".into(),
        x_range: Some((0.9, k + 0.1)),
        y_names: names,
        marks,
        ..Panel::default()
    };
    let f = &ranking.friedman;
    let caption = format!(
        "Mean ranks over {} data sets. Friedman: χ² = {:.2}, p = {}; Iman and Davenport: \
         p = {}. Rows on a common line differ by less than Nemenyi's critical difference at \
         the level {}.",
        f.blocks,
        f.chi_squared,
        Short(f.p),
        Short(f.f_p),
        ranking.alpha
    );
    Figure {
        name: "critical-difference".into(),
        title: "Ranks over data sets".into(),
        caption,
        panels: vec![panel],
        columns: 1,
    }
}

/// A probability with two digits.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            p if p < 1e-3 => write!(f, "{p:.1e}"),
            p => write!(f, "{p:.3}"),
        }
    }
}

/// Curves of an experiment with a sweep.
fn sweep(material: &Material<'_>, collected: &Collected) -> Option<Figure> {
    let log = material.plan.sweep.as_ref().is_some_and(|s| s.log);
    let panels = print::panels(&collected.outcome, log)?;
    figure("Curves", "Bands are standard deviations over the data sets or splits.", panels)
}

/// A name without the numbers in parentheses, which differ between splits.
fn stem(name: &str) -> &str {
    name.split_once('(').map_or(name, |(stem, _)| stem)
}

/// Weights of the kernels, mean and spread over the splits.
fn weights(material: &Material<'_>, collected: &Collected) -> Option<Figure> {
    let mut panels = Vec::new();
    for (&(row, at), picked) in &collected.measurements {
        if at.is_some() || panels.len() == PANELS {
            continue;
        }
        let each: Vec<&Measured> = picked.values().map(|p| &p.measured).collect();
        let Some(first) = each.first().filter(|m| !m.details.weights.is_empty()) else { continue };
        let same = |m: &&&Measured| m.details.weights.len() == first.details.weights.len();
        let each: Vec<&&Measured> = each.iter().filter(same).collect();
        let mut bars: Vec<(String, Stat)> = (0..first.details.weights.len())
            .map(|k| {
                let values = each.iter().map(|m| m.details.weights[k]).collect();
                (stem(&first.details.kernels[k]).to_string(), Stat::new(values))
            })
            .collect();
        // Weights that are all the same say nothing.
        let (low, high) = bars.iter().fold((f64::MAX, 0.0_f64), |(a, b), (_, s)| {
            (a.min(s.mean - s.sd), b.max(s.mean + s.sd))
        });
        if high - low < 1e-9 {
            continue;
        }
        let all = bars.len();
        if all > KERNELS {
            bars.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
            bars.truncate(KERNELS);
        }
        let label = &material.plan.rows[row].label;
        let heaviest = if all > KERNELS { format!(", {KERNELS} of {all}") } else { String::new() };
        panels.push(Panel {
            title: format!("{label}{heaviest}"),
            x_label: "weight".into(),
            y_names: bars.iter().map(|b| b.0.clone()).collect(),
            marks: vec![Mark::Bars {
                label: String::new(),
                values: bars.iter().map(|b| b.1.mean).collect(),
                spread: (each.len() > 1).then(|| bars.iter().map(|b| b.1.sd).collect()),
            }],
            ..Panel::default()
        });
    }
    let caption = "Mean over the splits; lines are standard deviations.";
    figure("Kernel weights", caption, panels)
}

/// Scores over the numbers of grids; of those that agree in it, the best mean.
fn parameters(material: &Material<'_>, collected: &Collected) -> Option<Figure> {
    let plan = material.plan;
    let score = plan.protocol.pick_by;
    let mut names: BTreeSet<&String> = BTreeSet::new();
    let mut families: Vec<&str> = Vec::new();
    for row in &plan.rows {
        names.extend(row.variants.iter().flat_map(|v| v.at.keys()));
        if !families.contains(&row.family.as_str()) {
            families.push(&row.family);
        }
    }
    let mut panels = Vec::new();
    for name in names {
        let mut marks = Vec::new();
        let mut values: Vec<f64> = Vec::new();
        for family in families.iter().take(LINES) {
            let mut best: BTreeMap<String, (f64, Stat)> = BTreeMap::new();
            for (r, row) in plan.rows.iter().enumerate().filter(|(_, r)| r.family == *family) {
                let Some(units) = collected.variants.get(&(r, None)) else { continue };
                for (v, variant) in row.variants.iter().enumerate() {
                    let Some(&x) = variant.at.get(name) else { continue };
                    let of_units = units.values().filter_map(|u| u.get(&v));
                    let stat = Stat::new(of_units.map(|m| mean_of(m, score)).collect());
                    let key = x.to_string();
                    let better = |b: &(f64, Stat)| score.better(stat.mean, b.1.mean);
                    if !stat.values.is_empty() && best.get(&key).is_none_or(better) {
                        best.insert(key, (x, stat));
                    }
                }
            }
            let mut points: Vec<(f64, Stat)> = best.into_values().collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if points.len() > 1 {
                values.extend(points.iter().map(|p| p.0));
                let spread = points.iter().map(|p| p.1.sd).collect();
                marks.push(Mark::Line {
                    label: family.to_string(),
                    spread: points.iter().any(|p| p.1.values.len() > 1).then_some(spread),
                    points: points.iter().map(|p| (p.0, p.1.mean)).collect(),
                });
            }
        }
        if marks.is_empty() {
            continue;
        }
        let (low, high) =
            values.iter().fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
        panels.push(Panel {
            title: format!("{} over {name}", score.title(plan.protocol.task())),
            x_label: name.clone(),
            y_label: score.id().into(),
            log_x: low > 0.0 && high / low >= 20.0,
            marks,
            ..Panel::default()
        });
    }
    let caption =
        "Bands are standard deviations. Where a grid has other parameters, the best mean.";
    figure("Parameters", caption, panels)
}

/// The score against what it costs.
fn trade_offs(material: &Material<'_>, rows: &DataRows) -> Option<Figure> {
    let plan = material.plan;
    let score = plan.protocol.pick_by;
    let s = plan.protocol.scores.iter().position(|x| *x == score)?;
    if rows.rows.iter().any(|r| r.at.is_some()) || rows.rows.len() < 2 {
        return None;
    }
    type Of = fn(&Compared) -> Option<f64>;
    let axes: [(&str, bool, Of); 3] = [
        ("support vectors in percent", false, |r| r.support_percent.as_ref().map(|s| s.mean)),
        ("seconds to learn", true, |r| Some(r.seconds.mean).filter(|s| *s > 0.0)),
        ("cost of predicting one instance", true, |r| r.cost.as_ref().map(|s| s.mean)),
    ];
    let mut panels = Vec::new();
    for (x_label, log_x, of) in axes {
        let mark = |row: &Compared| {
            let points = vec![(of(row)?, row.values[s].stat.mean)];
            Some(Mark::Points { label: Some(row.label.clone()), points, groups: None })
        };
        let marks: Vec<Mark> = rows.rows.iter().take(LINES).filter_map(mark).collect();
        if marks.len() > 1 {
            panels.push(Panel {
                title: format!("{} against {x_label}", score.id()),
                x_label: x_label.into(),
                y_label: score.id().into(),
                log_x,
                marks,
                ..Panel::default()
            });
        }
    }
    let caption = "Means. Seconds are those of learning, without the kernels, which rows share. The \
                   cost counts kernel values, times the costs of their views: kernels in use × \
                   support vectors.";
    figure("What accuracy costs", caption, panels)
}

/// Objective and gap over iterations, on the first split or data set.
fn convergence(material: &Material<'_>, collected: &Collected) -> Option<Figure> {
    let first =
        |picked: &BTreeMap<usize, Picked>| picked.values().next().map(|p| p.measured.clone());
    let firsts: Vec<(String, Measured)> = collected
        .measurements
        .iter()
        .filter(|((_, at), _)| at.is_none())
        .filter_map(|((row, _), p)| Some((material.plan.rows[*row].label.clone(), first(p)?)))
        .collect();
    let line = |label: &str, values: &[f64]| Mark::Line {
        label: label.to_string(),
        points: values.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect(),
        spread: None,
    };
    let mut panels = Vec::new();
    let gaps: Vec<Mark> = firsts
        .iter()
        .filter(|(_, m)| m.details.gaps.len() > 1)
        .take(LINES)
        .map(|(label, m)| line(label, &m.details.gaps))
        .collect();
    // Objectives of different problems have nothing in common but the way they go.
    let objectives: Vec<Mark> = firsts
        .iter()
        .filter(|(_, m)| m.details.objective.len() > 1)
        .take(LINES)
        .filter_map(|(label, m)| {
            let (from, to) = (m.details.objective.first()?, m.details.objective.last()?);
            let span = if (from - to).abs() > 0.0 { from - to } else { return None };
            let left: Vec<f64> = m.details.objective.iter().map(|v| (v - to) / span).collect();
            Some(line(label, &left))
        })
        .collect();
    if !gaps.is_empty() {
        panels.push(Panel {
            title: "Relative duality gap".into(),
            x_label: "iteration".into(),
            y_label: "gap".into(),
            log_y: true,
            marks: gaps,
            ..Panel::default()
        });
    }
    if !objectives.is_empty() {
        panels.push(Panel {
            title: "Way to the last objective".into(),
            x_label: "iteration".into(),
            y_label: "share that is left".into(),
            marks: objectives,
            ..Panel::default()
        });
    }
    figure("Convergence", "On the first split or data set of each row.", panels)
}

/// Two principal components of what k-means worked on.
fn embeddings(material: &Material<'_>, collected: &Collected) -> Option<Figure> {
    let mut panels = Vec::new();
    for (&(row, at), picked) in &collected.measurements {
        let Some(d) = picked.values().next().map(|p| &p.measured.details) else { continue };
        if at.is_some() || d.plane.is_empty() || panels.len() + 2 > PANELS {
            continue;
        }
        let label = &material.plan.rows[row].label;
        let panel = |by: &str, marks| Panel {
            title: format!("{label}: {by}"),
            x_label: "principal component 1".into(),
            y_label: "principal component 2".into(),
            marks,
            ..Panel::default()
        };
        let clusters = Mark::Points {
            label: Some("cluster".into()),
            points: d.plane.clone(),
            groups: Some(d.plane_clusters.clone()),
        };
        panels.push(panel("clusters", vec![clusters]));
        let of_class = |c: usize| {
            let of = d.plane.iter().zip(&d.plane_classes).filter(|(_, k)| **k as usize == c);
            Mark::Points {
                label: Some(d.classes[c].clone()),
                points: of.map(|(p, _)| *p).collect(),
                groups: None,
            }
        };
        panels.push(panel("classes", (0..d.classes.len()).map(of_class).collect()));
    }
    let caption = "Some of the instances of the first data set, by cluster and by class.";
    figure("Embeddings", caption, panels)
}

/// Counts of classes, for the best rows.
fn confusion(material: &Material<'_>, collected: &Collected, rows: &DataRows) -> Option<Figure> {
    let plan = material.plan;
    let learned = plan.protocol.learning().is_some();
    let score = plan.protocol.pick_by;
    let s = plan.protocol.scores.iter().position(|x| *x == score).unwrap_or(0);
    let mut order: Vec<&Compared> = rows.rows.iter().filter(|r| r.at.is_none()).collect();
    order.sort_by(|a, b| {
        let (a, b) = (a.values[s].stat.mean, b.values[s].stat.mean);
        if score.better(0.0, 1.0) { a.total_cmp(&b) } else { b.total_cmp(&a) }
    });
    let mut panels = Vec::new();
    for row in order.into_iter().take(2) {
        let picked = &collected.measurements[&(row.row, None)];
        // Clusters have other numbers on other data sets: only the first.
        let units = picked.values().take(if learned { usize::MAX } else { 1 });
        let mut sum: Vec<Vec<u64>> = Vec::new();
        let mut classes: &[String] = &[];
        for p in units {
            let d = &p.measured.details;
            classes = &d.classes;
            if sum.is_empty() {
                sum = d.confusion.clone();
                continue;
            }
            for (a, b) in sum.iter_mut().zip(&d.confusion) {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            }
        }
        if sum.is_empty() || classes.len() > CLASSES {
            continue;
        }
        let columns = sum[0].len();
        let numbers = (0..columns).map(|c| c.to_string()).collect();
        panels.push(Panel {
            title: row.label.clone(),
            x_label: if learned { "predicted" } else { "cluster" }.into(),
            y_label: "true class".into(),
            y_names: classes.to_vec(),
            x_names: if learned { classes.to_vec() } else { numbers },
            marks: vec![Mark::Counts { rows: sum }],
            ..Panel::default()
        });
    }
    let caption = match learned {
        true => "The two best rows, summed over the splits; darker: a larger share of the class.",
        false => "The two best rows, on the first data set; darker: a larger share of the class.",
    };
    figure("Confusion", caption, panels)
}
