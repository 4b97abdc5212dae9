//! The command line of toyc: its options and their meaning.
//!
//! Options follow clang, rustc and upstream's toyc where those agree; [`super::spellings`] has the other spellings,
//! [`super::command_tree`] the commands.

mod parsers;

use clap::builder::{
    NonEmptyStringValueParser, PathBufValueParser, PossibleValuesParser, TypedValueParser,
};
use clap::{ArgAction, ArgMatches, Args, FromArgMatches, Parser, ValueEnum};
pub use parsers::whole;
use parsers::{Late, language_parser, level, named, setting_parser, size, stage_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use toy_compiler::Stage;
use toy_compiler::compilation::{Language, Remarks};
use toy_compiler::memory_plan::PlanFile;
use toy_compiler::pipeline::pass_names;
use toy_compiler::stages::merged::merge_alloc;
use toy_diagnostics::codes;
use toy_diagnostics::levels::{Levels, Setting};

const EXAMPLES: &str = "\
Examples:
  toyc prog.toy                                      make the executable `prog`
  toyc run prog.toy                                  compile in memory and run (-emit=jit)
  toyc run prog.toy a.npy 3.5 -o out.npy             and with arguments, if `main` has parameters
  toyc check prog.toy                                report errors and warnings
  toyc prog.toy -emit=shapes                         show the program after shape inference
  toyc prog.toy -emit=linalg --function=f            show only `f`, for all of its shapes
  toyc prog.toy -opt -emit=asm -o -                  show the optimized assembly
  toyc prog.toy -opt --report=prog.html              and a page about every stage, for a browser
  toyc prog.toy --target aarch64-unknown-linux-gnu   make an executable for AArch64
  toyc prog.toy --target wasm32                      make a module for browsers and Node, and its host
  toyc prog.toy -opt --cpu native                    make one for processors like this machine's
  toyc prog.toy --export 'f(2x3, 2x3)' -emit=lib     make a library that C programs can call
  toyc prog.toy -emit=linalg | toyc run -x mlir -    go on from any MLIR stage
  toyc explain language                              show the rules of the language, with examples

Upstream's names `mlir` (toy) and `mlir-affine` (loops) work as stages, too; so do clang's -S,
-c and -emit-llvm. A file with the name of a command, say `run`, is `./run`.
`toyc manuals DIRECTORY` writes completions for shells and pages for man.
Exit status: 0 success, 1 the program has errors, 2 the command line has errors (an unknown
option or value; what --export, --main, --target, --cpu and --features ask for is 1, as the program);
with -emit=jit the status of the program that ran.";

/// The names of the stages.
pub fn after_help() -> String {
    let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    let lines: Vec<String> =
        names.chunks(11).map(|names| format!("  {}", names.join(", "))).collect();
    format!(
        "Stages:\n{}\n\n`toyc --help` has all options, and describes the stages, with examples.",
        lines.join(",\n")
    )
}

/// The descriptions of the stages and the warnings, and the examples.
pub fn after_long_help() -> String {
    let mut text = String::from("Stages:\n");
    for stage in Stage::ALL {
        text += &format!("  {:12} {}\n", stage.name(), stage.summary());
    }
    text += "\nWarnings:\n";
    for code in codes::warnings() {
        text += &format!("  {:19} {}\n", code.lint.unwrap_or_default(), code.title);
    }
    format!("{text}\n{EXAMPLES}")
}

// The sections of the help.
const MAKE: &str = "Output";
const MACHINE: &str = "Target";
const MESSAGES: &str = "Messages";
pub const INSIDE: &str = "Debugging";

/// Compiles Toy, the tensor language of the MLIR tutorial.
#[derive(Parser, Debug)]
#[command(name = "toyc", disable_version_flag = true)]
pub struct Options {
    /// The program, or `-` for standard input
    ///
    /// Without FILE, standard input is read if it is not a terminal. On a terminal, `run`, `build` and `check` take
    /// `main.toy` of the current folder.
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// The stage to make (also written `-emit=STAGE`)
    #[arg(
        long = "emit",
        value_name = "STAGE",
        value_parser = Late(stage_parser),
        hide_possible_values = true,
        ignore_case = true,
        default_value = "exe",
        overrides_with = "emit",
        help_heading = MAKE
    )]
    pub emit: Stage,

    /// The output file, or `-` for standard output
    ///
    /// A file is named after the program otherwise, and text is shown.
    #[arg(short = 'o', value_name = "FILE", help_heading = MAKE)]
    pub output: Option<PathBuf>,

    /// Optimization level: 0 (the default) to 3
    #[arg(short = 'O', value_name = "LEVEL", value_parser = level,
          overrides_with_all = ["level", "opt"], help_heading = MAKE)]
    level: Option<u8>,

    /// The same as -O2 (also written `-opt`)
    #[arg(long = "opt", overrides_with_all = ["level", "opt"], help_heading = MAKE)]
    opt: bool,

    /// The input's language; by default, that of the file's extension
    #[arg(short = 'x', value_name = "LANGUAGE", value_parser = language_parser(), help_heading = MAKE, hide_short_help = true)]
    pub language: Option<Language>,

    /// The machine to generate code for; by default, this one
    #[arg(long, value_name = "TRIPLE", help_heading = MACHINE)]
    pub target: Option<String>,

    /// The processor to generate code for, by name or `native`
    ///
    /// Without it, files are for `x86-64` (AArch64: `generic`), with versions of large loops for newer processors from
    /// -O2 on, and -emit=jit is for `native`. Also written `-mcpu=NAME`, `-march=NAME`.
    #[arg(long, value_name = "NAME", overrides_with = "cpu", help_heading = MACHINE)]
    pub cpu: Option<String>,

    /// Features of the processor to use or not to use, as in `+avx2,-fma`
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, help_heading = MACHINE, hide_short_help = true)]
    pub features: Vec<String>,

    /// Faster arithmetic with other results: `contract` rounds a product and a sum once instead of twice
    #[arg(long, value_name = "KIND", value_parser = ["contract"], hide_possible_values = true,
          help_heading = MAKE, hide_short_help = true)]
    pub fast_math: Option<String>,

    /// With -O2 and higher, run large loop nests with N threads; results have the same bits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u8>(1..=255), hide_default_value = true,
          help_heading = MAKE, hide_short_help = true)]
    pub threads: u8,

    /// The most memory that a loop may need for a gradient, as in `64K` or `1M`
    ///
    /// A loop that needs more saves its variables before every so many iterations, and computes these again on the way back.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = MAKE, hide_short_help = true)]
    pub tape_memory: Option<u64>,

    /// With --target wasm32, let the program tell its host which of its loops runs
    ///
    /// `run({ loop })` of the host calls `loop` with the line of the loop, some 50 times a second.
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub watch_loops: bool,

    /// List the `cpus` or `features` of the target, the `targets`, or the `passes`; or the `runtime` as assembly
    #[arg(long, value_name = "LIST", value_enum, hide_possible_values = true, help_heading = MACHINE, hide_short_help = true)]
    pub print: Option<Listing>,

    /// Export a function for these shapes to C, as in 'f(2x3, ())'
    ///
    /// 'NAME=f(2x3, ())' chooses the name. May be given several times.
    #[arg(long = "export", value_name = "FUNCTION(SHAPES)", help_heading = MAKE)]
    pub exports: Vec<String>,

    /// The function that the program runs, with the shapes of its arguments: 'main(2x3, ())', 'main(a.npy, ())'
    #[arg(long, value_name = "FUNCTION(SHAPES)", help_heading = MAKE, hide_short_help = true)]
    pub main: Option<String>,

    /// Add debug information
    ///
    /// It lets gdb show the lines of the program and, with -O0, its variables.
    #[arg(short = 'g', overrides_with = "debug_info", help_heading = MAKE)]
    pub debug_info: bool,

    /// The C compiler to link with; by default `cc`, or the target's gcc
    #[arg(long, value_name = "PROGRAM", value_parser = NonEmptyStringValueParser::new(),
          help_heading = MAKE, hide_short_help = true)]
    pub linker: Option<String>,

    /// Show the linker command; with --version, what this toyc was made from
    #[arg(short = 'v', overrides_with = "verbose", help_heading = INSIDE, hide_short_help = true)]
    pub verbose: bool,

    /// Keep the program of every stage in a file beside the output
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub save_temps: bool,

    /// Show how long each pass took, or write it as a trace for Perfetto and speedscope
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true,
          value_parser = |name: &str| named(name, &["json"]), help_heading = INSIDE, hide_short_help = true)]
    pub time_passes: Option<Option<PathBuf>>,

    /// Show the program before this pass (may be given several times)
    #[arg(long, value_name = "PASS", value_parser = Late(|| PossibleValuesParser::new(pass_names())),
          hide_possible_values = true, hide_short_help = true, help_heading = INSIDE)]
    pub print_ir_before: Vec<String>,

    /// Show the program after every pass
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub print_ir_after_all: bool,

    /// Show the program after this pass (may be given several times)
    #[arg(long, value_name = "PASS", value_parser = Late(|| PossibleValuesParser::new(pass_names())),
          hide_possible_values = true, help_heading = INSIDE, hide_short_help = true)]
    pub print_ir_after: Vec<String>,

    /// Show the program after each pass that has changed it; with --print-ir-after, only after that pass
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub print_ir_after_change: bool,

    /// Print one function of the stage, for all of its shapes
    ///
    /// For the stages from `ast` to `asm`, for --print-ir-before and --print-ir-after. 'f(2x3, ())' is one of its
    /// specializations.
    #[arg(long, value_name = "NAME", overrides_with = "function",
          value_parser = NonEmptyStringValueParser::new(), help_heading = INSIDE)]
    pub function: Option<String>,

    /// Show the passes on the way to the stage, as a text for `toy-opt --pass-pipeline`
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub dump_pass_pipeline: bool,

    /// Have MLIR verify the program after every stage, not only the first and the last
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub verify_each: bool,

    /// Options of the pass merge-alloc, as in `{planner=exact}`
    #[arg(long, value_name = "OPTIONS", hide = true, default_value = "",
          value_parser = |text: &str| merge_alloc::Options::parse(text).map_err(|d| d.message))]
    pub merge_alloc: merge_alloc::Options,

    /// Draw the plan of the memory into a .svg, .json or .txt file
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(PlanFile::new),
          help_heading = INSIDE)]
    pub memory_plan: Option<PlanFile>,

    /// Write a page for a browser about this compilation
    ///
    /// It has every stage and pass, the changes of each, and the origin of each line. A .json file has the same as data.
    #[arg(long, value_name = "FILE", value_parser = |name: &str| named(name, &["html", "htm", "json"]),
          help_heading = INSIDE)]
    pub report: Option<PathBuf>,

    /// Print source locations in MLIR stages
    #[arg(long, help_heading = INSIDE, hide_short_help = true)]
    pub print_locations: bool,

    #[command(flatten)]
    pub form: Form,

    /// Turn a warning on, or off with `no-NAME`
    ///
    /// `all` and `no-all` are all of them, and `error` turns warnings into errors.
    #[arg(short = 'W', value_name = "NAME", hide_possible_values = true, help_heading = MESSAGES,
          value_parser = Late(|| setting_parser(&["all", "no-all", "error", "no-error"], &["", "no-"], Setting::warn)))]
    warn: Vec<Setting>,

    /// Make a warning an error; all that are on: `warnings`
    #[arg(short = 'D', value_name = "NAME", hide_possible_values = true, help_heading = MESSAGES,
          value_parser = Late(|| setting_parser(&["warnings"], &[""], Setting::deny)), hide_short_help = true)]
    deny: Vec<Setting>,

    /// No warnings
    #[arg(short = 'w', overrides_with = "quiet", help_heading = MESSAGES, hide_short_help = true)]
    quiet: bool,

    /// Say what passes did not do and why: `pass-missed=merge-alloc`, `pass-missed=bufferize` (copies); or what they did:
    /// `pass=bufferize` (updates in place), `pass=canonicalize` (each rewrite), `pass=grad` (memory for gradients); or what
    /// they leave open: `pass-analysis=dealloc`
    #[arg(short = 'R', value_name = "KIND", value_parser = REMARKS, hide_possible_values = true,
          help_heading = MESSAGES, hide_short_help = true)]
    pub remarks: Vec<String>,

    /// The lint levels that `-W`, `-D` and `-w` set together
    #[arg(skip)]
    pub levels: Levels,

    /// True if nothing is written: `toyc check`
    #[arg(skip)]
    pub only_checks: bool,

    /// The arguments of the program: `toyc run FILE ARGUMENT...`
    #[arg(skip)]
    pub arguments: Vec<OsString>,

    /// The number of runs that `toyc run` measures, if not 0
    #[arg(skip)]
    pub benchmark: u32,

    /// The options of `toyc check` that request files
    #[arg(skip)]
    pub ignored: Vec<String>,

    /// Show the page about a code or a warning, or `language`: the rules of Toy
    #[arg(long, value_name = "CODE", help_heading = MESSAGES, hide_short_help = true)]
    pub explain: Option<String>,

    /// Show the versions of toyc and LLVM
    #[arg(long, short = 'V', action = ArgAction::SetTrue)]
    pub version: bool,
}

