//! Charts as SVG text and, through [`png()`], as PNG.
//!
//! Each chart is one struct of plain numbers and names with a method `svg`. The crate knows nothing of clustering.
//!
//! ```
//! use consilience_figures::{Class, Scatter, png};
//!
//! let chart = Scatter {
//!     title: "Two clusters".into(),
//!     classes: vec![
//!         Class { name: "round".into(), points: vec![[0.0, 1.0], [0.2, 0.9]] },
//!         Class { name: "flat <2>".into(), points: vec![[3.0, 0.0], [2.8, 0.1]] },
//!     ],
//! };
//! let svg = chart.svg();
//! assert!(svg.contains("flat &lt;2&gt;"));
//! assert!(png(&svg, 2.0)?.starts_with(b"\x89PNG"));
//! # Ok::<(), consilience_figures::PngError>(())
//! ```
//!
//! What all charts share:
//!
//! - The same input gives the same bytes: numbers have at most two decimals, and PNG text is drawn with an embedded font.
//! - Names are escaped, control characters replaced, and what does not fit its place is cut with an ellipsis.
//! - No input is refused. Numbers that are not finite are left out or shown as missing; empty charts say "no data".
//! - Colours are chosen for colour-blind readers, and every distinction is also one of lightness, dash or shape, for print in grey.
//! - No element has an `id`, so that several charts can stand inline in one HTML page.

mod axis;
mod blocks;
mod canvas;
mod cells;
mod colour;
mod colour_bar;
mod confusion_matrix;
mod dendrogram;
mod grid_map;
mod heat_map;
mod line_chart;
mod outline;
mod plane;
mod raster;
mod scatter;
mod shape;
mod text;

pub use axis::AxisScale;
pub use blocks::Block;
pub use confusion_matrix::ConfusionMatrix;
pub use dendrogram::Dendrogram;
pub use grid_map::GridMap;
pub use heat_map::HeatMap;
pub use line_chart::{LineChart, Series};
pub use raster::{PngError, png};
pub use scatter::{Class, Scatter};
