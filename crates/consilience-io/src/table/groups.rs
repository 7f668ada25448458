//! Parquet tables some rows at a time, whatever the size of the file's own groups of rows.

use parquet::column::reader::ColumnReader;
use parquet::file::reader::FileReader;

use super::assemble;
use super::column::{Column, Raw, append};
use super::parquet::{Opened, Table, rows_of};
use super::roles::{Role, Roles};
use crate::guard::guarded;
use crate::source::{PIECE, Source, Stream};
use crate::{Loaded, ReadOptions};
use consilience::Result;

/// The rows of the table in `source`, some at a time.
pub(crate) fn stream(source: Source, options: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
    let opened = guarded(source.path(), || Opened::new(&source))?;
    // what is wrong is told by whoever reads it whole
    if opened.rows == 0 || opened.columns.width == 0 {
        return Ok(None);
    }
    let rows_at_once = (PIECE / (8 * opened.columns.width)).max(1);
    Ok(Some(Box::new(Groups::new(source, options.clone(), opened, rows_at_once))))
}

struct Groups {
    source: Source,
    options: ReadOptions,
    opened: Opened,
    /// What the first rows decided for all of them.
    roles: Option<Roles>,
    rows_at_once: usize,
    position: Position,
}

/// How far the file has been read.
#[derive(Default)]
struct Position {
    next_group: usize,
    /// Rows that are left of the group before, and its columns.
    left: usize,
    columns: Vec<ColumnReader>,
    /// Rows that have been read in all.
    rows: usize,
}

impl Groups {
    fn new(source: Source, options: ReadOptions, opened: Opened, rows_at_once: usize) -> Self {
        Self { source, options, opened, roles: None, rows_at_once, position: Position::default() }
    }

    /// The next rows of the columns that are `wanted`; the others have none. Between two rewinds always the same are wanted.
    fn table(&mut self, wanted: impl Fn(usize) -> bool) -> Result<Option<Table<'_>>> {
        while self.position.left == 0 {
            if self.position.next_group >= self.opened.reader.num_row_groups() {
                return Ok(None);
            }
            self.open_group()?;
        }
        let width = self.opened.columns.width;
        let rows = self.rows_at_once.min(self.position.left);
        // what came before has been handed over
        self.source.budget.renew();
        self.opened.reserve(&self.source, rows)?;
        let mut columns = Vec::with_capacity(width);
        for j in 0..width {
            columns.push(if wanted(j) { self.column(j, rows)? } else { Column::Numbers(Vec::new()) });
        }
        self.position.left -= rows;
        self.position.rows += rows;
        Ok(Some(Table { rows, columns, integers: &self.opened.integers }))
    }

    fn open_group(&mut self) -> Result<()> {
        let (opened, position) = (&self.opened, &mut self.position);
        let damaged = |error: parquet::errors::ParquetError| {
            consilience::Error::format(self.source.path(), format!("the Parquet file is damaged: {error}"))
        };
        let group = opened.reader.get_row_group(position.next_group).map_err(damaged)?;
        position.next_group += 1;
        position.left = rows_of(&*group);
        let columns = (0..opened.columns.width).map(|j| group.get_column_reader(j));
        position.columns = columns.collect::<Result<_, _>>().map_err(damaged)?;
        Ok(())
    }

    fn column(&mut self, j: usize, rows: usize) -> Result<Column> {
        let meaning = self.opened.meanings[j];
        if let Some(why) = meaning.refusal() {
            return Ok(Column::Refused(why));
        }
        let mut raw = None;
        let read = append(&self.source, (&mut self.position.columns[j], meaning), rows, &mut raw);
        read.map_err(|error| self.opened.wrong(&self.source, j, &error.to_string()))?;
        let (held, column) = raw.map_or_else(|| (0, Column::Numbers(Vec::new())), Raw::finished);
        if held == rows {
            return Ok(column);
        }
        let what = format!("holds {held} values where its group has {rows} rows");
        Err(self.opened.wrong(&self.source, j, &what))
    }

    fn rows(&mut self) -> Result<Option<Loaded>> {
        let (path, options) = (self.source.path().to_owned(), self.options.clone());
        let (known, names) = (self.roles.clone(), self.opened.columns.clone());
        let wanted = |j: usize| known.as_ref().is_none_or(|roles| roles.of[j] != Role::Dropped);
        let Some(table) = self.table(wanted)? else { return Ok(None) };
        let roles = known.map_or_else(|| table.roles(&path, &names, &options), Ok)?;
        let content = table.content(&path, &names, &roles)?;
        self.roles = Some(roles.clone());
        assemble(&self.source, names, roles, content).map(Some)
    }

    fn ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let Some(j) = self.roles.as_ref().and_then(|roles| roles.only(Role::Id)) else {
            // nothing to read: the footer says how many rows there are
            let rows = self.opened.rows - self.position.rows;
            self.position.rows = self.opened.rows;
            return Ok((rows > 0).then_some((rows, None)));
        };
        let Some(table) = self.table(|other| other == j)? else { return Ok(None) };
        Ok(Some((table.rows, Some(super::plain_ids(table.cells(j))))))
    }
}

