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
use inkwell::values::FunctionValue;
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The functions with which programs allocate, and the runtime's replacements.
pub const MALLOC: [&str; 2] = ["malloc", "toy_malloc"];
pub const ALIGNED_ALLOC: [&str; 2] = ["aligned_alloc", "toy_aligned_alloc"];

/// The function that copies strided memory, and the runtime's replacement.
pub const COPY: [&str; 2] = ["memrefCopy", "toy_memref_copy"];

/// The functions of the runtime's threads that LLVM calls for the dialect `omp`; every use of it needs the first.
pub const THREADS: [&str; 6] = [
    "__kmpc_fork_call",
    "__kmpc_push_num_threads",
    "__kmpc_global_thread_num",
    "__kmpc_for_static_init_8u",
    "__kmpc_for_static_fini",
    "__kmpc_barrier",
];

/// The C name of the printing function.
pub fn print_symbol() -> String {
    format!("_mlir_ciface_{PRINT}")
}

/// The functions that texts, checks and functions of numbers call.
pub const DOTTED: [&str; 12] = [
    "toy.print_text",
    "toy.print_number",
    "toy.fail",
    "toy.fail_whole",
    "toy.fail_range",
    "toy.enter",
    "toy.exp",
    "toy.log",
    "toy.sin",
    "toy.cos",
    "toy.tanh",
    "toy.pow",
];

fn is_of_runtime(name: &str) -> bool {
    DOTTED.contains(&name)
}

/// The names of the functions that a module defines.
fn functions(module: &Module) -> Vec<String> {
    let functions = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    functions.map(name_of).collect()
}

fn name_of(function: FunctionValue) -> String {
    function.get_name().to_string_lossy().into_owned()
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
    if undefined(THREADS[0]).is_some() {
        link_bitcode(module, context, machine, machine.architecture.threads)?;
        run_passes(module, machine, "globaldce")?;
    }
    if replaced.iter().all(|(used, _)| used.is_none())
        && undefined(&print_symbol()).is_none()
        && interface::runtime::ALL.iter().all(|name| undefined(name).is_none())
        && !module.get_functions().any(|function| is_of_runtime(&name_of(function)))
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
    let late = link_bitcode(module, context, machine, machine.architecture.runtime)?;
    // Calls of the conversions are made with the code: until then nothing seems to use them.
    let late: Vec<_> = late
        .into_iter()
        .filter(|function| converts && CONVERSIONS.contains(&name_of(*function).as_str()))
        .collect();
    late.iter().for_each(|function| function.set_linkage(Linkage::External));
    let recurs = module.get_function("toy.enter").is_some();
    run_passes(module, machine, if recurs { "always-inline,globaldce" } else { "globaldce" })?;
    late.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(())
}

/// Links bitcode of this program into a module. Returns the functions that it has defined, which are
/// private to the module now.
fn link_bitcode<'c>(
    module: &Module<'c>,
    context: &'c Context,
    machine: &Machine,
    bitcode: &[u8],
) -> Diagnosed<Vec<FunctionValue<'c>>> {
    let internal = |error: String| Diagnostic::internal(format!("the runtime: {error}"));
    let bitcode = MemoryBuffer::create_from_memory_range_copy(bitcode, "runtime");
    let runtime = Module::parse_bitcode_from_buffer(&bitcode, context)
        .map_err(|e| internal(e.to_string()))?;
    runtime.set_triple(&machine.machine.get_triple());
    runtime.set_data_layout(&machine.machine.get_target_data().get_data_layout());
    // It comes with the attributes of the baseline, and then gets those of the program.
    machine.processor.replace_marks(&runtime);
    let defined = functions(&runtime);
    module.link_in_module(runtime).map_err(|e| internal(e.to_string()))?;
    let defined: Vec<_> = defined.iter().filter_map(|name| module.get_function(name)).collect();
    defined.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(defined)
}
