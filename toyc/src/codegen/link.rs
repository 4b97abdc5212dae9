//! Linking: one object file into an executable or a shared library, by the target's C compiler driver.
//!
//! The driver knows where its C library and start files are, on every distribution. Executables for other
//! machines than this one, or for another C library, are linked statically, so that they run on any Linux of their
//! architecture, regardless of its libraries. A C library is never replaced by another one: what `--target` names
//! has a driver of its own, or there is an error. The library of mathematical functions is linked if the object
//! calls any: in Debian 12, that of the cross compilers for x86-64 names files that only an x86-64 machine has.

use crate::codegen::target::Machine;
use object::{Object, ObjectSymbol};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output};
use toy_diagnostics::{Diagnostic, codes};

/// A linker invocation: the program and its arguments.
pub struct LinkCommand {
    pub program: String,
    pub arguments: Vec<OsString>,
}

/// What an object file is linked into.
#[derive(Clone, Copy, Debug)]
pub enum Linked<'n> {
    Executable,
    /// With the name under which programs will look for it, if it is to have one.
    Shared {
        name: Option<&'n OsStr>,
    },
}

/// The command that links the file `object` into `output`; `linker` overrides the program.
fn command(link: &Link, object: &Path) -> LinkCommand {
    let Link { machine, output, .. } = *link;
    let program = link.linker.map_or_else(|| driver(machine), str::to_owned);
    let mut arguments: Vec<OsString> = vec![object.into(), "-o".into(), output.into()];
    match link.kind {
        Linked::Executable if is_native(machine) => {}
        Linked::Executable => arguments.push("-static".into()),
        Linked::Shared { name } => {
            arguments.push("-shared".into());
            // A library that lacks a function is an error now, not when a program starts.
            arguments.push("-Wl,-z,defs".into());
            if let Some(name) = name.filter(|name| !name.as_encoded_bytes().contains(&b',')) {
                let mut option = OsString::from("-Wl,-soname,");
                option.push(name);
                arguments.push(option);
            }
        }
    }
    if needs_math(link.object) {
        arguments.push("-lm".into());
    }
    LinkCommand { program, arguments }
}

/// Whether this machine's own C compiler links for a machine.
fn is_native(machine: &Machine) -> bool {
    machine.is_host && machine.has_host_library
}

/// `cc` for this machine; for others the name Debian's cross compilers have. Where that of musl for this machine's
/// processor is not found, it is `musl-gcc` as in other distributions, if there is one.
fn driver(machine: &Machine) -> String {
    if is_native(machine) {
        return "cc".to_owned();
    }
    let named = format!("{}-linux-{}-gcc", machine.architecture.names[0], machine.c_library);
    let other = "musl-gcc";
    if machine.is_host && machine.c_library == "musl" && !is_found(&named) && is_found(other) {
        return other.to_owned();
    }
    named
}

fn is_found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Names that an object refers to and the C library proper has: those of the runtime, and those that LLVM's code
/// generator and optimizer use on their own.
const WITHOUT_MATH: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_",
    "__tls_get_addr",
    "_exit",
    "_setjmp",
    "abort",
    "aligned_alloc",
    "atexit",
    "bcmp",
    "calloc",
    "exit",
    "ferror",
    "fflush",
    "fputc",
    "free",
    "fwrite",
    "longjmp",
    "madvise",
    "malloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "pthread_atfork",
    "pthread_attr_destroy",
    "pthread_attr_getstack",
    "pthread_create",
    "pthread_getattr_np",
    "pthread_join",
    "pthread_self",
    "stdout",
    "syscall",
    "write",
];

/// Whether an object may need the library of mathematical functions: it refers to a name that we do not know to be
/// elsewhere.
fn needs_math(object: &[u8]) -> bool {
    let Ok(object) = object::File::parse(object) else { return true };
    object.symbols().filter(|symbol| symbol.is_undefined()).any(|symbol| match symbol.name() {
        // The first entry of every table of symbols has no name.
        Ok(name) => !name.is_empty() && !WITHOUT_MATH.contains(&name),
        Err(_) => true,
    })
}

