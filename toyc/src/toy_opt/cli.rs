//! The command line of toy-opt.
//!
//! Input: the arguments. Output: [`Options`], among them the passes in the order in which they were
//! named, and the first error. Written by hand: clap does not keep that order, and lexopt reads `-cse` as
//! three options of one letter.
//! Invariants: options have one dash or two; any other name is taken for a pass and looked up later;
//! after an error the rest is still read, because it may contain `--error-format` or `--color`.

use super::pipeline::{self, command_line_error};
use super::verify_diagnostics::Strictness;
use crate::cli::{Color, ErrorFormat};
use clap::ValueEnum;
use mlir_support::session::Printing;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use toy_compiler::passes;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::text::{clipped, joined};

const HELP: &str = "\
Runs passes over MLIR, those of MLIR and those of toyc.

Usage: toy-opt [OPTIONS] [PASSES] [FILE]
       toy-opt --plan [PLANNER OPTIONS] FILE.csv

FILE is MLIR text, of any dialects; `-`, or none, is standard input.

Passes, run in the order of the command line:
  --NAME                        a pass
  --NAME=OPTIONS                a pass with options: --NAME=\"a=b c\"
  --pass-pipeline=TEXT          passes as text: builtin.module(a,func.func(b,c{d=e}))
  --list-passes                 list all passes, those of MLIR included
  --help-pass NAME              describe a pass and its options
  --show-dialects               list the dialects

Options (with one dash or two):
  -o FILE                       the output file, or `-` for standard output
  --allow-unregistered-dialect  accept operations of unregistered dialects
  --split-input-file            the input is several modules, separated by lines `// -----`
  --verify-diagnostics          expect the messages of `// expected-error {{...}}` and no others;
                                `=only-expected` allows other messages
  --verify-each=0|1             verify after each pass (the default is 1)
  --mlir-print-debuginfo        print locations
  --function=NAME               print only this function, with its specializations
  --mlir-print-op-generic       print operations in generic form
  --mlir-print-local-scope      print without aliases
  --mlir-elide-elementsattrs-if-larger=N
                                leave out the elements of larger attributes
  --emit-bytecode               write bytecode, which toy-opt also reads
  --dump-pass-pipeline          show the passes as a text for --pass-pipeline, on standard error
  --print-ir-before=PASS        show the module before this pass
  --print-ir-after=PASS         show the module after this pass (both may be given several times)
  --print-ir-before-all         show the module before every pass
  --print-ir-after-all          show the module after every pass
  --print-ir-after-change       show it only after passes that have changed it
  --time-passes[=FILE.json]     show how long each pass took, or write a trace for Perfetto and speedscope
  --error-format=FORMAT         the form of messages: human, short or json
  --color=WHEN                  colors in messages: auto, always or never
  --plan ...                    no passes: run the memory planner over a CSV file of buffers, as
                                MiniMalloc does; the first option, followed by those of the planner
                                (--plan --capacity N --time SECONDS ...; --plan --help shows all)
  -h, --help                    show this text
  -V, --version                 show the versions of toy-opt and LLVM

Exit status: 0 success, 1 the input has errors, 2 the command line has errors.
";

/// The text of `--help`, which includes our passes.
pub fn help() -> String {
    format!(
        "{HELP}\nPasses of toyc and their options (--help-pass NAME says more):\n{}",
        passes::overview()
    )
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Run,
    Help,
    Version,
    ListPasses,
    ShowDialects,
    /// Describes the pass of this name.
    HelpPass(String),
}

/// A request for passes on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `--NAME=OPTIONS`
    Flag { name: String, options: String },
    /// The text of `--pass-pipeline`
    Pipeline(String),
}

#[derive(Clone, Debug)]
pub struct Options {
    pub action: Action,
    pub input: PathBuf,
    pub output: Option<PathBuf>,
    pub passes: Vec<Request>,
    pub allow_unregistered: bool,
    pub split_input: bool,
    pub verify_diagnostics: Option<Strictness>,
    pub verify_each: bool,
    pub printing: Printing,
    /// The function to print, instead of the module.
    pub function: Option<String>,
    pub print_before: Vec<String>,
    pub print_before_all: bool,
    pub print_after: Vec<String>,
    pub print_after_all: bool,
    pub print_after_change: bool,
    pub dump_pipeline: bool,
    pub emit_bytecode: bool,
    pub time_passes: bool,
    /// The file of a trace.
    pub trace: Option<PathBuf>,
    pub error_format: ErrorFormat,
    pub color: Color,
}

