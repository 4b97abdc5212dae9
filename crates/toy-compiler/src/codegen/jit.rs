//! Running a program in memory.
//!
//! Input: an LLVM module with a `main` of no parameters, or of a command line. Output: the program's exit status; its output
//! is on standard output when this returns. Invariant: every function the module calls is defined before
//! any code is generated, because LLVM's JIT ends the process on a symbol it cannot find. The calls that
//! the code generator adds are known only afterwards; no program runs before all of its symbols are
//! resolved.

use crate::codegen::target::{Machine, optimization_level};
use crate::codegen::{fatal, runtime, small_floats};
use inkwell::OptimizationLevel;
use inkwell::execution_engine::ExecutionEngine;
use inkwell::llvm_sys::core::LLVMDisposeMessage;
use inkwell::llvm_sys::execution_engine::{
    LLVMCreateJITCompilerForModule, LLVMExecutionEngineGetErrMsg, LLVMLinkInMCJIT,
};
use inkwell::module::Module;
use inkwell::support::search_for_address_of_symbol;
use inkwell::values::{AnyValue, AnyValueEnum, FunctionValue};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use toy_diagnostics::{Diagnosed, Diagnostic, all, codes};

unsafe extern "C" {
    fn toy_flush() -> c_int;
    fn toy_run(program: extern "C" fn() -> c_int) -> c_int;
    fn toy_last_error() -> *const LastError;
    fn toy_benchmark(program: extern "C" fn() -> c_int, runs: i64, planned: i64) -> c_int;
    fn toy_redirect(stream: *mut c_void);
    fn open_memstream(buffer: *mut *mut c_char, size: *mut usize) -> *mut c_void;
    fn fclose(stream: *mut c_void) -> c_int;
    fn free(memory: *mut c_void);
}

/// The check that ended a program, or the memory that it lacked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// One of [`CHECKS`](crate::interface::CHECKS), or [`OUT_OF_MEMORY`](crate::interface::OUT_OF_MEMORY).
    pub code: i32,
    /// The place in the program, and its function with the shapes of its arguments; 0 and empty if unknown.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// The words without the place.
    pub message: String,
    /// The index that is out of range, and the size of the dimension; of missing memory, the size in bytes.
    pub index: i64,
    pub size: i64,
    /// The number that is not whole.
    pub number: f64,
}

/// The struct of runtime/runtime/failure.c.
#[repr(C)]
struct LastError {
    code: c_int,
    place: [c_int; 2],
    /// File, function, message, and the text of all.
    strings: [*const c_char; 4],
    index: i64,
    size: i64,
    number: f64,
}

/// The failure of the program that has run, whose code has the strings.
fn failure() -> Option<Failure> {
    // SAFETY: the address is that of memory of this thread.
    let last = unsafe { &*toy_last_error() };
    // SAFETY: without a failure, no string is read; with one, all strings end, and the program's code is loaded.
    let text =
        |at: usize| unsafe { CStr::from_ptr(last.strings[at]) }.to_string_lossy().into_owned();
    let [line, column] = last.place.map(|number| number as u32);
    (last.code != 0).then(|| Failure {
        code: last.code,
        file: text(0),
        line,
        column,
        function: text(1),
        message: text(2),
        index: last.index,
        size: last.size,
        number: last.number,
    })
}

/// The arguments of a program, and how often it runs.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The words after the program's name, for a `main` with parameters or a result.
    pub words: Vec<CString>,
    /// The number of runs that are measured; 0: one run that is not.
    pub runs: u32,
    /// The size of the program's planned memory.
    pub planned: u64,
}

