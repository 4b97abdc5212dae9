//! One type for the operands of a variadic group.
//!
//! IRDL gives a variadic group of operands one constraint, hence one type. If the operands of a
//! `toy.generic_call`, `toy.struct_create` or `toy.from_elements` differ in type, each is cast: to
//! `tensor<*xf64>` if all are tensors of that element, to `!toy.any` otherwise. [`ops::source`] looks through such casts.

use crate::dialect::ops::{self, Insertion, same_type};
use crate::dialect::shape::{element_of, is_tensor, unranked_type};
use crate::dialect::structs::any_type;
use melior::Context;
use melior::ir::{Location, Value, ValueLike};

/// Casts values to one type, unless they have one already; `location` gives the cast's location for the
/// index of a value.
pub fn unify<'c, 'a>(
    context: &'c Context,
    insertion: Insertion<'c, 'a>,
    values: &mut [Value<'c, 'a>],
    location: impl Fn(usize) -> Location<'c>,
) {
    if values.windows(2).all(|pair| same_type(pair[0].r#type(), pair[1].r#type())) {
        return;
    }
    let element = element_of(values[0].r#type());
    let is_of_element = |ty| is_tensor(ty) && element_of(ty) == element;
    let common = match values.iter().all(|value| is_of_element(value.r#type())) {
        true => unranked_type(context, element),
        false => any_type(context),
    };
    for (index, value) in values.iter_mut().enumerate() {
        if !same_type(value.r#type(), common) {
            let cast = ops::pure("toy.cast", location(index), &[*value], common);
            *value = ops::result(insertion.insert(cast));
        }
    }
}
