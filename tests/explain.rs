//! The pages of `--explain`: each agrees with its code, and its examples are compiled.
//!
//! Input: the page of every code. Its first line is `# CODE: TITLE`; under `## Wrong` and `## Right` are examples, in
//! blocks ```` ```toy ````, ```` ```mlir ```` or ```` ```console ````. A program in Wrong has diagnostics of this code
//! and of no other, a program in Right has none, not even warnings; options follow the language after a comma, the
//! default is `-emit=llvm`. Lines `$ command` in a console block are run one by one in an empty directory: in Wrong the
//! last one shows the code and fails if it is an error's, in Right all succeed. A code without an example says why
//! under `## No example`.

use crate::filecheck::bash;
use crate::tools::{Outcome, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use toy_compiler::diagnostic::{Code, codes};
use tutorial::markdown::blocks;

/// The codes of errors that no example can provoke.
const WITHOUT_EXAMPLE: [&str; 1] = ["E0900"];

pub fn trials() -> Vec<Trial> {
    let pages = codes::ALL
        .iter()
        .map(|code| trial(format!("explain/{}", code.id), move || check(code, code.page, code.id)));
    let others = [
        trial("explain/the_harness_can_fail", the_harness_can_fail),
        trial("explain/every_page_has_a_code", every_page_has_a_code),
        trial("explain/command_line", command_line),
    ];
    pages.chain(others).collect()
}

/// A block of a page.
struct Example<'p> {
    is_wrong: bool,
    language: &'p str,
    options: Vec<&'p str>,
    text: &'p str,
}

fn check(code: Code, page: &str, test: &str) -> Outcome {
    let title = format!("# {}: {}", code.id, code.title);
    if page.lines().next() != Some(title.as_str()) {
        return fail(format!("the page does not start with `{title}`"));
    }
    if code.lint.is_some_and(|name| !page.contains(&format!("`{name}`"))) {
        return fail("the page does not say the name of the warning, in backquotes");
    }
    let examples = examples(page)?;
    let is_there = |wrong: bool| examples.iter().any(|example| example.is_wrong == wrong);
    match (WITHOUT_EXAMPLE.contains(&code.id), is_there(true) && is_there(false)) {
        (true, _) if !page.lines().any(|line| line == "## No example") || !examples.is_empty() => {
            return fail("there can be no example, and the page does not say so");
        }
        (false, false) => return fail("no example under `## Wrong` or under `## Right`"),
        _ => {}
    }
    for (index, example) in examples.iter().enumerate() {
        let directory = scratch(&format!("explain/{test}/{index}"));
        match example.language {
            "console" => run_commands(code, example, &directory)?,
            _ => compile(code, example, directory)?,
        }
    }
    Ok(())
}

fn examples(page: &str) -> Result<Vec<Example<'_>>, Failed> {
    let mut examples = Vec::new();
    for block in blocks(page)? {
        let (language, options) = block.info.split_once(',').unwrap_or((block.info, "-emit=llvm"));
        if !["toy", "mlir", "console"].contains(&language) {
            return fail(format!("a block in the language `{language}`"));
        }
        if !["## Wrong", "## Right"].contains(&block.section) {
            return fail(format!("a block in the section `{}`", block.section));
        }
        examples.push(Example {
            is_wrong: block.section == "## Wrong",
            language,
            options: options.split_whitespace().collect(),
            text: block.text,
        });
    }
    Ok(examples)
}

fn compile(code: Code, example: &Example, directory: PathBuf) -> Outcome {
    let file = format!("example.{}", example.language);
    std::fs::write(directory.join(&file), example.text)?;
    let arguments = [file.as_str(), "--error-format=json"];
    let arguments = arguments.iter().chain(&example.options);
    let run = toyc(arguments).current_dir(&directory).run()?;
    let found = run.codes()?;
    let expected: Vec<&str> = if example.is_wrong { vec![code.id] } else { vec![] };
    if !found.iter().eq(&expected) {
        return run.complain(format!("expected {expected:?}, got {found:?}\n{}", example.text));
    }
    let fails = example.is_wrong && is_error(code);
    if (run.status == Some(0)) == fails {
        return run.complain("not the expected exit status");
    }
    Ok(())
}

