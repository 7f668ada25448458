//! The model on disk: one `.safetensors` file, arrays as raw numbers and everything small as JSON under one metadata key.
//! Nothing in it is executed, and nothing in it is believed before it is checked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use consilience::matrix::{Csr, Dense, Matrix};
use consilience::model::{Model, ModelParts, Spread, ViewParts};
use consilience::settings::Settings;
use consilience::views::{Scale, Scaler};
use consilience::{Error, Result, View};

use crate::origin::hex;
use crate::write_atomically;

/// The format that this version writes.
const FORMAT: u32 = 2;
/// The first one: the same without a checksum.
const UNCHECKED: u32 = 1;
/// The metadata key.
const KEY: &str = "consilience";
/// Digits of a checksum.
const DIGITS: usize = 64;
/// What stands before the checksum, of all bytes of the file with zeros in its place: JSON inside a text of JSON.
const BEFORE_CHECKSUM: &[u8] = br#"\"checksum\":\""#;

/// What is small.
#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
    /// SHA-256 of the file with zeros in this place; empty in files of format 1.
    #[serde(default)]
    checksum: String,
    version: String,
    settings: Settings,
    views: Vec<ViewMeta>,
}

#[derive(Serialize, Deserialize)]
struct ViewMeta {
    name: String,
    weight: f64,
    counts: bool,
    scale: Scale,
    /// Columns.
    d: usize,
    /// Mean squared distance and the usual one to a neighbour; none for a view without spread.
    mean: Option<f64>,
    usual: Option<f64>,
}

/// An array to be written.
struct Array<'a> {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Cow<'a, [u8]>,
}

/// Arrays to be written.
#[derive(Default)]
struct Arrays<'a>(Vec<Array<'a>>);

impl<'a> Arrays<'a> {
    fn add<T: bytemuck::Pod>(&mut self, name: String, dtype: Dtype, shape: &[usize], values: &'a [T]) {
        self.0.push(Array { name, dtype, shape: shape.to_vec(), bytes: Cow::Borrowed(bytemuck::cast_slice(values)) });
    }

    fn own<T: bytemuck::Pod>(&mut self, name: String, dtype: Dtype, values: &[T]) {
        let bytes = Cow::Owned(bytemuck::cast_slice(values).to_vec());
        self.0.push(Array { name, dtype, shape: vec![values.len()], bytes });
    }

    /// Texts one after the other, and where each ends.
    fn texts(&mut self, name: &str, texts: &[String]) {
        let ends: Vec<u64> = texts
            .iter()
            .scan(0, |end, text| {
                *end += text.len() as u64;
                Some(*end)
            })
            .collect();
        self.own(format!("{name}.text"), Dtype::U8, texts.concat().as_bytes());
        self.own(format!("{name}.ends"), Dtype::U64, &ends);
    }

    fn matrix(&mut self, name: &str, matrix: &'a Matrix) {
        match matrix {
            Matrix::DenseF32(m) => self.add(name.to_owned(), Dtype::F32, &[m.rows(), m.cols()], m.data()),
            Matrix::DenseF64(m) => self.add(name.to_owned(), Dtype::F64, &[m.rows(), m.cols()], m.data()),
            Matrix::SparseF32(m) => {
                self.pattern(name, m.indptr(), m.indices());
                self.add(format!("{name}.values"), Dtype::F32, &[m.nnz()], m.values());
            }
            Matrix::SparseF64(m) => {
                self.pattern(name, m.indptr(), m.indices());
                self.add(format!("{name}.values"), Dtype::F64, &[m.nnz()], m.values());
            }
        }
    }

