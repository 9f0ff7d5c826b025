//! Where everything stands, in pixels, and the drawing of one panel.

use crate::axis::Axis;
use crate::canvas::{Canvas, Color, Marker, color, grey};
use crate::legend::{self, Legend};
use crate::shapes::Shapes;
use crate::text::Style;
use crate::{Mark, Panel, PlotError, clip};
use plotters_backend::DrawingBackend;

/// Width of a panel that stands alone, and beside others.
const ALONE: u32 = 560;
const BESIDE: u32 = 430;
/// Height of the drawing area of a panel, and of the band of a name.
const HEIGHT: f64 = 290.0;
const BAND: f64 = 22.0;
/// White space around everything.
const MARGIN: f64 = 12.0;
/// Room for the title, for the tick labels below, for each name of an axis.
const TITLE: f64 = 28.0;
const TICKS: f64 = 20.0;
const NAME: f64 = 20.0;
/// Pixels that a picture may be wide or high.
const LIMIT: u64 = 20_000;
/// Points of a line up to which each has a marker; of more points, about `FEW` have one.
const MARKED: usize = 40;
const FEW: usize = 10;

/// The place of a panel.
#[derive(Clone, Copy)]
pub struct Cell {
    index: usize,
    /// Pixels from the left of the picture.
    pub left: u32,
    /// Pixels from the top of the picture.
    pub top: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// The panels with their places and legends.
pub struct Layout<'a> {
    panels: &'a [Panel],
    legends: Vec<Legend>,
    cells: Vec<Cell>,
    size: (u32, u32),
    fonts: Fonts,
}

#[derive(Clone, Copy)]
struct Fonts {
    title: Style,
    name: Style,
    tick: Style,
}

/// The drawing area of a panel.
pub struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    /// A point whose coordinates are fractions of the axes.
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.left + x * self.width, self.top + (1.0 - y) * self.height)
    }
}

/// Height of the drawing area.
fn height(panel: &Panel) -> f64 {
    match panel.y_names.len() {
        0 => HEIGHT,
        n => (n as f64 * BAND).max(2.0 * BAND),
    }
}

impl<'a> Layout<'a> {
    /// Checks the panels and puts them into a grid.
    pub fn new(panels: &'a [Panel], columns: usize) -> Result<Self, PlotError> {
        if panels.is_empty() {
            return Err(PlotError::NoPanels);
        }
        if columns == 0 {
            return Err(PlotError::Columns);
        }
        panels.iter().try_for_each(check)?;
        let fonts = Fonts {
            title: Style::new(15.0, true)?,
            name: Style::new(13.0, false)?,
            tick: Style::new(12.0, false)?,
        };
        let columns = columns.min(panels.len());
        let width = if columns == 1 { ALONE } else { BESIDE };
        let room = f64::from(width) - 2.0 * MARGIN;
        let legends: Vec<Legend> =
            panels.iter().map(|p| Legend::new(p, room, &fonts.tick)).collect();
        let mut top = 0_u64;
        let mut cells = Vec::new();
        for (row, of_row) in legends.chunks(columns).enumerate() {
            let rows = of_row.iter().map(|l| l.rows).max().unwrap_or(0);
            let below = TICKS + NAME + rows as f64 * legend::ROW;
            let of_row = &panels[row * columns..row * columns + of_row.len()];
            let area = of_row.iter().map(height).fold(0.0, f64::max);
            let height = (MARGIN + TITLE + area + below + MARGIN).ceil() as u64;
            for column in 0..of_row.len() {
                cells.push(Cell {
                    index: row * columns + column,
                    left: (column as u64 * u64::from(width)).min(LIMIT) as u32,
                    top: top.min(LIMIT) as u32,
                    width,
                    height: height.min(LIMIT) as u32,
                });
            }
            top += height;
        }
        let wide = columns as u64 * u64::from(width);
        let size = (wide.min(u64::from(u32::MAX)) as u32, top.min(u64::from(u32::MAX)) as u32);
        if wide > LIMIT || top > LIMIT {
            return Err(PlotError::Size { width: size.0, height: size.1 });
        }
        Ok(Layout { panels, legends, cells, size, fonts })
    }

