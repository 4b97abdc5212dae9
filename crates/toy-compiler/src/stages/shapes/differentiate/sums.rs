//! Sums of products over the iterations of a loop, as one product.
//!
//! The cotangent of a matrix that each iteration multiplies by is a sum, and the loop would read and write all of it in
//! each iteration:
//!
//! ```text
//! for i in 0..n { dw = dw + outer(g, h); }
//! ```
//!
//! Instead, the loop keeps the factors in tensors with a place for each iteration, and the sum is one product:
//!
//! ```text
//! for i in 0..n { gs[i] = g; hs[i] = h; }
//! dw = dw + transpose(gs) @ hs;
//! ```
//!
//! Input: the adjoint of a loop, with the sums that it carries. Output: the same loop without the products in these sums
//! whose factors have at most half as many elements as the product, and the products of all iterations after the loop. A
//! factor that is on the tape is read from there. Invariants: nothing else reads a sum from which a product is taken; a
//! place that no iteration writes is 0; products in branches stay in the loop.

use super::code::{Code, shape, tensor};
use super::sweep;
use crate::dialect::control::Subscript;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, tensor_type};
use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use mlir_support::builder::Insertion;
use mlir_support::ir;
use std::collections::HashSet;

/// The iterations of a loop.
pub struct Iterations<'n, 'c, 'a, 'l> {
    pub most: u64,
    /// True if there are never fewer.
    pub are_known: bool,
    /// The number of the iteration that the adjoint goes back through, counted from the first one of the loop.
    pub number: &'n dyn Fn(Code<'c, 'a, 'l>) -> Value<'c, 'a>,
    /// The values that the adjoint reads from tapes, with the tapes.
    pub saved: &'n [(Value<'c, 'a>, Value<'c, 'a>)],
}

/// A sum after the loop.
pub struct Sum<'c, 'a> {
    /// The result of the loop; None if it would be the value before the loop.
    pub rest: Option<Value<'c, 'a>>,
    pub products: Vec<Value<'c, 'a>>,
}

/// A factor of all iterations: a row for each iteration, or several.
struct Stack<'c, 'a> {
    factor: Value<'c, 'a>,
    rows: Value<'c, 'a>,
    /// The operation that writes it in the loop, unless it is a tape.
    update: Option<OperationRef<'c, 'a>>,
}

/// A product in a sum.
struct Term<'c, 'a> {
    add: OperationRef<'c, 'a>,
    /// Both have a row for each term of the product's sums; the first one may be on its side.
    factors: [Value<'c, 'a>; 2],
    is_transposed: bool,
}

/// The bytes of the factors in each iteration that are not on a tape already.
pub fn bytes(operation: OperationRef, first: usize, most: u64, on_tape: &[Value]) -> u64 {
    let body = ir::blocks_of(operation, 0)[0];
    let end = *ir::block_operations(body).last().expect("a loop has a terminator");
    let sums = end.operands().skip(first);
    let factors = sums.flat_map(|sum| terms(sum, most)).flat_map(|term| term.factors);
    let mut seen: HashSet<usize> = on_tape.iter().map(ir::id).collect();
    let new = factors.filter(|factor| seen.insert(ir::id(*factor)));
    new.filter_map(|factor| tensor(factor).bytes()).sum()
}

/// Takes products out of the values that a loop carries from a place on. Returns the results before these, and the
/// sums.
pub fn taken_out<'c, 'a, 'l>(
    code: Code<'c, 'a, 'l>,
    operation: OperationRef<'c, 'a>,
    first: usize,
    iterations: &Iterations<'_, 'c, 'a, 'l>,
) -> (Vec<Value<'c, 'a>>, Vec<Sum<'c, 'a>>) {
    let body = ir::blocks_of(operation, 0)[0];
    let end = *ir::block_operations(body).last().expect("a loop has a terminator");
    let places = (code.at(Insertion::Before(operation)), code.at(Insertion::Before(end)));
    let carried = ir::arguments(body)[1..].to_vec();
    let mut kept = vec![true; carried.len()];
    let (mut stacks, mut products) = (Vec::new(), Vec::<Vec<[usize; 2]>>::new());
    for place in first..carried.len() {
        let terms = terms(ir::operand(end, place), iterations.most);
        let stacked = terms.iter().map(|term| {
            ir::replace_all_uses(ops::result(term.add), ir::operand(term.add, 0));
            ir::erase(term.add);
            let [left, right] = term.factors;
            let left = if term.is_transposed { places.1.matrix_transpose(left) } else { left };
            [left, right].map(|factor| stack(&mut stacks, places, factor, iterations))
        });
        products.push(stacked.collect());
        let is_idle =
            ir::operand(end, place) == carried[place] && ir::uses(carried[place]).len() == 1;
        kept[place] = terms.is_empty() || !is_idle;
    }
    let updates: Vec<_> = stacks.iter().filter_map(|it: &Stack| it.update).collect();
    let inits: Vec<_> = updates.iter().map(|update| ir::operand(*update, 1)).collect();
    let (looped, arguments, rows) = sweep::rebuilt(code.builder, operation, &kept, &inits);
    let body = ir::blocks_of(looped, 0)[0];
    let end = *ir::block_operations(body).last().expect("a loop has a terminator");
    let split = looped.result_count() - updates.len();
    for (at, update) in updates.iter().enumerate() {
        ir::mutable(*update).set_operand(1, arguments[at]);
        ir::mutable(end).set_operand(split + at, ops::result(*update));
    }
    let written = stacks.iter_mut().filter(|it| it.update.is_some());
    written.zip(rows).for_each(|(stack, rows)| stack.rows = rows);
    let mut results = looped.results().map(Value::from);
    let others = results.by_ref().take(first).collect();
    let product = |factors: &[usize; 2]| {
        let [left, right] = factors.map(|number| as_rows(code, &stacks[number]));
        code.product(code.matrix_transpose(left), right)
    };
    let sums = products.iter().zip(&kept[first..]).map(|(products, kept)| Sum {
        rest: kept.then(|| results.next().expect("a result for each value that is carried")),
        products: products.iter().map(product).collect(),
    });
    (others, sums.collect())
}

