//! The library's hints in Python's words: the one place that says which keywords do it.

use consilience::Hint;

pub(crate) fn worded(hint: &Hint) -> String {
    let words: &str = match hint {
        Hint::Text(text) => text,
        Hint::ChooseMissing => {
            "say what to do: missing=\"impute\" fills them in from similar samples, drop-samples and drop-features \
             leave out"
        }
        Hint::MissingInstead { ways: [one, other] } => &format!("say missing=\"{one}\", or missing=\"{other}\""),
        Hint::DropFeaturesOrColumn => "leave features out with missing=\"drop-features\", or drop this one",
        Hint::DropSamples => "nothing can be said of them: leave them out with missing=\"drop-samples\"",
        Hint::CompleteSamples { able } => &format!(
            "these can use incomplete views: {}; or keep complete samples only: join=\"inner\", missing=\"drop-samples\"",
            able.join(", ")
        ),
        Hint::RenameView => "rename one of the files or arrays: messages, weights and views go by the name",
        Hint::ChooseViews => "leave the view out",
        Hint::Transpose => {
            "rows are samples; where they are features, turn the table: x.T, or transpose=True where it is read"
        }
        Hint::TransposeTable { table, like } => &format!(
            "the header of `{table}` holds the sample ids of `{like}`: its samples are columns; turn it: x.T, or \
             transpose=True where it is read"
        ),
        Hint::JoinInner => {
            "views must describe the same samples; where they have an index, join=\"inner\" keeps the common ones"
        }
        Hint::JoinInnerOrOuter { common } => &format!(
            "join=\"inner\" keeps the samples that every view has (at most {common}), join=\"outer\" all of them"
        ),
        Hint::NameIdColumn => "say which column holds them: id_column=NAME",
        Hint::OtherIdColumn => {
            "every sample needs an id of its own; id_column=NAME takes another column, id_column=\"none\" takes none"
        }
        Hint::CheckIdColumn => {
            "are the ids in the right column? `consilience.read` shows them, id_column=NAME takes another, \
             id_column=\"none\" goes by the order of the rows"
        }
        Hint::NoIdColumn => "if it is a feature, say id_column=\"none\"",
        Hint::LabelOrDropColumn => "label_column and drop_columns decide",
        Hint::DropColumn => "leave it out with drop_columns",
        Hint::DropOrCodeColumns { columns } => {
            let them = if columns.len() == 1 { "it" } else { "them" };
            &format!(
                "leave {them} out: drop_columns={columns:?}; or make a column of 0 and 1 for every value: one_hot={columns:?}"
            )
        }
        Hint::FindSplits => "`cut` of the fitted estimator finds them",
        Hint::NameTruth => "name the file of labels to score with: truth=FILE",
        Hint::Scale => "let the features be scaled: scale=\"auto\", \"zscore\" or \"minmax\"",
        Hint::LandmarksOff { without } => &format!("leave {without} out, or cluster all samples: landmarks=\"off\""),
        Hint::MemoryOrLandmarks => "give more memory, or cluster by landmarks: landmarks=\"auto\"",
        Hint::MemoryOrFewerLandmarks => "give more memory, or fewer landmarks with landmarks=",
        Hint::ReplaceRun => "write into another folder, or replace that run with force=True",
        Hint::ReplaceFile => "write to another place, or allow it with force=True",
        Hint::WriteRun => "`write_run` of an estimator writes one",
    };
    words.to_owned()
}

/// The same for tables in memory: they have an index, and no file has a column of ids.
pub(crate) fn of_tables(hint: Hint) -> Hint {
    const INDEX: &str =
        "tables without an index of their own (arrays, or after reset_index) are matched by the order of their rows";
    match hint {
        Hint::JoinInnerOrOuter { .. } => format!("{}; {INDEX}", worded(&hint)).into(),
        Hint::CheckIdColumn => {
            format!("join=\"inner\" and join=\"outer\" need samples that have one name in all; {INDEX}").into()
        }
        Hint::JoinInner | Hint::TransposeTable { .. } => hint,
        _ => INDEX.into(),
    }
}
