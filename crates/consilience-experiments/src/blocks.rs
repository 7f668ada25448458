//! Numbers in pages: what stands between `<!-- results: .. -->` and `<!-- end -->` is made from committed results.
//!
//! `<!-- results: KIND FILE | name=value | .. -->`, with FILE the name of a CSV in the folder of results. Kinds: `scores`,
//! `pairs`, `headline`, `ranks`, `noise`, `ablation` (tables) and `value` (one number, in the line). From the folder of facts
//! come `facts` (a table) and `cell` (in the line); from the registry `parameters` (of the method ID). Fenced code is left alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use consilience::{Error, Hint, MethodInfo, Result, choice};

use crate::blocks_render::{FactTable, parameters, render};
use crate::revisions::{self, Stale};
use crate::rows::{self, Row};
use crate::tables::stale_note;

const START: &str = "<!-- results: ";
const STOP: &str = " -->";
const END: &str = "<!-- end -->";

/// The committed results, read once each, and the committed facts.
pub struct Results {
    folder: PathBuf,
    facts: PathBuf,
    files: HashMap<String, Vec<Row>>,
}

choice! {
    /// What a block shows.
    pub enum ResultsBlock {
        /// One score, or several side by side, in the line.
        Value = "value",
        /// Methods by sets.
        Scores = "scores",
        /// Two scores side by side, methods by sets and conditions.
        Pairs = "pairs",
        /// Mean score and mean rank by method.
        Headline = "headline",
        /// Mean ranks with their tests.
        Ranks = "ranks",
        /// Methods by share of noise.
        Noise = "noise",
        /// Variants, mean over sets, change.
        Ablation = "ablation",
        /// One text of a table of facts, in the line.
        Cell = "cell",
        /// A table of facts.
        Facts = "facts",
        /// A method's parameters.
        Parameters = "parameters",
    }
}

choice! {
    /// What the columns of a table are.
    pub enum Across {
        /// Methods are rows; sets are columns.
        Methods = "methods",
        /// The other way round.
        Sets = "sets",
    }
}

/// What a block asks for.
pub(crate) struct Request<'a> {
    pub(crate) rows: &'a [Row],
    options: HashMap<&'a str, &'a str>,
}

impl<'a> Request<'a> {
    /// The value of an option; `otherwise` when it is not given.
    pub(crate) fn option(&self, name: &str, otherwise: &'a str) -> &'a str {
        self.options.get(name).copied().unwrap_or(otherwise)
    }

    /// The value of an option, read as what it is; `otherwise` when it is not given.
    pub(crate) fn read<T: FromStr<Err = Error>>(&self, name: &str, otherwise: T) -> Result<T> {
        self.options.get(name).map_or(Ok(otherwise), |text| text.parse())
    }

    /// The values of an option, separated by commas; `otherwise` when it is not given.
    pub(crate) fn list<T: FromStr<Err = Error>>(&self, name: &str, otherwise: impl Into<Vec<T>>) -> Result<Vec<T>> {
        match self.options.get(name) {
            Some(text) => text.split(',').map(str::parse).collect(),
            None => Ok(otherwise.into()),
        }
    }

    /// Nothing when every option given is one of `known`.
    pub(crate) fn expect(&self, known: &[&str]) -> Result<()> {
        match self.options.keys().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(Error::unknown("option of a results block", *name, known.iter().copied())),
        }
    }
}

impl Results {
    /// Results of plans in `folder`, other numbers in `facts`.
    pub fn new(folder: &Path, facts: &Path) -> Self {
        Self { folder: folder.to_owned(), facts: facts.to_owned(), files: HashMap::new() }
    }

