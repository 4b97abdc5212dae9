//! From Toy to linalg on tensors, in destination-passing style.
//!
//! In: functions of Toy operations whose shapes are known. Out: the same functions with
//! `linalg.generic`, which says which element of each operand an iteration reads. It
//! writes into a tensor that it is given, its destination. Each gets a new, empty one
//! here; where in memory that is comes later.

use crate::dialect::{self, all_operations, mutable, name, result, shape_of};
use crate::passes;
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DenseI32ArrayAttribute, FlatSymbolRefAttribute,
};
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationMutLike, OperationRef,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, BlockLike, Identifier, Location, Module};
use melior::ir::{Region, RegionLike, Type, Value, ValueLike};
use melior::{IrRewriter, RewriterBase};

/// What `print` calls. It promises to leave the tensor as it is.
const PRINT: &str = "func.func private @toy_print(tensor<*xf64>
    {bufferization.access = \"read\"}) attributes {llvm.emit_c_interface}";

/// What fits into a program: MLIR takes minutes for much more.
const MAX_OPERATIONS: usize = 1000;

/// Replaces all Toy operations.
pub fn lower<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), String> {
    // Operations can be built only if their dialect is there.
    for dialect in ["arith", "bufferization", "linalg", "tensor"] {
        context.get_or_load_dialect(dialect);
    }
    let operations = all_operations(module);
    if operations.len() > MAX_OPERATIONS {
        return Err("the program is too long".to_string());
    }
    for operation in operations {
        let rewriter = IrRewriter::from_op(operation);
        let (at, location) = (rewriter.as_rewriter_base(), operation.location());
        let predicate = operation.attribute("predicate").ok();
        Code { context, at, location, predicate }.replace(operation);
    }
    for function in dialect::operations(module.body()) {
        // `main` is the one that is called from outside.
        if !function.has_attribute("sym_visibility") {
            let attribute = Attribute::unit(context);
            mutable(function).set_attribute("llvm.emit_c_interface", attribute);
        }
    }
    let print = Module::parse(context, PRINT).expect("the text is valid");
    let print = print.body().first_operation().expect("it has one");
    module.body().insert_operation(0, (*print).clone());
    Ok(())
}

/// Makes one loop of two, if only the second reads what the first writes.
pub fn fuse(context: &Context, module: &mut Module) -> Result<(), String> {
    passes::run(context, module, "linalg-fuse-elementwise-ops, canonicalize, cse")
}

/// Writes operations in front of the one that they replace, with its place in the source.
struct Code<'c, 'a> {
    context: &'c Context,
    at: RewriterBase<'c, 'a>,
    location: Location<'c>,
    /// Of a comparison, whose bit becomes 1 or 0.
    predicate: Option<Attribute<'c>>,
}

