//! Texts in compiled programs: the text that `print` writes between numbers, and the messages of failed checks.
//!
//! Input: calls of the runtime, each with its text as an attribute, in the LLVM dialect. Output: calls that take
//! the address and the length of a constant as the first two arguments. Until then no operation refers to a
//! constant, so that every pass leaves the calls as they are.
//!
//! ```mlir
//! func.call @toy.print_text() {toy.text = "step "} : () -> ()
//! func.call @toy.fail_range(%i, %n) {toy.function = "f(5)", toy.place = "f.toy:2:9", toy.text = "index "} : ...
//! ```
//!
//! The constant of a check consists of strings: file, function, line, column, and the first words of the message.
//!
//! The names of the runtime's functions contain a `.`, so they cannot collide with users' names.

use crate::dialect::ops;
pub use crate::runtime_calls::runtime::*;
use melior::Context;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, BlockLike, Location, Module, Region};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::Builder;
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, ir, location};
use std::collections::{BTreeMap, HashMap};
use toy_diagnostics::Diagnosed;
use toy_diagnostics::text::printed;

/// The functions that do not return.
const FAILING: [&str; 3] = [FAIL_WHOLE, FAIL_RANGE, FAIL];

/// The functions whose text has a place.
pub const CHECKS: [&str; 4] = [FAIL_WHOLE, FAIL_RANGE, FAIL, ENTER];

/// The attribute of a call with its text.
const TEXT: &str = "toy.text";

/// The attributes of a call of a check with its place and its function.
const PLACE: &str = "toy.place";
const FUNCTION: &str = "toy.function";

pub const PASS: PassDefinition = PassDefinition::new(
    "toy-texts",
    "Makes constants of the texts that calls of the runtime have as attributes",
    run,
);

/// Writes a call of one of the runtime's functions.
pub fn call<'c>(code: Builder<'c, '_>, function: &str, arguments: &[Value<'c, '_>], text: &str) {
    ir::set_attribute(code.call(function, arguments, &[]), TEXT, code.text(text));
}

/// The place of a check, for the message and for callers in other languages.
pub struct Site {
    /// `FILE:LINE:COLUMN`; without a known place, the file.
    place: String,
    /// The function with the shapes of its arguments.
    function: String,
}

impl Site {
    pub fn new(files: &Locations, location: Location, function: &str) -> Self {
        let place = match location::place(location) {
            // Locations have other names for the file with debug information, and in `.mlir` input.
            Some(place) if place.file == files.file || place.file == "-" => {
                format!("{}:{}:{}", files.source.name, place.start.0, place.start.1)
            }
            Some(place) => format!("{}:{}:{}", printed(&place.file), place.start.0, place.start.1),
            None => files.source.name.clone(),
        };
        Self { place, function: function.to_owned() }
    }

    /// The attributes of a call, in MLIR's syntax.
    pub fn attributes(&self, words: &str) -> String {
        let values = [(FUNCTION, &*self.function), (PLACE, &self.place), (TEXT, words)];
        values.map(|(name, text)| format!("{name} = {}", quoted(text))).join(", ")
    }
}

/// Text as MLIR reads it.
pub fn quoted(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b' '..=b'~' if !b"\"\\".contains(&byte) => char::from(byte).to_string(),
        _ => format!("\\{byte:02X}"),
    };
    format!("\"{}\"", text.bytes().map(letter).collect::<String>())
}

/// Writes a call of a check; the words begin the message.
pub fn check<'c>(
    code: Builder<'c, '_>,
    function: &str,
    arguments: &[Value<'c, '_>],
    site: &Site,
    words: &str,
) {
    let call = code.call(function, arguments, &[]);
    for (name, text) in [(TEXT, words), (PLACE, &site.place), (FUNCTION, &site.function)] {
        ir::set_attribute(call, name, code.text(text));
    }
}

/// The text of a call of a check, as the runtime reads it.
fn strings(place: &str, function: &str, words: &str) -> String {
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = place.rsplitn(3, ':');
    let [column, line] = [parts.next(), parts.next()].map(|part| part.filter(number));
    let (file, line, column) = match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => (file, line, column),
        _ => (place, "0", "0"),
    };
    // A string ends at its first zero.
    let all = [file, function, line, column, words];
    all.map(|part| part.replace('\0', "?") + "\0").concat()
}

