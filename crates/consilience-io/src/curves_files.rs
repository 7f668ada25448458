//! Made-up data as files, a block at a time.

use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use zip::write::FileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::npy::write_header;
use crate::write::{write_atomically, write_seekable};
use consilience::datasets::{Curves, MadeView};
use consilience::matrix::{Csr, Matrix};
use consilience::{Error, Result, Run};

const LABELS: &str = "labels.npy";

/// Writes made-up views into `folder`, dense ones as `view1.npy` in single precision, counts as `view1.npz` as scipy saves
/// them, and the clusters as `labels.npy`; gives the files. Memory does not grow with the number of samples.
///
/// # Errors
/// When the numbers are impossible, a file cannot be written, or the run is cancelled.
pub fn write_curves(curves: &Curves, folder: &Path, run: &Run) -> Result<Vec<PathBuf>> {
    curves.check()?;
    let mut written = Written { curves, run, done: 0, steps: steps(curves) };
    let files = curves_files(curves, folder);
    for ((v, view), file) in curves.views.iter().enumerate().zip(&files) {
        match view {
            MadeView::Dense(features) => written.dense(v, *features, file)?,
            MadeView::Counts(_) => written.counts(v, file)?,
        }
    }
    written.labels(&folder.join(LABELS))?;
    Ok(files)
}

/// The files that [`write_curves`] makes in `folder`.
pub fn curves_files(curves: &Curves, folder: &Path) -> Vec<PathBuf> {
    let ending = |view: &MadeView| if matches!(view, MadeView::Dense(_)) { "npy" } else { "npz" };
    let views = curves.views.iter().enumerate();
    let views = views.map(|(v, view)| folder.join(format!("{}.{}", Curves::view_name(v), ending(view))));
    views.chain([folder.join(LABELS)]).collect()
}

/// Blocks that are drawn in all: those of counts once for each array of the file.
fn steps(curves: &Curves) -> usize {
    let times = |view: &MadeView| if matches!(view, MadeView::Dense(_)) { 1 } else { 3 };
    curves.blocks() * (1 + curves.views.iter().map(times).sum::<usize>())
}

/// Files on their way.
struct Written<'a> {
    curves: &'a Curves,
    run: &'a Run,
    done: usize,
    steps: usize,
}

