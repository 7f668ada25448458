//! Long columns, packed.

use consilience::matrix::Dense;
use serde_json::{Value, json};

use crate::base64::{decode, encode};

/// Small whole numbers: clusters, classes.
pub(super) fn small(numbers: impl Iterator<Item = usize>) -> Value {
    u16s(numbers.map(|number| u16::try_from(number).unwrap_or(u16::MAX)))
}

/// Shares from 0 to 1, to one part in 255.
pub(super) fn shares(shares: &[f64]) -> Value {
    let bytes: Vec<u8> = shares.iter().map(|share| (share.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    packed("u8", &bytes)
}

/// Bytes as they are.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    packed("u8", bytes)
}

/// Both coordinates of a layout in the square 0..65535, with the same scale on both axes.
pub(super) fn layout(places: &Dense<f64>) -> (Value, Value) {
    let column = |axis: usize| places.iter_rows().map(move |row| row[axis]);
    let range =
        |axis: usize| column(axis).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (x, y) = (range(0), range(1));
    let span = (x.1 - x.0).max(y.1 - y.0);
    let scale = if span > 0.0 { 65535.0 / span } else { 0.0 };
    let axis = |axis: usize, (low, high): (f64, f64)| {
        // the shorter side sits in the middle
        let margin = (65535.0 - (high - low) * scale) / 2.0;
        u16s(column(axis).map(|place| (margin + (place - low) * scale).round().clamp(0.0, 65535.0) as u16))
    };
    (axis(0, x), axis(1, y))
}

fn u16s(numbers: impl Iterator<Item = u16>) -> Value {
    let bytes: Vec<u8> = numbers.flat_map(u16::to_le_bytes).collect();
    packed("u16", &bytes)
}

fn packed(kind: &str, bytes: &[u8]) -> Value {
    json!({ "type": kind, "data": encode(bytes) })
}

/// The numbers of a packed column; none when it is missing or not one.
pub fn unpack(column: &Value) -> Vec<f64> {
    let bytes = column["data"].as_str().and_then(decode).unwrap_or_default();
    match column["type"].as_str() {
        Some("u8") => bytes.into_iter().map(f64::from).collect(),
        Some("u16") => bytes.chunks_exact(2).map(|pair| f64::from(u16::from_le_bytes([pair[0], pair[1]]))).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_shares_are_rounded() {
        assert_eq!(small([1, 258].into_iter()), json!({ "type": "u16", "data": encode(&[1, 0, 2, 1]) }));
        assert_eq!(shares(&[0.0, 0.5, 2.0]), json!({ "type": "u8", "data": encode(&[0, 128, 255]) }));
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        assert_eq!(unpack(&small([7, 258].into_iter())), [7.0, 258.0]);
        assert_eq!(unpack(&shares(&[1.0])), [255.0]);
        assert!(unpack(&json!(null)).is_empty() && unpack(&json!({ "type": "u8", "data": "!" })).is_empty());
    }

    #[test]
    fn a_layout_keeps_its_proportions() {
        let (x, y) = layout(&Dense::new(2, 2, vec![0.0, 0.0, 2.0, 1.0]).unwrap());
        assert_eq!(x, u16s([0, 65535].into_iter()));
        assert_eq!(y, u16s([16384, 49151].into_iter()));
        let (x, _) = layout(&Dense::zeros(3, 2));
        assert_eq!(x, u16s([32768; 3].into_iter()));
    }
}
