//! What a fit is asked, as R's list.

use consilience::parameters::{Given, Value};
use consilience::settings::GivenWeights;
use consilience::views::Missing;
use consilience::{MethodInfo, Result, Settings};
use extendr_api::prelude::*;

use crate::values::{count, field, number, parameter, text, texts};

/// The settings of a run, checked but for what depends on the data, and what becomes of missing values.
pub(crate) fn asked(given: &List) -> Result<(Settings, Missing)> {
    let named = |name: &str| field(given, name);
    let parameters = named("parameters")?.as_list().unwrap_or_default();
    let values: Vec<(&str, Value)> = parameters.iter().map(|(name, value)| (name, parameter(&value))).collect();
    let values = values.iter().map(|(name, value)| (*name, Given::Value(value)));
    let method = MethodInfo::named(&text(&named("method")?)?).and_then(|info| info.from_given(values))?;
    let choose = named("choose")?;
    let settings = Settings::new(count(&named("clusters")?).unwrap_or(0))
        .shared_method(method)
        .choose(choose.as_str().map(str::parse).transpose()?)
        .weights(weights(&named("weights")?)?)
        .scale(text(&named("scale")?)?.parse()?)
        .landmarks(text(&named("landmarks")?)?.parse()?)
        .seed(number(&named("seed")?).unwrap_or(0.0) as u64)
        .restarts(count(&named("restarts")?).unwrap_or(0))
        .memory(number(&named("memory")?).map(|bytes| bytes as u64))
        // a pool of its own for every run: the shared one of a parent process does not exist in a forked child
        .threads(count(&named("threads")?).unwrap_or(0));
    Ok((settings, text(&named("missing")?)?.parse()?))
}

/// Weights by the names of the views.
fn weights(given: &Robj) -> Result<Option<GivenWeights>> {
    let (Some(weights), Some(names)) = (given.as_real_vector(), given.names()) else { return Ok(None) };
    let names = names.map(str::to_owned);
    GivenWeights::new(names.zip(weights)).map(Some)
}

/// Names of the samples; none for NULL.
pub(crate) fn ids(given: &List) -> Result<Option<Vec<String>>> {
    Ok(texts(&field(given, "ids")?))
}
