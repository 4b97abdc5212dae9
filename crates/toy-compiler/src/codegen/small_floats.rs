//! Numbers of 16 bits, `f16` and `bf16`: functions that convert them where the processor has no instruction.
//!
//! Input: an LLVM module. LLVM's code generator calls these functions on x86-64; a program never does, so that
//! nothing in the module shows which of them are needed. Output: true if it may be any of them
//! ([`may_convert`]), their names, and for the JIT their addresses ([`add_to_process`]).

use inkwell::llvm_sys::LLVMTypeKind::{
    LLVMBFloatTypeKind, LLVMHalfTypeKind, LLVMScalableVectorTypeKind, LLVMVectorTypeKind,
};
use inkwell::llvm_sys::core::{
    LLVMCountParamTypes, LLVMGetElementType, LLVMGetParamTypes, LLVMGetReturnType, LLVMGetTypeKind,
    LLVMGlobalGetValueType, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

/// The conversion functions that the runtime defines for x86-64.
pub const CONVERSIONS: [&str; 5] =
    ["__truncsfhf2", "__truncdfhf2", "__extendhfsf2", "__truncsfbf2", "__truncdfbf2"];

/// True if a value in a module is of such a type.
pub fn may_convert(module: &Module) -> bool {
    module.get_functions().any(|function| {
        let instructions =
            function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        is_in_type(function)
            || instructions.into_iter().any(|instruction| {
                // SAFETY: the instruction lives as long as the module, which nothing changes meanwhile.
                is_small(unsafe { LLVMTypeOf(instruction.as_value_ref()) })
            })
    })
}

/// True if a parameter or the result of a function is of such a type.
fn is_in_type(function: FunctionValue) -> bool {
    // SAFETY: the value is a function, so that its type is one of functions; the vector has room for as
    // many types as LLVM says that it writes.
    let types = unsafe {
        let ty = LLVMGlobalGetValueType(function.as_value_ref());
        let mut types = vec![LLVMGetReturnType(ty); 1 + LLVMCountParamTypes(ty) as usize];
        LLVMGetParamTypes(ty, types[1..].as_mut_ptr());
        types
    };
    types.into_iter().any(is_small)
}

fn is_small(ty: LLVMTypeRef) -> bool {
    // SAFETY: the type belongs to a context that is alive; only vectors are asked for their elements.
    let kind = unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMVectorTypeKind | LLVMScalableVectorTypeKind => {
                LLVMGetTypeKind(LLVMGetElementType(ty))
            }
            kind => kind,
        }
    };
    matches!(kind, LLVMHalfTypeKind | LLVMBFloatTypeKind)
}

/// Lets the JIT find the functions: it looks for symbols that the module does not name among the process's
/// symbols, where nothing else exports them.
#[cfg(target_arch = "x86_64")]
pub fn add_to_process() {
    use inkwell::llvm_sys::support::LLVMAddSymbol;
    use std::ffi::{CString, c_void};

    // Only their addresses are taken: Rust has no types for their operands.
    unsafe extern "C" {
        fn __truncsfhf2();
        fn __truncdfhf2();
        fn __extendhfsf2();
        fn __truncsfbf2();
        fn __truncdfbf2();
    }
    let addresses = [__truncsfhf2, __truncdfhf2, __extendhfsf2, __truncsfbf2, __truncdfbf2]
        .map(|f| f as *mut c_void);
    for (name, address) in CONVERSIONS.into_iter().zip(addresses) {
        let name = CString::new(name).expect("a name has no zero byte");
        // SAFETY: LLVM copies the name; the functions are there as long as the process.
        unsafe { LLVMAddSymbol(name.as_ptr(), address) };
    }
}

/// On other machines the code generator calls none of them.
#[cfg(not(target_arch = "x86_64"))]
pub fn add_to_process() {}
