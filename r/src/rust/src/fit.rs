//! One run of a method, from matrices to everything it found.

use consilience::model::Draft;
use consilience::{Clustering, Error, Result, Views, cluster_observed};
use extendr_api::prelude::*;

use crate::arguments::asked;
use crate::error::answered;
use crate::job::begin;
use crate::matrices::{to_any_matrix, to_matrix, views};
use crate::messages::{important, told};
use crate::model::Held;
use crate::values::{of_json, to_labels};

/// Begins to cluster the views.
#[extendr]
fn fit(given: List, arguments: List) -> Robj {
    answered(|| {
        // settings first: a mistyped parameter must not wait for the data to be checked
        let (settings, missing) = asked(&arguments)?;
        let (views, mut notes) = views(&given)?;
        Ok(begin(settings.threads.unwrap_or(0), move |run| {
            let resolved = missing.resolve(views)?;
            let views = Views::new(resolved.views)?;
            let mut found = cluster_observed(&views, &settings, run)?;
            notes.extend(resolved.notes);
            found.record.notes = notes;
            let (draft, kept) = (Draft::new(&views, &found)?, resolved.kept);
            Ok(Box::new(move || results(found, draft, kept)))
        }))
    })
}

fn results(found: Clustering, draft: Draft, kept: Option<Vec<usize>>) -> Result<Robj> {
    let Clustering { mut record, fitted, memberships, .. } = found;
    let labels = std::mem::take(&mut record.labels);
    let kept = kept.map_or(Robj::from(()), |kept| to_labels(&kept));
    let record_json =
        serde_json::to_value(&record).map_err(|error| Error::data(format!("the record cannot be read: {error}")))?;
    Ok(list!(
        labels = to_labels(&labels),
        kept = kept,
        confidence = memberships.confidence().to_vec(),
        memberships = to_any_matrix(&memberships.matrix()?)?,
        embedding = to_matrix(&fitted.embedding),
        record = of_json(&record_json)?,
        iterations = record.termination.iterations() as f64,
        ended = record.termination.to_string(),
        warnings = told(&record.warnings)?,
        notes = important(&record.notes)?,
        model = Robj::from(ExternalPtr::new(Held::from(draft)))
    )
    .into())
}

extendr_module! {
    mod fit;
    fn fit;
}
