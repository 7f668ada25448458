//! Where matrices keep their numbers: memory of their own that clones share, or somebody else's (a mapped file, a NumPy
//! array).

use std::fmt;
use std::sync::Arc;

/// Memory that somebody else owns and that must not change while a matrix reads it.
pub trait SharedSlice<T>: Send + Sync {
    /// The numbers.
    fn as_slice(&self) -> &[T];
}

/// Numbers that clones share, whoever owns them. Writing to numbers that somebody else reads too copies them first.
#[derive(Clone)]
pub struct Buffer<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    /// Memory of our own.
    Owned(Arc<Vec<T>>),
    /// Read-only memory of somebody else, kept alive by this handle.
    Foreign(Arc<dyn SharedSlice<T>>),
}

impl<T: Copy> Buffer<T> {
    /// Numbers in memory of somebody else's.
    pub fn foreign(owner: Arc<dyn SharedSlice<T>>) -> Self {
        Self(Storage::Foreign(owner))
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(numbers) => numbers,
            Storage::Foreign(owner) => owner.as_slice(),
        }
    }

    /// Copies numbers that lie in memory of somebody else's, who may write to them later.
    pub fn detach(&mut self) {
        if let Storage::Foreign(owner) = &self.0 {
            self.0 = Storage::Owned(Arc::new(owner.as_slice().to_vec()));
        }
    }

    /// The numbers, to be written; those that others read too are copied first.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.detach();
        match &mut self.0 {
            Storage::Owned(numbers) => Arc::make_mut(numbers).as_mut_slice(),
            Storage::Foreign(_) => &mut [],
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(numbers: Vec<T>) -> Self {
        Self(Storage::Owned(Arc::new(numbers)))
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Storage::Owned(_) => "Owned(..)",
            Storage::Foreign(_) => "Foreign(..)",
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
    fn writing_to_foreign_numbers_copies_them() {
        let owner = Arc::new([1.0_f32, 2.0, 3.0]);
        let mut buffer = Buffer::foreign(owner.clone());
        buffer.as_mut_slice()[0] = 9.0;
        assert_eq!(buffer.as_slice(), [9.0, 2.0, 3.0]);
        assert_eq!(*owner, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn clones_share_until_one_of_them_is_written_to() {
        let first = Buffer::from(vec![1.0_f64, 2.0]);
        let mut second = first.clone();
        assert_eq!(first.as_slice().as_ptr(), second.as_slice().as_ptr());
        second.as_mut_slice()[1] = 7.0;
        assert_eq!((first.as_slice(), second.as_slice()), (&[1.0, 2.0][..], &[1.0, 7.0][..]));
        let place = second.as_slice().as_ptr();
        assert_eq!(second.as_mut_slice().as_ptr(), place, "what nobody else reads is written in place");
    }
}
