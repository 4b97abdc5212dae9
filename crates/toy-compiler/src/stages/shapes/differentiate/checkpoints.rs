//! Loops whose tape is larger than the memory that a user gives to it.
//!
//! Input: a loop, and what it would save. Output: a loop of segments, each a loop of as many iterations:
//!
//! ```text
//! for s in 0..n / k { for i in s * k..s * k + k { x = f(x, w); } }
//! ```
//!
//! The outer loop saves its values before each segment, and on the way back the inner one runs again, with a tape of k
//! places. Invariant: each iteration computes what it has computed before, so all values have the same bits.

use super::bounds::Plan;
use super::code::Code;
use super::cotangents::Cotangents;
use super::fail;
use super::reverse::{Reverse, Reversed};
use super::tape::{count_of, index_of};
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::builder::Insertion;
use mlir_support::control_flow::iterations;
use mlir_support::ir;

impl Reverse<'_> {
    /// A loop whose tape is larger than the memory for it.
    pub(super) fn in_segments<'c, 'a>(
        &mut self,
        code: Code<'c, 'a, '_>,
        operation: OperationRef<'c, 'a>,
        cotangents: &mut Cotangents<'c, 'a>,
        plan: Plan,
    ) -> Reversed {
        let every = plan
            .every(self.tape_memory)
            .map_err(|least| fail::memory(code, operation, (plan, least), self.tape_memory))?;
        let location = operation.location();
        let results = segments(code, operation, every);
        let remarks = self.remarks.len();
        self.instead(code, (operation, &results), cotangents, true)?;
        // Loops inside have given theirs before.
        self.remarks.truncate(remarks);
        self.remarks.push(fail::checkpoints(code, location, plan, every));
        Ok(())
    }
}

/// Makes segments of a loop. Returns their results.
fn segments<'c, 'a>(
    code: Code<'c, 'a, '_>,
    operation: OperationRef<'c, 'a>,
    every: u64,
) -> Vec<Value<'c, 'a>> {
    let code = code.located(operation.location()).at(Insertion::Before(operation)).builder;
    let body = ir::blocks_of(operation, 0)[0];
    let operands: Vec<Value> = operation.operands().collect();
    let [from, to, step] = [0, 1, 2].map(|place| operands[place]);
    let [zero, one, size] = [0, 1, every].map(|number| code.index(number));
    let known = iterations(operation);
    let (count, segments) = match known {
        Some(count) => (code.index(count), code.index(count.div_ceil(every))),
        None => {
            let count = count_of(code, [from, to, step]);
            (count, count_of(code, [zero, count, size]))
        }
    };
    let is_even = known.is_some_and(|count| count.is_multiple_of(every));
    code.for_each([zero, segments, one], &operands[3..], &[], |code, segment, carried| {
        let first = code.computed("arith.muli", &[segment, size]);
        let left = code.computed("arith.subi", &[count, first]);
        let end = if is_even { size } else { code.computed("arith.minsi", &[left, size]) };
        code.for_each([zero, end, one], carried, &[], |code, number, carried| {
            let number = code.computed("arith.addi", &[first, number]);
            let index = index_of(code, number, [from, step]);
            let values = [&[index], carried].concat();
            let arguments = ir::arguments(body).into_iter().map(ir::id);
            code.at.copy_block(body, arguments.zip(values).collect()).1
        })
    })
}
