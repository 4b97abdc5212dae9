//! The language reference: its examples are true, and its grammar is the parser's.
//!
//! Input: LANGUAGE.md. A block ```` ```toy ```` is a program without errors and warnings; a block
//! ```` ```text ```` right after it is its output at every optimization level, up to white space at the
//! ends of lines. ```` ```toy,E0301 ```` is a program with diagnostics of this code and of
//! no other. `main` after a comma says that the block is the body of `main`, `stops` that it ends with an error at
//! run time, whose message follows the output. The block ```` ```ebnf ```` is
//! the [`Grammar`]. Invariant: the page describes the compiler's behavior; TOYC_UPDATE=1
//! rewrites the output of programs.

use crate::grammar::Grammar;
use crate::interpreter::{self, Stop};
use crate::tools::{Outcome, Run, fail, files, is_update, root, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use toy_compiler::diagnostic::codes;
use toy_compiler::source::Source;
use toy_compiler::syntax::{lexer, parse, token::Token};
use tutorial::markdown::{Block, blocks, rewritten};

/// The grammar must decide at least this many of the tests' programs.
const ENOUGH_PROGRAMS: usize = 150;

/// One in this many of all mutants is tested: in a debug build, all of them take minutes.
const MUTANTS_SHARE: usize = 31;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("language/the_harness_can_fail", the_harness_can_fail),
        trial("language/every_code_is_named", every_code_is_named),
        trial("language/terminals_are_tokens", || with_grammar(terminals_are_tokens)),
        trial("language/grammar_of_programs", || with_grammar(grammar_of_programs)),
        trial("language/grammar_of_mutants", || with_grammar(grammar_of_mutants)),
    ];
    if is_update() {
        trials.push(trial("language/update", update));
        return trials;
    }
    match page().and_then(|page| examples(&page)) {
        Ok(examples) => trials.extend(examples.into_iter().map(|example| {
            let name = format!("language/line_{:04}", example.line);
            trial(name.clone(), move || check(&example, &name))
        })),
        Err(error) => trials.push(trial("language", || Err(error))),
    }
    trials
}

fn page() -> Result<String, Failed> {
    Ok(std::fs::read_to_string(root().join("LANGUAGE.md"))?)
}

struct Example {
    line: usize,
    program: String,
    /// The code it is an example of, if it is wrong.
    code: Option<String>,
    /// True if it ends with an error at run time.
    stops: bool,
    output: Option<String>,
}

fn examples(page: &str) -> Result<Vec<Example>, Failed> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_before = false;
    for block in blocks(page)? {
        let was_before = std::mem::replace(&mut is_before, block.info.starts_with("toy"));
        match block.info {
            "text" => match examples.last_mut() {
                Some(example) if was_before && block.follows => {
                    example.output = Some(block.text.to_owned());
                }
                _ => return fail(format!("line {}: output of no program", block.line)),
            },
            "ebnf" => {}
            _ => examples.push(example(&block)?),
        }
    }
    Ok(examples)
}

fn example(block: &Block) -> Result<Example, Failed> {
    let (mut program, mut code, mut stops) = (block.text.to_owned(), None, false);
    for (index, word) in block.info.split(',').enumerate() {
        match word {
            "toy" if index == 0 => {}
            "stops" if index > 0 => stops = true,
            "main" if index > 0 => program = format!("def main() {{\n{program}}}\n"),
            _ if index > 0 && codes::ALL.iter().any(|known| known.id == word) => {
                code = Some(word.to_owned());
            }
            _ => return fail(format!("line {}: what is a block `{}`?", block.line, block.info)),
        }
    }
    Ok(Example { line: block.line, program, code, stops, output: None })
}

fn check(example: &Example, test: &str) -> Outcome {
    interpreted(example)?;
    let directory = scratch(test);
    std::fs::write(directory.join("example.toy"), &example.program)?;
    for level in ["-O0", "-O2"] {
        let run = toyc(["example.toy", "-emit=jit", "--error-format=json", level]);
        let run = run.current_dir(&directory).run()?;
        if example.stops {
            let output = example.output.as_deref().unwrap_or_default();
            if run.status != Some(1) || !trimmed(&with_message(&run)).eq(trimmed(output)) {
                return run.complain(format!("expected status 1 and\n{output}"));
            }
            continue;
        }
        if !run.codes()?.iter().eq(&example.code) {
            return run.complain(format!("expected {:?}\n{}", example.code, example.program));
        }
        let is_error = example.code.as_ref().is_some_and(|code| code.starts_with('E'));
        if (run.status == Some(0)) == is_error {
            return run.complain("not the expected exit status");
        }
        if let Some(output) = &example.output
            && !trimmed(&run.out()).eq(trimmed(output))
        {
            return run.complain(format!("expected\n{output}"));
        }
    }
    Ok(())
}

