//! `toyc fmt`: its output, the files it leaves alone, and that the repository's own programs are formatted.
//!
//! Input: programs. Output: an error for each that is changed where it should not be. Properties of every program are
//! tested in `crates/toy-format`.

use crate::tools::{Job, Outcome, Tests, fail, root, scratch, toyc, trial};
use libtest_mimic::Trial;
use std::fmt::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Instant;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("the_examples_are_formatted", examples),
        ("the_style_guide_is_formatted", style_guide),
        ("files_are_replaced_and_keep_their_permissions", files),
        ("check_shows_a_diff_and_writes_nothing", check),
        ("standard_input_goes_to_standard_output", standard_input),
        ("directories_are_searched", directories),
        ("a_program_with_syntax_errors_is_left_alone", syntax_errors),
        ("what_cannot_be_formatted_is_diagnosed", unusable),
        ("the_time_is_linear", linear),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("fmt/{name}"), test)).collect()
}

const BEFORE: &str = "def main(){print( 1+2 ) ;} # go\n";
const AFTER: &str = "def main() { print(1 + 2); }  # go\n";

fn examples() -> Outcome {
    let run = toyc(["fmt", "--check", "examples"]).current_dir(root()).run()?;
    run.exits(0)?.silent()?.prints("")?;
    Ok(())
}

fn style_guide() -> Outcome {
    let page = std::fs::read_to_string(root().join("LANGUAGE.md"))?;
    let section = page.split("\n## Layout\n").nth(1).ok_or("no section about the layout")?;
    let program = section.split("```toy\n").nth(1).and_then(|text| text.split("```").next());
    let program = program.ok_or("no program in the section")?;
    toyc(["fmt", "--check", "-"]).stdin(program).run()?.exits(0)?.silent()?;
    Ok(())
}

fn files() -> Outcome {
    let directory = scratch("fmt/files");
    let (one, link) = (directory.join("one.toy"), directory.join("link.toy"));
    std::fs::write(&one, BEFORE)?;
    std::fs::set_permissions(&one, std::fs::Permissions::from_mode(0o640))?;
    symlink("one.toy", &link)?;
    toyc(["fmt", "link.toy"]).current_dir(&directory).run()?.exits(0)?.silent()?.prints("")?;
    if std::fs::read_to_string(&one)? != AFTER || !link.is_symlink() {
        return fail("the file behind a link is not formatted");
    }
    let mode = std::fs::metadata(&one)?.permissions().mode() & 0o777;
    if mode != 0o640 {
        return fail(format!("the permissions are {mode:o}"));
    }
    // A formatted file is not written again.
    let time = std::fs::metadata(&one)?.modified()?;
    toyc(["fmt", "one.toy"]).current_dir(&directory).run()?.exits(0)?.silent()?;
    if std::fs::metadata(&one)?.modified()? != time {
        return fail("a formatted file was written");
    }
    std::fs::write(&one, BEFORE)?;
    std::fs::set_permissions(&one, std::fs::Permissions::from_mode(0o444))?;
    toyc(["fmt", "one.toy"]).current_dir(&directory).run()?.diagnosed("E0002")?;
    if std::fs::read_to_string(&one)? != BEFORE {
        return fail("a read-only file was replaced");
    }
    Ok(())
}

fn check() -> Outcome {
    let directory = scratch("fmt/check");
    std::fs::write(directory.join("good.toy"), AFTER)?;
    std::fs::write(directory.join("bad.toy"), BEFORE)?;
    let run = toyc(["fmt", "--check", "good.toy", "bad.toy"]).current_dir(&directory).run()?;
    let expected = format!("--- bad.toy\n+++ bad.toy\n@@ -1 +1 @@\n-{BEFORE}+{AFTER}");
    let run = run.exits(1)?.prints(expected)?;
    if run.stderr != "1 file is not formatted; `toyc fmt` does it\n" {
        return run.complain("not this message");
    }
    if std::fs::read_to_string(directory.join("bad.toy"))? != BEFORE {
        return fail("--check wrote the file");
    }
    // `patch` can read the diff.
    let patch = Job::new("patch", ["-s", "bad.toy"]).current_dir(&directory).stdin(run.stdout);
    patch.run()?.exits(0)?;
    toyc(["fmt", "--check", "bad.toy"]).current_dir(&directory).run()?.exits(0)?;
    Ok(())
}

