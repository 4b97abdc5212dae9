//! Reduces rows of numbers, each through eight interleaved partial results.
//!
//! Input: the number of rows, their common length, and a function that computes an element. Output: the result of each
//! row. Element `k` of a row goes to partial result `k mod 8`; at the end, the eight are combined in order. So the bits
//! do not depend on how many rows are reduced together. The first value of a reduction ([`start`]) and the next ones
//! ([`step`]) are defined here for all orders. An element may also be a pair of factors, of which a sum adds the exact
//! product ([`fused`]).
//!
//! While a row is read, one vector holds its partial results. At the end, these vectors are transposed: there is one for
//! each partial result, with an element for each row. Then one vector addition does the next step for all rows.

use crate::dialect::control::Reduction;
use melior::ir::{Type, Value};
use mlir_support::Builder;

/// The number of partial results.
pub const LANES: u64 = 8;

/// The initial value of a reduction. Those that are not here are made of others.
pub fn start(kind: Reduction) -> f64 {
    match kind {
        Reduction::Prod => 1.0,
        Reduction::Max => f64::NEG_INFINITY,
        Reduction::Min => f64::INFINITY,
        _ => 0.0,
    }
}

/// The next result, of numbers or of vectors of them.
pub fn step<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    so_far: Value<'c, 'a>,
    element: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let name = match kind {
        Reduction::Prod => "arith.mulf",
        Reduction::Max => "arith.maximumf",
        Reduction::Min => "arith.minimumf",
        _ => "arith.addf",
    };
    code.computed(name, &[so_far, element])
}

/// A sum and a product, rounded once, of numbers or of vectors of them.
pub fn fused<'c, 'a>(
    code: Builder<'c, 'a>,
    so_far: Value<'c, 'a>,
    [a, b]: [Value<'c, 'a>; 2],
) -> Value<'c, 'a> {
    code.computed("math.fma", &[a, b, so_far])
}

/// The next result of an element, or of a pair of factors.
fn next<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    so_far: Value<'c, 'a>,
    element: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    match *element {
        [a, b] => fused(code, so_far, [a, b]),
        _ => step(code, kind, so_far, element[0]),
    }
}

/// Reduces rows of `count` numbers of a type; `element` computes the element at a place of a row, or two factors.
pub fn lanes<'c, 'a, const N: usize>(
    code: Builder<'c, 'a>,
    (kind, number): (Reduction, Type<'c>),
    [rows, count]: [u64; 2],
    element: impl Fn(Builder<'c, 'a>, u64, Value<'c, 'a>) -> [Value<'c, 'a>; N],
) -> Vec<Value<'c, 'a>> {
    let start = code.float(number, start(kind));
    let vectors = |code: Builder<'c, 'a>, elements: &[[Value<'c, 'a>; N]]| {
        let vector = |at: usize| elements.iter().map(|element| element[at]).collect::<Vec<_>>();
        std::array::from_fn::<_, N, _>(|at| code.vector_of(&vector(at)))
    };
    if count < LANES {
        return (0..rows)
            .map(|row| short_row(code, kind, (start, count), |at| element(code, row, at)))
            .collect();
    }
    let none = code.vector_of(&[start; LANES as usize]);
    let done = count / LANES * LANES;
    let partial = vec![none; rows as usize];
    let mut partial = code.for_each(
        [0, done, LANES].map(|it| code.index(it)),
        &partial,
        &[],
        |code, first, partial| {
            let indices: Vec<_> = (0..LANES).map(|lane| code.plus(first, lane)).collect();
            let of_row = |(row, so_far): (u64, &Value<'c, 'a>)| {
                // The neighbors in a row become one vector, which LLVM reads at once.
                let elements: Vec<_> = indices.iter().map(|at| element(code, row, *at)).collect();
                next(code, kind, *so_far, &vectors(code, &elements))
            };
            (0..).zip(partial).map(of_row).collect()
        },
    );
    if done < count {
        // The start value of a reduction changes no partial result: no sum is -0, because it started with 0. But a fused
        // sum may be -0, of a product that is too small. Only the product -0 changes none of these.
        let nothing = match N {
            1 => [start; N],
            _ => [-0.0, 1.0].map(|it| code.float(number, it))[..].try_into().expect("two factors"),
        };
        let of_row = |(row, so_far): (u64, &Value<'c, 'a>)| {
            let rest = (done..count).map(|at| element(code, row, code.index(at)));
            let nothing = std::iter::repeat_n(nothing, (done + LANES - count) as usize);
            next(code, kind, *so_far, &vectors(code, &rest.chain(nothing).collect::<Vec<_>>()))
        };
        partial = (0..).zip(&partial).map(of_row).collect();
    }
    let mut results = Vec::new();
    let mut rest = partial.as_slice();
    while !rest.is_empty() {
        let together = 1 << rest.len().ilog2();
        let (some, others) = rest.split_at(together);
        results.extend(in_order(code, kind, some));
        rest = others;
    }
    results
}

/// The result of a row in which each element has a partial result of its own.
fn short_row<'c, 'a, const N: usize>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    (start, count): (Value<'c, 'a>, u64),
    element: impl Fn(Value<'c, 'a>) -> [Value<'c, 'a>; N],
) -> Value<'c, 'a> {
    let partial = |at| match at < count {
        true => next(code, kind, start, &element(code.index(at))),
        false => start,
    };
    (1..LANES).fold(partial(0), |so_far, at| step(code, kind, so_far, partial(at)))
}

/// The results of rows from the vectors of their partial results; of as many rows as a power of two, at most 8.
fn in_order<'c, 'a>(
    code: Builder<'c, 'a>,
    kind: Reduction,
    rows: &[Value<'c, 'a>],
) -> Vec<Value<'c, 'a>> {
    let count = rows.len() as u64;
    let turned = transpose(code, rows);
    let lanes = match count {
        1 => code.elements_of_vector(turned[0], LANES),
        _ => (0..LANES)
            .map(|at| (turned[(at % count) as usize], at / count * count))
            .map(|(vector, first)| code.part_of_vector(vector, first, count))
            .collect(),
    };
    let in_order = lanes.into_iter().reduce(|so_far, next| step(code, kind, so_far, next));
    let result = in_order.expect("there are eight");
    if count == 1 { vec![result] } else { code.elements_of_vector(result, count) }
}

/// Transposes `n` vectors, where `n` is a power of two: element `k` of vector `i` becomes element `i` of block `k / n` in
/// vector `k mod n`. In each step, pairs of vectors exchange blocks: first of 1 element, then of 2, then of 4. A block
/// of 2 is half of a 256-bit register and one of 4 half of a 512-bit register, so narrower registers are only renamed.
fn transpose<'c, 'a>(code: Builder<'c, 'a>, rows: &[Value<'c, 'a>]) -> Vec<Value<'c, 'a>> {
    let mut vectors = rows.to_vec();
    let mut block = 1;
    while block < vectors.len() {
        for at in (0..vectors.len()).filter(|at| at & block == 0) {
            let pair = [vectors[at], vectors[at + block]];
            let (first, second): (Vec<_>, Vec<_>) = (0..LANES as i64)
                .map(|to| match to & block as i64 == 0 {
                    true => (to, to + block as i64),
                    false => (LANES as i64 + to - block as i64, LANES as i64 + to),
                })
                .unzip();
            vectors[at] = code.shuffle(pair, &first);
            vectors[at + block] = code.shuffle(pair, &second);
        }
        block *= 2;
    }
    vectors
}
