//! The critical-difference diagram of J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006).

use crate::axis::{Axis, AxisScale};
use crate::canvas::{AXIS, Canvas, EDGE, INK, LABEL, SMALL, TINY, Text, number, width_of};
use crate::plane::no_data;
use crate::text;

/// Share of the width that the names on one side may take.
const NAMES: f64 = 0.3;
const ROW: f64 = 20.0;
const GROUP_ROW: f64 = 9.0;

/// Mean ranks of methods on an axis whose best (lowest) rank is on the right, as in Demšar's paper; thick bars join methods that do
/// not differ significantly.
#[derive(Debug, Clone, Default)]
pub struct RankPlot {
    /// Heading; may be empty.
    pub title: String,
    /// Read by screen readers; empty for a generated summary.
    pub description: String,
    /// The methods, in any order. Those whose rank is not finite are only listed in a note.
    pub methods: Vec<Ranked>,
    /// Sets of methods that do not differ, as places in `methods`; places that do not exist are passed over.
    pub groups: Vec<Vec<usize>>,
    /// The critical difference, drawn to scale above the axis; `None` for no such bar.
    pub critical_difference: Option<f64>,
    /// Width in pixels; `None` for 720.
    pub width: Option<f64>,
}

/// A method and its mean rank.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    /// Its name; cut where it is long.
    pub name: String,
    /// Its mean rank, 1 for the best.
    pub rank: f64,
}

impl Ranked {
    fn label(&self, limit: f64) -> String {
        let rank = format!(" ({})", text::fixed(self.rank, 2));
        text::cut(&self.name, SMALL, limit - text::width(&rank, SMALL)) + &rank
    }
}

impl RankPlot {
    /// The picture.
    pub fn svg(&self) -> String {
        let width = width_of(self.width);
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, width);
        let mut ranked: Vec<&Ranked> = self.methods.iter().filter(|method| method.rank.is_finite()).collect();
        ranked.sort_by(|one, other| one.rank.total_cmp(&other.rank));
        if ranked.is_empty() {
            no_data(&mut canvas, [width / 2.0, top + 40.0]);
            return canvas.finish(&self.title, &self.summary(&ranked), width, top + 80.0);
        }
        let limit = NAMES * width;
        let (right_side, left_side) = ranked.split_at(ranked.len().div_ceil(2));
        let widest =
            |side: &[&Ranked]| side.iter().map(|method| text::width(&method.label(limit), SMALL)).fold(0.0, f64::max);
        let (left, right) = (EDGE + widest(left_side) + 16.0, width - EDGE - widest(right_side) - 16.0);
        let axis = self.axis(&ranked, [right.round(), left.max(EDGE + 12.0).round()]);
        let line = self.draw_difference(&mut canvas, &axis, top) + 22.0;
        draw_axis(&mut canvas, &axis, line);
        let below = line + 12.0 + GROUP_ROW * self.draw_groups(&mut canvas, &axis, line + 12.0) as f64;

