//! Bars and counts, and where the values of all marks are.

use crate::axis::Axis;
use crate::canvas::{Canvas, color, grey};
use crate::layout::Area;
use crate::text::Style;
use crate::{Mark, Panel, PlotError, clip, legend};
use plotters_backend::DrawingBackend;

/// Share of its band that a bar fills.
const FILLED: f64 = 0.64;

/// The marks of a panel on its axes.
pub struct Shapes<'a> {
    pub panel: &'a Panel,
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub area: &'a Area,
    /// The look of a count.
    pub number: Style,
}

/// A number for people: four digits, without those that say nothing.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        a if !(1e-3..1e6).contains(&a) => format!("{value:.3e}"),
        a => {
            let digits = (3 - a.log10().floor() as i32).max(0) as usize;
            let text = format!("{value:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
    }
}

impl Shapes<'_> {
    /// The corners of the rectangle between two points of the axes, if it is inside.
    fn corners(&self, from: (f64, f64), to: (f64, f64)) -> Option<[(f64, f64); 2]> {
        let at = |p: (f64, f64)| Some((self.x.at(p.0)?, self.y.at(p.1)?));
        let (a, b) = (at(from)?, at(to)?);
        let within = |t: f64| t.clamp(0.0, 1.0);
        let [a, b] = [a, b].map(|p| self.area.place((within(p.0), within(p.1))));
        Some([a, b])
    }

    fn numbered(&self) -> impl Iterator<Item = (&Mark, usize)> {
        self.panel.marks.iter().zip(legend::numbers(&self.panel.marks))
    }

    /// The ends of bar i; several marks with bars share its band.
    fn bar(&self, mark: &Mark, i: usize, value: f64) -> Option<[(f64, f64); 2]> {
        let marks = || self.panel.marks.iter().filter(|m| matches!(m, Mark::Bars { .. }));
        let count = marks().count().max(1) as f64;
        let turn = marks().position(|m| std::ptr::eq(m, mark)).unwrap_or(0) as f64;
        let top = i as f64 - FILLED / 2.0 + FILLED * turn / count;
        self.corners((0.0, top), (value, top + FILLED / count))
    }

    /// Draws bars, and the lines around their ends.
    pub fn bars<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) -> Result<(), PlotError> {
        for (mark, number) in self.numbered() {
            let Mark::Bars { values, spread, .. } = mark else { continue };
            for (i, &value) in values.iter().enumerate() {
                let Some([(x0, y0), (x1, y1)]) = self.bar(mark, i, value) else { continue };
                let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
                if x0 != x1 {
                    canvas.polygon(&corners, color(number, 0.85))?;
                }
                let half = spread.as_ref().map_or(0.0, |s| s[i]);
                let around = self.corners(((value - half).max(0.0), 0.0), (value + half, 0.0));
                if let Some([(from, _), (to, _)]) = around.filter(|_| half > 0.0) {
                    let middle = 0.5 * (y0 + y1);
                    canvas.line(&[(from, middle), (to, middle)], grey(60), 1.5)?;
                }
            }
        }
        Ok(())
    }

    /// Draws counts.
    pub fn counts<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) -> Result<(), PlotError> {
        for (mark, number) in self.numbered() {
            let Mark::Counts { rows } = mark else { continue };
            for (i, row) in rows.iter().enumerate() {
                let sum = row.iter().sum::<u64>().max(1) as f64;
                for (j, &count) in row.iter().enumerate() {
                    let Some([a, b]) = self.band(i, j) else { continue };
                    let share = count as f64 / sum;
                    let corners = [a, (b.0, a.1), b, (a.0, b.1)];
                    canvas.polygon(&corners, color(number, 0.04 + 0.9 * share))?;
                    let text = count.to_string();
                    if count > 0 && self.number.width(&text) < (b.0 - a.0).abs() {
                        let style = if share > 0.5 { self.number.white() } else { self.number };
                        let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
                        canvas.text(&text, style.centred(), middle)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The corners of the band of row i and column j.
    fn band(&self, i: usize, j: usize) -> Option<[(f64, f64); 2]> {
        let (x, y) = (j as f64, i as f64);
        self.corners((x - 0.5, y - 0.5), (x + 0.5, y + 0.5))
    }

    /// Notes where the values are, in words.
    pub fn spots<B: DrawingBackend>(&self, canvas: &mut Canvas<'_, B>) {
        let name = |names: &[String], i: usize| names.get(i).cloned().unwrap_or(i.to_string());
        let panel = self.panel;
        for mark in &panel.marks {
            match mark {
                Mark::Line { label, points, spread } => {
                    for (i, p) in points.iter().enumerate() {
                        let half = spread.as_ref().map(|s| s[i]);
                        self.point(canvas, label, *p, half);
                    }
                }
                Mark::Points { label, points, groups } => {
                    let label = label.as_deref().unwrap_or_default();
                    for (i, p) in points.iter().enumerate() {
                        match groups {
                            Some(g) => self.point(canvas, &format!("{label} {}", g[i]), *p, None),
                            None => self.point(canvas, label, *p, None),
                        }
                    }
                }
                Mark::Shaded { label, points, values } => {
                    for (p, value) in points.iter().zip(values) {
                        self.point(canvas, &format!("{label} {}", short(*value)), *p, None);
                    }
                }
                Mark::Bars { label, values, spread } => {
                    for (i, &value) in values.iter().enumerate() {
                        let Some([a, b]) = self.bar(mark, i, value) else { continue };
                        let half = spread.as_ref().map(|s| format!(" ± {}", short(s[i])));
                        let half = half.unwrap_or_default();
                        let before =
                            if label.is_empty() { String::new() } else { format!("{label}, ") };
                        let text =
                            format!("{before}{}: {}{half}", name(&panel.y_names, i), short(value));
                        // Also a bar of no length can be pointed at.
                        canvas.spot(a, (b.0.max(a.0 + 12.0), b.1), text);
                    }
                }
                Mark::Counts { rows } => {
                    for (i, row) in rows.iter().enumerate() {
                        for (j, count) in row.iter().enumerate() {
                            let Some([a, b]) = self.band(i, j) else { continue };
                            let (y, x) = (name(&panel.y_names, i), name(&panel.x_names, j));
                            let (of_y, of_x) = (&panel.y_label, &panel.x_label);
                            canvas.spot(a, b, format!("{of_y} {y}, {of_x} {x}: {count}"));
                        }
                    }
                }
                Mark::Level { .. } | Mark::At { .. } => {}
            }
        }
    }

    fn point<B: DrawingBackend>(
        &self,
        canvas: &mut Canvas<'_, B>,
        label: &str,
        (x, y): (f64, f64),
        spread: Option<f64>,
    ) {
        let at = self.x.at(x).zip(self.y.at(y)).filter(|p| clip::inside(*p));
        let Some(at) = at else { return };
        let half = spread.map_or(String::new(), |s| format!(" ± {}", short(s)));
        let value = |names: &[String], v: f64| match names.get(v as usize) {
            Some(name) if v >= 0.0 && v.fract() == 0.0 => name.clone(),
            _ => short(v),
        };
        let (x, y) = (value(&self.panel.x_names, x), value(&self.panel.y_names, y));
        let label = if label.trim().is_empty() { String::new() } else { format!("{label}: ") };
        let (of_x, of_y) = (&self.panel.x_label, &self.panel.y_label);
        canvas.spot_at(self.area.place(at), format!("{label}{of_x} {x}, {of_y} {y}{half}"));
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 0.98765, 123456.0, 12.0, 0.5, 1e-5, 2.5e7, -0.25];
        let texts = all.map(short);
        assert_eq!(texts, ["0", "0.9877", "123456", "12", "0.5", "1.000e-5", "2.500e7", "-0.25"]);
    }
}
