//! Samples that a view does not know: its network says of them what the networks of the views that know them say on average.

use super::pattern::Pattern;
use crate::matrix::Csr;
use crate::{Result, View, Views};

/// The row of every sample among those that the view knows.
pub(super) fn places(view: &View) -> Vec<Option<usize>> {
    let mut next = 0..view.data.rows();
    (0..view.data.rows()).map(|i| if view.is_absent(i) { None } else { next.next() }).collect()
}

/// The local kernels of the samples that the views know (n_v x n_v), over all samples (n x n). The row of a sample that a view
/// does not know is the mean of its rows in the others.
pub(super) fn spread_locals(locals: Vec<Csr<f64>>, views: &Views) -> Result<Vec<Csr<f64>>> {
    if views.is_complete() {
        return Ok(locals);
    }
    let n = views.samples();
    let spread: Vec<Csr<f64>> =
        locals.iter().zip(views).map(|(local, view)| local.spread(&view.present(), n)).collect::<Result<_>>()?;
    let mut sum = Csr::from_entries(n, n, Vec::new())?;
    for local in &spread {
        sum = sum.merged(local, |sum, x| sum + x)?;
    }
    let filled = |(local, view): (Csr<f64>, &View)| {
        let Some(absent) = view.absent() else { return Ok(local) };
        let mut entries = Vec::with_capacity(sum.nnz());
        for i in 0..n {
            let (columns, values) = if absent[i] { sum.row(i) } else { local.row(i) };
            // rows of every view that knows the sample sum to 1
            let total: f64 = values.iter().sum();
            entries.extend(columns.iter().zip(values).map(|(&j, x)| (i, j, x / total)));
        }
        Csr::from_entries(n, n, entries)
    };
    spread.into_iter().zip(views).map(filled).collect()
}

/// Where a view does not know both samples of a pair, the mean similarity over the views that do; none where no view does.
pub(super) fn fill_similarities(similarities: &mut [Vec<f64>], pattern: &Pattern, places: &[Vec<Option<usize>>]) {
    if places.iter().flatten().all(Option::is_some) {
        return;
    }
    let knows = |view: usize, i: usize, j: usize| places[view][i].is_some() && places[view][j].is_some();
    for i in 0..pattern.samples() {
        for position in pattern.range(i) {
            let j = pattern.indices()[position] as usize;
            let known: Vec<f64> =
                (0..places.len()).filter(|&view| knows(view, i, j)).map(|view| similarities[view][position]).collect();
            if known.is_empty() || known.len() == places.len() {
                continue;
            }
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            (0..places.len()).filter(|&view| !knows(view, i, j)).for_each(|view| similarities[view][position] = mean);
        }
    }
}
