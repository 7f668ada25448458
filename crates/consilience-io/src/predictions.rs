//! The table of new samples' clusters.

use std::io::{self, Write};

use consilience::model::Prediction;

/// Writes a table `sample,label,confidence,distance,unlike` a piece at a time.
pub struct PredictionTable<'w>(csv::Writer<&'w mut dyn Write>);

impl<'w> PredictionTable<'w> {
    /// A table of which the names of the columns are written.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn new(writer: &'w mut dyn Write) -> io::Result<Self> {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record(["sample", "label", "confidence", "distance", "unlike"])?;
        table.flush()?;
        Ok(Self(table))
    }

    /// Writes the rows of a piece that `before` samples came before: the id of every sample, or its number counted from 1.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(&mut self, found: &Prediction, ids: Option<&[String]>, before: usize) -> io::Result<()> {
        for (i, label) in found.labels.iter().enumerate() {
            let id = ids.and_then(|ids| ids.get(i)).cloned().unwrap_or_else(|| (before + i + 1).to_string());
            let (confidence, distance) = (format!("{:.4}", found.confidence[i]), format!("{:.4}", found.distance[i]));
            let unlike = u8::from(found.unlike[i]).to_string();
            self.0.write_record([id, label.to_string(), confidence, distance, unlike])?;
        }
        self.0.flush()
    }
}
