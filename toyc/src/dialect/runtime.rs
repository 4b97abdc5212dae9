//! The names of the runtime's functions that get a text from the program (lower/texts.rs).
//!
//! They contain a `.`, so they cannot collide with those of users.

/// Writes a text.
pub const PRINT_TEXT: &str = "toy.print_text";
/// Writes a number as `%f`; the text is before it.
pub const PRINT_NUMBER: &str = "toy.print_number";
/// Ends the program: the text, a number, and that it is not a whole number.
pub const FAIL_WHOLE: &str = "toy.fail_whole";
/// Ends the program: the text, an index, and the size of the dimension.
pub const FAIL_RANGE: &str = "toy.fail_range";
/// Ends the program with the text.
pub const FAIL: &str = "toy.fail";
/// Ends the program with the text if the stack is nearly full.
pub const ENTER: &str = "toy.enter";

/// All of them.
pub const ALL: [&str; 6] = [PRINT_TEXT, PRINT_NUMBER, FAIL_WHOLE, FAIL_RANGE, FAIL, ENTER];