/// Every option, for suggestions about misspelled ones.
pub const NAMES: &[&str] = &[
    "allow-unregistered-dialect",
    "color",
    "dump-pass-pipeline",
    "emit-bytecode",
    "error-format",
    "function",
    "help",
    "help-pass",
    "list-passes",
    "mlir-disable-threading",
    "mlir-elide-elementsattrs-if-larger",
    "mlir-print-debuginfo",
    "mlir-print-ir-after-all",
    "mlir-print-local-scope",
    "mlir-print-op-generic",
    "pass-pipeline",
    "plan",
    "print-ir-after",
    "print-ir-after-all",
    "print-ir-after-change",
    "print-ir-before",
    "print-ir-before-all",
    "show-dialects",
    "split-input-file",
    "time-passes",
    "verify-diagnostics",
    "verify-each",
    "version",
];

/// Reads the arguments after the program's name.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> (Options, Option<Diagnostic>) {
    let options = Options {
        action: Action::Run,
        input: PathBuf::from("-"),
        output: None,
        passes: Vec::new(),
        allow_unregistered: false,
        split_input: false,
        verify_diagnostics: None,
        verify_each: true,
        printing: Printing::default(),
        function: None,
        print_before: Vec::new(),
        print_before_all: false,
        print_after: Vec::new(),
        print_after_all: false,
        print_after_change: false,
        dump_pipeline: false,
        emit_bytecode: false,
        time_passes: false,
        trace: None,
        error_format: ErrorFormat::Human,
        color: Color::Auto,
    };
    let mut reading =
        Reading { options, arguments, has_input: false, only_files: false, error: None };
    while let Some(argument) = reading.arguments.next() {
        if let Err(error) = reading.argument(argument) {
            reading.error.get_or_insert(error);
        }
    }
    if let Err(error) = reading.check() {
        reading.error.get_or_insert(error);
    }
    (reading.options, reading.error)
}

/// True if the first argument is `--plan`, which makes all others the memory planner's.
pub fn plans(first: &OsStr) -> bool {
    let text = first.to_str().unwrap_or("");
    let name = text.split('=').next().unwrap_or("");
    name == "--plan" || name == "-plan"
}

/// The file of `--plan=FILE`, if there is one.
pub fn planner_file(first: &OsStr) -> Option<OsString> {
    first.to_str()?.split_once('=').map(|(_, file)| file.into())
}

struct Reading<A> {
    options: Options,
    arguments: A,
    has_input: bool,
    /// After `--`.
    only_files: bool,
    error: Option<Diagnostic>,
}

