//! The Toy dialect: how it is loaded, and how its operations are made and read.

use melior::dialect::DialectRegistry;
use melior::dialect::func;
use melior::ir::attribute::{DenseElementsAttribute, FlatSymbolRefAttribute};
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationRef, OperationRefMut,
};
use melior::ir::r#type::{DimSize, FunctionType, RankedTensorType};
use melior::ir::{Block, Region, ShapedTypeLike, Type, Value, ValueLike};
use melior::ir::{
    BlockLike, BlockRef, Identifier, Location, Module, Operation, RegionLike,
};
use melior::{Context, utility};

/// MLIR's own dialects, and Toy.
pub fn context() -> Context {
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for name in ["irdl", "func", "scf"] {
        context.get_or_load_dialect(name);
    }
    let toy = Module::parse(&context, include_str!("toy.irdl.mlir"));
    let loaded = toy.is_some_and(|toy| utility::load_irdl_dialects(&toy));
    assert!(loaded, "toy.irdl.mlir is part of the compiler");
    context
}

/// The elements are in row-major order; a single one fills the tensor.
pub fn constant<'c>(
    context: &'c Context,
    ty: Type<'c>,
    elements: &[f64],
    location: Location<'c>,
) -> Operation<'c> {
    let value = DenseElementsAttribute::f64_values(ty, elements).into();
    OperationBuilder::new("toy.constant", location)
        .add_attributes(&[(Identifier::new(context, "value"), value)])
        .add_results(&[ty])
        .build()
        .expect("all parts are there")
}

/// An operation without attributes.
pub fn operation<'c>(
    name: &str,
    operands: &[Value<'c, '_>],
    results: &[Type<'c>],
    location: Location<'c>,
) -> Operation<'c> {
    OperationBuilder::new(name, location)
        .add_operands(operands)
        .add_results(results)
        .build()
        .expect("all parts are there")
}

/// A call of a function that is not specialized yet.
pub fn generic_call<'c>(
    context: &'c Context,
    callee: &str,
    arguments: &[Value<'c, '_>],
    results: &[Type<'c>],
    location: Location<'c>,
) -> Operation<'c> {
    let callee = FlatSymbolRefAttribute::new(context, callee).into();
    OperationBuilder::new("toy.generic_call", location)
        .add_attributes(&[(Identifier::new(context, "callee"), callee)])
        .add_operands(arguments)
        .add_results(results)
        .build()
        .expect("all parts are there")
}

/// `scf.if` or `scf.while`: two regions with a block each, which are to be filled.
pub fn structure<'c>(
    name: &str,
    operands: &[Value<'c, '_>],
    results: &[Type<'c>],
    arguments: &[(Type<'c>, Location<'c>)],
    location: Location<'c>,
) -> Operation<'c> {
    let regions = [Region::new(), Region::new()];
    for region in &regions {
        region.append_block(Block::new(arguments));
    }
    OperationBuilder::new(name, location)
        .add_operands(operands)
        .add_results(results)
        .add_regions(regions)
        .build()
        .expect("all parts are there")
}

/// A function with this body, whose arguments are the parameters.
pub fn function<'c>(
    context: &'c Context,
    name: &str,
    block: Block<'c>,
    results: &[Type<'c>],
    location: Location<'c>,
) -> Operation<'c> {
    let parameters =
        (0..block.argument_count()).filter_map(|index| block.argument(index).ok());
    let parameters: Vec<Type> = parameters.map(|parameter| parameter.r#type()).collect();
    let ty = TypeAttribute::new(FunctionType::new(context, &parameters, results).into());
    let body = Region::new();
    body.append_block(block);
    let visibility = Identifier::new(context, "sym_visibility");
    let private = (visibility, StringAttribute::new(context, "private").into());
    // Only `main` is called from outside.
    let attributes = if name == "main" { vec![] } else { vec![private] };
    func::func(
        context,
        StringAttribute::new(context, name),
        ty,
        body,
        &attributes,
        location,
    )
}

