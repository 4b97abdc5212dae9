//! Functions of numbers: `math.exp` and its like become calls of functions that consist of arithmetic.
//!
//! Input: functions with structured control flow, before their lowering to the LLVM dialect. Output: the same, without
//! these operations on single numbers, and a private function for each kind of them, as [`toy_math`] defines it.
//! Operations on vectors and on other types are left to MLIR. Invariant: LLVM may inline, fold and vectorize the
//! arithmetic, which is exact; it would compute its own intrinsics, and calls of the C library, with other last bits.
//! Square roots, absolute values and `floor` are exact everywhere, and remain LLVM's.

use crate::dialect::ops;
use crate::dialect::shape::element_of_type;
use crate::runtime_calls::texts;
use crate::stages::loops::versions::{self, Version};
use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, Location, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion, OEQ, OLT};
use mlir_support::ir;
use mlir_support::pass::{PassContext, PassDefinition};
use std::cell::Cell;
use std::collections::BTreeMap;
use toy_diagnostics::Diagnosed;
use toy_math::{Arithmetic, Bitwise, Function, Machine, Table};

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-mathematics",
    "Computes exp, log, sin, cos, tanh and pow of a number by arithmetic",
    run,
);

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let context = context.session.context();
    let mut called = BTreeMap::new();
    for operation in ir::operations(module.as_operation()) {
        let Some(function) = function_of(ir::name(&operation)) else { continue };
        let ty = ops::result(operation).r#type();
        if element_of_type(ty).is_none() {
            continue;
        }
        let operands: Vec<_> = operation.operands().collect();
        let version = versions::around(operation);
        let name = name_of(function, version);
        let call = Builder::before(context, operation).call(&name, &operands, &[ty]);
        ir::replace_all_uses(ops::result(operation), ops::result(call));
        ir::erase(operation);
        called.insert(name, (function, version, ty));
    }
    for function in ops::functions(module) {
        called.remove(&ops::symbol_name(&function));
    }
    for (name, (function, version, ty)) in called {
        let definition = define(context, module, function, &name, ty);
        if let Some(version) = version {
            versions::mark(context, definition, version);
        }
    }
    Ok(())
}

fn function_of(operation: &str) -> Option<Function> {
    let name = operation.strip_prefix("math.")?;
    let name = if name == "powf" { "pow" } else { name };
    Function::ALL.into_iter().find(|function| function.name() == name)
}

/// Each version of the program's functions has its own, which LLVM inlines as it does where there is only one.
fn name_of(function: Function, version: Option<&Version>) -> String {
    let name = format!("toy.{}", function.name());
    version.map_or(name.clone(), |version| versions::version_name(&name, version.cpu))
}

/// Adds the definition of a function of numbers of a type.
fn define<'c, 'a>(
    context: &'c Context,
    module: &'a Module<'c>,
    function: Function,
    name: &str,
    number: Type<'c>,
) -> OperationRef<'c, 'a> {
    let location = Location::unknown(context);
    let arguments = vec![number; function.arity()];
    let ty = FunctionType::new(context, &arguments, &[number]);
    let arguments: Vec<_> = arguments.into_iter().map(|ty| (ty, location)).collect();
    let body = Some(Block::new(&arguments));
    let operation = ops::function(context, location, name, ty, body, true);
    let operation = module.body().insert_operation(0, operation);
    let block = ops::entry_block(operation).expect("it has a body");
    let builder = Builder::new(context, Insertion::AtEnd(block), location);
    let written = Written { module, builder: Cell::new(builder), number };
    let value = function.on(&written, &ir::arguments(block));
    builder.op("func.return", &[value], &[], &[]);
    operation
}

/// The machine that writes operations: a value is the result of one.
struct Written<'c, 'a> {
    module: &'a Module<'c>,
    /// Where the next operation is written.
    builder: Cell<Builder<'c, 'a>>,
    number: Type<'c>,
}

type Parts<'c, 'a> = (Value<'c, 'a>, Value<'c, 'a>, Value<'c, 'a>);

impl<'c, 'a> Machine for Written<'c, 'a> {
    type Number = Value<'c, 'a>;
    type Integer = Value<'c, 'a>;
    type Truth = Value<'c, 'a>;

    fn number(&self, value: f64) -> Value<'c, 'a> {
        self.builder.get().float(self.number, value)
    }

    fn integer(&self, value: u64) -> Value<'c, 'a> {
        let builder = self.builder.get();
        builder.integer(builder.i64_type(), value.cast_signed())
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
        builder.value("arith.bitcast", &[number], builder.i64_type(), &[])
    }

    fn of_bits(&self, bits: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().value("arith.bitcast", &[bits], self.number, &[])
    }

    fn less(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().compare(OLT, [a, b])
    }

    fn equal(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().compare(OEQ, [a, b])
    }

    fn not(&self, a: Value<'c, 'a>) -> Value<'c, 'a> {
        let builder = self.builder.get();
        builder.computed("arith.xori", &[a, builder.truth(true)])
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
        let outside = self.builder.get();
        let types = [self.number, self.number, outside.i64_type()];
        let regions = vec![outside.region(&[]), outside.region(&[])];
        let branch = outside.op_with_regions("scf.if", &[truth], &types, &[], regions);
        let write = |parts: Parts<'c, 'a>| vec![parts.0, parts.1, parts.2];
        outside.fill_region(branch, 0, "scf.yield", |inside, _| {
            self.builder.set(inside);
            write(yes())
        });
        outside.fill_region(branch, 1, "scf.yield", |inside, _| {
            self.builder.set(inside);
            write(no())
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
