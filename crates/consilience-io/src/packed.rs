//! Files packed whole by gzip (`.csv.gz`) or zstd (`.csv.zst`): recognised by their first bytes, whatever is inside.

use flate2::read::MultiGzDecoder;

use super::source::Source;
use consilience::{Error, Result};

/// Endings that name a packing, not a format.
pub(super) const ENDINGS: [&str; 4] = ["gz", "zst", "GZ", "bgz"];

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing of a file that starts with `head`.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Everything inside, unless it is more than memory allows. Both formats check their content by sums of their own.
    pub(super) fn unpack(self, source: &Source) -> Result<Vec<u8>> {
        let packed = source.reader();
        let mut bytes = Vec::new();
        let unpacked = match self {
            // several members in a row are one file: bgzip and `cat a.gz b.gz` write them
            Self::Gzip => source.budget.collect(MultiGzDecoder::new(packed), &mut bytes),
            Self::Zstd => unzstd(source, packed, &mut bytes),
        };
        unpacked.map_err(|what| Error::format(source.path(), format!("{} cannot be unpacked: {what}", self.name())))?;
        if bytes.is_empty() {
            return Err(Error::format(source.path(), format!("{} with nothing in it", self.name())));
        }
        if Self::of(&bytes).is_some() {
            return Err(Error::format(source.path(), "is packed twice; unpack it once by hand"));
        }
        Ok(bytes)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "a gzip file",
            Self::Zstd => "a zstd file",
        }
    }
}

#[cfg(feature = "zstd")]
fn unzstd(source: &Source, packed: impl std::io::BufRead, bytes: &mut Vec<u8>) -> Result<(), String> {
    let mut decoder = zstd::Decoder::with_buffer(packed).map_err(|error| error.to_string())?;
    // the library's own default: no frame may ask for a window of more than 128 MB
    decoder.window_log_max(27).map_err(|error| error.to_string())?;
    source.budget.collect(decoder, bytes)
}

#[cfg(not(feature = "zstd"))]
fn unzstd(_: &Source, _: impl std::io::BufRead, _: &mut Vec<u8>) -> Result<(), String> {
    Err("consilience was compiled without its feature `zstd`".to_owned())
}
