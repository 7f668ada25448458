//! `obs` and `var`, the tables of AnnData's samples and features: their names, and columns of the samples.

use hdf5_pure::{AttrValue, Dataset, Group};

use super::{AnnDataFile, Kind, places};
use crate::hdf5::{attribute_text, is_numeric, words};
use crate::labels::LABEL_NAMES;
use crate::numbers::Numbers;
use crate::{Labels, ReadOptions};

impl AnnDataFile<'_, '_> {
    /// The names of the rows of the table `table` in `group`.
    pub(super) fn index(&mut self, group: &Group, table: &str) -> Result<Vec<String>, String> {
        let old = "is written as by anndata before 0.7; open it with a newer anndata and save it again";
        let inner = group.group(table).map_err(|_| format!("its `{table}` is missing or {old}"))?;
        let attributes = inner.attrs().map_err(words)?;
        let name = attributes.get("_index").and_then(attribute_text).unwrap_or("_index").to_owned();
        let wrong = |what: String| format!("the names in `{table}`: {what}");
        self.values(&inner, &name).map_err(wrong)?.ok_or_else(|| wrong("some are missing".to_owned()))
    }

    /// The columns that a caller may name: those of `obs`, and `PART:COLUMN` for those of the modalities.
    pub(super) fn obs_columns(&self) -> Result<Vec<String>, String> {
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
    pub(super) fn labels(&mut self, options: &ReadOptions, ids: &[String]) -> Result<Option<Labels>, String> {
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
    pub(super) fn column(&mut self, root: &Group, name: &str, ids: &[String]) -> Result<Vec<String>, String> {
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

/// Where each of `ids` stands in `own`, which has them all.
fn order(own: &[String], ids: &[String]) -> Result<Vec<usize>, String> {
    let places = places(own)?;
    let place = |id: &String| {
        let missing = || format!("it lacks the sample `{id}` that others have");
        places.get(id.as_str()).copied().ok_or_else(missing)
    };
    ids.iter().map(place).collect()
}

pub(super) fn text_list(value: Option<&AttrValue>) -> Option<Vec<String>> {
    match value? {
        AttrValue::StringArray(names) | AttrValue::AsciiStringArray(names) => Some(names.clone()),
        AttrValue::VarLenStringArray(names) | AttrValue::VarLenAsciiStringArray(names) => Some(names.clone()),
        AttrValue::StringArraySized { values, .. } | AttrValue::AsciiStringArraySized { values, .. } => {
            Some(values.clone())
        }
        one => attribute_text(one).map(|name| vec![name.to_owned()]),
    }
}
