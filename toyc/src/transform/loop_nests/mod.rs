//! Makes loops on vectors for element-wise operations, in the place of convert-linalg-to-loops.
//!
//! Input: functions on buffers, after deallocation. Output: the same with loops for the operations that
//! [`nest`] recognizes: element-wise `linalg.generic` of any rank, all sizes known, operands in the order of
//! the result, transposed, or scalar. What it does not recognize is left to convert-linalg-to-loops.
//!
//! An operation belongs to one of these classes, each of which is a file:
//!
//! ```text
//!   class     operands                  example          loops
//!   flat      as the result             a * b + a        one, over all elements
//!   direct    transposed, few others    aT * bT          tiles of 8 x 8, transposed in registers
//!   staged    both                      aT * b + c       tiles that are transposed into a buffer on the stack
//! ```
//!
//! Invariants: the same operations on the same elements as before, none of them contracted or reordered, so
//! that every bit of the results stays. The loops read an operand that is the result itself before they write
//! the same elements. No decision depends on the target's vectors: those that are too long for it are split
//! by LLVM.
//!
//! Tutorial: chapter 11.

mod alias;
mod body;
mod builder;
mod direct;
mod flat;
mod nest;
mod plane;
mod shuffle;
mod staged;

use crate::dialect::ops;
use alias::Overlap;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::pass::{OptionValue, PassContext, PassDefinition, PassOption, Prepared};
use mlir_support::raw;
use nest::{Nest, Operand};
use staged::Stage;
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-loop-nests",
    "Makes loops on vectors for element-wise operations, with transpositions in registers",
    OPTIONS,
    configure,
);

const OPTIONS: &[PassOption] = &[
    PassOption {
        name: "vector-bytes",
        value: OptionValue::Number,
        default: "64",
        help: "The size of the vectors that are read along rows",
    },
    PassOption {
        name: "unroll",
        value: OptionValue::Number,
        default: "2",
        help: "How many of these an iteration of a flat loop computes",
    },
    PassOption {
        name: "register-tile",
        value: OptionValue::Number,
        default: "8",
        help: "The side of the tiles that are transposed in registers",
    },
    PassOption {
        name: "direct-rows",
        value: OptionValue::Number,
        default: "512",
        help: "Rows of the result in a tile of the cache, for transpositions in registers",
    },
    PassOption {
        name: "direct-columns",
        value: OptionValue::Number,
        default: "8",
        help: "Columns of the result in such a tile",
    },
];

/// The options of the pass: numbers of 1 at least.
#[derive(Clone, Debug)]
pub struct Options {
    vector_bytes: u64,
    unroll: u64,
    register_tile: u64,
    direct_rows: u64,
    direct_columns: u64,
    direct_bytes: u64,
    stage_rows: u64,
    stage_columns: u64,
    always_stage: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            vector_bytes: 64,
            unroll: 2,
            register_tile: 8,
            direct_rows: 512,
            direct_columns: 8,
            direct_bytes: 512 << 10,
            stage_rows: 32,
            stage_columns: 128,
            always_stage: 0,
        }
    }
}

impl Options {
    /// Options as `name=value`, separated by blanks.
    fn parse(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for option in text.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let number = value.parse().ok().filter(|number| (1..=1 << 20).contains(number));
            let place = match name {
                "vector-bytes" => &mut options.vector_bytes,
                "unroll" => &mut options.unroll,
                "register-tile" => &mut options.register_tile,
                "direct-rows" => &mut options.direct_rows,
                "direct-bytes" => &mut options.direct_bytes,
                "stage-rows" => &mut options.stage_rows,
                "stage-columns" => &mut options.stage_columns,
                "always-stage" => &mut options.always_stage,
                "direct-columns" => &mut options.direct_columns,
                _ => {
                    return Err(format!("`{option}`: the pass `{}` has no such option", PASS.name));
                }
            };
            let wanted = || format!("`{option}`: a number from 1 on is expected");
            *place = number.ok_or_else(wanted)?;
        }
        Ok(options)
    }

    /// The elements of a vector along a row: a power of two, and no more than a row has.
    fn vector(&self, nest: &Nest) -> u64 {
        let row = nest.sizes.last().copied().unwrap_or(1);
        plane::power_of_two((self.vector_bytes / nest.element_bytes).min(row))
    }
}

