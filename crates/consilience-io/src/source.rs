//! Where the bytes of a file come from. A reader gets a [`Source`], never a path that it would open itself: a pipe can be
//! read only once, and a file that is opened twice may be another one the second time.
//!
//! A regular file is read where it lies, by position, and is never mapped: whoever truncates a mapped file ends the
//! process that reads it (SIGBUS), no lock keeps others from doing so on Linux, and a signal handler is nothing that a
//! library may install. A read that comes up short is an error like any other. Everything else (a pipe, a FIFO, a
//! device, standard input) is read to its end into memory. Files packed by gzip or zstd are unpacked into memory too.
//!
//! Files packed whole by gzip (`.csv.gz`) or zstd (`.csv.zst`) are recognised by their first bytes, whatever is inside.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Loaded;
use consilience::{Error, Result};
use flate2::read::MultiGzDecoder;

use super::guard::Budget;
use super::signature;

/// What stands for standard input where a file is expected.
pub const STDIN: &str = "-";

/// Enough for the signature that MATLAB v7.3 puts after its 512 bytes of header.
pub(super) const HEAD: usize = 1024;

/// The content of one file, and what may be done with it.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    name: String,
    content: Content,
    /// The memory that reading may take.
    pub(super) budget: Budget,
}

#[derive(Debug, Clone)]
enum Content {
    // a browser has none
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    File(Arc<File>, u64),
    Memory(Arc<Vec<u8>>),
}

impl Source {
    /// Opens the file at `path`, [`STDIN`] for standard input; what it holds may take `memory` bytes, by default what
    /// the machine has free.
    pub(super) fn open(path: &Path, memory: Option<u64>) -> Result<Self> {
        let budget = Budget::new(memory);
        let content = if path == Path::new(STDIN) {
            drain(path, io::stdin().lock(), &budget)?
        } else {
            open_file(path, &budget)?
        };
        let source = Self { path: path.to_owned(), name: name_of(path), content, budget };
        let head = source.head()?;
        if head.is_empty() {
            return Err(Error::format(path, "the file is empty (0 bytes)"));
        }
        let Some(packing) = Packing::of(&head) else { return Ok(source) };
        let unpacked = packing.unpack(&source)?;
        Ok(Self { content: Content::Memory(Arc::new(unpacked)), ..source })
    }

    /// The file, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name that the file gives to its only view.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Number of bytes, which bounds what can be believed of them.
    pub(super) fn len(&self) -> u64 {
        match &self.content {
            Content::File(_, len) => *len,
            Content::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Whether the bytes lie in a file, and memory holds only what is asked for.
    pub(super) fn is_on_disk(&self) -> bool {
        matches!(self.content, Content::File(..))
    }

    /// The first bytes, [`HEAD`] of them where there are so many.
    pub(super) fn head(&self) -> Result<Vec<u8>> {
        let mut head = Vec::with_capacity(HEAD);
        self.reader_at(0).take(HEAD as u64).read_to_end(&mut head).map_err(|source| self.unreadable(source))?;
        Ok(head)
    }

    /// All bytes, which are counted as taken.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let len = self.len();
        self.budget.take(len).map_err(|what| Error::format(&self.path, what))?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len as usize).map_err(|error| Error::format(&self.path, error.to_string()))?;
        self.reader_at(0).take(len).read_to_end(&mut bytes).map_err(|source| self.unreadable(source))?;
        Ok(bytes)
    }

    /// A reader of its own, from the first byte on.
    pub(super) fn reader(&self) -> BufReader<SourceReader> {
        BufReader::new(self.reader_at(0))
    }

    /// A reader of its own that starts at byte `position`.
    pub(super) fn reader_at(&self, position: u64) -> SourceReader {
        SourceReader { content: self.content.clone(), position }
    }

    fn unreadable(&self, source: io::Error) -> Error {
        Error::reading(&self.path, source)
    }
}

/// What a reader sees of the bytes. Readers do not share their positions, as clones of a `File` would.
pub(super) struct SourceReader {
    content: Content,
    position: u64,
}