impl<'c> Code<'c, '_> {
    /// Replaces an operation, if it is one of Toy's.
    fn replace(&self, operation: OperationRef<'c, '_>) {
        let operands: Vec<Value> = operation.operands().collect();
        let Some(old) = operation.results().next() else {
            if name(operation) == "toy.print" {
                self.print(operands[0]);
                self.at.erase_op(operation);
            }
            return;
        };
        let ty = old.r#type();
        let value = match name(operation).as_str() {
            "toy.constant" => {
                let value = operation.attribute("value").expect("the dialect demands it");
                self.value("arith.constant", &[], ty, &[("value", value)])
            }
            "toy.add" => self.element_wise("arith.addf", &operands, ty),
            "toy.sub" => self.element_wise("arith.subf", &operands, ty),
            "toy.mul" => self.element_wise("arith.mulf", &operands, ty),
            "toy.div" => self.element_wise("arith.divf", &operands, ty),
            "toy.compare" => self.element_wise("arith.cmpf", &operands, ty),
            "toy.truth" => self.truth(operands[0]),
            // Its shape has been compared.
            "toy.assign" => operands[0],
            "toy.transpose" => self.transpose(operands[0], ty),
            "toy.reshape" => self.reshape(operands[0], ty),
            _ => return,
        };
        self.at.replace_op_with_values(operation, &[value]);
    }

    /// An element of the result comes from the same element of each tensor, and from the
    /// only element of a scalar.
    fn element_wise<'v>(
        &'v self,
        name: &str,
        operands: &[Value<'c, 'v>],
        ty: Type<'c>,
    ) -> Value<'c, 'v> {
        let index =
            |operand: &Value<'c, 'v>| (*operand, Vec::from_iter(0..rank(*operand)));
        let inputs: Vec<_> = operands.iter().map(index).collect();
        self.generic(&inputs, ty, |block, elements| {
            let number = Type::float64(self.context);
            let ty = if self.predicate.is_some() { self.bit() } else { number };
            let mut operation = dialect::operation(name, elements, &[ty], self.location);
            let Some(predicate) = self.predicate else {
                return result(block.append_operation(operation));
            };
            operation.set_attribute("predicate", predicate);
            let bit = result(block.append_operation(operation));
            let number =
                dialect::operation("arith.uitofp", &[bit], &[number], self.location);
            result(block.append_operation(number))
        })
    }

    /// Whether a number is not 0.
    fn truth<'v>(&'v self, operand: Value<'c, 'v>) -> Value<'c, 'v> {
        let number = Type::float64(self.context);
        let element = self.value("tensor.extract", &[operand], number, &[]);
        let zero = [("value", self.parse("0.0 : f64"))];
        let zero = self.value("arith.constant", &[], number, &zero);
        let is_not = [("predicate", self.parse("13"))];
        self.value("arith.cmpf", &[element, zero], self.bit(), &is_not)
    }

    fn bit(&self) -> Type<'c> {
        IntegerType::new(self.context, 1).into()
    }

    /// The element at (i, j) of the result is the one at (j, i) of the operand.
    fn transpose<'v>(&'v self, operand: Value<'c, 'v>, ty: Type<'c>) -> Value<'c, 'v> {
        let reversed = (0..rank(operand)).rev().collect();
        self.generic(&[(operand, reversed)], ty, |_, elements| elements[0])
    }

    /// The same elements in another shape. A scalar is every element of it.
    fn reshape<'v>(&'v self, operand: Value<'c, 'v>, ty: Type<'c>) -> Value<'c, 'v> {
        if rank(operand) == 0 {
            return self.generic(&[(operand, vec![])], ty, |_, elements| elements[0]);
        }
        let shape = shape_of(ty).expect("specialized");
        let sizes = format!("dense<{shape:?}> : tensor<{}xindex>", shape.len());
        let sizes = self.parse(&sizes);
        let vector = Type::parse(self.context, &format!("tensor<{}xindex>", shape.len()));
        let vector = vector.expect("the text is valid");
        let sizes = self.value("arith.constant", &[], vector, &[("value", sizes)]);
        self.value("tensor.reshape", &[operand, sizes], ty, &[])
    }

    fn print(&self, operand: Value<'c, '_>) {
        // One function prints tensors of all shapes: `*` is any shape.
        let any = Type::parse(self.context, "tensor<*xf64>").expect("the text is valid");
        let argument = self.value("tensor.cast", &[operand], any, &[]);
        let mut call = dialect::operation("func.call", &[argument], &[], self.location);
        let callee = FlatSymbolRefAttribute::new(self.context, "toy_print");
        call.set_attribute("callee", callee.into());
        self.at.insert(call);
    }

    /// A `linalg.generic` that computes each element of its result in `body`. An input
    /// comes with those dimensions of the result that index it.
    fn generic<'v>(
        &'v self,
        inputs: &[(Value<'c, 'v>, Vec<usize>)],
        ty: Type<'c>,
        body: impl for<'b> Fn(&'b Block<'c>, &[Value<'c, 'b>]) -> Value<'c, 'b>,
    ) -> Value<'c, 'v> {
        // The last parameter is what the destination held before.
        let number = (Type::float64(self.context), self.location);
        let block = Block::new(&vec![number; inputs.len() + 1]);
        let element = |index| block.argument(index).expect("one for each input").into();
        let value = body(&block, &Vec::from_iter((0..inputs.len()).map(element)));
        block.append_operation(dialect::operation(
            "linalg.yield",
            &[value],
            &[],
            self.location,
        ));
        let region = Region::new();
        region.append_block(block);

        let destination = self.value("tensor.empty", &[], ty, &[]);
        let rank = rank(destination);
        let maps = inputs.iter().map(|(_, dimensions)| self.map(rank, dimensions));
        let maps: Vec<_> =
            maps.chain([self.map(rank, &Vec::from_iter(0..rank))]).collect();
        let parallel = vec![self.parse("#linalg.iterator_type<parallel>"); rank];
        let segments = [inputs.len() as i32, 1];
        let named = |name, value| (Identifier::new(self.context, name), value);
        let operands = inputs.iter().map(|(value, _)| *value).chain([destination]);
        let generic = OperationBuilder::new("linalg.generic", self.location)
            .add_operands(&Vec::from_iter(operands))
            .add_results(&[ty])
            .add_attributes(&[
                named("indexing_maps", ArrayAttribute::new(self.context, &maps).into()),
                named(
                    "iterator_types",
                    ArrayAttribute::new(self.context, &parallel).into(),
                ),
                named(
                    "operandSegmentSizes",
                    DenseI32ArrayAttribute::new(self.context, &segments).into(),
                ),
            ])
            .add_regions([region])
            .build()
            .expect("all parts are there");
        result(self.at.insert(generic))
    }

    /// `(d0, d1) -> (d1, d0)` for a rank of 2 and the dimensions 1 and 0.
    fn map(&self, rank: usize, dimensions: &[usize]) -> Attribute<'c> {
        let list = |dimensions: &[usize]| {
            let names: Vec<_> =
                dimensions.iter().map(|index| format!("d{index}")).collect();
            names.join(", ")
        };
        let all = list(&Vec::from_iter(0..rank));
        self.parse(&format!("affine_map<({all}) -> ({})>", list(dimensions)))
    }

    fn parse(&self, text: &str) -> Attribute<'c> {
        Attribute::parse(self.context, text).expect("the text is valid")
    }

    /// Inserts an operation and returns its result.
    fn value<'v>(
        &'v self,
        name: &str,
        operands: &[Value<'c, '_>],
        ty: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'v> {
        let mut operation = dialect::operation(name, operands, &[ty], self.location);
        for (name, value) in attributes {
            operation.set_attribute(name, *value);
        }
        result(self.at.insert(operation))
    }
}

fn rank(value: Value) -> usize {
    shape_of(value.r#type()).expect("specialized").len()
}
