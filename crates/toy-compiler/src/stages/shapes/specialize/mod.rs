//! Specialization: shape inference across function calls.
//!
//! Input: a verified Toy module whose functions may have unranked parameters. Output: a module in
//! which every Toy value is ranked, with one function per (callee, argument shapes) that can be
//! reached, and `func.call` in place of `toy.generic_call`. Functions that nothing reaches are gone.
//!
//! The algorithm is the one the first MLIR tutorial describes, made robust: entries are memoized
//! under their key, each is new, busy, waiting or done; an explicit stack (not the machine's) suspends a
//! caller while its callee is inferred, so a call chain may be as long as memory allows, and a call
//! tree of 2^n calls over k shapes costs k entries. Values are defined before they are
//! used, so one forward pass over each clone suffices, also for branches and loops: a variable has one
//! shape ([`regions`]). Branches and loops that are known not to run are gone before they are visited ([`known`]). A call of a busy entry is recursion, which takes several passes ([`recursion`]).
//!
//! After an error its result stays unranked, and operations on unranked operands are skipped: each
//! error is reported once, and independent errors are all reported.
//!
//! A struct has the shapes of all its fields; it is known when they are. If the operands of a `toy.struct_create` turn
//! out to differ in type, casts to one type stay in front of it.
//!
//! Names: a clone is `f$2x3$s` (`s` is a scalar, `f$void` has no parameters, `f$S2x3$sE` has one of
//! a struct). `$` is not a letter of Toy, so no user function collides with a clone or, later, with `malloc`. The readable key is
//! kept in the attribute `toy.specialization`.
//!
//! Tutorial: chapter 6.

mod assign;
mod calls;
mod constants;
mod errors;
mod infer;
pub mod key;
mod known;
mod recursion;
mod regions;
mod templates;

use crate::dialect::evaluate::Numbers;
use crate::dialect::needs::not_inferred;
use crate::dialect::ops::{self, Kind};
use key::{Argument, Key};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Type, ValueLike};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, Session, ir};
use std::collections::{HashMap, HashSet};
use templates::{is_open_function, is_template};
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The maximum number of operations of functions that are copied, apart from the first specialization of each function:
/// copies for calls with many shapes would take the compiler minutes.
const MAX_COPIED: usize = 500_000;

/// The maximum number of calls of one function on the stack with arguments not smaller than in the call before: with
/// more, each has another shape, and so on. Calls with ever smaller arguments come to an end.
const MAX_NESTED: usize = 1000;

/// The number of operations that an operation on tensors counts as.
const TENSOR_WORK: usize = 30;

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-specialize",
    "Infers shapes; makes one function per callee and argument shapes",
    run,
);

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
    let left = not_inferred(context, module);
    if left.is_empty() { Ok(()) } else { Err(left) }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// It is on the stack.
    Busy,
    /// It was visited, but waits for the result of this busy entry, or of one that waits.
    Waiting(usize),
    Done,
}

struct Entry<'c, 'a> {
    key: Key,
    symbol: String,
    function: OperationRef<'c, 'a>,
    state: State,
    /// The result types as far as they are known; a type stays open after an error.
    results: Vec<Type<'c>>,
    /// The entry whose call led to the last visit.
    caller: Option<usize>,
    /// While it is busy, its place on the stack.
    depth: usize,
    /// The time when the last visit began or ended.
    visited: usize,
}

/// A function in the middle of its inference.
struct Frame<'c, 'a> {
    entry: usize,
    operations: Vec<OperationRef<'c, 'a>>,
    next: usize,
    results: Vec<Type<'c>>,
    /// Casts that are kept until the end, because diagnostics need the locations of their operands.
    casts: Vec<OperationRef<'c, 'a>>,
    /// The addresses of operations that never run under this key, which are erased.
    gone: HashSet<usize>,
    recursion: recursion::Facts<'c, 'a>,
}