    fn view(&mut self, at: usize, parts: &'a ViewParts) {
        let name = |what: &str| format!("view.{at}.{what}");
        self.matrix(&name("data"), &parts.view.data);
        let (shift, divide) = parts.scaler.columns();
        self.add(name("shift"), Dtype::F64, &[shift.len()], shift);
        self.add(name("divide"), Dtype::F64, &[divide.len()], divide);
        let missing: Vec<u8> = parts.missing.iter().map(|&missing| u8::from(missing)).collect();
        self.own(name("missing"), Dtype::U8, &missing);
        if let Some(spread) = &parts.spread {
            self.add(name("scales"), Dtype::F64, &[spread.scales.len()], &spread.scales);
        }
        if let Some(features) = &parts.view.features {
            self.texts(&name("features"), features);
        }
    }

    fn pattern(&mut self, name: &str, starts: &[usize], columns: &'a [u32]) {
        let starts: Vec<u64> = starts.iter().map(|&start| start as u64).collect();
        self.own(format!("{name}.starts"), Dtype::U64, &starts);
        self.add(format!("{name}.columns"), Dtype::U32, &[columns.len()], columns);
    }
}

/// The content of a model's file: the same bytes for the same fit.
///
/// # Errors
/// When the settings cannot be written, as those of a method of another crate.
pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let failed = |error: &dyn std::fmt::Display| Error::data(format!("the model cannot be written: {error}"));
    let parts = model.parts();
    let mut arrays = Arrays::default();
    for (at, view) in parts.views.iter().enumerate() {
        arrays.view(at, view);
    }
    if let Some(ids) = &parts.ids {
        arrays.texts("ids", ids);
    }
    let labels: Vec<u32> = parts.labels.iter().map(|&label| label as u32).collect();
    arrays.own("labels".to_owned(), Dtype::U32, &labels);
    for (name, points) in [("embedding", &parts.embedding), ("centres", &parts.centres)] {
        arrays.add(name.to_owned(), Dtype::F64, &[points.rows(), points.cols()], points.data());
    }
    let views = arrays.0.iter().map(|Array { name, dtype, shape, bytes }| {
        TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
    });
    let views: Vec<_> = views.collect::<std::result::Result<_, _>>().map_err(|error| failed(&error))?;
    let meta = serde_json::to_string(&Meta::of(&parts)).map_err(|error| failed(&error))?;
    let meta = HashMap::from([(KEY.to_owned(), meta)]);
    let mut bytes = safetensors::serialize(views, Some(meta)).map_err(|error| failed(&error))?;
    let place = checksum_place(&bytes).ok_or_else(|| failed(&"there is no place for its checksum"))?;
    let checksum = hex(&Sha256::digest(&bytes));
    bytes[place].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// Where the checksum stands.
fn checksum_place(bytes: &[u8]) -> Option<Range<usize>> {
    // eight bytes say how long the header is
    let length = u64::from_le_bytes(bytes.first_chunk::<8>().copied()?);
    let header = bytes.get(..usize::try_from(length).ok()?.checked_add(8)?)?;
    let at = header.windows(BEFORE_CHECKSUM.len()).position(|window| window == BEFORE_CHECKSUM)?;
    let start = at + BEFORE_CHECKSUM.len();
    (start + DIGITS <= header.len()).then(|| start..start + DIGITS)
}

/// Refuses bytes that are not those that were written.
fn check_sum(bytes: &[u8]) -> Result<()> {
    let wrong = || {
        Error::data_with_hint(
            "the model is damaged: its checksum is not that of its content",
            "copy it again from where it was made, or fit it again",
        )
    };
    let place = checksum_place(bytes).ok_or_else(wrong)?;
    let mut digest = Sha256::new();
    digest.update(&bytes[..place.start]);
    digest.update([b'0'; DIGITS]);
    digest.update(&bytes[place.end..]);
    if hex(&digest.finalize()).as_bytes() == &bytes[place] { Ok(()) } else { Err(wrong()) }
}

