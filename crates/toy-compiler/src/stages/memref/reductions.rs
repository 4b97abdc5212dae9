//! Makes loops of reductions through eight partial results, the order of additions of the language.
//!
//! Input: linalg on tensors, after fusion. Output: the same without [operations with partial results](combined); there are loops over vectors in their place, which read each element of an operand once,
//! compute the body, and carry the partial results of a few rows. Nothing else is in memory: fusion has put the
//! computation of the elements into the body.
//!
//! ```mlir
//! %s = linalg.generic {...} ins(%a, %b) outs(%zeros) {            for each row:
//!   %p = arith.mulf %x, %y                              =>          for k in steps of 8:
//!   %q = arith.addf %so_far, %p {toyc.partial_results}                partial += a[row, k..k + 8] * b[row, k..k + 8]
//!   linalg.yield %q                                                 s[row] = ((partial[0] + partial[1]) + ...)
//! }
//! ```
//!
//! Invariant: element `k` of a row, in the order of the iterators, is combined with partial result `k mod 8`. So the
//! bits depend neither on the rows that are reduced together, nor on the operations that were fused. An operation of
//! another form (a size that is not known, an index that is computed) keeps its place and its order of iterators; no
//! such operation is made from a Toy program.

pub mod body;
mod partial_results;
mod rows;

use crate::dialect::ops;
use crate::dialect::shape::shape_of;
use crate::stages::linalg::toy_to_linalg::reductions::combined;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockRef, Module, Type, Value, ValueLike};
use mlir_support::builder::Builder;
use mlir_support::ir;
use mlir_support::linalg::{Generic, IteratorKind};
use mlir_support::pass::{OptionValue, PassContext, PassDefinition, PassOption};
use rows::Reduced;
use toy_diagnostics::Diagnosed;

/// The number of elements that the loops of a reduction read; on the outermost.
const ELEMENTS: &str = "toyc.reduced_elements";

/// The number of elements that a loop and those in it reduce, if it is the outermost loop of a reduction.
pub fn elements(operation: OperationRef) -> Option<u64> {
    let elements = IntegerAttribute::try_from(operation.attribute(ELEMENTS).ok()?).ok()?;
    u64::try_from(elements.value()).ok()
}

/// The number of elements that an `scf.for` computes whose iterations are independent.
pub const PARALLEL: &str = "toy.parallel";

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-reductions",
    "Makes loops of reductions through eight partial results",
    OPTIONS,
    |options, _| {
        let parallel = is_parallel(options)?;
        Ok(Box::new(move |context, module| run(context, module, parallel)))
    },
);

/// The options of passes that make loops over rows.
pub const OPTIONS: &[PassOption] = &[PassOption {
    name: "parallel",
    value: OptionValue::Flag,
    default: "false",
    help: "Loops over rows say that they are independent, for toy-parallel-loops",
}];

/// The value of the option.
pub fn is_parallel(options: &str) -> Result<bool, String> {
    match options.trim() {
        "" | "parallel=false" => Ok(false),
        "parallel" | "parallel=true" => Ok(true),
        other => Err(format!("`{other}`: `parallel=true` is expected")),
    }
}

/// The pass; `parallel` asks for the attribute of independent rows.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, parallel: bool) -> Diagnosed<()> {
    let mut reductions = ir::operations(module.as_operation());
    reductions.retain(|operation| Reduction::of(*operation).is_some());
    if !reductions.is_empty() {
        context.session.load_dialects(&["arith", "scf", "vector"]);
    }
    for operation in reductions {
        // Its operands may be results of others, which have been replaced.
        let Some(mut reduction) = Reduction::of(operation) else { continue };
        let code = Builder::before(context.session.context(), reduction.operation);
        reduction.join_neighbors(code);
        replace(code, &reduction, rows::reduce(code, &reduction, parallel));
    }
    Ok(())
}

/// Replaces a reduction by its result.
fn replace<'c, 'a>(code: Builder<'c, 'a>, reduction: &Reduction<'c, 'a>, result: Reduced<'c, 'a>) {
    let operation = reduction.operation;
    let old = ops::result(operation);
    let tensor = match result {
        Reduced::Tensor(tensor) if reduction.groups.len() == reduction.rank => tensor,
        Reduced::Tensor(tensor) => {
            let shape = shape_of(old.r#type()).expect("recognized").0;
            code.regrouped(tensor, &reduction.groups, &shape)
        }
        Reduced::Number(number) => {
            for (user, _) in ir::uses(old) {
                if ir::name(&user) == "tensor.extract" {
                    ir::replace_all_uses(ops::result(user), number);
                    ir::erase(user);
                }
            }
            code.scalar(number)
        }
    };
    ir::replace_all_uses(old, tensor);
    let destination = ir::operand(operation, operation.operand_count() - 1);
    ir::erase(operation);
    for value in [tensor, destination] {
        erase_unused(value);
    }
}

/// Erases the operation of a value that is not used, and those that it alone uses, as far as they only make a destination
/// or a tensor of a number.
fn erase_unused(value: Value) {
    const MAKE_TENSORS: [&str; 5] = [
        "linalg.fill",
        "linalg.generic",
        "tensor.empty",
        "tensor.from_elements",
        "tensor.expand_shape",
    ];
    let made = |it: &OperationRef| MAKE_TENSORS.contains(&ir::name(it));
    let unused = ir::defining_operation(value).filter(|it| made(it) && !ir::has_uses(value));
    let Some(definition) = unused else { return };
    let operands: Vec<_> = definition.operands().collect();
    ir::erase(definition);
    operands.into_iter().for_each(erase_unused);
}

/// An operation that combines partial results, with its dimensions in this order: those of the result, and those that
/// are reduced.
struct Reduction<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    body: BlockRef<'c, 'a>,
    /// The body's next result.
    combined: Value<'c, 'a>,
    /// The result so far, in the body.
    so_far: Value<'c, 'a>,
    number: Type<'c>,
    inputs: Vec<Input<'c, 'a>>,
    sizes: Vec<u64>,
    /// The number of dimensions that are not reduced.
    kept: usize,
    /// These, as dimensions of the result, which has a rank.
    groups: Vec<Vec<usize>>,
    rank: usize,
    /// For each dimension of the operation its place in this order.
    places: Vec<usize>,
}

