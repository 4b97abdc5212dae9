//! toyc as a library: many compilations in one process, each on a thread of its own.
//!
//! Input: the programs of `programs/`. Output: their output, compared with the command's expectations.

use crate::tools::{Outcome, fail, files, trial};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Language, Observer, Stage};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("library/several_threads_can_compile", several_threads),
        trial("library/compilations_are_reproducible", same_result),
        trial("library/stages_are_reached_in_order", stages_in_order),
        trial("library/going_back_to_a_stage_is_an_error", no_way_back),
        trial("library/a_failed_compilation_cannot_be_continued", after_an_error),
        trial("library/check_finds_errors_of_shapes_and_warnings", check),
        trial("library/the_library_makes_executables", executable),
        trial("library/mlir_input_enters_at_any_stage", from_any_stage),
    ]
}

const PROGRAM: &str = "def f(a, b) { return transpose(a) * b + b; }
def main() {
  var x<2, 3> = [1, 2, 3, 4, 5, 6];
  print(f(x, transpose(x)));
}
";

fn program() -> Source {
    Source::new("program.toy", PROGRAM)
}

fn at_level(level: u8) -> Config {
    Config { optimization_level: level, ..Config::default() }
}

/// The output of a program.
fn output(file: &Path, level: u8) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let source = Source::new(file.display().to_string(), text);
    match toy_compiler::run(source, at_level(level)) {
        Ok(execution) => Ok(String::from_utf8_lossy(&execution.output).into_owned()),
        Err(diagnostics) => Err(format!("{diagnostics:?}")),
    }
}

