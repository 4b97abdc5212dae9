//! Canonicalization of the Toy dialect: rewrites that make a program smaller and never change its
//! output or its errors.
//!
//! Input and output: a verified module, before or after shape inference. The patterns are in the table [`PATTERNS`], but
//! for [`DEAD`], which starts from each pure operation.
//!
//! Two rules restrict them. *Types:* the replacement of an unranked value by a ranked one is
//! done only if every user is a Toy operation that takes either (a `func.return` does not, nor
//! does a call, a struct or a literal of several operands, which must have one type).
//! *Errors:* a dead `add` whose shapes are not known yet stays until they are, because the
//! error in it must be reported with optimization as without.
//!
//! No arithmetic is done on constants: a sum computed here could differ in a bit from the one that
//! the target computes. Flipping a sign is exact.
//!
//! The greedy driver erases dead operations only if they are known to have no side effects,
//! which IRDL cannot declare in LLVM 22: so erasing them is a pattern, too.
//!
//! Tutorial: chapter 5.

mod structs;
mod tensors;

use crate::dialect::control;
use crate::dialect::gradients;
use crate::dialect::inference::{self, index_value, parts};
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::dialect::table::Dead;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Module, Operation, Type, Value, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::rewrite::{Pattern, Rewriter, Rule, Trace, apply_greedily};
use mlir_support::{Locations, ir};
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// A constant larger than this is not copied: it is folded only if the original is erased.
const SMALL_CONSTANT: u64 = 4096;

/// For a dead operation.
const DEAD: Rule =
    Rule { before: "dead operation", after: "nothing", condition: "it is pure and cannot fail" };

/// Root, form before and after, condition, and function.
const PATTERNS: &[Pattern] = &[
    pattern("toy.variable", "variable", "nothing", "", erase_variable),
    pattern(
        "toy.transpose",
        "transpose x",
        "x",
        "each dimension stays in its place",
        tensors::identity_transpose,
    ),
    pattern(
        "toy.transpose",
        "transpose(transpose x)",
        "x",
        "both reverse the dimensions",
        tensors::transpose_of_transpose,
    ),
    pattern(
        "toy.transpose",
        "transpose(transpose x)",
        "transpose x",
        "the orders of the dimensions are known",
        tensors::permutation_of_permutation,
    ),
    pattern(
        "toy.transpose",
        "transpose(constant)",
        "constant",
        "the constant is small or has no other use",
        tensors::transpose_of_constant,
    ),
    pattern("toy.reshape", "reshape x", "x", "the types are equal", tensors::identity_reshape),
    pattern(
        "toy.reshape",
        "reshape(reshape x)",
        "reshape x",
        "both results have the same number of elements",
        tensors::reshape_of_reshape,
    ),
    pattern("toy.reshape", "reshape(constant)", "constant", "", tensors::reshape_of_constant),
    pattern("toy.neg", "neg(neg x)", "x", "", tensors::neg_of_neg),
    pattern(
        "toy.neg",
        "neg(constant)",
        "constant",
        "the constant is small or has no other use",
        tensors::neg_of_constant,
    ),
    pattern(
        "toy.from_elements",
        "from_elements of constants",
        "constant",
        "all of them are scalars",
        tensors::elements_of_constants,
    ),
    pattern(
        "toy.struct_access",
        "struct_access(struct_create(...))",
        "its operand",
        "",
        structs::access_of_create,
    ),
    pattern(
        "toy.struct_access",
        "struct_access(struct_constant)",
        "constant",
        "",
        structs::access_of_constant,
    ),
    pattern(
        "toy.struct_create",
        "struct_create of constants",
        "struct_constant",
        "",
        structs::create_of_constants,
    ),
];

const fn pattern(
    root: &'static str,
    before: &'static str,
    after: &'static str,
    condition: &'static str,
    rewrite: fn(&Rewriter, OperationRef) -> bool,
) -> Pattern {
    Pattern { root, rule: Rule { before, after, condition }, rewrite }
}

pub const PASS: PassDefinition =
    PassDefinition::new("toy-canonicalize", "Simplifies Toy operations and erases dead ones", run);

/// The pass. Explains each rewrite, if the context requests this.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let trace = context.explains_rewrites.then(|| Trace::new(usize::MAX));
    rewrite(module, trace.as_ref())?;
    let rewrites = trace.map(|trace| trace.rewrites.take()).unwrap_or_default();
    let remarks = rewrites.into_iter().map(|(rule, location)| {
        let remark = Diagnostic::remark(codes::REWRITTEN, format!("rewritten: {rule}"));
        context.locations.label(remark, location, "from here")
    });
    context.remarks.borrow_mut().extend(remarks);
    Ok(())
}

/// Rewrites a module; with a trace, up to its limit.
pub fn rewrite<'c>(module: &Module<'c>, trace: Option<&Trace<'c>>) -> Diagnosed<()> {
    if gradients::are_needed(module) {
        return Ok(());
    }
    let may_be_dead = |kind: &&Kind| kind.definition().dead != Dead::Never;
    let dead = Kind::ALL.iter().filter(may_be_dead);
    let dead = dead.map(|kind| Pattern { root: kind.name(), rule: DEAD, rewrite: erase_dead });
    let patterns = dead.chain(PATTERNS.iter().copied());
    apply_greedily(module, patterns, trace).map_err(|error| {
        vec![Diagnostic::error(
            codes::INTERNAL,
            format!("canonicalization did not converge: {error}"),
        )]
    })
}

