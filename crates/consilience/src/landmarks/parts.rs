//! A run by landmarks in parts, for samples that no single process holds: which samples are read first, their clustering, and
//! then a place for every piece by the model, wherever the piece is.
//!
//! ```
//! use consilience::datasets::{Curves, MadeView};
//! use consilience::landmarks::{cluster_first, read_first};
//! use consilience::settings::Landmarks;
//! use consilience::{Run, Settings};
//!
//! let views = vec![MadeView::Dense(8), MadeView::Dense(12)];
//! let (views, _) = Curves { samples: 3_000, clusters: 4, views, separation: 9.0, seed: 1 }.generate()?;
//! let settings = Settings::new(4).landmarks(Landmarks::Count(500));
//! let rows = read_first(3_000, &settings).unwrap();
//! let found = cluster_first(3_000, views.select(&rows)?, &settings, &Run::default())?;
//! let model = found.landmarks.unwrap().model;
//! let piece = views.select(&[7, 8, 9])?;
//! assert_eq!(model.placing().place(&piece, &Run::default())?.labels.len(), 3);
//! # Ok::<(), consilience::Error>(())
//! ```

use super::fit::candidates;
use super::{SampleSource, cluster_pieces};
use crate::{Clustering, Error, Result, Run, Settings, Views};

/// The rows of the samples, rising, that a run of `n` reads before it can place any: its landmarks are among them. None when
/// all samples are compared with all.
pub fn read_first(n: usize, settings: &Settings) -> Option<Vec<usize>> {
    settings.landmarks.apply(n).then(|| {
        let (_, mut rows) = candidates(n, settings);
        rows.sort_unstable();
        rows
    })
}

/// Clusters the landmarks among the samples that [`read_first`] names, of which `views` are. Nobody is placed yet, so there
/// are no labels, and clusters are in the model's order: [`Model::placing`](crate::model::Model::placing) gives every piece
/// its labels, and [`Model::reordered`](crate::model::Model::reordered) numbers them by first appearance.
///
/// # Errors
/// As [`cluster_pieces`], and when the views are not of so many samples.
pub fn cluster_first(n: usize, views: Views, settings: &Settings, run: &Run) -> Result<Clustering> {
    let mut found = cluster_pieces(&mut First { n, views }, settings, run)?;
    found.record.n = n;
    Ok(found)
}

/// Samples of which only the first to be read are at hand.
struct First {
    n: usize,
    views: Views,
}

impl SampleSource for First {
    fn count(&self) -> usize {
        self.n
    }

    fn some(&mut self, rows: &[usize], _: &Run) -> Result<Views> {
        if self.views.samples() == rows.len() {
            return Ok(self.views.clone());
        }
        let (given, asked) = (self.views.samples(), rows.len());
        Err(Error::data(format!("{given} samples were read where {asked} of {} are read first", self.n)))
    }

    fn each(&mut self, _: &Run, _: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster;
    use crate::datasets::{Curves, MadeView};
    use crate::labels::number_by_first_appearance;
    use crate::settings::Landmarks;

    #[test]
    fn parts_give_the_labels_and_the_model_of_the_whole() {
        let views = vec![MadeView::Dense(12), MadeView::Counts(200)];
        let (views, _) = Curves { samples: 2_000, clusters: 5, views, separation: 6.0, seed: 4 }.generate().unwrap();
        let settings = Settings::new(5).landmarks(Landmarks::Count(300));
        let whole = cluster(&views, &settings).unwrap();
        let rows = read_first(2_000, &settings).unwrap();
        let found = cluster_first(2_000, views.select(&rows).unwrap(), &settings, &Run::default()).unwrap();
        assert!(found.record.labels.is_empty() && found.record.n == 2_000);
        assert_eq!(found.record.by_landmarks, whole.record.by_landmarks);
        let model = found.landmarks.unwrap().model;
        let mut labels = Vec::new();
        for piece in (0..2_000).collect::<Vec<usize>>().chunks(321) {
            let piece = views.select(piece).unwrap();
            labels.extend(model.placing().place(&piece, &Run::default()).unwrap().labels);
        }
        let order = number_by_first_appearance(&mut labels);
        assert_eq!(labels, whole.record.labels);
        let all = |model: &crate::model::Model| format!("{:?}", model.parts());
        let same = all(&model.reordered(&order).unwrap()) == all(&whole.landmarks.unwrap().model);
        assert!(same, "models differ");
    }

    #[test]
    fn few_samples_are_not_read_in_parts_and_others_are_refused() {
        assert!(read_first(900, &Settings::new(3)).is_none());
        let settings = Settings::new(3).landmarks(Landmarks::Count(50));
        assert_eq!(read_first(900, &settings).unwrap().len(), 50);
        let views = vec![MadeView::Dense(4)];
        let (views, _) = Curves { samples: 49, clusters: 3, views, separation: 6.0, seed: 4 }.generate().unwrap();
        let error = cluster_first(900, views, &settings, &Run::default()).err().unwrap();
        assert_eq!(error.to_string(), "49 samples were read where 50 of 900 are read first");
    }
}
