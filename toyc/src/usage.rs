//! Errors in a command line, in the user's words.
//!
//! Input: clap's error and the arguments. Output: clap's error, or our message where the intent is known; shown as clap
//! shows errors, or as a line for programs (`--error-format`). Invariant: the exit code is 2, and 0 if help was
//! requested.

mod values;

use super::cli::ErrorFormat;
use super::command_tree::{STYLES, names, tree};
use super::spellings;
use anstream::AutoStream;
use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use toy_diagnostics::suggest::nearest;
use toy_diagnostics::text::{clipped, joined, printable};
use toy_diagnostics::{Diagnostic, codes, json, render};

/// Shows an error on standard error, or the requested help on standard output. Returns the exit code of the process.
pub fn show(error: &clap::Error, format: ErrorFormat) -> ExitCode {
    if !error.use_stderr() {
        // The reader may close the pipe.
        let lost = error.print().is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe);
        return ExitCode::from(u8::from(lost));
    }
    // If standard error cannot be written, there is no other place to report that.
    let _ = match format {
        ErrorFormat::Human => {
            let text = without_commands(&error.render().ansi().to_string());
            AutoStream::auto(io::stderr()).write_all(text.as_bytes())
        }
        ErrorFormat::Short => write_error(&render::render_short(&[diagnostic(error)], None)),
        ErrorFormat::Json => write_error(&json::render_json(&[diagnostic(error)], None)),
    };
    ExitCode::from(2)
}

/// The text without control characters for a terminal, except for colors: arguments may be names of files.
fn without_commands(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (index, part) in text.split('\x1b').enumerate() {
        let color = part.strip_prefix('[').and_then(|rest| rest.split_once('m'));
        let is_color =
            color.is_some_and(|(codes, _)| codes.bytes().all(|it| b"0123456789;".contains(&it)));
        if index > 0 {
            result.push(if is_color { '\x1b' } else { printable('\x1b') });
        }
        result.extend(part.chars().map(|it| if it == '\n' { it } else { printable(it) }));
    }
    result
}

fn write_error(text: &str) -> io::Result<()> {
    io::stderr().write_all(text.as_bytes())
}

/// The form of messages requested by a command line that is wrong elsewhere.
pub fn error_format(arguments: &[OsString]) -> ErrorFormat {
    let options = arguments.iter().map_while(|argument| argument.to_str().filter(|it| *it != "--"));
    let mut words = options.skip(1);
    let mut format = ErrorFormat::Human;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--error-format") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        format = value.and_then(|value| ErrorFormat::from_str(value, false).ok()).unwrap_or(format);
    }
    format
}

/// The error as data: its first line, the other facts, and clap's tip. The usage is left out.
fn diagnostic(error: &clap::Error) -> Diagnostic {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let (message, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut diagnostic = Diagnostic::error(codes::COMMAND_LINE, message);
    for paragraph in rest.split("\n\n") {
        let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        diagnostic = match words.strip_prefix("tip: ") {
            Some(tip) => diagnostic.help(tip),
            None if words.is_empty() => diagnostic,
            None if words.starts_with("Usage: ") || words.starts_with("For more ") => diagnostic,
            None => diagnostic.note(words),
        };
    }
    diagnostic
}

/// clap's error, or ours where the intent is known.
pub fn explained(
    error: clap::Error,
    arguments: &[OsString],
    command: clap::Command,
) -> clap::Error {
    // The usage of the command.
    let mut command = match arguments.get(1).and_then(|name| command.find_subcommand(name)) {
        Some(inner) => inner.clone().styles(STYLES),
        None => command,
    };
    if error.kind() == ErrorKind::ArgumentConflict {
        return match second_file(&error) {
            Some(second) => {
                command.error(ErrorKind::TooManyValues, one_program(&second, arguments))
            }
            None => error,
        };
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() == ErrorKind::InvalidValue
        && let Some(message) = values::message(&error, argument, command.get_name())
    {
        return command.error(error.kind(), message);
    }
    if error.kind() == ErrorKind::UnknownArgument && !argument.starts_with('-') {
        let message = match command.get_name() {
            "explain" => format!("`{argument}` is a second code: `toyc explain` shows one page"),
            "new" => format!("`{argument}` is a second folder: `toyc new` makes one"),
            "lsp" => format!("`toyc lsp` takes no file, but `{argument}` is one"),
            "manuals" => format!("`{argument}` is a second directory"),
            _ => one_program(argument, arguments),
        };
        return command.error(ErrorKind::TooManyValues, message);
    }
    if error.kind() != ErrorKind::UnknownArgument && !argument.starts_with("-O") {
        return error;
    }
    let texts = arguments.iter().filter_map(|argument| argument.to_str());
    let option = argument.split([' ', '=']).next().unwrap_or_default();
    // clap names one letter of an option with one dash.
    let start = if option.starts_with("--") { option } else { option.get(..2).unwrap_or(option) };
    let mut written = texts.filter(|text| text.starts_with(start));
    let known = written.clone().find_map(|text| Some((text, spellings::advice(text)?)));
    if let Some((text, advice)) = known {
        return command.error(error.kind(), format!("toyc has no `{text}`: {advice}"));
    }
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    // clap would advise to pass it as the name of a file.
    let name = match command.get_name() {
        "toyc" => "toyc".to_owned(),
        name => format!("toyc {name}"),
    };
    let text = written.next().unwrap_or(option);
    let message = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(similar)) => {
            format!("{name} has no `{text}`: did you mean `{similar}`?")
        }
        _ => format!("{name} has no `{text}`"),
    };
    command.error(error.kind(), message)
}

