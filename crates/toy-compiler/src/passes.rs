//! The passes of toyc: the definitions of all stages, and the texts about them.
//!
//! toy-opt and the help texts read them here; the stages name the definitions themselves. Invariant,
//! which a test checks: every definition is in the list of its stage, once.

use crate::runtime_calls;
use crate::stages::merged::merge_alloc;
use crate::stages::{dealloc, linalg, loops, memref, merged, mlir_llvm, shapes, toy};
use mlir_support::pass::PassDefinition;
use std::fmt::Write;

/// Every pass of ours: first the passes that other compilers can use, then the passes of each stage.
pub fn all() -> impl Iterator<Item = &'static PassDefinition> {
    const DEFINED: [&[PassDefinition]; 10] = [
        merge_alloc::DEFINED,
        toy::DEFINED,
        shapes::DEFINED,
        linalg::DEFINED,
        memref::DEFINED,
        merged::DEFINED,
        dealloc::DEFINED,
        loops::DEFINED,
        mlir_llvm::DEFINED,
        runtime_calls::DEFINED,
    ];
    DEFINED.into_iter().flatten()
}

/// The pass of this name.
pub fn named(name: &str) -> Option<&'static PassDefinition> {
    all().find(|pass| pass.name == name)
}

/// Every pass with its options, briefly: the part of `toy-opt --help` about them.
pub fn overview() -> String {
    let mut text = String::new();
    for pass in all() {
        text.push_str(&entry(2, &format!("--{}", pass.name), pass.summary));
        for option in pass.options {
            let name = format!("{}={}", option.name, option.value.placeholder());
            text.push_str(&entry(6, &name, option.help));
        }
    }
    text
}

/// The page about a pass: `toy-opt --help-pass NAME`.
pub fn page(pass: &PassDefinition) -> String {
    let options = if pass.options.is_empty() { "" } else { "[=\"NAME=VALUE ...\"]" };
    let mut text = format!("--{}{options}\n\n{}.\n", pass.name, pass.summary);
    if let Some(upstream) = pass.upstream {
        let _ = writeln!(text, "toyc runs it instead of MLIR's {upstream}, under that name.");
    }
    let place = if pass.on_functions { "builtin.module or func.func" } else { "builtin.module" };
    let _ = writeln!(text, "\nRuns on: {place}");
    if let Some(requirement) = pass.requirement {
        let _ = writeln!(text, "Requires: {} before it", requirement.pass);
    }
    if let Some(workaround) = pass.workaround {
        text.push_str("\nA work-around for a bug of LLVM:\n");
        for (name, value) in [
            ("Issue", workaround.issue),
            ("Since", workaround.since),
            ("Delete when", workaround.delete_when),
        ] {
            text.push_str(&entry(2, name, value));
        }
    }
    if !pass.options.is_empty() {
        text.push_str("\nOptions:\n");
    }
    for option in pass.options {
        let name = format!("{}={}", option.name, option.value.placeholder());
        let help = format!("{}; default: {}", option.help, option.default.trim_matches(['(', ')']));
        text.push_str(&entry(2, &name, &help));
    }
    text
}

/// A name and its meaning, in two columns of at most 100 characters.
fn entry(indent: usize, name: &str, help: &str) -> String {
    const COLUMN: usize = 40;
    const WIDTH: usize = 100;
    let mut text = format!("{:indent$}{name}", "");
    let mut column = text.len();
    if column + 1 >= COLUMN {
        text.push('\n');
        column = 0;
    }
    let _ = write!(text, "{:1$}", "", COLUMN - column);
    column = COLUMN;
    for (index, word) in help.split(' ').enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            let _ = write!(text, "\n{:COLUMN$}", "");
            column = COLUMN;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_definition_of_a_pass_is_in_the_list_once() {
        let mut defined = BTreeSet::new();
        let compiler = Path::new(env!("CARGO_MANIFEST_DIR"));
        collect(&compiler.join("src"), &mut defined);
        // Of the other crates, only merge-alloc defines passes of toyc.
        collect(&compiler.join("../merge-alloc/src"), &mut defined);
        let listed: Vec<_> = all().map(|pass| pass.name.to_owned()).collect();
        let names: BTreeSet<_> = listed.iter().cloned().collect();
        assert_eq!(names.len(), listed.len(), "a name is in the list twice");
        assert_eq!(names, defined);
    }

    /// The names in constants of the type of definitions.
    fn collect(directory: &Path, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                collect(&entry.path(), names);
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            for constant in text.split(concat!(": PassDefinition", " =")).skip(1) {
                if let Some(name) = constant.split('"').nth(1) {
                    names.insert(name.to_owned());
                }
            }
        }
    }

    #[test]
    fn stand_ins_are_named_after_the_pass_they_replace() {
        for pass in all() {
            if let Some(upstream) = pass.upstream {
                assert_eq!(pass.name, format!("toy-{upstream}"));
            }
        }
    }

    #[test]
    fn work_arounds_name_tests_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let workarounds: Vec<_> = all().filter_map(|pass| pass.workaround).collect();
        assert!(workarounds.len() >= 15, "{}", workarounds.len());
        for workaround in workarounds {
            assert!(workaround.since.starts_with("22."), "{workaround:?}");
            for word in workaround.delete_when.split(' ').filter(|word| word.starts_with("tests/"))
            {
                assert!(root.join(word).exists(), "{word}");
            }
        }
    }

    #[test]
    fn summaries_are_one_line_in_the_third_person() {
        for pass in all() {
            let verb = pass.summary.split(' ').next().unwrap_or_default();
            assert!(verb.ends_with('s'), "{}: {verb}", pass.name);
            assert!(!pass.summary.ends_with('.') && !pass.summary.contains('\n'), "{}", pass.name);
        }
    }

    #[test]
    fn passes_refuse_options_that_they_do_not_document() {
        for pass in all() {
            let refused = pass.prepare("x=y", false).err().unwrap_or_default();
            assert!(refused.contains(pass.name) || refused.contains("`x=y`"), "{}", pass.name);
            assert!(pass.prepare("", pass.on_functions).is_ok(), "{}", pass.name);
        }
    }

    #[test]
    fn help_has_lines_that_fit() {
        let texts = all().map(page).chain([overview()]);
        for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(line.chars().count() <= 120, "{line}");
        }
    }
}
