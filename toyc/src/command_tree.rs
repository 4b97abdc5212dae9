//! The tree of commands: `toyc`, its subcommands and the options of each, as clap knows them.
//!
//! Output: [`tree`], its part for some arguments, and errors that show its usage. Commands that compile have the options of [`Options`]. Invariant:
//! [`tree`] is the whole command line, from which help, completions and pages for man are made.

use super::cli::{Options, after_help, whole};
use clap::builder::styling::{Ansi256Color, Color as Shade, Style, Styles};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Args, CommandFactory, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
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
    tree_with(|_| true)
}

/// The command line as far as these arguments need it: a command that they do not name has no options. Most runs name
/// none, and each command with the compiler's options costs a tenth of a start.
pub fn tree_for(arguments: &[OsString]) -> clap::Command {
    tree_with(|name| arguments.iter().any(|argument| argument == name))
}

fn tree_with(is_needed: impl Fn(&str) -> bool) -> clap::Command {
    let commands = COMMANDS.map(|(name, about, with_options)| {
        let command = clap::Command::new(name).hide(name == "manuals");
        let command = if is_needed(name) { with_options(command) } else { command };
        command.about(about).styles(STYLES)
    });
    sections(Options::command())
        .styles(STYLES)
        .override_usage("toyc [OPTIONS] FILE\n       toyc COMMAND ...")
        .after_help(styled_heads(&after_help()))
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .subcommand_value_name("COMMAND")
        .disable_help_subcommand(true)
        .subcommands(commands)
}

/// A command's name, its task, and the function that adds its options.
type Command = (&'static str, &'static str, fn(clap::Command) -> clap::Command);

const COMMANDS: [Command; 8] = [
    ("run", "Compile a program in memory and run it", run),
    ("build", "Make an executable, or what -emit says", compiles),
    ("check", "Report errors and warnings, and write nothing", check),
    ("fmt", "Format programs", fmt),
    ("serve", "Show a program in the browser: an editor, and every stage as you type", serve),
    (
        "explain",
        "Show the page about an error or a warning, list them all, or show the rules of the language",
        explain,
    ),
    (
        "lsp",
        "Serve an editor: the Language Server Protocol on standard input and output",
        lsp_command,
    ),
    ("manuals", "Write completions for shells and pages for man", manuals),
];

/// The compiler's options.
fn compiles(command: clap::Command) -> clap::Command {
    let usage = format!("toyc {} [OPTIONS] FILE", command.get_name());
    sections(Options::augment_args(command)).override_usage(usage)
}

fn run(command: clap::Command) -> clap::Command {
    compiles(command)
        .mut_arg("emit", |emit| emit.default_value("jit").value_parser(run_parser()).hide(true))
        .mut_arg("output", |output| output.hide(true))
        .mut_arg("linker", |linker| linker.hide(true))
}

fn check(command: clap::Command) -> clap::Command {
    compiles(command)
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
        })
}

fn fmt(command: clap::Command) -> clap::Command {
    command
        .override_usage("toyc fmt [OPTIONS] FILE...")
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .num_args(1..)
                .help("Programs, or directories with programs; `-` formats standard input"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing: show what would change, and exit with 1 if anything would"),
        )
        .args(shared(&["color", "error_format"]))
}

fn serve(command: clap::Command) -> clap::Command {
    command
        .override_usage("toyc serve [OPTIONS] [FILE]")
        .after_help("Only this machine reaches the page, by the address that is printed. FILE is not written.")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The program to start with; by default, an example"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("N")
                .value_parser(whole(0..=65535))
                .help("The port; by default, one that is free"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .value_parser(whole(1..=3600))
                .help("The longest that a compilation and the run of its program may take; by default, 20"),
        )
        .args(shared(&["exports"]).into_iter().map(|export| {
            export.help("Show a library with this function, as in 'f(2x3, ())'; nothing is run (may be given several times)")
        }))
}

fn explain(command: clap::Command) -> clap::Command {
    command
        .override_usage("toyc explain [CODE]")
        .arg(
            Arg::new("code").value_name("CODE").help(
                "A code such as E0301, the name of a warning, or `language`; without one, all codes are listed",
            ),
        )
}

/// The time that a compilation for an editor may take, in seconds.
pub const TIME_LIMIT: u64 = 30;

fn lsp_command(command: clap::Command) -> clap::Command {
    command
        .override_usage("toyc lsp [OPTIONS]")
        .arg(
            Arg::new("time_limit")
                .long("time-limit")
                .value_name("SECONDS")
                .value_parser(whole(0..=86400))
                .help(format!("End a compilation after so long [default: {TIME_LIMIT}]")),
        )
        // Clients add it to the command of every server.
        .arg(Arg::new("stdio").long("stdio").action(ArgAction::SetTrue).hide(true))
        .arg(Arg::new("worker").long("worker").action(ArgAction::SetTrue).hide(true))
}

fn manuals(command: clap::Command) -> clap::Command {
    command.arg(
        Arg::new("directory")
            .value_name("DIRECTORY")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("Where to write them: below it, in `completions` and `man1`"),
    )
}

/// Options as the compiler has them.
fn shared(ids: &[&str]) -> Vec<Arg> {
    let command = Options::command();
    let is_wanted = |arg: &&Arg| ids.contains(&arg.get_id().as_str());
    command.get_arguments().filter(is_wanted).cloned().collect()
}

/// The values of `-emit` for `toyc run`.
fn run_parser() -> impl clap::builder::TypedValueParser<Value = toy_compiler::Stage> {
    use clap::builder::TypedValueParser;
    clap::builder::PossibleValuesParser::new(["jit"]).map(|_| toy_compiler::Stage::Jit)
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

const HEADINGS: [(&str, &[&str]); 4] = [
    (
        "What to make",
        &[
            "emit",
            "output",
            "level",
            "opt",
            "language",
            "debug_info",
            "exports",
            "threads",
            "fast_math",
            "linker",
        ],
    ),
    ("For which machine", &["target", "cpu", "features", "print"]),
    ("Messages", &["warn", "deny", "quiet", "remarks", "color", "error_format", "explain"]),
    (
        "Looking inside",
        &[
            "report",
            "memory_plan",
            "save_temps",
            "time_passes",
            "print_ir_after",
            "print_ir_after_all",
            "print_ir_after_change",
            "function",
            "print_locations",
            "verify_each",
            "verbose",
        ],
    ),
];

/// The options in sections.
fn sections(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let heading = HEADINGS.iter().find(|(_, ids)| ids.contains(&arg.get_id().as_str()));
        match heading {
            Some((heading, _)) => arg.help_heading(*heading),
            None => arg,
        }
    })
}

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
