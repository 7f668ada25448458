//! What else is known of the samples, against the clusters.

use consilience::{Error, Result, RunRecord, Warning};
use consilience_io::Metadata;

use crate::document::{MetadataColumn, MetadataValues};
use crate::packed::Packed;

/// More different values than this are ids or notes, not groups.
const MOST_GROUPS: usize = 50;
/// Numbers with at most this many different values are groups: grades, plates, years.
const MOST_GRADES: usize = 8;
/// Clusters whose Cramér's V with a column is larger are nearly that column.
const NEARLY: f64 = 0.9;
/// Stands for a value that is not known.
const UNKNOWN: u16 = u16::MAX;

/// The columns that can be shown: numbers, and text of not too many values. Others are left out.
pub(crate) fn described(metadata: &Metadata, record: &RunRecord) -> Result<Vec<MetadataColumn>> {
    let k = record.settings.clusters;
    let mut columns = Vec::new();
    for column in &metadata.columns {
        if column.values.len() != record.n {
            let what = format!("column `{}` has {} values for {} samples", column.name, column.values.len(), record.n);
            return Err(Error::data(what));
        }
        let mut names: Vec<&str> = column.values.iter().flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let numbers: Option<Vec<Option<f64>>> = column
            .values
            .iter()
            .map(|value| value.as_ref().map_or(Some(None), |text| finite(text).map(Some)))
            .collect();
        let shown = match numbers {
            Some(numbers) if names.len() > MOST_GRADES => of_numbers(&numbers, &record.labels, k),
            _ if (1..=MOST_GROUPS).contains(&names.len()) => of_groups(&column.values, &names, &record.labels, k),
            _ => continue,
        };
        columns.push(MetadataColumn { name: column.name.clone(), values: shown.0, effect: shown.1 });
    }
    Ok(columns)
}

/// The groups that the clusters nearly are.
pub(crate) fn confounded(columns: &[MetadataColumn]) -> Vec<Warning> {
    let nearly =
        |column: &&MetadataColumn| matches!(column.values, MetadataValues::Groups { .. }) && column.effect > NEARLY;
    let warning =
        |column: &MetadataColumn| Warning::Confounded { column: column.name.clone(), association: column.effect };
    columns.iter().filter(nearly).map(warning).collect()
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn of_groups(values: &[Option<String>], names: &[&str], labels: &[usize], k: usize) -> (MetadataValues, f64) {
    let code = |value: &Option<String>| {
        value.as_deref().and_then(|value| names.binary_search(&value).ok()).map_or(UNKNOWN, |at| at as u16)
    };
    let codes: Vec<u16> = values.iter().map(code).collect();
    let mut counts = vec![vec![0; names.len()]; k];
    for (&code, &label) in codes.iter().zip(labels).filter(|(code, _)| **code != UNKNOWN) {
        counts[label][usize::from(code)] += 1;
    }
    let effect = cramers_v(&counts);
    let names = names.iter().map(|&name| name.to_owned()).collect();
    (MetadataValues::Groups { names, codes: Packed(codes), counts }, effect)
}

fn of_numbers(numbers: &[Option<f64>], labels: &[usize], k: usize) -> (MetadataValues, f64) {
    let known = || numbers.iter().zip(labels).filter_map(|(number, &label)| Some((((*number)?), label)));
    let (least, most) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (x, _)| (a.min(x), b.max(x)));
    let scale = if most > least { f64::from(UNKNOWN - 1) / (most - least) } else { 0.0 };
    let codes = numbers.iter().map(|x| x.map_or(UNKNOWN, |x| ((x - least) * scale).round() as u16)).collect();
    let (mut sizes, mut sums) = (vec![0.0_f64; k], vec![0.0_f64; k]);
    known().for_each(|(x, label)| {
        sizes[label] += 1.0;
        sums[label] += x;
    });
    let count: f64 = sizes.iter().sum();
    let mean = sums.iter().sum::<f64>() / count.max(1.0);
    let all: f64 = known().map(|(x, _)| (x - mean).powi(2)).sum();
    let means: Vec<Option<f64>> =
        sums.iter().zip(&sizes).map(|(sum, size)| (*size > 0.0).then(|| sum / size)).collect();
    let between: f64 = means.iter().zip(&sizes).filter_map(|(m, size)| Some(size * ((*m)? - mean).powi(2))).sum();
    let effect = if all > 0.0 { (between / all).clamp(0.0, 1.0) } else { 0.0 };
    (MetadataValues::Numbers { range: [least, most], codes: Packed(codes), means }, effect)
}

