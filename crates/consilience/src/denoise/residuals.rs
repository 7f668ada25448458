//! How far every entry of a view stands from what samples like its own have in that column, in local spreads.
//!
//! No model of the view is needed: clusters, curved structure, skew and columns that are noise all end up in what the
//! neighbours say. The spread is local too, so that noise that grows with the signal, as that of counts, is no outlier.

use faer::{Accum, MatMut, MatRef};
use rayon::prelude::*;

use super::column::{Column, NORMAL};
use crate::matrix::evenly;
use crate::matrix::{Dense, TASK_ROWS, matmul};
use crate::{Result, Run};

/// How much of a view is looked at.
pub(super) struct Sample {
    /// Entries, about.
    entries: usize,
    /// Rows, and how many there are at least before there are fewer entries.
    rows: std::ops::RangeInclusive<usize>,
    /// Columns that are tested, at most; more when rows are so few that there would not be as many entries.
    tested: usize,
    /// Rows among which neighbours are searched, at most.
    references: usize,
}

/// Enough to see that a view is clean, as nearly all are.
pub(super) const GLANCE: Sample = Sample { entries: 12_000, rows: 300..=600, tested: 40, references: 300 };
/// Enough to tell 5 % of replaced entries from heavy tails.
pub(super) const LOOK: Sample = Sample { entries: 50_000, rows: 1000..=4000, tested: 100, references: 1000 };

/// Columns that distances are measured in, at most.
const DISTANCE_COLUMNS: usize = 500;
/// Share of the tested columns that are judged.
const KEPT_COLUMNS: f64 = 0.8;
/// Neighbours: a tenth of the rows, within these bounds.
const NEIGHBOURS: std::ops::RangeInclusive<usize> = 6..=20;
/// Up to this many columns, a column's neighbours are searched without it: where it is much of the distance, outliers
/// would find each other.
const LEFT_OUT: usize = 25;
/// The local spread counts as many samples as there are neighbours, the column's as many as this at least.
const PRIOR: f64 = 10.0;
/// How far local spreads differ, by two shares of them: how many standard deviations of the normal distribution these are
/// apart, and the most that chance makes of the variance of the logarithms of squared spreads, times the number of samples
/// they are of. Simulated for 6 to 20 samples, normal, of Student's t with 3 degrees of freedom or a fifth of them replaced:
/// at most 7.3 and 5.9. The second sees a few samples whose neighbours are those of another cluster.
const DIFFERENCES: [(f64, f64, f64, f64); 2] = [(0.25, 0.75, 1.349, 7.3), (0.5, 0.95, 1.645, 5.9)];
/// The column's spread counts as many samples as this where local ones are the same everywhere.
const UNIFORM: f64 = 100.0;
/// Less than this share of it is no excess over chance.
const LEAST_EXCESS: f64 = 1e-3;
/// The column's spread is taken from this share of the smallest residuals, so that half of them may be replaced; normal
/// data have that share within the second number of standard deviations.
const CENTRAL: (f64, f64) = (0.4, 0.524);

/// Residuals of a sample of the rows and columns.
pub(super) struct Residuals {
    /// In local spreads, one row per sampled row of the view.
    pub(super) spreads: Dense<f64>,
    /// The entries themselves, in standard deviations of their column from its mean.
    pub(super) scores: Dense<f64>,
    /// Columns that neighbours were searched by.
    pub(super) columns: usize,
}

/// Nothing when fewer than three columns vary between more than two values.
pub(super) fn residuals(x: &Dense<f64>, sample: &Sample, run: &Run) -> Result<Option<Residuals>> {
    let columns = x.cols().clamp(1, sample.entries);
    let rows = evenly(x.rows(), (sample.entries / columns).clamp(*sample.rows.start(), *sample.rows.end()));
    let columns: Vec<Column> = evenly(x.cols(), DISTANCE_COLUMNS)
        .into_par_iter()
        .filter_map(|j| Column::new(rows.iter().map(|&i| x.get(i, j)).collect()))
        .collect();
    run.check()?;
    let n = rows.len();
    let varied: Vec<usize> = (0..columns.len()).filter(|&j| !columns[j].is_binary).collect();
    let tested = evenly(varied.len(), sample.tested.max(sample.entries / n.max(1)));
    let tested: Vec<usize> = tested.into_iter().map(|at| varied[at]).collect();
    let fits = LocalFits::new(&columns, n, sample.references, run)?.of(&tested, run)?;
    let judged: Vec<Judged> = tested
        .into_par_iter()
        .zip(fits)
        .filter_map(|(column, fit)| Some(Judged { column, spreads: standardised(&columns[column].values, &fit)? }))
        .collect();
    if judged.len() < 3 {
        return Ok(None);
    }
    let judged = without_the_worst(judged);
    Ok(Some(Residuals {
        spreads: Dense::from_fn(n, judged.len(), |i, t| judged[t].spreads[i]),
        scores: Dense::from_fn(n, judged.len(), |i, t| columns[judged[t].column].score(i)),
        columns: columns.len(),
    }))
}

