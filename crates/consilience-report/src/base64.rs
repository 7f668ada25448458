//! Base64 (RFC 4648), in which documents pack their numbers and the content security policy its hashes.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text, padded.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let joined = group.iter().fold(0_u32, |bits, &byte| (bits << 8) | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(joined >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// The bytes behind base64 text; `None` when it is something else.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let padding = text.bytes().rev().take_while(|&letter| letter == b'=').count();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.as_bytes()[..text.len() - padding].chunks(4) {
        let mut bits = 0_u32;
        for &letter in group {
            let six = LETTERS.iter().position(|&known| known == letter)? as u32;
            bits = (bits << 6) | six;
        }
        let whole = (bits << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend(&whole[1..group.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_standard_go_there_and_back() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("Zm9!"), None);
        assert_eq!(decode("Z=9v"), None);
    }
}
