//! Markers and dashes that tell classes apart without colour, and the legend entries that show them.

use crate::canvas::{Canvas, SMALL, Text, number};
use crate::colour::{CLASSES, GROUPS, MANY_GROUPS};
use crate::text;

const SHAPES: usize = 8;
/// As many as the page has: colours and shapes of groups repeat with different periods.
const GROUP_SHAPES: usize = 7;
const DASHES: [&str; 6] = ["", "7 3", "2 2.5", "9 3 2 3", "12 4", "5 2 1.5 2 1.5 2"];

/// How class number `index` looks: its colour, marker and dash differ from those of its neighbours, and the three together from
/// those of the next 64 classes.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) colour: &'static str,
    pub(crate) dash: &'static str,
    marker: usize,
}

impl Look {
    pub(crate) fn of(index: usize) -> Self {
        let round = index / CLASSES.len();
        Self {
            colour: CLASSES[index % CLASSES.len()],
            dash: DASHES[(index + round) % DASHES.len()],
            marker: (index + round) % SHAPES,
        }
    }

    /// How group `index` of `count` looks on the page of a report: up to eight differ by colour alone, more by shape too.
    pub(crate) fn of_group(index: usize, count: usize) -> Self {
        if count <= GROUPS.len() {
            return Self { colour: GROUPS[index % GROUPS.len()], dash: "", marker: 0 };
        }
        Self { colour: MANY_GROUPS[index % MANY_GROUPS.len()], dash: "", marker: index % GROUP_SHAPES }
    }

    /// The same colour as a dot, which has no shape.
    pub(crate) fn dot(self) -> Self {
        Self { marker: 0, ..self }
    }

    /// Style of a line.
    pub(crate) fn stroke(&self) -> String {
        let dash = if self.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", self.dash) };
        format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{dash}", self.colour)
    }

    /// Path of the marker about (x, y): all shapes cover about the same area as a circle of radius `r`.
    pub(crate) fn marker(&self, x: f64, y: f64, r: f64) -> String {
        let points: &[[f64; 2]] = match self.marker {
            0 => return circle(x, y, r),
            1 => &[[-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]],
            2 => &[[0.0, -1.4], [1.22, 0.8], [-1.22, 0.8]],
            3 => &[[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]],
            4 => &[[0.0, 1.4], [1.22, -0.8], [-1.22, -0.8]],
            5 => &PLUS,
            6 => &CROSS,
            _ => &[[-1.4, 0.0], [0.8, -1.22], [0.8, 1.22]],
        };
        polygon(points, x, y, r)
    }
}

const PLUS: [[f64; 2]; 12] = [
    [-0.4, -1.3],
    [0.4, -1.3],
    [0.4, -0.4],
    [1.3, -0.4],
    [1.3, 0.4],
    [0.4, 0.4],
    [0.4, 1.3],
    [-0.4, 1.3],
    [-0.4, 0.4],
    [-1.3, 0.4],
    [-1.3, -0.4],
    [-0.4, -0.4],
];

/// [`PLUS`] turned by 45 degrees.
const CROSS: [[f64; 2]; 12] = [
    [0.64, -1.2],
    [1.2, -0.64],
    [0.57, 0.0],
    [1.2, 0.64],
    [0.64, 1.2],
    [0.0, 0.57],
    [-0.64, 1.2],
    [-1.2, 0.64],
    [-0.57, 0.0],
    [-1.2, -0.64],
    [-0.64, -1.2],
    [0.0, -0.57],
];

fn circle(x: f64, y: f64, r: f64) -> String {
    let [left, y, r, across] = [x - r, y, r, 2.0 * r].map(number);
    format!("M{left} {y}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z")
}

fn polygon(points: &[[f64; 2]], x: f64, y: f64, r: f64) -> String {
    let mut path = String::new();
    for (at, [right, down]) in points.iter().enumerate() {
        path.push(if at == 0 { 'M' } else { 'L' });
        path.push_str(&number(x + r * right));
        path.push(' ');
        path.push_str(&number(y + r * down));
    }
    path.push('z');
    path
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventy_groups_look_different() {
        let mut looks: Vec<_> =
            (0..70).map(|at| Look::of_group(at, 70)).map(|look| (look.colour, look.marker)).collect();
        looks.sort_unstable();
        looks.dedup();
        assert_eq!(looks.len(), 70);
    }

    #[test]
    fn sixty_four_classes_look_different() {
        let mut looks: Vec<_> = (0..64).map(Look::of).map(|look| (look.colour, look.marker)).collect();
        looks.sort_unstable();
        looks.dedup();
        assert_eq!(looks.len(), 64);
    }

    #[test]
    fn markers_are_closed_paths_about_their_point() {
        assert_eq!(Look::of(1).marker(10.0, 20.0, 1.0), "M9.11 19.11L10.89 19.11L10.89 20.89L9.11 20.89z");
        assert!(Look::of(0).marker(10.0, 20.0, 3.0).starts_with("M7 20a3 3"));
    }
}
