//! The runtime inside compiled programs: linked into the module as bitcode, so that an object file
//! of toyc's needs nothing but the C library, on every target.

use crate::codegen::object;
use crate::codegen::small_floats::{self, CONVERSIONS};
use crate::codegen::target::Machine;
use crate::codegen::translate::run_passes;
use crate::dialect::PRINT;
use crate::interface;
use crate::interface::runtime::functions;
use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, BasicValueEnum, FunctionValue};
use toy_diagnostics::{Diagnosed, Diagnostic};

/// The functions with which programs allocate, and the runtime's replacements.
pub const MALLOC: [&str; 2] = ["malloc", "toy_malloc"];
pub const ALIGNED_ALLOC: [&str; 2] = ["aligned_alloc", "toy_aligned_alloc"];

pub const FREE: [&str; 2] = ["free", "toy_free"];

/// The function that copies strided memory, and the runtime's replacement.
pub const COPY: [&str; 2] = ["memrefCopy", "toy_memref_copy"];

const REPLACED: [[&str; 2]; 4] = [MALLOC, ALIGNED_ALLOC, FREE, COPY];

/// The functions that LLVM's code for WebAssembly calls: on other machines they are the C library's and the compiler's.
const CALLED_BY_WASM: [&str; 7] =
    ["__multi3", "fmod", "fmodf", "memcpy", "memmove", "memset", "strlen"];

/// The functions that the host of a module calls.
pub const CALLED_BY_HOST: [&str; 5] =
    ["malloc", "free", "exit", "toy_too_deep", "toy_print_at_once"];

/// The function of `runtime/python.c`.
const PYTHON_CALLER: &str = "toy_python_caller";

functions! {
    /// The functions of the runtime's threads that LLVM calls for the dialect `omp`; every use of it needs the first.
    THREADS {
        "__kmpc_fork_call";
        "__kmpc_push_num_threads";
        "__kmpc_global_thread_num";
        "__kmpc_for_static_init_8u";
        "__kmpc_for_static_fini";
        "__kmpc_barrier";
    }
    /// The functions that texts and checks call, and programs that choose among versions.
    DOTTED {
        "toy.print_text";
        "toy.print_number";
        "toy.print_format";
        "toy.fail";
        "toy.fail_whole";
        "toy.fail_range";
        "toy.enter";
        "toy.find_processor";
    }
}

/// The address of a function of the runtime under the name that programs have for it.
pub fn address_of(name: &str) -> Option<usize> {
    let replaced = functions!(@address name,
        "malloc" = "toy_malloc",
        "aligned_alloc" = "toy_aligned_alloc",
        "free" = "toy_free",
        "memrefCopy" = "toy_memref_copy",
        "_mlir_ciface_toy_print" = "_mlir_ciface_toy_print",
    );
    replaced.or_else(|| address(name)).or_else(|| interface::runtime::address(name))
}

/// The C name of the printing function.
pub fn print_symbol() -> String {
    format!("_mlir_ciface_{PRINT}")
}

/// The names of the functions that a module defines.
fn functions(module: &Module) -> Vec<String> {
    let functions = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    functions.map(name_of).collect()
}

/// A function that a module uses and does not define.
fn undefined<'c>(module: &Module<'c>, name: &str) -> Option<FunctionValue<'c>> {
    module.get_function(name).filter(|function| function.count_basic_blocks() == 0)
}

fn name_of(function: FunctionValue) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// Links the runtime into a program that uses it. Its definitions become private to the module, so that
/// several objects can be linked into one executable. A library in a module of Python gets the function that calls its
/// functions from there.
pub fn link<'c>(
    module: &Module<'c>,
    context: &'c Context,
    machine: &Machine,
    is_for_python: bool,
) -> Diagnosed<()> {
    let is_wasm = machine.architecture.is_wasm();
    let undefined = |name: &str| undefined(module, name);
    let converts = small_floats::may_convert(module);
    let recurs = undefined("toy.enter").is_some();
    let takes_data = undefined(interface::runtime::PROGRAM).is_some();
    if undefined(THREADS[0]).is_some() {
        if is_wasm {
            return Err(Diagnostic::not_available("a program for wasm32 has one thread").into());
        }
        link_bitcode(module, context, machine, machine.architecture.threads)?;
        run_passes(module, machine, "globaldce")?;
    }
    if is_for_python {
        link_bitcode(module, context, machine, machine.architecture.python)?;
        let caller = module.get_function(PYTHON_CALLER);
        caller.into_iter().for_each(|caller| caller.set_linkage(Linkage::External));
    }
    if REPLACED.iter().all(|names| undefined(names[0]).is_none())
        && undefined(&print_symbol()).is_none()
        && interface::runtime::ALL.iter().all(|name| undefined(name).is_none())
        && !module.get_functions().any(|function| DOTTED.contains(&&*name_of(function)))
        && !converts
        && !is_wasm
    {
        return Ok(());
    }
    call_runtime(module)?;
    if takes_data {
        link_bitcode(module, context, machine, machine.architecture.data)?;
    }
    let late = link_bitcode(module, context, machine, machine.architecture.runtime)?;
    // Calls of these functions are made with the code, or by the host: until then nothing seems to use them.
    let is_late = |name: &str| {
        converts && CONVERSIONS.contains(&name)
            || is_wasm && (CALLED_BY_WASM.contains(&name) || CALLED_BY_HOST.contains(&name))
    };
    let late: Vec<_> =
        late.into_iter().filter(|function| is_late(name_of(*function).as_str())).collect();
    late.iter().for_each(|function| function.set_linkage(Linkage::External));
    run_passes(module, machine, if recurs { "always-inline,globaldce" } else { "globaldce" })?;
    // The linker of WebAssembly drops what nothing calls, and takes one of several.
    let linkage = if is_wasm { Linkage::WeakODR } else { Linkage::Internal };
    late.iter().for_each(|function| function.set_linkage(linkage));
    Ok(())
}

