//! Text tables a piece at a time.

use std::io::Read;

use super::dialect::from_utf8;
use super::roles::{Role, Roles};
use super::text::Table;
use super::{Content, assemble};
use crate::signature::is_utf16;
use crate::source::{PIECE, Source, Stream};
use crate::{Loaded, ReadOptions};
use consilience::{Error, Result};

/// The table in `source`, some rows at a time; none where its characters are not bytes.
pub(crate) fn stream(source: Source, options: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
    if is_utf16(&source.head()?) {
        return Ok(None);
    }
    Ok(Some(Box::new(Lines { source, options: options.clone(), first: None, position: 0, lines: 0 })))
}

struct Lines {
    source: Source,
    options: ReadOptions,
    /// What the first piece decided for all of them: how cells are written, and what columns are for.
    first: Option<(Table, Roles)>,
    /// Bytes and lines that have been read.
    position: u64,
    lines: u64,
}

impl Lines {
    /// Whole rows that come next, and the lines before them.
    fn text(&mut self) -> Result<Option<(String, u64)>> {
        let mut bytes = Vec::new();
        loop {
            let from = self.position + bytes.len() as u64;
            let read = self.source.reader_at(from).take(PIECE as u64).read_to_end(&mut bytes);
            let read = read.map_err(|error| Error::reading(self.source.path(), error))?;
            if read < PIECE {
                break;
            }
            if let Some(end) = last_row(&bytes) {
                bytes.truncate(end);
                break;
            }
            // a row that is longer than a piece
            self.source.budget.take(read as u64).map_err(|what| Error::format(self.source.path(), what))?;
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let (first, lines) = (self.position, self.lines);
        self.position += bytes.len() as u64;
        self.lines += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Ok(Some((from_utf8(&self.source, bytes, first)?, lines)))
    }

    /// The cells of the next rows by roles that follow from those of the columns.
    fn content(&mut self, wanted: impl Fn(&Roles) -> Roles) -> Result<Option<Content>> {
        while let Some((text, lines)) = self.text()? {
            let path = self.source.path();
            let content = match &self.first {
                Some((table, roles)) if lines > 0 => table.continued(text, lines).content(path, &wanted(roles))?,
                _ => {
                    let table = Table::of(path, text)?;
                    let roles = Roles::decide(path, &table.columns, &table.evidence, &self.options)?;
                    let content = table.content(path, &wanted(&roles))?;
                    // the text itself is not needed again
                    self.first = Some((table.continued(String::new(), 0), roles));
                    content
                }
            };
            if content.rows > 0 {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }
}

impl Stream for Lines {
    fn next(&mut self) -> Result<Option<Loaded>> {
        let Some(content) = self.content(Roles::clone)? else { return Ok(None) };
        let Some((table, roles)) = &self.first else { return Ok(None) };
        assemble(&self.source, table.columns.clone(), roles.clone(), content).map(Some)
    }

    fn next_ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let ids_only = |roles: &Roles| {
            let role = |role: &Role| if *role == Role::Id { Role::Id } else { Role::Dropped };
            Roles { of: roles.of.iter().map(role).collect(), notes: Vec::new() }
        };
        Ok(self.content(ids_only)?.map(|content| (content.rows, content.ids)))
    }

    fn rewind(&mut self) {
        (self.position, self.lines) = (0, 0);
    }

    fn progress(&self) -> (u64, u64) {
        (self.position, self.source.len())
    }
}

/// Where the last whole row ends: after a line break outside quotes, or after any when quotes are never closed.
fn last_row(bytes: &[u8]) -> Option<usize> {
    let (mut quoted, mut outside, mut any) = (false, None, None);
    for (at, &byte) in bytes.iter().enumerate() {
        quoted ^= byte == b'"';
        if byte == b'\n' {
            any = Some(at + 1);
            outside = if quoted { outside } else { any };
        }
    }
    outside.or(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_outside_quotes() {
        assert_eq!(last_row(b"a,b\n1,2\n3,"), Some(8));
        assert_eq!(last_row(b"a,b\n\"1\n2\",2\n\"3\n"), Some(12));
        assert_eq!(last_row(b"5\",b\n1,2\n"), Some(9), "a quote that is none");
        assert_eq!(last_row(b"a,b"), None);
    }
}
