//! Whether entries of a view were replaced: said only when clean data cannot look like it, with tails as heavy as those of Student's
//! t with 2.5 degrees of freedom or more. (Heavier ones, as Cauchy's, and peaks sharper than Laplace's are called replaced.)

use super::residuals::{GLANCE, LOOK, Residuals, residuals};
use super::shared_shelf::{Deviations, SharedShelf, shared_shelf};
use super::tail_model::{Shelf, TailModels};
use crate::matrix::Dense;
use crate::matrix::evenly;
use crate::run::CorruptionEvidence;
use crate::{Result, Run};

/// Rows and columns that are too few to say anything.
const LEAST_ROWS: usize = 20;
const LEAST_COLUMNS: usize = 4;
/// The gain in log-likelihood that chance gives at most, and what bodies that are not quite Student's t give per entry.
const CHANCE_GAIN: f64 = 12.0;
const GAIN_PER_ENTRY: f64 = 0.001;
/// With few columns, neighbours say little of the one that is left out, and clusters in it look like a shelf: this divided by
/// the square of their number is how many times more every entry may give.
const COLUMN_GAIN: f64 = 50.0;
/// Views that are not small are glanced at first, and looked at only when the glance gives this share of what is needed.
const DOUBT: f64 = 0.4;
/// Views of so few entries, rows or columns are first looked at beside their clusters.
const FEW_ENTRIES: usize = 20_000;
const FEW_ROWS: usize = 200;
const FEW_COLUMNS: usize = 20;
/// Columns too few for neighbours, which are those of another cluster then: of 150 clean views of 1000 x 5 that are principal
/// component scores, 8 were called replaced by what neighbours say. (Nor are they near where columns are many and rows few.)
const NEIGHBOUR_COLUMNS: usize = 8;
/// Columns that are looked at beside the clusters, at most; more when rows are so few that there would not be as many entries.
const CLUSTER_COLUMNS: usize = 100;
const LEAST_ENTRIES: usize = 10_000;
/// Both sides speak when the weaker one has this share of the gain.
const WEAKER_SIDE: f64 = 0.15;
/// A shelf that nowhere outweighs the body must gain so many times more: where it lies cannot be checked.
const WITHOUT_CUT: f64 = 1.7;
/// A shelf on one side counts when the other has at least this share of its entries.
const OTHER_SIDE: f64 = 0.5;
/// Replaced entries fall on all columns and rows alike. Largest squared coefficient of variation, besides that of chance,
/// of their numbers by column and side, and by row: clusters that stick out of a few columns and samples that are
/// outliers as a whole have more.
const UNEVEN_COLUMNS: f64 = 0.9;
const UNEVEN_ROWS: f64 = 0.3;
/// Where columns are few, one wrong entry gives its sample wrong neighbours, and all its entries stand off: this divided by
/// the number of columns may be added. At 12, 53 of 150 views of 300 x 10 whose clusters differ in width were called replaced.
const WRONG_NEIGHBOURS: f64 = 4.0;
/// The share of the entries beyond the cut that must also be far from their column's mean, in standard deviations. Columns
/// of few levels, as pixels that are black or white, have large residuals but no values that are out of range.
const OUT_OF_RANGE: (f64, f64) = (0.2, 1.5);

/// Entries that look replaced.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// Their share, estimated.
    pub(crate) share: f64,
    pub(crate) evidence: CorruptionEvidence,
}

/// Whether entries of a view were replaced by noise.
///
/// Every entry is compared with what is expected of it, and replaced entries make a shelf under both tails of what is left, in every
/// column and spread over all rows. Where there are few rows, columns or entries, what is expected is the centre of the sample's
/// cluster: few say the most beside a model. Otherwise, and where clusters show nothing, it is what similar samples have, which
/// knows curves and columns that go together too. Of large views a fixed sample is looked at, and a small one first.
///
/// # Errors
/// When the run is cancelled.
pub(crate) fn find_replaced(x: &Dense<f64>, run: &Run) -> Result<Option<Replaced>> {
    let (n, d) = (x.rows(), x.cols());
    if n < LEAST_ROWS || d < LEAST_COLUMNS {
        return Ok(None);
    }
    let is_small = n * d <= FEW_ENTRIES;
    if is_small || n <= FEW_ROWS || d < FEW_COLUMNS {
        let found = beside_clusters(x, is_small, run)?;
        if found.is_some() || n <= FEW_ROWS || d < NEIGHBOUR_COLUMNS {
            return Ok(found);
        }
    }
    among_neighbours(x, run)
}

