//! The targets that toyc generates code for, and LLVM's machine for each.

use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use toy_diagnostics::{Diagnostic, codes};

/// An architecture with its names in triples and LLVM's baseline CPU of it.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub names: &'static [&'static str],
    pub cpu: &'static str,
    /// The runtime's bitcode for it.
    pub runtime: &'static [u8],
}

/// Every supported architecture.
pub const TARGETS: &[Architecture] = &[
    Architecture {
        names: &["x86_64", "amd64"],
        cpu: "x86-64",
        runtime: include_bytes!(concat!(env!("OUT_DIR"), "/runtime-x86_64.bc")),
    },
    Architecture {
        names: &["aarch64", "arm64"],
        cpu: "generic",
        runtime: include_bytes!(concat!(env!("OUT_DIR"), "/runtime-aarch64.bc")),
    },
];

/// A target that code can be generated for.
pub struct Machine {
    pub triple: String,
    pub architecture: Architecture,
    /// Whether programs for it run on this machine.
    pub is_host: bool,
    pub machine: TargetMachine,
}

/// The triple of the machine toyc runs on.
pub fn host_triple() -> String {
    TargetMachine::get_default_triple().as_str().to_string_lossy().into_owned()
}

/// LLVM's machine for a triple (None: the host) at an optimization level of 0 to 3.
pub fn machine(triple: Option<&str>, level: u8) -> Result<Machine, Diagnostic> {
    let host = host_triple();
    let triple = match triple {
        Some(triple) => normalized(triple),
        None => host.clone(),
    };
    if triple != host && !is_linux(&triple) {
        return Err(unknown(&triple));
    }
    let architecture = TARGETS
        .iter()
        .find(|architecture| architecture.names.contains(&architecture_of(&triple)))
        .copied()
        .ok_or_else(|| unknown(&triple))?;
    Target::initialize_x86(&InitializationConfig::default());
    Target::initialize_aarch64(&InitializationConfig::default());
    let llvm_triple = TargetTriple::create(&triple);
    let target = Target::from_triple(&llvm_triple).map_err(|_| unknown(&triple))?;
    let level = match level {
        0 => OptimizationLevel::None,
        1 => OptimizationLevel::Less,
        2 => OptimizationLevel::Default,
        _ => OptimizationLevel::Aggressive,
    };
    let machine = target
        .create_target_machine(
            &llvm_triple,
            architecture.cpu,
            "",
            level,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| unknown(&triple))?;
    let is_host = architecture_of(&triple) == architecture_of(&host)
        && operating_system_of(&triple) == operating_system_of(&host);
    Ok(Machine { triple, architecture, is_host, machine })
}

fn normalized(triple: &str) -> String {
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

/// Whether a normalized triple names Linux with a C library we know; other environments may change the
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
    .help("use --target x86_64-unknown-linux-gnu or --target aarch64-unknown-linux-gnu")
}
