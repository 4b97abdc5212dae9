//! The command line of toy-opt.
//!
//! Input: the arguments. Output: [`Options`], among them the passes in the order in which they were named, and the first
//! error. Any option that clap does not know is taken for a pass, and looked up later; clap would neither keep the order
//! of passes nor read options with one dash. So it gets the others only, each with its value as `--NAME=VALUE`.
//! Invariants: options have one dash or two; after an error the rest is still read, because it may contain
//! `--error-format` or `--color`.

use super::pipeline::{self, command_line_error};
use super::verify_diagnostics::Strictness;
use crate::cli::Form;
use crate::driver::instruments::InstrumentationOptions;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, CommandFactory, Parser};
use mlir_support::session::Printing;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use toy_compiler::passes;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::text::{clipped, joined};

const USAGE: &str = "\
toy-opt [OPTIONS] [PASSES] [FILE]
       toy-opt --plan [PLANNER OPTIONS] FILE.csv";

/// Runs passes over MLIR, those of MLIR and those of toyc.
///
/// Passes run in the order of the command line: `--NAME` is a pass, `--NAME="a=b c"` a pass with options. Options have
/// one dash or two. Exit status: 0 success, 1 the input has errors, 2 the command line has errors.
#[derive(Clone, Debug, Parser)]
#[command(name = "toy-opt", override_usage = USAGE, args_override_self = true, disable_help_flag = true)]
pub struct Options {
    /// MLIR text, of any dialects; `-`, or none, is standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,

    /// The passes of the command line, in order
    #[arg(skip)]
    pub passes: Vec<Request>,

    /// Passes as text: builtin.module(a,func.func(b,c{d=e}))
    #[arg(long, value_name = "TEXT")]
    pass_pipeline: Vec<String>,

    /// List all passes, those of MLIR included
    #[arg(long)]
    pub list_passes: bool,

    /// Describe a pass and its options
    #[arg(long, value_name = "NAME")]
    pub help_pass: Option<String>,

    /// List the dialects
    #[arg(long)]
    pub show_dialects: bool,

    /// The output file, or `-` for standard output
    #[arg(short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Accept operations of unregistered dialects
    #[arg(long = "allow-unregistered-dialect")]
    pub allow_unregistered: bool,

    /// The input is several modules, separated by lines `// -----`
    #[arg(long = "split-input-file")]
    pub split_input: bool,

    /// Expect the messages of `// expected-error {{...}}` and no others; `only-expected` allows other messages
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true,
          default_missing_value = "all", hide_possible_values = true)]
    pub verify_diagnostics: Option<Strictness>,

    /// Verify after each pass (the default is 1)
    #[arg(long, value_name = "0|1", num_args = 0..=1, require_equals = true,
          default_value = "1", default_missing_value = "1", value_parser = zero_or_one(),
          hide_default_value = true, hide_possible_values = true)]
    pub verify_each: bool,

    /// Print locations
    #[arg(long)]
    mlir_print_debuginfo: bool,

    /// Print only this function, with its specializations
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// Print operations in generic form
    #[arg(long)]
    mlir_print_op_generic: bool,

    /// Print without aliases
    #[arg(long)]
    mlir_print_local_scope: bool,

    /// Leave out the elements of larger attributes
    #[arg(long = "mlir-elide-elementsattrs-if-larger", value_name = "N",
          value_parser = |text: &str| text.parse::<usize>().map_err(|_| "a whole number"))]
    elide_larger_than: Option<usize>,

    /// Write bytecode, which toy-opt also reads
    #[arg(long)]
    pub emit_bytecode: bool,

    /// Show the passes as a text for --pass-pipeline, on standard error
    #[arg(long)]
    pub dump_pass_pipeline: bool,

    #[command(flatten)]
    pub instruments: InstrumentationOptions,

    /// There is one thread anyway
    #[arg(long, hide = true)]
    mlir_disable_threading: bool,

    #[command(flatten)]
    pub form: Form,

    /// No passes: run the memory planner over a CSV file of buffers, as MiniMalloc does; the first option, followed by
    /// those of the planner (--plan --capacity N --time SECONDS ...; --plan --help shows all)
    #[arg(long)]
    plan: bool,

    /// Show this text
    #[arg(short, long)]
    pub help: bool,

    /// Show the versions of toy-opt and LLVM
    #[arg(short = 'V', long)]
    pub version: bool,
}

/// A request for passes on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `--NAME=OPTIONS`
    Flag { name: String, options: String },
    /// The text of `--pass-pipeline`
    Pipeline(String),
}

impl Options {
    pub fn input(&self) -> &Path {
        self.inputs.first().map_or(Path::new("-"), PathBuf::as_path)
    }

    pub fn printing(&self) -> Printing {
        Printing {
            locations: self.mlir_print_debuginfo,
            generic: self.mlir_print_op_generic,
            local_scope: self.mlir_print_local_scope,
            elide_larger_than: self.elide_larger_than,
            ..Printing::default()
        }
    }
}

