//! Several series over one variable.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{Canvas, EDGE, SMALL, WIDTH, number};
use crate::plane::{Plane, room_below, room_left};
use crate::shape::Look;
use crate::shape::{GAP, ROW, SAMPLE, line_key, marker_style, names_width};
use crate::text;

/// Share of the width that names may take.
const NAMES: f64 = 0.26;
/// Most markers on one line.
const MARKERS: usize = 12;
/// Space between the plane and the names.
const GAP_TO_NAMES: f64 = 20.0;
/// Height of the picture; it is higher where the names need it.
const HEIGHT: f64 = 420.0;

/// Lines with names, and a linear or logarithmic vertical axis. Lines differ in colour, dash and marker.
///
/// Points that are not finite, or not above zero on a logarithmic axis, leave gaps.
#[derive(Debug, Clone, Default)]
pub struct LineChart {
    /// Heading; may be empty.
    pub title: String,
    /// The lines.
    pub series: Vec<Series>,
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What runs along the vertical axis.
    pub y_label: String,
    /// How the vertical axis is laid out.
    pub y_scale: AxisScale,
}

/// One line.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Its name; cut where it is long.
    pub name: String,
    /// Its points as [x, y], drawn in this order.
    pub points: Vec<[f64; 2]>,
}

impl LineChart {
    /// The picture.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, WIDTH) + 4.0;
        let legend = ROW * self.series.len() as f64;
        let bottom = (HEIGHT - EDGE - room_below(&self.x_label)).max(top + legend);
        let names = names_width(self.series.iter().map(|series| series.name.as_str()), NAMES * WIDTH);
        let right =
            if self.series.is_empty() { WIDTH - EDGE } else { WIDTH - EDGE - names - GAP - SAMPLE - GAP_TO_NAMES };

        let values = |which: usize| self.series.iter().flat_map(|series| &series.points).map(move |point| point[which]);
        let y = Axis::roomy(self.y_scale, values(1), [bottom, top]);
        let left = EDGE + room_left(&y.ticks(), &self.y_label);
        let plane = Plane { left: left.round(), right: right.round(), top: top.round(), bottom: bottom.round() };
        let x = Axis::roomy(AxisScale::Linear, values(0), [plane.left, plane.right]);
        let y = Axis::roomy(self.y_scale, values(1), [plane.bottom, plane.top]);
        plane.draw(&mut canvas, [&x, &y], [&self.x_label, &self.y_label]);

        let runs: Vec<_> = self.series.iter().map(|series| runs(series, &x, &y)).collect();
        if runs.iter().all(Vec::is_empty) {
            plane.no_data(&mut canvas);
        }
        for (at, runs) in runs.iter().enumerate() {
            draw_line(&mut canvas, runs, Look::of(at));
        }
        self.draw_names(&mut canvas, &plane, NAMES * WIDTH);
        canvas.finish(&self.title, &self.summary(&x, &y), WIDTH, plane.bottom + room_below(&self.x_label) + EDGE)
    }

    fn draw_names(&self, canvas: &mut Canvas, plane: &Plane, limit: f64) {
        for (at, series) in self.series.iter().enumerate() {
            let place = [plane.right + GAP_TO_NAMES, plane.top + ROW * (at as f64 + 0.5)];
            line_key(canvas, Look::of(at), &series.name, place, limit);
        }
    }

    fn summary(&self, x: &Axis, y: &Axis) -> String {
        let names: Vec<String> =
            self.series.iter().take(20).map(|series| text::cut(&series.name, SMALL, 400.0)).collect();
        let [[from, to], [low, high]] = [x, y].map(|axis| axis.ends().map(text::significant));
        format!(
            "{} lines ({}); horizontal axis from {from} to {to}, vertical axis from {low} to {high}.",
            self.series.len(),
            names.join(", ")
        )
    }
}

/// A point in pixels, and its number in the series.
struct Place {
    at: [f64; 2],
    number: usize,
}

/// The unbroken runs of points that can be shown.
fn runs(series: &Series, x: &Axis, y: &Axis) -> Vec<Vec<Place>> {
    let mut runs = vec![Vec::new()];
    for (number, point) in series.points.iter().enumerate() {
        match (x.place(point[0]), y.place(point[1]), runs.last_mut()) {
            (Some(x), Some(y), Some(run)) => run.push(Place { at: [x, y], number }),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn draw_line(canvas: &mut Canvas, runs: &[Vec<Place>], look: Look) {
    let lines: String =
        runs.iter().filter(|run| run.len() > 1).map(|run| polyline(run.iter().map(|place| place.at))).collect();
    canvas.path(&lines, &look.stroke());
    let every = runs.iter().map(Vec::len).sum::<usize>().div_ceil(MARKERS).max(1);
    // single points have no line, so their marker is all there is of them
    let marked = runs
        .iter()
        .flat_map(|run| run.iter().filter(move |place| run.len() == 1 || place.number.is_multiple_of(every)));
    let markers: String = marked.map(|place| look.marker(place.at[0], place.at[1], 3.6)).collect();
    canvas.path(&markers, &marker_style(look));
}

fn polyline(points: impl Iterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    for [x, y] in points {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        path.push_str(&number(x));
        path.push(' ');
        path.push_str(&number(y));
    }
    path
}
