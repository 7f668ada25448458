//! The library's hints in the page's words: the one place that says which control does it.

use consilience::Hint;

pub(crate) fn worded(hint: &Hint) -> String {
    let words: &str = match hint {
        Hint::Text(text) => text,
        Hint::ChooseMissing => {
            "under \u{201c}Missing values\u{201d}, fill them in from similar samples, or leave samples or features out"
        }
        Hint::MissingInstead { ways: [one, other] } => {
            &format!("under \u{201c}Missing values\u{201d}, choose {one} or {other}")
        }
        Hint::DropFeaturesOrColumn => {
            "under \u{201c}Missing values\u{201d}, leave features out; or name this column under \u{201c}Columns to leave out\u{201d}"
        }
        Hint::DropSamples => {
            "nothing can be said of them: under \u{201c}Missing values\u{201d}, leave samples with missing values out"
        }
        Hint::CompleteSamples { able } => &format!(
            "choose a method that can use incomplete views ({}), or keep only samples that every file has",
            able.join(", ")
        ),
        Hint::RenameView => "rename one of the files: views are called by the names of their files",
        Hint::ChooseViews => "leave this view out: take its tick away",
        Hint::Transpose => {
            "rows must be samples: where they are features, tick \u{201c}samples are columns\u{201d} beside the file"
        }
        Hint::TransposeTable { table, like } => &format!(
            "the header of `{table}` holds the sample ids of `{like}`: tick \u{201c}samples are columns\u{201d} beside `{table}`"
        ),
        Hint::JoinInner => {
            "views must describe the same samples; with ids in the files, keep the samples that every file has"
        }
        Hint::JoinInnerOrOuter { common } => {
            &format!("under \u{201c}Samples\u{201d}, keep those that every file has (at most {common}), or all of them")
        }
        Hint::NameIdColumn => "name it under \u{201c}Column of ids\u{201d}",
        Hint::OtherIdColumn => {
            "every sample needs an id of its own: name another column under \u{201c}Column of ids\u{201d}, or say none"
        }
        Hint::CheckIdColumn => {
            "are the ids in the right column? Each file above says which was taken; name another under \u{201c}Column of \
             ids\u{201d}, or say none to go by the order of the rows"
        }
        Hint::NoIdColumn => "if it is a feature, say none under \u{201c}Column of ids\u{201d}",
        Hint::LabelOrDropColumn => {
            "name it under \u{201c}Column of known classes\u{201d} or under \u{201c}Columns to leave out\u{201d}"
        }
        Hint::DropColumn => "name it under \u{201c}Columns to leave out\u{201d}",
        Hint::DropOrCodeColumns { columns } => &format!(
            "name {0} under \u{201c}Columns to leave out\u{201d}, or under \u{201c}Columns of words\u{201d} to make a \
             column of 0 and 1 for every value",
            columns.join(",")
        ),
        Hint::FindSplits => "the page cannot split clusters: use the program or Python",
        Hint::NameTruth => "say which file holds the known classes, and leave the other out",
        Hint::Scale => "let the features be scaled: auto, zscore or minmax under \u{201c}Scaling\u{201d}",
        Hint::LandmarksOff { without } => {
            &format!("leave {without} out, or say off under \u{201c}Landmarks\u{201d} to cluster all samples")
        }
        Hint::MemoryOrLandmarks => {
            "a browser has 4 GB at most: say auto under \u{201c}Landmarks\u{201d}, or use the program"
        }
        Hint::MemoryOrFewerLandmarks => {
            "a browser has 4 GB at most: give a smaller number under \u{201c}Landmarks\u{201d}, or use the program"
        }
        Hint::ReplaceRun | Hint::ReplaceFile | Hint::WriteRun => "run again",
    };
    words.to_owned()
}
