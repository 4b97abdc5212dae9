//! One file for every processor: functions with large loops are compiled several times.
//!
//! Input: functions on buffers before the loop nests, from `-O2` on, for x86-64 if no processor was chosen. Output: the
//! same, but functions whose loops are worth it have a version for each of [`VERSIONS`], and choose one when they are
//! called from a function without versions, or from outside:
//!
//! ```text
//!                       ┌─▶ f.x86-64       for every processor, as the rest of the program
//!   f ── toy.processor ─┼─▶ f.x86-64-v3    target_cpu = "x86-64-v3": registers of 32 bytes
//!                       └─▶ f.x86-64-v4    target_cpu = "x86-64-v4": registers of 64 bytes
//! ```
//!
//! **The choice.** `toy.processor` is the number of the version, 0 until something else is known. The loader calls
//! `toy.choose_processor` through `.init_array`, and the runtime (`toy.find_processor` in runtime.c) asks the processor,
//! and the environment for a lower one. So the choice needs neither a lock nor the loader's `ifunc`, which not all static
//! executables have, and a function that is called before the choice, by another library's constructor, is right, too.
//!
//! **The versions** are copies of the function from before its loops exist, because tiles depend on the size of registers:
//! the pass `toy-loop-nests` takes it from the attribute [`PROCESSOR`], which is also LLVM's. What was decided before is
//! the same in all versions: bufferization, the plan of the memory, the workspace. What comes later treats them as other
//! functions: threads, mathematics, debug information.
//!
//! The version for every processor has plain loops: a processor without AVX2 is older than 2013, and code that hardly runs
//! is to be compiled quickly.
//!
//! **The functions.** A function gets a version if its loops compute enough operations on elements, as often as the
//! program is known to call it, and with it the functions with loops that it calls: versions call each other without a
//! choice, which costs a nanosecond. A version for x86-64-v4 pays for products and functions like `exp` only. Programs
//! without such functions stay as they are.
//!
//! Invariants: all versions compute the same bits, as `--cpu` does. At most [`MOST_OPERATIONS`] operations are copied, the
//! rest of a larger program has no versions.

use crate::dialect::enums::is_mathematics;
use crate::dialect::ops;
use crate::interface::record;
use crate::stages::memref::reductions;
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Block, BlockLike, Location, Module, Region, RegionLike, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion, SGE, build};
use mlir_support::control_flow::{is_loop, iterations};
use mlir_support::linalg::{Generic, IteratorKind};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{call_graph, constants, errors, ir, raw};
use std::collections::HashMap;
use toy_diagnostics::Diagnosed;
use toy_diagnostics::source::Source;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-processor-versions",
    "Copies functions with large loops for x86-64-v3 and x86-64-v4, and chooses when the program starts",
    run,
);

/// A processor that functions are compiled for beside the baseline.
#[derive(Debug, PartialEq, Eq)]
pub struct Version {
    /// LLVM's name.
    pub cpu: &'static str,
    /// The size of its vector registers.
    pub vector_bytes: u64,
    /// The operations on elements that a function computes at least to have this version. One that needs fewer takes a
    /// microsecond or two.
    least: u64,
    /// True if only computing is faster: its registers are more than memory and caches can fill.
    computes: bool,
}

/// The processors, each with all instructions of those before it. Their numbers in `toy.processor` begin with 1.
pub const VERSIONS: [Version; 2] = [
    Version { cpu: "x86-64-v3", vector_bytes: 32, least: 4096, computes: false },
    Version { cpu: "x86-64-v4", vector_bytes: 64, least: 65_536, computes: true },
];

/// The processor of the functions without versions, and of the version that runs everywhere.
pub const BASELINE: &str = "x86-64";

/// The attribute of a function with the name of its processor. MLIR translates it to LLVM's.
const PROCESSOR: &str = "target_cpu";

/// The attribute with the size in bits of the registers that LLVM prefers, which for x86-64-v4 are the second-largest.
const PREFERRED: &str = "prefer_vector_width";

/// The attribute of a version with the name of its function.
const VERSION_OF: &str = "toyc.version_of";

const FUSED: &str = "math.fma";

/// The attribute of the version that runs everywhere.
const ANYWHERE: &str = "toyc.runs_anywhere";

/// Loops of fewer iterations gain nothing: a vector of the largest registers has 8 elements.
const LEAST_ITERATIONS: u64 = 1024;

