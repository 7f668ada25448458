//! The library's hints in the words of the command line: the one place that says which flags do it.

use consilience::Hint;

pub(crate) fn worded(hint: &Hint) -> String {
    let words: &str = match hint {
        Hint::Text(text) => text,
        Hint::ChooseMissing => {
            "say what to do: --missing impute fills them in from similar samples, drop-samples and drop-features leave out"
        }
        Hint::MissingInstead { ways: [one, other] } => &format!("say --missing {one}, or --missing {other}"),
        Hint::DropFeaturesOrColumn => {
            "leave features out with --missing drop-features, or this one with --drop-columns"
        }
        Hint::DropSamples => "nothing can be said of them: leave them out with --missing drop-samples",
        Hint::CompleteSamples { able } => &format!(
            "these can use incomplete views: {}; or keep complete samples only: --join inner, --missing drop-samples",
            able.join(", ")
        ),
        Hint::RenameView => "rename one of the files or arrays: messages, weights and --views go by the name",
        Hint::ChooseViews => "leave the view out: --views chooses among them",
        Hint::Transpose => "rows are samples; where they are features, turn the file with --transpose",
        Hint::TransposeTable { table, like } => &format!(
            "the header of `{table}` holds the sample ids of `{like}`: its samples are columns; turn it with \
             --transpose={table}"
        ),
        Hint::JoinInner => {
            "views must describe the same samples; with ids in the files, --join inner keeps the common ones"
        }
        Hint::JoinInnerOrOuter { common } => {
            &format!("--join inner keeps the samples that every file has (at most {common}), --join outer all of them")
        }
        Hint::NameIdColumn => "say which column holds them: --id-column NAME",
        Hint::OtherIdColumn => {
            "every sample needs an id of its own; --id-column NAME takes another column, --id-column none takes none"
        }
        Hint::CheckIdColumn => {
            "are the ids in the right column? `consilience inspect` shows them, --id-column NAME takes another, \
             --id-column none goes by the order of the rows"
        }
        Hint::NoIdColumn => "if it is a feature, say --id-column none",
        Hint::LabelOrDropColumn => "--label-column and --drop-columns decide",
        Hint::DropColumn => "leave it out with --drop-columns",
        Hint::DropOrCodeColumns { columns } => {
            let (them, names) = (if columns.len() == 1 { "it" } else { "them" }, columns.join(","));
            &format!(
                "leave {them} out: --drop-columns {names}; or make a column of 0 and 1 for every value: --one-hot {names}"
            )
        }
        Hint::FindSplits => "make the run again with `cluster --splits`",
        Hint::NameTruth => "name the file of labels to score with: --truth FILE",
        Hint::Scale => "let the features be scaled: --scale auto, zscore or minmax",
        Hint::LandmarksOff { without } => &format!("leave {without} out, or cluster all samples: --landmarks off"),
        Hint::MemoryOrLandmarks => "give more memory, or cluster by landmarks: --landmarks auto",
        Hint::MemoryOrFewerLandmarks => "give more memory, or fewer landmarks with --landmarks",
        Hint::ReplaceRun => "write into another folder, or replace that run with --force",
        Hint::ReplaceFile => "write to another place, or allow it with --force",
        Hint::WriteRun => "`consilience cluster .. -o DIR` writes one",
    };
    words.to_owned()
}
