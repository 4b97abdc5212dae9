//! Inserts copies before One-Shot Bufferize, where values that a loop yields or a function returns would
//! share a buffer without One-Shot knowing it.
//!
//! Input: structured control flow on tensors (after lift-cf-to-scf). Output: the same values, some of them
//! copied. One-Shot of LLVM 22.1.8, with `allow-return-allocs-from-loops`, relies on four rules that it
//! does not enforce:
//!
//! * The tensors that an iteration passes to the next are different buffers. For `scf.for`, One-Shot itself
//!   copies tensors that are defined outside or are another iteration argument, but not two tensors that are
//!   computed in the body into one buffer. It also forgets a result from outside that it has replaced by a copy (a
//!   slice of a tensor that is updated later, the result of a recursive call): the copy is not in its table of
//!   aliases. A yielded tensor from outside is therefore copied here, right where One-Shot would copy it.
//! * The results of a loop or a call may be written, even if they are constants there.
//! * The first region of `scf.while` may write to its arguments, which are any values that the second region
//!   yields. (One-Shot itself copies the values that the first region passes on.)
//! * The source of an `insert_slice` in a loop may be computed in place, in the slice of its destination
//!   (eliminate-empty-tensors arranges it). One-Shot does not count the destination as read outside of the slice,
//!   but the next iteration reads all of it, with another slice: a destination from outside of the innermost loop
//!   is copied in it. One-Shot would have to copy it there anyway.
//!
//! One-Shot also assumes that results of `scf.index_switch` are new buffers, even if the yielded values are not,
//! and that calls in a cycle return none of their arguments.
//!
//! Tutorial: chapters 8 and 17.

use crate::analysis::tensor_roots::{
    Roots, is_inside, is_tensor, owner, reaching_a_cycle, recursive,
};
use crate::dialect::ops;
use crate::stages::memref::deallocate::copy;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module, TypeLike, Value, ValueLike};
use mlir_support::control_flow::{self, Kind, carried, terminators};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use std::collections::HashSet;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-distinct-yields",
    "Copies tensors that a loop would yield in one buffer, which One-Shot Bufferize takes for several",
    run,
)
.working_around(Workaround {
    issue: "`allow-return-allocs-from-loops` assumes that loops yield distinct buffers, and does not copy a copy from outside; results of `scf.index_switch` are assumed to be new",
    since: "22.1.8",
    delete_when: "One-Shot Bufferize copies them itself: tests/filecheck/tensor_loops passes without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions = ops::functions(module);
    let recursive = recursive(&functions);
    for operation in ir::operations(module.as_operation()) {
        match ir::name(&operation) {
            "scf.for" => {
                for end in terminators(operation, 0) {
                    separate(context, operation, end, false)?;
                }
            }
            "scf.while" => {
                for end in terminators(operation, 1) {
                    separate(context, operation, end, may_write_arguments(operation))?;
                }
            }
            "scf.index_switch" => {
                let regions = 0..operation.region_count();
                for end in regions.flat_map(|region| terminators(operation, region)) {
                    separate(context, operation, end, true)?;
                }
            }
            "tensor.insert_slice" => separate_destination(context, operation)?,
            "func.return" => {
                let is_recursive = operation
                    .parent_operation()
                    .is_some_and(|function| recursive.contains(&ops::symbol_name(&function)));
                give(context, operation, is_recursive)?;
            }
            _ => structured(context, operation)?,
        }
    }
    Ok(())
}

/// Copies tensors that a region yields, so that no two of them share a buffer of the region; from an `scf.for`, also
/// those from outside. If `is_written`, the receiver may write to them, so all that may be from outside are copied.
fn separate<'c>(
    context: &PassContext<'c>,
    whole: OperationRef<'c, '_>,
    terminator: OperationRef<'c, '_>,
    is_written: bool,
) -> Diagnosed<()> {
    let Some(body) = terminator.block() else { return Ok(()) };
    let first = carried(whole).map_or(0, |carried| carried.arguments);
    let own = |index: usize| body.argument(first + index).ok().map(Value::from);
    let (in_place, moved): (Vec<_>, Vec<_>) =
        terminator.operands().enumerate().filter(|(_, value)| is_tensor(value)).partition(
            |(index, value)| own(*index).is_some_and(|own| ir::id(own) == ir::id(*value)),
        );
    let mut taken: HashSet<usize> = HashSet::new();
    if is_written {
        taken.extend(in_place.iter().map(|(_, value)| ir::id(*value)));
    }
    for (index, value) in moved {
        let roots = Roots::of(value);
        let is_from_outside = ir::name(&whole) == "scf.for" && !is_inside(value, whole);
        let mut must_copy = roots.is_read_only || roots.is_unknown || is_from_outside;
        let mut local = Vec::new();
        for root in roots.values {
            let is_argument_of = owner(root).map(|owner| owner.to_raw().ptr);
            if is_argument_of == Some(whole.to_raw().ptr) {
                // One-Shot recognizes other iteration arguments.
                local.extend(is_written.then_some(ir::id(root)));
            } else if !is_inside(root, whole) {
                must_copy |= is_written;
            } else {
                // Nothing is known about an argument of a nested block.
                must_copy |= is_argument_of.is_some();
                local.push(ir::id(root));
            }
        }
        if must_copy || local.iter().any(|root| taken.contains(root)) {
            replace(context, terminator, index, value)?;
        } else {
            taken.extend(local);
        }
    }
    Ok(())
}

