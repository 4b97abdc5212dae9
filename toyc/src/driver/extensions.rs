//! The extension of an output's name, and the form of the file's contents.
//!
//! Input: the stage and the file of `-o`. Output: the form of a memory plan, which its extension selects; for all other
//! stages and extensions, a warning if the extension belongs to another form. Invariant: an extension that is not in
//! the tables has no effect.

use std::path::Path;
use toy_compiler::Stage;
use toy_compiler::memory_plan::{Format, PlanFile};
use toy_diagnostics::{Diagnostic, codes};

/// The extension of each form, the stages that write it, and its contents.
const FORMS: [(&str, &[Stage], &str); 10] = [
    ("toy", &[Stage::ToySource], "a program in Toy"),
    ("mlir", &Stage::MLIR, "MLIR"),
    ("ll", &[Stage::Llvm], "LLVM IR"),
    ("s", &[Stage::Asm], "assembly"),
    ("o", &[Stage::Obj], "an object file"),
    ("h", &[Stage::Header], "a C header"),
    ("rs", &[Stage::Rust], "bindings in Rust"),
    ("py", &[Stage::Python], "a Python module"),
    ("a", &[Stage::StaticLib], "a static library"),
    ("so", &[Stage::Lib], "a shared library"),
];

/// The way to a file with an extension that no stage's output has by itself.
fn other(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "bc" => "-emit=llvm writes LLVM IR, from which llvm-as makes bitcode",
        "svg" | "png" | "pdf" => {
            "-emit=memory-plan draws the plan of the memory into a file that ends in .svg"
        }
        "json" => "--memory-plan=FILE.json and --report=FILE.json write JSON",
        "html" | "htm" => "--report=FILE.html writes a page about every stage",
        _ => return None,
    })
}

/// The form of the plan in this file, if the plan is requested and its extension belongs to a form.
pub fn plan_format(emit: Stage, output: Option<&Path>) -> Option<Format> {
    let output = output.filter(|_| emit == Stage::MemoryPlan)?;
    PlanFile::new(output.to_owned()).ok().map(|file| file.format)
}

/// The warning about an extension of a form that the stage does not write.
pub fn warning(emit: Stage, output: Option<&Path>) -> Option<Diagnostic> {
    let file = output.filter(|_| emit != Stage::Jit && plan_format(emit, output).is_none())?;
    let extension = file.extension()?.to_str()?;
    let help = match FORMS.iter().find(|(known, ..)| *known == extension) {
        Some((_, stages, _)) if stages.contains(&emit) => return None,
        Some((_, [stage], contents)) => format!("-emit={} writes {contents}", stage.name()),
        Some(_) => "-emit=toy and the stages up to mlir-llvm write MLIR".to_owned(),
        None => other(extension)?.to_owned(),
    };
    let written = match FORMS.iter().find(|(_, stages, _)| stages.contains(&emit)) {
        Some((.., contents)) => contents,
        None if emit == Stage::Exe => "an executable",
        None => "text",
    };
    let message =
        format!("`{}` will be {written}: the extension of its name has no effect", file.display());
    Some(Diagnostic::warning(codes::IGNORED_OPTION, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_extensions_of_something_else_are_a_warning() {
        let of = |emit, name: &str| warning(emit, Some(Path::new(name))).map(|it| it.message);
        for (emit, name) in [
            (Stage::Exe, "prog"),
            (Stage::Exe, "prog.exe"),
            (Stage::Exe, "with.extension"),
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
            let message =
                format!("`{name}` will be {what}: the extension of its name has no effect");
            assert_eq!(of(emit, name), Some(message));
        }
    }
}
