//! Outputs: complete or not at all, wherever they go.
//!
//! Input: valid and invalid programs, and places that can or cannot be written. Invariants of toyc
//! tested here: an output that cannot be written whole is an error (exit 1) and leaves the previous file;
//! no temporary file is left; a closed pipe is not an error.

use crate::command_line::{STAGES, toyc_in, workspace};
use crate::tools::{Job, Outcome, Run, TOYC, Tests, fail, trial};
use libtest_mimic::{Failed, Trial};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const BROKEN: &str = "def main() { print(1); print(x); }";

/// A program that overfills any pipe.
const LOUD: &str = "def main() { var x<300, 300> = 1.5; print(x); }";

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("outputs_are_named_after_the_input", outputs_are_named_after_the_input),
        ("executables_follow_the_umask", executables_follow_the_umask),
        ("output_is_replaced_whole", output_is_replaced_whole),
        ("an_error_leaves_the_previous_output", an_error_leaves_the_previous_output),
        ("the_input_is_not_overwritten", the_input_is_not_overwritten),
        ("no_file_that_is_written_is_the_input", no_file_that_is_written_is_the_input),
        ("no_variable_names_a_file_that_is_written", no_variable_names_a_file_that_is_written),
        ("assembly_links_with_the_runtime", assembly_links_with_the_runtime),
        ("a_link_as_output_is_followed", a_link_as_output_is_followed),
        ("plan_and_output_are_different_files", plan_and_output_are_different_files),
        ("unwritable_places_are_diagnosed", unwritable_places_are_diagnosed),
        ("a_full_disk_is_diagnosed", a_full_disk_is_diagnosed),
        ("a_closed_pipe_is_not_an_error", a_closed_pipe_is_not_an_error),
        ("a_compiled_program_notices_a_full_disk", a_compiled_program_notices_a_full_disk),
        ("objects_link_with_each_other_and_with_c", objects_link_with_each_other_and_with_c),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("files/{name}"), test)).collect()
}

