//! Tables of the processors and features that LLVM knows, for `--cpu` and `--features`, of the width of a processor's
//! registers, and of those that fuse products and sums: LLVM's C interface has no list of them.
//!
//! Input: LLVM's tools, of the version that toyc is linked with. Output: Rust, a table per architecture.
//! Invariant: every entry of a table can be chosen without breaking the target's calling convention or a rule of
//! the language, and LLVM generates code for it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The first words of the descriptions of instruction sets, but not of LLVM's tuning flags.
const INSTRUCTIONS: [&str; 5] = ["Enable ", "Support ", "Has ", "Promote ", "Shorthand "];

/// More features, by name: an instruction, and the preferred width of vectors.
const MORE: [&str; 3] = ["cx16", "prefer-128-bit", "prefer-256-bit"];

/// Features that cannot be chosen: the calling convention passes numbers in these registers, or the name is not
/// the name of an instruction set.
const FIXED: [&str; 17] = [
    "64bit",
    "x87",
    "sse",
    "sse2",
    "fp-armv8",
    "all",
    "v8r",
    "fmv",
    "execute-only",
    "allow-light-256-bit",
    "inline-asm-use-gpr32",
    "aggressive-fma",
    "atomics",
    "exception-handling",
    "mutable-globals",
    "bulk-memory",
    "bulk-memory-opt",
];

/// The table of a triple's architecture; Err describes the problem with LLVM's tools.
pub fn table(triple: &str, bin: &Path) -> Result<String, String> {
    let architecture = triple.split('-').next().unwrap_or(triple);
    let help =
        said(Command::new(bin.join("llc")).args([&format!("-mtriple={triple}"), "-mcpu=help"]))?;
    let (cpus, features) =
        help.split_once("Available features").ok_or("llc -mcpu=help lists no features")?;
    let mut cpus: Vec<_> = entries(cpus).map(|(name, _)| name).collect();
    if architecture == "x86_64" {
        // The table leaves out 32-bit processors.
        let wide = wide_cpus(bin, triple)?;
        cpus.retain(|name| wide.iter().any(|wide| wide == name));
    }
    if architecture == "wasm32" {
        // The others have too little for the runtime, or threads.
        cpus.retain(|name| ["generic", "lime1"].contains(name));
    }
    let features = entries(features).filter(|(name, description)| {
        let is_instruction_set = INSTRUCTIONS.iter().any(|start| description.starts_with(start))
            && !description.starts_with("Has no ")
            && !["enable-", "zcm-", "zcz-"].iter().any(|start| name.starts_with(start));
        (is_instruction_set || MORE.contains(name)) && !FIXED.contains(name)
    });
    let features: Vec<_> = features.collect();
    if cpus.is_empty() || features.is_empty() {
        return Err(format!("llc -mcpu=help lists nothing for {architecture}"));
    }
    let (widths, fused): (Vec<_>, Vec<_>) = abilities(bin, triple, &cpus)?.into_iter().unzip();
    Ok(format!(
        "ProcessorTable {{ cpus: &{cpus:?}, vector_bytes: &{widths:?}, fused: &{fused:?}, features: \
         &{features:?} }}"
    ))
}

/// The size of each processor's vector registers in bytes, as LLVM uses them, and true if it has an instruction for
/// fused multiply-add: a function for each adds and fuses vectors as large as the largest registers.
fn abilities(bin: &Path, triple: &str, cpus: &[&str]) -> Result<Vec<(u64, bool)>, String> {
    let function = |(at, cpu): (usize, &&str)| {
        format!(
            "define void @cpu{at}(ptr %at, double %n) \"target-cpu\"=\"{cpu}\" {{\n\
             %a = load <8 x double>, ptr %at\n%b = fadd <8 x double> %a, %a\n\
             store <8 x double> %b, ptr %at\n\
             %c = call double @llvm.fma.f64(double 3.0, double %n, double %n)\n\
             store double %c, ptr %at\nret void\n}}\n"
        )
    };
    let program: String = cpus.iter().enumerate().map(function).collect();
    let problem = |error: std::io::Error| format!("llc: {error}");
    let mut child = Command::new(bin.join("llc"))
        .args([&format!("-mtriple={triple}"), "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(problem)?;
    // llc reads all of its input before it writes.
    let input = child.stdin.take().ok_or("llc has no input")?;
    { input }.write_all(program.as_bytes()).map_err(problem)?;
    let output = child.wait_with_output().map_err(problem)?;
    let assembly = String::from_utf8_lossy(&output.stdout);
    (0..cpus.len())
        .map(|at| {
            let (_, body) = assembly
                .split_once(&format!("\ncpu{at}:"))
                .ok_or_else(|| format!("llc says nothing of {}", cpus[at]))?;
            let body = body.split_once("\ncpu").map_or(body, |(body, _)| body);
            let width = match () {
                () if body.contains("%zmm") => 64,
                () if body.contains("%ymm") => 32,
                () => 16,
            };
            // Others call the C library's function.
            Ok((width, body.contains("madd")))
        })
        .collect()
}

/// The lines `NAME - DESCRIPTION.` of a list.
fn entries(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once(" - "))
        .map(|(name, description)| (name.trim(), description.trim().trim_end_matches('.')))
}

/// The x86 processors that run 64-bit programs: clang lists them in its error for `-march=?`.
fn wide_cpus(bin: &Path, triple: &str) -> Result<Vec<String>, String> {
    let arguments = ["-march=?", "-x", "c", "-fsyntax-only", "/dev/null"];
    let clang =
        said(Command::new(bin.join("clang")).arg(format!("--target={triple}")).args(arguments))?;
    let (_, names) = clang.split_once("CPU values are: ").ok_or("clang lists no processors")?;
    let names = names.lines().next().unwrap_or_default();
    Ok(names.split(',').map(|name| name.trim().to_owned()).collect())
}

/// All that a command writes.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).into_owned())
}
