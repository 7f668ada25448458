//! Where a dense matrix keeps its numbers: its own memory, or somebody else's (a mapped file, a NumPy array).

use std::fmt;
use std::sync::Arc;

/// Memory that somebody else owns and that must not change while a matrix reads it.
pub trait SharedSlice<T>: Send + Sync {
    /// The numbers.
    fn as_slice(&self) -> &[T];
}

/// A vector that several matrices read: clones of them cost nothing.
impl<T: Send + Sync> SharedSlice<T> for Vec<T> {
    fn as_slice(&self) -> &[T] {
        self
    }
}

/// Owned or shared numbers. Writing to shared numbers copies them first.
#[derive(Clone)]
pub enum Buffer<T> {
    /// Memory of our own.
    Owned(Vec<T>),
    /// Read-only memory of somebody else, kept alive by this handle.
    Shared(Arc<dyn SharedSlice<T>>),
}

impl<T: Copy> Buffer<T> {
    /// The numbers.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Owned(numbers) => numbers,
            Self::Shared(owner) => owner.as_slice(),
        }
    }

    /// The numbers, to be written; shared ones are copied first.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        if let Self::Shared(owner) = self {
            *self = Self::Owned(owner.as_slice().to_vec());
        }
        match self {
            Self::Owned(numbers) => numbers,
            Self::Shared(_) => &mut [],
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self::Owned(numbers)
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owned(_) => "Owned(..)",
            Self::Shared(_) => "Shared(..)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl SharedSlice<f32> for [f32; 3] {
        fn as_slice(&self) -> &[f32] {
            self
        }
    }

    #[test]
    fn writing_to_shared_numbers_copies_them() {
        let owner = Arc::new([1.0_f32, 2.0, 3.0]);
        let mut buffer = Buffer::Shared(owner.clone());
        buffer.as_mut_slice()[0] = 9.0;
        assert_eq!(buffer.as_slice(), [9.0, 2.0, 3.0]);
        assert_eq!(*owner, [1.0, 2.0, 3.0]);
    }
}
