//! AnnData (`.h5ad`) and MuData (`.h5mu`): HDF5 with a layout of its own. `X`, the entries of `obsm` and those of `layers`
//! are matrices with a row per sample, `obs` is the table of the samples; a MuData file holds several AnnData, its
//! modalities.
//!
//! A view is asked for as `PART:ENTRY`: the part is the modality, or the file's own name for AnnData; the entry is `X`, or
//! a name in `obsm` or `layers`. `PART` alone is its `X`. Without being asked, every part gives its `X`.

mod matrix;
mod rows;
mod table;

use std::collections::{HashMap, HashSet};

use hdf5_pure::{AttrValue, Group};

pub(super) use rows::{Blocks, Rows};
use table::text_list;

use super::{Store, attribute_text, words};
use crate::source::Source;
use crate::{Columns, Loaded, ReadOptions};
use consilience::{Error, Result, View};

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
    let mut cells = AnnDataFile { source, root, kind, store, parts: Vec::new() };
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
    Ok(Loaded { views, ..cells.about(ids, options).map_err(wrong)? })
}

/// One AnnData: the file itself, or a modality.
struct Modality {
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

struct AnnDataFile<'a, 'b> {
    source: &'a Source,
    root: &'a Group,
    kind: Kind,
    store: &'a mut Store<'b>,
    parts: Vec<Modality>,
}

impl AnnDataFile<'_, '_> {
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

    fn part(&mut self, name: String, group: Group) -> Result<Modality, String> {
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
        Ok(Modality { name, group, entries, samples })
    }

    /// How views can be asked for.
    fn entries(&self) -> Vec<String> {
        let named = |part: &Modality| {
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
                return Err(format!("`{}` has no X; name the views that you want, of: {known}", part.name));
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

    /// What is known of the samples `ids` besides their views.
    fn about(&mut self, ids: Vec<String>, options: &ReadOptions) -> Result<Loaded, String> {
        let labels = self.labels(options, &ids)?;
        let known = self.obs_columns()?;
        let ids = match &options.id_column {
            Some(column) if column == ReadOptions::NO_COLUMN => None,
            Some(column) if known.iter().any(|known| known == column) => Some(self.column(self.root, column, &ids)?),
            _ => Some(ids),
        };
        let columns = Some(Columns { width: known.len(), names: Some(known) });
        Ok(Loaded { labels, ids, columns, entries: self.entries(), ..Loaded::default() })
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
