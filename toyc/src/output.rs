//! The destinations of results: standard output or a file, whole or not at all.
//!
//! A file is written under a temporary name in its own directory and renamed when it is complete, so that an error, a
//! full disk or an interrupt leaves the old file, and nothing else ([`crate::interrupt`]). A symbolic link stays, and
//! its target is written like this. Anything but a regular file (`/dev/null`, a pipe) is written directly.

use crate::interrupt::{self, Temporary};
use crate::similar_path;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;
use toy_diagnostics::text::reason;
use toy_diagnostics::{Diagnostic, codes};

/// The destination of one result.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    Stdout,
    File(PathBuf),
}

impl Destination {
    /// The destination in `-o`: `-` is standard output.
    pub fn from_option(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path.to_owned()) }
    }

    /// True if it is a file with this extension.
    pub fn has_extension(&self, extension: &str) -> bool {
        matches!(self, Self::File(path) if path.extension().is_some_and(|it| it == extension))
    }

    /// Writes a result through `write`.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        self.complete(write)?.put_in_place()
    }

    /// Writes a result through `write`; a file does not have its name yet.
    pub fn complete(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Complete, Diagnostic> {
        let temporary = match self {
            Self::Stdout => {
                write_stdout(write).map_err(|error| cannot_write("standard output", &error))?;
                None
            }
            Self::File(path) => write_temporary(path, write)
                .map_err(|error| cannot_write(&display(path), &error))?
                .map(|temporary| (temporary, path.to_owned())),
        };
        Ok(Complete { temporary })
    }
}

/// A result that is written, but does not have its final name yet. Dropping it removes it.
pub struct Complete {
    /// The temporary file and the name that it is to have; None if there is nothing left to do.
    temporary: Option<(Temporary<TempPath>, PathBuf)>,
}

impl Complete {
    /// The file with other permissions than a new one gets.
    pub fn with_permissions(self, permissions: Permissions) -> Result<Self, Diagnostic> {
        if let Some((temporary, path)) = &self.temporary {
            std::fs::set_permissions(&**temporary, permissions)
                .map_err(|error| cannot_write(&display(path), &error))?;
        }
        Ok(self)
    }

    /// Gives the file its name.
    pub fn put_in_place(self) -> Result<(), Diagnostic> {
        let Some((temporary, path)) = self.temporary else { return Ok(()) };
        let persisted = place(&path).and_then(|place| temporary.persist(&place));
        persisted.map_err(|error| cannot_write(&display(&path), &error))
    }
}

/// Gives files their names.
pub fn put_in_place(results: Vec<Complete>) -> Result<(), Diagnostic> {
    results.into_iter().try_for_each(Complete::put_in_place)
}

fn write_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(1 << 16, RawStdout);
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        // The reader, for instance `head`, needs no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // The rest of the buffer must not be tried again.
            let _ = stdout.into_parts();
            Ok(())
        }
        result => result,
    }
}

/// Standard output without Rust's line buffering, which flushes at every newline.
struct RawStdout;

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use std::os::fd::AsFd;
        let fd = io::stdout().as_fd().try_clone_to_owned()?;
        File::from(fd).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_temporary(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Option<Temporary<TempPath>>> {
    if is_special(path) {
        let mut file = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut file)?;
        file.flush()?;
        return Ok(None);
    }
    let (file, temporary) = temporary_beside(&place(path)?, 0o666)?;
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    write(&mut writer)?;
    writer.flush()?;
    Ok(Some(temporary))
}

/// Lets `make` (a linker, say) write a file of this mode under a temporary name, then gives the file its name. Returns
/// the result of `make`.
pub fn make_file<T>(
    path: &Path,
    mode: u32,
    make: impl FnOnce(&Path) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let failed = |error: io::Error| cannot_write(&display(path), &error);
    if is_special(path) {
        return Err(failed(io::Error::other("an executable needs a regular file")));
    }
    let temporary = place(path).and_then(|place| temporary_beside(&place, mode));
    let (_, temporary) = temporary.map_err(failed)?;
    let made = make(&temporary)?;
    Complete { temporary: Some((temporary, path.to_owned())) }.put_in_place()?;
    Ok(made)
}

/// The most symbolic links in a chain, as in Linux.
const LINKS: usize = 40;

/// The file that a path refers to, whether it exists or not: with symbolic links resolved, and in its
/// canonical directory if that exists.
pub fn place(path: &Path) -> io::Result<PathBuf> {
    // Without the check, `-o made/` would make the file `made`.
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") && !path.is_dir() {
        return Err(no_directory(path));
    }
    let mut place = path.to_owned();
    for _ in 0..=LINKS {
        let directory = directory_of(&place);
        match std::fs::read_link(&place) {
            Ok(target) => place = directory.join(target),
            Err(_) => {
                let (Ok(directory), Some(name)) = (directory.canonicalize(), place.file_name())
                else {
                    return Ok(place);
                };
                return Ok(directory.join(name));
            }
        }
    }
    Err(io::Error::other("too many links lead to one another"))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn temporary_beside(path: &Path, mode: u32) -> io::Result<(File, Temporary<TempPath>)> {
    if path.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let directory = directory_of(path);
    if !directory.is_dir() {
        return Err(no_directory(directory));
    }
    interrupt::temporary(directory, "", mode)
        // tempfile puts its own path into the message; the user knows only theirs.
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other("no file can be made there"),
            kind => io::Error::from(kind),
        })
}

fn no_directory(directory: &Path) -> io::Error {
    let meant = similar_path::directory(directory)
        .map(|meant| format!(" (did you mean `{}`?)", meant.display()));
    let missing = format!("there is no directory `{}`", directory.display());
    io::Error::other(missing + &meant.unwrap_or_default())
}

/// True if a path exists and is neither a file nor a directory.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Err if standard output is a terminal, which would show bytes as text and obey control characters.
pub fn not_for_a_terminal(what: &str) -> Result<(), Diagnostic> {
    if !io::stdout().is_terminal() {
        return Ok(());
    }
    let message = format!("{what} is not for a terminal");
    Err(Diagnostic::not_available(message).help("name a file with -o, or write to a pipe"))
}

pub fn cannot_write(what: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::CANNOT_WRITE, format!("cannot write {what}: {}", reason(error)))
}

fn display(path: &Path) -> String {
    format!("`{}`", path.display())
}
