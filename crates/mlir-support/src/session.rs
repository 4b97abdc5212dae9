//! One compilation's MLIR: the context, the loaded dialects and the collected diagnostics.
//!
//! Input: nothing; output: modules made or parsed here. Invariants: unregistered dialects are
//! forbidden unless they are allowed; an operation that IRDL defines is loaded only once (twice crashes in
//! LLVM 22); dialects load lazily, because loading all of them costs more than compiling a small
//! program; MLIR runs on one thread, so the order of everything is the same every time.

use crate::ir;
use crate::location::{self, Place};
use crate::memo::{self, Memos};
use crate::upstream;
use melior::diagnostic::Diagnostic;
pub use melior::diagnostic::DiagnosticSeverity;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationPrintingFlags, OperationRef};
use melior::ir::{Attribute, Location, Module};
use melior::{Context, ContextRef};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use toy_diagnostics::source::{Source, Span};

/// The owner of everything MLIR in one compilation. Modules, passes and operations borrow it.
pub struct Session {
    /// Kept for [`memo::of`], which finds them by the context. Before the context, so that it is dropped
    /// first: memos may own operations.
    _memos: Rc<Memos>,
    context: Context,
    sink: Rc<RefCell<Vec<MlirDiagnostic>>>,
    spelling: Cell<Option<Spelling>>,
}

/// A diagnostic of MLIR's, with its place resolved.
#[derive(Clone, Debug)]
pub struct MlirDiagnostic {
    pub severity: DiagnosticSeverity,
    pub message: String,
    pub place: Option<Place>,
    pub notes: Vec<(String, Option<Place>)>,
}

impl MlirDiagnostic {
    pub fn is_error(&self) -> bool {
        matches!(self.severity, DiagnosticSeverity::Error)
    }
}

/// Options for printing a module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Printing {
    /// Append `loc(...)`.
    pub locations: bool,
    /// Print `"func.func"() ({...})`.
    pub generic: bool,
    /// Print the targets of references (aliases, say) at each operation.
    pub local_scope: bool,
    /// Print a part of a valid program, which need not be valid by itself.
    pub is_part: bool,
    /// Leave out the elements of attributes with more elements than this.
    pub elide_larger_than: Option<usize>,
}

/// The spelling of an operation, for a message about a rejected one.
pub struct Advice {
    pub label: &'static str,
    pub help: String,
}

/// Knowledge of a dialect's syntax that its authors have and MLIR does not.
#[derive(Clone, Copy)]
pub struct Spelling {
    /// An addition to a message of MLIR's; the second text is the one before the message's place.
    pub of_message: fn(message: &str, before: &str) -> Option<Advice>,
    /// The error in a text that MLIR rejects without a message.
    pub of_text: fn(text: &str) -> Option<(Span, Advice)>,
}

