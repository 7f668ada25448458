//! Text tables: comma, tab, semicolon or blanks between the cells.

use std::borrow::Cow;
use std::path::Path;

use super::dialect::{Delimiter, is_header, is_missing, number};
use super::{FirstColumn, Roles};
use super::{encoding, marks};
use crate::data::source::Source;
use crate::data::{Labels, Loaded, ReadOptions, view_from};
use crate::matrix::Dense;
use crate::{Error, Result, View};

/// Rows that decide whether the first one is a header.
const ROWS_JUDGED: usize = 100;

/// A table whose text is in memory and whose shape is known.
struct Table {
    text: String,
    delimiter: Delimiter,
    /// What starts a comment line, where there are some.
    comment: Option<u8>,
    decimal_commas: bool,
    names: Option<Vec<String>>,
    width: usize,
    first: FirstColumn,
    rows: usize,
}

/// The table in `source` as one view, with ids and labels where it has them.
pub(in crate::data) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let path = source.path();
    let table = Table::open(source)?;
    let roles = Roles::decide(path, table.names.as_deref(), table.width, table.first, options)?;
    let features: Vec<usize> = (0..table.width).filter(|&j| roles.is_feature(j)).collect();
    let (mut numbers, mut ids, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    table.for_each_row(path, |line, cells| {
        for (j, cell) in cells.iter().enumerate() {
            if Some(j) == roles.id {
                ids.push((*cell).to_owned());
            } else if Some(j) == roles.label {
                labels.push(label_at(path, line, cell)?);
            } else {
                numbers.push(number(cell).ok_or_else(|| table.not_a_number(path, line, j, cell))?);
            }
        }
        Ok(())
    })?;
    let features_named = |names: &Vec<String>| features.iter().filter_map(|&j| names.get(j).cloned()).collect();
    let views = match features.len() {
        0 if roles.label.is_none() => return Err(Error::format(path, "has no column of numbers")),
        0 => Vec::new(),
        cols => {
            let data = Dense::new(table.rows, cols, numbers)?.into();
            let features = table.names.as_ref().map(features_named);
            vec![View { features, ..view_from(source, source.name(), data) }]
        }
    };
    let labels = roles.label.map(|_| Labels::from_names(&labels));
    Ok(Loaded { views, labels, ids: roles.id.map(|_| ids), ..Loaded::default() })
}

/// The labels in `source`: its label column, or the only column beside the id.
pub(in crate::data) fn read_labels(source: &Source) -> Result<Labels> {
    let path = source.path();
    let table = Table::open(source)?;
    let mut roles = Roles::decide(path, table.names.as_deref(), table.width, table.first, &ReadOptions::default())?;
    if roles.label.is_none() {
        if table.width == 1 {
            roles = Roles { id: None, label: Some(0) };
        } else if table.width == 2 && roles.id.is_none() && table.first == FirstColumn::CountsRows {
            roles = Roles { id: Some(0), label: Some(1) };
        }
    }
    let candidates: Vec<usize> = (0..table.width).filter(|&j| roles.is_feature(j)).collect();
    let column = match (roles.label, candidates.as_slice()) {
        (Some(label), _) => label,
        (None, &[only]) => only,
        _ => {
            let what =
                format!("which of its {} columns holds the labels? None is called labels, y, Y, gt", table.width);
            return Err(Error::format(path, format!("{what}, gnd, truth or label")));
        }
    };
    let mut labels = Vec::new();
    table.for_each_row(path, |line, cells| {
        labels.push(label_at(path, line, cells[column])?);
        Ok(())
    })?;
    Ok(Labels::from_names(&labels))
}

fn label_at(path: &Path, line: u64, cell: &str) -> Result<String> {
    let cell = cell.trim();
    if is_missing(cell) && cell != "None" {
        return Err(Error::format(path, format!("line {line}: the label is missing")));
    }
    Ok(cell.to_owned())
}

