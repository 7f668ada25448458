//! Fewer reference samples that say nearly the same: each the mean of some that lie together in all views.
//!
//! A mean has less noise than its members, so that where samples are noisy, new ones find their place better among means than
//! among samples; and there are few enough to compare with all of them.

use super::Model;
use super::known::nth;
use super::reference::Reference;
use crate::Result;
use crate::matrix::{Csr, Dense, Matrix, Real};
use crate::neighbours::{Distance, DistanceMetric, Exact, FAR_NEIGHBOUR, NeighbourSearch, usual_distance};
use crate::run::Run;
use crate::spectral::nearest_centre;

/// Rounds of moving means to their members and members to the nearest mean.
const ROUNDS: usize = 4;

impl Model {
    /// The same clustering with at most `count` reference samples, which are means of the present ones.
    pub(crate) fn condensed(&self, count: usize, run: &Run) -> Result<Self> {
        let n = self.samples();
        if n <= count || self.references.iter().all(|reference| reference.spread.is_none()) {
            return Ok(self.clone());
        }
        let seeds: Vec<usize> = (0..count).map(|i| i * n / count).collect();
        let mut means: Vec<Reference> = self.references.iter().map(|one| one.of(&seeds)).collect();
        let mut groups = Groups { starts: vec![0], members: Vec::new() };
        for _ in 0..ROUNDS {
            run.check()?;
            groups = Groups::of(&self.nearest(&means, run)?, means[0].missing.len());
            means = self.references.iter().map(|one| one.averaged(&groups)).collect::<Result<_>>()?;
        }
        self.with_references(means, &groups, run)
    }

    /// The number of the nearest mean of every reference sample, by the joint distance.
    fn nearest(&self, means: &[Reference], run: &Run) -> Result<Vec<usize>> {
        let telling =
            self.references.iter().zip(means).filter_map(|(own, mean)| Some((own, mean, own.spread.as_ref()?)));
        let terms = telling.map(|(own, mean, spread)| {
            (spread.by_mean(&own.view, &own.missing), spread.by_mean(&mean.view, &mean.missing))
        });
        let (own, mean) = terms.unzip();
        let found = Exact.query(&Distance::of(own), &Distance::of(mean), 1, run)?;
        Ok((0..found.len()).map(|i| found.of(i).0[0] as usize).collect())
    }

    fn with_references(&self, means: Vec<Reference>, groups: &Groups, run: &Run) -> Result<Self> {
        let mut embedding = Dense::zeros(groups.len(), self.embedding.cols());
        let width = self.embedding.cols().max(1);
        for (group, mean) in groups.iter().zip(embedding.data_mut().chunks_exact_mut(width)) {
            for &member in group {
                mean.iter_mut().zip(self.embedding.row(member)).for_each(|(sum, x)| *sum += x / group.len() as f64);
            }
        }
        let labels = embedding.iter_rows().map(|row| nearest_centre(&self.centres, row)).collect();
        let mut references = means;
        for (mean, own) in references.iter_mut().zip(&self.references) {
            mean.measure(run)?;
            // samples are farther from means than means from each other
            let (samples, means) = (own.known_view(), mean.known_view());
            if let Some(spread) = &mut mean.spread {
                let within = |view| Distance::within(view, DistanceMetric::Euclidean);
                let found = Exact.query(&within(&samples), &within(&means), FAR_NEIGHBOUR, run)?;
                spread.usual = usual_distance((0..found.len()).map(|i| nth(&found, i, FAR_NEIGHBOUR)).collect());
            }
        }
        Ok(Self {
            version: self.version.clone(),
            settings: self.settings.clone(),
            references,
            ids: None,
            labels,
            embedding,
            centres: self.centres.clone(),
        })
    }
}

/// Which samples are averaged; none of the groups is empty.
struct Groups {
    starts: Vec<usize>,
    members: Vec<usize>,
}

impl Groups {
    fn of(homes: &[usize], count: usize) -> Self {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
        homes.iter().enumerate().for_each(|(sample, &home)| groups[home].push(sample));
        groups.retain(|group| !group.is_empty());
        let mut starts = vec![0];
        starts.extend(groups.iter().scan(0, |end, group| {
            *end += group.len();
            Some(*end)
        }));
        Self { starts, members: groups.concat() }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.starts.windows(2).map(|ends| &self.members[ends[0]..ends[1]])
    }
}

impl Reference {
    /// Some of the samples.
    fn of(&self, rows: &[usize]) -> Self {
        let data = self.view.data.select_rows(rows);
        self.with_samples(data, rows.iter().map(|&i| self.missing[i]).collect())
    }

