//! Long columns of numbers, packed: little-endian bytes in base64, so that 100,000 samples stay a few megabytes of JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// A column of `u8` or `u16` that is `{"type": "u16", "data": "AAEC.."}` in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed<T>(pub Vec<T>);

impl Packed<u8> {
    /// Shares from 0 to 1, to one part in 255.
    pub(crate) fn shares(shares: &[f64]) -> Self {
        Self(shares.iter().map(|share| (share.clamp(0.0, 1.0) * 255.0).round() as u8).collect())
    }
}

/// A number that can be packed.
trait Number: Copy {
    const TYPE: &'static str;

    fn write(numbers: &[Self]) -> Vec<u8>;

    /// None when the bytes are not a whole number of numbers.
    fn read(bytes: Vec<u8>) -> Option<Vec<Self>>;
}

impl Number for u8 {
    const TYPE: &'static str = "u8";

    fn write(numbers: &[Self]) -> Vec<u8> {
        numbers.to_vec()
    }

    fn read(bytes: Vec<u8>) -> Option<Vec<Self>> {
        Some(bytes)
    }
}

impl Number for u16 {
    const TYPE: &'static str = "u16";

    fn write(numbers: &[Self]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn read(bytes: Vec<u8>) -> Option<Vec<Self>> {
        let (pairs, rest) = bytes.as_chunks();
        rest.is_empty().then(|| pairs.iter().map(|&pair| Self::from_le_bytes(pair)).collect())
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Encoded {
    r#type: String,
    data: String,
}

impl<T: Number> Serialize for Packed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Encoded { r#type: T::TYPE.to_owned(), data: BASE64_STANDARD.encode(T::write(&self.0)) }.serialize(serializer)
    }
}

impl<'de, T: Number> Deserialize<'de> for Packed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Encoded { r#type, data } = Encoded::deserialize(deserializer)?;
        if r#type != T::TYPE {
            return Err(D::Error::custom(format!("a column is packed as `{}`, not as `{}`", r#type, T::TYPE)));
        }
        let numbers = BASE64_STANDARD.decode(data).ok().and_then(T::read);
        numbers.map(Self).ok_or_else(|| D::Error::custom(format!("a column is not base64 of `{}`", T::TYPE)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn numbers_are_little_endian_and_read_back() {
        let column = Packed(vec![1_u16, 258]);
        let json = to_value(&column).unwrap();
        assert_eq!(json, json!({ "type": "u16", "data": "AQACAQ==" }));
        assert_eq!(from_value::<Packed<u16>>(json.clone()).unwrap(), column);
        assert!(from_value::<Packed<u8>>(json).unwrap_err().to_string().contains("packed as `u16`, not as `u8`"));
        for data in ["AQAC", "AQ=", "!"] {
            let json = json!({ "type": "u16", "data": data });
            assert_eq!(from_value::<Packed<u16>>(json).unwrap_err().to_string(), "a column is not base64 of `u16`");
        }
    }

    #[test]
    fn shares_are_rounded() {
        assert_eq!(Packed::shares(&[0.0, 0.5, 2.0]).0, [0, 128, 255]);
    }
}
