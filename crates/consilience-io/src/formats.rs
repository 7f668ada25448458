//! Who reads the files of which format. A new format is a module with a reader, a signature in [`crate::signature`], and a
//! line here.

use crate::guard::max_implicit;
use crate::signature::{Format, recognised};
use crate::source::{Source, Stream};
use crate::{Labelled, Loaded, ReadOptions, npy, npz, table};
use consilience::{Error, Result, View};

/// The format of `source`.
pub(crate) fn detect(source: &Source) -> Result<Format> {
    recognised(source.path(), &source.head()?)
}

impl Format {
    /// Views, and labels and ids where there are some.
    pub(crate) fn read(self, source: &Source, options: &ReadOptions) -> Result<Loaded> {
        let loaded = self.read_unchecked(source, options)?;
        // a matrix without entries can claim any number of columns, and each would cost memory later
        let most = usize::try_from(max_implicit(source.len())).unwrap_or(usize::MAX);
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

    // without a feature its formats have no reader
    #[cfg_attr(not(any(feature = "hdf5", feature = "parquet")), allow(unused_variables))]
    fn read_unchecked(self, source: &Source, options: &ReadOptions) -> Result<Loaded> {
        match self {
            Self::Npy => npy::read(source),
            Self::Npz => npz::read(source, options),
            #[cfg(feature = "parquet")]
            Self::Parquet => table::read_parquet(source, options),
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => crate::hdf5::read(source, options),
            #[cfg(feature = "mat")]
            Self::Matlab5 => crate::matlab::read_v5(source),
            Self::Text => table::read_text(source, options),
            _ => Err(Error::format(source.path(), self.why_not())),
        }
    }

    /// The views a piece at a time, where the format and the file allow it.
    pub(crate) fn stream(self, source: Source, options: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
        match self {
            Self::Npy => npy::stream(source, options),
            #[cfg(feature = "parquet")]
            Self::Parquet => table::stream_parquet(source, options),
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => crate::hdf5::stream(source, options),
            Self::Text => table::stream_text(source, options),
            _ => Ok(None),
        }
    }

    /// Labels alone, with the samples' ids where there are some. Those that a reader of views finds beside them, unless a
    /// file can be read as nothing but labels.
    pub(crate) fn read_labels(self, source: &Source) -> Result<Labelled> {
        match self {
            Self::Npy => return Ok(Labelled { labels: npy::read_labels(source)?, ids: None }),
            Self::Text => return table::read_labels(source),
            _ => {}
        }
        let Loaded { labels, ids, .. } = self.read(source, &ReadOptions::default())?;
        let what = "holds no labels: nothing in it is called labels, y, Y, gt, gnd, truth or label";
        Ok(Labelled { labels: labels.ok_or_else(|| Error::format(source.path(), what))?, ids })
    }

    /// Why no reader reads it.
    fn why_not(self) -> String {
        match self.lacks() {
            Some(feature) => format!(
                "is {}, which this build cannot read: consilience was compiled without its feature `{feature}`",
                self.name()
            ),
            None => "a MATLAB v7.3 file without its HDF5 part: it is damaged or cut short".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

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
        let said = Format::Parquet.lacks().map(|feature| (feature, Format::Parquet.why_not()));
        let why = "is Parquet, which this build cannot read: consilience was compiled without its feature `parquet`";
        let off = Some(("parquet", why.to_owned()));
        assert_eq!(said, if cfg!(feature = "parquet") { None } else { off });
        assert_eq!(crate::formats().any(|name| name == "Parquet"), cfg!(feature = "parquet"));
    }
}
