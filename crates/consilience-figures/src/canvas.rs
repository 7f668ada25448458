//! The SVG writer: a few shapes, text, and the rules that keep the output valid and the same everywhere.

use std::fmt::Write;

use crate::text;

/// Font size of titles.
pub(crate) const TITLE: f64 = 15.0;
/// Font size of axis labels.
pub(crate) const LABEL: f64 = 13.0;
/// Font size of ticks, names and legends.
pub(crate) const SMALL: f64 = 12.0;
/// Font size of numbers in cells and notes: the smallest in use.
pub(crate) const TINY: f64 = 11.0;
/// Colour of text and of lines that matter.
pub(crate) const INK: &str = "#222222";
/// Colour of axes.
pub(crate) const AXIS: &str = "#555555";
/// Colour of grid lines.
pub(crate) const GRID: &str = "#e2e2e2";
/// Space between the border of the picture and anything in it.
pub(crate) const EDGE: f64 = 14.0;

/// Width of a picture; some are narrower where they need less.
pub(crate) const WIDTH: f64 = 720.0;

/// Where text is and how it looks. It is centred on `y` vertically.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    x: f64,
    y: f64,
    size: f64,
    anchor: &'static str,
    colour: &'static str,
    bold: bool,
    turn: f64,
    halo: bool,
}

impl Text {
    /// Dark text of size [`SMALL`] that starts at `x`.
    pub(crate) fn at(x: f64, y: f64) -> Self {
        Self { x, y, size: SMALL, anchor: "start", colour: INK, bold: false, turn: 0.0, halo: false }
    }

    pub(crate) fn size(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// Centred on `x`.
    pub(crate) fn middle(self) -> Self {
        Self { anchor: "middle", ..self }
    }

    /// Ends at `x`.
    pub(crate) fn end(self) -> Self {
        Self { anchor: "end", ..self }
    }

    pub(crate) fn colour(self, colour: &'static str) -> Self {
        Self { colour, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// Turned clockwise by `degrees` about its point.
    pub(crate) fn turn(self, degrees: f64) -> Self {
        Self { turn: degrees, ..self }
    }

    /// With a white rim, for text over data.
    pub(crate) fn halo(self) -> Self {
        Self { halo: true, ..self }
    }
}

/// An SVG picture in the making.
#[derive(Default)]
pub(crate) struct Canvas {
    body: String,
}

impl Canvas {
    /// Opens a group whose attributes its members inherit. `attributes` is never text from users.
    pub(crate) fn open(&mut self, attributes: &str) {
        let _ = writeln!(self.body, "<g {attributes}>");
    }

    /// Closes the group opened last.
    pub(crate) fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    pub(crate) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, style: &str) {
        self.element("rect", &[("x", x), ("y", y), ("width", width.max(0.0)), ("height", height.max(0.0))], style);
    }

    pub(crate) fn line(&mut self, from: [f64; 2], to: [f64; 2], style: &str) {
        self.element("line", &[("x1", from[0]), ("y1", from[1]), ("x2", to[0]), ("y2", to[1])], style);
    }

    fn element(&mut self, name: &str, numbers: &[(&str, f64)], style: &str) {
        let _ = write!(self.body, "<{name}");
        for (key, value) in numbers {
            let _ = write!(self.body, " {key}=\"{}\"", number(*value));
        }
        self.body.push_str(if style.is_empty() { "" } else { " " });
        self.body.push_str(style);
        self.body.push_str("/>\n");
    }

    /// A path; nothing where `data` is empty.
    pub(crate) fn path(&mut self, data: &str, style: &str) {
        if !data.is_empty() {
            let _ = writeln!(self.body, "<path d=\"{data}\" {style}/>");
        }
    }

    /// A PNG file as a picture with visible pixels.
    pub(crate) fn image(&mut self, x: f64, y: f64, width: f64, height: f64, base64: &str) {
        let link = format!(
            "preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" \
            style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{base64}\""
        );
        self.element("image", &[("x", x), ("y", y), ("width", width), ("height", height)], &link);
    }

    pub(crate) fn text(&mut self, look: Text, text: &str) {
        if text.is_empty() {
            return;
        }
        // the capitals' middle lies about a third of the font size above the base line
        let [x, base] = [number(look.x), number(look.y + 0.35 * look.size)];
        let _ = if look.turn == 0.0 {
            write!(self.body, "<text x=\"{x}\" y=\"{base}\"")
        } else {
            let [turn, y, drop] = [number(look.turn), number(look.y), number(0.35 * look.size)];
            write!(self.body, "<text transform=\"translate({x} {y}) rotate({turn})\" y=\"{drop}\"")
        };
        let _ = write!(self.body, " font-size=\"{}\"", number(look.size));
        if look.anchor != "start" {
            let _ = write!(self.body, " text-anchor=\"{}\"", look.anchor);
        }
        if look.colour != INK {
            let _ = write!(self.body, " fill=\"{}\"", look.colour);
        }
        if look.bold {
            self.body.push_str(" font-weight=\"bold\"");
        }
        if look.halo {
            self.body
                .push_str(" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
        }
        let _ = writeln!(self.body, ">{}</text>", escape(text));
    }

    /// Writes `title` in one or two lines at the top and returns the height it takes, margin included.
    pub(crate) fn title(&mut self, title: &str, width: f64) -> f64 {
        let mut y = EDGE;
        for line in text::two_lines(title, TITLE, width - 2.0 * EDGE) {
            self.text(Text::at(EDGE, y + TITLE / 2.0).size(TITLE).bold(), &line);
            y += TITLE + 4.0;
        }
        if y > EDGE { y + 8.0 } else { y }
    }

    /// The finished picture, of whole pixels.
    pub(crate) fn finish(self, title: &str, description: &str, width: f64, height: f64) -> String {
        let [width, height] = [number(width.ceil()), number(height.ceil())];
        let [title, description] = [escape(if title.trim().is_empty() { "chart" } else { title }), escape(description)];
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"Arimo, 'Liberation Sans', Arial, Helvetica, sans-serif\" \
             fill=\"{INK}\">\n<title>{title}</title>\n<desc>{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// A coordinate with at most two decimals, the same on every machine; 0 for what is not a number.
pub(crate) fn number(value: f64) -> String {
    // the bound keeps the product exact enough and within i64
    let hundredths = (value.clamp(-1e9, 1e9) * 100.0).round() as i64;
    let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
    match (size / 100, size % 100) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, part) if part % 10 == 0 => format!("{sign}{whole}.{}", part / 10),
        (whole, part) => format!("{sign}{whole}.{part:02}"),
    }
}

/// `text` as XML character data or attribute value. Line breaks become spaces; characters that XML forbids, other control characters
/// and those that turn the direction of writing become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other if other.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let written: Vec<String> = [0.0, -0.0, -0.001, 1.0, 1.5, -2.25, 1e300, f64::NAN, 0.05].map(number).into();
        assert_eq!(written, ["0", "0", "0", "1", "1.5", "-2.25", "1000000000", "0", "0.05"]);
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape("<a b='c'>&\"\u{0}\n\u{202e}"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\u{fffd} \u{fffd}");
    }
}
