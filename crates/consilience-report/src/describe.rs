//! The document of a finished and examined run.

use std::collections::BTreeMap;

use consilience::examine::{ClusterVerdict, Effect, Examination, Verdict};
use consilience::markers::{Marker, cluster_means};
use consilience::matrix::Dense;
use consilience::method::CorruptionFound;
use consilience::{Clustering, Error, Result, RunRecord, Settings, View, Views, metrics};
use consilience_io::{Labels, Metadata, Origin};
use serde_json::{Map, Value};

use crate::document::{
    AffinityPicture, AgreementSummary, ClusterSummary, CorruptedFeature, CorruptedSample, Document, FORMAT, LeftOut,
    MarkerPicture, Presence, PresenceGroup, RunSummary, SampleColumns, StabilitySummary, TruthSummary, ViewCorruption,
    ViewReport,
};
use crate::metadata::{confounded, described};
use crate::packed::Packed;
use crate::verdict::VerdictSummary;

/// Worst features and samples that are named.
const WORST: usize = 20;
/// Combinations of views that are listed.
const MOST_GROUPS: usize = 32;
/// Markers that are drawn: of each cluster, and of all.
const MARKERS_OF_A_CLUSTER: usize = 5;
const MOST_MARKERS: usize = 60;
/// A view with less weight than this is shown as 0 %, and counts for nothing.
const LEAST_WEIGHT: f64 = 0.005;
/// About as many blocks along a side of the affinity's picture.
const SIDE: usize = 150;
/// Brighter than this share of the blocks is as bright as can be: a few strong pairs must not darken the rest.
const BRIGHT: f64 = 0.995;

/// A finished run with everything that is known about it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// What the run is called when several are compared.
    pub name: &'a str,
    /// The views it clustered.
    pub views: &'a Views,
    /// What it found; the samples' ids are in its record.
    pub clustering: &'a Clustering,
    /// What was found out about it.
    pub examination: &'a Examination,
    /// The true classes, where they are known.
    pub truth: Option<&'a Labels>,
    /// What else is known of the samples.
    pub metadata: Option<&'a Metadata>,
    /// The files as they were, the day and the command, where they are known.
    pub origin: Option<&'a Origin>,
}

/// The document of `subject`, for [`crate::page`].
///
/// # Errors
/// When the truth or the ids do not fit the samples, or there are more clusters or classes than can be told apart.
pub fn describe(subject: &Subject<'_>) -> Result<Document> {
    let Subject { name, clustering, examination, truth, .. } = *subject;
    let record = &clustering.record;
    let classes = truth.map(|truth| truth.codes().iter().map(|&code| code as usize).collect::<Vec<_>>());
    let metadata = subject.metadata.map_or_else(|| Ok(Vec::new()), |metadata| described(metadata, record))?;
    let mut run = RunSummary { eigenvalues: examination.eigenvalues.clone(), ..run(record, subject.origin)? };
    run.warnings.extend(confounded(&metadata));
    let document = Document {
        format: FORMAT,
        name: name.to_owned(),
        run,
        samples: samples(record, examination, classes.as_deref())?,
        truth: match (truth, &classes) {
            (Some(truth), Some(classes)) => Some(confusion(record, truth.names(), classes)?),
            _ => None,
        },
        clusters: clusters(clustering, examination),
        heat: affinity(clustering, &record.labels, record.settings.clusters),
        heat_by_class: truth.zip(classes).map(|(truth, classes)| affinity(clustering, &classes, truth.names().len())),
        presence: presence(subject),
        agreement: AgreementSummary {
            before: examination.agreement.clone(),
            after: record.findings.agreement.as_ref().map(|agreement| of_views_that_count(record, &agreement.after)),
        },
        views: views(subject)?,
        silhouette: examination.silhouette,
        structure: examination.structure.clone(),
        markers: examination.markers.clone(),
        marker_picture: marker_picture(subject),
        metadata,
        stability: examination.stability.as_ref().map(|stability| StabilitySummary {
            runs: stability.runs,
            share_of_samples: stability.share,
            mean: stability.mean,
        }),
        trace: record.findings.trace.clone(),
        choice: record.choice.clone(),
        tree: clustering.record.tree.clone(),
        verdict: VerdictSummary::new(clustering, examination),
    };
    document.check().map_err(Error::data)?;
    Ok(document)
}

