//! Struct types, such as `!toy.struct<[tensor<2xf64>, !toy.struct<[...]>]>`, and queries on them.
//!
//! Input: types. Output: their fields, and whether two types can describe the same value. LLVM 22 has
//! no C API for the parameters of a type that is defined in IRDL, so the fields are read from the
//! printed type, once per type: programs ask about few types often. Invariants: a type without a
//! [`defect`] has at most [`MAX_DEPTH`] structs inside one another and [`MAX_LEAVES`] tensors, so
//! recursion over it is bounded. The memo is the session's ([`memo`])
//! and goes away with it.
//!
//! Tutorial: chapter 15.

use crate::dialect::shape::{self, TensorKind, is_unranked, kind_of, type_of};
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, AttributeLike, TypeAttribute};
use melior::ir::{Type, TypeLike};
use mlir_support::func::same_type;
use mlir_support::{ir, memo, raw};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use toy_syntax::limits::MAX_STRUCT_DEPTH as MAX_DEPTH;

/// The maximum number of tensors in one struct, including nested structs: each becomes a value of its own.
pub const MAX_LEAVES: usize = 65_536;

/// The maximum number of characters of a type in a message.
const SHOWN: usize = 200;

/// The types of a struct's fields, in order; None for another type, or if a field is not a type.
pub fn fields<'c>(ty: Type<'c>) -> Option<Vec<Type<'c>>> {
    let facts = facts(ty)?;
    let fields = facts.fields.as_ref()?;
    // SAFETY: the facts about a type are kept for its context, and so are the fields.
    Some(fields.iter().map(|field| unsafe { raw::type_like(*field, ty) }).collect())
}

/// One field of a struct.
pub fn field<'c>(ty: Type<'c>, index: usize) -> Option<Type<'c>> {
    let field = *facts(ty)?.fields.as_ref()?.get(index)?;
    // SAFETY: as above.
    Some(unsafe { raw::type_like(field, ty) })
}

/// The struct type with these fields.
pub fn struct_type<'c>(context: &'c Context, fields: &[Type<'c>]) -> Type<'c> {
    let fields: Vec<_> = fields.iter().map(Type::to_string).collect();
    let text = format!("!toy.struct<[{}]>", fields.join(", "));
    Type::parse(context, &text).expect("a list of types")
}

/// `!toy.any`: the type of a value without any type information.
pub fn any_type(context: &Context) -> Type<'_> {
    Type::parse(context, "!toy.any").expect("a type of the Toy dialect")
}

pub fn is_struct(ty: Type) -> bool {
    facts(ty).is_some_and(|facts| !facts.is_any)
}

pub fn is_any(ty: Type) -> bool {
    facts(ty).is_some_and(|facts| facts.is_any)
}

/// `!toy.struct<...>` or `!toy.any`.
pub fn is_of_dialect(ty: Type) -> bool {
    ir::type_dialect(ty) == "toy"
}

/// True if something about a value of the type is not known: an unranked tensor, also as a field.
pub fn is_open(ty: Type) -> bool {
    is_unranked(ty) || facts(ty).is_some_and(|facts| facts.is_open)
}

/// True if two types are compatible: both can describe the same value.
pub fn agree(a: Type, b: Type) -> bool {
    if is_of_dialect(a) || is_of_dialect(b) {
        return same_type(a, b) || all_fields(a, b, agree);
    }
    match (kind_of(a), kind_of(b)) {
        (TensorKind::Ranked(a), TensorKind::Ranked(b)) => a == b,
        (TensorKind::Invalid(_), _) | (_, TensorKind::Invalid(_)) => false,
        // Whatever is written there, the elements of an unranked tensor are not known yet either.
        _ => true,
    }
}

/// True if two types are compatible but for the elements of tensors.
pub fn agree_in_shape(a: Type, b: Type) -> bool {
    let shapes = || Some((type_of(a)?.shape, type_of(b)?.shape));
    agree(a, b) || all_fields(a, b, agree_in_shape) || shapes().is_some_and(|(a, b)| a == b)
}

/// True if the first type is at least as precise as the second.
pub fn refines(a: Type, b: Type) -> bool {
    same_type(a, b) || (is_unranked(b) && type_of(a).is_some()) || all_fields(a, b, refines)
}

/// The join of two types of one value; None if they contradict each other, or are not Toy's and differ.
pub fn join<'c>(context: &'c Context, a: Type<'c>, b: Type<'c>) -> Option<Type<'c>> {
    if same_type(a, b) || refines(a, b) {
        return Some(a);
    }
    if refines(b, a) {
        return Some(b);
    }
    let (fields_a, fields_b) = (fields(a)?, fields(b)?);
    if fields_a.len() != fields_b.len() {
        return None;
    }
    // Recursion is bounded by the verifier's limit on the depth of structs.
    let pairs = fields_a.into_iter().zip(fields_b);
    let joined: Vec<_> = pairs.map(|(a, b)| join(context, a, b)).collect::<Option<_>>()?;
    Some(struct_type(context, &joined))
}

/// True if both are structs of as many fields, and a condition holds for each pair of fields.
fn all_fields<'c>(a: Type<'c>, b: Type<'c>, condition: fn(Type<'c>, Type<'c>) -> bool) -> bool {
    let (Some(a), Some(b)) = (fields(a), fields(b)) else { return false };
    a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| condition(a, b))
}

