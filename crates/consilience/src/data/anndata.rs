//! AnnData (`.h5ad`) and MuData (`.h5mu`): HDF5 with a layout of its own. `X`, the entries of `obsm` and those of `layers`
//! are matrices with a row per sample, `obs` is the table of the samples; a MuData file holds several AnnData, its
//! modalities.
//!
//! A view is asked for as `PART:ENTRY`: the part is the modality, or the file's own name for AnnData; the entry is `X`, or
//! a name in `obsm` or `layers`. `PART` alone is its `X`. Without being asked, every part gives its `X`.

use std::collections::{HashMap, HashSet};

use hdf5_pure::{AttrValue, Dataset, Group};

use super::hdf5::{Store, attribute_text, is_numeric, words};
use super::labels::LABEL_NAMES;
use super::numbers::Numbers;
use super::source::Source;
use super::{Columns, Labels, Loaded, ReadOptions, sparse, view_from};
use crate::matrix::{Dense, Matrix};
use crate::{Error, Result, View};

/// The two kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    AnnData,
    MuData,
}

/// Which of them the file is, if any. Files from before 2021 do not say it; their layout does.
pub(super) fn kind(root: &Group) -> Result<Option<Kind>, String> {
    let attributes = root.attrs().map_err(words)?;
    match attributes.get("encoding-type").and_then(attribute_text) {
        Some("anndata") => return Ok(Some(Kind::AnnData)),
        Some("MuData") => return Ok(Some(Kind::MuData)),
        _ => {}
    }
    let (groups, datasets) = (root.groups().map_err(words)?, root.datasets().map_err(words)?);
    let holds = |name: &str| groups.iter().chain(&datasets).any(|found| found == name);
    Ok(match (holds("obs") && holds("var"), groups.iter().any(|name| name == "mod")) {
        (true, true) => Some(Kind::MuData),
        (true, false) if holds("X") || holds("obsm") => Some(Kind::AnnData),
        _ => None,
    })
}

/// Views, ids and labels of a file whose root is `root`.
pub(super) fn read(
    source: &Source,
    root: &Group,
    kind: Kind,
    store: &mut Store,
    options: &ReadOptions,
) -> Result<Loaded> {
    let wrong = |what: String| Error::format(source.path(), what);
    let mut cells = Cells { source, root, kind, store, parts: Vec::new() };
    cells.find_parts().map_err(wrong)?;
    let chosen = cells.choose(&options.views).map_err(wrong)?;
    let ids = cells.samples(&chosen);
    let mut views = Vec::new();
    for Choice { name, part, entry } in &chosen {
        let named = |what: String| wrong(format!("`{name}`: {what}"));
        let view = cells.view(name, *part, entry).map_err(named)?;
        let own = cells.parts[*part].samples.clone();
        views.push(aligned(view, &own, &ids).map_err(named)?);
    }
    let labels = cells.labels(options, &ids).map_err(wrong)?;
    let known = cells.obs_columns().map_err(wrong)?;
    let ids = match &options.id_column {
        Some(column) if column == ReadOptions::NO_COLUMN => None,
        Some(column) if known.iter().any(|known| known == column) => {
            Some(cells.column(root, column, &ids).map_err(wrong)?)
        }
        _ => Some(ids),
    };
    let columns = Some(Columns { width: known.len(), names: Some(known) });
    Ok(Loaded { views, labels, ids, columns, entries: cells.entries(), ..Loaded::default() })
}

/// One AnnData: the file itself, or a modality.
struct Part {
    name: String,
    group: Group,
    /// What can be asked for: the name, and where it lies.
    entries: Vec<(String, String)>,
    samples: Vec<String>,
}

/// A view that will be read.
struct Choice {
    name: String,
    part: usize,
    entry: String,
}

struct Cells<'a, 'b> {
    source: &'a Source,
    root: &'a Group,
    kind: Kind,
    store: &'a mut Store<'b>,
    parts: Vec<Part>,
}

