//! The commands: `toyc run`, `build`, `check`, `fmt`, `serve`, `explain` and `lsp`, beside `toyc [OPTIONS] FILE`.
//!
//! Input: the arguments. Output: a [`Command`], or clap's message with its exit code. The first argument is a
//! command or not: a file called `run` is `./run`.

use super::cli::{Color, ErrorFormat, Options};
use super::command_tree::{TIME_LIMIT, tree, tree_for};
use super::driver::{self, manuals};
use super::format;
use super::lsp;
use super::serve;
use super::spellings;
use super::usage;
use clap::{Arg, ArgMatches};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// A command of the user.
#[derive(Debug)]
pub enum Command {
    Compile(Box<Options>),
    Check(Box<Options>, Vec<PathBuf>),
    Format(format::Options),
    Serve(serve::Options),
    /// The page about a code; None lists all.
    Explain(Option<String>),
    Lsp(lsp::Options),
    /// Completions for shells and pages for man, in a directory.
    Manuals(PathBuf),
}

impl Command {
    /// Runs it; returns the exit code of the process.
    pub fn run(self) -> ExitCode {
        match self {
            Command::Compile(options) => driver::run(&options),
            Command::Check(options, files) => driver::check(*options, &files),
            Command::Format(options) => format::run(&options),
            Command::Serve(options) => serve::run(&options),
            Command::Explain(code) => driver::answer_with(|| match code {
                Some(code) => driver::explain::page(&code).map(driver::explain::shown),
                None => Ok(driver::explain::list()),
            }),
            Command::Lsp(options) => lsp::run(&options),
            Command::Manuals(directory) => driver::answer_with(|| manuals::write(&directory)),
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
    let files = |matches: &ArgMatches, name: &str| -> Vec<PathBuf> {
        matches.get_many::<PathBuf>(name).into_iter().flatten().cloned().collect()
    };
    Ok(match matches.subcommand() {
        Some(("check", matches)) => {
            let options = Options::read(matches)?.only_check();
            Command::Check(Box::new(options), files(matches, "input"))
        }
        Some(("fmt", matches)) => Command::Format(format::Options {
            files: files(matches, "files"),
            check: matches.get_flag("check"),
            color: *matches.get_one::<Color>("color").unwrap_or(&Color::Auto),
            error_format: *matches
                .get_one::<ErrorFormat>("error_format")
                .unwrap_or(&ErrorFormat::Human),
        }),
        Some(("serve", matches)) => Command::Serve(serve::Options {
            file: files(matches, "file").pop(),
            port: matches.get_one::<u64>("port").map_or(0, |port| *port as u16),
            limit: Duration::from_secs(matches.get_one("seconds").copied().unwrap_or(20)),
            exports: matches.get_many("exports").into_iter().flatten().cloned().collect(),
        }),
        Some(("explain", matches)) => {
            let code = matches.get_one::<String>("code").cloned();
            Command::Explain(code.filter(|code| code != "list"))
        }
        Some(("lsp", matches)) => Command::Lsp(lsp::Options {
            is_worker: matches.get_flag("worker"),
            time_limit: matches.get_one::<u64>("time_limit").copied().unwrap_or(TIME_LIMIT),
        }),
        Some(("manuals", matches)) => {
            Command::Manuals(files(matches, "directory").pop().unwrap_or_default())
        }
        Some((_, matches)) => Command::Compile(Box::new(Options::read(matches)?)),
        None => Command::Compile(Box::new(Options::read(&matches)?)),
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
