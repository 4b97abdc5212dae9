//! toyc, a compiler for Toy, the tensor language of the MLIR tutorial.
//!
//! ```text
//! x.toy ─ syntax ─▶ tree ─ lower ─▶ toy dialect ─ canonicalize, specialize ─▶ toy, all shapes known
//!       ─ lower ─▶ linalg on tensors ─ bufferize, merge ─▶ memrefs ─ deallocate ─▶ memrefs, all freed
//!       ─ loops ─▶ llvm dialect ─ translate ─▶ LLVM IR ─ optimize ─▶ asm · object · executable · JIT
//! ```
//!
//! | module | what it turns into what |
//! |---|---|
//! | [`source`] | bytes into text with lines and spans |
//! | [`syntax`] | text into tokens into the tree; the checks of names and arities |
//! | [`dialect`] | the Toy dialect: its definition, builders and verifier |
//! | [`lower`] | tree → Toy dialect → linalg; the end of the LLVM dialect |
//! | [`transform`] | passes within one level |
//! | [`memory_plan`] | what merge-alloc decides into text, pictures and JSON |
//! | [`passes`] | the list of our passes, for commands and help texts |
//! | [`pipeline`] | which passes lead to which stage |
//! | [`mlir`] | MLIR's context, passes, locations and raw calls: the `unsafe` of the middle end |
//! | [`codegen`] | LLVM dialect into LLVM IR, objects, executables and the JIT |
//! | [`diagnostic`] | everything there is to say to the user |
//! | [`report`] | what the driver sees on its way into a page to read |
//! | [`interrupt`] | temporary files, and what signals do to them |
//! | [`driver`], [`cli`] | the command line, and the walk through the stages |
//! | [`opt`] | the other command, toy-opt: any passes over any MLIR |

mod capture;
pub mod cli;
pub mod codegen;
pub mod dialect;
pub mod driver;
pub mod input;
pub mod interrupt;
pub mod lower;
pub mod memory_plan;
pub mod opt;
pub mod output;
pub mod passes;
pub mod pipeline;
pub mod report;
pub mod transform;

pub use mlir_support as mlir;
pub use toy_diagnostics as diagnostic;
pub use toy_diagnostics::source;
pub use toy_syntax as syntax;