impl Session {
    /// A session with the dialects `func` and `irdl`. Those of [`upstream`] are registered and load on demand.
    pub fn new() -> Self {
        let registry = DialectRegistry::new();
        upstream::register(&registry);
        let context = Context::new_with_registry(&registry, false);
        let sink = Rc::new(RefCell::new(Vec::new()));
        let handler_sink = Rc::clone(&sink);
        context.attach_diagnostic_handler(move |diagnostic| {
            handler_sink.borrow_mut().push(collect(&diagnostic));
            true
        });
        // SAFETY: the handle function returns a static handle.
        unsafe { DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__irdl__()) }
            .load_dialect(&context);
        context.get_or_load_dialect("func");
        let _memos = memo::open(&context);
        Self { context, sink, spelling: Cell::new(None), _memos }
    }

    /// Makes all other dialects of MLIR known. A program that calls this contains them.
    pub fn register_all_dialects(&self) {
        let registry = DialectRegistry::new();
        upstream::register_others(&registry);
        self.context.append_dialect_registry(&registry);
    }

    /// Loads dialects, by their names. If a dialect is registered but not loaded, its operations would be built as
    /// unregistered operations.
    pub fn load_dialects(&self, names: &[&str]) {
        for name in names {
            self.context.get_or_load_dialect(name);
        }
    }

    /// Loads the dialects that a module in IRDL defines, as MLIR's bytecode. Call it once for an operation or type: the
    /// second time crashes in LLVM 22.
    ///
    /// # Panics
    ///
    /// If the bytecode is not valid: it is part of a program.
    pub fn load_irdl(&self, bytecode: &'static [u8], spelling: Spelling) {
        load_irdl(&self.context, bytecode);
        self.spelling.set(Some(spelling));
    }

    /// The syntax of the dialects defined in IRDL, as far as it is known.
    pub fn spelling(&self) -> Option<Spelling> {
        self.spelling.get()
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    pub fn new_module<'c>(&'c self, location: Location<'c>) -> Module<'c> {
        Module::new(location)
    }

    /// Accepts operations of dialects that are not registered.
    pub fn allow_unregistered_dialects(&self) {
        self.context.set_allow_unregistered_dialects(true);
    }

    /// True if MLIR accepts operations of this name; `any` means all.
    pub fn has_operation(&self, name: &str) -> bool {
        if let Some((dialect, _)) = name.split_once('.') {
            // A dialect that is not loaded does not have operations yet.
            self.context.get_or_load_dialect(dialect);
        }
        name == "any"
            || self.context.allow_unregistered_dialects()
            || self.context.is_registered_operation(name)
    }

    /// Parses MLIR text. On None the reasons are in [`Session::take_diagnostics`].
    pub fn parse<'c>(&'c self, source: &Source) -> Option<Module<'c>> {
        self.parse_text(&source.text)
    }

    /// Parses a file, whose name is then the file name of the locations. A [`Source`] has no name for MLIR: it calls
    /// all text in memory `-`.
    pub fn parse_file<'c>(&'c self, name: &str) -> Option<Module<'c>> {
        // SAFETY: MLIR copies the name; the module's lifetime is tied to the session by the signature.
        unsafe {
            let name = melior::StringRef::new(name);
            let raw = mlir_sys::mlirModuleCreateParseFromFile(self.context.to_raw(), name.to_raw());
            Module::from_option_raw(raw)
        }
    }

    fn parse_text<'c>(&'c self, text: &str) -> Option<Module<'c>> {
        // MLIR's lexer recognizes the end of the text by the byte after it, and no byte order mark.
        let terminated = match text.strip_prefix('\u{feff}') {
            Some(rest) => format!("   {rest}\0"),
            None => format!("{text}\0"),
        };
        Module::parse(&self.context, &terminated[..text.len()])
    }

    /// A module from bytecode, whose large constants the module may use in place.
    pub fn parse_bytecode<'c>(&'c self, bytes: &'static [u8]) -> Option<Module<'c>> {
        // SAFETY: the bytes outlive the call; the module's lifetime is tied to the session by the signature.
        unsafe {
            let bytes =
                mlir_sys::MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() };
            Module::from_option_raw(mlir_sys::mlirModuleCreateParse(self.context.to_raw(), bytes))
        }
    }

    /// The names of the dialects that texts can use: MLIR's, and the dialects in `own` that are loaded, in alphabetical
    /// order.
    pub fn dialects(&self, own: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = UPSTREAM_DIALECTS
            .iter()
            .chain(own)
            .filter(|name| {
                let name = melior::StringRef::new(name);
                // SAFETY: the context and the name outlive the call; an unknown name gives a null pointer.
                let dialect = unsafe {
                    mlir_sys::mlirContextGetOrLoadDialect(self.context.to_raw(), name.to_raw())
                };
                !dialect.ptr.is_null()
            })
            .map(|name| (*name).to_owned())
            .collect();
        names.sort_unstable();
        names
    }

    /// Some of the attributes that a text defines (`#name = ...`), by their names with the `#`.
    pub fn attributes<'c>(
        &'c self,
        definitions: &str,
        names: &[String],
    ) -> Option<Vec<Attribute<'c>>> {
        let list = names.join(", ");
        let text = format!("{definitions}\nmodule attributes {{session.list = [{list}]}} {{}}");
        let module = self.parse_text(&text)?;
        let list = module.as_operation().attribute("session.list").ok()?;
        let list = ArrayAttribute::try_from(list).ok()?;
        (0..list.len()).map(|index| list.element(index).ok()).collect()
    }

    /// MLIR's diagnostics since the last call.
    pub fn take_diagnostics(&self) -> Vec<MlirDiagnostic> {
        std::mem::take(&mut *self.sink.borrow_mut())
    }

    /// True if MLIR's own verifier accepts the module.
    pub fn verify(&self, module: &Module) -> bool {
        module.as_operation().verify()
    }

    /// Makes the translation of MLIR's LLVM dialect to LLVM IR available.
    pub fn register_llvm_translation(&self) {
        upstream::register_translations(&self.context);
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

/// Loads a module in IRDL, as MLIR's bytecode, that adds operations to a dialect that IRDL has defined, unless the
/// operation `name` is loaded, or `first`, the first of the module: MLIR does not survive loading it again and again.
///
/// # Panics
///
/// If the bytecode is not valid: it is part of a program.
pub fn load_operations(context: ContextRef, name: &str, first: &str, bytecode: &'static [u8]) {
    // SAFETY: the context is used during this call only, in which the caller has a reference to it.
    let context = unsafe { context.to_ref() };
    if !context.is_registered_operation(name) && !context.is_registered_operation(first) {
        load_irdl(context, bytecode);
    }
}

fn load_irdl(context: &Context, bytecode: &'static [u8]) {
    let irdl = parse_bytecode(context, bytecode).expect("the dialect's definition parses");
    assert!(melior::utility::load_irdl_dialects(&irdl), "the dialect's definition loads");
}

fn parse_bytecode<'c>(context: &'c Context, bytes: &'static [u8]) -> Option<Module<'c>> {
    let bytes = mlir_sys::MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() };
    // SAFETY: the bytes outlive the call; the module's lifetime is tied to the context by the signature.
    unsafe { Module::from_option_raw(mlir_sys::mlirModuleCreateParse(context.to_raw(), bytes)) }
}

