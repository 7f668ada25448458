//! Legend entries: a sample of the mark, and its name.

use crate::canvas::{Canvas, SMALL, Text};
use crate::shape::Look;
use crate::text;

/// Height of a legend entry.
pub(crate) const ROW: f64 = 17.0;
/// Width of a sample of a line.
pub(crate) const SAMPLE: f64 = 28.0;
/// Width of a sample of a point.
pub(crate) const POINT: f64 = 10.0;
/// Space between sample and name.
pub(crate) const GAP: f64 = 6.0;

/// Width of the widest name, at most `limit`.
pub(crate) fn names_width<'a>(names: impl Iterator<Item = &'a str>, limit: f64) -> f64 {
    text::widest(names, SMALL, limit)
}

/// A piece of line with a marker, and a name that is cut to `limit`.
pub(crate) fn line_key(canvas: &mut Canvas, look: Look, name: &str, [x, y]: [f64; 2], limit: f64) {
    canvas.line([x, y], [x + SAMPLE, y], &look.stroke());
    canvas.path(&look.marker(x + SAMPLE / 2.0, y, 3.6), &marker_style(look));
    canvas.text(Text::at(x + SAMPLE + GAP, y), &text::cut(name, SMALL, limit));
}

/// A marker, and a name that is cut to `limit`.
pub(crate) fn point_key(canvas: &mut Canvas, look: Look, name: &str, [x, y]: [f64; 2], limit: f64) {
    canvas.path(&look.marker(x + POINT / 2.0, y, 3.6), &marker_style(look));
    canvas.text(Text::at(x + POINT + GAP, y), &text::cut(name, SMALL, limit));
}

/// Style of markers: a white rim parts those that overlap.
pub(crate) fn marker_style(look: Look) -> String {
    let rim = if look.colour == "#f0e442" { "#6b6500" } else { "#ffffff" };
    format!("fill=\"{}\" stroke=\"{rim}\" stroke-width=\"0.6\"", look.colour)
}
