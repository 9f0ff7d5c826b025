//! The legend below a panel: one entry per labelled mark or group, in rows.

use crate::canvas::{Canvas, Color, Marker, color};
use crate::text::Style;
use crate::{Mark, Panel, PlotError};
use plotters_backend::DrawingBackend;

/// Height of a row.
pub const ROW: f64 = 19.0;

/// Width of a sample of the mark, its distance from the label, and that from the next entry.
const SAMPLE: f64 = 22.0;
const NEAR: f64 = 5.0;
const APART: f64 = 16.0;

/// Groups with an entry of their own.
const GROUPS: usize = 24;

/// How a mark looks.
#[derive(Clone, Copy)]
pub enum Sample {
    /// A line with markers, and a band if there is a spread.
    Line(Marker, bool),
    /// A point.
    Point(Marker),
    /// A dashed line; upright or not.
    Dashes(Color, bool),
    /// Nothing.
    None,
}

/// One entry at its place, counted from the left end of the first row.
struct Entry {
    sample: Sample,
    label: String,
    x: f64,
    row: usize,
}

/// The entries in their rows.
pub struct Legend {
    entries: Vec<Entry>,
    /// Number of rows.
    pub rows: usize,
}

/// The number that decides the colour of each mark.
pub fn numbers(marks: &[Mark]) -> Vec<usize> {
    let mut next = 0;
    let count = |mark: &Mark| {
        let number = next;
        next += usize::from(!matches!(mark, Mark::Points { groups: Some(_), .. }));
        number
    };
    marks.iter().map(count).collect()
}

/// The groups that occur, ascending.
fn distinct(groups: &[u32]) -> Vec<u32> {
    let mut all = groups.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

fn samples(panel: &Panel) -> Vec<(Sample, String)> {
    let mut all = Vec::new();
    for (mark, number) in panel.marks.iter().zip(numbers(&panel.marks)) {
        let dark = |upright| Sample::Dashes(color(number, 1.0), upright);
        match mark {
            Mark::Line { label, spread, .. } => {
                let line = Sample::Line(Marker::of_line(number, 3.0), spread.is_some());
                all.push((line, label.clone()));
            }
            Mark::Bars { label, .. } => {
                let square = Marker { shape: 1, ..Marker::of_line(number, 4.5) };
                all.push((Sample::Point(square), label.clone()));
            }
            Mark::Counts { .. } => {}
            Mark::Shaded { label, .. } => {
                for (value, text) in
                    [(0.0, format!("{label} 0")), (0.5, "0.5".into()), (1.0, "1".into())]
                {
                    all.push((Sample::Point(Marker::of_value(value, 3.5)), text));
                }
            }
            Mark::Level { label, .. } => all.push((dark(false), label.clone())),
            Mark::At { label, .. } => all.push((dark(true), label.clone())),
            Mark::Points { label, groups: None, .. } => {
                let point = Sample::Point(Marker::of_group(number, 3.5));
                all.push((point, label.clone().unwrap_or_default()));
            }
            Mark::Points { label, groups: Some(groups), .. } => {
                let groups = distinct(groups);
                let before = label.as_deref().unwrap_or_default();
                for &g in groups.iter().take(GROUPS) {
                    let text = format!("{before} {g}");
                    all.push((Sample::Point(Marker::of_group(g as usize, 3.5)), text));
                }
                if groups.len() > GROUPS {
                    all.push((Sample::None, format!("and {} more", groups.len() - GROUPS)));
                }
            }
        }
    }
    all.retain(|(_, label)| !label.trim().is_empty());
    all
}

impl Legend {
    /// Puts the entries of a panel into rows of this width.
    pub fn new(panel: &Panel, width: f64, style: &Style) -> Self {
        let (mut x, mut row) = (0.0, 0);
        let mut entries = Vec::new();
        for (sample, label) in samples(panel) {
            let label = style.fit(&label, width - SAMPLE - NEAR);
            let before = if matches!(sample, Sample::None) { 0.0 } else { SAMPLE + NEAR };
            let wide = before + style.width(&label);
            if x > 0.0 && x + wide > width {
                (x, row) = (0.0, row + 1);
            }
            entries.push(Entry { sample, label, x, row });
            x += wide + APART;
        }
        let rows = if entries.is_empty() { 0 } else { row + 1 };
        Legend { entries, rows }
    }

    /// Draws from the upper left corner at `(left, top)` on.
    pub fn draw<B: DrawingBackend>(
        &self,
        (left, top): (f64, f64),
        style: Style,
        canvas: &mut Canvas<'_, B>,
    ) -> Result<(), PlotError> {
        for entry in &self.entries {
            let (x, y) = (left + entry.x, top + ROW * (entry.row as f64 + 0.5));
            let (end, middle) = (x + SAMPLE, x + SAMPLE / 2.0);
            match entry.sample {
                Sample::Line(marker, band) => {
                    if band {
                        let corners = [(x, y - 5.0), (end, y - 5.0), (end, y + 5.0), (x, y + 5.0)];
                        let light = Color { alpha: 0.2, ..marker.color };
                        canvas.polygon(&corners, light)?;
                    }
                    canvas.line(&[(x, y), (end, y)], marker.color, 1.8)?;
                    canvas.marker((middle, y), marker)?;
                }
                Sample::Point(marker) => canvas.marker((middle, y), marker)?,
                Sample::Dashes(color, false) => canvas.dashes((x, y), (end, y), color, 1.5)?,
                Sample::Dashes(color, true) => {
                    canvas.dashes((middle, y - 8.0), (middle, y + 8.0), color, 1.5)?;
                }
                Sample::None => {
                    canvas.text(&entry.label, style, (x, y))?;
                    continue;
                }
            }
            canvas.text(&entry.label, style, (end + NEAR, y))?;
        }
        Ok(())
    }
}