/// The names in a directory, sorted.
fn listing(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn expect_listing(directory: &Path, expected: &[&str]) -> Outcome {
    let found = listing(directory);
    if found == expected {
        Ok(())
    } else {
        fail(format!("files: {found:?}, expected {expected:?}"))
    }
}

/// A shell command in a directory, with `$TOYC`.
fn bash(directory: &Path, command: &str) -> Result<Run, Failed> {
    let toy_opt = env!("CARGO_BIN_EXE_toy-opt");
    let job = Job::new("bash", ["-c", command]).current_dir(directory);
    job.env("TOYC", TOYC).env("TOY_OPT", toy_opt).run()
}

fn outputs_are_named_after_the_input() -> Outcome {
    let directory = workspace("names_of_outputs")?;
    std::fs::create_dir(directory.join("sub"))?;
    std::fs::write(directory.join("sub/two.dots.toy"), LOUD)?;
    for (arguments, name) in [
        ("program.toy", "program"),
        ("program.toy -emit=asm", "program.s"),
        ("program.toy -emit=obj", "program.o"),
        ("program.toy -emit=llvm -o text", "text"),
        // As with a C compiler, an output without a name is made here, not beside the input.
        ("sub/two.dots.toy", "two.dots"),
        ("sub/two.dots.toy -emit=obj", "two.dots.o"),
        ("sub/two.dots.toy -o sub/named", "sub/named"),
        ("program.toy -emit=exe -o with.ending", "with.ending"),
    ] {
        toyc_in(&directory, arguments)?.exits(0)?.prints("")?.silent()?;
        if std::fs::metadata(directory.join(name)).map_or(0, |m| m.len()) == 0 {
            return fail(format!("`toyc {arguments}` made no {name}: {:?}", listing(&directory)));
        }
    }
    let expected = ["program", "program.o", "program.s", "program.toy", "sub", "text", "two.dots"];
    let expected: Vec<_> = expected.into_iter().chain(["two.dots.o", "with.ending"]).collect();
    expect_listing(&directory, &expected)
}

fn executables_follow_the_umask() -> Outcome {
    let directory = workspace("executable_permissions")?;
    // The linker's umask decides, as for every other compiler.
    bash(&directory, "umask 022; $TOYC program.toy; $TOYC program.toy -emit=obj")?.exits(0)?;
    for (name, mode) in [("program", 0o755), ("program.o", 0o644)] {
        let found = std::fs::metadata(directory.join(name))?.permissions().mode() & 0o777;
        if found != mode {
            return fail(format!("{name} has mode {found:o}, not {mode:o}"));
        }
    }
    Ok(())
}

fn output_is_replaced_whole() -> Outcome {
    let directory = workspace("output_is_replaced_whole")?;
    for emit in ["exe", "obj", "asm", "llvm", "toy"] {
        let out = directory.join("out");
        std::fs::write(&out, vec![b'x'; 1 << 20])?;
        toyc_in(&directory, &format!("program.toy -emit={emit} -o out"))?.exits(0)?;
        let bytes = std::fs::read(&out)?;
        if bytes.len() >= 1 << 20 || bytes.ends_with(b"xxx") {
            return fail(format!("the output of -emit={emit} was written over the old one"));
        }
    }
    Ok(())
}

fn an_error_leaves_the_previous_output() -> Outcome {
    let directory = workspace("output_stays_after_an_error")?;
    std::fs::write(directory.join("broken.toy"), BROKEN)?;
    for emit in ["exe", "obj", "asm", "llvm", "toy", "jit"] {
        for file in ["old", "broken", "broken.o", "broken.s"] {
            std::fs::write(directory.join(file), "old")?;
        }
        toyc_in(&directory, &format!("broken.toy -emit={emit} -o old"))?.diagnosed("E0201")?;
        toyc_in(&directory, &format!("broken.toy -emit={emit}"))?.diagnosed("E0201")?;
        toyc_in(&directory, &format!("broken.toy -emit={emit} --save-temps"))?.exits(1)?;
        for file in ["old", "broken", "broken.o", "broken.s"] {
            if std::fs::read(directory.join(file))? != b"old" {
                return fail(format!("-emit={emit} changed {file}"));
            }
        }
    }
    toyc_in(&directory, "program.toy --linker false -o old")?.diagnosed("E0502")?;
    if std::fs::read(directory.join("old"))? != b"old" {
        return fail("a failed link changed the output");
    }
    expect_listing(
        &directory,
        &["broken", "broken.o", "broken.s", "broken.toy", "old", "program.toy"],
    )
}

fn the_input_is_not_overwritten() -> Outcome {
    let directory = workspace("output_is_the_input")?;
    std::fs::copy(directory.join("program.toy"), directory.join("program"))?;
    std::fs::hard_link(directory.join("program.toy"), directory.join("hard.toy"))?;
    std::os::unix::fs::symlink("program.toy", directory.join("soft.toy"))?;
    let text = std::fs::read(directory.join("program"))?;
    for arguments in [
        "program.toy -o program.toy",
        "program.toy -o ./program.toy",
        "program.toy -emit=llvm -o program.toy",
        "program.toy -emit=toy -o ../output_is_the_input/program.toy",
        "soft.toy -emit=toy -o program.toy",
        // The default name of its executable.
        "-x toy program",
    ] {
        toyc_in(&directory, arguments)?.diagnosed("E0004")?.says("overwrite")?;
        for file in ["program", "program.toy"] {
            if std::fs::read(directory.join(file))? != text {
                return fail(format!("`toyc {arguments}` changed the input"));
            }
        }
    }
    Ok(())
}

/// Every file beside the output, and one file by several names.
fn no_file_that_is_written_is_the_input() -> Outcome {
    let directory = workspace("extras_are_the_input")?;
    let program = std::fs::read(directory.join("program.toy"))?;
    toyc_in(&directory, "program.toy -emit=linalg -o p.linalg.mlir")?.exits(0)?;
    let text = std::fs::read(directory.join("p.linalg.mlir"))?;
    let copies = ["ll", "s", "o", "html", "svg", "json", "toy.mlir"].map(|it| format!("q.{it}"));
    for copy in &copies {
        std::fs::write(directory.join(copy), &program)?;
    }
    std::fs::hard_link(directory.join("program.toy"), directory.join("hard.ll"))?;
    std::os::unix::fs::symlink("program.toy", directory.join("soft.loops.mlir"))?;
    for command in [
        "\"$TOYC\" p.linalg.mlir -o p --save-temps",
        "\"$TOYC\" -x toy q.o -o q --save-temps",
        "\"$TOYC\" -x toy q.s -o q.x --save-temps",
        "\"$TOYC\" -x toy q.ll -o q --save-temps -emit=obj",
        "\"$TOYC\" -x toy q.toy.mlir -o q --save-temps -emit=jit",
        "\"$TOYC\" -x toy q.html -o p --report=q.html",
        "\"$TOYC\" -x toy q.svg -o p --memory-plan=./q.svg",
        "\"$TOYC\" -x toy q.json -o p --time-passes=q.json",
        "\"$TOYC\" program.toy -o hard --save-temps",
        "\"$TOYC\" program.toy -o soft --save-temps",
        "\"$TOYC\" program.toy -emit=toy -o hard.ll",
        "\"$TOYC\" - -o program.toy < program.toy",
        "\"$TOYC\" - -o hard --save-temps < program.toy",
    ] {
        bash(&directory, command)?.diagnosed("E0004")?.says("would overwrite the input")?;
    }
    for command in [
        "\"$TOYC\" program.toy -o n.o --save-temps",
        "\"$TOYC\" program.toy -o n.s --save-temps",
        "\"$TOYC\" program.toy -o n --save-temps --time-passes=x.json --report=x.json",
    ] {
        bash(&directory, command)?.diagnosed("E0004")?.says("would overwrite the")?;
    }
    // Nothing is lost in /dev/null.
    toyc_in(&directory, "program.toy -emit=toy -o /dev/null --report=/dev/null")?.exits(0)?;
    let are_equal = copies.iter().map(String::as_str).chain(["program.toy", "hard.ll"]);
    for file in are_equal {
        if std::fs::read(directory.join(file))? != program {
            return fail(format!("{file} has changed"));
        }
    }
    match std::fs::read(directory.join("p.linalg.mlir"))? == text {
        true => Ok(()),
        false => fail("p.linalg.mlir has changed"),
    }
}

/// The process that compiles `.mlir` gets a file without a name.
fn no_variable_names_a_file_that_is_written() -> Outcome {
    let directory = workspace("variables")?;
    toyc_in(&directory, "program.toy -emit=linalg -o p.mlir")?.exits(0)?;
    std::fs::write(directory.join("keep.txt"), "kept")?;
    for value in ["keep.txt", "5", "1", "0", "-1", ""] {
        let command =
            format!("TOYC_WORKER={value} TOYC_PARENT=1 \"$TOYC\" check p.mlir 5<> keep.txt");
        bash(&directory, &command)?.exits(0)?.silent()?;
        if std::fs::read(directory.join("keep.txt"))? != b"kept" {
            return fail(format!("TOYC_WORKER={value} overwrites a file"));
        }
    }
    Ok(())
}

/// The assembly is the program's alone, at every level and for every program.
fn assembly_links_with_the_runtime() -> Outcome {
    let directory = workspace("assembly")?;
    let recursion = "def f(n) { if (n < 1) { return 0; } return n + f(n - 1); }
        def main() { var a = [[1, 2], [3, 4]]; print(exp(a) @ a, f(9), \"é\"); print(sum(range(999))); }";
    std::fs::write(directory.join("recursion.toy"), recursion)?;
    let runtime = toyc_in(&directory, "--print runtime")?.exits(0)?.out();
    let names =
        runtime.lines().filter_map(|line| line.strip_prefix("\t.type\t")?.split(',').next());
    let of_runtime: Vec<&str> = names.collect();
    if !of_runtime.contains(&"toy.print_number") {
        return fail("the runtime has no functions");
    }
    for program in ["program.toy", "recursion.toy"] {
        for level in 0..=2 {
            let run = toyc_in(&directory, &format!("{program} -O{level} -S -o -"))?.exits(0)?;
            let is_runtime = |line: &str| of_runtime.contains(&line.trim_end_matches(':'));
            if let Some(label) = run.out().lines().find(|line| is_runtime(line)) {
                return run.complain(format!("{label} is in the assembly"));
            }
            let expected = toyc_in(&directory, &format!("run {program} -O{level}"))?.exits(0)?;
            let link = format!(
                "\"$TOYC\" {program} -O{level} -S -o x.s && \"$TOYC\" --print runtime > runtime.s &&
                 cc x.s runtime.s -lm -o x && ./x"
            );
            bash(&directory, &link)?.exits(0)?.prints(&expected.stdout)?;
        }
    }
    Ok(())
}

/// A link stays, and its target is written, as a whole.
fn a_link_as_output_is_followed() -> Outcome {
    let directory = workspace("output_is_a_link")?;
    std::fs::create_dir(directory.join("sub"))?;
    for (link, target) in [
        ("exe", "sub/program"),
        ("text", "sub/old"),
        ("far.svg", "text.svg"),
        ("text.svg", "sub/plan.svg"),
        ("round", "round"),
        ("nowhere", "missing/out"),
    ] {
        std::os::unix::fs::symlink(target, directory.join(link))?;
    }
    std::fs::write(directory.join("sub/old"), "old")?;
    toyc_in(&directory, "program.toy -o exe")?.exits(0)?;
    // The last one leads to a file that does not exist yet, by a link to a link.
    toyc_in(&directory, "program.toy -emit=merged -o text --memory-plan=far.svg")?.exits(0)?;
    for link in ["exe", "text", "far.svg", "text.svg"] {
        if !directory.join(link).is_symlink() {
            return fail(format!("the link {link} was replaced"));
        }
    }
    bash(&directory, "./exe && grep -q module text && grep -q '<svg' sub/plan.svg")?.exits(0)?;
    for link in ["round", "nowhere"] {
        for emit in ["exe", "toy"] {
            let run = toyc_in(&directory, &format!("program.toy -emit={emit} -o {link}"))?;
            run.diagnosed("E0002")?.says(link)?;
        }
    }
    expect_listing(&directory.join("sub"), &["old", "plan.svg", "program"])
}

/// Two outputs to one file, and one file that cannot be written.
fn plan_and_output_are_different_files() -> Outcome {
    let directory = workspace("plan_and_output")?;
    for link in ["link.svg", "page.html"] {
        std::os::unix::fs::symlink("plan.svg", directory.join(link))?;
    }
    std::fs::create_dir(directory.join("sub"))?;
    std::fs::create_dir(directory.join("folder.svg"))?;
    for arguments in [
        "-o plan.svg --memory-plan=plan.svg",
        "-o ./plan.svg --memory-plan=plan.svg",
        "-o plan.svg --memory-plan=sub/../plan.svg",
        "-o plan.svg --memory-plan=link.svg",
        "-o link.svg --memory-plan=./plan.svg",
        "-o plan.svg --report=page.html",
    ] {
        for emit in ["exe", "merged"] {
            let run = toyc_in(&directory, &format!("program.toy -emit={emit} {arguments}"))?;
            run.diagnosed("E0004")?.says("overwrite the output")?;
        }
    }
    for emit in ["merged", "llvm", "asm", "obj", "exe"] {
        for arguments in [
            "-o /dev/full --memory-plan=plan.svg",
            "-o missing/out --memory-plan=plan.svg",
            "-o missing/out --memory-plan=plan.svg --report=report.html",
            "-o out --memory-plan=plan.svg --report=missing/report.html",
            "-o folder.svg --memory-plan=plan.svg",
            "-o out --memory-plan=missing/plan.svg",
            "-o out --memory-plan=folder.svg",
        ] {
            let run = toyc_in(&directory, &format!("program.toy -emit={emit} {arguments}"))?;
            run.diagnosed("E0002")?;
        }
    }
    toyc_in(&directory, "program.toy -emit=toy -o /proc/x.svg")?
        .diagnosed("E0002")?
        .says("cannot write `/proc/x.svg`: no file can be made there")?;
    let there = ["folder.svg", "link.svg", "page.html", "program.toy", "sub"];
    expect_listing(&directory, &there)?;
    toyc_in(&directory, "program.toy -o out --memory-plan=plan.svg")?.exits(0)?;
    let mut there = there.to_vec();
    there.extend(["out", "plan.svg"]);
    there.sort_unstable();
    expect_listing(&directory, &there)
}

fn unwritable_places_are_diagnosed() -> Outcome {
    let directory = workspace("unwritable_places")?;
    std::fs::write(directory.join("file"), "")?;
    std::fs::create_dir(directory.join("directory"))?;
    for emit in ["exe", "obj", "asm", "llvm", "toy"] {
        for place in ["missing/out", "file/out", "directory", "/proc/out", "."] {
            let run = toyc_in(&directory, &format!("program.toy -emit={emit} -o {place}"))?;
            run.diagnosed("E0002")?.says(place)?;
        }
    }
    // Another user's directory; root may write everywhere, so use one that even root may not.
    expect_listing(&directory, &["directory", "file", "program.toy"])?;
    expect_listing(&directory.join("directory"), &[])
}

fn a_full_disk_is_diagnosed() -> Outcome {
    let directory = workspace("full_disk")?;
    for stage in STAGES.iter().chain(&["jit"]) {
        // These two write a file unless told otherwise.
        let output = if ["asm", "obj"].contains(stage) { "-o -" } else { "" };
        let command = format!("$TOYC program.toy -emit={stage} {output} > /dev/full");
        let run = bash(&directory, &command)?;
        run.diagnosed("E0002")?;
    }
    for emit in ["toy", "llvm", "asm", "obj", "exe"] {
        bash(&directory, &format!("$TOYC program.toy -emit={emit} -o /dev/full"))?
            .diagnosed("E0002")?;
    }
    for option in ["--version", "--help"] {
        // clap ignores write errors; toyc itself does not.
        let run = bash(&directory, &format!("$TOYC {option} > /dev/full"))?;
        if option == "--version" {
            run.diagnosed("E0002")?;
        }
    }
    bash(&directory, "$TOYC program.toy -emit=llvm > /dev/null")?.exits(0)?.silent()?;
    bash(&directory, "$TOYC program.toy -emit=obj -o /dev/null")?.exits(0)?.silent()?;
    expect_listing(&directory, &["program.toy"])
}

fn a_closed_pipe_is_not_an_error() -> Outcome {
    let directory = workspace("closed_pipe")?;
    std::fs::write(directory.join("loud.toy"), LOUD)?;
    let long: String = (0..20_000).map(|i| format!("print([{i}]);\n")).collect();
    std::fs::write(directory.join("long.toy"), format!("def main() {{\n{long}}}\n"))?;
    let closed =
        |command: &str| format!("{command} | head -c 10 > /dev/null; exit ${{PIPESTATUS[0]}}");
    for stage in ["ast", "toy", "tokens"] {
        // The reader of a stage may close the pipe early.
        let command = closed(&format!("$TOYC long.toy -emit={stage}"));
        bash(&directory, &command)?.exits(0)?.silent()?;
    }
    for command in [
        "$TOYC --help",
        "$TOYC explain language",
        "$TOYC explain list",
        "$TOYC --print cpus",
        "$TOY_OPT --help",
        "$TOYC long.toy -emit=toy | $TOY_OPT --cse",
        "$TOYC fmt - < long.toy",
    ] {
        let command = format!("{command} | true; echo ${{PIPESTATUS[@]}} >&2");
        let run = bash(&directory, &command)?;
        if run.stderr.trim().chars().any(|c| c != '0' && c != ' ') {
            return run.complain("a closed pipe");
        }
    }
    // The program itself ends as `cat` would, by SIGPIPE, wherever it runs.
    for run in [
        "$TOYC run loud.toy",
        "$TOYC run -O2 loud.toy",
        "$TOYC run loud.toy --report=loud.html",
        "$TOYC loud.toy -emit=mlir-llvm | $TOYC run -x mlir -",
    ] {
        // Without a reader, and with one that leaves.
        for reader in ["true", "head -c 10"] {
            let command = format!("{run} | {reader} > /dev/null; exit ${{PIPESTATUS[-2]}}");
            bash(&directory, &command)?.exits(141)?.silent()?;
        }
    }
    let run =
        bash(&directory, "$TOYC loud.toy -o loud && ./loud | head -c 10; exit ${PIPESTATUS[0]}")?;
    run.exits(141)?.silent()?;
    Ok(())
}

/// The compiled program notices, too.
fn a_compiled_program_notices_a_full_disk() -> Outcome {
    let directory = workspace("full_disk_of_an_executable")?;
    std::fs::write(directory.join("loud.toy"), LOUD)?;
    for (program, level) in
        [("program", "-O0"), ("program", "-O2"), ("loud", "-O0"), ("loud", "-O2")]
    {
        toyc_in(&directory, &format!("{program}.toy {level}"))?.exits(0)?;
        let run = bash(&directory, &format!("./{program} > /dev/full"))?.exits(1)?;
        if run.stderr.is_empty() {
            return run.complain("an executable on a full disk says nothing");
        }
    }
    Ok(())
}

/// The runtime inside each object is private: programs with C and with each other.
fn objects_link_with_each_other_and_with_c() -> Outcome {
    let directory = workspace("objects_link_together")?;
    let library = "\
func.func @library(%x: tensor<2xf64>) {
  \"toy.print\"(%x) : (tensor<2xf64>) -> ()
  return
}
func.func @run_library() {
  %0 = \"toy.constant\"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  \"toy.print\"(%0) : (tensor<2xf64>) -> ()
  return
}
";
    std::fs::write(directory.join("library.mlir"), library)?;
    std::fs::write(
        directory.join("main.c"),
        "#include <stdio.h>\nvoid run_library(void);\nint toy_main(void) __asm__(\"main\");\n\
         static void __attribute__((constructor)) before(void) { printf(\"C \"); run_library(); }\n",
    )?;
    toyc_in(&directory, "library.mlir -emit=obj")?.exits(0)?.silent()?;
    toyc_in(&directory, "program.toy -emit=obj -O2")?.exits(0)?;
    let run = bash(&directory, "cc main.c library.o program.o -o all && ./all")?.exits(0)?;
    if !run.out().starts_with("C 1.000000 2.000000 2.000000 20.000000 \n") {
        return run.complain("the order of the output");
    }
    Ok(())
}
