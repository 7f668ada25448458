//! `consilience evaluate`: predicted labels against true ones.

use consilience::data::read_labels;
use consilience::{Error, Result, metrics};

use crate::args::EvaluateOptions;
use crate::output::{Table, percent, print, print_json};

pub(crate) fn run(options: &EvaluateOptions) -> Result<()> {
    let (predicted, truth) = (read_labels(&options.predicted)?, read_labels(&options.truth)?);
    if predicted.len() != truth.len() {
        return Err(Error::data_with_hint(
            format!(
                "`{}` has {} labels, `{}` has {}",
                options.predicted.display(),
                predicted.len(),
                options.truth.display(),
                truth.len()
            ),
            "both must label the same samples in the same order",
        ));
    }
    let scores = metrics::score(predicted.codes(), truth.codes())?;
    if options.json {
        return print_json(&scores);
    }
    let mut table = Table::new(&["score", "%"]);
    for (metric, score) in scores.iter() {
        table.row(vec![metric.title().to_owned(), percent(score)]);
    }
    print(&table.render())
}
