//! From the Toy dialect to linalg on tensors.
//!
//! Input: a module in which every Toy value is ranked (what `transform::specialize` gives) and none is
//! a struct (what `transform::flatten` does). Output:
//! the same functions without Toy operations, in destination-passing style: each result is computed
//! into a `tensor.empty` of its own, and no existing tensor is ever a destination. So bufferization
//! never writes into a constant, an argument or a value that is still needed, and the miscompiles
//! of One-Shot Bufferize 22 that start with a reused destination cannot arise from Toy programs.
//!
//! | Toy | becomes |
//! |---|---|
//! | `toy.constant` | `arith.constant`; `linalg.fill` for a large repeated value |
//! | `toy.add`, `toy.sub`, `toy.mul`, `toy.div` | `linalg.add` and so on; `linalg.generic` with a scalar |
//! | `toy.neg` | `linalg.negf` |
//! | `toy.transpose` | `linalg.transpose` (nothing for ranks 0 and 1) |
//! | `toy.reshape` | `tensor.collapse_shape` and `tensor.expand_shape`; `linalg.broadcast` of a scalar |
//! | `toy.from_elements` | `tensor.extract` of each element and `tensor.from_elements` |
//! | `toy.print` | a call of the runtime's `toy_print` on an unranked tensor |
//! | `toy.variable` | calls of a function that does not exist ([`markers`](super::markers)) |
//!
//! Tutorial: chapter 7.

use crate::dialect::PRINT;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, shape_of, tensor_type, unranked_type};
use crate::lower::markers::Markers;
use crate::transform::needs;
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute,
    FloatAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, BlockLike, Identifier, Location, Module, Operation, Region};
use melior::ir::{RegionLike, Type, Value, ValueLike};
use mlir_support::linalg::{self, ElementWise};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::raw;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

pub const PASS: PassDefinition =
    PassDefinition::new("toy-to-linalg", "Lowers the Toy dialect to linalg on tensors", run)
        .requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(pass: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = pass.session.context();
    let mut prints = false;
    let mut markers = Markers::default();
    for operation in raw::operations(module.as_operation()) {
        let Some(kind) = Kind::of(&operation) else { continue };
        prints |= kind == Kind::Print;
        if kind == Kind::Variable {
            markers.mark(context, operation);
            raw::erase(operation);
        } else {
            lower(context, operation, kind);
        }
    }
    markers.declare(context, module);
    if prints {
        declare_print(pass, module)?;
    }
    for function in raw::block_operations(module.body()) {
        if function.has_attribute("toy.specialization") {
            // The symbol has the same information, and the lower levels do not have the Toy dialect.
            let _ = raw::mutable(function).remove_attribute("toy.specialization");
        }
    }
    Ok(())
}

fn lower(context: &Context, operation: OperationRef, kind: Kind) {
    let builder = Builder { context, before: operation, location: operation.location() };
    let operand = |index| operation.operand(index).expect("verified: it has the operand");
    let result = match kind {
        Kind::Constant => builder.constant(),
        Kind::Add => builder.binary(ElementWise::Add, "arith.addf", operand(0), operand(1)),
        Kind::Sub => builder.binary(ElementWise::Sub, "arith.subf", operand(0), operand(1)),
        Kind::Mul => builder.binary(ElementWise::Mul, "arith.mulf", operand(0), operand(1)),
        Kind::Div => builder.binary(ElementWise::Div, "arith.divf", operand(0), operand(1)),
        Kind::Neg => builder.element_wise(ElementWise::Negf, &[operand(0)]),
        Kind::Transpose => builder.transpose(operand(0)),
        Kind::Reshape => builder.reshape(operand(0)),
        Kind::FromElements => builder.elements(),
        Kind::Print => {
            builder.print(operand(0));
            raw::erase(operation);
            return;
        }
        // Marked by the caller.
        Kind::Variable => return,
        // Specialization has replaced every call and every cast, flattening every struct.
        Kind::GenericCall | Kind::Cast => return,
        Kind::StructConstant | Kind::StructCreate | Kind::StructAccess => return,
    };
    raw::replace_all_uses(ops::result(operation), result);
    raw::erase(operation);
}

