//! The picture of an embedding: its two principal components, coloured by cluster and by label,
//! and the eigenvalues of the views.

use crate::files::write;
use crate::misuse::misuse;
use anyhow::{Context, Result};
use cokernel::Run;
use cokernel::data::{Labels, Matrix};
use cokernel::eval::{Comparison, ComparisonRow};
use cokernel::model::{GatePlane, Gates};
use cokernel::multiview::{Spectrum, project};
use cokernel_plot::{Mark, Panel, png, svg};
use std::path::Path;

/// Classes with a name in the legend.
const NAMED: usize = 24;

/// Number of eigenvalues of each view that are drawn.
pub fn eigenvalues(k: usize) -> usize {
    (2 * k).max(10)
}

/// What is drawn.
pub struct Picture<'a> {
    /// Stands above the panels of the embedding.
    pub title: &'a str,
    pub embedding: &'a Matrix,
    pub clusters: Option<&'a [u32]>,
    pub labels: Option<&'a Labels>,
    pub spectra: &'a [Spectrum],
    pub k: usize,
}

#[derive(Clone, Copy)]
enum Format {
    Svg,
    Png,
}

fn format(option: &str, path: &Path) -> Result<Format> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(misuse(format!(
            "{option}: expected a file name that ends with .svg or .png, found '{}'",
            path.display()
        ))),
    }
}

/// Refuses a file name that tells no format, before the work.
pub fn check(option: &str, path: Option<&Path>) -> Result<()> {
    path.map(|path| format(option, path)).transpose().map(|_| ())
}

/// Draws a picture into a file.
pub fn draw(path: &Path, picture: &Picture<'_>, run: &Run) -> Result<()> {
    let panels = picture.panels(run)?;
    let columns = panels.len();
    draw_panels(path, &panels, columns)
}

fn draw_panels(path: &Path, panels: &[Panel], columns: usize) -> Result<()> {
    let bytes = match format("--plot", path)? {
        Format::Svg => svg(panels, columns).map(String::into_bytes),
        Format::Png => png(panels, columns),
    };
    write(path, &bytes.with_context(|| format!("drawing {}", path.display()))?)
}

/// Draws the first score of each row against its total cost.
pub fn draw_costs(path: &Path, result: &Comparison) -> Result<()> {
    draw_panels(path, &[cost_panel(result)], 1)
}

fn cost_panel(result: &Comparison) -> Panel {
    let mark = |row: &ComparisonRow| {
        let (cost, score) = (row.total_cost.as_ref()?.mean, row.measures.main()?.1.mean);
        Some(Mark::Points {
            label: Some(row.name.clone()),
            points: vec![(cost, score)],
            groups: None,
        })
    };
    let score = result.rows.first().and_then(|r| r.measures.main()).map_or("score", |m| m.0.id);
    let by = result.costs.as_ref().map_or(String::new(), |c| format!(", by {c}"));
    Panel {
        title: format!("{score} against cost"),
        x_label: format!("total cost of predicting an instance in percent{by}"),
        y_label: score.into(),
        marks: result.rows.iter().filter_map(mark).collect(),
        ..Panel::default()
    }
}

/// Panels of gates in a row, and in a picture.
const IN_A_ROW: usize = 4;
const GATES: usize = 24;

/// Draws the gates of instances into a file, a panel for each, in the plane of what the gates look at; of many only
/// those that are most open, which a note then says.
pub fn draw_gates(path: &Path, gates: &Gates, plane: &GatePlane) -> Result<Option<String>> {
    let (shown, note) = most_open(&gates.means());
    let at = |i: usize| (plane.points.get(i, 0), plane.points.get(i, 1));
    let points: Vec<(f64, f64)> = (0..plane.points.rows()).map(at).collect();
    let [x, y] = &plane.names;
    let panel = |g: &usize| Panel {
        title: gates.names[*g].clone(),
        x_label: x.clone(),
        y_label: y.clone(),
        marks: vec![Mark::Shaded {
            label: "gate".into(),
            points: points.clone(),
            values: gates.values.col(*g),
        }],
        ..Panel::default()
    };
    let panels: Vec<Panel> = shown.iter().map(panel).collect();
    draw_panels(path, &panels, IN_A_ROW.min(panels.len()))?;
    Ok(note)
}

/// The gates that are drawn, in their order.
fn most_open(means: &[f64]) -> (Vec<usize>, Option<String>) {
    let mut shown: Vec<usize> = (0..means.len()).collect();
    if means.len() <= GATES {
        return (shown, None);
    }
    shown.sort_by(|a, b| means[*b].total_cmp(&means[*a]));
    shown.truncate(GATES);
    shown.sort_unstable();
    let all = means.len();
    (shown, Some(format!("the picture shows the {GATES} of {all} gates that are most open")))
}

