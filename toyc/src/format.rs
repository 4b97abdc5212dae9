//! `toyc fmt`: programs in one layout.
//!
//! Input: files, directories, or standard input, also if none is named. Output: the files, changed where their layout
//! differs, or with `--check` a diff; standard input goes to standard output. Invariants: a file is replaced as a whole
//! or not at all, and keeps its permissions; a program with syntax errors is left alone; the order is the order of the
//! command line, and in directories the order of the names.

mod difference;

use super::cli::ErrorFormat;
use super::command_tree::{self, Fmt};
use super::driver::process;
use super::driver::reporter::{Failure, Reporter, use_color};
use super::output::{Destination, cannot_write};
use super::{input, usage};
use difference::difference;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use toy_diagnostics::source::Source;
use toy_diagnostics::text::{counted, reason};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// Formats; the exit code is 1 if a program could not be formatted, or would change and is only checked.
pub fn run(options: &Fmt) -> ExitCode {
    let reporter = Arc::new(Reporter::new(options.form));
    process::run(&reporter, || format_all(options, &reporter))
}

fn format_all(options: &Fmt, reporter: &Reporter) -> ExitCode {
    let mut has_failed = false;
    let mut changes = 0;
    let mut paths = files(&options.files, reporter, &mut has_failed);
    let is_unnamed = options.files.is_empty();
    if is_unnamed {
        paths.push(PathBuf::from("-"));
    }
    for path in paths {
        let source = match input::read(&path) {
            // More likely a forgotten file name than an empty program.
            Ok(source) if is_unnamed && source.text.is_empty() => {
                return usage::show(&command_tree::no_input(), options.form.error_format);
            }
            source => source,
        };
        match source.and_then(|source| format_one(options, &path, source)) {
            Ok(is_changed) => changes += usize::from(is_changed),
            Err(failure) => {
                reporter.fail(&failure, 1);
                has_failed = true;
            }
        }
    }
    if options.check && changes > 0 && options.form.error_format == ErrorFormat::Human {
        let verb = if changes == 1 { "is" } else { "are" };
        reporter
            .say(&format!("{} {verb} not formatted; `toyc fmt` does it", counted(changes, "file")));
    }
    ExitCode::from(u8::from(has_failed || options.check && changes > 0))
}

/// Formats a program; true if that changes it.
fn format_one(options: &Fmt, path: &Path, source: Source) -> Result<bool, Failure> {
    let formatted = match formatted(path, &source) {
        Ok(formatted) => formatted,
        Err(diagnostics) => return Err(Failure { diagnostics, source: Some(source) }),
    };
    let is_changed = formatted != source.text;
    let print = |text: &str| Destination::Stdout.write(|out| out.write_all(text.as_bytes()));
    match (options.check, is_changed) {
        (true, true) => {
            let is_colored = use_color(options.form.color, &std::io::stdout());
            let is_shown = is_colored || std::io::stdout().is_terminal();
            print(&difference(&source, &formatted, is_colored, is_shown))?;
        }
        (false, _) if path.as_os_str() == "-" => print(&formatted)?,
        (false, true) => replace(path, &formatted)?,
        (_, false) => {}
    }
    Ok(is_changed)
}

fn formatted(path: &Path, source: &Source) -> Diagnosed<String> {
    if path.extension().is_some_and(|extension| extension == "mlir") {
        let message = format!("`{}` is MLIR, and `toyc fmt` formats Toy", path.display());
        let help = "`toy-opt` prints MLIR in MLIR's own layout";
        return Err(Diagnostic::not_available(message).help(help).into());
    }
    toy_format::format(source)
}

/// Replaces a file, which keeps its permissions.
fn replace(path: &Path, text: &str) -> Result<(), Diagnostic> {
    let failed = |error| cannot_write(&format!("`{}`", path.display()), &error);
    let permissions = std::fs::metadata(path).map_err(failed)?.permissions();
    if permissions.readonly() {
        return Err(failed(std::io::Error::other("it is read-only")));
    }
    let complete =
        Destination::File(path.to_owned()).complete(|out| out.write_all(text.as_bytes()))?;
    complete.with_permissions(permissions)?.put_in_place()
}

/// The files of the command line, with the files in its directories.
fn files(paths: &[PathBuf], reporter: &Reporter, has_failed: &mut bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" || !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match programs_below(path) {
            Ok(found) => files.extend(found),
            Err(diagnostic) => {
                reporter.fail(&diagnostic.into(), 1);
                *has_failed = true;
            }
        }
    }
    files
}

/// The programs in a directory and below it, except for hidden ones and symbolic links, which may be cycles;
/// Err if there are none.
fn programs_below(path: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut rest = vec![path.to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = rest.pop() {
        let failed = |error: std::io::Error| {
            let message = format!("cannot read `{}`: {}", directory.display(), reason(&error));
            Diagnostic::error(codes::CANNOT_READ, message)
        };
        for entry in std::fs::read_dir(&directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            if kind.is_dir() {
                rest.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "toy")
            {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        let message = format!("there is no `.toy` file in `{}`", path.display());
        return Err(Diagnostic::error(codes::CANNOT_READ, message));
    }
    found.sort();
    Ok(found)
}