// The form of messages. (clap would show a doc comment in the help.)
#[derive(Args, Clone, Copy, Debug)]
pub struct Form {
    /// Colors in messages; `auto` looks at the terminal and at NO_COLOR
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto", help_heading = MESSAGES, hide_short_help = true)]
    pub color: Color,

    /// The form of messages: with source lines, one line each, or JSON, one object a line
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "human", help_heading = MESSAGES, hide_short_help = true)]
    pub error_format: ErrorFormat,
}

impl Form {
    /// The form without options.
    pub const DEFAULT: Self = Self { color: Color::Auto, error_format: ErrorFormat::Human };
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
    Json,
}

/// The lists of `--print`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    Cpus,
    Features,
    Targets,
    Passes,
    Runtime,
}

/// The values of `-R`.
const REMARKS: [&str; 9] = [
    "pass-missed=merge-alloc",
    "pass-missed=bufferize",
    "pass-missed=.*",
    "pass=bufferize",
    "pass=canonicalize",
    "pass=grad",
    "pass=.*",
    "pass-analysis=dealloc",
    "pass-analysis=.*",
];

impl Options {
    /// The optimization level: the last of `-O` and `-opt`, 0 without either.
    pub fn optimization_level(&self) -> u8 {
        if self.opt { 2 } else { self.level.unwrap_or(0) }
    }

