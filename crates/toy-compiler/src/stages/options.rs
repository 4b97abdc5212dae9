//! The options of a compilation that its passes depend on.

use merge_alloc::Options;
use toy_diagnostics::{Code, codes};

/// The options of the pipeline.
#[derive(Clone, Debug, Default)]
pub struct PipelineOptions {
    /// 0 to 3, as in `-O2`.
    pub level: u8,
    /// Information for debuggers (`-g`).
    pub debug_info: bool,
    /// The output goes to a linker, which may add callers of public functions.
    pub is_linked: bool,
    /// Functions are exported: their callers give the memory, so that all of it is planned at every level.
    pub exports: bool,
    /// The number of threads that run large loop nests; 0 and 1: only the program's.
    pub threads: u8,
    /// The size of the processor's vector registers in bytes; None: not known.
    pub vector_bytes: Option<u64>,
    /// True if the processor has an instruction for fused multiply-add.
    pub is_fused: bool,
    /// The program may ask its processor for instructions when it starts: fused multiply-adds, and from level 2 on, functions
    /// with large loops are compiled for several processors.
    pub versions: bool,
    /// The most bytes that a loop saves for a gradient; None: no limit.
    pub tape_memory: Option<u64>,
    /// The program says which of its loops runs.
    pub watches_loops: bool,
    pub merge_alloc: Options,
    /// The passes that give remarks.
    pub remarks: Remarks,
}

/// Kinds of remarks, each of which costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Buffers that merge-alloc does not merge.
    pub not_merged: bool,
    /// Copies that bufferization makes.
    pub copies: bool,
    /// Operations that bufferization does in place.
    pub in_place: bool,
    /// Buffers whose owner is known only when the program runs.
    pub decided_late: bool,
    /// Rewrites of canonicalization.
    pub rewrites: bool,
    /// The memory in which loops save values for gradients.
    pub tapes: bool,
}

impl Remarks {
    /// True if a remark is asked for.
    pub fn include(&self, code: Code) -> bool {
        match code {
            codes::COPIED => self.copies,
            codes::IN_PLACE => self.in_place,
            codes::DECIDED_LATE => self.decided_late,
            codes::REWRITTEN => self.rewrites,
            codes::TAPE => self.tapes,
            codes::ZERO_GRADIENT => true,
            _ => self.not_merged,
        }
    }

    /// True if remarks on copies, or on updates without copies, are requested.
    pub(crate) fn of_copies(&self) -> bool {
        self.copies || self.in_place
    }
}

impl PipelineOptions {
    /// True from `-O1` on.
    pub fn optimizes(&self) -> bool {
        self.level > 0
    }

    /// True if buffers become parts of one allocation.
    pub fn merges(&self) -> bool {
        self.level > 0 || self.exports
    }

    /// True if a debugger can show the variables: they are then kept as they are in the source, which no
    /// optimization would do.
    pub fn shows_variables(&self) -> bool {
        self.debug_info && self.level == 0
    }
}
