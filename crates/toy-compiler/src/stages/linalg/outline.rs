//! Splits long blocks: thousands of operations become a chain of calls of functions of at most [`LIMIT`]
//! operations each.
//!
//! Input and output: the Toy dialect whose values are all ranked, linalg on tensors, or both. Why: several upstream
//! passes take time or memory quadratic in the size of one block, or worse. One-Shot Bufferize takes time cubic in
//! the operations that it bufferizes in place (62 s for 1,000), the deallocation passes are quadratic in the
//! operations of a block, SCF to control flow in its loops (6.8 GB for 4,000 in LLVM 22). With blocks of bounded size,
//! all of them are linear in the size of the program.
//!
//! Blocks of functions and of structured control flow are split alike. A part ([`part`]) takes the values it uses as
//! parameters and returns the values used after it. Constants are copied into each part that uses them instead. If
//! there are still too many calls, the calls are split again, so the depth is logarithmic. Before that, [`mod@schedule`]
//! sinks computations of straight-line Toy towards their uses, so that few values cross a cut. Deny by default: a
//! block with an operation that is not known to work on values only, or that works on buffers, is left alone, and a
//! cut is only placed where every value that crosses it is a number or a tensor of static shape, which the caller
//! can allocate.
//!
//! Variables for debuggers ([`crate::dialect::variable`]) belong to the function that computes their
//! values. A part that takes such a value, and a function that receives one from a part, declare the
//! variable again.
//!
//! Tutorial: chapter 7.

mod part;

use crate::analysis::purity::Purity;
use crate::dialect::enums::is_mathematics;
use crate::dialect::needs;
use crate::dialect::ops::{self, Kind, is_buffer};
use crate::dialect::unify::unify;
use crate::dialect::variable::{self, Attributes};
use crate::stages::linalg::schedule;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{
    BlockLike, BlockRef, Location, Module, Operation, ShapedTypeLike, Type, TypeLike, Value,
    ValueLike,
};
use mlir_support::Builder;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{ir, raw};
use part::{Crossing, is_constant, outline};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

/// The maximum number of operations of one block, not counting constants and variables. Measured: a smaller limit
/// costs calls, a larger one time in the quadratic passes; the total is flat between 50 and 200.
const LIMIT: usize = 100;

/// The maximum number of operations of a block whose variables are defined in the order of the program.
const LIMIT_IN_ORDER: usize = 10 * LIMIT;

/// The maximum number of operations including variables, so that variables rarely make parts smaller.
const LIMIT_WITH_VARIABLES: usize = 2 * LIMIT;

/// The largest number of operations by which a cut may be later than planned.
const PATIENCE: usize = LIMIT;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-outline",
    "Splits blocks of thousands of operations on tensors into chains of calls",
    run,
)
.requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let purity = Purity::of(module);
    let functions = ir::block_operations(module.body());
    let mut names: HashSet<String> = functions.iter().map(ops::symbol_name).collect();
    for function in functions.into_iter().filter(ops::is_function) {
        for block in ir::blocks(function) {
            if is_long_and_straight(&ir::block_operations(block)) {
                schedule(block, &purity);
                gather_casts(context.session.context(), block);
            }
        }
        let mut outlining = Outlining {
            context: context.session.context(),
            module,
            function,
            names: &mut names,
            variables: variables(function),
            calls: Vec::new(),
        };
        for block in blocks(function) {
            while outlining.split(block) {}
        }
        outlining.name_results();
    }
    Ok(())
}

/// The blocks of a function and of its structured control flow, inner ones first.
fn blocks<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    let structured = |operation: &OperationRef| ir::name(operation).starts_with("scf.");
    let inner = ir::operations(function).into_iter().rev().filter(structured);
    let regions = inner.chain([function]).flat_map(|owner| {
        (0..owner.region_count()).flat_map(move |region| ir::blocks_of(owner, region))
    });
    regions.collect()
}

/// True for a block of Toy operations without regions that will be split.
fn is_long_and_straight(operations: &[OperationRef]) -> bool {
    let is_straight = |operation: &OperationRef| {
        Kind::of(operation).is_some()
            || ["func.call", "func.return", "tensor.concat"].contains(&ir::name(operation))
    };
    operations.iter().filter(|operation| !is_variable(operation)).count() > LIMIT
        && operations.iter().all(is_straight)
}

