//! Files out. Nothing is ever half written: a file appears under its name when it is whole, or not at all. What is no file
//! (a device, a FIFO, a symlink) is written to and stays what it is.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use consilience::matrix::{Csr, Dense};
use consilience::model::Prediction;
use consilience::{Error, Result};
use tempfile::NamedTempFile;
use zip::write::FileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::disk::{self, Faulty, folder_of};
use crate::npy::write_header;

/// Writes through a temporary file in the same folder, which takes the place of `path` once it is on the disk. Behind a
/// symlink that is the file it points to. A device or a FIFO is opened and written to.
///
/// # Errors
/// When the folder cannot be written to, or `fill` fails.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let failed = |source| Error::writing(path, source);
    let file = match Target::of(path).map_err(failed)? {
        Target::File(file) => file,
        Target::Stream => {
            let stream = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
            let mut writer = BufWriter::new(Faulty(stream));
            return fill(&mut writer).and_then(|()| writer.flush()).map_err(failed);
        }
    };
    write_seekable(&file, |file| {
        let mut writer = BufWriter::new(file);
        fill(&mut writer).and_then(|()| writer.flush())
    })
}

/// The same for formats that go back to what they have written: `path` is a file, or nothing yet.
pub(super) fn write_seekable(path: &Path, fill: impl FnOnce(&mut Faulty<&mut File>) -> io::Result<()>) -> Result<()> {
    let failed = |source| Error::writing(path, source);
    let mut temporary = new_temporary(path).map_err(failed)?;
    fill(&mut Faulty(temporary.as_file_mut())).map_err(failed)?;
    disk::sync(temporary.as_file()).map_err(failed)?;
    disk::point().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    // the file is there, whatever becomes of its name on a disk that loses power
    let _ = disk::sync_folder(folder_of(path));
    Ok(())
}

/// Where the bytes of a path go.
pub(crate) enum Target {
    /// A file that may be made or replaced as a whole.
    File(PathBuf),
    /// Something that is there and takes bytes as they come.
    Stream,
}

/// More symlinks in a row than any system follows.
const MOST_LINKS: usize = 40;

impl Target {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let found = match std::fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::File(path)),
                found => found?,
            };
            if !found.is_symlink() {
                // a folder is refused by the rename, in the system's words
                return Ok(if found.is_file() || found.is_dir() { Self::File(path) } else { Self::Stream });
            }
            // /dev/stdout leads to a link whose text is no path where stdout is a pipe
            if path.starts_with("/dev") || path.starts_with("/proc") {
                return Ok(Self::Stream);
            }
            path = folder_of(&path).join(std::fs::read_link(&path)?);
        }
        Err(io::Error::other("too many symlinks in a row"))
    }
}

/// A file beside `path`, with a name that says what it is for, locked as long as it is written to: those that nobody has locked
/// were left by a kill, and go.
pub(crate) fn new_temporary(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().map(|name| name.to_string_lossy().chars().take(60).collect::<String>());
    let prefix = format!(".{}.consilience-", name.unwrap_or_default());
    for entry in std::fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let ours = found.to_str().is_some_and(|found| found.starts_with(&prefix) && found.ends_with(ENDING));
        if ours && disk::is_abandoned(&entry.path()) {
            disk::remove(&entry.path())?;
        }
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(ENDING);
    // temporary files are private by default; results are as readable as any file the user makes
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    disk::point()?;
    let temporary = builder.tempfile_in(folder_of(path))?;
    // a file system without locks shows nobody that it is in use
    let _ = temporary.as_file().try_lock();
    Ok(temporary)
}

/// How names of unfinished files end.
const ENDING: &str = ".tmp";

/// Writes `sample,label`, and how sure each is, to a file of its own; see [`write_labels`].
///
/// # Errors
/// When the file cannot be written, or there are not as many ids as labels.
pub fn write_labels_csv(
    path: &Path,
    ids: Option<&[String]>,
    labels: &[usize],
    confidence: Option<&[f64]>,
) -> Result<()> {
    if let Some(ids) = ids.filter(|ids| ids.len() != labels.len()) {
        return Err(Error::data(format!("there are {} ids for {} labels", ids.len(), labels.len())));
    }
    write_atomically(path, |writer| write_labels(writer, ids, labels, confidence))
}

