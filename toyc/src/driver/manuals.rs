//! `toyc manuals DIRECTORY`: completions for shells and pages for man, made for a release.
//!
//! Input: the command line as clap knows it, with the names that its values can have. Output: files below the
//! directory, `completions/...` and `man1/...`.

use crate::command_tree::tree;
use crate::output::{Destination, cannot_write};
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::{Path, PathBuf};
use toy_compiler::codegen::processor::NATIVE;
use toy_compiler::codegen::target;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::codes;
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

/// The command line with the values of `toyc explain` and `--cpu`, which are checked elsewhere.
fn with_names(tree: clap::Command) -> clap::Command {
    let lints = codes::ALL.iter().filter_map(|code| code.lint);
    let pages = codes::ALL.iter().map(|code| code.id).chain(lints).chain(["language"]);
    let pages = PossibleValuesParser::new(pages);
    let host = target::architecture(None).map(|(architecture, _)| architecture.processors.cpus);
    let cpus = std::iter::once(NATIVE).chain(host.into_iter().flatten().copied());
    let cpus = PossibleValuesParser::new(cpus);
    let mut tree = tree.mut_arg("cpu", |cpu| cpu.value_parser(cpus.clone()));
    for command in ["run", "build", "check"] {
        tree = tree.mut_subcommand(command, |inner| {
            inner.mut_arg("cpu", |cpu| cpu.value_parser(cpus.clone()))
        });
    }
    tree.mut_subcommand("explain", |explain| {
        explain.mut_arg("code", |code| code.value_parser(pages.clone()))
    })
}

/// The completions with `-emit=STAGE`, which clap cannot describe.
fn with_single_dash(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => script.replacen("    prev=\"$3\"\n", BASH, 1),
        Shell::Fish => script.replace(" -l emit ", " -l emit -o emit "),
        Shell::Zsh => {
            let mut parts = script.split("'--emit=[");
            let mut text = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                // One option goes over several lines, with a description for each of its values.
                let end = part.find("' \\\n").map_or(0, |at| at + 4);
                text += &format!("'-emit=[{}'--emit=[{part}", &part[..end]);
            }
            text
        }
        _ => script.to_owned(),
    }
}

/// For bash, `-emit=STAGE` is three words.
const BASH: &str = r#"    prev="$3"
    if [[ "${cur}" == "=" ]]; then
        cur=""
        prev="${COMP_WORDS[COMP_CWORD-1]}"
    elif [[ "${prev}" == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    if [[ "${prev}" == "-emit" ]]; then
        prev="--emit"
    fi
"#;

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
        clap_complete::generate(shell, &mut with_names(tree()), "toyc", &mut contents);
        let contents = with_single_dash(shell, &String::from_utf8_lossy(&contents));
        files.push((Path::new("completions").join(name), contents.into_bytes()));
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
