//! A matrix of values as a picture.

use crate::blocks::{Block, Blocks};
use crate::canvas::{AXIS, Canvas, EDGE, LABEL, SMALL, TITLE, Text, WIDTH, number};
use crate::cells::hatch;
use crate::colour::{MISSING, hex, viridis};
use crate::colour_bar::ColourBar;
use crate::plane::no_data;
use crate::raster::base64_png;
use crate::text;

/// Up to this many rows and columns are drawn one by one; more become an embedded picture.
const DRAWN: usize = 60;
/// Most rows and columns of the embedded picture; larger matrices are averaged over blocks of cells.
const EMBEDDED: usize = 500;
/// Most pixels of block labels, and least side of the map.
const LABELS: f64 = 130.0;
const LEAST: f64 = 40.0;
/// Space between map and colour bar.
const BAR_GAP: f64 = 18.0;

/// A matrix of values in the viridis palette, with a colour bar and, where wanted, lines between blocks of rows and columns.
///
/// Up to 60 x 60 the cells are rectangles; larger matrices are an embedded PNG of 255 colours. Above 500 rows or columns each
/// pixel is the mean of the finite values of a block of cells. Cells without a finite value are grey.
#[derive(Debug, Clone, Default)]
pub struct HeatMap {
    /// Heading; may be empty.
    pub title: String,
    /// The values, row after row from the top. A last row that is too short is filled with missing values.
    pub values: Vec<f64>,
    /// Number of columns.
    pub columns: usize,
    /// Classes of consecutive rows, from the top; empty for none.
    pub row_blocks: Vec<Block>,
    /// Classes of consecutive columns, from the left; empty for none.
    pub column_blocks: Vec<Block>,
    /// What the rows are.
    pub row_title: String,
    /// What the columns are.
    pub column_title: String,
    /// What the values are, written along the colour bar.
    pub value_label: String,
}

/// The map's cells as they are drawn, and its place.
struct Map {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl HeatMap {
    /// The picture.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::default();
        let top = canvas.title(&self.title, WIDTH);
        let rows = if self.columns == 0 { 0 } else { self.values.len().div_ceil(self.columns) };
        let (cells, shape) = self.shrink(rows);
        let (low, high) = range(&cells);
        let description = self.describe(rows, [low, high]);
        if rows == 0 {
            no_data(&mut canvas, [WIDTH / 2.0, top + 40.0]);
            return canvas.finish(&self.title, &description, WIDTH, top + 80.0);
        }
        let bar = ColourBar { low, high, label: &self.value_label };
        let map = self.place(cells, shape, top, WIDTH - BAR_GAP - bar.width(300.0) - EDGE);
        map.draw(&mut canvas, &bar);
        let below = self.draw_blocks(&mut canvas, &map, rows);
        let below = self.draw_titles(&mut canvas, &map, below);

        let bar_height = map.height.clamp(100.0, 360.0);
        let mut right = map.left + map.width;
        if low <= high {
            bar.draw(&mut canvas, right + BAR_GAP, top, bar_height);
            right += BAR_GAP + bar.width(bar_height);
        }
        let title = (text::bold_width(&self.title, TITLE) + 2.0 * EDGE).min(WIDTH);
        let bottom = below.max(top + bar_height + 6.0);
        canvas.finish(&self.title, &description, (right + EDGE).max(title).max(300.0), bottom + EDGE)
    }

    fn describe(&self, rows: usize, range: [f64; 2]) -> String {
        let [low, high] = range.map(text::significant);
        format!("Heat map of {rows} rows and {} columns; values from {low} to {high}.", self.columns)
    }

    /// What rows and columns are; returns where the picture ends below.
    fn draw_titles(&self, canvas: &mut Canvas, map: &Map, below: f64) -> f64 {
        let [across, down] = [map.left + map.width / 2.0, map.top + map.height / 2.0];
        let row_title = text::cut(&self.row_title, LABEL, map.height.max(LEAST));
        canvas.text(Text::at(EDGE + LABEL / 2.0, down).size(LABEL).middle().turn(-90.0), &row_title);
        let column_title = text::cut(&self.column_title, LABEL, map.width.max(160.0));
        canvas.text(Text::at(across, below + LABEL / 2.0 + 2.0).size(LABEL).middle(), &column_title);
        below + if column_title.is_empty() { 0.0 } else { LABEL + 4.0 }
    }

    /// The matrix, averaged down to at most [`EMBEDDED`] rows and columns, and its shape.
    fn shrink(&self, rows: usize) -> (Vec<f64>, [usize; 2]) {
        let [tall, wide] = [rows, self.columns].map(|size| size.div_ceil(EMBEDDED).max(1));
        let shape = [rows.div_ceil(tall), if rows == 0 { 0 } else { self.columns.div_ceil(wide) }];
        let mut sums = vec![(0.0, 0_u32); shape[0] * shape[1]];
        for (row, values) in self.values.chunks(self.columns.max(1)).enumerate() {
            for (column, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                if let Some((sum, count)) = sums.get_mut(row / tall * shape[1] + column / wide) {
                    *count += 1;
                    // the running mean cannot overflow where a sum could
                    *sum += value / f64::from(*count) - *sum / f64::from(*count);
                }
            }
        }
        (sums.into_iter().map(|(mean, count)| if count > 0 { mean } else { f64::NAN }).collect(), shape)
    }

