//! Files out. Nothing is ever half written: a file appears under its name when it is whole, or not at all. What is no file
//! (a device, a FIFO, a symlink) is written to and stays what it is.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use consilience::matrix::Dense;
use consilience::model::Prediction;
use consilience::{Error, Hint, Result};
use tempfile::NamedTempFile;

use super::npy::write_header;

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
            let mut writer = BufWriter::new(stream);
            return fill(&mut writer).and_then(|()| writer.flush()).map_err(failed);
        }
    };
    write_seekable(&file, |file| {
        let mut writer = BufWriter::new(file);
        fill(&mut writer).and_then(|()| writer.flush())
    })
}

/// The same for formats that go back to what they have written: `path` is a file, or nothing yet.
pub(super) fn write_seekable(path: &Path, fill: impl FnOnce(&mut std::fs::File) -> io::Result<()>) -> Result<()> {
    let failed = |source| Error::writing(path, source);
    let mut temporary = new_temporary(folder_of(path)).map_err(failed)?;
    fill(temporary.as_file_mut()).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Refuses to write to `path` where that would lose something: a file that is there, unless `replace`; one of `kept`
/// (inputs of the run, say) in any case.
///
/// # Errors
/// When the file must not be written.
pub fn check_writable(path: &Path, replace: bool, kept: &[PathBuf]) -> Result<()> {
    if let Some(kept) = kept.iter().find(|kept| same_file(path, kept)) {
        return Err(Error::data_with_hint(
            format!("`{}` would replace `{}`, which this command reads", path.display(), kept.display()),
            "write to another place; what is read is never replaced",
        ));
    }
    let is_plain = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if is_plain && !replace {
        return Err(Error::data_with_hint(
            format!("`{}` exists and would be replaced", path.display()),
            Hint::ReplaceFile,
        ));
    }
    Ok(())
}

/// Whether both names lead to one file that exists.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Where the bytes of a path go.
enum Target {
    /// A file that may be made or replaced as a whole.
    File(PathBuf),
    /// Something that is there and takes bytes as they come.
    Stream,
}

/// More symlinks in a row than any system follows.
const MOST_LINKS: usize = 40;

impl Target {
    fn of(path: &Path) -> io::Result<Self> {
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

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Temporary files are private by default; results are as readable as any file the user makes.
#[cfg(unix)]
fn new_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}

/// Writes `sample,label` to a file of its own; see [`write_labels`].
///
/// # Errors
/// When the file cannot be written, or there are not as many ids as labels.
pub fn write_labels_csv(path: &Path, ids: Option<&[String]>, labels: &[usize]) -> Result<()> {
    if let Some(ids) = ids.filter(|ids| ids.len() != labels.len()) {
        return Err(Error::data(format!("there are {} ids for {} labels", ids.len(), labels.len())));
    }
    write_atomically(path, |writer| write_labels(writer, ids, labels))
}

/// Writes a table `sample,label`: the id of every sample, or its number counted from 1, and its cluster.
///
/// # Errors
/// When the writer fails.
pub fn write_labels(writer: &mut dyn Write, ids: Option<&[String]>, labels: &[usize]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(writer);
    table.write_record(["sample", "label"])?;
    for (i, label) in labels.iter().enumerate() {
        let id = ids.and_then(|ids| ids.get(i)).cloned();
        table.write_record([id.unwrap_or_else(|| (i + 1).to_string()), label.to_string()])?;
    }
    table.flush()
}

/// Writes a matrix as NumPy's `.npy`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_npy(path: &Path, matrix: &Dense<f64>) -> Result<()> {
    write_atomically(path, |writer| {
        write_header(writer, "<f8", &[matrix.rows(), matrix.cols()])?;
        matrix.data().iter().try_for_each(|x| writer.write_all(&x.to_le_bytes()))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_ids_survive_the_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        let ids: Vec<String> = ["plain", "a,b", "say \"hi\"", "two\nlines", " lead", ""].map(str::to_owned).to_vec();
        write_labels_csv(&path, Some(&ids), &[0, 1, 0, 2, 1, 1]).unwrap();
        let mut table = csv::Reader::from_path(&path).unwrap();
        let back: Vec<String> = table.records().map(|record| record.unwrap()[0].to_owned()).collect();
        assert_eq!(back, ids);
        assert_eq!(crate::read_labels(&path).unwrap().codes(), [0, 1, 0, 2, 1, 1]);
        assert!(write_labels_csv(&path, Some(&ids), &[0]).is_err());
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write_labels_csv(&path, None, &[3, 4]).unwrap();
        let failed = write_atomically(&path, |writer| {
            writer.write_all(b"half")?;
            Err(io::Error::other("disk on fire"))
        });
        assert!(failed.unwrap_err().to_string().ends_with("disk on fire"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "sample,label\n1,3\n2,4\n");
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
