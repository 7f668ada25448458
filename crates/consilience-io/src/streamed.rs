//! Samples in files, a piece at a time, for a run by landmarks.

use crate::{Piece, Pieces};
use consilience::landmarks::Samples;
use consilience::plan::Size;
use consilience::{Result, Run, View, Views};

/// Samples in files.
pub struct Streamed {
    pieces: Pieces,
    count: usize,
    ids: Option<Vec<String>>,
}

impl Streamed {
    /// The samples of some files.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn new(mut pieces: Pieces) -> Result<Self> {
        let count = pieces.count()?;
        Ok(Self { pieces, count, ids: None })
    }

    /// How large they are, by the first of them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn size(&mut self) -> Result<Size> {
        self.pieces.rewind();
        let first = self.pieces.next_piece()?.map(|piece| Size::of(&piece.views));
        self.pieces.rewind();
        let (views, features) = first.map_or((0, 0), |size| (size.views, size.features));
        Ok(Size { samples: self.count, views, features, held: 0 })
    }

    /// The ids of the samples, where a file has some, after they have been gone through.
    pub fn into_ids(self) -> Option<Vec<String>> {
        self.ids
    }

    fn go(&mut self, run: &Run, mut take: impl FnMut(Piece) -> Result<()>) -> Result<()> {
        self.pieces.rewind();
        while let Some(piece) = self.pieces.next_piece()? {
            run.check()?;
            take(piece)?;
            let (done, total) = self.pieces.progress();
            run.progress(done, total);
        }
        Ok(())
    }
}

impl Samples for Streamed {
    fn count(&self) -> usize {
        self.count
    }

    fn some(&mut self, rows: &[usize], run: &Run) -> Result<Views> {
        let mut parts: Vec<Views> = Vec::new();
        let mut next = 0;
        self.go(run, |piece| {
            let end = piece.before + piece.views.samples();
            let inside: Vec<usize> =
                rows[next..].iter().take_while(|&&row| row < end).map(|row| row - piece.before).collect();
            next += inside.len();
            if !inside.is_empty() {
                parts.push(piece.views.select(&inside)?);
            }
            Ok(())
        })?;
        stacked(&parts)
    }

    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        let mut ids: Option<Vec<String>> = None;
        self.go(run, |piece| {
            if let Some(more) = piece.ids {
                ids.get_or_insert_default().extend(more);
            }
            // how far all of them are is told by the files
            take(&piece.views, &run.nested())
        })?;
        self.ids = ids;
        Ok(())
    }
}

/// Views of some samples, and of others under them.
fn stacked(parts: &[Views]) -> Result<Views> {
    let Some(first) = parts.first() else { return Views::new(Vec::new()) };
    let views = (0..first.len()).map(|v| {
        let same: Vec<&View> = parts.iter().filter_map(|part| part.iter().nth(v)).collect();
        View::stacked(&same)
    });
    Views::new(views.collect::<Result<_>>()?)
}
