//! Linking: one object file into an executable or a shared library, by the target's C compiler driver.
//!
//! The driver knows where its C library and start files are, on every distribution. Executables for other machines than
//! this one, or for another C library, are linked statically, so that they run on any Linux of their architecture,
//! regardless of its libraries. A C library is never replaced by another one: the library that `--target` names has a
//! driver of its own, or there is an error. The library of mathematical functions is linked if the object calls any;
//! [`Math`] finds it.

use crate::codegen::math::{self, Math};
use crate::codegen::runtime::CALLED_BY_HOST;
use crate::codegen::target::Machine;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output};
use toy_diagnostics::text::{printable, reason};
use toy_diagnostics::{Diagnostic, codes};

/// A linker invocation: the program and its arguments.
pub struct LinkCommand {
    pub program: String,
    pub arguments: Vec<OsString>,
}

/// The output of the linker.
#[derive(Clone, Copy, Debug)]
pub enum Linked<'n> {
    Executable,
    /// `name` is the name under which programs look for it, if it has one.
    Shared {
        name: Option<&'n OsStr>,
    },
}

/// The command that links the file `object` into `output`.
fn command(link: &Link, object: &Path, math: Option<&Math>) -> LinkCommand {
    let Link { machine, output, .. } = *link;
    let program = program(link);
    let mut arguments: Vec<OsString> = vec![object.into(), "-o".into(), output.into()];
    if machine.architecture.is_wasm() {
        arguments.extend(module(link));
        return LinkCommand { program, arguments };
    }
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
    arguments.extend(math.map(Math::arguments).unwrap_or_default());
    LinkCommand { program, arguments }
}

/// The stack of a module in bytes, as much as Linux gives programs.
const STACK: u64 = 8 << 20;

/// The arguments for a module of WebAssembly. An overflow of its stack is an access below address 0, which the engine
/// notices; no memory ends at 4 GiB, whose address is 0.
fn module(link: &Link) -> Vec<OsString> {
    let options = ["--no-entry", "--stack-first", "--max-memory=4294901760"].map(str::to_owned);
    let names = CALLED_BY_HOST.iter().copied().chain(["__stack_pointer"]);
    let names = names.chain(link.exports.iter().map(String::as_str));
    let has_lines = link.object.windows(11).any(|name| name == b".debug_line");
    options
        .into_iter()
        .chain([format!("-zstack-size={STACK}")])
        .chain((!has_lines).then(|| "--strip-all".to_owned()))
        .chain(names.map(|name| format!("--export={name}")))
        .map(OsString::from)
        .collect()
}

/// The program that links.
fn program(link: &Link) -> String {
    link.linker.map_or_else(|| driver(link.machine), str::to_owned)
}

/// The library of mathematical functions, if the object needs it.
fn math(link: &Link, spawn: &mut impl FnMut(&mut Command) -> io::Result<Output>) -> Option<Math> {
    if link.machine.architecture.is_wasm() || !math::is_needed(link.object) {
        return None;
    }
    // The shared library of every machine is found.
    let is_static = matches!(link.kind, Linked::Executable) && !is_native(link.machine);
    Some(if is_static { Math::find(&program(link), spawn) } else { Math::Named })
}

/// True if this machine's own C compiler links for a machine.
fn is_native(machine: &Machine) -> bool {
    machine.is_host && machine.has_host_library
}

/// `cc` for this machine; for others, the name of Debian's cross compilers. If musl's driver for this machine's
/// processor is not found, the driver is `musl-gcc` as in other distributions, if it exists.
fn driver(machine: &Machine) -> String {
    if is_native(machine) {
        return "cc".to_owned();
    }
    if machine.architecture.is_wasm() {
        let found = WASM_LINKERS.iter().find(|program| is_found(program));
        return (*found.unwrap_or(&WASM_LINKERS[0])).to_owned();
    }
    let named = format!("{}-linux-{}-gcc", machine.architecture.names[0], machine.c_library);
    let other = "musl-gcc";
    if machine.is_host && machine.c_library == "musl" && !is_found(&named) && is_found(other) {
        return other.to_owned();
    }
    named
}