/// Entries that stand off their clusters' centres.
fn beside_clusters(x: &Dense<f64>, is_small: bool, run: &Run) -> Result<Option<Replaced>> {
    let (n, d) = (x.rows(), x.cols());
    let columns = if is_small { d } else { d.min(CLUSTER_COLUMNS.max(LEAST_ENTRIES.div_ceil(n))) };
    let rows = (FEW_ENTRIES / columns).max(FEW_ROWS);
    let deviations = Deviations::new(x, &evenly(n, rows), &evenly(d, columns), run)?;
    let shelf = deviations.and_then(|deviations| shared_shelf(&deviations));
    Ok(shelf.map(|SharedShelf { share, evidence }| Replaced { share, evidence }))
}

/// Entries that stand off those of similar samples.
fn among_neighbours(x: &Dense<f64>, run: &Run) -> Result<Option<Replaced>> {
    let models = TailModels::get();
    if x.data().len() > FEW_ENTRIES {
        let Some(glance) = residuals(x, &GLANCE, run)? else { return Ok(None) };
        let (above, below) = sides(models, &glance);
        if above.gain + below.gain < DOUBT * needed(&glance) {
            return Ok(None);
        }
    }
    let Some(residuals) = residuals(x, &LOOK, run)? else { return Ok(None) };
    run.check()?;
    let (above, below) = sides(models, &residuals);
    run.check()?;
    let needed = needed(&residuals);
    let readings = readings(&residuals, above, below);
    let best = readings.into_iter().max_by(|a, b| a.gain.total_cmp(&b.gain)).filter(|best| best.gain >= needed);
    Ok(best.map(|best| best.replaced))
}

/// The gain that is more than chance.
fn needed(residuals: &Residuals) -> f64 {
    let few = 1.0 + COLUMN_GAIN / (residuals.columns as f64).powi(2);
    CHANCE_GAIN + few * GAIN_PER_ENTRY * residuals.spreads.data().len() as f64
}

/// What is above and what is below.
fn sides(models: &TailModels, residuals: &Residuals) -> (Shelf, Shelf) {
    let side = |sign: f64| {
        let sizes = residuals.spreads.data().iter().map(|u| sign * u).filter(|u| *u >= 0.0);
        models.compare(&models.count(sizes))
    };
    rayon::join(|| side(1.0), || side(-1.0))
}

/// A way to read the two sides, and how much it explains.
struct Reading {
    gain: f64,
    replaced: Replaced,
}

/// Both sides together, or a shelf on one of them and at least as much on the other (where a long tail may hide it).
fn readings(residuals: &Residuals, above: Shelf, below: Shelf) -> Vec<Reading> {
    let mut found = Vec::new();
    let sum = above.gain + below.gain;
    if above.gain.min(below.gain) > WEAKER_SIDE * sum {
        let share = f64::midpoint(above.share, below.share);
        let body = f64::midpoint(above.body_beyond, below.body_beyond);
        let (up, down) = (above.cut.or(below.cut), below.cut.or(above.cut));
        if let (Some(up), Some(down)) = (up, down) {
            // each side by its own cut, or both by one of them
            let ways = [(up, down), (up, up), (down, down)].into_iter();
            let mut beyond = ways.map(|(up, down)| Beyond::new(residuals, up, down));
            if let Some(beyond) = beyond.find(Beyond::looks_replaced) {
                found.push(Reading { gain: sum, replaced: beyond.replaced(share, body) });
            }
        } else {
            let replaced = Beyond::new(residuals, NO_CUT, NO_CUT).replaced(share, body);
            found.push(Reading { gain: sum / WITHOUT_CUT, replaced });
        }
    }
    for (shelf, upward) in [(above, true), (below, false)] {
        let Some(cut) = shelf.cut else { continue };
        let beyond = Beyond::new(residuals, cut, cut);
        let (own, other) = if upward { beyond.sides } else { (beyond.sides.1, beyond.sides.0) };
        if other as f64 > OTHER_SIDE * own as f64 && beyond.looks_replaced() {
            found.push(Reading { gain: shelf.gain, replaced: beyond.replaced(shelf.share, shelf.body_beyond) });
        }
    }
    found
}

