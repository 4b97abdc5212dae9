//! A program that says which loop runs (`--watch-loops`).
//!
//! Input: functions, with the loops of the program as `scf.for` and `scf.while`; those of linalg are still to come.
//! Output: the same, and each iteration begins with a call of the runtime, which gets the line of the loop:
//!
//! ```mlir
//! scf.for %i = %c0 to %n step %c1 {
//!   %c3_i32 = arith.constant 3 : i32
//!   func.call @toy.loop(%c3_i32) : (i32) -> ()
//! ```
//!
//! Invariant: the program computes the same. The host of a module of WebAssembly hears of some of these calls
//! (`runtime/wasm/output.c`), so that a page can show where a long run is: it cannot ask a busy program.

use crate::dialect::ops;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{BlockLike, Location, Module, RegionLike};
use mlir_support::builder::Builder;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{ir, location};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-watch-loops",
    "Begins each iteration of a loop with a call that says which one it is",
    run,
);

/// The function of the runtime.
const LOOP: &str = "toy.loop";

fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    // A stage that is read again says it already.
    if ir::block_operations(module.body()).iter().any(|it| ops::symbol_name(it) == LOOP) {
        return Ok(());
    }
    let line_type = IntegerType::new(context, 32).into();
    let mut is_called = false;
    for operation in ir::operations(module.as_operation()) {
        let iteration = match ir::name(&operation) {
            "scf.for" => operation.region(0),
            "scf.while" => operation.region(1),
            _ => continue,
        };
        let first = iteration.ok().and_then(|it| it.first_block()?.first_operation());
        let Some((first, place)) = first.zip(location::place(operation.location())) else {
            continue;
        };
        let code = Builder::before(context, first).located(operation.location());
        let line = code.integer(line_type, i64::from(place.start.0));
        code.call(LOOP, &[line], &[]);
        is_called = true;
    }
    if is_called {
        let ty = FunctionType::new(context, &[line_type], &[]);
        let unknown = Location::unknown(context);
        module.body().insert_operation(0, ops::function(context, unknown, LOOP, ty, None, true));
    }
    Ok(())
}
