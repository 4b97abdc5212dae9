//! The syntax of operations and types of the Toy dialect, for diagnostics about input in another syntax.
//!
//! Input: the name of an operation that MLIR does not accept. Output: a label and a help with an example.
//! Upstream's Toy dialect has a custom form for each operation, and functions of its own; an IRDL dialect
//! of LLVM 22 has only the generic form, and functions come from the dialect `func`.

use crate::dialect::table::{Definition, Kind};
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

/// An operation as it is written; upstream has no `div`, `neg`, `from_elements` and `struct_create`, but
/// `struct_access` and `struct_constant`.
fn example(kind: Kind) -> String {
    let Definition { attributes, types, .. } = kind.definition();
    let operands = types.split_once(" -> ").map_or("", |(operands, _)| operands);
    let operands = operands.split(", ").filter(|operand| *operand != "()");
    let operands = operands.zip(["%a", "%b", "%c"]).map(|(_, name)| name).collect::<Vec<_>>();
    let result = if types.ends_with("-> ()") { "" } else { "%r = " };
    let attributes = if attributes.is_empty() { "" } else { &format!(" {attributes}") };
    format!("{result}\"{}\"({}){attributes} : {types}", kind.name(), operands.join(", "))
}

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
        _ => match Kind::named(&format!("toy.{name}")) {
            Some(kind) => advice(
                "Toy operations are written in generic form",
                format!("write it like this: {}", example(kind)),
            ),
            None => {
                let mut known: Vec<_> = Kind::ALL.iter().map(|kind| &kind.name()[4..]).collect();
                known.sort_unstable();
                let known = known.join(", ");
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
        for kind in Kind::ALL {
            // Operands of the types that the example says.
            let example = example(*kind);
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
    }

    #[test]
    fn comments_and_quoted_names_are_not_custom_forms() {
        let text = "// toy.add\n\"toy.add\"() {a = 1} // = toy.mul\n %0 =toy.sub %a";
        let range = first_custom_form(text).unwrap();
        assert_eq!(&text[range], "toy.sub");
    }
}
