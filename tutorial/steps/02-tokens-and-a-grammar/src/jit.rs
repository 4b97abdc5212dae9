//! MLIR text to a running program: passes lower it to LLVM's dialect, and LLVM makes
//! machine code of that, in memory.

use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::pass::PassManager;
use melior::{Context, ExecutionEngine, utility};
use std::io::Write;

/// Tensors become buffers, operations loops, loops jumps, and everything LLVM.
const PASSES: &str = "builtin.module(
    one-shot-bufferize{
        bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map},
    convert-linalg-to-loops,
    convert-scf-to-cf,
    convert-to-llvm,
    reconcile-unrealized-casts)";

pub fn run(text: &str) -> Result<(), String> {
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    utility::register_all_passes();
    let context = Context::new_with_registry(&registry, false);
    utility::register_all_llvm_translations(&context);

    let mut module = Module::parse(&context, text).ok_or("MLIR cannot read this")?;
    let manager = PassManager::new(&context);
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), PASSES)
        .map_err(|error| error.to_string())?;
    manager.run(&mut module).map_err(|error| error.to_string())?;

    let engine = ExecutionEngine::new(&module, 0, &[], false, false);
    // SAFETY: `print` is called with what it takes, and `main` has neither parameters
    // nor results.
    unsafe {
        engine.register_symbol("_mlir_ciface_toy_print", print as *mut ());
        engine.invoke_packed("main", &mut []).map_err(|error| error.to_string())
    }
}

/// How MLIR passes a tensor of any shape: its rank, and where the rest is.
#[repr(C)]
struct Unranked {
    rank: usize,
    descriptor: *const Descriptor,
}

/// The rest, which goes on with as many sizes as the rank says.
#[repr(C)]
struct Descriptor {
    allocated: *const f64,
    aligned: *const f64,
    offset: usize,
}

extern "C" fn print(tensor: &Unranked) {
    // SAFETY: MLIR has filled in the descriptor. Our tensors lie row by row, without gaps.
    let (sizes, elements) = unsafe {
        let Descriptor { aligned, offset, .. } = *tensor.descriptor;
        let sizes = tensor.descriptor.add(1).cast::<usize>();
        let sizes = std::slice::from_raw_parts(sizes, tensor.rank);
        let count = sizes.iter().product();
        (sizes, std::slice::from_raw_parts(aligned.add(offset), count))
    };
    let mut text = String::new();
    show(sizes, elements, &mut text);
    if let Err(error) = std::io::stdout().write_all(text.as_bytes()) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

/// A row is a line, and a matrix ends with an empty line if there are several.
fn show(sizes: &[usize], elements: &[f64], text: &mut String) {
    let Some((count, inner)) = sizes.split_first() else {
        // `nan`, as in C, and not `NaN`.
        *text += &format!("{:.6} ", elements[0]).to_lowercase();
        return;
    };
    for part in elements.chunks(elements.len() / count) {
        show(inner, part, text);
        if !inner.is_empty() {
            text.push('\n');
        }
    }
}
