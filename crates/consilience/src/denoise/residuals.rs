//! How far every entry of a view stands from what samples like its own have in that column, in spreads of the column.
//!
//! No model of the view is needed: clusters, curved structure and columns that are noise all end up in what the neighbours say.
//! A large view is one of 400 samples and 60 columns that are drawn evenly: 24,000 entries tell 5 % of replaced ones from tails.

use rayon::prelude::*;

use super::column::{Column, has_shared_values};
use crate::matrix::{Dense, evenly};
use crate::{Result, Run};

/// What is looked at of a large view.
const ROWS: usize = 400;
const COLUMNS: usize = 60;
/// Fewer samples have no neighbours to speak of, fewer columns do not tell who they are.
const LEAST_ROWS: usize = 20;
const LEAST_COLUMNS: usize = 5;
/// Neighbours that say what is expected of an entry.
const NEIGHBOURS: usize = 10;
/// A column counts for at most this in a distance, in its spreads: one wrong entry must not choose its sample's neighbours.
const FARTHEST: f64 = 1.0;
/// A column's spread is that of this share of its smallest residuals, which normal ones have within the second number of standard
/// deviations: half of the entries may be replaced.
const CENTRAL: (f64, f64) = (0.4, 0.524);
/// The columns that are judged are those with fewest residuals of more than the second number of spreads: where a cluster sticks
/// out of a column, neighbours by the others say nothing of it. Of a dozen columns every one is needed.
const JUDGED: (f64, f64) = (0.8, 3.0);
const LEAST_JUDGED: usize = 12;
/// Clusters differ in width, and texts in length: residuals are counted in the sample's own spread too, which is worth as many
/// entries as it has columns beside so many of the view's: with fewer the chance in a sample's own few entries makes a normal body
/// look like one with tails, which hides a shelf of 5 %. It is taken further inside, since chance leaves some samples with more
/// replaced entries than others.
const PRIOR: f64 = 120.0;
const INNER: (f64, f64) = (0.3, 0.385);

/// Residuals of some of the rows and columns.
pub(super) struct Residuals {
    /// In spreads of the column and the sample.
    pub(super) spreads: Dense<f64>,
    /// The entries themselves, in standard deviations of their column from its mean.
    pub(super) scores: Dense<f64>,
}

/// Nothing of few rows, or when most columns hold shared values (counts, answers): replaced entries have values of their own, in
/// every column.
pub(super) fn residuals(x: &Dense<f64>, run: &Run) -> Result<Option<Residuals>> {
    let rows = evenly(x.rows(), ROWS);
    let drawn = evenly(x.cols(), COLUMNS).into_par_iter().filter_map(|j| {
        let values: Vec<f64> = rows.iter().map(|&i| x.get(i, j)).collect();
        let varies = values.iter().any(|x| *x != values[0]);
        varies.then(|| if has_shared_values(&values) { None } else { Column::new(values) })
    });
    let drawn: Vec<Option<Column>> = drawn.collect();
    let all = drawn.len();
    let columns: Vec<Column> = drawn.into_iter().flatten().collect();
    if rows.len() < LEAST_ROWS || columns.len() < LEAST_COLUMNS.max(all.div_ceil(2)) {
        return Ok(None);
    }
    run.check()?;
    let distances = Distances::new(&columns);
    run.check()?;
    let spreads = columns.par_iter().map(|column| distances.residuals(column)).collect::<Vec<Option<Vec<f64>>>>();
    let (columns, spreads): (Vec<Column>, Vec<Vec<f64>>) =
        columns.into_iter().zip(spreads).filter_map(|(column, spreads)| Some((column, spreads?))).unzip();
    if columns.len() < LEAST_COLUMNS {
        return Ok(None);
    }
    let mut spreads = Dense::from_fn(rows.len(), columns.len(), |i, j| spreads[j][i]);
    by_sample(&mut spreads);
    let outliers = |j: &usize| spreads.iter_rows().filter(|row| row[*j].abs() > JUDGED.1).count();
    let mut judged: Vec<usize> = (0..columns.len()).collect();
    judged.sort_by_cached_key(outliers);
    judged.truncate(LEAST_JUDGED.max((JUDGED.0 * columns.len() as f64).ceil() as usize));
    Ok(Some(Residuals {
        spreads: Dense::from_fn(rows.len(), judged.len(), |i, j| spreads.get(i, judged[j])),
        scores: Dense::from_fn(rows.len(), judged.len(), |i, j| columns[judged[j]].score(i)),
    }))
}

/// Residuals in the spread of the sample, as far as it has one of its own, then in that of the column again.
fn by_sample(spreads: &mut Dense<f64>) {
    let d = spreads.cols();
    for row in spreads.data_mut().chunks_exact_mut(d) {
        let mut sizes: Vec<f64> = row.iter().map(|u| u.abs()).collect();
        let (_, central, _) = sizes.select_nth_unstable_by((INNER.0 * d as f64) as usize, f64::total_cmp);
        let own = *central / INNER.1;
        let unit = ((d as f64 * own * own + PRIOR) / (d as f64 + PRIOR)).sqrt();
        row.iter_mut().for_each(|u| *u /= unit);
    }
    for j in 0..d {
        let column: Vec<f64> = spreads.iter_rows().map(|row| row[j]).collect();
        let unit = spread(&column).unwrap_or(1.0);
        spreads.data_mut().iter_mut().skip(j).step_by(d).for_each(|u| *u /= unit);
    }
}

