//! The extension of an output's name, and the form of the file's contents.
//!
//! Input: the stage and the file of `-o`. Output: the form of a memory plan, which its extension selects; for all other
//! stages and extensions, a warning if the extension belongs to another form. Invariant: an extension that is not in
//! the table has no effect.

use std::path::Path;
use toy_compiler::Stage;
use toy_compiler::memory_plan::{Format, PlanFile};
use toy_diagnostics::{Diagnostic, codes};

/// Extensions that imply the contents of a file.
struct Form {
    endings: &'static [&'static str],
    /// The stages that write it.
    stages: &'static [Stage],
    what: &'static str,
    /// The way to get it.
    instead: &'static str,
}

const FORMS: &[Form] = &[
    form(
        &["toy"],
        &[Stage::ToySource],
        "a program in Toy",
        "-emit=toy-source writes a program in Toy",
    ),
    form(&["mlir"], &Stage::MLIR, "MLIR", "-emit=toy and the stages up to mlir-llvm write MLIR"),
    form(&["ll"], &[Stage::Llvm], "LLVM IR", "-emit=llvm writes LLVM IR"),
    form(&["bc"], &[], "", "-emit=llvm writes LLVM IR, from which llvm-as makes bitcode"),
    form(&["s"], &[Stage::Asm], "assembly", "-emit=asm writes assembly"),
    form(&["o"], &[Stage::Obj], "an object file", "-emit=obj writes an object file"),
    form(&["h"], &[Stage::Header], "a C header", "-emit=header writes a C header"),
    form(&["rs"], &[Stage::Rust], "bindings in Rust", "-emit=rust writes bindings in Rust"),
    form(&["py"], &[Stage::Python], "a Python module", "-emit=python writes a Python module"),
    form(
        &["a"],
        &[Stage::StaticLib],
        "a static library",
        "-emit=staticlib writes a static library",
    ),
    form(&["so"], &[Stage::Lib], "a shared library", "-emit=lib writes a shared library"),
    form(
        &["svg", "png", "pdf"],
        &[],
        "",
        "-emit=memory-plan draws the plan of the memory into a file that ends in .svg",
    ),
    form(&["json"], &[], "", "--memory-plan=FILE.json and --report=FILE.json write JSON"),
    form(&["html", "htm"], &[], "", "--report=FILE.html writes a page about every stage"),
];

const fn form(
    endings: &'static [&'static str],
    stages: &'static [Stage],
    what: &'static str,
    instead: &'static str,
) -> Form {
    Form { endings, stages, what, instead }
}

/// The form of the plan in this file, if the plan is requested and its extension belongs to a form.
pub fn plan_format(emit: Stage, output: Option<&Path>) -> Option<Format> {
    let output = output.filter(|_| emit == Stage::MemoryPlan)?;
    PlanFile::new(output.to_owned()).ok().map(|file| file.format)
}

/// The warning about an extension of a form that the stage does not write.
pub fn warning(emit: Stage, output: Option<&Path>) -> Option<Diagnostic> {
    let file = output.filter(|_| emit != Stage::Jit && plan_format(emit, output).is_none())?;
    let ending = file.extension()?.to_str()?;
    let named = FORMS.iter().find(|form| form.endings.contains(&ending))?;
    if named.stages.contains(&emit) {
        return None;
    }
    let written = match FORMS.iter().find(|form| form.stages.contains(&emit)) {
        Some(form) => form.what,
        None if emit == Stage::Exe => "an executable",
        None => "text",
    };
    let message =
        format!("`{}` will be {written}: the ending of its name has no effect", file.display());
    Some(Diagnostic::warning(codes::IGNORED_OPTION, message).help(named.instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_endings_of_something_else_are_a_warning() {
        let of = |emit, name: &str| warning(emit, Some(Path::new(name))).map(|it| it.message);
        for (emit, name) in [
            (Stage::Exe, "prog"),
            (Stage::Exe, "prog.exe"),
            (Stage::Exe, "with.ending"),
            (Stage::Obj, "prog.o"),
            (Stage::Toy, "prog.mlir"),
            (Stage::MlirLlvm, "prog.mlir"),
            (Stage::Llvm, "text.txt"),
            (Stage::Header, "prog.hpp"),
            (Stage::MemoryPlan, "plan.SVG"),
            (Stage::MemoryPlan, "plan.txt"),
            (Stage::Jit, "prog.s"),
            (Stage::Asm, "-"),
        ] {
            assert_eq!(of(emit, name), None, "{name}");
        }
        for (emit, name, what) in [
            (Stage::Exe, "prog.o", "an executable"),
            (Stage::Obj, "prog.ll", "an object file"),
            (Stage::Toy, "prog.toy", "MLIR"),
            (Stage::Llvm, "prog.bc", "LLVM IR"),
            (Stage::Ast, "tree.json", "text"),
            (Stage::MemoryPlan, "plan.png", "text"),
            (Stage::Lib, "lib/prog.a", "a shared library"),
        ] {
            let message = format!("`{name}` will be {what}: the ending of its name has no effect");
            assert_eq!(of(emit, name), Some(message));
        }
        // Every form that a stage writes has a name.
        assert!(FORMS.iter().all(|form| form.stages.is_empty() == form.what.is_empty()));
    }
}
