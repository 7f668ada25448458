//! The document of a run: everything that was found, as JSON. Long columns are packed as little-endian numbers in
//! base64, so that 100,000 samples stay a few megabytes.

mod columns;
mod heat;

use consilience::data::Labels;
use consilience::examine::{Examination, Verdict};
use consilience::{Clustering, MethodInfo, Record, Result, Views, metrics};
use serde_json::{Value, json};

pub use self::columns::unpack;
use self::columns::{layout, shares, small};

/// The document's own version: a page reads those it knows.
const FORMAT: u32 = 1;
/// Worst features and samples that are named.
const WORST: usize = 20;

/// A finished run with everything that is known about it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// What the run is called when several are compared.
    pub name: &'a str,
    /// The views it clustered.
    pub views: &'a Views,
    /// What it found.
    pub clustering: &'a Clustering,
    /// Its account.
    pub record: &'a Record,
    /// What it answered to questions.
    pub examination: &'a Examination,
    /// The samples' ids, where the files had them.
    pub ids: Option<&'a [String]>,
    /// The true classes, where they are known.
    pub truth: Option<&'a Labels>,
}

/// The document of `subject`, for [`crate::page`].
///
/// # Errors
/// When the truth does not fit the samples.
pub fn describe(subject: &Subject<'_>) -> Result<Value> {
    let Subject { clustering, examination, record, .. } = *subject;
    let stability = examination.stability.as_ref();
    Ok(json!({
        "format": FORMAT,
        "name": subject.name,
        "run": run(subject)?,
        "samples": samples(subject),
        "truth": truth(subject)?,
        "clusters": clusters(subject),
        "heat": heat::by_groups(clustering, &clustering.labels),
        "heat_by_class": subject.truth.map(|truth| {
            let classes: Vec<usize> = truth.codes().iter().map(|&code| code as usize).collect();
            heat::by_groups(clustering, &classes)
        }),
        "agreement": {
            "before": examination.agreement,
            "after": clustering.findings.agreement.as_ref().map(|agreement| &agreement.after),
        },
        "views": views(subject)?,
        "internal": examination.internal,
        "stability": stability.map(|stability| json!({
            "runs": stability.runs, "share_of_samples": stability.share, "mean": stability.mean,
        })),
        "trace": { "rows": record.findings.trace },
        "verdict": Verdict::new(clustering, examination),
    }))
}

fn run(subject: &Subject<'_>) -> Result<Value> {
    let record = subject.record;
    let info = MethodInfo::named(record.method)?;
    Ok(json!({
        "version": record.version,
        "method": record.method,
        "method_title": info.title,
        "citation": info.citation,
        "n": record.n,
        "k": record.k,
        "seed": record.seed,
        "scale": record.scale,
        "parameters": record.parameters,
        "views": record.views,
        "seconds": record.seconds,
        "peak_rss_mb": record.peak_rss_mb,
        "stop": record.stop,
        "warnings": record.warnings,
        "eigenvalues": record.eigenvalues,
    }))
}

fn samples(subject: &Subject<'_>) -> Value {
    let Subject { clustering, examination, .. } = *subject;
    let (x, y) = layout(&examination.layout);
    json!({
        "ids": subject.ids,
        "cluster": small(clustering.labels.iter().copied()),
        "confidence": shares(&examination.confidence),
        "disagreement": (examination.views.len() > 1).then(|| shares(&examination.disagreement)),
        "stability": examination.stability.as_ref().map(|stability| shares(&stability.by_sample)),
        "corruption": corruption_of_samples(subject).map(|by_sample| shares(&by_sample)),
        "truth": subject.truth.map(|truth| small(truth.codes().iter().map(|&code| code as usize))),
        "x": x,
        "y": y,
    })
}

