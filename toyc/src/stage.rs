//! The stages of a compilation, by name and in order.
//!
//! A [`Stage`] names a representation of the program; [`crate::pipeline::passes`] says how the one
//! before becomes it, and [`crate::Compilation`] walks from one to the next.

/// What a compilation can advance to, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Tokens,
    Ast,
    ToySource,
    Toy,
    Shapes,
    Linalg,
    Memref,
    Merged,
    MemoryPlan,
    Dealloc,
    Loops,
    MlirLlvm,
    Llvm,
    Asm,
    Obj,
    Exe,
    Jit,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 17] = [
        Stage::Tokens,
        Stage::Ast,
        Stage::ToySource,
        Stage::Toy,
        Stage::Shapes,
        Stage::Linalg,
        Stage::Memref,
        Stage::Merged,
        Stage::MemoryPlan,
        Stage::Dealloc,
        Stage::Loops,
        Stage::MlirLlvm,
        Stage::Llvm,
        Stage::Asm,
        Stage::Obj,
        Stage::Exe,
        Stage::Jit,
    ];

    /// The stages whose program is an MLIR module, each made from the one before by
    /// [`crate::pipeline::passes`].
    pub const MLIR: [Stage; 8] = [
        Stage::Toy,
        Stage::Shapes,
        Stage::Linalg,
        Stage::Memref,
        Stage::Merged,
        Stage::Dealloc,
        Stage::Loops,
        Stage::MlirLlvm,
    ];

    /// The name that `-emit=` knows.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Upstream's name, where it is another one.
    pub fn alias(self) -> Option<&'static str> {
        match self {
            Stage::Toy => Some("mlir"),
            Stage::Loops => Some("mlir-affine"),
            _ => None,
        }
    }

    /// What it is, in one line.
    pub fn summary(self) -> &'static str {
        self.facts().1
    }

    fn facts(self) -> (&'static str, &'static str) {
        match self {
            Stage::Tokens => ("tokens", "The tokens with their places"),
            Stage::Ast => ("ast", "The syntax tree"),
            Stage::ToySource => ("toy-source", "The program in canonical form, without comments"),
            Stage::Toy => ("toy", "The Toy dialect; with -O1 and higher, simplified"),
            Stage::Shapes => (
                "shapes",
                "After specialization: every shape known, one function per (callee, argument shapes)",
            ),
            Stage::Linalg => ("linalg", "linalg on tensors; with -O1 and higher, fused"),
            Stage::Memref => ("memref", "After bufferization: tensors have become buffers"),
            Stage::Merged => (
                "merged",
                "After merge-alloc: with -O1 and higher, the buffers of all functions share one allocation",
            ),
            Stage::MemoryPlan => (
                "memory-plan",
                "Where each buffer lies in the merged allocation (-O0: would lie), and when, as text",
            ),
            Stage::Dealloc => ("dealloc", "After deallocation: every buffer is freed"),
            Stage::Loops => ("loops", "Loop nests on buffers"),
            Stage::MlirLlvm => ("mlir-llvm", "MLIR's LLVM dialect"),
            Stage::Llvm => ("llvm", "LLVM IR; with -O1 and higher, optimized"),
            Stage::Asm => ("asm", "Assembly, into FILE.s"),
            Stage::Obj => ("obj", "An object file, FILE.o"),
            Stage::Exe => ("exe", "An executable (the default)"),
            Stage::Jit => ("jit", "Compile in memory and run now"),
        }
    }
}
