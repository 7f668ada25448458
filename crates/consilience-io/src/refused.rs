//! Formats that are recognised and not read: what they are, and how to turn them into something that is.

use std::path::Path;

/// What a file that starts with `head` is, and how to convert it; none when it is none of these.
pub(super) fn why(head: &[u8]) -> Option<&'static str> {
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

/// What a folder is.
pub(super) fn why_folder(path: &Path) -> &'static str {
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