/// Makes operations in front of the one that is being lowered.
struct Builder<'c, 'a> {
    context: &'c Context,
    before: OperationRef<'c, 'a>,
    location: Location<'c>,
}

impl<'c, 'a> Builder<'c, 'a> {
    fn insert(&self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        let block = self.before.block().expect("the operation is in a block");
        block.insert_operation_before(self.before, operation)
    }

    fn build(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Operation<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .expect("a well-formed operation")
    }

    fn result_type(&self) -> Type<'c> {
        ops::result(self.before).r#type()
    }

    /// The destination of the result: a new tensor without contents.
    fn empty(&self, ty: Type<'c>) -> Value<'c, 'a> {
        ops::result(self.insert(self.build("tensor.empty", &[], &[ty], &[], vec![])))
    }

    fn constant(&self) -> Value<'c, 'a> {
        let value = ops::attribute(&self.before, "value").expect("verified: it has a value");
        let ty = self.result_type();
        if let Some(element) = ops::large_splat(&self.before) {
            return self.fill(element);
        }
        ops::result(self.insert(self.build(
            "arith.constant",
            &[],
            &[ty],
            &[("value", value)],
            vec![],
        )))
    }

    /// A tensor of one value, computed when the program runs.
    fn fill(&self, value: f64) -> Value<'c, 'a> {
        let f64 = Type::float64(self.context);
        let value = FloatAttribute::new(self.context, f64, value).into();
        let scalar = self.build("arith.constant", &[], &[f64], &[("value", value)], vec![]);
        let scalar = ops::result(self.insert(scalar));
        let ty = self.result_type();
        let destination = self.empty(ty);
        ops::result(self.insert(linalg::fill(self.context, self.location, scalar, destination)))
    }

    fn binary(
        &self,
        named: ElementWise,
        of_elements: &str,
        lhs: Value<'c, 'a>,
        rhs: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        if self.shape(lhs) == self.shape(rhs) {
            return self.element_wise(named, &[lhs, rhs]);
        }
        self.with_scalar(of_elements, lhs, rhs)
    }

    /// A named operation on operands that have the shape of the result.
    fn element_wise(&self, named: ElementWise, inputs: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        let destination = self.empty(self.result_type());
        let operation =
            linalg::element_wise(self.context, self.location, named, inputs, destination);
        ops::result(self.insert(operation))
    }

    /// An operation of a tensor and a scalar. The scalar is read for each element, so no tensor of
    /// copies is made.
    fn with_scalar(&self, name: &str, lhs: Value<'c, 'a>, rhs: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = self.result_type();
        let rank = self.shape(ops::result(self.before)).0.len();
        let dims: Vec<_> = (0..rank).map(|dim| format!("d{dim}")).collect();
        let dims = dims.join(", ");
        let attribute = |text: &str| Attribute::parse(self.context, text).expect("valid");
        let map = |value| match self.shape(value).0.is_empty() {
            true => attribute(&format!("affine_map<({dims}) -> ()>")),
            false => attribute(&format!("affine_map<({dims}) -> ({dims})>")),
        };
        let destination = self.empty(ty);
        let maps = [map(lhs), map(rhs), map(destination)];
        let parallel = vec![attribute("#linalg.iterator_type<parallel>"); rank];
        let attributes = [
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(self.context, &[2, 1]).into()),
            ("indexing_maps", ArrayAttribute::new(self.context, &maps).into()),
            ("iterator_types", ArrayAttribute::new(self.context, &parallel).into()),
        ];
        let f64 = Type::float64(self.context);
        let block = Block::new(&[(f64, self.location); 3]);
        let element = |index| block.argument(index).expect("an element of each operand").into();
        let computed = self.build(name, &[element(0), element(1)], &[f64], &[], vec![]);
        let computed = ops::result(block.append_operation(computed));
        block.append_operation(self.build("linalg.yield", &[computed], &[], &[], vec![]));
        let region = Region::new();
        region.append_block(block);
        let operation = self.build(
            "linalg.generic",
            &[lhs, rhs, destination],
            &[ty],
            &attributes,
            vec![region],
        );
        ops::result(self.insert(operation))
    }

    fn elements(&self) -> Value<'c, 'a> {
        let f64 = Type::float64(self.context);
        let elements: Vec<_> = self
            .before
            .operands()
            .map(|element| self.build("tensor.extract", &[element], &[f64], &[], vec![]))
            .map(|extract| ops::result(self.insert(extract)))
            .collect();
        let ty = self.result_type();
        let tensor = self.build("tensor.from_elements", &elements, &[ty], &[], vec![]);
        ops::result(self.insert(tensor))
    }

    fn transpose(&self, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        let rank = self.shape(operand).0.len();
        if rank < 2 {
            return operand;
        }
        let permutation: Vec<_> = (0..rank as i64).rev().collect();
        let permutation = DenseI64ArrayAttribute::new(self.context, &permutation).into();
        self.move_elements("linalg.transpose", operand, ("permutation", permutation))
    }

    fn reshape(&self, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        let (from, to) = (self.shape(operand), self.shape(ops::result(self.before)));
        if from == to {
            return operand;
        }
        if from.0.is_empty() {
            let dimensions: Vec<_> = (0..to.0.len() as i64).collect();
            let dimensions = DenseI64ArrayAttribute::new(self.context, &dimensions).into();
            return self.move_elements("linalg.broadcast", operand, ("dimensions", dimensions));
        }
        // Through one dimension, which any two shapes of one element count share.
        let count = from.element_count().expect("verified: it fits");
        let flat = Shape(vec![count]);
        let flat_value = if from.0.len() == 1 {
            operand
        } else if to.0.is_empty() {
            return self.regroup("tensor.collapse_shape", operand, &from, &to);
        } else {
            self.regroup("tensor.collapse_shape", operand, &from, &flat)
        };
        match to.0.len() {
            0 => self.regroup("tensor.collapse_shape", flat_value, &flat, &to),
            1 => flat_value,
            _ => self.regroup("tensor.expand_shape", flat_value, &flat, &to),
        }
    }

    /// Collapses all dimensions into at most one, or expands one into all.
    fn regroup(&self, name: &str, value: Value<'c, 'a>, from: &Shape, to: &Shape) -> Value<'c, 'a> {
        let larger = from.0.len().max(to.0.len());
        let index = IntegerType::new(self.context, 64).into();
        let all: Vec<Attribute> =
            (0..larger as i64).map(|i| IntegerAttribute::new(index, i).into()).collect();
        let groups: Vec<Attribute> = if from.0.is_empty() || to.0.is_empty() {
            vec![]
        } else {
            vec![ArrayAttribute::new(self.context, &all).into()]
        };
        let groups = ArrayAttribute::new(self.context, &groups).into();
        let mut attributes = vec![("reassociation", groups)];
        let dims: Vec<_> = to.0.iter().map(|dim| *dim as i64).collect();
        if name == "tensor.expand_shape" {
            let dims = DenseI64ArrayAttribute::new(self.context, &dims).into();
            attributes.push(("static_output_shape", dims));
        }
        let ty = tensor_type(self.context, to);
        ops::result(self.insert(self.build(name, &[value], &[ty], &attributes, vec![])))
    }

    /// `linalg.transpose` or `linalg.broadcast`: elements go to other places, unchanged.
    fn move_elements(
        &self,
        name: &str,
        operand: Value<'c, 'a>,
        attribute: (&str, Attribute<'c>),
    ) -> Value<'c, 'a> {
        let ty = self.result_type();
        let destination = self.empty(ty);
        let f64 = Type::float64(self.context);
        let block = Block::new(&[(f64, self.location), (f64, self.location)]);
        let element = block.argument(0).expect("the element read").into();
        block.append_operation(
            OperationBuilder::new("linalg.yield", self.location)
                .add_operands(&[element])
                .build()
                .expect("a well-formed linalg.yield"),
        );
        let region = Region::new();
        region.append_block(block);
        let operation =
            self.build(name, &[operand, destination], &[ty], &[attribute], vec![region]);
        ops::result(self.insert(operation))
    }

    fn print(&self, operand: Value<'c, 'a>) {
        let unranked = unranked_type(self.context);
        let cast = self.insert(self.build("tensor.cast", &[operand], &[unranked], &[], vec![]));
        let argument = ops::result(cast);
        self.insert(ops::call(self.context, self.location, PRINT, &[argument], &[]));
    }

    fn shape(&self, value: Value) -> Shape {
        shape_of(value.r#type()).expect("specialized: every value is ranked")
    }
}

/// Declares the runtime's function, unless the input does. The access attribute tells bufferization that
/// printing only reads; without it every printed value would be copied, or rejected.
fn declare_print<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let declared = raw::block_operations(module.body())
        .into_iter()
        .find(|operation| ops::is_function(operation) && ops::symbol_name(operation) == PRINT);
    match declared {
        Some(declared) => print_with(context, module, declared),
        None => {
            insert_print(context.session.context(), module);
            Ok(())
        }
    }
}

