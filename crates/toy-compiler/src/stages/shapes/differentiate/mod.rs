//! Differentiation: the gradients that a program calls, as functions of their own.
//!
//! Input: a module whose shapes are known. Where it calls the gradient of a function, there is a `toy.generic_call` of
//! that function with the attribute `gradient`, and the module has the attribute of
//! [`gradients`]. Output: calls of functions
//! that compute the gradients, in the same operations as all others, with the locations of what they come from.
//!
//! Reverse mode: the function for a gradient computes what the function computes, and then goes back through it, from
//! the result to the parameters ([`reverse`]). For each value on the way that depends on the parameters ([`activity`]),
//! it has the derivative of the result by that value ([`cotangents`]), from the operations that use the value
//! ([`rules`]). Branches and loops are in [`control_flow`]; the values that a loop saves are its [`tape`], and if that
//! would be too large, it computes iterations again ([`checkpoints`]). Products that a loop would add up become one
//! ([`sums`]). Functions that are called are inlined first ([`copies`]), but for those that call themselves: these get an
//! *adjoint*, a function of their arguments and of the cotangent of their result. What the way back does not need is
//! erased ([`sweep`]).
//!
//! Gradients print nothing. The gradient of a gradient needs no rule: functions are differentiated after those that they
//! call.

mod activity;
mod bounds;
mod checkpoints;
mod code;
mod control_flow;
mod copies;
mod cotangents;
mod fail;
mod reverse;
mod rules;
mod sums;
mod sweep;
mod tape;

use crate::dialect::gradients;
use crate::dialect::needs::INFERRED;
use crate::dialect::ops::{self, Kind};
use crate::dialect::structs::struct_type;
use crate::dialect::{self, control};
use crate::stages::toy::cse::erase_uncalled;
use code::{Code, shape};
use cotangents::{Cotangent, Cotangents};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, Value, ValueLike};
use mlir_support::pass::{OptionValue, PassContext, PassDefinition, PassOption};
use mlir_support::{Builder, call_graph, ir};
use reverse::Reverse;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::{Diagnosed, Diagnostic};

pub const PASS: PassDefinition = PassDefinition::configurable(
    "toy-differentiate",
    "Makes the gradients that a program calls, as functions",
    &[PassOption {
        name: "tape-memory",
        value: OptionValue::Number,
        default: "(no limit)",
        help: "The most bytes that a loop saves; it computes iterations again if that is too little for all",
    }],
    |options, _| {
        let memory = match options.trim().strip_prefix("tape-memory=") {
            Some(number) => number.parse().map_err(|_| format!("`{number}` is not a number of bytes"))?,
            None if options.trim().is_empty() => u64::MAX,
            None => return Err(format!("the pass `toy-differentiate` has no option `{options}`")),
        };
        Ok(Box::new(move |context, module| run(context, module, memory)))
    },
)
.requiring(INFERRED);

/// The functions of the module by name.
type Functions<'c, 'a> = HashMap<String, OperationRef<'c, 'a>>;

/// An adjoint: the function, and the arguments whose cotangents it returns.
struct Task {
    callee: String,
    by: Vec<usize>,
}

impl Task {
    fn symbol(&self) -> String {
        named(&self.callee, &format!("adjoint{}", list(&self.by, "_")))
    }
}

/// The pass.
fn run<'c>(context: &PassContext<'c>, module: &Module<'c>, tape_memory: u64) -> Diagnosed<()> {
    if !gradients::are_needed(module) {
        return Ok(());
    }
    gradients::made(module);
    // A rule may write a loop in a program without one: of `sort`.
    dialect::load_control_flow(context.session);
    let functions = ops::functions(module);
    let operations = ir::operations(module.as_operation());
    let called: HashSet<String> = operations.iter().filter_map(ops::callee).collect();
    let order = call_graph::order(&ops::callees(&functions)).callees_first;
    let names = functions.iter().map(|function| (ops::symbol_name(function), *function));
    let mut differentiator = Differentiator {
        pass: context,
        module,
        functions: names.collect(),
        made: HashSet::new(),
        tasks: Vec::new(),
        tape_memory,
    };
    for number in order {
        for call in ir::operations(functions[number]) {
            if Kind::of(&call) == Some(Kind::GenericCall) {
                differentiator.replace(call)?;
            }
        }
    }
    // Functions that only gradients have used, and derivatives that only these have called.
    erase_uncalled(module, &(&called | &differentiator.made));
    for function in ops::functions(module) {
        let is_made = differentiator.made.contains(&ops::symbol_name(&function));
        for operation in ir::operations(function) {
            let kind = Kind::of(&operation);
            // A reader of a gradient need not read that it begins with 1.
            let one = if is_made && kind == Some(Kind::Mul) { one(operation) } else { None };
            if kind == Some(Kind::Stop) || one.is_some() {
                let same = ir::operand(operation, usize::from(one.is_some()));
                ir::replace_all_uses(ops::result(operation), same);
                ir::erase(operation);
                one.into_iter().for_each(ir::erase_if_unused);
            }
        }
    }
    Ok(())
}

