//! The README's console blocks, executed.
//!
//! Input: README.md. A block ```` ```console ```` is a list of `$ command` lines, each followed by what
//! it prints (standard output, then standard error); `? 1` behind a command is its exit status, 0
//! without. The commands run in a folder that looks like the repository, with the tested compiler on
//! the path. Invariant: what the page shows is what a reader sees; TOYC_UPDATE=1 rewrites the page.

use crate::filecheck::bash;
use crate::markdown::rewritten;
use crate::tools::{self, Outcome, fail};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    vec![tools::trial("readme", run)]
}

/// Runs every command of the page and compares.
fn run() -> Outcome {
    let page = tools::root().join("README.md");
    let text = std::fs::read_to_string(&page)?;
    let folder = tools::scratch("readme");
    for name in ["examples", "toyc"] {
        std::os::unix::fs::symlink(tools::root().join(name), folder.join(name))?;
    }
    let actual = executed(&text, &folder)?;
    if actual == text {
        return Ok(());
    }
    if tools::is_update() {
        return Ok(std::fs::write(&page, actual)?);
    }
    let line = text.lines().zip(actual.lines()).position(|(old, new)| old != new);
    let line = line.unwrap_or(text.lines().count().min(actual.lines().count()));
    fail(format!(
        "README.md:{}: the page says\n  {}\nbut the command prints\n  {}\n(TOYC_UPDATE=1 rewrites it)",
        line + 1,
        text.lines().nth(line).unwrap_or_default(),
        actual.lines().nth(line).unwrap_or_default(),
    ))
}

/// The page with the true output under every command.
fn executed(page: &str, folder: &Path) -> Result<String, Failed> {
    rewritten(page, |block| {
        if block.info != "console" {
            return Ok(block.text.to_owned());
        }
        // What stood under the commands is replaced.
        let mut text = String::new();
        for command in block.text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            text.push_str(&format!("$ {command}\n{}", output(command, folder)?));
        }
        Ok(text)
    })
}

fn output(command: &str, folder: &Path) -> Result<String, Failed> {
    let run = bash(command, folder)?;
    let mut text = match run.status {
        Some(0) => String::new(),
        Some(code) => format!("? {code}\n"),
        None => return fail(format!("{command}: ended by a signal")),
    };
    text.push_str(&String::from_utf8_lossy(&run.stdout));
    text.push_str(&run.stderr);
    Ok(text)
}