/// Adapts the calls of `toy.print` to a declaration in the input, which may be on buffers.
fn print_with<'c>(
    context: &PassContext<'c>,
    module: &Module<'c>,
    declared: OperationRef<'c, '_>,
) -> Diagnosed<()> {
    let locations = &context.locations;
    let context = context.session.context();
    let unranked = unranked_type(context);
    let buffer = Type::parse(context, "memref<*xf64>").expect("a valid type");
    let inputs = ops::function_type(&declared).map(ops::inputs).unwrap_or_default();
    let takes = |ty| matches!(inputs[..], [input] if ops::same_type(input, ty));
    let has_body = ops::entry_block(declared).is_some();
    if has_body || !(takes(buffer) || takes(unranked)) {
        let message = format!("`toy.print` calls `@{PRINT}`, but here it is something else");
        let diagnostic = Diagnostic::error(codes::PRINT_REDEFINED, message)
            .help("give this function another name, or declare it as `(memref<*xf64>) -> ()`");
        let span = locations.span(declared.location());
        return Err(vec![match span {
            Some(span) => diagnostic.label(span, "declared here"),
            None => diagnostic,
        }]);
    }
    raw::set_attribute(declared, "llvm.emit_c_interface", Attribute::unit(context));
    if takes(unranked) {
        return Ok(());
    }
    for call in raw::operations(module.as_operation()) {
        let argument =
            call.operand(0).ok().filter(|_| ops::callee(&call).as_deref() == Some(PRINT));
        let Some(argument) = argument.filter(|value| ops::same_type(value.r#type(), unranked))
        else {
            continue;
        };
        let builder = Builder { context, before: call, location: call.location() };
        let read_only = [("read_only", Attribute::unit(context))];
        let to_buffer =
            builder.build("bufferization.to_buffer", &[argument], &[buffer], &read_only, vec![]);
        let argument = ops::result(builder.insert(to_buffer));
        raw::mutable(call).set_operand(0, argument);
    }
    Ok(())
}

fn insert_print(context: &Context, module: &Module) {
    let mut function = reader(context, PRINT, unranked_type(context));
    function.set_attribute("llvm.emit_c_interface", Attribute::unit(context));
    module.body().insert_operation(0, function);
}

/// The declaration of a function that only reads its argument.
pub fn reader<'c>(context: &'c Context, name: &str, argument: Type<'c>) -> Operation<'c> {
    let ty = FunctionType::new(context, &[argument], &[]);
    let mut function = ops::function(context, Location::unknown(context), name, ty, None, true);
    let read = StringAttribute::new(context, "read").into();
    let access = DictionaryAttribute::new(
        context,
        &[(Identifier::new(context, "bufferization.access"), read)],
    );
    function.set_attribute("arg_attrs", ArrayAttribute::new(context, &[access.into()]).into());
    function
}
