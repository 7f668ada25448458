//! Text of unknown origin, made safe to show. Names and cells of files get into messages; what could move a terminal's
//! cursor, change its colours or start a line of its own must not.

use std::borrow::Cow;

/// `text` with every control character, line break and mark of writing direction written out, as in `\u{1b}` and `\n`.
///
/// ```
/// assert_eq!(consilience::printable("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\\nc");
/// assert_eq!(consilience::printable("größe 3 µm"), "größe 3 µm");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hostile(letter) { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    Cow::Owned(shown)
}

/// Control characters, line and paragraph separators, and what reverses the direction of the text that follows.
fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_a_cursor_is_left() {
        let all: String = (0..0x3000).filter_map(char::from_u32).collect();
        let shown = printable(&all);
        assert!(!shown.chars().any(char::is_control));
        assert!(
            !shown.contains('\u{202e}')
                && shown.contains("\\u{9b}")
                && shown.contains("\\r\\n") == all.contains("\r\n")
        );
        assert!(matches!(printable("plain `text`, \"quoted\"\\"), Cow::Borrowed(_)));
    }
}
