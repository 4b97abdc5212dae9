//! The compiler for Toy, the tensor language of the MLIR tutorial, as a library; `toyc` is its command.
//!
//! ```text
//! x.toy ─ toy-syntax ─▶ tree ─ lower ─▶ toy dialect ─ canonicalize, specialize ─▶ toy, all shapes known
//!       ─ lower ─▶ linalg on tensors ─ bufferize, merge ─▶ memrefs ─ deallocate ─▶ memrefs, all freed
//!       ─ loops ─▶ llvm dialect ─ translate ─▶ LLVM IR ─ optimize ─▶ asm · object · executable · JIT
//! ```
//!
//! [`compile`], [`run`] and [`check`] do it in one call. A [`Compilation`] advances stage by stage and
//! notifies [observers](Observer) of each step:
//!
//! ```
//! use std::time::Duration;
//! use toy_compiler::source::Source;
//! use toy_compiler::{Compilation, Config, Observer, Stage};
//!
//! #[derive(Default)]
//! struct Passes(Vec<String>);
//!
//! impl Observer for Passes {
//!     fn step_ended(&mut self, step: &str, _: Duration) {
//!         self.0.push(step.to_owned());
//!     }
//! }
//!
//! let text = "def f(a) { return transpose(a); }\ndef main() { print(f([[1, 2]])); }";
//! let mut compilation = Compilation::new(Source::new("f.toy", text), Config::default());
//! let mut passes = Passes::default();
//! compilation.advance_to(Stage::Shapes, &mut passes).expect("the program is right");
//! assert!(passes.0.iter().any(|pass| pass == "toy-specialize"));
//! let mut module = Vec::new();
//! compilation.write(Default::default(), &mut module)?;
//! assert!(String::from_utf8_lossy(&module).contains("@f$1x2"));
//! compilation.advance_to(Stage::Obj, &mut ()).expect("the program is right");
//! assert!(compilation.object().is_some_and(|object| object.starts_with(b"\x7fELF")));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The library has no state besides its compilations; it writes no file but the executable of [`Compilation::link`],
//! prints nothing, and does not end the process. A program that it runs prints: its output goes to
//! [`Execution::output`] or, by [`Compilation::run`], to standard output, and the error that ends the program is
//! [`Execution::failure`] or a message on standard error. There are two exceptions: a fatal error of LLVM's code generator ends the process, and so
//! may a crash of MLIR on invalid `.mlir` input. The command runs a second process for such input.
//!
//! | module | task |
//! |---|---|
//! | [`source`], [`diagnostic`] | source text and spans; diagnostics about it |
//! | [`syntax`] | text into tokens into the tree; the checks of names and arities |
//! | [`dialect`] | the Toy dialect: its definition, builders and verifier |
//! | [`stage`], [`pipeline`] | the names of the stages, and their sequence |
//! | [`stages`] | a folder per stage: the list of its passes, and the definitions of our own |
//! | [`analysis`], [`runtime_calls`] | analyses that stages share; calls of functions outside of compiled programs |
//! | [`passes`] | the definitions of all passes, for commands and help texts |
//! | [`compilation`] | the walk through the stages |
//! | [`codegen`] | LLVM dialect into LLVM IR, objects, executables and the JIT |
//! | [`interface`] | a library's exported functions, as data; the C header, bindings for Rust and Python |
//! | [`memory_plan`] | the plan of merge-alloc as files |
//! | [`mlir`] | MLIR's context, passes, locations and raw calls: the `unsafe` of the middle end |

pub mod analysis;
pub mod codegen;
pub mod compilation;
pub mod dialect;
mod easy;
pub mod interface;
pub mod memory_plan;
pub mod passes;
pub mod pipeline;
pub mod runtime_calls;
pub mod stage;
pub mod stages;

pub use compilation::{Compilation, Config, Failure, Language, Observer, Program};
pub use easy::{Compiled, Execution, check, compile, run};
pub use mlir_support as mlir;
pub use stage::Stage;
pub use toy_diagnostics as diagnostic;
pub use toy_diagnostics::source;
pub use toy_syntax as syntax;

/// The stack of the compiler: LLVM and MLIR recurse over the program. Only its used part is backed by memory.
const STACK_BYTES: usize = 1 << 30;

/// Runs `work` on a thread with a stack of 1 GiB, of which only the used part takes memory.
///
/// # Panics
///
/// If `work` does.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // Taken by the thread, or left if there is none.
    let mut work = Some(work);
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let spawned = thread.spawn_scoped(scope, || work.take().map(|work| work()));
        spawned.ok().and_then(|thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    // If the thread cannot be started, this one does the work.
    result.unwrap_or_else(|| work.take().expect("not done yet")())
}
