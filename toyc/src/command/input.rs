//! Reading the program: a file or standard input into a [`Source`].

use crate::command::output::reason;
use std::io::Read;
use std::path::Path;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, codes};

/// The name that locations and messages show for standard input.
pub const STDIN: &str = "<stdin>";

/// Why an input cannot be read, and as much of it as is needed to show the place.
pub struct Unreadable {
    pub diagnostic: Diagnostic,
    pub source: Option<Source>,
}

/// Reads the whole input.
pub fn read(path: &Path) -> Result<Source, Box<Unreadable>> {
    let is_stdin = path.as_os_str() == "-";
    let name = if is_stdin { STDIN.to_owned() } else { path.display().to_string() };
    let bytes = if is_stdin {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let unreadable = |diagnostic, source| Box::new(Unreadable { diagnostic, source });
    let bytes = bytes.map_err(|error| unreadable(cannot_read(path, &name, &error), None))?;
    if bytes.len() > Source::MAX_LEN {
        let message = format!("`{name}` has more than {} bytes", Source::MAX_LEN);
        return Err(unreadable(Diagnostic::error(codes::CANNOT_READ, message), None));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            // The text up to the bad byte is enough to show where it is.
            let text = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            let diagnostic =
                Diagnostic::error(codes::NOT_UTF8, format!("`{name}` is not UTF-8 text"))
                    .label(Span::new(at, at), format!("the byte 0x{byte:02X} starts no character"))
                    .help("save the file as UTF-8");
            Err(unreadable(diagnostic, Some(Source::new(name, text))))
        }
    }
}

fn cannot_read(path: &Path, name: &str, error: &std::io::Error) -> Diagnostic {
    let why = if path.is_dir() { "it is a directory".to_owned() } else { reason(error) };
    Diagnostic::error(codes::CANNOT_READ, format!("cannot read `{name}`: {why}"))
}