/// The share of each sample's entries, over all views, that the method found corrupted; unknown when it did not look.
fn corruption_of_samples(subject: &Subject<'_>) -> Option<Vec<f64>> {
    let found = &subject.clustering.findings.corruption;
    let features: usize = found.iter().map(|view| view.by_feature.len()).sum();
    let mut by_sample = vec![0.0; subject.clustering.labels.len()];
    for view in found {
        let weight = view.by_feature.len() as f64 / features.max(1) as f64;
        by_sample.iter_mut().zip(&view.by_sample).for_each(|(sum, share)| *sum += weight * share);
    }
    (!found.is_empty()).then_some(by_sample)
}

fn truth(subject: &Subject<'_>) -> Result<Option<Value>> {
    let Some(truth) = subject.truth else { return Ok(None) };
    let labels = &subject.clustering.labels;
    let classes: Vec<usize> = truth.codes().iter().map(|&code| code as usize).collect();
    let clusters = labels.iter().max().map_or(0, |last| last + 1);
    let mut confusion = vec![vec![0_usize; truth.names().len()]; clusters];
    let mut names = vec![None; clusters];
    for ((&label, &class), name) in labels.iter().zip(&classes).zip(metrics::matched(labels, &classes)?) {
        confusion[label][class] += 1;
        names[label] = name;
    }
    let scores = metrics::score(labels, &classes)?;
    Ok(Some(json!({ "classes": truth.names(), "confusion": confusion, "matched": names, "scores": scores })))
}

fn clusters(subject: &Subject<'_>) -> Vec<Value> {
    let Subject { clustering, examination, .. } = *subject;
    let mut sums = vec![(0_usize, 0.0); examination.inside.len()];
    for (&label, confidence) in clustering.labels.iter().zip(&examination.confidence) {
        sums[label].0 += 1;
        sums[label].1 += confidence;
    }
    let stability = examination.stability.as_ref();
    let one = |(cluster, ((size, confidence), inside)): (usize, ((usize, f64), &f64))| {
        json!({
            "size": size,
            "confidence": confidence / size.max(1) as f64,
            "inside": inside,
            "stability": stability.map(|stability| stability.by_cluster[cluster]),
        })
    };
    sums.into_iter().zip(&examination.inside).enumerate().map(one).collect()
}

fn views(subject: &Subject<'_>) -> Result<Vec<Value>> {
    let Subject { clustering, examination, .. } = *subject;
    let score = |labels: &[usize]| subject.truth.map(|truth| metrics::score(labels, truth.codes())).transpose();
    let mut rows = Vec::new();
    for ((view, record), own) in subject.views.iter().zip(&clustering.views).zip(&examination.views) {
        let without = match &own.without {
            Some(without) => Some(json!({
                "internal": without.internal, "nmi": without.nmi, "scores": score(&without.labels)?,
            })),
            None => None,
        };
        let found = clustering.findings.corruption.iter().find(|found| found.view == view.name);
        rows.push(json!({
            "name": record.name,
            "d": record.d,
            "weight": record.weight,
            "own_nmi": own.own_nmi,
            "own_scores": score(&own.own_labels)?,
            "without": without,
            "hurts": own.hurts,
            "corruption": found.map(|found| json!({
                "share": found.share,
                "features": worst(&found.by_feature).map(|(feature, share)| {
                    json!({ "name": feature_name(view, feature), "share": share })
                }).collect::<Vec<_>>(),
                "samples": worst(&found.by_sample).map(|(index, share)| {
                    json!({ "index": index, "share": share })
                }).collect::<Vec<_>>(),
            })),
        }));
    }
    Ok(rows)
}

/// The largest shares above zero, largest first.
fn worst(shares: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let mut places: Vec<(usize, f64)> = shares.iter().copied().enumerate().filter(|(_, share)| *share > 0.0).collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    places.into_iter().take(WORST)
}

fn feature_name(view: &consilience::View, feature: usize) -> String {
    let named = view.features.as_ref().and_then(|names| names.get(feature).cloned());
    named.unwrap_or_else(|| format!("column {}", feature + 1))
}
