//! The architectures that toyc generates code for, as data.
//!
//! Input: the tables that the build script makes for each: LLVM's processors, and the runtime's bitcode.
//! Output: [`TARGETS`].

use inkwell::targets::{InitializationConfig, Target};

/// An architecture with its names in triples.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub names: &'static [&'static str],
    /// Its usual triple.
    pub triple: &'static str,
    /// The baseline: the processor whose programs run on every other.
    pub cpu: &'static str,
    pub processors: &'static ProcessorTable,
    /// Features without which no function could pass a number to another.
    pub fixed: &'static [&'static str],
    /// Features that its programs have unless the user turns them off, as in `+simd128`.
    pub usual: &'static str,
    /// Makes LLVM's code generator for it known; a code generator for another one would take time and memory at each start.
    pub initialize: fn(&InitializationConfig),
    /// The runtime's bitcode for it.
    pub runtime: &'static [u8],
    /// The bitcode of the runtime's threads.
    pub threads: &'static [u8],
    /// The bitcode that reads arguments and writes results.
    pub data: &'static [u8],
    /// The bitcode that Python calls functions with.
    pub python: &'static [u8],
}

/// Every supported architecture.
pub const TARGETS: &[Architecture] = &[
    Architecture {
        names: &["x86_64", "amd64"],
        triple: "x86_64-unknown-linux-gnu",
        cpu: "x86-64",
        processors: &X86_64,
        fixed: &["sse", "sse2", "x87"],
        usual: "",
        initialize: Target::initialize_x86,
        runtime: include_bytes!(concat!(env!("OUT_DIR"), "/runtime-x86_64.bc")),
        threads: include_bytes!(concat!(env!("OUT_DIR"), "/threads-x86_64.bc")),
        data: include_bytes!(concat!(env!("OUT_DIR"), "/data-x86_64.bc")),
        python: include_bytes!(concat!(env!("OUT_DIR"), "/python-x86_64.bc")),
    },
    Architecture {
        names: &["aarch64", "arm64"],
        triple: "aarch64-unknown-linux-gnu",
        cpu: "generic",
        processors: &AARCH64,
        fixed: &["fp-armv8"],
        usual: "",
        initialize: Target::initialize_aarch64,
        runtime: include_bytes!(concat!(env!("OUT_DIR"), "/runtime-aarch64.bc")),
        threads: include_bytes!(concat!(env!("OUT_DIR"), "/threads-aarch64.bc")),
        data: include_bytes!(concat!(env!("OUT_DIR"), "/data-aarch64.bc")),
        python: include_bytes!(concat!(env!("OUT_DIR"), "/python-aarch64.bc")),
    },
    Architecture {
        names: &[WASM],
        triple: "wasm32-unknown-unknown",
        cpu: "generic",
        processors: &WASM32,
        fixed: &[],
        // Every engine has had it since 2023.
        usual: "+simd128",
        initialize: Target::initialize_webassembly,
        runtime: include_bytes!(concat!(env!("OUT_DIR"), "/runtime-wasm32.bc")),
        threads: &[],
        data: include_bytes!(concat!(env!("OUT_DIR"), "/data-wasm32.bc")),
        python: &[],
    },
];

/// The architecture whose programs are modules for browsers and Node.
pub const WASM: &str = "wasm32";

impl Architecture {
    /// True for WebAssembly: one thread, addresses of 32 bits, no C library, and a host in JavaScript.
    pub fn is_wasm(&self) -> bool {
        self.names == [WASM]
    }
}

/// LLVM's processors and features of an architecture. The build script makes a table for each.
#[derive(Debug)]
pub struct ProcessorTable {
    pub cpus: &'static [&'static str],
    /// The size of their vector registers in bytes.
    pub vector_bytes: &'static [u64],
    /// True for those that fuse a product and a sum.
    pub fused: &'static [bool],
    /// Names with descriptions.
    pub features: &'static [(&'static str, &'static str)],
}

pub static X86_64: ProcessorTable = include!(concat!(env!("OUT_DIR"), "/processors-x86_64.rs"));
pub static WASM32: ProcessorTable = include!(concat!(env!("OUT_DIR"), "/processors-wasm32.rs"));
pub static AARCH64: ProcessorTable = include!(concat!(env!("OUT_DIR"), "/processors-aarch64.rs"));
