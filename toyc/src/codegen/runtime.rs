//! The runtime inside compiled programs: linked into the module as bitcode, so that an object file
//! of toyc's needs nothing but the C library, on every target.

use crate::codegen::small_floats::{self, CONVERSIONS};
use crate::codegen::target::Machine;
use crate::codegen::translate::run_passes;
use crate::dialect::PRINT;
use crate::interface;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The functions with which programs allocate, and the runtime's replacements.
pub const MALLOC: [&str; 2] = ["malloc", "toy_malloc"];
pub const ALIGNED_ALLOC: [&str; 2] = ["aligned_alloc", "toy_aligned_alloc"];

/// The function that copies strided memory, and the runtime's replacement.
pub const COPY: [&str; 2] = ["memrefCopy", "toy_memref_copy"];

/// The C name of the printing function.
pub fn print_symbol() -> String {
    format!("_mlir_ciface_{PRINT}")
}

/// The names of the functions that a module defines.
fn functions(module: &Module) -> Vec<String> {
    let functions = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    functions.map(|function| function.get_name().to_string_lossy().into_owned()).collect()
}

/// The names of all symbols that a module defines.
pub fn defined(module: &Module) -> Vec<String> {
    let globals = module.get_globals().filter(|global| !global.is_declaration());
    let globals = globals.map(|global| global.get_name().to_string_lossy().into_owned());
    globals.chain(functions(module)).collect()
}

/// Links the runtime into a program that uses it. Its definitions become private to the module, so that
/// several objects can be linked into one executable.
pub fn link<'c>(module: &Module<'c>, context: &'c Context, machine: &Machine) -> Diagnosed<()> {
    let undefined = |name: &str| {
        module.get_function(name).filter(|function| function.count_basic_blocks() == 0)
    };
    let replaced = [MALLOC, ALIGNED_ALLOC, COPY].map(|names| (undefined(names[0]), names[1]));
    let converts = small_floats::may_convert(module);
    if replaced.iter().all(|(used, _)| used.is_none())
        && undefined(&print_symbol()).is_none()
        && interface::runtime::ALL.iter().all(|name| undefined(name).is_none())
        && !converts
    {
        return Ok(());
    }
    // Only now: LLVM's optimizer knows what these do and removes allocations that are not needed.
    for (used, name) in replaced {
        if let Some(used) = used {
            used.as_global_value().set_name(name);
        }
    }
    let internal = |error: String| Diagnostic::internal(format!("the runtime: {error}"));
    let bitcode =
        MemoryBuffer::create_from_memory_range_copy(machine.architecture.runtime, "runtime");
    let runtime = Module::parse_bitcode_from_buffer(&bitcode, context)
        .map_err(|e| internal(e.to_string()))?;
    runtime.set_triple(&machine.machine.get_triple());
    runtime.set_data_layout(&machine.machine.get_target_data().get_data_layout());
    // It comes with the attributes of the baseline, and then gets those of the program.
    machine.processor.replace_marks(&runtime);
    let defined = functions(&runtime);
    module.link_in_module(runtime).map_err(|e| internal(e.to_string()))?;
    // Calls of these are made with the code: until then nothing seems to use them.
    let (late, defined): (Vec<_>, Vec<_>) =
        defined.into_iter().partition(|name| converts && CONVERSIONS.contains(&name.as_str()));
    for name in defined {
        if let Some(function) = module.get_function(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    run_passes(module, machine, "globaldce")?;
    for function in late.iter().filter_map(|name| module.get_function(name)) {
        function.set_linkage(Linkage::Internal);
    }
    Ok(())
}
