//! Points in the plane, by class. Only their places beside each other mean something, not the coordinates: there are no axes.

use std::fmt::Write;

use crate::axis::{Axis, AxisScale};
use crate::canvas::{Canvas, EDGE, SMALL, Text, WIDTH};
use crate::plane::Plane;
use crate::shape::Look;
use crate::shape::{GAP, POINT, ROW, names_width, point_key};
use crate::text;

/// Height of the picture; it is higher where the legend does not fit beside the points.
const HEIGHT: f64 = 480.0;
/// Share of the width that names may take.
const NAMES: f64 = 0.24;
/// Up to this many points each has its class's shape; more are drawn as dots, which take a tenth of the text.
const SHAPED: usize = 3_000;
/// Dots are placed to a fifth of a pixel.
const GRAIN: f64 = 5.0;

/// Points with classes. Up to 3,000 points have the colour and the shape of their class. More are drawn as dots, of which those of
/// the same class on the same fifth of a pixel are drawn once, and the classes' names stand at the medians of their points. Points
/// that are not finite are left out.
#[derive(Debug, Clone, Default)]
pub struct Scatter {
    /// Heading; may be empty.
    pub title: String,
    /// The classes; later ones are drawn over earlier ones.
    pub classes: Vec<Class>,
}

/// Points that belong together.
#[derive(Debug, Clone, Default)]
pub struct Class {
    /// Name in the legend; cut where it is long.
    pub name: String,
    /// The points as [x, y].
    pub points: Vec<[f64; 2]>,
}

/// Where the names of the classes stand.
struct Legend {
    below: bool,
    /// Width of a name, and of a column of them with their markers.
    names: f64,
    column: f64,
    rows: usize,
}

impl Scatter {
    /// The picture.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, WIDTH) + 4.0;
        let bottom = HEIGHT - 2.0 * EDGE;
        let legend = self.legend(bottom - top);
        let right = if legend.below || self.classes.is_empty() { WIDTH - EDGE } else { WIDTH - EDGE - legend.column };
        let plane = Plane { left: EDGE, right: right.round(), top: top.round(), bottom: bottom.round() };
        let x = Axis::roomy(AxisScale::Linear, self.coordinates(0), [plane.left, plane.right]);
        let y = Axis::roomy(AxisScale::Linear, self.coordinates(1), [plane.bottom, plane.top]);

        let place = |point: &[f64; 2]| Some([x.place(point[0])?, y.place(point[1])?]);
        let places: Vec<Vec<[f64; 2]>> =
            self.classes.iter().map(|class| class.points.iter().filter_map(place).collect()).collect();
        let total = places.iter().map(Vec::len).sum::<usize>();
        if total == 0 {
            plane.no_data(&mut canvas);
        }
        let dots = total > SHAPED;
        let look = |at: usize| {
            let look = Look::of_group(at, self.classes.len());
            if dots { look.dot() } else { look }
        };
        for (at, points) in places.iter().enumerate() {
            if dots {
                draw_dots(&mut canvas, points, total, look(at));
            } else {
                draw_shapes(&mut canvas, points, total, look(at));
            }
        }
        if dots {
            self.draw_names(&mut canvas, &places, plane);
        }
        let end = plane.bottom + EDGE;
        for (at, class) in self.classes.iter().enumerate() {
            let [from, first] = if legend.below { [EDGE, end] } else { [plane.right, plane.top] };
            let (column, row) = (at / legend.rows, at % legend.rows);
            let place = [from + 10.0 + legend.column * column as f64, first + ROW * (row as f64 + 0.5)];
            point_key(&mut canvas, look(at), &class.name, place, legend.names);
        }
        let height = end + EDGE + if legend.below { ROW * legend.rows as f64 } else { 0.0 };
        canvas.finish(&self.title, &format!("{total} points in {} classes.", self.classes.len()), WIDTH, height)
    }

    /// Beside the points while the names fit there, otherwise below them in columns.
    fn legend(&self, height: f64) -> Legend {
        let count = self.classes.len();
        let below = ROW * count as f64 > height;
        let names = names_width(self.classes.iter().map(|class| class.name.as_str()), NAMES * WIDTH);
        let column = names + GAP + POINT + 10.0;
        let columns = if below { ((WIDTH - 2.0 * EDGE) / column).max(1.0) as usize } else { 1 };
        Legend { below, names, column, rows: count.div_ceil(columns).max(1) }
    }

    fn coordinates(&self, which: usize) -> impl Iterator<Item = f64> {
        let shown = self
            .classes
            .iter()
            .flat_map(|class| &class.points)
            .filter(|point| point.iter().all(|value| value.is_finite()));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
            (low.min(point[which]), high.max(point[which]))
        });
        // a little room, so that no marker lies across an axis
        let room = 0.015 * (high - low);
        [low - room, high + room].into_iter()
    }

    /// Names over the medians of their classes, as dots in print cannot be told apart: the largest classes first, and names that
    /// would cover another are left out.
    fn draw_names(&self, canvas: &mut Canvas, places: &[Vec<[f64; 2]>], plane: Plane) {
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(places[at].len()));
        let mut taken: Vec<[f64; 4]> = Vec::new();
        for at in order {
            let (class, points) = (&self.classes[at], &places[at]);
            let (Some(x), Some(y)) = (median(points, 0), median(points, 1)) else { continue };
            let name = text::cut(&class.name, SMALL, 120.0);
            let half = text::bold_width(&name, SMALL) / 2.0 + 3.0;
            let x = x.clamp(plane.left + half, (plane.right - half).max(plane.left + half));
            let y = y.clamp(plane.top + 9.0, plane.bottom - 9.0);
            let [left, right, top, bottom] = [x - half, x + half, y - 8.0, y + 8.0];
            if taken.iter().any(|other| left < other[1] && other[0] < right && top < other[3] && other[2] < bottom) {
                continue;
            }
            taken.push([left, right, top, bottom]);
            canvas.text(Text::at(x, y).middle().bold().halo(), &name);
        }
    }
}

