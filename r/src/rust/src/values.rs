//! Values between R and Rust: fields of lists, and JSON as R's lists.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use consilience::parameters::Value;
use consilience::{Error, Result};
use extendr_api::prelude::*;
use serde_json::Value as Json;

use crate::error::of_r;

/// The field of a list that the package's R code always sets.
pub(crate) fn field(list: &List, name: &str) -> Result<Robj> {
    let found = list.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    found.ok_or_else(|| Error::data(format!("the package's R code did not set `{name}`")))
}

/// One text.
pub(crate) fn text(value: &Robj) -> Result<String> {
    let found = value.as_str().map(str::to_owned);
    found.ok_or_else(|| Error::data("the package's R code passed no text where one is needed"))
}

/// Texts; none for NULL.
pub(crate) fn texts(value: &Robj) -> Option<Vec<String>> {
    if value.is_null() { None } else { value.as_string_vector() }
}

/// A number; none for NULL.
pub(crate) fn number(value: &Robj) -> Option<f64> {
    value.as_real().or_else(|| value.as_integer().map(f64::from))
}

/// A whole number that is at least 0; none for NULL.
pub(crate) fn count(value: &Robj) -> Option<usize> {
    number(value).filter(|number| *number >= 0.0).map(|number| number as usize)
}

/// Labels from 1 as labels from 0.
pub(crate) fn labels(value: &Robj) -> Result<Vec<usize>> {
    let found =
        value.as_integer_slice().map(|labels| labels.iter().map(|label| (*label).max(1) as usize - 1).collect());
    found.ok_or_else(|| Error::data("the package's R code passed no labels"))
}

/// Labels from 0 as labels from 1, as R counts; `usize::MAX` is no label.
pub(crate) fn to_labels(labels: &[usize]) -> Robj {
    let label = |&label: &usize| if label == usize::MAX { Rint::na() } else { Rint::from(label as i32 + 1) };
    labels.iter().map(label).collect::<Integers>().into()
}

/// A parameter's value. R writes 15 for a whole number and 15.0 for it too.
pub(crate) fn parameter(value: &Robj) -> Value {
    if let Some(flag) = value.as_bool() {
        return flag.into();
    }
    if let Some(number) = number(value).filter(|number| number.is_finite()) {
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        return if whole { (number as i64).into() } else { number.into() };
    }
    match value.as_str() {
        Some(text) => text.into(),
        // NA, NULL, a vector: refused by the parameter in its own words
        None => Value::Text(format!("{value:?}")),
    }
}

/// JSON as R has it: objects are named lists, arrays of one type are vectors (null is NA), and packed columns are unpacked.
pub(crate) fn of_json(json: &Json) -> Result<Robj> {
    Ok(match json {
        Json::Null => ().into(),
        Json::Bool(flag) => (*flag).into(),
        Json::Number(number) => number.as_f64().unwrap_or(f64::NAN).into(),
        Json::String(text) => text.as_str().into(),
        Json::Array(values) => of_array(values)?,
        Json::Object(fields) => {
            if let (2, Some(Json::String(kind)), Some(Json::String(data))) =
                (fields.len(), fields.get("type"), fields.get("data"))
            {
                return unpacked(kind, data);
            }
            let values: Vec<Robj> = fields.values().map(of_json).collect::<Result<_>>()?;
            List::from_names_and_values(fields.keys(), values).map_err(of_r)?.into()
        }
    })
}

fn of_array(values: &[Json]) -> Result<Robj> {
    let nothing = values.iter().all(Json::is_null);
    if !nothing && values.iter().all(|value| value.is_number() || value.is_null()) {
        let number = |value: &Json| value.as_f64().map_or(Rfloat::na(), Rfloat::from);
        return Ok(values.iter().map(number).collect::<Doubles>().into());
    }
    if !nothing && values.iter().all(Json::is_string) {
        return Ok(values.iter().filter_map(Json::as_str).collect::<Vec<_>>().into());
    }
    if !nothing && values.iter().all(Json::is_boolean) {
        return Ok(values.iter().filter_map(Json::as_bool).collect::<Vec<_>>().into());
    }
    Ok(List::from_values(values.iter().map(of_json).collect::<Result<Vec<_>>>()?).into())
}

/// A column that a report packs as base64 of `u8` or `u16`, little-endian.
fn unpacked(kind: &str, data: &str) -> Result<Robj> {
    let bytes = BASE64_STANDARD.decode(data).map_err(|error| Error::data(format!("a packed column: {error}")))?;
    let numbers: Vec<i32> = match kind {
        "u8" => bytes.into_iter().map(i32::from).collect(),
        "u16" => bytes.as_chunks().0.iter().map(|&pair| i32::from(u16::from_le_bytes(pair))).collect(),
        other => return Err(Error::data(format!("a column is packed as `{other}`, which is not known"))),
    };
    Ok(numbers.into())
}