fn run(record: &RunRecord, origin: Option<&Origin>) -> Result<RunSummary> {
    let (settings, method) = (&record.settings, &record.settings.method);
    let values = method.parameters().values().into_iter();
    Ok(RunSummary {
        version: record.version.clone(),
        method: method.info().id.to_owned(),
        method_title: method.info().title.to_owned(),
        citation: method.info().citation.to_owned(),
        n: record.n,
        k: settings.clusters,
        seed: settings.seed,
        scale: settings.scale,
        corruption: settings.corruption,
        origin: origin.cloned(),
        parameters: values.map(|(name, value)| (name.to_owned(), serde_json::json!(value))).collect(),
        other_settings: other_settings(settings)?,
        seconds: record.seconds,
        peak_rss_mb: record.peak_rss_mb,
        termination: record.termination,
        warnings: record.warnings.clone(),
        eigenvalues: record.eigenvalues.clone(),
    })
}

/// The settings that have no field of their own in the summary, as `run.json` writes them: none can be forgotten.
fn other_settings(settings: &Settings) -> Result<Map<String, Value>> {
    const SHOWN: [&str; 6] = ["k", "method", "parameters", "scale", "corruption", "seed"];
    let written = serde_json::to_value(settings).map_err(|error| Error::data(error.to_string()))?;
    let Value::Object(all) = written else { return Ok(Map::new()) };
    Ok(all.into_iter().filter(|(name, _)| !SHOWN.contains(&name.as_str())).collect())
}

fn samples(record: &RunRecord, examination: &Examination, classes: Option<&[usize]>) -> Result<SampleColumns> {
    let (x, y) = places(&examination.layout);
    Ok(SampleColumns {
        ids: record.ids.clone(),
        cluster: codes("clusters", &record.labels)?,
        confidence: Packed::shares(&examination.confidence),
        doubt: Packed::shares(&examination.doubt),
        silhouette: Packed::shares(&examination.silhouettes.iter().map(|s| (s + 1.0) / 2.0).collect::<Vec<_>>()),
        disagreement: (examination.views.len() > 1).then(|| Packed::shares(&examination.disagreement)),
        stability: examination.stability.as_ref().map(|stability| Packed::shares(&stability.by_sample)),
        corruption: corruption_of_samples(record).map(|by_sample| Packed::shares(&by_sample)),
        truth: classes.map(|classes| codes("classes", classes)).transpose()?,
        x,
        y,
    })
}

fn codes(what: &str, numbers: &[usize]) -> Result<Packed<u16>> {
    let small = numbers.iter().map(|&number| u16::try_from(number)).collect::<Result<_, _>>();
    small.map(Packed).map_err(|_| Error::data(format!("a report can show 65536 {what}, and there are more")))
}

/// Both coordinates of a layout in the square 0..65535, with the same scale on both axes.
fn places(layout: &Dense<f64>) -> (Packed<u16>, Packed<u16>) {
    const SIDE: f64 = u16::MAX as f64;
    let column = |axis: usize| layout.iter_rows().map(move |row| row[axis]);
    let range =
        |axis: usize| column(axis).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (x, y) = (range(0), range(1));
    let span = (x.1 - x.0).max(y.1 - y.0);
    let scale = if span > 0.0 { SIDE / span } else { 0.0 };
    let axis = |axis: usize, (low, high): (f64, f64)| {
        // the shorter side sits in the middle
        let margin = (SIDE - (high - low) * scale) / 2.0;
        Packed(column(axis).map(|place| (margin + (place - low) * scale).round().clamp(0.0, SIDE) as u16).collect())
    };
    (axis(0, x), axis(1, y))
}

/// The share of each sample's entries, over all views, that the method found corrupted; unknown when it did not look.
fn corruption_of_samples(record: &RunRecord) -> Option<Vec<f64>> {
    let found = &record.findings.corruption;
    let features: usize = found.iter().map(|view| view.by_feature.len()).sum();
    let mut by_sample = vec![0.0; record.n];
    for view in found {
        let weight = view.by_feature.len() as f64 / features.max(1) as f64;
        by_sample.iter_mut().zip(&view.by_sample).for_each(|(sum, share)| *sum += weight * share);
    }
    (!found.is_empty()).then_some(by_sample)
}