/// Lets a program call the runtime: in place of functions of the C library, and to run `main` if functions recur. This
/// comes after LLVM's optimizer, which knows the library's functions and removes allocations that are not needed.
pub fn call_runtime(module: &Module) -> Diagnosed<()> {
    for [name, replacement] in REPLACED {
        if let Some(used) = undefined(module, name) {
            used.as_global_value().set_name(replacement);
        }
    }
    if undefined(module, "toy.enter").is_some() { run_on_own_stack(module) } else { Ok(()) }
}

/// The runtime as assembly, to be linked with assembly of programs, which has none of it.
pub fn assembly(machine: &Machine) -> Diagnosed<Vec<u8>> {
    let context = Context::create();
    let module = parse(&context, machine, machine.architecture.runtime)?;
    let parts = [machine.architecture.threads, machine.architecture.data];
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let part = parse(&context, machine, part)?;
        module.link_in_module(part).map_err(|error| internal(&error.to_string()))?;
    }
    object::assembly(&module, machine)
}

/// Makes the runtime call `main`, on a stack of a known size.
fn run_on_own_stack(module: &Module) -> Diagnosed<()> {
    let context = module.get_context();
    let status = context.i32_type();
    let is_program = |main: &FunctionValue| {
        let ty = main.get_type();
        main.count_basic_blocks() > 0
            && ty.count_param_types() == 0
            && ty.get_return_type() == Some(status.into())
    };
    let Some(program) = module.get_function("main").filter(is_program) else { return Ok(()) };
    let run = status.fn_type(&[context.ptr_type(AddressSpace::default()).into()], false);
    let run = module.add_function("toy.run", run, None);
    let internal = |error: String| Diagnostic::internal(format!("the stack of `main`: {error}"));
    program.as_global_value().set_name("toy.main");
    program.set_linkage(Linkage::Internal);
    let main = module.add_function("main", program.get_type(), None);
    for attribute in program.attributes(AttributeLoc::Function) {
        main.add_attribute(AttributeLoc::Function, attribute);
    }
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(main, ""));
    let address = program.as_global_value().as_pointer_value();
    let call = builder.build_call(run, &[address.into()], "status");
    let status = call.map_err(|e| internal(e.to_string()))?.try_as_basic_value().basic();
    let status = status.map(|status| status as _);
    builder
        .build_return(status.as_ref().map(|it: &BasicValueEnum| it as &dyn BasicValue))
        .map_err(|e| internal(e.to_string()))?;
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
    let runtime = parse(context, machine, bitcode)?;
    let defined = functions(&runtime);
    module.link_in_module(runtime).map_err(|error| internal(&error.to_string()))?;
    let defined: Vec<_> = defined.iter().filter_map(|name| module.get_function(name)).collect();
    defined.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(defined)
}

/// Bitcode of this program as a module for a machine.
fn parse<'c>(context: &'c Context, machine: &Machine, bitcode: &[u8]) -> Diagnosed<Module<'c>> {
    let bitcode = MemoryBuffer::create_from_memory_range_copy(bitcode, "runtime");
    let module = Module::parse_bitcode_from_buffer(&bitcode, context)
        .map_err(|error| internal(&error.to_string()))?;
    module.set_triple(&machine.machine.get_triple());
    module.set_data_layout(&machine.machine.get_target_data().get_data_layout());
    // It comes with the attributes of the baseline, and then gets the program's attributes.
    machine.processor.replace_marks(&module);
    Ok(module)
}

fn internal(error: &str) -> Diagnostic {
    Diagnostic::internal(format!("the runtime: {error}"))
}