/// Runs `main`.
pub fn run(
    module: Module,
    machine: &Machine,
    level: u8,
    arguments: &Arguments,
) -> Diagnosed<(i32, Option<Failure>)> {
    if !machine.is_host {
        let message = format!("a program for {} cannot run on this machine", machine.triple);
        let help = "leave out --target, or make an executable with -emit=exe";
        return Err(Diagnostic::not_available(message).help(help).into());
    }
    let symbols = resolve(&module)?;
    let takes_words = module.get_function("main").is_some_and(|it| it.count_params() > 0);
    small_floats::add_to_process();
    let level = optimization_level(level);
    let internal = |what: String| vec![Diagnostic::internal(format!("LLVM's JIT: {what}"))];
    let module = ManuallyDrop::new(module);
    let engine = engine(&module, level).map_err(internal)?;
    for (symbol, address) in &symbols {
        engine.add_global_mapping(symbol, *address);
    }
    let address = fatal::watched(&module, || engine.get_function_address("main"))?
        .map_err(|error| internal(error.to_string()))?;
    if let Some(error) = error_of(&engine) {
        return Err(not_linked(&error).into());
    }
    let mut words = vec![c"toyc".as_ptr().cast_mut()];
    words.extend(arguments.words.iter().map(|word| word.as_ptr().cast_mut()));
    let count = words.len() as c_int;
    words.push(std::ptr::null_mut());
    // SAFETY: the address points at the compiled `main`, which the driver has checked to
    // be of type `i32 ()`, or of type `i32 (i32, ptr)` for the command line, which lives as
    // long; the engine that owns the code lives until the end of this function. The
    // runtime's flush takes nothing and only touches the C library's output.
    let (status, flushed) = unsafe {
        let status = if takes_words {
            let main: extern "C" fn(c_int, *mut *mut c_char) -> c_int =
                std::mem::transmute(address);
            main(count, words.as_mut_ptr())
        } else {
            let main: extern "C" fn() -> c_int = std::mem::transmute(address);
            match arguments.runs {
                0 => toy_run(main),
                runs => toy_benchmark(main, runs.into(), arguments.planned as i64),
            }
        };
        (status, toy_flush())
    };
    let failure = failure();
    if flushed != 0 {
        let message = "the program's output could not be written to standard output";
        return Err(Diagnostic::error(codes::CANNOT_WRITE, message).into());
    }
    Ok((status, failure))
}

/// Runs work and captures the output of Toy programs on this thread meanwhile. Output through the C library's
/// own functions is not captured.
pub fn captured<T>(work: impl FnOnce() -> T) -> io::Result<(T, Vec<u8>)> {
    /// Ends the redirection, also if the work panics.
    struct Stream(*mut c_void);
    impl Drop for Stream {
        fn drop(&mut self) {
            // SAFETY: the stream is open, and nothing writes to it from here on.
            unsafe {
                toy_redirect(std::ptr::null_mut());
                fclose(self.0);
            }
        }
    }
    // On the heap: the stream keeps their addresses.
    let mut memory: Box<(*mut c_char, usize)> = Box::new((std::ptr::null_mut(), 0));
    // SAFETY: both places outlive the stream, which is closed before they are read.
    let stream = unsafe { open_memstream(&raw mut memory.0, &raw mut memory.1) };
    if stream.is_null() {
        return Err(io::Error::last_os_error());
    }
    let stream = Stream(stream);
    // SAFETY: the stream is open until the guard is dropped, which ends the redirection.
    unsafe { toy_redirect(stream.0) };
    let result = work();
    drop(stream);
    // SAFETY: closing the stream has left `size` bytes at an address that malloc gave, if any.
    let bytes = unsafe {
        let (data, size) = (memory.0, memory.1);
        let bytes = match data.is_null() {
            true => Vec::new(),
            false => std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec(),
        };
        free(data.cast());
        bytes
    };
    Ok((result, bytes))
}

