//! Answers to command lines that are wrong, or that would not do as the user meant.
//!
//! Input: command lines of people who know other compilers, or misspell a name. Output: exit codes and messages.
//! Invariants: a message says what to write; no message is a wall of names, and each has the requested format.

use super::{OUTPUT, PROGRAM, toyc_in, workspace};
use crate::tools::{Job, Outcome, TOYC, Tests, compare_with_file, fail, find, root};

/// The tests, without the name of the group.
pub fn tests() -> Tests {
    vec![
        ("spellings_of_other_compilers_work_or_are_explained", other_spellings),
        ("what_was_meant_is_said", what_was_meant),
        ("ignored_output_files_are_a_warning", ignored_output),
        ("unknown_names_are_not_answered_with_walls_of_names", unknown_names),
        ("unknown_values_of_a_list_are_answered", unknown_values),
        ("misspelled_files_are_found", misspelled_files),
        ("misspelled_files_are_not_searched_for_ever", misspelled_file_among_many),
        ("an_extension_that_says_something_else_is_a_warning", extensions),
        ("the_extension_chooses_the_form_of_a_plan", forms_of_a_plan),
        ("a_wrong_command_line_is_json_if_asked_for", json_of_command_lines),
        ("bytes_are_not_for_a_terminal", bytes_on_a_terminal),
    ]
}

fn other_spellings() -> Outcome {
    let directory = workspace("spellings")?;
    for (other, ours) in [
        ("-S program.toy -o -", "-emit=asm program.toy -o -"),
        ("-c program.toy -o -", "-emit=obj program.toy -o -"),
        ("-S -emit-llvm program.toy", "-emit=llvm program.toy"),
        ("-run program.toy", "-emit=jit program.toy"),
    ] {
        let expected = toyc_in(&directory, ours)?.exits(0)?.stdout;
        toyc_in(&directory, other)?.exits(0)?.silent()?.prints(expected)?;
    }
    for (option, words) in [
        ("-Os", "-O2"),
        ("-fsyntax-only", "`toyc check FILE`"),
        ("-emit-mlir", "-emit=toy"),
        ("-shared", "-emit=lib"),
    ] {
        let run = toyc_in(&directory, &format!("{option} program.toy"))?.exits(2)?.prints("")?;
        if !run.stderr.contains(&format!("`{option}`")) || !run.stderr.contains(words) {
            return run.complain(format!("no `{words}`"));
        }
    }
    Ok(())
}

