//! A compiler for Toy: `cargo run -- FILE` runs a program, and with `-emit=linalg` it
//! prints what the program becomes on the way.

mod ast;
mod errors;
mod jit;
mod lexer;
mod lower;
mod lower_ast;
mod parser;

use errors::Diagnostic;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut file, mut stage) = (None, "jit".to_string());
    for argument in std::env::args_os().skip(1) {
        match argument.to_string_lossy().strip_prefix("-emit=") {
            Some(name) => stage = name.to_string(),
            None => file = Some(argument),
        }
    }
    let file = file.ok_or("which file?")?;
    let source = std::fs::read_to_string(&file).map_err(|e| format!("{file:?}: {e}"))?;
    let linalg = compile(&source)
        .map_err(|diagnostic| diagnostic.at(&file.to_string_lossy(), &source))?;
    match stage.as_str() {
        "linalg" => show(&linalg)?,
        "jit" => jit::run(&linalg)?,
        _ => return Err(format!("there is no stage `{stage}`")),
    }
    Ok(())
}

/// `print!` would panic if the reader is gone, as in `… | head`.
fn show(text: &dyn Display) -> Result<(), String> {
    write!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

fn compile(source: &str) -> Result<String, Diagnostic> {
    let tokens = lexer::lex(source)?;
    let functions = parser::parse(&tokens, source)?;
    lower_ast::lower(&functions)
}
