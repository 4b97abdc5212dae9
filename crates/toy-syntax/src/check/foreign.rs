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
        "reshape" | "view" | "resize" => {
            ("`var y<2, 3> = x;` defines `y` with the elements of `x` in another shape", None)
        }
        "flatten" | "ravel" => {
            ("`var y<6> = x;` defines `y` with the elements of `x` in one list", None)
        }
        "mean" | "average" | "avg" => ("the mean of a list is `sum(x) / shape(x, 0)`", None),
        "norm" => ("the length of a vector is `sqrt(x @ x)`", None),
        "maximum" => ("`max(a, b)` is the greater of two numbers, element by element", Some("max")),
        "minimum" => ("`min(a, b)` is the smaller of two numbers, element by element", Some("min")),
        "arange" | "linspace" => ("`range(n)` is 0, 1, ... up to n - 1", Some("range")),
        "relu" => ("what is below 0 becomes 0 by `max(x, 0)`", None),
        "mod" | "fmod" => ("the remainder is `a - floor(a / b) * b`", None),
        "random" | "rand" | "randn" => {
            ("Toy has no random numbers: a program prints the same each time", None)
        }
        "input" | "read" => ("a Toy program reads no input", None),
        "append" | "push" | "concat" | "concatenate" => (
            "a tensor keeps its shape: define one that is large enough, and set its elements",
            None,
        ),
        "zeros" | "full" => ("a tensor of one number is `var x<2, 3> = 0;`", None),
        "ones" => ("a tensor of one number is `var x<2, 3> = 1;`", None),
        _ => return None,
    })
}
