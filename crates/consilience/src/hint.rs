//! What to do about an error or a note, in no program's words.

/// What to do. The options behind it have other names on a command line than in Python, so whoever shows hints words them;
/// who offers none of the options shows [`Hint::text`].
///
/// The list is open to be matched in full: a new hint does not compile before every front end has words for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Words that name no option of any front end.
    Text(String),

    /// Say what becomes of missing values: filled in, or left out with their samples or features.
    ChooseMissing,
    /// Deal with missing values in one of these other ways.
    MissingInstead {
        /// The ways, by the names that all front ends have for them.
        ways: [&'static str; 2],
    },
    /// Leave the features that lack values out, or this column.
    DropFeaturesOrColumn,
    /// Leave samples without any value out.
    DropSamples,
    /// Keep complete samples only, or take one of the methods that can use incomplete views.
    CompleteSamples {
        /// Those methods.
        able: Vec<&'static str>,
    },

    /// Give one of two views another name.
    RenameView,
    /// Choose among the views, without this one.
    ChooseViews,
    /// Turn what has features in its rows.
    Transpose,
    /// Turn the table whose header holds the samples' ids.
    TransposeTable {
        /// The table.
        table: String,
        /// The one whose ids are in its header.
        like: String,
    },

    /// Keep the samples that all have, by their ids.
    JoinInner,
    /// Keep the samples that all have, or those that any has.
    JoinInnerOrOuter {
        /// How many samples all have at most.
        common: usize,
    },
    /// Say which column holds the ids.
    NameIdColumn,
    /// Take another column for the ids, or none.
    OtherIdColumn,
    /// Look whether the ids are in the right column; take another, or go by the order of the rows.
    CheckIdColumn,
    /// Where the column of ids is a feature, say that there are none.
    NoIdColumn,
    /// Say which column holds the labels, or leave one out.
    LabelOrDropColumn,
    /// Leave a column out.
    DropColumn,
    /// Leave columns of text out, or code their values.
    DropOrCodeColumns {
        /// The columns, by name or number.
        columns: Vec<String>,
    },
    /// Make the run again and ask how its clusters would split.
    FindSplits,
    /// Name the labels to score with.
    NameTruth,

    /// Let the features be scaled.
    Scale,
    /// Leave something out that landmarks cannot have, or cluster all samples.
    LandmarksOff {
        /// What to leave out.
        without: &'static str,
    },
    /// Give more memory, or cluster by landmarks.
    MemoryOrLandmarks,
    /// Give more memory, or take fewer landmarks.
    MemoryOrFewerLandmarks,

    /// Write elsewhere, or allow that the run in the folder is replaced.
    ReplaceRun,
    /// Write elsewhere, or allow that the file is replaced.
    ReplaceFile,
    /// Cluster into a folder first: that writes a run.
    WriteRun,
}

impl Hint {
    /// The words, where it names no option.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
