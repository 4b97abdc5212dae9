//! `toyc manuals DIRECTORY`: completions for shells and pages for man, made for a release.
//!
//! Input: the command line as clap knows it. Output: files below the directory, `completions/...` and `man1/...`.

use crate::command_tree::tree;
use crate::output::{Destination, cannot_write};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::text::printed;

/// Writes the files; returns the list of their names.
pub fn write(directory: &Path) -> Result<String, Diagnostic> {
    let mut written = String::new();
    for (name, contents) in files() {
        let path = directory.join(&name);
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent)
            .map_err(|error| cannot_write(&format!("`{}`", parent.display()), &error))?;
        Destination::File(path.clone()).write(|out| out.write_all(&contents))?;
        written += &format!("{}\n", printed(&path.display().to_string()));
    }
    Ok(written)
}

fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let shells = [
        (Shell::Bash, "bash/toyc"),
        (Shell::Zsh, "zsh/_toyc"),
        (Shell::Fish, "fish/toyc.fish"),
        (Shell::Elvish, "elvish/toyc.elv"),
        (Shell::PowerShell, "powershell/_toyc.ps1"),
    ];
    for (shell, name) in shells {
        let mut contents = Vec::new();
        clap_complete::generate(shell, &mut tree(), "toyc", &mut contents);
        files.push((Path::new("completions").join(name), contents));
    }
    let root = tree();
    let mut page = |command: clap::Command, name: String| {
        let mut contents = Vec::new();
        // Writing into memory does not fail.
        let _ = Man::new(command.name(name.clone())).render(&mut contents);
        files.push((Path::new("man1").join(format!("{name}.1")), contents));
    };
    for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
        page(command.clone(), format!("toyc-{}", command.get_name()));
    }
    page(root, "toyc".to_owned());
    files
}
