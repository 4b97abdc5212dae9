//! The operations of the Toy dialect as Rust sees them: kinds, builders and accessors.
//!
//! Builders give operations as IRDL defines them; whether the types fit together is for
//! [`super::verify`]. Accessors expect verified operations and return None otherwise.

use crate::dialect::shape::shape_of;
pub use crate::dialect::unify::{Insertion, source, unify};
use crate::mlir::raw;
use melior::Context;
use melior::ir::attribute::{
    AttributeLike, DenseElementsAttribute, FlatSymbolRefAttribute, IntegerAttribute,
    StringAttribute, TypeAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, BlockRef, Identifier, Location, Operation, Region, RegionLike};
use melior::ir::{Type, TypeLike, Value, ValueLike};

/// The kinds of Toy operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Constant,
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Transpose,
    Reshape,
    FromElements,
    Cast,
    StructConstant,
    StructCreate,
    StructAccess,
    GenericCall,
    Print,
    Variable,
}

impl Kind {
    pub fn of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Kind> {
        Some(match raw::name(operation) {
            "toy.constant" => Kind::Constant,
            "toy.add" => Kind::Add,
            "toy.sub" => Kind::Sub,
            "toy.mul" => Kind::Mul,
            "toy.div" => Kind::Div,
            "toy.neg" => Kind::Neg,
            "toy.transpose" => Kind::Transpose,
            "toy.reshape" => Kind::Reshape,
            "toy.from_elements" => Kind::FromElements,
            "toy.cast" => Kind::Cast,
            "toy.struct_constant" => Kind::StructConstant,
            "toy.struct_create" => Kind::StructCreate,
            "toy.struct_access" => Kind::StructAccess,
            "toy.generic_call" => Kind::GenericCall,
            "toy.print" => Kind::Print,
            "toy.variable" => Kind::Variable,
            _ => return None,
        })
    }

    /// Whether the operation does nothing but compute its result.
    pub fn is_pure(self) -> bool {
        !matches!(self, Kind::GenericCall | Kind::Print | Kind::Variable)
    }

    /// The operator of an element-wise operation of two operands, as Toy writes it.
    pub fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Kind::Add => "+",
            Kind::Sub => "-",
            Kind::Mul => "*",
            Kind::Div => "/",
            _ => return None,
        })
    }
}

/// `toy.constant`; `value` is a dense attribute of the tensor type `r#type`.
pub fn constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    r#type: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    constant_like("toy.constant", context, location, r#type, value)
}

/// `toy.struct_constant`; `value` is an array attribute that mirrors the struct type `r#type`.
pub fn struct_constant<'c>(
    context: &'c Context,
    location: Location<'c>,
    r#type: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    constant_like("toy.struct_constant", context, location, r#type, value)
}

fn constant_like<'c>(
    name: &str,
    context: &'c Context,
    location: Location<'c>,
    r#type: Type<'c>,
    value: Attribute<'c>,
) -> Operation<'c> {
    OperationBuilder::new(name, location)
        .add_attributes(&[(Identifier::new(context, "value"), value)])
        .add_results(&[r#type])
        .build()
        .expect("a well-formed constant")
}

/// `toy.from_elements` of operands of one type, in row-major order.
pub fn from_elements<'c>(
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    pure("toy.from_elements", location, operands, result)
}

/// `toy.struct_create` of operands of one type, one per field.
pub fn struct_create<'c>(
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    pure("toy.struct_create", location, operands, result)
}

/// `toy.struct_access` of the field with an index.
pub fn struct_access<'c>(
    context: &'c Context,
    location: Location<'c>,
    operand: Value<'c, '_>,
    index: usize,
    result: Type<'c>,
) -> Operation<'c> {
    let index = IntegerAttribute::new(IntegerType::new(context, 64).into(), index as i64).into();
    OperationBuilder::new("toy.struct_access", location)
        .add_attributes(&[(Identifier::new(context, "index"), index)])
        .add_operands(&[operand])
        .add_results(&[result])
        .build()
        .expect("a well-formed toy.struct_access")
}

