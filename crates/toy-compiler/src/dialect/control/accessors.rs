//! The values of these operations' attributes. None, or an empty list, for an operation that is not verified.

use super::{
    CARRIES, Function, GRADIENT, IndexUse, Layout, Part, Predicate, RANGES, Reduction, Subscript,
    WITH_VALUE,
};
use crate::dialect::ops::{self, attribute};
use crate::dialect::shape::{Element, Shape, shape_of};
use melior::ir::attribute::{
    ArrayAttribute, AttributeLike, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Value, ValueLike};
use mlir_support::ir;
use toy_syntax::builtins::{MOST_DIGITS, MOST_WIDTH};

/// The predicate of a `toy.compare`.
pub fn predicate(operation: OperationRef) -> Option<Predicate> {
    Predicate::named(&text(operation, "predicate")?)
}

/// The function of a `toy.math`.
pub fn function(operation: OperationRef) -> Option<Function> {
    Function::named(&text(operation, "function")?)
}

/// The element type of the result of a `toy.convert`.
pub fn element(operation: OperationRef) -> Option<Element> {
    Element::named(&text(operation, "element")?)
}

/// The reduction of a `toy.reduce` or `toy.reduce_axis`.
pub fn reduction(operation: OperationRef) -> Option<Reduction> {
    Reduction::named(&text(operation, "kind")?)
}

/// The use of the index of a `toy.to_index`.
pub fn index_use(operation: OperationRef) -> Option<IndexUse> {
    IndexUse::named(&text(operation, "what")?)
}

/// The name of a `toy.truth`'s operand in messages.
pub fn what(operation: OperationRef) -> String {
    text(operation, "what").unwrap_or_else(|| "condition".to_owned())
}

/// The axis of a `toy.reduce`; None if it is over all elements.
pub fn axis(operation: OperationRef) -> Option<usize> {
    usize::try_from(number(operation, "axis")?).ok()
}

/// An attribute like `0 : i64`.
fn number(operation: OperationRef, name: &str) -> Option<i64> {
    i64_value(IntegerAttribute::try_from(attribute(&operation, name)?).ok()?)
}

