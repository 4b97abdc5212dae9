//! Functions of numbers: `llvm.intr.exp`, `math.exp` and their like become calls of functions that consist of arithmetic.
//!
//! Input: functions with structured control flow, before their lowering to the LLVM dialect. Output: the same, without
//! these operations on numbers and on vectors of one dimension, and a private function for each kind and length of them,
//! as [`toy_math`] defines it for their type; of `math.fma`, in functions for processors that have no such instruction.
//! Operations on other types than f64 and f32 are left to MLIR. Invariant: LLVM may inline, fold and vectorize the
//! arithmetic, which is exact; it would compute its own intrinsics, and calls of the C library, with other last bits.
//! Square roots, absolute values and `floor` are exact everywhere, and remain LLVM's.

use crate::dialect::ops;
use crate::runtime_calls::texts;
use crate::stages::loops::versions::{self, Version};
use melior::Context;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, BlockLike, Location, Module, Type, TypeLike, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion, OEQ, OLT, vector_type};
use mlir_support::ir;
use mlir_support::pass::{OptionValue, PassContext, PassDefinition, PassOption, Prepared};
use std::cell::Cell;
use std::collections::BTreeMap;
use toy_diagnostics::Diagnosed;
use toy_diagnostics::text::joined;
use toy_math::{Arithmetic, Bitwise, Format, Function, Machine, Table};

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-mathematics",
    "Computes exp, log, sin, cos, tanh and pow of numbers by arithmetic, and fma where the processor lacks it",
    &[PassOption {
        name: FUSED,
        value: OptionValue::OneOf(|| FUSED_VALUES.map(|(name, _)| name).to_vec()),
        default: "written",
        help: "How `math.fma` is computed: as arithmetic, as the program finds at its start, by the instruction",
    }],
    configure,
);

const FUSED: &str = "fused";
const FUSED_VALUES: [(&str, Fused); 3] =
    [("written", Fused::Written), ("chosen", Fused::Chosen), ("instruction", Fused::Instruction)];

/// The way that fused multiply-adds are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fused {
    /// Arithmetic.
    Written,
    /// The instruction, if the processor that runs the program has it; otherwise arithmetic.
    Chosen,
    /// The instruction.
    Instruction,
}

impl Fused {
    /// The option of the pass.
    pub fn option(self) -> String {
        let named = FUSED_VALUES.iter().find(|(_, fused)| *fused == self);
        named.map_or_else(String::new, |(name, _)| format!("{FUSED}={name}"))
    }
}

fn configure(options: &str, _: bool) -> Result<Prepared, String> {
    let named = |(_, fused): &&(&str, Fused)| fused.option() == options;
    let fused = match FUSED_VALUES.iter().find(named) {
        Some((_, fused)) => *fused,
        None if options.is_empty() => Fused::Written,
        None => {
            let names: Vec<_> = FUSED_VALUES.map(|(name, _)| format!("`{FUSED}={name}`")).into();
            return Err(format!("`{options}`: {} is expected", joined(&names, "or")));
        }
    };
    Ok(Box::new(move |context, module| run(context, module, fused)))
}

/// The pass.
pub fn run<'c>(pass: &PassContext<'c>, module: &Module<'c>, fused: Fused) -> Diagnosed<()> {
    let context = pass.session.context();
    let mut called = BTreeMap::new();
    for operation in ir::operations(module.as_operation()) {
        let Some(function) = function_of(ir::name(&operation)) else { continue };
        let version = versions::around(operation);
        if function == Function::Fma && (fused == Fused::Instruction || version.is_some()) {
            continue;
        }
        let ty = ops::result(operation).r#type();
        let Some((number, lanes)) = numbers(ty) else { continue };
        let of_number = if number.is_f32() { function.of_single() } else { Some(function) };
        let Some(function) = of_number.filter(|_| number.is_f32() || number.is_f64()) else {
            continue;
        };
        let name = name_of(function, version, lanes);
        let operands: Vec<_> = operation.operands().collect();
        let call = Builder::before(context, operation).call(&name, &operands, &[ty]);
        ir::replace_all_uses(ops::result(operation), ops::result(call));
        ir::erase(operation);
        called.insert(name, (function, version, number, lanes));
    }
    if !called.is_empty() {
        pass.session.load_dialects(&["arith", "llvm", "math", "scf", "vector"]);
    }
    for function in ops::functions(module) {
        called.remove(&ops::symbol_name(&function));
    }
    for (name, (function, version, number, lanes)) in called {
        if matches!(function, Function::Fma | Function::Fmaf) && fused == Fused::Chosen {
            versions::add_choice(pass, module)?;
            define_chosen(context, module, (&name, function), (number, lanes));
            continue;
        }
        let definition = define(context, module, &name, function, (number, lanes));
        if let Some(version) = version {
            versions::mark(context, definition, version);
        }
    }
    Ok(())
}