impl Cells<'_, '_> {
    fn find_parts(&mut self) -> Result<(), String> {
        if self.kind == Kind::AnnData {
            let part = self.part(self.source.name().to_owned(), self.root.clone())?;
            self.parts.push(part);
            return Ok(());
        }
        if matches!(self.root.attrs().map_err(words)?.get("axis"), Some(AttrValue::I64(1))) {
            return Err("its modalities share features, not samples; views must describe the same samples".to_owned());
        }
        let modalities = self.root.group("mod").map_err(words)?;
        let stored = modalities.groups().map_err(words)?;
        let ordered = text_list(modalities.attrs().map_err(words)?.get("mod-order"));
        let names = ordered.filter(|names| names.len() == stored.len()).unwrap_or(stored);
        for name in names {
            self.store.count(1)?;
            let group = modalities.group(&name).map_err(words)?;
            let part = self.part(name, group)?;
            self.parts.push(part);
        }
        // what was learnt from all modalities together, and the file's own table of samples
        let joint = self.part(String::new(), self.root.clone())?;
        self.parts.push(joint);
        Ok(())
    }

    fn part(&mut self, name: String, group: Group) -> Result<Part, String> {
        let mut entries = Vec::new();
        let members = |group: &Group| -> Result<Vec<String>, String> {
            let mut all = group.datasets().map_err(words)?;
            all.extend(group.groups().map_err(words)?);
            Ok(all)
        };
        let top = members(&group)?;
        if top.iter().any(|name| name == "X") {
            entries.push(("X".to_owned(), "X".to_owned()));
        }
        for place in ["obsm", "layers"].into_iter().filter(|place| top.iter().any(|name| name == place)) {
            // before 2019 `obsm` was a table of records
            let Ok(inner) = group.group(place) else { continue };
            let mut found = members(&inner)?;
            found.sort();
            entries.extend(found.into_iter().map(|entry| (entry.clone(), format!("{place}/{entry}"))));
        }
        // MuData notes in `obsm` which samples a modality has
        entries.retain(|(entry, _)| !(name.is_empty() && self.parts.iter().any(|part| part.name == *entry)));
        let samples = self.index(&group, "obs")?;
        Ok(Part { name, group, entries, samples })
    }

