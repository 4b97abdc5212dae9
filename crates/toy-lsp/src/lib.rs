//! The language server of Toy: what editors ask while a program is written.
//!
//! Input: messages of the Language Server Protocol, and a [`Launcher`] for the process that compiles. Output:
//! answers, diagnostics, and the status that the process should exit with. Invariants: nothing that arrives ends the
//! server but `exit` and the end of the input; it compiles nothing itself, so that no program can crash or
//! stop it; a keystroke is answered from the text alone, and shapes follow when they are known; the last good shapes
//! stay with the text while it is not a program.
//!
//! | module | what it is about |
//! |---|---|
//! | [`transport`] | bytes and messages, also when they are malformed |
//! | [`server`] | the order of events: lifecycle, queue, cancellation |
//! | [`requests`] | which request is answered by what |
//! | [`checks`] | when the worker is asked, and what becomes of its answers |
//! | [`running`], [`events`] | the workers that run; what they and the client send |
//! | [`worker`], [`facts`] | the process that compiles, and what it knows |
//! | [`settings`] | what the command line says as options |
//! | [`document`], [`positions`], [`names`] | a text, its places, and what its names mean |
//! | [`uris`] | the paths of files, and how clients write them |
//! | [`unfinished`] | errors of a text that is being typed |
//! | [`features`] | the answers, a module for each kind of request |
//! | [`commands`], [`docs`], [`workspace`] | what code lenses lead to; the builtins in words; files that are not open |

#![deny(missing_docs)]

mod checks;
pub mod commands;
mod docs;
mod document;
mod events;
pub mod facts;
mod features;
mod names;
mod positions;
mod requests;
mod running;
mod server;
pub mod settings;
mod transport;
mod unfinished;
mod uris;
mod worker;
mod workspace;

pub use server::serve;
pub use worker::Launcher;
