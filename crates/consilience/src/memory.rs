//! How much memory there is, and how a method that needs n x n numbers asks before it takes it.

use crate::{Error, Result};

/// The most memory a run may take, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit(u64);

impl MemoryLimit {
    /// `bytes`, or what the machine has free now. Where that cannot be found out (outside Linux), there is no limit.
    pub fn new(bytes: Option<u64>) -> Self {
        Self(bytes.or_else(free_memory).unwrap_or(u64::MAX))
    }

    /// The limit itself.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Nothing when `matrices` dense matrices of `rows x cols` numbers of `width` bytes fit.
    ///
    /// # Errors
    /// [`Error::Memory`] when they do not, with the numbers.
    pub fn require(&self, matrices: usize, rows: usize, cols: usize, width: usize, hint: &'static str) -> Result<()> {
        let needed = [matrices, rows, cols, width].iter().fold(1_u64, |all, &one| all.saturating_mul(one as u64));
        if needed <= self.0 {
            return Ok(());
        }
        let what = format!("{matrices} matrices of {rows} x {cols} numbers of {width} bytes");
        Err(Error::Memory { what, needed, available: self.0, hint: hint.into() })
    }
}

/// Memory that can be taken without swapping, in bytes: what Linux says, within the limits of the control group and of the
/// process.
#[cfg(not(target_family = "wasm"))]
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    let limits = [group_memory(), process_memory()];
    Some(limits.into_iter().flatten().fold(kilobytes * 1024, u64::min))
}

/// In a browser: what is left of the 4 GB that an address has room for. The browser may give less, and says so when it is asked.
#[cfg(target_family = "wasm")]
fn free_memory() -> Option<u64> {
    Some((1_u64 << 32) - taken())
}

/// Memory that was ever taken; nothing is given back.
#[cfg(target_family = "wasm")]
pub(crate) fn taken() -> u64 {
    std::arch::wasm32::memory_size(0) as u64 * 65_536
}

/// What is left of the address space that the process may have (`ulimit -v`): beyond it an allocation fails at once.
#[cfg(not(target_family = "wasm"))]
fn process_memory() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = used.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(most.saturating_sub(kilobytes * 1024))
}

/// What is left of the control group's limit: a container on a large machine does not have the machine's memory.
#[cfg(not(target_family = "wasm"))]
fn group_memory() -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok();
    Some(read("memory.max")?.saturating_sub(read("memory.current").unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_passes_and_what_does_not_is_refused_with_numbers() {
        let limit = MemoryLimit::new(Some(8_000));
        assert!(limit.require(1, 10, 100, 8, "").is_ok());
        let error = limit.require(2, 10, 100, 8, "use fewer samples").unwrap_err();
        assert_eq!(
            error.to_string(),
            "2 matrices of 10 x 100 numbers of 8 bytes need 16 kB of memory, but only 8 kB may be used"
        );
        assert_eq!(error.hint(), Some("use fewer samples".into()));
        assert!(MemoryLimit::new(None).require(usize::MAX, usize::MAX, 2, 8, "").is_err() || free_memory().is_none());
    }
}