/// Declares the functions of the runtime that a module calls.
pub fn declare<'c>(context: &'c Context, module: &Module<'c>) {
    let mut called = BTreeMap::new();
    for operation in ir::operations(module.as_operation()) {
        let is_call = ir::name(&operation) == "func.call" && operation.has_attribute(TEXT);
        if let Some(name) = ops::callee(&operation).filter(|_| is_call) {
            let types: Vec<Type> = operation.operands().map(|value| value.r#type()).collect();
            called.insert(name, types);
        }
    }
    for function in ir::block_operations(module.body()) {
        called.remove(&ops::symbol_name(&function));
    }
    for (name, types) in called {
        let ty = FunctionType::new(context, &types, &[]);
        let function = ops::function(context, Location::unknown(context), &name, ty, None, true);
        module.body().insert_operation(0, function);
    }
}

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let calls: Vec<_> = ir::operations(module.as_operation())
        .into_iter()
        .filter(|operation| ir::name(operation) == "llvm.call" && operation.has_attribute(TEXT))
        .collect();
    if calls.is_empty() {
        return Ok(());
    }
    let context = context.session.context();
    let mut texts = Texts { context, constants: HashMap::new(), module };
    let mut types: HashMap<String, Vec<Type<'c>>> = HashMap::new();
    for call in calls {
        let (Some(text), Some(callee)) = (ops::string_attribute(&call, TEXT), ops::callee(&call))
        else {
            continue;
        };
        let text = match ops::string_attribute(&call, FUNCTION) {
            Some(function) => {
                let place = ops::string_attribute(&call, PLACE).unwrap_or_default();
                strings(&place, &function, &text)
            }
            None if CHECKS.contains(&callee.as_str()) => strings("", "", &text),
            None => text,
        };
        let arguments = texts.replace(call, &callee, &text);
        types.insert(callee, arguments);
    }
    for function in ir::block_operations(module.body()) {
        let arguments = types.get(&ops::symbol_name(&function));
        if let Some(arguments) = arguments.filter(|_| ir::name(&function) == "llvm.func") {
            let list: Vec<_> = arguments.iter().map(ToString::to_string).collect();
            let ty = format!("!llvm.func<void ({})>", list.join(", "));
            let ty = Type::parse(context, &ty).expect("a type of functions");
            ir::set_attribute(function, "function_type", TypeAttribute::new(ty).into());
            let name = ops::symbol_name(&function);
            let marks = match FAILING.contains(&name.as_str()) {
                true => r#"["nounwind", "noreturn", "cold"]"#,
                false => r#"["nounwind"]"#,
            };
            let marks = Attribute::parse(context, marks).expect("valid");
            ir::set_attribute(function, "passthrough", marks);
        }
    }
    Ok(())
}

struct Texts<'c, 'a> {
    context: &'c Context,
    /// The names of the constants.
    constants: HashMap<String, String>,
    module: &'a Module<'c>,
}

impl<'c> Texts<'c, '_> {
    /// Replaces a call; returns the types of its arguments.
    fn replace(&mut self, call: OperationRef<'c, '_>, callee: &str, text: &str) -> Vec<Type<'c>> {
        let context = self.context;
        let name = self.constant(text);
        let code = Builder::before(context, call);
        let address = code.address_of(&name);
        let length = code.llvm_constant(code.i64_type(), text.len() as i64);
        let operands: Vec<Value> = [address, length].into_iter().chain(call.operands()).collect();
        code.llvm_call(callee, &operands, &[]);
        ir::erase(call);
        operands.iter().map(|value| value.r#type()).collect()
    }

    /// The name of the constant of a text.
    fn constant(&mut self, text: &str) -> String {
        if let Some(name) = self.constants.get(text) {
            return name.clone();
        }
        let name = format!("toy.text.{}", self.constants.len());
        let code = Builder::at_start(self.context, self.module.body());
        global(code, &name, &format!("{} x i8", text.len()), code.text(text));
        self.constants.insert(text.to_owned(), name.clone());
        name
    }
}

/// Writes a constant of the module: an array of LLVM's type, as in `4 x i8`.
pub fn global<'c>(code: Builder<'c, '_>, name: &str, array: &str, value: Attribute<'c>) {
    let attribute = |text: &str| Attribute::parse(code.context, text).expect("valid");
    let ty = Type::parse(code.context, &format!("!llvm.array<{array}>")).expect("a type");
    let attributes = [
        ("sym_name", StringAttribute::new(code.context, name).into()),
        ("global_type", TypeAttribute::new(ty).into()),
        ("linkage", attribute("#llvm.linkage<internal>")),
        ("constant", Attribute::unit(code.context)),
        ("value", value),
        ("addr_space", attribute("0 : i32")),
        ("visibility_", attribute("0 : i64")),
    ];
    code.op_with_regions("llvm.mlir.global", &[], &[], &attributes, vec![Region::new()]);
}
