//! Neighbour lists: within each view, and by distances fused over all views.

use super::prepare::Prepared;
use crate::graph::neighbours::{Distance, Exact, Metric, Missing, NeighbourSearch, Neighbours, Term, Weighting};
use crate::matrix::{Dense, Matrix, Real, for_matrix, median};
use crate::operator::LinOp;
use crate::{Result, Run, View};

/// No graph has more neighbours than this.
pub(super) const MOST_NEIGHBOURS: usize = 40;
/// A joint graph needs at least this contrast; below it, more neighbours would only add noise.
const LEAST_CONTRAST: f64 = 0.05;

/// The neighbours of a view's samples among those it knows.
pub(super) struct OwnList {
    pub(super) found: Neighbours,
    /// The samples that the view knows; `found` counts within them.
    pub(super) present: Vec<usize>,
}

/// All lists.
pub(super) struct Lists {
    /// Per view; none when it has no spread or no samples.
    pub(super) own: Vec<Option<OwnList>>,
    /// By the mean of the views' squared distances, each divided by its mean.
    pub(super) mean_scaled: Neighbours,
    /// By the mean of the views' squared distances, each divided by the local scales of both samples.
    pub(super) locally_scaled: Neighbours,
}

impl Lists {
    pub(super) fn find(views: &[Prepared], local_neighbour: usize, run: &Run) -> Result<Self> {
        let (mut own, mut mean_terms, mut local_terms) = (Vec::new(), Vec::new(), Vec::new());
        let mut constant = 0.0;
        for prepared in views {
            let Some((list, mean)) = own_list(prepared, run)? else {
                own.push(None);
                constant += 1.0;
                continue;
            };
            let scales = local_scales(prepared, &list, local_neighbour, 1e-6 * mean.sqrt());
            let middle = median(list.present.iter().map(|&i| scales[i]).collect());
            let missing =
                |neutral| (!prepared.missing.is_empty()).then_some(Missing { samples: &prepared.missing, neutral });
            let term = |weighting, neutral| Term {
                view: &prepared.view,
                metric: Metric::Euclidean,
                weighting,
                missing: missing(neutral),
            };
            mean_terms.push(term(Weighting::Uniform(1.0 / mean), 1.0));
            local_terms.push(term(Weighting::Local(scales), mean / (middle * middle)));
            own.push(Some(list));
        }
        let n = views.first().map_or(0, |prepared| prepared.view.data.rows());
        // views without a graph add the same to every distance: no order changes, and none is measured
        let search = |terms: Vec<Term<'_>>| -> Result<Neighbours> {
            if terms.is_empty() {
                return Ok(by_number(n));
            }
            Exact.search(&Distance::of(terms), MOST_NEIGHBOURS + 1, run)
        };
        let (mean_scaled, locally_scaled) = (search(mean_terms)?, search(local_terms)?);
        let count = views.len() as f64;
        Ok(Self {
            own,
            mean_scaled: mean_scaled.map_distances(|d| (d + constant) / count),
            locally_scaled: locally_scaled.map_distances(|d| (d + constant) / count),
        })
    }

    /// How many neighbours the graphs should have. Where the 10th neighbour is hardly nearer than anybody (1 is the mean
    /// distance), distances carry little and more of them must be averaged.
    pub(super) fn neighbour_count(&self) -> f64 {
        let list = &self.mean_scaled;
        let tenth = (0..list.len()).filter_map(|i| list.of(i).1.get(9).or(list.of(i).1.last()).copied()).collect();
        let contrast = (1.0 - median(tenth)).max(LEAST_CONTRAST);
        let n = list.len() as f64;
        f64::max(10.0, 5.0 / contrast).min(n.sqrt().max(3.0))
    }
}