/// A Toy operation of operands alone and with one result: `toy.add`, `toy.neg`, `toy.cast`, ...
pub fn pure<'c>(
    name: &str,
    location: Location<'c>,
    operands: &[Value<'c, '_>],
    result: Type<'c>,
) -> Operation<'c> {
    OperationBuilder::new(name, location)
        .add_operands(operands)
        .add_results(&[result])
        .build()
        .expect("a well-formed Toy operation")
}

pub fn print<'c>(location: Location<'c>, operand: Value<'c, '_>) -> Operation<'c> {
    OperationBuilder::new("toy.print", location)
        .add_operands(&[operand])
        .build()
        .expect("a well-formed toy.print")
}

/// `toy.variable`: from here on, a variable of the program has this value. The attributes are those of
/// [`super::variable`].
pub fn variable<'c>(
    location: Location<'c>,
    operand: Value<'c, '_>,
    attributes: &[(Identifier<'c>, Attribute<'c>)],
) -> Operation<'c> {
    OperationBuilder::new("toy.variable", location)
        .add_attributes(attributes)
        .add_operands(&[operand])
        .build()
        .expect("a well-formed toy.variable")
}

/// `toy.generic_call` of arguments of one type.
pub fn generic_call<'c>(
    context: &'c Context,
    location: Location<'c>,
    callee: &str,
    arguments: &[Value<'c, '_>],
    result: Option<Type<'c>>,
) -> Operation<'c> {
    call_like("toy.generic_call", context, location, callee, arguments, result.as_slice())
}

/// `func.call`.
pub fn call<'c>(
    context: &'c Context,
    location: Location<'c>,
    callee: &str,
    arguments: &[Value<'c, '_>],
    results: &[Type<'c>],
) -> Operation<'c> {
    call_like("func.call", context, location, callee, arguments, results)
}

fn call_like<'c>(
    name: &str,
    context: &'c Context,
    location: Location<'c>,
    callee: &str,
    arguments: &[Value<'c, '_>],
    results: &[Type<'c>],
) -> Operation<'c> {
    let callee = FlatSymbolRefAttribute::new(context, callee);
    OperationBuilder::new(name, location)
        .add_attributes(&[(Identifier::new(context, "callee"), callee.into())])
        .add_operands(arguments)
        .add_results(results)
        .build()
        .expect("a well-formed call")
}

pub fn return_op<'c>(location: Location<'c>, operands: &[Value<'c, '_>]) -> Operation<'c> {
    OperationBuilder::new("func.return", location)
        .add_operands(operands)
        .build()
        .expect("a well-formed func.return")
}

/// `func.func`; without a body it is a declaration.
pub fn function<'c>(
    context: &'c Context,
    location: Location<'c>,
    name: &str,
    r#type: FunctionType<'c>,
    body: Option<Block<'c>>,
    is_private: bool,
) -> Operation<'c> {
    let region = Region::new();
    if let Some(block) = body {
        region.append_block(block);
    }
    let mut attributes = vec![
        (Identifier::new(context, "sym_name"), StringAttribute::new(context, name).into()),
        (Identifier::new(context, "function_type"), TypeAttribute::new(r#type.into()).into()),
    ];
    if is_private {
        let private = StringAttribute::new(context, "private").into();
        attributes.push((Identifier::new(context, "sym_visibility"), private));
    }
    OperationBuilder::new("func.func", location)
        .add_attributes(&attributes)
        .add_regions([region])
        .build()
        .expect("a well-formed func.func")
}

/// A private declaration with the type and the attributes of a function.
pub fn declaration_of<'c>(context: &'c Context, function: OperationRef<'c, '_>) -> Operation<'c> {
    let private = StringAttribute::new(context, "private").into();
    let visibility = Identifier::new(context, "sym_visibility");
    let attributes: Vec<_> = function
        .attributes()
        .filter(|(name, _)| *name != visibility)
        .chain([(visibility, private)])
        .collect();
    OperationBuilder::new("func.func", function.location())
        .add_attributes(&attributes)
        .add_regions([Region::new()])
        .build()
        .expect("a well-formed func.func")
}

