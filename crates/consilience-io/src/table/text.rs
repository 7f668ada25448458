//! Text tables: comma, tab, semicolon or blanks between the cells.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::dialect::{Delimiter, is_header, is_missing, number};
use super::roles::{Columns, Evidence, Role, Roles, candidates, refuse_text};
use super::{Content, assemble};
use super::{dialect, marks};
use crate::source::Source;
use crate::{Labelled, Labels, Loaded, ReadOptions};
use consilience::{Error, Result};

/// Rows that decide whether the first one is a header.
const ROWS_JUDGED: usize = 100;

/// A table whose text is in memory and whose shape is known; or a piece of one, that begins somewhere below its header.
pub(super) struct Table {
    text: String,
    delimiter: Delimiter,
    /// What starts a comment line, where there are some.
    comment: Option<u8>,
    decimal_commas: bool,
    pub(super) columns: Columns,
    rows: usize,
    pub(super) evidence: Evidence,
    /// Lines of the file before the text; none for a text that begins with the header, where there is one.
    lines_before: u64,
    /// Rows of the table are columns of the file.
    turned: bool,
}

/// The table in `source` as one view, with ids and labels where it has them.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let path = source.path();
    let mut table = Table::open(source)?;
    if options.turns(path) {
        table = table.transposed(path)?;
    }
    let roles = Roles::decide(path, &table.columns, &table.evidence, options)?;
    let content = table.content(path, &roles)?;
    let loaded = assemble(source, table.columns, roles, content)?;
    Ok(Loaded { turned: table.turned, ..loaded })
}

/// The labels in `source`, its label column or the only column beside the id, with the ids.
pub(crate) fn read_labels(source: &Source) -> Result<Labelled> {
    let path = source.path();
    let table = Table::open(source)?;
    let width = table.columns.width;
    let mut roles = Roles::decide(path, &table.columns, &table.evidence, &ReadOptions::default())?;
    if roles.only(Role::Label).is_none() && width == 1 {
        roles.of = vec![Role::Label];
    } else if roles.all(Role::Feature).count() == 2 && width == 2 && table.evidence.first_counts_rows() {
        roles.of = vec![Role::Id, Role::Label];
    }
    let candidates: Vec<usize> = roles.all(Role::Feature).collect();
    let column = match (roles.only(Role::Label), candidates.as_slice()) {
        (Some(label), _) => label,
        (None, &[only]) => only,
        _ => {
            let what = format!("which of its {width} columns holds the labels? None is called labels, y, Y, gt");
            return Err(Error::format(path, format!("{what}, gnd, truth or label")));
        }
    };
    let id = roles.only(Role::Id);
    let (mut labels, mut ids) = (Vec::new(), Vec::new());
    table.for_each_row(path, |line, cells| {
        labels.push(table.label_at(path, line, cells[column])?);
        ids.extend(id.map(|id| cells[id].trim().to_owned()));
        Ok(())
    })?;
    Ok(Labelled { labels: Labels::from_names(&labels), ids: id.map(|_| super::plain_ids(ids)) })
}

/// The cells of a table as they are written.
pub(crate) struct Cells {
    /// The columns' names, or "column" and their numbers.
    pub(crate) names: Vec<String>,
    /// All rows but the header, each as wide.
    pub(crate) rows: Vec<Vec<String>>,
}

/// The table in `source` as text.
pub(crate) fn read_cells(source: &Source) -> Result<Cells> {
    let (path, table) = (source.path(), Table::open(source)?);
    let mut rows = Vec::new();
    table.for_each_row(path, |_, cells| {
        rows.push(cells.iter().map(|cell| (*cell).to_owned()).collect());
        Ok(())
    })?;
    let name = |j: usize| {
        let named = table.columns.names.as_ref().map(|names| names[j].clone()).filter(|name| !name.is_empty());
        named.unwrap_or_else(|| format!("column {}", j + 1))
    };
    Ok(Cells { names: (0..table.columns.width).map(name).collect(), rows })
}

impl Table {
    /// Reads the text and looks at its first rows and its first column.
    fn open(source: &Source) -> Result<Self> {
        let path = source.path();
        let table = Self::of(path, dialect::text(source)?)?;
        source.budget.take_elements(table.rows * table.columns.width, 8).map_err(|what| Error::format(path, what))?;
        Ok(table)
    }

    /// Looks at a text that begins with the file.
    pub(super) fn of(path: &Path, mut text: String) -> Result<Self> {
        let (delimiter, comment) = (Delimiter::decide(&text), marks::comment(&text));
        marks::uncomment_header(&mut text, comment, |row| delimiter.split(row));
        let decimal_commas = match delimiter {
            Delimiter::Byte(byte) => marks::has_decimal_commas(&text, comment, byte),
            Delimiter::Blanks => false,
        };
        Self { comment, decimal_commas, ..Self::unseen(text, delimiter) }.looked_at(path)
    }

