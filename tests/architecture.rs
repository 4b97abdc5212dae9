//! The direction of dependencies: the crates and folders that each may depend on.
//!
//! Input: the manifests and the sources. Output: an error for each dependency in another direction. This is
//! the drawing in `ARCHITECTURE.md` as a table.

mod modules;

use crate::tools::{Job, Outcome, fail, root, trial};
use libtest_mimic::Trial;
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tutorial::steps::all;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("architecture/crates_depend_in_one_direction", crates),
        trial("architecture/steps_of_the_tutorial_stand_alone", steps),
        trial("architecture/the_front_end_needs_no_llvm", front_end),
        trial("architecture/the_front_end_depends_on_no_platform", platforms),
        trial("architecture/folders_of_the_compiler_have_no_cycle", folders),
        trial("architecture/files_have_no_cycle", files),
        trial("architecture/the_library_keeps_no_state_of_the_process", state),
        trial("architecture/element_types_are_rows_of_a_table", element_types),
        trial("architecture/no_call_goes_around_an_unsafe_function", unsafe_functions),
        trial("architecture/files_are_read_to_their_ends", whole_files),
    ]
}

/// The crates of the workspace, each with the crates that it may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("fast-malloc", &[]),
    ("memory-planner", &[]),
    ("toy-math", &[]),
    ("toy-diagnostics", &[]),
    ("toy-syntax", &["toy-diagnostics"]),
    ("toy-format", &["toy-diagnostics", "toy-syntax"]),
    ("toy-lsp", &["toy-diagnostics", "toy-format", "toy-syntax"]),
    ("toy-web", &["toy-diagnostics", "toy-format", "toy-syntax"]),
    ("mlir-support", &["toy-diagnostics"]),
    ("merge-alloc", &["memory-planner", "mlir-support", "toy-diagnostics"]),
    (
        "toy-compiler",
        &[
            "memory-planner",
            "merge-alloc",
            "mlir-support",
            "toy-diagnostics",
            "toy-math",
            "toy-syntax",
        ],
    ),
    ("toy-report", &["mlir-support", "toy-compiler", "toy-diagnostics", "toy-syntax"]),
];

fn crates() -> Outcome {
    for entry in std::fs::read_dir(root().join("crates"))? {
        let entry = entry?.path();
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((_, allowed)) = CRATES.iter().find(|(known, _)| *known == name) else {
            return fail(format!("`{name}` is not in the table of this test"));
        };
        let manifest = std::fs::read_to_string(entry.join("Cargo.toml"))?;
        for (other, _) in CRATES.iter().chain(&[("toyc", &[] as &[&str])]) {
            let depends = manifest.lines().any(|line| line.starts_with(&format!("{other} = ")));
            if depends && !allowed.contains(other) {
                return fail(format!("`{name}` depends on `{other}`"));
            }
        }
    }
    Ok(())
}

fn front_end() -> Outcome {
    for name in ["toy-diagnostics", "toy-syntax", "toy-format", "toy-web"] {
        for file in sources(&root().join("crates").join(name).join("src"))? {
            let text = std::fs::read_to_string(&file)?;
            for word in ["melior", "mlir_sys", "mlir_support", "inkwell"] {
                if text.contains(&format!("{word}::")) {
                    return fail(format!("{} uses {word}", file.display()));
                }
            }
        }
    }
    Ok(())
}

/// The manifest of a step works in a folder of the reader's own, and its libraries are the compiler's.
fn steps() -> Outcome {
    let version = |line: &str| {
        let (name, value) = line.split_once(" = ")?;
        let version = value.split('"').nth(1)?.to_owned();
        version
            .starts_with(|c: char| c == '=' || c.is_ascii_digit())
            .then_some((name.to_owned(), version))
    };
    let mut known = BTreeSet::new();
    for folder in ["toyc", "crates/toy-compiler", "crates/toy-syntax", "crates/toy-diagnostics"] {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml"))?;
        known.extend(manifest.lines().filter_map(version));
    }
    for step in all(&root().join("tutorial"))? {
        let files = step.files()?;
        let (step, manifest) = (step.slug, files.get("Cargo.toml").map_or("", String::as_str));
        if !manifest.contains("name = \"toy\"") || manifest.contains("workspace") {
            return fail(format!("`{step}` is not a package of its own that is called `toy`"));
        }
        let (_, libraries) = manifest.split_once("[dependencies]").unwrap_or_default();
        let libraries = libraries.lines().take_while(|line| !line.starts_with('['));
        for line in libraries.filter(|line| line.contains(" = ")) {
            if !version(line).is_some_and(|library| known.contains(&library)) {
                return fail(format!("`{step}` depends on something else than toyc does: {line}"));
            }
        }
    }
    Ok(())
}

