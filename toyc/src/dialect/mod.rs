//! The Toy dialect: its definition in IRDL, the names of its operations, builders and typed views,
//! and the verifier.
//!
//! IRDL gives the dialect to MLIR (and to `mlir-opt-22 --irdl-file=`) without a line of C++. Its
//! price in LLVM 22: generic syntax, no traits and no interfaces. So what ODS would have derived
//! (verification beyond "is a tensor", purity, folding, shape inference) is Rust code here and in
//! `transform/`. Invariant: after [`verify`] has accepted a module, every Toy operation in it
//! has the operands, types and callee that the passes rely on.
//!
//! Tutorial: chapter 3.

pub mod complaints;
pub mod layout;
pub mod ops;
pub mod shape;
pub mod spelling;
pub mod structs;
pub mod unify;
pub mod variable;
pub mod verify;

/// The dialect's definition, as given to `mlir-opt-22 --irdl-file=`.
pub const IRDL: &str = include_str!("toy.irdl.mlir");

/// The same as MLIR's bytecode, as loaded: reading the text would be a tenth of what a small program costs.
pub const IRDL_BYTECODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/toy.irdl.mlirbc"));
