//! The builtin functions, which a program calls without defining them.
//!
//! One table for the checks, the advice, the suggestions, the lowering, and for editors: highlighting, completion,
//! signatures and descriptions. A function of the program with the name of a builtin takes its place, except for the
//! reserved ones, which no program may define. The number of arguments follows from the ways to call a builtin.

use crate::element::Element;

/// A builtin function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The name that calls use.
    pub name: &'static str,
    /// Each way to call it: the parameters by their names. `axis = a` may be given without its name, too, but the other
    /// named ones may not; `values...` stands for any number of arguments.
    pub calls: &'static [&'static [&'static str]],
    /// The description, in Markdown.
    pub text: &'static str,
    /// A call and its result.
    pub example: &'static str,
    /// The arguments that have to be constant expressions.
    pub constants: Constants,
    /// The value of a constant, which is not called.
    pub value: Option<f64>,
    /// The shape of a call with an argument of a shape, where warnings are to know it.
    pub shape: fn(Vec<i64>) -> Option<Vec<i64>>,
    /// True if no function of the program may have the name.
    pub is_reserved: bool,
}

/// The arguments of a call that have to be constant expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// None of them.
    None,
    /// The axis, by its index.
    Axis(usize),
    /// The axes, from an index on.
    Axes(usize),
    /// The sizes of the result, from an index on.
    Sizes(usize),
    /// Number, or first and last one, or with a step.
    Progression,
}

impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Builtin {}

impl Builtin {
    /// The fewest arguments.
    pub fn fewest(&self) -> usize {
        self.calls.iter().map(|call| without_names(call)).min().unwrap_or(0)
    }

    /// The most arguments.
    pub fn most(&self) -> usize {
        match self.parameters().any(|name| name.ends_with("...")) {
            true => usize::MAX,
            false => self.calls.iter().map(|call| without_names(call)).max().unwrap_or(0),
        }
    }

    /// True if a call may have this many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.fewest()..=self.most()).contains(&count)
    }

    /// The names of the arguments that a call may name: `axis`, `keep`, `end`, `digits`, `width`.
    pub fn named_arguments(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for (name, _) in self.parameters().filter_map(|name| name.split_once(" = ")) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// True if a call with `axis = e` may have this many other arguments.
    pub fn takes_beside_axis(&self, count: usize) -> bool {
        let fewest = self.calls.iter().filter(|call| call.contains(&"axis = a"));
        let fewest = fewest.map(|call| without_names(call) - 1).min().unwrap_or(usize::MAX);
        count == fewest || count > fewest && self.most() == usize::MAX
    }

    /// True if a call with one argument may have `axis = e`, too.
    pub fn has_axis(&self) -> bool {
        self.named_arguments().contains(&"axis")
    }

    /// True if a call has a value, as all but `print` do.
    pub fn has_value(&self) -> bool {
        self.name != "print"
    }

    /// `sum(x, axis = a)`
    pub fn label(&self, call: &[&str]) -> String {
        format!("{}({})", self.name, call.join(", "))
    }

    /// The description for editors.
    pub fn markdown(&self) -> String {
        let mut calls: Vec<String> = self.calls.iter().map(|call| self.label(call)).collect();
        if self.value.is_some() {
            calls.push(self.name.to_owned());
        }
        format!(
            "```toy\n{}\n```\n\n{}\n\n```toy\n{}\n```",
            calls.join("\n"),
            self.text,
            self.example
        )
    }

    fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.calls.iter().flat_map(|call| call.iter().copied())
    }
}

/// The most digits after the point that `print` writes: two numbers between 1 and 10 that differ look different.
pub const MOST_DIGITS: i64 = 17;

/// The most characters to which `print` fills a number up.
pub const MOST_WIDTH: i64 = 100;

const ONE: &[&[&str]] = &[&["x"]];
const SIZES: &[&[&str]] = &[&["sizes..."]];
const TWO: &[&[&str]] = &[&["x", "y"]];
const ALONG: &[&[&str]] = &[&["x"], &["x", "axis = a"]];
const REDUCTION: &[&[&str]] = &[&["x"], &["x", "axis = a"], &["x", "axis = a", "keep = k"]];
const TWO_OR_REDUCTION: &[&[&str]] =
    &[&["x"], &["x", "axis = a"], &["x", "axis = a", "keep = k"], &["x", "y"]];

/// The number of arguments of a call that may be given without names.
fn without_names(call: &[&str]) -> usize {
    call.iter().filter(|name| !name.contains(" = ") || name.starts_with("axis = ")).count()
}

