//! The commands `toyc` and `toy-opt`: arguments, files, terminals, signals, pages.
//!
//! | module | what it is about |
//! |---|---|
//! | [`cli`] | the command line of `toyc` |
//! | [`driver`] | one run of `toyc`: a compilation, its outputs and its observers |
//! | [`toy_opt`] | one run of `toy-opt`: any passes over any MLIR |
//! | [`report`] | the page of `--report` |
//! | [`input`], [`output`] | reading the program, writing files whole or not at all |
//! | [`interrupt`], [`capture`] | signals and temporary files; what MLIR writes to standard error |
//!
//! Invariant: the library does not know this module (a test in `tests/architecture.rs` checks it).

pub mod capture;
pub mod cli;
pub mod driver;
pub mod input;
pub mod interrupt;
pub mod output;
pub mod report;
pub mod toy_opt;