fn confusion(record: &RunRecord, names: &[String], classes: &[usize]) -> Result<TruthSummary> {
    let (labels, k) = (&record.labels, record.settings.clusters);
    let scores = metrics::score(labels, classes)?;
    let mut confusion = vec![vec![0; names.len()]; k];
    let mut matched = vec![None; k];
    for ((&label, &class), name) in labels.iter().zip(classes).zip(metrics::matched(labels, classes)?) {
        confusion[label][class] += 1;
        matched[label] = name;
    }
    let remarks = mistakes(&confusion, &matched, names);
    Ok(TruthSummary { classes: names.to_vec(), confusion, matched, scores, remarks })
}

/// Nothing for a view that counts for nothing: what it would agree with is the others' doing.
fn of_views_that_count(record: &RunRecord, agreement: &[Vec<f64>]) -> Vec<Vec<Option<f64>>> {
    let counts = |view: usize| record.views.get(view).is_some_and(|view| view.weight >= LEAST_WEIGHT);
    let row = |(a, row): (usize, &Vec<f64>)| {
        row.iter().enumerate().map(|(b, value)| (counts(a) && counts(b)).then_some(*value)).collect()
    };
    agreement.iter().enumerate().map(row).collect()
}

/// The clearest markers of every cluster, fewer of each when there are many clusters.
fn marker_picture(subject: &Subject<'_>) -> Option<MarkerPicture> {
    let all = &subject.examination.markers;
    let k = subject.clustering.record.settings.clusters;
    let of_each = (MOST_MARKERS / k.max(1)).clamp(1, MARKERS_OF_A_CLUSTER);
    let mut chosen: Vec<usize> = Vec::new();
    for cluster in 0..k {
        let same = |a: &Marker, b: &Marker| a.view == b.view && a.column == b.column;
        // a feature that sets two clusters apart is drawn once
        let own = (0..all.len()).filter(|&place| all[place].cluster == cluster);
        let new: Vec<usize> = own.filter(|&p| !chosen.iter().any(|&q| same(&all[p], &all[q]))).take(of_each).collect();
        chosen.extend(new);
    }
    chosen.truncate(MOST_MARKERS);
    if chosen.is_empty() {
        return None;
    }
    let markers: Vec<&Marker> = chosen.iter().map(|&place| &all[place]).collect();
    let means = cluster_means(subject.views, &subject.clustering.record.labels, &markers);
    let empty = vec![0.0; chosen.len()];
    let row = |cluster: usize| if cluster < means.rows() { means.row(cluster).to_vec() } else { empty.clone() };
    Some(MarkerPicture { means: (0..k).map(row).collect(), markers: chosen })
}

/// Which classes were merged, split, or have no cluster of their own, the most samples first. A class is in a cluster when a tenth
/// of it is.
fn mistakes(confusion: &[Vec<usize>], matched: &[Option<usize>], names: &[String]) -> Vec<String> {
    let totals: Vec<usize> = (0..names.len()).map(|t| confusion.iter().map(|row| row[t]).sum()).collect();
    let sizes: Vec<usize> = confusion.iter().map(|row| row.iter().sum()).collect();
    let much = |part: usize, whole: usize| 10 * part >= whole && part > 0;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (c, row) in confusion.iter().enumerate() {
        let inside: Vec<usize> =
            (0..names.len()).filter(|&t| much(row[t], sizes[c]) && much(row[t], totals[t])).collect();
        if inside.len() > 1 {
            let parts: Vec<String> = inside
                .iter()
                .map(|&t| format!("{} of the {} of \u{201c}{}\u{201d}", row[t], totals[t], names[t]))
                .collect();
            let wrong = inside.iter().filter(|&&t| matched[c] != Some(t)).map(|&t| row[t]).sum();
            found.push((wrong, format!("Cluster {c} merges classes: {}.", parts.join(", "))));
        }
    }
    for (t, name) in names.iter().enumerate() {
        let mut parts: Vec<usize> = (0..confusion.len()).filter(|&c| much(confusion[c][t], totals[t])).collect();
        parts.sort_by_key(|&c| std::cmp::Reverse(confusion[c][t]));
        if parts.len() > 1 {
            let listed: Vec<String> = parts.iter().map(|&c| format!("{} in cluster {c}", confusion[c][t])).collect();
            let wrong = parts[1..].iter().map(|&c| confusion[c][t]).sum();
            found.push((wrong, format!("Class \u{201c}{name}\u{201d} is split: {}.", listed.join(", "))));
        }
        if totals[t] > 0 && !matched.contains(&Some(t)) {
            let words = format!("No cluster stands for class \u{201c}{name}\u{201d} ({} samples).", totals[t]);
            found.push((totals[t], words));
        }
    }
    found.sort_by_key(|(wrong, _)| std::cmp::Reverse(*wrong));
    found.into_iter().map(|(_, words)| words).collect()
}