const fn builtin(
    name: &'static str,
    calls: &'static [&'static [&'static str]],
    text: &'static str,
    example: &'static str,
) -> Builtin {
    let shape: fn(Vec<i64>) -> Option<Vec<i64>> = |_| None;
    let (constants, value) = (Constants::None, None);
    Builtin { name, calls, text, example, constants, value, shape, is_reserved: false }
}

const fn constant(
    name: &'static str,
    value: f64,
    text: &'static str,
    example: &'static str,
) -> Builtin {
    Builtin { value: Some(value), ..builtin(name, &[], text, example) }
}

/// A builtin whose second argument is an axis, by whatever name.
const fn along(
    name: &'static str,
    calls: &'static [&'static [&'static str]],
    text: &'static str,
    example: &'static str,
) -> Builtin {
    Builtin { constants: Constants::Axis(1), ..builtin(name, calls, text, example) }
}

/// All builtins; the reserved ones first.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        is_reserved: true,
        shape: |shape| Some(shape.into_iter().rev().collect()),
        constants: Constants::Axes(1),
        ..builtin(
            "transpose",
            &[&["x"], &["x", "axes..."]],
            "The tensor with its dimensions in reverse order: element (i, j, k) becomes (k, j, i). With an axis for each \
             dimension, constants, in that order: `transpose(x, 0, 2, 1)`.",
            "transpose([[1, 2, 3], [4, 5, 6]])  # 3x2",
        )
    },
    Builtin {
        is_reserved: true,
        ..builtin(
            "print",
            &[&["value"], &["values...", "digits = d", "width = w", "end = \"\""]],
            "Writes one tensor, or several strings and values in one line. With `digits`, numbers have that many digits \
             after the point, and the columns of matrices are aligned; with `width`, numbers take at least that many \
             characters. With `end`, that text is written instead of the last line feed. Has no value.",
            "print(\"the sum is\", sum(x), digits = 2);",
        )
    },
    builtin("exp", ONE, "e to the power of each element.", "exp(0)  # 1"),
    builtin("log", ONE, "The natural logarithm of each element.", "log(1)  # 0"),
    builtin(
        "sqrt",
        ONE,
        "The square root of each element, exactly rounded.",
        "sqrt([4, 9])  # [2, 3]",
    ),
    builtin("sin", ONE, "The sine of each element.", "sin(0)  # 0"),
    builtin("cos", ONE, "The cosine of each element.", "cos(0)  # 1"),
    builtin("tanh", ONE, "The hyperbolic tangent of each element.", "tanh(0)  # 0"),
    builtin("abs", ONE, "Each element without its sign.", "abs([-1, 2])  # [1, 2]"),
    builtin(
        "floor",
        ONE,
        "The largest whole number that is not greater, of each element.",
        "floor(-1.5)  # -2",
    ),
    builtin(
        "round",
        ONE,
        "The nearest whole number, of two the even one, of each element.",
        "round([0.5, 1.5])  # [0, 2]",
    ),
    builtin("trunc", ONE, "Each element without what is after the point.", "trunc(-1.5)  # -1"),
    builtin(
        "sign",
        ONE,
        "1 for each element that is greater than 0, -1 for those less than 0, 0 for 0.",
        "sign([-5, 0, 2])  # [-1, 0, 1]",
    ),
    builtin(
        "f32",
        ONE,
        "The nearest number of 32 bits for each element: half the memory, about 7 digits.",
        "f32([1, 0.5])",
    ),
    builtin(
        "f64",
        ONE,
        "The same numbers with 64 bits each, which numbers have unless they are converted.",
        "f64(f32(0.5))  # 0.5",
    ),
    builtin("pow", TWO, "x to the power of y for each element.", "pow(2, 10)  # 1024"),
    along(
        "sum",
        REDUCTION,
        "The sum of all elements, a scalar; with `axis`, along that dimension, which the result does \
         not have. `sum(x, a)` is the same as `sum(x, axis = a)`; -1 is the last dimension. With `keep = 1`, what \
         is added up stays as dimensions of size 1.",
        "sum([[1, 2], [3, 4]], axis = 0)  # [4, 6]",
    ),
    builtin(
        "max",
        TWO_OR_REDUCTION,
        "The largest element; with `axis`, along that dimension, which the result does not have, or with \
         `keep = 1`, has with size 1. Of two tensors, the larger one of each two elements.",
        "max([1, 5, 3])  # 5",
    ),
    builtin(
        "min",
        TWO_OR_REDUCTION,
        "The smallest element; with `axis`, along that dimension, which the result does not have, or with \
         `keep = 1`, has with size 1. Of two tensors, the smaller one of each two elements.",
        "min(x, 0)  # no element is greater than 0",
    ),
    along(
        "mean",
        REDUCTION,
        "The sum of all elements, or of those along the dimension `axis`, divided by their number.",
        "mean([1, 2, 6])  # 3",
    ),
    along(
        "prod",
        REDUCTION,
        "The product of all elements, or of those along the dimension `axis`.",
        "prod([2, 3, 4])  # 24",
    ),
    along(
        "any",
        REDUCTION,
        "1 if an element is not 0, of all or along the dimension `axis`; 0 if all are 0.",
        "any([1, 5] > 3)  # 1",
    ),
    along(
        "all",
        REDUCTION,
        "1 if no element is 0, of all or along the dimension `axis`; 0 if one is.",
        "all([1, 5] > 3)  # 0",
    ),
    along(
        "argmax",
        REDUCTION,
        "The index of the largest element, the first one of several: of all elements in order, or along the dimension \
         `axis`. The first NaN is larger than all.",
        "argmax([1, 5, 3])  # 1",
    ),
    along(
        "argmin",
        REDUCTION,
        "The index of the smallest element, the first one of several: of all elements in order, or along the dimension \
         `axis`. The first NaN is smaller than all.",
        "argmin([1, 5, 3])  # 0",
    ),
    along(
        "cumsum",
        ALONG,
        "The sums of the elements up to each one, along the dimension `axis`; without it, of all elements in order, a \
         list.",
        "cumsum([1, 2, 3])  # [1, 3, 6]",
    ),
    along(
        "sort",
        ALONG,
        "The elements in ascending order along the dimension `axis`, the last one if it is left out. NaNs are last.",
        "sort([3, 1, 2])  # [1, 2, 3]",
    ),
    builtin(
        "where",
        &[&["condition", "x", "y"]],
        "For each element: x where the condition is not 0, and y elsewhere.",
        "where(m > 0, m, 0)",
    ),
    builtin(
        "grad",
        &[&["f"], &["f", "parameters..."]],
        "The gradient of the function f of the program, which returns a scalar: a function with the parameters of f. It is \
         by the first parameter, or by those whose numbers are given.",
        "grad(f)(x)  # has the shape of x",
    ),
    builtin(
        "value_and_grad",
        &[&["f"], &["f", "parameters..."]],
        "The same with the value of f before the gradient: the fields of a struct.",
        "Step s = value_and_grad(f)(x);  # struct Step { var value; var gradient; }",
    ),
    builtin("stop", ONE, "The same value, which gradients take for a constant.", "x * stop(x)"),
    Builtin {
        constants: Constants::Progression,
        ..builtin(
            "range",
            &[&["n"], &["a", "b"], &["a", "b", "s"]],
            "The list 0, 1, ..., n - 1; or a, a + 1, ... up to, not including, b; or with the step s in place of 1. \
             The arguments are constants.",
            "range(2, 5)  # [2, 3, 4]",
        )
    },
    Builtin {
        constants: Constants::Axis(1),
        ..builtin(
            "shape",
            &[&["x", "a"]],
            "The size of the dimension a: a scalar, and a constant. -1 is the last dimension.",
            "shape([[1, 2, 3]], 1)  # 3",
        )
    },
    Builtin {
        constants: Constants::Sizes(1),
        ..builtin(
            "reshape",
            &[&["x", "sizes..."]],
            "The elements of x, in their order, with these sizes. One of them may be -1: it follows from the others. A \
             scalar fills the shape.",
            "reshape(range(6), 2, -1)  # 2x3",
        )
    },
    Builtin {
        constants: Constants::Sizes(0),
        ..builtin("zeros", SIZES, "A tensor of zeros with these sizes.", "zeros(2, 3)  # 2x3")
    },
    Builtin {
        constants: Constants::Sizes(0),
        ..builtin("ones", SIZES, "A tensor of ones with these sizes.", "ones(2, 3)  # 2x3")
    },
    Builtin {
        constants: Constants::Sizes(0),
        ..builtin(
            "eye",
            &[&["n"]],
            "The matrix of n rows and n columns with 1 on its diagonal, and 0 elsewhere.",
            "eye(2)  # [[1, 0], [0, 1]]",
        )
    },
    Builtin {
        constants: Constants::Sizes(2),
        ..builtin(
            "linspace",
            &[&["a", "b", "n"]],
            "n numbers from a to b, both included, with equal distances. n is a constant, a and b are scalars.",
            "linspace(0, 1, 3)  # [0, 0.5, 1]",
        )
    },
    builtin(
        "concat",
        &[&["x", "y..."], &["x", "y...", "axis = a"]],
        "The tensors one after the other, along their first dimension or the dimension a; their other dimensions are \
         equal.",
        "concat([1, 2], [3])  # [1, 2, 3]",
    ),
    constant(
        "pi",
        std::f64::consts::PI,
        "The ratio of the circumference of a circle to its diameter.",
        "sin(pi / 2)  # 1",
    ),
    constant("inf", f64::INFINITY, "Infinity: larger than every number.", "min([inf, 3])  # 3"),
    constant(
        "nan",
        f64::NAN,
        "Not a number: unequal to everything, itself included.",
        "nan == nan  # 0",
    ),
];

