//! Functions of numbers: `math.exp` and its like become calls of functions that consist of arithmetic.
//!
//! Input: functions with structured control flow, before their lowering to the LLVM dialect. Output: the same, without
//! these operations on single numbers, and a private function for each kind of them, as [`toy_math`] defines it. So does
//! `math.fma`, on vectors, too, in functions for processors without such an instruction.
//! Other operations on vectors and on other types are left to MLIR. Invariant: LLVM may inline, fold and vectorize the
//! arithmetic, which is exact; it would compute its own intrinsics, and calls of the C library, with other last bits.
//! Square roots, absolute values and `floor` are exact everywhere, and remain LLVM's.

use crate::dialect::ops;
use crate::dialect::shape::element_of_type;
use crate::runtime_calls::texts;
use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, Location, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion, OEQ, OLT};
use mlir_support::ir;
use mlir_support::pass::{OptionValue, PassContext, PassDefinition, PassOption, Prepared};
use std::cell::Cell;
use std::collections::BTreeMap;
use toy_diagnostics::Diagnosed;
use toy_math::{Arithmetic, Bitwise, Function, Machine, Table};

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-mathematics",
    "Computes exp, log, sin, cos, tanh and pow of a number by arithmetic, and fma where it is no instruction",
    &[PassOption {
        name: FUSED,
        value: OptionValue::Flag,
        default: "false",
        help: "The processor has an instruction for `math.fma`",
    }],
    configure,
);

const FUSED: &str = "fused";

fn configure(options: &str, _: bool) -> Result<Prepared, String> {
    let is_fused = match options.strip_prefix(FUSED) {
        None if options.is_empty() => false,
        Some("" | "=true") => true,
        Some("=false") => false,
        _ => return Err(format!("`{options}`: `{FUSED}=true` or `{FUSED}=false` is expected")),
    };
    Ok(Box::new(move |context, module| run(context, module, is_fused)))
}

/// The pass; `is_fused`: the processor has an instruction for fused multiply-add.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, is_fused: bool) -> Diagnosed<()> {
    let context = context.session.context();
    let mut called = BTreeMap::new();
    for operation in ir::operations(module.as_operation()) {
        let Some(function) = function_of(ir::name(&operation)) else { continue };
        let ty = ops::result(operation).r#type();
        let length = match (element_of_type(ty), function) {
            (Some(_), Function::Fma) if is_fused => continue,
            (Some(_), _) => None,
            (None, Function::Fma) if !is_fused => match length_of(ty) {
                None => continue,
                length => length,
            },
            _ => continue,
        };
        let name = name_of(function, length);
        let operands: Vec<_> = operation.operands().collect();
        let call = Builder::before(context, operation).call(&name, &operands, &[ty]);
        ir::replace_all_uses(ops::result(operation), ops::result(call));
        ir::erase(operation);
        called.insert(name, (function, ty, length));
    }
    for function in ops::functions(module) {
        called.remove(&ops::symbol_name(&function));
    }
    for (name, (function, ty, length)) in called {
        define(context, module, &name, (function, ty, length));
    }
    Ok(())
}

fn function_of(operation: &str) -> Option<Function> {
    let name = operation.strip_prefix("math.")?;
    let name = if name == "powf" { "pow" } else { name };
    Function::ALL.into_iter().find(|function| function.name() == name)
}

/// The name of the definition, for numbers or for vectors of a length.
fn name_of(function: Function, length: Option<u64>) -> String {
    let name = format!("toy.{}", function.name());
    length.map_or(name.clone(), |length| format!("{name}.{length}"))
}

/// The length of a vector of numbers with one dimension.
fn length_of(ty: Type) -> Option<u64> {
    let (element, sizes) = ir::fixed_vector(ty)?;
    let [length] = sizes[..] else { return None };
    element_of_type(element).map(|_| length)
}

