//! A compiler for Toy: `cargo run -- FILE` runs a program, and with `-emit=toy` or
//! `-emit=linalg` it prints what the program becomes on the way.

mod ast;
mod check;
mod dialect;
mod errors;
mod jit;
mod lexer;
mod lower;
mod lower_ast;
mod parser;
mod source;
mod verify;

use errors::Diagnostic;
use melior::Context;
use melior::ir::Module;
use source::Source;
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
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{file:?}: {e}"))?;
    let source = Source::new(file.to_string_lossy().into_owned(), text);
    let context = dialect::context();
    let module = compile(&context, &source).map_err(|diagnostics| {
        diagnostics.iter().for_each(|diagnostic| diagnostic.print(&source));
        format!("{} has errors: {}", source.file, diagnostics.len())
    })?;
    if stage == "toy" {
        return show(&module.as_operation());
    }
    let mut module = lower::lower(&context, &module)?;
    match stage.as_str() {
        "linalg" => show(&module.as_operation())?,
        "jit" => jit::run(&context, &mut module)?,
        _ => return Err(format!("there is no stage `{stage}`")),
    }
    Ok(())
}

/// `print!` would panic if the reader is gone, as in `… | head`.
fn show(text: &dyn Display) -> Result<(), String> {
    write!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

/// The program in the Toy dialect.
fn compile<'c>(
    context: &'c Context,
    source: &Source,
) -> Result<Module<'c>, Vec<Diagnostic>> {
    let tokens = lexer::lex(&source.text)?;
    let functions = parser::parse(&tokens, &source.text)?;
    check::check(&functions)?;
    let module = lower_ast::lower(context, &functions, source)
        .map_err(|diagnostic| vec![diagnostic])?;
    verify::verify(&module, source)?;
    Ok(module)
}
