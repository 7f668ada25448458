//! The bytes of a text file as characters: UTF-8, or UTF-16 as Excel and PowerShell write it.

use crate::source::Source;
use consilience::{Error, Result};

/// Whether a file that starts with `head` says that it is UTF-16. The mark of UTF-32 begins with the same bytes.
pub(crate) fn is_utf16(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && !matches!(head, [0xff, 0xfe, 0, 0, ..])
}

/// All characters of `source`, without the mark of byte order.
pub(super) fn text(source: &Source) -> Result<String> {
    let bytes = source.bytes()?;
    if is_utf16(&bytes) {
        // a pair of bytes can become three
        source.budget.take(bytes.len() as u64 * 3 / 2).map_err(|what| Error::format(source.path(), what))?;
        return from_utf16(&bytes).map_err(|what| Error::format(source.path(), what));
    }
    from_utf8(source, bytes, 0)
}

/// Characters of `source` that start at byte `first`.
pub(super) fn from_utf8(source: &Source, bytes: Vec<u8>, first: u64) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = first + error.utf8_error().valid_up_to() as u64;
        let what = format!("is neither a known binary format nor UTF-8 text (byte {place})");
        Error::format(source.path(), what)
    })?;
    // Excel starts its UTF-8 files with a mark of byte order
    Ok(match text.strip_prefix('\u{feff}') {
        Some(unmarked) if first == 0 => unmarked.to_owned(),
        _ => text,
    })
}

fn from_utf16(bytes: &[u8]) -> Result<String, String> {
    let big_endian = bytes[0] == 0xfe;
    let (pairs, odd) = bytes[2..].as_chunks::<2>();
    if !odd.is_empty() {
        return Err("is UTF-16 text of an odd number of bytes: it is cut short".to_owned());
    }
    let unit = |pair: &[u8; 2]| if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let characters: Result<String, _> = char::decode_utf16(pairs.iter().map(unit)).collect();
    characters.map_err(|error| format!("is UTF-16 text with half of a character in it ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        let le: Vec<u8> = "\u{feff}a,ä\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}a,ä\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(is_utf16(&le) && is_utf16(&be) && !is_utf16(b"a,b") && !is_utf16(&[0xff, 0xfe, 0, 0]));
        assert_eq!([from_utf16(&le), from_utf16(&be)].map(Result::unwrap), ["a,ä\n"; 2]);
        assert!(from_utf16(&le[..5]).unwrap_err().contains("odd"));
        assert!(from_utf16(&[0xff, 0xfe, 0, 0xd8]).unwrap_err().contains("half of a character"));
    }
}