/// Where the evidence is counted when a shelf nowhere outweighs the body.
pub(super) const NO_CUT: f64 = 3.0;

/// Entries beyond the cuts.
struct Beyond {
    cut: f64,
    entries: usize,
    /// Above and below.
    sides: (usize, usize),
    by_column: Vec<(usize, usize)>,
    by_row: Vec<usize>,
    /// Of those on each side, the ones whose values are out of range.
    out_of_range: (usize, usize),
}

impl Beyond {
    fn new(residuals: &Residuals, up: f64, down: f64) -> Self {
        let (n, d) = (residuals.spreads.rows(), residuals.spreads.cols());
        let (mut by_column, mut by_row, mut out_of_range) = (vec![(0, 0); d], vec![0; n], (0, 0));
        for i in 0..n {
            let entries = residuals.spreads.row(i).iter().zip(residuals.scores.row(i)).zip(&mut by_column);
            for ((&u, &score), column) in entries {
                if u > up {
                    column.0 += 1;
                    by_row[i] += 1;
                    out_of_range.0 += usize::from(score > OUT_OF_RANGE.1);
                } else if u < -down {
                    column.1 += 1;
                    by_row[i] += 1;
                    out_of_range.1 += usize::from(score < -OUT_OF_RANGE.1);
                }
            }
        }
        let sides = by_column.iter().fold((0, 0), |sum, column| (sum.0 + column.0, sum.1 + column.1));
        Self { cut: up.min(down), entries: n * d, sides, by_column, by_row, out_of_range }
    }

    fn looks_replaced(&self) -> bool {
        let columns = self.by_column.iter().flat_map(|column| [column.0, column.1]);
        let (n, d) = (self.by_row.len() as f64, self.by_column.len() as f64);
        let by_chance = (2.0 / n).sqrt() * n / (self.sides.0 + self.sides.1).max(1) as f64;
        let most_by_row = UNEVEN_ROWS + WRONG_NEIGHBOURS / d + by_chance;
        let far = |some: usize, all: usize| some as f64 > OUT_OF_RANGE.0 * all as f64;
        excess_variation(columns, self.by_row.len()) < UNEVEN_COLUMNS
            && excess_variation(self.by_row.iter().copied(), self.by_column.len()) < most_by_row
            && far(self.out_of_range.0, self.sides.0)
            && far(self.out_of_range.1, self.sides.1)
    }

    fn replaced(&self, share: f64, body_beyond: f64) -> Replaced {
        let evidence = CorruptionEvidence {
            spreads: self.cut,
            beyond: (self.sides.0 + self.sides.1) as f64 / self.entries as f64,
            expected: body_beyond,
            columns: self.by_column.iter().filter(|column| column.0 > 0 && column.1 > 0).count(),
            tested: self.by_column.len(),
        };
        Replaced { share, evidence }
    }
}

/// Squared coefficient of variation of some numbers, less that of binomial ones of `trials`.
fn excess_variation(counts: impl Iterator<Item = usize> + Clone, trials: usize) -> f64 {
    let size = counts.clone().count() as f64;
    let mean = counts.clone().sum::<usize>() as f64 / size;
    if mean == 0.0 || size < 2.0 {
        return f64::INFINITY;
    }
    let variance = counts.map(|count| (count as f64 - mean).powi(2)).sum::<f64>() / (size - 1.0);
    (variance - mean * (1.0 - mean / trials as f64)) / (mean * mean)
}
