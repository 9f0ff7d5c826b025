//! A backend of plotters with a scale and an origin, and what is drawn on it: lines, shapes, text.

use crate::PlotError;
use crate::text::Style;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};

/// Colours that the colour-blind can tell apart (Okabe and Ito, 2008), with grey in the place of
/// yellow, which is faint on white.
const PALETTE: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (0, 0, 0),
    (140, 140, 140),
];

/// Number of shapes.
const SHAPES: usize = 6;

/// A colour and its opacity.
pub type Color = BackendColor;

/// The colour of a number.
pub fn color(number: usize, alpha: f64) -> Color {
    BackendColor { alpha, rgb: PALETTE[number % PALETTE.len()] }
}

/// A grey.
pub fn grey(level: u8) -> Color {
    BackendColor { alpha: 1.0, rgb: (level, level, level) }
}

/// Colours of 0, 0.5 and 1, which also a print without colours tells apart.
const SHADES: [(u8, u8, u8); 3] = [(214, 214, 214), (86, 160, 211), (8, 48, 107)];

/// The colour of a value from 0 to 1.
pub fn shade(value: f64) -> Color {
    let at = 2.0 * value.clamp(0.0, 1.0);
    let first = usize::from(at >= 1.0);
    let (from, to, share) = (SHADES[first], SHADES[first + 1], at - first as f64);
    let between =
        |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    let rgb = (between(from.0, to.0), between(from.1, to.1), between(from.2, to.2));
    BackendColor { alpha: 0.85, rgb }
}

/// The look of a point.
#[derive(Clone, Copy)]
pub struct Marker {
    /// Colour.
    pub color: Color,
    /// One of the shapes: disc, square, triangle, diamond, plus, triangle on its head.
    pub shape: usize,
    /// Half its height.
    pub radius: f64,
}

impl Marker {
    /// That of the points of a group: colours first, then shapes.
    pub fn of_group(group: usize, radius: f64) -> Self {
        Marker { color: color(group, 0.8), shape: group / PALETTE.len() % SHAPES, radius }
    }

    /// That of a point with a value from 0 to 1.
    pub fn of_value(value: f64, radius: f64) -> Self {
        Marker { color: shade(value), shape: 0, radius }
    }

    /// That of a line, whose shape differs too.
    pub fn of_line(number: usize, radius: f64) -> Self {
        Marker { color: color(number, 1.0), shape: number % SHAPES, radius }
    }
}

struct Pen {
    color: Color,
    width: u32,
}

impl BackendStyle for Pen {
    fn color(&self) -> BackendColor {
        self.color
    }

    fn stroke_width(&self) -> u32 {
        self.width
    }
}

/// A place with a value, in units of the backend.
pub struct Spot {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    /// The value in words.
    pub text: String,
}

/// Draws in pixels of the layout, as real numbers.
pub struct Canvas<'a, B: DrawingBackend> {
    spots: Vec<Spot>,
    backend: &'a mut B,
    scale: f64,
    origin: (f64, f64),
    vector: bool,
}

impl<'a, B: DrawingBackend> Canvas<'a, B> {
    /// `scale` units of the backend per pixel; whether the backend draws thick lines as such.
    pub fn new(backend: &'a mut B, scale: f64, vector: bool) -> Self {
        Canvas { spots: Vec::new(), backend, scale, origin: (0.0, 0.0), vector }
    }

    /// Notes a value at the rectangle between two corners.
    pub fn spot(&mut self, from: (f64, f64), to: (f64, f64), text: String) {
        let (a, b) = (self.place(from), self.place(to));
        self.spots.push(Spot {
            left: f64::from(a.0.min(b.0)),
            top: f64::from(a.1.min(b.1)),
            width: f64::from((a.0 - b.0).abs()),
            height: f64::from((a.1 - b.1).abs()),
            text,
        });
    }

