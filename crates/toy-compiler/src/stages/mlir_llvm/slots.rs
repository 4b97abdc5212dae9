//! Operations of the LLVM dialect that keep values on the stack, and records of the variables that they are. A word has
//! 64 bits on every target: a number or an address.

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Attribute, Type, Value};
use mlir_support::Builder;

/// A slot of `words` words; `one` is the number 1.
pub fn alloca<'c, 'a>(code: Builder<'c, 'a>, one: Value<'c, 'a>, words: usize) -> Value<'c, 'a> {
    let array = format!("!llvm.array<{words} x i64>");
    let ty = match words {
        1 => code.i64_type(),
        _ => Type::parse(code.context, &array).expect("a type of the LLVM dialect"),
    };
    let ty = [("elem_type", TypeAttribute::new(ty).into())];
    code.value("llvm.alloca", &[one], code.pointer_type(), &ty)
}

/// Stores into a word of a slot.
pub fn store<'c: 'a, 'a>(
    code: Builder<'c, 'a>,
    value: Value<'c, 'a>,
    slot: Value<'c, 'a>,
    word: usize,
) {
    let address = address(code, slot, word);
    code.op("llvm.store", &[value, address], &[], &[]);
}

/// The address of a word of a slot.
pub fn address<'c: 'a, 'a>(
    code: Builder<'c, 'a>,
    slot: Value<'c, 'a>,
    word: usize,
) -> Value<'c, 'a> {
    let pointer = code.pointer_type();
    let attributes = [
        ("rawConstantIndices", code.segments(&[word as i32])),
        ("elem_type", TypeAttribute::new(code.i64_type()).into()),
    ];
    match word {
        0 => slot,
        _ => code.value("llvm.getelementptr", &[slot], pointer, &attributes),
    }
}

/// Records that a variable is in a slot, or at the address in it.
pub fn record<'c>(
    code: Builder<'c, '_>,
    variable: Attribute<'c>,
    slot: Value<'c, '_>,
    is_address: bool,
) {
    let operations = if is_address { "[DW_OP_deref]" } else { "" };
    let expression = format!("#llvm.di_expression<{operations}>");
    let expression = Attribute::parse(code.context, &expression).expect("valid");
    let attributes = [("varInfo", variable), ("locationExpr", expression)];
    code.op("llvm.intr.dbg.declare", &[slot], &[], &attributes);
}