/// How far any two of the samples are apart.
struct Distances(Dense<f32>);

impl Distances {
    fn new(columns: &[Column]) -> Self {
        let n = columns.first().map_or(0, |column| column.values.len());
        let mut all = Dense::zeros(n, n);
        all.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
            for column in columns {
                let own = column.values[i];
                row.iter_mut().zip(&column.values).for_each(|(sum, other)| *sum += apart(own, *other));
            }
            // nobody is a neighbour of its own
            row[i] = f32::INFINITY;
        });
        Self(all)
    }

    /// Every entry of a column less the median of the entries that its neighbours by the other columns have, in spreads; nothing
    /// when there is no spread. Were the column among those that choose the neighbours, entries in the middle of it would be near to
    /// theirs, and far ones to nobody's: that alone is a long tail.
    ///
    /// Where similar samples say nothing of a column, their medians only blur it: then its own is better, as the smaller spread shows.
    fn residuals(&self, column: &Column) -> Option<Vec<f64>> {
        let values = &column.values;
        let mut nearest: Vec<(f32, f64)> = Vec::with_capacity(values.len());
        let residual = |(own, row): (&f64, &[f32])| {
            nearest.clear();
            nearest.extend(row.iter().zip(values).map(|(distance, x)| (distance - apart(*own, *x), *x)));
            nearest.select_nth_unstable_by(NEIGHBOURS, |a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            nearest[..NEIGHBOURS].sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
            own - f64::midpoint(nearest[NEIGHBOURS / 2 - 1].1, nearest[NEIGHBOURS / 2].1)
        };
        let residuals: Vec<f64> = values.iter().zip(self.0.iter_rows()).map(residual).collect();
        let (own, among) = (spread(values)?, spread(&residuals)?);
        let (best, unit) = if own <= among { (values, own) } else { (&residuals, among) };
        Some(best.iter().map(|r| r / unit).collect())
    }
}

fn apart(a: f64, b: f64) -> f32 {
    (a - b).abs().min(FARTHEST) as f32
}

/// The spread of numbers around 0, by the central ones; nothing when there is none.
fn spread(numbers: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = numbers.iter().map(|r| r.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| sizes[((share * sizes.len() as f64) as usize).min(sizes.len() - 1)];
    let (central, most) = (at(CENTRAL.0) / CENTRAL.1, at(0.95));
    // where most are 0 there is no central spread
    let trimmed = (sizes.iter().map(|size| size.min(most).powi(2)).sum::<f64>() / sizes.len() as f64).sqrt();
    let spread = if central > 0.2 * trimmed { central } else { trimmed };
    (spread > 0.0 && spread.is_finite()).then_some(spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::median;

    fn noise(i: usize, j: usize) -> f64 {
        ((i * 7919 + j * 104_729) as f64).sin()
    }

    #[test]
    fn a_wrong_entry_stands_far_off_its_neighbours_whatever_the_clusters() {
        let mut x = Dense::from_fn(120, 20, |i, j| 50.0 * ((i % 3) * (j + 1)) as f64 + noise(i, j));
        let clean = residuals(&x, &Run::default()).unwrap().unwrap().spreads;
        assert!(clean.data().iter().all(|u| u.abs() < 5.0));
        // one column in five is not judged, and those with outliers first
        (0..5).for_each(|at| x.data_mut()[20 * (40 + at) + 2 * at] += 60.0);
        let wrong = residuals(&x, &Run::default()).unwrap().unwrap().spreads;
        assert_eq!(wrong.cols(), 16);
        let far = wrong.data().iter().filter(|u| **u > 20.0).count();
        assert!((1..5).contains(&far) && wrong.data().iter().all(|u| u.abs() < 6.0 || *u > 20.0), "{far}");
    }

    #[test]
    fn a_sample_three_times_as_wide_is_brought_back_and_columns_keep_their_spread() {
        let plain = |i: usize, j: usize| (((i * 37 + j * 91) % 101) as f64 - 50.0) / 30.0;
        let mut wide = Dense::from_fn(101, 101, |i, j| if i == 7 { 3.0 } else { 1.0 } * plain(i, j));
        by_sample(&mut wide);
        let size = |i: usize| median(wide.row(i).iter().map(|u| u.abs()).collect());
        assert!(size(7) / size(8) > 1.0 && size(7) / size(8) < 1.6, "{}", size(7) / size(8));
        let column: Vec<f64> = wide.iter_rows().map(|row| row[5]).collect();
        assert!((spread(&column).unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn counts_few_columns_and_constant_ones_are_not_judged() {
        let of = |x: Dense<f64>| residuals(&x, &Run::default()).unwrap();
        let answers = |i: usize, j: usize| f64::from(u8::from(noise(i, j) > 0.3));
        assert!(of(Dense::from_fn(60, 9, |i, j| if j < 4 { noise(i, j) } else { answers(i, j) })).is_none());
        assert!(of(Dense::from_fn(60, 9, |i, j| if j < 5 { noise(i, j) } else { answers(i, j) })).is_some());
        assert!(of(Dense::from_fn(60, 9, |i, j| if j < 5 { noise(i, j) } else { 1.0 })).is_some());
        assert!(of(Dense::from_fn(60, 4, noise)).is_none() && of(Dense::from_fn(19, 9, noise)).is_none());
    }
}
