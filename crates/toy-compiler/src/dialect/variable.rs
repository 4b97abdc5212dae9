//! The variables of the program, for debuggers: the attributes of `toy.variable`.
//!
//! | attribute | meaning |
//! |---|---|
//! | `name` | the name in the program |
//! | `parameter` | of a parameter, its place among the parameters, counted from 0 |
//! | `struct` | of a struct, its name and its fields: `{name = "P", fields = [{name = "x"}, ...]}`; a field that is a struct has a `struct` itself |
//! | `leaf` | of one tensor of a flattened struct, its place among the tensors, counted from 0 |
//! | `carried` | the variable has this value since another function defined it |
//!
//! Input: verified operations, or arbitrary attributes of a `.mlir` file at a lower level. Output: the
//! attributes as plain data; None if they do not have this form.

use super::shape::{Element, Shape, TensorType};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, AttributeLike, DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute,
    StringAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier};
use mlir_support::ir;

/// A variable, and the part of it that a value holds.
pub struct Variable<'c> {
    pub name: String,
    pub parameter: Option<usize>,
    /// To be read with [`Structure::read`], whose time is linear in the size of the struct.
    pub structure: Option<Attribute<'c>>,
    pub leaf: Option<usize>,
    pub is_carried: bool,
}

/// The names of a struct and of everything in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    pub name: String,
    pub fields: Vec<(String, Option<Structure>)>,
}

impl Structure {
    /// From the attribute `struct`.
    pub fn read(attribute: Attribute) -> Option<Self> {
        read_structure(attribute, 0)
    }

    /// The tensors in the struct.
    pub fn leaves(&self) -> usize {
        self.fields.iter().map(|(_, inner)| inner.as_ref().map_or(1, Structure::leaves)).sum()
    }
}

/// The depth up to which nested structs are read: deeper than the Toy dialect allows.
const MAX_DEPTH: usize = 100;

/// A list of attributes, as operations have them and dictionaries are made of.
pub type Attributes<'c> = Vec<(Identifier<'c>, Attribute<'c>)>;

/// The attributes of the variable or parameter with a name.
pub fn attributes<'c>(
    context: &'c Context,
    name: &str,
    parameter: Option<usize>,
    structure: Option<Attribute<'c>>,
) -> Attributes<'c> {
    let name = (Identifier::new(context, "name"), StringAttribute::new(context, name).into());
    let parameter =
        parameter.map(|index| (Identifier::new(context, "parameter"), int(context, index)));
    let structure = structure.map(|attribute| (Identifier::new(context, "struct"), attribute));
    [Some(name), parameter, structure].into_iter().flatten().collect()
}

/// The attribute `struct` of a struct with these fields.
pub fn structure<'c>(
    context: &'c Context,
    name: &str,
    fields: &[(&str, Option<Attribute<'c>>)],
) -> Attribute<'c> {
    let fields: Vec<Attribute> = fields
        .iter()
        .map(|(name, inner)| {
            DictionaryAttribute::new(context, &attributes(context, name, None, *inner)).into()
        })
        .collect();
    let name = (Identifier::new(context, "name"), StringAttribute::new(context, name).into());
    let fields = ArrayAttribute::new(context, &fields).into();
    DictionaryAttribute::new(context, &[name, (Identifier::new(context, "fields"), fields)]).into()
}

/// The same variable as one tensor of its struct.
pub fn of_leaf<'c>(context: &'c Context, all: &Attributes<'c>, leaf: usize) -> Attributes<'c> {
    let leaf = (Identifier::new(context, "leaf"), int(context, leaf));
    all.iter().copied().chain([leaf]).collect()
}

/// The same variable in a function that gets its value from elsewhere.
pub fn carried<'c>(context: &'c Context, all: &Attributes<'c>) -> Attributes<'c> {
    let dropped = ["parameter", "carried"].map(|name| Identifier::new(context, name));
    let carried = (Identifier::new(context, "carried"), Attribute::unit(context));
    all.iter().copied().filter(|(name, _)| !dropped.contains(name)).chain([carried]).collect()
}

/// Reads the variable from attributes, given a way to look them up.
pub fn read<'c>(find: impl Fn(&str) -> Option<Attribute<'c>>) -> Option<Variable<'c>> {
    let index = |name: &str| find(name).map(non_negative);
    Some(Variable {
        name: ir::string_value(find("name")?)?,
        parameter: flatten(index("parameter"))?,
        structure: find("struct"),
        leaf: flatten(index("leaf"))?,
        is_carried: find("carried").is_some(),
    })
}

/// The name in a list of attributes.
pub fn name(all: &Attributes) -> Option<String> {
    let name = all.iter().find(|(name, _)| name.as_string_ref().as_str() == Ok("name"));
    ir::string_value(name?.1)
}

/// The type that a marker describes in a dictionary: the sizes under `shape`, and under `element` the element if it
/// is not the default one.
pub fn tensor(dictionary: DictionaryAttribute) -> Option<TensorType> {
    let dims = DenseI64ArrayAttribute::try_from(entry(dictionary, "shape")?).ok()?;
    let dims = (0..dims.len()).map(|index| u64::try_from(dims.element(index).ok()?).ok());
    let element = match entry(dictionary, "element") {
        Some(element) => Element::named(&ir::string_value(element)?)?,
        None => Element::DEFAULT,
    };
    Some(TensorType { element, shape: Shape(dims.collect::<Option<_>>()?) })
}

/// An entry of a dictionary.
pub fn entry<'c>(dictionary: DictionaryAttribute<'c>, name: &str) -> Option<Attribute<'c>> {
    let entries = (0..dictionary.len()).filter_map(|index| dictionary.element(index).ok());
    let is_named =
        |(other, _): &(Identifier, Attribute)| other.as_string_ref().as_str() == Ok(name);
    entries.into_iter().find(is_named).map(|(_, value)| value)
}

/// None if the attribute is there and wrong.
fn flatten<T>(found: Option<Option<T>>) -> Option<Option<T>> {
    match found {
        None => Some(None),
        Some(found) => found.map(Some),
    }
}

fn read_structure(attribute: Attribute, depth: usize) -> Option<Structure> {
    let dictionary = DictionaryAttribute::try_from(attribute).ok()?;
    let fields = ArrayAttribute::try_from(entry(dictionary, "fields")?).ok()?;
    if depth > MAX_DEPTH {
        return None;
    }
    let field = |index| {
        let field = DictionaryAttribute::try_from(fields.element(index).ok()?).ok()?;
        let inner = entry(field, "struct").map(|inner| read_structure(inner, depth + 1));
        Some((ir::string_value(entry(field, "name")?)?, flatten(inner)?))
    };
    Some(Structure {
        name: ir::string_value(entry(dictionary, "name")?)?,
        fields: (0..fields.len()).map(field).collect::<Option<_>>()?,
    })
}

fn int(context: &Context, value: usize) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value as i64).into()
}

fn non_negative(attribute: Attribute) -> Option<usize> {
    let integer = IntegerAttribute::try_from(attribute).ok()?;
    // MLIR's accessor is for integers of at most 64 bits.
    let is_i64 = ir::signless_width(integer.r#type()) == Some(64);
    is_i64.then(|| usize::try_from(integer.value()).ok()).flatten()
}