/// A model from the content of its file.
///
/// # Errors
/// When it is no model, of another format, or damaged: every size and number is checked.
pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|error| Error::data(format!("not a model: no safetensors file ({error})")))?;
    let text = header.metadata().as_ref().and_then(|meta| meta.get(KEY));
    let text = text.ok_or_else(|| Error::data("not a model: a safetensors file, but not of consilience"))?;
    let format = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|meta| meta.get("format")?.as_u64());
    match format.and_then(|format| u32::try_from(format).ok()) {
        Some(FORMAT) => check_sum(bytes)?,
        Some(UNCHECKED) => (),
        _ => {
            let found = format.map_or("an unknown one".to_owned(), |format| format!("{format}"));
            return Err(Error::data_with_hint(
                format!("the model is of format {found}; this version reads formats {UNCHECKED} and {FORMAT}"),
                "fit it again, or use the version that wrote it",
            ));
        }
    }
    let meta: Meta = serde_json::from_str(text).map_err(|error| damaged(format!("its description: {error}")))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
    Stored(tensors).model(meta)
}

/// Writes a model to a file, whole or not at all.
///
/// # Errors
/// As [`to_bytes`], and when the file cannot be written.
pub fn save(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes(model)?;
    write_atomically(path, |file| file.write_all(&bytes))
}

/// Reads a model from its file.
///
/// # Errors
/// As [`from_bytes`], and when the file cannot be read.
pub fn load(path: &Path) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(|source| Error::reading(path, source))?;
    from_bytes(&bytes).map_err(|error| match error {
        Error::Data { what, hint: None, .. } => Error::format(path, what),
        other => other,
    })
}

impl Meta {
    fn of(parts: &ModelParts) -> Self {
        let view = |parts: &ViewParts| ViewMeta {
            name: parts.view.name.clone(),
            weight: parts.weight,
            counts: parts.counts,
            scale: parts.scaler.mode(),
            d: parts.view.data.cols(),
            mean: parts.spread.as_ref().map(|spread| spread.mean),
            usual: parts.spread.as_ref().map(|spread| spread.usual),
        };
        Self {
            format: FORMAT,
            checksum: "0".repeat(DIGITS),
            version: parts.version.clone(),
            settings: parts.settings.clone(),
            views: parts.views.iter().map(view).collect(),
        }
    }
}

fn damaged(what: impl std::fmt::Display) -> Error {
    Error::data(format!("the model is damaged: {what}"))
}

/// Arrays that were read.
struct Stored<'a>(SafeTensors<'a>);