/// The nearest among the samples that the view knows, and the mean squared distance of two of them.
fn own_list(prepared: &Prepared, run: &Run) -> Result<Option<(OwnList, f64)>> {
    let n = prepared.view.data.rows();
    let present: Vec<usize> = (0..n).filter(|&i| !prepared.missing.get(i).copied().unwrap_or(false)).collect();
    if present.len() < 3 {
        return Ok(None);
    }
    let known = if present.len() == n { prepared.view.clone() } else { select(&prepared.view, &present)? };
    let mean = mean_square_distance(&known.data);
    if mean <= 0.0 {
        return Ok(None);
    }
    let found = Exact.search(&Distance::within(&known, Metric::Euclidean), MOST_NEIGHBOURS + 1, run)?;
    Ok(Some((OwnList { found, present }, mean)))
}

fn select(view: &View, rows: &[usize]) -> Result<View> {
    let data: Matrix = match &view.data {
        Matrix::DenseF32(m) => m.select_rows(rows).into(),
        Matrix::DenseF64(m) => m.select_rows(rows).into(),
        Matrix::SparseF32(m) => m.select_rows(rows).into(),
        Matrix::SparseF64(m) => m.select_rows(rows).into(),
    };
    Ok(View { data, ..view.clone() })
}

/// Over ordered pairs of different samples: twice the mean squared distance to the centre, times n / (n - 1).
fn mean_square_distance(data: &Matrix) -> f64 {
    let n = data.rows() as f64;
    let mut centre = vec![0.0; data.cols()];
    let mut square = 0.0;
    let mut add = |j: usize, x: f64| {
        centre[j] += x / n;
        square += x * x / n;
    };
    for_matrix!(
        data,
        dense m => m.iter_rows().for_each(|row| row.iter().enumerate().for_each(|(j, x)| add(j, x.to_f64()))),
        sparse m => m.columns().iter().zip(m.values()).for_each(|(&j, x)| add(j as usize, x.to_f64())),
    );
    let spread = square - centre.iter().map(|x| x * x).sum::<f64>();
    // the difference of two large sums: what is left of equal ones is dust
    if spread > 1e-12 * square { 2.0 * spread * n / (n - 1.0) } else { 0.0 }
}

/// The distance to the neighbour that sets a sample's scale; 1 for samples the view does not know (never used).
fn local_scales(prepared: &Prepared, list: &OwnList, neighbour: usize, floor: f64) -> Vec<f64> {
    let mut scales = vec![1.0; prepared.view.data.rows()];
    for (place, &sample) in list.present.iter().enumerate() {
        let distances = list.found.of(place).1;
        let at = distances.get(neighbour - 1).or(distances.last()).copied().unwrap_or(0.0);
        scales[sample] = at.sqrt().max(floor);
    }
    scales
}

/// Lists without any information: the samples in the order of their numbers, all at the same distance.
fn by_number(n: usize) -> Neighbours {
    let count = (MOST_NEIGHBOURS + 1).min(n.saturating_sub(1));
    let samples = (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).take(count).map(|j| j as u32)).collect();
    Neighbours::new(n, count, samples, vec![0.0; n * count])
}

/// One step of smoothing of the views that are not counts: each sample moves towards its neighbours in the joint graph.
/// Noise that the views do not share averages out; what they share stays.
pub(super) fn smooth(views: &mut [Prepared], lists: &Lists, strength: f64) -> Result<()> {
    const NEIGHBOURS: usize = 5;
    let there = crate::graph::adaptive(&lists.mean_scaled, NEIGHBOURS)?;
    let walk = there.merged(&crate::graph::adaptive(&lists.locally_scaled, NEIGHBOURS)?, |a, b| 0.5 * (a + b))?;
    for prepared in views.iter_mut().filter(|prepared| !prepared.is_counts) {
        let Matrix::DenseF64(z) = &prepared.view.data else { continue };
        let mut moved: Dense<f64> = Dense::zeros(z.rows(), z.cols());
        walk.apply(z, &mut moved);
        let entries = moved.data_mut().iter_mut().zip(z.data());
        entries.for_each(|(moved, z)| *moved = (1.0 - strength) * z + strength * *moved);
        prepared.view.data = moved.into();
    }
    Ok(())
}
