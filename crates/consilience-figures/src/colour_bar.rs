//! The key of a sequential palette: a vertical bar with ticks.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{AXIS, Canvas, LABEL, SMALL, Text};
use crate::colour::{hex, viridis};
use crate::text;

const BAR: f64 = 16.0;
const STEPS: u32 = 64;

/// From what value to what value colours run.
pub(crate) struct ColourBar<'a> {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) label: &'a str,
}

impl ColourBar<'_> {
    /// Share of the palette at which `value` lies; NaN where it has none.
    pub(crate) fn share(&self, value: f64) -> f64 {
        self.axis(0.0, 1.0).share(value).unwrap_or(f64::NAN)
    }

    /// Width of bar, ticks and label.
    pub(crate) fn width(&self, height: f64) -> f64 {
        let ticks = self.labels(0.0, height);
        let widest = text::widest(ticks.iter().map(|(_, label)| label.as_str()), SMALL, 120.0);
        BAR + 8.0 + widest + if self.label.is_empty() { 0.0 } else { LABEL + 8.0 }
    }

    /// Draws it with its left edge at `x` from `top` down.
    pub(crate) fn draw(&self, canvas: &mut Canvas, x: f64, top: f64, height: f64) {
        canvas.open("shape-rendering=\"crispEdges\"");
        for step in 0..STEPS {
            // each step reaches down to the bottom, so that no seam can show between two
            let share = f64::from(STEPS - step) / f64::from(STEPS);
            let style = format!("fill=\"{}\"", hex(viridis((f64::from(STEPS - 1 - step)) / f64::from(STEPS - 1))));
            canvas.rect(x, top + (1.0 - share) * height, BAR, share * height, &style);
        }
        canvas.rect(x, top, BAR, height, &format!("fill=\"none\" stroke=\"{AXIS}\""));
        for (place, _) in self.labels(top, height) {
            canvas.line([x + BAR, place], [x + BAR + 4.0, place], &format!("stroke=\"{AXIS}\""));
        }
        canvas.close();
        for (place, label) in self.labels(top, height) {
            canvas.text(Text::at(x + BAR + 7.0, place), &label);
        }
        let name = text::cut(self.label, LABEL, height);
        let centre = x + self.width(height) - LABEL / 2.0;
        canvas.text(Text::at(centre, top + height / 2.0).size(LABEL).middle().turn(-90.0), &name);
    }

    fn axis(&self, top: f64, height: f64) -> Axis {
        Axis::tight(AxisScale::Linear, [self.low, self.high].into_iter(), [top + height, top])
    }

    fn labels(&self, top: f64, height: f64) -> Vec<(f64, String)> {
        self.axis(top, height).ticks().into_iter().map(|tick| (tick.place, tick.label)).collect()
    }
}
