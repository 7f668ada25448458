//! AnnData and MuData some rows at a time: dense matrices and sparse ones that are stored by rows.

use hdf5_pure::{Dataset, File, Group};

use super::matrix::{Compressed, Stored};
use super::{AnnDataFile, Choice, Kind};
use crate::guard::guarded;
use crate::hdf5::Store;
use crate::source::{PIECE, Source, Stream};
use crate::{Loaded, ReadOptions, sparse, view_from};
use consilience::matrix::Matrix;
use consilience::{Error, Result, View};

/// What a stored entry of a sparse matrix takes in memory on the way: its column twice, its value.
const ENTRY_BYTES: usize = 24;

/// The matrices of a file whose rows are the same samples, in the same order.
pub(crate) struct Rows {
    matrices: Vec<RowMatrix>,
    /// Everything but the views: ids and labels of all samples.
    about: Loaded,
    samples: usize,
    /// Bytes that are read at a time.
    piece: usize,
}

struct RowMatrix {
    name: String,
    features: Option<Vec<String>>,
    cols: usize,
    values: Values,
}

enum Values {
    Dense(Dataset),
    Sparse { indptr: Vec<usize>, indices: Dataset, data: Dataset, file_len: u64 },
}

impl Rows {
    /// None where a matrix can only be read as a whole, or the samples of one are not those of the others in their order.
    pub(crate) fn of(
        source: &Source,
        root: &Group,
        kind: Kind,
        store: &mut Store,
        options: &ReadOptions,
    ) -> Result<Option<Self>, String> {
        let mut cells = AnnDataFile { source, root, kind, store, parts: Vec::new() };
        cells.find_parts()?;
        let chosen = cells.choose(&options.views)?;
        let ids = cells.samples(&chosen);
        if chosen.iter().any(|choice| cells.parts[choice.part].samples != ids) {
            return Ok(None);
        }
        let mut matrices = Vec::new();
        for choice in &chosen {
            let Some(matrix) = RowMatrix::of(&mut cells, choice)? else { return Ok(None) };
            matrices.push(matrix);
        }
        let samples = ids.len();
        Ok(Some(Self { matrices, about: cells.about(ids, options)?, samples, piece: PIECE }))
    }

    /// How many rows after the first `start` are read at a time.
    fn next(&self, start: usize) -> usize {
        let fits = |matrix: &RowMatrix| match &matrix.values {
            Values::Dense(_) => self.piece / (8 * matrix.cols.max(1)),
            Values::Sparse { indptr, .. } => {
                indptr.partition_point(|&end| end <= indptr[start] + self.piece / ENTRY_BYTES) - 1 - start
            }
        };
        let rows = self.matrices.iter().map(fits).min().unwrap_or(0).max(1);
        rows.min(self.samples - start)
    }

    fn ids(&self, start: usize, rows: usize) -> Option<Vec<String>> {
        self.about.ids.as_ref().map(|ids| ids[start..start + rows].to_vec())
    }

    fn read(&self, source: &Source, start: usize, rows: usize) -> Result<Loaded> {
        let mut store = Store::new(source);
        let mut views = Vec::new();
        for matrix in &self.matrices {
            let damaged = |what: String| Error::format(source.path(), format!("`{}`: {what}", matrix.name));
            views.push(matrix.read(source, &mut store, start, rows).map_err(damaged)?);
        }
        let these: Vec<usize> = (start..start + rows).collect();
        let labels = self.about.labels.as_ref().map(|labels| labels.select(&these)).transpose()?;
        let (columns, entries) = (self.about.columns.clone(), self.about.entries.clone());
        Ok(Loaded { views, labels, ids: self.ids(start, rows), columns, entries, ..Loaded::default() })
    }
}

impl RowMatrix {
    fn of(cells: &mut AnnDataFile<'_, '_>, choice: &Choice) -> Result<Option<Self>, String> {
        let group = cells.parts[choice.part].group.clone();
        let file_len = cells.store.file_len;
        let (rows, cols, values) = match Stored::of(&group, &choice.entry, file_len)? {
            Stored::Dense { dataset, rows, cols } => {
                cells.store.check(&dataset)?;
                (rows, cols, Values::Dense(dataset))
            }
            Stored::Sparse(stored) if stored.by_rows => {
                let Compressed { shape, indptr, indices, data, .. } = *stored;
                cells.store.check(&indices)?;
                cells.store.check(&data)?;
                let indptr = cells.store.integers(&indptr)?;
                if indptr.len() != shape.rows() + 1 || !indptr.is_sorted() {
                    return Err(format!("its arrays contradict its shape, {} x {}", shape.rows(), shape.cols()));
                }
                (shape.rows(), shape.cols(), Values::Sparse { indptr, indices, data, file_len })
            }
            Stored::Sparse(_) | Stored::Table(_) => return Ok(None),
        };
        cells.check_rows(choice.part, rows)?;
        let features = cells.features(&group, &choice.entry, cols)?;
        Ok(Some(Self { name: choice.name.clone(), features, cols, values }))
    }

    fn read(&self, source: &Source, store: &mut Store, start: usize, rows: usize) -> Result<View, String> {
        let matrix: Matrix = match &self.values {
            Values::Dense(dataset) => {
                let numbers = store.numbers_of(dataset, start, rows)?;
                numbers.into_row_major(rows, self.cols).map_err(|error| error.to_string())?
            }
            Values::Sparse { indptr, indices, data, file_len } => {
                let (first, count) = (indptr[start], indptr[start + rows] - indptr[start]);
                let columns = store.integers_of(indices, first, count)?;
                let values = store.numbers_of(data, first, count)?;
                let ends: Vec<usize> = indptr[start..=start + rows].iter().map(|end| end - first).collect();
                sparse::from_rows(sparse::Shape::new(rows, self.cols, *file_len)?, &ends, &columns, &values)?
            }
        };
        Ok(view_from(source, &self.name, matrix).with_features(self.features.clone()))
    }
}