/// An object file in memory, and what to link it into.
pub struct Link<'a> {
    pub machine: &'a Machine,
    pub object: &'a [u8],
    pub kind: Linked<'a>,
    pub output: &'a Path,
    /// The program to link with in place of the default one.
    pub linker: Option<&'a str>,
}

/// Links an object file. It is written to the temporary file that `temporary` creates; `announce` gets the
/// command before `spawn` runs it, [`Command::output`] for instance.
pub fn link<File: Write, Name: Deref<Target = Path>>(
    link: &Link,
    temporary: impl FnOnce() -> io::Result<(File, Name)>,
    announce: impl FnOnce(&LinkCommand),
    spawn: impl FnOnce(&mut Command) -> io::Result<Output>,
) -> Result<(), Diagnostic> {
    let cannot = |error: io::Error| cannot_write_temporary(&error);
    let (mut file, name) = temporary().map_err(cannot)?;
    file.write_all(link.object).map_err(cannot)?;
    let command = command(link, &name);
    announce(&command);
    run(&command, link.machine, spawn)?;
    match std::fs::metadata(link.output) {
        Ok(made) if made.len() > 0 => Ok(()),
        _ => {
            let message = format!("`{}` has written no file, and no error", command.program);
            let diagnostic = Diagnostic::error(codes::LINK_FAILED, message);
            Err(diagnostic.help("name a C compiler with --linker; -v shows the whole command"))
        }
    }
}

/// The error about a temporary file; the folder is named, because TMPDIR may be wrong.
pub fn cannot_write_temporary(error: &io::Error) -> Diagnostic {
    let folder = std::env::temp_dir();
    let message =
        format!("cannot write a temporary file in `{}`: {}", folder.display(), reason(error));
    Diagnostic::error(codes::CANNOT_WRITE, message)
        .help("TMPDIR names the folder of temporary files")
}

/// The system's message without Rust's ` (os error 28)`.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn run(
    command: &LinkCommand,
    machine: &Machine,
    spawn: impl FnOnce(&mut Command) -> io::Result<Output>,
) -> Result<(), Diagnostic> {
    let output = spawn(Command::new(&command.program).args(&command.arguments));
    let failed = |why: String| Diagnostic::error(codes::LINK_FAILED, why);
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let mut diagnostic =
                failed(format!("`{}` could not link the program", command.program));
            for line in text.lines().take(20) {
                diagnostic = diagnostic.note(line.to_owned());
            }
            Err(diagnostic.help("run again with -v to see the whole command"))
        }
        Err(error) => {
            let diagnostic =
                failed(format!("cannot run the linker `{}`: {}", command.program, reason(&error)));
            Err(diagnostic.help(if is_native(machine) {
                "install a C compiler, or name one with --linker".to_owned()
            } else if machine.is_host && machine.c_library == "musl" {
                "this machine's own C compiler links another C library: install musl with its compiler \
                 (`musl-tools` on Debian and Ubuntu), or name one with --linker"
                    .to_owned()
            } else {
                format!(
                    "install the cross compiler for {}, or name one with --linker",
                    machine.triple
                )
            }))
        }
    }
}

impl std::fmt::Display for LinkCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.program)?;
        for argument in &self.arguments {
            write!(f, " {}", quoted(&argument.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// An argument as a shell reads it.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::WITHOUT_MATH;

    /// The runtime declares what it uses of the C library: `extern TYPE NAME(` or `extern TYPE NAME;`.
    #[test]
    fn the_runtime_needs_no_math_where_it_computes_nothing() {
        let sources = [
            include_str!("../../../runtime/runtime.c"),
            include_str!("../../../runtime/threads.c"),
        ];
        let lines = sources.iter().flat_map(|source| source.lines());
        let declared = lines.filter_map(|line| line.strip_prefix("extern "));
        let declared: Vec<_> = declared
            .filter(|line| !line.starts_with("inline") && !line.starts_with("double"))
            .filter_map(|line| line.split(['(', ';']).next()?.split([' ', '*']).next_back())
            .collect();
        assert!(declared.len() > 20, "{declared:?}");
        let unknown: Vec<_> =
            declared.into_iter().filter(|name| !WITHOUT_MATH.contains(name)).collect();
        assert!(unknown.is_empty(), "not in WITHOUT_MATH: {unknown:?}");
    }
}
