//! Which column of a table is the id, which the labels, which are features. What the caller says decides, then names, then
//! values: a name alone is no proof.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::dialect::{is_missing, number};
use crate::ReadOptions;
use consilience::run::Note;
use consilience::{Error, Hint, Result};

/// Names that say, wherever the column stands, that it tells samples apart; without case and punctuation. `indexlevel0` is
/// what pandas calls a saved index.
const ID_NAMES: &str = "id sample sampleid samplename indexlevel0 barcode cellbarcode cellid patientid subjectid caseid \
    participantid obsnames uuid";
/// Names that say so of a first column whose values are all different; so does none.
const FIRST_ID_NAMES: &str = "unnamed0 index subject patient participant case cell name rowname rownames key";
/// Names of label columns, in the order in which they are believed; without case and punctuation.
const LABEL_NAMES: &str = "labels y gt gnd truth label groundtruth class classes target subtype subtypes celltype";
/// Fewer rows than this do not tell a column of distinct numbers from ids.
const FEWEST_FOR_IDS: usize = 5;

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Their names, where the table has a header.
    pub names: Option<Vec<String>>,
    /// How many there are.
    pub width: usize,
}

impl Columns {
    /// The column that the caller means: by its name, or by its number counted from 1.
    pub fn find(&self, wanted: &str) -> Option<usize> {
        let by_name = self.names.as_ref().and_then(|names| names.iter().position(|name| name == wanted));
        let by_number = || wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|&j| j < self.width);
        by_name.or_else(by_number)
    }

    /// What there is instead of a column that was asked for.
    pub fn describe(&self) -> String {
        match &self.names {
            Some(names) => format!("its columns are {}", names.iter().take(20).cloned().collect::<Vec<_>>().join(", ")),
            None => format!("it has no header and {0} columns; give a number from 1 to {0}", self.width),
        }
    }

    /// How messages call column `j`.
    pub(super) fn title(&self, j: usize) -> String {
        match self.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if !name.is_empty() => format!("column {} (`{name}`)", j + 1),
            _ => format!("column {}", j + 1),
        }
    }

    /// The name of column `j` in letters and digits, small.
    fn key(&self, j: usize) -> Option<String> {
        let name = self.names.as_ref()?.get(j)?;
        Some(name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect())
    }
}

/// Whether a cell of a first row has the name of an id or of labels.
pub(super) fn is_customary_name(cell: &str) -> bool {
    let key: String = cell.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    is_among(&key, ID_NAMES) || is_among(&key, LABEL_NAMES)
}

fn is_among(key: &str, names: &str) -> bool {
    names.split_whitespace().any(|name| name == key)
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Feature,
    Id,
    Label,
    OneHot,
    Dropped,
}

/// What every column is for, and what the user should know of that.
#[derive(Debug, Clone)]
pub(super) struct Roles {
    pub(super) of: Vec<Role>,
    pub(super) notes: Vec<Note>,
}

/// What decides: the values of the columns that [`candidates`] names, and whether all other numbers seem whole.
pub(super) struct Evidence {
    pub(super) values: BTreeMap<usize, Vec<String>>,
    pub(super) others_whole: bool,
}

/// The columns whose values decide their role. They are few, whatever the table says.
pub(super) fn candidates(columns: &Columns) -> Vec<usize> {
    let customary = |j: &usize| columns.key(*j).is_some_and(|key| is_customary_name(&key));
    let mut found: Vec<usize> =
        (0..columns.width.min(1)).chain((1..columns.width).filter(customary).take(32)).collect();
    found.dedup();
    found
}

