//! The buffers that become pointers.
//!
//! Input: a module. Output: a [`Plan`], or None if the module has an unknown operation at its top level.
//! A value of a plain type becomes a pointer unless one of its uses forbids it; then so does every
//! argument that is passed for a forbidden parameter, and every buffer of which a forbidden view is
//! taken. A work list visits each forbidden value once, so the analysis is linear.

use super::plain;
use crate::dialect::enums::is_mathematics;
use crate::dialect::ops;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Module, TypeLike, Value, ValueLike};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The input of the rewriting.
pub struct Plan<'c, 'a> {
    /// All operations, in program order.
    pub operations: Vec<OperationRef<'c, 'a>>,
    /// The buffers that become pointers, by [`ir::id`]. All others stay memrefs.
    pub pointers: HashSet<usize>,
    /// The functions whose parameters may become pointers.
    pub functions: HashMap<String, OperationRef<'c, 'a>>,
    /// The constants that need no memref.
    pub globals: HashMap<String, OperationRef<'c, 'a>>,
}

/// A use of a buffer by an operation.
pub enum Use {
    /// It needs only the address of the elements.
    Address,
    /// It frees it.
    Free,
    /// Its result is a view of the buffer.
    View,
    /// It passes it to a function, as the parameter of this index.
    Pass(usize),
    /// Any other use.
    Other,
}

