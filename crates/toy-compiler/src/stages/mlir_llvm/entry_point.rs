//! The last changes to the LLVM dialect before it becomes LLVM IR.
//!
//! * [`give_main_a_status`]: Toy's `main` returns nothing, but the C runtime reads an exit status
//!   from it: `main` becomes `() -> i32` and returns 0, also to the program's own calls of it.
//! * [`give_internal_linkage`]: the conversion to the LLVM dialect forgets that a function is private.
//!   Private functions become internal: two objects may have functions of the same name, and LLVM
//!   drops functions that it has inlined everywhere.
//! * [`finalize_memref`]: finalize-memref-to-llvm of LLVM 22 casts the result of `malloc` to the memory
//!   space of a `memref.alloc`, but passes `free` the pointer as it is, which has another type: a module
//!   that no verifier accepts. Here, it is cast back.
//! * [`forget_global_locations`]: the debug-scope pass of LLVM 22.1.8 crashes on a global whose
//!   location is a call site (fixed upstream in January 2026, llvm-project pull request 178337).
//!   Globals have no line of their own in the program, so nothing is lost. Functions and modules
//!   with such a location lose it, too, and calls without a location get their function's.

use crate::dialect::ops;
use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Module, Type, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround, run_upstream};
use mlir_support::{Builder, ir, location};
use toy_diagnostics::Diagnosed;

pub const MAIN_STATUS: PassDefinition = PassDefinition::new(
    "toy-main-status",
    "Makes `main` of the LLVM dialect return 0",
    give_main_a_status,
);

pub fn give_main_a_status(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let context = context.session.context();
    let main = ir::block_operations(module.body()).into_iter().find(|operation| {
        ir::name(operation) == "llvm.func" && ops::symbol_name(operation) == "main"
    });
    let Some(main) = main.filter(|main| is_void(*main)) else { return Ok(()) };
    let status = Type::parse(context, "!llvm.func<i32 ()>").expect("a valid type");
    ir::set_attribute(main, "function_type", TypeAttribute::new(status).into());
    for operation in ir::operations(main) {
        if ir::name(&operation) == "llvm.return" {
            return_zero(context, operation);
        }
    }
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) == "llvm.call" && ops::callee(&operation).as_deref() == Some("main")
        {
            ignore_status(context, operation);
        }
    }
    Ok(())
}

pub const FINALIZE_MEMREF: PassDefinition = PassDefinition::wrapping(
    "toy-finalize-memref-to-llvm",
    "Runs finalize-memref-to-llvm and casts the arguments of `free` to the default address space",
    finalize_memref,
)
.standing_in_for("finalize-memref-to-llvm")
.working_around(Workaround {
    issue: "finalize-memref-to-llvm passes `free` a pointer in the memory space of the allocation, which the verifier rejects",
    since: "22.1",
    delete_when: "it casts the pointer back, as it does for `malloc`",
});

/// With `aligned_alloc`: the alternative requests more from malloc and rounds the address as an integer, after
/// which LLVM no longer knows that nothing else points there.
const TO_LLVM: &str = "finalize-memref-to-llvm{use-aligned-alloc=true}";

pub fn finalize_memref<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    run_upstream(context, module, TO_LLVM)?;
    for call in ir::operations(module.as_operation()) {
        if ir::name(&call) != "llvm.call" || ops::callee(&call).as_deref() != Some("free") {
            continue;
        }
        let Ok(pointer) = call.operand(0) else { continue };
        let ty = pointer.r#type();
        if ir::pointer_space(ty).is_none_or(|space| space == 0) {
            continue;
        }
        let code = Builder::before(context.session.context(), call);
        let cast = code.value("llvm.addrspacecast", &[pointer], code.pointer_type(), &[]);
        ir::mutable(call).set_operand(0, cast);
    }
    Ok(())
}

pub const INTERNAL_LINKAGE: PassDefinition = PassDefinition::new(
    "toy-internal-linkage",
    "Gives private functions of the LLVM dialect internal linkage",
    give_internal_linkage,
);

pub fn give_internal_linkage(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let context = context.session.context();
    let internal = Attribute::parse(context, "#llvm.linkage<internal>").expect("valid");
    for function in ir::block_operations(module.body()) {
        let is_definition = !ir::blocks(function).is_empty();
        if ir::name(&function) == "llvm.func" && is_definition && ops::is_private(&function) {
            ir::set_attribute(function, "linkage", internal);
        }
    }
    Ok(())
}

/// LLVM requires a location on every call in a function that has debug information, and the debug-scope
/// pass requires one in every call site.
fn locate_calls(function: OperationRef) {
    for operation in ir::operations(function) {
        let location = operation.location();
        let needs_place = ir::name(&operation) == "llvm.call" || location.is_call_site();
        if needs_place && location::place(location).is_none() {
            ir::mutable(operation).set_location(function.location());
        }
    }
}

fn is_void(main: OperationRef) -> bool {
    ops::attribute(&main, "function_type")
        .is_some_and(|ty| ir::is_written(ty, "!llvm.func<void ()>"))
}

fn return_zero<'c>(context: &'c Context, operation: OperationRef<'c, '_>) {
    let code = Builder::before(context, operation);
    let zero = code.llvm_constant(IntegerType::new(context, 32).into(), 0);
    code.op("llvm.return", &[zero], &[], &[]);
    ir::erase(operation);
}

/// Replaces a call of `main`, which a program may contain like any other call, by one that has the status as
/// its result. Nothing reads it.
fn ignore_status<'c>(context: &'c Context, call: OperationRef<'c, '_>) {
    let status = IntegerType::new(context, 32).into();
    Builder::before(context, call).like(call, &[], &[status]);
    ir::erase(call);
}

pub const FORGET_GLOBAL_LOCATIONS: PassDefinition = PassDefinition::new(
    "toy-forget-global-locations",
    "Drops the locations of LLVM globals, on which MLIR's debug scope pass crashes",
    forget_global_locations,
)
.working_around(Workaround {
    issue: "the debug-scope pass crashes on a global whose location is a call site (llvm-project pull request 178337)",
    since: "22.1.8",
    delete_when: "LLVM 23: tests/filecheck/known_bugs/callsite_locations.mlir passes without it",
});

pub fn forget_global_locations(context: &PassContext, module: &Module) -> Diagnosed<()> {
    let unknown = Location::unknown(context.session.context());
    if module.as_operation().location().is_call_site() {
        ir::mutable(module.as_operation()).set_location(unknown);
    }
    for operation in ir::block_operations(module.body()) {
        let is_function = ir::name(&operation) == "llvm.func";
        if !is_function || operation.location().is_call_site() {
            ir::mutable(operation).set_location(unknown);
        }
        if is_function {
            locate_calls(operation);
        }
    }
    Ok(())
}