impl Written<'_> {
    fn step(&mut self) -> Result<()> {
        self.done += 1;
        self.run.progress(self.done, self.steps);
        self.run.check()
    }

    fn dense(&mut self, v: usize, features: usize, path: &Path) -> Result<()> {
        let (curves, shapes) = (self.curves, self.curves.shapes(v));
        let mut stopped = None;
        let file = write_atomically(path, |file| {
            write_header(file, "<f4", &[curves.samples, features])?;
            for block in 0..curves.blocks() {
                let data = self.step().and_then(|()| curves.block(v, &shapes, block));
                let Matrix::DenseF32(data) = kept(data, &mut stopped)? else { continue };
                let bytes: Vec<u8> = data.data().iter().flat_map(|x| x.to_le_bytes()).collect();
                file.write_all(&bytes)?;
            }
            Ok(())
        });
        ended(file, stopped)
    }

    fn labels(&mut self, path: &Path) -> Result<()> {
        let curves = self.curves;
        let mut stopped = None;
        let file = write_atomically(path, |file| {
            write_header(file, "<i4", &[curves.samples])?;
            for block in 0..curves.blocks() {
                kept(self.step(), &mut stopped)?;
                let bytes: Vec<u8> = curves.truth(block).iter().flat_map(|&x| (x as i32).to_le_bytes()).collect();
                file.write_all(&bytes)?;
            }
            Ok(())
        });
        ended(file, stopped)
    }

    /// An archive holds one array after the other: the same blocks are drawn for each of them.
    fn counts(&mut self, v: usize, path: &Path) -> Result<()> {
        let (curves, shapes) = (self.curves, self.curves.shapes(v));
        let mut stopped = None;
        let file = write_seekable(path, |file| {
            // dropped after a failed write it would try to finish the archive, from numbers that are wrong by then
            let mut archive = ManuallyDrop::new(ZipWriter::new(io::BufWriter::new(file)));
            let options = FileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
            let mut block = |written: &mut Self, block: usize| -> io::Result<Csr<f32>> {
                let data = written.step().and_then(|()| curves.block(v, &shapes, block));
                match kept(data, &mut stopped)? {
                    Matrix::SparseF32(data) => Ok(data),
                    _ => Err(io::Error::other("a view of counts is not sparse")),
                }
            };
            archive.start_file("indptr.npy", options)?;
            write_header(&mut *archive, "<i8", &[curves.samples + 1])?;
            let mut entries = 0_u64;
            archive.write_all(&entries.to_le_bytes())?;
            for number in 0..curves.blocks() {
                let data = block(self, number)?;
                let ends = data.indptr()[1..].iter().flat_map(|&end| (entries + end as u64).to_le_bytes());
                archive.write_all(&ends.collect::<Vec<u8>>())?;
                entries += data.nnz() as u64;
            }
            let count = usize::try_from(entries).map_err(io::Error::other)?;
            archive.start_file("indices.npy", options)?;
            write_header(&mut *archive, "<i4", &[count])?;
            for number in 0..curves.blocks() {
                let data = block(self, number)?;
                archive.write_all(&data.indices().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
            }
            archive.start_file("data.npy", options)?;
            write_header(&mut *archive, "<f4", &[count])?;
            for number in 0..curves.blocks() {
                let data = block(self, number)?;
                archive.write_all(&data.values().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
            }
            archive.start_file("shape.npy", options)?;
            write_header(&mut *archive, "<i8", &[2])?;
            let features = curves.views[v].features();
            [curves.samples, features].iter().try_for_each(|&x| archive.write_all(&(x as u64).to_le_bytes()))?;
            archive.start_file("format.npy", options)?;
            write_header(&mut *archive, "|S3", &[])?;
            archive.write_all(b"csr")?;
            archive.finish()?.flush()
        });
        ended(file, stopped)
    }
}

/// A value, or an unfinished file whose reason waits in `stopped`.
fn kept<T>(value: Result<T>, stopped: &mut Option<Error>) -> io::Result<T> {
    value.map_err(|error| {
        *stopped = Some(error);
        io::ErrorKind::Interrupted.into()
    })
}

fn ended(file: Result<()>, stopped: Option<Error>) -> Result<()> {
    stopped.map_or(file, Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    #[test]
    fn files_hold_what_is_generated() {
        let folder = tempfile::tempdir().unwrap();
        let views = vec![MadeView::Dense(5), MadeView::Counts(200)];
        let curves = Curves { samples: 5_000, clusters: 3, views, separation: 8.0, seed: 1 };
        let files = write_curves(&curves, folder.path(), &Run::default()).unwrap();
        assert_eq!(files, curves_files(&curves, folder.path()));
        let (views, truth) = curves.generate().unwrap();
        for (view, file) in views.iter().zip(&files) {
            let loaded = &read(file).unwrap().views[0].data;
            assert_eq!((loaded.rows(), loaded.cols()), (5_000, view.data.cols()));
            assert!((0..5_000).all(|i| loaded.row_entries(i) == view.data.row_entries(i)), "{}", file.display());
        }
        assert_eq!(read(&files[2]).unwrap().labels.unwrap().len(), truth.len());
    }

    #[test]
    fn a_cancelled_draw_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = consilience::Cancel::default();
        cancel.cancel();
        let curves = Curves { samples: 10, clusters: 2, views: vec![MadeView::Dense(2)], separation: 8.0, seed: 1 };
        assert!(matches!(write_curves(&curves, folder.path(), &Run::cancellable(cancel)), Err(Error::Cancelled)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