/// A dense attribute of f64 elements in row-major order; one element makes a splat.
pub fn dense<'c>(r#type: Type<'c>, elements: &[f64]) -> Attribute<'c> {
    DenseElementsAttribute::f64_values(r#type, elements).into()
}

// --- accessors of func.func, func.call and toy.generic_call ---

pub fn is_function<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    raw::name(operation) == "func.func"
}

pub fn symbol_name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> String {
    string_attribute(operation, "sym_name").unwrap_or_default()
}

pub fn is_private<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> bool {
    string_attribute(operation, "sym_visibility").is_some_and(|text| text == "private")
}

/// The text of a string attribute, if there is one.
pub fn string_attribute<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    name: &str,
) -> Option<String> {
    raw::string_value(attribute(operation, name)?)
}

/// An attribute, without melior's habit of formatting the whole operation when it is missing.
pub fn attribute<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    name: &str,
) -> Option<Attribute<'c>> {
    if !operation.has_attribute(name) {
        return None;
    }
    operation.attribute(name).ok()
}

/// The name behind `callee = @name` of a call; None for nested symbols.
pub fn callee<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<String> {
    raw::symbol_value(attribute(operation, "callee")?)
}

pub fn function_type<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
) -> Option<FunctionType<'c>> {
    let attribute = attribute(operation, "function_type")?;
    FunctionType::try_from(TypeAttribute::try_from(attribute).ok()?.value()).ok()
}

/// The field that a verified `toy.struct_access` reads.
pub fn field_index<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<usize> {
    let index = IntegerAttribute::try_from(attribute(operation, "index")?).ok()?;
    // MLIR's accessor is for integers of at most 64 bits.
    let is_i64 = index.r#type().to_string() == "i64";
    is_i64.then(|| usize::try_from(index.value()).ok()).flatten()
}

pub fn inputs<'c>(r#type: FunctionType<'c>) -> Vec<Type<'c>> {
    (0..r#type.input_count()).filter_map(|index| r#type.input(index).ok()).collect()
}

pub fn results<'c>(r#type: FunctionType<'c>) -> Vec<Type<'c>> {
    (0..r#type.result_count()).filter_map(|index| r#type.result(index).ok()).collect()
}

/// The entry block of a function; None for a declaration.
pub fn entry_block<'c, 'a>(function: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    raw::blocks(function).first().copied()
}

/// The single operation results of one-result operations.
pub fn result<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.result(0).expect("an operation with a result").into()
}

/// The same function type with other inputs and results.
pub fn function_type_of<'c>(
    context: &'c Context,
    inputs: &[Type<'c>],
    results: &[Type<'c>],
) -> Attribute<'c> {
    TypeAttribute::new(FunctionType::new(context, inputs, results).into()).into()
}

/// Whether a type is that of buffers.
pub fn is_buffer(r#type: Type) -> bool {
    r#type.is_mem_ref() || r#type.is_unranked_mem_ref()
}

/// Whether two types are the same type object of the context.
pub fn same_type(a: Type, b: Type) -> bool {
    a.to_raw().ptr == b.to_raw().ptr
}

/// A constant of one repeated value with more elements than this is computed, not stored: an object
/// file has no short form for it.
const LARGE_SPLAT: u64 = 4096;

/// The value of a `toy.constant` that is computed when the program runs.
pub fn large_splat(constant: &OperationRef) -> Option<f64> {
    let count = shape_of(result(*constant).r#type())?.element_count()?;
    let value = attribute(constant, "value").filter(|_| count > LARGE_SPLAT)?;
    match raw::dense_f64(value, usize::try_from(count).ok()?).as_slice() {
        [element] => Some(*element),
        _ => None,
    }
}
