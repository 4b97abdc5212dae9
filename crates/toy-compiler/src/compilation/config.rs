//! The configuration of a compilation, and the settings of the stages that follow from it.
//!
//! Input: the options of a user. Output: the options of the pipeline, its passes, and the machine to generate code
//! for. Invariant: a configuration is plain data; each option is checked where it is used.

use crate::Stage;
use crate::codegen::target::{self, Selection};
use crate::interface::Export;
use crate::pipeline::{PipelineOptions, Remarks, gives, passes};
use crate::stages::merged::merge_alloc;
use mlir_support::Pass;
use toy_diagnostics::levels::Levels;
use toy_diagnostics::{Diagnostic, codes};

/// The language of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Toy,
    /// MLIR's textual form, of any stage from [`Stage::Toy`] down.
    Mlir,
}

/// The options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub language: Language,
    /// 0 to 3, as in `-O2`.
    pub optimization_level: u8,
    /// Information for debuggers (`-g`).
    pub debug_info: bool,
    /// The triple of the machine to generate code for; None is this machine.
    pub target: Option<String>,
    /// The processor to generate code for: a name that LLVM knows, or `native`. None is the baseline of the target or,
    /// for [`Stage::Jit`], `native`; from level 2 on, large loops of files for x86-64 then have versions for newer
    /// processors, too.
    pub cpu: Option<String>,
    /// Features of the processor to use or not, as in `+avx2,-fma`.
    pub features: String,
    /// True if a product and the sum it is added to may become one operation, which rounds once
    /// (`--fast-math=contract`). Results then depend on the level and the processor.
    pub contracts: bool,
    /// The number of threads that run large loop nests, at level 2 and higher; 0 and 1: only the calling thread.
    pub threads: u8,
    /// The most bytes that a loop saves for a gradient, before it computes iterations again instead; None: no limit.
    pub tape_memory: Option<u64>,
    /// True if a module of WebAssembly tells its host which of its loops runs.
    pub watches_loops: bool,
    /// True if public functions besides `main` may be called from outside: true for an object file or
    /// a library, false for a whole program, whose functions are all known.
    pub is_library: bool,
    /// The functions to export. With any, the result is a library: it has no `main`, and nothing else is
    /// visible from outside.
    pub exports: Vec<Export>,
    /// The function that the program runs, for arguments of certain shapes; None is `main` without arguments.
    pub main: Option<Export>,
    /// True if the program is only checked: the shapes of the arguments of `main` may be missing.
    pub only_checks: bool,
    /// True if MLIR verifies the program after every stage, not only the first and the last.
    pub verify_each: bool,
    /// Options of merge-alloc; those that are not set get the compiler's defaults.
    pub merge_alloc: merge_alloc::Options,
    /// The warnings that are on, and the warnings that are errors.
    pub levels: Levels,
    /// The remarks of passes that are among the warnings.
    pub remarks: Remarks,
    /// The module as MLIR's bytecode; then the source has no text.
    pub bytecode: Option<&'static [u8]>,
    /// The name of the file in locations, if it is not the source's name: debuggers need an absolute path.
    pub location_file: Option<String>,
}

impl Config {
    /// The options of the pipeline, on the way to a stage.
    pub(super) fn pipeline(&self, stage: Stage) -> PipelineOptions {
        let level = self.optimization_level;
        // Errors in the selection are reported before.
        let abilities = target::abilities(&self.machine(stage)).ok();
        PipelineOptions {
            level,
            debug_info: self.debug_info,
            is_linked: self.is_library || !self.entries().is_empty(),
            exports: !self.entries().is_empty(),
            threads: if self.is_for_wasm() { 0 } else { self.threads },
            vector_bytes: abilities.as_ref().map(|it| it.vector_bytes),
            is_fused: abilities.as_ref().is_some_and(|it| it.is_fused),
            versions: abilities.is_some_and(|it| it.has_versions),
            tape_memory: self.tape_memory,
            watches_loops: self.watches_loops && self.is_for_wasm(),
            merge_alloc: self.merge_alloc.clone().for_whole_program(),
            remarks: self.remarks,
        }
    }

    /// The functions that are called from outside, but for a `main` without arguments: exports, or the program's.
    pub fn entries(&self) -> &[Export] {
        self.main.as_ref().map_or(&self.exports, std::slice::from_ref)
    }

    /// True if names and types are those of a library, which needs no `main`.
    pub(super) fn is_rootless(&self) -> bool {
        self.entries().iter().any(|entry| entry.function != "main" || !entry.is_main)
    }

    /// True if buffers become parts of one allocation.
    pub fn merges(&self) -> bool {
        self.pipeline(Stage::Merged).merges()
    }

    /// The number of threads of Toy's large loops: one at lower levels, which make no loop nests, and in modules of
    /// WebAssembly.
    pub(super) fn loop_threads(&self) -> u8 {
        if self.optimization_level < 2 || self.is_for_wasm() { 1 } else { self.threads.max(1) }
    }

    /// True if the target is WebAssembly.
    pub(super) fn is_for_wasm(&self) -> bool {
        let target = target::architecture(self.target.as_deref());
        target.is_ok_and(|(architecture, _)| architecture.is_wasm())
    }

    /// A warning if threads are asked for where no loop gets them; loops of `.mlir` input may have some.
    pub(super) fn ignored_threads(&self) -> Option<Diagnostic> {
        let is_idle = self.language == Language::Mlir && !self.is_for_wasm();
        if self.threads < 2 || self.loop_threads() > 1 || is_idle {
            return None;
        }
        if self.is_for_wasm() {
            let message = format!("`--threads {}` has no effect for WebAssembly", self.threads);
            let warning = Diagnostic::warning(codes::IGNORED_OPTION, message);
            return Some(warning.help("a module has one thread"));
        }
        let (threads, level) = (self.threads, self.optimization_level);
        let message = format!("`--threads {threads}` has no effect with -O{level}");
        let warning = Diagnostic::warning(codes::IGNORED_OPTION, message);
        Some(warning.help("-O2 and higher run large loop nests with several threads"))
    }

    /// The passes on the way to a stage.
    pub fn passes(&self, stage: Stage) -> Vec<Pass> {
        let options = self.pipeline(stage);
        let stages = Stage::MLIR.iter().filter(|on_the_way| **on_the_way <= stage);
        stages.flat_map(|on_the_way| passes(*on_the_way, &options)).collect()
    }

    /// The first stage on the way to which a pass gives some of these remarks.
    pub fn first_remarks(&self, remarks: Remarks) -> Option<Stage> {
        let config = Self { remarks, ..self.clone() };
        let gives = |stage: &Stage| {
            passes(*stage, &config.pipeline(*stage)).iter().any(|pass| gives(pass.name(), &remarks))
        };
        Stage::MLIR.iter().copied().find(gives)
    }

    /// The machine to generate code for, on the way to a stage.
    pub fn machine(&self, stage: Stage) -> Selection {
        Selection {
            triple: self.target.clone(),
            cpu: self.cpu.clone(),
            features: self.features.clone(),
            runs_here: stage == Stage::Jit,
            contracts: self.contracts,
        }
    }
}
