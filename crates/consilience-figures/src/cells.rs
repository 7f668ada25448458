//! A table of coloured cells with row and column labels: what [`crate::GridMap`] and [`crate::ConfusionMatrix`] share.

use crate::canvas::{AXIS, Canvas, EDGE, LABEL, SMALL, TINY, Text, WIDTH, number};
use crate::colour::{MISSING, hex, ink_on};
use crate::colour_bar::ColourBar;
use crate::plane::no_data;
use crate::text;

/// Most rows and columns that are drawn; cells would become too small to see.
const MOST: usize = 200;
/// Share of the width that row labels may take, and the most pixels of turned column labels.
const ROW_LABELS: f64 = 0.28;
const COLUMN_LABELS: f64 = 110.0;
/// A turned label is this much lower than it is long (45 degrees).
const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// One cell: its colour, if it has a value, and its text.
pub(crate) struct Cell {
    pub(crate) fill: Option<[u8; 3]>,
    pub(crate) text: String,
}

/// The table: its shape, and the words around it.
pub(crate) struct Cells<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) shape: [usize; 2],
    pub(crate) row_labels: &'a [String],
    pub(crate) column_labels: &'a [String],
    pub(crate) row_title: &'a str,
    pub(crate) column_title: &'a str,
    pub(crate) bar: Option<ColourBar<'a>>,
    pub(crate) note: &'a str,
    /// Widest cell, and lowest and highest.
    pub(crate) cell_sizes: [f64; 3],
}

/// Where things are.
struct Layout {
    rows: usize,
    columns: usize,
    left: f64,
    top: f64,
    cell: [f64; 2],
    /// Whether column labels are turned, and the height they take.
    turned: bool,
    below: f64,
}

impl Layout {
    fn right(&self) -> f64 {
        self.left + self.cell[0] * self.columns as f64
    }

    fn bottom(&self) -> f64 {
        self.top + self.cell[1] * self.rows as f64
    }

    fn x(&self, column: usize) -> f64 {
        self.left + self.cell[0] * column as f64
    }

    fn y(&self, row: usize) -> f64 {
        self.top + self.cell[1] * row as f64
    }
}

