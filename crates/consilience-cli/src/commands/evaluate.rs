//! `consilience evaluate`: predicted labels against true ones.

use consilience::{Result, metrics};
use consilience_io::{match_labels, read_labelled};

use crate::args::EvaluateOptions;
use crate::interrupt::{on_interrupt, reading};
use crate::output::{Table, percent, print, print_json, say_notes};

pub(crate) fn run(options: &EvaluateOptions) -> Result<()> {
    on_interrupt();
    let (predicted, truth) = reading(|| Ok((read_labelled(&options.predicted)?, read_labelled(&options.truth)?)))?;
    let names = [&options.predicted, &options.truth].map(|path| path.display().to_string());
    let matched = match_labels((&names[0], &predicted), (&names[1], &truth), options.join)?;
    say_notes(&matched.notes);
    let scores = metrics::score(matched.predicted.codes(), matched.truth.codes())?;
    if options.json {
        return print_json(&scores);
    }
    let mut table = Table::new(&["score", "%"]);
    for (metric, score) in scores.iter() {
        table.row(vec![metric.title().to_owned(), percent(score)]);
    }
    print(&table.render())
}