/// Puts the casts that give the operands of an operation one type directly in front of it: no cut is
/// between them, because a part cannot take or return their results, which have no shape.
fn gather_casts<'c>(context: &'c Context, block: BlockRef<'c, '_>) {
    let operations = ir::block_operations(block);
    let (casts, others): (Vec<_>, Vec<_>) = operations.into_iter().partition(is_cast);
    if casts.is_empty() {
        return;
    }
    for user in others {
        let mut operands: Vec<Value> = user.operands().map(ops::source).collect();
        if operands.iter().zip(user.operands()).any(|(source, operand)| *source != operand) {
            let location = |_| user.location();
            unify(Builder::before(context, user), &mut operands, location);
            ir::set_operands(user, &operands);
        }
    }
    for cast in casts.into_iter().rev() {
        ir::erase_if_unused(cast);
    }
}

/// Reorders a block that will be split. Variables keep their order, so that a debugger steps through their
/// lines in order; in the largest blocks they follow their values, because each value that crosses a cut
/// costs time in every pass.
fn schedule(block: BlockRef, purity: &Purity) {
    let operations = ir::block_operations(block);
    let (variables, others): (Vec<_>, Vec<_>) = operations.iter().copied().partition(is_variable);
    if variables.is_empty() || others.len() <= LIMIT_IN_ORDER {
        schedule::sink(&operations, purity);
        return;
    }
    // SAFETY: each of them is inserted into the block again.
    let variables: Vec<_> =
        variables.into_iter().map(|variable| unsafe { raw::detach(variable) }).collect();
    schedule::sink(&others, purity);
    for variable in variables.into_iter().rev() {
        let definition = variable.operand(0).ok().and_then(ir::defining_operation);
        match definition.filter(|definition| definition.block() == Some(block)) {
            Some(definition) => block.insert_operation_after(definition, variable),
            None => block.insert_operation(0, variable),
        };
    }
}

/// The variables of a function, by the addresses of their values: attributes and location of each.
type Variables<'c> = HashMap<usize, Vec<(Attributes<'c>, Location<'c>)>>;

fn variables<'c>(function: OperationRef<'c, '_>) -> Variables<'c> {
    let mut variables = Variables::new();
    for operation in ir::operations(function).into_iter().filter(is_variable) {
        if let Ok(value) = operation.operand(0) {
            let said = (operation.attributes().collect(), operation.location());
            variables.entry(ir::id(value)).or_default().push(said);
        }
    }
    variables
}

/// The splitting of one function.
struct Outlining<'c, 'a, 'n> {
    context: &'c Context,
    module: &'a Module<'c>,
    function: OperationRef<'c, 'a>,
    /// The names of all functions of the module.
    names: &'n mut HashSet<String>,
    variables: Variables<'c>,
    /// The calls of the parts made so far.
    calls: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Outlining<'c, 'a, '_> {
    /// Splits a block into calls if it is too long. Returns false if there is nothing to split.
    fn split(&mut self, block: BlockRef<'c, 'a>) -> bool {
        let mut operations = ir::block_operations(block);
        operations.pop(); // the terminator
        operations.retain(|operation| !stays(*operation));
        let chunks = chunks(&operations);
        let is_short = chunks.first().is_none_or(|first| first.len() == operations.len());
        if is_short || !operations.iter().all(is_movable) {
            return false;
        }
        for chunk in chunks {
            let symbol = self.new_name();
            self.outline(chunk, &symbol);
        }
        for operation in ir::block_operations(block) {
            if is_constant(operation) && !ir::has_uses(ops::result(operation)) {
                // A new value may reuse its address.
                self.variables.remove(&ir::id(ops::result(operation)));
                ir::erase(operation);
            }
        }
        true
    }

    /// A name for a part: no other function of the module has it.
    fn new_name(&mut self) -> String {
        let name = ops::symbol_name(&self.function);
        let names = (self.calls.len()..).map(|number| format!("{name}$part{number}"));
        let free = names.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(free.clone());
        free
    }

    /// Declares the variables that the results of parts are: only the first ones of each block, so that it
    /// does not become too large again.
    fn name_results(&self) {
        let mut named: HashMap<usize, usize> = HashMap::new();
        for call in &self.calls {
            let Some(block) = call.block() else { continue };
            let count = named.entry(ir::id(block)).or_default();
            let mut last = *call;
            for result in call.results() {
                for variable in self.again(result.into(), &HashSet::new()) {
                    if *count < LIMIT {
                        let variable = block.insert_operation_after(last, variable);
                        last = variable;
                        *count += 1;
                    }
                }
            }
        }
    }

    /// Declares the variables of a value again in a function that did not compute it, except those with
    /// some names.
    fn again(&self, value: Value<'c, '_>, except: &HashSet<String>) -> Vec<Operation<'c>> {
        let said = self.variables.get(&ir::id(value)).into_iter().flatten();
        let said = said.filter(|(attributes, _)| {
            variable::name(attributes).is_some_and(|name| !except.contains(&name))
        });
        let again = |(attributes, location): &(Attributes<'c>, Location<'c>)| {
            ops::variable(*location, value, &variable::carried(self.context, attributes))
        };
        said.map(again).collect()
    }

    /// Moves consecutive operations of a block into a new function and replaces them by a call.
    fn outline(&mut self, chunk: &[OperationRef<'c, 'a>], symbol: &str) {
        let own = names_in(chunk);
        let outlined = outline(self.context, chunk, symbol, |value| self.again(value, &own));
        for (value, replacement) in outlined.results.iter().zip(outlined.call.results()) {
            if let Some(said) = self.variables.get(&ir::id(value)).cloned() {
                self.variables.insert(ir::id(replacement), said);
            }
        }
        self.calls.push(outlined.call);
        // The part comes before its caller: drop-equivalent-buffer-results goes through the functions once, and
        // then knows the results of the part.
        self.module.body().insert_operation_before(self.function, outlined.function);
    }
}