    /// How views can be asked for.
    fn entries(&self) -> Vec<String> {
        let named = |part: &Part| {
            let prefix = if part.name.is_empty() { String::new() } else { format!("{}:", part.name) };
            part.entries.iter().map(move |(entry, _)| format!("{prefix}{entry}")).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(named).collect()
    }

    /// The views that were asked for and are here; every part's `X` when none is.
    fn choose(&self, wanted: &[String]) -> Result<Vec<Choice>, String> {
        let mut chosen = Vec::new();
        for name in wanted {
            if let Some((part, entry)) = self.find(name)? {
                chosen.push(Choice { name: name.clone(), part, entry });
            }
        }
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        for (index, part) in self.parts.iter().enumerate().filter(|(_, part)| !part.name.is_empty()) {
            if !part.entries.iter().any(|(entry, _)| entry == "X") {
                let known = self.entries().join(", ");
                return Err(format!("`{}` has no X; name the views that you want (--views), of: {known}", part.name));
            }
            chosen.push(Choice { name: part.name.clone(), part: index, entry: "X".to_owned() });
        }
        Ok(chosen)
    }

    /// Part and place of what the caller calls `name`; none when it is not of this file.
    fn find(&self, name: &str) -> Result<Option<(usize, String)>, String> {
        let of_part = |index: usize, entry: &str| -> Result<Option<String>, String> {
            let known = &self.parts[index].entries;
            let mut found = known.iter().filter(|(known, place)| known == entry || place == entry);
            let first = found.next().map(|(_, place)| place.clone());
            match found.next() {
                Some(_) => Err(format!("`{name}` is in `obsm` and in `layers`; write obsm/{entry} or layers/{entry}")),
                None => Ok(first),
            }
        };
        if let Some(index) = self.parts.iter().position(|part| !part.name.is_empty() && part.name == name) {
            return Ok(of_part(index, "X")?.map(|place| (index, place)));
        }
        if let Some((part, entry)) = name.split_once(':')
            && let Some(index) = self.parts.iter().position(|known| known.name == part)
        {
            let place = of_part(index, entry)?;
            let unknown = || format!("there is no `{name}`; it holds {}", self.entries().join(", "));
            return place.map(|place| Some((index, place))).ok_or_else(unknown);
        }
        // the only part of AnnData, or what MuData keeps for all modalities
        let whole = self.parts.len().saturating_sub(1);
        Ok(of_part(whole, name)?.map(|place| (whole, place)))
    }

    /// The ids of the samples that a chosen view has, in the order of the file's own table where it has them all.
    fn samples(&self, chosen: &[Choice]) -> Vec<String> {
        let mut known: HashSet<&str> = HashSet::new();
        let all = chosen.iter().flat_map(|choice| &self.parts[choice.part].samples);
        let ids: Vec<String> = all.filter(|id| known.insert(id)).cloned().collect();
        match self.parts.last().map(|part| &part.samples) {
            Some(whole) if whole.len() == ids.len() && whole.iter().all(|id| known.contains(id.as_str())) => {
                whole.clone()
            }
            _ => ids,
        }
    }

    fn view(&mut self, name: &str, part: usize, entry: &str) -> Result<View, String> {
        let group = self.parts[part].group.clone();
        let (matrix, mut features) = match group.dataset(entry) {
            Ok(dataset) => (self.dense(&dataset)?, None),
            Err(_) => self.group_matrix(&group.group(entry).map_err(words)?)?,
        };
        if features.is_none() && !entry.starts_with("obsm/") {
            features = Some(self.index(&group, "var")?).filter(|names| names.len() == matrix.cols());
        }
        let samples = self.parts[part].samples.len();
        if matrix.rows() != samples {
            return Err(format!("it has {} rows for {samples} samples", matrix.rows()));
        }
        Ok(view_from(self.source, name, matrix).with_features(features))
    }

    fn dense(&mut self, dataset: &Dataset) -> Result<Matrix, String> {
        let shape = dataset.shape().map_err(words)?;
        let dtype = dataset.dtype().map_err(words)?;
        match *shape.as_slice() {
            [rows, cols] if is_numeric(&dtype) => {
                let numbers = self.store.numbers(dataset)?;
                numbers.into_row_major(rows as usize, cols as usize).map_err(|error| error.to_string())
            }
            _ => {
                Err(format!("it holds elements of type {dtype} in the shape {shape:?}; a view is a matrix of numbers"))
            }
        }
    }

    /// A sparse matrix or a table; the names of a table's columns come with it.
    fn group_matrix(&mut self, group: &Group) -> Result<(Matrix, Option<Vec<String>>), String> {
        let attributes = group.attrs().map_err(words)?;
        let said = |name: &str| attributes.get(name).and_then(attribute_text);
        // `h5sparse_format` is what it was called before 2019
        let encoding = said("encoding-type").or(said("h5sparse_format")).unwrap_or("nothing that is known");
        if encoding == "dataframe" {
            return self.frame(group).map(|(matrix, names)| (matrix, Some(names)));
        }
        let by_rows = match encoding {
            "csr_matrix" | "csr" => true,
            "csc_matrix" | "csc" => false,
            other => return Err(format!("it is encoded as {other}; a view is a matrix of numbers")),
        };
        let shape = attributes.get("shape").or(attributes.get("h5sparse_shape")).and_then(sizes);
        let Some([rows, cols]) = shape.as_deref() else { return Err("its shape is missing".to_owned()) };
        let shape = sparse::Shape::new(*rows, *cols, self.store.file_len)?;
        let part = |name: &str| group.dataset(name).map_err(words);
        let (indptr, indices, data) = (part("indptr")?, part("indices")?, part("data")?);
        let (indptr, indices) = (self.store.integers(&indptr)?, self.store.integers(&indices)?);
        let values = self.store.numbers(&data)?;
        // the matrix itself; columns are turned into rows on the way
        let copies = if by_rows { 1 } else { 2 };
        self.store.reserve((values.len() as u64).saturating_mul(12 * copies))?;
        let matrix = match by_rows {
            true => sparse::from_rows(shape, &indptr, &indices, &values),
            false => sparse::from_columns(shape, &indptr, &indices, &values),
        };
        Ok((matrix?, None))
    }

    /// The columns of a table, all of them numbers.
    fn frame(&mut self, group: &Group) -> Result<(Matrix, Vec<String>), String> {
        let names = text_list(group.attrs().map_err(words)?.get("column-order")).unwrap_or_default();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for name in &names {
            self.store.count(1)?;
            let column = group.dataset(name).map_err(|_| format!("its column `{name}` is not made of numbers"))?;
            if !is_numeric(&column.dtype().map_err(words)?) {
                return Err(format!("its column `{name}` is not made of numbers"));
            }
            let numbers =
                self.store.numbers(&column)?.into_floats().map_err(|what| format!("column `{name}` {what}"))?;
            columns.push(numbers.to_f64());
        }
        let rows = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err("its columns are of unequal lengths".to_owned());
        }
        Ok((Dense::from_fn(rows, columns.len(), |i, j| columns[j][i]).into(), names))
    }

