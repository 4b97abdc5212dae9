//! Names that other languages have, and how Toy says it.
//!
//! Input: a name that the program does not define. Output: help, with the text to write instead, if there is
//! one for the name alone.

/// Help for a variable.
pub fn variable(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match name {
        "true" | "True" => ("Toy has no truth values: write `1`", Some("1")),
        "false" | "False" => ("Toy has no truth values: write `0`", Some("0")),
        "inf" | "infinity" | "Infinity" => ("for infinity, write `1 / 0`", Some("(1 / 0)")),
        "nan" | "NaN" => ("for NaN, write `0 / 0`", Some("(0 / 0)")),
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
        "dot" | "matmul" | "mm" => ("for a product of matrices, write `a @ b`", None),
        "round" => ("to round to the nearest whole number, write `floor(x + 0.5)`", None),
        "ceil" | "ceiling" => ("to round up, write `-floor(-x)`", None),
        "int" | "trunc" => ("to round down, write `floor(x)`", None),
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
        "relu" => ("to replace what is below 0 by 0, write `max(x, 0)`", None),
        "sigmoid" => ("write `1 / (1 + exp(-x))`", None),
        "softmax" => ("write `exp(x - max(x)) / sum(exp(x - max(x)))`", None),
        "prod" | "product" => {
            ("multiply the elements in a loop: `for i in 0..shape(x, 0) { p = p * x[i]; }`", None)
        }
        "argmax" | "argmin" => (
            "find it in a loop: `for i in 0..shape(x, 0) { if (x[i] > x[best]) { best = i; } }`",
            None,
        ),
        "broadcast" | "expand" | "tile" | "repeat" => (
            "rows are not repeated: define a tensor of the whole shape, and assign its rows in a loop",
            None,
        ),
        "mod" | "fmod" => ("the remainder is `a - floor(a / b) * b`", None),
        "random" | "rand" | "randn" => {
            ("Toy has no random numbers: a program prints the same each time", None)
        }
        "input" | "read" => ("a Toy program reads no input", None),
        "append" | "push" | "concat" | "concatenate" => (
            "a tensor keeps its shape: define one that is large enough, and set its elements",
            None,
        ),
        "zeros" | "full" => ("to fill a tensor with one number, write `var x<2, 3> = 0;`", None),
        "ones" => ("to fill a tensor with one number, write `var x<2, 3> = 1;`", None),
        _ => return None,
    })
}