fn function_of(operation: &str) -> Option<Function> {
    let name = operation.strip_prefix("math.").or(operation.strip_prefix("llvm.intr."))?;
    let name = if name == "powf" { "pow" } else { name };
    Function::ALL.into_iter().find(|function| function.name() == name)
}

/// The type of a number, or of the elements of a vector, and their count.
fn numbers(ty: Type) -> Option<(Type, u64)> {
    let (number, lanes) = match ir::fixed_vector(ty) {
        Some((number, sizes)) => match sizes[..] {
            // A vector of one element has another type than the element.
            [lanes] if lanes > 1 => (number, lanes),
            _ => return None,
        },
        None => (ty, 1),
    };
    Some((number, lanes))
}

/// Each version of the program's functions has its own, which LLVM inlines as it does where there is only one, and to which
/// it passes vectors in the same registers.
fn name_of(function: Function, version: Option<&Version>, lanes: u64) -> String {
    let name = match lanes {
        1 => format!("toy.{}", function.name()),
        _ => format!("toy.{}.{lanes}", function.name()),
    };
    version.map_or(name.clone(), |version| versions::version_name(&name, version.cpu))
}

/// Adds the definition of a function of numbers of a type, or of vectors of them.
fn define<'c, 'a>(
    context: &'c Context,
    module: &'a Module<'c>,
    name: &str,
    function: Function,
    (number, lanes): (Type<'c>, u64),
) -> OperationRef<'c, 'a> {
    let ty = vector_type(number, lanes);
    let (operation, builder) = start(context, module, name, &vec![ty; function.arity()], ty);
    let format = function.format();
    let is_single = *format == toy_math::SINGLE;
    let own = if is_single { Type::float32(context) } else { Type::float64(context) };
    let integer = IntegerType::new(context, if is_single { 32 } else { 64 }).into();
    let convert =
        |name, value, number| builder.value(name, &[value], vector_type(number, lanes), &[]);
    let mut operands = arguments(operation);
    if number != own {
        operands.iter_mut().for_each(|it| *it = convert("arith.extf", *it, own));
    }
    let written =
        Written { module, builder: Cell::new(builder), format, number: own, integer, lanes };
    let value = function.on(&written, &operands);
    let value = if number == own { value } else { convert("arith.truncf", value, number) };
    builder.op("func.return", &[value], &[], &[]);
    operation
}

/// Adds a private function with a body, which has no operations yet.
fn start<'c, 'a>(
    context: &'c Context,
    module: &'a Module<'c>,
    name: &str,
    arguments: &[Type<'c>],
    result: Type<'c>,
) -> (OperationRef<'c, 'a>, Builder<'c, 'a>) {
    let location = Location::unknown(context);
    let ty = FunctionType::new(context, arguments, &[result]);
    let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, location)).collect();
    let body = Some(Block::new(&arguments));
    let operation = ops::function(context, location, name, ty, body, true);
    let operation = module.body().insert_operation(0, operation);
    let block = ops::entry_block(operation).expect("it has a body");
    (operation, Builder::new(context, Insertion::AtEnd(block), location))
}

fn arguments<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    ir::arguments(ops::entry_block(function).expect("it has a body"))
}