impl Stored<'_> {
    fn model(&self, meta: Meta) -> Result<Model> {
        let (embedding, centres) = (self.points("embedding")?, self.points("centres")?);
        let n = embedding.rows();
        let labels: Vec<u32> = self.list("labels", Dtype::U32, Some(n))?;
        let views = meta.views.into_iter().enumerate().map(|(at, view)| self.view(at, view, n));
        Model::from_parts(ModelParts {
            version: meta.version,
            settings: meta.settings,
            views: views.collect::<Result<_>>()?,
            ids: self.texts("ids", Some(n))?,
            labels: labels.into_iter().map(|label| label as usize).collect(),
            embedding,
            centres,
        })
    }

    fn view(&self, at: usize, meta: ViewMeta, n: usize) -> Result<ViewParts> {
        let name = |what: &str| format!("view.{at}.{what}");
        let data = self.matrix(&name("data"), n, meta.d)?;
        let features = self.texts(&name("features"), Some(meta.d))?;
        let (shift, divide) = (self.numbers(&name("shift"))?, self.numbers(&name("divide"))?);
        let scaler = Scaler::from_columns(meta.scale, meta.d, shift, divide)?;
        let missing: Vec<u8> = self.list(&name("missing"), Dtype::U8, Some(n))?;
        let missing = missing.into_iter().map(|missing| missing != 0).collect();
        let spread = match (meta.mean, meta.usual) {
            (Some(mean), Some(usual)) => Some(Spread { mean, usual, scales: self.numbers(&name("scales"))? }),
            _ => None,
        };
        let view = View::new(meta.name, data).with_features(features);
        Ok(ViewParts { view, weight: meta.weight, counts: meta.counts, scaler, missing, spread })
    }

    fn has(&self, name: &str) -> bool {
        self.0.tensor(name).is_ok()
    }

    fn tensor(&self, name: &str, dtype: Dtype) -> Result<TensorView<'_>> {
        let found = self.0.tensor(name).map_err(|_| damaged(format!("`{name}` is missing")))?;
        if found.dtype() == dtype { Ok(found) } else { Err(damaged(format!("`{name}` is of another type"))) }
    }

    /// A list of numbers, of a length that is known or not.
    fn list<T: bytemuck::Pod>(&self, name: &str, dtype: Dtype, length: Option<usize>) -> Result<Vec<T>> {
        let found = self.tensor(name, dtype)?;
        match found.shape() {
            [count] if length.is_none_or(|length| length == *count) => {
                // arrays of a file may begin anywhere
                Ok(bytemuck::allocation::pod_collect_to_vec(found.data()))
            }
            shape => Err(damaged(format!("`{name}` has shape {shape:?}"))),
        }
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.list(name, Dtype::F64, None)
    }

    fn points(&self, name: &str) -> Result<Dense<f64>> {
        let found = self.tensor(name, Dtype::F64)?;
        let &[rows, cols] = found.shape() else { return Err(damaged(format!("`{name}` is no matrix"))) };
        Dense::new(rows, cols, bytemuck::allocation::pod_collect_to_vec::<u8, f64>(found.data()))
    }

    fn matrix(&self, name: &str, n: usize, d: usize) -> Result<Matrix> {
        if !self.has(name) {
            return self.sparse(name, n, d);
        }
        let found = self.0.tensor(name).map_err(damaged)?;
        if found.shape() != [n, d] {
            return Err(damaged(format!("`{name}` has shape {:?}, not {n} x {d}", found.shape())));
        }
        Ok(match found.dtype() {
            Dtype::F32 => {
                Matrix::from(Dense::new(n, d, bytemuck::allocation::pod_collect_to_vec::<u8, f32>(found.data()))?)
            }
            Dtype::F64 => Dense::new(n, d, bytemuck::allocation::pod_collect_to_vec::<u8, f64>(found.data()))?.into(),
            _ => return Err(damaged(format!("`{name}` is of another type"))),
        })
    }

    fn sparse(&self, name: &str, n: usize, d: usize) -> Result<Matrix> {
        let starts: Vec<u64> = self.list(&format!("{name}.starts"), Dtype::U64, Some(n + 1))?;
        let starts: Vec<usize> = starts.into_iter().map(|start| usize::try_from(start).unwrap_or(usize::MAX)).collect();
        let columns: Vec<u32> = self.list(&format!("{name}.columns"), Dtype::U32, None)?;
        let values = format!("{name}.values");
        let single = self.0.tensor(&values).is_ok_and(|found| found.dtype() == Dtype::F32);
        Ok(if single {
            Csr::new(n, d, starts, columns, self.list::<f32>(&values, Dtype::F32, None)?)?.into()
        } else {
            Csr::new(n, d, starts, columns, self.list::<f64>(&values, Dtype::F64, None)?)?.into()
        })
    }

    /// Texts, where there are some.
    fn texts(&self, name: &str, count: Option<usize>) -> Result<Option<Vec<String>>> {
        if !self.has(&format!("{name}.ends")) {
            return Ok(None);
        }
        let ends: Vec<u64> = self.list(&format!("{name}.ends"), Dtype::U64, count)?;
        let bytes: Vec<u8> = self.list(&format!("{name}.text"), Dtype::U8, None)?;
        let text = String::from_utf8(bytes).map_err(|_| damaged(format!("`{name}` is no text")))?;
        let mut first = 0;
        let cut = ends.into_iter().map(|end| {
            let end = usize::try_from(end).unwrap_or(usize::MAX);
            let part = text.get(first..end).map(str::to_owned);
            first = end;
            part.ok_or_else(|| damaged(format!("`{name}` is cut wrongly")))
        });
        cut.collect::<Result<Vec<String>>>().map(Some)
    }
}