    /// Width and height of the picture.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// All places.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().copied()
    }

    /// Draws the panel of a cell, from the origin of the canvas on.
    pub fn draw<B: DrawingBackend>(
        &self,
        cell: Cell,
        canvas: &mut Canvas<'_, B>,
    ) -> Result<(), PlotError> {
        let panel = &self.panels[cell.index];
        let (width, fonts) = (f64::from(cell.width), self.fonts);
        let values = |of: fn(&Mark) -> Vec<f64>| panel.marks.iter().flat_map(of);
        let names = |of: &[String], room: f64, flipped: bool| {
            let names: Vec<String> = of.iter().map(|n| fonts.tick.fit(n, room)).collect();
            (!names.is_empty()).then(|| Axis::of_names(names.into_iter(), flipped))
        };
        let height = height(panel);
        let x = names(&panel.x_names, width / (panel.x_names.len() + 2) as f64, false)
            .or_else(|| Axis::new(values(horizontal), panel.log_x, panel.x_range));
        let y = names(&panel.y_names, width / 3.0, true)
            .or_else(|| Axis::new(values(vertical), panel.log_y, panel.y_range));
        let mut axes = x.zip(y);

        let top = MARGIN + TITLE;
        let mut left = MARGIN + NAME;
        if let Some((_, y)) = &mut axes {
            if panel.y_names.is_empty() {
                y.tick((height / 45.0) as usize);
            }
            let widest = y.ticks.iter().map(|t| fonts.tick.width(&t.1)).fold(0.0, f64::max);
            left += widest.min(width / 3.0) + 8.0;
        }
        let area = Area { left, top, width: width - left - MARGIN - 6.0, height };
        if let Some((x, y)) = &mut axes {
            if panel.x_names.is_empty() {
                x.tick_within(area.width, &fonts.tick);
            }
            let shapes = Shapes { panel, x, y, area: &area, number: fonts.tick };
            if !panel.marks.iter().any(|m| matches!(m, Mark::Counts { .. })) {
                grid(x, y, &area, canvas)?;
            }
            shapes.counts(canvas)?;
            shapes.bars(canvas)?;
            marks(panel, x, y, &area, canvas)?;
            shapes.spots(canvas);
            scales(x, y, &area, fonts.tick, canvas)?;
        } else {
            let middle = area.place((0.5, 0.5));
            canvas.text("no data", fonts.name.centred(), middle)?;
        }
        let frame = [(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)].map(|p| area.place(p));
        canvas.line(&frame, grey(60), 1.0)?;

        let title = fonts.title.fit(&panel.title, width - 2.0 * MARGIN);
        canvas.text(&title, fonts.title.centred(), (width / 2.0, MARGIN + TITLE / 2.0 - 4.0))?;
        let bottom = area.place((0.5, 0.0));
        let name = fonts.name.fit(&panel.x_label, area.width);
        let at = (bottom.0, bottom.1 + TICKS + NAME / 2.0 - 1.0);
        canvas.text(&name, fonts.name.centred(), at)?;
        let name = fonts.name.fit(&panel.y_label, height);
        let at = (MARGIN + NAME / 2.0 - 3.0, top + height / 2.0);
        canvas.text(&name, fonts.name.centred().up(), at)?;
        let at = (MARGIN, bottom.1 + TICKS + NAME + 2.0);
        self.legends[cell.index].draw(at, fonts.tick, canvas)
    }
}

/// Lengths and ranges.
fn check(panel: &Panel) -> Result<(), PlotError> {
    let title = || panel.title.clone();
    for (axis, range, log) in [('x', panel.x_range, panel.log_x), ('y', panel.y_range, panel.log_y)]
    {
        if let Some((from, to)) = range
            && !(from < to && (to - from).is_finite() && (!log || from > 0.0))
        {
            return Err(PlotError::Range { panel: title(), axis, log, from, to });
        }
    }
    for (mark, m) in panel.marks.iter().enumerate() {
        let (what, points, found) = match m {
            Mark::Line { points, spread: Some(s), .. } => ("spread", points.len(), s.len()),
            Mark::Points { points, groups: Some(g), .. } => ("group", points.len(), g.len()),
            Mark::Shaded { points, values, .. } => ("value", points.len(), values.len()),
            Mark::Bars { values, spread: Some(s), .. } => ("spread", values.len(), s.len()),
            Mark::Counts { rows } => {
                let columns = rows.first().map_or(0, Vec::len);
                let other = rows.iter().map(Vec::len).find(|l| *l != columns);
                ("count", columns, other.unwrap_or(columns))
            }
            _ => continue,
        };
        if points != found {
            return Err(PlotError::Length { panel: title(), mark, what, points, found });
        }
    }
    Ok(())
}

