//! Which rows of several tables are the same sample: tables are joined by the samples' ids where they have them, and by
//! the order of their rows where they have none.
//!
//! A joined sample may be absent from a table ([`Alignment::Rows`] says where); whoever needs complete tables asks
//! [`Joined::complete`].

use std::collections::{HashMap, HashSet};

use consilience::parameters::choice;
use consilience::run::Note;
use consilience::{Error, Hint, Result};

choice! {
    /// Which samples are kept when tables do not have the same ones.
    pub enum Join {
        /// All; tables of other samples are refused.
        Strict = "strict",
        /// Those that every table has.
        Inner = "inner",
        /// Those that any table has.
        Outer = "outer",
    }
}

/// One table, as the join sees it.
#[derive(Debug, Clone, Copy)]
pub struct JoinFile<'a> {
    /// What messages call it: its file, or its view.
    pub name: &'a str,
    /// The id of every row, where it has some.
    pub ids: Option<&'a [String]>,
    /// The names of its columns: sample ids among them tell that it is turned.
    pub columns: Option<&'a [String]>,
}

/// Where the joined samples are in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alignment {
    /// Row by row, as they lie.
    Same,
    /// The row of every joined sample; none where the table does not have it.
    Rows(Vec<Option<usize>>),
}

/// The samples of several tables together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Their ids, where a table has some.
    pub ids: Option<Vec<String>>,
    /// Where they are, table by table.
    pub parts: Vec<Alignment>,
    /// What was done, for the user.
    pub notes: Vec<Note>,
}

impl Alignment {
    /// The rows of the samples, when the table has them all; none within stands for all rows as they lie.
    #[allow(clippy::option_option)]
    pub fn complete(&self) -> Option<Option<Vec<usize>>> {
        match self {
            Self::Same => Some(None),
            Self::Rows(rows) => rows.iter().copied().collect::<Option<Vec<usize>>>().map(Some),
        }
    }
}

impl Joined {
    /// The rows of every table, when every table has every sample; none stands for all rows as they lie.
    ///
    /// # Errors
    /// When a table lacks samples, with their number.
    pub fn complete(&self, parts: &[JoinFile<'_>]) -> Result<Vec<Option<Vec<usize>>>> {
        let lacking = |alignment: &Alignment, part: &JoinFile<'_>| {
            let Alignment::Rows(rows) = alignment else { return Error::data("every row is there") };
            let absent = rows.iter().filter(|row| row.is_none()).count();
            Error::data_with_hint(
                format!("joined by `outer`, {absent} of {} samples are not in `{}`", rows.len(), part.name),
                Hint::JoinInner,
            )
        };
        let tables = self.parts.iter().zip(parts);
        tables.map(|(alignment, part)| alignment.complete().ok_or_else(|| lacking(alignment, part))).collect()
    }
}

