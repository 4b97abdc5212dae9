//! `--version`, and with `-v` the commit, build, host and targets of this toyc.

use toy_compiler::codegen::target::{self, TARGETS};

/// The text of `--version`.
pub fn text(is_verbose: bool) -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    let version = env!("CARGO_PKG_VERSION");
    let llvm = format!("{major}.{minor}.{patch}");
    if !is_verbose {
        return format!("toyc {version} (LLVM {llvm})\n");
    }
    let targets: Vec<&str> = TARGETS.iter().map(|architecture| architecture.triple).collect();
    format!(
        "toyc {version} (LLVM {llvm})\ncommit: {}\nbuild: {}\nhost: {}\ntargets: {}\nLLVM: {llvm}\n",
        env!("TOYC_COMMIT"),
        env!("TOYC_PROFILE"),
        target::host_triple(),
        targets.join(", "),
    )
}