/// Adds the definition of a function of numbers, or of vectors of a length.
fn define<'c>(
    context: &'c Context,
    module: &Module<'c>,
    name: &str,
    (function, number, length): (Function, Type<'c>, Option<u64>),
) {
    if length.is_some() {
        context.get_or_load_dialect("vector");
    }
    let location = Location::unknown(context);
    let arguments = vec![number; function.arity()];
    let ty = FunctionType::new(context, &arguments, &[number]);
    let arguments: Vec<_> = arguments.into_iter().map(|ty| (ty, location)).collect();
    let body = Some(Block::new(&arguments));
    let operation = ops::function(context, location, name, ty, body, true);
    let operation = module.body().insert_operation(0, operation);
    let block = ops::entry_block(operation).expect("it has a body");
    let builder = Builder::new(context, Insertion::AtEnd(block), location);
    let written = Written { module, builder: Cell::new(builder), number, length };
    let value = function.on(&written, &ir::arguments(block));
    builder.op("func.return", &[value], &[], &[]);
}

/// The machine that writes operations: a value is the result of one.
struct Written<'c, 'a> {
    module: &'a Module<'c>,
    /// Where the next operation is written.
    builder: Cell<Builder<'c, 'a>>,
    number: Type<'c>,
    /// The number of elements if all values are vectors.
    length: Option<u64>,
}

