//! SVG to PNG, with the embedded font only; and many cells as one small PNG inside an SVG.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use resvg::{tiny_skia, usvg};

use crate::colour::{MISSING, viridis};
use crate::outline::with_outlines;

/// Number of palette entry for cells without a value; those below are viridis.
const NOTHING: u8 = 255;
/// Most pixels of a PNG: 64 million, which take 256 MB while drawing.
const MOST_PIXELS: f64 = 64e6;

/// Why a picture could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum PngError {
    /// The text is not SVG.
    Svg(String),
    /// The picture would have no pixels, or more than 64 million.
    Size {
        /// Width in pixels.
        width: f64,
        /// Height in pixels.
        height: f64,
    },
    /// The encoder failed.
    Encode(String),
}

impl std::fmt::Display for PngError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Svg(why) => write!(out, "cannot read the SVG: {why}"),
            Self::Size { width, height } => {
                write!(
                    out,
                    "a PNG of {width:.0} x {height:.0} pixels cannot be made; from 1 to 64 million pixels are allowed"
                )
            }
            Self::Encode(why) => write!(out, "cannot encode the PNG: {why}"),
        }
    }
}

impl std::error::Error for PngError {}

/// Draws `svg`, a chart of this crate, with `scale` pixels to the unit. Text is set in the embedded font, whatever is installed;
/// characters that it lacks (it has Latin and Greek) come out as boxes. No file and no address that the SVG names is opened.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree =
        usvg::Tree::from_str(&with_outlines(svg), &options()).map_err(|error| PngError::Svg(error.to_string()))?;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|size| f64::from(size * scale).round());
    let size = PngError::Size { width, height };
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(size);
    }
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32).ok_or(size)?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}

fn options() -> usvg::Options<'static> {
    let mut options = usvg::Options::default();
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    options
}

/// Shares in [0, 1], row after row of `columns`, as a PNG in base64; NaN is grey. `None` where there is nothing to draw.
pub(crate) fn base64_png(shares: &[f64], columns: usize) -> Option<String> {
    let rows = shares.len().checked_div(columns)?;
    let levels: Vec<u8> = shares
        .iter()
        .map(
            |share| {
                if share.is_nan() { NOTHING } else { (share.clamp(0.0, 1.0) * f64::from(NOTHING - 1)).round() as u8 }
            },
        )
        .collect();
    let mut palette: Vec<u8> =
        (0..NOTHING).flat_map(|level| viridis(f64::from(level) / f64::from(NOTHING - 1))).collect();
    palette.extend(MISSING);

    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, columns.try_into().ok()?, rows.try_into().ok()?);
    encoder.set_color(::png::ColorType::Indexed);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(::png::Compression::Balanced);
    encoder.set_filter(::png::Filter::NoFilter);
    encoder.write_header().ok()?.write_image_data(&levels).ok()?;
    Some(BASE64_STANDARD.encode(&file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_pictures_are_refused() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"/>"#;
        assert!(matches!(png("<svg", 1.0), Err(PngError::Svg(_))));
        for scale in [0.0, -1.0, 1e6, f32::NAN, f32::INFINITY] {
            assert!(matches!(png(svg, scale), Err(PngError::Size { .. })), "{scale}");
        }
        assert!(png(svg, 1.5).is_ok());
    }

    #[test]
    fn no_cells_are_no_picture() {
        assert_eq!(base64_png(&[], 0), None);
        assert_eq!(base64_png(&[], 3), None);
    }
}