impl Roles {
    /// Decides by what the caller asked for, then by names and values.
    pub(super) fn decide(path: &Path, columns: &Columns, evidence: &Evidence, options: &ReadOptions) -> Result<Self> {
        let mut roles = Self { of: vec![Role::Feature; columns.width], notes: Vec::new() };
        for (wanted, role) in [(&options.one_hot, Role::OneHot), (&options.drop_columns, Role::Dropped)] {
            wanted.iter().filter_map(|name| columns.find(name)).for_each(|j| roles.of[j] = role);
        }
        let asked = |wanted: &Option<String>| wanted.as_ref().and_then(|name| columns.find(name));
        let (id, label) = (asked(&options.id_column), asked(&options.label_column));
        if id.is_some() && id == label {
            return Err(Error::format(path, "the same column was named as id and as label"));
        }
        if let Some(j) = id.into_iter().chain(label).find(|&j| roles.of[j] != Role::Feature) {
            let what = format!("{} cannot be id or labels and be dropped or one-hot coded", columns.title(j));
            return Err(Error::format(path, what));
        }
        id.into_iter().for_each(|j| roles.of[j] = Role::Id);
        let decider = Decider { file: path.display().to_string(), columns, evidence };
        match label {
            Some(j) => roles.of[j] = Role::Label,
            None => decider.find_label(&mut roles),
        }
        decider.mention_other_labels(&mut roles);
        // no column at all when the caller says none, unless one has that name
        if id.is_none() && options.id_column.as_deref() != Some(ReadOptions::NO_COLUMN) {
            decider.find_id(&mut roles);
        }
        Ok(roles)
    }

    /// The column of a role that only one can have.
    pub(super) fn only(&self, role: Role) -> Option<usize> {
        self.of.iter().position(|found| *found == role)
    }

    pub(super) fn all(&self, role: Role) -> impl Iterator<Item = usize> {
        (0..self.of.len()).filter(move |&j| self.of[j] == role)
    }
}

struct Decider<'a> {
    file: String,
    columns: &'a Columns,
    evidence: &'a Evidence,
}

impl Decider<'_> {
    fn values(&self, j: usize) -> Values<'_> {
        Values(self.evidence.values.get(&j).map_or(&[], Vec::as_slice))
    }

    /// The columns that are still features and have one of `names`, in the order of these.
    fn named(&self, roles: &Roles, names: &str) -> Vec<usize> {
        let rank = |j: usize| self.columns.key(j).and_then(|key| names.split_whitespace().position(|name| name == key));
        let feature = |j: &usize| roles.of.get(*j) == Some(&Role::Feature);
        let mut found: Vec<(usize, usize)> =
            self.evidence.values.keys().copied().filter(feature).filter_map(|j| Some((rank(j)?, j))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, j)| j).collect()
    }

    fn find_label(&self, roles: &mut Roles) {
        let found = self.named(roles, LABEL_NAMES).into_iter().find(|&j| self.values(j).look_like_labels());
        found.into_iter().for_each(|j| roles.of[j] = Role::Label);
    }

    /// Columns with the name of labels that stay features, which may be a mistake in either way.
    fn mention_other_labels(&self, roles: &mut Roles) {
        for j in self.named(roles, LABEL_NAMES) {
            let values = self.values(j);
            let why = if values.look_like_labels() {
                "other labels were found".to_owned()
            } else {
                format!("its {} different values do not look like labels", values.distinct())
            };
            let (file, column) = (self.file.clone(), self.columns.title(j));
            roles.notes.push(Note::StaysFeature { file, column, why });
        }
    }

    fn find_id(&self, roles: &mut Roles) {
        let named = self.named(roles, ID_NAMES).into_iter().find(|&j| self.values(j).could_be_ids());
        let first = || (roles.of.first() == Some(&Role::Feature) && self.first_is_id()).then_some(0);
        let Some(j) = named.or_else(first) else { return };
        roles.of[j] = Role::Id;
        let (file, column, numeric) = (self.file.clone(), self.columns.title(j), self.values(j).are_whole());
        roles.notes.push(Note::IdColumn { file, column, numeric });
    }

    fn first_is_id(&self) -> bool {
        let values = self.values(0);
        if values.are_words() {
            // ids but for a few repeats are refused as ids, by their rows; many repeats are a column of text
            return 10 * values.distinct() >= 9 * values.0.len();
        }
        if !values.are_whole() || values.distinct() < values.0.len() {
            return false;
        }
        let (key, name) = (self.columns.key(0), self.columns.names.as_ref().and_then(|names| names.first()));
        if key.is_some_and(|key| key.is_empty() || is_among(&key, FIRST_ID_NAMES))
            || name.is_some_and(|name| ends_in_id(name))
        {
            return true;
        }
        // a table of whole numbers may well start with distinct ones; with a header, numbers among fractions are ids
        let among_fractions = !self.evidence.others_whole;
        let telling = match name {
            Some(_) => values.are_consecutive() || among_fractions,
            None => values.are_consecutive() && among_fractions,
        };
        telling && values.are_written_whole() && values.0.len() >= FEWEST_FOR_IDS && self.columns.width > 1
    }
}

