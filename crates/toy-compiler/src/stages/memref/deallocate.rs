//! Work-arounds for upstream's bufferization and deallocation passes: `.mlir` input must not trigger their
//! known bugs in LLVM 22.1.8.
//!
//! * [`distinct_tensors`], [`distinct_buffers`]: a function that returns one tensor twice makes One-Shot Bufferize
//!   miscompile its callers and crashes buffer-results-to-out-params (llvm-project issue 219492).
//!   Every tensor result after the first that may share a buffer with another result is copied.
//!
//!   Updates of different parameters share none: [`updated`].
//!
//! The requirements of deallocation itself are in [`crate::stages::dealloc::ownership`].
//!
//! Invariant: the passes of this file communicate through the IR only, by `toyc.returns_buffers` on the
//! module: with it, results stay results, because the input decides who owns them and which of them are
//! the same buffer.
//!
//! Tutorial: chapter 8.

mod updated;

use super::results;
use crate::dialect::ops;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{DimSize, MemRefType};
use melior::ir::{Attribute, Module, ShapedTypeLike, Type, TypeLike, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{Builder, buffers, ir};
use toy_diagnostics::Diagnosed;

/// The attribute of a module whose input has functions that return buffers.
const RETURNS_BUFFERS: &str = "toyc.returns_buffers";

/// The bug that makes both passes necessary.
const TWICE: Workaround = Workaround {
    issue: "a function that returns one tensor twice: One-Shot Bufferize miscompiles its callers, buffer-results-to-out-params crashes (llvm-project issue 219492)",
    since: "22.1.8",
    delete_when: "both accept such functions: tests/filecheck/known_bugs/duplicate_results.mlir passes without it",
};

pub const DISTINCT_TENSORS: PassDefinition = PassDefinition::new(
    "toy-distinct-tensors",
    "Copies tensors that a function returns twice",
    distinct_tensors,
)
.working_around(TWICE);

/// Before bufferization: ensures that no two tensor results of a function will share a buffer, and
/// marks the module if the input has functions that return buffers.
pub fn distinct_tensors<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if ops::functions(module).into_iter().any(returns_given_buffer) {
        let unit = Attribute::unit(context.session.context());
        ir::set_attribute(module.as_operation(), RETURNS_BUFFERS, unit);
    }
    results::note_tensor_results(context, module);
    distinct_results(context, module)
}

/// True if a function of the input returns a buffer, or a tensor and has an allocation that is read as a tensor: the
/// result may be that one, whose alignment and contents are the input's. Upstream's buffer-results-to-out-params would
/// allocate another one, even for a `bufferization.clone`.
fn returns_given_buffer(function: OperationRef) -> bool {
    let types = results::result_types(function);
    let is_given = |operation: OperationRef| {
        ir::name(&operation) == "bufferization.to_tensor"
            && ir::defining_operation(buffers::base(ir::operand(operation, 0))).is_some()
    };
    types.iter().any(Type::is_mem_ref)
        || (types.iter().any(Type::is_ranked_tensor) && ir::any(function, is_given))
}

pub const DISTINCT_BUFFERS: PassDefinition = PassDefinition::new(
    "toy-distinct-buffers",
    "Copies buffers that a function returns twice",
    distinct_buffers,
)
.working_around(TWICE);

/// After bufferization: the same for the buffers that were tensors.
pub fn distinct_buffers<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if returns_buffers(module) { Ok(()) } else { distinct_results(context, module) }
}

/// The bug that makes both passes necessary.
const FIXED_TYPES: Workaround = Workaround {
    issue: "the pass changes the type of a function whose address is taken",
    since: "22.1.8",
    delete_when: "it leaves such functions as they are: tests/filecheck/ownership/address_taken.mlir passes without it",
};

pub const RESULTS_TO_OUT_PARAMS: PassDefinition = PassDefinition::wrapping(
    "toy-buffer-results-to-out-params",
    "Runs buffer-results-to-out-params if all returned buffers were tensors",
    results_to_out_params,
)
.standing_in_for("buffer-results-to-out-params")
.working_around(FIXED_TYPES);

/// Upstream's buffer-results-to-out-params: the caller allocates, so no ownership has to be tracked
/// at run time. Results that are one buffer would become two, so it is for former tensors only, and for
/// functions whose results all have known sizes.
pub fn results_to_out_params<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
) -> Diagnosed<()> {
    if returns_buffers(module) {
        ir::remove_attribute(module.as_operation(), RETURNS_BUFFERS);
        return Ok(());
    }
    let pass = "buffer-results-to-out-params{hoist-static-allocs=true add-result-attr=true}";
    results::with_fixed_types(context, module, returns_open_buffer, pass)
}

/// True if a function returns a buffer of dynamic size: it allocates all of its results itself and
/// transfers their ownership.
fn returns_open_buffer(function: OperationRef) -> bool {
    let is_open = |ty: &Type| {
        ops::is_buffer(*ty) && !MemRefType::try_from(*ty).is_ok_and(|ty| ty.has_static_shape())
    };
    results::result_types(function).iter().any(is_open)
}

fn returns_buffers(module: &Module) -> bool {
    module.as_operation().has_attribute(RETURNS_BUFFERS)
}