/// The argument that clap takes for a command, because it is a second one without a dash.
fn second_file(error: &clap::Error) -> Option<String> {
    let text = error.to_string();
    let (name, _) = text.strip_prefix("error: the subcommand '")?.split_once('\'')?;
    Some(name.to_owned())
}

fn one_program(second: &str, arguments: &[OsString]) -> String {
    // Its value is optional, and so only after `=`.
    let times = "--time-passes";
    if arguments.windows(2).any(|pair| pair[0] == times && pair[1] == second) {
        return format!("the file of {times} is written with `=`: `{times}={second}`");
    }
    let tree = tree();
    let mut words = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let command = words.find(|word| tree.find_subcommand(word).is_some());
    if let Some(command) = command.filter(|command| arguments[1] != **command) {
        return format!("the command `{command}` comes first: `toyc {command} [OPTIONS] FILE`");
    }
    if let Some(message) = misspelled(arguments) {
        return message;
    }
    format!(
        "toyc compiles one program at a time, and `{second}` is a second one\n\n  \
         A program is one file: Toy has no imports. `toyc check FILE...` checks several programs,\n  \
         and `toyc run FILE [ARGUMENT]...` runs one."
    )
}

/// The message if the first argument is not a file but nearly a command.
fn misspelled(arguments: &[OsString]) -> Option<String> {
    let first = arguments.get(1)?.to_str().filter(|first| !first.starts_with('-'))?;
    if Path::new(first).exists() {
        return None;
    }
    let names = names();
    let meant = nearest_of(first, &names).filter(|meant| *meant != first)?;
    Some(format!("toyc has no command `{first}`: did you mean `{meant}`?"))
}

fn nearest_of<'n>(name: &str, names: &'n [String]) -> Option<&'n str> {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(name, &known)
}

/// The error if help is requested about something that is not a command.
pub fn no_command(name: &str) -> clap::Error {
    let names = names();
    let shown = clipped(name);
    let help = match (codes::find(name), nearest_of(name, &names)) {
        (Some(_), _) => format!("`toyc explain {shown}` shows the page about it."),
        (None, Some(meant)) => format!("Did you mean `toyc help {meant}`?"),
        (None, None) => format!("The commands are {}.", joined(&names, "and")),
    };
    let message = format!("toyc has no command `{shown}`\n\n  {help}");
    tree().error(ErrorKind::InvalidSubcommand, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_messages_is_known_before_the_rest_is() {
        let of =
            |text: &str| error_format(&text.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("toyc --bogus"), ErrorFormat::Human);
        assert_eq!(of("toyc --bogus --error-format=json"), ErrorFormat::Json);
        assert_eq!(of("toyc check --error-format short --bogus"), ErrorFormat::Short);
        assert_eq!(of("toyc --error-format=xml --bogus"), ErrorFormat::Human);
        assert_eq!(of("toyc --bogus -- --error-format=json"), ErrorFormat::Human);
    }
}
