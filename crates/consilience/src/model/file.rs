//! The model on disk: one `.safetensors` file, arrays as raw numbers and everything small as JSON under one metadata key.
//! Nothing in it is executed, and nothing in it is believed before it is checked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::Model;
use super::reference::{Reference, Spread, constant_columns};
use crate::data::write_atomically;
use crate::matrix::{Csr, Dense, Matrix};
use crate::run::Settings;
use crate::views::{Scale, Scaler};
use crate::{Error, Result, View};

/// The format that this version writes, and the only one that it reads.
const FORMAT: u32 = 1;
/// The metadata key.
const KEY: &str = "consilience";

/// What is small.
#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
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

    fn pattern(&mut self, name: &str, starts: &[usize], columns: &'a [u32]) {
        let starts: Vec<u64> = starts.iter().map(|&start| start as u64).collect();
        self.own(format!("{name}.starts"), Dtype::U64, &starts);
        self.add(format!("{name}.columns"), Dtype::U32, &[columns.len()], columns);
    }
}

impl Model {
    /// The content of the file: the same bytes for the same fit.
    ///
    /// # Errors
    /// When the settings cannot be written, as those of a method of another crate.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let failed = |error: &dyn std::fmt::Display| Error::data(format!("the model cannot be written: {error}"));
        let mut arrays = Arrays::default();
        for (at, reference) in self.references.iter().enumerate() {
            let name = |what: &str| format!("view.{at}.{what}");
            arrays.matrix(&name("data"), &reference.view.data);
            let (shift, divide) = reference.scaler.columns();
            arrays.add(name("shift"), Dtype::F64, &[shift.len()], shift);
            arrays.add(name("divide"), Dtype::F64, &[divide.len()], divide);
            let missing: Vec<u8> = reference.missing.iter().map(|&missing| u8::from(missing)).collect();
            arrays.own(name("missing"), Dtype::U8, &missing);
            if let Some(spread) = &reference.spread {
                arrays.add(name("scales"), Dtype::F64, &[spread.scales.len()], &spread.scales);
            }
            if let Some(features) = &reference.view.features {
                arrays.texts(&name("features"), features);
            }
        }
        if let Some(ids) = &self.ids {
            arrays.texts("ids", ids);
        }
        let labels: Vec<u32> = self.labels.iter().map(|&label| label as u32).collect();
        arrays.own("labels".to_owned(), Dtype::U32, &labels);
        for (name, points) in [("embedding", &self.embedding), ("centres", &self.centres)] {
            arrays.add(name.to_owned(), Dtype::F64, &[points.rows(), points.cols()], points.data());
        }
        let views = arrays.0.iter().map(|Array { name, dtype, shape, bytes }| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
        });
        let views: Vec<_> = views.collect::<std::result::Result<_, _>>().map_err(|error| failed(&error))?;
        let meta = serde_json::to_string(&self.meta()).map_err(|error| failed(&error))?;
        let meta = HashMap::from([(KEY.to_owned(), meta)]);
        safetensors::serialize(views, Some(meta)).map_err(|error| failed(&error))
    }

    fn meta(&self) -> Meta {
        let view = |reference: &Reference| ViewMeta {
            name: reference.view.name.clone(),
            weight: reference.weight,
            counts: reference.is_counts,
            scale: reference.scaler.mode(),
            d: reference.view.data.cols(),
            mean: reference.spread.as_ref().map(|spread| spread.mean),
            usual: reference.spread.as_ref().map(|spread| spread.usual),
        };
        Meta {
            format: FORMAT,
            version: self.version.clone(),
            settings: self.settings.clone(),
            views: self.references.iter().map(view).collect(),
        }
    }

    /// A model from the content of its file.
    ///
    /// # Errors
    /// When it is no model, of another format, or damaged: every size and number is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| Error::data(format!("not a model: no safetensors file ({error})")))?;
        let text = header.metadata().as_ref().and_then(|meta| meta.get(KEY));
        let text = text.ok_or_else(|| Error::data("not a model: a safetensors file, but not of consilience"))?;
        let format = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|meta| meta.get("format")?.as_u64());
        if format != Some(u64::from(FORMAT)) {
            let found = format.map_or("an unknown one".to_owned(), |format| format!("{format}"));
            return Err(Error::data_with_hint(
                format!("the model is of format {found}; this version reads format {FORMAT}"),
                "fit it again, or use the version that wrote it",
            ));
        }
        let meta: Meta = serde_json::from_str(text).map_err(|error| damaged(format!("its description: {error}")))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
        Stored(tensors).model(meta)
    }

    /// Writes the model to a file, whole or not at all.
    ///
    /// # Errors
    /// As [`Model::to_bytes`], and when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        write_atomically(path, |file| file.write_all(&bytes))
    }

    /// Reads a model from its file.
    ///
    /// # Errors
    /// As [`Model::from_bytes`], and when the file cannot be read.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::reading(path, source))?;
        Self::from_bytes(&bytes).map_err(|error| match error {
            Error::Data { what, hint: None, .. } => Error::format(path, what),
            other => other,
        })
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
        if centres.cols() != embedding.cols() || labels.iter().any(|&label| label as usize >= centres.rows()) {
            return Err(damaged("labels, centres and embedding do not belong together"));
        }
        let references: Result<Vec<Reference>> =
            meta.views.into_iter().enumerate().map(|(at, view)| self.reference(at, view, n)).collect();
        Ok(Model {
            version: meta.version,
            settings: meta.settings,
            references: references?,
            ids: self.texts("ids", Some(n))?,
            labels: labels.into_iter().map(|label| label as usize).collect(),
            embedding,
            centres,
        })
    }

    fn reference(&self, at: usize, meta: ViewMeta, n: usize) -> Result<Reference> {
        let name = |what: &str| format!("view.{at}.{what}");
        let data = self.matrix(&name("data"), n, meta.d)?;
        let features = self.texts(&name("features"), Some(meta.d))?;
        let (shift, divide) = (self.numbers(&name("shift"), None)?, self.numbers(&name("divide"), None)?);
        let scaler = Scaler::from_columns(meta.scale, meta.d, shift, divide)?;
        let missing: Vec<u8> = self.list(&name("missing"), Dtype::U8, Some(n))?;
        let spread = match (meta.mean, meta.usual) {
            (Some(mean), Some(usual)) => Some(Spread { mean, usual, scales: self.numbers(&name("scales"), Some(n))? }),
            _ => None,
        };
        let sound = |spread: &Spread| {
            spread.mean > 0.0
                && spread.mean.is_finite()
                && spread.usual >= 0.0
                && spread.scales.iter().all(|s| *s > 0.0)
        };
        if !(spread.iter().all(sound) && meta.weight >= 0.0 && meta.weight.is_finite()) {
            return Err(damaged(format!("the numbers of view `{}`", meta.name)));
        }
        let view = View::new(meta.name, data).with_features(features);
        let missing: Vec<bool> = missing.into_iter().map(|missing| missing != 0).collect();
        let constant = constant_columns(&view.data, &missing);
        Ok(Reference { view, weight: meta.weight, scaler, is_counts: meta.counts, constant, missing, spread })
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

    fn numbers(&self, name: &str, length: Option<usize>) -> Result<Vec<f64>> {
        let found: Vec<f64> = self.list(name, Dtype::F64, length)?;
        if found.iter().all(|x| x.is_finite()) { Ok(found) } else { Err(damaged(format!("`{name}` is not finite"))) }
    }

    fn points(&self, name: &str) -> Result<Dense<f64>> {
        let found = self.tensor(name, Dtype::F64)?;
        let &[rows, cols] = found.shape() else { return Err(damaged(format!("`{name}` is no matrix"))) };
        let points = Dense::new(rows, cols, bytemuck::allocation::pod_collect_to_vec::<u8, f64>(found.data()))?;
        if points.data().iter().all(|x| x.is_finite()) {
            Ok(points)
        } else {
            Err(damaged(format!("`{name}` is not finite")))
        }
    }

    fn matrix(&self, name: &str, n: usize, d: usize) -> Result<Matrix> {
        if !self.has(name) {
            return self.sparse(name, n, d);
        }
        let found = self.0.tensor(name).map_err(damaged)?;
        if found.shape() != [n, d] {
            return Err(damaged(format!("`{name}` has shape {:?}, not {n} x {d}", found.shape())));
        }
        let matrix = match found.dtype() {
            Dtype::F32 => {
                Matrix::from(Dense::new(n, d, bytemuck::allocation::pod_collect_to_vec::<u8, f32>(found.data()))?)
            }
            Dtype::F64 => Dense::new(n, d, bytemuck::allocation::pod_collect_to_vec::<u8, f64>(found.data()))?.into(),
            _ => return Err(damaged(format!("`{name}` is of another type"))),
        };
        finite(matrix, name)
    }

    fn sparse(&self, name: &str, n: usize, d: usize) -> Result<Matrix> {
        let starts: Vec<u64> = self.list(&format!("{name}.starts"), Dtype::U64, Some(n + 1))?;
        let starts: Vec<usize> = starts.into_iter().map(|start| usize::try_from(start).unwrap_or(usize::MAX)).collect();
        let columns: Vec<u32> = self.list(&format!("{name}.columns"), Dtype::U32, None)?;
        let values = format!("{name}.values");
        let single = self.0.tensor(&values).is_ok_and(|found| found.dtype() == Dtype::F32);
        let matrix = if single {
            Matrix::from(Csr::new(n, d, starts, columns, self.list::<f32>(&values, Dtype::F32, None)?)?)
        } else {
            Csr::new(n, d, starts, columns, self.list::<f64>(&values, Dtype::F64, None)?)?.into()
        };
        finite(matrix, name)
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

fn finite(matrix: Matrix, name: &str) -> Result<Matrix> {
    let sound = crate::matrix::for_matrix!(
        &matrix,
        dense m => m.data().iter().all(|x| x.is_finite()),
        sparse m => m.values().iter().all(|x| x.is_finite()),
    );
    if sound { Ok(matrix) } else { Err(damaged(format!("`{name}` is not finite"))) }
}
