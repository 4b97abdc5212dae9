//! `toyc new NAME`: a folder to start in.
//!
//! Input: the name of a folder. Output: the folder with a program, settings of an editor, and what git ignores.
//! Invariants: nothing that exists is changed; after an error, nothing is left behind.

use crate::output::{Destination, cannot_write};
use std::path::Path;
use toy_compiler::codegen::link;
use toy_diagnostics::{Diagnostic, codes};

/// The program of a folder: what `toyc run`, `build` and `check` take if no program is named.
pub const PROGRAM: &str = "main.toy";

const FILES: [(&str, &str); 3] = [
    (PROGRAM, include_str!("new/main.toy")),
    (".gitignore", "/main\n"),
    (".vscode/settings.json", "{\n  \"[toy]\": { \"editor.formatOnSave\": true }\n}\n"),
];

/// Makes the folder; returns the text to show.
///
/// # Errors
///
/// The name exists already, or the system refuses.
pub fn make(folder: &Path) -> Result<String, Diagnostic> {
    let shown = folder.display();
    let quoted = link::quoted(&shown.to_string());
    if folder.symlink_metadata().is_ok() {
        return Err(Diagnostic::error(codes::CANNOT_WRITE, format!("`{shown}` exists already"))
            .help("`toyc new` makes a new folder: choose another name"));
    }
    let made = std::fs::create_dir(folder)
        .map_err(|error| cannot_write(&format!("`{shown}`"), &error))
        .and_then(|()| FILES.iter().try_for_each(|(name, text)| write(&folder.join(name), text)));
    if let Err(diagnostic) = made {
        let _ = std::fs::remove_dir_all(folder);
        return Err(diagnostic);
    }
    Ok(format!("made `{shown}`; run its program with\n\n  cd {quoted}\n  toyc run\n"))
}

fn write(file: &Path, text: &str) -> Result<(), Diagnostic> {
    let parent = file.parent().unwrap_or(file);
    std::fs::create_dir_all(parent)
        .map_err(|error| cannot_write(&format!("`{}`", parent.display()), &error))?;
    Destination::File(file.to_owned()).write(|out| out.write_all(text.as_bytes()))
}
