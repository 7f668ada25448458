//! Text of our own SVG as outlines of the embedded font, so that a PNG is the same on every machine and needs no engine that
//! shapes text: the charts have Latin and Greek letters, set from left to right.

use std::fmt::Write;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::canvas::number;

const REGULAR: &[u8] = include_bytes!("../assets/Arimo-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../assets/Arimo-Bold.ttf");
/// Stands for letters that the font lacks: a box.
const BOX: GlyphId = GlyphId(0);

/// `svg` with a path for every text.
pub(crate) fn with_outlines(svg: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(2 * svg.len()), svg);
    while let Some((before, element, after)) = next_text(rest) {
        out.push_str(before);
        element.write(&mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A `<text>` as [`Canvas::text`](crate::canvas::Canvas::text) writes it.
struct Element<'a> {
    attributes: Vec<(&'a str, &'a str)>,
    words: String,
}

/// What is before the next text, the text, and what is after it.
fn next_text(svg: &str) -> Option<(&str, Element<'_>, &str)> {
    let (before, rest) = svg.split_once("<text")?;
    let (head, rest) = rest.split_once('>')?;
    let (words, after) = rest.split_once("</text>")?;
    let mut parts = head.split('"');
    let mut attributes = Vec::new();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        attributes.push((key.trim().trim_end_matches('='), value));
    }
    Some((before, Element { attributes, words: unescape(words) }, after))
}

impl Element<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    fn length(&self, name: &str, default: f32) -> f32 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    fn write(&self, out: &mut String) {
        let font = if self.get("font-weight") == Some("bold") { BOLD } else { REGULAR };
        let Ok(face) = Face::parse(font, 0) else { return };
        let scale = self.length("font-size", 12.0) / f32::from(face.units_per_em());
        let glyphs: Vec<GlyphId> = self.words.chars().map(|letter| face.glyph_index(letter).unwrap_or(BOX)).collect();
        let advance = |glyph: GlyphId| f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        let width: f32 = glyphs.iter().copied().map(advance).sum();
        let before = match self.get("text-anchor") {
            Some("middle") => width / 2.0,
            Some("end") => width,
            _ => 0.0,
        };
        let (x, y) = (self.length("x", 0.0) - before, self.length("y", 0.0));
        let mut pen = Pen { path: String::new(), x, y, scale };
        for glyph in glyphs {
            face.outline_glyph(glyph, &mut pen);
            pen.x += advance(glyph);
        }
        let _ = write!(out, "<path d=\"{}\"", pen.path);
        for (key, value) in &self.attributes {
            if !["x", "y", "font-size", "font-weight", "text-anchor"].contains(key) {
                let _ = write!(out, " {key}=\"{value}\"");
            }
        }
        out.push_str("/>");
    }
}

/// Writes outlines at a place on the base line.
struct Pen {
    path: String,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn command(&mut self, letter: char, points: &[[f32; 2]]) {
        self.path.push(letter);
        for [x, y] in points {
            let [x, y] = [self.x + x * self.scale, self.y - y * self.scale].map(|value| number(f64::from(value)));
            let _ = write!(self.path, "{x} {y} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('M', &[[x, y]]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('L', &[[x, y]]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.command('Q', &[[x1, y1], [x, y]]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('C', &[[x1, y1], [x2, y2], [x, y]]);
    }

    fn close(&mut self) {
        self.command('Z', &[]);
    }
}

fn unescape(words: &str) -> String {
    let plain = words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Where the outlines of `words` begin and end, for text that starts at 0 in size 100.
    fn extent(words: &str, attributes: &str) -> (f64, f64) {
        let path = with_outlines(&format!("<text font-size=\"100\"{attributes}>{words}</text>"));
        let data = path.split('"').nth(1).unwrap();
        let places = data.split(|letter: char| letter.is_ascii_uppercase()).filter(|points| !points.is_empty());
        let xs: Vec<f64> =
            places.flat_map(|points| points.split(' ').step_by(2).filter_map(|x| x.parse().ok())).collect();
        (xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn text_is_as_wide_as_the_layout_believes() {
        // both ends are the same letter, whose bearings cancel: from one left edge to the other is the width of what is before
        for words in ["Accuracy (NMI) = 0.93 A", "wide WWWw", "illi", "{|}~@{"] {
            let before: String = words.chars().take(words.chars().count() - 1).collect();
            let (alone, whole) = (extent(&words[words.len() - 1..], ""), extent(words, ""));
            let (drawn, expected) = (whole.1 - alone.1, text::width(&before, 100.0));
            assert!((drawn - expected).abs() < 1.0, "{words}: drawn {drawn}, expected {expected}");
        }
    }

    #[test]
    fn anchors_weights_and_escapes() {
        let (start, end) = extent("il", "");
        let (left, right) = extent("il", " text-anchor=\"end\"");
        assert!((start - left - text::width("il", 100.0)).abs() < 0.1 && (end - start - (right - left)).abs() < 0.1);
        assert_ne!(extent("mm", ""), extent("mm", " font-weight=\"bold\""));
        assert_eq!(unescape("&lt;a&gt; &amp;lt; &#39;&quot;"), "<a> &lt; '\"");
    }

    #[test]
    fn everything_else_is_kept() {
        let svg =
            "<svg><rect x=\"1\"/><text x=\"5\" y=\"7\" fill=\"#ffffff\" transform=\"rotate(9)\">a</text><g/></svg>";
        let drawn = with_outlines(svg);
        assert!(drawn.starts_with("<svg><rect x=\"1\"/><path d=\"M") && drawn.ends_with("/><g/></svg>"), "{drawn}");
        assert!(drawn.contains("fill=\"#ffffff\" transform=\"rotate(9)\""));
        assert_eq!(with_outlines("<svg/>"), "<svg/>");
    }
}