impl Table {
    /// Reads the text and looks at its first rows and its first column.
    fn open(source: &Source) -> Result<Self> {
        let path = source.path();
        let mut text = encoding::text(source)?;
        let (delimiter, comment) = (Delimiter::decide(&text), marks::comment(&text));
        marks::uncomment_header(&mut text, comment, |row| delimiter.split(row));
        let decimal_commas = match delimiter {
            Delimiter::Byte(byte) => marks::has_decimal_commas(&text, comment, byte),
            Delimiter::Blanks => false,
        };
        let mut table = Self {
            text,
            delimiter,
            comment,
            decimal_commas,
            names: None,
            width: 0,
            first: FirstColumn::Numbers,
            rows: 0,
        };
        table.find_header(path)?;
        table.survey(path)?;
        source.budget.take_elements(table.rows * table.width, 8).map_err(|what| Error::format(path, what))?;
        Ok(table)
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
        self.width = first.len();
        // R writes no name for the column of row names: the header is one cell short
        let short_by_one = following.first().is_some_and(|row| row.len() == first.len() + 1);
        let padded: Vec<String> = std::iter::once(String::new()).chain(first.iter().cloned()).collect();
        if short_by_one && is_header(&padded, following) {
            self.width += 1;
            self.names = Some(padded);
        } else if is_header(first, following) {
            self.names = Some(first.clone());
        }
        Ok(())
    }

    /// Goes through all rows once: their number, their widths, and what the first column holds.
    fn survey(&mut self, path: &Path) -> Result<()> {
        let (mut rows, mut words, mut from_zero, mut from_one) = (0_usize, 0_usize, true, true);
        self.for_each_row(path, |_, cells| {
            words += usize::from(number(cells[0]).is_none());
            from_zero &= cells[0].trim() == rows.to_string();
            rows += 1;
            from_one &= cells[0].trim() == rows.to_string();
            Ok(())
        })?;
        if rows == 0 {
            return Err(Error::format(path, "holds a header but no rows"));
        }
        self.rows = rows;
        // a few words among numbers are mistakes, to be reported, not ids
        self.first = match (2 * words > rows, from_zero || from_one) {
            (true, _) => FirstColumn::Words,
            (_, true) => FirstColumn::CountsRows,
            _ => FirstColumn::Numbers,
        };
        Ok(())
    }

    /// Every row below the header, with its line; a row of another width is an error.
    fn for_each_row(&self, path: &Path, mut visit: impl FnMut(u64, &[&str]) -> Result<()>) -> Result<()> {
        let mut header_is_ahead = self.names.is_some();
        self.for_each_record(path, |line, cells| {
            if std::mem::take(&mut header_is_ahead) {
                return Ok(true);
            }
            if cells.len() != self.width {
                let what = format!("line {line} has {} columns, the lines before it have {}", cells.len(), self.width);
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
                    if !visit(index as u64 + 1, &cells)? {
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
            let line = record.position().map_or(0, |position| self.line_at(position));
            let pointed: Vec<Cow<'_, str>>;
            let cells: Vec<&str> = if self.decimal_commas {
                pointed = record.iter().map(marks::with_point).collect();
                pointed.iter().map(AsRef::as_ref).collect()
            } else {
                record.iter().collect()
            };
            // a line of spaces only; an empty one never gets here
            if cells.len() == 1 && cells[0].trim().is_empty() && self.width != 1 {
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

    fn not_a_number(&self, path: &Path, line: u64, j: usize, cell: &str) -> Error {
        let shown: String = cell.chars().take(40).collect();
        let column = match self.names.as_ref().and_then(|names| names.get(j)) {
            Some(name) if !name.is_empty() => format!("column {} (`{name}`)", j + 1),
            _ => format!("column {}", j + 1),
        };
        Error::format(path, format!("line {line}, {column}: `{shown}` is not a number"))
    }
}
