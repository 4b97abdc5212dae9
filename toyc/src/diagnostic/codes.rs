//! The registry of diagnostic codes. A code never changes its meaning and is never used again
//! for another one. E00xx: files and the command line; E01xx: tokens and grammar; E02xx: names
//! and definitions; E03xx: shapes; E04xx: MLIR input; E05xx: code generation, linking, running;
//! E09xx: our own mistakes.

/// A stable name for one kind of diagnostic.
pub type Code = &'static Entry;

/// What the registry says about a code.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// `E0203` for instance.
    pub id: &'static str,
    /// The general rule that was broken, in one line.
    pub title: &'static str,
}

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal;)*) => {
        $(pub const $name: Code = &Entry { id: $id, title: $title };)*
        /// Every code there is, in order.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    CANNOT_READ = "E0001", "the input cannot be read";
    CANNOT_WRITE = "E0002", "the output cannot be written";
    NOT_UTF8 = "E0003", "the input is not UTF-8 text";
    NOT_AVAILABLE = "E0004", "what the command line asks for is not possible for this input";

    UNKNOWN_CHARACTER = "E0101", "a character that no Toy token starts with";
    BAD_NUMBER = "E0102", "a number that cannot be read";
    UNEXPECTED_TOKEN = "E0103", "something else was expected here";
    TOO_DEEP = "E0104", "brackets are nested too deeply";
    CHAIN_TOO_LONG = "E0105", "an expression has too many operators";
    BAD_SHAPE = "E0106", "a shape that is no list of positive whole numbers";

    UNKNOWN_VARIABLE = "E0201", "a variable that does not exist here";
    UNKNOWN_FUNCTION = "E0202", "a call of a function that does not exist";
    WRONG_ARITY = "E0203", "a call with too few or too many arguments";
    DUPLICATE_FUNCTION = "E0204", "two functions of one name";
    DUPLICATE_PARAMETER = "E0205", "two parameters of one name";
    DUPLICATE_VARIABLE = "E0206", "two variables of one name";
    BUILTIN_REDEFINED = "E0207", "a function with the name of a builtin";
    NO_MAIN = "E0208", "no `main` function";
    BAD_MAIN = "E0209", "`main` with parameters or a result";
    NO_VALUE = "E0210", "the value of a function that returns none";
    RAGGED_LITERAL = "E0211", "a literal that is not rectangular";

    SHAPE_MISMATCH = "E0301", "operands of different shapes";
    ELEMENT_COUNT = "E0302", "a reshape that changes the number of elements";
    TOO_LARGE = "E0303", "a tensor too large for memory";
    RECURSION = "E0304", "a function that calls itself";
    TOO_MANY_SPECIALIZATIONS = "E0305", "too many specializations";
    NOT_A_SCALAR = "E0306", "an element of a literal that is no scalar";

    MLIR_SYNTAX = "E0401", "MLIR text that MLIR cannot read";
    INVALID_TOY_IR = "E0402", "an operation of the Toy dialect that is not valid";
    MLIR_REJECTED = "E0403", "MLIR that a pass cannot handle";

    UNKNOWN_TARGET = "E0501", "a target toyc cannot generate code for";
    LINK_FAILED = "E0502", "the linker failed";
    UNRESOLVED_SYMBOL = "E0503", "a function that is called but nowhere defined";
    CRASHED = "E0504", "the program crashed while it ran";

    INTERNAL = "E0900", "a mistake in toyc itself";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ordered() {
        assert!(ALL.windows(2).all(|pair| pair[0].id < pair[1].id), "out of order or used twice");
    }
}
