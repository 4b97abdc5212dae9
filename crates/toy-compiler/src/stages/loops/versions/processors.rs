//! The processors that functions have versions for, and how a function says which it is.
//!
//! Input: functions of a module. Output: their versions' names and attributes, and the answers that later passes ask for.
//! Invariant: a version has the attributes of its processor and the name of its function; the version that runs on every
//! processor has no processor, but says that it is one.

use crate::dialect::ops;
use crate::interface::record;
use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::builder::Builder;
use mlir_support::ir;

/// A processor that functions are compiled for beside the baseline.
#[derive(Debug, PartialEq, Eq)]
pub struct Version {
    /// LLVM's name.
    pub cpu: &'static str,
    /// The size of its vector registers.
    pub vector_bytes: u64,
    /// The operations on elements that a function computes at least to have this version. One that needs fewer takes a
    /// microsecond or two.
    pub least: u64,
    /// True if only computing is faster: its registers are more than memory and caches can fill.
    pub computes: bool,
}

/// The processors, each with all instructions of those before it. Their numbers in `toy.processor` begin with 1.
pub const VERSIONS: [Version; 2] = [
    Version { cpu: "x86-64-v3", vector_bytes: 32, least: 4096, computes: false },
    Version { cpu: "x86-64-v4", vector_bytes: 64, least: 65_536, computes: true },
];

/// The processor of the functions without versions, and of the version that runs everywhere.
pub const BASELINE: &str = "x86-64";

/// The attribute of a function with the name of its processor. MLIR translates it to LLVM's.
pub const PROCESSOR: &str = "target_cpu";

/// The attribute with the size in bits of the registers that LLVM prefers, which for x86-64-v4 are the second-largest.
const PREFERRED: &str = "prefer_vector_width";

/// The attribute of a version with the name of its function.
const VERSION_OF: &str = "toyc.version_of";

/// The attribute of the version that runs everywhere.
pub const ANYWHERE: &str = "toyc.runs_anywhere";

/// The processor that a function is a version for.
pub fn of(function: OperationRef) -> Option<&'static Version> {
    let cpu = ops::string_attribute(&function, PROCESSOR)?;
    VERSIONS.iter().find(|version| version.cpu == cpu)
}

/// The processor of the version that an operation is in.
pub fn around(operation: OperationRef) -> Option<&'static Version> {
    let mut around = std::iter::successors(Some(operation), |inner| inner.parent_operation());
    around.find_map(of)
}

/// Makes a function a version for a processor.
pub fn mark<'c>(context: &'c Context, function: OperationRef<'c, '_>, version: &Version) {
    let bits = (8 * version.vector_bytes).to_string();
    for (name, value) in [(PROCESSOR, version.cpu), (PREFERRED, &bits)] {
        ir::set_attribute(function, name, StringAttribute::new(context, value).into());
    }
}

/// True for a version that only processors from before 2013 run: it is worth no loop nests, which take time to compile.
pub fn runs_anywhere(function: OperationRef) -> bool {
    function.has_attribute(ANYWHERE)
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

/// The name of a function's version.
pub fn version_name(function: &str, cpu: &str) -> String {
    format!("{function}.{cpu}")
}

/// Gives a function the name of a version, and takes from it what only the function that is called has.
pub fn make_version<'c>(context: &'c Context, function: OperationRef<'c, '_>, cpu: &str) {
    let (code, name) = (Builder::before(context, function), ops::symbol_name(&function));
    ir::set_attribute(function, VERSION_OF, code.text(&name));
    ir::set_attribute(function, "sym_name", code.text(&version_name(&name, cpu)));
    ir::set_attribute(function, "sym_visibility", code.text("private"));
    ir::remove_attribute(function, record::ATTRIBUTE);
}