fn several_threads() -> Outcome {
    // Every fourth: the command runs them all.
    let programs: Vec<PathBuf> = files("tests/programs", &["toy"]).into_iter().step_by(4).collect();
    let compare = |file: &PathBuf, level| match (
        output(file, level),
        std::fs::read_to_string(file.with_extension("out")),
    ) {
        (Ok(found), Ok(expected)) if found == expected => None,
        (found, expected) => {
            Some(format!("{} at -O{level}: {found:?}, {expected:?}", file.display()))
        }
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let run =
            |level| programs.iter().filter_map(|file| compare(file, level)).collect::<Vec<_>>();
        let threads: Vec<_> = [0, 2, 0, 2].map(|level| scope.spawn(move || run(level))).into();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    match wrong.first() {
        Some(first) => fail(format!("{} differ: {first}", wrong.len())),
        None => Ok(()),
    }
}

fn same_result() -> Outcome {
    for stage in
        [Stage::Ast, Stage::Shapes, Stage::MemoryPlan, Stage::MlirLlvm, Stage::Asm, Stage::Obj]
    {
        let compile =
            || toy_compiler::compile(program(), at_level(1), stage).map(|compiled| compiled.bytes);
        let (Ok(first), Ok(second)) = (compile(), compile()) else {
            return fail(format!("{} is not reached", stage.name()));
        };
        if first != second || first.is_empty() {
            return fail(format!("two results of {}", stage.name()));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Log {
    stages: Vec<Stage>,
    open: Vec<String>,
    steps: usize,
}

impl Observer for Log {
    fn step_started(&mut self, step: &str) {
        self.open.push(step.to_owned());
    }

    fn step_ended(&mut self, step: &str, _: Duration) {
        assert_eq!(self.open.pop().as_deref(), Some(step));
        self.steps += 1;
    }

    fn stage_reached(
        &mut self,
        stage: Stage,
        _: &toy_compiler::Program,
    ) -> toy_compiler::diagnostic::Diagnosed<()> {
        self.stages.push(stage);
        Ok(())
    }
}

fn stages_in_order() -> Outcome {
    let mut log = Log::default();
    let mut compilation = Compilation::new(program(), Config::default());
    for stage in [Stage::Ast, Stage::Ast, Stage::Merged, Stage::MemoryPlan, Stage::Obj] {
        compilation.advance_to(stage, &mut log).map_err(|found| format!("{found:?}"))?;
        if compilation.stage() != Some(stage) {
            return fail(format!("{:?} instead of {stage:?}", compilation.stage()));
        }
    }
    let left_out = [
        Stage::Tokens,
        Stage::ToySource,
        Stage::Asm,
        Stage::Header,
        Stage::Rust,
        Stage::StaticLib,
        Stage::Lib,
        Stage::Python,
        Stage::Exe,
        Stage::Jit,
    ];
    let expected: Vec<_> =
        Stage::ALL.iter().copied().filter(|stage| !left_out.contains(stage)).collect();
    if log.stages != expected || log.steps < 20 {
        return fail(format!("{:?}, {} steps", log.stages, log.steps));
    }
    Ok(())
}

fn no_way_back() -> Outcome {
    let mut compilation = Compilation::new(program(), Config::default());
    compilation.advance_to(Stage::Linalg, &mut ()).map_err(|found| format!("{found:?}"))?;
    match compilation.advance_to(Stage::Toy, &mut ()) {
        Err(diagnostics) if diagnostics[0].message.contains("beyond the stage `toy`") => Ok(()),
        other => fail(format!("{other:?}")),
    }
}

fn after_an_error() -> Outcome {
    let source = Source::new("program.toy", "def main() { print([1, 2] + [1, 2, 3]); }");
    let mut compilation = Compilation::new(source, Config::default());
    let found = compilation.advance_to(Stage::Llvm, &mut ()).err().unwrap_or_default();
    let again = compilation.advance_to(Stage::Llvm, &mut ()).err().unwrap_or_default();
    match (found.first(), again.first()) {
        (Some(found), Some(again)) if found.code.id == "E0301" && again.code.id == "E0004" => {
            Ok(())
        }
        other => fail(format!("{other:?}")),
    }
}

fn check() -> Outcome {
    let codes = |text: &str| {
        let diagnostics = toy_compiler::check(&Source::new("program.toy", text));
        diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect::<Vec<_>>()
    };
    let tables: [(&str, &[&str]); 5] = [
        (PROGRAM, &[]),
        ("def f(a) { return a + [1, 2]; }\ndef main() { print(f([1, 2, 3])); }", &["E0301"]),
        ("def main() { var a = 1; }", &["W0101"]),
        // An error after the front end does not hide its warnings.
        ("def main() { var a = 1; print([1, 2] + [1, 2, 3]); }", &["W0101", "E0301"]),
        ("def main() { print(b); print(c); }", &["E0201", "E0201"]),
    ];
    for (text, expected) in tables {
        let found = codes(text);
        if found != expected {
            return fail(format!("{text}: {found:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

fn executable() -> Outcome {
    let folder = crate::tools::scratch("library_executable");
    let file = folder.join("program");
    let mut compilation = Compilation::new(program(), at_level(2));
    compilation.advance_to(Stage::Exe, &mut ()).map_err(|found| format!("{found:?}"))?;
    compilation
        .link(&file, None, std::process::Command::output)
        .map_err(|found| format!("{found:?}"))?;
    let printed = std::process::Command::new(file).output()?.stdout;
    let run = toy_compiler::run(program(), at_level(0)).map_err(|found| format!("{found:?}"))?;
    if printed != run.output || printed.is_empty() {
        return fail(String::from_utf8_lossy(&printed).into_owned());
    }
    Ok(())
}

fn from_any_stage() -> Outcome {
    let expected =
        toy_compiler::run(program(), at_level(0)).map_err(|found| format!("{found:?}"))?.output;
    for stage in Stage::MLIR {
        let text = toy_compiler::compile(program(), at_level(1), stage)
            .map_err(|found| format!("{found:?}"))?
            .text();
        let mut config = at_level(1);
        config.language = Language::Mlir;
        let source = Source::new("program.mlir", text);
        let run =
            toy_compiler::run(source, config).map_err(|found| format!("{stage:?}: {found:?}"))?;
        if run.output != expected {
            return fail(format!("from {stage:?}: {}", String::from_utf8_lossy(&run.output)));
        }
    }
    Ok(())
}