/// A function of a number.
pub type OfNumber = fn(f64) -> f64;

/// The functions of a number whose result is a constant if the number is one.
const OF_CONSTANTS: [(&str, OfNumber); 3] =
    [("floor", f64::floor), ("round", f64::round_ties_even), ("trunc", f64::trunc)];

/// The function of a number that a builtin computes, if the result of a constant is a constant.
pub fn of_constant(name: &str) -> Option<OfNumber> {
    OF_CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, of)| *of)
}

/// The parts of a constant, in words.
pub fn constants() -> String {
    let values = BUILTINS.iter().filter(|builtin| builtin.value.is_some()).map(|it| it.name);
    let functions =
        OF_CONSTANTS.map(|(name, _)| name).into_iter().chain(Element::ALL.map(Element::name));
    let names: Vec<_> = values.chain(functions).collect();
    format!(
        "numbers, `shape(x, axis)`, `{}`, `+ - * / %`, parentheses, and variables defined as constants and never assigned",
        names.join("`, `")
    )
}

/// The value of the builtin constant with this name.
pub fn value(name: &str) -> Option<f64> {
    find(name)?.value
}

/// The builtin with this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// True if the name belongs to a builtin.
pub fn is_builtin(name: &str) -> bool {
    find(name).is_some()
}

