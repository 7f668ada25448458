//! The text header of a `.npy` file: element type, order, shape.

use std::io::{self, Write};

use crate::numbers::Element;

/// What the elements of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Element),
    /// Strings of `width` characters: four bytes each (`U`) or one (`S`).
    Text {
        width: usize,
        unicode: bool,
    },
    /// Python objects, complex numbers, dates: nothing that a view or labels could be made of.
    Other,
}

impl Kind {
    /// Bytes of one element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Number(element) => element.size(),
            Self::Text { width, unicode } => width * if unicode { 4 } else { 1 },
            Self::Other => 0,
        }
    }
}

/// A header, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) big_endian: bool,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// Parses the dictionary, which is a Python literal of a fixed form; what is wrong comes back in words.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let descr = value_of(text, "descr")?;
        let descr = descr
            .strip_prefix(['\'', '"'])
            .and_then(|rest| rest.split(['\'', '"']).next())
            .ok_or("a structured array (a table of named fields) is not a matrix")?;
        let (kind, big_endian) = element_type(descr);
        let fortran_order = match value_of(text, "fortran_order")? {
            value if value.starts_with("True") => true,
            value if value.starts_with("False") => false,
            _ => return Err("the header's `fortran_order` is neither True nor False".to_owned()),
        };
        Ok(Self { kind, big_endian, fortran_order, shape: shape(value_of(text, "shape")?)? })
    }

    /// Number of elements and of bytes, unless they overflow.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        let count = self.shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))?;
        Some((count, count.checked_mul(self.kind.size())?))
    }

    /// Bytes of memory that the array takes, which are more than its bytes in the file where it is kept in another type or
    /// must be transposed.
    pub(crate) fn memory(&self) -> u64 {
        let (count, bytes) = self.extent().unwrap_or((usize::MAX, usize::MAX));
        let each = match self.kind {
            Kind::Number(element) => element.precision().size() * if self.fortran_order { 2 } else { 1 },
            Kind::Text { .. } => size_of::<String>(),
            Kind::Other => 0,
        };
        let text = if matches!(self.kind, Kind::Text { .. }) { bytes as u64 } else { 0 };
        (count as u64).saturating_mul(each as u64).saturating_add(text.saturating_mul(2))
    }
}

/// The text after `'key':`.
fn value_of<'a>(text: &'a str, key: &str) -> Result<&'a str, String> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|key| text.split_once(key.as_str()).map(|(_, after)| after.trim_start()));
    let value = after.and_then(|after| after.strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| format!("the header has no `{key}`"))
}

fn element_type(descr: &str) -> (Kind, bool) {
    let (order, name) = match descr.strip_prefix(['<', '>', '|', '=']) {
        Some(name) => (descr.as_bytes()[0], name),
        None => (b'|', descr),
    };
    let element = match name {
        "b1" | "?" => Element::Bool,
        "i1" => Element::I8,
        "u1" => Element::U8,
        "i2" => Element::I16,
        "u2" => Element::U16,
        "i4" => Element::I32,
        "u4" => Element::U32,
        "i8" => Element::I64,
        "u8" => Element::U64,
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => {
            let unicode = name.starts_with('U');
            let width = name.strip_prefix(['U', 'S', 'a']).and_then(|width| width.parse().ok());
            // a word of a megabyte is damage, and the product with four must not overflow
            let kind =
                width.filter(|&width| width <= 1 << 20).map_or(Kind::Other, |width| Kind::Text { width, unicode });
            return (kind, order == b'>');
        }
    };
    (Kind::Number(element), order == b'>')
}

/// `(3, 4)`, `(3,)`, `()`; Python 2 wrote `3L`.
fn shape(value: &str) -> Result<Vec<usize>, String> {
    let inside = value.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let inside = inside.ok_or("the header's `shape` is not a tuple")?;
    let sizes = inside.split(',').map(|size| size.trim().trim_end_matches('L')).filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().map_err(|_| format!("the header's `shape` holds `{size}`"))).collect()
}

/// Writes what comes before the elements of an array in C order, of the type that NumPy calls `descr`.
pub(crate) fn write_header(writer: &mut dyn Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    let sizes: String = shape.iter().map(|size| format!("{size},")).collect();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // ten bytes come before the header; NumPy starts the data at a multiple of 64, after a line break
    let padding = (10 + header.len() + 1).next_multiple_of(64) - (10 + header.len() + 1);
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(header.len() as u16).to_le_bytes())?;
    writer.write_all(header.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_headers() {
        let header = Header::parse("{'descr': '>f4', 'fortran_order': True, 'shape': (3, 4), }  \n").unwrap();
        assert_eq!(header.kind, Kind::Number(Element::F32));
        assert!(header.big_endian && header.fortran_order);
        assert_eq!((header.shape.clone(), header.extent()), (vec![3, 4], Some((12, 48))));
        let old = Header::parse("{\"shape\": (7L,), \"fortran_order\": False, \"descr\": \"<U5\"}").unwrap();
        assert_eq!((old.kind.size(), old.shape), (20, vec![7]));
    }

    #[test]
    fn damage_is_named() {
        let error = |text| Header::parse(text).unwrap_err();
        assert_eq!(error("{'fortran_order': False}"), "the header has no `descr`");
        assert!(error("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}").contains("structured"));
        let kind = |descr| {
            Header::parse(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ()}}")).unwrap().kind
        };
        assert_eq!(["|O", "<c16", "<U99999999"].map(kind), [Kind::Other; 3]);
        assert!(error("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}").contains("`-3`"));
    }
}