    /// The names of the rows of the table `table` in `group`.
    fn index(&mut self, group: &Group, table: &str) -> Result<Vec<String>, String> {
        let old = "is written as by anndata before 0.7; open it with a newer anndata and save it again";
        let inner = group.group(table).map_err(|_| format!("its `{table}` is missing or {old}"))?;
        let attributes = inner.attrs().map_err(words)?;
        let name = attributes.get("_index").and_then(attribute_text).unwrap_or("_index").to_owned();
        let wrong = |what: String| format!("the names in `{table}`: {what}");
        self.values(&inner, &name).map_err(wrong)?.ok_or_else(|| wrong("some are missing".to_owned()))
    }

    /// The columns that a caller may name: those of `obs`, and `PART:COLUMN` for those of the modalities.
    fn obs_columns(&self) -> Result<Vec<String>, String> {
        let mut all = columns(&self.root.group("obs").map_err(words)?)?;
        if self.kind == Kind::MuData {
            for part in &self.parts {
                let own = part.group.group("obs").map_err(words)?;
                all.extend(columns(&own)?.into_iter().map(|column| format!("{}:{column}", part.name)));
            }
        }
        Ok(all)
    }

    /// The labels of the samples `ids`: the column that the caller names, or one of a customary name.
    fn labels(&mut self, options: &ReadOptions, ids: &[String]) -> Result<Option<Labels>, String> {
        let known = self.obs_columns()?;
        let is_known = |name: &str| known.iter().any(|known| known == name);
        let column = match &options.label_column {
            Some(column) => is_known(column).then(|| column.clone()),
            None => LABEL_NAMES.iter().find(|name| is_known(name)).map(|name| (*name).to_owned()),
        };
        // a column that was named may be in another file
        let Some(column) = column else { return Ok(None) };
        let root = self.root.clone();
        Ok(Some(Labels::from_names(&self.column(&root, &column, ids)?)))
    }

    /// The values of the column `name` in `obs`, or `PART:COLUMN` in that of a modality, for the samples `ids`.
    fn column(&mut self, root: &Group, name: &str, ids: &[String]) -> Result<Vec<String>, String> {
        let table = root.group("obs").map_err(words)?;
        let known = columns(&table)?;
        let modality = name.split_once(':').and_then(|(part, column)| {
            let index = self.parts.iter().position(|known| known.name == part)?;
            Some((index, column.to_owned()))
        });
        let (table, column, own) = match modality {
            _ if known.iter().any(|column| column == name) => {
                let own = self.parts.last().map(|part| part.samples.clone()).unwrap_or_default();
                (table, name.to_owned(), own)
            }
            Some((index, column)) => {
                let part = &self.parts[index];
                (part.group.group("obs").map_err(words)?, column, part.samples.clone())
            }
            None => return Err(format!("there is no column `{name}` in obs: its columns are {}", known.join(", "))),
        };
        let values = self.values(&table, &column).map_err(|what| format!("the column `{name}` of obs: {what}"))?;
        let values = values.ok_or_else(|| format!("the column `{name}` of obs has missing values"))?;
        if own == ids {
            return Ok(values);
        }
        let order = order(&own, ids)?;
        Ok(order.into_iter().filter_map(|row| values.get(row).cloned()).collect())
    }

    /// A column as words, exact integers among them; none when a value is missing.
    fn values(&mut self, table: &Group, name: &str) -> Result<Option<Vec<String>>, String> {
        let Ok(dataset) = table.dataset(name) else {
            let group = table.group(name).map_err(words)?;
            return self.encoded(&group);
        };
        let plain = self.plain(&dataset)?;
        // before anndata 0.8 a column of codes had its categories in a group beside it
        match table.group("__categories").and_then(|group| group.dataset(name)) {
            Ok(categories) => {
                let codes = self.store.numbers(&dataset)?.to_f64();
                let categories = self.plain(&categories)?.unwrap_or_default();
                decoded(&codes, &categories)
            }
            Err(_) => Ok(plain),
        }
    }