struct Specializer<'c, 'a> {
    context: &'c Context,
    session: &'a Session,
    module: &'a Module<'c>,
    locations: Locations<'a>,
    functions: HashMap<String, OperationRef<'c, 'a>>,
    /// The functions that exist to be cloned.
    templates: HashSet<String>,
    entries: Vec<Entry<'c, 'a>>,
    memo: HashMap<Key, usize>,
    /// The entries by the names of their functions.
    by_symbol: HashMap<String, usize>,
    stack: Vec<Frame<'c, 'a>>,
    waiting: Vec<usize>,
    /// The calls of a function on the stack, the last one on top.
    busy: HashMap<String, Vec<recursion::Nested>>,
    /// The numbers of constant expressions that conditions need. Erased operations are not freed during the pass.
    numbers: Numbers,
    /// The lengths of the ranges, and the sum of them.
    ranges: HashSet<u64>,
    stored: u64,
    /// The number of specializations of a function.
    copies: HashMap<String, usize>,
    /// The operations of the functions that are specialized not for the first time.
    copied: usize,
    /// Counts the visits of functions.
    clock: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'c, 'a> Specializer<'c, 'a> {
    fn new(context: &'a PassContext<'c>, module: &'a Module<'c>) -> Self
    where
        'c: 'a,
    {
        let functions: HashMap<_, _> = ir::block_operations(module.body())
            .into_iter()
            .filter(ops::is_function)
            .map(|function| (ops::symbol_name(&function), function))
            .collect();
        let mut templates: HashSet<String> = functions
            .iter()
            .filter(|(_, function)| is_template(**function))
            .map(|(name, _)| name.clone())
            .collect();
        // A function that is called by its address keeps its name.
        for operation in ir::operations(module.as_operation()) {
            if ir::name(&operation) == "func.constant"
                && let Some(name) = ops::attribute(&operation, "value").and_then(ir::symbol_value)
                && functions.get(&name).is_some_and(|function| !is_open_function(*function))
            {
                templates.remove(&name);
            }
        }
        Self {
            context: context.session.context(),
            session: context.session,
            module,
            locations: context.locations,
            functions,
            templates,
            entries: Vec::new(),
            memo: HashMap::new(),
            by_symbol: HashMap::new(),
            stack: Vec::new(),
            waiting: Vec::new(),
            busy: HashMap::new(),
            numbers: Numbers::default(),
            ranges: HashSet::new(),
            stored: 0,
            copies: HashMap::new(),
            copied: 0,
            clock: 0,
            diagnostics: Vec::new(),
        }
    }

    /// The functions that are compiled without specialization: functions with a body that are not templates, in the
    /// order of the module.
    fn roots(&self) -> Vec<OperationRef<'c, 'a>> {
        ir::block_operations(self.module.body())
            .into_iter()
            .filter(|operation| {
                ops::is_function(operation)
                    && ops::entry_block(*operation).is_some()
                    && !self.templates.contains(&ops::symbol_name(operation))
                    && self.concerns_us(*operation)
            })
            .collect()
    }

    /// True if a function has Toy operations or calls something that is to be specialized.
    fn concerns_us(&self, function: OperationRef) -> bool {
        ir::operations(function).iter().any(|operation| {
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

    /// Begins with the function of a new key.
    fn enter(&mut self, key: Key, symbol: String, function: OperationRef<'c, 'a>) {
        let entry = self.entries.len();
        self.memo.insert(key.clone(), entry);
        self.by_symbol.insert(symbol.clone(), entry);
        // Results in a signature are known.
        let results = ops::function_type(&function).map(ops::results).unwrap_or_default();
        let state = State::Busy;
        let (caller, depth, visited) = (None, 0, 0);
        let entry_data = Entry { key, symbol, function, state, results, caller, depth, visited };
        self.entries.push(entry_data);
        self.push(entry);
    }

    /// Finishes the function on top of the stack: its type follows from its blocks and returns.
    fn leave(&mut self) {
        let Some(mut frame) = self.stack.pop() else { return };
        let is_unused = |cast: &OperationRef| !ir::has_uses(ops::result(*cast));
        std::mem::take(&mut frame.casts).into_iter().filter(is_unused).for_each(ir::erase);
        let entry = &mut self.entries[frame.entry];
        if let Some(block) = ops::entry_block(entry.function) {
            let inputs: Vec<_> = ir::arguments(block).iter().map(|it| it.r#type()).collect();
            let ty = ops::function_type_of(self.context, &inputs, &frame.results);
            ir::set_attribute(entry.function, "function_type", ty);
        }
        self.settle(frame);
    }

    /// Infers the result of one operation. False: a callee was entered, come back later.
    fn visit(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        if self.is_gone(operation) {
            return true;
        }
        match (Kind::of(&operation), ir::name(&operation)) {
            (Some(Kind::GenericCall), _) | (None, "func.call") => return self.call(operation),
            (Some(kind), _) => self.infer_operation(operation, kind),
            (None, "func.return") => {
                let frame = self.stack.last_mut().expect("visiting a function");
                frame.results = operation.operands().map(|value| value.r#type()).collect();
            }
            (None, name) if name.starts_with("scf.") => {
                if !self.resolve(operation, name) {
                    self.infer_region(operation, name);
                }
            }
            (None, _) => {}
        }
        true
    }

    /// Adds the chain of calls that led to the current function and keeps the diagnostic.
    fn report(&mut self, diagnostic: Diagnostic) {
        let diagnostic = errors::with_call_chain(diagnostic, self);
        self.diagnostics.push(diagnostic);
    }

    fn erase_templates(&self) {
        for name in &self.templates {
            if let Some(template) = self.functions.get(name) {
                ir::erase(*template);
            }
        }
    }
}

fn argument_kinds(function: OperationRef) -> Vec<Argument> {
    let Some(ty) = ops::function_type(&function) else { return Vec::new() };
    ops::inputs(ty).into_iter().filter_map(Argument::of).collect()
}
