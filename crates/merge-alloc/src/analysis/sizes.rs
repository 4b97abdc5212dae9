//! The size of a buffer: at least its size in LLVM's data layout; and the sum of the sizes in use at each time.

use melior::ir::r#type::{DimSize, IntegerType, MemRefType};
use melior::ir::{ShapedTypeLike, Type, TypeLike};
use mlir_support::{func, ir};

/// A size in bytes, and the alignment that the elements need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The size in bytes.
    pub size: u64,
    /// The alignment: the address is a multiple of it.
    pub alignment: u64,
}

/// The size of a buffer in a merged allocation, and without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The size in bytes.
    pub size: u64,
    /// The alignment it should have.
    pub alignment: u64,
    /// The alignment it may have where memory is scarce: the larger of the required alignment and malloc's own.
    pub least: u64,
    /// The bytes requested by an allocation of its own. For the workspace of a function, the most that its buffers
    /// request at one time.
    pub unmerged: u64,
}

/// The alignment of malloc's memory, which is the alignment of C's `max_align_t`.
pub const HEAP: u64 = 16;

/// True if a large alignment costs a buffer little: an allocation is rounded up to a multiple of its alignment, at most
/// a sixteenth more than malloc's own rounding.
pub fn alignment_is_cheap(size: u64, alignment: u64) -> bool {
    let rounded = |to| size.checked_next_multiple_of(to);
    match (rounded(alignment), rounded(HEAP)) {
        (Some(aligned), Some(own)) => aligned.saturating_sub(own) <= size / 16,
        // There is no such buffer.
        _ => true,
    }
}

/// The sums after each of some changes at ticks: at one tick, what ends there ends before others start.
pub(crate) fn loads<T: Copy + Ord>(
    changes: impl IntoIterator<Item = (T, i128)>,
) -> impl Iterator<Item = (T, i128)> {
    let mut changes: Vec<_> = changes.into_iter().collect();
    changes.sort_unstable();
    changes.into_iter().scan(0, |load, (tick, change)| {
        *load += change;
        Some((tick, *load))
    })
}

/// The bytes of a buffer with static sizes; None if unknown, or more than can be addressed.
pub fn of_buffer(ty: MemRefType) -> Option<Layout> {
    let element = of_element(ty.element())?;
    let mut size = element.size;
    for dim in 0..ty.rank() {
        let extent = match ty.dim_size(dim).ok()? {
            DimSize::Static(extent) => extent,
            DimSize::Dynamic => return None,
        };
        size = size.checked_mul(extent)?;
    }
    // Offsets are values of the type `index`.
    (size <= i64::MAX as u64).then_some(Layout { size, ..element })
}

/// The alignment that memory needs to be used as another type of buffer, besides the alignment of its own elements;
/// None if unknown. With `has_own_index`, the size of an index is unknown.
pub fn alignment_as(own: Type, other: Type, has_own_index: bool) -> Option<u64> {
    let elements = [own, other].map(|ty| Some(MemRefType::try_from(ty).ok()?.element()));
    match elements {
        // A buffer of unknown rank is cast to a ranked one before it is accessed.
        [_, None] => Some(1),
        [Some(own), Some(other)] if func::same_type(own, other) => Some(1),
        [_, Some(other)] if has_own_index && has_index(other) => None,
        [_, Some(other)] => of_element(other).map(|layout| layout.alignment),
    }
}

/// True if elements are indices, whose size depends on the data layout.
pub fn has_index(element: Type) -> bool {
    element.is_index() || ir::fixed_vector(element).is_some_and(|(part, _)| part.is_index())
}

/// The bytes from one element to the next; None if unknown.
pub fn of_element(ty: Type) -> Option<Layout> {
    if let Some(element) = ir::complex_element(ty) {
        let part = Layout { size: bytes(bits(element)?)?, alignment: bytes(bits(element)?)? };
        return Some(Layout { size: part.size.checked_mul(2)?, ..part });
    }
    if let Some((element, sizes)) = ir::fixed_vector(ty) {
        // The innermost dimension is a vector of LLVM's, padded; the others are arrays of it.
        let (inner, outer) = match sizes.split_last() {
            Some((inner, outer)) => (*inner, outer),
            None => (1, sizes.as_slice()),
        };
        let inner = bytes(bits(element)?.checked_mul(inner)?)?;
        let size = outer.iter().try_fold(inner, |size, outer| size.checked_mul(*outer))?;
        return Some(Layout { size, alignment: inner });
    }
    let size = bytes(bits(ty)?)?;
    Some(Layout { size, alignment: size })
}

fn bits(ty: Type) -> Option<u64> {
    if ty.is_index() {
        return Some(64);
    }
    if let Ok(integer) = IntegerType::try_from(ty) {
        return Some(u64::from(integer.width()));
    }
    // Smaller ones have no storage of their own in LLVM.
    ir::float_width(ty).map(u64::from).filter(|width| *width >= 8)
}

/// The next power of two, as LLVM aligns numbers at least.
fn bytes(bits: u64) -> Option<u64> {
    bits.div_ceil(8).max(1).checked_next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_the_sizes_of_llvm() {
        let context = melior::Context::new();
        for (text, size, alignment) in [
            ("i1", 1, 1),
            ("i4", 1, 1),
            ("i12", 2, 2),
            ("i24", 4, 4),
            ("i128", 16, 16),
            ("f8E5M2", 1, 1),
            ("bf16", 2, 2),
            ("f32", 4, 4),
            ("f80", 16, 16),
            ("index", 8, 8),
            ("complex<f32>", 8, 4),
            ("vector<3xf32>", 16, 16),
            ("vector<2x3xf32>", 32, 16),
            ("vector<8xi1>", 1, 1),
            ("vector<f64>", 8, 8),
        ] {
            let ty = Type::parse(&context, text).expect(text);
            assert_eq!(of_element(ty), Some(Layout { size, alignment }), "{text}");
        }
        for text in ["f4E2M1FN", "none", "memref<2xf32>", "vector<[4]xf32>", "tuple<i32>"] {
            let ty = Type::parse(&context, text).expect(text);
            assert_eq!(of_element(ty), None, "{text}");
        }
    }

    #[test]
    fn cache_lines_for_what_bears_them() {
        for (size, is_bearable) in [
            (0, true),
            (64, true),
            (65, false),
            (72, false),
            (128, true),
            (200, false),
            (504, true),
            (520, false),
            (800, true),
            (1000, true),
            (1032, true),
            (u64::MAX, true),
        ] {
            assert_eq!(alignment_is_cheap(size, 64), is_bearable, "{size}");
        }
    }

    #[test]
    fn sizes_of_buffers_are_products() {
        let context = melior::Context::new();
        let of = |text| {
            of_buffer(Type::parse(&context, text).unwrap().try_into().unwrap())
                .map(|layout| layout.size)
        };
        assert_eq!(of("memref<8x64xf32>"), Some(2048));
        assert_eq!(of("memref<f64>"), Some(8));
        assert_eq!(of("memref<0x4xf64>"), Some(0));
        assert_eq!(of("memref<?xf64>"), None);
        assert_eq!(of("memref<4294967296x4294967296xf64>"), None);
    }
}