fn configure(options: &str, _: bool) -> Result<Prepared, String> {
    let options = Options::parse(options)?;
    Ok(Box::new(move |context, module| run(context, module, &options)))
}

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, options: &Options) -> Diagnosed<()> {
    let nests: Vec<_> =
        raw::operations(module.as_operation()).into_iter().filter_map(nest::recognize).collect();
    if nests.is_empty() {
        return Ok(());
    }
    let context = context.session.context();
    // The pass builds operations by name, so their dialects must be loaded.
    for dialect in ["arith", "memref", "scf", "vector"] {
        context.get_or_load_dialect(dialect);
    }
    let mut stack = STACK;
    for nest in nests {
        let Some(function) = function_of(&nest) else { continue };
        let Some(entry) = ops::entry_block(function) else { continue };
        let Some(class) = class(&nest, options).filter(|class| class.stack() <= stack) else {
            continue;
        };
        stack -= class.stack();
        let shared = builder::Shared::new(context, &nest, entry);
        let builder = shared.builder();
        match class {
            Class::Flat => flat::build(builder, &nest, options),
            Class::Direct(i) => direct::build(builder, &nest, i, options),
            Class::Staged(i, stage) => staged::build(builder, &nest, i, &stage, options),
        }
        raw::erase(nest.operation);
    }
    Ok(())
}

/// How much of the stack all stages of a program together may take, in bytes: all of its functions may be
/// active at once.
const STACK: u64 = 1 << 20;

/// The operations that do not run their regions in parallel, nor in another function.
const AROUND: [&str; 6] = [
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.index_switch",
    "scf.execute_region",
    "memref.alloca_scope",
];

/// The function of an operation, if it runs in the function's own thread.
fn function_of<'c, 'a>(nest: &Nest<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let mut parent = raw::parent(nest.operation)?;
    while !ops::is_function(&parent) {
        if !AROUND.contains(&raw::name(&parent)) {
            return None;
        }
        parent = raw::parent(parent)?;
    }
    Some(parent)
}

enum Class {
    Flat,
    /// The dimension along which the transposed operands' elements are neighbors.
    Direct(usize),
    Staged(usize, Stage),
}

impl Class {
    fn stack(&self) -> u64 {
        if let Class::Staged(_, stage) = self { stage.bytes } else { 0 }
    }
}

fn class(nest: &Nest, options: &Options) -> Option<Class> {
    let overlap = |operand: &Operand| alias::overlap(operand.buffer, nest.output.buffer);
    let is_valid = nest.inputs.iter().all(|operand| match overlap(operand) {
        Overlap::Never | Overlap::Unlikely => true,
        Overlap::Same => !operand.is_scalar() && operand.is_identity(),
        Overlap::Unknown => false,
    });
    if !is_valid {
        return None;
    }
    let tensors = || nest.inputs.iter().filter(|operand| !operand.is_scalar());
    if tensors().all(Operand::is_identity) {
        return (nest.sizes.len() == 1).then_some(Class::Flat);
    }
    let i = plane::direction(nest)?;
    let has_rows = tensors().any(|operand| !plane::is_column(nest, operand));
    let columns = tensors().filter(|operand| plane::is_column(nest, operand)).count();
    let bytes =
        nest.sizes.iter().product::<u64>() * nest.element_bytes * (tensors().count() as u64 + 1);
    if options.always_stage == 1
        || options.always_stage == 0 && has_rows && bytes > options.direct_bytes
    {
        if let Some(stage) = Stage::of(nest, i, columns, options) {
            return Some(Class::Staged(i, stage));
        }
    }
    Some(Class::Direct(i))
}
