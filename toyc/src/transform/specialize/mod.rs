//! Specialization: shape inference across function calls.
//!
//! Input: a verified Toy module whose functions may have unranked parameters. Output: a module in
//! which every Toy value is ranked, with one function per (callee, argument shapes) that can be
//! reached, and `func.call` in place of `toy.generic_call`. Functions that nothing reaches are gone.
//!
//! The algorithm is the one the first MLIR tutorial describes, made robust: entries are memoized
//! under their key, each is new, busy or done; a stack of our own (not the machine's) suspends a
//! caller while its callee is inferred, so a call chain may be as long as memory allows, and a call
//! tree of 2^n calls over k shapes costs k entries. A call of a busy entry is recursion, which in a
//! language without branches never ends, hence an error. Toy values are defined before they are
//! used in program order, so one forward pass over each clone suffices.
//!
//! After an error its result stays unranked, and operations on unranked operands are skipped: one
//! mistake is reported once, and independent mistakes are all reported.
//!
//! Names: a clone is `f$2x3$s` (`s` is a scalar, `f$void` has no parameters). `$` is not a letter
//! of Toy, so no user function collides with a clone or, later, with `malloc`. The readable key is
//! kept in the attribute `toy.specialization`.

mod errors;

use crate::diagnostic::{Diagnosed, Diagnostic};
use crate::dialect::complaints;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::{Shape, is_unranked, shape_of};
use crate::mlir::pass::PassContext;
use crate::mlir::{Locations, raw};
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, Value, ValueLike};
use std::collections::{HashMap, HashSet};

/// More specializations than any sensible program has; a bound for mistakes of generated ones.
const MAX_SPECIALIZATIONS: usize = 200_000;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let mut specializer = Specializer::new(context, module);
    for root in specializer.roots() {
        specializer.infer(root);
    }
    if !specializer.diagnostics.is_empty() {
        return Err(specializer.diagnostics);
    }
    specializer.erase_templates();
    let left: Vec<_> = raw::operations(module.as_operation())
        .into_iter()
        .filter(|operation| Kind::of(operation).is_some_and(|kind| !is_inferred(*operation, kind)))
        .map(|operation| errors::not_inferred(operation, &context.locations))
        .collect();
    if left.is_empty() { Ok(()) } else { Err(left) }
}

/// Whether nothing about an operation is left to infer. In `.mlir` input, something may be: values
/// of other dialects may be unranked, and operations may be where no inference gets to.
fn is_inferred(operation: OperationRef, kind: Kind) -> bool {
    let ranked = |value: Value| shape_of(value.r#type()).is_some();
    !matches!(kind, Kind::GenericCall | Kind::Cast)
        && operation.operands().all(ranked)
        && operation.results().all(|result| ranked(result.into()))
}

/// What identifies a specialization.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    callee: String,
    arguments: Vec<Argument>,
}

/// What a function is specialized for in one of its arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Argument {
    Tensor(Shape),
    /// A type of another dialect, as it is written; only in `.mlir` input.
    Other(String),
}