/// The linkers of WebAssembly, of which the first one that is here is taken.
const WASM_LINKERS: [&str; 3] = ["wasm-ld", "wasm-ld-22", "/usr/lib/llvm-22/bin/wasm-ld"];

fn is_found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// An object file in memory, and the kind of file to link it into.
pub struct Link<'a> {
    pub machine: &'a Machine,
    pub object: &'a [u8],
    pub kind: Linked<'a>,
    pub output: &'a Path,
    /// The functions of a module of WebAssembly that its host calls.
    pub exports: &'a [String],
    /// The program to link with in place of the default one.
    pub linker: Option<&'a str>,
}

/// Links an object file. It is written to the temporary file that `temporary` creates; `announce` gets the
/// command before `spawn` runs it, [`Command::output`] for instance, which may be asked to run another one before.
pub fn link<File: Write, Name: Deref<Target = Path>>(
    link: &Link,
    temporary: impl FnOnce() -> io::Result<(File, Name)>,
    announce: impl FnOnce(&LinkCommand),
    mut spawn: impl FnMut(&mut Command) -> io::Result<Output>,
) -> Result<(), Diagnostic> {
    let cannot = |error: io::Error| cannot_write_temporary(&error);
    let (mut file, name) = temporary().map_err(cannot)?;
    file.write_all(link.object).map_err(cannot)?;
    let math = math(link, &mut spawn);
    let command = command(link, &name, math.as_ref());
    announce(&command);
    run(&command, link.machine, math.and_then(|math| math.fault()), spawn)?;
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

/// Runs the linker; `fault` is the reason why it must fail, if that is known.
fn run(
    command: &LinkCommand,
    machine: &Machine,
    fault: Option<String>,
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
            Err(diagnostic.help(match fault {
                Some(fault) => format!(
                    "{fault}; install the C library for {} with its archives{}, or name another C compiler with --linker",
                    machine.triple,
                    packages(machine, false),
                ),
                // A compiler without the C library's files for developers.
                None if is_native(machine) && text.contains("crt1.o") => {
                    format!("install the C library's files for developers {HERE}")
                }
                None => "run again with -v to see the whole command".to_owned(),
            }))
        }
        Err(error) => {
            let diagnostic =
                failed(format!("cannot run the linker `{}`: {}", command.program, reason(&error)));
            Err(diagnostic.help(if machine.architecture.is_wasm() {
                "install LLVM's linker for WebAssembly, `wasm-ld` (`lld-22` or `lld` on Debian and Ubuntu), \
                 or name one with --linker"
                    .to_owned()
            } else if is_native(machine) {
                format!("install a C compiler {HERE}, or name one with --linker")
            } else if machine.is_host && machine.c_library == "musl" {
                "this machine's own C compiler links another C library: install musl with its compiler \
                 (`musl-tools` on Debian and Ubuntu), or name one with --linker"
                    .to_owned()
            } else {
                format!(
                    "install the cross compiler for {}{}, or name one with --linker",
                    machine.triple,
                    packages(machine, true),
                )
            }))
        }
    }
}

/// Debian's packages for programs of this machine.
const HERE: &str = "(`gcc` and `libc6-dev` on Debian and Ubuntu)";

/// Debian's packages for programs of another machine, in parentheses: the C library, and the compiler if it is missing.
fn packages(machine: &Machine, with_compiler: bool) -> String {
    let [name, debian] = *machine.architecture.names else { return String::new() };
    if machine.c_library != "gnu" {
        return String::new();
    }
    let library = format!("`libc6-dev-{debian}-cross`");
    let compiler = format!("`gcc-{}-linux-gnu` and ", name.replace('_', "-"));
    let compiler = if with_compiler { compiler.as_str() } else { "" };
    format!(" ({compiler}{library} on Debian and Ubuntu)")
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
    if text.chars().any(|character| printable(character) != character) {
        let bytes = text.bytes().map(|byte| match byte {
            b' '..=b'~' if !b"'\\".contains(&byte) => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        return format!("$'{}'", bytes.collect::<String>());
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
