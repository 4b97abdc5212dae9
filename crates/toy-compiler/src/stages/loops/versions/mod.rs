//! One file for every processor: functions with large loops are compiled several times.
//!
//! Input: functions on buffers before the loop nests, from `-O2` on, for x86-64 if no processor was chosen. Output: the
//! same, but functions whose loops are worth it have a version for each of [`VERSIONS`], and choose one when they are
//! called from a function without versions, or from outside:
//!
//! ```text
//!                       ┌─▶ f.x86-64       for every processor, as the rest of the program
//!   f ── toy.processor ─┼─▶ f.x86-64-v3    target_cpu = "x86-64-v3": registers of 32 bytes
//!                       └─▶ f.x86-64-v4    target_cpu = "x86-64-v4": registers of 64 bytes
//! ```
//!
//! | file | contents |
//! |---|---|
//! | [`processors`] | the processors, and the attributes of a version |
//! | [`mod@work`] | the operations that a loop nest computes |
//! | [`program`] | the functions that get versions, and their copies |
//! | [`choice`] | the version that runs |
//!
//! The versions are copies of the function from before its loops exist, because tiles depend on the size of registers: the
//! pass `toy-loop-nests` takes it from the attribute [`processors::PROCESSOR`], which is also LLVM's. What was decided
//! before is the same in all versions: bufferization, the plan of the memory, the workspace. What comes later treats them
//! as other functions: threads, mathematics, debug information.
//!
//! The version for every processor has plain loops: a processor without AVX2 is older than 2013, and code that hardly runs
//! is to be compiled quickly. A version for x86-64-v4 pays for products and functions like `exp` only. Programs without
//! such functions stay as they are.
//!
//! Invariant: all versions compute the same bits, as `--cpu` does.

mod choice;
mod processors;
mod program;
mod work;

pub use choice::{add_choice, is_at_least};
pub use processors::{
    BASELINE, VERSIONS, Version, around, function_of, mark, of, runs_anywhere, version_name,
    without_processor,
};

use crate::dialect::ops;
use melior::ir::Module;
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use program::Program;
use toy_diagnostics::Diagnosed;
use work::work;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-processor-versions",
    "Copies functions with large loops for x86-64-v3 and x86-64-v4, and chooses when the program starts",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let nests: Vec<_> =
        operations.iter().filter_map(|operation| Some((*operation, work(*operation)?))).collect();
    if nests.iter().all(|(_, work)| work.operations == 0) {
        return Ok(());
    }
    let program = Program::of(module, &operations);
    let counts = program.counts(&nests);
    if counts.iter().all(|count| *count == 0) || !program.has_room(&counts) {
        return Ok(());
    }
    add_choice(context, module)?;
    program.make_versions(context.session.context(), &counts);
    Ok(())
}

/// The functions with versions, and the processors that each of them is compiled for.
pub fn list(module: &Module) -> Vec<(String, Vec<&'static str>)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for function in ops::definitions(module) {
        let (Some(name), Some(version)) = (function_of(&function), of(function)) else { continue };
        match found.last_mut().filter(|(last, _)| *last == name) {
            Some((_, cpus)) => cpus.push(version.cpu),
            None => found.push((name, vec![BASELINE, version.cpu])),
        }
    }
    found
}
