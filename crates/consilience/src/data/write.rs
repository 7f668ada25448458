//! Files out. Nothing is ever half written: a file appears under its name when it is whole, or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::matrix::Dense;
use crate::{Error, Result};

/// Writes through a temporary file in the same folder, which takes the place of `path` once it is on the disk.
///
/// # Errors
/// When the folder cannot be written to, or `fill` fails.
pub fn write_atomically(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let failed = |source| Error::writing(path, source);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = new_temporary(folder).map_err(failed)?;
    let mut writer = BufWriter::new(&mut temporary);
    fill(&mut writer).and_then(|()| writer.flush()).map_err(failed)?;
    drop(writer);
    temporary.as_file().sync_all().map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
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
    let shape = format!("({}, {})", matrix.rows(), matrix.cols());
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // ten bytes come before the header; NumPy starts the data at a multiple of 64, after a line break
    let padding = (10 + header.len() + 1).next_multiple_of(64) - (10 + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    write_atomically(path, |writer| {
        writer.write_all(b"\x93NUMPY\x01\x00")?;
        writer.write_all(&(header.len() as u16).to_le_bytes())?;
        writer.write_all(header.as_bytes())?;
        matrix.data().iter().try_for_each(|x| writer.write_all(&x.to_le_bytes()))
    })
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
        assert_eq!(crate::data::read_labels(&path).unwrap().codes(), [0, 1, 0, 2, 1, 1]);
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

    #[test]
    fn matrices_come_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npy");
        let matrix = Dense::from_fn(3, 2, |i, j| (i as f64 + 0.1) / (j as f64 - 7.3));
        write_npy(&path, &matrix).unwrap();
        let loaded = crate::data::read(&path).unwrap();
        let crate::matrix::Matrix::DenseF64(back) = &loaded.views[0].data else { unreachable!() };
        assert_eq!(back.data(), matrix.data());
        assert_eq!(std::fs::read(&path).unwrap().len(), 128 + 48);
    }
}
