//! Widths of text, cutting it to a width, labels that do not overlap, and numbers as text.

/// Advance widths of the characters from space to `~` in thousandths of the font size: those of the embedded font, and of Arial
/// and Helvetica (printed by `scripts/make_figure_font.py`).
const ADVANCES: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// How much wider bold text may be.
const BOLD: f64 = 1.09;

const ELLIPSIS: char = '…';

fn advance(character: char) -> f64 {
    let code = u32::from(character);
    let thousandths = match code {
        0x20..=0x7e => ADVANCES.get(code as usize - 0x20).copied().unwrap_or(600),
        0x2026 => 1000,
        // ideographs, kana, full-width forms and pictures
        0x1100..=0x11ff | 0x2e80..=0xd7ff | 0xf900..=0xfaff | 0xff00..=0xff60 | 0x1f000.. => 1000,
        _ => 620,
    };
    f64::from(thousandths) / 1000.0
}

/// Width of `text` in pixels.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// Width of bold `text` in pixels, rather too large than too small.
pub(crate) fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * BOLD
}

/// The widest of `texts`, but at most `limit`.
pub(crate) fn widest<'a>(texts: impl Iterator<Item = &'a str>, size: f64, limit: f64) -> f64 {
    texts.map(|text| width(&cut(text, size, limit), size)).fold(0.0, f64::max)
}

/// `text` if it is at most `limit` pixels wide, else its beginning and an ellipsis. Reads no more of `text` than fits.
pub(crate) fn cut(text: &str, size: f64, limit: f64) -> String {
    let (mut used, mut end) = (0.0, 0);
    for (at, character) in text.char_indices() {
        let grown = used + advance(character) * size;
        if grown > limit {
            let kept = text.get(..end).unwrap_or_default().trim_end();
            return format!("{kept}{ELLIPSIS}");
        }
        if grown + advance(ELLIPSIS) * size <= limit {
            end = at + character.len_utf8();
        }
        used = grown;
    }
    text.to_owned()
}

/// `text` in at most two lines, broken at spaces, each cut to `limit`.
pub(crate) fn two_lines(text: &str, size: f64, limit: f64) -> Vec<String> {
    let narrow = limit / BOLD;
    if text.trim().is_empty() {
        return Vec::new();
    }
    let first = cut(text, size, narrow);
    if first == text {
        return vec![first];
    }
    let fits = first.trim_end_matches(ELLIPSIS).len();
    // the ellipsis took room that a word might have used, but never more than one word's worth
    match text.get(..fits).and_then(|head| head.rfind(' ')).and_then(|space| text.split_at_checked(space)) {
        Some((head, tail)) => vec![head.to_owned(), cut(tail.trim_start(), size, narrow)],
        None => vec![first],
    }
}

/// `value` with `decimals` digits after the point and a true minus sign; "n/a" if it is not finite.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "n/a".into();
    }
    if value != 0.0 && (value.abs() >= 1e7 || value.abs() < 1e-6) {
        return exponent(value);
    }
    let text = format!("{value:.*}", decimals.min(12));
    if text.bytes().any(|digit| matches!(digit, b'1'..=b'9')) { minus(&text) } else { text.replace('-', "") }
}

/// `value` with three significant digits.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    fixed(value, (2.0 - value.abs().log10().floor()).clamp(0.0, 12.0) as usize)
}

/// `value` as `1.5e−7`.
pub(crate) fn exponent(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    minus(&format!("{digits}e{power}"))
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// `count` with commas between thousands.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Moves `wanted` (ascending) as little as possible, in the sense of least squares, so that neighbours are `gap` apart and all lie in
/// [low, high]. Where they cannot, the gap shrinks.
pub(crate) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let steps = wanted.len().saturating_sub(1) as f64;
    let gap = if steps > 0.0 { gap.min((high - low).max(0.0) / steps) } else { gap };
    // with the gaps taken out, "apart" means "ascending": isotonic regression by pooling (sum, count)
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (at, place) in wanted.iter().enumerate() {
        let mut pool = (place - gap * at as f64, 1);
        while let Some(&(sum, count)) = pools.last() {
            if sum / count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    let top = (high - gap * steps).max(low);
    let ascending = pools.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count));
    ascending.enumerate().map(|(at, place)| place.clamp(low, top) + gap * at as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        assert_eq!(width("", 10.0), 0.0);
        assert_eq!(width("il", 1000.0), 444.0);
        assert_eq!(width("A…", 1000.0), 1667.0);
    }

    #[test]
    fn cut_text_fits_and_short_text_is_untouched() {
        assert_eq!(cut("short", 12.0, 100.0), "short");
        let cut_text = cut("a rather long name of a view", 12.0, 80.0);
        assert_eq!(cut_text, "a rather long…");
        assert!(width(&cut_text, 12.0) <= 80.0);
        assert_eq!(cut("name", 12.0, 0.0), "…");
        assert_eq!(cut("日本語の名前", 10.0, 45.0), "日本語…");
    }

    #[test]
    fn titles_break_at_a_space() {
        assert_eq!(two_lines("one two three", 10.0, 1000.0), ["one two three"]);
        assert_eq!(two_lines("one two three", 10.0, 60.0), ["one two", "three"]);
        assert_eq!(two_lines("onetwothree", 10.0, 50.0).len(), 1);
        assert!(two_lines("  ", 10.0, 50.0).is_empty());
    }

    #[test]
    fn numbers() {
        assert_eq!(fixed(-0.5, 2), "−0.50");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(1.5e-9, 2), "1.5e−9");
        assert_eq!(fixed(2e9, 0), "2e9");
        assert_eq!(fixed(f64::NAN, 2), "n/a");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(123), "123");
    }

    #[test]
    fn distant_labels_stay() {
        assert_eq!(spread(&[10.0, 30.0, 50.0], 15.0, 0.0, 100.0), [10.0, 30.0, 50.0]);
    }

    #[test]
    fn close_labels_part_about_their_mean() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
    }

    #[test]
    fn labels_stay_inside_and_shrink_their_gap_if_they_must() {
        assert_eq!(spread(&[99.0, 100.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
        assert_eq!(spread(&[1.0, 1.0, 1.0], 100.0, 0.0, 10.0), [0.0, 5.0, 10.0]);
        assert!(spread(&[], 10.0, 0.0, 1.0).is_empty());
    }
}