fn median(points: &[[f64; 2]], which: usize) -> Option<f64> {
    let mut values: Vec<f64> = points.iter().map(|point| point[which]).collect();
    let middle = values.len() / 2;
    if values.is_empty() { None } else { Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1) }
}

fn draw_shapes(canvas: &mut Canvas, points: &[[f64; 2]], total: usize, look: Look) {
    let size = if total <= 500 { 3.4 } else { 2.6 };
    let path: String = points.iter().map(|[x, y]| look.marker(*x, *y, size)).collect();
    // a rim of the ground's colour would erase the points below
    let style = format!("fill=\"{}\" fill-opacity=\"0.85\" stroke=\"#000000\" stroke-opacity=\"0.35\"", look.colour);
    canvas.path(&path, &format!("{style} stroke-width=\"0.4\""));
}

/// Dots are lines of no length with round ends; each is given relative to the one before, so that most take five or six bytes.
fn draw_dots(canvas: &mut Canvas, points: &[[f64; 2]], total: usize, look: Look) {
    let mut dots: Vec<[i64; 2]> =
        points.iter().map(|[x, y]| [(y * GRAIN).round() as i64, (x * GRAIN).round() as i64]).collect();
    dots.sort_unstable();
    dots.dedup();
    let mut path = String::new();
    let mut last = [0, 0];
    for [y, x] in dots {
        let _ = write!(path, "m{} {}h0", x - last[0], y - last[1]);
        last = [x, y];
    }
    let size = if total <= 20_000 { 3.2 } else { 2.2 } * GRAIN;
    let style = format!(
        "transform=\"scale({})\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.7\" stroke-width=\"{size}\" stroke-linecap=\"round\"",
        1.0 / GRAIN,
        look.colour
    );
    canvas.path(&path, &style);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `classes` classes of `size` points on coordinates as large as those of a report.
    fn map(classes: usize, size: usize) -> Scatter {
        let point = |class: usize, at: usize| [(class * 433 % 65_535) as f64, ((class * 7 + at * 31) % 65_535) as f64];
        let class = |class: usize| Class {
            name: format!("cluster {class}"),
            points: (0..size).map(|at| point(class, at)).collect(),
        };
        Scatter { classes: (0..classes).map(class).collect(), ..Scatter::default() }
    }

    fn height(svg: &str) -> f64 {
        let sizes = svg.split_once("viewBox=\"").unwrap().1.split_once('"').unwrap().0;
        sizes.split(' ').nth(3).unwrap().parse().unwrap()
    }

    #[test]
    fn a_hundred_and_fifty_names_fit() {
        assert!(height(&map(10, 20).svg()) <= 480.0, "{}", height(&map(10, 20).svg()));
        let many = map(150, 20).svg();
        assert!(height(&many) < 900.0, "{}", height(&many));
        assert!((0..150).all(|class| many.contains(&format!(">cluster {class}<"))));
    }

    #[test]
    fn a_map_has_no_numbers_along_its_sides() {
        let map = map(3, 30);
        assert_eq!(map.svg().matches("<text").count(), 3, "the names of the classes");
    }
}
