//! Assembly and object files.

use crate::codegen::target::Machine;
use crate::diagnostic::{Diagnostic, codes};
use inkwell::module::Module;
use inkwell::targets::FileType;

/// The text of the assembly.
pub fn assembly(module: &Module, machine: &Machine) -> Result<Vec<u8>, Diagnostic> {
    emit(module, machine, FileType::Assembly)
}

/// The bytes of an object file.
pub fn object(module: &Module, machine: &Machine) -> Result<Vec<u8>, Diagnostic> {
    emit(module, machine, FileType::Object)
}

fn emit(module: &Module, machine: &Machine, kind: FileType) -> Result<Vec<u8>, Diagnostic> {
    let buffer = machine.machine.write_to_memory_buffer(module, kind).map_err(|error| {
        Diagnostic::error(codes::INTERNAL, format!("LLVM's code generator: {error}"))
    })?;
    let mut bytes = buffer.as_slice().to_vec();
    // LLVM's buffers end with a zero byte that is not part of the text.
    if matches!(kind, FileType::Assembly) && bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok(bytes)
}
