//! Compiles a program with the library `toyc`, runs it, and shows one stage and the passes before it.
//! `cargo run --example library`

use std::time::Duration;
use toyc::source::Source;
use toyc::{Compilation, Config, Observer, Stage, diagnostic::render};

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

    // In one call: the program runs in this process.
    match toyc::run(source(), Config::default()) {
        Ok(execution) => println!("{}", String::from_utf8_lossy(&execution.output)),
        Err(diagnostics) => print!("{}", render::render(&diagnostics, Some(&source()), false)),
    }

    // Stage by stage, with an observer.
    let mut compilation = Compilation::new(source(), Config::default());
    compilation.advance_to(Stage::Shapes, &mut Steps).expect("the program is right");
    compilation.write(Default::default(), &mut std::io::stdout()).expect("there is a reader");
}