/// A guess for loops whose number of iterations is not known.
const ITERATIONS: u64 = 16;

/// The most operations that are copied: compiling them takes a second or so.
const MOST_OPERATIONS: usize = 20_000;

/// The global with the number of the version.
const NUMBER: &str = "toy.processor";

/// That global, and the function that the loader calls.
const CHOICE: &str = r#"
llvm.mlir.global internal @toy.processor(0 : i32) {addr_space = 0 : i32} : i32
llvm.mlir.global internal @toy.start() {addr_space = 0 : i32, section = ".init_array"} : !llvm.ptr {
  %0 = llvm.mlir.addressof @toy.choose_processor : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.mlir.global appending @llvm.compiler.used() {addr_space = 0 : i32, section = "llvm.metadata"} : !llvm.array<1 x ptr> {
  %0 = llvm.mlir.undef : !llvm.array<1 x ptr>
  %1 = llvm.mlir.addressof @toy.start : !llvm.ptr
  %2 = llvm.insertvalue %1, %0[0] : !llvm.array<1 x ptr>
  llvm.return %2 : !llvm.array<1 x ptr>
}
llvm.func @toy.find_processor() -> i32
llvm.func internal @toy.choose_processor() {
  %0 = llvm.call @toy.find_processor() : () -> i32
  %1 = llvm.mlir.addressof @toy.processor : !llvm.ptr
  llvm.store %0, %1 : i32, !llvm.ptr
  llvm.return
}
"#;

/// The processor that a function is a version for.
pub fn of(function: OperationRef) -> Option<&'static Version> {
    let cpu = ops::string_attribute(&function, PROCESSOR)?;
    VERSIONS.iter().find(|version| version.cpu == cpu)
}

/// True for a version that only processors from before 2013 run: it is worth no loop nests, which take time to compile.
pub fn runs_anywhere(function: OperationRef) -> bool {
    function.has_attribute(ANYWHERE)
}

/// The processor of the version that an operation is in.
pub fn around(operation: OperationRef) -> Option<&'static Version> {
    let around = std::iter::successors(Some(operation), |inner| inner.parent_operation());
    around.filter(ops::is_function).find_map(of)
}

/// Makes a function a version for a processor.
pub fn mark<'c>(context: &'c Context, function: OperationRef<'c, '_>, version: &Version) {
    let bits = (8 * version.vector_bytes).to_string();
    for (name, value) in [(PROCESSOR, version.cpu), (PREFERRED, &bits)] {
        ir::set_attribute(function, name, StringAttribute::new(context, value).into());
    }
}

/// The name of the function that a function is a version of.
pub fn function_of<'c: 'a, 'a>(version: &impl OperationLike<'c, 'a>) -> Option<String> {
    ops::string_attribute(version, VERSION_OF)
}

/// The name of a function without the processor of a version.
pub fn without_processor(symbol: &str) -> &str {
    let cpus = VERSIONS.iter().map(|version| version.cpu).chain([BASELINE]);
    let before = |cpu| symbol.strip_suffix(cpu)?.strip_suffix('.');
    cpus.filter_map(before).next().unwrap_or(symbol)
}

/// The functions with versions, and the processors that each of them is compiled for.
pub fn list(module: &Module) -> Vec<(String, Vec<&'static str>)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for function in ops::definitions(module) {
        let (Some(name), Some(version)) = (function_of(&function), of(function)) else { continue };
        match found.last_mut().filter(|(last, _)| *last == name) {
            Some((_, cpus)) => cpus.push(version.cpu),
            None => found.push((name, vec![BASELINE, version.cpu])),
        }
    }
    found
}

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation());
    let nests: Vec<_> =
        operations.iter().filter_map(|operation| Some((*operation, work(*operation)?))).collect();
    if nests.iter().all(|(_, work)| work.operations == 0) {
        return Ok(());
    }
    let program = Program::of(module, &operations);
    let counts = program.counts(&nests);
    if counts.iter().all(|count| *count == 0) || !program.has_room(&counts) {
        return Ok(());
    }
    add_choice(context, module)?;
    program.make_versions(context.session.context(), &counts);
    Ok(())
}

