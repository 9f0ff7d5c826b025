//! Text in Noto Sans: its width, and its pixels.

use crate::PlotError;
use ab_glyph::{Font, FontRef, ScaleFont};
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendTextStyle, FontFamily, FontStyle, FontTransform};
use std::convert::Infallible;
use std::sync::LazyLock;

/// What an SVG asks its viewer for.
const FAMILY: &str = "Noto Sans, DejaVu Sans, Helvetica, Arial, sans-serif";

/// plotters divides sizes by this before it writes them into an SVG.
const PLOTTERS_EM: f64 = 1.24;

type Parsed = Result<FontRef<'static>, String>;

static FONTS: LazyLock<[Parsed; 2]> = LazyLock::new(|| {
    [notosans::REGULAR_TTF, notosans::BOLD_TTF]
        .map(|bytes| FontRef::try_from_slice(bytes).map_err(|e| format!("font: {e}")))
});

/// How a text is written: upright around its middle line (half the height of an x above the
/// baseline), which passes through the place that is given.
#[derive(Clone, Copy)]
pub struct Style {
    font: &'static FontRef<'static>,
    /// Pixels per em.
    size: f64,
    bold: bool,
    /// Colour.
    color: (u8, u8, u8),
    /// What of the text is at the place that is given.
    anchor: HPos,
    /// Whether it runs upwards.
    up: bool,
}

impl Style {
    /// Black, of `size` pixels per em, its left end at the place.
    pub fn new(size: f64, bold: bool) -> Result<Self, PlotError> {
        let font = FONTS[usize::from(bold)].as_ref().map_err(|e| PlotError::Drawing(e.clone()))?;
        Ok(Style { font, size, bold, color: (30, 30, 30), anchor: HPos::Left, up: false })
    }

    /// Its middle at the place.
    pub fn centred(self) -> Self {
        Style { anchor: HPos::Center, ..self }
    }

    /// Its right end at the place.
    pub fn ending(self) -> Self {
        Style { anchor: HPos::Right, ..self }
    }

    /// Running upwards.
    pub fn up(self) -> Self {
        Style { up: true, ..self }
    }

    /// White.
    pub fn white(self) -> Self {
        Style { color: (255, 255, 255), ..self }
    }

    /// Of another size.
    pub fn scaled(self, factor: f64) -> Self {
        Style { size: self.size * factor, ..self }
    }

    /// ab_glyph measures sizes from the lowest descender to the highest ascender.
    fn scale(&self) -> f32 {
        let units = self.font.units_per_em().unwrap_or(1000.0);
        self.size as f32 * self.font.height_unscaled() / units
    }

    /// Height of an x.
    fn x_height(&self) -> f32 {
        let font = self.font.as_scaled(self.scale());
        font.outline_glyph(font.scaled_glyph('x')).map_or(0.0, |g| -g.px_bounds().min.y)
    }

    /// Where each character begins, and where the last ends.
    fn advances(&self, text: &str) -> Vec<f32> {
        let font = self.font.as_scaled(self.scale());
        let mut x = 0.0;
        let mut before = None;
        let mut all = Vec::with_capacity(text.len() + 1);
        for c in text.chars() {
            let id = font.glyph_id(c);
            x += before.map_or(0.0, |b| font.kern(b, id));
            all.push(x);
            x += font.h_advance(id);
            before = Some(id);
        }
        all.push(x);
        all
    }

    /// Width of a text.
    pub fn width(&self, text: &str) -> f64 {
        self.advances(text).last().copied().map_or(0.0, f64::from)
    }

    /// The text on one line, without characters that XML forbids or that turn the direction of what follows, and cut to a width.
    pub fn fit(&self, text: &str, width: f64) -> String {
        let forbidden = |c: char| commands(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
        let text: String = text.chars().map(|c| if forbidden(c) { ' ' } else { c }).collect();
        let text = text.trim().to_string();
        if self.width(&text) <= width {
            return text;
        }
        let room = width - self.width("…");
        let advances = self.advances(&text);
        let kept = advances[1..].iter().take_while(|x| f64::from(**x) <= room).count();
        let mut cut: String = text.chars().take(kept).collect();
        cut.truncate(cut.trim_end().len());
        cut + "…"
    }
}

/// Whether a character is none to be seen, but commands something: a line break, or the direction of what follows.
pub(crate) fn commands(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl BackendTextStyle for Style {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: self.color }
    }

    fn size(&self) -> f64 {
        self.size * PLOTTERS_EM
    }

    fn transform(&self) -> FontTransform {
        if self.up { FontTransform::Rotate270 } else { FontTransform::None }
    }

    fn style(&self) -> FontStyle {
        if self.bold { FontStyle::Bold } else { FontStyle::Normal }
    }

    fn anchor(&self) -> Pos {
        Pos::new(self.anchor, VPos::Center)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FAMILY)
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (self.width(text).round() as i32, self.x_height().round() as i32)))
    }

    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        text: &str,
        pos: (i32, i32),
        mut draw: F,
    ) -> Result<Result<(), E>, Infallible> {
        let font = self.font.as_scaled(self.scale());
        let baseline = self.x_height().round() as i32;
        for (c, x) in text.chars().zip(self.advances(text)) {
            let mut glyph = font.scaled_glyph(c);
            glyph.position.x = x;
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            let (left, top) = (pos.0 + bounds.min.x as i32, pos.1 + baseline + bounds.min.y as i32);
            let mut result = Ok(());
            outline.draw(|dx, dy, covered| {
                if result.is_ok() && covered > 0.0 {
                    let alpha = f64::from(covered.min(1.0));
                    let color = BackendColor { alpha, rgb: self.color };
                    result = draw(left + dx as i32, top + dy as i32, color);
                }
            });
            if result.is_err() {
                return Ok(result);
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_cuts() {
        let style = Style::new(12.0, false).unwrap();
        assert_eq!(style.width(""), 0.0);
        // Noto Sans: a figure is 0.572 em wide.
        assert!((style.width("0000") / 12.0 - 4.0 * 0.572).abs() < 0.01, "{}", style.width("0000"));
        assert_eq!(style.fit(" two\nlines\u{1} ", 500.0), "two lines");
        let cut = style.fit("a label that is too long", 60.0);
        assert!(cut.ends_with('…') && style.width(&cut) <= 60.0, "{cut}");
        assert_eq!(style.fit("abc", 0.0), "…");
        for c in "αβγλρσμη±×–…−²≤≥".chars() {
            assert_ne!(style.font.glyph_id(c).0, 0, "no glyph for {c}");
        }
    }
}
