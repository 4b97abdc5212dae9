//! Linking: one object file into an executable or a shared library, by the target's C compiler driver.
//!
//! The driver knows where its C library and start files are, on every distribution. Executables for other
//! machines than this one are linked statically, so that they run on any Linux of their architecture,
//! regardless of its libraries.

use crate::codegen::target::Machine;
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

/// The command that links `object` into `output`; `linker` overrides the program.
fn command(
    machine: &Machine,
    kind: Linked,
    object: &Path,
    output: &Path,
    linker: Option<&str>,
) -> LinkCommand {
    let program = linker.map_or_else(|| driver(machine), str::to_owned);
    let mut arguments: Vec<OsString> = vec![object.into(), "-o".into(), output.into()];
    match kind {
        Linked::Executable if machine.is_host => {}
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
    arguments.push("-lm".into());
    LinkCommand { program, arguments }
}

/// `cc` for this machine; for others the name Debian's cross compilers have.
fn driver(machine: &Machine) -> String {
    if machine.is_host {
        return "cc".to_owned();
    }
    let parts: Vec<_> = machine.triple.split('-').collect();
    match parts.as_slice() {
        [arch, .., os, environment] => format!("{arch}-{os}-{environment}-gcc"),
        _ => format!("{}-gcc", machine.triple),
    }
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
    let cannot = |error: io::Error| {
        // Without Rust's ` (os error 28)`.
        let reason = error.to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default();
        let message = format!("cannot write a temporary file: {reason}");
        Diagnostic::error(codes::CANNOT_WRITE, message)
    };
    let (mut file, name) = temporary().map_err(cannot)?;
    file.write_all(link.object).map_err(cannot)?;
    let command = command(link.machine, link.kind, &name, link.output, link.linker);
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
                failed(format!("cannot run the linker `{}`: {error}", command.program));
            Err(diagnostic.help(if machine.is_host {
                "install a C compiler, or name one with --linker".to_owned()
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