    /// The names of the files, in order; none when there is no such folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let results = files.filter(|file| file.extension().is_some_and(|extension| extension == "csv"));
        let mut names: Vec<String> =
            results.filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect();
        names.sort();
        names
    }

    /// The results that were made by other code than this, by file.
    ///
    /// # Errors
    /// When a file is damaged.
    pub fn stale(&mut self) -> Result<Vec<(String, Vec<Stale>)>> {
        let mut found = Vec::new();
        for name in self.names() {
            let stale = revisions::stale_rows(self.get(&name)?.unwrap_or_default());
            if !stale.is_empty() {
                found.push((name, stale));
            }
        }
        Ok(found)
    }

    /// The runs in `NAME.csv`; none when there is no such file.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn get(&mut self, name: &str) -> Result<Option<&[Row]>> {
        let path = self.folder.join(format!("{name}.csv"));
        if !self.files.contains_key(name) {
            if !path.is_file() {
                return Ok(None);
            }
            self.files.insert(name.to_owned(), rows::read(&path)?);
        }
        Ok(self.files.get(name).map(Vec::as_slice))
    }
}

/// The page with every block made again.
///
/// # Errors
/// Says page and line of a block that has no end, or asks for what there is not.
pub fn fill(page: &Path, text: &str, results: &mut Results) -> Result<String> {
    let mut filled = String::with_capacity(text.len());
    let (mut at, mut fenced) = (0, false);
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let line = &text[at..line_end];
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let Some(start) = line.find(START).filter(|_| !fenced) else {
            filled += line;
            at = line_end;
            continue;
        };
        let number = text[..at].matches('\n').count() + 1;
        let wrong =
            |what: String, hint: Hint| Error::data_with_hint(format!("{}:{number}: {what}", page.display()), hint);
        let head_end = line[start..].find(STOP).map(|end| at + start + end + STOP.len());
        let head_end =
            head_end.ok_or_else(|| wrong("the results block's head does not end".to_owned(), "` -->`".into()))?;
        let end = text[head_end..].find(END).map(|end| head_end + end);
        let end = end.ok_or_else(|| wrong("the results block does not end".to_owned(), END.into()))?;
        let head = &text[at + start + START.len()..head_end - STOP.len()];
        let content = content(head, results).map_err(|error| match error.hint() {
            Some(hint) => wrong(error.to_string(), hint),
            None => wrong(error.to_string(), "docs/experiments.md lists the kinds of blocks".into()),
        })?;
        filled += &text[at..head_end];
        filled += &content;
        filled += END;
        at = end + END.len();
    }
    Ok(filled)
}

/// What belongs between head and end.
fn content(head: &str, results: &mut Results) -> Result<String> {
    let mut parts = head.split('|').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let Some((kind, file)) = first.split_once(' ') else {
        return Err(Error::data(format!("`{first}` is not a kind and a file")));
    };
    let mut options = HashMap::new();
    for part in parts {
        let pair = part.split_once('=').ok_or_else(|| Error::data(format!("`{part}` is not name=value")))?;
        options.insert(pair.0.trim(), pair.1.trim());
    }
    let (kind, file): (ResultsBlock, &str) = (kind.parse()?, file.trim());
    let request = |rows| Request { rows, options };
    let facts = |folder: &Path| FactTable::read(&folder.join(format!("{file}.csv")));
    match kind {
        ResultsBlock::Parameters => {
            request(&[]).expect(&[])?;
            Ok(format!("\n{}", parameters(MethodInfo::named(file)?)))
        }
        ResultsBlock::Facts => {
            request(&[]).expect(&[])?;
            Ok(format!("\n{}", facts(&results.facts)?.markdown()))
        }
        ResultsBlock::Cell => {
            let request = request(&[]);
            request.expect(&["row", "column"])?;
            facts(&results.facts)?.cell(request.option("row", ""), request.option("column", ""))
        }
        _ => {
            let rows = results.get(file)?.ok_or_else(|| Error::data(format!("there are no results `{file}.csv`")))?;
            let content = render(kind, &request(rows))?;
            // a number in a line has no room for it; the ledger speaks of it all the same
            let note = if kind == ResultsBlock::Value { String::new() } else { stale_note(rows) };
            Ok(content + &note)
        }
    }
}

