//! Samples that can be gone through more than once.

use crate::{Result, Run, Views};

/// Samples that can be gone through more than once.
pub trait Samples: Send {
    /// How many there are.
    fn count(&self) -> usize;

    /// The views of the samples `rows`, which rise.
    ///
    /// # Errors
    /// When they cannot be read, or the run is cancelled.
    fn some(&mut self, rows: &[usize], run: &Run) -> Result<Views>;

    /// Hands over all samples in their order, some at a time, with the run that may be told how far these are.
    ///
    /// # Errors
    /// When they cannot be read, `take` fails, or the run is cancelled.
    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()>;
}

impl Samples for &Views {
    fn count(&self) -> usize {
        self.samples()
    }

    fn some(&mut self, rows: &[usize], _: &Run) -> Result<Views> {
        self.select(rows)
    }

    fn each(&mut self, run: &Run, take: &mut dyn FnMut(&Views, &Run) -> Result<()>) -> Result<()> {
        take(self, run)
    }
}
