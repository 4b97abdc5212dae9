//! Documentation of the builtins and the keywords for editors.
//!
//! Invariant: every builtin of the language has an entry, with as many parameters as it may have arguments (a test
//! checks it).

/// The documentation of a builtin.
pub struct Doc {
    pub name: &'static str,
    /// Each way to call it: the parameters by their names.
    pub calls: &'static [&'static [&'static str]],
    /// The description, in Markdown.
    pub text: &'static str,
    /// A call and its result.
    pub example: &'static str,
}

const fn doc(
    name: &'static str,
    calls: &'static [&'static [&'static str]],
    text: &'static str,
    example: &'static str,
) -> Doc {
    Doc { name, calls, text, example }
}

const ONE: &[&[&str]] = &[&["x"]];
const REDUCTION: &[&[&str]] = &[&["x"], &["x", "axis = a"]];
const TWO_OR_REDUCTION: &[&[&str]] = &[&["x"], &["x", "axis = a"], &["x", "y"]];

pub const DOCS: &[Doc] = &[
    doc(
        "transpose",
        ONE,
        "The tensor with its dimensions in reverse order: element (i, j, k) becomes (k, j, i).",
        "transpose([[1, 2, 3], [4, 5, 6]])  # 3x2",
    ),
    doc(
        "print",
        &[&["value"], &["values...", "end = \"\""]],
        "Writes one tensor, or several strings and values in one line. With `end`, that text is written \
         instead of the last line feed. Has no value.",
        "print(\"the sum is\", sum(x));",
    ),
    doc("exp", ONE, "e to the power of each element, by the C library.", "exp(0)  # 1"),
    doc("log", ONE, "The natural logarithm of each element, by the C library.", "log(1)  # 0"),
    doc("sqrt", ONE, "The square root of each element, exactly rounded.", "sqrt([4, 9])  # [2, 3]"),
    doc("sin", ONE, "The sine of each element, by the C library.", "sin(0)  # 0"),
    doc("cos", ONE, "The cosine of each element, by the C library.", "cos(0)  # 1"),
    doc("tanh", ONE, "The hyperbolic tangent of each element, by the C library.", "tanh(0)  # 0"),
    doc("abs", ONE, "Each element without its sign.", "abs([-1, 2])  # [1, 2]"),
    doc(
        "floor",
        ONE,
        "The largest whole number that is not greater, of each element.",
        "floor(-1.5)  # -2",
    ),
    doc(
        "pow",
        &[&["x", "y"]],
        "x to the power of y for each element, by the C library. The two have the same shape, or one \
         is a scalar.",
        "pow(2, 10)  # 1024",
    ),
    doc(
        "sum",
        REDUCTION,
        "The sum of all elements, a scalar; with `axis`, along that dimension, which the result does \
         not have. `sum(x, a)` is the same as `sum(x, axis = a)`; -1 is the last dimension.",
        "sum([[1, 2], [3, 4]], axis = 0)  # [4, 6]",
    ),
    doc(
        "max",
        TWO_OR_REDUCTION,
        "The largest element; with `axis`, along that dimension, which the result does not have. Of \
         two tensors, the larger one of each two elements.",
        "max([1, 5, 3])  # 5",
    ),
    doc(
        "min",
        TWO_OR_REDUCTION,
        "The smallest element; with `axis`, along that dimension, which the result does not have. Of \
         two tensors, the smaller one of each two elements.",
        "min(x, 0)  # no element is greater than 0",
    ),
    doc(
        "where",
        &[&["condition", "x", "y"]],
        "For each element: x where the condition is not 0, and y elsewhere.",
        "where(m > 0, m, 0)",
    ),
    doc(
        "range",
        &[&["n"]],
        "The list 0, 1, ..., n - 1. n is a constant of at least 1.",
        "range(3)  # [0, 1, 2]",
    ),
    doc(
        "shape",
        &[&["x", "a"]],
        "The size of the dimension a: a scalar, and a constant. -1 is the last dimension.",
        "shape([[1, 2, 3]], 1)  # 3",
    ),
];

/// The entry of a builtin.
pub fn of(name: &str) -> Option<&'static Doc> {
    DOCS.iter().find(|doc| doc.name == name)
}

impl Doc {
    /// `sum(x, axis = a)`
    pub fn label(&self, call: &[&str]) -> String {
        format!("{}({})", self.name, call.join(", "))
    }

    pub fn markdown(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(|call| self.label(call)).collect();
        format!(
            "```toy\n{}\n```\n\n{}\n\n```toy\n{}\n```",
            calls.join("\n"),
            self.text,
            self.example
        )
    }
}

/// The keywords that start a definition, a statement or an `else`, each with a snippet and a description.
pub const KEYWORDS: &[(&str, &str, &str)] = &[
    ("def", "def ${1:name}($2) {\n  $0\n}", "a function"),
    ("struct", "struct ${1:Name} {\n  var ${2:field};\n}", "a struct"),
    ("var", "var ${1:name} = $0;", "a variable"),
    ("return", "return $0;", "the result of the function"),
    ("if", "if ($1) {\n  $0\n}", "a branch"),
    ("else", "else {\n  $0\n}", "what runs if no condition holds"),
    ("while", "while ($1) {\n  $0\n}", "a loop with a condition"),
    ("for", "for ${1:i} in 0..$2 {\n  $0\n}", "a loop over numbers"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use toy_syntax::builtins::BUILTINS;

    #[test]
    fn every_builtin_is_documented() {
        for builtin in BUILTINS {
            let doc = of(builtin.name).unwrap_or_else(|| panic!("{}", builtin.name));
            let most = doc.calls.iter().map(|call| call.len()).max();
            assert!(most.is_some_and(|most| most >= builtin.most.min(2)), "{}", builtin.name);
            let named = doc.calls.iter().flat_map(|call| call.iter());
            let has_axis = named.into_iter().any(|name| name.starts_with("axis"));
            assert_eq!(has_axis, builtin.has_axis, "{}", builtin.name);
        }
        assert_eq!(DOCS.len(), BUILTINS.len());
    }
}