/// True if no function of a program may have this name.
pub fn is_reserved(name: &str) -> bool {
    find(name).is_some_and(|builtin| builtin.is_reserved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_number_of_arguments_follows_from_the_calls() {
        let takes = |name| find(name).map(|it| (it.fewest(), it.most(), it.has_axis()));
        assert_eq!(takes("exp"), Some((1, 1, false)));
        assert_eq!(takes("sum"), Some((1, 2, true)));
        assert_eq!(takes("where"), Some((3, 3, false)));
        assert_eq!(takes("print"), Some((1, usize::MAX, false)));
        assert_eq!(takes("max"), Some((1, 2, true)));
        assert_eq!(takes("transpose"), Some((1, usize::MAX, false)));
    }

    /// The table of LANGUAGE.md has a row for each call: with as many arguments, under any names.
    #[test]
    fn the_language_reference_has_every_call() {
        let page = include_str!("../../../LANGUAGE.md");
        let table = page.split_once("| call | value |\n").map_or("", |(_, table)| table);
        let rows = table.lines().take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let written: BTreeSet<String> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .map(|call| form(call.split_once('(').unwrap_or((call, ""))))
            .collect();
        let calls = |it: &'static Builtin| it.calls.iter().map(|call| (it.name, call.join(", ")));
        let known = BUILTINS.iter().flat_map(calls);
        let known: BTreeSet<String> = known.map(|(name, call)| form((name, &call))).collect();
        assert_eq!(written, known);
    }

    #[test]
    fn pages_about_constants_name_all_their_parts() {
        let language = include_str!("../../../LANGUAGE.md");
        let (_, section) = language.split_once("## Constants").unwrap_or_default();
        let pages = [
            section.split("```").next().unwrap_or_default(),
            include_str!("../../toy-diagnostics/src/explain/E0229.md"),
            include_str!("../../toy-diagnostics/src/explain/E0316.md"),
        ];
        for part in constants().split('`').skip(1).step_by(2) {
            let part = part.split('(').next().unwrap_or_default();
            for page in pages {
                assert!(page.contains(&format!("`{part}")), "`{part}` is not in {page}");
            }
        }
    }

    /// A call as its name and the number of its arguments; of `print`, there is only one.
    fn form((name, arguments): (&str, &str)) -> String {
        match name {
            "print" => name.to_owned(),
            _ => format!("{name} {}", arguments.split(',').count()),
        }
    }
}