/// The text of `--help`, which includes our passes.
pub fn help() -> String {
    let options = Options::command().render_long_help();
    let passes = passes::overview();
    format!("{options}\nPasses of toyc and their options (--help-pass NAME says more):\n{passes}")
}

/// Every option, for suggestions about misspelled ones.
pub fn names() -> Vec<String> {
    let command = Options::command();
    command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Reads the arguments after the program's name.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> (Options, Option<Diagnostic>) {
    let mut command = Options::command();
    command.build();
    let known = vec!["toy-opt".into()];
    let (files, passes) = (Vec::new(), Vec::new());
    let mut reading = Reading { command, arguments, known, files, passes };
    let mut first = None;
    while let Some(argument) = reading.arguments.next() {
        if argument == "--" {
            reading.files.extend(reading.arguments.by_ref());
        } else if let Err(error) = reading.argument(argument) {
            first.get_or_insert(error);
        }
    }
    let Reading { mut known, files, mut passes, .. } = reading;
    let mut options = loop {
        let error = match Options::try_parse_from(&known) {
            Ok(options) => break options,
            Err(error) => error,
        };
        let (option, diagnostic) = explained(&error);
        first.get_or_insert(diagnostic);
        let wrong = option + "=";
        known.retain(|known| !known.as_encoded_bytes().starts_with(wrong.as_bytes()));
    };
    passes.extend(options.pass_pipeline.drain(..).map(Request::Pipeline));
    options.inputs = files.into_iter().map(PathBuf::from).collect();
    options.passes = passes;
    let error = first.or_else(|| check(&options).err());
    (options, error)
}

/// The file of `--plan=FILE`, or Some(None) without one, if the first argument is this option: it makes all others the
/// memory planner's.
pub fn planner(first: &OsStr) -> Option<Option<OsString>> {
    let text = first.to_str()?;
    let (name, file) = match text.split_once('=') {
        Some((name, file)) => (name, Some(file.into())),
        None => (text, None),
    };
    ["--plan", "-plan"].contains(&name).then_some(file)
}

struct Reading<A> {
    command: Command,
    arguments: A,
    /// The options for clap.
    known: Vec<OsString>,
    files: Vec<OsString>,
    passes: Vec<Request>,
}

impl<A: Iterator<Item = OsString>> Reading<A> {
    fn argument(&mut self, argument: OsString) -> Result<(), Diagnostic> {
        if argument == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
            self.files.push(argument);
            return Ok(());
        }
        let Some(text) = argument.to_str() else {
            let shown = argument.to_string_lossy();
            return Err(command_line_error(format!("`{}` is not UTF-8 text", clipped(&shown))));
        };
        let text = text.strip_prefix("--").unwrap_or(&text[1..]);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let option = self.command.get_arguments().find(|option| is_named(option, name)).cloned();
        match option {
            Some(option) => self.option(&option, value),
            None => self.pass(name, value.unwrap_or("")),
        }
    }

    fn option(&mut self, option: &Arg, value: Option<&str>) -> Result<(), Diagnostic> {
        let name = option.get_long().map_or("-o".to_owned(), |long| format!("--{long}"));
        let values = option.get_num_args().unwrap_or_default();
        let value = match value.map(OsString::from) {
            None if values.min_values() > 0 => self.arguments.next().or(Some(OsString::new())),
            value => value,
        };
        let is_switch = option.get_possible_values().is_empty() && values.min_values() == 0;
        let bare = OsString::from(&name);
        let is_output = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-o=");
        match value {
            Some(value) if is_switch && (value == "0" || value == "false") => {
                self.known.retain(|other| *other != bare);
            }
            Some(value) if is_switch && (value == "1" || value == "true") => self.known.push(bare),
            Some(value) if values.max_values() == 0 => {
                return Err(bad_value(&name, &value.to_string_lossy(), "`0` or `1`"));
            }
            Some(value) if value.is_empty() => {
                return Err(command_line_error(format!("{name} needs a value")));
            }
            Some(value) if value.to_str().is_none() && name != "-o" => {
                return Err(command_line_error(format!("the value of {name} is not UTF-8")));
            }
            Some(_) if name == "-o" && self.known.iter().any(is_output) => {
                return Err(command_line_error("-o is given twice"));
            }
            Some(value) => {
                let mut argument = OsString::from(name + "=");
                argument.push(value);
                self.known.push(argument);
            }
            None => self.known.push(bare),
        }
        Ok(())
    }

    /// `--NAME=OPTIONS`
    fn pass(&mut self, name: &str, options: &str) -> Result<(), Diagnostic> {
        if !pipeline::is_name(name) {
            let name = clipped(name);
            return Err(command_line_error(format!("`--{name}` is neither an option nor a pass")));
        }
        if !pipeline::is_balanced(options) {
            let message = format!("the braces in the options of `--{name}` do not match");
            return Err(command_line_error(message));
        }
        let (name, options) = (name.to_owned(), options.to_owned());
        self.passes.push(Request::Flag { name, options });
        Ok(())
    }
}

