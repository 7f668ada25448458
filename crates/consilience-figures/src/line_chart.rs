//! Several series over one variable.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{Canvas, EDGE, SMALL, number, size_of, width_of};
use crate::plane::{Plane, room_below, room_left};
use crate::shape::Look;
use crate::shape::{GAP, ROW, SAMPLE, line_key, marker_style, names_width};
use crate::text;
use crate::text::spread;

/// Share of the width that names may take.
const NAMES: f64 = 0.26;
/// Most markers on one line.
const MARKERS: usize = 12;
/// Space between the plane and the legend, crossed by leaders.
const LEADERS: f64 = 20.0;

/// Lines with names, optional bands of spread, and linear or logarithmic axes. Lines differ in colour, dash and marker.
///
/// Points that are not finite, or not above zero on a logarithmic axis, leave gaps.
#[derive(Debug, Clone, Default)]
pub struct LineChart {
    /// Heading; may be empty.
    pub title: String,
    /// Read by screen readers; empty for a generated summary.
    pub description: String,
    /// The lines.
    pub series: Vec<Series>,
    /// What runs along the horizontal axis.
    pub x_label: String,
    /// What runs along the vertical axis.
    pub y_label: String,
    /// How the horizontal axis is laid out.
    pub x_scale: AxisScale,
    /// How the vertical axis is laid out.
    pub y_scale: AxisScale,
    /// Where the names are.
    pub legend: Legend,
    /// Width in pixels; `None` for 720.
    pub width: Option<f64>,
    /// Height in pixels; `None` for 420. The picture is higher where the names need it.
    pub height: Option<f64>,
}

/// One line.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Its name; cut where it is long.
    pub name: String,
    /// Its points as [x, y], drawn in this order.
    pub points: Vec<[f64; 2]>,
    /// Half the height of the band about each point, such as a standard deviation; empty for no band.
    pub spread: Vec<f64>,
}

/// Where the names of lines are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Legend {
    /// At the right end of each line, moved apart where they would overlap.
    #[default]
    LineEnds,
    /// In the order of the series, at the upper right.
    Right,
}

impl Series {
    /// Lower edge, value and upper edge at the point `at`.
    fn heights(&self, at: usize) -> [f64; 3] {
        let y = self.points.get(at).map_or(f64::NAN, |point| point[1]);
        let half = self.spread.get(at).copied().filter(|half| half.is_finite()).map_or(0.0, f64::abs);
        [y - half, y, y + half]
    }
}

impl LineChart {
    /// The picture.
    pub fn svg(&self) -> String {
        let width = width_of(self.width);
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, width) + 4.0;
        let legend = ROW * self.series.len() as f64;
        let bottom = (size_of(self.height, 420.0) - EDGE - room_below(&self.x_label)).max(top + legend);
        let names = names_width(self.series.iter().map(|series| series.name.as_str()), NAMES * width);
        let right = if self.series.is_empty() { width - EDGE } else { width - EDGE - names - GAP - SAMPLE - LEADERS };

        let y = Axis::roomy(self.y_scale, self.all_heights(), [bottom, top]);
        let left = EDGE + room_left(&y.ticks(), &self.y_label);
        let plane = Plane { left: left.round(), right: right.round(), top: top.round(), bottom: bottom.round() };
        let xs = self.series.iter().flat_map(|series| &series.points).map(|point| point[0]);
        let x = Axis::roomy(self.x_scale, xs, [plane.left, plane.right]);
        let y = Axis::roomy(self.y_scale, self.all_heights(), [plane.bottom, plane.top]);
        plane.draw(&mut canvas, [&x, &y], [&self.x_label, &self.y_label]);

        let runs: Vec<_> = self.series.iter().map(|series| runs(series, &x, &y)).collect();
        if runs.iter().all(Vec::is_empty) {
            plane.no_data(&mut canvas);
        }
        for (at, (series, runs)) in self.series.iter().zip(&runs).enumerate() {
            draw_band(&mut canvas, series, &y, runs, Look::of(at));
        }
        for (at, runs) in runs.iter().enumerate() {
            draw_line(&mut canvas, runs, Look::of(at));
        }
        self.draw_names(&mut canvas, &plane, &runs, NAMES * width);
        canvas.finish(&self.title, &self.summary(&x, &y), width, plane.bottom + room_below(&self.x_label) + EDGE)
    }

    /// All heights the axis must cover. On a logarithmic axis the lower edge of a band may fall below zero, and is left out.
    fn all_heights(&self) -> impl Iterator<Item = f64> {
        self.series.iter().flat_map(|series| (0..series.points.len()).flat_map(|at| series.heights(at)))
    }

    fn draw_names(&self, canvas: &mut Canvas, plane: &Plane, runs: &[Vec<Vec<Place>>], limit: f64) {
        let ends: Vec<Option<[f64; 2]>> = runs
            .iter()
            .map(|runs| runs.iter().flatten().map(|place| place.at).max_by(|one, other| one[0].total_cmp(&other[0])))
            .collect();
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        if self.legend == Legend::LineEnds {
            // names of lines without points come last
            let height = |&at: &usize| ends.get(at).copied().flatten().map_or(f64::INFINITY, |end| end[1]);
            order.sort_by(|one, other| height(one).total_cmp(&height(other)));
        }
        let wanted: Vec<f64> = match self.legend {
            Legend::LineEnds => order.iter().map(|&at| ends[at].map_or(plane.bottom, |end| end[1])).collect(),
            Legend::Right => (0..order.len()).map(|at| plane.top + ROW * (at as f64 + 0.5)).collect(),
        };
        let places = spread(&wanted, ROW, plane.top + ROW / 2.0, plane.bottom - ROW / 2.0);
        for (&at, y) in order.iter().zip(places) {
            let x = plane.right + LEADERS;
            if let (Legend::LineEnds, Some(end)) = (self.legend, ends[at]) {
                canvas.line([end[0] + 5.0, end[1]], [x - 3.0, y], "stroke=\"#9a9a9a\" stroke-width=\"0.8\"");
            }
            line_key(canvas, Look::of(at), &self.series[at].name, [x, y], limit);
        }
    }

    fn summary(&self, x: &Axis, y: &Axis) -> String {
        if !self.description.is_empty() {
            return self.description.clone();
        }
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

fn draw_band(canvas: &mut Canvas, series: &Series, y: &Axis, runs: &[Vec<Place>], look: Look) {
    if series.spread.is_empty() {
        return;
    }
    let mut path = String::new();
    for run in runs {
        // what lies below a logarithmic axis is drawn to its lower end
        let edge = |place: &Place, side: usize| {
            let height = y.place(series.heights(place.number)[side]).or_else(|| y.place(y.ends()[0]));
            [place.at[0], height.unwrap_or(place.at[1])]
        };
        let upper = run.iter().map(|place| edge(place, 2));
        let lower = run.iter().rev().map(|place| edge(place, 0));
        path.push_str(&polyline(upper.chain(lower)));
        path.push('z');
    }
    canvas.path(
        &path,
        &format!(
            "fill=\"{0}\" fill-opacity=\"0.15\" stroke=\"{0}\" stroke-opacity=\"0.35\" stroke-width=\"0.6\"",
            look.colour
        ),
    );
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