fn is_error(code: Code) -> bool {
    code.id.starts_with('E')
}

fn run_commands(code: Code, example: &Example, directory: &Path) -> Outcome {
    let commands: Vec<_> =
        example.text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let Some((last, before)) = commands.split_last() else {
        return fail("a console block without a command");
    };
    for command in before {
        bash(command, directory)?.exits(0)?;
    }
    let run = bash(last, directory)?;
    if !example.is_wrong {
        return run.exits(0).map(|_| ());
    }
    if (run.status == Some(0)) == is_error(code) {
        return run.complain("not the expected exit status");
    }
    run.says(&format!("[{}]", code.id)).map(|_| ())
}

fn every_page_has_a_code() -> Outcome {
    for page in crate::tools::files("crates/toy-diagnostics/src/explain", &["md"]) {
        let id = crate::tools::stem(&page);
        if !codes::ALL.iter().any(|code| code.id == id) {
            return fail(format!("{} belongs to no code", page.display()));
        }
    }
    Ok(())
}

/// Pages with mistakes fail.
fn the_harness_can_fail() -> Outcome {
    let code = codes::UNKNOWN_VARIABLE;
    let page = |title: &str, wrong: &str, right: &str| {
        format!("# E0201: {title}\n\n## Wrong\n\n{wrong}\n\n## Right\n\n{right}\n")
    };
    let toy = |body: &str| format!("```toy\ndef main() {{ {body} }}\n```");
    let (wrong, right) = (toy("print(a);"), toy("print(1);"));
    check(code, &page(code.title, &wrong, &right), "good")?;
    let commands = "```console\n$ echo 'def main() { print(a); }' > a.toy\n$ toyc a.toy\n```";
    check(code, &page(code.title, commands, "```console\n$ toyc -V\n```"), "good_console")?;
    for (name, page) in [
        ("title", page("something else", &wrong, &right)),
        ("no_wrong", page(code.title, "", &right)),
        ("no_right", page(code.title, &wrong, "")),
        ("wrong_is_right", page(code.title, &right, &right)),
        ("right_is_wrong", page(code.title, &wrong, &wrong)),
        ("other_code", page(code.title, &toy("print(f());"), &right)),
        ("two_codes", page(code.title, &toy("print(a); print(f());"), &right)),
        ("right_warns", page(code.title, &wrong, &toy("var a = 1;"))),
        ("language", page(code.title, "```c\nint a;\n```", &right)),
        ("unclosed", page(code.title, &wrong, "```toy\ndef main() { }")),
        ("console_succeeds", page(code.title, "```console\n$ echo '[E0201]' >&2\n```", &right)),
        ("console_fails", page(code.title, &wrong, "```console\n$ false\n$ true\n```")),
        ("no_command", page(code.title, &wrong, "```console\ntoyc\n```")),
    ] {
        if check(code, &page, &format!("not_{name}")).is_ok() {
            return fail(format!("`{name}` should have failed"));
        }
    }
    Ok(())
}

fn command_line() -> Outcome {
    for name in ["E0203", "e0203"] {
        let run = toyc(["--explain", name]).run()?.exits(0)?.silent()?;
        run.prints(codes::WRONG_ARITY.page)?;
    }
    toyc(["--explain=unused-variable"]).run()?.exits(0)?.prints(codes::UNUSED_VARIABLE.page)?;
    toyc(["--explain", "E0240"]).run()?.diagnosed("[E0004]")?.says("did you mean `E0204`?")?;
    toyc(["--explain", "E9\u{1b}[1m\n"]).run()?.diagnosed("[E0004]")?;
    toyc(["--explain"]).run()?.exits(2)?;
    let full = bash("toyc --explain E0203 > /dev/full", &scratch("explain/full"))?;
    full.exits(1)?.says("[E0002]").map(|_| ())
}
