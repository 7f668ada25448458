//! More samples than can be compared with each other: some of them, drawn at random, are clustered in full, and all find
//! their places among means of those.
//!
//! The draw depends on the numbers of the samples and the seed only, and a sample's place on the sample only, so the
//! result is the same for any pieces in which the samples come, for any number of threads, and on any number of machines.
//!
//! ```
//! use consilience::datasets::{Curves, MadeView};
//! use consilience::settings::Landmarks;
//! use consilience::{Settings, cluster};
//!
//! let views = vec![MadeView::Dense(8), MadeView::Dense(12)];
//! let (views, _) = Curves { samples: 3_000, clusters: 4, views, separation: 9.0, seed: 1 }.generate()?;
//! let found = cluster(&views, &Settings::new(4).landmarks(Landmarks::Count(500)))?;
//! assert_eq!(found.record.labels.len(), 3_000);
//! assert_eq!(found.record.by_landmarks.unwrap().count, 500);
//! # Ok::<(), consilience::Error>(())
//! ```

mod draw;
mod fit;
mod parts;
mod samples;

pub use fit::{Examinable, cluster_pieces};
pub(crate) use fit::{MOST_LANDMARKS, fit, means, most_landmarks};
pub use parts::{cluster_first, read_first};
pub use samples::Samples;