/// Adds the number of the processor, and the function that finds it when the program starts, if they are not there yet.
pub fn add_choice<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let is_number = |it: &OperationRef| ops::symbol_name(it) == NUMBER;
    if ir::block_operations(module.body()).iter().any(is_number) {
        return Ok(());
    }
    let Some(choice) = context.session.parse(&Source::new("versions", CHOICE)) else {
        return Err(errors::verification(context, "the choice of a processor", true));
    };
    for part in ir::block_operations(choice.body()) {
        // They come from no line of the program.
        for operation in ir::operations(part).into_iter().chain([part]) {
            ir::mutable(operation).set_location(Location::unknown(context.session.context()));
        }
        // SAFETY: nothing else refers to it, and it becomes part of the module.
        module.body().append_operation(unsafe { raw::detach(part) });
    }
    Ok(())
}

/// True if the program runs on a processor with this number, or a higher one.
pub fn is_at_least<'c, 'a>(code: Builder<'c, 'a>, number: i64) -> Value<'c, 'a> {
    is_not_below(code, own_number(code), number)
}

/// The number of the processor that the program runs on.
fn own_number<'c, 'a>(code: Builder<'c, 'a>) -> Value<'c, 'a> {
    let ty = IntegerType::new(code.context, 32).into();
    code.value("llvm.load", &[code.address_of(NUMBER)], ty, &[])
}

