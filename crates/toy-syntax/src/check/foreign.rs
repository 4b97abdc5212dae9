//! Names that other languages have, and how Toy says it.
//!
//! Input: a name that the program does not define. Output: help, with the text to write instead, if there is
//! one for the name alone.

/// Help for a variable.
pub fn variable(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "true" | "True" => ("a condition that holds is 1", Some("1")),
        "false" | "False" => ("a condition that does not hold is 0", Some("0")),
        "inf" | "infinity" | "Infinity" => ("infinity is `1 / 0`", Some("(1 / 0)")),
        "nan" | "NaN" => ("what is not a number is `0 / 0`", Some("(0 / 0)")),
        "break" | "continue" => ("Toy has no jumps: a loop ends only at its condition", None),
        _ => return None,
    })
}

/// Help for a function.
pub fn function(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "not" => ("write `!`", Some("!")),
        "if" | "while" => ("a condition is followed by a block: `if (c) { ... }`", None),
        "for" => ("a loop is written `for i in 0..n { ... }`", None),
        "len" | "size" => ("the size of a dimension is `shape(x, 0)`", None),
        "dot" | "matmul" => ("the product of matrices is `a @ b`", None),
        "round" => ("the nearest whole number is `floor(x + 0.5)`", None),
        "zeros" | "ones" | "full" => ("a tensor of one number is `var x<2, 3> = 0;`", None),
        _ => return None,
    })
}