fn horizontal(mark: &Mark) -> Vec<f64> {
    match mark {
        Mark::Line { points, .. } | Mark::Points { points, .. } | Mark::Shaded { points, .. } => {
            points.iter().filter(|p| p.1.is_finite()).map(|p| p.0).collect()
        }
        Mark::At { x, .. } => vec![*x],
        Mark::Bars { values, spread, .. } => {
            let half = |i: usize| spread.as_ref().map_or(0.0, |s| s[i]);
            let ends = values.iter().enumerate().map(|(i, v)| v + half(i));
            std::iter::once(0.0).chain(ends).collect()
        }
        Mark::Counts { rows } => numbers_below(rows.first().map_or(0, Vec::len)),
        Mark::Level { .. } => Vec::new(),
    }
}

/// 0 to n − 1.
fn numbers_below(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64).collect()
}

fn vertical(mark: &Mark) -> Vec<f64> {
    match mark {
        Mark::Line { points, spread, .. } => {
            let half = |i: usize| spread.as_ref().map_or(0.0, |s| s[i]);
            let finite = points.iter().enumerate().filter(|(_, p)| p.0.is_finite());
            finite.flat_map(|(i, p)| [p.1, p.1 - half(i), p.1 + half(i)]).collect()
        }
        Mark::Points { points, .. } | Mark::Shaded { points, .. } => {
            points.iter().filter(|p| p.0.is_finite()).map(|p| p.1).collect()
        }
        Mark::Level { y, .. } => vec![*y],
        Mark::Bars { values, .. } => numbers_below(values.len()),
        Mark::Counts { rows } => numbers_below(rows.len()),
        Mark::At { .. } => Vec::new(),
    }
}

fn grid<B: DrawingBackend>(
    x: &Axis,
    y: &Axis,
    area: &Area,
    canvas: &mut Canvas<'_, B>,
) -> Result<(), PlotError> {
    for (t, _) in &x.ticks {
        canvas.line(&[(*t, 0.0), (*t, 1.0)].map(|p| area.place(p)), grey(228), 1.0)?;
    }
    for (t, _) in &y.ticks {
        canvas.line(&[(0.0, *t), (1.0, *t)].map(|p| area.place(p)), grey(228), 1.0)?;
    }
    Ok(())
}

/// Ticks and their labels.
fn scales<B: DrawingBackend>(
    x: &Axis,
    y: &Axis,
    area: &Area,
    style: Style,
    canvas: &mut Canvas<'_, B>,
) -> Result<(), PlotError> {
    const TICK: f64 = 4.0;
    let large = |axis: &Axis| axis.ticks.iter().map(|t| (t.0, TICK)).collect::<Vec<_>>();
    let small = |axis: &Axis| axis.small.iter().map(|t| (*t, TICK / 2.0)).collect::<Vec<_>>();
    for (t, length) in [small(x), large(x)].concat() {
        let (at, floor) = area.place((t, 0.0));
        canvas.line(&[(at, floor), (at, floor + length)], grey(60), 1.0)?;
    }
    for (t, length) in [small(y), large(y)].concat() {
        let (wall, at) = area.place((0.0, t));
        canvas.line(&[(wall, at), (wall - length, at)], grey(60), 1.0)?;
    }
    for (t, label) in &x.ticks {
        let (at, floor) = area.place((*t, 0.0));
        canvas.text(label, style.centred(), (at, floor + TICKS / 2.0 + 3.0))?;
    }
    for (t, label) in &y.ticks {
        let (wall, at) = area.place((0.0, *t));
        canvas.text(label, style.ending(), (wall - TICK - 3.0, at))?;
    }
    Ok(())
}

