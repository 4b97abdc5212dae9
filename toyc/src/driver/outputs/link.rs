//! Executables, libraries and Python modules, which are linked.
//!
//! Input: the object of a compilation. Output: the file, complete or not there at all, with the files beside it.

use super::Outputs;
use crate::interrupt;
use crate::output::{self, Destination, put_in_place};
use std::io::Write;
use std::path::Path;
use toy_compiler::Stage;
use toy_compiler::codegen::library;
use toy_compiler::codegen::link::{self, Link, LinkCommand, Linked};
use toy_compiler::codegen::target::Machine;
use toy_compiler::compilation::{Compilation, Observer, timed};
use toy_diagnostics::{Diagnosed, Diagnostic};

impl Outputs<'_> {
    /// Links the executable or the shared library.
    pub fn linked(&self, compilation: &Compilation, observer: &mut dyn Observer) -> Diagnosed<i32> {
        let (Some(Destination::File(file)), Some(machine), Some(object)) =
            (self.destination_of(self.options.emit), compilation.machine(), compilation.object())
        else {
            return Ok(0);
        };
        let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        self.beside.replace(compilation.files_beside(&name));
        let exports = compilation.interface().symbols();
        timed(observer, "link", || self.link(&file, machine, object, &exports))?;
        Ok(0)
    }

    /// Writes the Python module with the shared library in it.
    pub fn python(&self, compilation: &Compilation, observer: &mut dyn Observer) -> Diagnosed<i32> {
        let (Some(destination), Some(machine), Some(object)) =
            (self.destination_of(self.options.emit), compilation.machine(), compilation.object())
        else {
            return Ok(0);
        };
        let bytes = timed(observer, "link", || self.python_library(machine, object))?;
        let text = compilation.python_module(&bytes).unwrap_or_default();
        self.record(|report| report.made("module", text.len() as u64));
        self.write(&destination, |out| out.write_all(text.as_bytes()))
    }

    /// The shared library in a Python module. It needs a linker only if one is named.
    fn python_library(&self, machine: &Machine, object: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        if self.options.linker.is_none() {
            return library::of(object, machine);
        }
        let cannot = |error: std::io::Error| link::cannot_write_temporary(&error);
        let library = interrupt::temporary(&std::env::temp_dir(), ".so", 0o600);
        let (_library, path) = library.map_err(cannot)?;
        self.run_linker(Linked::Shared { name: None }, &path, machine, object, &[])?;
        std::fs::read(&*path).map_err(cannot)
    }

    /// Links the object into a file.
    fn run_linker(
        &self,
        kind: Linked,
        file: &Path,
        machine: &Machine,
        object: &[u8],
        exports: &[String],
    ) -> Result<(), Diagnostic> {
        let make = || interrupt::temporary(&std::env::temp_dir(), ".o", 0o600);
        let announce = |command: &LinkCommand| {
            if self.options.verbose {
                let _ = writeln!(std::io::stderr(), "{command}");
            }
        };
        let linker = self.options.linker.as_deref();
        let link = Link { machine, object, kind, output: file, exports, linker };
        link::link(&link, make, announce, interrupt::run)
    }

    fn link(
        &self,
        file: &Path,
        machine: &Machine,
        object: &[u8],
        exports: &[String],
    ) -> Diagnosed<()> {
        let emit = self.options.emit;
        let kind = match emit {
            Stage::Lib => Linked::Shared { name: file.file_name() },
            _ => Linked::Executable,
        };
        let mode = if machine.architecture.is_wasm() { 0o666 } else { 0o777 };
        let extras = output::make_file(file, mode, |linked| {
            self.run_linker(kind, linked, machine, object, exports)?;
            self.record(|report| {
                let size = std::fs::metadata(linked).map_or(0, |file| file.len());
                report.made(if emit == Stage::Lib { "library" } else { "executable" }, size);
            });
            self.complete_extras()
        })?;
        Ok(put_in_place(extras)?)
    }
}
