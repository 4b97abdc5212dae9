//! The stages of a compilation, by name and in order.
//!
//! A [`Stage`] names a representation of the program; [`crate::pipeline::passes`] lists the passes that
//! produce it from the previous one, and [`crate::Compilation`] advances from one to the next.

macro_rules! stages {
    ($($stage:ident $name:literal $(or $alias:literal)?: $summary:literal,)*) => {
        /// The stages of a compilation, in the order of the pipeline.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Stage {
            $(#[doc = $summary] $stage,)*
        }

        impl Stage {
            /// Every stage, in order.
            pub const ALL: &[Stage] = &[$(Stage::$stage),*];

            /// The name in `-emit=`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Stage::$stage => $name,)*
                }
            }

            /// Upstream's name, if it is different.
            pub fn alias(self) -> Option<&'static str> {
                match self {
                    $($(Stage::$stage => Some($alias),)?)*
                    _ => None,
                }
            }

            /// A description in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Stage::$stage => $summary,)*
                }
            }
        }
    };
}

stages! {
    Tokens "tokens": "The tokens with their places",
    Ast "ast": "The syntax tree",
    ToySource "toy-source": "The program in canonical form, without comments",
    Toy "toy" or "mlir": "The Toy dialect; with -O1 and higher, simplified",
    Shapes "shapes": "After specialization: every shape known, a function for each",
    Linalg "linalg": "linalg on tensors; with -O1 and higher, fused",
    Memref "memref": "After bufferization: tensors have become buffers",
    Merged "merged": "After merge-alloc: with -O1 and higher, buffers share one allocation",
    MemoryPlan "memory-plan": "Where each buffer lies in that allocation, and when; drawn with -o FILE.svg",
    Dealloc "dealloc": "After deallocation: every buffer is freed",
    Loops "loops" or "mlir-affine": "Loop nests on buffers",
    MlirLlvm "mlir-llvm": "MLIR's LLVM dialect",
    Header "header": "The C header of exported functions, into FILE.h",
    Rust "rust": "Safe bindings in Rust for a library of exported functions, into FILE.rs",
    Llvm "llvm": "LLVM IR; with -O1 and higher, optimized",
    Asm "asm": "Assembly, into FILE.s",
    Obj "obj": "An object file, FILE.o",
    StaticLib "staticlib": "A library of exported functions to link with, libFILE.a",
    Lib "lib": "A shared library of exported functions, libFILE.so",
    Python "python": "A Python module with exported functions (needs NumPy), FILE.py",
    Exe "exe": "An executable (the default)",
    Jit "jit": "Compile in memory and run now",
}

impl Stage {
    /// The stages whose program is an MLIR module, each made from the previous one by
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

    /// The stages of a library, which has functions to export.
    pub const LIBRARY: [Stage; 5] =
        [Stage::Header, Stage::Rust, Stage::StaticLib, Stage::Lib, Stage::Python];

    /// The stages that are text, whatever the program exports: an editor can show them.
    pub fn shown() -> impl Iterator<Item = Stage> {
        let texts = Stage::ALL.iter().copied().filter(|stage| *stage <= Stage::Asm);
        texts.filter(|stage| !Stage::LIBRARY.contains(stage))
    }
}
