//! The memory of programs for WebAssembly: addresses have 32 bits, and sizes in a program 64.
//!
//! Input: an LLVM module, or the functions that it exports. Output: an error about memory that no address reaches. What is
//! allocated in other ways than a program in Toy does, the runtime checks when the program runs.

use crate::codegen::runtime::{ALIGNED_ALLOC, MALLOC};
use crate::interface::{Function, Interface};
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, InstructionOpcode, Operand};
use toy_diagnostics::{Diagnostic, codes};

/// The bytes that a module can have.
pub const LIMIT: u64 = 0xffff_0000;

/// Checks the sizes with which a module allocates.
pub fn check(module: &Module) -> Result<(), Diagnostic> {
    let instructions = module
        .get_functions()
        .flat_map(|function| function.get_basic_block_iter())
        .flat_map(|block| block.get_instructions());
    for call in instructions.filter(|it| it.get_opcode() == InstructionOpcode::Call) {
        let callee = CallSiteValue::try_from(call).ok().and_then(|it| it.get_called_fn_value());
        let Some(callee) = callee else { continue };
        let name = callee.get_name().to_string_lossy();
        if ![MALLOC[0], ALIGNED_ALLOC[0]].contains(&&*name) {
            continue;
        }
        // The size is the last argument, which is before the function.
        let size = call.get_operand(call.get_num_operands().saturating_sub(2));
        if let Some(Operand::Value(size)) = size
            && size.is_int_value()
            && let Some(size) = size.into_int_value().get_zero_extended_constant()
            && size > LIMIT
        {
            return Err(too_large("the program", size));
        }
    }
    Ok(())
}

/// Checks the sizes of what exported functions take, return and need meanwhile.
pub fn check_interface(interface: &Interface) -> Result<(), Diagnostic> {
    for function in &interface.functions {
        let bytes = bytes(function);
        if bytes > LIMIT {
            return Err(too_large(&format!("`{}`", function.signature), bytes));
        }
    }
    Ok(())
}

fn bytes(function: &Function) -> u64 {
    let values = function.parameters.iter().chain(&function.results).map(|value| value.bytes());
    values.fold(function.workspace, u64::saturating_add)
}

fn too_large(what: &str, bytes: u64) -> Diagnostic {
    let message =
        format!("{what} needs {bytes} bytes at once, and WebAssembly has addresses for {LIMIT}");
    Diagnostic::error(codes::TOO_LARGE_FOR_TARGET, message)
        .help("use smaller tensors, or leave out --target: this machine has larger addresses")
}
