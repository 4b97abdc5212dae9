//! The rules of the attributes of operations around control flow: each has a value that Toy knows, and as many
//! operands as there are.

use super::Problem;
use crate::dialect::control::{self, Function, IndexUse, Part, Predicate, Reduction, Subscript};
use crate::dialect::inference::parts::count;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Element, shape_of};
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::ir;
use toy_diagnostics::text::{clipped, counted};
use toy_syntax::builtins::{MOST_DIGITS, MOST_WIDTH};

pub fn verify(operation: OperationRef, kind: Kind) -> Result<(), Problem> {
    match kind {
        Kind::Compare => choice(operation, "predicate", Predicate::ALL.iter().map(|it| it.name())),
        Kind::Math => choice(operation, "function", Function::ALL.iter().map(|it| it.name())),
        Kind::Convert => choice(operation, "element", Element::ALL.iter().map(|it| it.name())),
        Kind::ToIndex => choice(operation, "what", IndexUse::ALL.iter().map(|it| it.name())),
        Kind::ReduceAxis => reduction(operation),
        Kind::Transpose => permutation(operation),
        Kind::Reduce => {
            reduction(operation)?;
            axis(operation)
        }
        Kind::Truth => match ops::attribute(&operation, "what") {
            Some(what) if ir::string_value(what).is_none() => {
                Err("its `what` is not a string".to_owned().into())
            }
            _ => Ok(()),
        },
        Kind::Read | Kind::Update => subscripts(operation),
        Kind::PrintValues => format(operation),
        _ => Ok(()),
    }
}

fn permutation(operation: OperationRef) -> Result<(), Problem> {
    if ops::attribute(&operation, "permutation").is_none() {
        return Ok(());
    }
    let Some(dims) = control::permutation(operation) else {
        let problem = "its `permutation` is not one of dimensions, like `array<i64: 1, 0>`";
        return Err(problem.to_owned().into());
    };
    if operation.operand_count() > 1 {
        return Err("it has both a `permutation` and axes".to_owned().into());
    }
    let shape = operation.operand(0).ok().and_then(|operand| shape_of(operand.r#type()));
    match shape {
        Some(shape) if dims.len() != shape.0.len() => {
            let dims = counted(dims.len(), "dimension");
            Err(format!("its `permutation` is of {dims}, but its operand has shape {shape}").into())
        }
        _ => Ok(()),
    }
}

fn reduction(operation: OperationRef) -> Result<(), Problem> {
    if ops::attribute(&operation, "keep").is_some() && !control::keeps(operation) {
        return Err("its `keep` is not `unit`".to_owned().into());
    }
    choice(operation, "kind", Reduction::ALL.iter().map(|it| it.name()))?;
    match control::reduction(operation) {
        Some(kind) if kind.keeps_all() && control::keeps(operation) => {
            Err(format!("`keep` is not for the kind \"{}\", which reduces nothing", kind.name())
                .into())
        }
        _ => Ok(()),
    }
}

/// An attribute with one of some names as its value.
fn choice(
    operation: OperationRef,
    attribute: &str,
    names: impl Iterator<Item = &'static str> + Clone,
) -> Result<(), Problem> {
    let given = ops::attribute(&operation, attribute).and_then(ir::string_value);
    if given.as_deref().is_some_and(|given| names.clone().any(|name| name == given)) {
        return Ok(());
    }
    let known = names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    Err(Problem::helped(
        match given {
            Some(given) => format!("its `{attribute}` cannot be \"{}\"", clipped(&given)),
            None => format!("its `{attribute}` is not a string"),
        },
        format!("the `{attribute}` is one of {known}"),
    ))
}

fn axis(operation: OperationRef) -> Result<(), Problem> {
    if ops::attribute(&operation, "axis").is_none() {
        return Ok(());
    }
    let Some(axis) = control::axis(operation) else {
        return Err("its `axis` is not a number like `0 : i64`".to_owned().into());
    };
    let shape = operation.operand(0).ok().and_then(|operand| shape_of(operand.r#type()));
    match shape {
        Some(shape) if axis >= shape.0.len() => {
            Err(format!("there is no axis {axis} in a value of shape {shape}").into())
        }
        _ => Ok(()),
    }
}

fn subscripts(operation: OperationRef) -> Result<(), Problem> {
    let help = "a subscript is \"at\" with one index, \"range\" with two, \"window\" with an index and a number, \
                `array<i64: 0, 2>`, or a range with other parts, such as \"a:b:s\"";
    let problem = |message: String| Problem::helped(message, help);
    let Some(subscripts) = control::subscripts(operation) else {
        return Err(problem("one of its `subscripts` is not a subscript".to_owned()));
    };
    if subscripts.is_empty() {
        return Err(problem("it has no `subscripts`".to_owned()));
    }
    let wanted: usize = subscripts.iter().map(|subscript| subscript.operands()).sum();
    let given = control::indices(operation).len();
    if wanted != given {
        let wanted = counted(wanted, "operand");
        return Err(problem(format!("its `subscripts` take {wanted}, {given} given")));
    }
    let is_empty = |subscript: &Subscript| match subscript {
        Subscript::Slice(low, high, step) => *low < 0 || count(*low, *high, *step).is_none(),
        Subscript::Sized(count) => *count < 1,
        Subscript::At | Subscript::Nth(_) | Subscript::Range(_) | Subscript::Window => false,
    };
    if subscripts.iter().any(is_empty) {
        return Err(problem("one of its ranges has no elements".to_owned()));
    }
    Ok(())
}

fn format(operation: OperationRef) -> Result<(), Problem> {
    let Some(format) = control::format(operation) else {
        return Err(Problem::helped(
            "a part of its `format` is neither a text nor `unit`",
            "write texts as strings, and `unit` for an operand",
        ));
    };
    if control::layout(operation).is_none() {
        return Err(format!(
            "its `digits` is not one of `0 : i64` to {MOST_DIGITS}, or its `width` not one to {MOST_WIDTH}"
        )
        .into());
    }
    let values = format.iter().filter(|part| **part == Part::Value).count();
    let given = operation.operand_count();
    if values != given {
        let values = counted(values, "operand");
        return Err(format!("its `format` takes {values}, {given} given").into());
    }
    Ok(())
}