    /// Categories with codes, or values with a mask.
    fn encoded(&mut self, group: &Group) -> Result<Option<Vec<String>>, String> {
        let member = |name: &str| group.dataset(name).map_err(words);
        if let Ok(codes) = member("codes") {
            let codes = self.store.numbers(&codes)?.to_f64();
            let Some(categories) = self.plain(&member("categories")?)? else {
                return Err("a category has no name".to_owned());
            };
            return decoded(&codes, &categories);
        }
        let mask = self.store.numbers(&member("mask")?)?.to_f64();
        if mask.iter().any(|&missing| missing != 0.0) {
            return Ok(None);
        }
        self.plain(&member("values")?)
    }

    fn plain(&mut self, dataset: &Dataset) -> Result<Option<Vec<String>>, String> {
        if !is_numeric(&dataset.dtype().map_err(words)?) {
            return self.store.strings(dataset).map(Some);
        }
        let numbers: Numbers = self.store.numbers(dataset)?;
        let labels = numbers.labels();
        Ok(labels.map(|labels| labels.codes().iter().map(|&code| labels.names()[code as usize].clone()).collect()))
    }
}

/// The categories that `codes` stand for; none when one of them stands for a missing value.
fn decoded(codes: &[f64], categories: &[String]) -> Result<Option<Vec<String>>, String> {
    if codes.iter().any(|&code| code < 0.0) {
        return Ok(None);
    }
    let named = |&code: &f64| categories.get(code as usize).cloned();
    let names: Option<Vec<String>> = codes.iter().map(named).collect();
    names.map(Some).ok_or_else(|| format!("a code stands for none of its {} categories", categories.len()))
}

/// The columns of a table, in order.
fn columns(table: &Group) -> Result<Vec<String>, String> {
    if let Some(names) = text_list(table.attrs().map_err(words)?.get("column-order")) {
        return Ok(names);
    }
    let mut all = table.datasets().map_err(words)?;
    all.extend(table.groups().map_err(words)?);
    Ok(all)
}

/// The view with its rows, which are the samples `own`, in the order of `ids`.
fn aligned(view: View, own: &[String], ids: &[String]) -> Result<View, String> {
    if own == ids {
        return Ok(view);
    }
    let places = places(own)?;
    let rows: Vec<Option<usize>> = ids.iter().map(|id| places.get(id.as_str()).copied()).collect();
    view.aligned(&rows).map_err(|error| error.to_string())
}

/// Where each id stands.
fn places(own: &[String]) -> Result<HashMap<&str, usize>, String> {
    let mut places = HashMap::new();
    for (row, id) in own.iter().enumerate() {
        if places.insert(id.as_str(), row).is_some() {
            return Err(format!("the sample `{id}` occurs twice, so rows cannot be matched"));
        }
    }
    Ok(places)
}

/// Where each of `ids` stands in `own`, which has them all.
fn order(own: &[String], ids: &[String]) -> Result<Vec<usize>, String> {
    let places = places(own)?;
    let place = |id: &String| {
        let missing = || format!("it lacks the sample `{id}` that others have");
        places.get(id.as_str()).copied().ok_or_else(missing)
    };
    ids.iter().map(place).collect()
}

fn text_list(value: Option<&AttrValue>) -> Option<Vec<String>> {
    match value? {
        AttrValue::StringArray(names) | AttrValue::AsciiStringArray(names) => Some(names.clone()),
        AttrValue::VarLenStringArray(names) | AttrValue::VarLenAsciiStringArray(names) => Some(names.clone()),
        AttrValue::StringArraySized { values, .. } | AttrValue::AsciiStringArraySized { values, .. } => {
            Some(values.clone())
        }
        one => attribute_text(one).map(|name| vec![name.to_owned()]),
    }
}

fn sizes(value: &AttrValue) -> Option<Vec<usize>> {
    match value {
        AttrValue::I64Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::U64Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::I32Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        AttrValue::U32Array(sizes) => sizes.iter().map(|&n| usize::try_from(n).ok()).collect(),
        _ => None,
    }
}
