//! What a file is by its first bytes: extensions lie, these rarely do. Every format that is known stands here by its name; who
//! reads its files is said in [`crate::formats`]. Formats that are recognised and not read are said with how to turn them
//! into something that is.

use std::path::Path;

use consilience::{Error, Result};

/// The formats that are known, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Npz,
    Parquet,
    Hdf5,
    Matlab5,
    /// A MATLAB v7.3 file without its HDF5 part.
    DamagedMatlab73,
    Text,
}

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

impl Format {
    const ALL: [Self; 7] =
        [Self::Npy, Self::Npz, Self::Parquet, Self::Hdf5, Self::Matlab5, Self::DamagedMatlab73, Self::Text];

    /// As messages and help texts call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Npy => ".npy",
            Self::Npz => ".npz",
            Self::Parquet => "Parquet",
            Self::Hdf5 => "HDF5 (.h5ad and .h5mu too) or MATLAB .mat v7.3",
            Self::Matlab5 => "MATLAB .mat v5",
            Self::DamagedMatlab73 => "MATLAB .mat v7.3, damaged",
            Self::Text => "text such as .csv or .tsv",
        }
    }

    /// The feature that this build lacks, without which files of the format cannot be read.
    pub(crate) fn lacks(self) -> Option<&'static str> {
        let (feature, is_on) = match self {
            Self::Parquet => ("parquet", cfg!(feature = "parquet")),
            Self::Hdf5 => ("hdf5", cfg!(feature = "hdf5")),
            Self::Matlab5 => ("mat", cfg!(feature = "mat")),
            _ => return None,
        };
        (!is_on).then_some(feature)
    }

    /// Whether a file that starts with these bytes is of this format.
    fn recognises(self, head: &[u8]) -> bool {
        match self {
            Self::Npy => head.starts_with(b"\x93NUMPY"),
            Self::Npz => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
            Self::Parquet => head.starts_with(b"PAR1"),
            // MATLAB writes 512 bytes of its own first
            Self::Hdf5 => [0, 512].iter().any(|&at| head.get(at..).is_some_and(|h| h.starts_with(HDF5_SIGNATURE))),
            // version 1 and a byte-order mark; the text before them is free: scipy's differs from MATLAB's
            Self::Matlab5 => matches!(head.get(124..128), Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I'])),
            Self::DamagedMatlab73 => head.starts_with(b"MATLAB 7.3 MAT-file"),
            Self::Text => !head.contains(&0) || is_utf16(head),
        }
    }
}

/// The names of the formats that this build can read.
pub fn formats() -> impl Iterator<Item = &'static str> {
    let readable = |format: &Format| *format != Format::DamagedMatlab73 && format.lacks().is_none();
    Format::ALL.into_iter().filter(readable).map(Format::name)
}

/// The format of the file at `path`, which starts with `head`.
pub(crate) fn recognised(path: &Path, head: &[u8]) -> Result<Format> {
    if let Some(why) = why(head) {
        return Err(Error::format(path, why));
    }
    Format::ALL.into_iter().find(|format| format.recognises(head)).ok_or_else(|| {
        let known: Vec<&str> = formats().collect();
        Error::format(path, format!("not a format that can be read ({})", known.join(", ")))
    })
}

/// Whether a file that starts with `head` says that it is UTF-16. The mark of UTF-32 begins with the same bytes.
pub(crate) fn is_utf16(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && !matches!(head, [0xff, 0xfe, 0, 0, ..])
}

/// What a file that starts with `head` is, and how to convert it; none when it is none of these.
fn why(head: &[u8]) -> Option<&'static str> {
    let starts = |mark: &[u8]| head.starts_with(mark);
    Some(if starts(b"PK\x03\x04") && contains(head, b"[Content_Types].xml") {
        "is an Excel workbook (.xlsx): save the sheet as CSV, or `pandas.read_excel(f).to_parquet(g)`"
    } else if starts(b"RDX2\n") || starts(b"RDX3\n") || starts(b"RDA2\n") || starts(b"RDA3\n") || is_serialised_r(head)
    {
        "is a file of R (.rds or .RData): in R, `write.csv(x, \"x.csv\")` or `arrow::write_parquet(x, \"x.parquet\")`"
    } else if starts(b"ARROW1\0\0") || starts(b"FEA1") {
        "is Feather or Arrow IPC: `pandas.read_feather(f).to_parquet(g)` makes a Parquet file of it"
    } else if matches!(head, [0x80, 2..=5, ..]) {
        "is a Python pickle, which runs code when it is opened: in Python, save the arrays with `numpy.savez`"
    } else if is_matlab_4(head) {
        "is a MATLAB 4 file: in MATLAB `load` it and `save` it again, in Python `scipy.io.loadmat` and `savemat`"
    } else if starts(b"\xd0\xcf\x11\xe0") {
        "is an old Office file (.xls): save the sheet as CSV"
    } else {
        return None;
    })
}

/// What a folder is; a browser has none.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
pub(crate) fn why_folder(path: &Path) -> &'static str {
    let holds = |name: &str| path.join(name).exists();
    if holds("zarr.json") || holds(".zgroup") || holds(".zarray") {
        return "is a Zarr store: in Python, `anndata.read_zarr(f).write_h5ad(g)`, or save its arrays with `numpy.savez`";
    }
    "is a folder, not a file"
}

fn contains(head: &[u8], mark: &[u8]) -> bool {
    head.windows(mark.len()).any(|bytes| bytes == mark)
}

/// What R's `saveRDS` writes after unpacking, binary or text.
fn is_serialised_r(head: &[u8]) -> bool {
    matches!(head, [b'X', b'\n', 0, 0, 0, 2 | 3, ..]) || head.starts_with(b"A\n3\n") || head.starts_with(b"A\n2\n")
}

/// MATLAB 4 has no mark: a matrix begins with five small numbers (type, rows, columns, complex or not, length of the name)
/// and its name.
fn is_matlab_4(head: &[u8]) -> bool {
    let Some(words) = head.first_chunk::<20>() else { return false };
    let word = |at: usize, big: bool| {
        let raw = [words[4 * at], words[4 * at + 1], words[4 * at + 2], words[4 * at + 3]];
        if big { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) }
    };
    [false, true].into_iter().any(|big| {
        let (kind, name) = (word(0, big), word(4, big) as usize);
        let of_order = kind / 1000 == u32::from(big);
        // tens: precision, units: full, text or sparse
        of_order
            && kind % 1000 < 100
            && (kind / 10 % 10) < 6
            && kind % 10 < 3
            && word(1, big) > 0
            && word(2, big) > 0
            && word(3, big) < 2
            && (2..=64).contains(&name)
            && head
                .get(20..20 + name - 1)
                .is_none_or(|name| name.iter().all(|&c| c.is_ascii_alphanumeric() || c == b'_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_whatever_the_extension_says() {
        let of = |head: &[u8]| recognised(Path::new("liar.csv"), head).unwrap();
        let mut mat = vec![b' '; 128];
        mat[124..].copy_from_slice(b"\x00\x01IM");
        assert_eq!(of(&mat), Format::Matlab5);
        assert_eq!(of(b"\x93NUMPY\x01\x00"), Format::Npy);
        assert_eq!(of(b"PK\x03\x04...."), Format::Npz);
        let mut later = vec![b'M'; 512];
        later.extend_from_slice(HDF5_SIGNATURE);
        assert_eq!([of(HDF5_SIGNATURE), of(&later)], [Format::Hdf5; 2]);
        assert_eq!(of(b"PAR1........PAR1"), Format::Parquet);
        assert_eq!(of(b"1,2\n"), Format::Text);
    }
}