    /// True if the program is printed after this pass.
    pub fn prints_after(&self, pass: &str) -> bool {
        self.print_ir_after_all || self.print_ir_after.iter().any(|name| name == pass)
    }

    /// The passes at which the program is printed, with the options that name them.
    pub fn named_passes(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let before = self.print_ir_before.iter().map(|pass| ("--print-ir-before", pass));
        before.chain(self.print_ir_after.iter().map(|pass| ("--print-ir-after", pass)))
    }

    /// The stage to advance to: the requested one, or a later one that the report or the plan needs.
    pub fn last_stage(&self) -> Stage {
        let report = self.report.as_ref().map(|_| Stage::Asm);
        let plan = self.memory_plan.as_ref().map(|_| Stage::MemoryPlan);
        [report, plan].into_iter().flatten().fold(self.emit, Stage::max)
    }

    /// The remarks to show.
    pub fn remarks(&self) -> Remarks {
        remarks(&self.remarks)
    }

    /// Converts clap's result.
    pub fn read(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Options::from_arg_matches(matches)?;
        options.levels = levels(matches);
        // Only `toyc run` has these.
        if let Ok(Some(arguments)) = matches.try_get_many::<OsString>("arguments") {
            options.arguments = arguments.cloned().collect();
        }
        if let Ok(Some(runs)) = matches.try_get_one::<u32>("benchmark") {
            options.benchmark = *runs;
        }
        Ok(options)
    }

