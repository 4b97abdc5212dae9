//! The syntax of operations and types of the Toy dialect, for diagnostics about input in another syntax.
//!
//! Input: the name of an operation that MLIR does not accept. Output: a label and a help with an example.
//! Upstream's Toy dialect has a custom form for each operation, and functions of its own; an IRDL dialect
//! of LLVM 22 has only the generic form, and functions come from the dialect `func`.

pub use mlir_support::session::Advice;
use mlir_support::session::Spelling;
use toy_diagnostics::source::Span;

/// A hint about the dialect's syntax.
pub const SPELLING: Spelling = Spelling {
    of_message,
    of_text: |text| {
        let range = first_custom_form(text)?;
        let advice = of_operation(&text[range.clone()])?;
        Some((Span::new(range.start, range.end), advice))
    },
};

/// The operations with an example of each; upstream has no `div`, `neg`, `from_elements` and
/// `struct_create`, but `struct_access` and `struct_constant`.
const EXAMPLES: [(&str, &str); 36] = [
    ("add", r#"%r = "toy.add"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    (
        "assign",
        r#"%r = "toy.assign"(%a, %b) {name = "x"} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#,
    ),
    ("cast", r#"%r = "toy.cast"(%a) : (tensor<2x3xf64>) -> tensor<*xf64>"#),
    (
        "compare",
        r#"%r = "toy.compare"(%a, %b) {predicate = "lt"} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#,
    ),
    (
        "constant",
        r#"%r = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>"#,
    ),
    ("div", r#"%r = "toy.div"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    (
        "from_elements",
        r#"%r = "toy.from_elements"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<2xf64>"#,
    ),
    ("from_index", r#"%r = "toy.from_index"(%a) : (index) -> tensor<f64>"#),
    ("from_truth", r#"%r = "toy.from_truth"(%a) : (i1) -> tensor<f64>"#),
    (
        "generic_call",
        r#"%r = "toy.generic_call"(%a) {callee = @f} : (tensor<2xf64>) -> tensor<*xf64>"#,
    ),
    ("math", r#"%r = "toy.math"(%a) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>"#),
    (
        "matmul",
        r#"%r = "toy.matmul"(%a, %b) : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>"#,
    ),
    ("max", r#"%r = "toy.max"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    ("min", r#"%r = "toy.min"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    ("mul", r#"%r = "toy.mul"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    ("neg", r#"%r = "toy.neg"(%a) : (tensor<2xf64>) -> tensor<2xf64>"#),
    ("pow", r#"%r = "toy.pow"(%a, %b) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>"#),
    ("print", r#""toy.print"(%a) : (tensor<2xf64>) -> ()"#),
    ("print_values", r#""toy.print_values"(%a) {format = ["x is", unit]} : (tensor<f64>) -> ()"#),
    ("range", r#"%r = "toy.range"(%a) : (tensor<f64>) -> tensor<*xf64>"#),
    (
        "read",
        r#"%r = "toy.read"(%a, %b) {subscripts = ["at", array<i64: 0, 2>]} : (tensor<2x3xf64>, index) -> tensor<2xf64>"#,
    ),
    (
        "reduce",
        r#"%r = "toy.reduce"(%a) {kind = "sum", axis = 0 : i64} : (tensor<2x3xf64>) -> tensor<3xf64>"#,
    ),
    (
        "reduce_axis",
        r#"%r = "toy.reduce_axis"(%a, %b) {kind = "max"} : (tensor<2x3xf64>, tensor<f64>) -> tensor<*xf64>"#,
    ),
    ("reshape", r#"%r = "toy.reshape"(%a) : (tensor<6xf64>) -> tensor<2x3xf64>"#),
    (
        "select",
        r#"%r = "toy.select"(%a, %b, %c) : (tensor<2xf64>, tensor<2xf64>, tensor<f64>) -> tensor<2xf64>"#,
    ),
    ("shape", r#"%r = "toy.shape"(%a, %b) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>"#),
    (
        "struct_access",
        r#"%r = "toy.struct_access"(%a) {index = 0} : (!toy.struct<[tensor<2xf64>]>) -> tensor<2xf64>"#,
    ),
    (
        "struct_constant",
        r#"%r = "toy.struct_constant"() {value = [dense<1.0> : tensor<2xf64>]} : () -> !toy.struct<[tensor<2xf64>]>"#,
    ),
    (
        "struct_create",
        r#"%r = "toy.struct_create"(%a) : (tensor<2xf64>) -> !toy.struct<[tensor<2xf64>]>"#,
    ),
    ("sub", r#"%r = "toy.sub"(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>"#),
    ("to_index", r#"%r = "toy.to_index"(%a) {what = "index"} : (tensor<f64>) -> index"#),
    ("transpose", r#"%r = "toy.transpose"(%a) : (tensor<2x3xf64>) -> tensor<3x2xf64>"#),
    ("truth", r#"%r = "toy.truth"(%a) {what = "condition"} : (tensor<f64>) -> i1"#),
    ("unset", r#"%r = "toy.unset"() : () -> tensor<2xf64>"#),
    (
        "update",
        r#"%r = "toy.update"(%a, %b, %c) {subscripts = ["at"]} : (tensor<3xf64>, tensor<2x3xf64>, index) -> tensor<2x3xf64>"#,
    ),
    ("variable", r#""toy.variable"(%a) {name = "x"} : (tensor<2xf64>) -> ()"#),
];

/// The advice for an operation `toy.NAME` that MLIR does not accept; None if it is not one of Toy.
pub fn of_operation(name: &str) -> Option<Advice> {
    let name = name.strip_prefix("toy.")?;
    let advice = |label, help| Some(Advice { label, help });
    match name {
        "func" => advice(
            "functions of Toy programs are those of the dialect `func`",
            "write `func.func @f(%a: tensor<*xf64>) -> tensor<*xf64> { ... }`, and its operations \
             in generic form"
                .to_owned(),
        ),
        "return" => advice(
            "functions of Toy programs are those of the dialect `func`",
            "write `return %a : tensor<*xf64>`, or `return`".to_owned(),
        ),
        _ => match EXAMPLES.iter().find(|(known, _)| *known == name) {
            Some((_, example)) => advice(
                "Toy operations are written in generic form",
                format!("write it like this: {example}"),
            ),
            None => {
                let known = EXAMPLES.map(|(name, _)| name).join(", ");
                advice("no such operation", format!("the operations of Toy are {known}"))
            }
        },
    }
}

/// The advice for a `!toy.struct` that MLIR does not accept.
pub fn of_struct() -> Advice {
    Advice {
        label: "the fields of a struct are a list",
        help: "write it like this: !toy.struct<[tensor<2xf64>, tensor<*xf64>]>".to_owned(),
    }
}

/// Advice for Toy syntax that MLIR does not know; `before` is the text before the place of its message.
fn of_message(message: &str, before: &str) -> Option<Advice> {
    let is_field =
        ["expected base attribute 'builtin.array'", "expected 1 type arguments, but had"];
    if before.ends_with("!toy.") && is_field.iter().any(|start| message.starts_with(start)) {
        return Some(of_struct());
    }
    let rest = message
        .strip_prefix("custom op '")
        .filter(|_| message.ends_with("' is unknown"))
        .or_else(|| message.strip_prefix("unregistered operation '"))?;
    of_operation(rest.split('\'').next()?)
}

/// The place of the first Toy operation that is not in quotes, in MLIR's text.
pub fn first_custom_form(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.match_indices("toy.").map(|(index, _)| index).find(|index| {
        let before = &text[..*index];
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let is_start = line.is_empty() || line.ends_with(|c: char| c.is_whitespace() || c == '=');
        is_start && !line.contains("//")
    })?;
    let rest = &text[start..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._".contains(c));
    Some(start..start + length.unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::source::Source;

    #[test]
    fn every_operation_has_an_example_that_parses() {
        let session = crate::dialect::new_session();
        for (name, example) in EXAMPLES {
            assert!(session.has_operation(&format!("toy.{name}")), "{name}");
            // Operands of the types that the example says.
            let types = example.rsplit_once(" : (").and_then(|(_, types)| types.split_once(") ->"));
            let types = types.map_or("", |(types, _)| types);
            let operands = ["%a", "%b", "%c"].into_iter().zip(types.split(", "));
            let operands = operands.filter(|(_, ty)| !ty.is_empty());
            let operands = operands.map(|(name, ty)| format!("{name}: {ty}")).collect::<Vec<_>>();
            let text = format!(
                "func.func private @f(%x: tensor<2xf64>) -> tensor<*xf64>
                 func.func @g({}) {{\n{example}\nreturn\n}}",
                operands.join(", ")
            );
            let text = text.replacen("(%x: tensor<2xf64>)", "(tensor<2xf64>)", 1);
            let module = session.parse(&Source::new("example", text.as_str()));
            assert!(module.is_some(), "{text}: {:?}", session.take_diagnostics());
        }
        let in_file = crate::dialect::IRDL.matches("irdl.operation @").count();
        assert_eq!(in_file, EXAMPLES.len());
    }

    #[test]
    fn comments_and_quoted_names_are_not_custom_forms() {
        let text = "// toy.add\n\"toy.add\"() {a = 1} // = toy.mul\n %0 =toy.sub %a";
        let range = first_custom_form(text).unwrap();
        assert_eq!(&text[range], "toy.sub");
    }
}
