//! Tables matched by names, the registry, scores, markers, and the digits.

use consilience::markers::markers as find;
use consilience::method::REGISTRY;
use consilience::run::Note;
use consilience::views::{Missing, Resolved};
use consilience::{Error, MethodInfo, Views, metrics};
use consilience_io::{Alignment, Join, JoinFile, Labels};
use extendr_api::prelude::*;
use serde_json::json;

use crate::error::answered;
use crate::job::begin;
use crate::matrices::{to_any_matrix, views};
use crate::messages::important;
use crate::values::{count, field, labels, of_json, text, texts};

/// A table as the join sees it: its name, its ids and its columns.
type GivenTable = (String, Option<Vec<String>>, Option<Vec<String>>);

/// The registry.
#[extendr]
fn methods() -> Robj {
    answered(|| of_json(&json!(REGISTRY.iter().map(MethodInfo::describe).collect::<Vec<_>>())))
}

/// Joins tables by the names of their samples: the names, the rows of every table (NULL as they lie, NA where it lacks a sample),
/// and what was done.
#[extendr]
fn join(given: List, how: &str) -> Robj {
    answered(|| {
        let how: Join = how.parse()?;
        let tables = given.values().map(|table| {
            let table = table.as_list().unwrap_or_default();
            Ok((text(&field(&table, "name")?)?, texts(&field(&table, "ids")?), texts(&field(&table, "features")?)))
        });
        let tables: Vec<GivenTable> = tables.collect::<consilience::Result<_>>()?;
        let parts: Vec<JoinFile<'_>> = tables
            .iter()
            .map(|(name, ids, columns)| JoinFile { name, ids: ids.as_deref(), columns: columns.as_deref() })
            .collect();
        let mut joined = consilience_io::join(&parts, how)?;
        // a plain matrix often has no row names: whoever passes one beside a table means its order
        joined.notes.retain(|note| !matches!(note, Note::NoIds { .. }));
        let rows = joined.parts.into_iter().map(|part| match part {
            Alignment::Same => Robj::from(()),
            Alignment::Rows(rows) => {
                let row = |row: Option<usize>| row.map_or(Rint::na(), |row| Rint::from(row as i32 + 1));
                rows.into_iter().map(row).collect::<Integers>().into()
            }
        });
        let ids = joined.ids.map_or(Robj::from(()), Robj::from);
        Ok(list!(ids = ids, rows = List::from_values(rows), notes = important(&joined.notes)?).into())
    })
}

/// All scores of predicted labels against true ones.
#[extendr]
fn scores(predicted: Robj, truth: Robj) -> Robj {
    answered(|| {
        let truth = Labels::from_names(&texts(&truth).unwrap_or_default());
        let truth: Vec<usize> = truth.codes().iter().map(|&code| code as usize).collect();
        let scores = metrics::score(&labels(&predicted)?, &truth)?;
        let (names, values): (Vec<_>, Vec<_>) = scores.iter().map(|(metric, value)| (metric.name(), value)).unzip();
        let mut values = Robj::from(values);
        values.set_names(names).map_err(crate::error::of_r)?;
        Ok(values)
    })
}

/// Begins to find the features that set each cluster apart.
#[extendr]
fn markers(given: List, clusters: Robj, arguments: List) -> Robj {
    answered(|| {
        let ((views, _), labels) = (views(&given)?, labels(&clusters)?);
        let missing: Missing = text(&field(&arguments, "missing")?)?.parse()?;
        let features = count(&field(&arguments, "features")?).unwrap_or(0);
        Ok(begin(count(&field(&arguments, "threads")?).unwrap_or(0), move |_| {
            let Resolved { views, .. } = missing.resolve(views)?;
            let views = Views::new(views)?;
            if views.samples() != labels.len() {
                let what = format!("there are {} samples, but the fit has {} labels", views.samples(), labels.len());
                return Err(Error::data_with_hint(what, "give the views that were fitted"));
            }
            let found = json!(find(&views, &labels, features)?);
            Ok(Box::new(move || of_json(&found)))
        }))
    })
}

/// The digits inside the library: two views and the digit of every sample.
#[extendr]
fn digits() -> Robj {
    answered(|| {
        let loaded = consilience_io::digits()?;
        let names: Vec<&str> = loaded.views.iter().map(|view| view.name.as_str()).collect();
        let views = loaded.views.iter().map(|view| to_any_matrix(&view.data));
        let views: Vec<Robj> = views.collect::<consilience::Result<_>>()?;
        let views = List::from_names_and_values(names, views).map_err(crate::error::of_r)?;
        let codes = loaded.labels.map(|labels| labels.codes().iter().map(|&code| code as i32).collect::<Vec<_>>());
        Ok(list!(views = views, digit = codes.unwrap_or_default()).into())
    })
}

extendr_module! {
    mod data;
    fn methods;
    fn join;
    fn scores;
    fn markers;
    fn digits;
}