impl Picture<'_> {
    fn panels(&self, run: &Run) -> Result<Vec<Panel>> {
        // Two principal components take no time, even of a run that was stopped.
        let plain = Run::with_seed(run.seed);
        let plane = project(self.embedding, 2, &plain)?;
        let points: Vec<(f64, f64)> =
            (0..plane.rows()).map(|i| (plane.get(i, 0), plane.get(i, 1))).collect();
        let panel = |by: &str, marks| Panel {
            title: format!("{}{by}", self.title),
            x_label: "principal component 1".into(),
            y_label: "principal component 2".into(),
            marks,
            ..Panel::default()
        };
        let mut panels = Vec::new();
        if let Some(clusters) = self.clusters {
            let mark = Mark::Points {
                label: Some("cluster".into()),
                points: points.clone(),
                groups: Some(clusters.to_vec()),
            };
            panels.push(panel(": clusters", vec![mark]));
        }
        match self.labels {
            Some(Labels::Classes { names, codes }) => {
                panels.push(panel(": labels", by_class(&points, names, codes)));
            }
            _ if panels.is_empty() => {
                let mark = Mark::Points { label: None, points, groups: None };
                panels.push(panel("", vec![mark]));
            }
            _ => {}
        }
        if !self.spectra.is_empty() {
            panels.push(self.spectrum());
        }
        Ok(panels)
    }

    fn spectrum(&self) -> Panel {
        let alone =
            |s: &&Spectrum| self.spectra.iter().filter(|other| other.view == s.view).count() == 1;
        // The first eigenvalue is always 1, and would leave little room for the others.
        let line = |s: &Spectrum| Mark::Line {
            label: if alone(&s) { s.view.clone() } else { s.kernel.clone() },
            points: s.values.iter().zip(1_u32..).skip(1).map(|(v, i)| (f64::from(i), *v)).collect(),
            spread: None,
        };
        let mut marks: Vec<Mark> = self.spectra.iter().map(line).collect();
        let label = format!("gap after k = {}", self.k);
        marks.push(Mark::At { label, x: self.k as f64 + 0.5 });
        Panel {
            title: "Spectra of the views".into(),
            x_label: "number (the first is 1)".into(),
            y_label: "eigenvalue of the normalised similarity".into(),
            marks,
            ..Panel::default()
        }
    }
}

/// One mark per class; instances without a label last.
fn by_class(points: &[(f64, f64)], names: &[String], codes: &[Option<u32>]) -> Vec<Mark> {
    let of = |class: Option<u32>| -> Vec<(f64, f64)> {
        let pairs = points.iter().zip(codes);
        pairs.filter(|(_, c)| **c == class).map(|(p, _)| *p).collect()
    };
    let mut marks: Vec<Mark> = (0_u32..)
        .zip(names)
        .map(|(c, name)| Mark::Points {
            label: ((c as usize) < NAMED).then(|| name.clone()),
            points: of(Some(c)),
            groups: None,
        })
        .collect();
    let unknown = of(None);
    if !unknown.is_empty() {
        let label = Some("no label".to_string());
        marks.push(Mark::Points { label, points: unknown, groups: None });
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_show_clusters_labels_and_spectra() {
        let embedding = Matrix::from_fn(6, 3, |i, j| ((i * 3 + j) as f64).sin());
        let labels = Labels::from_texts(&["b", "a", "b", "?", "a", "b"]);
        let spectrum = |kernel: &str, view: &str| Spectrum {
            kernel: kernel.into(),
            view: view.into(),
            values: vec![1.0, 0.5, 0.25],
            vectors: Matrix::zeros(6, 0),
        };
        let spectra = [spectrum("k", "a"), spectrum("l", "b"), spectrum("m", "b")];
        let picture = Picture {
            title: "spectral",
            embedding: &embedding,
            clusters: Some(&[0, 1, 0, 1, 2, 2]),
            labels: Some(&labels),
            spectra: &spectra,
            k: 2,
        };
        let panels = picture.panels(&Run::default()).unwrap();
        let titles: Vec<&str> = panels.iter().map(|p| p.title.as_str()).collect();
        assert_eq!(titles, ["spectral: clusters", "spectral: labels", "Spectra of the views"]);
        let named = |p: &Panel| -> Vec<(String, usize)> {
            let of = |m: &Mark| match m {
                Mark::Points { label, points, .. } => {
                    (label.clone().unwrap_or_default(), points.len())
                }
                Mark::Line { label, points, .. } => (label.clone(), points.len()),
                Mark::At { label, .. } | Mark::Level { label, .. } => (label.clone(), 0),
                Mark::Bars { .. } | Mark::Counts { .. } | Mark::Shaded { .. } => panic!("{m:?}"),
            };
            p.marks.iter().map(of).collect()
        };
        let list = |all: &[(&str, usize)]| -> Vec<(String, usize)> {
            all.iter().map(|(n, c)| (n.to_string(), *c)).collect()
        };
        assert_eq!(named(&panels[1]), list(&[("a", 2), ("b", 3), ("no label", 1)]));
        assert_eq!(
            named(&panels[2]),
            list(&[("a", 2), ("l", 2), ("m", 2), ("gap after k = 2", 0)])
        );
        let alone = Picture { clusters: None, labels: None, spectra: &[], ..picture };
        let panels = alone.panels(&Run::default()).unwrap();
        assert_eq!((panels.len(), panels[0].title.as_str()), (1, "spectral"));
    }

    #[test]
    fn the_ending_tells_the_format() {
        assert!(check("--plot", Some(Path::new("a.PNG"))).is_ok() && check("--plot", None).is_ok());
        let said = check("--plot", Some(Path::new("a.pdf"))).unwrap_err().to_string();
        assert_eq!(said, "--plot: expected a file name that ends with .svg or .png, found 'a.pdf'");
    }

    #[test]
    fn of_many_gates_the_most_open_are_drawn() {
        assert_eq!(most_open(&[0.5, 0.1]), (vec![0, 1], None));
        let means: Vec<f64> = (0..30).map(f64::from).collect();
        let (shown, note) = most_open(&means);
        assert_eq!(shown, (6..30).collect::<Vec<_>>());
        assert!(note.unwrap().contains("24 of 30 gates"));
    }
}
