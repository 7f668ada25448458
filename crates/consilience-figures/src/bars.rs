//! Horizontal bars with names and values.

use crate::axis::{Axis, Scale};
use crate::canvas::{AXIS, Canvas, EDGE, GRID, LABEL, SMALL, Text, number, width_of};
use crate::plane::no_data;
use crate::text;

const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const NAMES: f64 = 0.34;

/// Horizontal bars from zero, in the order given. Values that are not finite have no bar and read "n/a".
#[derive(Debug, Clone, Default)]
pub struct Bars {
    /// Heading; may be empty.
    pub title: String,
    /// Read by screen readers; empty for a generated summary.
    pub description: String,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
    /// What the values are, written below the axis.
    pub value_label: String,
    /// Digits after the point of the printed values; `None` for 3.
    pub decimals: Option<usize>,
    /// Width in pixels; `None` for 720.
    pub width: Option<f64>,
}

/// One bar.
#[derive(Debug, Clone, Default)]
pub struct Bar {
    /// Its name; cut where it is long.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// Half the length of the error bar, such as a standard deviation; `None` for no error bar.
    pub spread: Option<f64>,
}

impl Bar {
    fn error(&self) -> Option<f64> {
        self.spread.filter(|spread| spread.is_finite() && self.value.is_finite()).map(f64::abs)
    }

    fn printed(&self, decimals: usize) -> String {
        match self.error() {
            Some(spread) => format!("{} ± {}", text::fixed(self.value, decimals), text::fixed(spread, decimals)),
            None => text::fixed(self.value, decimals),
        }
    }
}

impl Bars {
    /// The picture.
    pub fn svg(&self) -> String {
        let width = width_of(self.width);
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, width);
        if self.bars.is_empty() {
            no_data(&mut canvas, [width / 2.0, top + 40.0]);
            return canvas.finish(&self.title, &self.summary(), width, top + 80.0);
        }
        let bottom = top + ROW * self.bars.len() as f64;
        let decimals = self.decimals.unwrap_or(3);
        let names = text::widest(self.bars.iter().map(|bar| bar.name.as_str()), SMALL, NAMES * width);
        let values = self.bars.iter().map(|bar| text::width(&bar.printed(decimals), SMALL)).fold(0.0, f64::max);
        let (left, right) = ((EDGE + names + 10.0).round(), (width - EDGE - values - 8.0).round());
        let ends =
            self.bars.iter().flat_map(|bar| [-1.0, 1.0].map(|sign| bar.value + sign * bar.error().unwrap_or(0.0)));
        let axis = Axis::roomy(Scale::Linear, ends.chain([0.0]), [left, right]);
        self.draw_axis(&mut canvas, &axis, [top, bottom]);
        for (row, bar) in self.bars.iter().enumerate() {
            let y = top + ROW * (row as f64 + 0.5);
            canvas.text(Text::at(left - 8.0, y).end(), &text::cut(&bar.name, SMALL, NAMES * width));
            canvas.text(Text::at(width - EDGE, y).end(), &bar.printed(decimals));
            draw_bar(&mut canvas, bar, &axis, y);
        }
        let below = bottom + 22.0 + if self.value_label.is_empty() { 0.0 } else { LABEL + 6.0 };
        let name = text::cut(&self.value_label, LABEL, width - 2.0 * EDGE);
        canvas.text(Text::at((left + right) / 2.0, below - LABEL / 2.0).size(LABEL).middle(), &name);
        canvas.finish(&self.title, &self.summary(), width, below + EDGE)
    }

    fn draw_axis(&self, canvas: &mut Canvas, axis: &Axis, [top, bottom]: [f64; 2]) {
        canvas.open("shape-rendering=\"crispEdges\"");
        for tick in axis.ticks() {
            canvas.line([tick.place, top], [tick.place, bottom], &format!("stroke=\"{GRID}\""));
        }
        if let Some(zero) = axis.place(0.0) {
            canvas.line([zero, top], [zero, bottom], &format!("stroke=\"{AXIS}\""));
        }
        canvas.close();
        for tick in axis.ticks() {
            canvas.text(Text::at(tick.place, bottom + 12.0).middle(), &tick.label);
        }
    }

    fn summary(&self) -> String {
        if !self.description.is_empty() {
            return self.description.clone();
        }
        let mut summary = format!("{} bars.", self.bars.len());
        for bar in self.bars.iter().take(20) {
            summary.push_str(&format!(
                " {}: {}.",
                text::cut(&bar.name, SMALL, 400.0),
                bar.printed(self.decimals.unwrap_or(3))
            ));
        }
        summary
    }
}

fn draw_bar(canvas: &mut Canvas, bar: &Bar, axis: &Axis, y: f64) {
    let (Some(zero), Some(end)) = (axis.place(0.0), axis.place(bar.value)) else { return };
    canvas.rect(zero.min(end), y - BAR / 2.0, (end - zero).abs(), BAR, "fill=\"#0072b2\"");
    let Some(error) = bar.error() else { return };
    let (Some(from), Some(to)) = (axis.place(bar.value - error), axis.place(bar.value + error)) else { return };
    let [from, to, y, low, high] = [from, to, y, y - 4.0, y + 4.0].map(number);
    // white below black is visible on the bar and beside it
    let path = format!("M{from} {y}H{to}M{from} {low}V{high}M{to} {low}V{high}");
    canvas.path(&path, "fill=\"none\" stroke=\"#ffffff\" stroke-width=\"3.4\"");
    canvas.path(&path, "fill=\"none\" stroke=\"#000000\" stroke-width=\"1.4\"");
}
