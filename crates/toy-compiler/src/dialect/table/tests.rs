//! The definition in IRDL is the table as text: `TOYC_UPDATE=1` writes it.

use super::*;
use crate::dialect::IRDL;

/// The text before the operations, and between the two parts, is only in the file.
const FIRST: &str = "  irdl.type @any\n";
const SECOND: &str = "refers to it. build.rs cuts the file at the line before this comment.\n";

#[test]
fn the_definition_in_irdl_is_the_table() {
    let (head, rest) = IRDL.split_once(FIRST).expect("the last type");
    let (first, second) = rest.split_once(SECOND).expect("the second part");
    let comment =
        first.find("  // === second part").expect("the line where the second part begins");
    let (first, second_head) = first.split_at(comment);
    let kinds = Kind::ALL.split_at(SECOND_PART as usize);
    let (first_now, second_now) = (operations(kinds.0), operations(kinds.1) + "}\n");
    if std::env::var_os("TOYC_UPDATE").is_some_and(|value| value == "1") {
        let text = [head, FIRST, &first_now, "\n", second_head, SECOND, &second_now].concat();
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialect/toy.irdl.mlir");
        std::fs::write(file, text).expect("the file can be written");
        return;
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let differs = "the definition is not that of the table: run this test with TOYC_UPDATE=1";
    assert_eq!(lines(first), lines(&(first_now + "\n")), "{differs}");
    assert_eq!(lines(second), lines(&second_now), "{differs}");
}

fn operations(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| operation(*kind)).collect()
}

/// An operation in IRDL, after a blank line.
fn operation(kind: Kind) -> String {
    let Definition { text, signature, .. } = kind.definition();
    let comment: String = text.lines().map(|line| format!("  // {line}\n")).collect();
    let (attributes, operands) = match signature.strip_prefix('{') {
        Some(rest) => rest.split_once("} ").expect("operands after the attributes"),
        None => ("", *signature),
    };
    let (operands, results) = operands.split_once(" -> ").unwrap_or((operands, ""));
    let operands = operands.trim_matches(['(', ')']);
    let mut body = String::new();
    for (name, kind) in values(attributes) {
        body += &format!("    %{name} = irdl.base \"#builtin.{}\"\n", base(kind));
    }
    for (name, kind) in values(operands).chain(values(results)) {
        body += &constraint(name, kind.rsplit(' ').next().unwrap_or(kind));
    }
    for (name, _) in values(attributes) {
        body += &format!("    irdl.attributes {{ \"{name}\" = %{name} }}\n");
    }
    for (what, list) in [("operands", operands), ("results", results)] {
        let all = values(list).map(|(name, kind)| {
            let variadic =
                kind.rsplit_once(' ').map_or(String::new(), |(how, _)| format!("{how} "));
            format!("{name}: {variadic}%{name}")
        });
        let all = all.collect::<Vec<_>>().join(", ");
        if !all.is_empty() {
            body += &format!("    irdl.{what}({all})\n");
        }
    }
    let name = &kind.name()["toy.".len()..];
    format!("\n{comment}  irdl.operation @{name} {{\n{body}  }}\n")
}

/// The names in a list, with what the signature says of them.
fn values(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split(", ").filter_map(|value| value.split_once(": "))
}

fn base(attribute: &str) -> &str {
    if attribute == "dense" { "dense_int_or_fp_elements" } else { attribute }
}

/// Constraints of types; each value has its own: one that is used twice means the same type.
fn constraint(name: &str, kind: &str) -> String {
    let is = |ty| format!("    %{name} = irdl.is {ty}\n");
    const STRUCT: (&str, &str) = ("struct", "@toy::@struct");
    const RANKED: (&str, &str) = ("ranked", "\"!builtin.tensor\"");
    const UNRANKED: (&str, &str) = ("unranked", "\"!builtin.unranked_tensor\"");
    let leaves: &[(&str, &str)] = match kind {
        "scalar" => return is("tensor<f64>"),
        "i1" | "index" => return is(kind),
        "ranked" => return format!("    %{name} = irdl.base {}\n", RANKED.1),
        "struct" => return format!("    %{name} = irdl.base {}\n", STRUCT.1),
        "tensor" => &[RANKED, UNRANKED],
        "value" => &[RANKED, UNRANKED, STRUCT],
        "any" => &[RANKED, UNRANKED, STRUCT, ("any", "@toy::@any")],
        _ => panic!("no such kind of values: {kind}"),
    };
    let mut text = String::new();
    for (leaf, base) in leaves {
        text += &format!("    %{name}_{leaf} = irdl.base {base}\n");
    }
    let names: Vec<_> = leaves.iter().map(|(leaf, _)| format!("%{name}_{leaf}")).collect();
    text + &format!("    %{name} = irdl.any_of({})\n", names.join(", "))
}

#[test]
fn operators_and_builtins_lead_to_their_operations() {
    assert_eq!(Kind::of_operator(BinaryOperator::MatMul), Some(Kind::Matmul));
    assert_eq!(Kind::of_operator(BinaryOperator::And), None);
    assert_eq!(Kind::of_builtin("max", 2), Some(Kind::Max));
    assert_eq!(Kind::of_builtin("max", 1), None);
    let arithmetic = Kind::ALL.iter().filter(|kind| kind.arithmetic().is_some()).count();
    assert_eq!(arithmetic, 5);
}
