//! The tree of commands: `toyc`, its subcommands and the options of each, as clap knows them.
//!
//! Output: [`tree`], its part for some arguments, and errors that show its usage. Commands that compile have the options
//! of [`Options`]. Invariant: [`tree`] is the whole command line, from which help, completions and pages for man are
//! made.

use super::cli::{Form, INSIDE, Options, after_help, after_long_help, whole};
use clap::builder::styling::{Ansi256Color, Color as Shade, Style, Styles};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Args, CommandFactory, Subcommand, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
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
    tree_with(|_| true)
}

/// The command line as far as these arguments need it: help has its texts, and a command with the compiler's options has
/// them, if they are named. Most runs name none, and each costs a tenth of a start.
pub fn tree_for(arguments: &[OsString]) -> clap::Command {
    tree_with(|name| arguments.iter().any(|argument| argument == name))
}

fn tree_with(is_needed: impl Fn(&str) -> bool) -> clap::Command {
    let compiles = |name: &'static str, about: &'static str, finish: Finish| {
        let command = clap::Command::new(name);
        let command = if is_needed(name) {
            let usage = format!("toyc {name} [OPTIONS] FILE");
            finish(Options::augment_args(command).override_usage(usage))
        } else {
            command
        };
        command.about(about)
    };
    let toyc = if ["-h", "--help"].into_iter().any(&is_needed) {
        let command = Options::command();
        command
            .after_help(styled_heads(&after_help()))
            .after_long_help(styled_heads(&after_long_help()))
    } else {
        Options::command()
    };
    let toyc = toyc
        .styles(STYLES)
        .override_usage("toyc [OPTIONS] FILE\n       toyc COMMAND ...")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .subcommand_value_name("COMMAND")
        .disable_help_subcommand(true)
        .subcommands([
            compiles("run", "Compile a program in memory and run it", run),
            compiles("build", "Make an executable, or what -emit says", |build| build),
            compiles("check", "Report errors and warnings, and write nothing", check),
        ]);
    Other::augment_subcommands(toyc).mut_subcommands(|command| command.styles(STYLES))
}

/// A change of the compiler's options for one command.
type Finish = fn(clap::Command) -> clap::Command;

fn run(command: clap::Command) -> clap::Command {
    let only_jit = || PossibleValuesParser::new(["jit"]).map(|_| Stage::Jit);
    command
        .mut_arg("emit", |emit| emit.default_value("jit").value_parser(only_jit()).hide(true))
        .mut_arg("output", |output| {
            output.help(
                "Where the result of `main` goes: a .npy or .csv file, or `-`: text (the default); `{}` in the \
                 name is the name of a result",
            )
        })
        .mut_arg("linker", |linker| linker.hide(true))
        .override_usage("toyc run [OPTIONS] FILE [ARGUMENT]...")
        .mut_arg("input", |input| input.index(1))
        .arg(
            Arg::new("arguments")
                .index(2)
                .value_name("ARGUMENT")
                .value_parser(value_parser!(OsString))
                .num_args(0..)
                .allow_negative_numbers(true)
                .help("The arguments of `main`: a number, or a .npy or .csv file, for each parameter"),
        )
        .arg(
            Arg::new("benchmark")
                .long("benchmark")
                .value_name("N")
                .value_parser(whole::<u32>(1..=1_000_000))
                .help("Run N times, and show the minimum and the median of the times")
                .help_heading(INSIDE),
        )
}

fn check(command: clap::Command) -> clap::Command {
    command
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

// The commands without the options of the compiler. (clap would show a doc comment in the help.)
#[derive(Debug, Subcommand)]
pub enum Other {
    /// Format programs
    #[command(override_usage = "toyc fmt [OPTIONS] FILE...", mut_args(|arg| arg.help_heading(None)))]
    Fmt(Fmt),

    /// Make a folder with a program to start from
    New {
        /// The folder
        #[arg(value_name = "NAME")]
        folder: PathBuf,
    },

    /// Show a program in the browser: an editor, and every stage as you type
    #[command(
        override_usage = "toyc serve [OPTIONS] [FILE]",
        after_help = "Only this machine reaches the page, by the address that is printed. FILE is not written."
    )]
    Serve(Serve),

    /// Show the page about a message, or the rules of the language
    #[command(override_usage = "toyc explain [CODE]")]
    Explain {
        /// A code such as E0301, the name of a warning, or `language`; without one, all codes are listed
        code: Option<String>,
    },

    /// Serve an editor: the Language Server Protocol on standard input and output
    #[command(override_usage = "toyc lsp [OPTIONS]")]
    Lsp(Lsp),

    /// Write completions for shells and pages for man
    #[command(hide = true)]
    Manuals {
        /// Where to write them: below it, in `completions` and `man1`
        directory: PathBuf,
    },
}

// The command line of `toyc fmt`.
#[derive(Args, Debug)]
pub struct Fmt {
    /// Programs, or directories with programs; `-` formats standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write nothing: show what would change, and exit with 1 if anything would
    #[arg(long)]
    pub check: bool,

    #[command(flatten)]
    pub form: Form,
}

// The command line of `toyc serve`.
#[derive(Args, Debug)]
pub struct Serve {
    /// The program to start with; by default, an example
    pub file: Option<PathBuf>,

    /// The port; by default, one that is free
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
          value_parser = whole::<u16>(0..=65535))]
    pub port: u16,

    /// The longest that a compilation, and the run of its program in the page, may take; by default, 20
    #[arg(long, value_name = "N", default_value_t = 20, hide_default_value = true,
          value_parser = whole::<u64>(1..=3600))]
    pub seconds: u64,

    /// Show a library with this function, as in 'f(2x3, ())'; nothing is run (may be given several times)
    #[arg(long = "export", value_name = "FUNCTION(SHAPES)")]
    pub exports: Vec<String>,
}

// The command line of `toyc lsp`.
#[derive(Args, Debug)]
pub struct Lsp {
    /// End a compilation after so long [default: 30]
    #[arg(long, value_name = "SECONDS", default_value_t = 30, hide_default_value = true,
          value_parser = whole::<u64>(0..=86400))]
    pub time_limit: u64,

    // Clients add it to the command of every server.
    #[arg(long, hide = true)]
    pub stdio: bool,

    // This process compiles for a server.
    #[arg(long = "worker", hide = true)]
    pub is_worker: bool,
}

/// The options that the help of `toyc check` shows. The compiler's other options may be given, so that one command line
/// works for both.
const OF_CHECKS: [&str; 14] = [
    "input",
    "language",
    "exports",
    "main",
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
