//! Computes the body of an operation for several elements at once.
//!
//! Input: the operands' elements, as vectors. Output: the result's. The operations are the body's, in its
//! order, on vectors: nothing is contracted or reordered, so that every element has the same bits as in a
//! loop over single ones.

use super::builder::NestBuilder;
use super::nest::{Nest, Operand};
use crate::dialect::ops::{result, same_type};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Value, ValueLike};
use mlir_support::constants::is_constant;
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The operations of a body, and the values they use from outside.
pub struct Body<'c, 'a> {
    operations: Vec<OperationRef<'c, 'a>>,
    pub result: Value<'c, 'a>,
    /// Constants and elements of scalars, in front of the nest, by the address of the body's value.
    outside: HashMap<usize, Value<'c, 'a>>,
}

impl<'c, 'a> Body<'c, 'a> {
    /// Reads scalars and copies constants in front of the nest.
    pub fn new(builder: NestBuilder<'_, 'c, 'a>, nest: &Nest<'c, 'a>) -> Self {
        let mut operations = ir::block_operations(nest.body);
        let end = operations.pop().expect("a body has a terminator");
        let mut outside = HashMap::new();
        for operand in nest.inputs.iter().filter(|operand| operand.is_scalar()) {
            outside.insert(ir::id(operand.argument), builder.scalar(operand));
        }
        operations.retain(|operation| {
            if is_constant(*operation) {
                outside.insert(ir::id(result(*operation)), builder.constant_like(*operation));
            }
            !is_constant(*operation)
        });
        Self { operations, result: ir::operand(end, 0), outside }
    }

    /// The value `wanted` of the body as a vector of `length` elements, given some other values as vectors.
    pub fn compute(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        wanted: Value<'c, 'a>,
        given: &HashMap<usize, Value<'c, 'a>>,
        length: u64,
    ) -> Value<'c, 'a> {
        let mut known = given.clone();
        let needed = self.needed(wanted, given);
        for operation in self.operations.iter().filter(|it| needed.contains(&ir::id(result(**it))))
        {
            let operands: Vec<_> = operation
                .operands()
                .map(|operand| self.value(builder, operand, &known, length))
                .collect();
            let value = builder.vectorized(*operation, &operands, length);
            known.insert(ir::id(result(*operation)), value);
        }
        self.value(builder, wanted, &known, length)
    }

    /// The results that have to be computed for a value.
    fn needed(
        &self,
        wanted: Value<'c, 'a>,
        given: &HashMap<usize, Value<'c, 'a>>,
    ) -> HashSet<usize> {
        let mut needed = HashSet::from([ir::id(wanted)]);
        for operation in self.operations.iter().rev() {
            let own = ir::id(result(*operation));
            if needed.contains(&own) && !given.contains_key(&own) {
                needed.extend(operation.operands().map(ir::id));
            } else {
                needed.remove(&own);
            }
        }
        needed
    }

    fn value(
        &self,
        builder: NestBuilder<'_, 'c, 'a>,
        value: Value<'c, 'a>,
        known: &HashMap<usize, Value<'c, 'a>>,
        length: u64,
    ) -> Value<'c, 'a> {
        match known.get(&ir::id(value)) {
            Some(vector) => *vector,
            // Other values belong to the program around the operation.
            None => {
                let outer = self.outside.get(&ir::id(value)).copied().unwrap_or(value);
                builder.broadcast(outer, length)
            }
        }
    }

    /// The values that depend on operands of one kind and on no others, and that other values or the result
    /// need: computed first, they are all that is needed of these operands.
    pub fn frontier<'n>(
        &self,
        nest: &'n Nest<'c, 'a>,
        is_of_kind: impl Fn(&Operand) -> bool,
    ) -> Vec<Value<'c, 'a>> {
        let (own, others): (Vec<_>, Vec<_>) = nest.tensors().partition(|it| is_of_kind(it));
        let mut pure: HashMap<usize, bool> = HashMap::new();
        pure.extend(own.iter().map(|operand| (ir::id(operand.argument), true)));
        pure.extend(others.iter().map(|operand| (ir::id(operand.argument), false)));
        for operation in &self.operations {
            // Scalars are neither. A comparison is not asked for, because vectors of its results are not shuffled.
            let kinds: Vec<_> =
                operation.operands().filter_map(|it| pure.get(&ir::id(it)).copied()).collect();
            if !kinds.is_empty() {
                let result = result(*operation);
                let is_number = same_type(result.r#type(), nest.element);
                pure.insert(ir::id(result), is_number && kinds.iter().all(|is_pure| *is_pure));
            }
        }
        let is_pure = |value: Value| pure.get(&ir::id(value)) == Some(&true);
        let mut frontier: Vec<Value> = Vec::new();
        let mut add = |value: Value<'c, 'a>| {
            if is_pure(value) && !frontier.iter().any(|other| ir::id(*other) == ir::id(value)) {
                frontier.push(value);
            }
        };
        for operation in &self.operations {
            if pure.get(&ir::id(result(*operation))) == Some(&false) {
                operation.operands().for_each(&mut add);
            }
        }
        add(self.result);
        let operands: Vec<_> = own.iter().map(|operand| operand.argument).collect();
        if frontier.len() <= operands.len() { frontier } else { operands }
    }
}
