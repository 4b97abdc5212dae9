//! The facts of a program, from its module after specialization: for editors, and for pages.
//!
//! Input: a program, even if specialization fails and its functions are known in part. Output: [`Facts`]: the shape
//! of each span of the text in each specialization, and the target of each call. Invariants: a specialization comes
//! after the one that calls it first; the work for one function does not grow with the number of its specializations
//! beyond a limit.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Type, ValueLike};
use mlir_support::{Locations, ir};
use std::collections::{BTreeMap, HashMap, VecDeque};
use toy_compiler::Stage;
use toy_compiler::compilation::{Compilation, Config, Observer};
use toy_compiler::dialect::ops::{self, Kind};
use toy_compiler::interface::record;
use toy_compiler::stages::shapes::specialize;
use toy_compiler::stages::shapes::specialize::key::{Argument, Key};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::{Source, Span};
use toy_lsp::facts::{Called, Caller, Fact, Facts, Specialization};

/// The number of specializations of one function that are visited.
const MAX_OF_ONE: usize = 32;
/// The number of specializations that are listed in all.
const MAX_LISTED: usize = 5_000;

/// The facts of a program, and the diagnostics about its shapes.
pub fn of(source: &Source, config: Config) -> (Facts, Vec<Diagnostic>) {
    // At level 0, with debug information, the program is as it is written, and its variables are in it.
    let config = Config { debug_info: true, optimization_level: 0, only_checks: true, ..config };
    let mut compilation = Compilation::new(Source::new(&*source.name, &*source.text), config);
    let mut collector = Collector { source, facts: None };
    let result = compilation.advance_to(Stage::Shapes, &mut collector);
    let diagnostics = compilation.with_warnings(result.err().unwrap_or_default());
    (collector.facts.unwrap_or_default(), diagnostics)
}

/// Collects when specialization ends.
struct Collector<'s> {
    source: &'s Source,
    facts: Option<Facts>,
}

impl Collector<'_> {
    fn collect(&mut self, pass: &str, module: &Module) {
        if pass == specialize::PASS.name {
            let locations = Locations { source: self.source, file: &self.source.name };
            self.facts = Some(collected(module, &locations));
        }
    }
}

impl Observer for Collector<'_> {
    fn pass_ended(&mut self, pass: &str, module: &Module) {
        self.collect(pass, module);
    }

    fn pass_failed(&mut self, pass: &str, module: &Module) {
        self.collect(pass, module);
    }
}

/// The facts of a module.
fn collected(module: &Module, locations: &Locations) -> Facts {
    let functions: HashMap<String, OperationRef> = ir::block_operations(module.body())
        .into_iter()
        .filter(|it| ops::is_function(it) && readable(it).is_some())
        .map(|function| (ops::symbol_name(&function), function))
        .collect();
    let mut facts = Facts::default();
    for function in functions.values() {
        *facts.counts.entry(base(&readable(function).unwrap_or_default())).or_default() += 1;
    }
    let mut collection = Collection {
        facts,
        locations,
        functions,
        shapes: HashMap::new(),
        numbers: HashMap::new(),
        of_one: HashMap::new(),
        values: BTreeMap::new(),
        calls: BTreeMap::new(),
        queue: VecDeque::new(),
    };
    if collection.functions.contains_key("main") {
        collection.enter("main", None);
    }
    // Exported functions are called by a function that the program does not have.
    for function in ir::block_operations(module.body()) {
        if function.has_attribute(record::ATTRIBUTE) {
            for operation in ir::operations(function) {
                if let Some(symbol) = collection.callee(operation) {
                    collection.enter(&symbol, None);
                }
            }
        }
    }
    while let Some((number, function)) = collection.queue.pop_front() {
        collection.function(number, function);
    }
    collection.done()
}

struct Collection<'a, 'c> {
    facts: Facts,
    locations: &'a Locations<'a>,
    functions: HashMap<String, OperationRef<'c, 'a>>,
    /// The numbers of shapes and of specializations.
    shapes: HashMap<String, usize>,
    numbers: HashMap<String, usize>,
    /// The number of listed specializations of each function.
    of_one: HashMap<String, usize>,
    values: BTreeMap<Span, Vec<(usize, usize)>>,
    calls: BTreeMap<Span, Vec<(usize, usize)>>,
    queue: VecDeque<(usize, OperationRef<'c, 'a>)>,
}

