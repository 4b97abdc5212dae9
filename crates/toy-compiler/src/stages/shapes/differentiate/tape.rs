//! Tapes: the values that a loop carries, in each iteration.
//!
//! Input: a loop, and stand-ins for values that the way back needs. Output: the loop with a tape for each of them, a tensor
//! with a place for each iteration, in the place of its number; the way back reads them there. Indices and truths are
//! saved as numbers, structs as structs of tapes.

use super::code::Code;
use super::{fail, sweep};
use crate::dialect::control::{IndexUse, Subscript, carried_name};
use crate::dialect::ops::{Kind, ToyBuilder};
use crate::dialect::shape::{is_tensor, tensor_type, type_of};
use crate::dialect::structs::{fields, struct_type};
use melior::ir::operation::{OperationMutLike, OperationRef};
use melior::ir::{Type, TypeLike, Value, ValueLike};
use mlir_support::builder::Insertion;
use mlir_support::{Builder, constants, ir};
use toy_diagnostics::Diagnostic;

/// Gives a loop tapes for carried values, and reads them in place of the stand-ins. Returns the values that are read
/// with their tapes.
pub fn save<'c, 'a>(
    code: Code<'c, 'a, '_>,
    operation: OperationRef<'c, 'a>,
    (popped, saved): (&[Value<'c, 'a>], &[usize]),
    most: u64,
    (popping, number): (Code<'c, 'a, '_>, &dyn Fn(Code<'c, 'a, '_>) -> Value<'c, 'a>),
) -> Result<Vec<(Value<'c, 'a>, Value<'c, 'a>)>, Box<Diagnostic>> {
    let before = code.at(Insertion::Before(operation));
    let mut tapes = Vec::new();
    for place in saved {
        let taped = taped(before.builder, popped[*place].r#type(), most);
        let Some((ty, _)) = taped else { return Err(fail::tape(code, operation, most)) };
        let name = carried_name(operation, *place).filter(|name| !name.starts_with('$'));
        tapes.push(before.tape(ty, name.as_deref()));
    }
    let all = vec![true; popped.len()];
    let (looped, arguments, results) = sweep::rebuilt(code.builder, operation, &all, &tapes);
    let body = ir::blocks_of(looped, 0)[0];
    let contents = ir::block_operations(body);
    let (first, end) = (contents[0], *contents.last().expect("a loop has a terminator"));
    let pushing = code.at(Insertion::Before(first));
    let [from, step] = [0, 2].map(|place| ir::operand(looped, place));
    let at = number_of(pushing.builder, ir::arguments(body)[0], [from, step]);
    let (number, mut read) = (number(popping), Vec::new());
    for (of, place) in saved.iter().enumerate() {
        let value = ir::arguments(body)[1 + place];
        let pushed = push(pushing, value, arguments[of], at);
        ir::mutable(end).set_operand(popped.len() + of, pushed);
        let value = pop(popping, results[of], number, value.r#type());
        ir::replace_all_uses(popped[*place], value);
        read.push((value, results[of]));
    }
    // Not before: the values are inserted in front of one of these.
    let stand_ins = saved.iter().filter_map(|place| ir::defining_operation(popped[*place]));
    stand_ins.for_each(ir::erase);
    Ok(read)
}

/// The bytes of values on a tape, for each iteration.
pub fn bytes(code: Code, values: &[Value]) -> u64 {
    let bytes = values.iter().map(|it| Some(taped(code.builder, it.r#type(), 1)?.1));
    bytes.sum::<Option<u64>>().unwrap_or(u64::MAX)
}

/// The type of a tape, and its bytes; None if it is too large.
fn taped<'c>(code: Builder<'c, '_>, ty: Type<'c>, most: u64) -> Option<(Type<'c>, u64)> {
    if let Some(fields) = fields(ty) {
        let fields = fields.into_iter().map(|field| taped(code, field, most));
        let (types, bytes): (Vec<_>, Vec<_>) =
            fields.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        return Some((struct_type(code.context, &types), bytes.into_iter().sum()));
    }
    // Indices and truths are saved as numbers.
    let mut ty = type_of(ty).unwrap_or_default();
    ty.shape.0.insert(0, most);
    let bytes = ty.bytes().filter(|_| ty.fits())?;
    Some((tensor_type(code.context, &ty), bytes))
}

fn push<'c, 'a>(
    code: Code<'c, 'a, '_>,
    value: Value<'c, 'a>,
    tape: Value<'c, 'a>,
    at: Value<'c, 'a>,
) -> Value<'c, 'a> {
    if let (Some(values), Some(tapes)) = (code.fields(value), code.fields(tape)) {
        let pairs = values.into_iter().zip(tapes);
        let pushed: Vec<_> = pairs.map(|(value, tape)| push(code, value, tape, at)).collect();
        return code.structure(&pushed);
    }
    let value = match value.r#type() {
        ty if is_tensor(ty) => value,
        ty if TypeLike::is_index(&ty) => code.builder.toy(Kind::FromIndex, &[value], &[]),
        _ => code.builder.toy(Kind::FromTruth, &[value], &[]),
    };
    code.update(value, tape, &[Subscript::At], &[at])
}

fn pop<'c, 'a>(
    code: Code<'c, 'a, '_>,
    tape: Value<'c, 'a>,
    at: Value<'c, 'a>,
    ty: Type<'c>,
) -> Value<'c, 'a> {
    if let (Some(types), Some(tapes)) = (fields(ty), code.fields(tape)) {
        let pairs = tapes.into_iter().zip(types);
        let popped: Vec<_> = pairs.map(|(tape, ty)| pop(code, tape, at, ty)).collect();
        return code.structure(&popped);
    }
    let value = code.read(tape, &[Subscript::At], &[at]);
    match ty {
        _ if is_tensor(ty) => value,
        _ if TypeLike::is_index(&ty) => {
            let what = ("what", code.builder.text(IndexUse::Index.name()));
            code.builder.toy(Kind::ToIndex, &[value], &[what])
        }
        _ => {
            let what = ("what", code.builder.text("condition"));
            code.builder.toy(Kind::Truth, &[value], &[what])
        }
    }
}

/// The iterations of a loop whose bounds are known only when it runs.
pub fn count_of<'c, 'a>(
    code: Builder<'c, 'a>,
    [from, to, step]: [Value<'c, 'a>; 3],
) -> Value<'c, 'a> {
    let less = code.computed("arith.subi", &[step, code.index(1)]);
    let end = code.computed("arith.addi", &[to, less]);
    code.computed("arith.maxsi", &[number_of(code, end, [from, step]), code.index(0)])
}

/// The index of an iteration from its number.
pub fn index_of<'c, 'a>(
    code: Builder<'c, 'a>,
    number: Value<'c, 'a>,
    [from, step]: [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    let offset = match constants::index(step) {
        Some(1) => number,
        _ => code.computed("arith.muli", &[number, step]),
    };
    match constants::index(from) {
        Some(0) => offset,
        _ => code.computed("arith.addi", &[offset, from]),
    }
}

/// The number of an iteration from its index.
fn number_of<'c, 'a>(
    code: Builder<'c, 'a>,
    index: Value<'c, 'a>,
    [from, step]: [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    let offset = match constants::index(from) {
        Some(0) => index,
        _ => code.computed("arith.subi", &[index, from]),
    };
    match constants::index(step) {
        Some(1) => offset,
        _ => code.computed("arith.divsi", &[offset, step]),
    }
}
