//! Accessors of attributes.

use crate::raw::string;
use melior::ir::attribute::{AttributeLike, DenseElementsAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Location, Type, TypeLike};
use std::collections::HashSet;

/// The text of a string attribute; None for another kind. (melior's accessor panics on "".)
pub fn string_value(attribute: Attribute) -> Option<String> {
    // SAFETY: the attribute is live; its kind is checked before its value is read.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAString(raw).then(|| string(mlir_sys::mlirStringAttrGetValue(raw)))
    }
}

/// The name in a flat symbol reference; None for another kind.
pub fn symbol_value(attribute: Attribute) -> Option<String> {
    // SAFETY: as above.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAFlatSymbolRef(raw)
            .then(|| string(mlir_sys::mlirFlatSymbolRefAttrGetValue(raw)))
    }
}

/// The namespace of the dialect of an attribute.
pub fn attribute_dialect<'c>(attribute: Attribute<'c>) -> &'c str {
    // SAFETY: as above.
    unsafe {
        let dialect = mlir_sys::mlirAttributeGetDialect(attribute.to_raw());
        let raw = mlir_sys::mlirDialectGetNamespace(dialect);
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// True if an attribute has the elements of a tensor in it.
pub fn is_dense(attribute: Attribute) -> bool {
    // SAFETY: the attribute is live.
    unsafe { mlir_sys::mlirAttributeIsADenseElements(attribute.to_raw()) }
}

/// True if an attribute is an affine map that maps each index to itself.
pub fn is_identity_map(attribute: Attribute) -> bool {
    // SAFETY: the attribute is live, and its kind is checked before its value is read.
    unsafe {
        mlir_sys::mlirAttributeIsAAffineMap(attribute.to_raw())
            && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(
                attribute.to_raw(),
            ))
    }
}

/// The dimensions that are the results of an affine map, and the number of dimensions it has: (d0, d1, d2) ->
/// (d2, d0) is `([2, 0], 3)`. None for an attribute of another kind, or a map with other results or symbols.
pub fn dimensions_of_map(attribute: Attribute) -> Option<(Vec<usize>, usize)> {
    // SAFETY: the attribute is live, and its kind is checked before its value is read; so is the kind of
    // each result, whose position is in the range of the map's results.
    unsafe {
        if !mlir_sys::mlirAttributeIsAAffineMap(attribute.to_raw()) {
            return None;
        }
        let map = mlir_sys::mlirAffineMapAttrGetValue(attribute.to_raw());
        if mlir_sys::mlirAffineMapGetNumSymbols(map) > 0 {
            return None;
        }
        let results = 0..mlir_sys::mlirAffineMapGetNumResults(map);
        let dimensions = results.map(|at| {
            let result = mlir_sys::mlirAffineMapGetResult(map, at);
            mlir_sys::mlirAffineExprIsADim(result)
                .then(|| mlir_sys::mlirAffineDimExprGetPosition(result) as usize)
        });
        Some((dimensions.collect::<Option<_>>()?, mlir_sys::mlirAffineMapGetNumDims(map) as usize))
    }
}

/// A dense attribute of f64 or f32, by the type, of numbers in row-major order, which are rounded to it; one makes a splat.
pub fn dense<'c>(ty: Type<'c>, numbers: &[f64]) -> Attribute<'c> {
    if !super::element(ty).is_some_and(|element| element.is_f32()) {
        return DenseElementsAttribute::f64_values(ty, numbers).into();
    }
    let numbers: Vec<f32> = numbers.iter().map(|number| *number as f32).collect();
    let (count, data) = (numbers.len() as isize, numbers.as_ptr());
    // SAFETY: the type is a shaped one of f32, and the numbers are copied.
    unsafe {
        Attribute::from_raw(mlir_sys::mlirDenseElementsAttrFloatGet(ty.to_raw(), count, data))
    }
}

/// The elements of a dense attribute of f64 or f32 in row-major order; a splat gives its one element. None for an
/// attribute of another kind, with elements of another type, or with another number of them than `count`.
pub fn dense_floats(attribute: Attribute, count: usize) -> Option<Vec<f64>> {
    let dense = DenseElementsAttribute::try_from(attribute).ok()?;
    let ty = dense.r#type();
    // SAFETY: the type of a dense attribute is a shaped one.
    let element = unsafe { Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(ty.to_raw())) };
    let size = [(4, element.is_f32()), (8, element.is_f64())].into_iter().find(|it| it.1)?.0;
    if dense.len() != count {
        return None;
    }
    // SAFETY: the kind is checked; the raw data are `count` numbers of this size, or one if it is a splat. The pointer
    // to the data may be anything if there are none.
    let bytes = unsafe {
        let raw = dense.to_raw();
        let stored = if mlir_sys::mlirDenseElementsAttrIsSplat(raw) { 1 } else { count };
        if stored == 0 {
            return Some(Vec::new());
        }
        let data = mlir_sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        std::slice::from_raw_parts(data, stored * size)
    };
    let number = |bytes: &[u8]| match size {
        4 => f64::from(f32::from_ne_bytes(bytes.try_into().expect("four bytes"))),
        _ => f64::from_ne_bytes(bytes.try_into().expect("eight bytes")),
    };
    Some(bytes.chunks_exact(size).map(number).collect())
}