impl Collection<'_, '_> {
    /// The number of a specialization, which is visited later if it is new. None: there are too many.
    fn enter(&mut self, symbol: &str, caller: Option<Caller>) -> Option<usize> {
        if let Some(number) = self.numbers.get(symbol) {
            return Some(*number);
        }
        let function = *self.functions.get(symbol)?;
        let key = readable(&function)?;
        let name = base(&key);
        let of_one = self.of_one.entry(name.clone()).or_default();
        let number = self.facts.specializations.len();
        if *of_one >= MAX_OF_ONE || number >= MAX_LISTED {
            return None;
        }
        *of_one += 1;
        let ty = ops::function_type(&function);
        let arguments = ty.map(ops::inputs).unwrap_or_default();
        let arguments = arguments.into_iter().filter_map(|ty| self.shape(ty)).collect();
        let result = ty.map(ops::results).unwrap_or_default().into_iter().next();
        let result = result.and_then(|ty| self.shape(ty));
        self.numbers.insert(symbol.to_owned(), number);
        let specialization = Specialization { function: name, key, arguments, result, caller };
        self.facts.specializations.push(specialization);
        self.queue.push_back((number, function));
        Some(number)
    }

    /// The number of a shape; None for anything but a tensor or a struct of known shape.
    fn shape(&mut self, ty: Type) -> Option<usize> {
        let text = match Argument::of(ty)? {
            Argument::Other(_) => return None,
            argument => argument.to_string(),
        };
        let facts = &mut self.facts;
        Some(*self.shapes.entry(text).or_insert_with_key(|text| {
            facts.shapes.push(text.clone());
            facts.shapes.len() - 1
        }))
    }

    fn function(&mut self, number: usize, function: OperationRef) {
        for operation in ir::operations(function) {
            let Some(span) = self.locations.span(operation.location()) else { continue };
            let caller = Caller { specialization: number, place: Some(span) };
            if let Some(symbol) = self.callee(operation)
                && let Some(called) = self.enter(&symbol, Some(caller))
            {
                self.calls.entry(span).or_default().push((number, called));
            }
            let Some(shape) = value_of(operation).and_then(|ty| self.shape(ty)) else { continue };
            let known = self.values.entry(span).or_default();
            // Of several operations for one expression, the last is its value.
            match known.last_mut().filter(|(by, _)| *by == number) {
                Some(last) => last.1 = shape,
                None => known.push((number, shape)),
            }
        }
    }

    /// The symbol of the specialization that an operation calls. A call in which inference found an error still has the
    /// name in the program.
    fn callee(&self, operation: OperationRef) -> Option<String> {
        let callee = ops::callee(&operation)?;
        if Kind::of(&operation) != Some(Kind::GenericCall) {
            return Some(callee);
        }
        let arguments = operation.operands().map(|argument| Argument::of(argument.r#type()));
        Some(Key { callee, arguments: arguments.collect::<Option<_>>()? }.symbol())
    }

    fn done(self) -> Facts {
        let values = self.values.into_iter().map(|(span, shapes)| Fact { span, shapes });
        let calls = self.calls.into_iter().map(|(span, by_whom)| Called { span, by_whom });
        Facts { values: values.collect(), calls: calls.collect(), ..self.facts }
    }
}

/// The type of the value of an operation in the program.
fn value_of<'c>(operation: OperationRef<'c, '_>) -> Option<Type<'c>> {
    match Kind::of(&operation) {
        Some(Kind::Variable) => operation.operand(0).ok().map(|value| value.r#type()),
        // They change the knowledge about a value, not the value.
        Some(Kind::Cast | Kind::Unset) => None,
        None if ir::name(&operation) != "func.call" => None,
        // For an operation without results, melior's error would have its text, which takes long.
        _ if operation.result_count() == 0 => None,
        _ => operation.result(0).ok().map(|value| value.r#type()),
    }
}

/// The readable key of a specialization, and the name of `main`.
fn readable(function: &OperationRef) -> Option<String> {
    ops::string_attribute(function, "toy.specialization")
        .or_else(|| Some(ops::symbol_name(function)).filter(|name| name == "main"))
}

/// The function of a key.
fn base(key: &str) -> String {
    key.split('(').next().unwrap_or_default().to_owned()
}