impl<A: Iterator<Item = OsString>> Reading<A> {
    fn argument(&mut self, argument: OsString) -> Result<(), Diagnostic> {
        let text = argument.to_str().unwrap_or("");
        if self.only_files || text == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
            return self.input(argument);
        }
        if text.is_empty() {
            let shown = argument.to_string_lossy();
            return Err(command_line_error(format!("`{}` is not UTF-8 text", clipped(&shown))));
        }
        if text == "--" {
            self.only_files = true;
            return Ok(());
        }
        let text = text.strip_prefix("--").unwrap_or(&text[1..]);
        match text.split_once('=') {
            Some((name, value)) => self.option(name, Some(value)),
            None => self.option(text, None),
        }
    }

    fn input(&mut self, file: OsString) -> Result<(), Diagnostic> {
        if std::mem::replace(&mut self.has_input, true) {
            let (one, two) = (self.options.input.display(), file.to_string_lossy());
            let message = format!("there can be one input, but these are two: `{one}`, `{two}`");
            return Err(command_line_error(message));
        }
        self.options.input = file.into();
        Ok(())
    }

    fn option(&mut self, name: &str, value: Option<&str>) -> Result<(), Diagnostic> {
        let options = &mut self.options;
        match name {
            "h" | "help" => options.action = Action::Help,
            "V" | "version" => options.action = Action::Version,
            "plan" => return Err(command_line_error("--plan must be the first option").help(
                "everything after it is for the planner: toy-opt --plan --capacity 4096 FILE.csv",
            )),
            "list-passes" => options.action = Action::ListPasses,
            "help-pass" => {
                let value = self.value(name, value)?.to_string_lossy().into_owned();
                let name = value.trim_start_matches('-').to_owned();
                self.options.action = Action::HelpPass(name);
            }
            "allow-unregistered-dialect" => options.allow_unregistered = switch(name, value)?,
            "split-input-file" => options.split_input = switch(name, value)?,
            "verify-each" => options.verify_each = switch(name, value)?,
            "mlir-print-debuginfo" => options.printing.locations = switch(name, value)?,
            "mlir-print-op-generic" => options.printing.generic = switch(name, value)?,
            "mlir-print-local-scope" => options.printing.local_scope = switch(name, value)?,
            "print-ir-after-all" | "mlir-print-ir-after-all" => {
                options.print_after_all = switch(name, value)?;
            }
            "print-ir-before-all" | "mlir-print-ir-before-all" => {
                options.print_before_all = switch(name, value)?;
            }
            "print-ir-after-change" | "mlir-print-ir-after-change" => {
                options.print_after_change = switch(name, value)?;
            }
            "print-ir-before" | "mlir-print-ir-before" => {
                let pass = self.value(name, value)?.to_string_lossy().into_owned();
                self.options.print_before.push(pass);
            }
            "print-ir-after" | "mlir-print-ir-after" => {
                let pass = self.value(name, value)?.to_string_lossy().into_owned();
                self.options.print_after.push(pass);
            }
            "dump-pass-pipeline" => options.dump_pipeline = switch(name, value)?,
            "emit-bytecode" => options.emit_bytecode = switch(name, value)?,
            "show-dialects" => options.action = Action::ShowDialects,
            "time-passes" | "mlir-timing" => match value {
                None | Some("0" | "1" | "true" | "false") => {
                    options.time_passes = switch(name, value)?;
                }
                Some("") => drop(self.value(name, value)?),
                Some(file) => options.trace = Some(file.into()),
            },
            // There is one thread anyway.
            "mlir-disable-threading" => drop(switch(name, value)?),
            "mlir-elide-elementsattrs-if-larger" => {
                let value = self.value(name, value)?;
                let limit = value.to_str().and_then(|text| text.parse().ok());
                let limit = limit.ok_or_else(|| bad_value(name, &value, "a whole number"))?;
                self.options.printing.elide_larger_than = Some(limit);
            }
            "function" => {
                let value = self.value(name, value)?;
                self.options.function = Some(value.to_string_lossy().into_owned());
            }
            "verify-diagnostics" => {
                options.verify_diagnostics = Some(match value {
                    None | Some("all") => Strictness::All,
                    Some("only-expected") => Strictness::OnlyExpected,
                    Some(value) => {
                        return Err(bad_value(name, &value.into(), "`all` or `only-expected`"));
                    }
                });
            }
            "o" => {
                let value = self.value(name, value)?;
                if self.options.output.replace(value.into()).is_some() {
                    return Err(command_line_error("-o is given twice"));
                }
            }
            "error-format" => {
                let value = self.value(name, value)?;
                self.options.error_format = choice(name, &value)?;
            }
            "color" => {
                let value = self.value(name, value)?;
                self.options.color = choice(name, &value)?;
            }
            "pass-pipeline" => {
                let value = self.value(name, value)?;
                let Some(text) = value.to_str() else {
                    return Err(command_line_error("the value of --pass-pipeline is not UTF-8"));
                };
                self.options.passes.push(Request::Pipeline(text.to_owned()));
            }
            _ => self.pass(name, value.unwrap_or(""))?,
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
        self.options.passes.push(Request::Flag { name, options });
        Ok(())
    }

    /// The value of an option: after `=`, or the next argument.
    fn value(&mut self, name: &str, value: Option<&str>) -> Result<OsString, Diagnostic> {
        let value = value.map(OsString::from).or_else(|| self.arguments.next());
        let dash = if name.len() == 1 { "-" } else { "--" };
        value
            .filter(|value| !value.is_empty())
            .ok_or_else(|| command_line_error(format!("{dash}{name} needs a value")))
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let is_text = |request: &&Request| matches!(request, Request::Pipeline(_));
        let texts = self.options.passes.iter().filter(is_text).count();
        if texts > 0 && self.options.passes.len() > 1 {
            let other = if texts > 1 { "given twice" } else { "given together with other passes" };
            let diagnostic = command_line_error(format!("--pass-pipeline is {other}"));
            return Err(diagnostic.help("write all passes into one text, or each as an option"));
        }
        if self.options.emit_bytecode && self.options.split_input {
            let message = "several modules cannot be written as bytecode";
            let help = "--emit-bytecode and --split-input-file cannot be combined";
            return Err(command_line_error(message).help(help));
        }
        Ok(())
    }
}

fn switch(name: &str, value: Option<&str>) -> Result<bool, Diagnostic> {
    match value {
        None | Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(value) => Err(bad_value(name, &value.into(), "0 or 1")),
    }
}

fn choice<T: ValueEnum>(name: &str, value: &OsString) -> Result<T, Diagnostic> {
    let text = value.to_str().unwrap_or("");
    T::from_str(text, false).map_err(|_| {
        let names = T::value_variants().iter().filter_map(|variant| variant.to_possible_value());
        let names: Vec<_> = names.map(|name| format!("`{}`", name.get_name())).collect();
        bad_value(name, value, &joined(&names, "or"))
    })
}

fn bad_value(name: &str, value: &OsString, expected: &str) -> Diagnostic {
    let value = value.to_string_lossy();
    let message = format!("`{}` is not a value of --{name}", clipped(&value));
    command_line_error(message).help(format!("the value is {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(options.input, PathBuf::from("x.mlir"));
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
        assert_eq!(options.error_format, ErrorFormat::Json);
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
