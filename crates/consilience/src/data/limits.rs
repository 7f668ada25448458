//! How much a file of a given size can honestly hold. Sizes are checked against these before memory is taken.

/// Deflate cannot do better than this: 258 bytes for two bits.
pub(super) const MOST_INFLATED: u64 = 1032;

/// How deep cells, structs and groups may lie inside each other.
pub(super) const DEEPEST: usize = 16;

/// The most rows or columns a sparse matrix, or the most cells a table with run-length coding, may claim. Neither has
/// a strict bound (empty rows and constant columns cost nothing), so this one is merely generous.
pub(super) fn most_unstored(file_len: u64) -> u64 {
    (1 << 22) + file_len.saturating_mul(64)
}