/// A column's residuals in local spreads.
struct Judged {
    column: usize,
    spreads: Vec<f64>,
}

/// The columns without the share that has most outliers: where a cluster sticks out of a column, neighbours by the others
/// say nothing of it.
fn without_the_worst(mut judged: Vec<Judged>) -> Vec<Judged> {
    let outliers = |judged: &Judged| judged.spreads.iter().filter(|u| u.abs() > 3.0).count();
    judged.sort_by_cached_key(outliers);
    let kept = (judged.len() as f64 * KEPT_COLUMNS).ceil() as usize;
    judged.truncate(kept.max(3));
    judged.sort_by_key(|judged| judged.column);
    judged
}

/// What the neighbours of each sample have in a column.
struct LocalFit {
    middle: Vec<f64>,
    /// Median absolute deviation.
    spread: Vec<f64>,
    neighbours: usize,
}

/// Squared distances of the sampled rows to the reference rows.
struct LocalFits<'a> {
    columns: &'a [Column],
    references: Vec<usize>,
    distances: Dense<f64>,
    neighbours: usize,
}

impl<'a> LocalFits<'a> {
    fn new(columns: &'a [Column], n: usize, references: usize, run: &Run) -> Result<Self> {
        let clipped = Dense::from_fn(n, columns.len(), |i, j| columns[j].clipped(i));
        let references = evenly(n, references);
        let others = clipped.select_rows(&references);
        let square = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
        let squares: Vec<f64> = others.iter_rows().map(square).collect();
        let mut distances = Dense::zeros(n, references.len());
        run.check()?;
        let (width, depth) = (references.len().max(1), columns.len().max(1));
        let tasks = distances.data_mut().par_chunks_mut(TASK_ROWS * width);
        tasks.zip(clipped.data().par_chunks(TASK_ROWS * depth)).for_each(|(out, rows)| {
            let block = MatRef::from_row_major_slice(rows, rows.len() / depth, depth);
            let product = MatMut::from_row_major_slice_mut(out, block.nrows(), width);
            matmul(product, Accum::Replace, block, others.as_mat().transpose(), -2.0);
            for (out, row) in out.chunks_exact_mut(width).zip(rows.chunks_exact(depth)) {
                let own = square(row);
                out.iter_mut().zip(&squares).for_each(|(out, square)| *out += own + square);
            }
        });
        // nobody is a neighbour of its own
        for (j, &i) in references.iter().enumerate() {
            distances.data_mut()[i * width + j] = f64::INFINITY;
        }
        let neighbours = (n / 10).clamp(*NEIGHBOURS.start(), *NEIGHBOURS.end()).min(references.len());
        Ok(Self { columns, references, distances, neighbours })
    }

    /// One fit for each of the columns asked for.
    fn of(&self, tested: &[usize], run: &Run) -> Result<Vec<LocalFit>> {
        run.check()?;
        let n = self.distances.rows();
        let shared: Option<Vec<Vec<usize>>> =
            (self.columns.len() > LEFT_OUT).then(|| (0..n).into_par_iter().map(|i| self.nearest(i, None)).collect());
        run.check()?;
        let fits = tested.par_iter().map(|&j| {
            let fit = (0..n).map(|i| match &shared {
                Some(lists) => self.fit(j, &lists[i]),
                None => self.fit(j, &self.nearest(i, Some(j))),
            });
            let (middle, spread) = fit.unzip();
            LocalFit { middle, spread, neighbours: self.neighbours }
        });
        Ok(fits.collect())
    }