/// Writes a table `sample,label,confidence`: the id of every sample, or its number counted from 1, its cluster, and how sure
/// that is where it is known. Cells that a spreadsheet would run have a `'` before them (see [`safe_cell`]).
///
/// # Errors
/// When the writer fails.
pub fn write_labels(
    writer: &mut dyn Write,
    ids: Option<&[String]>,
    labels: &[usize],
    confidence: Option<&[f64]>,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(writer);
    let columns = ["sample", "label", "confidence"];
    table.write_record(&columns[..2 + usize::from(confidence.is_some())]).map_err(io_error)?;
    for (i, label) in labels.iter().enumerate() {
        let id = ids.and_then(|ids| ids.get(i)).cloned();
        let id = id.unwrap_or_else(|| (i + 1).to_string());
        let sure = confidence.and_then(|confidence| confidence.get(i)).map(|sure| format!("{sure:.4}"));
        let row = [Some(safe_cell(&id).into_owned()), Some(label.to_string()), sure];
        table.write_record(row.iter().flatten()).map_err(io_error)?;
    }
    table.flush()
}

/// A closed pipe stays one: whoever has what they wanted is no error.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The one rule for cells of every CSV that is written: text that begins as a formula (`=`, `+`, `-`, `@`, tab, line break) has a `'`
/// before it, so that no spreadsheet runs it; numbers stay numbers. [`plain_cell`] takes it back.
pub fn safe_cell(text: &str) -> Cow<'_, str> {
    if begins_as_formula(text) && text.parse::<f64>().is_err() { format!("'{text}").into() } else { text.into() }
}

/// What a cell was before [`safe_cell`].
pub fn plain_cell(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| begins_as_formula(rest)).unwrap_or(text)
}

fn begins_as_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

/// Writes a matrix as NumPy's `.npy`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_npy(path: &Path, matrix: &Dense<f64>) -> Result<()> {
    write_atomically(path, |writer| put_npy(writer, matrix))
}

/// Writes a sparse matrix as SciPy's `save_npz` does.
pub(crate) fn put_npz(writer: &mut dyn Write, matrix: &Csr<f64>) -> io::Result<()> {
    let mut archive = ZipWriter::new(io::Cursor::new(Vec::new()));
    let mut member = |name: &str, descr: &str, shape: &[usize], bytes: Vec<u8>| -> io::Result<()> {
        let options = FileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        archive.start_file(format!("{name}.npy"), options)?;
        write_header(&mut archive, descr, shape)?;
        archive.write_all(&bytes)
    };
    let nnz = matrix.nnz();
    member("indices", "<i4", &[nnz], matrix.indices().iter().flat_map(|j| (*j as i32).to_le_bytes()).collect())?;
    member(
        "indptr",
        "<i8",
        &[matrix.rows() + 1],
        matrix.indptr().iter().flat_map(|at| (*at as i64).to_le_bytes()).collect(),
    )?;
    member("format", "|S3", &[], b"csr".to_vec())?;
    let shape = [matrix.rows() as i64, matrix.cols() as i64];
    member("shape", "<i8", &[2], shape.iter().flat_map(|size| size.to_le_bytes()).collect())?;
    member("data", "<f8", &[nnz], matrix.values().iter().flat_map(|x| x.to_le_bytes()).collect())?;
    writer.write_all(archive.finish()?.get_ref())
}

pub(crate) fn put_npy(mut writer: &mut dyn Write, matrix: &Dense<f64>) -> io::Result<()> {
    write_header(&mut writer, "<f8", &[matrix.rows(), matrix.cols()])?;
    matrix.data().iter().try_for_each(|x| writer.write_all(&x.to_le_bytes()))
}

/// Writes a table `sample,label,confidence,distance,unlike` a piece at a time.
pub struct PredictionTable<'w>(csv::Writer<&'w mut dyn Write>);

