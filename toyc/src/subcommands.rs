//! The commands: `toyc run`, `build`, `check`, `new`, `fmt`, `serve`, `explain` and `lsp`, beside `toyc [OPTIONS] FILE`.
//!
//! Input: the arguments. Output: a [`Command`], or clap's message with its exit code. The first argument is a
//! command or not: a file called `run` is `./run`.

use super::cli::Options;
use super::command_tree::{Other, tree, tree_for};
use super::driver::{self, manuals};
use super::{format, lsp, new, serve, spellings, usage};
use clap::{Arg, FromArgMatches};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::process::ExitCode;

/// The answer to `toyc` alone on a terminal.
const GREETING: &str = "\
toyc compiles Toy, the tensor language of the MLIR tutorial.
  toyc new hello         makes a folder with a program; `toyc run` there runs it
  toyc prog.toy          makes the executable `prog`
  toyc serve prog.toy    shows every stage of the compiler in your browser
  toyc -h                has the most important options, toyc --help all of them
";

/// A command of the user.
#[derive(Debug)]
pub enum Command {
    Greeting,
    Compile(Box<Options>),
    Check(Box<Options>, Vec<PathBuf>),
    Other(Other),
}

impl Command {
    /// Runs it; returns the exit code of the process.
    pub fn run(self) -> ExitCode {
        match self {
            Command::Greeting => driver::answer_with(|| Ok(GREETING.to_owned())),
            Command::Compile(options) => driver::run(&options),
            Command::Check(options, files) => driver::check(*options, &files),
            Command::Other(Other::Fmt(options)) => format::run(&options),
            Command::Other(Other::Serve(options)) => serve::run(&options),
            Command::Other(Other::Explain { code }) => driver::answer_with(|| match code {
                Some(code) if code != "list" => {
                    driver::explain::page(&code).map(driver::explain::shown)
                }
                _ => Ok(driver::explain::list()),
            }),
            Command::Other(Other::Lsp(options)) => lsp::run(&options),
            Command::Other(Other::New { folder }) => driver::answer_with(|| new::make(&folder)),
            Command::Other(Other::Manuals { directory }) => {
                driver::answer_with(|| manuals::write(&directory))
            }
        }
    }
}

/// Reads the command line; Err is clap's message with its exit code.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let arguments = spellings::known(with_help(arguments)?);
    let mut command = tree_for(&arguments);
    let is_named = |name: &str| arguments.iter().any(|argument| argument == name);
    if std::io::stdin().is_terminal() {
        if arguments.len() == 1 {
            return Ok(Command::Greeting);
        }
        // toyc does not read programs from a terminal.
        let required =
            |input: Arg| input.required_unless_present_any(["version", "explain", "print"]);
        command = command.mut_arg("input", required);
        let needs_one = |name: &&str| is_named(name) && program_of_folder().is_none();
        for name in ["run", "build", "check"].into_iter().filter(needs_one) {
            command = command.mut_subcommand(name, |inner| inner.mut_arg("input", required));
        }
        if is_named("fmt") {
            let required = |files: Arg| files.required(true);
            command = command.mut_subcommand("fmt", |inner| inner.mut_arg("files", required));
        }
    }
    let matches = command
        .try_get_matches_from(&arguments)
        .map_err(|error| usage::explained(error, &arguments, tree()))?;
    let options = |matches| Options::read(matches).map(Box::new);
    Ok(match matches.subcommand() {
        Some(("check", matches)) => {
            let named = matches.get_many("input").into_iter().flatten().cloned();
            let mut files: Vec<PathBuf> = named.collect();
            if files.is_empty() {
                files.extend(program_of_folder());
            }
            Command::Check(Box::new(options(matches)?.only_check()), files)
        }
        Some(("run" | "build", matches)) => {
            let mut options = options(matches)?;
            options.input = options.input.or_else(program_of_folder);
            Command::Compile(options)
        }
        None => Command::Compile(options(&matches)?),
        Some(_) => Command::Other(Other::from_arg_matches(&matches)?),
    })
}

/// The program of this folder, which `run`, `build` and `check` take if no file is named and standard input is a terminal
/// or `/dev/null`, which have no program.
fn program_of_folder() -> Option<PathBuf> {
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let has_none =
        stdin.and_then(|it| it.metadata()).is_ok_and(|it| it.file_type().is_char_device());
    let program = PathBuf::from(new::PROGRAM);
    (has_none && program.is_file()).then_some(program)
}

/// `toyc help` is `toyc --help`, and `toyc help run` is `toyc run --help`; Err if there is no such command.
fn with_help(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_none_or(|first| first != "help") {
        return Ok(arguments);
    }
    arguments.remove(1);
    let about = arguments.get(1).map(|about| about.to_string_lossy());
    if let Some(about) = about.filter(|about| !about.starts_with('-'))
        && tree().find_subcommand(&*about).is_none()
    {
        return Err(usage::no_command(&about));
    }
    arguments.push("--help".into());
    Ok(arguments)
}
