//! Erases operations whose results nothing uses, also values that loops and branches only pass to themselves.
//!
//! Input: a block of a derivative, whose operations do nothing but compute. Output: the same block without those that
//! the terminator does not need. The derivative of a function uses few of its values, and the tape of a loop is made for
//! the values that are left, so this is done before the tape is chosen, at every level of optimization.

use super::activity::{blocks, carried_behind};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockRef, Type, Value, ValueLike};
use mlir_support::builder::Insertion;
use mlir_support::{Builder, ir};

/// Sweeps a block and the regions in it.
pub fn block<'c, 'a>(code: Builder<'c, 'a>, block: BlockRef<'c, 'a>) {
    let mut operations = ir::block_operations(block);
    operations.pop();
    for operation in operations.into_iter().rev() {
        let is_used = |result: Value| ir::has_uses(result);
        let used: Vec<bool> = operation.results().map(|result| is_used(result.into())).collect();
        if !used.contains(&true) {
            ir::erase(operation);
            continue;
        }
        let operation = match ir::name(&operation) {
            "scf.for" => without_idle(code, operation, used),
            "scf.if" if used.contains(&false) => with_results(code, operation, &used),
            _ => operation,
        };
        for inner in blocks(operation) {
            self::block(code, inner);
        }
    }
}

/// A loop without the values that it carries for nothing but themselves.
fn without_idle<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    used: Vec<bool>,
) -> OperationRef<'c, 'a> {
    let body = ir::blocks_of(operation, 0)[0];
    let mut operations = ir::block_operations(body);
    let end = operations.pop().expect("a loop has a terminator");
    let used = carried_behind(&operations, end, &ir::arguments(body)[1..], used, |_| true);
    match used.contains(&false) {
        true => rebuilt(code, operation, &used, &[]).0,
        false => operation,
    }
}

/// A loop that carries some of its values, and more after these. The body yields the new arguments as they are. Returns
/// the arguments and the results for them, too.
pub fn rebuilt<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kept: &[bool],
    more: &[Value<'c, 'a>],
) -> (OperationRef<'c, 'a>, Vec<Value<'c, 'a>>, Vec<Value<'c, 'a>>) {
    let code = code.at(Insertion::Before(operation)).located(operation.location());
    let operands: Vec<Value> = operation.operands().collect();
    let carried = [only(kept, operands[3..].iter().copied()), more.to_vec()].concat();
    let new = code.counted([operands[0], operands[1], operands[2]], &carried, &[]);
    let (from, to) = (ir::blocks_of(operation, 0)[0], ir::blocks_of(new, 0)[0]);
    let mut operations = ir::block_operations(from);
    let end = operations.pop().expect("a loop has a terminator");
    let arguments = ir::arguments(to);
    let split = carried.len() - more.len() + 1;
    let yields = [only(kept, end.operands()), arguments[split..].to_vec()].concat();
    let new_end =
        code.at(Insertion::AtEnd(to)).located(end.location()).op("scf.yield", &yields, &[], &[]);
    operations.into_iter().for_each(|inner| ir::mutable(inner).move_before(new_end));
    // Only operations that are swept later use values that are not kept.
    let old = ir::arguments(from);
    ir::replace_all_uses(old[0], arguments[0]);
    let mut next = arguments[1..].iter();
    for (argument, (kept, init)) in
        old[1..].iter().zip(kept.iter().zip(operation.operands().skip(3)))
    {
        let by = if *kept { *next.next().expect("as many as are kept") } else { init };
        ir::replace_all_uses(*argument, by);
    }
    let results: Vec<Value> = new.results().map(Value::from).collect();
    replace_results(operation, kept, &results);
    (new, arguments[split..].to_vec(), results[split - 1..].to_vec())
}

/// A branch with some of its results.
fn with_results<'c, 'a>(
    code: Builder<'c, 'a>,
    operation: OperationRef<'c, 'a>,
    kept: &[bool],
) -> OperationRef<'c, 'a> {
    let code = code.at(Insertion::Before(operation)).located(operation.location());
    let types: Vec<Type> =
        only(kept, operation.results()).into_iter().map(|result| result.r#type()).collect();
    let new = code.branched(ir::operand(operation, 0), &types);
    for region in 0..2 {
        let (from, to) = (ir::blocks_of(operation, region)[0], ir::blocks_of(new, region)[0]);
        let mut operations = ir::block_operations(from);
        let end = operations.pop().expect("a branch has a terminator");
        let yields = only(kept, end.operands());
        let end = code.at(Insertion::AtEnd(to)).op("scf.yield", &yields, &[], &[]);
        operations.into_iter().for_each(|inner| ir::mutable(inner).move_before(end));
    }
    let results: Vec<Value> = new.results().map(Value::from).collect();
    replace_results(operation, kept, &results);
    new
}

fn replace_results<'c, 'a>(old: OperationRef<'c, 'a>, kept: &[bool], new: &[Value<'c, 'a>]) {
    for (result, new) in only(kept, old.results()).into_iter().zip(new) {
        ir::replace_all_uses(result.into(), *new);
    }
    ir::erase(old);
}

/// The values that are kept.
fn only<T>(kept: &[bool], values: impl Iterator<Item = T>) -> Vec<T> {
    values.zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| value).collect()
}