/// Joins tables by their ids.
///
/// The order is that of the first table with ids. Equal sets of ids are aligned whatever `how` says. A table without ids
/// keeps its rows, which is refused when the others had to be changed.
///
/// # Errors
/// When an id is there twice; when the sets differ and `how` is [`Join::Strict`], with numbers and examples; when nothing
/// is left.
pub fn join(parts: &[JoinFile<'_>], how: Join) -> Result<Joined> {
    for part in parts {
        distinct(part)?;
    }
    let tables: Vec<Ids<'_>> = parts.iter().enumerate().filter_map(|(at, part)| Ids::of(at, part)).collect();
    // numbers that only count rows say less than any other id
    let Some(strong) = tables.iter().find(|table| !table.counts_rows).or(tables.first()) else {
        return without_ids(parts, how);
    };
    let first = tables.iter().find(|table| table.at == strong.at || !table.is_by_position(strong)).unwrap_or(strong);
    let mut notes = Vec::new();
    let mut joined: Vec<&Ids<'_>> = Vec::new();
    for table in &tables {
        if table.at == strong.at || !table.is_by_position(strong) {
            joined.push(table);
        } else if !strong.counts_rows {
            notes.push(Note::CountsRows { file: table.name.to_owned(), like: first.name.to_owned() });
        }
    }
    let equal = joined.iter().all(|table| table.has_the_set_of(first));
    let ids: Vec<String> = match how {
        _ if equal => first.ids.to_vec(),
        Join::Strict => return Err(differ(first, &joined, parts)),
        Join::Inner => intersection(first, &joined)?,
        Join::Outer => union(first, &joined),
    };
    let mut alignments = vec![Alignment::Same; parts.len()];
    for table in &joined {
        alignments[table.at] = table.alignment(&ids);
        notes.extend(table.note(&ids, first, &alignments[table.at]));
    }
    if let Some(changed) = joined.iter().find(|table| alignments[table.at] != Alignment::Same)
        && let Some(plain) = parts.iter().enumerate().find(|(at, _)| joined.iter().all(|table| table.at != *at))
    {
        return Err(Error::data_with_hint(
            format!("`{}` has no ids, but the rows of `{}` have to be matched by id", plain.1.name, changed.name),
            "give every file ids, or sort them all in the same way first",
        ));
    }
    // ids that only count rows say no more than the order does
    if !first.counts_rows {
        let plain = parts.iter().filter(|part| part.ids.is_none());
        notes.extend(plain.map(|part| Note::NoIds { file: part.name.to_owned(), like: first.name.to_owned() }));
    }
    Ok(Joined { ids: Some(ids), parts: alignments, notes })
}

/// Nothing to join by.
fn without_ids(parts: &[JoinFile<'_>], how: Join) -> Result<Joined> {
    if how != Join::Strict {
        return Err(Error::data_with_hint(format!("there are no ids to join by ({how})"), Hint::NameIdColumn));
    }
    Ok(Joined { ids: None, parts: vec![Alignment::Same; parts.len()], notes: Vec::new() })
}

/// Every id is there once.
fn distinct(part: &JoinFile<'_>) -> Result<()> {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let (mut first, mut repeats) = (None, 0_usize);
    for (row, id) in part.ids.unwrap_or_default().iter().enumerate() {
        if let Some(earlier) = rows.insert(id, row) {
            repeats += 1;
            first.get_or_insert((id, earlier, row));
        }
    }
    let Some((id, earlier, row)) = first else { return Ok(()) };
    let more = if repeats > 1 { format!("; {repeats} rows repeat an id") } else { String::new() };
    Err(Error::data_with_hint(
        format!("`{}`: rows {} and {} have the same id `{id}`{more}", part.name, earlier + 1, row + 1),
        Hint::OtherIdColumn,
    ))
}

/// The ids of one table.
struct Ids<'a> {
    /// Its place among the parts.
    at: usize,
    name: &'a str,
    ids: &'a [String],
    row_of: HashMap<&'a str, usize>,
    counts_rows: bool,
}

impl<'a> Ids<'a> {
    fn of(at: usize, part: &JoinFile<'a>) -> Option<Self> {
        let ids = part.ids?;
        let row_of = ids.iter().enumerate().map(|(row, id)| (id.as_str(), row)).collect();
        let counts = |from: usize| ids.iter().enumerate().all(|(row, id)| *id == (row + from).to_string());
        Some(Self { at, name: part.name, ids, row_of, counts_rows: counts(0) || counts(1) })
    }

    fn has_the_set_of(&self, other: &Self) -> bool {
        self.ids.len() == other.ids.len() && self.ids.iter().all(|id| other.row_of.contains_key(id.as_str()))
    }

    /// Whether its ids only say where a row stands, so that they cannot be compared with those of `other`.
    fn is_by_position(&self, other: &Self) -> bool {
        let disjoint = || !self.ids.iter().any(|id| other.row_of.contains_key(id.as_str()));
        self.counts_rows && self.ids.len() == other.ids.len() && (other.counts_rows || disjoint())
    }

    fn alignment(&self, ids: &[String]) -> Alignment {
        if self.ids == ids {
            return Alignment::Same;
        }
        Alignment::Rows(ids.iter().map(|id| self.row_of.get(id.as_str()).copied()).collect())
    }

    fn note(&self, ids: &[String], first: &Self, alignment: &Alignment) -> Option<Note> {
        let Alignment::Rows(rows) = alignment else { return None };
        let kept = rows.iter().flatten().count();
        if kept < self.ids.len() {
            let (dropped, of) = (self.ids.len() - kept, self.ids.len());
            return Some(Note::Dropped { file: self.name.to_owned(), dropped, of });
        }
        let moved = self.at != first.at && ids.len() == self.ids.len();
        moved.then(|| Note::Reordered { file: self.name.to_owned(), like: first.name.to_owned() })
    }
}

fn intersection(first: &Ids<'_>, tables: &[&Ids<'_>]) -> Result<Vec<String>> {
    let everywhere = |id: &&String| tables.iter().all(|table| table.row_of.contains_key(id.as_str()));
    let ids: Vec<String> = first.ids.iter().filter(everywhere).cloned().collect();
    if ids.is_empty() {
        return Err(Error::data_with_hint("no sample is in every table", Hint::CheckIdColumn));
    }
    Ok(ids)
}

