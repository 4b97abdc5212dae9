//! The commands besides the compilation of a program: `check`, `explain`, `help` and others.
//!
//! Input: command lines. Output: exit codes and texts. Invariant: a command does the same as the option of its name,
//! and takes the options that apply to it.

use super::{OUTPUT, PROGRAM, toyc_in, workspace};
use crate::tools::{Job, Outcome, Tests, fail, root, toyc};

/// The tests, without the name of the group.
pub fn tests() -> Tests {
    vec![
        ("commands_do_what_options_do", commands),
        ("check_writes_nothing_and_takes_several_programs", check_several),
        ("explain_lists_all_codes", explain_list),
        ("help_is_a_command", help_command),
        ("completions_and_manuals_are_made", manuals),
        ("check_has_options_that_concern_it", options_of_check),
        ("new_makes_a_folder_to_start_in", new),
        ("help_fits_on_one_screen", short_help),
    ]
}

fn commands() -> Outcome {
    let directory = workspace("commands")?;
    toyc_in(&directory, "run program.toy")?.exits(0)?.silent()?.prints(OUTPUT)?;
    toyc_in(&directory, "run -O2 -g -g -v -v program.toy -w")?
        .exits(0)?
        .silent()?
        .prints(OUTPUT)?;
    toyc_in(&directory, "build program.toy -o made")?.exits(0)?.silent()?.prints("")?;
    Job::new(directory.join("made"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    toyc_in(&directory, "build program.toy -emit=toy")?.exits(0)?.silent()?;
    // A file with the name of a command.
    std::fs::copy(directory.join("program.toy"), directory.join("run"))?;
    toyc_in(&directory, "./run -emit=jit")?.exits(0)?.prints(OUTPUT)?;
    toyc_in(&directory, "run run")?.exits(0)?.prints(OUTPUT)?;
    for (arguments, words) in [
        ("run program.toy -emit=asm", "use `toyc FILE -emit=asm`"),
        ("-O2 run program.toy", "the command `run` comes first"),
        ("program.toy second.toy", "`toyc check FILE...` checks several programs"),
        ("fmt", "no FILE is named, and standard input is empty"),
    ] {
        let run = toyc_in(&directory, arguments)?.exits(2)?.prints("")?;
        if !run.stderr.contains(words) {
            return run.complain(format!("no `{words}`"));
        }
    }
    Ok(())
}

fn check_several() -> Outcome {
    let directory = workspace("check")?;
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1, 2, 3] + [1, 2]); }")?;
    std::fs::write(directory.join("module.mlir"), "func.func @main() { return }")?;
    toyc_in(&directory, "check program.toy module.mlir")?.exits(0)?.silent()?.prints("")?;
    // Without a file, standard input is checked, as by the other commands.
    let wrong = std::fs::read(directory.join("wrong.toy"))?;
    toyc(["check"]).stdin(wrong).run()?.diagnosed("E0301")?;
    toyc(["check"]).stdin(PROGRAM).run()?.exits(0)?.silent()?;
    let run =
        toyc_in(&directory, "check wrong.toy program.toy missing.toy")?.exits(1)?.prints("")?;
    for code in ["E0301", "E0001"] {
        if !run.stderr.contains(code) {
            return run.complain(format!("no {code}"));
        }
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 3 { fail("check wrote a file") } else { Ok(()) }
}

fn explain_list() -> Outcome {
    let run = toyc(["explain"]).run()?.exits(0)?.silent()?;
    toyc(["explain", "list"]).run()?.exits(0)?.silent()?.prints(run.stdout.clone())?;
    for code in toy_compiler::diagnostic::codes::ALL {
        if !run.out().contains(code.id) {
            return run.complain(format!("{} is not in the list", code.id));
        }
    }
    let page = toyc(["--explain", "E0301"]).run()?.exits(0)?.stdout;
    toyc(["explain", "E0301"]).run()?.exits(0)?.prints(page)?;
    toyc(["explain", "E0310x"]).run()?.exits(1)?;
    let language = std::fs::read(root().join("LANGUAGE.md"))?;
    toyc(["explain", "language"]).run()?.exits(0)?.silent()?.prints(language)?;
    Ok(())
}

fn help_command() -> Outcome {
    for (command, option) in
        [("help", "--help"), ("help run", "run --help"), ("help explain", "explain -h")]
    {
        let expected = toyc(option.split(' ')).run()?.exits(0)?.stdout;
        toyc(command.split(' ')).run()?.exits(0)?.silent()?.prints(expected)?;
    }
    // Sections come in the same order everywhere, and no line is wider than the width that it is folded to.
    let heads = ["Output:", "Target:", "Debugging:", "Messages:"];
    for command in ["help", "help run", "help build"] {
        let text = toyc(command.split(' ')).run()?.exits(0)?.out();
        let shown: Vec<_> = text.lines().filter(|line| heads.contains(line)).collect();
        if shown != heads {
            return fail(format!("`toyc {command}` shows {shown:?}"));
        }
        if text.lines().any(|line| line.trim() == "with") {
            return fail(format!("`toyc {command}` has a line of one word"));
        }
    }
    Ok(())
}

