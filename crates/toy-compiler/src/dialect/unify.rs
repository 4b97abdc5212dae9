//! One type for the operands of a variadic group.
//!
//! IRDL gives a variadic group of operands one constraint, hence one type. If the operands of a
//! `toy.generic_call`, `toy.struct_create` or `toy.from_elements` differ in type, each is cast: to
//! `tensor<*xf64>` if all are tensors, whatever their elements, to `!toy.any` otherwise.
//! [`source`](crate::dialect::ops::source) looks through such casts.

use crate::dialect::ops::{Kind, ToyBuilder, same_type};
use crate::dialect::shape::{Element, is_tensor, unranked_type};
use crate::dialect::structs::{any_type, struct_type};
use melior::ir::{Location, Value, ValueLike};
use mlir_support::Builder;

/// Casts values to one type, unless they have one already; `location` gives the cast's location for the
/// index of a value.
pub fn unify<'c, 'a>(
    code: Builder<'c, 'a>,
    values: &mut [Value<'c, 'a>],
    location: impl Fn(usize) -> Location<'c>,
) {
    if values.windows(2).all(|pair| same_type(pair[0].r#type(), pair[1].r#type())) {
        return;
    }
    let common = match values.iter().all(|value| is_tensor(value.r#type())) {
        true => unranked_type(code.context, Element::DEFAULT),
        false => any_type(code.context),
    };
    for (index, value) in values.iter_mut().enumerate() {
        if !same_type(value.r#type(), common) {
            *value = code.located(location(index)).typed(Kind::Cast, &[*value], common, &[]);
        }
    }
}

/// `toy.struct_create` of these fields; the locations are those of their casts.
pub fn structure<'c, 'a>(
    code: Builder<'c, 'a>,
    mut fields: Vec<Value<'c, 'a>>,
    location: impl Fn(usize) -> Location<'c>,
) -> Value<'c, 'a> {
    let types: Vec<_> = fields.iter().map(|field| field.r#type()).collect();
    unify(code, &mut fields, location);
    code.typed(Kind::StructCreate, &fields, struct_type(code.context, &types), &[])
}