impl<'w> PredictionTable<'w> {
    /// A table of which the names of the columns are written.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn new(writer: &'w mut dyn Write) -> io::Result<Self> {
        let mut table = csv::Writer::from_writer(writer);
        table.write_record(["sample", "label", "confidence", "distance", "unlike"]).map_err(io_error)?;
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
            self.0
                .write_record([safe_cell(&id).as_ref(), &label.to_string(), &confidence, &distance, &unlike])
                .map_err(io_error)?;
        }
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_writable;

    #[test]
    fn hostile_ids_survive_the_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        let ids = ["plain", "a,b", "say \"hi\"", "two\nlines", " lead", "", "=cmd()", "-1.5", "@x", "'-", "-x"];
        let ids: Vec<String> = ids.map(str::to_owned).to_vec();
        let labels = [0_usize, 1, 0, 2, 1, 1, 0, 1, 2, 0, 1];
        write_labels_csv(&path, Some(&ids), &labels, None).unwrap();
        let mut table = csv::Reader::from_path(&path).unwrap();
        let back: Vec<String> = table.records().map(|record| record.unwrap()[0].to_owned()).collect();
        assert_eq!(back[..6], ids[..6]);
        // what a spreadsheet would run, and what only looks like it
        assert_eq!(back[6..], ["'=cmd()", "-1.5", "'@x", "'-", "'-x"]);
        assert_eq!(crate::read_labels(&path).unwrap().codes(), labels.map(|label| label as u32));
        assert!(write_labels_csv(&path, Some(&ids), &[0], None).is_err());
        let read = crate::read_labelled(&path).unwrap().ids.unwrap();
        assert_eq!((read[6].as_str(), read[7].as_str(), read[8].as_str()), ("=cmd()", "-1.5", "@x"));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write_labels_csv(&path, None, &[3, 4], Some(&[1.0, 0.5])).unwrap();
        let failed = write_atomically(&path, |writer| {
            writer.write_all(b"half")?;
            Err(io::Error::other("disk on fire"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("disk on fire"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "sample,label,confidence\n1,3,1.0000\n2,4,0.5000\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn symlinks_and_fifos_are_written_to_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target.txt"), folder.path().join("link.txt"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink("target.txt", &link).unwrap();
        write_atomically(&link, |file| file.write_all(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        let dangling = folder.path().join("dangling.txt");
        std::os::unix::fs::symlink("later.txt", &dangling).unwrap();
        write_atomically(&dangling, |file| file.write_all(b"made")).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("later.txt")).unwrap(), "made");

        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::read_to_string(fifo).unwrap()
        });
        write_atomically(&fifo, |file| file.write_all(b"through")).unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert!(!std::fs::symlink_metadata(&fifo).unwrap().is_file());
        write_atomically(Path::new("/dev/null"), |file| file.write_all(b"gone")).unwrap();
        assert!(!std::fs::symlink_metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn files_are_replaced_only_when_allowed_and_inputs_never() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.csv"), folder.path().join("new.csv"));
        std::fs::write(&old, "x").unwrap();
        assert!(check_writable(&new, false, &[]).is_ok());
        assert!(check_writable(&old, false, &[]).unwrap_err().to_string().contains("exists and would be replaced"));
        assert!(check_writable(&old, true, &[]).is_ok());
        let roundabout = folder.path().join(".").join("old.csv");
        let refused = check_writable(&roundabout, true, std::slice::from_ref(&old)).unwrap_err();
        assert!(refused.to_string().contains("which this command reads"), "{refused}");
    }

    #[test]
    fn matrices_come_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        let matrix = Dense::from_fn(3, 2, |i, j| (i as f64 + 0.1) / (j as f64 - 7.3));
        write_npy(&path, &matrix).unwrap();
        let loaded = crate::read(&path).unwrap();
        let consilience::matrix::Matrix::DenseF64(back) = &loaded.views[0].data else { unreachable!() };
        assert_eq!(back.data(), matrix.data());
        assert_eq!(std::fs::read(&path).unwrap().len(), 128 + 48);
    }
}