fn distinct_results<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for operation in ir::operations(module.as_operation()) {
        if ir::name(&operation) != "func.return" || operation.operand_count() < 2 {
            continue;
        }
        let operands: Vec<Value> = operation.operands().collect();
        let mut seen = Vec::new();
        // For each that is not fresh, the parameter whose buffer it may be; None if that is unknown.
        let mut updates: Vec<Option<usize>> = Vec::new();
        for (index, value) in operands.into_iter().enumerate() {
            let is_former_tensor = value.r#type().is_mem_ref() && !returns_buffers(module);
            if !value.r#type().is_ranked_tensor() && !is_former_tensor {
                continue;
            }
            let repeated = seen.contains(&ir::id(value));
            let is_fresh = is_fresh(value) && !repeated;
            let update = if is_fresh { None } else { updated::parameter(value) };
            let others = |update| updates.iter().all(|other| other.is_some_and(|it| it != update));
            if seen.is_empty() || is_fresh || update.is_some_and(others) {
                seen.push(ir::id(value));
                if !is_fresh {
                    updates.push(update);
                }
                continue;
            }
            let copy = copy(context, operation, value);
            ir::mutable(operation).set_operand(index, copy);
        }
    }
    Ok(())
}

/// True if a value has a new buffer: it is computed into a `tensor.empty`, or allocated.
fn is_fresh(value: Value) -> bool {
    let Some(definition) = ir::defining_operation(value) else { return false };
    let name = ir::name(&definition);
    if ["memref.alloc", "tensor.from_elements", "bufferization.alloc_tensor"].contains(&name) {
        return true;
    }
    let Some(last) = definition.operand_count().checked_sub(1) else { return false };
    let destination = definition.operand(last).ok().and_then(ir::defining_operation);
    name.starts_with("linalg.")
        && definition.result_count() == 1
        && destination.is_some_and(|destination| ir::name(&destination) == "tensor.empty")
}

/// True if [`copy`] can copy a value of this type: an allocation has it, or can be cast to it. Buffers without a rank
/// and with a layout of their own, such as `strided<[8]>`, cannot be copied.
pub fn is_copyable(ty: Type) -> bool {
    if !ty.is_mem_ref() {
        return ty.is_ranked_tensor();
    }
    let Some(strided) = ir::strided(ty) else { return false };
    let mut plain = Some(1i64);
    let pairs = strided.sizes.iter().zip(&strided.strides).rev();
    let are_plain = pairs.into_iter().all(|(size, stride)| {
        let is_plain = stride.is_none_or(|stride| Some(stride) == plain);
        plain = plain.zip(*size).and_then(|(stride, size)| stride.checked_mul(size));
        is_plain
    });
    are_plain && strided.offset.is_none_or(|offset| offset == 0)
}

/// A copy of a tensor or a buffer, made before an operation. The type [is copyable](is_copyable).
pub fn copy<'c, 'a>(
    context: &PassContext<'c>,
    before: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let code = Builder::before(context.session.context(), before);
    if let Ok(ty) = MemRefType::try_from(value.r#type()) {
        let dims: Vec<i64> = (0..ty.rank())
            .map(|dim| match ty.dim_size(dim) {
                Ok(DimSize::Static(size)) => size as i64,
                _ => i64::MIN,
            })
            .collect();
        let plain = Type::from(MemRefType::new(ty.element(), &dims, None, ty.memory_space()));
        let sizes = open_sizes(code, value);
        let segments = [("operandSegmentSizes", code.segments(&[sizes.len() as i32, 0]))];
        let alloc = code.value("memref.alloc", &sizes, plain, &segments);
        code.copy(value, alloc);
        return if plain == value.r#type() { alloc } else { code.cast(alloc, value.r#type()) };
    }
    code.alloc_tensor(value.r#type(), Some(value))
}

/// The dynamic sizes of a buffer.
fn open_sizes<'c, 'a>(code: Builder<'c, 'a>, value: Value<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let Ok(ty) = MemRefType::try_from(value.r#type()) else { return Vec::new() };
    (0..ty.rank())
        .filter(|index| !matches!(ty.dim_size(*index), Ok(DimSize::Static(_))))
        .map(|index| {
            let index = code.index(index as u64);
            code.value("memref.dim", &[value, index], index.r#type(), &[])
        })
        .collect()
}

pub const DROP_EQUIVALENT_RESULTS: PassDefinition = PassDefinition::wrapping(
    "toy-drop-equivalent-buffer-results",
    "Runs drop-equivalent-buffer-results if a function returns one of its arguments",
    drop_equivalent_results,
)
.standing_in_for("drop-equivalent-buffer-results")
.working_around(FIXED_TYPES);

/// Upstream's drop-equivalent-buffer-results, run only if there is a result to drop: it looks up every
/// callee by a scan of the whole module, which is slow for thousands of functions.
pub fn drop_equivalent_results<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
) -> Diagnosed<()> {
    // Upstream drops results of all types, but from calls of its own only.
    let is_dropped = |value: Value<'c, '_>| {
        ops::is_buffer(value.r#type()) && ir::defining_operation(buffers::base(value)).is_none()
    };
    let returns_argument = ir::operations(module.as_operation()).iter().any(|operation| {
        ir::name(operation) == "func.return" && operation.operands().any(is_dropped)
    });
    if !returns_argument {
        return Ok(());
    }
    let pass = "drop-equivalent-buffer-results";
    results::with_fixed_types(context, module, |_| false, pass)
}
