//! A module to a running program: passes lower it to LLVM's dialect, and LLVM makes
//! machine code of that, in memory.

use crate::dialect::{functions, mutable, name, operations};
use crate::{memory, passes};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationResult};
use melior::ir::{BlockLike, BlockRef, Module};
use melior::{Context, ExecutionEngine, utility};
use std::io::Write;
use std::time::Instant;

/// Operations become loops, loops jumps, and everything LLVM.
const PASSES: &str = "
    convert-linalg-to-loops,
    convert-vector-to-scf,
    fold-memref-alias-ops,
    expand-strided-metadata,
    lower-affine,
    convert-scf-to-cf,
    convert-vector-to-llvm,
    finalize-memref-to-llvm{
        use-aligned-alloc=true
        use-generic-functions=true},
    convert-to-llvm,
    reconcile-unrealized-casts";

/// From loops to LLVM's dialect.
pub fn lower(context: &Context, module: &mut Module) -> Result<(), String> {
    passes::run(context, module, PASSES)?;
    functions(module).into_iter().for_each(|(_, body)| slots_to_start(body));
    Ok(())
}

/// `print` gets a description of its tensor, in a slot on the stack. At the start of the
/// function, it is one for all rounds of a loop; inside, each round takes another one.
fn slots_to_start(body: BlockRef) {
    let all = std::iter::successors(Some(body), |block| block.next_in_region());
    let all: Vec<_> = all.flat_map(operations).collect();
    for slot in all.into_iter().filter(|slot| name(*slot) == "llvm.alloca") {
        mutable(slot).move_before(body.first_operation().expect("there is the slot"));
        // How many there are is a constant, and comes first.
        let count = slot.operand(0).and_then(OperationResult::try_from);
        mutable(count.expect("it is the result of one").owner()).move_before(slot);
    }
}

/// Runs a program.
pub fn run(context: &Context, module: &mut Module) -> Result<(), String> {
    let engine = compile(context, module, print)?;
    // SAFETY: `main` has neither parameters nor results.
    unsafe { engine.invoke_packed("main", &mut []).map_err(|error| error.to_string()) }
}

/// Runs programs in turn, several times, without printing. Returns the shortest time that
/// each has taken, in milliseconds.
pub fn time<const N: usize>(
    context: &Context,
    programs: [&mut Module; N],
) -> Result<[f64; N], String> {
    let mut engines = Vec::new();
    for module in programs {
        engines.push(compile(context, module, ignore)?);
    }
    let mut times = [f64::INFINITY; N];
    for _ in 0..10 {
        for (engine, time) in engines.iter().zip(&mut times) {
            let start = Instant::now();
            // SAFETY: `main` has neither parameters nor results.
            unsafe { engine.invoke_packed("main", &mut []) }
                .map_err(|error| error.to_string())?;
            *time = time.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(times)
}

/// What a program calls to print.
type Print = extern "C" fn(&Unranked);

fn compile(
    context: &Context,
    module: &mut Module,
    print: Print,
) -> Result<ExecutionEngine, String> {
    lower(context, module)?;
    utility::register_all_llvm_translations(context);
    // LLVM optimizes as with `-O2`.
    let engine = ExecutionEngine::new(module, 2, &[], false, false);
    // SAFETY: the functions are called with what they take.
    unsafe {
        engine.register_symbol("_mlir_ciface_toy_print", print as *mut ());
        engine.register_symbol(memory::ALLOCATE, memory::allocate as *mut ());
        engine.register_symbol(memory::FREE, memory::free as *mut ());
    }
    Ok(engine)
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

extern "C" fn ignore(_: &Unranked) {}

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