/// `batch_id`, `Sample.ID`, `donorId`; not `acid`.
fn ends_in_id(name: &str) -> bool {
    ["_id", "-id", ".id", " id", "Id", "ID"]
        .iter()
        .any(|end| name.ends_with(end) || name.ends_with(&end.to_uppercase()))
}

/// The cells of one column.
#[derive(Clone, Copy)]
struct Values<'a>(&'a [String]);

impl Values<'_> {
    fn distinct(self) -> usize {
        self.0.iter().collect::<HashSet<_>>().len()
    }

    /// Most cells are no numbers: a few words among numbers are mistakes, to be reported.
    fn are_words(self) -> bool {
        2 * self.0.iter().filter(|cell| number(cell).is_none()).count() > self.0.len()
    }

    /// Every cell is a whole number, however it is written.
    fn are_whole(self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|cell| number(cell).is_some_and(|x| x.is_finite() && x.fract() == 0.0))
    }

    /// Every cell is digits: `3.0` is a measurement.
    fn are_written_whole(self) -> bool {
        self.0.iter().all(|cell| cell.strip_prefix('-').unwrap_or(cell).bytes().all(|b| b.is_ascii_digit()))
    }

    fn could_be_ids(self) -> bool {
        self.are_words() || self.are_whole()
    }

    /// Some numbers in a row, in any order.
    fn are_consecutive(self) -> bool {
        let mut numbers: Vec<f64> = self.0.iter().filter_map(|cell| number(cell)).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
    }

    /// Text, or few different whole numbers.
    fn look_like_labels(self) -> bool {
        let present: Vec<&String> = self.0.iter().filter(|cell| !is_missing(cell)).collect();
        let n = present.len();
        let most = (n / 2).min(10 + 2 * n.isqrt()).max(2);
        let whole = |cell: &&String| number(cell).is_some_and(|x| x.fract() == 0.0);
        self.are_words() || (present.iter().all(whole) && present.iter().collect::<HashSet<_>>().len() <= most)
    }
}

impl Evidence {
    /// Whether the first column only counts the rows, from 0 or from 1.
    pub(super) fn first_counts_rows(&self) -> bool {
        let cells = self.values.get(&0).map_or(&[][..], Vec::as_slice);
        let counts = |from: usize| cells.iter().enumerate().all(|(row, cell)| *cell == (row + from).to_string());
        counts(0) || counts(1)
    }
}

