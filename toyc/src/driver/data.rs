//! The arguments of a program: `toyc run FILE ARGUMENT...`, and the files in `--main`.
//!
//! Input: the options. Output: the function that the program runs, for the shapes of its arguments; and what the program
//! gets. The runtime reads the files, here for their shapes only.

use crate::cli::Options;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use toy_compiler::codegen::data;
use toy_compiler::compilation::Arguments;
use toy_compiler::interface::{Export, TensorType};
use toy_diagnostics::{Diagnosed, Diagnostic, all};

/// The function that the program runs; None is `main`, without arguments that are known here.
pub fn main(options: &Options) -> Diagnosed<Option<Export>> {
    if let Some(text) = &options.main {
        return Ok(Some(Export::parse_main(&with_shapes(text)?)?));
    }
    if options.arguments.is_empty() {
        return Ok(None);
    }
    let types = all(options.arguments.iter().map(|argument| ty(argument)))?;
    Ok(Some(Export::main(types)))
}

/// The arguments for a run; `takes_words` is false for a `main` with neither parameters nor a result.
pub fn arguments(options: &Options, takes_words: bool, planned: u64) -> Arguments {
    let runs = options.benchmark;
    let mut words = Vec::new();
    if takes_words {
        words.extend((runs > 0).then(|| c_string(OsStr::new(&format!("--benchmark={runs}")))));
        if let Some(output) = &options.output {
            words.extend([c"-o".to_owned(), c_string(output.as_os_str())]);
        }
        words.push(c"--".to_owned());
        words.extend(options.arguments.iter().map(|argument| c_string(argument)));
    }
    Arguments { words, runs, planned }
}

fn ty(argument: &OsStr) -> Result<TensorType, Diagnostic> {
    data::ty(&c_string(argument))
}

/// An argument for the runtime. (No argument of a process has a 0 in it.)
fn c_string(text: &OsStr) -> CString {
    CString::new(text.as_bytes()).unwrap_or_default()
}

/// The text of `--main` with the shapes of its files in place of their names.
fn with_shapes(text: &str) -> Result<String, Diagnostic> {
    let Some((function, arguments)) = text.split_once('(') else { return Ok(text.to_owned()) };
    let mut written = format!("{function}(");
    for piece in arguments.split_inclusive([',', '(', ')', '{', '}']) {
        let name = piece.trim_end_matches([',', '(', ')', '{', '}']).trim();
        let is_file = |extension| name.to_ascii_lowercase().ends_with(extension);
        match [".npy", ".csv", ".tsv"].into_iter().any(is_file) {
            true => written += &piece.replace(name, &ty(OsStr::new(name))?.to_string()),
            false => written += piece,
        }
    }
    Ok(written)
}
