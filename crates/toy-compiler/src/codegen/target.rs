//! The targets that toyc generates code for, and LLVM's machine for each.
//!
//! Input: a [`Selection`], the machine on the command line. Output: a [`Machine`], or a diagnostic about a name
//! that is not known.

use crate::codegen::architecture::WASM;
pub use crate::codegen::architecture::{Architecture, TARGETS};
use crate::codegen::processor::{NATIVE, Processor};
use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use toy_diagnostics::{Diagnostic, codes};

/// The machine that code is generated for, as the command line names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// None is this machine.
    pub triple: Option<String>,
    /// A name that LLVM knows or `native`. None is the baseline, or `native` for a program that runs at once.
    pub cpu: Option<String>,
    /// Changes to the processor's features, as in `+avx2,-fma`.
    pub features: String,
    /// True if the program runs at once, in this process.
    pub runs_here: bool,
    /// True if a product and a sum may become one operation that rounds once.
    pub contracts: bool,
}

/// A target that code can be generated for.
pub struct Machine {
    pub triple: String,
    pub architecture: Architecture,
    pub processor: Processor,
    /// True if programs for it run on this machine.
    pub is_host: bool,
    /// The C library of its programs, as triples name it: `gnu`, `musl`.
    pub c_library: String,
    /// True if that C library is also this machine's.
    pub has_host_library: bool,
    /// True if a product and a sum may become one operation that rounds once.
    pub contracts: bool,
    pub machine: TargetMachine,
}

/// The triple of the machine toyc runs on.
pub fn host_triple() -> String {
    TargetMachine::get_default_triple().as_str().to_string_lossy().into_owned()
}

/// LLVM's machine for a selection at an optimization level of 0 to 3.
pub fn machine(selection: &Selection, level: u8) -> Result<Machine, Diagnostic> {
    let Found { triple, architecture, is_host, processor } = find(selection)?;
    let host_library = c_library_of(&host_triple(), "gnu");
    let c_library = c_library_of(&triple, if is_host { &host_library } else { "gnu" });
    let has_host_library = c_library == host_library;
    // Nothing is disassembled, and what is not asked for is not linked.
    let parts = InitializationConfig { disassembler: false, ..InitializationConfig::default() };
    (architecture.initialize)(&parts);
    let llvm_triple = TargetTriple::create(&triple);
    let target = Target::from_triple(&llvm_triple).map_err(|_| unknown(&triple))?;
    let machine = target
        .create_target_machine(
            &llvm_triple,
            &processor.cpu,
            &processor.features,
            optimization_level(level),
            if architecture.is_wasm() { RelocMode::Static } else { RelocMode::PIC },
            CodeModel::Default,
        )
        .ok_or_else(|| unknown(&triple))?;
    let contracts = selection.contracts;
    Ok(Machine {
        triple,
        architecture,
        processor,
        is_host,
        c_library,
        has_host_library,
        contracts,
        machine,
    })
}

/// LLVM's name for a level of 0 to 3.
pub fn optimization_level(level: u8) -> OptimizationLevel {
    match level {
        0 => OptimizationLevel::None,
        1 => OptimizationLevel::Less,
        2 => OptimizationLevel::Default,
        _ => OptimizationLevel::Aggressive,
    }
}

/// The error in a target, a processor's name or a feature, before anything is compiled for it.
pub fn check(selection: &Selection) -> Result<(), Diagnostic> {
    if selection.triple.is_none() && selection.cpu.is_none() && selection.features.is_empty() {
        return Ok(());
    }
    find(selection).map(drop)
}

/// The properties of a selection that passes ask for.
pub struct Abilities {
    /// The size of the processor's vector registers.
    pub vector_bytes: u64,
    /// True if the processor has an instruction for fused multiply-add.
    pub is_fused: bool,
    /// True if the program may run on any x86-64, so that it can choose among versions of its functions when it starts.
    pub has_versions: bool,
}

/// The abilities of the machine that is selected, or the error of the selection.
pub fn abilities(selection: &Selection) -> Result<Abilities, Diagnostic> {
    let Found { architecture, processor, triple, .. } = find(selection)?;
    let is_any = selection.cpu.is_none() && selection.features.is_empty() && !selection.runs_here;
    Ok(Abilities {
        vector_bytes: processor.vector_bytes(architecture),
        is_fused: processor.is_fused(architecture),
        has_versions: is_any
            && architecture.cpu == "x86-64"
            && operating_system_of(&triple) == "linux",
    })
}

/// The architecture of a triple (None: the host), and true if it is this machine's.
pub fn architecture(triple: Option<&str>) -> Result<(Architecture, bool), Diagnostic> {
    let selection = Selection { triple: triple.map(str::to_owned), ..Selection::default() };
    find(&selection).map(|found| (found.architecture, found.is_host))
}

struct Found {
    triple: String,
    architecture: Architecture,
    is_host: bool,
    processor: Processor,
}

fn find(selection: &Selection) -> Result<Found, Diagnostic> {
    let host = host_triple();
    let triple = match &selection.triple {
        Some(triple) => normalized(triple),
        None => host.clone(),
    };
    let architecture = TARGETS
        .iter()
        .find(|architecture| architecture.names.contains(&architecture_of(&triple)))
        .filter(|it| triple == host || is_linux(&triple) || triple == it.triple)
        .copied()
        .ok_or_else(|| unknown(&triple))?;
    let is_host = architecture.names.contains(&architecture_of(&host))
        && operating_system_of(&triple) == operating_system_of(&host);
    let default = (selection.runs_here && is_host).then_some(NATIVE);
    let cpu = selection.cpu.as_deref().or(default);
    let processor = Processor::new(architecture, is_host, cpu, &selection.features)?;
    Ok(Found { triple, architecture, is_host, processor })
}

fn normalized(triple: &str) -> String {
    if triple == WASM {
        return format!("{WASM}-unknown-unknown");
    }
    TargetMachine::normalize_triple(&TargetTriple::create(triple))
        .as_str()
        .to_string_lossy()
        .into_owned()
}

fn architecture_of(triple: &str) -> &str {
    triple.split('-').next().unwrap_or("")
}

fn operating_system_of(triple: &str) -> &str {
    triple.split('-').nth(2).unwrap_or("")
}

/// The C library that a normalized triple names, or the usual one.
fn c_library_of(triple: &str, usual: &str) -> String {
    match triple.split('-').nth(3) {
        None | Some("" | "unknown") => usual.to_owned(),
        Some(named) => named.to_owned(),
    }
}

/// True if a normalized triple names Linux with a C library we know; other environments may change the
/// object format to one that LLVM's targets cannot write.
fn is_linux(triple: &str) -> bool {
    let environment = triple.split('-').nth(3).unwrap_or("");
    operating_system_of(triple) == "linux" && ["", "unknown", "gnu", "musl"].contains(&environment)
}

fn unknown(triple: &str) -> Diagnostic {
    Diagnostic::error(
        codes::UNKNOWN_TARGET,
        format!("toyc cannot generate code for the target `{triple}`"),
    )
    .help("use --target x86_64-unknown-linux-gnu, --target aarch64-unknown-linux-gnu or --target wasm32")
}