impl SourceReader {
    /// Another reader of the same bytes, that starts at byte `position`.
    #[cfg(feature = "parquet")]
    pub(super) fn at(&self, position: u64) -> Self {
        Self { content: self.content.clone(), position }
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &self.content {
            Content::File(file, _) => read_at(file, buffer, self.position)?,
            Content::Memory(bytes) => {
                let start = usize::try_from(self.position).unwrap_or(usize::MAX).min(bytes.len());
                (&bytes[start..]).read(buffer)?
            }
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for SourceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let len = match &self.content {
            Content::File(_, len) => *len,
            Content::Memory(bytes) => bytes.len() as u64,
        };
        let target = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

/// There is no file that is read where it lies: [`open_file`] gives none.
#[cfg(target_family = "wasm")]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_family = "wasm")]
fn open_file(path: &Path, budget: &Budget) -> Result<Content> {
    let none = || Error::reading(path, io::ErrorKind::NotFound.into());
    let bytes = crate::held::bytes(path).ok_or_else(none)?;
    // what cannot be read is said in the same words as of any file
    if bytes.is_empty() { drain(path, io::empty(), budget) } else { Ok(Content::Memory(bytes)) }
}

#[cfg(not(target_family = "wasm"))]
fn open_file(path: &Path, budget: &Budget) -> Result<Content> {
    let io = |source| Error::reading(path, source);
    // asked before opening: a FIFO makes whoever opens it wait for a writer, a folder need not
    if std::fs::metadata(path).map_err(io)?.is_dir() {
        return Err(Error::format(path, signature::why_folder(path)));
    }
    let file = File::open(path).map_err(io)?;
    let about = file.metadata().map_err(io)?;
    // the system's own files are called regular and have no length before they are read
    if about.is_file() && about.len() > 0 {
        return Ok(Content::File(Arc::new(file), about.len()));
    }
    drain(path, file, budget)
}

/// Everything that comes, up to what memory allows. What does not begin as any known format is not waited for.
fn drain(path: &Path, mut from: impl Read, budget: &Budget) -> Result<Content> {
    let io = |source| Error::reading(path, source);
    let mut bytes = Vec::with_capacity(HEAD);
    from.by_ref().take(HEAD as u64).read_to_end(&mut bytes).map_err(io)?;
    // what is of no known format is not worth waiting for
    if !bytes.is_empty() && Packing::of(&bytes).is_none() {
        signature::recognised(path, &bytes)?;
    }
    budget.collect(from, &mut bytes).map_err(|what| Error::format(path, what))?;
    Ok(Content::Memory(Arc::new(bytes)))
}

/// The file's name without the endings that name its format and its packing: `rna.csv.gz` is `rna`.
pub(super) fn name_of(path: &Path) -> String {
    if path == Path::new(STDIN) {
        return "stdin".to_owned();
    }
    let packed = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    let inner = if packed { path.with_extension("") } else { path.to_owned() };
    inner.file_stem().map_or_else(|| "view".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Bytes of a file that are read at a time.
pub(crate) const PIECE: usize = 16 << 20;

/// A file that is read a piece at a time.
pub(crate) trait Stream: Send {
    /// The next rows; never none of them, and nothing after the last.
    fn next(&mut self) -> Result<Option<Loaded>>;

    /// The ids of the next rows, and how many there are.
    fn next_ids(&mut self) -> Result<Option<(usize, Option<Vec<String>>)>> {
        let count = |loaded: &Loaded| loaded.views.first().map_or(0, |view| view.data.rows());
        Ok(self.next()?.map(|loaded| (count(&loaded), loaded.ids)))
    }

    /// Begins again.
    fn rewind(&mut self);

    /// Bytes that have been read, and that there are.
    fn progress(&self) -> (u64, u64);
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_do_not_share_a_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, "0123456789").unwrap();
        let source = Source::open(&path, None).unwrap();
        let (mut first, mut second) = (source.reader_at(0), source.reader_at(5));
        let mut two = [0; 2];
        first.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"01");
        second.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"56");
        first.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"23");
        assert_eq!(first.seek(SeekFrom::End(-3)).unwrap(), 7);
        assert!(first.seek(SeekFrom::Current(-8)).is_err());
    }

    #[test]
    fn a_name_loses_its_endings() {
        assert_eq!(name_of(Path::new("a/rna.csv.gz")), "rna");
        assert_eq!(name_of(Path::new("rna.v2.csv")), "rna.v2");
        assert_eq!(name_of(Path::new("rna.gz")), "rna");
        assert_eq!(name_of(Path::new(STDIN)), "stdin");
    }

    #[test]
    fn a_file_cut_short_while_it_is_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        std::fs::write(&path, vec![1; 4096]).unwrap();
        let source = Source::open(&path, None).unwrap();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        let mut all = vec![0; 4096];
        assert_eq!(source.reader_at(0).read_exact(&mut all).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
