//! Colours: sequential palettes for values, and the palette of Okabe and Ito for classes.

/// Colour of cells without a value.
pub(crate) const MISSING: [u8; 3] = [0xc8, 0xc8, 0xc8];

/// The palette of M. Okabe and K. Ito, "Color universal design" (2008), ordered so that neighbours differ in lightness too; yellow,
/// the hardest to see on white, comes last.
pub(crate) const CLASSES: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#000000", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];

/// Colours of groups of samples, as the page of a report has them (its `palette.js`): a cluster has one colour wherever it is
/// drawn. Up to eight by Okabe and Ito, more by M. Petroff, "Accessible color sequences for data visualization" (2021).
pub(crate) const GROUPS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#000000"];
pub(crate) const MANY_GROUPS: [&str; 10] =
    ["#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"];

/// Seventeen equidistant colours of viridis (S. van der Walt, N. Smith; matplotlib, CC0). Lightness grows evenly.
const VIRIDIS: [u32; 17] = [
    0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80,
    0x3fbc73, 0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725,
];

/// White to dark blue (ColorBrewer's Blues, Apache 2.0), for shares of a whole: nothing is white.
const BLUES: [u32; 9] = [0xffffff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b];

/// Viridis at `share` in [0, 1].
pub(crate) fn viridis(share: f64) -> [u8; 3] {
    between(&VIRIDIS, share)
}

/// White to blue at `share` in [0, 1].
pub(crate) fn blues(share: f64) -> [u8; 3] {
    between(&BLUES, share)
}

fn between(table: &[u32], share: f64) -> [u8; 3] {
    let last = table.len() - 1;
    let place = if share.is_finite() { share.clamp(0.0, 1.0) * last as f64 } else { 0.0 };
    let below = (place as usize).min(last.saturating_sub(1));
    let part = place - below as f64;
    let [low, high] = [below, below + 1].map(|at| table.get(at).copied().unwrap_or(0).to_be_bytes());
    [1, 2, 3].map(|byte| (f64::from(low[byte]) * (1.0 - part) + f64::from(high[byte]) * part).round() as u8)
}

/// `#rrggbb`.
pub(crate) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Black or white, whichever is easier to read on `background` (contrast ratio of WCAG 2).
pub(crate) fn ink_on(background: [u8; 3]) -> &'static str {
    let light = luminance(background);
    if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) { "#000000" } else { "#ffffff" }
}

fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|byte| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middle_of_viridis() {
        assert_eq!(viridis(0.0), [0x44, 0x01, 0x54]);
        assert_eq!(viridis(0.5), [0x21, 0x91, 0x8c]);
        assert_eq!(viridis(1.0), [0xfd, 0xe7, 0x25]);
        assert_eq!(viridis(7.0), viridis(1.0));
        assert_eq!(viridis(f64::NAN), viridis(0.0));
    }

    #[test]
    fn palettes_are_monotone_in_lightness() {
        for step in 0..100 {
            let [low, high] = [step, step + 1].map(|at| f64::from(at) / 100.0);
            assert!(luminance(viridis(low)) < luminance(viridis(high)));
            assert!(luminance(blues(low)) > luminance(blues(high)));
        }
    }

    #[test]
    fn text_is_readable_on_every_colour() {
        for step in 0..=100 {
            for background in [viridis(f64::from(step) / 100.0), blues(f64::from(step) / 100.0), MISSING] {
                let ink = if ink_on(background) == "#000000" { 0.0 } else { 1.0 };
                let (low, high) = (f64::min(ink, luminance(background)), f64::max(ink, luminance(background)));
                assert!((high + 0.05) / (low + 0.05) >= 4.5, "WCAG AA at {step} %");
            }
        }
    }
}