/// An operand with its dimensions, and the argument of the body that is its element.
struct Input<'c, 'a> {
    tensor: Value<'c, 'a>,
    element: Value<'c, 'a>,
    dimensions: Vec<usize>,
}

impl<'c, 'a> Reduction<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let generic = Generic::of(operation)?;
        let combined = combined(&generic)?;
        let destination = generic.inputs;
        if generic.destinations().len() != 1 || operation.result_count() != 1 {
            return None;
        }
        let reduced = |at: &usize| generic.iterators[*at] == IteratorKind::Reduction;
        let mut order = generic.dimensions(destination)?;
        let kept = order.len();
        order.extend((0..generic.iterators.len()).filter(reduced));
        let place = |dim: usize| order.iter().position(|it| *it == dim);
        let places: Vec<_> = (0..generic.iterators.len()).map(place).collect::<Option<_>>()?;
        let mut sizes = vec![0; places.len()];
        let mut inputs = Vec::new();
        for at in 0..=destination {
            let tensor = ir::operand(operation, at);
            let dimensions: Vec<_> =
                generic.dimensions(at)?.into_iter().map(|dim| places[dim]).collect();
            for (dim, size) in dimensions.iter().zip(shape_of(tensor.r#type())?.0) {
                sizes[*dim] = size;
            }
            inputs.push(Input { tensor, element: generic.element(at)?, dimensions });
        }
        let is_plain = order.len() == places.len()
            && kept < order.len()
            && !sizes.contains(&0)
            && body::is_plain(generic.body)
            && partial_results::start(combined).is_some();
        let Input { tensor, element: so_far, .. } = inputs.pop()?;
        let number = ir::element(tensor.r#type())?;
        let body = generic.body;
        is_plain.then_some(Self {
            operation,
            body,
            combined,
            so_far,
            number,
            inputs,
            sizes,
            kept,
            groups: vec![],
            rank: kept,
            places,
        })
    }

    /// Makes dimensions one that are neighbors in all operands which have one of them.
    fn join_neighbors(&mut self, code: Builder<'c, 'a>) {
        let indexed = body::indexed_dimensions(self.body);
        let is_indexed = |place: usize| indexed.iter().any(|dim| self.places[*dim] == place);
        let may_join = |first: usize| {
            let pair = [first, first + 1];
            let is_whole = |input: &Input| {
                let has = pair.map(|dim| input.dimensions.contains(&dim));
                has == [false; 2] || input.dimensions.windows(2).any(|it| it == pair)
            };
            first + 1 != self.kept
                && !pair.into_iter().any(is_indexed)
                && self.inputs.iter().all(is_whole)
        };
        let joins: Vec<bool> = (1..self.sizes.len()).map(|next| may_join(next - 1)).collect();
        // The number of each dimension afterwards.
        let mut numbers = vec![0];
        for joins in &joins {
            numbers.push(numbers[numbers.len() - 1] + usize::from(!joins));
        }
        let mut sizes = vec![1; numbers[numbers.len() - 1] + 1];
        for (number, size) in numbers.iter().zip(&self.sizes) {
            sizes[*number] *= size;
        }
        for input in &mut self.inputs {
            let mut groups: Vec<Vec<usize>> = Vec::new();
            for (at, dim) in input.dimensions.iter().enumerate() {
                match groups.last_mut() {
                    Some(group) if joins.get(dim.wrapping_sub(1)) == Some(&true) => group.push(at),
                    _ => groups.push(vec![at]),
                }
            }
            if groups.len() < input.dimensions.len() {
                let first = |group: &Vec<usize>| numbers[input.dimensions[group[0]]];
                let dimensions: Vec<_> = groups.iter().map(first).collect();
                let shape: Vec<_> = dimensions.iter().map(|dim| sizes[*dim]).collect();
                input.tensor = code.regrouped(input.tensor, &groups, &shape);
                input.dimensions = dimensions;
            } else {
                input.dimensions.iter_mut().for_each(|dim| *dim = numbers[*dim]);
            }
        }
        self.places.iter_mut().for_each(|place| *place = numbers[*place]);
        self.kept = numbers[..self.kept].last().map_or(0, |last| last + 1);
        let of = |number| (0..self.rank).filter(|dim| numbers[*dim] == number).collect();
        self.groups = (0..self.kept).map(of).collect();
        self.sizes = sizes;
    }

    /// The attributes of the loop over a dimension.
    fn attributes(&self, code: Builder<'c, '_>, dimension: usize) -> Vec<(&str, Attribute<'c>)> {
        let elements = || code.number(self.sizes.iter().product::<u64>().cast_signed());
        (dimension == 0).then(|| (ELEMENTS, elements())).into_iter().collect()
    }

    fn last(&self) -> usize {
        self.sizes.len() - 1
    }
}