/// The interpreter is of the same opinion.
fn interpreted(example: &Example) -> Outcome {
    let Some(expected) = &example.output else { return Ok(()) };
    let output = match interpreter::run(&example.program) {
        Ok(output) => output,
        Err(Stop::Failed { line, message, output }) => {
            format!("{output}\nexample.toy:{line}: error: {message}\n")
        }
        Err(stop) => return fail(format!("the interpreter says {stop:?}")),
    };
    if trimmed(&output).eq(trimmed(expected)) {
        return Ok(());
    }
    fail(format!("the interpreter prints\n{output}instead of\n{expected}"))
}

/// The output, and the text on standard error in lines of its own.
fn with_message(run: &Run) -> String {
    let output = run.out();
    let end = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    format!("{output}{end}{}", run.stderr)
}

/// The lines without trailing white space.
fn trimmed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end)
}

fn update() -> Outcome {
    let page = page()?;
    let mut program = String::new();
    let actual = rewritten::<Failed>(&page, |block| match block.info {
        "text" => {
            let directory = scratch("language/update");
            std::fs::write(directory.join("example.toy"), &program)?;
            let run = toyc(["example.toy", "-emit=jit"]).current_dir(directory).run()?;
            Ok(trimmed(&with_message(&run)).map(|line| format!("{line}\n")).collect())
        }
        info => {
            if info.starts_with("toy") {
                program = example(block)?.program;
            }
            Ok(block.text.to_owned())
        }
    })?;
    Ok(std::fs::write(root().join("LANGUAGE.md"), actual)?)
}

/// The reference has a rule, and names it, for whatever can be wrong with a program.
fn every_code_is_named() -> Outcome {
    let page = page()?;
    let of_language = ["E01", "E02", "E03", "W01"];
    let is_missing = |code: &&codes::Code| {
        of_language.iter().any(|class| code.id.starts_with(class)) && !page.contains(code.id)
    };
    let missing: Vec<_> =
        codes::ALL.iter().filter(is_missing).map(|code| code.id.to_owned()).collect();
    if missing.is_empty() { Ok(()) } else { fail(format!("not named: {}", missing.join(", "))) }
}

/// Calls the test with the grammar, and with the stack that 256 brackets take.
fn with_grammar(test: fn(&str, &Grammar) -> Outcome) -> Outcome {
    let page = page()?;
    let blocks = blocks(&page)?;
    let Some(block) = blocks.iter().find(|block| block.info == "ebnf") else {
        return fail("there is no grammar");
    };
    std::thread::scope(|scope| {
        let test = || test(&page, &Grammar::new(block.text));
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, test)?;
        thread.join().unwrap_or_else(|_| fail("the test panicked"))
    })
}

fn terminals_are_tokens(_page: &str, grammar: &Grammar) -> Outcome {
    if !grammar.undefined.is_empty() {
        return fail(format!("no rule for {:?}", grammar.undefined));
    }
    for terminal in &grammar.terminals {
        let source = Source::new("terminal", *terminal);
        let (tokens, diagnostics) = lexer::lex(&source);
        if tokens.len() != 1 || !diagnostics.is_empty() || tokens[0].0.kind() == "Identifier" {
            return fail(format!("`{terminal}` is no token: {tokens:?}"));
        }
    }
    let is_word = |terminal: &&str| terminal.starts_with(char::is_alphabetic);
    let keywords = Token::FIXED.iter().filter(|token| token.is_keyword()).map(Token::spelling);
    let keywords: BTreeSet<&str> = keywords.collect();
    if !grammar.terminals.iter().copied().filter(is_word).eq(keywords) {
        return fail("the grammar has other keywords than the lexer");
    }
    Ok(())
}

/// True if the parser accepts a text; None if an error is about something else than the order of
/// tokens (bad numbers, limits).
fn verdict(source: &Source) -> Option<bool> {
    let (_, diagnostics) = parse(source);
    let is_about_order = |code: codes::Code| code == codes::UNEXPECTED_TOKEN;
    let is_decided = diagnostics.iter().all(|diagnostic| is_about_order(diagnostic.code));
    is_decided.then_some(diagnostics.is_empty())
}

fn tokens(source: &Source) -> Vec<&str> {
    lexer::lex(source).0.iter().map(|(_, span)| source.snippet(*span)).collect()
}

/// All programs of the tests, good and bad.
fn grammar_of_programs(_page: &str, grammar: &Grammar) -> Outcome {
    let mut counts = [0, 0];
    for directory in ["tests/programs", "tests/diagnostics", "examples"] {
        for file in files(directory, &["toy"]) {
            // Not all of the bad ones are text.
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let source = Source::new("program", text);
            let Some(is_program) = verdict(&source) else { continue };
            agree(grammar, &source, is_program, &file)?;
            counts[usize::from(is_program)] += 1;
        }
    }
    let is_enough = counts.iter().sum::<usize>() >= ENOUGH_PROGRAMS && counts[0] >= 40;
    if is_enough { Ok(()) } else { fail(format!("only {counts:?} programs, bad and good")) }
}

