//! Where a run came from: its files as they were, the day, the command, the machine.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use consilience::run::seconds_since_1970;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Inputs;

/// What it takes to repeat a run, and to see whether the files are still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// When it was made, in UTC: `2026-11-16T04:24:03Z`.
    pub date: String,
    /// The command that made it, as a shell reads it; none outside the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The folder in which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// System, processor and number of cores.
    pub machine: String,
    /// The files that were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SourceFile>,
}

/// A file as it was when the run was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Where it was.
    pub path: PathBuf,
    /// Its size in bytes; unknown for pipes, which are gone.
    pub bytes: Option<u64>,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: Option<String>,
}

impl Origin {
    /// A run made now from `inputs`, by the words of a `command`.
    pub fn now(inputs: &Inputs, command: &[String]) -> Self {
        Self {
            date: date(seconds_since_1970() as u64),
            command: (!command.is_empty())
                .then(|| command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            directory: std::env::current_dir().ok(),
            machine: machine(),
            files: inputs.paths().iter().map(|path| source_file(path)).collect(),
        }
    }
}

#[cfg(target_family = "wasm")]
fn source_file(path: &Path) -> SourceFile {
    let held = crate::held::bytes(path);
    let (bytes, sha256) = (held.as_ref().map(|held| held.len() as u64), held.map(|held| hex(&Sha256::digest(&*held))));
    SourceFile { path: path.to_owned(), bytes, sha256 }
}

#[cfg(not(target_family = "wasm"))]
fn source_file(path: &Path) -> SourceFile {
    let regular = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    // what cannot be read any more is named all the same
    let sha256 = regular.as_ref().and_then(|_| hash(path).ok());
    SourceFile { path: path.to_owned(), bytes: regular.map(|about| about.len()), sha256 }
}

pub(crate) fn hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut digest, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(hex(&digest.finalize()));
        }
        digest.update(&piece[..count]);
    }
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seconds since 1970 as a date and time (Howard Hinnant's `civil_from_days`).
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+%@".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(target_family = "wasm")]
fn machine() -> String {
    "a browser (WebAssembly), 1 core".to_owned()
}

#[cfg(not(target_family = "wasm"))]
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{system} {kind}, {}, {cores} cores", model.unwrap_or("processor not known"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_by_hand() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(date(1_798_761_599), "2026-12-31T23:59:59Z");
    }

    #[test]
    fn words_that_a_shell_would_split_are_quoted() {
        assert_eq!(["a.csv", "my file", "it's", ""].map(quoted), ["a.csv", "'my file'", "'it'\\''s'", "''"]);
    }

    #[test]
    fn files_are_named_with_size_and_hash() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("abc");
        std::fs::write(&file, "abc").unwrap();
        let inputs = Inputs { files: vec![file, place.path().join("gone")], ..Inputs::default() };
        let [there, gone] = &Origin::now(&inputs, &["consilience".to_owned()]).files[..] else { panic!("two files") };
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((there.bytes, there.sha256.as_deref()), (Some(3), Some(known)));
        assert_eq!((gone.bytes, &gone.sha256), (None, &None));
    }
}
