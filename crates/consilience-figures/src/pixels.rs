//! Many cells as one small PNG with a palette, in base64.

use crate::colour::{MISSING, viridis};

/// Number of palette entry for cells without a value; those below are viridis.
const NOTHING: u8 = 255;

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
    let mut encoder = png::Encoder::new(&mut file, columns.try_into().ok()?, rows.try_into().ok()?);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header().ok()?.write_image_data(&levels).ok()?;
    Some(base64(&file))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let packed = group.iter().fold(0_u32, |sum, &byte| sum << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(packed >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        let coded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(coded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn nothing_to_draw() {
        assert_eq!(base64_png(&[], 0), None);
        assert_eq!(base64_png(&[], 3), None);
    }
}
