//! Splits large functions: a body of thousands of operations becomes a chain of calls of functions
//! of at most [`LIMIT`] operations each.
//!
//! Input and output: a Toy module whose values are all ranked. Why: several upstream passes take time or
//! memory quadratic in the size of one block. One-Shot Bufferize and the deallocation passes are quadratic
//! in the operations of a block, SCF to control flow in its loops (6.8 GB for 4,000 in LLVM 22). With
//! blocks of bounded size, all of them are linear in the size of the program.
//!
//! A part takes the values it uses as parameters and returns the values used after it. Constants are
//! copied into each part that uses them instead. If there are still too many calls, the calls are split
//! again, so the depth is logarithmic. Before that, [`crate::stages::linalg::schedule`] sinks computations
//! towards their uses, so that few values cross a cut. Input in linalg is split by
//! [`crate::stages::memref::outline_tensors`].
//!
//! Variables for debuggers ([`crate::dialect::variable`]) belong to the function that computes their
//! values. A part that takes such a value, and a function that receives one from a part, declare the
//! variable again.
//!
//! Tutorial: chapter 7.

use crate::analysis::outline_chunk::{is_constant, outline};
use crate::analysis::purity::Purity;
use crate::dialect::needs;
use crate::dialect::ops::{self, Insertion, Kind};
use crate::dialect::unify::unify;
use crate::dialect::variable::{self, Attributes};
use crate::stages::linalg::schedule;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, BlockRef, Location, Module, Operation, Value};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{ir, raw};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

/// The maximum number of operations of one block, not counting constants and variables. Measured: a smaller limit
/// costs calls, a larger one time in the quadratic passes; the total is flat between 50 and 200.
const LIMIT: usize = 100;

/// The maximum number of operations of a block whose variables are defined in the order of the program.
const LIMIT_IN_ORDER: usize = 10 * LIMIT;

/// The maximum number of operations including variables, so that variables rarely make parts smaller.
const LIMIT_WITH_VARIABLES: usize = 2 * LIMIT;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-outline",
    "Splits functions of thousands of Toy operations into chains of calls",
    run,
)
.requiring(needs::TENSORS);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let purity = Purity::of(module);
    for function in ir::block_operations(module.body()) {
        if ops::is_function(&function) {
            for block in ir::blocks(function) {
                if is_too_large(&ir::block_operations(block)) {
                    schedule(block, &purity);
                    gather_casts(context.session.context(), block);
                }
            }
            let mut outlining = Outlining {
                context: context.session.context(),
                module,
                name: ops::symbol_name(&function),
                variables: variables(function),
                calls: Vec::new(),
            };
            while outlining.split(function) {}
            outlining.name_results();
        }
    }
    Ok(())
}

/// True if a block will be split.
fn is_too_large(operations: &[OperationRef]) -> bool {
    operations.iter().filter(|operation| !is_variable(operation)).count() > LIMIT
        && operations.iter().all(is_movable_or_return)
}

/// Puts the casts that give the operands of an operation one type directly in front of it, where [`chunks`] keeps
/// them: a part cannot take or return their results, which have no shape.
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
            unify(context, Insertion::Before(user), &mut operands, location);
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
struct Outlining<'c, 'a> {
    context: &'c Context,
    module: &'a Module<'c>,
    name: String,
    variables: Variables<'c>,
    /// The calls of the parts made so far.
    calls: Vec<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Outlining<'c, 'a> {
    /// Splits the body of a function into calls if it is too large. Returns false if it is small enough.
    fn split(&mut self, function: OperationRef<'c, 'a>) -> bool {
        let blocks = ir::blocks(function);
        let [block] = blocks.as_slice() else { return false };
        let operations = ir::block_operations(*block);
        let Some((_terminator, body)) = operations.split_last() else { return false };
        let body: Vec<_> = body.iter().copied().filter(|op| !stays(*op)).collect();
        let chunks = chunks(&body);
        if chunks.len() < 2 || !operations.iter().all(is_movable_or_return) {
            return false;
        }
        for chunk in chunks {
            let symbol = format!("{}$part{}", self.name, self.calls.len());
            self.outline(chunk, &symbol);
        }
        for operation in ir::block_operations(*block) {
            if is_constant(operation) && !ir::has_uses(ops::result(operation)) {
                // A new value may reuse its address.
                self.variables.remove(&ir::id(ops::result(operation)));
                ir::erase(operation);
            }
        }
        true
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
        self.module.body().append_operation(outlined.function);
    }
}

/// Deny by default: only operations known to have no regions and only tensor values.
fn is_movable_or_return(operation: &OperationRef) -> bool {
    Kind::of(operation).is_some()
        || ["func.call", "func.return", "tensor.concat"].contains(&ir::name(operation))
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

/// Cuts operations into parts. A variable follows the operation that computes its value, and a cast is in one part
/// with the operation that it precedes.
fn chunks<'b, 'c, 'a>(mut body: &'b [OperationRef<'c, 'a>]) -> Vec<&'b [OperationRef<'c, 'a>]> {
    let mut chunks = Vec::new();
    while !body.is_empty() {
        let mut computations = 0;
        let is_inside = |(index, operation): &(usize, &OperationRef)| {
            computations += usize::from(!is_variable(operation));
            computations <= LIMIT && *index < LIMIT_WITH_VARIABLES
        };
        let mut length = body.iter().enumerate().take_while(is_inside).count();
        while length < body.len() && is_cast(&body[length - 1]) {
            length += 1;
        }
        let (chunk, rest) = body.split_at(length);
        chunks.push(chunk);
        body = rest;
    }
    chunks
}

/// The names of the variables that are defined by some operations.
fn names_in(operations: &[OperationRef]) -> HashSet<String> {
    let variables = operations.iter().filter(|operation| is_variable(operation));
    variables.filter_map(|variable| ops::string_attribute(variable, "name")).collect()
}