/// The products in a sum that are worth it.
fn terms<'c, 'a>(mut sum: Value<'c, 'a>, most: u64) -> Vec<Term<'c, 'a>> {
    let mut found = Vec::new();
    while let Some(add) = ir::defined_by(sum, Kind::Add.name())
        && ir::uses(sum).len() == 1
    {
        found.extend(term(add, most));
        sum = ir::operand(add, 0);
    }
    found
}

fn term<'c, 'a>(add: OperationRef<'c, 'a>, most: u64) -> Option<Term<'c, 'a>> {
    let product = ir::operand(add, 1);
    let operation = ir::defining_operation(product)?;
    let kind = Kind::of(&operation).filter(|kind| matches!(kind, Kind::Mul | Kind::Matmul))?;
    let [x, y] = [0, 1].map(|place| ir::operand(operation, place));
    let ranks = [product, x, y].map(|it| shape(it).0.len());
    let count = |it| shape(it).element_count().and_then(|count| count.checked_mul(2 * most));
    if count(x)?.checked_add(count(y)?)? > count(product)? / 2 {
        return None;
    }
    let (left, is_transposed) = match kind {
        Kind::Matmul if ranks == [2, 2, 2] => match ir::defined_by(x, Kind::Transpose.name()) {
            Some(transpose) => (ir::operand(transpose, 0), false),
            None => (x, true),
        },
        // A column times a list.
        Kind::Mul if ranks == [2, 2, 1] && shape(x).0[1] == 1 => {
            (ir::operand(ir::defined_by(x, Kind::Reshape.name())?, 0), false)
        }
        _ => return None,
    };
    let is_list = kind == Kind::Matmul || shape(left).0.len() == 1;
    is_list.then_some(Term { add, factors: [left, y], is_transposed })
}

/// The number of the stack for a factor, which is written in the loop unless it exists.
fn stack<'c, 'a, 'l>(
    stacks: &mut Vec<Stack<'c, 'a>>,
    (before, inside): (Code<'c, 'a, 'l>, Code<'c, 'a, 'l>),
    factor: Value<'c, 'a>,
    iterations: &Iterations<'_, 'c, 'a, 'l>,
) -> usize {
    if let Some(number) = stacks.iter().position(|it| it.factor == factor) {
        return number;
    }
    let tape = iterations.saved.iter().find(|(value, _)| *value == factor && iterations.are_known);
    let (rows, update) = match tape {
        Some((_, tape)) => (*tape, None),
        None => {
            let mut ty = tensor(factor);
            ty.shape.0.insert(0, iterations.most);
            let ty = tensor_type(before.builder.context, &ty);
            let init = match iterations.are_known {
                true => before.tape(ty, None),
                false => before.zeros(ty),
            };
            let at = (iterations.number)(inside);
            let rows = inside.update(factor, init, &[Subscript::At], &[at]);
            (rows, ir::defining_operation(rows))
        }
    };
    stacks.push(Stack { factor, rows, update });
    stacks.len() - 1
}

/// The rows of all iterations as a matrix.
fn as_rows<'c, 'a>(code: Code<'c, 'a, '_>, stack: &Stack<'c, 'a>) -> Value<'c, 'a> {
    let dims = shape(stack.rows).0;
    let columns = dims[dims.len() - 1];
    let rows = dims[..dims.len() - 1].iter().product();
    code.reshape(stack.rows, &Shape(vec![rows, columns]))
}