fn collect(diagnostic: &Diagnostic) -> MlirDiagnostic {
    let notes = (0..diagnostic.note_count())
        .filter_map(|index| diagnostic.note(index).ok())
        .map(|note| (note.to_string(), location::place(note.location())))
        // These repeat the operation that the diagnostic's place already shows.
        .filter(|(text, _)| !text.starts_with("see current operation"))
        .collect();
    MlirDiagnostic {
        severity: diagnostic.severity(),
        message: diagnostic.to_string(),
        place: location::place(diagnostic.location()),
        notes,
    }
}

/// Writes a module as bytecode.
///
/// # Errors
///
/// The errors of `sink`.
pub fn write_bytecode(module: &Module, sink: &mut dyn std::io::Write) -> std::io::Result<()> {
    ir::write_bytecode(module.as_operation(), sink)
}

/// The dialects of LLVM 22, which MLIR cannot list.
const UPSTREAM_DIALECTS: [&str; 48] = [
    "acc",
    "affine",
    "amdgpu",
    "amx",
    "arith",
    "arm_neon",
    "arm_sme",
    "arm_sve",
    "async",
    "bufferization",
    "builtin",
    "cf",
    "complex",
    "dlti",
    "emitc",
    "func",
    "gpu",
    "index",
    "irdl",
    "linalg",
    "llvm",
    "math",
    "memref",
    "ml_program",
    "mpi",
    "nvgpu",
    "nvvm",
    "omp",
    "pdl",
    "pdl_interp",
    "ptr",
    "quant",
    "rocdl",
    "scf",
    "shape",
    "shard",
    "smt",
    "sparse_tensor",
    "spirv",
    "tensor",
    "tosa",
    "transform",
    "ub",
    "vector",
    "wasmssa",
    "x86vector",
    "xegpu",
    "xevm",
];

/// The text of an operation.
pub fn printed(operation: OperationRef, printing: Printing) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = print(operation, printing, &mut text);
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into())
}

/// Writes the text of a module.
pub fn print_module(
    module: &Module,
    printing: Printing,
    sink: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    print(module.as_operation(), printing, sink)
}

fn print(
    operation: OperationRef,
    printing: Printing,
    sink: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    let mut flags = OperationPrintingFlags::new().enable_debug_info(printing.locations, false);
    if printing.generic {
        flags = flags.print_generic_operation_form();
    }
    if printing.local_scope {
        flags = flags.use_local_scope();
    }
    if printing.is_part {
        flags = ir::assume_verified(flags);
    }
    if let Some(limit) = printing.elide_larger_than {
        flags = flags.elide_large_elements_attributes(limit);
    }
    ir::print(operation, flags, sink)
}
