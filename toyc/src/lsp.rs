//! `toyc lsp`: the language server, and the process that compiles for it.
//!
//! Input: the protocol on standard input; in a worker, one question. Output: the protocol on standard output; in a
//! worker, answers. Invariants: the server compiles nothing itself; a worker has limits of time and memory, leaves
//! no core dump, and ends with the server.

use super::command_tree::Lsp;
use super::driver::function::Functions;
use super::facts;
use mlir_support::session::Printing;
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use std::io::{BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Duration;
use toy_compiler::codegen::target;
use toy_compiler::compilation::{Compilation, Config, Observer, Program};
use toy_compiler::interface::Export;
use toy_compiler::memory_plan::MemoryPlan;
use toy_compiler::{Stage, with_large_stack};
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic};
use toy_lsp::Launcher;
use toy_lsp::facts::{Answer, Facts, Planned, Question, What};
use toy_lsp::remainder::without_errors;
use toy_lsp::settings::Settings;

/// The most memory that a worker may use, in bytes; a quarter of it is its stack, most of which it never touches.
const MEMORY_LIMIT: u64 = 4 << 30;

/// Serves until the client sends `exit` or is gone; the exit code depends on whether it sent `shutdown` before.
pub fn run(options: &Lsp) -> ExitCode {
    if options.is_worker {
        limit_this_process(options);
        return with_large_stack(work);
    }
    let launcher = std::env::current_exe().ok().map(|program| Launcher {
        program,
        arguments: vec![
            "lsp".into(),
            "--worker".into(),
            format!("--time-limit={}", options.time_limit).into(),
        ],
        limit: Duration::from_secs(options.time_limit),
    });
    let input = BufReader::new(std::io::stdin());
    // The parser recurses over brackets.
    ExitCode::from(with_large_stack(|| toy_lsp::serve(input, std::io::stdout(), launcher)))
}

/// Limits this process as far as possible; the server watches the time, too.
fn limit_this_process(options: &Lsp) {
    let limit = |resource, value| {
        let _ = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    };
    limit(Resource::As, MEMORY_LIMIT);
    limit(Resource::Cpu, options.time_limit.saturating_mul(2).max(1));
    limit(Resource::Core, 0);
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Reads a question and answers it.
fn work() -> ExitCode {
    let mut text = Vec::new();
    let read = std::io::stdin().read_to_end(&mut text);
    let Some(question) = read.ok().and_then(|_| serde_json::from_slice(&text).ok()) else {
        return ExitCode::from(2);
    };
    let Question { name, text, settings, what } = question;
    let is_answered = match what {
        What::Facts => answer_facts(&name, &text, &settings),
        What::Stage { stage, function, level } => {
            let source = Source::new(name, text);
            answer(&match stage_text(source, &stage, function, level, &settings) {
                Ok(text) => Answer::Text(text),
                Err(errors) => Answer::Failed(errors),
            })
        }
    };
    ExitCode::from(u8::from(!is_answered))
}

/// Writes an answer; false if there is no reader anymore.
fn answer(answer: &Answer) -> bool {
    let Ok(mut line) = serde_json::to_vec(answer) else { return false };
    line.push(b'\n');
    let mut out = std::io::stdout();
    out.write_all(&line).and_then(|()| out.flush()).is_ok()
}

/// Answers with the shapes of a program, then with its plan; with the shapes of the part that its errors do not touch.
fn answer_facts(name: &str, text: &str, settings: &Settings) -> bool {
    let config = match config(settings) {
        Ok(config) => config,
        Err(diagnostics) => {
            return answer(&Answer::Shapes { diagnostics, facts: Facts::default() });
        }
    };
    let all = text;
    let Some((text, known)) = without_errors(name, all, settings) else { return true };
    let (facts, mut diagnostics) = facts::of(&Source::new(name, &*text), config.clone());
    diagnostics.retain(|diagnostic| !known.contains(diagnostic));
    let is_right = diagnostics.is_empty() && text == all;
    if !answer(&Answer::Shapes { diagnostics, facts }) {
        return false;
    }
    match is_right.then(|| plan(Source::new(name, &*text), settings, config)) {
        Some(Ok(plan)) => answer(&Answer::Plan(plan)),
        // The error has been reported.
        _ => true,
    }
}

/// The configuration for these settings, at their level.
fn config(settings: &Settings) -> Diagnosed<Config> {
    // No stage before code generation needs the machine.
    let machine = target::architecture(settings.target.as_deref());
    let exports = match (Export::parse_all(&settings.exports), machine) {
        (Ok(exports), Ok(_)) => exports,
        (exports, machine) => {
            return Err(exports.err().into_iter().flatten().chain(machine.err()).collect());
        }
    };
    Ok(Config {
        optimization_level: settings.optimization_level,
        target: settings.target.clone(),
        cpu: settings.cpu.clone(),
        features: settings.features.clone(),
        exports,
        ..Config::default()
    })
}

fn plan(source: Source, settings: &Settings, config: Config) -> Diagnosed<Vec<Planned>> {
    let level = toy_lsp::commands::plan_level(settings);
    let config = Config { optimization_level: level, ..config };
    let mut compilation = Compilation::new(source, config);
    compilation.advance_to(Stage::MemoryPlan, &mut ())?;
    let planned = |plan: &MemoryPlan| {
        let arenas = plan.arenas.iter();
        let all = arenas.map(|arena| Planned {
            // The rest of a specialization's name is its shapes.
            function: arena.function.split('$').next().unwrap_or_default().to_owned(),
            bytes: arena.after,
            is_workspace: arena.is_workspace,
        });
        all.collect()
    };
    let plan = compilation.with_program(|program| match program {
        Program::MemoryPlan(plan) => planned(plan),
        _ => Vec::new(),
    });
    Ok(plan.unwrap_or_default())
}

fn stage_text(
    source: Source,
    stage: &str,
    function: Option<String>,
    level: u8,
    settings: &Settings,
) -> Diagnosed<String> {
    let is_meant = |it: &Stage| it.name() == stage || it.alias() == Some(stage);
    let Some(stage) = Stage::shown().find(is_meant) else {
        let message = format!("there is no stage `{stage}` that can be shown as text");
        let names: Vec<&str> = Stage::shown().map(Stage::name).collect();
        let help = format!("the stages are {}", names.join(", "));
        return Err(Diagnostic::not_available(message).help(help).into());
    };
    let config = Config {
        optimization_level: level,
        is_library: matches!(stage, Stage::Llvm | Stage::Asm),
        ..config(settings)?
    };
    let mut compilation = Compilation::new(source, config);
    let functions = function.map(Functions::named);
    let mut observers: Vec<Box<dyn Observer>> = Vec::new();
    // So that the fate of the functions is known.
    observers.extend(functions.iter().map(|functions| Box::new(functions) as _));
    let result = compilation.advance_to(stage, &mut observers);
    result.map_err(|errors| compilation.with_warnings(errors))?;
    let Some(functions) = &functions else {
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = compilation.write(Printing::default(), &mut text);
        return Ok(String::from_utf8_lossy(&text).into_owned());
    };
    let text = compilation.with_program(|program| functions.text(program, Printing::default()));
    Ok(text.transpose()?.unwrap_or_default())
}
