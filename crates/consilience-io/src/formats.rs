//! The formats that can be read, in one table. A new format is a module with a reader, and an entry here.
//!
//! The content of a file decides its format: extensions lie, first bytes rarely do.

use std::path::Path;

use super::guard::max_implicit;
use super::packed::Packing;
use super::source::Source;
use super::stream::Stream;
use super::{Labelled, Loaded, ReadOptions, npy, npz, refused, table};
use consilience::{Error, Result, View};

/// A file format: how its files are recognised, and who reads them.
pub(super) struct Format {
    /// As messages and help texts call it.
    name: &'static str,
    /// Whether a file that starts with these bytes, [`HEAD`](super::source::HEAD) of them where there are so many, is of this format.
    recognise: fn(&[u8]) -> bool,
    reader: Reader,
}

/// Who reads the files of a format.
// no format of a full build lacks its reader
#[cfg_attr(all(feature = "hdf5", feature = "mat", feature = "parquet"), allow(dead_code))]
enum Reader {
    /// A reader of views. Labels are those that it finds beside them, unless a file can be read as nothing but labels.
    /// A format that can be read a piece at a time has a reader for that, which may decline.
    Views { read: ViewReader, read_labels: Option<fn(&Source) -> Result<Labelled>>, stream: Option<StreamReader> },
    /// This build lacks the reader; the feature that would add it.
    Missing { feature: &'static str },
    /// Known to be unreadable, and why.
    Refused(&'static str),
}

type ViewReader = fn(&Source, &ReadOptions) -> Result<Loaded>;
type StreamReader = fn(Source, &ReadOptions) -> Result<Option<Box<dyn Stream>>>;

/// The reader if its feature is on.
macro_rules! with_feature {
    ($feature:literal, $read:expr) => {
        with_feature!($feature, $read, None)
    };
    ($feature:literal, $read:expr, $stream:expr) => {{
        #[cfg(feature = $feature)]
        {
            Reader::Views { read: $read, read_labels: None, stream: $stream }
        }
        #[cfg(not(feature = $feature))]
        {
            Reader::Missing { feature: $feature }
        }
    }};
}

/// Every format that is known, in the order in which they are tried.
static FORMATS: &[Format] = &[
    Format {
        name: ".npy",
        recognise: |head| head.starts_with(b"\x93NUMPY"),
        reader: Reader::Views {
            read: |source, _| npy::read(source),
            read_labels: Some(|source| Ok(Labelled { labels: npy::read_labels(source)?, ids: None })),
            stream: Some(npy::stream),
        },
    },
    Format {
        name: ".npz",
        recognise: |head| head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
        reader: Reader::Views { read: npz::read, read_labels: None, stream: None },
    },
    Format {
        name: "Parquet",
        recognise: |head| head.starts_with(b"PAR1"),
        reader: with_feature!("parquet", table::read_parquet, Some(table::stream_parquet)),
    },
    Format {
        name: "HDF5 (.h5ad and .h5mu too) or MATLAB .mat v7.3",
        // MATLAB writes 512 bytes of its own first
        recognise: |head| [0, 512].iter().any(|&at| head.get(at..).is_some_and(|h| h.starts_with(HDF5_SIGNATURE))),
        reader: with_feature!("hdf5", super::hdf5::read, Some(super::hdf5::stream)),
    },
    Format {
        name: "MATLAB .mat v5",
        // version 1 and a byte-order mark; the text before them is free: scipy's differs from MATLAB's
        recognise: |head| matches!(head.get(124..128), Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I'])),
        reader: with_feature!("mat", |source, _| super::matlab::read_v5(source)),
    },
    Format {
        name: "MATLAB .mat v7.3, damaged",
        recognise: |head| head.starts_with(b"MATLAB 7.3 MAT-file"),
        reader: Reader::Refused("a MATLAB v7.3 file without its HDF5 part: it is damaged or cut short"),
    },
    Format {
        name: "text such as .csv or .tsv",
        recognise: |head| !head.contains(&0) || table::is_utf16(head),
        reader: Reader::Views {
            read: table::read_text,
            read_labels: Some(table::read_labels),
            stream: Some(table::stream_text),
        },
    },
];

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// The names of the formats that this build can read.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().filter(|format| matches!(format.reader, Reader::Views { .. })).map(|format| format.name)
}

/// The format of `source`.
pub(super) fn detect(source: &Source) -> Result<&'static Format> {
    recognised(source.path(), &source.head()?)
}

/// Nothing when a file that starts with `head` may be readable, so that it is worth waiting for the rest of it.
pub(super) fn check_head(path: &Path, head: &[u8]) -> Result<()> {
    if head.is_empty() || Packing::of(head).is_some() {
        return Ok(());
    }
    recognised(path, head).map(|_| ())
}

fn recognised(path: &Path, head: &[u8]) -> Result<&'static Format> {
    if let Some(why) = refused::why(head) {
        return Err(Error::format(path, why));
    }
    FORMATS.iter().find(|format| (format.recognise)(head)).ok_or_else(|| {
        let known: Vec<&str> = formats().collect();
        Error::format(path, format!("not a format that can be read ({})", known.join(", ")))
    })
}

