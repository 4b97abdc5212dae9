//! Flattens structs: every struct becomes the tensors in it, in order.
//!
//! Input: a Toy module in which everything is inferred. Output: the same without a struct type. Parameters, arguments,
//! results and returned values that are structs become several tensors, so functions may return several, and so do the
//! values that branches and loops carry; operations on structs vanish, except that a constant struct becomes one
//! constant per tensor. Invariants: the verifier has seen that structs are nowhere else, and that their types are
//! bounded in depth and size. A module without structs is not touched.
//!
//! A value of a struct is known as the list of its tensors once the operation that defines it has been visited. In
//! `.mlir` input there may be code that is never reached and regions with blocks in another order than they are
//! executed in: a struct that is used there before it is known is an error.
//!
//! Tutorial: chapter 15.

use crate::dialect::control::CARRIES;
use crate::dialect::needs;
use crate::dialect::ops::{self, Insertion, Kind, ToyBuilder};
use crate::dialect::structs::{fields, is_of_dialect};
use crate::dialect::variable;
use crate::dialect::verify::is_control_flow;
use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, BlockRef, Module, Type, Value, ValueLike};
use mlir_support::builder::build;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Builder, Locations, ir, raw};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use toy_diagnostics::{Diagnosed, codes};

pub const PASS: PassDefinition =
    PassDefinition::new("toy-flatten-structs", "Replaces structs by the tensors in them", run)
        .requiring(needs::INFERRED);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    if !ir::any(module.as_operation(), has_structs) {
        return Ok(());
    }
    let mut flattening = Flattening {
        context: context.session.context(),
        locations: context.locations,
        layouts: HashMap::new(),
        values: HashMap::new(),
        visited: HashSet::new(),
        blocks: Vec::new(),
        replaced: Vec::new(),
    };
    let functions: Vec<_> =
        ir::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
    let entries: Vec<_> =
        functions.iter().filter_map(|function| flattening.signature(*function)).collect();
    for function in ir::block_operations(module.body()) {
        for operation in ir::operations_as_executed(function) {
            flattening.visit(operation)?;
        }
    }
    // Users before their operands.
    for operation in flattening.replaced.into_iter().rev() {
        ir::erase(operation);
    }
    for (block, parameters) in entries.into_iter().chain(flattening.blocks) {
        // SAFETY: the flattening, which referred to the arguments, is gone.
        (0..parameters).rev().for_each(|index| unsafe { raw::erase_argument(block, index) });
    }
    Ok(())
}

/// True if an operation shows that the module has structs. Calls and returns need not be checked:
/// the types of their functions show it, too.
fn has_structs(operation: OperationRef) -> bool {
    match Kind::of(&operation) {
        Some(Kind::StructConstant | Kind::StructCreate | Kind::StructAccess) => true,
        Some(Kind::Unset) => is_of_dialect(ops::result(operation).r#type()),
        Some(_) => false,
        None if ops::is_function(&operation) => ops::function_type(&operation).is_some_and(|ty| {
            ops::inputs(ty).into_iter().chain(ops::results(ty)).any(is_of_dialect)
        }),
        None => false,
    }
}

struct Flattening<'c, 'a> {
    context: &'c Context,
    locations: Locations<'a>,
    /// The layouts by the address of the type.
    layouts: HashMap<usize, Rc<Layout<'c>>>,
    /// The tensors of each struct value, by the address of the value.
    values: HashMap<usize, Vec<Value<'c, 'a>>>,
    visited: HashSet<usize>,
    /// Blocks in branches and loops that have new arguments, and the number of the old ones, which come first.
    blocks: Vec<(BlockRef<'c, 'a>, usize)>,
    /// Operations to erase, in the order of the visits.
    replaced: Vec<OperationRef<'c, 'a>>,
}

/// The tensors of a type; a tensor has itself.
struct Layout<'c> {
    tensors: Vec<Type<'c>>,
    /// The index of the first tensor of each field.
    offsets: Vec<usize>,
}