/// Columns of text that nobody said what to do with.
pub(super) fn refuse_text(path: &Path, columns: &Columns, text: &[usize]) -> Error {
    let name = |j: &usize| match columns.names.as_ref().and_then(|names| names.get(*j)) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => (j + 1).to_string(),
    };
    let titles: Vec<String> = text.iter().take(10).map(|&j| columns.title(j)).collect();
    let more = if text.len() > 10 { format!(" and {} more", text.len() - 10) } else { String::new() };
    let hold = if text.len() == 1 { "holds" } else { "hold" };
    Error::data_with_hint(
        format!("`{}`: {}{more} {hold} text, which is no feature, id or label", path.display(), titles.join(", ")),
        Hint::DropOrCodeColumns { columns: text.iter().take(10).map(name).collect() },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(header: &str, rows: &[&str], options: &ReadOptions) -> (Option<usize>, Option<usize>, Vec<Note>) {
        let cells = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<String>>();
        let names = (!header.is_empty()).then(|| cells(header));
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
        let columns = Columns { names, width: rows[0].len() };
        let column = |j: usize| rows.iter().map(|row| row[j].clone()).collect();
        let values = candidates(&columns).into_iter().map(|j| (j, column(j))).collect();
        let others_whole = rows.iter().all(|row| row[1..].iter().all(|cell| !cell.contains('.')));
        let roles = Roles::decide(Path::new("t.csv"), &columns, &Evidence { values, others_whole }, options).unwrap();
        (roles.only(Role::Id), roles.only(Role::Label), roles.notes)
    }

    fn first_id(header: &str, rows: &[&str]) -> bool {
        decide(header, rows, &ReadOptions::default()).0 == Some(0)
    }

    const NUMBERS: [&str; 6] = ["7,0.5", "3,0.1", "9,0.3", "12,0.4", "5,0.6", "4,0.2"];

    #[test]
    fn ids_by_their_name() {
        for name in
            ["ID", "patient_id", "PatientID", "barcode", "subject", "index", "", "Unnamed: 0", "sample", "donorId"]
        {
            assert!(first_id(&format!("{name},v"), &NUMBERS[..3]), "{name}");
            assert!(first_id(&format!("{name},v"), &["a,1", "b,2"]), "{name}");
        }
        for name in ["acid", "grid", "x", "ratio"] {
            assert!(!first_id(&format!("{name},v"), &NUMBERS[..3]), "{name}");
        }
        assert!(!first_id("index,v", &["1,2", "1,3", "2,4"]), "repeated");
        assert!(!first_id("id,v", &["0.5,2", "1.5,3"]), "fractions");
        assert_eq!(decide("v,sample_id", &["1,a", "2,b"], &ReadOptions::default()).0, Some(1));
        assert_eq!(decide("v,batch_id", &["1,4", "2,5"], &ReadOptions::default()).0, None, "only a first column");
    }

    #[test]
    fn ids_by_their_values() {
        assert!(first_id("a,v", &NUMBERS), "distinct whole numbers among fractions");
        assert!(!first_id("a,v", &NUMBERS[..4]), "too few to tell");
        assert!(
            !first_id("a,v", &NUMBERS.map(|row| row.replacen(',', ".0,", 1)).each_ref().map(String::as_str)),
            "fractions"
        );
        assert!(!first_id("a,v", &["7,5", "3,1", "9,3", "12,4", "6,6"]), "a table of whole numbers");
        assert!(first_id("a,v", &["3,5", "1,1", "4,3", "2,4", "5,6"]), "consecutive");
        assert!(!first_id("", &NUMBERS) && first_id("", &["3,.5", "1,.1", "4,.3", "2,.4", "5,.6"]));
        assert!(first_id("gene,v", &["x,1", "y,2", "z,3"]));
        assert!(!first_id("sex,v", &["m,1", "f,2", "m,3", "m,3"]), "text that repeats");
        let notes = decide("a,v", &NUMBERS, &ReadOptions::default()).2;
        assert_eq!(notes[0].to_string(), "`t.csv`: column 1 (`a`) is taken for the samples' ids");
        assert_eq!(notes[0].hint(), Some(Hint::NoIdColumn));
    }

    #[test]
    fn labels_by_name_and_values() {
        let label = |header: &str, rows: &[&str]| decide(header, rows, &ReadOptions::default()).1;
        for name in ["y", "Label", "class", "target", "subtype", "cell_type"] {
            assert_eq!(label(&format!("v,{name}"), &["1.5,0", "2.5,1", "3.5,0", "4.5,1"]), Some(1), "{name}");
            assert_eq!(label(&format!("v,{name}"), &["1.5,a", "2.5,b"]), Some(1), "{name}");
            let (_, none, notes) =
                decide(&format!("v,{name}"), &["1.5,.1", "2.5,.2", "3.5,.3"], &ReadOptions::default());
            assert_eq!(none, None, "{name}");
            assert!(notes[0].to_string().contains("stays a feature: its 3 different values"), "{}", notes[0]);
        }
        assert_eq!(label("v,label,y", &["1.5,1,0", "2.5,1,0", "2.5,0,1"]), Some(2), "the rank of names");
        assert_eq!(label("v,w", &["1.5,a", "2.5,b"]), None);
    }

    #[test]
    fn what_the_caller_says_wins_by_name_or_number() {
        let options =
            ReadOptions { id_column: Some("b".into()), label_column: Some("3".into()), ..ReadOptions::default() };
        let rows = ["1,2,.5", "2,2,.7"];
        assert_eq!(decide("id,b,c", &rows, &options), (Some(1), Some(2), Vec::new()));
        let none = ReadOptions { id_column: Some("none".into()), ..ReadOptions::default() };
        assert_eq!(decide("id,b,c", &rows, &none).0, None);
        assert_eq!(decide("none,b,c", &rows, &none).0, Some(0));
        let drop = ReadOptions { drop_columns: vec!["id".into()], ..ReadOptions::default() };
        assert_eq!(decide("id,b,c", &rows, &drop).0, None);
    }
}
