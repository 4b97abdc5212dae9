//! Whole numbers become integers where the program counts and indexes with them.
//!
//! Input: functions on buffers with `scf`, in which each number is an `f64`, as Toy has it. Output: the same
//! program, where the index of a subscript is computed with `i64` if every number on the way to it is whole and
//! within ±2^53, so that `f64` computes the same; and without the checks that cannot fail:
//!
//! ```mlir
//! %s = arith.addf %i, %one : f64                     %s = arith.addi %i', %c1 : i64
//! %n = arith.fptosi %s : f64 to i64              =>  %x = arith.index_cast %s : i64 to index
//! %x = arith.index_cast %n : i64 to index
//! scf.if (%s is not whole) { fail }
//! scf.if (%x is not below 64) { fail }
//! ```
//!
//! * [`analysis`] finds the [range](mlir_support::range) of each number, through loops, branches and calls.
//! * [`places`] makes integers of values that loops carry, branches yield, and functions take and return, if an
//!   index is made of them.
//! * [`integers`] computes the operands of an index with integers, and [`checks`] drops comparisons whose result
//!   is known. `x % c`, which is how a program wraps an index around, and `x - c * floor(x / c)` are remainders.
//!
//! Numbers that do not become an index stay as they are. Invariant: results have the same bits, signs of zeros
//! included, and a check that could fail is still there.
//!
//! An interval analysis with widening (Cousot and Cousot, POPL 1977). LLVM's `float2int` does part of this in a
//! function, for integers of at most 53 bits, which `index` is not, and without divisions.

mod analysis;
mod checks;
mod integers;
mod places;

use analysis::Ranges;
use integers::Integers;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-whole-numbers",
    "Computes indices with integers where every number on the way is whole",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_conversion = |operation: &OperationRef| ir::name(operation) == "arith.fptosi";
    if !ir::any(module.as_operation(), |operation| is_conversion(&operation)) {
        return Ok(());
    }
    let ranges = Ranges::of(module);
    let operations: Vec<_> =
        ranges.functions.iter().flat_map(|function| function.body.iter().copied()).collect();
    let known = checks::known(&ranges, &operations);
    let conversions: Vec<_> = operations
        .iter()
        .copied()
        .filter(is_conversion)
        .filter(|it| ranges.makes_integer(*it))
        .collect();
    let mut integers = Integers::new(context.session.context(), ranges);
    places::convert(&mut integers, &conversions);
    for conversion in conversions {
        integers.replace(conversion);
    }
    checks::drop(integers.context, known);
    // Inserted operations may be dead, too.
    checks::erase_dead(ir::operations(module.as_operation()));
    Ok(())
}