/// True if an option has this name, which stands after one dash or two.
fn is_named(option: &Arg, name: &str) -> bool {
    option.get_long() == Some(name)
        || option.get_all_aliases().unwrap_or_default().contains(&name)
        || option.get_short().is_some_and(|short| name.strip_prefix(short) == Some(""))
}

/// The checks of options that do not go together.
fn check(options: &Options) -> Result<(), Diagnostic> {
    if options.plan {
        return Err(command_line_error("--plan must be the first option").help(
            "everything after it is for the planner: toy-opt --plan --capacity 4096 FILE.csv",
        ));
    }
    if let [one, two, ..] = options.inputs.as_slice() {
        let (one, two) = (one.display(), two.display());
        let message = format!("there can be one input, but these are two: `{one}`, `{two}`");
        return Err(command_line_error(message));
    }
    let is_text = |request: &&Request| matches!(request, Request::Pipeline(_));
    let texts = options.passes.iter().filter(is_text).count();
    if texts > 0 && options.passes.len() > 1 {
        let other = if texts > 1 { "given twice" } else { "given together with other passes" };
        let diagnostic = command_line_error(format!("--pass-pipeline is {other}"));
        return Err(diagnostic.help("write all passes into one text, or each as an option"));
    }
    if options.emit_bytecode && options.split_input {
        let message = "several modules cannot be written as bytecode";
        let help = "--emit-bytecode and --split-input-file cannot be combined";
        return Err(command_line_error(message).help(help));
    }
    Ok(())
}

/// The values of a switch that is on by default.
fn zero_or_one() -> impl TypedValueParser<Value = bool> {
    let values = [PossibleValue::new("0").alias("false"), PossibleValue::new("1").alias("true")];
    PossibleValuesParser::new(values).map(|value| value == "1" || value == "true")
}

/// clap's error about a value: the option, and the error in our words.
fn explained(error: &clap::Error) -> (String, Diagnostic) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let option = text(ContextKind::InvalidArg).split([' ', '[']).next().unwrap_or_default();
    let expected = match (error.get(ContextKind::ValidValue), error.source()) {
        (Some(ContextValue::Strings(values)), _) => {
            let quoted: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
            joined(&quoted, "or")
        }
        (_, source) => source.map_or(String::new(), ToString::to_string),
    };
    (option.to_owned(), bad_value(option, text(ContextKind::InvalidValue), &expected))
}

fn bad_value(option: &str, value: &str, expected: &str) -> Diagnostic {
    let message = format!("`{}` is not a value of {option}", clipped(value));
    command_line_error(message).help(format!("the value is {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ErrorFormat;

    fn read(arguments: &str) -> (Options, Option<String>) {
        let (options, error) = parse(arguments.split_whitespace().map(OsString::from));
        (options, error.map(|error| error.message))
    }

    #[test]
    fn passes_keep_their_order() {
        let (options, error) = read("--cse -canonicalize=top-down=false x.mlir --cse -o y.mlir");
        assert_eq!(error, None);
        let flag = |name: &str, options: &str| Request::Flag {
            name: name.to_owned(),
            options: options.to_owned(),
        };
        let expected = [flag("cse", ""), flag("canonicalize", "top-down=false"), flag("cse", "")];
        assert_eq!(options.passes, expected);
        assert_eq!(options.input(), Path::new("x.mlir"));
        assert_eq!(options.output, Some(PathBuf::from("y.mlir")));
    }

    #[test]
    fn options_have_one_dash_or_two() {
        for arguments in
            ["-verify-each=0 -split-input-file", "--verify-each=false --split-input-file=1"]
        {
            let (options, error) = read(arguments);
            assert_eq!((options.verify_each, options.split_input, error), (false, true, None));
        }
    }

    #[test]
    fn options_after_an_error_are_read() {
        let (options, error) = read("--verify-each=maybe --color=red --error-format=json");
        assert_eq!(options.form.error_format, ErrorFormat::Json);
        assert_eq!(error.as_deref(), Some("`maybe` is not a value of --verify-each"));
    }

    #[test]
    fn errors_name_the_argument() {
        for (arguments, message) in [
            ("-o", "-o needs a value"),
            ("-o= x", "-o needs a value"),
            ("-o x -o y", "-o is given twice"),
            ("x y", "there can be one input, but these are two: `x`, `y`"),
            ("-- -x --cse", "there can be one input, but these are two: `-x`, `--cse`"),
            ("--pass-pipeline=x --cse", "--pass-pipeline is given together with other passes"),
            ("--pass-pipeline=x -pass-pipeline y", "--pass-pipeline is given twice"),
            ("--a(b)", "`--a(b)` is neither an option nor a pass"),
            ("---cse", "`---cse` is neither an option nor a pass"),
            ("--cse=}{", "the braces in the options of `--cse` do not match"),
            ("--color=", "--color needs a value"),
            (
                "--mlir-elide-elementsattrs-if-larger=x",
                "`x` is not a value of --mlir-elide-elementsattrs-if-larger",
            ),
        ] {
            assert_eq!(read(arguments).1.as_deref(), Some(message), "{arguments}");
        }
    }
}