    /// Lays the map out between the labels on its left and `right`, with square cells where its shape allows.
    fn place(&self, values: Vec<f64>, [rows, columns]: [usize; 2], top: f64, right: f64) -> Map {
        let labels = text::widest(self.row_blocks.iter().map(|block| block.label.as_str()), SMALL, LABELS);
        let title = if self.row_title.is_empty() { 0.0 } else { LABEL + 6.0 };
        let left = (EDGE + title + if labels > 0.0 { labels + 14.0 } else { 0.0 }).round();
        let side = (right - left).max(LEAST);
        let cell = (side / columns.max(rows) as f64).min(44.0);
        let cell = if cell >= 4.0 { cell.floor() } else { cell };
        let [width, height] = [columns, rows].map(|count| (cell * count as f64).clamp(LEAST, side).round());
        Map { values, rows, columns, left, top, width, height }
    }

    /// Lines between blocks, and their labels; returns where the labels end below.
    fn draw_blocks(&self, canvas: &mut Canvas, map: &Map, rows: usize) -> f64 {
        let across = Blocks::new(&self.column_blocks, self.columns, [map.left, map.width]);
        let down = Blocks::new(&self.row_blocks, rows, [map.top, map.height]);
        let [right, bottom] = [map.left + map.width, map.top + map.height];
        // ticks outside the map, as a white line is hard to see where the map is bright
        let (mut path, mut ticks) = (String::new(), String::new());
        for x in across.borders.iter().map(|x| number(*x)) {
            path.push_str(&format!("M{x} {}V{}", number(map.top), number(bottom)));
            ticks.push_str(&format!("M{x} {}v6", number(bottom)));
        }
        for y in down.borders.iter().map(|y| number(*y)) {
            path.push_str(&format!("M{} {y}H{}", number(map.left), number(right)));
            ticks.push_str(&format!("M{} {y}h-6", number(map.left)));
        }
        canvas.path(&path, "fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1.2\"");
        canvas.path(&ticks, &format!("fill=\"none\" stroke=\"{AXIS}\""));

        for (centre, place, label) in down.labels(SMALL + 2.0) {
            draw_leader(canvas, [map.left - 2.0, centre], [map.left - 9.0, place]);
            canvas.text(Text::at(map.left - 12.0, place).end(), &text::cut(label, SMALL, LABELS));
        }
        self.draw_column_labels(canvas, &across, bottom)
    }

    /// Labels of column blocks: side by side where they fit, else turned; returns where they end.
    fn draw_column_labels(&self, canvas: &mut Canvas, across: &Blocks<'_>, bottom: f64) -> f64 {
        let widest = text::widest(self.column_blocks.iter().map(|block| block.label.as_str()), SMALL, LABELS);
        if widest == 0.0 {
            return bottom + 4.0;
        }
        let flat = across.narrowest >= widest + 6.0;
        let gap = if flat { widest + 6.0 } else { SMALL + 2.0 };
        for (centre, place, label) in across.labels(gap) {
            let label = text::cut(label, SMALL, LABELS);
            draw_leader(canvas, [centre, bottom + 2.0], [place, bottom + 9.0]);
            if flat {
                canvas.text(Text::at(place, bottom + 12.0 + SMALL / 2.0).middle(), &label);
            } else {
                canvas.text(Text::at(place, bottom + 12.0).end().turn(-90.0), &label);
            }
        }
        bottom + 16.0 + if flat { SMALL } else { widest }
    }
}

/// Lowest and highest value of the palette. Low is above high where there is no value.
fn range(cells: &[f64]) -> (f64, f64) {
    let finite = || cells.iter().copied().filter(|value| value.is_finite());
    (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
}

/// A thin line from a block to its label, where that had to move aside.
fn draw_leader(canvas: &mut Canvas, from: [f64; 2], to: [f64; 2]) {
    if (from[0] - to[0]).abs().min((from[1] - to[1]).abs()) > 1.0 {
        canvas.line(from, to, "stroke=\"#9a9a9a\" stroke-width=\"0.8\"");
    }
}

impl Map {
    fn draw(&self, canvas: &mut Canvas, bar: &ColourBar<'_>) {
        let shares: Vec<f64> = self.values.iter().map(|value| bar.share(*value)).collect();
        if self.rows.max(self.columns) <= DRAWN {
            self.draw_cells(canvas, &shares);
        } else if let Some(picture) = base64_png(&shares, self.columns) {
            canvas.image(self.left, self.top, self.width, self.height, &picture);
        }
        let style = format!("fill=\"none\" stroke=\"{AXIS}\" shape-rendering=\"crispEdges\"");
        canvas.rect(self.left, self.top, self.width, self.height, &style);
    }

    fn draw_cells(&self, canvas: &mut Canvas, shares: &[f64]) {
        let [width, height] = [self.width / self.columns as f64, self.height / self.rows as f64];
        let mut hatching = String::new();
        canvas.open("shape-rendering=\"crispEdges\"");
        for (at, share) in shares.iter().enumerate() {
            let [x, y] =
                [self.left + width * (at % self.columns) as f64, self.top + height * (at / self.columns) as f64];
            let colour = if share.is_nan() { MISSING } else { viridis(*share) };
            canvas.rect(x, y, width, height, &format!("fill=\"{}\"", hex(colour)));
            if share.is_nan() {
                hatching.push_str(&hatch(x, y, width, height));
            }
        }
        canvas.close();
        canvas.path(&hatching, "stroke=\"#8c8c8c\" fill=\"none\"");
    }
}