    /// The same table with another piece of its text, that `lines_before` lines come before.
    pub(super) fn continued(&self, text: String, lines_before: u64) -> Self {
        let columns = self.columns.clone();
        let unseen = Self::unseen(text, self.delimiter);
        Self { comment: self.comment, decimal_commas: self.decimal_commas, columns, lines_before, ..unseen }
    }

    /// The cells by the roles of their columns.
    pub(super) fn content(&self, path: &Path, roles: &Roles) -> Result<Content> {
        let mut content = Content { features: roles.all(Role::Feature).collect(), ..Content::default() };
        content.categories = roles.all(Role::OneHot).map(|j| (j, Vec::new())).collect();
        let (mut ids, mut labels) = (Vec::new(), Vec::new());
        self.for_each_row(path, |line, cells| {
            content.rows += 1;
            for (j, cell) in cells.iter().enumerate() {
                match roles.of[j] {
                    Role::Id => ids.push(cell.trim().to_owned()),
                    Role::Label => labels.push(self.label_at(path, line, cell)?),
                    Role::Feature => content.numbers.push(match number(cell) {
                        Some(number) => number,
                        None => return Err(self.not_a_number(path, line, (j, cell), roles)),
                    }),
                    Role::OneHot => {
                        let column = content.categories.iter_mut().find(|(at, _)| *at == j);
                        column.into_iter().for_each(|(_, cells)| cells.push((*cell).to_owned()));
                    }
                    Role::Dropped => {}
                }
            }
            Ok(())
        })?;
        content.labels = roles.only(Role::Label).map(|_| Labels::from_names(&labels));
        content.ids = roles.only(Role::Id).map(|_| ids);
        Ok(content)
    }

    /// Text of which nothing else is known.
    fn unseen(text: String, delimiter: Delimiter) -> Self {
        let columns = Columns { names: None, width: 0 };
        let evidence = Evidence { values: BTreeMap::new(), others_whole: true };
        Self {
            text,
            delimiter,
            comment: None,
            decimal_commas: false,
            columns,
            rows: 0,
            evidence,
            lines_before: 0,
            turned: false,
        }
    }

    /// Looks at the first rows, then at the columns that may be ids or labels.
    fn looked_at(mut self, path: &Path) -> Result<Self> {
        self.find_header(path)?;
        self.survey(path)?;
        Ok(self)
    }

