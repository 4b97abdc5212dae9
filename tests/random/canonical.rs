//! The canonical form of a program is the same program.
//!
//! Input: programs, valid or not. Checked of each that parses: its canonical form parses to
//! the same tree, except for positions, is its own canonical form, and gives the interpreter the same result.

use super::Sample;
use super::tally::Tally;
use crate::interpreter::{self, Stop};
use crate::tools::{Outcome, fail};
use toy_compiler::source::Source;
use toy_compiler::syntax::ast::Module;
use toy_compiler::syntax::{dump, parse, unparse};

pub fn check(sample: &Sample, tally: &mut Tally) -> Outcome {
    let Ok(text) = std::str::from_utf8(&sample.program) else { return Ok(()) };
    let source = Source::new("program", text);
    let (module, diagnostics) = parse(&source);
    if !diagnostics.is_empty() {
        tally.count("unparsable");
        return Ok(());
    }
    tally.count("parsed");
    let canonical = Source::new("canonical", unparse::unparse(&module));
    let (again, diagnostics) = parse(&canonical);
    if let Some(diagnostic) = diagnostics.first() {
        return fail(format!("{}\n{}", diagnostic.message, canonical.text));
    }
    let trees = [(&module, &source), (&again, &canonical)];
    let dumps = trees.map(|(module, source)| without_places(&dump::dump(module, source)));
    // The dump rounds numbers and has no types of parameters.
    let is_same = dumps[0] == dumps[1] && without_spans(&module) == without_spans(&again);
    if !is_same {
        return fail(format!("another tree than that of\n{}", canonical.text));
    }
    let twice = unparse::unparse(&again);
    if twice != canonical.text {
        return fail(format!("two canonical forms:\n{}\n{twice}", canonical.text));
    }
    match (interpreter::run(&canonical.text), &sample.expected) {
        (Ok(one), Ok(other)) if one == *other => Ok(()),
        // Names in messages may be quoted with their places, and the first error, but not its kind, may depend on the
        // places.
        (Err(Stop::Wrong(one, _)), Err(Stop::Wrong(other, _))) if one == *other => Ok(()),
        // The canonical form has other lines.
        (
            Err(Stop::Failed { message, output, .. }),
            Err(Stop::Failed { message: other, output: printed, .. }),
        ) if message == *other && output == *printed => Ok(()),
        (Err(one), Err(other)) if one == *other => Ok(()),
        (one, other) => fail(format!("{one:?} instead of {other:?}:\n{}", canonical.text)),
    }
}

/// A dump without the `@name:line:column` at the ends of lines.
fn without_places(dump: &str) -> String {
    dump.lines().map(|line| line.rsplit_once('@').map_or(line, |(kept, _)| kept)).collect()
}

/// The whole tree as text, without the spans.
fn without_spans(module: &Module) -> String {
    let text = format!("{module:?}");
    let mut parts = text.split("Span { ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('}').map_or("", |(_, rest)| rest))
}
