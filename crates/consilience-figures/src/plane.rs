//! The plane between two axes, with grid, ticks and labels.

use crate::axis::{Axis, Tick};
use crate::canvas::{AXIS, Canvas, GRID, LABEL, SMALL, Text};
use crate::text;

/// Where the plane lies in the picture.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// Space below a plane for ticks and a label.
pub(crate) fn room_below(label: &str) -> f64 {
    24.0 + if label.is_empty() { 0.0 } else { LABEL + 8.0 }
}

/// Space left of a plane for ticks and a label.
pub(crate) fn room_left(ticks: &[Tick], label: &str) -> f64 {
    let widest = text::widest(ticks.iter().map(|tick| tick.label.as_str()), SMALL, 200.0);
    widest + 9.0 + if label.is_empty() { 0.0 } else { LABEL + 8.0 }
}

impl Plane {
    /// Draws grid, frame, ticks and labels. `names` are the labels of the two axes.
    pub(crate) fn draw(&self, canvas: &mut Canvas, [x, y]: [&Axis; 2], [x_name, y_name]: [&str; 2]) {
        let (x_ticks, y_ticks) = (x.ticks(), y.ticks());
        canvas.open(&format!("stroke=\"{GRID}\" shape-rendering=\"crispEdges\""));
        for tick in &x_ticks {
            canvas.line([tick.place, self.top], [tick.place, self.bottom], "");
        }
        for tick in &y_ticks {
            canvas.line([self.left, tick.place], [self.right, tick.place], "");
        }
        canvas.close();
        canvas.open(&format!("stroke=\"{AXIS}\" fill=\"none\" shape-rendering=\"crispEdges\""));
        canvas.line([self.left, self.bottom], [self.right, self.bottom], "");
        canvas.line([self.left, self.top], [self.left, self.bottom], "");
        for tick in &x_ticks {
            canvas.line([tick.place, self.bottom], [tick.place, self.bottom + 4.0], "");
        }
        for tick in &y_ticks {
            canvas.line([self.left - 4.0, tick.place], [self.left, tick.place], "");
        }
        canvas.close();
        for tick in &x_ticks {
            canvas.text(Text::at(tick.place, self.bottom + 14.0).middle(), &tick.label);
        }
        for tick in &y_ticks {
            canvas.text(Text::at(self.left - 8.0, tick.place).end(), &tick.label);
        }
        self.names(canvas, [x_name, y_name], room_left(&y_ticks, y_name));
    }

    fn names(&self, canvas: &mut Canvas, [x_name, y_name]: [&str; 2], room: f64) {
        let (centre, middle) = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        let x_name = text::cut(x_name, LABEL, self.right - self.left);
        canvas.text(Text::at(centre, self.bottom + 24.0 + LABEL / 2.0 + 4.0).size(LABEL).middle(), &x_name);
        let y_name = text::cut(y_name, LABEL, self.bottom - self.top);
        canvas.text(Text::at(self.left - room + LABEL / 2.0, middle).size(LABEL).middle().turn(-90.0), &y_name);
    }

    /// Says that there is nothing to show.
    pub(crate) fn no_data(&self, canvas: &mut Canvas) {
        no_data(canvas, [(self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0]);
    }
}

/// Says that there is nothing to show.
pub(crate) fn no_data(canvas: &mut Canvas, [x, y]: [f64; 2]) {
    canvas.text(Text::at(x, y).size(LABEL).middle().colour(AXIS), "no data");
}