fn union(first: &Ids<'_>, tables: &[&Ids<'_>]) -> Vec<String> {
    let mut seen: HashSet<&str> = HashSet::new();
    let all = first.ids.iter().chain(tables.iter().flat_map(|table| table.ids));
    all.filter(|id| seen.insert(id)).cloned().collect()
}

/// How the sets of two tables differ, and what can be done.
fn differ(first: &Ids<'_>, tables: &[&Ids<'_>], parts: &[JoinFile<'_>]) -> Error {
    let Some(other) = tables.iter().find(|table| !table.has_the_set_of(first)) else {
        return Error::data("the tables do not have the same samples");
    };
    let only = |a: &Ids<'_>, b: &Ids<'_>| -> (usize, String) {
        let absent: Vec<&String> = a.ids.iter().filter(|id| !b.row_of.contains_key(id.as_str())).collect();
        let examples: Vec<String> = absent.iter().take(3).map(|id| format!("`{id}`")).collect();
        let more = if absent.len() > 3 { ", .." } else { "" };
        (absent.len(), format!("{} only in `{}` ({}{more})", absent.len(), a.name, examples.join(", ")))
    };
    let sides = [only(first, other), only(other, first)];
    let both = first.ids.len() - sides[0].0;
    let listed: Vec<&str> = sides.iter().filter(|side| side.0 > 0).map(|side| side.1.as_str()).collect();
    let what = format!("`{}` and `{}` have {both} samples in common, {}", first.name, other.name, listed.join(", "));
    let turned = |a: &Ids<'_>, b: &JoinFile<'_>| {
        let columns: HashSet<&str> = b.columns.unwrap_or_default().iter().map(String::as_str).collect();
        2 * a.ids.iter().filter(|id| columns.contains(id.as_str())).count() > a.ids.len()
    };
    let hint = if turned(first, &parts[other.at]) {
        Hint::TransposeTable { table: other.name.to_owned(), like: first.name.to_owned() }
    } else if turned(other, &parts[first.at]) {
        Hint::TransposeTable { table: first.name.to_owned(), like: other.name.to_owned() }
    } else if both == 0 {
        Hint::CheckIdColumn
    } else {
        Hint::JoinInnerOrOuter { common: both }
    };
    Error::data_with_hint(what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn try_join(tables: &[(&str, Option<&str>)], how: Join) -> Result<Joined> {
        let ids: Vec<Option<Vec<String>>> = tables.iter().map(|(_, ids)| ids.map(words)).collect();
        let parts: Vec<JoinFile<'_>> = tables
            .iter()
            .zip(&ids)
            .map(|(&(name, _), ids)| JoinFile { name, ids: ids.as_deref(), columns: None })
            .collect();
        let joined = join(&parts, how)?;
        if how != Join::Outer {
            joined.complete(&parts)?;
        }
        Ok(joined)
    }

    fn rows(rows: &[usize]) -> Alignment {
        Alignment::Rows(rows.iter().map(|&row| Some(row)).collect())
    }

    #[test]
    fn a_table_without_ids_keeps_its_rows_and_that_is_said() {
        let notes = |tables: &[(&str, Option<&str>)]| try_join(tables, Join::Strict).unwrap().notes;
        let said = notes(&[("a", Some("x y z")), ("b", None)]);
        assert_eq!(said, [Note::NoIds { file: "b".into(), like: "a".into() }]);
        assert!(notes(&[("a", Some("1 2 3")), ("b", None)]).is_empty(), "numbers of rows are no more than their order");
    }

    #[test]
    fn equal_sets_are_aligned_to_the_first() {
        let joined =
            try_join(&[("a", Some("x y z")), ("b", Some("z x y")), ("c", Some("x y z"))], Join::Strict).unwrap();
        assert_eq!(joined.ids.unwrap(), ["x", "y", "z"]);
        assert_eq!(joined.parts, [Alignment::Same, rows(&[1, 2, 0]), Alignment::Same]);
        assert_eq!(joined.notes, [Note::Reordered { file: "b".into(), like: "a".into() }]);
        let plain = try_join(&[("a", None), ("b", None)], Join::Strict).unwrap();
        assert_eq!((plain.ids, plain.parts), (None, vec![Alignment::Same; 2]));
    }

    #[test]
    fn other_sets_are_refused_with_counts_examples_and_both_options() {
        let error = try_join(&[("a", Some("p q r s x")), ("b", Some("x y"))], Join::Strict).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a` and `b` have 1 samples in common, 4 only in `a` (`p`, `q`, `r`, ..), 1 only in `b` (`y`)"
        );
        assert_eq!(error.hint(), Some(Hint::JoinInnerOrOuter { common: 1 }));
        let error = try_join(&[("a", Some("p q")), ("b", Some("x y"))], Join::Strict).unwrap_err();
        assert_eq!(error.hint(), Some(Hint::CheckIdColumn));
    }

    #[test]
    fn inner_and_outer() {
        let tables = [("a", Some("w x y")), ("b", Some("y z x"))];
        let inner = try_join(&tables, Join::Inner).unwrap();
        assert_eq!(inner.ids.unwrap(), ["x", "y"]);
        assert_eq!(inner.parts, [rows(&[1, 2]), rows(&[2, 0])]);
        let dropped = |file: &str| Note::Dropped { file: file.into(), dropped: 1, of: 3 };
        assert_eq!(inner.notes, [dropped("a"), dropped("b")]);
        assert!(try_join(&[("a", Some("w")), ("b", Some("y"))], Join::Inner).is_err());

        let outer = try_join(&tables, Join::Outer).unwrap();
        assert_eq!(outer.ids.as_ref().unwrap(), &["w", "x", "y", "z"]);
        assert_eq!(outer.parts[0], Alignment::Rows(vec![Some(0), Some(1), Some(2), None]));
        assert_eq!(outer.parts[1], Alignment::Rows(vec![None, Some(2), Some(0), Some(1)]));
        let part = |name| JoinFile { name, ids: None, columns: None };
        let refused = outer.complete(&[part("a"), part("b")]).unwrap_err();
        assert!(refused.to_string().contains("1 of 4 samples are not in `a`"));
        assert_eq!(refused.hint(), Some(Hint::JoinInner));
    }

    #[test]
    fn repeated_ids_are_refused_with_their_rows() {
        let error = try_join(&[("a", Some("x y x x"))], Join::Strict).unwrap_err();
        assert_eq!(error.to_string(), "`a`: rows 1 and 3 have the same id `x`; 2 rows repeat an id");
    }

    #[test]
    fn numbers_that_count_rows_are_positions_unless_they_are_the_ids_of_others() {
        let joined = try_join(&[("a", Some("0 1 2")), ("b", Some("s t u"))], Join::Strict).unwrap();
        assert_eq!((joined.ids.unwrap(), joined.parts), (words("s t u"), vec![Alignment::Same; 2]));
        assert_eq!(joined.notes, [Note::CountsRows { file: "a".into(), like: "b".into() }]);
        let bases = try_join(&[("a", Some("0 1 2")), ("b", Some("1 2 3"))], Join::Strict).unwrap();
        assert_eq!((bases.parts, bases.notes), (vec![Alignment::Same; 2], vec![]));
        let shuffled = try_join(&[("a", Some("1 2 3")), ("b", Some("3 1 2"))], Join::Strict).unwrap();
        assert_eq!((shuffled.ids.unwrap(), shuffled.parts), (words("1 2 3"), vec![Alignment::Same, rows(&[1, 2, 0])]));
        assert!(try_join(&[("a", Some("0 1 2")), ("b", Some("3 1 2"))], Join::Strict).is_err());
    }

    #[test]
    fn tables_without_ids_go_along_only_when_nothing_moves() {
        let fits = try_join(&[("a", Some("x y z")), ("b", None), ("c", Some("x y z"))], Join::Strict).unwrap();
        assert_eq!(fits.parts, vec![Alignment::Same; 3]);
        let error = try_join(&[("a", Some("x y z")), ("b", None), ("c", Some("z y x"))], Join::Strict).unwrap_err();
        assert!(error.to_string().starts_with("`b` has no ids, but the rows of `c`"));
        assert!(try_join(&[("a", None)], Join::Inner).unwrap_err().to_string().contains("no ids to join by"));
    }

    #[test]
    fn a_turned_table_is_recognised() {
        let (samples, genes) = (words("s1 s2 s3"), words("g1 g2"));
        let parts = [
            JoinFile { name: "a", ids: Some(&samples), columns: Some(&genes) },
            JoinFile { name: "b", ids: Some(&genes), columns: Some(&samples) },
        ];
        let hint = join(&parts, Join::Strict).unwrap_err().hint().unwrap();
        assert_eq!(hint, Hint::TransposeTable { table: "b".to_owned(), like: "a".to_owned() });
    }
}