/// Cramér's V of a table of counts, with the correction for chance of Bergsma (2013).
fn cramers_v(counts: &[Vec<usize>]) -> f64 {
    let rows: Vec<f64> = counts.iter().map(|row| row.iter().sum::<usize>() as f64).collect();
    let width = counts.first().map_or(0, Vec::len);
    let columns: Vec<f64> = (0..width).map(|j| counts.iter().map(|row| row[j]).sum::<usize>() as f64).collect();
    let total: f64 = rows.iter().sum();
    let (r, c) =
        (rows.iter().filter(|x| **x > 0.0).count() as f64, columns.iter().filter(|x| **x > 0.0).count() as f64);
    if total < 2.0 || r < 2.0 || c < 2.0 {
        return 0.0;
    }
    let mut chi_squared = 0.0;
    for (row, sum) in counts.iter().zip(&rows).filter(|(_, sum)| **sum > 0.0) {
        for (&count, column) in row.iter().zip(&columns).filter(|(_, column)| **column > 0.0) {
            let expected = sum * column / total;
            chi_squared += (count as f64 - expected).powi(2) / expected;
        }
    }
    let by_chance = (r - 1.0) * (c - 1.0) / (total - 1.0);
    let shrink = |m: f64| m - (m - 1.0).powi(2) / (total - 1.0);
    let most = (shrink(r) - 1.0).min(shrink(c) - 1.0);
    if most > 0.0 { ((chi_squared / total - by_chance).max(0.0) / most).sqrt().min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cramers_v_by_hand() {
        assert!((cramers_v(&[vec![50, 0], vec![0, 50]]) - 1.0).abs() < 1e-9);
        assert_eq!(cramers_v(&[vec![25, 25], vec![25, 25]]), 0.0);
        assert_eq!(cramers_v(&[vec![5, 5]]), 0.0);
    }

    #[test]
    fn clusters_that_are_nearly_a_column_are_told() {
        let column = |counts: Vec<Vec<usize>>| MetadataColumn {
            name: "batch".into(),
            effect: cramers_v(&counts),
            values: MetadataValues::Groups { names: vec!["1".into(), "2".into()], codes: Packed(Vec::new()), counts },
        };
        // three clusters in each of two batches, but for two samples
        let told = confounded(&[column(vec![vec![50, 0], vec![49, 1], vec![50, 0], vec![0, 50], vec![1, 49]])]);
        assert!(
            matches!(&told[..], [Warning::Confounded { column, association }] if column == "batch" && *association > 0.95)
        );
        assert!(confounded(&[column(vec![vec![40, 10], vec![8, 42]])]).is_empty());
    }

    #[test]
    fn numbers_of_clusters_by_hand() {
        let (values, effect) = of_numbers(&[Some(0.0), Some(2.0), Some(4.0), None], &[0, 0, 1, 1], 3);
        // mean 2, squares 8; between: 2 * (1 - 2)^2 + (4 - 2)^2 = 6
        assert!((effect - 0.75).abs() < 1e-12);
        let MetadataValues::Numbers { range, codes, means } = values else { panic!("numbers") };
        assert_eq!(
            (range, codes.0, means),
            ([0.0, 4.0], vec![0, 32767, 65534, 65535], vec![Some(1.0), Some(4.0), None])
        );
    }
}