/// All that were asked for; one without samples has no affinity either.
fn clusters(clustering: &Clustering, examination: &Examination) -> Vec<ClusterSummary> {
    let record = &clustering.record;
    let mut sums = vec![(0_usize, 0.0); record.settings.clusters];
    for (&label, confidence) in record.labels.iter().zip(&examination.confidence) {
        sums[label].0 += 1;
        sums[label].1 += confidence;
    }
    let verdicts = Verdict::new(clustering, examination).clusters;
    let one = |(cluster, ((size, confidence), verdict)): (usize, ((usize, f64), ClusterVerdict))| ClusterSummary {
        size,
        state: verdict.state,
        touches: verdict.touches,
        confidence: confidence / size.max(1) as f64,
        inside: examination.inside.get(cluster).copied().unwrap_or(0.0),
        stability: verdict.stability,
        leak: examination.structure.as_ref().and_then(|structure| structure.leaks.get(cluster).copied().flatten()),
    };
    sums.into_iter().zip(verdicts).enumerate().map(one).collect()
}

fn views(subject: &Subject<'_>) -> Result<Vec<ViewReport>> {
    let record = &subject.clustering.record;
    let score = |labels: &[usize]| subject.truth.map(|truth| metrics::score(labels, truth.codes())).transpose();
    let mut reports = Vec::with_capacity(record.views.len());
    for ((view, known), own) in subject.views.iter().zip(&record.views).zip(&subject.examination.views) {
        let without = match &own.without {
            Some(without) => {
                Some(LeftOut { silhouette: without.silhouette, nmi: without.nmi, scores: score(&without.labels)? })
            }
            None => None,
        };
        let found = record.findings.corruption.iter().find(|found| found.view == view.name);
        reports.push(ViewReport {
            name: known.name.clone(),
            d: known.d,
            weight: known.weight,
            own_nmi: own.own_nmi,
            own_scores: own_scores(subject, &own.own_labels)?,
            without,
            effect: own.effect,
            influence: own.effect.as_ref().map(Effect::influence),
            corruption: found.map(|found| corruption(view, found)),
        });
    }
    Ok(reports)
}

/// Scores of a view's own clusters, over the samples that it knows.
fn own_scores(subject: &Subject<'_>, labels: &[Option<usize>]) -> Result<Option<metrics::Scores>> {
    let Some(truth) = subject.truth else { return Ok(None) };
    let known = labels.iter().zip(truth.codes()).filter_map(|(label, &class)| Some((label.as_ref().copied()?, class)));
    let (labels, classes): (Vec<usize>, Vec<_>) = known.unzip();
    metrics::score(&labels, &classes).map(Some)
}

/// Which samples are known to which views, and how sure their labels are.
fn presence(subject: &Subject<'_>) -> Option<Presence> {
    let Subject { views, examination, .. } = *subject;
    if views.is_complete() {
        return None;
    }
    let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for i in 0..views.samples() {
        let known = views.iter().enumerate().filter(|(_, view)| !view.is_absent(i)).map(|(at, _)| at).collect();
        groups.entry(known).or_default().push(i);
    }
    let mean = |samples: &[usize], of: &[f64]| samples.iter().map(|&i| of[i]).sum::<f64>() / samples.len() as f64;
    let group = |(views, samples): (Vec<usize>, Vec<usize>)| PresenceGroup {
        views,
        confidence: mean(&samples, &examination.confidence),
        stability: examination.stability.as_ref().map(|stability| mean(&samples, &stability.by_sample)),
        samples: samples.len(),
    };
    let mut groups: Vec<PresenceGroup> = groups.into_iter().map(group).collect();
    // of equally many samples, the order of the views
    groups.sort_by(|a, b| b.samples.cmp(&a.samples).then(a.views.cmp(&b.views)));
    let others = groups.iter().skip(MOST_GROUPS).map(|group| group.samples).sum();
    groups.truncate(MOST_GROUPS);
    let known = views.iter().map(|view| views.samples() - view.absences()).collect();
    Some(Presence { known, groups, others })
}