/// Finds the address of everything the module uses and does not define.
fn resolve<'c>(module: &Module<'c>) -> Diagnosed<Vec<(AnyValueEnum<'c>, usize)>> {
    inkwell::support::load_visible_symbols();
    let is_used = |function: &FunctionValue| {
        function.count_basic_blocks() == 0 && function.get_intrinsic_id() == 0
    };
    let functions = module.get_functions().filter(is_used);
    let functions = functions.map(|it| (it.get_name().to_owned(), it.as_any_value_enum()));
    let globals = module.get_globals().filter(|global| global.is_declaration());
    let globals = globals.map(|it| (it.get_name().to_owned(), it.as_any_value_enum()));
    all(functions.chain(globals).map(|(name, symbol)| {
        let name = name.to_string_lossy();
        Ok((symbol, address(&name).ok_or_else(|| unresolved(&name))?))
    }))
}

/// LLVM's JIT for a module, which belongs to it from now on.
///
/// inkwell's own function also initializes LLVM's native target, by a file of llvm-sys that names all targets of
/// LLVM, so that parts of each are linked: 10 MB. [`target::machine`](super::target::machine) has initialized ours.
fn engine<'c>(
    module: &ManuallyDrop<Module<'c>>,
    level: OptimizationLevel,
) -> Result<ExecutionEngine<'c>, String> {
    let mut engine = std::ptr::null_mut();
    let mut text = std::ptr::null_mut();
    // SAFETY: the module is alive; the engine disposes of it, and nothing else does. LLVM sets one of the two
    // pointers: to an engine, which inkwell's type owns, or to a string of ours to free.
    unsafe {
        LLVMLinkInMCJIT();
        let module = module.as_mut_ptr();
        if LLVMCreateJITCompilerForModule(&raw mut engine, module, level as u32, &raw mut text) == 0
        {
            return Ok(ExecutionEngine::new(Rc::new(engine), true));
        }
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        Err(message)
    }
}

/// The error of the engine when it linked its code: it is reported nowhere else, and calls of missing
/// symbols jump to address 0.
fn error_of(engine: &ExecutionEngine) -> Option<String> {
    let mut text: *mut c_char = std::ptr::null_mut();
    // SAFETY: the engine is alive. LLVM sets the pointer to a string of ours to free if there is an error, and
    // else leaves it.
    unsafe {
        if LLVMExecutionEngineGetErrMsg(engine.as_mut_ptr(), &raw mut text) == 0 || text.is_null() {
            return None;
        }
        let error = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        Some(error)
    }
}

/// A diagnostic about a symbol that the code generator has added.
fn not_linked(error: &str) -> Diagnostic {
    let Some(name) = error.strip_prefix("Symbol not found: ") else {
        return Diagnostic::error(codes::CODEGEN_REJECTED, format!("LLVM's JIT: {error}"));
    };
    Diagnostic::error(
        codes::UNRESOLVED_SYMBOL,
        format!("`{name}` is needed but neither part of toyc nor of the C library"),
    )
    .note("LLVM calls such a function where the processor has no instruction for an operation")
    .help("make an executable with -emit=exe: the C compiler's own library may have it")
}

fn address(name: &str) -> Option<usize> {
    runtime::address_of(name).or_else(|| search_for_address_of_symbol(name))
}

fn unresolved(name: &str) -> Diagnostic {
    Diagnostic::error(
        codes::UNRESOLVED_SYMBOL,
        format!("`{name}` is used but neither defined in the program nor in the C library"),
    )
    .help("define the function, or link the program with an object that does")
}

#[cfg(test)]
mod tests {
    use crate::codegen::runtime::{
        ALIGNED_ALLOC, COPY, DOTTED, FREE, MALLOC, THREADS, address_of, print_symbol,
    };
    use crate::interface::runtime::{ALL, PROGRAM};

    #[test]
    fn every_function_of_the_runtime_is_found() {
        let print = print_symbol();
        let replaced = [MALLOC[0], ALIGNED_ALLOC[0], FREE[0], COPY[0], PROGRAM, &print];
        for name in replaced.iter().chain(THREADS).chain(DOTTED).chain(ALL) {
            assert!(address_of(name).is_some(), "{name}");
        }
    }
}