/// Copies the destination of an `insert_slice` if it may be from outside of the innermost loop.
fn separate_destination<'c>(
    context: &PassContext<'c>,
    insert: OperationRef<'c, '_>,
) -> Diagnosed<()> {
    let parents =
        std::iter::successors(insert.parent_operation(), |parent| parent.parent_operation());
    let innermost = parents
        .take_while(|parent| !ops::is_function(parent))
        .find(|parent| matches!(control_flow::kind(parent), Some(Kind::Loop | Kind::Parallel)));
    let (Some(innermost), Ok(destination)) = (innermost, insert.operand(1)) else { return Ok(()) };
    let roots = Roots::of(destination);
    // Values that the loop carries are inside.
    if !roots.is_unknown && roots.values.iter().all(|root| is_inside(*root, innermost)) {
        return Ok(());
    }
    replace(context, insert, 1, destination)
}

/// Copies a returned tensor if the caller must not write to it, or would have to know its aliases.
fn give<'c>(
    context: &PassContext<'c>,
    terminator: OperationRef<'c, '_>,
    is_recursive: bool,
) -> Diagnosed<()> {
    for (index, value) in terminator.operands().enumerate().collect::<Vec<_>>() {
        if !is_tensor(&value) {
            continue;
        }
        let roots = Roots::of(value);
        let is_argument = |root: &Value| ir::defining_operation(*root).is_none();
        if roots.is_read_only || is_recursive && roots.values.iter().any(is_argument) {
            replace(context, terminator, index, value)?;
        }
    }
    Ok(())
}

/// Replaces an operand by a copy.
fn replace<'c>(
    context: &PassContext<'c>,
    terminator: OperationRef<'c, '_>,
    index: usize,
    value: Value<'c, '_>,
) -> Diagnosed<()> {
    if !value.r#type().is_ranked_tensor() {
        let message = "a tensor of unknown rank is passed on where it would have to be copied";
        return Err(refusal(context, terminator, message)
            .help("give it a rank, with `tensor.cast`")
            .into());
    }
    let copy = copy(context, terminator, value);
    ir::mutable(terminator).set_operand(index, copy);
    Ok(())
}

/// True if the first region of an `scf.while` may write to its tensor arguments.
fn may_write_arguments(whole: OperationRef) -> bool {
    let Some(block) = ir::blocks(whole).first().copied() else { return true };
    let inside = ir::block_operations(block)
        .into_iter()
        .flat_map(|operation| [vec![operation], ir::operations(operation)].concat());
    inside.into_iter().any(|operation| match ir::name(&operation) {
        "tensor.extract"
        | "tensor.dim"
        | "tensor.cast"
        | "tensor.extract_slice"
        | "tensor.expand_shape"
        | "tensor.collapse_shape"
        | "arith.select"
        | "scf.if"
        | "scf.yield"
        | "scf.condition" => false,
        // Its last operands are written.
        name if name.starts_with("linalg.") => {
            let read = operation.operand_count() - operation.result_count();
            operation.operands().skip(read).any(|operand| {
                let definition = ir::defining_operation(operand);
                definition.is_none_or(|definition| ir::name(&definition) != "tensor.empty")
            })
        }
        _ => operation.operands().any(|operand| is_tensor(&operand)),
    })
}

/// Rejects remaining unstructured loops that compute tensors from tensors: One-Shot treats them as
/// straight-line code.
fn structured<'c>(context: &PassContext<'c>, operation: OperationRef<'c, '_>) -> Diagnosed<()> {
    for region in 0..operation.region_count() {
        let blocks = ir::blocks_of(operation, region);
        if blocks.len() < 2 {
            continue;
        }
        let edges: Vec<(usize, usize)> = blocks
            .iter()
            .flat_map(|block| {
                (0..block.successor_count())
                    .filter_map(|number| block.successor(number).ok())
                    .map(|successor| (ir::id(block), ir::id(successor)))
                    .collect::<Vec<_>>()
            })
            .collect();
        if reaching_a_cycle(&edges).is_empty() {
            continue;
        }
        let operations = blocks.iter().flat_map(|block| ir::block_operations(*block));
        if let Some(found) = operations.into_iter().find(forwards_tensor) {
            let message = "tensors in a loop of blocks that cannot be lifted to `scf.while`";
            return Err(refusal(context, found, message)
                .help("use `scf.for` or `scf.while`, or end all paths through the function in `return`")
                .into());
        }
    }
    Ok(())
}

/// True if an operation computes a tensor from a tensor, or passes one to another block.
fn forwards_tensor(operation: &OperationRef) -> bool {
    let is_tensor = |value: Value| value.r#type().is_tensor();
    operation.operands().any(is_tensor)
        && ir::name(operation) != "tensor.cast"
        && (operation.results().any(|result| is_tensor(result.into()))
            || operation.successor_count() > 0
            || operation.region_count() > 0)
}

fn refusal(context: &PassContext, at: OperationRef, message: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(codes::MLIR_REJECTED, message);
    context.locations.label(diagnostic, at.location(), "here")
}