fn corruption(view: &View, found: &CorruptionFound) -> ViewCorruption {
    let features =
        worst(&found.by_feature).map(|(feature, share)| CorruptedFeature { name: view.feature_name(feature), share });
    let samples = worst(&found.by_sample).map(|(index, share)| CorruptedSample { index, share });
    ViewCorruption { share: found.share, range: found.range, features: features.collect(), samples: samples.collect() }
}

/// The largest shares above zero, largest first.
fn worst(shares: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let mut places: Vec<(usize, f64)> = shares.iter().copied().enumerate().filter(|(_, share)| *share > 0.0).collect();
    places.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    places.into_iter().take(WORST)
}

/// The affinity with the samples sorted by their group, of `count`.
fn affinity(clustering: &Clustering, groups: &[usize], count: usize) -> AffinityPicture {
    let (blocks, bounds) = blocks(groups, count);
    let averages = clustering.block_averages(&blocks);
    let mut sorted: Vec<f64> = averages.data().iter().map(|x| x.max(0.0)).collect();
    sorted.sort_by(f64::total_cmp);
    let max = sorted.get(((sorted.len() as f64 - 1.0) * BRIGHT) as usize).copied().unwrap_or(0.0);
    let scale = if max > 0.0 { 255.0 / max } else { 0.0 };
    let values = averages.data().iter().map(|x| (x * scale).round().clamp(0.0, 255.0) as u8).collect();
    AffinityPicture { size: blocks.len(), values: Packed(values), max, bounds }
}

/// The samples of every block, and the block at which every group begins. No block holds two groups.
fn blocks(groups: &[usize], count: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut members = vec![Vec::new(); count];
    groups.iter().enumerate().for_each(|(sample, &group)| members[group].push(sample));
    let (mut blocks, mut bounds) = (Vec::new(), Vec::new());
    for members in members {
        bounds.push(blocks.len());
        let size = members.len();
        let width = (size * SIDE / groups.len().max(1)).clamp(1, size.max(1));
        let mut parts = vec![Vec::new(); if size > 0 { width } else { 0 }];
        members.into_iter().enumerate().for_each(|(j, sample)| parts[j * width / size].push(sample));
        blocks.extend(parts);
    }
    bounds.push(blocks.len());
    (blocks, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_splits_and_missing_classes_are_told_apart() {
        let names = ["a", "b", "c"].map(str::to_owned);
        // cluster 0 holds a and all of c; b is split between 1 and 2
        let confusion = vec![vec![10, 0, 8], vec![0, 12, 0], vec![0, 5, 0]];
        let found = mistakes(&confusion, &[Some(0), Some(1), None], &names);
        let expected = [
            "Cluster 0 merges classes: 10 of the 10 of “a”, 8 of the 8 of “c”.",
            "No cluster stands for class “c” (8 samples).",
            "Class “b” is split: 12 in cluster 1, 5 in cluster 2.",
        ];
        assert_eq!(found, expected);
        assert!(mistakes(&[vec![4, 0], vec![0, 4]], &[Some(0), Some(1)], &names[..2]).is_empty());
    }

    #[test]
    fn blocks_do_not_cross_groups() {
        let groups: Vec<usize> = (0..1000).map(|i| i % 3).collect();
        let (blocks, bounds) = blocks(&groups, 3);
        assert_eq!(bounds, [0, 50, 99, 148]);
        assert!(blocks.iter().all(|block| !block.is_empty() && block.iter().all(|&i| i % 3 == block[0] % 3)));
        assert_eq!(blocks.iter().map(Vec::len).sum::<usize>(), 1000);
    }

    #[test]
    fn groups_without_samples_have_no_blocks() {
        let (blocks, bounds) = blocks(&[0, 2, 2], 4);
        assert_eq!((blocks, bounds), (vec![vec![0], vec![1], vec![2]], vec![0, 1, 1, 3, 3]));
    }

    #[test]
    fn a_layout_keeps_its_proportions() {
        let (x, y) = places(&Dense::new(2, 2, vec![0.0, 0.0, 2.0, 1.0]).unwrap());
        assert_eq!((x.0, y.0), (vec![0, 65535], vec![16384, 49151]));
        assert_eq!(places(&Dense::zeros(3, 2)).0.0, [32768; 3]);
    }
}
