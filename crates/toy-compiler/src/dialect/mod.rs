//! The Toy dialect: its definition in IRDL, the names of its operations, builders and typed views,
//! and the verifier.
//!
//! IRDL defines the dialect for MLIR (and for `mlir-opt-22 --irdl-file=`) without any C++. The price in LLVM 22:
//! generic syntax, no traits and no interfaces. So the code that ODS would have generated (verification beyond "is a
//! tensor", purity, folding, shape inference) is Rust code here and in `stages/`. One file is the definition; the
//! builders load its second part for the programs that need it. Invariant: after [`verify`] has accepted a module,
//! every Toy operation in it has the operands, types and callee that the passes rely on.
//!
//! Tutorial: chapter 3.

pub mod constant_errors;
pub mod control;
pub mod conversions;
pub mod dead;
pub mod enums;
pub mod evaluate;
pub mod gradients;
pub mod inference;
pub mod needs;
pub mod ops;
pub mod part_errors;
pub mod shape;
pub mod shape_errors;
pub mod spelling;
pub mod structs;
pub mod table;
pub mod unify;
pub mod variable;
pub mod verify;

use melior::ContextRef;
use melior::ir::Location;
use mlir_support::Session;
use mlir_support::session::load_operations;

/// The dialect's definition, as given to `mlir-opt-22 --irdl-file=`.
pub const IRDL: &str = include_str!("toy.irdl.mlir");

/// The definition as MLIR bytecode, which the compiler loads: parsing the text would add a tenth to the compile time
/// of a small program. This is the first part, with the operations that every program needs and all types.
const FIRST_PART: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/toy.irdl.mlirbc"));

/// The second part: loading it would add a fifth.
const SECOND_PART: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/toy-second.irdl.mlirbc"));

/// The runtime's printing function, which `toy.print` calls, by its name in MLIR; in C it is
/// `_mlir_ciface_toy_print`.
pub const PRINT: &str = "toy_print";

/// The dialects whose operations Toy's lowering creates.
const LOWERED: [&str; 4] = ["arith", "tensor", "linalg", "bufferization"];

/// A session with the whole Toy dialect and all dialects whose operations our passes create.
pub fn new_session() -> Session {
    let session = session_for_toy();
    load_whole_dialect(&session);
    load_lowered(&session);
    session
}

/// A session for a module that our builders create: they load the second part of the Toy dialect. Before a module is
/// parsed, [`load_whole_dialect`]; before one is lowered, [`load_lowered`].
pub fn session_for_toy() -> Session {
    let session = Session::new();
    session.load_irdl(FIRST_PART, spelling::SPELLING);
    session
}

/// Loads the second part of the Toy dialect, unless it is loaded.
pub fn load_whole_dialect(session: &Session) {
    load_operation(Location::unknown(session.context()).context(), table::SECOND_PART.name());
}

/// Makes an operation of ours known to MLIR: if it is not, it is of the second part. To be called before it is built.
pub fn load_operation(context: ContextRef, name: &str) {
    load_operations(context, name, table::SECOND_PART.name(), SECOND_PART);
}

/// Loads the dialects of control flow, which a Toy program with branches or loops needs from the start.
pub fn load_control_flow(session: &Session) {
    session.load_dialects(&["scf", "arith"]);
}

/// Loads the dialects that Toy is lowered to; with their interfaces, this takes a third of the compile time of a
/// small program.
pub fn load_lowered(session: &Session) {
    session.load_dialects(&LOWERED);
}