impl Cells<'_> {
    /// Draws the table; `cell` is asked for every cell that is shown.
    pub(crate) fn svg(&self, cell: impl Fn(usize, usize) -> Cell) -> String {
        let mut canvas = Canvas::default();
        let top = canvas.title(self.title, WIDTH);
        if self.shape.contains(&0) {
            no_data(&mut canvas, [WIDTH / 2.0, top + 40.0]);
            return canvas.finish(self.title, self.description, WIDTH, top + 80.0);
        }
        let layout = self.layout(top);
        self.draw_cells(&mut canvas, &layout, cell);
        self.draw_labels(&mut canvas, &layout);
        if let Some(bar) = &self.bar {
            bar.draw(&mut canvas, layout.right() + 18.0, top, self.bar_height(&layout));
        }
        let mut bottom = (layout.bottom() + layout.below).max(top + self.bar_height(&layout) + 6.0);
        for note in self.notes(&layout) {
            bottom += TINY + 3.0;
            canvas.text(
                Text::at(layout.left, bottom).size(TINY).colour(AXIS),
                &text::cut(&note, TINY, WIDTH - layout.left - EDGE),
            );
            bottom += TINY / 2.0;
        }
        canvas.finish(self.title, self.description, self.picture_width(&layout), bottom + EDGE)
    }

    fn layout(&self, top: f64) -> Layout {
        let [rows, columns] = self.shape.map(|size| size.min(MOST));
        let [widest, lowest, highest] = self.cell_sizes;
        let row_labels = text::widest(self.row_labels.iter().map(String::as_str), SMALL, ROW_LABELS * WIDTH);
        let title = if self.row_title.is_empty() { 0.0 } else { LABEL + 8.0 };
        let mut left = EDGE + title + row_labels + 8.0;
        let right = EDGE + self.bar.as_ref().map_or(0.0, |bar| bar.width(200.0) + 18.0);
        let fit = |left: f64| ((WIDTH - left - right) / columns as f64).clamp(2.0, widest);
        let labels = text::widest(self.column_labels.iter().map(String::as_str), SMALL, COLUMN_LABELS);
        let turned = labels > fit(left) - 6.0;
        if turned {
            // the first label leans out to the left
            left = left.max(EDGE + SLANT * labels - fit(left) / 2.0);
        }
        let width = if fit(left) > 8.0 { fit(left).floor() } else { fit(left) };
        let label_height = if turned {
            SLANT * (labels + SMALL)
        } else if labels > 0.0 {
            SMALL + 4.0
        } else {
            0.0
        };
        let below = label_height + 6.0 + if self.column_title.is_empty() { 0.0 } else { LABEL + 6.0 };
        let height = (0.62 * width).max(lowest).min(highest);
        Layout { rows, columns, left: left.round(), top, cell: [width, height.round()], turned, below }
    }

    fn bar_height(&self, layout: &Layout) -> f64 {
        if self.bar.is_some() { (layout.bottom() - layout.top).max(120.0) } else { 0.0 }
    }

    /// As wide as the content, but no narrower than the title if that fits into the width asked for.
    fn picture_width(&self, layout: &Layout) -> f64 {
        let bar = self.bar.as_ref().map_or(0.0, |bar| 18.0 + bar.width(self.bar_height(layout)));
        let title = text::bold_width(self.title, crate::canvas::TITLE) + 2.0 * EDGE;
        (layout.right() + bar + EDGE).max(title.min(WIDTH)).max(300.0).ceil()
    }

    fn draw_cells(&self, canvas: &mut Canvas, layout: &Layout, cell: impl Fn(usize, usize) -> Cell) {
        let [width, height] = layout.cell;
        let places = (0..layout.rows).flat_map(|row| (0..layout.columns).map(move |column| (row, column)));
        let cells: Vec<_> = places.map(|(row, column)| (layout.x(column), layout.y(row), cell(row, column))).collect();
        canvas.open("shape-rendering=\"crispEdges\"");
        let mut hatching = String::new();
        for (x, y, cell) in &cells {
            canvas.rect(*x, *y, width, height, &format!("fill=\"{}\"", hex(cell.fill.unwrap_or(MISSING))));
            if cell.fill.is_none() {
                hatching.push_str(&hatch(*x, *y, width, height));
            }
        }
        canvas.close();
        canvas.path(&hatching, "stroke=\"#8c8c8c\" fill=\"none\"");
        let style = format!("fill=\"none\" stroke=\"{AXIS}\" shape-rendering=\"crispEdges\"");
        canvas.rect(layout.left, layout.top, layout.right() - layout.left, layout.bottom() - layout.top, &style);

        let widest = |size: f64| text::widest(cells.iter().map(|(.., cell)| cell.text.as_str()), size, width);
        let size = [SMALL, TINY].into_iter().find(|&size| widest(size) <= width - 8.0 && size + 4.0 <= height);
        let Some(size) = size else { return };
        for (x, y, cell) in &cells {
            let ink = ink_on(cell.fill.unwrap_or(MISSING));
            canvas.text(Text::at(x + width / 2.0, y + height / 2.0).size(size).middle().colour(ink), &cell.text);
        }
    }

    fn draw_labels(&self, canvas: &mut Canvas, layout: &Layout) {
        let limit = ROW_LABELS * WIDTH;
        for (row, label) in self.row_labels.iter().take(layout.rows).enumerate() {
            let place = Text::at(layout.left - 7.0, layout.y(row) + layout.cell[1] / 2.0).end();
            canvas.text(place, &text::cut(label, SMALL, limit));
        }
        // turned labels need their height along the axis; where cells are narrower, only every so many are shown
        let every = ((SMALL + 4.0) / layout.cell[0]).ceil().max(1.0) as usize;
        for (column, label) in self.column_labels.iter().take(layout.columns).enumerate().step_by(every) {
            let x = layout.x(column) + layout.cell[0] / 2.0;
            let label = text::cut(label, SMALL, COLUMN_LABELS);
            if layout.turned {
                canvas.text(Text::at(x + 2.0, layout.bottom() + 9.0).end().turn(-45.0), &label);
            } else {
                canvas.text(Text::at(x, layout.bottom() + SMALL / 2.0 + 6.0).middle(), &label);
            }
        }
        let [across, down] = [(layout.left + layout.right()) / 2.0, (layout.top + layout.bottom()) / 2.0];
        let below = layout.bottom() + layout.below - LABEL / 2.0;
        let row_title = text::cut(self.row_title, LABEL, (layout.bottom() - layout.top).max(60.0));
        canvas.text(Text::at(EDGE + LABEL / 2.0, down).size(LABEL).middle().turn(-90.0), &row_title);
        let column_title = text::cut(self.column_title, LABEL, (layout.right() - layout.left).max(160.0));
        canvas.text(Text::at(across, below).size(LABEL).middle(), &column_title);
    }

    fn notes(&self, layout: &Layout) -> Vec<String> {
        let [rows, columns] = self.shape;
        let cut = (rows, columns) != (layout.rows, layout.columns);
        let cut =
            cut.then(|| format!("shown: {} of {rows} rows, {} of {columns} columns", layout.rows, layout.columns));
        cut.into_iter().chain((!self.note.is_empty()).then(|| self.note.to_owned())).collect()
    }
}

/// Three strokes across a cell without a value, which tell it from a grey one in print.
pub(crate) fn hatch(x: f64, y: f64, width: f64, height: f64) -> String {
    let stroke = |from: [f64; 2], to: [f64; 2]| {
        let [x1, y1, x2, y2] =
            [x + from[0] * width, y + from[1] * height, x + to[0] * width, y + to[1] * height].map(number);
        format!("M{x1} {y1}L{x2} {y2}")
    };
    stroke([0.0, 0.5], [0.5, 0.0]) + &stroke([0.0, 1.0], [1.0, 0.0]) + &stroke([0.5, 1.0], [1.0, 0.5])
}
