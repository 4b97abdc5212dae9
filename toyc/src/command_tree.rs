//! The tree of commands: `toyc`, its subcommands and the options of each, as clap knows them.
//!
//! Output: [`tree`], and errors that show its usage. Commands that compile have the options of [`Options`]. Invariant:
//! [`tree`] is the whole command line, from which help, completions and pages for man are made.

use super::cli::Options;
use super::subcommands::Other;
use clap::builder::styling::{Ansi256Color, Color as Shade, Style, Styles};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory, Subcommand};
use toy_compiler::Stage;
use toy_diagnostics::render::colors::{self, Hue};

/// The names of the commands that help shows.
pub fn names() -> Vec<String> {
    let tree = tree();
    let shown = tree.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

/// The error if no program is named and standard input is empty.
pub fn no_input() -> clap::Error {
    let message = "no FILE is named, and standard input is empty";
    let mut tree = tree();
    // The usage of the command.
    let first = std::env::args_os().nth(1);
    let command = first.and_then(|name| tree.find_subcommand(name).cloned());
    let mut command = command.map(|command| command.styles(STYLES));
    command.as_mut().unwrap_or(&mut tree).error(ErrorKind::MissingRequiredArgument, message)
}

/// The whole command line.
pub fn tree() -> clap::Command {
    let compiles = |name: &'static str, about: &'static str| {
        let usage = format!("toyc {name} [OPTIONS] FILE");
        Options::command().name(name).about(about).override_usage(usage).after_help("")
    };
    let build = compiles("build", "Make an executable, or what -emit says");
    let run = compiles("run", "Compile a program in memory and run it")
        .mut_arg("emit", |emit| emit.default_value("jit").value_parser(run_parser()).hide(true))
        .mut_arg("output", |output| output.hide(true))
        .mut_arg("linker", |linker| linker.hide(true));
    let check = compiles("check", "Report errors and warnings, and write nothing")
        .override_usage("toyc check [OPTIONS] FILE...")
        .mut_arg("emit", |emit| emit.default_value("shapes"))
        .mut_args(|arg| {
            let concerns = OF_CHECKS.contains(&arg.get_id().as_str());
            arg.hide(!concerns)
        })
        .mut_arg("input", |input| {
            input
                .num_args(1..)
                .action(ArgAction::Append)
                .help("The programs, or `-` for standard input")
        });
    let toyc = Options::command();
    let after = toyc.get_after_help().map(|text| styled_heads(&text.to_string()));
    let toyc = toyc
        .after_help(after.unwrap_or_default())
        .styles(STYLES)
        .override_usage("toyc [OPTIONS] FILE\n       toyc COMMAND ...")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .subcommand_value_name("COMMAND")
        .disable_help_subcommand(true)
        .subcommands([run, build, check]);
    Other::augment_subcommands(toyc).mut_subcommands(|command| command.styles(STYLES))
}

/// The values of `-emit` for `toyc run`.
fn run_parser() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(["jit"]).map(|_| Stage::Jit)
}

/// The options that the help of `toyc check` shows. The compiler's other options may be given, so that one command line
/// works for both.
const OF_CHECKS: [&str; 13] = [
    "input",
    "language",
    "exports",
    "target",
    "warn",
    "deny",
    "quiet",
    "color",
    "error_format",
    "explain",
    "time_passes",
    "version",
    "help",
];

/// The text with its heads, the lines that end with a colon, as clap shows its own.
fn styled_heads(text: &str) -> String {
    let head = STYLES.get_header();
    let line = |line: &str| match line.ends_with(':') && !line.starts_with(' ') {
        true => format!("{head}{line}{head:#}"),
        false => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The colors of messages, which are legible on light and dark terminals.
pub const STYLES: Styles = Styles::styled()
    .header(colored(colors::GREEN).bold())
    .usage(colored(colors::GREEN).bold())
    .literal(colored(colors::BLUE).bold())
    .placeholder(colored(colors::BLUE))
    .error(colored(colors::RED).bold())
    .valid(colored(colors::BLUE).bold())
    .invalid(colored(colors::MAGENTA).bold())
    .context(Style::new());

const fn colored(Hue(number): Hue) -> Style {
    Style::new().fg_color(Some(Shade::Ansi256(Ansi256Color(number))))
}
