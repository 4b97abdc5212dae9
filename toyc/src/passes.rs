//! The passes of toyc: a list of their definitions, which are in the files of the passes.
//!
//! toy-opt and the help texts read this list; the pipeline names the definitions themselves. Invariant,
//! which a test checks: every definition is in the list, once.

use crate::lower::{
    c_interface, debug_info, entry_point, markers, math_calls, scalars, texts, toy_to_linalg,
};
use crate::transform::large::{outline, outline_tensors, split_literals};
use crate::transform::workarounds::{
    allocated, atomic_products, deallocate, distinct_yields, free_descriptors, free_early,
    freeze_poison, inline_scopes, unreachable, vector_elements,
};
use crate::transform::{
    bufferize, canonicalize, copies, cse, dead_arguments, destinations, exports, flatten,
    fusion_fences, in_place, indirect_calls, inline, loop_nests, merge_alloc, own_arguments,
    own_copies, own_outs, ownership, parallel_loops, plain_pointers, rotate, specialize,
    unroll_turns, whole_numbers,
};
use mlir_support::pass::PassDefinition;
use std::fmt::Write;

/// Every pass of ours: those that other compilers can use first, then those of the pipeline in its order.
pub const ALL: &[PassDefinition] = &[
    merge_alloc::PASS,
    merge_alloc::VERIFY,
    indirect_calls::PASS,
    vector_elements::PASS,
    canonicalize::PASS,
    cse::PASS,
    dead_arguments::PASS,
    specialize::PASS,
    flatten::PASS,
    inline::PASS,
    split_literals::PASS,
    outline::PASS,
    toy_to_linalg::PASS,
    scalars::PASS,
    fusion_fences::ADD,
    fusion_fences::REMOVE,
    own_outs::PASS,
    unreachable::PASS,
    freeze_poison::TENSORS,
    own_arguments::PASS,
    destinations::PASS,
    distinct_yields::PASS,
    outline_tensors::PASS,
    deallocate::DISTINCT_TENSORS,
    copies::MARK,
    bufferize::PASS,
    own_copies::PASS,
    deallocate::DROP_EQUIVALENT_RESULTS,
    deallocate::DISTINCT_BUFFERS,
    deallocate::RESULTS_TO_OUT_PARAMS,
    exports::RESULTS,
    rotate::PASS,
    in_place::PASS,
    copies::REPORT,
    exports::WORKSPACE,
    ownership::MAKE_PRIVATE,
    freeze_poison::BUFFERS,
    ownership::EXPAND_RESHAPES,
    ownership::PREPARE,
    ownership::SETTLE,
    ownership::REPORT,
    allocated::LOWER_DEALLOCATIONS,
    free_early::PASS,
    unroll_turns::PASS,
    whole_numbers::PASS,
    loop_nests::PASS,
    parallel_loops::PASS,
    parallel_loops::OPENMP,
    loop_nests::fences::PASS,
    inline_scopes::PASS,
    free_descriptors::PASS,
    atomic_products::PASS,
    allocated::READ_POINTERS,
    plain_pointers::PASS,
    math_calls::PASS,
    entry_point::FINALIZE_MEMREF,
    texts::PASS,
    entry_point::MAIN_STATUS,
    c_interface::PASS,
    entry_point::INTERNAL_LINKAGE,
    markers::DROP_VARIABLES,
    entry_point::FORGET_GLOBAL_LOCATIONS,
    debug_info::LINES,
    debug_info::VARIABLES,
];

/// The pass of this name.
pub fn named(name: &str) -> Option<&'static PassDefinition> {
    ALL.iter().find(|pass| pass.name == name)
}

/// Every pass with its options, briefly: the part of `toy-opt --help` about them.
pub fn overview() -> String {
    let mut text = String::new();
    for pass in ALL {
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

/// A name and what it means, in two columns of at most 100 characters.
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
        let toyc = Path::new(env!("CARGO_MANIFEST_DIR"));
        collect(&toyc.join("src"), &mut defined);
        // Of the other crates, those that define passes of toyc.
        collect(&toyc.join("../crates/merge-alloc/src"), &mut defined);
        let listed: Vec<_> = ALL.iter().map(|pass| pass.name.to_owned()).collect();
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
        for pass in ALL {
            if let Some(upstream) = pass.upstream {
                assert_eq!(pass.name, format!("toy-{upstream}"));
            }
        }
    }

    #[test]
    fn summaries_are_one_line_in_the_third_person() {
        for pass in ALL {
            let verb = pass.summary.split(' ').next().unwrap_or_default();
            assert!(verb.ends_with('s'), "{}: {verb}", pass.name);
            assert!(!pass.summary.ends_with('.') && !pass.summary.contains('\n'), "{}", pass.name);
        }
    }

    #[test]
    fn passes_refuse_options_that_they_do_not_document() {
        for pass in ALL {
            let refused = pass.prepare("x=y", false).err().unwrap_or_default();
            assert!(refused.contains(pass.name) || refused.contains("`x=y`"), "{}", pass.name);
            assert!(pass.prepare("", pass.on_functions).is_ok(), "{}", pass.name);
        }
    }

    #[test]
    fn help_has_lines_that_fit() {
        let texts = ALL.iter().map(page).chain([overview()]);
        for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(line.chars().count() <= 120, "{line}");
        }
    }
}
