//! Plain pictures of results, as SVG and PNG, the same bytes on every machine.
//!
//! A picture is a grid of [`Panel`]s; a panel has two axes and [`Mark`]s. Sizes follow from the
//! number of panels, ranges from the data, and the legend stands below each panel, so that it
//! hides nothing.
//!
//! The backends of plotters draw. Axes, legends and text are laid out here, because the charts of
//! plotters place everything on whole pixels and the legend over the data. The font of the PNG is
//! Noto Sans from a crate (SIL Open Font Licence), so none needs to be installed; an SVG names it
//! first and leaves the choice to the viewer.
//!
//! Why the PNG is not the SVG through resvg: version 0.49 with `text`, without its other defaults, brings 32 crates that
//! nothing else here uses, 259,000 lines of source, of which 116,000 read and shape fonts; ab_glyph, plotters-bitmap and
//! what they need are 28,000 (counted, not timed). Bytes are no reason against it: nothing in it asks for the processor while
//! it runs, vectors are those of the target that it was compiled for, and the one operation whose last bits depend on who made
//! the processor (reciprocals, `recip_fast` of tiny-skia 0.12) is used by two blend modes that no picture here has. Two
//! machines were not compared.
//!
//! ```
//! use cokernel_plot::{Mark, Panel, svg};
//! let panel = Panel {
//!     title: "Agreement of the views".into(),
//!     x_label: "iteration".into(),
//!     y_label: "agreement".into(),
//!     marks: vec![Mark::Line {
//!         label: "co_trained".into(),
//!         points: vec![(0.0, 0.4), (1.0, 0.8), (2.0, 0.9)],
//!         spread: None,
//!     }],
//!     ..Panel::default()
//! };
//! assert!(svg(&[panel], 1)?.starts_with("<svg"));
//! # Ok::<(), cokernel_plot::PlotError>(())
//! ```

mod axis;
mod canvas;
mod clip;
mod layout;
mod legend;
mod shapes;
mod text;

use canvas::{Canvas, Spot};
use layout::Layout;
use plotters_backend::DrawingBackend;
use plotters_bitmap::BitMapBackend;
use plotters_svg::SVGBackend;

/// Units of an SVG per pixel: plotters counts in whole units.
const SVG_UNITS: u32 = 10;

/// Pixels of a PNG per pixel of the layout, and pixels drawn per pixel of the PNG, of which the
/// mean is taken.
const PNG_SCALE: u32 = 2;
const PNG_OVERSAMPLING: u32 = 2;

/// Bytes of pixels that a PNG may have.
const PNG_LIMIT: u64 = 1 << 29;

/// Two axes and what is drawn on them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// Stands above.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic; values that are not positive are then left out.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic; values that are not positive are then left out.
    pub log_y: bool,
    /// Ends of the horizontal axis; `None` takes those of the data, and a little more.
    pub x_range: Option<(f64, f64)>,
    /// Ends of the vertical axis; `None` takes those of the data, and a little more.
    pub y_range: Option<(f64, f64)>,
    /// Names in the place of numbers on the vertical axis: number 0 is at the top. The panel is as
    /// high as they need.
    pub y_names: Vec<String>,
    /// Names in the place of numbers on the horizontal axis: number 0 is at the left.
    pub x_names: Vec<String>,
    /// What is drawn, the first at the back of those of its kind.
    pub marks: Vec<Mark>,
}

/// Something drawn in a panel. Points that are not finite, or of a magnitude above 1e300, are
/// left out; a line has a gap there. An empty label has no place in the legend.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through points.
    Line {
        /// Name in the legend.
        label: String,
        /// (x, y) in the order of the line.
        points: Vec<(f64, f64)>,
        /// Half the height of a band around each point, such as a standard deviation.
        spread: Option<Vec<f64>>,
    },
    /// Single points.
    Points {
        /// Name in the legend; with groups, what stands before the number of each.
        label: Option<String>,
        /// (x, y).
        points: Vec<(f64, f64)>,
        /// The group of each point: groups 0-7 differ in colour, more also in shape.
        groups: Option<Vec<u32>>,
    },
    /// Single points whose colour tells a value from 0 (light grey) to 1 (dark).
    Shaded {
        /// What the value is; in the legend, with the colours of 0, 0.5 and 1.
        label: String,
        /// (x, y).
        points: Vec<(f64, f64)>,
        /// The value of each point; those beyond 0 or 1 look as these.
        values: Vec<f64>,
    },
    /// Bars from 0 to the right, number i at the height i: for [`Panel::y_names`].
    Bars {
        /// Name in the legend.
        label: String,
        /// Length of each bar.
        values: Vec<f64>,
        /// Half the length of a line around each end, such as a standard deviation.
        spread: Option<Vec<f64>>,
    },
    /// Counts in a grid, darker the larger their share of their row: for [`Panel::y_names`] and
    /// [`Panel::x_names`].
    Counts {
        /// Row by row, all of the same length.
        rows: Vec<Vec<u64>>,
    },
    /// A dashed line at a height.
    Level {
        /// Name in the legend.
        label: String,
        /// The height.
        y: f64,
    },
    /// A dashed line upright.
    At {
        /// Name in the legend.
        label: String,
        /// Where.
        x: f64,
    },
}