    /// The mean of every group, over the members that the view knows.
    fn averaged(&self, groups: &Groups) -> Result<Self> {
        let known: Vec<Vec<usize>> =
            groups.iter().map(|group| group.iter().copied().filter(|&i| !self.missing[i]).collect()).collect();
        let data = match &self.view.data {
            Matrix::DenseF32(m) => Matrix::DenseF32(dense_means(m, &known)),
            Matrix::DenseF64(m) => Matrix::DenseF64(dense_means(m, &known)),
            Matrix::SparseF32(m) => Matrix::SparseF32(sparse_means(m, &known)?),
            Matrix::SparseF64(m) => Matrix::SparseF64(sparse_means(m, &known)?),
        };
        Ok(self.with_samples(data, known.iter().map(Vec::is_empty).collect()))
    }

    fn with_samples(&self, data: Matrix, missing: Vec<bool>) -> Self {
        Self { view: self.view.with_data(data), missing, spread: None, ..self.clone() }
    }
}

fn dense_means<T: Real>(m: &Dense<T>, groups: &[Vec<usize>]) -> Dense<T> {
    let mut means = Dense::zeros(groups.len(), m.cols());
    let mut sum = vec![0.0; m.cols()];
    for (group, mean) in groups.iter().zip(means.data_mut().chunks_exact_mut(m.cols().max(1))) {
        sum.fill(0.0);
        for &member in group {
            sum.iter_mut().zip(m.row(member)).for_each(|(sum, x)| *sum += x.to_f64());
        }
        let count = group.len().max(1) as f64;
        mean.iter_mut().zip(&sum).for_each(|(mean, sum)| *mean = T::from_f64(sum / count));
    }
    means
}

fn sparse_means<T: Real>(m: &Csr<T>, groups: &[Vec<usize>]) -> Result<Csr<T>> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut sum = vec![0.0; m.cols()];
    let mut touched: Vec<u32> = Vec::new();
    for group in groups {
        for &member in group {
            let (features, numbers) = m.row(member);
            for (&feature, x) in features.iter().zip(numbers) {
                if sum[feature as usize] == 0.0 {
                    touched.push(feature);
                }
                sum[feature as usize] += x.to_f64();
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for feature in touched.drain(..) {
            columns.push(feature);
            values.push(T::from_f64(sum[feature as usize] / group.len() as f64));
            sum[feature as usize] = 0.0;
        }
        starts.push(columns.len());
    }
    Csr::new(groups.len(), m.cols(), starts, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::{Curves, MadeView};
    use crate::{Settings, cluster};

    #[test]
    fn means_by_hand() {
        let groups = vec![vec![0, 2], vec![1]];
        let dense = Dense::new(3, 2, vec![1.0_f32, 2.0, 5.0, 6.0, 3.0, 0.0]).unwrap();
        assert_eq!(dense_means(&dense, &groups).data(), [2.0, 1.0, 5.0, 6.0]);
        let sparse = sparse_means(&Csr::from_dense(&dense).unwrap(), &groups).unwrap();
        assert_eq!(sparse.to_dense().data(), [2.0, 1.0, 5.0, 6.0]);
        let groups = Groups::of(&[3, 0, 3], 5);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[1][..], &[0, 2]]);
    }

    /// Noise hides a sample's neighbours, and means have less of it.
    #[test]
    fn few_means_place_noisy_samples_as_well_as_all_samples_do() {
        let views = vec![MadeView::Dense(30), MadeView::Dense(40), MadeView::Counts(400)];
        let curves = Curves { samples: 3_000, clusters: 5, views, separation: 5.0, seed: 2 };
        let (views, truth) = curves.generate().unwrap();
        let (old, new): (Vec<usize>, Vec<usize>) = (0..3_000).partition(|i| i % 2 == 0);
        let (fit, rest) = (views.select(&old).unwrap(), views.select(&new).unwrap());
        let found = cluster(&fit, &Settings::new(5)).unwrap();
        let whole = Model::new(&fit, &found, &Run::default()).unwrap();
        let few = whole.condensed(150, &Run::default()).unwrap();
        assert!(few.samples() <= 150 && few.samples() > 100);
        let truth: Vec<usize> = new.iter().map(|&i| truth[i]).collect();
        let score = |model: &Model| {
            let found = model.predict(&rest, &Run::default()).unwrap();
            assert!(found.unlike.iter().filter(|unlike| **unlike).count() < 30);
            crate::metrics::score(&found.labels, &truth).unwrap()[crate::metrics::Metric::Nmi]
        };
        let (few, whole) = (score(&few), score(&whole));
        assert!(few > whole - 0.02 && few > 0.9, "{few} by means, {whole} by all samples");
    }

    #[test]
    fn a_small_model_stays_as_it_is() {
        let curves = Curves { samples: 60, clusters: 2, views: vec![MadeView::Dense(3)], separation: 9.0, seed: 2 };
        let (views, _) = curves.generate().unwrap();
        let model = Model::new(&views, &cluster(&views, &Settings::new(2)).unwrap(), &Run::default()).unwrap();
        assert_eq!(model.condensed(60, &Run::default()).unwrap().samples(), 60);
    }
}