/// True if an operation, including nested ones, works on values only and may be moved to any function.
fn is_movable(operation: &OperationRef) -> bool {
    let all = [vec![*operation], ir::operations(*operation)].concat();
    all.into_iter().all(|operation| {
        let dialect = ir::name(&operation).split('.').next().unwrap_or_default();
        Kind::of(&operation).is_some()
            || ["linalg", "tensor", "arith", "math", "complex", "index", "scf", "ub"]
                .contains(&dialect)
            || ["func.call", "bufferization.alloc_tensor"].contains(&ir::name(&operation))
            || is_mathematics(ir::name(&operation))
    }) && operation.operands().all(|operand| !is_buffer(operand.r#type()))
        && operation.results().all(|result| !is_buffer(result.r#type()))
}

fn is_variable(operation: &OperationRef) -> bool {
    Kind::of(operation) == Some(Kind::Variable)
}

/// True if an operation is not moved: constants, which are copied, and variables that are parameters of the whole
/// function.
fn stays(operation: OperationRef) -> bool {
    is_constant(operation) || (is_variable(&operation) && operation.has_attribute("parameter"))
}

fn is_cast(operation: &OperationRef) -> bool {
    Kind::of(operation) == Some(Kind::Cast)
}

/// Cuts operations into parts, as far as cuts are possible. A variable follows the operation that computes its value,
/// and a cast is in one part with the operation that it precedes, however many casts there are.
fn chunks<'b, 'c, 'a>(mut body: &'b [OperationRef<'c, 'a>]) -> Vec<&'b [OperationRef<'c, 'a>]> {
    let mut chunks = Vec::new();
    while !body.is_empty() {
        let (mut computations, mut all) = (0, 0);
        let is_inside = |operation: &&OperationRef| {
            computations += weight(operation);
            all += weight(operation).max(usize::from(is_variable(operation)));
            computations <= LIMIT && all <= LIMIT_WITH_VARIABLES
        };
        let mut length = body.iter().take_while(is_inside).count().max(1);
        while length < body.len() && is_cast(&body[length - 1]) {
            length += 1;
        }
        let last = body.len().min(length + PATIENCE);
        let Some(cut) = (length..=last).find(|length| can_cut(&body[..*length])) else { break };
        let (chunk, rest) = body.split_at(cut);
        chunks.push(chunk);
        body = rest;
    }
    chunks
}

/// True if the values that cross the boundaries of a chunk can be parameters and results of a function.
fn can_cut(chunk: &[OperationRef]) -> bool {
    let crossing = Crossing::of(chunk);
    crossing.parameters.iter().all(|value| !is_buffer(value.r#type()))
        && crossing.results.iter().all(|(value, _)| can_be_returned(value.r#type()))
}

fn can_be_returned(ty: Type) -> bool {
    let is_static = RankedTensorType::try_from(ty).is_ok_and(|tensor| tensor.has_static_shape());
    is_static || ty.is_integer() || ty.is_index() || ty.is_float()
}

/// The number of operations that contribute to the running time of bufferization: an operation and its contents.
fn weight(operation: &OperationRef) -> usize {
    let inside = ir::operations(*operation);
    usize::from(counts(operation)) + inside.iter().filter(|inner| counts(inner)).count()
}

/// True if an operation contributes to the running time of bufferization.
fn counts(operation: &OperationRef) -> bool {
    !is_constant(*operation)
        && !is_variable(operation)
        && !["tensor.cast", "scf.yield", "linalg.yield"].contains(&ir::name(operation))
        && !ir::name(operation).starts_with("arith.")
}

/// The names of the variables that are defined by some operations.
fn names_in(operations: &[OperationRef]) -> HashSet<String> {
    let variables = operations.iter().filter(|operation| is_variable(operation));
    variables.filter_map(|variable| ops::string_attribute(variable, "name")).collect()
}
