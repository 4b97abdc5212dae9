//! The language server of Toy: answers to editors while a program is written.
//!
//! Input: messages of the Language Server Protocol, and a [`Launcher`] for the process that compiles. Output:
//! answers, diagnostics, and the status that the process should exit with. Invariants: nothing that arrives ends the
//! server but `exit` and the end of the input; it compiles nothing itself, so that no program can crash or
//! stop it; a keystroke is answered from the text alone, and shapes follow when they are known; the last good shapes
//! stay with the text while it is not a program.
//!
//! | module | contents |
//! |---|---|
//! | [`transport`] | bytes and messages, also when they are malformed |
//! | [`server`] | the order of events: lifecycle, queue, cancellation |
//! | [`requests`], [`client`] | the requests and their answers; the capabilities of the client |
//! | [`checks`] | when the worker is asked, and the use of its answers |
//! | [`running`] | the workers that run; their messages and the client's |
//! | [`worker`], [`facts`] | the process that compiles, and its facts |
//! | [`settings`] | the settings of editors, as options of the command line |
//! | [`document`], [`positions`], [`names`] | a text, its places, and the meanings of its names |
//! | [`unfinished`] | errors of a text that is being edited |
//! | [`remainder`] | the part of a program that its errors do not touch |
//! | [`features`] | the answers, a module for each kind of request |
//! | [`commands`], [`workspace`] | targets of code lenses; files that are not open |

#![deny(missing_docs)]

mod checks;
mod client;
pub mod commands;
mod document;
pub mod facts;
mod features;
mod names;
mod positions;
pub mod remainder;
mod requests;
mod running;
mod server;
pub mod settings;
mod transport;
mod unfinished;
mod worker;
mod workspace;

pub use features::hints::of_program as hints;
pub use server::serve;
pub use worker::Launcher;