fn erase_dead(rewriter: &Rewriter, operation: OperationRef) -> bool {
    let is_used = operation.results().any(|result| ir::has_uses(result.into()));
    if is_used || Kind::of(&operation).is_none_or(|kind| may_fail(operation, kind)) {
        return false;
    }
    rewriter.base.erase_op(operation);
    true
}

/// A `toy.variable` would keep its value alive, so optimized programs have no variables.
fn erase_variable(rewriter: &Rewriter, operation: OperationRef) -> bool {
    rewriter.base.erase_op(operation);
    true
}

/// True if the operation may still be an error: when its shapes are inferred, or when the program runs.
fn may_fail(operation: OperationRef, kind: Kind) -> bool {
    let shapes: Vec<_> = operation.operands().map(|operand| shape_of(operand.r#type())).collect();
    let is_known = shapes.iter().all(Option::is_some);
    match (kind.definition().dead, kind) {
        (Dead::Always, _) => false,
        (Dead::Never, _) => true,
        (Dead::Inferred, _) => !is_known || has_error(operation, kind),
        (Dead::ElementWise, _) => match (&shapes[0], &shapes[1]) {
            (Some(lhs), Some(rhs)) => lhs.misfit(rhs).is_some(),
            // A scalar goes with everything.
            (Some(shape), None) | (None, Some(shape)) => !shape.0.is_empty(),
            (None, None) => true,
        },
        // An axis that is an attribute belongs to a shape that is known.
        (Dead::ByRule, Kind::Reduce) => control::axis(operation).is_some() && !is_known,
        (Dead::ByRule, Kind::Transpose) => {
            operation.operand_count() > 1 && (!is_known || has_error(operation, kind))
        }
        (Dead::ByRule, Kind::ToIndex) => {
            index_value(ops::result(operation)).is_none() || has_error(operation, kind)
        }
        (Dead::ByRule, Kind::Read | Kind::Update) => {
            has_error(operation, kind)
                || !parts::is_in_range(operation)
                || operation.results().any(|result| shape_of(result.r#type()).is_none())
        }
        (Dead::ByRule, Kind::Reshape) => {
            match (&shapes[0], shape_of(ops::result(operation).r#type())) {
                (Some(operand), Some(result)) => !operand.reshapes_to(&result),
                _ => true,
            }
        }
        (Dead::ByRule, Kind::FromElements) => !is_known || has_error(operation, kind),
        (Dead::ByRule, _) => true,
    }
}

/// True if the operation has an error that shape inference reports.
fn has_error(operation: OperationRef, kind: Kind) -> bool {
    // The places that a diagnostic would show do not matter here.
    let source = Source::new("", "");
    let locations = Locations { source: &source, file: "" };
    inference::result_shape(locations.at(operation), kind).is_err()
}

// --- helpers of the patterns ---

fn first_operand<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.operand(0).expect("verified: it has an operand")
}

fn operand_defined_by<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    kind: Kind,
) -> Option<OperationRef<'c, 'a>> {
    ir::defining_operation(first_operand(operation)).filter(|def| Kind::of(def) == Some(kind))
}

fn may_copy(constant: OperationRef, count: u64) -> bool {
    count <= SMALL_CONSTANT || ir::users(ops::result(constant)).len() == 1
}

/// True if the users of the operation's result accept a value of the type instead.
fn may_refine(operation: OperationRef, ty: Type) -> bool {
    let result = ops::result(operation);
    ops::same_type(result.r#type(), ty)
        || ir::users(result).iter().all(|user| match Kind::of(user) {
            // The operands of a variadic group have one type.
            Some(Kind::GenericCall | Kind::StructCreate) => user.operand_count() == 1,
            Some(Kind::FromElements | Kind::PrintValues | Kind::Transpose) => {
                user.operand_count() == 1
            }
            Some(Kind::ReshapeTo | Kind::Join) => false,
            kind => kind.is_some(),
        })
}

fn replace(rewriter: &Rewriter, operation: OperationRef, value: Value) -> bool {
    // In code that is never reached, an operation may be its own operand.
    let is_itself = ops::result(operation).to_raw().ptr == value.to_raw().ptr;
    if is_itself || !may_refine(operation, value.r#type()) {
        return false;
    }
    rewriter.base.replace_op_with_values(operation, &[value]);
    true
}

/// A `toy.constant`, or a `toy.struct_constant` if the type is a struct.
fn replace_with_constant<'c>(
    rewriter: &Rewriter<'_, 'c>,
    operation: OperationRef<'c, '_>,
    ty: Type<'c>,
    value: Attribute<'c>,
) -> bool {
    let constant = ops::constant(rewriter.context, operation.location(), ty, value);
    replace_with_new(rewriter, operation, constant)
}

fn replace_with_new<'c>(
    rewriter: &Rewriter<'_, 'c>,
    operation: OperationRef<'c, '_>,
    new: Operation<'c>,
) -> bool {
    rewriter.base.set_insertion_point_before(operation);
    let new = rewriter.base.insert(new);
    rewriter.base.replace_op_with_values(operation, &[ops::result(new)]);
    true
}
