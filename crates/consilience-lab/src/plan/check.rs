//! From a plan as written to a plan that can be run: every value in its range, every name known.

use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use consilience::{Corruption, Error, Result, Scale};
use consilience_io::{DIGITS, Inputs};
use toml::Spanned;

use super::text::{DataText, LimitsText, NoiseText, Numbers, PlanText, Source};
use super::{DataSet, Limits, NoisePlan, Plan, methods};

/// More repeats than this are a slip of the keyboard.
const MOST_REPEATS: u64 = 10_000;

pub(super) fn plan(source: Source, text: PlanText) -> Result<Plan> {
    let draws = numbers(&source, text.draws.as_ref(), "draws")?.unwrap_or_else(|| vec![0]);
    let seeds = numbers(&source, text.seeds.as_ref(), "seeds")?.unwrap_or_else(|| vec![0]);
    let limits = limits(&source, &text.limits, Limits::default())?;
    let sets = text.data.iter().map(|data| data_set(&source, data)).collect::<Result<Vec<_>>>()?;
    for (at, set) in sets.iter().enumerate() {
        if sets[..at].iter().any(|other| other.name == set.name) {
            let what = format!("there are two data sets called `{}`", set.name);
            return Err(source.wrong(&set.span, what, "give one of them another `name`: results are kept by name"));
        }
    }
    let methods = methods::expand(&source, &text.method, limits, &sets)?;
    for (what, missing) in [("[[data]]", sets.is_empty()), ("[[method]]", methods.is_empty())] {
        if missing {
            return Err(source.wrong(&(0..0), format!("the plan has no {what}"), format!("add a {what} table")));
        }
    }
    let mut noise = Vec::new();
    for condition in &text.noise {
        let data = data_names(&source, condition.data.as_deref(), &sets)?;
        noise.extend(conditions(&source, condition, &draws, &seeds, data.as_ref())?);
    }
    if noise.is_empty() {
        noise.push(NoisePlan { corruption: None, data: None, draws: vec![0], seeds });
    }
    Ok(Plan { title: text.title, sets, methods, noise, source })
}

/// The names of some of the plan's data sets, where the plan gives them.
pub(super) fn data_names(
    source: &Source,
    names: Option<&[Spanned<String>]>,
    sets: &[DataSet],
) -> Result<Option<Vec<String>>> {
    let Some(names) = names else { return Ok(None) };
    let known: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let check = |name: &Spanned<String>| match known.contains(&name.get_ref().as_str()) {
        true => Ok(name.get_ref().clone()),
        false => Err(source.blame(&name.span(), &Error::unknown("data set", name.get_ref(), known.iter().copied()))),
    };
    names.iter().map(check).collect::<Result<_>>().map(Some)
}

/// The numbers of draws or seeds, where the plan gives them.
pub(super) fn numbers(source: &Source, field: Option<&Spanned<Numbers>>, what: &str) -> Result<Option<Vec<u64>>> {
    let Some(field) = field else { return Ok(None) };
    let wrong = |why: &str| {
        let hint = format!("`{what} = 10` stands for the numbers 0 to 9; `{what} = [0, 7]` names them");
        Err(source.wrong(&field.span(), format!("`{what}` {why}"), hint))
    };
    match field.get_ref() {
        Numbers::Count(count @ 1..=MOST_REPEATS) => Ok(Some((0..*count).collect())),
        Numbers::Count(_) => wrong("must be from 1 to 10000"),
        Numbers::List(list) if list.is_empty() => wrong("is empty"),
        Numbers::List(list) => {
            let twice = list.iter().enumerate().any(|(at, number)| list[..at].contains(number));
            if twice { wrong("names a number twice") } else { Ok(Some(list.clone())) }
        }
    }
}

pub(super) fn limits(source: &Source, text: &LimitsText, otherwise: Limits) -> Result<Limits> {
    let positive = |field: Option<&Spanned<f64>>, what: &str, most: f64| match field {
        Some(value) if !(*value.get_ref() > 0.0 && *value.get_ref() <= most) => {
            let hint = format!("a number above 0, at most {most}");
            Err(source.wrong(&value.span(), format!("`{what}` = {}", value.get_ref()), hint))
        }
        value => Ok(value.map(|value| *value.get_ref())),
    };
    let seconds = positive(text.seconds.as_ref(), "seconds", 1e6)?;
    let memory = positive(text.memory_gb.as_ref(), "memory_gb", 1e6)?;
    Ok(Limits {
        seconds: seconds.or(otherwise.seconds),
        memory: memory.map(|gigabytes| (gigabytes * 1e9) as u64).or(otherwise.memory),
    })
}

fn conditions(
    source: &Source,
    text: &NoiseText,
    draws: &[u64],
    seeds: &[u64],
    data: Option<&Vec<String>>,
) -> Result<Vec<NoisePlan>> {
    let usual = Corruption::default();
    let mode = text.mode.as_ref().map_or(Ok(usual.mode), |mode| word(source, mode))?;
    let draws = numbers(source, text.draws.as_ref(), "draws")?.unwrap_or_else(|| draws.to_vec());
    let seeds = numbers(source, text.seeds.as_ref(), "seeds")?.unwrap_or_else(|| seeds.to_vec());
    let shares = text.share.get_ref().list();
    if let Some(share) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        let hint = "a share of the entries, from 0 (clean) to 1";
        return Err(source.wrong(&text.share.span(), format!("`share` = {share}"), hint));
    }
    let condition = |fraction: f64| NoisePlan {
        corruption: (fraction > 0.0).then_some(Corruption { fraction, mode, ..usual }),
        data: data.cloned(),
        draws: if fraction > 0.0 { draws.clone() } else { vec![0] },
        seeds: seeds.clone(),
    };
    Ok(shares.into_iter().map(condition).collect())
}

/// One of a type's words.
fn word<T: FromStr<Err = Error>>(source: &Source, word: &Spanned<String>) -> Result<T> {
    word.get_ref().parse().map_err(|error| source.blame(&word.span(), &error))
}

fn data_set(source: &Source, text: &DataText) -> Result<DataSet> {
    let named = &text.name;
    if named.get_ref().is_empty() || named.get_ref().contains(|c: char| c.is_control() || c == '|' || c == ',') {
        let hint = "a short name without `|` or `,`: it heads a column of the tables";
        return Err(source.wrong(&named.span(), format!("the data set's name is `{}`", named.get_ref()), hint));
    }
    let file = &text.file;
    let path = if file.get_ref() == "digits" { PathBuf::from(DIGITS) } else { source.beside(file.get_ref()) };
    let views = text.views.as_ref().map(|views| views.get_ref().clone()).unwrap_or_default();
    let views_span = text.views.as_ref().map_or_else(|| file.span(), Spanned::span);
    Ok(DataSet {
        name: named.get_ref().clone(),
        inputs: Inputs { files: vec![path], views, ..Inputs::default() },
        scale: text.scale.as_ref().map_or(Ok(Scale::Auto), |scale| word(source, scale))?,
        subset: text.subset.as_ref().map(|path| existing(source, path.get_ref(), &path.span())).transpose()?,
        optional: text.optional,
        span: file.span(),
        views_span,
    })
}

/// A file that must be there.
fn existing(source: &Source, path: &str, span: &Range<usize>) -> Result<PathBuf> {
    let file = source.beside(path);
    if file.is_file() {
        return Ok(file);
    }
    Err(source.wrong(span, format!("there is no file `{}`", file.display()), "paths are relative to the plan"))
}