/// The pages under `paths` (files, and folders with all that lies in them) that end in `.md`, in order.
///
/// # Errors
/// When a folder cannot be read.
pub fn pages(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| Error::reading(path, error))?;
        let mut inside: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        inside.retain(|path| path.is_dir() || path.extension().is_some_and(|end| end == "md"));
        inside.sort();
        found.extend(pages(&inside)?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let text = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status,acc,nmi,ari,purity,\
                    fscore,seconds,peak_mb,stop,version,revision,key,note\n\
                    toy,30,3,a+b,auto,average,average,,0.0,,0.0,0,0,done,0.5,0.4,0.3,0.6,0.2,1.5,20,direct,0.1.0,1.1,,\n\
                    toy,30,3,a+b,auto,mfmsc,mfmsc,,0.0,,0.0,0,0,done,0.75,0.5,0.3,0.6,0.2,1.5,20,direct,0.1.0,1.1,,\n";
        Results {
            folder: PathBuf::from("nowhere"),
            facts: PathBuf::from("nowhere"),
            files: HashMap::from([("toy".to_owned(), rows::parse(text.as_bytes()).unwrap())]),
        }
    }

    fn filled(text: &str) -> Result<String> {
        fill(Path::new("p.md"), text, &mut results())
    }

    #[test]
    fn a_number_in_a_line_is_made_again_and_the_rest_stays() {
        let text = "x <!-- results: value toy | set=toy | method=mfmsc | metric=acc -->99.9<!-- end --> y\nz\n";
        assert_eq!(filled(text).unwrap(), text.replace("99.9", "75.0"));
        let both = "<!-- results: value toy | set=toy | method=average | metric=acc,nmi -->?<!-- end -->";
        assert_eq!(filled(both).unwrap(), both.replace('?', "50.0 / 40.0"));
        let again = filled(&filled(text).unwrap()).unwrap();
        assert_eq!(again, filled(text).unwrap(), "filling twice changes nothing");
    }

    #[test]
    fn tables_stand_on_lines_of_their_own() {
        let page = filled("<!-- results: scores toy | metric=acc -->\nstale\n<!-- end -->\n").unwrap();
        assert!(
            page.contains(" -->\n| method | toy |\n|---|---:|\n| average | 50.0 |\n| mfmsc | **75.0**° |\n"),
            "{page}"
        );
        assert!(page.ends_with("\n<!-- end -->\n") && !page.contains("stale"));
    }

    #[test]
    fn scores_side_by_side() {
        let page = filled("<!-- results: pairs toy -->\n<!-- end -->\n").unwrap();
        let table = "|  | toy, clean |\n|---|---:|\n| average | 50.0 / 40.0 |\n| mfmsc | 75.0 / 50.0 |\n";
        assert!(page.contains(table), "{page}");
    }

    #[test]
    fn parameters_come_from_the_registry() {
        let page = filled("<!-- results: parameters comvsc -->\n<!-- end -->\n").unwrap();
        assert!(page.contains("| `lambda` | lambda | 0.05 |"), "{page}");
        assert!(filled("<!-- results: parameters nobody -->\n<!-- end -->\n").is_err());
        assert!(
            filled("<!-- results: parameters comvsc | set=toy -->\n<!-- end -->\n").is_err(),
            "no option is ignored"
        );
    }

    #[test]
    fn fenced_examples_are_left_alone() {
        let text = "```md\n<!-- results: value nothing -->1<!-- end -->\n```\n";
        assert_eq!(filled(text).unwrap(), text);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, what) in [
            ("\n<!-- results: value toy -->1", "p.md:2: the results block does not end"),
            ("<!-- results: value gone -->1<!-- end -->", "p.md:1: there are no results `gone.csv`"),
            ("<!-- results: pie toy -->1<!-- end -->", "p.md:1: unknown results block `pie`"),
            (
                "<!-- results: scores toy | colour=red -->1<!-- end -->",
                "p.md:1: unknown option of a results block `colour`",
            ),
            ("<!-- results: value toy | noise=20 % ad -->1<!-- end -->", "p.md:1: unknown corruption mode `ad`"),
            (
                "<!-- results: value toy | set=mars | method=mfmsc -->1<!-- end -->",
                "p.md:1: there is no score of mfmsc on mars, clean",
            ),
        ] {
            assert_eq!(filled(text).unwrap_err().to_string(), what);
        }
    }
}
