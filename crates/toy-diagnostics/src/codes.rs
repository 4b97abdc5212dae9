//! The registry of diagnostic codes. A code never changes its meaning and is never reused. E00xx:
//! files and the command line; E01xx: tokens and grammar; E02xx: names and definitions; E03xx:
//! shapes; E04xx: MLIR input; E05xx: code generation, linking, running; E09xx: internal errors;
//! R00xx: MLIR's warnings, remarks and notes; R01xx: optimizations, made and missed; W01xx: valid programs
//! that probably do not do what was intended.
//!
//! Each code has a page, `explain/CODE.md`, which `--explain` shows: the rule and its reason, a
//! wrong example and a correct one. The tests run both.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// A stable name for one kind of diagnostic. As data, it is its number.
pub type Code = &'static Entry;

/// An entry of the registry.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number, such as `E0203`.
    pub id: &'static str,
    /// The kind of problem, in one line.
    pub title: &'static str,
    /// The name of a warning, as in `-W NAME`; `None` for all other codes.
    pub lint: Option<&'static str>,
    /// The page that `--explain` shows, in Markdown.
    pub page: &'static str,
}

macro_rules! codes {
    ($($name:ident = $id:literal $(($lint:literal))?, $title:literal;)*) => {
        $(#[doc = concat!($id, ": ", $title, ".")]
        pub const $name: Code = &Entry {
            id: $id,
            title: $title,
            lint: codes!(@lint $($lint)?),
            page: include_str!(concat!("explain/", $id, ".md")),
        };)*
        /// All codes, in ascending order.
        pub const ALL: &[Code] = &[$($name),*];
    };
    (@lint) => { None };
    (@lint $lint:literal) => { Some($lint) };
}