    /// Notes a value around a point.
    pub fn spot_at(&mut self, (x, y): (f64, f64), text: String) {
        const REACH: f64 = 5.0;
        self.spot((x - REACH, y - REACH), (x + REACH, y + REACH), text);
    }

    /// The values that were noted.
    pub fn into_spots(self) -> Vec<Spot> {
        self.spots
    }

    /// Coordinates count from here on.
    pub fn move_to(&mut self, x: f64, y: f64) {
        self.origin = (x, y);
    }

    fn place(&self, (x, y): (f64, f64)) -> BackendCoord {
        let unit = |v: f64| (v * self.scale).round() as i32;
        (unit(x + self.origin.0), unit(y + self.origin.1))
    }

    fn pen(&self, color: Color, width: f64) -> Pen {
        Pen { color, width: ((width * self.scale).round() as u32).max(1) }
    }

    /// White, from the origin on.
    pub fn background(&mut self, width: f64, height: f64) -> Result<(), PlotError> {
        let (from, to) = (self.place((0.0, 0.0)), self.place((width, height)));
        done(self.backend.draw_rect(from, to, &self.pen(grey(255), 1.0), true))
    }

    /// A line through points.
    pub fn line(
        &mut self,
        points: &[(f64, f64)],
        color: Color,
        width: f64,
    ) -> Result<(), PlotError> {
        let pen = self.pen(color, width);
        let path: Vec<BackendCoord> = points.iter().map(|p| self.place(*p)).collect();
        if self.vector {
            return done(self.backend.draw_path(path, &pen));
        }
        // One rectangle per segment, with a disc at each joint.
        for (i, pair) in path.windows(2).enumerate() {
            done(self.backend.draw_line(pair[0], pair[1], &pen))?;
            if i > 0 && pen.width > 2 {
                done(self.backend.draw_circle(pair[0], pen.width / 2, &pen, true))?;
            }
        }
        Ok(())
    }

    /// A straight line in dashes.
    pub fn dashes(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        color: Color,
        width: f64,
    ) -> Result<(), PlotError> {
        const DASH: f64 = 6.0;
        const GAP: f64 = 4.0;
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |d: f64| {
            let t = d / length;
            (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1))
        };
        let mut begin = 0.0;
        while begin < length {
            let end = length.min(begin + DASH);
            self.line(&[at(begin), at(end)], color, width)?;
            begin += DASH + GAP;
        }
        Ok(())
    }

    /// A filled polygon.
    pub fn polygon(&mut self, points: &[(f64, f64)], color: Color) -> Result<(), PlotError> {
        let path: Vec<BackendCoord> = points.iter().map(|p| self.place(*p)).collect();
        done(self.backend.fill_polygon(path, &Pen { color, width: 1 }))
    }

    /// A point.
    pub fn marker(&mut self, (x, y): (f64, f64), marker: Marker) -> Result<(), PlotError> {
        let r = marker.radius;
        let corners: &[(f64, f64)] = match marker.shape % SHAPES {
            0 => {
                let radius = (r * self.scale).round().max(1.0) as u32;
                let pen = Pen { color: marker.color, width: 1 };
                return done(self.backend.draw_circle(self.place((x, y)), radius, &pen, true));
            }
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            3 => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
            4 => &[
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
                (-1.2, -0.4),
                (-0.4, -0.4),
            ],
            _ => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        };
        let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + r * dx, y + r * dy)).collect();
        self.polygon(&corners, marker.color)
    }

    /// A text at a place of its middle line.
    pub fn text(&mut self, text: &str, style: Style, at: (f64, f64)) -> Result<(), PlotError> {
        if text.is_empty() {
            return Ok(());
        }
        let place = self.place(at);
        done(self.backend.draw_text(text, &style.scaled(self.scale), place))
    }
}

fn done<E: std::error::Error + Send + Sync>(
    result: Result<(), DrawingErrorKind<E>>,
) -> Result<(), PlotError> {
    result.map_err(|e| PlotError::Drawing(e.to_string()))
}