impl Argument {
    /// None for a tensor whose shape is not known.
    fn of(r#type: Type) -> Option<Argument> {
        match shape_of(r#type) {
            Some(shape) => Some(Argument::Tensor(shape)),
            None if is_unranked(r#type) => None,
            None => Some(Argument::Other(r#type.to_string())),
        }
    }
}

#[derive(PartialEq)]
enum State<'c> {
    Busy,
    /// The result types of the finished function; a type stays unranked after an error.
    Done(Vec<Type<'c>>),
}

struct Entry<'c, 'a> {
    key: Key,
    symbol: String,
    function: OperationRef<'c, 'a>,
    state: State<'c>,
}

/// A function in the middle of its inference.
struct Frame<'c, 'a> {
    entry: usize,
    operations: Vec<OperationRef<'c, 'a>>,
    next: usize,
    results: Vec<Type<'c>>,
}

struct Specializer<'c, 'a> {
    context: &'c Context,
    module: &'a Module<'c>,
    locations: Locations<'a>,
    functions: HashMap<String, OperationRef<'c, 'a>>,
    /// The functions that exist to be cloned.
    templates: HashSet<String>,
    entries: Vec<Entry<'c, 'a>>,
    memo: HashMap<Key, usize>,
    stack: Vec<Frame<'c, 'a>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'c, 'a> Specializer<'c, 'a> {
    fn new(context: &'a PassContext<'c>, module: &'a Module<'c>) -> Self
    where
        'c: 'a,
    {
        let functions: HashMap<_, _> = raw::block_operations(module.body())
            .into_iter()
            .filter(ops::is_function)
            .map(|function| (ops::symbol_name(&function), function))
            .collect();
        let templates = functions
            .iter()
            .filter(|(_, function)| is_template(**function))
            .map(|(name, _)| name.clone())
            .collect();
        Self {
            context: context.session.context(),
            module,
            locations: context.locations,
            functions,
            templates,
            entries: Vec::new(),
            memo: HashMap::new(),
            stack: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The functions that are compiled as they are: those with a body that are no templates, in
    /// the order of the module.
    fn roots(&self) -> Vec<OperationRef<'c, 'a>> {
        raw::block_operations(self.module.body())
            .into_iter()
            .filter(|operation| {
                ops::is_function(operation)
                    && ops::entry_block(*operation).is_some()
                    && !self.templates.contains(&ops::symbol_name(operation))
                    && self.concerns_us(*operation)
            })
            .collect()
    }

    /// Whether a function has Toy operations or calls something that is to be specialized.
    fn concerns_us(&self, function: OperationRef) -> bool {
        raw::operations(function).iter().any(|operation| {
            Kind::of(operation).is_some()
                || ops::callee(operation).is_some_and(|callee| self.templates.contains(&callee))
        })
    }

    /// Infers a root and everything it reaches.
    fn infer(&mut self, root: OperationRef<'c, 'a>) {
        let name = ops::symbol_name(&root);
        let arguments = argument_kinds(root);
        let key = Key { callee: name.clone(), arguments };
        if self.memo.contains_key(&key) {
            return;
        }
        self.enter(key, name, root);
        while let Some(frame) = self.stack.last_mut() {
            let Some(operation) = frame.operations.get(frame.next).copied() else {
                self.leave();
                continue;
            };
            // A call whose callee has to be inferred first is looked at again afterwards.
            if self.visit(operation) {
                self.stack.last_mut().expect("not empty").next += 1;
            }
        }
    }

    fn enter(&mut self, key: Key, symbol: String, function: OperationRef<'c, 'a>) {
        let entry = self.entries.len();
        self.memo.insert(key.clone(), entry);
        self.entries.push(Entry { key, symbol, function, state: State::Busy });
        let operations = raw::operations(function);
        self.stack.push(Frame { entry, operations, next: 0, results: Vec::new() });
    }

    /// Finishes the function on top of the stack: its type follows from its blocks and returns.
    fn leave(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        let entry = &mut self.entries[frame.entry];
        if let Some(block) = ops::entry_block(entry.function) {
            let inputs: Vec<_> = (0..block.argument_count())
                .filter_map(|index| block.argument(index).ok())
                .map(|argument| argument.r#type())
                .collect();
            let r#type = ops::function_type_of(self.context, &inputs, &frame.results);
            raw::set_attribute(entry.function, "function_type", r#type);
        }
        entry.state = State::Done(frame.results);
    }

    /// Infers the result of one operation. False: a callee was entered, come back later.
    fn visit(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        match Kind::of(&operation) {
            Some(Kind::Add | Kind::Mul) => self.element_wise(operation),
            Some(Kind::Transpose) => {
                if let Some(shape) = operand_shape(operation, 0) {
                    set_shape(self.context, operation, &shape.transposed());
                }
            }
            Some(Kind::Reshape) => self.reshape(operation),
            Some(Kind::Cast) => {
                if let Ok(operand) = operation.operand(0) {
                    raw::replace_all_uses(ops::result(operation), operand);
                    raw::erase(operation);
                }
            }
            Some(Kind::Constant | Kind::Print) => {}
            Some(Kind::GenericCall) => return self.call(operation),
            None => match raw::name(&operation) {
                "func.call" => return self.call(operation),
                "func.return" => {
                    let frame = self.stack.last_mut().expect("visiting a function");
                    frame.results = operation.operands().map(|value| value.r#type()).collect();
                }
                _ => {}
            },
        }
        true
    }

    fn element_wise(&mut self, operation: OperationRef<'c, 'a>) {
        let (Some(lhs), Some(rhs)) = (operand_shape(operation, 0), operand_shape(operation, 1))
        else {
            return;
        };
        if lhs == rhs {
            set_shape(self.context, operation, &lhs);
        } else {
            self.report(complaints::shape_mismatch(operation, &lhs, &rhs, &self.locations));
        }
    }

    fn reshape(&mut self, operation: OperationRef<'c, 'a>) {
        let result = shape_of(ops::result(operation).r#type());
        if let (Some(from), Some(to)) = (operand_shape(operation, 0), result)
            && !from.reshapes_to(&to)
        {
            self.report(complaints::element_count(operation, &from, &to, &self.locations));
        }
    }

    /// Turns a call into a `func.call` of the right specialization. False: that was entered first.
    fn call(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        let Some(callee) = ops::callee(&operation) else { return true };
        let Some(function) = self.functions.get(&callee).copied() else { return true };
        let is_generic_call = Kind::of(&operation) == Some(Kind::GenericCall);
        if !self.templates.contains(&callee) && !contains_toy(function) {
            // A function of a lower level, or one defined elsewhere: its type is what it says.
            if is_generic_call {
                let results = ops::function_type(&function).map(ops::results).unwrap_or_default();
                self.replace_call(operation, &callee, &results);
            }
            return true;
        }
        let arguments: Option<Vec<_>> =
            operation.operands().map(|argument| Argument::of(argument.r#type())).collect();
        // An argument without a shape is the trace of an error that has been reported.
        let Some(arguments) = arguments else { return true };
        let key = Key { callee, arguments };
        match self.memo.get(&key).copied() {
            Some(entry) => {
                match &self.entries[entry].state {
                    State::Done(results) => {
                        let (results, symbol) =
                            (results.clone(), self.entries[entry].symbol.clone());
                        self.replace_call(operation, &symbol, &results);
                    }
                    State::Busy => {
                        let diagnostic = errors::recursion(operation, &self.path_to(entry), self);
                        self.diagnostics.push(diagnostic);
                    }
                }
                true
            }
            None if self.entries.len() >= MAX_SPECIALIZATIONS => {
                let diagnostic = errors::too_many(operation, MAX_SPECIALIZATIONS, &self.locations);
                self.report(diagnostic);
                self.stack.clear();
                false
            }
            None => {
                self.specialize(key, function);
                false
            }
        }
    }

    /// Makes the function of a key: a typed clone of a template, or the root itself.
    fn specialize(&mut self, key: Key, function: OperationRef<'c, 'a>) {
        if !self.templates.contains(&key.callee) {
            let symbol = key.callee.clone();
            return self.enter(key, symbol, function);
        }
        let symbol = self.fresh_symbol(&key);
        let mut clone = raw::clone(function);
        clone.set_attribute("sym_name", StringAttribute::new(self.context, &symbol).into());
        clone.set_attribute("sym_visibility", StringAttribute::new(self.context, "private").into());
        let readable = StringAttribute::new(self.context, &key.to_string());
        clone.set_attribute("toy.specialization", readable.into());
        let clone = self.module.body().append_operation(clone);
        let block = ops::entry_block(clone).expect("templates have a body");
        for (index, argument) in key.arguments.iter().enumerate() {
            if let Argument::Tensor(shape) = argument {
                let parameter = block.argument(index).expect("verified: the arities agree");
                parameter.set_type(shape.tensor_type(self.context));
            }
        }
        self.functions.insert(symbol.clone(), clone);
        self.enter(key, symbol, clone);
    }

    fn fresh_symbol(&self, key: &Key) -> String {
        let mut symbol = key.callee.clone();
        for argument in &key.arguments {
            symbol.push('$');
            symbol.push_str(&match argument {
                Argument::Tensor(shape) if shape.0.is_empty() => "s".to_owned(),
                Argument::Tensor(shape) => shape.to_string(),
                Argument::Other(r#type) => r#type.clone(),
            });
        }
        if key.arguments.is_empty() {
            symbol.push_str("$void");
        }
        // Only hand-written MLIR can have such a name already.
        while self.functions.contains_key(&symbol) {
            symbol.push('$');
        }
        symbol
    }

    fn replace_call(&self, operation: OperationRef<'c, 'a>, symbol: &str, results: &[Type<'c>]) {
        let Some(block) = operation.block() else { return };
        let arguments: Vec<Value> = operation.operands().collect();
        // A value nobody asked for (`f(x);`) is still a result of the callee.
        let call = ops::call(self.context, operation.location(), symbol, &arguments, results);
        let call = block.insert_operation_before(operation, call);
        for (old, new) in operation.results().zip(call.results()) {
            raw::replace_all_uses(old.into(), new.into());
        }
        raw::erase(operation);
    }

    /// The keys from a busy entry to the top of the stack.
    fn path_to(&self, entry: usize) -> Vec<String> {
        self.stack
            .iter()
            .skip_while(|frame| frame.entry != entry)
            .map(|frame| self.entries[frame.entry].key.to_string())
            .collect()
    }

    /// Adds the chain of calls that led to the current function and keeps the diagnostic.
    fn report(&mut self, diagnostic: Diagnostic) {
        let diagnostic = errors::with_call_chain(diagnostic, self);
        self.diagnostics.push(diagnostic);
    }

    fn erase_templates(&self) {
        for name in &self.templates {
            if let Some(template) = self.functions.get(name) {
                raw::erase(*template);
            }
        }
    }
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Argument::Tensor(shape) => shape.fmt(f),
            Argument::Other(r#type) => f.write_str(r#type),
        }
    }
}

/// `f(2x3, scalar)`
impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let arguments: Vec<_> = self.arguments.iter().map(Argument::to_string).collect();
        write!(f, "{}({})", self.callee, arguments.join(", "))
    }
}

/// Whether a function is only there to be cloned: it has unranked types in its signature, or it is
/// a private function of Toy operations.
fn is_template(function: OperationRef) -> bool {
    if ops::entry_block(function).is_none() {
        return false;
    }
    let Some(r#type) = ops::function_type(&function) else { return false };
    ops::inputs(r#type).into_iter().chain(ops::results(r#type)).any(is_unranked)
        || (ops::is_private(&function) && (contains_toy(function) || is_all_toy(function)))
}

/// Whether a function does nothing but call and return, as an empty Toy function does: it gets a
/// name of ours, too, so that `def malloc() { }` is not the C library's.
fn is_all_toy(function: OperationRef) -> bool {
    let is_toy = |operation: &OperationRef| {
        Kind::of(operation).is_some()
            || ["func.call", "func.return"].contains(&raw::name(operation))
    };
    raw::operations(function).iter().all(is_toy)
}

fn contains_toy(function: OperationRef) -> bool {
    raw::operations(function).iter().any(|operation| Kind::of(operation).is_some())
}

fn argument_kinds(function: OperationRef) -> Vec<Argument> {
    let Some(r#type) = ops::function_type(&function) else { return Vec::new() };
    ops::inputs(r#type).into_iter().filter_map(Argument::of).collect()
}

fn operand_shape(operation: OperationRef, index: usize) -> Option<Shape> {
    shape_of(operation.operand(index).ok()?.r#type())
}

fn set_shape<'c>(context: &'c Context, operation: OperationRef<'c, '_>, shape: &Shape) {
    ops::result(operation).set_type(shape.tensor_type(context));
}