/// A picture that cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// There is no panel.
    #[error("a picture needs at least one panel")]
    NoPanels,
    /// A grid without columns.
    #[error("columns: expected at least 1, found 0")]
    Columns,
    /// Something that must have one entry per point has not.
    #[error(
        "panel '{panel}', mark {mark}: expected one {what} per point ({points}), found {found}"
    )]
    Length {
        /// Title of the panel.
        panel: String,
        /// 0-based mark.
        mark: usize,
        /// What is per point.
        what: &'static str,
        /// Number of points.
        points: usize,
        /// Number of entries.
        found: usize,
    },
    /// The ends of an axis are no range.
    #[error(
        "panel '{panel}', {axis} axis: expected finite ends in ascending order{}, found {from} to {to}",
        if *.log { ", positive on a logarithmic axis" } else { "" }
    )]
    Range {
        /// Title of the panel.
        panel: String,
        /// `x` or `y`.
        axis: char,
        /// Whether the axis is logarithmic.
        log: bool,
        /// Left or lower end.
        from: f64,
        /// Right or upper end.
        to: f64,
    },
    /// Too many panels for one picture.
    #[error("a picture of {width} × {height} pixels is too large; draw fewer panels at once")]
    Size {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// The drawing library refused.
    #[error("drawing failed: {0}")]
    Drawing(String),
}

/// The panels in a grid of this many columns, as the text of an SVG file.
///
/// # Errors
/// No panels or columns; lengths or ranges that do not fit; too large a picture.
pub fn svg(panels: &[Panel], columns: usize) -> Result<String, PlotError> {
    Ok(drawn(panels, columns)?.0)
}

/// As [`svg`], with an invisible shape of the class `spot` over every point, bar and count, whose
/// attribute `data-tip` says its values: for pages that show it where the pointer is.
///
/// # Errors
/// As [`svg`].
pub fn svg_with_tips(panels: &[Panel], columns: usize) -> Result<String, PlotError> {
    let (text, spots) = drawn(panels, columns)?;
    let mut shapes = String::from("<g class=\"spots\" fill-opacity=\"0\">\n");
    for spot in spots {
        let (x, y) = (spot.left.round(), spot.top.round());
        let (w, h) = (spot.width.round().max(1.0), spot.height.round().max(1.0));
        let tip = escaped(&spot.text);
        shapes.push_str(&format!(
            "<rect class=\"spot\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" data-tip=\"{tip}\"/>\n"
        ));
    }
    Ok(text.replacen("</svg>", &format!("{shapes}</g>\n</svg>"), 1))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if text::commands(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The text of the SVG, and where its values are.
fn drawn(panels: &[Panel], columns: usize) -> Result<(String, Vec<Spot>), PlotError> {
    let layout = Layout::new(panels, columns)?;
    let (width, height) = layout.size();
    let large = (width * SVG_UNITS, height * SVG_UNITS);
    let mut out = String::new();
    let mut backend = SVGBackend::with_string(&mut out, large);
    let mut canvas = Canvas::new(&mut backend, f64::from(SVG_UNITS), true);
    canvas.background(f64::from(width), f64::from(height))?;
    for cell in layout.cells() {
        canvas.move_to(f64::from(cell.left), f64::from(cell.top));
        layout.draw(cell, &mut canvas)?;
    }
    let spots = canvas.into_spots();
    backend.present().map_err(|e| PlotError::Drawing(e.to_string()))?;
    drop(backend);
    // The picture is as large as in a PNG, and the fine units are left to its view box.
    let fine = format!("width=\"{}\" height=\"{}\"", large.0, large.1);
    let out = out.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1);
    Ok((out, spots))
}

/// The panels in a grid of this many columns, as the bytes of a PNG file.
///
/// # Errors
/// As [`svg`].
pub fn png(panels: &[Panel], columns: usize) -> Result<Vec<u8>, PlotError> {
    let layout = Layout::new(panels, columns)?;
    let (width, height) = layout.size();
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    let bytes = u64::from(width) * u64::from(height) * 3;
    if bytes > PNG_LIMIT {
        return Err(PlotError::Size { width, height });
    }
    let mut pixels = vec![255_u8; bytes as usize];
    for cell in layout.cells() {
        let scale = PNG_SCALE * PNG_OVERSAMPLING;
        let (w, h) = (cell.width * scale, cell.height * scale);
        let mut fine = vec![255_u8; w as usize * h as usize * 3];
        let mut backend = BitMapBackend::with_buffer(&mut fine, (w, h));
        layout.draw(cell, &mut Canvas::new(&mut backend, f64::from(scale), false))?;
        backend.present().map_err(|e| PlotError::Drawing(e.to_string()))?;
        drop(backend);
        let place = (cell.left * PNG_SCALE, cell.top * PNG_SCALE);
        shrink(&fine, w as usize, &mut pixels, width as usize, place);
    }
    encode(&pixels, width, height).map_err(|e| PlotError::Drawing(e.to_string()))
}

/// Puts the means of squares of pixels into a picture of `width`, from `place` on.
fn shrink(fine: &[u8], fine_width: usize, out: &mut [u8], width: usize, place: (u32, u32)) {
    let s = PNG_OVERSAMPLING as usize;
    let (left, top) = (place.0 as usize, place.1 as usize);
    let mut sums = vec![0_u16; fine_width / s * 3];
    for (y, rows) in fine.chunks_exact(fine_width * 3 * s).enumerate() {
        sums.fill((s * s / 2) as u16);
        for row in rows.chunks_exact(fine_width * 3) {
            for (sum, group) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * s)) {
                for pixel in group.chunks_exact(3) {
                    sum.iter_mut().zip(pixel).for_each(|(s, v)| *s += u16::from(*v));
                }
            }
        }
        let begin = ((top + y) * width + left) * 3;
        let target = &mut out[begin..begin + sums.len()];
        target.iter_mut().zip(&sums).for_each(|(t, v)| *t = (v / (s * s) as u16) as u8);
    }
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_metre = 72.0 * f64::from(PNG_SCALE) / 0.0254;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre as u32,
        yppu: per_metre as u32,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(out)
}
