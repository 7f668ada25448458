//! How things join: a tree lying on its side, leaves at the left.

use crate::axis::{Axis, AxisScale};
use crate::canvas::{AXIS, Canvas, EDGE, INK, LABEL, SMALL, TINY, Text, WIDTH, number};
use crate::text;

/// Height of a leaf's row, and room for the axis below.
const ROW: f64 = 22.0;
const BELOW: f64 = 52.0;
/// Share of the width that names may take.
const NAMES: f64 = 0.3;

/// A tree of joins. Leaves are named; join i makes the thing with number `names.len() + i`.
#[derive(Debug, Clone, Default)]
pub struct Dendrogram {
    /// Heading; may be empty.
    pub title: String,
    /// The leaves, in the order of their numbers.
    pub names: Vec<String>,
    /// What joins, and at which height: heights do not fall.
    pub joins: Vec<([usize; 2], f64)>,
    /// What runs along the horizontal axis.
    pub height_label: String,
}

impl Dendrogram {
    /// The picture. Joins of things that there are not are left out.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, WIDTH) + 8.0;
        let names: Vec<String> = self.names.iter().map(|name| text::cut(name, SMALL, NAMES * WIDTH)).collect();
        let widest = names.iter().map(|name| text::width(name, SMALL)).fold(0.0, f64::max);
        let (left, right) = (EDGE + widest + 10.0, WIDTH - EDGE - 10.0);
        let bottom = top + ROW * names.len().max(1) as f64;
        let heights = self.joins.iter().map(|(_, height)| *height);
        let axis = Axis::tight(AxisScale::Linear, heights.chain([0.0, 1.0]), [left, right]);
        let order = self.order();
        // where each thing ends: the row of its middle, and its height
        let mut ends: Vec<Option<[f64; 2]>> = vec![None; names.len()];
        for (row, &leaf) in order.iter().enumerate() {
            let y = top + ROW * (row as f64 + 0.5);
            canvas.text(Text::at(left - 8.0, y + 4.0).end(), &names[leaf]);
            ends[leaf] = Some([left, y]);
        }
        let mut lines = String::new();
        for ([a, b], height) in &self.joins {
            let ends_of = |thing: usize| ends.get(thing).copied().flatten();
            let made = match (ends_of(*a), ends_of(*b), axis.place(*height)) {
                (Some([xa, ya]), Some([xb, yb]), Some(x)) => {
                    let [xa, ya, xb, yb, across] = [xa, ya, xb, yb, x].map(number);
                    lines += &format!("M{xa} {ya}H{across}V{yb}H{xb}");
                    Some([
                        x,
                        f64::midpoint(ends_of(*a).map_or(0.0, |end| end[1]), ends_of(*b).map_or(0.0, |end| end[1])),
                    ])
                }
                _ => None,
            };
            ends.push(made);
        }
        canvas.path(&lines, &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.5\""));
        canvas.line([left, bottom], [right, bottom], &format!("stroke=\"{AXIS}\""));
        for (x, tick) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().filter_map(|tick| Some((axis.place(tick)?, tick))) {
            canvas.line([x, bottom], [x, bottom + 4.0], &format!("stroke=\"{AXIS}\""));
            canvas.text(Text::at(x, bottom + 16.0).size(TINY).middle(), &text::significant(tick));
        }
        canvas.text(Text::at(f64::midpoint(left, right), bottom + 36.0).size(LABEL).middle(), &self.height_label);
        let about = format!("{} leaves, {} joins.", names.len(), self.joins.len());
        canvas.finish(&self.title, &about, WIDTH, bottom + BELOW)
    }

    /// The leaves from top to bottom, so that no lines cross.
    fn order(&self) -> Vec<usize> {
        let mut under: Vec<Vec<usize>> = (0..self.names.len()).map(|leaf| vec![leaf]).collect();
        for ([a, b], _) in &self.joins {
            let of = |thing: usize| under.get(thing).cloned().unwrap_or_default();
            let joined = [of(*a), of(*b)].concat();
            for thing in [*a, *b] {
                if let Some(leaves) = under.get_mut(thing) {
                    leaves.clear();
                }
            }
            under.push(joined);
        }
        let mut order: Vec<usize> = under.concat();
        order.dedup();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_stand_beside_what_they_join() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let joins = vec![([0, 2], 0.25), ([1, 3], 0.9)];
        let tree = Dendrogram { title: "joins".into(), names, joins, height_label: "height".into() };
        let order = tree.order();
        assert!(order == [1, 0, 2], "{order:?}");
        let svg = tree.svg();
        assert!(svg.contains(">a<") && svg.contains("3 leaves, 2 joins."));
        // a join of what there is not is left out, and so is all that is made of it
        let broken = Dendrogram { joins: vec![([0, 9], 0.5), ([1, 3], 0.6)], ..tree };
        assert!(broken.svg().contains("2 joins."));
    }
}
