//! Blocks of commands, executed.
//!
//! Input: lines `$ command`, continued in lines `> more`, each followed by its output: standard output, then standard
//! error, then a line `(exit status 1)` unless the status is 0. They run in bash, in a folder that looks like the root
//! of the repository, with the tested programs on the path.
//! `cargo run --example NAME` runs cargo's build for the tests, whatever the profile on the page. Parts of outputs that
//! depend on the machine are ignored ([`RULES`]), and a line `...` in an output matches any lines.

use crate::tools::{Job, Outcome, TOYC, fail, find, llvm_bin, root, target};
use libtest_mimic::Failed;
use regex_lite::Regex;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Texts that are different on every machine, and their replacements on pages.
const RULES: [(&str, &str); 7] = [
    ("target triple = \"[^\"]*\"", "target triple = \"<triple>\""),
    ("target datalayout = \"[^\"]*\"", "target datalayout = \"<layout>\""),
    ("llvm.target_triple = \"[^\"]*\"", "llvm.target_triple = \"<triple>\""),
    ("\"target-(cpu|features)\"=\"[^\"]*\"", "\"target-$1\"=\"<$1>\""),
    ("0x[0-9a-f]{6,}", "<address>"),
    (r"\b[0-9]+\.[0-9]+ ?(s|ms|µs)\b", "<time>"),
    (r"\b22\.[0-9]+\.[0-9]+\b", "22.x.y"),
];

/// A command with its lines on the page.
struct Command<'b> {
    lines: Vec<&'b str>,
    output: Vec<&'b str>,
}

/// The block with the true output under every command.
pub fn executed(block: &str, folder: &Path) -> Result<String, Failed> {
    let path = path(folder)?;
    executed_with(block, folder, &[("PATH", &path)])
}

/// The same, in an environment of its own.
pub fn executed_with(
    block: &str,
    folder: &Path,
    environment: &[(&str, &OsStr)],
) -> Result<String, Failed> {
    let mut text = String::new();
    for command in commands(block)? {
        for line in &command.lines {
            text.push_str(&format!("{line}\n"));
        }
        let actual = printed(&command.lines, folder, environment)?;
        let shown: String = command.output.iter().map(|line| format!("{line}\n")).collect();
        // A page may show a time as it once was.
        let elided = elided(&shown);
        let lines: Vec<_> = elided.lines().collect();
        text.push_str(if matches(&lines, &actual) { &shown } else { &actual });
    }
    Ok(text)
}

fn commands(block: &str) -> Result<Vec<Command<'_>>, Failed> {
    let mut commands: Vec<Command> = Vec::new();
    for line in block.lines() {
        match commands.last_mut() {
            _ if line.starts_with("$ ") => {
                commands.push(Command { lines: vec![line], output: vec![] });
            }
            Some(last) if last.output.is_empty() && line.starts_with("> ") => last.lines.push(line),
            Some(last) => last.output.push(line),
            None => return fail("a block of commands starts with `$ `"),
        }
    }
    Ok(commands)
}

/// The output of a command, without parts that depend on the machine, and its exit status.
fn printed(
    lines: &[&str],
    folder: &Path,
    environment: &[(&str, &OsStr)],
) -> Result<String, Failed> {
    let command: Vec<_> = lines.iter().map(|line| &line[2..]).collect();
    let command = command.join("\n");
    // Building takes longer than anything else.
    let job = Job::new("bash", ["-c", &command]).current_dir(folder).limit(1800);
    let job = job.env_remove("RUST_BACKTRACE");
    let job = environment.iter().fold(job, |job, (name, value)| job.env(name, value));
    let run = job.run()?;
    let Some(status) = run.status else { return fail(format!("{command}: ended by a signal")) };
    let mut text = run.out() + &run.stderr;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if status != 0 {
        text.push_str(&format!("(exit status {status})\n"));
    }
    Ok(elided(&text).replace(&folder.display().to_string(), "<repository>"))
}

/// The tested programs come first, and a `cargo` that builds nothing twice: only where all tests of the workspace are built do
/// its crates have the features that they have there.
fn path(folder: &Path) -> Result<OsString, Failed> {
    let bin = folder.join("target/bin");
    std::fs::create_dir_all(&bin)?;
    let cargo = find("cargo").unwrap_or_default();
    let script = format!(
        "#!/bin/bash\n\
         arguments=()\n\
         for argument; do [ \"$argument\" = --release ] || arguments+=(\"$argument\"); done\n\
         set -- \"${{arguments[@]}}\"\n\
         cd {root}\n\
         if [[ \"$*\" =~ ^run\\ -q\\ --example\\ ([a-z_]+) ]]; then\n\
             {cargo} test -q --workspace --no-run || exit\n\
             shift 4\n\
             [ \"${{1:-}}\" != -- ] || shift\n\
             exec {target}/debug/examples/${{BASH_REMATCH[1]}} \"$@\"\n\
         fi\n\
         exec {cargo} \"$@\"\n",
        root = root().display(),
        cargo = cargo.display(),
        target = target().display(),
    );
    write_script(&bin.join("cargo"), &script)?;
    path_with(&[bin])
}

/// Writes a program that the shell can run.
pub fn write_script(file: &Path, script: &str) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(file, script)?;
    Ok(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))?)
}

/// These folders, then the folders of the tested programs and of LLVM's tools, then the developer's.
pub fn path_with(first: &[PathBuf]) -> Result<OsString, Failed> {
    let tested = Path::new(TOYC).parent().unwrap_or(Path::new(".")).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = first.iter().cloned().chain([tested, llvm_bin()]);
    Ok(std::env::join_paths(first.chain(std::env::split_paths(&path)))?)
}

fn elided(text: &str) -> String {
    RULES.iter().fold(text.to_owned(), |text, (pattern, with)| {
        let pattern = Regex::new(pattern).expect("the rules are regular expressions");
        pattern.replace_all(&text, *with).into_owned()
    })
}

/// True if an output is the one on the page, whose lines `...` stand for any lines.
fn matches(shown: &[&str], actual: &str) -> bool {
    let actual: Vec<_> = actual.lines().collect();
    let pieces: Vec<_> = shown.split(|line| *line == "...").collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    if pieces.len() == 1 {
        return actual == *first;
    }
    if !actual.starts_with(first) || !actual[first.len()..].ends_with(last) {
        return false;
    }
    let mut rest = &actual[first.len()..actual.len() - last.len()];
    for piece in &pieces[1..pieces.len() - 1] {
        let at = (0..=rest.len()).find(|at| rest[*at..].starts_with(piece));
        let Some(at) = at else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// Parts that depend on the machine are left out, and nothing else.
pub fn elision() -> Outcome {
    for (text, expected) in [
        ("target triple = \"x86_64-unknown-linux-gnu\"", "target triple = \"<triple>\""),
        ("at 0x7ffc12345678, 0x10", "at <address>, 0x10"),
        ("0.25 s and 1.5ms", "<time> and <time>"),
        ("1.000000 2.500000", "1.000000 2.500000"),
        ("LLVM 22.1.8", "LLVM 22.x.y"),
        ("\"target-cpu\"=\"x86-64\"", "\"target-cpu\"=\"<cpu>\""),
    ] {
        if elided(text) != expected {
            return fail(format!("{text}: {}", elided(text)));
        }
    }
    Ok(())
}
