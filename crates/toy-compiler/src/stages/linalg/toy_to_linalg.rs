//! From the Toy dialect to linalg on tensors.
//!
//! Input: a module in which every Toy value is a ranked tensor: after `toy-specialize` and
//! `toy-flatten`. Output: the same functions without Toy operations, in destination-passing style: each
//! result is computed into a `tensor.empty` of its own; only `toy.update` has an existing tensor as its destination.
//! Operations on scalars become operations on numbers, between `tensor.extract` and `tensor.from_elements`, which
//! are not written where they meet.
//!
//! | Toy | becomes | file |
//! |---|---|---|
//! | literals, and operations that only move elements | `arith.constant`, `linalg.transpose`, `tensor` | [`shapes`] |
//! | element-wise operations: those with a `scalar` in the [table](crate::dialect::table) | `linalg.add` and so on, `linalg.generic`; `arith` and `math` on scalars | [`element_wise`] |
//! | `toy.reduce` | `scf.for` with 8 partial results, or `linalg.generic` | [`reductions`] |
//! | its kinds with a result for each element | `scf.for` | [`scans`] |
//! | `toy.matmul` | `linalg.generic`, or `scf.for` with 8 partial sums | [`products`] |
//! | `toy.join`, `toy.from_elements` of tensors | `tensor.insert_slice` of a new tensor | [`lists`] |
//! | `toy.read`, `toy.update` | checks; `tensor.extract`, `tensor.insert`, also of slices | [`parts`] |
//! | `toy.truth`, `toy.to_index`, ... | `arith`, and checks | [`checks`] |
//! | `toy.print`, `toy.print_values` | calls of the runtime | [`mod@print`] |
//! | `toy.variable` | calls of a function that does not exist ([`markers`](crate::runtime_calls::markers)) | |
//!
//! Tutorial: chapter 7.

mod checks;
mod element_wise;
mod lists;
mod parts;
mod print;
mod products;
pub mod reductions;
mod scans;
mod shapes;
mod stretched;

use crate::dialect::inference::elements;
use crate::dialect::needs;
use crate::dialect::ops::{self, Kind};
use crate::dialect::table::Scalar;
use crate::runtime_calls::markers::Markers;
use crate::runtime_calls::texts;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Module, Value, ValueLike};
use mlir_support::Builder;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, ir};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition =
    PassDefinition::new("toy-to-linalg", "Lowers the Toy dialect to linalg on tensors", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(pass: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = pass.session.context();
    let mut is_printed = false;
    let mut markers = Markers::default();
    // In front of operations whose operands have one type; these look through them.
    let mut casts = Vec::new();
    let operations = ir::operations(module.as_operation());
    load_dialects(pass, &operations);
    checks::recursion(pass, module);
    for operation in operations {
        let Some(kind) = Kind::of(&operation) else { continue };
        if kind == Kind::Cast {
            casts.push(operation);
            continue;
        }
        let code = Builder::before(context, operation);
        let lowered = match kind {
            Kind::Variable => {
                markers.mark(context, operation);
                Some(None)
            }
            Kind::Print => operation.operand(0).ok().map(|operand| {
                print::tensor(code, operand, &mut is_printed);
                None
            }),
            Kind::PrintValues => print::values(code, operation, &mut is_printed).map(|()| None),
            _ => lower(code, &pass.locations, operation, kind).map(Some),
        };
        let Some(result) = lowered else { return Err(not_lowered(pass, operation).into()) };
        if let Some(result) = result {
            ir::replace_all_uses(ops::result(operation), result);
        }
        ir::erase(operation);
    }
    for cast in casts.into_iter().rev() {
        if ir::has_uses(ops::result(cast)) {
            return Err(not_lowered(pass, cast).into());
        }
        ir::erase(cast);
    }
    markers.declare(context, module);
    texts::declare(context, module);
    if is_printed {
        print::declare(pass, module)?;
    }
    for function in ir::block_operations(module.body()) {
        if function.has_attribute("toy.specialization") {
            // The symbol has the same information, and the lower levels do not have the Toy dialect.
            let _ = ir::mutable(function).remove_attribute("toy.specialization");
        }
    }
    Ok(())
}

/// Loads the dialects that few programs need.
fn load_dialects(pass: &PassContext, operations: &[OperationRef]) {
    let kinds = || operations.iter().filter_map(Kind::of);
    let is_math = |kind: Kind| match kind.definition().scalar {
        Some(Scalar::Operation(name)) => !name.starts_with("arith."),
        Some(Scalar::Function | Scalar::Remainder) => true,
        Some(Scalar::Compare | Scalar::Select | Scalar::Convert) => false,
        None => kind == Kind::Matmul,
    };
    if kinds().any(is_math) {
        pass.session.load_dialects(&["math", "llvm"]);
    }
    if operations.iter().any(|operation| parts::has_steps(*operation)) {
        pass.session.load_dialects(&["bufferization"]);
    }
    let with_loops = [Kind::Matmul, Kind::Reduce, Kind::Read, Kind::Update, Kind::ToIndex];
    if kinds().any(|kind| with_loops.contains(&kind)) {
        pass.session.load_dialects(&["scf"]);
    }
}

/// Lowers an operation with a result; None if the operation cannot be there after specialization.
fn lower<'c, 'a>(
    code: Builder<'c, 'a>,
    files: &Locations,
    operation: OperationRef<'c, 'a>,
    kind: Kind,
) -> Option<Value<'c, 'a>> {
    if !elements::are_common(files.at(operation), kind) {
        return None;
    }
    if let Some(scalar) = kind.definition().scalar {
        return element_wise::lower(code, operation, scalar);
    }
    let operand = || operation.operand(0).ok();
    let ty = || ops::result(operation).r#type();
    match kind {
        Kind::FromElements if lists::is_stack(operation) => lists::stack(code, operation),
        Kind::Join => lists::join(code, operation),
        Kind::Reduce => reductions::lower(code, operation),
        Kind::Matmul => products::lower(code, operation),
        Kind::Read => parts::read(code, files, operation),
        Kind::Update => parts::update(code, files, operation),
        Kind::Truth => Some(checks::truth(code, operand()?)),
        Kind::FromTruth => Some(checks::from_truth(code, operand()?, ty())),
        Kind::ToIndex => checks::to_index(code, files, operation),
        Kind::FromIndex => Some(checks::from_index(code, operand()?, ty())),
        _ => shapes::lower(code, operation, kind),
    }
}

fn not_lowered(pass: &PassContext, operation: OperationRef) -> Diagnostic {
    let name = ir::name(&operation);
    let diagnostic = Diagnostic::error(
        codes::INVALID_TOY_IR,
        format!("invalid `{name}`: it cannot be lowered in this form"),
    );
    pass.locations
        .label(diagnostic, operation.location(), "this operation")
        .help("run `toy-specialize` and `toy-flatten-structs` before `toy-to-linalg`")
}
