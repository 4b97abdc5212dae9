//! Bits of ownership that are never 1.
//!
//! Input: functions after ownership-based deallocation: a bit for each buffer that a loop or a branch carries says whether
//! it is to be freed. Output: the same, with `false` in place of the bits that are so on every path. Buffers that take
//! turns in a merged allocation have such bits, and nothing is left of their deallocations.
//!
//! Upstream's passes come to the same, but slowly: `bufferization.dealloc` has no folder, so `sccp` sees through it only
//! after buffer-deallocation-simplification has compared all its buffers with each other. That takes time with the third
//! power of their number: 5.2 s for a loop that rotates 240 variables.
//!
//! The analysis is optimistic, as constants are propagated: a bit is doubtful only if one that it comes from is.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Module, Value, ValueLike};
use mlir_support::builder::Builder;
use mlir_support::pass::{PassContext, PassDefinition, Workaround};
use mlir_support::{constants, control_flow, ir};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::Diagnosed;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-never-owned",
    "Replaces bits of ownership that are 0 on every path, before deallocations are simplified",
    run,
)
.working_around(Workaround {
    issue: "buffer-deallocation-simplification compares all buffers of a deallocation with each other, each time in linear time",
    since: "22.1",
    delete_when: "the program of `bench/programs.py rotation 240` takes less than a second at -O2 without it",
});

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    for function in ir::block_operations(module.body()) {
        let operations = ir::operations(function);
        let bits = operations.iter().flat_map(|operation| bits(*operation));
        let bits: Vec<_> = bits.filter_map(|bit| Some((bit, sources(bit)?))).collect();
        let doubtful = doubtful(&bits);
        let never: Vec<_> =
            bits.iter().filter(|(bit, _)| !doubtful.contains(&ir::id(*bit))).collect();
        let (Some(first), false) = (operations.first(), never.is_empty()) else { continue };
        let code = Builder::before(context.session.context(), *first);
        let ty = IntegerType::new(code.context, 1).into();
        let no = code.integer(ty, 0);
        never.into_iter().for_each(|(bit, _)| ir::replace_all_uses(*bit, no));
        operations.iter().copied().filter(frees_nothing).for_each(erase_with_addresses);
    }
    Ok(())
}

/// True for a deallocation whose conditions are all `false`.
fn frees_nothing(operation: &OperationRef) -> bool {
    ir::name(operation) == "bufferization.dealloc"
        && operation.operands().filter(is_bit).all(|bit| constants::integer(bit) == Some(0))
        && !operation.results().any(|result| ir::has_uses(result.into()))
}

/// Each address that canonicalization finds unused would have it look at the whole loop again.
fn erase_with_addresses(operation: OperationRef) {
    let is_address = |it: &OperationRef| ir::name(it) == "memref.extract_strided_metadata";
    let addresses = operation.operands().filter_map(ir::defining_operation).filter(is_address);
    let addresses: HashMap<_, _> = addresses.map(|address| (ir::id(address), address)).collect();
    ir::erase(operation);
    addresses.into_values().for_each(ir::erase_if_unused);
}

fn is_bit(value: &Value) -> bool {
    ir::signless_width(value.r#type()) == Some(1)
}

/// The bits that an operation defines: results, and arguments of its regions.
fn bits<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    let arguments = ir::blocks(operation).into_iter().flat_map(ir::arguments);
    let values = operation.results().map(Value::from).chain(arguments);
    values.filter(is_bit).collect()
}

/// The bits of which one is 1 if this one is; None if that is not known.
fn sources<'c: 'a, 'a>(bit: Value<'c, 'a>) -> Option<Vec<Value<'c, 'a>>> {
    let Some(operation) = ir::defining_operation(bit) else {
        return control_flow::predecessor_values(bit);
    };
    match ir::name(&operation) {
        // All its results depend on all its conditions: the first result does, and the others on the first.
        "bufferization.dealloc" => match operation.result(0).ok().map(Value::from) {
            Some(first) if ir::id(first) != ir::id(bit) => Some(vec![first]),
            _ => Some(operation.operands().filter(is_bit).collect()),
        },
        "arith.ori" => Some(operation.operands().collect()),
        // The condition of a selection says which of the bits it is.
        "arith.select" => Some(operation.operands().skip(1).collect()),
        _ => control_flow::predecessor_values(bit),
    }
}

/// The bits that may be 1.
fn doubtful<'c, 'a>(bits: &[(Value<'c, 'a>, Vec<Value<'c, 'a>>)]) -> HashSet<usize> {
    let known: HashSet<_> = bits.iter().map(|(bit, _)| ir::id(*bit)).collect();
    let mut users: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut doubtful = HashSet::new();
    let mut pending = Vec::new();
    for (bit, sources) in bits {
        for source in sources {
            if known.contains(&ir::id(*source)) {
                users.entry(ir::id(*source)).or_default().push(ir::id(*bit));
            } else if constants::integer(*source) != Some(0) {
                pending.push(ir::id(*bit));
            }
        }
    }
    while let Some(bit) = pending.pop() {
        if doubtful.insert(bit) {
            pending.extend(users.get(&bit).into_iter().flatten());
        }
    }
    doubtful
}