impl<'c, 'a> Flattening<'c, 'a> {
    fn layout(&mut self, ty: Type<'c>) -> Rc<Layout<'c>> {
        let key = ir::id(ty);
        if let Some(layout) = self.layouts.get(&key) {
            return Rc::clone(layout);
        }
        let mut layout = Layout { tensors: Vec::new(), offsets: Vec::new() };
        match fields(ty) {
            // Recursion is bounded by the verifier's limit on the depth of structs.
            Some(fields) => {
                for field in fields {
                    layout.offsets.push(layout.tensors.len());
                    layout.tensors.extend(&self.layout(field).tensors);
                }
            }
            None => layout.tensors.push(ty),
        }
        let layout = Rc::new(layout);
        self.layouts.insert(key, Rc::clone(&layout));
        layout
    }

    fn tensors(&mut self, types: impl IntoIterator<Item = Type<'c>>) -> Vec<Type<'c>> {
        types.into_iter().flat_map(|ty| self.layout(ty).tensors.clone()).collect()
    }

    /// Flattens the type of a function and adds the new parameters after the old ones. Returns the
    /// block and the number of the old parameters, if there is anything to flatten.
    fn signature(&mut self, function: OperationRef<'c, 'a>) -> Option<(BlockRef<'c, 'a>, usize)> {
        let ty = ops::function_type(&function)?;
        let (inputs, results) = (ops::inputs(ty), ops::results(ty));
        if !inputs.iter().chain(&results).any(|ty| is_of_dialect(*ty)) {
            return None;
        }
        for (name, types) in [("arg_attrs", &inputs), ("res_attrs", &results)] {
            if let Some(attributes) = ops::attribute(&function, name) {
                ir::set_attribute(function, name, self.repeated(attributes, types));
            }
        }
        let (flat_inputs, flat_results) =
            (self.tensors(inputs.iter().copied()), self.tensors(results));
        let ty = ops::function_type_of(self.context, &flat_inputs, &flat_results);
        ir::set_attribute(function, "function_type", ty);
        let block = ops::entry_block(function)?;
        let old = ir::arguments(block);
        for (index, input) in inputs.iter().enumerate() {
            let old = old[index];
            let new: Vec<Value> = self
                .layout(*input)
                .tensors
                .iter()
                .map(|tensor| block.add_argument(*tensor, old.location()))
                .collect();
            self.replace(old, new);
        }
        Some((block, inputs.len()))
    }

    /// Adds the arguments of a block in a branch or loop that its structs become, after the old ones, which are erased
    /// at the end.
    fn arguments(&mut self, block: BlockRef<'c, 'a>) {
        let old = ir::arguments(block);
        let count = old.len();
        if !old.iter().any(|argument| is_of_dialect(argument.r#type())) {
            return;
        }
        for argument in old {
            let layout = self.layout(argument.r#type());
            let tensors = layout.tensors.iter();
            let new = tensors.map(|ty| block.add_argument(*ty, argument.location())).collect();
            self.replace(argument, new);
        }
        self.blocks.push((block, count));
    }

    /// Expands an array of one attribute per value to one attribute per tensor.
    fn repeated(&mut self, attributes: Attribute<'c>, types: &[Type<'c>]) -> Attribute<'c> {
        let Ok(old) = ArrayAttribute::try_from(attributes) else { return attributes };
        let mut new = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let count = self.layout(*ty).tensors.len();
            new.extend(old.element(index).into_iter().cycle().take(count));
        }
        ArrayAttribute::new(self.context, &new).into()
    }

    /// Records the tensors of a struct; replaces an old tensor by the new one.
    fn replace(&mut self, old: Value<'c, 'a>, new: Vec<Value<'c, 'a>>) {
        match new.as_slice() {
            [tensor] if !is_of_dialect(old.r#type()) => ir::replace_all_uses(old, *tensor),
            _ => {
                self.values.insert(ir::id(old), new);
            }
        }
    }

    fn visit(&mut self, operation: OperationRef<'c, 'a>) -> Diagnosed<()> {
        let new = match Kind::of(&operation) {
            Some(Kind::StructConstant) => {
                let result = ops::result(operation).r#type();
                let value = ops::attribute(&operation, "value").expect("verified: it has a value");
                let mut constants = Vec::new();
                self.constants(operation, value, result, &mut constants);
                vec![constants]
            }
            Some(Kind::StructCreate) => vec![self.flat_operands(operation)?],
            Some(Kind::StructAccess) => vec![self.accessed(operation)?],
            Some(Kind::Variable) => {
                if !operation.operands().any(|value| is_of_dialect(value.r#type())) {
                    return Ok(());
                }
                self.variable(operation)?;
                vec![]
            }
            Some(Kind::Unset) if is_of_dialect(ops::result(operation).r#type()) => {
                let tensors = self.layout(ops::result(operation).r#type());
                let code = Builder::before(self.context, operation);
                let tape = operation.has_attribute(ops::TAPE).then(|| (ops::TAPE, code.unit()));
                let attributes: Vec<_> = tape.into_iter().collect();
                let unset = |ty: &Type<'c>| code.typed(Kind::Unset, &[], *ty, &attributes);
                vec![tensors.tensors.iter().map(unset).collect()]
            }
            // It is before a `toy.struct_create`, which has looked through it, or before a print or a join.
            Some(Kind::Cast) if is_for_others(operation) => return Ok(()),
            Some(Kind::Cast) => vec![],
            None if is_flattened(operation) => {
                let has_struct = |ty: Type| is_of_dialect(ty);
                let arguments = ir::block_argument_types(operation, false);
                if !operation.operands().any(|value| has_struct(value.r#type()))
                    && !operation.results().any(|value| has_struct(value.r#type()))
                    && !arguments.into_iter().any(has_struct)
                {
                    return Ok(());
                }
                self.flat(operation)?
            }
            _ => return Ok(()),
        };
        for (old, new) in operation.results().zip(new) {
            self.replace(old.into(), new);
        }
        self.visited.insert(ir::id(operation));
        self.replaced.push(operation);
        Ok(())
    }

    /// Makes the constants of a struct in front of an operation.
    fn constants(
        &mut self,
        before: OperationRef<'c, 'a>,
        value: Attribute<'c>,
        ty: Type<'c>,
        constants: &mut Vec<Value<'c, 'a>>,
    ) {
        let Some(fields) = fields(ty) else {
            let code = Builder::before(self.context, before);
            return constants.push(code.toy_constant(ty, value));
        };
        let values = ArrayAttribute::try_from(value).expect("verified: it mirrors the type");
        for (index, field) in fields.into_iter().enumerate() {
            let value = values.element(index).expect("verified: one value per field");
            self.constants(before, value, field, constants);
        }
    }

    /// The tensors of the field that a `toy.struct_access` reads.
    fn accessed(&mut self, operation: OperationRef<'c, 'a>) -> Diagnosed<Vec<Value<'c, 'a>>> {
        let operand = operation.operand(0).expect("verified: it has an operand");
        let operand = ops::source(operand);
        let index = ops::field_index(&operation).expect("verified: it has an index");
        let start = self.layout(operand.r#type()).offsets[index];
        let end = start + self.layout(ops::result(operation).r#type()).tensors.len();
        Ok(self.known(operation, &operand)?[start..end].to_vec())
    }

    /// Names each tensor of a struct that is a variable.
    fn variable(&self, operation: OperationRef<'c, 'a>) -> Diagnosed<()> {
        let attributes = operation.attributes().collect();
        for (leaf, tensor) in self.flat_operands(operation)?.into_iter().enumerate() {
            let attributes = variable::of_leaf(self.context, &attributes, leaf);
            let variable = ops::variable(operation.location(), tensor, &attributes);
            Insertion::Before(operation).insert(variable);
        }
        Ok(())
    }

    fn flat_operands(&self, operation: OperationRef<'c, 'a>) -> Diagnosed<Vec<Value<'c, 'a>>> {
        let mut flat = Vec::new();
        for operand in operation.operands() {
            flat.extend(self.known(operation, &ops::source(operand))?);
        }
        Ok(flat)
    }

    /// The tensors of an operand.
    fn known<'s>(
        &'s self,
        user: OperationRef<'c, 'a>,
        operand: &'s Value<'c, 'a>,
    ) -> Diagnosed<&'s [Value<'c, 'a>]> {
        if let Some(tensors) = self.values.get(&ir::id(*operand)) {
            return Ok(tensors);
        }
        let definition = ir::defining_operation(*operand);
        let is_pending = |definition: &OperationRef| {
            let is_struct = |ty: Type| is_of_dialect(ty);
            !self.visited.contains(&ir::id(definition))
                && (definition.operands().any(|value| is_struct(value.r#type()))
                    || definition.results().any(|value| is_struct(value.r#type())))
        };
        if is_of_dialect(operand.r#type()) || definition.as_ref().is_some_and(is_pending) {
            let message = format!(
                "invalid `{}`: it uses a struct that is defined further down in the text",
                ir::name(&user)
            );
            let at = self.locations.at(user);
            return Err(at
                .error(codes::INVALID_TOY_IR, message, "this operation")
                .help("order the blocks so that structs are defined before they are used")
                .into());
        }
        Ok(std::slice::from_ref(operand))
    }

    /// The call, return, branch or loop with flat operands and results; its results are grouped as before.
    fn flat(&mut self, operation: OperationRef<'c, 'a>) -> Diagnosed<Vec<Vec<Value<'c, 'a>>>> {
        let operands = self.flat_operands(operation)?;
        let types: Vec<Type> = operation.operands().map(|value| value.r#type()).collect();
        let old_results: Vec<Type> = operation.results().map(|value| value.r#type()).collect();
        let results = self.tensors(old_results.iter().copied());
        let attributes: Vec<_> = operation
            .attributes()
            .map(|(name, value)| match name.as_string_ref().as_str() {
                Ok("arg_attrs") => (name, self.repeated(value, &types)),
                Ok("res_attrs") => (name, self.repeated(value, &old_results)),
                Ok(CARRIES) => (name, self.repeated(value, &old_results)),
                _ => (name, value),
            })
            .collect();
        // SAFETY: the new operation is inserted next to the old one.
        let regions = unsafe { raw::take_regions(operation) };
        let (name, location) = (ir::name(&operation), operation.location());
        let flat = build(name, location, &operands, &results, &attributes, regions);
        let flat = Insertion::Before(operation).insert(flat);
        for region in 0..flat.region_count() {
            for block in ir::blocks_of(flat, region) {
                self.arguments(block);
            }
        }
        let mut rest = flat.results().map(|result| result.into());
        Ok(old_results
            .into_iter()
            .map(|ty| rest.by_ref().take(self.layout(ty).tensors.len()).collect())
            .collect())
    }
}

/// True if structs among the operands, results and block arguments of an operation become tensors.
fn is_flattened(operation: OperationRef) -> bool {
    ["func.call", "func.return"].contains(&ir::name(&operation)) || is_control_flow(operation)
}

/// True if a cast gives a value that is printed or joined a type in common with the others.
fn is_for_others(cast: OperationRef) -> bool {
    let users = ir::users(ops::result(cast));
    users.iter().any(|user| matches!(Kind::of(user), Some(Kind::PrintValues | Kind::Join)))
}