    /// The same cells with rows and columns exchanged: the header holds the samples, the first column the features.
    fn transposed(&self, path: &Path) -> Result<Self> {
        let mut columns: Vec<Vec<String>> = match &self.columns.names {
            Some(names) => names.iter().map(|name| vec![name.clone()]).collect(),
            None => vec![Vec::new(); self.columns.width],
        };
        self.for_each_row(path, |_, cells| {
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push((*cell).to_owned()));
            Ok(())
        })?;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: String| Error::format(path, format!("cannot be turned: {error}"));
        for column in &columns {
            writer.write_record(column).map_err(|error| failed(error.to_string()))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| failed(error.to_string()))?;
        Self { turned: true, ..Self::unseen(text, Delimiter::Byte(b',')) }.looked_at(path)
    }

    /// Decides on the width and the header by the first rows.
    fn find_header(&mut self, path: &Path) -> Result<()> {
        let mut head: Vec<Vec<String>> = Vec::new();
        self.for_each_record(path, |_, cells| {
            head.push(cells.iter().map(|cell| cell.trim().to_owned()).collect());
            Ok(head.len() <= ROWS_JUDGED)
        })?;
        let Some((first, following)) = head.split_first() else {
            return Err(Error::format(path, "holds no rows"));
        };
        self.columns.width = first.len();
        // R writes no name for the column of row names: the header is one cell short
        let short_by_one = following.first().is_some_and(|row| row.len() == first.len() + 1);
        let padded: Vec<String> = std::iter::once(String::new()).chain(first.iter().cloned()).collect();
        if short_by_one && is_header(&padded, following) {
            self.columns = Columns { width: padded.len(), names: Some(padded) };
        } else if is_header(first, following) {
            self.columns.names = Some(first.clone());
        }
        let whole = |cell: &String| number(cell).is_none_or(|x| x.is_nan() || x.fract() == 0.0);
        let width = self.columns.width;
        self.evidence.others_whole =
            following.iter().filter(|row| row.len() == width).all(|row| row.iter().skip(1).all(whole));
        Ok(())
    }

    /// Goes through all rows once: their number, their widths, and the columns that may be ids or labels.
    fn survey(&mut self, path: &Path) -> Result<()> {
        let mut rows = 0_usize;
        let mut values: BTreeMap<usize, Vec<String>> =
            candidates(&self.columns).into_iter().map(|j| (j, Vec::new())).collect();
        self.for_each_row(path, |_, cells| {
            values.iter_mut().for_each(|(&j, column)| column.push(cells[j].trim().to_owned()));
            rows += 1;
            Ok(())
        })?;
        if rows == 0 {
            return Err(Error::format(path, "holds a header but no rows"));
        }
        (self.rows, self.evidence.values) = (rows, values);
        Ok(())
    }

    /// Every row below the header, with its line; a row of another width is an error.
    fn for_each_row(&self, path: &Path, mut visit: impl FnMut(u64, &[&str]) -> Result<()>) -> Result<()> {
        let mut header_is_ahead = self.columns.names.is_some() && self.lines_before == 0;
        self.for_each_record(path, |line, cells| {
            if std::mem::take(&mut header_is_ahead) {
                return Ok(true);
            }
            if cells.len() != self.columns.width {
                let (cells, width) = (cells.len(), self.columns.width);
                let what = format!("line {line} has {cells} columns, the lines before it have {width}");
                return Err(Error::format(path, what));
            }
            visit(line, cells).map(|()| true)
        })
    }

    /// Every record with its line, until `visit` has seen enough.
    fn for_each_record(&self, path: &Path, mut visit: impl FnMut(u64, &[&str]) -> Result<bool>) -> Result<()> {
        let byte = match self.delimiter {
            Delimiter::Byte(byte) => byte,
            Delimiter::Blanks => {
                let is_row = |line: &str| !line.trim().is_empty() && !marks::is_comment(line, self.comment);
                for (index, line) in self.text.lines().enumerate().filter(|(_, line)| is_row(line)) {
                    let cells: Vec<&str> = line.split_ascii_whitespace().map(|cell| cell.trim_matches('"')).collect();
                    if !visit(self.lines_before + index as u64 + 1, &cells)? {
                        break;
                    }
                }
                return Ok(());
            }
        };
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(byte).comment(self.comment).has_headers(false).flexible(true);
        let mut reader = builder.from_reader(self.text.as_bytes());
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| Error::format(path, error.to_string()))? {
            let line = self.lines_before + record.position().map_or(0, |position| self.line_at(position));
            let pointed: Vec<Cow<'_, str>>;
            let cells: Vec<&str> = if self.decimal_commas {
                pointed = record.iter().map(marks::with_point).collect();
                pointed.iter().map(AsRef::as_ref).collect()
            } else {
                record.iter().collect()
            };
            // a line of spaces only; an empty one never gets here
            if cells.len() == 1 && cells[0].trim().is_empty() && self.columns.width != 1 {
                continue;
            }
            if !visit(line, &cells)? {
                break;
            }
        }
        Ok(())
    }

    /// The line a record starts on. csv's position is where it began to look, which may be at empty lines and comments
    /// before it.
    fn line_at(&self, position: &csv::Position) -> u64 {
        let from = self.text.as_bytes().get(position.byte() as usize..).unwrap_or_default();
        let passed = |line: &&[u8]| {
            let is_comment = self.comment.is_some() && line.first() == self.comment.as_ref();
            is_comment || line.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
        };
        position.line() + from.split_inclusive(|&byte| byte == b'\n').take_while(passed).count() as u64
    }

    /// Where a cell stands in the file.
    fn place(&self, line: u64, j: usize) -> String {
        let (line, column) = if self.turned { (j as u64 + 1, line) } else { (line, j as u64 + 1) };
        match self.columns.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if !name.is_empty() => format!("line {line}, column {column} (`{name}`)"),
            _ => format!("line {line}, column {column}"),
        }
    }

    fn label_at(&self, path: &Path, line: u64, cell: &str) -> Result<String> {
        let cell = cell.trim();
        if is_missing(cell) && cell != "None" {
            let place = if self.turned { "column" } else { "line" };
            return Err(Error::format(path, format!("{place} {line}: the label is missing")));
        }
        Ok(cell.to_owned())
    }

    /// A word where a number should be: one cell of a column of numbers, or whole columns of text.
    fn not_a_number(&self, path: &Path, line: u64, (j, cell): (usize, &str), roles: &Roles) -> Error {
        let (mut words, mut filled) = (vec![0_usize; self.columns.width], vec![0_usize; self.columns.width]);
        let counted = self.for_each_row(path, |_, cells| {
            for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| !is_missing(cell.trim())) {
                filled[at] += 1;
                words[at] += usize::from(number(cell).is_none());
            }
            Ok(())
        });
        let text: Vec<usize> = roles.all(Role::Feature).filter(|&at| 2 * words[at] > filled[at]).collect();
        if counted.is_ok() && text.contains(&j) {
            return refuse_text(path, &self.columns, &text);
        }
        let shown: String = cell.chars().take(40).collect();
        Error::format(path, format!("{}: `{shown}` is not a number", self.place(line, j)))
    }
}