/// The reason why a type is not a type of the Toy language; None if it is one.
pub fn defect(ty: Type) -> Option<String> {
    match facts(ty) {
        Some(facts) => facts.defect.clone(),
        None => match kind_of(ty) {
            TensorKind::Invalid(why) => Some(why),
            _ => None,
        },
    }
}

/// The text of a type for a message, clipped if it is long.
pub fn shown(ty: Type) -> String {
    let text = ty.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// The known facts about a type of the Toy dialect.
#[derive(Default)]
struct Facts {
    /// `!toy.any`, not a struct.
    is_any: bool,
    /// None if the type's parameter is not a list of types.
    fields: Option<Vec<mlir_sys::MlirType>>,
    depth: usize,
    leaves: usize,
    is_open: bool,
    defect: Option<String>,
}

/// The known facts about the struct types of a context, by the addresses of the types.
type Memo = RefCell<HashMap<usize, Rc<Facts>>>;

/// None for a type of another dialect.
fn facts(ty: Type) -> Option<Rc<Facts>> {
    if !is_of_dialect(ty) {
        return None;
    }
    let key = ir::id(ty);
    let memo = memo::of::<Memo>(ty.context());
    if let Some(facts) = memo.as_ref().and_then(|memo| memo.borrow().get(&key).cloned()) {
        return Some(facts);
    }
    let facts = Rc::new(read(ty));
    if let Some(memo) = memo {
        memo.borrow_mut().insert(key, Rc::clone(&facts));
    }
    Some(facts)
}

/// The type's text is parsed: LLVM 22's C API has no access to the parameters of a type defined in IRDL.
fn read(ty: Type) -> Facts {
    let text = ty.to_string();
    if text == "!toy.any" {
        let defect = Some("`!toy.any` says nothing about a value".to_owned());
        return Facts { is_any: true, is_open: true, defect, ..Facts::default() };
    }
    let Some(fields) = parse_fields(ty, &text) else {
        let defect = Some(format!("the fields of `{}` are not all types", shown(ty)));
        return Facts { is_open: true, defect, ..Facts::default() };
    };
    let mut result = Facts { depth: 1, ..Facts::default() };
    let mut defects = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let inner = facts(*field).filter(|inner| !inner.is_any);
        result.is_open |= is_open(*field);
        result.depth = result.depth.max(inner.as_ref().map_or(1, |inner| inner.depth + 1));
        let leaves = inner.as_ref().map_or(1, |inner| inner.leaves);
        result.leaves = result.leaves.saturating_add(leaves);
        let wrong = match &inner {
            Some(inner) => inner.defect.clone(),
            None if shape::is_tensor(*field) => defect(*field),
            None => Some(format!(
                "field {} of `{}` is a `{}`, neither a tensor nor a struct",
                index + 1,
                shown(ty),
                shown(*field)
            )),
        };
        defects.extend(wrong);
    }
    let limit = if result.depth > MAX_DEPTH {
        Some(format!("it has more than {MAX_DEPTH} structs inside one another"))
    } else if result.leaves > MAX_LEAVES {
        Some(format!("it holds more than {MAX_LEAVES} tensors"))
    } else if fields.is_empty() {
        Some(format!("`{text}` has no field"))
    } else {
        None
    };
    result.defect = limit.or(defects.into_iter().next());
    result.fields = Some(fields.iter().map(Type::to_raw).collect());
    result
}

/// The array attribute between the angle brackets, as types.
fn parse_fields<'c>(ty: Type<'c>, text: &str) -> Option<Vec<Type<'c>>> {
    let list = text.strip_prefix("!toy.struct<")?.strip_suffix('>')?;
    let list = ir::parse_attribute(list, ty)?;
    let list = ArrayAttribute::try_from(list).ok()?;
    let field = |index| {
        let element = list.element(index).ok()?;
        element.is_type().then(|| TypeAttribute::try_from(element).ok()).flatten()
    };
    (0..list.len()).map(|index| Some(field(index)?.value())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect;

    #[test]
    fn fields_determine_openness_agreement_and_refinement() {
        let session = dialect::new_session();
        let parse = |text: &str| Type::parse(session.context(), text).unwrap();
        let (open, known, scalar) =
            (parse("tensor<*xf64>"), parse("tensor<2xf64>"), parse("tensor<f64>"));
        let pair = |a, b| struct_type(session.context(), &[a, b]);
        assert_eq!(fields(pair(known, pair(open, scalar))), Some(vec![known, pair(open, scalar)]));
        assert_eq!(field(pair(known, scalar), 1), Some(scalar));
        assert_eq!(field(pair(known, scalar), 2), None);
        assert_eq!(fields(known), None);
        assert!(is_struct(pair(open, known)) && !is_struct(known));
        assert!(!is_struct(any_type(session.context())) && is_any(any_type(session.context())));
        assert!(is_open(pair(known, pair(open, known))) && !is_open(pair(known, scalar)));
        assert!(agree(pair(open, known), pair(known, open)));
        assert!(!agree(pair(scalar, known), pair(known, open)) && !agree(pair(open, open), open));
        assert!(refines(pair(known, known), pair(open, known)));
        assert!(!refines(pair(open, known), pair(known, known)));
        assert!(defect(pair(known, pair(open, scalar))).is_none());
        assert!(defect(pair(known, parse("index"))).is_some());
        assert!(defect(parse("!toy.struct<[]>")).is_some());
        assert_eq!(fields(parse("!toy.struct<[1]>")), None);
    }
}
