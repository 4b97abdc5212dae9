//! Other spellings of options: options with one dash, and options of clang, gcc, rustc and mlir-opt.
//!
//! Input: the arguments. Output: the arguments as clap wants them. clap knows no long option after a single dash, so
//! `-emit=x` and `-opt` are rewritten before it sees them. Invariant: arguments after `--` stay.

use std::ffi::OsString;
use toy_compiler::pipeline::pass_names;

/// The arguments with the spellings that clap knows.
pub fn known(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    // As in clang, `-S -emit-llvm` is LLVM IR, in any order.
    let is_llvm = arguments[..end].iter().any(|argument| argument == "-emit-llvm");
    let mut known = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.into_iter().enumerate() {
        match argument.to_str() {
            Some("-S" | "-c") if is_llvm && index < end => {}
            Some(text) if index < end => known.push(spelling(text).unwrap_or(argument)),
            _ => known.push(argument),
        }
    }
    known
}

fn spelling(text: &str) -> Option<OsString> {
    if let Some(stage) = text.strip_prefix("-emit")
        && (stage.is_empty() || stage.starts_with('='))
    {
        return Some(format!("--emit{stage}").into());
    }
    let named = |name: &str, option: &str| {
        text.strip_prefix(name).map(|value| OsString::from(format!("{option}{value}")))
    };
    match text {
        "-opt" => Some("--opt".into()),
        "-S" => Some("--emit=asm".into()),
        "-c" => Some("--emit=obj".into()),
        "-emit-llvm" => Some("--emit=llvm".into()),
        "-run" | "--run" => Some("--emit=jit".into()),
        _ => named("-march=", "--cpu=")
            .or_else(|| named("-mcpu=", "--cpu="))
            .or_else(|| named("-Werror=", "-D")),
    }
}

/// The equivalent here of an option of another compiler.
pub fn advice(option: &str) -> Option<&'static str> {
    Some(match option {
        "-Os" | "-Oz" | "-Ofast" | "-O4" => {
            "the levels are -O0 to -O3; -O2 makes small and fast code"
        }
        "-fsyntax-only" | "--no-run" | "--dry-run" => {
            "`toyc check FILE` reports errors and writes nothing"
        }
        "-emit-mlir" | "--emit-mlir" => {
            "-emit=toy shows the first stage in MLIR; `toyc --help` lists them all"
        }
        "--format" | "--fmt" => "`toyc fmt FILE` formats a program",
        "--release" => "-O2 optimizes",
        "-ffast-math" => "--fast-math=contract rounds a product and a sum once",
        "-shared" | "--shared" => "-emit=lib with --export makes a shared library",
        "--help-language" | "--language" => "LANGUAGE.md of the repository describes the language",
        "--verbose" => "-v shows the linker command; with --version, what this toyc was made from",
        "-quiet" | "--quiet" | "-q" => "-w turns off warnings",
        "--output" | "--out" => "-o FILE names the output",
        "--completions" | "--completion" => "`toyc manuals DIRECTORY` writes them",
        "--analyze" | "--lint" => "`toyc check FILE` reports errors and warnings",
        "-mtune" | "-triple" | "-target" => "--target TRIPLE and --cpu NAME choose the machine",
        _ if ["-I", "-L", "-l"].iter().any(|start| option.starts_with(start)) => {
            "Toy programs have no libraries; --linker names the program that links"
        }
        _ if pass_names().iter().any(|name| option.trim_start_matches('-') == *name) => {
            "`toy-opt` runs single passes"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let known = known(text.split(' ').map(OsString::from));
        known.iter().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn spellings_of_other_compilers_are_translated() {
        for (written, meant) in [
            ("toyc -S x.toy", "toyc --emit=asm x.toy"),
            ("toyc -c x.toy -o x.o", "toyc --emit=obj x.toy -o x.o"),
            ("toyc -S -emit-llvm x.toy", "toyc --emit=llvm x.toy"),
            ("toyc -emit-llvm x.toy -c", "toyc --emit=llvm x.toy"),
            ("toyc -run x.toy", "toyc --emit=jit x.toy"),
            ("toyc -emit=toy -opt -emit jit", "toyc --emit=toy --opt --emit jit"),
            ("toyc -Werror=W0101 -march=native", "toyc -DW0101 --cpu=native"),
            ("toyc -- -S -opt", "toyc -- -S -opt"),
        ] {
            assert_eq!(of(written), meant);
        }
    }
}
