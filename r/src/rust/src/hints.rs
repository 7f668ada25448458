//! The library's hints in R's words: the one place that says which arguments do it.

use consilience::Hint;

pub(crate) fn worded(hint: &Hint) -> String {
    let words: &str = match hint {
        Hint::Text(text) => text,
        Hint::ChooseMissing => {
            "say what to do: missing = \"impute\" fills them in from similar samples, \"drop-samples\" and \
             \"drop-features\" leave out"
        }
        Hint::MissingInstead { ways: [one, other] } => &format!("say missing = \"{one}\", or missing = \"{other}\""),
        Hint::DropFeaturesOrColumn => "leave features out with missing = \"drop-features\", or drop this one",
        Hint::DropSamples => "nothing can be said of them: leave them out with missing = \"drop-samples\"",
        Hint::CompleteSamples { able } => &format!(
            "these can use incomplete views: {}; or keep complete samples only: join = \"inner\", missing = \"drop-samples\"",
            able.join(", ")
        ),
        Hint::RenameView => "give the views names of their own: names(x) <- c(..)",
        Hint::ChooseViews => "leave the view out of the list",
        Hint::Transpose => "rows are samples; where they are features, turn the table: t(x)",
        Hint::TransposeTable { table, like } => &format!(
            "the columns of `{table}` have the names of the rows of `{like}`: its samples are columns; turn it: t(x)"
        ),
        Hint::JoinInner => {
            "views must describe the same samples; where they have row names, join = \"inner\" keeps the common ones"
        }
        Hint::JoinInnerOrOuter { common } => &format!(
            "join = \"inner\" keeps the samples that every view has (at most {common}), join = \"outer\" all of them; tables \
             without row names are matched by the order of their rows"
        ),
        Hint::NameIdColumn => "give the tables row names: rownames(x) <- ids",
        Hint::OtherIdColumn => {
            "every sample needs a name of its own; tables without row names are matched by the order of their rows"
        }
        Hint::CheckIdColumn => {
            "are the row names those of the samples? rownames(x) <- NULL goes by the order of the rows"
        }
        Hint::NoIdColumn => "if it is a feature, take it out of the row names",
        Hint::LabelOrDropColumn | Hint::DropColumn => "leave the column out: x[, names(x) != \"..\"]",
        Hint::DropOrCodeColumns { .. } => {
            "leave such columns out, or code their values as 0 and 1: model.matrix(~ . - 1, x)"
        }
        Hint::FindSplits => "the program and Python can split clusters; here fit with more of them",
        Hint::NameTruth => "give the labels to score with: truth =",
        Hint::Scale => "let the features be scaled: scale = \"auto\", \"zscore\" or \"minmax\"",
        Hint::LandmarksOff { without } => &format!("leave {without} out, or cluster all samples: landmarks = \"off\""),
        Hint::MemoryOrLandmarks => "give more memory with memory =, or cluster by landmarks: landmarks = \"auto\"",
        Hint::MemoryOrFewerLandmarks => "give more memory with memory =, or fewer landmarks with landmarks =",
        Hint::ReplaceRun => "write into another folder",
        Hint::ReplaceFile => "write to another place",
        Hint::WriteRun => "`consilience cluster -o` or `write_run` in Python writes one",
    };
    words.to_owned()
}
