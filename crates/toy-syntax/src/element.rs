//! The element types of tensors, as rows of a table: each name and size that depends on the element type is here.
//!
//! A new element type is a variant, its row, and its place in [`Element::ALL`]; rustc and the tests ask for the
//! rest. Code that handles tensors takes the element from the type at hand, and does not name one.

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// A number of 64 bits as IEEE 754 has it.
    F64,
    /// A number of 32 bits, likewise.
    F32,
}

impl Default for Element {
    fn default() -> Self {
        Element::DEFAULT
    }
}

/// A row of the table.
struct Row {
    name: &'static str,
    suffix: &'static str,
    bytes: u64,
    exact: f64,
    nearest: fn(f64) -> f64,
    c: &'static str,
    rust: &'static str,
    numpy: &'static str,
    javascript: &'static str,
    dwarf: &'static str,
}

const F64: Row = Row {
    name: "f64",
    suffix: "",
    bytes: 8,
    exact: (1_u64 << 53) as f64,
    nearest: |number| number,
    c: "double",
    rust: "f64",
    numpy: "float64",
    javascript: "Float64Array",
    dwarf: "DW_ATE_float",
};

const F32: Row = Row {
    name: "f32",
    suffix: "f32",
    bytes: 4,
    exact: (1_u32 << 24) as f64,
    nearest: |number| f64::from(number as f32),
    c: "float",
    rust: "f32",
    numpy: "float32",
    javascript: "Float32Array",
    dwarf: "DW_ATE_float",
};

impl Element {
    /// All element types, the default one first.
    pub const ALL: [Element; 2] = [Element::F64, Element::F32];

    /// The type of literals, of ranges, and of arguments whose element type is not written.
    pub const DEFAULT: Element = Element::F64;

    const fn row(self) -> &'static Row {
        match self {
            Element::F64 => &F64,
            Element::F32 => &F32,
        }
    }

    /// The name in MLIR and in messages.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The letters before a shape in names of functions (`f32` in `f32x2x3`); empty for the default element, so that its
    /// names are shapes alone.
    pub const fn suffix(self) -> &'static str {
        self.row().suffix
    }

    /// The size in memory, which is also the alignment.
    pub const fn bytes(self) -> u64 {
        self.row().bytes
    }

    /// Whole numbers less than this one in magnitude are exact.
    pub const fn exact(self) -> f64 {
        self.row().exact
    }

    /// The nearest number of this type, of two the even one; infinity for one that is too large.
    pub fn nearest(self, number: f64) -> f64 {
        (self.row().nearest)(number)
    }

    /// The name of the type in C.
    pub const fn c(self) -> &'static str {
        self.row().c
    }

    /// The name of the type in Rust.
    pub const fn rust(self) -> &'static str {
        self.row().rust
    }

    /// The name of NumPy's `dtype`.
    pub const fn numpy(self) -> &'static str {
        self.row().numpy
    }

    /// The class of JavaScript's arrays of this type.
    pub const fn javascript(self) -> &'static str {
        self.row().javascript
    }

    /// DWARF's encoding, for debuggers.
    pub const fn dwarf(self) -> &'static str {
        self.row().dwarf
    }

    /// The names of all element types, for messages.
    pub fn names() -> String {
        Element::ALL.map(Element::name).join(" or ")
    }

    /// The element type of this name.
    pub fn named(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_only_the_default_has_no_suffix() {
        assert_eq!(Element::ALL[0], Element::DEFAULT);
        for element in Element::ALL {
            assert_eq!(Element::named(element.name()), Some(element));
            assert_eq!(element.suffix().is_empty(), element == Element::DEFAULT);
            assert!(element.bytes().is_power_of_two());
        }
    }
}