/// Command lines of users new to toyc, with a part of the answer.
fn what_was_meant() -> Outcome {
    let directory = workspace("what_was_meant")?;
    for file in ["object.o", "made"] {
        std::fs::write(directory.join(file), b"\x7fELF\x02\x01\x01\0\xff")?;
    }
    std::fs::write(directory.join("made.toy"), "")?;
    for (arguments, status, words) in [
        ("chek program.toy", 2, "toyc has no command `chek`: did you mean `check`?"),
        ("chek", 1, "did you mean the command `check`?"),
        ("program", 1, "did you mean `program.toy`?"),
        ("version", 1, "`toyc --version`"),
        ("completions", 1, "`toyc manuals DIRECTORY`"),
        ("create", 1, "the commands of toyc are run, build, check"),
        ("check .", 1, "name a file in it"),
        ("object.o -x toy", 1, "this is an executable or an object file"),
        ("explain E0301 E0302", 2, "`E0302` is a second code"),
        ("new one two", 2, "`two` is a second folder"),
        ("explain langauge", 1, "did you mean `language`?"),
        ("lsp program.toy", 2, "`toyc lsp` takes no file"),
        ("program.toy -std=c99", 2, "toyc has no `-std=c99`\n"),
        ("program.toy --canonicalize", 2, "`toy-opt` runs single passes"),
        ("program.toy --mlir-print-ir-after-all", 2, "did you mean `--print-ir-after-all`?"),
        ("fmt --chek program.toy", 2, "toyc fmt has no `--chek`: did you mean `--check`?"),
        ("fmt --chek program.toy", 2, "Usage: toyc fmt [OPTIONS] FILE..."),
        ("run program.toy --bogus", 2, "Usage: toyc run [OPTIONS] FILE"),
        ("program.toy --threads two", 2, "a whole number from 1 to 255"),
        ("program.toy --threads 0", 2, "a whole number from 1 to 255"),
        ("program.toy --tape-memory 64KB", 2, "such as 4096, 64K, 1M or 2G"),
        ("program.toy --report page.pdf", 2, "the file's name ends in .html, .htm or .json"),
        ("program.toy --time-passes=times.txt", 2, "the file's name ends in .json"),
        ("program.toy --report=", 2, "the name of a file is needed"),
        ("program.toy -emit=toy --function=", 2, "a value is required for '--function"),
        ("serve --port abc", 2, "a whole number from 0 to 65535"),
        ("check", 2, "standard input is empty"),
        ("check", 2, "Usage: toyc check [OPTIONS] FILE..."),
        ("run program.toy 5", 1, "`main` has no parameters, but 1 argument is given"),
        ("run program.toy -- 5 -6", 1, "`main` has no parameters, but 2 arguments are given"),
        ("run program.toy second.toy", 1, "cannot read `second.toy`"),
        ("build program.toy 5", 2, "`toyc run FILE [ARGUMENT]...` runs one"),
        ("program.toy -lm", 2, "toyc has no `-lm`: Toy programs have no libraries"),
        ("made -x toy", 1, "an object file: did you mean `made.toy`?"),
        ("help rnu", 2, "toyc has no command `rnu`\n\n  Did you mean `toyc help run`?"),
        ("help E0301", 2, "`toyc explain E0301` shows the page about it"),
        ("help me", 2, "The commands are run, build, check, fmt, new, serve, explain and lsp."),
        ("program.toy --time-passes times.json", 2, "with `=`: `--time-passes=times.json`"),
        ("program.toy -x mlir", 1, "if this is a program in Toy, say so with `-x toy`"),
        ("fmt chek", 1, "cannot read `chek`: No such file or directory\nFor more"),
    ] {
        let run = toyc_in(&directory, arguments)?.exits(status)?.prints("")?;
        if !run.stderr.contains(words) || run.stderr.contains("use '--") {
            return run.complain(format!("no `{words}`"));
        }
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count != 4 { fail("a wrong command line wrote a file") } else { Ok(()) }
}

fn ignored_output() -> Outcome {
    let directory = workspace("ignored_output")?;
    toyc_in(&directory, "run program.toy -o made")?.exits(0)?.prints(OUTPUT)?.says("W0110")?;
    toyc_in(&directory, "program.toy -emit=jit -o made")?.exits(0)?.says("W0110")?;
    toyc_in(&directory, "check program.toy -o made")?.exits(0)?.prints("")?.says("toyc build")?;
    let passes = "program.toy --print-ir-after merge-alloc --print-ir-after toy-to-linalg";
    let run = toyc_in(&directory, &format!("{passes} -emit=linalg"))?.exits(0)?.says("W0110")?;
    if !run.stderr.contains("`--print-ir-after merge-alloc` has no effect")
        || !run.stderr.contains("on the way to `linalg`")
        || run.stderr.contains("`--print-ir-after toy-to-linalg`")
    {
        return run.complain("not the pass that does not run");
    }
    let run = toyc_in(&directory, &format!("{passes} -emit=merged -O1"))?.exits(0)?;
    if run.stderr.contains("W0110") {
        return run.complain("a warning about passes that run");
    }
    let asks = |rest: &str| toyc_in(&directory, &format!("program.toy -o - {rest}"))?.exits(0);
    let merging = "-R pass-missed=merge-alloc -emit";
    asks("-R pass-missed=bufferize -emit=memref")?.says("-emit=merged")?;
    asks("-R pass-analysis=dealloc -R pass=bufferize -emit=memref")?.says("-emit=dealloc")?;
    asks(&format!("{merging}=linalg -O1"))?.says("-emit=merged")?;
    asks(&format!("{merging}=llvm"))?.says("-O1 and higher")?;
    for works in [
        "-R pass=.* -emit=merged",
        "-R pass-missed=bufferize -emit=merged",
        "-R pass-missed=.* -emit=asm",
    ] {
        let run = asks(works)?;
        if run.stderr.contains("W0110") {
            return run.complain("a warning about remarks that there may be");
        }
    }
    toyc_in(&directory, "run program.toy -o made -w")?.exits(0)?.silent()?.prints(OUTPUT)?;
    let run = toyc_in(&directory, "run program.toy -o made -D ignored-option")?.exits(1)?;
    run.prints("")?.says("error[W0110]")?;
    let count = std::fs::read_dir(&directory)?.count();
    if count != 1 { fail("an option without effect had one") } else { Ok(()) }
}

/// The list of all known names is a command away, not in the message.
fn unknown_names() -> Outcome {
    let directory = workspace("unknown_names")?;
    for (arguments, words) in [
        ("program.toy -Wextra", "toyc has no warning `extra`\n\n"),
        ("program.toy -Wunused-varable", "`unused-varable`: did you mean `unused-variable`?"),
        ("program.toy -Wno-shadow", "`no-shadow`: did you mean `no-shadowing`?"),
        ("program.toy -D warnins", "did you mean `warnings`?"),
        ("program.toy -Werror=shadowin", "did you mean `shadowing`?"),
        ("program.toy --print-ir-after foo", "toyc has no pass `foo`\n\n"),
        ("program.toy --print-ir-after=toy-specialise", "did you mean `toy-specialize`?"),
        ("program.toy --print-ir-after=specialize", "did you mean `toy-specialize`?"),
        ("program.toy --print-ir-after=foo", "`toyc --print passes`"),
        ("program.toy -Wextra", "`toyc explain list`"),
        ("program.toy -W", "-W needs the name of a warning\n\n"),
        ("program.toy --print-ir-after=", "--print-ir-after needs the name of a pass\n\n"),
        ("program.toy --linker=", "a value is required for '--linker"),
        ("program.toy -O program.toy", "the levels are -O0 to -O3"),
        ("program.toy --error-format=json --bogus", "`--bogus`"),
    ] {
        let run = toyc_in(&directory, arguments)?.exits(2)?.prints("")?;
        if !run.stderr.contains(words) || run.stderr.len() > 300 {
            return run.complain(format!("no `{words}`, or a long message"));
        }
    }
    let listed = toyc_in(&directory, "--print passes")?.exits(0)?.silent()?.out();
    for pass in ["toy-specialize ", "merge-alloc ", "convert-scf-to-cf\n"] {
        if !listed.contains(pass) {
            return fail(format!("`--print passes` does not list `{pass}`"));
        }
    }
    Ok(())
}

/// The whole messages are in a file.
fn unknown_values() -> Outcome {
    let directory = workspace("unknown_values")?;
    let mut text = String::new();
    for arguments in [
        "-emit=asn",
        "-emit=mem",
        "-emit=llvm-ir",
        "-emit=foo",
        "-emit=",
        "run -emit=asm",
        "-R foo",
        "-R pass-missed=merge",
        "-x c",
        "-x mlri",
        "--color=alwys",
        "--error-format=xml",
        "fmt --color=perhaps",
        "--print=cpu",
        "--fast-math=fast",
        "-Wunused",
        "--print-ir-after=foo",
        "--error-format=json -emit=asn",
        "--error-format=short -emit=foo",
    ] {
        let run = toyc_in(&directory, &format!("{arguments} program.toy"))?.exits(2)?.prints("")?;
        let is_long = |line: &&str| line.len() > 110 && !arguments.contains("--error-format=");
        if let Some(line) = run.stderr.lines().find(is_long) {
            return run.complain(format!("a long line: {line}"));
        }
        text += &format!("$ toyc {arguments} program.toy\n{}\n", run.stderr);
    }
    compare_with_file(text.as_bytes(), &root().join("tests/command_line/values.txt"))
}

fn misspelled_files() -> Outcome {
    let directory = workspace("misspelled_files")?;
    std::fs::create_dir_all(directory.join("examples/deep"))?;
    for file in ["examples/transpose.toy", "examples/hello.mlir", "examples/deep/lu.toy"] {
        std::fs::write(directory.join(file), PROGRAM)?;
    }
    std::fs::write(directory.join("examples/transpos"), "")?;
    std::fs::write(directory.join("examples/hel\x1bo.toy"), "")?;
    for (name, meant) in [
        ("examples/transpos.toy", "examples/transpose.toy"),
        ("exmaples/transpose.toy", "examples/transpose.toy"),
        ("./exmaples/transpos.toy", "./examples/transpose.toy"),
        ("examples/transpose", "examples/transpose.toy"),
        ("examples/transpse", "examples/transpose.toy"),
        ("examples/hello.toy", "examples/hello.mlir"),
        ("exampels/dep/lu.toy", "examples/deep/lu.toy"),
        ("examples/../exampels/transpose.toy", "examples/../examples/transpose.toy"),
        ("prgram.toy", "program.toy"),
    ] {
        let help = format!("did you mean `{meant}`?");
        for command in ["", "run", "check", "fmt", "serve"] {
            toyc_in(&directory, &format!("{command} {name}"))?.diagnosed("E0001")?.says(&help)?;
        }
        let run = toyc_in(&directory, &format!("check --error-format=json {name}"))?.exits(1)?;
        run.says(&format!("\"help\":{{\"message\":\"{help}\""))?;
    }
    toyc_in(&directory, "fmt exampels")?.diagnosed("E0001")?.says("did you mean `examples`?")?;
    toyc_in(&directory, "program.toy -o exampels/out")?
        .diagnosed("E0002")?
        .says("there is no directory `exampels` (did you mean `examples`?)")?;
    for emit in ["exe", "toy"] {
        toyc_in(&directory, &format!("program.toy -emit={emit} -o exampels/"))?
            .diagnosed("E0002")?
            .says("there is no directory `exampels/` (did you mean `examples`?)")?;
    }
    for name in ["examples/other.toy", "x/transpose.toy", "examples/transpose.toy/x.toy", "a.toy"] {
        let run = toyc_in(&directory, name)?.diagnosed("E0001")?;
        if run.stderr.contains("did you mean") {
            return run.complain("a suggestion that is not similar");
        }
    }
    Ok(())
}

fn misspelled_file_among_many() -> Outcome {
    let directory = workspace("misspelled_among_many")?;
    let many = directory.join("many");
    std::fs::create_dir(&many)?;
    for number in 0..30_000 {
        std::fs::File::create(many.join(format!("program-{number:05}.toy")))?;
    }
    let start = std::time::Instant::now();
    let run = toyc_in(&directory, "run many/program-0000x.toy")?.diagnosed("E0001")?;
    if run.stderr.contains("did you mean") || start.elapsed().as_secs() > 10 {
        return run.complain("too many files were compared");
    }
    std::fs::remove_dir_all(many)?;
    Ok(())
}

fn extensions() -> Outcome {
    let directory = workspace("extensions")?;
    for (arguments, message) in [
        ("-o made.s", "`made.s` will be an executable: the extension of its name has no effect"),
        ("-emit=obj -o made.ll", "`made.ll` will be an object file"),
        ("-emit=toy -o made.toy", "`made.toy` will be MLIR"),
        ("-emit=ast -o made.json", "`made.json` will be text"),
        ("-emit=memory-plan -o made.html", "`made.html` will be text"),
        ("-emit=merged -o made.svg", "-emit=memory-plan draws the plan"),
    ] {
        let run = toyc_in(&directory, &format!("program.toy {arguments}"))?.exits(0)?;
        run.says("W0110")?.says(message)?;
        let quiet = format!("program.toy {arguments} -W no-ignored-option");
        toyc_in(&directory, &quiet)?.exits(0)?.silent()?;
    }
    for arguments in
        ["-o made.exe", "-o made.v2", "-emit=llvm -o made.txt", "-emit=toy -o made.mlir"]
    {
        toyc_in(&directory, &format!("program.toy {arguments}"))?.exits(0)?.silent()?;
    }
    toyc_in(&directory, "run program.toy -o made.s")?.exits(0)?.says("runs in memory")?;
    Ok(())
}

/// Forms as with `--memory-plan`, with a report or without.
fn forms_of_a_plan() -> Outcome {
    let directory = workspace("forms_of_a_plan")?;
    for level in ["-O0", "-O2"] {
        for extension in ["svg", "json", "txt", "JSON"] {
            let emitted = format!("program.toy {level} -emit=memory-plan");
            let with = format!("-o made.{extension} --memory-plan=plan.{extension}");
            let read = |file: &str| std::fs::read(directory.join(format!("{file}.{extension}")));
            toyc_in(&directory, &format!("{emitted} {with}"))?.exits(0)?.silent()?.prints("")?;
            let plan = read("plan")?;
            if read("made")? != plan {
                return fail(format!("another plan in made.{extension}"));
            }
            let again = format!("{emitted} -o again.{extension}");
            for more in ["", "--report=page.html"] {
                toyc_in(&directory, &format!("{again} {more}"))?.exits(0)?.silent()?;
                if read("again")? != plan {
                    return fail(format!("another plan in again.{extension} {more}"));
                }
            }
        }
        let text = std::fs::read(directory.join("made.txt"))?;
        toyc_in(&directory, &format!("program.toy {level} -emit=memory-plan"))?.prints(&text)?;
        let arguments = format!("program.toy {level} -emit=memory-plan -o plan");
        toyc_in(&directory, &arguments)?.exits(0)?.silent()?;
        if std::fs::read(directory.join("plan"))? != text {
            return fail("a file without an extension is not text");
        }
    }
    Ok(())
}

fn json_of_command_lines() -> Outcome {
    let directory = workspace("json_of_command_lines")?;
    for (arguments, words) in [
        ("program.toy --error-format=json --bogus", "toyc has no `--bogus`"),
        ("--error-format json check program.toy", "the command `check` comes first"),
        ("check --error-format json program.toy --colour", "toyc check has no `--colour`"),
        ("program.toy --error-format=json -emit=foo", "toyc has no stage `foo`"),
        ("program.toy second.toy --error-format=json", "`second.toy` is a second one"),
        ("program.toy --error-format=json -o", "a value is required"),
        ("--error-format=json", "standard input is empty"),
        ("fmt --error-format=json", "standard input is empty"),
    ] {
        let run = toyc_in(&directory, arguments)?.exits(2)?.prints("")?;
        if !run.stderr.contains(words) || run.codes()?.iter().ne(["E0005"]) {
            return run.complain(format!("no `{words}`"));
        }
        let short = arguments.replace("json", "short");
        let run = toyc_in(&directory, &short)?.exits(2)?.prints("")?.says("error[E0005]: ")?;
        if run.stderr.lines().count() > 3 {
            return run.complain("a long message");
        }
    }
    Ok(())
}

fn bytes_on_a_terminal() -> Outcome {
    if find("script").is_none() {
        return fail("script is missing: run ./setup --tests");
    }
    let directory = workspace("bytes_on_a_terminal")?;
    let command = |command: &str| Job::new("bash", ["-c", command]).current_dir(&directory).run();
    for options in ["-emit=obj", "-emit=staticlib --export 'f(2x3, 3x2)'"] {
        let bytes = format!("'{TOYC}' program.toy {options} -o -");
        let run =
            Job::new("script", ["-qec", &bytes, "/dev/null"]).current_dir(&directory).run()?;
        let run = run.exits(1)?;
        if !run.out().contains("E0004") || !run.out().contains("write to a pipe") {
            return run.complain("no diagnostic");
        }
        let piped = command(&format!("{bytes} | head -c 4"))?.exits(0)?.silent()?;
        if piped.stdout != b"\x7fELF" && piped.stdout != b"!<ar" {
            return piped.complain("no object file in a pipe");
        }
    }
    // A program is not read from there either.
    for arguments in ["-O2", "run", "build -O2", "check", "fmt"] {
        let run = Job::new("script", ["-qec", &format!("'{TOYC}' {arguments}"), "/dev/null"]);
        let run = run.run()?.exits(2)?;
        if !run.out().contains("<FILE>") {
            return run.complain("a terminal is read");
        }
    }
    // Alone, toyc says what it is, in five lines.
    let run = Job::new("script", ["-qec", TOYC, "/dev/null"]).run()?.exits(0)?;
    if run.out().lines().count() != 5 || !run.out().contains("toyc new hello") {
        return run.complain("toyc does not say what it is");
    }
    // Text is for terminals.
    let text = format!("'{TOYC}' program.toy -emit=asm -o -");
    Job::new("script", ["-qec", &text, "/dev/null"]).current_dir(&directory).run()?.exits(0)?;
    Ok(())
}