        let mut bottom = below;
        for (level, method) in right_side.iter().enumerate() {
            let y = below + ROW * (level as f64 + 0.5);
            draw_line(&mut canvas, axis.place(method.rank), [line, y], right + 11.0);
            canvas.text(Text::at(right + 16.0, y), &method.label(limit));
            bottom = y;
        }
        for (level, method) in left_side.iter().rev().enumerate() {
            let y = below + ROW * (level as f64 + 0.5);
            draw_line(&mut canvas, axis.place(method.rank), [line, y], left - 11.0);
            canvas.text(Text::at(left - 16.0, y).end(), &method.label(limit));
        }
        if let Some(note) = self.unranked() {
            bottom += ROW;
            canvas.text(Text::at(EDGE, bottom).size(TINY).colour(AXIS), &text::cut(&note, TINY, width - 2.0 * EDGE));
        }
        canvas.finish(&self.title, &self.summary(&ranked), width, bottom + SMALL / 2.0 + EDGE)
    }

    /// From rank 1 to the number of methods, or as far as ranks and critical difference need.
    fn axis(&self, ranked: &[&Ranked], pixels: [f64; 2]) -> Axis {
        let ranks = || ranked.iter().map(|method| method.rank);
        let low = ranks().fold(1.0, f64::min).floor();
        let high = ranks().fold((ranked.len() as f64).max(2.0), f64::max).ceil();
        let difference = self.difference().map_or(high, |difference| (low + difference).ceil());
        Axis::tight(AxisScale::Linear, [low, high.max(difference)].into_iter(), pixels)
    }

    fn difference(&self) -> Option<f64> {
        self.critical_difference.filter(|difference| difference.is_finite() && *difference > 0.0)
    }

    /// The bar of the critical difference, at the left end of the axis; returns where it ends below.
    fn draw_difference(&self, canvas: &mut Canvas, axis: &Axis, top: f64) -> f64 {
        let Some(difference) = self.difference() else { return top };
        let [_, worst] = axis.ends();
        let (Some(from), Some(to)) = (axis.place(worst), axis.place(worst - difference)) else { return top };
        let y = top + SMALL + 8.0;
        let [x1, x2, low, high, middle] = [from, to, y - 4.0, y + 4.0, y].map(number);
        let path = format!("M{x1} {middle}H{x2}M{x1} {low}V{high}M{x2} {low}V{high}");
        canvas.path(&path, &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.4\""));
        let label = format!("CD = {}", text::fixed(difference, 2));
        let half = text::width(&label, SMALL) / 2.0;
        canvas.text(Text::at(((from + to) / 2.0).max(EDGE + half), top + SMALL / 2.0).middle(), &label);
        y + 10.0
    }

    /// Bars of groups, in as few rows as keep them apart; returns the number of rows.
    fn draw_groups(&self, canvas: &mut Canvas, axis: &Axis, top: f64) -> usize {
        let mut spans: Vec<[f64; 2]> = self.groups.iter().filter_map(|group| self.span(axis, group)).collect();
        spans.sort_by(|one, other| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
        let mut ends: Vec<f64> = Vec::new();
        for [from, to] in spans {
            let row = ends.iter().position(|end| end + 6.0 < from).unwrap_or(ends.len());
            match ends.get_mut(row) {
                Some(end) => *end = to,
                None => ends.push(to),
            }
            let y = top + GROUP_ROW * row as f64;
            canvas.line([from, y], [to, y], &format!("stroke=\"{INK}\" stroke-width=\"4.5\""));
        }
        ends.len()
    }

    /// Pixels from the first to the last of the group's methods and a little more; nothing for a group of less than two.
    fn span(&self, axis: &Axis, group: &[usize]) -> Option<[f64; 2]> {
        let places: Vec<f64> =
            group.iter().filter_map(|&at| self.methods.get(at)).filter_map(|method| axis.place(method.rank)).collect();
        let (from, to) = (places.iter().copied().reduce(f64::min)?, places.iter().copied().reduce(f64::max)?);
        (places.len() > 1).then_some([from - 4.0, to + 4.0])
    }

    fn unranked(&self) -> Option<String> {
        let names: Vec<String> = self
            .methods
            .iter()
            .filter(|method| !method.rank.is_finite())
            .take(20)
            .map(|method| text::cut(&method.name, TINY, 200.0))
            .collect();
        (!names.is_empty()).then(|| format!("without rank: {}", names.join(", ")))
    }

    fn summary(&self, ranked: &[&Ranked]) -> String {
        if !self.description.is_empty() {
            return self.description.clone();
        }
        let names: Vec<String> = ranked.iter().take(30).map(|method| method.label(400.0)).collect();
        let difference =
            self.difference().map(|difference| format!(" Critical difference {}.", text::fixed(difference, 2)));
        format!("Mean ranks, best first: {}.{}", names.join(", "), difference.unwrap_or_default())
    }
}

fn draw_axis(canvas: &mut Canvas, axis: &Axis, y: f64) {
    let [best, worst] = axis.ends();
    let (Some(right), Some(left)) = (axis.place(best), axis.place(worst)) else { return };
    // every rank where there is room for its number
    let whole = worst - best <= 20.0 && right - left >= 22.0 * (worst - best);
    let ticks: Vec<(f64, String)> = if whole {
        let ranks = (0..=20).map(|step| best + f64::from(step)).take_while(|rank| *rank <= worst);
        ranks.filter_map(|rank| Some((axis.place(rank)?, text::fixed(rank, 0)))).collect()
    } else {
        axis.ticks().into_iter().map(|tick| (tick.place, tick.label)).collect()
    };
    canvas.line([left, y], [right, y], &format!("stroke=\"{INK}\" stroke-width=\"1.4\" stroke-linecap=\"square\""));
    for (place, label) in ticks {
        canvas.line([place, y - 5.0], [place, y], &format!("stroke=\"{INK}\" stroke-width=\"1.2\""));
        canvas.text(Text::at(place, y - 13.0).middle().size(LABEL), &label);
    }
}

/// The line from `x` on the axis down to the method's level and out to its name.
fn draw_line(canvas: &mut Canvas, x: Option<f64>, [from, to]: [f64; 2], end: f64) {
    let Some(x) = x else { return };
    let [x, from, to, end] = [x, from, to, end].map(number);
    canvas.path(&format!("M{x} {from}V{to}H{end}"), &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1\""));
}
