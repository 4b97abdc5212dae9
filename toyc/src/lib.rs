//! The commands `toyc` and `toy-opt`: arguments, files, terminals, signals, the transport of pages.
//!
//! The compiler is the crate `toy-compiler`. Nothing here is meant for other programs: it is a library because both
//! commands use it.
//!
//! | module | subject |
//! |---|---|
//! | [`cli`] | the options of `toyc` |
//! | [`command_tree`] | all options of its commands, for help, completions and pages for man |
//! | [`subcommands`], [`spellings`] | its commands, and the spellings of other compilers |
//! | [`usage`] | errors in a command line |
//! | [`driver`] | one run of `toyc`: a compilation, its outputs and its observers |
//! | [`format`](mod@format) | `toyc fmt` |
//! | [`new`] | `toyc new` |
//! | [`lsp`] | `toyc lsp`: the language server, and the process that compiles for it |
//! | [`facts`] | the shapes of a program, for the language server and for pages |
//! | [`toy_opt`] | one run of `toy-opt`: any passes over any MLIR |
//! | [`serve`] | the live page; the page itself belongs to the crate `toy-report` |
//! | [`input`], [`output`] | reading the program, writing files whole or not at all |
//! | [`similar_path`] | the file that a misspelled name means |
//! | [`interrupt`], [`capture`] | signals and temporary files; MLIR's output on standard error |

pub mod capture;
pub mod cli;
pub mod command_tree;
pub mod driver;
mod facts;
pub mod format;
pub mod input;
pub mod interrupt;
pub mod lsp;
pub mod new;
pub mod output;
pub mod serve;
pub mod similar_path;
pub mod spellings;
pub mod subcommands;
pub mod toy_opt;
pub mod usage;