impl Stream for Groups {
    fn next(&mut self) -> Result<Option<Loaded>> {
        let path = self.source.path().to_owned();
        guarded(&path, || self.rows())
    }

    fn next_ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let path = self.source.path().to_owned();
        guarded(&path, || self.ids())
    }

    fn rewind(&mut self) {
        self.position = Position::default();
    }

    fn progress(&self) -> (u64, u64) {
        let share = self.position.rows as f64 / self.opened.rows.max(1) as f64;
        ((share * self.source.len() as f64) as u64, self.source.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    const SCHEMA: &str = "message t { required binary id (STRING); required float x; optional int64 n; }";

    /// Groups of 5, 0 and 8 rows; the values of `n` are missing where the row number is 6.
    fn table(path: &std::path::Path) {
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let file = std::fs::File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
        for rows in [0..5, 5..5, 5..13_i64] {
            let mut group = writer.next_row_group().unwrap();
            let ids: Vec<ByteArray> = rows.clone().map(|i| format!("s{i}").as_str().into()).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap();
            column.close().unwrap();
            let x: Vec<f32> = rows.clone().map(|i| i as f32 / 2.0).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<FloatType>().write_batch(&x, None, None).unwrap();
            column.close().unwrap();
            let n: Vec<i64> = rows.clone().filter(|i| *i != 6).collect();
            let levels: Vec<i16> = rows.map(|i| i16::from(i != 6)).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&n, Some(&levels), None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        writer.close().unwrap();
    }

    #[test]
    fn rows_and_ids_come_in_their_order_for_any_groups_and_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        table(&path);
        for rows_at_once in [1, 2, 5, 100] {
            let source = Source::open(&path, None).unwrap();
            let opened = Opened::new(&source).unwrap();
            let mut groups = Groups::new(source, ReadOptions::default(), opened, rows_at_once);
            for pass in 0..2 {
                let (mut ids, mut values) = (Vec::new(), Vec::new());
                while let Some(loaded) = groups.next().unwrap() {
                    let data = &loaded.views[0].data;
                    assert!(data.rows() <= rows_at_once && data.cols() == 2, "{pass}");
                    ids.extend(loaded.ids.unwrap());
                    let row = |i: usize| {
                        let (columns, entries) = data.row_entries(i);
                        let at = |j| columns.iter().position(|column| *column == j).map_or(0.0, |place| entries[place]);
                        [at(0), at(1)]
                    };
                    values.extend((0..data.rows()).map(row));
                }
                assert_eq!(ids, (0..13).map(|i| format!("s{i}")).collect::<Vec<_>>());
                assert!((0..13).all(|i| values[i][0] == i as f64 / 2.0));
                assert!((0..13).all(|i| if i == 6 { values[i][1].is_nan() } else { values[i][1] == i as f64 }));
                assert_eq!(groups.progress().0, groups.progress().1);
                groups.rewind();
                let mut alone = Vec::new();
                while let Some((rows, ids)) = groups.next_ids().unwrap() {
                    assert_eq!(ids.as_ref().unwrap().len(), rows);
                    alone.extend(ids.unwrap());
                }
                assert_eq!(alone, ids);
                groups.rewind();
            }
        }
    }
}