    /// The rows nearest to row `i`, one column left out.
    fn nearest(&self, i: usize, without: Option<usize>) -> Vec<usize> {
        let row = self.distances.row(i).iter().zip(&self.references);
        let mut distances: Vec<(f64, usize)> = match without.map(|j| &self.columns[j]) {
            None => row.map(|(distance, &other)| (*distance, other)).collect(),
            Some(column) => {
                let own = column.clipped(i);
                row.map(|(distance, &other)| (distance - (own - column.clipped(other)).powi(2), other)).collect()
            }
        };
        let nearer = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if self.neighbours < distances.len() {
            distances.select_nth_unstable_by(self.neighbours, nearer);
            distances.truncate(self.neighbours);
        }
        distances.into_iter().map(|(_, other)| other).collect()
    }

    /// Middle and spread of a column over some rows.
    fn fit(&self, column: usize, rows: &[usize]) -> (f64, f64) {
        let values = &self.columns[column].values;
        let mut found: Vec<f64> = rows.iter().map(|&i| values[i]).collect();
        found.sort_unstable_by(f64::total_cmp);
        let middle = true_median(found.len(), |at| found[at]);
        (middle, NORMAL * median_deviation(&found, middle))
    }
}

/// Of so many numbers, rising. The mean of the two middle ones of an even number: the upper one would be off to one side.
fn true_median(count: usize, number: impl Fn(usize) -> f64) -> f64 {
    let middle = count / 2;
    match count {
        0 => 0.0,
        even if even % 2 == 0 => f64::midpoint(number(middle - 1), number(middle)),
        _ => number(middle),
    }
}

/// The median distance of rising `values` from their `middle`: from there both sides are in order, and are merged.
fn median_deviation(values: &[f64], middle: f64) -> f64 {
    let mut low = values.partition_point(|x| *x < middle);
    let (mut high, mut last) = (low, [0.0; 2]);
    for _ in 0..=values.len() / 2 {
        let down = if low > 0 { (values[low - 1] - middle).abs() } else { f64::INFINITY };
        let up = values.get(high).map_or(f64::INFINITY, |x| (x - middle).abs());
        last = [last[1], down.min(up)];
        if down < up {
            low -= 1;
        } else {
            high += 1;
        }
    }
    let half = values.len() / 2;
    true_median(values.len(), |at| if at == half { last[1] } else { last[0] })
}

/// How many samples the column's spread counts as beside the local ones: the more, the less these differ beyond what chance
/// makes of so few samples. Where noise is the same everywhere, local spreads would only blur the tails.
fn prior(fit: &LocalFit) -> f64 {
    let mut spreads = fit.spread.clone();
    spreads.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| spreads.get((share * spreads.len() as f64) as usize).copied().unwrap_or(0.0);
    let excess = DIFFERENCES.map(|(low, high, apart, chance)| {
        let deviation = 2.0 * (at(high) / at(low)).ln() / apart;
        // where many have no spread at all this is infinite or no number
        if deviation.is_finite() { deviation * deviation / chance - 1.0 / fit.neighbours.max(1) as f64 } else { 1.0 }
    });
    (1.0 / excess.into_iter().fold(LEAST_EXCESS, f64::max)).max(PRIOR)
}

/// The spread of a column's residuals, by the central ones; nothing when there is none.
fn column_spread(residuals: &[f64]) -> Option<f64> {
    let n = residuals.len();
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| sizes[((share * n as f64) as usize).min(n - 1)];
    let central = at(CENTRAL.0) / CENTRAL.1;
    // a column most of whose residuals are 0 has no central spread
    let most = at(0.95);
    let trimmed = (sizes.iter().map(|size| size.min(most).powi(2)).sum::<f64>() / n as f64).sqrt();
    let spread = if central > 0.2 * trimmed { central } else { trimmed };
    (spread > 0.0 && spread.is_finite()).then_some(spread)
}

