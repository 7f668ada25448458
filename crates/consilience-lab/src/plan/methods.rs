//! The methods of a plan: `all` written out from the registry, grids multiplied out, every parameter tried.

use std::ops::Range;

use consilience::method::{Property, REGISTRY};
use consilience::{Error, MethodInfo, Result};
use toml::{Spanned, Value};

use super::text::{Assignments, MethodText, Source};
use super::{DataSet, Limits, MethodPlan, check};

/// Stands for every method of the registry.
const ALL: &str = "all";
/// A grid with more points than this is a slip of the keyboard.
const MOST_POINTS: usize = 10_000;

/// A parameter with its value and its place in the text.
#[derive(Clone)]
struct Setting {
    name: String,
    value: String,
    span: Range<usize>,
}

pub(super) fn expand(
    source: &Source,
    texts: &[Spanned<MethodText>],
    limits: Limits,
    sets: &[DataSet],
) -> Result<Vec<MethodPlan>> {
    let mut methods: Vec<MethodPlan> = Vec::new();
    for text in texts {
        let text = text.get_ref();
        for info in chosen(source, text)? {
            for point in points(source, text)? {
                let new = method(source, text, info, &point, limits, sets)?;
                if methods.iter().any(|old| old.label == new.label && overlap(old, &new)) {
                    let what = format!("there are two methods called `{}` on the same data", new.label);
                    let hint = "give one of them another `name`, or other `data`: results are kept by name";
                    return Err(source.wrong(&text.id.span(), what, hint));
                }
                methods.push(new);
            }
        }
    }
    Ok(methods)
}

/// Whether two methods share a data set. One name may stand for different limits and repeats on different sets.
fn overlap(a: &MethodPlan, b: &MethodPlan) -> bool {
    match (&a.data, &b.data) {
        (Some(a), Some(b)) => a.iter().any(|set| b.contains(set)),
        _ => true,
    }
}

fn chosen(source: &Source, text: &MethodText) -> Result<Vec<&'static MethodInfo>> {
    let named = text.id.get_ref();
    if named != ALL {
        if let Some(flag) = &text.quadratic {
            let what = "`quadratic` without `id = \"all\"`";
            return Err(source.wrong(&flag.span(), what, "it chooses among all methods of the registry"));
        }
        return MethodInfo::named(named).map(|info| vec![info]).map_err(|error| source.blame(&text.id.span(), &error));
    }
    if let Some(name) = &text.name {
        let hint = "leave `name` out: each method goes by its id";
        return Err(source.wrong(&name.span(), "one `name` for all methods", hint));
    }
    let wanted = text.quadratic.as_ref().map(|flag| *flag.get_ref());
    let shown = REGISTRY.iter().filter(|info| !info.has(Property::Study));
    Ok(shown.filter(|info| wanted.is_none_or(|flag| info.has(Property::Quadratic) == flag)).collect())
}

/// The points of the grid: every combination of its values; one empty point without a grid.
fn points(source: &Source, text: &MethodText) -> Result<Vec<Vec<Setting>>> {
    let mut points: Vec<Vec<Setting>> = vec![Vec::new()];
    for (name, values) in &text.grid {
        let Value::Array(list) = values.get_ref() else {
            let hint = "a grid lists values: `beta = [0.1, 1]`; a single value belongs to `set`";
            return Err(source.wrong(&values.span(), format!("`{}` is no list", name.get_ref()), hint));
        };
        if list.is_empty() || points.len() * list.len() > MOST_POINTS {
            let what = format!("the grid has {} points", points.len() * list.len());
            return Err(source.wrong(&values.span(), what, "from 1 to 10000 points"));
        }
        let mut longer = Vec::new();
        for point in &points {
            for value in list {
                let next = setting(source, name, value, values.span())?;
                longer.push(point.iter().cloned().chain([next]).collect());
            }
        }
        points = longer;
    }
    Ok(points)
}

fn method(
    source: &Source,
    text: &MethodText,
    info: &MethodInfo,
    point: &[Setting],
    limits: Limits,
    sets: &[DataSet],
) -> Result<MethodPlan> {
    let fixed = fixed(source, &text.set)?;
    if let Some(twice) = point.iter().find(|setting| fixed.iter().any(|other| other.name == setting.name)) {
        let what = format!("`{}` is in `set` and in `grid`", twice.name);
        return Err(source.wrong(&twice.span, what, "leave one of them out"));
    }
    // one at a time, so that the line of the one that is wrong can be named
    for setting in fixed.iter().chain(point) {
        let pair = [(setting.name.clone(), setting.value.clone())];
        info.from_text(&pair).map_err(|error| match error {
            Error::Parameter { .. } => {
                source.wrong(&setting.span, &error, format!("see `consilience methods {}`", info.id))
            }
            other => source.blame(&setting.span, &other),
        })?;
    }
    let words = |settings: &[Setting]| -> Vec<String> {
        settings.iter().map(|setting| format!("{}={}", setting.name, setting.value)).collect()
    };
    let mut label = vec![text.name.as_ref().map_or_else(|| info.id.to_owned(), |name| name.get_ref().clone())];
    if text.name.is_none() {
        label.extend(words(&fixed));
    }
    label.extend(words(point));
    let mut set: Vec<(String, String)> =
        fixed.iter().chain(point).map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    set.sort();
    Ok(MethodPlan {
        method: info.from_text(&set)?,
        label: label.join(" "),
        set,
        data: check::data_names(source, text.data.as_deref(), sets)?,
        draws: check::numbers(source, text.draws.as_ref(), "draws")?,
        seeds: check::numbers(source, text.seeds.as_ref(), "seeds")?,
        max_samples: text.max_samples.as_ref().map(|most| count(source, most)).transpose()?,
        limits: check::limits(source, &text.limits, limits)?,
    })
}

fn fixed(source: &Source, set: &Assignments) -> Result<Vec<Setting>> {
    set.iter().map(|(name, value)| setting(source, name, value.get_ref(), value.span())).collect()
}

/// A value as it would be typed on the command line.
fn setting(source: &Source, name: &Spanned<String>, value: &Value, span: Range<usize>) -> Result<Setting> {
    let text = match value {
        Value::String(words) => words.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        _ => {
            let hint = "a number, a word in quotes, true or false; several values belong to `grid`";
            return Err(source.wrong(&span, format!("`{}` is not one value", name.get_ref()), hint));
        }
    };
    Ok(Setting { name: name.get_ref().clone(), value: text, span })
}

/// A number of samples.
fn count(source: &Source, most: &Spanned<i64>) -> Result<usize> {
    let count = usize::try_from(*most.get_ref()).ok().filter(|count| *count > 0);
    let wrong =
        || source.wrong(&most.span(), format!("`max_samples` = {}", most.get_ref()), "a whole number, at least 1");
    count.ok_or_else(wrong)
}