/// Adds a fused multiply-add that the processor computes, one number after the other, if it has the instruction. Vectors are
/// not passed to the function with the instruction, which has other registers for them.
fn define_chosen<'c, 'a>(
    context: &'c Context,
    module: &'a Module<'c>,
    (name, function): (&str, Function),
    (number, lanes): (Type<'c>, u64),
) {
    let newer = &versions::VERSIONS[0];
    let instruction = name_of(function, Some(newer), 1);
    if !ops::functions(module).iter().any(|it| ops::symbol_name(it) == instruction) {
        let (fused, builder) = start(context, module, &instruction, &[number; 3], number);
        let value = builder.computed("math.fma", &arguments(fused));
        builder.op("func.return", &[value], &[], &[]);
        versions::mark(context, fused, newer);
    }
    let written = versions::version_name(name, versions::BASELINE);
    define(context, module, &written, function, (number, lanes));
    let ty = vector_type(number, lanes);
    let (chosen, builder) = start(context, module, name, &[ty; 3], ty);
    let operands = arguments(chosen);
    let is_newer = versions::is_at_least(builder, 1);
    let branch = builder.branched(is_newer, &[ty]);
    builder.fill_region(branch, 0, "scf.yield", |builder, _| {
        let lane = |at| {
            let of = |it: &Value<'c, 'a>| match lanes {
                1 => *it,
                _ => builder.element_of_vector(*it, at),
            };
            let operands: Vec<_> = operands.iter().map(of).collect();
            ops::result(builder.call(&instruction, &operands, &[number]))
        };
        let results: Vec<_> = (0..lanes).map(lane).collect();
        vec![if lanes == 1 { results[0] } else { builder.vector_of(&results) }]
    });
    builder.fill_region(branch, 1, "scf.yield", |builder, _| {
        vec![ops::result(builder.call(&written, &operands, &[ty]))]
    });
    builder.op("func.return", &[ops::result(branch)], &[], &[]);
}

/// The machine that writes operations: a value is the result of one.
struct Written<'c, 'a> {
    module: &'a Module<'c>,
    /// Where the next operation is written.
    builder: Cell<Builder<'c, 'a>>,
    format: &'static Format,
    number: Type<'c>,
    /// The type of integers of as many bits.
    integer: Type<'c>,
    /// The number of elements of a vector; 1 for a number.
    lanes: u64,
}

type Parts<'c, 'a> = (Value<'c, 'a>, Value<'c, 'a>, Value<'c, 'a>);

impl<'c, 'a> Written<'c, 'a> {
    fn splat(&self, value: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().splat(value, self.lanes)
    }

    fn of_type(&self, number: Type<'c>) -> Type<'c> {
        vector_type(number, self.lanes)
    }

    /// The entries of an array in memory, the index in each lane.
    fn gathered(&self, array: Value<'c, 'a>, at: Value<'c, 'a>) -> Value<'c, 'a> {
        let builder = self.builder.get();
        let (pointers, integers) = (self.of_type(array.r#type()), self.of_type(builder.i64_type()));
        let addresses =
            builder.value("llvm.getelementptr", &[array, at], pointers, &self.indexed());
        let all = self.splat(builder.truth(true));
        let none = self.splat(builder.integer(builder.i64_type(), 0));
        let alignment = Attribute::parse(builder.context, "8 : i32").expect("a number");
        let operands = [addresses, all, none];
        builder.value("llvm.intr.masked.gather", &operands, integers, &[("alignment", alignment)])
    }

    /// The attributes of an address in an array of integers, whose index is an operand.
    fn indexed(&self) -> [(&'static str, Attribute<'c>); 2] {
        const IS_OPERAND: i32 = i32::MIN;
        let builder = self.builder.get();
        let element = TypeAttribute::new(builder.i64_type()).into();
        [("rawConstantIndices", builder.segments(&[IS_OPERAND])), ("elem_type", element)]
    }
}

impl<'c, 'a> Machine for Written<'c, 'a> {
    type Number = Value<'c, 'a>;
    type Integer = Value<'c, 'a>;
    type Truth = Value<'c, 'a>;

    fn format(&self) -> &'static Format {
        self.format
    }

    fn number(&self, value: f64) -> Value<'c, 'a> {
        self.splat(self.builder.get().float(self.number, value))
    }

    fn integer(&self, value: u64) -> Value<'c, 'a> {
        let last_bits = if self.format == &toy_math::SINGLE {
            i64::from((value as u32).cast_signed())
        } else {
            value.cast_signed()
        };
        self.splat(self.builder.get().integer(self.integer, last_bits))
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
        self.builder.get().value("arith.bitcast", &[number], self.of_type(self.integer), &[])
    }

    fn of_bits(&self, bits: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().value("arith.bitcast", &[bits], self.of_type(self.number), &[])
    }

    fn less(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().compare(OLT, [a, b])
    }

    fn equal(&self, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.builder.get().compare(OEQ, [a, b])
    }

    fn not(&self, a: Value<'c, 'a>) -> Value<'c, 'a> {
        let yes = self.splat(self.builder.get().truth(true));
        self.builder.get().computed("arith.xori", &[a, yes])
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
        let types = [self.number, self.number, self.integer].map(|it| self.of_type(it));
        let parts = |(high, low, integer): Parts<'c, 'a>| vec![high, low, integer];
        // The first computation is common in vectors: the other one follows if an element needs it.
        let (condition, usual) = match self.lanes {
            1 => (truth, Err(yes)),
            _ => {
                let kind = Attribute::parse(outside.context, "#vector.kind<and>").expect("valid");
                let all = outside.truth_type();
                (outside.value("vector.reduction", &[truth], all, &[("kind", kind)]), Ok(yes()))
            }
        };
        let usual_parts = usual.as_ref().ok().copied();
        let branch = outside.branched(condition, &types);
        outside.fill_region(branch, 0, "scf.yield", |inside, _| {
            self.builder.set(inside);
            parts(usual.unwrap_or_else(|yes| yes()))
        });
        outside.fill_region(branch, 1, "scf.yield", |inside, _| {
            self.builder.set(inside);
            let other = parts(no());
            let Some(usual) = usual_parts else { return other };
            let select = |(usual, other)| inside.computed("arith.select", &[truth, usual, other]);
            parts(usual).into_iter().zip(other).map(select).collect()
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
        let array = builder.address_of(&name);
        if self.lanes > 1 {
            // Elements that do not need the entry may have any index.
            let last = self.integer(count as u64 - 1);
            return self.gathered(array, builder.computed("arith.minui", &[at, last]));
        }
        let address =
            builder.value("llvm.getelementptr", &[array, at], array.r#type(), &self.indexed());
        builder.value("llvm.load", &[address], builder.i64_type(), &[])
    }
}