/// Bands at the back, then dashed lines, lines, points.
fn marks<B: DrawingBackend>(
    panel: &Panel,
    x: &Axis,
    y: &Axis,
    area: &Area,
    canvas: &mut Canvas<'_, B>,
) -> Result<(), PlotError> {
    let numbers = legend::numbers(&panel.marks);
    let all = || panel.marks.iter().zip(numbers.iter().copied());
    let at = |p: (f64, f64)| Some((x.at(p.0)?, y.at(p.1)?));
    for (mark, number) in all() {
        if let Mark::Line { points, spread: Some(spread), .. } = mark {
            for run in band_runs(points, spread, x, y) {
                band(run, area, color(number, 0.2), canvas)?;
            }
        }
    }
    for (mark, number) in all() {
        let ends = match mark {
            Mark::Level { y: level, .. } => y.at(*level).map(|t| [(0.0, t), (1.0, t)]),
            Mark::At { x: place, .. } => x.at(*place).map(|t| [(t, 0.0), (t, 1.0)]),
            _ => None,
        };
        if let Some([a, b]) = ends.filter(|e| clip::inside(e[0])) {
            canvas.dashes(area.place(a), area.place(b), color(number, 1.0), 1.5)?;
        }
    }
    for (mark, number) in all() {
        let Mark::Line { points, .. } = mark else { continue };
        let places: Vec<_> = points.iter().map(|p| at(*p)).collect();
        let marker = Marker::of_line(number, 3.0);
        for run in places.split(|p| p.is_none()) {
            let run: Vec<(f64, f64)> = run.iter().copied().flatten().collect();
            for piece in clip::line(&run) {
                let piece: Vec<_> = piece.into_iter().map(|p| area.place(p)).collect();
                canvas.line(&piece, marker.color, 1.8)?;
            }
            // A line of one point has no segment.
            if let [p] = run[..]
                && clip::inside(p)
            {
                canvas.marker(area.place(p), marker)?;
            }
        }
        let step = if points.len() <= MARKED { 1 } else { points.len() / FEW };
        for p in places.into_iter().skip(step / 2).step_by(step).flatten() {
            if clip::inside(p) {
                canvas.marker(area.place(p), marker)?;
            }
        }
    }
    for (mark, number) in all() {
        let (Mark::Points { points, .. } | Mark::Shaded { points, .. }) = mark else { continue };
        let radius = match points.len() {
            0..=300 => 3.2,
            301..=2000 => 2.4,
            _ => 1.7,
        };
        for (i, p) in points.iter().enumerate() {
            let Some(p) = at(*p).filter(|p| clip::inside(*p)) else { continue };
            let marker = match mark {
                Mark::Points { groups: Some(g), .. } => Marker::of_group(g[i] as usize, radius),
                Mark::Shaded { values, .. } => Marker::of_value(values[i], radius),
                _ => Marker::of_group(number, radius),
            };
            canvas.marker(area.place(p), marker)?;
        }
    }
    Ok(())
}

/// Abscissa, lower and upper end at a point of a band, as fractions of the axes.
type Extent = (f64, f64, f64);

/// Points in a row whose band can be drawn. On a logarithmic axis a lower end that is not positive
/// lies below the picture.
fn band_runs(points: &[(f64, f64)], spread: &[f64], x: &Axis, y: &Axis) -> Vec<Vec<Extent>> {
    let extents: Vec<Option<Extent>> = points
        .iter()
        .zip(spread)
        .map(|(p, s)| {
            y.at(p.1)?;
            let upper = y.at(p.1 + s.abs())?;
            let lower = p.1 - s.abs();
            let lower = y.at(lower).or((lower.is_finite() && lower <= 0.0).then_some(-1.0))?;
            Some((x.at(p.0)?, lower, upper))
        })
        .collect();
    let runs = extents.split(|e| e.is_none());
    runs.map(|r| r.iter().copied().flatten().collect()).collect()
}

/// A band, or a bar where there is but one point.
fn band<B: DrawingBackend>(
    run: Vec<Extent>,
    area: &Area,
    color: Color,
    canvas: &mut Canvas<'_, B>,
) -> Result<(), PlotError> {
    if let [(x, lower, upper)] = run[..] {
        if let Some((a, b)) = clip::segment((x, lower), (x, upper)) {
            let solid = Color { alpha: 1.0, ..color };
            canvas.line(&[area.place(a), area.place(b)], solid, 1.5)?;
        }
        return Ok(());
    }
    let upper = run.iter().map(|e| (e.0, e.2));
    let outline = upper.chain(run.iter().rev().map(|e| (e.0, e.1))).collect();
    let outline: Vec<_> = clip::polygon(outline).into_iter().map(|p| area.place(p)).collect();
    if outline.len() < 3 { Ok(()) } else { canvas.polygon(&outline, color) }
}
