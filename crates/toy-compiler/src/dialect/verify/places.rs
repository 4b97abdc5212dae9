//! Checks where the types of the Toy dialect are outside of its operations: structs may be parameters
//! and results of functions of the module itself that have a body, operands of their calls and returns,
//! and operands, arguments and results of `scf.if`, `scf.for` and `scf.while`. Nowhere else, because
//! `toy-flatten` can turn only these into several tensors.

use super::{Problem, TYPES_HELP};
use crate::dialect::ops;
use crate::dialect::structs::defect;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, TypeLike, ValueLike};
use mlir_support::ir;
use std::collections::HashMap;

/// The check, with a memo of the types it has visited.
#[derive(Default)]
pub struct Places {
    of_dialect: HashMap<usize, bool>,
}

impl Places {
    /// Verifies an operation of another dialect.
    pub fn verify(&mut self, operation: OperationRef) -> Result<(), Problem> {
        let name = ir::name(&operation);
        let is_function = ops::is_function(&operation);
        if is_function {
            self.verify_signature(operation)?;
        }
        if is_control_flow(operation) {
            return Ok(());
        }
        let arguments = ir::block_argument_types(operation, is_function);
        if arguments.into_iter().any(|ty| self.is_of_dialect(ty)) {
            return Err("a block argument cannot be a struct".to_owned().into());
        }
        if ["func.call", "func.return"].contains(&name) {
            return Ok(());
        }
        let operands = operation.operands().any(|value| self.is_of_dialect(value.r#type()));
        if operands || operation.results().any(|value| self.is_of_dialect(value.r#type())) {
            return Err(Problem {
                message:
                    "structs are only for Toy operations, calls, returns, `scf.if`, `scf.for` \
                          and `scf.while`"
                        .to_owned(),
                help: Some("take its tensors out with `toy.struct_access`".to_owned()),
                callee: None,
            });
        }
        Ok(())
    }

    fn verify_signature(&mut self, function: OperationRef) -> Result<(), Problem> {
        let Some(ty) = ops::function_type(&function) else { return Ok(()) };
        let mut has_struct = false;
        for (what, types) in [("parameter", ops::inputs(ty)), ("result", ops::results(ty))] {
            for (index, ty) in types.into_iter().enumerate() {
                if !self.is_of_dialect(ty) {
                    continue;
                }
                has_struct = true;
                if let Some(why) = defect(ty) {
                    let index = index + 1;
                    return Err(Problem::helped(
                        format!("its {what} {index} has a type Toy does not have: {why}"),
                        TYPES_HELP,
                    ));
                }
            }
        }
        if has_struct && ops::entry_block(function).is_none() {
            let message = "a function that is only declared cannot take or return a struct";
            return Err(message.to_owned().into());
        }
        let module = function.parent_operation();
        if has_struct && module.is_none_or(|module| module.parent_operation().is_some()) {
            let message = "only a function of the outermost module can take or return a struct";
            return Err(message.to_owned().into());
        }
        Ok(())
    }

    /// True if a type is one of the Toy dialect, or contains one. This checks the text: LLVM 22's C API
    /// cannot go through the parts of any type. Tensors and buffers of numbers are most types, and known without it.
    fn is_of_dialect(&mut self, ty: Type) -> bool {
        let number = ir::element(ty).unwrap_or(ty);
        if number.is_float() || number.is_integer() || number.is_index() {
            return false;
        }
        *self.of_dialect.entry(ir::id(ty)).or_insert_with(|| ty.to_string().contains("!toy."))
    }
}

/// True if structs may be operands, results and block arguments of an operation of `scf`.
pub fn is_control_flow(operation: OperationRef) -> bool {
    const KNOWN: [&str; 3] = ["scf.if", "scf.for", "scf.while"];
    match ir::name(&operation) {
        "scf.yield" | "scf.condition" => {
            operation.parent_operation().is_some_and(|parent| KNOWN.contains(&ir::name(&parent)))
        }
        name => KNOWN.contains(&name),
    }
}
