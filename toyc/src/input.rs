//! Reading the program: a file or standard input into a [`Source`].
//!
//! Invariant: reading ends, even of `/dev/zero`, or of a pipe that is written to forever.

use crate::driver::reporter::Failure;
use crate::{command_tree, similar_path};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::reason;
use toy_diagnostics::{Diagnostic, codes, suggest};

/// The name that locations and messages show for standard input.
pub const STDIN: &str = "<stdin>";

/// The start of MLIR's bytecode.
const BYTECODE: &[u8] = b"ML\xefR";

/// Reads a module: text, or bytecode, which is kept until the process ends, because a module uses it in place. The text
/// is then empty.
pub fn read_module(path: &Path) -> Result<(Source, Option<&'static [u8]>), Failure> {
    let (name, bytes) = read_bytes(path, false)?;
    if bytes.starts_with(BYTECODE) {
        return Ok((Source::new(name, ""), Some(bytes.leak())));
    }
    text(name, bytes).map(|source| (source, None))
}

/// Reads the whole input.
pub fn read(path: &Path) -> Result<Source, Failure> {
    let (name, bytes) = read_bytes(path, true)?;
    text(name, bytes)
}

/// With `has_commands`, the name may be a misspelled command of toyc.
fn read_bytes(path: &Path, has_commands: bool) -> Result<(String, Vec<u8>), Failure> {
    let is_stdin = path.as_os_str() == "-";
    let name = if is_stdin { STDIN.to_owned() } else { path.display().to_string() };
    let (bytes, limit) = if is_stdin {
        read_all(std::io::stdin().lock(), MAX_STREAM)
    } else {
        File::open(path).and_then(|file| match file.metadata()?.is_file() {
            true => read_all(file, Source::MAX_LEN),
            false => read_all(file, MAX_STREAM),
        })
    }
    .map_err(|error| cannot_read(path, &name, &error, has_commands))?;
    if bytes.len() > limit {
        let message = format!("`{name}` has more than {limit} bytes");
        let diagnostic = Diagnostic::error(codes::CANNOT_READ, message);
        let diagnostic = match limit {
            MAX_STREAM => diagnostic.help("a program of this size has to be in a regular file"),
            _ => diagnostic,
        };
        return Err(diagnostic.into());
    }
    Ok((name, bytes))
}

fn text(name: String, bytes: Vec<u8>) -> Result<Source, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            // The text up to the bad byte is enough to show where it is.
            let text = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            let program = Path::new(&name).with_extension("toy");
            let is_made = text.starts_with("\x7fELF");
            let is_bytecode = error.as_bytes().starts_with(BYTECODE);
            let diagnostic =
                Diagnostic::error(codes::NOT_UTF8, format!("`{name}` is not UTF-8 text"))
                    .label(
                        Span::new(at, at),
                        format!("no character starts with the byte 0x{byte:02X}"),
                    )
                    .help(match (is_made, program.is_file()) {
                        _ if is_bytecode => {
                            "this is MLIR's bytecode: `-x mlir` compiles it".to_owned()
                        }
                        // It was made from the program beside it.
                        (true, true) => format!(
                            "this is an executable or an object file: did you mean `{}`?",
                            program.display()
                        ),
                        (true, false) => {
                            "this is an executable or an object file, not a program in Toy"
                                .to_owned()
                        }
                        (false, _) => "save the file as UTF-8".to_owned(),
                    });
            let source = Some(Source::new(name, text));
            Err(Failure { diagnostics: vec![diagnostic], source })
        }
    }
}

/// The most bytes of a file that is not regular, and may have no end.
const MAX_STREAM: usize = 1 << 29;

/// Everything, but not much more than `limit` bytes, and the limit.
fn read_all(from: impl Read, limit: usize) -> std::io::Result<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes, limit))
}

fn cannot_read(path: &Path, name: &str, error: &std::io::Error, has_commands: bool) -> Diagnostic {
    let is_dir = path.is_dir();
    let why = if is_dir { "it is a directory".to_owned() } else { reason(error) };
    let diagnostic = Diagnostic::error(codes::CANNOT_READ, format!("cannot read `{name}`: {why}"));
    if is_dir {
        return diagnostic.help("name a file in it; only `toyc fmt` takes directories");
    }
    let is_missing = error.kind() == std::io::ErrorKind::NotFound;
    match is_missing.then(|| instead(path, name, has_commands)).flatten() {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The name that was probably meant by a file that does not exist.
fn instead(path: &Path, name: &str, has_commands: bool) -> Option<String> {
    let similar = || {
        let found = similar_path::program(path).or_else(|| similar_path::directory(path))?;
        Some(format!("did you mean `{}`?", found.display()))
    };
    let is_first = std::env::args_os().nth(1).is_some_and(|first| first == *path);
    let is_word = !name.contains('/') && path.extension().is_none();
    if !(has_commands && is_first && is_word) || path.with_extension("toy").is_file() {
        return similar();
    }
    // It may be meant as a command.
    let commands = command_tree::names();
    let known: Vec<&str> = commands.iter().map(String::as_str).collect();
    Some(match name {
        "man" | "completions" | "completion" => {
            "`toyc manuals DIRECTORY` writes completions for shells and pages for man".to_owned()
        }
        "version" => "`toyc --version` shows the versions of toyc and LLVM".to_owned(),
        _ => match suggest::nearest(name, &known) {
            Some(command) => format!("did you mean the command `{command}`?"),
            None => similar()
                .unwrap_or_else(|| format!("the commands of toyc are {}", known.join(", "))),
        },
    })
}