    /// Turns the options into a check only, which writes no files, whatever else the command line says.
    pub fn only_check(mut self) -> Self {
        self.only_checks = true;
        let output = self.output.take().map(|file| format!("-o {}", file.display()));
        let report = self.report.take().map(|file| format!("--report {}", file.display()));
        let plan = self.memory_plan.take();
        let plan = plan.map(|file| format!("--memory-plan {}", file.path.display()));
        let temporary = std::mem::take(&mut self.save_temps).then(|| "--save-temps".to_owned());
        self.ignored = [output, report, plan, temporary].into_iter().flatten().collect();
        self
    }
}

/// The remarks that some values of `-R` select.
pub fn remarks(values: &[String]) -> Remarks {
    let asked = |kind: &str, pass: &str| {
        let is = |text: &String| {
            let (other, of) = text.split_once('=').unwrap_or_default();
            other == kind && [pass, ".*"].contains(&of)
        };
        values.iter().any(is)
    };
    Remarks {
        not_merged: asked("pass-missed", "merge-alloc"),
        copies: asked("pass-missed", "bufferize"),
        in_place: asked("pass", "bufferize"),
        decided_late: asked("pass-analysis", "dealloc"),
        rewrites: asked("pass", "canonicalize"),
        tapes: asked("pass", "grad"),
    }
}

/// The lint levels of the options about warnings, in their order on the command line.
fn levels(matches: &ArgMatches) -> Levels {
    let mut settings = Vec::new();
    for option in ["warn", "deny"] {
        let indices = matches.indices_of(option).into_iter().flatten();
        let values = matches.get_many::<Setting>(option).into_iter().flatten();
        settings.extend(indices.zip(values.copied()));
    }
    // It turns off every warning: only the last one matters.
    if let Some(index) = matches.index_of("quiet").filter(|_| matches.get_flag("quiet")) {
        settings.push((index, Setting::AllowAll));
    }
    settings.sort_by_key(|(index, _)| *index);
    Levels::new(settings.into_iter().map(|(_, setting)| setting))
}

#[cfg(test)]
mod tests;
