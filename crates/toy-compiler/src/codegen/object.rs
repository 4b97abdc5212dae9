//! Assembly and object files.

use crate::codegen::fatal;
use crate::codegen::target::Machine;
use inkwell::module::Module;
use inkwell::targets::FileType;
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The text of the assembly.
pub fn assembly(module: &Module, machine: &Machine) -> Diagnosed<Vec<u8>> {
    emit(module, machine, FileType::Assembly)
}

/// The bytes of an object file.
pub fn object(module: &Module, machine: &Machine) -> Diagnosed<Vec<u8>> {
    emit(module, machine, FileType::Object)
}

fn emit(module: &Module, machine: &Machine, kind: FileType) -> Diagnosed<Vec<u8>> {
    let write = || machine.machine.write_to_memory_buffer(module, kind);
    let buffer = fatal::watched(module, write)?
        .map_err(|error| Diagnostic::internal(format!("LLVM's code generator: {error}")))?;
    let mut bytes = buffer.as_slice().to_vec();
    // LLVM's buffers end with a zero byte that is not part of the text.
    if matches!(kind, FileType::Assembly) && bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(bytes)
}