fn manuals() -> Outcome {
    let directory = workspace("manuals")?;
    let run = toyc_in(&directory, "manuals made")?.exits(0)?.silent()?;
    let read = |name: &str| std::fs::read_to_string(directory.join("made").join(name));
    for (name, words) in [
        ("completions/bash/toyc", "--print-ir-after"),
        ("completions/fish/toyc.fish", "memory-plan"),
        ("completions/zsh/_toyc", "explain"),
        ("man1/toyc.1", ".TH toyc 1"),
        ("man1/toyc-fmt.1", "check"),
    ] {
        if !read(name)?.contains(words) || !run.out().contains(name) {
            return fail(format!("no `{words}` in {name}"));
        }
    }
    // A shell can read its completions.
    let script = directory.join("made/completions/bash/toyc");
    Job::new("bash", ["-n".as_ref(), script.as_os_str()]).run()?.exits(0)?.silent()?;
    // bash makes three words of `-emit=me`.
    for (words, expected) in [
        ("toyc p.toy -emit = me", "memref\nmerged\nmemory-plan\n"),
        ("toyc p.toy --emit = memo", "memory-plan\n"),
        ("toyc run p.toy --cpu x86-64-v", "x86-64-v2\nx86-64-v3\nx86-64-v4\n"),
        ("toyc explain E030", "E0301\nE0302\nE0303\nE0304\nE0305\nE0306\n"),
        ("toyc explain unused-v", "unused-variable\n"),
    ] {
        let complete = "source \"$0\"; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                        _toyc toyc \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
                        printf '%s\\n' \"${COMPREPLY[@]}\"";
        let arguments = ["-c".as_ref(), complete.as_ref(), script.as_os_str(), words.as_ref()];
        Job::new("bash", arguments).run()?.exits(0)?.silent()?.prints(expected)?;
    }
    Ok(())
}

fn new() -> Outcome {
    let directory = workspace("new")?;
    let made = toyc_in(&directory, "new made")?.exits(0)?.silent()?;
    made.prints("made `made`; run its program with\n\n  cd made\n  toyc run\n")?;
    let folder = directory.join("made");
    // Its own program, where standard input has none.
    let run = |command: &str| {
        let command = format!("exec \"$0\" {command} < /dev/null");
        let run = Job::new("sh", ["-c", &command, env!("CARGO_BIN_EXE_toyc")]);
        run.current_dir(&folder).run()?.exits(0)?.silent()
    };
    let output = run("run")?.stdout;
    run("check")?.prints("")?;
    run("build")?.prints("")?;
    run("fmt --check .")?;
    Job::new(folder.join("main"), [""; 0]).run()?.exits(0)?.prints(output)?;
    // A program on standard input comes first.
    toyc(["run"]).current_dir(&folder).stdin(PROGRAM).run()?.exits(0)?.prints(OUTPUT)?;
    // A folder or a file that exists stays as it is.
    toyc_in(&directory, "new made")?.diagnosed("E0002")?.says("`made` exists already")?;
    toyc_in(&directory, "new program.toy")?.diagnosed("E0002")?;
    toyc_in(&directory, "new missing/made")?.diagnosed("E0002")?;
    toyc_in(&directory, "new")?.exits(2)?;
    let ignored = Job::new("git", ["init", "-q"]).current_dir(&folder).run();
    ignored?.exits(0)?;
    let status = Job::new("git", ["status", "--short", "-uall"]).current_dir(&folder).run()?;
    status.prints("?? .gitignore\n?? .vscode/settings.json\n?? main.toy\n")?;
    Ok(())
}

/// At most 48 lines, and the other help has all the options of this one.
fn short_help() -> Outcome {
    let (short, long) =
        (toyc(["-h"]).run()?.exits(0)?.out(), toyc(["--help"]).run()?.exits(0)?.out());
    let lines = short.lines().count();
    if lines > 48 {
        return fail(format!("`toyc -h` has {lines} lines"));
    }
    let words = short.split(|c: char| c.is_whitespace() || "`'=()<,".contains(c));
    let options = words.filter(|word| word.starts_with('-'));
    let missing: Vec<_> = options.filter(|option| !long.contains(option)).collect();
    if missing.is_empty() { Ok(()) } else { fail(format!("`toyc --help` lacks {missing:?}")) }
}

fn options_of_check() -> Outcome {
    let directory = workspace("options_of_check")?;
    let help = toyc_in(&directory, "check --help")?.exits(0)?.out();
    for other in ["--linker", "--memory-plan", "--report", "--save-temps", "-O <", "--fast-math"] {
        if help.contains(other) {
            return fail(format!("`toyc check --help` shows {other}"));
        }
    }
    for own in ["FILE", "--export", "-W <", "-x <", "--error-format"] {
        if !help.contains(own) {
            return fail(format!("`toyc check --help` does not show {own}"));
        }
    }
    // One command line is for all commands, and errors in it are reported.
    toyc_in(&directory, "check program.toy -O2 -g --linker=cc")?.exits(0)?.silent()?;
    toyc_in(&directory, "check program.toy --target pdp11")?.diagnosed("E0501")?;
    toyc_in(&directory, "program.toy -emit=ast --target pdp11")?.diagnosed("E0501")?;
    for option in ["--report=page.html", "--memory-plan=plan.svg", "--save-temps"] {
        let run = toyc_in(&directory, &format!("check program.toy {option}"))?.exits(0)?;
        run.prints("")?.says("W0110")?.says(&option.replace('=', " "))?;
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 1 { fail("check wrote a file") } else { Ok(()) }
}