/// The first example of the page with a token added or replaced, or one or two removed, at every place; every
/// place gets some of the tokens there are.
fn grammar_of_mutants(page: &str, grammar: &Grammar) -> Outcome {
    let Some(example) = examples(page)?.into_iter().next() else { return fail("no example") };
    let source = Source::new("example", example.program);
    let original = tokens(&source);
    let missing: Vec<_> =
        grammar.terminals.iter().filter(|terminal| !original.contains(terminal)).collect();
    if !missing.is_empty() {
        return fail(format!("the first example is to show everything, also {missing:?}"));
    }
    let others: Vec<&str> = grammar.terminals.iter().copied().chain(["x", "1"]).collect();
    let mut counts = [0, 0];
    for at in 0..=original.len() {
        let others = others.iter().skip(at % MUTANTS_SHARE).step_by(MUTANTS_SHARE);
        let edits = others.flat_map(|other| [(0, Some(*other)), (1, Some(*other))]);
        for (index, (removed, inserted)) in edits.chain([(1, None), (2, None)]).enumerate() {
            let mut mutant = original.clone();
            let end = (at + removed).min(original.len());
            mutant.splice(at..end, inserted);
            // The parser looks at line ends to recover from errors, and for nothing else.
            let space = if index % 2 == 0 { " " } else { "\n" };
            let source = Source::new("mutant", mutant.join(space));
            let Some(is_program) = verdict(&source) else { continue };
            agree(grammar, &source, is_program, Path::new(&mutant.join(" ")))?;
            counts[usize::from(is_program)] += 1;
        }
    }
    if counts.iter().all(|count| *count > 50) { Ok(()) } else { fail(format!("{counts:?}")) }
}

fn agree(grammar: &Grammar, source: &Source, is_program: bool, what: &Path) -> Outcome {
    if grammar.derives("program", &tokens(source)) == is_program {
        return Ok(());
    }
    let (parser, grammar) = if is_program { ("accepts", "does not") } else { ("rejects", "does") };
    fail(format!("the parser {parser} what the grammar {grammar} derive: {}", what.display()))
}

/// Checks that wrong examples fail.
fn the_harness_can_fail() -> Outcome {
    let all = |page: &str, test: &str| {
        let test = format!("language/not_{test}");
        examples(page)?.iter().try_for_each(|example| check(example, &test))
    };
    let good = "```toy,main\nprint(1);\n```\n\n```text\n1.000000\n```\n\n\
                ```toy,E0201\ndef main() { print(a); }\n```\n\n\
                ```toy,W0103,main\n1;\n```\n";
    all(good, "good")?;
    for (name, page) in [
        ("output", good.replace("1.000000", "2.000000")),
        ("more_output", good.replace("1.000000", "1.000000\n")),
        ("error", good.replace("print(1)", "print(b)")),
        ("warning", good.replace("print(1)", "print(1); 1")),
        ("other_code", good.replace("E0201", "E0202")),
        ("no_error", good.replace("print(a)", "print(1)")),
        ("two_codes", good.replace("print(a)", "print(a + f())")),
        ("no_warning", good.replace("\n1;", "\nprint(1);")),
        ("info", good.replace("toy,main", "toy,mian")),
        ("language", good.replace("toy,main", "c,main")),
        ("text_of_nothing", good.replace("\n\n```text", "\n\nIt prints\n\n```text")),
        ("unclosed", good.replace("print(1);\n```", "print(1);")),
    ] {
        if all(&page, name).is_ok() {
            return fail(format!("`{name}` should have failed"));
        }
    }
    let grammar = Grammar::new(
        "list = \"[\" { item | ! \"1\" NUMBER | IN … } \"]\" item = \"x\" [ list ]
        IN = \"i\" \"n\" NUMBER = \"1\" … \"8\" { DIGIT } DIGIT = \"0\" … \"9\"",
    );
    let table = [
        ("[ ]", true),
        ("[ x x [ 20 ] 3 ]", true),
        ("[ 1 ]", false),
        ("[ x", false),
        ("[ in 1 x ]", true),
        ("[ i 1 ]", false),
    ];
    for (row, is_derived) in table.into_iter().chain([("[ 90 ]", false), ("[ ] x", false)]) {
        let symbols: Vec<&str> = row.split(' ').collect();
        if grammar.derives("list", &symbols) != is_derived {
            return fail(format!("`{row}`"));
        }
    }
    Ok(())
}