/// Residuals in spreads, which are the neighbours' and the column's together; nothing when there is no spread.
///
/// Where similar samples say nothing of a column, neither of its middle nor of its spread, their medians only blur it: then its
/// own middle is better, as the smaller spread shows.
fn standardised(values: &[f64], fit: &LocalFit) -> Option<Vec<f64>> {
    let residuals: Vec<f64> = values.iter().zip(&fit.middle).map(|(x, middle)| x - middle).collect();
    let column = column_spread(&residuals)?;
    let (k, prior) = (fit.neighbours as f64, prior(fit));
    if let Some(own) = column_spread(values).filter(|own| *own <= column && prior >= UNIFORM) {
        return Some(values.iter().map(|x| x / own).collect());
    }
    let spread = |local: &f64| ((k * local * local + prior * column * column) / (k + prior)).sqrt();
    Some(residuals.iter().zip(&fit.spread).map(|(r, local)| r / spread(local)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_by_hand() {
        let of = |values: &[f64]| {
            let middle = true_median(values.len(), |at| values[at]);
            (middle, median_deviation(values, middle))
        };
        assert_eq!(of(&[]), (0.0, 0.0));
        assert_eq!(of(&[3.0]), (3.0, 0.0));
        assert_eq!(of(&[1.0, 2.0, 4.0, 8.0, 9.0]), (4.0, 3.0));
        // 3, 2, 0.5, 0.5, 3, 9: the middle ones are 2 and 3
        assert_eq!(of(&[0.5, 1.5, 3.0, 4.0, 6.5, 12.5]), (3.5, 2.5));
        assert_eq!(of(&[2.0; 4]), (2.0, 0.0));
    }

    #[test]
    fn local_spreads_count_where_they_differ_by_more_than_chance() {
        let fit = |spread: &dyn Fn(usize) -> f64| LocalFit {
            middle: vec![0.0; 200],
            spread: (0..200).map(spread).collect(),
            neighbours: 20,
        };
        // no difference at all, a third of the samples four times as wide, no spread at all
        assert_eq!(prior(&fit(&|_| 1.3)), 1.0 / LEAST_EXCESS);
        assert_eq!(prior(&fit(&|i| if i % 3 == 0 { 4.0 } else { 1.0 })), PRIOR);
        assert_eq!(prior(&fit(&|_| 0.0)), PRIOR);
        // one in fifteen as wide: the quartiles do not see it
        assert_eq!(prior(&fit(&|i| if i % 15 == 0 { 4.0 } else { 1.0 })), PRIOR);
        // quartiles as far apart as those of a variance of .5, which is .5 / 7.3 - 1 / 20 more than chance
        let wider = (0.5_f64.sqrt() * 1.349 / 2.0).exp();
        let expected = 1.0 / (0.5 / 7.3 - 0.05);
        assert!((prior(&fit(&|i| if i < 100 { 1.0 / wider } else { 1.0 })) - expected).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_entry_stands_far_off_its_neighbours_whatever_the_clusters() {
        let noise = |i: usize, j: usize| ((i * 7919 + j * 104_729) as f64).sin();
        let mut x = Dense::from_fn(120, 6, |i, j| 50.0 * ((i % 3) * (j + 1)) as f64 + noise(i, j));
        let clean = residuals(&x, &LOOK, &Run::default()).unwrap().unwrap().spreads;
        assert!(clean.data().iter().all(|u| u.abs() < 5.0));
        // the column with most outliers is not judged: of two that have one, the last
        x.data_mut()[6 * 40 + 2] += 60.0;
        x.data_mut()[6 * 50 + 4] += 60.0;
        let wrong = residuals(&x, &LOOK, &Run::default()).unwrap().unwrap().spreads;
        assert!(wrong.get(40, 2) > 20.0 && wrong.get(41, 2).abs() < 5.0);
    }

    #[test]
    fn columns_of_two_values_hold_no_noise_and_are_not_judged() {
        let noise = |i: usize, j: usize| ((i * 7919 + j * 104_729) as f64).sin();
        let answers = |i: usize, j: usize| f64::from(u8::from(noise(i, j) > 0.3));
        let x = Dense::from_fn(60, 9, |i, j| if j < 4 { noise(i, j) } else { answers(i, j) });
        let judged = residuals(&x, &LOOK, &Run::default()).unwrap().unwrap();
        assert_eq!((judged.columns, judged.spreads.cols()), (9, 4));
        assert!(residuals(&Dense::from_fn(60, 9, answers), &LOOK, &Run::default()).unwrap().is_none());
    }

    #[test]
    fn constant_columns_are_passed_over() {
        let x = Dense::from_fn(50, 5, |i, j| if j < 3 { 1.0 } else { i as f64 });
        assert!(residuals(&x, &LOOK, &Run::default()).unwrap().is_none());
    }
}
