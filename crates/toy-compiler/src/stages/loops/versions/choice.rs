//! The choice of a version when a program starts.
//!
//! Input: a function with versions. Output: a function of its name that calls the version with the highest number that is
//! not above the processor's. That number is `toy.processor`, 0 until something else is known: the loader calls
//! `toy.choose_processor` through `.init_array`, and the runtime (`toy.find_processor` in `runtime/runtime/processor.c`)
//! asks the processor, and the environment for a lower one. Invariants: the choice needs neither a lock nor the loader's `ifunc`, which not all
//! static executables have; a function that is called before the choice, by another library's constructor, is right, too.

use super::processors::{BASELINE, VERSIONS, make_version, version_name};
use crate::dialect::ops;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Block, BlockLike, Location, Module, Region, RegionLike, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion, SGE, build};
use mlir_support::pass::PassContext;
use mlir_support::{errors, ir, raw};
use toy_diagnostics::Diagnosed;
use toy_diagnostics::source::Source;

/// The global with the number of the version.
pub const NUMBER: &str = "toy.processor";

/// That global, and the function that the loader calls.
const CHOICE: &str = r#"
llvm.mlir.global internal @toy.processor(0 : i32) {addr_space = 0 : i32} : i32
llvm.mlir.global internal @toy.start() {addr_space = 0 : i32, section = ".init_array"} : !llvm.ptr {
  %0 = llvm.mlir.addressof @toy.choose_processor : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.mlir.global appending @llvm.compiler.used() {addr_space = 0 : i32, section = "llvm.metadata"} : !llvm.array<1 x ptr> {
  %0 = llvm.mlir.undef : !llvm.array<1 x ptr>
  %1 = llvm.mlir.addressof @toy.start : !llvm.ptr
  %2 = llvm.insertvalue %1, %0[0] : !llvm.array<1 x ptr>
  llvm.return %2 : !llvm.array<1 x ptr>
}
llvm.func @toy.find_processor() -> i32
llvm.func internal @toy.choose_processor() {
  %0 = llvm.call @toy.find_processor() : () -> i32
  %1 = llvm.mlir.addressof @toy.processor : !llvm.ptr
  llvm.store %0, %1 : i32, !llvm.ptr
  llvm.return
}
"#;

/// Adds the number of the processor, and the function that finds it when the program starts, if they are not there yet.
pub fn add_choice<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_number = |it: &OperationRef| ops::symbol_name(it) == NUMBER;
    if ir::block_operations(module.body()).iter().any(is_number) {
        return Ok(());
    }
    let Some(choice) = context.session.parse(&Source::new("versions", CHOICE)) else {
        return Err(errors::verification(context, "the choice of a processor", true));
    };
    for part in ir::block_operations(choice.body()) {
        // They come from no line of the program.
        for operation in ir::operations(part).into_iter().chain([part]) {
            ir::mutable(operation).set_location(Location::unknown(context.session.context()));
        }
        // SAFETY: nothing else refers to it, and it becomes part of the module.
        module.body().append_operation(unsafe { raw::detach(part) });
    }
    Ok(())
}

/// True if the program runs on a processor with this number, or a higher one.
pub fn is_at_least<'c, 'a>(code: Builder<'c, 'a>, number: i64) -> Value<'c, 'a> {
    is_not_below(code, own_number(code), number)
}

/// The number of the processor that the program runs on.
fn own_number<'c, 'a>(code: Builder<'c, 'a>) -> Value<'c, 'a> {
    let ty = IntegerType::new(code.context, 32).into();
    code.value("llvm.load", &[code.address_of(NUMBER)], ty, &[])
}

fn is_not_below<'c, 'a>(code: Builder<'c, 'a>, own: Value<'c, 'a>, number: i64) -> Value<'c, 'a> {
    code.compare(SGE, [own, code.integer(own.r#type(), number)])
}

/// Puts a function in the place of another, which becomes its version for every processor.
pub fn make_choice<'c>(context: &'c Context, function: OperationRef<'c, '_>, versions: usize) {
    let Some(ty) = ops::function_type(&function) else { return };
    let (name, location) = (ops::symbol_name(&function), function.location());
    let block =
        Block::new(&ops::inputs(ty).into_iter().map(|ty| (ty, location)).collect::<Vec<_>>());
    let region = Region::new();
    region.append_block(block);
    let attributes: Vec<_> = function.attributes().collect();
    let choice = build("func.func", location, &[], &[], &attributes, vec![region]);
    make_version(context, function, BASELINE);
    let choice = Insertion::Before(function).insert(choice);
    let Some(block) = ops::entry_block(choice) else { return };
    let code = Builder::new(context, Insertion::AtEnd(block), location);
    let number = own_number(code);
    let called = called(code, &name, number, &ir::arguments(block), &ops::results(ty), versions);
    code.op("func.return", &called, &[], &[]);
}

/// Calls the version with a number that is not above the processor's, up to the `highest`.
fn called<'c, 'a>(
    code: Builder<'c, 'a>,
    function: &str,
    number: Value<'c, 'a>,
    arguments: &[Value<'c, 'a>],
    results: &[Type<'c>],
    highest: usize,
) -> Vec<Value<'c, 'a>> {
    let call = |code: Builder<'c, 'a>, cpu| {
        let call = code.call(&version_name(function, cpu), arguments, results);
        call.results().map(Into::into).collect()
    };
    let Some(below) = highest.checked_sub(1) else { return call(code, BASELINE) };
    let is_it = is_not_below(code, number, highest as i64);
    let branch = code.branched(is_it, results);
    code.fill_region(branch, 0, "scf.yield", |code, _| call(code, VERSIONS[below].cpu));
    code.fill_region(branch, 1, "scf.yield", |code, _| {
        called(code, function, number, arguments, results, below)
    });
    branch.results().map(Into::into).collect()
}
