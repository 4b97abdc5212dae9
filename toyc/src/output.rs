//! Where results go: standard output or a file, whole or not at all.
//!
//! A file is written under a temporary name in its own directory and renamed when it is complete,
//! so that an error, a full disk or an interrupt leaves what was there before. Something that is
//! no regular file (`/dev/null`, a pipe) is written directly.

use crate::diagnostic::{Diagnostic, codes};
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where one result goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    Stdout,
    File(PathBuf),
}

impl Destination {
    /// What `-o` says: `-` is standard output.
    pub fn from_option(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path.to_owned()) }
    }

    /// Writes a result through `write`.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        match self {
            Self::Stdout => {
                let mut stdout = BufWriter::with_capacity(1 << 16, RawStdout);
                match write(&mut stdout).and_then(|()| stdout.flush()) {
                    // Whoever reads, `head` for instance, has seen enough.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                        // What is still in the buffer must not be tried again.
                        let _ = stdout.into_parts();
                        Ok(())
                    }
                    result => result.map_err(|error| cannot_write("standard output", &error)),
                }
            }
            Self::File(path) => {
                write_file(path, 0o666, write).map_err(|e| cannot_write(&display(path), &e))
            }
        }
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

/// Lets text be formatted into a byte stream; an error of the stream comes out as it is.
pub fn formatted(
    out: &mut dyn Write,
    format: impl FnOnce(&mut dyn std::fmt::Write) -> std::fmt::Result,
) -> io::Result<()> {
    struct Adapter<'o> {
        out: &'o mut dyn Write,
        result: io::Result<()>,
    }
    impl std::fmt::Write for Adapter<'_> {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.result = self.out.write_all(text.as_bytes());
            self.result.as_ref().map(|_| ()).map_err(|_| std::fmt::Error)
        }
    }
    let mut adapter = Adapter { out, result: Ok(()) };
    let formatted = format(&mut adapter);
    adapter.result?;
    formatted.map_err(io::Error::other)
}

fn write_file(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if is_special(path) {
        let mut file = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let mut temporary = temporary_beside(path, mode)?;
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Has `make` produce a file (a linker, say) under a temporary name and puts it in place.
pub fn make_file(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let failed = |error: io::Error| cannot_write(&display(path), &error);
    if is_special(path) {
        return Err(failed(io::Error::other("an executable needs a regular file")));
    }
    let temporary = temporary_beside(path, 0o777).map_err(failed)?.into_temp_path();
    make(&temporary)?;
    temporary.persist(path).map_err(|error| failed(error.error))
}

fn temporary_beside(path: &Path, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    if path.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let missing = format!("there is no directory `{}`", directory.display());
        return Err(io::Error::other(missing));
    }
    tempfile::Builder::new()
        .prefix(".toyc-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(directory)
        // tempfile puts its own path into the message; the user knows only theirs.
        .map_err(|error| io::Error::from(error.kind()))
}

/// Whether a path exists and is neither a file nor a directory.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

pub fn cannot_write(what: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::CANNOT_WRITE, format!("cannot write {what}: {}", reason(error)))
}

/// The system's message without Rust's ` (os error 28)`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn display(path: &Path) -> String {
    format!("`{}`", path.display())
}