impl Format {
    /// Views, and labels and ids where there are some.
    pub(super) fn read(&self, source: &Source, options: &ReadOptions) -> Result<Loaded> {
        let loaded = match self.reader {
            Reader::Views { read, .. } => read(source, options),
            Reader::Missing { feature } => Err(Error::format(source.path(), self.needs(feature))),
            Reader::Refused(why) => Err(Error::format(source.path(), why)),
        }?;
        // a matrix without entries can claim any number of columns, and each would cost memory later
        let most = max_implicit(source.len()) as usize;
        let boasts = |view: &&View| view.data.rows().max(view.data.cols()) > most && view.data.memory() == 0;
        if let Some(view) = loaded.views.iter().find(boasts) {
            let (rows, cols) = (view.data.rows(), view.data.cols());
            return Err(Error::format(
                source.path(),
                format!("`{}` is empty: {rows} rows x {cols} columns", view.name),
            ));
        }
        Ok(loaded)
    }

    /// The views a piece at a time, where the format and the file allow it.
    pub(super) fn stream(&self, source: Source, options: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
        match self.reader {
            Reader::Views { stream: Some(stream), .. } => stream(source, options),
            _ => Ok(None),
        }
    }

    /// Labels alone, with the samples' ids where there are some.
    pub(super) fn read_labels(&self, source: &Source) -> Result<Labelled> {
        if let Reader::Views { read_labels: Some(read_labels), .. } = self.reader {
            return read_labels(source);
        }
        let Loaded { labels, ids, .. } = self.read(source, &ReadOptions::default())?;
        let what = "holds no labels: nothing in it is called labels, y, Y, gt, gnd, truth or label";
        Ok(Labelled { labels: labels.ok_or_else(|| Error::format(source.path(), what))?, ids })
    }

    fn needs(&self, feature: &str) -> String {
        let name = self.name;
        format!("is {name}, which this build cannot read: consilience was compiled without its feature `{feature}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("liar.csv");
        std::fs::write(&path, bytes).unwrap();
        detect(&Source::open(&path, None)?).map(|format| format.name)
    }

    #[test]
    fn content_decides_whatever_the_extension_says() {
        let mut mat = vec![b' '; 128];
        mat[124..].copy_from_slice(b"\x00\x01IM");
        assert_eq!(of(&mat).unwrap(), "MATLAB .mat v5");
        assert_eq!(of(b"\x93NUMPY\x01\x00").unwrap(), ".npy");
        assert_eq!(of(b"PK\x03\x04....").unwrap(), ".npz");
        let mut later = vec![b'M'; 512];
        later.extend_from_slice(HDF5_SIGNATURE);
        assert_eq!(
            [of(HDF5_SIGNATURE), of(&later)].map(Result::unwrap),
            ["HDF5 (.h5ad and .h5mu too) or MATLAB .mat v7.3"; 2]
        );
        assert_eq!(of(b"PAR1........PAR1").unwrap(), "Parquet");
        assert_eq!(of(b"1,2\n").unwrap(), "text such as .csv or .tsv");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.mat");
        let message = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            crate::read(&path).unwrap_err().to_string()
        };
        assert!(message(b"").ends_with("the file is empty (0 bytes)"));
        assert!(message(b"\x7fELF\0\0\0").contains("not a format that can be read (.npy, .npz, "));
        assert!(message(b"MATLAB 7.3 MAT-file").contains("without its HDF5 part"));
        let opened = |path: &Path| Source::open(path, None).err().unwrap().to_string();
        assert!(opened(folder.path()).contains("is a folder"));
        assert!(opened(&folder.path().join("none")).starts_with("cannot read"));
    }

    #[test]
    fn a_format_whose_feature_is_off_names_the_feature() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bin");
        std::fs::write(&path, "anything").unwrap();
        let off = Format { name: "Parquet", recognise: |_| true, reader: Reader::Missing { feature: "parquet" } };
        let expected =
            "is Parquet, which this build cannot read: consilience was compiled without its feature `parquet`";
        let source = Source::open(&path, None).unwrap();
        for error in [off.read(&source, &ReadOptions::default()).err(), off.read_labels(&source).err()] {
            assert!(error.unwrap().to_string().ends_with(expected));
        }
        assert_eq!(formats().any(|name| name == "Parquet"), cfg!(feature = "parquet"));
    }
}
