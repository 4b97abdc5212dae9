//! The text of operations, and MLIR's strings.

use melior::ir::operation::{OperationPrintingFlags, OperationRef};
use mlir_sys::MlirStringRef;
use std::ffi::c_void;

/// Lets the printer trust that the program is valid: it prints an invalid one in generic form, and calls of
/// functions that were left out make it one.
pub fn assume_verified(flags: OperationPrintingFlags) -> OperationPrintingFlags {
    // SAFETY: the flags are alive, and they are changed through no other reference.
    unsafe { mlir_sys::mlirOpPrintingFlagsAssumeVerified(flags.to_raw()) };
    flags
}

/// Prints an operation into any writer in pieces, without a copy of the whole text in memory.
pub fn print(
    operation: OperationRef,
    flags: OperationPrintingFlags,
    sink: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    let mut state = State::new(sink);
    // SAFETY: the callback matches the declared type and does not unwind (writers return errors).
    unsafe {
        mlir_sys::mlirOperationPrintWithFlags(
            operation.to_raw(),
            flags.to_raw(),
            Some(write),
            (&raw mut state).cast(),
        );
    }
    state.finish()
}

/// Writes an operation as bytecode.
pub fn write_bytecode(
    operation: OperationRef,
    sink: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    let mut state = State::new(sink);
    // SAFETY: as above.
    unsafe {
        mlir_sys::mlirOperationWriteBytecode(
            operation.to_raw(),
            Some(write),
            (&raw mut state).cast(),
        );
    }
    state.finish()
}

/// The target of MLIR's printer. MLIR writes each word by itself; the sink gets blocks.
struct State<'s> {
    sink: &'s mut dyn std::io::Write,
    block: Vec<u8>,
    result: std::io::Result<()>,
}

impl<'s> State<'s> {
    /// The size from which on a block goes to the sink, in bytes.
    const BLOCK: usize = 1 << 15;

    fn new(sink: &'s mut dyn std::io::Write) -> Self {
        Self { sink, block: Vec::new(), result: Ok(()) }
    }

    fn pass_on(&mut self) {
        if self.result.is_ok() {
            self.result = self.sink.write_all(&self.block);
        }
        self.block.clear();
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.pass_on();
        self.result
    }
}

/// Receives MLIR's output.
unsafe extern "C" fn write(text: MlirStringRef, data: *mut c_void) {
    // SAFETY: `data` is the `State` below, which outlives the print call.
    let state = unsafe { &mut *data.cast::<State>() };
    if state.result.is_ok() && text.length > 0 {
        // SAFETY: MLIR passes `length` readable bytes.
        let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
        state.block.extend_from_slice(bytes);
        if state.block.len() >= State::BLOCK {
            state.pass_on();
        }
    }
}
