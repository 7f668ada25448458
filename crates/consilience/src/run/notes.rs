//! What was decided while files were read and joined: types, with the sentence as `Display`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hint::Hint;

/// A decision about the data that the user should be able to see. It is no warning: nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// A column was taken for the samples' ids.
    IdColumn {
        /// The file.
        file: String,
        /// The column, by name or number.
        column: String,
        /// Whether its ids are numbers, which could have been a feature.
        numeric: bool,
    },
    /// A column has the name of labels but stays a feature.
    StaysFeature {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Why.
        why: String,
    },
    /// The rows of a file were put into the order of another's.
    Reordered {
        /// The file.
        file: String,
        /// The file whose order it has now.
        like: String,
    },
    /// A file has no ids, and another has: its rows are taken to be in that one's order.
    NoIds {
        /// The file.
        file: String,
        /// The file with ids.
        like: String,
    },
    /// A file only counts its rows: they are taken to be in another file's order.
    CountsRows {
        /// The file.
        file: String,
        /// The other.
        like: String,
    },
    /// Samples that are not in every file were left out.
    Dropped {
        /// The file.
        file: String,
        /// How many of its samples.
        dropped: usize,
        /// Of how many.
        of: usize,
    },
    /// A file has labels of samples that are not there.
    UnusedLabels {
        /// The file.
        file: String,
        /// How many.
        unused: usize,
    },
    /// A file has labels of a part of the samples only, so they score nothing.
    PartialLabels {
        /// The file.
        file: String,
    },
    /// Columns had the same name, and have names of their own now.
    SameNames {
        /// The view.
        view: String,
        /// The name.
        name: String,
        /// What they are called now.
        now: Vec<String>,
        /// How many more names were there more than once.
        others: usize,
    },
    /// Missing values were filled in from similar samples.
    Imputed {
        /// The view.
        view: String,
        /// How many values.
        values: usize,
        /// Of how many.
        of: usize,
        /// In how many samples.
        samples: usize,
        /// In how many features.
        features: usize,
    },
    /// Samples with missing values were left out.
    DroppedSamples {
        /// How many.
        dropped: usize,
        /// Of how many.
        of: usize,
        /// The views in which values were missing.
        views: Vec<String>,
    },
    /// Features with missing values were left out.
    DroppedFeatures {
        /// The view.
        view: String,
        /// How many.
        dropped: usize,
        /// Of how many.
        of: usize,
    },
}

impl Note {
    /// Whether everybody should read it; the others are for those who ask for details.
    pub fn is_important(&self) -> bool {
        !matches!(self, Self::IdColumn { numeric: false, .. })
    }

    /// The kind, as JSON and other languages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::IdColumn { .. } => "id_column",
            Self::StaysFeature { .. } => "stays_feature",
            Self::Reordered { .. } => "reordered",
            Self::NoIds { .. } => "no_ids",
            Self::CountsRows { .. } => "counts_rows",
            Self::Dropped { .. } => "dropped",
            Self::UnusedLabels { .. } => "unused_labels",
            Self::PartialLabels { .. } => "partial_labels",
            Self::SameNames { .. } => "same_names",
            Self::Imputed { .. } => "imputed",
            Self::DroppedSamples { .. } => "dropped_samples",
            Self::DroppedFeatures { .. } => "dropped_features",
        }
    }

    /// The view it is about, when it is about one.
    pub fn view(&self) -> Option<&str> {
        match self {
            Self::SameNames { view, .. } | Self::Imputed { view, .. } | Self::DroppedFeatures { view, .. } => {
                Some(view)
            }
            _ => None,
        }
    }

    /// What to do where the decision was wrong.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::IdColumn { numeric: true, .. } => Some(Hint::NoIdColumn),
            Self::StaysFeature { .. } => Some(Hint::LabelOrDropColumn),
            Self::PartialLabels { .. } => Some(Hint::NameTruth),
            _ => None,
        }
    }
}

impl Note {
    /// How notes call the views' samples where no file is meant.
    pub const VIEWS: &str = "the views";
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdColumn { file, column, .. } => {
                write!(f, "`{file}`: {column} is taken for the samples' ids")
            }
            Self::StaysFeature { file, column, why } => {
                write!(f, "`{file}`: {column} stays a feature: {why}")
            }
            Self::NoIds { file, like } => {
                write!(f, "`{file}` has no ids: its rows are taken to be in the order of `{like}`")
            }
            Self::Reordered { file, like } => {
                let like = if like == Self::VIEWS { like.clone() } else { format!("`{like}`") };
                write!(f, "the rows of `{file}` were put into the order of {like}, by id")
            }
            Self::CountsRows { file, like } => {
                write!(f, "`{file}` only counts its rows, which are taken to be in the order of `{like}`")
            }
            Self::Dropped { file, dropped, of } => {
                write!(f, "{dropped} of {of} samples of `{file}` are not in every table and were left out")
            }
            Self::UnusedLabels { file, unused } => {
                write!(f, "`{file}` has labels of {unused} more samples, which are not used")
            }
            Self::PartialLabels { file } => write!(f, "`{file}` labels a part of the samples only"),
            Self::SameNames { view, name, now, others } => {
                let more = if *others > 0 { format!("; {others} more names likewise") } else { String::new() };
                let names: Vec<String> = now.iter().map(|name| format!("`{name}`")).collect();
                let names = match &names[..] {
                    [one, other] => format!("{one} and {other}"),
                    [first, second, .., last] => format!("{first}, {second} .. {last}"),
                    _ => names.concat(),
                };
                write!(f, "view `{view}`: {} columns are called `{name}`: they are {names} now{more}", now.len())
            }
            Self::Imputed { view, values, of, samples, features } => write!(
                f,
                "view `{view}`: {values} missing values of {of} were filled in, in {samples} samples and {features} features"
            ),
            Self::DroppedSamples { dropped, of, views } => {
                let views: Vec<String> = views.iter().map(|view| format!("`{view}`")).collect();
                write!(f, "{dropped} of {of} samples were left out: values are missing in {}", views.join(", "))
            }
            Self::DroppedFeatures { view, dropped, of } => {
                write!(f, "view `{view}`: {dropped} of {of} features were left out: values are missing in them")
            }
        }
    }
}