/// MLIR's accessor is for integers of at most 64 bits.
fn i64_value(number: IntegerAttribute) -> Option<i64> {
    (ir::signless_width(number.r#type()) == Some(64)).then(|| number.value())
}

/// True if a reduction keeps what it reduces as dimensions of size 1.
pub fn keeps(operation: OperationRef) -> bool {
    attribute(&operation, "keep").is_some_and(|keep| keep.is_unit())
}

/// For each dimension of the result of a `toy.transpose`, the dimension of the operand; None if its rank or its axes
/// are not known yet.
pub fn permutation(operation: OperationRef) -> Option<Vec<usize>> {
    if let Some(dims) = attribute(&operation, "permutation") {
        let dims = numbers(dims)?.into_iter().map(|dim| usize::try_from(dim).ok());
        return dims.collect::<Option<Vec<_>>>().filter(|it| is_permutation(it));
    }
    let rank = shape_of(operation.operand(0).ok()?.r#type())?.0.len();
    (operation.operand_count() == 1).then(|| (0..rank).rev().collect())
}

/// True if each number below the length occurs.
pub fn is_permutation(dims: &[usize]) -> bool {
    (0..dims.len()).all(|dim| dims.contains(&dim))
}

/// The parameters by which a `toy.generic_call` of a gradient differentiates; None of another call.
pub fn gradient(operation: OperationRef) -> Option<Vec<usize>> {
    let parameters = numbers(attribute(&operation, GRADIENT)?)?.into_iter();
    parameters.map(|it| usize::try_from(it).ok()).collect()
}

/// True if the value of the function comes before its gradients.
pub fn with_value(operation: OperationRef) -> bool {
    operation.has_attribute(WITH_VALUE)
}

/// The subscripts of a `toy.read` or `toy.update`; None if one of them is not a subscript.
pub fn subscripts(operation: OperationRef) -> Option<Vec<Subscript>> {
    entries(operation, "subscripts")?.into_iter().map(subscript).collect()
}

fn subscript(attribute: Attribute) -> Option<Subscript> {
    match ir::string_value(attribute).as_deref() {
        Some("at") => return Some(Subscript::At),
        Some("window") => return Some(Subscript::Window),
        Some(name) => {
            let range = RANGES.iter().find(|(range, _)| *range == name);
            return range.map(|(_, given)| Subscript::Range(*given));
        }
        None => {}
    }
    if let Ok(at) = IntegerAttribute::try_from(attribute) {
        return i64_value(at).map(Subscript::Nth);
    }
    match numbers(attribute)?.as_slice() {
        [count] => Some(Subscript::Sized(*count)),
        [low, high] => Some(Subscript::Slice(*low, *high, 1)),
        [low, high, step] => Some(Subscript::Slice(*low, *high, *step)),
        _ => None,
    }
}

fn numbers(attribute: Attribute) -> Option<Vec<i64>> {
    let numbers = DenseI64ArrayAttribute::try_from(attribute).ok()?;
    (0..numbers.len()).map(|at| numbers.element(at).ok()).collect()
}

/// The dimensions of the list that a `toy.from_elements` is; without its attribute, those of the result.
pub fn list_dims(operation: OperationRef) -> Option<Shape> {
    match attribute(&operation, "dims") {
        Some(dims) => {
            let dims = numbers(dims)?.into_iter().map(|dim| u64::try_from(dim).ok());
            dims.collect::<Option<_>>().map(Shape)
        }
        None => shape_of(ops::result(operation).r#type()),
    }
}

/// True if one of the sizes of a `toy.reshape_to` may be -1.
pub fn is_open(operation: OperationRef) -> bool {
    operation.has_attribute("open")
}

/// The text that a `toy.print_values` writes at its end, if not a line feed.
pub fn end(operation: OperationRef) -> Option<String> {
    text(operation, "end")
}

/// The form of the numbers that a `toy.print_values` writes; None if there is more than the runtime can write.
pub fn layout(operation: OperationRef) -> Option<Layout> {
    let part = |name, most| match attribute(&operation, name) {
        None => Some(None),
        Some(_) => number(operation, name).filter(|it| (0..=most).contains(it)).map(Some),
    };
    Some(Layout { digits: part("digits", MOST_DIGITS)?, width: part("width", MOST_WIDTH)? })
}

/// The format of a `toy.print_values`; None if one of its parts is neither a string nor `unit`.
pub fn format(operation: OperationRef) -> Option<Vec<Part>> {
    let part = |attribute: Attribute| match ir::string_value(attribute) {
        Some(text) => Some(Part::Text(text)),
        None => attribute.is_unit().then_some(Part::Value),
    };
    entries(operation, "format")?.into_iter().map(part).collect()
}

/// The name of the variable that a `toy.assign` assigns.
pub fn assigned_name(operation: OperationRef) -> Option<String> {
    text(operation, "name")
}

/// The name of the variable that an `scf` operation carries at a place, if it has one.
pub fn carried_name(operation: OperationRef, place: usize) -> Option<String> {
    ir::string_value(*entries(operation, CARRIES)?.get(place)?)
}

/// The names of the variables that an operation carries, if there are as many as values.
pub fn carried_names(operation: OperationRef, count: usize) -> Option<Vec<String>> {
    let names = entries(operation, CARRIES)?;
    let names: Vec<_> = names.into_iter().map(ir::string_value).collect::<Option<_>>()?;
    (names.len() == count).then_some(names)
}

fn entries<'c>(operation: OperationRef<'c, '_>, name: &str) -> Option<Vec<Attribute<'c>>> {
    let list = ArrayAttribute::try_from(attribute(&operation, name)?).ok()?;
    (0..list.len()).map(|index| list.element(index).ok()).collect()
}

fn text(operation: OperationRef, name: &str) -> Option<String> {
    attribute(&operation, name).and_then(ir::string_value)
}

/// The tensor whose part a `toy.read` or `toy.update` accesses.
pub fn subscripted<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let place = usize::from(ops::Kind::of(&operation) == Some(ops::Kind::Update));
    operation.operand(place).ok()
}

/// The indices among the operands of a `toy.read` or `toy.update`.
pub fn indices<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let skipped = 1 + usize::from(ops::Kind::of(&operation) == Some(ops::Kind::Update));
    operation.operands().skip(skipped).collect()
}

/// The subscripts of a `toy.read` or `toy.update`, each with the operands that it takes.
pub fn indexed<'c, 'a>(
    operation: OperationRef<'c, 'a>,
) -> Option<Vec<(Subscript, Vec<Value<'c, 'a>>)>> {
    let mut indices = indices(operation).into_iter();
    let with_operands = |it: Subscript| (it, indices.by_ref().take(it.operands()).collect());
    Some(subscripts(operation)?.into_iter().map(with_operands).collect())
}
