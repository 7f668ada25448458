//! Checks a document before it goes into a page. Only what the page relies on to draw is typed here; what it merely shows
//! may be missing.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::base64;

/// The version of the document that the page understands.
const FORMAT: u64 = 1;

/// Why no page could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There was nothing to show.
    #[error("a report needs at least one document")]
    Empty,
    /// A document is not JSON, or a field is missing or of the wrong kind.
    #[error("document {number} of the report: {source}")]
    Json {
        /// Which document, from 1.
        number: usize,
        /// What the reader said, with line and column.
        source: serde_json::Error,
    },
    /// A document contradicts itself.
    #[error("document {number} of the report: {what}")]
    Content {
        /// Which document, from 1.
        number: usize,
        /// What is wrong.
        what: String,
    },
}

#[derive(Deserialize)]
struct Document {
    format: u64,
    run: Run,
    samples: Samples,
    clusters: Vec<Cluster>,
    heat: Option<Heat>,
    heat_by_class: Option<Heat>,
    truth: Option<Truth>,
    views: Vec<ViewEntry>,
}

#[derive(Deserialize)]
struct Run {
    n: usize,
    k: usize,
}

#[derive(Deserialize)]
struct Cluster {
    size: usize,
}

#[derive(Deserialize)]
struct ViewEntry {
    #[serde(rename = "name")]
    _name: String,
}

#[derive(Deserialize)]
struct Samples {
    ids: Option<Vec<String>>,
    cluster: Packed,
    confidence: Option<Packed>,
    disagreement: Option<Packed>,
    stability: Option<Packed>,
    corruption: Option<Packed>,
    truth: Option<Packed>,
    x: Packed,
    y: Packed,
}

#[derive(Deserialize)]
struct Heat {
    size: usize,
    values: Packed,
    bounds: Vec<usize>,
}

#[derive(Deserialize)]
struct Truth {
    classes: Vec<String>,
    confusion: Vec<Vec<IgnoredAny>>,
    matched: Vec<Option<usize>>,
}

/// Numbers as base64 of their little-endian bytes.
#[derive(Deserialize)]
struct Packed {
    #[serde(rename = "type")]
    kind: String,
    data: String,
}

impl Packed {
    /// The bytes of `length` values of this kind.
    fn bytes(&self, name: &str, kind: &str, length: usize) -> Result<Vec<u8>, String> {
        let width = match self.kind.as_str() {
            "u8" => 1,
            "u16" => 2,
            "f32" => 4,
            other => return Err(format!("`{name}` is packed as `{other}`, which is not known")),
        };
        if self.kind != kind {
            return Err(format!("`{name}` is packed as `{}`, not as `{kind}`", self.kind));
        }
        // base64 writes three bytes as four letters, the last group padded
        let letters = length.saturating_mul(width).div_ceil(3).saturating_mul(4);
        if self.data.len() != letters {
            return Err(format!("`{name}` has {} letters; {length} values need {letters}", self.data.len()));
        }
        match base64::decode(&self.data) {
            Some(bytes) if bytes.len() == length * width => Ok(bytes),
            _ => Err(format!("`{name}` is not base64 of {length} values")),
        }
    }
}

pub(crate) fn check(number: usize, text: &str) -> Result<(), Error> {
    let document: Document = serde_json::from_str(text).map_err(|source| Error::Json { number, source })?;
    document.check().map_err(|what| Error::Content { number, what })
}

impl Document {
    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("format {} is not known; this version reads format {FORMAT}", self.format));
        }
        let Run { n, k } = self.run;
        if n == 0 || self.clusters.len() != k || self.views.is_empty() {
            let (clusters, views) = (self.clusters.len(), self.views.len());
            return Err(format!("n = {n}, k = {k}, but {clusters} clusters and {views} views are described"));
        }
        let members: usize = self.clusters.iter().map(|cluster| cluster.size).sum();
        if members != n {
            return Err(format!("the clusters hold {members} samples, the run has {n}"));
        }
        self.check_samples(n)?;
        if let Some(heat) = &self.heat {
            heat.check("heat", k)?;
        }
        if let Some(truth) = &self.truth {
            let classes = truth.classes.len();
            if truth.matched.len() != k
                || truth.confusion.len() != k
                || truth.confusion.iter().any(|row| row.len() != classes)
            {
                return Err(format!("`truth` does not describe {k} clusters and {classes} classes"));
            }
            if let Some(heat) = &self.heat_by_class {
                heat.check("heat_by_class", classes)?;
            }
        }
        Ok(())
    }

    fn check_samples(&self, n: usize) -> Result<(), String> {
        let samples = &self.samples;
        if let Some(ids) = &samples.ids
            && ids.len() != n
        {
            return Err(format!("`samples.ids` has {} entries for {n} samples", ids.len()));
        }
        if samples.truth.is_some() != self.truth.is_some() {
            return Err("`truth` and `samples.truth` must both be there or both be null".to_owned());
        }
        let columns = [
            ("samples.cluster", Some(&samples.cluster), "u16"),
            ("samples.x", Some(&samples.x), "u16"),
            ("samples.y", Some(&samples.y), "u16"),
            ("samples.truth", samples.truth.as_ref(), "u16"),
            ("samples.confidence", samples.confidence.as_ref(), "u8"),
            ("samples.disagreement", samples.disagreement.as_ref(), "u8"),
            ("samples.stability", samples.stability.as_ref(), "u8"),
            ("samples.corruption", samples.corruption.as_ref(), "u8"),
        ];
        for (name, column, kind) in columns {
            if let Some(column) = column {
                column.bytes(name, kind, n)?;
            }
        }
        let clusters = samples.cluster.bytes("samples.cluster", "u16", n)?;
        let highest = clusters.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).max();
        match highest {
            Some(highest) if usize::from(highest) >= self.clusters.len() => {
                Err(format!("`samples.cluster` names cluster {highest}, but there are {}", self.clusters.len()))
            }
            _ => Ok(()),
        }
    }
}

impl Heat {
    fn check(&self, name: &str, groups: usize) -> Result<(), String> {
        let cells = self.size.checked_mul(self.size).ok_or_else(|| format!("`{name}.size` is too large"))?;
        self.values.bytes(&format!("{name}.values"), "u8", cells)?;
        let rising = self.bounds.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = self.bounds.first() == Some(&0) && self.bounds.last() == Some(&self.size);
        if self.bounds.len() != groups + 1 || !rising || !ends {
            return Err(format!("`{name}.bounds` does not cut {} blocks into {groups} groups", self.size));
        }
        Ok(())
    }
}
