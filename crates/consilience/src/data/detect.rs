//! Which format a file has, decided by its content: extensions lie, first bytes rarely do.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::{Error, Result};

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    MatlabV5,
    /// MATLAB v7.3 or any other HDF5 file.
    Hdf5,
    Parquet,
    Text,
}

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Enough for the signature that MATLAB v7.3 puts after its 512 bytes of header.
const HEAD: usize = 1024;

/// The format of the file at `path`.
pub(super) fn detect(path: &Path) -> Result<Format> {
    let io = |source| Error::reading(path, source);
    let metadata = std::fs::metadata(path).map_err(io)?;
    if metadata.is_dir() {
        return Err(Error::format(path, "is a folder, not a file"));
    }
    let mut file = File::open(path).map_err(io)?;
    let mut head = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    if head.is_empty() {
        return Err(Error::format(path, "the file is empty (0 bytes)"));
    }
    if head.starts_with(b"PAR1") {
        return parquet_or_damaged(path, &mut file, metadata.len());
    }
    by_first_bytes(path, &head)
}

fn by_first_bytes(path: &Path, head: &[u8]) -> Result<Format> {
    if head.starts_with(b"\x93NUMPY") {
        Ok(Format::Npy)
    } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        Ok(Format::Npz)
    } else if head.starts_with(HDF5_SIGNATURE) || head.get(512..).is_some_and(|rest| rest.starts_with(HDF5_SIGNATURE)) {
        Ok(Format::Hdf5)
    } else if is_matlab_v5(head) {
        Ok(Format::MatlabV5)
    } else if head.starts_with(b"MATLAB 7.3 MAT-file") {
        Err(Error::format(path, "a MATLAB v7.3 file without its HDF5 part: it is damaged or cut short"))
    } else if head.contains(&0) {
        Err(Error::format(
            path,
            "not a format that can be read (.npy, .npz, .csv, .tsv, MATLAB .mat v5 or v7.3, HDF5, Parquet), nor text",
        ))
    } else {
        Ok(Format::Text)
    }
}

/// Version 1 and a byte-order mark. The text before them is free: scipy's differs from MATLAB's.
fn is_matlab_v5(head: &[u8]) -> bool {
    matches!(head.get(124..128), Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I']))
}

/// Parquet repeats its mark at the end; without it the footer, and so everything, is lost.
fn parquet_or_damaged(path: &Path, file: &mut File, len: u64) -> Result<Format> {
    let mut tail = [0; 4];
    let read = file.seek(SeekFrom::End(-4)).and_then(|_| file.read_exact(&mut tail));
    read.map_err(|source| Error::reading(path, source))?;
    if len >= 12 && &tail == b"PAR1" {
        return Ok(Format::Parquet);
    }
    Err(Error::format(path, "starts as a Parquet file but does not end as one: it is damaged or cut short"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<Format> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("liar.csv");
        std::fs::write(&path, bytes).unwrap();
        detect(&path)
    }

    #[test]
    fn content_decides_whatever_the_extension_says() {
        let mut mat = vec![b' '; 128];
        mat[124..].copy_from_slice(b"\x00\x01IM");
        assert_eq!(of(&mat).unwrap(), Format::MatlabV5);
        assert_eq!(of(b"\x93NUMPY\x01\x00").unwrap(), Format::Npy);
        assert_eq!(of(b"PK\x03\x04....").unwrap(), Format::Npz);
        assert_eq!(of(b"\x89HDF\r\n\x1a\n").unwrap(), Format::Hdf5);
        let mut later = vec![b'M'; 512];
        later.extend_from_slice(HDF5_SIGNATURE);
        assert_eq!(of(&later).unwrap(), Format::Hdf5);
        assert_eq!(of(b"PAR1........PAR1").unwrap(), Format::Parquet);
        assert_eq!(of(b"1,2\n").unwrap(), Format::Text);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert!(of(b"").unwrap_err().to_string().ends_with("the file is empty (0 bytes)"));
        assert!(of(b"PAR1....").unwrap_err().to_string().contains("does not end as one"));
        assert!(of(b"\x7fELF\0\0\0").unwrap_err().to_string().contains("nor text"));
        let folder = tempfile::tempdir().unwrap();
        assert!(detect(folder.path()).unwrap_err().to_string().contains("is a folder"));
        assert!(detect(&folder.path().join("none")).unwrap_err().to_string().starts_with("cannot read"));
    }
}