/// The name of a function.
pub fn symbol(function: OperationRef) -> String {
    let name = function.attribute("sym_name").ok();
    let name = name.and_then(|name| StringAttribute::try_from(name).ok());
    name.map_or(String::new(), |name| name.value().to_string())
}

/// The function that a call calls.
pub fn callee(call: OperationRef) -> String {
    let callee = call.attribute("callee").ok();
    let callee = callee.and_then(|callee| FlatSymbolRefAttribute::try_from(callee).ok());
    callee.map_or(String::new(), |callee| callee.value().to_string())
}

/// `tensor<*xf64>`: a tensor of any shape.
pub fn unranked_type(context: &Context) -> Type<'_> {
    Type::parse(context, "tensor<*xf64>").expect("a type")
}

pub fn tensor_type<'c>(context: &'c Context, shape: &[u64]) -> Type<'c> {
    RankedTensorType::new(shape, Type::float64(context), None).into()
}

/// None if the shape is not known.
pub fn shape_of(ty: Type) -> Option<Vec<u64>> {
    let ty = RankedTensorType::try_from(ty).ok()?;
    let sizes = (0..ty.rank()).map(|index| match ty.dim_size(index) {
        Ok(DimSize::Static(size)) => Some(size),
        _ => None,
    });
    sizes.collect()
}

/// The shape of the result, if it follows from the operands.
pub fn result_shape(name: &str, operands: &[Vec<u64>]) -> Option<Vec<u64>> {
    match (name, operands) {
        ("toy.add" | "toy.sub" | "toy.mul" | "toy.div" | "toy.compare", [lhs, rhs]) => {
            // A scalar goes with tensors of any shape.
            Some(if lhs.is_empty() { rhs.clone() } else { lhs.clone() })
        }
        // A variable keeps its shape.
        ("toy.assign", [_, before]) => Some(before.clone()),
        ("toy.transpose", [operand]) => Some(operand.iter().rev().copied().collect()),
        _ => None,
    }
}

pub fn name(operation: OperationRef) -> String {
    operation.name().as_string_ref().as_str().unwrap_or_default().to_string()
}

/// The operations of a block, in order.
pub fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let first = block.first_operation();
    std::iter::successors(first, |operation| operation.next_in_block()).collect()
}

/// The operations of a block and of the regions in it, in the order of the text.
pub fn nested<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let with_regions = |operation: OperationRef<'c, 'a>| {
        let inner = blocks(operation).into_iter().flat_map(nested);
        [operation].into_iter().chain(inner).collect::<Vec<_>>()
    };
    operations(block).into_iter().flat_map(with_regions).collect()
}

/// The blocks of the regions of an operation, each of which has one.
pub fn blocks<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    operation.regions().filter_map(|region| region.first_block()).collect()
}

/// The operations in the bodies of all functions.
pub fn all_operations<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    functions(module).into_iter().flat_map(|(_, body)| nested(body)).collect()
}

/// The functions that have a body: their names, and the blocks.
pub fn functions<'c, 'a>(module: &'a Module<'c>) -> Vec<(String, BlockRef<'c, 'a>)> {
    let functions = operations(module.body()).into_iter();
    let body = |function: OperationRef<'c, 'a>| {
        Some((symbol(function), function.region(0).ok()?.first_block()?))
    };
    functions.filter_map(body).collect()
}

/// The only result of an operation.
pub fn result<'c, 'a>(operation: OperationRef<'c, 'a>) -> Value<'c, 'a> {
    operation.result(0).expect("it has one").into()
}

/// The operation, to change it: melior only lends it to be read.
pub fn mutable<'c, 'a>(operation: OperationRef<'c, 'a>) -> OperationRefMut<'c, 'a> {
    // SAFETY: the operation is alive, and nothing else uses it at the same time.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }
}