/// The number 1 that a product multiplies a value of its type by.
fn one<'c, 'a>(product: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    let [one, other] = [0, 1].map(|at| ir::operand(product, at));
    let constant = ir::defined_by(one, Kind::Constant.name())?;
    let elements = ir::dense_floats(ops::attribute(&constant, "value")?, 1)?;
    let is_one = shape(one).0.is_empty() && elements == [1.0];
    (is_one && other.r#type() == ops::result(product).r#type()).then_some(constant)
}

struct Differentiator<'c, 'a, 'p> {
    pass: &'p PassContext<'c>,
    module: &'a Module<'c>,
    functions: Functions<'c, 'a>,
    /// The names of the derivatives.
    made: HashSet<String>,
    tasks: Vec<Task>,
    tape_memory: u64,
}

/// The results of a derivative.
struct Wanted<'w> {
    by: &'w [usize],
    with_value: bool,
    is_adjoint: bool,
}

impl<'c, 'a> Differentiator<'c, 'a, '_> {
    fn context(&self) -> &'c Context {
        self.pass.session.context()
    }

    /// Makes the gradient that a call names, unless it exists, and calls it.
    fn replace(&mut self, call: OperationRef<'c, 'a>) -> Diagnosed<()> {
        let (Some(callee), Some(by)) = (ops::callee(&call), control::gradient(call)) else {
            return Ok(());
        };
        let with_value = control::with_value(call);
        let name = if with_value { "value_and_grad" } else { "grad" };
        let numbers = if by == [0] { String::new() } else { list(&by, "_") };
        let symbol = named(&callee, &format!("{name}{numbers}"));
        if self.made.insert(symbol.clone()) {
            let numbers = if by == [0] { String::new() } else { format!(", {}", list(&by, ", ")) };
            let readable = |of: &str| format!("{name}({of}{numbers})");
            let wanted = Wanted { by: &by, with_value, is_adjoint: false };
            self.derivative(&callee, &symbol, readable, wanted, call)?;
            while let Some(task) = self.tasks.pop() {
                let symbol = task.symbol();
                if self.made.insert(symbol.clone()) {
                    let readable = |of: &str| format!("adjoint({of}, {})", list(&task.by, ", "));
                    let wanted = Wanted { by: &task.by, with_value: false, is_adjoint: true };
                    self.derivative(&task.callee, &symbol, readable, wanted, call)?;
                }
            }
        }
        let arguments: Vec<Value> = call.operands().map(ops::source).collect();
        let ty = ops::result(call).r#type();
        let new = Builder::before(self.context(), call).call(&symbol, &arguments, &[ty]);
        ir::replace_all_uses(ops::result(call), ops::result(new));
        ir::erase(call);
        Ok(())
    }

    /// Makes a derivative of a function.
    fn derivative(
        &mut self,
        callee: &str,
        symbol: &str,
        readable: impl Fn(&str) -> String,
        wanted: Wanted,
        call: OperationRef<'c, 'a>,
    ) -> Diagnosed<()> {
        let Some(function) = self.functions.get(callee).copied() else { return Ok(()) };
        let key = ops::string_attribute(&function, "toy.specialization");
        let key = key.unwrap_or_else(|| format!("{callee}()"));
        let (of, arguments) = key.find('(').map_or((&key[..], ""), |at| key.split_at(at));
        let readable = readable(of) + arguments;
        let place = (self.context(), self.module);
        let copy = copies::of(place, &self.functions, function, (symbol, &readable));
        self.quiet(copy);
        let unused = self.fill(copy, wanted).map_err(|diagnostic| {
            let locations = &self.pass.locations;
            let label = format!("`{readable}` is called here");
            vec![locations.label(*diagnostic, call.location(), label)]
        })?;
        let at = self.pass.locations.at(call);
        let warnings = unused.into_iter().map(|number| fail::unused(at, &readable, number));
        self.pass.remarks.borrow_mut().extend(warnings);
        self.functions.insert(symbol.to_owned(), copy);
        Ok(())
    }

    /// Lets a copy call functions that print nothing.
    fn quiet(&mut self, copy: OperationRef<'c, 'a>) {
        let mut pending = vec![copy];
        while let Some(function) = pending.pop() {
            for call in ir::operations(function) {
                let Some(callee) = ops::callee(&call) else { continue };
                let Some(called) = self.functions.get(&callee).copied() else { continue };
                if !copies::acts(&self.functions, called) {
                    continue;
                }
                let symbol = named(&callee, "quiet");
                let callee = Builder::before(self.context(), call).symbol(&symbol);
                ir::set_attribute(call, "callee", callee);
                if self.made.insert(symbol.clone()) {
                    let key = ops::string_attribute(&called, "toy.specialization");
                    let key = format!("quiet {}", key.unwrap_or_default());
                    let place = (self.context(), self.module);
                    let quiet = copies::of(place, &self.functions, called, (&symbol, &key));
                    self.functions.insert(symbol, quiet);
                    pending.push(quiet);
                }
            }
        }
    }

    /// Makes the derivative from the copy of the function. Returns the parameters by which a gradient is always 0.
    fn fill(
        &mut self,
        copy: OperationRef<'c, 'a>,
        Wanted { by, with_value, is_adjoint }: Wanted,
    ) -> Result<Vec<usize>, Box<Diagnostic>> {
        let [block] = ir::blocks(copy)[..] else { return Ok(Vec::new()) };
        let mut operations = ir::block_operations(block);
        let Some(end) = operations.pop().filter(|end| end.operand_count() == 1) else {
            return Ok(Vec::new());
        };
        let (result, parameters) = (ir::operand(end, 0), ir::arguments(block));
        let builder = Builder::before(self.context(), end);
        let code = Code { builder, locations: &self.pass.locations };
        let mut active: activity::Active =
            by.iter().map(|number| ir::id(parameters[*number])).collect();
        activity::spread(&operations, &mut active);
        let (tasks, tape_memory) = (&mut self.tasks, self.tape_memory);
        let mut reverse = Reverse { active, tasks, tape_memory, remarks: Vec::new() };
        let value = match is_adjoint {
            true => block.add_argument(result.r#type(), end.location()),
            false => code.number(1.0, result),
        };
        let mut cotangents = Cotangents::default();
        if reverse.active.contains(&ir::id(result)) {
            cotangents.set(result, Cotangent { value, is_hidden: is_adjoint });
        }
        reverse.block(code, &operations, &mut cotangents)?;
        let is_unused = |number: &usize| !is_adjoint && !cotangents.has(parameters[*number]);
        let unused = by.iter().copied().filter(is_unused).collect();
        self.pass.remarks.borrow_mut().append(&mut reverse.remarks);
        // The value may be another one now: that of a loop with a tape.
        let mut results: Vec<Value> = with_value.then(|| ir::operand(end, 0)).into_iter().collect();
        results.extend(by.iter().map(|number| cotangents.full_or_zeros(code, parameters[*number])));
        let result = match results.as_slice() {
            [only] => *only,
            several => code.structure(several),
        };
        ir::set_operands(end, &[result]);
        sweep::block(code.builder, block);
        let inputs: Vec<Type> = ir::arguments(block).iter().map(|it| it.r#type()).collect();
        let ty = ops::function_type_of(self.context(), &inputs, &[result.r#type()]);
        ir::set_attribute(copy, "function_type", ty);
        Ok(unused)
    }
}

/// The name of a derivative, made from the one of a specialization: `f$grad$2x3` from `f$2x3`.
fn named(callee: &str, derivative: &str) -> String {
    match callee.split_once('$') {
        Some((name, shapes)) => format!("{name}${derivative}${shapes}"),
        None => format!("{callee}${derivative}"),
    }
}

fn list(numbers: &[usize], separator: &str) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(separator)
}

/// The type of several results: a struct, unless it is one.
fn type_of_results<'c>(context: &'c Context, types: &[Type<'c>]) -> Type<'c> {
    match types {
        [only] => *only,
        several => struct_type(context, several),
    }
}
