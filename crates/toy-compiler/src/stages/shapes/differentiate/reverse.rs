//! The way back: through the operations of a block, last one first.
//!
//! Input: the operations of a block, whose values are known at its end, and the cotangents of values that they define or
//! use. Output: operations at its end, and the cotangents of all values that come from elsewhere. Branches and loops
//! are in [`super::control_flow`], calls of functions that were not inlined here: the adjoint of a function takes its
//! arguments and the cotangent of its result, and returns the cotangents of the arguments.

use super::activity::Active;
use super::code::Code;
use super::cotangents::{Cotangent, Cotangents, stretched};
use super::rules::Step;
use super::{Task, fail};
use crate::dialect::ops::{self, Kind};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::ir;
use toy_diagnostics::Diagnostic;

pub type Reversed = Result<(), Box<Diagnostic>>;

/// The state of one derivative.
pub struct Reverse<'d> {
    pub active: Active,
    /// The adjoints that it calls.
    pub tasks: &'d mut Vec<Task>,
    /// The most bytes of a loop's tape.
    pub tape_memory: u64,
    /// Remarks on the tapes.
    pub remarks: Vec<Diagnostic>,
}

impl Reverse<'_> {
    pub fn block<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        operations: &[OperationRef<'c, 'a>],
        cotangents: &mut Cotangents<'c, 'a>,
    ) -> Reversed {
        for operation in operations.iter().rev() {
            let results: Vec<Value> = operation.results().map(Value::from).collect();
            if !results.iter().any(|result| cotangents.has(*result)) {
                continue;
            }
            let code = code.located(operation.location());
            match (Kind::of(operation), ir::name(operation)) {
                (Some(kind), _) => {
                    let Some(cotangent) = cotangents.take(results[0]) else { continue };
                    let active = &self.active;
                    let operation = *operation;
                    let mut step = Step { code, operation, cotangent, cotangents, active };
                    if !step.run(kind) {
                        return Err(fail::operation(code, operation));
                    }
                }
                (None, "scf.if") => self.branch(code, *operation, cotangents)?,
                (None, "scf.for") => self.counted(code, *operation, cotangents, false)?,
                (None, "scf.while") => self.repeated(code, *operation, cotangents)?,
                (None, "func.call") => self.call(code, *operation, cotangents),
                (None, _) => return Err(fail::operation(code, *operation)),
            }
        }
        Ok(())
    }

    fn call<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        call: OperationRef<'c, 'a>,
        cotangents: &mut Cotangents<'c, 'a>,
    ) {
        let result = ops::result(call);
        let (Some(cotangent), Some(callee)) = (cotangents.take(result), ops::callee(&call)) else {
            return;
        };
        let is_active = |place: &usize| self.active.contains(&ir::id(ir::operand(call, *place)));
        let by: Vec<usize> = (0..call.operand_count()).filter(is_active).collect();
        let task = Task { callee, by: by.clone() };
        let full = stretched(code, cotangent.value, result);
        let arguments: Vec<Value> = call.operands().chain([full]).collect();
        let types: Vec<_> = by.iter().map(|place| ir::operand(call, *place).r#type()).collect();
        let ty = super::type_of_results(code.builder.context, &types);
        let call_of_adjoint = code.builder.call(&task.symbol(), &arguments, &[ty]);
        self.tasks.push(task);
        let results = ops::result(call_of_adjoint);
        let values = match by.len() {
            1 => vec![results],
            _ => code.fields(results).unwrap_or_default(),
        };
        for (place, value) in by.into_iter().zip(values) {
            // The function may hide something.
            cotangents.add(code, ir::operand(call, place), Cotangent { value, is_hidden: true });
        }
    }
}