/// The front end and its dependencies work on every platform, even without an operating system
/// (`cargo check -p toy-syntax --target wasm32-unknown-unknown`).
fn platforms() -> Outcome {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let question = "tree --offline -p toy-syntax -e normal --target all --prefix none";
    let tree = Job::new(&cargo, question.split(' ')).current_dir(root()).run()?.exits(0)?;
    for package in String::from_utf8_lossy(&tree.stdout).lines() {
        let name = package.split(' ').next().unwrap_or_default();
        let is_platform = ["libc", "rustix", "nix", "mio"].contains(&name);
        if is_platform || name.starts_with("windows") || name.ends_with("-sys") {
            return fail(format!("toy-syntax depends on `{name}`"));
        }
    }
    const CALLS: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
    for name in ["toy-diagnostics", "toy-syntax", "toy-format", "toy-web"] {
        for file in sources(&root().join("crates").join(name).join("src"))? {
            if file.ends_with("tests.rs")
                || file.components().any(|part| part.as_os_str() == "tests")
            {
                continue;
            }
            let text = without_tests(&std::fs::read_to_string(&file)?);
            let found = CALLS.iter().find(|call| text.contains(&format!("std::{call}")));
            if let Some(call) = found {
                return fail(format!("{} uses `std::{call}`", file.display()));
            }
        }
    }
    Ok(())
}

/// The room of a module in the compiler: its stage, or any other folder or file.
fn room(module: &[String]) -> Vec<String> {
    let length = if module.first().is_some_and(|first| first == "stages") { 2 } else { 1 };
    module[..module.len().min(length)].to_vec()
}

fn folders() -> Outcome {
    let mut arrows = BTreeMap::<_, BTreeSet<_>>::new();
    for (from, others) in modules::arrows(&root().join("crates/toy-compiler/src"))? {
        // The front page names everything, and so does the list of the stages.
        if from.is_empty() || from == ["stages"] {
            continue;
        }
        let others = others.iter().map(|to| room(to)).filter(|to| *to != room(&from));
        arrows.entry(room(&from)).or_default().extend(others);
    }
    match modules::cycle(&arrows) {
        None => Ok(()),
        Some(cycle) => fail(format!("a cycle: {cycle}")),
    }
}

/// No two files of a crate depend on each other. A folder's file may name the folder's contents.
fn files() -> Outcome {
    let mut folders = vec![root().join("toyc/src")];
    for entry in std::fs::read_dir(root().join("crates"))? {
        folders.push(entry?.path().join("src"));
    }
    let mut cycles = Vec::new();
    for folder in folders {
        let mut arrows = modules::arrows(&folder)?;
        for (from, others) in &mut arrows {
            others.retain(|to| !to.starts_with(from));
        }
        if let Some(cycle) = modules::cycle(&arrows) {
            cycles.push(format!("{}: {cycle}", folder.display()));
        }
    }
    if cycles.is_empty() { Ok(()) } else { fail(cycles.join("\n")) }
}

/// Variables that outlive a compilation, and why no compilation notices another one through them.
const STATE: &[(&str, &str)] = &[
    ("KNOWN", "a constant: the words that C and its kin reserve"),
    ("X86_64", "a constant: processors"),
    ("AARCH64", "a constant: processors"),
    ("WASM32", "a constant: processors"),
    ("BY_CONTEXT", "of one thread, by the context of each compilation"),
    ("ONCE", "MLIR registers its passes once"),
    ("END", "LLVM has one handler of fatal errors, which a command installs"),
];

/// Compilations of one process share nothing.
fn state() -> Outcome {
    let declaration =
        Regex::new(r"(?m)^\s*(?:pub(?:\(\w+\))? )?static (?:mut )?(\w+):").expect("valid");
    let mut files = Vec::new();
    // A server has a process of its own, and a page a module.
    let libraries = CRATES.iter().filter(|(name, _)| !["toy-lsp", "toy-web"].contains(name));
    for (name, _) in libraries {
        files.extend(sources(&root().join("crates").join(name).join("src"))?);
    }
    let mut known: BTreeSet<&str> = STATE.iter().map(|(name, _)| *name).collect();
    let names: BTreeSet<&str> = known.clone();
    for file in files {
        if file.ends_with("tests.rs") {
            continue;
        }
        let text = without_tests(&std::fs::read_to_string(&file)?);
        for found in declaration.captures_iter(&text) {
            if !names.contains(&found[1]) {
                return fail(format!("{} has state of the process: {}", file.display(), &found[1]));
            }
            known.remove(&found[1]);
        }
    }
    if known.is_empty() { Ok(()) } else { fail(format!("{known:?} are gone")) }
}

