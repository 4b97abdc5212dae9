//! The commands: `toyc run`, `build`, `check`, `fmt`, `serve`, `explain` and `lsp`, beside `toyc [OPTIONS] FILE`.
//!
//! Input: the arguments. Output: a [`Command`], or clap's message with its exit code. The first argument is a
//! command or not: a file called `run` is `./run`.

use super::cli::Options;
use super::command_tree::{Other, tree, tree_for};
use super::driver::{self, manuals};
use super::{format, lsp, serve, spellings, usage};
use clap::{Arg, FromArgMatches};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// A command of the user.
#[derive(Debug)]
pub enum Command {
    Compile(Box<Options>),
    Check(Box<Options>, Vec<PathBuf>),
    Other(Other),
}

impl Command {
    /// Runs it; returns the exit code of the process.
    pub fn run(self) -> ExitCode {
        match self {
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
        // toyc does not read programs from a terminal.
        let required =
            |input: Arg| input.required_unless_present_any(["version", "explain", "print"]);
        command = command.mut_arg("input", required);
        for name in ["run", "build", "check"].into_iter().filter(|name| is_named(name)) {
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
            let files = matches.get_many("input").into_iter().flatten().cloned().collect();
            Command::Check(Box::new(options(matches)?.only_check()), files)
        }
        Some(("run" | "build", matches)) => Command::Compile(options(matches)?),
        None => Command::Compile(options(&matches)?),
        Some(_) => Command::Other(Other::from_arg_matches(&matches)?),
    })
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