fn is_not_below<'c, 'a>(code: Builder<'c, 'a>, own: Value<'c, 'a>, number: i64) -> Value<'c, 'a> {
    code.compare(SGE, [own, code.integer(own.r#type(), number)])
}

/// The work of a loop nest.
struct Work {
    /// Operations on elements: 0 if they are too few for wide registers.
    operations: u64,
    /// True if it computes more than it reads and writes: a product, or functions of numbers.
    computes: bool,
}

/// The operations on elements that one of a body stands for: some functions take as many instructions as this on all
/// processors, and a fused multiply-add where it is not an instruction.
fn weight(operation: OperationRef) -> u64 {
    if has_function(operation) { 30 } else { 1 }
}

/// The work of a `linalg.generic`, or of the loops of a reduction; None for any other operation.
fn work(operation: OperationRef) -> Option<Work> {
    if let Some(elements) = reductions::elements(operation) {
        let body = ir::operations(operation);
        let weight = body.iter().map(|it| weight(*it)).max().unwrap_or(1);
        let elements = if elements < LEAST_ITERATIONS { 0 } else { elements };
        let computes = body.into_iter().any(has_function);
        return Some(Work { operations: elements.saturating_mul(2 * weight), computes });
    }
    let generic = Generic::of(operation)?;
    let mut sizes = vec![0; generic.iterators.len()];
    for at in 0..operation.operand_count() {
        let ty = MemRefType::try_from(ir::operand(operation, at).r#type()).ok();
        let of_buffer = ty.and_then(ir::static_sizes).unwrap_or_default();
        for (dimension, size) in generic.dimensions(at).unwrap_or_default().iter().zip(of_buffer) {
            sizes[*dimension] = size;
        }
    }
    let iterations = sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size));
    let iterations = if iterations < LEAST_ITERATIONS { 0 } else { iterations };
    let mut body = ir::block_operations(generic.body);
    body.retain(|operation| !constants::is_constant(*operation));
    // Without the terminator; transpositions only move elements.
    let body_work: u64 = body.iter().filter(|it| computes(**it)).map(|it| weight(*it)).sum();
    let operations = iterations.saturating_mul(body_work.max(1));
    let has_functions = body.iter().any(|it| has_function(*it));
    let computes = has_functions || generic.iterators.contains(&IteratorKind::Reduction);
    Some(Work { operations, computes })
}

fn computes(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    let is_arithmetic = name.starts_with("arith.") && !constants::is_constant(operation);
    is_arithmetic || name.starts_with("math.") || is_mathematics(name)
}

/// True for an operation that takes many instructions, on some processors.
fn has_function(operation: OperationRef) -> bool {
    let name = ir::name(&operation);
    name == FUSED || is_mathematics(name)
}

/// The functions with bodies, and their calls.
struct Program<'c, 'a> {
    functions: Vec<OperationRef<'c, 'a>>,
    /// The numbers of the functions by their names, and by their operations.
    names: HashMap<String, usize>,
    numbers: HashMap<usize, usize>,
    /// The calls in each function.
    calls: Vec<Vec<Call>>,
    /// How often each function runs, as far as it is known.
    runs: Vec<u64>,
    symbols: Vec<String>,
}

/// A call of a function by its number.
struct Call {
    callee: usize,
    /// How often it runs for each run of the caller.
    times: u64,
}

impl<'c, 'a> Program<'c, 'a> {
    fn of(module: &'a Module<'c>, operations: &[OperationRef<'c, 'a>]) -> Self {
        let functions = ops::definitions(module);
        let names = functions.iter().enumerate().map(|(at, it)| (ops::symbol_name(it), at));
        let numbers = functions.iter().enumerate().map(|(at, it)| (ir::id(*it), at));
        let symbols = ir::block_operations(module.body()).iter().map(ops::symbol_name).collect();
        let (names, numbers) = (names.collect(), numbers.collect());
        let runs = functions.iter().map(|of| u64::from(!ops::is_private(of))).collect();
        let calls = functions.iter().map(|_| Vec::new()).collect();
        let mut program = Self { functions, names, numbers, calls, runs, symbols };
        for operation in operations {
            let callee = ops::callee(operation).and_then(|name| program.names.get(&name).copied());
            if let Some(callee) = callee
                && let Some((caller, times)) = program.place(*operation)
            {
                program.calls[caller].push(Call { callee, times });
            }
        }
        let callees = |calls: &Vec<Call>| calls.iter().map(|call| call.callee).collect();
        let callees: Vec<_> = program.calls.iter().map(callees).collect();
        for caller in call_graph::order(&callees).callees_first.into_iter().rev() {
            for call in &program.calls[caller] {
                let times = program.runs[caller].saturating_mul(call.times);
                program.runs[call.callee] = program.runs[call.callee].saturating_add(times);
            }
        }
        program
    }

    /// The function around an operation, and how often the operation runs for each run of the function.
    fn place(&self, operation: OperationRef<'c, 'a>) -> Option<(usize, u64)> {
        let mut runs: u64 = 1;
        let mut around = operation.parent_operation()?;
        loop {
            if let Some(function) = self.numbers.get(&ir::id(around)) {
                return Some((*function, runs));
            }
            if is_loop(&around) {
                runs = runs.saturating_mul(iterations(around).unwrap_or(ITERATIONS));
            }
            around = around.parent_operation()?;
        }
    }

    /// How many of [`VERSIONS`] each function gets.
    fn counts(&self, nests: &[(OperationRef<'c, 'a>, Work)]) -> Vec<usize> {
        let mut counts = vec![0; self.functions.len()];
        for version in &VERSIONS {
            let gains = nests.iter().filter(|(_, work)| work.computes || !version.computes);
            let mut all = vec![0u64; counts.len()];
            for (nest, work) in gains {
                let Some((function, times)) = self.place(*nest) else { continue };
                let operations = work.operations.saturating_mul(times);
                let operations = operations.saturating_mul(self.runs[function]);
                all[function] = all[function].saturating_add(operations);
            }
            let mut pending: Vec<_> =
                (0..all.len()).filter(|of| all[*of] >= version.least).collect();
            let mut is_reached = vec![false; all.len()];
            while let Some(function) = pending.pop() {
                if !std::mem::replace(&mut is_reached[function], true) {
                    pending.extend(self.calls[function].iter().map(|call| call.callee));
                }
            }
            for (nest, _) in nests {
                let Some((function, _)) = self.place(*nest) else { continue };
                let is_for_one = self.functions[function].has_attribute(PROCESSOR);
                if std::mem::take(&mut is_reached[function]) && !is_for_one {
                    counts[function] += 1;
                }
            }
        }
        counts
    }

    /// True if the copies are not too many, and their names are free.
    fn has_room(&self, counts: &[usize]) -> bool {
        let copied = counts.iter().zip(&self.functions).filter(|(count, _)| **count > 0);
        let operations = copied.map(|(count, function)| count * ir::operations(*function).len());
        let is_free =
            |symbol: &String| without_processor(symbol) == symbol && !symbol.starts_with(NUMBER);
        operations.sum::<usize>() <= MOST_OPERATIONS && self.symbols.iter().all(is_free)
    }

    fn make_versions(&self, context: &'c Context, counts: &[usize]) {
        for dialect in ["arith", "llvm", "scf"] {
            context.get_or_load_dialect(dialect);
        }
        // Functions with the same versions call each other without a choice.
        let mut chooses: Vec<_> = self.functions.iter().map(|it| !ops::is_private(it)).collect();
        for (calls, count) in self.calls.iter().zip(counts) {
            for Call { callee, .. } in calls {
                chooses[*callee] |= *count != counts[*callee];
            }
        }
        let with_versions = (0..counts.len()).filter(|of| counts[*of] > 0);
        for of in with_versions.clone() {
            let (function, mut last) = (self.functions[of], self.functions[of]);
            for version in &VERSIONS[..counts[of]] {
                let copy = Insertion::After(last).insert(ir::clone(function));
                make_version(context, copy, version.cpu);
                mark(context, copy, version);
                self.call_versions(context, copy, version.cpu, |it| counts[it] == counts[of]);
                last = copy;
            }
        }
        for of in with_versions.clone() {
            let code = Builder::before(context, self.functions[of]);
            ir::set_attribute(self.functions[of], ANYWHERE, code.unit());
            let has_name = |it: usize| chooses[it] && counts[it] == counts[of];
            self.call_versions(context, self.functions[of], BASELINE, has_name);
        }
        for of in with_versions.filter(|of| chooses[*of]) {
            make_choice(context, self.functions[of], counts[of]);
        }
    }

    /// Lets a version call versions for the same processor.
    fn call_versions(
        &self,
        context: &'c Context,
        version: OperationRef<'c, 'a>,
        cpu: &str,
        has_version: impl Fn(usize) -> bool,
    ) {
        for call in ir::operations(version) {
            let Some(callee) = ops::callee(&call) else { continue };
            if self.names.get(&callee).is_some_and(|of| has_version(*of)) {
                let name = Builder::before(context, call).symbol(&version_name(&callee, cpu));
                ir::set_attribute(call, "callee", name);
            }
        }
    }
}

/// The name of a function's version.
pub fn version_name(function: &str, cpu: &str) -> String {
    format!("{function}.{cpu}")
}

/// Gives a function the name of a version, and takes from it what only the function that is called has.
fn make_version<'c>(context: &'c Context, function: OperationRef<'c, '_>, cpu: &str) {
    let (code, name) = (Builder::before(context, function), ops::symbol_name(&function));
    ir::set_attribute(function, VERSION_OF, code.text(&name));
    ir::set_attribute(function, "sym_name", code.text(&version_name(&name, cpu)));
    ir::set_attribute(function, "sym_visibility", code.text("private"));
    ir::remove_attribute(function, record::ATTRIBUTE);
}

/// Puts a function in the place of another, which becomes its version for every processor.
fn make_choice<'c>(context: &'c Context, function: OperationRef<'c, '_>, versions: usize) {
    let Some(ty) = ops::function_type(&function) else { return };
    let (name, location) = (ops::symbol_name(&function), function.location());
    let block =
        Block::new(&ops::inputs(ty).into_iter().map(|ty| (ty, location)).collect::<Vec<_>>());
    let region = Region::new();
    region.append_block(block);
    let attributes: Vec<_> = function.attributes().collect();
    let choice = build("func.func", location, &[], &[], &attributes, vec![region]);
    make_version(context, function, BASELINE);
    let choice = Insertion::Before(function).insert(choice);
    let Some(block) = ops::entry_block(choice) else { return };
    let code = Builder::new(context, Insertion::AtEnd(block), location);
    let number = own_number(code);
    let called = called(code, &name, number, &ir::arguments(block), &ops::results(ty), versions);
    code.op("func.return", &called, &[], &[]);
}

/// Calls the version with a number that is not above the processor's, up to the `highest`.
fn called<'c, 'a>(
    code: Builder<'c, 'a>,
    function: &str,
    number: Value<'c, 'a>,
    arguments: &[Value<'c, 'a>],
    results: &[Type<'c>],
    highest: usize,
) -> Vec<Value<'c, 'a>> {
    let call = |code: Builder<'c, 'a>, cpu| {
        let call = code.call(&version_name(function, cpu), arguments, results);
        call.results().map(Into::into).collect()
    };
    let Some(below) = highest.checked_sub(1) else { return call(code, BASELINE) };
    let is_it = is_not_below(code, number, highest as i64);
    let regions = [(); 2].map(|()| code.region(&[])).into();
    let branch = code.op_with_regions("scf.if", &[is_it], results, &[], regions);
    code.fill_region(branch, 0, "scf.yield", |code, _| call(code, VERSIONS[below].cpu));
    code.fill_region(branch, 1, "scf.yield", |code, _| {
        called(code, function, number, arguments, results, below)
    });
    branch.results().map(Into::into).collect()
}
