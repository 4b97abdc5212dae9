//! A compiler for Toy: `cargo run -- FILE` runs a program, `-o NAME` makes an executable,
//! for another machine with `--target`, and for a debugger with `-g`. With `-emit=STAGE`,
//! it prints what the program becomes on the way. `--memory` says how much memory it has
//! used, `--time` what tiles are good for, and `-O0` is without optimizations.

mod ast;
mod bufferize;
mod check;
mod control;
mod dialect;
mod errors;
mod free;
mod jit;
mod lexer;
mod linalg;
mod loops;
mod lower_ast;
mod memory;
mod native;
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
const STAGES: [&str; 5] = ["linalg", "memref", "merged", "dealloc", "loops"];

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
    let (mut file, mut stage, mut output, mut target) =
        (None, "jit".to_string(), None, None);
    let (mut optimize, mut memory, mut time, mut debug) = (true, false, false, false);
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        match text.as_str() {
            "-O0" => optimize = false,
            "--memory" => memory = true,
            "--time" => time = true,
            "-g" => debug = true,
            "-o" => output = Some(arguments.next().ok_or("`-o` needs a file")?),
            "--target" => {
                target = Some(arguments.next().ok_or("`--target` needs a name")?)
            }
            _ => match text.strip_prefix("-emit=") {
                Some(name) => stage = name.to_string(),
                None if text.starts_with('-') => {
                    return Err(format!("there is no option `{text}`"));
                }
                None => file = Some(argument),
            },
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
        if time && next == "loops" {
            return compare(&context, &mut module);
        }
        advance(&context, &mut module, next, optimize)?;
        if stage == next {
            if stage == "memref" {
                show(&bufferize::counts(&module))?;
            }
            return show(&module.as_operation());
        }
    }
    let target = target.map(|target| target.to_string_lossy().into_owned());
    let machine = native::Machine::new(target.as_deref(), optimize, debug)?;
    match (stage.as_str(), output) {
        ("jit", Some(output)) => machine.link(&context, &mut module, output.as_ref())?,
        ("jit", None) => jit::run(&context, &mut module)?,
        ("llvm", _) => show(&machine.llvm(&context, &mut module)?)?,
        ("asm", _) => show(&machine.assembly(&context, &mut module)?)?,
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
        "dealloc" => free::free(context, module),
        _ if optimize => loops::tile(context, module),
        _ => Ok(()),
    }
}

/// How much faster a program is with tiles.
fn compare<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), String> {
    let copy = Module::parse(context, &module.as_operation().to_string());
    let mut copy = copy.expect("MLIR reads what it writes");
    loops::tile(context, module)?;
    let [plain, tiled] = jit::time(context, [&mut copy, module])?;
    let ratio = plain / tiled;
    let text = format!(
        "plain loops {plain:.3} ms, tiles {tiled:.3} ms: {ratio:.1} times as fast\n"
    );
    show(&text)
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