codes! {
    CANNOT_READ = "E0001", "the input cannot be read";
    CANNOT_WRITE = "E0002", "the output cannot be written";
    NOT_UTF8 = "E0003", "the input is not UTF-8 text";
    NOT_AVAILABLE = "E0004", "a request that this input does not support";
    COMMAND_LINE = "E0005", "an invalid command line";

    UNKNOWN_CHARACTER = "E0101", "a character that no Toy token starts with";
    BAD_NUMBER = "E0102", "an invalid number";
    UNEXPECTED_TOKEN = "E0103", "an unexpected token";
    TOO_DEEP = "E0104", "brackets are nested too deeply";
    CHAIN_TOO_LONG = "E0105", "an expression has too many operators";
    BAD_SHAPE = "E0106", "a shape that is not a list of positive whole numbers";
    BAD_STRING = "E0107", "an invalid string";
    BAD_TARGET = "E0108", "an assignment to something that is not a variable or a part of one";
    MISPLACED_STRING = "E0109", "a string that is not an argument of `print`";
    STRAY_JUMP = "E0111", "a `break` or `continue` outside of a loop";

    UNKNOWN_VARIABLE = "E0201", "an unknown variable";
    UNKNOWN_FUNCTION = "E0202", "a call to an unknown function";
    WRONG_ARITY = "E0203", "a call with too few or too many arguments";
    DUPLICATE_FUNCTION = "E0204", "two functions with the same name";
    DUPLICATE_PARAMETER = "E0205", "two parameters with the same name";
    DUPLICATE_VARIABLE = "E0206", "two variables with the same name";
    BUILTIN_REDEFINED = "E0207", "a function with the same name as a builtin";
    NO_MAIN = "E0208", "no `main` function";
    BAD_MAIN = "E0209", "a `main` whose arguments are not known";
    NO_VALUE = "E0210", "the value of a function that does not return one";
    RAGGED_LITERAL = "E0211", "a literal that is not rectangular";
    TYPE_MISMATCH = "E0212", "a value of the wrong type";
    UNKNOWN_STRUCT = "E0213", "an unknown struct";
    DUPLICATE_STRUCT = "E0214", "two structs with the same name";
    DUPLICATE_FIELD = "E0215", "two fields with the same name";
    UNKNOWN_FIELD = "E0216", "a field that the struct does not have";
    WRONG_FIELD_COUNT = "E0217", "a struct literal with too few or too many values";
    RECURSIVE_STRUCT = "E0218", "a struct that contains itself";
    UNTYPED_STRUCT_LITERAL = "E0219", "a struct literal whose struct is not known";
    STRUCT_TOO_LARGE = "E0220", "a struct with too many fields";
    MAYBE_UNSET = "E0221", "a variable after the block that defines it";
    BAD_ASSIGNMENT = "E0222", "an assignment to something that cannot be assigned";
    BAD_NAMED_ARGUMENT = "E0223", "a named argument that the function does not have";
    MIXED_RETURNS = "E0225", "a function that returns a value in one place and none in another";
    MISSING_RETURN = "E0226", "a path that ends without a value";
    BAD_CONSTANT = "E0228", "a constant that is not an index, bound, step, axis or size";
    NOT_CONSTANT = "E0229", "an axis, size or bound that is not constant";
    NO_GRADIENT = "E0230", "a gradient that cannot be, whatever the shapes are";

    SHAPE_MISMATCH = "E0301", "operands with incompatible shapes";
    ELEMENT_COUNT = "E0302", "a reshape that changes the number of elements";
    TOO_LARGE = "E0303", "a tensor too large for memory";
    RECURSION = "E0304", "a function that calls itself endlessly";
    TOO_MANY_SPECIALIZATIONS = "E0305", "too many specializations";
    NOT_A_SCALAR = "E0306", "elements of a list that differ in shape";
    BRANCH_SHAPES = "E0310", "a variable with different shapes in two branches";
    LOOP_SHAPE = "E0311", "a loop that changes the shape of a variable";
    NOT_A_NUMBER = "E0312", "a condition or an index that is not a scalar";
    UPDATE_SHAPE = "E0313", "a value that does not fit the part that it replaces";
    TOO_MANY_SUBSCRIPTS = "E0314", "more subscripts than dimensions";
    OUT_OF_RANGE = "E0315", "an index or a range that no tensor of this shape has";
    NOT_KNOWN = "E0316", "a shape that would be known only when the program runs";
    BAD_AXIS = "E0317", "an axis that the tensor does not have";
    PRODUCT_SHAPES = "E0318", "shapes that cannot be multiplied as matrices";
    BAD_COUNT = "E0319", "a `range` or a size that is not a positive whole number";
    SHAPE_OF_ITSELF = "E0320", "a recursive function whose result has no shape";
    ENDLESS_SHAPES = "E0321", "recursion with ever new shapes";
    ELEMENT_TYPES = "E0322", "operands with different element types";
    TOO_LARGE_NUMBER = "E0323", "a number too large for its element type";
    NOT_DIFFERENTIABLE = "E0324", "a gradient of something that cannot be differentiated";
    SHAPE_CHANGED = "E0330", "an assignment that changes the shape of a variable";

    MLIR_SYNTAX = "E0401", "MLIR text that MLIR cannot read";
    INVALID_TOY_IR = "E0402", "an invalid operation of the Toy dialect";
    MLIR_REJECTED = "E0403", "MLIR that a pass cannot handle";
    NOT_AS_EXPECTED = "E0404", "diagnostics that differ from those the input expects";
    NOT_MERGEABLE = "E0405", "an operation that merge-alloc does not know";
    WRONGLY_MERGED = "E0406", "a merged allocation with conflicting buffers";
    UNKNOWN_OWNER = "E0407", "a buffer whose owner is not known";
    PRINT_REDEFINED = "E0408", "a function with the same name as the print function";

    UNKNOWN_TARGET = "E0501", "a target toyc cannot generate code for";
    LINK_FAILED = "E0502", "the linker failed";
    UNRESOLVED_SYMBOL = "E0503", "a call to an undefined function";
    CRASHED = "E0504", "the program crashed while it ran";
    CODEGEN_REJECTED = "E0505", "code that LLVM cannot generate";
    TOO_LARGE_FOR_TARGET = "E0506", "memory that the target has no addresses for";
    UNKNOWN_CPU = "E0520", "a processor that LLVM does not know";
    UNKNOWN_FEATURE = "E0521", "a processor feature that cannot be chosen";
    FOREIGN_CPU = "E0522", "a processor of another architecture than the target's";
    BAD_EXPORT = "E0530", "an export that cannot be read";
    BAD_EXPORTED_FUNCTION = "E0531", "an export of something that cannot be exported";
    BAD_EXPORT_SHAPES = "E0532", "an export with shapes that its parameters cannot have";
    BAD_EXPORT_NAME = "E0533", "an export with a name that C cannot have";
    NO_EXPORT = "E0534", "a library without exports, or exports without a library";
    BAD_EXPORT_MEMORY = "E0535", "an exported function whose memory is not known before it runs";
    BAD_DATA = "E0540", "a file of numbers that cannot be read";
    BAD_ARGUMENTS = "E0541", "arguments that do not fit the program";

    BAD_BINDING_NAME = "E0550", "an export with a name that another language cannot have";

    INTERNAL = "E0900", "an internal compiler error";

    MLIR_REMARK = "R0001", "a warning, remark or note from MLIR";
    LEFT_APART = "R0101", "a buffer that merge-alloc does not merge";
    COPIED = "R0102", "a copy of a tensor";
    IN_PLACE = "R0103", "an update in place";
    DECIDED_LATE = "R0104", "a buffer whose owner is known only when the program runs";
    REWRITTEN = "R0105", "an operation that canonicalization has rewritten";
    TAPE = "R0106", "the memory in which a loop saves values for a gradient";

    UNUSED_VARIABLE = "W0101" ("unused-variable"), "a variable or parameter that is never used";
    UNUSED_FUNCTION = "W0102" ("unused-function"), "a function that no call from `main` reaches";
    UNUSED_RESULT = "W0103" ("unused-result"), "a statement with no effect";
    SHADOWING = "W0104" ("shadowing"), "a variable with the same name as a function";
    UNREACHABLE_CODE = "W0105" ("unreachable-code"), "statements that never run";
    REDUNDANT_SHAPE = "W0106" ("redundant-shape"), "a declared shape that the value already has";
    UNREAD_ASSIGNMENT = "W0107" ("unread-assignment"), "an assigned value that is never read";
    CONSTANT_CONDITION = "W0108" ("constant-condition"), "a condition that is always true or always false";
    EMPTY_LOOP = "W0109" ("empty-loop"), "a loop that never runs";
    IGNORED_OPTION = "W0110" ("ignored-option"), "an option that has no effect";
    FORMAT_STRING = "W0111" ("format-string"), "a string with placeholders, which `print` writes as they are";
    ZERO_GRADIENT = "W0112" ("zero-gradient"), "a gradient by a parameter that does not matter";
}

/// The codes of warnings, in ascending order.
pub fn warnings() -> impl Iterator<Item = Code> {
    ALL.iter().copied().filter(|code| code.lint.is_some())
}

/// The code with this number or, for a warning, this name, ignoring case.
pub fn find(name: &str) -> Option<Code> {
    let is_meant = |code: &&Code| {
        let names = [Some(code.id), code.lint];
        names.into_iter().flatten().any(|known| known.eq_ignore_ascii_case(name))
    };
    ALL.iter().copied().find(|code| is_meant(&code))
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.id.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        find(&id).ok_or_else(|| D::Error::custom(format!("no code is {id}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ordered() {
        assert!(ALL.windows(2).all(|pair| pair[0].id < pair[1].id), "out of order or used twice");
    }

    #[test]
    fn codes_are_found_by_number_and_name() {
        assert_eq!(find("E0203"), Some(WRONG_ARITY));
        assert_eq!(find("w0101"), Some(UNUSED_VARIABLE));
        assert_eq!(find("unused-variable"), Some(UNUSED_VARIABLE));
        assert_eq!(find("unused"), None);
        assert!(ALL.iter().all(|code| code.lint.is_some() == code.id.starts_with('W')));
    }
}
