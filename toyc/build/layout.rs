//! The order in which the linker places LLVM's and MLIR's functions.
//!
//! Input: `hot.txt`, hashes of the names of functions that small programs run, in the order in which they
//! are first needed by a stage (bench/layout.py writes it, before a release), and LLVM's archives. Output: the names, one a
//! line, for the linker's `--symbol-ordering-file`. Why: the kernel maps 64 KiB around each function that
//! is called; where the functions of a run lie side by side among 80 MiB, that is a few MiB instead of 40. Measured with
//! `toyc -emit=ast` on one line: 14.8 MiB instead of 37.1, 650 page faults instead of 890, 4.4 ms instead of 5.2.
//! Hashes, because the names are 2.6 MB. A name that is not found, of another version of LLVM say, costs
//! memory and nothing else.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The lines of the linker's file, or an error message.
pub fn order(hot: &Path, llvm: &Path) -> Result<String, String> {
    let text =
        std::fs::read_to_string(hot).map_err(|error| format!("{}: {error}", hot.display()))?;
    let ranks: HashMap<u32, usize> = text
        .lines()
        .enumerate()
        .filter_map(|(rank, line)| Some((u32::from_str_radix(line, 16).ok()?, rank)))
        .collect();
    let mut command = Command::new(llvm.join("llvm-nm"));
    command.args(["--defined-only", "--format=just-symbols", "--quiet"]).args(archives(llvm)?);
    // An archive that cannot be read is left out: the linker has its own word on it.
    let symbols = command.output().map_err(|error| format!("llvm-nm: {error}"))?;
    let mut names: Vec<_> = String::from_utf8_lossy(&symbols.stdout)
        .lines()
        .filter_map(|name| Some((*ranks.get(&hash(name))?, name.to_owned())))
        .collect();
    names.sort();
    names.dedup();
    Ok(names.into_iter().map(|(_, name)| name + "\n").collect())
}

/// LLVM's and MLIR's static libraries.
fn archives(llvm: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let folder = llvm.join("../lib");
    let entries =
        std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_one = |name: &str| {
        (name.starts_with("libMLIR") || name.starts_with("libLLVM")) && name.ends_with(".a")
    };
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_one))
        .collect())
}

/// FNV-1a of 32 bits.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
