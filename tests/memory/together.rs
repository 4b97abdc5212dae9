//! Several programs in one run of valgrind, which takes longer to start than most of them take to run.
//!
//! Input: programs with their options and expected outputs. Output: the programs that fail. Each is compiled to an
//! executable, but in place of the linker a script keeps the object file and renames its `main`; one executable calls
//! them all. Invariants: valgrind runs the object file that an executable is linked from, no program frees memory that
//! another one has allocated, and if something is found, each program is run by itself.

use super::valgrind;
use crate::programs::build_with;
use crate::tools::{Job, Outcome, fail};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The stand-in for toyc's linker; it is called like `cc`: `OBJECT -o OUTPUT ...`.
const LINKER: &str = "#!/bin/sh\nexec objcopy --redefine-sym main=\"$MAIN\" \"$1\" \"$3\"\n";

/// A program, its options, and its expected output.
#[derive(Clone)]
pub struct Part {
    pub name: String,
    pub source: PathBuf,
    pub options: &'static [&'static str],
    pub expected: Vec<u8>,
}

/// The failures by the names of the programs; the folder is for files of the check.
pub fn failures(parts: &[Part], folder: &Path) -> BTreeMap<String, String> {
    let text = |failure: Failed| failure.message().unwrap_or_default().to_owned();
    let Err(together) = check(parts, folder) else { return BTreeMap::new() };
    let alone = parts.iter().filter_map(|part| {
        let failure = alone(part, folder).err()?;
        Some((part.name.clone(), text(failure)))
    });
    let alone: BTreeMap<_, _> = alone.collect();
    if !alone.is_empty() {
        return alone;
    }
    let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
    let why = format!("only together: {}\n{}", names.join(", "), text(together));
    parts.iter().map(|part| (part.name.clone(), why.clone())).collect()
}

fn check(parts: &[Part], folder: &Path) -> Outcome {
    let linker = folder.join("linker");
    std::fs::write(&linker, LINKER)?;
    std::fs::set_permissions(&linker, std::fs::Permissions::from_mode(0o755))?;
    let (mut declared, mut called) = (String::new(), String::new());
    let (mut objects, mut expected) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let main = format!("program_{index}");
        let object = folder.join(format!("{index}.o"));
        object_of(part, &object, &linker, &main)?;
        let _ = writeln!(declared, "int {main}(void);");
        let _ = writeln!(called, "  status |= {main}();");
        objects.push(object);
        expected.extend_from_slice(&part.expected);
    }
    let driver = folder.join("together.c");
    let text =
        format!("{declared}int main(void) {{\n  int status = 0;\n{called}  return status;\n}}\n");
    std::fs::write(&driver, text)?;
    let executable = folder.join("together");
    let mut arguments = vec!["-o".into(), executable.clone(), driver];
    arguments.extend(objects);
    arguments.push("-lm".into());
    Job::new("cc", arguments).run()?.exits(0)?.silent()?;
    valgrind(&executable)?.exits(0)?.prints(expected)?;
    Ok(())
}

fn object_of(part: &Part, object: &Path, linker: &Path, main: &str) -> Outcome {
    let arguments = [part.source.as_path(), Path::new("-o"), object, Path::new("--linker"), linker];
    let arguments = arguments.map(Path::as_os_str);
    let options = part.options.iter().map(AsRef::as_ref).chain(["-w".as_ref()]);
    crate::tools::toyc(arguments.into_iter().chain(options))
        .env("MAIN", main)
        .run()?
        .exits(0)?
        .prints("")?
        .silent()?;
    if object.is_file() { Ok(()) } else { fail(format!("{} is missing", object.display())) }
}

/// Builds and runs it as a user.
fn alone(part: &Part, folder: &Path) -> Outcome {
    let executable = folder.join("alone");
    build_with(&part.source, &executable, part.options, None)?;
    valgrind(&executable)?.exits(0)?.prints(&part.expected)?;
    Ok(())
}