fn standard_input() -> Outcome {
    toyc(["fmt", "-"]).stdin(BEFORE).run()?.exits(0)?.silent()?.prints(AFTER)?;
    toyc(["fmt", "-"]).stdin(AFTER).run()?.exits(0)?.silent()?.prints(AFTER)?;
    toyc(["fmt", "-"]).stdin("").run()?.exits(0)?.silent()?.prints("")?;
    toyc(["fmt"]).stdin(BEFORE).run()?.exits(0)?.silent()?.prints(AFTER)?;
    toyc(["fmt", "--check"]).stdin(BEFORE).run()?.exits(1)?;
    toyc(["fmt"])
        .stdin("")
        .run()?
        .exits(2)?
        .says("no FILE is named, and standard input is empty")?;
    toyc(["fmt", "--check", "-"]).stdin(BEFORE).run()?.exits(1)?;
    toyc(["fmt", "-"]).stdin("def main() { print(1 }").run()?.diagnosed("E0103")?.prints("")?;
    Ok(())
}

fn directories() -> Outcome {
    let directory = scratch("fmt/directories");
    std::fs::create_dir_all(directory.join("a/b"))?;
    std::fs::create_dir_all(directory.join("empty"))?;
    for name in ["a/one.toy", "a/b/two.toy", "a/.hidden.toy", "a/other.txt"] {
        std::fs::write(directory.join(name), BEFORE)?;
    }
    symlink("..", directory.join("a/b/cycle"))?;
    toyc(["fmt", "a"]).current_dir(&directory).run()?.exits(0)?.silent()?;
    for (name, expected) in [
        ("a/one.toy", AFTER),
        ("a/b/two.toy", AFTER),
        ("a/.hidden.toy", BEFORE),
        ("a/other.txt", BEFORE),
    ] {
        if std::fs::read_to_string(directory.join(name))? != expected {
            return fail(format!("{name} is not as expected"));
        }
    }
    toyc(["fmt", "empty"]).current_dir(&directory).run()?.diagnosed("E0001")?;
    Ok(())
}

fn syntax_errors() -> Outcome {
    let directory = scratch("fmt/syntax_errors");
    let wrong = "def main(){print(1;}\n";
    std::fs::write(directory.join("wrong.toy"), wrong)?;
    std::fs::write(directory.join("right.toy"), BEFORE)?;
    let run = toyc(["fmt", "wrong.toy", "right.toy"]).current_dir(&directory).run()?;
    run.diagnosed("E0103")?;
    if std::fs::read_to_string(directory.join("wrong.toy"))? != wrong {
        return fail("a program with errors was changed");
    }
    if std::fs::read_to_string(directory.join("right.toy"))? != AFTER {
        return fail("the other program was not formatted");
    }
    // Errors in meaning do not matter.
    let unknown = "def main() { print(x); }\n";
    toyc(["fmt", "-"]).stdin(unknown).run()?.exits(0)?.silent()?.prints(unknown)?;
    Ok(())
}

fn unusable() -> Outcome {
    let directory = scratch("fmt/unusable");
    std::fs::write(directory.join("latin1.toy"), b"# \xe9\n")?;
    std::fs::write(directory.join("module.mlir"), "module {}\n")?;
    for (name, code) in [("latin1.toy", "E0003"), ("module.mlir", "E0"), ("missing.toy", "E0001")] {
        toyc(["fmt", name]).current_dir(&directory).run()?.diagnosed(code)?;
    }
    Ok(())
}

fn linear() -> Outcome {
    let time = |lines: usize| -> Result<f64, libtest_mimic::Failed> {
        let mut program = String::from("def main() {\n");
        for line in 0..lines {
            // A writer into a string does not fail.
            let _ = writeln!(program, "var x{line}=[[ {line},2],[3 , 4]]+f( 1,{{2}}) ; # {line}");
        }
        program += "}";
        let start = Instant::now();
        toyc(["fmt", "-"]).stdin(program).run()?.exits(0)?.silent()?;
        Ok(start.elapsed().as_secs_f64())
    };
    // Twice, because other processes disturb the measurement.
    let (small, large) = (time(2_000)?.min(time(2_000)?), time(16_000)?.min(time(16_000)?));
    match large > 8.0 * 4.0 * small {
        true => fail(format!("8 times the program takes {:.1} times as long", large / small)),
        false => Ok(()),
    }
}
