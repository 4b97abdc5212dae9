//! Names of the runtime's functions that get a text from the program, and declarations.
//!
//! The names contain a `.`, so they cannot collide with users' names.

use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::operation::OperationMutLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Identifier, Location, Operation, Type};

/// Writes a text.
pub const PRINT_TEXT: &str = "toy.print_text";
/// Writes a number as `%f`; the text is before it.
pub const PRINT_NUMBER: &str = "toy.print_number";
/// Sets the digits after the point and the fewest characters of the numbers that follow, or -1 and 0; the text is empty.
pub const PRINT_FORMAT: &str = "toy.print_format";
/// Ends the program: the text, a number, and the message that it is not a whole number.
pub const FAIL_WHOLE: &str = "toy.fail_whole";
/// Ends the program: the text, an index, and the size of the dimension.
pub const FAIL_RANGE: &str = "toy.fail_range";
/// Ends the program with the text.
pub const FAIL: &str = "toy.fail";
/// Ends the program with the text if the stack is nearly full.
pub const ENTER: &str = "toy.enter";

/// All of them.
pub const ALL: [&str; 7] =
    [PRINT_TEXT, PRINT_NUMBER, PRINT_FORMAT, FAIL_WHOLE, FAIL_RANGE, FAIL, ENTER];

/// The declaration of a function that only reads its argument.
pub fn reader<'c>(context: &'c Context, name: &str, argument: Type<'c>) -> Operation<'c> {
    let ty = FunctionType::new(context, &[argument], &[]);
    let mut function = ops::function(context, Location::unknown(context), name, ty, None, true);
    let read = StringAttribute::new(context, "read").into();
    let access = DictionaryAttribute::new(
        context,
        &[(Identifier::new(context, "bufferization.access"), read)],
    );
    function.set_attribute("arg_attrs", ArrayAttribute::new(context, &[access.into()]).into());
    function
}