/// The symbols that an attribute refers to, in arrays and dictionaries, too. For kinds that may refer to symbols in
/// ways that only their dialect knows, the texts with an `@` are the result.
pub fn symbols(attribute: Attribute, names: &mut HashSet<String>, texts: &mut Vec<String>) {
    let mut pending = vec![attribute.to_raw()];
    while let Some(raw) = pending.pop() {
        // SAFETY: the attribute is live, and so are its parts; its kind is checked before they are
        // read.
        unsafe {
            if mlir_sys::mlirAttributeIsASymbolRef(raw) {
                names.insert(string(mlir_sys::mlirSymbolRefAttrGetRootReference(raw)));
                for index in 0..mlir_sys::mlirSymbolRefAttrGetNumNestedReferences(raw) {
                    pending.push(mlir_sys::mlirSymbolRefAttrGetNestedReference(raw, index));
                }
            } else if mlir_sys::mlirAttributeIsAArray(raw) {
                let parts = 0..mlir_sys::mlirArrayAttrGetNumElements(raw);
                pending.extend(parts.map(|at| mlir_sys::mlirArrayAttrGetElement(raw, at)));
            } else if mlir_sys::mlirAttributeIsADictionary(raw) {
                let parts = 0..mlir_sys::mlirDictionaryAttrGetNumElements(raw);
                let part = |at| mlir_sys::mlirDictionaryAttrGetElement(raw, at).attribute;
                pending.extend(parts.map(part));
            } else if !(mlir_sys::mlirAttributeIsAString(raw)
                || mlir_sys::mlirAttributeIsAInteger(raw)
                || mlir_sys::mlirAttributeIsAFloat(raw)
                || mlir_sys::mlirAttributeIsAUnit(raw)
                || mlir_sys::mlirAttributeIsAAffineMap(raw)
                || mlir_sys::mlirAttributeIsADenseElements(raw)
                || mlir_sys::mlirAttributeIsADenseResourceElements(raw))
            {
                let text = Attribute::from_raw(raw).to_string();
                if text.contains('@') {
                    texts.push(text);
                }
            }
        }
    }
}

/// Appends the identity of an operation's attributes: names and values are unique in their context, and in the order of
/// the names.
pub fn describe_attributes<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    to: &mut Vec<usize>,
) {
    // SAFETY: the operation is live, and the index below the number of its attributes.
    unsafe {
        let count = mlir_sys::mlirOperationGetNumAttributes(operation.to_raw());
        to.push(count as usize);
        for index in 0..count {
            let attribute = mlir_sys::mlirOperationGetAttribute(operation.to_raw(), index);
            to.extend([attribute.name.ptr as usize, attribute.attribute.ptr as usize]);
        }
    }
}

/// Parses an attribute in the context of a type.
pub fn parse_attribute<'c>(text: &str, of: Type<'c>) -> Option<Attribute<'c>> {
    // SAFETY: MLIR copies the text; the attribute lives as long as the context, as the type does.
    unsafe {
        let context = mlir_sys::mlirTypeGetContext(of.to_raw());
        let raw = mlir_sys::mlirAttributeParseGet(context, melior::StringRef::new(text).to_raw());
        (!raw.ptr.is_null()).then(|| Attribute::from_raw(raw))
    }
}

/// True if a text denotes an attribute: the dialects that the text names must be loaded.
pub fn is_written(attribute: Attribute, text: &str) -> bool {
    // SAFETY: the attribute is live; MLIR copies the text. Attributes are unique in their context.
    unsafe {
        let context = mlir_sys::mlirAttributeGetContext(attribute.to_raw());
        let text = melior::StringRef::new(text).to_raw();
        mlir_sys::mlirAttributeParseGet(context, text).ptr == attribute.to_raw().ptr
    }
}

/// True if an attribute is `false`.
pub fn is_false(attribute: Attribute) -> bool {
    // SAFETY: the attribute is live, and its kind is checked before its value is read.
    unsafe {
        mlir_sys::mlirAttributeIsABool(attribute.to_raw())
            && !mlir_sys::mlirBoolAttrGetValue(attribute.to_raw())
    }
}

/// True for a null attribute: melior has no Option in some places.
pub fn is_null(attribute: Attribute) -> bool {
    attribute.to_raw().ptr.is_null()
}

/// The location that is an attribute; None for another kind.
pub fn location_value<'c>(attribute: Attribute<'c>) -> Option<Location<'c>> {
    // SAFETY: the result is null unless the attribute is a location; it lives as long as the context.
    unsafe {
        mlir_sys::mlirAttributeIsALocation(attribute.to_raw())
            .then(|| Location::from_raw(mlir_sys::mlirLocationFromAttribute(attribute.to_raw())))
    }
}

/// An entry of a dictionary, by its name; None for another kind of attribute.
pub fn entry<'c>(dictionary: Attribute<'c>, name: &str) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is live, and its kind is checked before it is searched; its contents live as long as the
    // context.
    unsafe {
        let raw = dictionary.to_raw();
        if !mlir_sys::mlirAttributeIsADictionary(raw) {
            return None;
        }
        let name = melior::StringRef::new(name).to_raw();
        let entry = mlir_sys::mlirDictionaryAttrGetElementByName(raw, name);
        (!entry.ptr.is_null()).then(|| Attribute::from_raw(entry))
    }
}
