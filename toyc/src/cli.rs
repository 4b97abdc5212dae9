//! The command line: what a user may say, and what toyc makes of it.
//!
//! Options follow clang, rustc and upstream's toyc where those agree. clap knows no long option
//! behind a single dash, so `-emit=x`, `-emit x` and `-opt` are rewritten before it sees them.

use crate::pipeline::{Stage, pass_names};
use clap::{ArgAction, Parser, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  toyc prog.toy                                      make the executable `prog`
  toyc prog.toy -emit=jit                            compile in memory and run
  toyc prog.toy -emit=shapes                         show the program after shape inference
  toyc prog.toy -opt -emit=asm -o -                  show the optimized assembly
  toyc prog.toy --target aarch64-unknown-linux-gnu   make an executable for AArch64
  toyc prog.toy -emit=linalg | toyc -x mlir - -emit=jit   go on from any MLIR stage

Upstream's names `mlir` (toy) and `mlir-affine` (loops) work as stages, too.
Exit status: 0 success, 1 the program has errors, 2 the command line has errors;
with -emit=jit the status of the program that ran.";

/// The stages with what they are, and the examples.
fn after_help() -> String {
    let mut text = String::from("Stages:\n");
    for stage in Stage::value_variants() {
        let value = stage.to_possible_value();
        let help = value.as_ref().and_then(|value| value.get_help());
        text +=
            &format!("  {:10} {}\n", stage.name(), help.map_or(String::new(), |h| h.to_string()));
    }
    format!("{text}\n{EXAMPLES}")
}

/// Compiles Toy, the tensor language of the MLIR tutorial.
#[derive(Parser, Debug)]
#[command(name = "toyc", disable_version_flag = true, override_usage = "toyc [OPTIONS] FILE",
          after_help = after_help())]
pub struct Options {
    /// The program, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "version")]
    pub input: Option<PathBuf>,

    /// What to make: one of the stages below (also written `-emit=STAGE`)
    #[arg(
        long = "emit",
        value_name = "STAGE",
        value_enum,
        hide_possible_values = true,
        ignore_case = true,
        default_value = "exe",
        overrides_with = "emit"
    )]
    pub emit: Stage,

    /// The output file, or `-` for standard output
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Optimization level: 0 (the default) to 3
    #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3),
          overrides_with_all = ["level", "opt"])]
    level: Option<u8>,

    /// The same as -O2 (also written `-opt`)
    #[arg(long = "opt", overrides_with_all = ["level", "opt"])]
    opt: bool,

    /// The input's language; by default, the file's ending says it
    #[arg(short = 'x', value_name = "LANGUAGE", value_enum)]
    pub language: Option<Language>,

    /// The machine to generate code for; by default, this one
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,

    /// Debug information: lets gdb show the lines of the program
    #[arg(short = 'g')]
    pub debug_info: bool,

    /// The C compiler to link with; by default `cc`, or the target's gcc
    #[arg(long, value_name = "PROGRAM")]
    pub linker: Option<String>,

    /// Show the linker command
    #[arg(short = 'v')]
    pub verbose: bool,

    /// Keep the program of every stage in a file beside the output
    #[arg(long)]
    pub save_temps: bool,

    /// Show how long each pass took
    #[arg(long)]
    pub time_passes: bool,

    /// Show the program after every pass
    #[arg(long)]
    pub print_ir_after_all: bool,

    /// Show the program after this pass (may be given several times)
    #[arg(long, value_name = "PASS", value_parser = clap::builder::PossibleValuesParser::new(pass_names()),
          hide_possible_values = true)]
    pub print_ir_after: Vec<String>,

    /// Print source locations in MLIR stages
    #[arg(long)]
    pub print_locations: bool,

    /// Colors in messages; `auto` looks at the terminal and at NO_COLOR
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    pub color: Color,

    /// The form of messages: with source lines, or one line each
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "human")]
    pub error_format: ErrorFormat,

    /// Show the versions of toyc and LLVM
    #[arg(long, short = 'V', action = ArgAction::SetTrue)]
    pub version: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    Toy,
    Mlir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    Human,
    Short,
}

impl Options {
    /// The optimization level: the last of `-O` and `-opt`, 0 without either.
    pub fn optimization_level(&self) -> u8 {
        if self.opt { 2 } else { self.level.unwrap_or(0) }
    }
}

/// Reads the command line; Err is clap's message with its exit code.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Options, clap::Error> {
    Options::try_parse_from(arguments.into_iter().map(long_form))
}

/// `-emit...` and `-opt` with the second dash that clap wants.
fn long_form(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text == "-opt" || text == "-emit" || text.starts_with("-emit=") => {
            format!("-{text}").into()
        }
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Options {
        parse(std::iter::once("toyc").chain(arguments.iter().copied()).map(OsString::from)).unwrap()
    }

    #[test]
    fn all_spellings_of_emit() {
        for arguments in [["x.toy", "-emit=mlir"].as_slice(), &["x.toy", "-emit", "toy"]] {
            assert_eq!(options(arguments).emit, Stage::Toy);
        }
        assert_eq!(options(&["--emit=mlir-llvm", "x.toy"]).emit, Stage::MlirLlvm);
        assert_eq!(options(&["-emit=mlir-affine", "x.toy"]).emit, Stage::Loops);
    }

    #[test]
    fn the_last_optimization_level_wins() {
        assert_eq!(options(&["x.toy"]).optimization_level(), 0);
        assert_eq!(options(&["x.toy", "-opt"]).optimization_level(), 2);
        assert_eq!(options(&["x.toy", "-opt", "-O1"]).optimization_level(), 1);
        assert_eq!(options(&["x.toy", "-O3", "-opt"]).optimization_level(), 2);
        assert_eq!(options(&["x.toy", "-O3", "-O0"]).optimization_level(), 0);
    }

    #[test]
    fn languages() {
        assert_eq!(options(&["-x=mlir", "-"]).language, Some(Language::Mlir));
        assert_eq!(options(&["-x", "toy", "-"]).language, Some(Language::Toy));
    }
}
