//! Compiles a program with the library `toy-compiler`, runs it, and shows one stage and the passes before it.
//! `cargo run --example library`

use std::time::Duration;
use toy_compiler::diagnostic::render;
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Observer, Stage};

const PROGRAM: &str = "
def f(a, b) { return transpose(a) * b; }
def main() { print(f([[1, 2], [3, 4]], [[10, 20], [30, 40]])); }
";

/// Prints the name of every step.
struct Steps;

impl Observer for Steps {
    fn step_ended(&mut self, step: &str, _: Duration) {
        println!("{step}");
    }
}

fn main() {
    let source = || Source::new("f.toy", PROGRAM);

    // One call: the program runs in this process.
    match toy_compiler::run(source(), Config::default()) {
        Ok(execution) => println!("{}", String::from_utf8_lossy(&execution.output)),
        Err(diagnostics) => print!("{}", render::render(&diagnostics, Some(&source()), false)),
    }

    // Stage by stage, with an observer.
    let mut compilation = Compilation::new(source(), Config::default());
    compilation.advance_to(Stage::Shapes, &mut Steps).expect("the program is right");
    compilation.write(Default::default(), &mut std::io::stdout()).expect("there is a reader");
}