/// The way an operation uses one of its operands.
pub fn use_of(user: OperationRef, index: usize) -> Use {
    let is_usual = || {
        let is_set = |name| ops::attribute(&user, name).is_some_and(|value| !ir::is_false(value));
        !is_set("nontemporal") && !is_set("volatile") && !user.has_attribute("alignment")
    };
    match ir::name(&user) {
        "memref.load" if index == 0 && is_usual() => Use::Address,
        "memref.store" if index == 1 && is_usual() => Use::Address,
        "memref.extract_aligned_pointer_as_index" => Use::Address,
        "vector.load" if index == 0 && is_row(user) => Use::Address,
        "vector.store" if index == 1 && is_row(user) => Use::Address,
        "memref.copy" => {
            let types = [0, 1].map(|index| ir::operand(user, index).r#type());
            let is_plain = ops::same_type(types[0], types[1]) && plain(types[0]).is_some();
            if is_plain { Use::Address } else { Use::Other }
        }
        "memref.dealloc" => Use::Free,
        "memref.view" if index == 0 && user.operand_count() == 2 => view_of(user),
        "memref.expand_shape" | "memref.collapse_shape" if index == 0 => view_of(user),
        "func.call" => Use::Pass(index),
        _ => Use::Other,
    }
}

/// True if an access to a vector is an access to elements of a buffer in a row.
fn is_row(user: OperationRef) -> bool {
    let is_load = ir::name(&user) == "vector.load";
    let vector = if is_load { ops::result(user) } else { ir::operand(user, 0) };
    let buffer = plain(ir::operand(user, usize::from(!is_load)).r#type());
    let vector = ir::fixed_vector(vector.r#type());
    vector.zip(buffer).is_some_and(|((element, sizes), buffer)| {
        sizes.len() == 1
            && ops::same_type(element, buffer.element)
            && !user.has_attribute("volatile")
    })
}

fn view_of(user: OperationRef) -> Use {
    let is_plain = plain(ops::result(user).r#type()).is_some();
    if is_plain { Use::View } else { Use::Other }
}

/// True if the result of an operation may become a pointer if all its uses allow it.
pub fn makes_pointer(operation: OperationRef) -> bool {
    match ir::name(&operation) {
        "memref.alloc" => operation.operand_count() == 0 && !operation.has_attribute("alignment"),
        "memref.get_global" => true,
        "memref.view" | "memref.expand_shape" | "memref.collapse_shape" => {
            let is_of_plain = plain(ir::operand(operation, 0).r#type()).is_some();
            is_of_plain && matches!(use_of(operation, 0), Use::View)
        }
        _ => false,
    }
}

pub fn analyze<'c, 'a>(module: &'a Module<'c>) -> Option<Plan<'c, 'a>> {
    let top = ir::block_operations(module.body());
    let is_known = |operation: &OperationRef| {
        ["func.func", "memref.global", "llvm.func", "llvm.mlir.global"]
            .contains(&ir::name(operation))
    };
    if !top.iter().all(is_known) {
        return None;
    }
    let operations = ir::operations(module.as_operation());
    let taken = symbols_used_otherwise(&operations)?;
    let functions: HashMap<_, _> = top
        .iter()
        .filter(|operation| may_change(**operation))
        .map(|function| (ops::symbol_name(function), *function))
        .filter(|(name, _)| !taken.contains(name))
        .collect();
    let globals: HashMap<_, _> = top
        .iter()
        .filter(|operation| is_constant(operation))
        .map(|global| (ops::symbol_name(global), *global))
        .filter(|(name, _)| !taken.contains(name))
        .collect();
    let allocates = can_allocate(&top);
    let mut analysis = Analysis {
        candidates: HashSet::new(),
        kept: HashSet::new(),
        pending: Vec::new(),
        passed: HashMap::new(),
        parameters: HashMap::new(),
        readers: HashMap::new(),
        functions,
    };
    analysis.collect_parameters();
    for operation in &operations {
        analysis.visit(*operation, allocates, &globals);
    }
    analysis.spread();
    let Analysis { mut candidates, mut kept, readers, functions, .. } = analysis;
    // A constant is either a memref or a pointer for all its readers.
    let mut globals = globals;
    for (name, values) in readers {
        if values.iter().any(|value| kept.contains(value)) {
            globals.remove(&name);
            kept.extend(values);
        }
    }
    candidates.retain(|value| !kept.contains(value));
    Some(Plan { operations, pointers: candidates, functions, globals })
}

struct Analysis<'c, 'a> {
    /// The values that become pointers unless they are kept.
    candidates: HashSet<usize>,
    kept: HashSet<usize>,
    /// The work list: kept values that have not been followed yet.
    pending: Vec<Value<'c, 'a>>,
    /// The arguments of calls, by function and parameter index.
    passed: HashMap<(String, usize), Vec<Value<'c, 'a>>>,
    /// The function and the parameter index of a block argument.
    parameters: HashMap<usize, (String, usize)>,
    /// The values that refer to a constant, by its name.
    readers: HashMap<String, Vec<usize>>,
    functions: HashMap<String, OperationRef<'c, 'a>>,
}

impl<'c, 'a> Analysis<'c, 'a> {
    fn keep(&mut self, value: Value<'c, 'a>) {
        if self.kept.insert(ir::id(value)) {
            self.pending.push(value);
        }
    }

    fn collect_parameters(&mut self) {
        let functions: Vec<_> =
            self.functions.iter().map(|(name, function)| (name.clone(), *function)).collect();
        for (name, function) in functions {
            let Some(entry) = ops::entry_block(function) else { continue };
            for index in 0..entry.argument_count() {
                let Ok(argument) = entry.argument(index) else { continue };
                let argument: Value = argument.into();
                if plain(argument.r#type()).is_none() {
                    continue;
                }
                self.parameters.insert(ir::id(argument), (name.clone(), index));
                self.candidates.insert(ir::id(argument));
                let is_freed = ir::uses(argument)
                    .into_iter()
                    .any(|(user, index)| matches!(use_of(user, index), Use::Free));
                if is_freed || !has_usual_attributes(function, index) {
                    self.keep(argument);
                }
            }
        }
    }

    /// Keeps the operands that an operation needs as memrefs, and the results that it defines as such.
    fn visit(
        &mut self,
        operation: OperationRef<'c, 'a>,
        allocates: bool,
        globals: &HashMap<String, OperationRef<'c, 'a>>,
    ) {
        for index in 0..operation.operand_count() {
            let value = ir::operand(operation, index);
            if !value.r#type().is_mem_ref() || plain(value.r#type()).is_none() {
                continue;
            }
            match use_of(operation, index) {
                Use::Address | Use::View | Use::Free => {}
                Use::Pass(index) => match ops::callee(&operation) {
                    Some(callee) if self.functions.contains_key(&callee) => {
                        self.passed.entry((callee, index)).or_default().push(value);
                    }
                    _ => self.keep(value),
                },
                Use::Other => self.keep(value),
            }
        }
        let makes_pointer = makes_pointer(operation);
        for result in operation.results() {
            let result: Value = result.into();
            if !result.r#type().is_mem_ref() || plain(result.r#type()).is_none() {
                continue;
            }
            let global = ops::attribute(&operation, "name").and_then(ir::symbol_value);
            let is_pointer = match ir::name(&operation) {
                "memref.alloc" => makes_pointer && allocates,
                "memref.get_global" => {
                    let global = global.filter(|name| globals.contains_key(name));
                    global
                        .inspect(|name| {
                            self.readers.entry(name.clone()).or_default().push(ir::id(result));
                        })
                        .is_some()
                }
                _ => makes_pointer,
            };
            // Only a buffer that is allocated as a pointer can be freed as one.
            let is_alloc = ir::name(&operation) == "memref.alloc";
            let is_freed = || {
                let mut uses = ir::uses(result).into_iter();
                uses.any(|(user, index)| matches!(use_of(user, index), Use::Free))
            };
            if is_pointer && (is_alloc || !is_freed()) {
                self.candidates.insert(ir::id(result));
            } else {
                self.keep(result);
            }
        }
    }

    fn spread(&mut self) {
        while let Some(value) = self.pending.pop() {
            if let Some(parameter) = self.parameters.get(&ir::id(value)) {
                for argument in self.passed.remove(parameter).unwrap_or_default() {
                    self.keep(argument);
                }
            } else if let Some(definition) = ir::defining_operation(value)
                && makes_pointer(definition)
                && definition.operand_count() > 0
            {
                // The view stays a memref, so its source must be one.
                self.keep(ir::operand(definition, 0));
            }
        }
    }
}

/// True if the parameters of a function may change their types: it is defined here, and all callers are known.
fn may_change(function: OperationRef) -> bool {
    ops::is_function(&function)
        && ops::is_private(&function)
        && ops::entry_block(function).is_some()
        && !function.has_attribute("llvm.emit_c_interface")
}

/// The symbols that are used other than by calls of functions and reads of constants.
/// None: an attribute may contain symbols that cannot be found.
fn symbols_used_otherwise(operations: &[OperationRef]) -> Option<HashSet<String>> {
    let mut names = HashSet::new();
    let mut texts = Vec::new();
    for operation in operations {
        let has_no_other = ["memref.", "arith.", "scf.", "cf.", "func.return", "math."]
            .iter()
            .any(|known| ir::name(operation).starts_with(known));
        if has_no_other || is_mathematics(ir::name(operation)) {
            continue;
        }
        let is_call = ir::name(operation) == "func.call";
        for (name, attribute) in operation.attributes() {
            if !(is_call && name.as_string_ref().as_str() == Ok("callee")) {
                ir::symbols(attribute, &mut names, &mut texts);
            }
        }
    }
    texts.is_empty().then_some(names)
}

/// True if a parameter has only the attributes that bufferization adds.
fn has_usual_attributes(function: OperationRef, index: usize) -> bool {
    let Some(all) = ops::attribute(&function, "arg_attrs") else { return true };
    let Ok(all) = ArrayAttribute::try_from(all) else { return false };
    let Ok(of_one) = all.element(index) else { return false };
    let Ok(of_one) = DictionaryAttribute::try_from(of_one) else { return false };
    (0..of_one.len()).filter_map(|index| of_one.element(index).ok()).all(|(name, _)| {
        let name = name.as_string_ref();
        name.as_str().is_ok_and(|name| name.starts_with("bufferiz"))
    })
}

/// True if an operation is a private constant of a plain type, with elements, without a required alignment.
fn is_constant(operation: &OperationRef) -> bool {
    let memref_type = || {
        let attribute =
            melior::ir::attribute::TypeAttribute::try_from(ops::attribute(operation, "type")?);
        Some(attribute.ok()?.value())
    };
    ir::name(operation) == "memref.global"
        && ops::is_private(operation)
        && operation.has_attribute("constant")
        && !operation.has_attribute("alignment")
        && ops::attribute(operation, "initial_value").is_some_and(ir::is_dense)
        && memref_type().and_then(plain).is_some_and(|ty| !ty.sizes.is_empty())
}

/// True if `malloc` and `free` are the C library's in this module, or not declared yet.
fn can_allocate(top: &[OperationRef]) -> bool {
    let is_right = |name: &str, ty: &str| {
        let mut named = top.iter().filter(|operation| ops::symbol_name(*operation) == name);
        named.all(|operation| {
            ir::name(operation) == "llvm.func"
                && ops::attribute(operation, "function_type")
                    .is_some_and(|found| ir::is_written(found, ty))
        })
    };
    is_right("malloc", "!llvm.func<ptr (i64)>") && is_right("free", "!llvm.func<void (ptr)>")
}
