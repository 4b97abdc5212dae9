//! A compiler for Toy: `cargo run -- FILE` runs a program, and with `-emit=STAGE` it
//! prints what the program becomes on the way. `--memory` says how much memory it has
//! used, and `-O0` is without optimizations.

mod ast;
mod bufferize;
mod check;
mod dialect;
mod errors;
mod free;
mod jit;
mod lexer;
mod linalg;
mod lower_ast;
mod memory;
mod parser;
mod passes;
mod plan;
mod rewrite;
mod source;
mod specialize;
mod verify;

use errors::Diagnostic;
use melior::Context;
use melior::ir::Module;
use source::Source;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// What a program becomes after the Toy dialect, in order.
const STAGES: [&str; 4] = ["linalg", "memref", "merged", "dealloc"];

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
    let (mut optimize, mut memory) = (true, false);
    for argument in std::env::args_os().skip(1) {
        match argument.to_string_lossy().strip_prefix("-emit=") {
            Some(name) => stage = name.to_string(),
            None if argument == "-O0" => optimize = false,
            None if argument == "--memory" => memory = true,
            None => file = Some(argument),
        }
    }
    let file = file.ok_or("which file?")?;
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{file:?}: {e}"))?;
    let source = Source::new(file.to_string_lossy().into_owned(), text);
    let context = dialect::context();
    let report = |diagnostics: Vec<Diagnostic>| {
        diagnostics.iter().for_each(|diagnostic| diagnostic.print(&source));
        format!("{} has errors: {}", source.file, diagnostics.len())
    };
    let module = parse(&context, &source).map_err(report)?;
    if stage == "toy" {
        return show(&module.as_operation());
    }
    let mut module = specialize(&context, &module, &source).map_err(report)?;
    if optimize {
        rewrite::rewrite(&context, &module)?;
    }
    if stage == "shapes" {
        return show(&module.as_operation());
    }
    for next in STAGES {
        if stage == "plan" && next == "merged" {
            return show(&plan::plan(&context, &module));
        }
        advance(&context, &mut module, next, optimize)?;
        if stage == next {
            if stage == "memref" {
                show(&bufferize::counts(&module))?;
            }
            return show(&module.as_operation());
        }
    }
    match stage.as_str() {
        "jit" => jit::run(&context, &mut module)?,
        _ => return Err(format!("there is no stage `{stage}`")),
    }
    if memory {
        return show(&format!("{}\n", memory::report()));
    }
    Ok(())
}

/// `print!` would panic if the reader is gone, as in `… | head`.
fn show(text: &dyn Display) -> Result<(), String> {
    write!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

/// Makes the program of a stage of the one before.
fn advance<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    stage: &str,
    optimize: bool,
) -> Result<(), String> {
    match stage {
        "linalg" => {
            linalg::lower(context, module)?;
            if optimize { linalg::fuse(context, module) } else { Ok(()) }
        }
        "memref" => bufferize::bufferize(context, module, optimize),
        "merged" => {
            if optimize {
                plan::plan(context, module);
            }
            Ok(())
        }
        _ => free::free(context, module),
    }
}

/// The program in the Toy dialect.
fn parse<'c>(
    context: &'c Context,
    source: &Source,
) -> Result<Module<'c>, Vec<Diagnostic>> {
    let tokens = lexer::lex(&source.text)?;
    let functions = parser::parse(&tokens, &source.text)?;
    check::check(&functions)?;
    lower_ast::lower(context, &functions, source).map_err(|diagnostic| vec![diagnostic])
}

/// The program once more, with all shapes known and found to fit.
fn specialize<'c>(
    context: &'c Context,
    module: &Module<'c>,
    source: &Source,
) -> Result<Module<'c>, Vec<Diagnostic>> {
    let specialized = specialize::specialize(context, module, source);
    let specialized = specialized.map_err(|diagnostic| vec![diagnostic])?;
    verify::verify(&specialized, source)?;
    Ok(specialized)
}
