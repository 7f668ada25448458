//! Charts as SVG text and, through [`png()`], as PNG.
//!
//! Each chart is one struct of plain numbers and names with a method `svg`. The crate knows nothing of clustering.
//!
//! ```
//! use consilience_figures::{Bar, Bars, png};
//!
//! let chart = Bars {
//!     title: "View weights".into(),
//!     bars: vec![
//!         Bar { name: "colour".into(), value: 0.7, ..Bar::default() },
//!         Bar { name: "shape <2>".into(), value: 0.3, ..Bar::default() },
//!     ],
//!     ..Bars::default()
//! };
//! let svg = chart.svg();
//! assert!(svg.contains("shape &lt;2&gt;"));
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
mod bars;
mod blocks;
mod canvas;
mod cells;
mod colour;
mod colour_bar;
mod grid_map;
mod heat_map;
mod keys;
mod line_chart;
mod matrix;
mod pixels;
mod plane;
mod rank_plot;
mod raster;
mod scatter;
mod shape;
mod spread;
mod text;

pub use axis::Scale;
pub use bars::{Bar, Bars};
pub use blocks::Block;
pub use grid_map::GridMap;
pub use heat_map::HeatMap;
pub use line_chart::{Legend, LineChart, Series};
pub use matrix::Matrix;
pub use rank_plot::{RankPlot, Ranked};
pub use raster::{PngError, png};
pub use scatter::{Class, Scatter};
