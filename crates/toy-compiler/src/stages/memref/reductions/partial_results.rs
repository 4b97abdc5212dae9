//! The partial results of rows, one vector for each row, become the results.
//!
//! The vectors are transposed: there is one for each partial result, with an element for each row. Then one vector
//! operation combines the next partial results of all rows. The first value of a reduction ([`start`]) and the operation
//! on two results ([`step`]) follow from the operation that combines them.

pub use crate::stages::linalg::toy_to_linalg::reductions::LANES;
use melior::ir::Value;
use mlir_support::Builder;
use mlir_support::ir;

/// The operation that combines an element with a result, the operation on two results, and the first value.
const STEPS: [(&str, &str, f64); 5] = [
    ("arith.addf", "arith.addf", 0.0),
    ("math.fma", "arith.addf", 0.0),
    ("arith.mulf", "arith.mulf", 1.0),
    ("arith.maximumf", "arith.maximumf", f64::NEG_INFINITY),
    ("arith.minimumf", "arith.minimumf", f64::INFINITY),
];

fn entry(combined: Value) -> Option<(&'static str, f64)> {
    let name = ir::name(&ir::defining_operation(combined)?);
    STEPS.into_iter().find(|(own, ..)| *own == name).map(|(_, step, start)| (step, start))
}

/// The value of a partial result that changes nothing; None if the value is not that of a known operation.
pub fn start(combined: Value) -> Option<f64> {
    entry(combined).map(|(_, start)| start)
}

/// The operation on two partial results.
pub fn step(combined: Value) -> &'static str {
    entry(combined).map_or("arith.addf", |(step, _)| step)
}

/// The results of rows from the vectors of their partial results, each combined in order.
pub fn in_order<'c, 'a>(
    code: Builder<'c, 'a>,
    step: &str,
    mut rows: &[Value<'c, 'a>],
) -> Vec<Value<'c, 'a>> {
    let mut results = Vec::new();
    while !rows.is_empty() {
        let (some, others) = rows.split_at(1 << rows.len().ilog2());
        results.extend(group_in_order(code, step, some));
        rows = others;
    }
    results
}

/// The results of rows from the vectors of their partial results; of as many rows as a power of two, at most 8.
fn group_in_order<'c, 'a>(
    code: Builder<'c, 'a>,
    step: &str,
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
    let in_order = lanes.into_iter().reduce(|so_far, next| code.computed(step, &[so_far, next]));
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
