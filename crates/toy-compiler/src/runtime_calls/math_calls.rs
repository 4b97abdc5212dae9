//! Functions of the C library: `math.exp` and its like on numbers become calls of the runtime, which calls the library.
//!
//! Input: functions before their lowering to the LLVM dialect. Output: the same, without these operations on single
//! numbers; operations on vectors and other types are left to MLIR. LLVM may compute its own intrinsics, and calls
//! that it knows as the C library's, at compile time, on this machine, or replace them by operations with other last
//! bits; it knows nothing of the runtime's functions but that they only compute. Square roots, absolute values and
//! `floor` are exact everywhere, and remain LLVM's.

use crate::dialect::ops;
use crate::dialect::shape::element_of_type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{BlockLike, Location, Module, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, ir};
use std::collections::BTreeMap;
use toy_diagnostics::Diagnosed;

/// The operations, the runtime's functions, and how many numbers these take.
const FUNCTIONS: [(&str, &str, usize); 6] = [
    ("math.exp", "toy.exp", 1),
    ("math.log", "toy.log", 1),
    ("math.sin", "toy.sin", 1),
    ("math.cos", "toy.cos", 1),
    ("math.tanh", "toy.tanh", 1),
    ("math.powf", "toy.pow", 2),
];

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-math-calls",
    "Calls the C library where a program computes exp, log, sin, cos, tanh or pow of a number",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let mut called = BTreeMap::new();
    for operation in ir::operations(module.as_operation()) {
        let known = FUNCTIONS.iter().find(|(name, ..)| *name == ir::name(&operation));
        let Some((_, function, count)) = known else { continue };
        let ty = ops::result(operation).r#type();
        let Some(element) = element_of_type(ty) else { continue };
        let function = format!("{function}{}", element.suffix());
        let operands: Vec<_> = operation.operands().collect();
        let call = Builder::before(context, operation).call(&function, &operands, &[ty]);
        ir::replace_all_uses(ops::result(operation), ops::result(call));
        ir::erase(operation);
        called.insert(function, (*count, ty));
    }
    for function in ir::block_operations(module.body()) {
        called.remove(&ops::symbol_name(&function));
    }
    for (name, (count, ty)) in called {
        let ty = FunctionType::new(context, &vec![ty; count], &[ty]);
        let function = ops::function(context, Location::unknown(context), &name, ty, None, true);
        let function = module.body().insert_operation(0, function);
        // `memory(none)`: the C library's error number is not part of the language.
        let marks = r#"["nounwind", "willreturn", ["memory", "0"]]"#;
        let marks = melior::ir::Attribute::parse(context, marks).expect("valid");
        ir::set_attribute(function, "passthrough", marks);
    }
    Ok(())
}
