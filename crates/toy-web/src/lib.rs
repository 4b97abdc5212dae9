//! The front end of Toy for web pages: errors as one types, the formatter, tokens and the tree.
//!
//! Input: a program, which the page writes into the module's memory: as many bytes as it asks room for with [`room`]. Output:
//! text in UTF-8: each question about the program returns its length, and [`answer`] where it is. Invariant: any bytes
//! have answers; those outside of UTF-8 are replaced.
//!
//! The module is made with
//!
//! ```sh
//! cargo build -p toy-web --profile web --target wasm32-unknown-unknown
//! ```
//!
//! and `tutorial/site/edit.js` asks it.

#![deny(missing_docs)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use toy_diagnostics::json::render_json;
use toy_diagnostics::source::Source;
use toy_syntax::builtins::BUILTINS;
use toy_syntax::{analyze, dump, lexer, parse};

/// The program, and the answer to the last question about it.
struct Page {
    program: Vec<u8>,
    answer: String,
}

static PAGE: Mutex<Page> = Mutex::new(Page { program: Vec::new(), answer: String::new() });

fn page() -> MutexGuard<'static, Page> {
    PAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place for a program of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(size: usize) -> *mut u8 {
    let mut page = page();
    page.program = vec![0; size];
    page.program.as_mut_ptr()
}

/// The place of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    page().answer.as_ptr()
}

/// The errors of the program, or its warnings: an object of JSON in each line, as `--error-format json` writes it.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> usize {
    answered(|source| render_json(&analyze(source).1, Some(source)))
}

/// The program in the layout of the style guide; nothing if it has syntax errors.
#[unsafe(no_mangle)]
pub extern "C" fn format() -> usize {
    answered(|source| toy_format::format(source).unwrap_or_default())
}

/// The text of `-emit=tokens`.
#[unsafe(no_mangle)]
pub extern "C" fn tokens() -> usize {
    answered(|source| lexer::dump_tokens(source).0)
}

/// The text of `-emit=ast`; nothing if the program has syntax errors.
#[unsafe(no_mangle)]
pub extern "C" fn tree() -> usize {
    answered(|source| match parse(source) {
        (module, errors) if errors.is_empty() => dump::dump(&module, source),
        _ => String::new(),
    })
}

/// The names of the builtins, whatever the program is.
#[unsafe(no_mangle)]
pub extern "C" fn builtins() -> usize {
    let names: Vec<_> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    answered(|_| names.join(" "))
}

/// Asks a question about the program: the length of the answer.
fn answered(question: impl Fn(&Source) -> String) -> usize {
    let mut page = page();
    let text = String::from_utf8_lossy(&page.program).into_owned();
    page.answer = question(&Source::new("program.toy", text));
    page.answer.len()
}