/// A file that is read a piece at a time.
pub(crate) struct Blocks {
    pub(crate) source: Source,
    /// Kept open for as long as its datasets are read.
    pub(crate) _file: File,
    pub(crate) rows: Rows,
    pub(crate) position: usize,
}

impl Stream for Blocks {
    fn next(&mut self) -> Result<Option<Loaded>> {
        let start = self.position;
        if start == self.rows.samples {
            return Ok(None);
        }
        let count = self.rows.next(start);
        // what came before has been handed over
        self.source.budget.renew();
        let loaded = guarded(self.source.path(), || self.rows.read(&self.source, start, count))?;
        self.position += count;
        Ok(Some(loaded))
    }

    fn next_ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let start = self.position;
        self.position = self.rows.samples;
        let count = self.rows.samples - start;
        Ok((count > 0).then(|| (count, self.rows.ids(start, count))))
    }

    fn rewind(&mut self) {
        self.position = 0;
    }

    fn progress(&self) -> (u64, u64) {
        let share = self.position as f64 / self.rows.samples.max(1) as f64;
        ((share * self.source.len() as f64) as u64, self.source.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hdf5::open;
    use crate::hdf5::{self, anndata};

    /// A file of those that the tests of all readers share.
    fn source(name: &str) -> Source {
        let packed = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files.zip")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut archive = zip::ZipArchive::new(packed).unwrap();
        std::io::copy(&mut archive.by_name(name).unwrap(), &mut std::fs::File::create(&path).unwrap()).unwrap();
        Source::open(&path, None).unwrap()
    }

    fn blocks(name: &str, options: &ReadOptions) -> Option<Blocks> {
        let source = source(name);
        let file = open(&source).unwrap();
        let (root, mut store) = (file.root(), Store::new(&source));
        let kind = anndata::kind(&root).unwrap().unwrap();
        let rows = Rows::of(&source, &root, kind, &mut store, options).unwrap()?;
        Some(Blocks { source, _file: file, rows, position: 0 })
    }

    fn asking(views: &[&str]) -> ReadOptions {
        let views = views.iter().map(ToString::to_string).collect();
        ReadOptions { views, label_column: Some("batch".into()), ..ReadOptions::default() }
    }

    /// Some rows at a time, put together again, are what is read at once.
    #[test]
    fn rows_come_as_they_are_whatever_the_size_of_a_piece() {
        let asked: [(&str, &[&str]); 5] = [
            ("cells.h5ad", &["X"]),
            ("cells_gzip.h5ad", &["X", "X_pca", "dense"]),
            ("cells_gzip.h5ad", &["dense"]),
            ("old.h5ad", &["X_pca", "X"]),
            ("cells.h5mu", &["rna", "rna:X_pca"]),
        ];
        for (name, views) in asked {
            let options = asking(views);
            let whole = hdf5::read(&source(name), &options).unwrap();
            for piece in [1, 150, 1_000, PIECE] {
                let mut blocks = blocks(name, &options).unwrap();
                blocks.rows.piece = piece;
                let (mut start, mut pieces) = (0, 0);
                while let Some(loaded) = blocks.next().unwrap() {
                    let rows: Vec<usize> = (start..start + loaded.views[0].data.rows()).collect();
                    for (view, all) in loaded.views.iter().zip(&whole.views) {
                        assert_eq!((&view.name, &view.features), (&all.name, &all.features));
                        let bytes = |data: &Matrix| format!("{data:?}");
                        assert_eq!(bytes(&view.data), bytes(&all.data.select_rows(&rows)), "{name} {}", view.name);
                    }
                    assert_eq!(loaded.ids.unwrap(), whole.ids.as_ref().unwrap()[start..start + rows.len()]);
                    let classes = |labels: &crate::Labels| {
                        labels.codes().iter().map(|&code| labels.names()[code as usize].clone()).collect::<Vec<_>>()
                    };
                    let expected = whole.labels.as_ref().map(|labels| classes(&labels.select(&rows).unwrap()));
                    assert_eq!(loaded.labels.as_ref().map(classes), expected);
                    (start, pieces) = (start + rows.len(), pieces + 1);
                }
                assert_eq!(start, whole.ids.as_ref().unwrap().len());
                assert_eq!(
                    pieces,
                    if piece == 1 {
                        start
                    } else if piece == PIECE {
                        1
                    } else {
                        pieces
                    }
                );
                assert!(piece != 150 || pieces > 1);
            }
        }
    }

    #[test]
    fn what_is_not_stored_by_rows_or_in_one_order_is_read_whole() {
        assert!(blocks("cells.h5ad", &asking(&["counts"])).is_none(), "by columns");
        assert!(blocks("cells.h5ad", &asking(&["protein"])).is_none(), "a table");
        assert!(blocks("cells.h5mu", &asking(&[])).is_none(), "another order of the cells");
    }

    #[test]
    fn ids_are_there_without_their_rows_and_reading_can_begin_again() {
        let mut blocks = blocks("cells.h5ad", &asking(&["X"])).unwrap();
        let (count, ids) = blocks.next_ids().unwrap().unwrap();
        assert_eq!((count, ids.unwrap()[1].as_str()), (blocks.rows.samples, "cell1"));
        assert!(blocks.next_ids().unwrap().is_none() && blocks.next().unwrap().is_none());
        assert_eq!(blocks.progress().0, blocks.progress().1);
        blocks.rewind();
        assert_eq!(blocks.next().unwrap().unwrap().views[0].data.rows(), count);
    }
}