impl<'c, 'a> Written<'c, 'a> {
    /// The type of values, given that of their elements.
    fn of(&self, element: Type<'c>) -> Type<'c> {
        self.length.map_or(element, |length| Type::vector(&[length], element))
    }

    /// A number as a value.
    fn splat(&self, number: Value<'c, 'a>) -> Value<'c, 'a> {
        match self.length {
            Some(_) => {
                let ty = self.of(number.r#type());
                self.builder.get().value("vector.broadcast", &[number], ty, &[])
            }
            None => number,
        }
    }

    fn compare(&self, predicate: i64, operands: [Value<'c, 'a>; 2]) -> Value<'c, 'a> {
        let builder = self.builder.get();
        let predicate = [("predicate", builder.number(predicate))];
        builder.value("arith.cmpf", &operands, self.of(builder.truth_type()), &predicate)
    }
}

type Parts<'c, 'a> = (Value<'c, 'a>, Value<'c, 'a>, Value<'c, 'a>);

impl<'c, 'a> Machine for Written<'c, 'a> {
    type Number = Value<'c, 'a>;
    type Integer = Value<'c, 'a>;
    type Truth = Value<'c, 'a>;

    fn number(&self, value: f64) -> Value<'c, 'a> {
        let element = ir::element(self.number).unwrap_or(self.number);
        self.splat(self.builder.get().float(element, value))
    }

    fn integer(&self, value: u64) -> Value<'c, 'a> {
        let builder = self.builder.get();
        self.splat(builder.integer(builder.i64_type(), value.cast_signed()))
    }

    fn arithmetic(
        &self,
        operation: Arithmetic,
        a: Value<'c, 'a>,
        b: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let name = match operation {
            Arithmetic::Add => "arith.addf",
            Arithmetic::Subtract => "arith.subf",
            Arithmetic::Multiply => "arith.mulf",
            Arithmetic::Divide => "arith.divf",
        };
        self.builder.get().computed(name, &[a, b])
    }

    fn bitwise(&self, operation: Bitwise, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        let name = match operation {
            Bitwise::Add => "arith.addi",
            Bitwise::Subtract => "arith.subi",
            Bitwise::Multiply => "arith.muli",
            Bitwise::MultiplyHigh => {
                let both = [a.r#type(); 2];
                let product = self.builder.get().op("arith.mului_extended", &[a, b], &both, &[]);
                return product.result(1).expect("the high half").into();
            }
            Bitwise::And => "arith.andi",
            Bitwise::Or => "arith.ori",
            Bitwise::Xor => "arith.xori",
            Bitwise::ShiftLeft => "arith.shli",
            Bitwise::ShiftRight => "arith.shrui",
            Bitwise::ShiftRightSigned => "arith.shrsi",
        };
        self.builder.get().computed(name, &[a, b])
    }

    fn bits(&self, number: Value<'c, 'a>) -> Value<'c, 'a> {
        let builder = self.builder.get();
        builder.value("arith.bitcast", &[number], self.of(builder.i64_type()), &[])
    }

    fn of_bits(&self, bits: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().value("arith.bitcast", &[bits], self.number, &[])
    }

    fn less(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.compare(OLT, [a, b])
    }

    fn equal(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.compare(OEQ, [a, b])
    }

    fn not(&self, a: Value<'c, 'a>) -> Value<'c, 'a> {
        let builder = self.builder.get();
        builder.computed("arith.xori", &[a, self.splat(builder.truth(true))])
    }

    fn and(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().computed("arith.andi", &[a, b])
    }

    fn or(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().computed("arith.ori", &[a, b])
    }

    fn select(&self, truth: Value<'c, 'a>, yes: Value<'c, 'a>, no: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().computed("arith.select", &[truth, yes, no])
    }

    fn branch(
        &self,
        truth: Value<'c, 'a>,
        yes: impl FnOnce() -> Parts<'c, 'a>,
        no: impl FnOnce() -> Parts<'c, 'a>,
    ) -> Parts<'c, 'a> {
        let write = |parts: Parts<'c, 'a>| vec![parts.0, parts.1, parts.2];
        // The other computation runs if it is needed, for an element of a vector at least.
        let first = write(yes());
        let outside = self.builder.get();
        let condition = match self.length {
            Some(_) => {
                let all = Attribute::parse(outside.context, "#vector.kind<and>").expect("valid");
                let ty = outside.truth_type();
                outside.value("vector.reduction", &[truth], ty, &[("kind", all)])
            }
            None => truth,
        };
        let types = [self.number, self.number, self.of(outside.i64_type())];
        let regions = vec![outside.region(&[]), outside.region(&[])];
        let branch = outside.op_with_regions("scf.if", &[condition], &types, &[], regions);
        outside.fill_region(branch, 0, "scf.yield", |_, _| first.clone());
        outside.fill_region(branch, 1, "scf.yield", |inside, _| {
            self.builder.set(inside);
            let others = write(no());
            if self.length.is_none() {
                return others;
            }
            let select = |(yes, no): (&Value<'c, 'a>, Value<'c, 'a>)| {
                inside.computed("arith.select", &[truth, *yes, no])
            };
            first.iter().zip(others).map(select).collect()
        });
        self.builder.set(outside);
        let result = |at: usize| branch.result(at).expect("three results").into();
        (result(0), result(1), result(2))
    }

    fn entry(&self, table: &'static Table, at: Value<'c, 'a>) -> Value<'c, 'a> {
        let builder = self.builder.get();
        let name = format!("toy.{}", table.name);
        let count = table.entries.len();
        let globals = ir::block_operations(self.module.body());
        if !globals.iter().any(|global| ops::symbol_name(global) == name) {
            let start = Builder::at_start(builder.context, self.module.body());
            let entries: Vec<_> =
                table.entries.iter().map(|entry| entry.cast_signed().to_string()).collect();
            let value = format!("dense<[{}]> : tensor<{count}xi64>", entries.join(", "));
            let value = Attribute::parse(builder.context, &value).expect("a list of integers");
            texts::global(start, &name, &format!("{count} x i64"), value);
        }
        const IS_OPERAND: i32 = i32::MIN;
        let array = builder.address_of(&name);
        let element = TypeAttribute::new(builder.i64_type()).into();
        let attributes =
            [("rawConstantIndices", builder.segments(&[IS_OPERAND])), ("elem_type", element)];
        let pointer = array.r#type();
        let address = builder.value("llvm.getelementptr", &[array, at], pointer, &attributes);
        builder.value("llvm.load", &[address], builder.i64_type(), &[])
    }
}