/// The files whose code may name an element type of tensors. Any other file takes the element from the type at hand,
/// or names the default one, `Element::DEFAULT`. Rust's own `f64`, for a literal's value or a ratio, is not one.
const ELEMENT_TYPES: &[(&str, &str)] = &[
    ("crates/mlir-support/src/ir/attributes.rs", "the elements of dense attributes, as Rust's"),
    ("crates/toy-compiler/build/processors.rs", "a function in LLVM IR, to ask for processors"),
    ("crates/toy-compiler/src/dialect/shape.rs", "the types in MLIR"),
    ("crates/toy-compiler/src/dialect/spelling.rs", "examples in messages"),
    ("crates/toy-compiler/src/dialect/table.rs", "examples in messages"),
    ("crates/toy-compiler/src/dialect/verify.rs", "an example in a message"),
    ("crates/toy-compiler/src/interface/names.rs", "keywords of C"),
    (
        "crates/toy-compiler/src/stages/mlir_llvm/mathematics.rs",
        "the type that mathematics is defined for",
    ),
    ("crates/toy-compiler/src/stages/shapes/specialize/errors.rs", "an example in a message"),
    ("crates/toy-syntax/src/builtins.rs", "the functions that convert"),
    ("crates/toy-syntax/src/element.rs", "the table"),
    ("crates/toy-syntax/src/foreign.rs", "words of other languages"),
];

fn element_types() -> Outcome {
    let code =
        Regex::new(r"\b(?:F64|f64_\w+|is_f64|float64)\b|Double(?:Splat|Attr)").expect("valid");
    let string = Regex::new(r"f64|float64|\bdouble(?:$|[^ ]| [^q])").expect("valid");
    let mut folders = vec![root().join("toyc/src")];
    for entry in std::fs::read_dir(root().join("crates"))? {
        folders.push(entry?.path());
    }
    let mut found = BTreeSet::new();
    for folder in folders {
        for file in sources(&folder)? {
            let path = file.strip_prefix(root())?.display().to_string();
            if ["/tests", "/examples/", "/benches/", "/target/"]
                .iter()
                .any(|part| path.contains(part))
            {
                continue;
            }
            let text = without_tests(&std::fs::read_to_string(&file)?);
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let text = lines.collect::<Vec<_>>().join("\n").replace("\\\"", "").replace("'\"'", "");
            let mut literals = text.split('"').skip(1).step_by(2);
            if code.is_match(&text) || literals.any(|literal| string.is_match(literal)) {
                found.insert(path);
            }
        }
    }
    let known = ELEMENT_TYPES.iter().map(|(path, _)| (*path).to_owned()).collect();
    if found == known {
        return Ok(());
    }
    let differences: Vec<_> = found.symmetric_difference(&known).cloned().collect();
    fail(format!("these files name an element type or no longer do: {}", differences.join(", ")))
}

/// An `unsafe fn` of the layer around MLIR is not called elsewhere through melior's safe function of the same name.
fn unsafe_functions() -> Outcome {
    let declaration = Regex::new(r"pub unsafe fn (\w+)").expect("valid");
    let mut names = BTreeSet::new();
    for file in sources(&root().join("crates/mlir-support/src"))? {
        let text = std::fs::read_to_string(&file)?;
        names.extend(declaration.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    if names.is_empty() {
        return fail("mlir-support has no unsafe function");
    }
    for folder in ["toyc/src", "crates/toy-compiler/src", "crates/merge-alloc/src"] {
        for file in sources(&root().join(folder))? {
            let text = std::fs::read_to_string(&file)?;
            let is_called = |name: &&String| {
                let calls = text.matches(&format!(".{name}(")).count();
                calls > text.matches(&format!("self.{name}(")).count()
            };
            if let Some(name) = names.iter().find(is_called) {
                return fail(format!("{} goes around `ir::{name}`", file.display()));
            }
        }
    }
    Ok(())
}

/// The text of a file without the items compiled only for its tests, which may use anything.
pub fn without_tests(text: &str) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        // rustfmt puts the end of an item at the indentation of its beginning, or on the line of its `;`.
        let indentation = &line[..line.len() - line.trim_start().len()];
        let ends = [format!("{indentation}}}"), format!("{indentation}}};")];
        let is_end = |line: &str| {
            let is_short =
                line.strip_prefix(indentation).is_some_and(|rest| !rest.starts_with(' '));
            ends.iter().any(|end| end == line) || is_short && line.ends_with(';')
        };
        lines.by_ref().find(|line| is_end(line));
    }
    kept
}

fn whole_files() -> Outcome {
    let text = "use a;\n#[cfg(test)]\nmod tests;\nuse b;\nimpl T {\n    #[cfg(test)]\n    fn f() {\n        g();\n    }\n    \
                fn h() {}\n}\n#[cfg(test)]\nmod more {\n    use c;\n}\nuse d;\n";
    match without_tests(text).as_str() {
        "use a;\nuse b;\nimpl T {\n    fn h() {}\n}\nuse d;\n" => Ok(()),
        other => fail(format!("this is left:\n{other}")),
    }
}

pub fn sources(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
